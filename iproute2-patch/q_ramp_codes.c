// SPDX-License-Identifier: GPL-2.0
/*
 * Where ramp sends rate codes to, and whose it obeys
 */

#include <assert.h>
#include <net/ethernet.h>
#include <netinet/ether.h>

#include "q_ramp.h"
#include "ramp_parse.h"

/* A list of devices, as gear-ports is. */
static_assert((int)TCA_RAMP_FEEDBACK_IFINDEX == (int)TCA_RAMP_GEAR_PORTS_IFINDEX,
	      "the lists of devices differ");

/* BAND, then DEV; on one command line once for each band. */
static const char *ramp_parse_band_feedback(const struct ramp_param *p,
					    unsigned int i, const char *arg,
					    struct ramp_value *v)
{
	if (!i)
		return ramp_get_band(&v->val, arg);

	v->bands |= BIT(v->val);
	v->of_band[v->val] = 0;
	if (!strcmp(arg, "none"))
		return NULL;
	return ramp_get_dev(&v->of_band[v->val], arg);
}

static void ramp_put_band_feedback(const struct ramp_param *p,
				   const struct ramp_value *v,
				   struct nlmsghdr *n)
{
	struct rtattr *list, *entry;
	__u32 band;

	list = addattr_nest(n, RAMP_MSG_MAX, p->attr | NLA_F_NESTED);
	for (band = 0; band < RAMP_BANDS_MAX; band++) {
		if (!(v->bands & BIT(band)))
			continue;
		entry = addattr_nest(n, RAMP_MSG_MAX,
				     TCA_RAMP_BAND_FEEDBACKS_ENTRY |
				     NLA_F_NESTED);
		addattr32(n, RAMP_MSG_MAX, TCA_RAMP_BAND_FEEDBACK_BAND, band);
		addattr32(n, RAMP_MSG_MAX, TCA_RAMP_BAND_FEEDBACK_IFINDEX,
			  v->of_band[band]);
		addattr_nest_end(n, entry);
	}
	addattr_nest_end(n, list);
}

static void ramp_print_one_band_feedback(const struct ramp_param *p,
					 struct rtattr *entry)
{
	struct rtattr *tb[TCA_RAMP_BAND_FEEDBACK_MAX + 1];
	char b[SPRINT_BSIZE];
	__u32 band, ifindex;

	parse_rtattr_nested(tb, TCA_RAMP_BAND_FEEDBACK_MAX, entry);
	if (!tb[TCA_RAMP_BAND_FEEDBACK_BAND] ||
	    !tb[TCA_RAMP_BAND_FEEDBACK_IFINDEX])
		return;
	band = rta_getattr_u32(tb[TCA_RAMP_BAND_FEEDBACK_BAND]);
	ifindex = rta_getattr_u32(tb[TCA_RAMP_BAND_FEEDBACK_IFINDEX]);

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	open_json_object(NULL);
	print_uint(PRINT_ANY, "band", "%u ", band);
	print_string(PRINT_JSON, "dev", NULL,
		     ifindex ? ll_index_to_name(ifindex) : "none");
	print_string(PRINT_FP, NULL, "%s ",
		     ifindex ? ramp_sprint_dev(ifindex, b) : "none");
	close_json_object();
}

static void ramp_print_band_feedback(const struct ramp_param *p,
				     struct rtattr *tb[])
{
	ramp_print_of_bands(p, tb, ramp_print_one_band_feedback);
}

const struct ramp_type ramp_type_band_feedback = {
	.args	= 2,
	.parse	= ramp_parse_band_feedback,
	.put	= ramp_put_band_feedback,
	.print	= ramp_print_band_feedback,
	.is_default = ramp_default_empty,
};

/* The only number that is usual in hexadecimal. */
static const char *ramp_parse_ethertype(const struct ramp_param *p,
					unsigned int i, const char *arg,
					struct ramp_value *v)
{
	const char *digits = arg + 2;
	const char *wrong;

	if (strncasecmp(arg, "0x", 2) != 0) {
		wrong = ramp_get_count(&v->val, arg, NULL);
		if (!wrong && v->val > UINT32_MAX)
			return "it is out of range";
		return wrong;
	}
	if (!*digits)
		return "a number is missing";
	if (digits[strspn(digits, "0123456789abcdefABCDEF")])
		return "there is junk at the end";
	if (strlen(digits) > 8)
		return "the number is too large";
	v->val = strtoul(digits, NULL, 16);
	return NULL;
}

static void ramp_print_ethertype(const struct ramp_param *p,
				 struct rtattr *tb[])
{
	print_uint(PRINT_JSON, p->keyword, NULL, rta_getattr_u32(tb[p->attr]));
	print_0xhex(PRINT_FP, NULL, "ethertype 0x%04llx ",
		    rta_getattr_u32(tb[p->attr]));
}

const struct ramp_type ramp_type_ethertype = {
	.args	= 1,
	.parse	= ramp_parse_ethertype,
	.put	= ramp_put_u32,
	.print	= ramp_print_ethertype,
	.is_default = ramp_default_u32,
};

/* Options of obey, in the order of their names. */
enum { RAMP_OBEY_MIN, RAMP_OBEY_FROM };

