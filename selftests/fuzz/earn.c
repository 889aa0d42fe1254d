// SPDX-License-Identifier: GPL-2.0
/* What a rate earns: exact, and never less at a later time. */
#include "fuzz.h"
#include <net/ramp/earn.h>

static u128 earned(u64 rate, u64 interval, u64 elapsed)
{
	if (interval)
		elapsed -= elapsed % interval;
	return (u128)rate * elapsed / NSEC_PER_SEC;
}

static void fuzz_one(void)
{
	u64 rate = unit_amount(40);
	u64 interval = unit_chance(50) ? unit_amount(40) : 0;
	u64 base = unit_random(), elapsed, now;
	struct ramp_earn e;
	u128 last = 0;

	ramp_earn_set(&e, rate, interval, base);
	for (elapsed = 0; fuzz_more();) {
		now = base + elapsed;
		fuzz_check(ramp_earn_elapsed(&e, now) == elapsed);
		fuzz_check(ramp_earned(&e, elapsed) ==
			   (u64)earned(rate, interval, elapsed));
		fuzz_check(earned(rate, interval, elapsed) >= last);
		last = earned(rate, interval, elapsed);
		fuzz_check(!ramp_earn_elapsed(&e, base - unit_amount(62)));
		elapsed = min_t(u64, elapsed + unit_amount(62), S64_MAX);
	}
}
