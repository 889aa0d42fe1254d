// SPDX-License-Identifier: GPL-2.0
/* The pacer against the same bucket in 128 bits, and against what it promises:
 * in no period more than rate x period + depth, and while packets wait and the
 * timer is late by no more than a tick, no less than rate x period.
 */
#include "unit.h"
#include "wide.h"
#include <net/ramp/pacer.h>

#define RATE_MAX	BIT_ULL(40)
#define MTU		1514

static void shares_of_a_rate(struct kunit *test)
{
	assert_int_equal(ramp_pacer_rate(125000000, 10000), 125000000);
	assert_int_equal(ramp_pacer_rate(125000000, 1000), 12500000);
	assert_int_equal(ramp_pacer_rate(125000000, 1), 12500);
	assert_int_equal(ramp_pacer_rate(19999, 5000), 9999);
	assert_int_equal(ramp_pacer_rate(1000, 1), 1);
	assert_int_equal(ramp_pacer_rate(RATE_MAX, 10000), RATE_MAX);
	assert_int_equal(ramp_pacer_rate(RATE_MAX, 9999),
			 wide_div((u128)RATE_MAX * 9999, 10000));
	assert_int_equal(ramp_pacer_rate(125000000, 0), 0);
}

/* A packet, and what is earned in a tick and a ns, and two. */
static void depths(struct kunit *test)
{
	assert_int_equal(ramp_pacer_depth(125000000, 100000, MTU),
			 MTU + 12500 + 2);
	assert_int_equal(ramp_pacer_depth(1, 50000, MTU), MTU + 2);
	assert_int_equal(ramp_pacer_depth(RATE_MAX, NSEC_PER_SEC, MTU),
			 MTU + RATE_MAX + RATE_MAX / NSEC_PER_SEC + 2);
}

/* 1 MB/s: a byte per us. */
static void packets_are_paced(struct kunit *test)
{
	struct ramp_pacer p;
	u64 t = HOUR;

	memset(&p, 0xa5, sizeof(p));
	ramp_pacer_init(&p, 1000000, 2000, t);
	assert_int_equal(ramp_pacer_when(&p, 1000), t + NSEC_PER_MSEC + 1);
	assert_false(ramp_pacer_admit(&p, 1000, t));
	assert_int_equal(ramp_pacer_when(&p, 1000), t + NSEC_PER_MSEC + 1);
	assert_false(ramp_pacer_admit(&p, 1000, t + NSEC_PER_MSEC - 1));
	t += NSEC_PER_MSEC;
	assert_true(ramp_pacer_admit(&p, 1000, t));
	assert_int_equal(ramp_pacer_when(&p, 1000), t);
	ramp_pacer_charge(&p, 1000);
	assert_false(ramp_pacer_admit(&p, 1, t));

	/* It fills to its depth, and no further. */
	t += NSEC_PER_SEC;
	assert_int_equal(ramp_pacer_look(&p, t), 2000);
	ramp_pacer_charge(&p, 2000);
	assert_int_equal(ramp_pacer_look(&p, t), 0);
	assert_int_equal(ramp_pacer_look(&p, t + 999), 0);
	assert_int_equal(ramp_pacer_look(&p, t + 1000), 1);
}

/* A packet that the bucket cannot hold waits until it is full, and the next one
 * until it is paid.
 */
static void a_large_packet_owes(struct kunit *test)
{
	struct ramp_pacer p;
	u64 t = HOUR;

	ramp_pacer_init(&p, 1000000, 2000, t);
	assert_false(ramp_pacer_admit(&p, 65000, t + 1999999));
	assert_int_equal(ramp_pacer_when(&p, 65000), t + 1999999 + 1000 + 1);
	t += 2000000;
	assert_true(ramp_pacer_admit(&p, 65000, t));
	ramp_pacer_charge(&p, 65000);
	assert_int_equal(ramp_pacer_look(&p, t), -63000);
	assert_false(ramp_pacer_admit(&p, 1, t));
	assert_int_equal(ramp_pacer_when(&p, 1), t + 63001000 + 1);
	assert_false(ramp_pacer_admit(&p, 1, t + 63000999));
	assert_true(ramp_pacer_admit(&p, 1, t + 63001000));
}

