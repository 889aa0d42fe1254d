// SPDX-License-Identifier: GPL-2.0
/*
 * ramp: lets the egress rate climb or fall in steps after a surge
 *
 * Bands in strict priority, each a FIFO or a child, behind one gate. While no
 * ramp runs the gate is open, and a packet costs what a FIFO costs plus a few
 * comparisons (include/net/ramp/).
 */

#include <linux/skbuff.h>
#include <net/pkt_cls.h>

#include "ramp.h"

/**
 * ramp_timer_look - what waits for a time may wait no longer
 * @sch: ramp qdisc, whose gate is brought up to the present
 *
 * Context: root lock.
 */
void ramp_timer_look(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	ramp_peer_timer(sch, q->own.now);
	ramp_gear_timer(sch, q->own.now);
	ramp_gate_arm(sch);
	ramp_timer_start(sch, ramp_peer_when(q));
	ramp_timer_start(sch, ramp_gear_when(q));
}

static noinline void ramp_timer_due(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	/* Before the timer is looked at, or the rail. */
	smp_store_mb(q->fired, false);
	ramp_gate_due(sch);
	ramp_timer_look(sch);
}

/* Did the timer fire, or did a peer say something? */
static inline void ramp_catch_up(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (READ_ONCE(q->fired))
		ramp_timer_due(sch);
	if (unlikely(READ_ONCE(q->heard)))
		ramp_peer_due(sch, ktime_get_ns());
}

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

static inline void ramp_handed_over(struct Qdisc *sch, struct ramp_band *b,
				    unsigned long len, unsigned int segs)
{
	b->dequeued++;
	qdisc_qlen_dec(sch);
	qstats_backlog_sub(sch, len);
	_bstats_update(&sch->bstats, len, segs);
	_bstats_update(&b->bstats, len, segs);
}

/* The caller knows that there is a packet, which __qdisc_dequeue_head() would
 * have to find out, its length and segments, and the @bit of the band. While
 * nothing is held back it is mostly the only one.
 */
static inline struct sk_buff *ramp_fifo_take(struct ramp_sched_data *q,
					     struct Qdisc *sch,
					     struct ramp_band *b,
					     unsigned long bit,
					     unsigned long len,
					     unsigned int segs)
{
	struct sk_buff *skb = b->fifo.head, *next = skb->next;

	b->fifo.head = next;
	b->fifo.qlen--;
	if (likely(!next)) {
		b->fifo.tail = NULL;
		q->active ^= bit;
	} else {
		skb_mark_not_on_list(skb);
	}
	b->backlog -= len;
	ramp_handed_over(sch, b, len, segs);
	return skb;
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

/* What the timer sets meanwhile is seen by the next packet. */
static inline u64 ramp_slow_path(struct ramp_sched_data *q)
{
	/* One comparison with memory, which READ_ONCE() would not be. */
	return data_race(q->slow_path);
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

static struct sk_buff *ramp_band_peek(struct Qdisc *sch, struct ramp_band *b)
{
	struct sk_buff *skb;

	if (!b->child)
		return b->fifo.head;
	skb = ramp_child_peek(sch, b);
	ramp_rung_check(sch, b);
	return skb;
}

/* Is there a packet that the gate lets pass in this band? Otherwise takes the
 * bands that cannot give one now out of @bands.
 */
static bool ramp_band_may(struct Qdisc *sch, struct ramp_band *b, u32 *bands)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct sk_buff *skb = NULL;

	if (!ramp_is_ramping(q) && !ramp_is_geared(q) && !ramp_is_paced(q, b))
		return true;
	if (ramp_is_exempt(q, b))
		return true;
	if (!(q->paced_shut & b->bit)) {
		skb = ramp_band_peek(sch, b);
		if (!skb)
			ramp_removed(sch);
	}
	if (!skb || (ramp_is_paced(q, b) && !ramp_peer_pass(sch, b, skb))) {
		*bands &= ~b->bit;
		return false;
	}
	/* The ramp comes last, as on a rail it is charged here. */
	if ((ramp_is_geared(q) && !ramp_gear_pass(sch, skb)) ||
	    (ramp_is_ramping(q) && !ramp_gate_pass(sch, skb))) {
		*bands &= q->law.exempt;
		return false;
	}
	return true;
}

/* Takes the packet that ramp_band_may() spoke of, now or when it was promised.
 */
static struct sk_buff *ramp_band_take(struct Qdisc *sch, struct ramp_band *b,
				      bool promised)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb;

	if (b->child) {
		skb = ramp_child_dequeue(sch, b);
		ramp_rung_check(sch, b);
		if (!skb)
			return NULL;
		ramp_handed_over(sch, b, qdisc_pkt_len(skb),
				 qdisc_pkt_segs(skb));
	} else {
		skb = ramp_fifo_take(q, sch, b, b->bit,
				     qdisc_pkt_len(b->fifo.head),
				     qdisc_pkt_segs(b->fifo.head));
		ramp_rung_check(sch, b);
		if (!ramp_is_exempt(q, b))
			q->waiting--;
		else
			ramp_cap_move(q, 1);
	}

	if (!ramp_is_exempt(q, b)) {
		if (ramp_is_paced(q, b))
			ramp_peer_charge(sch, b, skb);
		if (ramp_is_geared(q))
			ramp_gear_charge(sch, qdisc_pkt_len(skb));
		if (ramp_is_ramping(q))
			ramp_gate_charge(sch, skb, promised);
		ramp_level_check(sch);
		ramp_gear_look(sch);
	}
	return skb;
}

