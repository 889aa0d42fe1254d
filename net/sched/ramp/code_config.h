/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ramp qdisc: what is asked for of ladders, codes and peers, and what that
 * amounts to
 *
 * Most qdiscs have none of it, so it is memory of its own.
 */
#ifndef _NET_SCHED_RAMP_CODE_CONFIG_H
#define _NET_SCHED_RAMP_CODE_CONFIG_H

#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/ramp.h>
#include <linux/types.h>
#include <net/ramp/ladder.h>

struct netlink_ext_ack;
struct nlattr;
struct Qdisc;
struct ramp_config;
struct ramp_law;
struct sk_buff;

/* Devices that codes can go out of: of all bands, and of each by itself */
#define RAMP_CODE_DEVS	(RAMP_FEEDBACK_MAX + RAMP_BANDS_MAX)

/**
 * struct ramp_steps - the steps of a ladder
 * @n: how many, 0: none
 * @at: hundredths of a percent of the limit of a band, ascending
 * @rate: hundredths of a percent, descending
 */
struct ramp_steps {
	u32	n;
	u16	at[RAMP_LADDER_MAX];
	u16	rate[RAMP_LADDER_MAX];
};

/**
 * struct ramp_code_config - what was asked for, in the units of the asker
 * @ladder: of all bands that were not named
 * @band_ladder: of those that were
 * @named: bitmap of the bands that were
 * @adjust: hundredths of a percent of a threshold
 * @feedbacks: how many devices the codes go out of
 * @feedback: their ifindexes
 * @band_feedback: ifindex of the one device of a band, 0: as all
 * @validity: ns, of the codes that are sent
 * @ethertype: of frames with codes
 * @obey: bool
 * @obey_min: hundredths of a percent, of what no peer slows us below
 * @n_from: how many addresses alone are obeyed; 0: anybody
 * @from: these
 */
struct ramp_code_config {
	struct ramp_steps	ladder;
	struct ramp_steps	band_ladder[RAMP_BANDS_MAX];
	u32			named;
	u32			adjust;
	u32			feedbacks;
	u32			feedback[RAMP_FEEDBACK_MAX];
	u32			band_feedback[RAMP_BANDS_MAX];
	u64			validity;
	u32			ethertype;
	u32			obey;
	u32			obey_min;
	u32			n_from;
	u8			from[RAMP_OBEY_FROM_MAX][ETH_ALEN];
};

/**
 * struct ramp_code_dev - a device that codes go out of
 * @ifindex: of it
 * @bands: bitmap of the bands whose codes go there
 */
struct ramp_code_dev {
	u32	ifindex;
	u32	bands;
};

/**
 * struct ramp_code_route - frames with codes, and where they go
 * @devs: how many devices
 * @dev: each of them once
 * @validity: ms
 * @ethertype: of the frames
 */
struct ramp_code_route {
	u32			devs;
	struct ramp_code_dev	dev[RAMP_CODE_DEVS];
	u32			validity;
	u16			ethertype;
};

/**
 * struct ramp_code_law - what that amounts to for whoever decides on codes
 * @ladders: bitmap of the bands that have a ladder
 * @ladder: thresholds in skbs, by band
 * @route: where codes are to go
 */
struct ramp_code_law {
	u32				ladders;
	struct ramp_ladder_params	ladder[RAMP_BANDS_MAX];
	struct ramp_code_route		route;
};

/* A bond or team takes the type of its first port, whatever that is. */
static inline bool ramp_is_ethernet(const struct net_device *dev)
{
	return dev->type == ARPHRD_ETHER && dev->addr_len == ETH_ALEN;
}

/* ladder_config.c: under RTNL */
struct ramp_code_config *ramp_code_edit(struct ramp_config *config,
					const struct ramp_code_config *old);
int ramp_code_bands(struct ramp_config *config,
		    const struct ramp_code_config *old);
int ramp_code_resolve(const struct ramp_config *config,
		      const struct ramp_law *law,
		      struct ramp_code_law *out,
		      struct netlink_ext_ack *extack);

/* What others call whether or not there are codes, under RTNL. */
#if IS_ENABLED(CONFIG_NET_SCH_RAMP_CODES)
/* ladder_config.c */
const struct ramp_code_config *
ramp_code_config(const struct ramp_config *config);
int ramp_code_check(const struct Qdisc *sch, const struct ramp_config *config,
		    struct netlink_ext_ack *extack);
bool ramp_code_sends(const struct ramp_config *config);
bool ramp_code_forget(struct ramp_config *config, u32 ifindex);

/* ladder_netlink.c */
int ramp_parse_codes(struct ramp_config *config,
		     const struct ramp_code_config *old, struct nlattr **tb,
		     struct netlink_ext_ack *extack);
u32 ramp_codes_size(const struct ramp_config *config);
int ramp_dump_codes(struct sk_buff *skb, const struct ramp_config *config);
#else
static inline const struct ramp_code_config *
ramp_code_config(const struct ramp_config *config)
{
	static const struct ramp_code_config none;

	return &none;
}

static inline int ramp_code_check(const struct Qdisc *sch,
				  const struct ramp_config *config,
				  struct netlink_ext_ack *extack)
{
	return 0;
}

static inline bool ramp_code_sends(const struct ramp_config *config)
{
	return false;
}

static inline bool ramp_code_forget(struct ramp_config *config, u32 ifindex)
{
	return false;
}

static inline int ramp_parse_codes(struct ramp_config *config,
				   const struct ramp_code_config *old,
				   struct nlattr **tb,
				   struct netlink_ext_ack *extack)
{
	return 0;
}

static inline u32 ramp_codes_size(const struct ramp_config *config)
{
	return 0;
}

static inline int ramp_dump_codes(struct sk_buff *skb,
				  const struct ramp_config *config)
{
	return 0;
}
#endif

#endif /* _NET_SCHED_RAMP_CODE_CONFIG_H */
