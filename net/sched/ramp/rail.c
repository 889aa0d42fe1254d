// SPDX-License-Identifier: GPL-2.0
/*
 * Rails, packet by packet
 *
 * While no ramp runs, a member counts by itself what arrives and what waits,
 * and tells the rail now and then (ramp_rail_take() says when). A ramp that
 * begins is seen by the other members in the flag that their timers use, too:
 * each may let one more packet go. While it runs, each packet is counted at
 * once, and charged when it is allowed to leave: between the two another member
 * could take what the tick has left. The slew limiter of "detect always" limits
 * all the time; while it makes nobody wait, rail_pool.c has what packets take.
 *
 * Nobody calls another member. Those that have to wait stand in a queue, and
 * sleep (rail_wait.c).
 */

#include <linux/ktime.h>

#include "ramp.h"

static struct ramp_rail *ramp_rail_of(const struct ramp_engine *e)
{
	struct ramp_rail *r = container_of(e, struct ramp_rail, engine);

	lockdep_assert_held(&r->lock);
	return r;
}

/* What the clock says, for all that is done next. */
static u64 ramp_rail_now(struct ramp_rail *r)
{
	r->engine.now = ktime_get_ns();
	return r->engine.now;
}

/**
 * ramp_rail_fire - a slot is over
 * @timer: of a rail
 *
 * Context: softirq.
 *
 * Return: HRTIMER_NORESTART; it was started again if there is another slot
 */
enum hrtimer_restart ramp_rail_fire(struct hrtimer *timer)
{
	struct ramp_rail *r = container_of(timer, struct ramp_rail, timer);
	u64 now;

	ramp_rail_lock(r);
	/* That of a ramp_mq outlives its last member, for which the engine
	 * would speak.
	 */
	if (!r->count)
		goto unlock;
	now = ramp_rail_now(r);
	ramp_slots_roll(&r->engine, now);
	ramp_tick(&r->engine, now);
	if (r->turn && now >= r->turn_end)
		WRITE_ONCE(r->turn, NULL);
	ramp_rail_next(r);
	ramp_arm(&r->engine);
unlock:
	ramp_rail_unlock(r);
	return HRTIMER_NORESTART;
}

/**
 * ramp_rail_poke - let all members see what is new, with their next packets
 * @r: rail
 *
 * Context: lock of the rail.
 */
void ramp_rail_poke(struct ramp_rail *r)
{
	struct ramp_sched_data *q;

	list_for_each_entry(q, &r->members, member.list)
		WRITE_ONCE(q->fired, true);
}

/**
 * ramp_rail_tell - let the rail know what waits in a member
 * @q: of the member
 *
 * Context: lock of the rail, and mostly the root lock.
 */
void ramp_rail_tell(struct ramp_sched_data *q)
{
	struct ramp_member *m = &q->member;
	struct ramp_rail *r = q->rail;
	u32 waiting, busy;

	/* Without the root lock, it may be another number by now. */
	waiting = data_race(q->waiting);
	/* And so may this. */
	busy = data_race(ramp_busy(q));
	r->waiting += waiting - m->waiting;
	m->waiting = waiting;
	r->busy += busy - m->busy;
	m->busy = busy;
}

/**
 * ramp_rail_ask - learn what waits in all members
 * @r: rail
 *
 * For when that matters at once. Each may have other packets by the time that
 * this is looked at, which it then tells itself.
 *
 * Context: lock of the rail.
 */
void ramp_rail_ask(struct ramp_rail *r)
{
	struct ramp_sched_data *q;

	list_for_each_entry(q, &r->members, member.list)
		ramp_rail_tell(q);
}

static u32 ramp_rail_busy(const struct ramp_engine *e)
{
	return ramp_rail_of(e)->busy;
}

static void ramp_rail_learn(struct ramp_engine *e)
{
	ramp_rail_ask(ramp_rail_of(e));
}

static void ramp_rail_sent(const struct ramp_engine *e, struct ramp_mark *mark)
{
	const struct ramp_sched_data *q;

	list_for_each_entry(q, &ramp_rail_of(e)->members, member.list)
		ramp_mark_member(q, mark);
}

/* That the gate is open is found out by those who care. */
static void ramp_rail_narrow(struct ramp_engine *e, bool narrow)
{
	struct ramp_rail *r = ramp_rail_of(e);

	if (narrow)
		ramp_rail_poke(r);
	if (!e->slope.dir)
		ramp_rail_wake_all(r);
	else if (ramp_rail_waits(r))
		ramp_arm(e);
}

/* The timer fires then, or earlier if that was wanted before. Who waits sleeps
 * through ticks that allow nothing.
 */
