// SPDX-License-Identifier: GPL-2.0
/* The whole loop of US 8625624, [0034]-[0037]: buffers fill and drain, their
 * fullness is sampled now and then, what was sent since is added, and the ports
 * of the lowest class share what comes.
 */
#include "spread_model.h"
#include <net/ramp/fullness.h>

struct buffer {
	struct ramp_scale scale;
	u32 waiting;	/* truly */
	u32 sampled;
	u32 since;
	u32 share;
	u64 rate;	/* frames that leave per 1000 that come */
	u64 credit;
	u64 lost;
	u64 lost_beside_room;
};

struct loop {
	struct model m;
	struct buffer b[8];
	u32 ports;
	u32 every;	/* frames between two samples */
};

static void loop_begin(struct loop *l, u32 every)
{
	memset(l, 0, sizeof(*l));
	l->every = every;
}

static void loop_add(struct loop *l, u32 capacity, u32 rate, u32 weight)
{
	const struct ramp_classes four = { 3, { 25, 50, 75 } };
	struct buffer *b = &l->b[l->ports++];

	ramp_scale_set(&b->scale, &four, capacity);
	b->rate = rate;
	b->share = ramp_scale_until(&b->scale, 0);
	model_add(&l->m, 0, weight);
	model_build(&l->m);
}

static void loop_rank(struct loop *l, u32 i)
{
	struct buffer *b = &l->b[i];
	u32 rank = ramp_scale_rank(&b->scale, b->sampled + b->since);

	b->share = b->since + ramp_scale_until(&b->scale,
					       b->sampled + b->since);
	if (rank == l->m.port[i].rank)
		return;
	l->m.port[i].rank = rank;
	model_build(&l->m);
}

static void loop_sample(struct loop *l)
{
	u32 i;

	for (i = 0; i < l->ports; i++) {
		l->b[i].sampled = l->b[i].waiting;
		l->b[i].since = 0;
		loop_rank(l, i);
	}
}

static void loop_drain(struct buffer *b)
{
	b->credit += b->rate;
	while (b->credit >= 1000) {
		b->credit -= 1000;
		b->waiting -= !!b->waiting;
	}
}

static void loop_frame(struct loop *l, u32 random)
{
	u32 at = model_send(&l->m, random), i;
	struct buffer *b = &l->b[at];

	if (b->waiting < b->scale.capacity) {
		b->waiting++;
	} else {
		b->lost++;
		for (i = 0; i < l->ports; i++)
			if (l->b[i].sampled + l->b[i].since <
			    l->b[i].scale.capacity)
				b->lost_beside_room++;
	}
	if (++b->since >= b->share)
		loop_rank(l, at);
}

static u64 loop_lost(const struct loop *l)
{
	u64 lost = 0;
	u32 i;

	for (i = 0; i < l->ports; i++)
		lost += l->b[i].lost;
	return lost;
}

static u32 gen_good(u64 i)
{
	return unit_random();
}

/* All but one in ten for the lower half of the table. */
static u32 gen_ninety(u64 i)
{
	return unit_chance(90) ? unit_random() >> 1 : unit_random() | 1U << 31;
}

static u32 gen_const(u64 i)
{
	return 0;
}

#define GENS	3

static u32 (*const gens[GENS])(u64 i) = { gen_good, gen_ninety, gen_const };

static void loop_run(struct loop *l, u32 (*gen)(u64 i), u64 frames)
{
	u64 i;
	u32 k;

	for (i = 0; i < frames; i++) {
		if (i % l->every == 0)
			loop_sample(l);
		loop_frame(l, gen(i));
		for (k = 0; k < l->ports; k++)
			loop_drain(&l->b[k]);
	}
}

/* 100 and 40, offered 130: no port alone is fast enough for its half. */
static void uneven_ports_lose_nothing(struct kunit *test)
{
	u32 g;

	for (g = 0; g < GENS; g++) {
		static struct loop l;

		loop_begin(&l, 6);
		unit_round(g);
		/* the slow one is the one that bad generators love */
		loop_add(&l, 100, 40 * 1000 / 130, 1);
		loop_add(&l, 100, 100 * 1000 / 130, 1);
		loop_run(&l, gens[g], 200000);
		unit_check(!loop_lost(&l), "generator %u: %llu", g,
			   loop_lost(&l));
	}
}

/* The same without feedback, or the test above could not fail. */
static void chance_alone_loses_much(struct kunit *test)
{
	static struct loop l;
	u32 k;

	loop_begin(&l, U32_MAX);
	unit_round(0);
	loop_add(&l, 100, 40 * 1000 / 130, 1);
	loop_add(&l, 100, 100 * 1000 / 130, 1);
	for (k = 0; k < 2; k++)
		l.b[k].share = U32_MAX;
	for (k = 0; k < 200000; k++) {
		loop_frame(&l, gen_good(k));
		loop_drain(&l.b[0]);
		loop_drain(&l.b[1]);
	}
	/* half of 130 into 40 */
	assert_in_range(loop_lost(&l), 35000, 42000);
}

/* Of any ports: nothing is lost where the sum is fast enough, and a full port
 * gets nothing while another one has room.
 */
static void full_ports_get_nothing(struct kunit *test)
{
	unit_rounds(300) {
		u32 ports = unit_between(2, 8), g = unit_between(0, GENS - 1);
		static struct loop l;
		u64 sum = 0, i, beside = 0;
		u32 rate[8];

		loop_begin(&l, unit_between(1, 20));
		for (i = 0; i < ports; i++)
			sum += rate[i] = unit_between(1, 100);
		/* 5 percent more than what comes, and room for a few samples */
		for (i = 0; i < ports; i++)
			loop_add(&l, unit_between(100, 1000),
				 rate[i] * 1050 / sum + 1, unit_between(1, 4));
		loop_run(&l, gens[g], 30000);
		for (i = 0; i < ports; i++)
			beside += l.b[i].lost_beside_room;
		unit_check(!beside, "%u ports, generator %u: %llu", ports, g,
			   beside);
		unit_check(!loop_lost(&l), "%u ports, generator %u: %llu",
			   ports, g, loop_lost(&l));
	}
}

/* However late the next sample is. */
static void what_was_sent_since_is_seen(struct kunit *test)
{
	static struct loop l;
	u32 i;

	loop_begin(&l, 1000000);
	unit_round(0);
	loop_add(&l, 10, 0, 1);
	loop_add(&l, 1000, 0, 1);
	loop_run(&l, gen_good, 1009);
	for (i = 0; i < 2; i++)
		assert_int_equal(l.b[i].lost, 0);
	assert_int_equal(l.b[0].waiting + l.b[1].waiting, 1009);
	/* both are full: the larger one is less so with each frame more */
	loop_run(&l, gen_good, 1 + 101);
	assert_in_range(l.b[0].lost, 0, 3);
}

UNIT_SUITE(spread_loop,
	   UNIT_CASE(uneven_ports_lose_nothing),
	   UNIT_CASE(chance_alone_loses_much),
	   UNIT_CASE(full_ports_get_nothing),
	   UNIT_CASE(what_was_sent_since_is_seen));
