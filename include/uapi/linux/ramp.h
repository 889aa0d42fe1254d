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
 * @RAMP_UNIT_BANDS: bands that have packets waiting (levels of members only)
 */
enum ramp_unit {
	RAMP_UNIT_PACKETS,
	RAMP_UNIT_RATE,
	RAMP_UNIT_PPS,
	RAMP_UNIT_PERCENT,
	RAMP_UNIT_BANDS,
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
 * @RAMP_DETECT_MEMBERS: a surge of the number of bands that have packets
 *	waiting
 * @RAMP_DETECT_ALWAYS: nothing is detected: each tick allows what left in the
 *	one before plus a step
 */
enum ramp_detect {
	RAMP_DETECT_OFF,
	RAMP_DETECT_QUEUE,
	RAMP_DETECT_INGRESS,
	RAMP_DETECT_BOTH,
	RAMP_DETECT_MEMBERS,
	RAMP_DETECT_ALWAYS,
	/* private: */
	__RAMP_DETECT_MAX
};

#define RAMP_DETECT_MAX (__RAMP_DETECT_MAX - 1)

/**
 * enum ramp_cease - when a ramp ends
 * @RAMP_CEASE_FULL: up: when the allowance reaches rate; down: when the
 *	queue is empty
 * @RAMP_CEASE_AUTO: also when the level that surged moved less than a surge
 *	over a whole window
 * @RAMP_CEASE_TIME: also after a given time
 */
enum ramp_cease {
	RAMP_CEASE_FULL,
	RAMP_CEASE_AUTO,
	RAMP_CEASE_TIME,
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
 * @RAMP_STATE_FROZEN: shut while the gear changes
 */
enum ramp_state {
	RAMP_STATE_IDLE,
	RAMP_STATE_MONITORING,
	RAMP_STATE_UP,
	RAMP_STATE_DOWN,
	RAMP_STATE_DORMANT,
	RAMP_STATE_FROZEN,
	/* private: */
	__RAMP_STATE_MAX
};

/**
 * enum ramp_gear_follow - what the gear is chosen by
 * @RAMP_GEAR_FOLLOW_AUTO: both, if there are ports, or else the occupancy
 * @RAMP_GEAR_FOLLOW_OCCUPANCY: the packets waiting, within the range
 * @RAMP_GEAR_FOLLOW_LINKS: the highest gear that links and range allow
 * @RAMP_GEAR_FOLLOW_BOTH: the packets waiting, within the range and below what
 *	the links allow
 */
enum ramp_gear_follow {
	RAMP_GEAR_FOLLOW_AUTO,
	RAMP_GEAR_FOLLOW_OCCUPANCY,
	RAMP_GEAR_FOLLOW_LINKS,
	RAMP_GEAR_FOLLOW_BOTH,
	/* private: */
	__RAMP_GEAR_FOLLOW_MAX
};

#define RAMP_GEAR_FOLLOW_MAX (__RAMP_GEAR_FOLLOW_MAX - 1)

/**
 * enum ramp_clock - what is slowed with the gear
 * @RAMP_CLOCK_NONE: nothing
 * @RAMP_CLOCK_CPUFREQ: the highest frequency of CPUs
 */
enum ramp_clock {
	RAMP_CLOCK_NONE,
	RAMP_CLOCK_CPUFREQ,
	/* private: */
	__RAMP_CLOCK_MAX
};

#define RAMP_CLOCK_MAX (__RAMP_CLOCK_MAX - 1)

/* Number of bands, at most */
#define RAMP_BANDS_MAX	16

/* Steps of a ladder, at most */
#define RAMP_LADDER_MAX	16

/* Steps of all ladders of single bands together, at most */
#define RAMP_LADDER_STEPS_MAX	64

/* Devices that codes are sent out of, at most */
#define RAMP_FEEDBACK_MAX	16

/* Addresses that alone are obeyed, at most */
#define RAMP_OBEY_FROM_MAX	16

/* Gears, at most, the idle gear among them */
#define RAMP_GEARS_MAX	16

/* Devices whose links gears follow, at most */
#define RAMP_GEAR_PORTS_MAX	64

/* Shares of them that power is told for, at most */
#define RAMP_POWER_PORTS_MAX	16

/* CPUs whose clock follows the gear, at most */
#define RAMP_CLOCK_CPUS_MAX	64

/* Freeze for as long as the largest packet takes in the present gear */
#define RAMP_FREEZE_AUTO	(~0ULL)

/* Nested in TCA_RAMP_QUEUE, _MEMBERS and _INGRESS: UNIT, and either LOW and
 * HIGH or DELTA
 */
enum {
	TCA_RAMP_LEVEL_UNSPEC,
	TCA_RAMP_LEVEL_PAD,
	TCA_RAMP_LEVEL_UNIT,		/* u32, enum ramp_unit */
	TCA_RAMP_LEVEL_LOW,		/* u64 */
	TCA_RAMP_LEVEL_HIGH,		/* u64; members: 0 is all that the gate
					 * counts
					 */
	TCA_RAMP_LEVEL_DELTA,		/* u64 */
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

/* Nested in TCA_RAMP_BAND_LIMITS, one for each band that is named */
enum {
	TCA_RAMP_BAND_LIMITS_UNSPEC,
	TCA_RAMP_BAND_LIMITS_ENTRY,	/* nested TCA_RAMP_BAND_LIMIT_* */
	__TCA_RAMP_BAND_LIMITS_MAX
};

#define TCA_RAMP_BAND_LIMITS_MAX (__TCA_RAMP_BAND_LIMITS_MAX - 1)

enum {
	TCA_RAMP_BAND_LIMIT_UNSPEC,
	TCA_RAMP_BAND_LIMIT_BAND,	/* u32 */
	TCA_RAMP_BAND_LIMIT_PACKETS,	/* u32, 0: auto, as limit */
	TCA_RAMP_BAND_LIMIT_BYTES,	/* u32, instead of _PACKETS */
	__TCA_RAMP_BAND_LIMIT_MAX
};

#define TCA_RAMP_BAND_LIMIT_MAX (__TCA_RAMP_BAND_LIMIT_MAX - 1)

/* Nested in TCA_RAMP_LADDER and in TCA_RAMP_BAND_LADDER_LADDER: the steps, in
 * their order. Both have as many, 1 .. RAMP_LADDER_MAX, in hundredths of a
 * percent: of the limit of the band, and of the rate of whoever sends to it.
 */
enum {
	TCA_RAMP_LADDER_UNSPEC,
	TCA_RAMP_LADDER_AT,		/* n x u16, thresholds */
	TCA_RAMP_LADDER_RATE,		/* n x u16, rates */
	__TCA_RAMP_LADDER_MAX
};

#define TCA_RAMP_LADDER_MAX (__TCA_RAMP_LADDER_MAX - 1)

/* Nested in TCA_RAMP_BAND_LADDERS, one for each band that is named */
enum {
	TCA_RAMP_BAND_LADDERS_UNSPEC,
	TCA_RAMP_BAND_LADDERS_ENTRY,	/* nested TCA_RAMP_BAND_LADDER_* */
	__TCA_RAMP_BAND_LADDERS_MAX
};

#define TCA_RAMP_BAND_LADDERS_MAX (__TCA_RAMP_BAND_LADDERS_MAX - 1)

enum {
	TCA_RAMP_BAND_LADDER_UNSPEC,
	TCA_RAMP_BAND_LADDER_BAND,	/* u32 */
	TCA_RAMP_BAND_LADDER_LADDER,	/* as TCA_RAMP_LADDER; absent: auto */
	__TCA_RAMP_BAND_LADDER_MAX
};

#define TCA_RAMP_BAND_LADDER_MAX (__TCA_RAMP_BAND_LADDER_MAX - 1)

/* Nested in TCA_RAMP_FEEDBACK, one for each device */
enum {
	TCA_RAMP_FEEDBACK_UNSPEC,
	TCA_RAMP_FEEDBACK_IFINDEX,	/* u32 */
	__TCA_RAMP_FEEDBACK_MAX
};

#define TCA_RAMP_FEEDBACK_MAX (__TCA_RAMP_FEEDBACK_MAX - 1)

/* Nested in TCA_RAMP_BAND_FEEDBACKS, one for each band that is named */
enum {
	TCA_RAMP_BAND_FEEDBACKS_UNSPEC,
	TCA_RAMP_BAND_FEEDBACKS_ENTRY,	/* nested TCA_RAMP_BAND_FEEDBACK_* */
	__TCA_RAMP_BAND_FEEDBACKS_MAX
};

#define TCA_RAMP_BAND_FEEDBACKS_MAX (__TCA_RAMP_BAND_FEEDBACKS_MAX - 1)

enum {
	TCA_RAMP_BAND_FEEDBACK_UNSPEC,
	TCA_RAMP_BAND_FEEDBACK_BAND,	/* u32 */
	TCA_RAMP_BAND_FEEDBACK_IFINDEX,	/* u32, 0: as feedback */
	__TCA_RAMP_BAND_FEEDBACK_MAX
};

#define TCA_RAMP_BAND_FEEDBACK_MAX (__TCA_RAMP_BAND_FEEDBACK_MAX - 1)

/* Nested in TCA_RAMP_GEAR_PORTS, one for each device */
enum {
	TCA_RAMP_GEAR_PORTS_UNSPEC,
	TCA_RAMP_GEAR_PORTS_IFINDEX,	/* u32 */
	__TCA_RAMP_GEAR_PORTS_MAX
};

#define TCA_RAMP_GEAR_PORTS_MAX (__TCA_RAMP_GEAR_PORTS_MAX - 1)

/* Nested in TCA_OPTIONS */
enum {
	TCA_RAMP_UNSPEC,
	TCA_RAMP_PAD,
	TCA_RAMP_LIMIT,			/* u32 packets, 0: auto; replaces a
					 * TCA_RAMP_LIMIT_BYTES
					 */
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
	TCA_RAMP_CEASE,			/* u32, enum ramp_cease; without it, a
					 * TCA_RAMP_CEASE_TIME sets it, too
					 */
	/* Only in answers: what the above amount to at present */
	TCA_RAMP_LIMIT_NOW,		/* u32 packets; of a limit in bytes,
					 * those of full size, which percentages
					 * refer to
					 */
	TCA_RAMP_LIMIT_NEED,		/* u32 packets held back, absent while
					 * unknown
					 */
	TCA_RAMP_RATE_NOW,		/* u64 bytes/s, absent while unknown */
	TCA_RAMP_BANDS,			/* u32 */
	TCA_RAMP_PRIOMAP,		/* 16 x u8, bands by priority */
	TCA_RAMP_EXEMPT,		/* u32, bitmap of bands */
	TCA_RAMP_BAND_LIMITS,		/* nested TCA_RAMP_BAND_LIMITS_* */
	TCA_RAMP_SPLIT_GSO,		/* u32, 0 or 1 */
	TCA_RAMP_MEMBERS,		/* nested TCA_RAMP_LEVEL_* */
	TCA_RAMP_ADAPTIVE,		/* u32, 0 or 1 */
	TCA_RAMP_CEASE_TIME,		/* u64 ns, with RAMP_CEASE_TIME */
	TCA_RAMP_LADDER,		/* nested TCA_RAMP_LADDER_* or none */
	TCA_RAMP_BAND_LADDERS,		/* nested TCA_RAMP_BAND_LADDERS_* */
	TCA_RAMP_ADJUST,		/* u32, hundredths of a percent */
	__TCA_RAMP_UNUSED_31,
	TCA_RAMP_FEEDBACK,		/* nested TCA_RAMP_FEEDBACK_* or none */
	TCA_RAMP_BAND_FEEDBACKS,	/* nested TCA_RAMP_BAND_FEEDBACKS_* */
	TCA_RAMP_VALIDITY,		/* u64 ns, of the codes that are sent */
	TCA_RAMP_ETHERTYPE,		/* u32, of frames with codes */
	TCA_RAMP_OBEY,			/* u32, 0 or 1 */
	TCA_RAMP_OBEY_MIN,		/* u32, hundredths of a percent */
	TCA_RAMP_RAIL,			/* u32, 0: none */
	/* n gears, 2 .. RAMP_GEARS_MAX. A list that does not fit them is
	 * refused, or, when it was not named with them, back at its default.
	 */
	TCA_RAMP_GEARS,			/* n x u64 bytes/s, rising; the first is
					 * the idle gear; empty: none
					 */
	TCA_RAMP_GEAR_UP,		/* 1 or n x u16, hundredths of a percent
					 * of limit; that of the idle gear and
					 * of the last one mean nothing. Instead
					 * of TCA_RAMP_GEAR_UP_TIME
					 */
	TCA_RAMP_GEAR_DOWN,		/* 1 or n x u16, as TCA_RAMP_GEAR_UP,
					 * and less
					 */
	TCA_RAMP_GEAR_MIN,		/* u32, 1 .. n - 1; with the next one 0:
					 * no range
					 */
	TCA_RAMP_GEAR_MAX,		/* u32 */
	TCA_RAMP_GEAR_FOLLOW,		/* u32, enum ramp_gear_follow */
	TCA_RAMP_GEAR_PORTS,		/* nested TCA_RAMP_GEAR_PORTS_IFINDEX
					 * each; empty: none
					 */
	TCA_RAMP_FREEZE,		/* u64 ns, or RAMP_FREEZE_AUTO */
	TCA_RAMP_DWELL,			/* u64 ns */
	TCA_RAMP_IDLE,			/* u64 ns */
	TCA_RAMP_POWER,			/* n x u32 mW, or with
					 * TCA_RAMP_POWER_PORTS 1; empty: not
					 * known
					 */
	TCA_RAMP_CLOCK,			/* u32, enum ramp_clock */
	TCA_RAMP_CLOCK_PERCENT,		/* n x u16, hundredths of a percent of
					 * the greatest frequency; empty: as the
					 * rates are to the last gear's
					 */
	TCA_RAMP_CLOCK_CPUS,		/* n x u32, empty: none */
	/* Only in answers */
	TCA_RAMP_GEAR_TOP,		/* u32, highest gear that ports and
					 * range allow
					 */
	TCA_RAMP_FREEZE_NOW,		/* u64 ns, of the present gear */
	TCA_RAMP_LIMIT_BYTES,		/* u32, instead of TCA_RAMP_LIMIT, which
					 * is 0
					 */
	TCA_RAMP_LIMIT_BYTES_NOW,	/* u32, only in answers; absent when
					 * limit is in packets
					 */
	/* Thresholds of gears are of one kind: who names but one puts the other
	 * at its default of that kind.
	 */
	TCA_RAMP_GEAR_UP_TIME,		/* 1 or n x u64 ns, of what waits at the
					 * present gear's rate
					 */
	TCA_RAMP_GEAR_DOWN_TIME,	/* 1 or n x u64 ns, less */
	TCA_RAMP_GEAR_FIT,		/* u32, hundredths of a percent of the
					 * lower gear, 0: the bare rule
					 */
	TCA_RAMP_POWER_PORTS,		/* n x u16, hundredths of a percent of
					 * the one TCA_RAMP_POWER that there may
					 * be then, by the share of
					 * TCA_RAMP_GEAR_PORTS that are up; up
					 * to RAMP_POWER_PORTS_MAX, the last for
					 * all of them; empty: power is by gear
					 */
	TCA_RAMP_OBEY_FROM,		/* n x 6 bytes, addresses whose codes
					 * count, up to RAMP_OBEY_FROM_MAX;
					 * empty: all
					 */
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
 * @dropped: accepted skbs that were lost afterwards (a reset, a graft, or
 *	inside a child); those refused at a limit are in the standard drops
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
 * @split_extra: skbs that segmentation, here or in a child, or duplication in a
 *	child made beyond those accepted
 * @codes_sent: codes that changes of occupancy made, of all bands
 * @codes_refreshed: codes sent again as they were about to expire; of ramp_mq,
 *	this and frames are those of all its queues
 * @frames_sent: frames with codes that were handed to feedback devices
 * @frames_lost: frames with codes that could not be
 * @codes_received: frames with codes that were accepted
 * @codes_stale: frames that were older than one accepted before, or the same
 * @codes_malformed: frames that are not what they should be
 * @codes_ignored: frames of more senders than are remembered, of others than
 *	TCA_RAMP_OBEY_FROM, or of this network namespace itself
 * @codes_expired: senders that were not heard of for as long as their codes
 *	hold
 * @events_lost: events that there was no room for
 * @peer_rate: hundredths of a percent, the least that a band may send at
 * @gear: the present one
 * @gear_min: lowest that may be taken, beside the idle gear
 * @gear_max: highest that may be taken
 * @gears: how many there are; 0: none, and all that follows means nothing
 * @gear_ns: time spent in each; together the time since there were these gears
 * @gear_changes: how often another one was taken
 * @flaps: changes that undid the one before, within 10 x dwell
 * @freezes: how often the gate was shut for a change
 * @freeze_ns_min: the shortest time that it was
 * @freeze_ns_avg: the mean time
 * @freeze_ns_max: the longest time
 * @range_drops: times the ports came to allow less than the least of the range
 * @energy_mj: mJ, what the gears used; 0 when their power is not known
 * @saved: hundredths of a percent of what the last gear would have used; 0 as
 *	above
 * @port_rows: entries of TCA_RAMP_POWER_PORTS; 0: none, and what follows means
 *	nothing. Else the two above are by row, and against the last one
 * @port_row: the present one
 * @ports_up: ports that are up
 * @ports: how many there are
 * @port_ns: time spent in each row; together the time since there are so many
 *
 * Taken together under the root lock, so that
 * enqueued + split_extra = dequeued + dropped + queued. New fields are added at
 * the end.
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
	__u64 split_extra;
	__u64 codes_sent;
	__u64 codes_refreshed;
	__u64 frames_sent;
	__u64 frames_lost;
	__u64 codes_received;
	__u64 codes_stale;
	__u64 codes_malformed;
	__u64 codes_ignored;
	__u64 codes_expired;
	__u64 events_lost;
	__u64 peer_rate;
	__u32 gear;
	__u32 gear_min;
	__u32 gear_max;
	__u32 gears;
	__u64 gear_ns[RAMP_GEARS_MAX];
	__u64 gear_changes;
	__u64 flaps;
	__u64 freezes;
	__u64 freeze_ns_min;
	__u64 freeze_ns_avg;
	__u64 freeze_ns_max;
	__u64 range_drops;
	__u64 energy_mj;
	__u64 saved;
	__u32 port_rows;
	__u32 port_row;
	__u32 ports_up;
	__u32 ports;
	__u64 port_ns[RAMP_POWER_PORTS_MAX];
};

/**
 * struct tc_ramp_class_xstats - TCA_STATS_APP of a band
 * @limit: skbs that the band's own FIFO may hold, of a limit in bytes those of
 *	full size; 0 with a child, which has its own limit
 * @exempt: 1 if the band passes the gate freely
 * @enqueued: skbs accepted
 * @dequeued: skbs handed over
 * @dropped: accepted skbs that were lost afterwards
 * @queued: skbs waiting
 * @split_extra: as in struct tc_ramp_xstats
 * @level: steps of the ladder that are climbed
 * @code: hundredths of a percent, what the sender is told; 10000 without ladder
 * @next_up: skbs, at or above which the level rises; 0: it is the highest one,
 *	or there is no ladder
 * @next_down: skbs, at or below which it falls, if @level is not 0
 * @codes_sent: as in struct tc_ramp_xstats
 * @peer_rate: hundredths of a percent, what the band may send at
 * @peer_delayed: times a packet had to wait for that
 * @flaps: changes of @level that undid the one before, within 10 x dwell
 *
 * The same holds as for struct tc_ramp_xstats, for every band by itself. What
 * waited in a band that was removed counts as enqueued in the one that it was
 * moved to.
 */
struct tc_ramp_class_xstats {
	__u32 limit;
	__u32 exempt;
	__u64 enqueued;
	__u64 dequeued;
	__u64 dropped;
	__u64 queued;
	__u64 split_extra;
	__u32 level;
	__u32 code;
	__u32 next_up;
	__u32 next_down;
	__u64 codes_sent;
	__u64 peer_rate;
	__u64 peer_delayed;
	__u64 flaps;
};

#endif /* _UAPI_LINUX_RAMP_H */
