// SPDX-License-Identifier: GPL-2.0
/* Slope: US 2025/0260650, [0104]-[0107], claims 3, 4, 7, 18, 20. */
#include "ticks.h"
#include "wide.h"

/* 000 [0105]: "at a first clock cycle two queue entries may be scheduled, at a
 * second clock cycle four queue entries may be scheduled, at a third clock
 * cycle six"
 */
static void two_four_six(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&two);
	int tick;

	for (tick = 1; tick <= 50; tick++) {
		assert_int_equal(drain(&s, &two, MTU, 1), 2 * tick);
		assert_int_equal(s.used, 2 * tick);
		assert_int_equal(s.tick_end, T0 + tick * TICK);
		assert_int_equal(ramp_slope_advance(&s, &two, s.tick_end), 1);
	}
}

/* Section 3: "Packets count segments of a GSO packet" */
static void packets_are_segments(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&two);

	next(&s, &two);
	assert_true(ramp_slope_admit(&s, &two, 4000, 3));
	ramp_slope_charge(&s, &two, 4000, 3);
	assert_false(ramp_slope_admit(&s, &two, 2000, 2));
	assert_true(ramp_slope_admit(&s, &two, 60000, 1));
}

/* 000 [0105]: "pausing the scheduling of packets for a particular amount of
 * time", "reducing the rate to a lower rate or to zero before gradually
 * raising the rate"
 */
static void pause_then_hold_then_climb(struct kunit *test)
{
	static const u64 want[] = { 0, 0, 0, 2, 2, 2, 4, 6, 8, 10 };
	struct ramp_slope_params p = two;
	struct ramp_slope s;
	unsigned int i;

	p.pause = 3;
	p.hold = 2;
	s = ramp_up(&p);
	for (i = 0; i < 10; i++) {
		assert_int_equal(s.allowance, want[i]);
		assert_int_equal(drain(&s, &p, 64, 1), want[i]);
		next(&s, &p);
	}
}

static void nothing_leaves_in_the_pause(struct kunit *test)
{
	struct ramp_slope_params p = five;
	struct ramp_slope s;

	p.pause = 1;
	s = ramp_up(&p);
	assert_false(ramp_slope_admit(&s, &p, 1, 1));
	assert_false(ramp_slope_admit(&s, &p, 1 << 20, 700));
	next(&s, &p);
	assert_true(ramp_slope_admit(&s, &p, 6250, 1));
}

/* Claims 3 and 4: the second rate is the maximum rate. Section 3: 5 % and 5 %
 * are 20 ticks, of which the last carries the full rate.
 */
static void five_percent_takes_twenty_ticks(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&five);
	int tick;

	for (tick = 1; tick <= 20; tick++) {
		assert_int_equal(s.dir, RAMP_UP);
		assert_int_equal(s.allowance, 6250 * tick);
		assert_false(ramp_slope_admit(&s, &five, 6250 * tick - 1, 1) &&
			     ramp_slope_admit(&s, &five, 0, 0) && s.waited);
		ramp_slope_charge(&s, &five, 6250 * tick, 1);
		s.waited = false;
		next(&s, &five);
	}
	assert_int_equal(s.dir, RAMP_NONE);
	assert_int_equal(s.tick_end, T0 + 20 * TICK);
}

/* Section 3: "However a ramp is over, what it held back does not leave in one
 * jump: the allowance goes on climbing by step per tick, beyond rate if need
 * be, until nothing waits; then the gate opens."
 */
static void what_waits_goes_on_to_climb(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&five);
	int tick;

	for (tick = 1; tick <= 45; tick++) {
		assert_int_equal(s.dir, RAMP_UP);
		assert_int_equal(s.allowance, 6250 * tick);
		assert_int_equal(s.drain, tick > 20);
		drain(&s, &five, 50, 1);
		next(&s, &five);
	}
	/* Nobody is refused. */
	ramp_slope_charge(&s, &five, 100000, 1);
	next(&s, &five);
	assert_int_equal(s.dir, RAMP_NONE);
	assert_int_equal(s.tick_end, T0 + 46 * TICK);
}

static void a_ramp_whose_time_is_over_climbs(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;
	int i;

	p.life = 5;
	s = ramp_up(&p);
	for (i = 1; i < 30; i++) {
		assert_int_equal(drain(&s, &p, MTU, 1), 2 * i);
		assert_int_equal(s.drain, i > 5);
		next(&s, &p);
	}
	/* In its pause, from start on. */
	p.pause = 100;
	s = ramp_up(&p);
	for (i = 0; i < 5; i++) {
		assert_int_equal(drain(&s, &p, MTU, 1), 0);
		next(&s, &p);
	}
	assert_int_equal(drain(&s, &p, MTU, 1), 2);
	assert_int_equal(next(&s, &p), 4);

	/* One that goes down, from where it got to. */
	p.pause = 0;
	s = ramp_down(&p, 20);
	for (i = 0; i < 5; i++) {
		assert_int_equal(drain(&s, &p, MTU, 1), 20 - 2 * i);
		next(&s, &p);
	}
	assert_int_equal(s.dir, RAMP_UP);
	assert_int_equal(s.allowance, 14);
}

/* Whoever comes late finds what it would have climbed to. */
static void late_callers_find_it_climbing(struct kunit *test)
{
	struct ramp_slope s, t;
	u64 late;

	for (late = 1; late < 60; late++) {
		s = ramp_up(&five);
		assert_false(ramp_slope_admit(&s, &five, 6251, 1) &&
			     ramp_slope_admit(&s, &five, 6249, 1) && !s.left);
		s.waited = true;
		t = s;
		assert_int_equal(ramp_slope_advance(&s, &five,
						    T0 + late * TICK), late);
		assert_int_equal(s.allowance, 6250 * (late + 1));
		while (t.tick_end <= T0 + late * TICK) {
			ramp_slope_advance(&t, &five, t.tick_end);
			t.waited = true;
		}
		assert_int_equal(s.allowance, t.allowance);
		assert_int_equal(s.drain, t.drain);
		assert_int_equal(s.tick_end, t.tick_end);
	}
}

static void an_end_that_is_told_climbs(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&five);
	int i;

	for (i = 1; i < 5; i++)
		next(&s, &five);
	drain(&s, &five, MTU, 1);
	ramp_slope_drain(&s, &five);
	assert_int_equal(s.allowance, 5 * 6250);
	for (i = 6; i < 50; i++) {
		assert_int_equal(next(&s, &five), i * 6250);
		drain(&s, &five, MTU, 1);
		ramp_slope_drain(&s, &five);
	}
	/* A turn is a ramp again. */
	begin_ramp(&s, &five, RAMP_DOWN, 10 * 6250, 100, s.tick_end - 1);
	assert_false(s.drain);
	assert_int_equal(next(&s, &five), 9 * 6250);
}

/* A step that does not divide the way: the last tick carries the full rate, not
 * more.
 */
