// SPDX-License-Identifier: GPL-2.0
/*
 * ramp-catch: writes down which frame of ramp-flows arrived at which device
 *
 *	ramp-catch FILE IFACE...
 *
 * Prints "ready" when no frame can be missed any more. On SIGTERM or SIGINT it
 * reads what is still there, and prints as JSON how many frames there were and
 * how many the kernel could not keep for it (which makes its exit status 3: what
 * is missing in FILE was not lost on the way). Of each frame FILE has a line:
 *	time, number of the IFACE, flow, number in it, time sent, VLAN (or -1)
 * in the order of each IFACE. Times are ns of CLOCK_REALTIME, when the device had
 * it.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "flows.h"

#define PORTS_MAX	256
#define ROOM		(256 << 20)

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int open_port(const char *name)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(name),
	};
	int on = 1, room = ROOM;
	int fd;

	if (!addr.sll_ifindex)
		die(name);
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);
	if (fd < 0)
		die("socket");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		die("SO_RCVBUFFORCE");
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)))
		die("SO_TIMESTAMPNS");
	if (setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)))
		die("PACKET_AUXDATA");
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die(name);
	return fd;
}

/* Where the mark is, or NULL if it is no frame of ramp-flows. */
static const unsigned char *find_mark(const unsigned char *data, ssize_t length,
				      int *vlan)
{
	const unsigned char *at = data + 2 * ETH_ALEN;
	uint32_t magic;

	if (length < FRAME_HEADERS + 4)
		return NULL;
	if (at[0] == 0x81 && at[1] == 0x00) {
		*vlan = (at[2] << 8 | at[3]) & 0xfff;
		at += 4;
	}
	if (at[0] != 0x08 || at[1] != 0x00)
		return NULL;
	at += 2 + IP_HEADERS;
	if (at + sizeof(struct mark) > data + length)
		return NULL;
	memcpy(&magic, at, sizeof(magic));
	return ntohl(magic) == FLOWS_MAGIC ? at : NULL;
}

/* Returns 0 when there is nothing more to read. */
static int catch_one(FILE *out, int fd, int port, long long *frames)
{
	char control[256] __attribute__((aligned(8)));
	struct sockaddr_ll from;
	unsigned char data[128];
	struct iovec iov = { .iov_base = data, .iov_len = sizeof(data) };
	struct msghdr msg = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	const unsigned char *at;
	struct timespec when = { 0 };
	struct cmsghdr *cmsg;
	struct mark mark;
	int vlan = -1;
	ssize_t length;

	length = recvmsg(fd, &msg, MSG_DONTWAIT);
	if (length < 0) {
		if (errno == EAGAIN)
			return 0;
		if (errno == EINTR || errno == ENETDOWN)
			return 1;
		die("recvmsg");
	}
	if (from.sll_pkttype == PACKET_OUTGOING)
		return 1;
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		if (cmsg->cmsg_level == SOL_SOCKET &&
		    cmsg->cmsg_type == SO_TIMESTAMPNS) {
			memcpy(&when, CMSG_DATA(cmsg), sizeof(when));
		} else if (cmsg->cmsg_level == SOL_PACKET &&
			   cmsg->cmsg_type == PACKET_AUXDATA) {
			struct tpacket_auxdata aux;

			memcpy(&aux, CMSG_DATA(cmsg), sizeof(aux));
			if (aux.tp_status & TP_STATUS_VLAN_VALID)
				vlan = aux.tp_vlan_tci & 0xfff;
		}
	}
	at = find_mark(data, length, &vlan);
	if (!at)
		return 1;
	memcpy(&mark, at, sizeof(mark));
	fprintf(out, "%lld %d %u %llu %llu %d\n",
		when.tv_sec * 1000000000LL + when.tv_nsec, port,
		ntohl(mark.flow), (unsigned long long)be64toh(mark.seq),
		(unsigned long long)be64toh(mark.time), vlan);
	(*frames)++;
	return 1;
}

int main(int argc, char **argv)
{
	struct pollfd fds[PORTS_MAX + 1];
	long long frames = 0, dropped = 0;
	int ports = argc - 2, i, stop = 0;
	sigset_t set;
	FILE *out;

	if (ports < 1 || ports > PORTS_MAX) {
		fprintf(stderr, "usage: ramp-catch FILE IFACE...\n");
		return 2;
	}
	out = fopen(argv[1], "w");
	if (!out)
		die(argv[1]);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		die("sigprocmask");
	fds[ports].fd = signalfd(-1, &set, 0);
	if (fds[ports].fd < 0)
		die("signalfd");
	for (i = 0; i < ports; i++)
		fds[i].fd = open_port(argv[2 + i]);
	for (i = 0; i <= ports; i++)
		fds[i].events = POLLIN;
	printf("ready\n");
	fflush(stdout);

	while (!stop) {
		if (poll(fds, ports + 1, -1) < 0 && errno != EINTR)
			die("poll");
		stop = fds[ports].revents & POLLIN;
		for (i = 0; i < ports; i++)
			while (catch_one(out, fds[i].fd, i, &frames))
				;
	}
	for (i = 0; i < ports; i++) {
		struct tpacket_stats stats;
		socklen_t size = sizeof(stats);

		if (getsockopt(fds[i].fd, SOL_PACKET, PACKET_STATISTICS,
			       &stats, &size))
			die("PACKET_STATISTICS");
		dropped += stats.tp_drops;
	}
	if (fclose(out))
		die(argv[1]);
	printf("{\"frames\":%lld,\"dropped\":%lld}\n", frames, dropped);
	return dropped ? 3 : 0;
}
