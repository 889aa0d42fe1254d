// SPDX-License-Identifier: GPL-2.0
/*
 * What the parameters may be, and how that is said.
 *
 * Each part of the qdisc has a table with a row for each of its parameters. The
 * kernel's own range messages name neither the parameter nor the range, so
 * every row has a text that does, and a refusal of any kind shows it.
 */

#include <net/netlink.h>

#include "ramp.h"

static const struct ramp_attr *ramp_parts[RAMP_PARTS] __ro_after_init;

static const struct ramp_attr *ramp_rows[TCA_RAMP_MAX + 1] __ro_after_init;

static u8 ramp_kind(const struct ramp_attr *row)
{
	return row->kind ?: row->size == sizeof(u64) ? NLA_U64 : NLA_U32;
}

/**
 * ramp_attrs_add - know the parameters of a part
 * @part: of it
 * @rows: in the order in which they are shown, and an empty one
 * @policy: by type, to be filled
 *
 * Context: module init.
 */
void __init ramp_attrs_add(enum ramp_part part, const struct ramp_attr *rows,
			   struct nla_policy *policy)
{
	const struct ramp_attr *row;
	struct nla_policy *p;

	ramp_parts[part] = rows;
	for (row = rows; row->type; row++) {
		ramp_rows[row->type] = row;
		p = &policy[row->type];
		p->type = ramp_kind(row);
		if (!row->range.max)
			continue;
		p->validation_type = NLA_VALIDATE_RANGE_PTR;
		p->range = ramp_range_of(row);
	}
}

/**
 * ramp_attrs_named - does a message name a parameter of a part?
 * @part: the part
 * @tb: attributes of the message
 *
 * Return: true when it does
 */
bool ramp_attrs_named(enum ramp_part part, struct nlattr **tb)
{
	const struct ramp_attr *row;

	for (row = ramp_parts[part]; row->type; row++)
		if (tb[row->type])
			return true;
	return false;
}

/**
 * ramp_attrs_take - take over what a message names of numbers
 * @part: of which they are
 * @to: its structure
 * @tb: attributes of the message, each within its range
 *
 * Context: RTNL.
 */
void ramp_attrs_take(enum ramp_part part, void *to, struct nlattr **tb)
{
	const struct ramp_attr *row;

	for (row = ramp_parts[part]; row->type; row++)
		if (!row->kind && tb[row->type])
			nla_memcpy(to + row->at, tb[row->type], row->size);
}

/**
 * ramp_attrs_put - show all parameters of a part
 * @part: of which they are
 * @from: its structure
 * @other: shows what is not a number as it is; NULL: somebody else does
 * @skb: message
 *
 * Context: RTNL.
 *
 * Return: 0 or -EMSGSIZE
 */
int ramp_attrs_put(enum ramp_part part, const void *from,
		   int (*other)(struct sk_buff *skb,
				const struct ramp_attr *row, const void *part),
		   struct sk_buff *skb)
{
	const struct ramp_attr *row;
	const void *value;
	int err;

	for (row = ramp_parts[part]; row->type; row++) {
		value = from + row->at;
		if (row->absent || row->kind == NLA_REJECT)
			continue;
		if (row->kind || row->own_put)
			err = other ? other(skb, row, from) : 0;
		else if (ramp_kind(row) == NLA_U64)
			err = ramp_put_number(skb, row->type, *(u64 *)value);
		else
			err = nla_put_u32(skb, row->type, *(u32 *)value);
		if (err)
			return err;
	}
	return 0;
}

/**
 * ramp_attrs_share - take over what members of a rail have in common
 * @to: configuration of a member
 * @from: that of another one
 *
 * Context: RTNL.
 */
void ramp_attrs_share(struct ramp_config *to, const struct ramp_config *from)
{
	const struct ramp_attr *row;

	for (row = ramp_parts[RAMP_PART_QDISC]; row->type; row++)
		if (row->of_rail)
			memcpy((void *)to + row->at, (void *)from + row->at,
			       row->size);
}

/**
 * ramp_refuse_type - say what a parameter may be that was not named
 * @type: attribute of TCA_OPTIONS
 * @extack: for the message, or NULL
 *
 * Return: -EINVAL
 */
int ramp_refuse_type(u16 type, struct netlink_ext_ack *extack)
{
	if (extack)
		extack->_msg = type <= TCA_RAMP_MAX && ramp_rows[type] ?
			       ramp_rows[type]->text : "unknown attribute";
	return -EINVAL;
}

/**
 * ramp_refuse - say which parameter it is and what it may be
 * @attr: attribute of TCA_OPTIONS, or NULL
 * @extack: for the message, or NULL
 *
 * Return: -EINVAL
 */
int ramp_refuse(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	NL_SET_BAD_ATTR(extack, attr);
	return ramp_refuse_type(attr ? nla_type(attr) : 0, extack);
}

/**
 * ramp_refuse_absent - refuse parameters of what was left out of the build
 * @opt: TCA_OPTIONS
 * @extack: for the message
 *
 * Return: 0, or -EOPNOTSUPP with the name of the first of them in @extack
 */
int ramp_refuse_absent(const struct nlattr *opt, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	int rem, type;

	nla_for_each_nested(attr, opt, rem) {
		type = nla_type(attr);
		if (type > TCA_RAMP_MAX || !ramp_rows[type] ||
		    !ramp_rows[type]->absent)
			continue;
		ramp_refuse(attr, extack);
		return -EOPNOTSUPP;
	}
	return 0;
}

/**
 * ramp_parse_nested - parse what is nested in an attribute
 * @tb: to be filled
 * @max: greatest type
 * @policy: by type
 * @attr: attribute of TCA_OPTIONS
 * @needed: bitmap of the types that must be there
 * @extack: for the message, or NULL
 *
 * Return: 0 or -EINVAL
 */
int ramp_parse_nested(struct nlattr **tb, int max,
		      const struct nla_policy *policy,
		      const struct nlattr *attr, u32 needed,
		      struct netlink_ext_ack *extack)
{
	int i;

	if (nla_parse_nested(tb, max, attr, policy, extack))
		return ramp_refuse(attr, extack);
	for (i = 0; i <= max; i++)
		if (needed & BIT(i) && !tb[i])
			return ramp_refuse(attr, extack);
	return 0;
}

/**
 * ramp_put_number - show a number
 * @skb: message
 * @type: attribute of TCA_OPTIONS
 * @value: of it
 *
 * Return: 0 or -EMSGSIZE
 */
int ramp_put_number(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, TCA_RAMP_PAD);
}
