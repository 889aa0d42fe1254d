// SPDX-License-Identifier: GPL-2.0
/*
 * ramp_cpufreq: CPUs whose frequency can be set, on machines that have none
 *
 * Each CPU has a policy of its own, from 1 MHz to 3 GHz for even CPUs and to 2 GHz
 * for odd ones, and every kHz between: what a policy shows as its maximum is what
 * was asked for, unrounded. Nothing becomes slower by it.
 *
 * /sys/kernel/debug/ramp_cpufreq/told counts how often a policy was told new
 * limits.
 */

#include <linux/atomic.h>
#include <linux/cpufreq.h>
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/module.h>

#define RAMP_CPUFREQ_MIN	1000U		/* kHz */
#define RAMP_CPUFREQ_EVEN	3000000U
#define RAMP_CPUFREQ_ODD	2000000U

static struct dentry *ramp_cpufreq_dir;
static atomic_t ramp_cpufreq_told = ATOMIC_INIT(0);

static int ramp_cpufreq_init(struct cpufreq_policy *policy)
{
	policy->cpuinfo.min_freq = RAMP_CPUFREQ_MIN;
	policy->cpuinfo.max_freq = policy->cpu % 2 ? RAMP_CPUFREQ_ODD :
						     RAMP_CPUFREQ_EVEN;
	policy->min = policy->cpuinfo.min_freq;
	policy->max = policy->cpuinfo.max_freq;
	/* There is no governor. */
	policy->policy = CPUFREQ_POLICY_PERFORMANCE;
	return 0;
}

static int ramp_cpufreq_verify(struct cpufreq_policy_data *policy)
{
	cpufreq_verify_within_cpu_limits(policy);
	return 0;
}

static int ramp_cpufreq_set(struct cpufreq_policy *policy)
{
	atomic_inc(&ramp_cpufreq_told);
	return 0;
}

static struct cpufreq_driver ramp_cpufreq_driver = {
	.name		= "ramp",
	.init		= ramp_cpufreq_init,
	.verify		= ramp_cpufreq_verify,
	.setpolicy	= ramp_cpufreq_set,
};

static int __init ramp_cpufreq_module_init(void)
{
	int err = cpufreq_register_driver(&ramp_cpufreq_driver);

	if (err)
		return err;
	ramp_cpufreq_dir = debugfs_create_dir("ramp_cpufreq", NULL);
	debugfs_create_atomic_t("told", 0444, ramp_cpufreq_dir,
				&ramp_cpufreq_told);
	return 0;
}

static void __exit ramp_cpufreq_module_exit(void)
{
	debugfs_remove(ramp_cpufreq_dir);
	cpufreq_unregister_driver(&ramp_cpufreq_driver);
}

module_init(ramp_cpufreq_module_init);
module_exit(ramp_cpufreq_module_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Policies of CPU frequencies, for tests");
