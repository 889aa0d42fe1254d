/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ports: power by the share of them that is in use
 *
 * NetFridgeS, 7.1: a box that knows which of its ports are active runs at one
 * clock, which carries all that these can bring. So its power is a share of the
 * full one that depends on "active ports/total ports" (Table 4), and not on
 * what the ports carry. It counts ports: a slow one is one as well.
 *
 * A table has n rows. The last one is for all ports in use, and the others are
 * equal parts of all that is less: six rows, as Table 4 has, begin at 0, 0.2,
 * 0.4, 0.6, 0.8 and 1.
 *
 * Times are ns, power mW, energy mJ, shares hundredths of a percent. A clock
 * that stepped back is taken to stand still until it is where it was when the
 * present row was taken. Nothing here locks: the caller serialises all calls.
 * Any context.
 */
#ifndef _NET_RAMP_PORTS_H
#define _NET_RAMP_PORTS_H

#include <linux/math64.h>
#include <linux/ramp.h>
#include <linux/types.h>

#define RAMP_PORTS_SEC		1000000000ULL

/* All of a box without gears, in hundredths of a percent. */
#define RAMP_PORTS_WHOLE	10000

/* Gears may cost something where they save nothing. */
#define RAMP_PORTS_SHARE_MAX	(2 * RAMP_PORTS_WHOLE)

/**
 * struct ramp_ports - how long which share of ports was in use; all 0 to begin
 * with
 * @n: rows, 0: there is no table
 * @row: the present one
 * @up: ports in use
 * @all: ports
 * @since: ns, when the present row was taken
 * @spent: ns, in each row, without the present one's time since @since
 */
struct ramp_ports {
	u32	n;
	u32	row;
	u32	up;
	u32	all;
	u64	since;
	u64	spent[RAMP_POWER_PORTS_MAX];
};

/**
 * ramp_ports_row - the row for a share
 * @n: rows, 2 .. RAMP_POWER_PORTS_MAX
 * @up: ports in use, 0 .. @all
 * @all: ports, at most RAMP_GEAR_PORTS_MAX
 *
 * Where there is no port, none can be down.
 *
 * Return: row, 0 .. @n - 1
 */
static inline u32 ramp_ports_row(u32 n, u32 up, u32 all)
{
	return all ? up * (n - 1) / all : n - 1;
}

static inline u64 ramp_ports_time(const struct ramp_ports *s, u64 now)
{
	return (s64)(now - s->since) < 0 ? s->since : now;
}

/**
 * ramp_ports_look - the table or the ports may be others
 * @s: what was seen so far
 * @n: rows, 0 or 2 .. RAMP_POWER_PORTS_MAX
 * @up: ports in use
 * @all: ports
 * @now: ns
 *
 * Times are those of rows: with as many as before they go on, with another
 * number they begin anew.
 */
static inline void ramp_ports_look(struct ramp_ports *s, u32 n, u32 up, u32 all,
				   u64 now)
{
	if (n != s->n)
		*s = (struct ramp_ports){ .n = n, .since = now };
	if (!n)
		return;
	now = ramp_ports_time(s, now);
	s->spent[s->row] += now - s->since;
	s->since = now;
	s->up = up;
	s->all = all;
	s->row = ramp_ports_row(n, up, all);
}

/**
 * ramp_ports_spent - time spent in a row
 * @s: what was seen so far
 * @row: which
 * @now: ns
 *
 * Return: ns; over all rows the time since there are so many
 */
static inline u64 ramp_ports_spent(const struct ramp_ports *s, u32 row, u64 now)
{
	if (row != s->row)
		return s->spent[row];
	return s->spent[row] + ramp_ports_time(s, now) - s->since;
}

/**
 * ramp_ports_energy - what was used
 * @spent: ns, by row
 * @n: rows, 2 .. RAMP_POWER_PORTS_MAX
 * @share: of @full, by row, at most RAMP_PORTS_SHARE_MAX
 * @full: mW, of a box without gears
 *
 * Return: mJ, rounded down once; good for 68 years
 */
static inline u64 ramp_ports_energy(const u64 *spent, u32 n, const u32 *share,
				    u32 full)
{
	u64 sec = 0, ns = 0, part, mj;
	u32 i;

	/* At full power: in parts, of which a second has RAMP_PORTS_WHOLE. */
	for (i = 0; i < n; i++) {
		sec += share[i] *
		       div64_u64_rem(spent[i], RAMP_PORTS_SEC, &part);
		ns += share[i] * part;
	}
	sec += div64_u64_rem(ns, RAMP_PORTS_SEC, &ns);

	/* What is left over is less than RAMP_PORTS_WHOLE, wrapped or not. */
	mj = mul_u64_u64_div_u64(sec, full, RAMP_PORTS_WHOLE);
	part = sec * full - mj * RAMP_PORTS_WHOLE;
	return mj + div64_u64(part * RAMP_PORTS_SEC + ns * full,
			      RAMP_PORTS_WHOLE * RAMP_PORTS_SEC);
}

#endif /* _NET_RAMP_PORTS_H */
