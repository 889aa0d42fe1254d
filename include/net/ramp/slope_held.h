/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a ramp holds back, which the default limit has room for
 *
 * Nothing here has a state. Any context.
 */
#ifndef _NET_RAMP_SLOPE_HELD_H
#define _NET_RAMP_SLOPE_HELD_H

#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <net/ramp/amount.h>
#include <net/ramp/slope.h>

/**
 * ramp_slope_holds_back - what an up ramp keeps waiting
 * @p: parameters with a known rate
 * @mtu: bytes per packet
 *
 * The sum over its ticks of what arrives at the full rate less what may leave,
 * and of what is left of an allowance of bytes when no whole packet fits.
 *
 * Return: packets of @mtu bytes, rounded up, at most U32_MAX; 0 while the rate
 * is unknown
 */
static inline u32 ramp_slope_holds_back(const struct ramp_slope_params *p,
					u32 mtu)
{
	u64 start = p->start, step = p->step;
	u64 missing, steps, sum, bytes = 0;

	if (!p->full)
		return 0;
	if (p->adaptive)
		step = ramp_slope_share(step, RAMP_STEP_LEAST);
	if (p->packets) {
		start = ramp_times(start, mtu);
		step = ramp_times(step, mtu);
	}

	missing = p->full - min_t(u64, p->full, start);
	steps = div64_u64(missing + step - 1, step);
	/* missing + (missing - step) + (missing - 2 * step) + ... */
	if (steps) {
		sum = missing + missing - (steps - 1) * step;
		bytes = ramp_sat_mul(steps, sum, U64_MAX) / 2;
	}
	bytes += ramp_sat_mul(p->full, p->pause, U64_MAX / 8);
	bytes += ramp_sat_mul(missing, p->hold, U64_MAX / 8);

	/* Up to a packet of each allowance that is not a sum of packets. */
	if (p->packets)
		steps = 0;
	else if (start > mtu)
		steps += p->hold;

	return min_t(u64, U32_MAX, div_u64(bytes + mtu - 1, mtu) + steps);
}

#endif /* _NET_RAMP_SLOPE_HELD_H */
