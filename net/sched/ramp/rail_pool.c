// SPDX-License-Identifier: GPL-2.0
/*
 * What members of a rail do without its lock
 *
 * The lock of the rail is for decisions: how much may leave before the slew
 * limiter looks again, how much may arrive before the detector does. Between
 * two of them members take from what was decided. Who takes the lock takes back
 * what is left, so the limiter and the meter are what they would be if each
 * packet took the lock.
 */

#include "ramp.h"

/**
 * ramp_rail_shares - may members take from the budget of the slew limiter?
 * @r: rail
 *
 * Who waits for the end of a ramp has to be counted at once.
 *
 * Context: lock of the rail.
 *
 * Return: true if they may, while nobody waits
 */
bool ramp_rail_shares(const struct ramp_rail *r)
{
	const struct ramp_engine *e = &r->engine;

	return ramp_is_slewing(e) && !e->leaving && !e->plan.slope.packets;
}

/**
 * ramp_rail_lock - take the lock of a rail, and all that members could take
 * @r: rail
 *
 * Context: root lock of a member or none, bottom halves off.
 */
void ramp_rail_lock(struct ramp_rail *r)
	__acquires(&r->lock)
{
	spin_lock(&r->lock);
	/* What was not put into a pool need not be taken back. */
	if (r->given.budget) {
		r->slew.budget += ramp_pool_drain(&r->budget);
		r->given.budget = false;
	}
	if (r->given.room) {
		r->meter.sum += r->given.room - ramp_pool_drain(&r->room);
		r->given.room = 0;
	}
}

/**
 * ramp_rail_unlock - let the lock of a rail go, for members to take
 * @r: rail
 *
 * While somebody waits, it is his turn.
 *
 * Context: lock of the rail.
 */
void ramp_rail_unlock(struct ramp_rail *r)
	__releases(&r->lock)
{
	const struct ramp_engine *e = &r->engine;

	if (r->slew.budget > 0 && ramp_rail_shares(r) && !ramp_rail_waits(r)) {
		ramp_pool_fill(&r->budget, r->slew.budget);
		r->slew.budget = 0;
		r->given.budget = true;
	}
	/* While it is blind, members may still count in another unit. */
	if (e->plan.watch_ingress && r->meter.running && !r->meter.blind &&
	    r->meter.sum < r->meter.edge.max) {
		r->given.room = min_t(u64, r->meter.edge.max - r->meter.sum,
				      S64_MAX);
		ramp_pool_fill(&r->room, r->given.room);
	}
	spin_unlock(&r->lock);
}

/**
 * ramp_rail_lock_bh - as ramp_rail_lock(), where bottom halves are on
 * @r: rail
 *
 * Context: RTNL.
 */
void ramp_rail_lock_bh(struct ramp_rail *r)
	__acquires(&r->lock)
{
	local_bh_disable();
	ramp_rail_lock(r);
}

/**
 * ramp_rail_unlock_bh - the opposite of ramp_rail_lock_bh()
 * @r: rail
 *
 * Context: lock of the rail.
 */
void ramp_rail_unlock_bh(struct ramp_rail *r)
	__releases(&r->lock)
{
	ramp_rail_unlock(r);
	local_bh_enable();
}

/**
 * ramp_rail_limit - nobody but the rail limits a member, or it spends what all
 *	share
 * @q: of a member
 * @shares: which of them
 *
 * Context: root lock and lock of the rail.
 */
void ramp_rail_limit(struct ramp_sched_data *q, bool shares)
{
	/* With none of its own, the short way asks for each packet. */
	if (!shares)
		q->slew.budget = RAMP_SLEW_OPEN;
	else if (!q->member.shares)
		q->slew.budget = 0;
	q->member.shares = shares;
}
