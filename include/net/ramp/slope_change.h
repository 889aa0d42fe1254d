/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parameters of a ramp that change while it runs
 *
 * Nothing here locks: the caller serialises all calls for one slope. Any
 * context.
 */
#ifndef _NET_RAMP_SLOPE_CHANGE_H
#define _NET_RAMP_SLOPE_CHANGE_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <net/ramp/amount.h>
#include <net/ramp/slope.h>

/* Packets to bytes or back, rounded up. */
static inline u64 ramp_slope_convert(u64 amount, u32 mean, bool to_packets)
{
	if (to_packets)
		return div_u64(amount + mean - 1, mean);
	return ramp_times(amount, mean);
}

/* Amounts of a tick in the unit of the new parameters. What is left of the
 * present one must not grow by it.
 */
static inline void ramp_slope_rescale_unit(struct ramp_slope *s,
					   const struct ramp_slope_params *p,
					   u32 mtu)
{
	u32 mean = ramp_slope_mean(s) ?: mtu;
	bool packets = p->packets;

	s->left = packets ? div_u64(s->left, mean) : ramp_times(s->left, mean);
	s->allowance = ramp_slope_convert(s->allowance, mean, packets);
	s->level = ramp_slope_convert(s->level, mean, packets);
	s->owed = ramp_slope_convert(s->owed, mean, packets);
	s->paid = ramp_slope_convert(s->paid, mean, packets);
	s->used = ramp_slope_convert(s->used, mean, packets);
	s->last_used = ramp_slope_convert(s->last_used, mean, packets);
}

/* The same level for a tick of another length. */
static inline u64 ramp_slope_rescale(u64 amount,
				     const struct ramp_slope_params *old,
				     const struct ramp_slope_params *p)
{
	if (old->tick == p->tick || !amount)
		return amount;
	return ramp_retick(amount, p->tick, old->tick);
}

/**
 * ramp_slope_change - the parameters of a running ramp change
 * @s: running slope
 * @old: parameters until now
 * @p: parameters from now on
 * @mtu: bytes, stands in for the mean packet while none was sent
 *
 * The ramp goes on from the level reached. The present tick keeps its end and
 * what it has left, so that a stream of changes lets nothing pass.
 */
static inline void ramp_slope_change(struct ramp_slope *s,
				     const struct ramp_slope_params *old,
				     const struct ramp_slope_params *p,
				     u32 mtu)
{
	u64 flat = (u64)s->pause + s->hold;

	if (old->packets != p->packets)
		ramp_slope_rescale_unit(s, p, mtu);
	ramp_slope_steps(s, p);
	s->level = ramp_slope_rescale(s->level, old, p);
	s->last_used = ramp_slope_rescale(s->last_used, old, p);
	/* Only an up ramp is flat, and one that drains in a pause. */
	if (s->index < flat) {
		/* The next tick is either still flat, or the first that is not.
		 */
		if (!s->drain) {
			flat = max_t(u64, (u64)p->pause + p->hold,
				     s->index + 1);
			s->pause = p->pause;
			s->hold = flat - s->pause;
		}
		s->base = p->start;
	} else {
		s->pause = 0;
		s->hold = 0;
		s->index = 0;
		s->base = s->level;
	}
}

#endif /* _NET_RAMP_SLOPE_CHANGE_H */
