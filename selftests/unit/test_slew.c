// SPDX-License-Identifier: GPL-2.0
/* Slew limiter: US 2025/0260650, [0105], "detect always". "What may leave in a
 * tick is at most what left in the last tick plus step, and start may always
 * leave", wherever the tick begins.
 */
#include "ticks.h"
#include <net/ramp/slew.h>

#define SENT_MAX	400000

/* What left, when; and when it came. */
static struct {
	u64	time;
	u32	bytes;
} sent[SENT_MAX];
static u64 came[SENT_MAX];
static u32 lens[SENT_MAX];
static u32 count;

/* A gate with a queue in front of it and a device behind. */
struct gate {
	struct ramp_slope_params p;
	struct ramp_slew s;
	bool	shut;
	u64	looks;
	u64	most;		/* packets waiting */
	u64	late;		/* ns, what a timer may be at most */
	bool	blind;		/* nobody knows the next packet */
};

static void gate_begin(struct gate *g, const struct ramp_slope_params *p,
		       u64 level)
{
	memset(g, 0xa5, sizeof(*g));
	g->p = *p;
	g->shut = false;
	g->looks = 0;
	g->most = 0;
	g->late = 0;
	g->blind = false;
	ramp_slew_begin(&g->s, &g->p, level, T0);
}

/* When may a packet that is there at @now leave? @more wait as well. */
static u64 gate_passes(struct gate *g, u64 now, bool more)
{
	if (g->s.budget > 0)
		return now;
	for (;;) {
		g->looks++;
		if (ramp_slew_look(&g->s, &g->p, g->shut, more || g->shut, now))
			break;
		unit_check(g->s.wake > now, "%llu at %llu", g->s.wake, now);
		unit_check(g->s.wake >= g->s.last, "%llu", g->s.wake);
		g->shut = true;
		now = g->s.wake + unit_between(0, g->late);
	}
	g->shut = false;
	return now;
}

/* All that came leaves, out of a device of @device bytes per tick;
 * 0: at once. @bytes per packet; 0: as lens[] says.
 */
static void gate_runs(struct gate *g, u32 packets, u32 bytes, u64 device)
{
	u64 now = 0;
	u32 i, last = 0, len;

	for (i = 0; i < packets; i++) {
		now = max(now, came[i]);
		len = bytes ?: lens[i];
		g->s.next = g->blind ? 0 : len;
		now = gate_passes(g, now,
				  i + 1 < packets && came[i + 1] <= now);
		ramp_slew_charge(&g->s, &g->p, len, 1);
		now += device ? len * g->p.tick / device : 0;
		sent[i].time = now;
		sent[i].bytes = len;
		while (last < packets && came[last] <= now)
			last++;
		g->most = max_t(u64, g->most, last - i - 1);
	}
	count = packets;
}

/* The greatest difference between two adjacent stretches of @span, in bytes.
 * Only where a packet enters or leaves one of them can it be.
 */
static s64 greatest_rise(u64 span)
{
	u32 enters = 0, crosses = 0, leaves = 0;
	s64 rise = 0, most = 0;
	u64 a, b, c;

	while (leaves < count) {
		a = enters < count ? sent[enters].time : U64_MAX;
		b = crosses < count ? sent[crosses].time + span : U64_MAX;
		c = sent[leaves].time + 2 * span;
		if (c <= a && c <= b)
			rise += sent[leaves++].bytes;
		else if (a <= b)
			rise += sent[enters++].bytes;
		else
			rise -= 2 * (s64)sent[crosses++].bytes;
		most = max(most, rise);
	}
	return most;
}

static struct ramp_slope_params percent(u64 full, u64 tick)
{
	struct ramp_slope_params p = {
		.start = full / 20, .step = full / 20, .full = full,
		.tick = tick, .window = WINDOW,
	};

	ramp_slew_stretch(&p, MTU);
	return p;
}

/* So many bytes per tick, for so long. */
static u32 comes(u32 n, u64 *at, u64 length, u64 flow, u32 bytes, u64 tick)
{
	u64 end = *at + length, i;

	for (i = 0; flow; i++) {
		u64 time = *at + i * bytes * tick / flow;

		if (time >= end || n == SENT_MAX)
			break;
		came[n++] = time;
	}
	*at = end;
	return n;
}

static const u64 fulls[] = {
	12500, 21000, 25000, 31250, 50000, 87500, 125000, 312500, 1250000,
};

static const u32 sizes[] = { 590, 1514 };

/* Packets are whole, so two of them are the least that can be asked for. */
static void no_stretch_rises_by_more(const struct gate *g, u32 bytes, u32 more,
				     u32 differ)
{
	s64 most = max(g->p.full * 15 / 100 + more, 2ULL * bytes) + differ;
	s64 rise = greatest_rise(g->p.tick);

	unit_check(rise <= most, "%lld bytes of %llu, packets of %u", rise,
		   g->p.full, bytes);
}

static void a_step_of_load(u64 full, u32 bytes, unsigned int from, u64 device)
{
	struct ramp_slope_params p = percent(full, TICK);
	u64 at = T0 + 7 * TICK / 3;
	struct gate g;
	u32 n;

	gate_begin(&g, &p, 0);
	n = comes(0, &at, 40 * TICK, p.full * from / 100, bytes, TICK);
	n = comes(n, &at, 80 * TICK, p.full, bytes, TICK);
	gate_runs(&g, n, bytes, p.full * device);
	no_stretch_rises_by_more(&g, bytes, 0, 0);
	/* 20 ticks' worth, or a megabyte, are what the limit has room for. */
	unit_check(g.most * bytes <= max_t(u64, 20 * p.full, 1000000),
		   "%llu of %u wait", g.most, bytes);
	/* And in the end nothing waits for longer than it has to. */
	unit_check(sent[n - 1].time - came[n - 1] <= 20 * TICK, "%llu late",
		   sent[n - 1].time - came[n - 1]);
}

static void a_step_of_load_becomes_a_slope(struct kunit *test)
{
	unsigned int i, from;

	unit_round(0);
	for (i = 0; i < 4 * ARRAY_SIZE(fulls); i++)
		for (from = 0; from < 60; from += 12)
			a_step_of_load(fulls[i / 4], sizes[i / 2 % 2], from,
				       i % 2 * 10);
}

/* A long tick is for long packets. Short ones do not need it, and when they
 * come from idle are smooth in the ticks that it is made of.
 */
static void short_packets_are_smooth_in_a_long_tick(struct kunit *test)
{
	static const u32 shorts[] = { 60, 100, 400, 460 };
	u32 i, k, n;

	unit_round(0);
	for (i = 0; i < 5; i++) {
		for (k = 0; k < 4 * ARRAY_SIZE(shorts); k++) {
			struct ramp_slope_params p = {
				.start = fulls[i] / 20, .step = fulls[i] / 20,
				.full = fulls[i], .tick = TICK,
				.window = WINDOW,
			};
			u32 bytes = shorts[k / 4];
			u64 at = T0 + 7 * TICK / 3;
			struct gate g;
			s64 rise;

			ramp_slew_stretch(&p, 9014);
			gate_begin(&g, &p, 0);
			n = comes(0, &at, 60 * TICK,
				  fulls[i] * (4 - k % 4) / 4, bytes, TICK);
			gate_runs(&g, n, bytes, 0);
			rise = greatest_rise(TICK);
			unit_check(rise <= max_t(s64, fulls[i] * 15 / 100,
						 2 * bytes),
				   "%lld bytes of %llu, packets of %u", rise,
				   fulls[i], bytes);
		}
	}
}

/* Bursts of half a tick to 50, and loads that change at random. */
static void no_load_makes_it_jump(struct kunit *test)
{
	unit_rounds(900) {
		u64 full = fulls[unit_between(0, ARRAY_SIZE(fulls) - 1)];
		struct ramp_slope_params p = percent(full, TICK);
		u32 bytes = unit_chance(50) ? 1514 : unit_between(400, 1514);
		u32 n = 0;
		bool bursts = unit_chance(50);
		u64 at = T0 + unit_between(0, TICK);
		struct gate g;

		gate_begin(&g, &p, 0);
		while (at < T0 + 300 * TICK) {
			u64 flow = bursts ? p.full : unit_between(0, p.full);

			n = comes(n, &at,
				  unit_between(5, unit_chance(30) ? 500 : 30) *
				  TICK / 10, flow, bytes, TICK);
			if (bursts)
				at += unit_between(5,
						   unit_chance(30) ? 500 : 30) *
				      TICK / 10;
		}
		gate_runs(&g, n, bytes,
			  p.full * (unit_chance(50) ? 0 : unit_between(1, 3)));
		no_stretch_rises_by_more(&g, bytes, 0, 0);
	}
}

/* Below 1 Gbit/s, what is seen in the time of ten packets, at whatever rate
 * that is. More comes than the rate, too.
 */
static void the_time_of_ten_packets_is_a_tick(struct kunit *test)
{
	unit_rounds(400) {
		u64 full = unit_between(unit_chance(50) ? 125 : 11900, 12498);
		struct ramp_slope_params p = percent(full, TICK);
		u64 span = 10 * MTU * TICK / full, at = T0;
		u32 bytes = unit_chance(50) ? MTU : unit_between(60, MTU);
		struct gate g;
		u32 n = 0;
		s64 rise;

		gate_begin(&g, &p, 0);
		while (at < T0 + 200 * span) {
			n = comes(n, &at, unit_between(1, 30) * span / 10,
				  unit_between(0, 3 * full), bytes, TICK);
			if (unit_chance(50))
				at += unit_between(1, 30) * span / 10;
		}
		gate_runs(&g, n, bytes,
			  p.full * (unit_chance(50) ? 0 : unit_between(1, 3)));
		rise = greatest_rise(span);
		unit_check(rise <= max_t(s64, 3 * MTU / 2, 2 * bytes),
			   "%lld bytes of %llu, packets of %u", rise, full,
			   bytes);
	}
}

