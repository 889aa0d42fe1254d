// SPDX-License-Identifier: GPL-2.0
/*
 * Rails: who is on which. A rail is there as long as a qdisc is on it.
 *
 * What waits in a qdisc that joins or leaves does not count as a surge: the
 * level is found anew.
 */

#include <linux/ktime.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "ramp.h"

/* Members that are asked for what they sent, at most, per slot */
#define RAMP_RAIL_ASKED		32

static unsigned int ramp_net_id __read_mostly;

/**
 * ramp_rails_of - the rails of a network namespace
 * @net: network namespace
 *
 * Return: the rails
 */
struct ramp_net *ramp_rails_of(const struct net *net)
{
	return net_generic(net, ramp_net_id);
}

static int __net_init ramp_net_init(struct net *net)
{
	struct ramp_net *rn = ramp_rails_of(net);

	rn->seq = 1;
	INIT_LIST_HEAD(&rn->rails);
	return 0;
}

/* The devices went before, and their qdiscs with them. */
static void __net_exit ramp_net_exit(struct net *net)
{
	struct ramp_net *rn = ramp_rails_of(net);

	WARN_ON_ONCE(!list_empty(&rn->rails));
}

static struct pernet_operations ramp_net_ops = {
	.init	= ramp_net_init,
	.exit	= ramp_net_exit,
	.id	= &ramp_net_id,
	.size	= sizeof(struct ramp_net),
};

/**
 * ramp_rails_register - begin to have rails
 *
 * Return: 0 or a negative error
 */
int ramp_rails_register(void)
{
	return register_pernet_subsys(&ramp_net_ops);
}

/**
 * ramp_rails_unregister - have no rails any more; no qdisc is left
 */
void ramp_rails_unregister(void)
{
	unregister_pernet_subsys(&ramp_net_ops);
}

/**
 * ramp_rail_lookup - find a rail
 * @net: network namespace
 * @id: of the rail
 *
 * Context: RTNL.
 *
 * Return: the rail, or NULL
 */
struct ramp_rail *ramp_rail_lookup(const struct net *net, u32 id)
{
	struct ramp_rail *r;

	ASSERT_RTNL();
	list_for_each_entry(r, &ramp_rails_of(net)->rails, list)
		if (r->id == id)
			return r;
	return NULL;
}

/**
 * ramp_rail_replaced - does a member make room for a qdisc?
 * @sch: ramp qdisc
 * @r: rail
 *
 * What a qdisc replaces is still there while the qdisc is made. Both have the
 * same parent.
 *
 * Context: RTNL.
 *
 * Return: true if the rail has a member that goes when @sch comes
 */
bool ramp_rail_replaced(const struct Qdisc *sch, const struct ramp_rail *r)
{
	const struct ramp_sched_data *q;

	list_for_each_entry(q, &r->members, member.list)
		if (q->sch != sch && q->sch->parent == sch->parent &&
		    qdisc_dev(q->sch) == qdisc_dev(sch))
			return true;
	return false;
}

/* Is there a rail whose only member makes room for a qdisc? */
static bool ramp_rail_ends(const struct Qdisc *sch, const struct ramp_net *rn)
{
	const struct ramp_rail *r;

	list_for_each_entry(r, &rn->rails, list)
		if (r->count == 1 && ramp_rail_replaced(sch, r))
			return true;
	return false;
}

