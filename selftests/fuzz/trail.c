// SPDX-License-Identifier: GPL-2.0
/* A trail against one that forgets nothing. */
#include "fuzz.h"
#include <net/ramp/trail.h>

#define SLOTS_MAX	4096

static u64 low[SLOTS_MAX], high[SLOTS_MAX];

static void fuzz_one(void)
{
	u64 level = unit_amount(63) - 1, known = 0, slots, bound, range;
	struct ramp_trail t;
	u32 at = RAMP_SLOTS - 1, i, back;

	/* As if the level had always been what it is. */
	for (i = 0; i < RAMP_SLOTS; i++) {
		low[i] = level;
		high[i] = level;
	}
	ramp_trail_init(&t, level);

	while (fuzz_more() && at < SLOTS_MAX - RAMP_SLOTS) {
		u64 least = U64_MAX, most = 0;
		bool above = unit_chance(50);

		level = unit_amount(63) - 1;
		if (unit_chance(40)) {
			slots = unit_amount(unit_chance(20) ? 63 : 4);
			known += slots < RAMP_SLOTS ? slots : RAMP_SLOTS;
			for (i = 0; i < slots && i < RAMP_SLOTS; i++) {
				at++;
				low[at] = level;
				high[at] = level;
			}
			ramp_trail_roll(&t, level, slots);
		} else {
			low[at] = level < low[at] ? level : low[at];
			high[at] = level > high[at] ? level : high[at];
			ramp_trail_note(&t, level);
		}

		bound = unit_chance(50) ? level : unit_amount(63);
		back = RAMP_SLOTS;
		for (i = 0; i < RAMP_SLOTS; i++) {
			u64 l = low[at - i], h = high[at - i];

			least = l < least ? l : least;
			most = h > most ? h : most;
			if (back == RAMP_SLOTS && (above ? h >= bound :
							   l <= bound))
				back = i;
		}
		fuzz_check(t.low == least && t.high == most);
		fuzz_check(ramp_trail_since(&t, bound, above) == back);
		range = unit_chance(30) ? most - least + unit_between(0, 1) :
					  unit_amount(63);
		fuzz_check(ramp_trail_settled(&t, range) ==
			   (known >= RAMP_SLOTS && most - least < range));
	}
}
