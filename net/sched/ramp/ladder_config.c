// SPDX-License-Identifier: GPL-2.0
/*
 * What is asked for of ladders, codes and peers, and what it amounts to.
 *
 * Configurations share it until one of them is edited: a change that is refused
 * leaves what is in force as it is.
 */

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
struct ramp_code_config *ramp_code_edit(struct ramp_config *config,
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
int ramp_code_bands(struct ramp_config *config,
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

static bool ramp_check_feedback(const struct Qdisc *sch, u32 ifindex)
{
	struct net *net = dev_net(qdisc_dev(sch));

	const struct net_device *dev = __dev_get_by_index(net, ifindex);

	return dev && ramp_is_ethernet(dev);
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
	p->rate[0] = RAMP_WHOLE;
	for (i = 0; i < steps->n; i++) {
		at[i + 1] = steps->at[i];
		p->rate[i + 1] = steps->rate[i];
	}
	/* What nobody asked for must not make a configuration wrong. */
	if (ramp_ladder_resolve(p, at, codes->adjust, limit) && named &&
	    extack) {
		NL_SET_ERR_MSG(extack,
			       "ladder: band-limit has not enough packets for these steps");
		return -EINVAL;
	}
	return 0;
}

static void ramp_resolve_dev(struct ramp_code_route *out, u32 ifindex,
			     u32 bands)
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

static void ramp_resolve_devs(const struct ramp_config *config, u32 ladders,
			      struct ramp_code_route *out)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	u32 i, all = ladders;

	for (i = 0; i < config->bands; i++) {
		if (!codes->band_feedback[i])
			continue;
		ramp_resolve_dev(out, codes->band_feedback[i],
				 ladders & BIT(i));
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
int ramp_code_resolve(const struct ramp_config *config,
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
	ramp_resolve_devs(config, out->ladders, &out->route);
	out->route.validity = div_u64(codes->validity, NSEC_PER_MSEC);
	out->route.ethertype = codes->ethertype;
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
