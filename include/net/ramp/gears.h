/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gears: which of an ordered set of service rates an occupancy asks for
 *
 * NetFridgeS, Algorithm 1: each gear has a threshold at or above which the next
 * higher gear is taken, which is tested first, and one at or below which the
 * next lower one is; one step per decision. A controller may set a range (lines
 * 11 to 16), and what the rule gives is taken only if it lies in it.
 *
 * Gear 0 is the idle gear (4.1: "only used when there is no traffic"): outside
 * the range and the rule, entered by whoever sees that nothing came for long
 * enough, and left with the first packet.
 *
 * Three things are ours. A present gear that a new range excludes moves into
 * it, where the document would keep it: somebody who lowers the range wants the
 * power now. Links that are down cap the range (7.1), however it was set. And
 * the rule makes a move down only when what comes would fit into the lower
 * gear: the bare rule goes down as soon as little waits, which under a constant
 * load it does in each gear that carries it, and up again a moment later.
 *
 * Occupancy and thresholds are skbs, or bytes where thresholds are times: what
 * waits is then compared with what the present gear carries in that time, so
 * that nothing is divided for a packet. Rates are bytes/s, times ns, shares
 * hundredths of a percent. A clock that stepped back is taken to stand still
 * until it is where it was when the present gear was taken.
 *
 * What gears use and what links carry is in gears_sum.h. Nothing here locks:
 * the caller serialises all calls for one set of gears. Any context.
 */
#ifndef _NET_RAMP_GEARS_H
#define _NET_RAMP_GEARS_H

#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/ramp.h>
#include <linux/types.h>
#include <net/ramp/flap.h>
#include <net/ramp/share.h>

#define RAMP_GEARS_SEC		1000000000ULL

/**
 * enum ramp_gears_why - why a gear was taken
 * @RAMP_GEARS_STAY: it was not: the gear is what it was
 * @RAMP_GEARS_OCCUPANCY: the rule
 * @RAMP_GEARS_RANGE: the controller's range
 * @RAMP_GEARS_LINK: the links
 * @RAMP_GEARS_IDLE: into the idle gear, or out of it
 *
 * The values are those of enum ramp_gear_reason.
 */
enum ramp_gears_why {
	RAMP_GEARS_STAY,
	RAMP_GEARS_OCCUPANCY,
	RAMP_GEARS_RANGE,
	RAMP_GEARS_LINK,
	RAMP_GEARS_IDLE,
};

/**
 * struct ramp_gears_params - a set of gears
 * @n: gears, 2 .. RAMP_GEARS_MAX
 * @up: skbs or bytes, by gear from 1: at or above it the next higher one is
 *	asked for; at least 1
 * @down: skbs or bytes, by gear from 1: at or below it the next lower one is;
 *	less than @up
 * @min: lowest gear of the controller's range, 1 .. @n - 1
 * @max: highest gear of that range, @min .. @n - 1
 * @top: highest gear that the links allow, 1 .. @n - 1
 * @links: the gear is always the highest of the range
 * @dwell: ns, least time between two moves down, at most 60 s
 * @fit: bytes/s, by gear: what may have come for it to be taken from the next
 *	higher one, at most 2^40; 0: any. Without @dwell it means nothing.
 */
struct ramp_gears_params {
	u32	n;
	u32	up[RAMP_GEARS_MAX];
	u32	down[RAMP_GEARS_MAX];
	u32	min;
	u32	max;
	u32	top;
	bool	links;
	u64	dwell;
	u64	fit[RAMP_GEARS_MAX];
};

/**
 * struct ramp_gears - which gear it is, and was
 * @min: least occupancy that asks for no other gear
 * @max: greatest occupancy that asks for no other gear
 * @gear: the present one
 * @below: @top lies below @min of the parameters
 * @fell: there was a move down
 * @down_at: ns, when the last one was
 * @since: ns, when the present gear was taken
 * @spent: ns, in each gear, without the present one's time since @since
 * @came: bytes that came so far, which the caller keeps, and which may wrap
 * @mark: what @came was at @mark_at
 * @mark_at: ns, since when it is counted what came
 * @changes: moves
 * @range_drops: times that the links' top came to lie below the controller's
 *	range
 * @flap: moves that undid the last one
 */
