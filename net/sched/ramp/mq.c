// SPDX-License-Identifier: GPL-2.0
/*
 * The qdisc ramp_mq: the root of a device with many transmit queues, as mq is,
 * with a ramp for each queue. They have one configuration, and are on one rail,
 * so that all queues together climb as one.
 *
 * Class H:N is transmit queue N, as of mq. The ramp of a queue has a handle of
 * its own, and so its bands take children and filters. It cannot be replaced,
 * nor changed by itself.
 *
 * All queues that a device may have get a ramp, as one that comes into use must
 * not fail. Those that are not in use are not shown, and are on no rail: levels
 * that all members are counted for would be shared out among too many. Nor are
 * those from number 257 on, see ramp_mq_is_on_rail(). A queue joins before its
 * first packet. One that goes out of use is left on the rail until the kernel
 * has emptied it, or what it sends meanwhile would climb by itself.
 *
 * Locking: all of this is under RTNL. Packets do not come here; they find the
 *	ramp of their queue at the device.
 */

#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/pkt_cls.h>

#include "../extack_keep.h"
#include "ramp.h"

#define RAMP_MQ_HANDLE_MIN	TC_H_MAKE(0x80000000U, 0)
#define RAMP_MQ_HANDLE_STEP	TC_H_MAKE(0x00010000U, 0)

/**
 * struct ramp_mq_data - private data of the qdisc
 * @part: the ramps by transmit queue; a reference to each, so that they can be
 *	read as long as this is there
 * @mq: what they have in common
 */
struct ramp_mq_data {
	struct Qdisc		**part;
	struct ramp_mq		*mq;
};

/* A ramp is made by ramp_make(), as soon as it has a rail. */
static int ramp_part_init(struct Qdisc *sch, struct nlattr *opt,
			  struct netlink_ext_ack *extack)
{
	ramp_prepare(sch);
	return 0;
}

static int ramp_mq_refuse(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "can't reconfigure ramp_mq sub-qdiscs");
	extack_keep(extack);
	return -EOPNOTSUPP;
}

static int ramp_part_change(struct Qdisc *sch, struct nlattr *opt,
			    struct netlink_ext_ack *extack)
{
	return ramp_mq_refuse(extack);
}

/* What is a ramp for everybody else. */
static struct Qdisc_ops ramp_part_ops __read_mostly = {
	.id		= "ramp",
	.cl_ops		= &ramp_class_ops,
	.priv_size	= sizeof(struct ramp_sched_data),
	.enqueue	= ramp_enqueue,
	.dequeue	= ramp_dequeue,
	.peek		= ramp_peek,
	.init		= ramp_part_init,
	.reset		= ramp_reset,
	.destroy	= ramp_destroy,
	.change		= ramp_part_change,
	.dump		= ramp_dump,
	.dump_stats	= ramp_dump_stats,
	.owner		= THIS_MODULE,
};

static bool ramp_mq_handle_taken(const struct Qdisc *sch, u32 handle)
{
	struct net_device *dev = qdisc_dev(sch);
	const struct Qdisc *root = rtnl_dereference(dev->qdisc);
	const struct Qdisc *other;

	if (handle == sch->handle || (root && handle == root->handle))
		return true;
	hash_for_each_possible(dev->qdisc_hash, other, hash, handle)
		if (other->handle == handle)
			return true;
	return false;
}

/* The next one that nobody has, or 0. */
static u32 ramp_mq_handle(const struct Qdisc *sch, u32 handle)
{
	do {
		handle += RAMP_MQ_HANDLE_STEP;
		if (handle >= TC_H_MAKE(TC_H_INGRESS, 0))
			return 0;
	} while (ramp_mq_handle_taken(sch, handle));
	return handle;
}

static struct Qdisc *ramp_mq_part(struct Qdisc *sch, u32 i, u32 handle,
				  struct netlink_ext_ack *extack)
{
	struct ramp_mq_data *data = qdisc_priv(sch);
	struct ramp_sched_data *q;
	struct Qdisc *part;

	part = qdisc_create_dflt(netdev_get_tx_queue(qdisc_dev(sch), i),
				 &ramp_part_ops,
				 TC_H_MAKE(sch->handle, i + 1), extack);
	if (!part)
		return NULL;
	part->handle = handle;
	part->flags |= TCQ_F_ONETXQUEUE | TCQ_F_NOPARENT;
	q = qdisc_priv(part);
	q->mq = data->mq;
	q->mq->users++;
	q->mq_handle = sch->handle;
	return part;
}

