// SPDX-License-Identifier: GPL-2.0
/*
 * What is asked for comes in force, all of it or nothing: of a qdisc that is
 * made or changed, of one whose device has another rate, of one whose rail is
 * changed.
 *
 * All that may fail is made under RTNL, then all is put in force under the root
 * lock.
 */

#include "ramp.h"

/**
 * ramp_change_resolve - what a configuration amounts to
 * @c: with a qdisc and a configuration whose values are in their ranges
 * @link: bytes/s of the device, 0 if it is not known
 * @extack: for the message of an error or a warning, or NULL
 *
 * Context: RTNL.
 *
 * Return: 0, or -EINVAL with the message in @extack
 */
int ramp_change_resolve(struct ramp_change *c, u64 link,
			struct netlink_ext_ack *extack)
{
	return ramp_resolve(c->sch, c->config, link, &c->law, &c->plan, extack);
}

/**
 * ramp_change_prepare - make what a configuration needs
 * @c: after ramp_change_resolve(); to be followed by ramp_change_end()
 * @extack: for the message, or NULL
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0 or a negative error with the message in @extack
 */
int ramp_change_prepare(struct ramp_change *c, struct netlink_ext_ack *extack)
{
	int err = 0;

	if (ramp_config_tells(c->config))
		err = ramp_events_prepare(c->sch);
	if (!err)
		err = ramp_send_prepare(c->sch, c->config, &c->law, &c->codes,
					extack);
	if (!err)
		err = ramp_gear_prepare(c->sch, c->config, &c->law, &c->gear,
					extack);
	return err;
}

/**
 * ramp_change_commit - put it in force
 * @c: after ramp_change_prepare(); gets what was in force
 *
 * Context: RTNL and root lock.
 */
void ramp_change_commit(struct ramp_change *c)
{
	struct ramp_sched_data *q = qdisc_priv(c->sch);

	ramp_assert_locked(c->sch);
	/* There is no law of one that is being made. */
	if (!q->law.bands) {
		ramp_gate_begin(c->sch, &c->law, &c->plan, c->rail);
	} else {
		if (q->rail != c->rail)
			ramp_rail_move(c->sch, c->rail, &c->plan);
		ramp_gate_change(c->sch, &c->law, &c->plan);
		ramp_peer_change(c->sch, q->own.now);
		ramp_removed(c->sch);
	}
	c->codes = ramp_send_commit(c->sch, c->codes);
	swap(q->clock, c->clock);
	c->gear = ramp_gear_commit(c->sch, c->gear);
}

/**
 * ramp_change_end - what was in force, or did not come in force, is of no use
 * @c: change, perhaps one that was refused
 *
 * Context: RTNL, may sleep.
 */
void ramp_change_end(struct ramp_change *c)
{
	struct ramp_sched_data *q = qdisc_priv(c->sch);

	ramp_clock_begin(q->clock);
	if (c->clock != q->clock)
		ramp_clock_end(c->clock);
	kfree(c->codes);
	ramp_gear_free(c->gear);
}

/**
 * ramp_rate_drop - what was prepared is not needed
 * @sch: ramp qdisc, for which something may have been prepared
 *
 * Context: RTNL.
 */
static void ramp_rate_drop(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->spare)
		ramp_change_end(q->spare);
	kfree(q->spare);
	q->spare = NULL;
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
static int ramp_rate_prepare(struct Qdisc *sch,
			     const struct ramp_config *config)
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
 * ramp_rate_commit - put a change in force that nobody asked this qdisc for
 * @c: after ramp_change_prepare()
 *
 * Context: RTNL, without root lock.
 */
void ramp_rate_commit(struct ramp_change *c)
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
static void ramp_rate_apply(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (q->spare)
		ramp_rate_commit(q->spare);
	ramp_rate_drop(sch);
}

/**
 * ramp_rail_prepare - make what the other members of a rail will need
 * @sch: ramp qdisc that is on it, or joins it
 * @r: rail, or NULL; the members of that of a ramp_mq are all told by
 *	themselves
 * @config: accepted parameters, which all of them will have
 *
 * To be followed by ramp_rail_settle(), whether or not they get them.
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0 or -ENOMEM
 */
int ramp_rail_prepare(const struct Qdisc *sch, struct ramp_rail *r,
		      const struct ramp_config *config)
{
	struct ramp_sched_data *q;
	struct ramp_config next;
	int err = 0;

	if (!r || r->unnamed)
		return 0;
	list_for_each_entry(q, &r->members, member.list) {
		if (q->sch == sch)
			continue;
		next = q->config;
		ramp_attrs_share(&next, config);
		err = ramp_rate_prepare(q->sch, &next);
		if (err)
			break;
	}
	return err;
}

/**
 * ramp_rail_spread - the other members take over the parameters of one
 * @sch: ramp qdisc, which they were accepted for, on a rail or on none
 *
 * Limits that are auto follow. Nothing that a member has by itself can make the
 * parameters of a rail wrong, and all that it takes was prepared.
 *
 * Context: RTNL, without root lock.
 */
void ramp_rail_spread(struct Qdisc *sch)
{
	const struct ramp_sched_data *from = qdisc_priv(sch);
	struct ramp_sched_data *q;

	if (!from->rail || from->rail->unnamed)
		return;
	list_for_each_entry(q, &from->rail->members, member.list) {
		if (q == from)
			continue;
		ramp_attrs_share(&q->config, &from->config);
		ramp_rate_apply(q->sch);
	}
}

/**
 * ramp_rail_settle - what was prepared and not taken is not needed any more
 * @r: rail, or NULL
 *
 * Context: RTNL.
 */
void ramp_rail_settle(struct ramp_rail *r)
{
	struct ramp_sched_data *q;

	if (!r || r->unnamed)
		return;
	list_for_each_entry(q, &r->members, member.list)
		ramp_rate_drop(q->sch);
}
