/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is said outlives the module that says it
 *
 * The answer to a request is written when RTNL and all references were dropped:
 * by then the module may be gone, with its texts and its policies. Families
 * have no need of this: their answers are written under the lock that is taken
 * when one is unregistered.
 */
#ifndef _NET_SCHED_EXTACK_KEEP_H
#define _NET_SCHED_EXTACK_KEEP_H

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/netlink.h>

/**
 * extack_keep - let an answer no longer depend on this module
 * @extack: of the request, or NULL
 *
 * The last thing that is done to it. A text of at most NETLINK_MAX_FMTMSG_LEN -
 * 1 bytes goes to where formatted ones are, which is the caller's memory. A
 * policy cannot: the answer still has the text and names the attribute.
 *
 * Context: any that can fill @extack, with a reference to the module.
 */
static inline void extack_keep(struct netlink_ext_ack *extack)
{
#ifdef MODULE
	if (!extack)
		return;
	if (within_module((unsigned long)extack->policy, THIS_MODULE))
		extack->policy = NULL;
#ifdef NL_SET_ERR_MSG_FMT
	if (within_module((unsigned long)extack->_msg, THIS_MODULE)) {
		const char *msg = extack->_msg;

		NL_SET_ERR_MSG_FMT(extack, "%s", msg);
	}
#endif
#endif
}

/**
 * extack_settle - the module goes
 *
 * Where texts cannot be kept, those that are on their way are waited for: an
 * answer is written at once, but its writer may be interrupted.
 *
 * Context: module exit, may sleep.
 */
static inline void extack_settle(void)
{
#ifndef NL_SET_ERR_MSG_FMT
	msleep(100);
#endif
}

#endif /* _NET_SCHED_EXTACK_KEEP_H */
