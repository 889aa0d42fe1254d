// SPDX-License-Identifier: GPL-2.0
/* Trail: US 2025/0260650, claims 1 and 2: how far a level moved in a window. */
#include "unit.h"
#include <net/ramp/trail.h>

static struct ramp_trail begun(u64 level)
{
	struct ramp_trail t;

	memset(&t, 0xa5, sizeof(t));
	ramp_trail_init(&t, level);
	return t;
}

static void begins_as_if_it_had_always_been_so(struct kunit *test)
{
	struct ramp_trail t = begun(7);

	assert_int_equal(t.low, 7);
	assert_int_equal(t.high, 7);
	assert_int_equal(ramp_trail_since(&t, 7, true), 0);
	assert_int_equal(ramp_trail_since(&t, 8, true), RAMP_SLOTS);
	assert_int_equal(ramp_trail_since(&t, 6, false), RAMP_SLOTS);
}

static void knows_the_extremes_of_a_window(struct kunit *test)
{
	struct ramp_trail t = begun(50);

	ramp_trail_note(&t, 90);
	ramp_trail_note(&t, 20);
	ramp_trail_note(&t, 40);
	assert_int_equal(t.low, 20);
	assert_int_equal(t.high, 90);
	ramp_trail_roll(&t, 40, RAMP_SLOTS - 1);
	assert_int_equal(t.low, 20);
	assert_int_equal(t.high, 90);
	ramp_trail_roll(&t, 40, 1);
	assert_int_equal(t.low, 40);
	assert_int_equal(t.high, 40);
}

/* The level with which a slot begins was there in it. */
static void a_level_that_stays_is_not_forgotten(struct kunit *test)
{
	struct ramp_trail t = begun(50);
	int i;

	ramp_trail_note(&t, 10);
	for (i = 0; i < 3 * RAMP_SLOTS; i++)
		ramp_trail_roll(&t, 10, 1);
	ramp_trail_note(&t, 60);
	assert_int_equal(t.low, 10);
	assert_int_equal(ramp_trail_since(&t, 10, false), 0);
}

static void tells_how_many_slots_ago(struct kunit *test)
{
	struct ramp_trail t = begun(50);
	u32 i;

	ramp_trail_note(&t, 10);
	ramp_trail_note(&t, 90);
	ramp_trail_note(&t, 50);
	for (i = 0; i < RAMP_SLOTS; i++) {
		assert_int_equal(ramp_trail_since(&t, 10, false), i);
		assert_int_equal(ramp_trail_since(&t, 11, false), i);
		assert_int_equal(ramp_trail_since(&t, 9, false), RAMP_SLOTS);
		assert_int_equal(ramp_trail_since(&t, 90, true), i);
		assert_int_equal(ramp_trail_since(&t, 89, true), i);
		assert_int_equal(ramp_trail_since(&t, 91, true), RAMP_SLOTS);
		assert_int_equal(ramp_trail_since(&t, 50, true), 0);
		ramp_trail_roll(&t, 50, 1);
	}
	assert_int_equal(ramp_trail_since(&t, 10, false), RAMP_SLOTS);
	assert_int_equal(ramp_trail_since(&t, 90, true), RAMP_SLOTS);
}

/* Claim 2: what began to be watched just now is not known to have settled. */
static void settles_after_a_window(struct kunit *test)
{
	struct ramp_trail t = begun(50);
	int i;

	for (i = 0; i < RAMP_SLOTS; i++) {
		assert_false(ramp_trail_settled(&t, U64_MAX));
		ramp_trail_roll(&t, 50, 1);
	}
	assert_true(ramp_trail_settled(&t, 1));
	assert_false(ramp_trail_settled(&t, 0));
	ramp_trail_note(&t, 59);
	assert_false(ramp_trail_settled(&t, 9));
	assert_true(ramp_trail_settled(&t, 10));
	ramp_trail_note(&t, 45);
	assert_false(ramp_trail_settled(&t, 14));
	assert_true(ramp_trail_settled(&t, 15));

	t = begun(50);
	ramp_trail_roll(&t, 50, U64_MAX);
	assert_true(ramp_trail_settled(&t, 1));
}

