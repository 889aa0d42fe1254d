#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A gate through which nothing can leave for many ticks, in a pause or as a packet
# larger than an allowance is paid for, is not looked at in each of them: how often
# timers make qdiscs run. And what changes the ramp meanwhile is noticed, also by
# others on the rail: a change, a turn, its end.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"
# shellcheck source=selftests/net/lib/rail.sh
. "$HERE/lib/rail.sh"

MS=1000000
EARLY=2000	# ns; timers are exact to less

# runs - how often qdiscs were run by what is not a packet.
runs()
{
	awk '$1 == "NET_TX:" { print $2 }' /proc/softirqs
}

# while_it_sleeps SECONDS - how often that is, with nobody else who asks.
while_it_sleeps()
{
	local before

	before=$(runs)
	sleep "$1"
	echo $(($(runs) - before))
}

net_init ramp-send tcpdump
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

# ---- Nobody looks at 20000 ticks. The window is longer than the pause, as its slots
# end, too.
SLEEPY='rate 1gbit detect queue queue +1 window 10s limit 100000'

# shellcheck disable=SC2086 # parameters are words
{
	ramp $SLEEPY tick 50us start 1p step 1p pause 1s 2>/dev/null
	capture_start
	trace_start
	send x30 >/dev/null
	within "a pause of 20000 ticks: runs in 800 ms of it" \
		"$(while_it_sleeps 0.8)" 0 8
	is "a pause: all wait" "$(counters state qlen ticks_late)" "ramp-up 30 0"
	drained
	trace_stop
	capture_stop
	# Of 1 gbit a tick carries 4.1.
	is "a pause of a second: then 1, 2, 3, 4, 5 per tick" \
		"$(capture bins --origin $(($(surge_time 1 ramp) + 1000 * MS - EARLY)) \
			--tick 50000 --ticks 5)" "1 2 3 4 5"
	is "a pause: counters" "$(counters state ticks_late ramps ramps_turned delayed)" \
		"idle 0 1 0 8"

	# Packets of 1000 bytes, one byte per tick, one more in each: the first is paid
	# for by 44 ticks, the 30th by four.
	ramp $SLEEPY tick 50us start 160kbit step 160kbit 2>/dev/null
	capture_start
	trace_start
	before=$(runs)
	send x30 -s 1000 >/dev/null
	drained
	after=$(runs)
	trace_stop
	capture_stop
	# shellcheck disable=SC2046 # a list
	is "1 byte per tick: packets" \
		"$(capture bins --origin $(($(surge_time 1 ramp) - EARLY)) \
			--tick 50000 --ticks 242)" \
		"$(model sizes 1000 $(model up 1 1 242))"
	within "1 byte per tick: runs for 29 packets that wait" \
		$((after - before)) 1 60
	is "1 byte per tick: counters" "$(counters ticks_late delayed)" "0 29"
	ramp rate 1gbit detect always tick 50us start 160kbit step 160kbit \
		limit 100000
	before=$(runs)
	send x30 -s 1000 >/dev/null
	drained
	within "detect always, a byte more per tick: runs for 30 packets" \
		$(($(runs) - before)) 1 70
	is "detect always: counters" "$(counters ticks_late)" "0"

	# ---- Looks that ask for nothing.
	took=
	for looks in "" "looked at"; do
		ramp rate 1gbit detect always tick 50us start 160kbit step 160kbit \
			limit 100000
		capture_start
		send x200 -s 1000 >/dev/null
		while [ -n "$looks" ] && [ "$(counter qlen)" != 0 ]; do
			sleep 0.001
		done
		drained
		capture_stop
		us=$(capture frames | awk '{ if (!first) first = $1 }
			END { print int(($1 - first) / 1000) }')
		note "detect always${looks:+, $looks}: $us us for 200 packets"
		[ -n "$took" ] || took=$us
	done
	within "detect always, looked at: takes as long as if nobody looked" "$us" \
		$((took - took / 100)) $((took + took / 100))
	# Bytes and ticks of a climb by a step per tick, and that again.
	within "detect always: us for 200 packets" "$took" 31500 95000

	# ---- What ends the sleep.
	ramp $SLEEPY tick 1ms start 100p step 1p pause 10s 2>/dev/null
	send x30 >/dev/null
	sleep 0.1
	tc -n "$src" qdisc change dev out0 root ramp pause 150ms
	sleep 0.1
	is "a pause that is made shorter" "$(counters state qlen)" "idle 0"

	ramp $SLEEPY tick 1ms start 100p step 1p pause 10s cease 150ms 2>/dev/null
	send x30 >/dev/null
	sleep 0.1
	is "a ramp whose time is over in the pause: before" "$(counter qlen)" 30
	sleep 0.1
	is "a ramp whose time is over in the pause" "$(counters state qlen ramps_done)" \
		"idle 0 1"

	# Slots of 12.5 ms, eight of them at rest. It ends with a tick.
	for tick in 1ms 300ms; do
		ramp rate 1gbit detect queue queue +1 window 100ms tick $tick \
			pause 10s start 50p step 1p cease auto limit 100000 2>/dev/null
		send x30 >/dev/null
		sleep 1.3
		is "a ramp that settles in the pause, tick $tick" \
			"$(counters state qlen ramps_done)" "idle 0 1"
	done
}

# up_again PROFILE FROM TO PARAMETER... - down after two slots of a second, then up again
# while it pays: a packet leaves FROM .. TO us later.
up_again()
{
	local profile=$1 from=$2 to=$3

	shift 3
	ramp rate 1gbit detect ingress ingress 10pps:40pps window 8s limit 100000 \
		down-step 1gbit floor 8kbit "$@" 2>/dev/null
	capture_start
	trace_start
	send "$profile" >/dev/null
	trace_stop
	tc -n "$src" qdisc del dev out0 root
	capture_stop
	is "$*: what turns" "$(surges turn | cut -d' ' -f2-4 | tr '\n' ' ')" \
		"down ingress turn up ingress turn "
	within "$*: us until a packet leaves" "$(capture frames |
		awk -v at="$(surge_time 2 turn)" '
			$1 > at && (!first || $1 < first) { first = $1 }
			END { print int((first - at) / 1000) }')" "$from" "$to"
}

# A packet is paid for by 1513 ticks, and up again by 54.
up_again x2000,0:2400ms,x100,0:200ms 10000 55000 tick 1ms start 8kbit step 8kbit
# Up again in the tick that begins to pay: the next one allows more than a packet.
up_again x100,0:2200ms,x100,0:1000ms 190000 210000 tick 300ms start 8kbit step 40kbit

# ---- The same, of others on the rail.
rail_pair 1500
sleep 1

# shown FILTER - of all members, each value once.
shown()
{
	rail_stats "map($1) | unique | map(tostring) | join(\" \")"
}

# rail_sleeps PARAMETER... - a new rail in the pause of an up ramp, with packets in
# two members.
rail_sleeps()
{
	# shellcheck disable=SC2086 # parameters are words
	rail_below rate 1gbit tick 50us limit 100000 pause 10s start 100p step 1p \
		window 10s "$@" 2>/dev/null || fail "rail 7 $*"
	rail_send_each "1 x200" "5 x200"
}

# rail_change PARAMETER... - told to the last member.
rail_change()
{
	tc -n "$src" qdisc change dev out1 parent 25:1 handle 15: ramp "$@"
}

rail_sleeps detect queue queue +100
within "rail: runs in 500 ms of a pause" "$(while_it_sleeps 0.5)" 0 8
waiting=$(rail_stats 'map(.qlen) | map(tostring) | join(" ")')
matches "rail: two members wait" "$waiting" '^[1-9][0-9]* 0 0 0 [1-9][0-9]*$'
rail_change pause 100ms
sleep 0.1
is "rail: a pause that another member makes shorter" \
	"$(shown .qlen) $(shown .ticks_late)" "0 0"

rail_sleeps detect queue queue +100
rail_change detect off
sleep 0.1
is "rail: a ramp that another member stops" "$(shown .state) $(shown .qlen)" "idle 0"

rail_sleeps detect queue queue +100 cease 150ms
sleep 0.3
is "rail: a ramp whose time is over in the pause" \
	"$(shown .state) $(shown .qlen) $(shown .ramps_done)" "idle 0 1"

for tick in 1ms 300ms; do
	rail_sleeps detect queue queue +100 window 100ms cease auto tick $tick start 200p
	sleep 1.2
	is "rail: a ramp that settles in the pause, tick $tick" \
		"$(shown .state) $(shown .qlen) $(shown .ramps_done)" "idle 0 1"
done

# Arrivals that fall again turn it, as their slots of 10 ms are over: from the next tick
# on 200 packets leave in each.
for tick in 1ms 100ms; do
	rail_sleeps detect ingress ingress 1mbit:50mbit window 80ms tick $tick \
		down-step 1p floor 200p
	sleep 0.5
	is "rail: a ramp that turns in the pause, tick $tick" \
		"$(shown .state) $(shown .qlen) $(shown .ramps_turned)" "idle 0 1"
done
ktap_end
