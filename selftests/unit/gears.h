/* SPDX-License-Identifier: GPL-2.0 */
/* What tests of gears share: the prototype of NetFridgeS, 4.1 and 5.2. */
#ifndef _UNIT_GEARS_H
#define _UNIT_GEARS_H

#include "unit.h"
#include <linux/compiler.h>
#include <net/ramp/gears.h>

#define GEARS		6
#define LIMIT		1000
#define DWELL		10000000ULL	/* ns */
#define GBIT		125000000ULL	/* bytes/s */

/* 50 MHz are "only used when there is no traffic"; its rate is ours. */
static const u64 gears_rate[GEARS] __maybe_unused = {
	30 * GBIT, 60 * GBIT, 100 * GBIT, 140 * GBIT, 180 * GBIT, 200 * GBIT,
};

/* All gears, 70 % and 20 % of LIMIT. */
static inline struct ramp_gears_params gears_params(u32 n)
{
	struct ramp_gears_params p = {
		.n = n, .min = 1, .max = n - 1, .top = n - 1, .dwell = DWELL,
	};
	u16 up[RAMP_GEARS_MAX], down[RAMP_GEARS_MAX];
	u32 i;

	for (i = 0; i < n; i++) {
		up[i] = 7000;
		down[i] = 2000;
	}
	ramp_gears_resolve(&p, up, down, LIMIT);
	return p;
}

/* The gears of a test, and its clock. */
static struct ramp_gears_params p;
static struct ramp_gears g;
static u64 now;

static inline void begin_at(u32 gear)
{
	p = gears_params(GEARS);
	now = HOUR;
	ramp_gears_init(&g, &p, now);
	while (g.gear > gear) {
		now += HOUR;
		assert_int_equal(ramp_gears_move(&g, &p, 0, now),
				 RAMP_GEARS_OCCUPANCY);
	}
	assert_int_equal(g.gear, gear);
	now += HOUR;
}

static inline enum ramp_gears_why move(u32 occupancy)
{
	return ramp_gears_move(&g, &p, occupancy, now);
}

static inline enum ramp_gears_why change(u32 occupancy)
{
	return ramp_gears_change(&g, &p, occupancy, now);
}

#endif /* _UNIT_GEARS_H */
