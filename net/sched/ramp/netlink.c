// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink of the ramp qdisc: reads a configuration.
 */

#include <net/netlink.h>

#include "ramp.h"

#define RAMP_RANGE(name, lo, hi) \
	static ramp_range_const struct netlink_range_validation name = { \
		.min = (lo), .max = (hi) }

RAMP_RANGE(ramp_limit_range, 0, RAMP_LIMIT_MAX);
RAMP_RANGE(ramp_limit_bytes_range, RAMP_LIMIT_BYTES_MIN, RAMP_LIMIT_BYTES_MAX);
RAMP_RANGE(ramp_rate_range, 0, RAMP_RATE_MAX);
RAMP_RANGE(ramp_window_range, NSEC_PER_MSEC, 10ULL * NSEC_PER_SEC);
RAMP_RANGE(ramp_monitor_range, NSEC_PER_MSEC, 60ULL * NSEC_PER_SEC);
RAMP_RANGE(ramp_tick_range, 50 * NSEC_PER_USEC, NSEC_PER_SEC);
RAMP_RANGE(ramp_pause_range, 0, 10ULL * NSEC_PER_SEC);
RAMP_RANGE(ramp_hold_range, 0, 60ULL * NSEC_PER_SEC);
RAMP_RANGE(ramp_bands_range, 1, RAMP_BANDS_MAX);
RAMP_RANGE(ramp_cease_time_range, 50 * NSEC_PER_USEC, 3600ULL * NSEC_PER_SEC);
RAMP_RANGE(ramp_adjust_range, 1, RAMP_PERCENT / 2);
RAMP_RANGE(ramp_validity_range, 10 * NSEC_PER_MSEC, 10ULL * NSEC_PER_SEC);
RAMP_RANGE(ramp_ethertype_range, ETH_P_802_3_MIN, U16_MAX);
RAMP_RANGE(ramp_dwell_range, 0, 60ULL * NSEC_PER_SEC);
RAMP_RANGE(ramp_idle_range, NSEC_PER_MSEC, 60ULL * NSEC_PER_SEC);

