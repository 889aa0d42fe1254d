// SPDX-License-Identifier: GPL-2.0
/*
 * A tc that differs from those there are, which loads a plugin and asks it for help:
 *
 *	other_tc PLUGIN.so qdisc|action KIND
 *
 * Built with -rdynamic, and
 *	-DNAME=OTHER	to have a function under another name
 *	-DSHIFTED	to have one more entry in its tables, in front
 *	-DLONGER	to have one more entry in its tables, behind
 *	-DSWAPPED	to have two entries in each other's place
 */

#include <dlfcn.h>
#include <stdlib.h>

#include "tc_api.h"

/* Whoever is refused calls nothing, and help only prints. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define TC_FUNCTION(type, name, args)	__typeof__(type) name args { abort(); }
#define TC_VARIABLE(type, name)		__typeof__(type) name
#include "tc_api.def"

typedef void (*entry)(void);

struct qdisc {
	void *next;
#ifdef SHIFTED
	void *first;
#endif
	const char *id;
#ifdef SWAPPED
	entry parse_qopt, print_qopt, parse_copt, print_xstats, print_copt, has_block;
#else
	entry parse_qopt, print_qopt, print_xstats, parse_copt, print_copt, has_block;
#endif
#ifdef LONGER
	entry later;
#endif
};

struct action {
	void *next;
#ifdef SHIFTED
	void *first;
#endif
	char id[FILTER_NAMESZ];
#ifdef SWAPPED
	entry parse_aopt, print_xstats, print_aopt;
#else
	entry parse_aopt, print_aopt, print_xstats;
#endif
#ifdef LONGER
	entry later;
#endif
};

static void any(void)
{
	abort();
}

struct qdisc pfifo_qdisc_util = {
	.id = "pfifo", .parse_qopt = any, .print_qopt = any,
};

struct qdisc fq_codel_qdisc_util = {
	.id = "fq_codel", .parse_qopt = any, .print_qopt = any,
	.print_xstats = any,
};

struct qdisc htb_qdisc_util = {
	.id = "htb", .parse_qopt = any, .print_qopt = any, .print_xstats = any,
	.parse_copt = any, .print_copt = any,
};

struct action gact_action_util = {
	.id = "gact", .parse_aopt = any, .print_aopt = any,
};

int main(int argc, char **argv)
{
	char kind[] = "kind", help[] = "help";
	char *all[3] = { kind, help, NULL };
	char name[64], **words = all;
	struct action_util *action;
	struct qdisc_util *qdisc;
	void *plugin, *util;
	int count = 2;

	if (argc != 4)
		return 2;
	plugin = dlopen(argv[1], RTLD_LAZY);
	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	snprintf(name, sizeof(name), "%s_%s_util", argv[3], argv[2]);
	util = dlsym(plugin, name);
	if (!util)
		return 2;
	if (!strcmp(argv[2], "qdisc")) {
		qdisc = util;
		return qdisc->parse_qopt(qdisc, 1, all + 1, NULL, "eth0") ? 1 : 0;
	}
	action = util;
	return action->parse_aopt(action, &count, &words, 0, NULL) ? 1 : 0;
}
