// SPDX-License-Identifier: GPL-2.0
/*
 * What an engine knows of levels: what has passed the gate, what waits, and
 * whether that has come to rest. What is to be looked at next, and when.
 *
 * Everything here runs under the lock of the engine, in softirq or with bottom
 * halves off.
 */

#include <linux/ktime.h>

#include "engine.h"

static void ramp_mark_now(const struct ramp_engine *e, struct ramp_mark *mark,
			  u64 now)
{
	*mark = (struct ramp_mark) { .time = now };
	e->ops->sent(e, mark);
}

/**
 * ramp_mark - note what has passed the gate until now
 * @e: engine
 * @now: ns
 *
 * Many may have to be asked one by one, so not too often.
 *
 * Context: lock of the engine.
 */
void ramp_mark(struct ramp_engine *e, u64 now)
{
	if (now - e->mark[0].time < e->mark_gap)
		return;
	e->mark[1] = e->mark[0];
	ramp_mark_now(e, &e->mark[0], now);
}

/**
 * ramp_mark_anew - what was noted of what passed the gate is worth nothing
 * @e: engine
 * @now: ns
 *
 * Context: lock of the engine.
 */
static void ramp_mark_anew(struct ramp_engine *e, u64 now)
{
	ramp_mark_now(e, &e->mark[0], now);
	e->mark[1] = e->mark[0];
}

/**
 * ramp_mark_shift - somebody comes who sent before, or goes who did
 * @e: engine
 * @sent: what he sent until now
 * @less: he goes
 *
 * Context: lock of the engine.
 */
void ramp_mark_shift(struct ramp_engine *e, const struct ramp_mark *sent,
		     bool less)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(e->mark); i++) {
		e->mark[i].bytes += less ? -sent->bytes : sent->bytes;
		e->mark[i].pkts += less ? -sent->pkts : sent->pkts;
	}
}

/**
 * ramp_open_level - what leaves per tick while the gate is open
 * @e: engine
 * @p: parameters that have the tick, and the unit of the answer
 * @now: ns
 *
 * Context: lock of the engine.
 *
 * Return: per tick, in the unit of the amounts
 */
u64 ramp_open_level(const struct ramp_engine *e,
		    const struct ramp_slope_params *p, u64 now)
{
	const struct ramp_mark *since = &e->mark[0];
	struct ramp_mark mark;
	u64 bytes, pkts, span;

	/* Two marks can be as close as two packets. */
	if (now - since->time < min(p->tick, p->window / RAMP_SLOTS))
		since = &e->mark[1];
	span = max_t(u64, now - since->time, NSEC_PER_USEC);

	/* A size table (tc-stab(8)) can make more of it than the quotient of a
	 * division may be.
	 */
	ramp_mark_now(e, &mark, now);
	bytes = min_t(u64, mark.bytes - since->bytes, RAMP_ALLOWANCE_MAX);
	pkts = min_t(u64, mark.pkts - since->pkts, RAMP_ALLOWANCE_MAX);
	bytes = mul_u64_u64_div_u64(bytes, p->tick, span);
	pkts = mul_u64_u64_div_u64(pkts, p->tick, span);
	if (p->full && bytes > p->full) {
		pkts = mul_u64_u64_div_u64(pkts, p->full, bytes);
		bytes = p->full;
	}
	return min_t(u64, p->packets ? pkts : bytes, RAMP_ALLOWANCE_MAX);
}

/* Arrivals that have stopped have settled after a window, and until then
 * nothing else would see that the ramp is over.
 */
static bool ramp_silence_settles(const struct ramp_engine *e)
{
	return e->plan.cease_settled && !e->plan.watch_level && e->slope.dir &&
	       !e->meter->running;
}

static bool ramp_is_settled(const struct ramp_engine *e, u64 now)
{
	if (!e->plan.cease_settled)
		return false;
	if (e->plan.watch_level)
		return ramp_edge_settled(&e->level, &e->plan.level);
	return ramp_meter_settled(e->meter, &e->plan.ingress, now);
}