static void ramp_rail_start(struct ramp_engine *e, u64 when)
{
	struct ramp_rail *r = ramp_rail_of(e);

	if (ramp_rail_waits(r))
		when = min(when, r->turn ? r->turn_end : ramp_wake(e));
	if (ramp_is_last_tick(e))
		when = min(when, e->slope.tick_end);
	if (when == U64_MAX ||
	    (hrtimer_is_queued(&r->timer) &&
	     ktime_to_ns(hrtimer_get_expires(&r->timer)) <= (s64)when))
		return;
	hrtimer_start(&r->timer, ns_to_ktime(when), HRTIMER_MODE_ABS_SOFT);
}

const struct ramp_engine_ops ramp_rail_engine_ops = {
	.busy	= ramp_rail_busy,
	.learn	= ramp_rail_learn,
	.sent	= ramp_rail_sent,
	.narrow	= ramp_rail_narrow,
	.arm	= ramp_rail_start,
};

/* The level may be beyond a bound. */
static void ramp_rail_judge(struct ramp_rail *r)
{
	struct ramp_engine *e = &r->engine;
	u32 level = ramp_engine_level(e);

	if (level > e->top || level < e->bottom)
		ramp_level_crossed(e);
}

/* What waits may be that far from what the rail was told. An empty member says
 * so at once: it may not get to tell for long.
 */
static void ramp_rail_bounds(struct ramp_sched_data *q, u32 slack)
{
	u32 told = q->own.plan.members ? q->member.busy : q->member.waiting;

	q->top = (u64)told + slack;
	q->bottom = told <= slack ? !!told : told - slack;
	ramp_stop_set(q);
}

/**
 * ramp_rail_take - take over what the rail does
 * @q: of a member that has told what there was to be told
 *
 * Context: root lock and lock of the rail.
 */
void ramp_rail_take(struct ramp_sched_data *q)
{
	const struct ramp_plan *plan = &q->own.plan;
	struct ramp_rail *r = q->rail;
	bool narrow;

	if (!q->waiting)
		ramp_rail_forget(q);
	else if (r->turn == q && !list_empty(&q->member.wait))
		WRITE_ONCE(r->turn, NULL);
	ramp_rail_next(r);

	/* What is shared is enough for the short way; but who has its turn is
	 * to say when that ends.
	 */
	ramp_rail_limit(q, ramp_rail_shares(r));
	narrow = r->engine.slope.dir;
	if (q->member.shares)
		narrow = q->member.shut || r->turn == q;
	q->narrow = narrow;
	/* No tick begins in which it could be asked again. */
	if (!narrow) {
		q->held = false;
		q->member.shut = 0;
	}
	q->unfit = plan->members || plan->pps;
	q->member.counts = r->engine.plan.watch_ingress &&
			   r->engine.plan.pps == plan->pps;
	q->meter.edge.max = plan->watch_ingress ? r->batch_flow - 1 : U64_MAX;
	if (narrow || plan->members) {
		ramp_rail_bounds(q, 0);
	} else if (plan->watch_level) {
		ramp_rail_bounds(q, r->batch);
	} else {
		/* An empty member says so at once here, too: the slew limiter
		 * takes who has packets for busy.
		 */
		q->top = U64_MAX;
		q->bottom = q->member.shares && q->member.waiting;
		ramp_stop_set(q);
	}
}

/**
 * ramp_rail_release - a head that was charged has not left
 * @q: of a member
 *
 * What is left of a tick that is over is nobody's. Who was refused since it was
 * charged may now have what it was charged, which ramp_rail_next() sees.
 *
 * Context: lock of the rail.
 */
void ramp_rail_release(struct ramp_sched_data *q)
{
	struct ramp_engine *e = &q->rail->engine;
	struct ramp_member *m = &q->member;

	if (m->taken && ramp_is_slewing(e)) {
		ramp_slew_uncharge(e->slew, &e->plan.slope, m->bytes, m->pkts);
	} else if (m->taken && e->slope.dir && m->taken == e->slope.tick_end) {
		ramp_slope_uncharge(&e->slope, &e->plan.slope, m->bytes,
				    m->pkts);
	}
	m->taken = 0;
}

static void ramp_rail_count(struct ramp_engine *e, u32 bytes, u32 pkts)
{
	if (ramp_is_slewing(e))
		ramp_slew_charge(e->slew, &e->plan.slope, bytes, pkts);
	else if (e->slope.dir)
		ramp_slope_charge(&e->slope, &e->plan.slope, bytes, pkts);
}

static void ramp_rail_want(struct ramp_member *m, const struct sk_buff *skb)
{
	m->bytes = qdisc_pkt_len(skb);
	m->pkts = qdisc_pkt_segs(skb);
}

