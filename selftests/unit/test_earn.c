// SPDX-License-Identifier: GPL-2.0
/* What a rate has earned: US 12388757, FIG. 10, against arithmetic
 * in 128 bits.
 */
#include "unit.h"
#include "wide.h"
#include <linux/bits.h>
#include <net/ramp/earn.h>

#define RATE_MAX	BIT_ULL(40)

static u64 wide(u64 rate, u64 interval, u64 elapsed)
{
	if (interval)
		elapsed -= elapsed % interval;
	return wide_div((u128)elapsed * rate, NSEC_PER_SEC);
}

static void lumps_and_trickles(struct kunit *test)
{
	const u64 interval = 100 * NSEC_PER_MSEC;
	struct ramp_earn e;

	ramp_earn_set(&e, 1000000, interval, 77);
	assert_int_equal(ramp_earned(&e, interval - 1), 0);
	assert_int_equal(ramp_earned(&e, interval), 100000);
	assert_int_equal(ramp_earned(&e, 2 * interval - 1), 100000);
	assert_int_equal(ramp_earned(&e, 36000 * interval), 3600000000ULL);
	/* lumps that are no whole numbers lose nothing */
	ramp_earn_set(&e, 1000001, interval, 77);
	assert_int_equal(ramp_earned(&e, 9 * interval), 900000);
	assert_int_equal(ramp_earned(&e, 10 * interval), 1000001);

	/* 8 bit/s: a byte is there when its second is over */
	ramp_earn_set(&e, 1, 0, 77);
	assert_int_equal(ramp_earned(&e, NSEC_PER_SEC - 1), 0);
	assert_int_equal(ramp_earned(&e, NSEC_PER_SEC), 1);
	assert_int_equal(ramp_earned(&e, 24 * HOUR), 24 * 3600);

	ramp_earn_set(&e, RATE_MAX, 0, 77);
	assert_int_equal(ramp_earned(&e, 1), 1099);
	assert_int_equal(ramp_earned(&e, NSEC_PER_SEC), RATE_MAX);
}

static void nothing_before_the_base(struct kunit *test)
{
	struct ramp_earn e;

	ramp_earn_set(&e, 1000, 0, UNIT_LATE_CLOCK);
	assert_int_equal(ramp_earn_elapsed(&e, UNIT_LATE_CLOCK), 0);
	assert_int_equal(ramp_earn_elapsed(&e, UNIT_LATE_CLOCK - 1), 0);
	assert_int_equal(ramp_earn_elapsed(&e, UNIT_LATE_CLOCK - HOUR), 0);
	assert_int_equal(ramp_earn_elapsed(&e, UNIT_LATE_CLOCK + HOUR), HOUR);
}

static void exact_for_all_rates_and_times(struct kunit *test)
{
	unit_rounds(200000) {
		u64 rate = unit_chance(10) ? RATE_MAX : unit_amount(40);
		u64 interval = unit_chance(50) ? 0 :
			       unit_chance(50) ? unit_amount(35) :
			       unit_between(1, 60 * NSEC_PER_SEC);
		u64 elapsed = unit_amount(62);
		struct ramp_earn e;

		if (interval && unit_chance(50))
			elapsed -= elapsed % interval;
		if (unit_chance(10))
			elapsed = S64_MAX;
		elapsed -= unit_between(0, min_t(u64, elapsed, 1));
		ramp_earn_set(&e, rate, interval, 0);
		unit_check(ramp_earned(&e, elapsed) ==
			   wide(rate, interval, elapsed),
			   "%llu, not %llu: rate %llu interval %llu after %llu",
			   ramp_earned(&e, elapsed),
			   wide(rate, interval, elapsed), rate, interval,
			   elapsed);
	}
}

UNIT_SUITE(earn,
	   UNIT_CASE(lumps_and_trickles),
	   UNIT_CASE(nothing_before_the_base),
	   UNIT_CASE(exact_for_all_rates_and_times));
