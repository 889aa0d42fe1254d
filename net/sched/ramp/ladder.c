// SPDX-License-Identifier: GPL-2.0
/*
 * The occupancy of the bands, and the codes that it asks for
 *
 * A packet is compared with the bounds of the step that its band is on, which
 * are there without a ladder, too: a ladder costs it nothing.
 */

#include <linux/ktime.h>
#include <net/netlink.h>

#include "ramp.h"

#include <trace/events/ramp.h>

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
		q->send = ramp_send_alloc(sch);
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

/* What a band looks at by itself. */
static void ramp_rung_bounds(struct ramp_band *b)
{
	b->rung_min = b->rung->min;
	b->rung_max = b->rung->max;
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
		if (q->band[i].rung)
			ramp_rung_bounds(&q->band[i]);
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
 * ramp_ladder_crossed - the occupancy of a band crossed a step
 * @sch: ramp qdisc
 * @b: band that has a ladder
 *
 * Context: root lock.
 */
void ramp_ladder_crossed(struct Qdisc *sch, struct ramp_band *b)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	u32 i = b - q->band;
	int moved;

	moved = ramp_ladder_move(b->rung, &q->send->law->ladder[i],
				 ramp_band_queued(b));
	ramp_rung_bounds(b);
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
	struct ramp_codes *c;
	u32 i;

	if (!s)
		return;
	c = s->codes;
	spin_lock_bh(&c->lock);
	st->codes_refreshed = c->refreshed;
	st->frames_sent = c->frames_sent;
	st->frames_lost = c->frames_lost;
	spin_unlock_bh(&c->lock);

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
