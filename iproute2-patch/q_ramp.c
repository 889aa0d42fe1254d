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

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ramp.h>

#include "utils.h"
#include "tc_util.h"

#define RAMP_MSG_MAX	1024	/* all options together stay well below */

struct ramp_param;

/* What the command line says about one parameter */
struct ramp_value {
	bool set;
	__u32 unit;		/* enum ramp_unit, of levels and amounts */
	__u64 val;		/* LOW, if it is a level */
	__u64 high;
};

/*
 * How one sort of parameter is handled.
 * @parse: returns NULL, or what is wrong with @arg
 * @put: appends the attribute
 * @print: prints it; @tb[@p->attr] is there
 */
struct ramp_type {
	const char *(*parse)(const struct ramp_param *p, const char *arg,
			     struct ramp_value *v);
	void (*put)(const struct ramp_param *p, const struct ramp_value *v,
		    struct nlmsghdr *n);
	void (*print)(const struct ramp_param *p, struct rtattr *tb[]);
};

struct ramp_param {
	const char *keyword;
	const char *takes;		/* in the usage text */
	const char *accepted;		/* in error messages */
	const struct ramp_type *type;
	int attr;
	const char * const *names;	/* of the values of a choice, to NULL */
	unsigned int units;		/* BIT(enum ramp_unit) that it takes */
};

static const char * const ramp_unit_names[] = {
	[RAMP_UNIT_PACKETS]	= "packets",
	[RAMP_UNIT_RATE]	= "rate",
	[RAMP_UNIT_PPS]		= "pps",
	[RAMP_UNIT_PERCENT]	= "percent",
	[__RAMP_UNIT_MAX]	= NULL,
};

static const char * const ramp_detect_names[] = {
	[RAMP_DETECT_OFF]	= "off",
	[RAMP_DETECT_QUEUE]	= "queue",
	[RAMP_DETECT_INGRESS]	= "ingress",
	[RAMP_DETECT_BOTH]	= "both",
	[__RAMP_DETECT_MAX]	= NULL,
};

static const char * const ramp_cease_names[] = {
	[RAMP_CEASE_FULL]	= "full",
	[__RAMP_CEASE_MAX]	= NULL,
};

static const char * const ramp_state_names[] = {
	[RAMP_STATE_IDLE]	= "idle",
	[RAMP_STATE_MONITORING]	= "monitoring",
	[RAMP_STATE_UP]		= "ramp-up",
	[RAMP_STATE_DOWN]	= "ramp-down",
	[RAMP_STATE_DORMANT]	= "dormant",
	[__RAMP_STATE_MAX]	= NULL,
};

/* A newer kernel may know more values than this table has. */
static const char *ramp_name(const char * const *names, __u32 val)
{
	__u32 i;

	for (i = 0; names[i]; i++)
		if (i == val)
			return names[i];
	return "unknown";
}

/*
 * Numbers. Each function returns NULL, or what is wrong with the text.
 */

/* Digits only: strtoull() takes signs, spaces and 0x, and wraps "-1". */
static const char *ramp_get_digits(__u64 *val, const char *str,
				   const char **end)
{
	const char *p;
	__u64 v = 0;

	for (p = str; isdigit((unsigned char)*p); p++) {
		unsigned int digit = *p - '0';

		if (v > (UINT64_MAX - digit) / 10)
			return "the number is too large";
		v = v * 10 + digit;
	}
	*val = v;
	*end = p;
	return p == str ? "a number is missing" : NULL;
}

/* A whole number, with @suffix or, if that is NULL, without one. */
static const char *ramp_get_count(__u64 *val, const char *str,
				  const char *suffix)
{
	const char *end, *wrong;

	wrong = ramp_get_digits(val, str, &end);
	if (wrong)
		return wrong;
	if (*end == '.')
		return "a whole number is needed";
	return strcmp(end, suffix ? : "") ? "there is junk at the end" : NULL;
}

/* In integers, since a double has no 12.34. */
static const char *ramp_get_percent(__u64 *val, const char *str)
{
	const char *p, *wrong;
	unsigned int place = 10;
	__u64 whole;
	__u64 frac = 0;

	wrong = ramp_get_digits(&whole, str, &p);
	if (wrong)
		return wrong;
	if (*p == '.') {
		for (p++; isdigit((unsigned char)*p); p++) {
			if (!place)
				return "a percentage has at most two decimals";
			frac += (*p - '0') * place;
			place /= 10;
		}
		if (place == 10)
			return "digits are missing after the point";
	}
	if (strcmp(p, "%") != 0)
		return "there is junk in the percentage";
	if (whole > 100 || (whole == 100 && frac))
		return "it is more than 100%";
	*val = whole * 100 + frac;
	return NULL;
}

