#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ports of unequal speed, offered a little less than both carry: what each mode of
# the team driver loses. Ports of equal speed: what share each gets. In virtual time
# rates are exact, and nothing but the choice of a port can lose a frame.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$HERE/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_loss.sh
. "$HERE/lib/spread_loss.sh"

spread_init teamnl
only_virtual_time
sleep 1		# until timers have a high resolution

others 100 3

# Each flow pauses for longer than a flowlet, so that every frame may move.
WHAT="spread"
uneven spread 100
setopts "spread_capacity 100 p0" "spread_capacity 100 p1"
offer 130 3
judge
is "$WHAT: lost after the first second" \
	"$(caught lost "$PER_FLOW" $((START + SECOND)))" 0
is "$WHAT: lost in the first second" "$LOST" 0
all_lose 10

# What the port can hold is found, where the qdisc says it or holds more than
# the tx queue.
WHAT="spread, capacity of the tx queue"
uneven spread 2000
offer 130 3
judge
is "$WHAT: lost" "$LOST" 0

WHAT="spread, per frame"
uneven spread 100
setopts "spread_capacity 100 p0" "spread_capacity 100 p1" "spread_flowlet 0"
offer 130 3
judge
is "$WHAT: lost after the first second" \
	"$(caught lost "$PER_FLOW" $((START + SECOND)))" 0

WHAT="spread, bursts of 8"
uneven spread 100
setopts "spread_capacity 100 p0" "spread_capacity 100 p1"
offer 130 3 8
judge
is "$WHAT: lost after the first second" \
	"$(caught lost "$PER_FLOW" $((START + SECOND)))" 0
is "$WHAT: no burst was torn apart" \
	"$(caught moves 500000 50000 | sed 's/.* early/early/')" "early 0"

# CoDel keeps what waits at 5 ms, and drops for that. With a capacity of four times what
# a port sends in 5 ms the other port is preferred before it begins to.
for kind in codel fq_codel; do
	for advice in without with; do
		WHAT="spread, $kind below tbf, $advice a capacity for CoDel"
		uneven spread 2000
		for port in p0 p1; do
			parent=$(tc -n "$src" -j qdisc show dev $port root |
				jq -r '.[0].handle')
			tc -n "$src" qdisc add dev $port parent "${parent}1" $kind noecn ||
				fail "$WHAT: add"
		done
		[ $advice = without ] ||
			setopts "spread_capacity 165 p0" "spread_capacity 66 p1"
		offer 130 3
		judge
		[ $advice = with ] || before=$LOST
	done
	holds "$WHAT: lost" "$LOST" "<=" $((SENT / 100))
	holds "$WHAT: ten times of that are lost without" "$before" ">" $((10 * LOST))
done

equal 20 20 1000
equal 190 3 1000
ktap_end
