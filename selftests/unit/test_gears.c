// SPDX-License-Identifier: GPL-2.0
/* Gears: each branch of NetFridgeS's Algorithm 1 and of what is ours, and the
 * law against the algorithm as the document writes it down.
 */
#include "unit.h"
#include "gears.h"

static void thresholds(struct kunit *test)
{
	static const u16 up[] = { 5000, 7000, 10000, 1, 3334, 9000 };
	static const u16 down[] = { 1000, 2000, 9999, 0, 3333, 8000 };
	struct ramp_gears_params q = { .n = 5 };
	u32 limit, i;

	ramp_gears_resolve(&q, up, down, 1000);
	assert_int_equal(q.up[0], 500);
	assert_int_equal(q.down[0], 100);
	assert_int_equal(q.up[1], 700);
	assert_int_equal(q.down[1], 200);
	assert_int_equal(q.up[2], 1000);
	assert_int_equal(q.down[2], 999);
	assert_int_equal(q.up[3], 1);
	assert_int_equal(q.down[3], 0);
	assert_int_equal(q.up[4], 334);
	assert_int_equal(q.down[4], 333);
	/* There are no more. */
	assert_int_equal(q.up[5], 0);
	assert_int_equal(q.down[5], 0);

	for (limit = 1; limit <= 2000; limit++) {
		ramp_gears_resolve(&q, up, down, limit);
		for (i = 0; i < 5; i++)
			assert_true(q.down[i] < q.up[i]);
	}
	ramp_gears_resolve(&q, up, down, 1 << 20);
	assert_int_equal(q.up[1], 734004);
	assert_int_equal(q.down[1], 209715);
	assert_int_equal(q.down[2], 1048471);
}

static void one_gear_at_a_time(struct kunit *test)
{
	u32 gear;

	begin_at(1);
	for (gear = 1; gear < GEARS - 1; gear++) {
		assert_int_equal(move(699), RAMP_GEARS_STAY);
		assert_int_equal(g.gear, gear);
		assert_int_equal(move(gear % 2 ? 700 : U32_MAX),
				 RAMP_GEARS_OCCUPANCY);
		assert_int_equal(g.gear, gear + 1);
	}
	/* There is none above. */
	assert_int_equal(move(U32_MAX), RAMP_GEARS_STAY);
	assert_int_equal(g.gear, GEARS - 1);

	for (gear = GEARS - 1; gear > 1; gear--) {
		now += DWELL;
		assert_int_equal(move(201), RAMP_GEARS_STAY);
		assert_int_equal(move(gear % 2 ? 200 : 0),
				 RAMP_GEARS_OCCUPANCY);
		assert_int_equal(g.gear, gear - 1);
	}
	/* The idle gear is not asked for. */
	now += DWELL;
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	assert_int_equal(g.gear, 1);
	assert_int_equal(g.changes, 3 * (GEARS - 2));
}

static void a_result_outside_the_range_is_not_taken(struct kunit *test)
{
	begin_at(3);
	p.min = 2;
	p.max = 3;
	assert_int_equal(change(500), RAMP_GEARS_STAY);
	assert_int_equal(move(1000), RAMP_GEARS_STAY);
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	now += HOUR;
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	assert_int_equal(g.gear, 2);
	assert_int_equal(move(700), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.gear, 3);

	/* Neither of both is news. */
	assert_false(ramp_gears_outside(&g, U32_MAX));
	assert_true(ramp_gears_outside(&g, 200));
	assert_false(ramp_gears_outside(&g, 201));
}

/* Algorithm 1, by its lines and its names. */
static u32 th_in[RAMP_GEARS_MAX], th_de[RAMP_GEARS_MAX];

static u32 threshold(u32 occupancy, u32 i)
{
	if (occupancy >= th_in[i])			/* 22 */
		return i + 1;
	else if (occupancy <= th_de[i])			/* 24 */
		return i - 1;
	else
		return i;
}

static u32 algorithm_1(bool ctrl, u32 occupancy, u32 i, u32 c_min, u32 c_max)
{
	if (ctrl) {					/* 11 */
		if (c_min <= threshold(occupancy, i) &&
		    threshold(occupancy, i) <= c_max)	/* 12 */
			return threshold(occupancy, i);
		else
			return i;			/* 15 */
	} else {
		return threshold(occupancy, i);		/* 18 */
	}
}

static u32 kept, taken;

