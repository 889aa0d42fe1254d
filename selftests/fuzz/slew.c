// SPDX-License-Identifier: GPL-2.0
/* The slew limiter: whatever is sent, given back and changed, whenever it is asked: what
 * it says is a budget or a time to come, and over any time no more leaves than a rate
 * that climbs by a step per tick allows, but for one packet that is owed.
 */
#include "gate.h"
#include <net/ramp/slew.h>

static struct ramp_slew w;
static u64 now, began, last;
static bool shut;

/* A change that keeps ticks and units keeps what is earned since the last look. */
static void anew(void)
{
	sent = 0;
	began = w.last;
	allowed = ramp_slew_allowance(&w);
	last = 0;
}

/* A tick's worth at the rate that was, and of each tick since one that is a step more. */
static void check(void)
{
	u128 ticks = (now - began) / p.tick + 2;
	u128 most = allowed * ticks + (u128)p.start * ticks +
		    (u128)p.step * ticks * (ticks + 1) / 2 + last;

	fuzz_check(ticks > 1000000 || sent <= most + (u128)2 * p.step);
}

static void params(u32 mtu)
{
	u32 whole, waits;

	gate_params(true);
	/* Not that of the input before. */
	p.packet = 0;
	p.bound = 0;
	p.most = 0;
	if (unit_chance(50))
		ramp_slew_stretch(&p, mtu);
	whole = ramp_slew_whole(&p, mtu);
	waits = ramp_slew_holds_back(&p, mtu);
	fuzz_check(whole >= mtu && !waits == !p.full);
}

static void look(void)
{
	bool open = ramp_slew_look(&w, &p, shut, unit_chance(50), now);

	fuzz_check(open == (w.budget > 0) && w.granted == w.budget);
	fuzz_check(open || w.wake > now);
	/* Nobody sleeps for a tick after there was something for him. */
	if (!open && w.wake - now > p.tick + w.rest) {
		struct ramp_slew early = w;

		fuzz_check(!ramp_slew_look(&early, &p, true, false,
					   w.wake - p.tick - w.rest));
	}
	fuzz_check(w.before + 1 < w.head &&
		   w.head - w.before <= RAMP_SLEW_POINTS);
	shut = !open;
}

static void fuzz_one(void)
{
	memset(&w, 0xa5, sizeof(w));
	now = unit_chance(30) ? UNIT_LATE_CLOCK - 1000 * HOUR :
				NSEC_PER_SEC * 2 + unit_amount(60);
	params(unit_between(64, 65536));
	shut = false;
	ramp_slew_begin(&w, &p, gate_amount(), now);
	anew();
	while (fuzz_more()) {
		u32 bytes = unit_amount(17), pkts = unit_amount(6);
		u64 cost = p.packets ? pkts : bytes;

		if (w.budget <= 0) {
			if (shut)
				now = unit_chance(80) ? w.wake :
				      w.wake + unit_amount(36);
			look();
		}
		if (w.budget > 0) {
			ramp_slew_charge(&w, &p, bytes, pkts);
			if (unit_chance(10)) {
				ramp_slew_uncharge(&w, &p, bytes, pkts);
			} else {
				sent += cost;
				last = cost > last ? cost : last;
			}
		}
		check();
		now += unit_chance(50) ? unit_amount(12) : unit_amount(30);
		if (unit_chance(2)) {
			struct ramp_slope_params old = p;
			u32 mtu = unit_between(64, 65536);

			params(mtu);
			ramp_slew_change(&w, &old, &p, mtu, now);
			shut = false;
			anew();
		}
	}
}
