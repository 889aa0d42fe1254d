// SPDX-License-Identifier: GPL-2.0
/* Fullness and classes: US 8625624, [0034]. "24 is class 0, 25 class 1." */
#include "unit.h"
#include <net/ramp/fullness.h>

static const struct ramp_classes four = {
	.count = 3,
	.bound = { 25, 50, 75 },
};

static struct ramp_classes some_classes(void)
{
	struct ramp_classes c = {
		.count = unit_between(1, RAMP_CLASS_BOUNDS),
	};
	u32 i, from = 1;

	for (i = 0; i < c.count; i++) {
		c.bound[i] = unit_between(from, RAMP_CLASS_BOUND_MAX -
						(c.count - 1 - i));
		from = c.bound[i] + 1;
	}
	return c;
}

static u32 class_of(const struct ramp_classes *c, u32 percent)
{
	u32 class = 0, i;

	for (i = 0; i < c->count; i++)
		class += percent >= c->bound[i];
	return class;
}

static void classes_of_the_document(struct kunit *test)
{
	static const u32 begins[] = { 0, 25, 50, 75, 101 };
	struct ramp_scale s;
	u32 class, percent;

	ramp_scale_set(&s, &four, 100);
	for (class = 0; class < 4; class++) {
		for (percent = begins[class]; percent < begins[class + 1];
		     percent++)
			assert_int_equal(ramp_scale_class(&s, percent), class);
	}
}

static void percent_is_rounded_down(struct kunit *test)
{
	struct ramp_scale s;

	/* 249 of 1000 are 24.9 percent, so 24 */
	ramp_scale_set(&s, &four, 1000);
	assert_int_equal(ramp_scale_class(&s, 249), 0);
	assert_int_equal(ramp_scale_class(&s, 250), 1);
	assert_int_equal(ramp_fullness_percent(249, 1000), 24);
	assert_int_equal(ramp_fullness_percent(250, 1000), 25);
	assert_int_equal(ramp_fullness_percent(999, 1000), 99);
	assert_int_equal(ramp_fullness_percent(1000, 1000), 100);
	assert_int_equal(ramp_fullness_percent(U32_MAX, 1), RAMP_PERCENT_MAX);
}

static void two_and_eight_classes(struct kunit *test)
{
	const struct ramp_classes two = { .count = 1, .bound = { 50 } };
	const struct ramp_classes eight = {
		.count = 7,
		.bound = { 12, 25, 37, 50, 62, 75, 87 },
	};
	struct ramp_scale s;
	u32 percent;

	ramp_scale_set(&s, &two, 100);
	for (percent = 0; percent <= 100; percent++)
		assert_int_equal(ramp_scale_class(&s, percent), percent >= 50);
	ramp_scale_set(&s, &eight, 100);
	for (percent = 0; percent <= 100; percent++)
		assert_int_equal(ramp_scale_class(&s, percent),
				 class_of(&eight, percent));
	assert_int_equal(ramp_scale_class(&s, 100), 7);
}

static void wrong_classes_are_found(struct kunit *test)
{
	struct ramp_classes c = four;

	assert_int_equal(ramp_classes_check(&c), RAMP_CLASSES_GOOD);
	c.count = 0;
	assert_int_equal(ramp_classes_check(&c), RAMP_CLASSES_COUNT);
	c.count = 8;
	assert_int_equal(ramp_classes_check(&c), RAMP_CLASSES_COUNT);
	c = (struct ramp_classes){ 7, { 1, 2, 3, 4, 5, 6, 100 } };
	assert_int_equal(ramp_classes_check(&c), RAMP_CLASSES_GOOD);
	c.bound[6] = 101;
	assert_int_equal(ramp_classes_check(&c), RAMP_CLASSES_RANGE);
	c = (struct ramp_classes){ 1, { 0 } };
	assert_int_equal(ramp_classes_check(&c), RAMP_CLASSES_RANGE);
	c = (struct ramp_classes){ 2, { 50, 50 } };
	assert_int_equal(ramp_classes_check(&c), RAMP_CLASSES_ORDER);
	c = (struct ramp_classes){ 3, { 10, 60, 20 } };
	assert_int_equal(ramp_classes_check(&c), RAMP_CLASSES_ORDER);
}

