// SPDX-License-Identifier: GPL-2.0
/* The table of a candidate set, and the pick: US 8625624, [0035]. */
#include "spread_model.h"

static void entries(const struct model *m, u32 *of)
{
	u32 i;

	memset(of, 0, RAMP_SPREAD_PORTS * sizeof(*of));
	for (i = 0; i < RAMP_SPREAD_ENTRIES; i++)
		of[m->t.entry[i]]++;
}

static void lowest_class_gets_all(struct kunit *test)
{
	u32 of[RAMP_SPREAD_PORTS];
	static struct model m;

	model_begin(&m);
	model_add(&m, 2, 1);
	model_add(&m, 1, 1);
	model_add(&m, 3, 1);
	model_add(&m, 1, 1);
	model_build(&m);
	entries(&m, of);
	assert_int_equal(m.t.members, 2);
	assert_int_equal(m.t.rank, 1);
	assert_int_equal(of[1], RAMP_SPREAD_ENTRIES / 2);
	assert_int_equal(of[3], RAMP_SPREAD_ENTRIES / 2);
}

/* Lower bits are the worse ones of a fast generator. */
static void upper_bits_propose(struct kunit *test)
{
	static struct model m;

	model_begin(&m);
	model_add(&m, 0, 1);
	model_add(&m, 0, 1);
	model_build(&m);
	assert_int_equal(ramp_spread_at(&m.t, 0), 0);
	assert_int_equal(ramp_spread_at(&m.t, S32_MAX), 0);
	assert_int_equal(ramp_spread_at(&m.t, S32_MAX + 1U), 1);
	assert_int_equal(ramp_spread_at(&m.t, U32_MAX), 1);
}

static void nobody_is_left(struct kunit *test)
{
	static struct model m;

	model_begin(&m);
	m.t.members = 7;
	model_build(&m);
	assert_int_equal(m.t.members, 0);
}

static void one_port_gets_all(struct kunit *test)
{
	u32 of[RAMP_SPREAD_PORTS];
	static struct model m;
	u32 i;

	model_begin(&m);
	model_add(&m, 0, RAMP_SPREAD_WEIGHT_MAX);
	model_build(&m);
	entries(&m, of);
	assert_int_equal(of[0], RAMP_SPREAD_ENTRIES);
	for (i = 0; i < 100000; i++)
		assert_int_equal(model_send(&m, i), 0);
}

static void weights_are_entries(struct kunit *test)
{
	u32 of[RAMP_SPREAD_PORTS];
	static struct model m;

	model_begin(&m);
	model_add(&m, 0, 1);
	model_add(&m, 0, 3);
	model_add(&m, 0, 4);
	model_build(&m);
	entries(&m, of);
	assert_in_range(of[0], 127, 130);
	assert_in_range(of[1], 382, 386);
	assert_in_range(of[2], 509, 513);
}

/* Each member, and nobody else, in proportion as far as entries can say it. */
static void tables_are_full_and_fair(struct kunit *test)
{
	unit_rounds(3000) {
		u32 count = unit_between(1, RAMP_SPREAD_PORTS), i;
		u32 most = unit_amount(9), sum = 0, weights;
		u32 of[RAMP_SPREAD_PORTS];
		static struct model m;
		u64 full, share;

		model_begin(&m);
		for (i = 0; i < count; i++)
			model_add(&m, unit_between(0, 2),
				  unit_between(1, most));
		model_build(&m);
		entries(&m, of);
		weights = model_weights(&m);
		for (i = 0; i < count; i++) {
			sum += of[i];
			if (m.port[i].rank != m.t.rank) {
				unit_check(m.port[i].rank > m.t.rank, "%u", i);
				unit_check(!of[i], "%u", i);
				continue;
			}
			/* One, and a share of the others, to one and a bit. */
			full = RAMP_SPREAD_ENTRIES - m.t.members;
			share = 100 * (full * m.port[i].weight + weights);
			full = 100 * of[i] * (u64)weights;
			unit_check(of[i] >= 1 && full + 101 * weights > share &&
				   full < share + 101 * weights,
				   "port %u: %u of %llu / %u", i, of[i],
				   share / 100, weights);
		}
		unit_check(sum == RAMP_SPREAD_ENTRIES, "%u", sum);
	}
}

