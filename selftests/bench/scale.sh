#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a packet costs when a qdisc has more of something: bands, gears, steps of a
# ladder, members of its rail. In instructions, where one is one virtual nanosecond
# (selftests/vm/run --icount); nothing of all that acts on these packets, so each
# cost should be that of the least. Members of a rail tell it what arrives the more
# often, the more of them there are: with 32 each packet is told, which is the most that
# it can cost.

# shellcheck source=selftests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=${RAMP_BENCH_ROUNDS:-5}
COUNT=${RAMP_BENCH_COUNT:-8000}
FLAT=1.03	# the most of something, of the least; a rail of eight, of none
RAIL=1.07	# a rail of 32, of none

BANDS=(1 2 4 8 16)
GEARS=(0 2 4 8 16)
LADDERS=(0 1 2 4 8 16)
RAILS=(0 1 2 8 32)

declare -A COST

# shellcheck disable=SC2317 # called by the trap
scale_cleanup()
{
	local members n

	pktgen_setup 0
	for members in "${RAILS[@]}"; do
		for ((n = 1; n < members; n++)); do
			echo "link del r$members-$n"
		done
	done | ip -force -batch - 2>/dev/null
	ip link del "$COST_DEV"
}

# rail MEMBERS PARAMETER... - a rail with all of them but the one that is measured.
# Its number is theirs.
rail()
{
	local n members=$1

	shift
	[ "$members" -gt 1 ] || return 0
	for ((n = 1; n < members; n++)); do
		echo "link add r$members-$n type dummy"
		echo "link set r$members-$n up"
	done | ip -batch - || return
	for ((n = 1; n < members; n++)); do
		echo "qdisc add dev r$members-$n root handle 1: ramp rail $members $*"
	done | tc -batch -
}

# steps N - of a ladder: thresholds from 5 to 90 percent, rates from 95 down.
steps()
{
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "%s%.2f%%:%.2f%%", i ? "," : "",
				5 + 85 * i / n, 95 - 95 * i / n }'
}

# All went through, and nothing held them back.
# shellcheck disable=SC2317 # called by compete
measured()
{
	local seen

	load "$COUNT" "${@:2}" || return
	seen=$(counter '[.state, .ramps, .enqueued, .dequeued] | join(" ")')
	[ "$seen" = "idle 0 $COUNT $COUNT" ] || {
		echo "disturbed: $seen"
		return 1
	}
}

# curve NAME MOST JUDGED N... - the costs of one thing, and that those of JUDGED are at
# most MOST times those of the first N.
curve()
{
	local name=$1 most=$2 judged=$3 n first=$4

	shift 3
	for n; do
		# shellcheck disable=SC2086 # numbers
		COST[$name-$n]=$(median ${RUNS[$name-$n]})
		# shellcheck disable=SC2086
		row scale "$name" "$n" 1 instructions ${RUNS[$name-$n]}
	done
	note "$(printf '%-8s' "$name")$(for n; do
		printf ' %s: %.1f' "$n" "${COST[$name-$n]}"
	done)"
	holds "$judged of $name, to $first" \
		"$(calc "${COST[$name-$judged]} / ${COST[$name-$first]}")" "<=" "$most"
}

[ "${RAMP_MACHINE-}" = initramfs ] ||
	skip_all "a clock that counts instructions (--icount)"
cost_init jq
trap scale_cleanup EXIT
pktgen_setup 1
settle "$COUNT"
ns=$(load "$COUNT" ramp detect off) || missing "pktgen"
kbit=$(calc "$COST_SIZE * 8e6 / $ns" %.0f)
both=(rate 1gbit detect both queue 10:1000 start 50mbit
	ingress "$((kbit / 2))kbit:$((kbit * 21 / 20))kbit")

for n in "${BANDS[@]}"; do
	contestant "bands-$n" ramp "${both[@]}" bands "$n" \
		priomap "$(yes $((n - 1)) | head -n 16 | paste -sd ' ')"
done
for n in "${GEARS[@]}"; do
	if [ "$n" = 0 ]; then
		contestant gears-0 ramp detect off
	else
		contestant "gears-$n" ramp detect off gears \
			"$(seq -s, -f %ggbit $((101 - n)) 100)"
	fi
done
for n in "${LADDERS[@]}"; do
	if [ "$n" = 0 ]; then
		contestant steps-0 ramp "${both[@]}"
	else
		contestant "steps-$n" ramp "${both[@]}" ladder "$(steps "$n")"
	fi
done
for n in "${RAILS[@]}"; do
	if [ "$n" = 0 ]; then
		contestant members-0 ramp "${both[@]}"
	else
		rail "$n" "${both[@]}" || {
			fail "a rail of $n"
			ktap_end
		}
		contestant "members-$n" ramp rail "$n" "${both[@]}"
	fi
done

compete "$ROUNDS" measured
bench_begin scale
note "instructions per packet of $COST_SIZE bytes, medians of $ROUNDS, generator included"
curve bands $FLAT 16 "${BANDS[@]}"
curve gears $FLAT 16 "${GEARS[@]:1}"
curve steps $FLAT 16 "${LADDERS[@]}"
curve members $RAIL 32 "${RAILS[@]}"
holds "8 of members, to 0" \
	"$(calc "${COST[members-8]} / ${COST[members-0]}")" "<=" "$FLAT"
# shellcheck disable=SC2086 # numbers
row scale gears 0 1 instructions ${RUNS[gears-0]}
ktap_end
