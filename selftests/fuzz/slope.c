// SPDX-License-Identifier: GPL-2.0
/* Ramps: each tick allows what its number says, in 128 bits, no more leaves than
 * that, and every ramp ends, whatever turns, comes late or changes.
 */
#include "gate.h"

static u64 now;

/* What a tick of the present ramp allows. */
static u64 wanted(u64 index)
{
	u128 top = p.full && !p.packets && !s.drain ? p.full :
						      RAMP_ALLOWANCE_MAX;
	u64 flat = (u64)s.pause + s.hold;
	u128 fall, level = s.base;

	if (s.dir == RAMP_UP) {
		if (index < s.pause)
			return 0;
		if (index >= flat)
			level += (u128)s.step * (index - flat);
		return level < top ? level : top;
	}
	fall = (u128)s.down_step * index;
	level = level > fall ? level - fall : 0;
	return level > p.floor ? level : p.floor;
}

static void check_steps(void)
{
	fuzz_check(s.step >= 1 && s.step <= p.step);
	fuzz_check(s.down_step >= 1 && s.down_step <= p.down_step);
	if (!p.adaptive)
		fuzz_check(s.step == p.step && s.down_step == p.down_step);
	else
		fuzz_check(s.step >= p.step / 4 && s.part <= RAMP_STEP_WHOLE);
}

static void begin(enum ramp_dir dir)
{
	u64 took = unit_amount(34) - 1, base = gate_amount();
	bool turn = s.dir != RAMP_NONE;

	ramp_slope_begin(&s, &p, dir, base, ramp_slope_part(took, p.window),
			 unit_amount(20), now);
	check_steps();
	if (!turn) {
		fuzz_check(s.allowance == wanted(0));
		fuzz_check(s.left == s.allowance && !s.owed);
		gate_anew();
	}
	fuzz_check(!turn || (!s.pause && !s.hold));
}

/* Where the ramp is by now. A tick at the full rate is its last. */
static void advance(void)
{
	u64 index = s.index, over, end, missed, i;
	bool drained = s.drain, waited = s.waited;
	struct ramp_slope was = s;

	now = s.tick_end;
	if (unit_chance(20))
		now += unit_between(0, 40) * p.tick + unit_between(0, 1000);
	over = ramp_slope_advance(&s, &p, now);
	fuzz_check(over >= 1);
	if (s.dir == RAMP_NONE) {
		end = s.tick_end;
		fuzz_check(end <= now && !waited);
		if (drained) {
			fuzz_check(over == 1);
			return;
		}
		/* It reached the full rate, or its time was over. */
		s = was;
		if (p.full && !p.packets && !p.life)
			fuzz_check(wanted(index + over - 1) == p.full ||
				   s.base >= p.full);
		s.dir = RAMP_NONE;
		return;
	}
	fuzz_check(s.tick_end > now && s.tick_end - now <= p.tick);
	/* It is over, and goes on from its last tick. */
	if (s.drain && !drained) {
		fuzz_check(waited && s.dir == RAMP_UP && s.index >= 1 &&
			   s.index <= over);
		fuzz_check(s.allowance == wanted(s.index));
		fuzz_check(s.left + s.paid == s.allowance && !s.used);
		gate_anew();
		return;
	}
	fuzz_check(s.index == index + over);
	for (i = 1, missed = s.index; i < over; i++)
		allowed += wanted(--missed);
	fuzz_check(s.allowance == wanted(s.index));
	fuzz_check(s.left + s.paid == s.allowance && !s.used);
	allowed += s.allowance;
	gate_check();
	i = (u64)s.pause + s.hold;
	if (s.dir == RAMP_UP && p.full && !p.packets && !s.drain && s.index > i)
		fuzz_check(s.base + (u128)s.step * (s.index - 1 - i) < p.full);
	if (s.dir == RAMP_DOWN)
		fuzz_check(s.allowance >= p.floor);
}

static void change(void)
{
	struct ramp_slope_params old = p;
	u64 left = s.left, end = s.tick_end;

	gate_params(true);
	ramp_slope_change(&s, &old, &p, unit_between(64, 65536));
	check_steps();
	fuzz_check(s.tick_end == end);
	if (old.packets == p.packets)
		fuzz_check(s.left == left);
	else
		fuzz_check(p.packets ? s.left <= left : s.left >= left);
	gate_anew();
}

/* What is held back, summed up. */
static void held_back(void)
{
	u32 mtu = unit_between(64, 65536), i = 0;
	u128 sum = 0, level, step = p.step, extra = 0;

	if (!p.full) {
		fuzz_check(!ramp_slope_holds_back(&p, mtu));
		return;
	}
	if (p.adaptive)
		step = step / 4 ? step / 4 : 1;
	step *= p.packets ? mtu : 1;
	level = (u128)p.start * (p.packets ? mtu : 1);
	sum = (u128)p.full * p.pause;
	if (level < p.full)
		sum += (p.full - level) * p.hold;
	if (!p.packets && level > mtu)
		extra += p.hold;
	for (; level < p.full && i < 4096; i++, level += step) {
		sum += p.full - level;
		extra += !p.packets;
	}
	sum = (sum + mtu - 1) / mtu + extra;
	if (i < 4096 && sum < U32_MAX && step < RAMP_ALLOWANCE_MAX)
		fuzz_check(ramp_slope_holds_back(&p, mtu) == sum);
	else
		ramp_slope_holds_back(&p, mtu);
}

static void fuzz_one(void)
{
	u64 product;

	memset(&s, 0xa5, sizeof(s));
	s.dir = RAMP_NONE;
	now = unit_chance(30) ? UNIT_LATE_CLOCK - 3600 * NSEC_PER_SEC :
				unit_amount(60);
	gate_params(true);
	held_back();
	product = unit_amount(64 - 1);
	fuzz_check(ramp_sat_mul(product, p.start, RAMP_ALLOWANCE_MAX) ==
		   ((u128)product * p.start < RAMP_ALLOWANCE_MAX ?
		    product * p.start : RAMP_ALLOWANCE_MAX));
	fuzz_check(ramp_per_tick(p.step, p.tick) ==
		   (u64)((u128)p.step * p.tick / NSEC_PER_SEC));

	while (fuzz_more()) {
		if (s.dir == RAMP_NONE || unit_chance(3))
			begin(unit_chance(50) ? RAMP_UP : RAMP_DOWN);
		gate_packets();
		fuzz_check(ramp_slope_reach(&s) >= s.level);
		if (unit_chance(5))
			change();
		if (unit_chance(3))
			ramp_slope_drain(&s, &p);
		if (s.dir == RAMP_DOWN)
			ramp_slope_stalled(&s, &p, unit_amount(20), now);
		advance();
	}
}
