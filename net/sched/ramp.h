/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ramp qdisc: what its files share
 *
 * ramp_main.c is the way of a packet, ramp_band.c the bands and what they hold,
 * ramp_class.c the same as classes; ramp_detect.c has the detectors, ramp_engine.c
 * the ramps, ramp_gate.c the gate in front of the device; ramp_config.c turns what
 * was asked for into numbers per slot and tick, ramp_rate.c knows the rate of the
 * device, ramp_netlink.c reads and ramp_show.c shows it all. What is told and heard
 * is in ramp_send.h and ramp_obey.h.
 *
 * Locking: the packet path and everything that it reads is under the root
 * lock, classifying alone is under RCU. struct ramp_config, the list of all
 * qdiscs and which child is in which band are under RTNL; a change is prepared
 * under RTNL alone and takes the root lock to be put in force.
 */
#ifndef _NET_SCHED_RAMP_H
#define _NET_SCHED_RAMP_H

#include <compat/ramp_compat.h>
#include <linux/ktime.h>
#include <linux/ramp.h>
#include <net/ramp/meter.h>
#include <net/ramp/slew.h>
#include <net/ramp/slope.h>

#include "ramp_obey.h"
#include "ramp_send.h"

#define RAMP_LIMIT_MAX		BIT(20)
#define RAMP_LIMIT_AUTO_MIN	1000
#define RAMP_RATE_MIN		1000ULL
#define RAMP_RATE_MAX		BIT_ULL(40)
#define RAMP_PERCENT		10000

