/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trail: between which bounds a level has moved in the last window
 *
 * US 2025/0260650, claim 1: the rate at which a level changes starts a ramp,
 * wherever the level is; claim 2: a ramp may end when that rate has become
 * small. Both ask how far a level moved within a window, which its lowest and
 * highest values in eight slots of the window answer.
 *
 * Nothing here locks: the caller serialises all calls for one trail. Any
 * context.
 */
#ifndef _NET_RAMP_TRAIL_H
#define _NET_RAMP_TRAIL_H

#include <linux/minmax.h>
#include <linux/types.h>

/* Slots in a window. */
#define RAMP_SLOTS	8

/**
 * struct ramp_trail - where a level has been
 * @min: lowest level of each slot
 * @max: highest level of each slot
 * @low: lowest of all slots
 * @high: highest of all slots
 * @at: the present slot
 * @known: whole slots since the trail began, at most RAMP_SLOTS
 */
struct ramp_trail {
	u64	min[RAMP_SLOTS];
	u64	max[RAMP_SLOTS];
	u64	low;
	u64	high;
	u32	at;
	u32	known;
};

/**
 * ramp_trail_init - begin a trail, as if the level had always been what it is
 * @t: trail
 * @level: the level now
 */
static inline void ramp_trail_init(struct ramp_trail *t, u64 level)
{
	int i;

	for (i = 0; i < RAMP_SLOTS; i++) {
		t->min[i] = level;
		t->max[i] = level;
	}
	t->low = level;
	t->high = level;
	t->at = 0;
	t->known = 0;
}

/**
 * ramp_trail_note - the level moved in the present slot
 * @t: trail
 * @level: the level now
 */
static inline void ramp_trail_note(struct ramp_trail *t, u64 level)
{
	t->min[t->at] = min_t(u64, t->min[t->at], level);
	t->max[t->at] = max_t(u64, t->max[t->at], level);
	t->low = min_t(u64, t->low, level);
	t->high = max_t(u64, t->high, level);
}

/**
 * ramp_trail_roll - slots ended
 * @t: trail
 * @level: the level now, with which the new slot begins
 * @slots: how many ended, at least 1
 */
static inline void ramp_trail_roll(struct ramp_trail *t, u64 level, u64 slots)
{
	u32 n = min_t(u64, slots, RAMP_SLOTS);
	u32 i;

	t->known = min_t(u32, t->known + n, RAMP_SLOTS);
	while (n--) {
		t->at = (t->at + 1) % RAMP_SLOTS;
		t->min[t->at] = level;
		t->max[t->at] = level;
	}
	t->low = level;
	t->high = level;
	for (i = 0; i < RAMP_SLOTS; i++) {
		t->low = min_t(u64, t->low, t->min[i]);
		t->high = max_t(u64, t->high, t->max[i]);
	}
}

/**
 * ramp_trail_since - how long ago the level was last so low, or so high
 * @t: trail
 * @bound: a level
 * @above: at or above @bound is meant, not at or below
 *
 * Return: slots, 0 for the present one, RAMP_SLOTS if it never was
 */
static inline u32 ramp_trail_since(const struct ramp_trail *t, u64 bound,
				   bool above)
{
	u32 back, i;

	for (back = 0; back < RAMP_SLOTS; back++) {
		i = (t->at + RAMP_SLOTS - back) % RAMP_SLOTS;
		if (above ? t->max[i] >= bound : t->min[i] <= bound)
			break;
	}
	return back;
}

/**
 * ramp_trail_settled - has the level moved by less than this for a whole
 *	window?
 * @t: trail
 * @range: how far a level moves that is not settled
 *
 * Return: true when it has
 */
static inline bool ramp_trail_settled(const struct ramp_trail *t, u64 range)
{
	return t->known >= RAMP_SLOTS && t->high - t->low < range;
}

#endif /* _NET_RAMP_TRAIL_H */
