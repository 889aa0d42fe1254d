#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `detect always` bounds the rise whatever arrives: no tick carries more than what
# left in the tick before and a step, or start. And it holds nothing back without
# need: every frame leaves in the tick that the description (model.py) says.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

# Timers of UML are exact to less than a microsecond, and so is the time that the
# tracepoint shows. A tick's first packet must not fall into the tick before.
EARLY=2000

# grid_find TICK_NS - sets ORIGIN, an end of a tick of the qdisc, and OFFSET, us by
# which frames have to be late so that none is sent near one.
grid_find()
{
	local sent

	capture_start
	trace_start
	# The present tick ends when these arrive, the next one because they wait.
	send x100 >/dev/null
	drained
	trace_stop
	capture_stop
	ORIGIN=$(($(ticks_seen | sed -n '2s/ .*//p') - EARLY))
	sent=$(capture frame 0 | cut -d' ' -f5)
	OFFSET=$(((ORIGIN + EARLY + 5000 - sent) / 1000 % 10))
	sleep 1
}

# adversary NAME KIND TICK_NS START STEP RUNS MS MOST [MIN_SIZE MAX_SIZE] - judges
# RUNS times MS of bursts of up to MOST frames.
adversary()
{
	local name=$1 kind=$2 tick=$3 start=$4 step=$5 runs=$6 ms=$7 most=$8
	local sent=0 profile n result
	shift 8

	grid_find
	capture_start
	python3 "$HERE/time_always.py" bursts 1 "$runs" "$ms" "$most" \
		"$OFFSET" "$@" >"$NET_WORK/profiles"
	while read -r profile; do
		# shellcheck disable=SC2086 # several words
		n=$(send $profile | jq .sent)
		sent=$((sent + n))
	done <"$NET_WORK/profiles"
	drained || note "still not empty"
	capture_stop

	capture grid --origin "$ORIGIN" --tick "$tick" >"$NET_WORK/grid"
	result=$(python3 "$HERE/time_always.py" judge "$kind" "$start" "$step" \
		<"$NET_WORK/grid")
	note "$name: $result"
	is "$name: no tick carries more than it may after the one before" \
		"$(jq .rise <<<"$result")" 0
	is "$name: every frame leaves when the description says" \
		"$(jq .odd <<<"$result")" 0
	within "$name: ticks" "$(jq .ticks <<<"$result")" \
		$((runs * ms * 950000 / tick)) 1000000
	is "$name: frames, of those sent, and none dropped" \
		"$(jq .frames <<<"$result") $(counters drops dropped queued)" \
		"$sent 0 0 0"
}

net_init ramp-send tcpdump
only_virtual_time
TRACE_EVENTS=ramp_tick
pair 1500
sleep 1		# until timers have a high resolution

ramp rate 1gbit detect always tick 1ms start 2p step 2p limit 1000000
adversary "start 2p step 2p" packets 1000000 2 2 106 100 200
is "start 2p step 2p: nothing is detected, no ramp" \
	"$(counters surges_up surges_down ramps ramps_done ticks_late)" "0 0 0 0 0"

ramp rate 1gbit detect always tick 1ms start 20p step 1p limit 1000000
adversary "start 20p step 1p" packets 1000000 20 1 20 100 400

ramp rate 1gbit detect always tick 1ms start 1p step 7p limit 1000000
adversary "start 1p step 7p" packets 1000000 1 7 20 100 400

ramp rate 1gbit detect always tick 1ms start 40mbit step 8mbit limit 1000000
adversary "5000 bytes per tick, 1000 more" bytes 1000000 5000 1000 20 100 200 60 1514

ramp rate 1gbit detect always tick 1ms start 10mbit step 800kbit limit 1000000
adversary "1250 bytes per tick, 100 more, frames of 1514" \
	bytes 1000000 1250 100 20 100 20

# The defaults: 625 bytes per tick of 100 us, and as many more.
ramp rate 1gbit detect always limit 1000000
adversary "start 5% step 5%" bytes 100000 625 625 10 100 50 60 1514

# carried NAME TICK_NS CLIMB SAW PARAMETER... - 200 mbit/s for two seconds are
# carried. A packet waits for up to CLIMB ticks at first, and for up to SAW ticks
# when as many again have made up for them.
carried()
{
	local name=$1 tick=$2 climb=$3 saw=$4 sent
	shift 4

	ramp rate 1gbit detect always limit 100000 "$@"
	capture_start
	send 200mbit:2s >"$NET_WORK/sent"
	drained
	capture_stop
	sent=$(jq .sent "$NET_WORK/sent")
	within "200 mbit/s, $name: ticks that the climb keeps a packet waiting" \
		"$(capture frames | awk -v tick="$tick" '
			{ late = ($1 - $5) / tick; if (late > max) max = late }
			END { printf "%d", max }')" $((climb / 4)) "$climb"
	within "200 mbit/s, $name: ns of delay afterwards" \
		"$(capture frames | awk -v after="$((2 * climb * tick))" '
			NR == 1 { first = $5 }
			$5 - first > after && $1 - $5 > max { max = $1 - $5 }
			END { printf "%d", max }')" 0 $((saw * tick))
	is "200 mbit/s, $name: all arrive" "$(capture check "$sent")" \
		"received $sent lost 0 doubled 0 reordered 0"
}

# 200 mbit/s are 2500 bytes, or 1.65 packets, per 100 us. Of bytes up to a packet
# less one remains unused, so the climb goes on to 4013. With a step smaller than a
# packet it has to be repeated, from one packet to two, whenever nothing waited in a
# tick that only one arrived in: 0.65 packets per tick too few, for 1514 / STEP
# ticks, are 0.4 * 1514 / STEP ticks of waiting.
carried "the defaults" 100000 7 2
carried "step 100 bytes" 100000 41 8 start 8mbit step 8mbit
carried "step 1 byte" 100000 4013 610 start 80kbit step 80kbit
carried "step 1p" 100000 2 1 start 1p step 1p
carried "step 1p per ms" 1000000 17 1 tick 1ms start 1p step 1p
ktap_end
