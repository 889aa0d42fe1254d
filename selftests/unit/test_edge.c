// SPDX-License-Identifier: GPL-2.0
/* Edge detector: US 2025/0260650, [0097], [0100], [0103], claims 1 and 16. */
#include "unit.h"
#include <net/ramp/edge.h>

#define WINDOW	(10 * NSEC_PER_MSEC)
#define T0	(5 * NSEC_PER_SEC)

static const struct ramp_edge_params queue = {
	.low = 50, .high = 500, .window = WINDOW,
};

static struct ramp_edge watch(u64 level)
{
	struct ramp_edge e;

	ramp_edge_init(&e, &queue, level);
	return e;
}

static enum ramp_dir at(struct ramp_edge *e, u64 now, u64 level)
{
	return ramp_edge_update(e, &queue, level, T0 + now);
}

/* 000 [0100]: "increased from a lower threshold to an upper threshold within a
 * particular amount of time"
 */
static void rise_within_the_window_is_a_surge(struct kunit *test)
{
	struct ramp_edge e = watch(0);

	assert_int_equal(at(&e, 0, 51), RAMP_NONE);
	assert_int_equal(at(&e, 4000, 300), RAMP_NONE);
	assert_int_equal(at(&e, 7000, 500), RAMP_UP);
	assert_int_equal(e.took, 7000);
}

/* 000 [0100]: "decreased from an upper threshold to a lower threshold" */
static void fall_within_the_window_is_a_surge(struct kunit *test)
{
	struct ramp_edge e = watch(700);

	assert_int_equal(at(&e, 0, 499), RAMP_NONE);
	assert_int_equal(at(&e, 8000, 50), RAMP_DOWN);
	assert_int_equal(e.took, 8000);
}

/* 000 [0097]: "If the change in power consumption occurs over a sufficiently
 * long amount of time, no overshoot or undershoot may occur."
 */
static void slow_change_is_no_surge(struct kunit *test)
{
	struct ramp_edge e = watch(0);

	at(&e, 0, 51);
	assert_int_equal(at(&e, WINDOW, 500), RAMP_UP);
	at(&e, HOUR, 499);
	assert_int_equal(at(&e, HOUR + WINDOW, 50), RAMP_DOWN);

	at(&e, 2 * HOUR, 51);
	assert_int_equal(at(&e, 2 * HOUR + WINDOW + 1, 500), RAMP_NONE);
	at(&e, 3 * HOUR, 499);
	assert_int_equal(at(&e, 3 * HOUR + WINDOW + 1, 50), RAMP_NONE);
}

/* Section 2: LOW is "at or below", HIGH is "at or above". */
static void thresholds_belong_to_low_and_high(struct kunit *test)
{
	struct ramp_edge e = watch(50);

	assert_int_equal(e.zone, RAMP_ZONE_LOW);
	at(&e, 0, 51);
	assert_int_equal(e.zone, RAMP_ZONE_MID);
	assert_int_equal(at(&e, 1, 499), RAMP_NONE);
	assert_int_equal(e.zone, RAMP_ZONE_MID);
	assert_int_equal(at(&e, 2, 500), RAMP_UP);
	assert_int_equal(at(&e, 3, 51), RAMP_NONE);
	assert_int_equal(at(&e, 4, 50), RAMP_DOWN);
}

/* 000 [0100]: "The lower threshold may ... be no traffic" */
static void low_may_be_nothing(struct kunit *test)
{
	const struct ramp_edge_params p = { .high = 1, .window = 1 };
	struct ramp_edge e;

	ramp_edge_init(&e, &p, 0);
	assert_int_equal(ramp_edge_update(&e, &p, 1, T0), RAMP_UP);
	assert_int_equal(ramp_edge_update(&e, &p, 0, T0 + 9), RAMP_DOWN);
}

static void jump_over_both_takes_no_time(struct kunit *test)
{
	struct ramp_edge e = watch(0);

	assert_int_equal(at(&e, HOUR, 10000), RAMP_UP);
	assert_int_equal(e.took, 0);
	assert_int_equal(at(&e, 2 * HOUR, 0), RAMP_DOWN);
	assert_int_equal(e.took, 0);
}

