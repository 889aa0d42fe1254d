// SPDX-License-Identifier: GPL-2.0
/* The ladder against the flow charts of US 7298703: FIG. 4a with the pointer of
 * FIG. 5 for a quantity that moves by one, FIG. 4b, with its signs put right,
 * for one that jumps. The charts are drawn here as they are there: with
 * thresholds that are added to and subtracted from.
 */
#include "unit.h"
#include <net/ramp/ladder.h>

#define LIMIT	1000
#define STEPS	8

/* The programmable memories of FIG. 3a and FIG. 5. */
static struct chart {
	u32	n;
	s64	q[RAMP_LADDER_MAX + 1];		/* Q(1) .. Q(n) */
	s64	give[RAMP_LADDER_MAX + 1];	/* memory 284 */
	u32	tr[RAMP_LADDER_MAX + 1];
	u32	pointer;
	s64	last;				/* q(t - 1) */
	u64	codes;
	u32	code;				/* the last one sent */
} chart;

static struct ramp_ladder_params steps;
static struct ramp_ladder ladder;

static void begin(u32 n, const u32 *at, u32 adjust, u32 limit)
{
	u32 x;

	steps = (struct ramp_ladder_params){ .n = n };
	for (x = 0; x <= n; x++)
		steps.rate[x] = RAMP_WHOLE - x * 600;
	assert_int_equal(ramp_ladder_resolve(&steps, at, adjust, limit), 0);
	ramp_ladder_init(&ladder, &steps);

	chart = (struct chart){ .n = n, .code = RAMP_WHOLE };
	for (x = 0; x <= n; x++) {
		chart.tr[x] = steps.rate[x];
		chart.q[x] = ((u64)limit * at[x] + 9999) / 10000;
		chart.give[x] = chart.q[x] * adjust / 10000 ?: 1;
	}
}

static void begin_even(void)
{
	u32 at[RAMP_LADDER_MAX + 1], x;

	for (x = 0; x <= STEPS; x++)
		at[x] = x * 1000;
	begin(STEPS, at, 300, LIMIT);
}

static void chart_code(void)
{
	chart.code = chart.tr[chart.pointer];
	chart.codes++;
}

/* FIG. 4a: 318, 322, then 324 and 332 (the rate signal as in [0053]: rising
 * asks for less), or 326 and 334; 328 and 330 send what the pointer says.
 */
static void chart_4a(s64 q)
{
	u32 x;

	for (x = 1; q != chart.last && x <= chart.n; x++) {
		if (q != chart.q[x])
			continue;
		if (q > chart.last) {
			chart.q[x] -= chart.give[x];
			chart.pointer++;
		} else {
			chart.q[x] += chart.give[x];
			chart.pointer--;
		}
		chart_code();
		break;
	}
	chart.last = q;
}

/* FIG. 4b: 370 finds the range, 372 compares its rate with the one before, 380
 * sends, 382 and 384 move the thresholds that were crossed. Rising to a
 * threshold crosses it, as in FIG. 4a.
 */
static void chart_4b(s64 q)
{
	u32 x, range = 0;

	for (x = 1; x <= chart.n; x++) {
		bool rising = x > chart.pointer;

		if (rising ? q >= chart.q[x] : q > chart.q[x])
			range = x;
	}
	if (chart.tr[range] == chart.tr[chart.pointer])
		return;
	while (chart.pointer < range) {
		chart.pointer++;
		chart.q[chart.pointer] -= chart.give[chart.pointer];
	}
	while (chart.pointer > range) {
		chart.q[chart.pointer] += chart.give[chart.pointer];
		chart.pointer--;
	}
	chart_code();
}

/* All that both know is the same: level, rate, codes, and the two thresholds
 * that the quantity may cross next.
 */
static void agree(s64 q)
{
	unit_check(ladder.level == chart.pointer, "%u, chart %u at %lld",
		   ladder.level, chart.pointer, q);
	unit_check(ramp_ladder_rate(&ladder, &steps) == chart.code,
		   "at %lld", q);
	unit_check(ladder.codes == chart.codes, "%llu, chart %llu at %lld",
		   ladder.codes, chart.codes, q);
	if (chart.pointer < chart.n)
		unit_check(ramp_ladder_next_up(&ladder, &steps) ==
			   chart.q[chart.pointer + 1], "at %lld", q);
	else
		unit_check(!ramp_ladder_next_up(&ladder, &steps), "at %lld", q);
	if (chart.pointer)
		unit_check(ramp_ladder_next_down(&ladder, &steps) ==
			   chart.q[chart.pointer], "at %lld", q);
}

/* The quantity goes there one by one; the ladder is called only when it is
 * news, as the qdisc does.
 */
static void walk(s64 to)
{
	s64 q = chart.last;

	while (q != to) {
		q += q < to ? 1 : -1;
		chart_4a(q);
		if (ramp_ladder_outside(&ladder, q))
			ramp_ladder_move(&ladder, &steps, q);
		agree(q);
	}
}

