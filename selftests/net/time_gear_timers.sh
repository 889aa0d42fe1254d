#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Timers that gears start: none while nothing is to happen. By the kernel's own
# tracepoints of timers, all of which are looked at, on a machine that does nothing
# else.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/gears.sh
. "$HERE/lib/gears.sh"

TIMER=$TRACE/events/timer

# timers_of SECONDS COMMAND... - what starts timers of sch_ramp or of qdiscs from
# then on for so long, one line each: what function, and when it is to fire.
timers_of()
{
	local seconds=$1
	shift

	echo 0 >$TRACE/tracing_on
	echo >$TRACE/trace
	echo 1 >$TIMER/hrtimer_start/enable
	echo 1 >$TIMER/timer_start/enable
	echo 1 >$TRACE/tracing_on
	"$@"
	sleep "$seconds"
	echo 0 >$TRACE/tracing_on
	echo 0 >$TIMER/hrtimer_start/enable
	echo 0 >$TIMER/timer_start/enable
	grep -E 'function=(ramp_|qdisc_)|\[sch_ramp\]' $TRACE/trace
}

# count COMMAND... - timers in the second that follows it
count()
{
	timers_of 1 "$@" >"$NET_WORK/timers"
	wc -l <"$NET_WORK/timers"
}

# shellcheck disable=SC2317 # called by timers_of
one_packet()
{
	send x1 -s "$GEAR_SIZE" >/dev/null
}

# shellcheck disable=SC2317 # called by timers_of
burst()
{
	send x100 -s "$GEAR_SIZE" >/dev/null
}

# shellcheck disable=SC2317 # called by timers_of
steady()
{
	send 100pps:2s -s "$GEAR_SIZE" >/dev/null
}

net_init ramp-send
only_virtual_time
[ -e $TIMER/hrtimer_start ] || missing "tracepoints of timers"
pair $((GEAR_SIZE - 14))
sleep 1		# until timers have a high resolution

geared idle 200ms dwell 10ms
rests
is "the idle gear: no timer" "$(count true)" 0
sleep 5
is "the idle gear: no timer later on" "$(count true)" 0

is "one packet: one timer, which takes it to the idle gear" \
	"$(count one_packet) $(counter gear)" "1 0"
is "one packet: no timer after the idle gear" "$(count true)" 0

# Dwell puts off two moves down, then it rests: one after the other.
geared idle 200ms dwell 50ms
rests
timers_of 2 burst >"$NET_WORK/timers"
is "a burst ends in the idle gear" "$(counter gear)" 0
is "a burst in the idle gear: no timer" "$(count true)" 0

# Nothing to come down from: no dwell, one gear of the range, one timer.
geared idle 200ms gear-range 2:2 dwell 10ms
rests
is "a range of one gear: one timer" "$(count one_packet)" 1

# Packets every 10 ms put off the idle gear, but not by a timer each: a one-shot
# that comes too early looks again.
geared idle 200ms gear-range 2:2 dwell 10ms
rests
timers_of 0 steady >"$NET_WORK/timers"
within "200 packets, of which none has to wait: timers" \
	"$(wc -l <"$NET_WORK/timers")" 1 12

ramp detect off rate 1gbit
is "no gears: no timer" "$(count one_packet)" 0
geared idle 10s
one_packet
shift_gear gears none
is "gears none: no timer is started" "$(count one_packet)" 0
ktap_end
