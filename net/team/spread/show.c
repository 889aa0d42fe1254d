// SPDX-License-Identifier: GPL-2.0
/*
 * Team mode spread: what can be read
 *
 * Options are 32 bits wide; what may be more is a string of decimal digits.
 *
 * Context: as in option.c. A string is copied before the next one is
 * asked for, so that all of a team share one buffer.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <compat/team_compat.h>
#include "read.h"

static const char * const spread_sources[] = {
	[SPREAD_SOURCE_SENT]		= "sent",
	[SPREAD_SOURCE_BQL]		= "bql",
	[SPREAD_SOURCE_TXQUEUELEN]	= "txqueuelen",
	[SPREAD_SOURCE_LIMIT]		= "limit",
	[SPREAD_SOURCE_LEARNED]		= "learned",
	[SPREAD_SOURCE_CAPACITY]	= "capacity",
};

static void spread_show_u64(struct spread *sp, struct team_gsetter_ctx *ctx,
			    u64 value)
{
	snprintf(sp->text, sizeof(sp->text), "%llu", value);
	ctx->data.str_val = sp->text;
}

static u64 spread_read_counter(const struct u64_stats_sync *syncp,
			       const u64_stats_t *counter)
{
	unsigned int start;
	u64 value;

	do {
		start = u64_stats_fetch_begin(syncp);
		value = u64_stats_read(counter);
	} while (u64_stats_fetch_retry(syncp, start));
	return value;
}

static void spread_show_counter(struct team *team, struct team_gsetter_ctx *ctx,
				enum spread_counter counter)
{
	struct spread *sp = spread_of(team);
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct spread_cpu *c = per_cpu_ptr(sp->cpu, cpu);

		sum += spread_read_counter(&c->syncp, &c->count[counter]);
	}
	spread_show_u64(sp, ctx, sum);
}

/**
 * spread_port_sent - frames handed to a port
 * @p: port, also one that left
 *
 * Return: frames
 */
u64 spread_port_sent(const struct spread_port *p)
{
	u64 sum = 0;
	int cpu;

	if (!p->cpu)
		return p->left;
	for_each_possible_cpu(cpu) {
		const struct spread_port_cpu *c = per_cpu_ptr(p->cpu, cpu);

		sum += spread_read_counter(&c->syncp, &c->sent);
	}
	return sum;
}

/* How long it takes until each queue was read. */
static ramp_team_got_t spread_effective_get(struct team *team,
					    struct team_gsetter_ctx *ctx)
{
	struct spread *sp = spread_of(team);
	u32 steps;

	spin_lock_bh(&sp->lock);
	rcu_read_lock_bh();
	steps = spread_steps(sp);
	rcu_read_unlock_bh();
	spin_unlock_bh(&sp->lock);
	ctx->data.u32_val = min_t(u64, (u64)sp->interval_us * steps, U32_MAX);
	return RAMP_TEAM_GOT;
}

static ramp_team_got_t spread_samples_get(struct team *team,
					  struct team_gsetter_ctx *ctx)
{
	struct spread *sp = spread_of(team);
	u64 samples;

	spin_lock_bh(&sp->lock);
	samples = sp->sample;
	spin_unlock_bh(&sp->lock);
	spread_show_u64(sp, ctx, samples);
	return RAMP_TEAM_GOT;
}

static ramp_team_got_t spread_moves_get(struct team *team,
					struct team_gsetter_ctx *ctx)
{
	spread_show_counter(team, ctx, SPREAD_MOVES);
	return RAMP_TEAM_GOT;
}

static ramp_team_got_t spread_escapes_get(struct team *team,
					  struct team_gsetter_ctx *ctx)
{
	spread_show_counter(team, ctx, SPREAD_ESCAPES);
	return RAMP_TEAM_GOT;
}

static ramp_team_got_t spread_fallbacks_get(struct team *team,
					    struct team_gsetter_ctx *ctx)
{
	spread_show_counter(team, ctx, SPREAD_FALLBACKS);
	return RAMP_TEAM_GOT;
}

static ramp_team_got_t spread_drops_empty_get(struct team *team,
					      struct team_gsetter_ctx *ctx)
{
	spread_show_counter(team, ctx, SPREAD_DROPS_EMPTY);
	return RAMP_TEAM_GOT;
}

static ramp_team_got_t spread_drops_down_get(struct team *team,
					     struct team_gsetter_ctx *ctx)
{
	spread_show_counter(team, ctx, SPREAD_DROPS_DOWN);
	return RAMP_TEAM_GOT;
}

