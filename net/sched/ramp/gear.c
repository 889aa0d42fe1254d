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

#include "ramp.h"

#include <trace/events/ramp.h>

/* The timer does not fire for a device that is down, and a port that lost its
 * link is one that the idle gear is for: then a work looks instead.
 */
static void ramp_gear_arm(struct Qdisc *sch, u64 when)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u64 now;

	if (ramp_timer_start(sch, when))
		return;
	now = ktime_get_ns();
	/* It may have been for a later time. */
	cancel_delayed_work(&q->gear_down);
	schedule_delayed_work(&q->gear_down, when <= now ? 0 :
			      min_t(u64, nsecs_to_jiffies(when - now) + 1,
				    MAX_JIFFY_OFFSET));
}

static void ramp_gear_down_work(struct work_struct *work)
{
	struct ramp_sched_data *q =
		container_of(to_delayed_work(work), struct ramp_sched_data,
			     gear_down);

	/* Who destroys the qdisc has RTNL, and waits for this to end. Of
	 * thousands of them each looks again only now and then.
	 */
	if (!rtnl_trylock()) {
		schedule_delayed_work(&q->gear_down, HZ / 10);
		return;
	}
	sch_tree_lock(q->sch);
	if (q->geared) {
		ramp_gear_timer(q->sch, ktime_get_ns());
		ramp_gear_arm(q->sch, ramp_gear_when(q));
	}
	sch_tree_unlock(q->sch);
	rtnl_unlock();
}

/**
 * ramp_gear_init - to be called before anything that can fail
 * @sch: ramp qdisc
 */
void ramp_gear_init(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	INIT_DELAYED_WORK(&q->gear_down, ramp_gear_down_work);
}

/**
 * ramp_gear_end - look at no gear any more
 * @sch: ramp qdisc whose timer is cancelled
 *
 * Context: RTNL, may sleep.
 */