/* Nor do packets of many sizes, or of two, but for what they differ. Those that
 * a slow device sends end the later the longer they are, whatever lets them
 * pass: this one takes no time.
 */
static void no_sizes_make_it_jump(struct kunit *test)
{
	unit_rounds(400) {
		u64 full = unit_between(13000, 13000 << unit_between(0, 2));
		struct ramp_slope_params p = percent(full, TICK);
		u64 at = T0 + unit_between(0, TICK), end, flow;
		bool two = unit_chance(50);
		struct gate g;
		u32 n = 0;

		gate_begin(&g, &p, 0);
		g.blind = unit_chance(50);
		while (at < T0 + 300 * TICK) {
			end = at + unit_between(5, 300) * TICK / 10;
			flow = unit_between(full / 40, full);
			for (; at < end; n++) {
				lens[n] = unit_between(64, 1514);
				if (two)
					lens[n] = lens[n] < 790 ? 64 : 1514;
				came[n] = at;
				at += lens[n] * TICK / flow;
			}
		}
		gate_runs(&g, n, 0, 0);
		/* One may be longer than all before, and points are so far from
		 * each other that short ones may lie between them.
		 */
		no_stretch_rises_by_more(&g, 1514, 200, 1514 - 64);
	}
}

/* As long as none has left, the next one may be of any length, and the clock is
 * read after it. Then it is known that many short ones do no harm.
 */
static void many_short_ones_need_no_clock(struct kunit *test)
{
	struct ramp_slope_params p = percent(25000, TICK);
	u64 now = T0, most = 0;
	struct ramp_slew s;
	u32 i;

	ramp_slew_begin(&s, &p, 0, now);
	for (i = 0; i < 3 * RAMP_SLEW_MEMORY; i++) {
		now += TICK;
		assert_true(ramp_slew_look(&s, &p, false, false, now));
		if (i < RAMP_SLEW_MEMORY - 1)
			assert_int_equal(s.budget, RAMP_SLEW_SINGLE);
		most = max_t(u64, most, s.budget);
		ramp_slew_charge(&s, &p, max_t(u32, s.budget, 64), 1);
	}
	assert_in_range(most, p.step * 3 / 8, p.step * 3 / 8 + 1);
}

/* Packets are counted whole as long as none is longer than two; one that is
 * makes a jump anyway, and then they are not.
 */
static void one_long_packet_ends_the_counting(struct kunit *test)
{
	struct ramp_slope_params p = percent(25000, TICK);
	struct ramp_slew s;
	u32 more;

	for (more = 0; more < 2; more++) {
		ramp_slew_begin(&s, &p, 0, T0);
		assert_true(ramp_slew_look(&s, &p, false, false, T0 + TICK));
		ramp_slew_charge(&s, &p, 2 * MTU + more, 1);
		assert_true(ramp_slew_look(&s, &p, false, false,
					   T0 + 9 * TICK));
		if (more)
			assert_in_range(s.budget, p.step / 4, p.step);
		else
			assert_int_equal(s.budget, RAMP_SLEW_SINGLE);
	}
}

/* What had left before @when, or at it. Nothing had before there was anything.
 */
static s64 had_left(u64 when, bool at_it)
{
	s64 sum = 0;
	u32 i;

	for (i = 0; i < count && sent[i].time + !at_it <= when; i++)
		sum += sent[i].bytes;
	return sum;
}

/* By the definition: with one of @next bytes more at @now, no stretch of a tick
 * that ends now has more than the stretch before it and @most.
 */
static bool fits_at(u64 now, u64 tick, s64 next, s64 most)
{
	s64 room, least = 2 * had_left(now - tick, false) -
			  had_left(now - 2 * tick, false);
	u32 i;

	for (i = 0; i < count; i++) {
		u64 drops = sent[i].time + tick;

		if (drops > now || drops < now - tick)
			continue;
		room = 2 * had_left(drops, false) -
		       had_left(drops - tick, true);
		least = min(least, room);
	}
	return had_left(now, true) + next <= least + most;
}

/* When it goes out of the last tick, or of the one before, from @now on. */
static u64 next_drop(u64 time, u64 now)
{
	return time + TICK >= now ? time + TICK :
	       time + 2 * TICK >= now ? time + 2 * TICK : U64_MAX;
}

/* And who has to wait is told of no time before the next packet goes out of one
 * of the last two ticks, and of none when there has been room for a while.
 */
static void whole_packets_fit_by_definition(struct kunit *test)
{
	u32 fit = 0, all = 0;

	unit_rounds(3000) {
		struct ramp_slope_params p = percent(25000, TICK);
		u64 now = T0, until = unit_random(), extra, at;
		struct ramp_slew s;
		u32 i, of_one;
		bool fits, unknown;
		s64 most;

		p.bound = unit_between(1, 6) * MTU;
		ramp_slew_begin(&s, &p, 0, now);
		now += 2 * TICK;
		count = unit_between(0, 20);
		for (i = 0; i < count; i++) {
			now += unit_between(1, TICK / unit_between(1, 10));
			sent[i].time = now;
			sent[i].bytes = unit_chance(50) ? MTU :
					unit_between(64, MTU);
			s.whole += sent[i].bytes;
			ramp_slew_push(&s, 0, now);
		}
		now += unit_between(1, unit_chance(80) ? TICK / 3 : 2 * TICK);
		unknown = unit_chance(20);
		if (unknown) {
			/* Of these it is only known that they left by now. */
			sent[count].time = now;
			sent[count].bytes = unit_between(64, 6 * MTU);
			s.whole += sent[count++].bytes;
		}
		s.longest = unit_chance(50) ? MTU : unit_between(64, MTU);
		s.unseen = unit_chance(80) ? 0 : MTU;
		s.late = unit_chance(70) ? 0 : unit_between(0, TICK);
		s.rate = ramp_slew_parts(unit_between(1000, p.full));
		extra = s.rate * 2 * s.late / TICK >> RAMP_SLEW_SHIFT;
		most = max3(p.bound, 2ULL * s.longest, (u64)s.unseen) + extra;

		fits = ramp_slew_fits(&s, &p, now, &until);
		of_one = max(s.longest, s.unseen);
		unit_check(fits == fits_at(now, TICK, of_one, most),
			   "%u left, room for %lld", count, most);
		fit += fits;
		all++;
		if (fits)
			continue;
		for (i = 0, at = U64_MAX; i < count; i++)
			at = min(at, next_drop(sent[i].time, now));
		unit_check(until >= (unknown ? now : at) && until < now + TICK,
			   "until %lld", (s64)(until - now));
		for (at = now; at <= until; at += 1 + (until - at) / 3)
			unit_check(!fits_at(at, TICK, of_one, most),
				   "%llu before %llu", until - at, until - now);
	}
	unit_check(!unit_whole() || (fit > all / 4 && fit < all * 3 / 4),
		   "%u of %u", fit, all);
}

/* What is used up to the last byte is used up. */
static void the_last_byte_is_the_last(struct kunit *test)
{
	struct ramp_slope_params p = percent(25120, TICK);
	struct ramp_slew s;

	ramp_slew_begin(&s, &p, 0, T0);
	assert_true(ramp_slew_look(&s, &p, false, false, T0 + 3 * TICK));
	ramp_slew_charge(&s, &p, p.step * 3 / 8, 1);
	assert_false(ramp_slew_look(&s, &p, false, false, T0 + 3 * TICK));
	assert_int_equal(s.tokens, 0);
}

/* A packet that was let pass whole, and could not leave, has not left then: the
 * next one is asked for, and is known to have left when it is let pass.
 */
static void who_does_not_leave_asks_again(struct kunit *test)
{
	struct ramp_slope_params p = percent(25000, TICK);
	struct ramp_slew s;
	u64 when;

	ramp_slew_stretch(&p, MTU);
	ramp_slew_begin(&s, &p, 0, T0);
	assert_true(ramp_slew_look(&s, &p, true, true, T0 + 3 * TICK));
	assert_int_equal(s.budget, RAMP_SLEW_SINGLE);
	ramp_slew_return(&s);
	assert_int_equal(s.budget, 0);
	ramp_slew_settle(&s);
	assert_int_equal(s.whole, 0);

	when = T0 + 3 * TICK + TICK / 2;
	assert_true(ramp_slew_look(&s, &p, false, true, when));
	ramp_slew_charge(&s, &p, MTU, 1);
	/* What left is not given back. */
	ramp_slew_return(&s);
	ramp_slew_settle(&s);
	assert_int_equal(s.whole, MTU);
	assert_int_equal(ramp_slew_at(&s, s.head - 1)->time, when);
	assert_int_equal(*ramp_slew_gone(&s, s.head - 1), MTU);

	/* Nor is what several may use. */
	p = percent(1250000, TICK);
	ramp_slew_begin(&s, &p, 0, T0);
	assert_true(ramp_slew_look(&s, &p, true, true, T0 + 3 * TICK));
	assert_true(s.budget > RAMP_SLEW_SINGLE);
	ramp_slew_return(&s);
	assert_true(s.budget > RAMP_SLEW_SINGLE);
}

