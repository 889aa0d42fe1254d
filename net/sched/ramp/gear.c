// SPDX-License-Identifier: GPL-2.0
/*
 * The gear on the way of a packet: a bucket that all bands pay from that are
 * not exempt, and a gate that is shut while the gear changes.
 *
 * NetFridgeS, 4.3: what waits decides which gear it is. Two comparisons tell
 * whether it asks for another one; while a move down has to wait for dwell, or
 * a change is under way, the timer looks instead.
 */

#include <linux/ktime.h>
#include <linux/slab.h>

#include "ramp.h"

#include <trace/events/ramp.h>

/**
 * ramp_gear_arm - look at the gear by then
 * @sch: ramp qdisc with gears
 * @when: ns, U64_MAX: never
 *
 * The timer does not fire for a device that is down, and a port that lost its
 * link is one that the idle gear is for: then a work looks instead.
 *
 * Context: root lock.
 */
void ramp_gear_arm(struct Qdisc *sch, u64 when)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;
	u64 now;

	if (ramp_timer_start(sch, when))
		return;
	/* Nothing waits that could be asked again. An earlier look leads to
	 * this one: when a namespace ends, a ramp hears of each of its ports.
	 */
	when = ramp_gear_when(q);
	if (when == U64_MAX ||
	    (delayed_work_pending(&r->down) && r->down_at <= when))
		return;
	r->down_at = when;
	now = ktime_get_ns();
	cancel_delayed_work(&r->down);
	schedule_delayed_work(&r->down, when <= now ? 0 :
			      min_t(u64, nsecs_to_jiffies(when - now) + 1,
				    MAX_JIFFY_OFFSET));
}

static void ramp_gear_down_work(struct work_struct *work)
{
	struct ramp_gear *r = container_of(to_delayed_work(work),
					   struct ramp_gear, down);
	struct ramp_sched_data *q = qdisc_priv(r->sch);

	/* Who frees the gears has RTNL, and waits for this to end. Of thousands
	 * of them each looks again only now and then.
	 */
	if (!rtnl_trylock()) {
		schedule_delayed_work(&r->down, HZ / 10);
		return;
	}
	sch_tree_lock(r->sch);
	if (q->gear == r) {
		ramp_gear_timer(r->sch, ktime_get_ns());
		ramp_gear_arm(r->sch, ramp_gear_when(q));
	}
	sch_tree_unlock(r->sch);
	rtnl_unlock();
}

/**
 * ramp_gear_init - how gears begin that are not in force yet
 * @sch: ramp qdisc
 * @r: gears, zeroed
 */
void ramp_gear_init(struct Qdisc *sch, struct ramp_gear *r)
{
	r->sch = sch;
	INIT_DELAYED_WORK(&r->down, ramp_gear_down_work);
}

/**
 * ramp_gear_free - gears are not in force any more, or never were
 * @r: gears, or NULL
 *
 * Context: RTNL, may sleep.
 */
void ramp_gear_free(struct ramp_gear *r)
{
	if (!r)
		return;
	cancel_delayed_work_sync(&r->down);
	kfree(r);
}

/* Bytes that wait in bands that are not exempt. */
static u32 ramp_gear_backlog(const struct Qdisc *sch)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	unsigned long bands = q->active & q->law.exempt;
	u32 bytes = sch->qstats.backlog;
	unsigned int i;

	for_each_set_bit(i, &bands, RAMP_BANDS_MAX) {
		const struct ramp_band *b = &q->band[i];

		bytes -= b->child ? b->child->qstats.backlog :
				    b->backlog;
	}
	return bytes;
}

/**
 * ramp_gear_occupancy - what waits, as thresholds count it
 * @sch: ramp qdisc with gears
 *
 * Context: root lock.
 *
 * Return: packets or bytes, in bands that are not exempt
 */
u32 ramp_gear_occupancy(const struct Qdisc *sch)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);

	return q->gear->law.bytes ? ramp_gear_backlog(sch) : q->waiting;
}

/**
 * ramp_gear_came - what has come to be sent so far
 * @sch: ramp qdisc with gears
 *
 * Context: root lock.
 *
 * Return: bytes, in bands that are not exempt, less what was lost
 */
u64 ramp_gear_came(const struct Qdisc *sch)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	u64 came = ramp_gear_backlog(sch);
	u32 i;

	for (i = 0; i < q->law.bands; i++)
		if (!ramp_is_exempt(q, &q->band[i]))
			came += u64_stats_read(&q->band[i].bstats.bytes);
	return came;
}

