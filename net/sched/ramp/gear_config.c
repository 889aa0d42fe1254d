// SPDX-License-Identifier: GPL-2.0
/*
 * What is asked for of gears, and what it amounts to. All under RTNL.
 *
 * Configurations share it until one of them is edited: a change that is refused
 * leaves what is in force as it is.
 */

#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <net/netlink.h>

#include "ramp.h"

/* A time is cut so that a part of the limit is left. */
#define RAMP_GEAR_SPARE		8

/* Every default has its reason in tc-ramp-gears(8). */
static const struct ramp_gear_config ramp_gear_defaults = {
	.timed	= true,
	.ups	= 1,
	.up	= { 200 * NSEC_PER_USEC },
	.downs	= 1,
	.down	= { 50 * NSEC_PER_USEC },
	.fit	= 9000,
	.dwell	= RAMP_GEAR_DWELL,
	.idle	= 100 * NSEC_PER_MSEC,
};

/**
 * ramp_gear_config - what is asked for
 * @config: a configuration
 *
 * Context: RTNL.
 *
 * Return: what was named, or the defaults
 */
const struct ramp_gear_config *
ramp_gear_config(const struct ramp_config *config)
{
	return config->gears ?: &ramp_gear_defaults;
}

/**
 * ramp_gear_edit - what is asked for, to be changed
 * @config: a copy of a configuration, which may have been edited before
 * @old: what that has, and others may have, too
 *
 * In the end somebody frees @old, or what was made of it.
 *
 * Context: RTNL, may sleep.
 *
 * Return: what belongs to @config alone, or NULL without memory
 */
struct ramp_gear_config *ramp_gear_edit(struct ramp_config *config,
					const struct ramp_gear_config *old)
{
	struct ramp_gear_config *gears;

	if (config->gears && config->gears != old)
		return config->gears;
	gears = kmemdup(ramp_gear_config(config), sizeof(*gears),
			GFP_KERNEL_ACCOUNT);
	if (gears)
		config->gears = gears;
	return gears;
}

/**
 * ramp_gear_up_default - gear-up goes back to its default
 * @gears: what is asked for, of either kind
 *
 * Context: RTNL.
 */
void ramp_gear_up_default(struct ramp_gear_config *gears)
{
	gears->ups = 1;
	gears->up[0] = gears->timed ? ramp_gear_defaults.up[0] : 7000;
}

/**
 * ramp_gear_down_default - gear-down goes back to its default
 * @gears: what is asked for, of either kind
 *
 * Context: RTNL.
 */
void ramp_gear_down_default(struct ramp_gear_config *gears)
{
	gears->downs = 1;
	gears->down[0] = gears->timed ? ramp_gear_defaults.down[0] : 2000;
}

/**
 * ramp_gear_powers - power goes back to its default if it is not what it was
 * @gears: with other gears than before, or by ports now
 *
 * Context: RTNL.
 */
void ramp_gear_powers(struct ramp_gear_config *gears)
{
	u32 n = gears->shares ? 1 : gears->n;

	if (n ? gears->powers != n : gears->powers == 1)
		gears->powers = 0;
}

/**
 * ramp_gear_lists - lists that do not fit the gears go back to their defaults
 * @gears: with other gears than before
 *
 * Context: RTNL.
 */
void ramp_gear_lists(struct ramp_gear_config *gears)
{
	if (gears->ups > 1 && gears->ups != gears->n)
		ramp_gear_up_default(gears);
	if (gears->downs > 1 && gears->downs != gears->n)
		ramp_gear_down_default(gears);
	ramp_gear_powers(gears);
	if (gears->percents != gears->n)
		gears->percents = 0;
	if (gears->max >= gears->n) {
		gears->min = 0;
		gears->max = 0;
	}
}

static u64 ramp_gear_up(const struct ramp_gear_config *gears, u32 gear)
{
	return gears->up[gears->ups > 1 ? gear : 0];
}

static u64 ramp_gear_down(const struct ramp_gear_config *gears, u32 gear)
{
	return gears->down[gears->downs > 1 ? gear : 0];
}

