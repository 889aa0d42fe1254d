#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets per second through qdiscs at native speed (selftests/vm/run -k uml):
# one generator, frames of 64 bytes, a device that swallows them. Each round has
# every contestant several times, the best one counts, and what is compared is the
# ratio within a round: a machine that others use as well slows down both sides of
# it, and is quiet now and then.
#
# pfifo lets the stack pass it by while it is empty (TCQ_F_CAN_BYPASS), here that
# is always. fiforef is the same FIFO without this.

# shellcheck source=selftests/cost/lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=${RAMP_COST_ROUNDS:-7}
PASSES=8
COUNT=250000
PFIFO=0.90	# of pfifo, at least
TBF=1.10	# of tbf, at least

declare -A RATIO

# measured NAME QDISC... - packets per second.
# shellcheck disable=SC2317 # called by compete
measured()
{
	local ns seen

	ns=$(load "$COUNT" "${@:2}") || return
	calc "1e9 / $ns" %.0f
	[ "$1" = ramp ] || return 0
	seen=$(counter '[.state, .ramps, .enqueued, .dequeued] | join(" ")')
	[ "$seen" = "idle 0 $COUNT $COUNT" ] || {
		echo "disturbed: $seen"
		return 1
	}
}

[ "${RAMP_KERNEL-}" = uml ] || skip_all "native speed (uml)"
cost_init jq
pktgen_setup 1

contestant ramp ramp rate 10gbit detect both
contestant none none
contestant pfifo pfifo
contestant fiforef fiforef
contestant tbf tbf rate 100gbit burst 10mb limit 10mb

# Not counted: caches of objects and of the processor fill.
load "$((COUNT * PASSES))" fiforef >/dev/null || missing "pktgen"
compete "$ROUNDS" measured $PASSES greatest
pass "no ramp ran, and every packet went through"

result_begin cost-throughput-uml
note "packets/s of one generator on $(nproc) CPUs, medians of $ROUNDS rounds of $PASSES x $COUNT packets"
note "$(printf '%-10s %10s   %s' qdisc 'packets/s' 'ramp to it: median, middle half of the rounds')"
for name in "${NAMES[@]}"; do
	mapfile -t all < <(ratios ramp "$name")
	RATIO[$name]=$(median "${all[@]}")
	read -r low high < <(quartiles "${all[@]}")
	# shellcheck disable=SC2086 # numbers
	pps=$(median ${RUNS[$name]})
	note "$(printf '%-10s %10d   %.3f  %.3f .. %.3f' "$name" "$pps" \
		"${RATIO[$name]}" "$low" "$high")"
	result --arg name "$name" --argjson pps "$pps" --argjson low "$low" \
		--argjson high "$high" --argjson ratio "${RATIO[$name]}"
done

holds "ramp to pfifo" "${RATIO[pfifo]}" ">=" $PFIFO
holds "ramp to tbf" "${RATIO[tbf]}" ">=" $TBF
ktap_end
