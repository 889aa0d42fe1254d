/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all unit tests share: random numbers that can be replayed, and checks
 * that say which round failed.
 *
 * A property test runs many rounds, each with a seed of its own. A failure
 * prints that seed; RAMP_SEED=that RAMP_ROUNDS=1 repeats the one round. A run
 * without RAMP_SEED uses a fixed one, so that nobody's change fails by luck.
 */
#ifndef _UNIT_H
#define _UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <linux/limits.h>
#include <linux/types.h>

struct kunit;

#define UNIT_SEED	20250260650ULL
#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL
#define HOUR		(3600 * NSEC_PER_SEC)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Late in the life of a signed clock: what wraps or compares wrongly shows. */
#define UNIT_LATE_CLOCK	((1ULL << 63) - 20 * NSEC_PER_SEC)

static u64 unit_state;
static u64 unit_seed;

static inline u64 unit_env(const char *name, u64 otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

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
	unit_seed = unit_env("RAMP_SEED", UNIT_SEED) + round;
	unit_state = unit_seed;
}

/* The rounds of a property test. */
#define unit_rounds(rounds)						\
	for (u64 _i = 0, _n = unit_env("RAMP_ROUNDS", rounds);		\
	     unit_round(_i), _i < _n; _i++)

/* A check of a property: says which round it was and what was found. */
#define unit_check(condition, format, ...)				\
	do {								\
		if (!(condition))					\
			fail_msg("RAMP_SEED=%llu RAMP_ROUNDS=1: %s: "	\
				 format, unit_seed, #condition,		\
				 ##__VA_ARGS__);			\
	} while (0)

/* The first line of a test program. */
static inline void unit_begin(const char *name)
{
	printf("# %s: RAMP_SEED=%llu\n", name,
	       unit_env("RAMP_SEED", UNIT_SEED));
	fflush(stdout);
}

/*
 * A suite is described once, at the end of its file: its cases, and what runs
 * before and after each of them. A case is a function of KUnit's type; cmocka
 * hands it over as the state of a case.
 */
struct unit_case {
	void (*run)(struct kunit *test);
};

static int (*unit_before)(struct kunit *test);
static void (*unit_after)(struct kunit *test);

static inline int unit_setup(void **state)
{
	return unit_before ? unit_before(NULL) : 0;
}

static inline int unit_teardown(void **state)
{
	if (unit_after)
		unit_after(NULL);
	return 0;
}

static inline void unit_run(void **state)
{
	const struct unit_case *c = *state;

	c->run(NULL);
}

#define UNIT_CASE(function)						\
	{ #function, unit_run, unit_setup, unit_teardown,		\
	  &(struct unit_case){ function } }

#define UNIT_SUITE_INIT(suite, before, after, ...)			\
int main(void)								\
{									\
	const struct CMUnitTest cases[] = { __VA_ARGS__ };		\
									\
	unit_before = before;						\
	unit_after = after;						\
	unit_begin(#suite);						\
	return cmocka_run_group_tests_name(#suite, cases, NULL, NULL);	\
}

#define UNIT_SUITE(suite, ...)						\
	UNIT_SUITE_INIT(suite, NULL, NULL, __VA_ARGS__)

#endif /* _UNIT_H */
