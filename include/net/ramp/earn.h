/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a rate has earned by a given time
 *
 * US 12388757, FIG. 10: a metering circuit adds tokens at a rate, all the time
 * or in lumps at every interval. Here nobody adds anything: what has been
 * earned since the base is a function of the time. What is rounded off is not
 * lost, as nothing is ever added up, and who asks twice, or at the same time as
 * others, gets the same answer.
 *
 * Numbers only. Any context.
 */
#ifndef _NET_RAMP_EARN_H
#define _NET_RAMP_EARN_H

#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define RAMP_EARN_SEC	1000000000ULL

/**
 * struct ramp_earn - a rate
 * @base: ns, when nothing had been earned
 * @per_ns: tokens/ns, the whole part
 * @per_rest: the rest of it, in tokens/s
 * @interval: ns, 0 or how often tokens arrive
 * @intervals: 2^64 / @interval, rounded down
 * @rate: tokens/s, 1 .. 2^40
 */
struct ramp_earn {
	u64	base;
	u64	per_ns;
	u64	per_rest;
	u64	interval;
	u64	intervals;
	u64	rate;
};

/**
 * ramp_earn_set - begin to earn
 * @e: to be filled
 * @rate: tokens/s, 1 .. 2^40
 * @interval: ns, 0: tokens arrive continuously
 * @now: ns, the base
 */
static inline void ramp_earn_set(struct ramp_earn *e, u64 rate, u64 interval,
				 u64 now)
{
	e->base = now;
	e->rate = rate;
	e->per_ns = div64_u64_rem(rate, RAMP_EARN_SEC, &e->per_rest);
	e->interval = interval;
	e->intervals = interval ? div64_u64(U64_MAX, interval) : 0;
}

/**
 * ramp_earn_elapsed - time since the base
 * @e: rate
 * @now: ns; of a clock that stepped back behind the base, nothing has elapsed
 *
 * Return: ns, 0 .. 2^63 - 1
 */
static inline u64 ramp_earn_elapsed(const struct ramp_earn *e, u64 now)
{
	return max_t(s64, now - e->base, 0);
}

/* When the last whole interval ended. The product is at most one too small. */
static inline u64 ramp_earn_metered(const struct ramp_earn *e, u64 elapsed)
{
	u64 whole;

	whole = mul_u64_u64_shr(elapsed, e->intervals, 64) * e->interval;
	return elapsed - whole >= e->interval ? whole + e->interval : whole;
}

/**
 * ramp_earn_resume - go on where another rate was
 * @e: rate that has earned nothing yet
 * @old: rate until now
 * @now: ns
 *
 * What it had earned of the next token, or of the next lump if the interval is
 * the same, is not lost: however often a rate is changed, it earns. Of another
 * interval the first one begins.
 */
static inline void ramp_earn_resume(struct ramp_earn *e,
				    const struct ramp_earn *old, u64 now)
{
	u64 elapsed = ramp_earn_elapsed(old, now), sec, ns;

	if (e->interval != old->interval)
		return;
	if (e->rate == old->rate) {
		e->base = old->base;
	} else if (e->interval) {
		e->base = now - (elapsed - ramp_earn_metered(old, elapsed));
	} else {
		/* rate x elapsed, modulo a whole token */
		sec = div_u64(elapsed, RAMP_EARN_SEC);
		ns = (elapsed - sec * RAMP_EARN_SEC) * old->per_rest;
		ns -= div_u64(ns, RAMP_EARN_SEC) * RAMP_EARN_SEC;
		e->base = now - div64_u64(ns, e->rate);
	}
}

/**
 * ramp_earned - what has been earned
 * @e: rate
 * @elapsed: ns since the base, 0 .. 2^63 - 1
 *
 * rate x elapsed, rounded down, and exact. Dividing by a constant is a
 * multiplication.
 *
 * Return: tokens, modulo 2^64
 */
static inline u64 ramp_earned(const struct ramp_earn *e, u64 elapsed)
{
	u64 sec, ns;

	if (e->interval)
		elapsed = ramp_earn_metered(e, elapsed);
	sec = div_u64(elapsed, RAMP_EARN_SEC);
	ns = elapsed - sec * RAMP_EARN_SEC;
	return elapsed * e->per_ns + sec * e->per_rest +
	       div_u64(ns * e->per_rest, RAMP_EARN_SEC);
}

#endif /* _NET_RAMP_EARN_H */
