// SPDX-License-Identifier: GPL-2.0
/* Which bands give way to which, of how many packets, when all room
 * is used up.
 */
#include "unit.h"
#include <net/ramp/push.h>

#define BANDS	16

/* The place of a band in the order of all, from what is written of it: exempt
 * ones first, and a lower number before a higher one.
 */
static int rank(int band, u32 exempt)
{
	int i, before = 0;

	for (i = 0; i < BANDS; i++) {
		int other = !(exempt >> i & 1), mine = !(exempt >> band & 1);

		if (other < mine || (other == mine && i < band))
			before++;
	}
	return before;
}

static void bands_below_give_way(struct kunit *test)
{
	u32 exempt, below;
	int b, v;

	for (exempt = 0; exempt < 1 << BANDS; exempt += 1 + exempt / 97) {
		for (b = 0; b < BANDS; b++) {
			below = ramp_push_below(1U << b, exempt);
			for (v = 0; v < BANDS; v++)
				assert_int_equal(below >> v & 1,
						 rank(v, exempt) >
						 rank(b, exempt));
		}
	}
}

static void the_last_gives_way_first(struct kunit *test)
{
	u32 exempt, bands, sorted;
	int v, last, found;

	for (exempt = 0; exempt < 1 << BANDS; exempt += 1 + exempt / 31) {
		for (bands = 1; bands < 1 << BANDS; bands += 1 + bands / 7) {
			last = -1;
			for (v = 0; v < BANDS; v++)
				if (bands >> v & 1 &&
				    (last < 0 ||
				     rank(v, exempt) > rank(last, exempt)))
					last = v;
			sorted = ramp_push_sort(bands, exempt);
			for (found = BANDS; !(sorted >> found & 1);)
				found--;
			assert_int_equal(found, last);
		}
	}
	assert_int_equal(ramp_push_sort(0, 3), 0);
}

static void no_more_than_it_takes(struct kunit *test)
{
	assert_int_equal(ramp_push_need(1000, 1000), 0);
	assert_int_equal(ramp_push_need(1000, 1001), 0);
	assert_int_equal(ramp_push_need(1000, 999), 1);
	assert_int_equal(ramp_push_need(1000, 1), 999);
	assert_int_equal(ramp_push_need(1000, 0), 1000);
	assert_int_equal(ramp_push_need(1, 0), 1);
	/* The bytes of others, not those that a lower limit does not want. */
	assert_int_equal(ramp_push_need(1000, -1), 1000);
	assert_int_equal(ramp_push_need(1000, -(1LL << 40)), 1000);
	/* Where packets are counted there is always room for bytes. */
	assert_int_equal(ramp_push_need(0xffffffff, S64_MAX), 0);
}

UNIT_SUITE(push,
	   UNIT_CASE(bands_below_give_way),
	   UNIT_CASE(the_last_gives_way_first),
	   UNIT_CASE(no_more_than_it_takes));
