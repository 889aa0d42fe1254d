// SPDX-License-Identifier: GPL-2.0
/* Slew limiter: document 000, [0105], "detect always". Section 2: "What may leave
 * in a tick is at most what left in the last tick plus step, and start may always
 * leave."
 */
#include "ticks.h"
#include <net/ramp/slew.h>

#define TICKS	12000

static struct ramp_slope slewing(const struct ramp_slope_params *p, u64 level)
{
	struct ramp_slope s = idle();

	ramp_slew_begin(&s, p, level, T0);
	return s;
}

static u64 advance(struct ramp_slope *s, const struct ramp_slope_params *p)
{
	assert_int_equal(ramp_slew_advance(s, p, s->tick_end), 1);
	return s->allowance;
}

/* As much as leaves while something waits. */
static u64 saturate(struct ramp_slope *s, const struct ramp_slope_params *p,
		    u32 bytes)
{
	return (u64)drain(s, p, bytes, 1) * (p->packets ? 1 : bytes);
}

static void two_four_six_as_long_as_they_leave(void **state)
{
	struct ramp_slope s = slewing(&two, 0);
	int i;

	for (i = 1; i < 50; i++) {
		assert_int_equal(saturate(&s, &two, MTU), 2 * i);
		advance(&s, &two);
	}
	/* nothing waits: what left is all that counts */
	ramp_slope_charge(&s, &two, 5 * MTU, 5);
	assert_int_equal(advance(&s, &two), 7);
	assert_int_equal(advance(&s, &two), 2);
	assert_int_equal(saturate(&s, &two, MTU), 2);
}

static void begins_with_what_leaves_now(void **state)
{
	struct ramp_slope s = slewing(&two, 17);

	assert_int_equal(s.dir, RAMP_SLEW);
	assert_int_equal(s.tick_end, T0 + TICK);
	assert_int_equal(saturate(&s, &two, MTU), 17);
	assert_int_equal(advance(&s, &two), 19);

	s = slewing(&two, 1);
	assert_int_equal(s.allowance, 2);
}

/* Nothing bounds the fall. */
static void falls_at_once(void **state)
{
	struct ramp_slope s = slewing(&five, 1000000);

	saturate(&s, &five, 1000);
	assert_int_equal(advance(&s, &five), 1006250);
	ramp_slope_charge(&s, &five, 1000, 1);
	assert_int_equal(advance(&s, &five), 7250);
	assert_int_equal(advance(&s, &five), 6250);
}

/* A watchdog that is late, or nobody who wanted to send: nothing left in the last
 * tick.
 */
static void late_callers_get_the_start(void **state)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;
	u64 late;

	p.start = 5;
	for (late = 1; late < 30; late++) {
		s = slewing(&p, 100);
		saturate(&s, &p, MTU);
		assert_int_equal(ramp_slew_advance(&s, &p, T0 + TICK +
						   late * TICK), late + 1);
		assert_int_equal(s.allowance, 5);
		assert_int_equal(s.left, 5);
		assert_int_equal(s.tick_end, T0 + (late + 2) * TICK);
	}
	/* a little late is not */
	s = slewing(&p, 100);
	saturate(&s, &p, MTU);
	assert_int_equal(ramp_slew_advance(&s, &p, T0 + 2 * TICK - 1), 1);
	assert_int_equal(s.allowance, 102);
}

/* ... or a step, if that is more: nothing and a step. */
static void a_step_may_be_larger_than_the_start(void **state)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s;

	p.step = 9;
	s = slewing(&p, 0);
	assert_int_equal(s.allowance, 2);
	assert_int_equal(advance(&s, &p), 9);
	ramp_slew_advance(&s, &p, T0 + HOUR);
	assert_int_equal(s.allowance, 9);
}