static const struct nla_policy ramp_policy[TCA_RAMP_MAX + 1] = {
	[TCA_RAMP_LIMIT]	= NLA_POLICY_FULL_RANGE(NLA_U32, &ramp_limit_range),
	[TCA_RAMP_RATE]		= NLA_POLICY_FULL_RANGE(NLA_U64, &ramp_rate_range),
	[TCA_RAMP_DETECT]	= NLA_POLICY_MAX(NLA_U32, RAMP_DETECT_MAX),
	[TCA_RAMP_QUEUE]	= { .type = NLA_NESTED },
	[TCA_RAMP_INGRESS]	= { .type = NLA_NESTED },
	[TCA_RAMP_WINDOW]	= NLA_POLICY_FULL_RANGE(NLA_U64, &ramp_window_range),
	[TCA_RAMP_MONITOR]	= NLA_POLICY_FULL_RANGE(NLA_U64, &ramp_monitor_range),
	[TCA_RAMP_TICK]		= NLA_POLICY_FULL_RANGE(NLA_U64, &ramp_tick_range),
	[TCA_RAMP_START]	= { .type = NLA_NESTED },
	[TCA_RAMP_STEP]		= { .type = NLA_NESTED },
	[TCA_RAMP_PAUSE]	= NLA_POLICY_FULL_RANGE(NLA_U64, &ramp_pause_range),
	[TCA_RAMP_HOLD]		= NLA_POLICY_FULL_RANGE(NLA_U64, &ramp_hold_range),
	[TCA_RAMP_DOWN_STEP]	= { .type = NLA_NESTED },
	[TCA_RAMP_FLOOR]	= { .type = NLA_NESTED },
	[TCA_RAMP_CEASE]	= NLA_POLICY_MAX(NLA_U32, RAMP_CEASE_MAX),
	[TCA_RAMP_LIMIT_NOW]	= { .type = NLA_REJECT },
	[TCA_RAMP_LIMIT_NEED]	= { .type = NLA_REJECT },
	[TCA_RAMP_RATE_NOW]	= { .type = NLA_REJECT },
	[TCA_RAMP_BANDS]	= NLA_POLICY_FULL_RANGE(NLA_U32, &ramp_bands_range),
	[TCA_RAMP_PRIOMAP]	= NLA_POLICY_EXACT_LEN(TC_PRIO_MAX + 1),
	[TCA_RAMP_EXEMPT]	= { .type = NLA_U32 },
	[TCA_RAMP_BAND_LIMITS]	= { .type = NLA_NESTED },
	[TCA_RAMP_SPLIT_GSO]	= NLA_POLICY_MAX(NLA_U32, 1),
	[TCA_RAMP_MEMBERS]	= { .type = NLA_NESTED },
	[TCA_RAMP_ADAPTIVE]	= NLA_POLICY_MAX(NLA_U32, 1),
	[TCA_RAMP_CEASE_TIME]	= NLA_POLICY_FULL_RANGE(NLA_U64,
							&ramp_cease_time_range),
	[TCA_RAMP_LADDER]	= { .type = NLA_NESTED },
	[TCA_RAMP_BAND_LADDERS]	= { .type = NLA_NESTED },
	[TCA_RAMP_ADJUST]	= NLA_POLICY_FULL_RANGE(NLA_U32, &ramp_adjust_range),
	[__TCA_RAMP_UNUSED_31]	= { .type = NLA_REJECT },
	[TCA_RAMP_FEEDBACK]	= { .type = NLA_NESTED },
	[TCA_RAMP_BAND_FEEDBACKS] = { .type = NLA_NESTED },
	[TCA_RAMP_VALIDITY]	= NLA_POLICY_FULL_RANGE(NLA_U64, &ramp_validity_range),
	[TCA_RAMP_ETHERTYPE]	= NLA_POLICY_FULL_RANGE(NLA_U32,
							&ramp_ethertype_range),
	[TCA_RAMP_OBEY]		= NLA_POLICY_MAX(NLA_U32, 1),
	[TCA_RAMP_OBEY_MIN]	= NLA_POLICY_MAX(NLA_U32, RAMP_PERCENT),
	[TCA_RAMP_GEARS]	= { .type = NLA_BINARY },
	[TCA_RAMP_GEAR_UP]	= { .type = NLA_BINARY },
	[TCA_RAMP_GEAR_DOWN]	= { .type = NLA_BINARY },
	[TCA_RAMP_GEAR_MIN]	= { .type = NLA_U32 },
	[TCA_RAMP_GEAR_MAX]	= { .type = NLA_U32 },
	[TCA_RAMP_GEAR_FOLLOW]	= NLA_POLICY_MAX(NLA_U32, RAMP_GEAR_FOLLOW_MAX),
	[TCA_RAMP_GEAR_PORTS]	= { .type = NLA_NESTED },
	[TCA_RAMP_FREEZE]	= { .type = NLA_U64 },
	[TCA_RAMP_DWELL]	= NLA_POLICY_FULL_RANGE(NLA_U64, &ramp_dwell_range),
	[TCA_RAMP_IDLE]		= NLA_POLICY_FULL_RANGE(NLA_U64, &ramp_idle_range),
	[TCA_RAMP_POWER]	= { .type = NLA_BINARY },
	[TCA_RAMP_CLOCK]	= NLA_POLICY_MAX(NLA_U32, RAMP_CLOCK_MAX),
	[TCA_RAMP_CLOCK_PERCENT] = { .type = NLA_BINARY },
	[TCA_RAMP_CLOCK_CPUS]	= { .type = NLA_BINARY },
	[TCA_RAMP_GEAR_TOP]	= { .type = NLA_REJECT },
	[TCA_RAMP_FREEZE_NOW]	= { .type = NLA_REJECT },
	[TCA_RAMP_RAIL]		= { .type = NLA_U32 },
	[TCA_RAMP_LIMIT_BYTES]	= NLA_POLICY_FULL_RANGE(NLA_U32,
							&ramp_limit_bytes_range),
	[TCA_RAMP_LIMIT_BYTES_NOW] = { .type = NLA_REJECT },
	[TCA_RAMP_GEAR_UP_TIME]	= { .type = NLA_BINARY },
	[TCA_RAMP_GEAR_DOWN_TIME] = { .type = NLA_BINARY },
	[TCA_RAMP_GEAR_FIT]	= NLA_POLICY_MAX(NLA_U32, RAMP_PERCENT),
	[TCA_RAMP_POWER_PORTS]	= { .type = NLA_BINARY },
};

