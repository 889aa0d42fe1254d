/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ramp qdisc: what its files share
 *
 * From the ground up: event.c tells, level.c has levels, engine.c the ramps and
 * detect.c the detectors, timer.c the timer, attr.c says what parameters may
 * be. band.c has the bands and what they hold, gate.c the gate in front of the
 * device, rail*.c that of several qdiscs together. Then what can be done
 * without: code.c and ladder*.c tell those who send to us how fast to, ear.c
 * hears them, peer.c paces, gear*.c shifts. push.c makes room, dequeue.c and
 * enqueue.c are the way of a packet. config.c turns what is asked for into
 * numbers per slot and tick, and config_netlink.c reads and shows it; change.c
 * puts it in force, device.c when devices come and change, main.c when users
 * say so. mq.c is the qdisc ramp_mq, which has a ramp for each transmit queue,
 * and module.c the module that has both.
 *
 * Locking: the packet path and everything that it reads is under the root
 * lock, classifying alone is under RCU. struct ramp_config, the list of all
 * qdiscs and which child is in which band are under RTNL; a change is prepared
 * under RTNL alone and takes the root lock to be put in force.
 */
#ifndef _NET_SCHED_RAMP_H
#define _NET_SCHED_RAMP_H

#include <compat/ramp_compat.h>
#include <linux/if_vlan.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/ramp.h>
#include <linux/ramp_family.h>
#include <linux/rtnetlink.h>
#include <linux/sizes.h>

#include "engine.h"
#include "event.h"
#include "gear.h"
#include "mq.h"
#include "netlink.h"
#include "obey.h"
#include "rail.h"
#include "send.h"
#include "watch.h"

#define RAMP_LIMIT_MAX		BIT(20)
#define RAMP_LIMIT_BYTES_MIN	SZ_1K
#define RAMP_LIMIT_BYTES_MAX	SZ_1G
#define RAMP_LIMIT_AUTO_MIN	SZ_1M
/* An auto limit beyond that draws a warning. */
#define RAMP_LIMIT_AUTO_LARGE	SZ_64M
/* Of struct ramp_law: packets are counted instead */
#define RAMP_NO_BYTES		U32_MAX
#define RAMP_RATE_MIN		1000ULL
#define RAMP_RATE_MAX		BIT_ULL(40)
#define RAMP_PERCENT		10000

/* Bytes of a message for all that is a list */
#define RAMP_LISTS_MAX		1740

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
 * struct ramp_limit - what FIFOs may hold; all 0: auto
 * @packets: skbs, or 0
 * @bytes: or 0
 */
struct ramp_limit {
	u32	packets;
	u32	bytes;
};

static inline bool ramp_limit_is_auto(const struct ramp_limit *limit)
{
	return !limit->packets && !limit->bytes;
}

/**
 * struct ramp_config - what was asked for, in the units of the asker
 * @limit: of all FIFOs
 * @rate: bytes/s, 0: auto
 * @detect: enum ramp_detect
 * @cease: enum ramp_cease
 * @queue: level
 * @members: level, @high 0: all bands that are not exempt
 * @ingress: level
 * @window: ns
 * @monitor: ns
 * @tick: ns
 * @pause: ns
 * @hold: ns
 * @amount: by enum ramp_amount_id
 * @cease_time: ns, with RAMP_CEASE_TIME
 * @adaptive: bool
 * @bands: 1 .. RAMP_BANDS_MAX
 * @priomap: bands by priority
 * @priomap_set: it was named, and does not follow @bands
 * @mq: of a ramp_mq, so that it is on the rail of that
 * @exempt: bitmap of the bands that pass the gate freely
 * @band_limit: of the FIFO of a band
 * @split_gso: bool
 * @rail: 0: none
 * @codes: of ladders, codes and peers, or NULL as long as none was named; a
 *	copy shares it until it is edited
 * @gears: of gears, likewise
 */
