/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What older kernels lack. All other code is written for the newest one.
 *
 * Macros are probed here, functions by Kbuild in the headers that it builds
 * against (RAMP_HAVE_*): backports make version numbers lie. A stand-in for a
 * function has a name of its own, and a macro puts it in the function's place:
 * a stable kernel may take over that function, or its half, at any time.
 */
#ifndef _COMPAT_RAMP_COMPAT_H
#define _COMPAT_RAMP_COMPAT_H

#include <linux/ethtool.h>
#include <linux/hrtimer.h>
#include <linux/local_lock.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <net/act_api.h>
#include <net/pkt_sched.h>
#include <net/ramp_frame.h>
#include <net/sch_generic.h>

#ifndef MODULE_ALIAS_NET_SCH
#define MODULE_ALIAS_NET_SCH(id)
#endif

#ifndef MODULE_ALIAS_NET_ACT
#define MODULE_ALIAS_NET_ACT(kind)
#endif

#ifndef ACT_P_BOUND
#define ACT_P_BOUND 0
#endif

#ifndef kzalloc_obj
#define kzalloc_obj(obj, gfp) kzalloc(sizeof(obj), gfp)
#endif

/* A qdisc that is only read may be const, which the newest kernel checks. */
#ifndef qdisc_priv
#define qdisc_priv(q) ((void *)(q)->privdata)
#endif

/* Before, no softirq was preempted by another one on its CPU. */
#ifndef local_lock_nested_bh
#define local_lock_nested_bh(lock)	do { } while (0)
#endif

#ifndef local_unlock_nested_bh
#define local_unlock_nested_bh(lock)	do { } while (0)
#endif

/**
 * ramp_warn_need - warn that a limit is less than a ramp holds back
 * @extack: for the message, or NULL
 * @need: packets that a full ramp holds back
 *
 * Without formatted messages the number is left out; a dump has it, too.
 */
static inline void ramp_warn_need(struct netlink_ext_ack *extack, u32 need)
{
#ifdef NL_SET_ERR_MSG_FMT
	NL_SET_ERR_MSG_FMT(extack,
			   "limit: a ramp holds back %u packets, some are lost; limit auto has room",
			   need);
#else
	NL_SET_ERR_MSG(extack,
		       "limit: less than a ramp holds back (limit_need); limit auto has room");
#endif
}

/**
 * ramp_warn_large - warn that an auto limit is large
 * @extack: for the message, or NULL
 * @bytes: what it amounts to
 *
 * Without formatted messages the number is left out; a dump has it, too.
 */
static inline void ramp_warn_large(struct netlink_ext_ack *extack, u32 bytes)
{
#ifdef NL_SET_ERR_MSG_FMT
	NL_SET_ERR_MSG_FMT(extack,
			   "limit auto: %u MB may wait; a larger step needs less",
			   bytes >> 20);
#else
	NL_SET_ERR_MSG(extack,
		       "limit auto: more than 64 MB may wait; a larger step needs less");
#endif
}

/**
 * ramp_say_room - say that a limit has no room for what comes in a change
 * @extack: for the message, or NULL
 * @need: packets that would be enough
 *
 * Without formatted messages the number is left out.
 */
static inline void ramp_say_room(struct netlink_ext_ack *extack, u64 need)
{
#ifdef NL_SET_ERR_MSG_FMT
	NL_SET_ERR_MSG_FMT(extack,
			   "freeze: limit must be at least %llu packets with this gear-up",
			   need);
#else
	NL_SET_ERR_MSG(extack,
		       "freeze: limit has no room for what comes meanwhile with this gear-up");
#endif
}

/**
 * ramp_say_no_cpu - say which CPU there is not
 * @extack: for the message, or NULL
 * @cpu: its number
 *
 * Without formatted messages the number is left out.
 */
