/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a ramp qdisc tells others: events to those who listen, and rate codes to
 * those who send to it
 *
 * Both are decided under the root lock, and sent by a work item each that knows
 * nothing of that lock: a frame may come back to the very qdisc, or to one
 * whose frames come here. Between them is one lock each, that of codes for all
 * queues of a ramp_mq, and under it no lock of a qdisc or a rail is taken.
 */
#ifndef _NET_SCHED_RAMP_SEND_H
#define _NET_SCHED_RAMP_SEND_H

#include <compat/ramp_compat.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/ramp.h>
#include <linux/ramp_family.h>
#include <linux/spinlock.h>
#include <net/ramp/edge.h>
#include <net/ramp/gears.h>
#include <net/ramp/ladder.h>

#include "code_config.h"

struct genl_family;
struct genl_ops;
struct net;
struct net_device;
struct ramp_band;
struct ramp_config;
struct ramp_law;
struct ramp_mq;
struct ramp_sched_data;

/* Events that may wait for the work item. A power of two. */
#define RAMP_EVENTS	64

/* How often it is said that a sender need not hold back any more. */
#define RAMP_CODE_REPEAT	3

/**
 * struct ramp_event - something that others may want to know
 * @time: ns
 * @seq: number of the message
 * @cmd: RAMP_CMD_*
 * @dir: enum ramp_dir
 * @source: enum ramp_source
 * @act: enum ramp_act
 * @why: enum ramp_peer_why, or enum ramp_gear_reason
 * @queued: skbs that the gate counts
 * @from: gear until then
 * @to: gear from then on
 * @span: ns, in which the level crossed, or that the ramp took
 * @bands: bitmap of the bands whose codes are in @rate
 * @rate: hundredths of a percent, by band
 */
struct ramp_event {
	u64	time;
	u32	seq;
	u8	cmd;
	u8	dir;
	u8	source;
	u8	act;
	u8	why;
	union {
		struct {
			u32	queued;
			u8	from;
			u8	to;
			u64	span;
		};
		struct {
			u16	bands;
			u16	rate[RAMP_BANDS_MAX];
		};
	};
};

/**
 * struct ramp_events - what waits to be told, in a ring
 * @lock: for what follows
 * @sch: the qdisc
 * @work: tells it
 * @in: events ever put in
 * @out: events ever taken out
 * @seq: number of the last message
 * @lost: events that there was no room for
 * @codes_lost: the last codes are among them
 * @bands: bitmap of the bands that have a ladder
 * @rate: hundredths of a percent, their codes now
 * @ring: events
 */
struct ramp_events {
	spinlock_t		lock;	/* of all below */
	struct Qdisc		*sch;
	struct ramp_bh		work;
	u32			in;
	u32			out;
	u32			seq;
	u64			lost;
	bool			codes_lost;
	u16			bands;
	u16			rate[RAMP_BANDS_MAX];
	struct ramp_event	ring[RAMP_EVENTS];
};

/**
 * struct ramp_codes - what the senders to a device are asked for, by its ramp
 *	or by all the ramps of its ramp_mq
 * @lock: for what follows
 * @ramps: those who have or had a ladder
 * @route: where frames go; it is the same for all
 * @rate: hundredths of a percent, by band: the least that one of them asks for,
 *	as nobody knows which queue the packets of a sender take
 * @due: devices of @route that a frame is due for
 * @left: for each device of @route, how many frames are to follow until it can
 *	be forgotten
 * @next: ns, when those are due again
 * @dev: that packets wait for
 * @net: of @dev
 * @parent: of the qdisc on @dev
 * @node: among the epochs of all
 * @epoch: random; other frames than before
 * @seq: number of the last frame
 * @refreshed: codes sent again as they were about to expire
 * @frames_sent: frames that a device took
 * @frames_lost: frames that could not be sent
 * @held: nothing is to be told now
 * @dead: @timer is not to be started any more
 * @timer: for @next, and for devices that were busy
 * @work: sends what is due
 * @rcu: to be freed when nobody looks at @epoch any more
 *
 * Kept as long as one of @ramps is there.
 */
struct ramp_codes {
	spinlock_t		lock;	/* of all below */
	struct list_head	ramps;
	struct ramp_code_route	route;
	u16			rate[RAMP_BANDS_MAX];
	u32			due;
	u8			left[RAMP_CODE_DEVS];
	u64			next;
	const struct net_device	*dev;
	struct net		*net;
	u32			parent;
	struct hlist_node	node;
	u32			epoch;
	u32			seq;
	u64			refreshed;
	u64			frames_sent;
	u64			frames_lost;
	bool			held;
	bool			dead;
	struct hrtimer		timer;
	struct ramp_bh		work;
	struct rcu_head		rcu;
};

