// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink of mpolice: shows an action, and what its bucket is now.
 */

#include <net/netlink.h>

#include "mpolice.h"

/**
 * mpolice_stats_add - add up what became of packets
 * @sum: counters
 * @mp: action
 *
 * Context: any; packets that pass meanwhile may be in it or not.
 */
void mpolice_stats_add(struct mpolice_stats *sum, const struct tcf_mpolice *mp)
{
	const struct mpolice_cpu_stats *st;
	u64 count[2 * MPOLICE_COUNTS];
	u64 *to = (u64 *)sum;
	unsigned int start;
	int cpu, i;

	BUILD_BUG_ON(sizeof(count) != sizeof(*sum));
	for_each_possible_cpu(cpu) {
		st = per_cpu_ptr(mp->stats, cpu);
		do {
			start = u64_stats_fetch_begin(&st->syncp);
			for (i = 0; i < MPOLICE_COUNTS; i++) {
				count[2 * i] =
					u64_stats_read(&st->count[i].packets);
				count[2 * i + 1] =
					u64_stats_read(&st->count[i].bytes);
			}
		} while (u64_stats_fetch_retry(&st->syncp, start));
		for (i = 0; i < ARRAY_SIZE(count); i++)
			to[i] += count[i];
	}
}

static int mpolice_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, TCA_MPOLICE_PAD);
}

static int mpolice_put_bucket(struct sk_buff *skb,
			      const struct mpolice_bucket *b)
{
	const struct mpolice_state *s = rcu_dereference(b->state);
	const struct mpolice_config *config = &s->config;

	if (nla_put_u32(skb, TCA_MPOLICE_BUCKET, b->id) ||
	    mpolice_put_u64(skb, config->packets ? TCA_MPOLICE_PPS :
						   TCA_MPOLICE_RATE,
			    config->rate) ||
	    mpolice_put_u64(skb, TCA_MPOLICE_BURST, config->burst) ||
	    mpolice_put_u64(skb, TCA_MPOLICE_INTERVAL, config->interval) ||
	    mpolice_put_u64(skb, TCA_MPOLICE_DEBT, config->debt) ||
	    nla_put_s64(skb, TCA_MPOLICE_TOKENS, mpolice_bucket_tokens(b, s),
			TCA_MPOLICE_PAD) ||
	    nla_put_u32(skb, TCA_MPOLICE_USERS, READ_ONCE(b->users)) ||
	    mpolice_put_u64(skb, TCA_MPOLICE_STRANDED,
			    ramp_loan_stranded(&s->law.loans)))
		return -EMSGSIZE;
	return 0;
}

/**
 * mpolice_dump - show an action
 * @skb: message
 * @a: action
 * @bind: how many of its users are not to be shown
 * @ref: the same of references
 *
 * Context: RTNL or the mutex of the core; reads under RCU.
 *
 * Return: length of the message, or a negative number
 */
int mpolice_dump(struct sk_buff *skb, struct tc_action *a, int bind, int ref)
{
	struct tcf_mpolice *mp = to_mpolice(a);
	unsigned char *begin = skb_tail_pointer(skb);
	const struct mpolice_params *p;
	struct mpolice_stats st = {};
	struct tcf_t tm;

	mpolice_stats_add(&st, mp);
	tcf_tm_dump(&tm, &mp->tcf_tm);
	rcu_read_lock();
	p = rcu_dereference(mp->params);
	if (nla_put_u32(skb, TCA_MPOLICE_INDEX, mp->tcf_index) ||
	    nla_put_u32(skb, TCA_MPOLICE_REFCNT,
			refcount_read(&mp->tcf_refcnt) - ref) ||
	    nla_put_u32(skb, TCA_MPOLICE_BINDCNT,
			atomic_read(&mp->tcf_bindcnt) - bind) ||
	    nla_put_s32(skb, TCA_MPOLICE_EXCEED, p->exceed) ||
	    nla_put_s32(skb, TCA_MPOLICE_CONFORM, p->conform) ||
	    nla_put_u32(skb, TCA_MPOLICE_POLICY, p->policy) ||
	    mpolice_put_u64(skb, TCA_MPOLICE_THRESHOLD, p->threshold) ||
	    mpolice_put_bucket(skb, rcu_dereference(p->bucket)) ||
	    nla_put_64bit(skb, TCA_MPOLICE_STATS, sizeof(st), &st,
			  TCA_MPOLICE_PAD) ||
	    nla_put_64bit(skb, TCA_MPOLICE_TM, sizeof(tm), &tm,
			  TCA_MPOLICE_PAD)) {
		rcu_read_unlock();
		nlmsg_trim(skb, begin);
		return -1;
	}
	rcu_read_unlock();
	return skb->len;
}

/**
 * mpolice_fill_size - how long mpolice_dump() makes a message
 * @a: action
 *
 * Return: bytes, without what all actions show
 */
size_t mpolice_fill_size(const struct tc_action *a)
{
	return nla_total_size(sizeof(u32))	/* TCA_MPOLICE_INDEX */
	       + nla_total_size(sizeof(u32))	/* TCA_MPOLICE_REFCNT */
	       + nla_total_size(sizeof(u32))	/* TCA_MPOLICE_BINDCNT */
	       + nla_total_size(sizeof(s32))	/* TCA_MPOLICE_EXCEED */
	       + nla_total_size(sizeof(s32))	/* TCA_MPOLICE_CONFORM */
	       + nla_total_size(sizeof(u32))	/* TCA_MPOLICE_POLICY */
	       + nla_total_size_64bit(sizeof(u64)) /* TCA_MPOLICE_THRESHOLD */
	       + nla_total_size(sizeof(u32))	/* TCA_MPOLICE_BUCKET */
	       + nla_total_size_64bit(sizeof(u64)) /* TCA_MPOLICE_RATE or PPS */
	       + nla_total_size_64bit(sizeof(u64)) /* TCA_MPOLICE_BURST */
	       + nla_total_size_64bit(sizeof(u64)) /* TCA_MPOLICE_INTERVAL */
	       + nla_total_size_64bit(sizeof(u64)) /* TCA_MPOLICE_DEBT */
	       + nla_total_size_64bit(sizeof(s64)) /* TCA_MPOLICE_TOKENS */
	       + nla_total_size(sizeof(u32))	/* TCA_MPOLICE_USERS */
	       + nla_total_size_64bit(sizeof(u64)) /* TCA_MPOLICE_STRANDED */
	       /* TCA_MPOLICE_STATS */
	       + nla_total_size_64bit(sizeof(struct mpolice_stats));
}