/* The worst of the last timers counts, and has faded to a third after as many
 * sleeps as are said. None is later than a tick.
 */
static void a_late_timer_is_remembered(struct kunit *test)
{
	struct ramp_slope_params p = percent(25000, TICK);
	u64 late = TICK / 2;
	struct ramp_slew s;
	u32 i;

	ramp_slew_begin(&s, &p, 0, T0);
	s.wake = T0;
	ramp_slew_wakes(&s, &p, T0);
	assert_int_equal(s.late, 0);
	ramp_slew_wakes(&s, &p, T0 + late);
	assert_int_equal(s.late, late);
	for (i = 0; i < RAMP_SLEW_FADES; i++)
		ramp_slew_wakes(&s, &p, T0 + i % 2 * 1000);
	assert_in_range(s.late, late * 30 / 100, late * 37 / 100);
	for (i = 0; i < 16 * RAMP_SLEW_FADES; i++)
		ramp_slew_wakes(&s, &p, T0 - 1);
	assert_int_equal(s.late, 0);
	ramp_slew_wakes(&s, &p, T0 + 5 * TICK);
	assert_int_equal(s.late, TICK);
}

/* More waits than the device can send: what of its rate does it get in the end?
 * @often: of so many packets one has @most bytes, others have 64.
 */
static u64 climbs_to(struct gate *g, u32 ticks, u32 often, u32 most)
{
	u64 now = T0, end = T0 + ticks * g->p.tick, left = 0;
	u32 i;

	for (i = 0; now < end; i++) {
		u32 bytes = i % often ? 64 : most;

		g->s.next = g->blind ? 0 : g->p.packets ? 1 : bytes;
		now = gate_passes(g, now, true);
		ramp_slew_charge(&g->s, &g->p, bytes, 1);
		if (now >= T0 + ticks / 2 * g->p.tick)
			left += bytes;
		now += bytes * g->p.tick / g->p.full;
	}
	return 100 * left / (ticks / 2 * g->p.full);
}

/* Who is woken late gets what it missed, as fast as the device can. */
static void late_timers_do_not_stop_a_climb(struct kunit *test)
{
	static const u64 delays[] = { 0, 4, 20, 50 };
	struct gate g;
	u32 i, k;

	unit_round(0);
	for (i = 0; i < ARRAY_SIZE(fulls); i++) {
		struct ramp_slope_params p = percent(fulls[i], TICK);

		for (k = 0; k < ARRAY_SIZE(delays); k++) {
			u64 share;

			gate_begin(&g, &p, 0);
			g.late = delays[k] * NSEC_PER_USEC;
			share = climbs_to(&g, 1000, 1, 1514);
			unit_check(share >= 98, "%llu: %llu %% with %llu us",
				   p.full, share, delays[k]);
		}
	}
}

/* Long packets and short ones in any mixture, which come at nearly the full
 * rate: what waits finds room in a megabyte, and leaves.
 */
static void sizes_do_not_stop_a_climb(struct kunit *test)
{
	static const u64 rates[] = { 1250, 3750, 12500, 21250, 25000, 31250 };
	static const u32 shares[] = { 2, 5, 10, 20, 30, 40, 50, 70, 90 };
	u32 i, k;

	unit_round(0);
	for (i = 0; i < ARRAY_SIZE(rates) * ARRAY_SIZE(shares); i++) {
		u32 share = shares[i % ARRAY_SIZE(shares)], n = 0, next[2];
		u64 full = rates[i / ARRAY_SIZE(shares)];
		struct ramp_slope_params p = percent(full, TICK);
		u64 at[2] = { T0 + TICK / 3, T0 + TICK / 3 }, flow[2];
		static const u32 bytes[] = { 60, 1514 };
		u64 end = T0 + 500 * p.tick, waits = 0;
		struct gate g;

		flow[0] = p.full * 98 * share / 10000;
		flow[1] = p.full * 98 * (100 - share) / 10000;
		while (min(at[0], at[1]) < end) {
			k = at[1] < at[0];
			came[n] = at[k];
			lens[n++] = bytes[k];
			at[k] += bytes[k] * p.tick / flow[k];
		}
		gate_begin(&g, &p, 0);
		gate_runs(&g, n, 0, 0);
		for (next[0] = 0, next[1] = 0; next[0] < n; next[0]++) {
			waits += lens[next[0]];
			while (next[1] <= next[0] &&
			       sent[next[1]].time <= came[next[0]])
				waits -= lens[next[1]++];
			unit_check(waits < 1000000, "%llu per tick, %u %%",
				   p.full, share);
		}
		unit_check(sent[n - 1].time - came[n - 1] <= 2 * p.tick,
			   "%llu per tick, %u %%: %llu ticks late", p.full,
			   share, (sent[n - 1].time - came[n - 1]) / p.tick);
	}
}

static void small_steps_climb_to_the_rate(struct kunit *test)
{
	struct gate g;
	u32 i, k;

	unit_round(0);
	for (i = 0; i < ARRAY_SIZE(fulls); i++) {
		for (k = 1; k < 8; k++) {
			struct ramp_slope_params p = {
				.start = fulls[i] / 200 * k,
				.step = fulls[i] / 200 * k,
				.full = fulls[i], .tick = TICK,
				.window = WINDOW,
			};
			u64 share;

			p.packets = k == 7;
			if (p.packets) {
				p.start = fulls[i] / 100 / MTU + 1;
				p.step = p.start;
			}
			ramp_slew_stretch(&p, MTU);
			gate_begin(&g, &p, 0);
			share = climbs_to(&g, 2000, 1, MTU);
			unit_check(share >= 98, "%llu, step %llu: %llu %%",
				   p.full, p.step, share);
		}
	}
}

/* A queue that never empties climbs to all that the device can, out of a device
 * of @device bytes per tick. Return: percent of these, in the last quarter.
 */
static u64 climbs_out_of(struct gate *g, u32 ticks, u64 device, u32 bytes)
{
	u64 now = T0, end = T0 + ticks * g->p.tick, left = 0;

	while (now < end) {
		g->s.next = g->p.packets ? 1 : bytes;
		now = gate_passes(g, now, true);
		ramp_slew_charge(&g->s, &g->p, bytes, 1);
		if (now >= end - ticks / 4 * g->p.tick)
			left += bytes;
		now += bytes * g->p.tick / device;
	}
	return 100 * left / (ticks / 4 * device);
}

/* Many times as many as the packets of full size that the rate is. */
static void short_packets_that_are_counted_climb(struct kunit *test)
{
	static const u64 lines[] = { 12500, 31250, 125000 };
	struct gate g;
	u32 i, k;

	unit_round(0);
	for (i = 0; i < 2 * ARRAY_SIZE(lines); i++) {
		for (k = 1; k < 4; k++) {
			struct ramp_slope_params p = {
				.start = k, .step = k, .packets = true,
				.full = lines[i / 2], .tick = TICK,
				.window = WINDOW,
			};
			u32 bytes = i % 2 ? 60 : 142;
			u64 share;

			ramp_slew_stretch(&p, MTU);
			gate_begin(&g, &p, 0);
			share = climbs_out_of(&g, 8000, p.full, bytes);
			unit_check(share >= 98, "%llu, %u packets: %llu %%",
				   p.full, k, share);
		}
	}
}

/* The rate shapes nothing by itself: who sends more all the time gets it. */
static void a_faster_device_is_used(struct kunit *test)
{
	static const u64 times[] = { 2, 4, 10 };
	struct gate g;
	u32 i, k;

	unit_round(0);
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		for (k = 0; k < 2; k++) {
			struct ramp_slope_params p = percent(125000, TICK);
			u64 share;

			if (k) {
				p = (struct ramp_slope_params) {
					.start = 2500, .step = 2500,
					.tick = TICK, .window = WINDOW,
				};
				ramp_slew_stretch(&p, MTU);
			}
			gate_begin(&g, &p, 0);
			share = climbs_out_of(&g, 4000, 125000 * times[i],
					      1514);
			unit_check(share >= 98, "%llu times, %s: %llu %%",
				   times[i], k ? "unknown" : "known", share);
		}
	}
}

/* A packet that was let pass whole although it is longer than any bound. */
static void long_packets_do_not_hold_back_short_ones(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, TICK);
	struct gate g;

	gate_begin(&g, &p, 0);
	assert_in_range(climbs_to(&g, 1000, 50, 65226), 98, 102);
}

/* Hours of load: the points are counted on, and no one can tell. */
static void numbers_of_points_wrap(struct kunit *test)
{
	struct ramp_slope_params p = percent(50000, TICK);
	u32 offset, i, n;
	struct gate g;
	u64 at = T0;

	unit_round(0);
	n = comes(0, &at, 300 * TICK, p.full * 3 / 5, 1514, TICK);
	gate_begin(&g, &p, 0);
	gate_runs(&g, n, 1514, 0);
	for (i = 0; i < n; i++)
		came[i] = sent[i].time;
	for (offset = 1; offset < 40; offset += 3) {
		u32 more = 0U - offset * RAMP_SLEW_POINTS;
		u64 then = T0, now;

		gate_begin(&g, &p, 0);
		g.s.head += more;
		g.s.before += more;
		g.s.behind += more;
		g.s.older += more;
		for (i = 0; i < n; i++) {
			now = max(then, T0 + i * 1514 * TICK /
				  (p.full * 3 / 5));
			now = gate_passes(&g, now, i + 1 < n &&
					  T0 + (i + 1) * 1514 * TICK /
					  (p.full * 3 / 5) <= now);
			ramp_slew_charge(&g.s, &g.p, 1514, 1);
			unit_check(now == came[i], "%u: packet %u", offset, i);
			then = now;
		}
	}
}

