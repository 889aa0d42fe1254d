// SPDX-License-Identifier: GPL-2.0
/*
 * The ramp qdisc as the others see it: it is made, changed, emptied and taken
 * down.
 */

#include <linux/module.h>
#include <net/netlink.h>
#include <net/pkt_cls.h>

#include "../extack_keep.h"
#include "ramp.h"

/* What children did since they were last called. */
static void ramp_settle(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_band *b;

	for (b = q->band; b < q->band + q->law.bands; b++) {
		if (!b->child)
			continue;
		ramp_child_settle(sch, b, 0);
		ramp_rung_check(sch, b);
	}
	ramp_removed(sch);
}

static void ramp_fill_engine(struct tc_ramp_xstats *st,
			     const struct ramp_engine *e)
{
	st->state = ramp_engine_state(e);
	st->allowance_unit = e->plan.slope.packets ? RAMP_UNIT_PACKETS :
						     RAMP_UNIT_RATE;
	st->allowance = e->slope.dir ? e->slope.allowance : 0;
	/* Nobody has looked since it could have risen, or ever. */
	if (ramp_is_slewing(e) && !e->shut &&
	    (!st->allowance ||
	     e->now - e->slew->last > 2 * e->plan.slope.tick))
		st->allowance = e->plan.slope.start;
	st->surges_up = e->surges_up;
	st->surges_down = e->surges_down;
	st->surges_self = e->surges_self;
	st->down_empty = e->down_empty;
	st->ramps = e->ramps;
	st->ramps_done = e->ramps_done;
	st->ramps_turned = e->ramps_turned;
	st->ticks = e->ticks;
	st->ticks_late = e->ticks_late;
	st->ramp_ns = e->ramp_ns;
	if (e->slope.dir && !ramp_is_slewing(e))
		st->ramp_ns += e->now - e->began;
}

/**
 * ramp_read_stats - read the counters as they are at one moment
 * @sch: ramp qdisc
 * @st: to be filled, zeroed
 *
 * Context: RTNL and root lock.
 */
void ramp_read_stats(struct Qdisc *sch, struct tc_ramp_xstats *st)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_count count;
	u32 i;

	ramp_settle(sch);
	ramp_gate_sync(sch);
	ramp_timer_look(sch);
	count = q->gone;
	for (i = 0; i < q->law.bands; i++) {
		ramp_count_add(&count, &q->band[i]);
		st->queued += ramp_band_queued(&q->band[i]);
	}
	if (ramp_on_rail(q)) {
		ramp_rail_lock(q->rail);
		ramp_fill_engine(st, q->engine);
		ramp_rail_unlock(q->rail);
	} else {
		ramp_fill_engine(st, q->engine);
	}
	if (ramp_is_geared(q) && q->gear->frozen)
		st->state = RAMP_STATE_FROZEN;
	st->enqueued = count.enqueued;
	st->dequeued = count.dequeued;
	st->dropped = count.dropped;
	st->split_extra = count.split_extra;
	st->delayed = q->delayed;
	st->events_lost = ramp_events_lost(sch);
	ramp_send_stats(sch, st);
	ramp_obey_stats(q, st);
	ramp_gear_stats(sch, st);
}

/**
 * ramp_copy_stats - put counters into a message
 * @d: dump
 * @st: counters
 *
 * Not a second time, as TCA_XSTATS for those who do not know TCA_STATS2: the
 * core tells of a qdisc that takes the place of another one in one message of
 * a page, and of two ramps it would tell nothing.
 *
 * Return: 0 or a negative error
 */
int ramp_copy_stats(struct gnet_dump *d, struct tc_ramp_xstats *st)
{
	d->compat_xstats = 0;
	return gnet_stats_copy_app(d, st, sizeof(*st));
}

/**
 * ramp_dump_stats - show the counters as they are at one moment
 * @sch: ramp qdisc
 * @d: dump
 *
 * Context: RTNL; takes the root lock.
 *
 * Return: 0 or a negative error
 */
int ramp_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct tc_ramp_xstats st = {};

	sch_tree_lock(sch);
	ramp_read_stats(sch, &st);
	sch_tree_unlock(sch);

	return ramp_copy_stats(d, &st);
}

/**
 * ramp_dump_class_stats - show the counters of a band
 * @sch: ramp qdisc
 * @b: band
 * @d: dump
 *
 * Context: RTNL; takes the root lock.
 *
 * Return: 0 or a negative error
 */
