// SPDX-License-Identifier: GPL-2.0
/* tc's command line of action mpolice: whatever is said is refused or makes a
 * message, and what tc prints of that message makes it again.
 */
#include "tc.h"
#include <linux/tc_act/tc_mpolice.h>

extern struct action_util mpolice_action_util;

static bool tc_parse(char *text, struct tc_message *m)
{
	char *argv[TC_ARGS_MAX + 1], **at = argv;
	int argc = tc_split(text, argv);

	tc_message_init(m);
	if (!argc || setjmp(tc_exit))
		return false;
	return !mpolice_action_util.parse_aopt(&mpolice_action_util, &argc, &at,
					       TCA_OPTIONS, &m->n);
}

static void tc_print(FILE *to, struct rtattr *options)
{
	mpolice_action_util.print_aopt(&mpolice_action_util, to, options);
}

/* iproute2 takes any number for a control action, but has no word for most. */
static bool has_word(struct rtattr *attr)
{
	__s32 action = attr ? rta_getattr_s32(attr) : TC_ACT_OK;

	if (action < 0)
		return action == TC_ACT_UNSPEC;
	if (TC_ACT_EXT_OPCODE(action))
		return TC_ACT_EXT_CMP(action, TC_ACT_GOTO_CHAIN) ||
		       TC_ACT_EXT_CMP(action, TC_ACT_JUMP);
	return action == TC_ACT_TRAP || action <= TC_ACT_PIPE;
}

/* What the numbers are of, packets or bytes, only the bucket's own say; no bucket
 * has both.
 */
static bool tc_all_printed(struct tc_message *m)
{
	struct rtattr *tb[TCA_MPOLICE_MAX + 1];

	parse_rtattr_nested(tb, TCA_MPOLICE_MAX, tc_options(m));
	return !tb[TCA_MPOLICE_RATE] != !tb[TCA_MPOLICE_PPS] &&
	       tb[TCA_MPOLICE_BUCKET] && has_word(tb[TCA_MPOLICE_EXCEED]) &&
	       has_word(tb[TCA_MPOLICE_CONFORM]);
}
