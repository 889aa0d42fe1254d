/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The qdisc ramp_mq: a ramp for each transmit queue of a device, all on one
 * rail
 */
#ifndef _NET_SCHED_RAMP_MQ_H
#define _NET_SCHED_RAMP_MQ_H

#include <linux/netdevice.h>
#include <linux/types.h>
#include <net/sch_generic.h>

#include "rail.h"

struct ramp_codes;
struct ramp_ear;

/**
 * struct ramp_mq - what a ramp_mq and its ramps have in common, under RTNL
 * @rail: which has no number, so that no other qdisc joins it
 * @codes: who tells codes for all ramps, or NULL
 * @ear: who hears them, or NULL
 * @users: the ramp_mq, and the ramps; the last of them to go frees this
 */
struct ramp_mq {
	struct ramp_rail	rail;
	struct ramp_codes	*codes;
	struct ramp_ear		*ear;
	u32			users;
};

static inline u32 ramp_mq_index(const struct Qdisc *part)
{
	return TC_H_MIN(part->parent) - 1;
}

/* Under RTNL. */
static inline bool ramp_mq_is_used(const struct Qdisc *part)
{
	return ramp_mq_index(part) < qdisc_dev(part)->real_num_tx_queues;
}

/* An event of a rail is told to all its members at once, in softirq; so not to
 * more of them than one with a number may have. The others climb by themselves.
 */
static inline bool ramp_mq_is_on_rail(const struct Qdisc *part)
{
	return ramp_mq_is_used(part) &&
	       ramp_mq_index(part) < RAMP_RAIL_MEMBERS_MAX;
}

/* rail_net.c: under RTNL */
struct ramp_mq *ramp_mq_get(const struct Qdisc *sch);
#if IS_ENABLED(CONFIG_NET_SCH_RAMP_RAILS)
void ramp_mq_put(struct ramp_mq *mq);
#else
static inline void ramp_mq_put(struct ramp_mq *mq)
{
}
#endif

/* mq.c */
extern struct Qdisc_ops ramp_mq_qdisc_ops;

#endif /* _NET_SCHED_RAMP_MQ_H */
