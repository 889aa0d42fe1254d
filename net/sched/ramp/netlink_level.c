// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink of the ramp qdisc: reads levels and amounts. All under RTNL.
 */

#include <net/netlink.h>

#include "ramp.h"

static const struct nla_policy ramp_level_policy[TCA_RAMP_LEVEL_MAX + 1] = {
	[TCA_RAMP_LEVEL_UNIT]	= NLA_POLICY_MAX(NLA_U32, RAMP_UNIT_MAX),
	[TCA_RAMP_LEVEL_LOW]	= { .type = NLA_U64 },
	[TCA_RAMP_LEVEL_HIGH]	= { .type = NLA_U64 },
	[TCA_RAMP_LEVEL_DELTA]	= { .type = NLA_U64 },
};

static const struct nla_policy ramp_amount_policy[TCA_RAMP_AMOUNT_MAX + 1] = {
	[TCA_RAMP_AMOUNT_UNIT]	= NLA_POLICY_MAX(NLA_U32, RAMP_UNIT_MAX),
	[TCA_RAMP_AMOUNT_VALUE]	= { .type = NLA_U64 },
};

/* The greatest number of a unit, which is less for what is counted in skbs. */
static u64 ramp_unit_max(u32 unit)
{
	switch (unit) {
	case RAMP_UNIT_PACKETS:
		return RAMP_LIMIT_MAX;
	case RAMP_UNIT_PERCENT:
		return RAMP_PERCENT;
	case RAMP_UNIT_BANDS:
		return RAMP_BANDS_MAX;
	default:
		return RAMP_RATE_MAX;
	}
}

/* Which units a level may be in. */
static u32 ramp_level_units(int type)
{
	switch (type) {
	case TCA_RAMP_QUEUE:
		return BIT(RAMP_UNIT_PACKETS) | BIT(RAMP_UNIT_PERCENT);
	case TCA_RAMP_MEMBERS:
		return BIT(RAMP_UNIT_BANDS);
	default:
		return BIT(RAMP_UNIT_RATE) | BIT(RAMP_UNIT_PPS) |
		       BIT(RAMP_UNIT_PERCENT);
	}
}

static bool ramp_level_valid(int type, const struct ramp_level *level)
{
	u64 max = ramp_unit_max(level->unit);

	if (!(ramp_level_units(type) & BIT(level->unit)))
		return false;
	if (level->delta)
		return level->delta <= max;
	if (type == TCA_RAMP_QUEUE && !level->low)
		return false;
	/* All that the gate counts: how many these are is known later. */
	if (type == TCA_RAMP_MEMBERS && !level->high)
		return level->low < max;
	return level->low < level->high && level->high <= max;
}

static int ramp_parse_level(struct ramp_level *level, const struct nlattr *attr,
			    struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_RAMP_LEVEL_MAX + 1];
	struct ramp_level new = {};
	int err;

	if (!attr)
		return 0;
	err = ramp_parse_nested(tb, TCA_RAMP_LEVEL_MAX, ramp_level_policy, attr,
				BIT(TCA_RAMP_LEVEL_UNIT), extack);
	if (err)
		return err;

	new.unit = nla_get_u32(tb[TCA_RAMP_LEVEL_UNIT]);
	if (tb[TCA_RAMP_LEVEL_DELTA]) {
		new.delta = nla_get_u64(tb[TCA_RAMP_LEVEL_DELTA]);
		if (!new.delta || tb[TCA_RAMP_LEVEL_LOW] ||
		    tb[TCA_RAMP_LEVEL_HIGH])
			return ramp_refuse(attr, extack);
	} else {
		if (!tb[TCA_RAMP_LEVEL_LOW] || !tb[TCA_RAMP_LEVEL_HIGH])
			return ramp_refuse(attr, extack);
		new.low = nla_get_u64(tb[TCA_RAMP_LEVEL_LOW]);
		new.high = nla_get_u64(tb[TCA_RAMP_LEVEL_HIGH]);
	}
	if (!ramp_level_valid(nla_type(attr), &new))
		return ramp_refuse(attr, extack);

	*level = new;
	return 0;
}

static int ramp_parse_amount(struct ramp_amount *amount,
			     const struct nlattr *attr,
			     struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_RAMP_AMOUNT_MAX + 1];
	struct ramp_amount new = { .set = true };
	int err;

	if (!attr)
		return 0;
	err = ramp_parse_nested(tb, TCA_RAMP_AMOUNT_MAX, ramp_amount_policy,
				attr, BIT(TCA_RAMP_AMOUNT_UNIT) |
				BIT(TCA_RAMP_AMOUNT_VALUE), extack);
	if (err)
		return err;

	new.unit = nla_get_u32(tb[TCA_RAMP_AMOUNT_UNIT]);
	new.value = nla_get_u64(tb[TCA_RAMP_AMOUNT_VALUE]);
	if (new.unit == RAMP_UNIT_PPS || new.unit == RAMP_UNIT_BANDS ||
	    !new.value ||
	    new.value > ramp_unit_max(new.unit))
		return ramp_refuse(attr, extack);

	*amount = new;
	return 0;
}

/**
 * ramp_parse_levels - take over what a message names of levels
 * @config: to be changed
 * @tb: attributes of the message
 * @extack: for the message
 *
 * Return: 0 or -EINVAL
 */
int ramp_parse_levels(struct ramp_config *config, struct nlattr **tb,
		      struct netlink_ext_ack *extack)
{
	int err;

	err = ramp_parse_level(&config->queue, tb[TCA_RAMP_QUEUE], extack);
	if (!err)
		err = ramp_parse_level(&config->members, tb[TCA_RAMP_MEMBERS],
				       extack);
	if (!err)
		err = ramp_parse_level(&config->ingress, tb[TCA_RAMP_INGRESS],
				       extack);
	return err;
}

/**
 * ramp_parse_amounts - take over what a message names of amounts
 * @config: to be changed
 * @tb: attributes of the message
 * @extack: for the message
 *
 * Return: 0 or -EINVAL
 */
int ramp_parse_amounts(struct ramp_config *config, struct nlattr **tb,
		       struct netlink_ext_ack *extack)
{
	static const u16 type[RAMP_AMOUNTS] = {
		[RAMP_START]	 = TCA_RAMP_START,
		[RAMP_STEP]	 = TCA_RAMP_STEP,
		[RAMP_DOWN_STEP] = TCA_RAMP_DOWN_STEP,
		[RAMP_FLOOR]	 = TCA_RAMP_FLOOR,
	};
	int i, err;

	for (i = 0; i < RAMP_AMOUNTS; i++) {
		err = ramp_parse_amount(&config->amount[i], tb[type[i]],
					extack);
		if (err)
			return err;
	}
	return ramp_config_amounts(config, extack);
}
