/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a ramp qdisc tells those who send to it: rate codes
 *
 * They are decided under the root lock, and sent by a work item that knows
 * nothing of that lock: a frame may come back to the very qdisc, or to one
 * whose frames come here. Between them is one lock for all queues of a ramp_mq,
 * and under it no lock of a qdisc or a rail is taken.
 */
#ifndef _NET_SCHED_RAMP_SEND_H
#define _NET_SCHED_RAMP_SEND_H

#include <compat/ramp_compat.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/ramp.h>
#include <linux/spinlock.h>
#include <net/ramp/ladder.h>

#include "code_config.h"

struct net;
struct net_device;
struct ramp_band;
struct ramp_config;
struct ramp_law;
struct ramp_mq;
struct ramp_sched_data;

/* How often it is said that a sender need not hold back any more. */
#define RAMP_CODE_REPEAT	3

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

#endif /* _NET_SCHED_RAMP_SEND_H */
