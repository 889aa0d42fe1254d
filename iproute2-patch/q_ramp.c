// SPDX-License-Identifier: GPL-2.0
/*
 * Ramp: lets the egress rate climb or fall in steps after a surge
 *
 * The parameters are a table, ramp_params[]: a row says how a keyword is
 * parsed, sent and printed, and what the usage text says about it.
 *
 * Values are sent as they were written. What is in range is the kernel's
 * decision, and its refusals name the parameter. Refused here is only what the
 * netlink interface cannot express.
 */

#include "q_ramp.h"

static const char * const ramp_detect_names[] = {
	[RAMP_DETECT_OFF]	= "off",
	[RAMP_DETECT_QUEUE]	= "queue",
	[RAMP_DETECT_INGRESS]	= "ingress",
	[RAMP_DETECT_BOTH]	= "both",
	[RAMP_DETECT_MEMBERS]	= "members",
	[RAMP_DETECT_ALWAYS]	= "always",
	[__RAMP_DETECT_MAX]	= NULL,
};

/* RAMP_CEASE_TIME has no name, but the time. */
static const char * const ramp_cease_names[] = {
	[RAMP_CEASE_FULL]	= "full",
	[RAMP_CEASE_AUTO]	= "auto",
	[RAMP_CEASE_TIME]	= NULL,
};

static const char * const ramp_follow_names[] = {
	[RAMP_GEAR_FOLLOW_AUTO]		= "auto",
	[RAMP_GEAR_FOLLOW_OCCUPANCY]	= "occupancy",
	[RAMP_GEAR_FOLLOW_LINKS]	= "links",
	[RAMP_GEAR_FOLLOW_BOTH]		= "both",
	[__RAMP_GEAR_FOLLOW_MAX]	= NULL,
};

static const char * const ramp_clock_names[] = {
	[RAMP_CLOCK_NONE]	= "none",
	[RAMP_CLOCK_CPUFREQ]	= "cpufreq",
	[__RAMP_CLOCK_MAX]	= NULL,
};

#define RAMP_QUEUE_UNITS	(BIT(RAMP_UNIT_PACKETS) | \
				 BIT(RAMP_UNIT_PERCENT))
#define RAMP_INGRESS_UNITS	(BIT(RAMP_UNIT_RATE) | BIT(RAMP_UNIT_PPS) | \
				 BIT(RAMP_UNIT_PERCENT))
#define RAMP_AMOUNT_UNITS	(BIT(RAMP_UNIT_PACKETS) | \
				 BIT(RAMP_UNIT_RATE) | BIT(RAMP_UNIT_PERCENT))
#define RAMP_A_TIME		"a time, as 250us, 10ms or 1s"
#define RAMP_AN_AMOUNT		"packets per tick (2p), a rate (10mbit) or " \
				"percent of rate (12.5%)"
#define RAMP_A_LEVEL		"LOW:HIGH or +DELTA "
#define RAMP_A_PERCENT		"a percentage, as 5% or 12.5%"
#define RAMP_A_LADDER		"a threshold in percent of the limit and the rate " \
				"from there on for each step (50%:80%,75%:50%), or none"

#define RAMP_SHARES_OR_TIMES	"one percentage or time, or one for each gear " \
				"(50%,60%,70%; 200us)"

