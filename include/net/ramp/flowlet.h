/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flowlets: a flow stays on its port while it does not pause
 *
 * Picking a port for each frame, as US 8625624 does, reorders the frames of
 * a flow. A flow that paused for longer than the paths can differ may go on
 * anywhere, for nothing is left to be overtaken. What lies between two pauses
 * is a flowlet.
 *
 * A flow that never pauses would stay on a port that became slow for ever.
 * After a time far longer than a flowlet's gap it may leave: being overtaken
 * once is better than waiting always. Only one in eight flows may per sample,
 * or all would meet again at the next port.
 *
 * Flows are known by their hash alone; those with one entry move together. If
 * they are of different sets they may have no port in common, and each would
 * move the entry with every frame. So an entry also remembers whose set moved
 * it. A frame of another set that cannot use the port is a visitor: it changes
 * nothing, and the entry's number picks its port, as there is no room to
 * remember one. When the entry's own flow has paused a visitor takes it over,
 * at the port that all visitors of its set had. A set of all ports has no port
 * that is not in it, and a flow that was of it may be of another one now:
 * anybody may move its entry.
 *
 * Nothing here locks. Two CPUs that send frames of one flow may both see the
 * state before the other's frame: no more than two hashes in one entry do. Port
 * and set are one word, so that no frame sees the one without the other.
 * Being behind is noted by one CPU at a time, and asked for by any. Any
 * context.
 */
#ifndef _NET_RAMP_FLOWLET_H
#define _NET_RAMP_FLOWLET_H

#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/types.h>
#include <net/ramp/spread.h>

#define RAMP_FLOWS		4096
/* A tick is 1024 ns: a shift instead of a division for each frame. */
#define RAMP_FLOW_TICK_SHIFT	10
#define RAMP_FLOW_ESCAPES	8
#define RAMP_FLOW_SET_SHIFT	16
/* 2^32 by the golden ratio */
#define RAMP_FLOW_SCRAMBLE	0x9e3779b9U
/* Samples, and gaps, for which a port must have been behind. */
#define RAMP_BEHIND_SAMPLES	8
#define RAMP_BEHIND_GAPS	4
#define RAMP_BEHIND_CLASSES	2
/* Samples by which the number that a frame has read may be old. */
#define RAMP_BEHIND_LATE	1024

/**
 * struct ramp_flow - one entry of the table
 * @last: tick of the last frame
 * @home: its port, and the set that it is there for; 0: none yet
 */
struct ramp_flow {
	u32	last;
	u32	home;
};

/**
 * struct ramp_behind - since when a port has been far fuller than the others
 * @on: it is
 * @sample: number of the sample that said so first
 * @tick: when
 */
struct ramp_behind {
	bool	on;
	u32	sample;
	u32	tick;
};

/* What becomes of a flow. */
enum ramp_flow_fate {
	RAMP_FLOW_STAYS,
	RAMP_FLOW_BURST,	/* a new one, or it paused */
	RAMP_FLOW_LEAVES,	/* the port is of no use to it any more */
	RAMP_FLOW_ESCAPES_NOW,
	RAMP_FLOW_VISITS,	/* the entry is another set's */
	RAMP_FLOW_CLAIMS,	/* it was another set's, whose flow paused */
};

/* ns to ticks; wraps after 73 minutes, which only a flow that pauses for just
 * so long would notice.
 */
static inline u32 ramp_flow_tick(u64 ns)
{
	return ns >> RAMP_FLOW_TICK_SHIFT;
}

static inline u32 ramp_flow_home(u32 set, u32 slot)
{
	return set << RAMP_FLOW_SET_SHIFT | (slot + 1);
}

/* Of an entry that has a port. */
static inline u32 ramp_flow_slot(u32 home)
{
	return (home & ((1U << RAMP_FLOW_SET_SHIFT) - 1)) - 1;
}

