// SPDX-License-Identifier: GPL-2.0
/*
 * Ladders, codes and peers in messages: what is asked for is taken over, and
 * shown. All under RTNL.
 */

#include <linux/etherdevice.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <net/netlink.h>

#include "ramp.h"

static const struct nla_policy ramp_ladder_policy[TCA_RAMP_LADDER_MAX + 1] = {
	[TCA_RAMP_LADDER_AT]	= { .type = NLA_BINARY },
	[TCA_RAMP_LADDER_RATE]	= { .type = NLA_BINARY },
};

static const struct nla_policy
ramp_band_ladder_policy[TCA_RAMP_BAND_LADDER_MAX + 1] = {
	[TCA_RAMP_BAND_LADDER_BAND]	= { .type = NLA_U32 },
	[TCA_RAMP_BAND_LADDER_LADDER]	= { .type = NLA_NESTED },
};

static const struct nla_policy
ramp_band_feedback_policy[TCA_RAMP_BAND_FEEDBACK_MAX + 1] = {
	[TCA_RAMP_BAND_FEEDBACK_BAND]		= { .type = NLA_U32 },
	[TCA_RAMP_BAND_FEEDBACK_IFINDEX]	= { .type = NLA_U32 },
};

/* Frames of these types are for somebody else, who would take a code for his
 * own.
 */
static bool ramp_ethertype_taken(u32 type)
{
	switch (type) {
	case ETH_P_IP:
	case ETH_P_ARP:
	case ETH_P_RARP:
	case ETH_P_8021Q:
	case ETH_P_IPV6:
	case ETH_P_PAUSE:
	case ETH_P_SLOW:
	case ETH_P_PPP_DISC:
	case ETH_P_PPP_SES:
	case ETH_P_MPLS_UC:
	case ETH_P_MPLS_MC:
	case ETH_P_PAE:
	case ETH_P_8021AD:
	case ETH_P_LLDP:
	case ETH_P_MACSEC:
	case ETH_P_1588:
	case ETH_P_CFM:
	case ETH_P_FCOE:
	case ETH_P_FIP:
	case ETH_P_IBOE:
		return true;
	default:
		return false;
	}
}

static bool ramp_steps_valid(const struct ramp_steps *steps)
{
	u32 at = 0, rate = RAMP_PERCENT, i;

	for (i = 0; i < steps->n; i++) {
		if (steps->at[i] <= at || steps->at[i] > RAMP_PERCENT ||
		    steps->rate[i] >= rate)
			return false;
		at = steps->at[i];
		rate = steps->rate[i];
	}
	return true;
}

/* What is wrong is said of @whole, as the user knows no other name. */
static int ramp_parse_steps(struct ramp_steps *steps, const struct nlattr *attr,
			    const struct nlattr *whole,
			    struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_RAMP_LADDER_MAX + 1], *at, *rate;
	struct ramp_steps new = {};

	if (ramp_parse_nested(tb, TCA_RAMP_LADDER_MAX, ramp_ladder_policy, attr,
			      0, NULL))
		return ramp_refuse(whole, extack);
	at = tb[TCA_RAMP_LADDER_AT];
	rate = tb[TCA_RAMP_LADDER_RATE];
	if (!at != !rate)
		return ramp_refuse(whole, extack);
	if (at) {
		new.n = nla_len(at) / sizeof(u16);
		if (!new.n || new.n > RAMP_LADDER_MAX ||
		    nla_len(at) % sizeof(u16) || nla_len(rate) != nla_len(at))
			return ramp_refuse(whole, extack);
		nla_memcpy(new.at, at, sizeof(new.at));
		nla_memcpy(new.rate, rate, sizeof(new.rate));
	}
	if (!ramp_steps_valid(&new))
		return ramp_refuse(whole, extack);

	*steps = new;
	return 0;
}

