#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Four transmit queues of a device and a second device on one rail: what all of
# them send in a tick is what the description (model.py) allows one qdisc, by the
# captures of both receivers, frame by frame.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"
# shellcheck source=selftests/net/lib/rail.sh
. "$HERE/lib/rail.sh"

MS=1000000
# A tick's first frame must not fall into the tick before.
EARLY=2000
INGRESS="rate 1gbit ingress 100mbit:500mbit window 10ms"

# run MEMBERS... - "N PROFILE"..., through new members with the parameters in RAIL.
run()
{
	# shellcheck disable=SC2086 # parameters are words
	rail_members $RAIL || fail "rail 7 $RAIL"
	rail_capture_start
	trace_start
	rail_send_each "$@"
	rail_drained || note "still not empty"
	trace_stop
	rail_capture_stop
	SENT=$(cat "$NET_WORK"/sent[1-5] | jq -s 'map(.sent) | add')
	rm -f "$NET_WORK"/sent[1-5]
}

origin()
{
	echo $(($(surge_time 1 ramp,turn) - EARLY))
}

# ticks N [TICK_NS] [--bytes] - of the first ramp.
ticks()
{
	local number=$1 tick=${2:-$MS}

	rail_frames bins --origin "$(origin)" --tick "$tick" --ticks "$number" \
		"${@:3}"
}

rail_there()
{
	rail_counts "$1" "$SENT"
	is "$1: all arrive once and in order" "$(rail_frames check)" \
		"$2 streams, 0 wrong"
}

net_init ramp-send tcpdump
only_virtual_time
rail_pair 1500
sleep 1		# until timers have a high resolution

# shellcheck disable=SC2086 # parameters are words
rail_members $INGRESS tick 1ms start 2p step 2p || fail "five members"
rail_send_each "1 10mbit:20ms" "4 10mbit:20ms" "5 10mbit:20ms"
rm -f "$NET_WORK"/sent[1-5]
is "no surge: nobody waits, and nobody had to" \
	"$(rail_stats 'map([.queued, .delayed, .surges_up] | join(" ")) |
		unique | join(", ")')" "0 0 0"

# No two send at the same time: which of them came before the event would be hard
# to say.
FIVE=("1 200mbit:60ms" "2 0:10us,200mbit:60ms" "3 0:20us,200mbit:60ms" \
	"4 0:30us,200mbit:60ms" "5 0:40us,200mbit:60ms")

RAIL="$INGRESS tick 1ms start 2p step 2p"
run "${FIVE[@]}"
is "five members: 2, 4, 6 ... 82 ... 100 together" \
	"$(ticks 50)" "$(model up 2 2 50)"
is "five members: every one shows the ramp, once" \
	"$(rail_stats 'map([.surges_up, .ramps, .ramps_done, .ticks_late] |
		join(" ")) | unique | join(", ")')" "1 1 1 0"
# A tick may be all for one of them, but not the next one.
within "five members: the least that one of them sent in the ramp, of 1722" \
	"$(rail_frames shares --origin "$(origin)" --tick $MS --ticks 41 |
		tr ' ' '\n' | cut -d: -f2 | sort -n | head -n 1)" 260 344
rail_there "five members" 5

# No member alone reaches 500 mbit/s, and none does by 30 %.
matches "five members: the rail saw what they are together" \
	"$(surges ramp | head -n 1)" ' up ingress ramp '

run "2 1gbit:60ms"
is "one of five: what the others leave is there for it" \
	"$(ticks 41)" "$(model up 2 2 41)"
rail_there "one of five" 1

run "1 600mbit:60ms" "3 0:3us,100mbit:60ms" "5 0:7us,300mbit:20ms"
is "three of five, at different rates, one of them ends early" \
	"$(ticks 41)" "$(model up 2 2 41)"
rail_there "three of five" 3

RAIL="$INGRESS tick 2ms start 7p step 3p"
run "${FIVE[@]}"
is "tick 2ms start 7p step 3p" "$(ticks 25 $((2 * MS)))" "$(model up 7 3 25)"

RAIL="$INGRESS tick 1ms start 2p step 2p pause 3ms hold 4ms"
run "${FIVE[@]}"
is "pause 3ms hold 4ms" "$(ticks 30)" "$(model up 2 2 30 3 4)"