static void last_step_is_cut(struct kunit *test)
{
	struct ramp_slope_params p = five;
	struct ramp_slope s;

	p.start = 50000;
	p.step = 50000;
	s = ramp_up(&p);
	assert_int_equal(s.allowance, 50000);
	assert_int_equal(next(&s, &p), 100000);
	assert_int_equal(next(&s, &p), 125000);
	assert_int_equal(s.dir, RAMP_UP);
	next(&s, &p);
	assert_int_equal(s.dir, RAMP_NONE);

	p.start = p.full;
	s = ramp_up(&p);
	assert_int_equal(s.allowance, 125000);
	next(&s, &p);
	assert_int_equal(s.dir, RAMP_NONE);
	assert_int_equal(s.tick_end, T0 + TICK);
}

/* Section 3: "Allowances do not carry over" */
static void allowances_do_not_carry_over(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&two);
	int i;

	for (i = 0; i < 9; i++)
		next(&s, &two);
	assert_int_equal(drain(&s, &two, MTU, 1), 20);
}

/* Section 3: "A late watchdog grants the present tick only" */
static void late_caller_gets_the_present_tick(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&two);

	assert_int_equal(ramp_slope_advance(&s, &two, T0 + 7 * TICK - 1), 6);
	assert_int_equal(drain(&s, &two, MTU, 1), 14);
	assert_int_equal(s.tick_end, T0 + 7 * TICK);
	assert_int_equal(ramp_slope_advance(&s, &two, T0 + 9 * TICK), 3);
	assert_int_equal(drain(&s, &two, MTU, 1), 20);
	assert_int_equal(s.tick_end, T0 + 10 * TICK);
}

static void end_is_dated_when_it_was(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&five);

	assert_int_equal(ramp_slope_advance(&s, &five, T0 + 20 * TICK - 1), 19);
	assert_int_equal(s.dir, RAMP_UP);
	assert_int_equal(s.allowance, 125000);

	s = ramp_up(&five);
	assert_int_equal(ramp_slope_advance(&s, &five, T0 + 2 * TICK), 2);
	assert_int_equal(ramp_slope_advance(&s, &five, T0 + 9 * HOUR), 18);
	assert_int_equal(s.dir, RAMP_NONE);
	assert_int_equal(s.tick_end, T0 + 20 * TICK);
}

/* Section 3: "a single packet larger than a tick's allowance, goes whole if
 * nothing is owed, and its excess is owed by the following ticks"
 */
static void large_packet_goes_whole_and_is_paid(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&five);

	/* 6250 + 12500 + 18750 = 37500 */
	assert_true(ramp_slope_admit(&s, &five, 37500, 26));
	ramp_slope_charge(&s, &five, 37500, 26);
	assert_int_equal(s.used, 37500);
	assert_false(ramp_slope_admit(&s, &five, 1, 1));
	next(&s, &five);
	assert_false(ramp_slope_admit(&s, &five, 1, 1));
	assert_false(ramp_slope_admit(&s, &five, 65536, 45));
	next(&s, &five);
	assert_false(ramp_slope_admit(&s, &five, 1, 1));
	next(&s, &five);
	assert_int_equal(s.left, 25000);

	s = ramp_up(&five);
	ramp_slope_charge(&s, &five, 37499, 26);
	next(&s, &five);
	next(&s, &five);
	assert_int_equal(s.left, 1);
}

/* What fits into a whole tick waits for one. */
static void packet_that_fits_a_tick_waits(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&five);

	ramp_slope_charge(&s, &five, 1, 1);
	assert_false(ramp_slope_admit(&s, &five, 6250, 5));
	assert_true(ramp_slope_admit(&s, &five, 6249, 5));
}

/* Claim 20 and section 3: "current - k*down-step, not below floor" */
static void fall_to_the_floor(struct kunit *test)
{
	static const u64 want[] = { 10, 8, 6, 4, 3, 3, 3 };
	struct ramp_slope_params p = two;
	struct ramp_slope s;
	unsigned int i;

	p.floor = 3;
	p.pause = 5;
	p.hold = 5;
	s = ramp_down(&p, 10);
	for (i = 0; i < 7; i++) {
		assert_int_equal(drain(&s, &p, MTU, 1), want[i]);
		next(&s, &p);
	}
	ramp_slope_advance(&s, &p, T0 + 10 * HOUR);
	assert_int_equal(s.dir, RAMP_DOWN);
	assert_int_equal(s.allowance, 3);

	s = ramp_down(&p, 0);
	assert_int_equal(s.allowance, 3);
}

/* Section 3: "A turn has no pause and no hold" */
static void turn_goes_on_from_the_level(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;

	p.pause = 2;
	p.hold = 2;
	s = ramp_up(&p);
	ramp_slope_advance(&s, &p, T0 + 9 * TICK);
	assert_int_equal(s.allowance, 12);
	ramp_slope_charge(&s, &p, 5 * MTU, 5);

	begin_ramp(&s, &p, RAMP_DOWN, 12, 100, T0 + 9 * TICK + 5);
	assert_int_equal(s.tick_end, T0 + 10 * TICK);
	assert_int_equal(drain(&s, &p, MTU, 1), 7);
	assert_int_equal(next(&s, &p), 10);
	assert_int_equal(next(&s, &p), 8);

	ramp_slope_charge(&s, &p, 8 * MTU, 8);
	begin_ramp(&s, &p, RAMP_UP, 8, 100, T0 + 11 * TICK + 5);
	assert_int_equal(drain(&s, &p, MTU, 1), 0);
	assert_int_equal(next(&s, &p), 10);
	assert_int_equal(next(&s, &p), 12);
}

/* "Current: in a ramp, the larger of the present allowance and what left in the
 * last tick": a higher level gives the present tick nothing either. Debts stay.
 */
static void turns_give_the_tick_nothing(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&two);
	int i;

	ramp_slope_charge(&s, &two, 20000, 7);
	for (i = 0; i < 20; i++)
		begin_ramp(&s, &two, i % 2 ? RAMP_UP : RAMP_DOWN, 7, 9, T0 + i);
	assert_int_equal(drain(&s, &two, MTU, 1), 0);
	assert_int_equal(s.owed, 5);
	assert_int_equal(next(&s, &two), 9);
	assert_int_equal(drain(&s, &two, MTU, 1), 4);
}

static void turn_in_the_pause(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;

	p.pause = 10;
	s = ramp_up(&p);
	begin_ramp(&s, &p, RAMP_DOWN, 0, 50, T0 + 3);
	assert_int_equal(drain(&s, &p, MTU, 1), 0);
	assert_int_equal(next(&s, &p), 2);
	begin_ramp(&s, &p, RAMP_UP, 2, 50, s.tick_end - 1);
	assert_int_equal(next(&s, &p), 4);
}

/* Section 3: "when that many packets of the mean size sent in this ramp fill a
 * tick at rate"
 */
