// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink of the ramp qdisc: shows what was asked for of ladders, codes and
 * peers. All under RTNL.
 *
 * The first message of a dump has a page at most, so lists are short.
 */

#include <net/netlink.h>

#include "ramp.h"

static int ramp_put_steps(struct sk_buff *skb, int type,
			  const struct ramp_steps *steps)
{
	struct nlattr *nest = nla_nest_start(skb, type);
	int len = steps->n * sizeof(u16);

	if (!nest ||
	    (len && (nla_put(skb, TCA_RAMP_LADDER_AT, len, steps->at) ||
		     nla_put(skb, TCA_RAMP_LADDER_RATE, len, steps->rate))))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int ramp_put_band_ladders(struct sk_buff *skb,
				 const struct ramp_code_config *codes)
{
	struct nlattr *list = nla_nest_start(skb, TCA_RAMP_BAND_LADDERS);
	struct nlattr *nest;
	u32 bands, i;

	if (!list)
		return -EMSGSIZE;
	for (bands = codes->named; bands; bands &= bands - 1) {
		i = __ffs(bands);
		nest = nla_nest_start(skb, TCA_RAMP_BAND_LADDERS_ENTRY);
		if (!nest ||
		    nla_put_u32(skb, TCA_RAMP_BAND_LADDER_BAND, i) ||
		    ramp_put_steps(skb, TCA_RAMP_BAND_LADDER_LADDER,
				   &codes->band_ladder[i]))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	nla_nest_end(skb, list);
	return 0;
}

static int ramp_put_feedback(struct sk_buff *skb,
			     const struct ramp_code_config *codes)
{
	struct nlattr *list = nla_nest_start(skb, TCA_RAMP_FEEDBACK);
	u32 i;

	if (!list)
		return -EMSGSIZE;
	for (i = 0; i < codes->feedbacks; i++)
		if (nla_put_u32(skb, TCA_RAMP_FEEDBACK_IFINDEX,
				codes->feedback[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, list);
	return 0;
}

static int ramp_put_band_feedbacks(struct sk_buff *skb,
				   const struct ramp_code_config *codes)
{
	struct nlattr *list = nla_nest_start(skb, TCA_RAMP_BAND_FEEDBACKS);
	struct nlattr *nest;
	u32 i;

	if (!list)
		return -EMSGSIZE;
	for (i = 0; i < RAMP_BANDS_MAX; i++) {
		if (!codes->band_feedback[i])
			continue;
		nest = nla_nest_start(skb, TCA_RAMP_BAND_FEEDBACKS_ENTRY);
		if (!nest ||
		    nla_put_u32(skb, TCA_RAMP_BAND_FEEDBACK_BAND, i) ||
		    nla_put_u32(skb, TCA_RAMP_BAND_FEEDBACK_IFINDEX,
				codes->band_feedback[i]))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	nla_nest_end(skb, list);
	return 0;
}

/**
 * ramp_dump_codes - show what was asked for of ladders, codes and peers
 * @skb: message, with TCA_OPTIONS open
 * @config: what is in force
 *
 * Context: RTNL.
 *
 * Return: 0 or -EMSGSIZE
 */
int ramp_dump_codes(struct sk_buff *skb, const struct ramp_config *config)
{
	const struct ramp_code_config *codes = ramp_code_config(config);

	if (ramp_put_steps(skb, TCA_RAMP_LADDER, &codes->ladder) ||
	    ramp_put_band_ladders(skb, codes) ||
	    nla_put_u32(skb, TCA_RAMP_ADJUST, codes->adjust) ||
	    ramp_put_feedback(skb, codes) ||
	    ramp_put_band_feedbacks(skb, codes) ||
	    nla_put_u64_64bit(skb, TCA_RAMP_VALIDITY, codes->validity,
			      TCA_RAMP_PAD) ||
	    nla_put_u32(skb, TCA_RAMP_ETHERTYPE, codes->ethertype) ||
	    nla_put_u32(skb, TCA_RAMP_OBEY, codes->obey) ||
	    nla_put_u32(skb, TCA_RAMP_OBEY_MIN, codes->obey_min))
		return -EMSGSIZE;
	return 0;
}