/*
 * Splits "1.5mbit" in its number and the text "8mbit", for a caller that asks
 * iproute2 what eight (or whatever @one says) of the unit are. Its own functions
 * do not notice a sign, NaN or a value that does not fit the result.
 */
static const char *ramp_split_unit(const char *str, const char *one,
				   double *val, char *unit, size_t len)
{
	char *end;

	if (!isdigit((unsigned char)*str))
		return "a number is missing";
	if (*str == '0' && (str[1] == 'x' || str[1] == 'X'))
		return "there is junk in the number";
	*val = strtod(str, &end);
	if (*end && !isalpha((unsigned char)*end))
		return "there is junk in the number";
	if ((size_t)snprintf(unit, len, "%s%s", one, end) >= len)
		return "the unit is unknown";
	return NULL;
}

/* Rounds, so that 4.35mbit is not a byte less than that. */
static const char *ramp_scale(double val, double unit, __u64 *result)
{
	val = val * unit + 0.5;
	if (val >= (double)INT64_MAX)
		return "the number is too large";
	*result = val;
	return NULL;
}

static const char *ramp_get_rate(__u64 *rate, const char *str)
{
	char unit[SPRINT_BSIZE];
	const char *wrong;
	double val;
	__u64 bits;

	wrong = ramp_split_unit(str, "8", &val, unit, sizeof(unit));
	if (wrong)
		return wrong;
	/* Bytes in 8 x unit are bits in the unit, and always integer. */
	if (get_rate64(&bits, unit))
		return "the unit is unknown";
	return ramp_scale(val, bits / 8., rate);
}

static const char *ramp_get_time(__u64 *time, const char *str)
{
	char unit[SPRINT_BSIZE];
	const char *wrong;
	double val;
	__s64 ns;

	wrong = ramp_split_unit(str, "1", &val, unit, sizeof(unit));
	if (wrong)
		return wrong;
	if (get_time64(&ns, unit))
		return "the unit is unknown";
	return ramp_scale(val, ns, time);
}

/* A number whose unit is seen from its suffix; the unit must be in @units. */
static const char *ramp_get_quantity(const char *str, unsigned int units,
				     __u32 *unit, __u64 *val)
{
	const char *suffix = str + strspn(str, "0123456789.");
	const char *wrong;

	/* Without a suffix a queue is in packets, and a rate in bit/s. */
	if (!strcmp(suffix, "%")) {
		*unit = RAMP_UNIT_PERCENT;
		wrong = ramp_get_percent(val, str);
	} else if (!strcmp(suffix, "p")) {
		*unit = RAMP_UNIT_PACKETS;
		wrong = ramp_get_count(val, str, suffix);
	} else if (!strcmp(suffix, "pps")) {
		*unit = RAMP_UNIT_PPS;
		wrong = ramp_get_count(val, str, suffix);
	} else if (units & BIT(RAMP_UNIT_RATE)) {
		*unit = RAMP_UNIT_RATE;
		wrong = ramp_get_rate(val, str);
	} else {
		*unit = RAMP_UNIT_PACKETS;
		wrong = ramp_get_count(val, str, NULL);
	}
	if (!wrong && !(units & BIT(*unit)))
		return "it is of another kind";
	return wrong;
}

/* The largest unit that needs no decimals, as the text is to be read back. */
static char *ramp_sprint_unit(__u64 val, const char * const *units,
			      const unsigned int *scales, char *buf)
{
	while (units[1] && val && !(val % *scales)) {
		val /= *scales++;
		units++;
	}
	snprintf(buf, SPRINT_BSIZE, "%llu%s", (unsigned long long)val, *units);
	return buf;
}

static char *ramp_sprint_time(__u64 ns, char *buf)
{
	static const char * const units[] = { "ns", "us", "ms", "s", NULL };
	static const unsigned int scales[] = { 1000, 1000, 1000 };

	return ramp_sprint_unit(ns, units, scales, buf);
}