/* In the order in which they are shown. */
static const struct ramp_param ramp_params[] = {
	{ .keyword = "limit", .takes = "PACKETS|SIZE|auto",
	  .accepted = "1..1048576 packets, a size of 1kb..1gb, or auto",
	  .preset = "auto",
	  .type = &ramp_type_limit, .attr = TCA_RAMP_LIMIT,
	  .other = TCA_RAMP_LIMIT_BYTES },
	{ .keyword = "band-limit", .takes = "BAND PACKETS|SIZE|auto",
	  .accepted = "a band of 0..15, then packets or a size up to limit, or auto",
	  .type = &ramp_type_band_limit, .attr = TCA_RAMP_BAND_LIMITS },
	{ .keyword = "rate", .takes = "RATE|auto",
	  .accepted = "a rate of at least 8kbit, as 10gbit, or auto",
	  .preset = "auto",
	  .type = &ramp_type_rate, .attr = TCA_RAMP_RATE },
	{ .keyword = "bands", .takes = "N",
	  .accepted = "1..16 bands",
	  .preset = "1",
	  .type = &ramp_type_bands, .attr = TCA_RAMP_BANDS },
	{ .keyword = "priomap", .takes = "P0 ... P15",
	  .accepted = "16 bands of 0..15, one for each priority",
	  .type = &ramp_type_priomap, .attr = TCA_RAMP_PRIOMAP },
	{ .keyword = "exempt", .takes = "BAND,...|none",
	  .accepted = "bands of 0..15 (0,2), or none",
	  .preset = "none",
	  .type = &ramp_type_exempt, .attr = TCA_RAMP_EXEMPT },
	{ .keyword = "split-gso",
	  .preset = "split-gso",
	  .type = &ramp_type_flag, .attr = TCA_RAMP_SPLIT_GSO },
	{ .keyword = "detect",
	  .takes = "off|queue|members|ingress|both|always",
	  .accepted = "off, queue, members, ingress, both or always",
	  .preset = "always",
	  .type = &ramp_type_choice, .attr = TCA_RAMP_DETECT,
	  .names = ramp_detect_names },
	{ .keyword = "queue", .takes = "LOW:HIGH|+DELTA",
	  .accepted = RAMP_A_LEVEL "in packets (50:500) or in percent of limit (5%:50%)",
	  .preset = "5%:50%",
	  .type = &ramp_type_level, .attr = TCA_RAMP_QUEUE,
	  .units = RAMP_QUEUE_UNITS },
	{ .keyword = "members", .takes = "LOW:HIGH|+DELTA",
	  .accepted = RAMP_A_LEVEL "in bands (1:4), where HIGH may be bands (1:bands)",
	  .preset = "1:bands",
	  .type = &ramp_type_level, .attr = TCA_RAMP_MEMBERS,
	  .units = BIT(RAMP_UNIT_BANDS), .all = "bands" },
	{ .keyword = "ingress", .takes = "LOW:HIGH|+DELTA",
	  .accepted = RAMP_A_LEVEL "as rates (1gbit:8gbit), Npps or percent of rate (10%:80%)",
	  .preset = "1%:10%",
	  .type = &ramp_type_level, .attr = TCA_RAMP_INGRESS,
	  .units = RAMP_INGRESS_UNITS },
	{ .keyword = "window", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .preset = "1ms",
	  .type = &ramp_type_time, .attr = TCA_RAMP_WINDOW },
	{ .keyword = "monitor", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .preset = "20ms",
	  .type = &ramp_type_time, .attr = TCA_RAMP_MONITOR },
	{ .keyword = "tick", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .preset = "100us",
	  .type = &ramp_type_time, .attr = TCA_RAMP_TICK },
	{ .keyword = "start", .takes = "AMOUNT", .accepted = RAMP_AN_AMOUNT,
	  .preset = "5%",
	  .type = &ramp_type_amount, .attr = TCA_RAMP_START,
	  .units = RAMP_AMOUNT_UNITS },
	{ .keyword = "step", .takes = "AMOUNT", .accepted = RAMP_AN_AMOUNT,
	  .preset = "5%",
	  .type = &ramp_type_amount, .attr = TCA_RAMP_STEP,
	  .units = RAMP_AMOUNT_UNITS },
	{ .keyword = "pause", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .preset = "0",
	  .type = &ramp_type_time, .attr = TCA_RAMP_PAUSE },
	{ .keyword = "hold", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .preset = "0",
	  .type = &ramp_type_time, .attr = TCA_RAMP_HOLD },
	{ .keyword = "down-step", .takes = "AMOUNT", .accepted = RAMP_AN_AMOUNT,
	  .type = &ramp_type_amount, .attr = TCA_RAMP_DOWN_STEP,
	  .units = RAMP_AMOUNT_UNITS },
	{ .keyword = "floor", .takes = "AMOUNT", .accepted = RAMP_AN_AMOUNT,
	  .type = &ramp_type_amount, .attr = TCA_RAMP_FLOOR,
	  .units = RAMP_AMOUNT_UNITS },
	{ .keyword = "adaptive",
	  .preset = "no-adaptive",
	  .type = &ramp_type_flag, .attr = TCA_RAMP_ADAPTIVE },
	{ .keyword = "cease", .takes = "full|auto|TIME",
	  .accepted = "full, auto, or " RAMP_A_TIME,
	  .preset = "full",
	  .type = &ramp_type_cease, .attr = TCA_RAMP_CEASE,
	  .names = ramp_cease_names },
	{ .keyword = "rail", .takes = "ID|none",
	  .accepted = "a number that all members of the rail share, or none",
	  .preset = "none",
	  .type = &ramp_type_rail, .attr = TCA_RAMP_RAIL },
	{ .keyword = "gears", .takes = "RATE,...|none",
	  .accepted = "2..16 rates that rise, first the idle gear (1gbit,5gbit,9gbit), or none",
	  .type = &ramp_type_list, .attr = TCA_RAMP_GEARS,
	  .list = &ramp_list_rates, .none = true, .of_gears = true },
	{ .keyword = "gear-up", .takes = "PCT|TIME,...",
	  .accepted = RAMP_SHARES_OR_TIMES,
	  .preset = "200us",
	  .type = &ramp_type_threshold, .attr = TCA_RAMP_GEAR_UP_TIME,
	  .other = TCA_RAMP_GEAR_UP, .of_gears = true },
	{ .keyword = "gear-down", .takes = "PCT|TIME,...",
	  .accepted = RAMP_SHARES_OR_TIMES,
	  .preset = "50us",
	  .type = &ramp_type_threshold, .attr = TCA_RAMP_GEAR_DOWN_TIME,
	  .other = TCA_RAMP_GEAR_DOWN, .of_gears = true },
	{ .keyword = "gear-fit", .takes = "PCT|off",
	  .accepted = RAMP_A_PERCENT ", or off",
	  .preset = "90%",
	  .type = &ramp_type_fit, .attr = TCA_RAMP_GEAR_FIT,
	  .of_gears = true },
	{ .keyword = "gear-range", .takes = "MIN:MAX|none",
	  .accepted = "numbers of gears from 1 on (1:3), or none",
	  .preset = "none",
	  .type = &ramp_type_range, .attr = TCA_RAMP_GEAR_MIN,
	  .of_gears = true },
	{ .keyword = "gear-follow", .takes = "auto|occupancy|links|both",
	  .accepted = "auto, occupancy, links or both",
	  .preset = "auto",
	  .type = &ramp_type_choice, .attr = TCA_RAMP_GEAR_FOLLOW,
	  .names = ramp_follow_names, .of_gears = true },
	{ .keyword = "gear-ports", .takes = "DEV,...|none",
	  .accepted = "names of devices (eth0,eth1), or none",
	  .type = &ramp_type_devices, .attr = TCA_RAMP_GEAR_PORTS,
	  .of_gears = true },
	{ .keyword = "freeze", .takes = "TIME|auto",
	  .accepted = RAMP_A_TIME ", or auto",
	  .preset = "0",
	  .type = &ramp_type_freeze, .attr = TCA_RAMP_FREEZE,
	  .of_gears = true },
	{ .keyword = "dwell", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .preset = "10ms",
	  .type = &ramp_type_time, .attr = TCA_RAMP_DWELL, .of_gears = true },
	{ .keyword = "idle", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .preset = "100ms",
	  .type = &ramp_type_time, .attr = TCA_RAMP_IDLE, .of_gears = true },
	{ .keyword = "power", .takes = "WATTS,...|none",
	  .accepted = "a power for each gear (28.24,67.03,100), with power-ports one, or none",
	  .type = &ramp_type_list, .attr = TCA_RAMP_POWER,
	  .list = &ramp_list_watts, .none = true, .of_gears = true },
	{ .keyword = "power-ports", .takes = "PCT,...|none",
	  .accepted = "2..16 percentages of power, the last for all ports up (30%,100%), or none",
	  .type = &ramp_type_list, .attr = TCA_RAMP_POWER_PORTS,
	  .list = &ramp_list_shares, .none = true, .of_gears = true },
	{ .keyword = "clock", .takes = "none|cpufreq[:PCT,...]",
	  .accepted = "none, or cpufreq, also with percentages of each gear (cpufreq:50%,100%)",
	  .preset = "none",
	  .type = &ramp_type_clock, .attr = TCA_RAMP_CLOCK,
	  .names = ramp_clock_names, .of_gears = true },
	{ .keyword = "cpus", .takes = "LIST|none",
	  .accepted = "numbers of CPUs (0-3,7), or none",
	  .type = &ramp_type_cpus, .attr = TCA_RAMP_CLOCK_CPUS,
	  .of_gears = true },
	{ .keyword = "ladder", .takes = "PCT:PCT,...|none",
	  .accepted = RAMP_A_LADDER,
	  .type = &ramp_type_ladder, .attr = TCA_RAMP_LADDER },
	{ .keyword = "band-ladder", .takes = "BAND PCT:PCT,...|none|auto",
	  .accepted = "a band of 0..15, then " RAMP_A_LADDER ", or auto",
	  .type = &ramp_type_band_ladder, .attr = TCA_RAMP_BAND_LADDERS },
	{ .keyword = "adjust", .takes = "PCT", .accepted = RAMP_A_PERCENT,
	  .preset = "3%",
	  .type = &ramp_type_percent, .attr = TCA_RAMP_ADJUST },
	{ .keyword = "feedback", .takes = "DEV,...|none",
	  .accepted = "names of devices (eth0,eth1), or none",
	  .type = &ramp_type_devices, .attr = TCA_RAMP_FEEDBACK },
	{ .keyword = "band-feedback", .takes = "BAND DEV|none",
	  .accepted = "a band of 0..15, then the name of a device, or none",
	  .type = &ramp_type_band_feedback, .attr = TCA_RAMP_BAND_FEEDBACKS },
	{ .keyword = "validity", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .preset = "1s",
	  .type = &ramp_type_time, .attr = TCA_RAMP_VALIDITY },
	{ .keyword = "ethertype", .takes = "N",
	  .accepted = "a number, as 0x88b5",
	  .preset = "0x88b5",
	  .type = &ramp_type_ethertype, .attr = TCA_RAMP_ETHERTYPE },
	{ .keyword = "obey", .takes = "[ min PCT ] [ from MAC,...|any ]",
	  .accepted = "min and " RAMP_A_PERCENT ", from and addresses or any",
	  .preset = "no-obey",
	  .type = &ramp_type_obey, .attr = TCA_RAMP_OBEY },
};

