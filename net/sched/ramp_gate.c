// SPDX-License-Identifier: GPL-2.0
/*
 * The detectors and the gate: gives the laws of include/net/ramp/ a clock, a
 * timer and the packets. Everything here runs under the root lock, in softirq
 * or with bottom halves off.
 *
 * Document 000, FIG. 5: the arrivals are monitored (503), found to change too
 * fast (506), the queue is monitored for a time (509), found to change too fast
 * (512), and the packets leave in steps (515). Modes ingress and queue go from
 * 506 or 512 alone to 515.
 */

#include <linux/ktime.h>

#include "ramp.h"

#define CREATE_TRACE_POINTS
#include <trace/events/ramp.h>

static void ramp_mark_now(struct Qdisc *sch, struct ramp_mark *mark, u64 now)
{
	mark->time = now;
	mark->bytes = u64_stats_read(&sch->bstats.bytes);
	mark->pkts = u64_stats_read(&sch->bstats.packets);
}

static void ramp_mark(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	q->mark[1] = q->mark[0];
	ramp_mark_now(sch, &q->mark[0], now);
}

/* What leaves per tick while the gate is open, in the unit of the amounts. */
static u64 ramp_open_level(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_slope_params *p = &q->law.slope;
	const struct ramp_mark *since = &q->mark[0];
	struct ramp_mark mark;
	u64 bytes, pkts, span;

	/* Two marks can be as close as two packets. */
	if (now - since->time < min(p->tick, p->window / RAMP_SLOTS))
		since = &q->mark[1];
	span = max_t(u64, now - since->time, NSEC_PER_USEC);

	ramp_mark_now(sch, &mark, now);
	bytes = mul_u64_u64_div_u64(mark.bytes - since->bytes, p->tick, span);
	pkts = mul_u64_u64_div_u64(mark.pkts - since->pkts, p->tick, span);
	if (p->full && bytes > p->full) {
		pkts = mul_u64_u64_div_u64(pkts, p->full, bytes);
		bytes = p->full;
	}
	return p->packets ? pkts : bytes;
}

static void ramp_arm(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u64 when = U64_MAX;

	if (q->meter.running)
		when = ramp_meter_end(&q->meter, &q->law.ingress);
	if (q->shut)
		when = min_t(u64, when, q->slope.tick_end);
	if (when == U64_MAX)
		return;

	qdisc_watchdog_schedule_range_ns(&q->watchdog, when, 0);
}

static void ramp_stop(struct ramp_sched_data *q, u64 now)
{
	q->slope.dir = RAMP_NONE;
	q->shut = false;
	q->held = false;
	q->ramp_ns += now - q->began;
}

static void ramp_done(struct ramp_sched_data *q, u64 now)
{
	q->ramps_done++;
	ramp_stop(q, now);
}

static void ramp_begin(struct Qdisc *sch, enum ramp_dir dir, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u64 level;

	if (q->slope.dir) {
		q->ramps_turned++;
		level = ramp_slope_reach(&q->slope);
	} else {
		q->ramps++;
		q->began = now;
		q->shut = false;
		level = ramp_open_level(sch, now);
	}
	ramp_slope_begin(&q->slope, &q->law.slope, dir, level, q->waiting, now);
}

/* From here on the queue may hold what a ramp keeps waiting. */
static void ramp_expect_self(struct ramp_sched_data *q, u64 now)
{
	q->self = q->law.watch_queue;
	q->self_low = q->queue.zone == RAMP_ZONE_LOW ? now : 0;
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
	over = ramp_slope_advance(&q->slope, p, now);
	q->ticks += over;
	if (q->shut)
		q->ticks_late += over - 1;
	q->shut = false;
	trace_ramp_tick(sch, was.dir, was.index, was.allowance, was.paid,
			was.used, over, p->packets);

	if (!q->slope.dir) {
		ramp_done(q, q->slope.tick_end);
	} else if (q->slope.dir == RAMP_DOWN &&
		   ramp_slope_stalled(&q->slope, p, q->waiting, now)) {
		ramp_expect_self(q, now);
		ramp_begin(sch, RAMP_UP, now);
		trace_ramp_surge(sch, RAMP_UP, RAMP_SOURCE_STALL, RAMP_ACT_TURN,
				 p->window, q->waiting);
	}
}