static int ramp_dump_class_stats(struct Qdisc *sch, struct ramp_band *b,
				 struct gnet_dump *d)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct tc_ramp_class_xstats st = {};
	struct gnet_stats_queue qstats = {};

	sch_tree_lock(sch);
	ramp_settle(sch);
	ramp_peer_timer(sch, ktime_get_ns());
	st.limit = b->child ? 0 : q->law.band_limit[b - q->band];
	st.exempt = ramp_is_exempt(q, b);
	st.enqueued = b->enqueued;
	st.dequeued = b->dequeued;
	st.dropped = b->dropped;
	st.split_extra = b->split_extra;
	st.queued = ramp_band_queued(b);
	ramp_send_class_stats(q, b, &st);
	ramp_obey_class_stats(q, b, &st);
	qstats.backlog = b->child ? b->child->qstats.backlog : b->backlog;
	qstats.drops = b->drops;
	sch_tree_unlock(sch);

	if (gnet_stats_copy_basic(d, NULL, &b->bstats, true) < 0 ||
	    gnet_stats_copy_queue(d, NULL, &qstats, st.queued) < 0)
		return -1;
	return gnet_stats_copy_app(d, &st, sizeof(st));
}

/*
 * Bands as classes: class H:N+1 is band N. They exist as long as the qdisc has
 * them, so a class is known by its minor number and nobody counts references.
 */

static unsigned long ramp_find(struct Qdisc *sch, u32 classid)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	unsigned long minor = TC_H_MIN(classid);

	return minor <= q->law.bands ? minor : 0;
}

/* A band without a child has a FIFO of our own, which is nobody's leaf. */
static struct Qdisc *ramp_leaf(struct Qdisc *sch, unsigned long class)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	return q->band[class - 1].child;
}

static int ramp_graft(struct Qdisc *sch, unsigned long class, struct Qdisc *new,
		      struct Qdisc **old, struct netlink_ext_ack *extack)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_band *b = &q->band[class - 1];

	sch_tree_lock(sch);
	ramp_band_purge(sch, b, false);
	ramp_rung_check(sch, b);
	*old = b->child;
	b->child = new;
	ramp_bands_mark(sch);
	ramp_removed(sch);
	sch_tree_unlock(sch);
	return 0;
}

/* The child became empty, perhaps without a call of ours. */
static void ramp_qlen_notify(struct Qdisc *sch, unsigned long class)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_band *b;

	/* A child that was given to another band as well has but one parent. */
	if (!class)
		return;
	b = &q->band[class - 1];
	if (!b->child || b->busy)
		return;
	ramp_child_settle(sch, b, 0);
	ramp_rung_check(sch, b);
	ramp_removed(sch);
}

static int ramp_dump_class(struct Qdisc *sch, unsigned long class,
			   struct sk_buff *skb, struct tcmsg *tcm)
{
	struct Qdisc *child = ramp_leaf(sch, class);

	tcm->tcm_handle |= class;
	tcm->tcm_info = child ? child->handle : 0;
	return 0;
}

static int ramp_class_stats(struct Qdisc *sch, unsigned long class,
			    struct gnet_dump *d)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	return ramp_dump_class_stats(sch, &q->band[class - 1], d);
}

static void ramp_walk(struct Qdisc *sch, struct qdisc_walker *walker)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 i;

	if (walker->stop)
		return;
	for (i = 0; i < q->law.bands; i++)
		if (!tc_qdisc_stats_dump(sch, i + 1, walker))
			return;
}

static void ramp_filters_change(struct tcf_proto *head, void *priv)
{
	struct ramp_sched_data *q = priv;

	rcu_assign_pointer(q->filter_list, head);
	WRITE_ONCE(q->filtered, !!head);
}

/* Where the filters are; @extack is for the message of whoever may add one, or
 * NULL for one that only looks at them.
 *
 * Made when first asked for: most qdiscs never have a filter, and of a device
 * that cannot offload any, the kernel walks a list of all such blocks whenever
 * one comes or goes.
 *
 * The class operations of a qdisc are not called without RTNL, as it does not
 * say that they may be.
 */
static struct tcf_block *ramp_block(struct Qdisc *sch,
				    struct netlink_ext_ack *extack)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct tcf_block_ext_info filters = {
		.chain_head_change	= ramp_filters_change,
		.chain_head_change_priv	= q,
	};

	ASSERT_RTNL();
	if (!q->block && extack &&
	    tcf_block_get_ext(&q->block, sch, &filters, extack))
		q->block = NULL;
	return q->block;
}

static struct tcf_block *ramp_tcf_block(struct Qdisc *sch, unsigned long class,
					struct netlink_ext_ack *extack)
{
	return class ? NULL : ramp_block(sch, extack);
}

static unsigned long ramp_bind_filter(struct Qdisc *sch, unsigned long parent,
				      u32 classid)
{
	return ramp_find(sch, classid);
}

static void ramp_unbind_filter(struct Qdisc *sch, unsigned long class)
{
}