/* What is owed depends on the members, not on lighter ports that
 * came before.
 */
static void others_say_nothing_of_the_slack(struct kunit *test)
{
	static struct model alone, among;

	model_begin(&alone);
	model_begin(&among);
	model_add(&alone, 0, 1000);
	model_add(&alone, 0, 1000);
	model_build(&alone);
	model_add(&among, 1, 1);
	model_add(&among, 0, 1000);
	model_add(&among, 0, 1000);
	model_build(&among);
	assert_int_equal(among.t.lead, alone.t.lead);
	assert_int_equal(among.t.slack, alone.t.slack);
}

/* A port may be 16 frames of a port of mean weight ahead, and four times that
 * and two of the lightest's behind. A frame of weight 1000 is 1000 times as
 * light.
 */
static void sixteen_frames_ahead(struct kunit *test)
{
	u32 one = ramp_spread_charge(1);
	static struct model m;

	assert_int_equal(RAMP_SPREAD_WEIGHT_MAX, 1000);
	assert_in_range(1000 * ramp_spread_charge(1000), one - 1000, one);

	model_begin(&m);
	model_add(&m, 0, 1);
	model_add(&m, 0, 1);
	model_build(&m);
	assert_int_equal(m.t.lead, 16 * one);
	assert_int_equal(m.t.slack, (4 * 16 + 2) * one);

	model_begin(&m);
	model_add(&m, 0, 1);
	model_add(&m, 0, 4);
	model_add(&m, 0, 7);
	model_build(&m);
	assert_in_range(m.t.lead, 16 * (one / 4 - 1), 16 * one / 4);
	assert_int_equal(m.t.slack, 4 * m.t.lead + 2 * one);
}

/* Just by so much, at any time of the accounts, which wrap. */
static void who_is_ahead_yields(struct kunit *test)
{
	static const u64 accounts[] = { 1000, 0, U64_MAX, 1ULL << 63 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(accounts); i++) {
		u64 at = accounts[i];

		assert_false(ramp_spread_yields(100, at, at));
		assert_false(ramp_spread_yields(100, at + 100, at));
		assert_true(ramp_spread_yields(100, at + 101, at));
		assert_false(ramp_spread_yields(100, at - 101, at));
		assert_false(ramp_spread_yields(100, at - S32_MAX - 2, at));

		assert_true(ramp_spread_pull(100, at, at) == at);
		assert_true(ramp_spread_pull(100, at - 100, at) == at - 100);
		assert_true(ramp_spread_pull(100, at - 101, at) == at - 100);
		assert_true(ramp_spread_pull(100, at - 900, at) == at - 100);
		assert_true(ramp_spread_pull(100, at + 101, at) == at + 101);
		assert_true(ramp_spread_pull(100, at - S32_MAX - 2, at) ==
			    at - 100);
	}
}

static void turn_visits_every_entry(struct kunit *test)
{
	static u32 seen[RAMP_SPREAD_ENTRIES];
	u32 of[RAMP_SPREAD_PORTS] = {};
	static struct model m;
	u32 cursor = U32_MAX - 5000, i;

	memset(seen, 0, sizeof(seen));
	model_begin(&m);
	for (i = 0; i < RAMP_SPREAD_PORTS; i++)
		model_add(&m, 0, 1);
	model_build(&m);
	for (i = 0; i < RAMP_SPREAD_ENTRIES; i++) {
		of[ramp_spread_turn(&m.t, &cursor)]++;
		seen[cursor % RAMP_SPREAD_ENTRIES]++;
	}
	for (i = 0; i < RAMP_SPREAD_ENTRIES; i++)
		assert_int_equal(seen[i], 1);
	for (i = 0; i < RAMP_SPREAD_PORTS; i++)
		assert_int_equal(of[i],
				 RAMP_SPREAD_ENTRIES / RAMP_SPREAD_PORTS);
}