static void packet_ramp_ends_by_the_mean_packet(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;
	u64 ticks = 0, allowance, mean;

	p.full = 125000;
	s = ramp_up(&p);
	while (s.dir == RAMP_UP) {
		drain(&s, &p, ticks % 2 ? 1000 : 1500, 1);
		s.waited = false;
		allowance = s.allowance;
		mean = s.bytes / s.pkts;
		next(&s, &p);
		ticks++;
		assert_int_equal(s.dir == RAMP_NONE,
				 allowance * mean >= p.full);
	}
	/* the mean lies between 1000 and 1500, so 84 .. 125 packets do */
	assert_in_range(ticks, 42, 63);
}

/* What is charged can be less than a byte per packet (tc-stab(8)). */
static void the_least_mean_packet_is_a_byte(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;
	int ticks = 0;

	p.full = 10;
	s = ramp_up(&p);
	ramp_slope_charge(&s, &p, 3, 4);
	for (; s.dir == RAMP_UP; ticks++)
		next(&s, &p);
	/* 2, 4, 6, 8, 10 packets */
	assert_int_equal(ticks, 5);
}

/* Section 3: "with an unknown rate, when a whole WINDOW passed in which no
 * tick's allowance was used up"
 */
static void unknown_rate_ends_after_a_quiet_window(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;
	int i;

	p.full = 0;
	s = ramp_up(&p);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(s.dir, RAMP_UP);
		drain(&s, &p, MTU, 1);
		next(&s, &p);
	}
	assert_int_equal(s.allowance, 2002);
	for (i = 0; i < 99; i++) {
		ramp_slope_charge(&s, &p, MTU, 1);
		next(&s, &p);
		assert_int_equal(s.dir, RAMP_UP);
	}
	next(&s, &p);
	assert_int_equal(s.dir, RAMP_NONE);

	s = ramp_up(&p);
	ramp_slope_advance(&s, &p, T0 + 9 * HOUR);
	assert_int_equal(s.dir, RAMP_NONE);
}

/* Whoever looks, and when: it is over with the tick in which the window is, but
 * not before pause and hold are, and a tick after them.
 */
static void unknown_rate_ends_with_a_tick(struct kunit *test)
{
	static const struct {
		s64 more;
		u32 pause, hold, ticks;
	} cases[] = {
		{ 0, 0, 0, 100 }, { -1, 0, 0, 100 }, { 1, 0, 0, 101 },
		{ 0, 40, 59, 100 }, { 0, 40, 60, 101 }, { 0, 50, 100, 151 },
	};
	struct ramp_slope s;
	u32 i, ticks;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ramp_slope_params p = two;

		p.window += cases[i].more;
		p.pause = cases[i].pause;
		p.hold = cases[i].hold;
		s = ramp_up(&p);
		for (ticks = 0; s.dir == RAMP_UP; ticks++)
			next(&s, &p);
		unit_check(ticks == cases[i].ticks &&
			   s.tick_end == T0 + ticks * TICK, "%u: %u ticks", i,
			   ticks);
		s = ramp_up(&p);
		ticks = ramp_slope_advance(&s, &p, T0 + 9 * HOUR);
		unit_check(ticks == cases[i].ticks && s.dir == RAMP_NONE &&
			   s.tick_end == T0 + ticks * TICK, "%u: late: %u", i,
			   ticks);
	}
}

/* A ramp in packets at a known rate, in which none was sent, knows no mean. */
static void no_packet_no_mean(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;

	p.full = 125000;
	s = ramp_up(&p);
	ramp_slope_advance(&s, &p, T0 + WINDOW - 1);
	assert_int_equal(s.dir, RAMP_UP);
	ramp_slope_advance(&s, &p, T0 + WINDOW);
	assert_int_equal(s.dir, RAMP_NONE);
}

/* While somebody waits a watchdog that is late by a window or more must not be
 * taken for a window in which nobody had to.
 */
static void late_watchdog_is_no_quiet_window(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;

	p.window = NSEC_PER_MSEC;
	s = ramp_up(&p);
	drain(&s, &p, MTU, 1);
	ramp_slope_advance(&s, &p, T0 + 2 * NSEC_PER_MSEC);
	assert_int_equal(s.dir, RAMP_UP);
	assert_int_equal(s.allowance, 42);
}

/* Section 3: a down ramp "turns up when the queue did not shrink
 * for a WINDOW"
 */
static void constant_queue_is_stalled_after_a_window(struct kunit *test)
{
	struct ramp_slope s = ramp_down(&two, 100);
	int i;

	for (i = 0; i < 99; i++) {
		next(&s, &two);
		assert_false(ramp_slope_stalled(&s, &two, 1000 + i % 3,
						s.tick_end - TICK));
	}
	assert_true(ramp_slope_stalled(&s, &two, 1000, T0 + WINDOW));
}

static void shrinking_queue_is_not_stalled(struct kunit *test)
{
	struct ramp_slope s = ramp_down(&two, 100);
	u32 queued = 1000;
	int i;

	for (i = 0; i < 9000; i++) {
		next(&s, &two);
		if (i % 90 == 0)
			queued--;
		assert_false(ramp_slope_stalled(&s, &two, queued + i % 2,
						s.tick_end - TICK));
	}
}

/* A window shorter than a tick sees no queue shrink. */
static void stalled_takes_two_ticks(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;

	p.tick = NSEC_PER_SEC;
	p.window = NSEC_PER_MSEC;
	s = ramp_down(&p, 100);
	next(&s, &p);
	assert_false(ramp_slope_stalled(&s, &p, 1000, T0 + p.tick));
	next(&s, &p);
	assert_true(ramp_slope_stalled(&s, &p, 1000, T0 + 2 * p.tick));
}

/* One large packet may be paid for longer than a window. */
static void paying_is_not_stalling(struct kunit *test)
{
	struct ramp_slope_params p = five;
	struct ramp_slope s;
	u32 queued = 1000;
	u64 i;

	p.floor = 100;
	p.down_step = 100;
	s = ramp_down(&p, 100);
	for (i = 0; i < 20 * WINDOW / TICK; i++) {
		unit_check(!ramp_slope_stalled(&s, &p, queued,
					       s.tick_end - TICK),
			   "in tick %llu, %u packets wait", i, queued);
		queued -= drain(&s, &p, 65536, 45);
		next(&s, &p);
	}
	assert_in_range(queued, 990, 998);
}

/* ... but a queue of large packets that never shrinks is not held for ever. */
static void large_packets_do_not_hide_a_stall(struct kunit *test)
{
	struct ramp_slope s = ramp_down(&five, 6250);
	bool stalled = false;
	u64 i;

	for (i = 0; i < 20 * WINDOW / TICK && !stalled; i++) {
		stalled = ramp_slope_stalled(&s, &five, 1000,
					     s.tick_end - TICK);
		/* one arrives for each that leaves */
		drain(&s, &five, 65536, 45);
		next(&s, &five);
	}
	assert_true(stalled);
}

