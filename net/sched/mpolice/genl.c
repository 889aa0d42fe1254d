// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink family "mpolice": the buckets of a network namespace.
 */

#include <linux/module.h>
#include <linux/mpolice.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "mpolice.h"

static struct genl_family mpolice_family;

/* What the numbers may be is said by mpolice_parse_genl(). */
static const struct nla_policy mpolice_get_policy[MPOLICE_A_BUCKET_ID + 1] = {
	[MPOLICE_A_BUCKET_ID]		= { .type = NLA_U32 },
};

static const struct nla_policy mpolice_set_policy[MPOLICE_A_BUCKET_DEBT + 1] = {
	[MPOLICE_A_BUCKET_ID]		= { .type = NLA_U32 },
	[MPOLICE_A_BUCKET_TARGET]	= {
		.type = NLA_REJECT,
		.reject_message = "target: only to re-point",
	},
	[MPOLICE_A_BUCKET_RATE]		= { .type = NLA_U64 },
	[MPOLICE_A_BUCKET_PPS]		= { .type = NLA_U64 },
	[MPOLICE_A_BUCKET_BURST]	= { .type = NLA_U64 },
	[MPOLICE_A_BUCKET_INTERVAL]	= { .type = NLA_U64 },
	[MPOLICE_A_BUCKET_DEBT]		= { .type = NLA_U64 },
};

static const struct nla_policy
mpolice_repoint_policy[MPOLICE_A_BUCKET_TARGET + 1] = {
	[MPOLICE_A_BUCKET_ID]		= { .type = NLA_U32 },
	[MPOLICE_A_BUCKET_TARGET]	= { .type = NLA_U32 },
};

static int mpolice_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, MPOLICE_A_BUCKET_PAD);
}

static int mpolice_put_state(struct sk_buff *skb,
			     const struct mpolice_bucket *b,
			     const struct mpolice_state *s)
{
	const struct mpolice_config *config = &s->config;

	if (mpolice_put_u64(skb, config->packets ? MPOLICE_A_BUCKET_PPS :
						   MPOLICE_A_BUCKET_RATE,
			    config->rate) ||
	    mpolice_put_u64(skb, MPOLICE_A_BUCKET_BURST, config->burst) ||
	    mpolice_put_u64(skb, MPOLICE_A_BUCKET_INTERVAL,
			    config->interval) ||
	    mpolice_put_u64(skb, MPOLICE_A_BUCKET_DEBT, config->debt) ||
	    nla_put_s64(skb, MPOLICE_A_BUCKET_TOKENS,
			mpolice_bucket_tokens(b, s), MPOLICE_A_BUCKET_PAD) ||
	    mpolice_put_u64(skb, MPOLICE_A_BUCKET_STRANDED,
			    ramp_loan_stranded(&s->law.loans)))
		return -EMSGSIZE;
	return 0;
}

/* Anybody may ask for the counters of a bucket, and who changes one of its
 * actions has RTNL while he waits for the mutex. So it is not held for longer
 * than it takes to add up so many actions, unless the bucket changes time and
 * again.
 */
#define MPOLICE_COUNT_ROUND	256
#define MPOLICE_COUNT_TRIES	3

/**
 * struct mpolice_total - what the actions of a bucket count
 * @sum: of all of them
 * @added: how many were added up, also of other buckets
 * @tries: how often it was begun
 */
struct mpolice_total {
	struct mpolice_stats	sum;
	u32			added;
	u32			tries;
};

/* Others may have the mutex. Returns whether one can go on behind @mp. Nothing
 * keeps it: a reference would make tc's delete leave it where it is.
 */
static bool mpolice_walk_rest(struct mpolice_net *mn,
			      const struct mpolice_bucket *b,
			      struct tcf_mpolice *mp)
{
	struct mpolice_walk w = { .bucket = b, .last = mp };

	list_add(&w.list, &mn->walks);
	mutex_unlock(&mn->lock);
	cond_resched();
	mutex_lock(&mn->lock);
	list_del(&w.list);
	return w.last;
}

/* Adds up what the actions of a bucket count. Returns false if the bucket has
 * to be looked up again.
 */
