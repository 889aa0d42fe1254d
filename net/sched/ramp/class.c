// SPDX-License-Identifier: GPL-2.0
/*
 * Bands as classes: class H:N+1 is band N. They exist as long as the qdisc has
 * them, so a class is known by its minor number and nobody counts references.
 */

#include <net/pkt_cls.h>

#include "ramp.h"

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
	ramp_lost(sch);
	sch_tree_unlock(sch);
	return 0;
}

/* The child became empty, perhaps without a call of ours. */
static void ramp_qlen_notify(struct Qdisc *sch, unsigned long class)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_band *b = &q->band[class - 1];

	if (!b->child || b->busy)
		return;
	ramp_child_settle(sch, b, 0);
	ramp_rung_check(sch, b);
	ramp_lost(sch);
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

/* Where the filters are; @extack is for the message of whoever may add one, or NULL for
 * one that only looks at them.
 *
 * Made when first asked for: most qdiscs never have a filter, and of a device that
 * cannot offload any, the kernel walks a list of all such blocks whenever one comes or
 * goes.
 *
 * The class operations of a qdisc are not called without RTNL, as it does not say that
 * they may be.
 */
static struct tcf_block *ramp_block(struct Qdisc *sch, struct netlink_ext_ack *extack)
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