static void what_is_full_comes_last(struct kunit *test)
{
	struct ramp_scale small, large;

	ramp_scale_set(&small, &four, 10);
	ramp_scale_set(&large, &four, 1000);
	assert_int_equal(ramp_scale_rank(&small, 9), 3);
	assert_int_equal(ramp_scale_rank(&small, 10), RAMP_RANK_FULL + 100);
	/* however small the port, and however much was sent there: up to 655
	 * times what it holds
	 */
	assert_true(ramp_scale_rank(&small, 6552) <
		    ramp_scale_rank(&small, 6553));
	assert_int_equal(ramp_scale_rank(&small, 6554),
			 ramp_scale_rank(&small, 7000));
	/* both full: 110 percent are better than 120 */
	assert_true(ramp_scale_rank(&large, 1100) <
		    ramp_scale_rank(&small, 12));
	assert_true(ramp_scale_rank(&small, 11) <
		    ramp_scale_rank(&large, 1110));
	assert_true(ramp_scale_rank(&large, 999) < ramp_scale_rank(&small, 10));
	/* the class says nothing of that */
	assert_int_equal(ramp_scale_class(&small, 10), 3);
	assert_int_equal(ramp_scale_class(&small, U32_MAX), 3);
}

static void capacity_has_bounds(struct kunit *test)
{
	struct ramp_scale s;

	ramp_scale_set(&s, &four, 0);
	assert_int_equal(s.capacity, 1);
	assert_int_equal(ramp_scale_rank(&s, 0), 0);
	assert_int_equal(ramp_scale_rank(&s, 1), RAMP_RANK_FULL + 100);
	ramp_scale_set(&s, &four, U64_MAX);
	assert_int_equal(s.capacity, RAMP_CAPACITY_MAX);
	assert_int_equal(s.from[2], RAMP_CAPACITY_MAX / 4 * 3);
}

static u32 some_waiting(u32 capacity)
{
	/* as often below as above, and around */
	return unit_between(0, unit_chance(50) ? 2ULL * capacity :
						 unit_amount(32) - 1);
}

static void classes_are_those_of_the_percent(struct kunit *test)
{
	unit_rounds(100000) {
		struct ramp_classes c = some_classes();
		u32 capacity = unit_amount(30);
		u32 waiting = some_waiting(capacity);
		u32 percent = ramp_fullness_percent(waiting, capacity);
		struct ramp_scale s;

		unit_check(ramp_classes_check(&c) == RAMP_CLASSES_GOOD, "%u",
			   c.count);
		ramp_scale_set(&s, &c, capacity);
		unit_check(ramp_scale_class(&s, waiting) ==
			   class_of(&c, percent),
			   "%u of %u", waiting, capacity);
		if (waiting < capacity)
			unit_check(ramp_scale_rank(&s, waiting) ==
				   class_of(&c, percent),
				   "%u of %u", waiting, capacity);
		else
			unit_check(ramp_scale_rank(&s, waiting) ==
				   RAMP_RANK_FULL + percent,
				   "%u of %u", waiting, capacity);
	}
}

/* Until then the rank stays, and then it does not. */
static void until_is_exact(struct kunit *test)
{
	unit_rounds(100000) {
		struct ramp_classes c = some_classes();
		u32 capacity = unit_amount(30);
		u32 waiting = some_waiting(capacity);
		struct ramp_scale s;
		u32 rank, until;

		ramp_scale_set(&s, &c, capacity);
		rank = ramp_scale_rank(&s, waiting);
		until = ramp_scale_until(&s, waiting);
		unit_check(until, "%u of %u", waiting, capacity);
		if (until > U32_MAX - waiting)
			continue;
		unit_check(ramp_scale_rank(&s, waiting + until - 1) == rank,
			   "%u of %u: %u", waiting, capacity, until);
		if (rank < RAMP_RANK_FULL + RAMP_PERCENT_MAX)
			unit_check(ramp_scale_rank(&s, waiting + until) > rank,
				   "%u of %u: %u", waiting, capacity, until);
	}
}

static void nothing_is_fuller_than_the_fullest(struct kunit *test)
{
	struct ramp_scale s;

	ramp_scale_set(&s, &four, 1);
	assert_int_equal(ramp_scale_until(&s, U32_MAX), U32_MAX);
	assert_int_equal(ramp_scale_until(&s, 1), 1);
	assert_int_equal(ramp_scale_until(&s, RAMP_PERCENT_MAX), U32_MAX);
	/* where the next percent would begin, were there one */
	ramp_scale_set(&s, &four, 25);
	assert_int_equal(ramp_scale_until(&s, (RAMP_PERCENT_MAX + 1) / 4),
			 U32_MAX);
}

