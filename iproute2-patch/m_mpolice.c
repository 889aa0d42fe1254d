// SPDX-License-Identifier: GPL-2.0
/*
 * Mpolice: many policies on one shared token bucket
 *
 * The parameters are a table, mpolice_params[]: a row says how a keyword is
 * parsed, sent and printed, and what the usage text says about it.
 *
 * Values are sent as they were written. What is in range is the kernel's
 * decision, and its refusals name the parameter. Refused here is only what the
 * netlink interface cannot express.
 */

#include <stdlib.h>
#include <string.h>

#include "m_mpolice.h"

#define MPOLICE_A_SIZE	"a size, as 1514b, 64k or 1m"
#define MPOLICE_TOKENS	"a size (64k), or packets (50p) where the bucket counts these"
#define MPOLICE_CONTROLS \
	"drop, pipe, pass, continue, reclassify, trap, jump N or goto chain N"

/* In the order in which they are shown. */
enum {
	MPOLICE_BUCKET,
	MPOLICE_RATE,
	MPOLICE_PPS,
	MPOLICE_BURST,
	MPOLICE_PKT_BURST,
	MPOLICE_INTERVAL,
	MPOLICE_DEBT,
	MPOLICE_POLICY,
	MPOLICE_THRESHOLD,
	MPOLICE_CONTROL,
	MPOLICE_INDEX,
	MPOLICE_PARAMS
};

static const struct mpolice_param mpolice_params[MPOLICE_PARAMS] = {
	[MPOLICE_BUCKET] = {
		.keyword = "bucket", .takes = "ID",
		.accepted = "1..4294967295",
		.type = &mpolice_type_u32, .attr = TCA_MPOLICE_BUCKET },
	[MPOLICE_RATE] = {
		.keyword = "rate", .takes = "RATE",
		.accepted = "a rate of at least 8bit, as 100mbit",
		.type = &mpolice_type_rate, .attr = TCA_MPOLICE_RATE },
	[MPOLICE_PPS] = {
		.keyword = "pps", .takes = "RATE",
		.accepted = "packets per second, as 1000",
		.type = &mpolice_type_pps, .attr = TCA_MPOLICE_PPS },
	[MPOLICE_BURST] = {
		.keyword = "burst", .takes = "SIZE",
		.accepted = MPOLICE_A_SIZE,
		.type = &mpolice_type_burst, .attr = TCA_MPOLICE_BURST },
	[MPOLICE_PKT_BURST] = {
		.keyword = "pkt-burst", .takes = "N",
		.accepted = "packets, as 50",
		.type = &mpolice_type_pkt_burst, .attr = TCA_MPOLICE_BURST },
	[MPOLICE_INTERVAL] = {
		.keyword = "interval", .takes = "TIME",
		.accepted = "a time, as 250us, 100ms or 1s, or 0",
		.type = &mpolice_type_time, .attr = TCA_MPOLICE_INTERVAL },
	[MPOLICE_DEBT] = {
		.keyword = "debt", .takes = "SIZE|unlimited",
		.accepted = MPOLICE_TOKENS ", or unlimited",
		.type = &mpolice_type_debt, .attr = TCA_MPOLICE_DEBT },
	[MPOLICE_POLICY] = {
		.keyword = "policy", .takes = "drop|account|bypass",
		.accepted = "drop, account or bypass",
		.type = &mpolice_type_policy, .attr = TCA_MPOLICE_POLICY },
	[MPOLICE_THRESHOLD] = {
		.keyword = "threshold", .takes = "SIZE",
		.accepted = MPOLICE_TOKENS,
		.type = &mpolice_type_threshold,
		.attr = TCA_MPOLICE_THRESHOLD },
	[MPOLICE_CONTROL] = {
		.keyword = "conform-exceed", .takes = "EXCEED[/CONFORM]",
		.accepted = MPOLICE_CONTROLS "; the same after a /",
		.type = &mpolice_type_control, .attr = TCA_MPOLICE_EXCEED },
	[MPOLICE_INDEX] = {
		.keyword = "index", .takes = "N",
		.accepted = "0..4294967295",
		.type = &mpolice_type_u32, .attr = TCA_MPOLICE_INDEX },
};

