// SPDX-License-Identifier: GPL-2.0
/* Arrival meter with DELTA: US 2025/0260650, claims 1 and 16. The rate of
 * arrivals may change slowly, wherever it is, and late timers change nothing
 * about that.
 */
#include "box.h"

/* Packets are counted in slots that they do not fill evenly. */
#define JITTER	(2 * PACKET)

static u64 random_delta(void)
{
	return unit_between(20, 100) * PACKET;
}

/* From one rate to another, in bytes per slot, on a straight line. */
static void box_slope(u64 from, u64 to, u64 rate, u64 end)
{
	u64 now = from, here;

	while (now < to) {
		box_arrive(now, PACKET);
		if (rate < end)
			here = rate + wide_div((u128)(end - rate) *
					       (now - from), to - from);
		else
			here = rate - wide_div((u128)(rate - end) *
					       (now - from), to - from);
		now += PACKET * SLOT / here;
	}
	box_run(to);
}

/* Section 2: "DELTA or more within WINDOW, wherever it started" */
static void a_step_is_one_surge_per_delta(struct kunit *test)
{
	unit_rounds(300) {
		u64 delta = random_delta(), begin = random_base();
		u64 from = unit_chance(30) ? 0 :
			   unit_between(PACKET, 100 * PACKET);
		u64 by = delta + JITTER + unit_between(0, 3 * delta);
		u64 step = begin + unit_between(9 * SLOT, 12 * SLOT);
		int least = (by - JITTER) / (delta + PACKET);
		int most = (by + JITTER) / delta;

		box_init_delta(delta, 0);
		box_play(begin, step, from);
		box.events = 0;
		box_play(step, step + 12 * SLOT, from + by);
		unit_check(box_count(RAMP_DOWN) == 0, "a fall in a rise");
		unit_check(box.events >= least && box.events <= most,
			   "%d events, by %llu, delta %llu", box.events, by,
			   delta);
		unit_check(box.event_time[0] < step + 2 * SLOT, "%llu late",
			   box.event_time[0] - step);

		step = box.now;
		box.events = 0;
		box_play(step, step + 12 * SLOT, from);
		unit_check(box_count(RAMP_UP) == 0, "a rise in a fall");
		unit_check(box.events >= 1 && box.events <= most,
			   "%d events, by %llu, delta %llu", box.events, by,
			   delta);
		unit_check(box.event_time[0] <= step + 2 * SLOT, "%llu late",
			   box.event_time[0] - step);
	}
}

/* In a slot that has only begun each DELTA is seen as it comes. */
static void a_rise_is_seen_delta_by_delta(struct kunit *test)
{
	int i;

	box_init_delta(50 * PACKET, 0);
	for (i = 1; i <= 1000; i++) {
		box_arrive(HOUR + i * (SLOT / 1001), PACKET);
		assert_int_equal(box.events, i / 50);
	}
	assert_int_equal(box.reads, 20);
	assert_int_equal(box_count(RAMP_UP), 20);
	box_run(HOUR + 9 * SLOT);
	assert_int_equal(box.events, 21);
	assert_int_equal(box.event[20], RAMP_DOWN);
}

/* Section 2, ingress: "At most 2 x HIGH x WINDOW/8 passes before the ramp
 * begins", which is what has to be reached, here.
 */
static void twice_what_surges_passes_before(struct kunit *test)
{
	unit_rounds(300) {
		u64 delta = random_delta(), begin = random_base(), before;
		u64 late = unit_chance(50) ? 0 : unit_between(1, 5 * SLOT);
		u64 rate = unit_chance(30) ? 0 :
			   unit_between(PACKET, 100 * PACKET);
		u64 step = begin + unit_between(0, 20 * SLOT);
		u64 high = rate + delta + JITTER;

		box_init_delta(delta, late);
		box_play(begin, step, rate);
		before = box.arrived;
		box.events = 0;
		box_play(step, step + 3 * SLOT,
			 unit_between(high + JITTER, 10 * high));
		unit_check(box.events && box.event[0] == RAMP_UP, "rate %llu",
			   rate);
		unit_check(box.event_arrived[0] - before <= 2 * high,
			   "%llu passed", box.event_arrived[0] - before);
	}
}

/* A slope is a surge when its average over the window, to WINDOW/8, is. A slot
 * that is closed late lies half its lateness further back.
 */
