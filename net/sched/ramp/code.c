// SPDX-License-Identifier: GPL-2.0
/*
 * Rate codes on their way to the senders
 *
 * Nothing is queued: a frame says what all bands ask for when it is sent, so
 * one that is lost is made up for by the next, and codes that follow each other
 * faster than frames can are one frame. It bypasses the qdiscs of its device.
 *
 * A code holds for as long as it says. While a band asks for less than the
 * whole, frames follow each other three times in that time, and when none does
 * any more that is said more than once, as frames get lost.
 */

#include <linux/etherdevice.h>
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/pkt_sched.h>
#include <linux/random.h>
#include <linux/seqlock.h>
#include <net/ramp/code.h>

#include "ramp.h"

/* Codes hold for so many times that between two frames. */
#define RAMP_CODE_OVERLAP	3

/* All that there may be, as a bitmap. */
#define RAMP_CODE_BANDS		GENMASK(RAMP_BANDS_MAX - 1, 0)

/**
 * struct ramp_code_batch - frames to be sent, as of one moment
 * @frame: what they have in common
 * @ethertype: of the frames
 * @devs: how many frames
 * @dev: where each goes
 * @busy: ifindexes of devices that could not take theirs
 * @n_busy: how many
 * @sent: frames that a device took
 * @lost: frames that are lost
 */
struct ramp_code_batch {
	struct ramp_code_frame	frame;
	u16			ethertype;
	u32			devs;
	struct ramp_code_dev	dev[RAMP_CODE_DEVS];
	u32			busy[RAMP_CODE_DEVS];
	u32			n_busy;
	u32			sent;
	u32			lost;
};

/* Link-local: bridges do not forward it. */
static const u8 ramp_code_address[ETH_ALEN] __aligned(2) = {
	0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e
};

/* A frame may come back to the box that it is of, as bridges and cables can
 * make a loop. So the epochs of all senders are known. An epoch that changes
 * takes its sender to another list, and who reads the one that it was in might
 * miss others.
 */
static DEFINE_HASHTABLE(ramp_epochs, 8);
static DEFINE_SEQLOCK(ramp_epochs_lock);

/* Under the lock of the codes, if others know them. */
static void ramp_codes_begin(struct ramp_codes *c)
{
	u32 epoch = get_random_u32();

	write_seqlock_bh(&ramp_epochs_lock);
	hash_del_rcu(&c->node);
	WRITE_ONCE(c->epoch, epoch);
	hash_add_rcu(ramp_epochs, &c->node, epoch);
	write_sequnlock_bh(&ramp_epochs_lock);
}

static void ramp_codes_end(struct ramp_codes *c)
{
	write_seqlock_bh(&ramp_epochs_lock);
	hash_del_rcu(&c->node);
	write_sequnlock_bh(&ramp_epochs_lock);
	kfree_rcu(c, rcu);
}

/**
 * ramp_code_is_own - is a frame one of ours?
 * @net: network namespace where it was heard
 * @epoch: that it has
 *
 * Context: RCU.
 *
 * Return: true when a qdisc of that network namespace has sent it
 */
bool ramp_code_is_own(const struct net *net, u32 epoch)
{
	const struct ramp_codes *c;
	unsigned int seq;
	bool own;

	do {
		seq = read_seqbegin(&ramp_epochs_lock);
		own = false;
		hash_for_each_possible_rcu(ramp_epochs, c, node, epoch)
			own |= READ_ONCE(c->epoch) == epoch && c->net == net;
	} while (read_seqretry(&ramp_epochs_lock, seq));
	return own;
}

static u64 ramp_codes_pause(const struct ramp_code_route *route)
{
	return (u64)route->validity * (NSEC_PER_MSEC / RAMP_CODE_OVERLAP);
}

/* Of these bands, those of which less than the whole is asked for. */
static u32 ramp_codes_low(const struct ramp_codes *c, u32 bands)
{
	u32 low = 0;

	for (; bands; bands &= bands - 1)
		if (c->rate[__ffs(bands)] < RAMP_CODE_WHOLE)
			low |= bands & -bands;
	return low;
}