struct ramp_config {
	struct ramp_limit	limit;
	u64			rate;
	u32			detect;
	u32			cease;
	struct ramp_level	queue;
	struct ramp_level	members;
	struct ramp_level	ingress;
	u64			window;
	u64			monitor;
	u64			tick;
	u64			pause;
	u64			hold;
	struct ramp_amount	amount[RAMP_AMOUNTS];
	u64			cease_time;
	u32			adaptive;
	u32			bands;
	u8			priomap[TC_PRIO_MAX + 1];
	bool			priomap_set;
	bool			mq;
	u32			exempt;
	struct ramp_limit	band_limit[RAMP_BANDS_MAX];
	u32			split_gso;
	u32			rail;
	struct ramp_code_config	*codes;
	struct ramp_gear_config	*gears;
};

/* Do other qdiscs have the same detection, ramp and allowance? */
static inline bool ramp_config_shared(const struct ramp_config *config)
{
	return config->rail || config->mq;
}

/**
 * struct ramp_law - what else a configuration amounts to at the present rate
 * @rate: bytes/s, 0 while it is unknown
 * @limit: packets, which percentages refer to; of a limit in bytes, those of
 *	full size
 * @bytes: all that FIFOs may hold, or RAMP_NO_BYTES
 * @need: packets that a full ramp holds back, 0 while unknown
 * @bands: number of bands
 * @exempt: bitmap of the bands that pass the gate freely
 * @band_limit: as @limit
 * @band_bytes: as @bytes
 * @priomap: bands by priority
 * @split_gso: GSO packets are segmented while a ramp runs
 * @cut_gso: and whenever they come: what waits is compared with packets of full
 *	size
 * @rateless: something waits for the rate
 * @dwell: ns, within ten of which a move is a flap that undoes another
 */
struct ramp_law {
	u64			rate;
	u32			limit;
	u32			bytes;
	u32			need;
	u32			bands;
	u32			exempt;
	u32			band_limit[RAMP_BANDS_MAX];
	u32			band_bytes[RAMP_BANDS_MAX];
	u8			priomap[TC_PRIO_MAX + 1];
	bool			split_gso;
	bool			cut_gso;
	bool			rateless;
	u64			dwell;
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
 * @enqueued: skbs, as in struct ramp_count
 * @bstats: as of any class
 * @dequeued: likewise
 * @backlog: bytes in @fifo
 * @bit: of this band in bitmaps
 * @special: it has a child, a limit of its own in bytes, or is exempt
 * @busy: the child is being called, and what it does is judged afterwards
 * @stop: packets in @fifo when one more needs a look, or is too much
 * @bottom: least number of packets in @fifo that needs no look
 * @child: what a user grafted instead, or NULL
 * @rung: where it is on its ladder, or NULL
 * @rcu: of the first band, to free all of them when nobody uses them any more
 * @rung_min: of @rung: what @bottom is
 * @rung_max: of @rung: what @stop is at most
 * @dropped: skbs, as in struct ramp_count
 * @split_extra: likewise
 * @drops: as of any class
 * @expected: skbs that @child is to have more after a call
 * @in_child: skbs in @child, as far as we know: it may have lost some since it
 *	was last called
 *
 * Where pointers have 64 bits it is 128 bytes, so that to find one is a shift.
 * What each packet writes is in the first half.
 */
struct ramp_band {
	struct qdisc_skb_head	fifo;
	u64			enqueued;
	struct gnet_stats_basic_sync bstats;
	u64			dequeued;
	u32			backlog;
	u16			bit;
	bool			special;
	bool			busy;

	u32			stop ____cacheline_aligned;
	u32			bottom;
	union {
		struct {
			struct Qdisc		*child;
			struct ramp_ladder	*rung;
		};
		struct rcu_head		rcu;
	};
	u64			dropped;
	u64			split_extra;
	u32			drops;
	u32			expected;
	u32			in_child;
	u32			rung_min;
	u32			rung_max;
};

static inline void ramp_count_add(struct ramp_count *sum,
				  const struct ramp_band *b)
{
	sum->enqueued += b->enqueued;
	sum->dequeued += b->dequeued;
	sum->dropped += b->dropped;
	sum->split_extra += b->split_extra;
}

/**
 * struct ramp_skb_cb - of a packet in a FIFO
 * @before: the packet that comes before it; valid as long as that is there. Not
 *	@prev of the packet, which others take for the end of a list.
 */
struct ramp_skb_cb {
	struct sk_buff	*before;
};

static inline struct ramp_skb_cb *ramp_skb_cb(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct ramp_skb_cb));
	return (struct ramp_skb_cb *)qdisc_skb_cb(skb)->data;
}

