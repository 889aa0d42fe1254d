/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all fuzz targets share: numbers that libFuzzer chooses, one input after
 * another, and checks that abort.
 *
 * It has the interface of selftests/unit/unit.h, and takes its place, so that the
 * models of the unit tests can be driven by inputs, too. What is drawn when the
 * input is used up is the least of what it could be, and no chance comes true: a
 * target goes on while fuzz_more().
 */
#ifndef _FUZZ_H
#define _FUZZ_H

/* unit.h is not included any more. */
#define _UNIT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/limits.h>
#include <linux/types.h>

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL
#define HOUR		(3600 * NSEC_PER_SEC)
#define UNIT_LATE_CLOCK	((1ULL << 63) - 20 * NSEC_PER_SEC)

static const u8 *fuzz_at, *fuzz_end;

static inline bool fuzz_more(void)
{
	return fuzz_at < fuzz_end;
}

/* That many bytes, or what there is. */
static inline u64 fuzz_take(unsigned int bytes)
{
	u64 value = 0;

	while (bytes-- && fuzz_more())
		value = value << 8 | *fuzz_at++;
	return value;
}

static inline u64 unit_random(void)
{
	return fuzz_take(8);
}

static inline u64 unit_between(u64 from, u64 to)
{
	u64 span = to - from + 1;
	unsigned int bytes = !span || span > 1ULL << 32 ? 8 :
			     span > 1 << 16 ? 4 : span > 1 << 8 ? 2 : 1;
	u64 value = fuzz_take(bytes);

	return from + (span ? value % span : value);
}

/* As many small numbers as large ones, 1 .. 2^bits. */
static inline u64 unit_amount(unsigned int bits)
{
	unsigned int size = unit_between(0, bits);

	return unit_between(1ULL << (size ? size - 1 : 0), 1ULL << size);
}

static inline bool unit_chance(unsigned int percent)
{
	return fuzz_more() && unit_between(1, 100) <= percent;
}

#define unit_check(condition, format, ...)				\
	do {								\
		if (!(condition)) {					\
			fprintf(stderr, "%s:%d: %s: " format "\n",	\
				__FILE__, __LINE__, #condition,		\
				##__VA_ARGS__);				\
			abort();					\
		}							\
	} while (0)

#define fuzz_check(condition)	unit_check(condition, "no")
#define assert_int_equal(a, b)	fuzz_check((a) == (b))

/* One input. */
static void fuzz_one(void);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	fuzz_at = data;
	fuzz_end = data + size;
	fuzz_one();
	return 0;
}

#endif /* _FUZZ_H */
