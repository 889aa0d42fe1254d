/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slew limiter: packets are whole
 *
 * So two adjacent ticks may differ by two packets more than what was paid in
 * them does. Where the bound has room for a few packets only, these are
 * counted, too.
 *
 * Nothing here locks: the caller serialises all calls for one limiter. Any
 * context.
 */
#ifndef _NET_RAMP_SLEW_WHOLE_H
#define _NET_RAMP_SLEW_WHOLE_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <net/ramp/slew_left.h>

/* Packets by which ticks may differ: with fewer, packets are counted whole. */
#define RAMP_SLEW_FEW		12

/* Ticks for which the longest packet is remembered. */
#define RAMP_SLEW_MEMORY	16

/* Sleeps after which the worst of them has faded to a third. */
#define RAMP_SLEW_FADES		32

/* Sleeps after which what was missed has faded to a third. */
#define RAMP_SLEW_MISSES	64

/* A budget for one packet, after which the clock is read again. */
#define RAMP_SLEW_SINGLE	1

/* By how much ticks may differ: where packets are counted, or the rate is
 * unknown, what leaves may be many times what the bound is a share of.
 */
static inline u64 ramp_slew_bound(const struct ramp_slew *s,
				  const struct ramp_slope_params *p)
{
	u64 rate = s->rate >> RAMP_SLEW_SHIFT;

	if (p->full && !p->packets)
		return p->bound;
	return max_t(u64, p->bound, (rate >> 3) + (rate >> 5) + p->packet);
}

/**
 * ramp_slew_fits - may a packet leave, as packets are whole?
 * @s: slew limiter that was settled
 * @p: parameters
 * @now: ns, when it is to leave
 * @until: ns, before that there is no room, unless there is now
 *
 * A packet belongs to each stretch of a tick that begins in the tick before it.
 * None of them may have more than the stretch before it and the bound. With
 * N(t) for what has left by t, that is N(now) <= bound + 2 N(t) - N(t - tick)
 * for each t in the last tick. What is on the right falls only when a packet
 * drops out at t - tick, so it is looked at there, and at the begin. Where two
 * packets are more than the bound, it is two packets: nobody does better. Late
 * timers make holes, and the bound is wider by what they hold back. Packets of
 * several sizes make holes, too: ramp_slew_misses().
 *
 * Return: whether @s->next may, or the longest packet if that is not known
 */
static inline bool ramp_slew_fits(struct ramp_slew *s,
				  const struct ramp_slope_params *p, u64 now,
				  u64 *until)
{
	u32 at = ramp_slew_seek(s, s->before, now - p->tick);
	u32 drops = ramp_slew_seek(s, s->older, now - 2 * p->tick);
	u32 low = 2 * *ramp_slew_gone(s, at) - *ramp_slew_gone(s, drops), n;
	u32 next = s->next ?: max(s->longest, s->unseen);
	u64 most = max3(ramp_slew_bound(s, p), 2ULL * s->longest, (u64)next);
	u64 time;

	/* The packet that goes out of the last tick next. */
	*until = now;
	if (s->head - at > 1)
		*until = ramp_slew_at(s, at + 1)->time + p->tick;
	if (s->head - drops > 1)
		s->older = drops;
	while (++drops != s->head) {
		time = ramp_slew_at(s, drops)->time + p->tick;
		if ((s64)(time - now) > 0)
			break;
		at = ramp_slew_seek(s, at, time);
		n = 2 * *ramp_slew_gone(s, at) - *ramp_slew_gone(s, drops);
		if ((s32)(n - low) < 0) {
			low = n;
			*until = time + p->tick;
		}
	}
	/* After a hole more has to leave than before it, for a climb. */
	if (s->longest > s->shortest)
		most += min(s->missed, s->longest - s->shortest);
	most += mul_u64_u64_div_u64(s->rate, 2 * s->late, p->tick) >>
		RAMP_SLEW_SHIFT;
	return (s32)(s->whole - low) + (s64)next <= (s64)most;
}

/* How long packets are. */
static inline void ramp_slew_measure(struct ramp_slew *s,
				     const struct ramp_slope_params *p, u64 now)
{
	if (now - s->begun >= RAMP_SLEW_MEMORY * p->tick) {
		s->longest = s->recent;
		s->recent = 0;
		s->shortest = s->brief;
		s->brief = U32_MAX;
		s->unseen = 0;
		s->begun = now;
	}
	s->longest = max(s->longest, s->recent);
	s->shortest = min(s->shortest, s->brief);
}

/* How late timers are of late: the worst of them, which fades. */
static inline void ramp_slew_wakes(struct ramp_slew *s,
				   const struct ramp_slope_params *p, u64 now)
{
	u64 late = now > s->wake ? min(now - s->wake, p->tick) : 0;

	s->late -= s->late / RAMP_SLEW_FADES + !!s->late;
	s->late = max(s->late, late);
}

/* A queue that had to wait as packets are whole lost @over parts, for which the
 * bucket had no room. That is a hole, and makes another one when it is a tick
 * old: what follows it must not be more than is in it. Packets of one size fit
 * without, as they leave in a pattern; those of many have none, and each climb
 * would end where it loses what it gains. So the bound is wider for them by
 * sixteen times what was lost (with four times some mixtures still do not
 * climb: tried with test_slew), and at most by what they differ.
 */
static inline void ramp_slew_misses(struct ramp_slew *s, s64 over)
{
	u64 lost = 16 * (max_t(s64, over, 0) >> RAMP_SLEW_SHIFT);

	if (!s->misfit)
		return;
	s->missed -= s->missed / RAMP_SLEW_MISSES + !!s->missed;
	s->missed = max_t(u64, s->missed, min_t(u64, lost, s->longest));
}

/* How many of the tokens may be used now, as packets are whole. Where there are
 * only few in a tick, it is known of each when it left. @until: when to look
 * again if it is none although there are some, else 0.
 */
static inline s64 ramp_slew_usable(struct ramp_slew *s,
				   const struct ramp_slope_params *p, u64 now,
				   u64 *until)
{
	*until = 0;
	ramp_slew_measure(s, p, now);
	/* A long packet that was let pass whole is a jump anyway. */
	if (s->tokens <= 0 || !p->bound || s->longest > 2 * p->packet ||
	    ramp_slew_bound(s, p) >=
	    (u64)RAMP_SLEW_FEW * max(s->longest, s->unseen))
		return s->tokens;
	if (ramp_slew_fits(s, p, now, until)) {
		*until = 0;
		return ramp_slew_parts(RAMP_SLEW_SINGLE);
	}
	return 0;
}

#endif /* _NET_RAMP_SLEW_WHOLE_H */
