// SPDX-License-Identifier: GPL-2.0
/* Adaptive ramps: US 2025/0260650, claim 1. Section 3: "the steeper the surge,
 * the smaller the step: step x max(1/4, time it took / WINDOW), at least one
 * unit".
 */
#include "ticks.h"
#include "wide.h"

#define PART(percent)	(RAMP_STEP_WHOLE * (percent) / 100)

static struct ramp_slope_params adaptive(const struct ramp_slope_params *p)
{
	struct ramp_slope_params a = *p;

	a.adaptive = true;
	return a;
}

static struct ramp_slope begun(const struct ramp_slope_params *p,
			       enum ramp_dir dir, u64 base, u32 part)
{
	struct ramp_slope s = idle();

	ramp_slope_begin(&s, p, dir, base, part, 1000, T0);
	return s;
}

static void the_part_is_what_it_took_of_the_window(struct kunit *test)
{
	assert_int_equal(ramp_slope_part(0, WINDOW), PART(25));
	assert_int_equal(ramp_slope_part(WINDOW / 8, WINDOW), PART(25));
	assert_int_equal(ramp_slope_part(WINDOW / 4, WINDOW), PART(25));
	assert_int_equal(ramp_slope_part(WINDOW / 2, WINDOW), PART(50));
	assert_int_equal(ramp_slope_part(WINDOW * 3 / 4, WINDOW), PART(75));
	assert_int_equal(ramp_slope_part(WINDOW, WINDOW), PART(100));
	assert_int_equal(ramp_slope_part(HOUR, WINDOW), PART(100));

	unit_rounds(2000) {
		u64 window = unit_between(NSEC_PER_MSEC, 10 * NSEC_PER_SEC);
		u64 took = unit_chance(90) ? unit_between(0, window) :
					     unit_between(0, 1000 * HOUR);
		u128 want = wide_div((u128)took * RAMP_STEP_WHOLE + window / 2,
				     window);

		want = want < PART(25) ? PART(25) : want;
		want = want > PART(100) ? PART(100) : want;
		unit_check(ramp_slope_part(took, window) == want,
			   "%u of %llu in %llu", ramp_slope_part(took, window),
			   took, window);
	}
}

/* The unit in which parts are counted is no reason to be wrong by a packet. */
static void a_step_is_right_to_the_unit(struct kunit *test)
{
	unit_rounds(2000) {
		u64 window = unit_between(NSEC_PER_MSEC, 10 * NSEC_PER_SEC);
		u64 took = unit_between(window / 4, window);
		struct ramp_slope_params p = adaptive(&two);
		struct ramp_slope s;
		u128 want;

		p.step = unit_between(1, 30000);
		want = (u128)p.step * took;
		s = begun(&p, RAMP_UP, 0, ramp_slope_part(took, window));
		unit_check(s.step * window <= want + window &&
			   (s.step + 1) * window + window / 2 >= want,
			   "%llu of %llu, %llu of %llu ns", s.step, p.step,
			   took, window);
	}
}

static void a_steep_surge_climbs_by_a_quarter(struct kunit *test)
{
	struct ramp_slope_params p = adaptive(&five);
	struct ramp_slope s = begun(&p, RAMP_UP, 0, PART(25));
	int i;

	/* 19 steps of 6250 are 76 of a quarter */
	for (i = 0; i < 77; i++) {
		assert_int_equal(s.dir, RAMP_UP);
		assert_int_equal(s.allowance,
				 min_t(u64, 6250 + i * (6250 / 4), p.full));
		next(&s, &p);
	}
	/* ... less what a quarter is rounded down by */
	assert_int_equal(s.dir, RAMP_UP);
	assert_int_equal(s.allowance, p.full);
	next(&s, &p);
	assert_int_equal(s.dir, RAMP_NONE);
	assert_int_equal(s.tick_end, T0 + 78 * TICK);
}

static void a_steep_fall_falls_by_a_quarter(struct kunit *test)
{
	struct ramp_slope_params p = adaptive(&five);
	struct ramp_slope s = begun(&p, RAMP_DOWN, 50000, PART(25));
	int i;

	p.down_step = 8000;
	s = begun(&p, RAMP_DOWN, 50000, PART(25));
	for (i = 0; i < 30; i++) {
		assert_int_equal(s.allowance,
				 i < 22 ? 50000 - i * 2000 : 6250);
		next(&s, &p);
	}
}

/* 2, 4, 6: a quarter of two packets is none. */
static void at_least_one_unit(struct kunit *test)
{
	struct ramp_slope_params p = adaptive(&two);
	struct ramp_slope s = begun(&p, RAMP_UP, 0, PART(25));
	int i;

	for (i = 0; i < 50; i++) {
		assert_int_equal(s.allowance, 2 + i);
		drain(&s, &p, MTU, 1);
		next(&s, &p);
	}
	p.floor = 1;
	s = begun(&p, RAMP_DOWN, 20, PART(49));
	for (i = 0; i < 19; i++) {
		assert_int_equal(s.allowance, 20 - i);
		next(&s, &p);
	}
}

static void others_take_whole_steps(struct kunit *test)
{
	struct ramp_slope s = begun(&two, RAMP_UP, 0, PART(25));

	assert_int_equal(next(&s, &two), 4);
	s = begun(&two, RAMP_DOWN, 20, PART(25));
	assert_int_equal(next(&s, &two), 18);
}

