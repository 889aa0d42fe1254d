/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shares of an amount, in hundredths of a percent
 *
 * Nothing here has a state. Any context.
 */
#ifndef _NET_RAMP_SHARE_H
#define _NET_RAMP_SHARE_H

#include <linux/math64.h>
#include <linux/types.h>

/* Hundredths of a percent: the whole. */
#define RAMP_WHOLE	10000

/**
 * ramp_share - a share of an amount of skbs
 * @amount: skbs
 * @share: hundredths of a percent
 *
 * Return: skbs, rounded up: who has that many has at least the share
 */
static inline u32 ramp_share(u32 amount, u32 share)
{
	return div_u64((u64)amount * share + RAMP_WHOLE - 1, RAMP_WHOLE);
}

#endif /* _NET_RAMP_SHARE_H */