static void slow_slopes_are_no_surge(struct kunit *test)
{
	unit_rounds(200) {
		u64 delta = unit_between(50, 100) * PACKET;
		u64 late = unit_chance(40) ? 0 : unit_between(1, 2 * SLOT);
		u64 begin = random_base(), from = unit_between(1, 50) * PACKET;
		u64 by = unit_between(1, 3) * delta;
		u64 end = begin + unit_between(9 * SLOT, 12 * SLOT), flat = end;
		u64 time = (WINDOW + SLOT + late) * 11 / 10 +
			   unit_between(0, WINDOW);

		box_init_delta(delta, late);
		box_play(begin, end, from);
		box.events = 0;
		end += time * by / delta;
		box_slope(flat, end, from, from + by);
		flat = end + unit_between(0, WINDOW);
		box_play(end, flat, from + by);
		end = flat + time * by / delta;
		box_slope(flat, end, from + by, from);
		box_play(end, end + WINDOW, from);
		unit_check(box.events == 0, "%d by %llu in %llu, late <= %llu",
			   box.event[0], by, time, late);
	}
}

static void fast_slopes_are_surges(struct kunit *test)
{
	unit_rounds(300) {
		u64 delta = random_delta();
		u64 late = unit_chance(40) ? 0 : unit_between(1, SLOT);
		u64 begin = random_base(), from = unit_between(1, 50) * PACKET;
		u64 time = late ? unit_between(1, 5 * SLOT - 2 * late) :
				  unit_between(1, 6 * SLOT);
		u64 flat = begin + unit_between(9 * SLOT, 12 * SLOT);
		u64 end = flat + time, to = from + delta + JITTER;

		box_init_delta(delta, late);
		box_play(begin, flat, from);
		box.events = 0;
		box_slope(flat, end, from, to);
		flat = end + unit_between(9 * SLOT, 12 * SLOT);
		box_play(end, flat, to);
		unit_check(box.events == 1 && box.event[0] == RAMP_UP,
			   "%d events in %llu, late <= %llu", box.events, time,
			   late);
		box.events = 0;
		end = flat + time;
		box_slope(flat, end, to, from);
		box_play(end, end + 9 * SLOT, from);
		unit_check(box.events == 1 && box.event[0] == RAMP_DOWN,
			   "%d events in %llu, late <= %llu", box.events, time,
			   late);
	}
}

/* Late timers are no rise and no fall, at any rate and however late. */
static void steady_traffic_never_surges(struct kunit *test)
{
	unit_rounds(500) {
		u64 delta = unit_between(3, 100) * PACKET + PACKET / 2;
		u64 late = unit_between(0, unit_chance(80) ? 3 * SLOT :
							     30 * SLOT);
		u64 rate = unit_between(PACKET, 200 * PACKET);
		u64 begin = random_base();
		int most = (rate + JITTER) / delta;

		box_init_delta(delta, late);
		box_play(begin, begin + 60 * SLOT, rate);
		unit_check(box_count(RAMP_DOWN) == 0, "rate %llu delta %llu",
			   rate, delta);
		unit_check(box.events <= most,
			   "%d events, rate %llu delta %llu", box.events, rate,
			   delta);
		if (box.events)
			unit_check(box.event_time[box.events - 1] <=
				   begin + SLOT + late,
				   "after %llu, late <= %llu",
				   box.event_time[box.events - 1] - begin,
				   late);
	}
}

/* A silence is a level like any other, and what came before it is gone. */
static void silence_is_nothing(struct kunit *test)
{
	unit_rounds(300) {
		u64 delta = random_delta(), begin = random_base();
		u64 rate = delta + JITTER + unit_between(0, delta - 3 * JITTER);
		u64 end = begin + unit_between(2 * SLOT, 20 * SLOT);
		u64 late = unit_chance(50) ? 0 : unit_between(1, 3 * SLOT);
		u64 again;

		box_init_delta(delta, late);
		box_play(begin, end, rate);
		unit_check(box.events == 1 && box.event[0] == RAMP_UP,
			   "%d events", box.events);
		box_run(end + 3 * SLOT + 3 * late);
		unit_check(box.events == 2 && box.event[1] == RAMP_DOWN,
			   "%d events", box.events);
		unit_check(!box.m.running && !box.armed, "still measures");

		again = box.now + unit_between(0, 3 * WINDOW);
		box_play(again, again + 5 * SLOT, delta - JITTER);
		unit_check(box.events == 2, "%d is no surge",
			   box.event[2]);
		box_play(box.now, box.now + 5 * SLOT, rate + delta + JITTER);
		unit_check(box.events > 2 && box.event[2] == RAMP_UP, "none");
	}
}

