// SPDX-License-Identifier: GPL-2.0
/*
 * What is at its default, and is left out of the short line
 *
 * A default is what the kernel takes for a parameter that nobody names, all others
 * being as they are. So the short line, given back to tc, makes the same ramp.
 */

#include "q_ramp.h"

/* What the command line would say to get the default. */
void ramp_preset(const struct ramp_param *p, struct ramp_value *v)
{
	memset(v, 0, sizeof(*v));
	if (p->type->args)
		p->type->parse(p, 0, p->preset, v);
	else
		v->val = strncmp(p->preset, "no-", 3) != 0;
}

bool ramp_default_u32(const struct ramp_param *p, struct rtattr *tb[])
{
	struct ramp_value v;

	if (!tb[p->attr] || tb[p->other])
		return false;
	ramp_preset(p, &v);
	return rta_getattr_u32(tb[p->attr]) == v.val;
}

bool ramp_default_u64(const struct ramp_param *p, struct rtattr *tb[])
{
	struct ramp_value v;

	ramp_preset(p, &v);
	return rta_getattr_u64(tb[p->attr]) == v.val;
}

bool ramp_default_empty(const struct ramp_param *p, struct rtattr *tb[])
{
	return !RTA_PAYLOAD(tb[p->attr]);
}

/* Whether it is to be printed; JSON has everything. */
bool ramp_is_shown(const struct ramp_param *p, struct rtattr *tb[])
{
	return is_json_context() || show_details ||
	       !p->type->is_default(p, tb);
}