struct ramp_gears {
	u32			min;
	u32			max;
	u32			gear;
	bool			below;
	bool			fell;
	u64			down_at;
	u64			since;
	u64			spent[RAMP_GEARS_MAX];
	u64			came;
	u64			mark;
	u64			mark_at;
	u64			changes;
	u64			range_drops;
	struct ramp_flap	flap;
};

/**
 * ramp_gears_resolve - turn shares of a limit into skbs
 * @p: @n is set, @up and @down are filled in
 * @up: hundredths of a percent of @limit, by gear, 1 .. RAMP_WHOLE
 * @down: the same, 0 .. @up - 1
 * @limit: skbs, at least 1
 *
 * Who has @p->up skbs has at least the share, who has @p->down at most. So the
 * one is above the other for any limit.
 */
static inline void ramp_gears_resolve(struct ramp_gears_params *p,
				      const u16 *up, const u16 *down,
				      u32 limit)
{
	u32 i;

	for (i = 0; i < p->n; i++) {
		p->up[i] = ramp_share(limit, up[i]);
		p->down[i] = div_u64((u64)limit * down[i], RAMP_WHOLE);
	}
}

/**
 * ramp_gears_resolve_time - turn times into bytes
 * @p: @n is set, @up and @down are filled in
 * @rate: bytes/s, by gear, 1 .. 2^40
 * @up: ns, by gear, 1 .. RAMP_GEARS_SEC
 * @down: ns, by gear, less than @up
 * @packet: bytes, the largest packet
 * @most: bytes, no @up is more; at least 2
 *
 * A packet alone is no queue: it asks for no higher gear, however slow the
 * present one is, unless there is no room for more.
 */
static inline void ramp_gears_resolve_time(struct ramp_gears_params *p,
					   const u64 *rate, const u64 *up,
					   const u64 *down, u32 packet,
					   u32 most)
{
	u64 high, low;
	u32 i;

	for (i = 0; i < p->n; i++) {
		high = mul_u64_u64_div_u64(rate[i], up[i], RAMP_GEARS_SEC);
		low = mul_u64_u64_div_u64(rate[i], down[i], RAMP_GEARS_SEC);
		high = max_t(u64, high, (u64)packet + 1);
		p->up[i] = min_t(u64, high, most);
		p->down[i] = min_t(u64, low, p->up[i] - 1);
	}
}

/**
 * ramp_gears_high - highest gear that may be taken
 * @p: gears
 *
 * Return: gear, 1 .. @p->n - 1
 */
static inline u32 ramp_gears_high(const struct ramp_gears_params *p)
{
	return min(p->max, p->top);
}

/**
 * ramp_gears_low - lowest gear that may be taken, beside the idle one
 * @p: gears
 *
 * Links that are down win over the controller.
 *
 * Return: gear, 1 .. ramp_gears_high()
 */
static inline u32 ramp_gears_low(const struct ramp_gears_params *p)
{
	return min(p->min, ramp_gears_high(p));
}

/**
 * ramp_gears_rule - what the occupancy asks for
 * @p: gears
 * @gear: the present one, 1 .. @p->n - 1
 * @occupancy: as thresholds
 *
 * Algorithm 1, Threshold(). It may be a gear that there is not, or the idle
 * one: neither is ever in the range.
 *
 * Return: gear, at most one away
 */
static inline u32 ramp_gears_rule(const struct ramp_gears_params *p, u32 gear,
				  u32 occupancy)
{
	if (occupancy >= p->up[gear])
		return gear + 1;
	if (occupancy <= p->down[gear])
		return gear - 1;
	return gear;
}

/* The occupancies that ask for no other gear than the present one, which is the
 * idle one or lies in the range.
 */