static int ramp_mq_make(struct Qdisc *sch, struct nlattr *opt,
			struct netlink_ext_ack *extack)
{
	struct ramp_mq_data *data = qdisc_priv(sch);
	struct net_device *dev = qdisc_dev(sch);
	u32 i, handle = RAMP_MQ_HANDLE_MIN;
	int err;

	/* What the kernel makes by itself has no handle. */
	if (sch->parent != TC_H_ROOT || !sch->handle) {
		NL_SET_ERR_MSG(extack, "ramp_mq: only at the root of a device");
		return -EOPNOTSUPP;
	}

	/* ramp_mq_destroy() follows a failure, too. */
	data->part = kvcalloc(dev->num_tx_queues, sizeof(data->part[0]),
			      GFP_KERNEL_ACCOUNT);
	data->mq = ramp_mq_get(sch);
	if (!data->part || !data->mq)
		return -ENOMEM;

	for (i = 0; i < dev->num_tx_queues; i++) {
		handle = ramp_mq_handle(sch, handle);
		if (!handle) {
			NL_SET_ERR_MSG(extack,
				       "ramp_mq: no handles are left for its queues");
			return -ENOSPC;
		}
		data->part[i] = ramp_mq_part(sch, i, handle, extack);
		if (!data->part[i])
			return -ENOMEM;
		err = ramp_make(data->part[i], opt, extack);
		if (err)
			return err;
	}
	sch->flags |= TCQ_F_MQROOT;
	return 0;
}

static int ramp_mq_init(struct Qdisc *sch, struct nlattr *opt,
			struct netlink_ext_ack *extack)
{
	int err = ramp_mq_make(sch, opt, extack);

	extack_keep(extack);
	return err;
}

static void ramp_mq_destroy(struct Qdisc *sch)
{
	struct ramp_mq_data *data = qdisc_priv(sch);
	u32 i;

	if (data->part)
		for (i = 0; i < qdisc_dev(sch)->num_tx_queues; i++)
			qdisc_put(data->part[i]);
	kvfree(data->part);
	ramp_mq_put(data->mq);
}

/* The device has a reference to each ramp, too, from now on. */
static void ramp_mq_attach(struct Qdisc *sch)
{
	struct ramp_mq_data *data = qdisc_priv(sch);
	struct net_device *dev = qdisc_dev(sch);
	struct Qdisc *part;
	u32 i;

	for (i = 0; i < dev->num_tx_queues; i++) {
		part = data->part[i];
		qdisc_refcount_inc(part);
		qdisc_put(dev_graft_qdisc(part->dev_queue, part));
		qdisc_hash_add(part, !ramp_mq_is_used(part));
	}
}

/* The queue comes into use; @part is emptied before another packet comes. */
static void ramp_mq_use(struct Qdisc *part)
{
	struct ramp_sched_data *q = qdisc_priv(part);
	struct ramp_plan plan = q->own.plan;

	part->flags &= ~TCQ_F_INVISIBLE;
	if (q->rail || ramp_mq_index(part) >= RAMP_RAIL_MEMBERS_MAX)
		return;
	sch_tree_lock(part);
	ramp_rail_join(part, &q->mq->rail, &plan);
	sch_tree_unlock(part);
}

static void ramp_mq_unuse(struct Qdisc *part)
{
	part->flags |= TCQ_F_INVISIBLE;
	ramp_rate_later(qdisc_priv(part));
}

static void ramp_mq_change_real_num_tx(struct Qdisc *sch, unsigned int count)
{
	struct ramp_mq_data *data = qdisc_priv(sch);
	u32 i, now = qdisc_dev(sch)->real_num_tx_queues;

	for (i = count; i < now; i++)
		ramp_mq_unuse(data->part[i]);
	for (i = now; i < count; i++)
		ramp_mq_use(data->part[i]);
}

/* Whether a packet waits in a band that goes is not known until it goes, and
 * then it is too late for the other queues. So bands do not go above a child,
 * packets or not.
 */
