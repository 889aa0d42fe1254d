// SPDX-License-Identifier: GPL-2.0
/*
 * The detectors: give the laws of include/net/ramp/ a clock, a timer and the
 * packets.
 *
 * US 2025/0260650, FIG. 5: the arrivals are monitored (503), found to change
 * too fast (506), the queue is monitored for a time (509), found to change too
 * fast (512), and the packets leave in steps (515). Modes ingress, queue and
 * members go from 506 or 512 alone to 515.
 *
 * Everything here runs under the lock of the engine, in softirq or with bottom
 * halves off.
 */

#include <linux/ktime.h>

#include "engine.h"
#include "event.h"

static enum ramp_source ramp_level_source(const struct ramp_engine *e)
{
	return e->plan.members ? RAMP_SOURCE_MEMBERS : RAMP_SOURCE_QUEUE;
}

/* Is this fall of the queue the end of what a ramp had held back? It is until
 * a window after the queue was next low.
 */
static bool ramp_is_self(struct ramp_engine *e, u64 now)
{
	if (e->self && e->self_low && now - e->self_low > e->plan.level.window)
		e->self = false;
	return e->self;
}

static void ramp_level_judge(struct ramp_engine *e, enum ramp_dir dir, u64 now)
{
	bool self = ramp_is_self(e, now);

	if (self && !e->self_low && ramp_level_low(e))
		e->self_low = now;

	e->unjudged = RAMP_NONE;
	if (dir == RAMP_DOWN && self) {
		e->surges_self++;
		ramp_tell_surge(e, dir, ramp_level_source(e), RAMP_ACT_SELF,
				e->level.took, now);
	} else if (dir && e->plan.monitored &&
		   now > e->monitor_end[dir]) {
		e->unjudged = dir;
		e->unjudged_since = now - e->level.took;
	} else if (dir) {
		ramp_surge(e, dir, ramp_level_source(e), e->level.took, now);
	}
}

/**
 * ramp_level_crossed - what waits left its bounds
 * @e: engine that watches what waits
 *
 * Context: lock of the engine.
 */
void ramp_level_crossed(struct ramp_engine *e)
{
	const struct ramp_edge_params *p = &e->plan.level;
	u32 level = ramp_engine_level(e);
	enum ramp_dir dir;
	u64 now;

	if (e->trailing && e->rolling && !ramp_edge_note(&e->level, p, level)) {
		ramp_level_bounds(e);
		if (!e->self || e->self_low || level > p->low)
			return;
	}

	now = ktime_get_ns();
	if (e->trailing && !e->rolling) {
		ramp_edge_note(&e->level, p, level);
		ramp_level_time(e, now);
	}
	dir = ramp_edge_update(&e->level, p, level, now);
	/* A trail that begins anew has no slots from before. */
	if (dir && e->rolling)
		e->slot_start = now;
	ramp_level_bounds(e);
	ramp_level_judge(e, dir, now);
	ramp_mark(e, now);
}

/* FIG. 5, 506 to 509. The queue may have got there first: arrivals are known a
 * slot later than the queue that they make.
 */
static void ramp_monitor(struct ramp_engine *e, enum ramp_dir dir, u64 now)
{
	e->monitor_end[dir] = now + e->plan.monitor;
	ramp_tell_surge(e, dir, RAMP_SOURCE_INGRESS, RAMP_ACT_MONITOR,
			e->meter->edge.took, now);

	if (e->unjudged != dir ||
	    now - e->unjudged_since > e->plan.level.window)
		return;
	e->unjudged = RAMP_NONE;
	ramp_surge(e, dir, RAMP_SOURCE_QUEUE, e->level.took, now);
}

static void ramp_ingress_surge(struct ramp_engine *e, enum ramp_dir dir,
			       u64 now)
{
	if (e->plan.monitored)
		ramp_monitor(e, dir, now);
	else
		ramp_surge(e, dir, RAMP_SOURCE_INGRESS, e->meter->edge.took,
			   now);
}

/**
 * ramp_ingress_arrived - more arrived in this slot than its zone allows
 * @e: engine that measures its arrivals
 *
 * Context: lock of the engine.
 */
void ramp_ingress_arrived(struct ramp_engine *e)
{
	const struct ramp_edge_params *p = &e->plan.ingress;
	enum ramp_dir dir;
	u64 now = 0;

	if (ramp_meter_need_clock(e->meter, p))
		now = ktime_get_ns();
	dir = ramp_meter_rise(e->meter, p, now);
	if (dir)
		ramp_ingress_surge(e, dir, now);
}

/**
 * ramp_slots_roll - close the slots that are over
 * @e: engine
 * @now: ns
 *
 * Context: lock of the engine.
 */
void ramp_slots_roll(struct ramp_engine *e, u64 now)
{
	const struct ramp_edge_params *p = &e->plan.ingress;
	enum ramp_dir dir;

	ramp_level_roll(e, now);
	if (!e->meter->running || now < ramp_meter_end(e->meter, p))
		return;

	dir = ramp_meter_roll(e->meter, p, now);
	ramp_detect_bound(e);
	if (dir)
		ramp_ingress_surge(e, dir, now);
	ramp_mark(e, now);
}

/**
 * ramp_arrivals_begin - the first packet after a silence opens a slot
 * @e: engine that measures its arrivals, and has no slot open
 *
 * Context: lock of the engine.
 */
void ramp_arrivals_begin(struct ramp_engine *e)
{
	ramp_meter_start(e->meter, ktime_get_ns());
	ramp_detect_bound(e);
	ramp_arm(e);
}
