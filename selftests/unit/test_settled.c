// SPDX-License-Identifier: GPL-2.0
/* When a level has settled: US 2025/0260650, claim 2, "cease auto". Section 3:
 * "ends once the level moved less than HIGH-LOW (DELTA where given) over the
 * last WINDOW". A window is known to an eighth, and to the lateness of its
 * timer.
 */
#include "box.h"

#define RANGE	(HIGH - LOW)

/* A level with thresholds, watched as long as a ramp runs. */
struct sample {
	u64	time;
	u64	level;
};

static struct {
	struct ramp_edge_params	p;
	struct ramp_edge	e;
	u64		latest;
	u64		slot_start;
	u64		timer;
	u64		now;
	u64		level;
	u64		begun;
	int		samples;
	struct sample	sample[2000];
} w;

static void arm(u64 slot_start)
{
	w.slot_start = slot_start;
	w.timer = slot_start + SLOT + unit_between(0, w.latest);
}

static void begin_anew(void)
{
	w.begun = w.now;
	w.samples = 0;
	w.sample[w.samples++] = (struct sample){ w.now, w.level };
}

/* How far it moved in @time, as far as that is known. */
static u64 moved(u64 time)
{
	u64 low = w.level, high = w.level;
	int i;

	for (i = w.samples - 1; i >= 0; i--) {
		low = min_t(u64, low, w.sample[i].level);
		high = max_t(u64, high, w.sample[i].level);
		if (w.now - w.sample[i].time >= time)
			break;
	}
	return high - low;
}

static void judge_settled(void)
{
	u64 range = w.p.high - w.p.low;
	u64 soonest = 7 * SLOT - min_t(u64, 7 * SLOT, w.latest);
	u64 latest = WINDOW + w.latest;

	if (ramp_edge_settled(&w.e, &w.p))
		unit_check(w.now - w.begun >= soonest && moved(soonest) < range,
			   "moved %llu of %llu", moved(soonest), range);
	else
		unit_check(w.now - w.begun <= latest || moved(latest) >= range,
			   "moved %llu of %llu for %llu", moved(latest), range,
			   w.now - w.begun);
}

static void run(u64 until)
{
	u64 slots;

	while (w.timer <= until) {
		w.now = w.timer;
		slots = (w.now - w.slot_start) / SLOT;
		ramp_edge_roll(&w.e, &w.p, w.level, slots);
		arm(w.slot_start + slots * SLOT);
		judge_settled();
	}
	w.now = until;
	judge_settled();
}

static void at(u64 now, u64 level)
{
	const struct ramp_trail *t = &w.e.trail;

	run(now);
	w.level = level;
	if (w.samples < 2000)
		w.sample[w.samples++] = (struct sample){ now, level };
	if ((level > t->max[t->at] || level < t->min[t->at] ||
	     level > w.e.max || level < w.e.min) &&
	    ramp_edge_note(&w.e, &w.p, level) &&
	    ramp_edge_update(&w.e, &w.p, level, now))
		begin_anew();
	judge_settled();
}

static u64 random_wait(void)
{
	if (unit_chance(5))
		return unit_between(0, 3 * WINDOW);
	return unit_between(0, SLOT);
}

static void any_path_settles_by_definition(struct kunit *test)
{
	u64 settled = 0, all = 0;

	unit_rounds(600) {
		u64 by, i, to;

		memset(&w, 0, offsetof(typeof(w), sample));
		w.p.low = unit_between(0, 20);
		w.p.high = w.p.low + unit_amount(8);
		w.p.window = WINDOW;
		w.latest = unit_chance(50) ? 0 : unit_between(0, 5 * SLOT);
		w.now = unit_chance(30) ? UNIT_LATE_CLOCK : HOUR;
		w.level = unit_between(0, 2 * w.p.high);
		ramp_edge_init(&w.e, &w.p, w.level);
		/* a ramp begins */
		w.now += unit_between(0, HOUR);
		ramp_edge_still(&w.e, &w.p, w.level);
		begin_anew();
		arm(w.now);
		by = unit_between(1, unit_chance(50) ? 2 * w.p.high : 5);
		for (i = 0; i < 300; i++) {
			to = w.level + unit_between(0, 2 * by);
			at(w.now + random_wait(), to - min_t(u64, by, to));
			settled += ramp_edge_settled(&w.e, &w.p);
			all++;
		}
	}
	/* both is common */
	assert_in_range(settled * 100 / all, 10, 90);
}