/* "a single packet larger than a tick's allowance, goes whole if nothing is owed" */
static void a_large_packet_is_paid(void **state)
{
	struct ramp_slope_params p = five;
	struct ramp_slope s;

	p.step = 1000;
	s = slewing(&p, 0);
	assert_true(ramp_slope_admit(&s, &p, 20000, 14));
	ramp_slope_charge(&s, &p, 20000, 14);
	assert_int_equal(s.owed, 13750);
	assert_int_equal(advance(&s, &p), 7250);
	assert_int_equal(s.owed, 6500);
	assert_false(ramp_slope_admit(&s, &p, 1, 1));
	/* what was paid has left */
	assert_int_equal(advance(&s, &p), 8250);
	assert_int_equal(s.owed, 0);
	assert_int_equal(s.left, 1750);
	assert_true(ramp_slope_admit(&s, &p, 1750, 2));
	/* nobody used that, and nobody had to wait */
	assert_int_equal(advance(&s, &p), 7500);
}

/* Ticks that were missed pay too, not less than a start each. */
static void missed_ticks_pay(void **state)
{
	struct ramp_slope s = slewing(&five, 0);

	ramp_slope_charge(&s, &five, 65536, 45);
	assert_int_equal(s.owed, 65536 - 6250);
	ramp_slew_advance(&s, &five, T0 + 4 * TICK);
	assert_int_equal(s.paid, 6250);
	assert_int_equal(s.owed, 65536 - 5 * 6250);
	ramp_slew_advance(&s, &five, T0 + 1000 * TICK);
	assert_int_equal(s.owed, 0);
	assert_int_equal(s.left, 6250);
}

/* A step that is smaller than a packet, even the smallest one, climbs by a step
 * per tick all the same, to any rate.
 */
static void small_steps_climb_to_any_rate(void **state)
{
	static const u32 sizes[] = { 64, 1514, 9014, 65536 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct ramp_slope_params p = { .start = 1, .step = 1 + i,
					       .tick = TICK };
		struct ramp_slope s = slewing(&p, 0);
		u64 sent = 0, allowed = 0, tick;

		for (tick = 0; tick < 200000; tick++) {
			assert_int_equal(s.allowance, 1 + tick * p.step);
			allowed += s.allowance;
			sent += saturate(&s, &p, sizes[i]);
			/* never more than a packet ahead */
			assert_true(sent <= allowed + sizes[i]);
			advance(&s, &p);
		}
		/* ... and what a packet did not fit into is all that is lost */
		assert_true(sent + tick * (sizes[i] - 1) >= allowed);
		assert_true(s.allowance - 200000 * p.step <= 1);
	}
}

/* Something that comes and goes, and what it makes of the ticks. */
struct traffic {
	struct ramp_slope_params p;
	struct ramp_slope s;
	bool	mixed;		/* packets of all sizes */
	bool	on;
	u64	queue;		/* packets waiting */
	u32	head;		/* bytes of the first */
	u32	segs;
	u64	cost;
	u64	left;		/* in this tick, or paid in it */
	u64	unfit;		/* of it, as what waits is larger */
	u64	sent;		/* in all ticks */
	u64	within;		/* of it, by the allowances */
	u64	paid;		/* of it, later */
	u64	missed;		/* of it, by ticks that nobody asked for */
};

static void next_packet(struct traffic *t)
{
	t->head = !t->mixed ? MTU : unit_between(60, unit_chance(10) ? 65536 :
								       1514);
	t->segs = t->mixed ? (t->head + 1447) / 1448 : 1;
	t->cost = t->p.packets ? t->segs : t->head;
}

static void traffic_begin(struct traffic *t, bool packets, bool mixed)
{
	unsigned int bits = packets ? 6 : 18;

	memset(t, 0, sizeof(*t));
	t->p.packets = packets;
	t->p.start = unit_amount(bits);
	t->p.step = unit_amount(unit_chance(50) ? bits : bits / 2);
	t->p.tick = unit_between(50 * NSEC_PER_USEC, NSEC_PER_SEC);
	t->mixed = mixed;
	t->s = idle();
	ramp_slew_begin(&t->s, &t->p, 0,
			unit_chance(30) ? UNIT_LATE_CLOCK : T0);
	next_packet(t);
}

/* Bursts and pauses of all lengths. */
static void traffic_arrives(struct traffic *t)
{
	if (unit_chance(5))
		t->on = !t->on;
	if (t->on)
		t->queue += unit_between(0, unit_chance(10) ? 300 : 10);
	else if (unit_chance(5))
		t->queue = 0;
}

