/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inner interface of the action mpolice.
 *
 *	main.c		life of an action
 *	act.c		packets
 *	bucket.c	life of a bucket, who draws from it
 *	netlink.c	reads what messages ask for
 *	show.c		shows actions
 *	genl.c		the family "mpolice": shows and changes buckets
 *
 * The law is in <net/ramp/bucket.h>.
 */
#ifndef _NET_SCHED_MPOLICE_H
#define _NET_SCHED_MPOLICE_H

#include <linux/build_bug.h>
#include <linux/list.h>
#include <linux/local_lock.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/sizes.h>
#include <linux/tc_act/tc_mpolice.h>
#include <linux/types.h>
#include <linux/u64_stats_sync.h>
#include <linux/xarray.h>
#include <net/act_api.h>
#include <net/ramp/bucket.h>

#include <compat/ramp_compat.h>

/* Below, a GSO packet may be larger than the burst: 64 KiB of payload, and the
 * headers of each segment.
 */
#define MPOLICE_BURST_GSO	SZ_128K
#define MPOLICE_BURST_SEGS	128

/**
 * enum mpolice_param - what a message may ask for
 * @MPOLICE_P_INDEX: of the action
 * @MPOLICE_P_EXCEED: control action
 * @MPOLICE_P_CONFORM: control action
 * @MPOLICE_P_POLICY: enum mpolice_policy
 * @MPOLICE_P_THRESHOLD: tokens
 * @MPOLICE_P_BUCKET: its number
 * @MPOLICE_P_TARGET: number of the bucket to draw from instead
 * @MPOLICE_P_PACKETS: tokens are meant to be packets, or bytes
 * @MPOLICE_P_RATE: bytes/s
 * @MPOLICE_P_PPS: packets/s
 * @MPOLICE_P_BURST: tokens
 * @MPOLICE_P_INTERVAL: ns
 * @MPOLICE_P_DEBT: tokens, or MPOLICE_DEBT_UNLIMITED
 */
enum mpolice_param {
	MPOLICE_P_INDEX = 1,
	MPOLICE_P_EXCEED,
	MPOLICE_P_CONFORM,
	MPOLICE_P_POLICY,
	MPOLICE_P_THRESHOLD,
	MPOLICE_P_BUCKET,
	MPOLICE_P_TARGET,
	MPOLICE_P_PACKETS,
	MPOLICE_P_RATE,
	MPOLICE_P_PPS,
	MPOLICE_P_BURST,
	MPOLICE_P_INTERVAL,
	MPOLICE_P_DEBT,
	/* private: */
	__MPOLICE_P_MAX
};

/* Those that are the bucket's. */
#define MPOLICE_P_OF_BUCKET \
	(BIT(MPOLICE_P_RATE) | BIT(MPOLICE_P_PPS) | BIT(MPOLICE_P_BURST) | \
	 BIT(MPOLICE_P_INTERVAL) | BIT(MPOLICE_P_DEBT))

/**
 * struct mpolice_request - what a message asks for
 * @set: bitmap of the parameters that it names
 * @value: of these
 * @attr: of these, for the error message
 */
struct mpolice_request {
	u32			set;
	u64			value[__MPOLICE_P_MAX];
	const struct nlattr	*attr[__MPOLICE_P_MAX];
};

static inline bool mpolice_asks(const struct mpolice_request *req,
				enum mpolice_param param)
{
	return req->set & BIT(param);
}

/**
 * struct mpolice_config - what was asked of a bucket
 * @rate: bytes/s or packets/s
 * @burst: bytes or packets
 * @interval: ns
 * @debt: bytes or packets, or MPOLICE_DEBT_UNLIMITED
 * @packets: it counts packets
 * @burst_set: the burst was named, it does not follow the rate
 * @debt_set: the debt was named, it does not follow the burst
 */
struct mpolice_config {
	u64	rate;
	u64	burst;
	u64	interval;
	u64	debt;
	bool	packets;
	bool	burst_set;
	bool	debt_set;
};

/* In @state of struct mpolice_cpu: the rest is of an earlier one. */
#define MPOLICE_STALE		1UL

