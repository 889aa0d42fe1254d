/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Climb: how a pace gets from one rate to a higher one without a jump
 *
 * A band that was slowed has packets waiting, and the device may be faster than
 * its rate. So a rate that may be higher from now on rises by a step per tick,
 * to its goal; a lower one holds at once. What need not be paced any more has
 * no goal: it climbs, beyond the full rate if need be, until nothing waits.
 *
 * Who comes late climbs by one step: in ticks in which nobody asked nothing has
 * left that the next one could be compared with. However often the goal
 * changes, no two steps are closer to each other than a tick.
 *
 * Nothing here locks: the caller serialises all calls for one climb. Any
 * context.
 */
#ifndef _NET_RAMP_CLIMB_H
#define _NET_RAMP_CLIMB_H

#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* No rate is higher, bytes/s: the goal of what has none. */
#define RAMP_CLIMB_OPEN		BIT_ULL(40)

/**
 * struct ramp_climb - one rate
 * @rate: bytes/s, the present one
 * @goal: bytes/s, at least @rate
 * @next: ns, when the next step may be, or might have been
 */
struct ramp_climb {
	u64	rate;
	u64	goal;
	u64	next;
};

/**
 * ramp_climb_step - what a step per tick makes per second
 * @step: bytes, at most 2^40
 * @tick: ns, 1 .. one second
 *
 * Return: bytes/s, 1 .. RAMP_CLIMB_OPEN
 */
static inline u64 ramp_climb_step(u64 step, u32 tick)
{
	/* More than that in a tick is more than that in a second. */
	if (step >= RAMP_CLIMB_OPEN)
		return RAMP_CLIMB_OPEN;
	return clamp_t(u64, mul_u64_u64_div_u64(step, 1000000000, tick), 1,
		       RAMP_CLIMB_OPEN);
}

/**
 * ramp_climb_begin - a rate from nowhere
 * @c: climb
 * @rate: bytes/s, at most RAMP_CLIMB_OPEN
 * @now: ns
 */
static inline void ramp_climb_begin(struct ramp_climb *c, u64 rate, u64 now)
{
	*c = (struct ramp_climb) { .rate = rate, .goal = rate, .next = now };
}

/**
 * ramp_climb_to - another rate is due
 * @c: climb
 * @goal: bytes/s, at most RAMP_CLIMB_OPEN
 * @now: ns
 *
 * Return: true when the present rate is another one
 */
static inline bool ramp_climb_to(struct ramp_climb *c, u64 goal, u64 now)
{
	bool lower = goal < c->rate;

	c->goal = goal;
	if (lower)
		c->rate = goal;
	if ((s64)(now - c->next) > 0)
		c->next = now;
	return lower;
}

/**
 * ramp_climb_when - when is the next step?
 * @c: climb
 *
 * Return: ns; U64_MAX: the goal is reached
 */
static inline u64 ramp_climb_when(const struct ramp_climb *c)
{
	return c->rate < c->goal ? c->next : U64_MAX;
}

/**
 * ramp_climb_due - is it time for a step?
 * @c: climb
 * @now: ns
 *
 * Return: true when it is
 */
static inline bool ramp_climb_due(const struct ramp_climb *c, u64 now)
{
	return c->rate < c->goal && (s64)(now - c->next) >= 0;
}

/**
 * ramp_climb_on - take the step that is due
 * @c: climb
 * @step: bytes/s, from ramp_climb_step()
 * @tick: ns
 * @now: ns
 */
static inline void ramp_climb_on(struct ramp_climb *c, u64 step, u32 tick,
				 u64 now)
{
	c->rate = min_t(u64, c->goal, c->rate + step);
	c->next = now + tick;
}

#endif /* _NET_RAMP_CLIMB_H */
