// SPDX-License-Identifier: GPL-2.0
/*
 * The module that has the qdiscs ramp and ramp_mq.
 */

#include <linux/module.h>

#include "../extack_keep.h"
#include "ramp.h"

static int __init ramp_mq_register(void)
{
	if (!IS_ENABLED(CONFIG_NET_SCH_RAMP_RAILS))
		return 0;
	return register_qdisc(&ramp_mq_qdisc_ops);
}

static void ramp_mq_unregister(void)
{
	if (IS_ENABLED(CONFIG_NET_SCH_RAMP_RAILS))
		unregister_qdisc(&ramp_mq_qdisc_ops);
}

static int __init ramp_module_init(void)
{
	int err;

	err = ramp_rails_register();
	if (err)
		return err;
	if (IS_ENABLED(CONFIG_NET_SCH_RAMP_RAILS))
		err = ramp_genl_register(&ramp_rail_op, 1);
	else
		err = ramp_genl_register(NULL, 0);
	if (err)
		goto rails;
	err = ramp_watch_register();
	if (err)
		goto genl;
	ramp_clock_register();
	err = ramp_register();
	if (err)
		goto clock;
	err = ramp_mq_register();
	if (err)
		goto qdisc;
	return 0;

qdisc:
	unregister_qdisc(&ramp_qdisc_ops);
clock:
	ramp_clock_unregister();
	ramp_watch_unregister();
	ramp_rate_unregister();
genl:
	ramp_genl_unregister();
rails:
	ramp_rails_unregister();
	return err;
}

static void __exit ramp_module_exit(void)
{
	ramp_mq_unregister();
	unregister_qdisc(&ramp_qdisc_ops);
	/* Handlers of frames with codes, see ramp_obey_destroy(). */
	synchronize_net();
	ramp_clock_unregister();
	ramp_watch_unregister();
	ramp_rate_unregister();
	ramp_genl_unregister();
	ramp_rails_unregister();
	extack_settle();
}

module_init(ramp_module_init);
module_exit(ramp_module_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Qdiscs that bound how fast egress rises");
MODULE_VERSION(RAMP_VERSION);