/* Each surge has a steepness of its own. */
static void a_turn_has_its_own_part(struct kunit *test)
{
	struct ramp_slope_params p = adaptive(&five);
	struct ramp_slope s = begun(&p, RAMP_UP, 0, PART(100));

	p.down_step = 4000;
	assert_int_equal(next(&s, &p), 12500);
	assert_int_equal(next(&s, &p), 18750);
	ramp_slope_begin(&s, &p, RAMP_DOWN, 18750, PART(50), 10,
			 s.tick_end - 1);
	assert_int_equal(next(&s, &p), 16750);
	assert_int_equal(next(&s, &p), 14750);
	ramp_slope_begin(&s, &p, RAMP_UP, 14750, PART(25), 10, s.tick_end - 1);
	assert_int_equal(next(&s, &p), 14750 + 1562);
}

/* Section 1: a change keeps what is not named, and how steep the surge was. */
static void a_change_keeps_the_part(struct kunit *test)
{
	struct ramp_slope_params p = adaptive(&five), q = p, whole = five;
	struct ramp_slope s = begun(&p, RAMP_UP, 0, PART(50));

	assert_int_equal(next(&s, &p), 6250 + 3125);
	q.step = 1000;
	ramp_slope_change(&s, &p, &q, MTU);
	assert_int_equal(next(&s, &q), 6250 + 3125 + 500);
	whole.step = 1000;
	ramp_slope_change(&s, &q, &whole, MTU);
	assert_int_equal(next(&s, &whole), 6250 + 3125 + 1500);
	ramp_slope_change(&s, &whole, &q, MTU);
	assert_int_equal(next(&s, &q), 6250 + 3125 + 2000);

	s = begun(&p, RAMP_DOWN, 100000, PART(50));
	assert_int_equal(next(&s, &p), 100000 - 3125);
	q = p;
	q.down_step = 1000;
	ramp_slope_change(&s, &p, &q, MTU);
	assert_int_equal(next(&s, &q), 100000 - 3625);
}

static u64 part_of(u64 step, u32 part)
{
	u128 want = wide_div((u128)step * part, RAMP_STEP_WHOLE);

	return want ? want : 1;
}

/* Any amounts, any part: an adaptive ramp is one with the smaller step. */
static void an_adaptive_ramp_is_one_with_a_smaller_step(struct kunit *test)
{
	unit_rounds(2000) {
		unsigned int bits = unit_chance(50) ? 14 : 40;
		struct ramp_slope_params p = {
			.start = unit_amount(bits), .step = unit_amount(bits),
			.down_step = unit_amount(bits),
			.floor = unit_amount(bits), .full = unit_amount(bits),
			.tick = TICK, .window = WINDOW,
			.pause = unit_between(0, 3), .hold = unit_between(0, 3),
			.adaptive = true,
		};
		enum ramp_dir dir = unit_chance(50) ? RAMP_UP : RAMP_DOWN;
		u32 part = unit_between(RAMP_STEP_LEAST, RAMP_STEP_WHOLE);
		u64 base = unit_amount(bits), now = T0, over, want;
		struct ramp_slope_params q = p;
		struct ramp_slope s, t;
		int i;

		q.adaptive = false;
		q.step = part_of(p.step, part);
		q.down_step = part_of(p.down_step, part);
		s = begun(&p, dir, base, part);
		t = begun(&q, dir, base, RAMP_STEP_WHOLE);
		for (i = 0; i < 50 && t.dir; i++) {
			unit_check(s.allowance == t.allowance &&
				   s.left == t.left && s.owed == t.owed,
				   "tick %d allows %llu, not %llu", i,
				   s.allowance, t.allowance);
			if (unit_chance(50)) {
				ramp_slope_charge(&s, &p, 65536, 45);
				ramp_slope_charge(&t, &q, 65536, 45);
			}
			now = t.tick_end + unit_between(0, 4 * TICK);
			want = ramp_slope_advance(&t, &q, now);
			over = ramp_slope_advance(&s, &p, now);
			unit_check(s.dir == t.dir && over == want &&
				   s.tick_end == t.tick_end,
				   "over after %llu, not %llu", over, want);
		}
	}
}

/* "limit auto" follows: the steepest surge holds back the most. */
static void holds_back_what_the_smallest_step_does(struct kunit *test)
{
	unit_rounds(1000) {
		struct ramp_slope_params p = {
			.start = unit_amount(20), .step = unit_amount(20),
			.full = unit_amount(30), .tick = TICK,
			.pause = unit_between(0, 50),
			.hold = unit_between(0, 50), .adaptive = true,
		}, q = p;
		u32 mtu = unit_between(64, 9000), all, part;

		p.packets = unit_chance(30);
		if (p.packets) {
			p.start = unit_amount(6);
			p.step = unit_amount(6);
		}
		all = ramp_slope_holds_back(&p, mtu);
		for (part = PART(25); part <= PART(100); part += PART(25)) {
			q = p;
			q.adaptive = false;
			q.step = part_of(p.step, part);
			if (part == RAMP_STEP_LEAST)
				unit_check(all == ramp_slope_holds_back(&q,
									mtu),
					   "%u, not %u", all,
					   ramp_slope_holds_back(&q, mtu));
			else
				unit_check(all >= ramp_slope_holds_back(&q,
									mtu),
					   "%u, but %u", all,
					   ramp_slope_holds_back(&q, mtu));
		}
	}
}

UNIT_SUITE(adaptive,
	   UNIT_CASE(the_part_is_what_it_took_of_the_window),
	   UNIT_CASE(a_step_is_right_to_the_unit),
	   UNIT_CASE(a_steep_surge_climbs_by_a_quarter),
	   UNIT_CASE(a_steep_fall_falls_by_a_quarter),
	   UNIT_CASE(at_least_one_unit),
	   UNIT_CASE(others_take_whole_steps),
	   UNIT_CASE(a_turn_has_its_own_part),
	   UNIT_CASE(a_change_keeps_the_part),
	   UNIT_CASE(an_adaptive_ramp_is_one_with_a_smaller_step),
	   UNIT_CASE(holds_back_what_the_smallest_step_does));
