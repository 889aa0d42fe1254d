#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a rail of eight costs while no ramp runs: with --icount in instructions per
# packet, on uml in packets per second of two CPUs, each with a member of its own: on
# a device of its own, or on a queue of one device. All are compared with the same
# parameters and no rail. And, both ways, what a ramp_mq costs of which nothing is said but
# the rate, beside mq with a FIFO per queue.
#
# Fails, as tried, when: each packet takes the lock of the rail.

# shellcheck source=selftests/cost/lib.sh
. "$(dirname "$0")/lib.sh"

MEMBERS=8
MORE=1.05	# instructions, at most, of those without a rail
SCALE=0.95	# packets/s of two CPUs, at least, of those without a rail
MQ_SCALE=0.97	# likewise of a ramp_mq, of those of mq with FIFOs
FEW=2 MANY=64	# queues
FLAT=1.02	# of what many cost to what few do, both to mq and FIFOs
RATES="10gbit 40gbit"
declare -A OF
MQ=1.05		# instructions of a ramp_mq, at most, of mq with FIFOs

# shellcheck disable=SC2317 # called by the trap
rail_cleanup()
{
	local n

	pktgen_setup 0
	for ((n = 0; n < MEMBERS; n++)); do
		ip link del "cost$n" 2>/dev/null
	done
	ip link del costmq 2>/dev/null
}

# rail_setup PARAMETER... - seven members on devices of their own, so that the rail
# is there whatever is on the first one.
rail_setup()
{
	local n

	for ((n = 1; n < MEMBERS; n++)); do
		ip link add "cost$n" type dummy || missing "dummy"
		ip link set "cost$n" up
		tc qdisc add dev "cost$n" root handle 1: ramp rail 9 "$@" ||
			missing "rails"
		set --
	done
}

