// SPDX-License-Identifier: GPL-2.0
/* What gears amount to, by hand, with NetFridgeS's gears, and against the same
 * in 128 bits.
 */
#include "gears.h"
#include "wide.h"
#include <linux/bits.h>
#include <net/ramp/gears_sum.h>

#define RATE_MAX	BIT_ULL(40)

/* mW */
static const u32 by_gear[GEARS] = { 2000, 3000, 5000, 6500, 8000, 10000 };

/* What was used until then, by time in gears. */
static u64 energy_at(u32 n, const u32 *power, u64 then)
{
	u64 spent[RAMP_GEARS_MAX];
	u32 i;

	for (i = 0; i < n; i++)
		spent[i] = ramp_gears_spent(&g, i, then);
	return ramp_gears_energy(spent, n, power);
}

static u32 saved_at(u32 n, const u32 *power, u64 then)
{
	u64 spent[RAMP_GEARS_MAX];
	u32 i;

	for (i = 0; i < n; i++)
		spent[i] = ramp_gears_spent(&g, i, then);
	return ramp_gears_saved(spent, n, power);
}

static void residency_is_what_passed(struct kunit *test)
{
	u32 i;

	begin_at(5);
	assert_int_equal(ramp_gears_spent(&g, 5, now), HOUR);
	assert_int_equal(ramp_gears_spent(&g, 5, now - HOUR), 0);
	assert_int_equal(ramp_gears_spent(&g, 5, now - HOUR - 1), 0);
	move(0);
	now += 3;
	assert_int_equal(ramp_gears_spent(&g, 5, now), HOUR);
	assert_int_equal(ramp_gears_spent(&g, 4, now), 3);
	move(1000);
	now += 4;
	assert_int_equal(ramp_gears_spent(&g, 5, now), HOUR + 4);
	assert_int_equal(ramp_gears_spent(&g, 4, now), 3);
	for (i = 0; i < 4; i++)
		assert_int_equal(ramp_gears_spent(&g, i, now), 0);
}

/* A second in each gear, then a ns in each: each by itself is less
 * than a mJ.
 */
static void energy_is_not_rounded_per_gear(struct kunit *test)
{
	static const u32 power[GEARS] = { 1, 20, 300, 4000, 50000, 600000 };
	u32 i;

	g = (struct ramp_gears){ };
	for (i = 0; i < GEARS; i++)
		g.spent[i] = NSEC_PER_SEC;
	assert_int_equal(energy_at(GEARS, power, 0), 654321);
	assert_int_equal(energy_at(3, power, 0), 321);

	for (i = 0; i < GEARS; i++)
		g.spent[i] = 999999999 / power[i];
	assert_int_equal(energy_at(GEARS, power, 0), GEARS - 1);
	for (i = 0; i < 4; i++)
		g.spent[i] = NSEC_PER_SEC / 4 / power[i];
	g.spent[4] = 0;
	g.spent[5] = 0;
	assert_int_equal(energy_at(4, power, 0), 0);
	g.spent[0] += 100;
	assert_int_equal(energy_at(4, power, 0), 1);
}

/* Half of the ports carry the day, one in eight the night. */
static void a_day(struct kunit *test)
{
	const u64 all = 24 * HOUR;
	u64 mj;

	p = gears_params(GEARS);
	p.links = true;
	p.top = ramp_gears_links(gears_rate, GEARS, 1, 8);
	now = HOUR;
	ramp_gears_init(&g, &p, now);
	assert_int_equal(g.gear, 1);
	now += 6 * HOUR;
	p.top = ramp_gears_links(gears_rate, GEARS, 4, 8);
	change(1);
	assert_int_equal(g.gear, 2);
	now += 12 * HOUR;
	p.top = ramp_gears_links(gears_rate, GEARS, 1, 8);
	change(1);
	now += 6 * HOUR;

	assert_int_equal(ramp_gears_spent(&g, 1, now), all / 2);
	assert_int_equal(ramp_gears_spent(&g, 2, now), all / 2);
	mj = (3000 + 5000) * 12 * 3600;
	assert_int_equal(energy_at(GEARS, by_gear, now), mj);
	assert_int_equal(saved_at(GEARS, by_gear, now), 6000);
}

