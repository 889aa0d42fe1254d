/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's 64 bit arithmetic, exact as there. A division by zero is left
 * to the sanitizer.
 */
#ifndef _UNIT_LINUX_MATH64_H
#define _UNIT_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	return ((u128)a * mul) >> shift;
}

static inline u64 mul_u64_u32_div(u64 a, u32 mul, u32 divisor)
{
	return (u128)a * mul / divisor;
}

static inline u64 mul_u64_u64_shr(u64 a, u64 mul, unsigned int shift)
{
	return ((u128)a * mul) >> shift;
}

/* As on x86-64, a quotient that is too large is an exception. */
static inline u64 mul_u64_u64_div_u64(u64 a, u64 mul, u64 divisor)
{
	u128 quotient = (u128)a * mul / divisor;

	if (quotient >> 64)
		__builtin_trap();
	return quotient;
}

#define DIV64_U64_ROUND_UP(ll, d)	\
	({ u64 _tmp = (d); div64_u64((ll) + _tmp - 1, _tmp); })

#endif /* _UNIT_LINUX_MATH64_H */
