/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ladder: which rate an occupancy asks for, with thresholds that give way
 *
 * US 7298703, [0043] and [0044]: a buffer that fills past one of
 * the quantities Q(1)..Q(n) asks for a lower rate, one that empties past it for
 * a higher one. A quantity that hovers around a fixed threshold would send a
 * code each time it crosses. So the threshold that was crossed is moved away
 * by, for example, 3 %: down after a rise, up after a fall.
 *
 * Q(x) belongs to the step from level x - 1 to level x, TR(x) is what level x
 * asks for, TR(0) is the full rate. The document's TR(1) is our TR(0), its Q(1)
 * of FIG. 3b, 0, is implied, and its Q(x + 1) and TR(x + 1) are our Q(x) and
 * TR(x). FIG. 3a compares for equality, as its quantity moves by one at a time,
 * FIG. 3b with ranges. Here rising is >= and falling is <=, which is FIG. 3a
 * for moves by one, and any move over several steps is one move, which is FIG.
 * 3b.
 *
 * Errata of the document, by its own text elsewhere ([0044], [0047], [0053] and
 * [0058]): [0057] has a rising quantity ask for a higher rate; [0063] and FIG.
 * 4b lower a threshold when the rate has become greater, which is when the
 * quantity fell, and raise one when it rose; the last sentence of [0044] raises
 * Q(x) for a fall into R(x + 1), which crossed Q(x + 2).
 *
 * A threshold is either the raised one, which is what was configured, or the
 * lowered one, which follows from it: which of the two is a matter of the level
 * alone. Nothing is ever added to a threshold, so none can drift.
 *
 * What that saves cannot be counted here: other codes would have made another
 * occupancy. A test of the qdisc measures it side by side.
 *
 * Occupancy and thresholds are skbs, rates hundredths of a percent. Nothing
 * here locks: the caller serialises all calls for one ladder. Any context.
 */
#ifndef _NET_RAMP_LADDER_H
#define _NET_RAMP_LADDER_H

#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/ramp.h>
#include <linux/types.h>
#include <net/ramp/flap.h>
#include <net/ramp/share.h>

/**
 * struct ramp_ladder_params - the steps of a ladder
 * @n: steps, 0 .. RAMP_LADDER_MAX; 0: no ladder
 * @up: skbs, by step from 1: at or above it the level rises to that step
 * @down: skbs, by step from 1: at or below it the level falls from that step;
 *	@up[x - 1] < @down[x] < @up[x]
 * @rate: hundredths of a percent, by level from 0; @rate[0] is
 *	RAMP_WHOLE
 */
struct ramp_ladder_params {
	u32	n;
	u32	up[RAMP_LADDER_MAX + 1];
	u32	down[RAMP_LADDER_MAX + 1];
	u32	rate[RAMP_LADDER_MAX + 1];
};

/**
 * struct ramp_ladder - where a band is on its ladder
 * @min: least occupancy that crosses no step
 * @max: greatest occupancy that crosses no step
 * @level: steps that are climbed, 0 .. @n
 * @codes: codes that the ladder made
 * @flap: moves that undid the last one
 */
struct ramp_ladder {
	u32			min;
	u32			max;
	u32			level;
	u64			codes;
	struct ramp_flap	flap;
};

/* How far a threshold gives way. */
static inline u32 ramp_ladder_give(u32 up, u32 adjust)
{
	return max_t(u32, 1, div_u64((u64)up * adjust, RAMP_WHOLE));
}

/**
 * ramp_ladder_resolve - turn shares of a limit into skbs
 * @p: @n and @rate are set, the rest is filled in
 * @at: hundredths of a percent of @limit, by step from 1, ascending,
 *	1 .. RAMP_WHOLE
 * @adjust: hundredths of a percent of a threshold, how far it gives way;
 *	less than RAMP_WHOLE
 * @limit: skbs, at least 1
 *
 * Each raised threshold needs a lowered one between it and the raised one of
 * the step before. A step that has no room is moved, and gives way by less,
 * such that no two pass each other, and that the topmost can be reached if
 * @limit is at least 2 * @n - 1. So @p is good in any case; a caller whose user
 * named these numbers refuses instead.
 *
 * Return: 0, or the first step that had to be moved, from 1
 */
static inline u32 ramp_ladder_resolve(struct ramp_ladder_params *p,
				      const u32 *at, u32 adjust, u32 limit)
{
	u32 x, moved = 0;

	p->up[0] = 0;
	p->down[0] = 0;

	for (x = 1; x <= p->n; x++) {
		u32 above = 2 * (p->n - x);
		u32 least = x > 1 ? p->up[x - 1] + 2 : 1;
		u32 want = ramp_share(limit, at[x]), give;

		p->up[x] = max(want, least);
		if (limit >= above + least)
			p->up[x] = min(p->up[x], limit - above);
		least = x > 1 ? p->up[x - 1] + 1 : 0;

		give = ramp_ladder_give(p->up[x], adjust);
		p->down[x] = max(p->up[x] - give, least);

		if (!moved && (p->up[x] != want || p->down[x] + give != want))
			moved = x;
	}
	return moved;
}

