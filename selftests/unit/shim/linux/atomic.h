/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's 64 bit atomics, with no more order than they promise there: an
 * exchange that fails orders nothing. Where a test defines them,
 * UNIT_ATOMIC_HOOK runs before each, as what another CPU may do in between, and
 * UNIT_ATOMIC_DONE after an exchange.
 */
#ifndef _UNIT_LINUX_ATOMIC_H
#define _UNIT_LINUX_ATOMIC_H

#include <linux/types.h>

#ifndef UNIT_ATOMIC_HOOK
#define UNIT_ATOMIC_HOOK()	do { } while (0)
#endif

#ifndef UNIT_ATOMIC_DONE
#define UNIT_ATOMIC_DONE(v)	((void)(v))
#endif

typedef struct {
	s64 counter;
} atomic64_t;

static inline s64 atomic64_read(const atomic64_t *v)
{
	UNIT_ATOMIC_HOOK();
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline s64 atomic64_read_acquire(const atomic64_t *v)
{
	UNIT_ATOMIC_HOOK();
	return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);
}

static inline void atomic64_set(atomic64_t *v, s64 i)
{
	UNIT_ATOMIC_HOOK();
	__atomic_store_n(&v->counter, i, __ATOMIC_RELAXED);
}

static inline void atomic64_set_release(atomic64_t *v, s64 i)
{
	UNIT_ATOMIC_HOOK();
	__atomic_store_n(&v->counter, i, __ATOMIC_RELEASE);
}

static inline bool atomic64_try_cmpxchg(atomic64_t *v, s64 *old, s64 new)
{
	UNIT_ATOMIC_HOOK();
	if (!__atomic_compare_exchange_n(&v->counter, old, new, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return false;
	UNIT_ATOMIC_DONE(v);
	return true;
}

#endif /* _UNIT_LINUX_ATOMIC_H */
