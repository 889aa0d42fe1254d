/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Peers: whose rate codes count, and what they amount to
 *
 * US 7298703, [0028] and [0035]: one fabric hears several line cards. Here each
 * sender of codes is known by its address, device and qdisc, and its last frame
 * says all that it asks for: bands that are not in it may send at the full
 * rate. Among senders the least rate counts.
 *
 * A frame counts when it is newer than the last one of its sender: a greater
 * sequence number of the same epoch, or another epoch, as the sender may have
 * started again, but not the epoch before that. Codes that are not sent again
 * while they are valid no longer count. Until then they do, also those that say
 * that a band may send at the full rate: it is no less, and no more. Who is not
 * heard any more is remembered for a while, so that a frame that comes late
 * does not narrow again; then it is forgotten, so that nobody who once spoke in
 * the name of a sender makes it unheard for longer.
 *
 * The table is small and bounded: a sender more than it holds replaces one
 * whose codes no longer count, and which has had its place for a while, or is
 * ignored. So whoever is heard keeps its place for as long as it speaks.
 * Anybody on the link may have taken all places by then; that a sender has one
 * is certain only if those who are heard are named. A frame that cannot count,
 * whatever it says, is known by its address, and need not be read: a flood of
 * them costs little.
 *
 * Nothing here locks: the caller serialises all calls for one table. Any
 * context.
 */
#ifndef _NET_RAMP_PEERS_H
#define _NET_RAMP_PEERS_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include <net/ramp/code.h>

/* Senders that are remembered, at most. */
#define RAMP_PEERS_MAX		16
/* ns, how long a sender is remembered after its codes no longer count. */
#define RAMP_PEERS_MEMORY	10000000000ULL
#define RAMP_PEERS_MS		1000000ULL
/* ns, for how long a place is its sender's at least, however short its codes
 * count: a flood of senders with codes of 1 ms would have one more of them read
 * and put in force with each place that gets free.
 */
#define RAMP_PEERS_PLACE	(10 * RAMP_PEERS_MS)

/**
 * enum ramp_peers_verdict - what became of a frame
 * @RAMP_PEERS_HEARD: it counts
 * @RAMP_PEERS_STALE: it is not newer than what its sender said before
 * @RAMP_PEERS_FULL: there is no room for one more sender
 * @RAMP_PEERS_STRANGER: it is not from one of those who are heard
 */
enum ramp_peers_verdict {
	RAMP_PEERS_HEARD,
	RAMP_PEERS_STALE,
	RAMP_PEERS_FULL,
	RAMP_PEERS_STRANGER,
};

/**
 * struct ramp_peer - one sender
 * @known: all that follows means something
 * @live: its codes count
 * @narrow: one of its codes is less than the whole
 * @addr: its address
 * @ifindex: its device
 * @parent: its qdisc
 * @epoch: of its last frame
 * @before: the epoch before that, or the same
 * @seq: of its last frame
 * @bands: bitmap of the bands that it names
 * @since: ns, when it got this place
 * @expires: ns, until when its codes count
 * @rate: hundredths of a percent, by band
 */
struct ramp_peer {
	bool	known;
	bool	live;
	bool	narrow;
	u64	addr;
	u32	ifindex;
	u32	parent;
	u32	epoch;
	u32	before;
	u32	seq;
	u16	bands;
	u64	since;
	u64	expires;
	u16	rate[RAMP_BANDS_MAX];
};

/**
 * struct ramp_peers_set - addresses
 * @n: how many
 * @marks: one bit for each, which others may have, too: 15 of 16 addresses that
 *	are not in the set, or more, are known by it
 * @addr: the addresses
 */
struct ramp_peers_set {
	u32	n;
	u64	marks[4];
	u64	addr[RAMP_PEERS_MAX];
};

/**
 * struct ramp_peers - all senders
 * @rate: hundredths of a percent, by band: the least that one of them asks for
 * @bands: bitmap of the bands that a code counts for, be it the whole
 * @next: ns, if @bands: when the first sender expires that names one
 * @heard: frames that counted
 * @stale: frames that were not newer than those before
 * @ignored: frames that there was no room for, or of strangers; the caller
 *	counts its own
 * @expired: senders that asked for less than the whole and were not heard again
 * @full: all places are taken
 * @room: ns, if @full: when the first of them may be another sender's
 * @heard_of: if @full: their addresses
 * @from: addresses that alone are heard; none: anybody
 * @peer: in any order
 */
