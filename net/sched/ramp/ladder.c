// SPDX-License-Identifier: GPL-2.0
/*
 * Ladders: what is asked for of them, of codes and of peers, and what it amounts to;
 * and the occupancy of the bands, which climbs them.
 *
 * Configurations share it until one of them is edited: a change that is refused
 * leaves what is in force as it is.
 */

#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <net/netlink.h>

#include "ramp.h"

#include <trace/events/ramp.h>

/* Every default has its reason in tc-ramp-codes(8). */
static const struct ramp_code_config ramp_code_defaults = {
	.adjust		= 300,
	.validity	= NSEC_PER_SEC,
	.ethertype	= RAMP_ETHERTYPE,
	.obey_min	= 1000,
};

/**
 * ramp_code_config - what is asked for
 * @config: a configuration
 *
 * Context: RTNL.
 *
 * Return: what was named, or the defaults
 */
const struct ramp_code_config *
ramp_code_config(const struct ramp_config *config)
{
	return config->codes ?: &ramp_code_defaults;
}

/**
 * ramp_code_edit - what is asked for, to be changed
 * @config: a copy of a configuration, which may have been edited before
 * @old: what that has, and others may have, too
 *
 * In the end somebody frees @old, or what was made of it.
 *
 * Context: RTNL, may sleep.
 *
 * Return: what belongs to @config alone, or NULL without memory
 */
static struct ramp_code_config *ramp_code_edit(struct ramp_config *config,
					       const struct ramp_code_config *old)
{
	struct ramp_code_config *codes;

	if (config->codes && config->codes != old)
		return config->codes;
	codes = kmemdup(ramp_code_config(config), sizeof(*codes),
			GFP_KERNEL_ACCOUNT);
	if (codes)
		config->codes = codes;
	return codes;
}

/**
 * ramp_code_bands - forget what was said of bands that are no more
 * @config: as for ramp_code_edit(), with the new number of bands
 * @old: as for ramp_code_edit()
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0 or -ENOMEM
 */
static int ramp_code_bands(struct ramp_config *config,
			   const struct ramp_code_config *old)
{
	const struct ramp_code_config *is = ramp_code_config(config);
	u32 gone = GENMASK(RAMP_BANDS_MAX, config->bands);
	struct ramp_code_config *codes;
	u32 i, said = is->named;

	for (i = config->bands; i < RAMP_BANDS_MAX; i++)
		if (is->band_feedback[i])
			said |= BIT(i);
	if (!(said & gone))
		return 0;

	codes = ramp_code_edit(config, old);
	if (!codes)
		return -ENOMEM;
	codes->named &= ~gone;
	for (i = config->bands; i < RAMP_BANDS_MAX; i++)
		codes->band_feedback[i] = 0;
	return 0;
}

static const struct ramp_steps *
ramp_band_steps(const struct ramp_code_config *codes, u32 band)
{
	return codes->named & BIT(band) ? &codes->band_ladder[band] :
					  &codes->ladder;
}

/* Is each lowered threshold above the one before, whatever the limit is? */
static bool ramp_steps_apart(const struct ramp_steps *steps, u32 adjust)
{
	u32 i;

	for (i = 1; i < steps->n; i++)
		if (steps->at[i] * (RAMP_PERCENT - adjust) <=
		    steps->at[i - 1] * RAMP_PERCENT)
			return false;
	return true;
}

static int ramp_check_ladders(const struct ramp_config *config,
			      struct netlink_ext_ack *extack)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	u32 i, steps = 0;

	for (i = 0; i < config->bands; i++) {
		if (!ramp_steps_apart(ramp_band_steps(codes, i),
				      codes->adjust)) {
			NL_SET_ERR_MSG(extack,
				       "ladder: thresholds of a band are closer than adjust allows");
			return -EINVAL;
		}
		if (codes->named & BIT(i))
			steps += codes->band_ladder[i].n;
	}
	if (steps > RAMP_LADDER_STEPS_MAX) {
		NL_SET_ERR_MSG(extack,
			       "band-ladder: band below bands; none, auto or a ladder; 64 steps in all bands");
		return -EINVAL;
	}
	return 0;
}

static bool ramp_is_ethernet(const struct net_device *dev)
{
	return dev && dev->type == ARPHRD_ETHER && dev->addr_len == ETH_ALEN;
}

static bool ramp_check_feedback(const struct Qdisc *sch, u32 ifindex)
{
	struct net *net = dev_net(qdisc_dev(sch));

	return ramp_is_ethernet(__dev_get_by_index(net, ifindex));
}

