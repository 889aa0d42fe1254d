// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of mpolice.
 *
 * They take no lock: parameters and buckets are replaced under RCU, tokens are
 * drawn as <net/ramp/bucket.h> says, and all that is counted is per CPU.
 */

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/prefetch.h>
#include <net/pkt_cls.h>
#include <net/ramp_frame.h>
#include <net/sch_generic.h>

#include "mpolice.h"

#define CREATE_TRACE_POINTS
#include <trace/events/mpolice.h>

static void mpolice_count(struct tcf_mpolice *mp, enum mpolice_count what,
			  u32 packets, u32 bytes)
{
	struct mpolice_cpu_stats *st = this_cpu_ptr(mp->stats);

	u64_stats_update_begin(&st->syncp);
	u64_stats_add(&st->count[what].packets, packets);
	u64_stats_add(&st->count[what].bytes, bytes);
	u64_stats_update_end(&st->syncp);
}

/* Of a packet that was charged in part, the bucket's unit is divided, and what
 * cannot be counts as uncharged.
 */
static void mpolice_count_over(struct tcf_mpolice *mp, bool packets,
			       const struct ramp_bucket_result *r, u32 segs,
			       u32 len)
{
	if (r->verdict == RAMP_BUCKET_OVER) {
		mpolice_count(mp, MPOLICE_OVER, segs, len);
		return;
	}
	if (packets) {
		mpolice_count(mp, MPOLICE_OVER, r->charged, 0);
		segs -= r->charged;
	} else {
		mpolice_count(mp, MPOLICE_OVER, 0, r->charged);
		len -= r->charged;
	}
	mpolice_count(mp, MPOLICE_UNCHARGED, segs, len);
}

static int mpolice_conform(struct tcf_mpolice *mp,
			   const struct mpolice_params *p)
{
	if (unlikely(p->conform == TC_ACT_SHOT))
		tcf_action_inc_drop_qstats(&mp->common);
	return p->conform;
}

/* Under the lock of what the CPU has of the bucket, so nobody else counts on it
 * and interrupts may come.
 */
static int mpolice_exceed(const struct sk_buff *skb, struct tcf_mpolice *mp,
			  const struct mpolice_params *p,
			  const struct mpolice_state *s, u32 segs, u32 len,
			  s64 tokens)
{
	mpolice_count(mp, MPOLICE_EXCEEDED, segs, len);
	trace_mpolice_exceed(skb, s->id, mp->tcf_index, p->packets ? segs : len,
			     tokens);
	__this_cpu_inc(mp->common.cpu_qstats->overlimits);
	if (p->exceed == TC_ACT_SHOT)
		__this_cpu_inc(mp->common.cpu_qstats->drops);
	return p->exceed;
}

/* The bucket was replaced. If that happens here once more, the next packet will
 * find it.
 */
static noinline void mpolice_renew(struct mpolice_cpu *c, unsigned long state)
{
	ramp_bucket_forget(&c->law);
	/* Pairs with mpolice_loan(): nothing is left of the old loan. */
	cmpxchg(&c->state, state, state & ~MPOLICE_STALE);
}

/* What a CPU has is of this state. Under its lock. */
static struct mpolice_state *mpolice_state(struct ramp_bucket_cpu *law)
{
	struct mpolice_cpu *c = container_of(law, struct mpolice_cpu, law);
	unsigned long state = READ_ONCE(c->state);

	if (unlikely(state & MPOLICE_STALE))
		mpolice_renew(c, state);
	return (struct mpolice_state *)(state & ~MPOLICE_STALE);
}

/* A state that was replaced while its word was about to be exchanged lends no
 * more, even before this CPU is told.
 */
static struct mpolice_state *mpolice_state_last(struct mpolice_state *s,
						struct ramp_bucket_cpu *law)
{
	struct mpolice_state *next = READ_ONCE(s->next);

	if (likely(!next))
		return s;
	ramp_bucket_forget(law);
	return next;
}

/* For packets that give back or take loans. */
static noinline void mpolice_charge(struct mpolice_state *s,
				    struct ramp_bucket_cpu *c,
				    const struct mpolice_params *p, u32 size,
				    u64 jiffy, u64 now,
				    struct ramp_bucket_result *r)
{
	*r = ramp_bucket_charge(&s->shared, &s->law, c, mpolice_law(p),
				p->threshold, size, jiffy, now);
}

