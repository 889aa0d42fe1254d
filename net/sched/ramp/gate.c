// SPDX-License-Identifier: GPL-2.0
/*
 * The gate: packets pass while the tick has room. Everything here runs under
 * the root lock, in softirq or with bottom halves off.
 */

#include <linux/ktime.h>

#include "ramp.h"

static struct ramp_sched_data *ramp_owner(const struct ramp_engine *e)
{
	struct ramp_sched_data *q =
		container_of(e, struct ramp_sched_data, own);

	ramp_assert_locked(q->sch);
	return q;
}

static u32 ramp_own_busy(const struct ramp_engine *e)
{
	return ramp_busy(ramp_owner(e));
}

static void ramp_own_sent(const struct ramp_engine *e, struct ramp_mark *mark)
{
	ramp_mark_member(ramp_owner(e), mark);
}

/* May packets take the short way, as far as detection goes? There a packet
 * counts its bytes and what waits, and compares: both with bounds that it never
 * leaves where nobody watches.
 */
static void ramp_own_bound(struct ramp_engine *e)
{
	struct ramp_sched_data *q = ramp_owner(e);
	const struct ramp_plan *plan = &e->plan;

	q->top = e->top;
	q->bottom = e->bottom;
	ramp_stop_set(q);
	q->unfit = plan->members || plan->pps ||
		 ((plan->always || ramp_is_slewing(e)) &&
		  plan->slope.packets) ||
		 (plan->watch_ingress && !e->meter->running);
}

static void ramp_own_shut(struct ramp_engine *e)
{
	struct ramp_sched_data *q = ramp_owner(e);

	q->narrow = ramp_is_slewing(e) ? e->shut : !!e->slope.dir;
	if (!q->narrow)
		q->held = false;
}

static void ramp_own_narrow(struct ramp_engine *e, bool narrow)
{
	ramp_own_shut(e);
}

static void ramp_own_arm(struct ramp_engine *e, u64 when)
{
	struct ramp_sched_data *q = ramp_owner(e);

	if (e->shut)
		when = min(when, ramp_wake(e));
	ramp_timer_start(q->sch, when);
}

static const struct ramp_engine_ops ramp_own_ops = {
	.busy	= ramp_own_busy,
	.sent	= ramp_own_sent,
	.bound	= ramp_own_bound,
	.narrow	= ramp_own_narrow,
	.shut	= ramp_own_shut,
	.arm	= ramp_own_arm,
};

/**
 * ramp_gate_make - to be called before anything that can fail
 * @sch: ramp qdisc
 */
void ramp_gate_make(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	q->own.sch = sch;
	q->own.ops = &ramp_own_ops;
	q->own.waiting = &q->waiting;
	q->own.meter = &q->meter;
	q->own.slew = &q->slew;
	q->engine = &q->own;
}

/* The gate of a qdisc that is not on a rail has just shut. */
static void ramp_gate_refused(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ramp_held_back(sch);
	ramp_arm(&q->own);
}

/* How long a packet is that would be the next one. */
static void ramp_gate_next(struct ramp_sched_data *q, const struct sk_buff *skb)
{
	q->slew.next = ramp_slope_cost(&q->own.plan.slope, qdisc_pkt_len(skb),
				       qdisc_pkt_segs(skb));
}

/**
 * ramp_gate_ask - may a packet leave now, as the budget is used up?
 * @sch: ramp qdisc
 * @skb: the first packet of a band that is not exempt, which leaves at once if
 *	it may
 *
 * Context: root lock.
 *
 * Return: true when it may, with enough in the budget for it. Otherwise the
 * timer is started; or, on a rail, the packet is to go the long way.
 */
