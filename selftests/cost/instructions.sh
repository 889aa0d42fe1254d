#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Instructions per packet, where one instruction is one virtual nanosecond
# (selftests/vm/run --icount). A generator sends through each qdisc to a device
# that swallows everything; what counts is the virtual time from its first packet
# to its last, divided by the packets. So all of it is in: timer interrupts, the
# softirqs that they raise, and the generator. A difference between two qdiscs
# is the difference of what they cost.
#
# With RAMP_COST_PEERS=1 there are more of them to compare with, of which nothing is
# demanded.

# shellcheck source=selftests/cost/lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=${RAMP_COST_ROUNDS:-5}
COUNT=8000
LIMIT=80	# above a bare FIFO
FLAT=10		# between 1 band and 16
REPEAT=0.5	# percent, the median of the rounds above the best one
TRACE=/sys/kernel/tracing

declare -A COST

# A detector that nothing disturbs: no surge of any kind, no ramp. The tracepoint
# is off every path that is measured.
# shellcheck disable=SC2317 # called by compete
measured()
{
	local name=$1 seen

	qdisc "${@:2}" || return
	[ "$name" != htb ] ||
		tc class add dev "$COST_DEV" parent 1: classid 1:1 htb \
			rate 100gbit burst 10mb cburst 10mb quantum 1514 || return
	# What the qdisc before it had is freed when no CPU can see it any more, which
	# is not to be counted. Virtual time costs none.
	sleep 0.2
	pktgen_run "$COUNT" || return
	[[ $name == ramp* ]] || return 0
	seen=$(
		counter '[.state, .surges_up, .surges_down, .ramps, .enqueued,
			.dequeued] | join(" ")'
		grep -v '^#' "$TRACE/trace"
	)
	[ "$seen" = "idle 0 0 0 $COUNT $COUNT" ] || {
		echo "disturbed: $seen"
		return 1
	}
}

# above NAME OF - instructions per packet more than the other.
above()
{
	calc "${COST[$1]} - ${COST[$2]}" %.1f
}

[ "${RAMP_MACHINE-}" = initramfs ] ||
	skip_all "a clock that counts instructions (--icount)"
cost_init jq
pktgen_setup 1

# The detector's thresholds follow the traffic, so that it is close to HIGH but
# never there, on any kernel.
settle "$COUNT"
ns=$(load "$COUNT" ramp detect both rate 100gbit) || missing "pktgen"
kbit=$(calc "$COST_SIZE * 8e6 / $ns" %.0f)
low=$((kbit / 2)) high=$((kbit * 21 / 20))
last=$(printf '15 %.0s' {1..16})
both="detect both window 10ms queue 1:2 ingress ${low}kbit:${high}kbit"

contestant fiforef fiforef
contestant pfifo pfifo
contestant prio prio
contestant prio-16 prio bands 16 priomap "$last"
contestant tbf tbf rate 100gbit burst 10mb limit 10mb
contestant fq_codel fq_codel
if [ -n "${RAMP_COST_PEERS-}" ]; then
	contestant fq fq
	contestant htb htb default 1
	contestant cake cake
fi
contestant ramp-both "ramp rate 1gbit $both"
contestant ramp-both-16 "ramp rate 1gbit $both bands 16 priomap $last"
contestant ramp "ramp rate 10gbit"
contestant ramp-16 "ramp rate 10gbit bands 16 priomap $last"
contestant ramp-off "ramp detect off"
contestant ramp-gears "ramp detect off gears 1gbit,100gbit,200gbit"
contestant ramp-gears-16 "ramp detect off gears $(seq -s, -f %ggbit 85 100)"

echo 1 >$TRACE/events/ramp/ramp_surge/enable
compete "$ROUNDS" measured
echo 0 >$TRACE/events/ramp/ramp_surge/enable
pass "no ramp ran, and every packet went through"

# The same thresholds a little lower, and it is a surge: the detector is awake.
qdisc ramp rate 1gbit window 10ms detect ingress \
	ingress "${low}kbit:$((kbit * 9 / 10))kbit"
pktgen_run "$COUNT" >/dev/null
is "the detector sees this traffic" "$(counter .surges_up)" 1

worst=0
result_begin "cost-instructions-$RAMP_KERNEL"
note "instructions per packet of $COST_SIZE bytes, medians of $ROUNDS, generator included"
note "$(printf '%-14s %9s %9s %12s' qdisc total excess 'to fiforef')"
for name in "${NAMES[@]}"; do
	# shellcheck disable=SC2086 # numbers
	COST[$name]=$(median ${RUNS[$name]}) excess=$(excess ${RUNS[$name]})
	part=$(calc "100 * $excess / ${COST[$name]}")
	case $name in
	fq | htb | cake) ;;
	*) worst=$(calc "$worst > $part ? $worst : $part") ;;
	esac
	note "$(printf '%-14s %9.1f %9.1f %+12.1f' "$name" "${COST[$name]}" \
		"$excess" "$(above "$name" fiforef)")"
	result --arg name "$name" --argjson total "${COST[$name]}" \
		--argjson above "$(above "$name" fiforef)"
done

holds "the rounds of a contestant agree, percent" "$worst" "<=" $REPEAT
holds "detect both, 1 band, above fiforef" "$(above ramp-both fiforef)" "<=" $LIMIT
holds "detect both, 16 bands, above fiforef" \
	"$(above ramp-both-16 fiforef)" "<=" $LIMIT
holds "detect always, 1 band, above fiforef" "$(above ramp fiforef)" "<=" $LIMIT
holds "detect always, 16 bands, above fiforef" \
	"$(above ramp-16 fiforef)" "<=" $LIMIT
holds "16 bands, above 1 band" "$(above ramp-both-16 ramp-both)" "<=" $FLAT
holds "1 band, above 16 bands" "$(above ramp-both ramp-both-16)" "<=" $FLAT
for name in ramp-both ramp-both-16; do
	for peer in prio prio-16; do
		holds "$name, above $peer" "$(above "$name" "$peer")" "<" 0
	done
done
holds "gears, above tbf" "$(above ramp-gears tbf)" "<=" 0
holds "16 gears, above tbf" "$(above ramp-gears-16 tbf)" "<=" 0
ktap_end
