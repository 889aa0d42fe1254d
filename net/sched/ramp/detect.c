// SPDX-License-Identifier: GPL-2.0
/*
 * The detectors: give the laws of include/net/ramp/ a clock, a timer and the
 * packets. Everything here runs under the lock of the engine, in softirq or with
 * bottom halves off.
 *
 * US 2025/0260650, FIG. 5: the arrivals are monitored (503), found to change too
 * fast (506), the queue is monitored for a time (509), found to change too fast
 * (512), and the packets leave in steps (515). Modes ingress, queue and members
 * go from 506 or 512 alone to 515.
 */

#include <linux/ktime.h>

#include "ramp.h"

static bool ramp_level_low(const struct ramp_engine *e)
{
	return ramp_engine_level(e) <= e->plan.level.low;
}

/* Arrivals that have stopped have settled after a window, and until then nothing
 * else would see that the ramp is over.
 */
static bool ramp_silence_settles(const struct ramp_engine *e)
{
	return e->plan.cease_settled && !e->plan.watch_level && e->slope.dir &&
	       !e->meter.running;
}

static enum ramp_source ramp_level_source(const struct ramp_engine *e)
{
	return e->plan.members ? RAMP_SOURCE_MEMBERS : RAMP_SOURCE_QUEUE;
}

static bool ramp_is_settled(const struct ramp_engine *e, u64 now)
{
	if (!e->plan.cease_settled)
		return false;
	if (e->plan.watch_level)
		return ramp_edge_settled(&e->level, &e->plan.level);
	return ramp_meter_settled(&e->meter, &e->plan.ingress, now);
}

/* A ramp that has settled ends with the present tick. */
static bool ramp_is_last_tick(const struct ramp_engine *e)
{
	enum ramp_dir dir = e->slope.dir;

	return dir && dir != RAMP_SLEW && !e->slope.drain &&
	       ramp_is_settled(e, e->now);
}

/**
 * ramp_wake - when is a gate that is shut to be asked again?
 * @e: engine of a gate that is shut
 *
 * Holds until what the ramp does changes otherwise than by time.
 *
 * Context: lock of the engine.
 *
 * Return: ns, the end of a tick, or when the slew limiter can be asked
 */
u64 ramp_wake(const struct ramp_engine *e)
{
	const struct ramp_slope_params *p = &e->plan.slope;

	if (ramp_is_slewing(e) || ramp_is_last_tick(e))
		return e->slope.tick_end;
	return e->slope.tick_end + ramp_slope_shut(&e->slope, p) * p->tick;
}

/**
 * ramp_arm - start the timer for what ends next: a tick, a slot, or a wait
 * @e: engine
 *
 * Context: lock of the engine.
 */
void ramp_arm(struct ramp_engine *e)
{
	u64 when = U64_MAX;

	if (e->meter.running)
		when = ramp_meter_end(&e->meter, &e->plan.ingress);
	else if (ramp_silence_settles(e))
		when = max(e->meter.slot_start + e->plan.ingress.window,
			   e->slope.tick_end);
	if (e->rolling)
		when = min_t(u64, when,
			     e->slot_start + ramp_edge_slot(&e->plan.level));
	/* Members of a rail wait for ticks and peers each by itself, and sleep
	 * through those that allow nothing.
	 */
	if (e->rail) {
		if (ramp_is_last_tick(e))
			when = min(when, e->slope.tick_end);
		if (when != U64_MAX)
			ramp_rail_timer_start(e->rail, when);
		return;
	}
	if (e->shut)
		when = min(when, ramp_wake(e));
	when = min(when, ramp_peer_when(ramp_owner(e)));
	when = min(when, ramp_gear_when(ramp_owner(e)));
	if (when != U64_MAX)
		ramp_timer_start(e->sch, when);
}

static void ramp_level_bind(struct ramp_engine *e, u64 top, u64 bottom)
{
	struct ramp_sched_data *q;

	if (e->rail) {
		e->rail->top = top;
		e->rail->bottom = bottom;
		return;
	}
	q = ramp_owner(e);
	q->top = top;
	q->bottom = bottom;
	ramp_stop_set(q);
}