static void ramp_surge(struct Qdisc *sch, enum ramp_dir dir,
		       enum ramp_source source, u64 took, u64 now)
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
		ramp_begin(sch, dir, now);
	}
	trace_ramp_surge(sch, dir, source, act, took, q->waiting);
}

/* Is this fall of the queue the end of what a ramp had held back? It is until
 * a window after the queue was next low.
 */
static bool ramp_is_self(struct ramp_sched_data *q, u64 now)
{
	if (q->self && q->self_low && now - q->self_low > q->law.queue.window)
		q->self = false;
	return q->self;
}

/**
 * ramp_queue_moved - the packets waiting left their zone
 * @sch: ramp qdisc that watches its queue
 *
 * Context: root lock.
 */
void ramp_queue_moved(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u64 now = ktime_get_ns();
	enum ramp_dir dir;
	bool self;

	dir = ramp_edge_update(&q->queue, &q->law.queue, q->waiting, now);
	self = ramp_is_self(q, now);
	if (self && !q->self_low && q->queue.zone == RAMP_ZONE_LOW)
		q->self_low = now;

	q->unjudged = RAMP_NONE;
	if (dir == RAMP_DOWN && self) {
		q->surges_self++;
		trace_ramp_surge(sch, dir, RAMP_SOURCE_QUEUE, RAMP_ACT_SELF,
				 q->queue.took, q->waiting);
	} else if (dir && q->law.monitored &&
		   now > q->monitor_end[dir]) {
		q->unjudged = dir;
	} else if (dir) {
		ramp_surge(sch, dir, RAMP_SOURCE_QUEUE, q->queue.took, now);
	}
	ramp_mark(sch, now);
}

/* FIG. 5, 506 to 509. The queue may have got there first: arrivals are known a
 * slot later than the queue that they make.
 */
static void ramp_monitor(struct Qdisc *sch, enum ramp_dir dir, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u64 left = dir == RAMP_UP ? q->queue.left_low : q->queue.left_high;

	q->monitor_end[dir] = now + q->law.monitor;
	trace_ramp_surge(sch, dir, RAMP_SOURCE_INGRESS, RAMP_ACT_MONITOR,
			 q->meter.edge.took, q->waiting);

	if (q->unjudged != dir || now - left > q->law.queue.window)
		return;
	q->unjudged = RAMP_NONE;
	ramp_surge(sch, dir, RAMP_SOURCE_QUEUE, q->queue.took, now);
}

static void ramp_ingress_surge(struct Qdisc *sch, enum ramp_dir dir, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->law.monitored)
		ramp_monitor(sch, dir, now);
	else
		ramp_surge(sch, dir, RAMP_SOURCE_INGRESS, q->meter.edge.took,
			   now);
}

/**
 * ramp_ingress_rose - more arrived in this slot than its zone allows
 * @sch: ramp qdisc that measures its arrivals
 *
 * Context: root lock.
 */
void ramp_ingress_rose(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_edge_params *p = &q->law.ingress;
	enum ramp_dir dir;
	u64 now = 0;

	if (ramp_meter_need_clock(&q->meter, p))
		now = ktime_get_ns();
	dir = ramp_meter_rise(&q->meter, p, now);
	if (dir)
		ramp_ingress_surge(sch, dir, now);
}

static void ramp_slot_roll(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_edge_params *p = &q->law.ingress;
	enum ramp_dir dir;

	if (!q->meter.running || now < ramp_meter_end(&q->meter, p))
		return;

	dir = ramp_meter_roll(&q->meter, p, now);
	if (dir)
		ramp_ingress_surge(sch, dir, now);
	ramp_mark(sch, now);
}

/**
 * ramp_slot_due - the watchdog fired or was not armed, or no slot is open
 * @sch: ramp qdisc that measures its arrivals
 * @arriving: a packet is about to be added to the slot
 *
 * Context: root lock.
 */
