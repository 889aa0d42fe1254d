// SPDX-License-Identifier: GPL-2.0
/* Edge detector with DELTA: US 2025/0260650, claims 1 and 2. Section 2: "a rise
 * (fall) by DELTA or more within WINDOW, wherever it started, with WINDOW/8 as
 * resolution".
 */
#include "unit.h"
#include "wide.h"
#include <net/ramp/edge.h>

#define SLOT	(1250 * NSEC_PER_USEC)
#define WINDOW	(RAMP_SLOTS * SLOT)
#define T0	(5 * NSEC_PER_SEC)

/* Level @level until the next sample. */
struct sample {
	u64	time;
	u64	level;
};

/* One that watches a level: it calls the detector as seldom as it may, and ends
 * slots by a timer that may be late. @all is told of every move, and @asked to
 * judge every one: neither may know more.
 */
struct watch {
	struct ramp_edge_params	p;
	struct ramp_edge	e;
	struct ramp_edge	all;
	struct ramp_edge	asked;
	u64		latest;		/* ns, how late a timer may be */
	bool		rolling;
	u64		slot_start;
	u64		timer;
	u64		top;
	u64		bottom;
	u64		level;
	u64		now;
	u64		begun;		/* when the trail began */
	u64		calls;
	int		up;
	int		down;
	int		samples;
	struct sample	sample[4096];
};

static struct watch w;

static void bounds(void)
{
	const struct ramp_trail *t = &w.e.trail;

	w.top = min_t(u64, w.e.max, t->max[t->at]);
	w.bottom = max_t(u64, w.e.min, t->min[t->at]);
}

static void arm(u64 now)
{
	w.rolling = true;
	w.slot_start = now;
	w.timer = w.slot_start + ramp_edge_slot(&w.p) +
		  unit_between(0, w.latest);
}

static void watch(u64 delta, u64 level, u64 now, u64 latest)
{
	memset(&w, 0, offsetof(struct watch, sample));
	w.p.delta = delta;
	w.p.window = WINDOW;
	w.latest = latest;
	w.level = level;
	w.now = now;
	w.begun = now;
	ramp_edge_init(&w.e, &w.p, level);
	w.all = w.e;
	w.asked = w.e;
	bounds();
	arm(now);
	w.sample[0] = (struct sample){ now, level };
	w.samples = 1;
}

static void roll(u64 now)
{
	u64 slot = ramp_edge_slot(&w.p);
	u64 slots = (now - w.slot_start) / slot;

	if (!w.rolling || !slots)
		return;
	ramp_edge_roll(&w.e, &w.p, w.level, slots);
	ramp_edge_roll(&w.all, &w.p, w.level, slots);
	ramp_edge_roll(&w.asked, &w.p, w.level, slots);
	arm(w.slot_start + slots * slot);
	/* What rests is not rolled until it moves. */
	if (w.e.trail.known == RAMP_SLOTS && w.e.trail.low == w.e.trail.high)
		w.rolling = false;
	bounds();
}

/* Claim 2: settled is what did not surge for a window. */
static void definition_settled(void)
{
	u64 slot = ramp_edge_slot(&w.p);
	u64 soonest = 7 * slot - min_t(u64, w.latest, 7 * slot);

	if (ramp_edge_settled(&w.e, &w.p))
		unit_check(w.now - w.begun >= soonest, "after %llu",
			   w.now - w.begun);
	else
		unit_check(w.now - w.begun <= w.p.window + w.latest,
			   "not after %llu", w.now - w.begun);
}

static void run(u64 until)
{
	while (w.rolling && w.timer <= until) {
		w.now = w.timer;
		roll(w.timer);
		definition_settled();
	}
	w.now = until;
}

/* The clock is read for surges only: what is due is one. */
static enum ramp_dir judge(void)
{
	enum ramp_dir dir;

