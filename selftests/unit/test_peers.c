// SPDX-License-Identifier: GPL-2.0
/* Senders of codes: frames that are lost, reordered, doubled, stale or forged,
 * senders that start again or fall silent, and a table that is full.
 */
#include "unit.h"
#include <net/ramp/peers.h>

#define MS	NSEC_PER_MSEC

static struct ramp_peers peers;
static struct ramp_code_frame frame;
static u64 now;

static int begin(struct kunit *test)
{
	ramp_peers_init(&peers);
	now = HOUR;
	frame = (struct ramp_code_frame){
		.epoch = 1000, .ifindex = 3, .parent = 0x10000, .seq = 50,
		.validity = 1000, .bands = BIT(2),
	};
	return 0;
}

/* A frame that asks for a rate for band 2, and says nothing of others. */
static enum ramp_peers_verdict say(u64 addr, u32 seq, u32 rate)
{
	frame.seq = seq;
	frame.rate[2] = rate;
	return ramp_peers_hear(&peers, addr, &frame, now);
}

static u32 rate(void)
{
	return peers.rate[2];
}

static void nobody_is_heard(struct kunit *test)
{
	u32 band;

	for (band = 0; band < RAMP_BANDS_MAX; band++)
		assert_int_equal(ramp_peers_rate(&peers, band, 0), 10000);
	assert_int_equal(peers.bands, 0);
	assert_false(ramp_peers_expire(&peers, now));
	assert_int_equal(peers.expired, 0);
}

static void a_frame_says_it_all(struct kunit *test)
{
	u32 band;

	frame.bands = BIT(0) | BIT(2) | BIT(15);
	frame.rate[0] = 0;
	frame.rate[15] = 777;
	frame.rate[9] = 1;
	assert_int_equal(say(1, 51, 5000), RAMP_PEERS_HEARD);
	for (band = 0; band < RAMP_BANDS_MAX; band++)
		assert_int_equal(peers.rate[band],
				 band == 0 ? 0 : band == 2 ? 5000 :
				 band == 15 ? 777 : 10000);
	assert_int_equal(peers.bands, BIT(0) | BIT(2) | BIT(15));
	assert_int_equal(peers.heard, 1);

	/* What the next one does not name is free. */
	frame.bands = BIT(2);
	assert_int_equal(say(1, 52, 6000), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 6000);
	assert_int_equal(peers.rate[0], 10000);
	assert_int_equal(peers.rate[15], 10000);
	assert_int_equal(peers.bands, BIT(2));

	/* The whole is a code like any other. */
	assert_int_equal(say(1, 53, 10000), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 10000);
	assert_int_equal(peers.bands, BIT(2));
	assert_int_equal(peers.heard, 3);
}

static void not_less_than_the_least(struct kunit *test)
{
	say(1, 51, 300);
	assert_int_equal(ramp_peers_rate(&peers, 2, 1000), 1000);
	assert_int_equal(ramp_peers_rate(&peers, 2, 300), 300);
	assert_int_equal(ramp_peers_rate(&peers, 2, 0), 300);
	say(1, 52, 0);
	assert_int_equal(ramp_peers_rate(&peers, 2, 1000), 1000);
	assert_int_equal(ramp_peers_rate(&peers, 2, 0), 0);
	assert_int_equal(ramp_peers_rate(&peers, 1, 1000), 10000);
}

static void the_smallest_applies(struct kunit *test)
{
	say(1, 1, 5000);
	say(2, 1, 3000);
	say(3, 1, 7000);
	assert_int_equal(rate(), 3000);
	say(2, 2, 6000);
	assert_int_equal(rate(), 5000);
	say(1, 2, 10000);
	assert_int_equal(rate(), 6000);
	say(2, 3, 10000);
	assert_int_equal(rate(), 7000);
	say(3, 2, 10000);
	assert_int_equal(rate(), 10000);
	assert_int_equal(peers.bands, BIT(2));
	assert_int_equal(peers.heard, 7);
}

/* Address, device and qdisc: each alone makes another sender. */
static void who_a_sender_is(struct kunit *test)
{
	say(1, 51, 5000);
	assert_int_equal(say(2, 50, 4000), RAMP_PEERS_HEARD);
	frame.ifindex = 4;
	assert_int_equal(say(1, 50, 3000), RAMP_PEERS_HEARD);
	frame.ifindex = 3;
	frame.parent = 0x10001;
	assert_int_equal(say(1, 50, 2000), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 2000);
	frame.parent = 0x10000;
	assert_int_equal(say(1, 50, 1000), RAMP_PEERS_STALE);
	assert_int_equal(rate(), 2000);
	assert_int_equal(peers.peer[0].rate[2], 5000);
}