/**
 * ramp_gear_apart - is gear-down below gear-up, whatever the limit is?
 * @gears: what is asked for
 *
 * Without gears, lists may be of different lengths: then it is seen with them.
 *
 * Context: RTNL.
 *
 * Return: true when it is, for each gear but the idle one
 */
bool ramp_gear_apart(const struct ramp_gear_config *gears)
{
	u32 n = gears->n ?: min(gears->ups, gears->downs);
	u32 i;

	if (n == 1)
		return gears->ups > 1 || gears->downs > 1 ||
		       gears->down[0] < gears->up[0];
	for (i = 1; i < n; i++)
		if (ramp_gear_down(gears, i) >= ramp_gear_up(gears, i))
			return false;
	return true;
}

static u64 ramp_gear_freeze(const struct Qdisc *sch,
			    const struct ramp_gear_config *gears, u32 gear)
{
	if (gears->freeze != RAMP_FREEZE_AUTO)
		return gears->freeze;
	return ramp_gears_freeze(gears->rate[gear], ramp_mtu(sch));
}

/* Bytes, the most that may wait in any gear before a higher one is asked for.
 */
static u64 ramp_gear_highest(const struct Qdisc *sch,
			     const struct ramp_gear_config *gears)
{
	u64 most = ramp_mtu(sch) + 1;
	u32 i;

	for (i = 1; i < gears->n - 1; i++)
		most = max(most, mul_u64_u64_div_u64(gears->rate[i],
						     ramp_gear_up(gears, i),
						     NSEC_PER_SEC));
	return most;
}

/* Bytes, the most that thresholds may be where the FIFOs hold no more: of a
 * limit in packets, in the least frames.
 */
static u32 ramp_gear_most(const struct ramp_law *law)
{
	u64 bytes = law->bytes == RAMP_NO_BYTES ?
		    (u64)law->limit * RAMP_GEARS_FRAME : law->bytes;

	return max_t(u64, bytes - bytes / RAMP_GEAR_SPARE, 2);
}

/**
 * ramp_gear_need - the least limit with room for what comes in a change
 * @sch: ramp qdisc, for its device
 * @config: a configuration
 *
 * It is the room above the highest gear-up that must hold that. There is
 * nothing above the last gear, and below the first no up. Times never ask for
 * more than leaves a RAMP_GEAR_SPARE of the limit.
 *
 * Context: RTNL.
 *
 * Return: skbs, 0 without a freeze, or U64_MAX if none is enough
 */
u64 ramp_gear_need(const struct Qdisc *sch, const struct ramp_config *config)
{
	const struct ramp_gear_config *gears = ramp_gear_config(config);
	u64 freeze = 0, room, most;
	u32 up = 0, i;

	for (i = 0; i < gears->n; i++)
		freeze = max(freeze, ramp_gear_freeze(sch, gears, i));
	if (!freeze)
		return 0;
	room = ramp_gears_room(gears->rate[gears->n - 1], freeze,
			       qdisc_dev(sch)->real_num_tx_queues);
	if (gears->timed) {
		up = config->limit.packets ? RAMP_GEARS_FRAME : ramp_mtu(sch);
		most = ramp_gear_highest(sch, gears);
		return min(room + div_u64(most + up - 1, up),
			   room * RAMP_GEAR_SPARE);
	}
	for (i = 1; i < gears->n - 1; i++)
		up = max_t(u32, up, ramp_gear_up(gears, i));
	if (up == RAMP_PERCENT)
		return U64_MAX;
	return DIV_ROUND_UP_ULL(room * RAMP_PERCENT, RAMP_PERCENT - up);
}

static int ramp_gear_room(const struct Qdisc *sch,
			  const struct ramp_config *config, u32 limit,
			  struct netlink_ext_ack *extack)
{
	u64 need = ramp_gear_need(sch, config);

	if (limit >= need)
		return 0;
	if (need == U64_MAX)
		NL_SET_ERR_MSG(extack,
			       "freeze: gear-up 100% leaves no room for what comes meanwhile");
	else
		ramp_say_room(extack, need);
	return -EINVAL;
}

