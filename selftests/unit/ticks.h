/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of ramps share: ramps of the document, and a caller that asks
 * for one tick after the other.
 */
#ifndef _UNIT_TICKS_H
#define _UNIT_TICKS_H

#include "unit.h"
#include <linux/compiler.h>
#include <net/ramp/slope_change.h>
#include <net/ramp/slope_held.h>

#define TICK	(100 * NSEC_PER_USEC)
#define WINDOW	(10 * NSEC_PER_MSEC)
#define T0	(3 * HOUR)
#define MTU	1500

/* "start 2p step 2p": the document's example */
static const struct ramp_slope_params two __maybe_unused = {
	.start = 2, .step = 2, .down_step = 2, .floor = 2,
	.tick = TICK, .window = WINDOW, .packets = true,
};

/* The default, 5 % and 5 %, at 10 Gbit/s */
static const struct ramp_slope_params five __maybe_unused = {
	.start = 6250, .step = 6250, .down_step = 6250, .floor = 6250,
	.full = 125000, .tick = TICK, .window = WINDOW,
};

/* What an earlier ramp left behind must mean nothing to the next. */
static inline struct ramp_slope idle(void)
{
	struct ramp_slope s;

	memset(&s, 0xa5, sizeof(s));
	s.dir = RAMP_NONE;
	return s;
}

static inline void begin_ramp(struct ramp_slope *s,
			      const struct ramp_slope_params *p,
			      enum ramp_dir dir, u64 base, u32 queued, u64 now)
{
	ramp_slope_begin(s, p, dir, base, RAMP_STEP_WHOLE, queued, now);
}

static inline struct ramp_slope ramp_up(const struct ramp_slope_params *p)
{
	struct ramp_slope s = idle();

	begin_ramp(&s, p, RAMP_UP, 0, 0, T0);
	return s;
}

static inline struct ramp_slope ramp_down(const struct ramp_slope_params *p,
					  u64 base)
{
	struct ramp_slope s = idle();

	begin_ramp(&s, p, RAMP_DOWN, base, 1000, T0);
	return s;
}

/* The next tick, by a caller that is on time. */
static inline u64 next(struct ramp_slope *s, const struct ramp_slope_params *p)
{
	ramp_slope_advance(s, p, s->tick_end);
	return s->allowance;
}

/* As many packets as the tick lets go of. */
static inline int drain(struct ramp_slope *s, const struct ramp_slope_params *p,
			u32 bytes, u32 pkts)
{
	int count = 0;

	while (ramp_slope_admit(s, p, bytes, pkts)) {
		ramp_slope_charge(s, p, bytes, pkts);
		count++;
	}
	return count;
}

#endif /* _UNIT_TICKS_H */