static void lost_reordered_and_doubled(struct kunit *test)
{
	say(1, 51, 5000);
	assert_int_equal(say(1, 51, 5000), RAMP_PEERS_STALE);
	assert_int_equal(say(1, 50, 4000), RAMP_PEERS_STALE);
	assert_int_equal(rate(), 5000);
	/* 52 to 99 are lost; 53 comes later. */
	assert_int_equal(say(1, 100, 6000), RAMP_PEERS_HEARD);
	assert_int_equal(say(1, 53, 1000), RAMP_PEERS_STALE);
	assert_int_equal(rate(), 6000);
	assert_int_equal(peers.stale, 3);
	assert_int_equal(peers.heard, 2);
}

static void sequence_numbers_wrap(struct kunit *test)
{
	say(1, U32_MAX - 1, 5000);
	assert_int_equal(say(1, U32_MAX, 4000), RAMP_PEERS_HEARD);
	assert_int_equal(say(1, 0, 3000), RAMP_PEERS_HEARD);
	assert_int_equal(say(1, U32_MAX, 2000), RAMP_PEERS_STALE);
	assert_int_equal(say(1, S32_MAX, 2500), RAMP_PEERS_HEARD);
	assert_int_equal(say(1, 5, 2000), RAMP_PEERS_STALE);
	assert_int_equal(rate(), 2500);
}

/* A frame that is not newer does not refresh, either. */
static void codes_expire(struct kunit *test)
{
	say(1, 51, 5000);
	assert_int_equal(peers.bands, BIT(2));
	assert_int_equal(peers.next, now + 1000 * MS);
	now += 400 * MS;
	assert_int_equal(say(1, 51, 5000), RAMP_PEERS_STALE);
	assert_int_equal(peers.next, now + 600 * MS);

	now += 600 * MS - 1;
	assert_false(ramp_peers_expire(&peers, now));
	assert_int_equal(rate(), 5000);
	now++;
	assert_true(ramp_peers_expire(&peers, now));
	assert_int_equal(rate(), 10000);
	assert_int_equal(peers.bands, 0);
	assert_int_equal(peers.expired, 1);
	assert_false(ramp_peers_expire(&peers, now + HOUR));
	assert_int_equal(peers.expired, 1);
}

static void a_refresh_keeps_codes(struct kunit *test)
{
	u32 i;

	for (i = 1; i < 100; i++) {
		assert_int_equal(say(1, 50 + i, 5000), RAMP_PEERS_HEARD);
		assert_int_equal(peers.next, now + 1000 * MS);
		now += 999 * MS;
		assert_false(ramp_peers_expire(&peers, now));
		assert_int_equal(rate(), 5000);
	}
	assert_int_equal(peers.expired, 0);

	/* One that comes too late is heard, but there was a silence. */
	now += MS;
	assert_int_equal(say(1, 150, 5000), RAMP_PEERS_HEARD);
	assert_int_equal(peers.expired, 1);
	assert_int_equal(rate(), 5000);
}

/* Another sender's frame finds the silence, too. */
static void a_stale_frame_finds_expiry(struct kunit *test)
{
	say(1, 51, 5000);
	frame.validity = 10000;
	say(2, 51, 8000);
	now += 1000 * MS;
	assert_int_equal(say(2, 51, 8000), RAMP_PEERS_STALE);
	assert_int_equal(rate(), 8000);
	assert_int_equal(peers.expired, 1);
	assert_int_equal(peers.next, now + 9000 * MS);
}

static void the_first_to_expire(struct kunit *test)
{
	frame.validity = 5000;
	say(1, 51, 5000);
	frame.validity = 1;
	say(2, 51, 6000);
	assert_int_equal(peers.next, now + MS);
	frame.validity = 3000;
	say(3, 51, 7000);
	assert_int_equal(peers.next, now + MS);
	/* The whole holds for a time, too. Who names nothing needs no timer. */
	frame.validity = 2;
	say(2, 52, 10000);
	assert_int_equal(peers.next, now + 2 * MS);
	frame.bands = 0;
	say(2, 53, 10000);
	assert_int_equal(peers.next, now + 3000 * MS);
	now += 3000 * MS;
	assert_true(ramp_peers_expire(&peers, now));
	assert_int_equal(rate(), 5000);
	assert_int_equal(peers.next, now + 2000 * MS);
	now += 2000 * MS;
	assert_true(ramp_peers_expire(&peers, now));
	assert_int_equal(peers.bands, 0);
	assert_int_equal(peers.expired, 2);
}

