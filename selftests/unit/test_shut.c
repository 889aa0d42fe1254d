// SPDX-License-Identifier: GPL-2.0
/* For how long a gate that is shut stays shut: US 2025/0260650, [0105], a
 * pause, and packets larger than an allowance. Who sleeps for so long finds
 * what somebody finds who has looked at the end of each tick, and has missed
 * nothing.
 */
#include "ticks.h"
#include <net/ramp/shut.h>

/* Somebody has a packet that does not fit. */
static void refuse(struct ramp_slope *s, const struct ramp_slope_params *p)
{
	while (ramp_slope_admit(s, p, MTU, 1))
		ramp_slope_charge(s, p, MTU, 1);
}

static void a_pause_is_one_sleep(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;
	u64 i;

	for (p.pause = 1; p.pause < 40; p.pause++) {
		s = ramp_up(&p);
		for (i = 0; i < p.pause; i++) {
			refuse(&s, &p);
			assert_int_equal(ramp_slope_shut(&s, &p),
					 p.pause - 1 - i);
			next(&s, &p);
		}
		assert_int_equal(s.left, 2);
		refuse(&s, &p);
		assert_int_equal(ramp_slope_shut(&s, &p), 0);
	}

	p.pause = 200000;	/* 10 s of 50 us */
	s = ramp_up(&p);
	refuse(&s, &p);
	assert_int_equal(ramp_slope_shut(&s, &p), p.pause - 1);
	assert_int_equal(ramp_slope_advance(&s, &p, T0 + p.pause * TICK),
			 p.pause);
	assert_int_equal(s.left, 2);

	/* "52 s of the shortest ticks", and not a tick less. */
	for (i = 0; i < 3; i++) {
		p.pause = RAMP_SHUT_MOST + i;
		s = ramp_up(&p);
		refuse(&s, &p);
		assert_int_equal(ramp_slope_shut(&s, &p),
				 min_t(u64, p.pause - 1, RAMP_SHUT_MOST));
	}
}

/* In bytes: 6250 in each tick of the hold, then as much more in each. */
static void a_debt_is_one_sleep(struct kunit *test)
{
	struct ramp_slope_params p = five;
	struct ramp_slope s;

	p.hold = 20;
	s = ramp_up(&p);
	assert_true(ramp_slope_admit(&s, &p, 65536, 1));
	ramp_slope_charge(&s, &p, 65536, 1);
	refuse(&s, &p);
	/* 59286 are owed, and the 10th of the ticks to come has some left. */
	assert_int_equal(ramp_slope_shut(&s, &p), 9);
	ramp_slope_advance(&s, &p, T0 + 10 * TICK);
	assert_int_equal(s.left, 10 * 6250 - (65536 - 6250));
	assert_int_equal(s.paid, 65536 - 6250 - 9 * 6250);

	/* To the byte. */
	s = ramp_up(&p);
	ramp_slope_charge(&s, &p, 5 * 6250, 1);
	refuse(&s, &p);
	assert_int_equal(ramp_slope_shut(&s, &p), 4);
	s = ramp_up(&p);
	ramp_slope_charge(&s, &p, 5 * 6250 - 1, 1);
	refuse(&s, &p);
	assert_int_equal(ramp_slope_shut(&s, &p), 3);
}

/* What is owed by pause and climb together. */
static void a_debt_outlasts_a_pause(struct kunit *test)
{
	struct ramp_slope_params p = five;
	struct ramp_slope s;

	p.pause = 7;
	s = ramp_up(&p);
	/* One that was promised before. */
	ramp_slope_charge(&s, &p, 6250 + 12500 + 1, 1);
	refuse(&s, &p);
	assert_int_equal(ramp_slope_shut(&s, &p), 6 + 2);
	ramp_slope_advance(&s, &p, T0 + 9 * TICK);
	assert_int_equal(s.left, 18750 - 1);
}

/* Nothing waits for longer than the ramp. */
static void an_end_is_not_slept_through(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;

	p.pause = 100;
	p.life = 30;
	s = ramp_up(&p);
	refuse(&s, &p);
	assert_int_equal(ramp_slope_shut(&s, &p), 29);
	assert_int_equal(ramp_slope_advance(&s, &p, T0 + 30 * TICK), 30);
	assert_true(s.drain);
	assert_int_equal(s.left, 2);

	/* The 20th tick is the full rate, whatever is owed. */
	s = ramp_up(&five);
	ramp_slope_charge(&s, &five, 100000000, 1);
	refuse(&s, &five);
	assert_int_equal(ramp_slope_shut(&s, &five), 19);
	assert_int_equal(ramp_slope_advance(&s, &five, T0 + 20 * TICK), 20);
	assert_true(s.drain);
	/* From there a step more in each: 680 of them pay what is left. */
	refuse(&s, &five);
	assert_in_range(ramp_slope_shut(&s, &five), 150, 170);

	/* Which is less than a step more: 18 ticks and it allow 1301251. */
	p = five;
	p.full = 120001;
	s = ramp_up(&p);
	ramp_slope_charge(&s, &p, 6250 + 1301250, 1);
	refuse(&s, &p);
	assert_int_equal(ramp_slope_shut(&s, &p), 18);
	s = ramp_up(&p);
	ramp_slope_charge(&s, &p, 6250 + 1301251, 1);
	refuse(&s, &p);
	assert_int_equal(ramp_slope_shut(&s, &p), 19);
}