	if (!w.rolling)
		arm(w.now);
	if (!ramp_edge_note(&w.e, &w.p, w.level))
		return RAMP_NONE;
	w.calls++;
	dir = ramp_edge_update(&w.e, &w.p, w.level, w.now);
	unit_check(dir, "%llu was due", w.level);
	return dir;
}

/* When the level was last so low, or so high; U64_MAX: never since the last
 * event.
 */
static u64 since(u64 bound, bool above)
{
	int i;

	for (i = w.samples - 2; i >= 0; i--)
		if (above ? w.sample[i].level >= bound :
			    w.sample[i].level <= bound)
			return w.now - w.sample[i + 1].time;
	return U64_MAX;
}

static void definition(enum ramp_dir dir)
{
	u64 slot = ramp_edge_slot(&w.p);
	u64 always = 7 * slot - min_t(u64, w.latest, 7 * slot);
	u64 never = w.p.window + w.latest;
	u64 delta = w.p.delta;
	u64 rise = w.level >= delta ? since(w.level - delta, false) : U64_MAX;
	u64 fall = since(w.level + delta, true);
	u64 took = dir == RAMP_UP ? rise : fall;

	if (dir == RAMP_UP)
		unit_check(rise <= never, "rose in %llu", rise);
	else if (dir == RAMP_DOWN)
		unit_check(fall <= never, "fell in %llu", fall);
	else
		unit_check(rise > always && fall > always,
			   "missed: rise %llu, fall %llu, late <= %llu", rise,
			   fall, w.latest);
	if (dir)
		unit_check(took < w.e.took + slot + w.latest &&
			   w.e.took < took + slot + w.latest &&
			   w.e.took <= w.p.window, "took %llu, not %llu",
			   w.e.took, took);
}

static void remember(enum ramp_dir dir)
{
	int old;

	if (dir)
		w.samples = 0;
	if (w.samples == 4096) {
		/* far longer than a window ago, or the test is wrong */
		old = 2048;
		unit_check(w.now - w.sample[old].time >
			   w.p.window + w.latest + SLOT, "too many samples");
		w.samples -= old;
		memmove(w.sample, w.sample + old,
			w.samples * sizeof(w.sample[0]));
	}
	w.sample[w.samples++] = (struct sample){ w.now, w.level };
}

/* The level moves. Its own definition is the judge. */
static enum ramp_dir at(u64 now, u64 level)
{
	enum ramp_dir dir = RAMP_NONE, told = RAMP_NONE, asked;

	run(now);
	w.level = level;
	remember(RAMP_NONE);
	if (level > w.top || level < w.bottom) {
		dir = judge();
		bounds();
	}
	if (ramp_edge_note(&w.all, &w.p, level))
		told = ramp_edge_update(&w.all, &w.p, level, now);
	asked = ramp_edge_update(&w.asked, &w.p, level, now);

	definition(dir);
	if (dir)
		w.begun = now;
	definition_settled();
	unit_check(told == dir, "told of all: %d, not %d", told, dir);
	unit_check(asked == dir, "asked for all: %d, not %d", asked, dir);
	unit_check(w.e.trail.high - w.e.trail.low < w.p.delta, "%llu..%llu",
		   w.e.trail.low, w.e.trail.high);
	unit_check(w.e.trail.low <= level && level <= w.e.trail.high,
		   "%llu is not in the trail", level);
	if (dir)
		remember(dir);
	w.up += dir == RAMP_UP;
	w.down += dir == RAMP_DOWN;
	return dir;
}

/* From here to there in @time, in as many steps of one as there are, at most
 * @steps.
 */
static void move(u64 to, u64 time, u64 steps)
{
	u64 from = w.level, begin = w.now, i;
	u64 way = to > from ? to - from : from - to;

	steps = min_t(u64, way, steps);
	for (i = 1; i <= steps; i++) {
		u64 part = wide_div((u128)way * i, steps);

		at(begin + wide_div((u128)time * i, steps),
		   to > from ? from + part : from - part);
	}
	run(begin + time);
}