static char *ramp_sprint_rate(__u64 rate, char *buf)
{
	static const char * const units[] = {
		"bit", "Kbit", "Mbit", "Gbit", "Tbit", NULL
	};
	static const unsigned int scales[] = { 1000, 1000, 1000, 1000 };

	return ramp_sprint_unit(rate * 8, units, scales, buf);
}

static char *ramp_sprint_quantity(__u32 unit, __u64 val, char *buf)
{
	unsigned int frac = val % 100;
	unsigned long long v = val;

	switch (unit) {
	case RAMP_UNIT_PERCENT:
		v = val / 100;
		if (!frac)
			snprintf(buf, SPRINT_BSIZE, "%llu%%", v);
		else if (frac % 10)
			snprintf(buf, SPRINT_BSIZE, "%llu.%02u%%", v, frac);
		else
			snprintf(buf, SPRINT_BSIZE, "%llu.%u%%", v, frac / 10);
		return buf;
	case RAMP_UNIT_RATE:
		return ramp_sprint_rate(val, buf);
	case RAMP_UNIT_PPS:
		snprintf(buf, SPRINT_BSIZE, "%llupps", v);
		return buf;
	default:
		snprintf(buf, SPRINT_BSIZE, "%llup", v);
		return buf;
	}
}

static void ramp_json_quantity(const char *key, __u32 unit, __u64 val)
{
	if (unit == RAMP_UNIT_PERCENT)
		print_float(PRINT_JSON, key, NULL, val / 100.);
	else
		print_lluint(PRINT_JSON, key, NULL, val);
}

/* The JSON key of a keyword: "-" becomes "_". */
static const char *ramp_key(const struct ramp_param *p, char *buf)
{
	char *c;

	snprintf(buf, SPRINT_BSIZE, "%s", p->keyword);
	for (c = buf; *c; c++)
		if (*c == '-')
			*c = '_';
	return buf;
}

/*
 * limit: in netlink 0 is auto, so a 0 on the command line cannot be passed on
 */
static const char *ramp_parse_limit(const struct ramp_param *p,
				    const char *arg, struct ramp_value *v)
{
	const char *wrong;
	__u32 unit;

	v->val = 0;
	if (!strcmp(arg, "auto"))
		return NULL;
	wrong = ramp_get_quantity(arg, p->units, &unit, &v->val);
	if (wrong)
		return wrong;
	if (!v->val || v->val > UINT32_MAX)
		return "it is out of range";
	return NULL;
}

static void ramp_put_u32(const struct ramp_param *p,
			 const struct ramp_value *v, struct nlmsghdr *n)
{
	addattr32(n, RAMP_MSG_MAX, p->attr, v->val);
}

static void ramp_print_limit(const struct ramp_param *p, struct rtattr *tb[])
{
	__u32 limit = rta_getattr_u32(tb[p->attr]);
	bool is_auto = !limit;
	__u32 need = 0;

	if (tb[TCA_RAMP_LIMIT_NOW])
		limit = rta_getattr_u32(tb[TCA_RAMP_LIMIT_NOW]);
	if (tb[TCA_RAMP_LIMIT_NEED])
		need = rta_getattr_u32(tb[TCA_RAMP_LIMIT_NEED]);

	print_uint(PRINT_JSON, "limit", NULL, limit);
	print_bool(PRINT_JSON, "limit_auto", NULL, is_auto);
	if (tb[TCA_RAMP_LIMIT_NEED])
		print_uint(PRINT_JSON, "limit_need", NULL, need);

	print_uint(PRINT_FP, NULL, is_auto ? "limit auto (%up) " : "limit %up ",
		   limit);
	if (need > limit)
		print_uint(PRINT_FP, NULL, "(a ramp needs %up) ", need);
}

static const struct ramp_type ramp_limit = {
	.parse	= ramp_parse_limit,
	.put	= ramp_put_u32,
	.print	= ramp_print_limit,
};

/*
 * rate: 0 is auto here, too
 */
static const char *ramp_parse_rate(const struct ramp_param *p,
				   const char *arg, struct ramp_value *v)
{
	const char *wrong;

	v->val = 0;
	if (!strcmp(arg, "auto"))
		return NULL;
	wrong = ramp_get_quantity(arg, p->units, &v->unit, &v->val);
	if (!wrong && !v->val)
		return "it is out of range";
	return wrong;
}

