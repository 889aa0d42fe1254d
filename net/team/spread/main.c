// SPDX-License-Identifier: GPL-2.0
/*
 * Team mode spread: send where there is room (US 8625624)
 *
 * For each frame its candidate set of ports is found, and of those whose queues
 * are in the lowest class of fullness one gets it at random.
 *
 *	xmit.c	the way of a frame
 *	index.c	its candidate set
 *	read.h	how full a port is
 *	sample.c	when that is read, and what was sent since
 *	table.c	the ports of the lowest class, per set
 *	option.c	what can be set
 *	show.c	what can be read
 *
 * Here: teams and ports come and go.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/pkt_sched.h>
#include <compat/team_compat.h>
#include "read.h"

static int spread_init(struct team *team)
{
	struct spread *sp;
	int cpu, err;

	BUILD_BUG_ON(sizeof(team->mode_priv) < sizeof(sp));

	sp = kvzalloc_obj(*sp, GFP_KERNEL_ACCOUNT);
	if (!sp)
		return -ENOMEM;
	sp->cpu = alloc_percpu_gfp(struct spread_cpu, GFP_KERNEL_ACCOUNT);
	if (!sp->cpu) {
		err = -ENOMEM;
		goto err_cpu;
	}
	for_each_possible_cpu(cpu) {
		struct spread_cpu *c = per_cpu_ptr(sp->cpu, cpu);

		u64_stats_init(&c->syncp);
		c->random = get_random_u32() | 1;
	}

	spin_lock_init(&sp->lock);
	sp->team = team;
	sp->generation = 1;
	sp->error = "";
	spread_tables_init(sp);
	spread_defaults(sp);
	team->mode_priv[0] = (long)sp;

	err = spread_options_register(team);
	if (err)
		goto err_options;
	err = spread_values_register(team);
	if (err)
		goto err_values;
	return 0;

err_values:
	spread_options_unregister(team);
err_options:
	team->mode_priv[0] = 0;
	free_percpu(sp->cpu);
err_cpu:
	kvfree(sp);
	return err;
}

/* No port is left, so no frame comes any more; not every kernel has waited for
 * those that came before.
 */
static void spread_exit(struct team *team)
{
	struct spread *sp = spread_of(team);

	spread_values_unregister(team);
	spread_options_unregister(team);
	synchronize_net();
	free_percpu(sp->cpu);
	kvfree(sp);
}

static int spread_slot(struct spread *sp)
{
	int i;

	for (i = 0; i < RAMP_SPREAD_PORTS; i++)
		if (!rcu_access_pointer(sp->slot[i]))
			return i;
	return -ENOSPC;
}

static int spread_port_enter(struct team *team, struct team_port *port)
{
	struct spread_port *p = spread_port_of(port);
	struct spread *sp = spread_of(team);
	int slot = spread_slot(sp);
	int cpu, err;

	if (slot < 0) {
		if (net_ratelimit())
			netdev_err(ramp_team_dev(team),
				   "spread: at most %u ports\n",
				   RAMP_SPREAD_PORTS);
		return slot;
	}
	p->cpu = alloc_percpu_gfp(struct spread_port_cpu, GFP_KERNEL_ACCOUNT);
	if (!p->cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(p->cpu, cpu)->syncp);

	err = team_modeop_port_enter(team, port);
	if (err) {
		free_percpu(p->cpu);
		return err;
	}

	p->port = port;
	p->slot = slot;
	p->sets = U32_MAX;
	p->weight = 1;
	p->charge = ramp_spread_charge(p->weight);
	/* None of a CPU's, which are 0: its first frame begins a count. */
	p->epoch = 1;
	spin_lock_bh(&sp->lock);
	spread_rescale(sp, p, spread_queue_len(port->dev));
	sp->order[sp->ports++] = p;
	rcu_assign_pointer(sp->slot[slot], p);
	spread_anew(sp);
	spin_unlock_bh(&sp->lock);
	return 0;
}

static void spread_order_del(struct spread *sp, const struct spread_port *p)
{
	u32 i;

	for (i = 0; i < sp->ports; i++)
		if (sp->order[i] == p)
			break;
	sp->order[i] = sp->order[--sp->ports];
	if (sp->at >= sp->ports)
		sp->at = 0;
}

/* The team driver frees a port after a grace period, but one that could not
 * enter for another reason at once; and its options are read once more.
 */
static void spread_port_leave(struct team *team, struct team_port *port)
{
	struct spread_port *p = spread_port_of(port);
	struct spread_port_cpu __percpu *cpu = p->cpu;
	struct spread *sp = spread_of(team);

	spin_lock_bh(&sp->lock);
	RCU_INIT_POINTER(sp->slot[p->slot], NULL);
	spread_order_del(sp, p);
	spread_anew(sp);
	spin_unlock_bh(&sp->lock);
	synchronize_net();

	p->left = spread_port_sent(p);
	p->cpu = NULL;
	free_percpu(cpu);
}

static const struct team_mode_ops spread_mode_ops = {
	.init			= spread_init,
	.exit			= spread_exit,
	.transmit		= spread_transmit,
	.port_enter		= spread_port_enter,
	.port_leave		= spread_port_leave,
	.port_change_dev_addr	= team_modeop_port_change_dev_addr,
};

static const struct team_mode spread_mode = {
	.kind		= "spread",
	.owner		= THIS_MODULE,
	.priv_size	= sizeof(struct spread *),
	.port_priv_size	= sizeof(struct spread_port),
	.ops		= &spread_mode_ops,
	.lag_tx_type	= NETDEV_LAG_TX_TYPE_RANDOM,
};

static int __init spread_init_module(void)
{
	return team_mode_register(&spread_mode);
}

static void __exit spread_exit_module(void)
{
	team_mode_unregister(&spread_mode);
}

module_init(spread_init_module);
module_exit(spread_exit_module);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Team mode that sends where there is room");
MODULE_VERSION(RAMP_VERSION);
MODULE_ALIAS_TEAM_MODE("spread");
