#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A member of a rail has a parent that was shown a packet in one tick of a ramp, and takes
# it in a later one. It counts in that one: all members together send no more.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/rail.sh
. "$NET_LIB/rail.sh"

MS=1000000
EARLY=2000	# ns; timers are exact to less

net_init ramp-send tcpdump
only_virtual_time
rail_pair 1236
sleep 1		# until timers have a high resolution

tc -n "$src" qdisc add dev out1 root handle 25: \
	tbf rate 8kbit burst 1600 limit 100000000
tc -n "$src" qdisc add dev out1 parent 25:1 handle 15: ramp rail 7 rate 1gbit \
	detect ingress ingress 10pps:1000pps window 1s tick 100ms start 5p step 1p \
	down-step 1p floor 5p 2>/dev/null
tc -n "$src" qdisc add dev out0 root handle 1: mq
tc -n "$src" qdisc add dev out0 parent 1:1 handle 11: ramp rail 7
rail_capture_start
trace_start
rail_send 1 x300 -s 1250 >/dev/null
rail_send 5 x3 -s 1250 >/dev/null
sleep 0.45
tc -n "$src" qdisc change dev out1 root handle 25: tbf rate 1gbit burst 1000000 \
	limit 100000000
rail_send 5 x1 -s 1250 >/dev/null
rail_drained
trace_stop
rail_capture_stop
# The down step has brought all ticks to 5 by then. One has the packet beside its own, and
# the next one pays for it.
is "a promised packet counts in the tick in which it leaves" "$(rail_frames bins \
	--origin $(($(surge_time 1 ramp) - EARLY)) --tick $((100 * MS)) --ticks 8 |
	cut -d' ' -f5-)" "6 4 5 5"
ktap_end
