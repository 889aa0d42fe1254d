# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # setup_ns sets src and dst
#
# Ports of unequal speed, offered a little less than both carry: what each mode of
# the team driver loses. What time_spread_loss.sh and func_spread_loss.sh share.

SECOND=1000000000
FLOWS=64
BITS=12112	# of a frame

RATE=1000	# kbit/s, what a Mbit/s is: less, where frames cost much
BURST=1		# frames a port may send at once: more, where timers are late

declare -A OTHERS

# shaped PORT MBIT PACKETS - a port of that speed, which holds so many.
shaped()
{
	tc -n "$src" qdisc replace dev "$1" root \
		tbf rate $(($2 * RATE))kbit burst $((BURST * 1514)) limit $(($3 * 1514))
}

# offer MBIT SECONDS [BURST] - from FLOWS flows together, in bursts of so many
# frames. Sets SENT, START and PER_FLOW.
offer()
{
	local burst=${3:-1} every bursts

	every=$((BITS * FLOWS * burst * 1000000 / ($1 * RATE)))
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
	shaped p0 100 "$2"
	shaped p1 40 "$2"
}

# others PACKETS SECONDS - what the modes of the team driver itself lose, into OTHERS.
others()
{
	local mode

	for mode in random roundrobin loadbalance; do
		WHAT=$mode
		uneven $mode "$1"
		[ $mode != loadbalance ] || set_hash hash || fail "a hash program"
		offer 130 "$2"
		judge
		OTHERS[$mode]=$LOST
	done
}

# all_lose SHARE - each of them more than that part of all.
all_lose()
{
	local mode

	for mode in "${!OTHERS[@]}"; do
		holds "$mode loses more than 1/$1" "${OTHERS[$mode]}" ">" $((SENT / $1))
	done
}

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

# equal MBIT SECONDS PACKETS - of two ports of 100 Mbit/s.
equal()
{
	WHAT="equal ports, $1 of 200 Mbit/s"
	team spread
	veth_ports 2
	shaped p0 100 "$3"
	shaped p1 100 "$3"
	setopts "spread_capacity $3 p0" "spread_capacity $3 p1"
	offer "$1" "$2"
	judge
	is "$WHAT: lost" "$LOST" 0
	shares "$WHAT"
}
