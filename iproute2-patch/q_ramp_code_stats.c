// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of ramp that are about rate codes
 *
 * JSON has all of them, always. As text a line is printed only if there is
 * something to say.
 */

#include "q_ramp.h"
#include "ramp_parse.h"

static void ramp_print_share(bool text, const char *name, __u64 share)
{
	char b[SPRINT_BSIZE];

	ramp_json_percent(name, share);
	if (!text)
		return;
	print_string(PRINT_FP, NULL, " %s", name);
	print_string(PRINT_FP, NULL, " %s", ramp_sprint_percent(share, b));
}

static void ramp_print_skbs(bool text, const char *name, __u32 skbs)
{
	print_uint(PRINT_JSON, name, NULL, skbs);
	if (!text)
		return;
	print_string(PRINT_FP, NULL, " %s", name);
	print_uint(PRINT_FP, NULL, " %up", skbs);
}

void ramp_print_code_stats(const struct tc_ramp_xstats *st)
{
	bool codes = st->codes_sent || st->codes_refreshed;
	bool frames = st->frames_sent || st->frames_lost;
	bool peers = st->codes_received || st->codes_stale ||
		     st->codes_malformed || st->codes_ignored ||
		     st->codes_expired || st->peer_rate != RAMP_FULL_RATE;
	bool events = st->events_lost;

	ramp_begin_line(codes);
	ramp_print_count(codes, "codes_sent", st->codes_sent);
	ramp_print_count(codes, "codes_refreshed", st->codes_refreshed);

	ramp_begin_line(frames);
	ramp_print_count(frames, "frames_sent", st->frames_sent);
	ramp_print_count(frames, "frames_lost", st->frames_lost);

	ramp_begin_line(peers);
	ramp_print_count(peers, "codes_received", st->codes_received);
	ramp_print_count(peers, "codes_stale", st->codes_stale);
	ramp_print_count(peers, "codes_malformed", st->codes_malformed);
	ramp_print_count(peers, "codes_ignored", st->codes_ignored);
	ramp_print_count(peers, "codes_expired", st->codes_expired);
	ramp_print_share(peers, "peer_rate", st->peer_rate);

	ramp_begin_line(events);
	ramp_print_count(events, "events_lost", st->events_lost);
}

void ramp_print_class_code_stats(const struct tc_ramp_class_xstats *st)
{
	bool ladder = st->level || st->next_up;
	bool codes = ladder || st->codes_sent;
	bool peers = st->peer_delayed || st->peer_rate != RAMP_FULL_RATE;

	ramp_begin_line(codes);
	print_uint(PRINT_JSON, "level", NULL, st->level);
	if (ladder)
		print_uint(PRINT_FP, NULL, " level %u", st->level);
	ramp_print_share(ladder, "code", st->code);
	/* At the top nothing is above, and at the bottom nothing below. */
	ramp_print_skbs(st->next_up, "next_up", st->next_up);
	ramp_print_skbs(st->level, "next_down", st->next_down);
	ramp_print_count(codes, "codes_sent", st->codes_sent);
	ramp_print_count(codes, "flaps", st->flaps);

	ramp_begin_line(peers);
	ramp_print_share(peers, "peer_rate", st->peer_rate);
	ramp_print_count(peers, "peer_delayed", st->peer_delayed);
}
