// SPDX-License-Identifier: GPL-2.0
/*
 * The rate of the device, which is what 100 % means unless it was given. All
 * under RTNL.
 *
 * A link that changes is heard of in a notifier, which may run with the lock of
 * a lower device held. Asking for the speed of a macvlan or a bridge takes that
 * lock again, so a work item does it, with RTNL alone.
 */

#include <linux/hashtable.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/units.h>
#include <linux/workqueue.h>

#include "ramp.h"

/* Qdiscs that ask their devices while RTNL is held */
#define RAMP_RATE_ASKED	16

/* A driver may forget the speed of a link that is down. What 100 % was until
 * then is what it most likely is again: the device sends before it can be
 * asked, and nobody is to find the gate open then.
 */
static u64 ramp_rate_of(const struct Qdisc *sch, int err,
			const struct ethtool_link_ksettings *ks)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);

	if (err < 0 || !ks->base.speed || ks->base.speed == (u32)SPEED_UNKNOWN)
		return netif_carrier_ok(qdisc_dev(sch)) ? 0 : q->law.rate;

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
	return ramp_rate_of(sch, netif_get_link_ksettings(dev, &ks), &ks);
}

/* Puts in force what a configuration amounts to, if that is new. */
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
	if (!memcmp(&c.plan, &q->own.plan, sizeof(c.plan)) &&
	    law->rate == q->law.rate && law->limit == q->law.limit &&
	    law->bytes == q->law.bytes &&
	    !memcmp(law->band_limit, q->law.band_limit,
		    sizeof(law->band_limit)) &&
	    law->need == q->law.need && !READ_ONCE(q->paced) && !q->gear)
		return;
	if (!ramp_change_prepare(&c, NULL))
		ramp_rate_commit(&c);
	ramp_change_end(&c);
}

static void ramp_rate_refresh(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct net_device *dev = qdisc_dev(sch);
	struct ethtool_link_ksettings ks;
	u64 link = 0;

	if (!q->config.rate)
		link = ramp_rate_of(sch, __ethtool_get_link_ksettings(dev, &ks),
				    &ks);
	ramp_rate_resolve(sch, link);
}

/* A ramp leaves the rail of its ramp_mq when its queue is not in use any more.
 */
static void ramp_rate_unused(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!q->mq || !ramp_on_rail(q) || ramp_mq_is_on_rail(sch))
		return;
	sch_tree_lock(sch);
	ramp_rail_leave(sch);
	sch_tree_unlock(sch);
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
	ramp_rate_unused(sch);
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

/**
 * ramp_rate_later - look at a device, and at what follows from it, without its
 *	locks
 * @q: of a ramp qdisc
 *
 * Context: RTNL.
 */
void ramp_rate_later(struct ramp_sched_data *q)
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

/* Codes of a band that went out of one device alone go where all go; without
 * memory, not before the next change.
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
static void ramp_rate_gone(struct Qdisc *sch, const struct net_device *dev)
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
 * The limit hangs on the MTU, and the pace of a band; and both on the type.
 *
 * Context: RTNL, in a notifier.
 */
