// SPDX-License-Identifier: GPL-2.0
/*
 * The parameters of ramp's bands
 */

#include "q_ramp.h"
#include "ramp_parse.h"

const char *ramp_get_band(__u64 *band, const char *arg)
{
	const char *wrong = ramp_get_count(band, arg, NULL);

	if (!wrong && *band >= RAMP_BANDS_MAX)
		return "it is out of range";
	return wrong;
}

static const char *ramp_parse_bands(const struct ramp_param *p, unsigned int i,
				    const char *arg, struct ramp_value *v)
{
	const char *wrong = ramp_get_count(&v->val, arg, NULL);

	if (!wrong && v->val > UINT32_MAX)
		return "it is out of range";
	return wrong;
}

static void ramp_print_bands(const struct ramp_param *p, struct rtattr *tb[])
{
	print_uint(PRINT_ANY, "bands", "bands %u ",
		   rta_getattr_u32(tb[p->attr]));
}

const struct ramp_type ramp_type_bands = {
	.args	= 1,
	.parse	= ramp_parse_bands,
	.put	= ramp_put_u32,
	.print	= ramp_print_bands,
	.is_default = ramp_default_u32,
};

static const char *ramp_parse_priomap(const struct ramp_param *p,
				      unsigned int i, const char *arg,
				      struct ramp_value *v)
{
	const char *wrong = ramp_get_band(&v->val, arg);

	v->priomap[i] = v->val;
	return wrong;
}

static void ramp_put_priomap(const struct ramp_param *p,
			     const struct ramp_value *v, struct nlmsghdr *n)
{
	addattr_l(n, RAMP_MSG_MAX, p->attr, v->priomap, sizeof(v->priomap));
}

static void ramp_print_priomap(const struct ramp_param *p, struct rtattr *tb[])
{
	const __u8 *map = RTA_DATA(tb[p->attr]);
	unsigned int i;

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	open_json_array(PRINT_JSON, p->keyword);
	for (i = 0; i < RTA_PAYLOAD(tb[p->attr]); i++)
		print_uint(PRINT_ANY, NULL, "%u ", map[i]);
	close_json_array(PRINT_JSON, NULL);
}

/* What prio(8) does with each priority, in as many bands as there are. */
static bool ramp_default_priomap(const struct ramp_param *p,
				 struct rtattr *tb[])
{
	static const __u8 preset[TC_PRIO_MAX + 1] = {
		1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1
	};
	const __u8 *map = RTA_DATA(tb[p->attr]);
	unsigned int i;
	__u8 last;

	if (!tb[TCA_RAMP_BANDS] || RTA_PAYLOAD(tb[p->attr]) != sizeof(preset))
		return false;
	last = rta_getattr_u32(tb[TCA_RAMP_BANDS]) - 1;
	for (i = 0; i < sizeof(preset); i++)
		if (map[i] != min(preset[i], last))
			return false;
	return true;
}

const struct ramp_type ramp_type_priomap = {
	.args	= TC_PRIO_MAX + 1,
	.parse	= ramp_parse_priomap,
	.put	= ramp_put_priomap,
	.print	= ramp_print_priomap,
	.is_default = ramp_default_priomap,
};

/* A list of bands with commas, which becomes a bitmap. */
static const char *ramp_parse_exempt(const struct ramp_param *p,
				     unsigned int i, const char *arg,
				     struct ramp_value *v)
{
	const char *wrong;
	char *list, *item;
	__u64 band;

	v->val = 0;
	if (!strcmp(arg, "none"))
		return NULL;

	list = strdupa(arg);
	while ((item = strsep(&list, ","))) {
		wrong = ramp_get_band(&band, item);
		if (wrong)
			return wrong;
		v->val |= BIT(band);
	}
	return NULL;
}

static void ramp_print_exempt(const struct ramp_param *p, struct rtattr *tb[])
{
	__u32 bands = rta_getattr_u32(tb[p->attr]);
	const char *between = " ";
	unsigned int i;

	print_string(PRINT_FP, NULL, bands ? "%s" : "%s none", p->keyword);
	open_json_array(PRINT_JSON, p->keyword);
	for (i = 0; i < 32 && bands >> i; i++) {
		if (!(bands >> i & 1))
			continue;
		print_string(PRINT_FP, NULL, "%s", between);
		print_uint(PRINT_ANY, NULL, "%u", i);
		between = ",";
	}
	close_json_array(PRINT_JSON, NULL);
	print_string(PRINT_FP, NULL, "%s", " ");
}

