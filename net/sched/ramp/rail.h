/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rails: ramp qdiscs that share detection, a ramp and its allowance
 *
 * rail.c has the way of a packet, rail_pool.c what members do without the lock,
 * rail_wait.c those that have to wait, rail_net.c who is on which rail,
 * rail_config.c what members have in common, and rail_netlink.c tells about
 * rails.
 *
 * Locking: rails, and which qdiscs are on them, are under RTNL. The engine of a
 *	rail, and all below it in struct ramp_rail but the pools, is under the
 *	lock of the rail, which is taken under the root lock of a member or
 *	under none, and under which no other is. ramp_rail_lock() also takes
 *	back what members could take without it. What a member has noted of the
 *	rail (struct ramp_member) is under both; a head that was paid for out of
 *	a pool is noted under the root lock alone, as others look only at those
 *	who wait.
 */
#ifndef _NET_SCHED_RAMP_RAIL_H
#define _NET_SCHED_RAMP_RAIL_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <net/ramp/pool.h>

#include "engine.h"

struct genl_ops;
struct ramp_config;
struct netlink_ext_ack;
struct net;
struct ramp_sched_data;
struct sk_buff;

/* In a network namespace, and on a rail */
#define RAMP_RAILS_MAX		64
#define RAMP_RAIL_MEMBERS_MAX	256

/* Members count by themselves until it is this part of HIGH - LOW, together. */
#define RAMP_RAIL_PARTS		16

/* Who is woken has this part of a tick to come and take, and no longer than
 * this: ns
 */
#define RAMP_RAIL_TURNS		4
#define RAMP_RAIL_TURN_MOST	NSEC_PER_MSEC

/**
 * struct ramp_member - what a qdisc has told its rail, and been told
 * @list: of the members of the rail; under RTNL, too
 * @wait: of those that wait to be woken; under the lock of the rail alone
 * @waiting: packets, as the rail knows
 * @busy: bands that have packets, as the rail knows
 * @shut: ns, the end of the tick in which the head was refused; 0: it was not,
 *	or it was woken since
 * @served: ns, the end of the tick in which a head was admitted; 0: none was
 * @taken: ns, the end of the tick that a head was charged to in advance; 0:
 *	none
 * @bytes: of that head
 * @pkts: segments of that head
 * @shares: the slew limiter of the qdisc, which does not limit itself, has no
 *	budget, so that each packet spends some of what all share
 * @counts: it counts arrivals as the rail does
 */
struct ramp_member {
	struct list_head	list;
	struct list_head	wait;
	u32			waiting;
	u32			busy;
	u64			shut;
	u64			served;
	u64			taken;
	u32			bytes;
	u32			pkts;
	bool			shares;
	bool			counts;
};

/**
 * struct ramp_net - the rails of a network namespace, under RTNL
 * @rails: in the order in which they were made
 * @count: how many
 * @seq: changes whenever they, or their members, do
 */
struct ramp_net {
	struct list_head	rails;
	u32			count;
	u32			seq;
};

/**
 * struct ramp_rail - qdiscs that share an engine
 * @engine: detection and ramps
 * @meter: of @engine
 * @slew: of @engine
 * @lock: of all below that is not under RTNL
 * @waiting: packets in members, as far as they told
 * @busy: bands of members that have packets, as far as they told
 * @batch: packets by which a member may differ from what it told
 * @batch_flow: bytes or packets that may arrive before a member tells
 * @timer: fires at the end of a slot, when somebody who waits can be woken, and
 *	when a turn is over
 * @waits: members to be woken, the first one next
 * @waits_served: those that had something of the tick that ends at @waits_tick:
 *	they come after all that had nothing
 * @waits_tick: ns
 * @turn: the member that was woken and has not had all that it wants, or NULL
 * @turn_end: ns, when it does without
 * @given: what was put into @budget, if anything, and into @room
 * @members: qdiscs; to be changed under RTNL, too
 * @count: how many; under RTNL, too
 * @counted: bands of all of them that the gate counts
 * @id: number, by which users know it
 * @unnamed: of a ramp_mq, so that it has no number and is in no list
 * @net: of the network namespace
 * @list: of all rails of the network namespace, under RTNL
 * @budget: bytes that may leave without the lock. All members write it, so it
 *	has a cache line without what they read.
 * @room: bytes or packets that may arrive without the lock
 */
struct ramp_rail {
	struct ramp_engine	engine;
	struct ramp_meter	meter;
	struct ramp_slew	slew;
	spinlock_t		lock;	/* of what comes before and follows */
	u32			waiting;
	u32			busy;
	u32			batch;
	u64			batch_flow;
	struct hrtimer		timer;
	struct list_head	waits;
	struct list_head	waits_served;
	u64			waits_tick;
	struct ramp_sched_data	*turn;
	u64			turn_end;
	struct {
		u64		room;
		bool		budget;
	} given;
	struct list_head	members;
	u32			count;
	u32			counted;
	u32			id;
	bool			unnamed;
	struct ramp_net		*net;
	struct list_head	list;
	atomic64_t		budget ____cacheline_aligned_in_smp;
	atomic64_t		room;
};

static inline bool ramp_is_shut(const struct ramp_member *m, u64 tick_end)
{
	return m->shut && m->shut == tick_end;
}

