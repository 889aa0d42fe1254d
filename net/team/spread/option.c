// SPDX-License-Identifier: GPL-2.0
/*
 * Team mode spread: what can be set
 *
 * The team driver has no message for a refused option: the reason is kept and
 * read as spread_error, in at most 31 characters. A refused value changes
 * nothing else.
 *
 * Context: the team driver serialises all of it (RTNL, on older kernels
 * team::lock as well; reading may have only that one).
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <compat/team_compat.h>
#include "spread.h"

static const char * const spread_indexes[] = {
	[SPREAD_INDEX_NONE]	= "none",
	[SPREAD_INDEX_PRIORITY]	= "priority",
	[SPREAD_INDEX_MARK]	= "mark",
	[SPREAD_INDEX_VLAN]	= "vlan",
	[SPREAD_INDEX_DST]	= "dst",
	[SPREAD_INDEX_IP]	= "ip",
};

static const char * const spread_empties[] = { "all", "drop" };

static int spread_refuse(struct spread *sp, const char *why)
{
	sp->error = why;
	return -EINVAL;
}

static int spread_accept(struct spread *sp)
{
	sp->error = "";
	return 0;
}

static ramp_team_got_t spread_interval_get(struct team *team,
					   struct team_gsetter_ctx *ctx)
{
	ctx->data.u32_val = spread_of(team)->interval_us;
	return RAMP_TEAM_GOT;
}

static void spread_interval_apply(struct spread *sp, u32 us)
{
	u32 ticks = us / (USEC_PER_SEC / HZ);

	spin_lock_bh(&sp->lock);
	sp->interval_us = us;
	WRITE_ONCE(sp->interval, us * NSEC_PER_USEC);
	/* The last tick may have been anywhere in its time. */
	WRITE_ONCE(sp->coarse, ticks > 1 ? ticks - 1 : 0);
	WRITE_ONCE(sp->due, 0);
	spin_unlock_bh(&sp->lock);
}

static int spread_interval_set(struct team *team, struct team_gsetter_ctx *ctx)
{
	struct spread *sp = spread_of(team);

	if (ctx->data.u32_val > SPREAD_INTERVAL_MAX)
		return spread_refuse(sp, "spread_interval: 0..1000000");
	spread_interval_apply(sp, ctx->data.u32_val);
	return spread_accept(sp);
}

static ramp_team_got_t spread_classes_get(struct team *team,
					  struct team_gsetter_ctx *ctx)
{
	struct spread *sp = spread_of(team);
	const struct ramp_classes *c = &sp->classes;
	u32 i, at = 0;

	for (i = 0; i < c->count; i++)
		at += scnprintf(sp->text + at, sizeof(sp->text) - at, "%s%u",
				i ? "," : "", c->bound[i]);
	ctx->data.str_val = sp->text;
	return RAMP_TEAM_GOT;
}

static const char *spread_classes_parse(const char *text,
					struct ramp_classes *c)
{
	u32 bound = 0, digits = 0;

	c->count = 0;
	if (!*text)
		return NULL;
	for (;; text++) {
		if (*text >= '0' && *text <= '9') {
			bound = min_t(u32, bound * 10 + *text - '0', U8_MAX);
			digits++;
			continue;
		}
		if (!digits || (*text && *text != ','))
			return "spread_classes: N,N,...";
		/* Those that are too many are counted, and not kept. */
		if (c->count < RAMP_CLASS_BOUNDS)
			c->bound[c->count] = bound;
		c->count++;
		if (!*text)
			return NULL;
		bound = 0;
		digits = 0;
	}
}

static int spread_classes_set(struct team *team, struct team_gsetter_ctx *ctx)
{
	struct spread *sp = spread_of(team);
	struct ramp_classes c = {};
	const char *why;
	u32 i;

	why = spread_classes_parse(ctx->data.str_val, &c);
	if (why)
		return spread_refuse(sp, why);

	switch (ramp_classes_check(&c)) {
	case RAMP_CLASSES_COUNT:
		return spread_refuse(sp, "spread_classes: 1..7 bounds");
	case RAMP_CLASSES_RANGE:
		return spread_refuse(sp, "spread_classes: bounds 1..100");
	case RAMP_CLASSES_ORDER:
		return spread_refuse(sp, "spread_classes: not ascending");
	case RAMP_CLASSES_GOOD:
		break;
	}

	spin_lock_bh(&sp->lock);
	sp->classes = c;
	for (i = 0; i < sp->ports; i++)
		spread_rescale(sp, sp->order[i], sp->order[i]->found);
	spread_anew(sp);
	spin_unlock_bh(&sp->lock);
	return spread_accept(sp);
}

