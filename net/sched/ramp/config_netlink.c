// SPDX-License-Identifier: GPL-2.0
/*
 * The parameters of the qdisc itself in messages: what is named is taken over,
 * and all of it is shown. All under RTNL.
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
static int ramp_parse_levels(struct ramp_config *config, struct nlattr **tb,
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
static int ramp_parse_amounts(struct ramp_config *config, struct nlattr **tb,
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

#define RAMP_RANGE(name, lo, hi) \
	static ramp_range_const struct netlink_range_validation name = { \
		.min = (lo), .max = (hi) }

RAMP_RANGE(ramp_limit_range, 0, RAMP_LIMIT_MAX);
RAMP_RANGE(ramp_limit_bytes_range, RAMP_LIMIT_BYTES_MIN, RAMP_LIMIT_BYTES_MAX);

#define RAMP_QDISC(id, says, ...) \
	RAMP_NUMBER(struct ramp_config, id, __VA_ARGS__, .text = says)
#define RAMP_SHARED(id, says, ...) \
	RAMP_QDISC(id, says, __VA_ARGS__, .of_rail = true)
#define RAMP_LIST(id, says, nla, ...) \
	RAMP_OTHER(id, nla, .text = says, ##__VA_ARGS__)
#define RAMP_PLACE(field) RAMP_AT(struct ramp_config, field), .of_rail = true

#define RAMP_AMOUNT_SAYS \
	"1..1048576 packets, a rate up to 8796093022208bit, or 0.01%..100%"

/* In the order in which they are shown. */
static const struct ramp_attr ramp_params[] = {
	RAMP_QDISC(TCA_RAMP_LIMIT,
		   "limit: 1..1048576 packets, 1kb..1gb or auto",
		   limit.packets, 0, RAMP_LIMIT_MAX),
	RAMP_QDISC(TCA_RAMP_LIMIT_BYTES,
		   "limit: 1..1048576 packets, 1kb..1gb or auto",
		   limit.bytes, RAMP_LIMIT_BYTES_MIN, RAMP_LIMIT_BYTES_MAX,
		   .own_put = true),
	RAMP_SHARED(TCA_RAMP_RATE, "rate: 8kbit..8796093022208bit or auto",
		    rate, 0, RAMP_RATE_MAX),
	RAMP_SHARED(TCA_RAMP_DETECT,
		    "detect: off, queue, members, ingress, both or always",
		    detect, 0, RAMP_DETECT_MAX),
	RAMP_LIST(TCA_RAMP_QUEUE,
		  "queue: LOW:HIGH, LOW < HIGH, or +DELTA, 1..1048576 packets or 0.01%..100%",
		  NLA_NESTED, RAMP_PLACE(queue)),
	RAMP_LIST(TCA_RAMP_MEMBERS,
		  "members: LOW:HIGH, LOW < HIGH <= bands, or +DELTA, 1..bands",
		  NLA_NESTED, RAMP_PLACE(members)),
	RAMP_LIST(TCA_RAMP_INGRESS,
		  "ingress: LOW:HIGH or +DELTA, 0..8796093022208bit, 0..1099511627776pps, 0%..100%",
		  NLA_NESTED, RAMP_PLACE(ingress)),
	RAMP_SHARED(TCA_RAMP_WINDOW, "window: 1ms..10s",
		    window, NSEC_PER_MSEC, 10ULL * NSEC_PER_SEC),
	RAMP_SHARED(TCA_RAMP_MONITOR, "monitor: 1ms..60s",
		    monitor, NSEC_PER_MSEC, 60ULL * NSEC_PER_SEC),
	RAMP_SHARED(TCA_RAMP_TICK, "tick: 50us..1s",
		    tick, 50 * NSEC_PER_USEC, NSEC_PER_SEC),
	RAMP_LIST(TCA_RAMP_START, "start: " RAMP_AMOUNT_SAYS,
		  NLA_NESTED, RAMP_PLACE(amount[RAMP_START])),
	RAMP_LIST(TCA_RAMP_STEP, "step: " RAMP_AMOUNT_SAYS,
		  NLA_NESTED, RAMP_PLACE(amount[RAMP_STEP])),
	RAMP_SHARED(TCA_RAMP_PAUSE, "pause: 0..10s",
		    pause, 0, 10ULL * NSEC_PER_SEC),
	RAMP_SHARED(TCA_RAMP_HOLD, "hold: 0..60s",
		    hold, 0, 60ULL * NSEC_PER_SEC),
	RAMP_LIST(TCA_RAMP_DOWN_STEP, "down-step: " RAMP_AMOUNT_SAYS,
		  NLA_NESTED, RAMP_PLACE(amount[RAMP_DOWN_STEP])),
	RAMP_LIST(TCA_RAMP_FLOOR, "floor: " RAMP_AMOUNT_SAYS,
		  NLA_NESTED, RAMP_PLACE(amount[RAMP_FLOOR])),
	RAMP_SHARED(TCA_RAMP_CEASE, "cease: full, auto or 1 tick..3600s",
		    cease, 0, RAMP_CEASE_MAX),
	RAMP_SHARED(TCA_RAMP_CEASE_TIME, "cease: full, auto or 1 tick..3600s",
		    cease_time, 50 * NSEC_PER_USEC, 3600ULL * NSEC_PER_SEC,
		    .own_put = true),
	RAMP_SHARED(TCA_RAMP_ADAPTIVE, "adaptive: 0 or 1", adaptive, 0, 1),
	RAMP_QDISC(TCA_RAMP_BANDS, "bands: 1..16", bands, 1, RAMP_BANDS_MAX),
	RAMP_LIST(TCA_RAMP_PRIOMAP, "priomap: 16 bands, each less than bands",
		  NLA_BINARY, .range = { TC_PRIO_MAX + 1, TC_PRIO_MAX + 1 }),
	RAMP_QDISC(TCA_RAMP_EXEMPT,
		   "exempt: bands, each less than bands, but not all",
		   exempt, 0, U32_MAX),
	RAMP_LIST(TCA_RAMP_BAND_LIMITS,
		  "band-limit: band less than bands, up to limit, packets, a size or auto",
		  NLA_NESTED),
	RAMP_QDISC(TCA_RAMP_SPLIT_GSO, "split-gso: 0 or 1", split_gso, 0, 1),
	RAMP_NUMBER(struct ramp_config, TCA_RAMP_RAIL, rail, 0, U32_MAX,
		    .of_rail = true, .own_put = true,
		    RAMP_SAYS(RAILS, "0..4294967295, 0 is none", "rail")),
	RAMP_ANSWER(TCA_RAMP_LIMIT_NOW, "limit_now"),
	RAMP_ANSWER(TCA_RAMP_LIMIT_BYTES_NOW, "limit_bytes_now"),
	RAMP_ANSWER(TCA_RAMP_LIMIT_NEED, "limit_need"),
	RAMP_ANSWER(TCA_RAMP_RATE_NOW, "rate_now"),
	{}
};