/* What a limiter was told, of which it remembers the last points. */
static struct ramp_slew_point told[200];
static u32 tolds;

static u32 told_first(void)
{
	return tolds > RAMP_SLEW_POINTS ? tolds - RAMP_SLEW_POINTS : 0;
}

static void tell(struct ramp_slew *s, u64 sum, u64 now)
{
	ramp_slew_push(s, sum, now);
	told[tolds].time = now;
	told[tolds++].sum = sum;
}

/* By the definition: straight between two points, but all of it in the last
 * tick before the second one.
 */
static u64 told_until(u64 tick, u64 when)
{
	u32 i = tolds;
	u64 span;

	while (i > told_first() && told[i - 1].time > when)
		i--;
	if (i == told_first())
		return told[i].sum;
	if (i == tolds)
		return told[i - 1].sum;
	span = min(told[i].time - told[i - 1].time, tick);
	if (told[i].time - when >= span)
		return told[i - 1].sum;
	return told[i].sum - (told[i].sum - told[i - 1].sum) *
			     (told[i].time - when) / span;
}

static u32 told_before(u64 when)
{
	u32 i = tolds - 1;

	while (i > told_first() && told[i].time >= when)
		i--;
	return i;
}

static void what_had_left_is_straight_between_points(struct kunit *test)
{
	unit_rounds(2000) {
		struct ramp_slope_params p = percent(125000, TICK);
		u64 now = T0, when = T0, sum = 0 - unit_amount(28);
		u32 from = 0, i, asked = unit_chance(50) ? 20 : 1;
		static struct ramp_slew s;

		ramp_slew_begin(&s, &p, 0, now);
		for (tolds = 0; tolds < s.head; tolds++) {
			s.point[tolds].sum = sum;
			told[tolds] = s.point[tolds];
		}
		for (i = 0; i < 180; i++) {
			now += unit_between(1, unit_chance(95) ? TICK / 20 :
						   3 * TICK);
			sum += unit_chance(20) ? 0 : unit_amount(20);
			tell(&s, sum, now);
			if (!unit_chance(asked))
				continue;
			when = max(when, now + 10 - unit_between(0, 3 * TICK));
			if (unit_chance(20))
				when = max(when, told[tolds - 1 -
						 unit_between(0, 2)].time);
			unit_check(ramp_slew_seek(&s, from, when) ==
				   told_before(when), "point %u of %u",
				   told_before(when), tolds);
			unit_check(ramp_slew_until(&s, &p, &from, when) ==
				   told_until(TICK, when),
				   "%llu ago, %u points", now - when, tolds);
		}
	}
}

/* A level has left evenly in all of the last ticks that are remembered, at
 * least two.
 */
static void a_level_left_evenly(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, 15 * TICK);
	u64 part = ramp_slew_parts(4000), i;
	static struct ramp_slew s;

	ramp_slew_begin(&s, &p, 15 * 4000, T0);
	for (i = 30; i; i--) {
		assert_int_equal(ramp_slew_until(&s, &p, &s.older,
						 T0 - i * TICK),
				 (15 - i) * part);
		assert_int_equal(ramp_slew_until(&s, &p, &s.behind,
						 T0 - i * TICK + TICK / 2),
				 (15 - i) * part + part / 2);
	}
	assert_int_equal(ramp_slew_until(&s, &p, &s.before, T0), 15 * part);

	/* Or nothing had, and what comes counts from then. */
	ramp_slew_begin(&s, &p, 0, T0);
	ramp_slew_push(&s, part, T0 + TICK);
	for (i = 30; i; i--)
		assert_int_equal(ramp_slew_until(&s, &p, &s.older,
						 T0 - i * TICK), 0);
	assert_int_equal(ramp_slew_until(&s, &p, &s.older, T0 + TICK / 2),
			 part / 2);
}

/* Of three points the outer ones are a fifteenth of a tick apart. What is said
 * in between is known at the last one, unless nobody may leave.
 */
static void points_are_not_too_close(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, 15 * TICK);
	static struct ramp_slew s;

	ramp_slew_begin(&s, &p, 0, T0);
	assert_int_equal(s.head, 2);
	assert_int_equal(ramp_slew_mark(&s, &p, 10, false, T0 + 9), 10);
	assert_int_equal(s.head, 3);
	/* In place of the last one. */
	assert_int_equal(ramp_slew_mark(&s, &p, 20, false, T0 + TICK - 1), 20);
	assert_int_equal(s.head, 3);
	assert_in_range(ramp_slew_until(&s, &p, &s.before, T0 + 9), 0, 1);
	assert_int_equal(ramp_slew_until(&s, &p, &s.before, T0 + TICK), 20);
	/* Far enough. */
	assert_int_equal(ramp_slew_mark(&s, &p, 30, false, T0 + TICK), 30);
	assert_int_equal(s.head, 4);
	/* Nobody may leave: the last one stays. */
	assert_int_equal(ramp_slew_mark(&s, &p, 40, true, T0 + TICK + 9), 40);
	assert_int_equal(s.head, 4);
	assert_int_equal(ramp_slew_until(&s, &p, &s.before, T0 + 2 * TICK), 30);
	/* At the time of the last one there is one that says the latest. */
	assert_int_equal(ramp_slew_mark(&s, &p, 50, true, T0 + TICK), 50);
	assert_int_equal(s.head, 4);
	assert_int_equal(ramp_slew_until(&s, &p, &s.before, T0 + 2 * TICK), 50);
	/* What was given back had left. */
	assert_int_equal(ramp_slew_mark(&s, &p, 45, false, T0 + 9 * TICK), 50);
	assert_int_equal(s.head, 5);
	assert_int_equal(ramp_slew_until(&s, &p, &s.before, T0 + 9 * TICK), 50);
	ramp_slew_push(&s, 60, T0 + 10 * TICK);
	ramp_slew_push(&s, 55, T0 + 11 * TICK);
	assert_int_equal(ramp_slew_until(&s, &p, &s.before, T0 + 11 * TICK),
			 60);
}

/* Until somebody asks. What was granted and used up, or left before it began,
 * has left.
 */
static void is_new_until_somebody_asks(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, 15 * TICK);
	static struct ramp_slew s;

	ramp_slew_begin(&s, &p, 0, T0);
	assert_true(ramp_slew_is_new(&s));
	assert_true(ramp_slew_look(&s, &p, false, false, T0 + 9 * TICK));
	assert_false(ramp_slew_is_new(&s));
	ramp_slew_charge(&s, &p, s.budget, 1);
	assert_false(ramp_slew_is_new(&s));
	while (ramp_slew_look(&s, &p, false, true, T0 + 9 * TICK))
		while (s.budget > 0)
			ramp_slew_charge(&s, &p, 1500, 1);
	assert_int_equal(s.granted, 0);
	assert_false(ramp_slew_is_new(&s));
	ramp_slew_begin(&s, &p, 4000, T0);
	assert_false(ramp_slew_is_new(&s));
	/* Promised to a parent that peeked. */
	ramp_slew_begin(&s, &p, 0, T0);
	ramp_slew_charge(&s, &p, 1500, 1);
	assert_false(ramp_slew_is_new(&s));
}

/* 3128 bytes, and by 1955 more in each tick. */
static void ticks_that_only_pay_are_counted(struct kunit *test)
{
	struct ramp_slope_params p = percent(125120, TICK);
	struct ramp_slew s;
	u64 n, owed;

	for (n = 1; n < 60; n++) {
		owed = 3128 * n + 1955 * n * (n - 1) / 2;
		ramp_slew_begin(&s, &p, 0, T0);
		ramp_slew_owe(&s, owed);
		assert_int_equal(ramp_slew_shut(&s, &p), n);
		ramp_slew_begin(&s, &p, 0, T0);
		ramp_slew_owe(&s, owed - 1);
		assert_int_equal(ramp_slew_shut(&s, &p), n - 1);
	}
}

/* A machine that has just booted, and ticks that are longer than it is up. */
static void begins_before_two_ticks(struct kunit *test)
{
	struct ramp_slope_params p = percent(25000, TICK);
	struct gate g;
	u64 now, gap;
	u32 i;

	for (gap = 1; gap < 4 * TICK; gap += TICK / 100) {
		gate_begin(&g, &p, 0);
		now = TICK / 2;
		ramp_slew_begin(&g.s, &p, 0, now);
		unit_round(gap);
		for (i = 0; i < 20; i++) {
			u64 asked = now;

			now = gate_passes(&g, now, false);
			unit_check(now - asked < 3 * TICK, "packet %u", i);
			ramp_slew_charge(&g.s, &g.p, 1514, 1);
			now += gap;
		}
	}
}

/* A busy device has nothing for less than a tick: then a mean of that tick is
 * less than what left at its end.
 */
static void no_short_silence_makes_it_jump(struct kunit *test)
{
	static const u32 small[] = { 60, 1162, 3125 };
	u32 silence, n, i;
	struct gate g;
	u64 at;

	for (i = 0; i < 3; i++) {
		for (silence = 3; silence < 100; silence += 3) {
			struct ramp_slope_params p = percent(125000, TICK);

			gate_begin(&g, &p, 0);
			at = T0;
			n = comes(0, &at, 70 * TICK, p.full, small[i], TICK);
			n = comes(n, &at, 5 * TICK, p.full * 7 / 5, small[i],
				  TICK);
			at += silence * TICK / 100 + 3 * TICK;
			n = comes(n, &at, 5 * TICK, p.full, small[i], TICK);
			gate_runs(&g, n, small[i], 0);
			no_stretch_rises_by_more(&g, small[i], 0, 0);
		}
	}
}

