/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slope: what may leave per tick while a ramp runs
 *
 * Document 000, [0105]: scheduling goes "at intervals of one or more clock
 * cycles ... at a first clock cycle two queue entries may be scheduled, at a
 * second clock cycle four ..., at a third clock cycle six", possibly after
 * "pausing the scheduling of packets for a particular amount of time" or after
 * "initially reducing the rate to a lower rate". Claims 3 and 20: the rate
 * rises from a first to a second rate over time, or falls. [0107]: the length
 * need not depend on another measurement, the climb itself may end it. Claim 1
 * ties the rate to how fast the level changed: an adaptive ramp climbs the more
 * slowly, the steeper the surge was.
 *
 * Time is cut in ticks, counted from the event. Tick i of an up ramp allows
 * nothing during the pause, start during the hold, then base + k * step; tick i
 * of a down ramp allows base - i * down_step, not less than floor. What a tick
 * does not use is lost, or the next tick would jump. A packet larger than all
 * that a tick allows goes whole, and the ticks that follow pay for it.
 *
 * Amounts count packets or bytes, as @packets says. Nothing here locks: the
 * caller serialises all calls for one slope. Any context.
 */
#ifndef _NET_RAMP_SLOPE_H
#define _NET_RAMP_SLOPE_H

#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <net/ramp/edge.h>

/* No allowance is larger: 2^40 bytes/s for a tick of one second. */
#define RAMP_ALLOWANCE_MAX	BIT_ULL(40)

/* Parts of a step; an adaptive ramp takes at least a quarter of it. */
#define RAMP_STEP_WHOLE		65536
#define RAMP_STEP_LEAST		16384

/**
 * struct ramp_slope_params - the shape of all ramps
 * @start: first allowance, 1 .. RAMP_ALLOWANCE_MAX
 * @step: added per tick, 1 .. RAMP_ALLOWANCE_MAX
 * @down_step: subtracted per tick, 1 .. RAMP_ALLOWANCE_MAX
 * @floor: least allowance of a down ramp, 1 .. RAMP_ALLOWANCE_MAX
 * @full: bytes per tick at the full rate, 0 while the rate is unknown
 * @tick: ns
 * @window: ns, for what has to be the case for a while
 * @pause: ticks at the begin of an up ramp that allow nothing
 * @hold: ticks after the pause that allow @start
 * @life: ticks after which a ramp ends wherever it is, less than 2^63 ns of
 *	them; 0: no such end
 * @packets: amounts count packets, not bytes
 * @adaptive: steps depend on how steep the surge was
 */
struct ramp_slope_params {
	u64	start;
	u64	step;
	u64	down_step;
	u64	floor;
	u64	full;
	u64	tick;
	u64	window;
	u32	pause;
	u32	hold;
	u64	life;
	bool	packets;
	bool	adaptive;
};

/**
 * struct ramp_slope - one ramp
 * @dir: RAMP_NONE: none is running and nothing else here means anything
 * @allowance: of the present tick
 * @level: what the ramp has reached: @allowance, in the present parameters
 * @left: of the allowance, after use and debt
 * @owed: by the ticks to come, for packets larger than an allowance
 * @paid: of the allowance, to what was owed
 * @used: in the present tick
 * @last_used: in the tick before
 * @tick_end: ns, when the present tick ends
 * @index: of the present tick, counted from where @base holds
 * @base: allowance that the steps are counted from
 * @step: added per tick of this ramp
 * @down_step: subtracted per tick of this ramp
 * @part: of a whole step that an adaptive ramp takes
 * @began: ns, when the ramp began, turned or not
 * @pause: ticks of pause in this ramp
 * @hold: ticks of hold in this ramp
 * @bytes: sent in this ramp
 * @pkts: sent in this ramp
 * @tight: ns, end of the last tick in which somebody had to wait
 * @waited: somebody had to wait in the present tick
 * @low_mark: fewest packets seen waiting in this down ramp
 * @low_pkts: @pkts at that time
 * @low_time: ns, when @low_mark was last lowered
 */
struct ramp_slope {
	enum ramp_dir	dir;
	u64		allowance;
	u64		level;
	u64		left;
	u64		owed;
	u64		paid;
	u64		used;
	u64		last_used;
	u64		tick_end;
	u64		index;
	u64		base;
	u64		step;
	u64		down_step;
	u32		part;
	u64		began;
	u32		pause;
	u32		hold;
	u64		bytes;
	u64		pkts;
	u64		tight;
	bool		waited;
	u32		low_mark;
	u64		low_pkts;
	u64		low_time;
};