/* Devices that will have to hear more. */
static u32 ramp_codes_left(const struct ramp_codes *c)
{
	u32 i, left = 0;

	for (i = 0; i < c->route.devs; i++)
		if (c->left[i])
			left |= BIT(i);
	return left;
}

/* The bands that those devices hear of. */
static u32 ramp_codes_bands(const struct ramp_codes *c, u32 devs)
{
	u32 bands = 0;

	for (; devs; devs &= devs - 1)
		bands |= c->route.dev[__ffs(devs)].bands;
	return bands;
}

/* Those who hear of these bands are to hear of them now. If nobody else has to
 * hear more, the others of their frames follow this one.
 */
static void ramp_codes_mark(struct ramp_codes *c, u32 bands)
{
	const struct ramp_code_route *route = &c->route;
	u32 i, marked = 0;

	for (i = 0; i < route->devs; i++)
		if (route->dev[i].bands & bands)
			marked |= BIT(i);
	if (!(ramp_codes_left(c) & ~marked))
		c->next = ktime_get_ns() + ramp_codes_pause(route);
	c->due |= marked;
	for (; marked; marked &= marked - 1)
		c->left[__ffs(marked)] = RAMP_CODE_REPEAT;
}

/* What a ramp asks for of a band, as its ladder is now. */
static u16 ramp_send_rate(const struct ramp_send *s, u32 band)
{
	const struct ramp_code_law *law = s->law;

	if (!law || !(law->ladders & BIT(band)))
		return RAMP_CODE_WHOLE;
	return ramp_ladder_rate(&s->ladder[band], &law->ladder[band]);
}

/* A ramp asks for another rate of a band. The others are looked at only when
 * it was one of those that ask for least, and does not any more.
 *
 * Return: whether the least is another one
 */
static bool ramp_codes_ask(struct ramp_codes *c, struct ramp_send *s, u32 band,
			   u16 rate)
{
	u16 was = s->rate[band], least = c->rate[band];
	const struct ramp_send *other;

	s->rate[band] = rate;
	if (rate < least) {
		least = rate;
	} else if (was == least && rate > was) {
		least = RAMP_CODE_WHOLE;
		list_for_each_entry(other, &c->ramps, list) {
			least = min(least, other->rate[band]);
			if (least == was)
				break;
		}
	}
	if (least == c->rate[band])
		return false;
	c->rate[band] = least;
	return true;
}

/* Takes over where ladders are; returns the bands that have another rate. */
static u32 ramp_codes_rates(struct ramp_codes *c, struct ramp_send *s,
			    u32 bands)
{
	u32 i, other = 0;

	for (; bands; bands &= bands - 1) {
		i = __ffs(bands);
		if (ramp_codes_ask(c, s, i, ramp_send_rate(s, i)))
			other |= BIT(i);
	}
	return other;
}

static bool ramp_codes_same(const struct ramp_code_route *a,
			    const struct ramp_code_route *b)
{
	return a->devs == b->devs &&
	       !memcmp(a->dev, b->dev, a->devs * sizeof(*a->dev));
}

/* Codes go elsewhere, or are of other bands: another epoch begins. */
static void ramp_codes_reroute(struct ramp_codes *c, u32 ladders,
			       const struct ramp_code_route *route)
{
	bool told = ramp_codes_left(c);

	ramp_codes_begin(c);
	c->due = 0;
	memset(c->left, 0, sizeof(c->left));
	c->route = *route;
	if (told || ramp_codes_low(c, ladders))
		ramp_codes_mark(c, ladders);
}

/**
 * ramp_codes_follow - other ladders or other devices
 * @sch: ramp qdisc that has or had a ladder
 * @law: parameters, or NULL without a ladder; the ladders are on it already
 *
 * What a frame does not speak of any more is forgotten by those who hear it, as
 * it begins a new epoch. Devices that hear nothing any more forget in time. Of
 * the ramps of a ramp_mq the first one that comes with other devices makes it
 * so for all: the others are about to come with the same, and what they ask for
 * together is told when all have it (ramp_codes_hold()).
 *
 * Context: root lock.
 *
 * Return: the parameters until now, which nobody uses any more
 */
