#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which gear an occupancy asks for, as seen from outside: each move with what was
# waiting then, when moves are made, and how fast packets leave in each gear.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/gears.sh
. "$HERE/lib/gears.sh"

# gaps FROM TO - between the arrivals of frames FROM .. TO (from 0): least and most,
# ns.
gaps()
{
	capture frames | awk -v from="$1" -v to="$2" '
		NR > from + 1 && NR <= to + 1 {
			gap = $1 - last
			least = !least || gap < least ? gap : least
			most = gap > most ? gap : most
		}
		{ last = $1 }
		END { print least + 0, most + 0 }'
}

# paced NAME GAP LEAST MOST - timers are exact to less than a microsecond.
paced()
{
	within "$1: the least gap, us" "$3" $(($2 - 2000)) $(($2 + 2000))
	within "$1: the greatest gap, us" "$4" $(($2 - 2000)) $(($2 + 2000))
}

# times - between the moves, us, to the nearest 10
times()
{
	gear_moves | awk 'NR > 1 { printf "%.0f\n", ($1 - last) / 1e4 }
		{ last = $1 }' | awk '{ print $1 * 10 }' | paste -sd' '
}

# Each packet that comes or goes is a decision, a look of the timer is none. The 71st
# of a burst is the 70th that waits. A ramp begins in the top gear, and rests once.
rule()
{
	geared gear-up 70% gear-down 20% dwell 0
	rests
	play x100
	is "one gear-up for all: a step per decision, up and down" \
		"$(gear_story)" \
		"0>1:idle@1 1>2:occupancy@70 2>3:occupancy@71 3>4:occupancy@72 4>3:occupancy@20 3>2:occupancy@19 2>1:occupancy@18 1>0:idle@0"
	is "one gear-up for all: as many moves as the counters say" \
		"$(counters gear gear_min gear_max options.gear_top gear_changes \
			range_drops)" "0 1 4 4 9 0"
	all_came "one gear-up for all"
	names_of_trace "one gear-up for all" ramp_gear
	within "one gear-up for all: frames over the limit, each when it waits" \
		"$(counter overlimits)" 80 200
	shift_gear gears 5mbit,10mbit
	rests
	is "other gears: from their highest to rest, and the counter goes on" \
		"$(counter gear_changes)" 10

	geared gear-up 30%,40%,60%,80%,90% gear-down 5%,10%,20%,30%,40% dwell 0
	rests
	play x100
	is "one gear-up for each gear: a step per decision, up and down" \
		"$(gear_story)" \
		"0>1:idle@1 1>2:occupancy@40 2>3:occupancy@60 3>4:occupancy@80 4>3:occupancy@40 3>2:occupancy@30 2>1:occupancy@20 1>0:idle@0"
	all_came "one gear-up for each gear"

	# One packet less than the threshold, and one more than the other.
	geared gear-up 70% gear-down 20% dwell 0
	rests
	play x70
	is "one packet below gear-up: no move" "$(gear_story)" "0>1:idle@1 1>0:idle@0"
	geared gear-up 70% gear-down 0% dwell 0
	rests
	play x71
	is "gear-down 0: a move down when nothing waits" "$(gear_story)" \
		"0>1:idle@1 1>2:occupancy@70 2>1:occupancy@0 1>0:idle@0"
}

# What is exempt waits for nothing that a gear could give it, in bytes and in time alike.
exempt()
{
	exempt_waits "250 KB in an exempt band"
	exempt_waits "250 KB in the child of an exempt band" pfifo limit 1000
}