/* A sender that said that all is well may fall silent. */
static void all_clear_does_not_expire(struct kunit *test)
{
	say(1, 51, 5000);
	say(1, 52, 10000);
	now += 1000 * MS - 1;
	assert_false(ramp_peers_expire(&peers, now));
	assert_int_equal(peers.bands, BIT(2));
	/* That is no silence, but the band is not held to the full rate any
	 * more.
	 */
	now++;
	assert_true(ramp_peers_expire(&peers, now));
	assert_int_equal(peers.bands, 0);
	assert_int_equal(peers.expired, 0);
	/* A frame of before that comes late is stale all the same. */
	assert_int_equal(say(1, 51, 5000), RAMP_PEERS_STALE);
	assert_int_equal(rate(), 10000);
}

/* Bands are those that any sender names; who names none makes no difference. */
static void bands_that_are_named(struct kunit *test)
{
	say(1, 51, 5000);
	frame.bands = BIT(7);
	frame.rate[7] = 10000;
	say(2, 51, 0);
	assert_int_equal(peers.bands, BIT(2) | BIT(7));
	frame.bands = 0;
	frame.validity = 500;
	say(3, 51, 0);
	say(2, 52, 0);
	assert_int_equal(peers.bands, BIT(2));
	assert_int_equal(peers.next, now + 1000 * MS);
	now += 500 * MS;
	assert_false(ramp_peers_expire(&peers, now));
	assert_int_equal(peers.expired, 0);
}

static void a_sender_starts_again(struct kunit *test)
{
	say(1, 5000, 5000);
	frame.epoch = 2000;
	assert_int_equal(say(1, 1, 8000), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 8000);
	/* Frames of before, on their way for longer. */
	frame.epoch = 1000;
	assert_int_equal(say(1, 5001, 2000), RAMP_PEERS_STALE);
	assert_int_equal(rate(), 8000);
	frame.epoch = 2000;
	assert_int_equal(say(1, 2, 7000), RAMP_PEERS_HEARD);
	assert_int_equal(say(1, 2, 6000), RAMP_PEERS_STALE);
	frame.epoch = 1000;
	assert_int_equal(say(1, 5002, 2000), RAMP_PEERS_STALE);
	frame.epoch = 3000;
	assert_int_equal(say(1, 0, 9000), RAMP_PEERS_HEARD);
	frame.epoch = 2000;
	assert_int_equal(say(1, 3, 2000), RAMP_PEERS_STALE);
	assert_int_equal(rate(), 9000);
	assert_int_equal(peers.stale, 4);
	assert_int_equal(peers.expired, 0);
}

static void late_frames_stay_stale_for_a_while(struct kunit *test)
{
	say(1, 51, 5000);
	now += 1000 * MS;
	ramp_peers_expire(&peers, now);
	now += RAMP_PEERS_MEMORY - 1;
	assert_int_equal(say(1, 51, 5000), RAMP_PEERS_STALE);
	assert_int_equal(rate(), 10000);
	/* But the sender itself is heard. */
	assert_int_equal(say(1, 52, 4000), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 4000);

	now += 1000 * MS + RAMP_PEERS_MEMORY;
	assert_int_equal(say(1, 1, 3000), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 3000);
}

/* Somebody spoke in its name, once: it is heard again before long. */
static void forged_in_the_name_of_a_sender(struct kunit *test)
{
	say(1, 51, 9000);
	frame.epoch = 6666;
	frame.validity = 10000;
	assert_int_equal(say(1, 51, 0), RAMP_PEERS_HEARD);
	assert_int_equal(ramp_peers_rate(&peers, 2, 1000), 1000);
	frame.epoch = 1000;
	frame.validity = 1000;
	assert_int_equal(say(1, 52, 9000), RAMP_PEERS_STALE);
	now += 10000 * MS;
	assert_int_equal(say(1, 53, 9000), RAMP_PEERS_STALE);
	assert_int_equal(rate(), 10000);
	now += RAMP_PEERS_MEMORY;
	assert_int_equal(say(1, 54, 9000), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 9000);
}

static void fill(void)
{
	u64 addr;

	for (addr = 1; addr <= RAMP_PEERS_MAX; addr++) {
		now += MS;
		assert_int_equal(say(addr, 51, 5000 + addr), RAMP_PEERS_HEARD);
	}
}

