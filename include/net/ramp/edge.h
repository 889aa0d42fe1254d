/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Edge detector: tells when a level went from low to high, or back, too fast
 *
 * US 2025/0260650, [0100] and [0102]: a surge is a level that "increased from
 * below a lower threshold to above a higher threshold within a particular
 * amount of time", or the reverse. The level may be the packets waiting (claims
 * 1 and 10) or the arrival rate (claim 16); the law is the same for both and
 * knows neither. Without thresholds (claim 1) a surge is a level that moved by
 * DELTA within that time, wherever it was.
 *
 * With thresholds a level is in one of three zones: at LOW (level <= low),
 * between, and at HIGH (level >= high). Only a change of zone matters, so the
 * caller compares the level with the bounds of the present zone and reads a
 * clock only when it left them. With DELTA the bounds are how far it may still
 * move; the caller notes every new extreme, and says when slots of WINDOW/8
 * end.
 *
 * Nothing here locks: the caller serialises all calls for one detector. Any
 * context.
 */
#ifndef _NET_RAMP_EDGE_H
#define _NET_RAMP_EDGE_H

#include <linux/limits.h>
#include <linux/types.h>
#include <net/ramp/trail.h>

/**
 * enum ramp_dir - direction of a surge or of a ramp
 * @RAMP_NONE: no surge, no ramp
 * @RAMP_UP: rising
 * @RAMP_DOWN: falling
 * @RAMP_SLEW: no surge: what may leave is bounded all the time (slew.h)
 */
enum ramp_dir {
	RAMP_NONE,
	RAMP_UP,
	RAMP_DOWN,
	RAMP_SLEW,
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
 * @delta: instead of @low and @high: a level that moved so far surges; else 0.
 *	It and the level are less than 2^63
 * @window: ns, a crossing that took longer is no surge
 */
struct ramp_edge_params {
	u64	low;
	u64	high;
	u64	delta;
	u64	window;
};

/**
 * struct ramp_edge - one detector
 * @min: least level that needs no look: of the present zone, or less than
 *	@delta below the highest level of the window
 * @max: greatest level that needs no look
 * @left_low: ns, when the level last left LOW upwards
 * @left_high: ns, when the level last left HIGH downwards
 * @took: ns, how long the crossing of the last surge took
 * @zone: where the level is
 * @rising: the level left LOW and has not reached HIGH since
 * @falling: the level left HIGH and has not reached LOW since
 * @trail: where the level was in the last window; kept up by the caller, who
 *	needs it with @delta only, or to know whether the level has settled
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
	struct ramp_trail trail;
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

static inline u64 ramp_edge_slot(const struct ramp_edge_params *p)
{
	return p->window / RAMP_SLOTS;
}

/* How far a level moves that surges. */
static inline u64 ramp_edge_range(const struct ramp_edge_params *p)
{
	return p->delta ?: p->high - p->low;
}

/* How far the level may move without having moved by delta. */
static inline void ramp_edge_leash(struct ramp_edge *e,
				   const struct ramp_edge_params *p)
{
	const struct ramp_trail *t = &e->trail;

	e->max = t->low + p->delta - 1;
	e->min = t->high >= p->delta ? t->high - p->delta + 1 : 0;
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
	ramp_trail_init(&e->trail, level);
	if (p->delta)
		ramp_edge_leash(e, p);
	else
		ramp_edge_enter(e, p, ramp_edge_zone(p, level));
}

/**
 * ramp_edge_note - the level reached a new extreme of its slot
 * @e: detector
 * @p: parameters
 * @level: the level now
 *
 * Return: true when ramp_edge_update() is due
 */
static inline bool ramp_edge_note(struct ramp_edge *e,
				  const struct ramp_edge_params *p, u64 level)
{
	bool due = level < e->min || level > e->max;

	if (p->delta && due)
		return true;
	ramp_trail_note(&e->trail, level);
	if (p->delta)
		ramp_edge_leash(e, p);
	return due;
}

/**
 * ramp_edge_roll - slots of the trail ended
 * @e: detector
 * @p: parameters
 * @level: the level now
 * @slots: how many ended, at least 1
 */
static inline void ramp_edge_roll(struct ramp_edge *e,
				  const struct ramp_edge_params *p, u64 level,
				  u64 slots)
{
	ramp_trail_roll(&e->trail, level, slots);
	if (p->delta)
		ramp_edge_leash(e, p);
}

/**
 * ramp_edge_still - the level will not move for a while, begin the trail anew
 * @e: detector
 * @p: parameters
 * @level: the level now
 */
static inline void ramp_edge_still(struct ramp_edge *e,
				   const struct ramp_edge_params *p, u64 level)
{
	ramp_trail_init(&e->trail, level);
	if (p->delta)
		ramp_edge_leash(e, p);
}

/**
 * ramp_edge_settled - has the level moved by less than a surge for a window?
 * @e: detector
 * @p: parameters
 *
 * Return: true when it has
 */
static inline bool ramp_edge_settled(const struct ramp_edge *e,
				     const struct ramp_edge_params *p)
{
	return ramp_trail_settled(&e->trail, ramp_edge_range(p));
}

/* One that did surge begins anew where it is, so that each further DELTA is
 * one more event.
 */
static inline enum ramp_dir ramp_edge_slope(struct ramp_edge *e,
					    const struct ramp_edge_params *p,
					    u64 level)
{
	const struct ramp_trail *t = &e->trail;
	enum ramp_dir dir = RAMP_NONE;
	u32 back = 0;

	if (level >= t->low && level - t->low >= p->delta) {
		dir = RAMP_UP;
		back = ramp_trail_since(t, level - p->delta, false);
	} else if (t->high >= level && t->high - level >= p->delta) {
		dir = RAMP_DOWN;
		back = ramp_trail_since(t, level + p->delta, true);
	}

	if (dir) {
		e->took = back * ramp_edge_slot(p);
		ramp_trail_init(&e->trail, level);
	} else {
		ramp_trail_note(&e->trail, level);
	}
	ramp_edge_leash(e, p);
	return dir;
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
 * LOW, RAMP_DOWN when it reached LOW at most a window after it left HIGH, or
 * when it moved by DELTA, with the time that it took in @e->took; RAMP_NONE
 * otherwise.
 */
static inline enum ramp_dir ramp_edge_update(struct ramp_edge *e,
					     const struct ramp_edge_params *p,
					     u64 level, u64 now)
{
	enum ramp_zone from = e->zone, to = ramp_edge_zone(p, level);
	enum ramp_dir dir = RAMP_NONE;

	if (p->delta)
		return ramp_edge_slope(e, p, level);
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
	if (dir)
		ramp_trail_init(&e->trail, level);
	return dir;
}

#endif /* _NET_RAMP_EDGE_H */