static int ramp_mq_check_bands(const struct Qdisc *part,
			       const struct ramp_next *next,
			       struct netlink_ext_ack *extack)
{
	const struct ramp_sched_data *q = qdisc_priv(part);
	u32 i;

	if (next->c.law.bands >= q->law.bands)
		return 0;
	for (i = next->c.law.bands - 1; i < q->law.bands; i++) {
		if (!q->band[i].child)
			continue;
		NL_SET_ERR_MSG(extack,
			       "bands: a band that would go, or take its packets, holds a child");
		return -EBUSY;
	}
	return 0;
}

static int ramp_mq_modify(struct Qdisc *sch, struct nlattr *opt,
			  struct netlink_ext_ack *extack)
{
	struct ramp_mq_data *data = qdisc_priv(sch);
	u32 i, count = qdisc_dev(sch)->num_tx_queues, begun = 0;
	struct ramp_next *next;
	int err = 0;

	next = kvcalloc(count, sizeof(*next), GFP_KERNEL_ACCOUNT);
	if (!next)
		return -ENOMEM;
	while (!err && begun < count) {
		i = begun++;
		err = ramp_next_prepare(data->part[i], &next[i], opt, extack);
		if (!err)
			err = ramp_mq_check_bands(data->part[i], &next[i],
						  extack);
	}
	ramp_codes_hold(data->mq, true);
	for (i = 0; !err && i < count; i++)
		WARN_ON_ONCE(ramp_next_commit(&next[i], extack));
	ramp_codes_hold(data->mq, false);
	for (i = 0; i < begun; i++)
		ramp_next_settle(&next[i]);
	kvfree(next);
	return err;
}

static int ramp_mq_change(struct Qdisc *sch, struct nlattr *opt,
			  struct netlink_ext_ack *extack)
{
	int err = ramp_mq_modify(sch, opt, extack);

	extack_keep(extack);
	return err;
}

/* All have the same configuration. */
static int ramp_mq_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct gnet_stats_queue qstats = {};
	struct ramp_mq_data *data = qdisc_priv(sch);
	u64 bytes = 0, packets = 0;
	struct Qdisc *part;
	u32 i, qlen = 0;

	for (i = 0; i < qdisc_dev(sch)->num_tx_queues; i++) {
		part = data->part[i];
		sch_tree_lock(part);
		bytes += u64_stats_read(&part->bstats.bytes);
		packets += u64_stats_read(&part->bstats.packets);
		qstats.backlog += part->qstats.backlog;
		qstats.drops += part->qstats.drops;
		qstats.requeues += part->qstats.requeues;
		qstats.overlimits += part->qstats.overlimits;
		qlen += part->q.qlen;
		sch_tree_unlock(part);
	}

	sch_tree_lock(sch);
	gnet_stats_basic_sync_init(&sch->bstats);
	_bstats_update(&sch->bstats, bytes, packets);
	sch->qstats = qstats;
	WRITE_ONCE(sch->q.qlen, qlen);
	sch_tree_unlock(sch);
	return ramp_dump(data->part[0], skb);
}

/* Surges, ramps and ticks are those of the rail, whoever shows them. Gears are
 * those of each queue, and have no sum.
 */
static noinline void ramp_mq_add(struct Qdisc *part, struct tc_ramp_xstats *sum)
{
	struct tc_ramp_xstats st = {};

	sch_tree_lock(part);
	ramp_read_stats(part, &st);
	sch_tree_unlock(part);

	sum->enqueued += st.enqueued;
	sum->dequeued += st.dequeued;
	sum->dropped += st.dropped;
	sum->queued += st.queued;
	sum->delayed += st.delayed;
	sum->split_extra += st.split_extra;
	sum->codes_sent += st.codes_sent;
	/* Frames with codes are those of the device. */
	sum->codes_refreshed = st.codes_refreshed;
	sum->frames_sent = st.frames_sent;
	sum->frames_lost = st.frames_lost;
	sum->codes_received = st.codes_received;
	sum->codes_stale = st.codes_stale;
	sum->codes_malformed = st.codes_malformed;
	sum->codes_ignored = st.codes_ignored;
	sum->codes_expired = st.codes_expired;
	sum->events_lost += st.events_lost;
	sum->peer_rate = min(sum->peer_rate, st.peer_rate);
	if (ramp_mq_index(part))
		return;
	sum->state = st.state;
	sum->allowance_unit = st.allowance_unit;
	sum->allowance = st.allowance;
	sum->surges_up = st.surges_up;
	sum->surges_down = st.surges_down;
	sum->surges_self = st.surges_self;
	sum->down_empty = st.down_empty;
	sum->ramps = st.ramps;
	sum->ramps_done = st.ramps_done;
	sum->ramps_turned = st.ramps_turned;
	sum->ticks = st.ticks;
	sum->ticks_late = st.ticks_late;
	sum->ramp_ns = st.ramp_ns;
}