# undisturbed COUNT [DEVICE HANDLE] - no surge, no ramp; all went through.
# shellcheck disable=SC2317 # called by compete
undisturbed()
{
	local seen

	seen=$(tc -j -s qdisc show dev "${2:-$COST_DEV}" |
		jq -r --arg handle "${3:-1:}" '.[] | select(.handle == $handle) |
			[.state, .surges_up, .surges_down, .ramps, .enqueued,
			 .dequeued] | join(" ")')
	[ "$seen" = "idle 0 0 0 $1 $1" ] || {
		echo "disturbed: $seen"
		return 1
	}
}

# shellcheck disable=SC2317 # called by compete
measured()
{
	load "$COUNT" "${@:2}" && undisturbed "$COUNT"
}

# queues NAME QDISC... - all generators through a ramp_mq, or mq with these.
# shellcheck disable=SC2317 # called by compete
queues()
{
	local n

	tc qdisc del dev costmq root 2>/dev/null
	if [ "$2" = ramp_mq ]; then
		tc qdisc add dev costmq root handle 1: "${@:2}" || return
	else
		tc qdisc add dev costmq root handle 1: mq || return
		for ((n = 1; n <= QUEUES; n++)); do
			tc qdisc replace dev costmq parent "1:$(printf %x "$n")" \
				"${@:2}" || return
		done
	fi
	sleep 0.2	# what was there is freed, which is not to be counted
	pktgen_run "$COUNT"
}

# both NAME QDISC... - packets/s of two generators, through new qdiscs on devices
# of their own, or on queues of one device.
# shellcheck disable=SC2317 # called by compete
both()
{
	local ns n dev=(cost0 cost1) parent=(root root)

	if [[ $1 == *-mq ]]; then
		dev=(costmq costmq) parent=("parent 1:1" "parent 1:2")
	fi
	for n in 0 1; do
		# shellcheck disable=SC2086 # words
		tc qdisc replace dev "${dev[n]}" ${parent[n]} handle 2$n: pfifo &&
			tc qdisc replace dev "${dev[n]}" ${parent[n]} \
				handle 1$n: "${@:2}" &&
			generator $n "${dev[n]}" || return
	done
	ns=$(pktgen_run "$COUNT") || return
	calc "2e9 / $ns" %.0f
	for n in 0 1; do
		undisturbed "$COUNT" "${dev[n]}" "1$n:" || return
	done
}

# cost_of_queues - instructions of one generator that sends to $QUEUES queues in turn.
cost_of_queues()
{
	local rate total none name

	ip link del costmq 2>/dev/null
	ip link add costmq numtxqueues "$QUEUES" type dummy || missing "dummy"
	ip link set costmq up
	PKTGEN_DEVS=()
	generator 0 costmq
	pktgen costmq@0 "queue_map_max $((QUEUES - 1))"
	NAMES=() RUNS=()
	contestant fifos fiforef
	for rate in $RATES; do
		contestant "ramp-mq-$rate" ramp_mq rate "$rate"
	done
	compete "$ROUNDS" queues
	# shellcheck disable=SC2086 # numbers
	none=$(median ${RUNS[fifos]})
	for rate in $RATES; do
		name=ramp-mq-$rate
		# shellcheck disable=SC2086 # numbers
		total=$(median ${RUNS[$name]})
		OF[$QUEUES-$rate]=$(calc "$total / $none")
		result --arg name "$name" --argjson total "$total" \
			--argjson members "$QUEUES" --argjson none "$none"
		note "instructions per packet: ramp_mq of $QUEUES queues, $rate, $total, mq and FIFOs $none"
		holds "ramp_mq of $QUEUES queues, $rate, to mq and FIFOs" \
			"${OF[$QUEUES-$rate]}" "<=" $MQ
	done
}

# scales NAME MORE LESS LEAST WORDS - the ratio of two CPUs' runs.
scales()
{
	local all ratio low high

	mapfile -t all < <(ratios "$2" "$3")
	ratio=$(median "${all[@]}")
	read -r low high < <(quartiles "${all[@]}")
	result --arg name "$1" --argjson ratio "$ratio" --argjson low "$low" \
		--argjson high "$high"
	note "two CPUs, $5: middle half of the ratios $low .. $high"
	holds "two CPUs, $5" "$ratio" ">=" "$4"
}

cost_init jq
trap rail_cleanup EXIT

if [ "${RAMP_MACHINE-}" = initramfs ]; then
	ROUNDS=${RAMP_COST_ROUNDS:-5} COUNT=8000
	pktgen_setup 1
	settle "$COUNT"
	ns=$(load "$COUNT" ramp detect off) || missing "pktgen"
	kbit=$(calc "$COST_SIZE * 8e6 / $ns" %.0f)
	params="rate 1gbit detect both queue 10:1000 start 50mbit
		ingress $((kbit / 2))kbit:$((kbit * 21 / 20))kbit"
	# shellcheck disable=SC2086 # words
	rail_setup $params
	contestant rail ramp rail 9
	# shellcheck disable=SC2086
	contestant none ramp $params
	compete "$ROUNDS" measured
	# shellcheck disable=SC2086 # numbers
	rail=$(median ${RUNS[rail]}) none=$(median ${RUNS[none]})
	result_begin "cost-rail-$RAMP_KERNEL"
	result --arg name rail --argjson total "$rail" \
		--argjson members $MEMBERS --argjson none "$none"
	note "instructions per packet: rail of $MEMBERS $rail, none $none"
	holds "a rail of $MEMBERS, to none" "$(calc "$rail / $none")" "<=" $MORE

	# The same thresholds a little lower, and it is a surge: they are awake.
	tc qdisc change dev cost1 root ramp detect ingress \
		ingress "$((kbit / 2))kbit:$((kbit * 9 / 10))kbit"
	load "$COUNT" ramp rail 9 >/dev/null
	holds "surges that the detector sees in this traffic" \
		"$(counter .surges_up)" ">=" 1

	for QUEUES in $FEW $MANY; do
		cost_of_queues
	done
	for rate in $RATES; do
		holds "ramp_mq of $MANY queues, $rate, to one of $FEW, less what mq has" \
			"$(calc "${OF[$MANY-$rate]} / ${OF[$FEW-$rate]}")" "<=" $FLAT
	done
elif [ "${RAMP_KERNEL-}" = uml ] && [ "$(nproc)" -gt 1 ]; then
	ROUNDS=${RAMP_COST_ROUNDS:-11} COUNT=1000000
	# HIGH is beyond what there can be, so that no ramp runs.
	params="rate 40gbit detect both queue 10:1000 start 50mbit
		ingress 1gbit:20gbit"
	# shellcheck disable=SC2086
	rail_setup $params
	ip link add costmq numtxqueues 2 type dummy
	for n in 0 1; do
		echo $((1 << n)) >/sys/class/net/costmq/queues/tx-$n/xps_cpus ||
			missing "XPS"
	done
	ip link set costmq up
	tc qdisc add dev costmq root handle 1: mq || missing "mq"
	contestant rail ramp rail 9
	# shellcheck disable=SC2086
	contestant none ramp $params
	contestant rail-mq ramp rail 9
	# shellcheck disable=SC2086
	contestant none-mq ramp $params
	compete "$ROUNDS" both
	result_begin cost-rail-uml
	scales rail rail none $SCALE \
		"packets/s on a rail of $MEMBERS, on two devices, to none"
	scales rail-mq rail-mq none-mq $SCALE \
		"packets/s on a rail of $MEMBERS, on two queues of mq, to none"

	QUEUES=2
	for n in 0 1; do
		generator $n costmq
	done
	NAMES=()
	contestant fifos fiforef
	contestant ramp-mq ramp_mq rate 40gbit
	compete "$ROUNDS" queues
	# What a packet takes, so the other way round.
	scales ramp-mq fifos ramp-mq $MQ_SCALE \
		"packets/s of ramp_mq, 40 Gbit/s, to mq and FIFOs"
else
	skip_all "a clock that counts instructions (--icount), or two CPUs at native speed (uml)"
fi
ktap_end
