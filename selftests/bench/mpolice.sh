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
# take the same way: what differs is the action. Each round has every contestant
# once, and what is compared is the ratio within a round.

# shellcheck source=selftests/cost/lib.sh
. "$(dirname "$0")/../cost/lib.sh"

ROUNDS=${RAMP_BENCH_ROUNDS:-9}
COUNT=${RAMP_BENCH_COUNT:-2000000}
ONE=1.0		# of police, at least, on one CPU
TWO=1.3		# of police's one index, at least, on two CPUs
AIM=0.95	# of an action that does nothing, on two CPUs: an aim

# What passes whole, what exceeds but for a few packets, and what exceeds while more
# is earned from one packet to the next, so that each has to look at the clock.
PASS="rate 100gbit burst 100mb"
STOP="rate 8kbit burst 2000"
SOME="rate 20mbit burst 20000"

declare -A RATIO

# filter ACTION... - on all that leaves the device.
filter()
{
	tc qdisc del dev "$COST_DEV" clsact 2>/dev/null
	tc qdisc add dev "$COST_DEV" clsact 2>&1 | grep -v '^Warning'
	tc filter add dev "$COST_DEV" egress matchall action "$@" 2>&1 |
		grep -v '^Warning'
	[ "${PIPESTATUS[0]}" = 0 ]
}

# measured NAME ACTION... - ns per packet of a generator, if the action has seen
# all of them as it should.
# shellcheck disable=SC2317 # called by compete
measured()
{
	local ns seen sent=$((COUNT * THREADS))

	filter "${@:2}" || return
	ns=$(pktgen_run "$COUNT") || return
	calc "$ns"
	seen=$(tc -j -s filter show dev "$COST_DEV" egress | jq -r '
		[.[].options?.actions? // empty] | .[0][0] |
		[.stats.packets, .conformed.packets, .exceeded.packets] |
		map(. // 0) | join(" ")')
	case $1 in
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

# compare THREADS - all contestants, and a table.
compare()
{
	local name to all

	THREADS=$1
	pktgen_setup "$THREADS"
	RUNS=()
	if ! filter ok || ! pktgen_run "$COUNT" >/dev/null; then
		skip_all "pktgen"
	fi
	compete "$ROUNDS" measured
	note "$THREADS generator(s) of $COUNT packets, medians of $ROUNDS rounds"
	note "$(printf '%-13s %12s' action 'ns/packet')"
	for name in "${NAMES[@]}"; do
		# shellcheck disable=SC2086 # numbers
		note "$(printf '%-13s %12.1f' "$name" "$(median ${RUNS[$name]})")"
	done
	for name in pass stop some; do
		for to in police-$name ok; do
			mapfile -t all < <(ratios "$to" "mpolice-$name")
			RATIO[$name-$to]=$(median "${all[@]}")
			read -r low high < <(quartiles "${all[@]}")
			note "mpolice-$name is ${RATIO[$name-$to]} x $to ($low .. $high)"
			result --argjson threads "$THREADS" --arg name \
				"mpolice-$name" --arg to "$to" \
				--argjson ratio "${RATIO[$name-$to]}" \
				--argjson low "$low" --argjson high "$high"
		done
	done
}

case ${RAMP_MACHINE-}:${RAMP_KERNEL-} in
initramfs:*)
	MODE=icount
	COUNT=${RAMP_BENCH_COUNT:-8000}
	ROUNDS=${RAMP_BENCH_ROUNDS:-5}
	;;
*:uml) MODE=native ;;
*) skip_all "native speed (uml) or a clock that counts instructions (--icount)" ;;
esac
cost_init jq
for module in act_mpolice act_police act_gact cls_matchall; do
	modprobe -q "$module" || skip_all "module $module"
done

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
result_begin "bench-mpolice-$MODE"

compare 1
if [ "$MODE" = icount ]; then
	pass "instructions per packet of all contestants"
	ktap_end
fi
holds "1 CPU, conforming, to police" "${RATIO[pass-police-pass]}" ">=" $ONE
holds "1 CPU, exceeding, to police" "${RATIO[stop-police-stop]}" ">=" $ONE
holds "1 CPU, some conforming, to police" "${RATIO[some-police-some]}" ">=" $ONE
compare 2
holds "2 CPUs on one bucket, conforming, to police" \
	"${RATIO[pass-police-pass]}" ">=" $TWO
holds "2 CPUs on one bucket, exceeding, to police" \
	"${RATIO[stop-police-stop]}" ">=" $TWO
holds "2 CPUs on one bucket, some conforming, to police" \
	"${RATIO[some-police-some]}" ">=" $TWO
is_true "${RATIO[pass-ok]} >= $AIM" ||
	note "2 CPUs to an action that does nothing: ${RATIO[pass-ok]}, aim $AIM"
ktap_end
