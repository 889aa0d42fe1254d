#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Between two samples a port is as full as what was sent to it says: it gives way with
# the frame that takes it to the next class, after the first sample and after the next. Nor
# does a port that was away for long wait for its frames when it is back.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$HERE/lib/spread.sh"

spread_init teamnl
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
ktap_end