const struct Qdisc_class_ops ramp_class_ops = {
	.graft		= ramp_graft,
	.leaf		= ramp_leaf,
	.qlen_notify	= ramp_qlen_notify,
	.find		= ramp_find,
	.walk		= ramp_walk,
	.tcf_block	= ramp_tcf_block,
	.bind_tcf	= ramp_bind_filter,
	.unbind_tcf	= ramp_unbind_filter,
	.dump		= ramp_dump_class,
	.dump_stats	= ramp_class_stats,
};

/* Most qdiscs of a namespace that ends have nothing, and others wait for RTNL.
 */
static void ramp_bands_reset(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	bool any = false;
	u32 i;

	for (i = 0; i < q->law.bands; i++) {
		if (!q->band[i].child && !q->band[i].fifo.qlen)
			continue;
		ramp_band_purge(sch, &q->band[i], true);
		ramp_rung_check(sch, &q->band[i]);
		any = true;
	}
	if (any)
		ramp_bands_mark(sch);
}

/* The kernel resets a qdisc once more before it destroys it. Nobody sees the
 * gate again then, but a ramp that runs comes to its end.
 */
static bool ramp_is_leaving(const struct Qdisc *sch)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);

	return !refcount_read(&sch->refcnt) &&
	       (!q->own.slope.dir || ramp_is_slewing(&q->own));
}

/**
 * ramp_reset - discard what there is, and begin anew
 * @sch: ramp qdisc
 *
 * Context: RTNL, and root lock or when the qdisc is not in use.
 */
void ramp_reset(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ramp_bands_reset(sch);
	/* The core does so afterwards. Until then it would look as if packets
	 * wait for a device that comes back.
	 */
	WRITE_ONCE(sch->q.qlen, 0);
	if (ramp_is_leaving(sch))
		return;
	q->promised = 0;
	ramp_timer_cancel(sch);
	ramp_gate_init(sch);
	ramp_peer_change(sch, q->own.now);
	ramp_gear_reset(sch);
}

/**
 * ramp_next_prepare - accept a change, and make all that it takes
 * @sch: ramp qdisc
 * @next: to be filled
 * @opt: TCA_OPTIONS, or NULL for what the qdisc has
 * @extack: for the message of an error or a warning
 *
 * To be followed by ramp_next_settle(), whether or not the change is put in
 * force, and whatever this returns.
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0, or a negative error with the message in @extack
 */
int ramp_next_prepare(struct Qdisc *sch, struct ramp_next *next,
		      struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_config *config = &next->config;
	struct ramp_change *c = &next->c;
	int err = 0;

	memset(c, 0, sizeof(*c));
	c->sch = sch;
	c->config = config;
	c->clock = q->clock;
	*config = q->config;
	next->old = q->rail;

	if (opt)
		err = ramp_parse(sch, config, opt, extack);
	if (!err)
		err = ramp_code_check(sch, config, extack);
	if (!err)
		err = ramp_gear_check(sch, config, extack);
	if (!err)
		err = ramp_change_resolve(c, ramp_link_rate(sch, config),
					  extack);
	if (!err)
		err = ramp_change_prepare(c, extack);
	if (!err)
		err = ramp_clock_prepare(&c->clock, ramp_gear_config(config));
	if (!err)
		err = ramp_rail_named(sch, config, &c->plan, &c->rail, extack);
	if (!err)
		err = ramp_rail_prepare(sch, c->rail, config);
	if (!err)
		err = ramp_watch_prepare(sch, config);
	if (!err)
		err = ramp_obey_prepare(sch, config, extack);
	return err;
}

/**
 * ramp_next_commit - put a change in force
 * @next: what ramp_next_prepare() accepted
 * @extack: for the message
 *
 * Context: RTNL, without root lock.
 *
 * Return: 0, or -EBUSY with the message in @extack when children are in the way
 */
int ramp_next_commit(struct ramp_next *next, struct netlink_ext_ack *extack)
{
	struct Qdisc *sch = next->c.sch;
	struct ramp_sched_data *q = qdisc_priv(sch);

	sch_tree_lock(sch);
	if (ramp_bands_busy(sch, next->c.law.bands)) {
		sch_tree_unlock(sch);
		NL_SET_ERR_MSG(extack,
			       "bands: a band that would go, or take its packets, holds a child");
		return -EBUSY;
	}
	ramp_obey_set(sch, &next->config);
	ramp_change_commit(&next->c);
	swap(q->config, next->config);
	sch_tree_unlock(sch);
	ramp_rail_spread(sch);
	return 0;
}

/**
 * ramp_next_settle - let go of what a change does not need, or did not come to
 *	need
 * @next: what ramp_next_prepare() was called for
 *
 * Context: RTNL, may sleep.
 */
