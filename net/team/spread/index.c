// SPDX-License-Identifier: GPL-2.0
/*
 * Team mode spread: the candidate set of a frame
 *
 * US 8625624, [0036]: an index made of a frame's forwarding information finds
 * the ports that reach its destination.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <compat/team_compat.h>
#include "spread.h"

/* In a frame, as many as the kernel itself looks behind */
#define SPREAD_TAGS_MOST	8

/* The tag beside the frame is the outer one, if there are two. */
static u32 spread_vlan(const struct sk_buff *skb)
{
	struct vlan_ethhdr buffer;
	const struct vlan_ethhdr *header;

	if (skb_vlan_tag_present(skb))
		return skb_vlan_tag_get_id(skb);
	if (!eth_type_vlan(skb->protocol))
		return 0;
	header = skb_header_pointer(skb, 0, sizeof(buffer), &buffer);
	if (!header)
		return 0;
	return ntohs(header->h_vlan_TCI) & VLAN_VID_MASK;
}

static u32 spread_dst(const struct sk_buff *skb)
{
	const u8 *address;
	u8 buffer[ETH_ALEN];

	if (skb->dev->type != ARPHRD_ETHER)
		return 0;
	address = skb_header_pointer(skb, 0, sizeof(buffer), buffer);
	return address ? ramp_spread_set_of(address, ETH_ALEN) : 0;
}

/* What comes after the tags that are in the frame, and where, @at. A bridge
 * that took one out of the frame leaves the network header at the next one.
 */
static __be16 spread_network(const struct sk_buff *skb, u32 *at)
{
	__be16 protocol = skb->protocol;
	const struct vlan_hdr *tag;
	struct vlan_hdr buffer;
	u32 tags;

	*at = skb_network_offset(skb);
	if (!eth_type_vlan(protocol))
		return protocol;
	*at = ETH_HLEN;
	for (tags = 0; eth_type_vlan(protocol); tags++) {
		tag = skb_header_pointer(skb, *at, sizeof(buffer), &buffer);
		if (!tag || tags == SPREAD_TAGS_MOST)
			return 0;
		protocol = tag->h_vlan_encapsulated_proto;
		*at += VLAN_HLEN;
	}
	return protocol;
}

static u32 spread_ip(const struct sk_buff *skb)
{
	struct in6_addr buffer;
	const void *address;
	u32 len, at;

	switch (spread_network(skb, &at)) {
	case htons(ETH_P_IP):
		at += offsetof(struct iphdr, daddr);
		len = sizeof(struct in_addr);
		break;
	case htons(ETH_P_IPV6):
		at += offsetof(struct ipv6hdr, daddr);
		len = sizeof(struct in6_addr);
		break;
	default:
		return 0;
	}
	address = skb_header_pointer(skb, at, len, &buffer);
	return address ? ramp_spread_set_of(address, len) : 0;
}

/**
 * spread_index_set - which candidate set is a frame's?
 * @index: how that is found, not SPREAD_INDEX_NONE
 * @skb: frame, its data begin with the link header
 *
 * Return: 0..RAMP_SPREAD_SETS - 1; a frame without what is looked for: 0
 */
u32 spread_index_set(enum spread_index index, const struct sk_buff *skb)
{
	u32 number;

	switch (index) {
	case SPREAD_INDEX_PRIORITY:
		number = skb->priority;
		break;
	case SPREAD_INDEX_MARK:
		number = skb->mark;
		break;
	case SPREAD_INDEX_VLAN:
		number = spread_vlan(skb);
		break;
	case SPREAD_INDEX_DST:
		number = spread_dst(skb);
		break;
	default:
		number = spread_ip(skb);
		break;
	}
	return number % RAMP_SPREAD_SETS;
}
