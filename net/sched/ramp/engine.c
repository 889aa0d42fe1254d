// SPDX-License-Identifier: GPL-2.0
/*
 * The ramp itself: it begins, moves on tick by tick, turns round and ends.
 *
 * An engine is the detectors, a ramp and its allowance, of whoever shares them.
 * Everything here runs under its lock, in softirq or with bottom halves off.
 */

#include <linux/ktime.h>
#include <net/ramp/slope_change.h>

#include "ramp.h"

#define CREATE_TRACE_POINTS
#include <trace/events/ramp.h>

/* A ramp looks at what the detectors see, and they make ramps. */
static void ramp_level_follow(struct ramp_engine *e, u64 now);
static void ramp_level_unfollow(struct ramp_engine *e);
static bool ramp_level_settled(struct ramp_engine *e, u64 now);
static void ramp_expect_self(struct ramp_engine *e, u64 now);
static void ramp_detect_init(struct ramp_engine *e);

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
static void ramp_mark(struct ramp_engine *e, u64 now)
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
static void ramp_tell_surge(struct ramp_engine *e, enum ramp_dir dir,
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

/**
 * ramp_slew_gap - the shortest sleep of somebody whom the slew limiter refuses
 * @e: engine
 *
 * Where many ask, they are not to be woken all the time.
 *
 * Context: lock of the engine.
 *
 * Return: ns
 */
u64 ramp_slew_gap(const struct ramp_engine *e)
{
	return min_t(u64, e->plan.slope.tick, e->users * (RAMP_SLEW_REST / 4));
}

/**
 * ramp_slew_params - the parameters of the slew limiter
 * @e: engine
 * @room: for what it returns when the limiter goes on although `always` is not
 *	in force
 *
 * The parameters that are in force then have the ticks of ramps, which are
 * shorter.
 *
 * Context: lock of the engine.
 *
 * Return: parameters, perhaps @room
 */
const struct ramp_slope_params *ramp_slew_params(const struct ramp_engine *e,
						 struct ramp_slope_params *room)
{
	if (!e->leaving)
		return &e->plan.slope;
	*room = e->plan.slope;
	ramp_slew_stretch(room, ramp_mtu(e->sch));
	return room;
}

/* Reads what has left, and says what may. */
static bool ramp_slew_judge(struct ramp_engine *e, u64 now)
{
	struct ramp_slope_params room;
	const struct ramp_slope_params *p = ramp_slew_params(e, &room);
	struct ramp_slew *s = e->slew;
	u64 used = s->granted - s->budget, late = 0, wake = s->wake;
	bool open;

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
static void ramp_surge(struct ramp_engine *e, enum ramp_dir dir,
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
	ramp_slew_begin(e->slew, &e->plan.slope, level, ramp_slew_gap(e),
			e->now);
	ramp_slew_open(e);
	e->ops->narrow(e, true);
}

/**
 * ramp_engine_init - no packets, no ramp, nothing seen
 * @e: engine
 *
 * Context: lock of the engine, or before it is in use.
 */
void ramp_engine_init(struct ramp_engine *e)
{
	if (e->slope.dir)
		ramp_stop(e, e->now);
	e->shut = false;
	e->slew->budget = RAMP_SLEW_OPEN;
	ramp_detect_init(e);
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
	if (e->plan.dormant)
		e->plan.slope = *old;
	if (!ramp_waiting(e)) {
		ramp_stop(e, e->now);
	} else if (ramp_is_slewing(e)) {
		e->leaving = true;
		ramp_slew_change(e->slew, old, ramp_slew_params(e, &room),
				 ramp_mtu(e->sch), ramp_slew_gap(e), e->now);
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

	if (e->slope.tick_end > e->now)
		rest = min(e->slope.tick_end - e->now, old->tick);
	used = min(used, mul_u64_u64_div_u64(level, rest, old->tick));
	level = ramp_slope_rescale(level, old, p);
	if (old->packets != p->packets) {
		level = ramp_slope_convert(level, ramp_mtu(e->sch), p->packets);
		used = ramp_slope_convert(used, ramp_mtu(e->sch), p->packets);
	}
	ramp_stop(e, e->now);
	ramp_slew_start(e, level);
	if (used)
		ramp_slew_owe(e->slew, used);
}

/* A ramp and the slew limiter have nothing in common but the gate. @level is
 * what passed it per tick.
 */
static void ramp_slope_follow(struct ramp_engine *e,
			      const struct ramp_plan *old, u64 level)
{
	const struct ramp_plan *plan = &e->plan;
	struct ramp_slope_params was = old->slope;

	if (e->leaving)
		ramp_slew_stretch(&was, ramp_mtu(e->sch));
	if (ramp_is_slewing(e) && plan->always) {
		ramp_slew_change(e->slew, &was, &plan->slope,
				 ramp_mtu(e->sch), ramp_slew_gap(e), e->now);
		ramp_slew_open(e);
		e->leaving = false;
	} else if (ramp_is_slewing(e)) {
		ramp_let_go(e, &was);
	} else if (plan->always && e->slope.dir) {
		ramp_slew_take_over(e, &old->slope);
	} else if (plan->always) {
		ramp_slew_start(e, level);
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

/*
 * The detectors: give the laws of include/net/ramp/ a clock, a timer and the
 * packets.
 *
 * US 2025/0260650, FIG. 5: the arrivals are monitored (503), found to change
 * too fast (506), the queue is monitored for a time (509), found to change too
 * fast (512), and the packets leave in steps (515). Modes ingress, queue and
 * members go from 506 or 512 alone to 515.
 */

static bool ramp_level_low(const struct ramp_engine *e)
{
	return ramp_engine_level(e) <= e->plan.level.low;
}

/* Arrivals that have stopped have settled after a window, and until then
 * nothing else would see that the ramp is over.
 */
static bool ramp_silence_settles(const struct ramp_engine *e)
{
	return e->plan.cease_settled && !e->plan.watch_level && e->slope.dir &&
	       !e->meter->running;
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

/* With a trail, each new extreme of its slot is news; it wants no clock. */
static void ramp_level_bounds(struct ramp_engine *e)
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
static void ramp_level_follow(struct ramp_engine *e, u64 now)
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
static void ramp_level_unfollow(struct ramp_engine *e)
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
static bool ramp_level_settled(struct ramp_engine *e, u64 now)
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
static void ramp_expect_self(struct ramp_engine *e, u64 now)
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

	if (ramp_meter_need_clock(e->meter, p))
		now = ktime_get_ns();
	dir = ramp_meter_rise(e->meter, p, now);
	if (dir)
		ramp_ingress_surge(e, dir, now);
}

/* Where nobody watches what arrives, it never leaves its bounds. */
static void ramp_detect_bound(struct ramp_engine *e)
{
	if (!e->plan.watch_ingress)
		e->meter->edge.max = U64_MAX;
	ramp_bound(e);
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

/**
 * ramp_detect_init - nothing waits, nothing was seen
 * @e: engine
 *
 * Context: lock of the engine, or before the qdisc is in use.
 */
static void ramp_detect_init(struct ramp_engine *e)
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
 * sees other bands now: that is no surge.
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
	else if (!old->watch_ingress || old->pps != plan->pps)
		ramp_meter_change(e->meter, &plan->ingress, true, now);
	else if (changed & RAMP_CHANGED_EXEMPT ||
		 !ramp_edge_same(&old->ingress, &plan->ingress))
		ramp_meter_change(e->meter, &plan->ingress, false, now);
	if (!plan->monitored)
		memset(e->monitor_end, 0, sizeof(e->monitor_end));
	ramp_detect_bound(e);
}