static bool box_settled(void)
{
	return ramp_meter_settled(&box.m, &box.p, box.now);
}

/* When the last surge was; 0: none. */
static u64 last_surge(void)
{
	return box.events ? box.event_time[box.events - 1] : 0;
}

static void steady_arrivals_settle_in_a_window(struct kunit *test)
{
	unit_rounds(200) {
		u64 late = unit_chance(40) ? 0 : unit_between(1, 2 * SLOT);
		u64 begin = random_base(), rate, now;
		bool delta = unit_chance(50);

		rate = unit_between(HIGH + 4 * PACKET, 3 * HIGH);
		if (delta)
			box_init_delta(HIGH / 2, late);
		else
			box_init(LOW, HIGH, late);
		for (now = begin; !box_settled(); now = box.now)
			box_play(now, now + SLOT / 4, rate);
		unit_check(box.events, "no surge");
		unit_check(now - last_surge() >
			   (late ? 6 : 7) * SLOT, "%llu after",
			   now - last_surge());
		unit_check(now - last_surge() <=
			   WINDOW + 2 * SLOT + 2 * late, "%llu after",
			   now - last_surge());
		box_play(now, now + 2 * WINDOW, rate);
		unit_check(box_settled(), "not any more");
	}
}

/* No surge, as it is too slow for one, but a change of its size in a window. */
static void moving_arrivals_do_not_settle(struct kunit *test)
{
	unit_rounds(100) {
		u64 begin = random_base(), rate = HIGH, now;
		int i;

		box_init(LOW, HIGH, 0);
		box_play(begin, begin + 12 * SLOT, HIGH);
		unit_check(box_settled(), "steady");
		now = box.now;
		for (i = 0; i < 30; i++) {
			rate += RANGE / 7 + PACKET;
			now += SLOT;
			box_play(box.now, now, rate);
			unit_check(!box_settled() || i < 8, "in slot %d", i);
		}
		for (i = 0; i < 10; i++)
			box_play(box.now, box.now + SLOT, rate);
		unit_check(box_settled(), "at %llu", rate);
		/* back, at once, to a rate that is not low */
		box_play(box.now, box.now + 2 * SLOT,
			 rate - RANGE - 4 * PACKET);
		unit_check(!box_settled(), "moved");
	}
}

static void a_wobble_by_less_settles(struct kunit *test)
{
	int i;

	box_init(LOW, HIGH, 0);
	for (i = 0; i < 40; i++)
		box_play(HOUR + i * SLOT, HOUR + (i + 1) * SLOT,
			 i % 2 ? 2 * HIGH : 2 * HIGH - RANGE + 2 * PACKET);
	assert_true(box_settled());
	for (; i < 80; i++)
		box_play(HOUR + i * SLOT, HOUR + (i + 1) * SLOT,
			 i % 2 ? 2 * HIGH : 2 * HIGH - RANGE - 2 * PACKET);
	assert_false(box_settled());
}

static void silence_settles_in_a_window(struct kunit *test)
{
	unit_rounds(100) {
		u64 begin = random_base(), now;

		box_init(LOW, HIGH, 0);
		/* Nothing has arrived yet. */
		box_run(begin);
		assert_true(box_settled());
		box_play(begin, begin + 20 * SLOT, 2 * HIGH);
		box_run(box.now + 2 * SLOT);
		for (now = box.now; !box_settled(); now = box.now)
			box_run(now + SLOT / 4);
		unit_check(now - begin - 20 * SLOT >= WINDOW &&
			   now - begin - 20 * SLOT <= WINDOW + 3 * SLOT,
			   "after %llu", now - begin - 20 * SLOT);
	}
}

/* A few packets are less than a surge, with silence between them or not. One
 * that is shorter than a window is noticed at its end.
 */
