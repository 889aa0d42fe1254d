// SPDX-License-Identifier: GPL-2.0
/*
 * What a configuration amounts to: percentages, rates and times become packets
 * and bytes per slot and per tick, at the rate of the device if that is what
 * 100 % means. All under RTNL.
 */

#include <net/netlink.h>
#include <net/ramp/slope_held.h>

#include "ramp.h"

/* Every default has its reason in tc-ramp(8). */
static const struct ramp_config ramp_defaults = {
	.detect		= RAMP_DETECT_ALWAYS,
	.queue		= { .unit = RAMP_UNIT_PERCENT, .low = 500, .high = 5000 },
	.members	= { .unit = RAMP_UNIT_BANDS, .low = 1, .high = 0 },
	.ingress	= { .unit = RAMP_UNIT_PERCENT, .low = 100, .high = 1000 },
	.window		= NSEC_PER_MSEC,
	.monitor	= 20 * NSEC_PER_MSEC,
	.tick		= 100 * NSEC_PER_USEC,
	.cease		= RAMP_CEASE_FULL,
	.bands		= 1,
	.split_gso	= 1,
};

#define RAMP_DEFAULT_PACKETS	2
#define RAMP_DEFAULT_PERCENT	500

static const char * const ramp_amount_range[RAMP_AMOUNTS] = {
	[RAMP_START]	 = "start: 1 packet or 1 byte per tick .. rate",
	[RAMP_STEP]	 = "step: 1 packet or 1 byte per tick .. rate",
	[RAMP_DOWN_STEP] = "down-step: 1 packet or 1 byte per tick .. rate",
	[RAMP_FLOOR]	 = "floor: 1 packet or 1 byte per tick .. rate",
};

/**
 * ramp_config_free - a configuration is of no use any more
 * @config: of which what was edited is freed
 * @keep: another one, which may share some of that, or NULL
 *
 * Context: RTNL.
 */
void ramp_config_free(struct ramp_config *config,
		      const struct ramp_config *keep)
{
	if (!keep || config->codes != keep->codes)
		kfree(config->codes);
	if (!keep || config->gears != keep->gears)
		kfree(config->gears);
}

/* What a start or step that was never named is, in the kind of the others. A
 * rate has no default of its own, so it is as large as its sibling.
 */
static u64 ramp_default_amount(const struct ramp_config *config, u32 unit)
{
	int i;

	if (unit == RAMP_UNIT_PACKETS)
		return RAMP_DEFAULT_PACKETS;
	if (unit == RAMP_UNIT_PERCENT)
		return RAMP_DEFAULT_PERCENT;
	for (i = 0; i < RAMP_AMOUNTS; i++)
		if (config->amount[i].set)
			return config->amount[i].value;
	return 0;
}

/**
 * ramp_config_amounts - bring start, step, down-step and floor to one kind
 * @config: the @set ones of its amounts are right, the others are filled
 * @extack: for the message, or NULL
 *
 * Context: RTNL.
 *
 * Return: 0, or -EINVAL when two that were named are of different kinds
 */
static int ramp_config_amounts(struct ramp_config *config,
			       struct netlink_ext_ack *extack)
{
	struct ramp_amount *amount = config->amount;
	u32 unit = RAMP_UNIT_PERCENT;
	bool set = false;
	int i;

	for (i = 0; i < RAMP_AMOUNTS; i++) {
		if (!amount[i].set)
			continue;
		if (set && amount[i].unit != unit) {
			NL_SET_ERR_MSG(extack,
				       "start, step, down-step, floor: all in packets, all rates, or all in percent");
			return -EINVAL;
		}
		set = true;
		unit = amount[i].unit;
	}

	for (i = 0; i < RAMP_AMOUNTS; i++) {
		if (amount[i].set)
			continue;
		amount[i].unit = unit;
		if (i == RAMP_DOWN_STEP)
			amount[i].value = amount[RAMP_STEP].value;
		else if (i == RAMP_FLOOR)
			amount[i].value = amount[RAMP_START].value;
		else
			amount[i].value = ramp_default_amount(config, unit);
	}
	return 0;
}

/* How many bands the gate counts. */
static u32 ramp_counted(const struct ramp_config *config)
{
	return config->bands - hweight32(config->exempt);
}

/* Only limits of the same kind can be compared. */
static bool ramp_limit_exceeds(const struct ramp_limit *limit,
			       const struct ramp_limit *most)
{
	return (most->packets && limit->packets > most->packets) ||
	       (most->bytes && limit->bytes > most->bytes);
}

