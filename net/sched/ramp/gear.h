/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ramp qdisc: gears, as they are asked for, and as they are
 *
 * Most qdiscs have none, so it is memory of its own. The law is in
 * net/ramp/gears.h.
 */
#ifndef _NET_SCHED_RAMP_GEAR_H
#define _NET_SCHED_RAMP_GEAR_H

#include <linux/netdevice.h>
#include <linux/ramp.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <net/ramp/gears.h>
#include <net/ramp/gears_sum.h>
#include <net/ramp/pacer.h>
#include <net/ramp/ports.h>

#include "gear_clock.h"

/* Default, by which bands on their ladders tell flaps, too */
#define RAMP_GEAR_DWELL		(10 * NSEC_PER_MSEC)

struct netlink_ext_ack;
struct nlattr;
struct Qdisc;
struct ramp_config;
struct ramp_law;
struct ramp_sched_data;
struct sk_buff;

/**
 * struct ramp_gear_port - a device whose link gears follow
 * @ifindex: of it
 * @speed: Mbit/s, when it was last asked; 0: it does not know
 * @up: its link is; kept since the gears that follow it are in force
 */
struct ramp_gear_port {
	u32	ifindex;
	u32	speed;
	bool	up;
};

/**
 * struct ramp_gear_config - what was asked for, in the units of the asker
 * @n: gears, 0: none, and nothing of the rest has any effect
 * @rate: bytes/s, rising
 * @timed: thresholds are times
 * @ups: how many @up, 1: of all gears, or @n
 * @up: hundredths of a percent of the limit, or ns
 * @downs: how many @down, as @ups
 * @down: hundredths of a percent of the limit, or ns
 * @fit: hundredths of a percent of the lower gear, 0: anything fits
 * @min: lowest gear of the range, 0: there is none
 * @max: highest gear of the range
 * @follow: enum ramp_gear_follow
 * @ports: how many devices the gears follow
 * @port: each of them once
 * @asked: they were asked for their speed since they were named, or changed
 * @freeze: ns, or RAMP_FREEZE_AUTO
 * @dwell: ns
 * @idle: ns
 * @powers: how many @power, 0 or @n; with @shares 0 or 1
 * @power: mW
 * @shares: how many @share, 0: power is by gear
 * @share: hundredths of a percent of @power, by share of @port that is up
 * @clock: enum ramp_clock
 * @percents: how many @percent, 0: as the rates are, or @n
 * @percent: hundredths of a percent of the greatest frequency
 * @cpus: how many CPUs have a clock that follows
 * @cpu: each of them once
 */
struct ramp_gear_config {
	u32			n;
	u64			rate[RAMP_GEARS_MAX];
	bool			timed;
	u32			ups;
	u64			up[RAMP_GEARS_MAX];
	u32			downs;
	u64			down[RAMP_GEARS_MAX];
	u32			fit;
	u32			min;
	u32			max;
	u32			follow;
	u32			ports;
	struct ramp_gear_port	port[RAMP_GEAR_PORTS_MAX];
	bool			asked;
	u64			freeze;
	u64			dwell;
	u64			idle;
	u32			powers;
	u32			power[RAMP_GEARS_MAX];
	u32			shares;
	u16			share[RAMP_POWER_PORTS_MAX];
	u32			clock;
	u32			percents;
	u16			percent[RAMP_GEARS_MAX];
	u32			cpus;
	u32			cpu[RAMP_CLOCK_CPUS_MAX];
};

/**
 * struct ramp_gear_law - what that amounts to
 * @p: thresholds and range
 * @bytes: thresholds are bytes, not packets
 * @rate: bytes/s
 * @depth: bytes, of the bucket
 * @freeze: ns, when that gear is left
 * @idle: ns
 * @powers: as in struct ramp_gear_config
 * @power: mW
 * @shares: as in struct ramp_gear_config
 * @share: hundredths of a percent of @power
 * @seen: ports, as they were last seen
 */
struct ramp_gear_law {
	struct ramp_gears_params p;
	bool			bytes;
	u64			rate[RAMP_GEARS_MAX];
	u64			depth[RAMP_GEARS_MAX];
	u64			freeze[RAMP_GEARS_MAX];
	u64			idle;
	u32			powers;
	u32			power[RAMP_GEARS_MAX];
	u32			shares;
	u32			share[RAMP_POWER_PORTS_MAX];
	struct ramp_gears_ports	seen;
};