struct ramp_peers {
	u16			rate[RAMP_BANDS_MAX];
	u16			bands;
	u64			next;
	u64			heard;
	u64			stale;
	u64			ignored;
	u64			expired;
	bool			full;
	u64			room;
	struct ramp_peers_set	heard_of;
	struct ramp_peers_set	from;
	struct ramp_peer	peer[RAMP_PEERS_MAX];
};

/* ns, when the place of a sender may be another one's */
static inline u64 ramp_peers_until(const struct ramp_peer *p)
{
	u64 least = p->since + RAMP_PEERS_PLACE;

	return (s64)(p->expires - least) > 0 ? p->expires : least;
}

static inline void ramp_peers_add(struct ramp_peers_set *set, u64 addr)
{
	u32 mark = hash_64(addr, 8);

	set->marks[mark / 64] |= BIT_ULL(mark % 64);
	set->addr[set->n++] = addr;
}

static inline bool ramp_peers_has(const struct ramp_peers_set *set, u64 addr)
{
	u32 mark = hash_64(addr, 8), n = set->n;

	if (!(set->marks[mark / 64] & BIT_ULL(mark % 64)))
		return false;
	while (n--)
		if (set->addr[n] == addr)
			return true;
	return false;
}

/* Is there room for more senders, and when? */
static inline void ramp_peers_room(struct ramp_peers *t)
{
	u32 i;

	t->full = true;
	memset(&t->heard_of, 0, sizeof(t->heard_of));
	for (i = 0; i < RAMP_PEERS_MAX; i++) {
		const struct ramp_peer *p = &t->peer[i];
		u64 until = ramp_peers_until(p);

		t->full &= p->known;
		ramp_peers_add(&t->heard_of, p->addr);
		if (!i || (s64)(until - t->room) < 0)
			t->room = until;
	}
}

static inline bool ramp_peers_stranger(const struct ramp_peers *t, u64 addr)
{
	return t->from.n && !ramp_peers_has(&t->from, addr);
}

/**
 * ramp_peers_may - may a frame of this sender count?
 * @t: table
 * @addr: of the sender
 * @now: ns
 *
 * Return: false if ramp_peers_hear() ignores it, whatever it says
 */
static inline bool ramp_peers_may(const struct ramp_peers *t, u64 addr, u64 now)
{
	if (ramp_peers_stranger(t, addr))
		return false;
	return !t->full || (s64)(now - t->room) >= 0 ||
	       ramp_peers_has(&t->heard_of, addr);
}

/* What all senders together ask for. */
static inline void ramp_peers_sum(struct ramp_peers *t)
{
	u32 i, band;

	for (band = 0; band < RAMP_BANDS_MAX; band++)
		t->rate[band] = RAMP_CODE_WHOLE;
	t->bands = 0;

	for (i = 0; i < RAMP_PEERS_MAX; i++) {
		const struct ramp_peer *p = &t->peer[i];

		if (!p->live || !p->bands)
			continue;
		for (band = 0; band < RAMP_BANDS_MAX; band++)
			t->rate[band] = min(t->rate[band], p->rate[band]);
		if (!t->bands || (s64)(p->expires - t->next) < 0)
			t->next = p->expires;
		t->bands |= p->bands;
	}
	ramp_peers_room(t);
}

/**
 * ramp_peers_init - nobody has been heard
 * @t: table
 */
static inline void ramp_peers_init(struct ramp_peers *t)
{
	memset(t, 0, sizeof(*t));
	ramp_peers_sum(t);
}

/**
 * ramp_peers_only - hear these senders and nobody else
 * @t: table
 * @addr: their addresses
 * @n: how many, up to RAMP_OBEY_FROM_MAX; 0: hear anybody
 *
 * What others said is forgotten.
 */
static inline void ramp_peers_only(struct ramp_peers *t, const u64 *addr, u32 n)
{
	u32 i;

	memset(&t->from, 0, sizeof(t->from));
	for (i = 0; i < n; i++)
		ramp_peers_add(&t->from, addr[i]);
	for (i = 0; i < RAMP_PEERS_MAX; i++)
		if (ramp_peers_stranger(t, t->peer[i].addr))
			memset(&t->peer[i], 0, sizeof(t->peer[i]));
	ramp_peers_sum(t);
}