static int ramp_config_members(const struct ramp_config *config,
			       struct netlink_ext_ack *extack)
{
	const struct ramp_level *members = &config->members;
	u64 most = members->delta ?: members->high ?: members->low;

	/* The others of a rail have bands, too. */
	if (ramp_config_shared(config))
		return 0;
	if (most > config->bands) {
		NL_SET_ERR_MSG(extack,
			       "members: LOW:HIGH, LOW < HIGH <= bands, or +DELTA, 1..bands");
		return -EINVAL;
	}
	if (config->detect != RAMP_DETECT_MEMBERS)
		return 0;
	if (ramp_counted(config) < 2) {
		NL_SET_ERR_MSG(extack,
			       "detect members needs two bands that are not exempt");
		return -EINVAL;
	}
	if (!members->delta && !members->high &&
	    members->low >= ramp_counted(config)) {
		NL_SET_ERR_MSG(extack,
			       "members: LOW is not less than the bands that are not exempt");
		return -EINVAL;
	}
	return 0;
}

/**
 * ramp_config_bands - is what is said of bands true of those that there are?
 * @config: what was named is in it; what follows the number of bands is filled
 * @extack: for the message, or NULL
 *
 * Context: RTNL.
 *
 * Return: 0, or -EINVAL with the message in @extack
 */
static int ramp_config_bands(struct ramp_config *config,
			     struct netlink_ext_ack *extack)
{
	/* What prio(8) does with each priority. */
	static const u8 map[] = { 1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 };
	u32 i;

	for (i = 0; i <= TC_PRIO_MAX; i++) {
		if (!config->priomap_set) {
			config->priomap[i] = min_t(u32, map[i],
						   config->bands - 1);
		} else if (config->priomap[i] >= config->bands) {
			NL_SET_ERR_MSG(extack,
				       "priomap: 16 bands, each less than bands");
			return -EINVAL;
		}
	}
	if (config->exempt >= BIT(config->bands) - 1) {
		NL_SET_ERR_MSG(extack, "exempt: bands, but not all of them");
		return -EINVAL;
	}
	for (i = 0; i < RAMP_BANDS_MAX; i++) {
		if (i >= config->bands)
			config->band_limit[i] = (struct ramp_limit) {};
		if (ramp_limit_exceeds(&config->band_limit[i], &config->limit)) {
			NL_SET_ERR_MSG(extack,
				       "band-limit: band less than bands, up to limit, packets, a size or auto");
			return -EINVAL;
		}
	}
	return ramp_config_members(config, extack);
}

/**
 * ramp_config_init - the defaults
 * @config: to be filled
 */
void ramp_config_init(struct ramp_config *config)
{
	*config = ramp_defaults;
	ramp_config_amounts(config, NULL);
	ramp_config_bands(config, NULL);
}

/**
 * ramp_config_cease - can a ramp end as it is said to?
 * @config: what was named is in it
 * @extack: for the message
 *
 * Context: RTNL.
 *
 * Return: 0, or -EINVAL with the message in @extack
 */
static int ramp_config_cease(const struct ramp_config *config,
			     struct netlink_ext_ack *extack)
{
	if (config->cease == RAMP_CEASE_AUTO &&
	    config->detect == RAMP_DETECT_ALWAYS) {
		NL_SET_ERR_MSG(extack,
			       "cease auto needs a level, detect always has none");
		return -EINVAL;
	}
	if (config->cease == RAMP_CEASE_TIME &&
	    config->cease_time < config->tick) {
		NL_SET_ERR_MSG(extack, "cease: full, auto or 1 tick..3600s");
		return -EINVAL;
	}
	return 0;
}

/**
 * ramp_config_tells - can there be anything to tell?
 * @config: a configuration
 *
 * What limits all the time detects nothing, and begins and ends no ramp.
 *
 * Context: RTNL.
 *
 * Return: true when there can be events
 */
bool ramp_config_tells(const struct ramp_config *config)
{
	return (config->detect != RAMP_DETECT_OFF &&
		config->detect != RAMP_DETECT_ALWAYS) ||
	       ramp_code_config(config)->obey || ramp_code_sends(config) ||
	       ramp_gear_config(config)->n;
}

static u64 ramp_percent(u64 whole, u64 percent)
{
	return div_u64(whole * percent, RAMP_PERCENT);
}

/* One amount, per tick. An explicit rate bounds what was named; what follows
 * the device, or another amount, must not make a configuration wrong.
 */