/**
 * struct mpolice_cpu - what a CPU holds of a bucket
 * @state: struct mpolice_state; with MPOLICE_STALE when it was replaced, and
 *	then only this CPU takes that away
 * @law: loan
 * @bh_lock: whoever runs on this CPU
 *
 * A line of the cache. As long as there is a loan this is all that a packet
 * needs of the bucket.
 */
struct mpolice_cpu {
	unsigned long		state;
	struct ramp_bucket_cpu	law;
	local_lock_t		bh_lock;
} ____cacheline_aligned_in_smp;

/**
 * struct mpolice_state - a bucket as it is under one configuration
 * @shared: tokens; changed by all CPUs
 * @next: what has taken its place, or NULL
 * @law: parameters
 * @id: number of the bucket
 * @config: what @law was made from
 * @rcu: frees it
 *
 * All but @shared and @next is constant.
 */
struct mpolice_state {
	struct ramp_bucket		shared ____cacheline_aligned_in_smp;
	struct mpolice_state		*next;
	struct ramp_bucket_params	law ____cacheline_aligned_in_smp;
	u32				id;
	struct mpolice_config		config;
	struct rcu_head			rcu;
};

/**
 * struct mpolice_bucket - a bucket
 * @state: tokens and configuration
 * @cpu: loans; for life, so that actions can know where theirs is
 * @packets: it counts packets; for life, as actions have thresholds in it
 * @id: its number
 * @users: length of @actions
 * @actions: that draw from it
 * @ranks: of these who may get nothing, by their thresholds
 * @net: where it belongs
 * @rcu: frees it
 *
 * @users, @actions and @ranks are protected by the mutex of @net, @state is
 *	changed under it. All else is constant.
 */
struct mpolice_bucket {
	struct mpolice_state __rcu	*state;
	struct mpolice_cpu __percpu	*cpu;
	bool				packets;
	u32				id;
	u32				users;
	struct list_head		actions;
	struct rb_root			ranks;
	struct mpolice_net		*net;
	struct rcu_head			rcu;
};

/**
 * struct mpolice_net - buckets of a network namespace
 * @tn: actions; first, the core takes it for the whole
 * @lock: protects all that follows, what buckets have, and what actions draw
 *	from
 * @buckets: by number
 * @walks: readers that rest, so that others may have the mutex
 * @seq: changes with the buckets, is never 0
 */
struct mpolice_net {
	struct tc_action_net	tn;
	struct mutex		lock;	/* of all that follows */
	struct xarray		buckets;
	struct list_head	walks;
	u32			seq;
};

/**
 * struct mpolice_walk - along the actions of a bucket, while others may have
 *	the mutex of the namespace
 * @list: of struct mpolice_net, while it rests
 * @bucket: of @last
 * @last: the action that it has come to, or NULL when that draws from @bucket
 *	no more
 */
struct mpolice_walk {
	struct list_head		list;
	const struct mpolice_bucket	*bucket;
	struct tcf_mpolice		*last;
};

/**
 * struct mpolice_params - parameters of an action
 * @cpu: loans of @bucket, for packets
 * @threshold: tokens
 * @policy: enum mpolice_policy
 * @exceed: control action
 * @conform: control action
 * @packets: @bucket counts packets
 * @bucket: to draw from
 * @rcu: frees it
 *
 * @bucket and @cpu may be replaced under the mutex, all else is constant.
 */
struct mpolice_params {
	struct mpolice_cpu __percpu	*cpu;
	u64				threshold;
	u32				policy;
	int				exceed;
	int				conform;
	bool				packets;
	struct mpolice_bucket __rcu	*bucket;
	struct rcu_head			rcu;
};

/* In the order of struct mpolice_stats. */
enum mpolice_count {
	MPOLICE_CONFORMED,
	MPOLICE_EXCEEDED,
	MPOLICE_OVER,
	MPOLICE_UNCHARGED,
	MPOLICE_BYPASSED,
	MPOLICE_COUNTS
};

struct mpolice_cpu_stats {
	struct {
		u64_stats_t	packets;
		u64_stats_t	bytes;
	} count[MPOLICE_COUNTS];
	struct u64_stats_sync	syncp;
};

