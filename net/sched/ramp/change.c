// SPDX-License-Identifier: GPL-2.0
/*
 * What is asked for comes in force, all of it or nothing: of a qdisc that is made or
 * changed, of one whose device has another rate, of one whose rail is changed.
 *
 * All that may fail is made under RTNL, then all is put in force under the root lock.
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
		ramp_lost(c->sch);
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
	kfree(c->gear);
}
