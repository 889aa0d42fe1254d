/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Amounts of a tick, which count packets or bytes, and products that do not
 * wrap
 *
 * Nothing here has a state. Any context.
 */
#ifndef _NET_RAMP_AMOUNT_H
#define _NET_RAMP_AMOUNT_H

#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* No allowance is larger: 2^40 bytes/s for a tick of one second. */
#define RAMP_ALLOWANCE_MAX	BIT_ULL(40)

/**
 * ramp_per_tick - what a rate is per tick
 * @rate: bytes/s, at most 2^40
 * @tick: ns, at most one second
 *
 * Return: bytes, rounded down
 */
static inline u64 ramp_per_tick(u64 rate, u32 tick)
{
	return mul_u64_u32_div(rate, tick, 1000000000);
}

/**
 * ramp_sat_mul - product of two amounts that does not wrap
 * @a: any amount
 * @b: any amount
 * @max: what the product is cut to
 *
 * Return: the product, at most @max
 */
static inline u64 ramp_sat_mul(u64 a, u64 b, u64 max)
{
	if (a && b > div64_u64(max, a))
		return max;
	return a * b;
}

static inline u64 ramp_times(u64 amount, u64 n)
{
	return ramp_sat_mul(amount, n, RAMP_ALLOWANCE_MAX);
}

/**
 * ramp_retick - what an amount of a tick is in a tick of another length
 * @amount: at most RAMP_ALLOWANCE_MAX
 * @tick: ns, at most one second
 * @was: ns, not 0: the tick that @amount is of
 *
 * Return: 1 to RAMP_ALLOWANCE_MAX, rounded down
 */
static inline u64 ramp_retick(u64 amount, u32 tick, u32 was)
{
	return clamp_t(u64, mul_u64_u64_div_u64(amount, tick, was), 1,
		       RAMP_ALLOWANCE_MAX);
}

#endif /* _NET_RAMP_AMOUNT_H */
