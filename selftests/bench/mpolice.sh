#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What mpolice costs beside police and an action that does nothing, for one CPU
# and for two on one bucket: packets per second at native speed
# (selftests/vm/run -k uml), instructions per packet where those are counted
# (selftests/vm/run --icount).
#
# Generators send frames of 64 bytes to a device that swallows them; a filter on
# its egress has the action. Exceeding packets pass as well, so that all packets
# take the same way: what differs is the action. Each round has every contestant,
# and what is compared is the ratio within a round; of rounds of one CPU and of two
# qdisc.sh says more.
#
# With two CPUs there is also police-own, where each CPU has a device, a filter and a
# police of its own, and nothing is shared: that is two contracts, not one.

# shellcheck source=selftests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=${RAMP_BENCH_ROUNDS:-9}
ALL=${RAMP_BENCH_COUNT:-2000000}
PASSES=8	# with one CPU at native speed, as in qdisc.sh
ONE=1.0		# of police, at least, on one CPU
TWO=1.3		# of police's one index, at least, on two CPUs
AIM=0.95	# of an action that does nothing, on two CPUs: an aim

# What passes whole, what exceeds but for a few packets, and what exceeds while more
# is earned from one packet to the next, so that each has to look at the clock.
PASS="rate 100gbit burst 100mb"
STOP="rate 8kbit burst 2000"
SOME="rate 20mbit burst 20000"

declare -A RATIO

# filter DEVICE ACTION... - on all that leaves it.
filter()
{
	local dev=$1
	shift

	tc qdisc del dev "$dev" clsact 2>/dev/null
	tc qdisc add dev "$dev" clsact 2>&1 | grep -v '^Warning'
	tc filter add dev "$dev" egress matchall action "$@" 2>&1 |
		grep -v '^Warning'
	[ "${PIPESTATUS[0]}" = 0 ]
}

# second DEVICE - where the second generator sends to.
# shellcheck disable=SC2317 # called by measured
second()
{
	[ "$THREADS" -gt 1 ] && [ "${PKTGEN_DEVS[1]}" != "$1@1" ] || return 0
	generator 1 "$1"
}

# seen DEVICE - packets, and of mpolice those that conformed and exceeded.
# shellcheck disable=SC2317 # called by measured
seen()
{
	tc -j -s filter show dev "$1" egress | jq -r '
		[.[].options?.actions? // empty] | .[0][0] |
		[.stats.packets, .conformed.packets, .exceeded.packets] |
		map(. // 0) | join(" ")'
}

# shellcheck disable=SC2317 # called by the trap
mpolice_cleanup()
{
	ip link del "$OTHER_DEV"
	cost_cleanup
}

# measured NAME ACTION... - ns per packet of a generator, if the action has seen
# all of them as it should.
# shellcheck disable=SC2317 # called by compete
measured()
{
	local ns seen sent=$((COUNT * THREADS))

	filter "$COST_DEV" "${@:2}" || return
	if [ "$1" = police-own ]; then
		filter "$OTHER_DEV" "${@:2}" && second "$OTHER_DEV" || return
	fi
	ns=$(pktgen_run "$COUNT") || return
	calc "$ns"
	seen=$(seen "$COST_DEV")
	case $1 in
	police-own)
		second "$COST_DEV" || return
		seen="$seen $(seen "$OTHER_DEV")"
		[ "$seen" = "$COUNT 0 0 $COUNT 0 0" ]
		;;
	mpolice-pass) [ "$seen" = "$sent $sent 0" ] ;;
	mpolice-stop) [ "${seen##* }" -ge $((sent - 100)) ] ;;
	mpolice-some)
		# shellcheck disable=SC2086 # three numbers
		set -- $seen
		[ $(($2 + $3)) = "$sent" ] && [ "$2" -ge 300 ] &&
			[ "$3" -ge $((sent / 2)) ]
		;;
	*) [ "${seen%% *}" = "$sent" ] ;;
	esac || {
		echo "seen: $seen of $sent"
		return 1
	}
}

