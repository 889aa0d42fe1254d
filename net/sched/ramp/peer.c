// SPDX-License-Identifier: GPL-2.0
/*
 * US 7298703, [0060]: a sender that hears rate codes. The frames are in
 * linux/ramp_code.h; who counts, and for how long, is in net/ramp/peers.h.
 *
 * Whoever is on the link can say anything. A frame costs a look at its first
 * bytes and at a short table, and wakes the qdisc only when a rate is another
 * one, counts for another band, or holds for less long than was known. It is
 * heard once, also by a device with a ramp for each queue.
 */

#include <linux/etherdevice.h>
#include <linux/ktime.h>

#include "ramp.h"

/* Nearest bridge group: bridges do not forward it. */
static const u8 ramp_code_group[ETH_ALEN] __aligned(2) = {
	0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e
};

/* Is this from the link, and for us? Bridges forward what goes to another
 * address, so that could be from anywhere.
 */
static bool ramp_obey_addressed(const struct sk_buff *skb)
{
	return skb_mac_header_was_set(skb) &&
	       skb_mac_offset(skb) <= -ETH_HLEN &&
	       ether_addr_equal(eth_hdr(skb)->h_dest, ramp_code_group) &&
	       is_valid_ether_addr(eth_hdr(skb)->h_source);
}

static bool ramp_obey_parse(const struct sk_buff *skb,
			    struct ramp_code_frame *frame)
{
	u32 len = min_t(u32, skb->len, RAMP_CODE_BYTES_MAX);
	u8 bytes[RAMP_CODE_BYTES_MAX];

	/* The frame may be shared, and in pieces: it is not to be touched. */
	return !skb_copy_bits(skb, 0, bytes, len) &&
	       ramp_code_parse(frame, bytes, len) == RAMP_CODE_GOOD;
}

/* Returns whether the root lock's side has to look. */
static bool ramp_obey_frame(struct ramp_ear *ear, const struct sk_buff *skb)
{
	u64 source, now = ktime_get_ns(), next = ear->peers.next;
	u16 was[RAMP_BANDS_MAX], bands = ear->peers.bands;
	struct ramp_code_frame frame;

	source = ether_addr_to_u64(eth_hdr(skb)->h_source);
	if (!ramp_peers_may(&ear->peers, source, now)) {
		ear->peers.ignored++;
		return false;
	}
	if (!ramp_obey_parse(skb, &frame)) {
		ear->malformed++;
		return false;
	}
	if (ramp_code_is_own(dev_net(ear->pt.dev), frame.epoch)) {
		ear->peers.ignored++;
		return false;
	}
	memcpy(was, ear->peers.rate, sizeof(was));
	ramp_peers_hear(&ear->peers, source, &frame, now);
	return memcmp(was, ear->peers.rate, sizeof(was)) ||
	       bands != ear->peers.bands ||
	       (bands && ear->peers.next < next);
}

/* As the timer does. Who has not looked since he was told last will see this,
 * too, as he takes the lock after that.
 */
static void ramp_obey_tell(struct ramp_ear *ear)
{
	struct ramp_sched_data *q;
	struct ramp_obey *o;

	rcu_read_lock();
	list_for_each_entry(o, &ear->ramps, list) {
		q = qdisc_priv(o->sch);
		if (READ_ONCE(q->heard))
			continue;
		WRITE_ONCE(q->heard, true);
		__netif_schedule(qdisc_root(o->sch));
	}
	rcu_read_unlock();
}

/* The qdiscs are there for as long as the lock is held. */
static void ramp_obey_hear(struct ramp_ear *ear, const struct sk_buff *skb)
{
	spin_lock_bh(&ear->lock);
	if (!ear->on)
		goto unlock;
	if (!ramp_obey_addressed(skb))
		ear->malformed++;
	else if (ramp_obey_frame(ear, skb))
		ramp_obey_tell(ear);
unlock:
	spin_unlock_bh(&ear->lock);
}

/* A band is not paced any more. */
static void ramp_peer_free(struct ramp_sched_data *q, u32 band)
{
	struct ramp_ear *ear = q->obey->ear;

	lockdep_assert_held(&ear->lock);
	if (q->paced & BIT(band))
		ear->paced[band]--;
	q->paced &= ~BIT(band);
	if (ear->turn[band] == q->obey)
		ear->turn[band] = NULL;
}

static int ramp_obey_receive(struct sk_buff *skb, struct net_device *dev,
			     struct packet_type *pt,
			     struct net_device *orig_dev)
{
	struct ramp_ear *ear = container_of(pt, struct ramp_ear, pt);

