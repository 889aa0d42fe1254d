// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of ramp and of its bands
 *
 * JSON has all of them, always. As text, what is zero and hardly ever anything else
 * is only shown with the details.
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

void ramp_begin_line(bool text)
{
	if (!text)
		return;
	print_nl();
	print_string(PRINT_FP, NULL, "%s", " ");
}

void ramp_print_count(bool text, const char *name, __u64 count)
{
	print_lluint(PRINT_JSON, name, NULL, count);
	if (!text)
		return;
	print_string(PRINT_FP, NULL, " %s", name);
	print_lluint(PRINT_FP, NULL, " %llu", count);
}

/* Those that hardly ever count are shown when they did. */
void ramp_print_rare(bool text, const char *name, __u64 count)
{
	ramp_print_count(text && (count || show_details), name, count);
}

static void ramp_print_surges(const struct tc_ramp_xstats *st)
{
	bool text = show_details || st->surges_up || st->surges_down ||
		    st->surges_self || st->down_empty;

	ramp_begin_line(text);
	ramp_print_count(text, "surges_up", st->surges_up);
	ramp_print_count(text, "surges_down", st->surges_down);
	ramp_print_rare(text, "surges_self", st->surges_self);
	ramp_print_rare(text, "down_empty", st->down_empty);
}

static void ramp_print_ramps(const struct tc_ramp_xstats *st)
{
	bool text = show_details || st->ramps || st->ticks || st->ticks_late ||
		    st->delayed;
	char b[SPRINT_BSIZE];

	ramp_begin_line(text);
	ramp_print_count(text, "ramps", st->ramps);
	ramp_print_count(text, "ramps_done", st->ramps_done);
	ramp_print_rare(text, "ramps_turned", st->ramps_turned);
	ramp_print_count(text, "ticks", st->ticks);
	ramp_print_count(text, "ticks_late", st->ticks_late);
	print_lluint(PRINT_JSON, "ramp_ns", NULL, st->ramp_ns);
	if (text)
		print_string(PRINT_FP, NULL, " ramp_time %s",
			     sprint_time64(st->ramp_ns, b));
	ramp_print_count(text, "delayed", st->delayed);
}

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
	ramp_print_rare(true, "split_extra", st.split_extra);
	ramp_print_class_code_stats(&st);
}

static void ramp_print_qdisc(const struct rtattr *xstats)
{
	struct tc_ramp_xstats st = { .peer_rate = RAMP_FULL_RATE };
	bool packets;

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
	ramp_print_rare(true, "split_extra", st.split_extra);
	ramp_print_surges(&st);
	ramp_print_ramps(&st);
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
