// SPDX-License-Identifier: GPL-2.0
/*
 * Whether the tc that loads a plugin is one that the plugin fits
 *
 * All that a plugin calls has to be there; and tc's own tables have to look as those
 * of the plugin do, told by which of their entries each kind has. A plugin that does
 * not fit says so and takes no part or, if it is for the tables, ends tc; nothing of
 * tc is called before.
 */

#include <dlfcn.h>
#include <stdlib.h>

#include "tc_api.h"

#define TC_HAS(table, member)	BIT(offsetof(struct table, member) / sizeof(void *))

/* One for each entry that another kind lacks. */
static const struct {
	const char *name;
	const char *id;
	__u64 has;		/* TC_HAS of all functions that are there */
} tc_qdiscs[] = {
	{ "pfifo_qdisc_util", "pfifo",
	  TC_HAS(qdisc_util, parse_qopt) | TC_HAS(qdisc_util, print_qopt) },
	{ "fq_codel_qdisc_util", "fq_codel",
	  TC_HAS(qdisc_util, parse_qopt) | TC_HAS(qdisc_util, print_qopt) |
	  TC_HAS(qdisc_util, print_xstats) },
	{ "htb_qdisc_util", "htb",
	  TC_HAS(qdisc_util, parse_qopt) | TC_HAS(qdisc_util, print_qopt) |
	  TC_HAS(qdisc_util, print_xstats) | TC_HAS(qdisc_util, parse_copt) |
	  TC_HAS(qdisc_util, print_copt) },
	{ "red_qdisc_util", "red",
	  TC_HAS(qdisc_util, parse_qopt) | TC_HAS(qdisc_util, print_qopt) |
	  TC_HAS(qdisc_util, print_xstats) | TC_HAS(qdisc_util, has_block) },
}, tc_actions[] = {
	{ "gact_action_util", "gact",
	  TC_HAS(action_util, parse_aopt) | TC_HAS(action_util, print_aopt) },
};

/* Returns a name that tc does not have, or NULL. */
static const char *tc_missing(void)
{
	const char *missing = NULL;

#define TC_FUNCTION(type, name, ...)	missing = (name) ? missing : #name
#define TC_VARIABLE(type, name)		missing = &(name) ? missing : #name
#include "tc_api.def"
	return missing;
}

/* Whether @pointer leads to something that was loaded, and so can be read. */
static bool tc_is_loaded(const void *pointer)
{
	Dl_info info;

	return pointer && dladdr(pointer, &info);
}

/* @id: where the table has it, if it is a pointer; functions lie from @first to @end */
static bool tc_looks_alike(const char *name, const char *id, __u64 has,
			   bool id_is_pointer, size_t id_at, size_t first,
			   size_t end)
{
	const char *table = dlsym(RTLD_DEFAULT, name);
	const char *got;
	size_t at;

	/* A tc may have been built without this kind. */
	if (!table)
		return true;
	got = table + id_at;
	if (id_is_pointer) {
		memcpy(&got, table + id_at, sizeof(got));
		if (!tc_is_loaded(got))
			return false;
	}
	if (strcmp(got, id))
		return false;

	for (at = first; at < end; at += sizeof(void *)) {
		const void *function;

		memcpy(&function, table + at, sizeof(function));
		if (!!(has & BIT(at / sizeof(void *))) != tc_is_loaded(function))
			return false;
	}
	return true;
}

static void tc_say(const char *plugin, const char *why, const char *what)
{
	Dl_info here;

	fprintf(stderr,
		"The plugin for %s does not fit this tc, %s%s. Install the tc-ramp of your distribution, build it anew, or remove %s.\n",
		plugin, why, what,
		dladdr(tc_missing, &here) ? here.dli_fname : "it");
}

/* tc would take what is elsewhere in the table for a function: it cannot go on. */
static void tc_look(const char *plugin, bool actions)
{
	bool alike = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tc_qdiscs) && !actions; i++)
		alike &= tc_looks_alike(tc_qdiscs[i].name, tc_qdiscs[i].id,
					tc_qdiscs[i].has, true,
					offsetof(struct qdisc_util, id),
					offsetof(struct qdisc_util, parse_qopt),
					offsetof(struct qdisc_util, later));
	for (i = 0; i < ARRAY_SIZE(tc_actions) && actions; i++)
		alike &= tc_looks_alike(tc_actions[i].name, tc_actions[i].id,
					tc_actions[i].has, false,
					offsetof(struct action_util, id),
					offsetof(struct action_util, parse_aopt),
					offsetof(struct action_util, later));
	if (alike)
		return;
	tc_say(plugin, "whose tables of kinds look otherwise", "");
	exit(1);
}

static int tc_refuse_qopt(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev)
{
	tc_say(qu->id, "which lacks ", tc_missing());
	return -1;
}

static int tc_refuse_print(const struct qdisc_util *qu, FILE *f,
			   struct rtattr *opt)
{
	return 0;
}

void tc_fit_qdisc(struct qdisc_util *util)
{
	tc_look(util->id, false);
	if (!tc_missing())
		return;
	/* What others have is still to be shown. */
	tc_say(util->id, "which lacks ", tc_missing());
	util->parse_qopt = tc_refuse_qopt;
	util->parse_copt = tc_refuse_qopt;
	util->print_qopt = tc_refuse_print;
	util->print_xstats = tc_refuse_print;
	util->print_copt = tc_refuse_print;
}

static int tc_refuse_aopt(const struct action_util *a, int *argc, char ***argv,
			  int code, struct nlmsghdr *n)
{
	return -1;
}

static int tc_refuse_action(const struct action_util *a, FILE *f,
			    struct rtattr *opt)
{
	return 0;
}

void tc_fit_action(struct action_util *util)
{
	tc_look(util->id, true);
	if (!tc_missing())
		return;
	tc_say(util->id, "which lacks ", tc_missing());
	util->parse_aopt = tc_refuse_aopt;
	util->print_aopt = tc_refuse_action;
	util->print_xstats = tc_refuse_action;
}