/**
 * struct ramp_gear - the gears of a qdisc
 * @low: least occupancy that needs no look, packets or bytes as thresholds are
 * @high: greatest one that is none
 * @most: greatest occupancy with which a packet that comes needs no look, so 0
 *	when what waits is less than @low
 * @wake: ns, when the gate may open; U64_MAX: it is open
 * @pacer: what is left to be sent in the present gear
 * @resting: the timer is to look whether nothing came for long enough
 * @frozen: shut for a change
 * @put_off: a move down has to wait, and the timer will look
 * @empty: ns, the clock as last read for a packet; if nothing waits, since when
 * @began: ns, when the present freeze began
 * @freezes: how many are over
 * @freeze_min: ns, the shortest
 * @freeze_max: ns, the longest
 * @freeze_sum: ns, all of them
 * @g: which gear it is
 * @law: the parameters in force
 * @ports: how many ports are up, and were
 * @sch: the qdisc
 * @down: looks while the device is down
 * @down_at: ns, what @down was last scheduled for
 *
 * All under the root lock; what is in @law changes under RTNL, too.
 */
struct ramp_gear {
	u32			low;
	u32			high;
	u32			most;
	u64			wake;
	struct ramp_pacer	pacer;
	bool			resting;
	bool			frozen;
	bool			put_off;
	u64			empty;
	u64			began;
	u64			freezes;
	u64			freeze_min;
	u64			freeze_max;
	u64			freeze_sum;
	struct ramp_gears	g;
	struct ramp_gear_law	law;
	struct ramp_ports	ports;
	struct Qdisc		*sch;
	struct delayed_work	down;
	u64			down_at;
};

/* gear_config.c: under RTNL */
struct ramp_gear_config *ramp_gear_edit(struct ramp_config *config,
					const struct ramp_gear_config *old);
void ramp_gear_up_default(struct ramp_gear_config *gears);
void ramp_gear_down_default(struct ramp_gear_config *gears);
void ramp_gear_powers(struct ramp_gear_config *gears);
void ramp_gear_lists(struct ramp_gear_config *gears);
bool ramp_gear_apart(const struct ramp_gear_config *gears);
int ramp_gear_resolve(const struct Qdisc *sch, const struct ramp_config *config,
		      const struct ramp_law *law, struct ramp_gear_law *out,
		      struct netlink_ext_ack *extack);
void ramp_gear_ports_look(const struct Qdisc *sch,
			  struct ramp_gear_config *gears);
u32 ramp_gear_ports_top(const struct ramp_gear_config *gears,
			struct ramp_gears_ports *seen);

/* gear_change.c: under RTNL */
void ramp_gear_follow(struct Qdisc *sch, const struct ramp_gears_ports *seen,
		      u32 top);
void ramp_gear_start(struct Qdisc *sch);

/* gear.c: for gear_change.c */
void ramp_gear_init(struct Qdisc *sch, struct ramp_gear *r);

/* gear.c: all under the root lock; for gear_change.c */
void ramp_gear_arm(struct Qdisc *sch, u64 when);
u32 ramp_gear_occupancy(const struct Qdisc *sch);
u64 ramp_gear_came(const struct Qdisc *sch);
void ramp_gear_bounds(struct Qdisc *sch);
void ramp_gear_took(struct Qdisc *sch, u32 from, enum ramp_gears_why why,
		    u64 now);
void ramp_gear_empty(struct Qdisc *sch, u64 now);
void ramp_gear_thaw(struct Qdisc *sch, u64 now);

/* gear.c: all under the root lock, and called when there are gears */
void ramp_gear_emptied(struct Qdisc *sch);
void ramp_gear_crossed(struct Qdisc *sch);
void ramp_gear_removed(struct Qdisc *sch);
bool ramp_gear_ask(struct Qdisc *sch, u32 len);
bool ramp_gear_pass(struct Qdisc *sch, const struct sk_buff *skb);
void ramp_gear_sync(struct Qdisc *sch);
void ramp_gear_charge(struct Qdisc *sch, u32 len);
bool ramp_gear_splits(const struct ramp_sched_data *q,
		      const struct sk_buff *skb);

