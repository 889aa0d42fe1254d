/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slew limiter: what has left, and when
 *
 * It is known at some points in time, and taken to be straight between them. A
 * point is made when the limiter looks (ramp_slew_look()).
 *
 * Nothing here locks: the caller serialises all calls for one limiter. Any
 * context.
 */
#ifndef _NET_RAMP_SLEW_LEFT_H
#define _NET_RAMP_SLEW_LEFT_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <net/ramp/slope.h>

/* Of three points the outer ones are a fifteenth of a tick apart, or more. They
 * have to cover two ticks.
 */
#define RAMP_SLEW_POINTS	64
#define RAMP_SLEW_PARTS		15

/* Parts of a unit, so that little time at a low rate earns something, too. */
#define RAMP_SLEW_SHIFT		10

/**
 * struct ramp_slew_point - what had left by then
 * @time: ns
 * @sum: of all that left, in parts; wraps
 */
struct ramp_slew_point {
	u64	time;
	u64	sum;
};

/**
 * struct ramp_slew - a slew limiter
 * @point: the youngest ones
 * @gone: packets that had left by then are whole in it, and what was let pass
 *	at that time, too; in the unit of the amounts, wraps
 * @tokens: in parts, after the last look; less than 0: owed
 * @rate: parts per tick
 * @sum: of all that left until the last look, in parts; wraps
 * @last: ns, the last look
 * @wake: ns, when to look again if the last look left no budget
 * @rest: ns, the shortest sleep
 * @late: ns, by which sleepers were woken late
 * @deep: tokens that a queue which was woken had then, and may keep while the
 *	device sends, in parts
 * @whole: of all that left until the last look, as @gone
 * @head: number of points that there ever were
 * @before: number of the youngest one that is known to be a tick old
 * @behind: as @before, of one that is a sleep older
 * @older: number of the youngest one that is known to be two ticks old
 * @longest: packet of the last RAMP_SLEW_MEMORY ticks, or twice as many, in the
 *	unit of the amounts
 * @recent: as @longest, since @begun
 * @unseen: how long packets may be of which none was seen yet
 * @shortest: packet, likewise, of those that were counted whole
 * @brief: as @shortest, since @begun
 * @next: how long the packet is that wants to leave, in the unit of the
 *	amounts; 0: nobody knows
 * @missed: what a queue that waits has lost of late as packets are whole, in
 *	the unit of the amounts
 * @misfit: the last look left no budget as packets are whole
 * @begun: ns
 * @granted: @budget as it was after the last look
 * @budget: what may leave before the next look; 0 or less: nothing may. The
 *	last one here, as each packet writes it: what lies behind may be such,
 *	too.
 */
struct ramp_slew {
	struct ramp_slew_point	point[RAMP_SLEW_POINTS];
	u32			gone[RAMP_SLEW_POINTS];
	s64			tokens;
	u64			rate;
	u64			sum;
	u64			last;
	u64			wake;
	u64			rest;
	u64			late;
	s64			deep;
	u32			whole;
	u32			head;
	u32			before;
	u32			behind;
	u32			older;
	u32			longest;
	u32			recent;
	u32			unseen;
	u32			shortest;
	u32			brief;
	u32			next;
	u32			missed;
	bool			misfit;
	u64			begun;
	s64			granted;
	s64			budget;
};

static inline struct ramp_slew_point *ramp_slew_at(struct ramp_slew *s, u32 n)
{
	return &s->point[n % RAMP_SLEW_POINTS];
}

static inline u32 *ramp_slew_gone(struct ramp_slew *s, u32 n)
{
	return &s->gone[n % RAMP_SLEW_POINTS];
}

static inline u64 ramp_slew_parts(u64 amount)
{
	return amount << RAMP_SLEW_SHIFT;
}

/* As if @left had left in each of the last ticks, and @sum in all; @s has no
 * point yet, and is zeroed. So two points say that nothing had: a qdisc is also
 * reset when it ends, and when many do others wait for that.
 */
static inline void ramp_slew_even(struct ramp_slew *s,
				  const struct ramp_slope_params *p, u64 sum,
				  u64 left, u64 now)
{
	u32 n = left ? RAMP_SLEW_POINTS - 1 : 1, i;
	struct ramp_slew_point *point;

	for (i = 0; i <= n; i++) {
		point = &s->point[i];
		point->time = now - div_u64(p->tick * (n - i), RAMP_SLEW_PARTS);
		point->sum = sum - div_u64(left, RAMP_SLEW_PARTS) * (n - i);
		s->gone[i] = point->sum >> RAMP_SLEW_SHIFT;
	}
	s->head = n + 1;
}

/* Another point. Tokens that were given back do not make it less than the one
 * before.
 */
static inline void ramp_slew_push(struct ramp_slew *s, u64 sum, u64 now)
{
	u64 last = ramp_slew_at(s, s->head - 1)->sum;

	*ramp_slew_gone(s, s->head) = s->whole;
	*ramp_slew_at(s, s->head++) = (struct ramp_slew_point) {
		.time = now,
		.sum = (s64)(sum - last) < 0 ? last : sum,
	};
}

/* A point that is too close to the one before the last replaces the last. One
 * at which nothing may leave does not: with it, it would be forgotten when the
 * last packet left.
 */
static inline u64 ramp_slew_mark(struct ramp_slew *s,
				 const struct ramp_slope_params *p, u64 sum,
				 bool refused, u64 now)
{
	const struct ramp_slew_point *last = ramp_slew_at(s, s->head - 1);
	bool close = now - ramp_slew_at(s, s->head - 2)->time <
		     div_u64(p->tick, RAMP_SLEW_PARTS);

	if ((s64)(sum - last->sum) < 0)
		sum = last->sum;
	if (now == last->time || (close && !refused))
		s->head--;
	else if (close)
		return sum;
	ramp_slew_push(s, sum, now);
	return sum;
}

/* All that had left by @when, from the youngest point on that is not after it,
 * of which
 * @from was the number. What left after a long silence left at its end: it is
 *	straight for a tick only.
 */
static inline u64 ramp_slew_until(struct ramp_slew *s,
				  const struct ramp_slope_params *p, u32 *from,
				  u64 when)
{
	const struct ramp_slew_point *a, *b;
	u64 span;

	if (s->head - *from > RAMP_SLEW_POINTS)
		*from = s->head - RAMP_SLEW_POINTS;
	while (s->head - *from > 2 &&
	       (s64)(when - ramp_slew_at(s, *from + 1)->time) >= 0)
		(*from)++;
	a = ramp_slew_at(s, *from);
	b = ramp_slew_at(s, *from + 1);
	if ((s64)(when - b->time) >= 0)
		return b->sum;
	span = min_t(u64, b->time - a->time, p->tick);
	if (b->time - when >= span)
		return a->sum;
	return b->sum - mul_u64_u64_div_u64(b->sum - a->sum, b->time - when,
					    span);
}

/* The youngest point before @when. @from is no younger, but may be at @when. */
static inline u32 ramp_slew_seek(struct ramp_slew *s, u32 from, u64 when)
{
	from -= (s64)(when - ramp_slew_at(s, from)->time) <= 0;
	if (s->head - from > RAMP_SLEW_POINTS)
		from = s->head - RAMP_SLEW_POINTS;
	while (s->head - from > 1 &&
	       (s64)(when - ramp_slew_at(s, from + 1)->time) > 0)
		from++;
	return from;
}

#endif /* _NET_RAMP_SLEW_LEFT_H */