static void one_sender_too_many(struct kunit *test)
{
	fill();
	assert_int_equal(say(99, 51, 1), RAMP_PEERS_FULL);
	assert_int_equal(rate(), 5001);
	assert_int_equal(peers.ignored, 1);
	assert_int_equal(say(7, 52, 4000), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 4000);

	/* Sender 1 is silent for long enough, 2 not yet. */
	now = HOUR + MS + 1000 * MS;
	assert_int_equal(say(99, 51, 3000), RAMP_PEERS_HEARD);
	assert_int_equal(say(98, 51, 2000), RAMP_PEERS_FULL);
	assert_int_equal(say(1, 52, 2000), RAMP_PEERS_FULL);
	assert_int_equal(rate(), 3000);
	assert_int_equal(peers.expired, 1);
	assert_int_equal(peers.ignored, 3);
}

static void the_first_that_expired_goes(struct kunit *test)
{
	u64 addr;

	fill();
	/* 3 is refreshed: 4 is the third that expires. */
	say(3, 52, 5003);
	now += 1000 * MS;
	ramp_peers_expire(&peers, now);
	for (addr = 101; addr <= 103; addr++)
		assert_int_equal(say(addr, 51, 9000), RAMP_PEERS_HEARD);
	assert_int_equal(say(3, 52, 1), RAMP_PEERS_STALE);
	assert_int_equal(say(5, 51, 1), RAMP_PEERS_STALE);
	assert_int_equal(say(16, 51, 1), RAMP_PEERS_STALE);
	/* 1, 2 and 4 are not remembered. */
	for (addr = 1; addr <= 4; addr++)
		if (addr != 3)
			assert_int_equal(say(addr, 51, 8000),
					 RAMP_PEERS_HEARD);
}

/* Forgotten ones make room before any that is remembered. */
static void the_forgotten_make_room(struct kunit *test)
{
	u64 addr;

	fill();
	now += 1000 * MS + RAMP_PEERS_MEMORY - 3 * MS;
	ramp_peers_expire(&peers, now);
	for (addr = 101; addr <= 113; addr++)
		assert_int_equal(say(addr, 51, 9000), RAMP_PEERS_HEARD);
	for (addr = 14; addr <= 16; addr++)
		assert_int_equal(say(addr, 51, 9000), RAMP_PEERS_STALE);
	assert_int_equal(say(114, 51, 9000), RAMP_PEERS_HEARD);
	assert_int_equal(say(15, 51, 9000), RAMP_PEERS_STALE);
	assert_int_equal(say(14, 51, 9000), RAMP_PEERS_HEARD);
}

/* Addresses that are heard alone, as often as others ask. */
static void only_some_are_heard(struct kunit *test)
{
	static const u64 few[] = { 1, 3, 0xfedcba987654 };
	u32 i;

	say(1, 51, 5000);
	say(2, 51, 2000);
	assert_int_equal(rate(), 2000);
	ramp_peers_only(&peers, few, ARRAY_SIZE(few));
	/* What others said is forgotten, and no silence. */
	assert_int_equal(rate(), 5000);
	assert_int_equal(peers.expired, 0);
	assert_int_equal(say(2, 52, 1000), RAMP_PEERS_STRANGER);
	assert_int_equal(rate(), 5000);
	assert_int_equal(peers.ignored, 1);
	for (i = 0; i < ARRAY_SIZE(few); i++)
		assert_int_equal(say(few[i], 60, 9000 - i), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 8998);

	/* Each of the last two is heard, as well as the first. */
	ramp_peers_only(&peers, few + 2, 1);
	assert_int_equal(say(1, 61, 1000), RAMP_PEERS_STRANGER);
	assert_int_equal(say(few[2], 61, 7000), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 7000);
	assert_int_equal(peers.ignored, 2);

	ramp_peers_only(&peers, few, 0);
	assert_int_equal(rate(), 7000);
	assert_int_equal(say(2, 1, 6000), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 6000);
}

/* Who has spoken without room for it stays unheard until somebody
 * falls silent.
 */
static void who_is_first_keeps_its_place(struct kunit *test)
{
	u32 i;
	u64 addr = 0x020000000000;

	/* Times wrap: 0 is later than this one. */
	now = 0 - HOUR;
	for (i = 0; i < RAMP_PEERS_MAX; i++) {
		assert_true(ramp_peers_may(&peers, i, now));
		assert_true(ramp_peers_may(&peers, ~0, now));
		frame.validity = i == 5 ? 500 : 1000;
		assert_int_equal(say(i, 51, 9000), RAMP_PEERS_HEARD);
	}
	for (i = 0; i < 100000; i++) {
		addr += unit_between(1, 1000);
		assert_false(ramp_peers_may(&peers, addr, now));
		assert_int_equal(say(addr, 51, 0), RAMP_PEERS_FULL);
	}
	assert_int_equal(peers.ignored, 100000);
	assert_int_equal(rate(), 9000);
	for (i = 0; i < RAMP_PEERS_MAX; i++) {
		assert_true(ramp_peers_may(&peers, i, now));
		frame.validity = i == 5 ? 500 : 1000;
		assert_int_equal(say(i, 52, 9000), RAMP_PEERS_HEARD);
	}

	/* The sixth is silent for long enough. */
	now += 500 * MS - 1;
	assert_false(ramp_peers_may(&peers, addr, now));
	now++;
	assert_true(ramp_peers_may(&peers, addr, now));
	assert_int_equal(say(addr, 51, 5000), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 5000);
}