static void nothing_may_leave_at_all(struct kunit *test)
{
	struct ramp_pacer p;
	u64 t = HOUR;

	ramp_pacer_init(&p, 1000000, 2000, t);
	assert_int_equal(ramp_pacer_look(&p, t += HOUR), 2000);
	ramp_pacer_change(&p, 0, 2000, t);
	assert_false(ramp_pacer_admit(&p, 1, t + 1000 * HOUR));
	assert_int_equal(ramp_pacer_when(&p, 1), U64_MAX);
	assert_int_equal(ramp_pacer_when(&p, 5000), U64_MAX);

	/* What was there is there again, but nothing for the time between. */
	ramp_pacer_charge(&p, 1500);
	t += 1001 * HOUR;
	ramp_pacer_change(&p, 1000, 3000, t);
	assert_int_equal(ramp_pacer_look(&p, t), 500);
	assert_int_equal(ramp_pacer_look(&p, t + NSEC_PER_SEC), 1500);

	ramp_pacer_init(&p, 0, 1, t);
	assert_false(ramp_pacer_admit(&p, 0, t));
}

static void tokens_outlive_a_change(struct kunit *test)
{
	struct ramp_pacer p;
	u64 t = HOUR;

	ramp_pacer_init(&p, 1000000, 2000, t);
	t += 1500000;
	/* At the old rate until now. */
	ramp_pacer_change(&p, 10, 5000, t);
	assert_int_equal(ramp_pacer_when(&p, 1500), t);
	assert_int_equal(ramp_pacer_when(&p, 1510), t + NSEC_PER_SEC + 1);
	assert_int_equal(ramp_pacer_look(&p, t), 1500);
	assert_int_equal(ramp_pacer_look(&p, t + NSEC_PER_SEC), 1510);

	/* What does not fit is gone. */
	t += NSEC_PER_SEC;
	ramp_pacer_change(&p, 10, 100, t);
	assert_int_equal(ramp_pacer_look(&p, t), 100);
	ramp_pacer_change(&p, 10, 5000, t);
	assert_int_equal(ramp_pacer_look(&p, t), 100);

	/* Nor can a packet that was let through before the change
	 * pay with it.
	 */
	ramp_pacer_change(&p, 10, 5000, t);
	t += 1000 * NSEC_PER_SEC;
	assert_true(ramp_pacer_admit(&p, 100, t));
	ramp_pacer_change(&p, 10, 100, t);
	ramp_pacer_charge(&p, 100);
	assert_int_equal(ramp_pacer_look(&p, t), 0);
	ramp_pacer_look(&p, t += 10 * NSEC_PER_SEC);

	/* What is owed is not. */
	ramp_pacer_charge(&p, 1100);
	ramp_pacer_change(&p, 1000, 100, t);
	assert_int_equal(ramp_pacer_look(&p, t), -1000);
	assert_int_equal(ramp_pacer_when(&p, 100),
			 t + 1100 * NSEC_PER_MSEC + 1);

	/* A stream of changes lets nothing pass. */
	ramp_pacer_look(&p, t += 2 * NSEC_PER_SEC);
	ramp_pacer_charge(&p, 100);
	for (u32 i = 0; i < 1000; i++) {
		ramp_pacer_change(&p, RATE_MAX - i, 100, t);
		assert_int_equal(ramp_pacer_look(&p, t), 0);
	}
}

/* A clock that steps back stands still, neither more nor less may leave for it;
 * one that steps forward fills the bucket once.
 */
