// SPDX-License-Identifier: GPL-2.0
/* Random frames of more senders than there is room for, against a list of all
 * that was ever said.
 */
#include "unit.h"
#include <net/ramp/peers.h>

#define MS	NSEC_PER_MSEC

static struct ramp_peers peers;
static u64 now;

/* All that was said, by sender. */
#define SENDERS	24

static struct said {
	bool	known;
	bool	live;
	u32	epoch;
	u32	before;
	u32	seq;
	u64	since;
	u64	expires;
	struct ramp_code_frame frame;
} said[SENDERS];

static u64 said_expired, said_gone;

static bool said_narrow(const struct said *s)
{
	u32 band;

	for (band = 0; band < RAMP_BANDS_MAX; band++)
		if (s->frame.bands & BIT(band) && s->frame.rate[band] < 10000)
			return true;
	return false;
}

static void said_age(void)
{
	struct said *s;

	for (s = said; s < said + SENDERS; s++) {
		if (s->live && now >= s->expires) {
			s->live = false;
			said_expired += said_narrow(s);
			said_gone += !!s->frame.bands;
		}
		if (now >= s->expires + 10 * NSEC_PER_SEC)
			s->known = false;
	}
}

static enum ramp_peers_verdict said_hear(u32 who,
					 const struct ramp_code_frame *f)
{
	struct said *s, *gone = NULL;
	u32 known = 0;

	said_age();
	s = &said[who];
	if (s->known) {
		if (s->epoch == f->epoch ? (s32)(f->seq - s->seq) <= 0 :
					   s->before == f->epoch)
			return RAMP_PEERS_STALE;
		if (s->epoch != f->epoch)
			s->before = s->epoch;
	} else {
		for (s = said; s < said + SENDERS; s++) {
			known += s->known;
			if (s->known && !s->live &&
			    now >= s->since + 10 * MS &&
			    (!gone || s->expires < gone->expires))
				gone = s;
		}
		if (known == RAMP_PEERS_MAX) {
			if (!gone)
				return RAMP_PEERS_FULL;
			gone->known = false;
		}
		s = &said[who];
		s->before = f->epoch;
		s->since = now;
	}
	s->known = true;
	s->live = true;
	s->epoch = f->epoch;
	s->seq = f->seq;
	s->expires = now + f->validity * MS;
	s->frame = *f;
	return RAMP_PEERS_HEARD;
}

static void said_agrees(u32 step)
{
	const struct said *s;
	u32 bands = 0;
	u64 next = U64_MAX;
	u32 band;

	for (band = 0; band < RAMP_BANDS_MAX; band++) {
		u32 least = 10000;

		for (s = said; s < said + SENDERS; s++)
			if (s->live && s->frame.bands & BIT(band))
				least = min_t(u32, least, s->frame.rate[band]);
		unit_check(peers.rate[band] == least,
			   "step %u: band %u: %u is not %u", step, band,
			   peers.rate[band], least);
	}
	for (s = said; s < said + SENDERS; s++) {
		if (s->live && s->frame.bands) {
			bands |= s->frame.bands;
			next = min_t(u64, next, s->expires);
		}
	}
	unit_check(peers.bands == bands, "step %u: bands %x are not %x", step,
		   peers.bands, bands);
	if (bands)
		unit_check(peers.next == next, "step %u: %llu is not %llu",
			   step, peers.next, next);
	unit_check(peers.expired == said_expired, "step %u: %llu is not %llu",
		   step, peers.expired, said_expired);
}

static void all_that_was_said(struct kunit *test)
{
	unit_rounds(500) {
		u64 counted[3] = {}, senders = unit_between(1, SENDERS);
		u32 epochs = unit_between(1, 4), step;

		ramp_peers_init(&peers);
		memset(said, 0, sizeof(said));
		said_expired = 0;
		now = unit_chance(30) ? UNIT_LATE_CLOCK :
					unit_between(0, HOUR);

		for (step = 0; step < 500; step++) {
			enum ramp_peers_verdict verdict, expected;
			u32 who = unit_between(0, senders - 1);
			struct ramp_code_frame f = {
				.epoch = unit_between(1, epochs),
				.ifindex = who % 3, .parent = who / 12,
				.seq = unit_chance(10) ? unit_random() :
				       said[who].seq +
				       unit_between(0, 6) - 3,
				.validity = unit_chance(50) ?
					    unit_between(1, 10000) :
					    unit_chance(50) ?
					    unit_between(1, 12) : 500,
				.bands = unit_chance(50) ? BIT(2) :
					 unit_between(0, 0xffff),
			};
			u32 band;

			for (band = 0; band < RAMP_BANDS_MAX; band++)
				f.rate[band] = unit_chance(50) ? 10000 :
					       unit_between(0, 10000);

			now += unit_chance(3) ? unit_between(0, 12000) * MS :
			       unit_chance(50) ? unit_between(1, 100 * MS) :
						 unit_between(1, 2 * MS);
			if (unit_chance(30)) {
				u64 before = said_gone;

				said_age();
				unit_check(ramp_peers_expire(&peers, now) ==
					   (before != said_gone),
					   "step %u", step);
				said_agrees(step);
			}
			expected = said_hear(who, &f);
			verdict = ramp_peers_hear(&peers, who / 3 % 4, &f,
						  now);
			unit_check(verdict == expected,
				   "step %u: %u is not %u", step, verdict,
				   expected);
			counted[verdict]++;
			said_agrees(step);
		}
		unit_check(peers.heard == counted[RAMP_PEERS_HEARD] &&
			   peers.stale == counted[RAMP_PEERS_STALE] &&
			   peers.ignored == counted[RAMP_PEERS_FULL],
			   "%llu, %llu, %llu", peers.heard, peers.stale,
			   peers.ignored);
	}
}

UNIT_SUITE(peers_random,
	   UNIT_CASE(all_that_was_said));
