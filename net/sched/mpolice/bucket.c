// SPDX-License-Identifier: GPL-2.0
/*
 * Life of the buckets of mpolice: the first action that gives a rate makes one,
 * the last one that draws from it takes it along. All under the mutex of the
 * namespace; packets see a bucket, or a new configuration of it, by RCU.
 */

#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "mpolice.h"

static struct mpolice_state *
mpolice_state_make(const struct mpolice_config *config, u32 id)
{
	struct mpolice_state *s = kzalloc_obj(*s, GFP_KERNEL_ACCOUNT);

	if (!s)
		return NULL;
	s->config = *config;
	s->id = id;
	ramp_bucket_params_set(&s->law, config->rate, config->interval,
			       config->burst, config->debt,
			       num_possible_cpus(), TICK_NSEC, ktime_get_ns());
	return s;
}

/* The loan that a CPU has of this state, not of an earlier one. */
static const struct ramp_loan *mpolice_loan(const struct mpolice_bucket *b,
					    const struct mpolice_state *s,
					    int cpu)
{
	const struct mpolice_cpu *c = per_cpu_ptr(b->cpu, cpu);

	/* Pairs with mpolice_renew(). */
	return smp_load_acquire(&c->state) == (unsigned long)s ?
	       &c->law.loan : NULL;
}

/**
 * mpolice_bucket_tokens - what is in a bucket
 * @b: bucket
 * @s: its state
 *
 * Context: RCU, or the mutex; what packets do meanwhile may be in it or not.
 *
 * Return: tokens, less than 0 is what is owed
 */
s64 mpolice_bucket_tokens(const struct mpolice_bucket *b,
			  const struct mpolice_state *s)
{
	const struct ramp_loan *loan;
	s64 loans = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		loan = mpolice_loan(b, s, cpu);
		if (loan)
			loans += ramp_loan_left(&s->shared.loans, loan);
	}
	return ramp_bucket_tokens(&s->shared, &s->law, loans, ktime_get_ns());
}

static struct mpolice_state *mpolice_state_of(const struct mpolice_bucket *b)
{
	return rcu_dereference_protected(b->state,
					 lockdep_is_held(&b->net->lock));
}

/**
 * mpolice_bucket_of - the bucket that an action draws from
 * @mn: the namespace of the action
 * @mp: action that has parameters
 *
 * Context: mutex of the namespace.
 *
 * Return: bucket
 */
struct mpolice_bucket *mpolice_bucket_of(struct mpolice_net *mn,
					 const struct tcf_mpolice *mp)
{
	struct mpolice_params *p;

	p = rcu_dereference_protected(mp->params, lockdep_is_held(&mn->lock));
	return rcu_dereference_protected(p->bucket, lockdep_is_held(&mn->lock));
}

/**
 * mpolice_bucket_starves - can an action never get anything from a bucket?
 * @b: bucket
 * @p: parameters of the action
 *
 * Context: mutex of the namespace.
 *
 * Return: true if no packet will conform
 */
bool mpolice_bucket_starves(const struct mpolice_bucket *b,
			    const struct mpolice_params *p)
{
	return p->policy == MPOLICE_POLICY_DROP &&
	       p->threshold >= mpolice_state_of(b)->law.burst;
}

static void mpolice_bucket_unrank(struct mpolice_bucket *b,
				  struct tcf_mpolice *mp)
{
	if (RB_EMPTY_NODE(&mp->rank))
		return;
	rb_erase(&mp->rank, &b->ranks);
	RB_CLEAR_NODE(&mp->rank);
}

static bool mpolice_rank_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct tcf_mpolice, rank)->threshold <
	       rb_entry(b, struct tcf_mpolice, rank)->threshold;
}

/**
 * mpolice_bucket_rank - an action has another threshold or policy
 * @b: bucket that it draws from
 * @mp: action
 *
 * A change of a bucket has RTNL, so whether it starves one of very many actions
 * is known without a look at each.
 *
 * Context: mutex of the namespace.
 */
void mpolice_bucket_rank(struct mpolice_bucket *b, struct tcf_mpolice *mp)
{
	const struct mpolice_params *p;

	mpolice_bucket_unrank(b, mp);
	p = rcu_dereference_protected(mp->params,
				      lockdep_is_held(&b->net->lock));
	if (p->policy != MPOLICE_POLICY_DROP)
		return;
	mp->threshold = p->threshold;
	rb_add(&mp->rank, &b->ranks, mpolice_rank_less);
}

