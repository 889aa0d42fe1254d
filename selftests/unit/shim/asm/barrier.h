/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_ASM_BARRIER_H
#define _UNIT_ASM_BARRIER_H

/* Reads before it come before those after it. */
#define smp_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)

#endif /* _UNIT_ASM_BARRIER_H */
