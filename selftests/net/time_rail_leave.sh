#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a member of a rail had is there for others when it does not need it any more:
# its busy bands do not count when it has left, and ticks that would have paid for a
# packet that is lost are there for other members. And a member whose packets are lost
# while they wait is woken for those that come later.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"
# shellcheck source=selftests/net/lib/rail.sh
. "$HERE/lib/rail.sh"

# surges_of "N PROFILE"... - surges and ramps so far, after these have sent.
surges_of()
{
	rail_send_each "$@"
	rail_drained || note "still not empty"
	rm -f "$NET_WORK"/sent[1-5]
	rail_stats '.[0] | [.surges_up, .ramps] | join(" ")'
}

# Four busy bands are a surge. One member leaves while its band is busy, with what waits.
busy_leaver()
{
	rail_below rate 1gbit detect members members 1:4 tick 1ms start 2p step 2p
	rail_send 3 x40 >/dev/null
	tc -n "$src" qdisc change dev out0 parent 23:1 handle 13: \
		ramp rail none detect off members 0:1 || fail "a member leaves"
	is "a member left, three others are busy: no surge" \
		"$(surges_of "1 x40" "2 x40" "5 x40")" "0 0"
	is "a member left, four others are busy" \
		"$(surges_of "1 x40" "2 x40" "4 x40" "5 x40")" "1 1"
}

# between FROM TO - frames that arrived at in1 from FROM to TO s after the ramp began.
between()
{
	answer capture frames "$NET_WORK/pcap1" |
		awk -v begin="$(surge_time 1 ramp)" -v from="$1" -v to="$2" '
			{ at = ($1 - begin) / 1e9 }
			at > from && at < to { n++ }
			END { print n + 0 }'
}

# share_seconds PARENT... - members 11, which has that parent, and 15 share ticks of a
# second and 500 bytes.
share_seconds()
{
	tc -n "$src" qdisc add dev out0 "$@" handle 11: ramp rail 7 \
		rate 1gbit detect ingress ingress 10mbit:50mbit window 10ms tick 1s \
		start 4kbit step 8bit limit 1000 bands 2 exempt none \
		priomap 1 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2>/dev/null
	tc -n "$src" qdisc add dev out1 root handle 15: ramp rail 7 limit 1000 \
		2>/dev/null
}

# has_sent NAME DEQUEUED QUEUED - of member 11
has_sent()
{
	is "$1" "$(rail_stats '.[0] | [.dequeued, .queued] | join(" ")')" "$2 $3"
}

# 11 is below a tbf, which is shown a packet of three ticks, and has no tokens for it: it
# is charged, and does not leave. Then it is lost, and all that 11 has is small.
lost_promise()
{
	tc -n "$src" qdisc del dev out0 root
	tc -n "$src" qdisc del dev out1 root
	tc -n "$src" qdisc add dev out0 root handle 1: mq
	tc -n "$src" qdisc add dev out0 parent 1:1 handle 21: \
		tbf rate 4kbit burst 1600 limit 100000000
	share_seconds parent 21:1
	rail_capture_start
	trace_start
	rail_send 1 x1 -s 1514 -p 1 >/dev/null
	sleep 0.1
	# Makes the ramp, and has a packet for each of its ticks.
	rail_send 5 x400 -s 500 >/dev/null
	sleep 0.5
	rail_send 1 x1 -s 1514 -p 1 >/dev/null
	sleep 0.8
	has_sent "a large packet is promised, and has not left" 1 1
	tc -n "$src" qdisc add dev out0 parent 11:1 pfifo
	rail_send 1 x1 -s 100 -p 0 >/dev/null
	sleep 1.6
	has_sent "a small one has left instead" 2 0
	trace_stop
	tc -n "$src" qdisc del dev out0 root
	tc -n "$src" qdisc del dev out1 root
	rail_capture_stop
	is "the tick of the promise has nothing for others" "$(between 0.95 1.95)" 0
	is "the next one has, as the promise was lost" "$(between 1.95 2.85)" 1
}

# Nobody is above 11. Its packet has to wait, and is lost.
lost_while_waiting()
{
	share_seconds root
	rail_send 5 x400 -s 500 >/dev/null
	sleep 0.2
	rail_send 1 x1 -s 500 -p 1 >/dev/null
	sleep 0.1
	has_sent "a packet waits for a tick" 0 1
	tc -n "$src" qdisc add dev out0 parent 11:1 pfifo
	rail_send 1 x1 -s 500 -p 0 >/dev/null
	sleep 0.1
	has_sent "it is lost, and another one waits" 0 1
	sleep 2.5
	has_sent "that leaves in one of the next two ticks" 1 0
	tc -n "$src" qdisc del dev out0 root
	tc -n "$src" qdisc del dev out1 root
}

net_init ramp-send tcpdump
only_virtual_time
rail_pair 1500
sleep 1		# until timers have a high resolution
busy_leaver
lost_promise
lost_while_waiting
ktap_end
