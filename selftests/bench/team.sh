#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Frames per second through the modes of the team driver at native speed
# (selftests/vm/run -k uml), by one CPU and by two: 64 flows of frames of 64 bytes
# over ports that each have a tree of queues, to devices that swallow them. Each
# round has every mode, and what is compared is the ratio within a round; of rounds
# of one CPU and of two qdisc.sh says more.

# shellcheck source=selftests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=${RAMP_BENCH_ROUNDS:-7}
ALL=${RAMP_BENCH_COUNT:-2000000}	# of all CPUs
PASSES=8	# with one CPU, as in qdisc.sh
PORTS=4
QUEUES=2
FLOWS=64

# By contestant: a name for devices must be short.
declare -A TEAM

SPREAD_PY="$(dirname "$0")/../net/lib/spread.py"

# shellcheck disable=SC2317 # called by the trap
team_cleanup()
{
	local name

	pktgen_setup 0
	for name in "${TEAM[@]}"; do
		ip link del "$name"
	done
	modprobe -r dummy 2>/dev/null
}

# team NAME MODE - a team and its ports.
team()
{
	local name=team${#NAMES[@]} n

	contestant "$1"
	TEAM[$1]=$name
	ip link add "$name" type team || return
	teamnl "$name" setoption mode "$2" || return
	for ((n = 0; n < PORTS; n++)); do
		ip link add "$name-$n" numtxqueues $QUEUES type dummy &&
			ip link set "$name-$n" master "$name" &&
			tc qdisc add dev "$name-$n" root handle 1: mq || return
	done
	ip link set "$name" up
}

# sent TEAM - how many frames each port has sent.
# shellcheck disable=SC2317 # called by measured
sent()
{
	ip -j -s link show master "$1" | jq -c '[.[].stats64.tx.packets]'
}

# measured NAME - frames per second of all generators; the ports had them.
# shellcheck disable=SC2317 # called by compete
measured()
{
	local ns before had n each=$((COUNT / CPUS))

	COST_DEV=${TEAM[$1]}
	pktgen_setup "$CPUS"
	for ((n = 0; n < CPUS; n++)); do
		pktgen "$COST_DEV@$n" "flag UDPSRC_RND"
		pktgen "$COST_DEV@$n" "udp_src_min 10000"
		pktgen "$COST_DEV@$n" "udp_src_max $((10000 + FLOWS))"
	done
	before=$(sent "$COST_DEV")
	ns=$(pktgen_run "$each") || return
	had=$(jq -nc --argjson a "$before" --argjson b "$(sent "$COST_DEV")" \
		'[$a, $b] | transpose | map(.[1] - .[0]) |
		[add, (map(select(. > 0)) | length)]')
	pktgen_setup 0
	calc "$CPUS * 1e9 / $ns" %.0f
	[ "$had" = "[$((each * CPUS)),$PORTS]" ] || {
		echo "frames and ports that had any: $had"
		return 1
	}
}

# compare CPUS PASSES - all of them, and a table.
compare()
{
	local name all to passes=$2

	CPUS=$1
	COUNT=$((ALL / passes))
	warm_up 1 measured
	compete "$ROUNDS" measured "$passes" greatest
	note "frames/s of $CPUS generator(s) over $PORTS ports, medians of $ROUNDS rounds of $passes x $COUNT frames"
	for name in "${NAMES[@]}"; do
		# shellcheck disable=SC2086 # numbers
		row team "$name" - "$CPUS" packets/s ${RUNS[$name]}
		# shellcheck disable=SC2086
		note "$(printf '%-12s %10.0f' "$name" "$(median ${RUNS[$name]})")"
	done
	for name in frame flowlet; do
		for to in random roundrobin loadbalance; do
			mapfile -t all < <(ratios "spread-$name" $to)
			row_ratio team "spread-$name" $to "$CPUS" "${all[@]}"
			note "spread-$name is $(median "${all[@]}") x $to ($(
				quartiles "${all[@]}"))"
		done
	done
	pass "$CPUS CPU(s): every mode used all ports and lost nothing"
}

if [ "${RAMP_KERNEL-}" != uml ] || [ "$(nproc)" -lt 2 ]; then
	skip_all "two CPUs at native speed (uml)"
fi
cost_tools jq teamnl python3
cost_modules pktgen team team_mode_spread
cost_at_end team_cleanup

if ! team random random || ! team roundrobin roundrobin ||
   ! team loadbalance loadbalance || ! team spread-frame spread ||
   ! team spread-flowlet spread; then
	fail "teams of $PORTS ports"
	ktap_end
fi
teamnl "${TEAM[spread-frame]}" setoption spread_flowlet 0
python3 "$SPREAD_PY" set "${TEAM[loadbalance]}" bpf_hash_func \
	"$(python3 "$SPREAD_PY" hash)"

bench_begin team
compare 1 $PASSES
compare 2 1
ktap_end
