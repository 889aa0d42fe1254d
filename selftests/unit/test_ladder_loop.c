// SPDX-License-Identifier: GPL-2.0
/* The laws of codes together: a sender that always has packets, a receiver
 * whose port is slower, and frames between them that take their time and get
 * lost. No packet may be lost, the port may not idle, and few codes have to do.
 */
#include "unit.h"
#include <net/ramp/ladder.h>
#include <net/ramp/pacer.h>
#include <net/ramp/peers.h>

#define MTU		1500
#define RATE		125000000ULL
#define TICK		(100 * NSEC_PER_USEC)
#define LIMIT		1000
#define VALIDITY	(100 * NSEC_PER_MSEC)
#define LEAST		500
#define FLIGHT		64

static struct loop {
	struct ramp_ladder_params steps;
	struct ramp_ladder ladder;
	struct ramp_peers peers;
	struct ramp_pacer pacer;
	bool	paced;
	u32	rate;			/* what the sender goes by */
	u64	now;
	u64	port;			/* bytes/s */
	u64	delay;			/* ns, of a frame */
	u32	lost;			/* percent of frames */

	u32	queued;
	u32	most;
	u64	sent;
	u64	left;			/* packets through the port */
	u64	idle;			/* times that the port found nothing */
	u64	busy;			/* ns, when it last found something */
	u64	longest;		/* ns, for which it found nothing */
	u64	dropped;

	u64	next_send;
	u64	next_drain;
	u64	next_refresh;
	u32	seq;
	/* Frames on their way, in their order. */
	struct {
		u64	when;
		u32	bytes;
		u8	data[RAMP_CODE_BYTES_MAX];
	} flight[FLIGHT];
	u32	first;
	u32	flying;
} loop;

static void loop_frame(void)
{
	struct ramp_code_frame f = {
		.epoch = 7, .seq = ++loop.seq,
		.validity = VALIDITY / NSEC_PER_MSEC, .bands = BIT(0),
	};
	u32 at = (loop.first + loop.flying) % FLIGHT;

	f.rate[0] = ramp_ladder_rate(&loop.ladder, &loop.steps);
	loop.next_refresh = f.rate[0] < 10000 ? loop.now + VALIDITY / 3 :
						U64_MAX;
	if (unit_chance(loop.lost))
		return;
	assert_true(loop.flying < FLIGHT);
	loop.flight[at].when = loop.now + loop.delay;
	loop.flight[at].bytes = ramp_code_build(loop.flight[at].data, &f);
	loop.flying++;
}

static void loop_occupancy(void)
{
	loop.most = max_t(u32, loop.most, loop.queued);
	if (ramp_ladder_outside(&loop.ladder, loop.queued) &&
	    ramp_ladder_move(&loop.ladder, &loop.steps, loop.queued))
		loop_frame();
}

/* The sender takes over what its peer asks for. */
static void loop_obey(void)
{
	u32 rate = ramp_peers_rate(&loop.peers, 0, LEAST);
	u64 bytes, depth;

	if (rate == loop.rate)
		return;
	bytes = ramp_pacer_rate(RATE, rate);
	depth = ramp_pacer_depth(bytes, TICK, MTU);
	if (loop.paced)
		ramp_pacer_change(&loop.pacer, bytes, depth, loop.now);
	else
		ramp_pacer_init(&loop.pacer, bytes, depth, loop.now);
	loop.rate = rate;
	loop.paced = rate < 10000;
	loop.next_send = loop.now;
}

static void loop_send(void)
{
	if (loop.paced && !ramp_pacer_admit(&loop.pacer, MTU, loop.now)) {
		loop.next_send = ramp_pacer_when(&loop.pacer, MTU);
		return;
	}
	ramp_pacer_charge(&loop.pacer, MTU);
	loop.next_send = loop.now + MTU * NSEC_PER_SEC / RATE;
	loop.sent++;
	if (loop.queued == LIMIT)
		loop.dropped++;
	else
		loop.queued++;
	loop_occupancy();
}

static void loop_drain(void)
{
	loop.next_drain += MTU * NSEC_PER_SEC / loop.port;
	if (!loop.queued) {
		loop.idle++;
		loop.longest = max_t(u64, loop.longest, loop.now - loop.busy);
		return;
	}
	loop.busy = loop.now;
	loop.queued--;
	loop.left++;
	loop_occupancy();
}

static void loop_hear(void)
{
	struct ramp_code_frame f;
	u32 at = loop.first;

	assert_int_equal(ramp_code_parse(&f, loop.flight[at].data,
					 loop.flight[at].bytes),
			 RAMP_CODE_GOOD);
	assert_int_equal(ramp_peers_hear(&loop.peers, 1, &f, loop.now),
			 RAMP_PEERS_HEARD);
	loop.first = (loop.first + 1) % FLIGHT;
	loop.flying--;
	loop_obey();
}

