/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CPUs that draw from one bucket at once, in an order that can be replayed:
 * between any two atomic operations of one CPU others may do all that they do
 * with packets, in the same jiffy or in a later one. The textbook is told in
 * the same order, and compared with at each.
 */
#ifndef _UNIT_RACE_H
#define _UNIT_RACE_H

#ifdef _UNIT_BUCKET_H
#error "it defines what atomics do, and comes first"
#endif

static void race_hook(void);
static void race_done(const void *v);
#define UNIT_ATOMIC_HOOK()	race_hook()
#define UNIT_ATOMIC_DONE(v)	race_done(v)

#include "bucket.h"

#define DEPTH	4

static struct {
	struct box	x;
	struct book	k;
	u64		now;
	u64		jiffy;
	u32		cpus;
	u32		size;
	u32		chance;
	/* time goes by while a CPU is in the midst of it */
	bool		delays;
	/* what was charged at an earlier time than the textbook's, which may
	 * have lost as much to the burst meanwhile
	 */
	u64		late;
	bool		busy[CPUS];
	/* how many CPUs are in the midst of it, and has the
	 * innermost charged?
	 */
	int		depth;
	bool		charged[DEPTH + 1];
	/* what had been spent after the last exchange, unless it is set anew */
	u64		spent;
	bool		sleeps;
	/* somebody adds up what there is */
	bool		looks;
	/* instead of packets at random, what others do at a certain point */
	void		(*script)(void);
} w;

static void race_packet(void);

/* A change finds no more than there is, at any moment. */
static void race_change(void)
{
	struct book k = w.k;
	struct ramp_bucket b;
	s64 loans = 0, tokens;
	u32 i;

	for (i = 0; i < w.cpus; i++)
		loans += ramp_loan_idle(&w.x.b.loans, &w.x.cpu[i].loan,
					w.jiffy);
	ramp_bucket_inherit(&b, &w.x.p, &w.x.b, &w.x.p, loans, w.now);
	tokens = ramp_bucket_tokens(&b, &w.x.p, 0, w.now);
	book_fill(&k, w.now);
	unit_check(tokens <= k.tokens + (s64)w.late, "%lld of %lld, %llu late",
		   tokens, (s64)k.tokens, w.late);
}

static void race_hook(void)
{
	if (w.script) {
		w.script();
		return;
	}
	if (w.depth && unit_chance(5) && !w.looks) {
		w.looks = true;
		race_change();
		w.looks = false;
	}
	/* What was charged is told to the textbook before others charge. */
	if (!w.depth || w.looks || w.depth == DEPTH || w.charged[w.depth] ||
	    !unit_chance(w.chance))
		return;
	do
		race_packet();
	while (unit_chance(50));
}

static void race_done(const void *v)
{
	if (v != &w.x.b.spent)
		return;
	w.charged[w.depth] = true;
	/* or what others did could cancel out, and not be noticed */
	unit_check(w.sleeps || (s64)(w.x.b.spent.counter - w.spent) > 0,
		   "%lld after %lld", w.x.b.spent.counter, w.spent);
	w.spent = w.x.b.spent.counter;
}

static void race_time(void)
{
	u64 wait = 0;

	if (unit_chance(80))
		return;
	switch (unit_between(0, 3)) {
	case 0:
		wait = unit_amount(20);
		break;
	case 1:
		wait = w.size * NSEC_PER_SEC / w.k.rate;
		break;
	case 2:
		wait = min_t(u64, unit_between(0, 2) * w.k.burst *
			     NSEC_PER_SEC / w.k.rate, HOUR);
		break;
	case 3:
		wait = JIFFY;
		break;
	}
	if (w.depth == 1 || w.delays)
		w.now += wait;
	w.jiffy += wait / JIFFY + unit_chance(30);
}

static void race_packet(void)
{
	u32 cpu = unit_between(0, w.cpus - 1), size, jiffy;
	struct ramp_bucket_result r;
	s64 threshold;
	u64 now;

	if (w.busy[cpu])
		return;
	w.busy[cpu] = true;
	w.charged[++w.depth] = false;
	race_time();
	size = unit_chance(80) ? w.size : unit_between(1, 2 * w.size);
	threshold = unit_chance(70) ? 0 : unit_between(0, w.k.burst);
	jiffy = w.jiffy;
	now = w.now;
	r = box_packet(&w.x, cpu, RAMP_BUCKET_DROP, threshold, size, jiffy,
		       now);

	book_fill(&w.k, w.now);
	unit_check(r.charged <= w.k.tokens + w.late, "%llu of %lld, %llu late",
		   r.charged, (s64)w.k.tokens, w.late);
	if (w.charged[w.depth] && r.charged)
		unit_check(r.tokens <= w.k.tokens + (s64)w.late,
			   "%lld of %lld, %llu late", r.tokens,
			   (s64)w.k.tokens, w.late);
	if (now != w.now)
		w.late += r.charged;
	w.k.tokens -= r.charged;
	w.depth--;
	w.busy[cpu] = false;
}

/* Nobody is in the midst of anything: how far is it from the textbook? */
static void race_rest(void)
{
	s64 tokens = box_tokens(&w.x, w.now);

	book_fill(&w.k, w.now);
	unit_check(w.k.tokens - tokens <= ramp_loan_stranded(&w.x.p.loans),
		   "%lld of %lld", tokens, (s64)w.k.tokens);
}

static void race_init(void)
{
	u64 rate = unit_amount(40), burst = unit_amount(30);
	u64 interval = unit_chance(80) ? 0 : unit_amount(30);

	memset(&w, 0, sizeof(w));
	w.cpus = unit_between(2, CPUS);
	w.now = unit_amount(50);
	w.jiffy = unit_amount(30);
	w.size = min_t(u64, unit_between(1, 1 + burst / 20), SIZE_MAX_GSO);
	w.chance = unit_between(5, 40);
	box_init(&w.x, rate, interval, burst, 0, w.cpus, w.now);
	w.x.p.loans.after = unit_chance(50) ? 0 : unit_between(1, 3);
	book_init(&w.k, rate, interval, burst, w.now);
	w.spent = w.x.b.spent.counter;
}

#endif /* _UNIT_RACE_H */