static struct nla_policy ramp_policy[TCA_RAMP_MAX + 1] __ro_after_init;

/**
 * ramp_params_init - know what parameters there are
 */
void __init ramp_params_init(void)
{
	ramp_attrs_add(RAMP_PART_QDISC, ramp_params, ramp_policy);
	ramp_attrs_add(RAMP_PART_CODES, ramp_code_params, ramp_policy);
	ramp_attrs_add(RAMP_PART_GEARS, ramp_gear_params, ramp_policy);
}

static const struct nla_policy
ramp_band_limit_policy[TCA_RAMP_BAND_LIMIT_MAX + 1] = {
	[TCA_RAMP_BAND_LIMIT_BAND] = { .type = NLA_U32 },
	[TCA_RAMP_BAND_LIMIT_PACKETS] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &ramp_limit_range),
	[TCA_RAMP_BAND_LIMIT_BYTES] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &ramp_limit_bytes_range),
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
		if (err)
			return ramp_refuse(list, extack);
		err = ramp_parse_limit(&limit, tb[TCA_RAMP_BAND_LIMIT_PACKETS],
				       tb[TCA_RAMP_BAND_LIMIT_BYTES]);
		if (err <= 0)
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

	if (tb[TCA_RAMP_PRIOMAP]) {
		nla_memcpy(config->priomap, tb[TCA_RAMP_PRIOMAP],
			   sizeof(config->priomap));
		config->priomap_set = true;
	}
	if (tb[TCA_RAMP_BAND_LIMITS]) {
		err = ramp_parse_band_limits(config, tb[TCA_RAMP_BAND_LIMITS],
					     extack);
		if (err)
			return err;
	}
	return ramp_config_bands(config, extack);
}

