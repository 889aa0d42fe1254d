// SPDX-License-Identifier: GPL-2.0
/*
 * The gears of ramp: which there are, and what decides between them
 *
 * Most are lists, with an entry for each gear. They are sent as they were written;
 * how many there may be is the kernel's decision.
 */

#include "q_ramp.h"
#include "ramp_parse.h"

/*
 * What the entries of a list are.
 * @size: bytes of one in netlink, 2, 4 or 8
 * @get: reads one; returns NULL, or what is wrong with it
 * @json: prints one in base units
 * @sprint: writes one as it is read
 */
struct ramp_list {
	unsigned int size;
	const char *(*get)(__u64 *val, const char *str);
	void (*json)(__u64 val);
	char *(*sprint)(__u64 val, char *buf);
};

static void ramp_json_number(__u64 val)
{
	print_lluint(PRINT_JSON, NULL, NULL, val);
}

static void ramp_json_share(__u64 val)
{
	ramp_json_percent(NULL, val);
}

const struct ramp_list ramp_list_rates = {
	.size	= sizeof(__u64),
	.get	= ramp_get_rate,
	.json	= ramp_json_number,
	.sprint	= ramp_sprint_rate,
};

/* Of gear-down, when gear-up is in percent. */
#define RAMP_GEAR_DOWN_PERCENT	2000

const struct ramp_list ramp_list_percents = {
	.size	= sizeof(__u16),
	.get	= ramp_get_percent,
	.json	= ramp_json_share,
	.sprint	= ramp_sprint_percent,
};

/* Of a power, which may be more than the whole; so many that the kernel refuses
 * them, as far as 16 bits can tell it.
 */
static const char *ramp_get_power_share(__u64 *val, const char *str)
{
	const char *wrong = ramp_get_share(val, str);

	if (!wrong && *val > UINT16_MAX)
		return "the number is too large";
	return wrong;
}

const struct ramp_list ramp_list_shares = {
	.size	= sizeof(__u16),
	.get	= ramp_get_power_share,
	.json	= ramp_json_share,
	.sprint	= ramp_sprint_percent,
};

/* In integers, since a double has no 28.24. */
static const char *ramp_get_watts(__u64 *mw, const char *str)
{
	unsigned int place = 100;
	const char *p, *wrong;
	__u64 watts;

	wrong = ramp_get_digits(&watts, str, &p);
	if (wrong)
		return wrong;
	*mw = 0;
	if (*p == '.') {
		for (p++; isdigit((unsigned char)*p); p++) {
			if (!place)
				return "a power has at most three decimals";
			*mw += (*p - '0') * place;
			place /= 10;
		}
		if (place == 100)
			return "digits are missing after the point";
	}
	if (strcasecmp(p, "w") != 0 && *p)
		return "there is junk in the power";
	if (watts > (UINT32_MAX - *mw) / 1000)
		return "the number is too large";
	*mw += watts * 1000;
	return NULL;
}

static char *ramp_sprint_watts(__u64 mw, char *buf)
{
	unsigned int frac = mw % 1000;
	size_t len;

	len = snprintf(buf, SPRINT_BSIZE, "%llu",
		       (unsigned long long)(mw / 1000));
	if (frac) {
		len += snprintf(buf + len, SPRINT_BSIZE - len, ".%03u", frac);
		while (buf[len - 1] == '0')
			len--;
	}
	snprintf(buf + len, SPRINT_BSIZE - len, "W");
	return buf;
}

const struct ramp_list ramp_list_watts = {
	.size	= sizeof(__u32),
	.get	= ramp_get_watts,
	.json	= ramp_json_number,
	.sprint	= ramp_sprint_watts,
};

/* How many entries an attribute has. */
static unsigned int ramp_list_len(const struct ramp_list *list,
				  struct rtattr *attr)
{
	return attr ? RTA_PAYLOAD(attr) / list->size : 0;
}

static __u64 ramp_list_entry(const struct ramp_list *list, struct rtattr *attr,
			     unsigned int i)
{
	const void *data = RTA_DATA(attr) + i * list->size;
	__u64 val;

	/* An attribute of 64 bits is aligned to 32. */
	if (list->size == sizeof(__u16))
		return *(const __u16 *)data;
	if (list->size == sizeof(__u32))
		return *(const __u32 *)data;
	memcpy(&val, data, sizeof(val));
	return val;
}

