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
	.dwell	= 10 * NSEC_PER_MSEC,
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
static struct ramp_gear_config *ramp_gear_edit(struct ramp_config *config,
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
static void ramp_gear_up_default(struct ramp_gear_config *gears)
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
static void ramp_gear_down_default(struct ramp_gear_config *gears)
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
static void ramp_gear_powers(struct ramp_gear_config *gears)
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
static void ramp_gear_lists(struct ramp_gear_config *gears)
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
static bool ramp_gear_apart(const struct ramp_gear_config *gears)
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

/* Bytes, the most that may wait in any gear before a higher one is asked for. */
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

/* Bytes, the most that thresholds may be where the FIFOs hold no more: of a limit
 * in packets, in the least frames.
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
 * It is the room above the highest gear-up that must hold that. There is nothing
 * above the last gear, and below the first no up. Times never ask for more than
 * leaves a RAMP_GEAR_SPARE of the limit.
 *
 * Context: RTNL.
 *
 * Return: skbs, 0 without a freeze, or U64_MAX if none is enough
 */
u64 ramp_gear_need(const struct Qdisc *sch, const struct ramp_config *config)
{
	const struct ramp_gear_config *gears = ramp_gear_config(config);
	u64 freeze = 0, room;
	u32 up = 0, i;

	for (i = 0; i < gears->n; i++)
		freeze = max(freeze, ramp_gear_freeze(sch, gears, i));
	if (!freeze)
		return 0;
	room = ramp_gears_room(gears->rate[gears->n - 1], freeze,
			       qdisc_dev(sch)->real_num_tx_queues);
	if (gears->timed) {
		up = config->limit.packets ? RAMP_GEARS_FRAME : ramp_mtu(sch);
		return min(room + div_u64(ramp_gear_highest(sch, gears) + up - 1, up),
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
 * Looks for no device: an event would cost as many look-ups as there are ports, and
 * the end of a network namespace that for each of them.
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

static int ramp_parse_rates(struct ramp_gear_config *gears,
			    const struct nlattr *attr,
			    struct netlink_ext_ack *extack)
{
	u32 i, n = nla_len(attr) / sizeof(u64);

	if (nla_len(attr) % sizeof(u64) || n > RAMP_GEARS_MAX || n == 1)
		return ramp_refuse(attr, extack);
	memset(gears->rate, 0, sizeof(gears->rate));
	nla_memcpy(gears->rate, attr, n * sizeof(u64));
	for (i = 0; i < n; i++)
		if (gears->rate[i] < RAMP_RATE_MIN ||
		    gears->rate[i] > RAMP_RATE_MAX)
			return ramp_refuse(attr, extack);
	for (i = 1; i < n; i++)
		if (gears->rate[i] <= gears->rate[i - 1]) {
			NL_SET_ERR_MSG_ATTR(extack, attr,
					    "gears: not ascending, each is more than the one before it");
			return -EINVAL;
		}
	gears->n = n;
	if (n)
		ramp_gear_lists(gears);
	return 0;
}

/* How many there are of a list, @max or one for each gear. Returns -1 when it is
 * neither; without gears it is as many as it is.
 */
static int ramp_list_len(const struct ramp_gear_config *gears,
			 const struct nlattr *attr, u32 size, u32 other)
{
	u32 n = nla_len(attr) / size;

	if (nla_len(attr) % size || n > RAMP_GEARS_MAX)
		return -1;
	if (n == other || (gears->n ? n == gears->n : n > 1))
		return n;
	return -1;
}

/* Times, @least .. a second, one or one for each gear. */
static int ramp_parse_list_times(const struct ramp_gear_config *gears, u32 *n,
				 u64 *time, u64 least,
				 const struct nlattr *attr,
				 struct netlink_ext_ack *extack)
{
	int len = ramp_list_len(gears, attr, sizeof(u64), 1), i;

	if (len < 0)
		return ramp_refuse(attr, extack);
	memset(time, 0, RAMP_GEARS_MAX * sizeof(u64));
	nla_memcpy(time, attr, len * sizeof(u64));
	for (i = 0; i < len; i++)
		if (time[i] < least || time[i] > NSEC_PER_SEC)
			return ramp_refuse(attr, extack);
	*n = len;
	return 0;
}

/* Hundredths of a percent, @least .. @most. */
static int ramp_parse_shares(const struct ramp_gear_config *gears, u32 *n,
			     u16 *share, u32 other, u16 least, u16 most,
			     const struct nlattr *attr,
			     struct netlink_ext_ack *extack)
{
	int len, i;

	if (!attr)
		return 0;
	len = ramp_list_len(gears, attr, sizeof(u16), other);
	if (len < 0)
		return ramp_refuse(attr, extack);
	memset(share, 0, RAMP_GEARS_MAX * sizeof(u16));
	nla_memcpy(share, attr, len * sizeof(u16));
	for (i = 0; i < len; i++)
		if (share[i] < least || share[i] > most)
			return ramp_refuse(attr, extack);
	*n = len;
	return 0;
}

static int ramp_parse_power(struct ramp_gear_config *gears,
			    const struct nlattr *attr,
			    struct netlink_ext_ack *extack)
{
	int len;

	if (!attr)
		return 0;
	if (gears->shares && nla_len(attr) == sizeof(u32))
		len = 1;
	else
		len = ramp_list_len(gears, attr, sizeof(u32), 0);
	if (len < 0 || (gears->shares && len > 1))
		return ramp_refuse(attr, extack);
	memset(gears->power, 0, sizeof(gears->power));
	nla_memcpy(gears->power, attr, len * sizeof(u32));
	gears->powers = len;
	return 0;
}

/* Before power, whose meaning it is. */
static int ramp_parse_power_ports(struct ramp_gear_config *gears,
				  const struct nlattr *attr,
				  struct netlink_ext_ack *extack)
{
	u32 i, n;

	if (!attr)
		return 0;
	n = nla_len(attr) / sizeof(u16);
	if (nla_len(attr) % sizeof(u16) || n == 1 || n > RAMP_POWER_PORTS_MAX)
		return ramp_refuse(attr, extack);
	memset(gears->share, 0, sizeof(gears->share));
	nla_memcpy(gears->share, attr, n * sizeof(u16));
	for (i = 0; i < n; i++)
		if (gears->share[i] > RAMP_PORTS_SHARE_MAX)
			return ramp_refuse(attr, extack);
	gears->shares = n;
	ramp_gear_powers(gears);
	return 0;
}

/* Ports may go by themselves; who names them or their power names both. */
static int ramp_check_power_ports(const struct ramp_gear_config *gears,
				  struct nlattr **tb,
				  struct netlink_ext_ack *extack)
{
	if (!gears->shares || gears->ports ||
	    (!tb[TCA_RAMP_POWER_PORTS] && !tb[TCA_RAMP_GEAR_PORTS]))
		return 0;
	NL_SET_ERR_MSG(extack, "power-ports: needs gear-ports");
	return -EINVAL;
}

static int ramp_parse_range(struct ramp_gear_config *gears, struct nlattr **tb,
			    struct netlink_ext_ack *extack)
{
	u32 last = (gears->n ?: RAMP_GEARS_MAX) - 1;
	const struct nlattr *attr = NULL;

	if (tb[TCA_RAMP_GEAR_MIN]) {
		attr = tb[TCA_RAMP_GEAR_MIN];
		gears->min = nla_get_u32(attr);
	}
	if (tb[TCA_RAMP_GEAR_MAX]) {
		attr = tb[TCA_RAMP_GEAR_MAX];
		gears->max = nla_get_u32(attr);
	}
	if (!gears->min && !gears->max)
		return 0;
	if (!gears->min || gears->min > gears->max || gears->max > last)
		return attr ? ramp_refuse(attr, extack) :
			      ramp_refuse_type(TCA_RAMP_GEAR_MIN, extack);
	return 0;
}

/* A device that is named twice is there once, and one that was there before is
 * not asked anew.
 */
static int ramp_parse_ports(struct ramp_gear_config *gears,
			    const struct nlattr *list,
			    struct netlink_ext_ack *extack)
{
	struct ramp_gear_port was[RAMP_GEAR_PORTS_MAX];
	u32 n = gears->ports, i, ifindex;
	const struct nlattr *entry;
	int rem;

	if (!list)
		return 0;
	memcpy(was, gears->port, sizeof(was));
	gears->ports = 0;
	gears->asked = false;
	nla_for_each_nested(entry, list, rem) {
		if (entry->nla_type != TCA_RAMP_GEAR_PORTS_IFINDEX ||
		    nla_len(entry) != sizeof(u32))
			return ramp_refuse(list, extack);
		ifindex = nla_get_u32(entry);
		for (i = 0; i < gears->ports; i++)
			if (gears->port[i].ifindex == ifindex)
				break;
		if (i < gears->ports)
			continue;
		if (i == RAMP_GEAR_PORTS_MAX)
			return ramp_refuse(list, extack);
		gears->port[i].ifindex = ifindex;
		gears->port[i].speed = 0;
		gears->ports++;
	}
	if (rem)
		return ramp_refuse(list, extack);

	for (i = 0; i < gears->ports; i++) {
		u32 j;

		for (j = 0; j < n; j++)
			if (was[j].ifindex == gears->port[i].ifindex)
				gears->port[i].speed = was[j].speed;
	}
	return 0;
}

static int ramp_parse_cpus(struct ramp_gear_config *gears,
			   const struct nlattr *attr,
			   struct netlink_ext_ack *extack)
{
	u32 cpu, i, j, n;

	if (!attr)
		return 0;
	n = nla_len(attr) / sizeof(u32);
	if (nla_len(attr) % sizeof(u32) || n > RAMP_CLOCK_CPUS_MAX)
		return ramp_refuse(attr, extack);
	gears->cpus = 0;
	for (i = 0; i < n; i++) {
		cpu = ((const u32 *)nla_data(attr))[i];
		if (cpu >= nr_cpu_ids || !cpu_possible(cpu)) {
			NL_SET_BAD_ATTR(extack, attr);
			ramp_say_no_cpu(extack, cpu);
			return -EINVAL;
		}
		for (j = 0; j < gears->cpus; j++)
			if (gears->cpu[j] == cpu)
				break;
		gears->cpu[j] = cpu;
		gears->cpus = max(gears->cpus, j + 1);
	}
	return 0;
}

static bool ramp_clock_named(struct nlattr **tb)
{
	return tb[TCA_RAMP_CLOCK] || tb[TCA_RAMP_CLOCK_PERCENT] ||
	       tb[TCA_RAMP_CLOCK_CPUS];
}

/* Who may set the clock of the machine, if anybody. */
static int ramp_may_clock(const struct ramp_gear_config *gears,
			  struct nlattr **tb, struct netlink_ext_ack *extack)
{
	if (gears->clock == RAMP_CLOCK_NONE || !ramp_clock_named(tb))
		return 0;
	if (!ramp_clock_there()) {
		NL_SET_ERR_MSG(extack, "clock: this kernel has no cpufreq");
		return -EOPNOTSUPP;
	}
	if (!capable(CAP_SYS_ADMIN)) {
		NL_SET_ERR_MSG(extack,
			       "clock: cpufreq needs CAP_SYS_ADMIN in the initial user namespace");
		return -EPERM;
	}
	return 0;
}

static int ramp_parse_clock(struct ramp_gear_config *gears, struct nlattr **tb,
			    struct netlink_ext_ack *extack)
{
	int err;

	if (tb[TCA_RAMP_CLOCK])
		gears->clock = nla_get_u32(tb[TCA_RAMP_CLOCK]);
	err = ramp_may_clock(gears, tb, extack);
	if (!err)
		err = ramp_parse_shares(gears, &gears->percents, gears->percent,
					0, 1, RAMP_PERCENT,
					tb[TCA_RAMP_CLOCK_PERCENT], extack);
	if (!err)
		err = ramp_parse_cpus(gears, tb[TCA_RAMP_CLOCK_CPUS], extack);
	if (!err && gears->clock != RAMP_CLOCK_NONE && ramp_clock_named(tb))
		err = ramp_clock_check(gears, extack);
	return err;
}

static int ramp_parse_percents(const struct ramp_gear_config *gears, u32 *n,
			       u64 *wide, u16 least, u16 most,
			       const struct nlattr *attr,
			       struct netlink_ext_ack *extack)
{
	u16 share[RAMP_GEARS_MAX] = {};
	u32 i;
	int err;

	err = ramp_parse_shares(gears, n, share, 1, least, most, attr, extack);
	for (i = 0; !err && i < RAMP_GEARS_MAX; i++)
		wide[i] = share[i];
	return err;
}

/* Both thresholds are of one kind. Whoever names but one, in the other kind than
 * they were, has the other at its default.
 */
static int ramp_parse_kind(struct ramp_gear_config *gears, struct nlattr **tb,
			   struct netlink_ext_ack *extack)
{
	bool percent = tb[TCA_RAMP_GEAR_UP] || tb[TCA_RAMP_GEAR_DOWN];
	bool timed = tb[TCA_RAMP_GEAR_UP_TIME] || tb[TCA_RAMP_GEAR_DOWN_TIME];

	if (percent && timed) {
		NL_SET_ERR_MSG(extack,
			       "gear-up, gear-down: both in percent, or both times");
		return -EINVAL;
	}
	if ((!percent && !timed) || timed == gears->timed)
		return 0;
	gears->timed = timed;
	ramp_gear_up_default(gears);
	ramp_gear_down_default(gears);
	return 0;
}

static int ramp_parse_thresholds(struct ramp_gear_config *gears,
				 struct nlattr **tb,
				 struct netlink_ext_ack *extack)
{
	const struct nlattr *up, *down;
	int err;

	err = ramp_parse_kind(gears, tb, extack);
	if (err)
		return err;
	up = tb[gears->timed ? TCA_RAMP_GEAR_UP_TIME : TCA_RAMP_GEAR_UP];
	down = tb[gears->timed ? TCA_RAMP_GEAR_DOWN_TIME : TCA_RAMP_GEAR_DOWN];
	if (up && gears->timed)
		err = ramp_parse_list_times(gears, &gears->ups, gears->up,
					    NSEC_PER_USEC, up, extack);
	else if (up)
		err = ramp_parse_percents(gears, &gears->ups, gears->up, 1,
					  RAMP_PERCENT, up, extack);
	if (!err && down && gears->timed)
		err = ramp_parse_list_times(gears, &gears->downs, gears->down,
					    0, down, extack);
	else if (!err && down)
		err = ramp_parse_percents(gears, &gears->downs, gears->down, 0,
					  RAMP_PERCENT - 1, down, extack);
	if (err || ramp_gear_apart(gears))
		return err;
	return ramp_refuse_type(up ? nla_type(up) :
				gears->timed ? TCA_RAMP_GEAR_DOWN_TIME :
					       TCA_RAMP_GEAR_DOWN, extack);
}

static void ramp_parse_times(struct ramp_gear_config *gears,
			     struct nlattr **tb)
{
	if (tb[TCA_RAMP_GEAR_FOLLOW])
		gears->follow = nla_get_u32(tb[TCA_RAMP_GEAR_FOLLOW]);
	if (tb[TCA_RAMP_DWELL])
		gears->dwell = nla_get_u64(tb[TCA_RAMP_DWELL]);
	if (tb[TCA_RAMP_IDLE])
		gears->idle = nla_get_u64(tb[TCA_RAMP_IDLE]);
	if (tb[TCA_RAMP_GEAR_FIT])
		gears->fit = nla_get_u32(tb[TCA_RAMP_GEAR_FIT]);
}

static int ramp_parse_freeze(struct ramp_gear_config *gears,
			     const struct nlattr *attr,
			     struct netlink_ext_ack *extack)
{
	if (!attr)
		return 0;
	gears->freeze = nla_get_u64(attr);
	if (gears->freeze > NSEC_PER_SEC && gears->freeze != RAMP_FREEZE_AUTO)
		return ramp_refuse(attr, extack);
	return 0;
}

/**
 * ramp_parse_gears - take over what a message names of gears
 * @config: as for ramp_gear_edit()
 * @old: as for ramp_gear_edit()
 * @tb: attributes of the message
 * @extack: for the message
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0, or a negative error with the message in @extack
 */
int ramp_parse_gears(struct ramp_config *config,
		     const struct ramp_gear_config *old, struct nlattr **tb,
		     struct netlink_ext_ack *extack)
{
	struct ramp_gear_config *gears;
	bool named = false;
	int err = 0;
	u32 i;

	for (i = TCA_RAMP_GEARS; i <= TCA_RAMP_CLOCK_CPUS; i++)
		named |= !!tb[i];
	for (i = TCA_RAMP_GEAR_UP_TIME; i <= TCA_RAMP_POWER_PORTS; i++)
		named |= !!tb[i];
	if (!named)
		return 0;
	gears = ramp_gear_edit(config, old);
	if (!gears)
		return -ENOMEM;

	if (tb[TCA_RAMP_GEARS])
		err = ramp_parse_rates(gears, tb[TCA_RAMP_GEARS], extack);
	if (!err)
		err = ramp_parse_thresholds(gears, tb, extack);
	if (!err)
		err = ramp_parse_range(gears, tb, extack);
	if (!err)
		err = ramp_parse_ports(gears, tb[TCA_RAMP_GEAR_PORTS], extack);
	if (!err)
		err = ramp_parse_freeze(gears, tb[TCA_RAMP_FREEZE], extack);
	if (!err)
		err = ramp_parse_power_ports(gears, tb[TCA_RAMP_POWER_PORTS],
					     extack);
	if (!err)
		err = ramp_check_power_ports(gears, tb, extack);
	if (!err)
		err = ramp_parse_power(gears, tb[TCA_RAMP_POWER], extack);
	if (!err)
		err = ramp_parse_clock(gears, tb, extack);
	ramp_parse_times(gears, tb);
	return err;
}

/*
 * Netlink of the ramp qdisc: shows what was asked for of gears, and what became
 * of it.
 *
 * The first message of a dump has a page at most, so lists are short, and those
 * that are at their defaults are not in it.
 */

static int ramp_put_ports(struct sk_buff *skb,
			  const struct ramp_gear_config *gears)
{
	struct nlattr *list = nla_nest_start(skb, TCA_RAMP_GEAR_PORTS);
	u32 i;

	if (!list)
		return -EMSGSIZE;
	for (i = 0; i < gears->ports; i++)
		if (nla_put_u32(skb, TCA_RAMP_GEAR_PORTS_IFINDEX,
				gears->port[i].ifindex))
			return -EMSGSIZE;
	nla_nest_end(skb, list);
	return 0;
}

/* As they were asked for: of the other kind there is nothing. */
static int ramp_put_thresholds(struct sk_buff *skb,
			       const struct ramp_gear_config *gears)
{
	u16 up[RAMP_GEARS_MAX], down[RAMP_GEARS_MAX];
	u32 i;

	if (gears->timed)
		return nla_put(skb, TCA_RAMP_GEAR_UP_TIME,
			       gears->ups * sizeof(u64), gears->up) ?:
		       nla_put(skb, TCA_RAMP_GEAR_DOWN_TIME,
			       gears->downs * sizeof(u64), gears->down);
	for (i = 0; i < RAMP_GEARS_MAX; i++) {
		up[i] = gears->up[i];
		down[i] = gears->down[i];
	}
	return nla_put(skb, TCA_RAMP_GEAR_UP, gears->ups * sizeof(u16), up) ?:
	       nla_put(skb, TCA_RAMP_GEAR_DOWN, gears->downs * sizeof(u16),
		       down);
}

static int ramp_put_lists(struct sk_buff *skb,
			  const struct ramp_gear_config *gears)
{
	if (nla_put(skb, TCA_RAMP_GEARS, gears->n * sizeof(u64), gears->rate) ||
	    ramp_put_thresholds(skb, gears) ||
	    ramp_put_ports(skb, gears) ||
	    nla_put(skb, TCA_RAMP_POWER, gears->powers * sizeof(u32),
		    gears->power) ||
	    nla_put(skb, TCA_RAMP_POWER_PORTS, gears->shares * sizeof(u16),
		    gears->share) ||
	    nla_put(skb, TCA_RAMP_CLOCK_PERCENT, gears->percents * sizeof(u16),
		    gears->percent) ||
	    nla_put(skb, TCA_RAMP_CLOCK_CPUS, gears->cpus * sizeof(u32),
		    gears->cpu))
		return -EMSGSIZE;
	return 0;
}

static int ramp_put_now(struct Qdisc *sch, struct sk_buff *skb)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_gear *r = q->gear;
	u64 freeze;
	u32 top;

	if (!r)
		return 0;
	sch_tree_lock(sch);
	top = ramp_gears_high(&r->law.p);
	freeze = r->law.freeze[r->g.gear];
	sch_tree_unlock(sch);
	if (nla_put_u32(skb, TCA_RAMP_GEAR_TOP, top) ||
	    ramp_put_number(skb, TCA_RAMP_FREEZE_NOW, freeze))
		return -EMSGSIZE;
	return 0;
}

/**
 * ramp_dump_gears - show what was asked for of gears
 * @sch: ramp qdisc
 * @skb: message, with TCA_OPTIONS open
 *
 * Context: RTNL; takes the root lock.
 *
 * Return: 0 or -EMSGSIZE
 */
int ramp_dump_gears(struct Qdisc *sch, struct sk_buff *skb)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_gear_config *gears = ramp_gear_config(&q->config);

	if (ramp_put_lists(skb, gears) ||
	    nla_put_u32(skb, TCA_RAMP_GEAR_MIN, gears->min) ||
	    nla_put_u32(skb, TCA_RAMP_GEAR_MAX, gears->max) ||
	    nla_put_u32(skb, TCA_RAMP_GEAR_FOLLOW, gears->follow) ||
	    nla_put_u32(skb, TCA_RAMP_GEAR_FIT, gears->fit) ||
	    ramp_put_number(skb, TCA_RAMP_FREEZE, gears->freeze) ||
	    ramp_put_number(skb, TCA_RAMP_DWELL, gears->dwell) ||
	    ramp_put_number(skb, TCA_RAMP_IDLE, gears->idle) ||
	    nla_put_u32(skb, TCA_RAMP_CLOCK, gears->clock))
		return -EMSGSIZE;
	return ramp_put_now(sch, skb);
}

static void ramp_gear_energy(const struct ramp_gear *r,
			     struct tc_ramp_xstats *st)
{
	if (!r->law.powers)
		return;
	st->energy_mj = ramp_gears_energy(st->gear_ns, st->gears, r->law.power);
	if (r->law.power[st->gears - 1])
		st->saved = ramp_gears_saved(st->gear_ns, st->gears,
					     r->law.power);
}

/* The same by ports, whatever gear it is. How much less it is than with all of them
 * up is known without watts.
 */
static void ramp_gear_ports_energy(const struct ramp_gear *r,
				   struct tc_ramp_xstats *st, u64 now)
{
	u32 i, n = r->law.shares;

	st->port_rows = n;
	st->port_row = r->ports.row;
	st->ports_up = r->ports.up;
	st->ports = r->ports.all;
	for (i = 0; i < n; i++)
		st->port_ns[i] = ramp_ports_spent(&r->ports, i, now);
	if (r->law.powers)
		st->energy_mj = ramp_ports_energy(st->port_ns, n, r->law.share,
						  r->law.power[0]);
	if (r->law.share[n - 1])
		st->saved = ramp_gears_saved(st->port_ns, n, r->law.share);
}

/**
 * ramp_gear_stats - show which gear it is, and was
 * @sch: ramp qdisc
 * @st: to be filled
 *
 * Context: root lock.
 */
void ramp_gear_stats(struct Qdisc *sch, struct tc_ramp_xstats *st)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_gear *r = q->gear;
	u64 now;
	u32 i;

	if (!r)
		return;
	now = ktime_get_ns();
	st->gears = r->law.p.n;
	st->gear = r->g.gear;
	st->gear_min = ramp_gears_low(&r->law.p);
	st->gear_max = ramp_gears_high(&r->law.p);
	for (i = 0; i < st->gears; i++)
		st->gear_ns[i] = ramp_gears_spent(&r->g, i, now);
	st->gear_changes = r->g.changes;
	st->flaps = r->g.flap.flaps;
	st->range_drops = r->g.range_drops;
	st->freezes = r->freezes;
	st->freeze_ns_min = r->freeze_min;
	st->freeze_ns_max = r->freeze_max;
	if (r->freezes)
		st->freeze_ns_avg = div64_u64(r->freeze_sum, r->freezes);
	if (r->law.shares)
		ramp_gear_ports_energy(r, st, now);
	else
		ramp_gear_energy(r, st);
}