/**
 * ramp_code_check - can what is asked for be?
 * @sch: ramp qdisc, for its device
 * @config: a configuration whose values are in their ranges
 * @extack: for the message
 *
 * Context: RTNL.
 *
 * Return: 0, or -EINVAL with the message in @extack
 */
int ramp_code_check(const struct Qdisc *sch, const struct ramp_config *config,
		    struct netlink_ext_ack *extack)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	u32 i;

	for (i = 0; i < codes->feedbacks; i++) {
		if (!ramp_check_feedback(sch, codes->feedback[i])) {
			NL_SET_ERR_MSG(extack,
				       "feedback: none, or up to 16 Ethernet devices of this network namespace");
			return -EINVAL;
		}
	}
	for (i = 0; i < config->bands; i++) {
		if (codes->band_feedback[i] &&
		    !ramp_check_feedback(sch, codes->band_feedback[i])) {
			NL_SET_ERR_MSG(extack,
				       "band-feedback: band below bands; none or an Ethernet device of this namespace");
			return -EINVAL;
		}
	}
	if (codes->obey && !ramp_is_ethernet(qdisc_dev(sch))) {
		NL_SET_ERR_MSG(extack, "obey: needs an Ethernet device");
		return -EINVAL;
	}
	return ramp_check_ladders(config, extack);
}

/**
 * ramp_code_sends - is there anything to resolve?
 * @config: a configuration
 *
 * Without a ladder there are no codes.
 *
 * Context: RTNL.
 *
 * Return: true when a band has a ladder
 */
bool ramp_code_sends(const struct ramp_config *config)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	u32 i;

	for (i = 0; i < config->bands; i++)
		if (ramp_band_steps(codes, i)->n)
			return true;
	return false;
}

/* Thresholds of a band in skbs. A limit that was named, and is too small for
 * them, is refused; one that is auto moves, and must not make anything wrong.
 */
static int ramp_resolve_ladder(const struct ramp_config *config,
			       const struct ramp_law *law, u32 band,
			       struct ramp_ladder_params *p,
			       struct netlink_ext_ack *extack)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	const struct ramp_steps *steps = ramp_band_steps(codes, band);
	u32 limit = law->band_limit[band];
	u32 at[RAMP_LADDER_MAX + 1] = {};
	bool named = !ramp_limit_is_auto(&config->limit) ||
		     !ramp_limit_is_auto(&config->band_limit[band]);
	u32 i;

	p->n = steps->n;
	p->rate[0] = RAMP_LADDER_WHOLE;
	for (i = 0; i < steps->n; i++) {
		at[i + 1] = steps->at[i];
		p->rate[i + 1] = steps->rate[i];
	}
	if (ramp_ladder_resolve(p, at, codes->adjust, limit) && named) {
		NL_SET_ERR_MSG(extack,
			       "ladder: band-limit has not enough packets for these steps");
		return -EINVAL;
	}
	return 0;
}

static void ramp_resolve_dev(struct ramp_code_law *out, u32 ifindex, u32 bands)
{
	u32 i;

	if (!bands)
		return;
	for (i = 0; i < out->devs; i++)
		if (out->dev[i].ifindex == ifindex)
			break;
	if (i == out->devs) {
		out->dev[i].ifindex = ifindex;
		out->devs++;
	}
	out->dev[i].bands |= bands;
}

static void ramp_resolve_devs(const struct ramp_config *config,
			      struct ramp_code_law *out)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	u32 i, all = out->ladders;

	for (i = 0; i < config->bands; i++) {
		if (!codes->band_feedback[i])
			continue;
		ramp_resolve_dev(out, codes->band_feedback[i],
				 out->ladders & BIT(i));
		all &= ~BIT(i);
	}
	for (i = 0; i < codes->feedbacks; i++)
		ramp_resolve_dev(out, codes->feedback[i], all);
}

/**
 * ramp_code_resolve - thresholds in skbs, and which codes go where
 * @config: a configuration that ramp_code_check() found right
 * @law: what else it amounts to
 * @out: to be filled
 * @extack: for the message, or NULL
 *
 * Context: RTNL.
 *
 * Return: 0, or -EINVAL with the message in @extack
 */
static int ramp_code_resolve(const struct ramp_config *config,
			     const struct ramp_law *law,
			     struct ramp_code_law *out,
			     struct netlink_ext_ack *extack)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	u32 i;
	int err;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < config->bands; i++) {
		err = ramp_resolve_ladder(config, law, i, &out->ladder[i],
					  extack);
		if (err)
			return err;
		if (out->ladder[i].n)
			out->ladders |= BIT(i);
	}
	ramp_resolve_devs(config, out);
	out->validity = div_u64(codes->validity, NSEC_PER_MSEC);
	out->ethertype = codes->ethertype;
	return 0;
}

