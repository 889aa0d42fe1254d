/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Team mode spread: how full a port is
 *
 * What waits in the queueing disciplines of a port's transmit queues, over what
 * they can hold. Only what every Qdisc has is read, never a discipline's
 * private data: that is freed before the grace period, the Qdisc and its
 * per-CPU statistics after it.
 *
 * A port without a queue shows nothing but the bytes that its driver has in
 * flight, if the driver keeps byte queue limits. One without these gives no
 * sign at all: what was sent to it since the last sample is all there is.
 *
 * Inline, since a sample does this for many queues while a frame waits.
 */
#ifndef _NET_TEAM_SPREAD_READ_H
#define _NET_TEAM_SPREAD_READ_H

#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/netdevice.h>
#include <linux/string.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>
#include "spread.h"

/**
 * spread_queues - how many queues of a port are to be read
 * @dev: port
 *
 * A root that is no mq serves all transmit queues: read once, not once each.
 *
 * Context: RCU, bottom halves off.
 *
 * Return: queues, at least 1
 */
static inline u32 spread_queues(const struct net_device *dev)
{
	struct netdev_queue *txq = netdev_get_tx_queue(dev, 0);
	struct Qdisc *q = rcu_dereference_bh(txq->qdisc);

	if (q->enqueue && q == rcu_access_pointer(dev->qdisc))
		return 1;
	return READ_ONCE(dev->real_num_tx_queues);
}

/* A length of 0 says nothing of what a qdisc with a limit, or a device without
 * a qdisc, holds.
 */
static inline u32 spread_queue_len(const struct net_device *dev)
{
	return READ_ONCE(dev->tx_queue_len) ?: DEFAULT_TX_QUEUE_LEN;
}

#ifdef CONFIG_BQL
static inline void
spread_read_bql(const struct netdev_queue *txq, u32 size,
		struct spread_reading *r)
{
	u32 limit = READ_ONCE(txq->dql.limit);
	int flying;

	/* A driver that keeps no limits never queued a byte. */
	if (!READ_ONCE(txq->dql.num_queued))
		return;
	r->seen |= BIT(SPREAD_SEEN_BQL);
	flying = (int)limit - qdisc_avail_bulklimit(txq);
	if (flying > 0)
		r->waiting += div_u64((u64)flying * size, max(limit, 1U));
}
#else
static inline void
spread_read_bql(const struct netdev_queue *txq, u32 size,
		struct spread_reading *r)
{
}
#endif

/* Bytes are made packets of the size with which a full queue has @size. */
static inline u32 spread_read_bytes(const struct Qdisc *q, u32 qlen, u32 size,
				    u32 limit)
{
	u64 backlog = READ_ONCE(q->qstats.backlog);

	return clamp_t(u64, div_u64(backlog * size, limit), qlen, U32_MAX);
}

/* What a qdisc without a lock has dropped; a sum over CPUs is dear. */
static inline u32 spread_read_drops(const struct Qdisc *q)
{
	u32 drops = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		drops += READ_ONCE(per_cpu_ptr(q->cpu_qstats, cpu)->drops);
	return drops;
}

/* Without a lock, without a limit: pfifo_fast. Its sum over CPUs is dear, and
 * most of many queues are empty.
 */
static inline bool spread_queue_idle(const struct Qdisc *q)
{
	const u32 lockless = TCQ_F_CPUSTATS | TCQ_F_NOLOCK;

	return (READ_ONCE(q->flags) & lockless) == lockless &&
	       nolock_qdisc_is_empty(q);
}

static inline bool spread_is_fq(const struct Qdisc *q)
{
	return !strcmp(q->ops->id, "fq");
}

/* Do packets wait for the device? One that was stopped is not any more, but the
 * qdisc had no turn since.
 */
static inline bool spread_device_busy(const struct netdev_queue *txq,
				      const struct Qdisc *q)
{
	const struct netdev_queue *end = txq + 1;

	if (!(READ_ONCE(q->flags) & TCQ_F_ONETXQUEUE))
		end = txq + READ_ONCE(txq->dev->real_num_tx_queues);
	for (; txq < end; txq++)
		if (netif_xmit_frozen_or_stopped(txq))
			return true;
	return test_bit(__QDISC_STATE_SCHED, &q->state);
}

/* fq keeps packets of paced sockets until their time, whatever room the device
 * has, and drops those of a flow that has too many, or that are too early: any
 * user could make a port seem full. So its packets count while they wait for
 * the device, and its drops when it is as long as it may be.
 *
 * Return: packets
 */
static inline u32
spread_read_fq(const struct netdev_queue *txq, const struct Qdisc *q, u32 qlen,
	       u32 limit, struct spread_reading *r)
{
	if (qlen >= limit) {
		r->drops_full += READ_ONCE(q->qstats.drops);
		return qlen;
	}
	return qlen && spread_device_busy(txq, q) ? qlen : 0;
}

/* A limit of 0 is none. */
static inline void spread_read_add(struct spread_reading *r, u32 qlen,
				   u32 limit, u32 size)
{
	if (limit && limit < size) {
		r->seen |= BIT(SPREAD_SEEN_LIMIT);
		size = limit;
	}
	r->capacity += size;
	r->waiting += qlen;
}

