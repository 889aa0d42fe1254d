// SPDX-License-Identifier: GPL-2.0
/*
 * The detectors: give the laws of include/net/ramp/ a clock, a timer and the
 * packets. Everything here runs under the root lock, in softirq or with bottom
 * halves off.
 *
 * Document 000, FIG. 5: the arrivals are monitored (503), found to change too
 * fast (506), the queue is monitored for a time (509), found to change too fast
 * (512), and the packets leave in steps (515). Modes ingress, queue and members
 * go from 506 or 512 alone to 515.
 */

#include <linux/ktime.h>

#include "ramp.h"

/* What passed the gate until now, and so nothing that is exempt. */
static void ramp_mark_now(struct Qdisc *sch, struct ramp_mark *mark, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_band *b;
	u32 exempt;

	mark->time = now;
	mark->bytes = u64_stats_read(&sch->bstats.bytes);
	mark->pkts = u64_stats_read(&sch->bstats.packets);
	for (exempt = q->law.exempt; exempt; exempt &= exempt - 1) {
		b = &q->band[__ffs(exempt)];
		mark->bytes -= u64_stats_read(&b->bstats.bytes);
		mark->pkts -= u64_stats_read(&b->bstats.packets);
	}
}

static void ramp_mark(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	q->mark[1] = q->mark[0];
	ramp_mark_now(sch, &q->mark[0], now);
}

/**
 * ramp_open_level - what leaves per tick while the gate is open
 * @sch: ramp qdisc
 * @p: parameters that have the tick, and the unit of the answer
 * @now: ns
 *
 * Context: root lock.
 *
 * Return: per tick, in the unit of the amounts
 */
u64 ramp_open_level(struct Qdisc *sch, const struct ramp_slope_params *p,
		    u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_mark *since = &q->mark[0];
	struct ramp_mark mark;
	u64 bytes, pkts, span;

	/* Two marks can be as close as two packets. */
	if (now - since->time < min(p->tick, p->window / RAMP_SLOTS))
		since = &q->mark[1];
	span = max_t(u64, now - since->time, NSEC_PER_USEC);

	/* A size table (tc-stab(8)) can make more of it than the quotient of a
	 * division may be.
	 */
	ramp_mark_now(sch, &mark, now);
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

static bool ramp_level_low(const struct ramp_sched_data *q)
{
	return ramp_level(q) <= q->law.level.low;
}

/* Arrivals that have stopped have settled after a window, and until then nothing
 * else would see that the ramp is over.
 */
static bool ramp_silence_settles(const struct ramp_sched_data *q)
{
	return q->law.cease_settled && !q->law.watch_level && q->slope.dir &&
	       !q->meter.running;
}

static enum ramp_source ramp_level_source(const struct ramp_sched_data *q)
{
	return q->law.members ? RAMP_SOURCE_MEMBERS : RAMP_SOURCE_QUEUE;
}

/**
 * ramp_arm - start the timer for what ends next: a tick, a slot, or a wait
 * @sch: ramp qdisc
 *
 * Context: root lock.
 */
void ramp_arm(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u64 when = U64_MAX;

	if (q->meter.running)
		when = ramp_meter_end(&q->meter, &q->law.ingress);
	else if (ramp_silence_settles(q))
		when = max(q->meter.slot_start + q->law.ingress.window,
			   q->slope.tick_end);
	if (q->rolling)
		when = min_t(u64, when,
			     q->slot_start + ramp_edge_slot(&q->law.level));
	if (q->shut)
		when = min_t(u64, when, q->slope.tick_end);
	when = min(when, ramp_peer_when(q));
	if (when == U64_MAX)
		return;

	ramp_timer_start(sch, when);
}

/* With a trail, each new extreme of its slot is news; it wants no clock. */
static void ramp_level_bounds(struct ramp_sched_data *q)
{
	const struct ramp_trail *t = &q->level.trail;

	q->top = U64_MAX;
	q->bottom = 0;
	if (q->law.watch_level) {
		q->top = q->level.max;
		q->bottom = q->level.min;
	}
	if (q->law.watch_level && q->trailing) {
		q->top = min_t(u64, q->top, t->max[t->at]);
		q->bottom = max_t(u64, q->bottom, t->min[t->at]);
	}
	ramp_stop_set(q);
}

static void ramp_level_roll(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_trail *t = &q->level.trail;
	u64 slot = ramp_edge_slot(&q->law.level);
	u64 slots;

	if (!q->rolling || now < q->slot_start + slot)
		return;

	slots = div64_u64(now - q->slot_start, slot);
	q->slot_start += slots * slot;
	ramp_edge_roll(&q->level, &q->law.level, ramp_level(q), slots);
	/* A level that rests needs no timer until it moves. */
	if (t->known == RAMP_SLOTS && t->low == t->high)
		q->rolling = false;
	ramp_level_bounds(q);
}

static void ramp_level_time(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->rolling)
		return;
	q->rolling = true;
	q->slot_start = now;
	ramp_arm(sch);
}