/**
 * ramp_is_last_tick - does a ramp that has settled end with the present tick?
 * @e: engine
 *
 * Context: lock of the engine.
 *
 * Return: true when it does
 */
bool ramp_is_last_tick(const struct ramp_engine *e)
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

	if (e->meter->running)
		when = ramp_meter_end(e->meter, &e->plan.ingress);
	else if (ramp_silence_settles(e))
		when = max(e->meter->slot_start + e->plan.ingress.window,
			   e->slope.tick_end);
	if (e->rolling)
		when = min_t(u64, when,
			     e->slot_start + ramp_edge_slot(&e->plan.level));
	e->ops->arm(e, when);
}

static void ramp_bound(struct ramp_engine *e)
{
	if (e->ops->bound)
		e->ops->bound(e);
}

/**
 * ramp_level_bounds - within which bounds does what waits need no look?
 * @e: engine
 *
 * With a trail, each new extreme of its slot needs a look, but no clock.
 *
 * Context: lock of the engine.
 */
void ramp_level_bounds(struct ramp_engine *e)
{
	const struct ramp_trail *t = &e->level.trail;

	e->top = U64_MAX;
	e->bottom = 0;
	if (e->plan.watch_level) {
		e->top = e->level.max;
		e->bottom = e->level.min;
	}
	if (e->plan.watch_level && e->trailing) {
		e->top = min_t(u64, e->top, t->max[t->at]);
		e->bottom = max_t(u64, e->bottom, t->min[t->at]);
	}
	ramp_bound(e);
}

/**
 * ramp_level_roll - close the slots of what waits that are over
 * @e: engine
 * @now: ns
 *
 * Context: lock of the engine.
 */
void ramp_level_roll(struct ramp_engine *e, u64 now)
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

/**
 * ramp_level_time - slots of what waits begin, if none is open
 * @e: engine
 * @now: ns
 *
 * Context: lock of the engine.
 */
void ramp_level_time(struct ramp_engine *e, u64 now)
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
		ramp_edge_still(&e->level, &e->plan.level,
				ramp_engine_level(e));
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

/**
 * ramp_detect_bound - tell the owner that the bounds are other ones
 * @e: engine
 *
 * Where nobody watches what arrives, it never leaves its bounds.
 *
 * Context: lock of the engine.
 */
void ramp_detect_bound(struct ramp_engine *e)
{
	if (!e->plan.watch_ingress)
		e->meter->edge.max = U64_MAX;
	ramp_bound(e);
}

/**
 * ramp_detect_init - nothing waits, nothing was seen
 * @e: engine
 *
 * Context: lock of the engine, or before the qdisc is in use.
 */
void ramp_detect_init(struct ramp_engine *e)
{
	ramp_meter_init(e->meter, &e->plan.ingress);
	ramp_edge_init(&e->level, &e->plan.level, 0);
	e->rolling = false;
	ramp_level_unfollow(e);
	ramp_detect_bound(e);
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
 * sees other bands now: a difference between these and those is not a surge.
 *
 * Context: lock of the engine.
 */
void ramp_detect_change(struct ramp_engine *e, const struct ramp_plan *old,
			u32 changed, u64 now)
{
	const struct ramp_plan *plan = &e->plan;
	bool anew = changed & RAMP_CHANGED_LEVEL ||
		    old->watch_level != plan->watch_level ||
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
		ramp_meter_init(e->meter, &plan->ingress);
	else if (!old->watch_ingress || old->pps != plan->pps ||
		 changed & RAMP_CHANGED_EXEMPT)
		ramp_meter_change(e->meter, &plan->ingress, true, now);
	else if (!ramp_edge_same(&old->ingress, &plan->ingress))
		ramp_meter_change(e->meter, &plan->ingress, false, now);
	if (!plan->monitored)
		memset(e->monitor_end, 0, sizeof(e->monitor_end));
	ramp_detect_bound(e);
}
