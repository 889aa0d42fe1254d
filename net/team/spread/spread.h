/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Team mode spread: what its files share
 *
 * Who writes what. Frames (any number of CPUs, bottom halves off, in an RCU
 * section) read; they write per-CPU memory and the table of flows. All else is
 * written under spread::lock: by the frame that finds a sample due, or a table
 * out of date, and gets the lock at once, and by options and ports that come
 * and go. Fields that frames read without the lock are written by WRITE_ONCE().
 *
 * How a port is found, and when it may be freed. Tables and flows hold slots,
 * never pointers: a table that was built before a port left may be used after
 * that for any time. The pointer is only in spread::slot, is read once per
 * frame in the frame's RCU section, and is cleared when the port leaves;
 * after that the port's memory waits for one grace period (main.c). So a
 * slot without a port is nothing wrong, and a frame that meets one picks again.
 *
 * When everything has to be decided anew: spread::generation counts each change
 * of what a table is made of (rank or state of a port, its weight and sets). A
 * table remembers the generation it was built from; the first frame of the set
 * that finds another one builds it again. Sets without frames cost nothing.
 *
 * A table that is a sample too old will do. One that was built before a port's
 * sets changed may name a port that does not lead to where the frame goes, also
 * by a slot that was used again: spread::masks counts these changes, and no
 * pick is made from a table that remembers another number.
 */
#ifndef _NET_TEAM_SPREAD_H
#define _NET_TEAM_SPREAD_H

#include <linux/if_team.h>
#include <linux/rcupdate.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/u64_stats_sync.h>
#include <net/ramp/flowlet.h>
#include <net/ramp/fullness.h>
#include <net/ramp/spread.h>

/* The set of all ports, for frames that need none and none of their own. */
#define SPREAD_ALL		RAMP_SPREAD_SETS
#define SPREAD_SETS		(RAMP_SPREAD_SETS + 1)

/* A step reads no more, and begins no more ports: each costs like many queues.
 * One frame has to wait for a step, and all of them pay for it.
 */
#define SPREAD_STEP_QUEUES	32
#define SPREAD_STEP_PORTS	8
#define SPREAD_TEXT		32

#define SPREAD_INTERVAL		50	/* us */
#define SPREAD_INTERVAL_MAX	1000000
#define SPREAD_FLOWLET		500	/* us */
#define SPREAD_FLOWLET_MAX	1000000
#define SPREAD_CAPACITY_MAX	10000000

/* How a frame's candidate set is found. */
enum spread_index {
	SPREAD_INDEX_NONE,
	SPREAD_INDEX_PRIORITY,
	SPREAD_INDEX_MARK,
	SPREAD_INDEX_VLAN,
	SPREAD_INDEX_DST,
	SPREAD_INDEX_IP,
};

/* What was seen of one queue or another of a port. */
enum spread_seen {
	SPREAD_SEEN_BQL,
	SPREAD_SEEN_TXQUEUELEN,
	SPREAD_SEEN_LIMIT,
};

/* Where the fullness of a port comes from: the last of what was seen, plus 1.
 */
enum spread_source {
	SPREAD_SOURCE_SENT,
	SPREAD_SOURCE_BQL = SPREAD_SEEN_BQL + 1,
	SPREAD_SOURCE_TXQUEUELEN = SPREAD_SEEN_TXQUEUELEN + 1,
	SPREAD_SOURCE_LIMIT = SPREAD_SEEN_LIMIT + 1,
	SPREAD_SOURCE_LEARNED,
	SPREAD_SOURCE_CAPACITY,
};

/* What is counted per team. */
enum spread_counter {
	SPREAD_MOVES,
	SPREAD_ESCAPES,
	SPREAD_FALLBACKS,
	SPREAD_DROPS_EMPTY,
	SPREAD_DROPS_DOWN,
	SPREAD_COUNTERS
};

/* What a table that has no members lacks. */
enum spread_lack {
	SPREAD_LACKS_NOTHING,
	SPREAD_LACKS_PORTS,	/* no port is configured for the set */
	SPREAD_LACKS_LINK,	/* none of them is up */
};

/* A CPU's part of a port. @vt are the accounts, per set. */
struct spread_port_cpu {
	u32			epoch;
	u32			since;	/* frames in this epoch */
	u32			mark;	/* with so many, count again */
	struct u64_stats_sync	syncp;
	u64_stats_t		sent;
	u64			vt[SPREAD_SETS];
};

/* A reading of a port, queue by queue. */
struct spread_reading {
	u64			waiting;
	u64			capacity;
	u32			drops;
	u32 drops_full; /* of fq and queues without a lock, if full */
	u32			seen;	/* bits of enum spread_seen */
	bool			shut;	/* a queue had no qdisc for now */
	enum spread_source	source;	/* once all queues were read */
	u32			queue;	/* the next one to read */
	bool			done;	/* it was the last one */
};

