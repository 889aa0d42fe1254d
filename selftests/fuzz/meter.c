// SPDX-License-Identifier: GPL-2.0
/* Arrivals at any time, a timer that is late, and thresholds that change: surges
 * need their bytes, the clock is read once per HIGH of them, and what is no news
 * is within the bounds.
 */
#include "fuzz.h"
#include "../unit/box.h"

static void check_box(void)
{
	const struct ramp_meter *m = &box.m;
	const struct ramp_trail *t = &m->edge.trail;

	fuzz_check(m->running == box.armed);
	fuzz_check(t->low <= t->high && t->known <= RAMP_SLOTS);
	/* What a rise is due for was found at once. */
	fuzz_check(!m->running || m->sum <= m->edge.max);
	/* Less than a slot, but for a silence that nobody has looked at since. */
	fuzz_check(m->spare < SLOT || m->fresh || m->blind || !m->running);
	if (!box.p.delta)
		fuzz_check(m->blind || (m->edge.min <= m->edge.max &&
					m->edge.zone <= RAMP_ZONE_HIGH));
}

/* After a surge upwards the level has to be low again, then HIGH arrive anew; and
 * a surge that was told of is one that was fast enough.
 */
static void check_events(int from, u64 since)
{
	u64 last = since;
	int i;

	for (i = from; i < box.events; i++) {
		fuzz_check(box.took[i] <= WINDOW);
		if (box.p.delta || box.event[i] != RAMP_UP)
			continue;
		fuzz_check(box.event_arrived[i] + 65536 - last >= box.p.high ||
			   box.event_arrived[i] == box.arrived);
		last = box.event_arrived[i];
	}
}

static void thresholds(struct ramp_edge_params *p)
{
	p->low = unit_amount(30) - 1;
	p->high = p->low + unit_amount(30);
	p->delta = unit_chance(40) ? unit_amount(30) : 0;
}

static void fuzz_one(void)
{
	struct ramp_edge_params p = { };
	u64 reads = 0, arrived = 0, amount, now;
	int events = 0;

	thresholds(&p);
	box_begin(p, unit_chance(50) ? unit_amount(24) : 0);
	now = unit_chance(30) ? UNIT_LATE_CLOCK : HOUR;
	box.now = now;
	while (fuzz_more() && box.events < MAX_EVENTS &&
	       box.packets < 4096) {
		now += unit_chance(20) ? SLOT : unit_amount(26) - 1;
		amount = unit_chance(30) ? box.p.high / 8 + 1 :
					   unit_amount(unit_chance(10) ? 30 :
						       16);
		amount = amount > 65536 ? 65536 : amount;
		box_arrive(now, amount);
		check_box();
		if (!box.p.delta)
			fuzz_check((u128)(box.reads - reads) * box.p.high <=
				   box.arrived - arrived);
		ramp_meter_settled(&box.m, &box.p, now);

		if (!unit_chance(3))
			continue;
		check_events(events, arrived);
		if (unit_chance(50)) {
			now += 3 * WINDOW;
			box_run(now);
		}
		/* Other thresholds, or it counts something else. */
		thresholds(&box.p);
		ramp_meter_change(&box.m, &box.p, unit_chance(30), now);
		box_arm();
		events = box.events;
		arrived = box.arrived;
		reads = box.reads;
	}
	check_events(events, arrived);
	/* Silence stops it, for good. */
	if (!box.packets)
		return;
	now += HOUR;
	box_run(now);
	fuzz_check(!box.m.running && !box.armed);
	fuzz_check(ramp_meter_settled(&box.m, &box.p, now));
}