/**
 * ramp_per_tick - what a rate is per tick
 * @rate: bytes/s, at most 2^40
 * @tick: ns, at most one second
 *
 * Return: bytes, rounded down
 */
static inline u64 ramp_per_tick(u64 rate, u32 tick)
{
	return mul_u64_u32_div(rate, tick, 1000000000);
}

/**
 * ramp_sat_mul - product of two amounts that does not wrap
 * @a: any amount
 * @b: any amount
 * @max: what the product is cut to
 *
 * Return: the product, at most @max
 */
static inline u64 ramp_sat_mul(u64 a, u64 b, u64 max)
{
	if (a && b > div64_u64(max, a))
		return max;
	return a * b;
}

static inline u64 ramp_times(u64 amount, u64 n)
{
	return ramp_sat_mul(amount, n, RAMP_ALLOWANCE_MAX);
}

/* An allowance of bytes stops at the full rate, one of packets where the mean
 * packet says so, which is known only afterwards.
 */
static inline u64 ramp_slope_top(const struct ramp_slope_params *p)
{
	return p->full && !p->packets ? p->full : RAMP_ALLOWANCE_MAX;
}

static inline u64 ramp_slope_at(const struct ramp_slope *s,
				const struct ramp_slope_params *p, u64 index)
{
	u64 fall;

	if (s->dir == RAMP_UP) {
		u64 flat = (u64)s->pause + s->hold;

		if (index < s->pause)
			return 0;
		if (index < flat)
			return min_t(u64, ramp_slope_top(p), s->base);
		return min_t(u64, ramp_slope_top(p),
			     s->base + ramp_times(s->step, index - flat));
	}

	fall = ramp_times(s->down_step, index);
	return s->base > fall ? max_t(u64, s->base - fall, p->floor) : p->floor;
}

/**
 * ramp_slope_part - how much of a step a surge leaves
 * @took: ns, in which the level crossed
 * @window: ns, in which it may
 *
 * Return: of RAMP_STEP_WHOLE parts
 */
static inline u32 ramp_slope_part(u64 took, u64 window)
{
	took = min_t(u64, took, window) * RAMP_STEP_WHOLE;
	return max_t(u64, div64_u64(took + window / 2, window),
		     RAMP_STEP_LEAST);
}

static inline u64 ramp_slope_share(u64 step, u32 part)
{
	return max_t(u64, 1, step * part / RAMP_STEP_WHOLE);
}

static inline void ramp_slope_steps(struct ramp_slope *s,
				    const struct ramp_slope_params *p)
{
	u32 part = p->adaptive ? s->part : RAMP_STEP_WHOLE;

	s->step = ramp_slope_share(p->step, part);
	s->down_step = ramp_slope_share(p->down_step, part);
}

/* A tick begins: it pays what is owed first. */
static inline void ramp_slope_grant(struct ramp_slope *s, u64 allowance)
{
	s->allowance = allowance;
	s->level = allowance;
	s->paid = min_t(u64, s->owed, allowance);
	s->owed -= s->paid;
	s->left = allowance - s->paid;
	s->last_used = s->used;
	s->used = 0;
	s->waited = false;
}

/**
 * ramp_slope_begin - a ramp begins, or turns round
 * @s: slope
 * @p: parameters
 * @dir: RAMP_UP or RAMP_DOWN
 * @base: level to go on from, in the unit of the amounts; an up ramp that is
 *	no turn begins with pause, hold and start instead
 * @part: of a step that the surge leaves to an adaptive ramp
 * @queued: packets waiting
 * @now: ns, the event: tick 0 begins
 */
static inline void ramp_slope_begin(struct ramp_slope *s,
				    const struct ramp_slope_params *p,
				    enum ramp_dir dir, u64 base, u32 part,
				    u32 queued, u64 now)
{
	bool turn = s->dir != RAMP_NONE;
	bool flat = dir == RAMP_UP && !turn;

	s->dir = dir;
	s->index = 0;
	s->pause = flat ? p->pause : 0;
	s->hold = flat ? p->hold : 0;
	s->base = flat ? p->start : base;
	s->level = s->base;
	s->part = part;
	ramp_slope_steps(s, p);
	s->tight = now;
	s->low_mark = queued;
	s->low_time = now;
	if (!turn) {
		s->began = now;
		s->owed = 0;
		s->used = 0;
		s->bytes = 0;
		s->pkts = 0;
		s->tick_end = now + p->tick;
		ramp_slope_grant(s, ramp_slope_at(s, p, 0));
	}
	s->low_pkts = s->pkts;
}

