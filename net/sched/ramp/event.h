/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a ramp qdisc tells those who listen
 *
 * It is decided under the root lock, and sent by a work item that knows nothing
 * of that lock. Between them is one lock, the last of all: under it nothing is
 * called that takes another one, but for the queueing of the work item.
 */
#ifndef _NET_SCHED_RAMP_EVENT_H
#define _NET_SCHED_RAMP_EVENT_H

#include <compat/ramp_compat.h>
#include <linux/ramp.h>
#include <linux/ramp_family.h>
#include <linux/spinlock.h>
#include <net/ramp/edge.h>
#include <net/ramp/gears.h>

struct genl_family;
struct genl_ops;
struct net;
struct net_device;
struct Qdisc;

/* Events that may wait for the work item. A power of two. */
#define RAMP_EVENTS	64

/**
 * struct ramp_event - something that others may want to know
 * @time: ns
 * @seq: number of the message
 * @cmd: RAMP_CMD_*
 * @dir: enum ramp_dir
 * @source: enum ramp_source
 * @act: enum ramp_act
 * @why: enum ramp_peer_why, or enum ramp_gear_reason
 * @queued: skbs that the gate counts
 * @from: gear until then
 * @to: gear from then on
 * @span: ns, in which the level crossed, or that the ramp took
 * @bands: bitmap of the bands whose codes are in @rate
 * @rate: hundredths of a percent, by band
 */
struct ramp_event {
	u64	time;
	u32	seq;
	u8	cmd;
	u8	dir;
	u8	source;
	u8	act;
	u8	why;
	union {
		struct {
			u32	queued;
			u8	from;
			u8	to;
			u64	span;
		};
		struct {
			u16	bands;
			u16	rate[RAMP_BANDS_MAX];
		};
	};
};

/**
 * struct ramp_events - what waits to be told, in a ring
 * @lock: for what follows
 * @sch: the qdisc
 * @work: tells it
 * @in: events ever put in
 * @out: events ever taken out
 * @seq: number of the last message
 * @lost: events that there was no room for
 * @codes_lost: the last codes are among them
 * @bands: bitmap of the bands that have a ladder
 * @rate: hundredths of a percent, their codes now
 * @ring: events
 */
struct ramp_events {
	spinlock_t		lock;	/* of all below */
	struct Qdisc		*sch;
	struct ramp_bh		work;
	u32			in;
	u32			out;
	u32			seq;
	u64			lost;
	bool			codes_lost;
	u16			bands;
	u16			rate[RAMP_BANDS_MAX];
	struct ramp_event	ring[RAMP_EVENTS];
};

/* event.c */
int ramp_events_prepare(struct Qdisc *sch);
u64 ramp_events_lost(const struct Qdisc *sch);
void ramp_events_destroy(struct Qdisc *sch);
void ramp_event_surge(struct Qdisc *sch, enum ramp_dir dir,
		      enum ramp_source source, enum ramp_act act, u64 took,
		      u32 queued, u64 now);
void ramp_event_done(struct Qdisc *sch, u64 took, u64 now);
void ramp_event_codes(struct Qdisc *sch, u32 bands, const u16 *rate);
void ramp_event_keep(struct Qdisc *sch, u32 bands, const u16 *rate);
void ramp_event_peer(struct Qdisc *sch, enum ramp_peer_why why, u32 bands,
		     const u16 *rate, u64 now);
void ramp_event_gear(struct Qdisc *sch, u32 from, u32 to,
		     enum ramp_gears_why why, u64 now);

extern struct genl_family ramp_family;
int ramp_genl_register(const struct genl_ops *ops, u32 n);
void ramp_genl_unregister(void);

#endif /* _NET_SCHED_RAMP_EVENT_H */
