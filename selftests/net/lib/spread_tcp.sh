# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2153,SC2154 # callers and setup_ns set them
#
# TCP over two ports of unequal delay: what of it is sent again with flowlets, with
# the per-frame choice, which reorders, and with loadbalance and a hash program. What
# time_spread_tcp.sh and func_spread_tcp.sh share.
#
#	$src                    $dst
#	team0 -+- p0 == r0 -> s0 (1 ms) == q0 -+- team1
#	       +- p1 == r1 -> s1 (5 ms) == q1 -+
#
# p0 and p1 are shaped, and fq_codel keeps short what waits for that. What waits for
# its delay is not in them. Half of the flows pause, and may move then, among others
# that send all they can.
#
# What callers say: RATE (Mbit/s of a port), TOKENS (bytes that it may send at once: a
# late timer costs none of the rate), LENGTH (s), FLOWLET and PAUSE (ms): a flowlet is
# longer than what the port's queue and the longer delay take together, and a pause
# longer than a flowlet.

FLOWS=8
PAUSING=4
BURST=30000
MTU=1514
SPREAD_TCP_PY=$NET_LIB/spread_tcp.py
DELAYS=(1ms 5ms)

declare -A SENT AGAIN DROPPED LATE

mac_of()
{
	ip -n "$1" -j link show dev "$2" | jq -r '.[0].address'
}

# wire N DELAY - from p$n to q$n; back there is no delay.
wire()
{
	ip link add "p$1" netns "$src" type veth peer name "r$1" netns "$dst"
	ip -n "$dst" link add "s$1" type veth peer name "q$1"
	tc -n "$dst" qdisc add dev "s$1" root netem delay "$2" limit 10000
	tc -n "$dst" qdisc add dev "s$1" clsact
	tc -n "$dst" qdisc add dev "r$1" clsact
	tc -n "$dst" filter add dev "r$1" ingress matchall \
		action mirred egress redirect dev "s$1"
	tc -n "$dst" filter add dev "s$1" ingress matchall \
		action mirred egress redirect dev "r$1"
	ip -n "$dst" link set "r$1" up
	ip -n "$dst" link set "s$1" up
}

# no_segments NS DEV - a segment of TCP is a frame.
no_segments()
{
	ip netns exec "$1" ethtool -K "$2" tso off gso off gro off >/dev/null
}

# shaped PORT
shaped()
{
	tc -n "$src" qdisc add dev "$1" root handle 1: tbf rate "$RATE"mbit \
		burst "$TOKENS" limit $((1000 * MTU))
	tc -n "$src" qdisc add dev "$1" parent 1: fq_codel
}

# path MODE ECN [OPTION...] - all anew: TCP remembers nothing of the run before.
path()
{
	local n mode=$1 ecn=$2 ns
	shift 2

	namespaces
	team "$mode"
	ip -n "$dst" link add team1 type team
	# Without a hash program all of its frames use one port.
	ip netns exec "$dst" teamnl team1 setoption mode loadbalance
	for n in 0 1; do
		wire $n "${DELAYS[n]}" || missing "netem, mirred, matchall"
		no_segments "$src" p$n
		no_segments "$dst" q$n
		shaped p$n
		# loadbalance leaves the addresses of its ports as they are.
		ip -n "$src" link set p$n address "$(mac_of "$src" team0)"
		ip -n "$dst" link set q$n address "$(mac_of "$dst" team1)"
		join p$n
		ip -n "$dst" link set q$n master team1
	done
	no_segments "$src" team0
	no_segments "$dst" team1
	ip -n "$dst" link set team1 up
	ip -n "$src" addr add 192.0.2.1/24 dev team0
	ip -n "$dst" addr add 192.0.2.2/24 dev team1
	for ns in "$src" "$dst"; do
		ip netns exec "$ns" sysctl -wq "net.ipv4.tcp_ecn=$ecn"
	done
	[ "$mode" != loadbalance ] || set_hash hash || fail "a hash program"
	setopts "$@"
}

# add TABLE NAME NUMBER
add()
{
	local -n table=$1

	table[$2]=$((${table[$2]:-0} + $3))
}