static void nothing_to_save(struct kunit *test)
{
	static const u32 power[GEARS] = { 7, 7, 9, 7, 7, 8 };
	static const u32 none[GEARS];

	p = gears_params(GEARS);
	now = HOUR;
	ramp_gears_init(&g, &p, now);
	/* No time yet. */
	assert_int_equal(saved_at(GEARS, power, now), 0);
	assert_int_equal(energy_at(GEARS, power, now), 0);
	now += HOUR;
	assert_int_equal(saved_at(GEARS, power, now), 0);
	assert_int_equal(saved_at(GEARS, none, now), 0);

	/* A gear that uses more than the top one. */
	g.spent[2] = 24 * HOUR;
	assert_int_equal(saved_at(GEARS, power, now), 0);
	assert_int_equal(saved_at(GEARS, none, now), 0);

	/* All of it, and a ns is as good as a year. */
	g = (struct ramp_gears){ .spent[1] = 1 };
	assert_int_equal(saved_at(3, (u32[]){ 5, 0, U32_MAX }, 0), 10000);
	assert_int_equal(saved_at(3, (u32[]){ 5, 1, 3 }, 0), 6667);
	assert_int_equal(saved_at(3, (u32[]){ 5, 1, 20000 }, 0), 10000);
	assert_int_equal(saved_at(3, (u32[]){ 5, 1, 19999 }, 0), 9999);
}

/* An eleventh of a mW is almost 5958 of the parts that are reckoned with. */
static void equal_power_saves_nothing(struct kunit *test)
{
	u32 power[11], i;

	g = (struct ramp_gears){ };
	for (i = 0; i < 11; i++) {
		power[i] = 1;
		g.spent[i] = NSEC_PER_SEC;
	}
	assert_int_equal(saved_at(11, power, 0), 0);
}

/* 6 of 131072 ns: 0.458 hundredths of a percent, from halves of a part. One
 * part more would be 0.61.
 */
static void parts_are_not_lost(struct kunit *test)
{
	static const u32 power[4] = { 0, 1, 1, 1 };

	g = (struct ramp_gears){ .spent = { 6, 65533, 65533 } };
	assert_int_equal(saved_at(3, power, 0), 0);
	/* Nor counted twice: thirds of a part, 0.61. */
	g = (struct ramp_gears){ .spent = { 12, 65533, 65531, 65532 } };
	assert_int_equal(saved_at(4, power, 0), 1);
}

static void sums_as_in_128_bits(struct kunit *test)
{
	unit_rounds(200000) {
		u32 n = unit_between(2, RAMP_GEARS_MAX), power[RAMP_GEARS_MAX];
		u32 bits = unit_between(0, 1) ? 57 : 59;
		u128 used = 0, whole = 0, off;
		u32 i, saved;

		/* All gears together: 73 years, or twice as much. */
		g = (struct ramp_gears){ .gear = unit_between(0, n - 1) };
		g.since = unit_chance(30) ? 0 - unit_amount(50) :
					    unit_random();
		now = g.since + unit_amount(bits);
		for (i = 0; i < n; i++) {
			g.spent[i] = unit_chance(20) ? 0 : unit_amount(bits);
			power[i] = unit_amount(bits == 57 ? 32 : 24) - 1;
		}
		for (i = 0; i < n; i++) {
			u64 spent = g.spent[i] +
				    (i == g.gear ? now - g.since : 0);

			used += (u128)spent * power[i];
			whole += (u128)spent * power[n - 1];
		}
		unit_check(energy_at(n, power, now) ==
			   (u64)wide_div(used, NSEC_PER_SEC), "%u gears", n);

		saved = saved_at(n, power, now);
		if (used >= whole || !power[n - 1]) {
			unit_check(!saved || used - whole == 0, "%u", saved);
			continue;
		}
		/* Half of a hundredth off at most, and what parts
		 * of a mW make.
		 */
		off = (whole - used) * 10000;
		off = saved * whole > off ? saved * whole - off :
					    off - saved * whole;
		unit_check(off <= whole / 2 + wide_div(whole, power[n - 1]) * 3,
			   "%u of %u mW", saved, power[n - 1]);
	}
}

