/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a ramp qdisc is told by those that it sends to: their rate codes, and
 * the pace of its bands
 *
 * Frames are heard wherever the device delivers them, which may be below the
 * root lock of any qdisc, this one's included: so there only the table of
 * senders changes, under a lock below which nothing else is locked, and the
 * qdisc is scheduled. At its next look it takes the rates over.
 */
#ifndef _NET_SCHED_RAMP_OBEY_H
#define _NET_SCHED_RAMP_OBEY_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/ramp.h>
#include <linux/spinlock.h>
#include <net/ramp/climb.h>
#include <net/ramp/ladder.h>
#include <net/ramp/pacer.h>
#include <net/ramp/peers.h>

struct netlink_ext_ack;
struct Qdisc;
struct ramp_band;
struct ramp_config;
struct ramp_sched_data;
struct sk_buff;

/* ns, by which who waits for another queue's turn wakes after that */
#define RAMP_EAR_YIELD		NSEC_PER_USEC
/* ns, for how long it stays the turn of a queue that does not come, no more
 * than the shortest tick, for which buckets have room
 */
#define RAMP_EAR_GRACE		(50 * NSEC_PER_USEC)

/**
 * struct ramp_ear - the peers of a device, as its ramp or all the ramps of its
 *	ramp_mq hear them, and the pace that they ask for
 * @pt: hears the frames
 * @joined: the device is to receive the frames; under RTNL, as @listening
 * @listening: @pt is in force
 * @rcu: to be freed when no handler has it any more
 * @lock: for all that follows
 * @on: frames count
 * @peers: who said what
 * @malformed: frames that were not what they should be
 * @ramps: those who obey
 * @now: ns, when one of them asked last
 * @paced: how many of them pace a band, by band
 * @last: who sent last of a band
 * @turn: whose packet is the next one of a band, or NULL; only if several wait
 * @turn_when: ns, when that may leave
 * @climb: by band, of those that are paced: the rate of its pacer
 * @pacer: by band, of those that are paced: all queues of a ramp_mq pay from
 *	one. A packet is charged when it leaves, and another queue may ask
 *	meanwhile, so it may owe a packet for each queue.
 */
struct ramp_ear {
	struct packet_type	pt;
	bool			joined;
	bool			listening;
	struct rcu_head		rcu;

	/* The last of all: under it no other lock is taken. */
	spinlock_t		lock;
	bool			on;
	struct ramp_peers	peers;
	u64			malformed;
	struct list_head	ramps;
	u64			now;
	u32			paced[RAMP_BANDS_MAX];
	const struct ramp_obey	*last[RAMP_BANDS_MAX];
	const struct ramp_obey	*turn[RAMP_BANDS_MAX];
	u64			turn_when[RAMP_BANDS_MAX];
	struct ramp_climb	climb[RAMP_BANDS_MAX];
	struct ramp_pacer	pacer[RAMP_BANDS_MAX];
};

/**
 * struct ramp_obey - what peers amount to for a qdisc
 * @ear: who hears them
 * @sch: the qdisc
 * @list: of @ear->ramps
 * @min: hundredths of a percent, what no peer slows a band below
 * @bands: bitmap of the bands that codes count for, as last taken over; who is
 *	paced without one only lets go of what it held back
 * @rate: hundredths of a percent, by band, as last taken over
 * @expired: @ear->peers.expired, as last taken over
 * @next: ns, when to look again by oneself; U64_MAX: never
 * @wake: ns, when the first head in @paced_shut may go; U64_MAX: none
 * @held: bitmap of the bands whose head was refused, and counted in @delayed
 * @delayed: times a packet had to wait for its pacer, by band
 *
 * Made when it is first wanted, kept as long as the qdisc. @min and what
 * follows it are under the root lock.
 */
struct ramp_obey {
	struct ramp_ear		*ear;
	struct Qdisc		*sch;
	struct list_head	list;

	u32			min;
	u32			bands;
	u16			rate[RAMP_BANDS_MAX];
	u64			expired;
	u64			next;
	u64			wake;
	u32			held;
	u64			delayed[RAMP_BANDS_MAX];
};

/* ear.c: under the root lock and that of the ear */
void ramp_ear_let_go(struct ramp_sched_data *q, u32 band);

/* peer.c: all under the root lock, and called when the band is paced */
bool ramp_peer_pass(struct Qdisc *sch, const struct ramp_band *b,
		    const struct sk_buff *skb);
void ramp_peer_sync(struct Qdisc *sch, const struct ramp_band *b);
void ramp_peer_charge(struct Qdisc *sch, const struct ramp_band *b,
		      const struct sk_buff *skb);
bool ramp_peer_splits(const struct ramp_sched_data *q,
		      const struct ramp_band *b, const struct sk_buff *skb);

/* What others call whether or not there are peers. */
#if IS_ENABLED(CONFIG_NET_SCH_RAMP_PEERS)
int ramp_obey_prepare(struct Qdisc *sch, const struct ramp_config *config,
		      struct netlink_ext_ack *extack);
void ramp_obey_set(struct Qdisc *sch, const struct ramp_config *config);
void ramp_obey_commit(struct Qdisc *sch, const struct ramp_config *config);
void ramp_obey_type(struct Qdisc *sch);
void ramp_obey_destroy(struct Qdisc *sch);
void ramp_obey_stats(const struct ramp_sched_data *q,
		     struct tc_ramp_xstats *st);
void ramp_obey_class_stats(const struct ramp_sched_data *q,
			   const struct ramp_band *b,
			   struct tc_ramp_class_xstats *st);

/* all under the root lock */
void ramp_peer_due(struct Qdisc *sch, u64 now);
void ramp_peer_timer(struct Qdisc *sch, u64 now);
u64 ramp_peer_when(const struct ramp_sched_data *q);
void ramp_peer_change(struct Qdisc *sch, u64 now);
#else
static inline int ramp_obey_prepare(struct Qdisc *sch,
				    const struct ramp_config *config,
				    struct netlink_ext_ack *extack)
{
	return 0;
}

static inline void ramp_obey_set(struct Qdisc *sch,
				 const struct ramp_config *config)
{
}

static inline void ramp_obey_commit(struct Qdisc *sch,
				    const struct ramp_config *config)
{
}

static inline void ramp_obey_type(struct Qdisc *sch)
{
}

static inline void ramp_obey_destroy(struct Qdisc *sch)
{
}

static inline void ramp_obey_stats(const struct ramp_sched_data *q,
				   struct tc_ramp_xstats *st)
{
	st->peer_rate = RAMP_WHOLE;
}

static inline void ramp_obey_class_stats(const struct ramp_sched_data *q,
					 const struct ramp_band *b,
					 struct tc_ramp_class_xstats *st)
{
	st->peer_rate = RAMP_WHOLE;
}

static inline void ramp_peer_due(struct Qdisc *sch, u64 now)
{
}

static inline void ramp_peer_timer(struct Qdisc *sch, u64 now)
{
}

static inline u64 ramp_peer_when(const struct ramp_sched_data *q)
{
	return U64_MAX;
}

static inline void ramp_peer_change(struct Qdisc *sch, u64 now)
{
}
#endif

#endif /* _NET_SCHED_RAMP_OBEY_H */
