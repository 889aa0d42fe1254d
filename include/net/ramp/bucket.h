/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Token bucket that many CPUs and many policies draw from without a lock
 *
 * US 12388757, FIG. 10 to 12: one aggregated bucket, whose tokens are a signed
 * number, and policies that read and charge it in different ways.
 *
 * How much the bucket has earned is a function of the time alone (earn.h), so
 * there is nothing to refill and no race over it. All that changes is one word,
 * what has been spent:
 *
 *	tokens = min(earned(now) - spent, burst)
 *
 * What does not fit into burst is lost by raising @spent, in the same exchange
 * that charges. Both run freely modulo 2^64; a bucket that nobody looked at for
 * so long that the difference is ambiguous is full (ramp_bucket_awake()).
 *
 * An exchange only ever raises @spent. So it succeeds only if nobody else has
 * charged, lent or taken back anything since the word was read: what several
 * others did cannot cancel out. And who has found the bucket short knows for
 * some time that it still is, without a look at what is shared
 * (ramp_bucket_dry(), ramp_bucket_early()).
 *
 * So that CPUs do not fight over that word they draw from it in loans (loan.h),
 * where there are plenty of tokens. Near the threshold there are none.
 *
 * Over any period what is charged is at most rate x (period + interval) + burst
 * (+ debt), rounded up to a whole token.
 *
 * Tokens are bytes or packets. Nothing here locks or disables anything: calls
 * with the same loan must be serialised, those with the same bucket need not
 * be. Any context.
 */
#ifndef _NET_RAMP_BUCKET_H
#define _NET_RAMP_BUCKET_H

#include <asm/barrier.h>
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <net/ramp/earn.h>
#include <net/ramp/loan.h>

/* What a debt without end amounts to: years, at any rate that there is. */
#define RAMP_BUCKET_DEBT_MAX	((s64)BIT_ULL(62))
/* @seen, while one CPU fills a bucket that slept. */
#define RAMP_BUCKET_WAKING	S64_MIN
/* Where @looks has the jiffy, above the number. */
#define RAMP_BUCKET_LOOK_BITS	16

/**
 * enum ramp_bucket_policy - how a packet is charged
 * @RAMP_BUCKET_DROP: if it leaves at least the threshold, else not at all
 * @RAMP_BUCKET_ACCOUNT: always, as far as the debt allows
 */
enum ramp_bucket_policy {
	RAMP_BUCKET_DROP,
	RAMP_BUCKET_ACCOUNT,
};

/**
 * enum ramp_bucket_verdict - what became of a packet
 * @RAMP_BUCKET_CONFORM: it was charged, and left at least the threshold
 * @RAMP_BUCKET_EXCEED: drop: it was not charged
 * @RAMP_BUCKET_OVER: account: it was charged, and left less than the threshold
 * @RAMP_BUCKET_UNCHARGED: account: the debt did not allow to charge all of it
 */
enum ramp_bucket_verdict {
	RAMP_BUCKET_CONFORM,
	RAMP_BUCKET_EXCEED,
	RAMP_BUCKET_OVER,
	RAMP_BUCKET_UNCHARGED,
};

/**
 * struct ramp_bucket_params - parameters and what follows from them
 * @burst: tokens, 1 .. 2^40
 * @idle: ns, as long as a difference cannot be ambiguous
 * @loans: how large loans may be
 * @earn: rate and interval
 * @debt: tokens, 0 .. RAMP_BUCKET_DEBT_MAX
 * @pace: tokens/ns times 2^32, rounded up
 * @at_once: tokens; burst and what rounding or a lump may add
 * @in_a_jiffy: tokens; the same and what a jiffy earns
 *
 * All constant: other parameters take another bucket, ramp_bucket_inherit()
 * fills it with what the old one has. The first 64 bytes are what a packet
 * needs for which there are tokens, and that are earned continuously.
 */
struct ramp_bucket_params {
	s64			burst;
	s64			idle;
	struct ramp_loan_params	loans;
	struct ramp_earn	earn;
	s64			debt;
	u64			pace;
	s64			at_once;
	s64			in_a_jiffy;
};

/**
 * struct ramp_bucket - what all CPUs share
 * @spent: tokens, modulo 2^64
 * @seen: ns after base, when @spent was within the range of tokens
 * @loans: what of @spent CPUs may still hold
 */
struct ramp_bucket {
	atomic64_t		spent;
	atomic64_t		seen;
	struct ramp_loans	loans;
};

