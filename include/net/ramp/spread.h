/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which port gets the next frame: the random pick of US 8625624
 *
 * [0035]: of the candidates of the lowest class one is picked at random. A
 * table has entries of the ports of that class, each as many as its weight
 * asks for, so that a pick is one random number and one look-up, whatever the
 * number of ports.
 *
 * [0037]: a fast randomizer may favour some ports, and so does a table whose
 * entries cannot divide the weights exactly. The document leaves it to the
 * buffers to fill; here the frames themselves say it sooner. Each CPU keeps an
 * account per port: what it sent there, each frame charged by the inverse of
 * the port's weight. A port whose account is ahead of that of the port whose
 * turn it is by more than a lead yields to it. The turn visits all entries, so
 * each port is found however bad the random numbers are, and over any time a
 * port of mean weight gets RAMP_SPREAD_LEAD frames and what one turn of the
 * table takes more than its share at most.
 *
 * A port that was out of the class for a while is owed nothing for it: who is
 * behind by more than the slack is pulled up when picked, or it would get all
 * frames for as long as it was away. Accounts have 64 bits for that: with 32
 * one that is 128 frames of weight 1 behind looks as if it were ahead, and
 * waits.
 *
 * Nothing here locks: a table is built by one writer; who reads one that is
 * being built finds it out afterwards and reads another one. An account belongs
 * to one CPU. Any context.
 */
#ifndef _NET_RAMP_SPREAD_H
#define _NET_RAMP_SPREAD_H

#include <linux/string.h>
#include <linux/types.h>

#define RAMP_SPREAD_PORTS	256
#define RAMP_SPREAD_SETS	32
#define RAMP_SPREAD_WEIGHT_MAX	1000

#define RAMP_SPREAD_BITS	10
#define RAMP_SPREAD_ENTRIES	1024U	/* 2 to that */
/* Odd, so that the turn visits every entry, and far from the neighbours. */
#define RAMP_SPREAD_STRIDE	633

/* What a frame of a port of weight 1 is charged. */
#define RAMP_SPREAD_UNIT	0x1000000U
/* Frames of a port of mean weight. */
#define RAMP_SPREAD_LEAD	16
/* Leads: far more than a port falls behind that was there all the time. */
#define RAMP_SPREAD_SLACK	4

/**
 * struct ramp_spread_port - a candidate
 * @rank: lower is preferred
 * @weight: 1..RAMP_SPREAD_WEIGHT_MAX
 * @slot: the port's number, below RAMP_SPREAD_PORTS
 */
struct ramp_spread_port {
	u32	rank;
	u16	weight;
	u8	slot;
};

/**
 * struct ramp_spread_table - the ports to pick from
 * @members: ports in it; with 0 there is nothing to pick
 * @rank: of all of them
 * @lead: account units by which a port may be ahead of another
 * @slack: account units by which a port may be behind another
 * @entry: slots
 */
struct ramp_spread_table {
	u32	members;
	u32	rank;
	u32	lead;
	u32	slack;
	u8	entry[RAMP_SPREAD_ENTRIES];
};

/**
 * ramp_spread_charge - what a frame of a port adds to its account
 * @weight: 1..RAMP_SPREAD_WEIGHT_MAX
 *
 * Return: account units
 */
static inline u32 ramp_spread_charge(u32 weight)
{
	return RAMP_SPREAD_UNIT / weight;
}

/**
 * ramp_spread_build - find the ports of the lowest rank
 * @t: table; whoever reads it meanwhile gets slots, but of no use
 * @port: candidates
 * @count: how many, up to RAMP_SPREAD_PORTS
 *
 * Each member has at least one entry: the account takes care of what is too
 * much for a light one, but a port that is never proposed gets nothing.
 */
static inline void ramp_spread_build(struct ramp_spread_table *t,
				     const struct ramp_spread_port *port,
				     u32 count)
{
	u32 weights = 0, before = 0, at = 0, end, i, rest;
	u32 lightest = RAMP_SPREAD_WEIGHT_MAX;

	t->members = 0;
	for (i = 0; i < count; i++) {
		if (!t->members || port[i].rank < t->rank) {
			t->rank = port[i].rank;
			t->members = 0;
			weights = 0;
			lightest = RAMP_SPREAD_WEIGHT_MAX;
		}
		if (port[i].rank != t->rank)
			continue;
		t->members++;
		weights += port[i].weight;
		if (port[i].weight < lightest)
			lightest = port[i].weight;
	}
	if (!t->members)
		return;

	t->lead = RAMP_SPREAD_UNIT / weights * t->members * RAMP_SPREAD_LEAD;
	t->slack = RAMP_SPREAD_SLACK * t->lead +
		   2 * ramp_spread_charge(lightest);

	rest = RAMP_SPREAD_ENTRIES - t->members;
	for (i = 0; i < count; i++) {
		if (port[i].rank != t->rank)
			continue;
		end = at + 1 + rest * (before + port[i].weight) / weights -
		      rest * before / weights;
		memset(t->entry + at, port[i].slot, end - at);
		before += port[i].weight;
		at = end;
	}
}

/* What a random number proposes; its upper bits count. */
static inline u32 ramp_spread_at(const struct ramp_spread_table *t, u32 random)
{
	return t->entry[random >> (32 - RAMP_SPREAD_BITS)];
}

/**
 * ramp_spread_turn - whose turn it is
 * @t: table with members
 * @cursor: of this CPU and set, any value
 *
 * Return: slot
 */
static inline u32 ramp_spread_turn(const struct ramp_spread_table *t,
				   u32 *cursor)
{
	*cursor += RAMP_SPREAD_STRIDE;
	return t->entry[*cursor & (RAMP_SPREAD_ENTRIES - 1)];
}

/**
 * ramp_spread_yields - has a port got so much that another one goes first?
 * @lead: of the table
 * @own: account of the port picked
 * @other: account of the port whose turn it is
 *
 * Return: whether the other port gets the frame
 */
static inline bool ramp_spread_yields(u32 lead, u64 own, u64 other)
{
	return (s64)(own - other) > lead;
}

/**
 * ramp_spread_pull - forget what a port is owed for the time that it was away
 * @slack: of the table
 * @own: account of the port that gets the frame
 * @other: account of the other one
 *
 * Return: account of the port that gets the frame
 */
static inline u64 ramp_spread_pull(u32 slack, u64 own, u64 other)
{
	if ((s64)(other - own) > slack)
		return other - slack;
	return own;
}

/**
 * ramp_spread_random - the next random number
 * @state: of this CPU, not 0
 *
 * Fast, and good enough for a pick: what it favours, the accounts correct.
 *
 * Return: any number but 0
 */
static inline u32 ramp_spread_random(u32 *state)
{
	u32 x = *state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *state = x;
}

/**
 * ramp_spread_set_of - the candidate set of an address
 * @byte: the address as on the wire
 * @len: bytes
 *
 * No secret and easy to foretell: who configures sets has to know which one an
 * address belongs to.
 *
 * Return: 0..RAMP_SPREAD_SETS - 1
 */
static inline u32 ramp_spread_set_of(const u8 *byte, u32 len)
{
	u32 x = 0;

	while (len--)
		x ^= *byte++;
	return (x ^ (x >> 5)) & (RAMP_SPREAD_SETS - 1);
}

#endif /* _NET_RAMP_SPREAD_H */
