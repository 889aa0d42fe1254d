#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a change of gears does to packets: nothing leaves for `freeze` but what is
# exempt, and nothing is lost, while arrivals stay within the top gear and the limit
# is what the parameters ask for.
#
# Fails, as tried, when: packets pass while the gear changes.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/gears.sh
. "$HERE/lib/gears.sh"

US=1000 MS=1000000

# silence STREAM - for each move of the trace, how long nothing of the stream left
# after it, ns. One that came in the same instant was before it.
silence()
{
	{
		gear_moves | awk '{ print $1, "move" }'
		capture frames --stream "$1" | awk '{ print $1, "frame" }'
	} | sort -n | awk '
		$2 == "move" { at[++moves] = $1 }
		$2 == "frame" {
			for (m = 1; m <= moves; m++)
				if (!(m in next_) && $1 - at[m] > 1000)
					next_[m] = $1
		}
		END { for (m = 1; m <= moves; m++) print next_[m] - at[m] }'
}

# A queue that lasts, and four moves by the controller, of which each shuts the gate.
gates()
{
	local freeze=$1 least most n=0 length gear senders=()
	local low=$((freeze)) high=$((freeze + 500 * US))

	geared bands 2 exempt 0 priomap 1 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 \
		freeze "${freeze}ns" dwell 0 limit 4000 gear-up 60% gear-down 0% \
		gear-range 4:4
	rests
	sleep 0.02	# that was a change, too
	TRACE_EVENTS=ramp_gear
	capture_start
	# Band 1 waits, band 0 (priority 1) has a packet every ms.
	send x600 -s $GEAR_SIZE -p 0 >"$NET_WORK/sent" &
	senders+=($!)
	send 1000pps:120ms -s 60 -p 1 -n 1 >"$NET_WORK/exempt" &
	senders+=($!)
	sleep 0.02
	trace_start
	for gear in 2 3 4 3; do
		shift_gear gear-range $gear:$gear
		is "freeze $freeze, gear $gear: the state says so" \
			"$(counter state)" frozen
		sleep 0.02
	done
	trace_stop
	wait "${senders[@]}"
	drained
	capture_stop

	for length in $(silence 0); do
		n=$((n + 1))
		# Then the bucket has what came meanwhile, so the first goes at once.
		within "freeze $freeze, move $n: nothing leaves for, ns" "$length" \
			$((low - 2 * US)) $((high))
	done
	is "freeze $freeze: moves" $n 4
	is "freeze $freeze: what is exempt comes every ms" \
		"$(capture frames --stream 1 | awk '{ d = $1 - $5; n += d > 2000 }
			END { print NR, n + 0 }')" "120 0"
	all_came_stream "freeze $freeze" 0 "$NET_WORK/sent"
	all_came_stream "freeze $freeze, exempt" 1 "$NET_WORK/exempt"

	# With those into the idle gear and out of it: all are as long.
	rests
	sleep 0.02
	is "freeze $freeze: as many freezes as changes" \
		"$(counter freezes)" "$(counter gear_changes)"
	least=$(counter freeze_ns.min) most=$(counter freeze_ns.max)
	within "freeze $freeze: min" "$least" $((low)) $((low + 5 * US))
	within "freeze $freeze: avg" "$(counter freeze_ns.avg)" "$least" "$most"
	within "freeze $freeze: max" "$most" "$least" $((low + 5 * US))
}

# A link that goes down while gears change ends that, as nothing waits any more.
link_down()
{
	geared freeze 20ms dwell 0 limit 20000 gear-up 60% gear-down 0% \
		gear-range 4:4 idle 60s
	sleep 0.1
	shift_gear gear-range 2:2
	is "link: the gear changes" "$(counter state)" frozen
	ip -n "$src" link set out0 down
	ip -n "$src" link set out0 up
	sleep 0.1
	is "link: down and up in a change of gears, which is over then" \
		"$(counters state gear)" "idle 2"
}

# all_came_stream NAME STREAM SENT
all_came_stream()
{
	local sent

	sent=$(jq .sent "$3")
	is "$1: all arrive once and in order" \
		"$(capture check "$sent" --stream "$2") $(jq .refused "$3")" \
		"received $sent lost 0 doubled 0 reordered 0 0"
}

# need PARAMETER... - the limit that a refusal asks for; 0: none is needed
need()
{
	tc -n "$src" qdisc replace dev out0 root handle 1: pfifo
	tc -n "$src" qdisc replace dev out0 root handle 2: ramp detect off \
		rate 1gbit limit 2 "$@" 2>&1 >/dev/null |
		sed -n 's/.*freeze: limit must be at least \([0-9]*\).*/\1/p'
}

# worst NAME FREEZE PARAMETER... - the limit that is asked for, and one less; then
# the worst there is: the least frames at the full rate of the top gear, from the
# lowest gear on.
worst()
{
	local name=$1 freeze=$2 limit refused
	shift 2

	limit=$(need freeze "$freeze" gears $GEARS "$@")
	matches "$name: a limit is asked for" "$limit" '^[0-9]+$'
	[ -n "$limit" ] || return
	refused=$(tc -n "$src" qdisc replace dev out0 root handle 2: ramp detect off \
		rate 1gbit limit $((limit - 1)) freeze "$freeze" gears $GEARS \
		"$@" 2>&1)
	matches "$name: one less is refused" "$refused" "at least $limit "
	geared limit "$limit" freeze "$freeze" "$@"
	rests
	capture_start
	send "$(gear_rate 4)bit:100ms" -s 64 >"$NET_WORK/sent"
	drained
	capture_stop
	within "$name: all gears were used" "$(counter gear_changes)" 5 100000
	is "$name: nothing was dropped" "$(counters drops dropped)" "0 0"
	all_came "$name"
	note "$name: limit $limit, $(counter freezes) freezes"
}

# The time of one packet of the largest size at the present gear: what auto is.
auto()
{
	local gear

	geared freeze auto limit 3000 gear-range 1:1
	for gear in 1 2 3 4; do
		shift_gear gear-range $gear:$gear
		rests
		TRACE_EVENTS=ramp_gear
		capture_start
		send x100 -s $GEAR_SIZE >"$NET_WORK/sent"
		is "freeze auto, gear $gear: one packet, ns" \
			"$(counter options.freeze)" \
			$((GEAR_SIZE * 8 * 1000000000 / $(gear_rate $gear)))
		drained
		capture_stop
	done
}

net_init ramp-send tcpdump
only_virtual_time
pair $((GEAR_SIZE - 14))
sleep 1		# until timers have a high resolution
gates $((5 * MS))
gates $((200 * US))
worst "1 ms, gear-up 70 %" 1ms gear-up 70% gear-down 20% dwell 0
worst "1 ms, a gear-up for each" 1ms gear-up 30%,40%,50%,60%,70% \
	gear-down 5%,5%,10%,20%,30% dwell 0
worst "3 ms, gear-up 50 %" 3ms gear-up 50% gear-down 49% dwell 0
worst "auto" auto gear-up 70% gear-down 20% dwell 0
auto
link_down
ktap_end