static void ramp_rate_event(struct Qdisc *sch, unsigned long event)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (event == NETDEV_POST_TYPE_CHANGE)
		ramp_obey_type(sch);
	else if (event != NETDEV_UP && event != NETDEV_CHANGE &&
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

/*
 * What happens to devices, and whom it concerns.
 *
 * There is one notifier, and whoever makes ten thousand qdiscs must not make
 * the links of others slow with it: so an event finds the qdiscs that are on
 * the device, or name it, in a hash, and looks at no other. All of a device are
 * one entry of the hash, as each qdisc can name many devices: it has the others
 * in a list.
 *
 * A device is known by its address, not by its number, which another device has
 * in another network namespace. No reference is held for that: a qdisc holds
 * its own device, and of one that it names, NETDEV_UNREGISTER comes before it
 * is freed. It comes when a device moves to another namespace, too, where it is
 * none of the qdisc's any more; the qdiscs that are on it are gone by then.
 *
 * Locking: the hash, and what is in it, is under RTNL, which whoever makes,
 *	changes or destroys a qdisc holds, and every notifier. Nobody reads it
 *	otherwise, so there is nothing to wait for when a qdisc goes: what it
 *	had in the hash is freed at once.
 */

/* 8 KB, for all of them. Six thousand devices are six in each. */
static DEFINE_HASHTABLE(ramp_watches, 10);

/* The one that stands for all of a device, or NULL. */
static struct ramp_watch *ramp_watch_first(const struct net_device *dev)
{
	struct ramp_watch *w;

	hash_for_each_possible(ramp_watches, w, node, (unsigned long)dev)
		if (w->dev == dev)
			return w;
	return NULL;
}

static void ramp_watch_add(struct ramp_watch *w, struct Qdisc *sch,
			   const struct net_device *dev)
{
	struct ramp_watch *first = ramp_watch_first(dev);

	w->dev = dev;
	w->sch = sch;
	INIT_HLIST_HEAD(&w->others);
	if (first)
		hlist_add_head(&w->node, &first->others);
	else
		hash_add(ramp_watches, &w->node, (unsigned long)dev);
}

/* One of those that it stands for takes its place. */
static void ramp_watch_del(struct ramp_watch *w)
{
	struct ramp_watch *next;

	if (!w->dev)
		return;
	if (!hlist_empty(&w->others)) {
		next = hlist_entry(w->others.first, struct ramp_watch, node);
		hlist_del(&next->node);
		hlist_move_list(&w->others, &next->others);
		hlist_add_behind(&next->node, &w->node);
	}
	hlist_del(&w->node);
	w->dev = NULL;
}

/**
 * ramp_watch_begin - hear of the device that a qdisc is on
 * @sch: ramp qdisc
 *
 * Context: RTNL.
 */
void ramp_watch_begin(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ASSERT_RTNL();
	ramp_watch_add(&q->watch, sch, qdisc_dev(sch));
}

/**
 * ramp_watch_prepare - make what hearing of the devices of a configuration
 *	takes
 * @sch: ramp qdisc
 * @config: what is to be in force
 *
 * It is kept as long as the qdisc, whether or not ramp_watch_commit() follows.
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0 or -ENOMEM
 */
int ramp_watch_prepare(struct Qdisc *sch, const struct ramp_config *config)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	struct ramp_sched_data *q = qdisc_priv(sch);
	bool any = codes->feedbacks || ramp_gear_config(config)->ports;
	u32 i;

	for (i = 0; i < RAMP_BANDS_MAX; i++)
		any |= !!codes->band_feedback[i];
	if (any && !q->named)
		q->named = kzalloc_obj(*q->named, GFP_KERNEL_ACCOUNT);
	return any && !q->named ? -ENOMEM : 0;
}

static void ramp_watch_name(struct Qdisc *sch, u32 ifindex)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_named *named = q->named;
	const struct net_device *dev;
	u32 i;

	dev = __dev_get_by_index(dev_net(qdisc_dev(sch)), ifindex);
	if (!dev)
		return;
	for (i = 0; i < named->count; i++)
		if (named->watch[i].dev == dev)
			return;
	ramp_watch_add(&named->watch[named->count++], sch, dev);
}

static void ramp_watch_unname(struct ramp_named *named)
{
	u32 i;

	for (i = 0; i < named->count; i++)
		ramp_watch_del(&named->watch[i]);
	named->count = 0;
}

/**
 * ramp_watch_commit - hear of the devices that a qdisc names now, and of no
 *	others
 * @sch: ramp qdisc, after ramp_watch_prepare() for what is in force
 *
 * Context: RTNL.
 */
void ramp_watch_commit(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_code_config *codes = ramp_code_config(&q->config);
	const struct ramp_gear_config *gears = ramp_gear_config(&q->config);
	u32 i;

	ASSERT_RTNL();
	if (!q->named)
		return;
	ramp_watch_unname(q->named);
	for (i = 0; i < codes->feedbacks; i++)
		ramp_watch_name(sch, codes->feedback[i]);
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		if (codes->band_feedback[i])
			ramp_watch_name(sch, codes->band_feedback[i]);
	for (i = 0; i < gears->ports; i++)
		ramp_watch_name(sch, gears->port[i].ifindex);
}