/* "It must cost what the other modes cost while nothing is held back". */
static void an_even_load_is_neither_held_nor_looked_at(struct kunit *test)
{
	unsigned int share;

	for (share = 2; share <= 100; share += 7) {
		struct ramp_slope_params p = percent(125000, TICK);
		u64 at = T0 + TICK, looks;
		struct gate g;
		u32 n, i;

		gate_begin(&g, &p, p.full * share / 100);
		/* After the silence it is held back for a while. */
		n = comes(0, &at, 120 * TICK, p.full * share / 100, 64, TICK);
		gate_runs(&g, n, 64, 0);
		looks = g.looks;
		n = comes(0, &at, 280 * TICK, p.full * share / 100, 64, TICK);
		gate_runs(&g, n, 64, 0);
		looks = g.looks - looks;
		for (i = 0; i < n; i++)
			assert_true(sent[i].time == came[i]);
		/* 36 packets are 3/8 of a step, and one more ends it; less when
		 * a look was late.
		 */
		assert_in_range(looks, n / 45, n / 34 + 64);
	}
}

/* Start may always leave, and what comes out of silence is not much more. */
static void out_of_silence_comes_start(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, TICK);
	u64 at, silence, i;
	struct gate g;
	u32 n, first;

	for (silence = 1; silence < 1000000; silence *= 3) {
		gate_begin(&g, &p, 0);
		at = T0;
		n = comes(0, &at, 50 * TICK, p.full, 100, TICK);
		first = n;
		at += 200 * TICK + silence * TICK;
		n = comes(n, &at, 10 * TICK, p.full, 100, TICK);
		gate_runs(&g, n, 100, 0);
		for (i = first; i < n && sent[i].time < came[first] + TICK; i++)
			;
		assert_in_range((i - first) * 100, p.start * 3 / 4,
				p.start * 15 / 8);
	}
}

/* Also where it is larger than a step: all but the eighth of a step by which
 * the least rate and the depth are less, and a sleep.
 */
static void out_of_silence_comes_a_larger_start(struct kunit *test)
{
	static const u32 starts[] = { 10, 20, 50, 100 };
	u32 i, n, k;

	for (i = 0; i < 2 * ARRAY_SIZE(starts); i++) {
		struct ramp_slope_params p = {
			.start = 125000 * starts[i / 2] / 100,
			.step = i % 2 ? 125000 / 20 : 125000 / 100,
			.full = 125000, .tick = TICK, .window = WINDOW,
		};
		u64 at = T0 + TICK / 3;
		struct gate g;

		ramp_slew_stretch(&p, MTU);
		gate_begin(&g, &p, 0);
		n = comes(0, &at, 4 * TICK, 2 * p.full, 100, TICK);
		gate_runs(&g, n, 100, 0);
		for (k = 0; k < n && sent[k].time < came[0] + TICK; k++)
			;
		assert_in_range(k * 100, p.start * 15 / 16 - p.step / 4,
				p.start + p.step);
	}
}

/* Who is late has a tick's worth, and goes on from the rate that was. */
static void late_callers_have_one_tick(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, TICK);
	u64 at, late, rate, sum;
	struct gate g;
	u32 n;

	for (late = 2; late < 2000; late *= 2) {
		gate_begin(&g, &p, 0);
		at = T0;
		n = comes(0, &at, 8 * TICK, p.full, 100, TICK);
		gate_runs(&g, n / 3, 100, 0);
		while (g.s.budget > 0)
			ramp_slew_charge(&g.s, &p, 100, 1);
		if (ramp_slew_look(&g.s, &p, false, true, g.s.last))
			continue;
		rate = ramp_slew_allowance(&g.s);
		assert_true(ramp_slew_look(&g.s, &p, true, true,
					   g.s.last + late * TICK));
		sum = g.s.budget;
		assert_in_range(sum, rate * 9 / 10, rate + p.step);
	}
}

/* A packet that is larger than what may leave goes, and is paid for: over any
 * time no more leaves than a slope of a step per tick allows, but for a packet.
 */
static void a_large_packet_is_paid(struct kunit *test)
{
	unit_rounds(200) {
		struct ramp_slope_params p =
			percent(unit_between(1000, 200000),
				unit_between(1, 20) * TICK / 2);
		u32 bytes = unit_between(1000, 65536), n;
		struct gate g;
		u64 ticks, most, i;

		gate_begin(&g, &p, 0);
		n = unit_between(2, 40);
		for (i = 0; i < n; i++)
			came[i] = T0 + 1000;
		gate_runs(&g, n, bytes, 0);
		for (i = 1; i < n; i++) {
			ticks = (sent[i].time - sent[0].time) / p.tick + 2;
			most = p.start * ticks +
			       p.step * ticks * (ticks + 1) / 2;
			unit_check(i * bytes <= most,
				   "%llu of %u in %llu ticks", i, bytes, ticks);
		}
		/* And that it is slept through: no more looks than packets, and
		 * ticks in which something left.
		 */
		unit_check(g.looks <= 6 * n + 20 * ticks, "%llu looks",
			   g.looks);
	}
}

/* But for what a tick has more than the one before it. */
static bool left_alike(struct ramp_slew *a, struct ramp_slew *b,
		       const struct ramp_slope_params *p, u64 when)
{
	u64 one = ramp_slew_until(a, p, &a->older, when);
	u64 other = ramp_slew_until(b, p, &b->older, when);

	return max(one, other) - min(one, other) <= ramp_slew_parts(p->step);
}

/* Ticks that only pay need no look: who sleeps through them finds what he finds
 * who looked at the end of each, and what left in each of the last ones.
 */
static void who_sleeps_has_paid_as_who_looks(struct kunit *test)
{
	static struct ramp_slew looks, sleeps;

	unit_rounds(500) {
		struct ramp_slope_params p = percent(1250000, TICK);
		u64 ticks = unit_between(1, 20), more, now, i;

		more = unit_chance(20) ? 0 : unit_between(1, TICK - 1);
		now = T0 + ticks * TICK + more;
		ramp_slew_begin(&looks, &p, unit_between(0, p.full / 4), T0);
		ramp_slew_owe(&looks, unit_between(30, 90) * p.full);
		sleeps = looks;
		for (i = 1; i <= ticks; i++)
			ramp_slew_look(&looks, &p, false, false, T0 + i * TICK);
		ramp_slew_look(&looks, &p, false, false, now);
		ramp_slew_look(&sleeps, &p, false, false, now);
		unit_check(sleeps.tokens == looks.tokens &&
			   sleeps.rate == looks.rate, "%llu ticks and %llu ns",
			   ticks, more);
		for (i = 0; i < 3; i++)
			unit_check(left_alike(&sleeps, &looks, &p,
					      now + (i - 2) * TICK),
				   "%llu ticks ago, of %llu", 2 - i, ticks);
	}
}

/* A bucket that is full has all that may leave at once. Earlier there is less,
 * and later there is no more. What a tick at the present rate does not fill is
 * looked at after it, as the rate is another one then.
 */
static void sleeps_until_the_bucket_is_full(struct kunit *test)
{
	static struct ramp_slew s, early;
	u32 full = 0, all = 0;

	unit_rounds(2000) {
		struct ramp_slope_params p = percent(1250000, TICK);
		s64 depth;

		p.step = p.full / unit_between(10, 100);
		p.start = p.step * unit_between(1, 3);
		p.bound = 0;
		p.most = 0;
		depth = ramp_slew_depth(&p);
		ramp_slew_begin(&s, &p, unit_between(0, p.full / 4), T0);
		ramp_slew_owe(&s, unit_chance(30) ? unit_between(0, p.step) :
					unit_between(0, 5 * p.full));
		unit_check(!ramp_slew_look(&s, &p, false, false, T0), "%lld",
			   s.tokens);
		unit_check(s.wake >= T0 + TICK / RAMP_SLEW_RESTS, "%llu",
			   s.wake - T0);
		early = s;
		if (s.wake - T0 > TICK / 16) {
			ramp_slew_look(&early, &p, false, false,
				       s.wake - TICK / 32);
			unit_check(early.tokens < depth, "full before %llu",
				   s.wake - T0);
		}
		unit_check(ramp_slew_look(&s, &p, false, false, s.wake),
			   "%lld after %llu", s.tokens, s.wake - T0);
		unit_check(s.tokens >= depth - depth / 100 ||
			   !((s.wake - T0) % TICK), "%lld of %lld after %llu",
			   s.tokens, depth, s.wake - T0);
		full += s.tokens >= depth - depth / 100;
		all++;
	}
	unit_check(!unit_whole() || full > all / 2, "%u of %u", full, all);
}

/* What a queue may keep that was woken is for as long as it waits. Whoever
 * comes out of the silence after it has the depth.
 */
static void a_silence_ends_what_a_queue_may_keep(struct kunit *test)
{
	struct ramp_slope_params p = percent(125120, TICK);
	struct ramp_slew s;
	u32 uses_all;

	p.most = 0;
	p.bound = 0;
	for (uses_all = 0; uses_all < 2; uses_all++) {
		ramp_slew_begin(&s, &p, p.full / 2, T0);
		assert_true(ramp_slew_look(&s, &p, true, true, T0 + TICK));
		assert_in_range(s.budget, p.full / 2, p.full / 2 + p.step);
		if (uses_all)
			ramp_slew_charge(&s, &p, s.budget, 1);
		assert_int_equal(ramp_slew_look(&s, &p, false, uses_all,
						T0 + TICK), !uses_all);
		assert_true(ramp_slew_look(&s, &p, false, true,
					   T0 + 2 * TICK - 1));
		assert_in_range(s.budget, p.step * 3 / 8 - 1,
				p.step * 3 / 8 + 1);
	}
}

