// SPDX-License-Identifier: GPL-2.0
/* Flowlets: a flow stays on its port while its gaps are shorter than the
 * flowlet and its port is up; one that never pauses may leave a port that has
 * been two classes fuller than the lowest for long.
 */
#include "unit.h"
#include <net/ramp/flowlet.h>

#define GAP	488	/* 500 us in ticks */
#define SET	7
#define OTHER	8
#define ALL	RAMP_SPREAD_SETS

static void short_gaps_keep_the_port(struct kunit *test)
{
	struct ramp_flow f = { .last = 1000, .home = ramp_flow_home(SET, 2) };

	assert_int_equal(ramp_flow_judge(&f, SET, GAP, true, 1000),
			 RAMP_FLOW_STAYS);
	assert_int_equal(ramp_flow_judge(&f, SET, GAP, true, 1000 + GAP - 1),
			 RAMP_FLOW_STAYS);
	assert_int_equal(ramp_flow_judge(&f, SET, GAP, true, 1000 + GAP),
			 RAMP_FLOW_BURST);
}

static void a_new_flow_is_a_burst(struct kunit *test)
{
	struct ramp_flow f = {};

	assert_int_equal(ramp_flow_judge(&f, SET, GAP, false, 1),
			 RAMP_FLOW_BURST);
	assert_int_equal(ramp_flow_judge(&f, SET, GAP, true, 1),
			 RAMP_FLOW_BURST);
}

static void a_port_of_no_use_is_left(struct kunit *test)
{
	struct ramp_flow f = { .last = 1000, .home = ramp_flow_home(SET, 0) };

	assert_int_equal(ramp_flow_judge(&f, SET, GAP, false, 1001),
			 RAMP_FLOW_LEAVES);
	assert_int_equal(ramp_flow_judge(&f, SET, GAP, false, 1000 + GAP),
			 RAMP_FLOW_BURST);
}

/* Port and set come back as they were put in. */
static void home_is_port_and_set(struct kunit *test)
{
	u32 set, slot, home;

	for (set = 0; set <= ALL; set++) {
		for (slot = 0; slot < RAMP_SPREAD_PORTS; slot++) {
			home = ramp_flow_home(set, slot);
			assert_int_not_equal(home, 0);
			assert_int_equal(ramp_flow_slot(home), slot);
			assert_true(ramp_flow_own(home, set));
			assert_int_equal(ramp_flow_own(home, (set + 1) % ALL),
					 set == ALL);
		}
	}
	assert_true(ramp_flow_own(0, SET));
}

/* Two flows of one entry, whose sets have no port in common. */
static void another_set_visits(struct kunit *test)
{
	struct ramp_flow f = { .last = 1000, .home = ramp_flow_home(OTHER, 2) };

	assert_int_equal(ramp_flow_judge(&f, SET, GAP, false, 1000 + GAP - 1),
			 RAMP_FLOW_VISITS);
	assert_int_equal(ramp_flow_judge(&f, OTHER, GAP, false, 1000 + GAP - 1),
			 RAMP_FLOW_LEAVES);
	/* A port of both sets: they move together. */
	assert_int_equal(ramp_flow_judge(&f, SET, GAP, true, 1000 + GAP - 1),
			 RAMP_FLOW_STAYS);
	/* Who visited must not move when it takes over. */
	assert_int_equal(ramp_flow_judge(&f, SET, GAP, false, 1000 + GAP),
			 RAMP_FLOW_CLAIMS);
	assert_int_equal(ramp_flow_judge(&f, SET, GAP, true, 1000 + GAP),
			 RAMP_FLOW_CLAIMS);
	assert_int_equal(ramp_flow_judge(&f, OTHER, GAP, true, 1000 + GAP),
			 RAMP_FLOW_BURST);

	assert_true(ramp_flow_numbered(RAMP_FLOW_VISITS));
	assert_true(ramp_flow_numbered(RAMP_FLOW_CLAIMS));
	assert_false(ramp_flow_numbered(RAMP_FLOW_STAYS));
	assert_false(ramp_flow_numbered(RAMP_FLOW_BURST));
	assert_false(ramp_flow_numbered(RAMP_FLOW_LEAVES));
	assert_false(ramp_flow_numbered(RAMP_FLOW_ESCAPES_NOW));
}

/* Visitors use all ports, and as much as a random number would. */
static void visitors_are_spread(struct kunit *test)
{
	/* Too much for the kernel's stack. */
	static u32 count[1 << RAMP_SPREAD_BITS];
	u32 entry, at, even = RAMP_FLOWS >> RAMP_SPREAD_BITS;

	memset(count, 0, sizeof(count));
	for (entry = 0; entry < RAMP_FLOWS; entry++)
		count[ramp_flow_number(entry) >> (32 - RAMP_SPREAD_BITS)]++;
	for (at = 0; at < ARRAY_SIZE(count); at++)
		assert_in_range(count[at], even - 2, even + 2);
}

/* A flow of all ports is one of a set once there are sets; it goes on. */
static void all_ports_are_no_other_set(struct kunit *test)
{
	struct ramp_flow f = { .last = 1000, .home = ramp_flow_home(ALL, 2) };

	assert_int_equal(ramp_flow_judge(&f, SET, GAP, false, 1001),
			 RAMP_FLOW_LEAVES);
	assert_int_equal(ramp_flow_judge(&f, SET, GAP, true, 1000 + GAP),
			 RAMP_FLOW_BURST);
	f.home = ramp_flow_home(SET, 2);
	assert_int_equal(ramp_flow_judge(&f, ALL, GAP, false, 1001),
			 RAMP_FLOW_VISITS);
}

