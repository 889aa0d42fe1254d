// SPDX-License-Identifier: GPL-2.0
/* The ladder by itself: jumps, changes while it is climbed, and a million
 * random moves against steps that each remember whether
 * they are climbed.
 */
#include "ladder_even.h"

#define LIMIT	1000

static struct ramp_ladder_params steps;
static struct ramp_ladder ladder;

static void begin_even(u32 n, u32 every)
{
	assert_int_equal(resolve_even(&steps, n, every, 300, LIMIT), 0);
	ramp_ladder_init(&ladder, &steps);
}

static int move(u32 occupancy)
{
	return ramp_ladder_move(&ladder, &steps, occupancy);
}

static void a_jump_is_one_code(struct kunit *test)
{
	begin_even(10, 1000);
	assert_int_equal(move(LIMIT), 10);
	assert_int_equal(ladder.level, 10);
	assert_int_equal(ladder.codes, 1);
	assert_int_equal(ramp_ladder_rate(&ladder, &steps), 5000);
	assert_int_equal(ramp_ladder_next_up(&ladder, &steps), 0);
	assert_int_equal(ramp_ladder_next_down(&ladder, &steps), 970);

	/* All that were crossed are lowered: 295 is over the lowered third. */
	assert_int_equal(move(295), -7);
	assert_int_equal(ladder.level, 3);
	assert_int_equal(ladder.codes, 2);
	assert_int_equal(ramp_ladder_rate(&ladder, &steps), 8500);

	/* The fourth was raised again. */
	assert_int_equal(move(399), 0);
	assert_int_equal(move(400), 1);
	assert_int_equal(move(400), 0);
	assert_int_equal(move(0), -4);
	assert_int_equal(ladder.codes, 4);
	assert_int_equal(ramp_ladder_rate(&ladder, &steps), 10000);
}

static void at_the_very_threshold(struct kunit *test)
{
	begin_even(2, 5000);
	assert_int_equal(move(499), 0);
	assert_int_equal(move(500), 1);
	assert_int_equal(move(499), 0);
	assert_int_equal(move(486), 0);
	assert_int_equal(move(485), -1);
	assert_int_equal(move(499), 0);
	assert_int_equal(move(1000), 2);
	assert_int_equal(move(971), 0);
	assert_int_equal(move(970), -1);
	assert_int_equal(ladder.codes, 4);
}

/* 10 s of an occupancy that swings by a few packets, a packet each 100 us. */
static void swinging_is_no_code(struct kunit *test)
{
	u32 i, x;

	for (x = 1; x <= 9; x++) {
		begin_even(9, 1000);
		move(x * 100 - 4);
		ladder.codes = 0;
		for (i = 0; i < 100000; i++) {
			/* -1 .. 1 around the threshold, and back */
			u32 off = i % 4 == 3 ? 1 : i % 4;

			if (ramp_ladder_outside(&ladder, x * 100 - 1 + off))
				move(x * 100 - 1 + off);
		}
		assert_int_equal(ladder.codes, 1);
	}
}

static void no_ladder_is_no_news(struct kunit *test)
{
	struct ramp_ladder_params none = { .rate[0] = RAMP_WHOLE };

	ramp_ladder_resolve(&none, NULL, 300, LIMIT);
	ramp_ladder_init(&ladder, &none);
	assert_false(ramp_ladder_outside(&ladder, 0));
	assert_false(ramp_ladder_outside(&ladder, U32_MAX));
	assert_int_equal(ramp_ladder_move(&ladder, &none, LIMIT), 0);
	assert_int_equal(ramp_ladder_rate(&ladder, &none), 10000);
	assert_int_equal(ramp_ladder_next_up(&ladder, &none), 0);
}

static bool change(const struct ramp_ladder_params *p, u32 occupancy)
{
	struct ramp_ladder_params old = steps;

	steps = *p;
	return ramp_ladder_change(&ladder, &old, &steps, occupancy);
}

/* Between its thresholds a step stays as it was. */
static void the_same_steps_change_nothing(struct kunit *test)
{
	struct ramp_ladder_params same;
	struct ramp_ladder before;

	begin_even(4, 2000);
	same = steps;
	move(400);
	move(390);
	before = ladder;
	assert_false(change(&same, 390));
	assert_memory_equal(&ladder, &before, sizeof(before));

	move(388);
	move(390);
	before = ladder;
	assert_false(change(&same, 390));
	assert_memory_equal(&ladder, &before, sizeof(before));
}

static void other_rates_are_a_code(struct kunit *test)
{
	struct ramp_ladder_params p;

	begin_even(4, 2000);
	p = steps;
	p.rate[1] = 1234;
	move(300);
	assert_true(change(&p, 300));
	assert_int_equal(ramp_ladder_rate(&ladder, &steps), 1234);
	assert_int_equal(ladder.level, 1);
	assert_int_equal(ladder.codes, 2);

	p.rate[2] = 77;
	assert_false(change(&p, 300));
	assert_int_equal(ladder.codes, 2);
}

