/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loans: tokens of a shared bucket that one CPU uses alone
 *
 * A bucket would be fought over by all CPUs, and a clock be read for each
 * packet. So a CPU takes a loan: tokens that are spent, as far as the bucket is
 * concerned, and that this CPU alone uses up, without an atomic operation and
 * without a clock. A loan ends with the jiffy, what is left of it goes back
 * with the next exchange.
 *
 * Loans come out of the burst, they never add to it, however long the bucket
 * was idle. When a loan was used nobody knows, so it counts as if it were used
 * now: while one is out the others fill the bucket only as far as leaves room
 * for it (@lent). Not before the bucket has been looked at in another jiffy,
 * and what is then too much is lost, does it end to count. And what is left of
 * it does not go back if the bucket was nearly full in the meantime (@full), as
 * then it would have run over.
 *
 * A loan is at most half of what is above the threshold, divided by the CPUs.
 * Hence there is none near the threshold. Nor is there one where the rate is so
 * low that a jiffy would not earn it, or where a CPU has not looked at the
 * bucket several times in the jiffy: few packets would use it. Where a packet
 * takes less than there is to give back, the rest stays a loan, of the jiffy it
 * is of: what has been spent never becomes less. Compared with a bucket without
 * loans up to ramp_loan_stranded() tokens are out of reach: those that other
 * CPUs hold until they send again, and the room for loans when the bucket is
 * full. Never is there a token more.
 *
 * Nothing here locks or disables anything: calls with the same loan must be
 * serialised, those with the same loans of all CPUs need not be. A jiffy is
 * less than 2^47, and all CPUs read the same counter. Any context.
 */
#ifndef _NET_RAMP_LOAN_H
#define _NET_RAMP_LOAN_H

#include <asm/barrier.h>
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Large enough that the exchanges of several packets become one. */
#define RAMP_LOAN_MAX		((s64)BIT_ULL(20))
/* Looks at the bucket in a jiffy: with as many packets a loan saves what it
 * costs.
 */
#define RAMP_LOAN_AFTER		2
/* The part of the burst that all loans together may be. */
#define RAMP_LOAN_PART		16
/* @lent has the number of CPUs in as many bits. */
#define RAMP_LOAN_CPU_BITS	16

/**
 * struct ramp_loan_params - how large loans may be
 * @max: tokens
 * @cpus: how many CPUs may have one, 1 .. 65535
 * @share: a loan is what is above the threshold, shifted by this
 * @after: how many looks at the bucket there are in a jiffy without one
 */
struct ramp_loan_params {
	s64	max;
	u32	cpus;
	u16	share;
	u16	after;
};

/**
 * struct ramp_loans - what is known of the loans of all CPUs
 * @lent: in which jiffy loans were taken, and by how many CPUs
 * @full: the jiffy in which, the last time, all loans together would not have
 *	found room
 */
struct ramp_loans {
	atomic64_t	lent;
	atomic64_t	full;
};

/**
 * struct ramp_loan - what one CPU has taken
 * @left: tokens, at most RAMP_LOAN_MAX
 * @taken: tokens, to begin with
 * @above: tokens in the bucket after it was taken
 * @jiffy: when it was taken
 * @counted: the jiffy after the one in which this CPU was counted in @lent
 *
 * Zeroes to begin with.
 */
struct ramp_loan {
	u32	left;
	u32	taken;
	s64	above;
	u64	jiffy;
	u64	counted;
};

/**
 * ramp_loan_params_set - work out how large loans may be
 * @p: to be filled
 * @burst: tokens
 * @earned: tokens that the bucket earns in a jiffy
 * @cpus: how many CPUs may have one, 1 .. 65535
 */
static inline void ramp_loan_params_set(struct ramp_loan_params *p, u64 burst,
					u64 earned, u32 cpus)
{
	u64 all = min_t(u64, div_u64(burst, RAMP_LOAN_PART), earned);

	p->max = min_t(u64, div_u64(all, cpus), RAMP_LOAN_MAX);
	p->cpus = cpus;
	p->after = RAMP_LOAN_AFTER;
	p->share = 1;
	while (1U << (p->share - 1) < cpus)
		p->share++;
}

