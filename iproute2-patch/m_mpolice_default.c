// SPDX-License-Identifier: GPL-2.0
/*
 * What is at its default, and is left out of the short line
 *
 * A default is what the kernel takes for a parameter that nobody names, all others
 * being as they are. So the short line, given back to tc, makes the same action.
 */

#include "m_mpolice.h"

/* The largest GSO packet, and the segments that it may have */
#define MPOLICE_BURST_BYTES	(128 << 10)
#define MPOLICE_BURST_PACKETS	128

#define MPOLICE_NS		1000000000ULL

static __u64 mpolice_get(struct rtattr *tb[], int attr)
{
	return tb[attr] ? rta_getattr_u64(tb[attr]) : 0;
}

static __u64 mpolice_larger(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/* What comes in an interval. The product has up to 76 bits. */
static __u64 mpolice_lump(__u64 rate, __u64 interval)
{
	__u64 ns = interval % MPOLICE_NS;

	return rate * (interval / MPOLICE_NS) + rate / MPOLICE_NS * ns +
	       rate % MPOLICE_NS * ns / MPOLICE_NS;
}

/* Holds the largest GSO packet, what comes within 10 ms, and a lump. */
static __u64 mpolice_preset_burst(struct rtattr *tb[])
{
	bool packets = mpolice_in_packets(tb);
	__u64 rate = mpolice_get(tb, packets ? TCA_MPOLICE_PPS :
					       TCA_MPOLICE_RATE);
	__u64 lump = mpolice_lump(rate, mpolice_get(tb, TCA_MPOLICE_INTERVAL));
	__u64 burst = packets ? MPOLICE_BURST_PACKETS : MPOLICE_BURST_BYTES;

	burst = mpolice_larger(burst, mpolice_larger(rate / 100, lump));
	return burst < MPOLICE_TOKENS_MAX ? burst : MPOLICE_TOKENS_MAX;
}

static bool mpolice_is_default(const struct mpolice_param *p,
			       struct rtattr *tb[])
{
	struct rtattr *conform = tb[TCA_MPOLICE_CONFORM];

	switch (p->attr) {
	case TCA_MPOLICE_BURST:
		return mpolice_get(tb, p->attr) == mpolice_preset_burst(tb);
	case TCA_MPOLICE_DEBT:
		return mpolice_get(tb, p->attr) ==
		       mpolice_get(tb, TCA_MPOLICE_BURST);
	case TCA_MPOLICE_INTERVAL:
	case TCA_MPOLICE_THRESHOLD:
		return !mpolice_get(tb, p->attr);
	case TCA_MPOLICE_EXCEED:
		return rta_getattr_s32(tb[p->attr]) == TC_ACT_SHOT && conform &&
		       rta_getattr_s32(conform) == TC_ACT_PIPE;
	default:
		return false;
	}
}

/* Whether it is to be printed; JSON has everything. */
bool mpolice_is_shown(const struct mpolice_param *p, struct rtattr *tb[])
{
	return is_json_context() || show_details || !mpolice_is_default(p, tb);
}