static inline void ramp_gears_bounds(struct ramp_gears *g,
				     const struct ramp_gears_params *p)
{
	g->min = 0;
	g->max = g->gear ? U32_MAX : 0;
	if (!g->gear || p->links)
		return;
	if (g->gear > ramp_gears_low(p))
		g->min = p->down[g->gear] + 1;
	if (g->gear < ramp_gears_high(p))
		g->max = p->up[g->gear] - 1;
}

static inline void ramp_gears_judge(struct ramp_gears *g,
				    const struct ramp_gears_params *p)
{
	bool below = p->top < p->min;

	g->range_drops += below && !g->below;
	g->below = below;
}

/**
 * ramp_gears_init - begin in the highest gear of the range
 * @g: to be filled
 * @p: gears
 * @now: ns
 */
static inline void ramp_gears_init(struct ramp_gears *g,
				   const struct ramp_gears_params *p, u64 now)
{
	*g = (struct ramp_gears) {
		.gear	= ramp_gears_high(p),
		.since	= now,
		.mark_at = now,
	};
	ramp_gears_judge(g, p);
	ramp_gears_bounds(g, p);
}

/**
 * ramp_gears_outside - is ramp_gears_move() due?
 * @g: gears
 * @occupancy: as thresholds
 *
 * Two comparisons, so that no decision is made, and no clock read, for a packet
 * that changes nothing. What dwell puts off is outside all the time.
 *
 * Return: true when the occupancy asks for another gear
 */
static inline bool ramp_gears_outside(const struct ramp_gears *g, u32 occupancy)
{
	return occupancy < g->min || occupancy > g->max;
}

static inline u64 ramp_gears_time(const struct ramp_gears *g, u64 now)
{
	return (s64)(now - g->since) < 0 ? g->since : now;
}

static inline bool ramp_gears_dwells(const struct ramp_gears *g,
				     const struct ramp_gears_params *p, u64 now)
{
	return g->fell && ramp_gears_time(g, now) - g->down_at < p->dwell;
}

/**
 * ramp_gears_mark - what comes is counted from now on
 * @g: gears, whose @came is what it is, and maybe is counted in another way
 * @now: ns
 */
static inline void ramp_gears_mark(struct ramp_gears *g, u64 now)
{
	g->mark = g->came;
	g->mark_at = ramp_gears_time(g, now);
}

/* Would what came in the last dwell, or in at most two of them, fit into the
 * next lower gear? Whoever has not counted for so long, or for too long, begins
 * to.
 */
static inline bool ramp_gears_fits(struct ramp_gears *g,
				   const struct ramp_gears_params *p, u32 next,
				   u64 now)
{
	u64 came = g->came - g->mark, age;

	if (!p->fit[next] || !p->dwell)
		return true;
	age = ramp_gears_time(g, now) - g->mark_at;
	if (age < p->dwell)
		return false;
	ramp_gears_mark(g, now);
	return age <= 2 * p->dwell &&
	       came <= mul_u64_u64_div_u64(p->fit[next], age, RAMP_GEARS_SEC);
}

/* The gear that is to be, and why. */
static inline u32 ramp_gears_next(struct ramp_gears *g,
				  const struct ramp_gears_params *p,
				  u32 occupancy, u64 now,
				  enum ramp_gears_why *why)
{
	u32 high = ramp_gears_high(p);
	u32 low = ramp_gears_low(p);
	u32 next;

	*why = RAMP_GEARS_IDLE;
	if (!g->gear && !occupancy)
		return 0;
	if (!g->gear)
		return p->links ? high : low;

	*why = p->links || g->gear > p->top ? RAMP_GEARS_LINK :
					      RAMP_GEARS_RANGE;
	if (p->links || g->gear > high)
		return high;
	if (g->gear < low)
		return low;

