// SPDX-License-Identifier: GPL-2.0
/*
 * ramp-send: sends numbered frames along a profile of rates
 *
 * The schedule is absolute and exact to a nanosecond: every frame has its time,
 * a late wake-up sends all that are due, and no clock is ever polled. So the
 * program works where work costs no time (User-Mode Linux, time travel), and it
 * ends by construction: the profile has a bounded length and count.
 *
 * A rate counts the bytes of a frame as the qdisc does, Ethernet header
 * included, and nothing of what a wire would add.
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

#define SEND_ETHERTYPE	0x88b6		/* IEEE 802: local experiments */
#define SEND_MAGIC	0x52414d50	/* "RAMP" */
#define PIECES_MAX	64
#define TIME_MAX	3600000000000LL	/* ns, of the whole profile */
#define COUNT_DEFAULT	10000000
#define RATE_MAX	1000000000000LL	/* bit/s */
#define FRAME_MIN	60
#define FRAME_MAX	65535
#define PRIORITIES_MAX	16
#define AWAY		100000000	/* ns, more than a profile that asks for it has */

/* What a frame carries after its Ethernet header, in network order. */
struct mark {
	uint32_t	magic;
	uint32_t	stream;
	uint64_t	seq;
	uint64_t	time;		/* ns, CLOCK_REALTIME as captures are */
};

/* A piece of the profile: @count frames at once, or a rate (bit/s) that goes
 * from @from to @to within @length ns.
 */
struct piece {
	int64_t		from;
	int64_t		to;
	int64_t		length;
	int64_t		count;
};

/* One of several priorities, whose frames are a stream of their own. */
struct lane {
	int		priority;
	int64_t		sent;
	int64_t		refused;
	int64_t		down;
};

struct sender {
	int		fd;
	struct lane	lanes[PRIORITIES_MAX];
	int		nlanes;		/* 0: the priority of all is the socket's */
	int		may_be_down;
	unsigned char	frame[FRAME_MAX];
	int		size;
	uint32_t	stream;
	int64_t		max;
	int64_t		start;		/* ns, CLOCK_MONOTONIC */
	int64_t		awake;		/* ns, when it last woke up */
	int		watch;
	int64_t		before;		/* ns, when it had sent the last frame */
	int64_t		away;		/* ns, without a frame */
	int64_t		to_real;	/* ns, CLOCK_REALTIME is so much later */
	int64_t		seq;
	int64_t		first;
	int64_t		last;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void help(void)
{
	fprintf(stderr,
		"usage: ramp-send -i IFACE [-s BYTES] [-d DSTMAC] [-c MAXCOUNT]\n"
		"                 [-p PRIORITY[,PRIORITY...]] [-n STREAM] [-w MS] [-l] [-a] PROFILE\n"
		"  PROFILE  pieces, separated by commas:\n"
		"           RATE:TIME       a constant rate\n"
		"           RATE-RATE:TIME  from one rate to another, in a straight line\n"
		"           xN              N frames at once\n"
		"  RATE     0, 1000pps, 64kbit, 10mbit, 1gbit (bytes of frames)\n"
		"  TIME     20us, 10ms, 3s\n"
		"  -s       bytes of a frame with its Ethernet header, default 1514\n"
		"  -c       send no more than this, default %d\n"
		"  -p       skb->priority; of several, frames take them in turn, and each\n"
		"           has a stream of its own, with the numbers from STREAM on\n"
		"  -n       a number that all frames carry, default 0\n"
		"  -w       wait before the profile begins\n"
		"  -l       the link may go down: frames that it does not take are counted\n"
		"  -a       say how long it was away: all spells of more than 100 ms\n",
		COUNT_DEFAULT);
	exit(2);
}

static void bad(const char *text, const char *what)
{
	fprintf(stderr, "ramp-send: '%s': %s\n", text, what);
	exit(2);
}

struct unit {
	const char	*name;
	double		scale;
};

/* A number with a unit; @end is where it stops. */
static double number(const char *text, const struct unit *units,
		     const char *what, char **end)
{
	double value = strtod(text, end);
	const struct unit *best = NULL;

	if (*end == text || !(value >= 0))
		bad(text, what);
	for (; units->name; units++)
		if (!strncmp(*end, units->name, strlen(units->name)) &&
		    (!best || strlen(units->name) > strlen(best->name)))
			best = units;
	if (best) {
		*end += strlen(best->name);
		return value * best->scale;
	}
	if (value)
		bad(text, what);
	return 0;
}

static int64_t parse_rate(const char *text, int size, char **end)
{
	const struct unit units[] = {
		{ "pps", size * 8.0 }, { "bit", 1 }, { "kbit", 1e3 },
		{ "mbit", 1e6 }, { "gbit", 1e9 }, { NULL, 0 }
	};
	double rate = number(text, units, "not a rate", end);

	if (rate > RATE_MAX)
		bad(text, "more than 1000gbit");
	return rate + 0.5;
}

static int64_t parse_time(const char *text, char **end)
{
	static const struct unit units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
		{ NULL, 0 }
	};
	double time = number(text, units, "not a time", end);

