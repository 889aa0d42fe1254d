/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shut: for how long nothing can leave, so that nobody needs to look
 *
 * US 2025/0260650, [0105]: "pausing the scheduling of packets for a particular
 * amount of time". Ticks of a pause allow nothing, and a packet that was larger
 * than an allowance is paid for by ticks of which then nothing is left. Who
 * waits in such a tick waits until they are over; to look at the end of each
 * tick would be work without any effect.
 *
 * What is said here holds as long as neither the parameters change nor the ramp
 * turns, and nothing that was charged is given back. Nothing here locks: the
 * caller serialises all calls for one slope. Any context.
 */
#ifndef _NET_RAMP_SHUT_H
#define _NET_RAMP_SHUT_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <net/ramp/slope.h>

/* Nobody is kept from a look for longer, which is 52 s of the shortest ticks.
 */
#define RAMP_SHUT_MOST		BIT_ULL(20)

/**
 * typedef ramp_shut_sum_fn - what the next ticks allow together
 * @s: running slope
 * @p: parameters
 * @n: how many, at most RAMP_SHUT_MOST
 *
 * Return: in the unit of the amounts
 */
typedef u64 ramp_shut_sum_fn(const struct ramp_slope *s,
			     const struct ramp_slope_params *p, u64 n);

/* How many of the next ticks do no more than pay? Twice as many, as long as
 * they do, and then the bits below.
 */
static __always_inline u64 ramp_shut_count(const struct ramp_slope *s,
					   const struct ramp_slope_params *p,
					   u64 most, ramp_shut_sum_fn *sum)
{
	u64 bit = 1, n;

	while (bit <= most && sum(s, p, bit) <= s->owed)
		bit <<= 1;
	for (n = bit >> 1, bit >>= 2; bit; bit >>= 1)
		if (n + bit <= most && sum(s, p, n + bit) <= s->owed)
			n += bit;
	return n;
}

static inline u64 ramp_shut_sum(const struct ramp_slope *s,
				const struct ramp_slope_params *p, u64 n)
{
	return ramp_slope_sum(s, p, s->index + 1, s->index + 1 + n);
}

/**
 * ramp_slope_shut - in how many ticks after the present one can nothing leave?
 * @s: running ramp, in a tick that somebody waits for the end of
 * @p: parameters
 *
 * Who looks at the ramp after as many ticks, and not before, finds it as if it
 * had been looked at in each of them.
 *
 * Return: 0 .. RAMP_SHUT_MOST; less if the ramp ends or has to turn before
 */
static inline u64 ramp_slope_shut(const struct ramp_slope *s,
				  const struct ramp_slope_params *p)
{
	u64 most;

	if (ramp_slope_at(s, p, s->index + 1) > s->owed)
		return 0;
	most = min_t(u64, RAMP_SHUT_MOST, ramp_slope_rest(s, p) - 1);
	most = min_t(u64, most, ramp_slope_patience(s, p));
	return ramp_shut_count(s, p, most, ramp_shut_sum);
}

#endif /* _NET_RAMP_SHUT_H */