/* A change of nothing, at any time and any number of times, changes nothing. */
static void change_of_nothing_changes_nothing(struct kunit *test)
{
	struct ramp_slope_params p = five;
	struct ramp_slope s;
	unsigned int i, j;

	p.pause = 3;
	p.hold = 4;
	s = ramp_up(&p);
	for (i = 0; s.dir == RAMP_UP; i++) {
		u64 want = i < 3 ? 0 : i < 7 ? 6250 : 6250 * (i - 6);

		assert_int_equal(s.allowance, want);
		for (j = 0; j < 10; j++) {
			if (ramp_slope_admit(&s, &p, 1000, 1))
				ramp_slope_charge(&s, &p, 1000, 1);
			ramp_slope_change(&s, &p, &p, MTU);
		}
		assert_int_equal(s.used, want < 10000 ? want / 1000 * 1000 :
							10000);
		assert_int_equal(s.left, want - s.used);
		next(&s, &p);
	}
	assert_int_equal(i, 27);
	assert_int_equal(s.tick_end, T0 + 27 * TICK);

	s = ramp_down(&two, 20);
	for (i = 20; i > 2; i -= 2) {
		assert_int_equal(s.allowance, i);
		ramp_slope_change(&s, &two, &two, MTU);
		next(&s, &two);
	}
}

/* ... nor does it forget that a turn went on from what left in the
 * last tick.
 */
static void change_in_the_tick_of_a_turn(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&two);

	ramp_slope_charge(&s, &two, 30000, 20);
	next(&s, &two);
	begin_ramp(&s, &two, RAMP_DOWN, ramp_slope_reach(&s), 9,
		   s.tick_end - 1);
	ramp_slope_change(&s, &two, &two, MTU);
	assert_int_equal(next(&s, &two), 18);
}

/* Section 1: no amount is above the rate, which may have fallen since with the
 * speed of the link.
 */
static void hold_is_cut_to_the_full_rate(struct kunit *test)
{
	struct ramp_slope_params p = five;
	struct ramp_slope s;

	p.start = 2 * p.full;
	p.hold = 1;
	s = ramp_up(&p);
	assert_int_equal(s.allowance, p.full);
	assert_int_equal(next(&s, &p), p.full);
}

/* Section 1: a change keeps what is not named; the ramp goes on. */
static void new_step_holds_from_the_next_tick(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s = ramp_up(&two);

	ramp_slope_advance(&s, &two, T0 + 4 * TICK);
	assert_int_equal(s.allowance, 10);
	p.step = 5;
	p.start = 100;
	p.pause = 7;
	p.hold = 7;
	ramp_slope_change(&s, &two, &p, MTU);
	assert_int_equal(drain(&s, &p, MTU, 1), 10);
	assert_int_equal(next(&s, &p), 15);
	assert_int_equal(next(&s, &p), 20);
}

/* A pause that is cut short, or cut off, is followed by start, not by the ticks
 * that it would have had meanwhile.
 */
static void shorter_pause_does_not_jump(struct kunit *test)
{
	u32 pause, hold;

	for (pause = 0; pause < 60; pause += 10) {
		for (hold = 0; hold < 60; hold += 15) {
			struct ramp_slope_params p = two, q = two;
			struct ramp_slope s;
			int i;

			p.pause = 50;
			p.hold = 50;
			q.pause = pause;
			q.hold = hold;
			s = ramp_up(&p);
			ramp_slope_advance(&s, &p, T0 + 40 * TICK);
			ramp_slope_change(&s, &p, &q, MTU);
			assert_int_equal(s.allowance, 0);
			for (i = 41; i < 200; i++) {
				u64 was = s.allowance;
				u64 most = was ? was + 2 : 2;

				unit_check(next(&s, &q) <= most,
					   "pause %u hold %u: tick %d allows %llu after %llu",
					   pause, hold, i, s.allowance, was);
			}
		}
	}
}

/* A pause and a hold that are not over are the new ones, from the begin of the
 * ramp on.
 */
static void new_pause_and_hold_are_those_of_the_ramp(struct kunit *test)
{
	static const u32 ticks[] = { 0, 3, 6, 10 };
	u32 i, k, tick;

	for (i = 0; i < ARRAY_SIZE(ticks); i++) {
		for (k = 0; k < ARRAY_SIZE(ticks); k++) {
			struct ramp_slope_params p = two, q = two;
			struct ramp_slope s, fresh;

			p.pause = 4;
			p.hold = 3;
			q.pause = ticks[i];
			q.hold = ticks[k];
			q.start = 7;
			for (tick = 0; tick < q.pause + q.hold && tick < 7;
			     tick++) {
				s = ramp_up(&p);
				fresh = ramp_up(&q);
				while (s.index < tick) {
					next(&s, &p);
					next(&fresh, &q);
				}
				ramp_slope_change(&s, &p, &q, MTU);
				while (s.index < 30)
					unit_check(next(&s, &q) ==
						   next(&fresh, &q),
						   "tick %llu after %u: %llu",
						   s.index, tick, s.allowance);
			}
		}
	}
}

/* A pause that is over before its time is followed by start, and not by another
 * pause, whatever changes in its last tick.
 */
static void change_in_a_pause_that_drains(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;

	p.start = 7;
	p.pause = 5;
	s = ramp_up(&p);
	next(&s, &p);
	assert_false(ramp_slope_admit(&s, &p, MTU, 1));
	ramp_slope_drain(&s, &p);
	ramp_slope_change(&s, &p, &p, MTU);
	ramp_slope_change(&s, &p, &p, MTU);
	assert_int_equal(s.allowance, 0);
	assert_int_equal(next(&s, &p), 7);
	assert_int_equal(drain(&s, &p, MTU, 1), 7);
	assert_int_equal(next(&s, &p), 9);
}

/* Section 1 and 3: amounts in bytes are rates. Ticks of another length carry
 * the rate that was reached, not its bytes.
 */
static void new_tick_keeps_the_rate_reached(struct kunit *test)
{
	struct ramp_slope_params slow = five, fast = five;
	struct ramp_slope s;

	slow.tick = 10 * TICK;
	slow.full = 1250000;
	slow.start = 62500;
	slow.step = 62500;
	s = ramp_up(&slow);
	ramp_slope_advance(&s, &slow, T0 + 4 * slow.tick);
	assert_int_equal(s.allowance, 5 * 62500);
	drain(&s, &slow, 500, 1);

	ramp_slope_change(&s, &slow, &fast, MTU);
	assert_int_equal(drain(&s, &fast, 500, 1), 0);
	assert_int_equal(next(&s, &fast), 6 * 6250);

	ramp_slope_change(&s, &fast, &slow, MTU);
	assert_int_equal(next(&s, &slow), 7 * 62500);
}

