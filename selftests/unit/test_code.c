// SPDX-License-Identifier: GPL-2.0
/* Frames with codes: their bytes, each fault, and millions of frames that are
 * random or damaged, each in memory that ends where it does.
 */
#include "unit.h"
#include <linux/minmax.h>
#include <net/ramp/code.h>

#define HDR	20
#define CODE	4
#define ROOM	128

/* The example of the documentation: bands 0 and 5 at 50 % and 12.34 %. */
static const struct ramp_code_frame example = {
	.epoch		= 0xdeadbeef,
	.ifindex	= 7,
	.parent		= 0x00010000,
	.seq		= 0xfffffffe,
	.validity	= 1000,
	.bands		= BIT(0) | BIT(5),
	.rate		= { [0] = 5000, [5] = 1234 },
};

static const u8 example_bytes[] = {
	0x01, 0x02, 0x03, 0xe8,
	0xde, 0xad, 0xbe, 0xef,
	0x00, 0x00, 0x00, 0x07,
	0x00, 0x01, 0x00, 0x00,
	0xff, 0xff, 0xff, 0xfe,
	0x00, 0x00, 0x13, 0x88,
	0x05, 0x00, 0x04, 0xd2,
};

static void same(const struct ramp_code_frame *a,
		 const struct ramp_code_frame *b)
{
	u32 band;

	unit_check(a->epoch == b->epoch, "%x, %x", a->epoch, b->epoch);
	unit_check(a->ifindex == b->ifindex, "%u, %u", a->ifindex, b->ifindex);
	unit_check(a->parent == b->parent, "%x, %x", a->parent, b->parent);
	unit_check(a->seq == b->seq, "%u, %u", a->seq, b->seq);
	unit_check(a->validity == b->validity, "%u, %u", a->validity,
		   b->validity);
	unit_check(a->bands == b->bands, "%x, %x", a->bands, b->bands);
	for (band = 0; band < RAMP_BANDS_MAX; band++)
		if (a->bands & BIT(band))
			unit_check(a->rate[band] == b->rate[band], "%u", band);
}

static void byte_for_byte(struct kunit *test)
{
	u8 bytes[RAMP_CODE_BYTES_MAX];
	struct ramp_code_frame f;

	assert_int_equal(RAMP_CODE_BYTES_MAX, HDR + 16 * CODE);
	memset(bytes, 0xaa, sizeof(bytes));
	assert_int_equal(ramp_code_build(bytes, &example),
			 sizeof(example_bytes));
	assert_memory_equal(bytes, example_bytes, sizeof(example_bytes));
	assert_int_equal(bytes[sizeof(example_bytes)], 0xaa);

	assert_int_equal(ramp_code_parse(&f, example_bytes,
					 sizeof(example_bytes)),
			 RAMP_CODE_GOOD);
	same(&f, &example);
}

static struct ramp_code_frame random_frame(void)
{
	struct ramp_code_frame f = {
		.epoch		= unit_random(),
		.ifindex	= unit_random(),
		.parent		= unit_random(),
		.seq		= unit_random(),
		.validity	= unit_between(1, 10000),
		.bands		= unit_between(1, 0xffff),
	};
	u32 band;

	for (band = 0; band < RAMP_BANDS_MAX; band++)
		f.rate[band] = unit_chance(10) ? 0 :
			       unit_chance(10) ? 10000 :
						 unit_between(0, 10000);
	return f;
}

/* There and back, wherever it lies and whatever follows it. */
static void there_and_back(struct kunit *test)
{
	unit_rounds(100000) {
		struct ramp_code_frame f = random_frame(), got;
		u8 room[ROOM], *at = room + unit_between(0, 7);
		u32 bytes, i;

		for (i = 0; i < ROOM; i++)
			room[i] = unit_random();
		bytes = ramp_code_build(at, &f);
		unit_check(bytes ==
			   HDR + CODE * (u32)__builtin_popcount(f.bands),
			   "%u bytes", bytes);
		unit_check(ramp_code_parse(&got, at, bytes) == RAMP_CODE_GOOD,
			   "%u bytes", bytes);
		same(&got, &f);
		unit_check(ramp_code_parse(&got, at,
					   unit_between(bytes, 100)) ==
			   RAMP_CODE_GOOD, "%u bytes", bytes);
		same(&got, &f);
	}
}

static enum ramp_code_fault with(u32 at, u8 value)
{
	struct ramp_code_frame f;
	u8 bytes[sizeof(example_bytes)];

	memcpy(bytes, example_bytes, sizeof(bytes));
	bytes[at] = value;
	return ramp_code_parse(&f, bytes, sizeof(bytes));
}