# Frames of 1514 bytes from 5000 bytes on: who finds too little left for his, may
# leave it to somebody else, but all have the same size.
RAIL="$INGRESS tick 1ms start 40mbit step 40mbit"
run "${FIVE[@]}"
# shellcheck disable=SC2046 # a list
is "start 40mbit step 40mbit" "$(ticks 24)" \
	"$(model sizes 1514 $(model up 5000 5000 24))"
rail_there "start 40mbit step 40mbit" 5

# A packet of more than all that a tick allows goes whole, once for all members.
RAIL="rate 100mbit ingress 10mbit:50mbit tick 1ms start 3200kbit step 3200kbit"
run "1 20mbit:60ms" "2 0:10us,20mbit:60ms" "3 0:20us,20mbit:60ms" \
	"4 0:30us,20mbit:60ms" "5 0:40us,20mbit:60ms"
# shellcheck disable=SC2046
is "400 bytes per tick and packets of 1514" "$(ticks 30)" \
	"$(model sizes 1514 $(model up 400 400 30))"

# exceeded START STEP - ticks in which more left than in the one before and STEP.
exceeded()
{
	rail_frames bins --origin $(($(ticks_seen | head -n 1 | cut -d' ' -f1) -
		EARLY)) --tick $MS --ticks 60 |
		awk -v start="$1" -v step="$2" '
		{
			for (n = 2; n <= NF; n++)
				bad += $n > start && $n > $(n - 1) + step
			for (n = 1; n <= NF; n++)
				sum += $n
			print bad + 0, (sum > 500 ? "busy" : "idle")
		}'
}

TRACE_EVENTS="ramp_surge ramp_tick"
RAIL="rate 1gbit detect always tick 1ms start 3p step 2p limit 100000"
run "1 200mbit:20ms,0:10ms,200mbit:30ms" "2 300mbit:50ms" "4 x300" \
	"5 0:20ms,200mbit:30ms"
# The ticks of the limiter slide, and packets do not come in parts: one more at the
# begin and the end of each of two ticks, less the one that both share.
is "detect always: no tick carries more than the one before, a step and three packets" \
	"$(exceeded 3 5)" "0 busy"
rail_there "detect always" 4
TRACE_EVENTS=ramp_surge

# below FILTER "N PROFILE"... - what they send, and FILTER of the stats.
below()
{
	local filter=$1
	shift

	trace_start
	rail_send_each "$@"
	rail_drained || note "still not empty"
	trace_stop
	rm -f "$NET_WORK"/sent[1-5]
	rail_stats ".[0] | $filter"
}

rail_below rate 1gbit detect queue queue 10:1000 tick 1ms start 2p step 2p
is "queue: four hundred packets in each of two are no surge" \
	"$(below '[.surges_up, .ramps] | join(" ")' "1 x400" "5 x400")" "0 0"
is "queue: four hundred in each of three are one" \
	"$(below '[.surges_up, .ramps] | join(" ")' \
		"1 x400" "3 x400" "5 x400")" "1 1"
# Members tell by (1000 - 10) / (16 * 5) = 12 packets.
within "queue: packets that waited when it was found" \
	"$(surges ramp | awk '{ print $NF }')" 1000 1060

rail_below rate 1gbit detect members members 1:4 tick 1ms start 2p step 2p
is "members: three busy ones are no surge" \
	"$(below '[.surges_up, .ramps] | join(" ")' "1 x40" "2 x40" "5 x40")" \
	"0 0"
is "members: four are" \
	"$(below '[.surges_up, .ramps] | join(" ")' "1 x40" "2 x40" "4 x40" \
		"5 x40")" "1 1"

rail_below rate 1gbit detect members tick 1ms start 2p step 2p
is "members 1:bands: four of five are no surge" \
	"$(below '[.surges_up, .ramps] | join(" ")' "1 x40" "2 x40" "4 x40" \
		"5 x40")" "0 0"
is "members 1:bands: all five are" \
	"$(below '[.surges_up, .ramps] | join(" ")' "1 x40" "2 x40" "3 x40" \
		"4 x40" "5 x40")" "1 1"
ktap_end