static const char * const ramp_obey_options[] = { "min", "from", NULL };

static const char *ramp_get_address(struct ether_addr *addr, const char *arg)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	const char *c = arg;
	unsigned int i;

	/* ether_aton_r() reads over what follows an address. */
	for (i = 0; i < ETH_ALEN; i++) {
		size_t digits = strspn(c, hex);

		c += digits;
		if (digits < 1 || digits > 2 ||
		    *c != (i < ETH_ALEN - 1 ? ':' : '\0'))
			return "an address is six bytes, as 02:00:00:00:00:01";
		c++;
	}
	ether_aton_r(arg, addr);
	return NULL;
}

static const char *ramp_parse_from(const char *arg)
{
	char *list = strdupa(arg), *word;
	struct ether_addr addr;
	unsigned int n = 0;
	const char *wrong;

	if (!strcmp(arg, "any"))
		return NULL;
	while ((word = strsep(&list, ","))) {
		wrong = ramp_get_address(&addr, word);
		if (wrong)
			return wrong;
		if (n++ == RAMP_OBEY_FROM_MAX)
			return "there are more than 16 addresses";
	}
	return NULL;
}

/* A flag; the least rate that is obeyed, if it is given, is in .high. It is kept while
 * nothing is obeyed, as are the addresses that alone are.
 */
static const char *ramp_parse_obey(const struct ramp_param *p, unsigned int i,
				   const char *arg, struct ramp_value *v)
{
	if (i == RAMP_OBEY_FROM) {
		v->list = arg;
		return ramp_parse_from(arg);
	}
	v->min_set = true;
	v->high = 0;
	/* Nothing is nothing in every unit. */
	return strcmp(arg, "0") ? ramp_get_percent(&v->high, arg) : NULL;
}

static void ramp_put_from(const char *arg, struct nlmsghdr *n)
{
	struct ether_addr addr[RAMP_OBEY_FROM_MAX];
	char *list = strdupa(arg), *word;
	unsigned int i = 0;

	while (strcmp(arg, "any") != 0 && (word = strsep(&list, ",")))
		ramp_get_address(&addr[i++], word);
	addattr_l(n, RAMP_MSG_MAX, TCA_RAMP_OBEY_FROM, addr, i * sizeof(*addr));
}

static void ramp_put_obey(const struct ramp_param *p,
			  const struct ramp_value *v, struct nlmsghdr *n)
{
	ramp_put_u32(p, v, n);
	if (v->min_set)
		addattr32(n, RAMP_MSG_MAX, TCA_RAMP_OBEY_MIN, v->high);
	if (v->list)
		ramp_put_from(v->list, n);
}

static void ramp_print_from(struct rtattr *from, bool on)
{
	unsigned int n = RTA_PAYLOAD(from) / ETH_ALEN, i;
	const __u8 *addr = RTA_DATA(from);
	char b[sizeof("02:00:00:00:00:01")];

	open_json_array(PRINT_JSON, "obey_from");
	if (n || (on && show_details))
		print_string(PRINT_FP, NULL, "from %s", n ? "" : "any ");
	for (i = 0; i < n; i++, addr += ETH_ALEN) {
		snprintf(b, sizeof(b), "%02x:%02x:%02x:%02x:%02x:%02x", addr[0],
			 addr[1], addr[2], addr[3], addr[4], addr[5]);
		print_string(PRINT_ANY, NULL, i + 1 < n ? "%s," : "%s ", b);
	}
	close_json_array(PRINT_JSON, NULL);
}

#define RAMP_OBEY_MIN_DEFAULT	1000

static void ramp_print_obey(const struct ramp_param *p, struct rtattr *tb[])
{
	bool on = rta_getattr_u32(tb[p->attr]);
	char b[SPRINT_BSIZE];
	__u32 min;

	print_bool(PRINT_JSON, p->keyword, NULL, on);
	print_string(PRINT_FP, NULL, on ? "%s " : "no-%s ", p->keyword);
	if (!tb[TCA_RAMP_OBEY_MIN])
		return;

	min = rta_getattr_u32(tb[TCA_RAMP_OBEY_MIN]);
	ramp_json_percent("obey_min", min);
	if (min != RAMP_OBEY_MIN_DEFAULT || (on && show_details))
		print_string(PRINT_FP, NULL, "min %s ",
			     ramp_sprint_percent(min, b));
	if (tb[TCA_RAMP_OBEY_FROM])
		ramp_print_from(tb[TCA_RAMP_OBEY_FROM], on);
}

static bool ramp_default_obey(const struct ramp_param *p, struct rtattr *tb[])
{
	struct rtattr *min = tb[TCA_RAMP_OBEY_MIN];
	struct rtattr *from = tb[TCA_RAMP_OBEY_FROM];

	return ramp_default_u32(p, tb) && (!from || !RTA_PAYLOAD(from)) &&
	       (!min || rta_getattr_u32(min) == RAMP_OBEY_MIN_DEFAULT);
}

const struct ramp_type ramp_type_obey = {
	.options = ramp_obey_options,
	.parse	= ramp_parse_obey,
	.put	= ramp_put_obey,
	.print	= ramp_print_obey,
	.is_default = ramp_default_obey,
};