static void what_drops_holds_no_more(struct kunit *test)
{
	struct ramp_held h;

	ramp_held_begin(&h, 0, 7);
	assert_int_equal(h.capacity, 0);
	assert_false(ramp_held_read(&h, 500, 7, false, true));
	assert_int_equal(h.capacity, 0);
	assert_true(ramp_held_read(&h, 600, 8, false, true));
	assert_int_equal(h.capacity, 600);
	/* full once, not until it drops again */
	assert_false(ramp_held_read(&h, 599, 8, false, true));
	assert_int_equal(h.capacity, 600);
	/* less than that, since large packets need more room */
	assert_false(ramp_held_read(&h, 90, 8, false, true));
	assert_true(ramp_held_read(&h, 100, 9, false, true));
	assert_int_equal(h.capacity, 100);
}

static void until_it_held_more(struct kunit *test)
{
	struct ramp_held h;

	ramp_held_begin(&h, 0, 0);
	assert_true(ramp_held_read(&h, 100, 1, false, true));
	assert_false(ramp_held_read(&h, 140, 1, false, true));
	assert_int_equal(h.capacity, 140);
	assert_false(ramp_held_read(&h, 120, 1, false, true));
	assert_int_equal(h.capacity, 140);
}

/* What waited before the drop left before the reading. */
static void some_left_since_it_dropped(struct kunit *test)
{
	struct ramp_held h;

	ramp_held_begin(&h, 100, 0);
	assert_true(ramp_held_read(&h, 60, 3, false, true));
	assert_int_equal(h.capacity, 100);
	assert_true(ramp_held_read(&h, 30, 4, false, true));
	assert_int_equal(h.capacity, 60);
}

static void nothing_waits_where_it_dropped(struct kunit *test)
{
	struct ramp_held h;

	ramp_held_begin(&h, 0, 0);
	assert_false(ramp_held_read(&h, 0, 5, false, true));
	assert_int_equal(h.capacity, 0);
	/* and these five are no news any more */
	assert_false(ramp_held_read(&h, 10, 5, false, true));
	assert_int_equal(h.capacity, 0);
}

/* As codel does, which would rather have a short queue. */
static void what_waited_may_be_dropped(struct kunit *test)
{
	struct ramp_held h;

	ramp_held_begin(&h, 10, 0);
	assert_false(ramp_held_read(&h, 20, 1, false, false));
	assert_false(ramp_held_read(&h, 20, 1, true, false));
	assert_int_equal(h.capacity, 0);
	/* a packet may be refused elsewhere */
	assert_false(ramp_held_read(&h, 20, 1, false, true));
	assert_int_equal(h.capacity, 0);
}

static void other_counters_may_know(struct kunit *test)
{
	struct ramp_held h;

	ramp_held_begin(&h, 0, 0);
	assert_true(ramp_held_read(&h, 10, 0, true, true));
	assert_int_equal(h.capacity, 10);
	assert_false(ramp_held_read(&h, 10, 0, false, true));
}

static void another_port_is_learned_anew(struct kunit *test)
{
	struct ramp_held h;

	ramp_held_begin(&h, 0, 10);
	assert_true(ramp_held_read(&h, 100, 20, false, true));
	assert_false(ramp_held_read(&h, 50, 19, true, true));
	assert_int_equal(h.capacity, 0);
	/* of which nothing more is known than this reading */
	assert_true(ramp_held_read(&h, 40, 20, false, true));
	assert_int_equal(h.capacity, 50);
}

static void drops_may_wrap(struct kunit *test)
{
	struct ramp_held h;

	ramp_held_begin(&h, 0, U32_MAX);
	assert_true(ramp_held_read(&h, 10, 1, false, true));
	assert_int_equal(h.capacity, 10);
}

UNIT_SUITE(fullness,
	   UNIT_CASE(classes_of_the_document),
	   UNIT_CASE(percent_is_rounded_down),
	   UNIT_CASE(two_and_eight_classes),
	   UNIT_CASE(wrong_classes_are_found),
	   UNIT_CASE(what_is_full_comes_last),
	   UNIT_CASE(capacity_has_bounds),
	   UNIT_CASE(classes_are_those_of_the_percent),
	   UNIT_CASE(until_is_exact),
	   UNIT_CASE(nothing_is_fuller_than_the_fullest),
	   UNIT_CASE(what_drops_holds_no_more),
	   UNIT_CASE(until_it_held_more),
	   UNIT_CASE(some_left_since_it_dropped),
	   UNIT_CASE(nothing_waits_where_it_dropped),
	   UNIT_CASE(what_waited_may_be_dropped),
	   UNIT_CASE(other_counters_may_know),
	   UNIT_CASE(another_port_is_learned_anew),
	   UNIT_CASE(drops_may_wrap));
