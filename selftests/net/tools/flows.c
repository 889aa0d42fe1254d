// SPDX-License-Identifier: GPL-2.0
/*
 * ramp-flows: sends UDP frames of many flows, each in bursts of its own
 *
 * Of every flow a burst begins at EVERY * n, and flows are shifted against each
 * other, so that their sum is even. Within a burst frames are GAP apart. The
 * schedule is absolute: a late wake-up sends all that are due, in the order in
 * which they are, and no clock is ever polled. So it works where work costs no
 * time (User-Mode Linux, time travel), and it ends by construction.
 *
 * Flows differ in their UDP source port, thus in their hash. Each frame carries its
 * flow, its number in it, and when it was sent: what ramp-catch reads.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "flows.h"

#define FLOWS_MAX	4096
#define FRAMES_MAX	10000000LL
#define TIME_MAX	3600000000000LL	/* ns */
#define FRAME_MIN	(FRAME_HEADERS + sizeof(struct mark))
#define FRAME_MAX	9014

struct options {
	const char	*device;
	int		size;
	int		flows;
	int		first;		/* number of the first flow */
	int		burst;
	int64_t		gap;		/* ns between frames of a burst */
	int64_t		every;		/* ns between bursts of a flow */
	int64_t		bursts;
	int64_t		wait;		/* ns before it begins */
	int		vlan;		/* -1: none */
	int		may_fail;
};

/* The next frame of a flow. */
struct flow {
	int64_t		when;		/* ns since the begin */
	int64_t		burst;
	int64_t		seq;
	int		in_burst;
	int		number;
};

