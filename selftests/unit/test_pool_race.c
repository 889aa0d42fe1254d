// SPDX-License-Identifier: GPL-2.0
/* Pool: what others do between two atomic operations of one CPU, which threads
 * rarely do just there.
 */
static void race_hook(void);
#define UNIT_ATOMIC_HOOK()	race_hook()

#include "unit.h"
#include <net/ramp/pool.h>

static atomic64_t pool;

/* Before the second operation of a CPU, and before each after it, as often as
 * it says, others leave this much.
 */
static s64 others[3];
static u32 hooks, times;

static void race_hook(void)
{
	if (hooks++ && hooks <= times + 1)
		pool.counter = others[hooks - 2];
}

static void others_leave(s64 first, s64 second, u32 n)
{
	ramp_pool_fill(&pool, 1000);
	others[0] = first;
	others[1] = second;
	times = n;
	hooks = 0;
}

static bool takes(u64 amount, u64 least, s64 left)
{
	bool taken = ramp_pool_take(&pool, amount, least);

	unit_check(pool.counter == left, "%lld", pool.counter);
	return taken;
}

/* What others took is not there any more; what they left is. */
static void what_others_took_is_gone(struct kunit *test)
{
	others_leave(500, 0, 1);
	assert_true(takes(300, 300, 200));
	others_leave(300, 0, 1);
	assert_true(takes(300, 300, 0));
	others_leave(299, 0, 1);
	assert_false(takes(300, 300, 299));
	others_leave(500, 299, 2);
	assert_false(takes(300, 300, 299));
	others_leave(500, 400, 2);
	assert_true(takes(300, 300, 100));
	/* The last packet may be larger, as long as anything is left. */
	others_leave(1, 0, 1);
	assert_true(takes(300, 1, -299));
	others_leave(0, 0, 1);
	assert_false(takes(300, 1, 0));
	others_leave(-50, 0, 1);
	assert_false(takes(300, 1, -50));
}

/* Who takes back gets what is left then, which others cannot take any more. */
static void what_is_left_comes_back_once(struct kunit *test)
{
	static const s64 left[] = { 500, 1, 0, -50 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(left); i++) {
		others_leave(left[i], 0, 1);
		assert_int_equal(ramp_pool_drain(&pool), left[i]);
		assert_int_equal(pool.counter, 0);
		others_leave(700, left[i], 2);
		assert_int_equal(ramp_pool_drain(&pool), left[i]);
		assert_int_equal(pool.counter, 0);
	}
}

UNIT_SUITE(pool_race,
	   UNIT_CASE(what_others_took_is_gone),
	   UNIT_CASE(what_is_left_comes_back_once));