static int ramp_resolve_amount(const struct ramp_config *config, int id,
			       u64 base, u64 full, u64 *out,
			       struct netlink_ext_ack *extack)
{
	const struct ramp_amount *amount = &config->amount[id];
	u64 rate = amount->value;
	bool known;

	if (amount->unit == RAMP_UNIT_PACKETS) {
		*out = amount->value;
		return 0;
	}
	if (amount->unit == RAMP_UNIT_PERCENT)
		rate = ramp_percent(base, amount->value);

	*out = ramp_per_tick(rate, config->tick);
	known = config->rate || amount->unit == RAMP_UNIT_RATE;
	if (amount->set && ((config->rate && rate > config->rate) ||
			    (known && !*out))) {
		if (extack)
			extack->_msg = ramp_amount_range[id];
		return -EINVAL;
	}
	*out = max_t(u64, *out, 1);
	if (full)
		*out = min_t(u64, *out, full);
	return 0;
}

static int ramp_resolve_slope(const struct ramp_config *config, u32 mtu,
			      u64 rate, struct ramp_slope_params *p,
			      struct netlink_ext_ack *extack)
{
	int err;

	p->packets = config->amount[RAMP_START].unit == RAMP_UNIT_PACKETS;
	p->tick = config->tick;
	p->window = config->window;
	if (rate)
		p->full = max_t(u64, 1, ramp_per_tick(rate, config->tick));
	p->pause = DIV_ROUND_UP_ULL(config->pause, config->tick);
	p->hold = DIV_ROUND_UP_ULL(config->hold, config->tick);
	if (config->detect == RAMP_DETECT_ALWAYS) {
		p->pause = 0;
		p->hold = 0;
	}
	if (config->cease == RAMP_CEASE_TIME)
		p->life = DIV_ROUND_UP_ULL(config->cease_time, config->tick);
	p->adaptive = config->adaptive && config->detect != RAMP_DETECT_ALWAYS;

	err = ramp_resolve_amount(config, RAMP_START, rate, p->full,
				  &p->start, extack);
	if (!err)
		err = ramp_resolve_amount(config, RAMP_STEP, rate, p->full,
					  &p->step, extack);
	if (!err)
		err = ramp_resolve_amount(config, RAMP_DOWN_STEP, rate, p->full,
					  &p->down_step, extack);
	if (!err)
		err = ramp_resolve_amount(config, RAMP_FLOOR, rate, p->full,
					  &p->floor, extack);
	if (err)
		return err;

	if (config->detect == RAMP_DETECT_ALWAYS)
		ramp_slew_stretch(p, mtu);
	return 0;
}

/* Packets that a limit amounts to, for what is in percent of it. */
static u32 ramp_limit_packets(const struct ramp_limit *limit, u32 mtu)
{
	return limit->packets ?:
	       clamp_t(u32, limit->bytes / mtu, 1, RAMP_LIMIT_MAX);
}

static void ramp_warn_limit(const struct ramp_config *config,
			    const struct ramp_law *law,
			    struct netlink_ext_ack *extack)
{
	if (!extack || config->detect == RAMP_DETECT_OFF)
		return;
	if (law->limit < law->need)
		ramp_warn_need(extack, law->need);
	else if (ramp_limit_is_auto(&config->limit) &&
		 law->bytes > RAMP_LIMIT_AUTO_LARGE)
		ramp_warn_large(extack, law->bytes);
}

/* Twice of what a ramp holds back, and what may come while gears change. */
static u32 ramp_limit_auto(const struct Qdisc *sch,
			   const struct ramp_config *config, u32 need)
{
	u64 packets = max(2ULL * need, ramp_gear_need(sch, config));

	packets = min_t(u64, packets, RAMP_LIMIT_BYTES_MAX);
	return clamp_t(u64, packets * ramp_mtu(sch), RAMP_LIMIT_AUTO_MIN,
		       RAMP_LIMIT_BYTES_MAX);
}

static void ramp_resolve_limit(const struct Qdisc *sch,
			       const struct ramp_config *config,
			       const struct ramp_slope_params *p,
			       struct ramp_law *law,
			       struct netlink_ext_ack *extack)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	/* Of a new qdisc all are 0, and @law may be its own. */
	u32 packets = q->law.limit, bytes = q->law.bytes, need = q->law.need;
	bool was_off = q->config.detect == RAMP_DETECT_OFF;
	struct ramp_limit limit = config->limit;
	u32 mtu = ramp_mtu(sch);

	law->need = config->detect == RAMP_DETECT_ALWAYS ?
		    ramp_slew_holds_back(p, mtu) : ramp_slope_holds_back(p, mtu);
	if (ramp_limit_is_auto(&limit))
		limit.bytes = ramp_limit_auto(sch, config, law->need);
	law->limit = ramp_limit_packets(&limit, mtu);
	law->bytes = limit.packets ? RAMP_NO_BYTES : limit.bytes;
	if (was_off || law->limit != packets || law->bytes != bytes ||
	    law->need != need)
		ramp_warn_limit(config, law, extack);
}

