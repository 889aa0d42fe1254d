// SPDX-License-Identifier: GPL-2.0
/* tc's command line of qdisc ramp: whatever is said is refused or makes a message,
 * and what tc prints of that message makes it again.
 */
#include "tc.h"
#include "q_ramp.h"

extern struct qdisc_util ramp_qdisc_util;

/* Returns false if it was refused, or iproute2 wanted to end. */
static bool parse(char *text, struct tc_message *m)
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

static char *print(struct tc_message *m)
{
	size_t size;
	char *text;

	stdout = open_memstream(&text, &size);
	if (!stdout)
		abort();
	if (!setjmp(tc_exit))
		ramp_qdisc_util.print_qopt(&ramp_qdisc_util, stdout,
					   tc_options(m));
	fclose(stdout);
	stdout = tc_stdout;
	return text;
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
static bool all_printed(struct tc_message *m)
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
	return true;
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	static struct tc_message first, second;
	char *text, *printed, *again;

	tc_begin();
	text = strndup((const char *)data, size);
	if (parse(text, &first)) {
		printed = print(&first);
		again = strdup(printed);
		tc_no_remarks(again);
		if (all_printed(&first) && tc_in_range(printed)) {
			if (!parse(again, &second)) {
				fprintf(tc_stdout,
					"fuzz: printed, and refused: %s\n",
					printed);
				fflush(tc_stdout);
				abort();
			}
			tc_same(&first, &second, printed);
		}
		free(again);
		free(printed);
	}
	free(text);
	return 0;
}
