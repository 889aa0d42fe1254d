/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Netlink interface of the action mpolice: a policy on a shared token bucket.
 *
 * One attribute per parameter. Rates are bytes (or packets) per second, sizes
 * are bytes (or packets, where the bucket counts packets), times are
 * nanoseconds.
 */
#ifndef __LINUX_TC_MPOLICE_H
#define __LINUX_TC_MPOLICE_H

#include <linux/types.h>
#include <linux/pkt_cls.h>

/**
 * enum mpolice_policy - what an action does with its bucket
 * @MPOLICE_POLICY_DROP: a packet that would leave fewer tokens than threshold
 *	exceeds and is not charged, all others are
 * @MPOLICE_POLICY_ACCOUNT: every packet conforms and is charged, down to -debt
 * @MPOLICE_POLICY_BYPASS: every packet conforms, none is charged
 */
enum mpolice_policy {
	MPOLICE_POLICY_DROP,
	MPOLICE_POLICY_ACCOUNT,
	MPOLICE_POLICY_BYPASS,
	/* private: */
	__MPOLICE_POLICY_MAX
};

#define MPOLICE_POLICY_MAX (__MPOLICE_POLICY_MAX - 1)

/* A debt without end */
#define MPOLICE_DEBT_UNLIMITED	(~0ULL)

/* Bytes per second, at most */
#define MPOLICE_RATE_MAX	(1ULL << 40)

/* Tokens that burst, threshold and debt may be, at most */
#define MPOLICE_TOKENS_MAX	(1ULL << 40)

/* Nanoseconds, at most */
#define MPOLICE_INTERVAL_MAX	60000000000ULL

/* Bytes: a smaller burst is refused (all of them in bytes, not in packets) */
#define MPOLICE_BURST_MIN	1514

/* What TCA_MPOLICE_STATS holds. May grow at its end. A GSO packet counts as its
 * segments. Of a packet that the debt allows to charge in part, the tokens
 * charged are over, the rest is uncharged, and so is what cannot be divided.
 */
struct mpolice_stats {
	__u64 conformed_packets;	/* drop and account, charged in full */
	__u64 conformed_bytes;
	__u64 exceeded_packets;		/* drop */
	__u64 exceeded_bytes;
	__u64 over_packets;		/* account: conformed below threshold */
	__u64 over_bytes;
	__u64 uncharged_packets;	/* account: passed beyond -debt */
	__u64 uncharged_bytes;
	__u64 bypassed_packets;
	__u64 bypassed_bytes;
};

/* TCA_ACT_OPTIONS */
enum {
	TCA_MPOLICE_UNSPEC,
	TCA_MPOLICE_PAD,
	TCA_MPOLICE_INDEX,		/* u32 */
	TCA_MPOLICE_TM,			/* struct tcf_t; dump only */
	TCA_MPOLICE_REFCNT,		/* u32; dump only */
	TCA_MPOLICE_BINDCNT,		/* u32; dump only */
	TCA_MPOLICE_EXCEED,		/* s32, TC_ACT_*; default TC_ACT_SHOT */
	TCA_MPOLICE_CONFORM,		/* s32, TC_ACT_*; default TC_ACT_PIPE */
	TCA_MPOLICE_POLICY,		/* u32, enum mpolice_policy */
	TCA_MPOLICE_THRESHOLD,		/* u64, tokens */
	TCA_MPOLICE_STATS,		/* struct mpolice_stats; dump only */
	TCA_MPOLICE_BUCKET,		/* u32, 1 .. 2^32-1 */
	/* Of the bucket: with RATE or PPS it is made, or changed */
	TCA_MPOLICE_RATE,		/* u64, bytes per second */
	TCA_MPOLICE_PPS,		/* u64, packets per second */
	TCA_MPOLICE_BURST,		/* u64, tokens */
	TCA_MPOLICE_INTERVAL,		/* u64, ns; 0: tokens come continuously
					 */
	TCA_MPOLICE_DEBT,		/* u64, tokens; MPOLICE_DEBT_UNLIMITED
					 */
	TCA_MPOLICE_TOKENS,		/* s64; dump only */
	TCA_MPOLICE_USERS,		/* u32, actions of the bucket; dump only
					 */
	TCA_MPOLICE_STRANDED,		/* u64, tokens CPUs may hold back; dump
					 * only
					 */
	TCA_MPOLICE_PACKETS,		/* u32, what the tokens of this message
					 * are: 0 bytes, 1 packets; refused if
					 * the bucket counts the other
					 */
	__TCA_MPOLICE_MAX
};

#define TCA_MPOLICE_MAX (__TCA_MPOLICE_MAX - 1)

#endif
