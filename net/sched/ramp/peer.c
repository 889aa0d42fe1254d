// SPDX-License-Identifier: GPL-2.0
/*
 * The pace of the bands, as peers ask for it: each band that a code counts for
 * pays from a bucket of its own (net/ramp/pacer.h), and is passed over while
 * there is not enough in it; at 100 % as well, as the device may be faster. A
 * rate that becomes higher does so by a step per tick (net/ramp/climb.h), and
 * so does that of a band whose codes count no longer, until nothing waits in
 * it. Everything here runs under the root lock; what the queues of a ramp_mq
 * have in common is under that of the ear.
 */

#include <linux/ktime.h>

#include "ramp.h"

/* The rates as they are now, and when that may change by itself. Returns
 * whether a peer was not heard for too long.
 */
static bool ramp_peer_rates(struct ramp_obey *o, u16 *rate, u64 now)
{
	struct ramp_ear *ear = o->ear;
	u64 expired = o->expired;
	u32 i;

	spin_lock_bh(&ear->lock);
	ramp_peers_expire(&ear->peers, now);
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		rate[i] = ramp_peers_rate(&ear->peers, i, o->min);
	o->bands = ear->peers.bands;
	o->next = o->bands ? ear->peers.next : U64_MAX;
	o->expired = ear->peers.expired;
	spin_unlock_bh(&ear->lock);
	return expired != o->expired;
}

/* CPUs read the clock before they come here, and one may be late. */
static u64 ramp_ear_now(struct ramp_ear *ear, u64 now)
{
	ear->now = max(ear->now, now);
	return ear->now;
}

/* All queues wait for the same tokens, and who has small packets would always
 * find enough of them before those with large ones. So whoever is refused has
 * the next turn, if nobody else has and he was not the last one.
 *
 * Returns when a queue is to ask for its packet, 0: it may leave now.
 */
static u64 ramp_ear_ask(const struct ramp_obey *o, u32 band, u32 len, u64 now)
{
	struct ramp_ear *ear = o->ear;
	u64 when = ear->turn_when[band];

	if (ear->turn[band] && ear->turn[band] != o) {
		if (now < when)
			return when + RAMP_EAR_YIELD;
		if (now < when + RAMP_EAR_GRACE)
			return when + RAMP_EAR_GRACE;
		ear->turn[band] = NULL;
	}
	if (ramp_pacer_admit(&ear->pacer[band], len, now))
		return 0;

	when = min(ramp_climb_when(&ear->climb[band]),
		   ramp_pacer_when(&ear->pacer[band], len));
	if (ear->paced[band] < 2 || when == U64_MAX)
		return when;
	/* After those who wait for the end of a turn. */
	if (ear->last[band] == o && !ear->turn[band])
		return when + 2 * RAMP_EAR_YIELD;
	ear->turn[band] = o;
	ear->turn_when[band] = when;
	return when;
}

/* The pacer of a band has the rate that its climb has reached. */
static void ramp_peer_follow(struct Qdisc *sch, u32 band, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_ear *ear = q->obey->ear;
	u64 rate = ear->climb[band].rate;
	u64 depth = ramp_pacer_depth(rate, q->own.plan.slope.tick,
				     ramp_mtu(sch));

	if (ear->paced[band])
		ramp_pacer_change(&ear->pacer[band], rate, depth, now);
	else
		ramp_pacer_init(&ear->pacer[band], rate, depth, now);
	if (!(q->paced & BIT(band)))
		ear->paced[band]++;
	q->paced |= BIT(band);
}

/* A step of the climb is due. */
static void ramp_peer_climb(struct Qdisc *sch, u32 band, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_slope_params *p = &q->own.plan.slope;
	u64 step = p->packets ? ramp_times(p->step, ramp_mtu(sch)) : p->step;

	ramp_climb_on(&q->obey->ear->climb[band],
		      ramp_climb_step(step, p->tick), p->tick, now);
	ramp_peer_follow(sch, band, now);
}