#define RAMP_PARAMS	ARRAY_SIZE(ramp_params)

static int ramp_usage(const struct ramp_param *p, char *word, size_t size)
{
	const struct ramp_type *type = p->type;

	if (type->args)
		return snprintf(word, size, " [ %s %s ]", p->keyword, p->takes);
	if (type->options)
		return snprintf(word, size, " [ %s %s | no-%s ]",
				p->keyword, p->takes, p->keyword);
	return snprintf(word, size, " [ %s | no-%s ]", p->keyword, p->keyword);
}

static void explain(const struct qdisc_util *qu)
{
	const struct ramp_param *p;
	char word[80];
	size_t col;
	int len;

	col = fprintf(stderr, "Usage: ... %s", qu->id);
	for (p = ramp_params; p < ramp_params + RAMP_PARAMS; p++) {
		/* It has a rail of its own. */
		if (qu == &ramp_mq_qdisc_util && p->attr == TCA_RAMP_RAIL)
			continue;
		len = ramp_usage(p, word, sizeof(word));
		if (col + len > 79)
			col = fprintf(stderr, "\n               ") - 1;
		col += fprintf(stderr, "%s", word);
	}
	fprintf(stderr,
		"\n"
		"where  AMOUNT := Np (packets per tick) | RATE | PCT%% (of rate)\n"
		"       LOW:HIGH, DELTA of queue := packets | PCT%% (of limit)\n"
		"       LOW:HIGH, DELTA of members := bands; HIGH may be \"bands\", all of them\n"
		"       LOW:HIGH, DELTA of ingress := RATE | Npps | PCT%% (of rate)\n"
		"       PCT:PCT of a ladder := threshold (of the limit of the band) : rate\n"
		"       gears are numbered from 0, which is the idle gear; PCT of gear-up and\n"
		"       gear-down := of limit, of gear-fit := of the lower gear, of\n"
		"       power-ports := of power\n"
		"       band-limit, band-ladder and band-feedback may be given once for each\n"
		"       band\n");
}