/* @delta: instead of the others; 0: they count */
struct ramp_level {
	u32	unit;
	u64	low;
	u64	high;
	u64	delta;
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
 * @members: level, @high 0: all bands that are not exempt
 * @ingress: level
 * @window: ns
 * @monitor: ns
 * @tick: ns
 * @pause: ns
 * @hold: ns
 * @amount: by enum ramp_amount_id
 * @cease: enum ramp_cease
 * @cease_time: ns, with RAMP_CEASE_TIME
 * @adaptive: bool
 * @bands: 1 .. RAMP_BANDS_MAX
 * @priomap: bands by priority
 * @priomap_set: it was named, and does not follow @bands
 * @exempt: bitmap of the bands that pass the gate freely
 * @band_limit: packets, 0: auto
 * @split_gso: bool
 * @codes: of ladders, codes and peers, or NULL as long as none was named; a copy
 *	shares it until it is edited
 */
struct ramp_config {
	u32			limit;
	u64			rate;
	u32			detect;
	struct ramp_level	queue;
	struct ramp_level	members;
	struct ramp_level	ingress;
	u64			window;
	u64			monitor;
	u64			tick;
	u64			pause;
	u64			hold;
	struct ramp_amount	amount[RAMP_AMOUNTS];
	u32			cease;
	u64			cease_time;
	u32			adaptive;
	u32			bands;
	u8			priomap[TC_PRIO_MAX + 1];
	bool			priomap_set;
	u32			exempt;
	u32			band_limit[RAMP_BANDS_MAX];
	u32			split_gso;
	struct ramp_code_config	*codes;
};

/**
 * struct ramp_law - what else a configuration amounts to at the present rate
 * @rate: bytes/s, 0 while it is unknown
 * @limit: packets
 * @need: packets that a full ramp holds back, 0 while unknown
 * @bands: number of bands
 * @exempt: bitmap of the bands that pass the gate freely
 * @band_limit: packets
 * @priomap: bands by priority
 * @split_gso: GSO packets are segmented while a ramp runs
 */
struct ramp_law {
	u64			rate;
	u32			limit;
	u32			need;
	u32			bands;
	u32			exempt;
	u32			band_limit[RAMP_BANDS_MAX];
	u8			priomap[TC_PRIO_MAX + 1];
	bool			split_gso;
};

/**
 * struct ramp_plan - what detection and ramps amount to
 * @watch_level: the packets waiting, or the bands that have some, are judged
 * @members: the level is the number of bands
 * @watch_ingress: arrivals are measured
 * @monitored: the level is judged only after a surge of arrivals
 * @always: nothing is judged, the gate limits all the time
 * @cease_settled: a ramp also ends when its level has settled
 * @dormant: detection waits for the rate
 * @pps: arrivals are counted in packets
 * @level: thresholds in packets or bands
 * @ingress: thresholds in bytes or packets per slot
 * @monitor: ns
 * @slope: shape of the ramps
 */
struct ramp_plan {
	bool			watch_level;
	bool			members;
	bool			watch_ingress;
	bool			monitored;
	bool			always;
	bool			cease_settled;
	bool			dormant;
	bool			pps;
	struct ramp_edge_params	level;
	struct ramp_edge_params	ingress;
	u64			monitor;
	struct ramp_slope_params slope;
};

/**
 * struct ramp_count - what became of skbs
 * @enqueued: accepted
 * @dequeued: handed over
 * @dropped: accepted and lost afterwards
 * @split_extra: made beyond those accepted
 */
struct ramp_count {
	u64	enqueued;
	u64	dequeued;
	u64	dropped;
	u64	split_extra;
};

/**
 * struct ramp_band - a queue of its own
 * @fifo: packets, while there is no child
 * @child: what a user grafted instead, or NULL
 * @bstats: as of any class
 * @count: of skbs
 * @qstats: as of any class
 * @limit: packets in @fifo
 * @bit: of this band in bitmaps
 * @expected: skbs that @child is to have more after a call
 * @in_child: skbs in @child, as far as we know: it may have lost some since it
 *	was last called
 * @special: it has a child or a ladder, or is exempt
 * @busy: the child is being called, and what it does is judged afterwards
 * @rung: where it is on its ladder, or NULL
 *
 * Where pointers have 64 bits it is 128 bytes, so that to find one is a shift.
 */
struct ramp_band {
	struct qdisc_skb_head	fifo;
	struct Qdisc		*child;
	struct gnet_stats_basic_sync bstats;
	struct ramp_count	count;
	struct gnet_stats_queue	qstats;
	u32			limit;
	u32			bit;
	u32			expected;
	u32			in_child;
	bool			special;
	bool			busy;
	struct ramp_ladder	*rung;
};

static inline u32 ramp_band_queued(const struct ramp_band *b)
{
	return b->child ? b->in_child : b->fifo.qlen;
}

/* What had passed the gate when a detector last read the clock. */
struct ramp_mark {
	u64	time;
	u64	bytes;
	u64	pkts;
};

/*
 * struct ramp_engine - the detectors, a ramp and its allowance
 * @meter: level of the arrivals
 * @level: level of the packets waiting, or of the bands that have some
 * @slope: the ramp
 * @plan: the parameters in force
 * @shut: somebody has been refused in the present tick
 * @trailing: the trail of @level is kept
 * @rolling: slots of that trail are being timed
 * @slot_start: ns, when its present slot began
 * @now: ns, the clock as last read while a ramp runs
 * @self: a ramp's own backlog may be draining
 * @self_low: ns, when the level was low since, 0: not yet
 * @unjudged: direction of a surge of the level while it was not monitored
 * @unjudged_since: ns, when that began
 * @monitor_end: ns, when the monitoring period ends, by direction
 * @mark: two marks, the younger one first
 * @began: ns, when the ramp began
 * @ramp_ns: spent in ramps that are over
 * @sch: the qdisc that tracepoints name
 *
 * All of it is under the lock of the engine: of that of a qdisc, its root lock.
 * The other counters are those of struct tc_ramp_xstats.
 */
struct ramp_engine {
	struct ramp_meter	meter;
	struct ramp_edge	level;
	struct ramp_slope	slope;
	struct ramp_plan	plan;
	bool			shut;
	bool			trailing;
	bool			rolling;
	u64			slot_start;
	u64			now;

