// SPDX-License-Identifier: GPL-2.0
/* Arrival meter: US 2025/0260650, [0099], [0100], claim 16. The meter is judged
 * by what a sliding window over the same arrivals says.
 */
#include "box.h"

/* By definition the level is what arrived within the last WINDOW/8. Returns how
 * long it took from the last departure from one end to the first arrival at
 * the other.
 */
static u64 sliding_crossing(enum ramp_dir dir)
{
	u64 level = 0, left = 0, before, now;
	bool begun = false;
	int in = 0, out = 0;

	while (out < box.packets) {
		before = level;
		if (in < box.packets &&
		    box.packet[in].time < box.packet[out].time + SLOT) {
			now = box.packet[in].time;
			level += box.packet[in++].amount;
		} else {
			now = box.packet[out].time + SLOT;
			level -= box.packet[out++].amount;
		}
		if (dir == RAMP_UP) {
			if (before <= LOW && level > LOW) {
				left = now;
				begun = true;
			}
			if (begun && level >= HIGH)
				return now - left;
		} else {
			if (before >= HIGH && level < HIGH) {
				left = now;
				begun = true;
			}
			if (begun && level <= LOW)
				return now - left;
		}
	}
	return U64_MAX;
}

/* From the end @from over the middle to the end @to; returns the time at which
 * the middle began.
 */
static u64 random_crossing(u64 from, u64 to)
{
	u64 begin = random_base() + unit_between(0, SLOT);
	u64 middle = begin + unit_between(4 * SLOT, 6 * SLOT);
	u64 end = middle + unit_between(0, 2 * WINDOW);

	box_play(begin, middle, from);
	box.events = 0;
	box_play(middle, end, unit_between(LOW * 12 / 10, HIGH * 9 / 10));
	box_play(end, end + 4 * SLOT, to);
	return middle;
}

/* 000 [0100] and section 2: "within a particular amount of time ... exact to
 * WINDOW/8". A packet more or less costs slot/50.
 */
static void rise_is_timed_to_an_eighth_of_the_window(struct kunit *test)
{
	unit_rounds(600) {
		u64 from = unit_chance(30) ? 0 : unit_between(1, LOW * 9 / 10);
		u64 to = unit_between(2 * HIGH, 6 * HIGH), took;

		box_init(LOW, HIGH, 0);
		random_crossing(from, to);
		took = sliding_crossing(RAMP_UP);
		if (took <= WINDOW - SLOT - SLOT / 50)
			unit_check(box_count(RAMP_UP) == 1, "took %llu", took);
		if (took >= WINDOW + SLOT + SLOT / 50)
			unit_check(box_count(RAMP_UP) == 0, "took %llu", took);
		unit_check(box_count(RAMP_DOWN) == 0, "a fall in a rise");
	}
}

/* A rate that just reaches HIGH fills only a slot that it has for itself, so
 * HIGH may be reached a slot late; nothing is ever taken for faster.
 */
static void rise_to_just_high_is_at_most_a_slot_late(struct kunit *test)
{
	unit_rounds(600) {
		u64 to = unit_between(HIGH + 2 * PACKET, 2 * HIGH), took;

		box_init(LOW, HIGH, 0);
		random_crossing(unit_between(0, LOW * 9 / 10), to);
		took = sliding_crossing(RAMP_UP);
		if (took <= WINDOW - 3 * SLOT / 2 - SLOT / 50)
			unit_check(box_count(RAMP_UP) == 1, "took %llu", took);
		if (took >= WINDOW + SLOT + SLOT / 50)
			unit_check(box_count(RAMP_UP) == 0, "took %llu", took);
	}
}

