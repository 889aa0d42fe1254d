/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_STRING_H
#define _UNIT_LINUX_STRING_H

#include <string.h>

#endif /* _UNIT_LINUX_STRING_H */