static void traffic_leaves(struct traffic *t)
{
	struct ramp_slope *s = &t->s;
	u64 used = 0;

	while (t->queue && ramp_slope_admit(s, &t->p, t->head, t->segs)) {
		unit_check(!s->owed, "left in debt: %llu", s->owed);
		unit_check(t->cost <= s->left || t->cost > s->allowance,
			   "%llu left, with %llu of %llu", t->cost, s->left,
			   s->allowance);
		ramp_slope_charge(s, &t->p, t->head, t->segs);
		used += t->cost;
		t->queue--;
		next_packet(t);
	}
	if (t->queue)
		unit_check(t->cost > s->left &&
			   (t->cost <= s->allowance || !s->left),
			   "%llu waits, with %llu of %llu", t->cost, s->left,
			   s->allowance);

	t->left = min_t(u64, s->allowance, s->paid + used);
	t->unfit = t->queue ? s->left : 0;
	t->sent += used;
	t->paid += s->paid;
	t->within += t->left - s->paid;
	unit_check(t->sent == t->within + t->paid + t->missed + s->owed,
		   "%llu sent, %llu paid, %llu owed", t->sent, t->paid,
		   s->owed);
}

/* The next tick is asked for in time, or so many ticks late. */
static void traffic_goes_on(struct traffic *t, u64 late)
{
	const struct ramp_slope_params *p = &t->p;
	struct ramp_slope *s = &t->s;
	u64 before = t->left + t->unfit, owed = s->owed, want, pays;

	unit_check(ramp_slew_advance(s, p, s->tick_end + late * p->tick +
				     unit_between(0, p->tick - 1)) == late + 1,
		   "%llu late", late);
	/* Those that can do no more than pay are not missed by who waits. */
	while (late && t->queue) {
		want = max_t(u64, p->start, before + p->step);
		if (want > owed)
			break;
		t->missed += want;
		owed -= want;
		before = want;
		late--;
	}
	if (late) {
		before = 0;
		pays = min_t(u64, owed, late * p->start);
		t->missed += pays;
		owed -= pays;
	}
	want = max_t(u64, p->start, before + p->step);
	unit_check(s->allowance == want, "%llu, not %llu after %llu",
		   s->allowance, want, before);
	unit_check(s->paid == min_t(u64, owed, want) &&
		   s->owed == owed - s->paid && s->left == want - s->paid,
		   "%llu owed, %llu paid", owed, s->paid);
}

/* No tick lets more leave than start, or than what left before and a step, and no
 * less if there is more. For packets that is exact. In bytes, a packet that waits
 * may leave less than its length unused, which counts as having left.
 */
static void any_traffic(bool packets, bool mixed, unsigned int late)
{
	unit_rounds(8) {
		struct traffic t;
		int i;

		traffic_begin(&t, packets, mixed);
		for (i = 0; i < TICKS; i++) {
			traffic_arrives(&t);
			traffic_leaves(&t);
			unit_check(!t.unfit || t.unfit < t.cost, "%llu unused",
				   t.unfit);
			unit_check(!t.unfit || mixed || !packets, "%llu unused",
				   t.unfit);
			traffic_goes_on(&t, unit_chance(late) ?
					unit_between(1, 20) : 0);
		}
		unit_check(t.sent > TICKS, "%llu sent", t.sent);

		/* all debts are paid in the end */
		t.queue = 0;
		for (i = 0; i < 70000 && t.s.owed; i++) {
			traffic_leaves(&t);
			traffic_goes_on(&t, 0);
		}
		unit_check(!t.s.owed, "%llu owed", t.s.owed);
	}
}

static void packets_rise_by_a_step_exactly(void **state)
{
	any_traffic(true, false, 0);
	any_traffic(true, false, 5);
}

static void segments_rise_by_a_step(void **state)
{
	any_traffic(true, true, 0);
	any_traffic(true, true, 5);
}

static void bytes_rise_by_a_step(void **state)
{
	any_traffic(false, true, 0);
	any_traffic(false, true, 5);
}