static ramp_team_got_t spread_error_get(struct team *team,
					struct team_gsetter_ctx *ctx)
{
	ctx->data.str_val = spread_of(team)->error;
	return RAMP_TEAM_GOT;
}

/* Read now: a sample may be old where nothing is sent. Of a port that left the
 * queues are nobody's business any more.
 */
static void spread_read_now(const struct spread_port *p,
			    struct spread_reading *r)
{
	*r = (struct spread_reading){};
	if (!p->cpu)
		return;

	rcu_read_lock_bh();
	spread_read(p, r, U32_MAX);
	rcu_read_unlock_bh();
	spread_read_end(p, r);
	if (r->source == SPREAD_SOURCE_SENT)
		r->waiting = spread_since(p, NULL);
}

static ramp_team_got_t spread_fullness_get(struct team *team,
					   struct team_gsetter_ctx *ctx)
{
	struct spread_reading r;

	spread_read_now(spread_port_of(ctx->info->port), &r);
	r.capacity = clamp_t(u64, r.capacity, 1, RAMP_CAPACITY_MAX);
	ctx->data.u32_val = min(ramp_fullness_percent(r.waiting, r.capacity),
				100U);
	return RAMP_TEAM_GOT;
}

static ramp_team_got_t spread_class_get(struct team *team,
					struct team_gsetter_ctx *ctx)
{
	struct spread_reading r;
	struct ramp_scale scale;

	spread_read_now(spread_port_of(ctx->info->port), &r);
	ramp_scale_set(&scale, &spread_of(team)->classes, r.capacity);
	ctx->data.u32_val = ramp_scale_class(&scale, r.waiting);
	return RAMP_TEAM_GOT;
}

static ramp_team_got_t spread_source_get(struct team *team,
					 struct team_gsetter_ctx *ctx)
{
	struct spread_reading r;

	spread_read_now(spread_port_of(ctx->info->port), &r);
	ctx->data.str_val = spread_sources[r.source];
	return RAMP_TEAM_GOT;
}

static ramp_team_got_t spread_tx_get(struct team *team,
				     struct team_gsetter_ctx *ctx)
{
	spread_show_u64(spread_of(team), ctx,
			spread_port_sent(spread_port_of(ctx->info->port)));
	return RAMP_TEAM_GOT;
}

static const struct team_option spread_values[] = {
	{
		.name = "spread_interval_effective",
		.type = TEAM_OPTION_TYPE_U32,
		.getter = spread_effective_get,
	},
	{
		.name = "spread_samples",
		.type = TEAM_OPTION_TYPE_STRING,
		.getter = spread_samples_get,
	},
	{
		.name = "spread_moves",
		.type = TEAM_OPTION_TYPE_STRING,
		.getter = spread_moves_get,
	},
	{
		.name = "spread_escapes",
		.type = TEAM_OPTION_TYPE_STRING,
		.getter = spread_escapes_get,
	},
	{
		.name = "spread_fallbacks",
		.type = TEAM_OPTION_TYPE_STRING,
		.getter = spread_fallbacks_get,
	},
	{
		.name = "spread_drops_empty",
		.type = TEAM_OPTION_TYPE_STRING,
		.getter = spread_drops_empty_get,
	},
	{
		.name = "spread_drops_down",
		.type = TEAM_OPTION_TYPE_STRING,
		.getter = spread_drops_down_get,
	},
	{
		.name = "spread_error",
		.type = TEAM_OPTION_TYPE_STRING,
		.getter = spread_error_get,
	},
	{
		.name = "spread_fullness",
		.type = TEAM_OPTION_TYPE_U32,
		.per_port = true,
		.getter = spread_fullness_get,
	},
	{
		.name = "spread_class",
		.type = TEAM_OPTION_TYPE_U32,
		.per_port = true,
		.getter = spread_class_get,
	},
	{
		.name = "spread_source",
		.type = TEAM_OPTION_TYPE_STRING,
		.per_port = true,
		.getter = spread_source_get,
	},
	{
		.name = "spread_tx",
		.type = TEAM_OPTION_TYPE_STRING,
		.per_port = true,
		.getter = spread_tx_get,
	},
};

int spread_values_register(struct team *team)
{
	return team_options_register(team, spread_values,
				     ARRAY_SIZE(spread_values));
}

void spread_values_unregister(struct team *team)
{
	team_options_unregister(team, spread_values,
				ARRAY_SIZE(spread_values));
}
