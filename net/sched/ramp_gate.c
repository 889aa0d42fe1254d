// SPDX-License-Identifier: GPL-2.0
/*
 * The gate: a ramp begins, moves on tick by tick, and ends; packets pass while
 * the tick has room. Everything here runs under the root lock, in softirq or
 * with bottom halves off.
 */

#include <linux/ktime.h>

#include "ramp.h"

#define CREATE_TRACE_POINTS
#include <trace/events/ramp.h>

/**
 * ramp_tell_surge - to those who trace, and those who listen
 * @sch: ramp qdisc
 * @dir: RAMP_UP or RAMP_DOWN
 * @source: which detector
 * @act: what became of it
 * @took: ns, in which the level crossed
 * @now: ns
 *
 * Context: root lock.
 */
void ramp_tell_surge(struct Qdisc *sch, enum ramp_dir dir,
		     enum ramp_source source, enum ramp_act act, u64 took,
		     u64 now)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);

	trace_ramp_surge(sch, dir, source, act, took, q->waiting);
	ramp_event_surge(sch, dir, source, act, took, now);
}

static void ramp_stop(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->slope.dir != RAMP_SLEW)
		q->ramp_ns += now - q->began;
	q->slope.dir = RAMP_NONE;
	q->narrow = false;
	q->shut = false;
	q->held = false;
	ramp_level_unfollow(sch);
}

static void ramp_done(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	q->ramps_done++;
	ramp_event_done(sch, now - q->began, now);
	ramp_stop(sch, now);
}

static void ramp_begin(struct Qdisc *sch, enum ramp_dir dir, u64 took, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_slope_params *p = &q->law.slope;
	u64 level;

	if (q->slope.dir) {
		q->ramps_turned++;
		level = ramp_slope_reach(&q->slope);
	} else {
		q->ramps++;
		q->began = now;
		q->shut = false;
		level = ramp_open_level(sch, p, now);
	}
	ramp_slope_begin(&q->slope, p, dir, level,
			 ramp_slope_part(took, p->window), q->waiting, now);
	q->narrow = true;
	ramp_level_follow(sch, now);
}

/* A tick of the present ramp, or of the slew limiter, is over. */
static u64 ramp_advance(struct ramp_sched_data *q, u64 now)
{
	if (q->slope.dir == RAMP_SLEW)
		return ramp_slew_advance(&q->slope, &q->law.slope, now);
	return ramp_slope_advance(&q->slope, &q->law.slope, now);
}

/* Moves the ramp on to the tick that is due. */
static void ramp_tick(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_slope_params *p = &q->law.slope;
	struct ramp_slope was;
	u64 over;

	if (!q->slope.dir || now < q->slope.tick_end)
		return;

	was = q->slope;
	over = ramp_advance(q, now);
	/* A limiter that nobody needs has no ticks. */
	if (q->slope.dir != RAMP_SLEW || q->shut)
		q->ticks += over;
	else
		q->ticks++;
	if (q->shut)
		q->ticks_late += over - 1;
	q->shut = false;
	trace_ramp_tick(sch, was.dir, was.index, was.allowance, was.paid,
			was.used, over, p->packets);

	if (q->slope.dir == RAMP_SLEW)
		return;
	if (!q->slope.dir) {
		ramp_done(sch, q->slope.tick_end);
	} else if (ramp_level_settled(sch, now)) {
		ramp_done(sch, now);
	} else if (q->slope.dir == RAMP_DOWN &&
		   ramp_slope_stalled(&q->slope, p, q->waiting, now)) {
		ramp_expect_self(q, now);
		ramp_begin(sch, RAMP_UP, p->window, now);
		ramp_tell_surge(sch, RAMP_UP, RAMP_SOURCE_STALL, RAMP_ACT_TURN,
				p->window, now);
	}
}

/**
 * ramp_surge - a detector saw one
 * @sch: ramp qdisc
 * @dir: RAMP_UP or RAMP_DOWN
 * @source: which detector
 * @took: ns, in which the level crossed
 * @now: ns
 *
 * Context: root lock.
 */
void ramp_surge(struct Qdisc *sch, enum ramp_dir dir, enum ramp_source source,
		u64 took, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	enum ramp_act act;

	/* A ramp without packets may be over, and nobody has noticed. */
	ramp_tick(sch, now);

	if (dir == RAMP_UP) {
		q->surges_up++;
		ramp_expect_self(q, now);
	} else {
		q->surges_down++;
	}

	if (dir == RAMP_DOWN && !q->waiting) {
		q->down_empty++;
		act = RAMP_ACT_EMPTY;
	} else if (q->slope.dir == dir) {
		act = RAMP_ACT_RUNNING;
	} else {
		act = q->slope.dir ? RAMP_ACT_TURN : RAMP_ACT_RAMP;
		ramp_begin(sch, dir, took, now);
	}
	ramp_tell_surge(sch, dir, source, act, took, now);
}

/**
 * ramp_gate_pass - may a packet leave now, while the gate is narrow?
 * @sch: ramp qdisc with a running ramp
 * @skb: the first packet of a band that is not exempt
 *
 * Context: root lock.
 *
 * Return: true when it may: no ramp runs any more, or the tick has room.
 * Otherwise the timer is started.
 */
