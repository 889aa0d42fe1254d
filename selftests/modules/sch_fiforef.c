// SPDX-License-Identifier: GPL-2.0
/*
 * fiforef: the least that a qdisc can do, a yardstick for what others cost
 *
 * A FIFO with a limit, as pfifo is, but without TCQ_F_CAN_BYPASS: the stack
 * hands pfifo's packets to the device without asking it while it is empty, and
 * a qdisc that may have to hold packets back cannot be compared with that. So
 * every packet is enqueued and dequeued here.
 */

#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#ifndef MODULE_ALIAS_NET_SCH
#define MODULE_ALIAS_NET_SCH(id)
#endif

static int fiforef_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			   struct sk_buff **to_free)
{
	if (likely(sch->q.qlen < sch->limit))
		return qdisc_enqueue_tail(skb, sch);

	return qdisc_drop(skb, sch, to_free);
}

static int fiforef_init(struct Qdisc *sch, struct nlattr *opt,
			struct netlink_ext_ack *extack)
{
	sch->limit = qdisc_dev(sch)->tx_queue_len;
	return 0;
}

static struct Qdisc_ops fiforef_qdisc_ops __read_mostly = {
	.id		= "fiforef",
	.enqueue	= fiforef_enqueue,
	.dequeue	= qdisc_dequeue_head,
	.peek		= qdisc_peek_head,
	.init		= fiforef_init,
	.reset		= qdisc_reset_queue,
	.owner		= THIS_MODULE,
};
MODULE_ALIAS_NET_SCH("fiforef");

static int __init fiforef_module_init(void)
{
	return register_qdisc(&fiforef_qdisc_ops);
}

static void __exit fiforef_module_exit(void)
{
	unregister_qdisc(&fiforef_qdisc_ops);
}

module_init(fiforef_module_init);
module_exit(fiforef_module_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("FIFO without bypass, what the tests compare with");
