#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How often ramp reads a clock while it only watches: probes on the kernel's
# clocks count their callers. Arrivals may read it once per HIGH x WINDOW/8 bytes,
# and the end of every slot of WINDOW/8 once.

# shellcheck source=selftests/cost/lib.sh
. "$(dirname "$0")/lib.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
TRACE=/sys/kernel/tracing
GROUP=ramp_clock
SLOT=1250		# us
CLOCKS=(ktime_get ktime_get_with_offset ktime_get_coarse_with_offset
	ktime_get_raw ktime_get_seconds ktime_get_real_seconds ktime_get_ts64
	ktime_get_real_ts64 ktime_get_coarse_real_ts64 ktime_get_raw_ts64)

# shellcheck disable=SC2317 # called by the trap
probes_end()
{
	local event

	for event in "$TRACE/events/$GROUP"/*/trigger; do
		[ ! -e "$event" ] || echo '!hist:keys=caller.sym-offset' >"$event"
	done
	! grep -q "$GROUP" "$TRACE/kprobe_events" ||
		echo "-:$GROUP/" >>"$TRACE/kprobe_events"
	cost_cleanup
}

probes_begin()
{
	local clock

	[ -w "$TRACE/kprobe_events" ] || missing "kprobe events"
	trap probes_end EXIT
	for clock in "${CLOCKS[@]}"; do
		# Where a function begins, the caller's address is on the stack.
		# shellcheck disable=SC2016 # $stack is the probe's
		echo "p:$GROUP/$clock $clock"' caller=+0($stack)' \
			>>"$TRACE/kprobe_events" || missing "a probe on $clock"
	done
}

# Begins to count anew.
probes_reset()
{
	local event

	for event in "$TRACE/events/$GROUP"/*/trigger; do
		! grep -q '^hist' "$event" ||
			echo '!hist:keys=caller.sym-offset' >"$event"
		echo 'hist:keys=caller.sym-offset' >"$event" ||
			missing "histograms of events"
	done
}

# callers MODULE - from where in MODULE clocks were read: HITS PLACE.
callers()
{
	cat "$TRACE/events/$GROUP"/*/hist | sed -nE \
		"s/^\{ caller: \[[0-9a-f]+\] ([^ ]+) \[$1\].* hitcount: *([0-9]+)\$/\2 \1/p"
}

# reads - how often sch_ramp has read a clock.
reads()
{
	callers sch_ramp | awk '{ n += $1 } END { print n + 0 }'
}

# dropped - entries that the histograms had no room for. A probe also misses what
# interrupts read while it counts, but ramp runs in none.
dropped()
{
	sed -n 's/ *Dropped: //p' "$TRACE/events/$GROUP"/*/hist |
		awk '{ n += $1 } END { print n + 0 }'
}

# unwatched - clocks that the module imports and that have no probe.
unwatched()
{
	local imports

	imports=$(python3 "$HERE/imports.py" "$(modinfo -n sch_ramp)" |
		grep -E 'clock|ktime_get|timekeep|jiffies|boottime|tsc|cycles')
	[[ $imports == *ktime_get* ]] || imports+=" no import at all?"
	# It converts a time that somebody else has read.
	grep -vxF -f <(printf '%s\n' jiffies nsecs_to_jiffies "${CLOCKS[@]}") <<<"$imports"
}

# send COUNT - counts the slots that end: those full of packets, the one in which
# they stop, and one without any.
# shellcheck disable=SC2317 # called by measure
send()
{
	local ns

	ns=$(pktgen_run "$1") || return
	SLOTS=$((SLOTS + $(calc "int($ns * $1 / 1000 / $SLOT)" %d) + 2))
}

# bursts NUMBER COUNT - with silences between them.
# shellcheck disable=SC2317 # called by measure
bursts()
{
	local n

	for ((n = 0; n < $1; n++)); do
		send "$2"
		sleep 0.005
	done
}

# measure COMMAND [ARG...] - sets READS, SLOTS and BYTES.
measure()
{
	local bytes

	bytes=$(counter .bytes)
	SLOTS=0
	probes_reset
	"$@"
	sleep 0.01
	READS=$(reads)
	BYTES=$(($(counter .bytes) - bytes))
}

# bounded NAME HIGH_KBIT MORE - MORE: what else may read the clock.
bounded()
{
	local per_slot=$(($2 * SLOT / 8000))

	note "$1: $READS reads, $SLOTS slots, $BYTES bytes, HIGH $per_slot bytes a slot" \
		"$(callers sch_ramp | paste -sd ,)"
	if [ "$BYTES" -lt $((COST_SIZE * 50)) ] || [ "$READS" = 0 ]; then
		fail "$1" "nothing was measured"
	else
		holds "$1" "$READS" "<=" $((BYTES / per_slot + SLOTS + $3))
	fi
}

# both HIGH_KBIT [PARAMETER...]
both()
{
	qdisc ramp rate 10gbit window 10ms detect both queue 1:2 \
		ingress "0:${1}kbit" "${@:2}"
}

cost_init jq modinfo python3
probes_begin
pktgen_setup 1

is "every clock that ramp may read is watched" "$(unwatched)" ""

settle 5000
ns=$(load 5000 ramp detect both rate 100gbit)
kbit=$(calc "$COST_SIZE * 8e6 / $ns" %.0f)
note "a packet takes $ns ns, that is $kbit kbit"

qdisc ramp detect off
measure send 5000
is "detect off reads no clock" "$READS" 0

# 100 Gbit/s have a step of 62500 bytes per tick: nothing is held back.
qdisc ramp rate 100gbit
measure send 5000
note "$READS reads, $BYTES bytes"
within "detect always reads it once for 3/8 of a step" "$READS" \
	$((BYTES * 8 / (3 * 62500) - 1)) $((BYTES * 8 / (3 * 62500) + 1))

qdisc ramp detect queue queue 1:2
measure send 5000
is "detect queue reads no clock while no queue forms" "$READS" 0

both $((kbit * 21 / 20))
measure send 5000
bounded "arrivals just below HIGH" $((kbit * 21 / 20)) 0
holds "arrivals just below HIGH: the first, and the ends of slots" \
	"$READS" "<=" $((SLOTS + 1))

both $((kbit / 4))
measure send 5000
bounded "arrivals four times HIGH" $((kbit / 4)) 0

# A burst is twice HIGH.
high=$((150 * COST_SIZE * 8000 / SLOT))
both $high
measure bursts 40 300
bounded "bursts to HIGH" $high 0

# Slots without arrivals are not timed, so a packet after one opens a slot.
both $((kbit / 4))
pktgen "${PKTGEN_DEVS[0]}" "delay 2600000"
measure send 100
bounded "a packet every two slots" $((kbit / 4)) 100

is "every reading was counted" "$(dropped)" 0
is "no ramp ran" "$(counter .ramps)" 0
ktap_end
