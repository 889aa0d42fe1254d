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

/* Frames arrive with bottom halves off. The qdiscs are there for as long as the
 * lock is held.
 */
static void ramp_obey_hear(struct ramp_ear *ear, const struct sk_buff *skb)
{
	spin_lock(&ear->lock);
	if (!ear->on)
		goto unlock;
	if (!ramp_obey_addressed(skb))
		ear->malformed++;
	else if (ramp_obey_frame(ear, skb))
		ramp_obey_tell(ear);
unlock:
	spin_unlock(&ear->lock);
}

/**
 * ramp_ear_let_go - a band is not paced any more
 * @q: of the qdisc
 * @band: band
 *
 * Context: root lock, or after the qdisc was in use, and lock of the ear.
 */
void ramp_ear_let_go(struct ramp_sched_data *q, u32 band)
{
	struct ramp_ear *ear = q->obey->ear;

	lockdep_assert_held(&ear->lock);
	if (q->paced & BIT(band))
		ear->paced[band]--;
	q->paced &= ~BIT(band);
	if (ear->turn[band] == q->obey)
		ear->turn[band] = NULL;
}

/* Is @dev the port, or what the port is in? A frame is of the outermost by now.
 */
static bool ramp_obey_is_of(struct net_device *port,
			    const struct net_device *dev)
{
	while (port && port != dev)
		port = netdev_master_upper_dev_get_rcu(port);
	return port;
}

static int ramp_obey_receive(struct sk_buff *skb, struct net_device *dev,
			     struct packet_type *pt,
			     struct net_device *orig_dev)
{
	struct ramp_ear *ear = container_of(pt, struct ramp_ear, pt);

	/* Nobody here is in its VLAN, or the device of the VLAN hears it. */
	if (skb->pkt_type != PACKET_OTHERHOST && ramp_obey_is_of(pt->dev, dev))
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

	BUILD_BUG_ON(RAMP_OBEY_FROM_MAX > RAMP_PEERS_MAX);
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
		ramp_ear_let_go(q, i);
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