/* All gears of a range, all occupancies. */
static void as_written(u32 n, u32 min, u32 max)
{
	bool whole = min == 1 && max == n - 1;
	u32 gear, o, result;

	p = (struct ramp_gears_params){
		.n = n, .min = min, .max = max, .top = n - 1,
	};
	memcpy(p.up, th_in, sizeof(p.up));
	memcpy(p.down, th_de, sizeof(p.down));
	for (gear = min; gear <= max; gear++) {
		for (o = 0; o < 14; o++) {
			result = algorithm_1(!whole, o, gear, min, max);
			/* Line 18 knows no end of the set, nor the
			 * idle gear.
			 */
			if (result == n || !result)
				result = gear;
			ramp_gears_init(&g, &p, HOUR);
			g.gear = gear;
			ramp_gears_bounds(&g, &p);
			assert_int_equal(ramp_gears_outside(&g, o),
					 result != gear);
			assert_int_equal(ramp_gears_move(&g, &p, o, HOUR),
					 result == gear ? RAMP_GEARS_STAY :
							  RAMP_GEARS_OCCUPANCY);
			assert_int_equal(g.gear, result);
			kept += result != threshold(o, gear);
			taken += result != gear;
		}
	}
}

static void as_the_document_writes_it(struct kunit *test)
{
	u32 n, min, max, i;

	for (n = 2; n <= 7; n++) {
		for (i = 1; i < n; i++) {
			th_in[i] = 3 + (i * 5) % 7;
			th_de[i] = (i * 3) % th_in[i];
		}
		for (min = 1; min < n; min++)
			for (max = min; max < n; max++)
				as_written(n, min, max);
	}
	unit_note("results outside the range: %u, taken: %u", kept, taken);
	assert_true(kept > 100 && taken > 100);
}

/* The document keeps the gear, as no result of one step lies in the range. Ours
 * moves into the range, to its nearest gear, whatever the occupancy asks for.
 */
static void a_range_that_excludes_the_present_gear(struct kunit *test)
{
	begin_at(5);
	memcpy(th_in, p.up, sizeof(th_in));
	memcpy(th_de, p.down, sizeof(th_de));
	p.min = 2;
	p.max = 3;
	assert_int_equal(algorithm_1(true, 1000, 5, 2, 3), 5);
	assert_int_equal(algorithm_1(true, 0, 5, 2, 3), 5);
	assert_int_equal(change(1000), RAMP_GEARS_RANGE);
	assert_int_equal(g.gear, 3);
	assert_int_equal(g.changes, 1);

	p.min = 5;
	p.max = 5;
	assert_int_equal(algorithm_1(true, 0, 3, 5, 5), 3);
	assert_int_equal(change(0), RAMP_GEARS_RANGE);
	assert_int_equal(g.gear, 5);
	assert_false(ramp_gears_outside(&g, 0));
	assert_false(ramp_gears_outside(&g, U32_MAX));

	p.min = 1;
	assert_int_equal(change(500), RAMP_GEARS_STAY);
	assert_int_equal(g.changes, 2);

	/* To a range that holds it, no move, and the rule goes on. */
	p.max = 4;
	p.min = 4;
	assert_int_equal(change(500), RAMP_GEARS_RANGE);
	p.min = 3;
	assert_int_equal(change(0), RAMP_GEARS_STAY);
	now += p.dwell;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.gear, 3);
}

static void links_cap_the_range(struct kunit *test)
{
	begin_at(5);
	p.min = 2;
	p.top = 3;
	assert_int_equal(change(1000), RAMP_GEARS_LINK);
	assert_int_equal(g.gear, 3);
	assert_int_equal(g.range_drops, 0);
	assert_false(ramp_gears_outside(&g, U32_MAX));

	/* Below the controller's range: the links win, and it counts once. */
	p.top = 1;
	assert_int_equal(change(1000), RAMP_GEARS_LINK);
	assert_int_equal(g.gear, 1);
	assert_int_equal(g.range_drops, 1);
	assert_int_equal(change(1000), RAMP_GEARS_STAY);
	assert_int_equal(g.range_drops, 1);
	assert_int_equal(move(1000), RAMP_GEARS_STAY);
	assert_int_equal(move(0), RAMP_GEARS_STAY);

	/* Up again: back into the controller's range, and the rule goes on. */
	p.top = 5;
	assert_int_equal(change(500), RAMP_GEARS_RANGE);
	assert_int_equal(g.gear, 2);
	assert_int_equal(move(700), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.range_drops, 1);
	p.min = 4;
	p.max = 4;
	p.top = 3;
	assert_int_equal(change(500), RAMP_GEARS_STAY);
	assert_int_equal(g.range_drops, 2);
	assert_int_equal(g.gear, 3);

	/* From the begin. */
	ramp_gears_init(&g, &p, now);
	assert_int_equal(g.range_drops, 1);
	assert_int_equal(g.gear, 3);
	assert_int_equal(g.changes, 0);
	assert_false(ramp_gears_outside(&g, 0));
	assert_false(ramp_gears_outside(&g, U32_MAX));

	/* Above both of them: the links are why, below them the range is. */
	begin_at(5);
	p.max = 4;
	p.top = 3;
	assert_int_equal(change(500), RAMP_GEARS_LINK);
	begin_at(5);
	p.max = 3;
	p.top = 4;
	assert_int_equal(change(500), RAMP_GEARS_LINK);
	begin_at(4);
	p.max = 3;
	p.top = 4;
	assert_int_equal(change(500), RAMP_GEARS_RANGE);
	assert_int_equal(g.gear, 3);
}

