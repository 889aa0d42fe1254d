/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which ramp qdiscs want to hear of which devices: of the one that they are on,
 * and of those that they name, which codes go out of or gears follow
 */
#ifndef _NET_SCHED_RAMP_WATCH_H
#define _NET_SCHED_RAMP_WATCH_H

#include <linux/list.h>
#include <linux/ramp.h>
#include <linux/types.h>

#include "code_config.h"

struct net_device;
struct Qdisc;
struct ramp_config;

/* Devices that a qdisc can name */
#define RAMP_NAMED_MAX	(RAMP_CODE_DEVS + RAMP_GEAR_PORTS_MAX)

/**
 * struct ramp_watch - a qdisc wants to hear of a device: of the one that it is
 *	on, if it is @watch of the qdisc, or of one that it names
 * @node: in the hash, if it stands for all that want to hear of the device;
 *	else in
 *	@others of that one
 * @others: those that it stands for
 * @dev: the device, which is only compared; NULL: none
 * @sch: the qdisc
 */
struct ramp_watch {
	struct hlist_node	node;
	struct hlist_head	others;
	const struct net_device	*dev;
	struct Qdisc		*sch;
};

/**
 * struct ramp_named - the devices that a qdisc names
 * @count: how many
 * @watch: each of them once
 */
struct ramp_named {
	u32			count;
	struct ramp_watch	watch[RAMP_NAMED_MAX];
};

/* device.c: under RTNL */
void ramp_watch_begin(struct Qdisc *sch);
int ramp_watch_prepare(struct Qdisc *sch, const struct ramp_config *config);
void ramp_watch_commit(struct Qdisc *sch);
void ramp_watch_end(struct Qdisc *sch);
int ramp_watch_register(void);
void ramp_watch_unregister(void);

#endif /* _NET_SCHED_RAMP_WATCH_H */