static inline u32 ramp_band_queued(const struct ramp_band *b)
{
	return b->child ? b->in_child : b->fifo.qlen;
}

struct ramp_change;

/*
 * struct ramp_sched_data - private data of the qdisc
 * @band: all that there can be, in memory of their own: with them this would
 *	take twice as much as it does
 * @bottom: least level that needs no look
 * @map: bands by priority
 * @filter_list: classifies packets
 * @top: greatest level that needs no look
 * @cap: what @waiting is when the FIFOs are full: limit, less the exempt
 *	packets in FIFOs, plus the others in children; may be less than 0 when
 *	limit was lowered
 * @paced: bitmap of the bands that go by a rate that peers set, or did
 * @paced_shut: bitmap of those whose head has to wait for that
 * @engine: @own, or that of the rail
 * @rail: the rail that the qdisc is on, or NULL; under RTNL, too
 * @gear: gears, or NULL if there are none
 * @send: ladders and codes, or NULL if there never were any
 * @obey: peers, or NULL if none was ever to be obeyed
 * @events: what others are to be told, or NULL if there never was anything
 * @law: the parameters in force
 * @sch: the qdisc
 * @mq: what it has in common with the others of a ramp_mq, or NULL
 * @mq_handle: of that ramp_mq, whose classes packets name
 * @clock: CPUs whose clock follows, or NULL
 * @block: holds @filter_list, or NULL as long as nobody asked for a filter
 * @named: to hear of the devices that @config names, or NULL if it never named
 *	any
 * @slew: of @own
 * @slow_path: any of the next seven: packets take the slow path
 * @fired: the timer fired since it was last started
 * @narrow: the gate is not open
 * @promised: the band whose head was shown to a parent that peeked, plus one
 * @unfit: the parameters do not fit the short way, or no slot is open and an
 *	arrival has to open one
 * @filtered: there are filters; under RTNL
 * @heard: peers may have sent another rate
 * @slowed: a band is paced, or may be later
 * @geared: there are gears: a packet that leaves takes a way of its own
 * @waited: how many packets waited when the gears last looked; U32_MAX: some
 *	came or went since that they have not seen
 * @active: bitmap of the bands that have packets
 * @waiting: packets in the bands that are not exempt; sch->q.qlen also has
 *	exempt ones, and those that the device gave back
 * @whole: bytes of a packet that, if longer, may have to be segmented though
 *	the gate is open
 * @most: bytes in @sch when one more may be too much for the FIFOs, or
 *	need a look by gears
 * @stop: what @waiting is when one more needs a look, or is too much
 * @meter: of @own; on a rail it has what arrived since the rail was told
 * @own: detection and ramps; of a member of a rail @own.plan is that of the
 *	rail
 * @member: what it has told the rail
 * @held: a head has been refused, and was counted as delayed
 * @unreported: packets in @sch that its parents do not know of yet
 * @timer: fires at the end of the tick that shut the gate, or of a slot
 * @gone: counts of bands that are no more
 * @delayed: as in struct tc_ramp_xstats
 * @shift_pkts: of @geared: what @stop is at most
 * @shift_bytes: of @geared: what @most is at most
 * @shift_whole: of @geared: what @whole is at most
 * @config: what was asked for
 * @spare: made for another @config, while the rail changes, or NULL
 * @watch: to hear of the device
 * @list: of those that have to ask a device, for what is @stale
 * @stale: what the device says has to be asked for
 * @ports_stale: the same of the ports
 *
 * All but @block, @config, @spare, @watch, @named, @list and what is @stale are
 * under the root lock; @events is there as long as the qdisc, @send and @obey
 * from when they were needed.
 *
 * The root lock goes from CPU to CPU with each packet where several of them
 * send, and so does each cache line that a packet writes. So all of that is in
 * one here, from the end of @slew to the begin of @meter, and in one of the
 * band. What packets only read, and nobody writes as they pass, is before it.
 *
 * With struct Qdisc before it this fits 4 kB, and just so: what only some ramps
 * need is allocated with what they need it for.
 */
