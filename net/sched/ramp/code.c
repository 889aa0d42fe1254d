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

/* Under the lock of the sender, if that is known to others. */
static void ramp_codes_begin(struct ramp_send *s)
{
	u32 epoch = get_random_u32();

	write_seqlock_bh(&ramp_epochs_lock);
	hash_del_rcu(&s->node);
	WRITE_ONCE(s->epoch, epoch);
	hash_add_rcu(ramp_epochs, &s->node, epoch);
	write_sequnlock_bh(&ramp_epochs_lock);
}

static void ramp_codes_end(struct ramp_send *s)
{
	write_seqlock_bh(&ramp_epochs_lock);
	hash_del_rcu(&s->node);
	write_sequnlock_bh(&ramp_epochs_lock);
	kfree_rcu(s, rcu);
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
	const struct ramp_send *s;
	unsigned int seq;
	bool own;

	do {
		seq = read_seqbegin(&ramp_epochs_lock);
		own = false;
		hash_for_each_possible_rcu(ramp_epochs, s, node, epoch)
			own |= READ_ONCE(s->epoch) == epoch && s->net == net;
	} while (read_seqretry(&ramp_epochs_lock, seq));
	return own;
}

static u64 ramp_codes_pause(const struct ramp_code_law *law)
{
	return (u64)law->validity * (NSEC_PER_MSEC / RAMP_CODE_OVERLAP);
}

/* Of these bands, those that ask for less than the whole. */
static u32 ramp_codes_low(const struct ramp_send *s, u32 bands)
{
	u32 low = 0;

	for (; bands; bands &= bands - 1)
		if (s->rate[__ffs(bands)] < RAMP_CODE_WHOLE)
			low |= bands & -bands;
	return low;
}

/* Devices that will have to hear more. */
static u32 ramp_codes_left(const struct ramp_send *s)
{
	u32 i, left = 0;

	for (i = 0; i < s->law->devs; i++)
		if (s->left[i])
			left |= BIT(i);
	return left;
}

/* The bands that those devices hear of. */
static u32 ramp_codes_bands(const struct ramp_send *s, u32 devs)
{
	u32 bands = 0;

	for (; devs; devs &= devs - 1)
		bands |= s->law->dev[__ffs(devs)].bands;
	return bands;
}

/* Those who hear of these bands are to hear of them now. If nobody else has to
 * hear more, the others of their frames follow this one.
 */
static void ramp_codes_mark(struct ramp_send *s, u32 bands)
{
	const struct ramp_code_law *law = s->law;
	u32 i, marked = 0;

	for (i = 0; i < law->devs; i++)
		if (law->dev[i].bands & bands)
			marked |= BIT(i);
	if (!(ramp_codes_left(s) & ~marked))
		s->next = ktime_get_ns() + ramp_codes_pause(law);
	s->due |= marked;
	for (; marked; marked &= marked - 1)
		s->left[__ffs(marked)] = RAMP_CODE_REPEAT;
}

static void ramp_codes_rates(struct ramp_send *s)
{
	const struct ramp_code_law *law = s->law;
	u32 i;

	for (i = 0; i < RAMP_BANDS_MAX; i++) {
		s->rate[i] = RAMP_CODE_WHOLE;
		if (law && law->ladders & BIT(i))
			s->rate[i] = ramp_ladder_rate(&s->ladder[i],
						      &law->ladder[i]);
	}
}

static bool ramp_codes_same(const struct ramp_code_law *a,
			    const struct ramp_code_law *b)
{
	return a && b && a->devs == b->devs &&
	       !memcmp(a->dev, b->dev, a->devs * sizeof(*a->dev));
}

/**
 * ramp_codes_follow - other ladders or other devices
 * @sch: ramp qdisc that has or had a ladder
 * @law: parameters, or NULL without a ladder; the ladders are on it already
 *
 * What a frame does not speak of any more is forgotten by those who hear it, as
 * it begins a new epoch. Devices that hear nothing any more forget in time.
 *
 * Context: root lock.
 *
 * Return: the parameters until now, which nobody uses any more
 */