static inline void ramp_say_no_cpu(struct netlink_ext_ack *extack, u32 cpu)
{
#ifdef NL_SET_ERR_MSG_FMT
	NL_SET_ERR_MSG_FMT(extack, "cpus: CPU %u does not exist", cpu);
#else
	NL_SET_ERR_MSG(extack, "cpus: one of these CPUs does not exist");
#endif
}

/**
 * ramp_say_no_policy - say which CPU has no clock that can be set
 * @extack: for the message, or NULL
 * @cpu: its number
 *
 * Without formatted messages the number is left out.
 */
static inline void ramp_say_no_policy(struct netlink_ext_ack *extack, u32 cpu)
{
#ifdef NL_SET_ERR_MSG_FMT
	NL_SET_ERR_MSG_FMT(extack, "cpus: CPU %u has no cpufreq policy", cpu);
#else
	NL_SET_ERR_MSG(extack, "cpus: one of these CPUs has no cpufreq policy");
#endif
}

/**
 * ramp_say_queue - say that a queue rises by too little for a rail
 * @extack: for the message, or NULL
 * @bound: name of what is too little
 * @range: packets that it is
 * @need: packets that would be enough
 * @each: packets of that for each member
 *
 * Without formatted messages the numbers are left out, but for @each.
 */
static inline void ramp_say_queue(struct netlink_ext_ack *extack,
				  const char *bound, u64 range, u32 need,
				  u32 each)
{
#ifdef NL_SET_ERR_MSG_FMT
	NL_SET_ERR_MSG_FMT(extack,
			   "rail: queue: %s is %llu packets, needs %u (%u per member)",
			   bound, range, need, each);
#else
	NL_SET_ERR_MSG(extack,
		       "rail: queue: HIGH - LOW, or DELTA, at least 16 packets for each member");
#endif
}

/**
 * ramp_say_ingress - say that arrivals rise by too little for a rail
 * @extack: for the message, or NULL
 * @bound: name of what is too little
 * @range: bytes or packets per slot that it is
 * @need: those that would be enough
 * @each: those of that for each member
 *
 * Without formatted messages the numbers are left out, but for @each.
 */
static inline void ramp_say_ingress(struct netlink_ext_ack *extack,
				    const char *bound, u64 range, u32 need,
				    u32 each)
{
#ifdef NL_SET_ERR_MSG_FMT
	NL_SET_ERR_MSG_FMT(extack,
			   "rail: ingress: %s is %llu per WINDOW/8, needs %u (%u per member)",
			   bound, range, need, each);
#else
	NL_SET_ERR_MSG(extack,
		       "rail: ingress: HIGH - LOW or DELTA, 16 bytes or packets per WINDOW/8 and member");
#endif
}

#ifdef RAMP_HAVE_BH_WORKQUEUE
#include <linux/workqueue.h>

#define ramp_bh			work_struct

static inline void ramp_bh_init(struct ramp_bh *bh,
				void (*fn)(struct ramp_bh *bh))
{
	INIT_WORK(bh, fn);
}

static inline void ramp_bh_queue(struct ramp_bh *bh)
{
	queue_work(system_bh_wq, bh);
}

static inline void ramp_bh_cancel(struct ramp_bh *bh)
{
	cancel_work_sync(bh);
}
#else
#include <linux/interrupt.h>

#define ramp_bh			tasklet_struct

static inline void ramp_bh_init(struct ramp_bh *bh,
				void (*fn)(struct ramp_bh *bh))
{
	tasklet_setup(bh, fn);
}

static inline void ramp_bh_queue(struct ramp_bh *bh)
{
	tasklet_schedule(bh);
}

static inline void ramp_bh_cancel(struct ramp_bh *bh)
{
	tasklet_kill(bh);
}
#endif

#ifdef RAMP_HAVE_GSO_H
#include <net/gso.h>
#endif

#ifndef RAMP_HAVE_HRTIMER_SETUP
static inline void
ramp_compat_hrtimer_setup(struct hrtimer *timer,
			  enum hrtimer_restart (*function)(struct hrtimer *),
			  clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}