void ramp_gear_end(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	cancel_delayed_work_sync(&q->gear_down);
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
static u32 ramp_gear_occupancy(const struct Qdisc *sch)
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
static u64 ramp_gear_came(const struct Qdisc *sch)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	u64 came = ramp_gear_backlog(sch);
	u32 i;

	for (i = 0; i < q->law.bands; i++)
		if (!ramp_is_exempt(q, &q->band[i]))
			came += u64_stats_read(&q->band[i].bstats.bytes);
	return came;
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
static void ramp_gear_bounds(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 waits = q->waiting ? ramp_gear_occupancy(sch) : 0;
	struct ramp_gear *r = q->gear;

	r->low = r->frozen || r->put_off ? 0 : r->g.min;
	r->high = r->g.max;
	r->most = waits < r->low ? 0 : r->high;
	r->waited = q->waiting;
	ramp_stop_set(q);
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
static void ramp_gear_took(struct Qdisc *sch, u32 from, enum ramp_gears_why why,
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
		r->most = r->high;
		ramp_stop_set(q);
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
static void ramp_gear_empty(struct Qdisc *sch, u64 now)
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

	if (q->gear->waited == q->waiting)
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
static void ramp_gear_thaw(struct Qdisc *sch, u64 now)
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

/*
 * Gears are put in force, or others than before, or none. What can fail is done
 * under RTNL alone; the rest takes the root lock, and moves a gear that its
 * range does not have any more.
 */

/**
 * ramp_gear_check - are the ports where they are said to be?
 * @sch: ramp qdisc, for its device
 * @config: a configuration whose values are in their ranges
 * @extack: for the message
 *
 * Context: RTNL.
 *
 * Return: 0, or -EINVAL with the message in @extack
 */
int ramp_gear_check(const struct Qdisc *sch, const struct ramp_config *config,
		    struct netlink_ext_ack *extack)
{
	const struct ramp_gear_config *gears = ramp_gear_config(config);
	struct net *net = dev_net(qdisc_dev(sch));
	u32 i;

	for (i = 0; i < gears->ports; i++)
		if (!__dev_get_by_index(net, gears->port[i].ifindex))
			return ramp_refuse_type(TCA_RAMP_GEAR_PORTS, extack);
	return 0;
}

/**
 * ramp_gear_prepare - make what a configuration needs for its gears
 * @sch: ramp qdisc
 * @config: configuration
 * @law: what else it amounts to
 * @gear: to be filled: for ramp_gear_commit() or kfree(); NULL without gears
 * @extack: for the message, or NULL
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0 or a negative error with the message in @extack
 */
int ramp_gear_prepare(struct Qdisc *sch, const struct ramp_config *config,
		      const struct ramp_law *law, struct ramp_gear **gear,
		      struct netlink_ext_ack *extack)
{
	const struct ramp_gear_config *gears = ramp_gear_config(config);
	struct ramp_gear *new;
	int err;

	*gear = NULL;
	if (!gears->n)
		return 0;
	new = kzalloc_obj(*new, GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	err = ramp_gear_resolve(sch, config, law, &new->law, extack);
	if (err) {
		kfree(new);
		return err;
	}
	ramp_gear_ports_look(sch, config->gears);
	new->law.p.top = ramp_gear_ports_top(gears, &new->law.seen);
	*gear = new;
	return 0;
}

static bool ramp_gear_same(const struct ramp_gear *a, const struct ramp_gear *b)
{
	return a && b && a->law.p.n == b->law.p.n &&
	       !memcmp(a->law.rate, b->law.rate, sizeof(a->law.rate));
}

/* Does the gear lie outside of what may be taken? */
static bool ramp_gear_outside(const struct ramp_gear *r)
{
	u32 high = ramp_gears_high(&r->law.p);

	if (!r->g.gear)
		return false;
	return r->g.gear > high || r->g.gear < ramp_gears_low(&r->law.p) ||
	       (r->law.p.links && r->g.gear != high);
}

/* From now on power is that of as many ports as are up. */
static void ramp_gear_share_look(struct ramp_gear *r, u64 now)
{
	const struct ramp_gears_ports *seen = &r->law.seen;

	ramp_ports_look(&r->ports, r->law.shares,
			seen->known_up + seen->unknown_up,
			seen->known + seen->unknown, now);
}

/* Parameters changed, of the same gears. That is no reason to decide by what
 * waits: a controller that shifts the range would shift gears with it.
 */
static void ramp_gear_renew(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;
	enum ramp_gears_why why = RAMP_GEARS_STAY;
	u32 from = r->g.gear;

	ramp_gear_share_look(r, now);
	/* Other bands may be exempt. */
	r->g.came = ramp_gear_came(sch);
	ramp_gears_mark(&r->g, now);
	if (ramp_gear_outside(r)) {
		why = ramp_gears_change(&r->g, &r->law.p,
					ramp_gear_occupancy(sch), now);
	} else {
		ramp_gears_judge(&r->g, &r->law.p);
		ramp_gears_bounds(&r->g, &r->law.p);
		r->put_off &= ramp_gears_outside(&r->g,
						 ramp_gear_occupancy(sch));
	}
	if (why) {
		ramp_gear_took(sch, from, why, now);
	} else {
		ramp_pacer_change(&r->pacer, r->law.rate[from],
				  r->law.depth[from], now);
		ramp_gear_bounds(sch);
	}
	/* The packets that wait are asked again, and dwell and idle are other
	 * times.
	 */
	ramp_gear_arm(sch, now);
}

/* Other gears: they begin in the highest one. */
static void ramp_gear_begin(struct Qdisc *sch, const struct ramp_gear *old,
			    u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;
	u32 gear;

	ramp_gears_init(&r->g, &r->law.p, now);
	r->g.came = ramp_gear_came(sch);
	ramp_gears_mark(&r->g, now);
	gear = r->g.gear;
	r->wake = U64_MAX;
	ramp_pacer_init(&r->pacer, r->law.rate[gear], r->law.depth[gear], now);
	if (old) {
		r->ports = old->ports;
		r->g.changes = old->g.changes;
		r->g.range_drops += old->g.range_drops;
		r->g.flap.flaps = old->g.flap.flaps;
		r->freezes = old->freezes;
		r->freeze_min = old->freeze_min;
		r->freeze_max = old->freeze_max;
		r->freeze_sum = old->freeze_sum;
	}
	ramp_gear_share_look(r, now);
	ramp_gear_bounds(sch);
	if (q->clock)
		ramp_clock_follow(q->clock, gear);
	r->empty = now;
	r->resting = true;
	ramp_gear_arm(sch, now);
}

/**
 * ramp_gear_commit - put gears in force
 * @sch: ramp qdisc, whose other parameters are in force
 * @gear: from ramp_gear_prepare()
 *
 * Context: RTNL and root lock, or before the qdisc is in use.
 *
 * Return: for kfree()
 */
struct ramp_gear *ramp_gear_commit(struct Qdisc *sch, struct ramp_gear *gear)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *old = q->gear;
	u64 now = ktime_get_ns();

	if (ramp_gear_same(old, gear)) {
		old->law = gear->law;
		ramp_gear_renew(sch, now);
		if (q->clock)
			ramp_clock_follow(q->clock, old->g.gear);
		return gear;
	}
	if (old && old->frozen)
		ramp_gear_thaw(sch, now);
	q->gear = gear;
	q->geared = !!gear;
	ramp_bands_mark(sch);
	ramp_whole_set(q);
	if (gear)
		ramp_gear_begin(sch, old, now);
	else if (old)
		ramp_timer_start(sch, now);
	return old;
}

/**
 * ramp_gear_follow - links may allow another gear
 * @sch: ramp qdisc with gears
 * @seen: links as they are
 * @top: the highest one
 *
 * Context: RTNL; takes the root lock.
 */
void ramp_gear_follow(struct Qdisc *sch, const struct ramp_gears_ports *seen,
		      u32 top)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;

	sch_tree_lock(sch);
	r->law.seen = *seen;
	r->law.p.top = top;
	ramp_gear_renew(sch, ktime_get_ns());
	sch_tree_unlock(sch);
}

/**
 * ramp_gear_start - start the timer that a qdisc not yet in use has lost
 * @sch: ramp qdisc
 *
 * It fires into what was there before, and on a port where nothing comes nobody
 * else looks whether it is time for the idle gear.
 *
 * Context: RTNL; takes the root lock.
 */
void ramp_gear_start(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	sch_tree_lock(sch);
	if (q->geared)
		ramp_gear_arm(sch, ramp_gear_when(q));
	sch_tree_unlock(sch);
}

/**
 * ramp_gear_reset - nothing waits any more, and nothing is under way
 * @sch: ramp qdisc
 *
 * Context: root lock.
 */
void ramp_gear_reset(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;
	u64 now;

	if (!r)
		return;
	now = ktime_get_ns();
	r->wake = U64_MAX;
	r->put_off = false;
	if (r->frozen)
		ramp_gear_thaw(sch, now);
	ramp_gear_bounds(sch);
	r->resting = false;
	ramp_gear_empty(sch, now);
}