/* Bytes of the mean packet sent in this ramp, 0 while there was none. What is
 * charged can be less than a byte per segment (tc-stab(8)).
 */
static inline u32 ramp_slope_mean(const struct ramp_slope *s)
{
	return s->pkts ? max_t(u64, 1, div64_u64(s->bytes, s->pkts)) : 0;
}

/* How many ticks the climb still takes, the present one included. With nothing
 * to compare with, it ends when nobody had to wait for a window.
 */
static inline u64 ramp_slope_climb(const struct ramp_slope *s,
				   const struct ramp_slope_params *p)
{
	u64 flat = (u64)s->pause + s->hold;
	u32 mean = ramp_slope_mean(s);
	u64 end, full = p->full;

	if (!full || (p->packets && !mean)) {
		u64 quiet = s->tight + p->window;

		end = max_t(u64, flat + 1, s->index + 1);
		if (quiet > s->tick_end)
			end = max_t(u64, end, s->index + 1 +
				    div64_u64(quiet - s->tick_end + p->tick - 1,
					      p->tick));
		return end - s->index;
	}

	if (p->packets)
		full = div_u64(full + mean - 1, mean);
	end = flat + 1;
	if (full > s->base)
		end += div64_u64(full - s->base + s->step - 1, s->step);
	return end > s->index ? end - s->index : 1;
}

/* How many ticks the ramp still takes, the present one included. A down ramp
 * has no end of its own: it ends when nothing waits.
 */
static inline u64 ramp_slope_rest(const struct ramp_slope *s,
				  const struct ramp_slope_params *p)
{
	u64 rest = U64_MAX;
	s64 more;

	if (s->dir == RAMP_UP)
		rest = ramp_slope_climb(s, p);
	if (p->life) {
		more = s->began + p->life * p->tick - s->tick_end;
		rest = min_t(u64, rest, more > 0 ?
			     1 + div64_u64(more + p->tick - 1, p->tick) : 1);
	}
	return rest;
}

/* What ticks @from .. @to - 1 allow together. The ticks of a straight piece of
 * the slope are averaged, and only ticks that nobody used are asked for.
 */
static inline u64 ramp_slope_sum(const struct ramp_slope *s,
				 const struct ramp_slope_params *p,
				 u64 from, u64 to)
{
	u64 bend, sum = 0;

	if (s->dir == RAMP_UP) {
		u64 flat = (u64)s->pause + s->hold, top = ramp_slope_top(p);
		u64 rise = top - min_t(u64, top, s->base);

		from = max_t(u64, from, s->pause);
		to = max_t(u64, from, to);
		bend = clamp_t(u64, flat, from, to);
		sum = ramp_times(min_t(u64, top, s->base), bend - from);
		from = bend;
		bend = flat + div64_u64(rise + s->step - 1, s->step);
		bend = clamp_t(u64, bend, from, to);
		sum += ramp_times(top, to - bend);
		to = bend;
	} else {
		u64 fall = s->base - min_t(u64, s->base, p->floor);

		bend = div64_u64(fall + s->down_step - 1, s->down_step);
		bend = clamp_t(u64, bend, from, max_t(u64, from, to));
		sum = ramp_times(p->floor, max_t(u64, from, to) - bend);
		to = bend;
	}
	if (from < to)
		sum += ramp_times(ramp_slope_at(s, p, from) +
				    ramp_slope_at(s, p, to - 1),
				    to - from) / 2;
	return sum;
}

/**
 * ramp_slope_advance - the present tick is over
 * @s: running slope
 * @p: parameters
 * @now: ns, at or after @s->tick_end
 *
 * A caller that comes late finds itself in the tick that is due by now; the
 * allowances of the ticks between are lost. When an up ramp has reached the
 * full rate, or a ramp its last tick, @s->dir is RAMP_NONE and @s->tick_end the
 * time it did.
 *
 * Return: how many ticks are over since the last call, at least 1
 */
static inline u64 ramp_slope_advance(struct ramp_slope *s,
				     const struct ramp_slope_params *p, u64 now)
{
	u64 behind = now - s->tick_end;
	u64 over = 1, rest, owed;

	if (behind >= p->tick)
		over += div64_u64(behind, p->tick);
	if (s->waited)
		s->tight = s->tick_end + (over - 1) * p->tick;

	rest = ramp_slope_rest(s, p);
	if (over >= rest) {
		s->tick_end += (rest - 1) * p->tick;
		s->dir = RAMP_NONE;
		return rest;
	}

	if (over > 1) {
		s->used = 0;
		owed = s->owed;
		s->owed -= min_t(u64, s->owed,
				 ramp_slope_sum(s, p, s->index + 1,
						s->index + over));
		/* Whoever asked meanwhile would have found it paying. A caller who
		 * is late does not know for how long.
		 */
		if (owed && s->pkts == s->low_pkts)
			s->low_time = max_t(u64, s->low_time, s->tick_end +
					    (over - (s->owed ? 2 : 3)) * p->tick);
	}
	s->index += over;
	s->tick_end += over * p->tick;
	ramp_slope_grant(s, ramp_slope_at(s, p, s->index));
	return over;
}