/**
 * mpolice_bucket_warn - warn of actions that can never get anything
 * @b: bucket that has changed, or has got other actions
 * @extack: for the message
 *
 * Context: mutex of the namespace.
 */
void mpolice_bucket_warn(const struct mpolice_bucket *b,
			 struct netlink_ext_ack *extack)
{
	struct rb_node *last = rb_last(&b->ranks);

	if (last && rb_entry(last, struct tcf_mpolice, rank)->threshold >=
		    mpolice_state_of(b)->law.burst)
		NL_SET_ERR_MSG(extack,
			       "threshold: that of an action is not less than burst, so it will pass nothing");
}

/* Dumps that are under way have seen something else. */
static void mpolice_changed(struct mpolice_net *mn)
{
	if (!++mn->seq)
		mn->seq = 1;
}

/* From here on nobody draws from an old state, and packets see the new one; all
 * that CPUs have is of an earlier one.
 */
static void mpolice_bucket_publish(struct mpolice_bucket *b,
				   struct mpolice_state *old,
				   struct mpolice_state *s)
{
	int cpu;

	if (old)
		/* Pairs with the dependency in mpolice_state_last(). */
		smp_store_release(&old->next, s);
	rcu_assign_pointer(b->state, s);
	for_each_possible_cpu(cpu)
		/* Pairs with the dependency in mpolice_state(). */
		smp_store_release(&per_cpu_ptr(b->cpu, cpu)->state,
				  (unsigned long)s | MPOLICE_STALE);
}

static struct mpolice_bucket *mpolice_bucket_alloc(void)
{
	struct mpolice_bucket *b = kzalloc_obj(*b, GFP_KERNEL_ACCOUNT);
	int cpu;

	if (!b)
		return NULL;
	b->cpu = alloc_percpu_gfp(struct mpolice_cpu, GFP_KERNEL_ACCOUNT);
	if (!b->cpu) {
		kfree(b);
		return NULL;
	}
	for_each_possible_cpu(cpu)
		local_lock_init(&per_cpu_ptr(b->cpu, cpu)->bh_lock);
	INIT_LIST_HEAD(&b->actions);
	b->ranks = RB_ROOT;
	return b;
}

static void mpolice_bucket_free(struct mpolice_bucket *b)
{
	free_percpu(b->cpu);
	kfree(b);
}

static void mpolice_bucket_free_rcu(struct rcu_head *rcu)
{
	mpolice_bucket_free(container_of(rcu, struct mpolice_bucket, rcu));
}

/* A threshold in bytes makes no sense in packets. */
static int mpolice_check_unit(const struct mpolice_bucket *present,
			      bool packets, const struct mpolice_request *req,
			      struct netlink_ext_ack *extack)
{
	if (!present || present->packets == packets ||
	    mpolice_asks(req, MPOLICE_P_THRESHOLD))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, req->attr[MPOLICE_P_BUCKET],
			    "threshold: is needed, as one bucket counts bytes, the other packets");
	return -EINVAL;
}

/* Who writes 64k or 50p means one of the two. */
static int mpolice_check_meant(bool packets, const struct mpolice_request *req,
			       struct netlink_ext_ack *extack)
{
	if (!mpolice_asks(req, MPOLICE_P_PACKETS) ||
	    req->value[MPOLICE_P_PACKETS] == packets)
		return 0;
	if (packets)
		NL_SET_ERR_MSG_ATTR(extack, req->attr[MPOLICE_P_PACKETS],
				    "burst, debt, threshold: this bucket counts packets, not bytes");
	else
		NL_SET_ERR_MSG_ATTR(extack, req->attr[MPOLICE_P_PACKETS],
				    "burst, debt, threshold: this bucket counts bytes, not packets");
	return -EINVAL;
}

static struct mpolice_bucket *
mpolice_bucket_make(struct mpolice_net *mn, u32 id,
		    const struct mpolice_bucket *present,
		    const struct mpolice_request *req,
		    struct netlink_ext_ack *extack)
{
	struct mpolice_config config = {};
	struct mpolice_bucket *b;
	struct mpolice_state *s;
	int err;

	if (!mpolice_asks(req, MPOLICE_P_RATE) &&
	    !mpolice_asks(req, MPOLICE_P_PPS)) {
		NL_SET_ERR_MSG_ATTR(extack, req->attr[MPOLICE_P_BUCKET],
				    "bucket: does not exist, give rate or pps to make it");
		return ERR_PTR(-ENOENT);
	}
	err = mpolice_check_unit(present, mpolice_asks(req, MPOLICE_P_PPS),
				 req, extack);
	if (!err)
		err = mpolice_check_meant(mpolice_asks(req, MPOLICE_P_PPS),
					  req, extack);
	if (!err)
		err = mpolice_config_apply(&config, false, req, extack);
	if (err)
		return ERR_PTR(err);

