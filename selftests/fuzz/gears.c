// SPDX-License-Identifier: GPL-2.0
/* Gears against the slow reference of the unit tests, and their sums against the
 * same in 128 bits.
 */
#include "fuzz.h"
#include "../unit/gears_log.h"
#include <net/ramp/ports.h>

static void sums(void)
{
	u32 n = p.n, power[RAMP_GEARS_MAX], i, top, saved;
	struct ramp_gears_ports s = { };
	u64 rate[RAMP_GEARS_MAX], spent[RAMP_GEARS_MAX], freeze, speed;
	u128 used = 0, whole = 0, room;
	u128 carried = 0, all = 0;

	rate[0] = unit_amount(36);
	for (i = 0; i < n; i++) {
		power[i] = unit_amount(32) - 1;
		rate[i] = i ? rate[i - 1] + unit_amount(36) : rate[0];
		spent[i] = ramp_gears_spent(&g, i, now);
		used += (u128)spent[i] * power[i];
	}
	for (i = 0; i < n; i++)
		whole += (u128)spent[i] * power[n - 1];
	fuzz_check(ramp_gears_energy(spent, n, power) ==
		   (u64)(used / NSEC_PER_SEC));
	saved = ramp_gears_saved(spent, n, power);
	fuzz_check(saved <= RAMP_WHOLE);
	fuzz_check(!saved || used < whole);

	/* All speeds known, so that the sum is simple. */
	for (i = unit_between(1, 64); i; i--) {
		bool up = unit_chance(50);

		speed = unit_between(1, U32_MAX);
		ramp_gears_port(&s, up, speed);
		carried += up ? speed : 0;
		all += speed;
	}
	top = ramp_gears_top(rate, n, &s);
	fuzz_check(top >= 1 && top < n);
	fuzz_check(rate[top] * all >= rate[n - 1] * carried);
	fuzz_check(top == 1 || rate[top - 1] * all < rate[n - 1] * carried);
	/* With some that are not: in bounds, and nothing is divided by 0. */
	for (i = unit_between(0, 3); i; i--)
		ramp_gears_port(&s, unit_chance(50), 0);
	top = ramp_gears_top(rate, n, &s);
	fuzz_check(top >= 1 && top < n);
	s = (struct ramp_gears_ports){ };
	fuzz_check(ramp_gears_top(rate, n, &s) == n - 1);
	ramp_gears_port(&s, false, 0);
	fuzz_check(ramp_gears_top(rate, n, &s) == 1);

	i = unit_amount(20);
	freeze = ramp_gears_freeze(rate[0], i);
	fuzz_check(freeze && freeze <= NSEC_PER_SEC);
	fuzz_check((u128)freeze * rate[0] >= (u128)i * NSEC_PER_SEC ||
		   freeze == NSEC_PER_SEC);
	freeze = unit_between(0, NSEC_PER_SEC);
	room = ((u128)rate[n - 1] * freeze + 64 * NSEC_PER_SEC - 1) /
	       (64 * NSEC_PER_SEC);
	fuzz_check(ramp_gears_room(rate[n - 1], freeze, i) == room + i);
}

/* Ports come and go, and so do the rows. */
static void shares(void)
{
	u64 spent[RAMP_POWER_PORTS_MAX], began = 0, time = unit_random();
	u32 share[RAMP_POWER_PORTS_MAX], rows = 0, row, i, full;
	u128 used = 0, seen = 0;
	struct ramp_ports s = { };

	/* First, as the steps take all that there is of an input. */
	full = unit_amount(32) - 1;
	for (row = 0; row < RAMP_POWER_PORTS_MAX; row++)
		share[row] = unit_between(0, RAMP_PORTS_SHARE_MAX);
	for (i = 0; i < STEPS && fuzz_more(); i++) {
		u32 all = unit_between(0, RAMP_GEAR_PORTS_MAX);
		u32 up = unit_between(0, all), was = rows;

		if (unit_chance(20))
			rows = unit_chance(20) ? 0 : unit_between(2, 16);
		ramp_ports_look(&s, rows, up, all, time);
		if (rows != was)
			began = time;
		if (rows) {
			fuzz_check(s.row < rows && s.up == up && s.all == all);
			fuzz_check((s.row == rows - 1) == (up == all));
		}
		time += unit_amount(50);
	}
	if (!rows)
		return;
	for (row = 0; row < rows; row++) {
		spent[row] = ramp_ports_spent(&s, row, time);
		seen += spent[row];
		used += (u128)spent[row] * share[row] * full;
	}
	fuzz_check(seen == time - began);
	fuzz_check(ramp_ports_energy(spent, rows, share, full) ==
		   (u64)(used / NSEC_PER_SEC / RAMP_PORTS_WHOLE));
}

static void resolved(void)
{
	u16 up[RAMP_GEARS_MAX] = { }, down[RAMP_GEARS_MAX] = { };
	struct ramp_gears_params q = { .n = RAMP_GEARS_MAX };
	u32 i, limit = unit_amount(20);

	for (i = 0; i < q.n; i++) {
		up[i] = unit_between(1, RAMP_WHOLE);
		down[i] = unit_between(0, up[i] - 1);
	}
	ramp_gears_resolve(&q, up, down, limit);
	for (i = 0; i < q.n; i++)
		fuzz_check(q.down[i] < q.up[i] && q.up[i] <= limit);
}

static void walk(void)
{
	u32 i, o = 0;

	p = (struct ramp_gears_params){
		.n = unit_between(2, RAMP_GEARS_MAX),
		.dwell = unit_amount(26),
	};
	random_thresholds();
	random_range();
	p.top = unit_between(1, p.n - 1);
	now = unit_chance(30) ? 0 - unit_amount(36) : unit_amount(62);
	ramp_gears_init(&g, &p, now);
	memset(&book, 0, offsetof(struct log, at));
	book.flaps = 0;
	book.begin = now;
	book.first = g.gear;
	for (i = 0; i < STEPS && fuzz_more(); i++) {
		u64 at, empty = now - unit_amount(30), idle = unit_amount(36);

		random_wait();
		o = random_occupancy(o);
		step(o);
		fuzz_check(!g.gear || (g.gear >= ramp_gears_low(&p) &&
				       g.gear <= ramp_gears_high(&p)));
		at = ramp_gears_rest_at(&g, &p, empty, idle);
		fuzz_check((s64)(at - empty - idle) >= 0);
		fuzz_check(!g.fell ||
			   (s64)(at - ramp_gears_move_at(&g, &p)) >= 0);
	}
	for (i = 0; i < RAMP_GEARS_MAX; i++)
		fuzz_check(ramp_gears_spent(&g, i, now) == log_spent(i, now));
}

/* All gears together spend less than 136 years. */
static void fuzz_one(void)
{
	u32 i;

	if (unit_chance(70)) {
		walk();
		return;
	}
	if (unit_chance(30)) {
		shares();
		return;
	}
	g = (struct ramp_gears){ .gear = unit_between(0, 15) };
	p.n = unit_between(2, RAMP_GEARS_MAX);
	g.gear %= p.n;
	g.since = unit_random();
	now = g.since + unit_amount(57);
	if (unit_chance(5))
		now = g.since;
	for (i = 0; i < p.n; i++)
		g.spent[i] = now != g.since ? unit_amount(57) - 1 : 0;
	sums();
	resolved();
}