struct ramp_sched_data {
	struct ramp_band	*band;
	u64			bottom;
	struct ramp_band	*map[TC_PRIO_MAX + 1];
	struct tcf_proto __rcu	*filter_list;
	u64			top;
	s64			cap;
	u32			paced;
	u32			paced_shut;
	struct ramp_engine	*engine;
	struct ramp_rail	*rail;
	struct ramp_gear	*gear;
	struct ramp_send	*send;
	struct ramp_obey	*obey;
	struct ramp_events	*events;
	struct ramp_law		law;
	struct Qdisc		*sch;
	struct ramp_mq		*mq;
	struct ramp_clock_cpus	*clock;
	struct tcf_block	*block;
	struct ramp_named	*named;

	struct ramp_slew	slew ____cacheline_aligned;
	union {
		u64		slow_path;
		struct {
			u8	fired;
			u8	narrow;
			u8	promised;
			u8	unfit;
			u8	filtered;
			u8	heard;
			u8	slowed;
		};
	};
	unsigned long		active;
	u32			waiting;
	u32			whole;
	u32			most;
	bool			geared;
	u32			waited;
	u64			stop;
	struct ramp_meter	meter;

	struct ramp_engine	own;
	struct ramp_member	member;
	bool			held;
	u32			unreported;
	struct hrtimer		timer;

	struct ramp_count	gone;
	u64			delayed;
	u32			shift_pkts;
	u32			shift_bytes;
	u32			shift_whole;

	struct ramp_config	config;
	struct ramp_change	*spare;
	struct ramp_watch	watch;
	struct list_head	list;
	bool			stale;
	bool			ports_stale;
	u32			mq_handle;
};

/* Of a feature that was left out of the build nothing is on the way of a
 * packet.
 */
static inline bool ramp_on_rail(const struct ramp_sched_data *q)
{
	return IS_ENABLED(CONFIG_NET_SCH_RAMP_RAILS) && q->rail;
}

static inline bool ramp_is_paced(const struct ramp_sched_data *q,
				 const struct ramp_band *b)
{
	return IS_ENABLED(CONFIG_NET_SCH_RAMP_PEERS) && q->paced & b->bit;
}

static inline bool ramp_is_geared(const struct ramp_sched_data *q)
{
	return IS_ENABLED(CONFIG_NET_SCH_RAMP_GEARS) && q->geared;
}

static inline bool ramp_is_exempt(const struct ramp_sched_data *q,
				  const struct ramp_band *b)
{
	return q->law.exempt & b->bit;
}

/* Of a rail, others may begin or end a ramp meanwhile. */
static inline bool ramp_is_ramping(const struct ramp_sched_data *q)
{
	return READ_ONCE(q->engine->slope.dir);
}

/* How many bands the gate counts. */
static inline u32 ramp_law_counted(const struct ramp_law *law)
{
	return law->bands - hweight32(law->exempt);
}

static inline u32 ramp_busy(const struct ramp_sched_data *q)
{
	return hweight32(q->active & ~q->law.exempt);
}

static inline u32 ramp_level(const struct ramp_sched_data *q)
{
	return q->own.plan.members ? ramp_busy(q) : q->waiting;
}

/* The root lock is held; or RTNL, by whoever makes the qdisc or takes it down.
 */
static inline void ramp_assert_locked(const struct Qdisc *sch)
{
#ifdef CONFIG_LOCKDEP
	rcu_read_lock();
	lockdep_assert(lockdep_rtnl_is_held() ||
		       lockdep_is_held(qdisc_lock(qdisc_root_sleeping(sch))));
	rcu_read_unlock();
#endif
}

/* What need not be segmented as long as the slew limiter lets it pass. */
static inline u32 ramp_gate_whole(const struct ramp_sched_data *q)
{
	return ramp_slew_whole(&q->own.plan.slope, ramp_mtu(q->sch));
}

/* Does a packet have to be segmented, as the gate is narrow? The slew limiter
 * may find it narrow when it leaves.
 */