bool ramp_gate_ask(struct Qdisc *sch, const struct sk_buff *skb)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (ramp_on_rail(q))
		return ramp_rail_ask_for(sch, skb);
	ramp_gate_next(q, skb);
	if (ramp_slew_ask(&q->own))
		return true;
	ramp_gate_refused(sch);
	return false;
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
	struct ramp_engine *e = &q->own;
	u64 now;

	if (ramp_on_rail(q))
		return ramp_rail_pass(sch, skb);

	/* The timer opens it. */
	if (e->shut)
		return false;

	if (ramp_is_slewing(e)) {
		ramp_gate_next(q, skb);
		if (ramp_slew_ask(e))
			return true;
		ramp_gate_refused(sch);
		return false;
	}

	now = ktime_get_ns();
	e->now = now;
	ramp_slots_roll(e, now);
	ramp_tick(e, now);
	if (!e->slope.dir)
		return true;

	if (ramp_slope_admit(&e->slope, &e->plan.slope, qdisc_pkt_len(skb),
			     qdisc_pkt_segs(skb)))
		return true;

	e->shut = true;
	ramp_gate_refused(sch);
	return false;
}

/**
 * ramp_gate_charge - a packet that passed the gate is handed over
 * @sch: ramp qdisc with a running ramp, the packet no longer in its band
 * @skb: the packet
 * @promised: it passed some time ago, when a parent was shown it
 *
 * Context: root lock.
 */
void ramp_gate_charge(struct Qdisc *sch, const struct sk_buff *skb,
		      bool promised)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_engine *e = &q->own;

	if (ramp_on_rail(q)) {
		ramp_rail_charge(sch, skb, promised);
		return;
	}
	q->held = false;
	if (ramp_is_slewing(e)) {
		ramp_slew_charge(e->slew, &e->plan.slope, qdisc_pkt_len(skb),
				 qdisc_pkt_segs(skb));
		return;
	}
	ramp_slope_charge(&e->slope, &e->plan.slope, qdisc_pkt_len(skb),
			  qdisc_pkt_segs(skb));
	if (e->slope.dir == RAMP_DOWN && !q->waiting)
		ramp_drained(e, e->now);
}

/**
 * ramp_gate_return - no packet leaves, though one may have been let pass
 * @sch: ramp qdisc
 *
 * When the timer fires, the limiter looks before anybody knows whether a packet
 * can leave.
 *
 * Context: root lock.
 */
void ramp_gate_return(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (ramp_is_slewing(&q->own))
		ramp_slew_return(&q->slew);
}

/**
 * ramp_gate_yield - no packet leaves for now, though others on the rail may
 *	wait for that
 * @sch: ramp qdisc
 *
 * Context: root lock.
 */
void ramp_gate_yield(struct Qdisc *sch)
{
	if (ramp_on_rail(qdisc_priv(sch)))
		ramp_rail_yield(sch);
}

/**
 * ramp_gate_arm - start the timer for what ends next: a tick, a slot, or a wait
 * @sch: ramp qdisc
 *
 * Context: root lock.
 */
void ramp_gate_arm(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	/* A rail has a timer of its own for that. */
	if (!ramp_on_rail(q))
		ramp_arm(&q->own);
}

/**
 * ramp_gate_crossed - what waits left its bounds
 * @sch: ramp qdisc
 *
 * Context: root lock.
 */
void ramp_gate_crossed(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (ramp_on_rail(q))
		ramp_rail_crossed(sch);
	else
		ramp_level_crossed(&q->own);
}

/**
 * ramp_gate_arrived - arrivals are beyond their bound
 * @sch: ramp qdisc that measures its arrivals
 *
 * Context: root lock.
 */
void ramp_gate_arrived(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (ramp_on_rail(q))
		ramp_rail_arrived(sch);
	else
		ramp_ingress_arrived(&q->own);
}

/**
 * ramp_gate_removed - packets are gone, but not through the gate
 * @sch: ramp qdisc
 *
 * Those that a down ramp waited for may have been among them.
 *
 * Context: root lock.
 */