/* 000 [0100], claim 16: "a negative rate of change in a number of packets" */
static void fall_is_timed_to_an_eighth_of_the_window(struct kunit *test)
{
	unit_rounds(600) {
		u64 from = unit_between(HIGH * 11 / 10, 4 * HIGH);
		u64 to = unit_chance(30) ? 0 : unit_between(1, LOW * 9 / 10);
		u64 took;

		box_init(LOW, HIGH, 0);
		random_crossing(from, to);
		took = sliding_crossing(RAMP_DOWN);
		if (took <= WINDOW - SLOT - SLOT / 50)
			unit_check(box_count(RAMP_DOWN) == 1, "took %llu",
				   took);
		if (took >= WINDOW + SLOT + SLOT / 50)
			unit_check(box_count(RAMP_DOWN) == 0, "took %llu",
				   took);
		unit_check(box_count(RAMP_UP) == 0, "a rise in a fall");
	}
}

/* Section 2: "At most 2 x HIGH x WINDOW/8 passes before the ramp begins." The
 * packet that tells is not yet let go, one that told too late was.
 */
static void twice_high_passes_before_a_surge(struct kunit *test)
{
	unit_rounds(600) {
		u64 late = unit_chance(50) ? 0 : unit_between(1, 5 * SLOT);
		u64 begin = random_base(), before;
		u64 full = begin + unit_between(0, 20 * SLOT);
		u64 rate = unit_between(HIGH + 2 * PACKET, 50 * HIGH);

		box_init(LOW, HIGH, late);
		box_play(begin, full, unit_between(0, LOW - PACKET));
		before = box.arrived;
		box_play(full, full + 3 * SLOT, rate);
		unit_check(box.event[0] == RAMP_UP, "%d events, rate %llu",
			   box.events, rate);
		unit_check(box.event_arrived[0] - before <=
			   2 * HIGH + (late ? PACKET : 0), "%llu passed",
			   box.event_arrived[0] - before);
	}
}

/* A slot that an arrival opens begins with it: no error at all. */
static void rise_out_of_silence_is_exact(struct kunit *test)
{
	struct ramp_edge_params p = {
		.low = LOW, .high = HIGH, .window = WINDOW,
	};
	struct ramp_meter m;

	ramp_meter_init(&m, &p);
	assert_false(m.running);
	ramp_meter_start(&m, HOUR);
	assert_false(ramp_meter_add(&m, LOW));
	assert_true(ramp_meter_add(&m, 1));
	assert_false(ramp_meter_need_clock(&m, &p));
	assert_int_equal(ramp_meter_rise(&m, &p, 0), RAMP_NONE);
	assert_false(ramp_meter_add(&m, HIGH - LOW - 2));
	assert_true(ramp_meter_add(&m, 1));
	assert_true(ramp_meter_need_clock(&m, &p));
	assert_int_equal(ramp_meter_rise(&m, &p, HOUR + SLOT - 7), RAMP_UP);
	assert_int_equal(m.edge.took, SLOT - 7);
}

/* Any other slot may have left LOW at any moment: its middle is least wrong. */
static void departure_is_dated_to_the_middle_of_its_slot(struct kunit *test)
{
	struct ramp_edge_params p = {
		.low = LOW, .high = HIGH, .window = WINDOW,
	};
	struct ramp_meter m;

	ramp_meter_init(&m, &p);
	ramp_meter_start(&m, HOUR);
	ramp_meter_add(&m, 1);
	assert_int_equal(ramp_meter_roll(&m, &p, HOUR + SLOT), RAMP_NONE);
	assert_true(ramp_meter_add(&m, LOW + 1));
	assert_int_equal(ramp_meter_rise(&m, &p, 0), RAMP_NONE);
	assert_true(ramp_meter_add(&m, HIGH));
	assert_int_equal(ramp_meter_rise(&m, &p, HOUR + SLOT + SLOT * 3 / 4),
			 RAMP_UP);
	assert_int_equal(m.edge.took, SLOT / 4);
}

