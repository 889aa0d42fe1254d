// SPDX-License-Identifier: GPL-2.0
/* US 8625624, [0037]: feedback corrects the unfairness of a fast but imperfect
 * randomizer.
 */
#include "spread_model.h"

#define FRAMES	40000

/* Generators, from good to useless. */
static u32 gen_good(u64 i)
{
	return unit_random();
}

/* Nine of ten numbers are of the lower half. */
static u32 gen_ninety(u64 i)
{
	u32 n = unit_random();

	return unit_chance(90) ? n >> 1 : n | 1U << 31;
}

static u32 gen_const(u64 i)
{
	return 0;
}

static u32 gen_last(u64 i)
{
	return U32_MAX;
}

static u32 gen_two(u64 i)
{
	return i & 1 ? 0 : U32_MAX;
}

static u32 gen_count(u64 i)
{
	return i;
}

static u32 gen_stuck(u64 i)
{
	return unit_random() & 0x3fffffff;
}

/* Just what the turn will say next: the two never disagree. */
static u32 gen_turn(u64 i)
{
	return (u32)((i + 1) * RAMP_SPREAD_STRIDE) << (32 - RAMP_SPREAD_BITS);
}

#define GENS	8

static u32 (*const gens[GENS])(u64 i) = {
	gen_good, gen_ninety, gen_const, gen_last, gen_two, gen_count,
	gen_stuck, gen_turn,
};

static void run(struct model *m, u32 (*gen)(u64 i), u64 frames)
{
	u64 i;

	for (i = 0; i < frames; i++)
		model_send(m, gen(i));
}

/* Equal ports, any generator: no share is wrong by more than 2 percent. */
static void no_generator_favours_a_port(struct kunit *test)
{
	static const u32 counts[] = { 2, 3, 4, 8, 64, 0 };
	u32 i, k, g;
	u64 wrong;

	unit_round(0);
	for (k = 0; counts[k]; k++) {
		for (g = 0; g < GENS; g++) {
			static struct model m;

			model_begin(&m);
			for (i = 0; i < counts[k]; i++)
				model_add(&m, 0, 1);
			model_build(&m);
			run(&m, gens[g], 10000 * counts[k]);
			for (i = 0; i < counts[k]; i++) {
				wrong = model_error(&m, i, 10000 * counts[k]);
				unit_check(wrong < 10000 / 50 * counts[k],
					   "%u ports, generator %u: port %u by %llu",
					   counts[k], g, i, wrong / counts[k]);
			}
		}
	}
}

/* The promise of the law: a bound that time does not raise. */
static void lead_is_bounded_for_ever(struct kunit *test)
{
	u32 g, n;

	for (g = 0; g < GENS; g++) {
		static struct model m;
		u64 i, wrong;

		model_begin(&m);
		unit_round(g);
		for (n = 0; n < 2; n++)
			model_add(&m, 0, 1);
		model_build(&m);
		for (i = 1; i <= 1000000; i++) {
			model_send(&m, gens[g](i));
			wrong = model_error(&m, 0, i);
			unit_check(wrong <= 2 * RAMP_SPREAD_LEAD,
				   "generator %u, frame %llu: by %llu", g, i,
				   wrong / 2);
		}
	}
}

/* Nor does a generator undo weights, whatever they are. */
static void weights_hold_with_any_generator(struct kunit *test)
{
	unit_rounds(300) {
		u32 count = unit_between(2, 16), i;
		u32 most = unit_amount(9);
		u32 g = unit_between(0, GENS - 1);
		static struct model m;
		u64 wrong, share;
		u32 weights;

		model_begin(&m);
		for (i = 0; i < count; i++)
			model_add(&m, 0, unit_between(1, most));
		model_build(&m);
		weights = model_weights(&m);
		run(&m, gens[g], FRAMES);
		for (i = 0; i < count; i++) {
			wrong = model_error(&m, i, FRAMES);
			share = (u64)FRAMES * m.port[i].weight;
			/* a frame of the lightest may be many of the others' */
			unit_check(wrong < share / 50 +
				   (u64)FRAMES * weights / 200,
				   "generator %u: %u of %u ports, weight %u: %llu, by %llu",
				   g, i, count, m.port[i].weight, m.sent[i],
				   wrong / weights);
		}
	}
}

/* What a chi-square of so many degrees of freedom exceeds once in a hundred, in
 * thousandths.
 */
static const u32 chi_1_percent[] = {
	0, 6635, 9210, 11345, 13277, 15086, 16812, 18475, 20090, 21666,
};