static void ramp_gear_thresholds(const struct Qdisc *sch,
				 const struct ramp_gear_config *gears,
				 const struct ramp_law *law,
				 struct ramp_gears_params *p)
{
	u64 up[RAMP_GEARS_MAX], down[RAMP_GEARS_MAX];
	u16 high[RAMP_GEARS_MAX], low[RAMP_GEARS_MAX];
	u32 i;

	for (i = 0; i < gears->n; i++) {
		up[i] = ramp_gear_up(gears, i);
		down[i] = ramp_gear_down(gears, i);
		high[i] = up[i];
		low[i] = down[i];
	}
	if (gears->timed)
		ramp_gears_resolve_time(p, gears->rate, up, down, ramp_mtu(sch),
					ramp_gear_most(law));
	else
		ramp_gears_resolve(p, high, low, law->limit);
}

/**
 * ramp_gear_resolve - thresholds in skbs or bytes, buckets in bytes
 * @sch: ramp qdisc, for its device
 * @config: a configuration with gears
 * @law: what else it amounts to
 * @out: to be filled but for what links allow
 * @extack: for the message, or NULL: a limit that is auto, and moves, must not
 *	make anything wrong
 *
 * Context: RTNL.
 *
 * Return: 0, or -EINVAL with the message in @extack
 */
int ramp_gear_resolve(const struct Qdisc *sch, const struct ramp_config *config,
		      const struct ramp_law *law, struct ramp_gear_law *out,
		      struct netlink_ext_ack *extack)
{
	const struct ramp_gear_config *gears = ramp_gear_config(config);
	struct ramp_gears_params *p = &out->p;
	u32 i;

	for (i = 0; i < gears->n; i++) {
		p->fit[i] = mul_u64_u64_div_u64(gears->rate[i], gears->fit,
						RAMP_PERCENT);
		out->rate[i] = gears->rate[i];
		out->depth[i] = ramp_pacer_depth(gears->rate[i],
						 config->tick, ramp_mtu(sch));
		out->freeze[i] = ramp_gear_freeze(sch, gears, i);
	}
	p->n = gears->n;
	out->bytes = gears->timed;
	ramp_gear_thresholds(sch, gears, law, p);
	p->min = gears->max ? gears->min : 1;
	p->max = gears->max ?: gears->n - 1;
	p->links = gears->follow == RAMP_GEAR_FOLLOW_LINKS;
	p->dwell = gears->dwell;
	out->idle = gears->idle;
	out->powers = gears->powers;
	memcpy(out->power, gears->power, sizeof(out->power));
	out->shares = gears->shares;
	for (i = 0; i < gears->shares; i++)
		out->share[i] = gears->share[i];
	if (!extack)
		return 0;
	return ramp_gear_room(sch, config, law->limit, extack);
}

/**
 * ramp_gear_ports_look - which links are up?
 * @sch: ramp qdisc, for its network namespace
 * @gears: what is asked for
 *
 * Context: RTNL.
 */
void ramp_gear_ports_look(const struct Qdisc *sch,
			  struct ramp_gear_config *gears)
{
	struct net *net = dev_net(qdisc_dev(sch));
	const struct net_device *dev;
	u32 i;

	for (i = 0; i < gears->ports; i++) {
		dev = __dev_get_by_index(net, gears->port[i].ifindex);
		gears->port[i].up = dev && ramp_gear_port_up(dev);
	}
}

/**
 * ramp_gear_ports_top - the highest gear that links allow
 * @gears: what is asked for; at least two gears
 * @seen: to be filled: ports as they are
 *
 * Looks for no device: an event would cost as many look-ups as there are ports,
 * and the end of a network namespace that for each of them.
 *
 * Context: RTNL.
 *
 * Return: gear
 */
u32 ramp_gear_ports_top(const struct ramp_gear_config *gears,
			struct ramp_gears_ports *seen)
{
	u32 i;

	memset(seen, 0, sizeof(*seen));
	for (i = 0; i < gears->ports; i++)
		ramp_gears_port(seen, gears->port[i].up, gears->port[i].speed);
	if (gears->follow == RAMP_GEAR_FOLLOW_OCCUPANCY)
		return gears->n - 1;
	return ramp_gears_top(gears->rate, gears->n, seen);
}
