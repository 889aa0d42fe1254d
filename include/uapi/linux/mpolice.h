/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Generic netlink family "mpolice": the token buckets of a network namespace.
 *
 * Buckets are made and freed by the actions that name them
 * (linux/tc_act/tc_mpolice.h has the units).
 */
#ifndef _UAPI_LINUX_MPOLICE_H
#define _UAPI_LINUX_MPOLICE_H

#include <linux/types.h>

#define MPOLICE_FAMILY_NAME	"mpolice"
#define MPOLICE_FAMILY_VERSION	1

/* MPOLICE_CMD_BUCKET_GET: one by ID, or a dump of all. MPOLICE_CMD_BUCKET_SET:
 *	ID and what is to change; needs CAP_NET_ADMIN.
 *	MPOLICE_CMD_BUCKET_REPOINT: all actions of ID draw from TARGET from now
 *	on, in one step; the bucket ID is gone afterwards; needs CAP_NET_ADMIN.
 */
enum {
	MPOLICE_CMD_BUCKET_GET = 1,
	MPOLICE_CMD_BUCKET_SET,
	MPOLICE_CMD_BUCKET_REPOINT,
	__MPOLICE_CMD_MAX
};

#define MPOLICE_CMD_MAX (__MPOLICE_CMD_MAX - 1)

enum {
	MPOLICE_A_BUCKET_PAD = 1,
	MPOLICE_A_BUCKET_ID,		/* u32 */
	MPOLICE_A_BUCKET_TARGET,	/* u32 */
	MPOLICE_A_BUCKET_RATE,		/* u64, bytes per second */
	MPOLICE_A_BUCKET_PPS,		/* u64, packets per second */
	MPOLICE_A_BUCKET_BURST,		/* u64, tokens */
	MPOLICE_A_BUCKET_INTERVAL,	/* u64, ns */
	MPOLICE_A_BUCKET_DEBT,		/* u64, tokens */
	MPOLICE_A_BUCKET_TOKENS,	/* s64 */
	MPOLICE_A_BUCKET_USERS,		/* u32 */
	MPOLICE_A_BUCKET_STRANDED,	/* u64, tokens */
	MPOLICE_A_BUCKET_STATS,		/* struct mpolice_stats: of its actions
					 */
	__MPOLICE_A_BUCKET_MAX
};

#define MPOLICE_A_BUCKET_MAX (__MPOLICE_A_BUCKET_MAX - 1)

#endif