static void a_trickle_settles(struct kunit *test)
{
	u64 every, end;
	bool settled;

	for (every = SLOT / 3; every < 4 * WINDOW; every += SLOT / 3) {
		box_init(LOW, HIGH, 0);
		box_play(HOUR, HOUR + 20 * SLOT, 2 * HIGH);
		end = box.now + 4 * SLOT + 2 * WINDOW;
		settled = false;
		while (!settled && box.now < end) {
			box_run(box.now + every - 1);
			settled = box_settled();
			box_arrive(box.now + 1, PACKET);
		}
		assert_true(settled);
	}
}

/* Section 1: a change forgets neither when a silence began, nor that another
 * unit was counted.
 */
static void a_change_settles_nothing(struct kunit *test)
{
	u64 silent;

	box_init(LOW, HIGH, 0);
	box_play(HOUR, HOUR + 20 * SLOT, 2 * HIGH);
	box_run(box.now + 2 * SLOT);
	assert_false(box.m.running);
	silent = box.m.slot_start;
	box.p.high++;
	ramp_meter_change(&box.m, &box.p, false, box.now);
	assert_false(box_settled());
	box_run(silent + WINDOW - 1);
	assert_false(box_settled());
	box_run(silent + WINDOW);
	assert_true(box_settled());

	box_init(LOW, HIGH, 0);
	box_play(HOUR, HOUR + 20 * SLOT, 2 * HIGH);
	assert_true(box_settled());
	ramp_meter_change(&box.m, &box.p, true, box.now);
	assert_false(box_settled());
	box_play(box.now, box.now + WINDOW, HIGH);
	assert_false(box_settled());
	box_play(box.now, box.now + 2 * SLOT, HIGH);
	assert_true(box_settled());
}

/* A longer slot that a timer left open does not age what comes after. */
static void old_slots_do_not_age_new_ones(struct kunit *test)
{
	box_init(LOW, HIGH, 0);
	box.p.window = 100 * WINDOW;
	ramp_meter_start(&box.m, HOUR);
	ramp_meter_add(&box.m, HIGH);
	ramp_meter_roll(&box.m, &box.p, HOUR + 199 * SLOT);
	ramp_meter_add(&box.m, HIGH);
	box.p.window = WINDOW;
	ramp_meter_change(&box.m, &box.p, false, HOUR + 199 * SLOT);
	ramp_meter_roll(&box.m, &box.p, HOUR + 200 * SLOT);
	assert_false(box_settled());
	ramp_meter_add(&box.m, HIGH);
	ramp_meter_roll(&box.m, &box.p, HOUR + 201 * SLOT);
	assert_false(box_settled());
}

/* What arrives in a slot that nobody closes is no silence. */
static void an_open_slot_has_not_settled(struct kunit *test)
{
	box_init(LOW, HIGH, 0);
	ramp_meter_start(&box.m, HOUR);
	ramp_meter_add(&box.m, HIGH);
	assert_int_equal(ramp_meter_rise(&box.m, &box.p, HOUR + 1), RAMP_UP);
	box.now = HOUR + 3 * WINDOW;
	ramp_meter_add(&box.m, HIGH);
	assert_false(box_settled());
}

/* A timer that comes a window late finds a surge, but nothing that settled. */
static void a_late_surge_has_not_settled(struct kunit *test)
{
	box_init(LOW, HIGH, 0);
	box_play(HOUR, HOUR + 20 * SLOT, 2 * HIGH);
	box.armed = false;
	box_run(box.now + 20 * SLOT);
	assert_int_equal(ramp_meter_roll(&box.m, &box.p, box.now), RAMP_DOWN);
	assert_false(box_settled());
}

UNIT_SUITE(settled,
	   UNIT_CASE(any_path_settles_by_definition),
	   UNIT_CASE(steady_arrivals_settle_in_a_window),
	   UNIT_CASE(moving_arrivals_do_not_settle),
	   UNIT_CASE(a_wobble_by_less_settles),
	   UNIT_CASE(silence_settles_in_a_window),
	   UNIT_CASE(a_trickle_settles),
	   UNIT_CASE(a_change_settles_nothing),
	   UNIT_CASE(old_slots_do_not_age_new_ones),
	   UNIT_CASE(an_open_slot_has_not_settled),
	   UNIT_CASE(a_late_surge_has_not_settled));
