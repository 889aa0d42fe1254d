// SPDX-License-Identifier: GPL-2.0
/* Token bucket: CPUs at once, but in an order that can be replayed. Between any
 * two atomic operations of one CPU others may do all that they do with packets,
 * in the same jiffy or in a later one.
 */
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
	/* how many CPUs are in the midst of it, and has the innermost charged? */
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
		loans += ramp_loan_idle(&w.x.b.loans, &w.x.cpu[i].loan, w.jiffy);
	ramp_bucket_inherit(&b, &w.x.p, &w.x.b, &w.x.p, loans, w.now);
	tokens = ramp_bucket_tokens(&b, &w.x.p, 0, w.x.p.earn.base);
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
	r = box_packet(&w.x, cpu, RAMP_BUCKET_DROP, threshold, size, jiffy, now);

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
	book_init(&w.k, rate, interval, burst, w.now);
	w.spent = w.x.b.spent.counter;
}

static void race(bool delays)
{
	int i;

	unit_rounds(3000) {
		race_init();
		w.delays = delays;
		for (i = 0; i < 200; i++) {
			race_packet();
			race_rest();
		}
	}
}

static void never_more_than_the_textbook(void **state)
{
	race(false);
}

/* ... than the packets that took so long. */
static void delays_cost_no_more(void **state)
{
	race(true);
}

/*
 * CPU 0 is about to give back a loan of an earlier jiffy when time goes by, and the
 * bucket has no room for it any more: CPU 1 finds that, and is charged. CPU 2 gives
 * back just as much. If then what has been spent were again what CPU 0 has read, its
 * exchange would put back what is lost.
 */
static u32 hooks, others, cancelled;

static void change_at(void)
{
	s128 tokens = w.k.tokens;

	if (++hooks != others)
		return;
	w.script = NULL;
	/* charged, but the textbook has not been told */
	if (w.charged[0])
		w.k.tokens -= 100;
	race_change();
	w.k.tokens = tokens;
	w.script = change_at;
}

static u64 earn_time(s64 tokens)
{
	return DIV64_U64_ROUND_UP(tokens * NSEC_PER_SEC, w.k.rate);
}

static void others_cancel_out(void)
{
	struct ramp_bucket *b = &w.x.b;
	s64 word = b->spent.counter, left = w.x.cpu[2].loan.left;

	/* between any two looks of CPU 0, before its exchange */
	if (w.charged[0] || ++hooks != others)
		return;
	w.script = NULL;
	w.now += earn_time(w.x.p.loans.max / 2);
	book_fill(&w.k, w.now);
	/* with thresholds that leave nothing to be lent */
	w.k.tokens -= ramp_bucket_charge(b, &w.x.p, &w.x.cpu[1],
					 RAMP_BUCKET_ACCOUNT, RATE_MAX, 100,
					 w.jiffy, w.now).charged;
	/* more, if CPU 0 will take a loan */
	if (b->spent.counter - word >= left)
		return;
	w.k.tokens -= ramp_bucket_charge(b, &w.x.p, &w.x.cpu[2],
					 RAMP_BUCKET_ACCOUNT, RATE_MAX,
					 left - (b->spent.counter - word),
					 w.jiffy, w.now).charged;
	cancelled++;
}