/* As are all kinds but those that spread_read_queue() knows. */
static inline void spread_read_plain(const struct Qdisc *q, u32 size,
				     struct spread_reading *r)
{
	r->seen |= BIT(SPREAD_SEEN_TXQUEUELEN);
	r->drops += READ_ONCE(q->qstats.drops);
	spread_read_add(r, READ_ONCE(q->q.qlen), READ_ONCE(q->limit), size);
}

/* A queue without a lock drops when it is as long as the tx queue, so only then
 * its drops are read. They count by themselves: their sum is now of these
 * queues and then of those, and goes back without a qdisc being another one.
 *
 * Return: whether all that have no counters per CPU and are of its kind are
 * plain
 */
static inline bool
spread_read_queue(const struct netdev_queue *txq, const struct Qdisc *q,
		  u32 size, bool packets, struct spread_reading *r)
{
	u32 flags = READ_ONCE(q->flags);
	u32 limit, qlen;

	if (!q->enqueue) {
		r->capacity += size;
		spread_read_bql(txq, size, r);
		return false;
	}

	if (flags & TCQ_F_CPUSTATS) {
		qlen = qdisc_qlen_sum(q);
		if (unlikely(qlen >= size))
			r->drops_full += spread_read_drops(q);
		r->seen |= BIT(SPREAD_SEEN_TXQUEUELEN);
		spread_read_add(r, qlen, 0, size);
		return false;
	}
	if (unlikely(flags & TCQ_F_BUILTIN))
		r->shut = true;

	qlen = READ_ONCE(q->q.qlen);
	limit = READ_ONCE(q->limit);
	if (spread_is_fq(q)) {
		qlen = spread_read_fq(txq, q, qlen, limit, r);
		r->seen |= BIT(SPREAD_SEEN_TXQUEUELEN);
		spread_read_add(r, qlen, limit, size);
		return false;
	}
	if (limit && q->ops == &bfifo_qdisc_ops && !packets) {
		r->drops += READ_ONCE(q->qstats.drops);
		qlen = spread_read_bytes(q, qlen, size, limit);
		r->seen |= BIT(SPREAD_SEEN_LIMIT);
		spread_read_add(r, qlen, 0, size);
		return false;
	}
	spread_read_plain(q, size, r);
	return q->ops != &bfifo_qdisc_ops;
}

/**
 * spread_read - read queues of a port
 * @p: port
 * @r: the reading, zeroed before the first queue
 * @max: queues to read at most
 *
 * @r->done says whether these were the last ones.
 *
 * Context: RCU, bottom halves off. A device may change its queues between two
 * calls: then a reading has some of each.
 *
 * Return: queues read
 */
static inline u32 spread_read(const struct spread_port *p,
			      struct spread_reading *r, u32 max)
{
	const struct net_device *dev = p->port->dev;
	u32 queues = spread_queues(dev);
	u32 size = spread_queue_len(dev);
	const struct netdev_queue *txq, *end;
	const struct Qdisc_ops *plain = NULL;
	bool packets = p->capacity;
	u32 n = 0, idle = 0;

	if (r->queue < queues)
		n = min(queues - r->queue, max);
	txq = netdev_get_tx_queue(dev, 0) + r->queue;
	for (end = txq + n; txq < end; txq++) {
		const struct Qdisc *q = rcu_dereference_bh(txq->qdisc);

		/* Most queues of a port are of one kind, found out once. */
		if (q->ops == plain &&
		    !(READ_ONCE(q->flags) & TCQ_F_CPUSTATS))
			spread_read_plain(q, size, r);
		else if (spread_queue_idle(q))
			idle++;
		else if (spread_read_queue(txq, q, size, packets, r))
			plain = q->ops;
	}
	if (idle) {
		r->seen |= BIT(SPREAD_SEEN_TXQUEUELEN);
		r->capacity += (u64)idle * size;
	}
	r->queue += n;
	r->done = r->queue >= queues;
	return n;
}

/**
 * spread_read_end - all queues of a port were read
 * @p: port
 * @r: the reading; its capacity and source are final after that
 *
 * Whoever says what a port can hold is right. Else it holds no more than when
 * it dropped.
 */
static inline void spread_read_end(const struct spread_port *p,
				   struct spread_reading *r)
{
	u32 held = READ_ONCE(p->held.capacity);

	r->source = fls(r->seen);
	switch (r->source) {
	case SPREAD_SOURCE_SENT:
		/* However many queues: what was sent is known of all. */
		r->capacity = p->capacity ?: spread_queue_len(p->port->dev);
		break;
	case SPREAD_SOURCE_BQL:
		break;
	default:
		if (p->capacity) {
			r->capacity = p->capacity;
			r->source = SPREAD_SOURCE_CAPACITY;
		} else if (held && held < r->capacity) {
			r->capacity = held;
			r->source = SPREAD_SOURCE_LEARNED;
		}
		break;
	}
	r->waiting = min_t(u64, r->waiting, U32_MAX);
}

#endif /* _NET_TEAM_SPREAD_READ_H */
