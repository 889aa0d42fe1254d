// SPDX-License-Identifier: GPL-2.0
/*
 * Rails: who is on which. A rail is there as long as a qdisc is on it.
 *
 * Joining and leaving is no surge, whatever waits in the qdisc that comes or goes:
 * the level is found anew.
 */

#include <linux/ktime.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/sock.h>

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
static struct ramp_net *ramp_rails_of(const struct net *net)
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
static struct ramp_rail *ramp_rail_lookup(const struct net *net, u32 id)
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
static bool ramp_rail_replaced(const struct Qdisc *sch, const struct ramp_rail *r)
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
	spin_lock_init(&r->lock);
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
static struct ramp_rail *ramp_rail_get(const struct Qdisc *sch, u32 id,
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
	mq->handle = sch->handle;
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
static u64 ramp_rail_batch(const struct ramp_edge_params *p, u32 count)
{
	return div_u64(ramp_edge_range(p), RAMP_RAIL_PARTS * count);
}

/* Members count differently from now on, and are to see it. */
static void ramp_rail_renew(struct ramp_rail *r)
{
	const struct ramp_plan *plan = &r->engine.plan;
	u64 slot = ramp_edge_slot(&plan->ingress);
	struct ramp_slope_params room;

	r->batch = min_t(u64, U32_MAX, ramp_rail_batch(&plan->level, r->count));
	/* More queues may come to be in use than there were when this was accepted. */
	r->batch_flow = max_t(u64, 1, ramp_rail_batch(&plan->ingress, r->count));
	r->engine.mark_gap = slot * DIV_ROUND_UP(r->count, RAMP_RAIL_ASKED);
	r->engine.slew.rest = ramp_slew_rest(ramp_slew_params(&r->engine, &room),
					     ramp_slew_gap(&r->engine));
	ramp_rail_poke(r);
}

/* Other parameters, or other members. Auto is as many bands as there are. */
static void ramp_rail_update(struct ramp_rail *r, const struct ramp_plan *plan,
			     u32 changed)
{
	struct ramp_engine *e = &r->engine;
	struct ramp_plan new = *plan;
	u64 level;

	if (new.members && new.members_auto)
		new.level.high = max_t(u64, new.level.low + 1, r->counted);
	if (changed || memcmp(&new, &e->plan, sizeof(new))) {
		ramp_rail_ask(r);
		level = ramp_open_level(e, &new.slope, e->now);
		ramp_engine_change(e, &new, level, changed);
		ramp_rail_wake(r);
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
	q->own.meter.sum = 0;
	q->own.meter.running = true;

	spin_lock_bh(&r->lock);
	e->now = ktime_get_ns();
	if (!r->count) {
		e->sch = sch;
		e->plan = *plan;
		ramp_engine_init(e);
	}
	ramp_tick(e, e->now);
	list_add_tail(&q->member.list, &r->members);
	r->count++;
	e->users = r->count;
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
	spin_unlock_bh(&r->lock);
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

	spin_lock_bh(&r->lock);
	e->now = ktime_get_ns();
	ramp_tick(e, e->now);
	plan = e->plan;
	was = e->slope;
	held = was.dir && q->waiting;
	ramp_rail_release(q);
	ramp_mark_member(q, &sent);
	ramp_mark_shift(e, &sent, true);
	list_del(&m->list);
	r->count--;
	e->users = r->count;
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
	}
	spin_unlock_bh(&r->lock);

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
 * ramp_rail_move - take a qdisc off the rail that it is on, and put it on another
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
		q->own.meter.sum = 0;

	spin_lock_bh(&r->lock);
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
	spin_unlock_bh(&r->lock);
	if (q->waiting)
		ramp_timer_start(sch, q->own.now);
}

/*
 * Rails: what their members have in common. All under RTNL.
 *
 * Of a rail are rate, detect, queue, members, ingress, window, monitor, tick,
 * start, step, pause, hold, down-step, floor, adaptive and cease: each member has a
 * copy of them, so that whatever it is asked is answered as by the others. Limits,
 * bands and what is said of them are each member's own.
 *
 * Nothing of a rail may depend on a member. The rate is the rail's, and so are
 * percentages of it; those of a limit would be as many numbers as there are members.
 */

/**
 * ramp_rail_copy - take over what members of a rail have in common
 * @to: configuration of a member
 * @from: that of another one
 *
 * Context: RTNL.
 */
void ramp_rail_copy(struct ramp_config *to, const struct ramp_config *from)
{
	to->rail = from->rail;
	to->rate = from->rate;
	to->detect = from->detect;
	to->queue = from->queue;
	to->members = from->members;
	to->ingress = from->ingress;
	to->window = from->window;
	to->monitor = from->monitor;
	to->tick = from->tick;
	to->pause = from->pause;
	to->hold = from->hold;
	memcpy(to->amount, from->amount, sizeof(to->amount));
	to->cease = from->cease;
	to->cease_time = from->cease_time;
	to->adaptive = from->adaptive;
}

static const struct ramp_sched_data *ramp_rail_any(const struct ramp_rail *r)
{
	return list_first_entry(&r->members, struct ramp_sched_data,
				member.list);
}

/**
 * ramp_rail_adopt - a message names a rail
 * @sch: ramp qdisc
 * @config: gets the parameters of that rail, if somebody is on it
 * @id: of the rail, 0: none
 *
 * What else the message names comes after that, and is for the whole rail.
 *
 * Context: RTNL.
 */
void ramp_rail_adopt(const struct Qdisc *sch, struct ramp_config *config,
		     u32 id)
{
	const struct ramp_rail *r;

	if (id && id != config->rail && !config->mq) {
		r = ramp_rail_lookup(dev_net(qdisc_dev(sch)), id);
		if (r)
			ramp_rail_copy(config, &ramp_rail_any(r)->config);
	}
	config->rail = id;
}

/**
 * ramp_rail_config - can all members of a rail have these parameters?
 * @config: what was named is in it
 * @extack: for the message
 *
 * Context: RTNL.
 *
 * Return: 0, or -EINVAL with the message in @extack
 */
int ramp_rail_config(const struct ramp_config *config,
		     struct netlink_ext_ack *extack)
{
	u32 detect = config->detect;

	if (!config->rail)
		return 0;
	if (config->mq) {
		NL_SET_ERR_MSG(extack,
			       "rail: none, as the queues of a ramp_mq are on one of their own");
		return -EINVAL;
	}
	if (!config->rate) {
		NL_SET_ERR_MSG(extack,
			       "rail: rate: 8kbit..2^40 bytes/s of all members together, not auto");
		return -EINVAL;
	}
	if ((detect == RAMP_DETECT_QUEUE || detect == RAMP_DETECT_BOTH) &&
	    config->queue.unit == RAMP_UNIT_PERCENT) {
		NL_SET_ERR_MSG(extack,
			       "rail: queue: LOW:HIGH or +DELTA, packets, not percent");
		return -EINVAL;
	}
	return 0;
}

/* What ramp_edge_range() is, as the user named it. */
static const char *ramp_rail_bound(const struct ramp_edge_params *p)
{
	return p->delta ? "DELTA" : "HIGH - LOW";
}

/* How many are on the rail of a ramp_mq, once all are made. */
static u32 ramp_mq_members(const struct Qdisc *sch)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);

	return max_t(u32, q->mq->rail.count,
		     min_t(u32, qdisc_dev(sch)->real_num_tx_queues,
			   RAMP_RAIL_MEMBERS_MAX));
}

