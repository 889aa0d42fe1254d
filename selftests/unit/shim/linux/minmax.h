/* SPDX-License-Identifier: GPL-2.0 */
/* As strict as the kernel's: min() and max() want two values of one type. */
#ifndef _UNIT_LINUX_MINMAX_H
#define _UNIT_LINUX_MINMAX_H

#include <linux/types.h>

#define __unit_cmp(x, op, y)	\
	({ __auto_type _x = (x); __auto_type _y = (y); \
	   _Static_assert(__builtin_types_compatible_p(__typeof__(_x), \
						       __typeof__(_y)), \
			  "min() or max() of two types"); \
	   _x op _y ? _x : _y; })
#define __unit_cmp_t(type, x, op, y)	\
	({ type _x = (x); type _y = (y); _x op _y ? _x : _y; })

#define min(x, y)		__unit_cmp(x, <, y)
#define max(x, y)		__unit_cmp(x, >, y)
#define min_t(type, x, y)	__unit_cmp_t(type, x, <, y)
#define max_t(type, x, y)	__unit_cmp_t(type, x, >, y)
#define clamp_t(type, v, lo, hi)	\
	min_t(type, max_t(type, v, lo), hi)
#define min3(x, y, z)		min(min(x, y), z)
#define max3(x, y, z)		max(max(x, y), z)
#define swap(x, y)	\
	({ \
		__auto_type _x = &(x); \
		__auto_type _y = &(y); \
		__typeof__(*_x) _hold = *_x; \
		*_x = *_y; \
		*_y = _hold; \
	})
#define clamp(v, lo, hi)	min((__typeof__(v))max(v, lo), hi)

#endif /* _UNIT_LINUX_MINMAX_H */
