// SPDX-License-Identifier: GPL-2.0
/* Loans by themselves: bounds, who is counted, and that a CPU never uses more than
 * it took, nor in another jiffy.
 */
#include "fuzz.h"
#include <net/ramp/loan.h>

#define CPUS	8

static void fuzz_one(void)
{
	u64 burst = unit_amount(40), earned = unit_amount(40), jiffy, counted;
	u32 cpus = unit_chance(20) ? unit_between(1, 65535) :
				     unit_between(1, CPUS), i;
	struct ramp_loan l[CPUS] = { };
	bool had[CPUS] = { };
	struct ramp_loan_params p;
	struct ramp_loans s;
	s64 out = 0;

	ramp_loan_params_set(&p, burst, earned, cpus);
	fuzz_check(p.max >= 0 && p.max <= RAMP_LOAN_MAX);
	fuzz_check((u128)p.max * cpus <= burst / RAMP_LOAN_PART);
	fuzz_check((u128)p.max * cpus <= earned);
	fuzz_check(ramp_loan_stranded(&p) == 2 * (u64)p.max * cpus);
	ramp_loans_init(&s);
	jiffy = unit_amount(40);
	counted = 0;

	while (fuzz_more()) {
		s64 above = unit_amount(40) - 1, amount, lent, left, full;
		u32 cpu = unit_between(0, CPUS - 1), size = unit_amount(20);
		s64 threshold = unit_amount(40) - 1;
		struct ramp_loan *c = &l[cpu];
		bool may;

		if (unit_chance(20)) {
			lent = atomic64_read(&s.lent);
			jiffy += unit_amount(3);
			fuzz_check(ramp_lent_behind(lent, jiffy) < 0);
			ramp_loans_turn(&s, lent, jiffy);
			fuzz_check(!ramp_lent_cpus(atomic64_read(&s.lent)));
			memset(had, 0, sizeof(had));
			counted = 0;
			out = 0;
		}

		/* As many as could all take a loan leave half of what is there. */
		amount = ramp_loan_amount(&p, above, size);
		fuzz_check(!amount || (amount >= size && amount <= p.max));
		fuzz_check((u128)amount * cpus <= (u128)above / 2);

		left = c->left;
		may = c->jiffy == jiffy && left >= size && c->above >= threshold;
		fuzz_check(ramp_loan_use(c, threshold, size, jiffy) == may);
		fuzz_check(c->left == left - (may ? size : 0) && c->left >= 0);

		full = atomic64_read(&s.full);
		ramp_loans_check_full(&s, &p, above, jiffy);
		fuzz_check(atomic64_read(&s.full) ==
			   (above < (s64)p.cpus * p.max && full < (s64)jiffy ?
			    (s64)jiffy : full));
		fuzz_check(ramp_loan_left(&s, c) ==
			   ((u64)atomic64_read(&s.full) > c->jiffy ? 0 :
			    c->left));
		fuzz_check(ramp_loan_idle(&s, c, jiffy) ==
			   (c->jiffy < jiffy ? ramp_loan_left(&s, c) : 0));

		lent = atomic64_read(&s.lent);
		fuzz_check(ramp_lent_cpus(lent) == counted);
		fuzz_check(ramp_loan_counted(c, lent) == had[cpu]);
		fuzz_check(ramp_loan_reserve(&p, c, c->left, lent) ==
			   (had[cpu] ? (s64)(counted - 1) * p.max + c->taken -
			    c->left : (s64)counted * p.max));
		if (!amount || (counted == cpus && !had[cpu]))
			continue;
		fuzz_check(ramp_loan_lend(&s, c, lent, jiffy));
		counted += !had[cpu];
		had[cpu] = true;
		ramp_loan_take(c, amount, above - amount, jiffy);
		for (i = 0, out = 0; i < CPUS; i++)
			out += had[i] ? l[i].left : 0;
		fuzz_check(out <= (s64)p.max * cpus);
	}
}
