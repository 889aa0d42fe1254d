// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink of the ramp qdisc: shows the configuration and the counters.
 */

#include <net/netlink.h>

#include "ramp.h"

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

static int ramp_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, TCA_RAMP_PAD);
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
int ramp_show_check(const struct ramp_config *config,
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
	    ramp_put_u64(skb, TCA_RAMP_RATE, config->rate) ||
	    nla_put_u32(skb, TCA_RAMP_DETECT, config->detect) ||
	    ramp_put_level(skb, TCA_RAMP_QUEUE, &config->queue) ||
	    ramp_put_level(skb, TCA_RAMP_MEMBERS, &config->members) ||
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
	    (config->cease == RAMP_CEASE_TIME &&
	     ramp_put_u64(skb, TCA_RAMP_CEASE_TIME, config->cease_time)) ||
	    nla_put_u32(skb, TCA_RAMP_ADAPTIVE, config->adaptive) ||
	    nla_put_u32(skb, TCA_RAMP_BANDS, config->bands) ||
	    nla_put(skb, TCA_RAMP_PRIOMAP, sizeof(config->priomap),
		    config->priomap) ||
	    nla_put_u32(skb, TCA_RAMP_EXEMPT, config->exempt) ||
	    ramp_put_band_limits(skb, config) ||
	    nla_put_u32(skb, TCA_RAMP_SPLIT_GSO, config->split_gso) ||
	    ramp_dump_codes(skb, config) ||
	    ramp_dump_gears(sch, skb) ||
	    nla_put_u32(skb, TCA_RAMP_RAIL, config->rail) ||
	    nla_put_u32(skb, TCA_RAMP_LIMIT_NOW, q->law.limit) ||
	    (q->law.bytes != RAMP_NO_BYTES &&
	     nla_put_u32(skb, TCA_RAMP_LIMIT_BYTES_NOW, q->law.bytes)) ||
	    (q->law.need &&
	     nla_put_u32(skb, TCA_RAMP_LIMIT_NEED, q->law.need)) ||
	    (q->law.rate && ramp_put_u64(skb, TCA_RAMP_RATE_NOW, q->law.rate)))
		goto cancel;
	return nla_nest_end(skb, opts);

cancel:
	nla_nest_cancel(skb, opts);
	return -EMSGSIZE;
}

/* What children did since they were last called. */
static void ramp_settle(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_band *b;

	for (b = q->band; b < q->band + q->law.bands; b++) {
		if (!b->child)
			continue;
		ramp_child_settle(sch, b, 0);
		ramp_rung_check(sch, b);
	}
	ramp_lost(sch);
}

static void ramp_add(struct ramp_count *sum, const struct ramp_count *count)
{
	sum->enqueued += count->enqueued;
	sum->dequeued += count->dequeued;
	sum->dropped += count->dropped;
	sum->split_extra += count->split_extra;
}

static void ramp_fill_engine(struct tc_ramp_xstats *st,
			     const struct ramp_engine *e)
{
	st->state = ramp_engine_state(e);
	st->allowance_unit = e->plan.slope.packets ? RAMP_UNIT_PACKETS :
						     RAMP_UNIT_RATE;
	st->allowance = e->slope.dir ? e->slope.allowance : 0;
	/* Nobody has looked since it could have risen, or ever. */
	if (ramp_is_slewing(e) && !e->shut &&
	    (!st->allowance ||
	     e->now - e->slew.last > 2 * e->plan.slope.tick))
		st->allowance = e->plan.slope.start;
	st->surges_up = e->surges_up;
	st->surges_down = e->surges_down;
	st->surges_self = e->surges_self;
	st->down_empty = e->down_empty;
	st->ramps = e->ramps;
	st->ramps_done = e->ramps_done;
	st->ramps_turned = e->ramps_turned;
	st->ticks = e->ticks;
	st->ticks_late = e->ticks_late;
	st->ramp_ns = e->ramp_ns;
	if (e->slope.dir && !ramp_is_slewing(e))
		st->ramp_ns += e->now - e->began;
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
	struct ramp_count count;
	u32 i;

	sch_tree_lock(sch);
	ramp_settle(sch);
	ramp_gate_sync(sch);
	ramp_timer_look(sch);
	count = q->gone;
	for (i = 0; i < q->law.bands; i++) {
		ramp_add(&count, &q->band[i].count);
		st.queued += ramp_band_queued(&q->band[i]);
	}
	if (q->rail) {
		spin_lock(&q->rail->lock);
		ramp_fill_engine(&st, q->engine);
		spin_unlock(&q->rail->lock);
	} else {
		ramp_fill_engine(&st, q->engine);
	}
	if (q->geared && q->gear->frozen)
		st.state = RAMP_STATE_FROZEN;
	st.enqueued = count.enqueued;
	st.dequeued = count.dequeued;
	st.dropped = count.dropped;
	st.split_extra = count.split_extra;
	st.delayed = q->delayed;
	st.events_lost = ramp_events_lost(sch);
	ramp_send_stats(sch, &st);
	ramp_obey_stats(q, &st);
	ramp_gear_stats(sch, &st);
	sch_tree_unlock(sch);

	return gnet_stats_copy_app(d, &st, sizeof(st));
}

/**
 * ramp_dump_class_stats - show the counters of a band
 * @sch: ramp qdisc
 * @b: band
 * @d: dump
 *
 * Context: RTNL; takes the root lock.
 *
 * Return: 0 or a negative error
 */
int ramp_dump_class_stats(struct Qdisc *sch, struct ramp_band *b,
			  struct gnet_dump *d)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct tc_ramp_class_xstats st = {};
	struct gnet_stats_queue qstats;

	sch_tree_lock(sch);
	ramp_settle(sch);
	ramp_peer_timer(sch, ktime_get_ns());
	st.limit = b->child ? 0 : q->law.band_limit[b - q->band];
	st.exempt = ramp_is_exempt(q, b);
	st.enqueued = b->count.enqueued;
	st.dequeued = b->count.dequeued;
	st.dropped = b->count.dropped;
	st.split_extra = b->count.split_extra;
	st.queued = ramp_band_queued(b);
	ramp_send_class_stats(q, b, &st);
	ramp_obey_class_stats(q, b, &st);
	qstats = b->qstats;
	if (b->child)
		qstats.backlog = b->child->qstats.backlog;
	sch_tree_unlock(sch);

	if (gnet_stats_copy_basic(d, NULL, &b->bstats, true) < 0 ||
	    gnet_stats_copy_queue(d, NULL, &qstats, st.queued) < 0)
		return -1;
	return gnet_stats_copy_app(d, &st, sizeof(st));
}
