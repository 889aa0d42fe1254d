// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of CPUs follows the gear.
 *
 * NetFridgeS, 3.2: a gear is a frequency of what handles the packets. In a box
 * that forwards in software that is a CPU: each of those that are named has a
 * request that its policy goes no faster than the gear needs. Others may ask
 * for less, and are heard, too.
 *
 * However many qdiscs name a CPU, it has one request, for the highest clock
 * that any of them needs of any CPU of its policy (7.1, one clock for the worst
 * case of all active ports): cpufreq takes the least of all requests, and a
 * port that is idle would slow one that is busy.
 *
 * A gear changes under a root lock, requests sleep: so a work item makes them,
 * and makes but the last one where several changes came before it ran. The
 * mutex serialises that with policies that come and go. It is the last of all
 * but for what cpufreq and its QoS lock themselves; they do not call us with it
 * held.
 */

#include <linux/cpufreq.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pm_qos.h>
#include <linux/workqueue.h>

#include "ramp.h"

/**
 * struct ramp_clock_cpus - the CPUs of a qdisc
 * @list: of all
 * @work: makes the requests
 * @gear: the last one that was told
 * @gears: how many @part
 * @part: of the greatest frequency, by gear
 * @whole: what that is a part of
 * @cpus: how many @cpu
 * @cpu: their numbers
 */
struct ramp_clock_cpus {
	struct list_head	list;
	struct work_struct	work;
	u32			gear;
	u32			gears;
	u64			part[RAMP_GEARS_MAX];
	u64			whole;
	u32			cpus;
	u32			cpu[RAMP_CLOCK_CPUS_MAX];
};

/**
 * struct ramp_clock_cpu - a CPU that qdiscs name
 * @users: how many; 0: the rest means nothing, but that there is no request
 * @max: kHz, its greatest frequency, as last known
 * @group: the CPU that stands for all of its policy
 * @need: kHz, what is needed of the policy that this CPU stands for
 * @req: the request; active if the CPU has a policy
 */
struct ramp_clock_cpu {
	u32			users;
	u32			max;
	u32			group;
	u32			need;
	struct freq_qos_request	req;
};

/* The mutex protects these and the list, not @gear. */
static DEFINE_PER_CPU(struct ramp_clock_cpu, ramp_clock_cpu);
static DEFINE_MUTEX(ramp_clock_mutex);
static LIST_HEAD(ramp_clocks);
static bool ramp_clock_works;

/**
 * ramp_clock_there - is there something that sets clocks?
 *
 * Return: true when there is
 */
bool ramp_clock_there(void)
{
	return ramp_clock_works;
}

/**
 * ramp_clock_check - have these CPUs a clock that can be set?
 * @gears: what is asked for, RAMP_CLOCK_CPUFREQ
 * @extack: for the message
 *
 * Context: may sleep.
 *
 * Return: 0, or a negative error with the message in @extack
 */
int ramp_clock_check(const struct ramp_gear_config *gears,
		     struct netlink_ext_ack *extack)
{
	struct cpufreq_policy *policy;
	u32 i;

	if (!gears->cpus) {
		NL_SET_ERR_MSG(extack, "clock: cpufreq needs cpus");
		return -EINVAL;
	}
	for (i = 0; i < gears->cpus; i++) {
		policy = cpufreq_cpu_get(gears->cpu[i]);
		if (!policy) {
			ramp_say_no_policy(extack, gears->cpu[i]);
			return -ENODEV;
		}
		cpufreq_cpu_put(policy);
	}
	return 0;
}

static struct ramp_clock_cpu *ramp_clock_of(u32 cpu)
{
	return per_cpu_ptr(&ramp_clock_cpu, cpu);
}

/* Where what is needed of all CPUs of a policy is. */
static struct ramp_clock_cpu *ramp_clock_group(u32 cpu)
{
	return ramp_clock_of(ramp_clock_of(cpu)->group);
}

static u32 ramp_clock_freq(const struct ramp_clock_cpus *clock, u32 max)
{
	u64 part = clock->part[READ_ONCE(clock->gear)];

	return max_t(u64, 1, mul_u64_u64_div_u64(max, part, clock->whole));
}

/* What each policy needs: the most that anybody needs of it. */
static void ramp_clock_needs(void)
{
	const struct ramp_clock_cpus *clock;
	struct ramp_clock_cpu *c, *group;
	u32 i;

	lockdep_assert_held(&ramp_clock_mutex);
	list_for_each_entry(clock, &ramp_clocks, list)
		for (i = 0; i < clock->cpus; i++)
			ramp_clock_group(clock->cpu[i])->need = 0;
	list_for_each_entry(clock, &ramp_clocks, list)
		for (i = 0; i < clock->cpus; i++) {
			c = ramp_clock_of(clock->cpu[i]);
			group = ramp_clock_group(clock->cpu[i]);
			group->need = max(group->need,
					  ramp_clock_freq(clock, c->max));
		}
}