	if (time > TIME_MAX)
		bad(text, "longer than an hour");
	return time + 0.5;
}

static int parse_profile(const char *text, int size, struct piece *pieces)
{
	int64_t total = 0;
	char *end;
	int n = 0;

	for (;; n++, text = end + 1) {
		struct piece *p = &pieces[n];

		if (n == PIECES_MAX)
			bad(text, "too many pieces");
		memset(p, 0, sizeof(*p));
		if (*text == 'x') {
			p->count = strtoll(text + 1, &end, 10);
			if (end == text + 1 || p->count < 0)
				bad(text, "not a count");
		} else {
			p->from = parse_rate(text, size, &end);
			p->to = p->from;
			if (*end == '-')
				p->to = parse_rate(end + 1, size, &end);
			if (*end != ':')
				bad(text, "a piece is RATE:TIME, RATE-RATE:TIME or xN");
			p->length = parse_time(end + 1, &end);
			total += p->length;
		}
		if (total > TIME_MAX)
			bad(text, "longer than an hour");
		if (!*end)
			return n + 1;
		if (*end != ',')
			bad(end, "unexpected");
	}
}

static int64_t integer(const char *text, int64_t min, int64_t max)
{
	char *end;
	int64_t value = strtoll(text, &end, 0);

	if (end == text || *end || value < min || value > max)
		bad(text, "not a number in range");
	return value;
}

static void parse_priorities(struct sender *s, char *text)
{
	char *one;

	for (s->nlanes = 0; (one = strsep(&text, ",")); s->nlanes++) {
		if (s->nlanes == PRIORITIES_MAX)
			bad(one, "too many priorities");
		s->lanes[s->nlanes].priority = integer(one, 0, INT_MAX);
	}
}

static int64_t now(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		die("clock_gettime");
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Reads the clock once per wake-up: in time travel a reading costs time, and one
 * per frame would be more than the fastest rates have.
 */
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

static void watch(struct sender *s)
{
	int64_t before = s->before;

	s->before = now(CLOCK_MONOTONIC);
	if (before && s->before - before > AWAY)
		s->away += s->before - before;
}

static void set_priority(struct sender *s, int priority)
{
	if (setsockopt(s->fd, SOL_SOCKET, SO_PRIORITY, &priority,
		       sizeof(priority)))
		die("SO_PRIORITY");
}

/* Returns false when no more may be sent. */
static int send_one(struct sender *s)
{
	struct mark mark = {
		.magic = htonl(SEND_MAGIC),
	};
	struct lane *lane = s->lanes;
	int64_t time, seq = s->seq;
	uint32_t stream = s->stream;

	if (s->seq++ >= s->max)
		return 0;

	if (s->nlanes > 1) {
		lane += seq % s->nlanes;
		stream += seq % s->nlanes;
		seq /= s->nlanes;
		set_priority(s, lane->priority);
	}
	time = s->awake + s->to_real;
	mark.stream = htonl(stream);
	mark.seq = htobe64(seq);
	mark.time = htobe64(time);
	memcpy(s->frame + ETH_HLEN, &mark, sizeof(mark));
	if (!s->first)
		s->first = time;
	s->last = time;

	/* A sender that waits for room would not keep its schedule. */
	if (send(s->fd, s->frame, s->size, MSG_DONTWAIT) == s->size)
		lane->sent++;
	else if (errno == ENOBUFS)
		lane->refused++;
	else if (errno == ENETDOWN && s->may_be_down)
		lane->down++;
	else
		die("send");
	if (s->watch)
		watch(s);
	return 1;
}

/* Machines of 32 bits have no integers of 128. What is rounded there, to 64 bits, is less
 * than a nanosecond.
 */
#ifdef __SIZEOF_INT128__
#define WIDE __int128
#else
#define WIDE long double
#endif

/* What a piece has earned after @t ns; a frame costs 2 * 8 * size * 10^9 of
 * it. Doubled, so that the end of a straight line is exact.
 */
static WIDE earned(const struct piece *p, int64_t t)
{
	WIDE sum = (WIDE)2 * p->from * t;

	if (p->to != p->from)
		sum += (WIDE)(p->to - p->from) * t * t / p->length;
	return sum;
}

/* When a piece has earned @want, at or after @after, at most its length. */
static int64_t earned_when(const struct piece *p, WIDE want, int64_t after)
{
	int64_t lo = after, hi = p->length;

	if (p->to == p->from) {
		WIDE twice = (WIDE)2 * p->from;
		WIDE t = twice ? (want + twice - 1) / twice : p->length;

		return t < p->length ? t : p->length;
	}
	while (lo < hi) {
		int64_t mid = lo + (hi - lo) / 2;

		if (earned(p, mid) >= want)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static void run(struct sender *s, const struct piece *pieces, int n)
{
	const WIDE cost = (WIDE)16 * s->size * 1000000000;
	int64_t begin = s->start, t;
	WIDE want = 0;	/* earnings until the next frame */
	int i;

	for (i = 0; i < n; begin += pieces[i++].length) {
		const struct piece *p = &pieces[i];

		for (t = 0; t < p->count; t++)
			if (!send_one(s))
				return;

		/* A frame goes at once when a silence is over, and the gaps
		 * of one rate merge into those of the next.
		 */
		if (!p->from && !p->to)
			want = 0;
		for (t = 0; p->from || p->to; want += cost) {
			t = earned_when(p, want, t);
			if (t >= p->length)
				break;
			if (begin + t > s->awake)
				sleep_until(s, begin + t);
			if (!send_one(s))
				return;
		}
		if (p->from || p->to)
			want -= earned(p, p->length);

		/* Frames at once, and the end, have their time, too. */
		if (i + 1 == n || pieces[i + 1].count)
			sleep_until(s, begin + p->length);
	}
}

static void open_device(struct sender *s, const char *name, const char *mac)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET };
	struct ethhdr *eth = (struct ethhdr *)s->frame;
	struct ifreq ifr = { 0 };
	int room = INT_MAX / 2;

	s->fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (s->fd < 0)
		die("socket");
	if (strlen(name) >= sizeof(ifr.ifr_name))
		bad(name, "not a device");
	memcpy(ifr.ifr_name, name, strlen(name) + 1);
	if (ioctl(s->fd, SIOCGIFHWADDR, &ifr))
		die(name);
	memcpy(eth->h_source, ifr.ifr_hwaddr.sa_data, ETH_ALEN);
	addr.sll_ifindex = if_nametoindex(name);
	if (bind(s->fd, (struct sockaddr *)&addr, sizeof(addr)))
		die(name);

	/* What waits in the qdisc must not stop the sender. */
	if (setsockopt(s->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)))
		die("SO_SNDBUFFORCE");
	if (s->nlanes)
		set_priority(s, s->lanes[0].priority);

	memset(eth->h_dest, 0xff, ETH_ALEN);
	if (mac && sscanf(mac, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx",
			  &eth->h_dest[0], &eth->h_dest[1], &eth->h_dest[2],
			  &eth->h_dest[3], &eth->h_dest[4],
			  &eth->h_dest[5]) != 6)
		bad(mac, "not an Ethernet address");
	eth->h_proto = htons(SEND_ETHERTYPE);
}