/**
 * struct ramp_send - the ladders of a ramp
 * @ladder: where the bands are
 * @gone: counters of bands that are no more
 * @law: the parameters in force
 * @codes: tells what they ask for
 * @list: of @codes->ramps, under the lock of @codes
 * @rate: hundredths of a percent, what this ramp asks for, by band; written
 *	under the lock of @codes, too
 *
 * Made with the first ladder, kept as long as the qdisc. Under the root lock.
 */
struct ramp_send {
	struct ramp_ladder	ladder[RAMP_BANDS_MAX];
	struct ramp_ladder	gone;
	struct ramp_code_law	*law;
	struct ramp_codes	*codes;
	struct list_head	list;
	u16			rate[RAMP_BANDS_MAX];
};

/* event.c */
int ramp_events_prepare(struct Qdisc *sch);
u64 ramp_events_lost(const struct Qdisc *sch);
void ramp_events_destroy(struct Qdisc *sch);
void ramp_event_surge(struct Qdisc *sch, enum ramp_dir dir,
		      enum ramp_source source, enum ramp_act act, u64 took,
		      u32 queued, u64 now);
void ramp_event_done(struct Qdisc *sch, u64 took, u64 now);
void ramp_event_codes(struct Qdisc *sch, u32 bands, const u16 *rate);
void ramp_event_keep(struct Qdisc *sch, u32 bands, const u16 *rate);
void ramp_event_peer(struct Qdisc *sch, enum ramp_peer_why why, u32 bands,
		     const u16 *rate, u64 now);
void ramp_event_gear(struct Qdisc *sch, u32 from, u32 to,
		     enum ramp_gears_why why, u64 now);

/* ladder.c */
void ramp_ladder_crossed(struct Qdisc *sch, struct ramp_band *b);

/* code.c */
struct ramp_send *ramp_send_alloc(struct Qdisc *sch);
bool ramp_code_is_own(const struct net *net, u32 epoch);
struct ramp_code_law *ramp_codes_follow(struct Qdisc *sch,
					struct ramp_code_law *law);
void ramp_code_due(struct Qdisc *sch, u32 bands);

/* What others call whether or not there are codes. */
#if IS_ENABLED(CONFIG_NET_SCH_RAMP_CODES)
/* ladder.c */
int ramp_send_prepare(struct Qdisc *sch, const struct ramp_config *config,
		      const struct ramp_law *law, struct ramp_code_law **codes,
		      struct netlink_ext_ack *extack);
struct ramp_code_law *ramp_send_commit(struct Qdisc *sch,
				       struct ramp_code_law *codes);
void ramp_send_stats(struct Qdisc *sch, struct tc_ramp_xstats *st);
void ramp_send_class_stats(const struct ramp_sched_data *q,
			   const struct ramp_band *b,
			   struct tc_ramp_class_xstats *st);

/* code.c */
void ramp_codes_hold(struct ramp_mq *mq, bool hold);
void ramp_send_forget(struct Qdisc *sch, u32 ifindex);
void ramp_send_destroy(struct Qdisc *sch);
#else
static inline int ramp_send_prepare(struct Qdisc *sch,
				    const struct ramp_config *config,
				    const struct ramp_law *law,
				    struct ramp_code_law **codes,
				    struct netlink_ext_ack *extack)
{
	*codes = NULL;
	return 0;
}

static inline struct ramp_code_law *
ramp_send_commit(struct Qdisc *sch, struct ramp_code_law *codes)
{
	return NULL;
}

static inline void ramp_send_stats(struct Qdisc *sch, struct tc_ramp_xstats *st)
{
}

static inline void ramp_send_class_stats(const struct ramp_sched_data *q,
					 const struct ramp_band *b,
					 struct tc_ramp_class_xstats *st)
{
	st->code = RAMP_WHOLE;
}

static inline void ramp_codes_hold(struct ramp_mq *mq, bool hold)
{
}

static inline void ramp_send_forget(struct Qdisc *sch, u32 ifindex)
{
}

static inline void ramp_send_destroy(struct Qdisc *sch)
{
}
#endif

extern struct genl_family ramp_family;
int ramp_genl_register(const struct genl_ops *ops, u32 n);
void ramp_genl_unregister(void);

#endif /* _NET_SCHED_RAMP_SEND_H */
