// SPDX-License-Identifier: GPL-2.0
/*
 * The ramp itself: it begins, moves on tick by tick, turns round and ends. What
 * it knows of levels is in level.c, who makes it begin in detect.c.
 *
 * An engine is the detectors, a ramp and its allowance, of whoever shares them.
 * Everything here runs under its lock, in softirq or with bottom halves off.
 */

#include <linux/ktime.h>
#include <net/ramp/slope_change.h>

#include "engine.h"
#include "event.h"

#define CREATE_TRACE_POINTS
#include <trace/events/ramp.h>

/* For so long at most, in ns, the full rate may leave unseen. */
#define RAMP_SLEW_GUESS	(10 * NSEC_PER_MSEC)

/**
 * ramp_tell_surge - to those who trace, and those who listen
 * @e: engine
 * @dir: RAMP_UP or RAMP_DOWN
 * @source: which detector
 * @act: what became of it
 * @took: ns, in which the level crossed
 * @now: ns
 *
 * Context: lock of the engine.
 */
void ramp_tell_surge(struct ramp_engine *e, enum ramp_dir dir,
		     enum ramp_source source, enum ramp_act act,
		     u64 took, u64 now)
{
	trace_ramp_surge(e->sch, dir, source, act, took, ramp_waiting(e));
	ramp_event_surge(e->sch, dir, source, act, took, ramp_waiting(e), now);
}

/**
 * ramp_stop - no ramp runs any more
 * @e: engine with a running ramp
 * @now: ns
 *
 * Context: lock of the engine.
 */
void ramp_stop(struct ramp_engine *e, u64 now)
{
	if (!ramp_is_slewing(e))
		e->ramp_ns += now - e->began;
	WRITE_ONCE(e->slope.dir, RAMP_NONE);
	e->slew->budget = RAMP_SLEW_OPEN;
	e->leaving = false;
	e->shut = false;
	e->ops->narrow(e, false);
	ramp_level_unfollow(e);
}

/**
 * ramp_done - a ramp came to its end
 * @e: engine with a running ramp
 * @now: ns
 *
 * Context: lock of the engine.
 */
void ramp_done(struct ramp_engine *e, u64 now)
{
	e->ramps_done++;
	ramp_event_done(e->sch, now - e->began, now);
	ramp_stop(e, now);
}

static void ramp_begin(struct ramp_engine *e, enum ramp_dir dir, u64 took,
		       u64 now)
{
	const struct ramp_slope_params *p = &e->plan.slope;
	u64 level;

	if (e->slope.dir) {
		e->ramps_turned++;
		level = ramp_slope_reach(&e->slope);
	} else {
		e->ramps++;
		e->began = now;
		e->shut = false;
		level = ramp_open_level(e, p, now);
	}
	ramp_slope_begin(&e->slope, p, dir, level,
			 ramp_slope_part(took, p->window), ramp_waiting(e),
			 now);
	e->ops->narrow(e, true);
	ramp_level_follow(e, now);
	/* Who sleeps through a pause has none to wait for any more. */
	if (e->shut)
		ramp_arm(e);
}

/* Of ticks that were missed, those that could have let something leave. */
static u64 ramp_late(const struct ramp_slope *was,
		     const struct ramp_slope_params *p, u64 missed)
{
	return missed ? missed - min(missed, ramp_slope_shut(was, p)) : 0;
}

/* The parameters of the slew limiter, perhaps @room: when it goes on although
 * `always` is not in force, those of @plan are of ramps, whose ticks may be
 * shorter.
 */
static const struct ramp_slope_params *
ramp_slew_params(const struct ramp_engine *e, const struct ramp_plan *plan,
		 struct ramp_slope_params *room)
{
	if (!e->leaving)
		return &plan->slope;
	*room = plan->slope;
	ramp_slew_unpack(room, &plan->slew, ramp_mtu(e->sch));
	return room;
}

/* Reads what has left, and says what may. */
static bool ramp_slew_judge(struct ramp_engine *e, u64 now)
{
	const struct ramp_slope_params *p;
	struct ramp_slew *s = e->slew;
	struct ramp_slope_params room;
	u64 used = s->granted - s->budget, late = 0, wake = s->wake;
	bool open;

	p = ramp_slew_params(e, &e->plan, &room);
	if (e->shut && now - wake >= p->tick)
		late = div64_u64(now - wake, p->tick);
	open = ramp_slew_look(s, p, e->shut, ramp_waiting(e) > 1, now);
	e->ticks += e->shut;
	e->ticks_late += late;
	e->slope.allowance = ramp_slew_allowance(s);
	trace_ramp_tick(e->sch, RAMP_SLEW, e->ticks, e->slope.allowance, 0,
			used, late + 1, late, p->packets);
	return open;
}

