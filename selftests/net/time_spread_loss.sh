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

SECOND=1000000000
FLOWS=64
BITS=12112	# of a frame

# shaped PORT RATE PACKETS - a port of that speed, which holds so many.
shaped()
{
	tc -n "$src" qdisc replace dev "$1" root \
		tbf rate "$2" burst 1514 limit $(($3 * 1514))
}

# offer MBIT SECONDS [BURST] - from FLOWS flows together, in bursts of so many
# frames. Sets SENT, START and PER_FLOW.
offer()
{
	local burst=${3:-1} every bursts

	every=$((BITS * FLOWS * burst * 1000 / $1))
	bursts=$(($2 * SECOND / every))
	PER_FLOW=$((bursts * burst))
	catch_start
	flows -s 1514 -f $FLOWS -e ${every}ns -n $bursts -b "$burst" -g 10us \
		>"$NET_WORK/sent"
	settled
	catch_stop
	SENT=$(jq .sent "$NET_WORK/sent")
	START=$(jq .start_ns "$NET_WORK/sent")
	is "$WHAT: all were sent" "$SENT" $((PER_FLOW * FLOWS))
}

# judge - what arrived and what the ports dropped is what was sent. Sets LOST.
judge()
{
	local received lost doubled reordered drops=0 port

	# shellcheck disable=SC2034 # names of what is read
	read -r _ received _ lost _ doubled _ reordered < <(
		caught check "$SENT")
	for port in "${PORTS[@]}"; do
		drops=$((drops + $(port_qdisc "$port" .drops)))
	done
	is "$WHAT: received + dropped, doubled" \
		"$((received + drops)) $doubled" "$SENT 0"
	LOST=$lost
	note "$WHAT: sent $SENT, lost $LOST ($(awk \
		"BEGIN { printf \"%.1f\", 100 * $LOST / $SENT }") %), frames of the ports: $(caught count 2)"
}

# uneven MODE PACKETS - 100 and 40 Mbit/s, offered 130.
uneven()
{
	team "$1"
	veth_ports 2
	shaped p0 100mbit "$2"
	shaped p1 40mbit "$2"
}

spread_init teamnl
only_virtual_time
sleep 1		# until timers have a high resolution

declare -A OTHERS
for mode in random roundrobin loadbalance; do
	WHAT=$mode
	uneven $mode 100
	[ $mode != loadbalance ] || set_hash hash || fail "a hash program"
	offer 130 3
	judge
	OTHERS[$mode]=$LOST
done

# Each flow pauses for longer than a flowlet, so that every frame may move.
WHAT="spread"
uneven spread 100
setopts "spread_capacity 100 p0" "spread_capacity 100 p1"
offer 130 3
judge
is "$WHAT: lost after the first second" \
	"$(caught lost "$PER_FLOW" $((START + SECOND)))" 0
is "$WHAT: lost in the first second" "$LOST" 0
for mode in "${!OTHERS[@]}"; do
	holds "$mode loses more than a tenth" "${OTHERS[$mode]}" ">" $((SENT / 10))
done

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

# shares NAME - of two ports, in percent of all, with a fraction.
shares()
{
	local a b

	read -r a b < <(caught count 2)
	holds "$1: share of p0 in percent" \
		"$(awk "BEGIN { printf \"%.2f\", 100 * $a / ($a + $b) }")" ">=" 49
	holds "$1: share of p1 in percent" \
		"$(awk "BEGIN { printf \"%.2f\", 100 * $b / ($a + $b) }")" ">=" 49
}

for mbit in 20 190; do
	WHAT="equal ports, $mbit of 200 Mbit/s"
	team spread
	veth_ports 2
	shaped p0 100mbit 1000
	shaped p1 100mbit 1000
	offer $mbit $((mbit == 20 ? 20 : 3))
	judge
	is "$WHAT: lost" "$LOST" 0
	shares "$WHAT"
done
ktap_end
