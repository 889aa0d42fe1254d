// SPDX-License-Identifier: GPL-2.0
/* Senders of codes: whatever they say, and whenever, the rates are the least of
 * those that count, nobody counts twice or for longer than he may, and what is
 * not newer changes nothing.
 */
#include "fuzz.h"
#include <net/ramp/peers.h>

static struct ramp_peers t;
static u64 now;

static bool same(const struct ramp_peer *a, const struct ramp_peer *b)
{
	return a->addr == b->addr && a->ifindex == b->ifindex &&
	       a->parent == b->parent;
}

/* The least of those that count. */
static void check_band(u32 band)
{
	u32 rate = RAMP_CODE_WHOLE, i;

	for (i = 0; i < RAMP_PEERS_MAX; i++)
		if (t.peer[i].live && t.peer[i].rate[band] < rate)
			rate = t.peer[i].rate[band];
	fuzz_check(t.rate[band] == rate);
	fuzz_check(ramp_peers_rate(&t, band, 1000) ==
		   (rate < 1000 ? 1000 : rate));
}

static void check_table(void)
{
	u32 bands = 0, band, i, j;
	s64 next = S64_MAX;

	for (band = 0; band < RAMP_BANDS_MAX; band++)
		check_band(band);
	for (i = 0; i < RAMP_PEERS_MAX; i++) {
		const struct ramp_peer *p = &t.peer[i];
		s64 rest = p->expires - now;

		fuzz_check(!p->live || p->known);
		if (!p->live)
			continue;
		/* Nobody is asked to expire too late. */
		if (p->bands && rest < next)
			next = rest;
		bands |= p->bands;
		for (j = 0; j < i; j++)
			fuzz_check(!t.peer[j].known || !same(p, &t.peer[j]));
	}
	fuzz_check(t.bands == bands);
	fuzz_check(!bands || (s64)(t.next - now) == next);
}

static bool named(u64 addr)
{
	u32 i;

	for (i = 0; i < t.from.n; i++)
		if (t.from.addr[i] == addr)
			return true;
	return !t.from.n;
}

/* Others may be heard alone from now on. */
static void only(void)
{
	u64 from[RAMP_OBEY_FROM_MAX];
	u32 n = unit_chance(70) ? 0 : unit_between(1, RAMP_OBEY_FROM_MAX), i;
	u64 expired = t.expired;

	for (i = 0; i < n; i++)
		from[i] = unit_between(0, 30);
	ramp_peers_only(&t, from, n);
	fuzz_check(t.expired == expired);
	for (i = 0; i < RAMP_PEERS_MAX; i++)
		fuzz_check(!t.peer[i].known || named(t.peer[i].addr));
	check_table();
}

static void frame(struct ramp_code_frame *f)
{
	u32 band;

	f->ifindex = unit_between(1, 3);
	f->parent = unit_between(0, 1);
	if (unit_chance(30))
		f->epoch = unit_between(0, 3);
	f->seq = unit_chance(70) ? f->seq + unit_between(0, 3) :
				   unit_between(0, U32_MAX);
	f->validity = unit_between(1, RAMP_CODE_VALIDITY_MAX);
	f->bands = unit_chance(70) ? 1 << unit_between(0, 15) :
				     unit_between(1, 0xffff);
	for (band = 0; band < RAMP_BANDS_MAX; band++)
		if (f->bands & 1U << band)
			f->rate[band] = unit_between(0, RAMP_CODE_WHOLE);
}

static void fuzz_one(void)
{
	struct ramp_code_frame f = { };
	u64 frames = 0, addr, heard;
	struct ramp_peers before;

	now = unit_chance(30) ? 0 - unit_amount(36) : unit_amount(60);
	ramp_peers_init(&t);
	check_table();
	/* A table that has others in it already. */
	frame(&f);
	addr = 8 + (unit_chance(30) ? RAMP_PEERS_MAX :
		    unit_between(0, RAMP_PEERS_MAX));
	for (; addr > 8; addr--) {
		if (unit_chance(30))
			frame(&f);
		fuzz_check(ramp_peers_hear(&t, addr, &f, now) ==
			   RAMP_PEERS_HEARD);
		frames++;
	}
	while (fuzz_more()) {
		enum ramp_peers_verdict verdict;
		bool fewer, may;
		u32 i;

		if (t.bands && unit_chance(20))
			now = t.next - unit_between(0, 1);
		else
			now += unit_amount(unit_chance(10) ? 40 : 30) - 1;
		before = t;
		fewer = ramp_peers_expire(&t, now);
		if (before.bands && (s64)(now - before.next) >= 0)
			fuzz_check(fewer);
		else
			fuzz_check(!fewer && !memcmp(t.rate, before.rate,
						     sizeof(t.rate)));
		for (i = 0; i < RAMP_PEERS_MAX; i++)
			if (t.peer[i].live)
				fuzz_check((s64)(t.peer[i].expires - now) > 0);
		check_band(unit_between(0, RAMP_BANDS_MAX - 1));

		if (unit_chance(2))
			only();
		addr = unit_between(0, 7);
		frame(&f);
		before = t;
		heard = t.heard;
		may = ramp_peers_may(&t, addr, now);
		verdict = ramp_peers_hear(&t, addr, &f, now);
		frames++;
		fuzz_check(t.heard + t.stale + t.ignored == frames);
		fuzz_check(t.heard == heard + (verdict == RAMP_PEERS_HEARD));
		fuzz_check((verdict == RAMP_PEERS_STRANGER) == !named(addr));
		fuzz_check(may || verdict == RAMP_PEERS_FULL ||
			   verdict == RAMP_PEERS_STRANGER);
		if (verdict != RAMP_PEERS_HEARD)
			fuzz_check(!memcmp(t.rate, before.rate,
					   sizeof(t.rate)));
		for (i = 0; i < RAMP_BANDS_MAX; i++)
			if (verdict == RAMP_PEERS_HEARD && f.bands & 1U << i)
				fuzz_check(t.rate[i] <= f.rate[i]);
		/* The same frame again is no news. */
		if (verdict == RAMP_PEERS_HEARD) {
			fuzz_check(ramp_peers_hear(&t, addr, &f, now) ==
				   RAMP_PEERS_STALE);
			frames++;
		}
		check_band(unit_between(0, RAMP_BANDS_MAX - 1));
	}
	check_table();
}
