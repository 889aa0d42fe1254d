// SPDX-License-Identifier: GPL-2.0
/*
 * The action mpolice: many policies on one token bucket (US 12388757).
 *
 * An action says which bucket a packet is charged to and under which policy.
 * Here is how it comes to be, how it changes and how it goes; what it does with
 * packets is in act.c.
 */

#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/pkt_cls.h>

#include "../extack_keep.h"
#include "mpolice.h"

/* No action of the kernel has it. */
#define MPOLICE_ID		204

/**
 * mpolice_net - the buckets of a network namespace
 * @net: namespace
 *
 * Return: them
 */
struct mpolice_net *mpolice_net(const struct net *net)
{
	return net_generic(net, mpolice_ops.net_id);
}

/* What is named, over what is in force or over the defaults. */
static struct mpolice_params *
mpolice_params_make(const struct mpolice_params *old,
		    const struct mpolice_request *req)
{
	struct mpolice_params *p = kzalloc_obj(*p, GFP_KERNEL_ACCOUNT);

	if (!p)
		return NULL;
	p->threshold = old ? old->threshold : 0;
	p->policy = old ? old->policy : 0;
	p->exceed = old ? old->exceed : TC_ACT_SHOT;
	p->conform = old ? old->conform : TC_ACT_PIPE;
	if (mpolice_asks(req, MPOLICE_P_THRESHOLD))
		p->threshold = req->value[MPOLICE_P_THRESHOLD];
	if (mpolice_asks(req, MPOLICE_P_POLICY))
		p->policy = req->value[MPOLICE_P_POLICY];
	if (mpolice_asks(req, MPOLICE_P_EXCEED))
		p->exceed = req->value[MPOLICE_P_EXCEED];
	if (mpolice_asks(req, MPOLICE_P_CONFORM))
		p->conform = req->value[MPOLICE_P_CONFORM];
	return p;
}

static const struct mpolice_params *mpolice_params_of(struct mpolice_net *mn,
						      struct tcf_mpolice *mp)
{
	return rcu_dereference_protected(mp->params,
					 lockdep_is_held(&mn->lock));
}

/* A filter that names an existing action gets it as it is, or not at all. */
static int mpolice_matches(struct mpolice_net *mn, struct tcf_mpolice *mp,
			   const struct mpolice_request *req,
			   struct netlink_ext_ack *extack)
{
	const struct mpolice_params *p = mpolice_params_of(mn, mp);
	struct mpolice_bucket *b = mpolice_bucket_of(mn, mp);
	struct {
		enum mpolice_param param;
		u64 value;
	} now[] = {
		{ MPOLICE_P_BUCKET, b->id },
		{ MPOLICE_P_POLICY, p->policy },
		{ MPOLICE_P_THRESHOLD, p->threshold },
		{ MPOLICE_P_EXCEED, (u32)p->exceed },
		{ MPOLICE_P_CONFORM, (u32)p->conform },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(now); i++)
		if (mpolice_asks(req, now[i].param) &&
		    req->value[now[i].param] != now[i].value)
			return mpolice_differs(req, now[i].param, extack);
	return mpolice_bucket_set(b, req, false, extack);
}

/* What has no default. A filter that names but an index means an action that
 * exists.
 */
static int mpolice_check_complete(const struct mpolice_request *req, bool named,
				  struct netlink_ext_ack *extack)
{
	if (named && !mpolice_asks(req, MPOLICE_P_BUCKET) &&
	    !mpolice_asks(req, MPOLICE_P_POLICY)) {
		NL_SET_ERR_MSG(extack, "index: does not exist");
		return -ENOENT;
	}
	if (!mpolice_asks(req, MPOLICE_P_BUCKET))
		return mpolice_refuse(req, MPOLICE_P_BUCKET, extack);
	if (!mpolice_asks(req, MPOLICE_P_POLICY)) {
		NL_SET_ERR_MSG(extack,
			       "policy: a new action needs it, index names one that exists");
		return -EINVAL;
	}
	return 0;
}

/* One that the core knows; it takes any other negative number for one, too. */
static bool mpolice_control_valid(int action)
{
	return action >= TC_ACT_UNSPEC &&
	       (TC_ACT_EXT_CMP(action, TC_ACT_GOTO_CHAIN) ||
		!tcf_action_check_ctrlact(action, NULL, NULL, NULL));
}