const struct ramp_type ramp_type_exempt = {
	.args	= 1,
	.parse	= ramp_parse_exempt,
	.put	= ramp_put_u32,
	.print	= ramp_print_exempt,
	.is_default = ramp_default_u32,
};

/* BAND, then PACKETS; on one command line once for each band. */
static const char *ramp_parse_band_limit(const struct ramp_param *p,
					 unsigned int i, const char *arg,
					 struct ramp_value *v)
{
	const char *wrong;
	bool bytes;
	__u64 limit;

	if (!i)
		return ramp_get_band(&v->val, arg);

	wrong = ramp_get_limit(&limit, &bytes, arg);
	if (wrong)
		return wrong;
	v->bands |= BIT(v->val);
	v->of_band[v->val] = limit;
	if (bytes)
		v->of_band_bytes |= BIT(v->val);
	else
		v->of_band_bytes &= ~BIT(v->val);
	return NULL;
}

static void ramp_put_band_limit(const struct ramp_param *p,
				const struct ramp_value *v, struct nlmsghdr *n)
{
	struct rtattr *list, *entry;
	__u32 band;

	list = addattr_nest(n, RAMP_MSG_MAX, p->attr | NLA_F_NESTED);
	for (band = 0; band < RAMP_BANDS_MAX; band++) {
		if (!(v->bands & BIT(band)))
			continue;
		entry = addattr_nest(n, RAMP_MSG_MAX,
				     TCA_RAMP_BAND_LIMITS_ENTRY | NLA_F_NESTED);
		addattr32(n, RAMP_MSG_MAX, TCA_RAMP_BAND_LIMIT_BAND, band);
		addattr32(n, RAMP_MSG_MAX, v->of_band_bytes & BIT(band) ?
			  TCA_RAMP_BAND_LIMIT_BYTES : TCA_RAMP_BAND_LIMIT_PACKETS,
			  v->of_band[band]);
		addattr_nest_end(n, entry);
	}
	addattr_nest_end(n, list);
}

/* All bands that are named, each by @print. */
void ramp_print_of_bands(const struct ramp_param *p, struct rtattr *tb[],
			 void (*print)(const struct ramp_param *p,
				       struct rtattr *entry))
{
	char key[SPRINT_BSIZE];
	struct rtattr *entry;

	open_json_array(PRINT_JSON, ramp_key(p, key));
	rtattr_for_each_nested(entry, tb[p->attr])
		print(p, entry);
	close_json_array(PRINT_JSON, NULL);
}

static void ramp_print_one_band_limit(const struct ramp_param *p,
				      struct rtattr *entry)
{
	struct rtattr *tb[TCA_RAMP_BAND_LIMIT_MAX + 1];
	struct rtattr *packets, *bytes;
	char b[SPRINT_BSIZE];
	__u32 size;

	parse_rtattr_nested(tb, TCA_RAMP_BAND_LIMIT_MAX, entry);
	packets = tb[TCA_RAMP_BAND_LIMIT_PACKETS];
	bytes = tb[TCA_RAMP_BAND_LIMIT_BYTES];
	if (!tb[TCA_RAMP_BAND_LIMIT_BAND] || (!packets && !bytes))
		return;

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	open_json_object(NULL);
	print_uint(PRINT_ANY, "band", "%u ",
		   rta_getattr_u32(tb[TCA_RAMP_BAND_LIMIT_BAND]));
	if (bytes) {
		size = rta_getattr_u32(bytes);
		print_uint(PRINT_JSON, "bytes", NULL, size);
		print_string(PRINT_FP, NULL, "%s ", ramp_sprint_size(size, b));
	} else {
		size = rta_getattr_u32(packets);
		print_uint(PRINT_JSON, "packets", NULL, size);
		print_uint(PRINT_FP, NULL, size ? "%up " : "auto ", size);
	}
	close_json_object();
}

static void ramp_print_band_limit(const struct ramp_param *p,
				  struct rtattr *tb[])
{
	ramp_print_of_bands(p, tb, ramp_print_one_band_limit);
}

const struct ramp_type ramp_type_band_limit = {
	.args	= 2,
	.parse	= ramp_parse_band_limit,
	.put	= ramp_put_band_limit,
	.print	= ramp_print_band_limit,
	.is_default = ramp_default_empty,
};
