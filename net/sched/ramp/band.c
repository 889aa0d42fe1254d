// SPDX-License-Identifier: GPL-2.0
/*
 * Bands: which one a packet goes to, and what a child does to packets
 *
 * A child may drop, segment and duplicate packets whenever it is called, also
 * when others call it. What it has more or less than we expect afterwards is
 * what it made or lost. sch->q.qlen is not our business then: children tell all
 * their ancestors with qdisc_tree_reduce_backlog().
 *
 * What the new number means to ladders, levels and gears is for the caller to
 * look at. Everything here runs under the root lock.
 */

#include <net/pkt_cls.h>

#include "ramp.h"

/**
 * ramp_room - what is left of the limit in bytes
 * @q: private data of a qdisc
 *
 * Context: root lock.
 *
 * Return: bytes that FIFOs may take; less than 0 when the limit was lowered
 */
s64 ramp_room(const struct ramp_sched_data *q)
{
	s64 room = q->law.bytes;
	u32 bands;

	if (q->law.bytes == RAMP_NO_BYTES)
		return S64_MAX;
	for (bands = q->active; bands; bands &= bands - 1) {
		const struct ramp_band *b = &q->band[__ffs(bands)];

		if (!b->child)
			room -= b->backlog;
	}
	return room;
}

/* Who sends does not know the handle of the ramp of each queue. */
static bool ramp_mq_names(const struct ramp_sched_data *q, u32 class)
{
	return q->mq && TC_H_MAJ(class) == q->mq_handle;
}

/* As prio does: a priority that names a class, then filters, then the map. */
static struct ramp_band *ramp_classify_class(struct sk_buff *skb,
					     struct Qdisc *sch, int *ret)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct tcf_proto *filters;
	struct tcf_result res;
	u32 class = skb->priority;
	int err;

	if (TC_H_MAJ(class) != sch->handle && !ramp_mq_names(q, class)) {
		filters = rcu_dereference_bh(q->filter_list);
		err = tcf_classify(skb, NULL, filters, &res, false);
		switch (err) {
		case TC_ACT_STOLEN:
		case TC_ACT_QUEUED:
		case TC_ACT_TRAP:
			*ret = NET_XMIT_SUCCESS | __NET_XMIT_STOLEN;
			return NULL;
		case TC_ACT_REDIRECT:
		case TC_ACT_SHOT:
			*ret = NET_XMIT_SUCCESS | __NET_XMIT_BYPASS;
			return NULL;
		}
		if (err < 0 && TC_H_MAJ(class))
			return q->map[0];
		if (err < 0)
			return q->map[class & TC_PRIO_MAX];
		class = res.classid;
	}

	class = TC_H_MIN(class);
	return class && class <= q->law.bands ? &q->band[class - 1] : q->map[0];
}

/**
 * ramp_classify - the band of a packet
 * @skb: packet
 * @sch: ramp qdisc
 * @ret: for what enqueue is to return if there is none
 *
 * Context: root lock.
 *
 * Return: a band, or NULL when a filter took or dropped the packet
 */
struct ramp_band *ramp_classify(struct sk_buff *skb, struct Qdisc *sch,
				int *ret)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 prio = skb->priority;

	if (rcu_access_pointer(q->filter_list) || TC_H_MAJ(prio))
		return ramp_classify_class(skb, sch, ret);
	return q->map[prio & TC_PRIO_MAX];
}

/* The same for the bounds of what waits: it may be more by what is in children,
 * and is to be less by what is exempt.
 */
static void ramp_cap_set(struct ramp_sched_data *q, const struct ramp_band *b,
			 s32 more)
{
	if (b->child && !ramp_is_exempt(q, b))
		ramp_cap_move(q, more);
	else if (!b->child && ramp_is_exempt(q, b))
		ramp_cap_move(q, -more);
}

/* A band has so many packets more than before. */
static void ramp_band_crossed(struct ramp_sched_data *q, struct ramp_band *b,
			      u32 more)
{
	if (!ramp_is_exempt(q, b))
		q->waiting += more;
	/* It may be as many as when the gears last looked, and still be others.
	 */
	if (more)
		q->waited = U32_MAX;
	ramp_cap_set(q, b, more);
	if (ramp_band_queued(b))
		q->active |= b->bit;
	else
		q->active &= ~b->bit;
}

