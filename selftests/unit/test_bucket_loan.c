// SPDX-License-Identifier: GPL-2.0
/* Token bucket: what CPUs take of it beforehand, and what becomes of that. */
#include "bucket.h"

#define DROP	RAMP_BUCKET_DROP
#define ACCOUNT	RAMP_BUCKET_ACCOUNT

/* A CPU uses up its loan without looking at the bucket or at a clock. */
static void loan_is_used_without_the_bucket(struct kunit *test)
{
	const u32 size = 100;
	struct box x;
	s64 word, n;

	box_init(&x, 1 << 30, 0, 1 << 20, 0, 4, T0);
	assert_int_equal(x.p.loans.max, (1 << 20) / 64);
	assert_int_equal(box_packet(&x, 2, DROP, 0, size, 1, T0).charged, size);
	assert_int_equal(x.cpu[2].loan.left, x.p.loans.max);
	word = atomic64_read(&x.b.spent);
	for (n = 1; n <= x.p.loans.max / size; n++)
		assert_true(ramp_loan_use(&x.cpu[2].loan, 0, size, 1));
	assert_false(ramp_loan_use(&x.cpu[2].loan, 0, size, 1));
	assert_int_equal(atomic64_read(&x.b.spent), word);
	/* the jiffy is over */
	box_packet(&x, 2, DROP, 0, size, 1, T0);
	assert_true(ramp_loan_use(&x.cpu[2].loan, 0, size, 1));
	assert_false(ramp_loan_use(&x.cpu[2].loan, 0, size, 2));
	/* the bucket was not that full when it was taken */
	assert_false(ramp_loan_use(&x.cpu[2].loan, 1 << 20, size, 1));
	assert_true(ramp_loan_use(&x.cpu[2].loan, x.cpu[2].loan.above, size,
				  1));
}

/* Only who comes several times in a jiffy is lent anything: each look costs one
 * exchange, whether the bucket is full or not, and once it is full nothing
 * else.
 */
static void few_packets_take_no_loan(struct kunit *test)
{
	struct ramp_bucket_params p;
	struct box x;
	u64 jiffy, i;
	s64 full;

	box_init(&x, 1 << 30, 0, 1 << 20, 0, 2, T0);
	ramp_bucket_params_set(&p, 1 << 30, 0, 1 << 20, 0, 2, JIFFY, T0);
	assert_int_equal(p.loans.after, RAMP_LOAN_AFTER);
	x.p = p;
	for (jiffy = 1; jiffy < 100; jiffy++) {
		for (i = 0; i < RAMP_LOAN_AFTER; i++) {
			box_packet(&x, 0, DROP, 0, 64, jiffy,
				   T0 + jiffy * JIFFY);
			assert_int_equal(x.cpu[0].loan.left, 0);
		}
		full = atomic64_read(&x.b.loans.full);
		assert_int_equal(full, 1);
		assert_int_equal(box_tokens(&x, T0 + jiffy * JIFFY),
				 (1 << 20) - i * 64);
	}
	assert_int_equal(atomic64_read(&x.b.loans.lent), 0);
	/* the other one has not looked */
	box_packet(&x, 1, DROP, 0, 64, jiffy - 1, T0 + jiffy * JIFFY);
	assert_int_equal(x.cpu[1].loan.left, 0);
	box_packet(&x, 0, DROP, 0, 64, jiffy - 1, T0 + jiffy * JIFFY);
	assert_int_equal(x.cpu[0].loan.left, x.p.loans.max);
	/* from then on it matters again whether it is full */
	box_packet(&x, 1, DROP, 0, 64, jiffy, T0 + (jiffy + 1) * JIFFY);
	assert_int_equal(atomic64_read(&x.b.loans.full), jiffy);
	/* who never stops looking is not taken for one who begins */
	for (i = 0; i <= U16_MAX; i++)
		ramp_bucket_charge(&x.b, &x.p, &x.cpu[1], DROP, RATE_MAX, 64,
				   jiffy + 1, T0 + HOUR);
	box_packet(&x, 1, DROP, 0, 64, jiffy + 1, T0 + HOUR);
	assert_int_equal(x.cpu[1].loan.left, x.p.loans.max);
}

/* What a CPU has of one bucket is nothing to another one. */
static void what_is_forgotten_is_as_new(struct kunit *test)
{
	const struct ramp_bucket_cpu none = { };
	struct box x;

	box_init(&x, 1 << 30, 0, 1 << 20, 0, 2, T0);
	box_packet(&x, 0, DROP, 0, 64, 1, T0 + JIFFY);
	assert_true(x.cpu[0].loan.left);
	ramp_bucket_forget(&x.cpu[0]);
	assert_memory_equal(&x.cpu[0], &none, sizeof(none));
}