/**
 * ramp_level_follow - a ramp begins, and ends when the level has settled
 * @sch: ramp qdisc
 * @now: ns
 *
 * Context: root lock.
 */
void ramp_level_follow(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!q->law.cease_settled || !q->law.watch_level)
		return;
	if (!q->trailing) {
		q->trailing = true;
		ramp_edge_still(&q->level, &q->law.level, ramp_level(q));
		ramp_level_bounds(q);
	}
	ramp_level_time(sch, now);
}

/**
 * ramp_level_unfollow - no ramp runs any more
 * @sch: ramp qdisc
 *
 * Context: root lock.
 */
void ramp_level_unfollow(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	q->trailing = q->law.level.delta;
	if (!q->trailing)
		q->rolling = false;
	ramp_level_bounds(q);
}

/**
 * ramp_level_settled - has what made the ramp begin come to rest?
 * @sch: ramp qdisc with a running ramp
 * @now: ns
 *
 * Context: root lock.
 *
 * Return: true when the level moved by less than a surge for a whole window
 */
bool ramp_level_settled(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!q->law.cease_settled)
		return false;
	if (q->law.watch_level) {
		ramp_level_roll(sch, now);
		return ramp_edge_settled(&q->level, &q->law.level);
	}
	return ramp_meter_settled(&q->meter, &q->law.ingress, now);
}

/**
 * ramp_expect_self - the queue may hold what a ramp keeps waiting from now on
 * @q: of the qdisc
 * @now: ns
 *
 * Context: root lock.
 */
void ramp_expect_self(struct ramp_sched_data *q, u64 now)
{
	q->self = q->law.watch_level;
	q->self_low = ramp_level_low(q) ? now : 0;
}

/* Is this fall of the queue the end of what a ramp had held back? It is until
 * a window after the queue was next low.
 */
static bool ramp_is_self(struct ramp_sched_data *q, u64 now)
{
	if (q->self && q->self_low && now - q->self_low > q->law.level.window)
		q->self = false;
	return q->self;
}

static void ramp_level_judge(struct Qdisc *sch, enum ramp_dir dir, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	bool self = ramp_is_self(q, now);

	if (self && !q->self_low && ramp_level_low(q))
		q->self_low = now;

	q->unjudged = RAMP_NONE;
	if (dir == RAMP_DOWN && self) {
		q->surges_self++;
		ramp_tell_surge(sch, dir, ramp_level_source(q), RAMP_ACT_SELF,
				q->level.took, now);
	} else if (dir && q->law.monitored &&
		   now > q->monitor_end[dir]) {
		q->unjudged = dir;
		q->unjudged_since = now - q->level.took;
	} else if (dir) {
		ramp_surge(sch, dir, ramp_level_source(q), q->level.took, now);
	}
}

/**
 * ramp_level_moved - what waits left the bounds within which it is no news
 * @sch: ramp qdisc that watches what waits
 *
 * Context: root lock.
 */
void ramp_level_moved(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_edge_params *p = &q->law.level;
	u32 level = ramp_level(q);
	enum ramp_dir dir;
	u64 now;

	if (q->trailing && q->rolling && !ramp_edge_note(&q->level, p, level)) {
		ramp_level_bounds(q);
		if (!q->self || q->self_low || level > p->low)
			return;
	}

	now = ktime_get_ns();
	if (q->trailing && !q->rolling) {
		ramp_edge_note(&q->level, p, level);
		ramp_level_time(sch, now);
	}
	dir = ramp_edge_update(&q->level, p, level, now);
	/* A trail that begins anew has no slots from before. */
	if (dir && q->rolling)
		q->slot_start = now;
	ramp_level_bounds(q);
	ramp_level_judge(sch, dir, now);
	ramp_mark(sch, now);
}

/* FIG. 5, 506 to 509. The queue may have got there first: arrivals are known a
 * slot later than the queue that they make.
 */