static void weights_pass_chi_square(struct kunit *test)
{
	unit_rounds(200) {
		u32 count = unit_between(2, 10), random = unit_random() | 1, i;
		u64 chi = 0, expected, wrong;
		static struct model m;

		model_begin(&m);
		for (i = 0; i < count; i++)
			model_add(&m, 0, unit_between(1, 10));
		model_build(&m);
		for (i = 0; i < FRAMES; i++)
			model_send(&m, ramp_spread_random(&random));
		for (i = 0; i < count; i++) {
			wrong = model_error(&m, i, FRAMES);
			expected = (u64)FRAMES * m.port[i].weight *
				   model_weights(&m);
			chi += (1000 * wrong * wrong + expected - 1) / expected;
		}
		unit_check(chi < chi_1_percent[count - 1], "%llu of %u ports",
			   chi, count);
	}
}

static void extreme_weights_hold(struct kunit *test)
{
	static struct model m;
	u32 i;

	model_begin(&m);
	model_add(&m, 0, 1);
	model_add(&m, 0, RAMP_SPREAD_WEIGHT_MAX);
	model_build(&m);
	unit_round(0);
	run(&m, gen_good, 2000 * (RAMP_SPREAD_WEIGHT_MAX + 1));
	assert_in_range(m.sent[0], 1960, 2040);

	model_begin(&m);
	model_add(&m, 0, RAMP_SPREAD_WEIGHT_MAX);
	for (i = 1; i < RAMP_SPREAD_PORTS; i++)
		model_add(&m, 0, 1);
	model_build(&m);
	run(&m, gen_good, 1000 * (RAMP_SPREAD_WEIGHT_MAX + i - 1));
	assert_in_range(m.sent[0], 980000, 1020000);
	for (i = 1; i < RAMP_SPREAD_PORTS; i++)
		assert_in_range(m.sent[i], 900, 1100);
}

/* Who was away long is owed nothing: it gets its share and little more. */
static void nobody_is_flooded_on_return(struct kunit *test)
{
	u32 g, i;

	for (g = 0; g < GENS; g++) {
		static struct model m;

		model_begin(&m);
		unit_round(g);
		for (i = 0; i < 4; i++)
			model_add(&m, i ? 0 : 3, 1);
		model_build(&m);
		run(&m, gens[g], 100000);
		assert_int_equal(m.sent[0], 0);

		m.port[0].rank = 0;
		model_build(&m);
		run(&m, gens[g], 1000);
		unit_check(m.sent[0] < 250 + RAMP_SPREAD_SLACK *
						  RAMP_SPREAD_LEAD,
			   "generator %u: %llu", g, m.sent[0]);
		run(&m, gens[g], 9000);
		unit_check(m.sent[0] > 2450 && m.sent[0] < 2500 +
			   RAMP_SPREAD_SLACK * RAMP_SPREAD_LEAD,
			   "generator %u: %llu", g, m.sent[0]);
	}
}

/* Nor does anybody wait for its share, however long it was away. */
static void nobody_starves_on_return(struct kunit *test)
{
	unit_rounds(2000) {
		u32 count = unit_between(2, 8), away = unit_amount(17), i;
		static struct model m;

		model_begin(&m);
		for (i = 0; i < count; i++)
			model_add(&m, i ? 0 : 3, 1);
		model_build(&m);
		run(&m, gen_good, away);
		m.port[0].rank = 0;
		model_build(&m);
		run(&m, gen_good, 40 * count);
		unit_check(m.sent[0] >= 40 - RAMP_SPREAD_LEAD,
			   "%u ports, away for %u frames: %llu", count, away,
			   m.sent[0]);
	}
}

/* The account may wrap at any time. */
static void accounts_wrap(struct kunit *test)
{
	static struct model m;
	u32 i;

	model_begin(&m);
	for (i = 0; i < 3; i++) {
		model_add(&m, 0, 1);
		m.vt[i] = U64_MAX - RAMP_SPREAD_UNIT * 2;
	}
	model_build(&m);
	unit_round(0);
	run(&m, gen_ninety, 30000);
	for (i = 0; i < 3; i++)
		assert_in_range(m.sent[i], 9800, 10200);
}

UNIT_SUITE(spread_fair,
	   UNIT_CASE(no_generator_favours_a_port),
	   UNIT_CASE(lead_is_bounded_for_ever),
	   UNIT_CASE(weights_hold_with_any_generator),
	   UNIT_CASE(weights_pass_chi_square),
	   UNIT_CASE(extreme_weights_hold),
	   UNIT_CASE(nobody_is_flooded_on_return),
	   UNIT_CASE(nobody_starves_on_return),
	   UNIT_CASE(accounts_wrap));