/* The packet that comes with more than that waiting needs a look. */
static void ramp_gear_stop(struct ramp_sched_data *q, u32 most)
{
	struct ramp_gear *r = q->gear;

	r->most = most;
	q->shift_pkts = r->law.bytes ? U32_MAX : most;
	q->shift_bytes = r->law.bytes ? most : U32_MAX;
	ramp_stop_set(q);
}

/**
 * ramp_gear_bounds - how much may wait without a look, and how large
 *	packets are
 * @sch: ramp qdisc with gears
 *
 * In a change no lower gear is asked for. Nobody makes a decision before a
 * packet comes or goes.
 *
 * Context: root lock.
 */
void ramp_gear_bounds(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 waits = q->waiting ? ramp_gear_occupancy(sch) : 0;
	struct ramp_gear *r = q->gear;

	r->low = r->frozen || r->put_off ? 0 : r->g.min;
	r->high = r->g.max;
	ramp_gear_stop(q, waits < r->low ? 0 : r->high);
	q->waited = q->waiting;
	q->shift_whole = min_t(u64, r->pacer.depth, U32_MAX);
	ramp_whole_set(q);
}

/**
 * ramp_gear_took - another gear was taken
 * @sch: ramp qdisc
 * @from: gear until now
 * @why: why
 * @now: ns
 *
 * A change while another one is under way prolongs it. But what comes meanwhile
 * may ask for more than one gear more, and all of these are one change:
 * otherwise the room above gear-up would have to hold what comes in several.
 * The caller starts the timer.
 *
 * Context: root lock.
 */
void ramp_gear_took(struct Qdisc *sch, u32 from, enum ramp_gears_why why,
		    u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;
	u32 to = r->g.gear;
	u64 freeze = r->law.freeze[from];

	ramp_pacer_change(&r->pacer, r->law.rate[to], r->law.depth[to], now);
	/* If nothing comes any more, the timer goes on. */
	r->put_off = to < from && r->law.p.dwell &&
		     ramp_gears_outside(&r->g, ramp_gear_occupancy(sch));
	if (r->frozen) {
		if (why != RAMP_GEARS_OCCUPANCY)
			r->wake = max(r->wake, now + freeze);
	} else if (freeze) {
		r->frozen = true;
		r->began = now;
		r->wake = now + freeze;
	} else {
		/* Whoever was refused is asked again. */
		r->wake = U64_MAX;
	}
	ramp_gear_bounds(sch);
	if (q->clock)
		ramp_clock_follow(q->clock, to);
	trace_ramp_gear(sch, from, to, why, q->waiting);
	ramp_event_gear(sch, from, to, why, now);
}

/* One decision. */
static void ramp_gear_judge(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;
	u32 occupancy = ramp_gear_occupancy(sch);
	enum ramp_gears_why why;
	u32 from = r->g.gear;

	r->g.came = ramp_gear_came(sch);
	why = ramp_gears_move(&r->g, &r->law.p, occupancy, now);
	if (why) {
		ramp_gear_took(sch, from, why, now);
		return;
	}
	r->put_off = ramp_gears_outside(&r->g, occupancy);
	ramp_gear_bounds(sch);
}

/**
 * ramp_gear_crossed - what waits may ask for another gear
 * @sch: ramp qdisc with gears
 *
 * Context: root lock.
 */
void ramp_gear_crossed(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 waits = ramp_gear_occupancy(sch);
	struct ramp_gear *r = q->gear;

	if (waits >= r->low && waits <= r->high) {
		ramp_gear_stop(q, r->high);
		return;
	}
	ramp_gear_judge(sch, ktime_get_ns());
	ramp_gear_arm(sch, ramp_gear_when(q));
}

/**
 * ramp_gear_empty - nothing waits any more
 * @sch: ramp qdisc with gears
 * @now: ns
 *
 * The timer is left alone when it is to look anyway: it will see since when.
 *
 * Context: root lock.
 */
void ramp_gear_empty(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;

	r->empty = now;
	if (r->resting || !r->g.gear)
		return;
	r->resting = true;
	ramp_gear_arm(sch, ramp_gear_when(q));
}

/**
 * ramp_gear_emptied - a packet has left, maybe the last one
 * @sch: ramp qdisc with gears, who read the clock for the packet
 *
 * Context: root lock.
 */
void ramp_gear_emptied(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!q->waiting)
		ramp_gear_empty(sch, q->gear->empty);
}

/**
 * ramp_gear_removed - packets may be gone, but not through the gate
 * @sch: ramp qdisc with gears
 *
 * Whoever only looks makes no decision.
 *
 * Context: root lock.
 */
void ramp_gear_removed(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->waited == q->waiting)
		return;
	ramp_gear_look(sch);
	if (!q->waiting)
		ramp_gear_empty(sch, ktime_get_ns());
}