static inline bool ramp_gate_splits(const struct ramp_sched_data *q,
				    const struct sk_buff *skb)
{
	if (!skb_is_gso(skb) || !q->law.split_gso)
		return false;
	return !ramp_is_slewing(q->engine) || READ_ONCE(q->engine->shut) ||
	       qdisc_pkt_len(skb) > ramp_gate_whole(q);
}

/* A packet may not leave now: counted as delayed the first time. */
static inline void ramp_held_back(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!q->held) {
		q->held = true;
		q->delayed++;
	}
	qdisc_qstats_overlimit(sch);
}

/* push.c: all under the root lock */
bool ramp_push_may(const struct ramp_sched_data *q, const struct ramp_band *b,
		   u32 len, u32 *need);
int ramp_push_out(struct Qdisc *sch, const struct ramp_band *b, u32 len,
		  u32 need, struct sk_buff **to_free);

/* dequeue.c: all under the root lock */
struct sk_buff *ramp_dequeue(struct Qdisc *sch);
struct sk_buff *ramp_peek(struct Qdisc *sch);
void ramp_timer_look(struct Qdisc *sch);
void ramp_timer_due(struct Qdisc *sch);

/* Did the timer fire, or did a peer say something? */
static inline void ramp_catch_up(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (READ_ONCE(q->fired))
		ramp_timer_due(sch);
	if (unlikely(READ_ONCE(q->heard)))
		ramp_peer_due(sch, ktime_get_ns());
}

/* What the timer sets meanwhile is seen by the next packet. */
static inline u64 ramp_slow_path(struct ramp_sched_data *q)
{
	/* One comparison with memory, which READ_ONCE() would not be. */
	return data_race(q->slow_path);
}

/* enqueue.c: under the root lock */
int ramp_enqueue(struct sk_buff *skb, struct Qdisc *sch,
		 struct sk_buff **to_free);

/* band.c: all under the root lock */
s64 ramp_room(const struct ramp_sched_data *q);
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
void ramp_mark_member(const struct ramp_sched_data *q, struct ramp_mark *mark);

/* timer.c */
void ramp_timer_init(struct Qdisc *sch);
void ramp_timer_kick(struct ramp_sched_data *q);
bool ramp_timer_start(struct Qdisc *sch, u64 when);
void ramp_timer_cancel(struct Qdisc *sch);

/* gate.c: all under the root lock */
void ramp_gate_make(struct Qdisc *sch);
void ramp_gate_init(struct Qdisc *sch);
void ramp_gate_begin(struct Qdisc *sch, const struct ramp_law *law,
		     const struct ramp_plan *plan, struct ramp_rail *rail);
void ramp_gate_change(struct Qdisc *sch, const struct ramp_law *law,
		      const struct ramp_plan *plan);
bool ramp_gate_ask(struct Qdisc *sch, const struct sk_buff *skb);
bool ramp_gate_pass(struct Qdisc *sch, const struct sk_buff *skb);
void ramp_gate_charge(struct Qdisc *sch, const struct sk_buff *skb,
		      bool promised);
void ramp_gate_return(struct Qdisc *sch);
void ramp_gate_yield(struct Qdisc *sch);
void ramp_gate_arm(struct Qdisc *sch);
void ramp_gate_crossed(struct Qdisc *sch);
void ramp_gate_arrived(struct Qdisc *sch);
void ramp_gate_removed(struct Qdisc *sch);
void ramp_gate_sync(struct Qdisc *sch);
void ramp_gate_due(struct Qdisc *sch);

/* May a packet of a member leave, out of what the rail shares? */
static inline bool ramp_gate_spend(struct ramp_sched_data *q, u32 bytes)
{
	return ramp_on_rail(q) && ramp_rail_spend(q->rail, bytes);
}

/* Is what arrived at a member counted by now, with nothing to be decided? */
static inline bool ramp_gate_counts(struct ramp_sched_data *q)
{
	if (!ramp_on_rail(q) || !q->member.counts ||
	    !ramp_rail_counts(q->rail, q->meter.sum))
		return false;
	q->meter.sum = 0;
	return true;
}

