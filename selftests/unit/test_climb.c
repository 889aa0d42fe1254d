// SPDX-License-Identifier: GPL-2.0
/* A pace that climbs: by a step per tick and no faster, whatever becomes of its
 * goal.
 */
#include "unit.h"
#include <net/ramp/climb.h>

#define TICK	100000U

static struct ramp_climb c;
static u64 now;

static int begin(struct kunit *test)
{
	now = HOUR;
	ramp_climb_begin(&c, 1000, now);
	return 0;
}

static void steps_per_second(struct kunit *test)
{
	assert_int_equal(ramp_climb_step(625, TICK), 6250000);
	assert_int_equal(ramp_climb_step(1, 1000000000), 1);
	assert_int_equal(ramp_climb_step(0, TICK), 1);
	assert_int_equal(ramp_climb_step(BIT_ULL(40) - 1, 1000000000),
			 BIT_ULL(40) - 1);
	assert_int_equal(ramp_climb_step(BIT_ULL(40) - 1, 50000),
			 RAMP_CLIMB_OPEN);
	assert_int_equal(ramp_climb_step(BIT_ULL(40), 1), RAMP_CLIMB_OPEN);
}

static void at_rest(struct kunit *test)
{
	assert_int_equal(c.rate, 1000);
	assert_false(ramp_climb_due(&c, now + HOUR));
	assert_true(ramp_climb_when(&c) == U64_MAX);
}

static void up_by_steps(struct kunit *test)
{
	u32 tick;

	now += HOUR;
	assert_false(ramp_climb_to(&c, 1050, now));
	assert_int_equal(c.rate, 1000);
	for (tick = 0; tick < 5; tick++) {
		assert_int_equal(ramp_climb_when(&c), now);
		assert_false(ramp_climb_due(&c, now - 1));
		assert_true(ramp_climb_due(&c, now));
		ramp_climb_on(&c, 12, TICK, now);
		assert_int_equal(c.rate, min_t(u32, 1050, 1012 + 12 * tick));
		assert_false(ramp_climb_due(&c, now + TICK - 1));
		now += TICK;
	}
	assert_false(ramp_climb_due(&c, now));
	assert_true(ramp_climb_when(&c) == U64_MAX);
}

static void down_at_once(struct kunit *test)
{
	assert_true(ramp_climb_to(&c, 400, now));
	assert_int_equal(c.rate, 400);
	assert_true(ramp_climb_when(&c) == U64_MAX);
	assert_false(ramp_climb_to(&c, 400, now));
	assert_true(ramp_climb_to(&c, 0, now));
	assert_int_equal(c.rate, 0);
}

/* The ticks that were missed are no reason for a jump. */
static void who_comes_late(struct kunit *test)
{
	ramp_climb_to(&c, RAMP_CLIMB_OPEN, now);
	ramp_climb_on(&c, 100, TICK, now);
	now += 50 * TICK;
	assert_true(ramp_climb_due(&c, now));
	ramp_climb_on(&c, 100, TICK, now);
	assert_int_equal(c.rate, 1200);
	assert_int_equal(ramp_climb_when(&c), now + TICK);
}

/* A step that is not over is waited for, also by a new goal. */
static void goals_that_follow_closely(struct kunit *test)
{
	ramp_climb_to(&c, 1100, now);
	ramp_climb_on(&c, 100, TICK, now);
	ramp_climb_to(&c, 5000, now + 1);
	assert_false(ramp_climb_due(&c, now + TICK - 1));
	ramp_climb_to(&c, 1, now + 2);
	ramp_climb_to(&c, 5000, now + 3);
	assert_int_equal(c.rate, 1);
	assert_false(ramp_climb_due(&c, now + TICK - 1));
	assert_true(ramp_climb_due(&c, now + TICK));
}

/* Whatever the goals: never above, at once when lower, and up by at most a step
 * per tick.
 */
static void random_goals(struct kunit *test)
{
	unit_rounds(200) {
		u64 step = unit_between(1, 1000), last = 0, rate, goal = 1000;
		u32 n;

		now = unit_chance(30) ? UNIT_LATE_CLOCK : unit_between(0, HOUR);
		ramp_climb_begin(&c, goal, now);
		for (n = 0; n < 500; n++) {
			now += unit_between(0, 2 * TICK);
			if (unit_chance(20)) {
				goal = unit_between(0, 20000);
				ramp_climb_to(&c, goal, now);
			}
			rate = c.rate;
			if (ramp_climb_due(&c, now)) {
				unit_check(!last || now - last >= TICK,
					   "%u: %llu ns", n, now - last);
				last = now;
				ramp_climb_on(&c, step, TICK, now);
				unit_check(c.rate == min_t(u64, goal,
							   rate + step),
					   "%u: %llu", n, c.rate);
			}
			unit_check(c.rate <= goal && c.goal == goal, "%u", n);
		}
	}
}

UNIT_SUITE_INIT(climb, begin, NULL,
		UNIT_CASE(steps_per_second),
		UNIT_CASE(at_rest),
		UNIT_CASE(up_by_steps),
		UNIT_CASE(down_at_once),
		UNIT_CASE(who_comes_late),
		UNIT_CASE(goals_that_follow_closely),
		UNIT_CASE(random_goals));
