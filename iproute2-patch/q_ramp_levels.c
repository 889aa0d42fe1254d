// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers of ramp that have a unit: the levels of the detectors and the amounts
 * per tick
 */

#include <stddef.h>

#include "q_ramp.h"
#include "ramp_parse.h"

/* Start and step, when the others are in packets. */
#define RAMP_PRESET_PACKETS	2

static const char * const ramp_unit_names[] = {
	[RAMP_UNIT_PACKETS]	= "packets",
	[RAMP_UNIT_RATE]	= "rate",
	[RAMP_UNIT_PPS]		= "pps",
	[RAMP_UNIT_PERCENT]	= "percent",
	[RAMP_UNIT_BANDS]	= "bands",
	[__RAMP_UNIT_MAX]	= NULL,
};

/* A number whose unit is seen from its suffix; the unit must be in @units. */
static const char *ramp_get_quantity(const char *str, unsigned int units,
				     __u32 *unit, __u64 *val)
{
	const char *suffix = str + strspn(str, "0123456789.");
	static char hint[SPRINT_BSIZE];
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
		/* Nobody means up to 100 bit/s. */
		if (ramp_lacks_unit(str, 101)) {
			snprintf(hint, sizeof(hint), "did you mean %s%%?", str);
			wrong = hint;
		}
	} else {
		*unit = units & BIT(RAMP_UNIT_BANDS) ? RAMP_UNIT_BANDS :
						       RAMP_UNIT_PACKETS;
		wrong = ramp_get_count(val, str, NULL);
	}
	if (!wrong && !(units & BIT(*unit)))
		return "it is of another kind";
	return wrong;
}

static char *ramp_sprint_quantity(__u32 unit, __u64 val, char *buf)
{
	unsigned long long v = val;

	switch (unit) {
	case RAMP_UNIT_PERCENT:
		return ramp_sprint_percent(val, buf);
	case RAMP_UNIT_RATE:
		return ramp_sprint_rate(val, buf);
	case RAMP_UNIT_PPS:
		snprintf(buf, SPRINT_BSIZE, "%llupps", v);
		return buf;
	case RAMP_UNIT_BANDS:
		snprintf(buf, SPRINT_BSIZE, "%llu", v);
		return buf;
	default:
		snprintf(buf, SPRINT_BSIZE, "%llup", v);
		return buf;
	}
}

static void ramp_json_quantity(const char *key, __u32 unit, __u64 val)
{
	if (unit == RAMP_UNIT_PERCENT)
		ramp_json_percent(key, val);
	else
		print_lluint(PRINT_JSON, key, NULL, val);
}

static const char *ramp_get_high(const struct ramp_param *p, const char *high,
				 const char *low, struct ramp_value *v)
{
	const char *wrong;
	__u32 unit;

	v->high = 0;
	if (p->all && !strcmp(high, p->all))
		return NULL;

	wrong = ramp_get_quantity(high, p->units, &unit, &v->high);
	if (wrong)
		return wrong;
	if (p->all && !v->high)
		return "it is out of range";

	/* Nothing is nothing in every kind. */
	if (!strcmp(low, "0"))
		v->unit = unit;
	else if (unit != v->unit && strcmp(high, "0") != 0)
		return "LOW and HIGH are of different kinds";
	return NULL;
}

static const char *ramp_parse_level(const struct ramp_param *p, unsigned int i,
				    const char *arg, struct ramp_value *v)
{
	const char *colon = strchr(arg, ':');
	char low[SPRINT_BSIZE];
	const char *wrong;

	v->delta = *arg == '+';
	if (v->delta)
		return ramp_get_quantity(arg + 1, p->units, &v->unit, &v->val);

	if (!colon)
		return "the colon is missing";
	if (colon - arg >= (ptrdiff_t)sizeof(low))
		return "the number is too large";
	snprintf(low, sizeof(low), "%.*s", (int)(colon - arg), arg);

	wrong = ramp_get_quantity(low, p->units, &v->unit, &v->val);
	return wrong ? : ramp_get_high(p, colon + 1, low, v);
}