/* A rail, zeroed, that nobody is on. */
static void ramp_rail_init(struct ramp_rail *r, const struct Qdisc *sch)
{
	r->net = ramp_rails_of(dev_net(qdisc_dev(sch)));
	r->engine.ops = &ramp_rail_engine_ops;
	r->engine.waiting = &r->waiting;
	r->engine.meter = &r->meter;
	r->engine.slew = &r->slew;
	spin_lock_init(&r->lock);
	INIT_LIST_HEAD(&r->waits);
	INIT_LIST_HEAD(&r->waits_served);
	INIT_LIST_HEAD(&r->members);
	hrtimer_setup(&r->timer, ramp_rail_fire, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}

/**
 * ramp_rail_get - a rail that a qdisc can join
 * @sch: ramp qdisc
 * @id: of the rail; one that is not there is made
 * @extack: for the message
 *
 * To be followed by ramp_rail_put(), whether or not the qdisc joined it.
 *
 * Context: RTNL.
 *
 * Return: the rail, or an error
 */
struct ramp_rail *ramp_rail_get(const struct Qdisc *sch, u32 id,
				struct netlink_ext_ack *extack)
{
	const struct net *net = dev_net(qdisc_dev(sch));
	struct ramp_rail *r = ramp_rail_lookup(net, id);
	struct ramp_net *rn = ramp_rails_of(net);

	if (r)
		return r;
	if (rn->count >= RAMP_RAILS_MAX && !ramp_rail_ends(sch, rn)) {
		NL_SET_ERR_MSG(extack,
			       "rail: at most 64 rails in a network namespace");
		return ERR_PTR(-ENOSPC);
	}
	r = kzalloc_obj(*r, GFP_KERNEL_ACCOUNT);
	if (!r)
		return ERR_PTR(-ENOMEM);

	ramp_rail_init(r, sch);
	r->id = id;
	list_add_tail(&r->list, &rn->rails);
	rn->count++;
	rn->seq++;
	return r;
}

/**
 * ramp_rail_put - remove a rail that nobody is on
 * @r: rail, or NULL; that of a ramp_mq goes with that
 *
 * Context: RTNL, without the lock of the rail.
 */
void ramp_rail_put(struct ramp_rail *r)
{
	if (!r || r->count || r->unnamed)
		return;
	list_del(&r->list);
	r->net->count--;
	r->net->seq++;
	hrtimer_cancel(&r->timer);
	kfree(r);
}

/**
 * ramp_mq_get - make what a ramp_mq and its ramps have in common
 * @sch: ramp_mq, which is its first user
 *
 * Context: RTNL, may sleep.
 *
 * Return: that, or NULL
 */
struct ramp_mq *ramp_mq_get(const struct Qdisc *sch)
{
	struct ramp_mq *mq = kzalloc_obj(*mq, GFP_KERNEL_ACCOUNT);

	if (!mq)
		return NULL;
	ramp_rail_init(&mq->rail, sch);
	mq->rail.unnamed = true;
	mq->users = 1;
	return mq;
}

/**
 * ramp_mq_put - what all have in common has a user less
 * @mq: that, or NULL
 *
 * Context: RTNL.
 */
void ramp_mq_put(struct ramp_mq *mq)
{
	if (!mq || --mq->users)
		return;
	hrtimer_cancel(&mq->rail.timer);
	kfree(mq);
}

/**
 * ramp_rail_batch - what members may count before they tell the rail
 * @p: thresholds of the level
 * @count: members
 *
 * Return: in the unit of the level
 */
u64 ramp_rail_batch(const struct ramp_edge_params *p, u32 count)
{
	return div_u64(ramp_edge_range(p), RAMP_RAIL_PARTS * count);
}

/* Members count differently from now on, and are to see it. */
static void ramp_rail_renew(struct ramp_rail *r)
{
	const struct ramp_plan *plan = &r->engine.plan;
	u64 slot = ramp_edge_slot(&plan->ingress);

	r->batch = min_t(u64, U32_MAX, ramp_rail_batch(&plan->level, r->count));
	/* More queues may come to be in use than there were when this was
	 * accepted.
	 */
	r->batch_flow = max_t(u64, 1,
			      ramp_rail_batch(&plan->ingress, r->count));
	r->engine.mark_gap = slot * DIV_ROUND_UP(r->count, RAMP_RAIL_ASKED);
	ramp_rail_poke(r);
}

static u32 ramp_rail_mtu(const struct ramp_rail *r)
{
	const struct ramp_sched_data *q;
	u32 mtu = 0;

	list_for_each_entry(q, &r->members, member.list) {
		mtu = max(mtu, ramp_mtu(q->sch));
		/* Those of a ramp_mq have one device. */
		if (r->unnamed)
			break;
	}
	return mtu;
}

/* Other parameters, or other members. Auto is as many bands as there are, and
 * the limiter's tick has room for the longest packets of all, whoever of them
 * brings the parameters.
 */
static void ramp_rail_update(struct ramp_rail *r, const struct ramp_plan *plan,
			     u32 changed)
{
	struct ramp_engine *e = &r->engine;
	struct ramp_plan new = *plan;
	u64 level;

	if (new.members && new.members_auto)
		new.level.high = max_t(u64, new.level.low + 1, r->counted);
	if (new.always)
		ramp_slew_stretch(&new.slope, ramp_rail_mtu(r));
	if (changed || memcmp(&new, &e->plan, sizeof(new))) {
		ramp_rail_ask(r);
		level = ramp_open_level(e, &new.slope, e->now);
		ramp_engine_change(e, &new, level, changed);
		ramp_rail_next(r);
		ramp_arm(e);
	}
	ramp_rail_renew(r);
}

/**
 * ramp_rail_join - put a qdisc on a rail
 * @sch: ramp qdisc that is on none
 * @r: rail; its first member makes it begin
 * @plan: its parameters
 *
 * Context: RTNL, and root lock or before the qdisc is in use.
 */
void ramp_rail_join(struct Qdisc *sch, struct ramp_rail *r,
		    const struct ramp_plan *plan)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_engine *e = &r->engine;
	struct ramp_slope was = {};
	struct ramp_mark sent = {};
	bool held = false;

	if (q->own.slope.dir) {
		held = q->waiting;
		was = q->own.slope;
		ramp_stop(&q->own, ktime_get_ns());
	}
	ramp_timer_cancel(sch);
	r->net->seq++;
	q->own.plan = *plan;
	ramp_whole_set(q);
	q->meter.sum = 0;
	q->meter.running = true;

	ramp_rail_lock_bh(r);
	e->now = ktime_get_ns();
	if (!r->count) {
		e->sch = sch;
		e->plan = *plan;
		ramp_engine_init(e);
	}
	ramp_tick(e, e->now);
	INIT_LIST_HEAD(&q->member.wait);
	list_add_tail(&q->member.list, &r->members);
	r->count++;
	r->counted += ramp_law_counted(&q->law);
	/* As if it had sent all that before. */
	ramp_mark_member(q, &sent);
	ramp_mark_shift(e, &sent, false);

	q->rail = r;
	q->engine = e;
	ramp_rail_tell(q);
	ramp_rail_update(r, plan, q->waiting ? RAMP_CHANGED_LEVEL : 0);
	/* What its own ramp held back goes on as a ramp of all. */
	if (held && !e->slope.dir)
		ramp_let_out(e, &was, 0,
			     ramp_open_level(e, &plan->slope, e->now), e->now);
	ramp_rail_take(q);
	ramp_rail_unlock_bh(r);
	/* What waits may have waited for a tick of its own. */
	if (q->waiting)
		ramp_timer_start(sch, e->now);
}

