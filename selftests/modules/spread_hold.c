// SPDX-License-Identifier: GPL-2.0
/*
 * hold: a network device that takes frames only when it is told to
 *
 *	ip link add NAME [numtxqueues N] type hold
 *
 * Frames are counted and swallowed. What a device without a wire lacks is a tx
 * queue that stops, so that a qdisc fills: files in /sys/class/net/NAME/hold/
 *
 * credit	how many more frames it takes, -1 (default): all. At 0 its tx queues
 *		stop; a write starts them again.
 * inflight	frames that it has taken and not completed, as BQL counts them.
 *		Writing N completes up to N of them, the oldest first, queue by
 *		queue.
 * bql		1: frames stay in flight until inflight is written; 0 (default):
 *		BQL is not told of any frame. Only while the device is down.
 */

#include <linux/device.h>
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>
#include <net/rtnetlink.h>

#define HOLD_QUEUES	64
#define HOLD_FRAMES	1024	/* in flight, of a tx queue */

struct hold_queue {
	unsigned int	head;		/* the oldest in flight */
	unsigned int	count;
	u32		bytes[HOLD_FRAMES];
};

struct hold {
	spinlock_t	lock;		/* all of it */
	int		credit;
	bool		bql;
	u64		packets;
	u64		bytes;
	struct hold_queue queues[HOLD_QUEUES];
};

static netdev_tx_t hold_xmit(struct sk_buff *skb, struct net_device *dev)
{
	unsigned int index = skb_get_queue_mapping(skb);
	struct hold *hold = netdev_priv(dev);
	struct hold_queue *queue = &hold->queues[index];
	struct netdev_queue *txq = netdev_get_tx_queue(dev, index);

	spin_lock(&hold->lock);
	if (!hold->credit ||
	    (hold->bql && queue->count == HOLD_FRAMES)) {
		netif_tx_stop_queue(txq);
		spin_unlock(&hold->lock);
		return NETDEV_TX_BUSY;
	}
	hold->packets++;
	hold->bytes += skb->len;
	if (hold->bql) {
		queue->bytes[(queue->head + queue->count++) % HOLD_FRAMES] =
			skb->len;
		netdev_tx_sent_queue(txq, skb->len);
	}
	if (hold->credit > 0 && !--hold->credit)
		netif_tx_stop_all_queues(dev);
	spin_unlock(&hold->lock);

	consume_skb(skb);
	return NETDEV_TX_OK;
}

static int hold_open(struct net_device *dev)
{
	struct hold *hold = netdev_priv(dev);
	unsigned int i;

	spin_lock_bh(&hold->lock);
	for (i = 0; i < dev->num_tx_queues; i++) {
		hold->queues[i].head = 0;
		hold->queues[i].count = 0;
		netdev_tx_reset_queue(netdev_get_tx_queue(dev, i));
	}
	if (hold->credit)
		netif_tx_start_all_queues(dev);
	else
		netif_tx_stop_all_queues(dev);
	spin_unlock_bh(&hold->lock);
	return 0;
}

static int hold_stop(struct net_device *dev)
{
	netif_tx_stop_all_queues(dev);
	return 0;
}

static void hold_get_stats64(struct net_device *dev,
			     struct rtnl_link_stats64 *stats)
{
	struct hold *hold = netdev_priv(dev);

	spin_lock_bh(&hold->lock);
	stats->tx_packets = hold->packets;
	stats->tx_bytes = hold->bytes;
	spin_unlock_bh(&hold->lock);
}

static const struct net_device_ops hold_netdev_ops = {
	.ndo_open		= hold_open,
	.ndo_stop		= hold_stop,
	.ndo_start_xmit		= hold_xmit,
	.ndo_get_stats64	= hold_get_stats64,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
};

static ssize_t credit_show(struct device *device, struct device_attribute *attr,
			   char *buf)
{
	struct hold *hold = netdev_priv(to_net_dev(device));

	return sysfs_emit(buf, "%d\n", READ_ONCE(hold->credit));
}

static ssize_t credit_store(struct device *device, struct device_attribute *attr,
			    const char *buf, size_t count)
{
	struct net_device *dev = to_net_dev(device);
	struct hold *hold = netdev_priv(dev);
	int credit, err;

	err = kstrtoint(buf, 0, &credit);
	if (err)
		return err;
	if (credit < -1)
		return -ERANGE;

	spin_lock_bh(&hold->lock);
	WRITE_ONCE(hold->credit, credit);
	if (!credit)
		netif_tx_stop_all_queues(dev);
	else if (netif_running(dev))
		netif_tx_wake_all_queues(dev);
	spin_unlock_bh(&hold->lock);
	return count;
}
static DEVICE_ATTR_RW(credit);

