/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of the arrival meter share. They play the qdisc: packets
 * arrive, and a timer closes the slots, on time or late.
 */
#ifndef _UNIT_BOX_H
#define _UNIT_BOX_H

#include "unit.h"
#include "wide.h"
#include <net/ramp/meter.h>

#define SLOT	(1250 * NSEC_PER_USEC)
#define WINDOW	(8 * SLOT)
#define LOW	10000ULL
#define HIGH	80000ULL
#define PACKET	200ULL

#define MAX_EVENTS	64
#define MAX_PACKETS	40000

struct arrival {
	u64	time;
	u64	amount;
};

/* The box around the meter. */
struct box {
	struct ramp_edge_params	p;
	struct ramp_meter	m;
	u64	latest;			/* ns, how late a timer may be */
	u64	now;
	bool	armed;
	u64	timer;
	u64	opened;			/* slot that the timer is for */
	u64	reads;			/* of the clock, for a rise */
	u64	starts;			/* of the clock, after a silence */
	u64	rolls;			/* of the clock, by the timer */
	u64	arrived;
	int	events;
	enum ramp_dir	event[MAX_EVENTS];
	u64	event_arrived[MAX_EVENTS];
	u64	event_time[MAX_EVENTS];
	u64	took[MAX_EVENTS];
	int	packets;
	struct arrival	packet[MAX_PACKETS];
};

static struct box box;

static inline void box_begin(struct ramp_edge_params p, u64 latest)
{
	memset(&box, 0, offsetof(struct box, packet));
	box.p = p;
	box.p.window = WINDOW;
	box.latest = latest;
	/* What an earlier meter left behind must mean nothing to this one. */
	memset(&box.m, 0x5a, sizeof(box.m));
	ramp_meter_init(&box.m, &box.p);
}

static inline void box_init(u64 low, u64 high, u64 latest)
{
	box_begin((struct ramp_edge_params){ .low = low, .high = high },
		  latest);
}

static inline void box_init_delta(u64 delta, u64 latest)
{
	box_begin((struct ramp_edge_params){ .delta = delta }, latest);
}

static inline void box_note(enum ramp_dir dir, u64 now)
{
	if (dir == RAMP_NONE || box.events == MAX_EVENTS)
		return;
	box.event[box.events] = dir;
	box.event_arrived[box.events] = box.arrived;
	box.event_time[box.events] = now;
	box.took[box.events++] = box.m.edge.took;
}

static inline void box_arm(void)
{
	if (!box.m.running) {
		box.armed = false;
	} else if (!box.armed || box.opened != box.m.slot_start) {
		box.armed = true;
		box.opened = box.m.slot_start;
		box.timer = ramp_meter_end(&box.m, &box.p) +
			    unit_between(0, box.latest);
		if (box.timer < box.now)
			box.timer = box.now;
	}
}

static inline void box_run(u64 until)
{
	while (box.armed && box.timer <= until) {
		box.now = box.timer;
		box.rolls++;
		box_note(ramp_meter_roll(&box.m, &box.p, box.now), box.now);
		box.armed = false;
		box_arm();
	}
	box.now = until;
}

static inline void box_arrive(u64 now, u64 amount)
{
	box_run(now);
	if (box.packets < MAX_PACKETS)
		box.packet[box.packets++] = (struct arrival){ now, amount };
	if (!box.m.running) {
		box.starts++;
		ramp_meter_start(&box.m, now);
	}
	if (ramp_meter_add(&box.m, amount)) {
		bool clock = ramp_meter_need_clock(&box.m, &box.p);

		box.reads += clock;
		box_note(ramp_meter_rise(&box.m, &box.p, clock ? now : 0), now);
	}
	box.arrived += amount;
	box_arm();
}

/* A constant rate, in bytes per slot. */
static inline void box_play(u64 from, u64 to, u64 rate)
{
	u64 i, now;

	for (i = 0; rate; i++) {
		now = from + wide_div((u128)i * PACKET * SLOT, rate);
		if (now >= to)
			break;
		box_arrive(now, PACKET);
	}
	box_run(to);
}

static inline int box_count(enum ramp_dir dir)
{
	int i, count = 0;

	for (i = 0; i < box.events; i++)
		count += box.event[i] == dir;
	return count;
}

static inline u64 random_base(void)
{
	return unit_chance(30) ? UNIT_LATE_CLOCK :
				 unit_between(HOUR, 1000 * HOUR);
}

#endif /* _UNIT_BOX_H */
