// SPDX-License-Identifier: GPL-2.0
/* The tests' own division of 128 bits. */
#include "unit.h"
#include "wide.h"

static u128 random_wide(void)
{
	u128 n = (u128)unit_random() << 64 | unit_random();

	return n >> unit_between(0, 127);
}

static void what_is_multiplied_is_divided(struct kunit *test)
{
	const u128 most = ~(u128)0;

	assert_int_equal(wide_div(0, 1), 0);
	assert_int_equal(wide_div(99, 10), 9);
	assert_int_equal(wide_div(most, U64_MAX) >> 64, 1);
	assert_int_equal(wide_div(most, U64_MAX), 1);
	assert_true(wide_div(most, 1) == most);
	assert_true(wide_div((u128)1 << 64, U64_MAX) == 1);
}

static void less_than_the_divisor_is_left(struct kunit *test)
{
	unit_rounds(200000) {
		u64 divisor = unit_chance(20) ? U64_MAX - unit_amount(10) :
						unit_amount(63);
		u128 n = random_wide(), quotient = wide_div(n, divisor);

		/* or the product would wrap */
		unit_check(quotient >> 64 <= (u64)(n >> 64) / divisor,
			   "by %llu", divisor);
		unit_check(quotient * divisor <= n, "by %llu", divisor);
		unit_check(n - quotient * divisor < divisor, "by %llu",
			   divisor);
	}
}

UNIT_SUITE(wide,
	   UNIT_CASE(what_is_multiplied_is_divided),
	   UNIT_CASE(less_than_the_divisor_is_left));