static void clock_steps(struct kunit *test)
{
	struct ramp_pacer p;
	u64 t = 100 * HOUR;

	ramp_pacer_init(&p, 1000000, 2000, t);
	assert_int_equal(ramp_pacer_look(&p, t += 500000), 500);
	t -= 90 * HOUR;
	assert_int_equal(ramp_pacer_look(&p, t), 500);
	assert_false(ramp_pacer_admit(&p, 600, t));
	assert_int_equal(ramp_pacer_when(&p, 600), t + 100000 + 1);
	assert_int_equal(ramp_pacer_look(&p, t + 100000), 600);
	assert_true(ramp_pacer_admit(&p, 600, t + 100000));
	ramp_pacer_charge(&p, 600);

	/* Back behind the base, and before the clock began. */
	t = 5;
	assert_int_equal(ramp_pacer_look(&p, t), 0);
	assert_int_equal(ramp_pacer_look(&p, t + 1000), 1);
	t -= 1000000;
	assert_int_equal(ramp_pacer_look(&p, t), 1);
	assert_int_equal(ramp_pacer_look(&p, t + 1000000), 1001);

	t += 500 * HOUR;
	assert_int_equal(ramp_pacer_look(&p, t), 2000);
	ramp_pacer_charge(&p, 2000);
	assert_int_equal(ramp_pacer_look(&p, t), 0);
}

/* It says so when it is sure, and then the bucket has its depth and no more. */
static void a_full_bucket_is_seen(struct kunit *test)
{
	struct ramp_pacer p;
	u64 t = HOUR;

	ramp_pacer_init(&p, 1000000, 2000, t);
	assert_false(ramp_pacer_filled(&p, t));
	assert_false(ramp_pacer_filled(&p, t + 1999999));
	assert_true(ramp_pacer_filled(&p, t += 2003000));
	assert_int_equal(ramp_pacer_look(&p, t), 2000);
	ramp_pacer_charge(&p, 500);
	assert_false(ramp_pacer_filled(&p, t + 499999));
	assert_true(ramp_pacer_filled(&p, t + 502000));
	assert_int_equal(ramp_pacer_look(&p, t + 502000), 2000);

	/* Not after so long that it would have to be summed up. */
	assert_false(ramp_pacer_filled(&p, t + 3 * NSEC_PER_SEC));

	/* Nor by a clock that stepped back, whatever the rate. */
	ramp_pacer_change(&p, RATE_MAX, 2000, t);
	ramp_pacer_charge(&p, 2000);
	assert_false(ramp_pacer_filled(&p, t - 1));
	assert_false(ramp_pacer_filled(&p, t - HOUR));
	assert_true(ramp_pacer_filled(&p, t + 2));

	/* At no rate nothing may leave, and a full bucket stays so. */
	ramp_pacer_change(&p, 0, 2000, t + 2);
	assert_false(ramp_pacer_filled(&p, t + 2));
	assert_false(ramp_pacer_filled(&p, t + NSEC_PER_SEC));
}

/* So late that what was earned meanwhile is more than a signed word holds. */
static void nobody_looks_for_months(struct kunit *test)
{
	struct ramp_pacer p;
	u64 t, day, late;

	for (day = 1; day < 2000; day++) {
		late = day * 24 * HOUR;
		t = unit_between(0, HOUR);
		ramp_pacer_init(&p, RATE_MAX, 100000, t);
		ramp_pacer_charge(&p, 4000000000U);
		assert_int_equal(ramp_pacer_look(&p, t += late), 100000);
		ramp_pacer_charge(&p, 100000);
		assert_int_equal(ramp_pacer_look(&p, t), 0);
		assert_int_equal(ramp_pacer_look(&p, t + 1), 1099);
	}

	/* As much as a signed word holds, and a bucket that was full. */
	t = HOUR;
	ramp_pacer_init(&p, RATE_MAX, 100000, t);
	ramp_pacer_look(&p, t += HOUR);
	late = BIT_ULL(63) / RATE_MAX * NSEC_PER_SEC;
	assert_int_equal(ramp_pacer_look(&p, t + late), 100000);

	/* The slowest: it is owed for 126 years. */
	t = HOUR;
	ramp_pacer_init(&p, 1, 1, t);
	ramp_pacer_look(&p, t += NSEC_PER_SEC);
	ramp_pacer_charge(&p, 4000000001U);
	assert_int_equal(ramp_pacer_look(&p, t), -4000000000LL);
	t += 3999999999ULL * NSEC_PER_SEC;
	assert_int_equal(ramp_pacer_look(&p, t), -1);
	assert_false(ramp_pacer_admit(&p, 1, t + NSEC_PER_SEC));
	assert_true(ramp_pacer_admit(&p, 1, t + 2 * NSEC_PER_SEC));
}