/* All requests are what is needed now, or what was needed last. */
static void ramp_clock_update(void)
{
	const struct ramp_clock_cpus *clock;
	struct ramp_clock_cpu *c, *group;
	u32 i;

	ramp_clock_needs();
	list_for_each_entry(clock, &ramp_clocks, list)
		for (i = 0; i < clock->cpus; i++) {
			c = ramp_clock_of(clock->cpu[i]);
			group = ramp_clock_group(clock->cpu[i]);
			if (freq_qos_request_active(&c->req))
				freq_qos_update_request(&c->req, group->need);
		}
}

static void ramp_clock_learn(struct ramp_clock_cpu *c,
			     const struct cpufreq_policy *policy)
{
	c->max = policy->cpuinfo.max_freq;
	c->group = cpumask_first(policy->related_cpus);
}

/* A policy that refuses goes as fast as it likes, which loses no packet. */
static void ramp_clock_add(struct ramp_clock_cpu *c,
			   struct cpufreq_policy *policy)
{
	if (!freq_qos_request_active(&c->req))
		freq_qos_add_request(&policy->constraints, &c->req,
				     FREQ_QOS_MAX,
				     ramp_clock_of(c->group)->need);
}

/* A CPU that is offline keeps its policy, with our request, and comes back to
 * it unannounced. A policy that is being removed is not found any more before
 * its requests are dropped, which takes the mutex. What others need of it has
 * to be known before it has a request.
 */
static void ramp_clock_set(struct ramp_clock_cpus *clock)
{
	struct cpufreq_policy *policy;
	u32 i;

	for (i = 0; i < clock->cpus; i++) {
		policy = cpufreq_cpu_get(clock->cpu[i]);
		if (policy) {
			ramp_clock_learn(ramp_clock_of(clock->cpu[i]), policy);
			cpufreq_cpu_put(policy);
		}
	}
	ramp_clock_update();
	for (i = 0; i < clock->cpus; i++) {
		policy = cpufreq_cpu_get(clock->cpu[i]);
		if (policy) {
			ramp_clock_add(ramp_clock_of(clock->cpu[i]), policy);
			cpufreq_cpu_put(policy);
		}
	}
}

static void ramp_clock_work(struct work_struct *work)
{
	struct ramp_clock_cpus *clock = container_of(work,
						     struct ramp_clock_cpus,
						     work);

	mutex_lock(&ramp_clock_mutex);
	if (!list_empty(&clock->list))
		ramp_clock_set(clock);
	mutex_unlock(&ramp_clock_mutex);
}

static bool ramp_clock_same(const struct ramp_clock_cpus *a,
			    const struct ramp_clock_cpus *b)
{
	return a && a->gears == b->gears && a->cpus == b->cpus &&
	       a->whole == b->whole &&
	       !memcmp(a->part, b->part, sizeof(a->part)) &&
	       !memcmp(a->cpu, b->cpu, sizeof(a->cpu));
}

static void ramp_clock_parts(struct ramp_clock_cpus *clock,
			     const struct ramp_gear_config *gears)
{
	u32 i;

	clock->gears = gears->n;
	clock->whole = gears->percents ? RAMP_PERCENT :
					 gears->rate[gears->n - 1];
	for (i = 0; i < gears->n; i++)
		clock->part[i] = gears->percents ? gears->percent[i] :
						   gears->rate[i];
}

/**
 * ramp_clock_prepare - make what is needed for clocks to follow
 * @clock: what is in force, or NULL; to be replaced by what is to be, which is
 *	the same if nothing changed
 * @gears: what is asked for
 *
 * Context: RTNL, may sleep.
 *
 * Return: 0 or -ENOMEM
 */
