/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slew limiter: no tick lets much more leave than the one before
 *
 * Document 000, [0105], without the detection of [0100] and [0102]: a rate that
 * may always rise by one step and no more bounds every rise, also those that
 * no detector sees. Nothing bounds the fall.
 *
 * A tick allows what left in the tick before plus a step, at least start. What
 * a tick pays for a larger packet of an earlier one counts as having left in
 * it, and so does what it could not use because the next packet was larger:
 * otherwise a step that is smaller than a packet would never let the rate grow.
 *
 * The state, and how packets are admitted and charged, is that of a slope
 * (slope.h); only the next allowance is found in another way. Nothing here
 * locks: the caller serialises all calls for one slope. Any context.
 */
#ifndef _NET_RAMP_SLEW_H
#define _NET_RAMP_SLEW_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <net/ramp/shut.h>
#include <net/ramp/slope.h>
#include <net/ramp/slope_change.h>

/**
 * ramp_slew_begin - the gate begins to limit
 * @s: slope without a ramp
 * @p: parameters
 * @level: what leaves per tick now, in the unit of the amounts
 * @now: ns, tick 0 begins
 */
static inline void ramp_slew_begin(struct ramp_slope *s,
				   const struct ramp_slope_params *p,
				   u64 level, u64 now)
{
	*s = (struct ramp_slope) {
		.dir = RAMP_SLEW,
		.tick_end = now + p->tick,
	};
	ramp_slope_grant(s, max_t(u64, p->start, level));
}

/* What counts as having left in the present tick. */
static inline u64 ramp_slew_left(const struct ramp_slope *s)
{
	if (s->waited)
		return s->allowance;
	return min_t(u64, s->allowance, s->paid + s->used);
}

/* What the next tick allows after one in which @left left. */
static inline u64 ramp_slew_next(const struct ramp_slope_params *p, u64 left)
{
	return clamp_t(u64, left + p->step, p->start, RAMP_ALLOWANCE_MAX);
}

/* What the next @n ticks allow together, if each of them pays all of it. */
static inline u64 ramp_slew_sum(const struct ramp_slope *s,
				const struct ramp_slope_params *p, u64 n)
{
	u64 first = ramp_slew_next(p, ramp_slew_left(s));

	return ramp_sat_mul(first, n, U64_MAX / 2) +
	       ramp_sat_mul(p->step, n * (n - 1) / 2, U64_MAX / 2);
}

/**
 * ramp_slew_shut - in how many ticks after the present one can nothing leave?
 * @s: slope of a slew limiter, in a tick that somebody waits for the end of
 * @p: parameters
 *
 * Return: 0 .. RAMP_SHUT_MOST, as ramp_slope_shut()
 */
static inline u64 ramp_slew_shut(const struct ramp_slope *s,
				 const struct ramp_slope_params *p)
{
	return ramp_shut_count(s, p, RAMP_SHUT_MOST, ramp_slew_sum);
}

/**
 * ramp_slew_advance - the present tick is over
 * @s: slope of a slew limiter
 * @p: parameters
 * @now: ns, at or after @s->tick_end
 *
 * Ticks that somebody had to wait for, as they could only pay, have left their
 * mark, whoever has looked. Nothing left in others that a late caller missed, but
 * each would have paid for what is owed.
 *
 * Return: how many ticks are over since the last call, at least 1
 */
static inline u64 ramp_slew_advance(struct ramp_slope *s,
				    const struct ramp_slope_params *p, u64 now)
{
	u64 left = ramp_slew_left(s), behind = now - s->tick_end;
	u64 over = 1, paid = 0;

	if (behind >= p->tick) {
		over += div64_u64(behind, p->tick);
		if (s->waited)
			paid = min_t(u64, over - 1, ramp_slew_shut(s, p));
		s->used = 0;
	}
	if (paid) {
		s->owed -= ramp_slew_sum(s, p, paid);
		left = ramp_slew_next(p, left) + (paid - 1) * p->step;
	}
	if (over - 1 > paid) {
		s->owed -= min_t(u64, s->owed,
				 ramp_times(p->start, over - 1 - paid));
		left = 0;
	}
	s->index += over;
	s->tick_end += over * p->tick;
	ramp_slope_grant(s, ramp_slew_next(p, left));
	return over;
}

/**
 * ramp_slew_change - the parameters change
 * @s: slope of a slew limiter
 * @old: parameters until now
 * @p: parameters from now on
 * @mtu: bytes, stands in for the mean packet while none was sent
 *
 * The present tick keeps its end and what it has left.
 */
static inline void ramp_slew_change(struct ramp_slope *s,
				    const struct ramp_slope_params *old,
				    const struct ramp_slope_params *p, u32 mtu)
{
	if (old->packets != p->packets)
		ramp_slope_rescale_unit(s, p, mtu);
	s->allowance = ramp_slope_rescale(s->allowance, old, p);
	s->paid = ramp_slope_rescale(s->paid, old, p);
	s->used = ramp_slope_rescale(s->used, old, p);
}

#endif /* _NET_RAMP_SLEW_H */
