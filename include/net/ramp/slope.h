/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slope: what may leave per tick while a ramp runs
 *
 * US 2025/0260650, [0105]: scheduling goes "at intervals of one or more clock
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
 * A ramp that is over while it holds packets back goes on to climb, by the same
 * step and beyond the full rate if need be, until a tick refuses nobody:
 * otherwise what waits would leave in one jump.
 *
 * Amounts count packets or bytes, as @packets says. Nothing here locks: the
 * caller serialises all calls for one slope. Any context.
 */
#ifndef _NET_RAMP_SLOPE_H
#define _NET_RAMP_SLOPE_H

#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <net/ramp/amount.h>
#include <net/ramp/edge.h>

/* Parts of a step; an adaptive ramp takes at least a quarter of it. */
#define RAMP_STEP_WHOLE		65536
#define RAMP_STEP_LEAST		16384

/**
 * struct ramp_slope_params - the shape of all ramps
 * @start: first allowance, 1 .. RAMP_ALLOWANCE_MAX
 * @step: added per tick, 1 .. RAMP_ALLOWANCE_MAX
 * @down_step: subtracted per tick, 1 .. RAMP_ALLOWANCE_MAX
 * @floor: least allowance of a down ramp, 1 .. RAMP_ALLOWANCE_MAX
 * @packet: the longest one, for the slew limiter
 * @bound: what a tick may have beyond the one before it, for the slew limiter;
 *	0: as it comes
 * @most: what the slew limiter lets a tick have beyond the one before it, when
 *	packets come in parts; 0: as it comes
 * @full: bytes per tick at the full rate, 0 while the rate is unknown
 * @tick: ns
 * @window: ns, for what has to be the case for a while
 * @pause: ticks at the begin of an up ramp that allow nothing
 * @hold: ticks after the pause that allow @start
 * @life: ticks after which a ramp ends wherever it is, less than 2^63 ns of
 *	them; 0: no such end
 * @packets: amounts count packets, not bytes
 * @adaptive: steps depend on how steep the surge was
 * @ordinary: ns, the tick that the slew limiter made longer; 0: it did not
 */
struct ramp_slope_params {
	u64	start;
	u64	step;
	u64	down_step;
	u64	floor;
	u64	packet;
	u64	bound;
	u64	most;
	u64	full;
	u64	tick;
	u64	window;
	u32	pause;
	u32	hold;
	u64	life;
	bool	packets;
	bool	adaptive;
	u32	ordinary;
};

/**
 * struct ramp_slope - one ramp
 * @dir: RAMP_NONE: none is running and nothing else here means anything
 * @part: of a whole step that an adaptive ramp takes
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
 * @began: ns, when the ramp began, turned or not
 * @pause: ticks of pause in this ramp
 * @hold: ticks of hold in this ramp
 * @bytes: sent in this ramp
 * @pkts: sent in this ramp
 * @tight: ns, end of the last tick in which somebody had to wait
 * @waited: somebody had to wait in the present tick
 * @drain: the ramp is over, but for what it held back
 * @low_mark: fewest packets seen waiting in this down ramp
 * @low_pkts: @pkts at that time
 * @low_time: ns, when @low_mark was last lowered
 */
struct ramp_slope {
	enum ramp_dir	dir;
	u32		part;
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
	u64		began;
	u32		pause;
	u32		hold;
	u64		bytes;
	u64		pkts;
	u64		tight;
	bool		waited;
	bool		drain;
	u32		low_mark;
	u64		low_pkts;
	u64		low_time;
};

/* An allowance of bytes stops at the full rate, one of packets where the mean
 * packet says so, which is known only afterwards.
 */
static inline u64 ramp_slope_top(const struct ramp_slope *s,
				 const struct ramp_slope_params *p)
{
	return p->full && !p->packets && !s->drain ? p->full :
						     RAMP_ALLOWANCE_MAX;
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
			return min_t(u64, ramp_slope_top(s, p), s->base);
		return min_t(u64, ramp_slope_top(s, p),
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
	s->drain = false;
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
 * has no end of its own: it ends when nothing waits. One that drains ends with
 * a tick in which nobody has to wait.
 */
static inline u64 ramp_slope_rest(const struct ramp_slope *s,
				  const struct ramp_slope_params *p)
{
	u64 rest = U64_MAX;
	s64 more;

	if (s->drain)
		return s->waited ? U64_MAX : 1;
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
		u64 flat = (u64)s->pause + s->hold, top = ramp_slope_top(s, p);
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

/* The ramp is over with tick @last, counted as @index is: from there it climbs
 * to let go of what it held back.
 */
static inline void ramp_slope_drain_from(struct ramp_slope *s,
					 const struct ramp_slope_params *p,
					 u64 last)
{
	u64 level = ramp_slope_at(s, p, last);

	s->base = level ?: p->start;
	s->index -= last;
	s->dir = RAMP_UP;
	s->drain = true;
	s->pause = 0;
	/* After a pause, start comes first. */
	s->hold = !level;
}

/**
 * ramp_slope_drain - a running ramp is over, and somebody waits
 * @s: running slope
 * @p: parameters
 *
 * The present tick goes on.
 */
static inline void ramp_slope_drain(struct ramp_slope *s,
				    const struct ramp_slope_params *p)
{
	if (!s->drain)
		ramp_slope_drain_from(s, p, s->index);
}

/**
 * ramp_slope_advance - the present tick is over
 * @s: running slope
 * @p: parameters
 * @now: ns, at or after @s->tick_end
 *
 * A caller that comes late finds itself in the tick that is due by now; the
 * allowances of the ticks between are lost. When an up ramp has reached the
 * full rate, or a ramp its last tick, and nobody waits, @s->dir is RAMP_NONE
 * and
 * @s->tick_end the time it did. If somebody does, it drains.
 *
 * Return: how many ticks are over since the last call, at least 1
 */
static inline u64 ramp_slope_advance(struct ramp_slope *s,
				     const struct ramp_slope_params *p, u64 now)
{
	u64 behind = now - s->tick_end;
	u64 over = 1, rest, owed, sum = 0;

	if (behind >= p->tick)
		over += div64_u64(behind, p->tick);
	if (s->waited)
		s->tight = s->tick_end + (over - 1) * p->tick;

	rest = ramp_slope_rest(s, p);
	if (over >= rest && !s->waited) {
		s->tick_end += (rest - 1) * p->tick;
		s->dir = RAMP_NONE;
		return rest;
	}
	if (over >= rest) {
		sum = ramp_slope_sum(s, p, s->index + 1, s->index + rest);
		ramp_slope_drain_from(s, p, s->index + rest - 1);
	} else {
		rest = 1;
	}

	if (over > 1) {
		s->used = 0;
		owed = s->owed;
		sum += ramp_slope_sum(s, p, s->index + rest, s->index + over);
		s->owed -= min_t(u64, s->owed, sum);
		/* Whoever asked meanwhile would have found it paying. A caller
		 * who is late does not know for how long.
		 */
		if (owed && s->pkts == s->low_pkts)
			s->low_time = max_t(u64, s->low_time, s->tick_end +
					    p->tick *
					    (over - (s->owed ? 2 : 3)));
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

/* In how many ticks after the present one is it to be asked again whether a
 * ramp has stalled, at the latest?
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

#endif /* _NET_RAMP_SLOPE_H */