/**
 * ramp_peers_rate - what a band may send at
 * @t: table
 * @band: band, less than RAMP_BANDS_MAX
 * @least: hundredths of a percent, no sender can ask for less
 *
 * Return: hundredths of a percent
 */
static inline u32 ramp_peers_rate(const struct ramp_peers *t, u32 band,
				  u32 least)
{
	return max_t(u32, t->rate[band], least);
}

/**
 * ramp_peers_expire - some codes may no longer count
 * @t: table
 * @now: ns
 *
 * Due at @t->next, if @t->bands.
 *
 * Return: true when a sender that named a band does no longer: rates may be
 *	others
 */
static inline bool ramp_peers_expire(struct ramp_peers *t, u64 now)
{
	bool fewer = false;
	u32 i;

	for (i = 0; i < RAMP_PEERS_MAX; i++) {
		struct ramp_peer *p = &t->peer[i];
		s64 over = now - p->expires;

		if (p->live && over >= 0) {
			p->live = false;
			t->expired += p->narrow;
			fewer |= p->bands;
		}
		if (p->known && over >= (s64)RAMP_PEERS_MEMORY)
			p->known = false;
	}
	if (fewer)
		ramp_peers_sum(t);
	return fewer;
}

/* The sender of a frame, or room for it, or NULL. */
static inline struct ramp_peer *
ramp_peers_find(struct ramp_peers *t, u64 addr, const struct ramp_code_frame *f,
		u64 now)
{
	struct ramp_peer *room = NULL;
	u32 i;

	for (i = 0; i < RAMP_PEERS_MAX; i++) {
		struct ramp_peer *p = &t->peer[i];

		if (p->known && p->addr == addr && p->ifindex == f->ifindex &&
		    p->parent == f->parent)
			return p;
		/* Who is forgotten goes before the one that expired first. */
		if (room && !room->known)
			continue;
		if (p->known && (s64)(now - ramp_peers_until(p)) < 0)
			continue;
		if (!room || !p->known || (s64)(p->expires - room->expires) < 0)
			room = p;
	}
	if (room)
		room->known = false;
	return room;
}

static inline bool ramp_peers_newer(const struct ramp_peer *p,
				    const struct ramp_code_frame *f)
{
	if (f->epoch == p->epoch)
		return (s32)(f->seq - p->seq) > 0;
	return f->epoch != p->before;
}

/**
 * ramp_peers_hear - a frame came
 * @t: table
 * @addr: of its sender
 * @f: what it says
 * @now: ns
 *
 * Also does what ramp_peers_expire() would do, so @t->rate and @t->bands may be
 * others whatever is returned.
 *
 * Return: what became of it, counted in @t
 */
static inline enum ramp_peers_verdict
ramp_peers_hear(struct ramp_peers *t, u64 addr, const struct ramp_code_frame *f,
		u64 now)
{
	struct ramp_peer *p;
	u32 band;

	ramp_peers_expire(t, now);
	if (ramp_peers_stranger(t, addr)) {
		t->ignored++;
		return RAMP_PEERS_STRANGER;
	}
	p = ramp_peers_find(t, addr, f, now);
	if (!p) {
		t->ignored++;
		return RAMP_PEERS_FULL;
	}
	if (p->known && !ramp_peers_newer(p, f)) {
		t->stale++;
		return RAMP_PEERS_STALE;
	}

	if (!p->known) {
		p->before = f->epoch;
		p->since = now;
	} else if (p->epoch != f->epoch) {
		p->before = p->epoch;
	}
	p->known = true;
	p->live = true;
	p->narrow = false;
	p->addr = addr;
	p->ifindex = f->ifindex;
	p->parent = f->parent;
	p->epoch = f->epoch;
	p->seq = f->seq;
	p->bands = f->bands;
	p->expires = now + f->validity * RAMP_PEERS_MS;
	for (band = 0; band < RAMP_BANDS_MAX; band++) {
		p->rate[band] = f->bands & BIT(band) ? f->rate[band] :
						       RAMP_CODE_WHOLE;
		p->narrow |= p->rate[band] < RAMP_CODE_WHOLE;
	}
	ramp_peers_sum(t);
	t->heard++;
	return RAMP_PEERS_HEARD;
}

#endif /* _NET_RAMP_PEERS_H */
