// SPDX-License-Identifier: GPL-2.0
/*
 * Push-out: when the FIFOs are full, the tail of the lowest one gives way
 *
 * So that bulk never costs a band above it a packet. What is in children stays:
 * they have limits of their own. Everything here runs under the root lock, and
 * only when there is no room.
 */

#include <linux/skbuff.h>
#include <net/pkt_sched.h>
#include <net/ramp/push.h>

#include "ramp.h"

/* A parent that was shown a packet is to get it. */
static bool ramp_push_keeps_head(const struct ramp_sched_data *q,
				 const struct ramp_band *b)
{
	return q->promised && b == &q->band[q->promised - 1];
}

static u32 ramp_push_packets(const struct ramp_sched_data *q,
			     const struct ramp_band *b)
{
	return b->child ? 0 : b->fifo.qlen - ramp_push_keeps_head(q, b);
}

static u32 ramp_push_bytes(const struct ramp_sched_data *q,
			   const struct ramp_band *b)
{
	if (!ramp_push_packets(q, b))
		return 0;
	if (ramp_push_keeps_head(q, b))
		return b->backlog - qdisc_pkt_len(b->fifo.head);
	return b->backlog;
}

/* The busy bands that come after another. */
static u32 ramp_push_bands(const struct ramp_sched_data *q,
			   const struct ramp_band *b)
{
	return q->active & ramp_push_below(b->bit, q->law.exempt);
}

/**
 * ramp_push_may - can room be had for a packet from bands below?
 * @q: private data of a qdisc without room
 * @b: band of the packet
 * @len: bytes of the packet
 * @need: to be set: bytes that have to go, 0: any packet will do
 *
 * Nothing is to be pushed out for a packet that is refused all the same.
 *
 * Context: root lock.
 *
 * Return: true when ramp_push_out() is to be called
 */
bool ramp_push_may(const struct ramp_sched_data *q, const struct ramp_band *b,
		   u32 len, u32 *need)
{
	u32 bands = ramp_push_bands(q, b), packets = 0;
	u64 bytes = 0;

	if (!bands || len > q->law.bytes || !ramp_band_fits(q, b, len))
		return false;
	for (; bands; bands &= bands - 1) {
		const struct ramp_band *v = &q->band[__ffs(bands)];

		packets += ramp_push_packets(q, v);
		bytes += ramp_push_bytes(q, v);
	}
	*need = ramp_push_need(len, ramp_room(q));
	return packets && bytes >= *need;
}

/* Takes the tail off a FIFO that has one to give. A packet knows the one before
 * it, as long as that is there.
 */
static struct sk_buff *ramp_push_tail(struct ramp_band *b)
{
	struct sk_buff *skb = b->fifo.tail;

	if (skb == b->fifo.head) {
		b->fifo.head = NULL;
		b->fifo.tail = NULL;
	} else {
		b->fifo.tail = ramp_skb_cb(skb)->before;
		b->fifo.tail->next = NULL;
	}
	b->fifo.qlen--;
	return skb;
}

static u32 ramp_push_one(struct Qdisc *sch, struct ramp_band *b,
			 struct sk_buff **to_free)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb = ramp_push_tail(b);
	u32 len = qdisc_pkt_len(skb);

	if (!b->fifo.qlen)
		q->active &= ~b->bit;
	if (ramp_is_exempt(q, b))
		ramp_cap_move(q, 1);
	else
		q->waiting--;
	b->backlog -= len;
	b->drops++;
	b->dropped++;
	qdisc_qlen_dec(sch);
	qstats_backlog_sub(sch, len);
	qdisc_drop_reason(skb, sch, to_free, QDISC_DROP_OVERLIMIT);
	ramp_rung_check(sch, b);
	return len;
}

/* What waits is another number, or nothing but exempt packets. */
static void ramp_push_look(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!q->waiting) {
		ramp_removed(sch);
		return;
	}
	ramp_level_check(sch);
	ramp_gear_look(sch);
}

/**
 * ramp_push_out - make room for a packet that is already there
 * @sch: ramp qdisc
 * @b: band of the packet
 * @len: bytes of the packet
 * @need: from ramp_push_may()
 * @to_free: list of what is to be freed
 *
 * One packet goes where packets are counted; as many as it takes where bytes
 * are, and as each has some, at most @need. What is left is in the order in
 * which it came.
 *
 * Context: root lock.
 *
 * Return: as enqueue does. NET_XMIT_CN only when parents would have had nothing
 * left for a moment, which they would take for the end of all that waits.
 */
int ramp_push_out(struct Qdisc *sch, const struct ramp_band *b, u32 len,
		  u32 need, struct sk_buff **to_free)
{
	u32 bands, n = 0, bytes = 0, packets = 0;
	struct ramp_sched_data *q = qdisc_priv(sch);
	bool alone;

	for (bands = ramp_push_bands(q, b);
	     bands && (!packets || bytes < need);) {
		n = __fls(ramp_push_sort(bands, q->law.exempt));
		if (!ramp_push_packets(q, &q->band[n])) {
			bands &= ~BIT(n);
			continue;
		}
		bytes += ramp_push_one(sch, &q->band[n], to_free);
		packets++;
	}
	ramp_push_look(sch);

	/* All that parents know of is gone, but for what is new. */
	alone = qdisc_qlen(sch) == q->unreported + 1;
	if (alone)
		qdisc_tree_reduce_backlog(sch, packets - 1, bytes - len);
	else
		qdisc_tree_reduce_backlog(sch, packets, bytes);
	return alone ? NET_XMIT_CN : NET_XMIT_SUCCESS;
}
