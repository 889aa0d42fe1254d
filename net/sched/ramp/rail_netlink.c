// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink family "ramp": the rails of a network namespace, and who is
 * on them.
 */

#include <linux/ktime.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "ramp.h"

static const struct nla_policy ramp_rail_policy[RAMP_A_RAIL + 1] = {
	[RAMP_A_RAIL]	= { .type = NLA_U32 },
};

static size_t ramp_rail_size(u32 members)
{
	return NLMSG_ALIGN(GENL_HDRLEN) + 2 * nla_total_size(sizeof(u32)) +
	       nla_total_size(0) +
	       members * (nla_total_size(0) + 3 * nla_total_size(sizeof(u32)));
}

static int ramp_put_member(struct sk_buff *skb, const struct Qdisc *sch)
{
	struct nlattr *nest = nla_nest_start(skb, RAMP_A_MEMBERS_ENTRY);

	if (!nest ||
	    nla_put_u32(skb, RAMP_A_MEMBER_IFINDEX, qdisc_dev(sch)->ifindex) ||
	    nla_put_u32(skb, RAMP_A_MEMBER_HANDLE, sch->handle) ||
	    nla_put_u32(skb, RAMP_A_MEMBER_PARENT, sch->parent))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int ramp_put_members(struct sk_buff *skb, const struct ramp_rail *r)
{
	struct nlattr *list = nla_nest_start(skb, RAMP_A_MEMBERS);
	const struct ramp_sched_data *q;

	if (!list)
		return -EMSGSIZE;
	list_for_each_entry(q, &r->members, member.list)
		if (ramp_put_member(skb, q->sch))
			return -EMSGSIZE;
	nla_nest_end(skb, list);
	return 0;
}

/* A rail, in a message of its own; @cb for one of many. */
static int ramp_rail_fill(struct sk_buff *skb, struct ramp_rail *r, u32 portid,
			  u32 seq, struct netlink_callback *cb)
{
	u32 state;
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &ramp_family, cb ? NLM_F_MULTI : 0,
			  RAMP_CMD_RAIL_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (cb)
		genl_dump_check_consistent(cb, hdr);

	ramp_rail_lock_bh(r);
	r->engine.now = ktime_get_ns();
	ramp_tick(&r->engine, r->engine.now);
	state = ramp_engine_state(&r->engine);
	ramp_rail_unlock_bh(r);

	if (nla_put_u32(skb, RAMP_A_RAIL, r->id) ||
	    nla_put_u32(skb, RAMP_A_STATE, state) ||
	    ramp_put_members(skb, r)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* Tells about one rail. */
static int ramp_rail_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *id = info->attrs[RAMP_A_RAIL];
	struct sk_buff *msg;
	struct ramp_rail *r;
	int err;

	if (!id) {
		NL_SET_ERR_MSG(info->extack,
			       "rail: 1..4294967295, or dump all");
		return -EINVAL;
	}

	rtnl_lock();
	err = -ENOENT;
	r = ramp_rail_lookup(genl_info_net(info), nla_get_u32(id));
	if (!r) {
		NL_SET_BAD_ATTR(info->extack, id);
		NL_SET_ERR_MSG(info->extack, "rail: does not exist");
		goto unlock;
	}
	err = -ENOMEM;
	msg = genlmsg_new(ramp_rail_size(r->count), GFP_KERNEL);
	if (!msg)
		goto unlock;
	err = ramp_rail_fill(msg, r, info->snd_portid, info->snd_seq, NULL);
	rtnl_unlock();
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	return genlmsg_reply(msg, info);

unlock:
	rtnl_unlock();
	return err;
}

static int ramp_rail_start(struct netlink_callback *cb)
{
	/* One of them has to fit. */
	cb->min_dump_alloc = NLMSG_HDRLEN +
			     ramp_rail_size(RAMP_RAIL_MEMBERS_MAX);
	return 0;
}

/* Tells about the next rails. */
static int ramp_rail_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct ramp_net *rn;
	struct ramp_rail *r;
	long index = 0;
	int err = 0;

	rtnl_lock();
	rn = ramp_rails_of(sock_net(skb->sk));
	cb->seq = rn->seq;
	list_for_each_entry(r, &rn->rails, list) {
		if (index++ < cb->args[0])
			continue;
		err = ramp_rail_fill(skb, r, NETLINK_CB(cb->skb).portid,
				     cb->nlh->nlmsg_seq, cb);
		if (err)
			break;
		cb->args[0] = index;
	}
	rtnl_unlock();
	return skb->len ?: err;
}

const struct genl_ops ramp_rail_op = {
	.cmd		= RAMP_CMD_RAIL_GET,
	.policy		= ramp_rail_policy,
	.maxattr	= RAMP_A_RAIL,
	.doit		= ramp_rail_doit,
	.start		= ramp_rail_start,
	.dumpit		= ramp_rail_dumpit,
};
