/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ramp qdisc: reading and showing its parameters and counters
 */
#ifndef _NET_SCHED_RAMP_NETLINK_H
#define _NET_SCHED_RAMP_NETLINK_H

#include <linux/build_bug.h>
#include <linux/init.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <net/netlink.h>

struct gnet_dump;
struct Qdisc;
struct ramp_band;
struct ramp_config;
struct sk_buff;

/* What parameters are part of, each with a structure of its own */
enum ramp_part {
	RAMP_PART_QDISC,
	RAMP_PART_CODES,
	RAMP_PART_GEARS,
	RAMP_PARTS
};

/**
 * struct ramp_attr - all that is to be known of a parameter
 * @text: what it may be, or that it was left out of the build
 * @range: of its number, or of its length
 * @type: attribute of TCA_OPTIONS
 * @at: where it is in the structure of its part
 * @size: what it takes there
 * @kind: NLA_*, 0: a number as wide as @size, which is taken as it is
 * @own_put: a number that its part shows, which knows when
 * @of_rail: members of a rail have it in common
 * @absent: it was left out of the build
 */
struct ramp_attr {
	const char	*text;
	struct netlink_range_validation range;
	u16		type;
	u16		at;
	u16		size;
	u8		kind;
	bool		own_put;
	bool		of_rail;
	bool		absent;
};

#define RAMP_AT(part, field...) \
	.at = offsetof(part, field), .size = sizeof_field(part, field)

#define RAMP_NUMBER_AT(part, field...) RAMP_AT(part, field), .kind = \
	BUILD_BUG_ON_ZERO(sizeof_field(part, field) & ~(sizeof(u32) | \
							sizeof(u64)))

/* A row of a number, a u32 or u64 in the structure of its part */
#define RAMP_NUMBER(part, id, field, least, most, ...) \
	{ .type = (id), RAMP_NUMBER_AT(part, field), \
	  .range = { (least), (most) }, __VA_ARGS__ }

/* A row of what its part takes and shows */
#define RAMP_OTHER(id, nla, ...) { .type = (id), .kind = (nla), __VA_ARGS__ }

#define RAMP_ANSWER(id, name) \
	RAMP_OTHER(id, NLA_REJECT, .text = name ": only in answers")

/* What a parameter may be, or that its feature was left out of the build */
#define RAMP_SAYS(feature, says, name...) \
	.absent = !IS_ENABLED(CONFIG_NET_SCH_RAMP_##feature), \
	.text = IS_ENABLED(CONFIG_NET_SCH_RAMP_##feature) ? name ": " says : \
	name ": left out of this build (CONFIG_NET_SCH_RAMP_" #feature ")"

/* attr.c */
void __init ramp_attrs_add(enum ramp_part part, const struct ramp_attr *rows,
			   struct nla_policy *policy);
bool ramp_attrs_named(enum ramp_part part, struct nlattr **tb);
void ramp_attrs_take(enum ramp_part part, void *to, struct nlattr **tb);
int ramp_attrs_put(enum ramp_part part, const void *from,
		   int (*other)(struct sk_buff *skb,
				const struct ramp_attr *row, const void *part),
		   struct sk_buff *skb);
void ramp_attrs_share(struct ramp_config *to, const struct ramp_config *from);
int ramp_refuse(const struct nlattr *attr, struct netlink_ext_ack *extack);
int ramp_refuse_type(u16 type, struct netlink_ext_ack *extack);
int ramp_refuse_absent(const struct nlattr *opt,
		       struct netlink_ext_ack *extack);
int ramp_parse_nested(struct nlattr **tb, int max,
		      const struct nla_policy *policy,
		      const struct nlattr *attr, u32 needed,
		      struct netlink_ext_ack *extack);
int ramp_put_number(struct sk_buff *skb, int type, u64 value);

/* code_attr.c */
extern const struct ramp_attr ramp_code_params[];

/* gear_attr.c */
extern const struct ramp_attr ramp_gear_params[];

/* config_netlink.c: under RTNL */
void __init ramp_params_init(void);
int ramp_parse(const struct Qdisc *sch, struct ramp_config *config,
	       struct nlattr *opt, struct netlink_ext_ack *extack);

int ramp_dump(struct Qdisc *sch, struct sk_buff *skb);

#endif /* _NET_SCHED_RAMP_NETLINK_H */