static const char *ramp_check_list(const struct ramp_list *list,
				   const char *arg)
{
	char *items = strdupa(arg);
	const char *wrong;
	char *item;
	__u64 val;

	while ((item = strsep(&items, ","))) {
		wrong = list->get(&val, item);
		if (wrong)
			return wrong;
	}
	return NULL;
}

/* @arg: was checked, or is NULL, which is a list without entries */
static void ramp_put_entries(const struct ramp_list *list, int attr,
			     const char *arg, struct nlmsghdr *n)
{
	/* With one more than there may be, so that the kernel refuses it. */
	char data[(RAMP_GEARS_MAX + 1) * sizeof(__u64)];
	char *items = arg ? strdupa(arg) : NULL;
	size_t len = 0;
	__u16 u16;
	__u32 u32;
	__u64 u64;
	char *item;

	while (len < (RAMP_GEARS_MAX + 1) * list->size &&
	       (item = strsep(&items, ",")) && !list->get(&u64, item)) {
		u16 = u64;
		u32 = u64;
		memcpy(data + len,
		       list->size == sizeof(u16) ? (void *)&u16 :
		       list->size == sizeof(u32) ? (void *)&u32 : &u64,
		       list->size);
		len += list->size;
	}
	addattr_l(n, RAMP_MSG_MAX, attr, data, len);
}

static void ramp_print_entries(const struct ramp_list *list, const char *key,
			       struct rtattr *attr)
{
	unsigned int len = ramp_list_len(list, attr);
	char b[SPRINT_BSIZE];
	unsigned int i;
	__u64 val;

	open_json_array(PRINT_JSON, key);
	for (i = 0; i < len; i++) {
		val = ramp_list_entry(list, attr, i);
		list->json(val);
		print_string(PRINT_FP, NULL, i ? ",%s" : "%s",
			     list->sprint(val, b));
	}
	close_json_array(PRINT_JSON, NULL);
}

static const char *ramp_parse_list(const struct ramp_param *p, unsigned int i,
				   const char *arg, struct ramp_value *v)
{
	v->list = arg;
	if (p->none && !strcmp(arg, "none"))
		return NULL;
	return ramp_check_list(p->list, arg);
}

static void ramp_put_list(const struct ramp_param *p,
			  const struct ramp_value *v, struct nlmsghdr *n)
{
	ramp_put_entries(p->list, p->attr,
			 p->none && !strcmp(v->list, "none") ? NULL : v->list,
			 n);
}

static void ramp_print_list(const struct ramp_param *p, struct rtattr *tb[])
{
	char key[SPRINT_BSIZE];

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	ramp_print_entries(p->list, ramp_key(p, key), tb[p->attr]);
	print_string(PRINT_FP, NULL, "%s ",
		     ramp_list_len(p->list, tb[p->attr]) ? "" : "none");
}

const struct ramp_type ramp_type_list = {
	.args	= 1,
	.parse	= ramp_parse_list,
	.put	= ramp_put_list,
	.print	= ramp_print_list,
	.is_default = ramp_default_empty,
};

/* Without a unit it might be meant to be percent. */
static const char *ramp_get_gear_time(__u64 *ns, const char *str)
{
	const char *wrong = ramp_get_time(ns, str);

	if (!wrong && *ns && isdigit((unsigned char)str[strlen(str) - 1]))
		return "the unit is missing";
	return wrong;
}

static const struct ramp_list ramp_list_times = {
	.size	= sizeof(__u64),
	.get	= ramp_get_gear_time,
	.json	= ramp_json_number,
	.sprint	= ramp_sprint_time,
};

/* The first one tells the kind, which the others are held against. */
static const char *ramp_parse_threshold(const struct ramp_param *p,
					unsigned int i, const char *arg,
					struct ramp_value *v)
{
	char *first = strdupa(arg);

	v->list = arg;
	first[strcspn(first, ",")] = '\0';
	v->timed = !strchr(first, '%');
	return ramp_check_list(v->timed ? &ramp_list_times :
					  &ramp_list_percents, arg);
}