struct ramp_code_law *ramp_codes_follow(struct Qdisc *sch,
					struct ramp_code_law *law)
{
	static const struct ramp_code_route nowhere;
	const struct ramp_code_route *route = law ? &law->route : &nowhere;
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_send *s = q->send;
	struct ramp_codes *c = s->codes;
	struct ramp_code_law *old = s->law;
	u32 ladders = law ? law->ladders : 0;
	u32 bands;

	spin_lock_bh(&c->lock);
	s->law = law;
	bands = ramp_codes_rates(c, s, RAMP_CODE_BANDS);
	if (!ramp_codes_same(&c->route, route)) {
		ramp_codes_reroute(c, ladders, route);
	} else {
		if (ramp_codes_left(c) &&
		    (c->route.validity != route->validity ||
		     c->route.ethertype != route->ethertype))
			c->next = 0;
		c->route = *route;
		ramp_codes_mark(c, bands);
	}
	spin_unlock_bh(&c->lock);
	ramp_event_keep(sch, ladders, s->rate);
	ramp_bh_queue(&c->work);
	return old;
}

/**
 * ramp_code_due - ladders moved
 * @sch: ramp qdisc
 * @bands: bitmap of the bands that have another code now
 *
 * Context: root lock.
 */
void ramp_code_due(struct Qdisc *sch, u32 bands)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_send *s = q->send;
	u32 ladders = s->law ? s->law->ladders : 0;
	struct ramp_codes *c = s->codes;
	u32 other;

	spin_lock_bh(&c->lock);
	other = ramp_codes_rates(c, s, bands);
	if (other)
		ramp_codes_mark(c, other);
	spin_unlock_bh(&c->lock);
	if (other)
		ramp_bh_queue(&c->work);
	ramp_event_keep(sch, ladders, s->rate);
	ramp_event_codes(sch, bands | ladders, s->rate);
}

/**
 * ramp_codes_hold - the ramps of a ramp_mq get other parameters one by one
 * @mq: what they have in common
 * @hold: they do from now on; else: all have them
 *
 * What one asks for by its new ladder and another by its old one is nobody's
 * rate, and who obeys it would take many ticks to climb from it.
 *
 * Context: RTNL.
 */
void ramp_codes_hold(struct ramp_mq *mq, bool hold)
{
	struct ramp_codes *c = mq->codes;

	if (!c)
		return;
	spin_lock_bh(&c->lock);
	c->held = hold;
	spin_unlock_bh(&c->lock);
	if (!hold)
		ramp_bh_queue(&c->work);
}

/* Codes that would expire are due again, too. */
static void ramp_codes_refresh(struct ramp_codes *c)
{
	u32 left = ramp_codes_left(c);
	u64 now;

	if (!left)
		return;
	now = ktime_get_ns();
	if (now < c->next)
		return;
	c->refreshed += hweight32(ramp_codes_low(c, ramp_codes_bands(c, left)));
	c->due |= left;
	c->next = now + ramp_codes_pause(&c->route);
}

/* What is due, if anything. */
static void ramp_codes_take(struct ramp_codes *c, struct ramp_code_batch *batch)
{
	const struct ramp_code_route *route = &c->route;
	u32 i;

	batch->devs = 0;
	if (c->held)
		return;
	ramp_codes_refresh(c);
	for (; c->due; c->due &= c->due - 1) {
		i = __ffs(c->due);
		batch->dev[batch->devs++] = route->dev[i];
		if (c->left[i] && !ramp_codes_low(c, route->dev[i].bands))
			c->left[i]--;
	}
	batch->ethertype = route->ethertype;
	batch->frame.validity = route->validity;
	batch->frame.epoch = c->epoch;
	batch->frame.seq = c->seq;
	c->seq += batch->devs;
	memcpy(batch->frame.rate, c->rate, sizeof(c->rate));
}

