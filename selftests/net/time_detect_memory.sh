#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a detector has seen counts for as long as the manual says: what a ramp held
# back is no surge when it leaves, but a later fall is one; a surge of the queue waits
# a window for that of the arrivals; a change of the mode ends the monitoring period.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

# A ramp of 40 ms has held packets back, which leave in no time. Later the queue rises
# so slowly that it is no surge, and falls as fast as before.
own_backlog()
{
	ramp_below 900mbit 100000 rate 1gbit tick 1ms detect queue window 20ms \
		start 2p step 2p queue 5:50
	send 950mbit:30ms,400mbit:60ms >/dev/null
	drained
	is "what a ramp held back leaves: no surge" \
		"$(counters surges_up surges_down surges_self)" "1 0 1"
	sleep 0.1
	send 920mbit:100ms >/dev/null
	drained
	is "a fall long after that is a surge" \
		"$(counters surges_up surges_down surges_self)" "1 1 1"
}

# both PARAMETER... - one packet of 1514 bytes leaves in 1.5 s, so what is sent waits.
# HIGH of the arrivals is 40 packets in 12.5 ms.
both()
{
	ramp_below 8kbit 1514 rate 100mbit detect both window 100ms monitor 500ms \
		queue 10:30 ingress 80pps:3200pps "$@"
}

# The queue surges, and nothing is known of the arrivals until so many ms later.
unjudged()
{
	both
	send "x35,0:$1ms,x45" >/dev/null
	is "arrivals surge $1 ms after the queue, in a window of 100 ms" \
		"$(counter surges_up)" "$2"
}

# The same of a queue that took 80 ms to rise: a surge is as old as its begin.
slow_rise()
{
	both ingress 400pps:3200pps
	send "x9,0:20ms,250pps:88ms,0:$1ms,x45" >/dev/null
	is "arrivals surge $1 ms after a queue that took 80 ms to rise" \
		"$(counter surges_up)" "$2"
}

# Arrivals surge, the queue does so when somebody has switched to another mode and back.
mode_changes()
{
	both monitor 10s queue 150:200
	send x101 >/dev/null
	is "a surge of the arrivals is monitored" "$(counter state)" monitoring
	tc -n "$src" qdisc change dev out0 parent 3:1 handle 2: ramp detect queue
	is "another mode monitors nothing" "$(counter state)" idle
	tc -n "$src" qdisc change dev out0 parent 3:1 handle 2: ramp detect both \
		ingress 80pps:100000pps
	is "the mode of before has seen nothing yet" "$(counter state)" idle
	send x110 >/dev/null
	is "the queue surges without arrivals that did" \
		"$(counters surges_up ramps)" "0 0"
}

# Arrivals that fall are monitored as those that rise, which were when they did.
falls()
{
	ramp rate 100mbit detect both window 100ms monitor 500ms queue 100:500 \
		ingress 80pps:3200pps
	send 4000pps:2s -s 100 >/dev/null
	sleep 0.1
	is "a fall of the arrivals is monitored" "$(counters state surges_down)" "monitoring 0"
	sleep 0.6
	is "a fall of the arrivals was monitored for long enough" \
		"$(counters state surges_down)" "idle 0"
}

net_init ramp-send
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution
own_backlog
unjudged 50 1
unjudged 200 0
slow_rise 5 1
slow_rise 50 0
mode_changes
falls
ktap_end