# tcp NAME ROUND - sends, and adds up under NAME what happened. The round is the seed
# of where a hash, of the ports of TCP, puts the flows.
tcp()
{
	local name=$1 round=$2 server dropped late least

	wait_until 10 in_src ping -c 1 -W 1 192.0.2.2
	# On one CPU: two that forward for each other reorder, whatever the mode.
	ip netns exec "$dst" taskset -c 0 python3 "$SPREAD_TCP_PY" serve \
		$FLOWS >"$NET_WORK/served" &
	server=$!
	wait_until 20 grep -q ready "$NET_WORK/served" ||
		fail "$name: the receiver starts"
	in_src timeout $((LENGTH * 4 + 60)) taskset -c 0 \
		python3 "$SPREAD_TCP_PY" send 192.0.2.2 $FLOWS "$LENGTH" \
		--first $((40000 + 100 * round)) --pausing $PAUSING \
		--burst $BURST --pause "$PAUSE" >"$NET_WORK/tcp" || kill $server
	wait $server

	dropped=$(($(port_qdisc p0 .drops) + $(port_qdisc p1 .drops)))
	late=$(tail -n 1 "$NET_WORK/served" | jq .out_of_order)
	add SENT "$name" "$(jq .sent "$NET_WORK/tcp")"
	add AGAIN "$name" "$(jq .again "$NET_WORK/tcp")"
	add DROPPED "$name" "$dropped"
	add LATE "$name" "$late"
	note "$name, round $round: $(jq -r --argjson s "$LENGTH" '
		"\(.bytes * 8 / $s / 1e6 | floor) Mbit/s, segments \(.sent), " +
		"sent again \(.again), of these needless \(.needless), " +
		"reorderings seen \(.reorderings)"' "$NET_WORK/tcp"
		), out of order $late, dropped $dropped, frames of the ports $(
		link_stat "$src" p0 tx.packets) $(link_stat "$src" p1 tx.packets)"
	is "$name, round $round: flows that ended" \
		"$(jq .flows "$NET_WORK/tcp")" $FLOWS
	# Not only the flows that pause have sent much.
	least=$((3 * PAUSING * BURST * LENGTH * 1000 / (2 * MTU * PAUSE)))
	holds "$name, round $round: segments" "$(jq .sent "$NET_WORK/tcp")" \
		">=" $least
}

# in_1000 NAME COUNT - of the segments that were sent.
in_1000()
{
	awk "BEGIN { printf \"%.2f\", 1000 * ($2) / ${SENT[$1]} }"
}

# rounds COUNT ECN LABEL - of loadbalance and of flowlets, in turns.
rounds()
{
	local round label=$3 moves=0

	SENT=() AGAIN=() DROPPED=() LATE=()
	for ((round = 1; round <= $1; round++)); do
		path loadbalance "$2"
		tcp "$label, loadbalance" $round
		path spread "$2" "spread_flowlet $((FLOWLET * 1000))"
		tcp "$label, flowlets" $round
		moves=$((moves + $(getopt spread_moves)))
	done
	holds "$label, flowlets: moves" "$moves" ">=" \
		$(($1 * PAUSING * LENGTH * 1000 / PAUSE / 5))
}

# marked ROUNDS ALLOWED - ports that mark instead of dropping: whatever is sent again
# or arrives out of order is the doing of the mode, or, as much as ALLOWED in 1000, of
# a machine that is late. And the test would see it: the choice per frame shows it.
marked()
{
	local label="marks" hash="marks, loadbalance" own="marks, flowlets"

	rounds "$1" 1 "$label"
	holds "$hash: dropped in 1000" "$(in_1000 "$hash" "${DROPPED[$hash]}")" \
		"<=" "$2"
	holds "$own: dropped in 1000" "$(in_1000 "$own" "${DROPPED[$own]}")" \
		"<=" "$2"
	holds "$own: sent again in 1000, not more than by loadbalance" \
		"$(in_1000 "$own" "${AGAIN[$own]}")" "<=" \
		"$(in_1000 "$hash" "${AGAIN[$hash]} + $2 * ${SENT[$hash]} / 1000")"
	holds "$own: out of order in 1000, not more than by loadbalance" \
		"$(in_1000 "$own" "${LATE[$own]}")" "<=" \
		"$(in_1000 "$hash" "${LATE[$hash]} + $2 * ${SENT[$hash]} / 1000")"

	own="$label, per frame"
	path spread 1 "spread_flowlet 0"
	tcp "$own" 1
	holds "$own: out of order in 1000" "$(in_1000 "$own" "${LATE[$own]}")" \
		">" 100
	holds "$own: sent again in 1000" "$(in_1000 "$own" "${AGAIN[$own]}")" \
		">" 10
}

# dropped ROUNDS - ports that drop. How many depends on which flows meet at a port, by
# chance; but what was not dropped must not be sent again.
dropped()
{
	local label="drops" hash="drops, loadbalance" own="drops, flowlets"

	rounds "$1" 0 "$label"
	holds "$label: dropped by the ports" \
		$((DROPPED[$hash] + DROPPED[$own])) ">" 0
	holds "$own: sent again beyond that, not more than by loadbalance" \
		$((AGAIN[$own] - DROPPED[$own])) "<=" \
		$((AGAIN[$hash] - DROPPED[$hash]))
}