/* However few: each member has its turn as often as it has entries. */
static void the_lightest_have_their_turn(struct kunit *test)
{
	static u32 turns[RAMP_SPREAD_PORTS];
	u32 of[RAMP_SPREAD_PORTS];
	static struct model m;
	u32 cursor = 0, i;

	memset(turns, 0, sizeof(turns));
	model_begin(&m);
	for (i = 0; i < RAMP_SPREAD_PORTS; i++)
		model_add(&m, 0, i ? 1 : RAMP_SPREAD_WEIGHT_MAX);
	model_build(&m);
	entries(&m, of);
	for (i = 0; i < RAMP_SPREAD_ENTRIES; i++)
		turns[ramp_spread_turn(&m.t, &cursor)]++;
	for (i = 0; i < RAMP_SPREAD_PORTS; i++)
		assert_int_equal(turns[i], of[i]);
}

/* Whole turns alone would be in order, whoever went before. */
static void picks_cannot_be_foretold(struct kunit *test)
{
	u32 follows[4][4] = {}, random = 1, last = 0, at, i, k;
	static struct model m;

	model_begin(&m);
	for (i = 0; i < 4; i++)
		model_add(&m, 0, 1);
	model_build(&m);
	for (i = 0; i < 160000; i++) {
		at = model_send(&m, ramp_spread_random(&random));
		follows[last][at]++;
		last = at;
	}
	for (i = 0; i < 4; i++)
		for (k = 0; k < 4; k++)
			assert_in_range(follows[i][k], 9000, 11000);
}

static void random_numbers_are_many(struct kunit *test)
{
	static u32 upper[RAMP_SPREAD_ENTRIES];
	u32 seed = 1, i, n;

	memset(upper, 0, sizeof(upper));
	for (i = 0; i < 1000 * RAMP_SPREAD_ENTRIES; i++) {
		n = ramp_spread_random(&seed);
		assert_int_not_equal(n, 0);
		assert_int_equal(n, seed);
		upper[n >> (32 - RAMP_SPREAD_BITS)]++;
	}
	for (i = 0; i < RAMP_SPREAD_ENTRIES; i++)
		assert_in_range(upper[i], 800, 1200);
}

/* As it was published: few other shifts have its period. */
static void the_generator_is_a_known_one(struct kunit *test)
{
	u32 seed = 1;

	assert_int_equal(ramp_spread_random(&seed), 270369);
	assert_int_equal(ramp_spread_random(&seed), 67634689);
	assert_int_equal(ramp_spread_random(&seed), 2647435461U);
	assert_int_equal(ramp_spread_random(&seed), 307599695);
}

static void sets_of_addresses(struct kunit *test)
{
	static const u8 mac[] = { 0x02, 0, 0, 0, 0x01, 0x02 };
	static const u8 ip[] = { 10, 0, 0, 200 };
	u8 six[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 0xe7 };

	assert_int_equal(ramp_spread_set_of(mac, 6), 1);
	/* 10 ^ 200 = 0xc2, its upper bits are 6 */
	assert_int_equal(ramp_spread_set_of(ip, 4), 0x02 ^ 6);
	/* 0x20 ^ 0x01 ^ 0x0d ^ 0xb8 ^ 0xe7 = 0x73, its upper bits are 3 */
	assert_int_equal(ramp_spread_set_of(six, 16), 0x13 ^ 3);
	assert_int_equal(ramp_spread_set_of(six, 0), 0);
}

UNIT_SUITE(spread,
	   UNIT_CASE(lowest_class_gets_all),
	   UNIT_CASE(upper_bits_propose),
	   UNIT_CASE(nobody_is_left),
	   UNIT_CASE(one_port_gets_all),
	   UNIT_CASE(weights_are_entries),
	   UNIT_CASE(tables_are_full_and_fair),
	   UNIT_CASE(others_say_nothing_of_the_slack),
	   UNIT_CASE(sixteen_frames_ahead),
	   UNIT_CASE(who_is_ahead_yields),
	   UNIT_CASE(turn_visits_every_entry),
	   UNIT_CASE(the_lightest_have_their_turn),
	   UNIT_CASE(picks_cannot_be_foretold),
	   UNIT_CASE(random_numbers_are_many),
	   UNIT_CASE(the_generator_is_a_known_one),
	   UNIT_CASE(sets_of_addresses));