/**
 * struct tcf_mpolice - an action
 * @common: as of all actions
 * @params: parameters; changed under the mutex
 * @stats: what became of packets
 * @list: among the actions of the bucket
 * @rank: among those of them who may get nothing, if it is one
 * @threshold: by which it is there
 */
struct tcf_mpolice {
	struct tc_action			common;
	struct mpolice_params __rcu		*params;
	struct mpolice_cpu_stats __percpu	*stats;
	struct list_head			list;
	struct rb_node				rank;
	u64					threshold;
};

/* The numbers of uapi; bypass has no part in the law. */
static inline enum ramp_bucket_policy
mpolice_law(const struct mpolice_params *p)
{
	BUILD_BUG_ON((int)MPOLICE_POLICY_DROP != (int)RAMP_BUCKET_DROP ||
		     (int)MPOLICE_POLICY_ACCOUNT != (int)RAMP_BUCKET_ACCOUNT);
	return (enum ramp_bucket_policy)p->policy;
}

static inline struct tcf_mpolice *to_mpolice(const struct tc_action *a)
{
	return container_of((struct tc_action *)a, struct tcf_mpolice, common);
}

/* action.c */
extern struct tc_action_ops mpolice_ops;
struct mpolice_net *mpolice_net(const struct net *net);

/* act.c */
int mpolice_act(struct sk_buff *skb, const struct tc_action *a,
		struct tcf_result *res);

/* bucket.c: all with the mutex of the namespace held */
struct mpolice_bucket *mpolice_bucket_of(struct mpolice_net *mn,
					 const struct tcf_mpolice *mp);
struct mpolice_bucket *mpolice_bucket_for(struct mpolice_net *mn,
					  struct mpolice_bucket *present,
					  const struct mpolice_request *req,
					  bool replace,
					  struct netlink_ext_ack *extack);
int mpolice_bucket_set(struct mpolice_bucket *b,
		       const struct mpolice_request *req, bool replace,
		       struct netlink_ext_ack *extack);
void mpolice_bucket_feed(struct mpolice_bucket *b, struct mpolice_params *p);
void mpolice_bucket_rank(struct mpolice_bucket *b, struct tcf_mpolice *mp);
void mpolice_bucket_join(struct mpolice_bucket *b, struct tcf_mpolice *mp);
void mpolice_bucket_leave(struct mpolice_bucket *b, struct tcf_mpolice *mp);
int mpolice_bucket_repoint(struct mpolice_bucket *b,
			   struct mpolice_bucket *target,
			   const struct nlattr *attr,
			   struct netlink_ext_ack *extack);
bool mpolice_bucket_starves(const struct mpolice_bucket *b,
			    const struct mpolice_params *p);
void mpolice_bucket_warn(const struct mpolice_bucket *b,
			 struct netlink_ext_ack *extack);
s64 mpolice_bucket_tokens(const struct mpolice_bucket *b,
			  const struct mpolice_state *s);

/* netlink.c */
int mpolice_parse(struct mpolice_request *req, const struct nlattr *opt,
		  struct netlink_ext_ack *extack);
int mpolice_parse_genl(struct mpolice_request *req, struct nlattr **tb,
		       int max, struct netlink_ext_ack *extack);
int mpolice_refuse(const struct mpolice_request *req, enum mpolice_param param,
		   struct netlink_ext_ack *extack);
int mpolice_differs(const struct mpolice_request *req,
		    enum mpolice_param param, struct netlink_ext_ack *extack);
int mpolice_config_apply(struct mpolice_config *config, bool exists,
			 const struct mpolice_request *req,
			 struct netlink_ext_ack *extack);
int mpolice_config_same(const struct mpolice_config *config,
			const struct mpolice_request *req,
			struct netlink_ext_ack *extack);

/* show.c */
int mpolice_dump(struct sk_buff *skb, struct tc_action *a, int bind, int ref);
size_t mpolice_fill_size(const struct tc_action *a);
void mpolice_stats_add(struct mpolice_stats *sum, const struct tcf_mpolice *mp);

/* genl.c */
int mpolice_genl_register(void);
void mpolice_genl_unregister(void);

#endif /* _NET_SCHED_MPOLICE_H */