bool ramp_gate_pass(struct Qdisc *sch, const struct sk_buff *skb)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u64 now;

	/* The timer opens it. */
	if (q->shut)
		return false;

	now = ktime_get_ns();
	q->now = now;
	ramp_slots_roll(sch, now);
	ramp_tick(sch, now);
	if (!q->slope.dir)
		return true;

	if (ramp_slope_admit(&q->slope, &q->law.slope, qdisc_pkt_len(skb),
			     qdisc_pkt_segs(skb)))
		return true;

	q->shut = true;
	if (!q->held) {
		q->held = true;
		q->delayed++;
	}
	qdisc_qstats_overlimit(sch);
	ramp_arm(sch);
	return false;
}

/**
 * ramp_gate_charge - a packet that passed the gate is handed over
 * @sch: ramp qdisc with a running ramp, the packet no longer in its band
 * @skb: the packet
 *
 * Context: root lock.
 */
void ramp_gate_charge(struct Qdisc *sch, const struct sk_buff *skb)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_slope *s = &q->slope;

	q->held = false;
	ramp_slope_charge(&q->slope, &q->law.slope, qdisc_pkt_len(skb),
			  qdisc_pkt_segs(skb));
	if (s->dir == RAMP_DOWN && !q->waiting) {
		trace_ramp_tick(sch, s->dir, s->index, s->allowance, s->paid,
				s->used, 0, q->law.slope.packets);
		ramp_done(sch, q->now);
	}
}

/**
 * ramp_gate_lost - packets are gone, but not through the gate
 * @sch: ramp qdisc
 *
 * Those that a down ramp waited for may have been among them.
 *
 * Context: root lock.
 */
void ramp_gate_lost(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->slope.dir == RAMP_DOWN && !q->waiting) {
		q->now = ktime_get_ns();
		ramp_done(sch, q->now);
	}
	ramp_level_check(sch);
}

/**
 * ramp_gate_sync - bring the ramp up to the present, for those who look at it
 * @sch: ramp qdisc
 *
 * A ramp without packets moves on only when somebody asks.
 *
 * Context: root lock.
 */
void ramp_gate_sync(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	q->now = ktime_get_ns();
	ramp_tick(sch, q->now);
}

/**
 * ramp_timer_due - the timer fired: a tick or a slot is over, or a peer may be
 * @sch: ramp qdisc
 *
 * Context: root lock.
 */
void ramp_timer_due(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	/* Before ramp_arm() looks whether the timer runs. */
	smp_store_mb(q->fired, false);
	q->now = ktime_get_ns();
	ramp_slots_roll(sch, q->now);
	ramp_tick(sch, q->now);
	ramp_peer_timer(sch, q->now);
	ramp_arm(sch);
}

static void ramp_slew_start(struct Qdisc *sch, u64 level)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!q->law.always)
		return;
	ramp_slew_begin(&q->slope, &q->law.slope, level, q->now);
	q->narrow = true;
}

/**
 * ramp_gate_init - no packets, no ramp, nothing seen
 * @sch: ramp qdisc
 *
 * Context: root lock, or before the qdisc is in use.
 */
void ramp_gate_init(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ramp_gate_sync(sch);
	if (q->slope.dir)
		ramp_stop(sch, q->now);
	q->shut = false;
	q->held = false;
	ramp_detect_init(sch);
	ramp_slew_start(sch, 0);
}

/* A ramp and the slew limiter have nothing in common but the gate. @level is
 * what passed it per tick.
 */
static void ramp_slope_follow(struct Qdisc *sch, const struct ramp_law *old,
			      u64 level)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_law *law = &q->law;

	if (q->slope.dir == RAMP_SLEW && law->always) {
		ramp_slew_change(&q->slope, &old->slope, &law->slope,
				 ramp_mtu(sch));
	} else if (q->slope.dir == RAMP_SLEW) {
		ramp_stop(sch, q->now);
	} else if (law->always) {
		if (q->slope.dir)
			ramp_stop(sch, q->now);
		ramp_slew_start(sch, level);
	} else if (q->slope.dir && !law->watch_level && !law->watch_ingress) {
		ramp_stop(sch, q->now);
	} else if (q->slope.dir) {
		ramp_slope_change(&q->slope, &old->slope, &law->slope,
				  ramp_mtu(sch));
	}
}

/**
 * ramp_gate_change - put new parameters in force
 * @sch: ramp qdisc
 * @law: the parameters
 *
 * A running ramp goes on from the level it has reached, with nothing lost.
 *
 * Context: RTNL and root lock.
 */
void ramp_gate_change(struct Qdisc *sch, const struct ramp_law *law)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_law old = q->law;
	u32 waited = ramp_level(q);
	u64 now, level;
	bool moved;

	ramp_gate_sync(sch);
	now = q->now;
	/* As long as all bands have their counters. */
	level = ramp_open_level(sch, &law->slope, now);
	ramp_bands_change(sch, law->bands);
	q->law = *law;
	sch->limit = law->limit;
	ramp_bands_mark(sch);

	moved = ramp_level(q) != waited;
	ramp_slope_follow(sch, &old, level);
	ramp_detect_change(sch, &old, moved, now);
	ramp_peer_change(sch, now);
	ramp_gate_lost(sch);

	/* The gate may have opened, or a slot may end earlier. */
	q->shut = false;
	if (q->waiting || q->meter.running || q->rolling)
		ramp_timer_start(sch, now);
}
