#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What leaves in each tick of a ramp, from the receiver's capture. In virtual
# time the numbers are exact: they are compared with the description (model.py),
# packet by packet.
#
# Fails, as tried, when: start is one more; a turn begins at start instead of the
# level reached; what a large packet owes is forgotten.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

MS=1000000

# Timers of UML are exact to less than a microsecond, and so is the time that the
# tracepoint shows. A tick's first packet must not fall into the tick before.
EARLY=2000

# climb PROFILE PARAMETER... - sends PROFILE through a ramp with a tick of 1 ms
# and a rate of 1 Gbit/s unless said otherwise.
climb()
{
	local profile=$1
	shift

	ramp rate 1gbit tick 1ms "$@"
	capture_start
	trace_start
	send "$profile" >"$NET_WORK/sent"
	drained || note "still not empty"
	trace_stop
	capture_stop
}

# ticks N [TICK_NS [NTH]] - packets in the N ticks from the NTH event on.
ticks()
{
	capture bins --origin $(($(surge_time "${3:-1}" ramp,turn) - EARLY)) \
		--tick "${2:-$MS}" --ticks "$1"
}

net_init ramp-send tcpdump
only_virtual_time
pair 1500

# High resolution timers are there after the first jiffies of a machine that
# works in no time.
sleep 1

# The document's own example: "at a first clock cycle two queue entries ..., at
# a second clock cycle four ..., at a third clock cycle six". A tick at the full
# rate has 82.6 packets, so the ramp is done with the tick of 84.
# What waits then goes on to climb, beyond the rate, until nothing does.
climb 1gbit:120ms start 2p step 2p
is "start 2p step 2p: 2, 4, 6 ... 84 ... 160" \
	"$(ticks 80)" "$(model up 2 2 80)"
is "start 2p step 2p: then the gate is open" \
	"$(counters state ramps ramps_done ramps_turned ticks_late)" "idle 1 1 0 0"
within "start 2p step 2p: ticks until nothing waits" "$(counter ticks)" 82 86
matches "start 2p step 2p: what arrives then leaves at once" \
	"$(ticks 110 | cut -d' ' -f88-108)" '^(8[23] ?){21}$'
within "start 2p step 2p: packets that a tick has more than the one before" \
	"$(ticks 130 | tr ' ' '\n' | awk '
		$1 - last > most { most = $1 - last } { last = $1 }
		END { print most }')" 2 3
all_there "start 2p step 2p"

climb 1gbit:60ms start 7p step 3p
is "start 7p step 3p" "$(ticks 25)" "$(model up 7 3 25)"

climb 1gbit:60ms start 2p step 2p tick 2ms
is "tick 2ms" "$(ticks 25 $((2 * MS)))" "$(model up 2 2 25)"

climb 1gbit:20ms start 1p step 1p tick 50us window 1ms
is "tick 50us" "$(ticks 4 50000)" "$(model up 1 1 4)"

# 5000 bytes per tick more each time, and 125000 are the full rate.
climb 1gbit:60ms start 40mbit step 40mbit
# shellcheck disable=SC2046 # a list
is "start 40mbit step 40mbit" \
	"$(ticks 24)" "$(model sizes 1514 $(model up 5000 5000 24))"
is "start 40mbit step 40mbit: one ramp" "$(counters ramps_done ticks_late)" "1 0"
all_there "start 40mbit step 40mbit"

climb 1gbit:60ms start 10% step 3%
# shellcheck disable=SC2046
is "start 10% step 3%" \
	"$(ticks 30)" "$(model sizes 1514 $(model up 12500 3750 30))"

# Ticks k are counted from the end of both; 2.5 ms of pause are 3 ticks.
climb 1gbit:60ms start 2p step 2p pause 2500us hold 4ms
is "pause 2500us hold 4ms" "$(ticks 30)" "$(model up 2 2 30 3 4)"
climb 1gbit:60ms start 2p step 2p pause 5ms
is "pause 5ms" "$(ticks 30)" "$(model up 2 2 30 5)"
all_there "pause 5ms"

# A packet of more than all that a tick allows goes whole, when nothing is owed,
# and the ticks that follow pay.
climb 100mbit:60ms rate 100mbit start 3200kbit step 3200kbit
# shellcheck disable=SC2046
is "400 bytes per tick and packets of 1514" \
	"$(ticks 30)" "$(model sizes 1514 $(model up 400 400 30))"
all_there "400 bytes per tick and packets of 1514"
climb 100mbit:75ms rate 100mbit start 8kbit step 1600kbit
# shellcheck disable=SC2046
is "1 byte in the first tick pays for a whole packet later" \
	"$(ticks 50)" "$(model sizes 1514 $(model up 1 200 50))"

# A ramp that is turned round goes on from the level reached, in its own ticks,
# and without pause and hold. The source stops while much waits.
climb 1gbit:6ms,0:100ms window 8ms start 10p step 10p down-step 20p floor 3p \
	pause 0 hold 0
is "up, then down: 10 ... 70, 50, 30, 10, 3, 3 ..." \
	"$(ticks 20)" "$(model up 10 10 7) $(model down 70 20 3 13)"
is "up, then down: one ramp, one turn" \
	"$(counters state surges_up surges_down ramps ramps_turned ramps_done)" \
	"idle 1 1 1 1 1"
all_there "up, then down"

# And back: the source returns while the ramp goes down. Present is the larger
# of the present allowance and what left in the last tick.
climb 1gbit:6ms,0:4300us,1gbit:30ms \
	window 8ms start 10p step 10p down-step 20p floor 3p
is "down, then up again: 10, 3, and from the 10 on 20, 30 ..." \
	"$(ticks 19 | cut -d' ' -f8-18)" "50 30 10 3 $(model up 20 10 7)"
is "down, then up again: one ramp, two turns" \
	"$(counters surges_up surges_down ramps ramps_turned ramps_done)" \
	"2 2 1 2 1"

# With the gate open, the present level is what left since the detector last
# read a clock: 8.26 packets per tick, which is what the tbf above lets pass. The
# queue rises for more than a window, so only its fall is a surge. A parent that
# looks at a packet before it takes it makes it late by at most a tick.
ramp_below 100mbit 1514 rate 100mbit tick 1ms detect queue queue 40:80 \
	window 20ms start 2p step 2p down-step 2p floor 1p
capture_start
trace_start
send 110mbit:110ms >"$NET_WORK/sent"
drained
trace_stop
capture_stop
is "down from an open gate: the packet that made the surge, then 8, 6, 4, 2, 1, 1 ..." \
	"$(ticks 26)" "9 $(model down 8 2 1 23) 0 0"
is "down from an open gate: one ramp" \
	"$(counters state surges_up surges_down ramps ramps_turned ramps_done)" \
	"idle 0 1 1 0 1"
all_there "down from an open gate"
ktap_end
