// SPDX-License-Identifier: GPL-2.0
/* The slew limiter: no tick allows more than what left in the one before and a
 * step, start may always leave, and no more leaves than was allowed.
 */
#include "gate.h"
#include <net/ramp/slew.h>

static u64 now;

static u64 next(u64 left)
{
	u64 most = left + p.step;

	most = most > p.start ? most : p.start;
	return most < RAMP_ALLOWANCE_MAX ? most : RAMP_ALLOWANCE_MAX;
}

static void advance(void)
{
	u64 left = s.paid + s.used, due = s.owed, over, late, most;
	bool waited = s.waited;
	u64 allowance = s.allowance;

	left = left < allowance ? left : allowance;
	left = waited ? allowance : left;
	now = s.tick_end;
	if (unit_chance(20))
		now += unit_between(0, 40) * p.tick + unit_between(0, 1000);
	over = ramp_slew_advance(&s, &p, now);
	fuzz_check(over == 1 + (now - (s.tick_end - over * p.tick)) / p.tick);
	fuzz_check(s.tick_end > now && s.tick_end - now <= p.tick);
	/* Who waits does not miss those that can do no more than pay. */
	for (late = over - 1; late && waited && due >= next(left); late--) {
		left = next(left);
		due -= left;
		allowed += left;
	}
	most = next(late ? 0 : left);
	fuzz_check(s.allowance == most);
	fuzz_check(s.left + s.paid == s.allowance);
	/* Ticks that were missed would have paid for what is owed. */
	allowed += (u128)late * p.start + s.allowance;
	gate_check();
}

static void change(void)
{
	struct ramp_slope_params old = p;
	u64 left = s.left, end = s.tick_end;

	gate_params(true);
	ramp_slew_change(&s, &old, &p, unit_between(64, 65536));
	fuzz_check(s.tick_end == end && s.dir == RAMP_SLEW);
	if (old.packets == p.packets)
		fuzz_check(s.left == left);
	gate_anew();
}

static void fuzz_one(void)
{
	u64 level = gate_amount();

	memset(&s, 0xa5, sizeof(s));
	now = unit_chance(30) ? UNIT_LATE_CLOCK : unit_amount(60);
	gate_params(true);
	ramp_slew_begin(&s, &p, level, now);
	fuzz_check(s.allowance == (level > p.start ? level : p.start));
	fuzz_check(s.left == s.allowance && !s.owed);
	gate_anew();
	while (fuzz_more()) {
		gate_packets();
		if (unit_chance(5))
			change();
		advance();
	}
}