/* Can a qdisc be on a rail, and the rail be so? */
static int ramp_rail_check(struct Qdisc *sch, const struct ramp_rail *r,
			   const struct ramp_plan *plan,
			   struct netlink_ext_ack *extack)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	u32 count = r->count;

	if (q->mq)
		count = ramp_mq_members(sch);
	else if (q->rail != r && !ramp_rail_replaced(sch, r))
		count++;
	if (count > RAMP_RAIL_MEMBERS_MAX) {
		NL_SET_ERR_MSG(extack, "rail: at most 256 members");
		return -ENOSPC;
	}
	if (plan->watch_level && !plan->members &&
	    !ramp_rail_batch(&plan->level, count)) {
		ramp_say_queue(extack, ramp_rail_bound(&plan->level),
			       ramp_edge_range(&plan->level),
			       RAMP_RAIL_PARTS * count, RAMP_RAIL_PARTS);
		return -EINVAL;
	}
	if (plan->watch_ingress && !ramp_rail_batch(&plan->ingress, count)) {
		ramp_say_ingress(extack, ramp_rail_bound(&plan->ingress),
				 ramp_edge_range(&plan->ingress),
				 RAMP_RAIL_PARTS * count, RAMP_RAIL_PARTS);
		return -EINVAL;
	}
	return 0;
}

/**
 * ramp_rail_named - the rail that a configuration names
 * @sch: ramp qdisc
 * @config: configuration
 * @plan: what it amounts to
 * @rail: the rail, to be followed by ramp_rail_put(), or NULL if it names none; of a
 *	ramp_mq that of the ramp_mq, or NULL if it is not on it
 * @extack: for the message
 *
 * Context: RTNL.
 *
 * Return: 0, or a negative error with the message in @extack
 */
int ramp_rail_named(struct Qdisc *sch, const struct ramp_config *config,
		    const struct ramp_plan *plan, struct ramp_rail **rail,
		    struct netlink_ext_ack *extack)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_rail *r;
	int err;

	*rail = NULL;
	if (!ramp_config_shared(config))
		return 0;
	if (q->mq)
		r = ramp_mq_is_on_rail(sch) ? &q->mq->rail : NULL;
	else
		r = ramp_rail_get(sch, config->rail, extack);
	if (IS_ERR_OR_NULL(r))
		return PTR_ERR_OR_ZERO(r);
	err = ramp_rail_check(sch, r, plan, extack);
	if (err)
		ramp_rail_put(r);
	else
		*rail = r;
	return err;
}