struct ramp_code_law *ramp_codes_follow(struct Qdisc *sch,
					struct ramp_code_law *law)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_send *s = q->send;
	struct ramp_code_law *old;
	bool told;

	spin_lock_bh(&s->lock);
	old = s->law;
	told = old && ramp_codes_left(s);
	s->law = law;
	ramp_codes_rates(s);
	if (!ramp_codes_same(old, law)) {
		ramp_codes_begin(s);
		s->due = 0;
		memset(s->left, 0, sizeof(s->left));
		if (law && (told || ramp_codes_low(s, law->ladders)))
			ramp_codes_mark(s, law->ladders);
	} else if (told && (old->validity != law->validity ||
			    old->ethertype != law->ethertype)) {
		s->next = 0;
	}
	spin_unlock_bh(&s->lock);
	ramp_event_keep(sch, law ? law->ladders : 0, s->rate);
	ramp_bh_queue(&s->work);
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

	spin_lock_bh(&s->lock);
	ramp_codes_rates(s);
	if (s->law)
		ramp_codes_mark(s, bands);
	spin_unlock_bh(&s->lock);
	if (s->law && s->law->devs)
		ramp_bh_queue(&s->work);
	ramp_event_keep(sch, ladders, s->rate);
	ramp_event_codes(sch, bands | ladders, s->rate);
}

/* Codes that would expire are due again, too. */
static void ramp_codes_refresh(struct ramp_send *s)
{
	u32 left = ramp_codes_left(s);
	u64 now;

	if (!left)
		return;
	now = ktime_get_ns();
	if (now < s->next)
		return;
	s->refreshed += hweight32(ramp_codes_low(s, ramp_codes_bands(s, left)));
	s->due |= left;
	s->next = now + ramp_codes_pause(s->law);
}

/* What is due, if anything. */
static void ramp_codes_take(struct ramp_send *s, struct ramp_code_batch *batch)
{
	const struct ramp_code_law *law = s->law;
	u32 i;

	batch->devs = 0;
	if (!law)
		return;
	ramp_codes_refresh(s);
	for (; s->due; s->due &= s->due - 1) {
		i = __ffs(s->due);
		batch->dev[batch->devs++] = law->dev[i];
		if (s->left[i] && !ramp_codes_low(s, law->dev[i].bands))
			s->left[i]--;
	}
	batch->ethertype = law->ethertype;
	batch->frame.validity = law->validity;
	batch->frame.epoch = s->epoch;
	batch->frame.seq = s->seq;
	s->seq += batch->devs;
	memcpy(batch->frame.rate, s->rate, sizeof(s->rate));
}

