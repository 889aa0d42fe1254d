// SPDX-License-Identifier: GPL-2.0
/*
 * Classifiers for cls_bpf, in front of the default policy
 *
 * miss: a flow that has no entry matches once, and again when it has had none for
 * REPEAT_NS, so that a daemon which was away hears of it. One that needs none
 * does not match again until another daemon begins. At most RATE flows match in
 * a second, which devices share evenly; those beyond match later. How many flows
 * are known is bounded by the map.
 *
 * nvme: packets of connections in which a PDU header of NVMe/TCP was seen, whatever
 * their ports are, until the connection ends or has been silent for SILENT_NS.
 *
 * Neither changes or drops a packet.
 */

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define FLOWS		65536
#define RATE		5000
#define DEVICES		4096
#define SECOND_NS	1000000000ULL
#define REPEAT_NS	(10 * SECOND_NS)
#define SILENT_NS	(300 * SECOND_NS)
#define EXTENSIONS	4
/* What the daemon writes has this bit, which no time has. */
#define KNOWN		(1ULL << 63)

#define MATCH		(-1)
#define NO_MATCH	0

/*
 * The document's 5-tuple, of both directions: the lower end comes first. IPv4 addresses
 * are in the last words. The same flow at two devices is that of two endpoints.
 */
struct flow {
	__be32 address[2][4];
	__be16 port[2];
	__u32 protocol;
	__u32 device;
};

/* A second, and how many devices had flows to report in it and in the one before. */
struct second {
	__u64 begin;
	__u64 devices;
	__u64 devices_before;
};

/* What a device has had of the second that began then. */
struct share {
	__u64 begin;
	__u64 count;
};

/*
 * Each filter is an instance of its own. Pinned maps are shared by all of them, and so are
 * their bounds. The values are the times of the last report, and of the last
 * packet; or of a flow that needs no entry the number of the daemon that said so.
 */
struct flow_times {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FLOWS);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
	__type(key, struct flow);
	__type(value, __u64);
};

struct flow_times mpflow_reported SEC(".maps");
struct flow_times mpflow_storage SEC(".maps");

/* The number of the daemon that began last. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
	__type(key, __u32);
	__type(value, __u64);
} mpflow_daemon SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
	__type(key, __u32);
	__type(value, struct second);
} mpflow_second SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, DEVICES);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
	__type(key, __u32);
	__type(value, struct share);
} mpflow_shares SEC(".maps");

static __always_inline int is_turned(const struct flow *flow)
{
	int i;

#pragma unroll
	for (i = 0; i < 4; i++)
		if (flow->address[0][i] != flow->address[1][i])
			return flow->address[0][i] > flow->address[1][i];
	return flow->port[0] > flow->port[1];
}

static __always_inline void turn(struct flow *flow)
{
	__be16 port = flow->port[0];
	__be32 word;
	int i;

#pragma unroll
	for (i = 0; i < 4; i++) {
		word = flow->address[0][i];
		flow->address[0][i] = flow->address[1][i];
		flow->address[1][i] = word;
	}
	flow->port[0] = flow->port[1];
	flow->port[1] = port;
}

/*
 * Those that flower skips, too: it knows an entry by what comes after them. Returns where
 * that is, or 0 if it is a fragment or too far away.
 */
static __always_inline __u32 skip_extensions(struct __sk_buff *skb, __u32 at, __u8 *next)
{
	__u8 head[2];
	int i;

#pragma unroll
	for (i = 0; i < EXTENSIONS; i++) {
		if (*next != IPPROTO_HOPOPTS && *next != IPPROTO_ROUTING &&
		    *next != IPPROTO_DSTOPTS)
			break;
		if (bpf_skb_load_bytes(skb, at, head, sizeof(head)) < 0)
			return 0;
		*next = head[0];
		at += (head[1] + 1) * 8;
	}
	switch (*next) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_DSTOPTS:
	case IPPROTO_FRAGMENT:
		return 0;
	}
	return at;
}

/* Returns where the transport header is, or 0 if there is no flow. */
static __always_inline __u32 parse(struct __sk_buff *skb, struct flow *flow)
{
	__u32 at = ETH_HLEN;

	__builtin_memset(flow, 0, sizeof(*flow));
	if (skb->protocol == bpf_htons(ETH_P_IP)) {
		struct iphdr ip;

		if (bpf_skb_load_bytes(skb, at, &ip, sizeof(ip)) < 0)
			return 0;
		/* Of a fragment flower looks at no ports, by which an entry could know it. */
		if (ip.frag_off & bpf_htons(0x3fff))
			return 0;
		flow->address[0][3] = ip.saddr;
		flow->address[1][3] = ip.daddr;
		flow->protocol = ip.protocol;
		at += ip.ihl * 4;
	} else if (skb->protocol == bpf_htons(ETH_P_IPV6)) {
		struct ipv6hdr ip6;

		if (bpf_skb_load_bytes(skb, at, &ip6, sizeof(ip6)) < 0)
			return 0;
		__builtin_memcpy(flow->address[0], &ip6.saddr, sizeof(flow->address[0]));
		__builtin_memcpy(flow->address[1], &ip6.daddr, sizeof(flow->address[1]));
		at = skip_extensions(skb, at + sizeof(ip6), &ip6.nexthdr);
		if (!at)
			return 0;
		flow->protocol = ip6.nexthdr;
	} else {
		return 0;
	}
	if ((flow->protocol == IPPROTO_TCP || flow->protocol == IPPROTO_UDP) &&
	    bpf_skb_load_bytes(skb, at, flow->port, sizeof(flow->port)) < 0)
		return 0;
	flow->device = skb->ifindex;
	if (is_turned(flow))
		turn(flow);
	return at;
}