static void faults_of_the_header(struct kunit *test)
{
	static const u8 unknown[HDR] = { RAMP_CODE_VERSION + 1 };
	struct ramp_code_frame f;
	u32 len;

	for (len = 0; len < sizeof(example_bytes); len++)
		assert_int_equal(ramp_code_parse(&f, example_bytes, len),
				 RAMP_CODE_SHORT);
	/* A header that ends early has no version to be judged by. */
	assert_int_equal(ramp_code_parse(&f, unknown, HDR - 1),
			 RAMP_CODE_SHORT);
	assert_int_equal(ramp_code_parse(&f, unknown, HDR),
			 RAMP_CODE_UNKNOWN);

	assert_int_equal(with(0, 0), RAMP_CODE_UNKNOWN);
	assert_int_equal(with(0, 2), RAMP_CODE_UNKNOWN);
	assert_int_equal(with(1, 0), RAMP_CODE_COUNT);
	assert_int_equal(with(1, 1), RAMP_CODE_GOOD);
	assert_int_equal(with(1, 3), RAMP_CODE_SHORT);
	assert_int_equal(with(1, 16), RAMP_CODE_SHORT);
	assert_int_equal(with(1, 17), RAMP_CODE_COUNT);
	assert_int_equal(with(1, 255), RAMP_CODE_COUNT);
	assert_int_equal(with(2, 0x27), RAMP_CODE_VALIDITY);
	assert_int_equal(with(2, 0xff), RAMP_CODE_VALIDITY);
}

static void a_validity_there_is(struct kunit *test)
{
	struct ramp_code_frame f = example, got;
	static const u16 good[] = { 1, 10, 10000 }, bad[] = { 0, 10001, 65535 };
	u8 bytes[RAMP_CODE_BYTES_MAX];
	u32 i, len;

	for (i = 0; i < 3; i++) {
		f.validity = good[i];
		len = ramp_code_build(bytes, &f);
		assert_int_equal(ramp_code_parse(&got, bytes, len),
				 RAMP_CODE_GOOD);
		assert_int_equal(got.validity, good[i]);
		f.validity = bad[i];
		len = ramp_code_build(bytes, &f);
		assert_int_equal(ramp_code_parse(&got, bytes, len),
				 RAMP_CODE_VALIDITY);
	}
}

static void faults_of_a_code(struct kunit *test)
{
	/* The first code, and the last. */
	assert_int_equal(with(HDR, 15), RAMP_CODE_GOOD);
	assert_int_equal(with(HDR, 16), RAMP_CODE_BAND);
	assert_int_equal(with(HDR + CODE, 16), RAMP_CODE_BAND);
	assert_int_equal(with(HDR + CODE, 255), RAMP_CODE_BAND);
	assert_int_equal(with(HDR, 5), RAMP_CODE_TWICE);
	assert_int_equal(with(HDR + CODE, 0), RAMP_CODE_TWICE);
	assert_int_equal(with(HDR + 1, 1), RAMP_CODE_RESERVED);
	assert_int_equal(with(HDR + CODE + 1, 0x80), RAMP_CODE_RESERVED);
	assert_int_equal(with(HDR + 2, 0x27), RAMP_CODE_RATE);
	assert_int_equal(with(HDR + CODE + 2, 0x27), RAMP_CODE_RATE);
	assert_int_equal(with(HDR + CODE + 2, 0xff), RAMP_CODE_RATE);
}

static void the_whole_and_no_more(struct kunit *test)
{
	struct ramp_code_frame f = example, got;
	u8 bytes[RAMP_CODE_BYTES_MAX];
	u32 len;

	f.rate[5] = 10000;
	len = ramp_code_build(bytes, &f);
	assert_int_equal(ramp_code_parse(&got, bytes, len), RAMP_CODE_GOOD);
	assert_int_equal(got.rate[5], 10000);
	f.rate[5] = 10001;
	len = ramp_code_build(bytes, &f);
	assert_int_equal(ramp_code_parse(&got, bytes, len), RAMP_CODE_RATE);
	f.rate[5] = 0;
	len = ramp_code_build(bytes, &f);
	assert_int_equal(ramp_code_parse(&got, bytes, len), RAMP_CODE_GOOD);
	assert_int_equal(got.rate[5], 0);
}