/* What may follow the parameters: of the action, of the filter, or the next. */
static const char * const mpolice_followers[] = {
	"action", "cookie", "hw_stats", "no_percpu", "skip_sw", "skip_hw",
	"flowid", "classid", "add", "change", "replace", "delete", "get",
};

static void explain(void)
{
	fprintf(stderr,
		"Usage: ... mpolice bucket ID [ rate RATE [ burst SIZE ] |\n"
		"                               pps RATE [ pkt-burst N ] ]\n"
		"                   [ interval TIME ] [ debt SIZE|unlimited ]\n"
		"                   policy { drop | account | bypass } [ threshold SIZE ]\n"
		"                   [ conform-exceed EXCEED[/CONFORM] ] [ index N ]\n"
		"       ... mpolice index N\n"
		"where  ID := the bucket; the first action that gives it a rate makes it\n"
		"       EXCEED, CONFORM := drop | pipe | pass | continue | reclassify | trap |\n"
		"                          jump N | goto chain N\n"
		"       debt, threshold := SIZE, or Np (packets) of a bucket with pps\n");
}

static int mpolice_illegal(const struct mpolice_param *p, const char *arg,
			   const char *wrong)
{
	fprintf(stderr, "Illegal \"%s\"", p->keyword);
	if (arg)
		fprintf(stderr, " value \"%s\"", arg);
	fprintf(stderr, ": %s. Accepted: %s.\n", wrong, p->accepted);
	return -1;
}

static const struct mpolice_param *mpolice_find(const char *word)
{
	const struct mpolice_param *p;

	for (p = mpolice_params; p < mpolice_params + MPOLICE_PARAMS; p++)
		if (!strcmp(word, p->keyword))
			return p;
	return NULL;
}

static bool mpolice_follows(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mpolice_followers); i++)
		if (!strcmp(word, mpolice_followers[i]))
			return true;
	return false;
}

/* Does the command line contradict itself? */
static int mpolice_check_units(const struct mpolice_value *values)
{
	static const int sized[] = { MPOLICE_DEBT, MPOLICE_THRESHOLD };
	bool packets = values[MPOLICE_PPS].arg || values[MPOLICE_PKT_BURST].arg;
	bool bytes = values[MPOLICE_RATE].arg || values[MPOLICE_BURST].arg;
	size_t i;

	if (values[MPOLICE_BURST].arg && packets && !values[MPOLICE_RATE].arg)
		return mpolice_illegal(&mpolice_params[MPOLICE_BURST],
				       values[MPOLICE_BURST].arg,
				       "a bucket with pps has pkt-burst");
	if (values[MPOLICE_PKT_BURST].arg && bytes && !values[MPOLICE_PPS].arg)
		return mpolice_illegal(&mpolice_params[MPOLICE_PKT_BURST],
				       values[MPOLICE_PKT_BURST].arg,
				       "a bucket with rate has burst");

	for (i = 0; i < ARRAY_SIZE(sized); i++) {
		const struct mpolice_value *v = &values[sized[i]];

		if ((v->unit == MPOLICE_UNIT_BYTES && packets) ||
		    (v->unit == MPOLICE_UNIT_PACKETS && bytes))
			return mpolice_illegal(&mpolice_params[sized[i]],
					       v->arg, packets ?
					       "a bucket with pps counts packets" :
					       "a bucket with rate counts bytes");
	}
	return 0;
}

/* Where the command line does not name the bucket's rate, the kernel knows what its
 * tokens are, and is told what these are meant to be.
 */
static int mpolice_put_unit(const struct mpolice_value *values,
			    struct nlmsghdr *n)
{
	int i, bytes = -1, packets = -1;

	for (i = 0; i < MPOLICE_PARAMS; i++) {
		if (values[i].unit == MPOLICE_UNIT_BYTES)
			bytes = i;
		if (values[i].unit == MPOLICE_UNIT_PACKETS)
			packets = i;
	}
	if (bytes >= 0 && packets >= 0) {
		fprintf(stderr,
			"%s \"%s\" is in bytes, and %s \"%s\" in packets: a bucket counts one of them.\n",
			mpolice_params[bytes].keyword, values[bytes].arg,
			mpolice_params[packets].keyword, values[packets].arg);
		return -1;
	}
	if ((bytes >= 0 || packets >= 0) && !values[MPOLICE_RATE].arg &&
	    !values[MPOLICE_PPS].arg)
		addattr32(n, MAX_MSG, TCA_MPOLICE_PACKETS, packets >= 0);
	return 0;
}

