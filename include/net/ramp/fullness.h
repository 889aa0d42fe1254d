/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fullness of a port, and its class
 *
 * US 8625624, [0034]: the fullness of each output buffer in percent puts its
 * port into one of a few classes. Integer percent: with a bound of 25 a port of
 * 24 percent is below it and one of 25 percent is not.
 *
 * Classes are compared for each reading of each port, so a scale turns the
 * bounds into packets once per capacity. A full port is more than a port of the
 * last class: nothing more fits. Its rank says so, and among full ports the
 * rank says which is the least full.
 *
 * Nothing here locks: the caller serialises all calls for one scale, and for
 * what one port was seen to hold. Any context.
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

/**
 * struct ramp_held - what a port was seen to hold
 * @capacity: packets; 0: it has not dropped any yet
 * @waiting: packets, of the last reading
 * @drops: of the last reading
 *
 * Not every port says what it can hold. One that drops says it: as much as it
 * holds then.
 */
struct ramp_held {
	u32	capacity;
	u32	waiting;
	u32	drops;
};

/**
 * ramp_held_begin - nothing is known of a port
 * @h: what it was seen to hold
 * @waiting: packets
 * @drops: packets dropped so far, of a counter that may wrap
 */
static inline void ramp_held_begin(struct ramp_held *h, u32 waiting, u32 drops)
{
	h->capacity = 0;
	h->waiting = waiting;
	h->drops = drops;
}

/**
 * ramp_held_read - a port was read
 * @h: what it was seen to hold
 * @waiting: packets
 * @drops: packets dropped so far, of a counter that may wrap; one that went
 *	   back is the counter of another port
 * @dropped: whether other counters say that it has dropped since the last
 *	reading
 * @refused: whether it did not take a packet since then; what it dropped of
 *	     those that waited, to tell senders to slow down, is no sign of
 *	     being full
 *
 * What waited when it dropped is about what waits now or did when it was read
 * before, whichever is more: some may have left meanwhile. A drop with nothing
 * waiting says nothing of what there is room for.
 *
 * Return: whether the port was full since the last reading
 */
static inline bool ramp_held_read(struct ramp_held *h, u32 waiting, u32 drops,
				  bool dropped, bool refused)
{
	s32 more = (s32)(drops - h->drops);
	u32 most = max(waiting, h->waiting);

	if (more < 0) {
		ramp_held_begin(h, waiting, drops);
		return false;
	}
	h->waiting = waiting;
	h->drops = drops;
	if (most && refused && (more || dropped)) {
		h->capacity = most;
		return true;
	}
	if (h->capacity)
		h->capacity = max(h->capacity, waiting);
	return false;
}

#endif /* _NET_RAMP_FULLNESS_H */