static void links_and_their_gear(struct kunit *test)
{
	static const u32 gear[] = { 1, 1, 1, 2, 2, 3, 4, 4, 5 };
	static const u64 thirds[] = { 1, 33, 34, 66, 67, 100 };
	u32 up;

	/* 200 Gbit/s: each of eight links has 25. */
	for (up = 0; up <= 8; up++)
		assert_int_equal(ramp_gears_links(gears_rate, GEARS, up, 8),
				 gear[up]);
	/* Six of eight are down: a quarter, and it is the least
	 * that suffices.
	 */
	up = ramp_gears_links(gears_rate, GEARS, 2, 8);
	assert_true(gears_rate[up] * 4 >= gears_rate[GEARS - 1]);

	/* A part of a byte/s is one more. */
	assert_int_equal(ramp_gears_links(thirds, 6, 1, 3), 2);
	assert_int_equal(ramp_gears_links(thirds, 6, 2, 3), 4);
	assert_int_equal(ramp_gears_links(thirds, 6, 33, 100), 1);
	assert_int_equal(ramp_gears_links(thirds, 6, 67, 100), 4);
	assert_int_equal(ramp_gears_links(thirds, 2, 0, 3), 1);
}

static u32 top_of(const u32 *speed, u32 n, u32 up)
{
	struct ramp_gears_ports s = { };
	u32 i;

	for (i = 0; i < n; i++)
		ramp_gears_port(&s, up & (1U << i), speed[i]);
	return ramp_gears_top(gears_rate, GEARS, &s);
}

static void links_are_weighed(struct kunit *test)
{
	static const u32 even[] = { 1000, 1000, 1000, 1000, 1000, 1000, 1000,
				    1000 };
	static const u32 uneven[] = { 100000, 25000, 25000, 25000, 25000 };
	static const u32 some[] = { 100000, 0, 50000, 0 };
	static const u32 none[8];

	assert_int_equal(top_of(even, 8, 0xff), 5);
	assert_int_equal(top_of(even, 8, 0x81), 1);
	assert_int_equal(top_of(none, 8, 0x81), 1);
	assert_int_equal(top_of(none, 8, 0x70), 2);
	assert_int_equal(top_of(none, 8, 0), 1);

	/* Half of 200 Gbit/s is in one of five links, a quarter in two. */
	assert_int_equal(top_of(uneven, 5, 1), 2);
	assert_int_equal(top_of(uneven, 5, 0x1e), 2);
	assert_int_equal(top_of(uneven, 5, 3), 3);
	assert_int_equal(top_of(uneven, 5, 6), 1);

	/* A speed that is not known is the mean, 75000: of all 300000. */
	assert_int_equal(top_of(some, 4, 1), 2);	/*  67 */
	assert_int_equal(top_of(some, 4, 2), 1);	/*  50 */
	assert_int_equal(top_of(some, 4, 4), 1);	/*  33 */
	assert_int_equal(top_of(some, 4, 3), 3);	/* 117 */
	assert_int_equal(top_of(some, 4, 0xa), 2);	/* 100 */
	assert_int_equal(top_of(some, 4, 0xe), 3);	/* 133 */
	assert_int_equal(top_of(some, 4, 0xb), 4);	/* 167 */
	assert_int_equal(top_of(some, 4, 0xf), 5);

	/* No link, nothing to follow. */
	assert_int_equal(top_of(none, 0, 0), 5);
}

static void links_as_in_128_bits(struct kunit *test)
{
	unit_rounds(100000) {
		u32 n = unit_between(2, RAMP_GEARS_MAX), ports, i, top, known;
		u64 rate[RAMP_GEARS_MAX], speed[64], carried = 0, all = 0;
		struct ramp_gears_ports s = { };
		bool up[64];

		rate[0] = unit_amount(36);
		for (i = 1; i < n; i++)
			rate[i] = rate[i - 1] + unit_amount(36);
		ports = unit_between(1, 64);
		known = 0;
		for (i = 0; i < ports; i++) {
			speed[i] = unit_chance(30) ? 0 : unit_amount(32) - 1;
			up[i] = unit_chance(50);
			ramp_gears_port(&s, up[i], speed[i]);
			known += speed[i] > 0;
			all += speed[i];
		}
		/* The mean, in parts of as many as are known. */
		for (i = 0; i < ports; i++) {
			u64 weight = speed[i] ? speed[i] * known :
				     known ? all : 1;

			carried += up[i] ? weight : 0;
		}
		all = known ? all * ports : ports;
		top = ramp_gears_top(rate, n, &s);
		unit_check(top && top < n, "%u", top);
		unit_check((u128)rate[top] * all >= (u128)rate[n - 1] *
			   carried, "%u of %u", top, n);
		unit_check(top == 1 || (u128)rate[top - 1] * all <
			   (u128)rate[n - 1] * carried, "%u of %u", top, n);
	}
}

