// SPDX-License-Identifier: GPL-2.0
/* Token bucket: what holds for all parameters, against a textbook bucket of 128
 * bits that is charged with the same packets.
 */
#include "bucket.h"

/* What a round draws from. */
struct world {
	struct box	x;
	struct book	k;
	u64		now;
	u64		jiffy;
	u64		debt;
	u32		cpus;
	bool		steps_back;
	bool		account;
};

static u64 world_rate(void)
{
	return unit_chance(5) ? RATE_MAX : unit_amount(40);
}

static void world_init(struct world *w, u32 cpus)
{
	u64 rate = world_rate();
	u64 burst = unit_chance(50) ? unit_amount(24) : unit_amount(40);
	u64 interval = unit_chance(50) ? 0 :
		       unit_between(1, unit_chance(50) ? 1000 : 60) *
		       (unit_chance(50) ? 1 : NSEC_PER_SEC);

	w->cpus = cpus;
	w->now = unit_chance(20) ? UNIT_LATE_CLOCK : unit_amount(60);
	w->jiffy = unit_amount(46);
	w->debt = unit_chance(30) ? burst :
		  unit_chance(50) ? 0 :
		  unit_chance(50) ? ~0ULL : unit_amount(40);
	w->steps_back = cpus == 1 && unit_chance(20);
	w->account = unit_chance(50);
	box_init(&w->x, rate, interval, burst, w->debt, cpus, w->now);
	book_init(&w->k, rate, interval, burst, w->now);
}

/* Time goes by: hardly any, as much as earns a packet or a burst, days. */
static void world_wait(struct world *w, u64 size)
{
	u64 full = wide_div((u128)w->k.burst * NSEC_PER_SEC, w->k.rate);
	u64 wait = 0;

	switch (unit_between(0, 9)) {
	case 0:
		wait = unit_amount(10);
		break;
	case 1:
		wait = JIFFY / 2;
		break;
	case 2:
		wait = size * NSEC_PER_SEC / w->k.rate;
		break;
	case 3:
		if (full < 1ULL << 56)
			wait = unit_between(0, 2 * full);
		break;
	case 4:
		wait = w->k.interval;
		break;
	case 5:
		if (unit_chance(5))
			wait = unit_between(1, 24 * 30) * HOUR;
		break;
	}
	w->now += wait;
	if (wait >= JIFFY || unit_chance(10))
		w->jiffy += unit_between(1, 1 + wait / JIFFY);
}

static u64 world_size(void)
{
	return unit_chance(20) ? 1500 : unit_amount(19);
}

static u64 world_threshold(const struct world *w)
{
	return unit_chance(50) ? 0 :
	       unit_chance(90) ? unit_between(0, w->k.burst) : unit_amount(40);
}

/* What another configuration would begin with, if it were the same. */
static s64 world_left(const struct world *w, u64 now)
{
	struct ramp_bucket_params p = w->x.p;
	struct ramp_bucket b;

	ramp_bucket_inherit(&b, &p, &w->x.b, &w->x.p, box_loans(&w->x), now);
	return ramp_bucket_tokens(&b, &p, 0, now);
}