static struct sk_buff *ramp_code_skb(struct net_device *dev, u16 ethertype,
				     const struct ramp_code_frame *frame)
{
	u8 bytes[RAMP_CODE_BYTES_MAX];
	u32 len = ramp_code_build(bytes, frame);
	u32 pad = max_t(u32, len, ETH_ZLEN - ETH_HLEN) - len;
	/* It may change at any time: a veth follows the bridge of its peer. */
	u32 head = LL_RESERVED_SPACE(dev);
	struct sk_buff *skb;

	skb = alloc_skb(head + len + pad + dev->needed_tailroom,
			GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, head);
	skb_reset_network_header(skb);
	skb_put_data(skb, bytes, len);
	skb_put_zero(skb, pad);
	skb->dev = dev;
	skb->protocol = htons(ethertype);
	skb->priority = TC_PRIO_CONTROL;
	if (dev_hard_header(skb, dev, ethertype, ramp_code_address, NULL,
			    skb->len) < 0) {
		kfree_skb(skb);
		return NULL;
	}
	skb_reset_mac_header(skb);
	return skb;
}

/* Return: as drivers do; NET_XMIT_DROP for a frame that is lost. */
static int ramp_code_xmit(struct net *net, u32 ifindex, u16 ethertype,
			  const struct ramp_code_frame *frame)
{
	struct sk_buff *skb = NULL;
	int ret = NET_XMIT_DROP;
	struct net_device *dev;

	rcu_read_lock();
	dev = dev_get_by_index_rcu(net, ifindex);
	if (dev && ramp_is_ethernet(dev))
		skb = ramp_code_skb(dev, ethertype, frame);
	if (skb)
		ret = dev_direct_xmit(skb, 0);
	rcu_read_unlock();
	return ret;
}

static void ramp_codes_xmit(const struct ramp_codes *c,
			    struct ramp_code_batch *batch)
{
	const struct ramp_code_dev *dev;
	u32 i;
	int ret;

	batch->frame.ifindex = c->dev->ifindex;
	batch->frame.parent = c->parent;
	for (i = 0; i < batch->devs; i++) {
		dev = &batch->dev[i];
		batch->frame.bands = dev->bands;
		batch->frame.seq++;
		ret = ramp_code_xmit(c->net, dev->ifindex, batch->ethertype,
				     &batch->frame);
		if (ret == NETDEV_TX_OK)
			batch->sent++;
		else if (dev_xmit_complete(ret))
			batch->lost++;
		else
			batch->busy[batch->n_busy++] = dev->ifindex;
	}
}

/* Sees to it that the work item runs by then, unless the last ramp goes, or it
 * will be queued anyway (ramp_codes_hold()).
 */
static void ramp_codes_arm(struct ramp_codes *c, u64 when)
{
	if (c->dead || c->held ||
	    (hrtimer_is_queued(&c->timer) &&
	     ktime_to_ns(hrtimer_get_expires(&c->timer)) <= (s64)when))
		return;
	hrtimer_start(&c->timer, ns_to_ktime(when), HRTIMER_MODE_ABS_SOFT);
}

/* A device that was busy is so for less than a jiffy, as a rule. */
static void ramp_codes_retry(struct ramp_codes *c,
			     const struct ramp_code_batch *batch)
{
	u32 i, k;

	for (k = 0; k < batch->n_busy; k++)
		for (i = 0; i < c->route.devs; i++)
			if (c->route.dev[i].ifindex == batch->busy[k])
				c->due |= BIT(i);
	if (c->due)
		ramp_codes_arm(c, ktime_get_ns() + TICK_NSEC);
	if (ramp_codes_left(c))
		ramp_codes_arm(c, c->next);
}

/* Sends the frames that are due. */
static void ramp_codes_out(struct ramp_codes *c)
{
	struct ramp_code_batch batch = {};

	spin_lock_bh(&c->lock);
	ramp_codes_take(c, &batch);
	spin_unlock_bh(&c->lock);

	ramp_codes_xmit(c, &batch);

	spin_lock_bh(&c->lock);
	c->frames_sent += batch.sent;
	c->frames_lost += batch.lost;
	ramp_codes_retry(c, &batch);
	spin_unlock_bh(&c->lock);
}

static void ramp_codes_work(struct ramp_bh *work)
{
	ramp_codes_out(container_of(work, struct ramp_codes, work));
}