static ramp_team_got_t spread_index_get(struct team *team,
					struct team_gsetter_ctx *ctx)
{
	ctx->data.str_val = spread_indexes[spread_of(team)->index];
	return RAMP_TEAM_GOT;
}

static int spread_index_option_set(struct team *team,
				   struct team_gsetter_ctx *ctx)
{
	struct spread *sp = spread_of(team);
	int index;

	index = match_string(spread_indexes, ARRAY_SIZE(spread_indexes),
			     ctx->data.str_val);
	if (index < 0)
		return spread_refuse(sp, "none|priority|mark|vlan|dst|ip");
	WRITE_ONCE(sp->index, index);
	return spread_accept(sp);
}

static ramp_team_got_t spread_empty_get(struct team *team,
					struct team_gsetter_ctx *ctx)
{
	ctx->data.str_val = spread_empties[spread_of(team)->drop_empty];
	return RAMP_TEAM_GOT;
}

static int spread_empty_set(struct team *team, struct team_gsetter_ctx *ctx)
{
	struct spread *sp = spread_of(team);
	int empty;

	empty = match_string(spread_empties, ARRAY_SIZE(spread_empties),
			     ctx->data.str_val);
	if (empty < 0)
		return spread_refuse(sp, "spread_empty: all|drop");
	WRITE_ONCE(sp->drop_empty, empty);
	return spread_accept(sp);
}

static ramp_team_got_t spread_flowlet_get(struct team *team,
					  struct team_gsetter_ctx *ctx)
{
	ctx->data.u32_val = spread_of(team)->flowlet_us;
	return RAMP_TEAM_GOT;
}

static void spread_flowlet_apply(struct spread *sp, u32 us)
{
	u32 i, set, gap = 0;

	if (us)
		gap = max(ramp_flow_tick(us * NSEC_PER_USEC), 1U);

	spin_lock_bh(&sp->lock);
	sp->flowlet_us = us;
	WRITE_ONCE(sp->gap, gap);
	/* Without flowlets nobody noted the time. */
	for (i = 0; i < sp->ports; i++)
		for (set = 0; set < SPREAD_SETS; set++)
			WRITE_ONCE(sp->order[i]->behind[set].on, false);
	spread_anew(sp);
	spin_unlock_bh(&sp->lock);
}

static int spread_flowlet_set(struct team *team, struct team_gsetter_ctx *ctx)
{
	struct spread *sp = spread_of(team);

	if (ctx->data.u32_val > SPREAD_FLOWLET_MAX)
		return spread_refuse(sp, "spread_flowlet: 0..1000000");
	spread_flowlet_apply(sp, ctx->data.u32_val);
	return spread_accept(sp);
}

static ramp_team_got_t spread_escape_get(struct team *team,
					 struct team_gsetter_ctx *ctx)
{
	ctx->data.bool_val = spread_of(team)->escape;
	return RAMP_TEAM_GOT;
}

static int spread_escape_set(struct team *team, struct team_gsetter_ctx *ctx)
{
	struct spread *sp = spread_of(team);

	WRITE_ONCE(sp->escape, ctx->data.bool_val);
	return spread_accept(sp);
}

static ramp_team_got_t spread_sets_get(struct team *team,
				       struct team_gsetter_ctx *ctx)
{
	ctx->data.u32_val = spread_port_of(ctx->info->port)->sets;
	return RAMP_TEAM_GOT;
}

static int spread_sets_set(struct team *team, struct team_gsetter_ctx *ctx)
{
	struct spread_port *p = spread_port_of(ctx->info->port);
	struct spread *sp = spread_of(team);

	spin_lock_bh(&sp->lock);
	WRITE_ONCE(p->sets, ctx->data.u32_val);
	WRITE_ONCE(sp->masks, sp->masks + 1);
	spread_anew(sp);
	spin_unlock_bh(&sp->lock);
	return spread_accept(sp);
}

