/* SPDX-License-Identifier: GPL-2.0 */
/* The C library includes this file too, hence the system's comes first. Each
 * header of the kernel is only what it says: a law that forgets to include
 * what it uses must not compile here either.
 */
#include_next <linux/limits.h>
#ifndef _UNIT_LINUX_LIMITS_H
#define _UNIT_LINUX_LIMITS_H

#include <linux/types.h>

#define U8_MAX		((u8)~0U)
#define U16_MAX		((u16)~0U)
#define U32_MAX		((u32)~0U)
#define S32_MAX		((s32)(U32_MAX >> 1))
#define U64_MAX		((u64)~0ULL)
#define S64_MAX		((s64)(U64_MAX >> 1))
#define S64_MIN		((s64)(-S64_MAX - 1))

#endif /* _UNIT_LINUX_LIMITS_H */