static int ramp_mq_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct tc_ramp_xstats sum = { .peer_rate = RAMP_PERCENT };
	struct ramp_mq_data *data = qdisc_priv(sch);
	u32 i;

	for (i = 0; i < qdisc_dev(sch)->num_tx_queues; i++)
		ramp_mq_add(data->part[i], &sum);
	return ramp_copy_stats(d, &sum);
}

static unsigned long ramp_mq_find(struct Qdisc *sch, u32 classid)
{
	u32 minor = TC_H_MIN(classid);

	return minor <= qdisc_dev(sch)->num_tx_queues ? minor : 0;
}

static struct netdev_queue *ramp_mq_select_queue(struct Qdisc *sch,
						 struct tcmsg *tcm)
{
	unsigned long class = ramp_mq_find(sch, tcm->tcm_parent);

	return class ? netdev_get_tx_queue(qdisc_dev(sch), class - 1) : NULL;
}

static struct Qdisc *ramp_mq_leaf(struct Qdisc *sch, unsigned long class)
{
	const struct ramp_mq_data *data = qdisc_priv(sch);

	return data->part[class - 1];
}

static int ramp_mq_graft(struct Qdisc *sch, unsigned long class,
			 struct Qdisc *new, struct Qdisc **old,
			 struct netlink_ext_ack *extack)
{
	return ramp_mq_refuse(extack);
}

static void ramp_mq_walk(struct Qdisc *sch, struct qdisc_walker *walker)
{
	u32 i;

	if (walker->stop)
		return;
	for (i = 0; i < qdisc_dev(sch)->real_num_tx_queues; i++)
		if (!tc_qdisc_stats_dump(sch, i + 1, walker))
			return;
}

static int ramp_mq_dump_class(struct Qdisc *sch, unsigned long class,
			      struct sk_buff *skb, struct tcmsg *tcm)
{
	tcm->tcm_parent = TC_H_ROOT;
	tcm->tcm_handle |= class;
	tcm->tcm_info = ramp_mq_leaf(sch, class)->handle;
	return 0;
}

static int ramp_mq_dump_class_stats(struct Qdisc *sch, unsigned long class,
				    struct gnet_dump *d)
{
	struct Qdisc *part = ramp_mq_leaf(sch, class);

	if (gnet_stats_copy_basic(d, NULL, &part->bstats, true) < 0 ||
	    gnet_stats_copy_queue(d, NULL, &part->qstats, part->q.qlen) < 0)
		return -1;
	return ramp_dump_stats(part, d);
}

static const struct Qdisc_class_ops ramp_mq_class_ops = {
	.select_queue	= ramp_mq_select_queue,
	.graft		= ramp_mq_graft,
	.leaf		= ramp_mq_leaf,
	.find		= ramp_mq_find,
	.walk		= ramp_mq_walk,
	.dump		= ramp_mq_dump_class,
	.dump_stats	= ramp_mq_dump_class_stats,
};

struct Qdisc_ops ramp_mq_qdisc_ops __read_mostly = {
	.id		= "ramp_mq",
	.cl_ops		= &ramp_mq_class_ops,
	.priv_size	= sizeof(struct ramp_mq_data),
	.init		= ramp_mq_init,
	.destroy	= ramp_mq_destroy,
	.attach		= ramp_mq_attach,
	.change		= ramp_mq_change,
	.change_real_num_tx = ramp_mq_change_real_num_tx,
	.dump		= ramp_mq_dump,
	.dump_stats	= ramp_mq_dump_stats,
	.owner		= THIS_MODULE,
};
MODULE_ALIAS_NET_SCH("ramp_mq");
/* Where qdiscs are asked for by the names of files. */
MODULE_ALIAS("sch_ramp_mq");