static void clock_may_wrap(struct kunit *test)
{
	struct ramp_flow f = {
		.last = U32_MAX - 10, .home = ramp_flow_home(SET, 0)
	};

	assert_int_equal(ramp_flow_judge(&f, SET, GAP, true, U32_MAX),
			 RAMP_FLOW_STAYS);
	assert_int_equal(ramp_flow_judge(&f, SET, GAP, true, GAP - 12),
			 RAMP_FLOW_STAYS);
	assert_int_equal(ramp_flow_judge(&f, SET, GAP, true, GAP - 11),
			 RAMP_FLOW_BURST);
	assert_int_equal(ramp_flow_tick(1023), 0);
	assert_int_equal(ramp_flow_tick(1024), 1);
	assert_int_equal(ramp_flow_tick(500 * NSEC_PER_USEC), GAP);
	assert_int_equal(ramp_flow_tick(1024 * (1ULL << 32) + 2048), 2);
}

static void two_classes_fuller_is_behind(struct kunit *test)
{
	struct ramp_behind b = {};

	ramp_behind_note(&b, 1, 0, 5, 100);
	assert_false(b.on);
	ramp_behind_note(&b, 2, 1, 5, 100);
	assert_false(b.on);
	ramp_behind_note(&b, 2, 0, 6, 200);
	assert_true(b.on);
	/* it began then, however often it is said again */
	ramp_behind_note(&b, 3, 0, 7, 300);
	assert_int_equal(b.sample, 6);
	assert_int_equal(b.tick, 200);
	ramp_behind_note(&b, 1, 0, 8, 400);
	assert_false(b.on);
	ramp_behind_note(&b, 3, 1, 9, 500);
	assert_int_equal(b.sample, 9);
	assert_int_equal(b.tick, 500);
}

/* Longer than both of 8 samples and 4 gaps. */
static void long_is_both(struct kunit *test)
{
	struct ramp_behind b = {};
	u32 late = 1000 + 4 * GAP + 1;

	assert_false(ramp_behind_long(&b, GAP, 1000, 1000000));
	ramp_behind_note(&b, 3, 0, 100, 1000);
	assert_true(ramp_behind_long(&b, GAP, 109, late));
	assert_false(ramp_behind_long(&b, GAP, 108, late));
	assert_false(ramp_behind_long(&b, GAP, 109, late - 1));
	assert_true(ramp_behind_long(&b, GAP, 1000, 1000000));
	/* A frame that read the number of samples before others went on. */
	assert_false(ramp_behind_long(&b, GAP, 99, late));
	assert_false(ramp_behind_long(&b, GAP, 0, late));

	ramp_behind_note(&b, 0, 0, 100, 1000);
	ramp_behind_note(&b, 3, 0, U32_MAX - 3, U32_MAX - 3);
	assert_false(ramp_behind_long(&b, GAP, 4, 4 * GAP));
	assert_true(ramp_behind_long(&b, GAP, 5, 4 * GAP));

	/* Nor does it take less time just before the clock wraps. */
	ramp_behind_note(&b, 0, 0, 100, 1000);
	ramp_behind_note(&b, 3, 0, 100, U32_MAX - 10);
	assert_false(ramp_behind_long(&b, GAP, 1000, U32_MAX - 5));
}

/* One flow in eight, and every flow before long. */
static void escapes_are_few_and_for_all(struct kunit *test)
{
	static u32 turns[RAMP_FLOWS];
	u32 longest[8] = {}, last[8] = {};
	u32 sample, flow, now;

	memset(turns, 0, sizeof(turns));
	for (sample = 0; sample < 8000; sample++) {
		now = 0;
		for (flow = 0; flow < RAMP_FLOWS; flow++) {
			if (!ramp_flow_turn(flow, sample))
				continue;
			turns[flow]++;
			now++;
			if (flow >= 8)
				continue;
			if (sample - last[flow] > longest[flow])
				longest[flow] = sample - last[flow];
			last[flow] = sample;
		}
		assert_int_equal(now, RAMP_FLOWS / 8);
	}
	for (flow = 0; flow < RAMP_FLOWS; flow++)
		assert_in_range(turns[flow], 980, 1020);
	for (flow = 0; flow < 8; flow++)
		assert_in_range(longest[flow], 8, 24);
}

/* A flow that sends only with every nth sample gets its turn, too. */
static void no_rhythm_misses_its_turn(struct kunit *test)
{
	u32 every, flow, sample, turns;

	for (every = 1; every <= 64; every++) {
		for (flow = 0; flow < 8; flow++) {
			turns = 0;
			for (sample = 0; sample < 256 * every; sample += every)
				turns += ramp_flow_turn(flow, sample);
			assert_in_range(turns, 8, 64);
		}
	}
}

UNIT_SUITE(flowlet,
	   UNIT_CASE(short_gaps_keep_the_port),
	   UNIT_CASE(a_new_flow_is_a_burst),
	   UNIT_CASE(a_port_of_no_use_is_left),
	   UNIT_CASE(home_is_port_and_set),
	   UNIT_CASE(another_set_visits),
	   UNIT_CASE(visitors_are_spread),
	   UNIT_CASE(all_ports_are_no_other_set),
	   UNIT_CASE(clock_may_wrap),
	   UNIT_CASE(two_classes_fuller_is_behind),
	   UNIT_CASE(long_is_both),
	   UNIT_CASE(escapes_are_few_and_for_all),
	   UNIT_CASE(no_rhythm_misses_its_turn));
