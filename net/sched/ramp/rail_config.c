// SPDX-License-Identifier: GPL-2.0
/*
 * Rails: what their members have in common. All under RTNL.
 *
 * Each member has a copy of the parameters that are of the rail, so that
 * whatever it is asked is answered as by the others. Limits, bands and what is
 * said of them are each member's own.
 *
 * Nothing of a rail may depend on a member. The rate is the rail's, and so are
 * percentages of it; those of a limit would be as many numbers as there are
 * members.
 */

#include <linux/rtnetlink.h>
#include <net/netlink.h>

#include "ramp.h"

static const struct ramp_sched_data *ramp_rail_any(const struct ramp_rail *r)
{
	return list_first_entry(&r->members, struct ramp_sched_data,
				member.list);
}

/**
 * ramp_rail_others - what the members of a rail have that a message names
 * @sch: ramp qdisc
 * @config: its parameters so far
 * @id: of the rail, 0: none
 *
 * Context: RTNL.
 *
 * Return: parameters of one of them, or NULL if there is nobody to follow
 */
const struct ramp_config *ramp_rail_others(const struct Qdisc *sch,
					   const struct ramp_config *config,
					   u32 id)
{
	const struct ramp_rail *r;

	if (!id || id == config->rail || config->mq)
		return NULL;
	r = ramp_rail_lookup(dev_net(qdisc_dev(sch)), id);
	return r ? &ramp_rail_any(r)->config : NULL;
}

/**
 * ramp_rail_config - can all members of a rail have these parameters?
 * @config: what was named is in it
 * @extack: for the message
 *
 * Context: RTNL.
 *
 * Return: 0, or -EINVAL with the message in @extack
 */
int ramp_rail_config(const struct ramp_config *config,
		     struct netlink_ext_ack *extack)
{
	u32 detect = config->detect;

	if (!config->rail)
		return 0;
	if (config->mq) {
		NL_SET_ERR_MSG(extack,
			       "rail: none, as the queues of a ramp_mq are on one of their own");
		return -EINVAL;
	}
	if (!config->rate) {
		NL_SET_ERR_MSG(extack,
			       "rail: rate: 8kbit..2^40 bytes/s of all members together, not auto");
		return -EINVAL;
	}
	if ((detect == RAMP_DETECT_QUEUE || detect == RAMP_DETECT_BOTH) &&
	    config->queue.unit == RAMP_UNIT_PERCENT) {
		NL_SET_ERR_MSG(extack,
			       "rail: queue: LOW:HIGH or +DELTA, packets, not percent");
		return -EINVAL;
	}
	return 0;
}

/* What ramp_edge_range() is, as the user named it. */
static const char *ramp_rail_bound(const struct ramp_edge_params *p)
{
	return p->delta ? "DELTA" : "HIGH - LOW";
}

/* How many are on the rail of a ramp_mq, once all are made. */
static u32 ramp_mq_members(const struct Qdisc *sch)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);

	return max_t(u32, q->mq->rail.count,
		     min_t(u32, qdisc_dev(sch)->real_num_tx_queues,
			   RAMP_RAIL_MEMBERS_MAX));
}

/* Can a qdisc be on a rail, and the rail be so? */
static int ramp_rail_check(struct Qdisc *sch, const struct ramp_rail *r,
			   const struct ramp_plan *plan,
			   struct netlink_ext_ack *extack)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	u32 count = r->count;

	if (q->mq)
		count = ramp_mq_members(sch);
	else if (q->rail != r && !ramp_rail_replaced(sch, r))
		count++;
	if (count > RAMP_RAIL_MEMBERS_MAX) {
		NL_SET_ERR_MSG(extack, "rail: at most 256 members");
		return -ENOSPC;
	}
	if (plan->watch_level && !plan->members &&
	    !ramp_rail_batch(&plan->level, count)) {
		ramp_say_queue(extack, ramp_rail_bound(&plan->level),
			       ramp_edge_range(&plan->level),
			       RAMP_RAIL_PARTS * count, RAMP_RAIL_PARTS);
		return -EINVAL;
	}
	if (plan->watch_ingress && !ramp_rail_batch(&plan->ingress, count)) {
		ramp_say_ingress(extack, ramp_rail_bound(&plan->ingress),
				 ramp_edge_range(&plan->ingress),
				 RAMP_RAIL_PARTS * count, RAMP_RAIL_PARTS);
		return -EINVAL;
	}
	return 0;
}

/**
 * ramp_rail_named - the rail that a configuration names
 * @sch: ramp qdisc
 * @config: configuration
 * @plan: what it amounts to
 * @rail: the rail, to be followed by ramp_rail_put(), or NULL if it names none;
 *	of a ramp_mq that of the ramp_mq, or NULL if it is not on it
 * @extack: for the message
 *
 * Context: RTNL.
 *
 * Return: 0, or a negative error with the message in @extack
 */
int ramp_rail_named(struct Qdisc *sch, const struct ramp_config *config,
		    const struct ramp_plan *plan, struct ramp_rail **rail,
		    struct netlink_ext_ack *extack)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_rail *r;
	int err;

	*rail = NULL;
	if (!ramp_config_shared(config))
		return 0;
	if (q->mq)
		r = ramp_mq_is_on_rail(sch) ? &q->mq->rail : NULL;
	else
		r = ramp_rail_get(sch, config->rail, extack);
	if (IS_ERR_OR_NULL(r))
		return PTR_ERR_OR_ZERO(r);
	err = ramp_rail_check(sch, r, plan, extack);
	if (err)
		ramp_rail_put(r);
	else
		*rail = r;
	return err;
}
