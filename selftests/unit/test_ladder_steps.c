// SPDX-License-Identifier: GPL-2.0
/* What thresholds shares of a limit become: rounded up, in their order, each
 * with room to give way, and not moved without need.
 */
#include "ladder_even.h"

#define LIMIT	1000

static struct ramp_ladder_params steps;

static void shares_are_rounded_up(struct kunit *test)
{
	assert_int_equal(ramp_share(1000, 5000), 500);
	assert_int_equal(ramp_share(1000, 5001), 501);
	assert_int_equal(ramp_share(1001, 5000), 501);
	assert_int_equal(ramp_share(1, 1), 1);
	assert_int_equal(ramp_share(1 << 20, 10000), 1 << 20);
	assert_int_equal(ramp_share(U32_MAX, 10000), U32_MAX);
}

static void a_threshold_gives_way_by_one_at_least(struct kunit *test)
{
	assert_int_equal(resolve_even(&steps, 2, 1000, 300, 20), 0);
	assert_int_equal(steps.up[1], 2);
	assert_int_equal(steps.down[1], 1);
	assert_int_equal(steps.up[2], 4);
	assert_int_equal(steps.down[2], 3);

	assert_int_equal(resolve_even(&steps, 2, 5000, 300, 200), 0);
	assert_int_equal(steps.down[1], 97);
	assert_int_equal(steps.down[2], 194);
	assert_int_equal(steps.down[0], 0);
	assert_int_equal(steps.up[0], 0);
}

/* The first step without room is named, and both it and those after it get
 * some.
 */
/* The largest limit: its product with a share is wider than 32 bits. */
static void large_thresholds_give_way(struct kunit *test)
{
	static const u32 at[] = { 0, 10000 };

	steps = (struct ramp_ladder_params){ .n = 1 };
	assert_int_equal(ramp_ladder_resolve(&steps, at, 9999, 1 << 20),
			 0);
	assert_int_equal(steps.up[1], 1 << 20);
	assert_int_equal(steps.down[1], (1 << 20) - 1048471);
	assert_int_equal(ramp_ladder_resolve(&steps, at, 5000, 1 << 20),
			 0);
	assert_int_equal(steps.down[1], 1 << 19);
}

/* What lies beyond the last step means nothing, and is not looked at. */
static void there_is_none_above_the_last(struct kunit *test)
{
	static const u32 at[] = { 0, 2000, 4000 };
	struct ramp_ladder l;

	memset(&steps, 0xff, sizeof(steps));
	steps.n = 2;
	ramp_ladder_resolve(&steps, at, 300, 1000);
	ramp_ladder_init(&l, &steps);
	assert_int_equal(ramp_ladder_next_up(&l, &steps), 200);
	assert_int_equal(ramp_ladder_move(&l, &steps, U32_MAX), 2);
	assert_int_equal(ramp_ladder_next_up(&l, &steps), 0);
	assert_false(ramp_ladder_outside(&l, U32_MAX));
}

static void steps_without_room_are_moved(struct kunit *test)
{
	u32 at[] = { 0, 5000, 5100, 9000 };

	steps = (struct ramp_ladder_params){ .n = 3 };
	assert_int_equal(ramp_ladder_resolve(&steps, at, 300, LIMIT), 2);
	assert_int_equal(steps.up[1], 500);
	assert_int_equal(steps.down[1], 485);
	assert_int_equal(steps.up[2], 510);
	assert_int_equal(steps.down[2], 501);
	assert_int_equal(steps.up[3], 900);
	assert_int_equal(steps.down[3], 873);

	/* 1.9 % is less than the distance. */
	assert_int_equal(ramp_ladder_resolve(&steps, at, 170, LIMIT), 0);
	assert_int_equal(steps.down[2], 502);

	assert_int_equal(ramp_ladder_resolve(&steps, at, 1, 10), 2);
	assert_int_equal(steps.up[1], 5);
	assert_int_equal(steps.up[2], 7);
	assert_int_equal(steps.down[2], 6);
	assert_int_equal(steps.up[3], 9);
	assert_int_equal(steps.down[3], 8);

	/* From above: the last can be reached. */
	at[1] = 9998;
	at[2] = 9999;
	at[3] = 10000;
	assert_int_equal(ramp_ladder_resolve(&steps, at, 1, LIMIT), 1);
	assert_int_equal(steps.up[1], 996);
	assert_int_equal(steps.up[2], 998);
	assert_int_equal(steps.up[3], 1000);
	assert_int_equal(steps.down[3], 999);

	/* Too little for all: they are in their order nevertheless. */
	assert_int_equal(ramp_ladder_resolve(&steps, at, 1, 5), 1);
	assert_int_equal(steps.up[3], 5);
	assert_int_equal(ramp_ladder_resolve(&steps, at, 1, 4), 2);
	assert_int_equal(steps.up[1], 4);
	assert_int_equal(steps.up[2], 6);
	assert_int_equal(steps.up[3], 8);
}

static void any_steps_resolve(struct kunit *test)
{
	unit_rounds(20000) {
		u32 at[RAMP_LADDER_MAX + 1], x, moved, limit, adjust;
		struct ramp_ladder_params p = {};
		u32 first = 0, most;

		p.n = unit_between(1, RAMP_LADDER_MAX);
		adjust = unit_amount(13) * 5000 / 8192 ?: 1;
		limit = unit_amount(20);
		most = unit_amount(13) * 9984 / 8192 + 16;
		at[0] = 0;
		for (x = 1; x <= p.n; x++)
			at[x] = unit_between(at[x - 1] + 1,
					     most - (p.n - x));
		moved = ramp_ladder_resolve(&p, at, adjust, limit);

		for (x = 1; x <= p.n; x++) {
			u32 want = ((u64)limit * at[x] + 9999) / 10000;
			u32 give = (u64)want * adjust / 10000 ?: 1;

			unit_check(p.up[x] > p.down[x], "step %u", x);
			if (x > 1)
				unit_check(p.down[x] > p.up[x - 1],
					   "step %u", x);
			if (!first && (p.up[x] != want ||
				       p.down[x] != want - give))
				first = x;
		}
		unit_check(moved == first, "%u is not %u", moved, first);
		if (limit >= 2 * p.n - 1)
			unit_check(p.up[p.n] <= limit, "%u over %u", p.up[p.n],
				   limit);
	}
}

/* No step is moved without need. */
static void what_fits_is_not_moved(struct kunit *test)
{
	u32 x;

	for (x = 1; x <= RAMP_LADDER_MAX; x++)
		assert_int_equal(resolve_even(&steps, x, 10000 / x, 1, 2 * x),
				 0);
	/* One skb and two for each step more would do, but not at
	 * these places.
	 */
	assert_int_equal(resolve_even(&steps, 16, 625, 1, 31), 1);
}

UNIT_SUITE(ladder_steps,
	   UNIT_CASE(shares_are_rounded_up),
	   UNIT_CASE(a_threshold_gives_way_by_one_at_least),
	   UNIT_CASE(large_thresholds_give_way),
	   UNIT_CASE(there_is_none_above_the_last),
	   UNIT_CASE(steps_without_room_are_moved),
	   UNIT_CASE(any_steps_resolve),
	   UNIT_CASE(what_fits_is_not_moved));
