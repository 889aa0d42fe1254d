// SPDX-License-Identifier: GPL-2.0
/* Slope of several: section 4, "one tick's allowance is for all together". Who
 * may leave is charged at once, and gives back what he did not take.
 */
#include "ticks.h"

static void random_shape(struct ramp_slope_params *p)
{
	memset(p, 0, sizeof(*p));
	p->packets = unit_chance(50);
	p->start = unit_amount(14);
	p->step = unit_amount(14);
	p->down_step = unit_amount(14);
	p->floor = unit_amount(14);
	p->tick = TICK;
	p->window = WINDOW;
}

static void same(const struct ramp_slope *a, const struct ramp_slope *b)
{
	unit_check(a->left == b->left, "left %llu, not %llu", a->left, b->left);
	unit_check(a->owed == b->owed, "owed %llu, not %llu", a->owed, b->owed);
	unit_check(a->used == b->used, "used %llu, not %llu", a->used, b->used);
	unit_check(a->bytes == b->bytes, "bytes %llu, not %llu", a->bytes,
		   b->bytes);
	unit_check(a->pkts == b->pkts, "pkts %llu, not %llu", a->pkts, b->pkts);
}

/* Whatever was charged before, and also by a packet that goes whole. */
static void giving_back_undoes_the_charge(struct kunit *test)
{
	unit_rounds(4000) {
		struct ramp_slope_params p;
		struct ramp_slope s, was;
		u32 bytes, pkts;
		int i;

		random_shape(&p);
		s = ramp_up(&p);
		for (i = 0; i < 40; i++) {
			bytes = unit_amount(16);
			pkts = unit_amount(6);
			if (!ramp_slope_admit(&s, &p, bytes, pkts)) {
				ramp_slope_advance(&s, &p, s.tick_end);
				continue;
			}
			was = s;
			ramp_slope_charge(&s, &p, bytes, pkts);
			if (unit_chance(50)) {
				ramp_slope_uncharge(&s, &p, bytes, pkts);
				same(&s, &was);
			}
		}
	}
}

/* Members that take ahead, and give some back later in the tick, in any order:
 * no tick lets more leave than it allows, except by what goes whole.
 */
static void no_tick_gives_more_than_it_has(struct kunit *test)
{
	enum { MEMBERS = 5 };

	unit_rounds(3000) {
		u32 bytes[MEMBERS], pkts[MEMBERS];
		bool taken[MEMBERS] = {};
		struct ramp_slope_params p;
		struct ramp_slope s;
		u64 sent = 0, largest = 0, cost;
		int i, n;

		random_shape(&p);
		s = ramp_up(&p);
		for (i = 0; i < 300; i++) {
			n = unit_between(0, MEMBERS - 1);
			if (!taken[n]) {
				bytes[n] = unit_amount(12);
				pkts[n] = unit_amount(4);
				taken[n] = ramp_slope_admit(&s, &p, bytes[n],
							    pkts[n]);
				if (taken[n])
					ramp_slope_charge(&s, &p, bytes[n],
							  pkts[n]);
				continue;
			}
			taken[n] = false;
			cost = ramp_slope_cost(&p, bytes[n], pkts[n]);
			if (unit_chance(30)) {
				ramp_slope_uncharge(&s, &p, bytes[n], pkts[n]);
			} else {
				sent += cost;
				largest = cost > s.allowance && cost > largest ?
					  cost : largest;
			}
			unit_check(s.left <= s.allowance - s.paid,
				   "left %llu of %llu", s.left, s.allowance);
			unit_check(sent <= s.allowance - s.paid + largest,
				   "%llu left in a tick of %llu", sent,
				   s.allowance);
			if (unit_chance(10)) {
				memset(taken, 0, sizeof(taken));
				ramp_slope_advance(&s, &p, s.tick_end);
				sent = 0;
				largest = 0;
			}
		}
	}
}

/* After a change of the unit what is given back may be more than was taken. */
static void giving_back_makes_nothing(struct kunit *test)
{
	struct ramp_slope s = ramp_up(&two);

	ramp_slope_charge(&s, &two, MTU, 1);
	ramp_slope_uncharge(&s, &two, 40 * MTU, 40);
	assert_int_equal(s.left, s.allowance);
	assert_int_equal(s.used, 0);
	assert_int_equal(s.bytes, 0);
	assert_int_equal(s.pkts, 0);
}

UNIT_SUITE(rail,
	   UNIT_CASE(giving_back_undoes_the_charge),
	   UNIT_CASE(no_tick_gives_more_than_it_has),
	   UNIT_CASE(giving_back_makes_nothing));
