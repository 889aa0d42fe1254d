/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slew limiter: the rate rises by no more than a step per tick, whatever
 * arrives
 *
 * US 2025/0260650, [0105], without the detection of [0100] and [0102]: a rate
 * that may always rise by one step and no more bounds every rise, also those
 * that no detector sees. Nothing bounds the fall.
 *
 * The gate is a token bucket. Its rate is what left in the last tick's time
 * plus 5/16 of a step, at least half of start. That feeds back: a queue that
 * keeps the bucket empty makes the rate climb by somewhat less than a step per
 * tick. The tick slides, so that a burst late in one tick and another one early
 * in the next do not add up; and because it is a rate that climbs, what leaves
 * is smooth within a tick, also out of a device that is faster than the rate.
 * The depth is 3/8 of a step: what comes out of silence within a tick is about
 * start. (Larger parts of a step climb faster and let adjacent ticks differ by
 * more than two steps after bursts: tried with test_slew.) Where packets are
 * long, and a tick is made of several, it has the depth and the sleeps of one
 * of these, in which packets that are short are to be smooth as well.
 *
 * After a short silence in a busy time the mean of a tick is less than what
 * left at its end, and the next tick would have more than that and a few steps.
 * So a queue that waits is also bounded by what left in the tick before the
 * last one. That bound is a share of the full rate, and what leaves may be many
 * times that: small packets where packets are counted, or a device that is
 * faster than the rate. There it becomes a share of what leaves, or the climb
 * would end, and what limits the rise would be a shaper.
 *
 * A packet counts tokens down and reads no clock; only when there are none left
 * is the clock read, what was earned meanwhile added, and what has left noted
 * (a look; slew_left.h). A packet may leave as long as there is any token. What
 * it is larger than that is owed, and has left when it is paid. Packets are
 * whole: slew_whole.h.
 *
 * Amounts count packets or bytes, as @packets of the parameters says. Nothing
 * here locks: the caller serialises all calls for one limiter. Any context.
 */
#ifndef _NET_RAMP_SLEW_H
#define _NET_RAMP_SLEW_H

#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <net/ramp/amount.h>
#include <net/ramp/shut.h>
#include <net/ramp/slew_whole.h>
#include <net/ramp/slope.h>
#include <net/ramp/slope_change.h>

/* Who is refused sleeps this part of an ordinary tick, and not less than this:
 * ns. A sleep's worth leaves at once, and a tick has one sleep more or less of
 * them, wherever it begins: at 1.6 times the full rate that is 2.5 % of it,
 * where a fast device shows it.
 */
#define RAMP_SLEW_RESTS		64
#define RAMP_SLEW_REST		1500

/* Packets that a tick of full rate is to have, for the rate to be smooth. */
#define RAMP_SLEW_PACKETS	8

/* Packets of a tick that was made longer: two of them are 20 % */
#define RAMP_SLEW_LONG		10

/* Below this rate a receiver is promised its bound for the time of ten packets:
 * bytes/s
 */
#define RAMP_SLEW_SLOW		125000000

/* Bytes of the shortest packet */
#define RAMP_SLEW_SHORT		60

/* Nobody limits, and this is never used up. */
#define RAMP_SLEW_OPEN		S64_MAX

/* Bytes that a tick has at least: less, and it is made longer */
static inline u64 ramp_slew_holds(u64 rate, u32 mtu)
{
	return (u64)mtu * (rate < RAMP_SLEW_SLOW ? RAMP_SLEW_LONG :
						   RAMP_SLEW_PACKETS);
}

/**
 * ramp_slew_length - how long the limiter makes a tick
 * @rate: bytes/s, not 0
 * @tick: ns, of ramps
 * @mtu: bytes
 *
 * Below 1 Gbit/s a receiver is promised a bound for the time of ten packets,
 * and the limiter keeps it from one tick to the next. So a tick with less is
 * made that time, and not a multiple of @tick. At higher rates it is promised
 * for 100 us, and a tick of eight packets is as good.
 *
 * Amounts are whole bytes, and those of the long tick are to be taken: at a low
 * rate a part of a short one may be less than one.
 *
 * Return: ns, @tick or more; no more than a second, unless @tick is
 */
