// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink of the ramp qdisc: reads a configuration, shows it and the counters.
 *
 * The kernel's own range messages name neither the parameter nor the range, so
 * every attribute has a text that does, and a refusal of any kind shows it.
 */

#include <net/netlink.h>

#include "ramp.h"

#define RAMP_RANGE(name, lo, hi) \
	static ramp_range_const struct netlink_range_validation name = { \
		.min = (lo), .max = (hi) }

RAMP_RANGE(ramp_limit_range, 0, RAMP_LIMIT_MAX);
RAMP_RANGE(ramp_rate_range, 0, RAMP_RATE_MAX);
RAMP_RANGE(ramp_window_range, NSEC_PER_MSEC, 10ULL * NSEC_PER_SEC);
RAMP_RANGE(ramp_monitor_range, NSEC_PER_MSEC, 60ULL * NSEC_PER_SEC);
RAMP_RANGE(ramp_tick_range, 50 * NSEC_PER_USEC, NSEC_PER_SEC);
RAMP_RANGE(ramp_pause_range, 0, 10ULL * NSEC_PER_SEC);
RAMP_RANGE(ramp_hold_range, 0, 60ULL * NSEC_PER_SEC);

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
};

static const struct nla_policy ramp_level_policy[TCA_RAMP_LEVEL_MAX + 1] = {
	[TCA_RAMP_LEVEL_UNIT]	= NLA_POLICY_MAX(NLA_U32, RAMP_UNIT_MAX),
	[TCA_RAMP_LEVEL_LOW]	= { .type = NLA_U64 },
	[TCA_RAMP_LEVEL_HIGH]	= { .type = NLA_U64 },
};

static const struct nla_policy ramp_amount_policy[TCA_RAMP_AMOUNT_MAX + 1] = {
	[TCA_RAMP_AMOUNT_UNIT]	= NLA_POLICY_MAX(NLA_U32, RAMP_UNIT_MAX),
	[TCA_RAMP_AMOUNT_VALUE]	= { .type = NLA_U64 },
};

static const char * const ramp_ranges[TCA_RAMP_MAX + 1] = {
	[TCA_RAMP_LIMIT] =
		"limit: 1..1048576 packets or auto",
	[TCA_RAMP_RATE] =
		"rate: 8kbit..8796093022208bit or auto",
	[TCA_RAMP_DETECT] =
		"detect: off, queue, ingress or both",
	[TCA_RAMP_QUEUE] =
		"queue: LOW:HIGH, LOW < HIGH, 1..1048576 packets or 0.01%..100%",
	[TCA_RAMP_INGRESS] =
		"ingress: LOW:HIGH, LOW < HIGH, 0..8796093022208bit, 0..1099511627776pps or 0%..100%",
	[TCA_RAMP_WINDOW] =
		"window: 1ms..10s",
	[TCA_RAMP_MONITOR] =
		"monitor: 1ms..60s",
	[TCA_RAMP_TICK] =
		"tick: 50us..1s",
	[TCA_RAMP_START] =
		"start: 1..1048576 packets, a rate up to 8796093022208bit, or 0.01%..100%",
	[TCA_RAMP_STEP] =
		"step: 1..1048576 packets, a rate up to 8796093022208bit, or 0.01%..100%",
	[TCA_RAMP_PAUSE] =
		"pause: 0..10s",
	[TCA_RAMP_HOLD] =
		"hold: 0..60s",
	[TCA_RAMP_DOWN_STEP] =
		"down-step: 1..1048576 packets, a rate up to 8796093022208bit, or 0.01%..100%",
	[TCA_RAMP_FLOOR] =
		"floor: 1..1048576 packets, a rate up to 8796093022208bit, or 0.01%..100%",
	[TCA_RAMP_CEASE] =
		"cease: full",
	[TCA_RAMP_LIMIT_NOW] =
		"limit_now: only in answers",
	[TCA_RAMP_LIMIT_NEED] =
		"limit_need: only in answers",
	[TCA_RAMP_RATE_NOW] =
		"rate_now: only in answers",
};

/* Says which parameter it is and what it may be. */
static int ramp_refuse(const struct nlattr *attr,
		       struct netlink_ext_ack *extack)
{
	u16 type = attr ? nla_type(attr) : 0;