/**
 * ramp_watch_end - hear of no device any more
 * @sch: ramp qdisc, perhaps one that could not be made
 *
 * Context: RTNL.
 */
void ramp_watch_end(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ASSERT_RTNL();
	ramp_watch_del(&q->watch);
	if (q->named)
		ramp_watch_unname(q->named);
	kfree(q->named);
	q->named = NULL;
}

/* A qdisc is told of the device that it is on, or of one that it names, which
 * is let go when it goes: another may have its number later.
 */
static void ramp_watch_tell(struct ramp_watch *w, const struct net_device *dev,
			    unsigned long event)
{
	struct ramp_sched_data *q = qdisc_priv(w->sch);

	if (w == &q->watch) {
		ramp_rate_event(w->sch, event);
		return;
	}
	if (event == NETDEV_UNREGISTER) {
		ramp_watch_del(w);
		ramp_rate_gone(w->sch, dev);
	}
	if (ramp_gear_ports_event(w->sch, dev, event))
		ramp_ports_changed(w->sch);
}

/* The device above, whose speed is made up of those of its ports: a bond or a
 * team, which says nothing itself as long as it has a carrier.
 */
static const struct net_device *ramp_watch_above(unsigned long event, void *ptr)
{
	const struct netdev_notifier_changeupper_info *info = ptr;
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);

	switch (event) {
	case NETDEV_CHANGEUPPER:
		return info->master ? info->upper_dev : NULL;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGELOWERSTATE:
		return netdev_master_upper_dev_get(dev);
	default:
		return NULL;
	}
}

static void ramp_watch_tell_all(const struct net_device *dev,
				unsigned long event)
{
	struct ramp_watch *first = ramp_watch_first(dev);
	struct hlist_node *next;
	struct ramp_watch *w;

	if (!first)
		return;
	/* Whoever is told may leave, so the one that has the list is told last.
	 */
	hlist_for_each_entry_safe(w, next, &first->others, node)
		ramp_watch_tell(w, dev, event);
	ramp_watch_tell(first, dev, event);
}

static void ramp_watch_speed(struct ramp_watch *w)
{
	struct ramp_sched_data *q = qdisc_priv(w->sch);

	if (w == &q->watch)
		ramp_rate_event(w->sch, NETDEV_CHANGE);
}

/* Who only names the device counts it with the speed that it has with all of
 * its ports, and hears of it when it goes up or down.
 */
static void ramp_watch_tell_above(const struct net_device *above)
{
	struct ramp_watch *first = ramp_watch_first(above), *w;

	if (!first)
		return;
	ramp_watch_speed(first);
	hlist_for_each_entry(w, &first->others, node)
		ramp_watch_speed(w);
}

static int ramp_watch_event(struct notifier_block *nb, unsigned long event,
			    void *ptr)
{
	const struct net_device *above = ramp_watch_above(event, ptr);

	if (above)
		ramp_watch_tell_above(above);
	ramp_watch_tell_all(netdev_notifier_info_to_dev(ptr), event);
	return NOTIFY_DONE;
}

static struct notifier_block ramp_watch_notifier = {
	.notifier_call = ramp_watch_event,
};

/**
 * ramp_watch_register - hear of devices
 *
 * Context: process, without RTNL, before there is a qdisc.
 *
 * Return: 0 or a negative error
 */
int ramp_watch_register(void)
{
	return register_netdevice_notifier(&ramp_watch_notifier);
}

/**
 * ramp_watch_unregister - hear of them no more
 *
 * Context: process, without RTNL, when no qdisc is left. No notifier runs
 *	afterwards.
 */
void ramp_watch_unregister(void)
{
	unregister_netdevice_notifier(&ramp_watch_notifier);
}