static void ramp_resolve_queue(const struct ramp_level *queue, u32 limit,
			       struct ramp_edge_params *p)
{
	p->low = queue->low;
	p->high = queue->high;
	p->delta = queue->delta;
	if (queue->unit != RAMP_UNIT_PERCENT)
		return;
	if (queue->delta) {
		p->delta = max_t(u64, 1, ramp_percent(limit, queue->delta));
	} else {
		p->low = max_t(u64, 1, ramp_percent(limit, queue->low));
		p->high = max_t(u64, p->low + 1,
				ramp_percent(limit, queue->high));
	}
}

static void ramp_resolve_members(const struct ramp_config *config,
				 struct ramp_edge_params *p)
{
	const struct ramp_level *members = &config->members;

	p->low = members->low;
	p->high = members->high ?: ramp_counted(config);
	p->delta = members->delta;
}

static u64 ramp_resolve_flow(const struct ramp_level *ingress, u64 value,
			     u64 rate, u32 slot)
{
	if (ingress->unit == RAMP_UNIT_PERCENT)
		value = ramp_percent(rate, value);
	return ramp_per_tick(value, slot);
}

static void ramp_resolve_ingress(const struct ramp_config *config, u64 rate,
				 struct ramp_edge_params *p)
{
	const struct ramp_level *ingress = &config->ingress;
	u32 slot = div_u64(config->window, RAMP_SLOTS);

	if (ingress->delta) {
		p->delta = max_t(u64, 1, ramp_resolve_flow(ingress,
							   ingress->delta,
							   rate, slot));
		return;
	}
	p->low = ramp_resolve_flow(ingress, ingress->low, rate, slot);
	p->high = max_t(u64, p->low + 1,
			ramp_resolve_flow(ingress, ingress->high, rate, slot));
}

static void ramp_resolve_levels(const struct ramp_config *config,
				const struct ramp_law *law,
				struct ramp_plan *plan)
{
	plan->members = config->detect == RAMP_DETECT_MEMBERS;
	if (plan->members)
		ramp_resolve_members(config, &plan->level);
	else
		ramp_resolve_queue(&config->queue, law->limit, &plan->level);
	ramp_resolve_ingress(config, law->rate, &plan->ingress);
	plan->members_auto = ramp_config_shared(config) &&
			     !config->members.high && !config->members.delta;
	plan->pps = config->ingress.unit == RAMP_UNIT_PPS;
	plan->level.window = config->window;
	plan->ingress.window = config->window;
	plan->monitor = config->monitor;
}

static void ramp_resolve_bands(const struct Qdisc *sch,
			       const struct ramp_config *config,
			       struct ramp_law *law,
			       struct netlink_ext_ack *extack)
{
	u32 mtu = ramp_mtu(sch), i;

	law->bands = config->bands;
	law->exempt = config->exempt;
	law->split_gso = config->split_gso;
	memcpy(law->priomap, config->priomap, sizeof(law->priomap));
	for (i = 0; i < RAMP_BANDS_MAX; i++) {
		const struct ramp_limit *limit = &config->band_limit[i];

		law->band_limit[i] = law->limit;
		law->band_bytes[i] = law->bytes;
		if (limit->packets) {
			law->band_limit[i] = limit->packets;
			law->band_bytes[i] = RAMP_NO_BYTES;
		} else if (limit->bytes) {
			law->band_limit[i] = min(law->limit,
						 ramp_limit_packets(limit, mtu));
			law->band_bytes[i] = min(law->bytes, limit->bytes);
		}
		/* An auto limit moves, which makes nothing wrong. */
		if (ramp_limit_is_auto(&config->limit) && extack &&
		    !extack->_msg && limit->bytes > law->bytes)
			NL_SET_ERR_MSG(extack,
				       "band-limit: more than limit, which is auto");
	}
}

/* What is accepted, but does not do what its words say. One warning is all that
 * a message can carry.
 */