/**
 * ramp_child_settle - what a child made or lost
 * @sch: ramp qdisc
 * @b: band that has a child
 * @expected: skbs that the child is to have more than when we last looked, as a
 *	difference modulo 2^32
 *
 * Context: root lock.
 */
void ramp_child_settle(struct Qdisc *sch, struct ramp_band *b, u32 expected)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 more = qdisc_qlen(b->child) - b->in_child;
	s32 extra = more - expected;

	if (extra > 0)
		b->split_extra += extra;
	else
		b->dropped += -extra;
	b->in_child += more;
	ramp_band_crossed(q, b, more);
}

/**
 * ramp_child_enqueue - hand a packet to a child
 * @skb: packet
 * @sch: ramp qdisc
 * @b: band that has a child
 * @to_free: list of what is to be freed
 *
 * A child that duplicates hands the copy to the root of the tree, so this can
 * be called while it runs.
 *
 * Context: root lock.
 *
 * Return: as enqueue does
 */
int ramp_child_enqueue(struct sk_buff *skb, struct Qdisc *sch,
		       struct ramp_band *b, struct sk_buff **to_free)
{
	unsigned int len = qdisc_pkt_len(skb);
	bool outer = !b->busy;
	int ret;

	if (outer) {
		b->busy = true;
		b->expected = 0;
	}
	ret = qdisc_enqueue(skb, b->child, to_free);
	if (ret == NET_XMIT_SUCCESS) {
		qdisc_qlen_inc(sch);
		qstats_backlog_add(sch, len);
	} else if (net_xmit_drop_count(ret)) {
		qdisc_qstats_drop(sch);
		b->drops++;
	}
	/* With CN it took the packet, and dropped another one for it. */
	if (ret == NET_XMIT_SUCCESS || ret == NET_XMIT_CN) {
		b->enqueued++;
		b->expected++;
	}
	if (outer) {
		b->busy = false;
		ramp_child_settle(sch, b, b->expected);
	}
	return ret;
}

/**
 * ramp_child_peek - what a child would give
 * @sch: ramp qdisc
 * @b: band that has a child
 *
 * Context: root lock.
 *
 * Return: a packet that remains where it is, or NULL
 */
struct sk_buff *ramp_child_peek(struct Qdisc *sch, struct ramp_band *b)
{
	struct sk_buff *skb;

	b->busy = true;
	skb = b->child->ops->peek(b->child);
	b->busy = false;
	ramp_child_settle(sch, b, 0);
	return skb;
}

/**
 * ramp_child_dequeue - take a packet from a child
 * @sch: ramp qdisc
 * @b: band that has a child
 *
 * Context: root lock.
 *
 * Return: a packet, or NULL when the child has none or holds them back
 */
struct sk_buff *ramp_child_dequeue(struct Qdisc *sch, struct ramp_band *b)
{
	struct sk_buff *skb;

	b->busy = true;
	skb = qdisc_dequeue_peeked(b->child);
	b->busy = false;
	ramp_child_settle(sch, b, skb ? -1 : 0);
	return skb;
}

/**
 * ramp_band_purge - discard what is in a band
 * @sch: ramp qdisc
 * @b: band
 * @reset: the whole qdisc is being reset, and nobody counts its packets
 *
 * The caller follows up with ramp_bands_mark().
 *
 * Context: RTNL and root lock.
 */
void ramp_band_purge(struct Qdisc *sch, struct ramp_band *b, bool reset)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 queued = b->fifo.qlen, len = b->backlog;

	if (q->promised && b == &q->band[q->promised - 1])
		q->promised = 0;
	if (b->child) {
		if (reset)
			qdisc_reset(b->child);
		else
			qdisc_purge_queue(b->child);
		ramp_child_settle(sch, b, 0);
		return;
	}

	__qdisc_reset_queue(&b->fifo);
	b->backlog = 0;
	b->dropped += queued;
	if (!reset && queued) {
		WRITE_ONCE(sch->q.qlen, sch->q.qlen - queued);
		qstats_backlog_sub(sch, len);
		__qdisc_qstats_drop(sch, queued);
		qdisc_tree_reduce_backlog(sch, queued, len);
	}
	ramp_band_crossed(q, b, -queued);
}

