/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ramp qdisc: reading and showing its parameters and counters
 */
#ifndef _NET_SCHED_RAMP_NETLINK_H
#define _NET_SCHED_RAMP_NETLINK_H

#include <linux/types.h>

struct gnet_dump;
struct netlink_ext_ack;
struct nla_policy;
struct nlattr;
struct Qdisc;
struct ramp_band;
struct ramp_config;
struct sk_buff;

/* attr.c */
int ramp_refuse(const struct nlattr *attr, struct netlink_ext_ack *extack);
int ramp_refuse_type(u16 type, struct netlink_ext_ack *extack);
int ramp_refuse_absent(const struct nlattr *opt,
		       struct netlink_ext_ack *extack);
int ramp_parse_nested(struct nlattr **tb, int max,
		      const struct nla_policy *policy,
		      const struct nlattr *attr, u32 needed,
		      struct netlink_ext_ack *extack);
int ramp_put_number(struct sk_buff *skb, int type, u64 value);

/* config_netlink.c: under RTNL */
int ramp_parse(const struct Qdisc *sch, struct ramp_config *config,
	       struct nlattr *opt, struct netlink_ext_ack *extack);

int ramp_dump(struct Qdisc *sch, struct sk_buff *skb);

#endif /* _NET_SCHED_RAMP_NETLINK_H */