/**
 * ramp_loans_init - nobody has a loan
 * @s: loans of all CPUs
 */
static inline void ramp_loans_init(struct ramp_loans *s)
{
	atomic64_set(&s->lent, 0);
	atomic64_set(&s->full, 0);
}

/**
 * ramp_loan_stranded - how many tokens may be out of reach
 * @p: bounds
 *
 * What CPUs hold, and what was lost to leave room for that.
 *
 * Return: tokens
 */
static inline u64 ramp_loan_stranded(const struct ramp_loan_params *p)
{
	return 2 * (u64)p->max * p->cpus;
}

static inline u64 ramp_lent(u64 jiffy, u32 cpus)
{
	return jiffy << RAMP_LOAN_CPU_BITS | cpus;
}

static inline u32 ramp_lent_cpus(u64 lent)
{
	return lent & (BIT(RAMP_LOAN_CPU_BITS) - 1);
}

static inline u64 ramp_lent_jiffy(u64 lent)
{
	return lent >> RAMP_LOAN_CPU_BITS;
}

/* Is a jiffy before the one in which loans were taken (> 0), or after it? */
static inline s64 ramp_lent_behind(u64 lent, u64 jiffy)
{
	return (lent & ~(BIT_ULL(RAMP_LOAN_CPU_BITS) - 1)) -
	       ramp_lent(jiffy, 0);
}

/* Is a CPU among those that are counted? */
static inline bool ramp_loan_counted(const struct ramp_loan *l, u64 lent)
{
	return l->counted && !ramp_lent_behind(lent, l->counted - 1);
}

/**
 * ramp_loan_reserve - how much of a full bucket a CPU must leave
 * @p: bounds
 * @l: loan of this CPU
 * @left: tokens of it
 * @lent: as read after the bucket
 *
 * What the others may use, or have used, and what this one has used itself.
 *
 * Return: tokens
 */
static inline s64 ramp_loan_reserve(const struct ramp_loan_params *p,
				    const struct ramp_loan *l, s64 left,
				    u64 lent)
{
	u32 others = ramp_lent_cpus(lent);

	if (!ramp_loan_counted(l, lent))
		return others * p->max;
	return (others - 1) * p->max + l->taken - left;
}

/**
 * ramp_loan_lend - may this CPU take a loan?
 * @s: loans of all CPUs
 * @l: loan of this CPU
 * @lent: as read after the bucket
 * @jiffy: the present jiffy
 *
 * A CPU is counted before it takes a loan. Others read the bucket first, then
 * this: either they see the loan, or the bucket has changed when they exchange
 * it. Loans of another jiffy are forgotten by ramp_loans_turn() only, and a CPU
 * that is late gets none: no loan is of a later jiffy than @lent.
 *
 * Return: true when it may
 */
static inline bool ramp_loan_lend(struct ramp_loans *s, struct ramp_loan *l,
				  s64 lent, u64 jiffy)
{
	s64 behind = ramp_lent_behind(lent, jiffy);
	u32 cpus;

	if (!behind && ramp_loan_counted(l, lent))
		return true;
	do {
		behind = ramp_lent_behind(lent, jiffy);
		cpus = ramp_lent_cpus(lent);
		if (behind > 0 || (behind && cpus))
			return false;
	} while (!atomic64_try_cmpxchg(&s->lent, &lent,
				       ramp_lent(jiffy, cpus + 1)));
	l->counted = jiffy + 1;
	return true;
}

/**
 * ramp_loan_back - what may be given back
 * @s: loans of all CPUs
 * @left: tokens of a loan
 * @jiffy: when it was taken
 *
 * Nothing, when the bucket was nearly full since.
 *
 * Return: tokens
 */
static inline s64 ramp_loan_back(const struct ramp_loans *s, s64 left,
				 u64 jiffy)
{
	return (u64)atomic64_read(&s->full) > jiffy ? 0 : left;
}