	*why = RAMP_GEARS_OCCUPANCY;
	next = ramp_gears_rule(p, g->gear, occupancy);
	if (next < low || next > high)
		return g->gear;
	if (next < g->gear && (ramp_gears_dwells(g, p, now) ||
			       !ramp_gears_fits(g, p, next, now)))
		return g->gear;
	return next;
}

static inline void ramp_gears_take(struct ramp_gears *g,
				   const struct ramp_gears_params *p, u32 next,
				   u64 now)
{
	now = ramp_gears_time(g, now);
	ramp_flap_move(&g->flap, g->gear, next, p->dwell, now);
	if (next < g->gear) {
		g->fell = true;
		g->down_at = now;
	}
	g->spent[g->gear] += now - g->since;
	g->since = now;
	g->gear = next;
	g->changes++;
	ramp_gears_mark(g, now);
	ramp_gears_bounds(g, p);
}

/**
 * ramp_gears_move - one decision
 * @g: gears
 * @p: their parameters
 * @occupancy: as thresholds
 * @now: ns
 *
 * Return: why another gear was taken; RAMP_GEARS_STAY: none was
 */
static inline enum ramp_gears_why
ramp_gears_move(struct ramp_gears *g, const struct ramp_gears_params *p,
		u32 occupancy, u64 now)
{
	enum ramp_gears_why why;
	u32 next = ramp_gears_next(g, p, occupancy, now, &why);

	if (next == g->gear)
		return RAMP_GEARS_STAY;
	ramp_gears_take(g, p, next, now);
	return why;
}

/**
 * ramp_gears_change - the thresholds, the range, the links or dwell are others
 * @g: gears
 * @p: what they are from now on; as many gears as before
 * @occupancy: as thresholds
 * @now: ns
 *
 * A gear that is outside the range moves into it.
 *
 * Return: as ramp_gears_move()
 */
static inline enum ramp_gears_why
ramp_gears_change(struct ramp_gears *g, const struct ramp_gears_params *p,
		  u32 occupancy, u64 now)
{
	ramp_gears_judge(g, p);
	ramp_gears_bounds(g, p);
	return ramp_gears_move(g, p, occupancy, now);
}

/**
 * ramp_gears_move_at - when is a move down that is put off to be judged again?
 * @g: gears, above the lowest one
 * @p: their parameters
 *
 * Return: ns, may be over; means nothing when no move down was made yet and
 *	what comes does not matter
 */
static inline u64 ramp_gears_move_at(const struct ramp_gears *g,
				     const struct ramp_gears_params *p)
{
	u64 at = g->down_at + p->dwell, fit = g->mark_at + p->dwell;

	if (!g->gear || !p->fit[g->gear - 1])
		return at;
	return g->fell && (s64)(at - fit) > 0 ? at : fit;
}

/**
 * ramp_gears_rest_at - when is the idle gear to be taken?
 * @g: gears
 * @p: their parameters
 * @empty: ns, since when nothing waits
 * @idle: ns, how long that has to last, at most 60 s
 *
 * It is a move down, which dwell puts off.
 *
 * Return: ns, may be over
 */
static inline u64 ramp_gears_rest_at(const struct ramp_gears *g,
				     const struct ramp_gears_params *p,
				     u64 empty, u64 idle)
{
	u64 at = empty + idle;

	if (g->fell && (s64)(g->down_at + p->dwell - at) > 0)
		return g->down_at + p->dwell;
	return at;
}

/**
 * ramp_gears_rest - take the idle gear
 * @g: gears
 * @p: their parameters
 * @now: ns, not before ramp_gears_rest_at()
 *
 * Return: as ramp_gears_move()
 */
static inline enum ramp_gears_why
ramp_gears_rest(struct ramp_gears *g, const struct ramp_gears_params *p,
		u64 now)
{
	if (!g->gear || ramp_gears_dwells(g, p, now))
		return RAMP_GEARS_STAY;
	ramp_gears_take(g, p, 0, now);
	return RAMP_GEARS_IDLE;
}

#endif /* _NET_RAMP_GEARS_H */