/* Section 2: "One event per crossing" */
static void wobble_around_high_is_one_surge(struct kunit *test)
{
	struct ramp_edge e = watch(0);
	int i;

	at(&e, 0, 51);
	assert_int_equal(at(&e, 1, 500), RAMP_UP);
	for (i = 2; i < 100; i += 2) {
		assert_int_equal(at(&e, i, 499), RAMP_NONE);
		assert_int_equal(at(&e, i + 1, 500), RAMP_NONE);
	}
}

static void wobble_around_low_is_one_surge(struct kunit *test)
{
	struct ramp_edge e = watch(600);
	int i;

	at(&e, 0, 400);
	assert_int_equal(at(&e, 1, 50), RAMP_DOWN);
	for (i = 2; i < 100; i += 2) {
		assert_int_equal(at(&e, i, 51), RAMP_NONE);
		assert_int_equal(at(&e, i + 1, 50), RAMP_NONE);
	}
}

/* Section 2: "keep the time the level *last* left LOW upwards" */
static void the_last_departure_counts(struct kunit *test)
{
	struct ramp_edge e = watch(0);

	at(&e, 0, 60);
	at(&e, 5 * WINDOW, 40);
	at(&e, 9 * WINDOW, 60);
	assert_int_equal(at(&e, 9 * WINDOW + 5, 500), RAMP_UP);
	assert_int_equal(e.took, 5);

	at(&e, 10 * WINDOW, 490);
	at(&e, 20 * WINDOW, 510);
	at(&e, 30 * WINDOW, 490);
	assert_int_equal(at(&e, 30 * WINDOW + 6, 10), RAMP_DOWN);
	assert_int_equal(e.took, 6);
}

/* A peak below HIGH, seen from HIGH or from LOW, is no surge either way. */
static void half_way_and_back_is_no_surge(struct kunit *test)
{
	struct ramp_edge e = watch(0);

	at(&e, 0, 499);
	assert_int_equal(at(&e, 1, 0), RAMP_NONE);
	at(&e, 2, 51);
	assert_int_equal(at(&e, 3, 500), RAMP_UP);
	at(&e, 4, 51);
	assert_int_equal(at(&e, 5, 500), RAMP_NONE);
	at(&e, 6, 51);
	assert_int_equal(at(&e, 7, 50), RAMP_DOWN);
}

static void first_level_is_no_crossing(struct kunit *test)
{
	struct ramp_edge e = watch(200);

	assert_int_equal(at(&e, 0, 500), RAMP_NONE);
	e = watch(200);
	assert_int_equal(at(&e, 0, 50), RAMP_NONE);
	e = watch(500);
	assert_int_equal(at(&e, 0, 501), RAMP_NONE);
	at(&e, 1, 200);
	assert_int_equal(at(&e, 2, 0), RAMP_DOWN);
}

/* A meter dates the departure to the middle of its slot, which may lie ahead
 * of the moment in which the same slot reached HIGH.
 */
static void departure_dated_later_took_no_time(struct kunit *test)
{
	struct ramp_edge e = watch(0);

	at(&e, 100, 51);
	assert_int_equal(at(&e, 90, 500), RAMP_UP);
	assert_int_equal(e.took, 0);
}

static void change_near_2_63_is_seen(struct kunit *test)
{
	const u64 base = (1ULL << 63) - 5;
	struct ramp_edge e = watch(0);

	ramp_edge_update(&e, &queue, 51, base);
	assert_int_equal(ramp_edge_update(&e, &queue, 500, base + 10), RAMP_UP);
	assert_int_equal(e.took, 10);
	ramp_edge_update(&e, &queue, 499, base + 20);
	assert_int_equal(ramp_edge_update(&e, &queue, 0, base + 21 + WINDOW),
			 RAMP_NONE);
}

/* The definition, by the whole history: nothing is remembered but samples. */
struct sample {
	u64	time;
	u64	level;
};

static bool is_low(const struct ramp_edge_params *p, const struct sample *s)
{
	return s->level <= p->low;
}

static bool is_high(const struct ramp_edge_params *p, const struct sample *s)
{
	return s->level >= p->high;
}

/* Sample @i reached @end: the crossing began with the first sample that was no
 * longer at the other end, provided that @end was not visited since.
 */