void ramp_gate_removed(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_engine *e = &q->own;

	if (ramp_on_rail(q)) {
		ramp_rail_removed(sch);
		return;
	}
	if (e->slope.dir == RAMP_DOWN && !q->waiting) {
		e->now = ktime_get_ns();
		ramp_done(e, e->now);
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
	struct ramp_engine *e = &q->own;

	if (ramp_on_rail(q)) {
		ramp_rail_sync(sch);
		return;
	}
	e->now = ktime_get_ns();
	ramp_tick(e, e->now);
}

/**
 * ramp_gate_due - the timer fired: a tick or a slot is over
 * @sch: ramp qdisc
 *
 * The caller follows up with ramp_gate_arm().
 *
 * Context: root lock.
 */
void ramp_gate_due(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_engine *e = &q->own;

	if (ramp_on_rail(q)) {
		ramp_rail_due(sch);
		return;
	}
	e->now = ktime_get_ns();
	ramp_slots_roll(e, e->now);
	ramp_tick(e, e->now);
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
	struct ramp_engine *e = &q->own;

	if (ramp_on_rail(q)) {
		ramp_rail_reset(sch);
		return;
	}
	e->now = ktime_get_ns();
	/* The slew limiter begins anew, whatever has left. */
	if (!ramp_is_slewing(e))
		ramp_tick(e, e->now);
	q->held = false;
	ramp_engine_init(e);
}

/**
 * ramp_gate_begin - put the first parameters in force
 * @sch: ramp qdisc that is being made
 * @law: the parameters
 * @plan: those of the engine
 * @rail: to join, or NULL
 *
 * Context: RTNL and root lock.
 */
void ramp_gate_begin(struct Qdisc *sch, const struct ramp_law *law,
		     const struct ramp_plan *plan, struct ramp_rail *rail)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	q->law = *law;
	sch->limit = law->limit;
	ramp_bands_mark(sch);
	if (rail) {
		ramp_rail_join(sch, rail, plan);
		return;
	}
	q->own.plan = *plan;
	ramp_whole_set(q);
	ramp_gate_init(sch);
}

/* Bands and limits of a qdisc; says what the gate sees differently. */
static u32 ramp_law_change(struct Qdisc *sch, const struct ramp_law *law)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 waited = ramp_level(q), changed = 0;

	if (q->law.exempt != law->exempt)
		changed |= RAMP_CHANGED_EXEMPT;
	if (q->law.bands != law->bands)
		changed |= RAMP_CHANGED_BANDS;
	ramp_bands_change(sch, law->bands);
	q->law = *law;
	sch->limit = law->limit;
	ramp_bands_mark(sch);
	if (ramp_level(q) != waited)
		changed |= RAMP_CHANGED_LEVEL;
	return changed;
}

static void ramp_member_change(struct Qdisc *sch, const struct ramp_law *law,
			       const struct ramp_plan *plan)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 counted = ramp_law_counted(&q->law);
	u32 changed;

	/* Others read which bands are exempt, and what they sent. */
	ramp_rail_lock(q->rail);
	changed = ramp_law_change(sch, law);
	ramp_rail_unlock(q->rail);
	ramp_rail_change(sch, plan, counted, changed);
}

/**
 * ramp_gate_change - put new parameters in force
 * @sch: ramp qdisc
 * @law: the parameters
 * @plan: those of the engine
 *
 * A running ramp goes on from the level it has reached, with nothing lost. The
 * caller follows up with ramp_removed(), as what waits may be counted
 * otherwise.
 *
 * Context: RTNL and root lock.
 */
void ramp_gate_change(struct Qdisc *sch, const struct ramp_law *law,
		      const struct ramp_plan *plan)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_engine *e = &q->own;
	u32 changed;
	u64 level;

	if (ramp_on_rail(q)) {
		ramp_member_change(sch, law, plan);
		return;
	}
	ramp_gate_sync(sch);
	/* As long as all bands have their counters. */
	level = ramp_open_level(e, &plan->slope, e->now);
	changed = ramp_law_change(sch, law);
	ramp_engine_change(e, plan, level, changed);
	ramp_whole_set(q);

	/* The gate may have opened, or a slot may end earlier. */
	e->shut = false;
	if (q->waiting || e->meter->running || e->rolling)
		ramp_timer_start(sch, e->now);
}
