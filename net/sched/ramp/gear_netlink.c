// SPDX-License-Identifier: GPL-2.0
/*
 * Gears in messages: what is asked for is taken over, and shown with what
 * became of it.
 */

#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <net/netlink.h>

#include "ramp.h"

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

/* How many there are of a list, @max or one for each gear. Returns -1 when it
 * is neither; without gears it is as many as it is.
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

static int ramp_check_range(const struct ramp_gear_config *gears,
			    struct nlattr **tb, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = tb[TCA_RAMP_GEAR_MAX] ?:
				    tb[TCA_RAMP_GEAR_MIN];
	u32 last = (gears->n ?: RAMP_GEARS_MAX) - 1;

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

/* Both thresholds are of one kind. Whoever names but one, in the other kind
 * than they were, has the other at its default.
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

static int ramp_check_freeze(const struct ramp_gear_config *gears,
			     const struct nlattr *attr,
			     struct netlink_ext_ack *extack)
{
	if (attr && gears->freeze > NSEC_PER_SEC &&
	    gears->freeze != RAMP_FREEZE_AUTO)
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
	int err = 0;

	if (!ramp_attrs_named(RAMP_PART_GEARS, tb))
		return 0;
	gears = ramp_gear_edit(config, old);
	if (!gears)
		return -ENOMEM;

	if (tb[TCA_RAMP_GEARS])
		err = ramp_parse_rates(gears, tb[TCA_RAMP_GEARS], extack);
	/* With other gears a range may have gone that is not named anew. */
	ramp_attrs_take(RAMP_PART_GEARS, gears, tb);
	if (!err)
		err = ramp_parse_thresholds(gears, tb, extack);
	if (!err)
		err = ramp_check_range(gears, tb, extack);
	if (!err)
		err = ramp_parse_ports(gears, tb[TCA_RAMP_GEAR_PORTS], extack);
	if (!err)
		err = ramp_check_freeze(gears, tb[TCA_RAMP_FREEZE], extack);
	if (!err)
		err = ramp_parse_power_ports(gears, tb[TCA_RAMP_POWER_PORTS],
					     extack);
	if (!err)
		err = ramp_check_power_ports(gears, tb, extack);
	if (!err)
		err = ramp_parse_power(gears, tb[TCA_RAMP_POWER], extack);
	if (!err)
		err = ramp_parse_clock(gears, tb, extack);
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
 * ramp_gears_size - what lists of gears take in a message
 * @config: a configuration
 *
 * Context: RTNL.
 *
 * Return: bytes, but for what is always there
 */
u32 ramp_gears_size(const struct ramp_config *config)
{
	const struct ramp_gear_config *gears = ramp_gear_config(config);

	return gears->ports * nla_total_size(sizeof(u32)) +
	       gears->n * sizeof(u64) + gears->powers * sizeof(u32) +
	       gears->shares * sizeof(u16) +
	       (gears->ups + gears->downs) *
	       (gears->timed ? sizeof(u64) : sizeof(u16)) +
	       gears->percents * sizeof(u16) +
	       gears->cpus * sizeof(u32);
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
	    ramp_attrs_put(RAMP_PART_GEARS, gears, NULL, skb))
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

/* The same by ports, whatever gear it is. How much less it is than with all of
 * them up is known without watts.
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