/* The timer opens it. */
static inline bool ramp_gear_shut(const struct ramp_gear *r)
{
	return r->wake != U64_MAX;
}

/* A link over which something can come. */
static inline bool ramp_gear_port_up(const struct net_device *dev)
{
	return netif_running(dev) && netif_carrier_ok(dev);
}

/* What others call whether or not there are gears. */
#if IS_ENABLED(CONFIG_NET_SCH_RAMP_GEARS)
/* gear_config.c: under RTNL */
const struct ramp_gear_config *
ramp_gear_config(const struct ramp_config *config);
u64 ramp_gear_need(const struct Qdisc *sch, const struct ramp_config *config);

/* gear_netlink.c: under RTNL */
int ramp_parse_gears(struct ramp_config *config,
		     const struct ramp_gear_config *old, struct nlattr **tb,
		     struct netlink_ext_ack *extack);
u32 ramp_gears_size(const struct ramp_config *config);
int ramp_dump_gears(struct Qdisc *sch, struct sk_buff *skb);
void ramp_gear_stats(struct Qdisc *sch, struct tc_ramp_xstats *st);

/* gear.c */
void ramp_gear_free(struct ramp_gear *r);
void ramp_gear_timer(struct Qdisc *sch, u64 now);
u64 ramp_gear_when(const struct ramp_sched_data *q);

/* gear_change.c */
int ramp_gear_check(const struct Qdisc *sch, const struct ramp_config *config,
		    struct netlink_ext_ack *extack);
int ramp_gear_prepare(struct Qdisc *sch, const struct ramp_config *config,
		      const struct ramp_law *law, struct ramp_gear **gear,
		      struct netlink_ext_ack *extack);
struct ramp_gear *ramp_gear_commit(struct Qdisc *sch, struct ramp_gear *gear);
void ramp_gear_reset(struct Qdisc *sch);

/* gear_port.c: under RTNL */
bool ramp_gear_ports_event(struct Qdisc *sch, const struct net_device *dev,
			   unsigned long event);
void ramp_gear_ports_ask(struct Qdisc *sch);
#else
static inline const struct ramp_gear_config *
ramp_gear_config(const struct ramp_config *config)
{
	static const struct ramp_gear_config none = { .dwell =
							      RAMP_GEAR_DWELL };

	return &none;
}

static inline u64 ramp_gear_need(const struct Qdisc *sch,
				 const struct ramp_config *config)
{
	return 0;
}

static inline int ramp_parse_gears(struct ramp_config *config,
				   const struct ramp_gear_config *old,
				   struct nlattr **tb,
				   struct netlink_ext_ack *extack)
{
	return 0;
}

static inline u32 ramp_gears_size(const struct ramp_config *config)
{
	return 0;
}

static inline int ramp_dump_gears(struct Qdisc *sch, struct sk_buff *skb)
{
	return 0;
}

static inline void ramp_gear_stats(struct Qdisc *sch, struct tc_ramp_xstats *st)
{
}

static inline int ramp_gear_check(const struct Qdisc *sch,
				  const struct ramp_config *config,
				  struct netlink_ext_ack *extack)
{
	return 0;
}

static inline int ramp_gear_prepare(struct Qdisc *sch,
				    const struct ramp_config *config,
				    const struct ramp_law *law,
				    struct ramp_gear **gear,
				    struct netlink_ext_ack *extack)
{
	return 0;
}

static inline struct ramp_gear *ramp_gear_commit(struct Qdisc *sch,
						 struct ramp_gear *gear)
{
	return NULL;
}

static inline void ramp_gear_free(struct ramp_gear *r)
{
}

static inline void ramp_gear_reset(struct Qdisc *sch)
{
}

static inline void ramp_gear_timer(struct Qdisc *sch, u64 now)
{
}

static inline u64 ramp_gear_when(const struct ramp_sched_data *q)
{
	return U64_MAX;
}

static inline bool ramp_gear_ports_event(struct Qdisc *sch,
					 const struct net_device *dev,
					 unsigned long event)
{
	return false;
}

static inline void ramp_gear_ports_ask(struct Qdisc *sch)
{
}
#endif

#endif /* _NET_SCHED_RAMP_GEAR_H */