/* With a trail, each new extreme of its slot is news; it wants no clock. */
static void ramp_level_bounds(struct ramp_engine *e)
{
	const struct ramp_trail *t = &e->level.trail;
	u64 top = U64_MAX, bottom = 0;

	if (e->plan.watch_level) {
		top = e->level.max;
		bottom = e->level.min;
	}
	if (e->plan.watch_level && e->trailing) {
		top = min_t(u64, top, t->max[t->at]);
		bottom = max_t(u64, bottom, t->min[t->at]);
	}
	ramp_level_bind(e, top, bottom);
}

static void ramp_level_roll(struct ramp_engine *e, u64 now)
{
	const struct ramp_trail *t = &e->level.trail;
	u64 slot = ramp_edge_slot(&e->plan.level);
	u64 slots;

	if (!e->rolling || now < e->slot_start + slot)
		return;

	slots = div64_u64(now - e->slot_start, slot);
	e->slot_start += slots * slot;
	ramp_edge_roll(&e->level, &e->plan.level, ramp_engine_level(e), slots);
	/* A level that rests needs no timer until it moves. */
	if (t->known == RAMP_SLOTS && t->low == t->high)
		e->rolling = false;
	ramp_level_bounds(e);
}

static void ramp_level_time(struct ramp_engine *e, u64 now)
{
	if (e->rolling)
		return;
	e->rolling = true;
	e->slot_start = now;
	ramp_arm(e);
}

/**
 * ramp_level_follow - a ramp begins, and ends when the level has settled
 * @e: engine
 * @now: ns
 *
 * Context: lock of the engine.
 */
void ramp_level_follow(struct ramp_engine *e, u64 now)
{
	if (!e->plan.cease_settled || !e->plan.watch_level)
		return;
	if (!e->trailing) {
		e->trailing = true;
		ramp_edge_still(&e->level, &e->plan.level, ramp_engine_level(e));
		ramp_level_bounds(e);
	}
	ramp_level_time(e, now);
}

/**
 * ramp_level_unfollow - no ramp runs any more
 * @e: engine
 *
 * Context: lock of the engine.
 */
void ramp_level_unfollow(struct ramp_engine *e)
{
	e->trailing = e->plan.level.delta;
	if (!e->trailing)
		e->rolling = false;
	ramp_level_bounds(e);
}

/**
 * ramp_level_settled - has what made the ramp begin come to rest?
 * @e: engine with a running ramp
 * @now: ns
 *
 * Context: lock of the engine.
 *
 * Return: true when the level moved by less than a surge for a whole window
 */
bool ramp_level_settled(struct ramp_engine *e, u64 now)
{
	if (e->plan.cease_settled && e->plan.watch_level)
		ramp_level_roll(e, now);
	return ramp_is_settled(e, now);
}

/**
 * ramp_expect_self - the queue may hold what a ramp keeps waiting from now on
 * @e: engine
 * @now: ns
 *
 * Context: lock of the engine.
 */
void ramp_expect_self(struct ramp_engine *e, u64 now)
{
	e->self = e->plan.watch_level;
	e->self_low = ramp_level_low(e) ? now : 0;
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
 * ramp_level_moved - what waits left the bounds within which it is no news
 * @e: engine that watches what waits
 *
 * Context: lock of the engine.
 */
void ramp_level_moved(struct ramp_engine *e)
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
			e->meter.edge.took, now);

	if (e->unjudged != dir || now - e->unjudged_since > e->plan.level.window)
		return;
	e->unjudged = RAMP_NONE;
	ramp_surge(e, dir, RAMP_SOURCE_QUEUE, e->level.took, now);
}

static void ramp_ingress_surge(struct ramp_engine *e, enum ramp_dir dir, u64 now)
{
	if (e->plan.monitored)
		ramp_monitor(e, dir, now);
	else
		ramp_surge(e, dir, RAMP_SOURCE_INGRESS, e->meter.edge.took,
			   now);
}

/**
 * ramp_ingress_rose - more arrived in this slot than its zone allows
 * @e: engine that measures its arrivals
 *
 * Context: lock of the engine.
 */
