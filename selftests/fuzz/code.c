// SPDX-License-Identifier: GPL-2.0
/* Any bytes as a frame with codes, in memory that ends where they do: one fault or
 * all that a frame should be, and then building it makes the same frame.
 */
#include "fuzz.h"
#include <net/ramp/code.h>

#define HDR	20
#define CODE	4

static u32 be(const u8 *at, u32 bytes)
{
	u32 value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

/* By the layout of the documentation. */
static bool good(const u8 *at, u32 len)
{
	u32 seen = 0, i;

	if (len < HDR || at[0] != 1 || !at[1] || at[1] > 16)
		return false;
	if (!be(at + 2, 2) || be(at + 2, 2) > 10000)
		return false;
	if (len < HDR + at[1] * CODE)
		return false;
	for (i = 0; i < at[1]; i++) {
		const u8 *c = at + HDR + i * CODE;

		if (c[0] > 15 || c[1] || be(c + 2, 2) > 10000 ||
		    seen & 1U << c[0])
			return false;
		seen |= 1U << c[0];
	}
	return true;
}

static void fuzz_one(void)
{
	u32 len = fuzz_end - fuzz_at, band, n;
	struct ramp_code_frame f, again;
	enum ramp_code_fault fault;
	u8 bytes[RAMP_CODE_BYTES_MAX];
	const u8 *from = fuzz_at;

	fault = ramp_code_parse(&f, from, len);
	fuzz_check((fault == RAMP_CODE_GOOD) == good(from, len));
	fuzz_check(fault <= RAMP_CODE_RATE);
	if (fault)
		return;

	fuzz_check(f.epoch == be(from + 4, 4));
	fuzz_check(f.ifindex == be(from + 8, 4));
	fuzz_check(f.parent == be(from + 12, 4));
	fuzz_check(f.seq == be(from + 16, 4));
	fuzz_check(f.validity && f.validity <= RAMP_CODE_VALIDITY_MAX);
	fuzz_check(f.bands);
	for (band = 0; band < RAMP_BANDS_MAX; band++)
		fuzz_check(f.rate[band] <= RAMP_CODE_WHOLE);

	n = ramp_code_build(bytes, &f);
	fuzz_check(n <= len && n <= sizeof(bytes));
	fuzz_check(ramp_code_parse(&again, bytes, n) == RAMP_CODE_GOOD);
	fuzz_check(!memcmp(&again, &f, sizeof(f)));
	for (band = 0; band < n; band++)
		fuzz_check(ramp_code_parse(&again, bytes, band) ==
			   RAMP_CODE_SHORT);
}