/* The occupancies between which nothing changes. */
static inline void ramp_ladder_bounds(struct ramp_ladder *l,
				      const struct ramp_ladder_params *p)
{
	u32 level = l->level;

	l->min = level ? p->down[level] + 1 : 0;
	l->max = level < p->n ? p->up[level + 1] - 1 : U32_MAX;
}

/**
 * ramp_ladder_init - begin at the bottom
 * @l: ladder
 * @p: its steps
 */
static inline void ramp_ladder_init(struct ramp_ladder *l,
				    const struct ramp_ladder_params *p)
{
	*l = (struct ramp_ladder) { };
	ramp_ladder_bounds(l, p);
}

/**
 * ramp_ladder_outside - is ramp_ladder_move() due?
 * @l: ladder
 * @occupancy: skbs
 *
 * Return: true when the level changes with the occupancy
 */
static inline bool ramp_ladder_outside(const struct ramp_ladder *l,
				       u32 occupancy)
{
	return occupancy < l->min || occupancy > l->max;
}

/**
 * ramp_ladder_rate - what the sender is asked for
 * @l: ladder
 * @p: its steps
 *
 * Return: hundredths of a percent
 */
static inline u32 ramp_ladder_rate(const struct ramp_ladder *l,
				   const struct ramp_ladder_params *p)
{
	return p->rate[l->level];
}

/**
 * ramp_ladder_next_up - the threshold above
 * @l: ladder
 * @p: its steps
 *
 * Return: skbs, at or above which the level rises; 0: it is the highest one
 */
static inline u32 ramp_ladder_next_up(const struct ramp_ladder *l,
				      const struct ramp_ladder_params *p)
{
	return l->level < p->n ? p->up[l->level + 1] : 0;
}

/**
 * ramp_ladder_next_down - the threshold below
 * @l: ladder
 * @p: its steps
 *
 * Return: skbs, at or below which the level falls; means nothing at level 0
 */
static inline u32 ramp_ladder_next_down(const struct ramp_ladder *l,
					const struct ramp_ladder_params *p)
{
	return p->down[l->level];
}

/* The level of an occupancy; counts nothing. */
static inline void ramp_ladder_seek(struct ramp_ladder *l,
				    const struct ramp_ladder_params *p,
				    u32 occupancy)
{
	while (l->level < p->n && occupancy >= p->up[l->level + 1])
		l->level++;
	while (l->level && occupancy <= p->down[l->level])
		l->level--;
	ramp_ladder_bounds(l, p);
}

/**
 * ramp_ladder_move - the occupancy is another one
 * @l: ladder
 * @p: its steps
 * @occupancy: skbs
 *
 * A move over several thresholds is one move, and one code. As all thresholds
 * that were crossed have given way, a second call with the same occupancy moves
 * nothing.
 *
 * Return: by how many steps the level rose, or fell if negative; if not 0 a
 *	code with ramp_ladder_rate() is due
 */
static inline int ramp_ladder_move(struct ramp_ladder *l,
				   const struct ramp_ladder_params *p,
				   u32 occupancy)
{
	u32 level = l->level;

	ramp_ladder_seek(l, p, occupancy);
	l->codes += l->level != level;
	return (int)l->level - (int)level;
}

/**
 * ramp_ladder_flap - does a move undo the one before it?
 * @l: ladder
 * @moved: what ramp_ladder_move() returned, not 0
 * @dwell: ns, at most 60 s
 * @now: ns
 */
static inline void ramp_ladder_flap(struct ramp_ladder *l, int moved, u64 dwell,
				    u64 now)
{
	ramp_flap_move(&l->flap, l->level - moved, l->level, dwell, now);
}

/**
 * ramp_ladder_change - the steps are other ones
 * @l: ladder
 * @old: its steps until now
 * @p: its steps from now on
 * @occupancy: skbs
 *
 * The level goes from where it is to the nearest that the new thresholds allow,
 * and stays where they are the same as before. If it goes, no move that follows
 * undoes one of before.
 *
 * Return: true when the rate is another one: a code with ramp_ladder_rate() is
 * due
 */
static inline bool ramp_ladder_change(struct ramp_ladder *l,
				      const struct ramp_ladder_params *old,
				      const struct ramp_ladder_params *p,
				      u32 occupancy)
{
	u32 level = l->level, rate = old->rate[level];
	bool due;

	l->level = min(l->level, p->n);
	ramp_ladder_seek(l, p, occupancy);

	if (l->level != level)
		l->flap.moved = false;
	due = p->rate[l->level] != rate;
	l->codes += due;
	return due;
}

#endif /* _NET_RAMP_LADDER_H */
