// SPDX-License-Identifier: GPL-2.0
/* Token bucket: what is known of it for how long, and what is left of it after
 * a change, a step of the clock or a long sleep.
 */
#include "bucket.h"

#define DROP	RAMP_BUCKET_DROP
#define ACCOUNT	RAMP_BUCKET_ACCOUNT

/* Who has found too little knows when there cannot be enough yet: without a
 * clock for a jiffy, and with one to the token, but for the next one.
 */
static void short_is_known_for_a_while(struct kunit *test)
{
	const u64 ms = NSEC_PER_MSEC;
	struct ramp_bucket_cpu *c;
	struct box x = box_with(0, 0);

	c = &x.cpu[0];
	/* nothing is known of a bucket that nobody looked at, but that is has
	 * an end
	 */
	assert_false(ramp_bucket_dry(c, &x.p, 0, 1000000, 0));
	assert_false(ramp_bucket_early(c, &x.p, 0, 1000000, 0, T0));
	assert_true(ramp_bucket_dry(c, &x.p, 1000000, 100, 0));
	/* a token in a millisecond, four in a jiffy */
	ramp_bucket_charge(&x.b, &x.p, c, DROP, 0, 100, 7, T0 + 10 * ms);
	assert_int_equal(c->room, 1000000 - 10);
	assert_true(ramp_bucket_dry(c, &x.p, 0, 10 + 4 + 2, 7));
	assert_false(ramp_bucket_dry(c, &x.p, 0, 10 + 4, 7));
	assert_true(ramp_bucket_dry(c, &x.p, 10, 4 + 2, 7));
	assert_false(ramp_bucket_dry(c, &x.p, 0, 100, 8));
	assert_false(ramp_bucket_dry(c, &x.p, 0, 100, 6));

	assert_true(ramp_bucket_early(c, &x.p, 0, 100, 7, T0 + 98 * ms));
	assert_true(ramp_bucket_early(c, &x.p, 90, 10, 7, T0 + 98 * ms));
	assert_false(ramp_bucket_early(c, &x.p, 0, 100, 7, T0 + 99 * ms));
	assert_false(ramp_bucket_early(c, &x.p, 0, 50, 7, T0 + 98 * ms));
	assert_false(ramp_bucket_early(c, &x.p, 0, 100, 8, T0 + 98 * ms));
	/* for so long that the product would not fit, and before the look */
	assert_true(ramp_bucket_early(c, &x.p, 0, 10000, 7, T0 + 4300 * ms));
	assert_false(ramp_bucket_early(c, &x.p, 0, 10000, 7, T0 + 4310 * ms));
	assert_false(ramp_bucket_early(c, &x.p, 0, 10000, 7, T0 + 9 * ms));

	/* of what conforms, what is left */
	ramp_bucket_charge(&x.b, &x.p, c, DROP, 0, 100, 8, T0 + 200 * ms);
	assert_int_equal(c->room, 1000000 - 100);

	/* a lump may come at any time */
	box_init(&x, 1000, 50 * ms, 1000000, 0, 1, T0);
	ramp_bucket_init(&x.b, &x.p, 0);
	ramp_bucket_charge(&x.b, &x.p, c, DROP, 0, 100, 7, T0 + 49 * ms);
	assert_false(ramp_bucket_dry(c, &x.p, 0, 50 + 4, 7));
	assert_true(ramp_bucket_dry(c, &x.p, 0, 50 + 4 + 3, 7));
	assert_false(ramp_bucket_early(c, &x.p, 0, 50, 7, T0 + 50 * ms));
	assert_true(ramp_bucket_early(c, &x.p, 0, 50 + 4, 7, T0 + 50 * ms));
}

/* Whatever rate and whenever: a packet that there are tokens for is never known
 * to exceed, and one for which a few are missing is. A lump that is due, or may
 * be, counts as if it were there.
 */