/* One band goes by its rate from now on, or lets go of what it held back. */
static void ramp_peer_pace(struct Qdisc *sch, u32 band, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_obey *o = q->obey;
	bool paced = q->paced & BIT(band);
	bool told = o->bands & BIT(band);
	struct ramp_ear *ear = o->ear;
	u64 goal = RAMP_CLIMB_OPEN;

	spin_lock_bh(&ear->lock);
	now = ramp_ear_now(ear, now);
	/* Without a rate there is nothing that it could be a share of. */
	if (!q->law.rate || band >= q->law.bands || q->law.exempt & BIT(band) ||
	    (!told && !(paced && ramp_band_queued(&q->band[band])))) {
		ramp_ear_let_go(q, band);
		goto unlock;
	}
	if (told)
		goal = ramp_pacer_rate(q->law.rate, o->rate[band]);
	/* It was for a time that came of another rate. */
	ear->turn[band] = NULL;
	if (ear->paced[band])
		ramp_climb_to(&ear->climb[band], goal, now);
	else
		ramp_climb_begin(&ear->climb[band], goal, now);
	ramp_peer_follow(sch, band, now);
unlock:
	spin_unlock_bh(&ear->lock);
}

/* All heads are asked anew. */
static void ramp_peer_open(struct ramp_sched_data *q)
{
	q->paced_shut = 0;
	q->obey->wake = U64_MAX;
	q->slowed = q->paced || q->obey->next != U64_MAX;
}

/**
 * ramp_peer_due - take over what the peers allow
 * @sch: ramp qdisc
 * @now: ns
 *
 * Context: root lock.
 */
void ramp_peer_due(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_obey *o = q->obey;
	u16 rate[RAMP_BANDS_MAX];
	u32 i, bands, moved = 0;
	bool expired, open = false;

	/* Before the table is looked at. */
	smp_store_mb(q->heard, false);
	if (!o)
		return;

	bands = o->bands;
	expired = ramp_peer_rates(o, rate, now);
	bands ^= o->bands;
	for (i = 0; i < RAMP_BANDS_MAX; i++) {
		if (rate[i] != o->rate[i])
			moved |= BIT(i);
		o->rate[i] = rate[i];
		if ((moved | bands) & BIT(i)) {
			ramp_peer_pace(sch, i, now);
			open = true;
		}
	}
	if (open)
		ramp_peer_open(q);
	q->slowed = q->paced || o->next != U64_MAX;

	moved &= (BIT(q->law.bands) - 1) & ~q->law.exempt;
	if (moved)
		ramp_event_peer(sch, expired ? RAMP_PEER_EXPIRED :
					       RAMP_PEER_APPLIED,
				moved, o->rate, now);
	ramp_timer_start(sch, ramp_peer_when(q));
}

/**
 * ramp_peer_timer - the timer fired, or somebody looks
 * @sch: ramp qdisc
 * @now: ns
 *
 * Context: root lock.
 */
void ramp_peer_timer(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_obey *o = q->obey;

	if (q->slowed && now >= o->wake)
		ramp_peer_open(q);
	if (READ_ONCE(q->heard) || (q->slowed && now >= o->next))
		ramp_peer_due(sch, now);
}

/**
 * ramp_peer_when - when is the timer to fire?
 * @q: of the qdisc
 *
 * Context: root lock.
 *
 * Return: ns, U64_MAX: not for the peers
 */
u64 ramp_peer_when(const struct ramp_sched_data *q)
{
	if (!q->slowed)
		return U64_MAX;
	return min(q->obey->wake, q->obey->next);
}

/**
 * ramp_peer_change - the rate, the bands, or whom to obey, are others
 * @sch: ramp qdisc
 * @now: ns
 *
 * Context: RTNL and root lock, or before the qdisc is in use.
 */
