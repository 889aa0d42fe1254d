// SPDX-License-Identifier: GPL-2.0
/* Token bucket: US 12388757, FIG. 10 to 14. The policies by their numbers. */
#include "bucket.h"

#define DROP	RAMP_BUCKET_DROP
#define ACCOUNT	RAMP_BUCKET_ACCOUNT
#define HUGE_DEBT	(~0ULL)

static void packet(struct box *x, enum ramp_bucket_policy policy, s64 threshold,
		   u32 size, enum ramp_bucket_verdict verdict, s64 left)
{
	struct ramp_bucket_result r;
	s64 before = box_tokens(x, T0);

	r = box_packet(x, 0, policy, threshold, size, 1, T0);
	assert_int_equal(r.verdict, verdict);
	assert_int_equal(box_tokens(x, T0), left);
	assert_int_equal(before - left, r.charged);
	if (!by_loan(&r) && !by_knowledge(&r))
		assert_int_equal(r.tokens, before);
}

/* "tokens = size: allow, 0 left" */
static void as_many_tokens_as_bytes_suffice(struct kunit *test)
{
	struct box x = box_with(1500, 0);

	packet(&x, DROP, 0, 1500, RAMP_BUCKET_CONFORM, 0);
	packet(&x, DROP, 0, 1, RAMP_BUCKET_EXCEED, 0);

	x = box_with(1499, 0);
	packet(&x, DROP, 0, 1500, RAMP_BUCKET_EXCEED, 1499);
	packet(&x, DROP, 0, 1499, RAMP_BUCKET_CONFORM, 0);
}

/* "Tokens 1000, account 1500: allow, -500; then drop policy of any size: drop,
 * still -500"
 */
static void account_goes_below_zero(struct kunit *test)
{
	struct box x = box_with(1000, 1000000);

	packet(&x, ACCOUNT, 0, 1500, RAMP_BUCKET_OVER, -500);
	packet(&x, DROP, 0, 1, RAMP_BUCKET_EXCEED, -500);
	packet(&x, DROP, 0, 65536, RAMP_BUCKET_EXCEED, -500);
	packet(&x, ACCOUNT, 0, 1, RAMP_BUCKET_OVER, -501);
}

static void debt_ends_where_it_was_told(struct kunit *test)
{
	struct box x = box_with(1000, 2000);

	packet(&x, ACCOUNT, 0, 2500, RAMP_BUCKET_OVER, -1500);
	packet(&x, ACCOUNT, 0, 500, RAMP_BUCKET_OVER, -2000);
	packet(&x, ACCOUNT, 0, 500, RAMP_BUCKET_UNCHARGED, -2000);

	/* what fits is charged, or large packets would leave all to others */
	x = box_with(1000, 0);
	packet(&x, ACCOUNT, 0, 1500, RAMP_BUCKET_UNCHARGED, 0);
	packet(&x, ACCOUNT, 0, 1500, RAMP_BUCKET_UNCHARGED, 0);
	packet(&x, DROP, 0, 1, RAMP_BUCKET_EXCEED, 0);
}

static void debt_without_end(struct kunit *test)
{
	struct box x = box_with(1000, HUGE_DEBT);
	s64 left = 1000;
	int i;

	for (i = 0; i < 1000; i++) {
		left -= SIZE_MAX_GSO;
		packet(&x, ACCOUNT, 0, SIZE_MAX_GSO, RAMP_BUCKET_OVER, left);
	}
	ramp_bucket_init(&x.b, &x.p, 100 - RAMP_BUCKET_DEBT_MAX);
	packet(&x, ACCOUNT, 0, 100, RAMP_BUCKET_OVER, -RAMP_BUCKET_DEBT_MAX);
	packet(&x, ACCOUNT, 0, 100, RAMP_BUCKET_UNCHARGED,
	       -RAMP_BUCKET_DEBT_MAX);
	packet(&x, DROP, 0, 1, RAMP_BUCKET_EXCEED, -RAMP_BUCKET_DEBT_MAX);
}

/* "if tokens - size < threshold, the packet exceeds and nothing is charged" */
static void threshold_has_to_be_left(struct kunit *test)
{
	struct box x = box_with(10000, 10000);

	packet(&x, DROP, 9000, 1001, RAMP_BUCKET_EXCEED, 10000);
	packet(&x, DROP, 9000, 1000, RAMP_BUCKET_CONFORM, 9000);
	packet(&x, DROP, 9000, 1, RAMP_BUCKET_EXCEED, 9000);
	packet(&x, DROP, 5000, 4000, RAMP_BUCKET_CONFORM, 5000);
	packet(&x, ACCOUNT, 5000, 1, RAMP_BUCKET_OVER, 4999);
	packet(&x, ACCOUNT, 0, 4999, RAMP_BUCKET_CONFORM, 0);
}

/* "flows with higher thresholds yield earlier": three flows share what comes
 * in, each gets what the ones below it leave.
 */