/*
 * Whoever comes in a second finds what is left for one of so many. So the first one cannot
 * take all of it from the others; and devices that were silent before may get more than
 * RATE together, for one second.
 */
static __always_inline int within_rate(__u64 now, __u32 device)
{
	struct share *share, none = {};
	struct second *second;
	__u64 devices;
	__u32 first = 0;

	second = bpf_map_lookup_elem(&mpflow_second, &first);
	share = bpf_map_lookup_elem(&mpflow_shares, &device);
	if (!share) {
		bpf_map_update_elem(&mpflow_shares, &device, &none, BPF_NOEXIST);
		share = bpf_map_lookup_elem(&mpflow_shares, &device);
	}
	if (!second || !share)
		return 0;
	if (now - second->begin >= SECOND_NS) {
		second->devices_before = now - second->begin < 2 * SECOND_NS ?
			second->devices : 0;
		second->devices = 0;
		second->begin = now;
	}
	if (share->begin != second->begin) {
		share->begin = second->begin;
		share->count = 0;
		__sync_fetch_and_add(&second->devices, 1);
	}
	devices = second->devices;
	if (devices < second->devices_before)
		devices = second->devices_before;
	return __sync_fetch_and_add(&share->count, 1) < RATE / (devices ?: 1);
}

/* Whether the daemon has just heard of it, or need not hear of it again. */
static __always_inline int is_told(__u64 now, __u64 last)
{
	__u32 first = 0;
	__u64 *daemon;

	if (!(last & KNOWN))
		return now - last < REPEAT_NS;
	daemon = bpf_map_lookup_elem(&mpflow_daemon, &first);
	return daemon && *daemon == last;
}

SEC("miss")
int flow_miss(struct __sk_buff *skb)
{
	__u64 now = bpf_ktime_get_ns();
	struct flow flow;
	__u64 *last;

	/* An entry is for IP, which to tc a packet with a VLAN tag is not. */
	if (skb->vlan_present || !parse(skb, &flow))
		return NO_MATCH;
	last = bpf_map_lookup_elem(&mpflow_reported, &flow);
	if (last) {
		if (is_told(now, *last) || !within_rate(now, skb->ifindex))
			return NO_MATCH;
		*last = now;
		return MATCH;
	}
	if (!within_rate(now, skb->ifindex))
		return NO_MATCH;
	/* Of two CPUs with the same flow one is first. */
	return bpf_map_update_elem(&mpflow_reported, &flow, &now, BPF_NOEXIST) ?
		NO_MATCH : MATCH;
}

/* The header that all PDUs begin with (NVMe/TCP 1.0, 3.3.1). */
struct pdu {
	__u8 type;
	__u8 flags;
	__u8 hlen;
	__u8 pdo;
	__le32 plen;
};

#define PDU_LARGEST	(16 << 20)

static __always_inline int is_pdu(const struct pdu *pdu, __u32 length)
{
	__u32 plen = pdu->plen;

	if (plen < pdu->hlen || plen > PDU_LARGEST || length < pdu->hlen)
		return 0;
	switch (pdu->type) {
	case 0: /* ICReq */
	case 1: /* ICResp */
		return !pdu->flags && pdu->hlen == 128 && plen == 128 && !pdu->pdo;
	case 2: /* H2CTermReq */
	case 3: /* C2HTermReq */
		return !pdu->flags && pdu->hlen == 24 && !pdu->pdo && plen <= 152;
	case 4: /* CapsuleCmd */
		return !(pdu->flags & ~3) && pdu->hlen == 72 &&
		       (plen == 72 ? !pdu->pdo : pdu->pdo >= 72);
	case 5: /* CapsuleResp */
		return !(pdu->flags & ~1) && pdu->hlen == 24 && !pdu->pdo &&
		       (plen == 24 || plen == 28);
	case 6: /* H2CData */
	case 7: /* C2HData */
		return !(pdu->flags & ~0xf) && pdu->hlen == 24 && pdu->pdo >= 24 &&
		       plen > pdu->pdo;
	case 9: /* R2T */
		return !(pdu->flags & ~1) && pdu->hlen == 24 && !pdu->pdo &&
		       (plen == 24 || plen == 28);
	}
	return 0;
}

SEC("nvme")
int nvme_tcp(struct __sk_buff *skb)
{
	__u64 now = bpf_ktime_get_ns();
	struct flow flow;
	struct tcphdr tcp;
	struct pdu pdu;
	__u64 *last;
	__u32 at;

	at = parse(skb, &flow);
	if (!at || flow.protocol != IPPROTO_TCP ||
	    bpf_skb_load_bytes(skb, at, &tcp, sizeof(tcp)) < 0)
		return NO_MATCH;
	last = bpf_map_lookup_elem(&mpflow_storage, &flow);
	/* After a FIN the other end may have a lot to send, but after these nobody has. */
	if (last && !tcp.rst && (!tcp.syn || tcp.ack) && now - *last < SILENT_NS) {
		/* More often it would only take the cache line away from other CPUs. */
		if (now - *last >= SECOND_NS)
			*last = now;
		return MATCH;
	}
	if (last) {
		bpf_map_delete_elem(&mpflow_storage, &flow);
		if (tcp.rst)
			return MATCH;
	}
	at += tcp.doff * 4;
	if (bpf_skb_load_bytes(skb, at, &pdu, sizeof(pdu)) < 0 ||
	    !is_pdu(&pdu, skb->len - at))
		return NO_MATCH;
	bpf_map_update_elem(&mpflow_storage, &flow, &now, BPF_ANY);
	return MATCH;
}

char _license[] SEC("license") = "GPL";