static void thresholds_change_live(struct kunit *test)
{
	struct ramp_ladder_params p;

	begin_even(4, 2000);
	move(500);
	assert_int_equal(ladder.level, 2);

	/* Half the limit: the same occupancy is twice as much of it. */
	resolve_even(&p, 4, 2000, 300, LIMIT / 2);
	assert_true(change(&p, 500));
	assert_int_equal(ladder.level, 4);
	assert_int_equal(ladder.codes, 2);
	assert_int_equal(move(500), 0);

	/* A little more: what is lowered is lowered from its new place. */
	resolve_even(&p, 4, 2000, 300, LIMIT / 2 + 10);
	assert_false(change(&p, 400));
	assert_int_equal(ladder.level, 4);
	assert_int_equal(ramp_ladder_next_down(&ladder, &steps), 408 - 12);

	resolve_even(&p, 4, 2000, 300, 8 * LIMIT);
	assert_true(change(&p, 400));
	assert_int_equal(ladder.level, 0);
	assert_int_equal(ramp_ladder_rate(&ladder, &steps), 10000);
}

static void steps_come_and_go(struct kunit *test)
{
	struct ramp_ladder_params p, none = { .rate[0] = RAMP_WHOLE };

	begin_even(4, 2000);
	move(850);
	assert_int_equal(ladder.level, 4);
	assert_int_equal(ladder.codes, 1);

	resolve_even(&p, 2, 2000, 300, LIMIT);
	assert_true(change(&p, 850));
	assert_int_equal(ladder.level, 2);
	assert_int_equal(ladder.codes, 2);

	resolve_even(&p, 9, 1000, 300, LIMIT);
	assert_true(change(&p, 850));
	assert_int_equal(ladder.level, 8);
	assert_int_equal(ladder.codes, 3);

	/* Nobody is to be slow any more. */
	assert_true(change(&none, 850));
	assert_int_equal(ladder.level, 0);
	assert_int_equal(ramp_ladder_rate(&ladder, &steps), 10000);
	assert_int_equal(ladder.codes, 4);
	assert_false(ramp_ladder_outside(&ladder, LIMIT));

	assert_true(change(&p, 850));
	assert_int_equal(ladder.level, 8);
	assert_int_equal(ladder.codes, 5);
	assert_false(ramp_ladder_outside(&ladder, 850));
}

static void flap_at(u32 occupancy, u64 now)
{
	int moved = move(occupancy);

	assert_int_not_equal(moved, 0);
	ramp_ladder_flap(&ladder, moved, NSEC_PER_MSEC, now);
}

/* dwell is 1 ms: what undoes a move within 10. */
static void moves_that_undo_the_last(struct kunit *test)
{
	struct ramp_ladder_params p;
	u64 t = HOUR;

	begin_even(4, 2000);
	flap_at(200, t);
	flap_at(0, t += 10 * NSEC_PER_MSEC);
	assert_int_equal(ladder.flap.flaps, 1);
	flap_at(200, t += 10 * NSEC_PER_MSEC + 1);
	assert_int_equal(ladder.flap.flaps, 1);
	/* Two steps up are one move, and one of them down undoes it not. */
	flap_at(600, t += NSEC_PER_MSEC);
	flap_at(500, t += NSEC_PER_MSEC);
	assert_int_equal(ladder.flap.flaps, 1);
	flap_at(600, t += NSEC_PER_MSEC);
	flap_at(500, t += NSEC_PER_MSEC);
	assert_int_equal(ladder.flap.flaps, 3);

	/* A change of the steps that leaves the level counts for nothing. */
	p = steps;
	change(&p, 500);
	flap_at(600, t += NSEC_PER_MSEC);
	assert_int_equal(ladder.flap.flaps, 4);
	flap_at(500, t += NSEC_PER_MSEC);
	assert_int_equal(ladder.flap.flaps, 5);
	/* One that moves it, from 2 to 5, is no move that can be undone. */
	resolve_even(&p, 9, 1000, 300, LIMIT);
	change(&p, 500);
	assert_int_equal(ladder.level, 5);
	flap_at(350, t += NSEC_PER_MSEC);
	assert_int_equal(ladder.level, 3);
	assert_int_equal(ladder.flap.flaps, 5);
	flap_at(500, t += NSEC_PER_MSEC);
	assert_int_equal(ladder.flap.flaps, 6);
}

/* Each step by itself: a threshold with memory. */
static struct memory {
	bool	climbed[RAMP_LADDER_MAX + 1];
	u32	level;
	u64	codes;
} memory;

