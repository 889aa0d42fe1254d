// SPDX-License-Identifier: GPL-2.0
/*
 * Team mode spread: samples of the fullness of ports
 *
 * Whoever sends first after a sample is due takes it: no timer runs while
 * nothing is sent. One step reads a bounded number of queues and goes on with
 * the next ones in the next step.
 *
 * Between two readings of a port what was sent there is counted, per CPU, and
 * added. With a reading each CPU gets a share of the frames that may be sent
 * until the port's rank changes; the CPU that used its share up counts what
 * all of them sent. So the frame path sees a port fill between samples without
 * a shared counter, and no reading has to touch the memory of other CPUs.
 */
#define CREATE_TRACE_POINTS
#include <trace/events/spread.h>

#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <compat/team_compat.h>
#include "read.h"

static void spread_judge(struct spread *sp, struct spread_port *p, u32 waiting,
			 bool up)
{
	u32 rank = ramp_scale_rank(&p->scale, waiting);

	p->class = ramp_scale_class(&p->scale, waiting);
	if (rank == p->rank && up == p->up)
		return;
	WRITE_ONCE(p->rank, rank);
	p->up = up;
	spread_anew(sp);
}

/* A CPU's part of what may be sent to @p until its rank changes. */
static u32 spread_share(const struct spread_port *p, u32 waiting)
{
	return max(ramp_scale_until(&p->scale, waiting) >> p->busy, 1U);
}

static u32 spread_with(u32 waiting, u32 since)
{
	return min_t(u64, (u64)waiting + since, U32_MAX);
}

/**
 * spread_rescale - the classes, or what a port can hold, are others
 * @sp: team, locked
 * @p: port
 * @capacity: packets
 *
 * The rank follows by the next reading, or frame.
 */
void spread_rescale(struct spread *sp, struct spread_port *p, u64 capacity)
{
	p->found = capacity;
	ramp_scale_set(&p->scale, &sp->classes, capacity);
	WRITE_ONCE(p->share, 1);
	p->judged = U32_MAX;
}

/* Did the port drop since the last reading? It is full then, and what it holds
 * is what it can hold. Only a frame that was refused tells that nothing fits:
 * codel drops what waits. And only with the counter it tells of the qdisc: a
 * filter at the egress refuses as well, and on some kernels what is handed over
 * to another CPU is never refused. Of a queue that is shut for now nothing is
 * known, and what it has dropped is still the same when it is open again.
 */
static bool spread_learn(struct spread_port *p, const struct spread_reading *r)
{
	const struct Qdisc *root = rcu_dereference_bh(p->port->dev->qdisc);
	u32 waiting = min_t(u64, r->waiting, U32_MAX);
	bool dropped, refused = READ_ONCE(p->refused);

	if (unlikely(refused))
		WRITE_ONCE(p->refused, false);
	if (unlikely(r->shut))
		return false;
	if (unlikely(root != p->root || root->handle != p->handle)) {
		p->root = root;
		p->handle = root->handle;
		p->drops_full = r->drops_full;
		ramp_held_begin(&p->held, waiting, r->drops);
		return false;
	}
	dropped = (s32)(r->drops_full - p->drops_full) > 0;
	p->drops_full = r->drops_full;
	return ramp_held_read(&p->held, waiting, r->drops, dropped, refused);
}

static void spread_finish(struct spread *sp, struct spread_port *p,
			  struct spread_reading *r)
{
	bool full = spread_learn(p, r) && !p->capacity;
	bool up = team_port_txable(p->port);

	spread_read_end(p, r);
	if (unlikely(r->capacity != p->found))
		spread_rescale(sp, p, r->capacity);

	p->waiting = r->waiting;
	if (unlikely(full))
		p->waiting = max(p->waiting, p->scale.capacity);
	/* Most readings find what the one before found. */
	if (p->waiting != p->judged || up != p->up) {
		spread_judge(sp, p, p->waiting, up);
		p->judged = p->waiting;
		WRITE_ONCE(p->share, spread_share(p, p->waiting));
	}
	WRITE_ONCE(p->epoch, p->epoch + 1);
	trace_spread_sample(ramp_team_dev(sp->team), p->port->dev, sp->sample,
			    p->waiting, p->scale.capacity, p->class, up);
}

