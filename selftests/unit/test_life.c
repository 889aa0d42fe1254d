// SPDX-License-Identifier: GPL-2.0
/* A ramp that ends after a time: US 2025/0260650, [0107], "cease TIME". */
#include "ticks.h"

/* What a slope without any other end does until its life is over. */
static const struct ramp_slope_params endless = {
	.start = 2, .step = 2, .down_step = 2, .floor = 2,
	.tick = TICK, .window = 1000000 * HOUR, .packets = true,
};

static u64 div_up(u64 a, u64 b)
{
	return a / b + (a % b != 0);
}

static void a_life_is_so_many_ticks(struct kunit *test)
{
	struct ramp_slope_params p = endless;
	struct ramp_slope s;
	u64 i;
	int d;

	for (p.life = 1; p.life < 50; p.life++) {
		for (d = 0; d < 2; d++) {
			s = d ? ramp_down(&p, 1000) : ramp_up(&p);
			for (i = 0; i < p.life; i++) {
				assert_int_equal(s.dir,
						 d ? RAMP_DOWN : RAMP_UP);
				assert_int_equal(s.tick_end,
						 T0 + (i + 1) * TICK);
				assert_int_equal(ramp_slope_advance(&s, &p,
								    s.tick_end),
						 1);
			}
			assert_int_equal(s.dir, RAMP_NONE);
			assert_int_equal(s.tick_end, T0 + p.life * TICK);
		}
	}
}

/* A pause belongs to the ramp. */
static void a_life_may_end_in_the_pause(struct kunit *test)
{
	struct ramp_slope_params p = endless;
	struct ramp_slope s;

	p.pause = 10;
	p.hold = 10;
	p.life = 7;
	s = ramp_up(&p);
	assert_int_equal(ramp_slope_advance(&s, &p, T0 + 6 * TICK), 6);
	assert_int_equal(s.dir, RAMP_UP);
	assert_int_equal(ramp_slope_advance(&s, &p, T0 + 7 * TICK), 1);
	assert_int_equal(s.dir, RAMP_NONE);
}

/* "full" is an end as well: the sooner one counts. */
static void the_climb_may_end_before(struct kunit *test)
{
	struct ramp_slope_params p = five;
	struct ramp_slope s;

	for (p.life = 1; p.life < 40; p.life++) {
		s = ramp_up(&p);
		assert_int_equal(ramp_slope_advance(&s, &p, T0 + HOUR),
				 min_t(u64, p.life, 20));
		assert_int_equal(s.dir, RAMP_NONE);
	}
}

static void without_a_life_it_does_not_end(struct kunit *test)
{
	struct ramp_slope s = ramp_down(&endless, 1000);

	ramp_slope_advance(&s, &endless, T0 + 1000 * HOUR);
	assert_int_equal(s.dir, RAMP_DOWN);
}

/* The life is the ramp's, not that of what a turn began. */
static void turns_do_not_prolong_a_life(struct kunit *test)
{
	struct ramp_slope_params p = endless;
	struct ramp_slope s;
	u64 i;

	p.life = 100;
	s = ramp_up(&p);
	for (i = 0; i < 99; i++) {
		begin_ramp(&s, &p, i % 3 ? RAMP_DOWN : RAMP_UP,
			   ramp_slope_reach(&s), 10, s.tick_end - 1);
		next(&s, &p);
		assert_int_equal(s.dir, i % 3 ? RAMP_DOWN : RAMP_UP);
	}
	next(&s, &p);
	assert_int_equal(s.dir, RAMP_NONE);
	assert_int_equal(s.tick_end, T0 + 100 * TICK);

	/* ... and the next one has all of it again */
	begin_ramp(&s, &p, RAMP_UP, 0, 0, T0 + HOUR);
	ramp_slope_advance(&s, &p, T0 + HOUR + 99 * TICK);
	assert_int_equal(s.dir, RAMP_UP);
	next(&s, &p);
	assert_int_equal(s.dir, RAMP_NONE);
}

