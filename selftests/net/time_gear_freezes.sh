#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How long a change of gears takes when more comes meanwhile, and what is known of
# changes when there are other gears.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/gears.sh
. "$HERE/lib/gears.sh"

MS=1000000

# delay N - of frame N (from 0), ns
delay()
{
	capture frames | awk -v n="$1" '$2 == n { print $1 - $5 }'
}

# The first packet begins a change, and what comes in the midst of it asks for the top
# gear: that is one change.
more_comes()
{
	geared freeze 10ms limit 3000 gear-up 10% gear-down 0% dwell 0
	rests
	sleep 0.05
	play x1,0:5ms,x400
	matches "what comes in a change asks for higher gears" "$(gear_story)" \
		'^0>1:idle@1 1>2:occupancy@300 2>3:occupancy@301 3>4:'
	within "the first packet waits for one change" "$(delay 0)" \
		$((10 * MS)) $((10 * MS + MS / 10))
	all_came "what comes in a change"
}

# Counters belong to the qdisc, not to its gears.
other_gears()
{
	local before

	sleep 0.05
	before=$(counters freezes freeze_ns.min freeze_ns.avg freeze_ns.max)
	matches "changes were counted" "$before" '^[1-9]'
	shift_gear gears 10mbit,20mbit,40mbit
	is "with other gears the counters of changes go on" \
		"$(counters freezes freeze_ns.min freeze_ns.avg freeze_ns.max)" \
		"$before"
}

# A change that is under way when there are other gears is over then.
other_gears_meanwhile()
{
	local before

	geared freeze 10ms limit 3000 gear-up 10% gear-down 0% dwell 0
	rests
	sleep 0.05
	before=$(counter freezes)
	send x1 -s $GEAR_SIZE >/dev/null
	sleep 0.005
	is "in the midst of a change" "$(counters state freezes)" "frozen $before"
	shift_gear gears 10mbit,20mbit,40mbit
	is "other gears in the midst of a change: it is counted" "$(counter freezes)" \
		$((before + 1))
	within "other gears in the midst of a change: the shortest one is that, ns" \
		"$(counter freeze_ns.min)" $((5 * MS)) $((6 * MS))
	within "other gears in the midst of a change: the longest one is as before, ns" \
		"$(counter freeze_ns.max)" $((10 * MS)) $((10 * MS + MS / 10))
	drained
}

# Without gears nothing waits for the end of a change.
no_gears_meanwhile()
{
	geared freeze 10ms limit 3000 gear-up 10% gear-down 0% dwell 0
	rests
	sleep 0.05
	capture_start
	send x1 -s $GEAR_SIZE >/dev/null
	sleep 0.005
	shift_gear gears none
	drained
	capture_stop
	within "no gears any more in the midst of a change: the packet waited, ns" \
		"$(delay 0)" $((5 * MS)) $((6 * MS))
}

# So does that of moves that were undone soon.
other_gears_flaps()
{
	geared gear-up 70% gear-down 20% dwell 2ms
	rests
	play x100
	is "a move that was undone soon is counted" "$(counter flaps)" 1
	shift_gear gears 10mbit,20mbit,40mbit
	is "with other gears the counter of moves undone goes on" "$(counter flaps)" 1
}

net_init ramp-send tcpdump
only_virtual_time
pair $((GEAR_SIZE - 14))
sleep 1		# until timers have a high resolution
more_comes
other_gears
other_gears_meanwhile
no_gears_meanwhile
other_gears_flaps
ktap_end