static struct sk_buff *ramp_code_skb(struct net_device *dev, u16 ethertype,
				     const struct ramp_code_frame *frame)
{
	u8 bytes[RAMP_CODE_BYTES_MAX];
	u32 len = ramp_code_build(bytes, frame);
	u32 pad = max_t(u32, len, ETH_ZLEN - ETH_HLEN) - len;
	struct sk_buff *skb;

	skb = alloc_skb(LL_RESERVED_SPACE(dev) + len + pad +
			dev->needed_tailroom, GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, LL_RESERVED_SPACE(dev));
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

static void ramp_codes_xmit(struct Qdisc *sch, struct ramp_code_batch *batch)
{
	struct net *net = dev_net(qdisc_dev(sch));
	const struct ramp_code_dev *dev;
	u32 i;
	int ret;

	batch->frame.ifindex = qdisc_dev(sch)->ifindex;
	batch->frame.parent = sch->parent;
	for (i = 0; i < batch->devs; i++) {
		dev = &batch->dev[i];
		batch->frame.bands = dev->bands;
		batch->frame.seq++;
		ret = ramp_code_xmit(net, dev->ifindex, batch->ethertype,
				     &batch->frame);
		if (ret == NETDEV_TX_OK)
			batch->sent++;
		else if (dev_xmit_complete(ret))
			batch->lost++;
		else
			batch->busy[batch->n_busy++] = dev->ifindex;
	}
}

/* Sees to it that the work item runs by then, unless the qdisc goes. */
static void ramp_codes_arm(struct ramp_send *s, u64 when)
{
	if (s->dead ||
	    (hrtimer_is_queued(&s->timer) &&
	     ktime_to_ns(hrtimer_get_expires(&s->timer)) <= (s64)when))
		return;
	hrtimer_start(&s->timer, ns_to_ktime(when), HRTIMER_MODE_ABS_SOFT);
}

/* A device that was busy is so for less than a jiffy, as a rule. */
static void ramp_codes_retry(struct ramp_send *s,
			     const struct ramp_code_batch *batch)
{
	u32 i, k;

	for (k = 0; k < batch->n_busy; k++)
		for (i = 0; i < s->law->devs; i++)
			if (s->law->dev[i].ifindex == batch->busy[k])
				s->due |= BIT(i);
	if (s->due)
		ramp_codes_arm(s, ktime_get_ns() + TICK_NSEC);
	if (ramp_codes_left(s))
		ramp_codes_arm(s, s->next);
}

/* Sends the frames that are due. */
static void ramp_codes_out(struct ramp_send *s)
{
	struct ramp_code_batch batch = {};

	spin_lock_bh(&s->lock);
	ramp_codes_take(s, &batch);
	spin_unlock_bh(&s->lock);

	ramp_codes_xmit(s->sch, &batch);

	spin_lock_bh(&s->lock);
	s->frames_sent += batch.sent;
	s->frames_lost += batch.lost;
	if (s->law)
		ramp_codes_retry(s, &batch);
	spin_unlock_bh(&s->lock);
}

static void ramp_codes_work(struct ramp_bh *work)
{
	ramp_codes_out(container_of(work, struct ramp_send, work));
}

static enum hrtimer_restart ramp_send_timer(struct hrtimer *timer)
{
	struct ramp_send *s = container_of(timer, struct ramp_send, timer);

	ramp_bh_queue(&s->work);
	return HRTIMER_NORESTART;
}

/**
 * ramp_codes_alloc - for the first ladder of a qdisc
 * @sch: ramp qdisc
 *
 * Context: RTNL, may sleep.
 *
 * Return: nothing to send yet, or NULL without memory
 */
struct ramp_send *ramp_codes_alloc(struct Qdisc *sch)
{
	struct ramp_send *s = kzalloc_obj(*s, GFP_KERNEL_ACCOUNT);
	u32 i;

	if (!s)
		return NULL;
	spin_lock_init(&s->lock);
	s->sch = sch;
	ramp_bh_init(&s->work, ramp_codes_work);
	s->net = dev_net(qdisc_dev(sch));
	ramp_codes_begin(s);
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		s->rate[i] = RAMP_CODE_WHOLE;
	hrtimer_setup(&s->timer, ramp_send_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
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
	struct ramp_send *s = q->send;
	struct ramp_code_law *law;
	u32 i, last;

	if (!s)
		return;
	spin_lock_bh(&s->lock);
	law = s->law;
	for (i = 0; law && i < law->devs; i++) {
		if (law->dev[i].ifindex != ifindex)
			continue;
		last = --law->devs;
		law->dev[i] = law->dev[last];
		s->left[i] = s->left[last];
		s->left[last] = 0;
		s->due &= ~BIT(i);
		if (s->due & BIT(last))
			s->due = (s->due & ~BIT(last)) | BIT(i);
		break;
	}
	spin_unlock_bh(&s->lock);
}

/**
 * ramp_send_destroy - nobody decides anything any more
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

	if (!s)
		return;
	spin_lock_bh(&s->lock);
	s->dead = true;
	spin_unlock_bh(&s->lock);
	hrtimer_cancel(&s->timer);
	local_bh_disable();
	ramp_codes_out(s);
	local_bh_enable();
	ramp_bh_cancel(&s->work);
	kfree(s->law);
	ramp_codes_end(s);
	q->send = NULL;
}