static void a_rise_by_delta_is_a_surge_wherever_it_starts(struct kunit *test)
{
	static const u64 from[] = { 0, 1, 99, 100, 5000, 1ULL << 62 };
	unsigned int i;

	for (i = 0; i < 6; i++) {
		watch(100, from[i], T0, 0);
		assert_int_equal(at(T0, from[i] + 99), RAMP_NONE);
		assert_int_equal(at(T0 + SLOT, from[i] + 100), RAMP_UP);
		assert_int_equal(w.e.took, SLOT);
	}
}

static void a_fall_by_delta_is_a_surge_wherever_it_starts(struct kunit *test)
{
	static const u64 from[] = { 100, 101, 5000, 1ULL << 62 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		watch(100, from[i], T0, 0);
		assert_int_equal(at(T0, from[i] - 99), RAMP_NONE);
		assert_int_equal(at(T0 + 3 * SLOT, from[i] - 100), RAMP_DOWN);
		assert_int_equal(w.e.took, 3 * SLOT);
	}
	watch(100, 99, T0, 0);
	assert_int_equal(at(T0, 0), RAMP_NONE);
}

static void delta_may_be_one(struct kunit *test)
{
	watch(1, 0, T0, 0);
	assert_int_equal(at(T0 + HOUR, 1), RAMP_UP);
	assert_int_equal(at(T0 + HOUR + 1, 1), RAMP_NONE);
	assert_int_equal(at(T0 + HOUR + 2, 2), RAMP_UP);
	assert_int_equal(at(T0 + HOUR + 3, 0), RAMP_DOWN);
}

/* 000 [0097]: "If the change in power consumption occurs over a sufficiently
 * long amount of time, no overshoot or undershoot may occur."
 */
static void slow_moves_are_no_surge(struct kunit *test)
{
	unit_rounds(200) {
		u64 delta = unit_between(2, 400);
		u64 begin = unit_chance(30) ? UNIT_LATE_CLOCK : T0;
		u64 ways = unit_between(1, 6);
		u64 time = WINDOW + SLOT + unit_between(1, WINDOW);

		/* a step is an instant: DELTA may be one step sooner */
		watch(delta, 10, begin + unit_between(0, SLOT), 0);
		move(10 + ways * delta, ways * time * delta / (delta - 1),
		     U64_MAX);
		move(10, ways * time * delta / (delta - 1), U64_MAX);
		unit_check(!w.up && !w.down, "%d up, %d down in %llu", w.up,
			   w.down, time);
	}
}

/* Each further DELTA is one more event, none is told twice. */
static void fast_moves_are_one_surge_per_delta(struct kunit *test)
{
	unit_rounds(300) {
		u64 delta = unit_between(1, 300);
		u64 latest = unit_chance(50) ? 0 : unit_between(0, 3 * SLOT);
		u64 time = unit_between(1, 7 * SLOT - latest);
		u64 ways = unit_between(1, 5);
		u64 more = unit_between(0, delta - 1);

		watch(delta, 10, T0 + unit_between(0, SLOT), latest);
		run(T0 + unit_between(SLOT, 20 * SLOT));
		move(10 + ways * delta + more,
		     time * ways + time * more / delta, U64_MAX);
		unit_check(w.up == (int)ways && !w.down, "%d up, %d down",
			   w.up, w.down);
		run(w.now + unit_between(0, 20 * SLOT));
		unit_check(w.up == (int)ways && !w.down, "%d up, %d down",
			   w.up, w.down);
	}
}