/**
 * ramp_slope_reach - the level that a running ramp has reached
 * @s: running slope
 *
 * Return: the larger of the present level and what left in the last tick
 */
static inline u64 ramp_slope_reach(const struct ramp_slope *s)
{
	return max_t(u64, s->level, s->last_used);
}

static inline u64 ramp_slope_cost(const struct ramp_slope_params *p,
				  u32 bytes, u32 pkts)
{
	return p->packets ? pkts : bytes;
}

/**
 * ramp_slope_admit - may this packet leave in the present tick?
 * @s: running slope, advanced to the present tick
 * @p: parameters
 * @bytes: of the packet
 * @pkts: segments of the packet
 *
 * Return: true when it may. Otherwise the tick counts as used up.
 */
static inline bool ramp_slope_admit(struct ramp_slope *s,
				    const struct ramp_slope_params *p,
				    u32 bytes, u32 pkts)
{
	u64 cost = ramp_slope_cost(p, bytes, pkts);

	if (cost <= s->left)
		return true;
	if (s->left && cost > s->allowance)
		return true;
	s->waited = true;
	return false;
}

/**
 * ramp_slope_charge - a packet leaves
 * @s: running slope
 * @p: parameters
 * @bytes: of the packet
 * @pkts: segments of the packet
 */
static inline void ramp_slope_charge(struct ramp_slope *s,
				     const struct ramp_slope_params *p,
				     u32 bytes, u32 pkts)
{
	u64 cost = ramp_slope_cost(p, bytes, pkts);
	u64 paid = min_t(u64, cost, s->left);

	s->left -= paid;
	s->owed += cost - paid;
	s->used += cost;
	s->bytes += bytes;
	s->pkts += pkts;
}

/**
 * ramp_slope_uncharge - a packet that was charged in advance does not leave
 * @s: running slope, still in the tick that was charged
 * @p: parameters
 * @bytes: of the packet
 * @pkts: segments of the packet
 */
static inline void ramp_slope_uncharge(struct ramp_slope *s,
				       const struct ramp_slope_params *p,
				       u32 bytes, u32 pkts)
{
	u64 cost = ramp_slope_cost(p, bytes, pkts);
	u64 owed = min_t(u64, cost, s->owed);

	s->owed -= owed;
	s->left = min_t(u64, s->left + cost - owed, s->allowance - s->paid);
	s->used -= min_t(u64, s->used, cost);
	s->bytes -= min_t(u64, s->bytes, bytes);
	s->pkts -= min_t(u64, s->pkts, pkts);
}

/**
 * ramp_slope_stalled - does a down ramp hold a queue that will not shrink?
 * @s: down ramp, advanced to the present tick
 * @p: parameters
 * @queued: packets waiting
 * @now: ns
 *
 * To be asked once per tick. Two ticks are the least time in which a queue can
 * be seen to shrink, and one that still pays for its last packet is excused.
 *
 * Return: true when the queue did not shrink for a window: the ramp has to turn
 * up, or it would hold the queue for ever.
 */
static inline bool ramp_slope_stalled(struct ramp_slope *s,
				      const struct ramp_slope_params *p,
				      u32 queued, u64 now)
{
	if (queued < s->low_mark) {
		s->low_mark = queued;
		s->low_pkts = s->pkts;
		s->low_time = now;
	} else if (s->owed && s->pkts == s->low_pkts) {
		s->low_time = now;
	}
	return now - s->low_time >= max_t(u64, p->window, 2 * p->tick);
}

/* In how many ticks after the present one is it to be asked again whether a ramp
 * has stalled, at the latest?
 */
static inline u64 ramp_slope_patience(const struct ramp_slope *s,
				      const struct ramp_slope_params *p)
{
	u64 due = s->low_time + max_t(u64, p->window, 2 * p->tick);

	if (s->dir != RAMP_DOWN || (s->owed && s->pkts == s->low_pkts))
		return U64_MAX;
	return due > s->tick_end ?
		div64_u64(due - s->tick_end + p->tick - 1, p->tick) : 0;
}