/* A packet that the short way may take though the gate is open. */
static inline void ramp_whole_set(struct ramp_sched_data *q)
{
	const struct ramp_plan *plan = &q->own.plan;

	q->whole = U32_MAX;
	if (!q->law.split_gso)
		return;
	if (plan->always)
		q->whole = ramp_gate_whole(q);
	if (ramp_is_geared(q))
		q->whole = min(q->whole, q->shift_whole);
	if (q->law.cut_gso)
		q->whole = min(q->whole, ramp_mtu(q->sch) + VLAN_HLEN);
}

/* Packets that the FIFO of a band may have. */
static inline u32 ramp_band_limit(const struct ramp_sched_data *q,
				  const struct ramp_band *b)
{
	u32 i = b - q->band;

	return q->law.band_bytes[i] == RAMP_NO_BYTES ? q->law.band_limit[i] :
						       RAMP_LIMIT_MAX;
}

/* Is a packet of @len bytes within the limit of its own band? */
static inline bool ramp_band_fits(const struct ramp_sched_data *q,
				  const struct ramp_band *b, u32 len)
{
	return b->fifo.qlen < ramp_band_limit(q, b) &&
	       (u64)b->backlog + len <= q->law.band_bytes[b - q->band];
}

/* May all FIFOs together take @len bytes more? The backlog of the qdisc is no
 * less than theirs, so as a rule it is all that has to be looked at.
 */
static inline bool ramp_bytes_fit(const struct Qdisc *sch, u32 len)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);

	return sch->qstats.backlog + len <= q->most || len <= ramp_room(q);
}

/* May the FIFO of a band take a packet of @len bytes? */
static inline bool ramp_band_room(const struct Qdisc *sch,
				  const struct ramp_band *b, u32 len)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);

	return (s64)q->waiting < q->cap && ramp_bytes_fit(sch, len) &&
	       ramp_band_fits(q, b, len);
}

/* The level has other bounds, or the FIFOs or gears have. */
static inline void ramp_stop_set(struct ramp_sched_data *q)
{
	q->stop = min_t(u64, q->top, max_t(s64, q->cap, 0));
	q->most = q->law.bytes;
	if (!ramp_is_geared(q))
		return;
	q->most = min(q->most, q->shift_bytes);
	q->stop = min_t(u64, q->stop, q->shift_pkts);
}

/* A packet that does not count is in a FIFO, or one that does is in a child. */
static inline void ramp_cap_move(struct ramp_sched_data *q, s32 more)
{
	q->cap += more;
	ramp_stop_set(q);
}

/* May what waits ask for another gear? Bytes that are exempt do not count, and
 * are not told apart at once.
 */
static inline bool ramp_gear_maybe_outside(struct Qdisc *sch,
					   const struct ramp_gear *r)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 waits = q->waiting;

	q->waited = waits;
	if (r->law.bytes) {
		if (q->active & q->law.exempt)
			return true;
		waits = sch->qstats.backlog;
	}
	return waits < r->low || waits > r->high;
}

/* A packet came or went. */
static inline void ramp_gear_look(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_gear *r = q->gear;

	if (ramp_is_geared(q) && unlikely(ramp_gear_maybe_outside(sch, r) ||
					  r->most != r->high))
		ramp_gear_crossed(sch);
}

/* What waits has changed. */
static inline void ramp_level_check(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 level = ramp_level(q);

	if (unlikely(level > q->top || level < q->bottom))
		ramp_gate_crossed(sch);
}

/* The limit of a band is another one, or the bounds of the step on its
 * ladder are. No packet of a band that is not one for the short way is within
 * them, and none that leaves through gears.
 */
static inline void ramp_band_bounds(const struct ramp_sched_data *q,
				    struct ramp_band *b)
{
	b->stop = ramp_band_limit(q, b);
	b->bottom = 0;
	if (b->rung) {
		b->stop = min(b->stop, b->rung_max);
		b->bottom = b->rung_min;
	}
	if (b->special)
		b->stop = 0;
	if (b->special || ramp_is_geared(q))
		b->bottom = U32_MAX;
}

static inline bool ramp_rung_outside(const struct ramp_band *b)
{
	return IS_ENABLED(CONFIG_NET_SCH_RAMP_CODES) && unlikely(b->rung) &&
	       ramp_ladder_outside(b->rung, ramp_band_queued(b));
}