/* Does a packet go the long way only because of its band? */
static bool ramp_rail_is_short(const struct ramp_sched_data *q)
{
	return q->member.shares && !q->narrow;
}

static bool ramp_rail_admit(struct ramp_sched_data *q,
			    const struct sk_buff *skb)
{
	struct ramp_engine *e = &q->rail->engine;
	struct ramp_member *m = &q->member;

	ramp_rail_release(q);
	if (!e->slope.dir)
		return true;
	ramp_rail_want(m, skb);
	if (!ramp_rail_fits(e, m)) {
		ramp_rail_sleep(q);
		return false;
	}
	m->shut = 0;
	list_del_init(&m->wait);
	m->served = e->slope.tick_end;
	m->taken = e->slope.tick_end;
	ramp_rail_count(e, m->bytes, m->pkts);
	return true;
}

/**
 * ramp_rail_yield - a member whose turn it may be has what it wants for now
 * @sch: ramp qdisc on a rail
 *
 * Context: root lock.
 */
void ramp_rail_yield(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_rail *r = q->rail;

	/* Who has it knows. What others write meanwhile is nothing to it. */
	if (READ_ONCE(r->turn) != q)
		return;
	ramp_rail_lock(r);
	if (r->turn == q)
		WRITE_ONCE(r->turn, NULL);
	ramp_rail_next(r);
	ramp_rail_unlock(r);
}

/* The slew limiter reads the clock when it has to. */
static void ramp_rail_advance(struct ramp_rail *r)
{
	u64 now;

	if (ramp_is_slewing(&r->engine) && !r->engine.shut)
		return;
	now = ramp_rail_now(r);
	ramp_slots_roll(&r->engine, now);
	ramp_tick(&r->engine, now);
}

/**
 * ramp_rail_ask_for - a member wants to send, and has no budget of its own
 * @sch: ramp qdisc on a rail
 * @skb: the first packet of a band that is not exempt, which leaves at once if
 *	it may
 *
 * Context: root lock.
 *
 * Return: true when it may, with enough in the budget of the qdisc for it.
 * Otherwise the rail is to be asked in the long way.
 */
bool ramp_rail_ask_for(struct Qdisc *sch, const struct sk_buff *skb)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_member *m = &q->member;
	struct ramp_rail *r = q->rail;
	bool shares, pass = false;

	ramp_rail_lock(r);
	ramp_rail_advance(r);
	shares = m->shares && ramp_rail_shares(r);
	if (shares) {
		ramp_rail_tell(q);
		pass = ramp_rail_admit(q, skb);
	}
	if (pass) {
		m->taken = 0;
		/* It is gone by the time that anybody looks. */
		m->waiting--;
		r->waiting--;
		q->slew.budget += m->bytes;
	}
	ramp_rail_take(q);
	ramp_rail_unlock(r);
	if (shares && !pass)
		ramp_held_back(sch);
	return pass;
}

/**
 * ramp_rail_pass - may a packet leave now?
 * @sch: ramp qdisc on a rail
 * @skb: the first packet of a band that is not exempt
 *
 * Context: root lock.
 *
 * Return: true when it may, and was charged. Otherwise it is woken when it may.
 */
bool ramp_rail_pass(struct Qdisc *sch, const struct sk_buff *skb)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_member *m = &q->member;
	struct ramp_rail *r = q->rail;
	bool pass;

	/* Who wakes it opens it. What is read may be old by now. */
	if (ramp_is_shut(m, READ_ONCE(r->engine.slope.tick_end)))
		return false;
	if (ramp_rail_is_short(q) && !m->taken &&
	    ramp_rail_spend(r, qdisc_pkt_len(skb))) {
		ramp_rail_want(m, skb);
		/* By now it may be another limiter, or a ramp, of which this is
		 * no tick.
		 */
		m->taken = U64_MAX;
		return true;
	}

	ramp_rail_lock(r);
	ramp_rail_advance(r);
	ramp_rail_tell(q);
	ramp_rail_judge(r);
	pass = ramp_rail_admit(q, skb);
	ramp_rail_take(q);
	ramp_rail_unlock(r);
	if (!pass)
		ramp_held_back(sch);
	return pass;
}

/**
 * ramp_rail_charge - a packet that passed the gate is handed over
 * @sch: ramp qdisc on a rail, the packet no longer in its band
 * @skb: the packet
 * @promised: it passed some time ago, when a parent was shown it
 *
 * Mostly the one that was charged. One that was promised may leave in a later
 * tick, and is charged to that, too. Any other has just passed: when by now the
 * next tick or a ramp began, as other members saw to it, it left before that.
 *
 * Context: root lock.
 */
