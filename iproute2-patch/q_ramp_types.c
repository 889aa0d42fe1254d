// SPDX-License-Identifier: GPL-2.0
/*
 * The sorts of ramp's parameters that hold one number or one word
 */

#include <ctype.h>

#include "q_ramp.h"
#include "ramp_parse.h"

/* A newer kernel may know more values than a table of ours has. */
const char *ramp_name(const char * const *names, __u32 val)
{
	__u32 i;

	for (i = 0; names[i]; i++)
		if (i == val)
			return names[i];
	return "unknown";
}

/* The JSON key of a keyword: "-" becomes "_". */
const char *ramp_key(const struct ramp_param *p, char *buf)
{
	char *c;

	snprintf(buf, SPRINT_BSIZE, "%s", p->keyword);
	for (c = buf; *c; c++)
		if (*c == '-')
			*c = '_';
	return buf;
}

void ramp_json_percent(const char *key, __u64 val)
{
	print_float(PRINT_JSON, key, NULL, val / 100.);
}

void ramp_put_u32(const struct ramp_param *p, const struct ramp_value *v,
		  struct nlmsghdr *n)
{
	addattr32(n, RAMP_MSG_MAX, p->attr, v->val);
}

void ramp_put_u64(const struct ramp_param *p, const struct ramp_value *v,
		  struct nlmsghdr *n)
{
	addattr64(n, RAMP_MSG_MAX, p->attr, v->val);
}

/* A number, with or without p, is packets; one with another unit is a size. In
 * netlink 0 is auto, so a 0 on the command line cannot be passed on.
 */
const char *ramp_get_limit(__u64 *limit, bool *bytes, const char *arg)
{
	const char *unit = arg + strspn(arg, "0123456789."), *wrong;

	*limit = 0;
	*bytes = false;
	if (!strcmp(arg, "auto"))
		return NULL;
	if (unit != arg && isalpha(*unit) && strcmp(unit, "p") != 0) {
		*bytes = true;
		wrong = ramp_get_size(limit, arg);
	} else {
		wrong = ramp_get_count(limit, arg, *unit ? "p" : NULL);
	}
	if (wrong)
		return wrong;
	if (!*limit || *limit > UINT32_MAX)
		return "it is out of range";
	return NULL;
}

static const char *ramp_parse_limit(const struct ramp_param *p, unsigned int i,
				    const char *arg, struct ramp_value *v)
{
	return ramp_get_limit(&v->val, &v->bytes, arg);
}

static void ramp_put_limit(const struct ramp_param *p,
			   const struct ramp_value *v, struct nlmsghdr *n)
{
	addattr32(n, RAMP_MSG_MAX, v->bytes ? p->other : p->attr, v->val);
}

static void ramp_print_limit(const struct ramp_param *p, struct rtattr *tb[])
{
	__u32 limit = tb[p->attr] ? rta_getattr_u32(tb[p->attr]) : 0;
	bool is_auto = !limit && !tb[p->other];
	__u32 bytes = 0, need = 0;
	char b[SPRINT_BSIZE];

	if (tb[p->other])
		bytes = rta_getattr_u32(tb[p->other]);
	if (tb[TCA_RAMP_LIMIT_NOW])
		limit = rta_getattr_u32(tb[TCA_RAMP_LIMIT_NOW]);
	if (tb[TCA_RAMP_LIMIT_BYTES_NOW])
		bytes = rta_getattr_u32(tb[TCA_RAMP_LIMIT_BYTES_NOW]);
	if (tb[TCA_RAMP_LIMIT_NEED])
		need = rta_getattr_u32(tb[TCA_RAMP_LIMIT_NEED]);

	print_uint(PRINT_JSON, "limit", NULL, limit);
	if (bytes)
		print_uint(PRINT_JSON, "limit_bytes", NULL, bytes);
	print_bool(PRINT_JSON, "limit_auto", NULL, is_auto);
	if (tb[TCA_RAMP_LIMIT_NEED])
		print_uint(PRINT_JSON, "limit_need", NULL, need);

	print_string(PRINT_FP, NULL, "limit %s", is_auto ? "auto (" : "");
	if (bytes)
		print_string(PRINT_FP, NULL, "%s", ramp_sprint_size(bytes, b));
	else
		print_uint(PRINT_FP, NULL, "%up", limit);
	print_string(PRINT_FP, NULL, "%s ", is_auto ? ")" : "");
	if (show_details && need > limit)
		print_uint(PRINT_FP, NULL, "(a ramp needs %up) ", need);
}

const struct ramp_type ramp_type_limit = {
	.args	= 1,
	.parse	= ramp_parse_limit,
	.put	= ramp_put_limit,
	.print	= ramp_print_limit,
	.is_default = ramp_default_u32,
};

