// SPDX-License-Identifier: GPL-2.0
/*
 * The ramp qdisc as the others see it: it is made, changed, emptied and taken
 * down, and the module that has it.
 */

#include <linux/module.h>
#include <net/pkt_cls.h>

#include "../extack_keep.h"
#include "ramp.h"

/* Most qdiscs of a namespace that ends have nothing, and others wait for RTNL. */
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

/* The kernel resets a qdisc once more before it destroys it. Nobody sees the gate
 * again then, but a ramp that runs comes to its end.
 */
static bool ramp_is_leaving(const struct Qdisc *sch)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);

	return !refcount_read(&sch->refcnt) &&
	       (!q->own.slope.dir || ramp_is_slewing(&q->own));
}

static void ramp_reset(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ramp_bands_reset(sch);
	if (ramp_is_leaving(sch))
		return;
	q->promised = 0;
	ramp_timer_cancel(sch);
	ramp_gate_init(sch);
	ramp_peer_change(sch, q->own.now);
	ramp_gear_reset(sch);
}

/* Also puts the first configuration in force, of a qdisc that has only defaults. */
static int ramp_modify(struct Qdisc *sch, struct nlattr *opt,
		       struct netlink_ext_ack *extack)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_config config = q->config;
	struct ramp_rail *old = q->rail;
	struct ramp_change c = {
		.sch	= sch,
		.config	= &config,
		.clock	= q->clock,
	};
	int err = 0;

	if (opt)
		err = ramp_parse(sch, &config, opt, extack);
	if (!err)
		err = ramp_code_check(sch, &config, extack);
	if (!err)
		err = ramp_gear_check(sch, &config, extack);
	if (!err)
		err = ramp_change_resolve(&c, ramp_link_rate(sch, &config),
					  extack);
	if (!err)
		err = ramp_change_prepare(&c, extack);
	if (!err)
		err = ramp_clock_prepare(&c.clock, ramp_gear_config(&config));
	if (!err)
		err = ramp_rail_named(sch, &config, &c.plan, &c.rail, extack);
	if (!err)
		err = ramp_rail_prepare(sch, c.rail, &config);
	if (!err)
		err = ramp_watch_prepare(sch, &config);
	if (!err)
		err = ramp_obey_prepare(sch, &config, extack);
	if (err)
		goto out;

	sch_tree_lock(sch);
	if (ramp_bands_busy(sch, c.law.bands)) {
		NL_SET_ERR_MSG(extack,
			       "bands: a band that would go, or take its packets, holds a child");
		err = -EBUSY;
	} else {
		ramp_obey_set(sch, &config);
		ramp_change_commit(&c);
		swap(q->config, config);
	}
	sch_tree_unlock(sch);
	if (!err)
		ramp_rail_spread(sch);

out:
	ramp_rail_settle(c.rail);
	ramp_rail_put(c.rail);
	if (old != c.rail)
		ramp_rail_put(old);
	ramp_obey_commit(sch, &q->config);
	ramp_change_end(&c);
	ramp_watch_commit(sch);
	ramp_ports_changed(sch);
	ramp_config_free(&config, &q->config);
	return err;
}

static int ramp_make(struct Qdisc *sch, struct nlattr *opt,
		     struct netlink_ext_ack *extack)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	int i;

	/* ramp_destroy() follows a failure, too. */
	ramp_timer_init(sch);
	ramp_gate_make(sch);
	INIT_LIST_HEAD(&q->list);
	q->band = kcalloc(RAMP_BANDS_MAX, sizeof(*q->band), GFP_KERNEL_ACCOUNT);
	if (!q->band)
		return -ENOMEM;
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		gnet_stats_basic_sync_init(&q->band[i].bstats);
	ramp_config_init(&q->config);
	ramp_watch_begin(sch);
	return ramp_modify(sch, opt, extack);
}

static void ramp_destroy(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_rail *rail = q->rail;
	u32 i;

	ramp_watch_end(sch);
	ramp_rate_end(sch);
	ramp_obey_destroy(sch);
	if (rail)
		ramp_rail_leave(sch);
	ramp_rail_put(rail);
	ramp_timer_cancel(sch);
	ramp_send_destroy(sch);
	ramp_events_destroy(sch);
	tcf_block_put(q->block);
	/* There is no law of one that could not be made. */
	for (i = 0; i < q->law.bands; i++)
		if (q->band[i].child)
			qdisc_put(q->band[i].child);
	kfree(q->band);
	q->band = NULL;
	ramp_clock_end(q->clock);
	kfree(q->gear);
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

static struct Qdisc_ops ramp_qdisc_ops __read_mostly = {
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

static int __init ramp_module_init(void)
{
	int err;

	err = ramp_rails_register();
	if (err)
		return err;
	err = ramp_genl_register(&ramp_rail_op, 1);
	if (err)
		goto rails;
	err = ramp_watch_register();
	if (err)
		goto genl;
	ramp_clock_register();
	err = register_qdisc(&ramp_qdisc_ops);
	if (err)
		goto clock;
	return 0;

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
MODULE_DESCRIPTION("Ramps the egress rate in steps after a surge");