void ramp_next_settle(struct ramp_next *next)
{
	struct Qdisc *sch = next->c.sch;
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_rail *rail = next->c.rail;

	ramp_rail_settle(rail);
	ramp_rail_put(rail);
	if (next->old != rail)
		ramp_rail_put(next->old);
	ramp_obey_commit(sch, &q->config);
	ramp_change_end(&next->c);
	ramp_watch_commit(sch);
	ramp_ports_changed(sch);
	ramp_config_free(&next->config, &q->config);
}

/* Also puts the first configuration in force, of a qdisc that has only
 * defaults.
 */
static int ramp_modify(struct Qdisc *sch, struct nlattr *opt,
		       struct netlink_ext_ack *extack)
{
	struct ramp_next next;
	int err;

	err = ramp_next_prepare(sch, &next, opt, extack);
	if (!err)
		err = ramp_next_commit(&next, extack);
	ramp_next_settle(&next);
	return err;
}

/**
 * ramp_prepare - what ramp_destroy() counts on
 * @sch: ramp qdisc, zeroed
 *
 * Context: before anything that can fail.
 */
void ramp_prepare(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ramp_timer_init(sch);
	INIT_LIST_HEAD(&q->list);
}

/**
 * ramp_make - begin to be a ramp
 * @sch: ramp qdisc, zeroed but for what it has in common with others of a
 *	ramp_mq
 * @opt: TCA_OPTIONS, or NULL
 * @extack: for the message of an error or a warning
 *
 * ramp_destroy() follows a failure, too.
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0, or a negative error with the message in @extack
 */
int ramp_make(struct Qdisc *sch, struct nlattr *opt,
	      struct netlink_ext_ack *extack)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	int i;

	ramp_prepare(sch);
	ramp_gate_make(sch);
	q->band = kcalloc(RAMP_BANDS_MAX, sizeof(*q->band), GFP_KERNEL_ACCOUNT);
	if (!q->band)
		return -ENOMEM;
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		gnet_stats_basic_sync_init(&q->band[i].bstats);
	ramp_config_init(&q->config);
	q->config.mq = q->mq;
	ramp_watch_begin(sch);
	return ramp_modify(sch, opt, extack);
}

/**
 * ramp_destroy - be no ramp any more
 * @sch: ramp qdisc that nobody uses any more, perhaps one that could not be
 *	made
 *
 * Context: RTNL, may sleep.
 */
void ramp_destroy(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_rail *rail = q->rail;
	u32 i;

	ramp_watch_end(sch);
	ramp_rate_end(sch);
	ramp_obey_destroy(sch);
	if (ramp_on_rail(q))
		ramp_rail_leave(sch);
	ramp_rail_put(rail);
	ramp_timer_cancel(sch);
	ramp_send_destroy(sch);
	ramp_mq_put(q->mq);
	ramp_events_destroy(sch);
	tcf_block_put(q->block);
	/* There is no law of one that could not be made. */
	for (i = 0; i < q->law.bands; i++)
		if (q->band[i].child)
			qdisc_put(q->band[i].child);
	/* Nobody reads them any more. To give back memory of that size is half
	 * of what the end of a ramp costs, and others wait for RTNL.
	 */
	if (q->band)
		kfree_rcu(q->band, rcu);
	q->band = NULL;
	ramp_clock_end(q->clock);
	ramp_gear_free(q->gear);
	ramp_config_free(&q->config, NULL);
}

static int ramp_init(struct Qdisc *sch, struct nlattr *opt,
		     struct netlink_ext_ack *extack)
{
	int err = ramp_make(sch, opt, extack);

	extack_keep(extack);
	return err;
}

static int ramp_change(struct Qdisc *sch, struct nlattr *opt,
		       struct netlink_ext_ack *extack)
{
	int err = ramp_modify(sch, opt, extack);

	extack_keep(extack);
	return err;
}

struct Qdisc_ops ramp_qdisc_ops __read_mostly = {
	.id		= "ramp",
	.cl_ops		= &ramp_class_ops,
	.priv_size	= sizeof(struct ramp_sched_data),
	.enqueue	= ramp_enqueue,
	.dequeue	= ramp_dequeue,
	.peek		= ramp_peek,
	.init		= ramp_init,
	.reset		= ramp_reset,
	.destroy	= ramp_destroy,
	.change		= ramp_change,
	.dump		= ramp_dump,
	.dump_stats	= ramp_dump_stats,
	.owner		= THIS_MODULE,
};
MODULE_ALIAS_NET_SCH("ramp");

/**
 * ramp_register - there is a qdisc, and what its parameters may be is known
 *
 * Return: 0 or a negative error
 */
int __init ramp_register(void)
{
	ramp_params_init();
	return register_qdisc(&ramp_qdisc_ops);
}
