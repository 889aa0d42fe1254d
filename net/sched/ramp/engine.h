/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What detects surges and makes ramps: of a qdisc, or of all those on a rail
 */
#ifndef _NET_SCHED_RAMP_ENGINE_H
#define _NET_SCHED_RAMP_ENGINE_H

#include <linux/bits.h>
#include <linux/if_ether.h>
#include <linux/ramp.h>
#include <linux/ramp_family.h>
#include <linux/types.h>
#include <net/pkt_sched.h>
#include <net/ramp/edge.h>
#include <net/ramp/meter.h>
#include <net/ramp/shut.h>
#include <net/ramp/slew.h>
#include <net/ramp/slope.h>

struct Qdisc;
struct ramp_engine;

/**
 * struct ramp_plan - what detection and ramps amount to
 * @watch_level: the packets waiting, or the bands that have some, are judged
 * @members: the level is the number of bands
 * @members_auto: HIGH is the number of bands of all members of a rail
 * @watch_ingress: arrivals are measured
 * @monitored: the level is judged only after a surge of arrivals
 * @always: nothing is judged, the gate limits all the time
 * @cease_settled: a ramp also ends when its level has settled
 * @dormant: detection waits for the rate
 * @pps: arrivals are counted in packets
 * @level: thresholds in packets or bands
 * @ingress: thresholds in bytes or packets per slot
 * @monitor: ns
 * @slope: shape of the ramps; if @always, that of the slew limiter
 * @slew: unless @always, what differs in the shape of a slew limiter that goes
 *	on until nothing waits
 */
struct ramp_plan {
	bool			watch_level;
	bool			members;
	bool			members_auto;
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
	struct ramp_slew_long	slew;
};

/* What had passed the gate when a detector last read the clock. */
struct ramp_mark {
	u64	time;
	u64	bytes;
	u64	pkts;
};

/**
 * struct ramp_engine_ops - what an engine asks of whoever has it
 * @busy: how many bands have packets, of those that count
 * @learn: what waits is to be exact now, or NULL where it always is
 * @sent: adds what has passed the gate
 * @bound: @top, @bottom or what is measured are others, or NULL for who reads
 *	them anyway
 * @narrow: a ramp begins, or what those who sleep wait for may come earlier
 * @shut: the slew limiter refuses, or does so no more, or NULL for who asks it
 * @arm: call ramp_slots_roll() and ramp_tick() at that time, or earlier;
 *	U64_MAX: not for what is detected
 *
 * All are called under the lock of the engine, or before it is in use.
 */
struct ramp_engine_ops {
	u32	(*busy)(const struct ramp_engine *e);
	void	(*learn)(struct ramp_engine *e);
	void	(*sent)(const struct ramp_engine *e, struct ramp_mark *mark);
	void	(*bound)(struct ramp_engine *e);
	void	(*narrow)(struct ramp_engine *e, bool narrow);
	void	(*shut)(struct ramp_engine *e);
	void	(*arm)(struct ramp_engine *e, u64 when);
};

/*
 * struct ramp_engine - the detectors, a ramp and its allowance
 * @meter: level of the arrivals, kept where packets find it
 * @level: level of the packets waiting, or of the bands that have some
 * @slope: the ramp; with RAMP_SLEW as its direction it is @slew that limits,
 *	and of this only @tick_end means something: when to ask again, U64_MAX
 *	if anybody may
 * @slew: the limiter of "detect always", likewise; else its budget is
 *	RAMP_SLEW_OPEN, or that of a member none (ramp_rail_limit())
 * @plan: the parameters in force
 * @shut: somebody has been refused in the present tick
 * @leaving: @slew limits only until nothing waits
 * @trailing: the trail of @level is kept
 * @rolling: slots of that trail are being timed
 * @unjudged: direction of a surge of the level while it was not monitored
 * @slot_start: ns, when its present slot began
 * @now: ns, the clock as last read while a ramp runs
 * @self: a ramp's own backlog may be draining
 * @self_low: ns, when the level was low since, 0: not yet
 * @unjudged_since: ns, when that began
 * @monitor_end: ns, when the monitoring period ends, by direction
 * @mark: two marks, the younger one first
 * @began: ns, when the ramp began
 * @ramp_ns: spent in ramps that are over
 * @sch: the qdisc that tracepoints and events name
 * @ops: of whoever has this engine
 * @waiting: where the number of packets is that the gate counts
 * @top: greatest level that needs no look
 * @bottom: least level that needs no look
 * @mark_gap: ns, the least time between two marks
 *
 * All of it is under the lock of the engine: of that of a qdisc, its root lock.
 * The other counters are those of struct tc_ramp_xstats.
 */