static int mpolice_parse_params(int *argc_p, char ***argv_p,
				struct mpolice_value *values)
{
	int argc = *argc_p;
	char **argv = *argv_p;

	while (argc > 0 && !mpolice_follows(*argv)) {
		const struct mpolice_param *p = mpolice_find(*argv);
		struct mpolice_value *v;
		const char *wrong;
		int used = 1;

		if (!strcmp(*argv, "help")) {
			explain();
			exit(-1);
		}
		if (!p) {
			fprintf(stderr, "What is \"%s\"?\n", *argv);
			explain();
			return -1;
		}
		if (!NEXT_ARG_OK())
			return mpolice_illegal(p, NULL, "a value is missing");
		NEXT_ARG_FWD();

		v = &values[p - mpolice_params];
		if (v->arg)
			return mpolice_illegal(p, *argv, "it is given twice");
		v->arg = *argv;
		wrong = p->type->parse(argc, argv, v, &used);
		if (wrong)
			return mpolice_illegal(p, v->arg, wrong);
		argc -= used;
		argv += used;
	}

	*argc_p = argc;
	*argv_p = argv;
	return 0;
}

static int mpolice_parse(const struct action_util *a, int *argc_p,
			 char ***argv_p, int tca_id, struct nlmsghdr *n)
{
	struct mpolice_value values[MPOLICE_PARAMS] = {};
	struct rtattr *tail;
	int i;

	/* The name of the action */
	(*argc_p)--;
	(*argv_p)++;
	if (mpolice_parse_params(argc_p, argv_p, values))
		return -1;
	if (!values[MPOLICE_BUCKET].arg && !values[MPOLICE_INDEX].arg) {
		fprintf(stderr, "mpolice needs a \"bucket\" or an \"index\".\n");
		return -1;
	}
	if (mpolice_check_units(values))
		return -1;

	tail = addattr_nest(n, MAX_MSG, tca_id);
	for (i = 0; i < MPOLICE_PARAMS; i++)
		if (values[i].arg)
			mpolice_params[i].type->put(&mpolice_params[i],
						    &values[i], n);
	if (mpolice_put_unit(values, n))
		return -1;
	addattr_nest_end(n, tail);
	return 0;
}

static void mpolice_print_refs(struct rtattr *tb[])
{
	print_nl();
	print_string(PRINT_FP, NULL, "%s", "\t ");
	mpolice_params[MPOLICE_INDEX].type->print(&mpolice_params[MPOLICE_INDEX],
						  tb);
	if (tb[TCA_MPOLICE_REFCNT])
		print_uint(PRINT_ANY, "ref", "ref %u ",
			   rta_getattr_u32(tb[TCA_MPOLICE_REFCNT]));
	if (tb[TCA_MPOLICE_BINDCNT])
		print_uint(PRINT_ANY, "bind", "bind %u",
			   rta_getattr_u32(tb[TCA_MPOLICE_BINDCNT]));
	if (show_stats && tb[TCA_MPOLICE_TM])
		mpolice_print_times(tb[TCA_MPOLICE_TM]);
}

static int mpolice_print(const struct action_util *a, FILE *f,
			 struct rtattr *arg)
{
	struct rtattr *tb[TCA_MPOLICE_MAX + 1];
	int i;

	print_string(PRINT_ANY, "kind", "%s ", "mpolice");
	/* A terse dump has no options. */
	if (!arg)
		return 0;

	parse_rtattr_nested(tb, TCA_MPOLICE_MAX, arg);
	for (i = 0; i < MPOLICE_INDEX; i++)
		if (tb[mpolice_params[i].attr] &&
		    mpolice_is_shown(&mpolice_params[i], tb))
			mpolice_params[i].type->print(&mpolice_params[i], tb);
	if (tb[TCA_MPOLICE_INDEX])
		mpolice_print_refs(tb);
	if (show_stats)
		mpolice_print_stats(tb);
	print_nl();
	return 0;
}

struct action_util mpolice_action_util = {
	.id		= "mpolice",
	.parse_aopt	= mpolice_parse,
	.print_aopt	= mpolice_print,
};

TC_FIT_ACTION(mpolice_action_util)
