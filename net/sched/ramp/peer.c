// SPDX-License-Identifier: GPL-2.0
/*
 * The pace of the bands, as peers ask for it: each band that a code counts for pays
 * from a bucket of its own (net/ramp/pacer.h), and is passed over while there is not
 * enough in it; at 100 % as well, as the device may be faster. A rate that becomes
 * higher does so by a step per tick (net/ramp/climb.h), and so does that of a band
 * whose codes count no longer, until nothing waits in it. Everything here runs under
 * the root lock.
 */

#include <linux/ktime.h>

#include "ramp.h"

/* The rates as they are now, and when that may change by itself. Returns
 * whether a peer was not heard for too long.
 */
static bool ramp_peer_rates(struct ramp_obey *o, u16 *rate, u64 now)
{
	u64 expired;
	u32 i;

	spin_lock_bh(&o->lock);
	expired = o->peers.expired;
	ramp_peers_expire(&o->peers, now);
	expired = o->peers.expired - expired;
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		rate[i] = ramp_peers_rate(&o->peers, i, o->min);
	o->bands = o->peers.bands;
	o->next = o->bands ? o->peers.next : U64_MAX;
	spin_unlock_bh(&o->lock);
	return expired;
}

/* The pacer of a band has the rate that its climb has reached. */
static void ramp_peer_follow(struct Qdisc *sch, u32 band, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_obey *o = q->obey;
	u64 rate = o->climb[band].rate;
	u64 depth = ramp_pacer_depth(rate, q->own.plan.slope.tick,
				     ramp_mtu(sch));

	if (q->paced & BIT(band))
		ramp_pacer_change(&o->pacer[band], rate, depth, now);
	else
		ramp_pacer_init(&o->pacer[band], rate, depth, now);
	q->paced |= BIT(band);
}

/* A step of the climb is due. */
static void ramp_peer_climb(struct Qdisc *sch, u32 band, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_slope_params *p = &q->own.plan.slope;
	u64 step = p->packets ? ramp_times(p->step, ramp_mtu(sch)) : p->step;

	ramp_climb_on(&q->obey->climb[band], ramp_climb_step(step, p->tick),
		      p->tick, now);
	ramp_peer_follow(sch, band, now);
}

/* One band goes by its rate from now on, or lets go of what it held back. */
static void ramp_peer_pace(struct Qdisc *sch, u32 band, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_obey *o = q->obey;
	bool paced = q->paced & BIT(band);
	bool told = o->bands & BIT(band);
	u64 goal = RAMP_CLIMB_OPEN;

	/* Without a rate there is nothing that it could be a share of. */
	if (!q->law.rate || band >= q->law.bands || q->law.exempt & BIT(band) ||
	    (!told && !(paced && ramp_band_queued(&q->band[band])))) {
		q->paced &= ~BIT(band);
		return;
	}
	if (told)
		goal = ramp_pacer_rate(q->law.rate, o->rate[band]);
	if (paced)
		ramp_climb_to(&o->climb[band], goal, now);
	else
		ramp_climb_begin(&o->climb[band], goal, now);
	ramp_peer_follow(sch, band, now);
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
	smp_store_mb(q->told, false);
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
	if (READ_ONCE(q->told) || (q->slowed && now >= o->next))
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
	u32 i = b - q->band;
	u64 now = ktime_get_ns();

	/* Without a device that is up no timer says so. */
	if (now >= o->next)
		ramp_peer_due(sch, now);
	if (!(q->paced & b->bit))
		return true;
	if (ramp_climb_due(&o->climb[i], now))
		ramp_peer_climb(sch, i, now);
	if (ramp_pacer_admit(&o->pacer[i], qdisc_pkt_len(skb), now))
		return true;

	q->paced_shut |= b->bit;
	if (!(o->held & b->bit)) {
		o->held |= b->bit;
		o->delayed[i]++;
	}
	qdisc_qstats_overlimit(sch);
	o->wake = min3(o->wake, ramp_climb_when(&o->climb[i]),
		       ramp_pacer_when(&o->pacer[i], qdisc_pkt_len(skb)));
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

	ramp_pacer_look(&q->obey->pacer[b - q->band], ktime_get_ns());
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

	o->held &= ~b->bit;
	ramp_pacer_charge(&o->pacer[b - q->band], qdisc_pkt_len(skb));
	if (!(o->bands & b->bit) && !ramp_band_queued(b)) {
		q->paced &= ~b->bit;
		q->slowed = q->paced || o->next != U64_MAX;
	}
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
	return q->law.split_gso && skb_is_gso(skb) &&
	       qdisc_pkt_len(skb) > q->obey->pacer[b - q->band].depth;
}
