/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A slow reference for gears: it keeps each move in a log and finds everything
 * else by reading it from the begin. And what may happen to gears, one thing at
 * a time, compared with it.
 */
#ifndef _UNIT_GEARS_LOG_H
#define _UNIT_GEARS_LOG_H

#include "gears.h"
#include <net/ramp/gears_sum.h>

/* Moves of a walk, at most. */
#define STEPS	1000

static struct log {
	u64	begin;
	u32	first;
	u32	n;
	u64	at[STEPS + 1];
	u32	to[STEPS + 1];
	u64	flaps;
} book;

static inline u32 log_gear(u32 moves)
{
	return moves ? book.to[moves - 1] : book.first;
}

static inline void log_move(u32 to, u64 t)
{
	u32 n = book.n;

	if (n && to == log_gear(n - 1) && t - book.at[n - 1] <= 10 * p.dwell)
		book.flaps++;
	book.at[n] = t;
	book.to[n] = to;
	book.n++;
}

/* Has there been a move down less than dwell ago? */
static inline bool log_dwells(u64 t)
{
	u32 i;

	for (i = book.n; i; i--)
		if (log_gear(i) < log_gear(i - 1))
			return t - book.at[i - 1] < p.dwell;
	return false;
}

static inline u64 log_spent(u32 gear, u64 t)
{
	u64 sum = 0, from, to;
	u32 i;

	for (i = 0; i <= book.n; i++) {
		from = i ? book.at[i - 1] : book.begin;
		to = i < book.n ? book.at[i] : t;
		sum += log_gear(i) == gear ? to - from : 0;
	}
	return sum;
}

static inline bool allowed(u32 gear)
{
	if (!gear || gear >= p.n || gear > p.top || gear > p.max)
		return false;
	/* Below the range only as far as the links force it. */
	return gear >= p.min || (p.top < p.min && gear == p.top);
}

static inline u32 log_decide(u32 o, u64 t)
{
	u32 gear = log_gear(book.n), to = gear, i;

	if (!gear) {
		if (!o)
			return 0;
		for (i = 1; i < p.n; i++)
			if (allowed(i) && (p.links || to == gear))
				to = i;
		return to;
	}
	if (p.links) {
		for (i = 1; i < p.n; i++)
			if (allowed(i))
				to = i;
		return to;
	}
	/* The nearest of the range. */
	for (i = 0; !allowed(gear); i++) {
		if (gear > i && allowed(gear - i))
			return gear - i;
		if (allowed(gear + i))
			return gear + i;
	}
	if (o >= p.up[gear])
		to = gear + 1;
	else if (o <= p.down[gear] && !log_dwells(t))
		to = gear - 1;
	return allowed(to) ? to : gear;
}

static inline void agree(u64 t, bool moved, enum ramp_gears_why why)
{
	u64 sum = 0;
	u32 i;

	unit_check(moved == (why != RAMP_GEARS_STAY), "at %u moves", book.n);
	unit_check(g.gear == log_gear(book.n), "%u, %u at %u moves", g.gear,
		   log_gear(book.n), book.n);
	unit_check(g.changes == book.n, "%llu, %u", g.changes, book.n);
	unit_check(g.flap.flaps == book.flaps, "%llu, %llu at %u moves",
		   g.flap.flaps, book.flaps, book.n);
	for (i = 0; i < RAMP_GEARS_MAX; i++)
		sum += ramp_gears_spent(&g, i, t);
	unit_check(sum == t - book.begin, "%llu of %llu", sum, t - book.begin);
}

static inline void random_thresholds(void)
{
	u32 i;

	for (i = 0; i < p.n; i++) {
		p.up[i] = unit_between(1, 100);
		p.down[i] = unit_between(0, p.up[i] - 1);
	}
}

static inline void random_range(void)
{
	p.min = unit_between(1, p.n - 1);
	p.max = unit_between(p.min, p.n - 1);
	if (unit_chance(30)) {
		p.min = 1;
		p.max = p.n - 1;
	}
}

static inline u32 random_occupancy(u32 o)
{
	if (unit_chance(10))
		return unit_between(0, 120);
	if (unit_chance(20))
		return p.up[g.gear] - unit_between(0, 1);
	if (unit_chance(20))
		return p.down[g.gear] + unit_between(0, 1);
	if (unit_chance(50))
		return o + 1;
	return o ? o - 1 : 0;
}

static inline void random_wait(void)
{
	switch (unit_between(0, 5)) {
	case 0:
		return;
	case 1:
		now += p.dwell;
		return;
	case 2:
		now += p.dwell ? p.dwell - 1 : 0;
		return;
	case 3:
		now += 10 * p.dwell + unit_between(0, 1);
		return;
	default:
		now += unit_amount(30);
	}
}

/* One of the things that may happen; what it was that moved is checked, too. */
static inline void step(u32 o)
{
	enum ramp_gears_why why;
	u32 before = g.gear, to;
	bool news;

	if (unit_chance(3)) {
		bool below = p.top < p.min;
		u64 drops = g.range_drops;

		if (unit_chance(30))
			random_range();
		if (unit_chance(30))
			p.top = unit_between(1, p.n - 1);
		if (unit_chance(10))
			p.links = !p.links;
		if (unit_chance(10))
			random_thresholds();
		if (unit_chance(10))
			p.dwell = unit_chance(20) ? 0 : unit_amount(26);
		to = log_decide(o, now);
		if (to != before)
			log_move(to, now);
		why = ramp_gears_change(&g, &p, o, now);
		unit_check(g.range_drops - drops == (!below && p.top < p.min),
			   "top %u, min %u", p.top, p.min);
	} else if (unit_chance(3)) {
		to = before && !log_dwells(now) ? 0 : before;
		if (to != before)
			log_move(to, now);
		why = ramp_gears_rest(&g, &p, now);
	} else {
		to = log_decide(o, now);
		news = ramp_gears_outside(&g, o);
		/* What is no news moves nothing, and what does not move is no
		 * news unless it dwells.
		 */
		unit_check(news || to == before, "%u at %u", o, before);
		unit_check(!news || to != before || log_dwells(now), "%u at %u",
			   o, before);
		if (to != before)
			log_move(to, now);
		why = ramp_gears_move(&g, &p, o, now);
	}
	agree(now, to != before, why);
	if (why == RAMP_GEARS_IDLE)
		unit_check(!before || !to, "%u to %u", before, to);
	else if (why == RAMP_GEARS_OCCUPANCY)
		unit_check(to == (o >= p.up[before] ? before + 1 : before - 1),
			   "%u to %u", before, to);
	else if (why == RAMP_GEARS_RANGE)
		unit_check(!p.links && (before > p.max || before < p.min),
			   "%u to %u", before, to);
	else if (why == RAMP_GEARS_LINK)
		unit_check(p.links || before > p.top, "%u to %u", before, to);
}

#endif /* _UNIT_GEARS_LOG_H */