static int ramp_parse_band_ladder(struct ramp_code_config *codes, u32 bands,
				  const struct nlattr *entry,
				  const struct nlattr *list,
				  struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_RAMP_BAND_LADDER_MAX + 1];
	u32 band;

	if (nla_type(entry) != TCA_RAMP_BAND_LADDERS_ENTRY ||
	    ramp_parse_nested(tb, TCA_RAMP_BAND_LADDER_MAX,
			      ramp_band_ladder_policy, entry,
			      BIT(TCA_RAMP_BAND_LADDER_BAND), NULL))
		return ramp_refuse(list, extack);
	band = nla_get_u32(tb[TCA_RAMP_BAND_LADDER_BAND]);
	if (band >= bands)
		return ramp_refuse(list, extack);
	if (!tb[TCA_RAMP_BAND_LADDER_LADDER]) {
		codes->named &= ~BIT(band);
		return 0;
	}
	codes->named |= BIT(band);
	return ramp_parse_steps(&codes->band_ladder[band],
				tb[TCA_RAMP_BAND_LADDER_LADDER], list, extack);
}

static int ramp_parse_band_ladders(struct ramp_code_config *codes, u32 bands,
				   const struct nlattr *list,
				   struct netlink_ext_ack *extack)
{
	const struct nlattr *entry;
	int rem, err;

	nla_for_each_nested(entry, list, rem) {
		err = ramp_parse_band_ladder(codes, bands, entry, list, extack);
		if (err)
			return err;
	}
	/* What follows the last one is not an attribute. */
	return rem ? ramp_refuse(list, extack) : 0;
}

/* A device that is named twice is there once. */
static int ramp_parse_feedback(struct ramp_code_config *codes,
			       const struct nlattr *list,
			       struct netlink_ext_ack *extack)
{
	const struct nlattr *entry;
	u32 ifindex, i;
	int rem;

	codes->feedbacks = 0;
	nla_for_each_nested(entry, list, rem) {
		if (entry->nla_type != TCA_RAMP_FEEDBACK_IFINDEX ||
		    nla_len(entry) != sizeof(u32))
			return ramp_refuse(list, extack);
		ifindex = nla_get_u32(entry);
		for (i = 0; i < codes->feedbacks; i++)
			if (codes->feedback[i] == ifindex)
				break;
		if (i == RAMP_FEEDBACK_MAX)
			return ramp_refuse(list, extack);
		codes->feedback[i] = ifindex;
		codes->feedbacks = max(codes->feedbacks, i + 1);
	}
	return rem ? ramp_refuse(list, extack) : 0;
}

static int ramp_parse_band_feedbacks(struct ramp_code_config *codes, u32 bands,
				     const struct nlattr *list,
				     struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_RAMP_BAND_FEEDBACK_MAX + 1];
	const struct nlattr *entry;
	u32 band;
	int rem;

	nla_for_each_nested(entry, list, rem) {
		if (nla_type(entry) != TCA_RAMP_BAND_FEEDBACKS_ENTRY ||
		    ramp_parse_nested(tb, TCA_RAMP_BAND_FEEDBACK_MAX,
				      ramp_band_feedback_policy, entry,
				      BIT(TCA_RAMP_BAND_FEEDBACK_BAND) |
				      BIT(TCA_RAMP_BAND_FEEDBACK_IFINDEX),
				      NULL))
			return ramp_refuse(list, extack);
		band = nla_get_u32(tb[TCA_RAMP_BAND_FEEDBACK_BAND]);
		if (band >= bands)
			return ramp_refuse(list, extack);
		codes->band_feedback[band] =
			nla_get_u32(tb[TCA_RAMP_BAND_FEEDBACK_IFINDEX]);
	}
	return rem ? ramp_refuse(list, extack) : 0;
}

static int ramp_parse_lists(struct ramp_code_config *codes, u32 bands,
			    struct nlattr **tb, struct netlink_ext_ack *extack)
{
	int err = 0;

	if (tb[TCA_RAMP_LADDER])
		err = ramp_parse_steps(&codes->ladder, tb[TCA_RAMP_LADDER],
				       tb[TCA_RAMP_LADDER], extack);
	if (!err && tb[TCA_RAMP_BAND_LADDERS])
		err = ramp_parse_band_ladders(codes, bands,
					      tb[TCA_RAMP_BAND_LADDERS],
					      extack);
	if (!err && tb[TCA_RAMP_FEEDBACK])
		err = ramp_parse_feedback(codes, tb[TCA_RAMP_FEEDBACK], extack);
	if (!err && tb[TCA_RAMP_BAND_FEEDBACKS])
		err = ramp_parse_band_feedbacks(codes, bands,
						tb[TCA_RAMP_BAND_FEEDBACKS],
						extack);
	return err;
}

