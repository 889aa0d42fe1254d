// SPDX-License-Identifier: GPL-2.0
/*
 * Team mode spread: the way of a frame
 *
 * Without flowlets: at most one reading of the clock, to find whether a sample
 * is due; two entries of the table of the frame's set, and what this CPU sent
 * to these two. No walk over ports, no lock, no division.
 */
#include <linux/jiffies.h>
#include <linux/seqlock.h>
#include <linux/skbuff.h>
#include <linux/ktime.h>
#include <trace/events/spread.h>
#include "spread.h"
#include <compat/team_compat.h>

/* A frame's flow: its entry, the home that this had, and what becomes of it. */
struct spread_flow {
	u32			entry;
	u32			home;
	enum ramp_flow_fate	fate;
};

static void spread_count(struct spread_cpu *cpu, enum spread_counter counter)
{
	u64_stats_update_begin(&cpu->syncp);
	u64_stats_inc(&cpu->count[counter]);
	u64_stats_update_end(&cpu->syncp);
}

/* An interval of several jiffies needs no clock for most frames. */
static bool spread_due(const struct spread *sp, u64 *now)
{
	if (!*now) {
		if (jiffies - READ_ONCE(sp->sampled) < READ_ONCE(sp->coarse))
			return false;
		if (!READ_ONCE(sp->interval))
			return true;
		*now = ktime_get_ns();
	}
	return *now >= READ_ONCE(sp->due);
}

/* The table of a set, or NULL if there is none that may be used. */
static const struct spread_table *spread_table(struct spread *sp, u32 set,
					       u32 tick)
{
	const struct spread_table *t = READ_ONCE(sp->set[set].now);

	if (likely(READ_ONCE(t->generation) == READ_ONCE(sp->generation)))
		return t;
	return spread_update(sp, set, tick);
}

/* Is a set one that no port was put in? That of all ports never is. */
static bool spread_empty(const struct spread_table *t, u32 set)
{
	return set != SPREAD_ALL && t &&
	       READ_ONCE(t->lack) == SPREAD_LACKS_PORTS;
}

/* A port that left is no port; one that is down gets nothing. */
static struct spread_port *spread_usable(const struct spread *sp, u32 slot)
{
	struct spread_port *p = rcu_dereference_bh(sp->slot[slot]);

	return p && team_port_txable(p->port) ? p : NULL;
}

/* One of the ports of the lowest class, see net/ramp/spread.h. NULL if there is
 * none, or it is no use: then the table is older than what happened to the
 * port, or was built anew while it was read.
 */
static struct spread_port *spread_pick(const struct spread *sp,
				       struct spread_cpu *cpu, u32 set,
				       const struct spread_table *t)
{
	u32 sequence = raw_read_seqcount(&t->sequence);
	struct spread_port *own, *other;
	u32 at, turn, lead, slack;
	u64 *own_vt, *other_vt;

	if (unlikely(t->lack))
		return NULL;
	at = ramp_spread_at(&t->t, ramp_spread_random(&cpu->random));
	turn = ramp_spread_turn(&t->t, &cpu->cursor[set]);
	lead = t->t.lead;
	slack = t->t.slack;
	if (unlikely(sequence & 1 ||
		     read_seqcount_retry(&t->sequence, sequence)))
		return NULL;

	own = spread_usable(sp, at);
	if (at == turn)
		return own;
	other = spread_usable(sp, turn);
	if (unlikely(!own || !other))
		return NULL;

	own_vt = &this_cpu_ptr(own->cpu)->vt[set];
	other_vt = &this_cpu_ptr(other->cpu)->vt[set];
	if (ramp_spread_yields(lead, *own_vt, *other_vt)) {
		swap(own, other);
		swap(own_vt, other_vt);
	}
	*own_vt = ramp_spread_pull(slack, *own_vt, *other_vt);
	return own;
}

/* The one of these ports that a number picks, the same until the table is
 * another one, so nobody yields to anybody. NULL as above.
 */
static struct spread_port *spread_pick_by(const struct spread *sp,
					  const struct spread_table *t,
					  u32 number)
{
	u32 sequence = raw_read_seqcount(&t->sequence);
	u32 at;

	if (unlikely(t->lack))
		return NULL;
	at = ramp_spread_at(&t->t, number);
	if (unlikely(sequence & 1 ||
		     read_seqcount_retry(&t->sequence, sequence)))
		return NULL;
	return spread_usable(sp, at);
}

/* @flow: of the frame, or NULL without flowlets. */
static struct spread_port *spread_choose(struct spread *sp,
					 struct spread_cpu *cpu, u32 set,
					 const struct spread_table *t, u32 tick,
					 const struct spread_flow *flow)
{
	struct spread_port *p;

	if (unlikely(!t))
		return spread_search(sp, set, tick);
	if (flow && unlikely(ramp_flow_numbered(flow->fate)))
		p = spread_pick_by(sp, t, ramp_flow_number(flow->entry));
	else
		p = spread_pick(sp, cpu, set, t);
	return likely(p) ? p : spread_search(sp, set, tick);
}

/* Other CPUs may change it meanwhile: a flow leaves a sample sooner or later.
 */
static bool spread_escapes(const struct spread *sp, const struct spread_port *p,
			   u32 set, u32 flow, u32 gap, u32 tick)
{
	u32 samples = READ_ONCE(sp->samples);

	return READ_ONCE(sp->escape) &&
	       ramp_behind_long(&p->behind[set], gap, samples, tick) &&
	       ramp_flow_turn(flow, samples);
}