/**
 * ramp_rail_leave - take a qdisc off its rail
 * @sch: ramp qdisc on a rail
 *
 * It has an engine of its own then, with the parameters that the rail had. The
 * caller follows up with ramp_rail_put().
 *
 * Context: RTNL, and root lock or after the qdisc was in use.
 */
void ramp_rail_leave(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_member *m = &q->member;
	struct ramp_rail *r = q->rail;
	struct ramp_engine *e = &r->engine;
	struct ramp_mark sent = {};
	struct ramp_slope was;
	struct ramp_plan plan;
	bool held;

	ramp_rail_lock_bh(r);
	e->now = ktime_get_ns();
	ramp_tick(e, e->now);
	plan = e->plan;
	was = e->slope;
	held = was.dir && q->waiting;
	ramp_rail_release(q);
	ramp_mark_member(q, &sent);
	ramp_mark_shift(e, &sent, true);
	ramp_rail_forget(q);
	list_del(&m->list);
	r->count--;
	r->counted -= ramp_law_counted(&q->law);
	r->waiting -= m->waiting;
	r->busy -= m->busy;
	if (r->count) {
		e->sch = list_first_entry(&r->members, struct ramp_sched_data,
					  member.list)->sch;
		if (e->slope.dir == RAMP_DOWN && !r->waiting)
			ramp_done(e, e->now);
		ramp_rail_update(r, &plan,
				 m->waiting ? RAMP_CHANGED_LEVEL : 0);
		ramp_rail_next(r);
	} else {
		e->sch = NULL;
	}
	ramp_rail_unlock_bh(r);

	r->net->seq++;
	memset(m, 0, sizeof(*m));
	q->rail = NULL;
	q->engine = &q->own;
	q->held = false;
	q->narrow = false;
	q->own.now = ktime_get_ns();
	ramp_engine_init(&q->own);
	ramp_detect_change(&q->own, &q->own.plan,
			   RAMP_CHANGED_LEVEL | RAMP_CHANGED_BANDS, q->own.now);
	/* The others have what the rail allows. */
	if (held && !q->own.slope.dir)
		ramp_let_out(&q->own, &was, 0, 0, q->own.now);
	/* The head may have waited for a tick of the rail. */
	if (q->waiting)
		ramp_timer_start(sch, q->own.now);
}

/**
 * ramp_rail_move - take a qdisc off the rail that it is on, and put it on
 *	another
 * @sch: ramp qdisc
 * @r: rail, or NULL
 * @plan: its parameters
 *
 * Context: RTNL and root lock.
 */
void ramp_rail_move(struct Qdisc *sch, struct ramp_rail *r,
		    const struct ramp_plan *plan)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->rail)
		ramp_rail_leave(sch);
	if (r)
		ramp_rail_join(sch, r, plan);
}

/**
 * ramp_rail_change - parameters of a rail, or bands of a member, are others
 * @sch: ramp qdisc on the rail, with its new bands
 * @plan: parameters
 * @counted: bands that the gate counted before
 * @changed: what the rail sees now is not what it saw before
 *
 * Context: RTNL and root lock.
 */
void ramp_rail_change(struct Qdisc *sch, const struct ramp_plan *plan,
		      u32 counted, u32 changed)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_rail *r = q->rail;

	if (q->own.plan.watch_ingress != plan->watch_ingress ||
	    q->own.plan.pps != plan->pps)
		q->meter.sum = 0;

	ramp_rail_lock_bh(r);
	r->engine.now = ktime_get_ns();
	q->own.now = r->engine.now;
	ramp_tick(&r->engine, r->engine.now);
	r->counted += ramp_law_counted(&q->law) - counted;
	q->own.plan = *plan;
	ramp_whole_set(q);
	q->member.shut = 0;
	ramp_rail_tell(q);
	ramp_rail_update(r, plan, changed);
	ramp_rail_take(q);
	ramp_rail_unlock_bh(r);
	if (q->waiting)
		ramp_timer_start(sch, q->own.now);
}