static void a_jump_is_one_surge(struct kunit *test)
{
	watch(100, 0, T0, 0);
	assert_int_equal(at(T0 + HOUR, 100000), RAMP_UP);
	assert_int_equal(w.e.took, 0);
	assert_int_equal(at(T0 + HOUR + 1, 100099), RAMP_NONE);
	assert_int_equal(at(T0 + HOUR + 2, 0), RAMP_DOWN);
	assert_int_equal(at(T0 + HOUR + 3, 99), RAMP_NONE);
	assert_int_equal(at(T0 + HOUR + 4, 100), RAMP_UP);
}

static void wobble_by_less_is_no_surge(struct kunit *test)
{
	int i;

	watch(100, 1000, T0, 0);
	for (i = 0; i < 500; i++)
		assert_int_equal(at(T0 + i * SLOT / 7, i % 2 ? 1099 : 1000),
				 RAMP_NONE);
	assert_int_equal(w.calls, 0);
}

/* The window slides: nothing is special where one ends and another begins. */
static void a_surge_may_straddle_any_slots(struct kunit *test)
{
	u64 phase, begin;

	for (phase = 0; phase < 2 * WINDOW; phase += SLOT / 16) {
		watch(100, 1000, T0, 0);
		at(T0 + 1, 1001);
		begin = T0 + 2 + phase;
		at(begin, 1040);
		assert_int_equal(at(begin + 7 * SLOT, 1101), RAMP_UP);

		watch(100, 1000, T0, 0);
		at(T0 + 1, 999);
		begin = T0 + 2 + phase;
		at(begin, 960);
		assert_int_equal(at(begin + 7 * SLOT, 899), RAMP_DOWN);

		watch(100, 1000, T0, 0);
		at(T0 + 1, 1001);
		begin = T0 + WINDOW + SLOT + 2 + phase;
		at(begin, 1040);
		assert_int_equal(at(begin + WINDOW + 1, 1101), RAMP_NONE);
	}
}

/* Whoever notes what is due has hidden it from the judgement. */
static void what_is_due_is_not_noted(struct kunit *test)
{
	watch(100, 1000, T0, 0);
	assert_false(ramp_edge_note(&w.e, &w.p, 1099));
	assert_int_equal(w.e.trail.high, 1099);
	assert_true(ramp_edge_note(&w.e, &w.p, 1100));
	assert_true(ramp_edge_note(&w.e, &w.p, 1100));
	assert_int_equal(w.e.trail.high, 1099);
	assert_int_equal(ramp_edge_update(&w.e, &w.p, 1100, T0), RAMP_UP);
	assert_false(ramp_edge_note(&w.e, &w.p, 1001));
	assert_true(ramp_edge_note(&w.e, &w.p, 1000));
	assert_int_equal(ramp_edge_update(&w.e, &w.p, 1000, T0), RAMP_DOWN);
}

static void a_still_level_forgets(struct kunit *test)
{
	watch(100, 1000, T0, 0);
	assert_int_equal(at(T0 + 1, 1060), RAMP_NONE);
	ramp_edge_still(&w.e, &w.p, 1060);
	assert_int_equal(w.e.min, 961);
	assert_int_equal(w.e.max, 1159);
	assert_int_equal(ramp_edge_update(&w.e, &w.p, 1120, T0 + 2), RAMP_NONE);
	assert_int_equal(ramp_edge_update(&w.e, &w.p, 1160, T0 + 3), RAMP_UP);
}

static void a_detector_begins_anew(struct kunit *test)
{
	struct ramp_edge e;

	memset(&e, 0xa5, sizeof(e));
	watch(100, 0, T0, 0);
	ramp_edge_init(&e, &w.p, 70);
	assert_int_equal(e.took, 0);
	assert_int_equal(ramp_edge_update(&e, &w.p, 169, T0), RAMP_NONE);
	assert_int_equal(ramp_edge_update(&e, &w.p, 170, T0), RAMP_UP);
}