void ramp_slot_due(struct Qdisc *sch, bool arriving)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u64 now = ktime_get_ns();

	ramp_slot_roll(sch, now);
	if (!q->meter.running && arriving)
		ramp_meter_start(&q->meter, now);

	/* A tick that is over by now is for ramp_gate_pass() to see. */
	if (!q->shut || now < q->slope.tick_end)
		ramp_arm(sch);
}

/**
 * ramp_gate_pass - may the head of the queue leave while a ramp runs?
 * @sch: ramp qdisc with a running ramp and at least one packet
 *
 * Context: root lock.
 *
 * Return: true when it may: no ramp runs any more, the tick has room, or a
 * parent was promised the packet. Otherwise the watchdog is armed.
 */
bool ramp_gate_pass(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct sk_buff *skb;
	u64 now;

	if (q->shut && !q->promised && !ramp_watchdog_idle(q))
		return false;

	now = ktime_get_ns();
	q->now = now;
	ramp_slot_roll(sch, now);
	ramp_tick(sch, now);
	if (!q->slope.dir)
		return true;

	skb = qdisc_peek_head(sch);
	if (q->promised ||
	    ramp_slope_admit(&q->slope, &q->law.slope, qdisc_pkt_len(skb),
			     qdisc_pkt_segs(skb))) {
		q->shut = false;
		return true;
	}

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
 * ramp_gate_charge - a packet that ramp_gate_pass() let pass is handed over
 * @sch: ramp qdisc with a running ramp, the packet no longer in its queue
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
		ramp_done(q, q->now);
	}
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
		ramp_stop(q, q->now);
	ramp_meter_init(&q->meter, &q->law.ingress);
	ramp_edge_init(&q->queue, &q->law.queue, 0);
	q->shut = false;
	q->held = false;
	q->promised = false;
	q->self = false;
	q->unjudged = RAMP_NONE;
	memset(q->monitor_end, 0, sizeof(q->monitor_end));
}

static bool ramp_edge_same(const struct ramp_edge_params *a,
			   const struct ramp_edge_params *b)
{
	return a->low == b->low && a->high == b->high && a->window == b->window;
}

/**
 * ramp_gate_change - put new parameters in force
 * @sch: ramp qdisc
 * @law: the parameters
 *
 * A running ramp goes on from the level it has reached, with nothing lost. A
 * detector whose thresholds did not change keeps what it has seen.
 *
 * Context: root lock.
 */
void ramp_gate_change(struct Qdisc *sch, const struct ramp_law *law)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_law old = q->law;
	u64 now;

	ramp_gate_sync(sch);
	now = q->now;
	q->law = *law;

	if (q->slope.dir && !law->watch_queue && !law->watch_ingress)
		ramp_stop(q, now);
	else if (q->slope.dir)
		ramp_slope_change(&q->slope, &old.slope, &q->law.slope,
				  ramp_mtu(sch));

	if (!old.watch_queue || !ramp_edge_same(&old.queue, &law->queue)) {
		ramp_edge_init(&q->queue, &law->queue, q->waiting);
		q->unjudged = RAMP_NONE;
		/* What waits now may be what the ramp has held back. */
		if (q->slope.dir || (q->self && !q->self_low))
			ramp_expect_self(q, now);
	}
	if (!law->watch_ingress)
		ramp_meter_init(&q->meter, &law->ingress);
	else if (!old.watch_ingress || old.pps != law->pps)
		ramp_meter_change(&q->meter, &law->ingress, true, now);
	else if (!ramp_edge_same(&old.ingress, &law->ingress))
		ramp_meter_change(&q->meter, &law->ingress, false, now);
	if (!law->monitored)
		memset(q->monitor_end, 0, sizeof(q->monitor_end));

	/* The gate may have opened, or a slot may end earlier. */
	q->shut = false;
	if (q->waiting || q->meter.running)
		qdisc_watchdog_schedule_range_ns(&q->watchdog, now, 0);
}