/* A queue that does not shrink is found out as early as by who looks at each
 * tick, and one that pays for its last packet is excused.
 */
static void a_stall_is_not_slept_through(struct kunit *test)
{
	struct ramp_slope_params p = {
		.start = 1, .step = 1, .down_step = 1, .floor = 10,
		.tick = TICK, .window = 50 * TICK,
	};
	struct ramp_slope s = ramp_down(&p, 10);
	u64 i;

	/* 1000 wait. One leaves, and one comes. */
	ramp_slope_charge(&s, &p, 10000, 1);
	refuse(&s, &p);
	assert_int_equal(ramp_slope_shut(&s, &p), 49);
	ramp_slope_advance(&s, &p, T0 + 50 * TICK);
	assert_true(ramp_slope_stalled(&s, &p, 1000, T0 + 50 * TICK));

	/* One leaves. The tick that pays the last of it is the 999th. */
	s = ramp_down(&p, 10);
	ramp_slope_charge(&s, &p, 10000, 1);
	next(&s, &p);
	assert_false(ramp_slope_stalled(&s, &p, 999, T0 + TICK));
	refuse(&s, &p);
	assert_int_equal(ramp_slope_shut(&s, &p), 999 - 1);
	for (i = 0; i < 2; i++) {
		ramp_slope_advance(&s, &p, T0 + (1000 + 47 * i) * TICK);
		assert_false(ramp_slope_stalled(&s, &p, 999,
						T0 + (1000 + 47 * i) * TICK));
	}
	next(&s, &p);
	assert_true(ramp_slope_stalled(&s, &p, 999, T0 + 1048 * TICK));
}

static void random_params(struct ramp_slope_params *p)
{
	*p = (struct ramp_slope_params) {
		.start = unit_amount(12), .step = unit_amount(12),
		.down_step = unit_amount(12), .floor = unit_amount(12),
		.full = unit_chance(30) ? 0 : unit_amount(20),
		.tick = unit_between(50, 5000) * NSEC_PER_USEC,
		.window = unit_between(1, 100) * NSEC_PER_MSEC,
		.pause = unit_chance(60) ? 0 : unit_between(0, 300),
		.hold = unit_chance(60) ? 0 : unit_between(0, 300),
		.life = unit_chance(80) ? 0 : unit_between(1, 2000),
		.packets = unit_chance(30),
		.adaptive = unit_chance(30),
	};
}

static void random_begin(struct ramp_slope *s,
			 const struct ramp_slope_params *p)
{
	u32 part = unit_between(RAMP_STEP_LEAST, RAMP_STEP_WHOLE);
	u64 begin = unit_chance(30) ? UNIT_LATE_CLOCK : T0;

	*s = idle();
	ramp_slope_begin(s, p, unit_chance(60) ? RAMP_UP : RAMP_DOWN,
			 unit_amount(12), part, 1000, begin);
}

static void same(const struct ramp_slope *slept,
		 const struct ramp_slope *looked, u64 tick)
{
	struct ramp_slope s = *slept;

	/* That fewer wait was seen at once by who looked, and then that it
	 * paid.
	 */
	unit_check(s.drain || s.low_time - looked->low_time <= 2 * tick,
		   "low at %llu, not %llu", s.low_time, looked->low_time);
	s.low_time = looked->low_time;
	if (s.drain) {
		s.low_mark = looked->low_mark;
		s.low_pkts = looked->low_pkts;
	}
	unit_check(!memcmp(&s, looked, sizeof(s)),
		   "tick %llu, not %llu: allows %llu (%llu), left %llu (%llu), owed %llu (%llu)",
		   s.index, looked->index, s.allowance, looked->allowance,
		   s.left, looked->left, s.owed, looked->owed);
}

/* A tick begins, by a caller that is on time: has the ramp stalled? */
static bool stalled(struct ramp_slope *s, const struct ramp_slope_params *p,
		    u32 queued)
{
	return s->dir == RAMP_DOWN &&
	       ramp_slope_stalled(s, p, queued, s->tick_end - p->tick);
}

/* Of two that see the same packets one looks at each tick, the other one
 * sleeps.
 */