/* ... however often their length changes. */
static void changing_ticks_let_nothing_pass(struct kunit *test)
{
	struct ramp_slope_params p[2] = { five, five };
	struct ramp_slope s;
	int now_in = 0, step;
	u64 passed = 0, now;

	p[0].tick = 10 * TICK;
	p[0].full = 1250000;
	p[0].start = 300000;
	p[0].step = 10;
	p[1].start = 30000;
	p[1].step = 1;
	s = ramp_up(&p[0]);
	for (step = 1; step <= 2000; step++) {
		now = T0 + step * TICK / 10;
		if (s.dir == RAMP_UP && now >= s.tick_end)
			ramp_slope_advance(&s, &p[now_in], now);
		assert_int_equal(s.dir, RAMP_UP);
		passed += 500 * drain(&s, &p[now_in], 500, 1);
		if (step % 13 == 0) {
			ramp_slope_change(&s, &p[now_in], &p[!now_in], MTU);
			now_in = !now_in;
		}
	}
	/* 20 ms at 300 bytes/us, a long tick ahead, a packet and steps */
	assert_in_range(passed, 0, 20000 * 300 + 300000 + 500 + 4000);
}

/* ... nor what happens in the same tick: another change, or a turn. */
static void new_tick_is_counted_once(struct kunit *test)
{
	struct ramp_slope_params slow = five, fast = five, other = five;
	struct ramp_slope s;

	slow.tick = 10 * TICK;
	slow.full = 1250000;
	slow.start = 62500;
	slow.step = 62500;
	other.down_step = 1;

	s = ramp_up(&slow);
	ramp_slope_change(&s, &slow, &fast, MTU);
	ramp_slope_change(&s, &fast, &other, MTU);
	ramp_slope_change(&s, &other, &fast, MTU);
	assert_int_equal(next(&s, &fast), 2 * 6250);

	s = ramp_up(&slow);
	ramp_slope_charge(&s, &slow, 62500, 50);
	next(&s, &slow);
	ramp_slope_change(&s, &slow, &fast, MTU);
	assert_int_equal(ramp_slope_reach(&s), 2 * 6250);
	begin_ramp(&s, &fast, RAMP_DOWN, ramp_slope_reach(&s), 9,
		   s.tick_end - 1);
	assert_int_equal(next(&s, &fast), 6250);

	s = ramp_up(&slow);
	ramp_slope_charge(&s, &slow, 250000, 50);
	next(&s, &slow);
	ramp_slope_change(&s, &slow, &fast, MTU);
	assert_int_equal(ramp_slope_reach(&s), 25000);
}

/* Nothing remains nothing, little is not lost, and no allowance is larger than
 * the largest.
 */
static void new_tick_keeps_what_is_something(struct kunit *test)
{
	struct ramp_slope_params tick = { .tick = TICK };
	struct ramp_slope_params tenth = { .tick = TICK / 10 };

	assert_int_equal(ramp_slope_rescale(0, &tick, &tenth), 0);
	assert_int_equal(ramp_slope_rescale(0, &tenth, &tick), 0);
	assert_int_equal(ramp_slope_rescale(0, &tick, &tick), 0);
	assert_int_equal(ramp_slope_rescale(1, &tick, &tenth), 1);
	assert_int_equal(ramp_slope_rescale(9, &tick, &tenth), 1);
	assert_int_equal(ramp_slope_rescale(29, &tick, &tenth), 2);
	assert_int_equal(ramp_slope_rescale(2, &tenth, &tick), 20);
	assert_true(ramp_slope_rescale(RAMP_ALLOWANCE_MAX / 10, &tenth,
				       &tick) == RAMP_ALLOWANCE_MAX / 10 * 10);
	assert_true(ramp_slope_rescale(RAMP_ALLOWANCE_MAX / 9, &tenth,
				       &tick) == RAMP_ALLOWANCE_MAX);
}

/* Section 3: "the larger of the present allowance and what left in the last
 * tick". A tick that a late caller missed let nothing leave.
 */
static void level_reached(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&two);

	assert_int_equal(ramp_slope_reach(&s), 2);
	ramp_slope_charge(&s, &two, 30000, 20);
	next(&s, &two);
	assert_int_equal(ramp_slope_reach(&s), 20);
	next(&s, &two);
	assert_int_equal(ramp_slope_reach(&s), 6);

	s = ramp_up(&two);
	ramp_slope_charge(&s, &two, 30000, 20);
	ramp_slope_advance(&s, &two, T0 + 3 * TICK);
	assert_int_equal(ramp_slope_reach(&s), 8);
}

/* Bytes that are not a packet do not become one. */
static void new_unit_lets_nothing_pass(struct kunit *test)
{
	struct ramp_slope_params p = five;
	struct ramp_slope s;
	int i;

	p.start = 3000;
	s = ramp_up(&p);
	ramp_slope_charge(&s, &p, MTU, 1);
	ramp_slope_charge(&s, &p, MTU - 1, 1);
	assert_int_equal(s.left, 1);
	for (i = 0; i < 10; i++) {
		ramp_slope_change(&s, &p, &two, MTU);
		assert_false(ramp_slope_admit(&s, &two, MTU, 1));
		ramp_slope_change(&s, &two, &p, MTU);
		assert_false(ramp_slope_admit(&s, &p, MTU, 1));
	}
}

/* Levels and debts go over to the other unit by the mean packet. */
static void new_unit_keeps_the_level(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&two);

	ramp_slope_advance(&s, &two, T0 + 9 * TICK);
	ramp_slope_charge(&s, &two, 5000, 5);
	ramp_slope_change(&s, &two, &five, MTU);
	assert_int_equal(s.allowance, 20000);
	assert_int_equal(s.left, 15000);
	assert_int_equal(s.used, 5000);
	assert_int_equal(next(&s, &five), 26250);
	ramp_slope_charge(&s, &five, 5000, 5);
	ramp_slope_change(&s, &five, &two, MTU);
	assert_int_equal(s.used, 5);
	assert_in_range(next(&s, &two), 28, 29);

	s = ramp_up(&five);
	ramp_slope_change(&s, &five, &two, 1250);
	assert_int_equal(s.left, 5);
	assert_int_equal(next(&s, &two), 7);

	s = ramp_up(&two);
	ramp_slope_charge(&s, &two, 30000, 20);
	ramp_slope_change(&s, &two, &five, MTU);
	assert_int_equal(s.owed, 18 * 1500);
	assert_false(ramp_slope_admit(&s, &five, 1, 1));

	/* What left in the last tick, too. */
	s = ramp_up(&two);
	ramp_slope_charge(&s, &two, 30000, 20);
	next(&s, &two);
	ramp_slope_change(&s, &two, &five, MTU);
	assert_int_equal(ramp_slope_reach(&s), 30000);
}

