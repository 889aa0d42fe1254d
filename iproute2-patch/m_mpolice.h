/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of tc's action mpolice share
 */
#ifndef _M_MPOLICE_H
#define _M_MPOLICE_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/tc_act/tc_mpolice.h>

#include "tc_api.h"

/* In which unit tokens were written. A plain number goes with both. */
enum mpolice_unit {
	MPOLICE_UNIT_NONE,
	MPOLICE_UNIT_BYTES,
	MPOLICE_UNIT_PACKETS,
};

/* What the command line says about one parameter */
struct mpolice_value {
	const char *arg;	/* as it was written, or NULL */
	enum mpolice_unit unit;	/* of burst, pkt-burst, debt and threshold */
	__u64 val;
	int exceed;		/* of conform-exceed, as is conform */
	int conform;
	bool has_conform;
};

struct mpolice_param;

/*
 * How one sort of parameter is handled.
 * @parse: takes one or more of the @argc arguments at @argv; returns NULL and in
 *	@used how many, or what is wrong with the first
 * @put: appends the attribute
 * @print: prints it; @tb[@p->attr] is there
 */
struct mpolice_type {
	const char *(*parse)(int argc, char **argv, struct mpolice_value *v,
			     int *used);
	void (*put)(const struct mpolice_param *p,
		    const struct mpolice_value *v, struct nlmsghdr *n);
	void (*print)(const struct mpolice_param *p, struct rtattr *tb[]);
};

struct mpolice_param {
	const char *keyword;
	const char *takes;		/* in the usage text */
	const char *accepted;		/* in error messages */
	const struct mpolice_type *type;
	int attr;
};

/* m_mpolice_types.c */
extern const struct mpolice_type mpolice_type_u32;
extern const struct mpolice_type mpolice_type_rate;
extern const struct mpolice_type mpolice_type_pps;
extern const struct mpolice_type mpolice_type_burst;
extern const struct mpolice_type mpolice_type_pkt_burst;
extern const struct mpolice_type mpolice_type_time;
extern const struct mpolice_type mpolice_type_debt;
extern const struct mpolice_type mpolice_type_policy;
extern const struct mpolice_type mpolice_type_threshold;

/* m_mpolice_control.c */
extern const struct mpolice_type mpolice_type_control;

/* m_mpolice_default.c */
bool mpolice_is_shown(const struct mpolice_param *p, struct rtattr *tb[]);

/* m_mpolice_stats.c */
void mpolice_print_stats(struct rtattr *tb[]);
void mpolice_print_times(const struct rtattr *times);

/* Whether the tokens of the bucket are packets. */
static inline bool mpolice_in_packets(struct rtattr *tb[])
{
	return tb[TCA_MPOLICE_PPS];
}

#endif /* _M_MPOLICE_H */
