#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets that a child loses while nobody asks it for any: the queue has fallen then
# and there, not when the next packet comes.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

net_init ramp-send
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

# One packet leaves in 1.5 s. The queue rises for longer than a window.
ramp_below 8kbit 1514 rate 100mbit detect queue queue 5:20 window 100ms bands 1
tc -n "$src" qdisc add dev out0 parent 2:1 handle 4: prio bands 2 \
	priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
tc -n "$src" qdisc add dev out0 parent 4:1 handle 5: pfifo
send x6,0:50ms,x10,0:150ms,x5 >/dev/null
is "a queue that rises slowly" "$(counters queued surges_up)" "20 0"
trace_start
tc -n "$src" qdisc del dev out0 parent 4:1
sleep 0.05
trace_stop
matches "the queue of a child is taken away: a surge down, of nothing that waits" \
	"$(surges)" '^[0-9]+ down queue empty [0-9]+ 0$'
is "its packets are counted as lost" "$(counters dropped queued down_empty)" "20 0 1"
ktap_end