static void ramp_slew_open(struct ramp_engine *e)
{
	e->slope.tick_end = U64_MAX;
	e->shut = false;
	if (e->ops->shut)
		e->ops->shut(e);
}

static void ramp_slew_close(struct ramp_engine *e)
{
	e->slope.tick_end = e->slew->wake;
	e->shut = true;
	if (e->ops->shut)
		e->ops->shut(e);
}

/**
 * ramp_slew_ask - may a packet leave now, as far as the slew limiter is
 *	concerned?
 * @e: engine whose slew limiter limits, with a packet that wants to leave
 *
 * Context: lock of the engine.
 *
 * Return: true when it may. Otherwise it is to be asked again when
 *	@slope.tick_end is.
 */
bool ramp_slew_ask(struct ramp_engine *e)
{
	if (e->slew->budget > 0)
		return true;
	if (e->shut)
		return false;

	e->now = ktime_get_ns();
	/* Nobody was refused, and this is all that there is. */
	if (e->leaving && ramp_waiting(e) <= 1) {
		ramp_stop(e, e->now);
		return true;
	}
	if (ramp_slew_judge(e, e->now))
		return true;
	ramp_slew_close(e);
	return false;
}

/* Somebody was refused, and may ask again by now. */
static void ramp_slew_tick(struct ramp_engine *e, u64 now)
{
	if (!e->shut || now < e->slope.tick_end)
		return;
	if (e->leaving && !ramp_waiting(e))
		ramp_stop(e, now);
	else if (!ramp_waiting(e) || ramp_slew_judge(e, now))
		ramp_slew_open(e);
	else
		ramp_slew_close(e);
}

/* The ramp is over, but for what it holds back. Who sleeps through a pause is
 * not to.
 */
static void ramp_drain(struct ramp_engine *e)
{
	ramp_slope_drain(&e->slope, &e->plan.slope);
	e->ops->narrow(e, false);
}

/**
 * ramp_tick - move the ramp on to the tick that is due
 * @e: engine
 * @now: ns
 *
 * Context: lock of the engine.
 */
void ramp_tick(struct ramp_engine *e, u64 now)
{
	const struct ramp_slope_params *p = &e->plan.slope;
	u64 over, late = 0;
	struct ramp_slope was;

	if (ramp_is_slewing(e)) {
		ramp_slew_tick(e, now);
		return;
	}
	if (!e->slope.dir || now < e->slope.tick_end)
		return;

	was = e->slope;
	over = ramp_slope_advance(&e->slope, p, now);
	e->ticks += over;
	if (e->shut)
		late = ramp_late(&was, p, over - 1);
	e->ticks_late += late;
	/* Whoever was refused still is, and sleeps, though he has not asked
	 * again.
	 */
	e->shut = e->shut && e->slope.dir && !e->slope.left && ramp_waiting(e);
	e->slope.waited = e->shut;
	trace_ramp_tick(e->sch, was.dir, was.index, was.allowance, was.paid,
			was.used, over, late, p->packets);

	if (!e->slope.dir) {
		ramp_done(e, e->slope.tick_end);
	} else if (e->slope.drain) {
		return;
	} else if (ramp_level_settled(e, now)) {
		if (was.waited && ramp_waiting(e))
			ramp_drain(e);
		else
			ramp_done(e, now);
	} else if (e->slope.dir == RAMP_DOWN &&
		   ramp_slope_stalled(&e->slope, p, ramp_waiting(e), now)) {
		ramp_expect_self(e, now);
		ramp_begin(e, RAMP_UP, p->window, now);
		ramp_tell_surge(e, RAMP_UP, RAMP_SOURCE_STALL, RAMP_ACT_TURN,
				p->window, now);
	}
}

/**
 * ramp_surge - a detector saw one
 * @e: engine
 * @dir: RAMP_UP or RAMP_DOWN
 * @source: which detector
 * @took: ns, in which the level crossed
 * @now: ns
 *
 * Context: lock of the engine.
 */
void ramp_surge(struct ramp_engine *e, enum ramp_dir dir,
		enum ramp_source source, u64 took, u64 now)
{
	enum ramp_act act;