/* Takes the chain that exceeding packets go to, if that is asked for. */
static int mpolice_check_control(const struct mpolice_request *req,
				 struct tcf_proto *tp, struct tcf_chain **chain,
				 struct netlink_ext_ack *extack)
{
	int conform = req->value[MPOLICE_P_CONFORM];
	int exceed = req->value[MPOLICE_P_EXCEED];

	/* An action has one chain. */
	if (mpolice_asks(req, MPOLICE_P_CONFORM) &&
	    (!mpolice_control_valid(conform) ||
	     TC_ACT_EXT_CMP(conform, TC_ACT_GOTO_CHAIN)))
		return mpolice_refuse(req, MPOLICE_P_CONFORM, extack);
	if (!mpolice_asks(req, MPOLICE_P_EXCEED))
		return 0;
	if (!mpolice_control_valid(exceed))
		return mpolice_refuse(req, MPOLICE_P_EXCEED, extack);
	return tcf_action_check_ctrlact(exceed, tp, chain, extack);
}

/* Does a change take the chain away? */
static bool mpolice_leaves_chain(const struct mpolice_params *old,
				 const struct mpolice_request *req,
				 const struct tcf_chain *chain)
{
	return old && TC_ACT_EXT_CMP(old->exceed, TC_ACT_GOTO_CHAIN) &&
	       mpolice_asks(req, MPOLICE_P_EXCEED) && !chain;
}

/* Gives the core what exceeding packets do, and gets the chain until now. */
static struct tcf_chain *mpolice_control(struct tcf_mpolice *mp, int exceed,
					 struct tcf_chain *chain)
{
	spin_lock_bh(&mp->tcf_lock);
	chain = tcf_action_set_ctrlact(&mp->common, exceed, chain);
	spin_unlock_bh(&mp->tcf_lock);
	return chain;
}

/* All or nothing: finding, making or changing the bucket is the last step that
 * can fail. Of a filter others can fail afterwards, so that changes no bucket.
 */
static int mpolice_apply(struct mpolice_net *mn, struct tcf_mpolice *mp,
			 const struct mpolice_request *req, bool replace,
			 struct tcf_chain **chain,
			 struct netlink_ext_ack *extack)
{
	const struct mpolice_params *old;
	struct mpolice_bucket *b, *left;
	struct mpolice_params *p;
	bool leaves, changed, starves;
	u32 seq;

	mutex_lock(&mn->lock);
	seq = mn->seq;
	old = mpolice_params_of(mn, mp);
	leaves = mpolice_leaves_chain(old, req, *chain);
	left = old ? mpolice_bucket_of(mn, mp) : NULL;
	p = mpolice_params_make(old, req);
	b = p ? mpolice_bucket_for(mn, left, req, replace, extack) :
		ERR_PTR(-ENOMEM);
	if (IS_ERR(b)) {
		mutex_unlock(&mn->lock);
		kfree(p);
		return PTR_ERR(b);
	}

	changed = mn->seq != seq;
	p->packets = b->packets;
	mpolice_bucket_feed(b, p);
	starves = mpolice_bucket_starves(b, p);
	if (!old || (mpolice_asks(req, MPOLICE_P_EXCEED) && !leaves))
		*chain = mpolice_control(mp, p->exceed, *chain);
	p = rcu_replace_pointer(mp->params, p, lockdep_is_held(&mn->lock));
	/* Packets find it no more, so it may go. */
	if (b != left) {
		if (left)
			mpolice_bucket_leave(left, mp);
		mpolice_bucket_join(b, mp);
	} else {
		mpolice_bucket_rank(b, mp);
	}
	/* A message without an error is a warning. */
	if (starves)
		NL_SET_ERR_MSG(extack,
			       "threshold: not less than burst, so no packet will conform");
	else if (changed)
		mpolice_bucket_warn(b, extack);
	mutex_unlock(&mn->lock);

	if (p)
		kfree_rcu(p, rcu);
	/* The core drops what is to go to a chain that is there no more. Only a
	 * message of RTNL changes an action, so no other change is between.
	 */
	if (leaves) {
		ASSERT_RTNL();
		synchronize_net();
		*chain = mpolice_control(mp, req->value[MPOLICE_P_EXCEED],
					 NULL);
	}
	return 0;
}

