// SPDX-License-Identifier: GPL-2.0
/*
 * The rate of the device, which is what 100 % means unless it was given. All
 * under RTNL.
 *
 * A link that changes is heard of in a notifier, which may run with the lock of
 * a lower device held. Asking for the speed of a macvlan or a bridge takes that
 * lock again, so a work item does it, with RTNL alone.
 */

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/units.h>
#include <linux/workqueue.h>

#include "ramp.h"

/* Qdiscs that ask their devices while RTNL is held */
#define RAMP_RATE_ASKED	16

static u64 ramp_rate_of(int err, const struct ethtool_link_ksettings *ks)
{
	if (err < 0 || !ks->base.speed || ks->base.speed == (u32)SPEED_UNKNOWN)
		return 0;

	return clamp_t(u64, (u64)ks->base.speed * (MEGA / BITS_PER_BYTE),
		       RAMP_RATE_MIN, RAMP_RATE_MAX);
}

/**
 * ramp_link_rate - the rate of the device that a qdisc is being set up on
 * @sch: ramp qdisc
 * @config: a rate that was given needs no other
 *
 * Context: RTNL, and the device's instance lock where it has one.
 *
 * Return: bytes/s, 0 if the device does not know or was not asked
 */
u64 ramp_link_rate(const struct Qdisc *sch, const struct ramp_config *config)
{
	struct net_device *dev = qdisc_dev(sch);
	struct ethtool_link_ksettings ks;

	if (config->rate)
		return 0;
	return ramp_rate_of(netif_get_link_ksettings(dev, &ks), &ks);
}

/**
 * ramp_rate_prepare - make what another configuration of a member takes
 * @sch: ramp qdisc on a rail
 * @config: what it will have
 *
 * For ramp_rate_apply() or ramp_rate_drop().
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0 or -ENOMEM
 */
int ramp_rate_prepare(struct Qdisc *sch, const struct ramp_config *config)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_change *c;
	int err;

	c = kzalloc_obj(*c, GFP_KERNEL_ACCOUNT);
	if (!c)
		return -ENOMEM;
	c->sch = sch;
	c->config = config;
	c->rail = q->rail;
	c->clock = q->clock;
	q->spare = c;
	err = ramp_change_resolve(c, 0, NULL);
	if (!err)
		err = ramp_change_prepare(c, NULL);
	c->config = NULL;
	if (err)
		ramp_rate_drop(sch);
	return err == -ENOMEM ? err : 0;
}

/**
 * ramp_rate_drop - what was prepared is not needed
 * @sch: ramp qdisc, for which something may have been prepared
 *
 * Context: RTNL.
 */
void ramp_rate_drop(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->spare)
		ramp_change_end(q->spare);
	kfree(q->spare);
	q->spare = NULL;
}

static void ramp_rate_commit(struct ramp_change *c)
{
	sch_tree_lock(c->sch);
	ramp_change_commit(c);
	sch_tree_unlock(c->sch);
}

/**
 * ramp_rate_apply - put the configuration of a member in force
 * @sch: ramp qdisc that has it, after ramp_rate_prepare()
 *
 * A configuration that cannot be put in force leaves what there is.
 *
 * Context: RTNL, without root lock.
 */
void ramp_rate_apply(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->spare)
		ramp_rate_commit(q->spare);
	ramp_rate_drop(sch);
}

/* Puts in force what a configuration amounts to, if it is news. */
static void ramp_rate_resolve(struct Qdisc *sch, u64 link)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_change c = {
		.sch	= sch,
		.config	= &q->config,
		.rail	= q->rail,
		.clock	= q->clock,
	};
	const struct ramp_law *law = &c.law;

	if (ramp_change_resolve(&c, link, NULL))
		return;
	if (law->rate == q->law.rate && law->limit == q->law.limit &&
	    law->bytes == q->law.bytes &&
	    law->need == q->law.need && !READ_ONCE(q->paced) && !q->gear)
		return;
	if (!ramp_change_prepare(&c, NULL))
		ramp_rate_commit(&c);
	ramp_change_end(&c);
}

