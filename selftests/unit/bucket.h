/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the token bucket share: a bucket with CPUs, and a bucket as
 * a textbook has it, in 128 bits and without loans, to compare it with.
 */
#ifndef _UNIT_BUCKET_H
#define _UNIT_BUCKET_H

#include "unit.h"
#include "wide.h"
#include <linux/bits.h>
#include <net/ramp/bucket.h>

#define CPUS		8
#define JIFFY		(4 * NSEC_PER_MSEC)
#define T0		(5 * NSEC_PER_SEC)
#define RATE_MAX	BIT_ULL(40)
#define SIZE_MAX_GSO	(512u << 10)

/* Under test: a bucket, and what the CPUs hold of it. It lends at once, so that
 * few packets are enough.
 */
struct box {
	struct ramp_bucket_params	p;
	struct ramp_bucket		b;
	struct ramp_bucket_cpu		cpu[CPUS];
};

static inline void box_init(struct box *x, u64 rate, u64 interval, u64 burst,
			    u64 debt, u32 cpus, u64 now)
{
	memset(x, 0, sizeof(*x));
	ramp_bucket_params_set(&x->p, rate, interval, burst, debt, cpus, JIFFY,
			       now);
	x->p.loans.after = 0;
	ramp_bucket_init(&x->b, &x->p, burst);
}

/* One CPU, all in one jiffy and at one time, tokens as given. */
static inline struct box box_with(u64 tokens, u64 debt)
{
	struct box x;

	box_init(&x, 1000, 0, 1000000, debt, 1, T0);
	ramp_bucket_init(&x.b, &x.p, tokens);
	return x;
}

static inline s64 box_loans(const struct box *x)
{
	s64 sum = 0;
	u32 i;

	for (i = 0; i < CPUS; i++)
		sum += ramp_loan_left(&x->b.loans, &x->cpu[i].loan);
	return sum;
}

static inline s64 box_tokens(const struct box *x, u64 now)
{
	return ramp_bucket_tokens(&x->b, &x->p, box_loans(x), now);
}

/* That a CPU knows a packet to exceed is true of what it has and of what is
 * shared, unless a jiffy lasts too long.
 */
static inline void box_knows(const struct box *x, u32 cpu, s64 threshold,
			     u32 size, u64 now)
{
	const struct ramp_bucket_cpu *c = &x->cpu[cpu];
	u64 elapsed = ramp_earn_elapsed(&x->p.earn, now);
	s64 tokens = 0;

	if ((s64)(elapsed - c->now) > (s64)JIFFY)
		return;
	if ((u64)x->b.loans.full.counter <= c->loan.jiffy)
		tokens = c->loan.left;
	tokens += ramp_earned(&x->p.earn, max(elapsed, c->now)) -
		  x->b.spent.counter;
	unit_check(min(tokens, x->p.burst) - size < threshold,
		   "%lld tokens, %u bytes, threshold %lld", tokens, size,
		   threshold);
}

/* A packet as the action treats it: the loan, if that will do, what the CPU
 * knows, or the bucket.
 */
static inline struct ramp_bucket_result
box_packet(struct box *x, u32 cpu, enum ramp_bucket_policy policy,
	   s64 threshold, u32 size, u64 jiffy, u64 now)
{
	struct ramp_bucket_result r = {
		.verdict = RAMP_BUCKET_CONFORM,
		.charged = size,
		.tokens = S64_MIN,
	};

	if (ramp_loan_use(&x->cpu[cpu].loan, threshold, size, jiffy))
		return r;
	if (policy == RAMP_BUCKET_DROP &&
	    (ramp_bucket_dry(&x->cpu[cpu], &x->p, threshold, size, jiffy) ||
	     ramp_bucket_early(&x->cpu[cpu], &x->p, threshold, size, jiffy,
			       now))) {
		box_knows(x, cpu, threshold, size, now);
		r.verdict = RAMP_BUCKET_EXCEED;
		r.charged = 0;
		return r;
	}
	if (ramp_bucket_quick(&x->b, &x->p, &x->cpu[cpu], policy, threshold,
			      size, jiffy, now, &r))
		return r;
	return ramp_bucket_charge(&x->b, &x->p, &x->cpu[cpu], policy,
				  threshold, size, jiffy, now);
}

/* The bucket was not asked: neither of them says what was in it. */
static inline bool by_loan(const struct ramp_bucket_result *r)
{
	return r->tokens == S64_MIN && r->verdict == RAMP_BUCKET_CONFORM;
}

static inline bool by_knowledge(const struct ramp_bucket_result *r)
{
	return r->tokens == S64_MIN && r->verdict == RAMP_BUCKET_EXCEED;
}

/* The textbook: filled up at every packet, never above burst. */
struct book {
	u64	rate;
	u64	interval;
	u64	base;
	u64	last;
	s128	burst;
	s128	tokens;
};

static inline s128 book_earned(const struct book *k, u64 now)
{
	u64 elapsed = now - k->base;

	if (k->interval)
		elapsed -= elapsed % k->interval;
	return wide_div((u128)elapsed * k->rate, NSEC_PER_SEC);
}

static inline void book_init(struct book *k, u64 rate, u64 interval, u64 burst,
			     u64 now)
{
	*k = (struct book) {
		.rate = rate,
		.interval = interval,
		.base = now,
		.last = now,
		.burst = burst,
		.tokens = burst,
	};
}

static inline void book_fill(struct book *k, u64 now)
{
	if ((s64)(now - k->last) <= 0)
		return;
	k->tokens += book_earned(k, now) - book_earned(k, k->last);
	if (k->tokens > k->burst)
		k->tokens = k->burst;
	k->last = now;
}

#endif /* _UNIT_BUCKET_H */
