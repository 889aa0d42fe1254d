// SPDX-License-Identifier: GPL-2.0
/* The table of ports, and what the accounts let each port have. */
#include "fuzz.h"
#include "../unit/spread_model.h"

static struct model m;

static void check_table(void)
{
	u32 entries[RAMP_SPREAD_PORTS] = { }, i, rank = U32_MAX, members = 0;
	u32 weights;

	for (i = 0; i < m.ports; i++)
		rank = m.port[i].rank < rank ? m.port[i].rank : rank;
	for (i = 0; i < RAMP_SPREAD_ENTRIES; i++)
		entries[m.t.entry[i]]++;
	fuzz_check(m.t.rank == rank);
	weights = model_weights(&m);
	for (i = 0; i < m.ports; i++) {
		u32 rest, share;

		if (m.port[i].rank != rank) {
			fuzz_check(!entries[i]);
			continue;
		}
		members++;
		rest = RAMP_SPREAD_ENTRIES - m.t.members;
		share = rest * m.port[i].weight / weights;
		fuzz_check(entries[i] >= 1 + share && entries[i] <= 2 + share);
	}
	fuzz_check(m.t.members == members);
}

/* Nobody is more than a lead, a frame and a turn of the table above its share. */
static void check_shares(u32 frames)
{
	double weights = model_weights(&m), share, most;
	u32 i;

	for (i = 0; i < m.ports; i++) {
		if (m.port[i].rank != m.t.rank)
			continue;
		share = m.port[i].weight / weights;
		most = (RAMP_SPREAD_LEAD + 2.0) * m.t.members * share +
		       RAMP_SPREAD_ENTRIES;
		fuzz_check(m.sent[i] - frames * share <= most);
	}
}

static void fuzz_one(void)
{
	u32 n = unit_between(1, unit_chance(5) ? RAMP_SPREAD_PORTS : 8);
	u32 state = unit_between(1, U32_MAX), frames, i;
	u8 byte[6];

	memset(&m, 0, sizeof(m));
	for (i = 0; i < n; i++)
		model_add(&m, unit_between(0, 3), unit_amount(10) > 1000 ? 1000 :
			  unit_between(1, RAMP_SPREAD_WEIGHT_MAX));
	ramp_spread_build(&m.t, m.port, 0);
	fuzz_check(!m.t.members);
	model_build(&m);
	check_table();

	/* Numbers of the generator, or as bad as can be: always the same one. */
	m.cursor = unit_between(0, U32_MAX);
	for (frames = 0; frames < 8192 && unit_chance(90);) {
		u32 more = unit_amount(unit_chance(20) ? 12 : 6);
		u32 same = unit_between(0, 255) << 24;
		bool bad = unit_chance(50);

		for (; more--; frames++) {
			i = model_send(&m, bad ? same :
					   ramp_spread_random(&state));
			fuzz_check(state);
			fuzz_check(i < m.ports && m.port[i].rank == m.t.rank);
		}
	}
	check_shares(frames);

	/* Others come, and come back: what they are owed has an end. */
	for (frames = 0; frames < 1024 && fuzz_more(); frames++) {
		if (unit_chance(3)) {
			m.port[unit_between(0, n - 1)].rank = unit_between(0, 3);
			model_build(&m);
			check_table();
		}
		i = model_send(&m, ramp_spread_random(&state));
		fuzz_check(i < m.ports && m.port[i].rank == m.t.rank);
	}
	for (i = 0; i < sizeof(byte); i++)
		byte[i] = state >> i;
	fuzz_check(ramp_spread_set_of(byte, sizeof(byte)) < RAMP_SPREAD_SETS);
}
