// SPDX-License-Identifier: GPL-2.0
/*
 * The sorts of mpolice's parameters that hold one number or one word
 */

#include "m_mpolice.h"
#include "ramp_parse.h"

static const char * const mpolice_policy_names[] = {
	[MPOLICE_POLICY_DROP]		= "drop",
	[MPOLICE_POLICY_ACCOUNT]	= "account",
	[MPOLICE_POLICY_BYPASS]		= "bypass",
};

static void mpolice_put_u32(const struct mpolice_param *p,
			    const struct mpolice_value *v, struct nlmsghdr *n)
{
	addattr32(n, MAX_MSG, p->attr, v->val);
}

static void mpolice_put_u64(const struct mpolice_param *p,
			    const struct mpolice_value *v, struct nlmsghdr *n)
{
	addattr64(n, MAX_MSG, p->attr, v->val);
}

static const char *mpolice_parse_u32(int argc, char **argv,
				     struct mpolice_value *v, int *used)
{
	const char *wrong = ramp_get_count(&v->val, *argv, NULL);

	if (!wrong && v->val > UINT32_MAX)
		return "the number is too large";
	return wrong;
}

static void mpolice_print_u32(const struct mpolice_param *p,
			      struct rtattr *tb[])
{
	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	print_uint(PRINT_ANY, p->keyword, "%u ", rta_getattr_u32(tb[p->attr]));
}

const struct mpolice_type mpolice_type_u32 = {
	.parse	= mpolice_parse_u32,
	.put	= mpolice_put_u32,
	.print	= mpolice_print_u32,
};

static const char *mpolice_parse_rate(int argc, char **argv,
				      struct mpolice_value *v, int *used)
{
	return ramp_get_rate(&v->val, *argv);
}

static void mpolice_print_rate(const struct mpolice_param *p,
			       struct rtattr *tb[])
{
	__u64 rate = rta_getattr_u64(tb[p->attr]);
	char b[SPRINT_BSIZE];

	print_lluint(PRINT_JSON, p->keyword, NULL, rate);
	print_string(PRINT_FP, NULL, "rate %s ", ramp_sprint_rate(rate, b));
}

const struct mpolice_type mpolice_type_rate = {
	.parse	= mpolice_parse_rate,
	.put	= mpolice_put_u64,
	.print	= mpolice_print_rate,
};

/* "1000", or with the unit that @suffix is */
static const char *mpolice_get_count(__u64 *val, const char *arg,
				     const char *suffix)
{
	size_t digits = strspn(arg, "0123456789.");

	return ramp_get_count(val, arg,
			      strcmp(arg + digits, suffix) ? NULL : suffix);
}

static const char *mpolice_parse_pps(int argc, char **argv,
				     struct mpolice_value *v, int *used)
{
	return mpolice_get_count(&v->val, *argv, "pps");
}

static void mpolice_print_pps(const struct mpolice_param *p,
			      struct rtattr *tb[])
{
	print_lluint(PRINT_ANY, p->keyword, "pps %llu ",
		     rta_getattr_u64(tb[p->attr]));
}

const struct mpolice_type mpolice_type_pps = {
	.parse	= mpolice_parse_pps,
	.put	= mpolice_put_u64,
	.print	= mpolice_print_pps,
};

static const char *mpolice_parse_burst(int argc, char **argv,
				       struct mpolice_value *v, int *used)
{
	v->unit = MPOLICE_UNIT_BYTES;
	return ramp_get_size(&v->val, *argv);
}

static void mpolice_print_burst(const struct mpolice_param *p,
				struct rtattr *tb[])
{
	__u64 burst = rta_getattr_u64(tb[p->attr]);
	char b[SPRINT_BSIZE];

	if (mpolice_in_packets(tb))
		return;
	print_lluint(PRINT_JSON, "burst", NULL, burst);
	print_string(PRINT_FP, NULL, "burst %s ", ramp_sprint_size(burst, b));
}

const struct mpolice_type mpolice_type_burst = {
	.parse	= mpolice_parse_burst,
	.put	= mpolice_put_u64,
	.print	= mpolice_print_burst,
};

static const char *mpolice_parse_pkt_burst(int argc, char **argv,
					   struct mpolice_value *v, int *used)
{
	v->unit = MPOLICE_UNIT_PACKETS;
	return mpolice_get_count(&v->val, *argv, "p");
}