static inline u32 ramp_slew_length(u64 rate, u32 tick, u32 mtu)
{
	u64 want = ramp_sat_mul((u64)RAMP_SLEW_LONG * mtu, 1000000000,
				U64_MAX - rate);

	if (ramp_per_tick(rate, tick) >= ramp_slew_holds(rate, mtu))
		return tick;
	return clamp_t(u64, div64_u64(want + rate - 1, rate), tick,
		       max_t(u32, tick, 1000000000));
}

/**
 * struct ramp_slew_long - a tick that was made longer, and its amounts
 * @tick: ns; 0: it is an ordinary one
 * @full: as in struct ramp_slope_params, and so on
 * @start: at most U32_MAX, which is not less than all packets of such a tick
 * @step: likewise
 */
struct ramp_slew_long {
	u32	tick;
	u32	full;
	u32	start;
	u32	step;
};

/**
 * ramp_slew_pack - keep of a slew limiter's parameters what is not in a ramp's
 * @p: those of a slew limiter
 *
 * Return: for ramp_slew_unpack()
 */
static inline struct ramp_slew_long
ramp_slew_pack(const struct ramp_slope_params *p)
{
	return (struct ramp_slew_long) {
		.tick = p->ordinary ? p->tick : 0,
		.full = min_t(u64, p->full, U32_MAX),
		.start = min_t(u64, p->start, U32_MAX),
		.step = min_t(u64, p->step, U32_MAX),
	};
}

/**
 * ramp_slew_stretch - make parameters those of a slew limiter
 * @p: parameters
 * @mtu: bytes
 *
 * The rate is smooth if a tick has several packets. At rates at which it has
 * not, the tick is the time of ten, and a step remains what it is in percent of
 * the rate. To do it again changes nothing.
 *
 * What packets and sleeps make of a rate that climbs is less than 15 % of the
 * full rate. Two packets and two sleeps' worth of that are kept back, but not
 * more than half, as the rate climbs slower with less: the last packet of a
 * tick is larger than the room for it, the tick before it may have missed one,
 * and either may begin or end within a sleep. But start may always leave. While
 * the rate is unknown, and a packet is more than a step, one too many is in any
 * tick, and nothing is bounded.
 */
static inline void ramp_slew_stretch(struct ramp_slope_params *p, u32 mtu)
{
	u64 full, packet = p->packets ? 1 : mtu, tick = p->tick;
	u64 rate;

	/* Not less than it was before it became whole bytes */
	rate = mul_u64_u64_div_u64(p->full + 1, 1000000000, tick);
	if (p->full && p->full < ramp_slew_holds(rate, mtu))
		tick = clamp_t(u64, div64_u64(ramp_sat_mul(tick, (u64)mtu *
							   RAMP_SLEW_LONG,
							   U64_MAX), p->full),
			       tick, max_t(u64, tick, 1000000000));
	if (tick > p->tick) {
		p->full = mul_u64_u64_div_u64(p->full, tick, p->tick);
		p->start = ramp_retick(p->start, tick, p->tick);
		p->step = ramp_retick(p->step, tick, p->tick);
		p->ordinary = p->ordinary ?: p->tick;
		p->tick = tick;
	}
	p->packet = packet;
	p->bound = 0;
	p->most = 0;
	if (!p->full && p->step < packet)
		return;
	full = div_u64(p->full, p->packets ? mtu : 1);
	p->bound = max3(ramp_times(p->step, 3), p->start,
			div_u64(full * 3, 20));
	p->most = p->bound - min(2 * (packet + full / RAMP_SLEW_RESTS),
				 div_u64(p->bound, 2));
	p->most = max(p->most, p->start);
}

/**
 * ramp_slew_unpack - make parameters of ramps those of a slew limiter
 * @p: parameters
 * @slew: what differs
 * @mtu: bytes
 */
static inline void ramp_slew_unpack(struct ramp_slope_params *p,
				    const struct ramp_slew_long *slew, u32 mtu)
{
	if (slew->tick) {
		p->ordinary = p->tick;
		p->tick = slew->tick;
		p->full = slew->full;
		p->start = slew->start;
		p->step = slew->step;
	}
	ramp_slew_stretch(p, mtu);
}

/* What may leave at once out of silence, in parts */
static inline s64 ramp_slew_depth(const struct ramp_slope_params *p)
{
	u64 depth = ramp_slew_parts(p->step) * 3 / 8;

	if (p->ordinary)
		depth = mul_u64_u64_div_u64(depth, p->ordinary, p->tick);
	return max_t(u64, depth, 1);
}

