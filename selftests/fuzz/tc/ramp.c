// SPDX-License-Identifier: GPL-2.0
/* tc's command line of qdisc ramp: whatever is said is refused or makes a message,
 * and what tc prints of that message makes it again.
 */
#include "tc.h"
#include "q_ramp.h"

extern struct qdisc_util ramp_qdisc_util;

/* Returns false if it was refused, or iproute2 wanted to end. */
static bool tc_parse(char *text, struct tc_message *m)
{
	char *argv[TC_ARGS_MAX + 1];
	int argc = tc_split(text, argv);

	tc_message_init(m);
	if (setjmp(tc_exit))
		return false;
	if (ramp_qdisc_util.parse_qopt(&ramp_qdisc_util, argc, argv, &m->n,
				       "eth0"))
		return false;
	if (m->n.nlmsg_len > RAMP_MSG_MAX)
		abort();
	return true;
}

static void tc_print(FILE *to, struct rtattr *options)
{
	ramp_qdisc_util.print_qopt(&ramp_qdisc_util, to, options);
}

/* A band that has no ladder of its own any more is not printed. */
static bool ladders_printed(struct rtattr *list)
{
	struct rtattr *tb[TCA_RAMP_BAND_LADDER_MAX + 1], *entry;
	int rem;

	if (!list)
		return true;
	rem = RTA_PAYLOAD(list);
	for (entry = RTA_DATA(list); RTA_OK(entry, rem);
	     entry = RTA_NEXT(entry, rem)) {
		parse_rtattr_nested(tb, TCA_RAMP_BAND_LADDER_MAX, entry);
		if (!tb[TCA_RAMP_BAND_LADDER_LADDER])
			return false;
	}
	return true;
}

/* Without gears, nothing that is about them is printed. */
static bool tc_all_printed(struct tc_message *m)
{
	struct rtattr *tb[TCA_RAMP_MAX + 1];
	int i;

	parse_rtattr_nested(tb, TCA_RAMP_MAX, tc_options(m));
	if (!ladders_printed(tb[TCA_RAMP_BAND_LADDERS]))
		return false;
	if (tb[TCA_RAMP_GEARS] && RTA_PAYLOAD(tb[TCA_RAMP_GEARS]))
		return true;
	for (i = TCA_RAMP_GEARS; i <= TCA_RAMP_CLOCK_CPUS; i++)
		if (tb[i])
			return false;
	for (i = TCA_RAMP_GEAR_UP_TIME; i <= TCA_RAMP_POWER_PORTS; i++)
		if (tb[i])
			return false;
	return true;
}
