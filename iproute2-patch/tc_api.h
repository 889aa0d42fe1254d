/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What Ramp takes of tc, declared here: a plugin is built without iproute2's source,
 * and one plugin serves iproute2 6.1 to the newest
 *
 * Taken is only what has been the same in all of them (print_tm(), for one, has not).
 * Inside iproute2's source its own headers count, and the compiler compares: what
 * differs there is an error. A plugin asks the tc that loads it, see tc_fit.c.
 */
#ifndef _TC_API_H
#define _TC_API_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <linux/rtnetlink.h>
#include <linux/pkt_sched.h>
#include <linux/pkt_cls.h>

#if __has_include("tc_util.h")
#define TC_IN_SOURCE	1
#include "utils.h"
#include "tc_util.h"
#else
#define TC_IN_SOURCE	0
#endif

#if TC_IN_SOURCE
#define TC_FUNCTION(type, name, args)	__typeof__(type) name args
#define TC_VARIABLE(type, name)		extern __typeof__(type) name
/* Its tables exist beside ours, see below. */
#define qdisc_util	tc_api_qdisc_util
#define action_util	tc_api_action_util
#else
#define MAX_MSG		16384
#define SPRINT_BSIZE	64
#define FILTER_NAMESZ	16

enum output_type {
	PRINT_FP	= 1,
	PRINT_JSON	= 2,
	PRINT_ANY	= 4,
};

/*
 * A tc that counts otherwise prints in a colour, if it is asked for colours, and the
 * same text.
 */
enum color_attr {
	COLOR_NONE	= 6,
};

/* A name that tc does not have is for tc_fit.c to tell, not for the linker. */
#define TC_FUNCTION(type, name, args)	\
	__typeof__(type) name args __attribute__((weak))
#define TC_VARIABLE(type, name)		\
	extern __typeof__(type) name __attribute__((weak))
#endif /* TC_IN_SOURCE */

#include "tc_api.def"

/* The tables by which tc knows a qdisc and an action. */
struct qdisc_util {
	struct qdisc_util *next;
	const char *id;
	int (*parse_qopt)(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev);
	int (*print_qopt)(const struct qdisc_util *qu, FILE *f,
			  struct rtattr *opt);
	int (*print_xstats)(const struct qdisc_util *qu, FILE *f,
			    struct rtattr *xstats);
	int (*parse_copt)(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev);
	int (*print_copt)(const struct qdisc_util *qu, FILE *f,
			  struct rtattr *opt);
	int (*has_block)(const struct qdisc_util *qu, struct rtattr *opt,
			 __u32 block_idx, bool *p_has);
	void *later[8];		/* what a later tc appends, none of it provided */
};

struct action_util {
	struct action_util *next;
	char id[FILTER_NAMESZ];
	int (*parse_aopt)(const struct action_util *a, int *argc, char ***argv,
			  int code, struct nlmsghdr *n);
	int (*print_aopt)(const struct action_util *au, FILE *f,
			  struct rtattr *opt);
	int (*print_xstats)(const struct action_util *au, FILE *f,
			    struct rtattr *xstats);
	void *later[8];
};

#if TC_IN_SOURCE
#undef qdisc_util
#undef action_util

#define TC_SAME(table, member)						\
	static_assert(offsetof(struct table, member) ==			\
		      offsetof(struct tc_api_##table, member),		\
		      #table "." #member " lies elsewhere in this tc")
TC_SAME(qdisc_util, id);
TC_SAME(qdisc_util, parse_qopt);
TC_SAME(qdisc_util, print_qopt);
TC_SAME(qdisc_util, print_xstats);
TC_SAME(qdisc_util, parse_copt);
TC_SAME(qdisc_util, print_copt);
TC_SAME(qdisc_util, has_block);
TC_SAME(action_util, id);
TC_SAME(action_util, parse_aopt);
TC_SAME(action_util, print_aopt);
TC_SAME(action_util, print_xstats);
static_assert(COLOR_NONE == 6 && PRINT_FP == 1 && PRINT_JSON == 2 && PRINT_ANY == 4,
	      "this tc counts colours or kinds of output otherwise");

#define TC_FIT_QDISC(util)
#define TC_FIT_ACTION(util)
#else /* !TC_IN_SOURCE */

#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))
#define BIT(nr)		(UINT64_C(1) << (nr))
#define min(x, y) ({				\
	__typeof__(x) _x = (x);			\
	__typeof__(y) _y = (y);			\
	_x < _y ? _x : _y; })

/* The arguments are argc and argv of the caller. */
#define NEXT_ARG_OK()	(argc - 1 > 0)
#define NEXT_ARG_FWD()	do { argv++; argc--; } while (0)

/* These follow the table of a kind: tc is looked at when it loads the plugin. */
#define TC_FIT_QDISC(util)						\
	static void __attribute__((constructor)) tc_fit_##util(void)	\
	{								\
		tc_fit_qdisc(&(util));					\
	}
#define TC_FIT_ACTION(util)						\
	static void __attribute__((constructor)) tc_fit_##util(void)	\
	{								\
		tc_fit_action(&(util));					\
	}

/* tc_fit.c */
void tc_fit_qdisc(struct qdisc_util *util);
void tc_fit_action(struct action_util *util);

#define TC_PRINT(name, type)						\
	static inline int print_##name(enum output_type t,		\
				       const char *key,			\
				       const char *fmt, type value)	\
	{								\
		return print_color_##name(t, COLOR_NONE, key, fmt,	\
					  value);			\
	}
TC_PRINT(string, const char *)
TC_PRINT(null, const char *)
TC_PRINT(bool, bool)
TC_PRINT(uint, unsigned int)
TC_PRINT(s64, int64_t)
TC_PRINT(lluint, unsigned long long)
TC_PRINT(0xhex, unsigned long long)
TC_PRINT(float, double)

static inline int parse_rtattr_nested(struct rtattr *tb[], int max,
				      struct rtattr *rta)
{
	return parse_rtattr_flags(tb, max, RTA_DATA(rta), RTA_PAYLOAD(rta),
				  NLA_F_NESTED);
}

/* What is left of @nest from @attr on. */
static inline int rta_left(const struct rtattr *nest, const struct rtattr *attr)
{
	return (const char *)nest + nest->rta_len - (const char *)attr;
}

#define rtattr_for_each_nested(attr, nest)				\
	for ((attr) = RTA_DATA(nest);					\
	     RTA_OK(attr, rta_left(nest, attr));			\
	     (attr) = (void *)((char *)(attr) + RTA_ALIGN((attr)->rta_len)))

static inline __u32 rta_getattr_u32(const struct rtattr *rta)
{
	__u32 val;

	memcpy(&val, RTA_DATA(rta), sizeof(val));
	return val;
}

static inline __s32 rta_getattr_s32(const struct rtattr *rta)
{
	return rta_getattr_u32(rta);
}

/* Attributes are aligned to four bytes. */
static inline __u64 rta_getattr_u64(const struct rtattr *rta)
{
	__u64 val;

	memcpy(&val, RTA_DATA(rta), sizeof(val));
	return val;
}
#endif /* !TC_IN_SOURCE */

#endif /* _TC_API_H */