/* A byte more is a packet more. */
static void new_unit_rounds_up(struct kunit *test)
{
	assert_int_equal(ramp_slope_convert(0, 1500, true), 0);
	assert_int_equal(ramp_slope_convert(1, 1500, true), 1);
	assert_int_equal(ramp_slope_convert(3000, 1500, true), 2);
	assert_int_equal(ramp_slope_convert(3001, 1500, true), 3);
	assert_int_equal(ramp_slope_convert(3, 1500, false), 4500);
}

/* A packet that does not leave gives nothing back of what the tick has paid: in
 * packets it was one, but it is longer than most.
 */
static void new_unit_keeps_what_was_paid(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&two);

	ramp_slope_charge(&s, &two, 30000, 5);
	assert_int_equal(next(&s, &two), 4);
	assert_int_equal(s.left, 1);
	ramp_slope_charge(&s, &two, 9000, 1);
	ramp_slope_change(&s, &two, &five, MTU);
	assert_int_equal(s.allowance, 4 * 6500);
	ramp_slope_uncharge(&s, &five, 9000, 1);
	assert_int_equal(s.left, 6500);
}

/* The naive ramp: one tick after the other, by the text of section 3. */
struct naive {
	struct ramp_slope_params p;
	enum ramp_dir	dir;
	u64		tick;
	u128		base;
	u128		allowance;
	u128		left;
	u128		owed;
	u128		used;
};

static u128 naive_allowance(const struct naive *n, u64 tick)
{
	u64 flat = (u64)n->p.pause + n->p.hold;
	u128 a;

	if (n->dir == RAMP_DOWN) {
		u128 fall = (u128)tick * n->p.down_step;

		a = fall < n->base ? n->base - fall : 0;
		return max_t(u128, a, n->p.floor);
	}
	if (tick < n->p.pause)
		return 0;
	if (tick < flat)
		return n->p.start;
	a = n->p.start + (u128)(tick - flat) * n->p.step;
	if (!n->p.packets && n->p.full && a > n->p.full)
		a = n->p.full;
	return min_t(u128, a, RAMP_ALLOWANCE_MAX);
}

static void naive_begin_tick(struct naive *n)
{
	n->allowance = naive_allowance(n, n->tick);
	n->left = n->allowance > n->owed ? n->allowance - n->owed : 0;
	n->owed -= n->allowance - n->left;
	n->used = 0;
}

static bool naive_admit(struct naive *n, u64 cost)
{
	bool larger = cost > n->allowance && !n->owed && n->left;

	if (cost > n->left && !larger)
		return false;
	n->owed += cost > n->left ? cost - n->left : 0;
	n->left -= cost > n->left ? n->left : cost;
	n->used += cost;
	return true;
}

static u128 naive_length(const struct ramp_slope_params *p)
{
	u128 missing = p->start < p->full ? p->full - p->start : 0;
	u128 climb = wide_div(missing + p->step - 1, p->step);

	return (u128)p->pause + p->hold + climb + 1;
}

static void random_slope(struct ramp_slope_params *p, unsigned int bits)
{
	memset(p, 0, sizeof(*p));
	p->packets = unit_chance(30);
	p->tick = unit_between(50 * NSEC_PER_USEC, NSEC_PER_SEC);
	p->window = unit_between(NSEC_PER_MSEC, 10 * NSEC_PER_SEC);
	if (p->packets)
		bits = min(bits, 8U);
	else
		p->full = unit_amount(bits);
	p->start = p->packets ? unit_amount(bits) :
				1 + unit_random() % p->full;
	p->step = unit_amount(bits);
	p->down_step = unit_amount(bits);
	p->floor = unit_amount(bits);
	p->pause = unit_chance(50) ? 0 : unit_between(0, 20);
	p->hold = unit_chance(50) ? 0 : unit_between(0, 20);
}

/* Any packets in any ramp; @late: callers miss ticks. No tick lets more pass
 * than its allowance less what is owed, a packet that is larger than a whole
 * allowance aside; debts are paid exactly.
 */
static void random_traffic(bool late)
{
	unit_rounds(1500) {
		struct ramp_slope s = idle();
		struct naive n = { .dir = RAMP_UP };
		u128 owed = 0;
		u64 now;
		int i;

		random_slope(&n.p, unit_chance(50) ? 14 : 20);
		/* such a ramp lasts as long as somebody waits */
		if (n.p.packets)
			n.p.window = HOUR;
		if (unit_chance(40))
			n.dir = RAMP_DOWN;
		n.base = unit_amount(n.p.packets ? 8 : 20);
		now = unit_chance(30) ? UNIT_LATE_CLOCK : T0;
		begin_ramp(&s, &n.p, n.dir, n.base, 1000, now);
		naive_begin_tick(&n);

		for (i = 0; i < 400; i++) {
			u32 bytes = unit_chance(20) ? unit_between(60, 65536) :
						      unit_between(60, 1514);
			u32 pkts = (bytes + 1447) / 1448, ticks = 1;
			u64 cost = n.p.packets ? pkts : bytes;
			bool got, want;

			unit_check(s.allowance == n.allowance &&
				   s.left == n.left && s.owed == n.owed,
				   "tick %llu allows %llu (%llu), left %llu (%llu), owed %llu (%llu)",
				   n.tick, s.allowance, (u64)n.allowance,
				   s.left, (u64)n.left, s.owed, (u64)n.owed);

			got = ramp_slope_admit(&s, &n.p, bytes, pkts);
			if (got)
				ramp_slope_charge(&s, &n.p, bytes, pkts);
			want = naive_admit(&n, cost);
			unit_check(got == want && s.used == n.used,
				   "cost %llu", cost);
			if (got)
				unit_check(s.used + owed <= n.allowance ||
					   cost > n.allowance, "used %llu",
					   s.used);
			if (got && !unit_chance(5))
				continue;

			if (late && unit_chance(30))
				ticks = unit_between(1, 30);
			now = s.tick_end + (ticks - 1) * n.p.tick +
			      unit_between(0, n.p.tick - 1);
			ticks = ramp_slope_advance(&s, &n.p, now);
			if (s.dir == RAMP_NONE || s.drain)
				break;
			while (ticks--) {
				owed = n.owed;
				n.tick++;
				naive_begin_tick(&n);
			}
		}
		if ((s.dir == RAMP_NONE || s.drain) && !n.p.packets)
			unit_check(n.tick < naive_length(&n.p), "overdue");
	}
}

static void any_traffic_obeys_the_slope(struct kunit *test)
{
	random_traffic(false);
}

static void late_callers_find_what_prompt_ones_do(struct kunit *test)
{
	random_traffic(true);
}

/* "A stream of changes lets nothing pass": whatever is set whenever, the next
 * tick allows at most one step more than this one, or start after a pause.
 */
