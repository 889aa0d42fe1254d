// SPDX-License-Identifier: GPL-2.0
/*
 * The way of a packet out of a ramp qdisc: bands in strict priority, each a
 * FIFO or a child, behind one gate. While no ramp runs the gate is open, and a
 * packet costs what a FIFO costs plus a few comparisons (include/net/ramp/).
 */

#include <linux/skbuff.h>

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

/**
 * ramp_timer_due - the timer fired
 * @sch: ramp qdisc
 *
 * Context: root lock.
 */
noinline void ramp_timer_due(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	/* Before the timer is looked at, or the rail. */
	smp_store_mb(q->fired, false);
	ramp_gate_due(sch);
	ramp_timer_look(sch);
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
	ramp_gate_return(sch);
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
	ramp_gate_return(sch);
	ramp_gate_yield(sch);
	return NULL;
}