struct ramp_engine {
	struct ramp_meter	*meter;
	struct ramp_edge	level;
	struct ramp_slope	slope;
	struct ramp_slew	*slew;
	struct ramp_plan	plan;
	bool			shut;
	bool			leaving;
	bool			trailing;
	bool			rolling;
	enum ramp_dir		unjudged;
	u64			slot_start;
	u64			now;

	bool			self;
	u64			self_low;
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
	const struct ramp_engine_ops *ops;
	const u32		*waiting;
	u64			top;
	u64			bottom;
	u64			mark_gap;
};

/* What is not what it was, without any packet that came or went */
#define RAMP_CHANGED_LEVEL	BIT(0)
#define RAMP_CHANGED_BANDS	BIT(1)
#define RAMP_CHANGED_EXEMPT	BIT(2)

/* Devices without a header may have no MTU either. */
static inline u32 ramp_mtu(const struct Qdisc *sch)
{
	return max_t(u32, psched_mtu(qdisc_dev(sch)), ETH_ZLEN);
}

/* The packets that the gate counts. */
static inline u32 ramp_waiting(const struct ramp_engine *e)
{
	return *e->waiting;
}

static inline u32 ramp_engine_level(const struct ramp_engine *e)
{
	return e->plan.members ? e->ops->busy(e) : ramp_waiting(e);
}

/* Is it the slew limiter that may refuse? */
static inline bool ramp_is_slewing(const struct ramp_engine *e)
{
	return e->slope.dir == RAMP_SLEW;
}

/* Is what waits low? */
static inline bool ramp_level_low(const struct ramp_engine *e)
{
	return ramp_engine_level(e) <= e->plan.level.low;
}

/* level.c: all under the lock of the engine */
void ramp_mark(struct ramp_engine *e, u64 now);
void ramp_mark_shift(struct ramp_engine *e, const struct ramp_mark *sent,
		     bool less);
u64 ramp_open_level(const struct ramp_engine *e,
		    const struct ramp_slope_params *p, u64 now);
bool ramp_is_last_tick(const struct ramp_engine *e);
u64 ramp_wake(const struct ramp_engine *e);
void ramp_arm(struct ramp_engine *e);
void ramp_level_bounds(struct ramp_engine *e);
void ramp_level_roll(struct ramp_engine *e, u64 now);
void ramp_level_time(struct ramp_engine *e, u64 now);
void ramp_level_follow(struct ramp_engine *e, u64 now);
void ramp_level_unfollow(struct ramp_engine *e);
bool ramp_level_settled(struct ramp_engine *e, u64 now);
void ramp_expect_self(struct ramp_engine *e, u64 now);
void ramp_detect_bound(struct ramp_engine *e);
void ramp_detect_init(struct ramp_engine *e);
void ramp_detect_change(struct ramp_engine *e, const struct ramp_plan *old,
			u32 changed, u64 now);

/* engine.c: all under the lock of the engine */
void ramp_tell_surge(struct ramp_engine *e, enum ramp_dir dir,
		     enum ramp_source source, enum ramp_act act,
		     u64 took, u64 now);
void ramp_stop(struct ramp_engine *e, u64 now);
void ramp_done(struct ramp_engine *e, u64 now);
bool ramp_slew_ask(struct ramp_engine *e);
void ramp_tick(struct ramp_engine *e, u64 now);
void ramp_surge(struct ramp_engine *e, enum ramp_dir dir,
		enum ramp_source source, u64 took, u64 now);
void ramp_drained(struct ramp_engine *e, u64 now);
void ramp_engine_init(struct ramp_engine *e);
void ramp_let_out(struct ramp_engine *e, const struct ramp_slope *was, u64 left,
		  u64 level, u64 now);
void ramp_engine_change(struct ramp_engine *e, const struct ramp_plan *plan,
			u64 level, u32 changed);
u32 ramp_engine_state(const struct ramp_engine *e);

/* detect.c: all under the lock of the engine */
void ramp_level_crossed(struct ramp_engine *e);
void ramp_ingress_arrived(struct ramp_engine *e);
void ramp_slots_roll(struct ramp_engine *e, u64 now);
void ramp_arrivals_begin(struct ramp_engine *e);

#endif /* _NET_SCHED_RAMP_ENGINE_H */