/* 1, 2, 3 ... bytes per tick, as a tick of 50 us may have them. */
static void a_debt_is_one_sleep(struct kunit *test)
{
	struct ramp_slope_params p = {
		.start = 8, .step = 8, .full = 6250, .tick = TICK,
		.window = WINDOW,
	};
	struct gate g;
	u64 i;

	gate_begin(&g, &p, 0);
	for (i = 0; i < 30; i++)
		came[i] = T0;
	gate_runs(&g, 30, 1000, 0);
	assert_in_range(g.looks, 30, 90);
	assert_in_range((sent[29].time - T0) / TICK, 60, 160);
}

/* Amounts in packets, and a step that is one. */
static void packets_are_counted(struct kunit *test)
{
	struct ramp_slope_params p = {
		.start = 2, .step = 2, .packets = true, .tick = TICK,
		.window = WINDOW,
	};
	u32 in[30] = {}, i;
	struct gate g;

	gate_begin(&g, &p, 0);
	for (i = 0; i < 900; i++)
		came[i] = T0;
	gate_runs(&g, 900, 9000, 0);
	for (i = 0; i < 900 && (sent[i].time - T0) / TICK < 30; i++)
		in[(sent[i].time - T0) / TICK]++;
	for (i = 1; i < 30 && in[i]; i++)
		assert_true(in[i] <= in[i - 1] + 2 + 1);
	assert_in_range(in[20], 20, 42);
}

/* A packet that was charged and does not leave has never been. */
static void what_is_given_back_was_never_charged(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, TICK);
	static struct gate g, h;
	u64 now = T0;
	int i;

	gate_begin(&g, &p, 0);
	h = g;
	for (i = 0; i < 1000; i++) {
		now += 700;
		assert_int_equal(gate_passes(&g, now, false),
				 gate_passes(&h, now, false));
		ramp_slew_charge(&g.s, &p, 1000, 1);
		ramp_slew_uncharge(&g.s, &p, 1000, 1);
		ramp_slew_charge(&g.s, &p, 60, 1);
		ramp_slew_charge(&h.s, &p, 60, 1);
		assert_memory_equal(&g.s, &h.s, sizeof(g.s));
	}
}

/* Section 1: a change keeps what is not named. The level goes on. */
static void a_change_keeps_the_level(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, TICK), slow;
	u64 at = T0, level;
	struct gate g;
	u32 n;

	gate_begin(&g, &p, 0);
	n = comes(0, &at, 60 * TICK, p.full / 2, 100, TICK);
	gate_runs(&g, n, 100, 0);
	level = ramp_slew_allowance(&g.s);
	assert_in_range(level, 60000, 70000);
	ramp_slew_change(&g.s, &p, &p, MTU, sent[n - 1].time);
	assert_in_range(ramp_slew_allowance(&g.s), level * 95 / 100,
			level + p.step);

	slow = percent(1250000, 10 * TICK);
	ramp_slew_change(&g.s, &p, &slow, MTU, sent[n - 1].time);
	assert_in_range(ramp_slew_allowance(&g.s), 10 * level * 95 / 100,
			10 * level + slow.step);

	p = slow;
	p.packets = true;
	p.start = 40;
	p.step = 40;
	ramp_slew_change(&g.s, &slow, &p, 100, sent[n - 1].time);
	assert_in_range(ramp_slew_allowance(&g.s), level / 10 * 90 / 100,
			level / 10 + 200);
}

/* And so it does with a queue that waits: in the next ticks it is not much
 * less.
 */
static void a_level_goes_on(struct kunit *test)
{
	static const u32 percents[] = { 20, 75, 100, 170 };
	u32 in[12], i, n;
	struct gate g;

	for (i = 0; i < 4; i++) {
		struct ramp_slope_params p = percent(1250000, TICK);

		memset(in, 0, sizeof(in));
		gate_begin(&g, &p, p.full * percents[i] / 100);
		for (n = 0; n < 30000; n++)
			came[n] = T0;
		gate_runs(&g, n, 1514, 0);
		for (n = 0; sent[n].time < T0 + 12 * TICK; n++)
			in[(sent[n].time - T0) / TICK] += 1514;
		for (n = 0; n < 12; n++)
			unit_check(in[n] >= p.full / 1000 * percents[i] * 9,
				   "%u bytes in tick %u after %u %%", in[n], n,
				   percents[i]);
	}
}

/* Also where packets are counted whole, and where it is more than can be. */
static void any_level_goes_on(struct kunit *test)
{
	struct ramp_slope_params p = percent(25000, TICK);
	struct ramp_slew s;

	ramp_slew_begin(&s, &p, p.full, T0);
	assert_int_equal(s.whole, p.full);
	assert_true(ramp_slew_look(&s, &p, false, true, T0 + 1));
	assert_int_equal(s.budget, RAMP_SLEW_SINGLE);

	ramp_slew_begin(&s, &p, BIT_ULL(54), T0);
	assert_true(ramp_slew_allowance(&s) == RAMP_ALLOWANCE_MAX);
}

/* What has left in advance for the rest of a tick is made up for, and is no
 * news.
 */
static void what_left_in_advance_is_owed(struct kunit *test)
{
	struct ramp_slope_params p = percent(1250000, TICK);
	u32 level = p.full / 2, in[4] = {}, n;
	struct gate g;

	gate_begin(&g, &p, level);
	ramp_slew_owe(&g.s, level * 3 / 4);
	for (n = 0; n < 3000; n++)
		came[n] = T0;
	gate_runs(&g, n, 1514, 0);
	assert_in_range(sent[0].time, T0 + TICK * 7 / 10, T0 + TICK * 4 / 5);
	for (n = 0; sent[n].time < T0 + 4 * TICK; n++)
		in[(sent[n].time - T0) / TICK] += 1514;
	assert_in_range(in[0], level / 5, level * 3 / 10);
	for (n = 1; n < 4; n++)
		assert_in_range(in[n], level * 19 / 20, level + n * p.step);
}

/* A debt is no level, however often things change. */
static void a_change_keeps_what_is_owed(struct kunit *test)
{
	struct ramp_slope_params p = percent(12500, TICK);
	struct gate g;
	int i;

	gate_begin(&g, &p, 0);
	assert_int_equal(gate_passes(&g, T0, false), T0);
	ramp_slew_charge(&g.s, &p, 60000, 1);
	for (i = 0; i < 5; i++) {
		ramp_slew_change(&g.s, &p, &p, MTU, T0 + 10 * i);
		assert_in_range(ramp_slew_allowance(&g.s), 1, 2 * p.step);
		assert_false(ramp_slew_look(&g.s, &p, false, true,
					    T0 + 10 * i));
		assert_true(g.s.wake > T0 + 5 * TICK);
	}
}

/* Nor is what was saved up, beyond what may be from now on. */
static void a_change_cuts_what_is_saved_up(struct kunit *test)
{
	struct ramp_slope_params p = percent(1250000, TICK), q = p;
	struct ramp_slew s;

	q.step = 100;
	q.tick = 2 * TICK;
	ramp_slew_begin(&s, &p, 0, T0);
	ramp_slew_change(&s, &p, &q, MTU, T0);
	assert_int_equal(s.tokens, ramp_slew_parts(100) * 3 / 8);
}

/* What may leave and does not is no level, when things change long after. */
static void a_change_keeps_no_unused_budget(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, TICK), slow;
	struct gate g;
	u64 now;

	slow = percent(125000, 10000 * TICK);
	slow.start = p.start;
	slow.step = p.step;
	gate_begin(&g, &p, 0);
	gate_passes(&g, T0, true);
	ramp_slew_charge(&g.s, &p, 60000, 1);
	now = gate_passes(&g, T0 + 1, true);
	assert_true(g.s.budget > 0);
	ramp_slew_change(&g.s, &p, &slow, MTU, now + 3 * TICK);
	assert_in_range(ramp_slew_allowance(&g.s), 1, 2 * slow.step);
}

/* However often things change. */
static void changes_let_nothing_pass(struct kunit *test)
{
	unit_rounds(300) {
		struct ramp_slope_params p = percent(125000, TICK), q;
		u64 now = T0, left = 0, i;
		struct gate g;

		gate_begin(&g, &p, 0);
		for (i = 0; i < 2000; i++) {
			q = p;
			if (unit_chance(50))
				q.tick = unit_between(50, 200) * NSEC_PER_USEC;
			ramp_slew_change(&g.s, &p, &q, MTU, now);
			g.shut = false;
			if (ramp_slew_look(&g.s, &q, false, true, now)) {
				ramp_slew_charge(&g.s, &q, 1514, 1);
				left += 1514;
			}
			p = q;
			now += 10;
		}
		/* A fifth of a tick: start, a step, and a packet. */
		unit_check(left <= p.start + p.step + 1514, "%llu", left);
	}
}

/* A queue that waits is taken to use all that it may at once. When it does not,
 * that is no level from which slower parameters go on.
 */
