// SPDX-License-Identifier: GPL-2.0
/*
 * The way of a packet into a ramp qdisc: which band it is for, whether it has
 * to be segmented, whether there is room, and what is to be looked at then.
 */

#include <linux/skbuff.h>
#include <net/pkt_cls.h>

#include "ramp.h"

/* The caller sees to it that there is room, and that what waits is counted. Who
 * has read the backlog to see that need not read it again, as
 * qstats_backlog_add() does.
 */
static inline void ramp_fifo_add(struct ramp_sched_data *q, struct Qdisc *sch,
				 struct ramp_band *b, struct sk_buff *skb,
				 unsigned long len)
{
	struct sk_buff *tail = b->fifo.tail;

	WRITE_ONCE(sch->qstats.backlog, sch->qstats.backlog + len);
	ramp_skb_cb(skb)->before = tail;
	*(tail ? &tail->next : &b->fifo.head) = skb;
	b->fifo.tail = skb;
	b->fifo.qlen++;
	qdisc_qlen_inc(sch);
	b->backlog += len;
	b->enqueued++;
	q->active |= b->bit;
}

/* There is no room, but some may be had from bands below. The packet is added
 * first, so that parents are never told that we are empty.
 */
static noinline int ramp_fifo_full(struct sk_buff *skb, struct Qdisc *sch,
				   struct ramp_band *b,
				   struct sk_buff **to_free)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	unsigned int len = qdisc_pkt_len(skb);
	u32 need;

	if (!ramp_push_may(q, b, len, &need)) {
		b->drops++;
		return qdisc_drop_reason(skb, sch, to_free,
					 QDISC_DROP_OVERLIMIT);
	}
	ramp_fifo_add(q, sch, b, skb, len);
	if (ramp_is_exempt(q, b))
		ramp_cap_move(q, -1);
	else
		q->waiting++;
	ramp_rung_check(sch, b);
	return ramp_push_out(sch, b, len, need, to_free);
}

/* What a child has is looked at when it is no longer called. */
static int ramp_child_arrived(struct sk_buff *skb, struct Qdisc *sch,
			      struct ramp_band *b, struct sk_buff **to_free)
{
	bool outer = !b->busy;
	int ret;

	ret = ramp_child_enqueue(skb, sch, b, to_free);
	if (outer) {
		ramp_rung_check(sch, b);
		ramp_level_check(sch);
		if (!ramp_is_exempt(qdisc_priv(sch), b))
			ramp_gear_look(sch);
	}
	return ret;
}

static int ramp_band_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			     struct ramp_band *b, struct sk_buff **to_free)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (b->child)
		return ramp_child_arrived(skb, sch, b, to_free);
	if (!ramp_band_room(sch, b, qdisc_pkt_len(skb)))
		return ramp_fifo_full(skb, sch, b, to_free);
	ramp_fifo_add(q, sch, b, skb, qdisc_pkt_len(skb));
	ramp_rung_check(sch, b);
	if (ramp_is_exempt(q, b)) {
		ramp_cap_move(q, -1);
	} else {
		q->waiting++;
		ramp_level_check(sch);
		ramp_gear_look(sch);
	}
	return NET_XMIT_SUCCESS;
}

/* Is a packet to be cut whatever the gate does: as segments are counted, or as
 * it is longer than what the FIFO holds at most?
 */
static bool ramp_is_cut(const struct ramp_sched_data *q,
			const struct ramp_band *b, const struct sk_buff *skb)
{
	if (!skb_is_gso(skb) || !q->law.split_gso || b->child)
		return false;
	return q->law.cut_gso ||
	       qdisc_pkt_len(skb) > min(q->law.bytes,
					q->law.band_bytes[b - q->band]);
}

/* So that a tick does not have to let a packet go that is larger than all that
 * it allows. A packet that cannot be segmented goes as it is.
 */
static int ramp_split_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			      struct ramp_band *b, struct sk_buff **to_free)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	netdev_features_t features = netif_skb_features(skb);
	unsigned int seg_len, len = 0, prev_len = qdisc_pkt_len(skb);
	struct sk_buff *seg, *next;
	int ret, taken = 0, parts = 0;

	seg = skb_gso_segment(skb, features & ~NETIF_F_GSO_MASK);
	if (IS_ERR_OR_NULL(seg))
		return ramp_band_enqueue(skb, sch, b, to_free);

	skb_list_walk_safe(seg, seg, next) {
		skb_mark_not_on_list(seg);
		seg_len = seg->len;
		qdisc_skb_cb(seg)->pkt_len = seg_len;
		ramp_set_pkt_segs(seg, 1);

		ret = ramp_band_enqueue(seg, sch, b, to_free);
		if (ret == NET_XMIT_SUCCESS) {
			parts++;
			len += seg_len;
			q->unreported++;
		}
		if (ret == NET_XMIT_SUCCESS || ret == NET_XMIT_CN)
			taken++;
	}
	consume_skb(skb);
	q->unreported = 0;

	/* What was accepted is the one packet that came. */
	if (taken) {
		b->enqueued -= taken - 1;
		b->split_extra += taken - 1;
	}
	if (!parts)
		return taken ? NET_XMIT_CN : NET_XMIT_DROP;
	qdisc_tree_reduce_backlog(sch, 1 - parts, prev_len - len);
	return NET_XMIT_SUCCESS;
}