	NL_SET_BAD_ATTR(extack, attr);
	if (!extack)
		return -EINVAL;
	extack->_msg = type <= TCA_RAMP_MAX && ramp_ranges[type] ?
		       ramp_ranges[type] : "unknown attribute";
	return -EINVAL;
}

/* Parses what is nested in @attr, all of which must be there. */
static int ramp_parse_nested(struct nlattr **tb, int max,
			     const struct nla_policy *policy,
			     const struct nlattr *attr,
			     struct netlink_ext_ack *extack)
{
	int i;

	if (nla_parse_nested(tb, max, attr, policy, extack))
		return ramp_refuse(attr, extack);
	for (i = 0; i <= max; i++)
		if (policy[i].type != NLA_UNSPEC && !tb[i])
			return ramp_refuse(attr, extack);
	return 0;
}

/* The greatest number of a unit, which is less for what is counted in skbs. */
static u64 ramp_unit_max(u32 unit)
{
	switch (unit) {
	case RAMP_UNIT_PACKETS:
		return RAMP_LIMIT_MAX;
	case RAMP_UNIT_PERCENT:
		return RAMP_PERCENT;
	default:
		return RAMP_RATE_MAX;
	}
}

static int ramp_parse_level(struct ramp_level *level, const struct nlattr *attr,
			    struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_RAMP_LEVEL_MAX + 1];
	bool queue, of_queue, of_ingress;
	struct ramp_level new;
	int err;

	if (!attr)
		return 0;
	err = ramp_parse_nested(tb, TCA_RAMP_LEVEL_MAX, ramp_level_policy, attr,
				extack);
	if (err)
		return err;

	new.unit = nla_get_u32(tb[TCA_RAMP_LEVEL_UNIT]);
	new.low = nla_get_u64(tb[TCA_RAMP_LEVEL_LOW]);
	new.high = nla_get_u64(tb[TCA_RAMP_LEVEL_HIGH]);

	queue = nla_type(attr) == TCA_RAMP_QUEUE;
	of_queue = new.unit == RAMP_UNIT_PACKETS ||
		   new.unit == RAMP_UNIT_PERCENT;
	of_ingress = new.unit != RAMP_UNIT_PACKETS;
	if (!(queue ? of_queue : of_ingress) || (queue && !new.low) ||
	    new.low >= new.high || new.high > ramp_unit_max(new.unit))
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
				attr, extack);
	if (err)
		return err;

	new.unit = nla_get_u32(tb[TCA_RAMP_AMOUNT_UNIT]);
	new.value = nla_get_u64(tb[TCA_RAMP_AMOUNT_VALUE]);
	if (new.unit == RAMP_UNIT_PPS || !new.value ||
	    new.value > ramp_unit_max(new.unit))
		return ramp_refuse(attr, extack);

	*amount = new;
	return 0;
}

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

/**
 * ramp_parse - take over what a message names
 * @config: what is in force, or the defaults; keeps what is not named
 * @opt: TCA_OPTIONS
 * @extack: for the message
 *
 * Context: RTNL.
 *
 * Return: 0, or a negative error with the message in @extack and @config
 * partly changed
 */
int ramp_parse(struct ramp_config *config, struct nlattr *opt,
	       struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_RAMP_MAX + 1];
	int err;

	err = nla_parse_nested(tb, TCA_RAMP_MAX, opt, ramp_policy, extack);
	if (err) {
		if (extack && extack->bad_attr && extack->bad_attr != opt)
			return ramp_refuse(extack->bad_attr, extack);
		return err;
	}

	if (tb[TCA_RAMP_LIMIT])
		config->limit = nla_get_u32(tb[TCA_RAMP_LIMIT]);
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
	if (tb[TCA_RAMP_CEASE])
		config->cease = nla_get_u32(tb[TCA_RAMP_CEASE]);

	err = ramp_parse_level(&config->queue, tb[TCA_RAMP_QUEUE], extack);
	if (!err)
		err = ramp_parse_level(&config->ingress, tb[TCA_RAMP_INGRESS],
				       extack);
	if (!err)
		err = ramp_parse_amounts(config, tb, extack);
	return err;
}

