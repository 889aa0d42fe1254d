#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A port that is busy before it has rested long enough for the idle gear: no timer is
# started for that as long as packets wait, and when none does any more it rests.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/gears.sh
. "$HERE/lib/gears.sh"

TIMER=$TRACE/events/timer/hrtimer_start

# timers SECONDS - how many the ramp starts in that time
timers()
{
	echo 0 >$TRACE/tracing_on
	echo >$TRACE/trace
	echo 1 >$TIMER/enable
	echo 1 >$TRACE/tracing_on
	sleep "$1"
	echo 0 >$TRACE/tracing_on
	echo 0 >$TIMER/enable
	grep -c 'function=ramp_\|\[sch_ramp\]' $TRACE/trace
}

net_init ramp-send
only_virtual_time
[ -e $TIMER ] || missing "tracepoints of timers"
pair $((GEAR_SIZE - 14))
sleep 1		# until timers have a high resolution

# What leaves is a packet in 10 ms; the gear has a bucket for more.
tc -n "$src" qdisc replace dev out0 root handle 3: \
	tbf rate 1mbit burst $GEAR_SIZE limit 100000000
tc -n "$src" qdisc replace dev out0 parent 3:1 handle 2: ramp detect off \
	rate 1gbit tick 10ms limit 1000 gears $GEARS gear-range 3:3 \
	idle 100ms dwell 10ms
rests
send x1 -s $GEAR_SIZE >/dev/null
sleep 0.09
send x200 -s $GEAR_SIZE >/dev/null
is "timers while one packet leaves after the other" "$(sleep 0.5; timers 1)" 0
is "it is busy all the time, in its gear" "$(counter gear)" 3
within "some have left, others wait" "$(counter queued)" 20 80
drained
rests
is "at last it rests" "$(counter gear)" 0

# What waits is discarded, so that no packet leaves after which it could rest.
send x50 -s $GEAR_SIZE >/dev/null
is "it is busy again" "$(counter gear)" 3
tc -n "$src" qdisc add dev out0 parent 2:1 pfifo
sleep 0.3
is "what waits is discarded: it rests" "$(counters gear queued)" "0 0"
ktap_end