/**
 * struct ramp_bucket_cpu - what one CPU has and knows of a bucket
 * @loan: tokens
 * @now: ns after base, the latest time at which this CPU looked at the bucket
 * @looks: the same as a jiffy, and how often it has looked in that jiffy
 * @room: tokens that were missing from burst after it, at least
 *
 * Zeroes to begin with.
 */
struct ramp_bucket_cpu {
	struct ramp_loan	loan;
	u64			now;
	u64			looks;
	s64			room;
};

/**
 * struct ramp_bucket_result - a decision
 * @verdict: what became of the packet
 * @charged: tokens; less than its size when it exceeds or was not charged
 * @tokens: in the bucket before the packet, this CPU's loan included
 */
struct ramp_bucket_result {
	enum ramp_bucket_verdict	verdict;
	u64				charged;
	s64				tokens;
};

/**
 * ramp_bucket_params_set - work out all that packets need
 * @p: to be filled
 * @rate: tokens/s, 1 .. 2^40
 * @interval: ns, 0: tokens arrive continuously
 * @burst: tokens, 1 .. 2^40
 * @debt: tokens, more than RAMP_BUCKET_DEBT_MAX is taken for that
 * @cpus: how many may draw at once, 1 .. 65535
 * @tick: ns, a jiffy
 * @now: ns
 */
static inline void ramp_bucket_params_set(struct ramp_bucket_params *p,
					  u64 rate, u64 interval, u64 burst,
					  u64 debt, u32 cpus, u64 tick, u64 now)
{
	u64 idle = div64_u64(BIT_ULL(62), rate);
	u64 lump = interval ? mul_u64_u64_div_u64(rate, interval,
						  RAMP_EARN_SEC) + 1 : 0;

	*p = (struct ramp_bucket_params) {
		.burst = burst,
		.debt = min_t(u64, debt, RAMP_BUCKET_DEBT_MAX),
		.idle = S64_MAX,
		.pace = mul_u64_u64_div_u64(rate, BIT_ULL(32),
					      RAMP_EARN_SEC) + 1,
		.at_once = burst + lump + 1,
	};
	ramp_earn_set(&p->earn, rate, interval, now);
	if (idle < div64_u64(S64_MAX, RAMP_EARN_SEC))
		p->idle = idle * RAMP_EARN_SEC;
	ramp_loan_params_set(&p->loans, burst,
			     mul_u64_u64_div_u64(rate, tick, RAMP_EARN_SEC),
			     cpus);
	p->in_a_jiffy = p->at_once + mul_u64_u32_shr(p->pace, tick, 32);
}

/* When there are more tokens, not all loans would find room. */
static inline s64 ramp_bucket_ample(const struct ramp_bucket_params *p)
{
	return p->burst - p->loans.cpus * p->loans.max;
}

/**
 * ramp_bucket_init - fill a bucket
 * @b: bucket that nobody uses yet
 * @p: its parameters
 * @tokens: to begin with, is brought to -debt .. burst
 */
static inline void ramp_bucket_init(struct ramp_bucket *b,
				    const struct ramp_bucket_params *p,
				    s64 tokens)
{
	atomic64_set(&b->spent, -clamp_t(s64, tokens, -p->debt, p->burst));
	atomic64_set(&b->seen, 0);
	ramp_loans_init(&b->loans);
}

/*
 * Tokens and debt are within 2^62, and so is what is earned while a bucket is
 * not looked at for @idle: the sign of the difference is right. After a longer
 * time the bucket is full, whatever the word says. One CPU fills it; to others
 * that come in that very moment it is empty.
 */
static inline bool ramp_bucket_awake(struct ramp_bucket *b,
				     const struct ramp_bucket_params *p,
				     u64 elapsed)
{
	s64 seen = atomic64_read_acquire(&b->seen);

	if (likely(seen != RAMP_BUCKET_WAKING &&
		   (s64)(elapsed - seen) <= p->idle))
		return true;
	if (seen == RAMP_BUCKET_WAKING ||
	    !atomic64_try_cmpxchg(&b->seen, &seen, RAMP_BUCKET_WAKING))
		return false;
	atomic64_set(&b->spent, ramp_earned(&p->earn, elapsed) - p->burst);
	atomic64_set_release(&b->seen, elapsed);
	return true;
}

/* The word has just been found, or brought, within the range of tokens. No time
 * is later than RAMP_BUCKET_WAKING.
 */
