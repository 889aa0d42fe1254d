// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink of the ramp qdisc: shows what was asked for of gears, and what became
 * of it.
 *
 * The first message of a dump has a page at most, so lists are short, and those
 * that are at their defaults are not in it.
 */

#include <linux/ktime.h>
#include <net/netlink.h>

#include "ramp.h"

static int ramp_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, TCA_RAMP_PAD);
}

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
	    ramp_put_u64(skb, TCA_RAMP_FREEZE_NOW, freeze))
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
	    ramp_put_u64(skb, TCA_RAMP_FREEZE, gears->freeze) ||
	    ramp_put_u64(skb, TCA_RAMP_DWELL, gears->dwell) ||
	    ramp_put_u64(skb, TCA_RAMP_IDLE, gears->idle) ||
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