/* ... and gives back what is left with the next packet of another jiffy. */
static void loan_is_given_back(struct kunit *test)
{
	struct ramp_bucket_result r;
	s64 left, word;
	struct box x;

	box_init(&x, 1 << 30, 0, 1 << 20, 0, 2, T0);
	ramp_bucket_init(&x.b, &x.p, 1 << 19);
	box_packet(&x, 0, DROP, 0, 1, 1, T0);
	assert_true(x.cpu[0].loan.left > 1000);
	r = box_packet(&x, 0, DROP, 0, 1, 2, T0);
	assert_int_equal(r.tokens, (1 << 19) - 1);
	assert_int_equal(box_tokens(&x, T0), (1 << 19) - 2);
	/* not by one that exceeds, as it has nothing to do with the word */
	left = x.cpu[0].loan.left;
	assert_true(left > 1000);
	word = atomic64_read(&x.b.spent);
	r = box_packet(&x, 0, DROP, 1 << 20, 1, 3, T0);
	assert_int_equal(r.verdict, RAMP_BUCKET_EXCEED);
	assert_int_equal(x.cpu[0].loan.left, left);
	assert_int_equal(atomic64_read(&x.b.spent), word);
	assert_int_equal(box_tokens(&x, T0), (1 << 19) - 2);
}

/* What a packet and a new loan do not take of it stays a loan of its jiffy:
 * what has been spent only ever rises.
 */
static void loan_that_is_too_large_stays(struct kunit *test)
{
	struct ramp_bucket_result r;
	struct box x;
	s64 left, word;

	box_init(&x, 1 << 30, 0, 1 << 20, 0, 2, T0);
	ramp_bucket_init(&x.b, &x.p, 1 << 19);
	box_packet(&x, 0, DROP, 0, 64, 1, T0);
	left = x.cpu[0].loan.left;
	assert_true(left > 10000);
	/* the other one takes nearly all the rest */
	box_packet(&x, 1, ACCOUNT, 0, (1 << 19) - 64 - left - 200, 2, T0);
	assert_int_equal(box_tokens(&x, T0), left + 200);
	assert_int_equal(x.cpu[1].loan.left, 0);
	word = atomic64_read(&x.b.spent);
	/* no loan from what is below the threshold */
	r = box_packet(&x, 0, DROP, left, 100, 3, T0);
	assert_int_equal(r.verdict, RAMP_BUCKET_CONFORM);
	assert_int_equal(r.tokens, left + 200);
	assert_int_equal(box_tokens(&x, T0), left + 100);
	assert_int_equal(atomic64_read(&x.b.spent), word + 1);
	assert_int_equal(x.cpu[0].loan.left, left - 100 + 1);
	assert_int_equal(x.cpu[0].loan.jiffy, 1);
	assert_false(ramp_loan_use(&x.cpu[0].loan, 0, 100, 3));
	/* as much as there is, and no more */
	r = box_packet(&x, 0, DROP, 0, left + 100, 3, T0);
	assert_int_equal(r.verdict, RAMP_BUCKET_CONFORM);
	assert_int_equal(x.cpu[0].loan.left, 0);
	assert_int_equal(box_tokens(&x, T0), 0);
	/* and lost when the bucket is full, as any loan */
	box_init(&x, 1 << 30, 0, 1 << 20, 0, 2, T0);
	ramp_bucket_init(&x.b, &x.p, 1 << 19);
	box_packet(&x, 0, DROP, 0, 64, 1, T0);
	box_packet(&x, 1, ACCOUNT, 0, (1 << 19) - 64 - left - 200, 2, T0);
	box_packet(&x, 0, DROP, left, 100, 3, T0);
	assert_int_equal(x.cpu[0].loan.left, left - 100 + 1);
	box_packet(&x, 1, DROP, 0, 64, 4, T0 + NSEC_PER_SEC);
	box_packet(&x, 0, DROP, 1 << 20, 1, 5, T0 + NSEC_PER_SEC);
	assert_int_equal(x.cpu[0].loan.left, 0);
}

