// SPDX-License-Identifier: GPL-2.0
/* Token bucket: CPUs at once, at random and where it hurts (race.h). */
#include "race.h"

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

static void never_more_than_the_textbook(struct kunit *test)
{
	race(false);
}

/* ... than the packets that took so long. */
static void delays_cost_no_more(struct kunit *test)
{
	race(true);
}

/*
 * CPU 0 is about to give back a loan of an earlier jiffy when time goes by, and
 * the bucket has no room for it any more: CPU 1 finds that, and is charged. CPU
 * 2 gives back just as much. If then what has been spent were again what CPU 0
 * has read, its exchange would put back what is lost.
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

static void what_cancels_out_is_noticed(struct kunit *test)
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
		w.now += earn_time(burst - 3 * w.x.p.loans.max / 2 - 5 -
				   tokens);
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

/* While a loan is on its way back a change finds it once, in the word or with
 * the CPU, at any moment.
 */
static void nothing_is_inherited_twice(struct kunit *test)
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
static void one_of_many_fills_what_slept(struct kunit *test)
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

UNIT_SUITE(bucket_race,
	   UNIT_CASE(never_more_than_the_textbook),
	   UNIT_CASE(delays_cost_no_more),
	   UNIT_CASE(what_cancels_out_is_noticed),
	   UNIT_CASE(nothing_is_inherited_twice),
	   UNIT_CASE(one_of_many_fills_what_slept));