static void ramp_monitor(struct Qdisc *sch, enum ramp_dir dir, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	q->monitor_end[dir] = now + q->law.monitor;
	ramp_tell_surge(sch, dir, RAMP_SOURCE_INGRESS, RAMP_ACT_MONITOR,
			q->meter.edge.took, now);

	if (q->unjudged != dir || now - q->unjudged_since > q->law.level.window)
		return;
	q->unjudged = RAMP_NONE;
	ramp_surge(sch, dir, RAMP_SOURCE_QUEUE, q->level.took, now);
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

/**
 * ramp_slots_roll - close the slots that are over
 * @sch: ramp qdisc
 * @now: ns
 *
 * Context: root lock.
 */
void ramp_slots_roll(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_edge_params *p = &q->law.ingress;
	enum ramp_dir dir;

	ramp_level_roll(sch, now);
	if (!q->meter.running || now < ramp_meter_end(&q->meter, p))
		return;

	dir = ramp_meter_roll(&q->meter, p, now);
	ramp_detect_odd(q);
	if (dir)
		ramp_ingress_surge(sch, dir, now);
	ramp_mark(sch, now);
}

/**
 * ramp_arrivals_begin - the first packet after a silence opens a slot
 * @sch: ramp qdisc that measures its arrivals, and has no slot open
 *
 * Context: root lock.
 */
void ramp_arrivals_begin(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ramp_meter_start(&q->meter, ktime_get_ns());
	ramp_detect_odd(q);
	ramp_arm(sch);
}

/**
 * ramp_detect_odd - may packets take the short way, as far as detection goes?
 * @q: of the qdisc
 *
 * There a packet counts its bytes and what waits, and compares: both with
 * bounds that it never leaves where nobody watches.
 *
 * Context: root lock.
 */
void ramp_detect_odd(struct ramp_sched_data *q)
{
	const struct ramp_law *law = &q->law;

	q->odd = law->members || law->pps ||
		 (law->watch_ingress && !q->meter.running);
	if (!law->watch_ingress)
		q->meter.edge.max = U64_MAX;
}

/**
 * ramp_detect_init - nothing waits, nothing was seen
 * @sch: ramp qdisc
 *
 * Context: root lock, or before the qdisc is in use.
 */
void ramp_detect_init(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ramp_meter_init(&q->meter, &q->law.ingress);
	ramp_edge_init(&q->level, &q->law.level, 0);
	q->rolling = false;
	ramp_level_unfollow(sch);
	ramp_detect_odd(q);
	q->self = false;
	q->unjudged = RAMP_NONE;
	memset(q->monitor_end, 0, sizeof(q->monitor_end));
}

static bool ramp_edge_same(const struct ramp_edge_params *a,
			   const struct ramp_edge_params *b)
{
	return a->low == b->low && a->high == b->high &&
	       a->delta == b->delta && a->window == b->window;
}

/**
 * ramp_detect_change - other parameters are in force
 * @sch: ramp qdisc
 * @old: parameters until now
 * @moved: what waits is another number now, and no packet came or went
 * @now: ns
 *
 * A detector whose thresholds did not change keeps what it has seen, unless it
 * sees other bands now: that is no surge.
 *
 * Context: root lock.
 */
void ramp_detect_change(struct Qdisc *sch, const struct ramp_law *old,
			bool moved, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_law *law = &q->law;
	bool exempt = old->exempt != law->exempt;
	bool anew = moved || old->watch_level != law->watch_level ||
		    old->members != law->members ||
		    !ramp_edge_same(&old->level, &law->level);

	/* Marks of other bands are worth nothing. */
	if (exempt || old->bands != law->bands) {
		ramp_mark(sch, now);
		ramp_mark(sch, now);
	}
	if (anew) {
		ramp_edge_init(&q->level, &law->level, ramp_level(q));
		q->rolling = false;
		q->trailing = false;
		q->unjudged = RAMP_NONE;
		/* What waits now may be what the ramp has held back. */
		if (q->slope.dir || (q->self && !q->self_low))
			ramp_expect_self(q, now);
	}
	if (anew || old->cease_settled != law->cease_settled) {
		ramp_level_unfollow(sch);
		if (q->slope.dir)
			ramp_level_follow(sch, now);
	}

	if (!law->watch_ingress)
		ramp_meter_init(&q->meter, &law->ingress);
	else if (!old->watch_ingress || old->pps != law->pps)
		ramp_meter_change(&q->meter, &law->ingress, true, now);
	else if (exempt || !ramp_edge_same(&old->ingress, &law->ingress))
		ramp_meter_change(&q->meter, &law->ingress, false, now);
	if (!law->monitored)
		memset(q->monitor_end, 0, sizeof(q->monitor_end));
	ramp_detect_odd(q);
}