static int ramp_parse_from(struct ramp_code_config *codes,
			   const struct nlattr *attr,
			   struct netlink_ext_ack *extack)
{
	u32 n = nla_len(attr) / ETH_ALEN, i;
	const u8 *addr = nla_data(attr);

	if (nla_len(attr) % ETH_ALEN || n > RAMP_OBEY_FROM_MAX)
		return ramp_refuse(attr, extack);
	for (i = 0; i < n; i++)
		if (!is_valid_ether_addr(addr + i * ETH_ALEN))
			return ramp_refuse(attr, extack);
	codes->n_from = n;
	memcpy(codes->from, addr, n * ETH_ALEN);
	return 0;
}

/**
 * ramp_parse_codes - take over what a message names of ladders, codes and peers
 * @config: as for ramp_code_edit(), with the new number of bands
 * @old: as for ramp_code_edit()
 * @tb: attributes of the message
 * @extack: for the message
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0, or a negative error with the message in @extack
 */
int ramp_parse_codes(struct ramp_config *config,
		     const struct ramp_code_config *old, struct nlattr **tb,
		     struct netlink_ext_ack *extack)
{
	struct ramp_code_config *codes;

	if (ramp_attrs_named(RAMP_PART_CODES, tb)) {
		codes = ramp_code_edit(config, old);
		if (!codes)
			return -ENOMEM;
		ramp_attrs_take(RAMP_PART_CODES, codes, tb);
		if (tb[TCA_RAMP_ETHERTYPE] &&
		    ramp_ethertype_taken(codes->ethertype)) {
			NL_SET_ERR_MSG_ATTR(extack, tb[TCA_RAMP_ETHERTYPE],
					    "ethertype: of a well-known protocol");
			return -EINVAL;
		}
		if (tb[TCA_RAMP_OBEY_FROM] &&
		    ramp_parse_from(codes, tb[TCA_RAMP_OBEY_FROM], extack))
			return -EINVAL;
		if (ramp_parse_lists(codes, config->bands, tb, extack))
			return -EINVAL;
	}
	return ramp_code_bands(config, old);
}

/*
 * Netlink of the ramp qdisc: shows what was asked for of ladders, codes and
 * peers. All under RTNL.
 *
 * The first message of a dump has a page at most, so lists are short.
 */

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
 * ramp_codes_size - what lists of ladders and codes take in a message
 * @config: a configuration
 *
 * Context: RTNL.
 *
 * Return: bytes, but for what is always there
 */
u32 ramp_codes_size(const struct ramp_config *config)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	u32 i, size = codes->feedbacks * nla_total_size(sizeof(u32)) +
		      codes->ladder.n * 2 * sizeof(u16);

	for (i = 0; i < config->bands; i++) {
		if (codes->band_feedback[i])
			size += nla_total_size(2 * nla_total_size(sizeof(u32)));
		if (codes->named & BIT(i))
			size += nla_total_size(nla_total_size(sizeof(u32)) +
					       NLA_HDRLEN) +
				2 * nla_total_size(codes->band_ladder[i].n *
						   sizeof(u16));
	}
	return size;
}

static int ramp_put_code_param(struct sk_buff *skb, const struct ramp_attr *row,
			       const void *part)
{
	const struct ramp_code_config *codes = part;

	switch (row->type) {
	case TCA_RAMP_LADDER:
		return ramp_put_steps(skb, row->type, &codes->ladder);
	case TCA_RAMP_BAND_LADDERS:
		return ramp_put_band_ladders(skb, codes);
	case TCA_RAMP_FEEDBACK:
		return ramp_put_feedback(skb, codes);
	case TCA_RAMP_BAND_FEEDBACKS:
		return ramp_put_band_feedbacks(skb, codes);
	default:
		return nla_put(skb, TCA_RAMP_OBEY_FROM,
			       codes->n_from * ETH_ALEN, codes->from);
	}
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
	return ramp_attrs_put(RAMP_PART_CODES, ramp_code_config(config),
			      ramp_put_code_param, skb);
}
