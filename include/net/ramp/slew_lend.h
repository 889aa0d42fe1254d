/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slew limiter: parts of its budget for several who share it
 *
 * Who shares a limiter takes a lock for each packet. What is handed out in
 * advance leaves without being asked for, at a time that the limiter does not
 * know; so all of it together is bounded.
 *
 * Nothing here locks: the caller serialises all calls for one limiter. Any
 * context.
 */
#ifndef _NET_RAMP_SLEW_LEND_H
#define _NET_RAMP_SLEW_LEND_H

#include <linux/minmax.h>
#include <linux/types.h>
#include <net/ramp/slew.h>

/**
 * ramp_slew_ahead - what may be handed out in advance, to all together
 * @p: parameters
 *
 * It may leave later than the limiter thinks, so that a tick has as much more,
 * and the one before it as much less: a sixth of the bound in all. (With a
 * quarter, one in 400 random loads had more than the bound: tried with
 * test_slew.)
 *
 * Return: bytes
 */
static inline u64 ramp_slew_ahead(const struct ramp_slope_params *p)
{
	return p->packets ? 0 : p->bound / 12;
}

/* What is worth to be handed out: the deposit, and some packets. */
static inline u64 ramp_slew_worth(const struct ramp_slope_params *p)
{
	return p->packet + p->packet / 4;
}

/**
 * ramp_slew_refills - is it worth to look although there is a budget left?
 * @s: slew limiter
 * @p: parameters
 * @lent: bytes that were handed out, and not given back
 *
 * Return: true if nothing can be handed out because of the budget, and that was
 * as large as it gets after the last look: less arrives than may leave
 */
static inline bool ramp_slew_refills(const struct ramp_slew *s,
				     const struct ramp_slope_params *p,
				     u64 lent)
{
	u64 ahead = ramp_slew_ahead(p), worth = ramp_slew_worth(p);

	return s->budget < 2 * (s64)worth && lent + worth <= ahead &&
	       s->granted >= (s64)ahead;
}

/**
 * ramp_slew_lend - hand out a part of the budget, for packets to come
 * @s: slew limiter that has let a packet pass
 * @p: parameters
 * @lent: bytes that were handed out, and not given back
 *
 * Half of the budget and a quarter of all that may be out, but two packets, for
 * others who come before the next look to have something. Of it the longest
 * packet is a deposit: the last packet for which there is some of the rest left
 * may be larger than that. So none that is longer may go by it.
 *
 * Return: bytes that are charged, more than the longest packet; 0: there is no
 * room for that
 */
static inline u64 ramp_slew_lend(struct ramp_slew *s,
				 const struct ramp_slope_params *p, u64 lent)
{
	u64 ahead = ramp_slew_ahead(p), part;

	if (s->budget <= 0 || lent >= ahead)
		return 0;
	part = min3((u64)s->budget / 2, max(ahead / 4, 2 * p->packet),
		    ahead - lent);
	if (part < ramp_slew_worth(p))
		return 0;
	s->budget -= part;
	return part;
}

#endif /* _NET_RAMP_SLEW_LEND_H */
