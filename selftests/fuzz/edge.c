// SPDX-License-Identifier: GPL-2.0
/* The edge detector: with thresholds against the rule of its document, with a
 * delta against the levels of the last slots; what is no news changes nothing.
 */
#include "fuzz.h"
#include <net/ramp/edge.h>

static struct ramp_edge_params p;
static struct ramp_edge e;
static u64 now;

/* The last departures, and what they are good for. */
static void with_thresholds(u64 level)
{
	u64 left_low = 0, left_high = 0;
	bool rising = false, falling = false, was_low, was_high;
	enum ramp_dir dir, want;

	was_low = level <= p.low;
	was_high = level >= p.high;
	while (fuzz_more()) {
		level = unit_chance(30) ? p.low + unit_between(0, 2) - 1 :
			unit_chance(30) ? p.high + unit_between(0, 2) - 1 :
					  unit_amount(40);
		now += unit_chance(20) ? p.window : unit_amount(34) - 1;

		if (was_low && level > p.low) {
			left_low = now;
			rising = true;
		}
		if (was_high && level < p.high) {
			left_high = now;
			falling = true;
		}
		want = RAMP_NONE;
		if (!was_high && level >= p.high) {
			if (rising && now - left_low <= p.window)
				want = RAMP_UP;
			rising = false;
			falling = false;
		}
		if (!was_low && level <= p.low) {
			if (falling && now - left_high <= p.window)
				want = RAMP_DOWN;
			rising = false;
			falling = false;
		}
		fuzz_check((level < e.min || level > e.max) ==
			   (was_low != (level <= p.low) ||
			    was_high != (level >= p.high)));
		was_low = level <= p.low;
		was_high = level >= p.high;

		dir = ramp_edge_update(&e, &p, level, now);
		fuzz_check(dir == want);
		fuzz_check(!dir || e.took <= p.window);
		fuzz_check(level >= e.min && level <= e.max);
	}
}

static void with_delta(u64 level)
{
	u64 low[RAMP_SLOTS], high[RAMP_SLOTS], l, h;
	enum ramp_dir dir, want;
	u32 i, n;

	for (i = 0; i < RAMP_SLOTS; i++) {
		low[i] = level;
		high[i] = level;
	}
	while (fuzz_more()) {
		if (unit_chance(3)) {
			ramp_edge_still(&e, &p, level);
			for (i = 0; i < RAMP_SLOTS; i++) {
				low[i] = level;
				high[i] = level;
			}
		}
		n = unit_chance(30) ? unit_between(1, 10) : 0;
		if (n)
			ramp_edge_roll(&e, &p, level, n);
		while (n--) {
			memmove(low + 1, low, sizeof(low) - sizeof(low[0]));
			memmove(high + 1, high, sizeof(high) - sizeof(high[0]));
			low[0] = level;
			high[0] = level;
		}
		level = unit_chance(50) ? unit_amount(40) :
					  level + unit_between(0, 2 * p.delta);
		level = level > p.delta && unit_chance(50) ? level - p.delta :
							     level;
		level &= S64_MAX;

		l = level;
		h = level;
		for (i = 0; i < RAMP_SLOTS; i++) {
			l = low[i] < l ? low[i] : l;
			h = high[i] > h ? high[i] : h;
		}
		want = level - l >= p.delta ? RAMP_UP :
		       h - level >= p.delta ? RAMP_DOWN : RAMP_NONE;
		fuzz_check((level < e.min || level > e.max) == (want != 0));
		fuzz_check(ramp_edge_note(&e, &p, level) == (want != 0));
		dir = RAMP_NONE;
		if (want)
			dir = ramp_edge_update(&e, &p, level, now);
		fuzz_check(dir == want);
		if (dir)
			fuzz_check(e.took <= p.window);
		for (i = 0; dir && i < RAMP_SLOTS; i++) {
			low[i] = level;
			high[i] = level;
		}
		low[0] = level < low[0] ? level : low[0];
		high[0] = level > high[0] ? level : high[0];
		fuzz_check(level >= e.min && level <= e.max);
	}
}

static void fuzz_one(void)
{
	u64 level;

	p = (struct ramp_edge_params){ .window = unit_amount(34) };
	if (unit_chance(50))
		p.delta = unit_amount(40);
	p.low = unit_amount(40) - 1;
	p.high = p.low + unit_amount(40);
	now = unit_chance(50) ? UNIT_LATE_CLOCK : unit_amount(60);
	level = unit_chance(50) ? p.low : unit_amount(40);
	ramp_edge_init(&e, &p, level);
	fuzz_check(!ramp_edge_settled(&e, &p));
	if (p.delta)
		with_delta(level);
	else
		with_thresholds(level);
}
