/* SPDX-License-Identifier: GPL-2.0 */
/* Division of 128 bits by 64, for which a kernel has no function to link. */
#ifndef _UNIT_WIDE_H
#define _UNIT_WIDE_H

#include <linux/types.h>

/* As by hand: the upper half, then a bit at a time. */
static inline u128 wide_div(u128 n, u64 divisor)
{
	u64 upper = n >> 64, lower = n;
	u64 quotient = 0, bit;
	u128 rest;

	if (!upper)
		return lower / divisor;
	rest = upper % divisor;
	for (bit = 1ULL << 63; bit; bit >>= 1) {
		rest = rest << 1 | !!(lower & bit);
		if (rest >= divisor) {
			rest -= divisor;
			quotient |= bit;
		}
	}
	return (u128)(upper / divisor) << 64 | quotient;
}

#endif /* _UNIT_WIDE_H */
