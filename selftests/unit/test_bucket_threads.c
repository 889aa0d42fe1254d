// SPDX-License-Identifier: GPL-2.0
/* Token bucket: eight threads draw from one bucket at once, as fast as they
 * can. Their clock is a counter that each packet moves on, so time is exact,
 * and what they got together is compared with what there was to get.
 */
#include <pthread.h>
#include <sched.h>

#include "bucket.h"

#define THREADS	CPUS
#define PACKETS	20000

static struct {
	struct box		x;
	u64			clock;
	u64			step;
	u64			charged[THREADS];
	u64			uncharged[THREADS];
	u32			size[THREADS];
	bool			account[THREADS];
	u64			packets;
	pthread_barrier_t	begin;
} w;

static void *draw(void *arg)
{
	u32 cpu = (uintptr_t)arg;
	u64 n, sum = 0, short_of = 0;

	pthread_barrier_wait(&w.begin);
	for (n = 0; n < w.packets; n++) {
		u64 jiffy, now;
		struct ramp_bucket_result r;

		jiffy = __atomic_load_n(&w.clock, __ATOMIC_SEQ_CST) / JIFFY;
		now = __atomic_add_fetch(&w.clock, w.step, __ATOMIC_SEQ_CST);
		r = box_packet(&w.x, cpu, w.account[cpu] ? RAMP_BUCKET_ACCOUNT :
							   RAMP_BUCKET_DROP,
			       0, w.size[cpu], jiffy, now);
		sum += r.charged;
		if (r.verdict != RAMP_BUCKET_CONFORM &&
		    r.verdict != RAMP_BUCKET_OVER)
			short_of++;
		/* with few CPUs threads would not meet in the bucket */
		if (n % 64 == cpu)
			sched_yield();
	}
	w.charged[cpu] = sum;
	w.uncharged[cpu] = short_of;
	return NULL;
}

/* All threads, at once; returns what they were charged together. */
static u64 all_draw(u64 packets, u64 step)
{
	pthread_t thread[THREADS];
	u64 sum = 0;
	u32 i;

	w.packets = packets;
	w.step = step;
	pthread_barrier_init(&w.begin, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, draw,
						(void *)(uintptr_t)i), 0);
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		sum += w.charged[i];
	}
	pthread_barrier_destroy(&w.begin);
	return sum;
}

static void world_init(u64 rate, u64 interval, u64 burst, u64 debt)
{
	u32 i;

	memset(&w, 0, sizeof(w));
	w.clock = unit_amount(50);
	for (i = 0; i < THREADS; i++)
		w.size[i] = unit_chance(50) ? 1000 : unit_between(600, 3000);
	box_init(&w.x, rate, interval, burst, debt, THREADS, w.clock);
}

static u64 size_max(void)
{
	u64 size = 0;
	u32 i;

	for (i = 0; i < THREADS; i++)
		size = max_t(u64, size, w.size[i]);
	return size;
}

static u64 short_of(void)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < THREADS; i++)
		sum += w.uncharged[i];
	return sum;
}

/* Offered more than the rate, also by any thread that runs alone for a while,
 * the rate passes, and the burst once.
 */
static void together_no_more_than_the_rate(struct kunit *test)
{
	unit_rounds(12) {
		const u64 step = 2 * NSEC_PER_USEC;
		/* 500 bytes in 2 us */
		u64 rate = 250000000, burst = unit_between(100, 4000) * 1000;
		u64 interval = unit_chance(70) ? 0 :
			       unit_between(1, burst / 2) * 1000 / 250;
		u64 start, passed, earned;

		world_init(rate, interval, burst, 0);
		start = w.clock;
		passed = all_draw(PACKETS, step);
		earned = burst + wide_div((u128)(w.clock - start) * rate,
					  NSEC_PER_SEC);
		unit_check(passed <= earned, "%llu of %llu", passed, earned);
		unit_check(short_of(), "%llu passed", passed);
		passed += rate * interval / NSEC_PER_SEC +
			  size_max() * THREADS +
			  ramp_loan_stranded(&w.x.p.loans);
		unit_check(passed >= earned, "%llu of %llu", passed, earned);
	}
}

/* Idle for any time, then all at once: the burst, no matter how many have loans
 * from before.
 */
static void idle_spells_fill_the_burst_once(struct kunit *test)
{
	unit_rounds(60) {
		u64 burst = 8000000, rate = 4000000000ULL, spell, passed;

		world_init(rate, 0, burst, 0);
		/* in use, but not to the end */
		all_draw(unit_between(1, 200), unit_between(1, 1000));
		spell = unit_amount(40);
		w.clock += spell;
		/* 2000 packets of 64 bytes at least, in no time */
		passed = all_draw(8000000 / THREADS / 500, 0);
		unit_check(passed <= burst, "%llu of %llu", passed, burst);
		unit_check(short_of() || passed < burst, "%llu", passed);
		if (wide_div((u128)spell * rate, NSEC_PER_SEC) > 2 * burst &&
		    short_of())
			unit_check(passed + ramp_loan_stranded(&w.x.p.loans) +
				   size_max() * THREADS >= burst,
				   "%llu of %llu", passed, burst);
	}
}

/* "charged amount is at most rate x period + burst + debt" */
static void accounts_owe_no_more_than_the_debt(struct kunit *test)
{
	unit_rounds(12) {
		u64 rate = 100000000, burst = 500000;
		u64 debt = unit_between(0, 3) * 400000;
		u64 start, passed, most;
		s64 tokens;
		u32 i;

		world_init(rate, 0, burst, debt);
		for (i = 0; i < THREADS; i += 2)
			w.account[i] = true;
		start = w.clock;
		passed = all_draw(PACKETS / 4, 1000);
		most = burst + debt +
		       wide_div((u128)(w.clock - start) * rate, NSEC_PER_SEC);
		unit_check(passed <= most, "%llu of %llu", passed, most);
		tokens = box_tokens(&w.x, w.clock);
		unit_check(tokens >= -(s64)debt, "%lld", tokens);
		/* nothing is lost, but what overflows when it begins */
		unit_check(passed + tokens + debt + 20000 +
			   ramp_loan_stranded(&w.x.p.loans) >= most,
			   "%llu, %lld left of %llu", passed, tokens, most);
	}
}

UNIT_SUITE(bucket_threads,
	   UNIT_CASE(together_no_more_than_the_rate),
	   UNIT_CASE(idle_spells_fill_the_burst_once),
	   UNIT_CASE(accounts_owe_no_more_than_the_debt));