static void what_was_not_used_is_no_level(struct kunit *test)
{
	struct ramp_slope_params fast = percent(125000, TICK), p = fast;
	struct ramp_slew s;
	u64 now = T0;

	unit_round(0);
	fast.start = fast.full;
	fast.step = fast.full;
	fast.most = 0;
	ramp_slew_begin(&s, &fast, 0, now);
	now += TICK / 2;
	assert_true(ramp_slew_look(&s, &fast, false, true, now));
	unit_check(s.budget > 40000, "%lld", s.budget);
	ramp_slew_charge(&s, &fast, 1514, 1);
	ramp_slew_change(&s, &fast, &p, MTU, now + 10);
	unit_check(ramp_slew_allowance(&s) < 2 * p.start, "%llu",
		   ramp_slew_allowance(&s));
	ramp_slew_look(&s, &p, true, true, now + TICK / 2);
	unit_check(ramp_slew_allowance(&s) < 2 * p.start, "%llu",
		   ramp_slew_allowance(&s));
}

static void a_budget_that_nobody_used_is_no_level(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, TICK);
	struct ramp_slew s;

	ramp_slew_begin(&s, &p, 0, T0);
	assert_true(ramp_slew_look(&s, &p, false, true, T0 + TICK));
	ramp_slew_charge(&s, &p, 64, 1);
	assert_int_equal(ramp_slew_level(&s, &p, T0 + 3 * TICK), 0);
}

/* Nor do they keep what left before a silence. */
static void changes_end_no_silence(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, TICK);
	u64 at = T0, now, i;
	struct gate g;
	u32 n;

	gate_begin(&g, &p, p.full / 2);
	n = comes(0, &at, 10 * TICK, p.full / 2, 500, TICK);
	gate_runs(&g, n, 500, 0);
	assert_in_range(ramp_slew_allowance(&g.s), p.full * 2 / 5,
			p.full * 3 / 5);
	now = sent[n - 1].time;
	for (i = 0; i < 30; i++) {
		now += TICK / 25;
		ramp_slew_change(&g.s, &p, &p, MTU, now);
		if (i == 11)
			assert_in_range(ramp_slew_allowance(&g.s), p.full / 5,
					p.full * 2 / 5);
	}
	assert_in_range(ramp_slew_allowance(&g.s), 1, p.start);
}

/* All ranges, any idleness, any order. */
static void extremes_do_not_wrap(struct kunit *test)
{
	unit_rounds(3000) {
		struct ramp_slope_params p = {
			.start = unit_amount(40), .step = unit_amount(40),
			.full = unit_chance(30) ? 0 : unit_amount(40),
			.tick = unit_between(50 * NSEC_PER_USEC, NSEC_PER_SEC),
			.packets = unit_chance(30),
		}, q;
		u64 now = unit_chance(50) ? UNIT_LATE_CLOCK : T0;
		struct ramp_slew s;
		bool open;
		int i;

		memset(&s, 0xa5, sizeof(s));
		ramp_slew_begin(&s, &p, unit_amount(62), now);
		for (i = 0; i < 60; i++) {
			now += unit_chance(10) ? unit_between(0, 100 * HOUR) :
			       unit_between(0, 2 * p.tick);
			open = ramp_slew_look(&s, &p, unit_chance(30),
					      unit_chance(50), now);
			unit_check(open == (s.budget > 0), "%lld", s.budget);
			unit_check(open || s.wake > now, "%llu", s.wake);
			unit_check(s.budget <= (s64)RAMP_ALLOWANCE_MAX * 2,
				   "%lld", s.budget);
			unit_check(ramp_slew_allowance(&s) <=
				   RAMP_ALLOWANCE_MAX &&
				   ramp_slew_allowance(&s) >= p.start / 2,
				   "%llu", ramp_slew_allowance(&s));
			while (unit_chance(50))
				ramp_slew_charge(&s, &p, unit_amount(31),
						 unit_amount(16));
			if (unit_chance(5)) {
				q = p;
				q.step = unit_amount(40);
				q.packets = unit_chance(50);
				ramp_slew_change(&s, &p, &q, MTU, now);
				p = q;
			}
		}
	}
}

/* A step of load to the full rate, from idle: what waits most is what is said,
 * or somewhat less.
 */
static void holds_back_what_a_step_of_load_does(struct kunit *test)
{
	static const u32 percents[] = { 1, 2, 5, 10, 25 };
	u32 which, n, need;
	struct gate g;
	u64 at;

	for (which = 0; which < 4 * 5 * 2; which++) {
		u32 f = which / 10, i = which / 2 % 5, z = which % 2;
		struct ramp_slope_params p = percent(fulls[f], TICK);
		u64 ticks = 400 / percents[i] + 20;

		p.step = p.full * percents[i] / 100;
		p.start = p.step;
		ramp_slew_stretch(&p, sizes[z]);
		if (p.full < RAMP_SLEW_PACKETS * sizes[z])
			continue;
		gate_begin(&g, &p, 0);
		at = T0 + 7 * TICK / 3;
		n = comes(0, &at, ticks * TICK, p.full, sizes[z], TICK);
		gate_runs(&g, n, sizes[z], 0);
		need = ramp_slew_holds_back(&p, sizes[z]);
		unit_check(g.most <= need && need <= g.most * 3 / 2 + 4,
			   "says %u, %llu were held, %llu per tick by %u %% of it",
			   need, g.most, p.full, percents[i]);
	}
}

/* What has room for ten packets stays, at 1 Gbit/s and more for eight. Else it
 * is the time of ten, in a second at most.
 */
static void a_tick_is_as_long_as_it_takes(struct kunit *test)
{
	const u64 want = RAMP_SLEW_LONG * MTU;
	u64 rate, most, least;
	u32 tick, n, i;

	assert_int_equal(ramp_slew_length(1250000000, TICK, MTU), TICK);
	assert_int_equal(ramp_slew_length(125000000, TICK, MTU), TICK);
	assert_int_equal(ramp_slew_length(124999999, TICK, MTU), 120001);
	assert_int_equal(ramp_slew_length(80000 * 9014, TICK, 9014), TICK);
	assert_int_equal(ramp_slew_length(80000 * 9014 - 1, TICK, 9014),
			 TICK * 5 / 4 + 1);
	assert_int_equal(ramp_slew_length(10 * want, TICK, MTU), 1000 * TICK);
	assert_int_equal(ramp_slew_length(9 * want, TICK, MTU), 111111112);
	assert_int_equal(ramp_slew_length(1000, TICK, MTU), NSEC_PER_SEC);
	assert_int_equal(ramp_slew_length(1000, NSEC_PER_SEC, MTU),
			 NSEC_PER_SEC);
	assert_int_equal(ramp_slew_length(BIT_ULL(40), NSEC_PER_SEC, 65549),
			 NSEC_PER_SEC);
	for (i = 0; i < 1000; i++) {
		rate = unit_between(1000, 200000000);
		tick = unit_between(50000, NSEC_PER_SEC);
		n = ramp_slew_length(rate, tick, MTU);
		least = (rate < 125000000 ? 10 : 8) * MTU;
		most = max_t(u64, NSEC_PER_SEC, tick);
		if (ramp_per_tick(rate, tick) >= least)
			unit_check(n == tick, "%u of %u ns", n, tick);
		else
			unit_check(n == most ||
				   (n < most && ramp_per_tick(rate, n) >= want),
				   "%u of %u ns", n, tick);
		unit_check(n == tick || ramp_per_tick(rate, n - 1) <= want,
			   "%u of %u ns is too long", n, tick);
	}
}

/* A tick has the room that ramp_slew_length() says; percentages stay what they
 * are, and that it is stretched already is seen.
 */
static void stretches_what_is_too_short(struct kunit *test)
{
	static const struct {
		u64 full, tick, long_full, long_tick;
	} cases[] = {
		{ 125000, TICK, 125000, TICK },
		{ 12500, TICK, 12500, TICK },
		{ 12499, TICK - 1, 12499, TICK - 1 },
		{ RAMP_SLEW_PACKETS * MTU, 96000, RAMP_SLEW_PACKETS * MTU,
		  96000 },
		{ RAMP_SLEW_PACKETS * MTU, TICK, RAMP_SLEW_LONG * MTU,
		  TICK * 5 / 4 },
		{ RAMP_SLEW_PACKETS * MTU / 2, TICK, RAMP_SLEW_LONG * MTU,
		  TICK * 5 / 2 },
		{ 1250, TICK, RAMP_SLEW_LONG * MTU, 12 * TICK },
		{ 1, NSEC_PER_SEC / 4, 4, NSEC_PER_SEC },
		{ 1, NSEC_PER_SEC, 1, NSEC_PER_SEC },
		{ 0, TICK, 0, TICK },
	};
	u32 i, again;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 is = cases[i].long_tick, was = cases[i].tick, more;
		struct ramp_slope_params p = {
			.start = 60, .step = 50, .full = cases[i].full,
			.tick = was, .window = WINDOW,
		};

		for (again = 0; again < 2; again++) {
			ramp_slew_stretch(&p, MTU);
			unit_check(p.tick == is &&
				   p.full == cases[i].long_full &&
				   p.start == 60 * is / was &&
				   p.step == 50 * is / was &&
				   p.ordinary == was * (is > was),
				   "%u: %llu ns", i, p.tick);
			more = max(150 * is / was, p.full * 3 / 20);
			assert_int_equal(p.most, !p.full ? 0 : more -
					 min(2 * MTU + p.full / 32, more / 2));
		}
	}
}

/* One more device has longer packets: what was long is longer, and depth and
 * sleeps remain those of the tick that was given.
 */