static bool
definition_crossed(const struct ramp_edge_params *p, const struct sample *s,
		   int i, bool (*begin)(const struct ramp_edge_params *,
					const struct sample *),
		   bool (*end)(const struct ramp_edge_params *,
			       const struct sample *), u64 *took)
{
	int j;

	if (!end(p, &s[i]))
		return false;
	for (j = i - 1; j >= 0 && !begin(p, &s[j]); j--)
		if (end(p, &s[j]))
			return false;
	if (j < 0)
		return false;
	*took = s[i].time - s[j + 1].time;
	return *took <= p->window;
}

static enum ramp_dir definition(const struct ramp_edge_params *p,
				const struct sample *s, int i, u64 *took)
{
	if (definition_crossed(p, s, i, is_low, is_high, took))
		return RAMP_UP;
	if (definition_crossed(p, s, i, is_high, is_low, took))
		return RAMP_DOWN;
	return RAMP_NONE;
}

static void random_params(struct ramp_edge_params *p)
{
	memset(p, 0, sizeof(*p));
	p->low = unit_chance(20) ? 0 : unit_amount(unit_chance(50) ? 4 : 40);
	p->high = p->low + unit_amount(unit_chance(50) ? 3 : 40);
	p->window = unit_between(NSEC_PER_MSEC, 10 * NSEC_PER_SEC);
}

static u64 random_level(const struct ramp_edge_params *p)
{
	u64 near = unit_between(0, 2);

	switch (unit_between(0, 4)) {
	case 0:
		return p->low - min(near, p->low);
	case 1:
		return p->low + near;
	case 2:
		return p->high - 1;
	case 3:
		return p->high + near;
	default:
		return unit_between(0, 2 * p->high);
	}
}

/* Section 2, the edge rule, on any sequence of levels. The second detector is
 * asked only when the level leaves the bounds: what it saves changes nothing.
 */
static void any_sequence_is_judged_by_definition(struct kunit *test)
{
	unit_rounds(4000) {
		struct ramp_edge_params p;
		struct ramp_edge all, lazy;
		static struct sample s[120];
		u64 took = 0;
		int i;

		random_params(&p);
		s[0].time = unit_chance(30) ? UNIT_LATE_CLOCK : 0;
		s[0].level = random_level(&p);
		ramp_edge_init(&all, &p, s[0].level);
		lazy = all;

		for (i = 1; i < 120; i++) {
			enum ramp_dir want, got, less = RAMP_NONE;

			s[i].time = s[i - 1].time +
				    unit_between(0, p.window / (i % 7 + 1));
			if (unit_chance(3))
				s[i].time += unit_between(0, 5 * HOUR);
			s[i].level = random_level(&p);

			want = definition(&p, s, i, &took);
			got = ramp_edge_update(&all, &p, s[i].level, s[i].time);
			if (s[i].level < lazy.min || s[i].level > lazy.max)
				less = ramp_edge_update(&lazy, &p, s[i].level,
							s[i].time);
			unit_check(got == want, "sample %d is %d, not %d", i,
				   got, want);
			unit_check(less == want, "lazy: sample %d", i);
			if (want != RAMP_NONE)
				unit_check(all.took == took, "%llu, not %llu",
					   all.took, took);
		}
	}
}

UNIT_SUITE(edge,
	   UNIT_CASE(rise_within_the_window_is_a_surge),
	   UNIT_CASE(fall_within_the_window_is_a_surge),
	   UNIT_CASE(slow_change_is_no_surge),
	   UNIT_CASE(thresholds_belong_to_low_and_high),
	   UNIT_CASE(low_may_be_nothing),
	   UNIT_CASE(jump_over_both_takes_no_time),
	   UNIT_CASE(wobble_around_high_is_one_surge),
	   UNIT_CASE(wobble_around_low_is_one_surge),
	   UNIT_CASE(the_last_departure_counts),
	   UNIT_CASE(half_way_and_back_is_no_surge),
	   UNIT_CASE(first_level_is_no_crossing),
	   UNIT_CASE(departure_dated_later_took_no_time),
	   UNIT_CASE(change_near_2_63_is_seen),
	   UNIT_CASE(any_sequence_is_judged_by_definition));
