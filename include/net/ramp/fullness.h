/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fullness of a port, and its class
 *
 * Document 004, [0034]: the fullness of each output buffer in percent puts its
 * port into one of a few classes. Integer percent: with a bound of 25 a port of
 * 24 percent is below it and one of 25 percent is not.
 *
 * Classes are compared for each reading of each port, so a scale turns the
 * bounds into packets once per capacity. A full port is more than a port of the
 * last class: nothing more fits. Its rank says so, and among full ports the
 * rank says which is the least full.
 *
 * Nothing here locks: the caller serialises all calls for one scale. Any
 * context.
 */
#ifndef _NET_RAMP_FULLNESS_H
#define _NET_RAMP_FULLNESS_H

#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#define RAMP_CLASS_BOUNDS	7
#define RAMP_CLASS_BOUND_MAX	100
/* Packets: what all queues of a port may hold together. */
#define RAMP_CAPACITY_MAX	0x40000000U
/* Percent: more is told apart no further. */
#define RAMP_PERCENT_MAX	0xffff
/* The rank of a port that is just full; those that are not are below it. */
#define RAMP_RANK_FULL		0x10000

/**
 * struct ramp_classes - how fullness is divided
 * @count: bounds, 1..RAMP_CLASS_BOUNDS; there is one class more
 * @bound: percent, ascending; class i ends below bound i
 */
struct ramp_classes {
	u8	count;
	u8	bound[RAMP_CLASS_BOUNDS];
};

/**
 * struct ramp_scale - classes of one capacity
 * @capacity: packets, at least 1
 * @count: bounds
 * @from: packets with which class i + 1 begins
 */
struct ramp_scale {
	u32	capacity;
	u32	count;
	u32	from[RAMP_CLASS_BOUNDS];
};

/* What is wrong with classes, if anything. */
enum ramp_classes_fault {
	RAMP_CLASSES_GOOD,
	RAMP_CLASSES_COUNT,
	RAMP_CLASSES_RANGE,
	RAMP_CLASSES_ORDER,
};

/**
 * ramp_classes_check - are these bounds ones to work with?
 * @c: classes
 *
 * Return: the first fault: of the number of bounds, then of the bounds in turn
 */
static inline enum ramp_classes_fault
ramp_classes_check(const struct ramp_classes *c)
{
	u32 i;

	if (!c->count || c->count > RAMP_CLASS_BOUNDS)
		return RAMP_CLASSES_COUNT;

	for (i = 0; i < c->count; i++) {
		if (!c->bound[i] || c->bound[i] > RAMP_CLASS_BOUND_MAX)
			return RAMP_CLASSES_RANGE;
		if (i && c->bound[i] <= c->bound[i - 1])
			return RAMP_CLASSES_ORDER;
	}
	return RAMP_CLASSES_GOOD;
}

/* The fewest packets that are @percent of @capacity, in integer percent. */
static inline u64 ramp_fullness_packets(u32 percent, u32 capacity)
{
	return div_u64((u64)percent * capacity + 99, 100);
}

/**
 * ramp_fullness_percent - fullness
 * @waiting: packets
 * @capacity: packets, at least 1
 *
 * Return: percent, rounded down, 0..RAMP_PERCENT_MAX
 */
static inline u32 ramp_fullness_percent(u32 waiting, u32 capacity)
{
	return min_t(u64, div_u64(100ULL * waiting, capacity),
		     RAMP_PERCENT_MAX);
}

/**
 * ramp_scale_set - the capacity or the classes are others now
 * @s: scale
 * @c: valid classes
 * @capacity: packets; 0 is taken for 1, as a port that holds nothing is full
 *	      with the first packet
 */
static inline void ramp_scale_set(struct ramp_scale *s,
				  const struct ramp_classes *c, u64 capacity)
{
	u32 i;

	s->capacity = clamp_t(u64, capacity, 1, RAMP_CAPACITY_MAX);
	s->count = c->count;
	for (i = 0; i < c->count; i++)
		s->from[i] = ramp_fullness_packets(c->bound[i], s->capacity);
}

/**
 * ramp_scale_class - the class of a port
 * @s: scale
 * @waiting: packets
 *
 * Return: 0..@s->count; a full port is in the last class that begins at or
 * below its fullness, too
 */
static inline u32 ramp_scale_class(const struct ramp_scale *s, u32 waiting)
{
	u32 class = 0;

	while (class < s->count && waiting >= s->from[class])
		class++;
	return class;
}

/**
 * ramp_scale_rank - which of two ports is to be preferred: the lower rank
 * @s: scale
 * @waiting: packets
 *
 * Return: the class of a port with room; of a full one RAMP_RANK_FULL and its
 * percent, so that all full ports come after all others, the least full first
 */
static inline u32 ramp_scale_rank(const struct ramp_scale *s, u32 waiting)
{
	if (waiting < s->capacity)
		return ramp_scale_class(s, waiting);
	return RAMP_RANK_FULL + ramp_fullness_percent(waiting, s->capacity);
}

/**
 * ramp_scale_until - how many packets more make another rank of a port
 * @s: scale
 * @waiting: packets
 *
 * Until then nothing has to be decided anew, whoever sends.
 *
 * Return: packets, at least 1
 */
static inline u32 ramp_scale_until(const struct ramp_scale *s, u32 waiting)
{
	u32 class, percent;
	u64 next;

	if (waiting >= s->capacity) {
		percent = ramp_fullness_percent(waiting, s->capacity);
		next = ramp_fullness_packets(percent + 1, s->capacity);
		return next > waiting ? min_t(u64, next - waiting, U32_MAX) :
					U32_MAX;
	}
	class = ramp_scale_class(s, waiting);
	if (class < s->count)
		return s->from[class] - waiting;
	return s->capacity - waiting;
}

#endif /* _NET_RAMP_FULLNESS_H */