void ramp_rail_charge(struct Qdisc *sch, const struct sk_buff *skb,
		      bool promised)
{
	u32 bytes = qdisc_pkt_len(skb), pkts = qdisc_pkt_segs(skb);
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_member *m = &q->member;
	struct ramp_rail *r = q->rail;
	struct ramp_engine *e = &r->engine;
	bool charged;

	q->held = false;
	if (ramp_rail_is_short(q) && !promised && m->taken &&
	    m->bytes == bytes) {
		m->taken = 0;
		return;
	}
	ramp_rail_lock(r);
	charged = m->bytes == bytes && m->pkts == pkts;
	/* One that was promised before the limiter began was not. */
	if (promised && ramp_is_slewing(e))
		charged = charged && m->taken;
	else if (promised)
		charged = charged && m->taken == e->slope.tick_end;
	else
		charged = charged || !m->taken;
	if (!charged) {
		ramp_rail_release(q);
		ramp_rail_count(e, bytes, pkts);
	}
	m->taken = 0;
	ramp_rail_tell(q);
	if (e->slope.dir == RAMP_DOWN && !r->waiting)
		ramp_drained(e, e->now);
	ramp_rail_judge(r);
	ramp_rail_take(q);
	ramp_rail_unlock(r);
}

/**
 * ramp_rail_crossed - what waits in a member is to be told
 * @sch: ramp qdisc on a rail
 *
 * Context: root lock.
 */
void ramp_rail_crossed(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_rail *r = q->rail;

	ramp_rail_lock(r);
	ramp_rail_tell(q);
	ramp_rail_judge(r);
	ramp_rail_take(q);
	ramp_rail_unlock(r);
}

/**
 * ramp_rail_arrived - what arrived at a member is to be told
 * @sch: ramp qdisc on a rail
 *
 * Context: root lock.
 */
void ramp_rail_arrived(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_rail *r = q->rail;
	struct ramp_engine *e = &r->engine;

	ramp_rail_lock(r);
	/* While parameters change, a member may still count something else. */
	if (e->plan.watch_ingress && e->plan.pps == q->own.plan.pps) {
		if (!e->meter->running)
			ramp_arrivals_begin(e);
		if (ramp_meter_add(e->meter, q->meter.sum)) {
			ramp_ingress_arrived(e);
			ramp_rail_tell(q);
			ramp_rail_judge(r);
			ramp_rail_take(q);
		}
	}
	q->meter.sum = 0;
	ramp_rail_unlock(r);
}

/**
 * ramp_rail_removed - packets are gone, but not through the gate
 * @sch: ramp qdisc on a rail
 *
 * Context: root lock.
 */
void ramp_rail_removed(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_rail *r = q->rail;

	ramp_rail_lock(r);
	ramp_rail_tell(q);
	if (r->engine.slope.dir == RAMP_DOWN && !r->waiting)
		ramp_done(&r->engine, ramp_rail_now(r));
	ramp_rail_judge(r);
	ramp_rail_take(q);
	ramp_rail_unlock(r);
}

/**
 * ramp_rail_sync - bring the ramp up to the present, for those who look at it
 * @sch: ramp qdisc on a rail
 *
 * Context: root lock.
 */
void ramp_rail_sync(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_rail *r = q->rail;

	ramp_rail_lock(r);
	q->own.now = ramp_rail_now(r);
	ramp_tick(&r->engine, q->own.now);
	ramp_rail_tell(q);
	ramp_rail_judge(r);
	ramp_rail_take(q);
	ramp_rail_unlock(r);
}

/**
 * ramp_rail_due - the timer fired, or the rail has something new
 * @sch: ramp qdisc on a rail
 *
 * Context: root lock.
 */
void ramp_rail_due(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_rail *r = q->rail;

	ramp_rail_lock(r);
	q->own.now = ramp_rail_now(r);
	ramp_slots_roll(&r->engine, q->own.now);
	ramp_tick(&r->engine, q->own.now);
	/* It was woken, unless it still waits. */
	if (list_empty(&q->member.wait))
		q->member.shut = 0;
	ramp_rail_tell(q);
	ramp_rail_judge(r);
	ramp_rail_take(q);
	ramp_rail_unlock(r);
}

/**
 * ramp_rail_reset - a member has no packets any more
 * @sch: ramp qdisc on a rail
 *
 * Context: RTNL, and root lock or after the qdisc was in use.
 */
void ramp_rail_reset(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	q->own.now = ktime_get_ns();
	q->meter.sum = 0;
	q->held = false;
	local_bh_disable();
	ramp_rail_lock(q->rail);
	ramp_rail_forget(q);
	ramp_rail_unlock(q->rail);
	ramp_rail_removed(sch);
	local_bh_enable();
}
