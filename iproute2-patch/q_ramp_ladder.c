// SPDX-License-Identifier: GPL-2.0
/*
 * The ladders of ramp's bands: thresholds of occupancy, and the rates of whoever
 * sends to them
 */

#include "q_ramp.h"
#include "ramp_parse.h"

struct ramp_ladder_step {
	__u64 at;
	__u64 rate;
};

/* @item: "50%:80%", in which the colon is overwritten */
static const char *ramp_get_step(struct ramp_ladder_step *step, char *item)
{
	char *at = strsep(&item, ":");
	const char *wrong;

	if (!item)
		return "the colon is missing";
	wrong = ramp_get_percent(&step->at, at);
	return wrong ? : ramp_get_percent(&step->rate, item);
}

/* Whether the steps can be read; what they may be is the kernel's decision. */
static const char *ramp_check_ladder(const char *arg)
{
	struct ramp_ladder_step step;
	char *list = strdupa(arg);
	const char *wrong;
	char *item;

	if (!strcmp(arg, "none"))
		return NULL;
	while ((item = strsep(&list, ","))) {
		wrong = ramp_get_step(&step, item);
		if (wrong)
			return wrong;
	}
	return NULL;
}

static void ramp_put_steps(int attr, const char *arg, struct nlmsghdr *n)
{
	/* With one more than there may be, so that the kernel refuses it. */
	__u16 at[RAMP_LADDER_MAX + 1], rate[RAMP_LADDER_MAX + 1];
	struct ramp_ladder_step step;
	char *list = strdupa(arg);
	struct rtattr *ladder;
	unsigned int steps = 0;
	char *item;

	/* Checked before; "none" is a ladder without steps. */
	while (steps < ARRAY_SIZE(at) && (item = strsep(&list, ",")) &&
	       !ramp_get_step(&step, item)) {
		at[steps] = step.at;
		rate[steps] = step.rate;
		steps++;
	}

	ladder = addattr_nest(n, RAMP_MSG_MAX, attr | NLA_F_NESTED);
	if (steps) {
		addattr_l(n, RAMP_MSG_MAX, TCA_RAMP_LADDER_AT, at,
			  steps * sizeof(*at));
		addattr_l(n, RAMP_MSG_MAX, TCA_RAMP_LADDER_RATE, rate,
			  steps * sizeof(*rate));
	}
	addattr_nest_end(n, ladder);
}

static void ramp_print_step(__u16 at, __u16 rate, const char *between)
{
	char b[SPRINT_BSIZE];

	open_json_object(NULL);
	ramp_json_percent("at", at);
	ramp_json_percent("rate", rate);
	close_json_object();
	print_string(PRINT_FP, NULL, "%s", between);
	print_string(PRINT_FP, NULL, "%s:", ramp_sprint_percent(at, b));
	print_string(PRINT_FP, NULL, "%s", ramp_sprint_percent(rate, b));
}

static void ramp_print_steps(const char *key, struct rtattr *ladder)
{
	struct rtattr *tb[__TCA_RAMP_LADDER_MAX];
	unsigned int steps = 0;
	const __u16 *at, *rate;
	unsigned int i;

	parse_rtattr_nested(tb, __TCA_RAMP_LADDER_MAX - 1, ladder);
	if (tb[TCA_RAMP_LADDER_AT] && tb[TCA_RAMP_LADDER_RATE]) {
		at = RTA_DATA(tb[TCA_RAMP_LADDER_AT]);
		rate = RTA_DATA(tb[TCA_RAMP_LADDER_RATE]);
		steps = min(RTA_PAYLOAD(tb[TCA_RAMP_LADDER_AT]),
			    RTA_PAYLOAD(tb[TCA_RAMP_LADDER_RATE])) /
			sizeof(*at);
	}

	open_json_array(PRINT_JSON, key);
	for (i = 0; i < steps; i++)
		ramp_print_step(at[i], rate[i], i ? "," : "");
	close_json_array(PRINT_JSON, NULL);
	print_string(PRINT_FP, NULL, "%s ", steps ? "" : "none");
}

static const char *ramp_parse_ladder(const struct ramp_param *p, unsigned int i,
				     const char *arg, struct ramp_value *v)
{
	v->list = arg;
	return ramp_check_ladder(arg);
}

static void ramp_put_ladder(const struct ramp_param *p,
			    const struct ramp_value *v, struct nlmsghdr *n)
{
	ramp_put_steps(p->attr, v->list, n);
}

static void ramp_print_ladder(const struct ramp_param *p, struct rtattr *tb[])
{
	char key[SPRINT_BSIZE];

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	ramp_print_steps(ramp_key(p, key), tb[p->attr]);
}

const struct ramp_type ramp_type_ladder = {
	.args	= 1,
	.parse	= ramp_parse_ladder,
	.put	= ramp_put_ladder,
	.print	= ramp_print_ladder,
	.is_default = ramp_default_empty,
};

/* BAND, then its ladder; on one command line once for each band. */
static const char *ramp_parse_band_ladder(const struct ramp_param *p,
					  unsigned int i, const char *arg,
					  struct ramp_value *v)
{
	if (!i)
		return ramp_get_band(&v->val, arg);

	v->bands |= BIT(v->val);
	v->list_of_band[v->val] = arg;
	return !strcmp(arg, "auto") ? NULL : ramp_check_ladder(arg);
}

static void ramp_put_band_ladder(const struct ramp_param *p,
				 const struct ramp_value *v, struct nlmsghdr *n)
{
	struct rtattr *list, *entry;
	__u32 band;

	list = addattr_nest(n, RAMP_MSG_MAX, p->attr | NLA_F_NESTED);
	for (band = 0; band < RAMP_BANDS_MAX; band++) {
		if (!(v->bands & BIT(band)))
			continue;
		entry = addattr_nest(n, RAMP_MSG_MAX,
				     TCA_RAMP_BAND_LADDERS_ENTRY |
				     NLA_F_NESTED);
		addattr32(n, RAMP_MSG_MAX, TCA_RAMP_BAND_LADDER_BAND, band);
		if (strcmp(v->list_of_band[band], "auto") != 0)
			ramp_put_steps(TCA_RAMP_BAND_LADDER_LADDER,
				       v->list_of_band[band], n);
		addattr_nest_end(n, entry);
	}
	addattr_nest_end(n, list);
}

static void ramp_print_one_band_ladder(const struct ramp_param *p,
				       struct rtattr *entry)
{
	struct rtattr *tb[TCA_RAMP_BAND_LADDER_MAX + 1];

	parse_rtattr_nested(tb, TCA_RAMP_BAND_LADDER_MAX, entry);
	if (!tb[TCA_RAMP_BAND_LADDER_BAND] || !tb[TCA_RAMP_BAND_LADDER_LADDER])
		return;

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	open_json_object(NULL);
	print_uint(PRINT_ANY, "band", "%u ",
		   rta_getattr_u32(tb[TCA_RAMP_BAND_LADDER_BAND]));
	ramp_print_steps("ladder", tb[TCA_RAMP_BAND_LADDER_LADDER]);
	close_json_object();
}

static void ramp_print_band_ladder(const struct ramp_param *p,
				   struct rtattr *tb[])
{
	ramp_print_of_bands(p, tb, ramp_print_one_band_ladder);
}

const struct ramp_type ramp_type_band_ladder = {
	.args	= 2,
	.parse	= ramp_parse_band_ladder,
	.put	= ramp_put_band_ladder,
	.print	= ramp_print_band_ladder,
	.is_default = ramp_default_empty,
};