static void any_change_climbs_by_a_step(struct kunit *test)
{
	unit_rounds(1500) {
		struct ramp_slope s = idle();
		struct ramp_slope_params p, q;
		u64 was, spent;
		int i, j;

		random_slope(&p, 20);
		p.packets = false;
		p.full = unit_amount(20);
		begin_ramp(&s, &p, RAMP_UP, 0, 1000, T0);
		for (i = 0; i < 60 && s.dir == RAMP_UP; i++) {
			for (j = unit_between(0, 3); j; j--) {
				u64 left = s.left, end = s.tick_end;

				random_slope(&q, 20);
				q.tick = p.tick;
				q.full = p.full;
				q.start = 1 + unit_random() % q.full;
				q.packets = false;
				ramp_slope_change(&s, &p, &q, MTU);
				p = q;
				unit_check(s.left == left && s.tick_end == end,
					   "the tick got more");
			}
			spent = s.left;
			ramp_slope_charge(&s, &p, spent, 1);
			was = s.allowance;
			next(&s, &p);
			if (s.dir != RAMP_UP)
				continue;
			unit_check(s.allowance <= was + p.step ||
				   s.allowance <= p.start, "%llu after %llu",
				   s.allowance, was);
			unit_check(s.left <= s.allowance, "left %llu", s.left);
		}
	}
}

/* Section 1, all ranges: no wrap and no stall after any idleness. */
static void extremes_neither_wrap_nor_stall(struct kunit *test)
{
	unit_rounds(6000) {
		struct ramp_slope s = idle();
		struct naive n = { .dir = RAMP_UP };
		u128 length, over = 0;
		u64 begin, now;
		int i;

		random_slope(&n.p, 40);
		n.p.packets = false;
		if (!n.p.full)
			n.p.full = unit_amount(40);
		n.p.start = 1 + unit_random() % n.p.full;
		n.p.pause = unit_chance(30) ? unit_between(0, 200000) : 0;
		n.p.hold = unit_chance(30) ? unit_between(0, 1200000) : 0;
		n.base = unit_amount(40);
		if (unit_chance(50))
			n.dir = RAMP_DOWN;
		begin = unit_chance(50) ? UNIT_LATE_CLOCK : T0;
		length = naive_length(&n.p);
		begin_ramp(&s, &n.p, n.dir, n.base, 0, begin);

		for (i = 0; i < 30; i++) {
			u64 want = naive_allowance(&n, over);

			unit_check(s.allowance == want,
				   "tick %llu allows %llu, not %llu",
				   (u64)over, s.allowance, want);
			unit_check(s.tick_end == begin + (over + 1) * n.p.tick,
				   "the tick ends at %llu", s.tick_end);
			if (unit_chance(20))
				ramp_slope_charge(&s, &n.p, U32_MAX, 1);
			now = s.tick_end + unit_between(0, 3 * n.p.tick);
			if (unit_chance(20))
				now += unit_between(0, 100 * HOUR);
			over += ramp_slope_advance(&s, &n.p, now);
			if (s.dir == RAMP_NONE)
				break;
			unit_check(now < s.tick_end, "not up to date");
		}
		if (n.dir == RAMP_DOWN)
			unit_check(s.dir == RAMP_DOWN, "ended");
		else if (s.dir == RAMP_NONE)
			unit_check(over == length &&
				   s.tick_end == begin + length * n.p.tick,
				   "%llu ticks, not %llu", (u64)over,
				   (u64)length);
		else
			unit_check(over < length, "%llu ticks of %llu",
				   (u64)over, (u64)length);
	}
}

/* Packets of MTU arrive at the full rate from the event on; the law itself lets
 * them go. The greatest queue is what was held back, less than a packet per
 * tick aside.
 */
static void holds_back_what_a_simulation_does(struct kunit *test)
{
	unit_rounds(400) {
		struct ramp_slope s = idle();
		struct ramp_slope_params p = { .tick = TICK, .window = HOUR };
		u64 arrived = 0, sent = 0, most = 0, ticks = 0, got;
		u32 mtu = unit_between(64, 9000);

		p.full = unit_between(20, 3000) * mtu;
		p.packets = unit_chance(50);
		p.start = p.packets ? unit_between(1, 9) :
				      unit_between(mtu / 4, p.full / 8);
		p.step = p.packets ? unit_between(1, 9) :
				     unit_between(p.full / 300, p.full);
		p.pause = unit_chance(50) ? 0 : unit_between(0, 50);
		p.hold = unit_chance(50) ? 0 : unit_between(0, 50);
		got = ramp_slope_holds_back(&p, mtu);

		begin_ramp(&s, &p, RAMP_UP, 0, 0, T0);
		while (s.dir == RAMP_UP && ticks < 5000) {
			ticks++;
			arrived += p.full;
			while (sent + mtu <= arrived &&
			       ramp_slope_admit(&s, &p, mtu, 1)) {
				ramp_slope_charge(&s, &p, mtu, 1);
				sent += mtu;
			}
			if (arrived - sent > most)
				most = arrived - sent;
			next(&s, &p);
		}
		most /= mtu;
		unit_check(got <= most + ticks + 1 && most <= got,
			   "says %llu, %llu were held in %llu ticks", got,
			   most, ticks);
	}
}

/* The sum itself, exactly: what the full rate brings less what may leave. An
 * allowance of bytes may leave up to a packet unused.
 */
static void holds_back_the_sum_over_the_ticks(struct kunit *test)
{
	unit_rounds(3000) {
		struct ramp_slope_params p;
		u128 start, step, missing, steps, sum, want;
		u32 mtu = unit_between(64, 65536), got;
		unsigned int bits = unit_chance(50) ? 24 : 40;

		random_slope(&p, bits);
		if (!p.full)
			p.full = unit_amount(bits);
		p.pause = unit_chance(30) ? unit_between(0, 200000) : 0;
		p.hold = unit_chance(30) ? unit_between(0, 1200000) : 0;
		start = (u128)p.start * (p.packets ? mtu : 1);
		step = (u128)p.step * (p.packets ? mtu : 1);
		missing = start < p.full ? p.full - start : 0;
		steps = wide_div(missing + step - 1, step);
		sum = (u128)p.full * p.pause + missing * p.hold;
		sum += steps * missing - step * (steps * (steps - !!steps) / 2);
		want = wide_div(sum + mtu - 1, mtu);
		if (!p.packets)
			want += steps + (start > mtu ? p.hold : 0);
		if (want > U32_MAX)
			want = U32_MAX;
		got = ramp_slope_holds_back(&p, mtu);
		unit_check(got == want,
			   "%u, not %llu: full %llu start %llu step %llu pause %u hold %u mtu %u",
			   got, (u64)want, p.full, p.start, p.step, p.pause,
			   p.hold, mtu);
	}
}

/* Section 1: "With the defaults a step from idle to full rate loses nothing",
 * rate x ramp time / 2.
 */