/* The bucket itself decides, unless this CPU knows that it is too early. */
static noinline int mpolice_act_bucket(const struct sk_buff *skb,
				       struct tcf_mpolice *mp,
				       const struct mpolice_params *p,
				       struct mpolice_cpu __percpu *cpu,
				       u32 segs, u32 len, u64 jiffy)
{
	u32 size = p->packets ? segs : len;
	struct ramp_bucket_result r;
	struct ramp_bucket_cpu *c;
	struct mpolice_state *s;
	u64 now;
	int ret;

	local_lock_nested_bh(&cpu->bh_lock);
	c = &this_cpu_ptr(cpu)->law;
	s = mpolice_state(c);
	/* Clocks are read when all that was read before has come. */
	if (!ramp_bucket_looked(c, jiffy))
		prefetchw(&s->shared);
	prefetch(&s->law);
	prefetchw(this_cpu_ptr(mp->stats));
	now = ktime_get_ns();
	if (p->policy == MPOLICE_POLICY_DROP &&
	    ramp_bucket_early(c, &s->law, p->threshold, size, jiffy, now)) {
		r.verdict = RAMP_BUCKET_EXCEED;
		r.tokens = s->law.burst - c->room;
	} else {
		s = mpolice_state_last(s, c);
		if (!ramp_bucket_quick(&s->shared, &s->law, c, mpolice_law(p),
				       p->threshold, size, jiffy, now, &r))
			mpolice_charge(s, c, p, size, jiffy, now, &r);
	}
	if (r.verdict == RAMP_BUCKET_EXCEED)
		ret = mpolice_exceed(skb, mp, p, s, segs, len, r.tokens);
	local_unlock_nested_bh(&cpu->bh_lock);

	if (r.verdict == RAMP_BUCKET_EXCEED)
		return ret;
	if (r.verdict == RAMP_BUCKET_CONFORM)
		mpolice_count(mp, MPOLICE_CONFORMED, segs, len);
	else
		mpolice_count_over(mp, p->packets, &r, segs, len);
	return mpolice_conform(mp, p);
}

/* What the segments of a packet that comes in have as frames, as when it goes
 * out. The core counts their headers from the network header on, or once.
 */
static noinline u32 mpolice_frames(const struct sk_buff *skb, u32 segs)
{
	u32 headers = ramp_frame_headers(skb);

	return skb->len + skb->mac_len +
	       (headers ? (segs - 1) * (headers + skb->mac_len) : 0);
}

/**
 * mpolice_act - what becomes of a packet
 * @skb: packet
 * @a: action
 * @res: unused
 *
 * What this CPU holds of the bucket will do, as for most packets that conform.
 * Or it knows that there cannot be enough.
 *
 * Context: softirq, RCU.
 *
 * Return: control action
 */
int mpolice_act(struct sk_buff *skb, const struct tc_action *a,
		struct tcf_result *res)
{
	struct tcf_mpolice *mp = to_mpolice(a);
	const struct mpolice_params *p = rcu_dereference_bh(mp->params);
	u32 len = qdisc_pkt_len(skb), segs = qdisc_pkt_segs(skb), size;
	struct mpolice_cpu __percpu *cpu;
	struct ramp_bucket_cpu *c;
	struct mpolice_state *s;
	bool lent, dry;
	u64 jiffy;
	int ret;

	/* The core cannot count those of a packet that cannot be segmented. */
	if (unlikely(!segs))
		segs = 1;
	tcf_lastuse_update(&mp->tcf_tm);
	_bstats_update(this_cpu_ptr(mp->common.cpu_bstats), len, segs);
	if (skb_at_tc_ingress(skb))
		len = likely(segs == 1) ? len + skb->mac_len :
					  mpolice_frames(skb, segs);
	if (p->policy == MPOLICE_POLICY_BYPASS) {
		mpolice_count(mp, MPOLICE_BYPASSED, segs, len);
		return mpolice_conform(mp, p);
	}

	/* Of one bucket, even while it is replaced. */
	cpu = READ_ONCE(p->cpu);
	size = p->packets ? segs : len;
	jiffy = get_jiffies_64();
	local_lock_nested_bh(&cpu->bh_lock);
	c = &this_cpu_ptr(cpu)->law;
	s = mpolice_state(c);
	lent = ramp_loan_use(&c->loan, p->threshold, size, jiffy);
	dry = !lent && p->policy == MPOLICE_POLICY_DROP &&
	      ramp_bucket_dry(c, &s->law, p->threshold, size, jiffy);
	if (dry)
		ret = mpolice_exceed(skb, mp, p, s, segs, len,
				     s->law.burst - c->room);
	local_unlock_nested_bh(&cpu->bh_lock);
	if (dry)
		return ret;
	if (!lent)
		return mpolice_act_bucket(skb, mp, p, cpu, segs, len, jiffy);
	mpolice_count(mp, MPOLICE_CONFORMED, segs, len);
	return mpolice_conform(mp, p);
}
