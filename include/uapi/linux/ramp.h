/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Netlink interface of the ramp qdisc.
 *
 * One attribute per parameter. Rates are bytes per second, times are
 * nanoseconds, percentages are hundredths of a percent (5 % is 500).
 */
#ifndef _UAPI_LINUX_RAMP_H
#define _UAPI_LINUX_RAMP_H

#include <linux/types.h>

/**
 * enum ramp_unit - what the number of a level or of an amount counts
 * @RAMP_UNIT_PACKETS: packets; of an amount: packets per tick
 * @RAMP_UNIT_RATE: bytes per second
 * @RAMP_UNIT_PPS: packets per second (levels of ingress only)
 * @RAMP_UNIT_PERCENT: hundredths of a percent of limit (level of queue) or
 *	of rate (all others), 1 .. 10000
 */
enum ramp_unit {
	RAMP_UNIT_PACKETS,
	RAMP_UNIT_RATE,
	RAMP_UNIT_PPS,
	RAMP_UNIT_PERCENT,
	/* private: */
	__RAMP_UNIT_MAX
};

#define RAMP_UNIT_MAX (__RAMP_UNIT_MAX - 1)

/**
 * enum ramp_detect - what starts a ramp
 * @RAMP_DETECT_OFF: nothing
 * @RAMP_DETECT_QUEUE: a surge of the packets waiting
 * @RAMP_DETECT_INGRESS: a surge of the arrival rate
 * @RAMP_DETECT_BOTH: a surge of the packets waiting within the monitoring
 *	period that a surge of the arrival rate has opened
 */
enum ramp_detect {
	RAMP_DETECT_OFF,
	RAMP_DETECT_QUEUE,
	RAMP_DETECT_INGRESS,
	RAMP_DETECT_BOTH,
	/* private: */
	__RAMP_DETECT_MAX
};

#define RAMP_DETECT_MAX (__RAMP_DETECT_MAX - 1)

/**
 * enum ramp_cease - when a ramp ends
 * @RAMP_CEASE_FULL: up: when the allowance reaches rate; down: when the
 *	queue is empty
 */
enum ramp_cease {
	RAMP_CEASE_FULL,
	/* private: */
	__RAMP_CEASE_MAX
};

#define RAMP_CEASE_MAX (__RAMP_CEASE_MAX - 1)

/**
 * enum ramp_state - what the gate is doing
 * @RAMP_STATE_IDLE: open
 * @RAMP_STATE_MONITORING: open; the arrival rate surged and the queue is
 *	being judged
 * @RAMP_STATE_UP: stepping up
 * @RAMP_STATE_DOWN: stepping down
 * @RAMP_STATE_DORMANT: open; detection waits until the rate is known
 */
enum ramp_state {
	RAMP_STATE_IDLE,
	RAMP_STATE_MONITORING,
	RAMP_STATE_UP,
	RAMP_STATE_DOWN,
	RAMP_STATE_DORMANT,
	/* private: */
	__RAMP_STATE_MAX
};

/* Nested in TCA_RAMP_QUEUE and TCA_RAMP_INGRESS */
enum {
	TCA_RAMP_LEVEL_UNSPEC,
	TCA_RAMP_LEVEL_PAD,
	TCA_RAMP_LEVEL_UNIT,		/* u32, enum ramp_unit */
	TCA_RAMP_LEVEL_LOW,		/* u64 */
	TCA_RAMP_LEVEL_HIGH,		/* u64 */
	__TCA_RAMP_LEVEL_MAX
};

#define TCA_RAMP_LEVEL_MAX (__TCA_RAMP_LEVEL_MAX - 1)

/* Nested in TCA_RAMP_START, _STEP, _DOWN_STEP and _FLOOR */
enum {
	TCA_RAMP_AMOUNT_UNSPEC,
	TCA_RAMP_AMOUNT_PAD,
	TCA_RAMP_AMOUNT_UNIT,		/* u32, enum ramp_unit */
	TCA_RAMP_AMOUNT_VALUE,		/* u64 */
	__TCA_RAMP_AMOUNT_MAX
};