static const struct nla_policy ramp_band_limit_policy[TCA_RAMP_BAND_LIMIT_MAX + 1] = {
	[TCA_RAMP_BAND_LIMIT_BAND]	= { .type = NLA_U32 },
	[TCA_RAMP_BAND_LIMIT_PACKETS]	= NLA_POLICY_FULL_RANGE(NLA_U32,
								&ramp_limit_range),
	[TCA_RAMP_BAND_LIMIT_BYTES]	= NLA_POLICY_FULL_RANGE(NLA_U32,
								&ramp_limit_bytes_range),
};

/* Returns 1 when a limit was named, 0 when not, -EINVAL when in both kinds. */
static int ramp_parse_limit(struct ramp_limit *limit,
			    const struct nlattr *packets,
			    const struct nlattr *bytes)
{
	if (!packets && !bytes)
		return 0;
	limit->packets = packets ? nla_get_u32(packets) : 0;
	limit->bytes = bytes ? nla_get_u32(bytes) : 0;
	return limit->packets && limit->bytes ? -EINVAL : 1;
}

static int ramp_parse_band_limits(struct ramp_config *config,
				  const struct nlattr *list,
				  struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_RAMP_BAND_LIMIT_MAX + 1];
	const struct nlattr *entry;
	struct ramp_limit limit;
	int rem, err;
	u32 band;

	nla_for_each_nested(entry, list, rem) {
		if (nla_type(entry) != TCA_RAMP_BAND_LIMITS_ENTRY)
			return ramp_refuse(list, extack);
		err = ramp_parse_nested(tb, TCA_RAMP_BAND_LIMIT_MAX,
					ramp_band_limit_policy, entry,
					BIT(TCA_RAMP_BAND_LIMIT_BAND), NULL);
		if (err || ramp_parse_limit(&limit, tb[TCA_RAMP_BAND_LIMIT_PACKETS],
					    tb[TCA_RAMP_BAND_LIMIT_BYTES]) <= 0)
			return ramp_refuse(list, extack);
		band = nla_get_u32(tb[TCA_RAMP_BAND_LIMIT_BAND]);
		if (band >= config->bands)
			return ramp_refuse(list, extack);
		/* Whether it is less than limit is seen when both are known. */
		config->band_limit[band] = limit;
	}
	/* What follows the last one is not an attribute. */
	return rem ? ramp_refuse(list, extack) : 0;
}

static int ramp_parse_bands(struct ramp_config *config, struct nlattr **tb,
			    struct netlink_ext_ack *extack)
{
	int err;

	if (tb[TCA_RAMP_BANDS])
		config->bands = nla_get_u32(tb[TCA_RAMP_BANDS]);
	if (tb[TCA_RAMP_PRIOMAP]) {
		nla_memcpy(config->priomap, tb[TCA_RAMP_PRIOMAP],
			   sizeof(config->priomap));
		config->priomap_set = true;
	}
	if (tb[TCA_RAMP_EXEMPT])
		config->exempt = nla_get_u32(tb[TCA_RAMP_EXEMPT]);
	if (tb[TCA_RAMP_SPLIT_GSO])
		config->split_gso = nla_get_u32(tb[TCA_RAMP_SPLIT_GSO]);
	if (tb[TCA_RAMP_BAND_LIMITS]) {
		err = ramp_parse_band_limits(config, tb[TCA_RAMP_BAND_LIMITS],
					     extack);
		if (err)
			return err;
	}
	return ramp_config_bands(config, extack);
}