/* Packets to bytes or back, rounded up. */
static inline u64 ramp_slope_convert(u64 amount, u32 mean, bool to_packets)
{
	if (to_packets)
		return div_u64(amount + mean - 1, mean);
	return ramp_times(amount, mean);
}

/* Amounts of a tick in the unit of the new parameters. What is left of the
 * present one must not grow by it.
 */
static inline void ramp_slope_rescale_unit(struct ramp_slope *s,
					   const struct ramp_slope_params *p,
					   u32 mtu)
{
	u32 mean = ramp_slope_mean(s) ?: mtu;
	bool packets = p->packets;

	s->left = packets ? div_u64(s->left, mean) : ramp_times(s->left, mean);
	s->allowance = ramp_slope_convert(s->allowance, mean, packets);
	s->level = ramp_slope_convert(s->level, mean, packets);
	s->owed = ramp_slope_convert(s->owed, mean, packets);
	s->paid = ramp_slope_convert(s->paid, mean, packets);
	s->used = ramp_slope_convert(s->used, mean, packets);
	s->last_used = ramp_slope_convert(s->last_used, mean, packets);
}

/* The same level for a tick of another length. */
static inline u64 ramp_slope_rescale(u64 amount,
				     const struct ramp_slope_params *old,
				     const struct ramp_slope_params *p)
{
	if (old->tick == p->tick || !amount)
		return amount;
	return clamp_t(u64, mul_u64_u64_div_u64(amount, p->tick, old->tick),
		       1, RAMP_ALLOWANCE_MAX);
}

/**
 * ramp_slope_change - the parameters of a running ramp change
 * @s: running slope
 * @old: parameters until now
 * @p: parameters from now on
 * @mtu: bytes, stands in for the mean packet while none was sent
 *
 * The ramp goes on from the level reached. The present tick keeps its end and
 * what it has left, so that a stream of changes lets nothing pass.
 */
static inline void ramp_slope_change(struct ramp_slope *s,
				     const struct ramp_slope_params *old,
				     const struct ramp_slope_params *p,
				     u32 mtu)
{
	u64 flat = (u64)s->pause + s->hold;

	if (old->packets != p->packets)
		ramp_slope_rescale_unit(s, p, mtu);
	ramp_slope_steps(s, p);
	s->level = ramp_slope_rescale(s->level, old, p);
	s->last_used = ramp_slope_rescale(s->last_used, old, p);
	if (s->dir == RAMP_UP && s->index < flat) {
		/* The next tick is either still flat, or the first that is not. */
		flat = max_t(u64, (u64)p->pause + p->hold, s->index + 1);
		s->pause = min_t(u64, p->pause, flat);
		s->hold = flat - s->pause;
		s->base = p->start;
	} else {
		s->pause = 0;
		s->hold = 0;
		s->index = 0;
		s->base = s->level;
	}
}

/**
 * ramp_slope_holds_back - what an up ramp keeps waiting
 * @p: parameters with a known rate
 * @mtu: bytes per packet
 *
 * The sum over its ticks of what arrives at the full rate less what may leave,
 * and of what is left of an allowance of bytes when no whole packet fits.
 *
 * Return: packets of @mtu bytes, rounded up, at most U32_MAX; 0 while the rate
 * is unknown
 */
static inline u32 ramp_slope_holds_back(const struct ramp_slope_params *p,
					u32 mtu)
{
	u64 start = p->start, step = p->step;
	u64 missing, steps, sum, bytes = 0;

	if (!p->full)
		return 0;
	if (p->adaptive)
		step = ramp_slope_share(step, RAMP_STEP_LEAST);
	if (p->packets) {
		start = ramp_times(start, mtu);
		step = ramp_times(step, mtu);
	}

	missing = p->full - min_t(u64, p->full, start);
	steps = div64_u64(missing + step - 1, step);
	/* missing + (missing - step) + (missing - 2 * step) + ... */
	if (steps) {
		sum = missing + missing - (steps - 1) * step;
		bytes = ramp_sat_mul(steps, sum, U64_MAX) / 2;
	}
	bytes += ramp_sat_mul(p->full, p->pause, U64_MAX / 8);
	bytes += ramp_sat_mul(missing, p->hold, U64_MAX / 8);

	/* Up to a packet of each allowance that is not a sum of packets. */
	if (p->packets)
		steps = 0;
	else if (start > mtu)
		steps += p->hold;

	return min_t(u64, U32_MAX, div_u64(bytes + mtu - 1, mtu) + steps);
}

#endif /* _NET_RAMP_SLOPE_H */