static void ramp_put_u64(const struct ramp_param *p,
			 const struct ramp_value *v, struct nlmsghdr *n)
{
	addattr64(n, RAMP_MSG_MAX, p->attr, v->val);
}

static void ramp_print_rate(const struct ramp_param *p, struct rtattr *tb[])
{
	__u64 rate = rta_getattr_u64(tb[p->attr]);
	bool is_auto = !rate;
	char b[SPRINT_BSIZE];

	if (tb[TCA_RAMP_RATE_NOW])
		rate = rta_getattr_u64(tb[TCA_RAMP_RATE_NOW]);

	if (rate)
		print_lluint(PRINT_JSON, "rate", NULL, rate);
	print_bool(PRINT_JSON, "rate_auto", NULL, is_auto);

	print_string(PRINT_FP, NULL, is_auto ? "rate auto (%s) " : "rate %s ",
		     rate ? ramp_sprint_rate(rate, b) : "unknown");
}

static const struct ramp_type ramp_rate = {
	.parse	= ramp_parse_rate,
	.put	= ramp_put_u64,
	.print	= ramp_print_rate,
};

static const char *ramp_parse_choice(const struct ramp_param *p,
				     const char *arg, struct ramp_value *v)
{
	for (v->val = 0; p->names[v->val]; v->val++)
		if (!strcmp(arg, p->names[v->val]))
			return NULL;
	return "it is unknown";
}

static void ramp_print_choice(const struct ramp_param *p, struct rtattr *tb[])
{
	const char *name;
	char key[SPRINT_BSIZE];

	name = ramp_name(p->names, rta_getattr_u32(tb[p->attr]));
	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	print_string(PRINT_ANY, ramp_key(p, key), "%s ", name);
}

static const struct ramp_type ramp_choice = {
	.parse	= ramp_parse_choice,
	.put	= ramp_put_u32,
	.print	= ramp_print_choice,
};

static const char *ramp_parse_time(const struct ramp_param *p,
				   const char *arg, struct ramp_value *v)
{
	return ramp_get_time(&v->val, arg);
}

static void ramp_print_time(const struct ramp_param *p, struct rtattr *tb[])
{
	__u64 ns = rta_getattr_u64(tb[p->attr]);
	char key[SPRINT_BSIZE];
	char b[SPRINT_BSIZE];

	print_lluint(PRINT_JSON, ramp_key(p, key), NULL, ns);
	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	print_string(PRINT_FP, NULL, "%s ", ramp_sprint_time(ns, b));
}

static const struct ramp_type ramp_time = {
	.parse	= ramp_parse_time,
	.put	= ramp_put_u64,
	.print	= ramp_print_time,
};

static const char *ramp_parse_level(const struct ramp_param *p,
				    const char *arg, struct ramp_value *v)
{
	const char *colon = strchr(arg, ':');
	const char *high = colon + 1;
	char low[SPRINT_BSIZE];
	const char *wrong;
	__u32 unit;

	if (!colon)
		return "the colon is missing";
	if (colon - arg >= (ptrdiff_t)sizeof(low))
		return "the number is too large";
	snprintf(low, sizeof(low), "%.*s", (int)(colon - arg), arg);

	wrong = ramp_get_quantity(low, p->units, &v->unit, &v->val);
	if (!wrong)
		wrong = ramp_get_quantity(high, p->units, &unit, &v->high);
	if (wrong)
		return wrong;

	/* Nothing is nothing in every kind. */
	if (!strcmp(low, "0"))
		v->unit = unit;
	else if (unit != v->unit && strcmp(high, "0") != 0)
		return "LOW and HIGH are of different kinds";
	return NULL;
}

static void ramp_put_level(const struct ramp_param *p,
			   const struct ramp_value *v, struct nlmsghdr *n)
{
	struct rtattr *nest;

	nest = addattr_nest(n, RAMP_MSG_MAX, p->attr | NLA_F_NESTED);
	addattr32(n, RAMP_MSG_MAX, TCA_RAMP_LEVEL_UNIT, v->unit);
	addattr64(n, RAMP_MSG_MAX, TCA_RAMP_LEVEL_LOW, v->val);
	addattr64(n, RAMP_MSG_MAX, TCA_RAMP_LEVEL_HIGH, v->high);
	addattr_nest_end(n, nest);
}

