/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unit tests in user space: each file is a program of cmocka's.
 *
 * RAMP_SEED=N begins the random tests elsewhere, RAMP_ROUNDS=N makes them
 * shorter or longer.
 */
#ifndef _UNIT_CMOCKA_H
#define _UNIT_CMOCKA_H

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

/* What a test is handed. It is nothing here. */
struct kunit;

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static inline u64 unit_env(const char *name, u64 otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

static inline u64 unit_first_seed(u64 otherwise)
{
	return unit_env("RAMP_SEED", otherwise);
}

static inline u64 unit_rounds_of(u64 rounds)
{
	return unit_env("RAMP_ROUNDS", rounds);
}

/* All rounds of the property tests run: what they count means something. */
static inline bool unit_whole(void)
{
	return !getenv("RAMP_ROUNDS");
}

/* Between two rounds. */
static inline void unit_pause(void)
{
}

static inline void *unit_alloc(struct kunit *test, size_t size)
{
	void *p = malloc(size);

	assert_non_null(p);
	return p;
}

static inline void unit_free(struct kunit *test, void *p)
{
	free(p);
}

#define unit_note(format, ...)						\
	print_message("# " format "\n", ##__VA_ARGS__)

/* A case is a function of KUnit's type; cmocka hands it over as its state. */
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
	printf("# " #suite ": RAMP_SEED=%llu\n",			\
	       unit_first_seed(UNIT_SEED));				\
	fflush(stdout);							\
	exit(cmocka_run_group_tests_name(#suite, cases, NULL, NULL));	\
}

#endif /* _UNIT_CMOCKA_H */