	b = mpolice_bucket_alloc();
	s = mpolice_state_make(&config, id);
	if (!b || !s) {
		err = -ENOMEM;
		goto free;
	}
	ramp_bucket_init(&s->shared, &s->law, s->law.burst);
	mpolice_bucket_publish(b, NULL, s);
	b->packets = config.packets;
	b->id = id;
	b->net = mn;
	err = xa_insert(&mn->buckets, id, b, GFP_KERNEL_ACCOUNT);
	if (err)
		goto free;
	mpolice_changed(mn);
	return b;

free:
	kfree(s);
	if (b)
		mpolice_bucket_free(b);
	return ERR_PTR(err);
}

/*
 * Nothing may come between the last look at the old tokens and the new ones:
 * what other CPUs draw meanwhile they could draw once more. Loans that move
 * while they are added up are left out.
 */
static void mpolice_bucket_replace(struct mpolice_bucket *b,
				   struct mpolice_state *old,
				   struct mpolice_state *s)
{
	const struct ramp_loan *loan;
	int cpu, tries = 3;
	s64 spent, loans;
	u64 jiffy;

	local_irq_disable();
	do {
		loans = 0;
		jiffy = get_jiffies_64();
		spent = atomic64_read_acquire(&old->shared.spent);
		tries--;
		for_each_possible_cpu(cpu) {
			loan = tries ? mpolice_loan(b, old, cpu) : NULL;
			if (loan)
				loans += ramp_loan_idle(&old->shared.loans,
							loan, jiffy);
		}
		ramp_bucket_inherit(&s->shared, &s->law, &old->shared,
				    &old->law, loans, ktime_get_ns());
		/* Pairs with the exchanges: a loan that moves changes the word.
		 */
		smp_rmb();
	} while (tries && spent != atomic64_read(&old->shared.spent));
	mpolice_bucket_publish(b, old, s);
	local_irq_enable();
}

static bool mpolice_config_equal(const struct mpolice_config *a,
				 const struct mpolice_config *b)
{
	return a->rate == b->rate && a->burst == b->burst &&
	       a->interval == b->interval && a->debt == b->debt &&
	       a->burst_set == b->burst_set && a->debt_set == b->debt_set;
}

/**
 * mpolice_bucket_set - give a bucket the parameters that are named
 * @b: bucket
 * @req: may name some of its parameters
 * @replace: others than those in force are welcome
 * @extack: for the message
 *
 * Tokens that were earned are kept, what is owed is owed. A packet that another
 * CPU is about to charge may be lost for the new configuration.
 *
 * Context: mutex of the namespace.
 *
 * Return: 0 or a negative error, and then nothing has changed
 */
int mpolice_bucket_set(struct mpolice_bucket *b,
		       const struct mpolice_request *req, bool replace,
		       struct netlink_ext_ack *extack)
{
	struct mpolice_state *old = mpolice_state_of(b), *s;
	struct mpolice_config config = old->config;
	int err;

	err = mpolice_check_meant(b->packets, req, extack);
	if (err)
		return err;
	if (!(req->set & MPOLICE_P_OF_BUCKET))
		return 0;
	if (!replace)
		return mpolice_config_same(&config, req, extack);
	err = mpolice_config_apply(&config, true, req, extack);
	if (err)
		return err;
	if (mpolice_config_equal(&config, &old->config))
		return 0;

	s = mpolice_state_make(&config, b->id);
	if (!s)
		return -ENOMEM;
	mpolice_bucket_replace(b, old, s);
	kfree_rcu(old, rcu);
	mpolice_changed(b->net);
	return 0;
}

/**
 * mpolice_bucket_for - the bucket that a message wants an action to draw from
 * @mn: namespace
 * @present: the bucket that the action draws from now; NULL if @req names one
 * @req: what is asked for
 * @replace: a bucket may be changed
 * @extack: for the message
 *
 * Context: mutex of the namespace. A bucket that was made is to be joined.
 *
 * Return: bucket, or an error, and then nothing has changed
 */