	if (e->ops->learn)
		e->ops->learn(e);
	/* A ramp without packets may be over, and nobody has noticed. */
	ramp_tick(e, now);
	/* It bounds the rise instead. */
	if (ramp_is_slewing(e))
		ramp_stop(e, now);

	if (dir == RAMP_UP) {
		e->surges_up++;
		ramp_expect_self(e, now);
	} else {
		e->surges_down++;
	}

	if (dir == RAMP_DOWN && !ramp_waiting(e)) {
		e->down_empty++;
		act = RAMP_ACT_EMPTY;
	} else if (e->slope.dir == dir) {
		act = RAMP_ACT_RUNNING;
	} else {
		act = e->slope.dir ? RAMP_ACT_TURN : RAMP_ACT_RAMP;
		ramp_begin(e, dir, took, now);
	}
	ramp_tell_surge(e, dir, source, act, took, now);
}

/**
 * ramp_drained - nothing waits any more that a down ramp would be for
 * @e: engine with a running ramp
 * @now: ns
 *
 * Context: lock of the engine.
 */
void ramp_drained(struct ramp_engine *e, u64 now)
{
	const struct ramp_slope *s = &e->slope;

	trace_ramp_tick(e->sch, s->dir, s->index, s->allowance, s->paid,
			s->used, 0, 0, e->plan.slope.packets);
	ramp_done(e, now);
}

static void ramp_slew_start(struct ramp_engine *e, u64 level)
{
	if (!e->plan.always)
		return;
	e->slope = (struct ramp_slope) { .dir = RAMP_SLEW };
	ramp_slew_begin(e->slew, &e->plan.slope, level, e->now);
	ramp_slew_open(e);
	e->ops->narrow(e, true);
}

/**
 * ramp_engine_init - no packets, no ramp, nothing seen
 * @e: engine
 *
 * A device that goes down resets all that it has, most of which may never have
 * been asked, and others wait for RTNL.
 *
 * Context: lock of the engine, or before it is in use.
 */
void ramp_engine_init(struct ramp_engine *e)
{
	bool new = ramp_is_slewing(e) && !e->leaving && !e->shut &&
		   ramp_slew_is_new(e->slew);

	if (e->slope.dir && !new)
		ramp_stop(e, e->now);
	ramp_detect_init(e);
	if (new)
		return;
	e->shut = false;
	e->slew->budget = RAMP_SLEW_OPEN;
	ramp_slew_start(e, 0);
}

/**
 * ramp_let_out - packets wait that another gate held back until now
 * @e: engine without a running ramp, which holds them from now on
 * @was: ramp of the other gate; its present tick goes on
 * @left: what that allows, in the unit of the amounts
 * @level: per tick, from which to climb
 * @now: ns
 *
 * Context: lock of the engine.
 */
void ramp_let_out(struct ramp_engine *e, const struct ramp_slope *was, u64 left,
		  u64 level, u64 now)
{
	const struct ramp_slope_params *p = &e->plan.slope;
	struct ramp_slope *s = &e->slope;

	e->ramps++;
	e->began = now;
	e->shut = false;
	ramp_slope_begin(s, p, RAMP_UP, level, RAMP_STEP_WHOLE, ramp_waiting(e),
			 now);
	ramp_slope_drain(s, p);
	s->hold = 0;
	s->base = level;
	s->level = level;
	s->left = left;
	s->waited = true;
	if (was->dir != RAMP_SLEW)
		s->tick_end = was->tick_end;
	e->ops->narrow(e, true);
}

/* What the gate has held back does not leave in one jump because nobody wants a
 * ramp any more. The slew limiter goes on until nothing waits.
 */
static void ramp_let_go(struct ramp_engine *e,
			const struct ramp_slope_params *old)
{
	const struct ramp_slope_params *p = &e->plan.slope;
	struct ramp_slope_params room;

	/* The steps are those that were, where there are none any more. */
	if (e->plan.dormant) {
		e->plan.slope = *old;
		e->plan.slew.tick = 0;
	}
	if (!ramp_waiting(e)) {
		ramp_stop(e, e->now);
	} else if (ramp_is_slewing(e)) {
		e->leaving = true;
		ramp_slew_change(e->slew, old,
				 ramp_slew_params(e, &e->plan, &room),
				 ramp_mtu(e->sch), e->now);
		ramp_slew_open(e);
	} else {
		ramp_slope_change(&e->slope, old, p, ramp_mtu(e->sch));
		ramp_slope_drain(&e->slope, p);
	}
}