/* The definition: every level that there was, with the slot in which it was. */
struct was {
	u64	slot;
	u64	level;
};

struct history {
	u64		begin;
	u64		now;
	int		count;
	struct was	was[4000];
};

static struct history history;

static void was(u64 slot, u64 level)
{
	assert_in_range(history.count, 0, 3999);
	history.was[history.count++] = (struct was){ slot, level };
}

static u64 definition_extreme(bool high)
{
	u64 extreme = high ? 0 : U64_MAX;
	int i;

	for (i = 0; i < history.count; i++) {
		const struct was *w = &history.was[i];

		if (history.now - w->slot >= RAMP_SLOTS)
			continue;
		if (high ? w->level > extreme : w->level < extreme)
			extreme = w->level;
	}
	return extreme;
}

static u32 definition_since(u64 bound, bool above)
{
	u32 back = RAMP_SLOTS;
	int i;

	for (i = 0; i < history.count; i++) {
		const struct was *w = &history.was[i];

		if (history.now - w->slot < back &&
		    (above ? w->level >= bound : w->level <= bound))
			back = history.now - w->slot;
	}
	return back;
}

static u64 random_level(void)
{
	switch (unit_between(0, 3)) {
	case 0:
		return unit_between(0, 8);
	case 1:
		return unit_random();
	case 2:
		return U64_MAX - unit_between(0, 2);
	default:
		return unit_amount(20);
	}
}

static void any_history_by_definition(struct kunit *test)
{
	unit_rounds(1500) {
		u64 level = random_level();
		struct ramp_trail t = begun(level);
		int i, j, rolls = unit_between(1, 60);

		history.count = 0;
		history.begin = 1ULL << 40;
		history.now = history.begin;
		for (i = 0; i < RAMP_SLOTS; i++)
			was(history.now - i, level);

		for (i = 0; i < 120; i++) {
			u64 slots = 0, range, bound, low, high;

			if (unit_chance(rolls)) {
				slots = unit_chance(70) ? 1 :
					unit_between(1, unit_chance(80) ? 20 :
							1ULL << 50);
				ramp_trail_roll(&t, level, slots);
				history.now += slots;
				for (j = 0; j < RAMP_SLOTS && slots--; j++)
					was(history.now - j, level);
			} else {
				level = random_level();
				ramp_trail_note(&t, level);
				was(history.now, level);
			}

			low = definition_extreme(false);
			high = definition_extreme(true);
			unit_check(t.low == low && t.high == high,
				   "%llu..%llu, not %llu..%llu", t.low, t.high,
				   low, high);
			bound = unit_chance(50) ? level : random_level();
			unit_check(ramp_trail_since(&t, bound, true) ==
				   definition_since(bound, true), "%llu",
				   bound);
			unit_check(ramp_trail_since(&t, bound, false) ==
				   definition_since(bound, false), "%llu",
				   bound);
			range = unit_chance(50) ? high - low +
				unit_between(0, high - low < U64_MAX) :
				random_level();
			unit_check(ramp_trail_settled(&t, range) ==
				   (history.now - history.begin >= RAMP_SLOTS &&
				    high - low < range), "range %llu", range);
		}
	}
}

UNIT_SUITE(trail,
	   UNIT_CASE(begins_as_if_it_had_always_been_so),
	   UNIT_CASE(knows_the_extremes_of_a_window),
	   UNIT_CASE(a_level_that_stays_is_not_forgotten),
	   UNIT_CASE(tells_how_many_slots_ago),
	   UNIT_CASE(settles_after_a_window),
	   UNIT_CASE(any_history_by_definition));