/**
 * ramp_code_forget - a device is going away
 * @config: what is in force
 * @ifindex: of it, which another device may have later
 *
 * The codes of a band that went there alone go where all go.
 *
 * Context: RTNL.
 *
 * Return: true when the codes of a band go elsewhere now
 */
bool ramp_code_forget(struct ramp_config *config, u32 ifindex)
{
	struct ramp_code_config *codes = config->codes;
	bool moved = false;
	u32 i, n = 0;

	if (!codes)
		return false;
	for (i = 0; i < codes->feedbacks; i++)
		if (codes->feedback[i] != ifindex)
			codes->feedback[n++] = codes->feedback[i];
	codes->feedbacks = n;
	for (i = 0; i < RAMP_BANDS_MAX; i++) {
		if (codes->band_feedback[i] != ifindex)
			continue;
		codes->band_feedback[i] = 0;
		moved = true;
	}
	return moved;
}

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

/* Frames of these types are for somebody else, who would take a code for his own. */
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
				      BIT(TCA_RAMP_BAND_FEEDBACK_IFINDEX), NULL))
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
	bool named = false;
	u32 i;

	for (i = TCA_RAMP_LADDER; i <= TCA_RAMP_OBEY_MIN; i++)
		named |= !!tb[i];
	if (named) {
		codes = ramp_code_edit(config, old);
		if (!codes)
			return -ENOMEM;
		if (tb[TCA_RAMP_ADJUST])
			codes->adjust = nla_get_u32(tb[TCA_RAMP_ADJUST]);
		if (tb[TCA_RAMP_VALIDITY])
			codes->validity = nla_get_u64(tb[TCA_RAMP_VALIDITY]);
		if (tb[TCA_RAMP_ETHERTYPE]) {
			codes->ethertype = nla_get_u32(tb[TCA_RAMP_ETHERTYPE]);
			if (ramp_ethertype_taken(codes->ethertype)) {
				NL_SET_ERR_MSG_ATTR(extack, tb[TCA_RAMP_ETHERTYPE],
						    "ethertype: of a well-known protocol");
				return -EINVAL;
			}
		}
		if (tb[TCA_RAMP_OBEY])
			codes->obey = nla_get_u32(tb[TCA_RAMP_OBEY]);
		if (tb[TCA_RAMP_OBEY_MIN])
			codes->obey_min = nla_get_u32(tb[TCA_RAMP_OBEY_MIN]);
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
	    ramp_put_number(skb, TCA_RAMP_VALIDITY, codes->validity) ||
	    nla_put_u32(skb, TCA_RAMP_ETHERTYPE, codes->ethertype) ||
	    nla_put_u32(skb, TCA_RAMP_OBEY, codes->obey) ||
	    nla_put_u32(skb, TCA_RAMP_OBEY_MIN, codes->obey_min))
		return -EMSGSIZE;
	return 0;
}

/*
 * The occupancy of the bands, and the codes that it asks for
 *
 * A packet is compared with the bounds of what is no news to its band, which are
 * there without a ladder, too: a ladder costs it nothing.
 */

/**
 * ramp_send_prepare - make what a configuration needs for its ladders
 * @sch: ramp qdisc
 * @config: configuration
 * @law: what it amounts to
 * @codes: to be filled: for ramp_send_commit() or kfree(); NULL without ladder
 * @extack: for the message, or NULL
 *
 * Follows ramp_events_prepare().
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0 or a negative error with the message in @extack
 */
int ramp_send_prepare(struct Qdisc *sch, const struct ramp_config *config,
		      const struct ramp_law *law, struct ramp_code_law **codes,
		      struct netlink_ext_ack *extack)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_code_law *new;
	int err;

	*codes = NULL;
	if (!ramp_code_sends(config))
		return 0;
	if (!q->send) {
		q->send = ramp_codes_alloc(sch);
		if (!q->send)
			return -ENOMEM;
	}

	new = kzalloc_obj(*new, GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	err = ramp_code_resolve(config, law, new, extack);
	if (err) {
		kfree(new);
		return err;
	}
	*codes = new;
	return 0;
}

static void ramp_ladder_trace(struct Qdisc *sch, const struct ramp_band *b)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	u32 i = b - q->band;

	trace_ramp_code(sch, i, b->rung->level,
			ramp_ladder_rate(b->rung, &q->send->law->ladder[i]),
			ramp_band_queued(b));
}

static void ramp_ladder_add(struct ramp_ladder *sum,
			    const struct ramp_ladder *l)
{
	sum->codes += l->codes;
	sum->flap.flaps += l->flap.flaps;
}

