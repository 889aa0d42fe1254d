/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrival meter: turns arrivals into a level for the edge detector
 *
 * US 2025/0260650, [0099] and [0100]: the ingress bandwidth is measured and
 * compared with a lower and an upper threshold. The level is what arrived in a
 * slot of WINDOW/8, so the thresholds are amounts per slot.
 *
 * A rise is seen as soon as a slot holds enough, a fall when the slot ends.
 * Hence at most twice HIGH x slot pass before a rise is seen, and a crossing is
 * dated to a slot. An adder and a comparison is all that a packet costs: the
 * caller has a timer for the end of the slot, and a clock is read when it fires
 * and when a slot reaches HIGH.
 *
 * Nothing here locks: the caller serialises all calls for one meter. Any
 * context.
 */
#ifndef _NET_RAMP_METER_H
#define _NET_RAMP_METER_H

#include <linux/math64.h>
#include <linux/types.h>
#include <net/ramp/edge.h>

/**
 * struct ramp_meter - one meter
 * @sum: what arrived in this slot, bytes or packets as the thresholds are. The
 *	first one here, as each packet writes it: what lies before may be such,
 *	too.
 * @edge: the detector that the meter feeds
 * @slot_start: ns; while no slot is open, when that was found
 * @spare: ns that the slots, or a silence, took longer than the trail knows
 * @running: a slot is open; otherwise nothing arrived in the last one
 * @fresh: nothing had arrived before this slot, so it began with an arrival
 * @blind: the thresholds are new and this slot is the first to be measured
 *	against them
 */
struct ramp_meter {
	u64			sum;
	struct ramp_edge	edge;
	u64			slot_start;
	u64			spare;
	bool			running;
	bool			fresh;
	bool			blind;
};

/**
 * ramp_meter_init - begin to measure
 * @m: meter
 * @p: thresholds per slot
 */
static inline void ramp_meter_init(struct ramp_meter *m,
				   const struct ramp_edge_params *p)
{
	ramp_edge_init(&m->edge, p, 0);
	m->sum = 0;
	m->slot_start = 0;
	m->spare = 0;
	m->running = false;
	m->fresh = false;
	m->blind = false;
}

/**
 * ramp_meter_change - the thresholds changed
 * @m: meter
 * @p: new thresholds
 * @anew: what the meter knows is worth nothing: it counted something else, or
 *	did not run
 * @now: ns
 *
 * Where steady traffic stands between the new thresholds is known when a slot
 * has ended; it must not count as a surge before.
 */
static inline void ramp_meter_change(struct ramp_meter *m,
				     const struct ramp_edge_params *p,
				     bool anew, u64 now)
{
	if (anew) {
		m->sum = 0;
		m->slot_start = now;
		m->running = true;
		m->fresh = false;
	} else if (!m->running) {
		ramp_edge_init(&m->edge, p, 0);
		return;
	}
	m->edge.min = 0;
	m->edge.max = U64_MAX;
	m->blind = true;
}

/**
 * ramp_meter_start - the first arrival after a silence opens a slot
 * @m: meter that is not running
 * @now: ns
 */
static inline void ramp_meter_start(struct ramp_meter *m, u64 now)
{
	m->sum = 0;
	m->spare += now - m->slot_start;
	m->slot_start = now;
	m->running = true;
	m->fresh = true;
}

/**
 * ramp_meter_end - when the open slot ends
 * @m: running meter
 * @p: thresholds
 *
 * Return: ns
 */
static inline u64 ramp_meter_end(const struct ramp_meter *m,
				 const struct ramp_edge_params *p)
{
	return m->slot_start + ramp_edge_slot(p);
}

/**
 * ramp_meter_add - something arrived
 * @m: running meter
 * @amount: bytes or packets
 *
 * Return: true when the slot now holds more than the present zone allows, and
 * ramp_meter_rise() is due.
 */
static inline bool ramp_meter_add(struct ramp_meter *m, u64 amount)
{
	m->sum += amount;
	return m->sum > m->edge.max;
}

/* Halfway through the slot is at most half a slot wrong; a slot that an
 * arrival opened is not wrong at all.
 */
static inline u64 ramp_meter_when(const struct ramp_meter *m, u64 length)
{
	return m->fresh ? m->slot_start : m->slot_start + length / 2;
}