	bool			self;
	u64			self_low;
	enum ramp_dir		unjudged;
	u64			unjudged_since;
	u64			monitor_end[RAMP_DOWN + 1];
	struct ramp_mark	mark[2];

	u64			surges_up;
	u64			surges_down;
	u64			surges_self;
	u64			down_empty;
	u64			ramps;
	u64			ramps_done;
	u64			ramps_turned;
	u64			ticks;
	u64			ticks_late;
	u64			began;
	u64			ramp_ns;
	struct Qdisc		*sch;
};

/* What is not what it was, without any packet that came or went */
#define RAMP_CHANGED_LEVEL	BIT(0)
#define RAMP_CHANGED_BANDS	BIT(1)
#define RAMP_CHANGED_EXEMPT	BIT(2)

/*
 * struct ramp_sched_data - private data of the qdisc
 * @unusual: any of the next seven: packets take the long way
 * @fired: the timer fired since it was last started
 * @narrow: the gate is not open
 * @promised: the band whose head was shown to a parent that peeked, plus one
 * @odd: the parameters are such that the short way would not do, or no slot is
 *	open and an arrival has to open one
 * @filtered: there are filters; under RTNL
 * @told: peers may have said something new
 * @slowed: a band is paced, or may be later
 * @active: bitmap of the bands that have packets
 * @paced: bitmap of the bands that peers slow down
 * @paced_shut: bitmap of those whose head has to wait for that
 * @waiting: packets in the bands that are not exempt; sch->q.qlen also has
 *	exempt ones, and those that the device gave back
 * @cap: what @waiting is when the FIFOs are full: limit, less the exempt packets
 *	in FIFOs, plus the others in children; may be less than 0 when limit was
 *	lowered
 * @stop: what @waiting is when one more is news, or too much
 * @top: greatest level that is no news
 * @bottom: least level that is no news
 * @filter_list: classifies packets
 * @map: bands by priority
 * @law: the parameters in force
 * @own: detection and ramps
 * @held: a head has been refused, and was counted as delayed
 * @sch: the qdisc
 * @timer: fires at the end of the tick that shut the gate, or of a slot
 * @gone: counts of bands that are no more
 * @band: all that there can be
 * @events: what others are to be told
 * @send: ladders and codes, or NULL if there never were any
 * @obey: peers, or NULL if none was ever to be obeyed
 * @block: holds @filter_list
 * @config: what was asked for
 * @list: all ramp qdiscs, for those that follow the rate of their device
 * @stale: what the device says has to be asked for
 * @delayed: as in struct tc_ramp_xstats
 *
 * All but @block, @config, @list and @stale are under the root lock; @events is
 * there as long as the qdisc, @send and @obey from when they were needed.
 */
struct ramp_sched_data {
	union {
		u64		unusual;
		struct {
			u8	fired;
			u8	narrow;
			u8	promised;
			u8	odd;
			u8	filtered;
			u8	told;
			u8	slowed;
		};
	};
	u32			active;
	u32			paced;
	u32			paced_shut;
	u32			waiting;
	s64			cap;
	u64			stop;
	u64			top;
	u64			bottom;
	struct tcf_proto __rcu	*filter_list;
	struct ramp_band	*map[TC_PRIO_MAX + 1];
	struct ramp_law		law;
	struct ramp_engine	own;
	bool			held;
	struct Qdisc		*sch;
	struct hrtimer		timer;

	struct ramp_count	gone;
	u64			delayed;

	struct ramp_band	band[RAMP_BANDS_MAX];
	struct ramp_events	*events;
	struct ramp_send	*send;
	struct ramp_obey	*obey;

