/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all unit tests share: random numbers that can be replayed, and checks
 * that say which round failed. A file of tests is a program of cmocka's in user
 * space, and a suite of KUnit's in a kernel.
 *
 * A property test runs many rounds, each with a seed of its own. A failure
 * prints that seed; RAMP_SEED=that RAMP_ROUNDS=1 repeats the one round in user
 * space. A run without RAMP_SEED uses a fixed one, so that nobody's change
 * fails by luck.
 *
 * Tests have to do without what a kernel does not have: floating point, and
 * divisions of 128 bits other than those of wide.h.
 */
#ifndef _UNIT_H
#define _UNIT_H

#define UNIT_SEED	20250260650ULL

#ifdef __KERNEL__
#include "unit_kunit.h"
#else
#include "unit_cmocka.h"
#endif

#define HOUR		(3600ULL * NSEC_PER_SEC)

/* Late in the life of a signed clock: what wraps or compares wrongly shows. */
#define UNIT_LATE_CLOCK	((1ULL << 63) - 20 * NSEC_PER_SEC)

static u64 unit_state;
static u64 unit_seed;

/* splitmix64: every seed is a good one, neighbours included */
static inline u64 unit_random(void)
{
	u64 z = unit_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* from..to, both included */
static inline u64 unit_between(u64 from, u64 to)
{
	u64 span = to - from + 1;

	return span ? from + unit_random() % span : unit_random();
}

/* As many small numbers as large ones, 1 .. 2^bits. */
static inline u64 unit_amount(unsigned int bits)
{
	unsigned int size = unit_between(0, bits);

	return unit_between(1ULL << (size ? size - 1 : 0), 1ULL << size);
}

static inline bool unit_chance(unsigned int percent)
{
	return unit_between(1, 100) <= percent;
}

static inline void unit_round(u64 round)
{
	unit_seed = unit_first_seed(UNIT_SEED) + round;
	unit_state = unit_seed;
	unit_pause();
}

/* The rounds of a property test. */
#define unit_rounds(rounds)						\
	for (u64 _i = 0, _n = unit_rounds_of(rounds);			\
	     unit_round(_i), _i < _n; _i++)

/* A check of a property: says which round it was and what was found. */
#define unit_check(condition, format, ...)				\
	do {								\
		if (!(condition))					\
			fail_msg("RAMP_SEED=%llu RAMP_ROUNDS=1: %s: "	\
				 format, unit_seed, #condition,		\
				 ##__VA_ARGS__);			\
	} while (0)

/* The end of each file: its cases, and what runs before and after each. */
#define UNIT_SUITE(suite, ...)						\
	UNIT_SUITE_INIT(suite, NULL, NULL, __VA_ARGS__)

#endif /* _UNIT_H */
