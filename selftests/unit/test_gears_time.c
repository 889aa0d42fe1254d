// SPDX-License-Identifier: GPL-2.0
/* Gears: dwell, what counts as a flap, and clocks. */
#include "unit.h"
#include "gears.h"

static void moves_down_dwell(struct kunit *test)
{
	begin_at(5);
	/* The first one need not wait. */
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(ramp_gears_move_at(&g, &p), now + DWELL);
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	now += DWELL - 1;
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	assert_true(ramp_gears_outside(&g, 0));

	/* A move up does not wait, and takes nothing from the wait. */
	assert_int_equal(move(1000), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.gear, 5);
	assert_int_equal(ramp_gears_move_at(&g, &p), now + 1);
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	now++;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.gear, 4);

	/* Nor does the range, but who is moved down by it has moved down. */
	p.max = 3;
	assert_int_equal(change(0), RAMP_GEARS_RANGE);
	assert_int_equal(ramp_gears_move_at(&g, &p), now + DWELL);
	now += DWELL - 1;
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	p.top = 2;
	assert_int_equal(change(0), RAMP_GEARS_LINK);
	now += DWELL;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.gear, 1);

	/* A shorter dwell counts at once. */
	begin_at(5);
	move(0);
	p.dwell = 0;
	assert_int_equal(change(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.gear, 2);
}

static void rest_dwells_too(struct kunit *test)
{
	const u64 idle = 100 * NSEC_PER_MSEC;

	p = gears_params(GEARS);
	now = HOUR;
	ramp_gears_init(&g, &p, now);
	assert_int_equal(ramp_gears_rest_at(&g, &p, now, idle), now + idle);
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(ramp_gears_rest_at(&g, &p, now, idle), now + idle);
	assert_int_equal(ramp_gears_rest_at(&g, &p, now, DWELL - 1),
			 now + DWELL);
	assert_int_equal(ramp_gears_rest_at(&g, &p, now, DWELL + 1),
			 now + DWELL + 1);
	assert_int_equal(ramp_gears_rest(&g, &p, now + DWELL - 1),
			 RAMP_GEARS_STAY);
	assert_int_equal(g.gear, 4);
	assert_int_equal(ramp_gears_rest(&g, &p, now + DWELL),
			 RAMP_GEARS_IDLE);

	/* And who rested has moved down. */
	now += DWELL;
	assert_int_equal(move(1), RAMP_GEARS_IDLE);
	assert_int_equal(ramp_gears_rest(&g, &p, now + DWELL - 1),
			 RAMP_GEARS_STAY);
	assert_int_equal(ramp_gears_rest(&g, &p, now + DWELL),
			 RAMP_GEARS_IDLE);
}

static void flaps(struct kunit *test)
{
	begin_at(3);
	assert_int_equal(g.flap.flaps, 0);
	assert_int_equal(move(1000), RAMP_GEARS_OCCUPANCY);
	now += 10 * DWELL;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.flap.flaps, 1);
	now += 10 * DWELL + 1;
	assert_int_equal(move(1000), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.flap.flaps, 1);

	/* On in the same direction undoes nothing. */
	assert_int_equal(move(1000), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.flap.flaps, 1);
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(move(1000), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.flap.flaps, 3);

	/* Into the idle gear and back to another one. */
	begin_at(3);
	ramp_gears_rest(&g, &p, now);
	move(1);
	assert_int_equal(g.gear, 1);
	assert_int_equal(g.flap.flaps, 0);
	ramp_gears_rest(&g, &p, now + DWELL);
	assert_int_equal(g.flap.flaps, 1);

	/* The first move has nothing to undo, whatever the clock says. */
	p = gears_params(GEARS);
	ramp_gears_init(&g, &p, 0);
	assert_int_equal(ramp_gears_rest(&g, &p, 0), RAMP_GEARS_IDLE);
	assert_int_equal(g.flap.flaps, 0);
}

static void clocks_that_wrap_and_step(struct kunit *test)
{
	p = gears_params(GEARS);
	now = U64_MAX - DWELL / 2;
	ramp_gears_init(&g, &p, now);
	assert_int_equal(ramp_gears_rest_at(&g, &p, now, 0), now);
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(ramp_gears_rest_at(&g, &p, now, 1), now + DWELL);
	now += DWELL - 1;
	assert_true(now < DWELL);
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	now++;
	assert_int_equal(ramp_gears_rest_at(&g, &p, now, 0), now);
	assert_int_equal(ramp_gears_rest_at(&g, &p, now - 2, 1), now);
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.spent[4], DWELL);

	/* Back: it stands still, dwell as well. */
	assert_int_equal(ramp_gears_move(&g, &p, 0, now - HOUR),
			 RAMP_GEARS_STAY);
	assert_int_equal(ramp_gears_move(&g, &p, 0, now + DWELL - 1),
			 RAMP_GEARS_STAY);
	assert_int_equal(ramp_gears_move(&g, &p, 1000, now - HOUR),
			 RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.since, now);
	assert_int_equal(g.spent[3], 0);
	assert_int_equal(g.flap.flaps, 1);
	assert_int_equal(ramp_gears_move(&g, &p, 0, now + DWELL),
			 RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.spent[4], 2 * DWELL);
}

UNIT_SUITE(gears_time,
	   UNIT_CASE(moves_down_dwell),
	   UNIT_CASE(rest_dwells_too),
	   UNIT_CASE(flaps),
	   UNIT_CASE(clocks_that_wrap_and_step));
