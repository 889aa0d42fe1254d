// SPDX-License-Identifier: GPL-2.0
/*
 * US 7298703, [0060]: a sender that hears rate codes. The frames are in
 * linux/ramp_code.h; who counts, and for how long, is in net/ramp/peers.h.
 *
 * Whoever is on the link can say anything. A frame costs a look at its first
 * bytes and at a short table, and wakes the qdisc only when a rate is another
 * one, counts for another band, or holds for less long than was known.
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
static bool ramp_obey_frame(struct ramp_obey *o, const struct sk_buff *skb)
{
	u16 was[RAMP_BANDS_MAX], bands = o->peers.bands;
	u64 source, now = ktime_get_ns();
	struct ramp_code_frame frame;

	source = ether_addr_to_u64(eth_hdr(skb)->h_source);
	if (!ramp_peers_may(&o->peers, source, now)) {
		o->peers.ignored++;
		return false;
	}
	if (!ramp_obey_parse(skb, &frame)) {
		o->malformed++;
		return false;
	}
	if (ramp_code_is_own(dev_net(qdisc_dev(o->sch)), frame.epoch)) {
		o->peers.ignored++;
		return false;
	}
	memcpy(was, o->peers.rate, sizeof(was));
	ramp_peers_hear(&o->peers, source, &frame, now);
	return memcmp(was, o->peers.rate, sizeof(was)) ||
	       bands != o->peers.bands ||
	       (o->peers.bands && o->peers.next < o->next);
}

/* As the timer does. */
static void ramp_obey_tell(struct ramp_obey *o)
{
	struct ramp_sched_data *q = qdisc_priv(o->sch);

	WRITE_ONCE(q->heard, true);
	rcu_read_lock();
	__netif_schedule(qdisc_root(o->sch));
	rcu_read_unlock();
}

/* The qdisc is there for as long as the lock is held and @on is set. */
static void ramp_obey_hear(struct ramp_obey *o, const struct sk_buff *skb)
{
	spin_lock_bh(&o->lock);
	if (!o->on)
		goto unlock;
	if (!ramp_obey_addressed(skb))
		o->malformed++;
	else if (ramp_obey_frame(o, skb))
		ramp_obey_tell(o);
unlock:
	spin_unlock_bh(&o->lock);
}

static int ramp_obey_receive(struct sk_buff *skb, struct net_device *dev,
			     struct packet_type *pt,
			     struct net_device *orig_dev)
{
	struct ramp_obey *o = container_of(pt, struct ramp_obey, pt);

	/* Of a VLAN that nobody here is in. */
	if (skb->pkt_type != PACKET_OTHERHOST)
		ramp_obey_hear(o, skb);
	consume_skb(skb);
	return NET_RX_SUCCESS;
}

static int ramp_obey_alloc(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_obey *o;
	u32 i;

	o = kzalloc_obj(*o, GFP_KERNEL_ACCOUNT);
	if (!o)
		return -ENOMEM;
	spin_lock_init(&o->lock);
	ramp_peers_init(&o->peers);
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		o->rate[i] = RAMP_PERCENT;
	o->next = U64_MAX;
	o->wake = U64_MAX;
	o->sch = sch;
	o->pt.func = ramp_obey_receive;
	o->pt.dev = qdisc_dev(sch);
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
	if (q->obey->joined)
		return 0;
	err = dev_mc_add(qdisc_dev(sch), ramp_code_group);
	if (err) {
		NL_SET_ERR_MSG(extack,
			       "obey: the device does not join 01:80:c2:00:00:0e");
		return err;
	}
	q->obey->joined = true;
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
	struct ramp_obey *o = q->obey;
	u64 from[RAMP_OBEY_FROM_MAX];
	u32 i;

	if (!o)
		return;
	o->min = codes->obey_min;
	for (i = 0; i < codes->n_from; i++)
		from[i] = ether_addr_to_u64(codes->from[i]);
	spin_lock_bh(&o->lock);
	o->on = codes->obey;
	if (!o->on)
		memset(o->peers.peer, 0, sizeof(o->peers.peer));
	ramp_peers_only(&o->peers, from, codes->n_from);
	spin_unlock_bh(&o->lock);
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
	struct ramp_obey *o = q->obey;

	if (!o)
		return;
	if (o->listening && (!codes->obey || o->pt.type != type)) {
		dev_remove_pack(&o->pt);
		o->listening = false;
	}
	if (codes->obey && !o->listening) {
		o->pt.type = type;
		dev_add_pack(&o->pt);
		o->listening = true;
	}
	if (!codes->obey && o->joined) {
		dev_mc_del(qdisc_dev(sch), ramp_code_group);
		o->joined = false;
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
	o->joined = ramp_is_ethernet(qdisc_dev(sch)) &&
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

	if (!o)
		return;
	/* A handler may still be under way. What it hears does not count any
	 * more, and it touches the qdisc only where it does: of one that could
	 * not be made some kernels free the memory at once. To wait for it here
	 * would hold RTNL for a grace period of each qdisc.
	 */
	spin_lock_bh(&o->lock);
	o->on = false;
	spin_unlock_bh(&o->lock);
	if (o->listening)
		__dev_remove_pack(&o->pt);
	if (o->joined)
		dev_mc_del(qdisc_dev(sch), ramp_code_group);
	q->obey = NULL;
	kfree_rcu(o, rcu);
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
	u32 bands;

	st->peer_rate = RAMP_PERCENT;
	if (!o)
		return;
	bands = (BIT(q->law.bands) - 1) & ~q->law.exempt;
	for (; bands; bands &= bands - 1)
		st->peer_rate = min_t(u64, st->peer_rate,
				      o->rate[__ffs(bands)]);
	spin_lock_bh(&o->lock);
	st->codes_received = o->peers.heard;
	st->codes_stale = o->peers.stale;
	st->codes_ignored = o->peers.ignored;
	st->codes_expired = o->peers.expired;
	st->codes_malformed = o->malformed;
	spin_unlock_bh(&o->lock);
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
 * it. Everything here runs under the root lock.
 */

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
