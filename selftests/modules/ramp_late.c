// SPDX-License-Identifier: GPL-2.0
/*
 * ramp_late: makes timers that end in a softirq come late
 *
 * Writing a number of milliseconds to /sys/kernel/debug/ramp_late/hold keeps
 * the writer's CPU busy for that long with softirqs off, as a driver or a long
 * chain of callbacks does. Timer interrupts fire, but the qdiscs that they
 * schedule do not run.
 */

#include <linux/bottom_half.h>
#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>

/* Far below what the kernel's own watchdogs object to. */
#define RAMP_LATE_MS_MAX	1000

static struct dentry *ramp_late_dir;

static ssize_t ramp_late_write(struct file *file, const char __user *buf,
			       size_t count, loff_t *pos)
{
	unsigned int ms;
	ktime_t end;
	int err;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	err = kstrtouint_from_user(buf, count, 0, &ms);
	if (err)
		return err;
	if (ms > RAMP_LATE_MS_MAX)
		return -ERANGE;

	/* The loops of a delay are calibrated once, and may be too few. But
	 * where work costs no time only a delay makes it pass.
	 */
	local_bh_disable();
	end = ktime_add_ms(ktime_get(), ms);
	while (ktime_before(ktime_get(), end))
		mdelay(1);
	local_bh_enable();
	return count;
}

static const struct file_operations ramp_late_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= ramp_late_write,
};

static int __init ramp_late_init(void)
{
	ramp_late_dir = debugfs_create_dir("ramp_late", NULL);
	debugfs_create_file("hold", 0200, ramp_late_dir, NULL,
			    &ramp_late_fops);
	return PTR_ERR_OR_ZERO(ramp_late_dir);
}

static void __exit ramp_late_exit(void)
{
	debugfs_remove(ramp_late_dir);
}

module_init(ramp_late_init);
module_exit(ramp_late_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Keeps softirqs off for a while, on request");
