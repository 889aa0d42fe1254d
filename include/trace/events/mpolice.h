/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mpolice

#if !defined(_TRACE_MPOLICE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_MPOLICE_H

#include <linux/skbuff.h>
#include <linux/tracepoint.h>

/*
 * A packet exceeded: @size tokens would have left less than the threshold of
 * the
 * @tokens that the bucket had, when this CPU last looked.
 */
TRACE_EVENT(mpolice_exceed,

	TP_PROTO(const struct sk_buff *skb, u32 bucket, u32 index, u32 size,
		 s64 tokens),

	TP_ARGS(skb, bucket, index, size, tokens),

	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, bucket)
		__field(u32, index)
		__field(u32, size)
		__field(s64, tokens)
	),

	TP_fast_assign(
		__entry->ifindex = skb->dev ? skb->dev->ifindex : 0;
		__entry->bucket = bucket;
		__entry->index = index;
		__entry->size = size;
		__entry->tokens = tokens;
	),

	TP_printk("ifindex=%d bucket=%u index=%u size=%u tokens=%lld",
		  __entry->ifindex, __entry->bucket, __entry->index,
		  __entry->size, __entry->tokens)
);

#endif /* _TRACE_MPOLICE_H */

#include <trace/define_trace.h>