/* The slew limiter takes over from a ramp, at the level that was reached. What
 * a tick of the ramp allows leaves at its begin, and is for all of the tick.
 */
static void ramp_slew_take_over(struct ramp_engine *e,
				const struct ramp_slope_params *old)
{
	const struct ramp_slope_params *p = &e->plan.slope;
	u64 level = ramp_slope_reach(&e->slope), used = e->slope.used, rest = 0;
	u32 mean = ramp_slope_mean(&e->slope) ?: ramp_mtu(e->sch);

	if (e->slope.tick_end > e->now)
		rest = min(e->slope.tick_end - e->now, old->tick);
	used = min(used, mul_u64_u64_div_u64(level, rest, old->tick));
	level = ramp_slope_rescale(level, old, p);
	if (old->packets != p->packets) {
		level = ramp_slope_convert(level, mean, p->packets);
		used = ramp_slope_convert(used, mean, p->packets);
	}
	ramp_stop(e, e->now);
	ramp_slew_start(e, level);
	if (used)
		ramp_slew_owe(e->slew, used);
}

/* Where the limiter begins while the gate is open. Without a detector nobody
 * has looked since the gate was opened for good, and @level, what left per tick
 * in all that time, says nothing of now. A tick will tell, so it is not to be a
 * long one.
 */
static u64 ramp_slew_from(const struct ramp_engine *e,
			  const struct ramp_plan *old, u64 level)
{
	const struct ramp_slope_params *p = &e->plan.slope;

	if (old->watch_level || old->watch_ingress || !p->full ||
	    p->tick > RAMP_SLEW_GUESS)
		return level;
	return p->packets ?
		ramp_slope_convert(p->full, ramp_mtu(e->sch), true) : p->full;
}

/* A ramp and the slew limiter have nothing in common but the gate. @level is
 * what passed it per tick.
 */
static void ramp_slope_follow(struct ramp_engine *e,
			      const struct ramp_plan *old, u64 level)
{
	const struct ramp_plan *plan = &e->plan;
	const struct ramp_slope_params *was;
	struct ramp_slope_params room;

	was = ramp_slew_params(e, old, &room);
	if (ramp_is_slewing(e) && plan->always) {
		ramp_slew_change(e->slew, was, &plan->slope,
				 ramp_mtu(e->sch), e->now);
		ramp_slew_open(e);
		e->leaving = false;
	} else if (ramp_is_slewing(e)) {
		ramp_let_go(e, was);
	} else if (plan->always && e->slope.dir) {
		ramp_slew_take_over(e, &old->slope);
	} else if (plan->always) {
		ramp_slew_start(e, ramp_slew_from(e, old, level));
	} else if (e->slope.dir && !plan->watch_level && !plan->watch_ingress) {
		ramp_let_go(e, &old->slope);
	} else if (e->slope.dir) {
		ramp_slope_change(&e->slope, &old->slope, &plan->slope,
				  ramp_mtu(e->sch));
	}
}

/**
 * ramp_engine_change - other parameters are in force, or others are counted
 * @e: engine, brought up to the present
 * @plan: the parameters
 * @level: per tick, what left while the gate was open, in their unit
 * @changed: what is seen now is not what was seen before
 *
 * A running ramp goes on from the level it has reached.
 *
 * Context: RTNL and lock of the engine.
 */
void ramp_engine_change(struct ramp_engine *e, const struct ramp_plan *plan,
			u64 level, u32 changed)
{
	struct ramp_plan old = e->plan;

	e->plan = *plan;
	ramp_slope_follow(e, &old, level);
	ramp_detect_change(e, &old, changed, e->now);
}

/**
 * ramp_engine_state - what the gate is doing
 * @e: engine, brought up to the present
 *
 * Context: lock of the engine.
 *
 * Return: enum ramp_state
 */
u32 ramp_engine_state(const struct ramp_engine *e)
{
	if (e->slope.dir == RAMP_UP ||
	    (ramp_is_slewing(e) && e->shut))
		return RAMP_STATE_UP;
	if (e->slope.dir == RAMP_DOWN)
		return RAMP_STATE_DOWN;
	if (e->plan.dormant)
		return RAMP_STATE_DORMANT;
	if (e->now <= max(e->monitor_end[RAMP_UP], e->monitor_end[RAMP_DOWN]))
		return RAMP_STATE_MONITORING;
	return RAMP_STATE_IDLE;
}