/**
 * ramp_parse - take over what a message names
 * @sch: ramp qdisc
 * @config: what is in force, or the defaults; keeps what is not named
 * @opt: TCA_OPTIONS
 * @extack: for the message
 *
 * Context: RTNL.
 *
 * Return: 0, or a negative error with the message in @extack and @config
 * partly changed. In both cases what it shares may be another one, which the
 * caller frees with ramp_config_free().
 */
int ramp_parse(const struct Qdisc *sch, struct ramp_config *config,
	       struct nlattr *opt, struct netlink_ext_ack *extack)
{
	const struct ramp_code_config *codes = config->codes;
	const struct ramp_gear_config *gears = config->gears;
	struct nlattr *tb[TCA_RAMP_MAX + 1];
	int err;

	err = nla_parse_nested(tb, TCA_RAMP_MAX, opt, ramp_policy, extack);
	if (err) {
		if (extack && extack->bad_attr && extack->bad_attr != opt)
			return ramp_refuse(extack->bad_attr, extack);
		return err;
	}

	if (tb[TCA_RAMP_RAIL])
		ramp_rail_adopt(sch, config, nla_get_u32(tb[TCA_RAMP_RAIL]));
	if (ramp_parse_limit(&config->limit, tb[TCA_RAMP_LIMIT],
			     tb[TCA_RAMP_LIMIT_BYTES]) < 0) {
		NL_SET_ERR_MSG(extack, "limit: packets or a size, not both");
		return -EINVAL;
	}
	if (tb[TCA_RAMP_RATE]) {
		config->rate = nla_get_u64(tb[TCA_RAMP_RATE]);
		if (config->rate && config->rate < RAMP_RATE_MIN)
			return ramp_refuse(tb[TCA_RAMP_RATE], extack);
	}
	if (tb[TCA_RAMP_DETECT])
		config->detect = nla_get_u32(tb[TCA_RAMP_DETECT]);
	if (tb[TCA_RAMP_WINDOW])
		config->window = nla_get_u64(tb[TCA_RAMP_WINDOW]);
	if (tb[TCA_RAMP_MONITOR])
		config->monitor = nla_get_u64(tb[TCA_RAMP_MONITOR]);
	if (tb[TCA_RAMP_TICK])
		config->tick = nla_get_u64(tb[TCA_RAMP_TICK]);
	if (tb[TCA_RAMP_PAUSE])
		config->pause = nla_get_u64(tb[TCA_RAMP_PAUSE]);
	if (tb[TCA_RAMP_HOLD])
		config->hold = nla_get_u64(tb[TCA_RAMP_HOLD]);
	if (tb[TCA_RAMP_ADAPTIVE])
		config->adaptive = nla_get_u32(tb[TCA_RAMP_ADAPTIVE]);
	if (tb[TCA_RAMP_CEASE_TIME]) {
		config->cease = RAMP_CEASE_TIME;
		config->cease_time = nla_get_u64(tb[TCA_RAMP_CEASE_TIME]);
	}
	if (tb[TCA_RAMP_CEASE])
		config->cease = nla_get_u32(tb[TCA_RAMP_CEASE]);

	err = ramp_parse_levels(config, tb, extack);
	if (!err)
		err = ramp_parse_bands(config, tb, extack);
	if (!err)
		err = ramp_parse_amounts(config, tb, extack);
	if (!err)
		err = ramp_config_cease(config, extack);
	if (!err)
		err = ramp_parse_codes(config, codes, tb, extack);
	if (!err)
		err = ramp_parse_gears(config, gears, tb, extack);
	if (!err)
		err = ramp_rail_config(config, extack);
	if (!err)
		err = ramp_show_check(config, extack);
	return err;
}