/* What a busy queue makes the rate climb by per tick, in parts. It is somewhat
 * less than a step, as the tick in which it is measured slides; and a quarter
 * of that above the full rate, where a packet takes less than a sleep, so that
 * packets leave in pairs, and a tick has one more than it should. That is a
 * backlog that leaves out of a device that is faster than the rate.
 */
static inline u64 ramp_slew_rise(const struct ramp_slope_params *p, u64 rate)
{
	u64 rise = ramp_slew_parts(p->step) * 5 / 16;

	return p->full && !p->packets && rate > ramp_slew_parts(p->full) ?
		rise / 4 : rise;
}

/* The least rate, in the unit of the amounts: with what the depth adds, about
 * start leaves out of silence.
 */
static inline u64 ramp_slew_least(const struct ramp_slope_params *p)
{
	return max_t(u64, p->start / 2,
		     p->start - min(p->start, p->step / 2));
}

/* The rate after a tick in which @left parts left. */
static inline u64 ramp_slew_rate(const struct ramp_slope_params *p, u64 left)
{
	u64 rate = left + ramp_slew_rise(p, left);

	return clamp_t(u64, rate,
		       max_t(u64, ramp_slew_parts(ramp_slew_least(p)), 1),
		       ramp_slew_parts(RAMP_ALLOWANCE_MAX));
}

/**
 * ramp_slew_allowance - what may leave per tick at present
 * @s: slew limiter
 *
 * Return: in the unit of the amounts, at least 1
 */
static inline u64 ramp_slew_allowance(const struct ramp_slew *s)
{
	return max_t(u64, s->rate >> RAMP_SLEW_SHIFT, 1);
}

/* The shortest sleep: ns. Also where many ask: what leaves after a longer one
 * would be more than the bound has room for.
 */
static inline u64 ramp_slew_rest(const struct ramp_slope_params *p)
{
	u64 tick = p->ordinary ?: p->tick;

	return max_t(u64, div_u64(tick, RAMP_SLEW_RESTS), RAMP_SLEW_REST);
}

/**
 * ramp_slew_begin - the gate begins to limit
 * @s: slew limiter
 * @p: parameters
 * @level: what leaves per tick now, in the unit of the amounts
 * @now: ns
 *
 * There is no token yet: the next packet makes the first look.
 */
static inline void ramp_slew_begin(struct ramp_slew *s,
				   const struct ramp_slope_params *p,
				   u64 level, u64 now)
{
	u64 left = ramp_slew_parts(min_t(u64, level, RAMP_ALLOWANCE_MAX));

	*s = (struct ramp_slew) {
		.tokens = ramp_slew_depth(p),
		.rate = ramp_slew_rate(p, left),
		.sum = left,
		.whole = left >> RAMP_SLEW_SHIFT,
		.last = now,
		.rest = ramp_slew_rest(p),
		.unseen = p->packet,
		.shortest = U32_MAX,
		.brief = U32_MAX,
		.begun = now,
	};
	ramp_slew_even(s, p, left, left, now);
}

/**
 * ramp_slew_is_new - has nobody asked since the limiter began?
 * @s: slew limiter
 *
 * Return: true when nothing has left, and nothing may without a look
 */
static inline bool ramp_slew_is_new(const struct ramp_slew *s)
{
	return !s->sum && !s->granted && !s->budget;
}

/**
 * ramp_slew_owe - what is said to leave all the time has left in advance
 * @s: slew limiter that has just begun
 * @amount: in the unit of the amounts
 */
static inline void ramp_slew_owe(struct ramp_slew *s, u64 amount)
{
	u64 parts = ramp_slew_parts(min_t(u64, amount, RAMP_ALLOWANCE_MAX));

	s->tokens = -(s64)parts;
	/* What is owed has not left. */
	s->sum += parts;
}

/* What a queue that waits may have now, in parts, for the last tick to have no
 * more than the one before it and @most. What leaves after a sleep leaves at
 * once: the last tick may have one sleep's worth more, and the other one less.
 */
static inline s64 ramp_slew_room(struct ramp_slew *s,
				 const struct ramp_slope_params *p, u64 now)
{
	u64 tick = ramp_slew_until(s, p, &s->behind, now - p->tick - s->rest);
	u64 two = ramp_slew_until(s, p, &s->older, now - 2 * p->tick);
	/* What waits for two sleeps is a 32nd of the rate: with less than that
	 * no climb goes on.
	 */
	u64 most = max(ramp_slew_parts(p->most),
		       (s->rate >> 5) + (s->rate >> 6));

	return most + (tick - two) - (s->sum - tick);
}

