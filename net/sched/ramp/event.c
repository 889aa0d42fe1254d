// SPDX-License-Identifier: GPL-2.0
/*
 * Events: put into a ring where they are decided, told by a work item that has
 * no lock of a qdisc.
 *
 * A listener that is too slow, or a work item that comes too late, loses
 * events, never packets. What the bands' codes are is not lost with them: it is
 * told as soon as there is room. Nothing here calls anybody who has something
 * to tell.
 */

#include <linux/ktime.h>
#include <linux/module.h>
#include <net/genetlink.h>

#include "ramp.h"

enum {
	RAMP_MCGRP_ID_EVENTS,
};

static const struct genl_multicast_group ramp_mcgrps[] = {
	[RAMP_MCGRP_ID_EVENTS] = { .name = RAMP_MCGRP_EVENTS },
};

struct genl_family ramp_family __ro_after_init = {
	.name		= RAMP_FAMILY_NAME,
	.version	= RAMP_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.resv_start_op	= RAMP_CMD_RAIL_GET,
	.mcgrps		= ramp_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(ramp_mcgrps),
};

/* Does anybody listen to the events of a qdisc? */
static bool ramp_genl_heard(const struct Qdisc *sch)
{
	return genl_has_listeners(&ramp_family, dev_net(qdisc_dev(sch)),
				  RAMP_MCGRP_ID_EVENTS);
}

static int ramp_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, RAMP_A_PAD);
}

static int ramp_put_surge(struct sk_buff *skb, const struct ramp_event *e)
{
	u32 direction = e->dir == RAMP_DOWN ? RAMP_DIRECTION_DOWN :
					      RAMP_DIRECTION_UP;

	if (nla_put_u32(skb, RAMP_A_DIRECTION, direction) ||
	    nla_put_u32(skb, RAMP_A_SOURCE, e->source) ||
	    nla_put_u32(skb, RAMP_A_ACT, e->act) ||
	    ramp_put_u64(skb, RAMP_A_TOOK, e->span) ||
	    nla_put_u32(skb, RAMP_A_QUEUED, e->queued))
		return -EMSGSIZE;
	return 0;
}

