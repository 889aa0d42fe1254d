// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of ramp that are lists of devices
 */

#include "q_ramp.h"
#include "ramp_parse.h"

const char *ramp_get_dev(__u32 *ifindex, const char *name)
{
	/* Of nothing there would be a look-up, too. */
	*ifindex = *name ? ll_name_to_index(name) : 0;
	return *ifindex ? NULL : "there is no such device";
}

/* As it is read back: by its index, if its name would be read as something else. */
const char *ramp_sprint_dev(__u32 ifindex, char *buf)
{
	const char *name = ll_index_to_name(ifindex);

	if (strcmp(name, "none") != 0 && !strchr(name, ','))
		return name;
	snprintf(buf, SPRINT_BSIZE, "if%u", ifindex);
	return buf;
}

static const char *ramp_parse_devices(const struct ramp_param *p,
				      unsigned int i, const char *arg,
				      struct ramp_value *v)
{
	char *list = strdupa(arg);
	const char *wrong;
	__u32 ifindex;
	char *name;

	v->list = arg;
	if (!strcmp(arg, "none"))
		return NULL;
	while ((name = strsep(&list, ","))) {
		wrong = ramp_get_dev(&ifindex, name);
		if (wrong)
			return wrong;
	}
	return NULL;
}

static void ramp_put_devices(const struct ramp_param *p,
			     const struct ramp_value *v, struct nlmsghdr *n)
{
	char *list = strdupa(v->list);
	struct rtattr *nest;
	__u32 ifindex;
	char *name;

	nest = addattr_nest(n, RAMP_MSG_MAX, p->attr | NLA_F_NESTED);
	while (strcmp(v->list, "none") != 0 && (name = strsep(&list, ","))) {
		/* If it has gone since it was parsed, the kernel refuses 0. */
		ramp_get_dev(&ifindex, name);
		addattr32(n, RAMP_MSG_MAX, TCA_RAMP_GEAR_PORTS_IFINDEX, ifindex);
	}
	addattr_nest_end(n, nest);
}

static void ramp_print_devices(const struct ramp_param *p, struct rtattr *tb[])
{
	const char *between = "";
	char key[SPRINT_BSIZE];
	char b[SPRINT_BSIZE];
	struct rtattr *entry;
	__u32 ifindex;

	print_string(PRINT_FP, NULL, "%s ", p->keyword);
	open_json_array(PRINT_JSON, ramp_key(p, key));
	rtattr_for_each_nested(entry, tb[p->attr]) {
		ifindex = rta_getattr_u32(entry);
		print_string(PRINT_JSON, NULL, NULL, ll_index_to_name(ifindex));
		print_string(PRINT_FP, NULL, "%s", between);
		print_string(PRINT_FP, NULL, "%s", ramp_sprint_dev(ifindex, b));
		between = ",";
	}
	close_json_array(PRINT_JSON, NULL);
	print_string(PRINT_FP, NULL, "%s ", *between ? "" : "none");
}

const struct ramp_type ramp_type_devices = {
	.args	= 1,
	.parse	= ramp_parse_devices,
	.put	= ramp_put_devices,
	.print	= ramp_print_devices,
	.is_default = ramp_default_empty,
};