struct mpolice_bucket *mpolice_bucket_for(struct mpolice_net *mn,
					  struct mpolice_bucket *present,
					  const struct mpolice_request *req,
					  bool replace,
					  struct netlink_ext_ack *extack)
{
	struct mpolice_bucket *b = present;
	u32 id;
	int err;

	if (mpolice_asks(req, MPOLICE_P_BUCKET)) {
		id = req->value[MPOLICE_P_BUCKET];
		b = xa_load(&mn->buckets, id);
		if (!b)
			return mpolice_bucket_make(mn, id, present, req,
						   extack);
		err = mpolice_check_unit(present, b->packets, req, extack);
		if (err)
			return ERR_PTR(err);
	}
	err = mpolice_bucket_set(b, req, replace, extack);
	return err ? ERR_PTR(err) : b;
}

static void mpolice_bucket_remove(struct mpolice_bucket *b)
{
	struct mpolice_state *s = mpolice_state_of(b);

	xa_erase(&b->net->buckets, b->id);
	mpolice_changed(b->net);
	kfree_rcu(s, rcu);
	call_rcu(&b->rcu, mpolice_bucket_free_rcu);
}

/**
 * mpolice_bucket_feed - parameters of an action name a bucket
 * @b: bucket
 * @p: that name another bucket with the same unit, or none
 *
 * Context: mutex of the namespace.
 */
void mpolice_bucket_feed(struct mpolice_bucket *b, struct mpolice_params *p)
{
	rcu_assign_pointer(p->bucket, b);
	/* Pairs with the dependency in mpolice_act(). */
	smp_store_release(&p->cpu, b->cpu);
}

/**
 * mpolice_bucket_join - an action begins to draw from a bucket
 * @b: bucket
 * @mp: action that draws from none
 *
 * Context: mutex of the namespace.
 */
void mpolice_bucket_join(struct mpolice_bucket *b, struct tcf_mpolice *mp)
{
	list_add_tail(&mp->list, &b->actions);
	mpolice_bucket_rank(b, mp);
	WRITE_ONCE(b->users, b->users + 1);
}

/* Walks that rest at an action, or at any if @mp is NULL, cannot go on. */
static void mpolice_walks_lose(const struct mpolice_bucket *b,
			       const struct tcf_mpolice *mp)
{
	struct mpolice_walk *w;

	list_for_each_entry(w, &b->net->walks, list)
		if (w->bucket == b && (!mp || w->last == mp))
			w->last = NULL;
}

/**
 * mpolice_bucket_leave - an action draws from a bucket no more
 * @b: bucket
 * @mp: one of its actions
 *
 * Frees a bucket without actions, as soon as no packet can see it.
 *
 * Context: mutex of the namespace.
 */
void mpolice_bucket_leave(struct mpolice_bucket *b, struct tcf_mpolice *mp)
{
	mpolice_walks_lose(b, mp);
	mpolice_bucket_unrank(b, mp);
	list_del(&mp->list);
	WRITE_ONCE(b->users, b->users - 1);
	if (!b->users)
		mpolice_bucket_remove(b);
}

/**
 * mpolice_bucket_repoint - all actions of a bucket draw from another one
 * @b: bucket, is gone afterwards
 * @target: the other one
 * @attr: that named it
 * @extack: for the message, or a warning
 *
 * Context: mutex of the namespace.
 *
 * Return: 0, or -EINVAL when the thresholds of the actions would not make sense
 * or when the buckets are the same
 */
int mpolice_bucket_repoint(struct mpolice_bucket *b,
			   struct mpolice_bucket *target,
			   const struct nlattr *attr,
			   struct netlink_ext_ack *extack)
{
	struct tcf_mpolice *mp;
	struct mpolice_params *p;

	if (b == target) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "target: another bucket than the one to be left");
		return -EINVAL;
	}
	if (b->packets != target->packets) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "target: one of the two buckets counts bytes, the other packets");
		return -EINVAL;
	}
	list_for_each_entry(mp, &b->actions, list) {
		p = rcu_dereference_protected(mp->params,
					      lockdep_is_held(&b->net->lock));
		mpolice_bucket_feed(target, p);
		/* The other tree goes as a whole. */
		RB_CLEAR_NODE(&mp->rank);
		mpolice_bucket_rank(target, mp);
		cond_resched();
	}
	mpolice_walks_lose(b, NULL);
	list_splice_tail(&b->actions, &target->actions);
	WRITE_ONCE(target->users, target->users + b->users);
	mpolice_bucket_warn(target, extack);
	mpolice_bucket_remove(b);
	return 0;
}
