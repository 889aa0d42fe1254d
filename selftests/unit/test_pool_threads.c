// SPDX-License-Identifier: GPL-2.0
/* Pool: eight threads take from one pool at once, as fast as they can, and now
 * and then one of them has the lock, takes back what is left, and fills it
 * anew. What they got together is compared with what there was to get.
 */
#include <pthread.h>
#include <sched.h>

#include "unit.h"
#include <net/ramp/pool.h>

#define THREADS	8
#define PACKETS	40000
#define MOST	3000

static struct {
	atomic64_t		pool;
	pthread_mutex_t		lock;
	pthread_barrier_t	begin;
	/* under the lock: what there was to get, and what is left of it */
	u64			filled;
	s64			left;
	bool			shared;
	/* of a pool whose last packet may be larger, or where all fit */
	bool			owes;
	u64			taken[THREADS];
	u64			locked[THREADS];
	u64			wrong;
} w;

static void fill(u64 amount)
{
	if (w.shared)
		w.left += ramp_pool_drain(&w.pool);
	w.shared = false;
	/* Nobody spends what the owner of the lock decides about. */
	if (ramp_pool_take(&w.pool, 1, 1))
		w.wrong++;
	if (w.left < (w.owes ? 1 - MOST : 0))
		w.wrong++;
	w.left += amount;
	w.filled += amount;
	if (w.left > 0) {
		ramp_pool_fill(&w.pool, w.left);
		w.left = 0;
		w.shared = true;
	}
}

static void *take(void *arg)
{
	u32 me = (uintptr_t)arg, n, size = 60 + me * 400;

	pthread_barrier_wait(&w.begin);
	for (n = 0; n < PACKETS; n++) {
		if (ramp_pool_take(&w.pool, size, w.owes ? 1 : size)) {
			w.taken[me] += size;
		} else {
			pthread_mutex_lock(&w.lock);
			fill(n % 3000 * 10);
			pthread_mutex_unlock(&w.lock);
			w.locked[me]++;
		}
		/* with few CPUs threads would not meet */
		if (n % 64 == me)
			sched_yield();
	}
	return NULL;
}

static void all_take(bool owes)
{
	pthread_t thread[THREADS];
	u64 taken = 0, locked = 0;
	u32 i;

	memset(&w, 0, sizeof(w));
	w.owes = owes;
	pthread_mutex_init(&w.lock, NULL);
	pthread_barrier_init(&w.begin, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, take,
						(void *)(uintptr_t)i), 0);
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		taken += w.taken[i];
		locked += w.locked[i];
	}
	pthread_barrier_destroy(&w.begin);
	if (w.shared)
		w.left += ramp_pool_drain(&w.pool);
	unit_check(!w.wrong, "%llu times", w.wrong);
	unit_check(taken + w.left == w.filled, "%llu taken, %lld left of %llu",
		   taken, w.left, w.filled);
	/* Both ways were gone. */
	unit_check(locked && taken > MOST, "%llu times, %llu", locked, taken);
}

static void each_is_taken_once(struct kunit *test)
{
	unit_rounds(10)
		all_take(unit_chance(50));
}

UNIT_SUITE(pool_threads,
	   UNIT_CASE(each_is_taken_once));