static void what_is_known_is_true(struct kunit *test)
{
	unit_rounds(100000) {
		u64 interval = unit_chance(50) ? 0 : unit_amount(30);
		u64 rate = unit_amount(40), burst = BIT_ULL(40), lump, first;
		u64 since = unit_chance(50) ? unit_between(0, U32_MAX) :
					      U32_MAX - unit_amount(20);
		u64 then = unit_amount(40), more, most;
		s64 had = unit_between(0, burst / 2);
		struct ramp_bucket_cpu *c;
		u32 few = interval ? 5 : 3;
		struct box x;

		box_init(&x, rate, interval, burst, 0, 1, T0);
		c = &x.cpu[0];
		lump = wide_div((u128)rate * interval, NSEC_PER_SEC);
		first = ramp_earned(&x.p.earn, then);
		ramp_bucket_found(c, &x.p, had, 7, then);
		more = ramp_earned(&x.p.earn, then + since) - first;
		unit_check(!ramp_bucket_early(c, &x.p, had + more, 0, 7,
					      T0 + then + since),
			   "%llu/s for %llu ns, %llu", rate, since, interval);
		unit_check(ramp_bucket_early(c, &x.p,
					     had + more + 2 * lump + few, 0, 7,
					     T0 + then + since),
			   "%llu/s for %llu ns, %llu", rate, since, interval);

		/* The same without a clock, in a jiffy. */
		since %= JIFFY + 1;
		more = ramp_earned(&x.p.earn, then + since) - first;
		most = wide_div((u128)rate * JIFFY, NSEC_PER_SEC) + lump;
		unit_check(!ramp_bucket_dry(c, &x.p, had + more, 0, 7),
			   "%llu/s for %llu ns, %llu", rate, since, interval);
		unit_check(ramp_bucket_dry(c, &x.p, had + most + few, 0, 7),
			   "%llu/s for a jiffy, %llu", rate, interval);
	}
}

/* "change keeps the tokens already earned (scaled to the new burst)" */
static void change_keeps_what_was_earned(struct kunit *test)
{
	static const struct {
		s64 tokens;
		u64 burst;
		u64 debt;
		s64 kept;
	} to[] = {
		{ 500000, 1000000, 0, 500000 },
		{ 500000, 2000000, 0, 1000000 },
		{ 500000, 100000, 0, 50000 },
		{ 1000000, 1514, 0, 1514 },
		{ 0, 2000000, 0, 0 },
		{ -300000, 2000000, 1000000, -300000 },
		{ -300000, 1514, 1000, -1000 },
	};
	struct box x, y;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(to); i++) {
		x = box_with(to[i].tokens, 1000000);
		box_init(&y, 77, 0, to[i].burst, to[i].debt, 1, T0);
		ramp_bucket_inherit(&y.b, &y.p, &x.b, &x.p, 0, T0);
		assert_int_equal(box_tokens(&y, T0), to[i].kept);
	}
	/* what CPUs hold is among it, what they have used is not there twice */
	box_init(&x, 1 << 30, 0, 1 << 20, 0, 2, T0);
	box_packet(&x, 0, DROP, 0, 64, 1, T0);
	box_init(&y, 1 << 30, 0, 1 << 20, 0, 2, T0);
	ramp_bucket_inherit(&y.b, &y.p, &x.b, &x.p, box_loans(&x), T0);
	assert_in_range(box_tokens(&y, T0), (1 << 20) - 64 - 2 * x.p.loans.max,
			(1 << 20) - 64);
	/* ... unless that may be used meanwhile, now or in a jiffy
	 * yet to come
	 */
	assert_int_equal(ramp_loan_idle(&x.b.loans, &x.cpu[0].loan, 0), 0);
	assert_int_equal(ramp_loan_idle(&x.b.loans, &x.cpu[0].loan, 1), 0);
	assert_int_equal(ramp_loan_idle(&x.b.loans, &x.cpu[0].loan, 2),
			 x.cpu[0].loan.left);
	while (ramp_loan_use(&x.cpu[0].loan, 0, 64, 1))
		;
	ramp_bucket_inherit(&y.b, &y.p, &x.b, &x.p, box_loans(&x),
			    T0 + NSEC_PER_SEC);
	assert_in_range(box_tokens(&y, T0 + NSEC_PER_SEC),
			(1 << 20) - 2 * x.p.loans.max,
			(1 << 20) - x.p.loans.max);
}

/* A bucket that was made some time before it takes the place of another one. */
static void nothing_is_earned_twice_by_a_change(struct kunit *test)
{
	const u64 rate = 1 << 30, burst = 1 << 20, gap = NSEC_PER_MSEC / 2;
	struct box x, y;
	s64 tokens;

	box_init(&x, rate, 0, burst, 0, 1, T0);
	ramp_bucket_init(&x.b, &x.p, 0);
	box_init(&y, rate, 0, burst, 0, 1, T0);
	ramp_bucket_inherit(&y.b, &y.p, &x.b, &x.p, 0, T0 + gap);
	tokens = box_tokens(&x, T0 + gap);
	assert_int_equal(tokens, rate * gap / NSEC_PER_SEC);
	assert_int_equal(box_tokens(&y, T0 + gap), tokens);
	assert_int_equal(box_tokens(&y, T0 + 2 * gap),
			 box_tokens(&x, T0 + 2 * gap));
}

