/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ramp qdisc: CPUs whose clock follows the gear
 */
#ifndef _NET_SCHED_RAMP_GEAR_CLOCK_H
#define _NET_SCHED_RAMP_GEAR_CLOCK_H

#include <linux/types.h>

struct netlink_ext_ack;
struct ramp_clock_cpus;
struct ramp_gear_config;

#if IS_ENABLED(CONFIG_NET_SCH_RAMP_GEARS) && IS_ENABLED(CONFIG_CPU_FREQ)
bool ramp_clock_there(void);
int ramp_clock_check(const struct ramp_gear_config *gears,
		     struct netlink_ext_ack *extack);
int ramp_clock_prepare(struct ramp_clock_cpus **clock,
		       const struct ramp_gear_config *gears);
void ramp_clock_begin(struct ramp_clock_cpus *clock);
void ramp_clock_follow(struct ramp_clock_cpus *clock, u32 gear);
void ramp_clock_end(struct ramp_clock_cpus *clock);
void ramp_clock_register(void);
void ramp_clock_unregister(void);
#else
static inline bool ramp_clock_there(void)
{
	return false;
}

static inline int ramp_clock_check(const struct ramp_gear_config *gears,
				   struct netlink_ext_ack *extack)
{
	return 0;
}

static inline int ramp_clock_prepare(struct ramp_clock_cpus **clock,
				     const struct ramp_gear_config *gears)
{
	return 0;
}

static inline void ramp_clock_begin(struct ramp_clock_cpus *clock)
{
}

static inline void ramp_clock_follow(struct ramp_clock_cpus *clock, u32 gear)
{
}

static inline void ramp_clock_end(struct ramp_clock_cpus *clock)
{
}

static inline void ramp_clock_register(void)
{
}

static inline void ramp_clock_unregister(void)
{
}
#endif

#endif /* _NET_SCHED_RAMP_GEAR_CLOCK_H */