/* A parent that was shown a packet gets it, so the gate is not asked again, but
 * the packet is charged to the tick in which it leaves.
 */
static struct sk_buff *ramp_take_promised(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_band *b = &q->band[q->promised - 1];

	q->promised = 0;
	if (ramp_is_ramping(q))
		ramp_gate_sync(sch);
	if (ramp_is_paced(q, b))
		ramp_peer_sync(sch, b);
	if (ramp_is_geared(q))
		ramp_gear_sync(sch);
	return ramp_band_take(sch, b, true);
}

static noinline struct sk_buff *ramp_dequeue_any(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb;
	struct ramp_band *b;
	u32 bands;

	ramp_catch_up(sch);
	if (q->promised) {
		skb = ramp_take_promised(sch);
		if (skb)
			return skb;
	}

	for (bands = q->active; bands;) {
		b = &q->band[__ffs(bands)];
		if (!ramp_band_may(sch, b, &bands))
			continue;
		skb = ramp_band_take(sch, b, false);
		if (skb)
			return skb;
		bands &= ~b->bit;
	}
	ramp_gate_yield(sch);
	return NULL;
}

static inline struct sk_buff *ramp_dequeue_counted(struct Qdisc *sch,
						   struct ramp_band *b,
						   unsigned long bit,
						   unsigned int segs)
{
	unsigned long len = qdisc_pkt_len(b->fifo.head);
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb;

	skb = ramp_fifo_take(q, sch, b, bit, len, segs);
	q->slew.budget -= len;
	q->waiting--;
	return skb;
}

/* To count segments is not for the short way. */
static noinline struct sk_buff *ramp_dequeue_uncounted(struct Qdisc *sch,
						       struct ramp_band *b)
{
	return ramp_dequeue_counted(sch, b, b->bit,
				    qdisc_pkt_segs(b->fifo.head));
}

static inline struct sk_buff *ramp_dequeue_fifo(struct Qdisc *sch,
						struct ramp_band *b,
						unsigned long bit)
{
	u32 segs;

	if (unlikely(!ramp_segs_counted(b->fifo.head, &segs)))
		return ramp_dequeue_uncounted(sch, b);
	return ramp_dequeue_counted(sch, b, bit, segs);
}

/* What waits is outside the bounds of gears or detection, or it is nothing. */
static noinline struct sk_buff *ramp_dequeue_shifted(struct Qdisc *sch,
						     struct ramp_band *b,
						     struct sk_buff *skb)
{
	ramp_rung_check(sch, b);
	ramp_gear_emptied(sch);
	ramp_level_check(sch);
	ramp_gear_look(sch);
	return skb;
}

/* Nothing is called once the packet is taken but what this ends with, so that
 * little has to be kept on the stack.
 */
static noinline struct sk_buff *ramp_dequeue_geared(struct Qdisc *sch,
						    struct ramp_band *b)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_gear *r = q->gear;
	struct sk_buff *skb;

	if (ramp_gear_shut(r))
		goto exempt;
	r->empty = ktime_get_ns();
	if (unlikely(!ramp_pacer_filled(&r->pacer, r->empty)) &&
	    !ramp_gear_ask(sch, qdisc_pkt_len(b->fifo.head)))
		goto exempt;

	ramp_pacer_charge(&r->pacer, qdisc_pkt_len(b->fifo.head));
	skb = ramp_dequeue_fifo(sch, b, b->bit);
	if (unlikely(ramp_gear_maybe_outside(sch, r) ||
		     q->waiting < q->bottom || ramp_rung_outside(b) ||
		     (!q->waiting && !r->resting)))
		return ramp_dequeue_shifted(sch, b, skb);
	return skb;