/* What the next @n ticks pay together if each of them can do no more than that.
 */
static inline u64 ramp_slew_pay(const struct ramp_slew *s,
				const struct ramp_slope_params *p, u64 n)
{
	return ramp_sat_mul(s->rate, n, U64_MAX / 4) +
	       ramp_sat_mul(ramp_slew_rise(p, s->rate), n * (n - 1) / 2,
			    U64_MAX / 4);
}

/* What the last of these pays. */
static inline u64 ramp_slew_last(const struct ramp_slew *s,
				 const struct ramp_slope_params *p, u64 n)
{
	return s->rate + ramp_sat_mul(ramp_slew_rise(p, s->rate), n - 1,
				      U64_MAX / 4);
}

/**
 * ramp_slew_shut - in how many whole ticks can nothing leave?
 * @s: slew limiter without a budget
 * @p: parameters
 *
 * Return: 0 .. 2 * RAMP_SHUT_MOST - 1: ticks that can do no more than pay
 */
static inline u64 ramp_slew_shut(const struct ramp_slew *s,
				 const struct ramp_slope_params *p)
{
	u64 owed = -min_t(s64, s->tokens, 0), bit, n = 0;

	if (owed < s->rate)
		return 0;
	for (bit = RAMP_SHUT_MOST; bit; bit >>= 1)
		if (ramp_slew_pay(s, p, n + bit) <= owed)
			n += bit;
	return n;
}

/* Ticks that could only pay have passed, and the rate climbed in them. */
static inline void ramp_slew_paid(struct ramp_slew *s,
				  const struct ramp_slope_params *p, u64 now)
{
	u64 n = 0, last, sum, i;

	if (unlikely(s->tokens < 0 && now - s->last >= p->tick))
		n = ramp_slew_shut(s, p);
	if (n)
		n = min_t(u64, n, div64_u64(now - s->last, p->tick));
	if (!n)
		return;
	last = ramp_slew_last(s, p, n);
	s->tokens += ramp_slew_pay(s, p, n);
	s->last += n * p->tick;
	for (i = min_t(u64, n, 3); i--;) {
		sum = s->sum + s->tokens - i * last;
		ramp_slew_push(s, sum, s->last - i * p->tick);
	}
	s->rate = ramp_slew_rate(p, last);
}

/* Sleep until the bucket is full, which is worth to be woken for. */
static inline void ramp_slew_sleep(struct ramp_slew *s,
				   const struct ramp_slope_params *p, u64 until)
{
	u64 ticks = ramp_slew_shut(s, p);
	u64 need = ramp_slew_depth(p) - s->tokens;
	u64 rate = s->rate;

	if (ticks) {
		need -= ramp_slew_pay(s, p, ticks);
		rate = ramp_slew_rate(p, ramp_slew_last(s, p, ticks));
	}
	/* Another tick at most, after which the rate is another one. */
	need = min_t(u64, need, rate);
	s->wake = s->last + ticks * p->tick +
		  max(s->rest, mul_u64_u64_div_u64(need, p->tick, rate));
	s->misfit = until;
	if (until)
		s->wake = max(until + 1, s->last + s->rest);
}

/* What was handed out and used is no budget any more. A single packet left when
 * it was let pass. Of several nobody knows more than that it was until now, and
 * that the last one was longer than what there was for it.
 */
static inline void ramp_slew_settle(struct ramp_slew *s)
{
	u64 used = s->granted - s->budget;

	s->sum += ramp_slew_parts(used);
	s->tokens -= ramp_slew_parts(used);
	s->whole += used;
	if (s->granted == RAMP_SLEW_SINGLE) {
		s->brief = min_t(u64, s->brief, used ?: U32_MAX);
		*ramp_slew_gone(s, s->head - 1) = s->whole;
	}
	if (s->budget <= 0)
		s->recent = max_t(u64, s->recent,
				  RAMP_SLEW_SINGLE - s->budget);
	s->granted = s->budget;
}