static void stretches_what_is_long(struct kunit *test)
{
	struct ramp_slope_params p = percent(10000, TICK);
	s64 depth = ramp_slew_depth(&p);

	assert_int_equal(p.tick, TICK * 3 / 2);
	assert_int_equal(p.ordinary, TICK);
	assert_in_range(depth, ramp_slew_parts(500) * 3 / 8 - 1,
			ramp_slew_parts(500) * 3 / 8);
	assert_int_equal(ramp_slew_rest(&p), TICK / RAMP_SLEW_RESTS);
	ramp_slew_stretch(&p, 9000);
	assert_int_equal(p.tick, 9 * TICK);
	assert_int_equal(p.full, 90000);
	assert_int_equal(p.step, 4500);
	assert_int_equal(p.ordinary, TICK);
	assert_in_range(ramp_slew_depth(&p), depth - 1, depth);
	assert_int_equal(ramp_slew_rest(&p), TICK / RAMP_SLEW_RESTS);
}

/* A dummy's MTU may be 2^31, and ten of these take more bits than there are. */
static void the_time_of_huge_packets_is_a_second(struct kunit *test)
{
	struct ramp_slope_params p = {
		.tick = NSEC_PER_SEC / 10 * 9, .full = 10000000000ULL,
		.start = 1000000, .step = 1000000,
	};
	const u32 mtu = BIT(31) + 13;

	assert_int_equal(ramp_slew_length(12500000000ULL, TICK, mtu),
			 NSEC_PER_SEC);
	ramp_slew_stretch(&p, mtu);
	assert_int_equal(p.tick, NSEC_PER_SEC);
	assert_int_equal(p.ordinary, NSEC_PER_SEC / 10 * 9);
}

/* Nor is any amount less than one, or more than there can be. */
static void amounts_of_other_ticks_are_amounts(struct kunit *test)
{
	assert_int_equal(ramp_retick(1, 3, 2), 1);
	assert_int_equal(ramp_retick(2, 3, 2), 3);
	assert_int_equal(ramp_retick(1, 2, 3), 1);
	assert_int_equal(ramp_retick(RAMP_ALLOWANCE_MAX, NSEC_PER_SEC, 50000),
			 RAMP_ALLOWANCE_MAX);
}

/* What a limiter that goes on keeps is what it had, whatever ramps have. */
static void packs_what_differs(struct kunit *test)
{
	struct ramp_slope_params p = percent(1280000, TICK), q;
	struct ramp_slew_long packed;

	p.ordinary = TICK / 800;
	packed = ramp_slew_pack(&p);
	q = (struct ramp_slope_params) {
		.start = 1, .step = 2, .full = 1, .tick = TICK / 800,
		.window = WINDOW,
	};
	ramp_slew_unpack(&q, &packed, MTU);
	unit_check(q.ordinary == TICK / 800 && q.tick == p.tick &&
		   q.full == p.full && q.start == p.start &&
		   q.step == p.step && q.bound == p.bound && q.most == p.most,
		   "%llu %llu %llu", q.tick, q.full, q.step);

	/* An ordinary tick has the amounts of ramps. */
	p.ordinary = 0;
	packed = ramp_slew_pack(&p);
	q = percent(125000, TICK);
	ramp_slew_unpack(&q, &packed, MTU);
	assert_int_equal(q.full, 125000);
	assert_int_equal(q.step, 6250);
	assert_int_equal(q.tick, TICK);
	assert_int_equal(q.ordinary, 0);

	/* More than all packets of a long tick is as much as that. */
	p.start = BIT_ULL(33);
	p.step = BIT_ULL(33);
	packed = ramp_slew_pack(&p);
	assert_int_equal(packed.start, U32_MAX);
	assert_int_equal(packed.step, U32_MAX);

	/* However much longer it is. */
	p.ordinary = 1;
	p.tick = NSEC_PER_SEC;
	p.step = 1;
	assert_int_equal(ramp_slew_depth(&p), 1);
	assert_int_equal(ramp_slew_rest(&p), RAMP_SLEW_REST);
}

static void bounds_what_a_tick_has_more(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, TICK);

	ramp_slew_stretch(&p, MTU);
	assert_int_equal(p.most, 18750 - 2 * MTU - 125000 / 32);
	p.step = MTU - 1;
	p.full = 0;
	ramp_slew_stretch(&p, MTU);
	assert_int_equal(p.most, 0);
	p.full = 125000;
	p.packets = true;
	p.step = 1;
	p.start = 2;
	ramp_slew_stretch(&p, MTU);
	assert_int_equal(p.most, 12 - 2 - 82 / 32);
	p = percent(1250000, TICK);
	assert_int_equal(p.most, 187500 - 2 * MTU - 1250000 / 32);
	p = percent(31250, TICK);
	assert_int_equal(p.most, 31250 * 3 / 20 - 31250 * 3 / 20 / 2);
}

static void holds_back_at_most_u32(struct kunit *test)
{
	struct ramp_slope_params p = percent(BIT_ULL(40), TICK);

	p.start = 1;
	p.step = 1;
	assert_int_equal(ramp_slew_holds_back(&p, 64), U32_MAX);
	p.full = 0;
	assert_int_equal(ramp_slew_holds_back(&p, 64), 0);
}

static void whole_packets_are_half_a_step(struct kunit *test)
{
	struct ramp_slope_params p = percent(125000, TICK);

	assert_int_equal(ramp_slew_whole(&p, 1514), 3125);
	p = percent(12500, TICK);
	assert_int_equal(ramp_slew_whole(&p, 1514), 1514);
	p.packets = true;
	p.step = 3;
	assert_int_equal(ramp_slew_whole(&p, 1514), 3 * 1514 / 2);
	p.step = RAMP_ALLOWANCE_MAX;
	assert_int_equal(ramp_slew_whole(&p, 1514), U32_MAX);
}

UNIT_SUITE(slew,
	   UNIT_CASE(a_step_of_load_becomes_a_slope),
	   UNIT_CASE(short_packets_are_smooth_in_a_long_tick),
	   UNIT_CASE(no_load_makes_it_jump),
	   UNIT_CASE(the_time_of_ten_packets_is_a_tick),
	   UNIT_CASE(no_sizes_make_it_jump),
	   UNIT_CASE(late_timers_do_not_stop_a_climb),
	   UNIT_CASE(sizes_do_not_stop_a_climb),
	   UNIT_CASE(small_steps_climb_to_the_rate),
	   UNIT_CASE(short_packets_that_are_counted_climb),
	   UNIT_CASE(a_faster_device_is_used),
	   UNIT_CASE(long_packets_do_not_hold_back_short_ones),
	   UNIT_CASE(numbers_of_points_wrap),
	   UNIT_CASE(what_had_left_is_straight_between_points),
	   UNIT_CASE(a_level_left_evenly),
	   UNIT_CASE(points_are_not_too_close),
	   UNIT_CASE(is_new_until_somebody_asks),
	   UNIT_CASE(ticks_that_only_pay_are_counted),
	   UNIT_CASE(begins_before_two_ticks),
	   UNIT_CASE(many_short_ones_need_no_clock),
	   UNIT_CASE(one_long_packet_ends_the_counting),
	   UNIT_CASE(whole_packets_fit_by_definition),
	   UNIT_CASE(the_last_byte_is_the_last),
	   UNIT_CASE(who_does_not_leave_asks_again),
	   UNIT_CASE(a_late_timer_is_remembered),
	   UNIT_CASE(no_short_silence_makes_it_jump),
	   UNIT_CASE(an_even_load_is_neither_held_nor_looked_at),
	   UNIT_CASE(out_of_silence_comes_start),
	   UNIT_CASE(out_of_silence_comes_a_larger_start),
	   UNIT_CASE(late_callers_have_one_tick),
	   UNIT_CASE(a_large_packet_is_paid),
	   UNIT_CASE(who_sleeps_has_paid_as_who_looks),
	   UNIT_CASE(sleeps_until_the_bucket_is_full),
	   UNIT_CASE(a_silence_ends_what_a_queue_may_keep),
	   UNIT_CASE(a_debt_is_one_sleep),
	   UNIT_CASE(packets_are_counted),
	   UNIT_CASE(what_is_given_back_was_never_charged),
	   UNIT_CASE(a_change_keeps_the_level),
	   UNIT_CASE(a_level_goes_on),
	   UNIT_CASE(any_level_goes_on),
	   UNIT_CASE(what_left_in_advance_is_owed),
	   UNIT_CASE(a_change_keeps_what_is_owed),
	   UNIT_CASE(a_change_cuts_what_is_saved_up),
	   UNIT_CASE(a_change_keeps_no_unused_budget),
	   UNIT_CASE(changes_let_nothing_pass),
	   UNIT_CASE(what_was_not_used_is_no_level),
	   UNIT_CASE(a_budget_that_nobody_used_is_no_level),
	   UNIT_CASE(changes_end_no_silence),
	   UNIT_CASE(extremes_do_not_wrap),
	   UNIT_CASE(holds_back_what_a_step_of_load_does),
	   UNIT_CASE(a_tick_is_as_long_as_it_takes),
	   UNIT_CASE(stretches_what_is_too_short),
	   UNIT_CASE(stretches_what_is_long),
	   UNIT_CASE(the_time_of_huge_packets_is_a_second),
	   UNIT_CASE(amounts_of_other_ticks_are_amounts),
	   UNIT_CASE(packs_what_differs),
	   UNIT_CASE(bounds_what_a_tick_has_more),
	   UNIT_CASE(holds_back_at_most_u32),
	   UNIT_CASE(whole_packets_are_half_a_step));