void ramp_ingress_rose(struct ramp_engine *e)
{
	const struct ramp_edge_params *p = &e->plan.ingress;
	enum ramp_dir dir;
	u64 now = 0;

	if (ramp_meter_need_clock(&e->meter, p))
		now = ktime_get_ns();
	dir = ramp_meter_rise(&e->meter, p, now);
	if (dir)
		ramp_ingress_surge(e, dir, now);
}

/* May packets take the short way, as far as detection goes? There a packet counts
 * its bytes and what waits, and compares: both with bounds that it never leaves
 * where nobody watches.
 */
static void ramp_detect_odd(struct ramp_engine *e)
{
	const struct ramp_plan *plan = &e->plan;

	if (!plan->watch_ingress)
		e->meter.edge.max = U64_MAX;
	if (!e->rail)
		ramp_owner(e)->odd = plan->members || plan->pps ||
				     (plan->always && plan->slope.packets) ||
				     (plan->watch_ingress && !e->meter.running);
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
	if (!e->meter.running || now < ramp_meter_end(&e->meter, p))
		return;

	dir = ramp_meter_roll(&e->meter, p, now);
	ramp_detect_odd(e);
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
	ramp_meter_start(&e->meter, ktime_get_ns());
	ramp_detect_odd(e);
	ramp_arm(e);
}

/**
 * ramp_detect_init - nothing waits, nothing was seen
 * @e: engine
 *
 * Context: lock of the engine, or before the qdisc is in use.
 */
void ramp_detect_init(struct ramp_engine *e)
{
	ramp_meter_init(&e->meter, &e->plan.ingress);
	ramp_edge_init(&e->level, &e->plan.level, 0);
	e->rolling = false;
	ramp_level_unfollow(e);
	ramp_detect_odd(e);
	e->self = false;
	e->unjudged = RAMP_NONE;
	memset(e->monitor_end, 0, sizeof(e->monitor_end));
}

static bool ramp_edge_same(const struct ramp_edge_params *a,
			   const struct ramp_edge_params *b)
{
	return a->low == b->low && a->high == b->high &&
	       a->delta == b->delta && a->window == b->window;
}

/**
 * ramp_detect_change - other parameters are in force
 * @e: engine
 * @old: parameters until now
 * @changed: what is seen now is not what was seen before
 * @now: ns
 *
 * A detector whose thresholds did not change keeps what it has seen, unless it
 * sees other bands now: that is no surge.
 *
 * Context: lock of the engine.
 */
void ramp_detect_change(struct ramp_engine *e, const struct ramp_plan *old,
			u32 changed, u64 now)
{
	const struct ramp_plan *plan = &e->plan;
	bool anew = changed & RAMP_CHANGED_LEVEL || old->watch_level != plan->watch_level ||
		    old->members != plan->members ||
		    !ramp_edge_same(&old->level, &plan->level);

	/* Marks of other bands are worth nothing. */
	if (changed & (RAMP_CHANGED_EXEMPT | RAMP_CHANGED_BANDS))
		ramp_mark_anew(e, now);
	if (anew) {
		ramp_edge_init(&e->level, &plan->level, ramp_engine_level(e));
		e->rolling = false;
		e->trailing = false;
		e->unjudged = RAMP_NONE;
		/* What waits now may be what the ramp has held back. */
		if (e->slope.dir || (e->self && !e->self_low))
			ramp_expect_self(e, now);
	}
	if (anew || old->cease_settled != plan->cease_settled) {
		ramp_level_unfollow(e);
		if (e->slope.dir)
			ramp_level_follow(e, now);
	}

	if (!plan->watch_ingress)
		ramp_meter_init(&e->meter, &plan->ingress);
	else if (!old->watch_ingress || old->pps != plan->pps)
		ramp_meter_change(&e->meter, &plan->ingress, true, now);
	else if (changed & RAMP_CHANGED_EXEMPT || !ramp_edge_same(&old->ingress, &plan->ingress))
		ramp_meter_change(&e->meter, &plan->ingress, false, now);
	if (!plan->monitored)
		memset(e->monitor_end, 0, sizeof(e->monitor_end));
	ramp_detect_odd(e);
}
