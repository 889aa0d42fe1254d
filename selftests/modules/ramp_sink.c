// SPDX-License-Identifier: GPL-2.0
/*
 * ramp_sink: a device that swallows the frames of ramp-flood, and knows each
 *
 *	ip link add NAME type ramp_sink
 *
 * A hundred million frames are too many to be written down. Of each stream there is
 * a map with a bit for every number, so that what came twice, too late or not at all
 * can be told apart, at the speed of the qdisc above.
 *
 * /sys/kernel/debug/ramp_sink/expect: "STREAMS FRAMES" makes empty maps for so many
 * streams of so many frames. /sys/kernel/debug/ramp_sink/seen has a line for each
 * stream: its number, how many different frames came, how many came again, how many
 * after a later one; and a last line with frames that belong to none of them. It is
 * to be read when nothing comes any more.
 */

#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/etherdevice.h>
#include <linux/if_ether.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/seq_file.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <net/rtnetlink.h>

#define RAMP_SINK_PROTO		0x88b6
#define RAMP_SINK_MAGIC		0x52414d50
#define RAMP_SINK_STREAMS	16
#define RAMP_SINK_FRAMES	BIT(28)

/* What a frame carries after its Ethernet header. */
struct ramp_sink_mark {
	__be32	magic;
	__be32	stream;
	__be64	seq;
};

struct ramp_sink_stream {
	unsigned long	*map;
	u64		distinct;
	u64		doubled;
	u64		late;
	u64		next;		/* the highest so far, and one */
};

/* All devices count together. */
static DEFINE_SPINLOCK(ramp_sink_lock);
static struct ramp_sink_stream ramp_sink_streams[RAMP_SINK_STREAMS];
static unsigned long ramp_sink_frames;
static u64 ramp_sink_others;

static struct dentry *ramp_sink_dir;

/* Returns false if it is nobody's. */
static bool ramp_sink_count(const struct sk_buff *skb)
{
	const struct ethhdr *eth = (const struct ethhdr *)skb->data;
	const struct ramp_sink_mark *mark = (const void *)(eth + 1);
	struct ramp_sink_stream *s;
	u32 stream;
	u64 seq;

	if (skb_headlen(skb) < sizeof(*eth) + sizeof(*mark) ||
	    eth->h_proto != htons(RAMP_SINK_PROTO) ||
	    mark->magic != htonl(RAMP_SINK_MAGIC))
		return false;
	stream = ntohl(mark->stream);
	seq = be64_to_cpu(mark->seq);
	if (stream >= RAMP_SINK_STREAMS || seq >= ramp_sink_frames)
		return false;
	s = &ramp_sink_streams[stream];
	if (!s->map)
		return false;

	if (__test_and_set_bit(seq, s->map)) {
		s->doubled++;
		return true;
	}
	s->distinct++;
	if (seq < s->next)
		s->late++;
	else
		s->next = seq + 1;
	return true;
}

static netdev_tx_t ramp_sink_xmit(struct sk_buff *skb, struct net_device *dev)
{
	spin_lock(&ramp_sink_lock);
	if (!ramp_sink_count(skb))
		ramp_sink_others++;
	spin_unlock(&ramp_sink_lock);
	dev_consume_skb_any(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops ramp_sink_ops = {
	.ndo_start_xmit	= ramp_sink_xmit,
};

static void ramp_sink_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &ramp_sink_ops;
	dev->needs_free_netdev = true;
	dev->flags |= IFF_NOARP;
	eth_hw_addr_random(dev);
}

static struct rtnl_link_ops ramp_sink_link = {
	.kind	= "ramp_sink",
	.setup	= ramp_sink_setup,
};

/* Takes the maps away. */
static void ramp_sink_forget(void)
{
	unsigned long *maps[RAMP_SINK_STREAMS];
	int i;

	spin_lock_bh(&ramp_sink_lock);
	for (i = 0; i < RAMP_SINK_STREAMS; i++) {
		maps[i] = ramp_sink_streams[i].map;
		ramp_sink_streams[i] = (struct ramp_sink_stream) { };
	}
	ramp_sink_others = 0;
	spin_unlock_bh(&ramp_sink_lock);
	for (i = 0; i < RAMP_SINK_STREAMS; i++)
		vfree(maps[i]);
}

static ssize_t ramp_sink_expect(struct file *file, const char __user *buf,
				size_t count, loff_t *pos)
{
	unsigned long frames, *map;
	unsigned int streams, i;
	char text[40] = { };

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(text, buf, min(count, sizeof(text) - 1)))
		return -EFAULT;
	if (sscanf(text, "%u %lu", &streams, &frames) != 2)
		return -EINVAL;
	if (streams > RAMP_SINK_STREAMS || frames > RAMP_SINK_FRAMES)
		return -ERANGE;

	ramp_sink_forget();
	for (i = 0; i < streams; i++) {
		map = vzalloc(BITS_TO_LONGS(frames) * sizeof(long));
		if (!map) {
			ramp_sink_forget();
			return -ENOMEM;
		}
		spin_lock_bh(&ramp_sink_lock);
		ramp_sink_frames = frames;
		ramp_sink_streams[i].map = map;
		spin_unlock_bh(&ramp_sink_lock);
	}
	return count;
}

static const struct file_operations ramp_sink_expect_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= ramp_sink_expect,
};

static int ramp_sink_seen_show(struct seq_file *file, void *unused)
{
	const struct ramp_sink_stream *s;
	int i;

	for (i = 0; i < RAMP_SINK_STREAMS; i++) {
		s = &ramp_sink_streams[i];
		if (s->map)
			seq_printf(file, "%d %llu %llu %llu\n", i, s->distinct,
				   s->doubled, s->late);
	}
	seq_printf(file, "others %llu\n", ramp_sink_others);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ramp_sink_seen);

static int __init ramp_sink_init(void)
{
	int err = rtnl_link_register(&ramp_sink_link);

	if (err)
		return err;
	ramp_sink_dir = debugfs_create_dir("ramp_sink", NULL);
	debugfs_create_file("expect", 0200, ramp_sink_dir, NULL,
			    &ramp_sink_expect_fops);
	debugfs_create_file("seen", 0400, ramp_sink_dir, NULL,
			    &ramp_sink_seen_fops);
	return 0;
}

static void __exit ramp_sink_exit(void)
{
	debugfs_remove(ramp_sink_dir);
	rtnl_link_unregister(&ramp_sink_link);
	ramp_sink_forget();
}

module_init(ramp_sink_init);
module_exit(ramp_sink_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A device that tells which frames came, for tests");
MODULE_ALIAS_RTNL_LINK("ramp_sink");