static void ramp_put_level(const struct ramp_param *p,
			   const struct ramp_value *v, struct nlmsghdr *n)
{
	struct rtattr *nest;

	nest = addattr_nest(n, RAMP_MSG_MAX, p->attr | NLA_F_NESTED);
	addattr32(n, RAMP_MSG_MAX, TCA_RAMP_LEVEL_UNIT, v->unit);
	if (v->delta) {
		addattr64(n, RAMP_MSG_MAX, TCA_RAMP_LEVEL_DELTA, v->val);
	} else {
		addattr64(n, RAMP_MSG_MAX, TCA_RAMP_LEVEL_LOW, v->val);
		addattr64(n, RAMP_MSG_MAX, TCA_RAMP_LEVEL_HIGH, v->high);
	}
	addattr_nest_end(n, nest);
}

static void ramp_print_delta(const struct ramp_param *p, __u32 unit,
			     __u64 delta)
{
	char b[SPRINT_BSIZE];

	ramp_json_quantity("delta", unit, delta);
	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	print_string(PRINT_FP, NULL, "+%s ",
		     ramp_sprint_quantity(unit, delta, b));
}

/* How many bands the gate counts. */
static __u64 ramp_counted(struct rtattr *tb[])
{
	__u32 bands = 1, exempt = 0;

	if (tb[TCA_RAMP_BANDS])
		bands = rta_getattr_u32(tb[TCA_RAMP_BANDS]);
	if (tb[TCA_RAMP_EXEMPT])
		exempt = rta_getattr_u32(tb[TCA_RAMP_EXEMPT]);
	return bands - __builtin_popcount(exempt);
}

static void ramp_print_low_high(const struct ramp_param *p, __u32 unit,
				__u64 low, __u64 high, struct rtattr *tb[])
{
	bool all = p->all && !high;
	char b[SPRINT_BSIZE];

	ramp_json_quantity("low", unit, low);
	ramp_json_quantity("high", unit, all ? ramp_counted(tb) : high);
	if (p->all)
		print_bool(PRINT_JSON, "high_auto", NULL, all);

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	print_string(PRINT_FP, NULL, "%s:", ramp_sprint_quantity(unit, low, b));
	print_string(PRINT_FP, NULL, "%s ",
		     all ? p->all : ramp_sprint_quantity(unit, high, b));
}

static void ramp_print_level(const struct ramp_param *p, struct rtattr *tb[])
{
	struct rtattr *level[TCA_RAMP_LEVEL_MAX + 1];
	char key[SPRINT_BSIZE];
	__u32 unit;

	parse_rtattr_nested(level, TCA_RAMP_LEVEL_MAX, tb[p->attr]);
	if (!level[TCA_RAMP_LEVEL_UNIT])
		return;
	unit = rta_getattr_u32(level[TCA_RAMP_LEVEL_UNIT]);

	open_json_object(ramp_key(p, key));
	print_string(PRINT_JSON, "unit", NULL,
		     ramp_name(ramp_unit_names, unit));
	if (level[TCA_RAMP_LEVEL_DELTA])
		ramp_print_delta(p, unit,
				 rta_getattr_u64(level[TCA_RAMP_LEVEL_DELTA]));
	else if (level[TCA_RAMP_LEVEL_LOW] && level[TCA_RAMP_LEVEL_HIGH])
		ramp_print_low_high(p, unit,
				    rta_getattr_u64(level[TCA_RAMP_LEVEL_LOW]),
				    rta_getattr_u64(level[TCA_RAMP_LEVEL_HIGH]),
				    tb);
	close_json_object();
}