static int ramp_illegal(const struct ramp_param *p, const char *arg,
			const char *wrong)
{
	fprintf(stderr, "Illegal \"%s\"", p->keyword);
	if (arg)
		fprintf(stderr, " value \"%s\"", arg);
	/* Some are questions. */
	fprintf(stderr, ": %s%s Accepted: %s.\n", wrong,
		wrong[strlen(wrong) - 1] == '?' ? "" : ".", p->accepted);
	return -1;
}

/* @on: false if it is a flag that is being taken back */
static const struct ramp_param *ramp_find(const char *word, bool *on)
{
	const struct ramp_param *p;

	for (p = ramp_params; p < ramp_params + RAMP_PARAMS; p++) {
		*on = strncmp(word, "no-", 3) != 0 || p->type->args;
		if (!strcmp(*on ? word : word + 3, p->keyword))
			return p;
	}
	return NULL;
}

/* Which of its options is this? -1: none. */
static int ramp_option(const struct ramp_type *type, const char *word)
{
	int i;

	for (i = 0; type->options && type->options[i]; i++)
		if (!strcmp(word, type->options[i]))
			return i;
	return -1;
}

/* The next word is argument @i of @p. */
static int ramp_parse_arg(const struct ramp_param *p, unsigned int i, int argc,
			  char **argv, struct ramp_value *v)
{
	const char *wrong;

	if (!NEXT_ARG_OK())
		return ramp_illegal(p, NULL, "a value is missing");
	wrong = p->type->parse(p, i, argv[1], v);
	return wrong ? ramp_illegal(p, argv[1], wrong) : 0;
}

