/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pacer: a token bucket that one queue pays from
 *
 * US 7298703, [0060]: a sender "adjusts the data transmission rate ... in
 * accordance with the data transmit rate value contained in the received
 * variable-rate control code". At a rate of 0 nothing is sent.
 *
 * Tokens are bytes. What has been earned is a function of the time (earn.h), so
 * nothing is lost by rounding, however often somebody asks:
 *
 *	tokens = min(earned(now) - spent, depth)
 *
 * A packet may leave when there are tokens for it. One that is larger than the
 * bucket may leave when the bucket is full, and owes the rest. Over any period
 * what leaves is at most rate x period, rounded up, + depth, or the largest
 * packet where that is more than depth. While packets wait that are not larger
 * than the bucket is made for (ramp_pacer_depth()), and whoever sends them
 * comes at ramp_pacer_when() or at most a tick later, what leaves from the
 * first one on is at least rate x period less a depth. A change of the rate
 * loses less than a byte.
 *
 * Tokens have to be looked at with the time before they are spent, or what is
 * over depth would be spent, too: so a clock is read for each packet that is
 * paced. But where less than the rate arrives, the bucket is full most of the
 * time, and to see that takes no exact sum (ramp_pacer_filled()).
 *
 * Nothing here locks: the caller serialises all calls for one pacer. Any
 * context.
 */
#ifndef _NET_RAMP_PACER_H
#define _NET_RAMP_PACER_H

#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <net/ramp/earn.h>

/* ns, as a power of two, for which struct ramp_pacer has a round number. */
#define RAMP_PACER_SPAN		20

/* ns, at most: a product of these and such a number has 64 bits. */
#define RAMP_PACER_NEAR		S32_MAX

/* Hundredths of a percent: the whole. */
#define RAMP_PACER_WHOLE	10000

/**
 * struct ramp_pacer - one bucket
 * @earn: the rate; @earn.rate may be 0: nothing may leave
 * @depth: bytes, 1 .. 2^32 + @earn.rate
 * @idle: ns, as long as what is earned cannot be ambiguous
 * @least: bytes in 2^RAMP_PACER_SPAN ns, rounded down
 * @seen: ns since @earn.base, when the bucket was last looked at
 * @earned: bytes, modulo 2^64, until @seen
 * @spent: bytes, modulo 2^64
 * @full: what @spent is when the bucket is full: @earned - @depth
 */
struct ramp_pacer {
	struct ramp_earn	earn;
	u64			depth;
	u64			idle;
	u64			least;
	u64			seen;
	u64			earned;
	u64			spent;
	u64			full;
};

/**
 * ramp_pacer_rate - a share of a rate
 * @rate: bytes/s, at most 2^40
 * @share: hundredths of a percent, at most RAMP_PACER_WHOLE
 *
 * Return: bytes/s, rounded down, at least 1 unless @share is 0
 */
static inline u64 ramp_pacer_rate(u64 rate, u32 share)
{
	if (!share)
		return 0;
	return max_t(u64, 1, mul_u64_u32_div(rate, share, RAMP_PACER_WHOLE));
}

/**
 * ramp_pacer_depth - how deep a bucket has to be
 * @rate: bytes/s, at most 2^40
 * @tick: ns, at most one second: how late a timer may be
 * @packet: bytes, the largest packet that is not to owe anything
 *
 * What is earned while the timer is late has room beside a packet. So has what
 * ramp_pacer_when() rounds up: a byte, and what a ns earns.
 *
 * Return: bytes
 */
static inline u64 ramp_pacer_depth(u64 rate, u32 tick, u32 packet)
{
	return (u64)packet + 2 +
	       mul_u64_u32_div(rate, tick + 1, RAMP_EARN_SEC);
}

/* The rate counts from now on; the bucket has @tokens. */
static inline void ramp_pacer_set(struct ramp_pacer *p, u64 rate, u64 depth,
				  s64 tokens, u64 now)
{
	u64 idle = rate ? div64_u64(BIT_ULL(62), rate) : U64_MAX;

	ramp_earn_set(&p->earn, rate, 0, now);
	p->depth = depth;
	p->idle = idle < S64_MAX / RAMP_EARN_SEC ? idle * RAMP_EARN_SEC :
						   S64_MAX;
	p->least = mul_u64_u32_div(rate, BIT(RAMP_PACER_SPAN), RAMP_EARN_SEC);
	p->seen = 0;
	p->earned = 0;
	p->spent = -min_t(s64, tokens, depth);
	p->full = -depth;
}

