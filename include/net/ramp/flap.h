/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flaps: moves that were for nothing
 *
 * A loop that steps to and fro follows noise. Whoever moves by thresholds
 * counts the moves that undo the last one soon after it, so that thresholds
 * that are too close, or a dwell that is too short, can be seen.
 *
 * Nothing here locks: the caller serialises all calls for one counter. Any
 * context.
 */
#ifndef _NET_RAMP_FLAP_H
#define _NET_RAMP_FLAP_H

#include <linux/types.h>

/* A move that undoes the last one is a flap for so many times dwell. */
#define RAMP_FLAP_DWELLS	10

/**
 * struct ramp_flap - the last move, and what was undone; all 0 to begin with
 * @moved: there was a move
 * @from: where the last one came from
 * @at: ns, when it was
 * @flaps: moves that undid the one before them
 */
struct ramp_flap {
	bool	moved;
	u32	from;
	u64	at;
	u64	flaps;
};

/**
 * ramp_flap_move - there is a move
 * @f: counter
 * @from: where it begins
 * @to: where it ends
 * @dwell: ns, at most 60 s
 * @now: ns
 */
static inline void ramp_flap_move(struct ramp_flap *f, u32 from, u32 to,
				  u64 dwell, u64 now)
{
	if (f->moved && to == f->from &&
	    now - f->at <= RAMP_FLAP_DWELLS * dwell)
		f->flaps++;
	f->moved = true;
	f->from = from;
	f->at = now;
}

#endif /* _NET_RAMP_FLAP_H */