/**
 * ramp_bands_busy - do children forbid that there are only so many bands?
 * @sch: ramp qdisc
 * @bands: how many are to remain
 *
 * Context: RTNL and root lock.
 *
 * Return: true when a band that would go, or take what waits in those, has a
 * child
 */
bool ramp_bands_busy(struct Qdisc *sch, u32 bands)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 i, queued = 0;

	for (i = bands; i < q->law.bands; i++) {
		if (q->band[i].child)
			return true;
		queued += q->band[i].fifo.qlen;
	}
	return queued && q->band[bands - 1].child;
}

/* Both are FIFOs, and packets stay in the order of their bands. */
static void ramp_band_splice(struct ramp_sched_data *q, struct ramp_band *f,
			     struct ramp_band *t)
{
	u32 queued = f->fifo.qlen;

	if (queued) {
		ramp_skb_cb(f->fifo.head)->before = t->fifo.tail;
		if (t->fifo.tail)
			t->fifo.tail->next = f->fifo.head;
		else
			t->fifo.head = f->fifo.head;
		t->fifo.tail = f->fifo.tail;
		t->fifo.qlen += queued;
		t->backlog += f->backlog;
		t->enqueued += queued;
		f->enqueued -= queued;
		q->active |= t->bit;
	}

	q->active &= ~f->bit;
	ramp_count_add(&q->gone, f);
	memset(f, 0, sizeof(*f));
	gnet_stats_basic_sync_init(&f->bstats);
}

/**
 * ramp_bands_change - there are fewer bands from now on
 * @sch: ramp qdisc
 * @bands: how many; ramp_bands_busy() said that it can be
 *
 * The caller follows up with ramp_bands_mark().
 *
 * Context: RTNL and root lock, while the old number is in force.
 */
void ramp_bands_change(struct Qdisc *sch, u32 bands)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 i;

	if (q->promised > bands)
		q->promised = 0;
	for (i = bands; i < q->law.bands; i++)
		ramp_band_splice(q, &q->band[i], &q->band[bands - 1]);
}

/**
 * ramp_bands_mark - bands, their limits, children or what is exempt changed
 * @sch: ramp qdisc
 *
 * Context: RTNL and root lock, or before the qdisc is in use.
 */
void ramp_bands_mark(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_band *b;
	u32 waiting = 0, i;

	q->cap = q->law.bytes == RAMP_NO_BYTES ? q->law.limit : RAMP_LIMIT_MAX;
	ramp_stop_set(q);
	for (i = 0; i < q->law.bands; i++) {
		b = &q->band[i];
		b->bit = BIT(i);
		b->special = b->child || ramp_is_exempt(q, b) ||
			     q->law.band_bytes[i] < q->law.bytes;
		ramp_band_bounds(q, b);
		if (!ramp_is_exempt(q, b))
			waiting += ramp_band_queued(b);
		ramp_cap_set(q, b, ramp_band_queued(b));
	}
	/* Others may read it, who must not find a part of it. */
	WRITE_ONCE(q->waiting, waiting);
	for (i = 0; i <= TC_PRIO_MAX; i++)
		q->map[i] = &q->band[q->law.priomap[i]];
}

/* Whoever reads it may not be the one who writes it. */
static void ramp_mark_add(struct ramp_mark *mark,
			  const struct gnet_stats_basic_sync *bstats, bool less)
{
	unsigned int start;
	u64 bytes, pkts;

	do {
		start = u64_stats_fetch_begin(&bstats->syncp);
		bytes = u64_stats_read(&bstats->bytes);
		pkts = u64_stats_read(&bstats->packets);
	} while (u64_stats_fetch_retry(&bstats->syncp, start));
	mark->bytes += less ? -bytes : bytes;
	mark->pkts += less ? -pkts : pkts;
}

/**
 * ramp_mark_member - add what passed the gate of a qdisc, so nothing exempt
 * @q: of the qdisc
 * @mark: sums
 *
 * Context: root lock of the qdisc, or lock of the rail that it is on.
 */
void ramp_mark_member(const struct ramp_sched_data *q, struct ramp_mark *mark)
{
	u32 exempt;

	ramp_mark_add(mark, &q->sch->bstats, false);
	for (exempt = q->law.exempt; exempt; exempt &= exempt - 1)
		ramp_mark_add(mark, &q->band[__ffs(exempt)].bstats, true);
}
