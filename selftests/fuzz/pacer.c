// SPDX-License-Identifier: GPL-2.0
/* The pacer against the same bucket in 128 bits, with a clock that steps back and
 * rates that change: no more than rate x period + depth in any period, whoever waits
 * until he is told may send, and a bucket that is said to be full is.
 */
#include "fuzz.h"
#include <net/ramp/pacer.h>

static struct {
	u128	rate;
	u64	depth;
	u64	time;		/* ns, that passed for the bucket */
	u64	base;		/* of them, when the rate began to count */
	u64	seen;
	s128	tokens;
} wide;

static u128 wide_earned(u64 t)
{
	return wide.rate * (t - wide.base) / NSEC_PER_SEC;
}

static void wide_look(void)
{
	wide.tokens += wide_earned(wide.time) - wide_earned(wide.seen);
	if (wide.tokens > (s128)wide.depth)
		wide.tokens = wide.depth;
	wide.seen = wide.time;
}

/* A share of one; no share is none. */
static u64 rate(void)
{
	u64 whole = unit_amount(40), rate;
	u32 share = unit_chance(10) ? 0 : unit_between(1, RAMP_PACER_WHOLE);

	rate = ramp_pacer_rate(whole, share);
	fuzz_check(rate <= whole && !rate == !share);
	fuzz_check((u128)rate * RAMP_PACER_WHOLE <= (u128)whole * share ||
		   rate == 1);
	return rate;
}

/* Any, or one that has room for a packet and what a late timer leaves. */
static u64 depth(void)
{
	u32 tick = unit_between(50 * NSEC_PER_USEC, NSEC_PER_SEC);
	u32 packet = unit_amount(17);
	u64 depth;

	if (unit_chance(50))
		return unit_amount(32);
	depth = ramp_pacer_depth(wide.rate, tick, packet);
	fuzz_check((u128)(depth - packet) * NSEC_PER_SEC >=
		   (u128)(u64)wide.rate * tick);
	return depth;
}

static void fuzz_one(void)
{
	u64 now = unit_chance(30) ? UNIT_LATE_CLOCK : unit_amount(62), wait;
	s128 lead = 0, least = 0;
	struct ramp_pacer p;
	u64 last, biggest = 0;

	wide.rate = rate();
	wide.depth = depth();
	wide.time = now;
	wide.base = now;
	wide.seen = now;
	wide.tokens = 0;
	ramp_pacer_init(&p, wide.rate, wide.depth, now);

	while (fuzz_more()) {
		u32 bytes = unit_amount(unit_chance(10) ? 31 : 17);
		u64 need = bytes < wide.depth ? bytes : wide.depth;
		bool may, filled, look;

		wait = unit_chance(30) ? 0 : unit_amount(unit_chance(10) ? 56 :
							 34);
		if (unit_chance(5)) {
			/* It stands still, and goes on from there. */
			now -= unit_amount(60);
		} else {
			now += wait;
			wide.time += wait;
		}
		filled = unit_chance(50) && ramp_pacer_filled(&p, now);
		look = !filled || unit_chance(50);
		last = wide.seen;
		wide_look();
		/* Sent less what was earned; of a rate for a time rounded up. */
		lead -= (s128)wide.rate * (wide.time - last);
		least = lead < least ? lead : least;

		if (filled) {
			fuzz_check(wide.rate && wide.tokens == (s128)wide.depth);
			/* What passed since the last look is in no sum. */
			wide.time = last;
			wide.seen = last;
		}

		may = wide.rate && wide.tokens >= (s128)need;
		if (look) {
			fuzz_check(ramp_pacer_admit(&p, bytes, now) == may);
			fuzz_check(ramp_pacer_look(&p, now) == (s64)wide.tokens);
			fuzz_check(ramp_pacer_look(&p, now) <= (s64)wide.depth);
		}
		if (may) {
			fuzz_check(!look || ramp_pacer_when(&p, bytes) == now);
			ramp_pacer_charge(&p, bytes);
			wide.tokens -= bytes;
			biggest = bytes > biggest ? bytes : biggest;
			biggest = wide.depth > biggest ? wide.depth : biggest;
			lead += (s128)bytes * NSEC_PER_SEC;
			fuzz_check(lead - least < (s128)(biggest + 1) *
				   (s128)NSEC_PER_SEC);
		} else if (!wide.rate) {
			fuzz_check(ramp_pacer_when(&p, bytes) == U64_MAX);
		} else {
			u64 when = ramp_pacer_when(&p, bytes) - now;
			u128 then = wide_earned(wide.time + when) -
				    wide_earned(wide.time);

			/* Enough by then, and not more than a byte late. */
			fuzz_check(wide.tokens + (s128)then >= (s128)need);
			fuzz_check(when && (u128)(when - 1) * wide.rate <=
				   (u128)((s128)need - wide.tokens) *
				   NSEC_PER_SEC);
		}
		if (unit_chance(10)) {
			wide.base = wide.time;
			wide.rate = rate();
			wide.depth = depth();
			wide.tokens = wide.tokens < (s128)wide.depth ?
				      wide.tokens : (s128)wide.depth;
			ramp_pacer_change(&p, wide.rate, wide.depth, now);
			/* Less than a byte of what was earned is lost. */
			lead = 0;
			least = 0;
			biggest = 0;
		}
	}
}
