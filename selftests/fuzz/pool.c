// SPDX-License-Identifier: GPL-2.0
/* Pools: whatever is taken, filled and drained, the books of somebody who notes
 * each of it agree.
 */
#include "fuzz.h"
#include <net/ramp/pool.h>

static void fuzz_one(void)
{
	atomic64_t pool = { 0 };
	s64 left = 0;

	while (fuzz_more()) {
		u64 amount = unit_amount(32), least;
		bool may;

		if (unit_chance(30)) {
			fuzz_check(ramp_pool_drain(&pool) == left);
			left = unit_amount(62);
			ramp_pool_fill(&pool, left);
		}
		least = unit_chance(50) ? 1 : amount;
		may = left >= (s64)least;
		fuzz_check(ramp_pool_take(&pool, amount, least) == may);
		left -= may ? amount : 0;
		fuzz_check(left > -(1LL << 32));
	}
	fuzz_check(ramp_pool_drain(&pool) == left);
	fuzz_check(!ramp_pool_drain(&pool));
}