static int ramp_put_level(struct sk_buff *skb, int type,
			  const struct ramp_level *level)
{
	struct nlattr *nest = nla_nest_start(skb, type);

	if (!nest ||
	    nla_put_u32(skb, TCA_RAMP_LEVEL_UNIT, level->unit) ||
	    nla_put_u64_64bit(skb, TCA_RAMP_LEVEL_LOW, level->low,
			      TCA_RAMP_LEVEL_PAD) ||
	    nla_put_u64_64bit(skb, TCA_RAMP_LEVEL_HIGH, level->high,
			      TCA_RAMP_LEVEL_PAD))
		return -EMSGSIZE;
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

static int ramp_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, TCA_RAMP_PAD);
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
	    nla_put_u32(skb, TCA_RAMP_LIMIT, config->limit) ||
	    ramp_put_u64(skb, TCA_RAMP_RATE, config->rate) ||
	    nla_put_u32(skb, TCA_RAMP_DETECT, config->detect) ||
	    ramp_put_level(skb, TCA_RAMP_QUEUE, &config->queue) ||
	    ramp_put_level(skb, TCA_RAMP_INGRESS, &config->ingress) ||
	    ramp_put_u64(skb, TCA_RAMP_WINDOW, config->window) ||
	    ramp_put_u64(skb, TCA_RAMP_MONITOR, config->monitor) ||
	    ramp_put_u64(skb, TCA_RAMP_TICK, config->tick) ||
	    ramp_put_amount(skb, TCA_RAMP_START, &amount[RAMP_START]) ||
	    ramp_put_amount(skb, TCA_RAMP_STEP, &amount[RAMP_STEP]) ||
	    ramp_put_u64(skb, TCA_RAMP_PAUSE, config->pause) ||
	    ramp_put_u64(skb, TCA_RAMP_HOLD, config->hold) ||
	    ramp_put_amount(skb, TCA_RAMP_DOWN_STEP, &amount[RAMP_DOWN_STEP]) ||
	    ramp_put_amount(skb, TCA_RAMP_FLOOR, &amount[RAMP_FLOOR]) ||
	    nla_put_u32(skb, TCA_RAMP_CEASE, config->cease) ||
	    nla_put_u32(skb, TCA_RAMP_LIMIT_NOW, q->law.limit) ||
	    (q->law.need &&
	     nla_put_u32(skb, TCA_RAMP_LIMIT_NEED, q->law.need)) ||
	    (q->law.rate && ramp_put_u64(skb, TCA_RAMP_RATE_NOW, q->law.rate)))
		goto cancel;
	return nla_nest_end(skb, opts);

cancel:
	nla_nest_cancel(skb, opts);
	return -EMSGSIZE;
}

static u32 ramp_state(const struct ramp_sched_data *q)
{
	if (q->slope.dir == RAMP_UP)
		return RAMP_STATE_UP;
	if (q->slope.dir == RAMP_DOWN)
		return RAMP_STATE_DOWN;
	if (q->law.dormant)
		return RAMP_STATE_DORMANT;
	if (q->now <= max(q->monitor_end[RAMP_UP], q->monitor_end[RAMP_DOWN]))
		return RAMP_STATE_MONITORING;
	return RAMP_STATE_IDLE;
}

/**
 * ramp_dump_stats - show the counters as they are at one moment
 * @sch: ramp qdisc
 * @d: dump
 *
 * Context: RTNL; takes the root lock.
 *
 * Return: 0 or a negative error
 */
int ramp_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct tc_ramp_xstats st = {};

	sch_tree_lock(sch);
	ramp_gate_sync(sch);
	st.state = ramp_state(q);
	st.allowance_unit = q->law.slope.packets ? RAMP_UNIT_PACKETS :
						   RAMP_UNIT_RATE;
	st.allowance = q->slope.dir ? q->slope.allowance : 0;
	st.enqueued = q->enqueued;
	st.dequeued = q->dequeued;
	st.dropped = q->dropped;
	st.queued = q->waiting;
	st.surges_up = q->surges_up;
	st.surges_down = q->surges_down;
	st.surges_self = q->surges_self;
	st.down_empty = q->down_empty;
	st.ramps = q->ramps;
	st.ramps_done = q->ramps_done;
	st.ramps_turned = q->ramps_turned;
	st.ticks = q->ticks;
	st.ticks_late = q->ticks_late;
	st.ramp_ns = q->ramp_ns + (q->slope.dir ? q->now - q->began : 0);
	st.delayed = q->delayed;
	sch_tree_unlock(sch);

	return gnet_stats_copy_app(d, &st, sizeof(st));
}