/**
 * ramp_meter_need_clock - does ramp_meter_rise() need the time?
 * @m: meter
 * @p: thresholds
 *
 * Leaving LOW is dated by the slot, only reaching HIGH wants a clock, or a rise
 * by DELTA. So arrivals read it at most once per HIGH (DELTA) x slot.
 *
 * Return: true when it does
 */
static inline bool ramp_meter_need_clock(const struct ramp_meter *m,
					 const struct ramp_edge_params *p)
{
	return p->delta || m->sum >= p->high;
}

/* Slots that the trail has not been told of. */
static inline u64 ramp_meter_missed(struct ramp_meter *m,
				    const struct ramp_edge_params *p)
{
	u64 slot = ramp_edge_slot(p), slots;

	if (m->spare < slot)
		return 0;
	slots = div64_u64(m->spare, slot);
	m->spare -= slots * slot;
	return slots;
}

/* The silence before this slot, of which the trail knows the first slot only.
 */
static inline void ramp_meter_wake(struct ramp_meter *m,
				   const struct ramp_edge_params *p)
{
	u64 slots = ramp_meter_missed(m, p);

	if (slots)
		ramp_edge_roll(&m->edge, p, 0, slots);
}

/* The level of a slot is known at its end, and one that was closed late is the
 * level of all the slots that it took the place of. Many that were a little
 * late make one more, or what the trail calls a window would be longer.
 */
static inline void ramp_meter_track(struct ramp_meter *m,
				    const struct ramp_edge_params *p, u64 level,
				    u64 length)
{
	m->spare += length - ramp_edge_slot(p);
	ramp_edge_note(&m->edge, p, level);
	ramp_edge_roll(&m->edge, p, level, 1 + ramp_meter_missed(m, p));
}

/**
 * ramp_meter_settled - has the rate moved by less than a surge for a window?
 * @m: meter
 * @p: thresholds
 * @now: ns
 *
 * A silence counts when it is over, or a window long.
 *
 * Return: true when it has
 */
static inline bool ramp_meter_settled(const struct ramp_meter *m,
				      const struct ramp_edge_params *p, u64 now)
{
	if (!m->running && (s64)(now - m->slot_start) >= (s64)p->window)
		return true;
	return !m->blind && ramp_edge_settled(&m->edge, p);
}

/**
 * ramp_meter_roll - the slot ended
 * @m: running meter
 * @p: thresholds
 * @now: ns, at or after ramp_meter_end()
 *
 * A slot that was closed late is judged by its average: a late timer must not
 * make a surge out of steady traffic. A slot without arrivals stops the meter.
 *
 * Return: as ramp_edge_update()
 */
static inline enum ramp_dir ramp_meter_roll(struct ramp_meter *m,
					    const struct ramp_edge_params *p,
					    u64 now)
{
	u64 length = now - m->slot_start;
	enum ramp_dir dir = RAMP_NONE;
	u64 level;

	ramp_meter_wake(m, p);
	/* To the nearest: one packet is one, also in a slot a little too long.
	 */
	level = (mul_u64_u64_div_u64(m->sum, 2 * ramp_edge_slot(p),
				     length) + 1) / 2;
	if (m->blind)
		ramp_edge_init(&m->edge, p, level);
	else
		dir = ramp_edge_update(&m->edge, p, level,
				       ramp_meter_when(m, length));

	/* Otherwise the trail begins here. */
	if (!m->blind && !dir)
		ramp_meter_track(m, p, level, length);
	m->running = m->sum > 0;
	m->slot_start = now;
	m->sum = 0;
	m->fresh = false;
	m->blind = false;
	return dir;
}

/**
 * ramp_meter_rise - the open slot holds more than the zone allows
 * @m: running meter
 * @p: thresholds
 * @now: ns, used if ramp_meter_need_clock()
 *
 * Return: as ramp_edge_update()
 */
static inline enum ramp_dir ramp_meter_rise(struct ramp_meter *m,
					    const struct ramp_edge_params *p,
					    u64 now)
{
	if (!ramp_meter_need_clock(m, p))
		return ramp_edge_update(&m->edge, p, m->sum,
					ramp_meter_when(m, ramp_edge_slot(p)));

	if ((s64)(now - ramp_meter_end(m, p)) >= 0)
		return ramp_meter_roll(m, p, now);

	ramp_meter_wake(m, p);
	return ramp_edge_update(&m->edge, p, m->sum, now);
}

#endif /* _NET_RAMP_METER_H */