exempt:
	/* These may have what the gear refuses. */
	return q->active & q->law.exempt ? ramp_dequeue_any(sch) : NULL;
}

/* What waits may be below a bound without this packet. */
static noinline struct sk_buff *ramp_dequeue_outside(struct Qdisc *sch,
						     struct ramp_band *b)
{
	struct sk_buff *skb = ramp_dequeue_fifo(sch, b, b->bit);

	ramp_rung_check(sch, b);
	ramp_level_check(sch);
	return skb;
}

/* Which of the ways that are not the shortest one does a packet take? */
static noinline struct sk_buff *ramp_dequeue_crossed(struct Qdisc *sch,
						     struct ramp_band *b)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (b->special || q->slew.budget <= 0)
		return ramp_dequeue_any(sch);
	if (ramp_is_geared(q))
		return ramp_dequeue_geared(sch, b);
	return ramp_dequeue_outside(sch, b);
}

/* The slew limiter has to look, which is all that is unusual, and as a rule it
 * lets the packet pass.
 */
static noinline struct sk_buff *ramp_dequeue_looked(struct Qdisc *sch,
						    struct ramp_band *b)
{
	unsigned int len = qdisc_pkt_len(b->fifo.head);
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (ramp_gate_spend(q, len))
		q->slew.budget += len;
	else if (!ramp_gate_ask(sch, b->fifo.head))
		goto exempt;
	return ramp_dequeue_fifo(sch, b, b->bit);

exempt:
	/* These may have what the limiter refuses. */
	return ramp_on_rail(q) || q->active & q->law.exempt ?
		ramp_dequeue_any(sch) : NULL;
}

static inline struct sk_buff *ramp_dequeue_band(struct Qdisc *sch,
						struct ramp_band *b,
						unsigned long bit)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	/* Or it is computed anew for each of its members. */
	OPTIMIZER_HIDE_VAR(b);
	if (unlikely(q->waiting <= q->bottom || b->fifo.qlen <= b->bottom))
		return ramp_dequeue_crossed(sch, b);
	if (unlikely(q->slew.budget <= 0))
		return ramp_dequeue_looked(sch, b);
	return ramp_dequeue_fifo(sch, b, bit);
}

/* Of a band that is not the first one, or of several. */
static noinline struct sk_buff *ramp_dequeue_other(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_band *b = &q->band[__ffs(q->active)];

	return ramp_dequeue_band(sch, b, b->bit);
}

/**
 * ramp_dequeue - the device, or a parent, wants a packet
 * @sch: ramp qdisc
 *
 * Context: root lock.
 *
 * Return: a packet, or NULL when none may leave now
 */
struct sk_buff *ramp_dequeue(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (unlikely(ramp_slow_path(q)))
		return ramp_dequeue_any(sch);
	/* Where others send, too, what says which band it is comes from another
	 * CPU, and so does the band. As it is said to be this one, the
	 * processor waits for both at once.
	 */
	if (unlikely(q->active != BIT(0)))
		return q->active ? ramp_dequeue_other(sch) : NULL;
	return ramp_dequeue_band(sch, q->band, BIT(0));
}

/**
 * ramp_peek - a parent wants to know which packet it would get
 * @sch: ramp qdisc
 *
 * Context: root lock.
 *
 * Return: a packet that remains where it is, or NULL
 */
struct sk_buff *ramp_peek(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct sk_buff *skb;
	struct ramp_band *b;
	u32 bands;

	ramp_catch_up(sch);
	if (q->promised) {
		skb = ramp_band_peek(sch, &q->band[q->promised - 1]);
		if (skb)
			return skb;
		q->promised = 0;
	}

	for (bands = q->active; bands;) {
		b = &q->band[__ffs(bands)];
		if (!ramp_band_may(sch, b, &bands))
			continue;
		skb = ramp_band_peek(sch, b);
		if (skb) {
			q->promised = b - q->band + 1;
			ramp_gate_yield(sch);
			return skb;
		}
		bands &= ~b->bit;
	}
	return NULL;
}