static void mpolice_print_pkt_burst(const struct mpolice_param *p,
				    struct rtattr *tb[])
{
	if (mpolice_in_packets(tb))
		print_lluint(PRINT_ANY, "pkt_burst", "pkt-burst %llu ",
			     rta_getattr_u64(tb[p->attr]));
}

const struct mpolice_type mpolice_type_pkt_burst = {
	.parse	= mpolice_parse_pkt_burst,
	.put	= mpolice_put_u64,
	.print	= mpolice_print_pkt_burst,
};

static const char *mpolice_parse_time(int argc, char **argv,
				      struct mpolice_value *v, int *used)
{
	return ramp_get_time(&v->val, *argv);
}

static void mpolice_print_time(const struct mpolice_param *p,
			       struct rtattr *tb[])
{
	__u64 ns = rta_getattr_u64(tb[p->attr]);
	char b[SPRINT_BSIZE];

	print_lluint(PRINT_JSON, p->keyword, NULL, ns);
	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	print_string(PRINT_FP, NULL, "%s ", ramp_sprint_time(ns, b));
}

const struct mpolice_type mpolice_type_time = {
	.parse	= mpolice_parse_time,
	.put	= mpolice_put_u64,
	.print	= mpolice_print_time,
};

/* Tokens, which are bytes (64k) or packets (50p), or what the bucket has (50). */
static const char *mpolice_parse_tokens(int argc, char **argv,
					struct mpolice_value *v, int *used)
{
	size_t digits = strspn(*argv, "0123456789.");

	if (!strcmp(*argv + digits, "p")) {
		v->unit = MPOLICE_UNIT_PACKETS;
		return ramp_get_count(&v->val, *argv, "p");
	}
	if ((*argv)[digits])
		v->unit = MPOLICE_UNIT_BYTES;
	return ramp_get_size(&v->val, *argv);
}

static void mpolice_print_tokens(const struct mpolice_param *p,
				 struct rtattr *tb[])
{
	__u64 val = rta_getattr_u64(tb[p->attr]);
	char b[SPRINT_BSIZE];

	print_lluint(PRINT_JSON, p->keyword, NULL, val);
	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	if (mpolice_in_packets(tb))
		print_lluint(PRINT_FP, NULL, "%llup ", val);
	else
		print_string(PRINT_FP, NULL, "%s ", ramp_sprint_size(val, b));
}

const struct mpolice_type mpolice_type_threshold = {
	.parse	= mpolice_parse_tokens,
	.put	= mpolice_put_u64,
	.print	= mpolice_print_tokens,
};

static const char *mpolice_parse_debt(int argc, char **argv,
				      struct mpolice_value *v, int *used)
{
	if (strcmp(*argv, "unlimited") != 0)
		return mpolice_parse_tokens(argc, argv, v, used);
	v->val = MPOLICE_DEBT_UNLIMITED;
	return NULL;
}

static void mpolice_print_debt(const struct mpolice_param *p,
			       struct rtattr *tb[])
{
	bool unlimited = rta_getattr_u64(tb[p->attr]) == MPOLICE_DEBT_UNLIMITED;

	print_bool(PRINT_JSON, "debt_unlimited", NULL, unlimited);
	if (unlimited)
		print_string(PRINT_FP, NULL, "debt %s ", "unlimited");
	else
		mpolice_print_tokens(p, tb);
}

const struct mpolice_type mpolice_type_debt = {
	.parse	= mpolice_parse_debt,
	.put	= mpolice_put_u64,
	.print	= mpolice_print_debt,
};

static const char *mpolice_parse_policy(int argc, char **argv,
					struct mpolice_value *v, int *used)
{
	for (v->val = 0; v->val < ARRAY_SIZE(mpolice_policy_names); v->val++)
		if (!strcmp(*argv, mpolice_policy_names[v->val]))
			return NULL;
	return "it is unknown";
}

/* A newer kernel may know more policies. */
static void mpolice_print_policy(const struct mpolice_param *p,
				 struct rtattr *tb[])
{
	__u32 policy = rta_getattr_u32(tb[p->attr]);

	print_string(PRINT_ANY, p->keyword, "policy %s ",
		     policy < ARRAY_SIZE(mpolice_policy_names) ?
		     mpolice_policy_names[policy] : "unknown");
}

const struct mpolice_type mpolice_type_policy = {
	.parse	= mpolice_parse_policy,
	.put	= mpolice_put_u32,
	.print	= mpolice_print_policy,
};