static void ramp_put_threshold(const struct ramp_param *p,
			       const struct ramp_value *v, struct nlmsghdr *n)
{
	if (v->timed)
		ramp_put_entries(&ramp_list_times, p->attr, v->list, n);
	else
		ramp_put_entries(&ramp_list_percents, p->other, v->list, n);
}

static void ramp_print_threshold(const struct ramp_param *p,
				 struct rtattr *tb[])
{
	struct rtattr *percent = tb[p->other];
	char key[SPRINT_BSIZE];

	ramp_key(p, key);
	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	if (percent) {
		ramp_print_entries(&ramp_list_percents, key, percent);
	} else {
		strncat(key, "_time", sizeof(key) - strlen(key) - 1);
		ramp_print_entries(&ramp_list_times, key, tb[p->attr]);
	}
	print_string(PRINT_FP, NULL, "%s", " ");
}

/* Of two of the other kind gear-up is always shown, as it is what tells the kind. */
static bool ramp_default_threshold(const struct ramp_param *p,
				   struct rtattr *tb[])
{
	struct rtattr *percent = tb[p->other];
	struct ramp_value v;
	__u64 preset;

	if (percent)
		return p->other == TCA_RAMP_GEAR_DOWN &&
		       ramp_list_len(&ramp_list_percents, percent) == 1 &&
		       ramp_list_entry(&ramp_list_percents, percent, 0) ==
		       RAMP_GEAR_DOWN_PERCENT;
	ramp_preset(p, &v);
	return !ramp_get_time(&preset, v.list) &&
	       ramp_list_len(&ramp_list_times, tb[p->attr]) == 1 &&
	       ramp_list_entry(&ramp_list_times, tb[p->attr], 0) == preset;
}

const struct ramp_type ramp_type_threshold = {
	.args	= 1,
	.parse	= ramp_parse_threshold,
	.put	= ramp_put_threshold,
	.print	= ramp_print_threshold,
	.is_default = ramp_default_threshold,
};

static const char *ramp_parse_fit(const struct ramp_param *p, unsigned int i,
				  const char *arg, struct ramp_value *v)
{
	const char *wrong;

	v->val = 0;
	if (!strcmp(arg, "off"))
		return NULL;
	wrong = ramp_get_percent(&v->val, arg);
	return wrong ? : v->val ? NULL : "it is out of range";
}

static void ramp_print_fit(const struct ramp_param *p, struct rtattr *tb[])
{
	__u32 fit = rta_getattr_u32(tb[p->attr]);
	char key[SPRINT_BSIZE];
	char b[SPRINT_BSIZE];

	if (fit)
		ramp_json_percent(ramp_key(p, key), fit);
	else
		print_null(PRINT_JSON, ramp_key(p, key), NULL, NULL);
	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	print_string(PRINT_FP, NULL, "%s ",
		     fit ? ramp_sprint_percent(fit, b) : "off");
}

const struct ramp_type ramp_type_fit = {
	.args	= 1,
	.parse	= ramp_parse_fit,
	.put	= ramp_put_u32,
	.print	= ramp_print_fit,
	.is_default = ramp_default_u32,
};

/* MIN in .val, MAX in .high; in netlink both 0 are none. */
static const char *ramp_parse_range(const struct ramp_param *p, unsigned int i,
				    const char *arg, struct ramp_value *v)
{
	char *max = strdupa(arg);
	const char *wrong;
	char *min;

	v->val = 0;
	v->high = 0;
	if (!strcmp(arg, "none"))
		return NULL;
	min = strsep(&max, ":");
	if (!max)
		return "the colon is missing";
	wrong = ramp_get_count(&v->val, min, NULL) ? :
		ramp_get_count(&v->high, max, NULL);
	if (wrong)
		return wrong;
	if (!v->high || v->val > UINT32_MAX || v->high > UINT32_MAX)
		return "it is out of range";
	return NULL;
}

static void ramp_put_range(const struct ramp_param *p,
			   const struct ramp_value *v, struct nlmsghdr *n)
{
	addattr32(n, RAMP_MSG_MAX, TCA_RAMP_GEAR_MIN, v->val);
	addattr32(n, RAMP_MSG_MAX, TCA_RAMP_GEAR_MAX, v->high);
}

