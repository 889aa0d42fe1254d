/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_HASH_H
#define _UNIT_LINUX_HASH_H

#include <linux/types.h>

static inline u32 hash_64(u64 val, unsigned int bits)
{
	return val * 0x61C8864680B583EBULL >> (64 - bits);
}

#endif /* _UNIT_LINUX_HASH_H */