static void sleep_changes_nothing(struct kunit *test)
{
	u64 slept = 0, looks = 0;

	unit_rounds(4000) {
		struct ramp_slope_params p;
		struct ramp_slope s, t;
		u32 queued = 1000;
		int i;

		random_params(&p);
		random_begin(&s, &p);
		for (i = 0; i < 60 && s.dir; i++) {
			u32 bytes = unit_chance(30) ? unit_between(60, 65536) :
						      unit_between(60, 1514);
			u32 pkts = (bytes + 1447) / 1448;
			bool exact, open;
			u64 n, k;

			if (ramp_slope_admit(&s, &p, bytes, pkts)) {
				ramp_slope_charge(&s, &p, bytes, pkts);
				queued -= unit_chance(50) && queued;
				continue;
			}
			exact = s.dir == RAMP_DOWN ? s.pkts == s.low_pkts :
				p.full && !p.packets;
			n = ramp_slope_shut(&s, &p);
			t = s;
			for (k = 0; k < n; k++) {
				unit_check(ramp_slope_advance(&t, &p,
							      t.tick_end) ==
					   1 && t.dir,
					   "it ended %llu of %llu before", k,
					   n);
				unit_check(!ramp_slope_admit(&t, &p, 1, 1),
					   "tick %llu of %llu was open", k, n);
				unit_check(!stalled(&t, &p, queued),
					   "stalled %llu of %llu before", k, n);
			}
			ramp_slope_advance(&t, &p, t.tick_end);
			k = ramp_slope_advance(&s, &p, s.tick_end + n * p.tick);
			unit_check(k == n + 1, "%llu ticks of %llu", k, n + 1);
			if (!s.dir)
				break;
			/* The end of a ramp is looked at, though it may only
			 * drain.
			 */
			open = stalled(&s, &p, queued) || s.left || s.drain;
			stalled(&t, &p, queued);
			if (n)
				same(&s, &t, p.tick);
			/* Or a window is over, in which all may
			 * have changed.
			 */
			unit_check(open || !exact,
				   "it could have slept for longer");
			looks++;
			slept += n;
		}
	}
	if (unit_whole())
		assert_true(slept > 10 * looks);
}

/* Any ranges: no wrap, and no tick in which something could leave. */
static void extremes_do_not_wrap(struct kunit *test)
{
	unit_rounds(20000) {
		struct ramp_slope_params p;
		struct ramp_slope s, t;
		u64 n;

		random_params(&p);
		p.start = unit_amount(40);
		p.step = unit_amount(40);
		p.down_step = unit_amount(40);
		p.floor = unit_amount(40);
		p.pause = unit_chance(50) ? 0 : unit_between(0, 200000);
		p.hold = unit_chance(50) ? 0 : unit_between(0, 1200000);
		p.tick = unit_between(50 * NSEC_PER_USEC, NSEC_PER_SEC);
		if (unit_chance(50)) {
			p.start = 1;
			p.step = 1;
			p.floor = 1;
		}
		random_begin(&s, &p);
		for (n = 0; n < 10; n++)
			ramp_slope_charge(&s, &p, unit_chance(20) ? U32_MAX :
					  unit_amount(31), unit_amount(31));
		if (ramp_slope_admit(&s, &p, U32_MAX, U32_MAX))
			continue;
		n = ramp_slope_shut(&s, &p);
		unit_check(n <= RAMP_SHUT_MOST, "%llu", n);
		t = s;
		unit_check(ramp_slope_advance(&t, &p,
					      t.tick_end + n * p.tick) == n + 1,
			   "%llu", n);
		if (!n)
			continue;
		t = s;
		ramp_slope_advance(&t, &p, t.tick_end + (n - 1) * p.tick);
		unit_check(t.dir && !t.left, "left %llu, %llu ticks", t.left,
			   n);
	}
}

/* Two ticks are the least in which a queue is seen not to shrink, however short
 * the window; with nothing owed nobody is excused.
 */
static void a_stall_takes_two_ticks(struct kunit *test)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;

	p.window = TICK / 2;
	s = ramp_down(&p, 20);
	assert_int_equal(ramp_slope_patience(&s, &p), 1);
	assert_false(ramp_slope_stalled(&s, &p, 1000, T0 + 2 * TICK - 1));
	assert_true(ramp_slope_stalled(&s, &p, 1000, T0 + 2 * TICK));
}

UNIT_SUITE(shut,
	   UNIT_CASE(a_pause_is_one_sleep),
	   UNIT_CASE(a_debt_is_one_sleep),
	   UNIT_CASE(a_debt_outlasts_a_pause),
	   UNIT_CASE(an_end_is_not_slept_through),
	   UNIT_CASE(a_stall_is_not_slept_through),
	   UNIT_CASE(sleep_changes_nothing),
	   UNIT_CASE(extremes_do_not_wrap),
	   UNIT_CASE(a_stall_takes_two_ticks));