/**
 * ramp_gear_thaw - a change is over
 * @sch: ramp qdisc with gears that are frozen
 * @now: ns
 *
 * Context: root lock.
 */
void ramp_gear_thaw(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;
	u64 took = now - r->began;

	r->frozen = false;
	if (!r->freezes || took < r->freeze_min)
		r->freeze_min = took;
	r->freeze_max = max(r->freeze_max, took);
	r->freeze_sum += took;
	r->freezes++;
	ramp_gear_bounds(sch);
}

/* Has nothing come for long enough? */
static void ramp_gear_rest(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;
	enum ramp_gears_why why;
	u32 from = r->g.gear;

	if (q->waiting || !from) {
		r->resting = false;
		return;
	}
	if (now < ramp_gears_rest_at(&r->g, &r->law.p, r->empty, r->law.idle))
		return;
	r->resting = false;
	why = ramp_gears_rest(&r->g, &r->law.p, now);
	if (why)
		ramp_gear_took(sch, from, why, now);
}

/**
 * ramp_gear_timer - the timer fired, or somebody looks
 * @sch: ramp qdisc
 * @now: ns
 *
 * Context: root lock.
 */
void ramp_gear_timer(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;

	if (!q->geared)
		return;
	if (now >= r->wake) {
		r->wake = U64_MAX;
		if (r->frozen)
			ramp_gear_thaw(sch, now);
	}
	/* Other decisions are made when a packet comes or goes. */
	if (r->put_off && !r->frozen &&
	    now >= ramp_gears_move_at(&r->g, &r->law.p))
		ramp_gear_judge(sch, now);
	if (r->resting)
		ramp_gear_rest(sch, now);
}

/**
 * ramp_gear_when - when is the timer to fire?
 * @q: of the qdisc
 *
 * Context: root lock.
 *
 * Return: ns, U64_MAX: not for the gears
 */
u64 ramp_gear_when(const struct ramp_sched_data *q)
{
	const struct ramp_gear *r = q->gear;
	u64 when;

	if (!q->geared)
		return U64_MAX;
	when = r->wake;
	if (r->put_off && !r->frozen)
		when = min(when, ramp_gears_move_at(&r->g, &r->law.p));
	if (r->resting)
		when = min(when, ramp_gears_rest_at(&r->g, &r->law.p, r->empty,
						    r->law.idle));
	return when;
}

/**
 * ramp_gear_ask - may a packet leave, of a bucket that need not be full?
 * @sch: ramp qdisc with gears, whose gate is open
 * @len: bytes, of the first packet of a band that is not exempt; the clock was
 *	read for it
 *
 * Context: root lock.
 *
 * Return: true when it may; otherwise the timer is started
 */
bool ramp_gear_ask(struct Qdisc *sch, u32 len)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;

	if (ramp_pacer_admit(&r->pacer, len, r->empty))
		return true;

	r->wake = ramp_pacer_when(&r->pacer, len);
	qdisc_qstats_overlimit(sch);
	ramp_gear_arm(sch, ramp_gear_when(q));
	return false;
}

/**
 * ramp_gear_pass - may a packet leave now?
 * @sch: ramp qdisc with gears
 * @skb: the first packet of a band that is not exempt
 *
 * Context: root lock.
 *
 * Return: true when it may; otherwise the timer is started
 */
bool ramp_gear_pass(struct Qdisc *sch, const struct sk_buff *skb)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;

	if (ramp_gear_shut(r))
		return false;

	r->empty = ktime_get_ns();
	return ramp_gear_ask(sch, qdisc_pkt_len(skb));
}

/**
 * ramp_gear_sync - a packet that was let pass some time ago leaves now
 * @sch: ramp qdisc with gears
 *
 * Context: root lock.
 */
void ramp_gear_sync(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;

	r->empty = ktime_get_ns();
	ramp_pacer_look(&r->pacer, r->empty);
}

/**
 * ramp_gear_charge - a packet is handed over
 * @sch: ramp qdisc with gears, who read the clock for the packet
 * @len: bytes
 *
 * Context: root lock, the packet no longer in its band.
 */
void ramp_gear_charge(struct Qdisc *sch, u32 len)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ramp_pacer_charge(&q->gear->pacer, len);
	ramp_gear_emptied(sch);
}

/**
 * ramp_gear_splits - does a packet have to be segmented to be paced?
 * @q: of the qdisc, with gears
 * @skb: packet
 *
 * Context: root lock.
 *
 * Return: true when it would owe something otherwise
 */
bool ramp_gear_splits(const struct ramp_sched_data *q,
		      const struct sk_buff *skb)
{
	return q->law.split_gso && skb_is_gso(skb) &&
	       qdisc_pkt_len(skb) > q->gear->pacer.depth;
}