/* 000 [0100]: "The lower threshold may ... be no traffic" */
static void low_may_be_no_traffic(struct kunit *test)
{
	box_init(0, HIGH, 0);
	box_play(HOUR, HOUR + 4 * SLOT, 3 * HIGH);
	box_play(HOUR + 4 * SLOT, HOUR + 20 * SLOT, 0);
	assert_int_equal(box.events, 2);
	assert_int_equal(box.event[0], RAMP_UP);
	assert_int_equal(box.event[1], RAMP_DOWN);
}

/* Claim 16: traffic that breaks off is a surge, seen without any packet. */
static void end_of_traffic_is_seen_by_the_timer(struct kunit *test)
{
	unit_rounds(200) {
		u64 begin = random_base();
		u64 end = begin + unit_between(2 * SLOT, 9 * SLOT);

		box_init(LOW, HIGH, 0);
		box_play(begin, end, unit_between(11 * HIGH / 10, 4 * HIGH));
		box_run(end + 3 * SLOT);
		unit_check(box.events == 2 && box.event[1] == RAMP_DOWN,
			   "%d events", box.events);
		unit_check(box.event_time[1] <= end + 2 * SLOT,
			   "%llu after the end", box.event_time[1] - end);
	}
}

static void silence_stops_the_meter(struct kunit *test)
{
	box_init(LOW, HIGH, 0);
	box_arrive(HOUR, PACKET);
	assert_true(box.m.running);
	box_run(HOUR + SLOT);
	assert_true(box.m.running);
	box_run(HOUR + 2 * SLOT);
	assert_false(box.m.running);
	assert_false(box.armed);

	box_arrive(9 * HOUR, PACKET);
	assert_true(box.m.running);
	assert_int_equal(box.m.slot_start, 9 * HOUR);
	assert_int_equal(box.events, 0);
}

/* A timer that comes hours late neither wraps nor blocks what follows. */
static void hours_in_one_slot(struct kunit *test)
{
	box_init(LOW, HIGH, 0);
	box.p.window = 10 * NSEC_PER_SEC;
	ramp_meter_init(&box.m, &box.p);
	ramp_meter_start(&box.m, UNIT_LATE_CLOCK);
	ramp_meter_add(&box.m, 1ULL << 52);
	assert_int_equal(ramp_meter_rise(&box.m, &box.p, UNIT_LATE_CLOCK + 9),
			 RAMP_UP);
	assert_int_equal(ramp_meter_roll(&box.m, &box.p,
					 UNIT_LATE_CLOCK + 3 * HOUR),
			 RAMP_NONE);
	assert_int_equal(box.m.edge.zone, RAMP_ZONE_HIGH);
	assert_int_equal(box.m.slot_start, UNIT_LATE_CLOCK + 3 * HOUR);
	ramp_meter_add(&box.m, HIGH);
	ramp_meter_roll(&box.m, &box.p, UNIT_LATE_CLOCK + 2000 * HOUR);
	assert_int_equal(box.m.edge.zone, RAMP_ZONE_LOW);
	assert_true(box.m.running);
}

/* A late timer is no rise and no fall. Traffic that is steady from the first
 * packet on and stays below HIGH never was at HIGH.
 */
static void late_timers_do_not_make_steady_traffic_rise(struct kunit *test)
{
	unit_rounds(600) {
		u64 low = unit_chance(50) ? LOW :
					    unit_between(0, HIGH * 9 / 10);
		u64 rate = unit_between(PACKET, HIGH * 97 / 100 - PACKET);
		u64 begin = random_base();

		box_init(low, HIGH, unit_between(0, 6 * SLOT));
		box_play(begin, begin + 60 * SLOT, rate);
		unit_check(box_count(RAMP_UP) == 0,
			   "rate %llu of HIGH %llu, LOW %llu, late <= %llu%%",
			   rate, HIGH, low, box.latest * 100 / SLOT);
	}
}