static void links_alone(struct kunit *test)
{
	begin_at(2);
	p.links = true;
	p.top = 4;
	assert_int_equal(change(0), RAMP_GEARS_LINK);
	assert_int_equal(g.gear, 4);
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	assert_int_equal(move(U32_MAX), RAMP_GEARS_STAY);
	assert_false(ramp_gears_outside(&g, 0));
	assert_false(ramp_gears_outside(&g, U32_MAX));

	p.top = 3;
	assert_int_equal(change(1000), RAMP_GEARS_LINK);
	assert_int_equal(g.gear, 3);
	p.max = 2;
	assert_int_equal(change(1000), RAMP_GEARS_LINK);
	assert_int_equal(g.gear, 2);
	p.min = 2;
	p.top = 1;
	assert_int_equal(change(1000), RAMP_GEARS_LINK);
	assert_int_equal(g.gear, 1);
	assert_int_equal(g.range_drops, 1);

	/* Out of the idle gear to what the links give, not to the lowest. */
	p.min = 1;
	p.top = 5;
	p.max = 4;
	change(0);
	now += p.dwell;
	assert_int_equal(ramp_gears_rest(&g, &p, now), RAMP_GEARS_IDLE);
	assert_int_equal(move(1), RAMP_GEARS_IDLE);
	assert_int_equal(g.gear, 4);
}

static void the_idle_gear(struct kunit *test)
{
	begin_at(3);
	p.min = 2;
	p.max = 4;
	change(500);
	assert_int_equal(ramp_gears_rest(&g, &p, now), RAMP_GEARS_IDLE);
	assert_int_equal(g.gear, 0);
	assert_int_equal(ramp_gears_rest(&g, &p, now + HOUR), RAMP_GEARS_STAY);
	assert_int_equal(g.changes, 3);

	/* Nothing but a packet ends it: no range, no links. */
	assert_false(ramp_gears_outside(&g, 0));
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	p.min = 3;
	assert_int_equal(change(0), RAMP_GEARS_STAY);
	p.top = 1;
	assert_int_equal(change(0), RAMP_GEARS_STAY);
	p.top = 5;
	p.min = 2;
	assert_int_equal(change(0), RAMP_GEARS_STAY);
	assert_int_equal(g.gear, 0);
	assert_false(ramp_gears_outside(&g, 0));

	/* The first one does at once, into the range's lowest gear. */
	assert_true(ramp_gears_outside(&g, 1));
	assert_int_equal(move(1), RAMP_GEARS_IDLE);
	assert_int_equal(g.gear, 2);
	now += p.dwell;
	ramp_gears_rest(&g, &p, now);
	assert_int_equal(move(U32_MAX), RAMP_GEARS_IDLE);
	assert_int_equal(g.gear, 2);

	/* Also when it finds a change. */
	now += p.dwell;
	ramp_gears_rest(&g, &p, now);
	p.top = 1;
	assert_int_equal(change(1), RAMP_GEARS_IDLE);
	assert_int_equal(g.gear, 1);
}

UNIT_SUITE(gears,
	   UNIT_CASE(thresholds),
	   UNIT_CASE(one_gear_at_a_time),
	   UNIT_CASE(a_result_outside_the_range_is_not_taken),
	   UNIT_CASE(as_the_document_writes_it),
	   UNIT_CASE(a_range_that_excludes_the_present_gear),
	   UNIT_CASE(links_cap_the_range),
	   UNIT_CASE(links_alone),
	   UNIT_CASE(the_idle_gear));
