/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ramp qdisc: what its files share
 *
 * ramp_main.c holds the queue, ramp_gate.c the detectors and the gate in front
 * of the device, ramp_config.c turns what was asked for into numbers per slot
 * and tick, ramp_rate.c knows the rate of the device, ramp_netlink.c reads and
 * shows it all.
 *
 * Locking: the packet path and everything that it reads is under the root
 * lock. struct ramp_config and the list of all qdiscs are under RTNL; a change
 * is prepared under RTNL alone and takes the root lock to be put in force.
 */
#ifndef _NET_SCHED_RAMP_H
#define _NET_SCHED_RAMP_H

#include <compat/ramp_compat.h>
#include <linux/if_ether.h>
#include <linux/ramp.h>
#include <net/ramp/edge.h>
#include <net/ramp/meter.h>
#include <net/ramp/slope.h>

#define RAMP_LIMIT_MAX		BIT(20)
#define RAMP_LIMIT_AUTO_MIN	1000
#define RAMP_RATE_MIN		1000ULL
#define RAMP_RATE_MAX		BIT_ULL(40)
#define RAMP_PERCENT		10000

/* What made the ramp begin or turn. */
enum ramp_source {
	RAMP_SOURCE_QUEUE,
	RAMP_SOURCE_INGRESS,
	RAMP_SOURCE_STALL,
};

/* What became of a surge. */
enum ramp_act {
	RAMP_ACT_RAMP,
	RAMP_ACT_TURN,
	RAMP_ACT_RUNNING,
	RAMP_ACT_SELF,
	RAMP_ACT_EMPTY,
	RAMP_ACT_MONITOR,
};

struct ramp_level {
	u32	unit;
	u64	low;
	u64	high;
};

enum ramp_amount_id {
	RAMP_START,
	RAMP_STEP,
	RAMP_DOWN_STEP,
	RAMP_FLOOR,
	RAMP_AMOUNTS
};

/* @set: it was named, and is not to be moved by defaults */
struct ramp_amount {
	u32	unit;
	bool	set;
	u64	value;
};

/**
 * struct ramp_config - what was asked for, in the units of the asker
 * @limit: packets, 0: auto
 * @rate: bytes/s, 0: auto
 * @detect: enum ramp_detect
 * @queue: level
 * @ingress: level
 * @window: ns
 * @monitor: ns
 * @tick: ns
 * @pause: ns
 * @hold: ns
 * @amount: by enum ramp_amount_id
 * @cease: enum ramp_cease
 */
struct ramp_config {
	u32			limit;
	u64			rate;
	u32			detect;
	struct ramp_level	queue;
	struct ramp_level	ingress;
	u64			window;
	u64			monitor;
	u64			tick;
	u64			pause;
	u64			hold;
	struct ramp_amount	amount[RAMP_AMOUNTS];
	u32			cease;
};

/**
 * struct ramp_law - what a configuration amounts to at the present rate
 * @rate: bytes/s, 0 while it is unknown
 * @limit: packets
 * @need: packets that a full ramp holds back, 0 while unknown
 * @watch_queue: the packets waiting are judged
 * @watch_ingress: arrivals are measured
 * @monitored: the queue is judged only after a surge of arrivals
 * @dormant: detection waits for the rate
 * @pps: arrivals are counted in packets
 * @queue: thresholds in packets
 * @ingress: thresholds in bytes or packets per slot
 * @monitor: ns
 * @slope: shape of the ramps
 */
struct ramp_law {
	u64			rate;
	u32			limit;
	u32			need;
	bool			watch_queue;
	bool			watch_ingress;
	bool			monitored;
	bool			dormant;
	bool			pps;
	struct ramp_edge_params	queue;
	struct ramp_edge_params	ingress;
	u64			monitor;
	struct ramp_slope_params slope;
};

/* What had left when a detector last read the clock. */
struct ramp_mark {
	u64	time;
	u64	bytes;
	u64	pkts;
};