static void the_example_of_the_specification(struct kunit *test)
{
	u32 at[] = { 0, 5000 };
	s64 q;

	begin(1, at, 300, LIMIT);
	walk(499);
	assert_int_equal(ladder.codes, 0);
	assert_int_equal(ramp_ladder_next_up(&ladder, &steps), 500);

	walk(500);
	assert_int_equal(ladder.codes, 1);
	assert_int_equal(ramp_ladder_rate(&ladder, &steps), 9400);
	assert_int_equal(ramp_ladder_next_down(&ladder, &steps), 485);

	for (q = 0; q < 100; q++) {
		walk(514);
		walk(486);
	}
	assert_int_equal(ladder.codes, 1);

	walk(485);
	assert_int_equal(ladder.codes, 2);
	assert_int_equal(ramp_ladder_rate(&ladder, &steps), 10000);
	assert_int_equal(ramp_ladder_next_up(&ladder, &steps), 500);
}

/* FIG. 5: the pointer is at its TR(4), which is our TR(3). Up it goes to TR(5),
 * down to TR(3). [0058]: the threshold that was crossed moves, none of the
 * others.
 */
static void the_pointer_of_figure_5(struct kunit *test)
{
	u32 x;

	begin_even();
	walk(350);
	assert_int_equal(ladder.level, 3);
	assert_int_equal(ramp_ladder_rate(&ladder, &steps), chart.tr[3]);

	walk(400);
	assert_int_equal(ladder.level, 4);
	assert_int_equal(ramp_ladder_rate(&ladder, &steps), chart.tr[4]);
	assert_int_equal(chart.q[4], 400 - 12);
	assert_int_equal(ramp_ladder_next_down(&ladder, &steps), 388);
	assert_int_equal(ramp_ladder_next_up(&ladder, &steps), 500);

	walk(388);
	assert_int_equal(ladder.level, 3);
	assert_int_equal(ramp_ladder_next_up(&ladder, &steps), 400);
	assert_int_equal(ramp_ladder_next_down(&ladder, &steps), 291);

	walk(291);
	assert_int_equal(ladder.level, 2);
	assert_int_equal(ramp_ladder_rate(&ladder, &steps), chart.tr[2]);
	assert_int_equal(ramp_ladder_next_up(&ladder, &steps), 300);

	walk(0);
	for (x = 1; x <= STEPS; x++)
		assert_int_equal(chart.q[x], x * 100);
	assert_int_equal(ladder.codes, 8);
}

/* [0037]: all the way up and down, a code at each threshold. */
static void through_all_thresholds(struct kunit *test)
{
	u32 x;

	begin_even();
	for (x = 1; x <= STEPS; x++) {
		walk(x * 100 - 1);
		assert_int_equal(ladder.codes, x - 1);
		walk(x * 100);
		assert_int_equal(ladder.codes, x);
		assert_int_equal(ladder.level, x);
	}
	walk(LIMIT);
	for (x = STEPS; x; x--) {
		walk(x * 97 + 1);
		assert_int_equal(ladder.level, x);
		walk(x * 97);
		assert_int_equal(ladder.level, x - 1);
		assert_int_equal(ladder.codes, 2 * STEPS - x + 1);
	}
}

/* [0043] tells of two codes within two clock cycles, at a fixed threshold. */
static void a_quantity_that_hovers(struct kunit *test)
{
	u32 i;

	begin_even();
	walk(500);
	assert_int_equal(ladder.codes, 5);
	for (i = 0; i < 1000; i++) {
		walk(503);
		walk(497);
	}
	assert_int_equal(ladder.codes, 5);
}

/* Steps that resolve as they are: there is room for each lowered threshold. */
static void begin_random(u32 most)
{
	u32 at[RAMP_LADDER_MAX + 1] = {}, x, n, adjust, limit;

	n = unit_between(1, RAMP_LADDER_MAX);
	adjust = unit_between(1, 200);
	limit = unit_between(1000, most);
	for (x = 1; x <= n; x++)
		at[x] = x * 10000 / n - unit_between(0, 100);
	begin(n, at, adjust, limit);
}

static u64 around(u32 threshold)
{
	u64 off = unit_between(0, 4);

	return threshold + off < 2 ? 0 : threshold + off - 2;
}

static void figure_4a_at_random(struct kunit *test)
{
	unit_rounds(100) {
		s64 span;
		u32 i;

		begin_random(4000);
		span = steps.up[steps.n] + 2 * chart.give[steps.n];
		for (i = 0; i < 20; i++)
			walk(unit_chance(50) ? unit_between(0, span) :
			     around(steps.up[unit_between(1, steps.n)]));
		walk(0);
		for (i = 1; i <= steps.n; i++)
			unit_check(chart.q[i] == steps.up[i], "step %u", i);
	}
}

static void figure_4b_at_random(struct kunit *test)
{
	unit_rounds(2000) {
		u32 i;

		begin_random(1 << 20);
		for (i = 0; i < 500; i++) {
			u32 x = unit_between(1, steps.n);
			s64 q = unit_chance(20) ?
				unit_between(0, 2 * steps.up[steps.n]) :
				around(i & 1 ? steps.up[x] : steps.down[x]);

			chart_4b(q);
			if (ramp_ladder_outside(&ladder, q))
				ramp_ladder_move(&ladder, &steps, q);
			agree(q);
		}
	}
}

UNIT_SUITE(ladder_walk,
	   UNIT_CASE(the_example_of_the_specification),
	   UNIT_CASE(the_pointer_of_figure_5),
	   UNIT_CASE(through_all_thresholds),
	   UNIT_CASE(a_quantity_that_hovers),
	   UNIT_CASE(figure_4a_at_random),
	   UNIT_CASE(figure_4b_at_random));
