// SPDX-License-Identifier: GPL-2.0
/*
 * Gears are put in force, or others than before, or none. What can fail is done
 * under RTNL alone; the rest takes the root lock, and moves a gear that its
 * range does not have any more.
 */

#include <linux/ktime.h>
#include <linux/slab.h>

#include "ramp.h"

/**
 * ramp_gear_check - are the ports where they are said to be?
 * @sch: ramp qdisc, for its device
 * @config: a configuration whose values are in their ranges
 * @extack: for the message
 *
 * Context: RTNL.
 *
 * Return: 0, or -EINVAL with the message in @extack
 */
int ramp_gear_check(const struct Qdisc *sch, const struct ramp_config *config,
		    struct netlink_ext_ack *extack)
{
	const struct ramp_gear_config *gears = ramp_gear_config(config);
	struct net *net = dev_net(qdisc_dev(sch));
	u32 i;

	for (i = 0; i < gears->ports; i++)
		if (!__dev_get_by_index(net, gears->port[i].ifindex))
			return ramp_refuse_type(TCA_RAMP_GEAR_PORTS, extack);
	return 0;
}

/**
 * ramp_gear_prepare - make what a configuration needs for its gears
 * @sch: ramp qdisc
 * @config: configuration
 * @law: what else it amounts to
 * @gear: to be filled: for ramp_gear_commit() or ramp_gear_free(); NULL
 *	without gears
 * @extack: for the message, or NULL
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0 or a negative error with the message in @extack
 */
int ramp_gear_prepare(struct Qdisc *sch, const struct ramp_config *config,
		      const struct ramp_law *law, struct ramp_gear **gear,
		      struct netlink_ext_ack *extack)
{
	const struct ramp_gear_config *gears = ramp_gear_config(config);
	struct ramp_gear *new;
	int err;

	*gear = NULL;
	if (!gears->n)
		return 0;
	new = kzalloc_obj(*new, GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	ramp_gear_init(sch, new);
	err = ramp_gear_resolve(sch, config, law, &new->law, extack);
	if (err) {
		ramp_gear_free(new);
		return err;
	}
	ramp_gear_ports_look(sch, config->gears);
	new->law.p.top = ramp_gear_ports_top(gears, &new->law.seen);
	*gear = new;
	return 0;
}

static bool ramp_gear_same(const struct ramp_gear *a, const struct ramp_gear *b)
{
	return a && b && a->law.p.n == b->law.p.n &&
	       !memcmp(a->law.rate, b->law.rate, sizeof(a->law.rate));
}

/* Does the gear lie outside of what may be taken? */
static bool ramp_gear_outside(const struct ramp_gear *r)
{
	u32 high = ramp_gears_high(&r->law.p);

	if (!r->g.gear)
		return false;
	return r->g.gear > high || r->g.gear < ramp_gears_low(&r->law.p) ||
	       (r->law.p.links && r->g.gear != high);
}

/* From now on power is that of as many ports as are up. */
static void ramp_gear_share_look(struct ramp_gear *r, u64 now)
{
	const struct ramp_gears_ports *seen = &r->law.seen;

	ramp_ports_look(&r->ports, r->law.shares,
			seen->known_up + seen->unknown_up,
			seen->known + seen->unknown, now);
}

/* Parameters changed, of the same gears. That is no reason to decide by what
 * waits: a controller that shifts the range would shift gears with it.
 */
static void ramp_gear_renew(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;
	enum ramp_gears_why why = RAMP_GEARS_STAY;
	u32 from = r->g.gear;

	ramp_gear_share_look(r, now);
	/* Other bands may be exempt. */
	r->g.came = ramp_gear_came(sch);
	ramp_gears_mark(&r->g, now);
	if (ramp_gear_outside(r)) {
		why = ramp_gears_change(&r->g, &r->law.p,
					ramp_gear_occupancy(sch), now);
	} else {
		ramp_gears_judge(&r->g, &r->law.p);
		ramp_gears_bounds(&r->g, &r->law.p);
		r->put_off &= ramp_gears_outside(&r->g,
						 ramp_gear_occupancy(sch));
	}
	if (why) {
		ramp_gear_took(sch, from, why, now);
	} else {
		ramp_pacer_change(&r->pacer, r->law.rate[from],
				  r->law.depth[from], now);
		ramp_gear_bounds(sch);
	}
	/* The packets that wait are asked again, and dwell and idle are other
	 * times.
	 */
	ramp_gear_arm(sch, now);
}

/* Other gears: they begin in the highest one. */
static void ramp_gear_begin(struct Qdisc *sch, const struct ramp_gear *old,
			    u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;
	u32 gear;

	ramp_gears_init(&r->g, &r->law.p, now);
	r->g.came = ramp_gear_came(sch);
	ramp_gears_mark(&r->g, now);
	gear = r->g.gear;
	r->wake = U64_MAX;
	ramp_pacer_init(&r->pacer, r->law.rate[gear], r->law.depth[gear], now);
	if (old) {
		r->ports = old->ports;
		r->g.changes = old->g.changes;
		r->g.range_drops += old->g.range_drops;
		r->g.flap.flaps = old->g.flap.flaps;
		r->freezes = old->freezes;
		r->freeze_min = old->freeze_min;
		r->freeze_max = old->freeze_max;
		r->freeze_sum = old->freeze_sum;
	}
	ramp_gear_share_look(r, now);
	ramp_gear_bounds(sch);
	if (q->clock)
		ramp_clock_follow(q->clock, gear);
	r->empty = now;
	r->resting = true;
	ramp_gear_arm(sch, now);
}

/**
 * ramp_gear_commit - put gears in force
 * @sch: ramp qdisc, whose other parameters are in force
 * @gear: from ramp_gear_prepare()
 *
 * Context: RTNL and root lock, or before the qdisc is in use.
 *
 * Return: for ramp_gear_free()
 */
struct ramp_gear *ramp_gear_commit(struct Qdisc *sch, struct ramp_gear *gear)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *old = q->gear;
	u64 now = ktime_get_ns();

