/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the targets of slopes share: parameters, packets that are let through, and
 * an account: over any ticks no more leaves than they allow together and is owed.
 */
#ifndef _FUZZ_GATE_H
#define _FUZZ_GATE_H

#include "fuzz.h"
#include <net/ramp/slope_change.h>
#include <net/ramp/slope_held.h>

static struct ramp_slope_params p;
static struct ramp_slope s;
/* In the unit of the amounts, since the last change of it. */
static u128 sent, allowed;
static u64 owed;

static inline u64 gate_amount(void)
{
	return unit_chance(70) ? unit_amount(20) : unit_amount(40);
}

static inline void gate_params(bool unit)
{
	p.start = gate_amount();
	p.step = gate_amount();
	p.down_step = gate_amount();
	p.floor = gate_amount();
	p.full = unit_chance(20) ? 0 : gate_amount();
	p.tick = unit_between(50 * NSEC_PER_USEC, NSEC_PER_SEC);
	p.window = unit_between(NSEC_PER_MSEC, 10 * NSEC_PER_SEC);
	p.pause = unit_chance(70) ? 0 : unit_amount(17);
	p.hold = unit_chance(70) ? 0 : unit_amount(20);
	p.life = unit_chance(80) ? 0 : unit_amount(26);
	p.adaptive = unit_chance(30);
	if (unit)
		p.packets = unit_chance(50);
}

/* What has been sent counts from now on. */
static inline void gate_anew(void)
{
	sent = 0;
	allowed = s.left;
	owed = s.owed;
}

static inline void gate_check(void)
{
	fuzz_check(s.allowance <= RAMP_ALLOWANCE_MAX);
	fuzz_check(s.left + s.paid <= s.allowance || !s.paid);
	/* sent <= allowed, but for what is owed */
	fuzz_check(sent + owed <= allowed + s.owed);
}

/* Packets until one has to wait, or none comes. */
static inline void gate_packets(void)
{
	u64 begin = s.left, used = s.used, cost;

	while (unit_chance(80)) {
		u32 bytes = unit_amount(17), pkts = unit_amount(6);
		u64 left = s.left, waits = s.owed;
		struct ramp_slope before;
		bool fits;

		cost = p.packets ? pkts : bytes;
		fits = cost <= s.left;
		if (!ramp_slope_admit(&s, &p, bytes, pkts)) {
			fuzz_check(!fits && s.waited);
			/* Nobody waits for what no tick would ever allow. */
			fuzz_check(!s.left || cost <= s.allowance);
			continue;
		}
		fuzz_check(fits || cost > s.allowance);
		before = s;
		ramp_slope_charge(&s, &p, bytes, pkts);
		/* As if nothing had been. */
		if (unit_chance(10)) {
			ramp_slope_uncharge(&s, &p, bytes, pkts);
			fuzz_check(!memcmp(&s, &before, sizeof(s)));
			continue;
		}
		sent += cost;
		fuzz_check(fits ? s.left == left - cost && s.owed == waits :
				  !s.left && s.owed == waits + cost - left);
		fuzz_check(!fits || s.used - used <= begin);
		gate_check();
	}
}

#endif /* _FUZZ_GATE_H */
