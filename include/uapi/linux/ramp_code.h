/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Frames with rate codes, which a ramp qdisc sends upstream.
 *
 * They go to 01:80:C2:00:00:0E, which bridges do not forward. All numbers are
 * in network byte order. A frame may be longer than its codes.
 */
#ifndef _UAPI_LINUX_RAMP_CODE_H
#define _UAPI_LINUX_RAMP_CODE_H

#include <linux/types.h>

#define RAMP_ETHERTYPE		0x88B5	/* local experimental, IEEE 802 */
#define RAMP_CODE_VERSION	1

/**
 * struct ramp_code_hdr - what follows the Ethernet header
 * @version: RAMP_CODE_VERSION
 * @codes: how many struct ramp_code follow, 1 .. RAMP_BANDS_MAX
 * @validity: ms, 1 .. 10000: what the codes hold for
 * @epoch: random, other after each start of the sender
 * @ifindex: of the device whose queues the codes are about
 * @parent: of the qdisc on it; with @ifindex and the address of the sender, who
 *	it is
 * @seq: greater, modulo 2^32, for each frame of an epoch
 */
struct ramp_code_hdr {
	__u8	version;
	__u8	codes;
	__be16	validity;
	__be32	epoch;
	__be32	ifindex;
	__be32	parent;
	__be32	seq;
};

/**
 * struct ramp_code - how fast to send
 * @band: 0 .. RAMP_BANDS_MAX - 1, each at most once in a frame
 * @reserved: 0
 * @rate: hundredths of a percent, 0 .. 10000
 */
struct ramp_code {
	__u8	band;
	__u8	reserved;
	__be16	rate;
};

#endif /* _UAPI_LINUX_RAMP_CODE_H */