static void memory_see(u32 occupancy)
{
	u32 level = 0, x;

	for (x = 1; x <= steps.n; x++) {
		if (occupancy >= steps.up[x])
			memory.climbed[x] = true;
		else if (occupancy <= steps.down[x])
			memory.climbed[x] = false;
		level += memory.climbed[x];
	}
	memory.codes += level != memory.level;
	memory.level = level;
}

static void agree(u32 occupancy)
{
	unit_check(ladder.level == memory.level, "%u, %u at %u", ladder.level,
		   memory.level, occupancy);
	unit_check(ladder.codes == memory.codes, "%llu, %llu at %u",
		   ladder.codes, memory.codes, occupancy);
}

static u32 next_occupancy(u32 occupancy, u32 top)
{
	if (unit_chance(5))
		return unit_between(0, top);
	if (unit_chance(5))
		return steps.up[unit_between(1, steps.n)];
	if (unit_chance(5))
		return steps.down[unit_between(1, steps.n)];
	if (unit_chance(50))
		return occupancy + 1;
	return occupancy ? occupancy - 1 : 0;
}

static void a_million_moves(struct kunit *test)
{
	unit_rounds(1000) {
		u32 occupancy = 0, top, i;

		/* Small limits as well: thresholds that are close together. */
		resolve_even(&steps, unit_between(1, RAMP_LADDER_MAX),
			     unit_between(1, 625), unit_between(1, 5000),
			     unit_amount(20));
		ramp_ladder_init(&ladder, &steps);
		memory = (struct memory){};
		top = steps.up[steps.n] + 5;

		for (i = 0; i < 1000; i++) {
			struct ramp_ladder before = ladder;
			int moved = 0;

			occupancy = next_occupancy(occupancy, top);
			memory_see(occupancy);
			if (ramp_ladder_outside(&ladder, occupancy)) {
				moved = move(occupancy);
				unit_check(memcmp(&before, &ladder,
						  sizeof(before)),
					   "no news at %u", occupancy);
			}
			agree(occupancy);
			unit_check(moved == (int)ladder.level -
				   (int)before.level, "%d at %u", moved,
				   occupancy);
		}

		/* No drift: all the way up and down by what was configured. */
		move(top);
		for (i = steps.n; i; i--) {
			unit_check(!move(steps.down[i] + 1), "step %u", i);
			unit_check(move(steps.down[i]) == -1, "step %u", i);
		}
		for (i = 1; i <= steps.n; i++) {
			unit_check(!move(steps.up[i] - 1), "step %u", i);
			unit_check(move(steps.up[i]) == 1, "step %u", i);
		}
	}
}

/* Whatever changes, the ladder is where the new thresholds allow, and the rate
 * is another one if it says so.
 */
static void random_changes(struct kunit *test)
{
	unit_rounds(2000) {
		struct ramp_ladder_params p;
		u32 occupancy, rate, i;

		steps = (struct ramp_ladder_params){
			.rate[0] = RAMP_WHOLE
		};
		ramp_ladder_init(&ladder, &steps);
		for (i = 0; i < 50; i++) {
			struct ramp_ladder before;
			u64 codes = ladder.codes;
			bool due;

			occupancy = unit_amount(20);
			resolve_even(&p, unit_between(0, RAMP_LADDER_MAX),
				     unit_between(1, 625),
				     unit_between(1, 5000), unit_amount(20));
			rate = ramp_ladder_rate(&ladder, &steps);
			due = change(&p, occupancy);

			unit_check(due == (rate != ramp_ladder_rate(&ladder,
								    &steps)),
				   "change %u", i);
			unit_check(ladder.codes == codes + due, "change %u", i);
			unit_check(ladder.level <= p.n, "change %u", i);
			if (ladder.level)
				unit_check(occupancy > p.down[ladder.level],
					   "change %u", i);
			if (ladder.level < p.n)
				unit_check(occupancy < p.up[ladder.level + 1],
					   "change %u", i);
			unit_check(!ramp_ladder_outside(&ladder, occupancy),
				   "change %u", i);
			before = ladder;
			unit_check(!move(occupancy), "change %u", i);
			unit_check(!memcmp(&before, &ladder, sizeof(before)),
				   "change %u", i);
		}
	}
}

UNIT_SUITE(ladder,
	   UNIT_CASE(a_jump_is_one_code),
	   UNIT_CASE(at_the_very_threshold),
	   UNIT_CASE(swinging_is_no_code),
	   UNIT_CASE(no_ladder_is_no_news),
	   UNIT_CASE(the_same_steps_change_nothing),
	   UNIT_CASE(other_rates_are_a_code),
	   UNIT_CASE(thresholds_change_live),
	   UNIT_CASE(steps_come_and_go),
	   UNIT_CASE(moves_that_undo_the_last),
	   UNIT_CASE(a_million_moves),
	   UNIT_CASE(random_changes));
