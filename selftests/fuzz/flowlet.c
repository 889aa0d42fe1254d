// SPDX-License-Identifier: GPL-2.0
/* Flowlets: who stays, who leaves, and how long a port must be behind, against
 * clocks and counts that do not wrap.
 */
#include "fuzz.h"
#include <net/ramp/flowlet.h>

static void fuzz_one(void)
{
	u64 ns = unit_random(), sample = unit_random(), behind_ns = 0;
	u64 behind_sample = 0, last = 0, late;
	struct ramp_behind b = { };
	struct ramp_flow f = { };
	u32 gap = unit_amount(20), turns, i, set, owner = 0;
	bool behind = false, useful, own;
	enum ramp_flow_fate fate;

	ns >>= 12;
	while (fuzz_more()) {
		u32 tick, lowest = unit_between(0, 7);
		u32 class = unit_between(0, 8);

		ns += unit_amount(34);
		sample += unit_amount(10);
		tick = ramp_flow_tick(ns);

		/* A flow that pauses for 73 minutes would be seen wrongly. */
		useful = unit_chance(70);
		set = unit_between(0, 32);
		own = !f.home || owner == set || owner == 32;
		fate = ramp_flow_judge(&f, set, gap, useful, tick);
		if (!f.home || (ns >> 10) - last >= gap)
			fuzz_check(fate == (own ? RAMP_FLOW_BURST :
						  RAMP_FLOW_CLAIMS) ||
				   (ns >> 10) - last >= 1ULL << 32);
		else if (useful)
			fuzz_check(fate == RAMP_FLOW_STAYS);
		else
			fuzz_check(fate == (own ? RAMP_FLOW_LEAVES :
						  RAMP_FLOW_VISITS));
		owner = unit_chance(50) ? set : unit_between(0, 32);
		f.home = unit_chance(90) ?
			 ramp_flow_home(owner, unit_between(0, 255)) : 0;
		f.last = tick;
		last = ns >> 10;

		ramp_behind_note(&b, class, lowest, sample, tick);
		if (class < lowest + 2) {
			behind = false;
		} else if (!behind) {
			behind = true;
			behind_ns = ns >> 10;
			behind_sample = sample;
		}
		/* Who reads a number that is old does not see it as the future. */
		late = unit_chance(20) ? unit_between(0, 1000) : 0;
		if (behind && late <= sample - behind_sample)
			late = 0;
		if (sample - behind_sample < 1ULL << 31 || !behind)
			fuzz_check(ramp_behind_long(&b, gap, sample - late,
						    tick) ==
				   (behind && !late &&
				    sample - behind_sample > 8 &&
				    (u32)((ns >> 10) - behind_ns) > 4 * gap));

		turns = 0;
		for (i = 0; i < RAMP_FLOW_ESCAPES; i++)
			turns += ramp_flow_turn(lowest * 8 + i, sample);
		fuzz_check(turns == 1);
	}
}
