#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Between two samples a port is as full as what was sent to it says: it gives way with
# the frame that takes it to the next class, after the first sample and after the next.

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
# p0 is left with 10 frames, p1 with 100, p0 again with 20.
flows -f 160 -e 0ms >/dev/null
is "what two ports of unequal size get" "$(of_ports spread_tx)" "20 140"
sleep 1.1
flows -f 160 -e 0ms >/dev/null
is "after another sample: as much again" "$(of_ports spread_tx)" "40 280"
sleep 1.1
flows -f 160 -e 0ms >/dev/null
is "after a third sample: as much again" "$(of_ports spread_tx)" "60 420"
ktap_end