static void late_timers_do_not_make_steady_traffic_fall(struct kunit *test)
{
	unit_rounds(600) {
		u64 low = unit_chance(50) ? LOW :
					    unit_between(0, HIGH * 9 / 10);
		u64 rate = unit_between(low * 103 / 100 + 2 * PACKET, 4 * HIGH);
		u64 begin = random_base();

		box_init(low, HIGH, unit_between(0, 6 * SLOT));
		box_play(begin, begin + 60 * SLOT, rate);
		unit_check(box_count(RAMP_DOWN) == 0,
			   "rate %llu of HIGH %llu, LOW %llu, late <= %llu%%",
			   rate, HIGH, low, box.latest * 100 / SLOT);
		unit_check(box_count(RAMP_UP) <= 1, "rose twice");
	}
}

/* A fall to, or a rise to, somewhere between is half a crossing. */
static void late_timers_do_not_complete_a_crossing(struct kunit *test)
{
	unit_rounds(600) {
		u64 begin = random_base();
		u64 step = begin + unit_between(3 * SLOT, 20 * SLOT);
		bool fall = unit_chance(50);

		box_init(LOW, HIGH, unit_between(0, 6 * SLOT));
		box_play(begin, step, fall ?
			 unit_between(HIGH * 103 / 100 + PACKET, 4 * HIGH) :
			 unit_between(0, LOW - PACKET));
		box.events = 0;
		box_play(step, step + 60 * SLOT,
			 unit_between(LOW * 103 / 100 + PACKET,
				      HIGH * 97 / 100 - PACKET));
		unit_check(box.events == 0, "%s, late <= %llu%%",
			   fall ? "fell" : "rose", box.latest * 100 / SLOT);
	}
}

/* Timers that are always a little late do not add up: after hours between the
 * thresholds, a slow rise to HIGH is still none.
 */
static void lateness_does_not_add_up(struct kunit *test)
{
	unit_rounds(20) {
		u64 begin = random_base(), now = begin;
		u64 rate = unit_between(2 * LOW, HIGH / 2);

		box_init(LOW, HIGH, unit_between(1, SLOT));
		box_play(begin, begin + 2000 * SLOT, rate);
		now = begin + 2000 * SLOT;
		box.events = 0;
		box_play(now, now + 60 * SLOT,
			 unit_between(HIGH * 103 / 100 + PACKET, 4 * HIGH));
		unit_check(box.events == 0, "%d", box.event[0]);
	}
}

/* Section 1, change: steady traffic is no surge under new thresholds, and what
 * comes after is judged by them.
 */
static void new_thresholds_are_no_surge(struct kunit *test)
{
	unit_rounds(400) {
		u64 begin = random_base();
		u64 then = begin + unit_between(20 * SLOT, 30 * SLOT);
		u64 rate = unit_between(PACKET, 4 * HIGH);

		box_init(LOW, HIGH, 0);
		box_play(begin, then, rate);
		box.events = 0;
		box.p.low = unit_between(0, 3 * HIGH);
		box.p.high = box.p.low * 103 / 100 +
			     unit_between(8 * PACKET, 2 * HIGH);
		ramp_meter_change(&box.m, &box.p, false, then);
		box_play(then, then + 20 * SLOT, rate);
		unit_check(box.events == 0, "%d for rate %llu in %llu:%llu",
			   box.event[0], rate, box.p.low, box.p.high);

		box_run(then + 40 * SLOT);
		box.events = 0;
		box_play(then + 50 * SLOT, then + 55 * SLOT, 2 * box.p.high);
		unit_check(box.events == 1 && box.event[0] == RAMP_UP,
			   "%d events", box.events);
	}

	box_init(LOW, HIGH, 0);
	box.p.low = 3;
	ramp_meter_change(&box.m, &box.p, false, 1);
	assert_false(box.m.running);
	assert_int_equal(box.m.edge.max, 3);
}

/* A meter that begins to count, or to count something else, under steady
 * traffic sees no surge in it, and the next one it does see. Silence it knows
 * at once.
 */