/* Those that were named. */
static u32 ramp_bands_size(const struct ramp_config *config)
{
	u32 i, size = 0;

	for (i = 0; i < config->bands; i++)
		if (!ramp_limit_is_auto(&config->band_limit[i]))
			size += nla_total_size(2 * nla_total_size(sizeof(u32)));
	return size;
}

/**
 * ramp_show_check - can what is asked for be shown?
 * @config: a configuration
 * @extack: for the message
 *
 * The first message of a dump has a page, and who does not fit into it ends the
 * dump, and nobody is told. The rest of it is for what is always there.
 *
 * Context: RTNL.
 *
 * Return: 0, or -EMSGSIZE with the message in @extack
 */
static int ramp_show_check(const struct ramp_config *config,
			   struct netlink_ext_ack *extack)
{
	u32 size = ramp_bands_size(config) + ramp_codes_size(config) +
		   ramp_gears_size(config);

	if (size <= RAMP_LISTS_MAX)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "too long to show: fewer gear-ports, cpus, band-limit, ladders or feedback");
	return -EMSGSIZE;
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
	const struct ramp_config *others;
	int err;

	err = ramp_refuse_absent(opt, extack);
	if (err)
		return err;
	err = nla_parse_nested(tb, TCA_RAMP_MAX, opt, ramp_policy, extack);
	if (err) {
		if (extack && extack->bad_attr && extack->bad_attr != opt)
			return ramp_refuse(extack->bad_attr, extack);
		return err;
	}

	if (tb[TCA_RAMP_RAIL]) {
		others = ramp_rail_others(sch, config,
					  nla_get_u32(tb[TCA_RAMP_RAIL]));
		/* What else is named comes after that, for all of them. */
		if (others)
			ramp_attrs_share(config, others);
	}
	if (tb[TCA_RAMP_CEASE_TIME])
		config->cease = RAMP_CEASE_TIME;
	ramp_attrs_take(RAMP_PART_QDISC, config, tb);
	if (ramp_parse_limit(&config->limit, tb[TCA_RAMP_LIMIT],
			     tb[TCA_RAMP_LIMIT_BYTES]) < 0) {
		NL_SET_ERR_MSG(extack, "limit: packets or a size, not both");
		return -EINVAL;
	}
	if (tb[TCA_RAMP_RATE] && config->rate && config->rate < RAMP_RATE_MIN)
		return ramp_refuse(tb[TCA_RAMP_RATE], extack);

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

/*
 * What is shown of it. All under RTNL.
 */