	struct tcf_block	*block;
	struct ramp_config	config;
	struct list_head	list;
	bool			stale;
};

/* Devices without a header may have no MTU either. */
static inline u32 ramp_mtu(const struct Qdisc *sch)
{
	return max_t(u32, psched_mtu(qdisc_dev(sch)), ETH_ZLEN);
}

static inline bool ramp_is_exempt(const struct ramp_sched_data *q,
				  const struct ramp_band *b)
{
	return q->law.exempt & b->bit;
}

static inline bool ramp_is_ramping(const struct ramp_sched_data *q)
{
	return q->own.slope.dir;
}

static inline u32 ramp_level(const struct ramp_sched_data *q)
{
	return q->own.plan.members ? hweight32(q->active & ~q->law.exempt) :
				     q->waiting;
}

static inline struct ramp_sched_data *ramp_owner(const struct ramp_engine *e)
{
	return container_of(e, struct ramp_sched_data, own);
}

/* The packets that the gate counts. */
static inline u32 ramp_waiting(const struct ramp_engine *e)
{
	return ramp_owner(e)->waiting;
}

static inline u32 ramp_engine_level(const struct ramp_engine *e)
{
	return ramp_level(ramp_owner(e));
}

/* Does a packet have to be segmented, as the gate is narrow? A slew limiter is
 * narrow only for what does not fit.
 */
static inline bool ramp_gate_splits(const struct ramp_sched_data *q,
				    const struct sk_buff *skb)
{
	if (!skb_is_gso(skb) || !q->law.split_gso)
		return false;
	return q->own.slope.dir != RAMP_SLEW ||
	       ramp_slope_cost(&q->own.plan.slope, qdisc_pkt_len(skb),
			       qdisc_pkt_segs(skb)) > q->own.slope.left;
}

/* ramp_band.c: all under the root lock */
struct ramp_band *ramp_classify(struct sk_buff *skb, struct Qdisc *sch,
				int *ret);
int ramp_child_enqueue(struct sk_buff *skb, struct Qdisc *sch,
		       struct ramp_band *b, struct sk_buff **to_free);
struct sk_buff *ramp_child_peek(struct Qdisc *sch, struct ramp_band *b);
struct sk_buff *ramp_child_dequeue(struct Qdisc *sch, struct ramp_band *b);
void ramp_child_settle(struct Qdisc *sch, struct ramp_band *b, u32 expected);
void ramp_band_purge(struct Qdisc *sch, struct ramp_band *b, bool reset);
bool ramp_bands_busy(struct Qdisc *sch, u32 bands);
void ramp_bands_change(struct Qdisc *sch, u32 bands);
void ramp_bands_mark(struct Qdisc *sch);

/* ramp_class.c */
extern const struct Qdisc_class_ops ramp_class_ops;

/* ramp_detect.c: all under the lock of the engine */
void ramp_arm(struct ramp_engine *e);
void ramp_slots_roll(struct ramp_engine *e, u64 now);
void ramp_arrivals_begin(struct ramp_engine *e);
void ramp_ingress_rose(struct ramp_engine *e);
void ramp_level_moved(struct ramp_engine *e);
void ramp_level_follow(struct ramp_engine *e, u64 now);
void ramp_level_unfollow(struct ramp_engine *e);
bool ramp_level_settled(struct ramp_engine *e, u64 now);
void ramp_expect_self(struct ramp_engine *e, u64 now);
void ramp_detect_init(struct ramp_engine *e);
void ramp_detect_change(struct ramp_engine *e, const struct ramp_plan *old,
			u32 changed, u64 now);

/* ramp_engine.c: all under the lock of the engine */
void ramp_mark(struct ramp_engine *e, u64 now);
u64 ramp_open_level(const struct ramp_engine *e,
		    const struct ramp_slope_params *p, u64 now);
void ramp_stop(struct ramp_engine *e, u64 now);
void ramp_done(struct ramp_engine *e, u64 now);
void ramp_drained(struct ramp_engine *e, u64 now);
void ramp_tick(struct ramp_engine *e, u64 now);
void ramp_tell_surge(struct ramp_engine *e, enum ramp_dir dir,
		     enum ramp_source source, enum ramp_act act, u64 took,
		     u64 now);
void ramp_surge(struct ramp_engine *e, enum ramp_dir dir,
		enum ramp_source source, u64 took, u64 now);
void ramp_engine_init(struct ramp_engine *e);
void ramp_engine_change(struct ramp_engine *e, const struct ramp_plan *plan,
			u64 level, u32 changed);

/* ramp_timer.c */
void ramp_timer_init(struct Qdisc *sch);
void ramp_timer_start(struct Qdisc *sch, u64 when);
void ramp_timer_cancel(struct Qdisc *sch);

/* ramp_gate.c: all under the root lock */
void ramp_gate_init(struct Qdisc *sch);
void ramp_gate_change(struct Qdisc *sch, const struct ramp_law *law,
		      const struct ramp_plan *plan);
bool ramp_gate_pass(struct Qdisc *sch, const struct sk_buff *skb);
void ramp_gate_charge(struct Qdisc *sch, const struct sk_buff *skb);
void ramp_gate_lost(struct Qdisc *sch);
void ramp_gate_sync(struct Qdisc *sch);
void ramp_timer_due(struct Qdisc *sch);

/* Did the timer fire, or did a peer say something? */
static inline void ramp_catch_up(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (READ_ONCE(q->fired))
		ramp_timer_due(sch);
	if (unlikely(READ_ONCE(q->told)))
		ramp_peer_due(sch, ktime_get_ns());
}

/* The level has other bounds, or the FIFOs have. */
static inline void ramp_stop_set(struct ramp_sched_data *q)
{
	q->stop = min_t(u64, q->top, max_t(s64, q->cap, 0));
}

/* A packet that does not count is in a FIFO, or one that does is in a child. */
static inline void ramp_cap_move(struct ramp_sched_data *q, s32 more)
{
	q->cap += more;
	ramp_stop_set(q);
}

/* What waits has changed. */
static inline void ramp_level_check(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 level = ramp_level(q);

	if (unlikely(level > q->top || level < q->bottom))
		ramp_level_moved(&q->own);
}

/* The occupancy of a band has changed. */
static inline void ramp_rung_check(struct Qdisc *sch, struct ramp_band *b)
{
	if (unlikely(b->rung) &&
	    ramp_ladder_news(b->rung, ramp_band_queued(b)))
		ramp_ladder_moved(sch, b);
}

/* ramp_config.c: under RTNL */
void ramp_config_init(struct ramp_config *config);
int ramp_config_amounts(struct ramp_config *config,
			struct netlink_ext_ack *extack);
int ramp_config_bands(struct ramp_config *config,
		      struct netlink_ext_ack *extack);
int ramp_config_cease(const struct ramp_config *config,
		      struct netlink_ext_ack *extack);
int ramp_resolve(const struct Qdisc *sch, const struct ramp_config *config,
		 u64 link, struct ramp_law *law, struct ramp_plan *plan,
		 struct netlink_ext_ack *extack);

/* ramp_rate.c: under RTNL */
u64 ramp_link_rate(const struct Qdisc *sch, const struct ramp_config *config);
void ramp_follow_rate(struct Qdisc *sch);
void ramp_unfollow_rate(struct Qdisc *sch);
int ramp_rate_register(void);
void ramp_rate_unregister(void);

/* ramp_netlink.c: under RTNL */
int ramp_refuse(const struct nlattr *attr, struct netlink_ext_ack *extack);
int ramp_parse_nested(struct nlattr **tb, int max,
		      const struct nla_policy *policy,
		      const struct nlattr *attr, u32 needed,
		      struct netlink_ext_ack *extack);
int ramp_parse(struct ramp_config *config, struct nlattr *opt,
	       struct netlink_ext_ack *extack);

/* ramp_show.c: under RTNL */
int ramp_dump(struct Qdisc *sch, struct sk_buff *skb);
int ramp_dump_stats(struct Qdisc *sch, struct gnet_dump *d);
int ramp_dump_class_stats(struct Qdisc *sch, struct ramp_band *b,
			  struct gnet_dump *d);

#endif /* _NET_SCHED_RAMP_H */
