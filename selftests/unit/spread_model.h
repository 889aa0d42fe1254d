/* SPDX-License-Identifier: GPL-2.0 */
/* A CPU that sends frames of one candidate set to some ports. */
#ifndef _SPREAD_MODEL_H
#define _SPREAD_MODEL_H

#include "unit.h"
#include <linux/minmax.h>
#include <net/ramp/spread.h>

struct model {
	struct ramp_spread_table t;
	struct ramp_spread_port port[RAMP_SPREAD_PORTS];
	u32 ports;
	u32 cursor;
	u64 vt[RAMP_SPREAD_PORTS];
	u64 sent[RAMP_SPREAD_PORTS];
};

static inline void model_begin(struct model *m)
{
	memset(m, 0, sizeof(*m));
}

static inline void model_add(struct model *m, u32 rank, u32 weight)
{
	m->port[m->ports] = (struct ramp_spread_port) {
		.rank = rank,
		.weight = weight,
		.slot = m->ports,
	};
	m->ports++;
}

static inline void model_build(struct model *m)
{
	ramp_spread_build(&m->t, m->port, m->ports);
}

/* The way of a frame. Returns where it went. */
static inline u32 model_send(struct model *m, u32 random)
{
	u32 own = ramp_spread_at(&m->t, random);
	u32 other = ramp_spread_turn(&m->t, &m->cursor);

	if (ramp_spread_yields(m->t.lead, m->vt[own], m->vt[other]))
		swap(own, other);
	m->vt[own] = ramp_spread_pull(m->t.slack, m->vt[own], m->vt[other]);
	m->vt[own] += ramp_spread_charge(m->port[own].weight);
	m->sent[own]++;
	return own;
}

static inline u32 model_weights(const struct model *m)
{
	u32 sum = 0, i;

	for (i = 0; i < m->ports; i++)
		if (m->port[i].rank == m->t.rank)
			sum += m->port[i].weight;
	return sum;
}

/* How far a port is from its share of so many frames, above or below: in parts
 * of a frame, which has as many as all weights.
 */
static inline u64 model_error(const struct model *m, u32 port, u64 frames)
{
	u64 sent = m->sent[port] * model_weights(m);
	u64 share = frames * m->port[port].weight;

	return sent > share ? sent - share : share - sent;
}

#endif /* _SPREAD_MODEL_H */