static inline void ramp_bucket_saw(struct ramp_bucket *b,
				   const struct ramp_bucket_params *p,
				   u64 elapsed)
{
	s64 seen = atomic64_read(&b->seen);

	if (unlikely((s64)(elapsed - seen) > p->idle / 2))
		atomic64_try_cmpxchg(&b->seen, &seen, elapsed);
}

/**
 * ramp_bucket_forget - what a CPU has and knows is of no use any more
 * @c: of this CPU; is as in the beginning
 *
 * For another bucket, or the same with other parameters. A loan is lost.
 */
static inline void ramp_bucket_forget(struct ramp_bucket_cpu *c)
{
	ramp_loan_take(&c->loan, 0, 0, 0);
	c->loan.counted = 0;
	c->now = 0;
	c->looks = 0;
	c->room = 0;
}

/* What is decided about a packet, and how much is left to be lent after it. */
static inline s64 ramp_bucket_judge(struct ramp_bucket_result *r,
				    const struct ramp_bucket_params *p,
				    enum ramp_bucket_policy policy,
				    s64 threshold, u32 size)
{
	s64 left = r->tokens - size;

	r->charged = size;
	if (left >= threshold) {
		r->verdict = RAMP_BUCKET_CONFORM;
		return left - threshold;
	}
	if (policy == RAMP_BUCKET_DROP) {
		r->verdict = RAMP_BUCKET_EXCEED;
		r->charged = 0;
	} else if (left >= -p->debt) {
		r->verdict = RAMP_BUCKET_OVER;
	} else {
		r->verdict = RAMP_BUCKET_UNCHARGED;
		r->charged = max_t(s64, r->tokens + p->debt, 0);
	}
	return 0;
}

static inline bool ramp_bucket_looked(const struct ramp_bucket_cpu *c,
				      u64 jiffy)
{
	return c->looks >> RAMP_BUCKET_LOOK_BITS == jiffy;
}

/* As ramp_loan_amount(), for a CPU that will use it. */
static inline s64 ramp_bucket_loan(const struct ramp_bucket_params *p,
				   const struct ramp_bucket_cpu *c, s64 above,
				   u32 size, u64 jiffy)
{
	u16 looks = ramp_bucket_looked(c, jiffy) ? c->looks : 0;

	if (looks < p->loans.after)
		return 0;
	return ramp_loan_amount(&p->loans, above, size);
}

/* The most that there can be, as others put nothing back: ramp_bucket_charge()
 */
static inline void ramp_bucket_found(struct ramp_bucket_cpu *c,
				     const struct ramp_bucket_params *p,
				     s64 tokens, u64 jiffy, u64 elapsed)
{
	if (!ramp_bucket_looked(c, jiffy))
		c->looks = jiffy << RAMP_BUCKET_LOOK_BITS;
	/* Further than that it need not count. */
	if (!(c->looks & BIT(RAMP_BUCKET_LOOK_BITS - 1)))
		c->looks++;
	c->now = elapsed;
	c->room = p->burst - tokens;
}

/**
 * ramp_bucket_dry - does a packet exceed, whatever time of the jiffy it is?
 * @c: what this CPU knows of the bucket
 * @p: parameters of the bucket
 * @threshold: tokens that have to be left, 0 .. 2^40
 * @size: tokens
 * @jiffy: the present jiffy
 *
 * For a bucket of a low rate, or one deep in debt, that no clock has to be read
 * for. When a jiffy ends late so does this; what the bucket earns is not lost.
 *
 * Return: true when ramp_bucket_charge() would find that it exceeds; false when
 * that is not known
 */
static inline bool ramp_bucket_dry(const struct ramp_bucket_cpu *c,
				   const struct ramp_bucket_params *p,
				   s64 threshold, u32 size, u64 jiffy)
{
	return ramp_bucket_looked(c, jiffy) &&
	       threshold + size + c->room > p->in_a_jiffy;
}

/**
 * ramp_bucket_early - does a packet exceed, without a look at what is shared?
 * @c: what this CPU knows of the bucket
 * @p: parameters of the bucket
 * @threshold: tokens that have to be left, 0 .. 2^40
 * @size: tokens
 * @jiffy: the present jiffy; in another one it is time for another look
 * @now: ns
 *
 * Return: true when ramp_bucket_charge() would find that it exceeds; false when
 * that is not known
 */
static inline bool ramp_bucket_early(const struct ramp_bucket_cpu *c,
				     const struct ramp_bucket_params *p,
				     s64 threshold, u32 size, u64 jiffy,
				     u64 now)
{
	u64 since = now - p->earn.base - c->now;

	return ramp_bucket_looked(c, jiffy) && since <= U32_MAX &&
	       threshold + size + c->room >
	       p->at_once + (s64)mul_u64_u32_shr(p->pace, since, 32);
}

