// SPDX-License-Identifier: GPL-2.0
/*
 * The pace of the bands, as peers ask for it: each band that is to send at less
 * than the full rate pays from a bucket of its own (net/ramp/pacer.h), and is
 * passed over while there is not enough in it. Everything here runs under the
 * root lock.
 */

#include <linux/ktime.h>

#include "ramp.h"

/* The rates as they are now, and when that may change by itself. Returns
 * whether a peer was not heard for too long.
 */
static bool ramp_peer_rates(struct ramp_obey *o, u16 *rate, u64 now)
{
	bool expired;
	u32 i;

	spin_lock_bh(&o->lock);
	expired = ramp_peers_expire(&o->peers, now);
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		rate[i] = ramp_peers_rate(&o->peers, i, o->min);
	o->next = o->peers.narrow ? o->peers.next : U64_MAX;
	spin_unlock_bh(&o->lock);
	return expired;
}

/* One band goes by its rate from now on. */
static void ramp_peer_pace(struct Qdisc *sch, u32 band, u64 now)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_obey *o = q->obey;
	u64 rate, depth;

	/* Without a rate there is nothing that it could be a share of. */
	if (o->rate[band] >= RAMP_PERCENT || !q->law.rate ||
	    band >= q->law.bands || q->law.exempt & BIT(band)) {
		q->paced &= ~BIT(band);
		return;
	}
	rate = ramp_pacer_rate(q->law.rate, o->rate[band]);
	depth = ramp_pacer_depth(rate, q->own.plan.slope.tick, ramp_mtu(sch));
	if (q->paced & BIT(band))
		ramp_pacer_change(&o->pacer[band], rate, depth, now);
	else
		ramp_pacer_init(&o->pacer[band], rate, depth, now);
	q->paced |= BIT(band);
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
	u32 i, moved = 0;
	bool expired;

	/* Before the table is looked at. */
	smp_store_mb(q->told, false);
	if (!o)
		return;

	expired = ramp_peer_rates(o, rate, now);
	for (i = 0; i < RAMP_BANDS_MAX; i++) {
		if (rate[i] == o->rate[i])
			continue;
		o->rate[i] = rate[i];
		ramp_peer_pace(sch, i, now);
		moved |= BIT(i);
	}
	if (moved)
		ramp_peer_open(q);
	q->slowed = q->paced || o->next != U64_MAX;

	moved &= (BIT(q->law.bands) - 1) & ~q->law.exempt;
	if (moved)
		ramp_event_peer(sch, expired ? RAMP_PEER_EXPIRED :
					       RAMP_PEER_APPLIED,
				moved, o->rate, now);
	ramp_gate_arm(sch);
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
	if (!(q->paced & b->bit) ||
	    ramp_pacer_admit(&o->pacer[i], qdisc_pkt_len(skb), now))
		return true;

	q->paced_shut |= b->bit;
	if (!(o->held & b->bit)) {
		o->held |= b->bit;
		o->delayed[i]++;
	}
	qdisc_qstats_overlimit(sch);
	o->wake = min(o->wake, ramp_pacer_when(&o->pacer[i],
					       qdisc_pkt_len(skb)));
	ramp_gate_arm(sch);
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
 * @skb: the packet
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
