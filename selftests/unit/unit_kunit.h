/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unit tests in a kernel: each file is a suite of KUnit's. The checks have
 * cmocka's names; as they are also made by helpers that are not handed the
 * test, it is always the one that runs.
 */
#ifndef _UNIT_KUNIT_H
#define _UNIT_KUNIT_H

#include <kunit/test.h>
#include <kunit/test-bug.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/types.h>

/* One of so many rounds: all suites together are to take seconds. */
#define UNIT_PART	10

#define UNIT_CASE	KUNIT_CASE

#define UNIT_SUITE_INIT(suite, before, after, ...)			\
static struct kunit_case unit_cases[] = { __VA_ARGS__, {} };		\
									\
static struct kunit_suite unit_suite = {				\
	.name = "ramp_" #suite,						\
	.init = before,							\
	.exit = after,							\
	.test_cases = unit_cases,					\
};									\
									\
kunit_test_suite(unit_suite);						\
MODULE_DESCRIPTION("Ramp: unit tests of its laws: " #suite);		\
MODULE_LICENSE("GPL")

static inline u64 unit_first_seed(u64 otherwise)
{
	return otherwise;
}

static inline u64 unit_rounds_of(u64 rounds)
{
	return DIV_ROUND_UP_ULL(rounds, UNIT_PART);
}

/* What the property tests count says nothing after few rounds. */
static inline bool unit_whole(void)
{
	return false;
}

/* Between two rounds, of which there may be many. */
static inline void unit_pause(void)
{
	cond_resched();
}

static inline void *unit_alloc(struct kunit *test, size_t size)
{
	void *p = kunit_kmalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

static inline void unit_free(struct kunit *test, void *p)
{
	kunit_kfree(test, p);
}

#define unit_note(format, ...)						\
	kunit_info(kunit_get_current_test(), format "\n",	\
		   ##__VA_ARGS__)

#define assert_true(condition)						\
	KUNIT_ASSERT_TRUE(kunit_get_current_test(), condition)
#define assert_false(condition)						\
	KUNIT_ASSERT_FALSE(kunit_get_current_test(), condition)
/* cmocka compares numbers as the largest there are. */
#define assert_int_equal(a, b)						\
	KUNIT_ASSERT_EQ(kunit_get_current_test(), (u64)(a), (u64)(b))
#define assert_int_not_equal(a, b)					\
	KUNIT_ASSERT_NE(kunit_get_current_test(), (u64)(a), (u64)(b))
#define assert_in_range(value, from, to)				\
	do {								\
		u64 _value = value;					\
									\
		KUNIT_ASSERT_GE(kunit_get_current_test(), _value,	\
				(u64)(from));				\
		KUNIT_ASSERT_LE(kunit_get_current_test(), _value,	\
				(u64)(to));				\
	} while (0)
#define assert_memory_equal(a, b, size)					\
	KUNIT_ASSERT_MEMEQ(kunit_get_current_test(), a, b, size)
#define fail_msg(format, ...)						\
	KUNIT_FAIL_AND_ABORT(kunit_get_current_test(), format "\n",	\
			     ##__VA_ARGS__)

#endif /* _UNIT_KUNIT_H */