/* All ranges, any idleness. */
static void extremes_do_not_wrap(void **state)
{
	unit_rounds(3000) {
		struct ramp_slope_params p = {
			.start = unit_amount(40), .step = unit_amount(40),
			.tick = unit_between(50 * NSEC_PER_USEC, NSEC_PER_SEC),
			.packets = unit_chance(30),
		};
		u64 begin = unit_chance(50) ? UNIT_LATE_CLOCK : T0;
		u64 level = unit_amount(62), over = 0, late, now;
		struct ramp_slope s = idle();
		u128 want, owed, was;
		int i;

		ramp_slew_begin(&s, &p, level, begin);
		unit_check(s.allowance == max_t(u64, p.start, level), "%llu",
			   s.allowance);
		for (i = 0; i < 40; i++) {
			bool waits = unit_chance(50);

			for (was = s.paid; unit_chance(50); was += U32_MAX)
				ramp_slope_charge(&s, &p, U32_MAX, U32_MAX);
			if (waits && ramp_slope_admit(&s, &p, U32_MAX, U32_MAX))
				waits = false;
			if (waits || was > s.allowance)
				was = s.allowance;
			owed = s.owed;

			now = s.tick_end + unit_between(0, 2 * p.tick);
			if (unit_chance(20))
				now += unit_between(0, 100 * HOUR);
			level = ramp_slew_advance(&s, &p, now);
			over += level;
			for (late = level - 1; late && waits; late--) {
				want = was + p.step > p.start ? was + p.step : p.start;
				if (want > owed)
					break;
				owed -= want;
				was = want;
			}
			if (late) {
				was = (u128)p.start * late;
				owed -= owed < was ? owed : was;
				was = 0;
			}
			want = was + p.step > p.start ? was + p.step : p.start;
			if (want > RAMP_ALLOWANCE_MAX)
				want = RAMP_ALLOWANCE_MAX;
			unit_check(s.allowance == want, "%llu, not %llu",
				   s.allowance, (u64)want);
			unit_check(s.owed == (owed > want ? owed - want : 0),
				   "%llu of %llu owed", s.owed, (u64)owed);
			unit_check(s.index == over &&
				   s.tick_end == begin + (over + 1) * p.tick &&
				   now < s.tick_end, "tick %llu", s.index);
		}
	}
}

/* Section 1: a change keeps what is not named. */
static void change_of_nothing_changes_nothing(void **state)
{
	struct ramp_slope s = slewing(&two, 0);
	int i, j;

	for (i = 1; i < 100; i++) {
		for (j = 0; j < i; j++) {
			assert_true(ramp_slope_admit(&s, &two, MTU, 1));
			ramp_slope_charge(&s, &two, MTU, 1);
			ramp_slew_change(&s, &two, &two, MTU);
		}
		assert_int_equal(s.left, s.allowance - i);
		assert_int_equal(advance(&s, &two), i + 2);
	}
}

static void new_amounts_hold_from_the_next_tick(void **state)
{
	struct ramp_slope_params p = two;
	struct ramp_slope s = slewing(&two, 20);

	p.start = 50;
	p.step = 7;
	ramp_slew_change(&s, &two, &p, MTU);
	assert_int_equal(saturate(&s, &p, MTU), 20);
	assert_int_equal(s.tick_end, T0 + TICK);
	assert_int_equal(advance(&s, &p), 50);
	assert_int_equal(saturate(&s, &p, MTU), 50);
	assert_int_equal(advance(&s, &p), 57);
}

/* Ticks of another length carry the rate that was reached, not its bytes. */
static void new_tick_keeps_the_rate(void **state)
{
	struct ramp_slope_params slow = five, fast = five;
	struct ramp_slope s;

	slow.tick = 10 * TICK;
	slow.start = 62500;
	slow.step = 62500;

	s = slewing(&slow, 400000);
	saturate(&s, &slow, 500);
	ramp_slew_change(&s, &slow, &fast, MTU);
	assert_int_equal(saturate(&s, &fast, 500), 0);
	assert_int_equal(s.tick_end, T0 + 10 * TICK);
	assert_int_equal(advance(&s, &fast), 46250);
	assert_int_equal(s.tick_end, T0 + 11 * TICK);
	saturate(&s, &fast, 50);
	ramp_slew_change(&s, &fast, &slow, MTU);
	assert_int_equal(advance(&s, &slow), 525000);

	/* half of it was used, and nobody waits; 20000 bytes are owed */
	s = slewing(&slow, 400000);
	ramp_slope_charge(&s, &slow, 420000, 300);
	advance(&s, &slow);
	ramp_slope_charge(&s, &slow, 180000, 200);
	ramp_slew_change(&s, &slow, &fast, MTU);
	assert_int_equal(advance(&s, &fast), 20000 + 6250);
}

