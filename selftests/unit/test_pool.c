// SPDX-License-Identifier: GPL-2.0
/* Pool: what is taken is there, is taken once, and what is left comes back. And
 * of the slew limiter, whose budget a pool shares: nothing is different from
 * one packet after another that asks the limiter itself.
 */
#include "unit.h"
#include <net/ramp/pool.h>
#include <net/ramp/slew.h>

#define TICK	(100 * NSEC_PER_USEC)

/* Nobody takes of an empty pool, nor of one that owes. */
static void empty_until_it_is_filled(struct kunit *test)
{
	atomic64_t pool = { 0 };

	assert_false(ramp_pool_take(&pool, 1, 1));
	assert_false(ramp_pool_take(&pool, 0, 1));
	assert_int_equal(ramp_pool_drain(&pool), 0);
	ramp_pool_fill(&pool, 100);
	assert_true(ramp_pool_take(&pool, 150, 1));
	assert_false(ramp_pool_take(&pool, 1, 1));
	assert_int_equal(ramp_pool_drain(&pool), -50);
	assert_int_equal(ramp_pool_drain(&pool), 0);
	assert_false(ramp_pool_take(&pool, 1, 1));
}

/* The last packet may be larger than what there is, or must fit. */
static void as_much_as_has_to_be_there(struct kunit *test)
{
	atomic64_t pool = { 0 };

	ramp_pool_fill(&pool, 1);
	assert_false(ramp_pool_take(&pool, 2, 2));
	assert_true(ramp_pool_take(&pool, 1, 1));
	ramp_pool_fill(&pool, 1);
	assert_true(ramp_pool_take(&pool, 2, 1));
	assert_int_equal(ramp_pool_drain(&pool), -1);
	ramp_pool_fill(&pool, S64_MAX);
	assert_true(ramp_pool_take(&pool, U32_MAX, U32_MAX));
	assert_int_equal(ramp_pool_drain(&pool), S64_MAX - U32_MAX);
}

/* Packets of some go by the pool, those of others ask the limiter, which takes
 * back what is left before it looks.
 */
static void a_limiter_that_shares_is_the_same(struct kunit *test)
{
	/* Two are too much for the stack of a kernel. */
	struct ramp_slew *one = unit_alloc(test, sizeof(*one));
	struct ramp_slew *all = unit_alloc(test, sizeof(*all));

	/* For what lies between their fields, which are compared as a whole. */
	memset(one, 0, sizeof(*one));
	memset(all, 0, sizeof(*all));
	unit_rounds(200) {
		u64 full = unit_between(125000, 1250000), now = HOUR;
		struct ramp_slope_params p = {
			.start = full / 20, .step = full / 20, .full = full,
			.tick = TICK, .window = 10 * TICK,
		};
		atomic64_t pool = { 0 };
		u32 i;

		ramp_slew_stretch(&p, 1514);
		ramp_slew_begin(one, &p, 0, now);
		ramp_slew_begin(all, &p, 0, now);
		for (i = 0; i < 2000; i++) {
			u32 bytes = unit_between(60, 1514);
			bool pass, shared;

			now += unit_between(0, 2 * bytes) * TICK / full;
			pass = one->budget > 0 ||
			       ramp_slew_look(one, &p, false, false, now);
			if (pass)
				ramp_slew_charge(one, &p, bytes, 1);

			shared = ramp_pool_take(&pool, bytes, 1);
			if (!shared) {
				all->budget += ramp_pool_drain(&pool);
				shared = all->budget > 0 ||
					 ramp_slew_look(all, &p, false, false,
							now);
				if (shared)
					ramp_slew_charge(all, &p, bytes, 1);
				if (all->budget > 0 && unit_chance(80)) {
					ramp_pool_fill(&pool, all->budget);
					all->budget = 0;
				}
			}
			unit_check(pass == shared, "packet %u of %u bytes", i,
				   bytes);
		}
		all->budget += ramp_pool_drain(&pool);
		unit_check(!memcmp(one, all, sizeof(*one)),
			   "budgets of %lld and %lld", one->budget,
			   all->budget);
	}
	unit_free(test, all);
	unit_free(test, one);
}

UNIT_SUITE(pool,
	   UNIT_CASE(empty_until_it_is_filled),
	   UNIT_CASE(as_much_as_has_to_be_there),
	   UNIT_CASE(a_limiter_that_shares_is_the_same));