static int mpolice_create(struct tc_action_net *tn, u32 index,
			  struct nlattr *est, struct tc_action **a, bool bind,
			  u32 flags)
{
	struct mpolice_cpu_stats __percpu *stats;
	int cpu, err;

	stats = alloc_percpu_gfp(struct mpolice_cpu_stats, GFP_KERNEL_ACCOUNT);
	err = stats ? tcf_idr_create(tn, index, est, a, &mpolice_ops, bind,
				     true, flags) :
		      -ENOMEM;
	if (err) {
		free_percpu(stats);
		tcf_idr_cleanup(tn, index);
		return err;
	}
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(stats, cpu)->syncp);
	to_mpolice(*a)->stats = stats;
	RB_CLEAR_NODE(&to_mpolice(*a)->rank);
	return 0;
}

static int mpolice_request(struct net *net, struct nlattr *nla,
			   struct nlattr *est, struct tc_action **a,
			   struct tcf_proto *tp, u32 flags,
			   struct netlink_ext_ack *extack)
{
	struct mpolice_net *mn = mpolice_net(net);
	bool replace = flags & TCA_ACT_FLAGS_REPLACE;
	bool bind = flags & TCA_ACT_FLAGS_BIND;
	struct tcf_chain *chain = NULL;
	struct mpolice_request req;
	int ret = 0, err;
	u32 index;

	err = mpolice_parse(&req, nla, extack);
	if (err)
		return err;
	index = req.value[MPOLICE_P_INDEX];
	err = tcf_idr_check_alloc(&mn->tn, &index, a, bind);
	if (err < 0)
		return err;
	if (!err) {
		err = mpolice_create(&mn->tn, index, est, a, bind, flags);
		if (err)
			return err;
		ret = ACT_P_CREATED;
	} else if (bind) {
		mutex_lock(&mn->lock);
		err = mpolice_matches(mn, to_mpolice(*a), &req, extack);
		mutex_unlock(&mn->lock);
		if (err)
			tcf_idr_release(*a, bind);
		return err ?: ACT_P_BOUND;
	} else if (!replace) {
		mpolice_differs(&req, MPOLICE_P_INDEX, extack);
		err = -EEXIST;
		goto release;
	}

	err = ret == ACT_P_CREATED ?
		mpolice_check_complete(&req, bind && req.value[MPOLICE_P_INDEX],
				       extack) : 0;
	if (!err)
		err = mpolice_check_control(&req, tp, &chain, extack);
	if (!err)
		err = mpolice_apply(mn, to_mpolice(*a), &req, replace && !bind,
				    &chain, extack);
	if (chain)
		tcf_chain_put_by_act(chain);
	if (!err)
		return ret;
release:
	tcf_idr_release(*a, bind);
	return err;
}

static int mpolice_init(struct net *net, struct nlattr *nla,
			struct nlattr *est, struct tc_action **a,
			struct tcf_proto *tp, u32 flags,
			struct netlink_ext_ack *extack)
{
	int ret = mpolice_request(net, nla, est, a, tp, flags, extack);

	extack_keep(extack);
	return ret;
}

static void mpolice_cleanup(struct tc_action *a)
{
	struct mpolice_net *mn = mpolice_net(a->idrinfo->net);
	struct tcf_mpolice *mp = to_mpolice(a);
	struct mpolice_bucket *b = NULL;
	struct mpolice_params *p;

	mutex_lock(&mn->lock);
	if (rcu_access_pointer(mp->params))
		b = mpolice_bucket_of(mn, mp);
	p = rcu_replace_pointer(mp->params, NULL, lockdep_is_held(&mn->lock));
	if (p)
		mpolice_bucket_leave(b, mp);
	mutex_unlock(&mn->lock);
	if (p)
		kfree_rcu(p, rcu);
	/* As of the core's own, nobody counts any more. */
	free_percpu(mp->stats);
}

static void mpolice_stats_update(struct tc_action *a, u64 bytes, u64 packets,
				 u64 drops, u64 lastuse, bool hw)
{
	struct tcf_t *tm = &to_mpolice(a)->tcf_tm;

	tcf_action_update_stats(a, bytes, packets, drops, hw);
	tm->lastuse = max_t(u64, tm->lastuse, lastuse);
}

struct tc_action_ops mpolice_ops = {
	.kind		= "mpolice",
	.id		= (enum tca_id)MPOLICE_ID,
	.owner		= THIS_MODULE,
	.act		= mpolice_act,
	.dump		= mpolice_dump,
	.init		= mpolice_init,
	.cleanup	= mpolice_cleanup,
	.stats_update	= mpolice_stats_update,
	.get_fill_size	= mpolice_fill_size,
	.size		= sizeof(struct tcf_mpolice),
};
