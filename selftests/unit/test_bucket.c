// SPDX-License-Identifier: GPL-2.0
/* Token bucket: document 003, FIG. 10 to 14. The policies by their numbers. */
#include "bucket.h"

#define T0	(5 * NSEC_PER_SEC)
#define DROP	RAMP_BUCKET_DROP
#define ACCOUNT	RAMP_BUCKET_ACCOUNT
#define HUGE_DEBT	(~0ULL)

/* One CPU, all in one jiffy and at one time, tokens as given. */
static struct box with(u64 tokens, u64 debt)
{
	struct box x;

	box_init(&x, 1000, 0, 1000000, debt, 1, T0);
	ramp_bucket_init(&x.b, &x.p, tokens);
	return x;
}

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
static void as_many_tokens_as_bytes_suffice(void **state)
{
	struct box x = with(1500, 0);

	packet(&x, DROP, 0, 1500, RAMP_BUCKET_CONFORM, 0);
	packet(&x, DROP, 0, 1, RAMP_BUCKET_EXCEED, 0);

	x = with(1499, 0);
	packet(&x, DROP, 0, 1500, RAMP_BUCKET_EXCEED, 1499);
	packet(&x, DROP, 0, 1499, RAMP_BUCKET_CONFORM, 0);
}

/* "Tokens 1000, account 1500: allow, -500; then drop policy of any size: drop,
 * still -500"
 */
static void account_goes_below_zero(void **state)
{
	struct box x = with(1000, 1000000);

	packet(&x, ACCOUNT, 0, 1500, RAMP_BUCKET_OVER, -500);
	packet(&x, DROP, 0, 1, RAMP_BUCKET_EXCEED, -500);
	packet(&x, DROP, 0, 65536, RAMP_BUCKET_EXCEED, -500);
	packet(&x, ACCOUNT, 0, 1, RAMP_BUCKET_OVER, -501);
}

static void debt_ends_where_it_was_told(void **state)
{
	struct box x = with(1000, 2000);

	packet(&x, ACCOUNT, 0, 2500, RAMP_BUCKET_OVER, -1500);
	packet(&x, ACCOUNT, 0, 500, RAMP_BUCKET_OVER, -2000);
	packet(&x, ACCOUNT, 0, 500, RAMP_BUCKET_UNCHARGED, -2000);

	/* what fits is charged, or large packets would leave all to others */
	x = with(1000, 0);
	packet(&x, ACCOUNT, 0, 1500, RAMP_BUCKET_UNCHARGED, 0);
	packet(&x, ACCOUNT, 0, 1500, RAMP_BUCKET_UNCHARGED, 0);
	packet(&x, DROP, 0, 1, RAMP_BUCKET_EXCEED, 0);
}

static void debt_without_end(void **state)
{
	struct box x = with(1000, HUGE_DEBT);
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
static void threshold_has_to_be_left(void **state)
{
	struct box x = with(10000, 10000);

	packet(&x, DROP, 9000, 1001, RAMP_BUCKET_EXCEED, 10000);
	packet(&x, DROP, 9000, 1000, RAMP_BUCKET_CONFORM, 9000);
	packet(&x, DROP, 9000, 1, RAMP_BUCKET_EXCEED, 9000);
	packet(&x, DROP, 5000, 4000, RAMP_BUCKET_CONFORM, 5000);
	packet(&x, ACCOUNT, 5000, 1, RAMP_BUCKET_OVER, 4999);
	packet(&x, ACCOUNT, 0, 4999, RAMP_BUCKET_CONFORM, 0);
}

/* "flows with higher thresholds yield earlier": three flows share what comes in,
 * each gets what the ones below it leave.
 */
static void higher_thresholds_yield_earlier(void **state)
{
	static const s64 threshold[] = { 0, 300000, 600000 };
	u64 passed[3] = {}, stopped[3] = {};
	struct box x = with(1000000, 0);
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
static void tokens_arrive_in_lumps(void **state)
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
static void tenant_gets_what_was_contracted(void **state)
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
	assert_true(passed > 10 * rate - 65536 - ramp_loan_stranded(&x.p.loans));
}

/* "After it stops, a drop flow passes again within (debt + threshold +
 * size)/rate plus one interval"
 */
static void debt_is_paid_in_time(void **state)
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

static void tokens_begin_within_bounds(void **state)
{
	struct box x = with(2000000, 500);

	assert_int_equal(box_tokens(&x, T0), 1000000);
	ramp_bucket_init(&x.b, &x.p, -501);
	assert_int_equal(box_tokens(&x, T0), -500);
}

/* A CPU uses up its loan without looking at the bucket or at a clock. */
static void loan_is_used_without_the_bucket(void **state)
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
	assert_true(ramp_loan_use(&x.cpu[2].loan, x.cpu[2].loan.above, size, 1));
}