static int ramp_put_codes(struct sk_buff *skb, const struct ramp_event *e)
{
	struct nlattr *list = nla_nest_start(skb, RAMP_A_CODES);
	struct nlattr *nest;
	u32 bands, band;

	if (!list)
		return -EMSGSIZE;
	for (bands = e->bands; bands; bands &= bands - 1) {
		band = __ffs(bands);
		nest = nla_nest_start(skb, RAMP_A_CODES_ENTRY);
		if (!nest ||
		    nla_put_u32(skb, RAMP_A_CODE_BAND, band) ||
		    nla_put_u32(skb, RAMP_A_CODE_RATE, e->rate[band]))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	nla_nest_end(skb, list);
	return 0;
}

static int ramp_put_gear(struct sk_buff *skb, const struct ramp_event *e)
{
	if (nla_put_u32(skb, RAMP_A_GEAR_FROM, e->from) ||
	    nla_put_u32(skb, RAMP_A_GEAR_TO, e->to) ||
	    nla_put_u32(skb, RAMP_A_GEAR_REASON, e->why) ||
	    nla_put_u32(skb, RAMP_A_QUEUED, e->queued))
		return -EMSGSIZE;
	return 0;
}

static int ramp_put_event(struct sk_buff *skb, const struct ramp_event *e)
{
	switch (e->cmd) {
	case RAMP_CMD_SURGE:
		return ramp_put_surge(skb, e);
	case RAMP_CMD_DONE:
		return ramp_put_u64(skb, RAMP_A_DURATION, e->span);
	case RAMP_CMD_PEER:
		if (nla_put_u32(skb, RAMP_A_WHY, e->why))
			return -EMSGSIZE;
		return ramp_put_codes(skb, e);
	case RAMP_CMD_GEAR:
		return ramp_put_gear(skb, e);
	default:
		return ramp_put_codes(skb, e);
	}
}

/* The longest one has a code for each band. */
static size_t ramp_event_size(void)
{
	return 5 * nla_total_size_64bit(sizeof(u64)) +
	       8 * nla_total_size(sizeof(u32)) + nla_total_size(0) +
	       RAMP_BANDS_MAX * (nla_total_size(0) +
				 2 * nla_total_size(sizeof(u32)));
}

/* Messages of a qdisc are numbered, so that a listener that was too slow sees
 * how many it has missed; @lost of them were lost here. That nobody listens any
 * more is no error.
 */
static int ramp_genl_tell(struct Qdisc *sch, const struct ramp_event *e,
			  u64 lost)
{
	struct net_device *dev = qdisc_dev(sch);
	struct sk_buff *skb;
	void *hdr;
	int err;

	skb = genlmsg_new(ramp_event_size(), GFP_ATOMIC);
	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put(skb, 0, e->seq, &ramp_family, 0, e->cmd);
	if (!hdr ||
	    nla_put_u32(skb, RAMP_A_IFINDEX, dev->ifindex) ||
	    nla_put_u32(skb, RAMP_A_HANDLE, sch->handle) ||
	    nla_put_u32(skb, RAMP_A_PARENT, sch->parent) ||
	    ramp_put_u64(skb, RAMP_A_TIME, e->time) ||
	    ramp_put_event(skb, e) ||
	    ramp_put_u64(skb, RAMP_A_LOST, lost)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	err = genlmsg_multicast_netns(&ramp_family, dev_net(dev), skb, 0,
				      RAMP_MCGRP_ID_EVENTS, GFP_ATOMIC);
	return err == -ESRCH ? 0 : err;
}

/**
 * ramp_genl_register - offer the family
 * @ops: what it answers
 * @n: how many
 *
 * Return: 0 or a negative error
 */
int __init ramp_genl_register(const struct genl_ops *ops, u32 n)
{
	ramp_family.ops = ops;
	ramp_family.n_ops = n;
	return genl_register_family(&ramp_family);
}

/**
 * ramp_genl_unregister - the module goes
 */
void ramp_genl_unregister(void)
{
	genl_unregister_family(&ramp_family);
}

/* Nobody listens, most of the time. */
static void ramp_event_put(struct Qdisc *sch, struct ramp_event *e)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	/* Pairs with ramp_events_prepare(). */
	struct ramp_events *events = smp_load_acquire(&q->events);

	if (!events)
		return;
	spin_lock_bh(&events->lock);
	e->seq = ++events->seq;
	if (events->in - events->out < RAMP_EVENTS) {
		events->ring[events->in++ % RAMP_EVENTS] = *e;
	} else {
		events->lost++;
		events->codes_lost |= e->cmd == RAMP_CMD_CODE;
	}
	spin_unlock_bh(&events->lock);
	ramp_bh_queue(&events->work);
}

/**
 * ramp_event_surge - a level changed too fast
 * @sch: ramp qdisc
 * @dir: RAMP_UP or RAMP_DOWN
 * @source: which detector
 * @act: what became of it
 * @took: ns, in which the level crossed
 * @queued: packets that wait
 * @now: ns
 *
 * Context: root lock, or lock of the rail.
 */
void ramp_event_surge(struct Qdisc *sch, enum ramp_dir dir,
		      enum ramp_source source, enum ramp_act act, u64 took,
		      u32 queued, u64 now)
{
	struct ramp_event e = {
		.cmd	= RAMP_CMD_SURGE,
		.time	= now,
		.dir	= dir,
		.source	= source,
		.act	= act,
		.span	= took,
		.queued	= queued,
	};

	if (ramp_genl_heard(sch))
		ramp_event_put(sch, &e);
}

/**
 * ramp_event_done - a ramp came to its end
 * @sch: ramp qdisc
 * @took: ns
 * @now: ns
 *
 * Context: root lock, or lock of the rail.
 */
void ramp_event_done(struct Qdisc *sch, u64 took, u64 now)
{
	struct ramp_event e = {
		.cmd	= RAMP_CMD_DONE,
		.time	= now,
		.span	= took,
	};

	if (ramp_genl_heard(sch))
		ramp_event_put(sch, &e);
}

/**
 * ramp_event_codes - bands have other codes
 * @sch: ramp qdisc
 * @bands: bitmap of all bands that have a ladder
 * @rate: hundredths of a percent, by band
 *
 * Context: root lock.
 */
void ramp_event_codes(struct Qdisc *sch, u32 bands, const u16 *rate)
{
	struct ramp_event e = {
		.cmd	= RAMP_CMD_CODE,
		.bands	= bands,
	};

	if (!ramp_genl_heard(sch))
		return;
	e.time = ktime_get_ns();
	memcpy(e.rate, rate, sizeof(e.rate));
	ramp_event_put(sch, &e);
}

/**
 * ramp_event_keep - what the codes of all bands are, should they be lost
 * @sch: ramp qdisc
 * @bands: bitmap of the bands that have a ladder
 * @rate: hundredths of a percent, by band
 *
 * Context: root lock.
 */
void ramp_event_keep(struct Qdisc *sch, u32 bands, const u16 *rate)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_events *events = q->events;

	spin_lock_bh(&events->lock);
	events->bands = bands;
	memcpy(events->rate, rate, sizeof(events->rate));
	spin_unlock_bh(&events->lock);
}