/*
 * struct ramp_sched_data - private data of the qdisc
 * @law: the parameters in force
 * @waiting: packets in the queue; sch->q.qlen also has those that the device
 *	gave back
 * @meter: level of the arrivals
 * @queue: level of the packets waiting
 * @slope: the ramp
 * @watchdog: fires at the end of the tick that shut the gate, or of the slot
 * @now: ns, the clock as last read while a ramp runs
 * @shut: the head has been refused since the watchdog was armed
 * @held: the head has been refused, and was counted as delayed
 * @promised: the head was shown to a parent that peeked
 * @self: a ramp's own backlog may be draining
 * @self_low: ns, when the queue was at or below LOW since, 0: not yet
 * @unjudged: direction of a surge of the queue while it was not monitored
 * @monitor_end: ns, when the monitoring period ends, by direction
 * @mark: two marks, the younger one first
 * @began: ns, when the ramp began
 * @ramp_ns: spent in ramps that are over
 * @config: what was asked for
 * @list: all ramp qdiscs, for those that follow the rate of their device
 * @stale: what the device says has to be asked for
 *
 * All but the last three are under the root lock. The counters are those of
 * struct tc_ramp_xstats.
 */
struct ramp_sched_data {
	struct ramp_law		law;
	u32			waiting;
	u64			enqueued;
	u64			dequeued;
	struct ramp_meter	meter;
	struct ramp_edge	queue;
	struct ramp_slope	slope;
	bool			shut;
	bool			held;
	bool			promised;
	struct qdisc_watchdog	watchdog;
	u64			now;

	bool			self;
	u64			self_low;
	enum ramp_dir		unjudged;
	u64			monitor_end[RAMP_DOWN + 1];
	struct ramp_mark	mark[2];

	u64			dropped;
	u64			surges_up;
	u64			surges_down;
	u64			surges_self;
	u64			down_empty;
	u64			ramps;
	u64			ramps_done;
	u64			ramps_turned;
	u64			ticks;
	u64			ticks_late;
	u64			delayed;
	u64			began;
	u64			ramp_ns;

	struct ramp_config	config;
	struct list_head	list;
	bool			stale;
};

/* Devices without a header may have no MTU either. */
static inline u32 ramp_mtu(const struct Qdisc *sch)
{
	return max_t(u32, psched_mtu(qdisc_dev(sch)), ETH_ZLEN);
}

/* The end of a slot, and of a tick that shut the gate, shows as a watchdog that
 * is no longer queued, so nobody has to read a clock to see it.
 */
static inline bool ramp_watchdog_idle(struct ramp_sched_data *q)
{
	return !hrtimer_is_queued(&q->watchdog.timer);
}

/* ramp_gate.c: all under the root lock */
void ramp_gate_init(struct Qdisc *sch);
void ramp_gate_change(struct Qdisc *sch, const struct ramp_law *law);
void ramp_slot_due(struct Qdisc *sch, bool arriving);
void ramp_ingress_rose(struct Qdisc *sch);
void ramp_queue_moved(struct Qdisc *sch);
bool ramp_gate_pass(struct Qdisc *sch);
void ramp_gate_charge(struct Qdisc *sch, const struct sk_buff *skb);
void ramp_gate_sync(struct Qdisc *sch);

/* ramp_config.c: under RTNL */
void ramp_config_init(struct ramp_config *config);
int ramp_config_amounts(struct ramp_config *config,
			struct netlink_ext_ack *extack);
int ramp_resolve(const struct Qdisc *sch, const struct ramp_config *config,
		 u64 link, struct ramp_law *law,
		 struct netlink_ext_ack *extack);

/* ramp_rate.c: under RTNL */
u64 ramp_link_rate(const struct Qdisc *sch, const struct ramp_config *config);
void ramp_follow_rate(struct Qdisc *sch);
void ramp_unfollow_rate(struct Qdisc *sch);
int ramp_rate_register(void);
void ramp_rate_unregister(void);

/* ramp_netlink.c: under RTNL */
int ramp_parse(struct ramp_config *config, struct nlattr *opt,
	       struct netlink_ext_ack *extack);
int ramp_dump(struct Qdisc *sch, struct sk_buff *skb);
int ramp_dump_stats(struct Qdisc *sch, struct gnet_dump *d);

#endif /* _NET_SCHED_RAMP_H */
