// SPDX-License-Identifier: GPL-2.0
/* CPUs that draw from one bucket at once (race.h): never a token more than the
 * textbook's, nor fewer than loans account for. And one with debt, in a row.
 */
#include "fuzz.h"
#include "../unit/race.h"

/* Another burst: the same part of it, and no loan is there twice. */
static void change(u64 now)
{
	u64 burst = unit_amount(40), debt = unit_amount(40), loans = 0;
	struct box *x = &w.x, y;
	s64 tokens;
	u32 i;

	for (i = 0; i < CPUS; i++)
		loans += ramp_loan_idle(&x->b.loans, &x->cpu[i].loan, S64_MAX);
	tokens = box_tokens(x, now);
	/* Made some time before. */
	box_init(&y, unit_amount(40), 0, burst, debt, CPUS,
		 now - unit_amount(30));
	ramp_bucket_inherit(&y.b, &y.p, &x->b, &x->p, loans, now);
	fuzz_check(box_tokens(&y, now) >= -(s64)debt);
	fuzz_check(box_tokens(&y, now) <= (s64)burst);
	if (tokens >= 0)
		fuzz_check((s128)box_tokens(&y, now) * x->p.burst <=
			   (s128)tokens * burst);
	for (i = 0; i < CPUS; i++)
		ramp_bucket_forget(&x->cpu[i]);
	fuzz_check(!box_loans(x));
}

/* Account is charged always, as far as debt allows; nobody else gets it. */
static void in_a_row(void)
{
	u64 rate = unit_amount(40), burst = unit_amount(40), debt;
	u64 interval = unit_chance(30) ? unit_amount(34) : 0, now = w.now;
	struct book k;
	struct box *x = &w.x;
	u64 jiffy = 1, wait;

	debt = unit_chance(50) ? unit_amount(40) : 0;
	/* What had been spent is set anew. */
	w.sleeps = true;
	box_init(x, rate, interval, burst, debt, CPUS, now);
	x->p.loans.after = unit_between(0, 3);
	book_init(&k, rate, interval, burst, now);
	while (fuzz_more()) {
		bool account = unit_chance(50);
		struct ramp_bucket_result r;
		u32 size = unit_amount(19);
		s64 threshold = unit_chance(30) ? unit_between(0, burst) : 0;

		wait = unit_amount(unit_chance(10) ? 57 : 30) - 1;
		now += wait;
		if (unit_chance(5)) {
			change(now);
			return;
		}
		jiffy += wait / JIFFY + unit_between(0, 1);
		book_fill(&k, now);
		r = box_packet(x, unit_between(0, CPUS - 1), account, threshold,
			       size, jiffy, now);
		k.tokens -= r.charged;
		fuzz_check(r.charged <= size);
		fuzz_check(k.tokens >= -(s128)debt);
		if (!account) {
			fuzz_check(r.charged == 0 || r.charged == size);
			fuzz_check((r.charged == size) ==
				   (r.verdict == RAMP_BUCKET_CONFORM));
			/* A loan knows the tokens of when it was taken. */
			if (r.charged && !by_loan(&r))
				fuzz_check(k.tokens >= threshold);
		} else if (r.verdict != RAMP_BUCKET_UNCHARGED) {
			fuzz_check(r.charged == size);
		}
		fuzz_check(k.tokens - box_tokens(x, now) <=
			   ramp_loan_stranded(&x->p.loans));
	}
}

static void fuzz_one(void)
{
	u32 i;

	race_init();
	w.delays = unit_chance(30);
	if (unit_chance(30)) {
		in_a_row();
		return;
	}
	for (i = 0; i < 200 && fuzz_more(); i++) {
		race_packet();
		race_rest();
	}
}
