// SPDX-License-Identifier: GPL-2.0
/*
 * Links that gears follow. All under RTNL.
 *
 * NetFridgeS, 7.1: no more can come than what the ports that are up bring. What
 * that is follows at once, in the notifier that tells of a link. How fast a
 * link is can only be asked by a work item (see device.c): until then a link
 * has the speed that it had.
 */

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "ramp.h"

static void ramp_gear_ports_follow(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gears_ports seen;
	u32 top;

	if (!q->geared)
		return;
	top = ramp_gear_ports_top(q->config.gears, &seen);
	if (top != q->gear->law.p.top ||
	    memcmp(&seen, &q->gear->law.seen, sizeof(seen)))
		ramp_gear_follow(sch, &seen, top);
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

	if (!gears || (event != NETDEV_UP && event != NETDEV_DOWN &&
		       event != NETDEV_CHANGE && event != NETDEV_UNREGISTER))
		return false;
	for (i = 0; i < gears->ports; i++)
		if (gears->port[i].ifindex == dev->ifindex)
			break;
	if (i == gears->ports)
		return false;

	if (event == NETDEV_UNREGISTER) {
		gears->ports--;
		memmove(&gears->port[i], &gears->port[i + 1],
			(gears->ports - i) * sizeof(gears->port[0]));
		ramp_gear_ports_follow(sch);
		return false;
	}
	gears->port[i].up = ramp_gear_port_up(dev);
	ramp_gear_ports_follow(sch);
	if (event == NETDEV_DOWN)
		return false;
	gears->asked = false;
	return true;
}

/**
 * ramp_gear_ports_ask - ask ports for their speed
 * @sch: ramp qdisc
 *
 * What a link that is down does not know any more is kept. The qdisc is in use
 * by now.
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
		port->up = ramp_gear_port_up(dev);
		if (!__ethtool_get_link_ksettings(dev, &ks) &&
		    ks.base.speed && ks.base.speed != (u32)SPEED_UNKNOWN)
			port->speed = ks.base.speed;
		else if (port->up)
			port->speed = 0;
	}
	ramp_gear_ports_follow(sch);
	ramp_gear_start(sch);
}