/* The same bucket with wide numbers. */
static struct wide {
	u128	rate;
	u64	base;
	u64	seen;
	s128	tokens;
	u64	depth;
} wide;

static u128 wide_earned(u64 t)
{
	return wide_div(wide.rate * (t - wide.base), NSEC_PER_SEC);
}

static s128 wide_look(u64 t)
{
	wide.tokens += wide_earned(t) - wide_earned(wide.seen);
	if (wide.tokens > (s128)wide.depth)
		wide.tokens = wide.depth;
	wide.seen = t;
	return wide.tokens;
}

/* Who is sure to have more than a full bucket leaves out the time since the
 * last look, and with it the part of a byte that it earned.
 */
static bool wide_filled(u64 t)
{
	u64 least = wide_div(wide.rate * BIT(20), NSEC_PER_SEC);
	u64 since = t - wide.seen;
	s128 sure = (u128)since * least >> 20;

	if (since > S32_MAX || wide.tokens + sure <= (s128)wide.depth)
		return false;
	wide.base += since;
	wide.seen = t;
	wide.tokens = wide.depth;
	return true;
}

/* The first ns at which there are so many tokens. */
static u64 wide_when(u64 need)
{
	u64 low = wide.seen, high = low + (1ULL << 62), mid;
	s128 missing = (s128)need - wide.tokens;

	while (missing > 0 && low < high) {
		mid = low + (high - low) / 2;
		if ((s128)(wide_earned(mid) - wide_earned(wide.seen)) < missing)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static u64 random_rate(void)
{
	return unit_chance(10) ? unit_between(1, RATE_MAX) : unit_amount(40);
}

static u64 random_wait(void)
{
	if (unit_chance(2))
		return unit_between(0, 24 * HOUR);
	return unit_chance(20) ? 0 : unit_amount(32);
}

static void as_in_128_bits(struct kunit *test)
{
	unit_rounds(3000) {
		struct ramp_pacer p;
		u64 t = unit_chance(30) ? UNIT_LATE_CLOCK :
					  unit_between(0, 1000 * HOUR);
		u32 i, bytes;
		bool may;

		wide = (struct wide){
			.rate = random_rate(), .base = t, .seen = t,
			.depth = unit_amount(32),
		};
		ramp_pacer_init(&p, wide.rate, wide.depth, t);

		for (i = 0; i < 200; i++) {
			t += random_wait();
			bytes = unit_amount(17);
			if (unit_chance(50))
				unit_check(ramp_pacer_filled(&p, t) ==
					   wide_filled(t), "packet %u", i);
			may = wide_look(t) >= (s128)min_t(u64, bytes,
							  wide.depth);
			unit_check(ramp_pacer_admit(&p, bytes, t) == may,
				   "packet %u", i);
			unit_check(ramp_pacer_look(&p, t) == (s64)wide.tokens,
				   "packet %u", i);
			if (may) {
				ramp_pacer_charge(&p, bytes);
				wide.tokens -= bytes;
			} else {
				u64 first = wide_when(min_t(u64, bytes,
							    wide.depth));
				u64 when = ramp_pacer_when(&p, bytes);

				unit_check(when >= first &&
					   when - first <= 1 +
					   NSEC_PER_SEC / (u64)wide.rate,
					   "%llu, %llu", when, first);
			}

			if (unit_chance(5)) {
				wide_look(t);
				wide.base = t;
				wide.rate = random_rate();
				wide.depth = unit_amount(32);
				wide_look(t);
				ramp_pacer_change(&p, wide.rate, wide.depth,
						  t);
			}
		}
	}
}

/*
 * Any two moments of a run: sent between them <= rate x period + depth. It is
 * so for all pairs when sent - rate x time never gets further than that above
 * the least that it was.
 */
static void never_too_much(struct kunit *test)
{
	unit_rounds(3000) {
		struct ramp_pacer p;
		u64 rate = random_rate(), depth = unit_amount(30);
		u64 t = unit_between(0, HOUR), begin = t, most = depth;
		s128 least, lead, sent = 0;
		u32 i, bytes, biggest = unit_amount(17);

		ramp_pacer_init(&p, rate, depth, t);
		least = 0;
		most = max_t(u64, most, biggest);
		for (i = 0; i < 500; i++) {
			t += random_wait();
			bytes = unit_between(1, biggest);
			if (!ramp_pacer_filled(&p, t) &&
			    !ramp_pacer_admit(&p, bytes, t))
				continue;
			lead = sent * NSEC_PER_SEC -
			       (s128)rate * (t - begin);
			if (lead < least)
				least = lead;
			ramp_pacer_charge(&p, bytes);
			sent += bytes;
			lead += (s128)bytes * NSEC_PER_SEC;
			/* Rounded up: by less than a byte. */
			unit_check(lead - least < (s128)(most + 1) *
				   (s128)NSEC_PER_SEC, "packet %u", i);
		}
	}
}

/* Hours of packets that wait, and a timer that is late by up to a tick. */
static void never_too_little(struct kunit *test)
{
	unit_rounds(300) {
		u64 rate = random_rate(), t = unit_between(0, 1000 * HOUR);
		u32 tick = unit_between(50 * NSEC_PER_USEC, NSEC_PER_SEC);
		u32 largest = unit_between(64, 65536), bytes, i;
		u64 depth = ramp_pacer_depth(rate, tick, largest);
		u64 begin = t, late = unit_chance(50) ? tick : 0;
		struct ramp_pacer p;
		u128 sent = 0, earned;

		ramp_pacer_init(&p, rate, depth, t);
		for (i = 0; i < 10000; i++) {
			bytes = unit_chance(50) ? largest :
						  unit_between(60, largest);
			if (!ramp_pacer_filled(&p, t) &&
			    !ramp_pacer_admit(&p, bytes, t)) {
				t = ramp_pacer_when(&p, bytes);
				t += unit_chance(50) ? late :
						       unit_between(0, late);
				unit_check(ramp_pacer_admit(&p, bytes, t),
					   "packet %u", i);
			}
			ramp_pacer_charge(&p, bytes);
			sent += bytes;
			unit_check(sent + depth >=
				   wide_div((u128)rate * (t - begin),
					    NSEC_PER_SEC), "packet %u", i);
		}
		/* The very tokens: nothing was lost at all. */
		earned = wide_div((u128)rate * (t - begin), NSEC_PER_SEC);
		unit_check((s128)earned - (s128)sent == ramp_pacer_look(&p, t),
			   "%u packets", i);
	}
}

/* Three hours at 1 Mbit/s, and at a rate of no round number. */
static void hours_of_small_packets(struct kunit *test)
{
	static const u64 rates[] = { 125000, 122077 };
	struct ramp_pacer p;
	u64 t, sent;
	u32 i;

	for (i = 0; i < 2; i++) {
		t = HOUR;
		sent = 0;
		ramp_pacer_init(&p, rates[i],
				ramp_pacer_depth(rates[i], 100000, MTU), t);
		while (t < 4 * HOUR) {
			if (!ramp_pacer_admit(&p, MTU, t)) {
				t = ramp_pacer_when(&p, MTU) + 77777;
				continue;
			}
			ramp_pacer_charge(&p, MTU);
			sent += MTU;
		}
		assert_in_range(sent, rates[i] * 3 * 3600 - 2 * MTU,
				rates[i] * 3 * 3600 + 2 * MTU);
	}
}

UNIT_SUITE(pacer,
	   UNIT_CASE(shares_of_a_rate),
	   UNIT_CASE(depths),
	   UNIT_CASE(packets_are_paced),
	   UNIT_CASE(a_large_packet_owes),
	   UNIT_CASE(nothing_may_leave_at_all),
	   UNIT_CASE(tokens_outlive_a_change),
	   UNIT_CASE(clock_steps),
	   UNIT_CASE(a_full_bucket_is_seen),
	   UNIT_CASE(nobody_looks_for_months),
	   UNIT_CASE(as_in_128_bits),
	   UNIT_CASE(never_too_much),
	   UNIT_CASE(never_too_little),
	   UNIT_CASE(hours_of_small_packets));
