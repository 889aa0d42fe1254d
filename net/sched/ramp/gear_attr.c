// SPDX-License-Identifier: GPL-2.0
/*
 * What the parameters of gears may be
 */

#include "ramp.h"

#define RAMP_GEAR(id, name, says, ...) \
	RAMP_NUMBER(struct ramp_gear_config, id, __VA_ARGS__, \
		    RAMP_SAYS(GEARS, says, name))
#define RAMP_LIST(id, name, says, nla) \
	RAMP_OTHER(id, nla, RAMP_SAYS(GEARS, says, name))

/* Lists, and numbers in the order in which they are shown. */
const struct ramp_attr ramp_gear_params[] = {
	RAMP_LIST(TCA_RAMP_GEARS, "gears",
		  "none, or 2..16 rates that rise, 8kbit..8796093022208bit",
		  NLA_BINARY),
	RAMP_LIST(TCA_RAMP_GEAR_UP_TIME, "gear-up",
		  "1us..1s or 0.01%..100%, one or one for each gear, above gear-down",
		  NLA_BINARY),
	RAMP_LIST(TCA_RAMP_GEAR_DOWN_TIME, "gear-down",
		  "0..1s or 0%..99.99%, one or one for each gear, below gear-up",
		  NLA_BINARY),
	RAMP_LIST(TCA_RAMP_GEAR_UP, "gear-up",
		  "1us..1s or 0.01%..100%, one or one for each gear, above gear-down",
		  NLA_BINARY),
	RAMP_LIST(TCA_RAMP_GEAR_DOWN, "gear-down",
		  "0..1s or 0%..99.99%, one or one for each gear, below gear-up",
		  NLA_BINARY),
	RAMP_LIST(TCA_RAMP_GEAR_PORTS, "gear-ports",
		  "none, or up to 64 devices of this network namespace",
		  NLA_NESTED),
	RAMP_LIST(TCA_RAMP_POWER, "power",
		  "none, or one for each gear; with power-ports none, or one",
		  NLA_BINARY),
	RAMP_LIST(TCA_RAMP_POWER_PORTS, "power-ports",
		  "none, or 2..16 of 0%..200%, the last for all ports up",
		  NLA_BINARY),
	RAMP_LIST(TCA_RAMP_CLOCK_PERCENT, "clock",
		  "0.01%..100%, one for each gear",
		  NLA_BINARY),
	RAMP_LIST(TCA_RAMP_CLOCK_CPUS, "cpus",
		  "none, or up to 64 CPUs of this machine",
		  NLA_BINARY),
	RAMP_GEAR(TCA_RAMP_GEAR_MIN, "gear-range",
		  "none, or MIN:MAX, 1..last gear", min, 0, U32_MAX),
	RAMP_GEAR(TCA_RAMP_GEAR_MAX, "gear-range",
		  "none, or MIN:MAX, 1..last gear", max, 0, U32_MAX),
	RAMP_GEAR(TCA_RAMP_GEAR_FOLLOW, "gear-follow",
		  "auto, occupancy, links or both",
		  follow, 0, RAMP_GEAR_FOLLOW_MAX),
	RAMP_GEAR(TCA_RAMP_GEAR_FIT, "gear-fit", "0.01%..100% or off",
		  fit, 0, RAMP_PERCENT),
	RAMP_GEAR(TCA_RAMP_FREEZE, "freeze", "0..1s or auto",
		  freeze, 0, RAMP_FREEZE_AUTO),
	RAMP_GEAR(TCA_RAMP_DWELL, "dwell", "0..60s",
		  dwell, 0, 60ULL * NSEC_PER_SEC),
	RAMP_GEAR(TCA_RAMP_IDLE, "idle", "1ms..60s",
		  idle, NSEC_PER_MSEC, 60ULL * NSEC_PER_SEC),
	RAMP_GEAR(TCA_RAMP_CLOCK, "clock", "none or cpufreq",
		  clock, 0, RAMP_CLOCK_MAX),
	RAMP_ANSWER(TCA_RAMP_GEAR_TOP, "gear_top"),
	RAMP_ANSWER(TCA_RAMP_FREEZE_NOW, "freeze_now"),
	{}
};