static void loop_begin(u64 port, u64 delay, u32 lost)
{
	static const u32 at[] = { 0, 1000, 2500, 4000, 5500, 7000 };
	static const u16 rates[] = { 10000, 8000, 5500, 3500, 1500, LEAST };
	u32 x;

	loop = (struct loop){
		.steps.n = 5, .rate = 10000, .now = HOUR, .port = port,
		.delay = delay, .lost = lost, .next_send = HOUR,
		.next_drain = HOUR, .next_refresh = U64_MAX, .busy = HOUR,
	};
	for (x = 0; x <= 5; x++)
		loop.steps.rate[x] = rates[x];
	assert_int_equal(ramp_ladder_resolve(&loop.steps, at, 300, LIMIT),
			 0);
	ramp_ladder_init(&loop.ladder, &loop.steps);
	ramp_peers_init(&loop.peers);
}

static void loop_run(u64 until)
{
	while (loop.now < until) {
		u64 hear = loop.flying ? loop.flight[loop.first].when : U64_MAX;
		u64 expire = loop.peers.bands ? loop.peers.next : U64_MAX;
		u64 next = min(min(loop.next_send, loop.next_drain),
			       min(min(hear, expire), loop.next_refresh));

		loop.now = next;
		if (next == hear) {
			loop_hear();
		} else if (next == expire) {
			ramp_peers_expire(&loop.peers, next);
			loop_obey();
		} else if (next == loop.next_refresh) {
			loop_frame();
		} else if (next == loop.next_drain) {
			loop_drain();
		} else {
			loop_send();
		}
	}
}

/* Any port that is not slower than what can be asked for, frames that take up
 * to 200 us: 17 packets at most are on their way meanwhile.
 */
static void the_sender_settles(struct kunit *test)
{
	unit_rounds(60) {
		u64 port = RATE * unit_between(LEAST + 10, 9900) / 10000;
		u64 left;

		loop_begin(port, unit_between(1, 200 * NSEC_PER_USEC), 0);
		loop_run(HOUR + NSEC_PER_SEC / 10);
		left = loop.left;
		loop.idle = 0;
		loop.most = 0;
		loop_run(HOUR + NSEC_PER_SEC);
		unit_check(!loop.dropped, "%llu dropped", loop.dropped);
		unit_check(!loop.idle, "port of %llu idle %llu times", port,
			   loop.idle);
		unit_check(loop.most < LIMIT, "%u queued", loop.most);
		unit_check((loop.left - left) * MTU * 100 >=
			   port * 9 / 10 * 99, "%llu of %llu bytes",
			   (loop.left - left) * MTU, port * 9 / 10);
		unit_check(loop.ladder.codes > 0, "port of %llu", port);
		unit_check(!loop.peers.expired, "%llu expired",
			   loop.peers.expired);
	}
}

/* Without codes the same sender loses packets. */
static void it_would_not_without_codes(struct kunit *test)
{
	loop_begin(RATE / 2, 1, 100);
	loop_run(HOUR + NSEC_PER_SEC / 10);
	assert_true(loop.dropped > 1000);
	assert_int_equal(loop.rate, 10000);
}

/* One frame in five is lost. What it said is said again, or expires: the port
 * is not without work for longer than codes hold. When frames come again no
 * packet is lost any more.
 */
static void frames_get_lost(struct kunit *test)
{
	unit_rounds(60) {
		u64 port = RATE * unit_between(2 * LEAST, 9800) / 10000;

		loop_begin(port, unit_between(1, 200 * NSEC_PER_USEC), 20);
		loop_run(HOUR + NSEC_PER_SEC);
		unit_check(loop.seq > loop.peers.heard, "%u", loop.seq);
		unit_check(loop.longest <= VALIDITY, "idle for %llu",
			   loop.longest);

		loop.lost = 0;
		loop_run(loop.now + VALIDITY);
		loop.dropped = 0;
		loop.idle = 0;
		loop_run(loop.now + NSEC_PER_SEC);
		unit_check(!loop.dropped, "%llu dropped", loop.dropped);
		unit_check(!loop.idle, "port of %llu idle %llu times", port,
			   loop.idle);
	}
}

/* The port becomes fast: the sender is let go, whether it is told or not. */
static void and_is_let_go(struct kunit *test)
{
	u32 lost;

	for (lost = 0; lost <= 100; lost += 100) {
		unit_round(0);
		loop_begin(RATE / 2, 100 * NSEC_PER_USEC, 0);
		loop_run(HOUR + NSEC_PER_SEC / 10);
		assert_true(loop.rate < 10000);
		loop.port = 2 * RATE;
		loop.lost = lost;
		loop_run(loop.now + NSEC_PER_SEC);
		assert_int_equal(loop.rate, 10000);
		assert_false(loop.paced);
		assert_int_equal(loop.ladder.level, 0);
		assert_int_equal(loop.peers.expired, lost ? 1 : 0);
	}
}

UNIT_SUITE(ladder_loop,
	   UNIT_CASE(the_sender_settles),
	   UNIT_CASE(it_would_not_without_codes),
	   UNIT_CASE(frames_get_lost),
	   UNIT_CASE(and_is_let_go));