/**
 * ramp_bucket_quick - decide on a packet, if only the tokens matter
 * @b: bucket
 * @p: its parameters
 * @c: what this CPU has of it
 * @policy: what to do when the tokens do not suffice
 * @threshold: tokens that have to be left, 0 .. 2^40
 * @size: tokens, at least 1
 * @jiffy: the present jiffy
 * @now: ns, read after @jiffy; a clock that steps back stands still instead
 * @r: the decision
 *
 * A packet that is charged here finds that this CPU has no loan to give back
 * and gets none, and that there is room for those of the others, or that nobody
 * has one or could give it back.
 *
 * Return: false when nothing was decided or charged, ramp_bucket_charge() will
 */
static inline bool
ramp_bucket_quick(struct ramp_bucket *b, const struct ramp_bucket_params *p,
		  struct ramp_bucket_cpu *c, enum ramp_bucket_policy policy,
		  s64 threshold, u32 size, u64 jiffy, u64 now,
		  struct ramp_bucket_result *r)
{
	u64 elapsed = max(ramp_earn_elapsed(&p->earn, now), c->now);
	u64 earned = ramp_earned(&p->earn, elapsed);
	u64 seen = atomic64_read(&b->seen);
	struct ramp_loan *l = &c->loan;
	s64 spent = atomic64_read(&b->spent), lent, spare;

	/* Pairs with the exchanges: what was lent, and whether it was full, is
	 * read later.
	 */
	smp_rmb();
	lent = atomic64_read(&b->loans.lent);
	r->tokens = earned - spent +
		    ramp_loan_back(&b->loans, l->left, l->jiffy);
	/* Others may wake it right now, but not so soon after this CPU's last
	 * look.
	 */
	if (elapsed - c->now > (u64)p->idle / 2 ||
	    elapsed - seen > (u64)p->idle / 2)
		return false;
	if (r->tokens > ramp_bucket_ample(p)) {
		if (l->left || ramp_lent_cpus(lent) ||
		    !ramp_loans_void(atomic64_read(&b->loans.full), lent))
			return false;
		r->tokens = min(r->tokens, p->burst);
	}

	spare = r->tokens - size - threshold;
	r->charged = 0;
	if (spare < 0) {
		r->verdict = RAMP_BUCKET_EXCEED;
		if (policy != RAMP_BUCKET_DROP)
			return false;
	} else {
		r->verdict = RAMP_BUCKET_CONFORM;
		if (l->left || ramp_bucket_loan(p, c, spare, size, jiffy) ||
		    !atomic64_try_cmpxchg(&b->spent, &spent,
					  earned - r->tokens + size))
			return false;
		ramp_loans_turn(&b->loans, lent, jiffy);
		r->charged = size;
	}
	/* What this CPU has used of its loan is accounted for by now. */
	l->taken = l->left;
	ramp_bucket_found(c, p, r->tokens - r->charged, jiffy, elapsed);
	return true;
}

/**
 * ramp_bucket_charge - decide on a packet, and charge it
 * @b: bucket
 * @p: its parameters
 * @c: what this CPU has of it; its loan is given back and taken anew
 * @policy: what to do when the tokens do not suffice
 * @threshold: tokens that have to be left, 0 .. 2^40
 * @size: tokens, at least 1
 * @jiffy: the present jiffy, as ramp_loan_use() was told
 * @now: ns, read after @jiffy; a clock that steps back stands still instead
 *
 * What is shared never becomes more, but by what is earned: of a loan no more
 * is given back than the packet and a new loan take, and one token less. The
 * rest stays a loan as it was. Else others could charge and give back as much
 * as that, between the look at the bucket and the exchange, and nobody would
 * notice that meanwhile it was full, or that they have taken loans.
 *
 * Return: the decision
 */