static int ramp_arrived_enqueue(struct sk_buff *skb, struct Qdisc *sch,
				struct ramp_band *b, struct sk_buff **to_free)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (ramp_is_ramping(q) && ramp_gate_splits(q, skb))
		return ramp_split_enqueue(skb, sch, b, to_free);
	if (ramp_is_paced(q, b) && ramp_peer_splits(q, b, skb))
		return ramp_split_enqueue(skb, sch, b, to_free);
	if (ramp_is_geared(q) && ramp_gear_splits(q, skb))
		return ramp_split_enqueue(skb, sch, b, to_free);
	if (unlikely(ramp_is_cut(q, b, skb)))
		return ramp_split_enqueue(skb, sch, b, to_free);
	return ramp_band_enqueue(skb, sch, b, to_free);
}

/* The long way, for whatever there may be. */
static noinline int ramp_enqueue_any(struct sk_buff *skb, struct Qdisc *sch,
				     struct sk_buff **to_free)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_band *b;
	int ret;

	b = ramp_classify(skb, sch, &ret);
	if (!b) {
		if (ret & __NET_XMIT_BYPASS)
			qdisc_qstats_drop(sch);
		__qdisc_drop(skb, to_free);
		return ret;
	}
	ramp_catch_up(sch);
	if (ramp_is_exempt(q, b))
		return ramp_is_cut(q, b, skb) ?
			ramp_split_enqueue(skb, sch, b, to_free) :
			ramp_band_enqueue(skb, sch, b, to_free);

	if (q->own.plan.watch_ingress) {
		if (!q->meter.running)
			ramp_arrivals_begin(&q->own);
		if (ramp_meter_add(&q->meter, q->own.plan.pps ?
				   qdisc_pkt_segs(skb) : qdisc_pkt_len(skb)) &&
		    !ramp_gate_counts(q))
			ramp_gate_arrived(sch);
	}
	return ramp_arrived_enqueue(skb, sch, b, to_free);
}

/* More arrived than the level of arrivals could without a look. What the
 * short way ends with takes what that was given, so that nothing has to be
 * moved for it.
 */
static noinline int ramp_enqueue_looked(struct sk_buff *skb, struct Qdisc *sch,
					struct sk_buff **to_free)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!ramp_gate_counts(q))
		ramp_gate_arrived(sch);
	return ramp_arrived_enqueue(skb, sch,
				    q->map[skb->priority & TC_PRIO_MAX],
				    to_free);
}

/* Likewise, of a packet that the short way can take otherwise: what is left of
 * that may be enough for a member of a rail.
 */
static noinline int ramp_enqueue_arrived(struct sk_buff *skb, struct Qdisc *sch,
					 struct sk_buff **to_free)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!ramp_gate_counts(q))
		return ramp_enqueue_looked(skb, sch, to_free);
	ramp_fifo_add(q, sch, q->map[skb->priority & TC_PRIO_MAX], skb,
		      qdisc_pkt_len(skb));
	q->waiting++;
	return NET_XMIT_SUCCESS;
}

/* What waits may be beyond a bound with this packet, or too much, or the band
 * is not one for the short way.
 */
static noinline int ramp_enqueue_crossed(struct sk_buff *skb, struct Qdisc *sch,
					 struct sk_buff **to_free)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_band *b = q->map[skb->priority & TC_PRIO_MAX];
	unsigned int len = qdisc_pkt_len(skb);

	if (b->special || len > q->whole || ramp_is_cut(q, b, skb))
		return ramp_enqueue_any(skb, sch, to_free);
	if (ramp_meter_add(&q->meter, len))
		return ramp_enqueue_looked(skb, sch, to_free);
	return ramp_band_enqueue(skb, sch, b, to_free);
}

/**
 * ramp_enqueue - a packet comes
 * @skb: packet
 * @sch: ramp qdisc
 * @to_free: list of what is to be freed
 *
 * The short way, as long as the gate is open, nothing is to be classified, and
 * no slot is over. It calls nothing that it does not end with, so that it needs
 * no stack.
 *
 * Context: root lock.
 *
 * Return: as enqueue does
 */
int ramp_enqueue(struct sk_buff *skb, struct Qdisc *sch,
		 struct sk_buff **to_free)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	unsigned long len = qdisc_pkt_len(skb);
	u32 prio = skb->priority;
	struct ramp_band *b;

	if (unlikely(ramp_slow_path(q) || TC_H_MAJ(prio)))
		return ramp_enqueue_any(skb, sch, to_free);
	b = q->map[prio & TC_PRIO_MAX];
	if (unlikely(q->waiting >= q->stop || b->fifo.qlen >= b->stop ||
		     len > q->whole ||
		     (u32)(sch->qstats.backlog + len) > q->most))
		return ramp_enqueue_crossed(skb, sch, to_free);
	if (unlikely(ramp_meter_add(&q->meter, len)))
		return ramp_enqueue_arrived(skb, sch, to_free);

	ramp_fifo_add(q, sch, b, skb, len);
	q->waiting++;
	return NET_XMIT_SUCCESS;
}