static int ramp_parse_opt(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev)
{
	struct ramp_value values[RAMP_PARAMS] = {};
	const struct ramp_param *p;
	struct rtattr *tail;
	unsigned int i;

	for (; argc > 0; argc--, argv++) {
		struct ramp_value *v;
		int option;
		bool on;

		if (!strcmp(*argv, "help")) {
			explain(qu);
			return -1;
		}
		p = ramp_find(*argv, &on);
		if (!p) {
			fprintf(stderr, "What is \"%s\"?\n", *argv);
			explain(qu);
			return -1;
		}

		v = &values[p - ramp_params];
		v->set = true;
		v->val = on;
		for (i = 0; i < p->type->args; i++) {
			if (ramp_parse_arg(p, i, argc, argv, v))
				return -1;
			NEXT_ARG_FWD();
		}
		while (NEXT_ARG_OK()) {
			option = ramp_option(p->type, argv[1]);
			if (option < 0)
				break;
			NEXT_ARG_FWD();
			if (ramp_parse_arg(p, i + option, argc, argv, v))
				return -1;
			NEXT_ARG_FWD();
		}
	}

	tail = addattr_nest(n, RAMP_MSG_MAX, TCA_OPTIONS | NLA_F_NESTED);
	for (i = 0; i < RAMP_PARAMS; i++)
		if (values[i].set)
			ramp_params[i].type->put(&ramp_params[i], &values[i],
						 n);
	addattr_nest_end(n, tail);
	return 0;
}

/* Without this, tc would call the qdisc classless. */
static int ramp_parse_class(const struct qdisc_util *qu, int argc, char **argv,
			    struct nlmsghdr *n, const char *dev)
{
	fprintf(stderr,
		"The classes of ramp are its bands: see bands, band-limit and exempt of the qdisc.\n");
	return -1;
}

static int ramp_print_opt(const struct qdisc_util *qu, FILE *f,
			  struct rtattr *opt)
{
	struct rtattr *tb[TCA_RAMP_MAX + 1];
	const struct ramp_param *p;
	bool gears;

	if (!opt)
		return 0;

	parse_rtattr_nested(tb, TCA_RAMP_MAX, opt);
	gears = tb[TCA_RAMP_GEARS] && RTA_PAYLOAD(tb[TCA_RAMP_GEARS]);
	for (p = ramp_params; p < ramp_params + RAMP_PARAMS; p++)
		if ((tb[p->attr] || tb[p->other]) && (gears || !p->of_gears) &&
		    ramp_is_shown(p, tb))
			p->type->print(p, tb);
	return 0;
}

/* Without this, tc would call the qdisc classless. */
static int ramp_mq_parse_class(const struct qdisc_util *qu, int argc,
			       char **argv, struct nlmsghdr *n, const char *dev)
{
	fprintf(stderr,
		"The classes of ramp_mq are the transmit queues of its device: see ethtool -L.\n");
	return -1;
}

struct qdisc_util ramp_qdisc_util = {
	.id		= "ramp",
	.parse_qopt	= ramp_parse_opt,
	.print_qopt	= ramp_print_opt,
	.print_xstats	= ramp_print_xstats,
	.parse_copt	= ramp_parse_class,
};

struct qdisc_util ramp_mq_qdisc_util = {
	.id		= "ramp_mq",
	.parse_qopt	= ramp_parse_opt,
	.print_qopt	= ramp_print_opt,
	.print_xstats	= ramp_print_xstats,
	.parse_copt	= ramp_mq_parse_class,
};

TC_FIT_QDISC(ramp_qdisc_util)
TC_FIT_QDISC(ramp_mq_qdisc_util)