/*
 * Generic netlink family "ramp": the rails of a network namespace, and who is on
 * them.
 */

static const struct nla_policy ramp_rail_policy[RAMP_A_RAIL + 1] = {
	[RAMP_A_RAIL]	= { .type = NLA_U32 },
};

static size_t ramp_rail_size(u32 members)
{
	return NLMSG_ALIGN(GENL_HDRLEN) + 2 * nla_total_size(sizeof(u32)) +
	       nla_total_size(0) +
	       members * (nla_total_size(0) + 3 * nla_total_size(sizeof(u32)));
}

static int ramp_put_member(struct sk_buff *skb, const struct Qdisc *sch)
{
	struct nlattr *nest = nla_nest_start(skb, RAMP_A_MEMBERS_ENTRY);

	if (!nest ||
	    nla_put_u32(skb, RAMP_A_MEMBER_IFINDEX, qdisc_dev(sch)->ifindex) ||
	    nla_put_u32(skb, RAMP_A_MEMBER_HANDLE, sch->handle) ||
	    nla_put_u32(skb, RAMP_A_MEMBER_PARENT, sch->parent))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int ramp_put_members(struct sk_buff *skb, const struct ramp_rail *r)
{
	struct nlattr *list = nla_nest_start(skb, RAMP_A_MEMBERS);
	const struct ramp_sched_data *q;

	if (!list)
		return -EMSGSIZE;
	list_for_each_entry(q, &r->members, member.list)
		if (ramp_put_member(skb, q->sch))
			return -EMSGSIZE;
	nla_nest_end(skb, list);
	return 0;
}

/* A rail, in a message of its own; @cb for one of many. */
static int ramp_rail_fill(struct sk_buff *skb, struct ramp_rail *r, u32 portid,
			  u32 seq, struct netlink_callback *cb)
{
	u32 state;
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &ramp_family, cb ? NLM_F_MULTI : 0,
			  RAMP_CMD_RAIL_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (cb)
		genl_dump_check_consistent(cb, hdr);

	spin_lock_bh(&r->lock);
	r->engine.now = ktime_get_ns();
	ramp_tick(&r->engine, r->engine.now);
	state = ramp_engine_state(&r->engine);
	spin_unlock_bh(&r->lock);

	if (nla_put_u32(skb, RAMP_A_RAIL, r->id) ||
	    nla_put_u32(skb, RAMP_A_STATE, state) ||
	    ramp_put_members(skb, r)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* Tells about one rail. */
static int ramp_rail_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *id = info->attrs[RAMP_A_RAIL];
	struct sk_buff *msg;
	struct ramp_rail *r;
	int err;

	if (!id) {
		NL_SET_ERR_MSG(info->extack, "rail: 1..4294967295, or dump all");
		return -EINVAL;
	}

	rtnl_lock();
	err = -ENOENT;
	r = ramp_rail_lookup(genl_info_net(info), nla_get_u32(id));
	if (!r) {
		NL_SET_BAD_ATTR(info->extack, id);
		NL_SET_ERR_MSG(info->extack, "rail: does not exist");
		goto unlock;
	}
	err = -ENOMEM;
	msg = genlmsg_new(ramp_rail_size(r->count), GFP_KERNEL);
	if (!msg)
		goto unlock;
	err = ramp_rail_fill(msg, r, info->snd_portid, info->snd_seq, NULL);
	rtnl_unlock();
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	return genlmsg_reply(msg, info);

unlock:
	rtnl_unlock();
	return err;
}

static int ramp_rail_start(struct netlink_callback *cb)
{
	/* One of them has to fit. */
	cb->min_dump_alloc = NLMSG_HDRLEN +
			     ramp_rail_size(RAMP_RAIL_MEMBERS_MAX);
	return 0;
}

/* Tells about the next rails. */
static int ramp_rail_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct ramp_net *rn;
	struct ramp_rail *r;
	long index = 0;
	int err = 0;

	rtnl_lock();
	rn = ramp_rails_of(sock_net(skb->sk));
	cb->seq = rn->seq;
	list_for_each_entry(r, &rn->rails, list) {
		if (index++ < cb->args[0])
			continue;
		err = ramp_rail_fill(skb, r, NETLINK_CB(cb->skb).portid,
				     cb->nlh->nlmsg_seq, cb);
		if (err)
			break;
		cb->args[0] = index;
	}
	rtnl_unlock();
	return skb->len ?: err;
}

const struct genl_ops ramp_rail_op = {
	.cmd		= RAMP_CMD_RAIL_GET,
	.policy		= ramp_rail_policy,
	.maxattr	= RAMP_A_RAIL,
	.doit		= ramp_rail_doit,
	.start		= ramp_rail_start,
	.dumpit		= ramp_rail_dumpit,
};