static enum hrtimer_restart ramp_codes_timer(struct hrtimer *timer)
{
	struct ramp_codes *c = container_of(timer, struct ramp_codes, timer);

	ramp_bh_queue(&c->work);
	return HRTIMER_NORESTART;
}

/* Those of the ramp_mq, if one of its ramps has made them. */
static struct ramp_codes *ramp_codes_get(const struct Qdisc *sch)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_codes *c = q->mq ? q->mq->codes : NULL;
	u32 i;

	if (c)
		return c;
	c = kzalloc_obj(*c, GFP_KERNEL_ACCOUNT);
	if (!c)
		return NULL;
	spin_lock_init(&c->lock);
	INIT_LIST_HEAD(&c->ramps);
	c->dev = qdisc_dev(sch);
	c->net = dev_net(c->dev);
	c->parent = q->mq ? TC_H_ROOT : sch->parent;
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		c->rate[i] = RAMP_CODE_WHOLE;
	ramp_codes_begin(c);
	ramp_bh_init(&c->work, ramp_codes_work);
	hrtimer_setup(&c->timer, ramp_codes_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	if (q->mq)
		q->mq->codes = c;
	return c;
}

/**
 * ramp_send_alloc - for the first ladder of a qdisc
 * @sch: ramp qdisc
 *
 * Context: RTNL, may sleep.
 *
 * Return: nothing to send yet, or NULL without memory
 */
struct ramp_send *ramp_send_alloc(struct Qdisc *sch)
{
	struct ramp_send *s = kzalloc_obj(*s, GFP_KERNEL_ACCOUNT);
	u32 i;

	if (!s)
		return NULL;
	s->codes = ramp_codes_get(sch);
	if (!s->codes) {
		kfree(s);
		return NULL;
	}
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		s->rate[i] = RAMP_CODE_WHOLE;
	spin_lock_bh(&s->codes->lock);
	list_add_tail(&s->list, &s->codes->ramps);
	spin_unlock_bh(&s->codes->lock);
	return s;
}

/**
 * ramp_send_forget - send no more codes out of a device
 * @sch: ramp qdisc
 * @ifindex: of the device
 *
 * Context: RTNL.
 */
void ramp_send_forget(struct Qdisc *sch, u32 ifindex)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_code_route *route;
	struct ramp_codes *c;
	u32 i, last;

	if (!q->send)
		return;
	c = q->send->codes;
	route = &c->route;
	spin_lock_bh(&c->lock);
	for (i = 0; i < route->devs; i++) {
		if (route->dev[i].ifindex != ifindex)
			continue;
		last = --route->devs;
		route->dev[i] = route->dev[last];
		c->left[i] = c->left[last];
		c->left[last] = 0;
		c->due &= ~BIT(i);
		if (c->due & BIT(last))
			c->due = (c->due & ~BIT(last)) | BIT(i);
		break;
	}
	spin_unlock_bh(&c->lock);
}

/* Nobody asks for anything any more. */
static void ramp_codes_destroy(struct ramp_codes *c)
{
	hrtimer_cancel(&c->timer);
	local_bh_disable();
	ramp_codes_out(c);
	local_bh_enable();
	ramp_bh_cancel(&c->work);
	ramp_codes_end(c);
}

/**
 * ramp_send_destroy - a ramp decides nothing any more
 * @sch: ramp qdisc, perhaps one that could not be made
 *
 * What was decided last, when the bands were emptied, is told before, so that
 * senders need not wait until their codes expire.
 *
 * Context: RTNL, may sleep.
 */
void ramp_send_destroy(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_send *s = q->send;
	struct ramp_codes *c;
	bool last;

	if (!s)
		return;
	c = s->codes;
	/* Its bands are empty, so it asks for nothing. */
	spin_lock_bh(&c->lock);
	list_del(&s->list);
	last = list_empty(&c->ramps);
	c->dead = last;
	spin_unlock_bh(&c->lock);
	kfree(s->law);
	kfree(s);
	q->send = NULL;
	if (!last)
		return;
	if (q->mq)
		q->mq->codes = NULL;
	ramp_codes_destroy(c);
}