	/* Of a VLAN that nobody here is in. */
	if (skb->pkt_type != PACKET_OTHERHOST)
		ramp_obey_hear(ear, skb);
	consume_skb(skb);
	return NET_RX_SUCCESS;
}

/* That of the ramp_mq, if somebody has made it. */
static struct ramp_ear *ramp_ear_get(const struct Qdisc *sch)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_ear *ear = q->mq ? q->mq->ear : NULL;

	if (ear)
		return ear;
	ear = kzalloc_obj(*ear, GFP_KERNEL_ACCOUNT);
	if (!ear)
		return NULL;
	spin_lock_init(&ear->lock);
	INIT_LIST_HEAD(&ear->ramps);
	ramp_peers_init(&ear->peers);
	ear->pt.func = ramp_obey_receive;
	ear->pt.dev = qdisc_dev(sch);
	if (q->mq)
		q->mq->ear = ear;
	return ear;
}

static int ramp_obey_alloc(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_obey *o;
	u32 i;

	o = kzalloc_obj(*o, GFP_KERNEL_ACCOUNT);
	if (!o)
		return -ENOMEM;
	o->ear = ramp_ear_get(sch);
	if (!o->ear) {
		kfree(o);
		return -ENOMEM;
	}
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		o->rate[i] = RAMP_PERCENT;
	o->next = U64_MAX;
	o->wake = U64_MAX;
	o->sch = sch;
	spin_lock_bh(&o->ear->lock);
	list_add_tail(&o->list, &o->ear->ramps);
	/* What the others have heard already is not said again. */
	o->expired = o->ear->peers.expired;
	WRITE_ONCE(q->heard, !!o->ear->peers.bands);
	spin_unlock_bh(&o->ear->lock);
	q->obey = o;
	return 0;
}

/**
 * ramp_obey_prepare - what may fail before peers can be obeyed
 * @sch: ramp qdisc
 * @config: what is to be in force
 * @extack: for the message
 *
 * Whatever follows, ramp_obey_commit() settles it, with what is in force then.
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0, or a negative error with the message in @extack
 */
int ramp_obey_prepare(struct Qdisc *sch, const struct ramp_config *config,
		      struct netlink_ext_ack *extack)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	int err;

	if (!ramp_code_config(config)->obey)
		return 0;
	if (!q->obey) {
		err = ramp_obey_alloc(sch);
		if (err)
			return err;
	}
	if (q->obey->ear->joined)
		return 0;
	err = dev_mc_add(qdisc_dev(sch), ramp_code_group);
	if (err) {
		NL_SET_ERR_MSG(extack,
			       "obey: the device does not join 01:80:c2:00:00:0e");
		return err;
	}
	q->obey->ear->joined = true;
	return 0;
}

/**
 * ramp_obey_set - put in force how peers are obeyed
 * @sch: ramp qdisc
 * @config: what is to be in force
 *
 * The caller follows up with ramp_peer_change(). Who does not obey any more
 * forgets what was said.
 *
 * Context: root lock, or before the qdisc is in use.
 */
void ramp_obey_set(struct Qdisc *sch, const struct ramp_config *config)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	struct ramp_sched_data *q = qdisc_priv(sch);
	u64 from[RAMP_OBEY_FROM_MAX];
	struct ramp_ear *ear;
	u32 i;

	if (!q->obey)
		return;
	q->obey->min = codes->obey_min;
	ear = q->obey->ear;
	for (i = 0; i < codes->n_from; i++)
		from[i] = ether_addr_to_u64(codes->from[i]);
	spin_lock_bh(&ear->lock);
	ear->on = codes->obey;
	if (!ear->on)
		memset(ear->peers.peer, 0, sizeof(ear->peers.peer));
	ramp_peers_only(&ear->peers, from, codes->n_from);
	spin_unlock_bh(&ear->lock);
}

/**
 * ramp_obey_commit - hear frames, or no more
 * @sch: ramp qdisc
 * @config: what is in force
 *
 * Context: RTNL without the root lock, may sleep.
 */