/**
 * ramp_event_peer - what the peers allow is another rate
 * @sch: ramp qdisc
 * @why: why
 * @bands: bitmap of the bands that this is about
 * @rate: hundredths of a percent, by band
 * @now: ns
 *
 * Context: root lock.
 */
void ramp_event_peer(struct Qdisc *sch, enum ramp_peer_why why, u32 bands,
		     const u16 *rate, u64 now)
{
	struct ramp_event e = {
		.cmd	= RAMP_CMD_PEER,
		.time	= now,
		.why	= why,
		.bands	= bands,
	};

	if (!ramp_genl_heard(sch))
		return;
	memcpy(e.rate, rate, sizeof(e.rate));
	ramp_event_put(sch, &e);
}

/**
 * ramp_event_gear - another gear was taken
 * @sch: ramp qdisc
 * @from: gear until now
 * @to: gear from now on
 * @why: why
 * @now: ns
 *
 * Context: root lock.
 */
void ramp_event_gear(struct Qdisc *sch, u32 from, u32 to,
		     enum ramp_gears_why why, u64 now)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_event e = {
		.cmd	= RAMP_CMD_GEAR,
		.time	= now,
		.why	= why,
		.from	= from,
		.to	= to,
		.queued	= q->waiting,
	};

	if (ramp_genl_heard(sch))
		ramp_event_put(sch, &e);
}

/* The next one, if there is one. Codes that were lost are made up for when all
 * others are told, by those of the present.
 */
static bool ramp_event_take(struct ramp_events *events, struct ramp_event *e)
{
	if (events->in != events->out) {
		*e = events->ring[events->out++ % RAMP_EVENTS];
		return true;
	}
	if (!events->codes_lost)
		return false;

	events->codes_lost = false;
	memset(e, 0, sizeof(*e));
	e->cmd = RAMP_CMD_CODE;
	e->seq = ++events->seq;
	e->time = ktime_get_ns();
	e->bands = events->bands;
	memcpy(e->rate, events->rate, sizeof(e->rate));
	return true;
}

/* Not for longer than a ring at a time: others want this CPU, too. */
static void ramp_events_out(struct ramp_events *events)
{
	struct ramp_event e;
	u32 left = RAMP_EVENTS;
	u64 lost;
	bool any;

	while (left--) {
		spin_lock_bh(&events->lock);
		any = ramp_event_take(events, &e);
		lost = events->lost;
		spin_unlock_bh(&events->lock);
		if (!any)
			return;

		if (!ramp_genl_tell(events->sch, &e, lost))
			continue;
		spin_lock_bh(&events->lock);
		events->lost++;
		spin_unlock_bh(&events->lock);
	}
	ramp_bh_queue(&events->work);
}

static void ramp_events_work(struct ramp_bh *work)
{
	ramp_events_out(container_of(work, struct ramp_events, work));
}

/**
 * ramp_events_prepare - make the ring
 * @sch: ramp qdisc that may have something to tell
 *
 * It is kept as long as the qdisc: a ramp goes on when nothing is detected any
 * more.
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0 or -ENOMEM
 */
int ramp_events_prepare(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);
	struct ramp_events *events;

	if (q->events)
		return 0;
	events = kzalloc_obj(*events, GFP_KERNEL_ACCOUNT);
	if (!events)
		return -ENOMEM;
	spin_lock_init(&events->lock);
	events->sch = sch;
	ramp_bh_init(&events->work, ramp_events_work);
	/* Pairs with ramp_event_put(). */
	smp_store_release(&q->events, events);
	return 0;
}

/**
 * ramp_events_lost - how many events there was no room for
 * @sch: ramp qdisc
 *
 * Context: RTNL.
 *
 * Return: of all since there was something to tell
 */
u64 ramp_events_lost(const struct Qdisc *sch)
{
	const struct ramp_sched_data *q = qdisc_priv(sch);
	u64 lost;

	if (!q->events)
		return 0;
	spin_lock_bh(&q->events->lock);
	lost = q->events->lost;
	spin_unlock_bh(&q->events->lock);
	return lost;
}

/**
 * ramp_events_destroy - nobody decides anything any more
 * @sch: ramp qdisc, perhaps one that could not be made
 *
 * What was decided last, when the bands were emptied, is told before.
 *
 * Context: RTNL, may sleep.
 */
void ramp_events_destroy(struct Qdisc *sch)
{
	struct ramp_sched_data *q = qdisc_priv(sch);

	if (!q->events)
		return;
	local_bh_disable();
	ramp_events_work(&q->events->work);
	local_bh_enable();
	ramp_bh_cancel(&q->events->work);
	kfree(q->events);
	q->events = NULL;
}

MODULE_ALIAS_GENL_FAMILY(RAMP_FAMILY_NAME);
