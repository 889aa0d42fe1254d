// SPDX-License-Identifier: GPL-2.0
/* Power by the share of ports in use: NetFridgeS's Table 4, row by row, and
 * sums against the same in 128 bits.
 */
#include "unit.h"
#include "wide.h"
#include <net/ramp/gears_sum.h>
#include <net/ramp/ports.h>

#define ROWS		6
#define PORTS		10
#define FULL		100000		/* mW, of a pipeline without gears */

/* Table 4: "Scaling factors for NetFridgeS's pipeline power under different
 * port utilization", hundredths of a percent.
 */
static const u32 table_4[ROWS] = { 2824, 6703, 7387, 8118, 9640, 10009 };

static struct ramp_ports s;
static u64 now;

static void begin(u32 up, u32 all)
{
	s = (struct ramp_ports){ };
	now = HOUR;
	ramp_ports_look(&s, ROWS, up, all, now);
}

static void look(u32 up, u32 all)
{
	ramp_ports_look(&s, ROWS, up, all, now);
}

static u64 energy(void)
{
	u64 spent[ROWS];
	u32 i;

	for (i = 0; i < ROWS; i++)
		spent[i] = ramp_ports_spent(&s, i, now);
	return ramp_ports_energy(spent, ROWS, table_4, FULL);
}

static u32 saved(void)
{
	u64 spent[ROWS];
	u32 i;

	for (i = 0; i < ROWS; i++)
		spent[i] = ramp_ports_spent(&s, i, now);
	return ramp_gears_saved(spent, ROWS, table_4);
}

/* 0 <= x < 0.2, 0.2 <= x < 0.4, ... 0.8 <= x < 1, x = 1 */
static void rows_are_those_of_table_4(struct kunit *test)
{
	static const u32 ten[] = { 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5 };
	static const u32 five[] = { 0, 1, 2, 3, 4, 5 };
	static const u32 seven[] = { 0, 0, 1, 2, 2, 3, 4, 5 };
	static const u32 two[] = { 0, 2, 5 };
	u32 up;

	for (up = 0; up <= 10; up++)
		assert_int_equal(ramp_ports_row(ROWS, up, 10), ten[up]);
	for (up = 0; up <= 5; up++)
		assert_int_equal(ramp_ports_row(ROWS, up, 5), five[up]);
	for (up = 0; up <= 7; up++)
		assert_int_equal(ramp_ports_row(ROWS, up, 7), seven[up]);
	for (up = 0; up <= 2; up++)
		assert_int_equal(ramp_ports_row(ROWS, up, 2), two[up]);
	assert_int_equal(ramp_ports_row(ROWS, 0, 1), 0);
	assert_int_equal(ramp_ports_row(ROWS, 1, 1), 5);

	/* "with 3 of 10 ports up it is 67.03 %" */
	assert_int_equal(table_4[ramp_ports_row(ROWS, 3, 10)], 6703);
}

/* Any table, any ports: the last row is for all, and each other one begins at
 * its part of what is less.
 */
static void rows_part_what_is_not_all(struct kunit *test)
{
	u32 n, up, all, row;

	for (n = 2; n <= RAMP_POWER_PORTS_MAX; n++)
		for (all = 1; all <= RAMP_GEAR_PORTS_MAX; all++)
			for (up = 0; up <= all; up++) {
				row = ramp_ports_row(n, up, all);
				unit_check((row == n - 1) == (up == all),
					   "%u of %u: %u", up, all, row);
				unit_check(row * all <= up * (n - 1),
					   "%u of %u: %u", up, all, row);
				unit_check((row + 1) * all > up * (n - 1),
					   "%u of %u: %u", up, all, row);
			}
	/* Nothing that could be down. */
	assert_int_equal(ramp_ports_row(ROWS, 0, 0), 5);
	assert_int_equal(ramp_ports_row(2, 0, 0), 1);
}

static void each_row_alone_is_the_papers(struct kunit *test)
{
	/* Of a box whose ports are all in use: 1 - row / 100.09 %. */
	static const u32 less[ROWS] = { 7179, 3303, 2620, 1889, 369, 0 };
	u32 up, row;

	for (up = 0; up <= PORTS; up++) {
		begin(up, PORTS);
		now += 24 * HOUR;
		row = ramp_ports_row(ROWS, up, PORTS);
		/* 100 W for a day are 8640 kJ. */
		assert_int_equal(energy(), 864000ULL * table_4[row]);
		assert_int_equal(saved(), less[row]);
		unit_note("%u of %u ports: %u.%02u %%", up, PORTS,
			  table_4[row] / 100, table_4[row] % 100);
	}
}

/* One port down each hour, and all up again. */
static void time_is_spent_in_rows(struct kunit *test)
{
	u32 up, i;
	u64 mj = 0;

	begin(PORTS, PORTS);
	for (up = PORTS; up; up--) {
		now += HOUR;
		mj += 36 * table_4[ramp_ports_row(ROWS, up, PORTS)];
		assert_int_equal(energy(), mj * 1000);
		look(up - 1, PORTS);
		assert_int_equal(energy(), mj * 1000);
		assert_int_equal(s.up, up - 1);
		assert_int_equal(s.all, PORTS);
	}
	look(PORTS, PORTS);
	now += 5;
	assert_int_equal(ramp_ports_spent(&s, 5, now), HOUR + 5);
	for (i = 1; i < 5; i++)
		assert_int_equal(ramp_ports_spent(&s, i, now), 2 * HOUR);
	assert_int_equal(ramp_ports_spent(&s, 0, now), HOUR);
}

