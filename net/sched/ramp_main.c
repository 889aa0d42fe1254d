// SPDX-License-Identifier: GPL-2.0
/*
 * ramp: lets the egress rate climb or fall in steps after a surge
 *
 * The queue is a FIFO behind a gate. While no ramp runs the gate is open, and a
 * packet costs what a FIFO costs plus a few comparisons (include/net/ramp/).
 */

#include <linux/module.h>
#include <linux/skbuff.h>

#include "ramp.h"

static int ramp_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			struct sk_buff **to_free)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->law.watch_ingress) {
		if (unlikely(!q->meter.running || ramp_watchdog_idle(q)))
			ramp_slot_due(sch, true);
		if (unlikely(ramp_meter_add(&q->meter, q->law.pps ?
					    qdisc_pkt_segs(skb) :
					    qdisc_pkt_len(skb))))
			ramp_ingress_rose(sch);
	}

	if (unlikely(q->waiting >= q->law.limit))
		return qdisc_drop_reason(skb, sch, to_free,
					 QDISC_DROP_OVERLIMIT);

	q->enqueued++;
	q->waiting++;
	qdisc_enqueue_tail(skb, sch);
	if (q->law.watch_queue && unlikely(q->waiting > q->queue.max))
		ramp_queue_moved(sch);

	return NET_XMIT_SUCCESS;
}

/* May the head of the queue leave now? */
static bool ramp_may_leave(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->meter.running && unlikely(ramp_watchdog_idle(q)))
		ramp_slot_due(sch, false);
	if (likely(!q->slope.dir) || !q->waiting)
		return true;
	return ramp_gate_pass(sch);
}

static struct sk_buff *ramp_dequeue(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb;

	if (!ramp_may_leave(sch))
		return NULL;

	skb = qdisc_dequeue_head(sch);
	if (!skb)
		return NULL;

	q->dequeued++;
	q->waiting--;
	if (unlikely(q->slope.dir))
		ramp_gate_charge(sch, skb);
	q->promised = false;
	if (q->law.watch_queue && unlikely(q->waiting < q->queue.min))
		ramp_queue_moved(sch);

	return skb;
}

/* A parent that was shown a packet gets it, so the gate is asked now and not
 * again, but the packet is charged to the tick in which it leaves.
 */
static struct sk_buff *ramp_peek(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!ramp_may_leave(sch) || !q->waiting)
		return NULL;

	q->promised = true;
	return qdisc_peek_head(sch);
}

static void ramp_reset(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	q->dropped += q->waiting;
	q->waiting = 0;
	qdisc_reset_queue(sch);
	qdisc_watchdog_cancel(&q->watchdog);
	ramp_gate_init(sch);
}

static int ramp_change(struct Qdisc *sch, struct nlattr *opt,
		       struct netlink_ext_ack *extack)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_config config = q->config;
	struct ramp_law law;
	int err;

	err = ramp_parse(&config, opt, extack);
	if (err)
		return err;
	err = ramp_resolve(sch, &config, ramp_link_rate(sch, &config), &law,
			   extack);
	if (err)
		return err;

	q->config = config;
	sch_tree_lock(sch);
	ramp_gate_change(sch, &law);
	sch_tree_unlock(sch);
	return 0;
}

static int ramp_init(struct Qdisc *sch, struct nlattr *opt,
		     struct netlink_ext_ack *extack)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	int err;

	/* ramp_destroy() follows a failure, too. */
	qdisc_watchdog_init(&q->watchdog, sch);
	INIT_LIST_HEAD(&q->list);

	ramp_config_init(&q->config);
	if (opt) {
		err = ramp_parse(&q->config, opt, extack);
		if (err)
			return err;
	}
	err = ramp_resolve(sch, &q->config, ramp_link_rate(sch, &q->config),
			   &q->law, extack);
	if (err)
		return err;

	ramp_gate_init(sch);
	ramp_follow_rate(sch);
	return 0;
}

static void ramp_destroy(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ramp_unfollow_rate(sch);
	qdisc_watchdog_cancel(&q->watchdog);
}

static struct Qdisc_ops ramp_qdisc_ops __read_mostly = {
	.id		= "ramp",
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

static int __init ramp_module_init(void)
{
	int err;

	err = ramp_rate_register();
	if (err)
		return err;

	err = register_qdisc(&ramp_qdisc_ops);
	if (err)
		ramp_rate_unregister();
	return err;
}

static void __exit ramp_module_exit(void)
{
	unregister_qdisc(&ramp_qdisc_ops);
	ramp_rate_unregister();
}

module_init(ramp_module_init);
module_exit(ramp_module_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Ramps the egress rate in steps after a surge");