/* The first steps, or none. Counters stay with the band. */
static void ramp_ladder_set(struct ramp_ladder *l,
			    const struct ramp_ladder_params *p)
{
	struct ramp_ladder was = *l;

	ramp_ladder_init(l, p);
	ramp_ladder_add(l, &was);
}

static bool ramp_ladder_renew(struct ramp_sched_data *q, u32 i,
			      const struct ramp_code_law *codes)
{
	const struct ramp_code_law *old = q->send->law;
	struct ramp_ladder *l = &q->send->ladder[i];
	struct ramp_band *b = &q->band[i];
	bool had = old && old->ladders & BIT(i);
	u32 rate = had ? ramp_ladder_rate(l, &old->ladder[i]) : RAMP_PERCENT;
	u32 queued = ramp_band_queued(b);

	b->rung = NULL;
	if (codes && codes->ladders & BIT(i)) {
		b->rung = l;
		if (had)
			return ramp_ladder_change(l, &old->ladder[i],
						  &codes->ladder[i], queued);
		ramp_ladder_set(l, &codes->ladder[i]);
		return ramp_ladder_move(l, &codes->ladder[i], queued);
	}
	if (i >= q->law.bands) {
		ramp_ladder_add(&q->send->gone, l);
		memset(l, 0, sizeof(*l));
	}
	return had && rate < RAMP_PERCENT;
}

/**
 * ramp_send_commit - put other ladders in force
 * @sch: ramp qdisc, whose other parameters are in force
 * @codes: from ramp_send_prepare()
 *
 * Context: RTNL and root lock.
 *
 * Return: what was in force, for kfree()
 */
struct ramp_code_law *ramp_send_commit(struct Qdisc *sch,
				       struct ramp_code_law *codes)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_code_law *old;
	u32 i, due = 0;

	if (!q->send)
		return NULL;
	for (i = 0; i < RAMP_BANDS_MAX; i++) {
		if (ramp_ladder_renew(q, i, codes))
			due |= BIT(i);
	}
	old = ramp_codes_follow(sch, codes);
	ramp_bands_mark(sch);
	if (!due)
		return old;
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		if (due & BIT(i) && q->band[i].rung)
			ramp_ladder_trace(sch, &q->band[i]);
	ramp_code_due(sch, due);
	return old;
}

/**
 * ramp_ladder_moved - the occupancy of a band is news
 * @sch: ramp qdisc
 * @b: band that has a ladder
 *
 * Context: root lock.
 */
void ramp_ladder_moved(struct Qdisc *sch, struct ramp_band *b)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 i = b - q->band;
	int moved;

	moved = ramp_ladder_move(b->rung, &q->send->law->ladder[i],
				 ramp_band_queued(b));
	ramp_band_bounds(q, b);
	if (!moved)
		return;
	ramp_ladder_flap(b->rung, moved, q->law.dwell, ktime_get_ns());
	ramp_ladder_trace(sch, b);
	ramp_code_due(sch, BIT(i));
}

/**
 * ramp_send_stats - show what was told
 * @sch: ramp qdisc
 * @st: to be filled
 *
 * Context: root lock.
 */
void ramp_send_stats(struct Qdisc *sch, struct tc_ramp_xstats *st)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_send *s = q->send;
	struct ramp_ladder sum = {};
	u32 i;

	if (!s)
		return;
	spin_lock_bh(&q->send->lock);
	st->codes_refreshed = s->refreshed;
	st->frames_sent = s->frames_sent;
	st->frames_lost = s->frames_lost;
	spin_unlock_bh(&q->send->lock);

	ramp_ladder_add(&sum, &s->gone);
	for (i = 0; i < RAMP_BANDS_MAX; i++)
		ramp_ladder_add(&sum, &s->ladder[i]);
	st->codes_sent = sum.codes;
}

/**
 * ramp_send_class_stats - show where a band is on its ladder
 * @q: of the qdisc
 * @b: band
 * @st: to be filled
 *
 * Context: root lock.
 */
void ramp_send_class_stats(const struct ramp_sched_data *q,
			   const struct ramp_band *b,
			   struct tc_ramp_class_xstats *st)
{
	u32 i = b - q->band;
	const struct ramp_ladder_params *p;
	const struct ramp_ladder *l;

	st->code = RAMP_PERCENT;
	if (!q->send)
		return;
	l = &q->send->ladder[i];
	st->codes_sent = l->codes;
	st->flaps = l->flap.flaps;
	if (!b->rung)
		return;

	p = &q->send->law->ladder[i];
	st->level = l->level;
	st->code = ramp_ladder_rate(l, p);
	st->next_up = ramp_ladder_next_up(l, p);
	st->next_down = ramp_ladder_next_down(l, p);
}