void ramp_peer_change(struct Qdisc *sch, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 i;

	if (!q->obey)
		return;
	ramp_peer_due(sch, now);
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		ramp_peer_pace(sch, i, now);
	ramp_peer_open(q);
}

/**
 * ramp_peer_pass - may a packet of a band leave now, as far as peers go?
 * @sch: ramp qdisc
 * @b: band that is paced
 * @skb: its first packet
 *
 * Context: root lock.
 *
 * Return: true when it may. Otherwise the band is shut, and the timer started.
 */
bool ramp_peer_pass(struct Qdisc *sch, const struct ramp_band *b,
		    const struct sk_buff *skb)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_obey *o = q->obey;
	struct ramp_ear *ear = o->ear;
	u32 i = b - q->band;
	u64 now = ktime_get_ns(), wake;

	/* Without a device that is up no timer says so. */
	if (now >= o->next)
		ramp_peer_due(sch, now);
	if (!(q->paced & b->bit))
		return true;
	spin_lock_bh(&ear->lock);
	now = ramp_ear_now(ear, now);
	if (ramp_climb_due(&ear->climb[i], now))
		ramp_peer_climb(sch, i, now);
	wake = ramp_ear_ask(o, i, qdisc_pkt_len(skb), now);
	spin_unlock_bh(&ear->lock);
	if (!wake)
		return true;

	q->paced_shut |= b->bit;
	if (!(o->held & b->bit)) {
		o->held |= b->bit;
		o->delayed[i]++;
	}
	qdisc_qstats_overlimit(sch);
	o->wake = min(o->wake, wake);
	ramp_timer_start(sch, ramp_peer_when(q));
	return false;
}

/**
 * ramp_peer_sync - a packet that was let pass some time ago leaves now
 * @sch: ramp qdisc
 * @b: band that is paced
 *
 * Context: root lock.
 */
void ramp_peer_sync(struct Qdisc *sch, const struct ramp_band *b)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_ear *ear = q->obey->ear;

	spin_lock_bh(&ear->lock);
	ramp_pacer_look(&ear->pacer[b - q->band],
			ramp_ear_now(ear, ktime_get_ns()));
	spin_unlock_bh(&ear->lock);
}

/**
 * ramp_peer_charge - a packet is handed over
 * @sch: ramp qdisc
 * @b: band that is paced
 * @skb: the packet, no longer in its band
 *
 * If no code counts for the band, and nothing waits in it, it is free.
 *
 * Context: root lock.
 */
void ramp_peer_charge(struct Qdisc *sch, const struct ramp_band *b,
		      const struct sk_buff *skb)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_obey *o = q->obey;
	struct ramp_ear *ear = o->ear;
	u32 i = b - q->band;

	o->held &= ~b->bit;
	spin_lock_bh(&ear->lock);
	ramp_pacer_charge(&ear->pacer[i], qdisc_pkt_len(skb));
	ear->last[i] = o;
	if (ear->turn[i] == o)
		ear->turn[i] = NULL;
	if (!(o->bands & b->bit) && !ramp_band_queued(b)) {
		ramp_ear_let_go(q, i);
		q->slowed = q->paced || o->next != U64_MAX;
	}
	spin_unlock_bh(&ear->lock);
}

/**
 * ramp_peer_splits - does a packet have to be segmented to be paced?
 * @q: of the qdisc
 * @b: band that is paced
 * @skb: packet
 *
 * Context: root lock.
 *
 * Return: true when it would owe something otherwise
 */
bool ramp_peer_splits(const struct ramp_sched_data *q,
		      const struct ramp_band *b, const struct sk_buff *skb)
{
	struct ramp_ear *ear = q->obey->ear;
	bool splits;

	if (!q->law.split_gso || !skb_is_gso(skb))
		return false;
	spin_lock_bh(&ear->lock);
	splits = qdisc_pkt_len(skb) > ear->pacer[b - q->band].depth;
	spin_unlock_bh(&ear->lock);
	return splits;
}