static u32 get(const u8 *at, u32 bytes)
{
	u32 value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

/* What linux/ramp_code.h says, byte by byte. */
static bool good(const u8 *b, u32 len)
{
	u32 seen = 0, i;

	if (len < HDR || b[0] != 1 || b[1] < 1 || b[1] > 16 ||
	    len < HDR + (u32)CODE * b[1])
		return false;
	if (get(b + 2, 2) < 1 || get(b + 2, 2) > 10000)
		return false;
	for (i = 0; i < b[1]; i++) {
		const u8 *c = b + HDR + CODE * i;

		if (c[0] > 15 || seen & 1U << c[0] || c[1] ||
		    get(c + 2, 2) > 10000)
			return false;
		seen |= 1U << c[0];
	}
	return true;
}

/* Whatever the bytes are: what is read is in range and is what they say. */
static bool judge(const u8 *b, u32 len)
{
	struct ramp_code_frame f, again;
	u8 bytes[RAMP_CODE_BYTES_MAX];
	u32 i;

	if (ramp_code_parse(&f, b, len)) {
		unit_check(!good(b, len), "%u bytes", len);
		return false;
	}
	unit_check(good(b, len), "%u bytes", len);
	unit_check(f.validity == get(b + 2, 2), "%u", f.validity);
	unit_check(f.epoch == get(b + 4, 4), "%x", f.epoch);
	unit_check(f.ifindex == get(b + 8, 4), "%u", f.ifindex);
	unit_check(f.parent == get(b + 12, 4), "%x", f.parent);
	unit_check(f.seq == get(b + 16, 4), "%u", f.seq);
	unit_check(__builtin_popcount(f.bands) == b[1], "%x", f.bands);
	for (i = 0; i < b[1]; i++)
		unit_check(f.rate[b[HDR + CODE * i]] ==
			   get(b + HDR + CODE * i + 2, 2), "code %u", i);

	len = ramp_code_build(bytes, &f);
	unit_check(!ramp_code_parse(&again, bytes, len), "%u bytes", len);
	same(&again, &f);
	return true;
}

static u8 *frame_of[ROOM + 1];

/* The sanitizer notices a read behind any of them. */
static int frames_of_all_lengths(struct kunit *test)
{
	u32 len;

	for (len = 0; len <= ROOM; len++)
		frame_of[len] = unit_alloc(test, len ?: 1);
	return 0;
}

static void frames_freed(struct kunit *test)
{
	u32 len;

	for (len = 0; len <= ROOM; len++)
		unit_free(test, frame_of[len]);
}

static void a_million_random_frames(struct kunit *test)
{
	u32 count = 0;

	unit_rounds(1000000) {
		u32 len = unit_between(0, ROOM), i;
		u8 *b = frame_of[len];

		for (i = 0; i < len; i += sizeof(u64)) {
			u64 word = unit_random();

			memcpy(b + i, &word, min_t(u32, len - i, sizeof(word)));
		}
		/* Most would already end at the version. */
		if (len >= 4 && unit_chance(90)) {
			b[0] = 1;
			b[1] = unit_between(0, 3);
			b[2] = unit_between(0, 0x28);
		}
		if (len >= HDR + CODE && unit_chance(50)) {
			b[HDR] &= 0x1f;
			b[HDR + 1] &= unit_chance(20);
			b[HDR + 2] &= 0x2f;
		}
		count += judge(b, len);
	}
	if (unit_whole())
		assert_in_range(count, 10000, 500000);
}

static void a_million_damaged_frames(struct kunit *test)
{
	u32 count = 0;

	unit_rounds(1000000) {
		struct ramp_code_frame f = random_frame();
		u8 bytes[RAMP_CODE_BYTES_MAX];
		u32 len, cut, n;

		len = ramp_code_build(bytes, &f);
		for (n = unit_between(1, 3); n; n--)
			bytes[unit_between(0, len - 1)] ^=
				1U << unit_between(0, 7);
		if (unit_chance(20))
			bytes[unit_between(0, len - 1)] = unit_random();
		cut = unit_chance(20) ? unit_between(0, len) : len;
		memcpy(frame_of[cut], bytes, cut);
		count += judge(frame_of[cut], cut);
	}
	if (unit_whole())
		assert_in_range(count, 100000, 800000);
}

UNIT_SUITE_INIT(code, frames_of_all_lengths, frames_freed,
		UNIT_CASE(byte_for_byte),
		UNIT_CASE(there_and_back),
		UNIT_CASE(faults_of_the_header),
		UNIT_CASE(a_validity_there_is),
		UNIT_CASE(faults_of_a_code),
		UNIT_CASE(the_whole_and_no_more),
		UNIT_CASE(a_million_random_frames),
		UNIT_CASE(a_million_damaged_frames));