/* One packet, and all that has to hold. Returns what was charged. */
static u64 world_packet(struct world *w)
{
	enum ramp_bucket_policy policy = w->account && unit_chance(30) ?
					 RAMP_BUCKET_ACCOUNT : RAMP_BUCKET_DROP;
	s64 floor = -w->x.p.debt, threshold = world_threshold(w);
	u64 size = world_size(), stranded;
	struct ramp_bucket_result r;
	u32 cpu = unit_between(0, w->cpus - 1);
	s128 tokens;
	s64 left;

	/* after a step back the bucket's clock stands still */
	if (w->steps_back && unit_chance(2))
		w->now -= unit_amount(unit_chance(50) ? 10 : 40);
	r = box_packet(&w->x, cpu, policy, threshold, size, w->jiffy, w->now);
	/* with what a CPU has or knows it goes without a clock, which may step
	 * back then
	 */
	if (!w->steps_back || (!by_loan(&r) && !by_knowledge(&r)))
		book_fill(&w->k, w->now);
	tokens = w->k.tokens;
	stranded = w->cpus > 1 ? ramp_loan_stranded(&w->x.p.loans) :
				 2 * (u64)w->x.p.loans.max;

	/* never a token more, and never too many less */
	if (by_loan(&r)) {
		/* others may owe meanwhile, but a loan was there before */
		unit_check(tokens - (s64)size >=
			   (w->account && w->cpus > 1 ? floor : 0),
			   "%llu of %lld", size, (s64)tokens);
		unit_check(w->cpus > 1 || tokens - size >= threshold,
			   "%llu of %lld, threshold %lld", size, (s64)tokens,
			   threshold);
	} else if (!by_knowledge(&r)) {
		unit_check(r.tokens <= tokens, "%lld of %lld", r.tokens,
			   (s64)tokens);
		unit_check(w->steps_back || tokens - r.tokens <= stranded,
			   "%lld of %lld, %llu stranded", r.tokens,
			   (s64)tokens, stranded);
		/* the verdict follows from the tokens */
		if (r.tokens - (s64)size >= threshold)
			unit_check(r.verdict == RAMP_BUCKET_CONFORM, "%d",
				   r.verdict);
		else if (policy == RAMP_BUCKET_DROP)
			unit_check(r.verdict == RAMP_BUCKET_EXCEED, "%d",
				   r.verdict);
		else
			unit_check(r.verdict ==
				   (r.tokens - (s64)size >= floor ?
				    RAMP_BUCKET_OVER : RAMP_BUCKET_UNCHARGED),
				   "%d", r.verdict);
	}
	switch (r.verdict) {
	case RAMP_BUCKET_CONFORM:
	case RAMP_BUCKET_OVER:
		unit_check(r.charged == size, "%llu of %llu", r.charged, size);
		break;
	case RAMP_BUCKET_EXCEED:
		unit_check(!r.charged, "%llu", r.charged);
		break;
	case RAMP_BUCKET_UNCHARGED:
		unit_check(r.charged < size, "%llu of %llu", r.charged, size);
		unit_check((s64)r.charged == max_t(s64, r.tokens - floor, 0),
			   "%llu", r.charged);
		break;
	}
	w->k.tokens -= r.charged;
	left = world_left(w, w->now);
	unit_check(w->steps_back || left <= tokens - r.charged,
		   "%lld left of %lld", left, (s64)(tokens - r.charged));
	return r.charged;
}

static void run(u32 cpus)
{
	struct world w;
	u64 size;
	int i;

	world_init(&w, cpus);
	size = world_size();
	for (i = 0; i < 400; i++) {
		if (unit_chance(30))
			world_wait(&w, size);
		world_packet(&w);
	}
}

static void one_cpu_is_the_textbook_less_a_loan(struct kunit *test)
{
	unit_rounds(2000)
		run(1);
}

static void cpus_never_get_more_together(struct kunit *test)
{
	unit_rounds(3000)
		run(unit_between(2, CPUS));
}

/* A bucket that lends nothing is the textbook, to the token. */
static void without_loans_it_is_the_textbook(struct kunit *test)
{
	unit_rounds(2000) {
		struct world w;
		int i;

		world_init(&w, unit_between(1, CPUS));
		w.steps_back = false;
		w.x.p.loans.max = 0;
		for (i = 0; i < 300; i++) {
			if (unit_chance(50))
				world_wait(&w, 1500);
			world_packet(&w);
			unit_check(box_tokens(&w.x, w.now) == w.k.tokens,
				   "%lld, not %lld", box_tokens(&w.x, w.now),
				   (s64)w.k.tokens);
		}
	}
}

/* "after idle spells of every length": as much as there is at once, no more
 * than burst, and not much less.
 */
static void idle_spells_of_every_length(struct kunit *test)
{
	unit_rounds(3000) {
		u64 rate = world_rate(), burst = unit_amount(40);
		u32 cpus = unit_between(1, CPUS);
		u64 now = unit_amount(50), jiffy = unit_amount(40);
		u64 spell = unit_amount(62 - unit_between(0, 61)), passed;
		struct ramp_bucket_result r;
		struct box x;
		u32 size = burst / 40 + 1;
		u128 whole;
		u64 earned;
		u32 cpu, idle = 0;
		int n;

		if (size > SIZE_MAX_GSO) {
			size = SIZE_MAX_GSO;
			burst = unit_between(1, 40) * size;
		}
		box_init(&x, rate, 0, burst, burst, cpus, now);
		/* emptied, or in use, or owing */
		for (n = unit_between(0, 50); n; n--)
			box_packet(&x, unit_between(0, cpus - 1),
				   unit_chance(80), 0, size, jiffy, now);
		whole = wide_div((u128)spell * rate, NSEC_PER_SEC);
		earned = min_t(u128, burst, whole);
		now += spell;
		jiffy += spell / JIFFY;
		passed = 0;
		for (cpu = 0; idle < cpus; cpu = (cpu + 1) % cpus) {
			r = box_packet(&x, cpu, RAMP_BUCKET_DROP, 0, size,
				       jiffy, now);
			passed += r.charged;
			idle = r.charged ? 0 : idle + 1;
		}
		unit_check(passed <= burst, "%llu of %llu", passed, burst);
		if (whole >= 2 * burst)
			unit_check(passed + size +
				   ramp_loan_stranded(&x.p.loans) > earned,
				   "%llu of %llu", passed, earned);
	}
}

