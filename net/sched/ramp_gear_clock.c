// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of CPUs follows the gear.
 *
 * Document 002, 3.2: a gear is a frequency of what handles the packets. In a box
 * that forwards in software that is a CPU: each of those that are named has a
 * request that its policy goes no faster than the gear needs. Others may ask for
 * less, and are heard, too.
 *
 * A gear changes under a root lock, requests sleep: so a work item makes them, and
 * makes but the last one where several changes came before it ran. The mutex
 * serialises that with policies that come and go. It is the last of all but for
 * what cpufreq and its QoS lock themselves; they do not call us with it held.
 */

#include <linux/cpufreq.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/mutex.h>
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
 * @max: kHz, their greatest frequency, as last known
 * @req: their requests; active if the CPU has a policy
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
	u32			max[RAMP_CLOCK_CPUS_MAX];
	struct freq_qos_request	req[RAMP_CLOCK_CPUS_MAX];
};

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
			NL_SET_ERR_MSG(extack,
				       "cpus: cpufreq sets no clock of one of these CPUs");
			return -ENODEV;
		}
		cpufreq_cpu_put(policy);
	}
	return 0;
}

static s32 ramp_clock_freq(const struct ramp_clock_cpus *clock, u32 i)
{
	u64 part = clock->part[READ_ONCE(clock->gear)];

	return max_t(u64, 1, mul_u64_u64_div_u64(clock->max[i], part,
						 clock->whole));
}

/* A policy that refuses goes as fast as it likes, which loses no packet. */
static void ramp_clock_add(struct ramp_clock_cpus *clock, u32 i,
			   struct cpufreq_policy *policy)
{
	struct freq_qos_request *req = &clock->req[i];

	clock->max[i] = policy->cpuinfo.max_freq;
	if (!freq_qos_request_active(req))
		freq_qos_add_request(&policy->constraints, req, FREQ_QOS_MAX,
				     ramp_clock_freq(clock, i));
}

/* A CPU that is offline keeps its policy, with our request, and comes back to it
 * unannounced. A policy that is being removed is not found any more before its
 * requests are dropped, which takes the mutex.
 */
static void ramp_clock_set(struct ramp_clock_cpus *clock)
{
	struct cpufreq_policy *policy;
	u32 i;

	lockdep_assert_held(&ramp_clock_mutex);
	for (i = 0; i < clock->cpus; i++) {
		policy = cpufreq_cpu_get(clock->cpu[i]);
		if (policy) {
			ramp_clock_add(clock, i, policy);
			cpufreq_cpu_put(policy);
		}
		if (freq_qos_request_active(&clock->req[i]))
			freq_qos_update_request(&clock->req[i],
						ramp_clock_freq(clock, i));
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

/**
 * ramp_clock_begin - the clocks follow from now on
 * @clock: in force, or NULL
 *
 * Context: RTNL, may sleep.
 */
void ramp_clock_begin(struct ramp_clock_cpus *clock)
{
	if (!clock || !list_empty(&clock->list))
		return;
	mutex_lock(&ramp_clock_mutex);
	list_add(&clock->list, &ramp_clocks);
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
	list_del(&clock->list);
	for (i = 0; i < clock->cpus; i++)
		if (freq_qos_request_active(&clock->req[i]))
			freq_qos_remove_request(&clock->req[i]);
	mutex_unlock(&ramp_clock_mutex);
	kfree(clock);
}

static void ramp_clock_policy(struct ramp_clock_cpus *clock,
			      struct cpufreq_policy *policy, bool there)
{
	struct freq_qos_request *req;
	u32 i;

	for (i = 0; i < clock->cpus; i++) {
		if (!cpumask_test_cpu(clock->cpu[i], policy->related_cpus))
			continue;
		req = &clock->req[i];
		if (there)
			ramp_clock_add(clock, i, policy);
		else if (freq_qos_request_active(req))
			freq_qos_remove_request(req);
	}
}

static int ramp_clock_event(struct notifier_block *nb, unsigned long event,
			    void *ptr)
{
	struct ramp_clock_cpus *clock;

	if (event != CPUFREQ_CREATE_POLICY && event != CPUFREQ_REMOVE_POLICY)
		return NOTIFY_DONE;
	mutex_lock(&ramp_clock_mutex);
	list_for_each_entry(clock, &ramp_clocks, list)
		ramp_clock_policy(clock, ptr, event == CPUFREQ_CREATE_POLICY);
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