static void steady_traffic_is_no_surge_for_a_new_meter(struct kunit *test)
{
	unit_rounds(400) {
		u64 begin = random_base();
		u64 then = begin + unit_between(20 * SLOT, 30 * SLOT);
		bool silent = unit_chance(30);
		u64 rate = silent ? 0 : unit_between(PACKET, 4 * HIGH);

		box_init(LOW, HIGH, 0);
		box_play(begin, then, rate);
		box_run(then);
		box.events = 0;
		/* It counted packets until now. */
		box.m.sum /= PACKET;
		ramp_meter_change(&box.m, &box.p, true, then);
		box_arm();
		box_play(then, then + 20 * SLOT, rate);
		unit_check(box.events == 0, "%d for rate %llu", box.event[0],
			   rate);

		box_run(then + 40 * SLOT);
		box.events = 0;
		box_play(then + 50 * SLOT, then + 55 * SLOT, 2 * HIGH);
		unit_check(box.events == 1 && box.event[0] == RAMP_UP,
			   "%d events", box.events);
	}
}

/* Full traffic that begins and stays is one surge, however late the timers. */
static void late_timers_keep_the_surge(struct kunit *test)
{
	unit_rounds(300) {
		u64 begin = random_base();

		box_init(LOW, HIGH, unit_between(0, 6 * SLOT));
		box_play(begin, begin + 60 * SLOT,
			 unit_between(HIGH * 103 / 100 + PACKET, 4 * HIGH));
		unit_check(box.events == 1 && box.event[0] == RAMP_UP,
			   "%d events", box.events);
	}
}

/* Section 2: "The clock is read at most once per HIGH x WINDOW/8 bytes". The
 * first packet after a silent slot opens one, that is at most one per slot.
 */
static void clock_is_read_once_per_high(struct kunit *test)
{
	unit_rounds(200) {
		u64 begin = random_base(), now = begin;
		int i;

		box_init(unit_between(0, LOW), HIGH, unit_between(0, 3 * SLOT));
		for (i = 0; i < 3000; i++) {
			now += unit_between(0, unit_chance(5) ? 4 * SLOT :
							SLOT / 20);
			box_arrive(now, unit_between(64, 65536));
		}
		unit_check(box.reads * HIGH <= box.arrived, "%llu for %llu",
			   box.reads, box.arrived);
		unit_check(box.starts <= (now - begin) / SLOT + 1, "%llu",
			   box.starts);
		unit_check(box.rolls <= (now - begin) / SLOT, "%llu",
			   box.rolls);
	}
}

UNIT_SUITE(meter,
	   UNIT_CASE(rise_is_timed_to_an_eighth_of_the_window),
	   UNIT_CASE(rise_to_just_high_is_at_most_a_slot_late),
	   UNIT_CASE(fall_is_timed_to_an_eighth_of_the_window),
	   UNIT_CASE(twice_high_passes_before_a_surge),
	   UNIT_CASE(rise_out_of_silence_is_exact),
	   UNIT_CASE(departure_is_dated_to_the_middle_of_its_slot),
	   UNIT_CASE(low_may_be_no_traffic),
	   UNIT_CASE(end_of_traffic_is_seen_by_the_timer),
	   UNIT_CASE(silence_stops_the_meter),
	   UNIT_CASE(hours_in_one_slot),
	   UNIT_CASE(late_timers_do_not_make_steady_traffic_rise),
	   UNIT_CASE(late_timers_do_not_make_steady_traffic_fall),
	   UNIT_CASE(late_timers_do_not_complete_a_crossing),
	   UNIT_CASE(lateness_does_not_add_up),
	   UNIT_CASE(new_thresholds_are_no_surge),
	   UNIT_CASE(steady_traffic_is_no_surge_for_a_new_meter),
	   UNIT_CASE(late_timers_keep_the_surge),
	   UNIT_CASE(clock_is_read_once_per_high));