static int ramp_put_level(struct sk_buff *skb, int type,
			  const struct ramp_level *level)
{
	struct nlattr *nest = nla_nest_start(skb, type);

	if (!nest || nla_put_u32(skb, TCA_RAMP_LEVEL_UNIT, level->unit))
		return -EMSGSIZE;
	if (level->delta) {
		if (nla_put_u64_64bit(skb, TCA_RAMP_LEVEL_DELTA, level->delta,
				      TCA_RAMP_LEVEL_PAD))
			return -EMSGSIZE;
	} else if (nla_put_u64_64bit(skb, TCA_RAMP_LEVEL_LOW, level->low,
				     TCA_RAMP_LEVEL_PAD) ||
		   nla_put_u64_64bit(skb, TCA_RAMP_LEVEL_HIGH, level->high,
				     TCA_RAMP_LEVEL_PAD)) {
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int ramp_put_amount(struct sk_buff *skb, int type,
			   const struct ramp_amount *amount)
{
	struct nlattr *nest = nla_nest_start(skb, type);

	if (!nest ||
	    nla_put_u32(skb, TCA_RAMP_AMOUNT_UNIT, amount->unit) ||
	    nla_put_u64_64bit(skb, TCA_RAMP_AMOUNT_VALUE, amount->value,
			      TCA_RAMP_AMOUNT_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Those that were named. */
static int ramp_put_band_limits(struct sk_buff *skb,
				const struct ramp_config *config)
{
	struct nlattr *list = nla_nest_start(skb, TCA_RAMP_BAND_LIMITS);
	struct nlattr *nest;
	u32 i;

	if (!list)
		return -EMSGSIZE;
	for (i = 0; i < config->bands; i++) {
		const struct ramp_limit *limit = &config->band_limit[i];

		if (ramp_limit_is_auto(limit))
			continue;
		nest = nla_nest_start(skb, TCA_RAMP_BAND_LIMITS_ENTRY);
		if (!nest ||
		    nla_put_u32(skb, TCA_RAMP_BAND_LIMIT_BAND, i) ||
		    nla_put_u32(skb, limit->bytes ? TCA_RAMP_BAND_LIMIT_BYTES :
						    TCA_RAMP_BAND_LIMIT_PACKETS,
				limit->bytes ?: limit->packets))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	nla_nest_end(skb, list);
	return 0;
}

/* What is not a number, or not always there. */
static int ramp_put_param(struct sk_buff *skb, const struct ramp_attr *row,
			  const void *part)
{
	const struct ramp_config *config = part;

	switch (row->type) {
	case TCA_RAMP_LIMIT_BYTES:
		return config->limit.bytes ?
		       nla_put_u32(skb, row->type, config->limit.bytes) : 0;
	case TCA_RAMP_QUEUE:
	case TCA_RAMP_MEMBERS:
	case TCA_RAMP_INGRESS:
		return ramp_put_level(skb, row->type, part + row->at);
	case TCA_RAMP_START:
	case TCA_RAMP_STEP:
	case TCA_RAMP_DOWN_STEP:
	case TCA_RAMP_FLOOR:
		return ramp_put_amount(skb, row->type, part + row->at);
	case TCA_RAMP_CEASE_TIME:
		return config->cease == RAMP_CEASE_TIME ?
		       ramp_put_number(skb, row->type, config->cease_time) : 0;
	case TCA_RAMP_PRIOMAP:
		return nla_put(skb, row->type, sizeof(config->priomap),
			       config->priomap);
	case TCA_RAMP_BAND_LIMITS:
		return ramp_put_band_limits(skb, config);
	default:
		/* A rail is shown behind what features have. */
		return 0;
	}
}

/**
 * ramp_dump - show the configuration and what it amounts to
 * @sch: ramp qdisc
 * @skb: message
 *
 * Context: RTNL, under which both change.
 *
 * Return: length of the message, or -EMSGSIZE
 */
int ramp_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	const struct ramp_config *config = &q->config;
	struct nlattr *opts;

	opts = nla_nest_start(skb, TCA_OPTIONS);
	if (!opts ||
	    ramp_attrs_put(RAMP_PART_QDISC, config, ramp_put_param, skb) ||
	    ramp_dump_codes(skb, config) ||
	    ramp_dump_gears(sch, skb) ||
	    (IS_ENABLED(CONFIG_NET_SCH_RAMP_RAILS) && !config->mq &&
	     nla_put_u32(skb, TCA_RAMP_RAIL, config->rail)) ||
	    nla_put_u32(skb, TCA_RAMP_LIMIT_NOW, q->law.limit) ||
	    (q->law.bytes != RAMP_NO_BYTES &&
	     nla_put_u32(skb, TCA_RAMP_LIMIT_BYTES_NOW, q->law.bytes)) ||
	    (q->law.need &&
	     nla_put_u32(skb, TCA_RAMP_LIMIT_NEED, q->law.need)) ||
	    (q->law.rate &&
	     ramp_put_number(skb, TCA_RAMP_RATE_NOW, q->law.rate)))
		goto cancel;
	return nla_nest_end(skb, opts);

cancel:
	nla_nest_cancel(skb, opts);
	return -EMSGSIZE;
}
