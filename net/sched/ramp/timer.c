// SPDX-License-Identifier: GPL-2.0
/*
 * The timer of a ramp qdisc: for the end of the tick that shut the gate, and of
 * the slots of the detectors.
 *
 * As a qdisc_watchdog, but it says that it fired. So the way of a packet sees
 * in the flag that it tests anyway that a slot is over, without reading a clock
 * and without asking the timer.
 */

#include <linux/hrtimer.h>

#include "ramp.h"

/* For so long a device keeps its packets from its qdiscs, about. */
#define RAMP_TIMER_AWAY	NSEC_PER_MSEC

/**
 * ramp_timer_kick - as if the timer fired now
 * @q: of a ramp qdisc
 *
 * A device that gets another txqueuelen, or another qdisc at one of its queues,
 * takes its qdiscs away for a moment. Newer kernels (7.2) let them keep their
 * packets, and nobody runs them when they are back: then the timer fires again.
 * What waits in a device that is down was discarded.
 *
 * Context: any.
 */
void ramp_timer_kick(struct ramp_sched_data *q)
{
	struct Qdisc *sch = q->sch, *root;
	bool away;

	/* Before it is looked at whether somebody is about to dequeue anyway,
	 * who has to see it. Pairs with ramp_timer_due().
	 */
	smp_store_mb(q->fired, true);
	rcu_read_lock();
	root = qdisc_root(sch);
	__netif_schedule(root);
	away = root != qdisc_root_sleeping(sch);
	rcu_read_unlock();
	if (unlikely(away) && READ_ONCE(sch->q.qlen))
		hrtimer_start(&q->timer, RAMP_TIMER_AWAY,
			      HRTIMER_MODE_REL_PINNED);
}

static enum hrtimer_restart ramp_timer_fire(struct hrtimer *timer)
{
	ramp_timer_kick(container_of(timer, struct ramp_sched_data, timer));
	return HRTIMER_NORESTART;
}

/**
 * ramp_timer_init - to be called before anything that can fail
 * @sch: ramp qdisc
 */
void ramp_timer_init(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	q->sch = sch;
	hrtimer_setup(&q->timer, ramp_timer_fire, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED);
}

/**
 * ramp_timer_start - fire at that time, or earlier if that was wanted before
 * @sch: ramp qdisc
 * @when: ns, U64_MAX: never
 *
 * Whoever waits for something starts it by itself, so one that fired is not
 * forgotten for one that is to fire later.
 *
 * A device that is down does not fire, but whoever calls next sees that the
 * time may have come. One that is away with its packets does: see
 * ramp_timer_kick().
 *
 * Context: root lock.
 *
 * Return: false when it does not fire
 */
bool ramp_timer_start(struct Qdisc *sch, u64 when)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct Qdisc *root;
	bool down;

	if (when == U64_MAX)
		return true;
	/* One that came to a device that was down already never was in use,
	 * so it was not taken out of use either.
	 */
	rcu_read_lock();
	root = qdisc_root_sleeping(sch);
	down = test_bit(__QDISC_STATE_DEACTIVATED, &root->state) ||
	       qdisc_root(sch) != root;
	rcu_read_unlock();

	if (down) {
		WRITE_ONCE(q->fired, true);
		if (!sch->q.qlen)
			return false;
		when = max(when, ktime_get_ns() + RAMP_TIMER_AWAY);
	}
	/* One that is earlier leads to this one. To touch its flag, or to move
	 * it, would lose a firing that is under way on another CPU.
	 */
	if (hrtimer_is_queued(&q->timer) &&
	    ktime_to_ns(hrtimer_get_expires(&q->timer)) <= (s64)when)
		return true;
	hrtimer_start(&q->timer, ns_to_ktime(when), HRTIMER_MODE_ABS_PINNED);
	return true;
}

/**
 * ramp_timer_cancel - do not fire any more
 * @sch: ramp qdisc
 *
 * Context: any that may wait for the timer, with or without the root lock,
 * which the timer does not take.
 */
void ramp_timer_cancel(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	hrtimer_cancel(&q->timer);
	if (!q->rail)
		WRITE_ONCE(q->fired, false);
}