/**
 * ramp_pacer_init - begin with an empty bucket
 * @p: pacer
 * @rate: bytes/s, 0 .. 2^40
 * @depth: bytes, 1 .. 2^32 + @rate
 * @now: ns
 */
static inline void ramp_pacer_init(struct ramp_pacer *p, u64 rate, u64 depth,
				   u64 now)
{
	ramp_pacer_set(p, rate, depth, 0, now);
}

/**
 * ramp_pacer_look - the tokens that there are
 * @p: pacer
 * @now: ns; a clock that stepped back is taken to have stood still, and goes on
 *	from there
 *
 * Return: bytes, at most @depth; less than 0: owed
 */
static inline s64 ramp_pacer_look(struct ramp_pacer *p, u64 now)
{
	u64 elapsed = now - p->earn.base;
	s64 tokens;

	if ((s64)(elapsed - p->seen) < 0) {
		p->earn.base = now - p->seen;
		elapsed = p->seen;
	}
	p->earned = ramp_earned(&p->earn, elapsed);
	p->full = p->earned - p->depth;
	tokens = p->earned - p->spent;
	if (tokens > (s64)p->depth || elapsed - p->seen > p->idle) {
		tokens = p->depth;
		p->spent = p->full;
	}
	p->seen = elapsed;
	return tokens;
}

/**
 * ramp_pacer_change - another rate, or another depth
 * @p: pacer
 * @rate: bytes/s, 0 .. 2^40
 * @depth: bytes, 1 .. 2^32 + @rate
 * @now: ns
 *
 * The tokens stay, as far as they fit, and what is owed stays owed.
 */
static inline void ramp_pacer_change(struct ramp_pacer *p, u64 rate, u64 depth,
				     u64 now)
{
	ramp_pacer_set(p, rate, depth, ramp_pacer_look(p, now), now);
}

static inline u64 ramp_pacer_cost(const struct ramp_pacer *p, u32 bytes)
{
	return min_t(u64, bytes, p->depth);
}

/**
 * ramp_pacer_admit - may this packet leave?
 * @p: pacer
 * @bytes: of the packet
 * @now: ns
 *
 * Return: true when it may
 */
static inline bool ramp_pacer_admit(struct ramp_pacer *p, u32 bytes, u64 now)
{
	return p->earn.rate &&
	       ramp_pacer_look(p, now) >= (s64)ramp_pacer_cost(p, bytes);
}

/**
 * ramp_pacer_filled - may any packet leave, as the bucket has filled up?
 * @p: pacer
 * @now: ns
 *
 * For who mostly sends less than the rate, a shorter question than
 * ramp_pacer_admit(). Nobody need know when a bucket was full: the clock is
 * taken to have stood still since it was last looked at, with a full one.
 *
 * Return: true when it is full; false means nothing
 */
static inline bool ramp_pacer_filled(struct ramp_pacer *p, u64 now)
{
	u64 base = now - p->seen;
	u64 since = base - p->earn.base;

	if (since > RAMP_PACER_NEAR ||
	    since * p->least >> RAMP_PACER_SPAN <= p->spent - p->full)
		return false;
	p->earn.base = base;
	p->spent = p->full;
	return true;
}

/**
 * ramp_pacer_charge - a packet leaves
 * @p: pacer
 * @bytes: of the packet
 */
static inline void ramp_pacer_charge(struct ramp_pacer *p, u32 bytes)
{
	p->spent += bytes;
}

/**
 * ramp_pacer_when - when may this packet leave?
 * @p: pacer, just looked at or asked to admit it
 * @bytes: of the packet
 *
 * Return: ns, at most a byte later than it might be; U64_MAX: not at this rate
 */
static inline u64 ramp_pacer_when(const struct ramp_pacer *p, u32 bytes)
{
	s64 missing = ramp_pacer_cost(p, bytes) - (p->earned - p->spent);
	u64 now = p->earn.base + p->seen;

	if (!p->earn.rate)
		return U64_MAX;
	if (missing <= 0)
		return now;
	return now + 1 + mul_u64_u64_div_u64(missing, RAMP_EARN_SEC,
					     p->earn.rate);
}

#endif /* _NET_RAMP_PACER_H */