static void what_cancels_out_is_noticed(void **state)
{
	const u64 burst = 1 << 20, rate = 1 << 24;
	s64 tokens, most = burst - 300000;
	struct ramp_bucket_result r;

	for (others = 1; others == 1 || hooks + 1 >= others; others++) {
		memset(&w, 0, sizeof(w));
		w.now = NSEC_PER_SEC;
		box_init(&w.x, rate, 0, burst, 0, 3, w.now);
		book_init(&w.k, rate, 0, burst, w.now);
		ramp_bucket_init(&w.x.b, &w.x.p, most);
		w.k.tokens = most - 300;
		w.spent = w.x.b.spent.counter;
		/* loans of another jiffy, and of this one */
		box_packet(&w.x, 0, RAMP_BUCKET_DROP, 0, 100, 1, w.now);
		box_packet(&w.x, 2, RAMP_BUCKET_DROP, 0, 100, 3, w.now);
		box_packet(&w.x, 2, RAMP_BUCKET_DROP, 0, 100, 3, w.now);
		assert_int_equal(w.x.cpu[0].loan.left, w.x.p.loans.max);
		assert_int_equal(w.x.cpu[2].loan.left, w.x.p.loans.max);
		/* full, but for these and what others_cancel_out() waits for */
		tokens = ramp_bucket_tokens(&w.x.b, &w.x.p, 0, w.now);
		w.now += earn_time(burst - 3 * w.x.p.loans.max / 2 - 5 - tokens);
		book_fill(&w.k, w.now);

		w.jiffy = 3;
		w.charged[0] = false;
		hooks = 0;
		w.script = others_cancel_out;
		r = box_packet(&w.x, 0, RAMP_BUCKET_DROP, 0, 100, 3, w.now);
		w.script = NULL;
		w.k.tokens -= r.charged;
		tokens = box_tokens(&w.x, w.now);
		unit_check(tokens <= w.k.tokens, "%lld of %lld, others at %u",
			   tokens, (s64)w.k.tokens, others);
	}
	unit_check(cancelled > 5, "%u of %u", cancelled, others);
}

/* While a loan is on its way back a change finds it once, in the word or with the CPU,
 * at any moment.
 */
static void nothing_is_inherited_twice(void **state)
{
	const s64 burst = 1 << 20;
	s64 threshold;

	for (threshold = 0; threshold <= burst / 4; threshold += burst / 4) {
		for (others = 1; others == 1 || hooks >= others - 1; others++) {
			memset(&w, 0, sizeof(w));
			w.now = NSEC_PER_SEC;
			w.cpus = 3;
			box_init(&w.x, 1 << 24, 0, burst, 0, w.cpus, w.now);
			ramp_bucket_init(&w.x.b, &w.x.p, burst / 2);
			book_init(&w.k, 1 << 24, 0, burst, w.now);
			w.k.tokens = burst / 2 - 100;
			w.spent = w.x.b.spent.counter;
			box_packet(&w.x, 0, RAMP_BUCKET_DROP, 0, 100, 1, w.now);
			assert_true(w.x.cpu[0].loan.left > 10000);

			w.jiffy = 3;
			race_change();
			w.charged[0] = false;
			hooks = 0;
			w.script = change_at;
			box_packet(&w.x, 0, RAMP_BUCKET_DROP, threshold, 100, 3,
				   w.now);
			w.script = NULL;
		}
		unit_check(others > 8, "%u", others);
	}
}

/* All wake a bucket that slept for a year, one of them fills it. */
static void one_of_many_fills_what_slept(void **state)
{
	const u64 year = 365 * 24 * HOUR;
	int i;

	unit_rounds(2000) {
		race_init();
		box_init(&w.x, RATE_MAX, 0, 1 << 20, 0, w.cpus, w.now);
		book_init(&w.k, RATE_MAX, 0, 1 << 20, w.now);
		w.spent = w.x.b.spent.counter;
		w.size = 1500;
		for (i = unit_between(0, 20); i; i--)
			race_packet();
		w.now += unit_between(1, 50) * year;
		w.jiffy++;
		w.sleeps = true;
		race_packet();
		race_rest();
		unit_check(w.k.tokens <= (1 << 20), "%lld", (s64)w.k.tokens);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(never_more_than_the_textbook),
		cmocka_unit_test(delays_cost_no_more),
		cmocka_unit_test(what_cancels_out_is_noticed),
		cmocka_unit_test(nothing_is_inherited_twice),
		cmocka_unit_test(one_of_many_fills_what_slept),
	};

	unit_begin("bucket_race");
	return cmocka_run_group_tests_name("bucket_race", tests, NULL, NULL);
}
