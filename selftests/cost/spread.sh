#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a frame costs in the modes of the team driver, in instructions, where one
# instruction is one virtual nanosecond (selftests/vm/run --icount): from the
# generator through team0 and a port with 8 queues to a device that swallows it. A
# difference between two modes is the difference of what they cost.
#
# RAMP_COST_PORTS has the numbers of ports, of which the first and the last are
# judged.
#
# random is the least that picks a port per frame: spread without flowlets must
# come close, with 2 ports and with 64. What flowlets cost stands beside loadbalance
# with a hash program (without one that mode has nothing to compute, and uses one
# port).

# shellcheck source=selftests/cost/lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=${RAMP_COST_ROUNDS:-5}
COUNT=8000
CLOSE=1.03	# of random
FLAT=1.03	# 64 ports, of 2
REPEAT=15	# the median of the rounds above the best one
QUEUES=8
FLOWS=64
read -ra PORTS <<<"${RAMP_COST_PORTS:-2 64}"
ENDS=("${PORTS[0]}" "${PORTS[-1]}")

SPREAD_PY="$(dirname "$0")/../net/lib/spread.py"

declare -A COST

# shellcheck disable=SC2317 # called by the trap
spread_cleanup()
{
	local name

	pktgen_setup 0
	for name in "${NAMES[@]}"; do
		ip link del "t-$name"
	done
	modprobe -r dummy
}

# team NAME MODE PORTS - a team and its ports, each with a tree of queues.
team()
{
	local name=$1 n port

	contestant "$name"
	ip link add "t-$name" type team || return
	teamnl "t-$name" setoption mode "$2" || return
	{
		for ((n = 0; n < $3; n++)); do
			port=$name-$n
			echo "link add $port numtxqueues $QUEUES type dummy"
			echo "link set $port master t-$name"
		done
		echo "link set t-$name up"
	} | ip -batch - || return
	for ((n = 0; n < $3; n++)); do
		echo "qdisc add dev $name-$n root handle 1: mq"
	done | tc -batch - || return
}

# shellcheck disable=SC2317 # called by compete
measured()
{
	local ns

	COST_DEV=t-$1
	pktgen_setup 1
	pktgen "$COST_DEV@0" "flag UDPSRC_RND"
	pktgen "$COST_DEV@0" "udp_src_min 10000"
	pktgen "$COST_DEV@0" "udp_src_max $((10000 + FLOWS))"
	ns=$(pktgen_run "$COUNT") || return
	pktgen_setup 0
	echo "$ns"
}

# used NAME LEAST PORTS - so many ports had frames, or nothing has been compared.
used()
{
	within "$1: ports that had frames" \
		"$(ip -j -s link show master "t-$1" |
			jq '[.[] | select(.stats64.tx.packets > 0)] | length')" \
		"$2" "$3"
}

[ "${RAMP_MACHINE-}" = initramfs ] ||
	skip_all "a clock that counts instructions (--icount)"
cost_tools jq teamnl python3
cost_modules pktgen team team_mode_spread
modprobe -q dummy numdummies=0 || missing "module dummy"
trap spread_cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

for ports in "${PORTS[@]}"; do
	if ! team "random$ports" random "$ports" ||
	   ! team "spread$ports" spread "$ports" ||
	   ! team "flow$ports" spread "$ports" ||
	   ! team "hash$ports" loadbalance "$ports"; then
		fail "teams of $ports ports"
		ktap_end
	fi
	teamnl "t-spread$ports" setoption spread_flowlet 0
	python3 "$SPREAD_PY" set "t-hash$ports" bpf_hash_func \
		"$(python3 "$SPREAD_PY" hash)"
done

warm_up 2 measured
compete "$ROUNDS" measured

result_begin "cost-spread-$RAMP_KERNEL"
worst=0
note "instructions per frame of $COST_SIZE bytes, medians of $ROUNDS, generator included"
note "$(printf '%-10s %9s %9s %12s' mode total excess 'to random')"
for name in "${NAMES[@]}"; do
	# shellcheck disable=SC2086 # numbers
	COST[$name]=$(median ${RUNS[$name]}) excess=$(excess ${RUNS[$name]})
	worst=$(calc "$worst > $excess ? $worst : $excess" %.1f)
	base=random${name##*[a-z]}
	note "$(printf '%-10s %9.1f %9.1f %+12.1f' "$name" "${COST[$name]}" \
		"$excess" "$(calc "${COST[$name]} - ${COST[$base]}")")"
	result --arg name "$name" --argjson total "${COST[$name]}" \
		--argjson above "$(calc "${COST[$name]} - ${COST[$base]}")"
done

for ports in "${ENDS[@]}"; do
	used "random$ports" "$ports" "$ports"
	used "spread$ports" "$ports" "$ports"
	used "flow$ports" $((ports / 2)) "$ports"
	used "hash$ports" $((ports / 2)) "$ports"
done
holds "the rounds of a mode agree" "$worst" "<=" $REPEAT
for ports in "${ENDS[@]}"; do
	holds "spread without flowlets, $ports ports, of random" \
		"$(calc "${COST[spread$ports]} / ${COST[random$ports]}")" \
		"<=" $CLOSE
	note "spread with flowlets, $ports ports, of loadbalance with a hash program: $(
		calc "${COST[flow$ports]} / ${COST[hash$ports]}")"
done
holds "spread without flowlets, ${ENDS[1]} ports, of ${ENDS[0]}" \
	"$(calc "${COST[spread${ENDS[1]}]} / ${COST[spread${ENDS[0]}]}")" "<=" $FLAT
ktap_end