/* Loans leave the half of what is above the threshold to the word. */
static void loans_shrink(struct kunit *test)
{
	struct ramp_bucket_result r;
	s64 above;
	struct box x;
	u32 cpu;

	box_init(&x, 1 << 30, 0, 1 << 20, 0, CPUS, T0);
	ramp_bucket_init(&x.b, &x.p, 50000);
	for (cpu = 0; cpu < CPUS; cpu++) {
		r = box_packet(&x, cpu, DROP, 20000, 64, 1, T0);
		above = r.tokens - 64 - 20000;
		assert_int_equal(x.cpu[cpu].loan.left, above / CPUS / 2);
	}
	assert_true(50000 - box_tokens(&x, T0) == CPUS * 64);
	assert_true(box_loans(&x) < 15000);
	/* near the threshold there are none */
	ramp_bucket_init(&x.b, &x.p, 20000 + 64 + 2 * CPUS * 64 - 1);
	memset(x.cpu, 0, sizeof(x.cpu));
	box_packet(&x, 0, DROP, 20000, 64, 2, T0);
	assert_int_equal(x.cpu[0].loan.left, 0);
	box_packet(&x, 0, DROP, 0, 64, 2, T0);
	assert_true(x.cpu[0].loan.left >= 64);
}

/* A jiffy has to earn what may be lost by them, and a packet to be smaller. */
static void slow_buckets_lend_nothing(struct kunit *test)
{
	struct box x;
	int i;

	box_init(&x, 250 * 64 * 2 - 1, 0, 1 << 20, 0, 2, T0);
	assert_true(x.p.loans.max < 64);
	for (i = 0; i < 10; i++) {
		box_packet(&x, i & 1, DROP, 0, 64, 1, T0);
		assert_int_equal(box_loans(&x), 0);
	}
	assert_int_equal(atomic64_read(&x.b.loans.lent), 0);
	box_init(&x, 250 * 64 * 2, 0, 1 << 20, 0, 2, T0);
	assert_int_equal(x.p.loans.max, 64);
	box_init(&x, RATE_MAX, 0, RATE_MAX, 0, 1, T0);
	assert_int_equal(x.p.loans.max, RAMP_LOAN_MAX);
}

/* "their sum comes out of the burst": a loan taken from a full bucket, the
 * bucket full again, a second later: burst, not burst and a loan.
 */
static void loans_come_out_of_the_burst(struct kunit *test)
{
	const u64 rate = 1 << 30, burst = 1 << 20;
	struct ramp_bucket_result r;
	u64 jiffy, other, passed;
	struct box x;

	for (jiffy = 1; jiffy < 4; jiffy++) {
		for (other = 0; other < 2; other++) {
			box_init(&x, rate, 0, burst, 0, 2, T0);
			r = box_packet(&x, 0, DROP, 0, 64, 1, T0);
			passed = 0;
			/* used up at the very end of the jiffy */
			while (ramp_loan_use(&x.cpu[0].loan, 0, 64, 1))
				passed += 64;
			assert_true(passed > 10000);
			/* all others, now or in a later jiffy */
			do {
				r = box_packet(&x, other, DROP, 0, 64, jiffy,
					       T0 + NSEC_PER_SEC);
				passed += r.charged;
			} while (r.verdict == RAMP_BUCKET_CONFORM);
			assert_true(passed <= burst);
			assert_true(passed + ramp_loan_stranded(&x.p.loans) >=
				    burst);
		}
	}
}

/* ... also while one CPU has said that the bucket was full in this jiffy, and
 * has not forgotten the loans of the last one.
 */
static void loans_come_out_of_the_burst_until_forgotten(struct kunit *test)
{
	const u64 burst = 1 << 20;
	struct ramp_bucket_result r;
	struct box x;
	u64 passed;

	box_init(&x, 1 << 30, 0, burst, 0, 3, T0);
	passed = box_packet(&x, 0, DROP, 0, 64, 1, T0).charged;
	while (ramp_loan_use(&x.cpu[0].loan, 0, 64, 1))
		passed += 64;
	assert_true(passed > 10000);
	ramp_loans_check_full(&x.b.loans, &x.p.loans, 0, 2);
	x.p.loans.after = U16_MAX;
	do {
		r = box_packet(&x, 1, DROP, 0, 64, 2, T0 + NSEC_PER_SEC);
		passed += r.charged;
	} while (r.verdict == RAMP_BUCKET_CONFORM);
	assert_true(passed <= burst);
}

/* A loan that was not used does not come back into a bucket that would have run
 * over without it.
 */
