# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034 # for those who source it
#
# What the demo shows, for its parts in the guest and on the host.

# The wire, and a load that fills it at once, for a while, and then stops.
DEMO_RATE=1gbit
DEMO_FRAME=250
DEMO_LOAD=$DEMO_RATE:10ms

# The plain line. The port is a shaper here, whose speed the link does not tell; all
# else is what nobody has to name.
DEMO_RAMP='rate 1gbit'
DEMO_TICK_NS=100000

# A day, of which an hour takes a second, and a port a ten-thousandth of what the
# prototype of NetFridgeS has: its clocks carry 60, 100, 140, 180 and 200 Gbit/s. The
# paper has no power by gear, but one by the share of ports that are in use (Table 4):
# each gear is given that of the ports for which it is the lowest one that carries them,
# and the idle clock that of the fewest, in percent of a pipeline without gears. So a
# joule that is counted stands for a watt-hour, where that pipeline takes 100 W. A packet
# takes up to 2 ms at these rates, so what may wait and what is looked at lasts longer
# than by default; and so does a pause before it is the idle gear's.
DAY_HOUR_NS=1000000000
DAY_FRAME=1250
DAY_GEARS=3mbit,6mbit,10mbit,14mbit,18mbit,20mbit
DAY_POWER=28.24,28.24,67.03,73.87,81.18,100.09
DAY_RAMP="detect off limit 500 gear-up 10ms gear-down 2ms dwell 20ms idle 250ms freeze auto gears $DAY_GEARS power $DAY_POWER"

# Percent of the last gear that come at each full hour, and at the end.
DAY_LOAD='34 22 12 5 0 0 9 21 34 44 50 53 55 55 56 58 62 70 80 91 97 94 76 52 34'

# day_profile - the day for ramp-send: a straight line from hour to hour.
day_profile()
{
	local load last='' line=() top=${DAY_GEARS##*,}

	top=${top%mbit}
	for load in $DAY_LOAD; do
		[ -z "$last" ] || line+=("$((last * top * 10))kbit-$((load * top * 10))kbit:${DAY_HOUR_NS}ns")
		last=$load
	done
	(IFS=,; echo "${line[*]}")
}

# What a packet waits under a load that rises and falls, and in a burst of 64 kbyte: on
# two lines, through three qdiscs.
LATENCY_RATES='1gbit 10gbit'
LATENCY_QDISCS='pfifo fq_codel ramp'
LATENCY_FRAME=1514

# latency_load RATE - for ramp-send: 10 % of the line, 90 %, 10 %, a burst, 10 %.
latency_load()
{
	local tenth=$((${1%gbit} * 100))

	echo "${tenth}mbit:2ms,$((tenth * 9))mbit:6ms,${tenth}mbit:3ms,x44,${tenth}mbit:3ms"
}
