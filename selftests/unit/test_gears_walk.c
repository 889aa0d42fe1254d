// SPDX-License-Identifier: GPL-2.0
/* Gears: random walks against the slow reference. */
#include "gears_log.h"

static void a_million_steps(struct kunit *test)
{
	unit_rounds(1000) {
		u32 i, o = 0;

		p = (struct ramp_gears_params){
			.n = unit_between(2, RAMP_GEARS_MAX),
			.dwell = unit_amount(26),
		};
		random_thresholds();
		random_range();
		p.top = unit_between(1, p.n - 1);
		now = unit_chance(30) ? 0 - unit_amount(36) :
		      unit_chance(30) ? UNIT_LATE_CLOCK : unit_between(0, HOUR);
		ramp_gears_init(&g, &p, now);
		book = (struct log){ .begin = now, .first = g.gear };
		unit_check(g.gear == min(p.max, p.top), "%u", g.gear);

		for (i = 0; i < STEPS; i++) {
			random_wait();
			o = random_occupancy(o);
			step(o);
		}
		for (i = 0; i < RAMP_GEARS_MAX; i++)
			unit_check(ramp_gears_spent(&g, i, now) ==
				   log_spent(i, now), "gear %u", i);
	}
}

/* The time of a step back counts nowhere, and no more than once. */
static void clocks_step(struct kunit *test)
{
	unit_rounds(1000) {
		u64 sum = 0, late;
		u32 i, o = 0;

		p = gears_params(unit_between(2, RAMP_GEARS_MAX));
		now = UNIT_LATE_CLOCK - unit_amount(60);
		ramp_gears_init(&g, &p, now);
		late = now;
		for (i = 0; i < 1000; i++) {
			u64 t = late + unit_amount(30);

			if (unit_chance(30))
				t = late - unit_amount(50);
			o = unit_chance(50) ? 1000 : 0;
			if (ramp_gears_move(&g, &p, o, t) && t > late)
				late = t;
			unit_check(g.since <= late, "step %u", i);
		}
		for (i = 0; i < RAMP_GEARS_MAX; i++) {
			unit_check(g.spent[i] <= late - now, "gear %u", i);
			sum += ramp_gears_spent(&g, i, late);
		}
		unit_check(sum == late - now, "%llu of %llu", sum, late - now);
	}
}

UNIT_SUITE(gears_walk,
	   UNIT_CASE(a_million_steps),
	   UNIT_CASE(clocks_step));