static void spread_step(struct spread *sp)
{
	u32 left = SPREAD_STEP_QUEUES;
	u32 ports = min(sp->ports, SPREAD_STEP_PORTS);

	while (ports-- && left) {
		struct spread_port *p = sp->order[sp->at];
		struct spread_reading r = {};

		if (unlikely(p->reading.queue)) {
			r = p->reading;
			p->reading.queue = 0;
		}
		left -= spread_read(p, &r, left);
		if (unlikely(!r.done)) {
			p->reading = r;
			break;
		}
		spread_finish(sp, p, &r);
		if (++sp->at >= sp->ports)
			sp->at = 0;
	}
}

/**
 * spread_steps - how many steps read each queue once
 * @sp: team, locked
 *
 * Context: RCU, bottom halves off.
 *
 * Return: steps, at least 1
 */
u32 spread_steps(const struct spread *sp)
{
	u32 left = SPREAD_STEP_QUEUES, ports = SPREAD_STEP_PORTS;
	u32 steps = 1, queues, n, i;

	for (i = 0; i < sp->ports; i++) {
		queues = spread_queues(sp->order[i]->port->dev);
		for (; queues; queues -= n) {
			if (!left || !ports) {
				left = SPREAD_STEP_QUEUES;
				ports = SPREAD_STEP_PORTS;
				steps++;
			}
			n = min(queues, left);
			left -= n;
			ports--;
		}
	}
	return steps;
}

/**
 * spread_sample - take the sample that is due
 * @sp: team
 * @now: ns; of no meaning if every frame takes a sample
 *
 * Of several CPUs that find it due one takes it, the others go on with the
 * tables that there are.
 *
 * Context: RCU, bottom halves off.
 */
void spread_sample(struct spread *sp, u64 now)
{
	if (!spin_trylock(&sp->lock))
		return;
	if (!sp->interval || now >= sp->due) {
		WRITE_ONCE(sp->due, now + sp->interval);
		WRITE_ONCE(sp->sampled, jiffies);
		sp->sample++;
		WRITE_ONCE(sp->samples, sp->sample);
		spread_step(sp);
	}
	spin_unlock(&sp->lock);
}

/**
 * spread_since - what was sent to a port since it was read
 * @p: port that has not left
 * @cpus: for the number of CPUs that sent something, or NULL
 *
 * Approximate: others send meanwhile.
 *
 * Return: frames
 */
u32 spread_since(const struct spread_port *p, u32 *cpus)
{
	u32 epoch = READ_ONCE(p->epoch);
	u32 frames = 0, busy = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct spread_port_cpu *c = per_cpu_ptr(p->cpu, cpu);

		if (READ_ONCE(c->epoch) != epoch)
			continue;
		frames += READ_ONCE(c->since);
		busy++;
	}
	if (cpus)
		*cpus = busy;
	return frames;
}

/**
 * spread_recount - this CPU used up its share
 * @sp: team
 * @p: port that it sent to
 *
 * If somebody else has the lock the next frame tries again.
 *
 * Context: RCU, bottom halves off.
 */
void spread_recount(struct spread *sp, struct spread_port *p)
{
	struct spread_port_cpu *c = this_cpu_ptr(p->cpu);
	u32 waiting, busy;

	if (!spin_trylock(&sp->lock))
		return;
	waiting = spread_with(p->waiting, spread_since(p, &busy));
	p->busy = busy > 1 ? ilog2(busy - 1) + 1 : 0;
	spread_judge(sp, p, waiting, p->up);
	/* The share is still that of the last reading. */
	p->judged = U32_MAX;
	c->mark = c->since + spread_share(p, waiting);
	spin_unlock(&sp->lock);
}

/**
 * spread_refresh - which ports are up?
 * @sp: team, locked
 *
 * For a frame that found no port: a sample would say so too, but only when all
 * queues were read.
 *
 * Context: RCU.
 */
void spread_refresh(struct spread *sp)
{
	u32 i;

	for (i = 0; i < sp->ports; i++) {
		struct spread_port *p = sp->order[i];
		bool up = team_port_txable(p->port);

		if (up == p->up)
			continue;
		p->up = up;
		spread_anew(sp);
	}
}
