#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's part of the demo's second picture: the load of a day goes through a
# port with gears. Records what arrives, each gear that is taken, and the counters.

set -euo pipefail

# shellcheck source=selftests/demo/setting.sh
. "$(dirname "${BASH_SOURCE[0]}")/setting.sh"
# shellcheck source=selftests/demo/guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"

nothing_waits()
{
	tc -n router -j -s qdisc show dev wire | jq -e 'all(.[]; .qlen == 0)' >/dev/null
}

demo_begin
namespaces "$DAY_FRAME"
# shellcheck disable=SC2086 # parameters are words
tc -n router qdisc add dev wire root handle 1: ramp $DAY_RAMP
listen day
ip netns exec source ramp-send -i out -s "$DAY_FRAME" -w 20 "$(day_profile)" >$OUT/day.sent
wait_until nothing_waits
tc -n router -j -s qdisc show dev wire >$OUT/day.qdisc
sed -n '/ramp_gear/p' $TRACE/trace >$OUT/day.trace
listen_end day
