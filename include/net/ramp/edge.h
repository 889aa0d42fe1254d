/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Edge detector: tells when a level went from low to high, or back, too fast
 *
 * Document 000 (US 2025/0260650 A1), [0100] and [0102]: a surge is a level
 * that "increased from below a lower threshold to above a higher threshold
 * within a particular amount of time", or the reverse. The level may be the
 * packets waiting (claims 1 and 10) or the arrival rate (claim 16); the law is
 * the same for both and knows neither.
 *
 * A level is in one of three zones: at LOW (level <= low), between, and at HIGH
 * (level >= high). Only a change of zone matters, so the caller compares the
 * level with the bounds of the present zone and reads a clock only when it left
 * them.
 *
 * Nothing here locks: the caller serialises all calls for one detector. Any
 * context.
 */
#ifndef _NET_RAMP_EDGE_H
#define _NET_RAMP_EDGE_H

#include <linux/limits.h>
#include <linux/types.h>

/**
 * enum ramp_dir - direction of a surge or of a ramp
 * @RAMP_NONE: no surge, no ramp
 * @RAMP_UP: rising
 * @RAMP_DOWN: falling
 */
enum ramp_dir {
	RAMP_NONE,
	RAMP_UP,
	RAMP_DOWN,
};

/**
 * enum ramp_zone - where a level is
 * @RAMP_ZONE_LOW: at or below low
 * @RAMP_ZONE_MID: between
 * @RAMP_ZONE_HIGH: at or above high
 */
enum ramp_zone {
	RAMP_ZONE_LOW,
	RAMP_ZONE_MID,
	RAMP_ZONE_HIGH,
};

/**
 * struct ramp_edge_params - what a surge is
 * @low: a level at or below it is low, less than @high
 * @high: a level at or above it is high
 * @window: ns, a crossing that took longer is no surge
 */
struct ramp_edge_params {
	u64	low;
	u64	high;
	u64	window;
};

/**
 * struct ramp_edge - one detector
 * @min: least level of the present zone
 * @max: greatest level of the present zone
 * @left_low: ns, when the level last left LOW upwards
 * @left_high: ns, when the level last left HIGH downwards
 * @took: ns, how long the crossing of the last surge took
 * @zone: where the level is
 * @rising: the level left LOW and has not reached HIGH since
 * @falling: the level left HIGH and has not reached LOW since
 */
struct ramp_edge {
	u64		min;
	u64		max;
	u64		left_low;
	u64		left_high;
	u64		took;
	enum ramp_zone	zone;
	bool		rising;
	bool		falling;
};

static inline enum ramp_zone
ramp_edge_zone(const struct ramp_edge_params *p, u64 level)
{
	if (level <= p->low)
		return RAMP_ZONE_LOW;
	return level >= p->high ? RAMP_ZONE_HIGH : RAMP_ZONE_MID;
}

static inline void ramp_edge_enter(struct ramp_edge *e,
				   const struct ramp_edge_params *p,
				   enum ramp_zone zone)
{
	e->zone = zone;
	e->min = zone == RAMP_ZONE_LOW ? 0 :
		 zone == RAMP_ZONE_MID ? p->low + 1 : p->high;
	e->max = zone == RAMP_ZONE_LOW ? p->low :
		 zone == RAMP_ZONE_MID ? p->high - 1 : U64_MAX;
}

/**
 * ramp_edge_init - begin to watch a level
 * @e: detector
 * @p: parameters, low < high
 * @level: the level now
 *
 * A level that is between or high now did not get there within anybody's
 * window: it has to visit the other end before it can surge.
 */
static inline void ramp_edge_init(struct ramp_edge *e,
				  const struct ramp_edge_params *p, u64 level)
{
	e->left_low = 0;
	e->left_high = 0;
	e->took = 0;
	e->rising = false;
	e->falling = false;
	ramp_edge_enter(e, p, ramp_edge_zone(p, level));
}

/* A crossing may have been dated back, so @since can lie after @now. */
static inline u64 ramp_edge_age(u64 now, u64 since)
{
	return (s64)(now - since) > 0 ? now - since : 0;
}

/**
 * ramp_edge_update - the level left its zone, or may have
 * @e: detector
 * @p: parameters
 * @level: the level now
 * @now: ns, when it got there; never earlier than in the previous call
 *
 * Each crossing gives at most one event: a level that wobbles around HIGH has
 * to visit LOW before it can surge again.
 *
 * Return: RAMP_UP when the level reached HIGH at most a window after it left
 * LOW, RAMP_DOWN when it reached LOW at most a window after it left HIGH, both
 * with the time in @e->took; RAMP_NONE otherwise.
 */
static inline enum ramp_dir ramp_edge_update(struct ramp_edge *e,
					     const struct ramp_edge_params *p,
					     u64 level, u64 now)
{
	enum ramp_zone from = e->zone, to = ramp_edge_zone(p, level);
	enum ramp_dir dir = RAMP_NONE;

	if (from == to)
		return RAMP_NONE;

	if (from == RAMP_ZONE_LOW) {
		e->left_low = now;
		e->rising = true;
	} else if (from == RAMP_ZONE_HIGH) {
		e->left_high = now;
		e->falling = true;
	}

	if (to == RAMP_ZONE_HIGH) {
		if (e->rising) {
			e->took = ramp_edge_age(now, e->left_low);
			if (e->took <= p->window)
				dir = RAMP_UP;
		}
		e->rising = false;
		e->falling = false;
	} else if (to == RAMP_ZONE_LOW) {
		if (e->falling) {
			e->took = ramp_edge_age(now, e->left_high);
			if (e->took <= p->window)
				dir = RAMP_DOWN;
		}
		e->rising = false;
		e->falling = false;
	}

	ramp_edge_enter(e, p, to);
	return dir;
}

#endif /* _NET_RAMP_EDGE_H */