/**
 * ramp_slew_look - the budget is used up, or somebody who was refused asks
 *	again
 * @s: slew limiter
 * @p: parameters
 * @slept: somebody has waited since the last look, which left no budget
 * @busy: more than one packet waits
 * @now: ns, not before the last look
 *
 * What comes out of silence is bounded by the depth. A queue that keeps the
 * gate busy loses nothing of what it earned while it slept, nor, up to as much,
 * of what it earned while the device sent: timers are late, what is owed to the
 * queue then takes the device longer, and without it the queue would never
 * climb. Who comes late has a tick's worth.
 *
 * Return: true when there is a budget; otherwise to be asked again at @s->wake
 */
static inline bool ramp_slew_look(struct ramp_slew *s,
				  const struct ramp_slope_params *p,
				  bool slept, bool busy, u64 now)
{
	s64 depth = ramp_slew_depth(p);
	u64 span, earned, sum, until;
	s64 usable;

	ramp_slew_settle(s);
	if (slept)
		ramp_slew_wakes(s, p, now);
	ramp_slew_paid(s, p, now);

	span = min_t(u64, now - s->last, p->tick);
	earned = mul_u64_u64_div_u64(s->rate, span, p->tick);
	if (slept)
		depth = max_t(s64, depth, earned);
	else if (busy)
		depth = max3(depth, s->deep,
			     (s64)mul_u64_u64_div_u64(s->rate, s->rest,
						      p->tick));
	if (slept)
		ramp_slew_misses(s, s->tokens + (s64)earned - depth);
	s->tokens = min_t(s64, depth, s->tokens + (s64)earned);
	if (p->most && (slept || busy) && now - s->last < p->tick)
		s->tokens = min_t(s64, s->tokens,
				  max_t(s64, ramp_slew_room(s, p, now), 0));
	if (slept || !busy || s->tokens <= 0)
		s->deep = slept ? s->tokens : 0;
	usable = ramp_slew_usable(s, p, now, &until);
	s->last = now;

	/* A queue that waits uses its tokens at once. */
	sum = s->sum + min_t(s64, usable, 0);
	if (usable > 0 && (slept || busy))
		sum += s->tokens;
	sum = ramp_slew_mark(s, p, sum, usable <= 0, now);
	sum -= ramp_slew_until(s, p, &s->before, now - p->tick);
	s->rate = ramp_slew_rate(p, sum);

	s->budget = 0;
	if (usable > 0)
		s->budget = ((u64)usable + BIT(RAMP_SLEW_SHIFT) - 1) >>
			    RAMP_SLEW_SHIFT;
	else
		ramp_slew_sleep(s, p, until);
	s->granted = s->budget;
	return s->budget;
}

/**
 * ramp_slew_charge - a packet leaves
 * @s: slew limiter with a budget, or one that has promised
 * @p: parameters
 * @bytes: of the packet
 * @pkts: segments of the packet
 */
static inline void ramp_slew_charge(struct ramp_slew *s,
				    const struct ramp_slope_params *p,
				    u32 bytes, u32 pkts)
{
	s->budget -= ramp_slope_cost(p, bytes, pkts);
}

/**
 * ramp_slew_uncharge - a packet that was charged in advance does not leave
 * @s: slew limiter
 * @p: parameters
 * @bytes: of the packet
 * @pkts: segments of the packet
 */
static inline void ramp_slew_uncharge(struct ramp_slew *s,
				      const struct ramp_slope_params *p,
				      u32 bytes, u32 pkts)
{
	s->budget += ramp_slope_cost(p, bytes, pkts);
}

/**
 * ramp_slew_return - nothing leaves for now of what was let pass
 * @s: slew limiter
 *
 * A packet that is counted whole left when it was let pass. If it does not, as
 * something else than the limiter holds it back, it is to ask again.
 */
static inline void ramp_slew_return(struct ramp_slew *s)
{
	if (s->granted != RAMP_SLEW_SINGLE || s->budget != s->granted)
		return;
	s->budget = 0;
	s->granted = 0;
}

/* What left in the last tick's time, in the unit of the amounts. A budget that
 * was marked as used (ramp_slew_look()) and was not is no level.
 */
static inline u64 ramp_slew_level(struct ramp_slew *s,
				  const struct ramp_slope_params *p, u64 now)
{
	s64 left;

	ramp_slew_settle(s);
	left = s->sum + min_t(s64, s->tokens, 0) -
	       ramp_slew_until(s, p, &s->before, now - p->tick);
	return (u64)max_t(s64, left, 0) >> RAMP_SLEW_SHIFT;
}

