// SPDX-License-Identifier: GPL-2.0
/* Gates that are shut: in none of the ticks that are slept through could a packet of
 * a byte have left, whoever looks in between finds what he finds later, and in the
 * next tick something can leave, or the ramp has come to its end.
 */
#include "gate.h"
#include <net/ramp/shut.h>

static u64 advance(struct ramp_slope *t, u64 ticks)
{
	u64 now = t->tick_end + (ticks - 1) * p.tick;

	return ramp_slope_advance(t, &p, now);
}

static bool waits(struct ramp_slope *t)
{
	return !ramp_slope_admit(t, &p, 1, 1);
}

/* Somebody waits. */
static void sleep(void)
{
	struct ramp_slope first, t = s;
	u64 n, some;

	n = ramp_slope_shut(&s, &p);
	fuzz_check(n <= RAMP_SHUT_MOST);
	if (n) {
		some = unit_between(1, n);
		fuzz_check(advance(&t, some) == some && t.dir && waits(&t));
		first = t;
		fuzz_check(advance(&t, 1) == 1 &&
			   (some == n || (t.dir && waits(&t))));
		t = first;
		advance(&t, n + 1 - some);
	} else {
		advance(&t, 1);
	}
	fuzz_check(advance(&s, n + 1) == n + 1 && s.dir == t.dir);
	if (!s.dir)
		return;
	/* As long as it waits for what is owed. */
	s.low_time = t.low_time;
	fuzz_check(!memcmp(&s, &t, sizeof(s)));
	if (s.dir == RAMP_UP && p.full && !p.packets)
		fuzz_check(s.left || s.drain || n == RAMP_SHUT_MOST);
}

static void begin(void)
{
	u64 now = unit_chance(30) ? UNIT_LATE_CLOCK - HOUR : unit_amount(60);
	u32 part = unit_between(RAMP_STEP_LEAST, RAMP_STEP_WHOLE);

	memset(&s, 0xa5, sizeof(s));
	s.dir = RAMP_NONE;
	ramp_slope_begin(&s, &p, unit_chance(30) ? RAMP_DOWN : RAMP_UP,
			 gate_amount(), part, unit_amount(20), now);
	gate_anew();
}

static void fuzz_one(void)
{
	memset(&s, 0, sizeof(s));
	gate_params(true);
	while (fuzz_more()) {
		if (s.dir == RAMP_NONE || unit_chance(3))
			begin();
		gate_packets();
		/* One that was promised. */
		if (unit_chance(10))
			ramp_slope_charge(&s, &p, unit_amount(32), unit_amount(20));
		if (waits(&s))
			sleep();
		else
			advance(&s, 1);
		gate_anew();
	}
}