static void ramp_print_range(const struct ramp_param *p, struct rtattr *tb[])
{
	__u32 last = ramp_list_len(&ramp_list_rates, tb[TCA_RAMP_GEARS]) - 1;
	__u32 min = rta_getattr_u32(tb[TCA_RAMP_GEAR_MIN]);
	char key[SPRINT_BSIZE];
	__u32 max = 0, top;

	if (tb[TCA_RAMP_GEAR_MAX])
		max = rta_getattr_u32(tb[TCA_RAMP_GEAR_MAX]);
	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	if (max) {
		open_json_object(ramp_key(p, key));
		print_uint(PRINT_ANY, "min", "%u:", min);
		print_uint(PRINT_ANY, "max", "%u ", max);
		close_json_object();
	} else {
		print_null(PRINT_JSON, ramp_key(p, key), NULL, NULL);
		print_string(PRINT_FP, NULL, "%s ", "none");
	}
	if (!tb[TCA_RAMP_GEAR_TOP])
		return;

	top = rta_getattr_u32(tb[TCA_RAMP_GEAR_TOP]);
	print_uint(PRINT_JSON, "gear_top", NULL, top);
	if (show_details && top < (max ? : last))
		print_uint(PRINT_FP, NULL, "(at most %u now) ", top);
}

static bool ramp_default_range(const struct ramp_param *p, struct rtattr *tb[])
{
	return !tb[TCA_RAMP_GEAR_MAX] ||
	       !rta_getattr_u32(tb[TCA_RAMP_GEAR_MAX]);
}

const struct ramp_type ramp_type_range = {
	.args	= 1,
	.parse	= ramp_parse_range,
	.put	= ramp_put_range,
	.print	= ramp_print_range,
	.is_default = ramp_default_range,
};

static const char *ramp_parse_freeze(const struct ramp_param *p,
				     unsigned int i, const char *arg,
				     struct ramp_value *v)
{
	v->val = RAMP_FREEZE_AUTO;
	return !strcmp(arg, "auto") ? NULL : ramp_get_time(&v->val, arg);
}

static void ramp_print_freeze(const struct ramp_param *p, struct rtattr *tb[])
{
	__u64 ns = rta_getattr_u64(tb[p->attr]);
	bool is_auto = ns == RAMP_FREEZE_AUTO;
	char b[SPRINT_BSIZE];

	if (tb[TCA_RAMP_FREEZE_NOW])
		ns = rta_getattr_u64(tb[TCA_RAMP_FREEZE_NOW]);
	if (ns != RAMP_FREEZE_AUTO)
		print_lluint(PRINT_JSON, "freeze", NULL, ns);
	print_bool(PRINT_JSON, "freeze_auto", NULL, is_auto);
	if (is_auto && !show_details)
		print_string(PRINT_FP, NULL, "freeze %s ", "auto");
	else
		print_string(PRINT_FP, NULL, is_auto ? "freeze auto (%s) " :
						       "freeze %s ",
			     ns == RAMP_FREEZE_AUTO ? "unknown" :
						      ramp_sprint_time(ns, b));
}

const struct ramp_type ramp_type_freeze = {
	.args	= 1,
	.parse	= ramp_parse_freeze,
	.put	= ramp_put_u64,
	.print	= ramp_print_freeze,
	.is_default = ramp_default_u64,
};

/* The percentages belong to the clock: without any they go back to the default. */
static const char *ramp_parse_clock(const struct ramp_param *p, unsigned int i,
				    const char *arg, struct ramp_value *v)
{
	const char *colon = strchr(arg, ':');
	char *name = strdupa(arg);

	if (colon)
		name[colon - arg] = '\0';
	for (v->val = 0; p->names[v->val]; v->val++)
		if (!strcmp(name, p->names[v->val]))
			break;
	if (!p->names[v->val])
		return "it is unknown";
	if (v->val == RAMP_CLOCK_NONE && colon)
		return "none has no percentages";
	v->list = colon ? colon + 1 : NULL;
	return v->list ? ramp_check_list(&ramp_list_percents, v->list) : NULL;
}

static void ramp_put_clock(const struct ramp_param *p,
			   const struct ramp_value *v, struct nlmsghdr *n)
{
	ramp_put_u32(p, v, n);
	ramp_put_entries(&ramp_list_percents, TCA_RAMP_CLOCK_PERCENT, v->list,
			 n);
}