int ramp_clock_prepare(struct ramp_clock_cpus **clock,
		       const struct ramp_gear_config *gears)
{
	struct ramp_clock_cpus *new;

	if (!gears->n || gears->clock != RAMP_CLOCK_CPUFREQ || !gears->cpus) {
		*clock = NULL;
		return 0;
	}
	new = kzalloc_obj(*new, GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	INIT_LIST_HEAD(&new->list);
	INIT_WORK(&new->work, ramp_clock_work);
	ramp_clock_parts(new, gears);
	new->cpus = gears->cpus;
	memcpy(new->cpu, gears->cpu, gears->cpus * sizeof(new->cpu[0]));
	if (ramp_clock_same(*clock, new))
		kfree(new);
	else
		*clock = new;
	return 0;
}

/* One qdisc more names a CPU, which may not have a policy. */
static void ramp_clock_hold(u32 cpu)
{
	struct ramp_clock_cpu *c = ramp_clock_of(cpu);

	if (c->users++)
		return;
	c->max = 0;
	c->group = cpu;
}

static void ramp_clock_put(u32 cpu)
{
	struct ramp_clock_cpu *c = ramp_clock_of(cpu);

	if (!--c->users && freq_qos_request_active(&c->req))
		freq_qos_remove_request(&c->req);
}

/**
 * ramp_clock_begin - the clocks follow from now on
 * @clock: in force, or NULL
 *
 * Context: RTNL, may sleep.
 */
void ramp_clock_begin(struct ramp_clock_cpus *clock)
{
	u32 i;

	if (!clock || !list_empty(&clock->list))
		return;
	mutex_lock(&ramp_clock_mutex);
	list_add(&clock->list, &ramp_clocks);
	for (i = 0; i < clock->cpus; i++)
		ramp_clock_hold(clock->cpu[i]);
	ramp_clock_set(clock);
	mutex_unlock(&ramp_clock_mutex);
}

/**
 * ramp_clock_follow - another gear was taken
 * @clock: in force
 * @gear: which
 *
 * Context: root lock.
 */
void ramp_clock_follow(struct ramp_clock_cpus *clock, u32 gear)
{
	WRITE_ONCE(clock->gear, gear);
	schedule_work(&clock->work);
}

/**
 * ramp_clock_end - the clocks are left alone
 * @clock: not in force any more, or never was; it is freed. Or NULL.
 *
 * Context: RTNL, may sleep.
 */
void ramp_clock_end(struct ramp_clock_cpus *clock)
{
	u32 i;

	if (!clock)
		return;
	cancel_work_sync(&clock->work);
	mutex_lock(&ramp_clock_mutex);
	if (!list_empty(&clock->list)) {
		list_del(&clock->list);
		for (i = 0; i < clock->cpus; i++)
			ramp_clock_put(clock->cpu[i]);
		ramp_clock_update();
	}
	mutex_unlock(&ramp_clock_mutex);
	kfree(clock);
}

static void ramp_clock_came(struct cpufreq_policy *policy)
{
	struct ramp_clock_cpu *c;
	u32 cpu;

	for_each_cpu(cpu, policy->related_cpus)
		if (ramp_clock_of(cpu)->users)
			ramp_clock_learn(ramp_clock_of(cpu), policy);
	ramp_clock_update();
	for_each_cpu(cpu, policy->related_cpus) {
		c = ramp_clock_of(cpu);
		if (c->users)
			ramp_clock_add(c, policy);
	}
}

static void ramp_clock_went(const struct cpufreq_policy *policy)
{
	struct ramp_clock_cpu *c;
	u32 cpu;

	for_each_cpu(cpu, policy->related_cpus) {
		c = ramp_clock_of(cpu);
		if (freq_qos_request_active(&c->req))
			freq_qos_remove_request(&c->req);
	}
}

static int ramp_clock_event(struct notifier_block *nb, unsigned long event,
			    void *ptr)
{
	if (event != CPUFREQ_CREATE_POLICY && event != CPUFREQ_REMOVE_POLICY)
		return NOTIFY_DONE;
	mutex_lock(&ramp_clock_mutex);
	if (event == CPUFREQ_CREATE_POLICY)
		ramp_clock_came(ptr);
	else
		ramp_clock_went(ptr);
	mutex_unlock(&ramp_clock_mutex);
	return NOTIFY_OK;
}

static struct notifier_block ramp_clock_notifier = {
	.notifier_call = ramp_clock_event,
};

/**
 * ramp_clock_register - hear of policies that come and go
 *
 * Where cpufreq was switched off there are none, and nobody can ask for them.
 */
void __init ramp_clock_register(void)
{
	ramp_clock_works = !cpufreq_register_notifier(&ramp_clock_notifier,
						      CPUFREQ_POLICY_NOTIFIER);
}

/**
 * ramp_clock_unregister - hear of them no more
 *
 * Context: process, when no qdisc is left.
 */
void ramp_clock_unregister(void)
{
	if (ramp_clock_works)
		cpufreq_unregister_notifier(&ramp_clock_notifier,
					    CPUFREQ_POLICY_NOTIFIER);
}
