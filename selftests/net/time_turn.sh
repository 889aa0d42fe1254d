#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A surge the other way turns a ramp round where it is: from the larger of what the
# present tick allows and what left in the last one, in the same ticks, without
# pause and hold. A surge the same way changes nothing. A ramp downwards whose queue
# stops shrinking turns up.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

MS=1000000
EARLY=2000	# ns; timers are exact to less

# run PROFILE PARAMETER... - through a ramp with a tick of 1 ms and slots of 1 ms,
# which knows a surge at the end of a slot.
run()
{
	local profile=$1
	shift

	ramp rate 1gbit tick 1ms window 8ms down-step 20p floor 3p "$@"
	capture_start
	trace_start
	send "$profile" >"$NET_WORK/sent"
	drained
	trace_stop
	capture_stop
	AT=$(surge_time 1 ramp)
}

# ticks N - packets in the first N ticks.
ticks()
{
	capture bins --origin $((AT - EARLY)) --tick $MS --ticks "$1"
}

# turned N - in which tick the Nth turn was.
turned()
{
	echo $((($(surge_time "$1" turn) - AT + EARLY) / MS))
}

net_init ramp-send tcpdump
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

# word N LIST - counted from 0.
word()
{
	cut -d' ' -f$(($1 + 1)) <<<"$2"
}

# count LIST
count()
{
	wc -w <<<"$1"
}

# Pause and hold are for the begin alone. Upwards it goes on from what the tick of
# the turn allows, or from what left in the one before.
run 1gbit:14ms,0:3300us,1gbit:40ms start 10p step 5p pause 3ms hold 4ms
down=$(turned 1) up=$(turned 2)
wanted=$(model up 10 5 $((down + 1)) 3 4)
wanted+=" $(model down "$(word "$down" "$wanted")" 20 3 $((up - down)))"
allowed=$(word "$up" "$wanted") before=$(word $((up - 1)) "$wanted")
wanted+=" $(model up $(((allowed > before ? allowed : before) + 5)) 5 9)"
is "pause 3ms hold 4ms, down and up: packets of each tick" \
	"$(ticks "$(count "$wanted")")" "$wanted"
is "pause 3ms hold 4ms, down and up: counters" \
	"$(counters state ramps ramps_turned ramps_done surges_up down_empty)" \
	"idle 1 2 1 2 1"
all_there "pause 3ms hold 4ms, down and up"

# Down in the middle of the pause: nothing has been reached, so what remains is the
# floor; the rest of the pause is void.
run 1gbit:2ms,0:60ms start 10p step 5p pause 20ms
down=$(turned 1)
within "pause 20ms, the tick of the turn" "$down" 1 6
is "pause 20ms, down: packets of each tick" "$(ticks $((down + 9)))" \
	"$(model up 0 0 $((down + 1))) $(model down 0 20 3 8)"
all_there "pause 20ms, down"
# And up again: from the floor by steps.
run 1gbit:2ms,0:7400us,1gbit:30ms start 10p step 5p pause 40ms
down=$(turned 1) up=$(turned 2)
is "pause 40ms, down and up: packets of each tick" "$(ticks $((up + 8)))" \
	"$(model up 0 0 $((down + 1))) $(model down 0 20 3 $((up - down))) $(model up 8 5 7)"

# In the hold, start has been reached.
run 1gbit:2ms,0:60ms start 10p step 5p hold 20ms down-step 2p
down=$(turned 1)
is "hold 20ms, down: packets of each tick" "$(ticks $((down + 4)))" \
	"$(model up 10 0 $((down + 1))) $(model down 10 2 3 3)"

# The same way: arrivals that fall too slowly for a surge rise again at once, in the
# middle of the climb, which goes on.
run 1gbit:3ms,1gbit-50mbit:20ms,50mbit:3ms,1gbit:5ms,1gbit-0:20ms start 1p step 1p
is "a second surge upwards: the ramp goes on" "$(ticks 40)" "$(model up 1 1 40)"
is "a second surge upwards: counters" \
	"$(counters surges_up surges_down ramps ramps_turned ramps_done ticks)" \
	"2 0 1 0 1 83"

# ---- downwards at 3 packets per tick, while 4.13 arrive: the queue that shrank
# until then grows, and a window later the ramp turns up.
run 1gbit:6ms,50mbit:60ms start 5p step 5p pause 2ms hold 2ms
down=$(turned 1) up=$(turned 2)
is "a queue that stops shrinking: what turns" \
	"$(surges turn | cut -d' ' -f2-4 | tr '\n' ' ')" \
	"down ingress turn up stall turn "
# Of the end of each tick: in which was the queue shortest?
shortest=$(capture grid --origin $((AT - EARLY)) --tick $MS |
	awk -v down="$down" -v up="$up" '
		{ come[$1]++; go[$2]++ }
		END {
			for (t = -9; t < up; t++) {
				queue += come[t] - go[t]
				if (t >= down && (least == "" || queue < least)) {
					least = queue
					at = t
				}
			}
			print at
		}')
within "a queue that stops shrinking: ticks from the shortest queue to the turn" \
	$((up - shortest - 1)) 8 9
wanted=$(model up 5 5 $((down + 1)) 2 2)
wanted+=" $(model down "$(word "$down" "$wanted")" 20 3 $((up - down)))"
wanted+=" $(model up $((3 + 5)) 5 6)"
is "a queue that stops shrinking: packets of each tick" \
	"$(ticks "$(count "$wanted")")" "$wanted"
is "a queue that stops shrinking: counters" \
	"$(counters state surges_up surges_down ramps ramps_turned ramps_done)" \
	"idle 1 1 1 2 1"
all_there "a queue that stops shrinking"
ktap_end
