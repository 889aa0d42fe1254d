#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A code that is taken back within ten times dwell is a flap, a later one is none.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

# wobble DWELL - what the class counts when its queue rises above a threshold, and
# falls below it again 30 to 50 ms later: one packet leaves in 10 ms.
wobble()
{
	ramp_below 1mbit 1250 detect off rate 10mbit limit 100 bands 1 \
		ladder 20%:50% adjust 3% dwell "$1"
	send x23 -s 1250 >/dev/null
	drained
	echo "$(class_counters codes_sent) $(class_counters flaps)"
}

net_init ramp-send
only_virtual_time
pair 1236
sleep 1		# until timers have a high resolution
is "dwell 10 ms: up and down are two codes, and a flap" "$(wobble 10ms)" "2 1"
# What a band has counted stays with it.
tc -n "$src" qdisc change dev out0 parent 3:1 ramp ladder none
tc -n "$src" qdisc change dev out0 parent 3:1 ramp ladder 20%:50%
is "another ladder after none: codes and flaps go on" \
	"$(class_counters codes_sent) $(class_counters flaps)" "2 1"
is "dwell 1 ms: up and down are two codes" "$(wobble 1ms)" "2 0"
ktap_end
