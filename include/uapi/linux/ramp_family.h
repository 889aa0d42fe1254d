/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The generic netlink family "ramp": events of ramp qdiscs, and rails.
 *
 * Rates are hundredths of a percent, times are nanoseconds.
 */
#ifndef _UAPI_LINUX_RAMP_FAMILY_H
#define _UAPI_LINUX_RAMP_FAMILY_H

#include <linux/types.h>

#define RAMP_FAMILY_NAME	"ramp"
#define RAMP_FAMILY_VERSION	1
#define RAMP_MCGRP_EVENTS	"events"

/**
 * enum ramp_source - what made a ramp begin or turn
 * @RAMP_SOURCE_QUEUE: the packets waiting
 * @RAMP_SOURCE_INGRESS: the arrivals
 * @RAMP_SOURCE_STALL: a queue that did not shrink
 * @RAMP_SOURCE_MEMBERS: the bands that have packets waiting
 */
enum ramp_source {
	RAMP_SOURCE_QUEUE,
	RAMP_SOURCE_INGRESS,
	RAMP_SOURCE_STALL,
	RAMP_SOURCE_MEMBERS
};

/**
 * enum ramp_act - what became of a surge
 * @RAMP_ACT_RAMP: a ramp began
 * @RAMP_ACT_TURN: a ramp turned round
 * @RAMP_ACT_RUNNING: a ramp in that direction ran already
 * @RAMP_ACT_SELF: a ramp had caused it
 * @RAMP_ACT_EMPTY: nothing was waiting
 * @RAMP_ACT_MONITOR: the queue is being judged from now on
 */
enum ramp_act {
	RAMP_ACT_RAMP,
	RAMP_ACT_TURN,
	RAMP_ACT_RUNNING,
	RAMP_ACT_SELF,
	RAMP_ACT_EMPTY,
	RAMP_ACT_MONITOR
};

/**
 * enum ramp_direction - of a surge
 * @RAMP_DIRECTION_UP: more
 * @RAMP_DIRECTION_DOWN: less
 */
enum ramp_direction {
	RAMP_DIRECTION_UP = 1,
	RAMP_DIRECTION_DOWN
};

/**
 * enum ramp_peer_why - why what the peers allow is another rate
 * @RAMP_PEER_APPLIED: a code came
 * @RAMP_PEER_EXPIRED: none came for too long
 */
enum ramp_peer_why {
	RAMP_PEER_APPLIED,
	RAMP_PEER_EXPIRED
};

/**
 * enum ramp_gear_reason - why another gear was taken
 * @RAMP_GEAR_OCCUPANCY: the packets waiting
 * @RAMP_GEAR_RANGE: the range
 * @RAMP_GEAR_LINK: the ports that are up
 * @RAMP_GEAR_IDLE: nothing came for a while, or something came again
 */
enum ramp_gear_reason {
	RAMP_GEAR_OCCUPANCY = 1,
	RAMP_GEAR_RANGE,
	RAMP_GEAR_LINK,
	RAMP_GEAR_IDLE
};

/* In events, and in what is known of rails */
enum {
	RAMP_A_UNSPEC,
	RAMP_A_PAD,
	RAMP_A_IFINDEX,			/* u32 */
	RAMP_A_HANDLE,			/* u32 */
	RAMP_A_PARENT,			/* u32 */
	RAMP_A_TIME,			/* u64 ns, CLOCK_MONOTONIC */
	RAMP_A_DIRECTION,		/* u32, enum ramp_direction */
	RAMP_A_SOURCE,			/* u32, enum ramp_source */
	RAMP_A_ACT,			/* u32, enum ramp_act */
	RAMP_A_TOOK,			/* u64 ns, in which the level crossed */
	RAMP_A_QUEUED,			/* u32, skbs that the gate counts */
	RAMP_A_DURATION,		/* u64 ns, of the ramp that is done */
	RAMP_A_CODES,			/* nested RAMP_A_CODES_ENTRY */
	RAMP_A_WHY,			/* u32, enum ramp_peer_why */
	RAMP_A_LOST,			/* u64, events of this qdisc lost until
					 * now
					 */
	RAMP_A_RAIL,			/* u32 */
	RAMP_A_STATE,			/* u32, enum ramp_state */
	RAMP_A_MEMBERS,			/* nested RAMP_A_MEMBERS_ENTRY */
	RAMP_A_GEAR_FROM,		/* u32 */
	RAMP_A_GEAR_TO,			/* u32 */
	RAMP_A_GEAR_REASON,		/* u32, enum ramp_gear_reason */
	__RAMP_A_MAX
};

#define RAMP_A_MAX (__RAMP_A_MAX - 1)

/* Nested in RAMP_A_CODES, one for each band */
enum {
	RAMP_A_CODES_UNSPEC,
	RAMP_A_CODES_ENTRY,		/* nested RAMP_A_CODE_* */
	__RAMP_A_CODES_MAX
};

#define RAMP_A_CODES_MAX (__RAMP_A_CODES_MAX - 1)

enum {
	RAMP_A_CODE_UNSPEC,
	RAMP_A_CODE_BAND,		/* u32 */
	RAMP_A_CODE_RATE,		/* u32, hundredths of a percent */
	__RAMP_A_CODE_MAX
};

#define RAMP_A_CODE_MAX (__RAMP_A_CODE_MAX - 1)

/* Nested in RAMP_A_MEMBERS, one for each qdisc of the rail */
enum {
	RAMP_A_MEMBERS_UNSPEC,
	RAMP_A_MEMBERS_ENTRY,		/* nested RAMP_A_MEMBER_* */
	__RAMP_A_MEMBERS_MAX
};

#define RAMP_A_MEMBERS_MAX (__RAMP_A_MEMBERS_MAX - 1)

enum {
	RAMP_A_MEMBER_UNSPEC,
	RAMP_A_MEMBER_IFINDEX,		/* u32 */
	RAMP_A_MEMBER_HANDLE,		/* u32 */
	RAMP_A_MEMBER_PARENT,		/* u32 */
	__RAMP_A_MEMBER_MAX
};

#define RAMP_A_MEMBER_MAX (__RAMP_A_MEMBER_MAX - 1)

enum {
	RAMP_CMD_UNSPEC,
	RAMP_CMD_SURGE,		/* event: who, TIME, DIRECTION, SOURCE, ACT,
				 * TOOK, QUEUED
				 */
	RAMP_CMD_DONE,		/* event: who, TIME, DURATION */
	RAMP_CMD_CODE,		/* event: who, TIME, CODES of all bands with a
				 * ladder, and of those that had one
				 */
	RAMP_CMD_PEER,		/* event: who, TIME, WHY, CODES */
	RAMP_CMD_RAIL_GET,	/* RAIL; or all */
	RAMP_CMD_GEAR,		/* event: who, TIME, GEAR_FROM, GEAR_TO,
				 * GEAR_REASON, QUEUED
				 */
	__RAMP_CMD_MAX
};

#define RAMP_CMD_MAX (__RAMP_CMD_MAX - 1)

#endif /* _UAPI_LINUX_RAMP_FAMILY_H */