static void holds_back_half_the_ramp(struct kunit *test)
{
	struct ramp_slope_params p = five;

	/* 19 + 18 + ... + 1 times 6250 bytes, and a packet for each of them */
	assert_int_equal(ramp_slope_holds_back(&p, 1250), 190 * 5 + 19);
	p.pause = 2;
	assert_int_equal(ramp_slope_holds_back(&p, 1250), 190 * 5 + 19 + 200);
	p.hold = 1;
	assert_int_equal(ramp_slope_holds_back(&p, 1250), 190 * 5 + 20 + 295);
	/* Of an allowance that is one packet nothing is left. */
	p.pause = 0;
	p.start = 1250;
	p.step = p.full;
	assert_int_equal(ramp_slope_holds_back(&p, 1250), 99 + 1 + 99);
	p.start = 1251;
	assert_int_equal(ramp_slope_holds_back(&p, 1250), 99 + 1 + 99 + 1);
	p.full = 0;
	assert_int_equal(ramp_slope_holds_back(&p, 1250), 0);
}

/* Section 1: rates up to 2^40 bytes/s, ticks up to a second. */
static void rates_per_tick_are_exact(struct kunit *test)
{
	assert_int_equal(ramp_per_tick(1250000000, 100000), 125000);
	assert_int_equal(ramp_per_tick(1ULL << 40, 1000000000), 1ULL << 40);
	assert_int_equal(ramp_per_tick(1000, 50000), 0);
	unit_rounds(2000) {
		u64 rate = unit_amount(40);
		u32 tick = unit_between(50000, NSEC_PER_SEC);

		unit_check(ramp_per_tick(rate, tick) ==
			   wide_div((u128)rate * tick, NSEC_PER_SEC),
			   "%llu", rate);
	}
}

static void products_saturate(struct kunit *test)
{
	assert_true(ramp_times(RAMP_ALLOWANCE_MAX / 2, 2) ==
		    RAMP_ALLOWANCE_MAX);
	assert_true(ramp_times(RAMP_ALLOWANCE_MAX / 2 + 1, 2) ==
		    RAMP_ALLOWANCE_MAX);
	unit_rounds(3000) {
		u64 a = unit_chance(5) ? 0 : unit_amount(63);
		u64 b = unit_chance(5) ? 0 : unit_amount(63);
		u64 max = unit_chance(50) ? U64_MAX : unit_amount(63);
		u128 want = (u128)a * b;

		if (want > max)
			want = max;
		unit_check(ramp_sat_mul(a, b, max) == want, "%llu x %llu", a,
			   b);
	}
}

/* A start above a rate that became less: the hold allows the rate, and so do
 * those of its ticks that nobody came for.
 */
static void a_hold_above_the_rate_pays_the_rate(struct kunit *test)
{
	struct ramp_slope_params p = five;
	struct ramp_slope s;

	p.start = 200;
	p.full = 100;
	p.hold = 20;
	s = ramp_up(&p);
	assert_int_equal(s.allowance, 100);
	assert_true(ramp_slope_admit(&s, &p, 1000, 1));
	ramp_slope_charge(&s, &p, 1000, 1);
	assert_int_equal(s.owed, 900);
	ramp_slope_advance(&s, &p, s.tick_end + 4 * TICK);
	assert_int_equal(s.index, 5);
	assert_int_equal(s.paid, 100);
	assert_int_equal(s.owed, 400);
}

UNIT_SUITE(slope,
	   UNIT_CASE(two_four_six),
	   UNIT_CASE(packets_are_segments),
	   UNIT_CASE(pause_then_hold_then_climb),
	   UNIT_CASE(nothing_leaves_in_the_pause),
	   UNIT_CASE(five_percent_takes_twenty_ticks),
	   UNIT_CASE(what_waits_goes_on_to_climb),
	   UNIT_CASE(a_ramp_whose_time_is_over_climbs),
	   UNIT_CASE(late_callers_find_it_climbing),
	   UNIT_CASE(an_end_that_is_told_climbs),
	   UNIT_CASE(last_step_is_cut),
	   UNIT_CASE(allowances_do_not_carry_over),
	   UNIT_CASE(late_caller_gets_the_present_tick),
	   UNIT_CASE(end_is_dated_when_it_was),
	   UNIT_CASE(large_packet_goes_whole_and_is_paid),
	   UNIT_CASE(packet_that_fits_a_tick_waits),
	   UNIT_CASE(fall_to_the_floor),
	   UNIT_CASE(turn_goes_on_from_the_level),
	   UNIT_CASE(turns_give_the_tick_nothing),
	   UNIT_CASE(turn_in_the_pause),
	   UNIT_CASE(packet_ramp_ends_by_the_mean_packet),
	   UNIT_CASE(the_least_mean_packet_is_a_byte),
	   UNIT_CASE(unknown_rate_ends_after_a_quiet_window),
	   UNIT_CASE(unknown_rate_ends_with_a_tick),
	   UNIT_CASE(no_packet_no_mean),
	   UNIT_CASE(late_watchdog_is_no_quiet_window),
	   UNIT_CASE(constant_queue_is_stalled_after_a_window),
	   UNIT_CASE(shrinking_queue_is_not_stalled),
	   UNIT_CASE(stalled_takes_two_ticks),
	   UNIT_CASE(paying_is_not_stalling),
	   UNIT_CASE(large_packets_do_not_hide_a_stall),
	   UNIT_CASE(change_of_nothing_changes_nothing),
	   UNIT_CASE(change_in_the_tick_of_a_turn),
	   UNIT_CASE(hold_is_cut_to_the_full_rate),
	   UNIT_CASE(new_step_holds_from_the_next_tick),
	   UNIT_CASE(shorter_pause_does_not_jump),
	   UNIT_CASE(new_pause_and_hold_are_those_of_the_ramp),
	   UNIT_CASE(change_in_a_pause_that_drains),
	   UNIT_CASE(new_tick_keeps_the_rate_reached),
	   UNIT_CASE(changing_ticks_let_nothing_pass),
	   UNIT_CASE(new_tick_is_counted_once),
	   UNIT_CASE(new_tick_keeps_what_is_something),
	   UNIT_CASE(level_reached),
	   UNIT_CASE(new_unit_lets_nothing_pass),
	   UNIT_CASE(new_unit_keeps_the_level),
	   UNIT_CASE(new_unit_rounds_up),
	   UNIT_CASE(new_unit_keeps_what_was_paid),
	   UNIT_CASE(any_traffic_obeys_the_slope),
	   UNIT_CASE(late_callers_find_what_prompt_ones_do),
	   UNIT_CASE(any_change_climbs_by_a_step),
	   UNIT_CASE(extremes_neither_wrap_nor_stall),
	   UNIT_CASE(holds_back_what_a_simulation_does),
	   UNIT_CASE(holds_back_the_sum_over_the_ticks),
	   UNIT_CASE(holds_back_half_the_ramp),
	   UNIT_CASE(rates_per_tick_are_exact),
	   UNIT_CASE(products_saturate),
	   UNIT_CASE(a_hold_above_the_rate_pays_the_rate));