#define hrtimer_setup ramp_compat_hrtimer_setup
#endif

#ifdef RAMP_HAVE_PKT_SEGS
static inline void ramp_set_pkt_segs(struct sk_buff *skb, u16 segs)
{
	qdisc_skb_cb(skb)->pkt_segs = segs;
}
#else
static inline void ramp_set_pkt_segs(struct sk_buff *skb, u16 segs)
{
}
#endif

#ifndef RAMP_HAVE_QLEN_INC
static inline void ramp_compat_qlen_inc(struct Qdisc *sch)
{
	sch->q.qlen++;
}

#define qdisc_qlen_inc ramp_compat_qlen_inc
#endif

#ifndef RAMP_HAVE_QLEN_DEC
static inline void ramp_compat_qlen_dec(struct Qdisc *sch)
{
	sch->q.qlen--;
}

#define qdisc_qlen_dec ramp_compat_qlen_dec
#endif

#ifndef RAMP_HAVE_BACKLOG_ADD
static inline void ramp_compat_backlog_add(struct Qdisc *sch, u32 len)
{
	sch->qstats.backlog += len;
}

#define qstats_backlog_add ramp_compat_backlog_add
#endif

#ifndef RAMP_HAVE_BACKLOG_SUB
static inline void ramp_compat_backlog_sub(struct Qdisc *sch, u32 len)
{
	sch->qstats.backlog -= len;
}

#define qstats_backlog_sub ramp_compat_backlog_sub
#endif

#ifdef RAMP_HAVE_QDISC_PKT_SEGS
/* All are counted before a qdisc sees the packet. */
static inline bool ramp_segs_counted(const struct sk_buff *skb, u32 *segs)
{
	*segs = qdisc_pkt_segs(skb);
	return true;
}
#else
/* A guest, or a packet socket, leaves the count to others. */
static inline bool ramp_segs_counted(const struct sk_buff *skb, u32 *segs)
{
	*segs = skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1;
	return *segs;
}

static __maybe_unused noinline unsigned int
ramp_compat_count_segs(const struct sk_buff *skb)
{
	u32 headers = ramp_frame_headers(skb);

	if (!headers)
		return 1;
	return DIV_ROUND_UP(skb->len - headers, skb_shinfo(skb)->gso_size);
}

static inline unsigned int ramp_compat_pkt_segs(const struct sk_buff *skb)
{
	u32 segs;

	if (likely(ramp_segs_counted(skb, &segs)))
		return segs;
	return ramp_compat_count_segs(skb);
}

#define qdisc_pkt_segs ramp_compat_pkt_segs
#endif

/*
 * Some kernels have the function, but not the reason: theirs are those of the
 * whole stack, and none of them says more than qdisc_drop() does.
 */
#if !defined(RAMP_HAVE_QDISC_DROP_REASON) || !defined(RAMP_HAVE_DROP_OVERLIMIT)
static inline int ramp_compat_drop(struct sk_buff *skb, struct Qdisc *sch,
				   struct sk_buff **to_free)
{
	return qdisc_drop(skb, sch, to_free);
}

#define qdisc_drop_reason(skb, sch, to_free, reason) \
	ramp_compat_drop(skb, sch, to_free)
#endif

#ifdef RAMP_HAVE_CONST_RANGE
#define ramp_range_const const
#else
#define ramp_range_const
#endif
#define ramp_range_of(row) \
	((ramp_range_const struct netlink_range_validation *)&(row)->range)

#ifndef RAMP_HAVE_NETIF_GET_LINK_KSETTINGS
static inline int
ramp_compat_get_link_ksettings(struct net_device *dev,
			       struct ethtool_link_ksettings *ks)
{
	return __ethtool_get_link_ksettings(dev, ks);
}

#define netif_get_link_ksettings ramp_compat_get_link_ksettings
#endif

#endif /* _COMPAT_RAMP_COMPAT_H */