# exempt_waits NAME [QDISC...] - that is the child of the exempt band.
exempt_waits()
{
	local name=$1
	shift

	ramp_below 8mbit 1250 detect off rate 10gbit limit 1000 bands 2 exempt 0 \
		gears 1gbit,2gbit,5gbit
	[ $# = 0 ] || tc -n "$src" qdisc add dev out0 parent 2:1 "$@"
	rests
	send x200 -s $GEAR_SIZE -p 0x20001 >/dev/null
	send x5 -s $GEAR_SIZE -p 0x20002 >/dev/null
	is "$name and 6 KB in another one ask for no gear" "$(counter gear)" 1
	holds "$name waits all the same" "$(counter qlen)" ">" 150
}

# What the rule gives is taken only if it lies in the range; a gear that a new range
# excludes moves into it.
range()
{
	geared gear-up 70% gear-down 20% gear-range 2:3 dwell 0
	rests
	play x100
	is "a range: its lowest gear first, no gear outside it" \
		"$(gear_story)" \
		"0>2:idle@1 2>3:occupancy@70 3>2:occupancy@20 2>0:idle@0"
	is "a range: what statistics say" \
		"$(counters gear_min gear_max options.gear_top)" "2 3 3"
	all_came "a range"

	geared gear-up 100% gear-down 0% gear-range 4:4 dwell 1s
	rests
	play_begin
	send x90 -s $GEAR_SIZE >"$NET_WORK/sent"
	shift_gear gear-range 1:2
	is "a present gear above a new range" "$(counter gear)" 2
	shift_gear gear-range 3:4
	is "a present gear below a new range" "$(counter gear)" 3
	shift_gear gear-range 1:4
	is "a present gear in a new range stays" "$(counter gear)" 3
	shift_gear gear-range none
	is "a present gear stays without a range" "$(counter gear)" 3
	play_end
	matches "a present gear outside a new range: at once, in one step, whatever dwell says" \
		"$(gear_story)" \
		'^0>4:idle@1 4>2:range@[0-9]+ 2>3:range@[0-9]+ 3>2:occ'
	all_came "ranges that exclude the present gear"
}

# A move up never waits; two down are dwell apart, also when nothing comes any more,
# and into the idle gear.
dwell()
{
	geared gear-up 70% gear-down 20% dwell 50ms idle 100ms
	rests
	sleep 0.2
	play x100
	is "dwell: the same moves, the last ones with nothing waiting" \
		"$(gear_story)" \
		"0>1:idle@1 1>2:occupancy@70 2>3:occupancy@71 3>4:occupancy@72 4>3:occupancy@20 3>2:occupancy@0 2>1:occupancy@0 1>0:idle@0"
	matches "dwell: 50 ms between two down" "$(times)" \
		'^0 0 0 [0-9]+ 50000 50000 50000$'

	# 3>4 and 4>3 are 10 ms apart: less than 10 times dwell, or more.
	geared gear-up 70% gear-down 20% dwell 2ms
	rests
	play x100
	is "a move that undoes the last one within 10 x dwell is a flap" \
		"$(counter flaps)" 1
	geared gear-up 70% gear-down 20% dwell 500us
	rests
	play x100
	is "dwell: a move that undoes the last one later is no flap" \
		"$(counter flaps)" 0

	# Down to gear 3 with the 80th packet, up again with the next burst.
	geared gear-up 70% gear-down 20% dwell 1s
	rests
	sleep 1.1
	play_begin
	send x100,0:10ms,x70 -s $GEAR_SIZE >"$NET_WORK/sent"
	drained
	is "dwell: a move up does not wait" \
		"$(counter gear) $(counter flaps)" "4 2"
	trace_stop
	capture_stop
}

# Only without traffic, and its end is the first packet, which finds the gate open.
idle()
{
	geared idle 100ms
	rests
	play 11pps:1s
	is "a packet every 91 ms keeps it out of the idle gear" \
		"$(gear_story)" "0>1:idle@1 1>0:idle@0"
	geared idle 100ms
	rests
	play 8pps:1s
	is "a packet every 125 ms does not keep it out of the idle gear" \
		"$(gear_moves | grep -c ' 0 1 idle')" 8
	is "the idle gear: 100 ms after the last packet left" \
		"$(times)" "$(for ((n = 0; n < 15; n++)); do
			echo $((n % 2 ? 25000 : 100000)); done | paste -sd' ')"
	within "the idle gear: the first packet leaves it at once, ns" \
		"$(capture frames | awk '{ d = $1 - $5; most = d > most ? d : most }
			END { print most }')" 0 2000
	all_came "the idle gear"

	# Its own rate is nobody's: what is waiting is more than the first packet.
	geared idle 100ms gear-range 3:3
	rests
	play x20
	# shellcheck disable=SC2046 # two numbers
	paced "after the idle gear, the rate of the lowest" 250000 $(gaps 1 19)
}

# In each gear: from the second packet on. The first finds a full bucket, which holds
# a tick and a packet.
rates()
{
	local gear

	for gear in 1 2 3 4; do
		geared gear-range $gear:$gear
		rests
		play x40
		# shellcheck disable=SC2046 # two numbers
		paced "gear $gear" \
			$((GEAR_SIZE * 8 * 1000000000 / $(gear_rate $gear))) \
			$(gaps 1 39)
	done

	# The bucket does not grow while nothing comes.
	geared gear-range 2:2 idle 1s
	play x1,0:300ms,x40
	# shellcheck disable=SC2046 # two numbers
	paced "after a while without packets" 500000 $(gaps 2 40)
	# A tick of 10 ms is 20 packets of the gear, and there is one beside it.
	geared gear-range 2:2 idle 1s tick 10ms
	sleep 0.1
	play x60
	is "a longer tick: what it carries goes at once" \
		"$(capture frames | awk 'NR == 1 { first = $1 }
			$1 - first < 100000 { n++ } END { print n }')" 21
	# shellcheck disable=SC2046 # two numbers
	paced "a longer tick: the rate after that" 500000 $(gaps 21 59)
}

net_init ramp-send tcpdump
only_virtual_time
# A bucket holds one frame.
pair $((GEAR_SIZE - 14))
sleep 1		# until timers have a high resolution
rule
exempt
range
dwell
idle
rates
ktap_end