/* ... and gives back what is left with the next packet of another jiffy. */
static void loan_is_given_back(void **state)
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

/* What a packet and a new loan do not take of it stays a loan of its jiffy: what has
 * been spent only ever rises.
 */
static void loan_that_is_too_large_stays(void **state)
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

/* Who has found too little knows when there cannot be enough yet: without a clock for
 * a jiffy, and with one to the token, but for the next one.
 */
static void short_is_known_for_a_while(void **state)
{
	const u64 ms = NSEC_PER_MSEC;
	struct ramp_bucket_cpu *c;
	struct box x = with(0, 0);

	c = &x.cpu[0];
	/* nothing is known of a bucket that nobody looked at, but that is has an end */
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

/* Loans leave the half of what is above the threshold to the word. */
static void loans_shrink(void **state)
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
static void slow_buckets_lend_nothing(void **state)
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

/* "their sum comes out of the burst": a loan taken from a full bucket, the bucket
 * full again, a second later: burst, not burst and a loan.
 */
static void loans_come_out_of_the_burst(void **state)
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

/* A loan that was not used does not come back into a bucket that would have run
 * over without it.
 */
static void loans_are_lost_when_the_bucket_is_full(void **state)
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
static void late_cpu_gets_no_loan(void **state)
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

/* "change keeps the tokens already earned (scaled to the new burst)" */
static void change_keeps_what_was_earned(void **state)
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
		x = with(to[i].tokens, 1000000);
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
	/* ... unless that may be used meanwhile, now or in a jiffy yet to come */
	assert_int_equal(ramp_loan_idle(&x.b.loans, &x.cpu[0].loan, 0), 0);
	assert_int_equal(ramp_loan_idle(&x.b.loans, &x.cpu[0].loan, 1), 0);
	assert_int_equal(ramp_loan_idle(&x.b.loans, &x.cpu[0].loan, 2),
			 x.cpu[0].loan.left);
	while (ramp_loan_use(&x.cpu[0].loan, 0, 64, 1))
		;
	ramp_bucket_inherit(&y.b, &y.p, &x.b, &x.p, box_loans(&x),
			    T0 + NSEC_PER_SEC);
	assert_in_range(box_tokens(&y, T0), (1 << 20) - 2 * x.p.loans.max,
			(1 << 20) - x.p.loans.max);
}

static void clock_stands_still_when_it_steps_back(void **state)
{
	struct ramp_bucket_result r;
	struct box x = with(0, 0);

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
static void waking_bucket_is_empty(void **state)
{
	struct ramp_bucket_result r;
	struct box x = with(1000, 1000);

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_tokens_as_bytes_suffice),
		cmocka_unit_test(account_goes_below_zero),
		cmocka_unit_test(debt_ends_where_it_was_told),
		cmocka_unit_test(debt_without_end),
		cmocka_unit_test(threshold_has_to_be_left),
		cmocka_unit_test(higher_thresholds_yield_earlier),
		cmocka_unit_test(tokens_arrive_in_lumps),
		cmocka_unit_test(tenant_gets_what_was_contracted),
		cmocka_unit_test(debt_is_paid_in_time),
		cmocka_unit_test(tokens_begin_within_bounds),
		cmocka_unit_test(loan_is_used_without_the_bucket),
		cmocka_unit_test(loan_is_given_back),
		cmocka_unit_test(loan_that_is_too_large_stays),
		cmocka_unit_test(short_is_known_for_a_while),
		cmocka_unit_test(loans_shrink),
		cmocka_unit_test(slow_buckets_lend_nothing),
		cmocka_unit_test(loans_come_out_of_the_burst),
		cmocka_unit_test(loans_are_lost_when_the_bucket_is_full),
		cmocka_unit_test(late_cpu_gets_no_loan),
		cmocka_unit_test(change_keeps_what_was_earned),
		cmocka_unit_test(clock_stands_still_when_it_steps_back),
		cmocka_unit_test(waking_bucket_is_empty),
	};

	unit_begin("bucket");
	return cmocka_run_group_tests_name("bucket", tests, NULL, NULL);
}