static void loans_are_lost_when_the_bucket_is_full(struct kunit *test)
{
	const u64 rate = 1 << 30, burst = 1 << 20;
	struct box x;
	s64 left;
	int full;
	u64 now;

	for (full = 0; full < 2; full++) {
		box_init(&x, rate, 0, burst, 0, 2, T0);
		ramp_bucket_init(&x.b, &x.p, burst / 2);
		box_packet(&x, 0, DROP, 0, 64, 1, T0);
		left = x.cpu[0].loan.left;
		assert_true(left > 10000);
		/* the other one looks in each jiffy, and gets no loan */
		now = full ? T0 + NSEC_PER_MSEC : T0;
		box_packet(&x, 1, DROP, 0, 60000, 2, T0);
		box_packet(&x, 1, DROP, 0, 60000, 3, now);
		box_packet(&x, 1, DROP, 0, 300000, 4, now);
		box_packet(&x, 0, DROP, 0, 64, 5, now);
		if (full)
			assert_int_equal(box_tokens(&x, now),
					 burst - 60000 - 300000 - 64);
		else
			assert_int_equal(box_tokens(&x, now), burst / 2 - 64 -
					 60000 - 60000 - 300000 - 64);
	}
}

/* Who is late in noticing a jiffy gets no loan, and takes nobody else's. */
static void late_cpu_gets_no_loan(struct kunit *test)
{
	struct box x;

	box_init(&x, 1 << 30, 0, 1 << 20, 0, 2, T0);
	box_packet(&x, 0, DROP, 0, 64, 2, T0);
	assert_true(x.cpu[0].loan.left);
	box_packet(&x, 1, DROP, 0, 64, 1, T0);
	assert_int_equal(x.cpu[1].loan.left, 0);
	assert_int_equal(atomic64_read(&x.b.loans.lent), ramp_lent(2, 1));
	box_packet(&x, 1, DROP, 0, 64, 2, T0);
	assert_true(x.cpu[1].loan.left);
	assert_int_equal(atomic64_read(&x.b.loans.lent), ramp_lent(2, 2));
	/* once per jiffy */
	while (ramp_loan_use(&x.cpu[1].loan, 0, 64, 2))
		;
	box_packet(&x, 1, DROP, 0, 64, 2, T0);
	assert_true(x.cpu[1].loan.left);
	assert_int_equal(atomic64_read(&x.b.loans.lent), ramp_lent(2, 2));
}

/* ... nor does it turn back what is known of loans: it is of no earlier jiffy
 * than any loan is. Else it was forgotten once more, and who has one was alone
 * with it.
 */
static void late_cpu_turns_nothing_back(struct kunit *test)
{
	const u64 burst = 1 << 20;
	struct ramp_bucket_result r;
	struct box x;
	s64 left;

	box_init(&x, 1 << 30, 0, burst, 0, 4, T0);
	ramp_bucket_init(&x.b, &x.p, burst / 2);
	box_packet(&x, 0, DROP, 0, 64, 11, T0);
	left = x.cpu[0].loan.left;
	assert_true(left > 10000);
	box_packet(&x, 1, DROP, 0, 64, 12, T0);
	assert_int_equal(atomic64_read(&x.b.loans.lent), ramp_lent(12, 0));
	box_packet(&x, 2, DROP, 0, 64, 10, T0);
	assert_int_equal(x.cpu[2].loan.left, 0);
	box_packet(&x, 3, DROP, 0, 64, 11, T0);
	assert_int_equal(atomic64_read(&x.b.loans.lent), ramp_lent(12, 0));
	r = box_packet(&x, 0, DROP, 0, 64, 13, T0);
	assert_int_equal(r.verdict, RAMP_BUCKET_CONFORM);
	assert_int_equal(box_tokens(&x, T0), burst / 2 - 5 * 64);
}

UNIT_SUITE(bucket_loan,
	   UNIT_CASE(loan_is_used_without_the_bucket),
	   UNIT_CASE(few_packets_take_no_loan),
	   UNIT_CASE(what_is_forgotten_is_as_new),
	   UNIT_CASE(loan_is_given_back),
	   UNIT_CASE(loan_that_is_too_large_stays),
	   UNIT_CASE(loans_shrink),
	   UNIT_CASE(slow_buckets_lend_nothing),
	   UNIT_CASE(loans_come_out_of_the_burst),
	   UNIT_CASE(loans_come_out_of_the_burst_until_forgotten),
	   UNIT_CASE(loans_are_lost_when_the_bucket_is_full),
	   UNIT_CASE(late_cpu_gets_no_loan),
	   UNIT_CASE(late_cpu_turns_nothing_back));