/* Bytes that are not a packet do not become one, and levels and debts go over by
 * the mean packet.
 */
static void new_unit_keeps_the_level(void **state)
{
	struct ramp_slope s = slewing(&five, 15000);
	int i;

	ramp_slope_charge(&s, &five, 10500, 7);
	assert_int_equal(s.left, 4500);
	for (i = 0; i < 10; i++) {
		ramp_slew_change(&s, &five, &two, MTU);
		assert_int_equal(s.left, 3);
		assert_int_equal(s.used, 7);
		ramp_slew_change(&s, &two, &five, MTU);
		assert_int_equal(s.left, 4500);
		assert_int_equal(s.used, 10500);
	}
	ramp_slope_charge(&s, &five, 3001, 2);
	ramp_slew_change(&s, &five, &two, MTU);
	assert_int_equal(s.left, 0);
	assert_false(ramp_slope_admit(&s, &two, 1, 1));
	/* it waits, so all 10 packets of the tick count */
	assert_int_equal(advance(&s, &two), 12);

	s = slewing(&two, 0);
	ramp_slope_charge(&s, &two, 30000, 20);
	ramp_slew_change(&s, &two, &five, MTU);
	assert_int_equal(s.owed, 18 * 1500);
	assert_int_equal(advance(&s, &five), 3000 + 6250);
}

/* "The present tick keeps its end and what it has left": however often things
 * change in it.
 */
static void changes_let_nothing_pass(void **state)
{
	unit_rounds(1000) {
		struct ramp_slope_params p = five, q = five;
		struct ramp_slope s = idle();
		u64 allowed, sent, end;
		int i;

		p.tick = unit_between(50 * NSEC_PER_USEC, NSEC_PER_SEC);
		p.start = unit_amount(20);
		p.step = unit_amount(20);
		ramp_slew_begin(&s, &p, 0, T0);
		allowed = s.allowance;
		end = s.tick_end;
		sent = 0;
		for (i = 0; i < 50; i++) {
			q.tick = unit_between(50 * NSEC_PER_USEC, NSEC_PER_SEC);
			q.start = unit_amount(20);
			q.step = unit_amount(20);
			q.packets = unit_chance(30);
			ramp_slew_change(&s, &p, &q, MTU);
			p = q;
			if (ramp_slope_admit(&s, &p, MTU, 1)) {
				ramp_slope_charge(&s, &p, MTU, 1);
				sent += MTU;
			}
			unit_check(s.tick_end == end, "the tick moved");
			unit_check(sent < allowed + MTU, "%llu of %llu", sent,
				   allowed);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_four_six_as_long_as_they_leave),
		cmocka_unit_test(begins_with_what_leaves_now),
		cmocka_unit_test(falls_at_once),
		cmocka_unit_test(late_callers_get_the_start),
		cmocka_unit_test(a_step_may_be_larger_than_the_start),
		cmocka_unit_test(a_large_packet_is_paid),
		cmocka_unit_test(missed_ticks_pay),
		cmocka_unit_test(small_steps_climb_to_any_rate),
		cmocka_unit_test(packets_rise_by_a_step_exactly),
		cmocka_unit_test(segments_rise_by_a_step),
		cmocka_unit_test(bytes_rise_by_a_step),
		cmocka_unit_test(extremes_do_not_wrap),
		cmocka_unit_test(change_of_nothing_changes_nothing),
		cmocka_unit_test(new_amounts_hold_from_the_next_tick),
		cmocka_unit_test(new_tick_keeps_the_rate),
		cmocka_unit_test(new_unit_keeps_the_level),
		cmocka_unit_test(changes_let_nothing_pass),
	};

	unit_begin("slew");
	return cmocka_run_group_tests_name("slew", tests, NULL, NULL);
}
