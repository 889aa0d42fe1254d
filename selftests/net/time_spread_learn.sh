#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A port whose qdisc does not say what it holds: from what it drops, that is learned.
# After that nothing is lost any more, without spread_capacity, where random loses a
# fifth.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$HERE/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_loss.sh
. "$HERE/lib/spread_loss.sh"

# The first drop tells of a capacity, as a frame comes every 93 us, and a reading each 50.
LEARNED=1

spread_init teamnl
hold_or_skip
only_virtual_time
sleep 1		# until timers have a high resolution

# after_first - of what was sent, lost in the first 100 ms and later.
after_first()
{
	local later

	later=$(caught lost "$PER_FLOW" $((START + SECOND / 10)))
	is "$WHAT: lost after the first 100 ms" "$later" 0
	holds "$WHAT: lost until it was learned" "$LOST" "<=" "$LEARNED"
	is "$WHAT: where that is from" "$(getopt spread_source p1)" learned
}

WHAT="random"
uneven random 100
offer 130 3
judge
holds "random loses more than a tenth" "$LOST" ">" $((SENT / 10))

WHAT="spread, tbf of 100"
uneven spread 100
is "$WHAT: before it has dropped" "$(getopt spread_source p1)" txqueuelen
offer 130 3
judge
after_first

# What was learned stays: nothing at all is lost now.
WHAT="spread, tbf of 100, again"
DROPPED=$LOST
offer 130 3
is "$WHAT: arrived" "$(caught check "$SENT" | sed 's/ reordered.*//')" \
	"received $SENT lost 0 doubled 0"
is "$WHAT: dropped" "$(port_qdisc p1 .drops)" "$DROPPED"

WHAT="spread, tbf of 30"
uneven spread 30
offer 130 3
judge
after_first

WHAT="spread, per frame"
uneven spread 100
setopts "spread_flowlet 0"
offer 130 3
judge
after_first

WHAT="spread, htb with a leaf of 50"
uneven spread 100
tc -n "$src" qdisc replace dev p1 root handle 1: htb default 1
tc -n "$src" class add dev p1 parent 1: classid 1:1 htb rate $((40 * RATE))kbit \
	burst 1514 cburst 1514 quantum 1514
tc -n "$src" qdisc add dev p1 parent 1:1 pfifo limit 50
offer 130 3
judge
after_first

# One tx queue of several is full, and the others are empty: fullness is low, but
# what it drops is seen.
for kind in "pfifo limit 50" pfifo_fast; do
	WHAT="spread, a queue of mq ($kind)"
	team spread
	hold_port 0
	hold_port 1 4
	hold p1 credit 0
	setopts "spread_interval 0" "spread_flowlet 0" "spread_sets 3 p0" \
		"spread_index priority"
	ip -n "$src" link set p1 txqueuelen 50
	tc -n "$src" qdisc replace dev p1 root handle 1: mq
	for ((n = 1; n <= 4; n++)); do
		# shellcheck disable=SC2086 # several words
		tc -n "$src" qdisc replace dev p1 parent 1:$n $kind
	done
	# A flow has one tx queue.
	setopts "spread_sets 2 p0"
	flows -f 1 -n 60 -e 1ms >/dev/null
	is "$WHAT: what it dropped is learned" \
		"$(getopt spread_source p1) $(getopt spread_fullness p1)" \
		"learned 100"
	setopts "spread_sets 3 p0"
	before=$(port_qdisc p1 .drops)
	flows -f 1 -n 60 -e 1ms >/dev/null
	is "$WHAT: no more is lost there" "$(port_qdisc p1 .drops)" "$before"
done

# Another root qdisc may hold more, or say what it holds.
WHAT="another root"
uneven spread 30
offer 130 1
is "$WHAT: learned" "$(getopt spread_source p1)" learned
tc -n "$src" qdisc del dev p1 root
shaped p1 40 2000
offer 130 1
judge
is "$WHAT: of tbf, forgotten" "$(getopt spread_source p1)" txqueuelen

# spread_capacity wins.
WHAT="spread_capacity"
uneven spread 100
setopts "spread_capacity 90 p1"
offer 130 3
judge
is "$WHAT: lost" "$LOST" 0
setopts "spread_capacity 4000 p1"
offer 130 1
is "$WHAT: one that is wrong is believed" "$(getopt spread_source p1)" capacity
holds "$WHAT: one that is wrong loses frames" "$(port_qdisc p1 .drops)" ">" 100
ktap_end
