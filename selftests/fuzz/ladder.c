// SPDX-License-Identifier: GPL-2.0
/* A ladder against thresholds that each remember by themselves whether they were
 * crossed. Steps come from shares of a limit, any that can be named.
 */
#include "fuzz.h"
#include <net/ramp/ladder.h>

static struct ramp_ladder_params p;
static struct ramp_ladder l;

static struct {
	bool	climbed[RAMP_LADDER_MAX + 1];
	u32	level;
	u64	codes;
} m;

static void steps(void)
{
	u32 at[RAMP_LADDER_MAX + 1], x, limit = unit_amount(20), adjust, moved;
	u32 n = unit_between(0, RAMP_LADDER_MAX);

	memset(&p, 0xa5, sizeof(p));
	p.n = n;
	p.rate[0] = RAMP_WHOLE;
	at[0] = 0;
	for (x = 1; x <= n; x++) {
		at[x] = unit_between(at[x - 1] + 1, RAMP_WHOLE - (n - x));
		p.rate[x] = unit_between(0, RAMP_WHOLE);
	}
	adjust = unit_between(1, RAMP_WHOLE - 1);
	moved = ramp_ladder_resolve(&p, at, adjust, limit);
	fuzz_check(moved <= n);
	for (x = 1; x <= n; x++) {
		fuzz_check(p.up[x - 1] < p.up[x] && p.down[x] < p.up[x]);
		fuzz_check(x == 1 || p.up[x - 1] < p.down[x]);
		if (!moved || x < moved)
			fuzz_check(p.up[x] == ((u64)limit * at[x] + 9999) /
				   10000);
	}
	if (n && limit >= 2 * n - 1)
		fuzz_check(p.up[n] <= limit);
}

static void see(u32 occupancy)
{
	u32 level = 0, x;

	for (x = 1; x <= p.n; x++) {
		if (occupancy >= p.up[x])
			m.climbed[x] = true;
		else if (occupancy <= p.down[x])
			m.climbed[x] = false;
		level += m.climbed[x];
	}
	m.codes += level != m.level;
	m.level = level;
}

static void change(u32 occupancy)
{
	struct ramp_ladder_params old = p;
	u32 rate = p.rate[l.level];
	u64 codes = l.codes;
	bool due;

	steps();
	due = ramp_ladder_change(&l, &old, &p, occupancy);
	fuzz_check(due == (ramp_ladder_rate(&l, &p) != rate));
	fuzz_check(l.codes == codes + due);
	fuzz_check(l.level <= p.n);
	fuzz_check(!l.level || occupancy > p.down[l.level]);
	fuzz_check(l.level == p.n || occupancy < p.up[l.level + 1]);
	fuzz_check(!ramp_ladder_outside(&l, occupancy));
	fuzz_check(!ramp_ladder_move(&l, &p, occupancy));
	/* The reference goes on from there. */
	for (u32 x = 1; x <= RAMP_LADDER_MAX; x++)
		m.climbed[x] = x <= l.level;
	m.level = l.level;
	m.codes = l.codes;
}

static void fuzz_one(void)
{
	u32 occupancy = 0, level, x;
	u64 now = unit_amount(60), flaps = 0, dwell;
	int moved;

	steps();
	ramp_ladder_init(&l, &p);
	memset(&m, 0, sizeof(m));
	dwell = unit_amount(36);
	while (fuzz_more()) {
		x = p.n ? unit_between(1, p.n) : 0;
		occupancy = !x || unit_chance(20) ? unit_amount(21) - 1 :
			    unit_chance(50) ? p.up[x] - unit_between(0, 1) :
					      p.down[x] + unit_between(0, 1);
		now += unit_amount(36);
		see(occupancy);
		level = l.level;
		moved = 0;
		if (ramp_ladder_outside(&l, occupancy))
			moved = ramp_ladder_move(&l, &p, occupancy);
		fuzz_check(moved == (int)l.level - (int)level);
		fuzz_check(l.level == m.level);
		fuzz_check(l.codes == m.codes);
		fuzz_check(ramp_ladder_rate(&l, &p) == p.rate[m.level]);
		fuzz_check(ramp_ladder_next_up(&l, &p) ==
			   (m.level < p.n ? p.up[m.level + 1] : 0));
		if (m.level)
			fuzz_check(ramp_ladder_next_down(&l, &p) ==
				   p.down[m.level]);
		if (moved) {
			ramp_ladder_flap(&l, moved, dwell, now);
			fuzz_check(l.flap.from == level);
			fuzz_check(l.flap.flaps - flaps <= 1);
			flaps = l.flap.flaps;
		}
		if (unit_chance(5))
			change(occupancy);
	}
}
