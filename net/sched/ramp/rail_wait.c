// SPDX-License-Identifier: GPL-2.0
/*
 * Rails: members that have to wait
 *
 * They stand in a queue, and sleep. When there is room for the head of the
 * first one, that is woken, as by a timer. It takes what it wants, and when it
 * waits for nothing any more, or is refused, the next one is woken if there is
 * room left: so hardly anybody is woken for nothing, however many they are. The
 * rail has one timer, for the next tick that allows something; and for who was
 * woken and does not come, as its device is stopped or its parent does not ask
 * it. What a tick allows is still there for whoever comes first, woken or not.
 * When the ramp ends, all are woken.
 */

#include <linux/ktime.h>

#include "ramp.h"

/* In a new tick nobody had anything yet. */
static void ramp_rail_sort(struct ramp_rail *r)
{
	if (r->waits_tick == r->engine.slope.tick_end)
		return;
	r->waits_tick = r->engine.slope.tick_end;
	list_splice_tail_init(&r->waits_served, &r->waits);
}

static struct ramp_sched_data *ramp_rail_first(struct ramp_rail *r)
{
	struct list_head *from = &r->waits;

	ramp_rail_sort(r);
	if (list_empty(from))
		from = &r->waits_served;
	return list_first_entry_or_null(from, struct ramp_sched_data,
					member.wait);
}

/* It asks again, and tells then that it is not shut any more. */
static void ramp_rail_wake(struct ramp_sched_data *q)
{
	list_del_init(&q->member.wait);
	ramp_timer_kick(q);
}

/**
 * ramp_rail_wake_all - there is nothing to wait for
 * @r: rail
 *
 * Context: lock of the rail.
 */
void ramp_rail_wake_all(struct ramp_rail *r)
{
	struct ramp_sched_data *q;

	WRITE_ONCE(r->turn, NULL);
	while ((q = ramp_rail_first(r)))
		ramp_rail_wake(q);
}

/**
 * ramp_rail_fits - has the tick, or the slew limiter, room for a head?
 * @e: engine of the rail
 * @m: member whose head it is
 *
 * Context: lock of the rail.
 *
 * Return: true if it has; otherwise somebody was refused in this tick
 */
bool ramp_rail_fits(struct ramp_engine *e, const struct ramp_member *m)
{
	if (ramp_is_slewing(e))
		return ramp_slew_ask(e);
	if (ramp_slope_admit(&e->slope, &e->plan.slope, m->bytes, m->pkts))
		return true;
	e->shut = true;
	return false;
}

static void ramp_rail_turn(struct ramp_rail *r, struct ramp_sched_data *q)
{
	WRITE_ONCE(r->turn, q);
	r->turn_end = ktime_get_ns() +
		      min_t(u64, r->engine.plan.slope.tick / RAMP_RAIL_TURNS,
			    RAMP_RAIL_TURN_MOST);
}

/* Who has not been woken by the end of a tick has waited in it, though it did
 * not ask.
 */
static void ramp_rail_waited(struct ramp_rail *r)
{
	struct ramp_slope *s = &r->engine.slope;

	if (s->dir && s->dir != RAMP_SLEW)
		s->waited = r->engine.shut || ramp_rail_waits(r);
}

/**
 * ramp_rail_next - wake who waits, if there is room for it and nobody else's
 *	turn
 * @r: rail
 *
 * Context: lock of the rail.
 */
void ramp_rail_next(struct ramp_rail *r)
{
	struct ramp_sched_data *q = ramp_rail_first(r);
	struct ramp_engine *e = &r->engine;

	if (!q)
		return;
	if (!r->turn && ramp_rail_fits(e, &q->member)) {
		/* The limiter may have found that nobody has to wait. */
		if (list_empty(&q->member.wait))
			return;
		ramp_rail_wake(q);
		/* Who waits alone takes nobody's turn. */
		if (ramp_rail_waits(r))
			ramp_rail_turn(r, q);
	}
	ramp_rail_waited(r);
	if (ramp_rail_waits(r))
		ramp_arm(e);
}

/**
 * ramp_rail_forget - a member does not wait, and is not waited for
 * @q: of the member
 *
 * Context: root lock and lock of the rail.
 */
void ramp_rail_forget(struct ramp_sched_data *q)
{
	struct ramp_rail *r = q->rail;

	list_del_init(&q->member.wait);
	/* What comes next is to ask, as nobody would wake it. */
	q->member.shut = 0;
	if (r->turn == q)
		WRITE_ONCE(r->turn, NULL);
}

/**
 * ramp_rail_sleep - a member waits, as its head was refused
 * @q: of the member
 *
 * Those who had nothing of this tick come first in the next one that allows
 * something: the first one may take all. Who is refused once more remains where
 * it is.
 *
 * Context: root lock and lock of the rail.
 */
void ramp_rail_sleep(struct ramp_sched_data *q)
{
	struct ramp_rail *r = q->rail;
	struct ramp_member *m = &q->member;

	ramp_rail_sort(r);
	m->shut = r->engine.slope.tick_end;
	if (m->served == m->shut)
		list_move_tail(&m->wait, &r->waits_served);
	else if (list_empty(&m->wait))
		list_add_tail(&m->wait, &r->waits);
}
