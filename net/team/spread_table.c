// SPDX-License-Identifier: GPL-2.0
/*
 * Team mode spread: the tables of candidate sets
 *
 * A table says which ports of a set are of the lowest class. It is built by the
 * first frame of the set that finds it out of date.
 */
#include <linux/irqflags.h>
#include <compat/team_compat.h>
#include "spread.h"

/**
 * spread_tables_init - no table was built yet
 * @sp: team, whose generation is none of a table's
 */
void spread_tables_init(struct spread *sp)
{
	u32 i;

	for (i = 0; i < SPREAD_SETS; i++) {
		sp->set[i].table[0].lack = SPREAD_LACKS_LINK;
		rcu_assign_pointer(sp->set[i].now, &sp->set[i].table[0]);
	}
}

static void spread_build(struct spread *sp, u32 set, u32 tick)
{
	struct spread_set *s = &sp->set[set];
	struct spread_table *t;
	u32 configured = 0, n = 0, lowest = U32_MAX, i;

	t = rcu_access_pointer(s->now) == &s->table[0] ? &s->table[1] :
							 &s->table[0];
	for (i = 0; i < sp->ports; i++) {
		struct spread_port *p = sp->order[i];

		if (!spread_in_set(p, set))
			continue;
		configured++;
		if (!p->up)
			continue;
		lowest = min(lowest, p->class);
		sp->candidate[n++] = (struct ramp_spread_port) {
			.rank = p->rank,
			.weight = p->weight,
			.slot = p->slot,
		};
	}
	ramp_spread_build(&t->t, sp->candidate, n);

	for (i = 0; i < sp->ports; i++) {
		struct spread_port *p = sp->order[i];

		if (n && p->up && spread_in_set(p, set))
			ramp_behind_note(&p->behind[set], p->class, lowest,
					 sp->samples, tick);
		else
			p->behind[set].on = false;
	}

	t->lack = n ? SPREAD_LACKS_NOTHING :
		  configured || set == SPREAD_ALL ? SPREAD_LACKS_LINK :
						    SPREAD_LACKS_PORTS;
	t->generation = sp->generation;
	rcu_assign_pointer(s->now, t);
}

/* Only who cannot do without waits for the lock. Netpoll may send with
 * interrupts off, from one that interrupted who has it.
 */
static bool spread_may_wait(bool wants)
{
	return wants && !irqs_disabled();
}

/**
 * spread_update - the table of a set is out of date
 * @sp: team
 * @set: number, or SPREAD_ALL
 * @tick: now
 *
 * An old table with ports will do if somebody else has the lock; one without
 * would drop frames that a port waits for.
 *
 * Context: RCU, bottom halves off.
 */
void spread_update(struct spread *sp, u32 set, u32 tick)
{
	const struct spread_table *t = rcu_dereference_bh(sp->set[set].now);

	if (spread_may_wait(t->lack))
		spin_lock(&sp->lock);
	else if (!spin_trylock(&sp->lock))
		return;
	if (rcu_dereference_bh(sp->set[set].now)->generation != sp->generation)
		spread_build(sp, set, tick);
	spin_unlock(&sp->lock);
}

static void spread_rebuild(struct spread *sp, u32 set, u32 tick)
{
	if (spread_may_wait(true))
		spin_lock(&sp->lock);
	else if (!spin_trylock(&sp->lock))
		return;
	spread_refresh(sp);
	spread_build(sp, set, tick);
	spin_unlock(&sp->lock);
}

/**
 * spread_search - find a port for a frame where the table has none that is up
 * @sp: team
 * @set: number, or SPREAD_ALL
 * @tick: now
 *
 * Context: RCU, bottom halves off.
 *
 * Return: the port of the lowest rank, or NULL if no port of the set is up
 */
struct spread_port *spread_search(struct spread *sp, u32 set, u32 tick)
{
	struct spread_port *best = NULL;
	u32 rank, lowest = U32_MAX, i;

	spread_rebuild(sp, set, tick);
	for (i = 0; i < RAMP_SPREAD_PORTS; i++) {
		struct spread_port *p = rcu_dereference_bh(sp->slot[i]);

		if (!p || !spread_in_set(p, set) || !team_port_txable(p->port))
			continue;
		rank = READ_ONCE(p->rank);
		if (rank >= lowest)
			continue;
		best = p;
		lowest = rank;
	}
	return best;
}