static inline struct ramp_bucket_result
ramp_bucket_charge(struct ramp_bucket *b, const struct ramp_bucket_params *p,
		   struct ramp_bucket_cpu *c, enum ramp_bucket_policy policy,
		   s64 threshold, u32 size, u64 jiffy, u64 now)
{
	struct ramp_bucket_result r = {
		.verdict = policy == RAMP_BUCKET_DROP ? RAMP_BUCKET_EXCEED :
							RAMP_BUCKET_UNCHARGED,
	};
	u64 elapsed = max(ramp_earn_elapsed(&p->earn, now), c->now);
	u64 earned = ramp_earned(&p->earn, elapsed);
	s64 left = c->loan.left, spent, lent, loan, rise, stays;
	struct ramp_loan *l = &c->loan;

	if (unlikely(!ramp_bucket_awake(b, p, elapsed)))
		return r;
	/* Who adds up loans must not find one that is in the word as well. */
	WRITE_ONCE(l->left, 0);
	do {
		/* Pairs with the exchanges: what was lent is read later. */
		spent = atomic64_read_acquire(&b->spent);
		lent = atomic64_read(&b->loans.lent);
		r.tokens = earned - spent +
			   ramp_loan_back(&b->loans, left, l->jiffy);
		ramp_loans_check_full(&b->loans, &p->loans,
				      p->burst - r.tokens, jiffy);
		r.tokens = min(r.tokens, p->burst -
			       ramp_loan_reserve(&p->loans, l, left, lent));

		loan = ramp_bucket_judge(&r, p, policy, threshold, size);
		loan = ramp_bucket_loan(p, c, loan, size, jiffy);
		rise = earned - r.tokens + r.charged - spent;
		if (rise + loan <= 0 ||
		    (loan && !ramp_loan_lend(&b->loans, l, lent, jiffy)))
			loan = 0;
		stays = 0;
		if (rise + loan <= 0) {
			stays = -rise;
			/* Nothing was charged, lent or lost. */
			if (!r.charged)
				break;
			stays++;
			rise = 1;
		}
	} while (!atomic64_try_cmpxchg(&b->spent, &spent,
				       (u64)spent + rise + loan));
	ramp_bucket_saw(b, p, elapsed);
	ramp_loans_turn(&b->loans, lent, jiffy);

	ramp_bucket_found(c, p, r.tokens - r.charged, jiffy, elapsed);
	ramp_loan_take(l, loan + stays, r.tokens - r.charged - loan - stays,
		       stays ? l->jiffy : jiffy);
	return r;
}

/**
 * ramp_bucket_tokens - what is in a bucket
 * @b: bucket
 * @p: its parameters
 * @loans: sum of ramp_loan_left() of all CPUs
 * @now: ns
 *
 * A reading that changes nothing, of something that others change.
 *
 * Return: tokens, -debt .. burst
 */
static inline s64 ramp_bucket_tokens(const struct ramp_bucket *b,
				     const struct ramp_bucket_params *p,
				     s64 loans, u64 now)
{
	u64 elapsed = ramp_earn_elapsed(&p->earn, now);
	u64 earned = ramp_earned(&p->earn, elapsed);
	s64 seen = atomic64_read_acquire(&b->seen);

	if (seen == RAMP_BUCKET_WAKING || (s64)(elapsed - seen) > p->idle)
		return p->burst;
	return min_t(s64, earned - atomic64_read(&b->spent) + loans, p->burst);
}

/**
 * ramp_bucket_inherit - fill a bucket with what another one has
 * @b: bucket that nobody uses yet
 * @p: its parameters, which go on to earn where @old_p are
 * @old: bucket that @b takes the place of
 * @old_p: its parameters
 * @loans: sum of ramp_loan_idle() of all CPUs
 * @now: ns
 *
 * What was earned stays the same part of the burst, what is owed stays owed.
 * Loans that are in use are lost.
 */
static inline void ramp_bucket_inherit(struct ramp_bucket *b,
				       struct ramp_bucket_params *p,
				       const struct ramp_bucket *old,
				       const struct ramp_bucket_params *old_p,
				       s64 loans, u64 now)
{
	s64 tokens = ramp_bucket_tokens(old, old_p, 0, now);
	s64 most = old_p->burst;
	u64 elapsed, earned;

	ramp_earn_resume(&p->earn, &old_p->earn, now);
	elapsed = ramp_earn_elapsed(&p->earn, now);
	earned = ramp_earned(&p->earn, elapsed);
	if (loans || ramp_lent_cpus(atomic64_read(&old->loans.lent)))
		most = ramp_bucket_ample(old_p);
	tokens = min(tokens, most) + loans;
	if (tokens > 0 && p->burst != old_p->burst)
		tokens = mul_u64_u64_div_u64(tokens, p->burst, old_p->burst);
	ramp_bucket_init(b, p, tokens);
	/* Until now the old one has earned. */
	atomic64_set(&b->spent, earned + atomic64_read(&b->spent));
	atomic64_set(&b->seen, elapsed);
}

#endif /* _NET_RAMP_BUCKET_H */
