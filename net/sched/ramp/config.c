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
	.queue		= { .unit = RAMP_UNIT_PERCENT,
			    .low = 500, .high = 5000 },
	.members	= { .unit = RAMP_UNIT_BANDS, .low = 1, .high = 0 },
	.ingress	= { .unit = RAMP_UNIT_PERCENT,
			    .low = 100, .high = 1000 },
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
int ramp_config_amounts(struct ramp_config *config,
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
int ramp_config_bands(struct ramp_config *config,
		      struct netlink_ext_ack *extack)
{
	/* What prio(8) does with each priority. */
	static const u8 map[] = {
		1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1
	};
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
		NL_SET_ERR_MSG(extack,
			       "exempt: bands, each less than bands, but not all");
		return -EINVAL;
	}
	for (i = 0; i < RAMP_BANDS_MAX; i++) {
		if (i >= config->bands)
			config->band_limit[i] = (struct ramp_limit) {};
		if (ramp_limit_exceeds(&config->band_limit[i],
				       &config->limit)) {
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
int ramp_config_cease(const struct ramp_config *config,
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
 * the device, as the ticks of the slew limiter do, or another amount, must not
 * make a configuration wrong.
 */
static int ramp_resolve_amount(const struct ramp_config *config, int id,
			       u64 base, bool slew,
			       const struct ramp_slope_params *p, u64 *out,
			       struct netlink_ext_ack *extack)
{
	const struct ramp_amount *amount = &config->amount[id];
	u64 rate = amount->value;
	bool known;

	if (amount->unit == RAMP_UNIT_PACKETS) {
		*out = amount->value;
		if (p->ordinary)
			*out = ramp_retick(*out, p->tick, p->ordinary);
		return 0;
	}
	if (amount->unit == RAMP_UNIT_PERCENT)
		rate = ramp_percent(base, amount->value);

	*out = ramp_per_tick(rate, p->tick);
	known = amount->unit == RAMP_UNIT_RATE || (config->rate && !slew);
	if (amount->set && ((config->rate && rate > config->rate) ||
			    (known && !ramp_per_tick(rate, config->tick)))) {
		if (extack)
			extack->_msg = ramp_amount_range[id];
		return -EINVAL;
	}
	*out = max_t(u64, *out, 1);
	if (p->full)
		*out = min_t(u64, *out, p->full);
	return 0;
}

/* Of the slew limiter, or of ramps */
static int ramp_resolve_slope(const struct ramp_config *config, u32 mtu,
			      u64 rate, bool slew, struct ramp_slope_params *p,
			      struct netlink_ext_ack *extack)
{
	int err;

	p->packets = config->amount[RAMP_START].unit == RAMP_UNIT_PACKETS;
	p->tick = config->tick;
	if (rate && slew) {
		p->tick = ramp_slew_length(rate, config->tick, mtu);
		if (p->tick > config->tick)
			p->ordinary = config->tick;
	}
	p->window = config->window;
	if (rate)
		p->full = max_t(u64, 1, ramp_per_tick(rate, p->tick));
	p->pause = DIV_ROUND_UP_ULL(config->pause, config->tick);
	p->hold = DIV_ROUND_UP_ULL(config->hold, config->tick);
	if (slew) {
		p->pause = 0;
		p->hold = 0;
	}
	if (config->cease == RAMP_CEASE_TIME)
		p->life = DIV_ROUND_UP_ULL(config->cease_time, config->tick);
	p->adaptive = config->adaptive && !slew;

	err = ramp_resolve_amount(config, RAMP_START, rate, slew, p,
				  &p->start, extack);
	if (!err)
		err = ramp_resolve_amount(config, RAMP_STEP, rate, slew, p,
					  &p->step, extack);
	if (!err)
		err = ramp_resolve_amount(config, RAMP_DOWN_STEP, rate, slew, p,
					  &p->down_step, extack);
	if (!err)
		err = ramp_resolve_amount(config, RAMP_FLOOR, rate, slew, p,
					  &p->floor, extack);
	if (err)
		return err;

	if (slew)
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
		    ramp_slew_holds_back(p, mtu) :
		    ramp_slope_holds_back(p, mtu);
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

/* Is what waits compared with a part of the limit? */
static bool ramp_counts_part(const struct ramp_config *config)
{
	const struct ramp_gear_config *gears = ramp_gear_config(config);

	if (ramp_code_sends(config))
		return true;
	if (gears->n && !gears->timed)
		return true;
	return (config->detect == RAMP_DETECT_QUEUE ||
		config->detect == RAMP_DETECT_BOTH) &&
	       config->queue.unit == RAMP_UNIT_PERCENT;
}

static void ramp_resolve_bands(const struct Qdisc *sch,
			       const struct ramp_config *config,
			       struct ramp_law *law,
			       struct netlink_ext_ack *extack)
{
	u32 mtu = ramp_mtu(sch), packets, i;

	law->bands = config->bands;
	law->exempt = config->exempt;
	law->split_gso = config->split_gso;
	/* Of a limit in bytes a part is so many packets of full size. A GSO
	 * packet is as long as many of them, and few of these fill the limit.
	 */
	law->cut_gso = config->split_gso && law->bytes != RAMP_NO_BYTES &&
		       ramp_counts_part(config);
	memcpy(law->priomap, config->priomap, sizeof(law->priomap));
	for (i = 0; i < RAMP_BANDS_MAX; i++) {
		const struct ramp_limit *limit = &config->band_limit[i];

		law->band_limit[i] = law->limit;
		law->band_bytes[i] = law->bytes;
		if (limit->packets) {
			law->band_limit[i] = limit->packets;
			law->band_bytes[i] = RAMP_NO_BYTES;
		} else if (limit->bytes) {
			packets = ramp_limit_packets(limit, mtu);
			law->band_limit[i] = min(law->limit, packets);
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
	u64 level = max(plan->level.high, plan->level.delta);
	u32 counted = law->bands - hweight32(law->exempt);

	if (!extack || extack->_msg)
		return;
	if (plan->watch_level && !plan->members && level > law->limit)
		NL_SET_ERR_MSG(extack, "queue: HIGH is more than limit");
	else if (plan->members && level > counted)
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
	u32 detect = config->detect, mtu = ramp_mtu(sch);
	bool always = detect == RAMP_DETECT_ALWAYS;
	struct ramp_slope_params slew = {};
	int err;

	memset(law, 0, sizeof(*law));
	memset(plan, 0, sizeof(*plan));
	law->rate = config->rate ?: link;
	law->dwell = ramp_gear_config(config)->dwell;
	plan->dormant = ramp_is_dormant(config, law->rate);
	law->rateless = plan->dormant ||
			(!law->rate && ramp_code_config(config)->obey);

	err = ramp_resolve_slope(config, mtu, law->rate, always, &plan->slope,
				 extack);
	if (!err && !always)
		err = ramp_resolve_slope(config, mtu, law->rate, true, &slew,
					 extack);
	if (err)
		return err;
	plan->slew = ramp_slew_pack(&slew);
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
	plan->always = always;
	plan->cease_settled = config->cease == RAMP_CEASE_AUTO;
	if (!ramp_config_shared(config))
		ramp_warn_levels(law, plan, extack);
	return 0;
}
