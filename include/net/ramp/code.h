/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Codes: what a frame with rate codes says, to bytes and back
 *
 * US 7298703, [0035]: a code instructs to transmit at 0 % to 100 % of the full
 * rate. [0054]: when several buffers change together, there is "a single
 * control code that contains first and second variable-rate control codes". The
 * layout is in linux/ramp_code.h.
 *
 * Who parses trusts nothing: a frame is either all that it should be, or one
 * fault. Bytes need no alignment. Any context.
 */
#ifndef _NET_RAMP_CODE_H
#define _NET_RAMP_CODE_H

#include <asm/byteorder.h>
#include <linux/bits.h>
#include <linux/ramp.h>
#include <linux/ramp_code.h>
#include <linux/string.h>
#include <linux/types.h>

/* Hundredths of a percent: the whole. */
#define RAMP_CODE_WHOLE		10000
/* ms, how long codes may hold. */
#define RAMP_CODE_VALIDITY_MAX	10000
/* Bytes of a frame that has a code for each band. */
#define RAMP_CODE_BYTES_MAX	(sizeof(struct ramp_code_hdr) + \
				 RAMP_BANDS_MAX * sizeof(struct ramp_code))

/**
 * struct ramp_code_frame - what a frame says
 * @epoch: of the sender, other after each of its starts
 * @ifindex: of the sender's device
 * @parent: of the sender's qdisc
 * @seq: number of the frame within the epoch, modulo 2^32
 * @validity: ms, 1 .. RAMP_CODE_VALIDITY_MAX
 * @bands: bitmap of the bands that have a code, at least one of them
 * @rate: hundredths of a percent, by band, 0 .. RAMP_CODE_WHOLE; of bands that
 *	are not in @bands it means nothing
 */
struct ramp_code_frame {
	u32	epoch;
	u32	ifindex;
	u32	parent;
	u32	seq;
	u16	validity;
	u16	bands;
	u16	rate[RAMP_BANDS_MAX];
};

/**
 * enum ramp_code_fault - what is wrong with a frame, if anything
 * @RAMP_CODE_GOOD: nothing
 * @RAMP_CODE_SHORT: it ends before its header or its codes do
 * @RAMP_CODE_UNKNOWN: another version
 * @RAMP_CODE_COUNT: no code, or more than there can be bands
 * @RAMP_CODE_VALIDITY: none, or more than codes may hold
 * @RAMP_CODE_BAND: a band that there cannot be
 * @RAMP_CODE_TWICE: two codes for one band
 * @RAMP_CODE_RESERVED: something where nothing should be
 * @RAMP_CODE_RATE: more than the whole
 */
enum ramp_code_fault {
	RAMP_CODE_GOOD,
	RAMP_CODE_SHORT,
	RAMP_CODE_UNKNOWN,
	RAMP_CODE_COUNT,
	RAMP_CODE_VALIDITY,
	RAMP_CODE_BAND,
	RAMP_CODE_TWICE,
	RAMP_CODE_RESERVED,
	RAMP_CODE_RATE,
};

/**
 * ramp_code_build - write a frame
 * @to: RAMP_CODE_BYTES_MAX bytes that may be written, what follows the Ethernet
 *	header
 * @f: what it says
 *
 * Return: bytes that were written
 */
static inline u32 ramp_code_build(u8 *to, const struct ramp_code_frame *f)
{
	struct ramp_code_hdr h = {
		.version	= RAMP_CODE_VERSION,
		.validity	= __cpu_to_be16(f->validity),
		.epoch		= __cpu_to_be32(f->epoch),
		.ifindex	= __cpu_to_be32(f->ifindex),
		.parent		= __cpu_to_be32(f->parent),
		.seq		= __cpu_to_be32(f->seq),
	};
	u32 band, bytes = sizeof(h);

	for (band = 0; band < RAMP_BANDS_MAX; band++) {
		struct ramp_code c = {
			.band	= band,
			.rate	= __cpu_to_be16(f->rate[band]),
		};

		if (!(f->bands & BIT(band)))
			continue;
		memcpy(to + bytes, &c, sizeof(c));
		bytes += sizeof(c);
		h.codes++;
	}
	memcpy(to, &h, sizeof(h));
	return bytes;
}

static inline enum ramp_code_fault
ramp_code_parse_one(struct ramp_code_frame *f, const u8 *from)
{
	struct ramp_code c;
	u32 rate;

	memcpy(&c, from, sizeof(c));
	rate = __be16_to_cpu(c.rate);
	if (c.band >= RAMP_BANDS_MAX)
		return RAMP_CODE_BAND;
	if (f->bands & BIT(c.band))
		return RAMP_CODE_TWICE;
	if (c.reserved)
		return RAMP_CODE_RESERVED;
	if (rate > RAMP_CODE_WHOLE)
		return RAMP_CODE_RATE;
	f->bands |= BIT(c.band);
	f->rate[c.band] = rate;
	return RAMP_CODE_GOOD;
}

/**
 * ramp_code_parse - read a frame
 * @f: is filled; means nothing if there is a fault
 * @from: bytes, what follows the Ethernet header
 * @len: how many, at least RAMP_CODE_BYTES_MAX of them or all that there are
 *
 * What follows the codes is padding and may be anything.
 *
 * Return: RAMP_CODE_GOOD, or the first fault
 */
static inline enum ramp_code_fault
ramp_code_parse(struct ramp_code_frame *f, const u8 *from, u32 len)
{
	enum ramp_code_fault fault;
	struct ramp_code_hdr h;
	u32 i;

	if (len < sizeof(h))
		return RAMP_CODE_SHORT;
	memcpy(&h, from, sizeof(h));
	if (h.version != RAMP_CODE_VERSION)
		return RAMP_CODE_UNKNOWN;
	if (!h.codes || h.codes > RAMP_BANDS_MAX)
		return RAMP_CODE_COUNT;
	if (len < sizeof(h) + h.codes * sizeof(struct ramp_code))
		return RAMP_CODE_SHORT;

	*f = (struct ramp_code_frame) {
		.epoch		= __be32_to_cpu(h.epoch),
		.ifindex	= __be32_to_cpu(h.ifindex),
		.parent		= __be32_to_cpu(h.parent),
		.seq		= __be32_to_cpu(h.seq),
		.validity	= __be16_to_cpu(h.validity),
	};
	if (!f->validity || f->validity > RAMP_CODE_VALIDITY_MAX)
		return RAMP_CODE_VALIDITY;

	from += sizeof(h);
	for (i = 0; i < h.codes; i++) {
		fault = ramp_code_parse_one(f, from);
		if (fault)
			return fault;
		from += sizeof(struct ramp_code);
	}
	return RAMP_CODE_GOOD;
}

#endif /* _NET_RAMP_CODE_H */