void ramp_obey_commit(struct Qdisc *sch, const struct ramp_config *config)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	struct ramp_sched_data *q = qdisc_priv(sch);
	__be16 type = htons(codes->ethertype);
	struct ramp_ear *ear;

	if (!q->obey)
		return;
	ear = q->obey->ear;
	if (ear->listening && (!codes->obey || ear->pt.type != type)) {
		dev_remove_pack(&ear->pt);
		ear->listening = false;
	}
	if (codes->obey && !ear->listening) {
		ear->pt.type = type;
		dev_add_pack(&ear->pt);
		ear->listening = true;
	}
	if (!codes->obey && ear->joined) {
		dev_mc_del(qdisc_dev(sch), ramp_code_group);
		ear->joined = false;
	}
}

/**
 * ramp_obey_type - the device is of another type now
 * @sch: ramp qdisc
 *
 * Whoever changed it has emptied the list of its addresses, and those of the
 * new type may be longer or shorter. One that is Ethernet again joins the group
 * again.
 *
 * Context: RTNL, in a notifier.
 */
void ramp_obey_type(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_obey *o = q->obey;

	if (!o || !ramp_code_config(&q->config)->obey)
		return;
	/* Each ramp is told, and one of them joins for all. */
	if (o->list.prev != &o->ear->ramps)
		return;
	o->ear->joined = ramp_is_ethernet(qdisc_dev(sch)) &&
			 !dev_mc_add(qdisc_dev(sch), ramp_code_group);
}

/**
 * ramp_obey_destroy - hear nobody any more
 * @sch: ramp qdisc that is no longer in use
 *
 * Context: RTNL, may sleep.
 */
void ramp_obey_destroy(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_obey *o = q->obey;
	struct ramp_ear *ear;
	u32 i;

	if (!o)
		return;
	ear = o->ear;
	/* A handler may still be under way. It touches only those who are in
	 * the list: of a qdisc that could not be made some kernels free the
	 * memory at once. To wait for it here would hold RTNL for a grace
	 * period of each qdisc.
	 */
	spin_lock_bh(&ear->lock);
	list_del(&o->list);
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		ramp_peer_free(q, i);
	spin_unlock_bh(&ear->lock);
	q->obey = NULL;
	kfree(o);
	if (!list_empty(&ear->ramps))
		return;

	if (ear->listening)
		__dev_remove_pack(&ear->pt);
	if (ear->joined)
		dev_mc_del(qdisc_dev(sch), ramp_code_group);
	if (q->mq)
		q->mq->ear = NULL;
	kfree_rcu(ear, rcu);
}

/**
 * ramp_obey_stats - show what was heard
 * @q: of the qdisc
 * @st: to be filled
 *
 * Context: root lock.
 */
void ramp_obey_stats(const struct ramp_sched_data *q,
		     struct tc_ramp_xstats *st)
{
	struct ramp_obey *o = q->obey;
	struct ramp_ear *ear;
	u32 bands;

	st->peer_rate = RAMP_PERCENT;
	if (!o)
		return;
	bands = (BIT(q->law.bands) - 1) & ~q->law.exempt;
	for (; bands; bands &= bands - 1)
		st->peer_rate = min_t(u64, st->peer_rate,
				      o->rate[__ffs(bands)]);
	ear = o->ear;
	spin_lock_bh(&ear->lock);
	st->codes_received = ear->peers.heard;
	st->codes_stale = ear->peers.stale;
	st->codes_ignored = ear->peers.ignored;
	st->codes_expired = ear->peers.expired;
	st->codes_malformed = ear->malformed;
	spin_unlock_bh(&ear->lock);
}

/**
 * ramp_obey_class_stats - show what a band was told
 * @q: of the qdisc
 * @b: band
 * @st: to be filled
 *
 * Context: root lock.
 */
void ramp_obey_class_stats(const struct ramp_sched_data *q,
			   const struct ramp_band *b,
			   struct tc_ramp_class_xstats *st)
{
	const struct ramp_obey *o = q->obey;
	u32 i = b - q->band;

	st->peer_rate = RAMP_PERCENT;
	if (!o)
		return;
	if (!ramp_is_exempt(q, b))
		st->peer_rate = o->rate[i];
	st->peer_delayed = o->delayed[i];
}

/*
 * The pace of the bands, as peers ask for it: each band that a code counts for
 * pays from a bucket of its own (net/ramp/pacer.h), and is passed over while
 * there is not enough in it; at 100 % as well, as the device may be faster. A
 * rate that becomes higher does so by a step per tick (net/ramp/climb.h), and
 * so does that of a band whose codes count no longer, until nothing waits in
 * it. Everything here runs under the root lock; what the queues of a ramp_mq
 * have in common is under that of the ear.
 */

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
		ramp_peer_free(q, band);
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
		ramp_peer_free(q, i);
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
