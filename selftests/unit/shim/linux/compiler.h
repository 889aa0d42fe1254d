/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_COMPILER_H
#define _UNIT_LINUX_COMPILER_H

#define __maybe_unused		__attribute__((__unused__))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELAXED)

#endif /* _UNIT_LINUX_COMPILER_H */