static void freezes(struct kunit *test)
{
	/* 4.2: 1522 bytes; at 60 Gbit/s 202.93 ns */
	assert_int_equal(ramp_gears_freeze(60 * GBIT, 1522), 203);
	assert_int_equal(ramp_gears_freeze(125000000, 1500), 12000);
	assert_int_equal(ramp_gears_freeze(RATE_MAX, 1), 1);
	assert_int_equal(ramp_gears_freeze(1500, 1500), NSEC_PER_SEC);
	assert_int_equal(ramp_gears_freeze(1499, 1500), NSEC_PER_SEC);
	assert_int_equal(ramp_gears_freeze(1501, 1500), 999333778);
	assert_int_equal(ramp_gears_freeze(1, U32_MAX), NSEC_PER_SEC);
	assert_int_equal(ramp_gears_freeze(RATE_MAX, U32_MAX), 3906250);
}

static void room_for_a_freeze(struct kunit *test)
{
	u32 i;

	assert_int_equal(ramp_gears_room(125000000, 0, 0), 0);
	assert_int_equal(ramp_gears_room(125000000, 0, 8), 8);
	assert_int_equal(ramp_gears_room(64, NSEC_PER_SEC, 0), 1);
	assert_int_equal(ramp_gears_room(65, NSEC_PER_SEC, 0), 2);
	assert_int_equal(ramp_gears_room(64, NSEC_PER_SEC + 1, 3), 5);
	assert_int_equal(ramp_gears_room(64, NSEC_PER_SEC - 1, 3), 4);
	assert_int_equal(ramp_gears_room(1, 1, 1), 2);
	/* 10 Gbit/s for 12 us: 234.375 */
	assert_int_equal(ramp_gears_room(10 * GBIT, 12000, 1), 236);
	assert_int_equal(ramp_gears_room(RATE_MAX, NSEC_PER_SEC, 64),
			 (1ULL << 34) + 64);
	assert_int_equal(ramp_gears_room(RATE_MAX - 1, NSEC_PER_SEC, 0),
			 1ULL << 34);
	assert_int_equal(ramp_gears_room(RATE_MAX - 63, NSEC_PER_SEC, 0),
			 1ULL << 34);
	assert_int_equal(ramp_gears_room(RATE_MAX - 64, NSEC_PER_SEC, 0),
			 (1ULL << 34) - 1);

	unit_rounds(1000000) {
		u64 rate = unit_chance(20) ? RATE_MAX - unit_amount(10) :
					     unit_amount(40);
		u64 freeze = unit_chance(20) ? NSEC_PER_SEC - unit_amount(10) :
					       unit_between(0, NSEC_PER_SEC);
		u64 frame = 64 * NSEC_PER_SEC;
		u128 want = wide_div((u128)rate * freeze + frame - 1, frame);

		i = unit_between(0, 4096);
		unit_check(ramp_gears_room(rate, freeze, i) == (u64)want + i,
			   "%llu for %llu", rate, freeze);
	}
}

UNIT_SUITE(gears_sum,
	   UNIT_CASE(residency_is_what_passed),
	   UNIT_CASE(energy_is_not_rounded_per_gear),
	   UNIT_CASE(a_day),
	   UNIT_CASE(nothing_to_save),
	   UNIT_CASE(equal_power_saves_nothing),
	   UNIT_CASE(parts_are_not_lost),
	   UNIT_CASE(sums_as_in_128_bits),
	   UNIT_CASE(links_and_their_gear),
	   UNIT_CASE(links_are_weighed),
	   UNIT_CASE(links_as_in_128_bits),
	   UNIT_CASE(freezes),
	   UNIT_CASE(room_for_a_freeze));