static void ramp_warn_levels(const struct ramp_law *law,
			     const struct ramp_plan *plan,
			     struct netlink_ext_ack *extack)
{
	u32 counted = law->bands - hweight32(law->exempt);

	if (!extack || extack->_msg)
		return;
	if (plan->watch_level && !plan->members &&
	    max(plan->level.high, plan->level.delta) > law->limit)
		NL_SET_ERR_MSG(extack, "queue: HIGH is more than limit");
	else if (plan->members && max(plan->level.high, plan->level.delta) > counted)
		NL_SET_ERR_MSG(extack,
			       "members: HIGH is more than the bands that are not exempt");
	else if (plan->watch_ingress && !plan->ingress.delta &&
		 plan->ingress.high < 2)
		NL_SET_ERR_MSG(extack,
			       "ingress: HIGH is less than 2 per WINDOW/8");
}

/* Does anything that detection needs hang on a rate that is not known? */
static bool ramp_is_dormant(const struct ramp_config *config, u64 rate)
{
	bool ingress = config->detect == RAMP_DETECT_INGRESS ||
		       config->detect == RAMP_DETECT_BOTH;

	if (rate || config->detect == RAMP_DETECT_OFF)
		return false;
	return config->amount[RAMP_START].unit == RAMP_UNIT_PERCENT ||
	       (ingress && config->ingress.unit == RAMP_UNIT_PERCENT);
}

/* What a device without a speed makes of the plain line. A change that did not
 * bring it about draws no warning again.
 */
static void ramp_warn_rate(const struct Qdisc *sch, const struct ramp_law *law,
			   struct netlink_ext_ack *extack)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);

	if (extack && !extack->_msg && law->rateless && !q->law.rateless)
		NL_SET_ERR_MSG(extack,
			       "link speed unknown: nothing is limited until rate is given");
}

/**
 * ramp_resolve - what a configuration amounts to
 * @sch: ramp qdisc, for its device
 * @config: a configuration whose values are in their ranges
 * @link: bytes/s of the device, 0 if it is not known
 * @law: to be filled with what concerns the qdisc
 * @plan: to be filled with what concerns detection and ramps
 * @extack: for the message of an error or a warning, or NULL
 *
 * Context: RTNL.
 *
 * Return: 0, or -EINVAL with the message in @extack
 */
int ramp_resolve(const struct Qdisc *sch, const struct ramp_config *config,
		 u64 link, struct ramp_law *law, struct ramp_plan *plan,
		 struct netlink_ext_ack *extack)
{
	u32 detect = config->detect;
	int err;

	memset(law, 0, sizeof(*law));
	memset(plan, 0, sizeof(*plan));
	law->rate = config->rate ?: link;
	law->dwell = ramp_gear_config(config)->dwell;
	plan->dormant = ramp_is_dormant(config, law->rate);
	law->rateless = plan->dormant ||
			(!law->rate && ramp_code_config(config)->obey);

	err = ramp_resolve_slope(config, ramp_mtu(sch), law->rate, &plan->slope,
				 extack);
	if (err)
		return err;
	ramp_resolve_limit(sch, config, &plan->slope, law, extack);
	ramp_resolve_levels(config, law, plan);
	ramp_resolve_bands(sch, config, law, extack);
	ramp_warn_rate(sch, law, extack);

	if (plan->dormant)
		return 0;
	plan->watch_level = detect == RAMP_DETECT_QUEUE ||
			   detect == RAMP_DETECT_BOTH ||
			   detect == RAMP_DETECT_MEMBERS;
	plan->watch_ingress = detect == RAMP_DETECT_INGRESS ||
			     detect == RAMP_DETECT_BOTH;
	plan->monitored = detect == RAMP_DETECT_BOTH;
	plan->always = detect == RAMP_DETECT_ALWAYS;
	plan->cease_settled = config->cease == RAMP_CEASE_AUTO;
	if (!ramp_config_shared(config))
		ramp_warn_levels(law, plan, extack);
	return 0;
}

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