# compare THREADS PASSES - all contestants, and a table.
compare()
{
	local name to all passes=$2

	THREADS=$1
	COUNT=$((ALL / passes))
	pktgen_setup "$THREADS"
	RUNS=()
	if ! filter "$COST_DEV" ok || ! pktgen_run "$COUNT" >/dev/null; then
		missing "pktgen"
	fi
	compete "$ROUNDS" measured "$passes" least
	note "$THREADS generator(s), medians of $ROUNDS rounds of $passes x $COUNT packets"
	note "$(printf '%-13s %12s' action 'ns/packet')"
	for name in "${NAMES[@]}"; do
		# shellcheck disable=SC2086 # numbers
		note "$(printf '%-13s %12.1f' "$name" "$(median ${RUNS[$name]})")"
		# shellcheck disable=SC2086
		row action "$name" - "$THREADS" "$UNIT" ${RUNS[$name]}
	done
	for name in pass stop some; do
		for to in police-$name police-own ok; do
			[ -n "${RUNS[$to]-}" ] || continue
			mapfile -t all < <(ratios "$to" "mpolice-$name")
			RATIO[$name-$to]=$(median "${all[@]}")
			read -r low high < <(quartiles "${all[@]}")
			note "mpolice-$name is ${RATIO[$name-$to]} x $to ($low .. $high)"
			row_ratio action "mpolice-$name" "$to" "$THREADS" "${all[@]}"
		done
	done
}

case ${RAMP_MACHINE-}:${RAMP_KERNEL-} in
initramfs:*)
	MODE=icount UNIT=instructions
	ALL=${RAMP_BENCH_COUNT:-8000} PASSES=1
	ROUNDS=${RAMP_BENCH_ROUNDS:-5}
	;;
*:uml) MODE=native UNIT=ns ;;
*) skip_all "native speed (uml) or a clock that counts instructions (--icount)" ;;
esac
cost_init jq
OTHER_DEV=cost1
ip link add $OTHER_DEV type dummy || missing "dummy"
ip link set $OTHER_DEV up
trap mpolice_cleanup EXIT
cost_modules act_mpolice act_police act_gact cls_matchall

# A bucket for each: that of a filter just deleted may still be there.
contestant ok ok
contestant police-pass "police $PASS conform-exceed ok/ok"
contestant police-stop "police $STOP conform-exceed ok/ok"
contestant police-some "police $SOME conform-exceed ok/ok"
contestant mpolice-pass \
	"mpolice bucket 1 $PASS policy drop conform-exceed ok/ok"
contestant mpolice-stop \
	"mpolice bucket 2 $STOP policy drop conform-exceed ok/ok"
contestant mpolice-some \
	"mpolice bucket 3 $SOME policy drop conform-exceed ok/ok"
bench_begin "action-$MODE"

compare 1 $PASSES
if [ "$MODE" = icount ]; then
	pass "instructions per packet of all contestants"
	ktap_end
fi
holds "1 CPU, conforming, to police" "${RATIO[pass-police-pass]}" ">=" $ONE
holds "1 CPU, exceeding, to police" "${RATIO[stop-police-stop]}" ">=" $ONE
holds "1 CPU, some conforming, to police" "${RATIO[some-police-some]}" ">=" $ONE
contestant police-own "police $PASS conform-exceed ok/ok"
compare 2 1
holds "2 CPUs on one bucket, conforming, to police" \
	"${RATIO[pass-police-pass]}" ">=" $TWO
holds "2 CPUs on one bucket, exceeding, to police" \
	"${RATIO[stop-police-stop]}" ">=" $TWO
holds "2 CPUs on one bucket, some conforming, to police" \
	"${RATIO[some-police-some]}" ">=" $TWO
is_true "${RATIO[pass-ok]} >= $AIM" ||
	note "2 CPUs to an action that does nothing: ${RATIO[pass-ok]}, aim $AIM"
ktap_end