/* However short codes count, their sender's place is not another one's at
 * once.
 */
static void a_place_is_kept_for_a_while(struct kunit *test)
{
	u64 addr;

	frame.validity = 1;
	for (addr = 1; addr <= RAMP_PEERS_MAX; addr++)
		assert_int_equal(say(addr, 51, 9000), RAMP_PEERS_HEARD);
	now += MS;
	ramp_peers_expire(&peers, now);
	assert_int_equal(rate(), 10000);
	assert_int_equal(peers.expired, RAMP_PEERS_MAX);
	assert_false(ramp_peers_may(&peers, 99, now));
	assert_int_equal(say(99, 51, 1), RAMP_PEERS_FULL);
	assert_true(ramp_peers_may(&peers, 5, now));
	assert_int_equal(say(5, 52, 7000), RAMP_PEERS_HEARD);
	assert_int_equal(rate(), 7000);

	now += 9 * MS - 1;
	assert_false(ramp_peers_may(&peers, 99, now));
	assert_int_equal(say(99, 51, 1), RAMP_PEERS_FULL);
	now++;
	/* That one spoke again does not keep it for longer. */
	for (addr = 101; addr <= 100 + RAMP_PEERS_MAX; addr++) {
		assert_true(ramp_peers_may(&peers, addr, now));
		assert_int_equal(say(addr, 51, 8000), RAMP_PEERS_HEARD);
	}
	assert_false(ramp_peers_may(&peers, 5, now));
	assert_int_equal(peers.ignored, 2);
}

/* Whatever others say, and with a full table, who is named is heard. */
static void strangers_take_no_place(struct kunit *test)
{
	u64 few[RAMP_OBEY_FROM_MAX], addr;
	u32 i;

	for (i = 0; i < RAMP_OBEY_FROM_MAX; i++)
		few[i] = 0x0a0b0c0d0000 + i;
	ramp_peers_only(&peers, few, RAMP_OBEY_FROM_MAX);
	for (i = 0; i < RAMP_OBEY_FROM_MAX; i++) {
		for (addr = few[i] - 40; addr < few[0]; addr++) {
			assert_false(ramp_peers_may(&peers, addr, now));
			assert_int_equal(say(addr, 51, 0), RAMP_PEERS_STRANGER);
		}
		assert_true(ramp_peers_may(&peers, few[i], now));
		assert_int_equal(say(few[i], 51, 9000 - i), RAMP_PEERS_HEARD);
	}
	assert_int_equal(rate(), 9000 - RAMP_OBEY_FROM_MAX + 1);
	/* One of them has more than one qdisc. */
	frame.ifindex = 4;
	assert_true(ramp_peers_may(&peers, few[3], now));
	assert_int_equal(say(few[3], 51, 5000), RAMP_PEERS_FULL);
}

UNIT_SUITE_INIT(peers, begin, NULL,
		UNIT_CASE(nobody_is_heard),
		UNIT_CASE(a_frame_says_it_all),
		UNIT_CASE(not_less_than_the_least),
		UNIT_CASE(the_smallest_applies),
		UNIT_CASE(who_a_sender_is),
		UNIT_CASE(lost_reordered_and_doubled),
		UNIT_CASE(sequence_numbers_wrap),
		UNIT_CASE(codes_expire),
		UNIT_CASE(a_refresh_keeps_codes),
		UNIT_CASE(a_stale_frame_finds_expiry),
		UNIT_CASE(the_first_to_expire),
		UNIT_CASE(all_clear_does_not_expire),
		UNIT_CASE(bands_that_are_named),
		UNIT_CASE(a_sender_starts_again),
		UNIT_CASE(late_frames_stay_stale_for_a_while),
		UNIT_CASE(forged_in_the_name_of_a_sender),
		UNIT_CASE(one_sender_too_many),
		UNIT_CASE(the_first_that_expired_goes),
		UNIT_CASE(the_forgotten_make_room),
		UNIT_CASE(only_some_are_heard),
		UNIT_CASE(who_is_first_keeps_its_place),
		UNIT_CASE(a_place_is_kept_for_a_while),
		UNIT_CASE(strangers_take_no_place));