static void ramp_print_clock(const struct ramp_param *p, struct rtattr *tb[])
{
	struct rtattr *percent = tb[TCA_RAMP_CLOCK_PERCENT];

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	print_string(PRINT_ANY, p->keyword, "%s",
		     ramp_name(p->names, rta_getattr_u32(tb[p->attr])));
	if (ramp_list_len(&ramp_list_percents, percent))
		print_string(PRINT_FP, NULL, "%s", ":");
	ramp_print_entries(&ramp_list_percents, "clock_percent", percent);
	print_string(PRINT_FP, NULL, "%s", " ");
}

static bool ramp_default_clock(const struct ramp_param *p, struct rtattr *tb[])
{
	return ramp_default_u32(p, tb) &&
	       !ramp_list_len(&ramp_list_percents, tb[TCA_RAMP_CLOCK_PERCENT]);
}

const struct ramp_type ramp_type_clock = {
	.args	= 1,
	.parse	= ramp_parse_clock,
	.put	= ramp_put_clock,
	.print	= ramp_print_clock,
	.is_default = ramp_default_clock,
};

/* @item: "3" or "0-3", in which the dash is overwritten */
static const char *ramp_get_cpus(__u64 *first, __u64 *last, char *item)
{
	char *from = strsep(&item, "-");
	const char *wrong;

	wrong = ramp_get_count(first, from, NULL);
	if (wrong)
		return wrong;
	*last = *first;
	if (item)
		wrong = ramp_get_count(last, item, NULL);
	if (wrong)
		return wrong;
	if (*last > UINT32_MAX)
		return "it is out of range";
	return *last < *first ? "the last comes before the first" : NULL;
}

static const char *ramp_parse_cpus(const struct ramp_param *p, unsigned int i,
				   const char *arg, struct ramp_value *v)
{
	char *list = strdupa(arg);
	const char *wrong;
	__u64 first, last;
	char *item;

	v->list = arg;
	if (!strcmp(arg, "none"))
		return NULL;
	while ((item = strsep(&list, ","))) {
		wrong = ramp_get_cpus(&first, &last, item);
		if (wrong)
			return wrong;
	}
	return NULL;
}

static void ramp_put_cpus(const struct ramp_param *p,
			  const struct ramp_value *v, struct nlmsghdr *n)
{
	/* With one more than there may be, so that the kernel refuses it. */
	__u32 cpus[RAMP_CLOCK_CPUS_MAX + 1];
	char *list = strdupa(v->list);
	unsigned int len = 0;
	__u64 cpu, last;
	char *item;

	while ((item = strsep(&list, ",")) &&
	       !ramp_get_cpus(&cpu, &last, item))
		for (; cpu <= last && len < ARRAY_SIZE(cpus); cpu++)
			cpus[len++] = cpu;
	addattr_l(n, RAMP_MSG_MAX, p->attr, cpus, len * sizeof(*cpus));
}

static void ramp_print_cpus(const struct ramp_param *p, struct rtattr *tb[])
{
	const __u32 *cpus = RTA_DATA(tb[p->attr]);
	unsigned int len = RTA_PAYLOAD(tb[p->attr]) / sizeof(*cpus);
	unsigned int i, from;

	open_json_array(PRINT_JSON, p->keyword);
	for (i = 0; i < len; i++)
		print_uint(PRINT_JSON, NULL, NULL, cpus[i]);
	close_json_array(PRINT_JSON, NULL);

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	for (i = 0; i < len; i++) {
		for (from = i; i + 1 < len && cpus[i + 1] == cpus[i] + 1;)
			i++;
		print_uint(PRINT_FP, NULL, from ? ",%u" : "%u", cpus[from]);
		if (i > from)
			print_uint(PRINT_FP, NULL, "-%u", cpus[i]);
	}
	print_string(PRINT_FP, NULL, "%s ", len ? "" : "none");
}

const struct ramp_type ramp_type_cpus = {
	.args	= 1,
	.parse	= ramp_parse_cpus,
	.put	= ramp_put_cpus,
	.print	= ramp_print_cpus,
	.is_default = ramp_default_empty,
};
