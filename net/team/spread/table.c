// SPDX-License-Identifier: GPL-2.0
/*
 * Team mode spread: the tables of candidate sets
 *
 * A table says which ports of a set are of the lowest class. It is built by the
 * first frame of the set that finds it out of date.
 */
#include <linux/irqflags.h>
#include <linux/seqlock.h>
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
		struct spread_set *s = &sp->set[i];

		seqcount_init(&s->table[0].sequence);
		seqcount_init(&s->table[1].sequence);
		s->table[0].lack = SPREAD_LACKS_LINK;
		s->now = &s->table[0];
	}
}

static void spread_build(struct spread *sp, u32 set, u32 tick)
{
	struct spread_set *s = &sp->set[set];
	struct spread_table *t;
	u32 configured = 0, n = 0, lowest = U32_MAX, i;
	enum spread_lack lack = SPREAD_LACKS_NOTHING;

	t = s->now == &s->table[0] ? &s->table[1] : &s->table[0];
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
	/* On an RT kernel the lock does not keep others from running: nobody
	 * may spin for the end of this.
	 */
	raw_write_seqcount_begin(&t->sequence);
	ramp_spread_build(&t->t, sp->candidate, n);
	if (!n)
		lack = configured || set == SPREAD_ALL ? SPREAD_LACKS_LINK :
							 SPREAD_LACKS_PORTS;
	WRITE_ONCE(t->lack, lack);
	WRITE_ONCE(t->full, n && t->t.rank >= RAMP_RANK_FULL);
	WRITE_ONCE(t->masks, sp->masks);
	WRITE_ONCE(t->generation, sp->generation);
	raw_write_seqcount_end(&t->sequence);
	/* Who finds the table finds what is in it. */
	smp_store_release(&s->now, t);

	for (i = 0; i < sp->ports; i++) {
		struct spread_port *p = sp->order[i];

		if (n && p->up && spread_in_set(p, set))
			ramp_behind_note(&p->behind[set], p->class, lowest,
					 sp->samples, tick);
		else
			WRITE_ONCE(p->behind[set].on, false);
	}
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
 * An old table with ports will do if somebody else has the lock, unless one of
 * them may have left the set; one without ports would drop frames that a port
 * waits for.
 *
 * Context: RCU, bottom halves off.
 *
 * Return: the table that there is now, or NULL if it may not be used
 */
const struct spread_table *spread_update(struct spread *sp, u32 set, u32 tick)
{
	const struct spread_set *s = &sp->set[set];
	const struct spread_table *t = READ_ONCE(s->now);

	if (spread_may_wait(READ_ONCE(t->lack)))
		spin_lock(&sp->lock);
	else if (!spin_trylock(&sp->lock))
		return READ_ONCE(t->masks) == READ_ONCE(sp->masks) ? t : NULL;
	if (s->now->generation != sp->generation)
		spread_build(sp, set, tick);
	t = s->now;
	spin_unlock(&sp->lock);
	return t;
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
 * spread_search - find a port for a frame that found none in a table
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