/* What was marked as used and was not is no level, and other parameters may
 * make it a large one.
 */
static inline void ramp_slew_unmark(struct ramp_slew *s)
{
	u64 sum = s->sum + min_t(s64, s->tokens, 0);
	u32 n = RAMP_SLEW_POINTS;
	struct ramp_slew_point *point;

	while (n--) {
		point = ramp_slew_at(s, s->head - 1 - n);
		if ((s64)(point->sum - sum) > 0)
			point->sum = sum;
	}
}

/**
 * ramp_slew_change - the parameters change
 * @s: slew limiter
 * @old: parameters until now
 * @p: parameters from now on
 * @mtu: bytes, stands in for the longest packet
 * @now: ns, not before the last look
 *
 * The level that was reached goes on, and so do debts. No token is made by it,
 * so that a stream of changes lets nothing pass. When it left is remembered as
 * well: were it evened out each time, a stream of changes would keep what left
 * before a silence, and let the end of the silence jump. Where ticks or units
 * are others it is evened out.
 */
static inline void ramp_slew_change(struct ramp_slew *s,
				    const struct ramp_slope_params *old,
				    const struct ramp_slope_params *p, u32 mtu,
				    u64 now)
{
	u64 level;
	s64 tokens;

	ramp_slew_settle(s);
	ramp_slew_unmark(s);
	level = ramp_slew_level(s, old, now);
	tokens = s->tokens;
	if (old->packets == p->packets && old->tick == p->tick) {
		s->budget = 0;
		s->granted = 0;
		s->tokens = min(ramp_slew_depth(p), tokens);
		s->rate = ramp_slew_rate(p, ramp_slew_parts(level));
		s->rest = ramp_slew_rest(p);
		return;
	}
	if (old->packets != p->packets) {
		/* Of packets that were counted nobody knows the length: what
		 * is taken for less than it was only climbs for longer.
		 */
		level = ramp_slope_convert(level, p->packets ? mtu :
					   RAMP_SLEW_SHORT, p->packets);
		tokens = 0;
	}
	level = ramp_slope_rescale(level, old, p);
	ramp_slew_begin(s, p, level, now);
	s->tokens = min(s->tokens, tokens);
	/* What is owed has not left. */
	s->sum -= min_t(s64, s->tokens, 0);
}

/**
 * ramp_slew_whole - the longest packet that need not be segmented
 * @p: parameters
 * @mtu: bytes
 *
 * Packets leave whole: a tick may have two more than the one before it, as one
 * was too early and one too late. Of more than half a step each these would be
 * a jump.
 *
 * Return: bytes
 */
static inline u32 ramp_slew_whole(const struct ramp_slope_params *p, u32 mtu)
{
	u64 step = p->packets ? ramp_times(p->step, mtu) : p->step;

	return clamp_t(u64, step / 2, mtu, U32_MAX);
}

/**
 * ramp_slew_holds_back - what a step of load from idle to the full rate keeps
 *	waiting
 * @p: parameters with a known rate
 * @mtu: bytes per packet
 *
 * The rate climbs by twice what ramp_slew_rise() adds to the mean of the last
 * tick: by 5/8 of a step per tick. So it is what is missing at the begin, times
 * half the time that it takes to be made up for; and somewhat more, as packets
 * do not come in parts (tried with test_slew).
 *
 * Return: packets of @mtu bytes, rounded up, at most U32_MAX; 0 while the rate
 * is unknown
 */
static inline u32 ramp_slew_holds_back(const struct ramp_slope_params *p,
				       u32 mtu)
{
	u64 least = ramp_slew_least(p), step = p->step, missing, bytes;

	if (!p->full)
		return 0;
	if (p->packets) {
		least = ramp_times(least, mtu);
		step = ramp_times(step, mtu);
	}
	missing = p->full - min_t(u64, p->full, least);
	/* Steps as small as that are out of all bounds; and nothing overflows.
	 */
	step = max_t(u64, step, (missing >> 20) + 1);
	bytes = mul_u64_u64_div_u64(missing, 4 * missing, 5 * step);
	bytes += bytes / 8 + mul_u64_u64_div_u64(bytes, 4 * mtu, p->full);
	return min_t(u64, U32_MAX, div_u64(bytes, mtu) + 2);
}

#endif /* _NET_RAMP_SLEW_H */