static void higher_thresholds_yield_earlier(struct kunit *test)
{
	static const s64 threshold[] = { 0, 300000, 600000 };
	u64 passed[3] = {}, stopped[3] = {};
	struct box x = box_with(1000000, 0);
	struct ramp_bucket_result r;
	u64 now, jiffy;
	int i, n;

	/* together three times the rate of 1000/s, 100 each at a time */
	for (n = 0; n < 60000; n++) {
		now = T0 + n * 100 * NSEC_PER_MSEC;
		jiffy = now / JIFFY;
		for (i = 0; i < 3; i++) {
			r = box_packet(&x, 0, DROP, threshold[i], 100, jiffy,
				       now);
			passed[i] += r.charged;
			if (r.verdict == RAMP_BUCKET_EXCEED && !stopped[i])
				stopped[i] = n + 1;
		}
	}
	assert_true(stopped[2] && stopped[1] && stopped[2] < stopped[1]);
	/* 0 gets all that it offers, which is the rate; the others the burst */
	assert_int_equal(stopped[0], 0);
	assert_int_equal(passed[0], 60000 * 100);
	assert_in_range(passed[1] + passed[2], 600000, 700000);
	assert_true(passed[1] > passed[2]);
}

/* "1 MB/s with interval 0.1 s: lumps of 100,000 bytes" */
static void tokens_arrive_in_lumps(struct kunit *test)
{
	const u64 interval = 100 * NSEC_PER_MSEC;
	struct box x;
	u64 n;

	box_init(&x, 1000000, interval, 1000000, 0, 1, T0);
	ramp_bucket_init(&x.b, &x.p, 0);
	assert_int_equal(box_tokens(&x, T0 + interval - 1), 0);
	for (n = 1; n <= 10; n++) {
		assert_int_equal(box_tokens(&x, T0 + n * interval), n * 100000);
		assert_int_equal(box_tokens(&x, T0 + (n + 1) * interval - 1),
				 n * 100000);
	}
	/* never more than burst */
	assert_int_equal(box_tokens(&x, T0 + 11 * interval), 1000000);
	assert_int_equal(box_tokens(&x, T0 + HOUR), 1000000);
}

/* A tenant contracted 1 GB/s that offers 10 GB/s, for ten seconds. */
static void tenant_gets_what_was_contracted(struct kunit *test)
{
	const u64 rate = 1000000000, burst = rate / 100;
	struct ramp_bucket_result r;
	u64 now, end = T0 + 10 * NSEC_PER_SEC, passed = 0;
	struct box x;

	box_init(&x, rate, 0, burst, burst, 2, T0);
	for (now = T0; now < end; now += 6553600) {
		/* 64 KiB take 6.5536 us at 10 GB/s; a thousand at once */
		int i;

		for (i = 0; i < 1000; i++) {
			r = box_packet(&x, i & 1, DROP, 0, 65536, now / JIFFY,
				       now);
			passed += r.charged;
		}
	}
	assert_true(passed <= 10 * rate + burst);
	assert_true(passed >
		    10 * rate - 65536 - ramp_loan_stranded(&x.p.loans));
}

/* "After it stops, a drop flow passes again within (debt + threshold +
 * size)/rate plus one interval"
 */
static void debt_is_paid_in_time(struct kunit *test)
{
	static const u64 intervals[] = { 0, 1, NSEC_PER_MSEC, NSEC_PER_SEC };
	const u64 rate = 1000000, debt = 500000;
	const u32 size = 1500, threshold = 30000;
	u64 due, n;

	for (n = 0; n < ARRAY_SIZE(intervals); n++) {
		struct ramp_bucket_result r;
		struct box x;

		box_init(&x, rate, intervals[n], 1000000, debt, 2, T0);
		do
			r = box_packet(&x, 1, ACCOUNT, 0, 65536, 7, T0);
		while (r.verdict != RAMP_BUCKET_UNCHARGED);
		assert_int_equal(box_tokens(&x, T0), -(s64)debt);
		due = T0 + (debt + threshold + size) * 1000;
		r = box_packet(&x, 0, DROP, threshold, size, 8, due - 1001);
		assert_int_equal(r.verdict, RAMP_BUCKET_EXCEED);
		r = box_packet(&x, 0, DROP, threshold, size, 9,
			       due + intervals[n]);
		assert_int_equal(r.verdict, RAMP_BUCKET_CONFORM);
	}
}

static void tokens_begin_within_bounds(struct kunit *test)
{
	struct box x = box_with(2000000, 500);

	assert_int_equal(box_tokens(&x, T0), 1000000);
	ramp_bucket_init(&x.b, &x.p, -501);
	assert_int_equal(box_tokens(&x, T0), -500);
}

UNIT_SUITE(bucket,
	   UNIT_CASE(as_many_tokens_as_bytes_suffice),
	   UNIT_CASE(account_goes_below_zero),
	   UNIT_CASE(debt_ends_where_it_was_told),
	   UNIT_CASE(debt_without_end),
	   UNIT_CASE(threshold_has_to_be_left),
	   UNIT_CASE(higher_thresholds_yield_earlier),
	   UNIT_CASE(tokens_arrive_in_lumps),
	   UNIT_CASE(tenant_gets_what_was_contracted),
	   UNIT_CASE(debt_is_paid_in_time),
	   UNIT_CASE(tokens_begin_within_bounds));
