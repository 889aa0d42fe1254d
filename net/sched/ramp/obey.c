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
	return skb_mac_header_was_set(skb) && skb_mac_offset(skb) <= -ETH_HLEN &&
	       ether_addr_equal(eth_hdr(skb)->h_dest, ramp_code_group) &&
	       is_valid_ether_addr(eth_hdr(skb)->h_source);
}

static bool ramp_obey_parse(const struct sk_buff *skb,
			    struct ramp_code_frame *frame)
{
	u32 len = min_t(u32, skb->len, RAMP_CODE_BYTES_MAX);
	u8 bytes[RAMP_CODE_BYTES_MAX];

	/* The frame may be shared, and in pieces: it is not to be touched. */
	return ramp_obey_addressed(skb) &&
	       !skb_copy_bits(skb, 0, bytes, len) &&
	       ramp_code_parse(frame, bytes, len) == RAMP_CODE_GOOD;
}

/* Returns whether the root lock's side has to look. */
static bool ramp_obey_frame(struct ramp_obey *o,
			    const struct ramp_code_frame *frame, u64 source)
{
	u16 was[RAMP_BANDS_MAX], bands = o->peers.bands;

	memcpy(was, o->peers.rate, sizeof(was));
	ramp_peers_hear(&o->peers, source, frame, ktime_get_ns());
	return memcmp(was, o->peers.rate, sizeof(was)) ||
	       bands != o->peers.bands ||
	       (o->peers.bands && o->peers.next < o->next);
}

static void ramp_obey_hear(struct ramp_obey *o, const struct sk_buff *skb)
{
	struct ramp_sched_data *q = qdisc_priv(o->sch);
	struct ramp_code_frame frame;
	bool good, news = false;

	good = ramp_obey_parse(skb, &frame);
	spin_lock_bh(&o->lock);
	if (o->on && good)
		news = ramp_obey_frame(o, &frame,
				       ether_addr_to_u64(eth_hdr(skb)->h_source));
	else if (o->on)
		o->malformed++;
	spin_unlock_bh(&o->lock);
	if (!news)
		return;

	/* As the timer does. */
	WRITE_ONCE(q->told, true);
	rcu_read_lock();
	__netif_schedule(qdisc_root(o->sch));
	rcu_read_unlock();
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

	if (!o)
		return;
	o->min = codes->obey_min;
	spin_lock_bh(&o->lock);
	o->on = codes->obey;
	if (!o->on) {
		memset(o->peers.peer, 0, sizeof(o->peers.peer));
		ramp_peers_sum(&o->peers);
	}
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
	/* A handler may still be under way. What it hears does not count any more, and
	 * the qdisc is there for as long as it runs, as its memory is freed under RCU.
	 * To wait for it here would hold RTNL for a grace period of each qdisc.
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