/* The port of a frame's flow, or NULL if it needs another one. */
static struct spread_port *spread_stay(struct spread *sp, u32 set,
				       struct sk_buff *skb, u32 gap, u32 tick,
				       struct spread_flow *flow)
{
	u32 entry = skb_get_hash(skb) & (RAMP_FLOWS - 1);
	struct ramp_flow f = {
		.last = READ_ONCE(sp->flow[entry].last),
		.home = READ_ONCE(sp->flow[entry].home),
	};
	struct spread_port *p = NULL;
	bool useful;

	if (f.home)
		p = spread_usable(sp, ramp_flow_slot(f.home));
	useful = p && spread_in_set(p, set) &&
		 (READ_ONCE(p->rank) < RAMP_RANK_FULL ||
		  READ_ONCE(READ_ONCE(sp->set[set].now)->full));
	flow->entry = entry;
	flow->home = f.home;
	flow->fate = ramp_flow_judge(&f, set, gap, useful, tick);
	if (flow->fate == RAMP_FLOW_STAYS &&
	    unlikely(spread_escapes(sp, p, set, entry, gap, tick)))
		flow->fate = RAMP_FLOW_ESCAPES_NOW;

	if (likely(flow->fate != RAMP_FLOW_VISITS))
		WRITE_ONCE(sp->flow[entry].last, tick);
	return flow->fate == RAMP_FLOW_STAYS ? p : NULL;
}

/* An entry that a flow takes over from one of another set has moved, but no
 * flow has.
 */
static void spread_move(struct spread *sp, struct spread_cpu *cpu, u32 set,
			const struct spread_flow *flow,
			const struct spread_port *to)
{
	u32 home = ramp_flow_home(set, to->slot);
	u32 entry = flow->entry;

	if (flow->home == home || flow->fate == RAMP_FLOW_VISITS)
		return;

	WRITE_ONCE(sp->flow[entry].home, home);
	if (!flow->home || flow->fate == RAMP_FLOW_CLAIMS ||
	    ramp_flow_slot(flow->home) == to->slot)
		return;
	spread_count(cpu, flow->fate == RAMP_FLOW_ESCAPES_NOW ?
			  SPREAD_ESCAPES : SPREAD_MOVES);
	trace_spread_move(ramp_team_dev(sp->team), entry, flow->fate, set,
			  to->port->dev);
}

static void spread_account(struct spread *sp, struct spread_port *p, u32 set)
{
	struct spread_port_cpu *c = this_cpu_ptr(p->cpu);
	u32 epoch = READ_ONCE(p->epoch);

	c->vt[set] += READ_ONCE(p->charge);
	u64_stats_update_begin(&c->syncp);
	u64_stats_inc(&c->sent);
	u64_stats_update_end(&c->syncp);

	if (c->epoch != epoch) {
		WRITE_ONCE(c->since, 0);
		c->mark = READ_ONCE(p->share);
		WRITE_ONCE(c->epoch, epoch);
	}
	WRITE_ONCE(c->since, c->since + 1);
	if (unlikely(c->since >= c->mark))
		spread_recount(sp, p);
}

/* A set has no port: are those of all to be used? It is counted. */
static bool spread_falls_back(struct spread *sp, struct spread_cpu *cpu)
{
	bool drop = READ_ONCE(sp->drop_empty);

	spread_count(cpu, drop ? SPREAD_DROPS_EMPTY : SPREAD_FALLBACKS);
	return !drop;
}

/* No port was found for a frame. The last one may have left the set since the
 * table was built, or while it was not to be used; then the best one of all may
 * be had. NULL if the frame is to be dropped, which is counted.
 */
static noinline struct spread_port *
spread_last_resort(struct spread *sp, struct spread_cpu *cpu, u32 set, u32 tick)
{
	struct spread_port *p = NULL;

	if (spread_empty(READ_ONCE(sp->set[set].now), set)) {
		if (!spread_falls_back(sp, cpu))
			return NULL;
		p = spread_search(sp, SPREAD_ALL, tick);
	}
	if (!p)
		spread_count(cpu, SPREAD_DROPS_DOWN);
	return p;
}

bool spread_transmit(struct team *team, struct sk_buff *skb)
{
	struct spread *sp = spread_of(team);
	struct spread_cpu *cpu = this_cpu_ptr(sp->cpu);
	enum spread_index index = READ_ONCE(sp->index);
	u32 gap = READ_ONCE(sp->gap);
	u64 now = gap ? ktime_get_ns() : 0;
	const struct spread_table *t;
	struct spread_flow flow;
	struct spread_port *p;
	u32 set, tick;
	int err;

	if (spread_due(sp, &now))
		spread_sample(sp, now);
	tick = ramp_flow_tick(now);

	set = index ? spread_index_set(index, skb) : SPREAD_ALL;
	t = spread_table(sp, set, tick);
	if (unlikely(spread_empty(t, set))) {
		if (!spread_falls_back(sp, cpu))
			goto drop;
		set = SPREAD_ALL;
		t = spread_table(sp, set, tick);
	}

	p = gap ? spread_stay(sp, set, skb, gap, tick, &flow) : NULL;
	if (!p) {
		p = spread_choose(sp, cpu, set, t, tick, gap ? &flow : NULL);
		if (unlikely(!p)) {
			p = spread_last_resort(sp, cpu, set, tick);
			if (!p)
				goto drop;
			set = SPREAD_ALL;
		}
		if (gap)
			spread_move(sp, cpu, set, &flow, p);
	}
	spread_account(sp, p, set);
	err = team_dev_queue_xmit(team, p->port, skb);
	/* NET_XMIT_DROP or NET_XMIT_CN: no room for it. */
	if (unlikely(err > 0))
		WRITE_ONCE(p->refused, true);
	return !err;

drop:
	dev_kfree_skb_any(skb);
	return false;
}