/**
 * struct spread_port - this mode's part of a port
 * @port: of the team driver
 * @cpu: per CPU; NULL once the port left
 * @rank: see ramp_scale_rank()
 * @class: the class of the rank
 * @charge: of a frame
 * @epoch: changes with each reading
 * @share: frames per CPU until its rank may change, as of the reading
 * @sets: candidate sets that it belongs to
 * @slot: index in spread::slot
 * @weight: as set
 * @up: what the tables think; whether it is so is asked for each frame
 * @refused: it did not take a frame since the last reading
 * @busy: shift; 1 << busy CPUs send there
 * @waiting: packets, as read last
 * @judged: packets that @rank and @share were found for; U32_MAX: none
 * @capacity: packets, as set; 0: as found
 * @found: packets, capacity of the last reading
 * @held: packets, as of what it dropped
 * @drops_full: see spread_read_queue()
 * @root: its root qdisc, never followed: another one may hold more
 * @handle: of that, as memory is used again
 * @scale: classes in packets
 * @reading: the one under way, if a step could not read all queues
 * @behind: per set
 * @left: what it was sent in all, once it left
 *
 * In the memory that the team driver allots per port, zeroed.
 */
struct spread_port {
	struct team_port		*port;
	struct spread_port_cpu __percpu	*cpu;
	u32				rank;
	u32				class;
	u32				charge;
	u32				epoch;
	u32				share;
	u32				sets;
	u8				slot;

	u16				weight;
	bool				up;
	bool				refused;
	u8				busy;
	u32				waiting;
	u32				judged;
	u32				capacity;
	u64				found;
	struct ramp_held		held;
	u32				drops_full;
	const struct Qdisc		*root;
	u32				handle;
	struct ramp_scale		scale;
	struct spread_reading		reading;
	struct ramp_behind		behind[SPREAD_SETS];
	u64				left;
};

/**
 * struct spread_table - a table, and what it was built from
 * @sequence: odd while it is being built
 * @generation: spread::generation
 * @masks: spread::masks
 * @lack: why @t has no members
 * @full: all of its members are
 * @t: to be read with @sequence
 *
 * What is one word is as true of the next table but one, and may be read alone.
 */
struct spread_table {
	seqcount_t			sequence;
	u32				generation;
	u32				masks;
	enum spread_lack		lack;
	bool				full;
	struct ramp_spread_table	t;
};

/*
 * One table is read, the other one is built, and then takes its place. No grace
 * period lies between two builds, so a frame that took long may still read the
 * table that is being built. Its sequence tells, and the frame looks for a port
 * without a table.
 */
struct spread_set {
	struct spread_table		*now;
	struct spread_table		table[2];
};

/* A CPU's part of a team. */
struct spread_cpu {
	u32			random;
	u32			cursor[SPREAD_SETS];
	struct u64_stats_sync	syncp;
	u64_stats_t		count[SPREAD_COUNTERS];
};

struct spread {
	/* Read for each frame */
	struct team		*team;
	struct spread_cpu __percpu *cpu;
	u64			due;		/* ns: next sample */
	unsigned long		sampled;	/* jiffies: last sample */
	unsigned long		coarse;		/* jiffies: surely not due */
	u32			interval;	/* ns */
	u32			gap;		/* ticks between flowlets */
	u32			generation;
	u32			masks;
	u32			samples;	/* the lower half */
	u8			index;
	bool			drop_empty;
	bool			escape;
	struct spread_port __rcu *slot[RAMP_SPREAD_PORTS];
	struct spread_set	set[SPREAD_SETS];
	struct ramp_flow	flow[RAMP_FLOWS];

	/* Written under it */
	spinlock_t		lock ____cacheline_aligned_in_smp;
	u64			sample;
	u32			ports;
	u32			at;		/* in order[] */
	struct spread_port	*order[RAMP_SPREAD_PORTS];
	struct ramp_spread_port	candidate[RAMP_SPREAD_PORTS];
	struct ramp_classes	classes;

	/* Control path, serialised by the team driver */
	u32			interval_us;
	u32			flowlet_us;
	const char		*error;
	char			text[SPREAD_TEXT];
};

static inline struct spread *spread_of(const struct team *team)
{
	return (struct spread *)team->mode_priv[0];
}

static inline struct spread_port *spread_port_of(struct team_port *port)
{
	return (struct spread_port *)port->mode_priv;
}

/* Is a port one of a set's? */
static inline bool spread_in_set(const struct spread_port *p, u32 set)
{
	return set == SPREAD_ALL || READ_ONCE(p->sets) & BIT(set);
}

static inline void spread_anew(struct spread *sp)
{
	WRITE_ONCE(sp->generation, sp->generation + 1);
}

/* xmit.c */
bool spread_transmit(struct team *team, struct sk_buff *skb);

/* index.c */
u32 spread_index_set(enum spread_index index, const struct sk_buff *skb);

/* sample.c */
void spread_sample(struct spread *sp, u64 now);
u32 spread_steps(const struct spread *sp);
u32 spread_since(const struct spread_port *p, u32 *cpus);
void spread_recount(struct spread *sp, struct spread_port *p);
void spread_rescale(struct spread *sp, struct spread_port *p, u64 capacity);
void spread_refresh(struct spread *sp);

/* table.c */
void spread_tables_init(struct spread *sp);
const struct spread_table *spread_update(struct spread *sp, u32 set, u32 tick);
struct spread_port *spread_search(struct spread *sp, u32 set, u32 tick);

/* option.c */
void spread_defaults(struct spread *sp);
int spread_options_register(struct team *team);
void spread_options_unregister(struct team *team);

/* show.c */
u64 spread_port_sent(const struct spread_port *p);
int spread_values_register(struct team *team);
void spread_values_unregister(struct team *team);

#endif /* _NET_TEAM_SPREAD_H */
