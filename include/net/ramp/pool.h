/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pool: an amount from which several CPUs take without a lock
 *
 * Somebody who has a lock decides how much there is, and puts it into the pool
 * when he lets the lock go. Who takes it next finds what is left, and as nobody
 * can take anything of an empty pool, no one else spends it meanwhile.
 *
 * No order but that of the amounts is promised: nothing else is published by
 * it. Any context.
 */
#ifndef _NET_RAMP_POOL_H
#define _NET_RAMP_POOL_H

#include <linux/atomic.h>
#include <linux/types.h>

/**
 * ramp_pool_take - take an amount, if there is enough
 * @pool: pool
 * @amount: any
 * @least: what there has to be, at least 1; where it is less than @amount, the
 *	pool may owe the rest
 *
 * Context: any.
 *
 * Return: true if it was taken
 */
static inline bool ramp_pool_take(atomic64_t *pool, u64 amount, u64 least)
{
	s64 left = atomic64_read(pool);

	do {
		if (left < (s64)least)
			return false;
	} while (!atomic64_try_cmpxchg(pool, &left, left - amount));
	return true;
}

/**
 * ramp_pool_fill - let others take from now on
 * @pool: pool that was drained since it was filled
 * @amount: at least 0
 *
 * Context: the lock that says how much there is.
 */
static inline void ramp_pool_fill(atomic64_t *pool, s64 amount)
{
	atomic64_set(pool, amount);
}

/**
 * ramp_pool_drain - let nobody take any more
 * @pool: pool
 *
 * Context: the lock that says how much there is.
 *
 * Return: what is left; less than 0: what is owed
 */
static inline s64 ramp_pool_drain(atomic64_t *pool)
{
	s64 left = atomic64_read(pool);

	while (left && !atomic64_try_cmpxchg(pool, &left, 0))
		;
	return left;
}

#endif /* _NET_RAMP_POOL_H */
