// SPDX-License-Identifier: GPL-2.0
/*
 * What a rail lends its members
 *
 * The slew limiter of "detect always" limits all the time. While nobody has to
 * wait it lends members parts of its budget in advance, so that most packets
 * ask no one. What is lent may leave later than the limiter thinks, and is
 * bounded for that (ramp_slew_ahead()). Who does not use it is made to give it
 * back when others need it, a tick later.
 */

#include <net/ramp/slew_lend.h>

#include "ramp.h"

/**
 * ramp_rail_lends - may members have budgets of their own, out of that of the
 *	slew limiter?
 * @r: rail
 *
 * Who waits for the end of a ramp has to be counted at once.
 *
 * Context: lock of the rail.
 *
 * Return: true if they may
 */
bool ramp_rail_lends(const struct ramp_rail *r)
{
	const struct ramp_engine *e = &r->engine;

	return ramp_is_slewing(e) && !e->leaving && !e->plan.slope.packets;
}

/**
 * ramp_rail_repay - what a member has in advance is the rail's again
 * @q: of a member
 *
 * So is what it has sent beyond that.
 *
 * Context: root lock and lock of the rail.
 */
void ramp_rail_repay(struct ramp_sched_data *q)
{
	struct ramp_member *m = &q->member;
	struct ramp_rail *r = q->rail;

	if (!m->lends)
		return;
	if (m->epoch == r->epoch) {
		if (ramp_is_slewing(&r->engine))
			r->slew.budget += q->slew.budget + m->deposit;
		r->lent -= m->lent;
	}
	q->slew.budget = 0;
	m->lent = 0;
	m->deposit = 0;
}

/* Who was lent something a tick ago may have nothing to send, and is to say so.
 */
static void ramp_rail_recall(struct ramp_rail *r)
{
	u64 now = r->slew.last, tick = r->engine.plan.slope.tick;
	struct ramp_sched_data *q;

	if (!r->lent || now - r->recalled < tick)
		return;
	r->recalled = now;
	list_for_each_entry(q, &r->members, member.list)
		if (q->member.lent && now - q->member.since >= tick)
			ramp_timer_kick(q);
}

/**
 * ramp_rail_lend - give a member something in advance, if there is room
 * @q: of a member that has nothing, and was let pass
 *
 * While nobody waits, who sends something is about to send more.
 *
 * Context: root lock and lock of the rail.
 */
void ramp_rail_lend(struct ramp_sched_data *q)
{
	const struct ramp_slope_params *p = &q->rail->engine.plan.slope;
	struct ramp_member *m = &q->member;
	struct ramp_rail *r = q->rail;
	u64 part;

	if (ramp_rail_waits(r) || m->long_waits)
		return;
	if (ramp_slew_refills(&r->slew, p, r->lent))
		ramp_slew_refill(&r->engine);
	part = ramp_slew_lend(&r->slew, p, r->lent);
	if (!part) {
		ramp_rail_recall(r);
		return;
	}
	m->lent = part;
	m->deposit = p->packet;
	m->since = r->slew.last;
	m->epoch = r->epoch;
	q->slew.budget = part - p->packet;
	r->lent += part;
}

/**
 * ramp_rail_lent - has a member something in advance for its next packet?
 * @q: of a member
 *
 * Context: root lock.
 *
 * Return: true if it has
 */
bool ramp_rail_lent(const struct ramp_sched_data *q)
{
	return q->member.lends && q->slew.budget > 0;
}

/**
 * ramp_rail_limit - nobody but the rail limits a member, or it has what it is
 *	lent
 * @q: of a member
 * @lends: which of them
 *
 * Context: root lock and lock of the rail.
 */
void ramp_rail_limit(struct ramp_sched_data *q, bool lends)
{
	if (q->member.lends == lends)
		return;
	ramp_rail_repay(q);
	q->member.lends = lends;
	q->member.epoch = q->rail->epoch;
	q->member.long_waits = lends;
	q->slew.budget = lends ? 0 : RAMP_SLEW_OPEN;
	ramp_whole_set(q);
}

/**
 * ramp_rail_long - a packet comes that may be longer than a deposit
 * @sch: ramp qdisc on a rail
 *
 * Nothing is lent until all that waits has left.
 *
 * Context: root lock.
 */
void ramp_rail_long(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!q->member.lends || q->member.long_waits)
		return;
	q->member.long_waits = true;
	spin_lock(&q->rail->lock);
	ramp_rail_repay(q);
	spin_unlock(&q->rail->lock);
}
