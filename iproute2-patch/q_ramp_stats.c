// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of ramp and of its bands
 */

#include <assert.h>
#include <stddef.h>

#include "q_ramp.h"

/*
 * tc hands over the counters of a qdisc and those of a class in the same way.
 * Those of the qdisc were never shorter than this, and those of a class never
 * this long.
 */
#define RAMP_XSTATS_MIN	offsetof(struct tc_ramp_xstats, split_extra)
static_assert(sizeof(struct tc_ramp_class_xstats) < RAMP_XSTATS_MIN,
	      "the counters of a class look like those of a qdisc");

static const char * const ramp_state_names[] = {
	[RAMP_STATE_IDLE]	= "idle",
	[RAMP_STATE_MONITORING]	= "monitoring",
	[RAMP_STATE_UP]		= "ramp-up",
	[RAMP_STATE_DOWN]	= "ramp-down",
	[RAMP_STATE_DORMANT]	= "dormant",
	[RAMP_STATE_FROZEN]	= "frozen",
	[__RAMP_STATE_MAX]	= NULL,
};

static void ramp_print_class(const struct rtattr *xstats)
{
	struct tc_ramp_class_xstats st = {
		.code		= RAMP_FULL_RATE,
		.peer_rate	= RAMP_FULL_RATE,
	};

	memcpy(&st, RTA_DATA(xstats), min(RTA_PAYLOAD(xstats), sizeof(st)));

	print_uint(PRINT_JSON, "limit", NULL, st.limit);
	print_bool(PRINT_JSON, "exempt", NULL, st.exempt);
	print_string(PRINT_FP, NULL, "%s", " ");
	if (st.limit)
		print_uint(PRINT_FP, NULL, " limit %up", st.limit);
	if (st.exempt)
		print_string(PRINT_FP, NULL, " %s", "exempt");
	print_lluint(PRINT_ANY, "enqueued", " enqueued %llu", st.enqueued);
	print_lluint(PRINT_ANY, "dequeued", " dequeued %llu", st.dequeued);
	print_lluint(PRINT_ANY, "dropped", " dropped %llu", st.dropped);
	print_lluint(PRINT_ANY, "queued", " queued %llu", st.queued);
	print_lluint(PRINT_ANY, "split_extra", " split_extra %llu",
		     st.split_extra);
	ramp_print_class_code_stats(&st);
}

static void ramp_print_qdisc(const struct rtattr *xstats)
{
	struct tc_ramp_xstats st = { .peer_rate = RAMP_FULL_RATE };
	bool packets;
	char b[SPRINT_BSIZE];

	memcpy(&st, RTA_DATA(xstats), min(RTA_PAYLOAD(xstats), sizeof(st)));

	print_string(PRINT_ANY, "state", "  state %s",
		     ramp_name(ramp_state_names, st.state));
	packets = st.allowance_unit == RAMP_UNIT_PACKETS;
	print_lluint(PRINT_JSON, "allowance", NULL, st.allowance);
	print_string(PRINT_JSON, "allowance_unit", NULL,
		     packets ? "packets" : "bytes");
	/* With the gate open there is none. */
	if (st.state == RAMP_STATE_UP || st.state == RAMP_STATE_DOWN)
		print_lluint(PRINT_FP, NULL,
			     packets ? " allowance %llup" : " allowance %llub",
			     st.allowance);
	print_lluint(PRINT_ANY, "enqueued", " enqueued %llu", st.enqueued);
	print_lluint(PRINT_ANY, "dequeued", " dequeued %llu", st.dequeued);
	print_lluint(PRINT_ANY, "dropped", " dropped %llu", st.dropped);
	print_lluint(PRINT_ANY, "queued", " queued %llu", st.queued);
	print_lluint(PRINT_ANY, "split_extra", " split_extra %llu",
		     st.split_extra);

	print_nl();
	print_lluint(PRINT_ANY, "surges_up", "  surges_up %llu", st.surges_up);
	print_lluint(PRINT_ANY, "surges_down", " surges_down %llu",
		     st.surges_down);
	print_lluint(PRINT_ANY, "surges_self", " surges_self %llu",
		     st.surges_self);
	print_lluint(PRINT_ANY, "down_empty", " down_empty %llu",
		     st.down_empty);

	print_nl();
	print_lluint(PRINT_ANY, "ramps", "  ramps %llu", st.ramps);
	print_lluint(PRINT_ANY, "ramps_done", " ramps_done %llu",
		     st.ramps_done);
	print_lluint(PRINT_ANY, "ramps_turned", " ramps_turned %llu",
		     st.ramps_turned);
	print_lluint(PRINT_ANY, "ticks", " ticks %llu", st.ticks);
	print_lluint(PRINT_ANY, "ticks_late", " ticks_late %llu",
		     st.ticks_late);
	print_lluint(PRINT_JSON, "ramp_ns", NULL, st.ramp_ns);
	print_string(PRINT_FP, NULL, " ramp_time %s",
		     sprint_time64(st.ramp_ns, b));
	print_lluint(PRINT_ANY, "delayed", " delayed %llu", st.delayed);
	ramp_print_gear_stats(&st);
	ramp_print_code_stats(&st);
}

/* Kernel and tc may know a different number of fields. */
int ramp_print_xstats(const struct qdisc_util *qu, FILE *f,
		      struct rtattr *xstats)
{
	if (!xstats)
		return 0;

	if (RTA_PAYLOAD(xstats) < RAMP_XSTATS_MIN)
		ramp_print_class(xstats);
	else
		ramp_print_qdisc(xstats);
	return 0;
}
