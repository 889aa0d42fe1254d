/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ramp-flows sends and ramp-catch reads
 */

#ifndef RAMP_TOOLS_FLOWS_H
#define RAMP_TOOLS_FLOWS_H

#include <stdint.h>

#define FLOWS_MAGIC		0x52414d46	/* "RAMF" */
#define FLOWS_UDP_PORT		4950
#define FLOWS_SOURCE_PORT	10000		/* of flow 0 */
#define IP_HEADERS		28		/* IPv4 and UDP */
#define FRAME_HEADERS		(14 + IP_HEADERS)

/* After the UDP header, in network order. */
struct mark {
	uint32_t	magic;
	uint32_t	flow;
	uint64_t	seq;
	uint64_t	time;	/* ns, CLOCK_REALTIME as receive times are */
};

#endif