/* From an empty bucket: what it earns of a rate that is changed that often. */
static s64 earned_with_changes(u64 rate, u64 other, u64 interval, u64 every)
{
	struct box x, y;
	u64 now = T0;
	u32 i;

	box_init(&x, rate, interval, 1000000, 0, 1, T0);
	ramp_bucket_init(&x.b, &x.p, 0);
	for (i = 0; i < 100; i++) {
		now += every;
		box_init(&y, i & 1 ? rate : other, interval, 1000000, 0, 1,
			 now - 1);
		ramp_bucket_inherit(&y.b, &y.p, &x.b, &x.p, 0, now);
		x = y;
	}
	return box_tokens(&x, now);
}

/* However often a bucket is changed, it earns what its rates are. */
static void changes_starve_no_bucket(struct kunit *test)
{
	const u64 ms = NSEC_PER_MSEC;

	assert_int_equal(earned_with_changes(10, 10, 0, 50 * ms), 50);
	assert_in_range(earned_with_changes(10, 30, 0, 20 * ms), 39, 40);
	assert_in_range(earned_with_changes(1000001, 3000001, 0, 1000), 199,
			200);
	assert_int_equal(earned_with_changes(1000, 1000, 1000 * ms, 900 * ms),
			 90000);
	/* The rate at its end is that of an interval. */
	assert_in_range(earned_with_changes(100, 300, 1000 * ms, 900 * ms),
			16000, 20000);
	/* what the new bucket earns after a change is not less either */
	assert_int_equal(earned_with_changes(1, 1, 0, 10 * ms), 1);
}

static void clock_stands_still_when_it_steps_back(struct kunit *test)
{
	struct ramp_bucket_result r;
	struct box x = box_with(0, 0);

	r = box_packet(&x, 0, DROP, 2000, 1, 1, T0 + NSEC_PER_SEC);
	assert_int_equal(r.tokens, 1000);
	r = box_packet(&x, 0, DROP, 0, 300, 2, T0);
	assert_int_equal(r.tokens, 1000);
	assert_int_equal(r.verdict, RAMP_BUCKET_CONFORM);
	r = box_packet(&x, 0, DROP, 0, 300, 3, T0 - HOUR);
	assert_int_equal(r.tokens, 700);
	r = box_packet(&x, 0, DROP, 0, 300, 4, T0 + 2 * NSEC_PER_SEC);
	assert_int_equal(r.tokens, 1400);
}

/* While one CPU fills a bucket that slept, it is empty to the others. */
static void waking_bucket_is_empty(struct kunit *test)
{
	struct ramp_bucket_result r;
	struct box x = box_with(1000, 1000);

	atomic64_set(&x.b.seen, RAMP_BUCKET_WAKING);
	r = box_packet(&x, 0, DROP, 0, 1, 1, T0);
	assert_int_equal(r.verdict, RAMP_BUCKET_EXCEED);
	assert_int_equal(r.charged, 0);
	r = box_packet(&x, 0, ACCOUNT, 0, 1, 1, T0);
	assert_int_equal(r.verdict, RAMP_BUCKET_UNCHARGED);
	assert_int_equal(r.charged, 0);
	assert_int_equal(atomic64_read(&x.b.seen), RAMP_BUCKET_WAKING);
	assert_int_equal(box_tokens(&x, T0), 1000000);
	ramp_bucket_saw(&x.b, &x.p, S64_MAX);
	assert_int_equal(atomic64_read(&x.b.seen), RAMP_BUCKET_WAKING);
}

UNIT_SUITE(bucket_time,
	   UNIT_CASE(short_is_known_for_a_while),
	   UNIT_CASE(what_is_known_is_true),
	   UNIT_CASE(change_keeps_what_was_earned),
	   UNIT_CASE(nothing_is_earned_twice_by_a_change),
	   UNIT_CASE(changes_starve_no_bucket),
	   UNIT_CASE(clock_stands_still_when_it_steps_back),
	   UNIT_CASE(waking_bucket_is_empty));