static bool mpolice_count_all(struct mpolice_total *c, struct mpolice_net *mn,
			      const struct mpolice_bucket *b)
{
	bool rests = c->tries++ < MPOLICE_COUNT_TRIES;
	struct tcf_mpolice *mp;

	memset(&c->sum, 0, sizeof(c->sum));
	list_for_each_entry(mp, &b->actions, list) {
		mpolice_stats_add(&c->sum, mp);
		if (++c->added % MPOLICE_COUNT_ROUND)
			continue;
		if (rests && !mpolice_walk_rest(mn, b, mp))
			return false;
		cond_resched();
	}
	c->tries = 0;
	return true;
}

/* A bucket, in a message of its own; @cb for one of many. */
static int mpolice_fill(struct sk_buff *skb, const struct mpolice_bucket *b,
			const struct mpolice_stats *sum, u32 portid, u32 seq,
			struct netlink_callback *cb)
{
	const struct mpolice_state *s;
	void *hdr;

	hdr = genlmsg_put(skb, portid, seq, &mpolice_family,
			  cb ? NLM_F_MULTI : 0, MPOLICE_CMD_BUCKET_GET);
	if (!hdr)
		return -EMSGSIZE;
	if (cb)
		genl_dump_check_consistent(cb, hdr);
	s = rcu_dereference_protected(b->state,
				      lockdep_is_held(&b->net->lock));
	if (nla_put_u32(skb, MPOLICE_A_BUCKET_ID, b->id) ||
	    nla_put_u32(skb, MPOLICE_A_BUCKET_USERS, b->users) ||
	    nla_put_64bit(skb, MPOLICE_A_BUCKET_STATS, sizeof(*sum), sum,
			  MPOLICE_A_BUCKET_PAD) ||
	    mpolice_put_state(skb, b, s)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* The bucket that a parameter names. */
static struct mpolice_bucket *mpolice_named(struct mpolice_net *mn,
					    const struct mpolice_request *req,
					    enum mpolice_param param,
					    struct netlink_ext_ack *extack)
{
	struct mpolice_bucket *b;

	if (!mpolice_asks(req, param)) {
		mpolice_refuse(req, param, extack);
		return ERR_PTR(-EINVAL);
	}
	b = xa_load(&mn->buckets, req->value[param]);
	if (!b) {
		NL_SET_BAD_ATTR(extack, req->attr[param]);
		if (param == MPOLICE_P_TARGET)
			NL_SET_ERR_MSG(extack, "target: does not exist");
		else
			NL_SET_ERR_MSG(extack, "bucket: does not exist");
		return ERR_PTR(-ENOENT);
	}
	return b;
}

static int mpolice_get(struct sk_buff *skb, struct genl_info *info)
{
	struct mpolice_net *mn = mpolice_net(genl_info_net(info));
	struct mpolice_total count = {};
	struct mpolice_request req;
	struct mpolice_bucket *b;
	struct sk_buff *msg;
	int err;

	err = mpolice_parse_genl(&req, info->attrs, MPOLICE_A_BUCKET_ID,
				 info->extack);
	if (err)
		return err;
	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;

	mutex_lock(&mn->lock);
	do {
		b = mpolice_named(mn, &req, MPOLICE_P_BUCKET, info->extack);
		err = PTR_ERR_OR_ZERO(b);
	} while (!err && !mpolice_count_all(&count, mn, b));
	if (!err)
		err = mpolice_fill(msg, b, &count.sum, info->snd_portid,
				   info->snd_seq, NULL);
	mutex_unlock(&mn->lock);
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	return genlmsg_reply(msg, info);
}

/* args: the first number that has not been shown, and whether all have. */
static int mpolice_get_all(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct mpolice_net *mn = mpolice_net(sock_net(skb->sk));
	unsigned long id = cb->args[0];
	struct mpolice_total count = {};
	struct mpolice_bucket *b;

	if (cb->args[1])
		return 0;
	mutex_lock(&mn->lock);
	cb->seq = mn->seq;
	cb->args[1] = true;
	b = xa_find(&mn->buckets, &id, ULONG_MAX, XA_PRESENT);
	while (b) {
		if (!mpolice_count_all(&count, mn, b)) {
			b = xa_find(&mn->buckets, &id, ULONG_MAX, XA_PRESENT);
			continue;
		}
		/* What changed while this was added up is told with it. */
		cb->seq = mn->seq;
		if (mpolice_fill(skb, b, &count.sum, NETLINK_CB(cb->skb).portid,
				 cb->nlh->nlmsg_seq, cb)) {
			cb->args[0] = id;
			cb->args[1] = false;
			break;
		}
		b = xa_find_after(&mn->buckets, &id, ULONG_MAX, XA_PRESENT);
	}
	mutex_unlock(&mn->lock);
	return skb->len;
}

static int mpolice_set(struct sk_buff *skb, struct genl_info *info)
{
	struct mpolice_net *mn = mpolice_net(genl_info_net(info));
	struct mpolice_request req;
	struct mpolice_bucket *b;
	int err;

	err = mpolice_parse_genl(&req, info->attrs, MPOLICE_A_BUCKET_DEBT,
				 info->extack);
	if (err)
		return err;
	if (!(req.set & MPOLICE_P_OF_BUCKET)) {
		NL_SET_ERR_MSG(info->extack,
			       "rate, pps, burst, interval, debt: one of them is needed");
		return -EINVAL;
	}
	mutex_lock(&mn->lock);
	b = mpolice_named(mn, &req, MPOLICE_P_BUCKET, info->extack);
	err = IS_ERR(b) ? PTR_ERR(b) :
	      mpolice_bucket_set(b, &req, true, info->extack);
	if (!err)
		mpolice_bucket_warn(b, info->extack);
	mutex_unlock(&mn->lock);
	return err;
}

static int mpolice_repoint(struct sk_buff *skb, struct genl_info *info)
{
	struct mpolice_net *mn = mpolice_net(genl_info_net(info));
	struct mpolice_bucket *b, *target;
	struct mpolice_request req;
	int err;

	err = mpolice_parse_genl(&req, info->attrs, MPOLICE_A_BUCKET_TARGET,
				 info->extack);
	if (err)
		return err;
	mutex_lock(&mn->lock);
	b = mpolice_named(mn, &req, MPOLICE_P_BUCKET, info->extack);
	err = PTR_ERR_OR_ZERO(b);
	if (err)
		goto unlock;
	target = mpolice_named(mn, &req, MPOLICE_P_TARGET, info->extack);
	err = PTR_ERR_OR_ZERO(target);
	if (err)
		goto unlock;
	err = mpolice_bucket_repoint(b, target, req.attr[MPOLICE_P_TARGET],
				     info->extack);
unlock:
	mutex_unlock(&mn->lock);
	return err;
}

static const struct genl_ops mpolice_genl_ops[] = {
	{
		.cmd		= MPOLICE_CMD_BUCKET_GET,
		.doit		= mpolice_get,
		.dumpit		= mpolice_get_all,
		.policy		= mpolice_get_policy,
		.maxattr	= MPOLICE_A_BUCKET_ID,
	},
	{
		.cmd		= MPOLICE_CMD_BUCKET_SET,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= mpolice_set,
		.policy		= mpolice_set_policy,
		.maxattr	= MPOLICE_A_BUCKET_DEBT,
	},
	{
		.cmd		= MPOLICE_CMD_BUCKET_REPOINT,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= mpolice_repoint,
		.policy		= mpolice_repoint_policy,
		.maxattr	= MPOLICE_A_BUCKET_TARGET,
	},
};

static struct genl_family mpolice_family = {
	.name		= MPOLICE_FAMILY_NAME,
	.version	= MPOLICE_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.ops		= mpolice_genl_ops,
	.n_ops		= ARRAY_SIZE(mpolice_genl_ops),
	.resv_start_op	= MPOLICE_CMD_BUCKET_GET,
};

/**
 * mpolice_genl_register - offer the family
 *
 * Return: 0 or a negative error
 */
int __init mpolice_genl_register(void)
{
	return genl_register_family(&mpolice_family);
}

/**
 * mpolice_genl_unregister - the module goes
 */
void mpolice_genl_unregister(void)
{
	genl_unregister_family(&mpolice_family);
}

MODULE_ALIAS_GENL_FAMILY(MPOLICE_FAMILY_NAME);
