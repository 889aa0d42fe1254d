// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink family "ramp": events of ramp qdiscs, and rails.
 */

#include <linux/module.h>
#include <net/genetlink.h>

#include "ramp.h"

enum {
	RAMP_MCGRP_ID_EVENTS,
};

static const struct genl_multicast_group ramp_mcgrps[] = {
	[RAMP_MCGRP_ID_EVENTS] = { .name = RAMP_MCGRP_EVENTS },
};

static const struct genl_ops ramp_genl_ops[] = {
	{
		.cmd		= RAMP_CMD_RAIL_GET,
		.policy		= ramp_rail_policy,
		.maxattr	= RAMP_A_RAIL,
		.doit		= ramp_rail_doit,
		.start		= ramp_rail_start,
		.dumpit		= ramp_rail_dumpit,
	},
};

struct genl_family ramp_family __ro_after_init = {
	.name		= RAMP_FAMILY_NAME,
	.version	= RAMP_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.ops		= ramp_genl_ops,
	.n_ops		= ARRAY_SIZE(ramp_genl_ops),
	.resv_start_op	= RAMP_CMD_RAIL_GET,
	.mcgrps		= ramp_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(ramp_mcgrps),
};

/**
 * ramp_genl_heard - does anybody listen to the events of a qdisc?
 * @sch: ramp qdisc
 *
 * Context: any.
 *
 * Return: true if somebody may
 */
bool ramp_genl_heard(const struct Qdisc *sch)
{
	return genl_has_listeners(&ramp_family, dev_net(qdisc_dev(sch)),
				  RAMP_MCGRP_ID_EVENTS);
}

static int ramp_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, RAMP_A_PAD);
}

static int ramp_put_surge(struct sk_buff *skb, const struct ramp_event *e)
{
	u32 direction = e->dir == RAMP_DOWN ? RAMP_DIRECTION_DOWN :
					      RAMP_DIRECTION_UP;

	if (nla_put_u32(skb, RAMP_A_DIRECTION, direction) ||
	    nla_put_u32(skb, RAMP_A_SOURCE, e->source) ||
	    nla_put_u32(skb, RAMP_A_ACT, e->act) ||
	    ramp_put_u64(skb, RAMP_A_TOOK, e->span) ||
	    nla_put_u32(skb, RAMP_A_QUEUED, e->queued))
		return -EMSGSIZE;
	return 0;
}

static int ramp_put_codes(struct sk_buff *skb, const struct ramp_event *e)
{
	struct nlattr *list = nla_nest_start(skb, RAMP_A_CODES);
	struct nlattr *nest;
	u32 bands, band;

	if (!list)
		return -EMSGSIZE;
	for (bands = e->bands; bands; bands &= bands - 1) {
		band = __ffs(bands);
		nest = nla_nest_start(skb, RAMP_A_CODES_ENTRY);
		if (!nest ||
		    nla_put_u32(skb, RAMP_A_CODE_BAND, band) ||
		    nla_put_u32(skb, RAMP_A_CODE_RATE, e->rate[band]))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	nla_nest_end(skb, list);
	return 0;
}

static int ramp_put_gear(struct sk_buff *skb, const struct ramp_event *e)
{
	if (nla_put_u32(skb, RAMP_A_GEAR_FROM, e->from) ||
	    nla_put_u32(skb, RAMP_A_GEAR_TO, e->to) ||
	    nla_put_u32(skb, RAMP_A_GEAR_REASON, e->why) ||
	    nla_put_u32(skb, RAMP_A_QUEUED, e->queued))
		return -EMSGSIZE;
	return 0;
}

static int ramp_put_event(struct sk_buff *skb, const struct ramp_event *e)
{
	switch (e->cmd) {
	case RAMP_CMD_SURGE:
		return ramp_put_surge(skb, e);
	case RAMP_CMD_DONE:
		return ramp_put_u64(skb, RAMP_A_DURATION, e->span);
	case RAMP_CMD_PEER:
		if (nla_put_u32(skb, RAMP_A_WHY, e->why))
			return -EMSGSIZE;
		return ramp_put_codes(skb, e);
	case RAMP_CMD_GEAR:
		return ramp_put_gear(skb, e);
	default:
		return ramp_put_codes(skb, e);
	}
}

/* The longest one has a code for each band. */
static size_t ramp_event_size(void)
{
	return 5 * nla_total_size_64bit(sizeof(u64)) +
	       8 * nla_total_size(sizeof(u32)) + nla_total_size(0) +
	       RAMP_BANDS_MAX * (nla_total_size(0) +
				 2 * nla_total_size(sizeof(u32)));
}

/**
 * ramp_genl_tell - send an event to those who listen
 * @sch: ramp qdisc
 * @e: event
 * @lost: events of this qdisc that were lost until now
 *
 * Messages of a qdisc are numbered, so that a listener that was too slow sees
 * how many it has missed.
 *
 * Context: softirq, no locks.
 *
 * Return: 0, also when nobody listens any more, or a negative error
 */
int ramp_genl_tell(struct Qdisc *sch, const struct ramp_event *e, u64 lost)
{
	struct net_device *dev = qdisc_dev(sch);
	struct sk_buff *skb;
	void *hdr;
	int err;

	skb = genlmsg_new(ramp_event_size(), GFP_ATOMIC);
	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put(skb, 0, e->seq, &ramp_family, 0, e->cmd);
	if (!hdr ||
	    nla_put_u32(skb, RAMP_A_IFINDEX, dev->ifindex) ||
	    nla_put_u32(skb, RAMP_A_HANDLE, sch->handle) ||
	    nla_put_u32(skb, RAMP_A_PARENT, sch->parent) ||
	    ramp_put_u64(skb, RAMP_A_TIME, e->time) ||
	    ramp_put_event(skb, e) ||
	    ramp_put_u64(skb, RAMP_A_LOST, lost)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	err = genlmsg_multicast_netns(&ramp_family, dev_net(dev), skb, 0,
				      RAMP_MCGRP_ID_EVENTS, GFP_ATOMIC);
	return err == -ESRCH ? 0 : err;
}

/**
 * ramp_genl_register - offer the family
 *
 * Return: 0 or a negative error
 */
int __init ramp_genl_register(void)
{
	return genl_register_family(&ramp_family);
}

/**
 * ramp_genl_unregister - the module goes
 */
void ramp_genl_unregister(void)
{
	genl_unregister_family(&ramp_family);
}

MODULE_ALIAS_GENL_FAMILY(RAMP_FAMILY_NAME);
