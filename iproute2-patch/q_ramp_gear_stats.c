// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of ramp that are about gears
 *
 * Without gears there are none, in JSON neither.
 */

#include "q_ramp.h"
#include "ramp_parse.h"

static void ramp_print_times(const char *name, const char *key,
			     const __u64 *ns, __u32 n)
{
	char b[SPRINT_BSIZE];
	__u32 i;

	print_nl();
	print_string(PRINT_FP, NULL, "  %s", name);
	open_json_array(PRINT_JSON, key);
	for (i = 0; i < n; i++) {
		print_lluint(PRINT_JSON, NULL, NULL, ns[i]);
		print_string(PRINT_FP, NULL, " %s", sprint_time64(ns[i], b));
	}
	close_json_array(PRINT_JSON, NULL);
}

static void ramp_print_freeze_time(bool text, const char *name, __u64 ns)
{
	char b[SPRINT_BSIZE];

	print_lluint(PRINT_JSON, name, NULL, ns);
	if (!text)
		return;
	print_string(PRINT_FP, NULL, " %s", name);
	print_string(PRINT_FP, NULL, " %s", sprint_time64(ns, b));
}

static void ramp_print_freezes(const struct tc_ramp_xstats *st)
{
	bool text = st->freezes || show_details;

	ramp_begin_line(text);
	ramp_print_count(text, "freezes", st->freezes);
	if (text)
		print_string(PRINT_FP, NULL, " %s", "freeze_time");
	open_json_object("freeze_ns");
	ramp_print_freeze_time(text, "min", st->freeze_ns_min);
	ramp_print_freeze_time(text, "avg", st->freeze_ns_avg);
	ramp_print_freeze_time(text, "max", st->freeze_ns_max);
	close_json_object();
}

static void ramp_print_ports(const struct tc_ramp_xstats *st)
{
	print_nl();
	print_uint(PRINT_ANY, "ports_up", "  ports_up %u", st->ports_up);
	print_uint(PRINT_ANY, "ports", " ports %u", st->ports);
	print_uint(PRINT_ANY, "port_row", " port_row %u", st->port_row);
	ramp_print_times("port_time", "port_ns", st->port_ns,
			 min(st->port_rows, (__u32)ARRAY_SIZE(st->port_ns)));
}

void ramp_print_gear_stats(const struct tc_ramp_xstats *st)
{
	char b[SPRINT_BSIZE];

	if (!st->gears)
		return;

	print_nl();
	print_uint(PRINT_ANY, "gear", "  gear %u", st->gear);
	print_uint(PRINT_ANY, "gear_min", " gear_min %u", st->gear_min);
	print_uint(PRINT_ANY, "gear_max", " gear_max %u", st->gear_max);
	print_lluint(PRINT_ANY, "gear_changes", " gear_changes %llu",
		     st->gear_changes);
	ramp_print_rare(true, "flaps", st->flaps);
	ramp_print_rare(true, "range_drops", st->range_drops);
	ramp_print_times("gear_time", "gear_ns", st->gear_ns,
			 min(st->gears, (__u32)ARRAY_SIZE(st->gear_ns)));
	ramp_print_freezes(st);
	if (st->port_rows)
		ramp_print_ports(st);

	print_lluint(PRINT_JSON, "energy_mj", NULL, st->energy_mj);
	ramp_json_percent("saved_pct", st->saved);
	/* Without power there is none, but shares alone tell what is saved. */
	if (!st->energy_mj && !st->port_rows)
		return;
	print_nl();
	print_string(PRINT_FP, NULL, "%s", " ");
	if (st->energy_mj) {
		print_lluint(PRINT_FP, NULL, " energy %llu",
			     st->energy_mj / 1000);
		print_uint(PRINT_FP, NULL, ".%03uJ", st->energy_mj % 1000);
	}
	print_string(PRINT_FP, NULL, " saved %s",
		     ramp_sprint_percent(st->saved, b));
}
