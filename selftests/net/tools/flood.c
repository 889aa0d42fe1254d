// SPDX-License-Identifier: GPL-2.0
/*
 * ramp-flood: keeps a qdisc busy with numbered frames, as fast as it takes them
 *
 * A socket holds a bounded part of its frames in the qdisc, and its writer sleeps
 * when that is reached. So the qdisc always has something to send, at any rate,
 * and no clock is needed to keep its limit. Several priorities are a stream each,
 * with a socket of its own.
 *
 * What the qdisc refuses is counted, and its number is not used again: a frame that
 * was not refused and did not arrive was lost on the way.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FLOOD_ETHERTYPE	0x88b6		/* IEEE 802: local experiments */
#define FLOOD_MAGIC	0x52414d50	/* "RAMP" */
#define FRAME_MIN	60
#define FRAME_MAX	9014
#define BATCH		64
#define LANES_MAX	16
#define COUNT_MAX	1000000000LL

/* What a frame carries after its Ethernet header, in network order. */
struct mark {
	uint32_t	magic;
	uint32_t	stream;
	uint64_t	seq;
	uint64_t	time;		/* 0: as in the frames of ramp-send, but unused */
};

struct lane {
	int		fd;
	long long	next;		/* number of the next frame */
	long long	refused;
	unsigned char	frames[BATCH][FRAME_MAX];
	struct iovec	iov[BATCH];
	struct mmsghdr	msgs[BATCH];
};

static int stop;

static int stopped(void)
{
	return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

static void on_signal(int number)
{
	(void)number;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void help(void)
{
	fprintf(stderr,
		"usage: ramp-flood -i IFACE [-s BYTES] [-c COUNT] [-p PRIORITY[,PRIORITY...]]\n"
		"                  [-b BYTES]\n"
		"  -s  bytes of a frame with its Ethernet header, default 512\n"
		"  -c  frames of each priority; default: until SIGTERM\n"
		"  -p  skb->priority, default 0; of several, each has a stream of its own\n"
		"  -b  what a socket may hold, as the kernel counts it, default 262144\n");
	exit(2);
}

static long long integer(const char *text, long long min, long long max)
{
	char *end;
	long long value = strtoll(text, &end, 0);

	if (end == text || *end || value < min || value > max) {
		fprintf(stderr, "ramp-flood: '%s': not a number in range\n",
			text);
		exit(2);
	}
	return value;
}

static struct lane *open_lane(const char *device, int size, int stream,
			      int priority, int room)
{
	static const unsigned char head[2 * ETH_ALEN + 2] = {
		0x02, 0, 0, 0, 0, 0x99, 0x02, 0, 0, 0, 0, 0x01,
		FLOOD_ETHERTYPE >> 8, FLOOD_ETHERTYPE & 0xff,
	};
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_ifindex = if_nametoindex(device),
	};
	struct mark mark = {
		.magic = htonl(FLOOD_MAGIC),
		.stream = htonl(stream),
	};
	struct lane *lane = calloc(1, sizeof(*lane));
	int i;

	if (!lane)
		die("memory");
	if (!addr.sll_ifindex)
		die(device);
	lane->fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (lane->fd < 0)
		die("socket");
	if (bind(lane->fd, (struct sockaddr *)&addr, sizeof(addr)))
		die(device);
	if (setsockopt(lane->fd, SOL_SOCKET, SO_PRIORITY, &priority,
		       sizeof(priority)))
		die("SO_PRIORITY");
	/* The kernel doubles it. */
	room /= 2;
	if (setsockopt(lane->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room,
		       sizeof(room)))
		die("SO_SNDBUFFORCE");
	for (i = 0; i < BATCH; i++) {
		memcpy(lane->frames[i], head, sizeof(head));
		memcpy(lane->frames[i] + sizeof(head), &mark, sizeof(mark));
		lane->iov[i].iov_base = lane->frames[i];
		lane->iov[i].iov_len = size;
		lane->msgs[i].msg_hdr.msg_iov = &lane->iov[i];
		lane->msgs[i].msg_hdr.msg_iovlen = 1;
	}
	return lane;
}

/* A batch that came to a short end says nothing of the frame that ended it: it was
 * refused, unless a signal broke it off.
 */
static void send_batch(struct lane *lane, int count)
{
	uint64_t seq;
	int i, sent;

	for (i = 0; i < count; i++) {
		seq = htobe64(lane->next + i);
		memcpy(lane->frames[i] + 14 + offsetof(struct mark, seq), &seq,
		       sizeof(seq));
	}
	for (i = 0; i < count;) {
		sent = sendmmsg(lane->fd, lane->msgs + i, count - i, 0);
		if (sent < 0 && errno != EINTR && errno != ENOBUFS)
			die("sendmmsg");
		i += sent > 0 ? sent : 0;
		if (i == count || stopped())
			break;
		if (sent < 0 && errno == EINTR)
			continue;
		lane->refused++;
		i++;
	}
	lane->next += i;
}

int main(int argc, char **argv)
{
	long long count = COUNT_MAX, sent = 0, refused = 0;
	int size = 512, room = 262144, lanes = 0, option, i;
	const char *device = NULL, *list = "0";
	struct lane *lane[LANES_MAX];
	struct sigaction action = { .sa_handler = on_signal };
	struct timespec from, to;
	char *end;

	while ((option = getopt(argc, argv, "i:s:c:p:b:")) >= 0) {
		switch (option) {
		case 'i':
			device = optarg;
			break;
		case 's':
			size = integer(optarg, FRAME_MIN, FRAME_MAX);
			break;
		case 'c':
			count = integer(optarg, 1, COUNT_MAX);
			break;
		case 'p':
			list = optarg;
			break;
		case 'b':
			room = integer(optarg, 4096, 1 << 28);
			break;
		default:
			help();
		}
	}
	if (!device || optind != argc)
		help();
	for (;; list = end + 1, lanes++) {
		long priority = strtol(list, &end, 0);

		if (end == list || (*end && *end != ',') || lanes == LANES_MAX)
			help();
		lane[lanes] = open_lane(device, size, lanes, priority, room);
		if (!*end)
			break;
	}
	lanes++;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);

	clock_gettime(CLOCK_MONOTONIC, &from);
	while (!stopped() && lane[0]->next < count) {
		long long rest = count - lane[0]->next;

		for (i = 0; i < lanes; i++)
			send_batch(lane[i], rest < BATCH ? rest : BATCH);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);

	printf("{\"streams\":[");
	for (i = 0; i < lanes; i++) {
		printf("%s{\"sent\":%lld,\"refused\":%lld}", i ? "," : "",
		       lane[i]->next - lane[i]->refused, lane[i]->refused);
		sent += lane[i]->next - lane[i]->refused;
		refused += lane[i]->refused;
	}
	printf("],\"sent\":%lld,\"refused\":%lld,\"ns\":%lld}\n", sent, refused,
	       (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec -
	       from.tv_nsec);
	return 0;
}