/* 0 is auto here, too. */
static const char *ramp_parse_rate(const struct ramp_param *p, unsigned int i,
				   const char *arg, struct ramp_value *v)
{
	const char *wrong;

	v->val = 0;
	if (!strcmp(arg, "auto"))
		return NULL;
	wrong = ramp_get_rate(&v->val, arg);
	if (!wrong && !v->val)
		return "it is out of range";
	return wrong;
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

const struct ramp_type ramp_type_rate = {
	.args	= 1,
	.parse	= ramp_parse_rate,
	.put	= ramp_put_u64,
	.print	= ramp_print_rate,
	.is_default = ramp_default_u64,
};

static const char *ramp_parse_choice(const struct ramp_param *p,
				     unsigned int i, const char *arg,
				     struct ramp_value *v)
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

const struct ramp_type ramp_type_choice = {
	.args	= 1,
	.parse	= ramp_parse_choice,
	.put	= ramp_put_u32,
	.print	= ramp_print_choice,
	.is_default = ramp_default_u32,
};

/* A choice, one of which is a time. */
static const char *ramp_parse_cease(const struct ramp_param *p, unsigned int i,
				    const char *arg, struct ramp_value *v)
{
	if (!isdigit((unsigned char)*arg))
		return ramp_parse_choice(p, i, arg, v);

	v->val = RAMP_CEASE_TIME;
	return ramp_get_time(&v->time, arg);
}

static void ramp_put_cease(const struct ramp_param *p,
			   const struct ramp_value *v, struct nlmsghdr *n)
{
	ramp_put_u32(p, v, n);
	if (v->val == RAMP_CEASE_TIME)
		addattr64(n, RAMP_MSG_MAX, TCA_RAMP_CEASE_TIME, v->time);
}

static void ramp_print_cease(const struct ramp_param *p, struct rtattr *tb[])
{
	__u32 cease = rta_getattr_u32(tb[p->attr]);
	char b[SPRINT_BSIZE];
	__u64 ns;

	if (cease != RAMP_CEASE_TIME || !tb[TCA_RAMP_CEASE_TIME]) {
		ramp_print_choice(p, tb);
		return;
	}

	ns = rta_getattr_u64(tb[TCA_RAMP_CEASE_TIME]);
	print_string(PRINT_JSON, "cease", NULL, "time");
	print_lluint(PRINT_JSON, "cease_time", NULL, ns);
	print_string(PRINT_FP, NULL, "cease %s ", ramp_sprint_time(ns, b));
}

const struct ramp_type ramp_type_cease = {
	.args	= 1,
	.parse	= ramp_parse_cease,
	.put	= ramp_put_cease,
	.print	= ramp_print_cease,
	.is_default = ramp_default_u32,
};

static void ramp_print_flag(const struct ramp_param *p, struct rtattr *tb[])
{
	bool on = rta_getattr_u32(tb[p->attr]);
	char key[SPRINT_BSIZE];

	print_bool(PRINT_JSON, ramp_key(p, key), NULL, on);
	print_string(PRINT_FP, NULL, on ? "%s " : "no-%s ", p->keyword);
}

const struct ramp_type ramp_type_flag = {
	.put	= ramp_put_u32,
	.print	= ramp_print_flag,
	.is_default = ramp_default_u32,
};

static const char *ramp_parse_time(const struct ramp_param *p, unsigned int i,
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

const struct ramp_type ramp_type_time = {
	.args	= 1,
	.parse	= ramp_parse_time,
	.put	= ramp_put_u64,
	.print	= ramp_print_time,
	.is_default = ramp_default_u64,
};

static const char *ramp_parse_percent(const struct ramp_param *p,
				      unsigned int i, const char *arg,
				      struct ramp_value *v)
{
	return ramp_get_percent(&v->val, arg);
}

static void ramp_print_percent(const struct ramp_param *p, struct rtattr *tb[])
{
	__u32 percent = rta_getattr_u32(tb[p->attr]);
	char key[SPRINT_BSIZE];
	char b[SPRINT_BSIZE];

	ramp_json_percent(ramp_key(p, key), percent);
	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	print_string(PRINT_FP, NULL, "%s ", ramp_sprint_percent(percent, b));
}

const struct ramp_type ramp_type_percent = {
	.args	= 1,
	.parse	= ramp_parse_percent,
	.put	= ramp_put_u32,
	.print	= ramp_print_percent,
	.is_default = ramp_default_u32,
};

/* In netlink 0 is none, so a 0 on the command line cannot be passed on. */
static const char *ramp_parse_rail(const struct ramp_param *p, unsigned int i,
				   const char *arg, struct ramp_value *v)
{
	const char *wrong;

	v->val = 0;
	if (!strcmp(arg, "none"))
		return NULL;
	wrong = ramp_get_count(&v->val, arg, NULL);
	if (wrong)
		return wrong;
	if (!v->val || v->val > UINT32_MAX)
		return "it is out of range";
	return NULL;
}

static void ramp_print_rail(const struct ramp_param *p, struct rtattr *tb[])
{
	__u32 rail = rta_getattr_u32(tb[p->attr]);

	print_uint(PRINT_JSON, p->keyword, NULL, rail);
	if (rail)
		print_uint(PRINT_FP, NULL, "rail %u ", rail);
	else
		print_string(PRINT_FP, NULL, "%s none ", p->keyword);
}

const struct ramp_type ramp_type_rail = {
	.args	= 1,
	.parse	= ramp_parse_rail,
	.put	= ramp_put_u32,
	.print	= ramp_print_rail,
	.is_default = ramp_default_u32,
};