static void print_result(const struct sender *s)
{
	int64_t sent = 0, refused = 0, down = 0;
	int i;

	for (i = 0; i < PRIORITIES_MAX; i++) {
		sent += s->lanes[i].sent;
		refused += s->lanes[i].refused;
		down += s->lanes[i].down;
	}
	printf("{\"sent\":%lld,\"refused\":%lld,\"bytes\":%lld,",
	       (long long)sent, (long long)refused, (long long)sent * s->size);
	if (s->may_be_down)
		printf("\"down\":%lld,", (long long)down);
	if (s->nlanes > 1) {
		printf("\"streams\":[");
		for (i = 0; i < s->nlanes; i++)
			printf("%s{\"sent\":%lld,\"refused\":%lld}",
			       i ? "," : "", (long long)s->lanes[i].sent,
			       (long long)s->lanes[i].refused);
		printf("],");
	}
	if (s->watch)
		printf("\"away_ns\":%lld,", (long long)s->away);
	printf("\"first_ns\":%lld,\"last_ns\":%lld}\n",
	       (long long)s->first, (long long)s->last);
}

int main(int argc, char **argv)
{
	static struct piece pieces[PIECES_MAX];
	static struct sender s = { .size = 1514, .max = COUNT_DEFAULT };
	const char *device = NULL, *mac = NULL;
	int opt, n;
	int64_t wait = 0;

	while ((opt = getopt(argc, argv, "i:s:d:c:p:n:w:la")) != -1) {
		switch (opt) {
		case 'i':
			device = optarg;
			break;
		case 's':
			s.size = integer(optarg, FRAME_MIN, FRAME_MAX);
			break;
		case 'd':
			mac = optarg;
			break;
		case 'c':
			s.max = integer(optarg, 0, INT64_MAX);
			break;
		case 'p':
			parse_priorities(&s, optarg);
			break;
		case 'n':
			s.stream = integer(optarg, 0, UINT32_MAX);
			break;
		case 'w':
			wait = integer(optarg, 0, 3600000);
			break;
		case 'l':
			s.may_be_down = 1;
			break;
		case 'a':
			s.watch = 1;
			break;
		default:
			help();
		}
	}
	if (!device || optind + 1 != argc)
		help();

	n = parse_profile(argv[optind], s.size, pieces);
	open_device(&s, device, mac);
	/* Or the kernel makes ten wake-ups of fast rates one. */
	if (prctl(PR_SET_TIMERSLACK, 1UL))
		die("PR_SET_TIMERSLACK");
	/* On a whole millisecond, so that times are easy to read. */
	s.start = (now(CLOCK_MONOTONIC) / 1000000 + 1 + wait) * 1000000;
	s.to_real = now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC);
	sleep_until(&s, s.start);
	run(&s, pieces, n);

	print_result(&s);
	return 0;
}