/* Section 2: "exact to WINDOW/8" */
static void tells_how_long_it_took(struct kunit *test)
{
	unit_rounds(200) {
		u64 delta = random_delta(), begin = random_base();
		u64 from = unit_between(1, 50) * PACKET;
		u64 time = unit_between(0, 5 * SLOT);
		u64 step = begin + unit_between(9 * SLOT, 12 * SLOT);

		/* half at once, the rest later */
		box_init_delta(delta, 0);
		box_play(begin, step, from);
		box.events = 0;
		box_play(step, step + time, from + delta / 2);
		box_play(step + time, step + time + 3 * SLOT,
			 from + 2 * delta);
		unit_check(box.events, "none");
		unit_check(box.took[0] <= time + 2 * SLOT &&
			   time <= box.took[0] + SLOT, "took %llu, not %llu",
			   box.took[0], time);
	}
}

/* Section 2, of DELTA: "The clock is read at most once per HIGH x WINDOW/8" */
static void clock_is_read_once_per_delta(struct kunit *test)
{
	unit_rounds(150) {
		u64 delta = unit_between(1, HIGH);
		u64 begin = random_base(), now = begin;
		int i;

		box_init_delta(delta, unit_between(0, 3 * SLOT));
		for (i = 0; i < 2000; i++) {
			now += unit_between(0, unit_chance(5) ? 4 * SLOT :
							SLOT / 20);
			box_arrive(now, unit_between(64, 65536));
		}
		unit_check((box.reads - 1) * delta <= box.arrived,
			   "%llu for %llu", box.reads, box.arrived);
		unit_check(box.reads <= 2000, "%llu", box.reads);
	}
}

/* Section 1, change: steady traffic is no surge under any new definition of
 * one, and what comes after is judged by it.
 */
static void new_delta_is_no_surge(struct kunit *test)
{
	unit_rounds(300) {
		struct ramp_edge_params p = { .window = WINDOW };
		u64 begin = random_base();
		u64 then = begin + unit_between(9 * SLOT, 20 * SLOT);
		u64 rate = unit_chance(20) ? 0 :
			   unit_between(PACKET, 200 * PACKET);
		bool anew = unit_chance(50);

		if (unit_chance(50))
			box_init(LOW, HIGH, 0);
		else
			box_init_delta(random_delta(), 0);
		box_play(begin, then, rate);
		box.events = 0;
		if (unit_chance(70)) {
			p.delta = random_delta();
		} else {
			p.low = unit_between(0, HIGH);
			p.high = p.low + 20 * PACKET;
		}
		/* A rate that wobbles around a threshold is not meant. */
		if (!p.delta && rate + PACKET > p.high &&
		    rate < p.high + PACKET)
			continue;
		if (unit_chance(50))
			p.window /= 2;
		box.p = p;
		ramp_meter_change(&box.m, &box.p, anew, then);
		box.armed = false;
		box_arm();
		box_play(then, then + 20 * SLOT, rate);
		unit_check(box.events == 0,
			   "%d for rate %llu of %llu:%llu +%llu", box.event[0],
			   rate, p.low, p.high, p.delta);
		if (!p.delta)
			continue;
		box_play(box.now, box.now + 2 * SLOT,
			 rate + 2 * p.delta + 2 * JITTER);
		unit_check(box.events && box.event[0] == RAMP_UP, "%d events",
			   box.events);
	}
}

UNIT_SUITE(meter_delta,
	   UNIT_CASE(a_step_is_one_surge_per_delta),
	   UNIT_CASE(a_rise_is_seen_delta_by_delta),
	   UNIT_CASE(twice_what_surges_passes_before),
	   UNIT_CASE(slow_slopes_are_no_surge),
	   UNIT_CASE(fast_slopes_are_surges),
	   UNIT_CASE(steady_traffic_never_surges),
	   UNIT_CASE(silence_is_nothing),
	   UNIT_CASE(tells_how_long_it_took),
	   UNIT_CASE(clock_is_read_once_per_delta),
	   UNIT_CASE(new_delta_is_no_surge));
