// SPDX-License-Identifier: GPL-2.0
/* Classes and ranks of ports against the percentages that they stand for. */
#include "fuzz.h"
#include <net/ramp/fullness.h>

static bool good(const struct ramp_classes *c)
{
	u32 i, last = 0;

	for (i = 0; i < c->count && i < RAMP_CLASS_BOUNDS; i++) {
		if (c->bound[i] <= last || c->bound[i] > 100)
			return false;
		last = c->bound[i];
	}
	return c->count >= 1 && c->count <= RAMP_CLASS_BOUNDS;
}

static u64 rank_of(const struct ramp_classes *c, u64 waiting, u64 capacity)
{
	u64 percent = 100 * waiting / capacity, class = 0;

	if (waiting >= capacity)
		return RAMP_RANK_FULL + (percent < RAMP_PERCENT_MAX ? percent :
					 RAMP_PERCENT_MAX);
	while (class < c->count && percent >= c->bound[class])
		class++;
	return class;
}

static void fuzz_one(void)
{
	struct ramp_classes c = { .count = unit_between(0, 9) };
	u64 capacity, waiting;
	struct ramp_scale s;
	u32 i, until, rank;

	for (i = 0; i < RAMP_CLASS_BOUNDS; i++)
		c.bound[i] = unit_between(0, 255);
	fuzz_check((ramp_classes_check(&c) == RAMP_CLASSES_GOOD) == good(&c));
	if (!good(&c)) {
		/* Bounds that can be, at whatever distance. */
		c.count = 1 + c.count % RAMP_CLASS_BOUNDS;
		for (i = 0; i < c.count; i++)
			c.bound[i] = 1 + i * 14 + c.bound[i] % 14;
		fuzz_check(ramp_classes_check(&c) == RAMP_CLASSES_GOOD);
	}

	capacity = unit_amount(40) - 1;
	ramp_scale_set(&s, &c, capacity);
	capacity = capacity ? capacity : 1;
	capacity = capacity < RAMP_CAPACITY_MAX ? capacity : RAMP_CAPACITY_MAX;
	fuzz_check(s.capacity == capacity);

	while (fuzz_more()) {
		waiting = unit_chance(30) ? capacity + unit_between(0, 2) - 1 :
			  unit_chance(30) ? unit_between(0, 100) * capacity /
					    100 : unit_amount(32) - 1;
		waiting &= U32_MAX;
		rank = ramp_scale_rank(&s, waiting);
		fuzz_check(rank == rank_of(&c, waiting, capacity));
		until = ramp_scale_until(&s, waiting);
		fuzz_check(until);
		if (until == U32_MAX || waiting + until > U32_MAX)
			continue;
		fuzz_check(ramp_scale_rank(&s, waiting + until - 1) == rank);
		fuzz_check(ramp_scale_rank(&s, waiting + until) > rank ||
			   rank == RAMP_RANK_FULL + RAMP_PERCENT_MAX);
	}
}