#define TCA_RAMP_AMOUNT_MAX (__TCA_RAMP_AMOUNT_MAX - 1)

/* Nested in TCA_OPTIONS */
enum {
	TCA_RAMP_UNSPEC,
	TCA_RAMP_PAD,
	TCA_RAMP_LIMIT,			/* u32 packets, 0: auto */
	TCA_RAMP_RATE,			/* u64 bytes/s, 0: auto */
	TCA_RAMP_DETECT,		/* u32, enum ramp_detect */
	TCA_RAMP_QUEUE,			/* nested TCA_RAMP_LEVEL_* */
	TCA_RAMP_INGRESS,		/* nested TCA_RAMP_LEVEL_* */
	TCA_RAMP_WINDOW,		/* u64 ns */
	TCA_RAMP_MONITOR,		/* u64 ns */
	TCA_RAMP_TICK,			/* u64 ns */
	TCA_RAMP_START,			/* nested TCA_RAMP_AMOUNT_* */
	TCA_RAMP_STEP,			/* nested TCA_RAMP_AMOUNT_* */
	TCA_RAMP_PAUSE,			/* u64 ns */
	TCA_RAMP_HOLD,			/* u64 ns */
	TCA_RAMP_DOWN_STEP,		/* nested TCA_RAMP_AMOUNT_* */
	TCA_RAMP_FLOOR,			/* nested TCA_RAMP_AMOUNT_* */
	TCA_RAMP_CEASE,			/* u32, enum ramp_cease */
	/* Only in answers: what the above amount to at present */
	TCA_RAMP_LIMIT_NOW,		/* u32 packets */
	TCA_RAMP_LIMIT_NEED,		/* u32 packets held back, absent while unknown */
	TCA_RAMP_RATE_NOW,		/* u64 bytes/s, absent while unknown */
	__TCA_RAMP_MAX
};

#define TCA_RAMP_MAX (__TCA_RAMP_MAX - 1)

/**
 * struct tc_ramp_xstats - TCA_STATS_APP of a ramp qdisc
 * @state: enum ramp_state
 * @allowance_unit: RAMP_UNIT_PACKETS, or RAMP_UNIT_RATE: bytes per tick
 * @allowance: of the present tick; 0 while the gate is open
 * @enqueued: skbs accepted
 * @dequeued: skbs handed over
 * @dropped: accepted skbs that were lost afterwards (reset); those refused at
 *	the limit are in the standard drops
 * @queued: skbs waiting
 * @surges_up: upward surges
 * @surges_down: downward surges
 * @surges_self: downward surges of the queue that a ramp itself caused
 * @down_empty: downward surges that found nothing waiting
 * @ramps: ramps begun
 * @ramps_done: ramps that came to their end
 * @ramps_turned: ramps turned round by a surge the other way, or by a queue
 *	that stopped shrinking
 * @ticks: ticks of all ramps
 * @ticks_late: ticks that passed while packets waited and the timer was late
 * @ramp_ns: time spent in ramps
 * @delayed: times a packet had to wait for a later tick
 *
 * Taken together under the root lock, so that
 * enqueued = dequeued + dropped + queued. New fields are added at the end.
 */
struct tc_ramp_xstats {
	__u32 state;
	__u32 allowance_unit;
	__u64 allowance;
	__u64 enqueued;
	__u64 dequeued;
	__u64 dropped;
	__u64 queued;
	__u64 surges_up;
	__u64 surges_down;
	__u64 surges_self;
	__u64 down_empty;
	__u64 ramps;
	__u64 ramps_done;
	__u64 ramps_turned;
	__u64 ticks;
	__u64 ticks_late;
	__u64 ramp_ns;
	__u64 delayed;
};

#endif /* _UAPI_LINUX_RAMP_H */
