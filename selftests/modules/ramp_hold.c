// SPDX-License-Identifier: GPL-2.0
/*
 * ramp_hold: lets who hears a code be slow
 *
 * A number of milliseconds in /sys/kernel/debug/ramp_hold/ms keeps the next CPU that has
 * heard a code right there where it is about to schedule the qdisc, once; then the file
 * has 0 again. So somebody else can take the qdisc away meanwhile.
 */

#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

/* Far below what the kernel's own watchdogs object to. */
#define RAMP_HOLD_MS_MAX	1000

static struct dentry *ramp_hold_dir;
static u32 ramp_hold_ms;

/* Did somebody who hears codes call? Where a function begins, its caller's address is on
 * the stack.
 */
static bool ramp_hold_heard(struct pt_regs *regs)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, regs_get_kernel_stack_nth(regs, 0));
	return strstarts(name, "ramp_obey");
}

static int ramp_hold_entered(struct kprobe *probe, struct pt_regs *regs)
{
	u32 ms = READ_ONCE(ramp_hold_ms);
	u64 end;

	if (!ms || !ramp_hold_heard(regs) ||
	    cmpxchg(&ramp_hold_ms, ms, 0) != ms)
		return 0;
	/* By the clock that a test reads: mdelay() counts loops on some machines,
	 * and knows from their boot how many.
	 */
	end = ktime_get_mono_fast_ns() +
	      min_t(u64, ms, RAMP_HOLD_MS_MAX) * NSEC_PER_MSEC;
	while (ktime_get_mono_fast_ns() < end)
		cpu_relax();
	return 0;
}

static struct kprobe ramp_hold_probe = {
	.symbol_name	= "__netif_schedule",
	.pre_handler	= ramp_hold_entered,
};

static int __init ramp_hold_init(void)
{
	int err = register_kprobe(&ramp_hold_probe);

	if (err)
		return err;
	ramp_hold_dir = debugfs_create_dir("ramp_hold", NULL);
	debugfs_create_u32("ms", 0600, ramp_hold_dir, &ramp_hold_ms);
	return 0;
}

static void __exit ramp_hold_exit(void)
{
	debugfs_remove(ramp_hold_dir);
	unregister_kprobe(&ramp_hold_probe);
}

module_init(ramp_hold_init);
module_exit(ramp_hold_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Lets who hears a code be slow, on request");
