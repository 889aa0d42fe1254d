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
