#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets per second through qdiscs at native speed (selftests/vm/run -k uml), by
# one CPU and by two on one root qdisc: frames of 64 bytes to a device that swallows
# them. Each round has every qdisc, and what is compared is the ratio within a
# round. None has to hold anything back.
#
# With one CPU a run is short, a round has each qdisc several times, and its best
# one counts. With two it is not only what else the machine does that makes runs
# differ, but also how the two meet: there a round has each qdisc once, for long.
#
# pfifo lets the stack pass it by while it is empty (TCQ_F_CAN_BYPASS), which with
# one CPU is always. fiforef is the same FIFO without this.

# shellcheck source=selftests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=${RAMP_BENCH_ROUNDS:-7}
ALL=${RAMP_BENCH_COUNT:-2000000}	# of all CPUs
PASSES=8
PFIFO=0.90	# of pfifo, at least, on one CPU
TBF=1.10	# of tbf, at least, on one CPU

declare -A RATIO

# measured NAME QDISC... - packets per second of all generators.
# shellcheck disable=SC2317 # called by compete
measured()
{
	local ns seen each=$((COUNT / CPUS))

	qdisc "${@:2}" || return
	[ "$1" != htb ] ||
		tc class add dev "$COST_DEV" parent 1: classid 1:1 htb \
			rate 100gbit burst 10mb cburst 10mb quantum 1514 || return
	ns=$(pktgen_run "$each") || return
	calc "$CPUS * 1e9 / $ns" %.0f
	[[ $1 == ramp* ]] || return 0
	seen=$(counter '[.state, .ramps, .enqueued, .dequeued] | join(" ")')
	[ "$seen" = "idle 0 $((each * CPUS)) $((each * CPUS))" ] || {
		echo "disturbed: $seen"
		return 1
	}
}

# compare CPUS PASSES - all of them, and a table.
compare()
{
	local name low high all passes=$2

	CPUS=$1
	COUNT=$((ALL / passes))
	pktgen_setup "$CPUS"
	RUNS=()
	# Not counted: caches of objects and of the processor fill.
	load "$((ALL / CPUS))" fiforef >/dev/null || missing "pktgen"
	compete "$ROUNDS" measured "$passes" greatest
	note "packets/s of $CPUS generator(s), medians of $ROUNDS rounds of $passes x $COUNT packets"
	note "$(printf '%-10s %10s   %s' qdisc 'packets/s' \
		'ramp to it: median, middle half of the rounds')"
	for name in "${NAMES[@]}"; do
		# shellcheck disable=SC2086 # numbers
		row qdisc "$name" - "$CPUS" packets/s ${RUNS[$name]}
		mapfile -t all < <(ratios ramp "$name")
		RATIO[$name]=$(median "${all[@]}")
		read -r low high < <(quartiles "${all[@]}")
		# shellcheck disable=SC2086
		note "$(printf '%-10s %10.0f   %.3f  %.3f .. %.3f' "$name" \
			"$(median ${RUNS[$name]})" "${RATIO[$name]}" "$low" "$high")"
		[ "$name" = ramp ] ||
			row_ratio qdisc ramp "$name" "$CPUS" "${all[@]}"
	done
}

if [ "${RAMP_KERNEL-}" != uml ] || [ "$(nproc)" -lt 2 ]; then
	skip_all "two CPUs at native speed (uml)"
fi
cost_init jq
bench_begin qdisc

contestant none none
contestant pfifo pfifo
contestant fiforef fiforef
contestant fq_codel fq_codel
contestant tbf tbf rate 100gbit burst 10mb limit 10mb
contestant fq fq
contestant htb htb default 1
contestant cake cake
contestant ramp ramp rate 10gbit detect both
# What a CPU defers for the other may come all at once: net.core.qdisc_max_burst.
contestant ramp-gears ramp limit 10000 detect off gears 1gbit,100gbit,200gbit
# HIGH is beyond what there can be.
contestant ramp-rail ramp rail 1 rate 200gbit detect both queue 100:1000 \
	start 50mbit ingress 1gbit:100gbit

compare 1 $PASSES
holds "1 CPU, ramp to pfifo" "${RATIO[pfifo]}" ">=" $PFIFO
holds "1 CPU, ramp to tbf" "${RATIO[tbf]}" ">=" $TBF
compare 2 1
pass "2 CPUs: no ramp ran, and every packet went through"
ktap_end
