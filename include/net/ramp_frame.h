/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the segments of a GSO packet have as frames.
 */
#ifndef _NET_RAMP_FRAME_H
#define _NET_RAMP_FRAME_H

#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/types.h>
#include <linux/udp.h>

/**
 * ramp_frame_headers - the headers that each segment of a packet has
 * @skb: GSO packet
 *
 * From where the data of @skb begin up to the payload. A guest sends what it
 * likes, so nothing in the packet is believed.
 *
 * Return: bytes, less than @skb has; 0 if they cannot be found
 */
static inline u32 ramp_frame_headers(const struct sk_buff *skb)
{
	u32 type = skb_shinfo(skb)->gso_type;
	const struct tcphdr *th;
	struct tcphdr copy;
	int headers;

	if (skb->encapsulation)
		headers = skb_inner_transport_offset(skb);
	else if (skb_transport_header_was_set(skb))
		headers = skb_transport_offset(skb);
	else
		return 0;
	if (headers < 0)
		return 0;
	if (type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6)) {
		th = skb_header_pointer(skb, headers, sizeof(copy), &copy);
		if (!th || __tcp_hdrlen(th) < sizeof(*th))
			return 0;
		headers += __tcp_hdrlen(th);
	} else if (type & SKB_GSO_UDP_L4) {
		headers += sizeof(struct udphdr);
	}
	return headers < skb->len ? headers : 0;
}

#endif /* _NET_RAMP_FRAME_H */