/* Any callers, turns and changes of what does not concern it. */
static void a_life_is_exact(struct kunit *test)
{
	unit_rounds(2000) {
		struct ramp_slope_params p = endless;
		struct ramp_slope s = idle();
		u64 begin = unit_chance(30) ? UNIT_LATE_CLOCK : T0;
		u64 now, over = 0;
		int i;

		p.tick = unit_between(50 * NSEC_PER_USEC, NSEC_PER_SEC);
		p.life = unit_amount(unit_chance(50) ? 8 : 26);
		p.pause = unit_chance(30) ? unit_between(0, 20) : 0;
		begin_ramp(&s, &p, unit_chance(50) ? RAMP_UP : RAMP_DOWN, 50,
			   0, begin);
		for (i = 0; s.dir && i < 200; i++) {
			struct ramp_slope_params q = p;

			now = s.tick_end + unit_between(0, p.tick - 1);
			if (unit_chance(10))
				now += unit_between(0, p.life) * p.tick;
			over += ramp_slope_advance(&s, &p, now);
			if (!s.dir)
				break;
			unit_check(over < p.life, "%llu ticks", over);
			unit_check(s.tick_end == begin + (over + 1) * p.tick,
				   "tick ends at %llu", s.tick_end);
			if (unit_chance(20))
				begin_ramp(&s, &p, unit_chance(50) ?
					   RAMP_UP : RAMP_DOWN, 50, 0, now);
			if (unit_chance(20)) {
				q.step = unit_amount(10);
				q.pause = unit_between(0, 50);
				ramp_slope_change(&s, &p, &q, MTU);
				p = q;
			}
		}
		if (s.dir)
			ramp_slope_advance(&s, &p, begin + p.life * p.tick);
		unit_check(!s.dir, "did not end");
		unit_check(s.tick_end == begin + p.life * p.tick,
			   "ended at %llu", s.tick_end - begin);
	}
}

/* The ramp is over with the first tick that ends when its time has passed; the
 * tick in which the length of ticks changes keeps its end.
 */
static void changing_ticks_do_not_move_the_end(struct kunit *test)
{
	unit_rounds(1500) {
		struct ramp_slope_params p = endless, q;
		u64 time = unit_between(NSEC_PER_SEC / 10, 20 * NSEC_PER_SEC);
		u64 begin = unit_chance(30) ? UNIT_LATE_CLOCK : T0;
		u64 percent = unit_chance(50) ? 100 : unit_between(0, 50);
		u64 now = begin, end, last;
		struct ramp_slope s;
		int i;

		p.tick = unit_between(50 * NSEC_PER_USEC, NSEC_PER_SEC);
		p.life = div_up(time, p.tick);
		s = idle();
		begin_ramp(&s, &p, RAMP_UP, 0, 0, begin);
		for (i = 0; s.dir; i++) {
			end = s.tick_end;
			last = begin + p.life * p.tick;
			if (i < 2000 && unit_chance(percent)) {
				q = p;
				q.tick = unit_chance(50) ? NSEC_PER_SEC :
					 unit_between(50 * NSEC_PER_USEC,
						      NSEC_PER_SEC / 10);
				q.life = div_up(time, q.tick);
				ramp_slope_change(&s, &p, &q, MTU);
				p = q;
				last = begin + p.life * p.tick;
				unit_check(s.tick_end == end, "the tick moved");
			}
			now = end;
			if (unit_chance(10))
				now += unit_between(0, NSEC_PER_SEC);
			ramp_slope_advance(&s, &p, now);
			unit_check(!s.dir == (end >= last || now >=
				   end + div_up(last - end, p.tick) * p.tick),
				   "%s at %llu, %llu is the last",
				   s.dir ? "runs" : "ended", now - begin,
				   last - begin);
		}
		unit_check(s.tick_end >= last && s.tick_end >= begin + time,
			   "ended after %llu of %llu", s.tick_end - begin,
			   time);
		unit_check(s.tick_end < last + p.tick || s.tick_end == end,
			   "ended after %llu of %llu", s.tick_end - begin,
			   time);
	}
}

/* A life that ends before the present moment ends with the present tick. */
static void a_new_life_holds_from_the_begin(struct kunit *test)
{
	struct ramp_slope_params p = endless, q = endless;
	struct ramp_slope s;

	p.life = 100;
	s = ramp_up(&p);
	ramp_slope_advance(&s, &p, T0 + 50 * TICK);
	q.life = 10;
	ramp_slope_change(&s, &p, &q, MTU);
	assert_int_equal(s.dir, RAMP_UP);
	assert_int_equal(s.tick_end, T0 + 51 * TICK);
	next(&s, &q);
	assert_int_equal(s.dir, RAMP_NONE);
	assert_int_equal(s.tick_end, T0 + 51 * TICK);

	s = ramp_up(&q);
	ramp_slope_advance(&s, &q, T0 + 9 * TICK);
	ramp_slope_change(&s, &q, &p, MTU);
	ramp_slope_advance(&s, &p, T0 + 99 * TICK);
	assert_int_equal(s.dir, RAMP_UP);
	next(&s, &p);
	assert_int_equal(s.dir, RAMP_NONE);
	assert_int_equal(s.tick_end, T0 + 100 * TICK);
}

UNIT_SUITE(life,
	   UNIT_CASE(a_life_is_so_many_ticks),
	   UNIT_CASE(a_life_may_end_in_the_pause),
	   UNIT_CASE(the_climb_may_end_before),
	   UNIT_CASE(without_a_life_it_does_not_end),
	   UNIT_CASE(turns_do_not_prolong_a_life),
	   UNIT_CASE(a_life_is_exact),
	   UNIT_CASE(changing_ticks_do_not_move_the_end),
	   UNIT_CASE(a_new_life_holds_from_the_begin));
