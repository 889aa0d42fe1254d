// SPDX-License-Identifier: GPL-2.0
/*
 * The module act_mpolice, and what it has in each network namespace.
 */

#include <linux/module.h>
#include <net/pkt_cls.h>

#include "../extack_keep.h"
#include "mpolice.h"

static int __net_init mpolice_init_net(struct net *net)
{
	struct mpolice_net *mn = mpolice_net(net);

	mutex_init(&mn->lock);
	xa_init(&mn->buckets);
	INIT_LIST_HEAD(&mn->walks);
	mn->seq = 1;
	return tc_action_net_init(net, &mn->tn, &mpolice_ops);
}

static void __net_exit mpolice_exit_net(struct list_head *net_list)
{
	struct net *net;

	tc_action_net_exit(net_list, mpolice_ops.net_id);
	list_for_each_entry(net, net_list, exit_list) {
		struct mpolice_net *mn = mpolice_net(net);

		WARN_ON_ONCE(!xa_empty(&mn->buckets));
		mutex_destroy(&mn->lock);
	}
}

static struct pernet_operations mpolice_net_ops = {
	.init		= mpolice_init_net,
	.exit_batch	= mpolice_exit_net,
	.id		= &mpolice_ops.net_id,
	.size		= sizeof(struct mpolice_net),
};

static int __init mpolice_module_init(void)
{
	int err = tcf_register_action(&mpolice_ops, &mpolice_net_ops);

	if (err)
		return err;
	err = mpolice_genl_register();
	if (err) {
		tcf_unregister_action(&mpolice_ops, &mpolice_net_ops);
		/* Some may have come and gone meanwhile. */
		rcu_barrier();
	}
	return err;
}

static void __exit mpolice_module_exit(void)
{
	mpolice_genl_unregister();
	tcf_unregister_action(&mpolice_ops, &mpolice_net_ops);
	/* Buckets free what they hold from RCU. */
	rcu_barrier();
	extack_settle();
}

module_init(mpolice_module_init);
module_exit(mpolice_module_exit);

MODULE_ALIAS_NET_ACT("mpolice");
MODULE_DESCRIPTION("Policing action: many policies on one token bucket");
MODULE_LICENSE("GPL");
MODULE_VERSION(RAMP_VERSION);