static inline bool ramp_flow_own(u32 home, u32 set)
{
	u32 owner = home >> RAMP_FLOW_SET_SHIFT;

	return !home || owner == set || owner == RAMP_SPREAD_SETS;
}

/* Does the number of a flow's entry pick its port? */
static inline bool ramp_flow_numbered(enum ramp_flow_fate fate)
{
	return fate == RAMP_FLOW_VISITS || fate == RAMP_FLOW_CLAIMS;
}

/* For ramp_spread_at(), whose upper bits count: entries that follow each other
 * pick ports far apart.
 */
static inline u32 ramp_flow_number(u32 entry)
{
	return entry * RAMP_FLOW_SCRAMBLE;
}

/**
 * ramp_behind_note - a set was looked at again
 * @b: of a port in that set
 * @class: of the port
 * @lowest: class of the set
 * @sample: number of samples taken
 * @tick: now
 */
static inline void ramp_behind_note(struct ramp_behind *b, u32 class,
				    u32 lowest, u32 sample, u32 tick)
{
	if (class < lowest + RAMP_BEHIND_CLASSES) {
		WRITE_ONCE(b->on, false);
	} else if (!b->on) {
		WRITE_ONCE(b->sample, sample);
		WRITE_ONCE(b->tick, tick);
		/* Who sees it on must not take the begin of the time before. */
		smp_store_release(&b->on, true);
	}
}

/**
 * ramp_behind_long - has a port been behind for so long that flows may leave?
 * @b: of the port in the flow's set
 * @gap: ticks between flowlets
 * @sample: number of samples taken; others may have taken more since
 * @tick: now
 *
 * Return: whether for longer than both RAMP_BEHIND_SAMPLES and
 * RAMP_BEHIND_GAPS
 */
static inline bool ramp_behind_long(const struct ramp_behind *b, u32 gap,
				    u32 sample, u32 tick)
{
	u32 samples;

	/* Pairs with the release in ramp_behind_note(). */
	if (!smp_load_acquire(&b->on))
		return false;
	samples = sample - READ_ONCE(b->sample);
	return samples > RAMP_BEHIND_SAMPLES &&
	       samples < U32_MAX - RAMP_BEHIND_LATE &&
	       tick - READ_ONCE(b->tick) > RAMP_BEHIND_GAPS * gap;
}

/**
 * ramp_flow_turn - is this flow one of those that may escape now?
 * @flow: index of its entry
 * @sample: number of samples taken
 *
 * The order of the eighths is scrambled, or a flow that sends every eighth
 * sample could miss its turn always.
 *
 * Return: true for one in RAMP_FLOW_ESCAPES flows
 */
static inline bool ramp_flow_turn(u32 flow, u32 sample)
{
	return (flow & (RAMP_FLOW_ESCAPES - 1)) ==
	       (sample * RAMP_FLOW_SCRAMBLE) >> 29;
}

/**
 * ramp_flow_judge - may the flow of a frame stay on its port?
 * @f: entry of the flow
 * @set: of the frame; RAMP_SPREAD_SETS: that of all ports
 * @gap: ticks between flowlets
 * @useful: the port is up, in the flow's set and has room, or none has
 * @now: tick
 *
 * Return: any fate but RAMP_FLOW_ESCAPES_NOW; whether it escapes is asked of
 * those who stay
 */
static inline enum ramp_flow_fate
ramp_flow_judge(const struct ramp_flow *f, u32 set, u32 gap, bool useful,
		u32 now)
{
	bool own = ramp_flow_own(f->home, set);

	if (!f->home || now - f->last >= gap)
		return own ? RAMP_FLOW_BURST : RAMP_FLOW_CLAIMS;
	if (!useful)
		return own ? RAMP_FLOW_LEAVES : RAMP_FLOW_VISITS;
	return RAMP_FLOW_STAYS;
}

#endif /* _NET_RAMP_FLOWLET_H */
