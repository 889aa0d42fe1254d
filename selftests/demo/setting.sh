# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034 # for those who source it
#
# What the demo shows, for its parts in the guest and on the host.

# The wire, and a load that fills it at once, for a while, and then stops.
DEMO_RATE=100mbit
DEMO_FRAME=250
DEMO_LOAD=$DEMO_RATE:100ms

# A tick of 1 ms is slow, so that single steps can be seen. What waits after the
# way up is what the way down is made of. Part of it leaves before the end is seen
# (one to two slots, window / 8), so the way down is a little steeper, and nearly
# nothing is left for the floor. The window is as short as it can be with slots of
# one tick, and a rise to a tenth of the rate is a surge, so that little passes
# before it is seen.
DEMO_RAMP='rate 100mbit tick 1ms start 5% step 4.3% down-step 5%
	detect ingress ingress 1%:10% window 8ms'
DEMO_TICK_NS=1000000

# A day, of which an hour takes a second, and a port a ten-thousandth of what the
# prototype of NetFridgeS has: its clocks carry 60, 100, 140, 180 and 200 Gbit/s, and
# its pipeline takes that many percent of the power of one without gears (Table 4;
# the idle clock is given what the least load takes). So a joule that is counted stands
# for a watt-hour, where that pipeline takes 100 W. With one threshold for all gears
# what waits when it is reached would ask for each higher gear in turn, so they rise.
DAY_HOUR_NS=1000000000
DAY_FRAME=1250
DAY_GEARS=3mbit,6mbit,10mbit,14mbit,18mbit,20mbit
DAY_POWER=28.24,28.24,67.03,73.87,81.18,100.09
DAY_RAMP="detect off limit 500 gear-up 2%,2%,5%,8%,11%,14% gear-down 1% freeze auto gears $DAY_GEARS power $DAY_POWER"

# Percent of the last gear that come at each full hour, and at the end.
DAY_LOAD='34 22 12 5 0 0 9 21 34 44 50 53 55 55 56 58 62 70 80 91 97 94 76 52 34'