	if (ramp_gear_same(old, gear)) {
		old->law = gear->law;
		ramp_gear_renew(sch, now);
		if (q->clock)
			ramp_clock_follow(q->clock, old->g.gear);
		return gear;
	}
	if (old && old->frozen)
		ramp_gear_thaw(sch, now);
	q->gear = gear;
	q->geared = !!gear;
	ramp_bands_mark(sch);
	ramp_whole_set(q);
	if (gear)
		ramp_gear_begin(sch, old, now);
	return old;
}

/**
 * ramp_gear_follow - links may allow another gear
 * @sch: ramp qdisc with gears
 * @seen: links as they are
 * @top: the highest one
 *
 * Context: RTNL; takes the root lock.
 */
void ramp_gear_follow(struct Qdisc *sch, const struct ramp_gears_ports *seen,
		      u32 top)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;

	sch_tree_lock(sch);
	r->law.seen = *seen;
	r->law.p.top = top;
	ramp_gear_renew(sch, ktime_get_ns());
	sch_tree_unlock(sch);
}

/**
 * ramp_gear_start - start the timer that a qdisc not yet in use has lost
 * @sch: ramp qdisc
 *
 * It fires into what was there before, and on a port where nothing comes nobody
 * else looks whether it is time for the idle gear.
 *
 * Context: RTNL; takes the root lock.
 */
void ramp_gear_start(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	sch_tree_lock(sch);
	if (q->geared)
		ramp_gear_arm(sch, ramp_gear_when(q));
	sch_tree_unlock(sch);
}

/**
 * ramp_gear_reset - nothing waits any more, and nothing is under way
 * @sch: ramp qdisc
 *
 * Context: root lock.
 */
void ramp_gear_reset(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;
	u64 now;

	if (!r)
		return;
	now = ktime_get_ns();
	r->wake = U64_MAX;
	r->put_off = false;
	if (r->frozen)
		ramp_gear_thaw(sch, now);
	ramp_gear_bounds(sch);
	r->resting = false;
	ramp_gear_empty(sch, now);
}