/* The same for years: the word wraps, the bucket does not stall. */
static void years_do_not_wrap(struct kunit *test)
{
	const u64 year = 365 * 24 * HOUR;

	unit_rounds(2000) {
		u64 rate = unit_chance(50) ? RATE_MAX :
					     unit_between(1, RATE_MAX);
		u64 now = unit_amount(50), burst = unit_amount(40), n;
		struct ramp_bucket_result r;
		struct box x;
		u32 size = min_t(u64, burst, 1000);

		box_init(&x, rate, 0, burst, ~0ULL, 1, now);
		for (n = 0; n < 40 && now < 90 * year; n++) {
			now += unit_between(1, unit_chance(50) ? 300 : 2000) *
			       24 * HOUR;
			r = box_packet(&x, 0, RAMP_BUCKET_DROP, 0, size, n,
				       now);
			if ((u128)rate * 24 * 3600 < burst)
				continue;
			unit_check(r.tokens == (s64)burst, "%lld of %llu",
				   r.tokens, burst);
			unit_check(box_tokens(&x, now) == (s64)burst - size,
				   "%lld", box_tokens(&x, now));
		}
	}
}

/* A debt that takes longer to pay than a word could tell apart from a wrap, if
 * somebody looks now and then.
 */
static void large_debts_last(struct kunit *test)
{
	const u64 day = 24 * HOUR;

	unit_rounds(300) {
		u64 now = unit_amount(50);
		u64 rate = RATE_MAX >> unit_between(0, 3);
		u64 days = (1ULL << 62) / rate / (24 * 3600), n;
		struct ramp_bucket_result r;
		struct box x;
		s64 owed = RAMP_BUCKET_DEBT_MAX - unit_amount(50);
		bool again = false;

		box_init(&x, rate, 0, 1500, ~0ULL, 1, now);
		ramp_bucket_init(&x.b, &x.p, -owed);
		for (n = 0; n < days - 1; n++) {
			now += day;
			/* anew, so that it lasts longer than a word would */
			if (n == days / 2 && !again) {
				atomic64_set(&x.b.spent, owed +
					     ramp_earned(&x.p.earn, now - day -
							 x.p.earn.base));
				again = true;
				n = 0;
			}
			r = box_packet(&x, 0, RAMP_BUCKET_DROP, 0, 1500, n,
				       now);
			unit_check(r.verdict == RAMP_BUCKET_EXCEED,
				   "after %llu of %llu days", n, days);
			unit_check(r.tokens == (s64)((n + 1) * 24 * 3600 *
						     rate - owed),
				   "%lld", r.tokens);
		}
		now += 3 * day;
		r = box_packet(&x, 0, RAMP_BUCKET_DROP, 0, 1500, n, now);
		unit_check(r.verdict == RAMP_BUCKET_CONFORM, "%lld", r.tokens);
	}
}

/* A bucket that each lump fills passes all of it: what one CPU alone has used
 * of its loans leaves no room for ever.
 */
static void lumps_are_whole(struct kunit *test)
{
	const u64 interval = 100 * NSEC_PER_MSEC;
	u64 now, n, passed;
	struct box x;
	u32 cpus;

	for (cpus = 1; cpus <= CPUS; cpus++) {
		box_init(&x, 1000000, interval, 100000, 0, cpus, 0);
		for (now = 0; now < 20 * interval; ) {
			passed = 0;
			for (n = 0; n < 200; n++, now += interval / 200)
				passed += box_packet(&x, 0, RAMP_BUCKET_DROP, 0,
						     1000, now / JIFFY,
						     now).charged;
			unit_check(passed == 100000, "%llu", passed);
		}
	}
}

UNIT_SUITE(bucket_law,
	   UNIT_CASE(one_cpu_is_the_textbook_less_a_loan),
	   UNIT_CASE(cpus_never_get_more_together),
	   UNIT_CASE(without_loans_it_is_the_textbook),
	   UNIT_CASE(idle_spells_of_every_length),
	   UNIT_CASE(years_do_not_wrap),
	   UNIT_CASE(large_debts_last),
	   UNIT_CASE(lumps_are_whole));
