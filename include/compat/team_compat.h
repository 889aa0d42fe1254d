/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the team driver of older kernels has in another way. All other code is
 * written for the newest one; probed by Kbuild (RAMP_HAVE_*), as in
 * ramp_compat.h.
 */
#ifndef _COMPAT_TEAM_COMPAT_H
#define _COMPAT_TEAM_COMPAT_H

#include <linux/if_team.h>
#include <linux/netdevice.h>
#include <linux/slab.h>

/* A getter that returns nothing had to return 0 once. */
#ifdef RAMP_HAVE_TEAM_GETTER_VOID
#define ramp_team_got_t void
#define RAMP_TEAM_GOT
#else
#define ramp_team_got_t int
#define RAMP_TEAM_GOT 0
#endif

#ifndef kvzalloc_obj
#define kvzalloc_obj(object, gfp) kvzalloc(sizeof(object), gfp)
#endif

static inline struct net_device *ramp_team_dev(struct team *team)
{
#ifdef RAMP_HAVE_TEAM_NETDEV_FROM_PRIV
	return netdev_from_priv(team);
#else
	return team->dev;
#endif
}

#endif /* _COMPAT_TEAM_COMPAT_H */
