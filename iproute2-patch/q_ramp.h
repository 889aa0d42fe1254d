/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of tc's qdisc ramp share
 */
#ifndef _Q_RAMP_H
#define _Q_RAMP_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/ramp.h>

#include "tc_api.h"

#define RAMP_MSG_MAX	16384	/* all options together stay well below */

struct ramp_param;
struct ramp_list;

/* What the command line says about one parameter */
struct ramp_value {
	bool set;
	bool bytes;		/* of a limit: val is bytes, not packets */
	bool delta;		/* of a level: +DELTA, which is in val */
	bool timed;		/* of thresholds of gears: times, not percent */
	__u32 unit;		/* enum ramp_unit, of levels and amounts */
	__u64 val;		/* LOW, if it is a level */
	__u64 high;
	__u64 time;		/* of cease TIME */
	__u32 bands;		/* those that of_band speaks of */
	__u32 of_band[RAMP_BANDS_MAX];
	__u32 of_band_bytes;	/* those of which of_band is bytes */
	__u8 priomap[TC_PRIO_MAX + 1];
	bool min_set;		/* of obey: its min, which is in high */
	/* Lists as they were written, which are read again when they are put. */
	const char *list;
	const char *list_of_band[RAMP_BANDS_MAX];
};

/*
 * How one sort of parameter is handled.
 * @args: how many arguments follow the keyword; where none does, the keyword
 *	itself is 1 in the value, and the same with "no-" in front is 0
 * @options: words that may follow, to NULL; each has an argument of its own, which
 *	@parse takes as @i behind @args
 * @parse: takes argument @i; returns NULL, or what is wrong with @arg
 * @put: appends the attribute
 * @print: prints it; @tb[@p->attr] is there
 * @is_default: whether it is what the kernel takes when nobody names it
 */
struct ramp_type {
	unsigned int args;
	const char * const *options;
	const char *(*parse)(const struct ramp_param *p, unsigned int i,
			     const char *arg, struct ramp_value *v);
	void (*put)(const struct ramp_param *p, const struct ramp_value *v,
		    struct nlmsghdr *n);
	void (*print)(const struct ramp_param *p, struct rtattr *tb[]);
	bool (*is_default)(const struct ramp_param *p, struct rtattr *tb[]);
};

struct ramp_param {
	const char *keyword;
	const char *takes;		/* in the usage text */
	const char *accepted;		/* in error messages */
	const char *preset;		/* the default, as it would be written, where
					 * that does not hang on other parameters
					 */
	const struct ramp_type *type;
	int attr;
	int other;			/* of the same in another kind, or 0 */
	const char * const *names;	/* of the values of a choice, to NULL */
	unsigned int units;		/* BIT(enum ramp_unit) that it takes */
	const char *all;		/* the HIGH that is 0 in netlink */
	const struct ramp_list *list;	/* what the entries of a list are */
	bool none;			/* a list that may be empty */
	bool of_gears;			/* means nothing, and is not shown, without */
};

/* q_ramp.c; the other one has a rail of its own, and no such option */
extern struct qdisc_util ramp_qdisc_util;
extern struct qdisc_util ramp_mq_qdisc_util;

/* q_ramp_types.c */
extern const struct ramp_type ramp_type_limit;
extern const struct ramp_type ramp_type_rate;
extern const struct ramp_type ramp_type_choice;
extern const struct ramp_type ramp_type_cease;
extern const struct ramp_type ramp_type_flag;
extern const struct ramp_type ramp_type_time;
extern const struct ramp_type ramp_type_percent;
extern const struct ramp_type ramp_type_rail;

const char *ramp_name(const char * const *names, __u32 val);
const char *ramp_key(const struct ramp_param *p, char *buf);
const char *ramp_get_limit(__u64 *limit, bool *bytes, const char *arg);
void ramp_json_percent(const char *key, __u64 val);
void ramp_put_u64(const struct ramp_param *p, const struct ramp_value *v,
		  struct nlmsghdr *n);
void ramp_put_u32(const struct ramp_param *p, const struct ramp_value *v,
		  struct nlmsghdr *n);

/* q_ramp_default.c */
void ramp_preset(const struct ramp_param *p, struct ramp_value *v);
bool ramp_default_u32(const struct ramp_param *p, struct rtattr *tb[]);
bool ramp_default_u64(const struct ramp_param *p, struct rtattr *tb[]);
bool ramp_default_empty(const struct ramp_param *p, struct rtattr *tb[]);
bool ramp_is_shown(const struct ramp_param *p, struct rtattr *tb[]);

/* q_ramp_levels.c */
extern const struct ramp_type ramp_type_level;
extern const struct ramp_type ramp_type_amount;

/* q_ramp_bands.c */
void ramp_print_of_bands(const struct ramp_param *p, struct rtattr *tb[],
			 void (*print)(const struct ramp_param *p,
				       struct rtattr *entry));
extern const struct ramp_type ramp_type_bands;
extern const struct ramp_type ramp_type_priomap;
extern const struct ramp_type ramp_type_exempt;
extern const struct ramp_type ramp_type_band_limit;

const char *ramp_get_band(__u64 *band, const char *arg);

/* q_ramp_devices.c */
extern const struct ramp_type ramp_type_devices;

const char *ramp_get_dev(__u32 *ifindex, const char *name);
const char *ramp_sprint_dev(__u32 ifindex, char *buf);

/* q_ramp_ladder.c */
extern const struct ramp_type ramp_type_ladder;
extern const struct ramp_type ramp_type_band_ladder;

/* q_ramp_codes.c */
extern const struct ramp_type ramp_type_band_feedback;
extern const struct ramp_type ramp_type_ethertype;
extern const struct ramp_type ramp_type_obey;

/* q_ramp_gears.c */
extern const struct ramp_list ramp_list_rates;
extern const struct ramp_list ramp_list_percents;
extern const struct ramp_list ramp_list_watts;
extern const struct ramp_list ramp_list_shares;
extern const struct ramp_type ramp_type_list;
extern const struct ramp_type ramp_type_threshold;
extern const struct ramp_type ramp_type_fit;
extern const struct ramp_type ramp_type_range;
extern const struct ramp_type ramp_type_freeze;
extern const struct ramp_type ramp_type_clock;
extern const struct ramp_type ramp_type_cpus;

/* q_ramp_gear_stats.c */
void ramp_print_gear_stats(const struct tc_ramp_xstats *st);

/* q_ramp_stats.c */
void ramp_begin_line(bool text);
void ramp_print_count(bool text, const char *name, __u64 count);
void ramp_print_rare(bool text, const char *name, __u64 count);
int ramp_print_xstats(const struct qdisc_util *qu, FILE *f,
		      struct rtattr *xstats);

/* q_ramp_code_stats.c */
#define RAMP_FULL_RATE	10000	/* 100%, what an older kernel would say */

void ramp_print_code_stats(const struct tc_ramp_xstats *st);
void ramp_print_class_code_stats(const struct tc_ramp_class_xstats *st);

#endif /* _Q_RAMP_H */