/* rail_net.c: under RTNL */
struct ramp_net *ramp_rails_of(const struct net *net);
struct ramp_rail *ramp_rail_lookup(const struct net *net, u32 id);
bool ramp_rail_replaced(const struct Qdisc *sch, const struct ramp_rail *r);
struct ramp_rail *ramp_rail_get(const struct Qdisc *sch, u32 id,
				struct netlink_ext_ack *extack);
u64 ramp_rail_batch(const struct ramp_edge_params *p, u32 count);

/* rail_net.c: under RTNL, of a member */
void ramp_rail_leave(struct Qdisc *sch);
void ramp_rail_change(struct Qdisc *sch, const struct ramp_plan *plan,
		      u32 counted, u32 changed);

/* rail_net.c, rail_config.c: what others call whether or not there are rails,
 * under RTNL
 */
#if IS_ENABLED(CONFIG_NET_SCH_RAMP_RAILS)
int ramp_rails_register(void);
void ramp_rails_unregister(void);
void ramp_rail_put(struct ramp_rail *r);
void ramp_rail_join(struct Qdisc *sch, struct ramp_rail *r,
		    const struct ramp_plan *plan);
void ramp_rail_move(struct Qdisc *sch, struct ramp_rail *r,
		    const struct ramp_plan *plan);
const struct ramp_config *ramp_rail_others(const struct Qdisc *sch,
					   const struct ramp_config *config,
					   u32 id);
int ramp_rail_config(const struct ramp_config *config,
		     struct netlink_ext_ack *extack);
int ramp_rail_named(struct Qdisc *sch, const struct ramp_config *config,
		    const struct ramp_plan *plan, struct ramp_rail **rail,
		    struct netlink_ext_ack *extack);
#else
static inline int ramp_rails_register(void)
{
	return 0;
}

static inline void ramp_rails_unregister(void)
{
}

static inline void ramp_rail_put(struct ramp_rail *r)
{
}

static inline void ramp_rail_join(struct Qdisc *sch, struct ramp_rail *r,
				  const struct ramp_plan *plan)
{
}

static inline void ramp_rail_move(struct Qdisc *sch, struct ramp_rail *r,
				  const struct ramp_plan *plan)
{
}

static inline const struct ramp_config *
ramp_rail_others(const struct Qdisc *sch, const struct ramp_config *config,
		 u32 id)
{
	return NULL;
}

static inline int ramp_rail_config(const struct ramp_config *config,
				   struct netlink_ext_ack *extack)
{
	return 0;
}

static inline int ramp_rail_named(struct Qdisc *sch,
				  const struct ramp_config *config,
				  const struct ramp_plan *plan,
				  struct ramp_rail **rail,
				  struct netlink_ext_ack *extack)
{
	return 0;
}
#endif

/* May a packet leave without the lock? Then it is charged. The last one may be
 * larger than what is left.
 */
static inline bool ramp_rail_spend(struct ramp_rail *r, u32 bytes)
{
	return ramp_pool_take(&r->budget, bytes, 1);
}

/* May that much arrive without the lock? Then it is counted. */
static inline bool ramp_rail_counts(struct ramp_rail *r, u64 amount)
{
	return ramp_pool_take(&r->room, amount, amount);
}

/* Does any member wait to be woken? */
static inline bool ramp_rail_waits(const struct ramp_rail *r)
{
	return !list_empty(&r->waits) || !list_empty(&r->waits_served);
}

/* rail_pool.c */
void ramp_rail_lock(struct ramp_rail *r);
void ramp_rail_unlock(struct ramp_rail *r);
void ramp_rail_lock_bh(struct ramp_rail *r);
void ramp_rail_unlock_bh(struct ramp_rail *r);
bool ramp_rail_shares(const struct ramp_rail *r);
void ramp_rail_limit(struct ramp_sched_data *q, bool shares);

/* rail_wait.c: under the lock of the rail */
void ramp_rail_wake_all(struct ramp_rail *r);
bool ramp_rail_fits(struct ramp_engine *e, const struct ramp_member *m);
void ramp_rail_next(struct ramp_rail *r);
void ramp_rail_forget(struct ramp_sched_data *q);
void ramp_rail_sleep(struct ramp_sched_data *q);

/* rail.c: under the lock of the rail */
void ramp_rail_poke(struct ramp_rail *r);
void ramp_rail_ask(struct ramp_rail *r);
void ramp_rail_tell(struct ramp_sched_data *q);
void ramp_rail_take(struct ramp_sched_data *q);
void ramp_rail_release(struct ramp_sched_data *q);
enum hrtimer_restart ramp_rail_fire(struct hrtimer *timer);
extern const struct ramp_engine_ops ramp_rail_engine_ops;

/* rail.c: under the root lock of the member */
bool ramp_rail_pass(struct Qdisc *sch, const struct sk_buff *skb);
bool ramp_rail_ask_for(struct Qdisc *sch, const struct sk_buff *skb);
void ramp_rail_charge(struct Qdisc *sch, const struct sk_buff *skb,
		      bool promised);
void ramp_rail_yield(struct Qdisc *sch);
void ramp_rail_crossed(struct Qdisc *sch);
void ramp_rail_arrived(struct Qdisc *sch);
void ramp_rail_removed(struct Qdisc *sch);
void ramp_rail_sync(struct Qdisc *sch);
void ramp_rail_due(struct Qdisc *sch);
void ramp_rail_reset(struct Qdisc *sch);

/* rail_net.c: for the family "ramp" */
extern const struct genl_ops ramp_rail_op;

#endif /* _NET_SCHED_RAMP_RAIL_H */
