// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of an action mpolice, and the state of its bucket
 */

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "m_mpolice.h"

/* Packets are followed by bytes. */
#define MPOLICE_COUNTER(name, always) \
	{ #name, offsetof(struct mpolice_stats, name ## _packets), always }

static const struct {
	const char *name;
	size_t offset;
	bool always;	/* as text, even if it is zero */
} mpolice_counters[] = {
	MPOLICE_COUNTER(conformed, true),
	MPOLICE_COUNTER(exceeded, true),
	MPOLICE_COUNTER(over, false),
	MPOLICE_COUNTER(uncharged, false),
	MPOLICE_COUNTER(bypassed, false),
};

/* Kernel and tc may know a different number of counters. */
static void mpolice_print_counters(const struct rtattr *stats)
{
	struct mpolice_stats st = {};
	__u64 val[2];
	size_t i;

	memcpy(&st, RTA_DATA(stats), min(RTA_PAYLOAD(stats), sizeof(st)));
	print_nl();
	print_string(PRINT_FP, NULL, "%s", "\t");
	for (i = 0; i < ARRAY_SIZE(mpolice_counters); i++) {
		memcpy(val, (char *)&st + mpolice_counters[i].offset,
		       sizeof(val));
		open_json_object(mpolice_counters[i].name);
		print_lluint(PRINT_JSON, "packets", NULL, val[0]);
		print_lluint(PRINT_JSON, "bytes", NULL, val[1]);
		close_json_object();
		if (!val[0] && !val[1] && !mpolice_counters[i].always &&
		    !show_details)
			continue;
		print_string(PRINT_FP, NULL, " %s", mpolice_counters[i].name);
		print_lluint(PRINT_FP, NULL, " %llup", val[0]);
		print_lluint(PRINT_FP, NULL, " %llub", val[1]);
	}
}

/* As tc prints those of other actions. */
void mpolice_print_times(const struct rtattr *times)
{
	long hz = sysconf(_SC_CLK_TCK);
	struct tcf_t tm = {};

	memcpy(&tm, RTA_DATA(times), min(RTA_PAYLOAD(times), sizeof(tm)));
	if (tm.install)
		print_uint(PRINT_ANY, "installed", " installed %u sec",
			   tm.install / hz);
	if (tm.lastuse)
		print_uint(PRINT_ANY, "last_used", " used %u sec",
			   tm.lastuse / hz);
	if (tm.firstuse)
		print_uint(PRINT_ANY, "first_used", " firstused %u sec",
			   tm.firstuse / hz);
	if (tm.expires)
		print_uint(PRINT_ANY, "expires", " expires %u sec",
			   tm.expires / hz);
}

void mpolice_print_stats(struct rtattr *tb[])
{
	const char *unit = mpolice_in_packets(tb) ? "p" : "b";

	if (tb[TCA_MPOLICE_TOKENS]) {
		__s64 tokens = rta_getattr_u64(tb[TCA_MPOLICE_TOKENS]);
		char b[SPRINT_BSIZE];

		print_nl();
		print_s64(PRINT_JSON, "tokens", NULL, tokens);
		snprintf(b, sizeof(b), "%lld%s", (long long)tokens, unit);
		print_string(PRINT_FP, NULL, "\t tokens %s", b);
	}
	if (tb[TCA_MPOLICE_STRANDED]) {
		__u64 stranded = rta_getattr_u64(tb[TCA_MPOLICE_STRANDED]);

		print_lluint(PRINT_JSON, "stranded", NULL, stranded);
		if (stranded || show_details) {
			print_lluint(PRINT_FP, NULL, " stranded %llu", stranded);
			print_string(PRINT_FP, NULL, "%s", unit);
		}
	}
	if (tb[TCA_MPOLICE_USERS])
		print_uint(PRINT_ANY, "users", " users %u",
			   rta_getattr_u32(tb[TCA_MPOLICE_USERS]));
	if (tb[TCA_MPOLICE_STATS])
		mpolice_print_counters(tb[TCA_MPOLICE_STATS]);
}
