/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which bands give way to a packet when all of them together are full
 *
 * Bands are bits, band 0 first. Those that are exempt come before all others,
 * and among their like a lower number comes first.
 */
#ifndef _NET_RAMP_PUSH_H
#define _NET_RAMP_PUSH_H

#include <linux/types.h>

/**
 * ramp_push_below - the bands that come after another one
 * @bit: of the band a packet comes for
 * @exempt: bitmap of the bands that are exempt
 *
 * Context: any.
 *
 * Return: bitmap, without @bit
 */
static inline u32 ramp_push_below(u32 bit, u32 exempt)
{
	u32 after = ~(bit | (bit - 1));

	return bit & exempt ? after | ~exempt : after & ~exempt;
}

/**
 * ramp_push_sort - those that give way before all others
 * @bands: bitmap of those that may
 * @exempt: bitmap of the bands that are exempt
 *
 * Context: any.
 *
 * Return: bitmap, of which the highest bit comes first; not 0 unless @bands is
 */
static inline u32 ramp_push_sort(u32 bands, u32 exempt)
{
	return bands & ~exempt ? bands & ~exempt : bands;
}

/**
 * ramp_push_need - how many bytes have to go
 * @len: bytes of the packet
 * @room: bytes that are free; less than 0 when the limit was lowered, and what
 *	waits is to be no more than before
 *
 * Context: any.
 *
 * Return: 0 .. @len
 */
static inline u32 ramp_push_need(u32 len, s64 room)
{
	if (room >= (s64)len)
		return 0;
	return room > 0 ? len - (u32)room : len;
}

#endif /* _NET_RAMP_PUSH_H */
