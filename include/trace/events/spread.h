/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM spread

#if !defined(_TRACE_SPREAD_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_SPREAD_H

#include <linux/netdevice.h>
#include <linux/tracepoint.h>
#include <net/ramp/flowlet.h>

TRACE_DEFINE_ENUM(RAMP_FLOW_BURST);
TRACE_DEFINE_ENUM(RAMP_FLOW_LEAVES);
TRACE_DEFINE_ENUM(RAMP_FLOW_ESCAPES_NOW);

#define SPREAD_TRACE_FATES \
	{ RAMP_FLOW_BURST, "burst" }, { RAMP_FLOW_LEAVES, "leaves" }, \
	{ RAMP_FLOW_ESCAPES_NOW, "escapes" }

/*
 * A port was read: packets that wait, what it can hold, and the class that
 * follows. With @up false it is no candidate, whatever its class.
 */
TRACE_EVENT(spread_sample,

	TP_PROTO(const struct net_device *team, const struct net_device *port,
		 u64 sample, u32 waiting, u32 capacity, u32 class, bool up),

	TP_ARGS(team, port, sample, waiting, capacity, class, up),

	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(int, port)
		__field(u64, sample)
		__field(u32, waiting)
		__field(u32, capacity)
		__field(u32, class)
		__field(bool, up)
	),

	TP_fast_assign(
		__entry->ifindex = team->ifindex;
		__entry->port = port->ifindex;
		__entry->sample = sample;
		__entry->waiting = waiting;
		__entry->capacity = capacity;
		__entry->class = class;
		__entry->up = up;
	),

	TP_printk("ifindex=%d port=%d sample=%llu waiting=%u capacity=%u class=%u up=%d",
		  __entry->ifindex, __entry->port, __entry->sample,
		  __entry->waiting, __entry->capacity, __entry->class,
		  __entry->up)
);

/*
 * A flow goes on at another port: after a pause (burst), because its port went
 * down, left the flow's set or is full (leaves), or because its port has been
 * far fuller than others for long (escapes). @flow is the entry in the table.
 */
TRACE_EVENT(spread_move,

	TP_PROTO(const struct net_device *team, u32 flow,
		 enum ramp_flow_fate fate, u32 set,
		 const struct net_device *to),

	TP_ARGS(team, flow, fate, set, to),

	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, flow)
		__field(u32, fate)
		__field(u32, set)
		__field(int, to)
	),

	TP_fast_assign(
		__entry->ifindex = team->ifindex;
		__entry->flow = flow;
		__entry->fate = fate;
		__entry->set = set;
		__entry->to = to->ifindex;
	),

	TP_printk("ifindex=%d flow=%u why=%s set=%u to=%d",
		  __entry->ifindex, __entry->flow,
		  __print_symbolic(__entry->fate, SPREAD_TRACE_FATES),
		  __entry->set, __entry->to)
);

#endif /* _TRACE_SPREAD_H */

#include <trace/define_trace.h>
