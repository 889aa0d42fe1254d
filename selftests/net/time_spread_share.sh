#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Between two samples a port is as full as what was sent to it says: it gives way with
# the frame that takes it to the next class, after the first sample and after the next. Nor
# does a port that was away for long wait for its frames when it is back, nor one get more
# than its share because a sample finds what was counted.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$HERE/lib/spread.sh"

spread_init teamnl
hold_or_skip
only_virtual_time
sleep 1		# until timers have a high resolution
team spread
veth_ports 2
# Neither queue nor BQL: all that is known is what was sent since the sample.
setopts "spread_interval 1000000" "spread_flowlet 0" "spread_capacity 40 p0" \
	"spread_capacity 400 p1"
# shared NAME P0 - what both have sent since the begin.
shared()
{
	local sent

	flows -f 160 -e 0ms >/dev/null
	sent=$(of_ports spread_tx)
	is "$1: frames of the smaller port" "${sent% *}" "$2"
	is "$1: frames of both" "$((${sent% *} + ${sent#* }))" $(($2 * 8))
}

# p0 is left with 10 frames, p1 with 100, p0 again with 20.
shared "two ports of unequal size" 20
sleep 1.1
shared "after another sample" 40
sleep 1.1
shared "after a third sample" 60

# A reading that finds what was counted before it counts from there: p0 takes 10 frames
# more, all others go to the one that has room.
team spread
for port in 0 1; do
	hold_port $port
	hold p$port credit 0
	tc -n "$src" qdisc replace dev p$port root pfifo limit 2000
done
setopts "spread_interval 100000" "spread_flowlet 0" "spread_classes 90" \
	"spread_index priority" "spread_capacity 100 p0" "spread_capacity 1000 p1" \
	"spread_sets 1 p0" "spread_sets 2 p1"
flows -f 90 -e 0ms >/dev/null
sleep 0.2
flows -f 900 -p 1 -e 0ms >/dev/null
setopts "spread_sets 1 p1"
flows -f 60 -e 0ms >/dev/null
is "a port that has as much as was counted: frames of both" \
	"$(waiting p0) $(waiting p1)" "100 950"
ktap_end