static bool ramp_default_level(const struct ramp_param *p, struct rtattr *tb[])
{
	struct rtattr *level[TCA_RAMP_LEVEL_MAX + 1];
	struct ramp_value v;

	parse_rtattr_nested(level, TCA_RAMP_LEVEL_MAX, tb[p->attr]);
	if (!level[TCA_RAMP_LEVEL_UNIT] || !level[TCA_RAMP_LEVEL_LOW] ||
	    !level[TCA_RAMP_LEVEL_HIGH])
		return false;
	ramp_preset(p, &v);
	return rta_getattr_u32(level[TCA_RAMP_LEVEL_UNIT]) == v.unit &&
	       rta_getattr_u64(level[TCA_RAMP_LEVEL_LOW]) == v.val &&
	       rta_getattr_u64(level[TCA_RAMP_LEVEL_HIGH]) == v.high;
}

const struct ramp_type ramp_type_level = {
	.args	= 1,
	.parse	= ramp_parse_level,
	.put	= ramp_put_level,
	.print	= ramp_print_level,
	.is_default = ramp_default_level,
};

static const char *ramp_parse_amount(const struct ramp_param *p,
				     unsigned int i, const char *arg,
				     struct ramp_value *v)
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

static bool ramp_read_amount(struct rtattr *attr, __u32 *unit, __u64 *val)
{
	struct rtattr *amount[TCA_RAMP_AMOUNT_MAX + 1];

	if (!attr)
		return false;
	parse_rtattr_nested(amount, TCA_RAMP_AMOUNT_MAX, attr);
	if (!amount[TCA_RAMP_AMOUNT_UNIT] || !amount[TCA_RAMP_AMOUNT_VALUE])
		return false;
	*unit = rta_getattr_u32(amount[TCA_RAMP_AMOUNT_UNIT]);
	*val = rta_getattr_u64(amount[TCA_RAMP_AMOUNT_VALUE]);
	return true;
}

static void ramp_print_amount(const struct ramp_param *p, struct rtattr *tb[])
{
	char key[SPRINT_BSIZE];
	char b[SPRINT_BSIZE];
	__u32 unit;
	__u64 val;

	if (!ramp_read_amount(tb[p->attr], &unit, &val))
		return;

	open_json_object(ramp_key(p, key));
	print_string(PRINT_JSON, "unit", NULL,
		     ramp_name(ramp_unit_names, unit));
	ramp_json_quantity("value", unit, val);
	close_json_object();

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	print_string(PRINT_FP, NULL, "%s ", ramp_sprint_quantity(unit, val, b));
}

/* What it is without being named, in the kind of the others. */
static bool ramp_preset_amount(const struct ramp_param *p, struct rtattr *tb[],
			       __u32 unit, __u64 *val)
{
	struct ramp_value v;

	if (p->attr == TCA_RAMP_DOWN_STEP)
		return ramp_read_amount(tb[TCA_RAMP_STEP], &unit, val);
	if (p->attr == TCA_RAMP_FLOOR)
		return ramp_read_amount(tb[TCA_RAMP_START], &unit, val);
	if (unit == RAMP_UNIT_RATE)
		return ramp_read_amount(tb[TCA_RAMP_START], &unit, val);
	ramp_preset(p, &v);
	*val = unit == v.unit ? v.val : RAMP_PRESET_PACKETS;
	return true;
}

static bool ramp_default_amount(const struct ramp_param *p,
				struct rtattr *tb[])
{
	__u64 val, preset;
	__u32 unit;

	if (!ramp_read_amount(tb[p->attr], &unit, &val))
		return false;
	/* All four are of one kind, and start is what tells it. */
	if (p->attr == TCA_RAMP_START && unit != RAMP_UNIT_PERCENT)
		return false;
	return ramp_preset_amount(p, tb, unit, &preset) && val == preset;
}

const struct ramp_type ramp_type_amount = {
	.args	= 1,
	.parse	= ramp_parse_amount,
	.put	= ramp_put_amount,
	.print	= ramp_print_amount,
	.is_default = ramp_default_amount,
};