/* Claim 2: settled is a level that moved by less than a surge for a window. */
static void settles_a_window_after_the_last_surge(struct kunit *test)
{
	int i;

	watch(100, 0, T0, 0);
	assert_int_equal(at(T0, 500), RAMP_UP);
	for (i = 1; i < RAMP_SLOTS; i++) {
		run(T0 + i * SLOT);
		assert_false(ramp_edge_settled(&w.e, &w.p));
	}
	run(T0 + WINDOW);
	assert_true(ramp_edge_settled(&w.e, &w.p));
	assert_int_equal(at(T0 + WINDOW + 1, 599), RAMP_NONE);
	assert_true(ramp_edge_settled(&w.e, &w.p));
	assert_int_equal(at(T0 + WINDOW + 2, 600), RAMP_UP);
	assert_false(ramp_edge_settled(&w.e, &w.p));
}

static u64 random_wait(void)
{
	switch (unit_between(0, 9)) {
	case 0:
		return unit_between(0, 3 * SLOT);
	case 1:
		return unit_chance(80) ? 0 : unit_between(0, HOUR);
	default:
		return unit_between(0, SLOT / 4);
	}
}

static u64 random_move(u64 delta)
{
	u64 by = unit_chance(90) ? unit_between(0, delta / 4 + 1) :
				   unit_between(0, 3 * delta);

	if (unit_chance(50))
		return w.level + by;
	return w.level - min_t(u64, w.level, by);
}

/* As the level may go: a walk, a straight line about as steep as a surge, or
 * back and forth.
 */
static void random_path(void)
{
	u64 delta = w.p.delta, to, way, time, i;

	switch (unit_between(0, 3)) {
	case 0:
		to = random_move(8 * delta);
		way = to > w.level ? to - w.level : w.level - to;
		time = unit_between(WINDOW / 2, 2 * WINDOW);
		time = wide_div((u128)time * way, delta);
		move(to, time, unit_between(1, 100));
		break;
	case 1:
		for (i = unit_between(1, 20); i; i--) {
			to = w.level + (i % 2 ? delta - 1 : delta);
			at(w.now + random_wait(), to);
			to = w.level - min_t(u64, w.level, delta - i % 2);
			at(w.now + random_wait(), to);
		}
		break;
	default:
		for (i = unit_between(1, 50); i; i--)
			at(w.now + random_wait(), random_move(delta));
	}
}

/* Every move is judged by the whole history since the last event; see at(). */
static void any_path_is_judged_by_definition(struct kunit *test)
{
	u64 events = 0;

	unit_rounds(1500) {
		u64 delta = unit_amount(unit_chance(70) ? 8 : 40);
		u64 latest = unit_chance(40) ? 0 :
			     unit_between(0, unit_chance(60) ? SLOT :
							       10 * SLOT);
		int i;

		watch(delta, unit_chance(30) ? 0 : unit_between(0, 4 * delta),
		      unit_chance(30) ? UNIT_LATE_CLOCK : T0, latest);
		for (i = 0; i < 12; i++)
			random_path();
		events += w.up + w.down;
	}
	assert_true(events > 1000 || !unit_whole());
}

UNIT_SUITE(delta,
	   UNIT_CASE(a_rise_by_delta_is_a_surge_wherever_it_starts),
	   UNIT_CASE(a_fall_by_delta_is_a_surge_wherever_it_starts),
	   UNIT_CASE(delta_may_be_one),
	   UNIT_CASE(slow_moves_are_no_surge),
	   UNIT_CASE(fast_moves_are_one_surge_per_delta),
	   UNIT_CASE(a_jump_is_one_surge),
	   UNIT_CASE(wobble_by_less_is_no_surge),
	   UNIT_CASE(a_surge_may_straddle_any_slots),
	   UNIT_CASE(what_is_due_is_not_noted),
	   UNIT_CASE(a_still_level_forgets),
	   UNIT_CASE(a_detector_begins_anew),
	   UNIT_CASE(settles_a_window_after_the_last_surge),
	   UNIT_CASE(any_path_is_judged_by_definition));
