/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ramp

#if !defined(_TRACE_RAMP_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_RAMP_H

#include <linux/tracepoint.h>
#include <net/ramp/edge.h>
#include <net/ramp/gears.h>
#include <net/sch_generic.h>

TRACE_DEFINE_ENUM(RAMP_UP);
TRACE_DEFINE_ENUM(RAMP_DOWN);
TRACE_DEFINE_ENUM(RAMP_SLEW);
TRACE_DEFINE_ENUM(RAMP_SOURCE_QUEUE);
TRACE_DEFINE_ENUM(RAMP_SOURCE_INGRESS);
TRACE_DEFINE_ENUM(RAMP_SOURCE_STALL);
TRACE_DEFINE_ENUM(RAMP_SOURCE_MEMBERS);
TRACE_DEFINE_ENUM(RAMP_ACT_RAMP);
TRACE_DEFINE_ENUM(RAMP_ACT_TURN);
TRACE_DEFINE_ENUM(RAMP_ACT_RUNNING);
TRACE_DEFINE_ENUM(RAMP_ACT_SELF);
TRACE_DEFINE_ENUM(RAMP_ACT_EMPTY);
TRACE_DEFINE_ENUM(RAMP_ACT_MONITOR);
TRACE_DEFINE_ENUM(RAMP_GEARS_OCCUPANCY);
TRACE_DEFINE_ENUM(RAMP_GEARS_RANGE);
TRACE_DEFINE_ENUM(RAMP_GEARS_LINK);
TRACE_DEFINE_ENUM(RAMP_GEARS_IDLE);

#define RAMP_TRACE_DIRS \
	{ RAMP_UP, "up" }, { RAMP_DOWN, "down" }, { RAMP_SLEW, "always" }

/*
 * A surge, and what became of it: ramp (one begins), turn (the running one
 * turns round), running (one already goes that way), self (a ramp's own
 * backlog draining), empty (nothing waits), monitor (the queue is judged from
 * now on).
 */
#define RAMP_TRACE_SOURCES \
	{ RAMP_SOURCE_QUEUE, "queue" }, { RAMP_SOURCE_INGRESS, "ingress" }, \
	{ RAMP_SOURCE_STALL, "stall" }, { RAMP_SOURCE_MEMBERS, "members" }

#define RAMP_TRACE_ACTS \
	{ RAMP_ACT_RAMP, "ramp" }, { RAMP_ACT_TURN, "turn" }, \
	{ RAMP_ACT_RUNNING, "running" }, { RAMP_ACT_SELF, "self" }, \
	{ RAMP_ACT_EMPTY, "empty" }, { RAMP_ACT_MONITOR, "monitor" }

TRACE_EVENT(ramp_surge,

	TP_PROTO(const struct Qdisc *sch, enum ramp_dir dir,
		 enum ramp_source source, enum ramp_act act, u64 took,
		 u32 queued),

	TP_ARGS(sch, dir, source, act, took, queued),

	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, handle)
		__field(u32, dir)
		__field(u32, source)
		__field(u32, act)
		__field(u64, took)
		__field(u32, queued)
	),

	TP_fast_assign(
		__entry->ifindex = qdisc_dev(sch)->ifindex;
		__entry->handle = sch->handle;
		__entry->dir = dir;
		__entry->source = source;
		__entry->act = act;
		__entry->took = took;
		__entry->queued = queued;
	),

	TP_printk("ifindex=%d handle=%x: dir=%s source=%s act=%s took=%llu queued=%u",
		  __entry->ifindex, __entry->handle >> 16,
		  __print_symbolic(__entry->dir, RAMP_TRACE_DIRS),
		  __print_symbolic(__entry->source, RAMP_TRACE_SOURCES),
		  __print_symbolic(__entry->act, RAMP_TRACE_ACTS),
		  __entry->took, __entry->queued)
);

/*
 * A tick of a ramp is over: what it allowed, what of that had to pay for
 * larger packets of earlier ticks, and what left in it. With @over > 1 the
 * ticks that followed this one passed unused: nothing wanted to leave, or
 * nothing could, in a pause or as they paid for larger packets, or, of the last
 * @late of them, the timer was late. Of the slew limiter it is a look at the
 *	clock: what may leave per tick from now on, and what left since the last
 *	look.
 */