/* The occupancy of a band has changed. */
static inline void ramp_rung_check(struct Qdisc *sch, struct ramp_band *b)
{
	if (ramp_rung_outside(b))
		ramp_ladder_crossed(sch, b);
}

/* Packets may be gone, but not through the gate. */
static inline void ramp_removed(struct Qdisc *sch)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);

	if (ramp_is_geared(q))
		ramp_gear_removed(sch);
	ramp_gate_removed(sch);
}

/* config.c: under RTNL */
void ramp_config_init(struct ramp_config *config);
void ramp_config_free(struct ramp_config *config,
		      const struct ramp_config *keep);
bool ramp_config_tells(const struct ramp_config *config);
int ramp_config_amounts(struct ramp_config *config,
			struct netlink_ext_ack *extack);
int ramp_config_bands(struct ramp_config *config,
		      struct netlink_ext_ack *extack);
int ramp_config_cease(const struct ramp_config *config,
		      struct netlink_ext_ack *extack);
int ramp_resolve(const struct Qdisc *sch, const struct ramp_config *config,
		 u64 link, struct ramp_law *law, struct ramp_plan *plan,
		 struct netlink_ext_ack *extack);

/**
 * struct ramp_change - a configuration on its way to be in force
 * @sch: the qdisc
 * @config: what is asked for; not needed to commit
 * @rail: the rail that the qdisc is on, or will be, or NULL
 * @law: what @config amounts to
 * @plan: the same for the engine
 * @codes: made for it, or NULL
 * @gear: likewise
 * @clock: likewise, or what is in force
 */
struct ramp_change {
	struct Qdisc			*sch;
	const struct ramp_config	*config;
	struct ramp_rail		*rail;
	struct ramp_law			law;
	struct ramp_plan		plan;
	struct ramp_code_law		*codes;
	struct ramp_gear		*gear;
	struct ramp_clock_cpus		*clock;
};

/* change.c: under RTNL */
int ramp_change_resolve(struct ramp_change *c, u64 link,
			struct netlink_ext_ack *extack);
int ramp_change_prepare(struct ramp_change *c, struct netlink_ext_ack *extack);
void ramp_change_commit(struct ramp_change *c);
void ramp_change_end(struct ramp_change *c);
void ramp_rate_commit(struct ramp_change *c);
int ramp_rail_prepare(const struct Qdisc *sch, struct ramp_rail *r,
		      const struct ramp_config *config);
void ramp_rail_spread(struct Qdisc *sch);
void ramp_rail_settle(struct ramp_rail *r);

/* device.c: under RTNL */
u64 ramp_link_rate(const struct Qdisc *sch, const struct ramp_config *config);
void ramp_ports_changed(struct Qdisc *sch);
void ramp_rate_later(struct ramp_sched_data *q);
void ramp_rate_end(struct Qdisc *sch);
void ramp_rate_unregister(void);

/**
 * struct ramp_next - a change that a user asks for
 * @c: what it takes; once in force, what was in force before
 * @config: likewise
 * @old: the rail that the qdisc was on, or NULL
 */
struct ramp_next {
	struct ramp_change	c;
	struct ramp_config	config;
	struct ramp_rail	*old;
};

/* main.c: under RTNL */
int ramp_next_prepare(struct Qdisc *sch, struct ramp_next *next,
		      struct nlattr *opt, struct netlink_ext_ack *extack);
int ramp_next_commit(struct ramp_next *next, struct netlink_ext_ack *extack);
void ramp_next_settle(struct ramp_next *next);
void ramp_prepare(struct Qdisc *sch);
int ramp_make(struct Qdisc *sch, struct nlattr *opt,
	      struct netlink_ext_ack *extack);
void ramp_reset(struct Qdisc *sch);
void ramp_destroy(struct Qdisc *sch);
void ramp_read_stats(struct Qdisc *sch, struct tc_ramp_xstats *st);
int ramp_copy_stats(struct gnet_dump *d, struct tc_ramp_xstats *st);
int ramp_dump_stats(struct Qdisc *sch, struct gnet_dump *d);
extern const struct Qdisc_class_ops ramp_class_ops;
extern struct Qdisc_ops ramp_qdisc_ops;
int __init ramp_register(void);

#endif /* _NET_SCHED_RAMP_H */
