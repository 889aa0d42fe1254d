// SPDX-License-Identifier: GPL-2.0
/* Gears: thresholds that are times, and what has to fit into a lower gear. */
#include "unit.h"
#include "gears.h"

#define US		1000ULL

/* 90 % of each gear. */
static void fit_begin(u32 gear)
{
	u32 i;

	begin_at(gear);
	for (i = 0; i < GEARS; i++)
		p.fit[i] = gears_rate[i] / 10 * 9;
	ramp_gears_mark(&g, now);
}

static void times(struct kunit *test)
{
	static const u64 rate[] = { 1000, GBIT, 10 * GBIT, 1ULL << 40 };
	static const u64 up[] = { 1, 200 * US, 200 * US, RAMP_GEARS_SEC };
	static const u64 down[] = { 0, 50 * US, 0, RAMP_GEARS_SEC - 1 };
	struct ramp_gears_params q = { .n = 4 };
	u32 most;

	ramp_gears_resolve_time(&q, rate, up, down, 1514, 1 << 30);
	assert_int_equal(q.up[0], 1515);
	assert_int_equal(q.down[0], 0);
	assert_int_equal(q.up[1], 25000);
	assert_int_equal(q.down[1], 6250);
	assert_int_equal(q.up[2], 250000);
	assert_int_equal(q.down[2], 0);
	assert_int_equal(q.up[3], 1 << 30);
	assert_int_equal(q.down[3], (1 << 30) - 1);

	/* One below the other, and within what there is room for. */
	for (most = 2; most < 40000; most += 7) {
		u32 i;

		ramp_gears_resolve_time(&q, rate, up, down, 1514, most);
		for (i = 0; i < 4; i++) {
			assert_true(q.up[i] <= most);
			assert_true(q.down[i] < q.up[i]);
		}
	}
	/* What is nearly a byte is none, and the largest packet is a packet. */
	ramp_gears_resolve_time(&q, rate, up, down, U32_MAX, U32_MAX);
	assert_int_equal(q.up[1], U32_MAX);
}

/* Of what came in the last dwell: as much as fits, and a byte more. */
static void what_came_has_to_fit(struct kunit *test)
{
	u64 fits = gears_rate[2] / 10 * 9 / (RAMP_GEARS_SEC / DWELL);

	fit_begin(3);
	now += DWELL;
	g.came = fits + 1;
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	/* From then on it is counted anew. */
	assert_int_equal(ramp_gears_move_at(&g, &p), now + DWELL);
	now += DWELL;
	g.came += fits;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.gear, 2);

	/* The lower one of the present gear, not of the top one. */
	fits = gears_rate[1] / 10 * 9 / (RAMP_GEARS_SEC / DWELL);
	now += DWELL;
	g.came += fits + 1;
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	now += DWELL;
	g.came += fits;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.gear, 1);
}

/* No less than dwell is looked at, and no more than two of them. */
static void how_long_it_is_counted(struct kunit *test)
{
	fit_begin(3);
	now += DWELL - 1;
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	assert_int_equal(ramp_gears_move_at(&g, &p), now + 1);
	now++;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);

	fit_begin(3);
	now += 2 * DWELL;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);

	/* What was counted for longer says nothing. */
	fit_begin(3);
	now += 2 * DWELL + 1;
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	now += DWELL;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);

	/* In twice the time twice as much may come. */
	fit_begin(3);
	now += 2 * DWELL;
	g.came = gears_rate[2] / 10 * 9 / (RAMP_GEARS_SEC / DWELL) * 2;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	fit_begin(3);
	now += 2 * DWELL;
	g.came = gears_rate[2] / 10 * 9 / (RAMP_GEARS_SEC / DWELL) * 2 + 1;
	assert_int_equal(move(0), RAMP_GEARS_STAY);
}

/* A move of any kind begins to count, so what came in a lower gear does not. */
static void a_move_counts_anew(struct kunit *test)
{
	fit_begin(3);
	g.came = HOUR;
	assert_int_equal(move(700), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.gear, 4);
	assert_int_equal(ramp_gears_move_at(&g, &p), now + DWELL);
	now += DWELL;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	assert_int_equal(g.gear, 3);

	/* The later of both is when it is judged. */
	now += DWELL / 2;
	ramp_gears_mark(&g, now);
	assert_int_equal(ramp_gears_move_at(&g, &p), now + DWELL);
	now -= DWELL / 2;
	g.mark_at = now - DWELL / 2;
	assert_int_equal(ramp_gears_move_at(&g, &p), now + DWELL);

	/* It is counted since the begin, too. */
	ramp_gears_init(&g, &p, now);
	now += DWELL;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	now = U64_MAX / 2 + HOUR;
	ramp_gears_init(&g, &p, now);
	assert_int_equal(ramp_gears_move_at(&g, &p), now + DWELL);
}