struct sender {
	struct options	opt;
	int		fd;
	unsigned char	frame[FRAME_MAX];
	int		headers;
	struct flow	*heap[FLOWS_MAX];	/* the earliest first */
	int		waiting;
	int64_t		start;		/* ns, CLOCK_MONOTONIC */
	int64_t		awake;
	int64_t		to_real;	/* CLOCK_REALTIME is so much later */
	int64_t		sent;
	int64_t		failed;
	int64_t		last;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Is a product more than that? */
static int exceeds(int64_t a, int64_t b, int64_t most)
{
	int64_t product;

	return __builtin_mul_overflow(a, b, &product) || product > most;
}

static void help(void)
{
	fprintf(stderr,
		"usage: ramp-flows -i IFACE [-f FLOWS] [-k FIRST] [-b BURST] [-g GAP] [-e EVERY]\n"
		"                  [-n BURSTS] [-s BYTES] [-d DSTMAC] [-a DSTIP] [-v VLAN]\n"
		"                  [-p PRIORITY] [-m MARK] [-w MS] [-l]\n"
		"  -f  flows, default 1; they have the numbers from FIRST (default 0) on\n"
		"  -b  frames of a burst (default 1), GAP apart (default 0)\n"
		"  -e  time from one burst of a flow to its next, default 1ms\n"
		"  -n  bursts of each flow, default 1\n"
		"  -s  bytes of a frame with its Ethernet header and VLAN tag, default 200\n"
		"  -v  a tag in the frame itself\n"
		"  -p  skb->priority\n"
		"  -m  skb->mark\n"
		"  -w  wait before it begins\n"
		"  -l  the device may go down, or away: frames not taken are counted\n"
		"  times: 20us, 10ms, 3s, 1500ns\n");
	exit(2);
}

static void bad(const char *text, const char *what)
{
	fprintf(stderr, "ramp-flows: '%s': %s\n", text, what);
	exit(2);
}

static int64_t integer(const char *text, int64_t min, int64_t max)
{
	char *end;
	int64_t value = strtoll(text, &end, 0);

	if (end == text || *end || value < min || value > max)
		bad(text, "not a number in range");
	return value;
}

static int64_t parse_time(const char *text)
{
	static const struct {
		const char	*name;
		double		scale;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
		    { NULL, 0 } };
	double value;
	char *end;
	int i;

	value = strtod(text, &end);
	if (end == text || !(value >= 0))
		bad(text, "not a time");
	for (i = 0; units[i].name; i++)
		if (!strcmp(end, units[i].name) &&
		    value * units[i].scale <= TIME_MAX)
			return value * units[i].scale + 0.5;
	if (*end || value)
		bad(text, "not a time, or longer than an hour");
	return 0;
}

static int64_t now(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		die("clock_gettime");
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Reads the clock once per wake-up: in time travel a reading costs time. */
static void sleep_until(struct sender *s, int64_t when)
{
	struct timespec ts = {
		.tv_sec = when / 1000000000,
		.tv_nsec = when % 1000000000,
	};
	int err;

	do {
		err = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts,
				      NULL);
	} while (err == EINTR);
	if (err) {
		errno = err;
		die("clock_nanosleep");
	}
	s->awake = now(CLOCK_MONOTONIC);
}

static uint16_t checksum(const unsigned char *data, int length)
{
	uint32_t sum = 0;
	int i;

	for (i = 0; i < length; i += 2)
		sum += data[i] << 8 | data[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void put16(unsigned char *at, uint16_t value)
{
	at[0] = value >> 8;
	at[1] = value;
}

/* All that is the same in every frame. */
static void make_frame(struct sender *s, const unsigned char *own,
		       const char *mac, const char *address)
{
	unsigned char *at = s->frame, *ip;

	memcpy(at, "\x02\x00\x00\x00\x00\x99", ETH_ALEN);
	if (mac && sscanf(mac, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx",
			  at, at + 1, at + 2, at + 3, at + 4, at + 5) != 6)
		bad(mac, "not an Ethernet address");
	memcpy(at + ETH_ALEN, own, ETH_ALEN);
	at += 2 * ETH_ALEN;
	if (s->opt.vlan >= 0) {
		put16(at, ETH_P_8021Q);
		put16(at + 2, s->opt.vlan);
		at += 4;
	}
	put16(at, ETH_P_IP);
	ip = at + 2;
	s->headers = ip + IP_HEADERS - s->frame;

	ip[0] = 0x45;
	put16(ip + 2, s->opt.size - (ip - s->frame));
	ip[8] = 64;
	ip[9] = IPPROTO_UDP;
	if (inet_pton(AF_INET, "192.0.2.1", ip + 12) != 1 ||
	    inet_pton(AF_INET, address, ip + 16) != 1)
		bad(address, "not an IPv4 address");
	put16(ip + 10, checksum(ip, 20));
	put16(ip + 22, FLOWS_UDP_PORT);
	put16(ip + 24, s->opt.size - (ip - s->frame) - 20);
}

static void open_device(struct sender *s, const char *mac, const char *address,
			int priority, int mark)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET };
	struct ifreq ifr = { 0 };
	int room = INT_MAX / 2;

	/* Protocol 0: nothing is received. */
	s->fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (s->fd < 0)
		die("socket");
	if (strlen(s->opt.device) >= sizeof(ifr.ifr_name))
		bad(s->opt.device, "not a device");
	memcpy(ifr.ifr_name, s->opt.device, strlen(s->opt.device) + 1);
	if (ioctl(s->fd, SIOCGIFHWADDR, &ifr))
		die(s->opt.device);
	make_frame(s, (unsigned char *)ifr.ifr_hwaddr.sa_data, mac, address);
	addr.sll_ifindex = if_nametoindex(s->opt.device);
	if (bind(s->fd, (struct sockaddr *)&addr, sizeof(addr)))
		die(s->opt.device);

	/* What waits in a qdisc must not stop the sender. */
	if (setsockopt(s->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)))
		die("SO_SNDBUFFORCE");
	if (setsockopt(s->fd, SOL_SOCKET, SO_PRIORITY, &priority,
		       sizeof(priority)))
		die("SO_PRIORITY");
	if (setsockopt(s->fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)))
		die("SO_MARK");
}

static int earlier(const struct flow *a, const struct flow *b)
{
	return a->when != b->when ? a->when < b->when : a->number < b->number;
}

/* The first of the heap has got a later time, or is gone. */
static void sift(struct sender *s)
{
	struct flow *flow = s->heap[0];
	int at = 0, kid;

	while ((kid = 2 * at + 1) < s->waiting) {
		if (kid + 1 < s->waiting &&
		    earlier(s->heap[kid + 1], s->heap[kid]))
			kid++;
		if (!earlier(s->heap[kid], flow))
			break;
		s->heap[at] = s->heap[kid];
		at = kid;
	}
	s->heap[at] = flow;
}

static void send_one(struct sender *s, struct flow *flow)
{
	const struct options *o = &s->opt;
	struct mark mark = {
		.magic = htonl(FLOWS_MAGIC),
		.flow = htonl(o->first + flow->number),
		.seq = htobe64(flow->seq),
	};

	s->last = s->awake + s->to_real;
	mark.time = htobe64(s->last);
	memcpy(s->frame + s->headers, &mark, sizeof(mark));
	put16(s->frame + s->headers - 8,
	      FLOWS_SOURCE_PORT + o->first + flow->number);

	if (send(s->fd, s->frame, o->size, MSG_DONTWAIT) == o->size) {
		s->sent++;
	} else if (o->may_fail && (errno == ENETDOWN || errno == ENXIO ||
				   errno == ENODEV || errno == ENOBUFS)) {
		s->failed++;
	} else {
		die("send");
	}
	/* A number that was never sent is no frame that got lost. */
	flow->seq++;
}

