#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a packet costs when there are many buckets, at native speed
# (RAMP_VM_MEM=2048 selftests/vm/run -k uml): packets to as many addresses as there
# are, each with a filter and a bucket of its own, beside the same filters with
# police and with an action that does nothing. A bucket is not searched for: what
# more of them cost is the memory that they are in, which is the filters' as well.
# At last the same packets again, while there are 100,000 buckets more.

# shellcheck source=selftests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=${RAMP_BENCH_ROUNDS:-3}	# of as many runs as PASSES says
ALL=${RAMP_BENCH_COUNT:-1000000}
PASSES=4	# as in qdisc.sh, but longer, as caches have to fill
COUNT=$((ALL / PASSES))
BUCKETS=(1 10 100 1000 10000)
SOME=1000	# of these, when there are as many more as
MANY=100000
RATE="rate 100gbit burst 100mb"
KINDS=(ok police mpolice)
FLAT=1.0	# of police, at least, with any number of buckets
SCALE_PY="$(dirname "$0")/../net/lib/mpolice_scale.py"

# shellcheck disable=SC2317 # called by the trap
buckets_cleanup()
{
	local name

	pktgen_setup 0
	for name in "${!QDISC[@]}"; do
		ip link del "$name"
	done
	tc actions flush action mpolice >/dev/null
}

# address N - the N-th.
# shellcheck disable=SC2317 # called by measured
address()
{
	echo "10.$(($1 >> 16)).$(($1 >> 8 & 255)).$(($1 & 255))"
}

# table KIND N - a device with N filters on what leaves it. The actions are made with
# their filters.
table()
{
	local kind=$1 n name=$1-$2

	contestant "$name"
	ip link add "$name" type dummy || return
	ip link set "$name" up
	tc qdisc add dev "$name" clsact || return
	awk -v kind="$kind" -v n="$2" -v dev="$name" -v base="$BASE" \
		-v rate="$RATE" 'BEGIN {
		act["ok"] = "ok"
		act["police"] = "police " rate " conform-exceed ok/ok"
		for (i = 0; i < n; i++) {
			act["mpolice"] = "mpolice bucket " base + i " " rate \
				" policy drop conform-exceed ok/ok"
			printf "filter add dev %s egress protocol ip pref 1 " \
				"flower dst_ip 10.%d.%d.%d action %s\n", dev,
				int(i / 65536), int(i / 256) % 256, i % 256,
				act[kind] } }' | tc -batch -
	BASE=$((BASE + $2))
}

# measured NAME - ns per packet. One filter of all must have had what is its share.
# shellcheck disable=SC2317 # called by compete
measured()
{
	local ns

	COST_DEV=$1
	pktgen_setup 1
	pktgen "$COST_DEV@0" "dst_min $(address 0)"
	pktgen "$COST_DEV@0" "dst_max $(address $((${1#*-} - 1)))"
	ns=$(pktgen_run "$COUNT") || return
	pktgen_setup 0
	calc "$ns"
}

# seen NAME - packets that all its actions have had.
seen()
{
	tc -j -s filter show dev "$1" egress | jq '
		[.[].options?.actions? // empty | .[0].stats.packets] | add'
}

[ "${RAMP_KERNEL-}" = uml ] || skip_all "native speed (uml)"
[ "$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)" -ge 1500 ] ||
	skip_all "memory (RAMP_VM_MEM=2048)"
cost_tools jq python3
cost_modules pktgen act_mpolice act_police act_gact cls_flower
cost_at_end buckets_cleanup

# Those that are made at last have numbers from 1000001 on.
BASE=1
for n in "${BUCKETS[@]}"; do
	for kind in "${KINDS[@]}"; do
		table "$kind" "$n" || {
			fail "$n filters with $kind"
			ktap_end
		}
	done
done
warm_up 1 measured
compete "$ROUNDS" measured $PASSES least

bench_begin buckets
note "ns per packet, medians of $ROUNDS rounds of $PASSES x $COUNT packets"
for kind in "${KINDS[@]}"; do
	note "$(printf '%-8s' "$kind")$(for n in "${BUCKETS[@]}"; do
		# shellcheck disable=SC2086 # numbers
		printf ' %s: %.0f' "$n" "$(median ${RUNS[$kind-$n]})"
	done)"
	for n in "${BUCKETS[@]}"; do
		# shellcheck disable=SC2086
		row buckets "$kind" "$n" 1 ns ${RUNS[$kind-$n]}
	done
done
for n in "${BUCKETS[@]}"; do
	mapfile -t all < <(ratios "police-$n" "mpolice-$n")
	row_ratio "buckets-$n" mpolice police 1 "${all[@]}"
	holds "packets/s through $n buckets, of police" "$(median "${all[@]}")" \
		">=" $FLAT
done
for kind in "${KINDS[@]}"; do
	is "each packet was seen by $kind" "$(seen "$kind-$SOME")" \
		$((COUNT * (ROUNDS * PASSES + 1)))
done

python3 "$SCALE_PY" make 1000001 $((1000000 + MANY)) --each 1 >/dev/null || fail "$MANY buckets"
NAMES=("${KINDS[@]/%/-$SOME}")
RUNS=()
compete "$ROUNDS" measured $PASSES least
for kind in "${KINDS[@]}"; do
	# shellcheck disable=SC2086
	row buckets-more "$kind" $MANY 1 ns ${RUNS[$kind-$SOME]}
	# shellcheck disable=SC2086
	note "$kind, $SOME of $MANY more: $(median ${RUNS[$kind-$SOME]})"
done
mapfile -t all < <(ratios "police-$SOME" "mpolice-$SOME")
row_ratio buckets-more mpolice police 1 "${all[@]}"
holds "packets/s through $SOME of $MANY more buckets, of police" \
	"$(median "${all[@]}")" ">=" $FLAT
ktap_end