static void ramp_print_level(const struct ramp_param *p, struct rtattr *tb[])
{
	struct rtattr *level[TCA_RAMP_LEVEL_MAX + 1];
	__u64 low, high;
	char key[SPRINT_BSIZE];
	char b[SPRINT_BSIZE];
	__u32 unit;

	parse_rtattr_nested(level, TCA_RAMP_LEVEL_MAX, tb[p->attr]);
	if (!level[TCA_RAMP_LEVEL_UNIT] || !level[TCA_RAMP_LEVEL_LOW] ||
	    !level[TCA_RAMP_LEVEL_HIGH])
		return;
	unit = rta_getattr_u32(level[TCA_RAMP_LEVEL_UNIT]);
	low = rta_getattr_u64(level[TCA_RAMP_LEVEL_LOW]);
	high = rta_getattr_u64(level[TCA_RAMP_LEVEL_HIGH]);

	open_json_object(ramp_key(p, key));
	print_string(PRINT_JSON, "unit", NULL,
		     ramp_name(ramp_unit_names, unit));
	ramp_json_quantity("low", unit, low);
	ramp_json_quantity("high", unit, high);
	close_json_object();

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	print_string(PRINT_FP, NULL, "%s:", ramp_sprint_quantity(unit, low, b));
	print_string(PRINT_FP, NULL, "%s ",
		     ramp_sprint_quantity(unit, high, b));
}

static const struct ramp_type ramp_level = {
	.parse	= ramp_parse_level,
	.put	= ramp_put_level,
	.print	= ramp_print_level,
};

static const char *ramp_parse_amount(const struct ramp_param *p,
				     const char *arg, struct ramp_value *v)
{
	return ramp_get_quantity(arg, p->units, &v->unit, &v->val);
}

static void ramp_put_amount(const struct ramp_param *p,
			    const struct ramp_value *v, struct nlmsghdr *n)
{
	struct rtattr *nest;

	nest = addattr_nest(n, RAMP_MSG_MAX, p->attr | NLA_F_NESTED);
	addattr32(n, RAMP_MSG_MAX, TCA_RAMP_AMOUNT_UNIT, v->unit);
	addattr64(n, RAMP_MSG_MAX, TCA_RAMP_AMOUNT_VALUE, v->val);
	addattr_nest_end(n, nest);
}

static void ramp_print_amount(const struct ramp_param *p, struct rtattr *tb[])
{
	struct rtattr *amount[TCA_RAMP_AMOUNT_MAX + 1];
	char key[SPRINT_BSIZE];
	char b[SPRINT_BSIZE];
	__u32 unit;
	__u64 val;

	parse_rtattr_nested(amount, TCA_RAMP_AMOUNT_MAX, tb[p->attr]);
	if (!amount[TCA_RAMP_AMOUNT_UNIT] || !amount[TCA_RAMP_AMOUNT_VALUE])
		return;
	unit = rta_getattr_u32(amount[TCA_RAMP_AMOUNT_UNIT]);
	val = rta_getattr_u64(amount[TCA_RAMP_AMOUNT_VALUE]);

	open_json_object(ramp_key(p, key));
	print_string(PRINT_JSON, "unit", NULL,
		     ramp_name(ramp_unit_names, unit));
	ramp_json_quantity("value", unit, val);
	close_json_object();

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	print_string(PRINT_FP, NULL, "%s ", ramp_sprint_quantity(unit, val, b));
}