static void run(struct sender *s)
{
	const struct options *o = &s->opt;
	struct flow *flows;
	int i;

	flows = calloc(o->flows, sizeof(*flows));
	if (!flows)
		die("calloc");
	/* Sorted, which is a heap. */
	for (i = 0; i < o->flows; i++) {
		flows[i].number = i;
		flows[i].when = o->every * i / o->flows;
		s->heap[i] = &flows[i];
	}
	s->waiting = o->bursts ? o->flows : 0;

	while (s->waiting) {
		struct flow *flow = s->heap[0];

		if (s->start + flow->when > s->awake)
			sleep_until(s, s->start + flow->when);
		send_one(s, flow);
		if (++flow->in_burst == o->burst) {
			flow->in_burst = 0;
			flow->burst++;
		}
		flow->when = o->every * flow->number / o->flows +
			     o->every * flow->burst + o->gap * flow->in_burst;
		if (flow->burst == o->bursts)
			s->heap[0] = s->heap[--s->waiting];
		sift(s);
	}
	/* The silence after the last burst belongs to it. */
	if (o->every && s->start + o->every * o->bursts > s->awake)
		sleep_until(s, s->start + o->every * o->bursts);
	free(flows);
}

int main(int argc, char **argv)
{
	static struct sender s = {
		.opt = {
			.size = 200, .flows = 1, .burst = 1, .bursts = 1,
			.every = 1000000, .vlan = -1,
		},
	};
	const char *mac = NULL, *address = "198.51.100.1";
	struct options *o = &s.opt;
	int opt, priority = 0, mark = 0;

	while ((opt = getopt(argc, argv, "i:f:k:b:g:e:n:s:d:a:v:p:m:w:l")) != -1) {
		switch (opt) {
		case 'i':
			o->device = optarg;
			break;
		case 'f':
			o->flows = integer(optarg, 1, FLOWS_MAX);
			break;
		case 'k':
			o->first = integer(optarg, 0, FLOWS_MAX);
			break;
		case 'b':
			o->burst = integer(optarg, 1, FRAMES_MAX);
			break;
		case 'g':
			o->gap = parse_time(optarg);
			break;
		case 'e':
			o->every = parse_time(optarg);
			break;
		case 'n':
			o->bursts = integer(optarg, 0, FRAMES_MAX);
			break;
		case 's':
			o->size = integer(optarg, FRAME_MIN + 4, FRAME_MAX);
			break;
		case 'd':
			mac = optarg;
			break;
		case 'a':
			address = optarg;
			break;
		case 'v':
			o->vlan = integer(optarg, 0, 0xffff);
			break;
		case 'p':
			priority = integer(optarg, 0, INT_MAX);
			break;
		case 'm':
			mark = integer(optarg, 0, INT_MAX);
			break;
		case 'w':
			o->wait = integer(optarg, 0, 3600000) * 1000000;
			break;
		case 'l':
			o->may_fail = 1;
			break;
		default:
			help();
		}
	}
	if (!o->device || optind != argc)
		help();
	if (exceeds(o->bursts, (int64_t)o->burst * o->flows, FRAMES_MAX) ||
	    exceeds(o->bursts, o->every, TIME_MAX))
		bad("-n", "too many frames, or longer than an hour");
	/* A flow's frames stay in order. */
	if (o->bursts > 1 && exceeds(o->gap, o->burst - 1, o->every))
		bad("-g", "a burst is longer than -e");

	open_device(&s, mac, address, priority, mark);
	/* Or the kernel makes ten wake-ups of fast rates one. */
	if (prctl(PR_SET_TIMERSLACK, 1UL))
		die("PR_SET_TIMERSLACK");
	/* On a whole millisecond, so that times are easy to read. */
	s.start = (now(CLOCK_MONOTONIC) / 1000000 + 1) * 1000000 + o->wait;
	s.to_real = now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC);
	sleep_until(&s, s.start);
	run(&s);

	printf("{\"sent\":%lld,\"failed\":%lld,\"bytes\":%lld,",
	       (long long)s.sent, (long long)s.failed,
	       (long long)s.sent * o->size);
	printf("\"start_ns\":%lld,\"last_ns\":%lld}\n",
	       (long long)(s.start + s.to_real), (long long)s.last);
	return 0;
}
