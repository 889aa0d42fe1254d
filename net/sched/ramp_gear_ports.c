// SPDX-License-Identifier: GPL-2.0
/*
 * Links that gears follow. All under RTNL.
 *
 * Document 002, 7.1: no more can come than what the ports that are up bring. What
 * that is follows at once, in the notifier that tells of a link. How fast a link
 * is can only be asked by a work item (see ramp_rate.c): until then a link has
 * the speed that it had.
 */

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/ramp/gears_sum.h>

#include "ramp.h"

static bool ramp_gear_port_up(const struct net_device *dev)
{
	return netif_running(dev) && netif_carrier_ok(dev);
}

/**
 * ramp_gear_ports_top - the highest gear that links allow
 * @sch: ramp qdisc, for its network namespace
 * @gears: what is asked for; at least two gears
 *
 * Context: RTNL.
 *
 * Return: gear
 */
u32 ramp_gear_ports_top(const struct Qdisc *sch,
			const struct ramp_gear_config *gears)
{
	struct net *net = dev_net(qdisc_dev(sch));
	struct ramp_gears_ports sum = {};
	const struct ramp_gear_port *port;
	const struct net_device *dev;
	u32 i;

	if (gears->follow == RAMP_GEAR_FOLLOW_OCCUPANCY)
		return gears->n - 1;
	for (i = 0; i < gears->ports; i++) {
		port = &gears->port[i];
		dev = __dev_get_by_index(net, port->ifindex);
		ramp_gears_port(&sum, dev && ramp_gear_port_up(dev),
				port->speed);
	}
	return ramp_gears_top(gears->rate, gears->n, &sum);
}

static void ramp_gear_ports_follow(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->geared)
		ramp_gear_follow(sch, ramp_gear_ports_top(sch,
							  q->config.gears));
}

/**
 * ramp_gear_ports_event - something happened to a device
 * @sch: ramp qdisc
 * @dev: device of its network namespace that it names
 * @event: NETDEV_*
 *
 * One that goes away is let go: another may have its number later.
 *
 * Context: RTNL, in a notifier.
 *
 * Return: true when it is a port, and has to be asked for its speed
 */
bool ramp_gear_ports_event(struct Qdisc *sch, const struct net_device *dev,
			   unsigned long event)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear_config *gears = q->config.gears;
	u32 i;

	if (!gears)
		return false;
	for (i = 0; i < gears->ports; i++)
		if (gears->port[i].ifindex == dev->ifindex)
			break;
	if (i == gears->ports)
		return false;

	switch (event) {
	case NETDEV_UNREGISTER:
		gears->ports--;
		memmove(&gears->port[i], &gears->port[i + 1],
			(gears->ports - i) * sizeof(gears->port[0]));
		ramp_gear_ports_follow(sch);
		return false;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		ramp_gear_ports_follow(sch);
		if (event == NETDEV_DOWN)
			return false;
		gears->asked = false;
		return true;
	default:
		return false;
	}
}

/**
 * ramp_gear_ports_ask - ask ports for their speed
 * @sch: ramp qdisc
 *
 * What a link that is down does not know any more is kept.
 *
 * Context: RTNL and nothing else, may sleep.
 */
void ramp_gear_ports_ask(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct net *net = dev_net(qdisc_dev(sch));
	struct ethtool_link_ksettings ks;
	struct ramp_gear_port *port;
	struct net_device *dev;
	u32 i;

	if (!q->config.gears)
		return;
	q->config.gears->asked = true;
	for (i = 0; i < q->config.gears->ports; i++) {
		port = &q->config.gears->port[i];
		dev = __dev_get_by_index(net, port->ifindex);
		if (!dev)
			continue;
		if (!__ethtool_get_link_ksettings(dev, &ks) &&
		    ks.base.speed && ks.base.speed != (u32)SPEED_UNKNOWN)
			port->speed = ks.base.speed;
		else if (ramp_gear_port_up(dev))
			port->speed = 0;
	}
	ramp_gear_ports_follow(sch);
}