/* Those that were named. */
static u32 ramp_bands_size(const struct ramp_config *config)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	u32 i, size = 0;

	for (i = 0; i < config->bands; i++) {
		if (!ramp_limit_is_auto(&config->band_limit[i]))
			size += nla_total_size(2 * nla_total_size(sizeof(u32)));
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

/**
 * ramp_show_check - can what is asked for be shown?
 * @config: a configuration
 * @extack: for the message
 *
 * The first message of a dump has a page, and who does not fit into it ends the
 * dump, and nobody is told. What is always there takes more than half of that.
 *
 * Context: RTNL.
 *
 * Return: 0, or -EMSGSIZE with the message in @extack
 */
static int ramp_show_check(const struct ramp_config *config,
			   struct netlink_ext_ack *extack)
{
	const struct ramp_code_config *codes = ramp_code_config(config);
	const struct ramp_gear_config *gears = ramp_gear_config(config);
	u32 size = ramp_bands_size(config);

	size += codes->feedbacks * nla_total_size(sizeof(u32)) +
		codes->ladder.n * 2 * sizeof(u16) +
		gears->ports * nla_total_size(sizeof(u32)) +
		gears->n * sizeof(u64) + gears->powers * sizeof(u32) +
		gears->shares * sizeof(u16) +
		(gears->ups + gears->downs) *
		(gears->timed ? sizeof(u64) : sizeof(u16)) +
		gears->percents * sizeof(u16) +
		gears->cpus * sizeof(u32);
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
	const struct ramp_amount *amount = config->amount;
	struct nlattr *opts;

	opts = nla_nest_start(skb, TCA_OPTIONS);
	if (!opts ||
	    nla_put_u32(skb, TCA_RAMP_LIMIT, config->limit.packets) ||
	    (config->limit.bytes &&
	     nla_put_u32(skb, TCA_RAMP_LIMIT_BYTES, config->limit.bytes)) ||
	    ramp_put_number(skb, TCA_RAMP_RATE, config->rate) ||
	    nla_put_u32(skb, TCA_RAMP_DETECT, config->detect) ||
	    ramp_put_level(skb, TCA_RAMP_QUEUE, &config->queue) ||
	    ramp_put_level(skb, TCA_RAMP_MEMBERS, &config->members) ||
	    ramp_put_level(skb, TCA_RAMP_INGRESS, &config->ingress) ||
	    ramp_put_number(skb, TCA_RAMP_WINDOW, config->window) ||
	    ramp_put_number(skb, TCA_RAMP_MONITOR, config->monitor) ||
	    ramp_put_number(skb, TCA_RAMP_TICK, config->tick) ||
	    ramp_put_amount(skb, TCA_RAMP_START, &amount[RAMP_START]) ||
	    ramp_put_amount(skb, TCA_RAMP_STEP, &amount[RAMP_STEP]) ||
	    ramp_put_number(skb, TCA_RAMP_PAUSE, config->pause) ||
	    ramp_put_number(skb, TCA_RAMP_HOLD, config->hold) ||
	    ramp_put_amount(skb, TCA_RAMP_DOWN_STEP, &amount[RAMP_DOWN_STEP]) ||
	    ramp_put_amount(skb, TCA_RAMP_FLOOR, &amount[RAMP_FLOOR]) ||
	    nla_put_u32(skb, TCA_RAMP_CEASE, config->cease) ||
	    (config->cease == RAMP_CEASE_TIME &&
	     ramp_put_number(skb, TCA_RAMP_CEASE_TIME, config->cease_time)) ||
	    nla_put_u32(skb, TCA_RAMP_ADAPTIVE, config->adaptive) ||
	    nla_put_u32(skb, TCA_RAMP_BANDS, config->bands) ||
	    nla_put(skb, TCA_RAMP_PRIOMAP, sizeof(config->priomap),
		    config->priomap) ||
	    nla_put_u32(skb, TCA_RAMP_EXEMPT, config->exempt) ||
	    ramp_put_band_limits(skb, config) ||
	    nla_put_u32(skb, TCA_RAMP_SPLIT_GSO, config->split_gso) ||
	    ramp_dump_codes(skb, config) ||
	    ramp_dump_gears(sch, skb) ||
	    (!config->mq && nla_put_u32(skb, TCA_RAMP_RAIL, config->rail)) ||
	    nla_put_u32(skb, TCA_RAMP_LIMIT_NOW, q->law.limit) ||
	    (q->law.bytes != RAMP_NO_BYTES &&
	     nla_put_u32(skb, TCA_RAMP_LIMIT_BYTES_NOW, q->law.bytes)) ||
	    (q->law.need &&
	     nla_put_u32(skb, TCA_RAMP_LIMIT_NEED, q->law.need)) ||
	    (q->law.rate && ramp_put_number(skb, TCA_RAMP_RATE_NOW, q->law.rate)))
		goto cancel;
	return nla_nest_end(skb, opts);

cancel:
	nla_nest_cancel(skb, opts);
	return -EMSGSIZE;
}