static void ramp_rate_refresh(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ethtool_link_ksettings ks;
	u64 link = 0;

	if (!q->config.rate)
		link = ramp_rate_of(__ethtool_get_link_ksettings(qdisc_dev(sch),
								 &ks), &ks);
	ramp_rate_resolve(sch, link);
}

/* Qdiscs that have to ask a device, under RTNL. */
static LIST_HEAD(ramp_rate_stale);

static void ramp_rate_ask(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->ports_stale) {
		q->ports_stale = false;
		ramp_gear_ports_ask(sch);
	}
	if (q->stale) {
		q->stale = false;
		ramp_rate_refresh(sch);
	}
}

/* However many there are, others get RTNL in between. */
static void ramp_rate_work_fn(struct work_struct *work)
{
	struct ramp_sched_data *q;
	bool more;
	u32 left;

	do {
		rtnl_lock();
		for (left = RAMP_RATE_ASKED; left; left--) {
			q = list_first_entry_or_null(&ramp_rate_stale,
						     struct ramp_sched_data,
						     list);
			if (!q)
				break;
			list_del_init(&q->list);
			ramp_rate_ask(q->sch);
		}
		more = !list_empty(&ramp_rate_stale);
		rtnl_unlock();
		cond_resched();
	} while (more);
}

static DECLARE_WORK(ramp_rate_work, ramp_rate_work_fn);

static void ramp_rate_later(struct ramp_sched_data *q)
{
	if (list_empty(&q->list))
		list_add_tail(&q->list, &ramp_rate_stale);
	schedule_work(&ramp_rate_work);
}

/**
 * ramp_ports_changed - gears, or the ports that they follow, may be others
 * @sch: ramp qdisc
 *
 * Context: RTNL.
 */
void ramp_ports_changed(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!q->gear || q->config.gears->asked)
		return;
	q->ports_stale = true;
	ramp_rate_later(q);
}

/* Codes of a band that went out of one device alone go where all go; without memory,
 * not before the next change.
 */
static void ramp_rate_redirect(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_code_law *codes;

	if (ramp_send_prepare(sch, &q->config, &q->law, &codes, NULL))
		return;
	sch_tree_lock(sch);
	codes = ramp_send_commit(sch, codes);
	sch_tree_unlock(sch);
	kfree(codes);
}

/**
 * ramp_rate_gone - a device goes, or moves to another network namespace
 * @sch: ramp qdisc that names it
 * @dev: device
 *
 * Nobody sends codes out of a device that has the same number later.
 *
 * Context: RTNL, in a notifier.
 */
void ramp_rate_gone(struct Qdisc *sch, const struct net_device *dev)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	bool moved = ramp_code_forget(&q->config, dev->ifindex);

	ramp_send_forget(sch, dev->ifindex);
	/* Many qdiscs can name a device. */
	if (moved)
		ramp_rate_redirect(sch);
}

/**
 * ramp_rate_event - something happened to the device that a qdisc is on
 * @sch: ramp qdisc
 * @event: NETDEV_*
 *
 * The limit hangs on the MTU, and the pace of a band.
 *
 * Context: RTNL, in a notifier.
 */
void ramp_rate_event(struct Qdisc *sch, unsigned long event)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (event != NETDEV_UP && event != NETDEV_CHANGE &&
	    event != NETDEV_CHANGEMTU)
		return;
	q->stale = true;
	ramp_rate_later(q);
}

/**
 * ramp_rate_end - ask no device any more
 * @sch: ramp qdisc, perhaps one that could not be made
 *
 * Context: RTNL.
 */
void ramp_rate_end(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ASSERT_RTNL();
	list_del_init(&q->list);
}

/**
 * ramp_rate_unregister - ask nobody any more
 *
 * Context: process, without RTNL, when no qdisc is left and no notifier runs.
 */
void ramp_rate_unregister(void)
{
	cancel_work_sync(&ramp_rate_work);
}