/**
 * ramp_loan_left - what a CPU could give back
 * @s: loans of all CPUs
 * @l: loan, also that of another CPU
 *
 * Return: tokens
 */
static inline s64 ramp_loan_left(const struct ramp_loans *s,
				 const struct ramp_loan *l)
{
	return ramp_loan_back(s, READ_ONCE(l->left), READ_ONCE(l->jiffy));
}

/**
 * ramp_loan_idle - what a CPU could give back, but not use
 * @s: loans of all CPUs
 * @l: loan of another CPU
 * @jiffy: the present jiffy
 *
 * Return: tokens
 */
static inline s64 ramp_loan_idle(const struct ramp_loans *s,
				 const struct ramp_loan *l, u64 jiffy)
{
	s64 left = ramp_loan_left(s, l);

	/* Pairs with ramp_loan_take(), which has set the jiffy before. */
	smp_rmb();
	return READ_ONCE(l->jiffy) < jiffy ? left : 0;
}

/* Can nothing be given back? */
static inline bool ramp_loans_void(u64 full, u64 lent)
{
	return full > ramp_lent_jiffy(lent);
}

/**
 * ramp_loans_check_full - note that not all loans would find room
 * @s: loans of all CPUs
 * @p: bounds
 * @room: tokens that the bucket could take
 * @jiffy: the present jiffy
 *
 * Before the bucket is exchanged: whoever finds it changed finds this, too.
 */
static inline void ramp_loans_check_full(struct ramp_loans *s,
					 const struct ramp_loan_params *p,
					 s64 room, u64 jiffy)
{
	s64 full;

	if (room >= p->cpus * p->max)
		return;
	full = atomic64_read(&s->full);
	while ((u64)full < jiffy &&
	       !atomic64_try_cmpxchg(&s->full, &full, jiffy))
		;
}

/**
 * ramp_loans_turn - forget the loans of an earlier jiffy
 * @s: loans of all CPUs
 * @lent: as read before the bucket was exchanged
 * @jiffy: the present jiffy
 *
 * The bucket has been brought down to leave ramp_loan_reserve(), at a time when
 * nobody could use these loans any more.
 */
static inline void ramp_loans_turn(struct ramp_loans *s, u64 lent, u64 jiffy)
{
	s64 old = lent;

	if (ramp_lent_behind(lent, jiffy) < 0 && ramp_lent_cpus(lent))
		atomic64_try_cmpxchg(&s->lent, &old, ramp_lent(jiffy, 0));
}

/**
 * ramp_loan_amount - how large a loan would be
 * @p: bounds
 * @above: tokens above the threshold
 * @size: of a packet; a loan that the next one could not use is none
 *
 * Return: tokens
 */
static inline s64 ramp_loan_amount(const struct ramp_loan_params *p, s64 above,
				   u32 size)
{
	s64 amount = min_t(s64, above >> p->share, p->max);

	return amount < size ? 0 : amount;
}

/**
 * ramp_loan_take - a loan was taken, or none, or one stays
 * @l: loan of this CPU
 * @amount: tokens
 * @above: tokens that were left in the bucket
 * @jiffy: when it was taken
 */
static inline void ramp_loan_take(struct ramp_loan *l, s64 amount, s64 above,
				  u64 jiffy)
{
	l->taken = amount;
	l->above = above;
	WRITE_ONCE(l->jiffy, jiffy);
	/* Pairs with ramp_loan_idle(). */
	smp_store_release(&l->left, amount);
}

/**
 * ramp_loan_use - charge a packet to a loan, if that will do
 * @l: loan of this CPU
 * @threshold: tokens that have to be left, at least 0
 * @size: tokens
 * @jiffy: the present jiffy
 *
 * Return: true when it was charged
 */
static inline bool ramp_loan_use(struct ramp_loan *l, s64 threshold, u32 size,
				 u64 jiffy)
{
	if (l->jiffy != jiffy || l->left < size || l->above < threshold)
		return false;
	WRITE_ONCE(l->left, l->left - size);
	return true;
}

#endif /* _NET_RAMP_LOAN_H */
