/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_ASM_BARRIER_H
#define _UNIT_ASM_BARRIER_H

/* Reads before it come before those after it. */
#define smp_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
/* What was written before the release is there after the acquire. */
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
/* The same, of the other side. */
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

#endif /* _UNIT_ASM_BARRIER_H */