static ramp_team_got_t spread_weight_get(struct team *team,
					 struct team_gsetter_ctx *ctx)
{
	ctx->data.u32_val = spread_port_of(ctx->info->port)->weight;
	return RAMP_TEAM_GOT;
}

static int spread_weight_set(struct team *team, struct team_gsetter_ctx *ctx)
{
	struct spread_port *p = spread_port_of(ctx->info->port);
	struct spread *sp = spread_of(team);
	u32 weight = ctx->data.u32_val;

	if (!weight || weight > RAMP_SPREAD_WEIGHT_MAX)
		return spread_refuse(sp, "spread_weight: 1..1000");
	spin_lock_bh(&sp->lock);
	p->weight = weight;
	WRITE_ONCE(p->charge, ramp_spread_charge(weight));
	spread_anew(sp);
	spin_unlock_bh(&sp->lock);
	return spread_accept(sp);
}

static ramp_team_got_t spread_capacity_get(struct team *team,
					   struct team_gsetter_ctx *ctx)
{
	ctx->data.u32_val = spread_port_of(ctx->info->port)->capacity;
	return RAMP_TEAM_GOT;
}

static int spread_capacity_set(struct team *team, struct team_gsetter_ctx *ctx)
{
	struct spread_port *p = spread_port_of(ctx->info->port);
	struct spread *sp = spread_of(team);

	if (ctx->data.u32_val > SPREAD_CAPACITY_MAX)
		return spread_refuse(sp, "spread_capacity: 0..10000000");
	/* The next reading takes it. */
	spin_lock_bh(&sp->lock);
	p->capacity = ctx->data.u32_val;
	spin_unlock_bh(&sp->lock);
	return spread_accept(sp);
}

static const struct team_option spread_options[] = {
	{
		.name = "spread_interval",
		.type = TEAM_OPTION_TYPE_U32,
		.getter = spread_interval_get,
		.setter = spread_interval_set,
	},
	{
		.name = "spread_classes",
		.type = TEAM_OPTION_TYPE_STRING,
		.getter = spread_classes_get,
		.setter = spread_classes_set,
	},
	{
		.name = "spread_index",
		.type = TEAM_OPTION_TYPE_STRING,
		.getter = spread_index_get,
		.setter = spread_index_option_set,
	},
	{
		.name = "spread_empty",
		.type = TEAM_OPTION_TYPE_STRING,
		.getter = spread_empty_get,
		.setter = spread_empty_set,
	},
	{
		.name = "spread_flowlet",
		.type = TEAM_OPTION_TYPE_U32,
		.getter = spread_flowlet_get,
		.setter = spread_flowlet_set,
	},
	{
		.name = "spread_escape",
		.type = TEAM_OPTION_TYPE_BOOL,
		.getter = spread_escape_get,
		.setter = spread_escape_set,
	},
	{
		.name = "spread_sets",
		.type = TEAM_OPTION_TYPE_U32,
		.per_port = true,
		.getter = spread_sets_get,
		.setter = spread_sets_set,
	},
	{
		.name = "spread_weight",
		.type = TEAM_OPTION_TYPE_U32,
		.per_port = true,
		.getter = spread_weight_get,
		.setter = spread_weight_set,
	},
	{
		.name = "spread_capacity",
		.type = TEAM_OPTION_TYPE_U32,
		.per_port = true,
		.getter = spread_capacity_get,
		.setter = spread_capacity_set,
	},
};

/* What holds until somebody sets something else. */
void spread_defaults(struct spread *sp)
{
	sp->classes = (struct ramp_classes){
		.count = 3,
		.bound = { 25, 50, 75 },
	};
	sp->escape = true;
	spread_interval_apply(sp, SPREAD_INTERVAL);
	spread_flowlet_apply(sp, SPREAD_FLOWLET);
}

int spread_options_register(struct team *team)
{
	return team_options_register(team, spread_options,
				     ARRAY_SIZE(spread_options));
}

void spread_options_unregister(struct team *team)
{
	team_options_unregister(team, spread_options,
				ARRAY_SIZE(spread_options));
}