TRACE_EVENT(ramp_tick,

	TP_PROTO(const struct Qdisc *sch, enum ramp_dir dir, u64 index,
		 u64 allowance, u64 paid, u64 used, u64 over, u64 late,
		 bool packets),

	TP_ARGS(sch, dir, index, allowance, paid, used, over, late, packets),

	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, handle)
		__field(u32, dir)
		__field(u64, index)
		__field(u64, allowance)
		__field(u64, paid)
		__field(u64, used)
		__field(u64, over)
		__field(u64, late)
		__field(bool, packets)
	),

	TP_fast_assign(
		__entry->ifindex = qdisc_dev(sch)->ifindex;
		__entry->handle = sch->handle;
		__entry->dir = dir;
		__entry->index = index;
		__entry->allowance = allowance;
		__entry->paid = paid;
		__entry->used = used;
		__entry->over = over;
		__entry->late = late;
		__entry->packets = packets;
	),

	TP_printk("ifindex=%d handle=%x: dir=%s index=%llu allowance=%llu paid=%llu used=%llu over=%llu late=%llu unit=%s",
		  __entry->ifindex, __entry->handle >> 16,
		  __print_symbolic(__entry->dir, RAMP_TRACE_DIRS),
		  __entry->index, __entry->allowance, __entry->paid,
		  __entry->used, __entry->over, __entry->late,
		  __entry->packets ? "packets" : "bytes")
);

/*
 * A ladder moved: the band asks for another rate, hundredths of a percent, as
 * it has so many skbs now.
 */
TRACE_EVENT(ramp_code,

	TP_PROTO(const struct Qdisc *sch, u32 band, u32 level, u32 rate,
		 u32 queued),

	TP_ARGS(sch, band, level, rate, queued),

	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, handle)
		__field(u32, band)
		__field(u32, level)
		__field(u32, rate)
		__field(u32, queued)
	),

	TP_fast_assign(
		__entry->ifindex = qdisc_dev(sch)->ifindex;
		__entry->handle = sch->handle;
		__entry->band = band;
		__entry->level = level;
		__entry->rate = rate;
		__entry->queued = queued;
	),

	TP_printk("ifindex=%d handle=%x: band=%u level=%u rate=%u queued=%u",
		  __entry->ifindex, __entry->handle >> 16, __entry->band,
		  __entry->level, __entry->rate, __entry->queued)
);

#define RAMP_TRACE_GEARS \
	{ RAMP_GEARS_OCCUPANCY, "occupancy" }, { RAMP_GEARS_RANGE, "range" }, \
	{ RAMP_GEARS_LINK, "link" }, { RAMP_GEARS_IDLE, "idle" }

/*
 * Another gear was taken while so many skbs waited, as these ask for it
 * (occupancy), as the controller's range does (range), as the links do (link),
 * or as nothing came for a while, or something came again (idle).
 */
TRACE_EVENT(ramp_gear,

	TP_PROTO(const struct Qdisc *sch, u32 from, u32 to,
		 enum ramp_gears_why reason, u32 occupancy),

	TP_ARGS(sch, from, to, reason, occupancy),

	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, handle)
		__field(u32, from)
		__field(u32, to)
		__field(u32, reason)
		__field(u32, occupancy)
	),

	TP_fast_assign(
		__entry->ifindex = qdisc_dev(sch)->ifindex;
		__entry->handle = sch->handle;
		__entry->from = from;
		__entry->to = to;
		__entry->reason = reason;
		__entry->occupancy = occupancy;
	),

	TP_printk("ifindex=%d handle=%x: from=%u to=%u reason=%s occupancy=%u",
		  __entry->ifindex, __entry->handle >> 16, __entry->from,
		  __entry->to,
		  __print_symbolic(__entry->reason, RAMP_TRACE_GEARS),
		  __entry->occupancy)
);

#endif /* _TRACE_RAMP_H */

#include <trace/define_trace.h>