static const struct ramp_type ramp_amount = {
	.parse	= ramp_parse_amount,
	.put	= ramp_put_amount,
	.print	= ramp_print_amount,
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

/* In the order in which they are shown. */
static const struct ramp_param ramp_params[] = {
	{ .keyword = "limit", .takes = "PACKETS|auto",
	  .accepted = "1..1048576 packets, or auto",
	  .type = &ramp_limit, .attr = TCA_RAMP_LIMIT,
	  .units = BIT(RAMP_UNIT_PACKETS) },
	{ .keyword = "rate", .takes = "RATE|auto",
	  .accepted = "a rate of at least 8kbit, as 10gbit, or auto",
	  .type = &ramp_rate, .attr = TCA_RAMP_RATE,
	  .units = BIT(RAMP_UNIT_RATE) },
	{ .keyword = "detect", .takes = "off|queue|ingress|both",
	  .accepted = "off, queue, ingress or both",
	  .type = &ramp_choice, .attr = TCA_RAMP_DETECT,
	  .names = ramp_detect_names },
	{ .keyword = "queue", .takes = "LOW:HIGH",
	  .accepted = "LOW:HIGH in packets (50:500) or in percent of limit (5%:50%)",
	  .type = &ramp_level, .attr = TCA_RAMP_QUEUE,
	  .units = RAMP_QUEUE_UNITS },
	{ .keyword = "ingress", .takes = "LOW:HIGH",
	  .accepted = "LOW:HIGH as rates (1gbit:8gbit), Npps or percent of rate (10%:80%)",
	  .type = &ramp_level, .attr = TCA_RAMP_INGRESS,
	  .units = RAMP_INGRESS_UNITS },
	{ .keyword = "window", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .type = &ramp_time, .attr = TCA_RAMP_WINDOW },
	{ .keyword = "monitor", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .type = &ramp_time, .attr = TCA_RAMP_MONITOR },
	{ .keyword = "tick", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .type = &ramp_time, .attr = TCA_RAMP_TICK },
	{ .keyword = "start", .takes = "AMOUNT", .accepted = RAMP_AN_AMOUNT,
	  .type = &ramp_amount, .attr = TCA_RAMP_START,
	  .units = RAMP_AMOUNT_UNITS },
	{ .keyword = "step", .takes = "AMOUNT", .accepted = RAMP_AN_AMOUNT,
	  .type = &ramp_amount, .attr = TCA_RAMP_STEP,
	  .units = RAMP_AMOUNT_UNITS },
	{ .keyword = "pause", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .type = &ramp_time, .attr = TCA_RAMP_PAUSE },
	{ .keyword = "hold", .takes = "TIME", .accepted = RAMP_A_TIME,
	  .type = &ramp_time, .attr = TCA_RAMP_HOLD },
	{ .keyword = "down-step", .takes = "AMOUNT", .accepted = RAMP_AN_AMOUNT,
	  .type = &ramp_amount, .attr = TCA_RAMP_DOWN_STEP,
	  .units = RAMP_AMOUNT_UNITS },
	{ .keyword = "floor", .takes = "AMOUNT", .accepted = RAMP_AN_AMOUNT,
	  .type = &ramp_amount, .attr = TCA_RAMP_FLOOR,
	  .units = RAMP_AMOUNT_UNITS },
	{ .keyword = "cease", .takes = "full", .accepted = "full",
	  .type = &ramp_choice, .attr = TCA_RAMP_CEASE,
	  .names = ramp_cease_names },
};

#define RAMP_PARAMS	ARRAY_SIZE(ramp_params)

static void explain(void)
{
	const struct ramp_param *p;
	size_t col, len;

	col = fprintf(stderr, "Usage: ... ramp");
	for (p = ramp_params; p < ramp_params + RAMP_PARAMS; p++) {
		len = strlen(p->keyword) + strlen(p->takes) + 6;
		if (col + len > 79) {
			fprintf(stderr, "\n               ");
			col = 15;
		}
		fprintf(stderr, " [ %s %s ]", p->keyword, p->takes);
		col += len;
	}
	fprintf(stderr,
		"\n"
		"where  AMOUNT := Np (packets per tick) | RATE | PCT%% (of rate)\n"
		"       LOW:HIGH of queue := packets | PCT%% (of limit)\n"
		"       LOW:HIGH of ingress := RATE | Npps | PCT%% (of rate)\n");
}

static int ramp_illegal(const struct ramp_param *p, const char *arg,
			const char *wrong)
{
	fprintf(stderr, "Illegal \"%s\"", p->keyword);
	if (arg)
		fprintf(stderr, " value \"%s\"", arg);
	fprintf(stderr, ": %s. Accepted: %s.\n", wrong, p->accepted);
	return -1;
}

static int ramp_parse_opt(const struct qdisc_util *qu, int argc, char **argv,
			  struct nlmsghdr *n, const char *dev)
{
	struct ramp_value values[RAMP_PARAMS] = {};
	struct rtattr *tail;
	unsigned int i;

	for (; argc > 0; argc--, argv++) {
		const struct ramp_param *p;
		const char *wrong;

		if (!strcmp(*argv, "help")) {
			explain();
			return -1;
		}
		for (i = 0; i < RAMP_PARAMS; i++)
			if (!strcmp(*argv, ramp_params[i].keyword))
				break;
		if (i == RAMP_PARAMS) {
			fprintf(stderr, "What is \"%s\"?\n", *argv);
			explain();
			return -1;
		}

		p = &ramp_params[i];
		if (!NEXT_ARG_OK())
			return ramp_illegal(p, NULL, "its value is missing");
		NEXT_ARG_FWD();
		wrong = p->type->parse(p, *argv, &values[i]);
		if (wrong)
			return ramp_illegal(p, *argv, wrong);
		values[i].set = true;
	}

	tail = addattr_nest(n, RAMP_MSG_MAX, TCA_OPTIONS | NLA_F_NESTED);
	for (i = 0; i < RAMP_PARAMS; i++)
		if (values[i].set)
			ramp_params[i].type->put(&ramp_params[i], &values[i],
						 n);
	addattr_nest_end(n, tail);
	return 0;
}

static int ramp_print_opt(const struct qdisc_util *qu, FILE *f,
			  struct rtattr *opt)
{
	struct rtattr *tb[TCA_RAMP_MAX + 1];
	const struct ramp_param *p;

	if (!opt)
		return 0;

	parse_rtattr_nested(tb, TCA_RAMP_MAX, opt);
	for (p = ramp_params; p < ramp_params + RAMP_PARAMS; p++)
		if (tb[p->attr])
			p->type->print(p, tb);
	return 0;
}

static int ramp_print_xstats(const struct qdisc_util *qu, FILE *f,
			     struct rtattr *xstats)
{
	struct tc_ramp_xstats st = {};
	bool packets;
	char b[SPRINT_BSIZE];

	if (!xstats)
		return 0;

	/* Kernel and tc may know a different number of fields. */
	memcpy(&st, RTA_DATA(xstats), min(RTA_PAYLOAD(xstats), sizeof(st)));

	print_string(PRINT_ANY, "state", "  state %s",
		     ramp_name(ramp_state_names, st.state));
	packets = st.allowance_unit == RAMP_UNIT_PACKETS;
	print_lluint(PRINT_JSON, "allowance", NULL, st.allowance);
	print_string(PRINT_JSON, "allowance_unit", NULL,
		     packets ? "packets" : "bytes");
	/* With the gate open there is none. */
	if (st.state == RAMP_STATE_UP || st.state == RAMP_STATE_DOWN)
		print_lluint(PRINT_FP, NULL,
			     packets ? " allowance %llup" : " allowance %llub",
			     st.allowance);
	print_lluint(PRINT_ANY, "enqueued", " enqueued %llu", st.enqueued);
	print_lluint(PRINT_ANY, "dequeued", " dequeued %llu", st.dequeued);
	print_lluint(PRINT_ANY, "dropped", " dropped %llu", st.dropped);
	print_lluint(PRINT_ANY, "queued", " queued %llu", st.queued);

	print_nl();
	print_lluint(PRINT_ANY, "surges_up", "  surges_up %llu", st.surges_up);
	print_lluint(PRINT_ANY, "surges_down", " surges_down %llu",
		     st.surges_down);
	print_lluint(PRINT_ANY, "surges_self", " surges_self %llu",
		     st.surges_self);
	print_lluint(PRINT_ANY, "down_empty", " down_empty %llu",
		     st.down_empty);

	print_nl();
	print_lluint(PRINT_ANY, "ramps", "  ramps %llu", st.ramps);
	print_lluint(PRINT_ANY, "ramps_done", " ramps_done %llu",
		     st.ramps_done);
	print_lluint(PRINT_ANY, "ramps_turned", " ramps_turned %llu",
		     st.ramps_turned);
	print_lluint(PRINT_ANY, "ticks", " ticks %llu", st.ticks);
	print_lluint(PRINT_ANY, "ticks_late", " ticks_late %llu",
		     st.ticks_late);
	print_lluint(PRINT_JSON, "ramp_ns", NULL, st.ramp_ns);
	print_string(PRINT_FP, NULL, " ramp_time %s",
		     sprint_time64(st.ramp_ns, b));
	print_lluint(PRINT_ANY, "delayed", " delayed %llu", st.delayed);
	return 0;
}

struct qdisc_util ramp_qdisc_util = {
	.id		= "ramp",
	.parse_qopt	= ramp_parse_opt,
	.print_qopt	= ramp_print_opt,
	.print_xstats	= ramp_print_xstats,
};