/* It holds back neither moves up, nor those into a range, nor the idle gear. */
static void what_it_does_not_concern(struct kunit *test)
{
	fit_begin(1);
	g.came = U64_MAX / 2;
	now += DWELL;
	assert_int_equal(move(700), RAMP_GEARS_OCCUPANCY);
	fit_begin(4);
	g.came = U64_MAX / 2;
	now += DWELL;
	p.max = 2;
	assert_int_equal(change(0), RAMP_GEARS_RANGE);
	assert_int_equal(g.gear, 2);
	assert_int_equal(ramp_gears_rest(&g, &p, now + DWELL),
			 RAMP_GEARS_IDLE);
	/* There is none below the idle gear. */
	assert_int_equal(ramp_gears_move_at(&g, &p), now + 2 * DWELL);

	/* The bare rule. */
	fit_begin(3);
	g.came = U64_MAX / 2;
	p.dwell = 0;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
	fit_begin(3);
	g.came = U64_MAX / 2;
	p.fit[2] = 0;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);
}

static void counters_and_clocks_that_wrap(struct kunit *test)
{
	fit_begin(3);
	g.came = U64_MAX - 5;
	ramp_gears_mark(&g, now);
	now += DWELL;
	g.came += 10;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);

	/* What a child lost is taken back. */
	fit_begin(3);
	g.came = 1000;
	ramp_gears_mark(&g, now);
	now += DWELL;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);

	/* Back to before it began to count: it does so again. */
	fit_begin(3);
	now += HOUR;
	ramp_gears_mark(&g, now);
	now -= HOUR / 2;
	assert_int_equal(move(0), RAMP_GEARS_STAY);
	now += DWELL;
	assert_int_equal(move(0), RAMP_GEARS_OCCUPANCY);

	/* To before the present gear: it stands still. */
	fit_begin(3);
	move(700);
	ramp_gears_mark(&g, now - HOUR);
	assert_int_equal(g.mark_at, now);
	assert_int_equal(ramp_gears_move(&g, &p, 0, now - HOUR),
			 RAMP_GEARS_STAY);
}

/* A fluid that comes at a constant rate, and one that leaves at the gear's: for
 * any rate gears settle, and what waits is never more than the threshold.
 */
static void a_constant_load_keeps_its_gear(struct kunit *test)
{
	static const u64 step = 10 * US;
	u64 up[GEARS], down[GEARS];
	u32 load;

	for (load = 25; load <= 100; load++) {
		u64 rate = 200 * GBIT / 100 * load, waits = 0, t, changes = 0;
		u32 i;

		fit_begin(1);
		for (i = 0; i < GEARS; i++) {
			up[i] = 200 * US;
			down[i] = 50 * US;
		}
		ramp_gears_resolve_time(&p, gears_rate, up, down, 1514,
					1 << 30);
		ramp_gears_init(&g, &p, now);
		for (t = 0; t < 100000; t++) {
			u64 out = gears_rate[g.gear] / (RAMP_GEARS_SEC / step);
			u64 in = rate / (RAMP_GEARS_SEC / step);

			now += step;
			g.came += in;
			waits = waits + in > out ? waits + in - out : 0;
			move(waits);
			assert_true(waits <= p.up[g.gear] + in);
			if (t == 20000)
				changes = g.changes;
		}
		assert_int_equal(g.changes, changes);
		assert_int_equal(g.flap.flaps, 0);
		/* And it is the lowest that carries it, or has room for it. */
		assert_true(gears_rate[g.gear] >= rate);
		assert_true(g.gear == 1 || rate > p.fit[g.gear - 1]);
	}
}

UNIT_SUITE(gears_fit,
	   UNIT_CASE(times),
	   UNIT_CASE(what_came_has_to_fit),
	   UNIT_CASE(how_long_it_is_counted),
	   UNIT_CASE(a_move_counts_anew),
	   UNIT_CASE(what_it_does_not_concern),
	   UNIT_CASE(counters_and_clocks_that_wrap),
	   UNIT_CASE(a_constant_load_keeps_its_gear));