static void another_table_begins_anew(struct kunit *test)
{
	begin(PORTS, PORTS);
	now += HOUR;
	look(5, PORTS);
	now += HOUR;
	/* Other ports, and as many rows: times go on. */
	look(1, 2);
	assert_int_equal(ramp_ports_spent(&s, 5, now), HOUR);
	assert_int_equal(ramp_ports_spent(&s, 2, now), HOUR);
	now += HOUR;
	ramp_ports_look(&s, 3, 1, 2, now);
	assert_int_equal(s.row, 1);
	now += 7;
	assert_int_equal(ramp_ports_spent(&s, 0, now), 0);
	assert_int_equal(ramp_ports_spent(&s, 1, now), 7);
	assert_int_equal(ramp_ports_spent(&s, 2, now), 0);
	/* None, which has no row, and the first one again. */
	ramp_ports_look(&s, 0, 2, 2, now);
	now += HOUR;
	ramp_ports_look(&s, 0, 2, 2, now);
	assert_int_equal(s.row, 0);
	ramp_ports_look(&s, 3, 0, 2, now);
	now += 9;
	assert_int_equal(ramp_ports_spent(&s, 0, now), 9);
	assert_int_equal(ramp_ports_spent(&s, 1, now), 0);
}

static void clock_that_steps_back(struct kunit *test)
{
	begin(PORTS, PORTS);
	assert_int_equal(ramp_ports_spent(&s, 5, now - HOUR / 2), 0);
	now += HOUR;
	look(0, PORTS);
	now -= 10;
	look(PORTS, PORTS);
	assert_int_equal(ramp_ports_spent(&s, 5, now), HOUR);
	assert_int_equal(ramp_ports_spent(&s, 0, now), 0);
	now += 15;
	assert_int_equal(ramp_ports_spent(&s, 5, now), HOUR + 5);
}

/* What each row has used is less than a mJ, all of them together are one. */
static void energy_is_not_rounded_per_row(struct kunit *test)
{
	static const u32 share[] = { 2500, 2500, 2500, 2500 };
	u64 spent[4] = { NSEC_PER_SEC, NSEC_PER_SEC, NSEC_PER_SEC,
			 NSEC_PER_SEC };

	assert_int_equal(ramp_ports_energy(spent, 4, share, 1), 1);
	spent[3]--;
	assert_int_equal(ramp_ports_energy(spent, 4, share, 1), 0);
	spent[2]++;
	assert_int_equal(ramp_ports_energy(spent, 4, share, 1), 1);
	assert_int_equal(ramp_ports_energy(spent, 4, share, 0), 0);

	/* Nor are whole seconds and the rest of one: a quarter of 32 mW. */
	spent[0] = NSEC_PER_SEC / 8;
	spent[1] = 0;
	spent[2] = 0;
	spent[3] = 0;
	assert_int_equal(ramp_ports_energy(spent, 4, share, 32), 1);
	spent[0]--;
	assert_int_equal(ramp_ports_energy(spent, 4, share, 32), 0);
}

static void energy_as_in_128_bits(struct kunit *test)
{
	unit_rounds(200000) {
		u32 n = unit_between(2, RAMP_POWER_PORTS_MAX), i;
		u64 spent[RAMP_POWER_PORTS_MAX];
		u32 share[RAMP_POWER_PORTS_MAX];
		u32 full = unit_amount(32) - 1;
		u128 used = 0;

		/* All rows together: 36 years. */
		for (i = 0; i < n; i++) {
			spent[i] = unit_chance(20) ? 0 : unit_amount(56) - 1;
			share[i] = unit_between(0, RAMP_PORTS_SHARE_MAX);
			used += (u128)spent[i] * share[i] * full;
		}
		unit_check(ramp_ports_energy(spent, n, share, full) ==
			   (u64)wide_div(used, NSEC_PER_SEC * RAMP_PORTS_WHOLE),
			   "%u rows of %u mW", n, full);
	}
}

static void ports_are_counted(struct kunit *test)
{
	struct ramp_gears_ports seen = { };

	ramp_gears_port(&seen, true, 1000);
	ramp_gears_port(&seen, false, 100000);
	ramp_gears_port(&seen, true, 0);
	ramp_gears_port(&seen, true, 10);
	ramp_gears_port(&seen, false, 0);
	assert_int_equal(seen.known_up, 2);
	assert_int_equal(seen.unknown_up, 1);
	assert_int_equal(seen.known + seen.unknown, 5);
}

UNIT_SUITE(ports,
	   UNIT_CASE(rows_are_those_of_table_4),
	   UNIT_CASE(rows_part_what_is_not_all),
	   UNIT_CASE(each_row_alone_is_the_papers),
	   UNIT_CASE(time_is_spent_in_rows),
	   UNIT_CASE(another_table_begins_anew),
	   UNIT_CASE(clock_that_steps_back),
	   UNIT_CASE(energy_is_not_rounded_per_row),
	   UNIT_CASE(energy_as_in_128_bits),
	   UNIT_CASE(ports_are_counted));