static ssize_t inflight_show(struct device *device,
			     struct device_attribute *attr, char *buf)
{
	struct hold *hold = netdev_priv(to_net_dev(device));
	unsigned int i, sum = 0;

	spin_lock_bh(&hold->lock);
	for (i = 0; i < HOLD_QUEUES; i++)
		sum += hold->queues[i].count;
	spin_unlock_bh(&hold->lock);
	return sysfs_emit(buf, "%u\n", sum);
}

static ssize_t inflight_store(struct device *device,
			      struct device_attribute *attr, const char *buf,
			      size_t count)
{
	struct net_device *dev = to_net_dev(device);
	struct hold *hold = netdev_priv(dev);
	unsigned int i, many;
	int err;

	err = kstrtouint(buf, 0, &many);
	if (err)
		return err;

	spin_lock_bh(&hold->lock);
	for (i = 0; i < dev->num_tx_queues; i++) {
		struct hold_queue *queue = &hold->queues[i];
		unsigned int packets = 0, bytes = 0;

		for (; many && queue->count; many--, packets++) {
			bytes += queue->bytes[queue->head];
			queue->head = (queue->head + 1) % HOLD_FRAMES;
			queue->count--;
		}
		if (!packets)
			continue;
		netdev_tx_completed_queue(netdev_get_tx_queue(dev, i), packets,
					  bytes);
		if (hold->credit && netif_running(dev))
			netif_tx_wake_queue(netdev_get_tx_queue(dev, i));
	}
	spin_unlock_bh(&hold->lock);
	return count;
}
static DEVICE_ATTR_RW(inflight);

static ssize_t bql_show(struct device *device, struct device_attribute *attr,
			char *buf)
{
	struct hold *hold = netdev_priv(to_net_dev(device));

	return sysfs_emit(buf, "%d\n", READ_ONCE(hold->bql));
}

static ssize_t bql_store(struct device *device, struct device_attribute *attr,
			 const char *buf, size_t count)
{
	struct net_device *dev = to_net_dev(device);
	struct hold *hold = netdev_priv(dev);
	bool bql;
	int err;

	err = kstrtobool(buf, &bql);
	if (err)
		return err;
	if (netif_running(dev))
		return -EBUSY;

	WRITE_ONCE(hold->bql, bql);
	return count;
}
static DEVICE_ATTR_RW(bql);

static struct attribute *hold_attrs[] = {
	&dev_attr_credit.attr,
	&dev_attr_inflight.attr,
	&dev_attr_bql.attr,
	NULL
};

static const struct attribute_group hold_group = {
	.name	= "hold",
	.attrs	= hold_attrs,
};

static void hold_setup(struct net_device *dev)
{
	struct hold *hold = netdev_priv(dev);

	ether_setup(dev);
	eth_hw_addr_random(dev);
	dev->netdev_ops = &hold_netdev_ops;
	dev->needs_free_netdev = true;
	dev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	dev->sysfs_groups[0] = &hold_group;
	spin_lock_init(&hold->lock);
	hold->credit = -1;
}

static int hold_validate(struct nlattr *tb[], struct nlattr *data[],
			 struct netlink_ext_ack *extack)
{
	if (tb[IFLA_NUM_TX_QUEUES] &&
	    nla_get_u32(tb[IFLA_NUM_TX_QUEUES]) > HOLD_QUEUES) {
		NL_SET_ERR_MSG(extack, "numtxqueues: 1..8");
		return -ERANGE;
	}
	return 0;
}

static struct rtnl_link_ops hold_link_ops __read_mostly = {
	.kind		= "hold",
	.priv_size	= sizeof(struct hold),
	.setup		= hold_setup,
	.validate	= hold_validate,
};

static int __init hold_init(void)
{
	return rtnl_link_register(&hold_link_ops);
}

static void __exit hold_exit(void)
{
	rtnl_link_unregister(&hold_link_ops);
}

module_init(hold_init);
module_exit(hold_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A network device that takes frames when it is told to");
MODULE_ALIAS_RTNL_LINK("hold");
