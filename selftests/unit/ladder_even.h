/* SPDX-License-Identifier: GPL-2.0 */
/* Steps that are as far from each other as all others. */
#ifndef _UNIT_LADDER_EVEN_H
#define _UNIT_LADDER_EVEN_H

#include "unit.h"
#include <net/ramp/ladder.h>

/* Steps at @every hundredths of a percent, with rates 500 apart. */
static inline u32 resolve_even(struct ramp_ladder_params *p, u32 n,
			       u32 every, u32 adjust, u32 limit)
{
	u32 at[RAMP_LADDER_MAX + 1], x;

	*p = (struct ramp_ladder_params){ .n = n };
	for (x = 0; x <= n; x++) {
		at[x] = x * every;
		p->rate[x] = RAMP_WHOLE - x * 500;
	}
	return ramp_ladder_resolve(p, at, adjust, limit);
}

#endif /* _UNIT_LADDER_EVEN_H */
