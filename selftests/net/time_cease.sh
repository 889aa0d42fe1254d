#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# When a ramp ends: `cease full` at the full rate, `cease TIME` also after a time,
# `cease auto` also when the level that surged has not moved by as much as a surge
# for a window. From then on the gate is open if nobody waits. What does goes on to climb
# by the same steps: it does not leave in one jump.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

MS=1000000
EARLY=2000	# ns; timers are exact to less

# run PROFILE... - each is for a sender of its own.
run()
{
	capture_start
	trace_start
	if [ $# = 1 ]; then
		send "$1" >"$NET_WORK/sent"
	else
		send_each "$@"
	fi
	drained || note "still not empty"
	trace_stop
	capture_stop
}

# ticks N [TICK_NS] - packets in the first N ticks of the ramp.
ticks()
{
	capture bins --origin $(($(surge_time 1 ramp) - EARLY)) \
		--tick "${2:-$MS}" --ticks "$1"
}

# open_after NAME NS - what is sent so long after the event leaves at once.
open_after()
{
	is "$1: then the gate is open, frames that have to wait" \
		"$(capture frames | awk -v open=$(($(surge_time 1 ramp) + $2)) '
			$5 > open { n++; if ($1 - $5 > 2000) late++ }
			END { print n ? late + 0 : "no frames" }')" 0
}

net_init ramp-send tcpdump
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

# ---- cease TIME, up: rounded up to ticks, where nobody has to wait.
while read -r time n; do
	ramp rate 10gbit tick 1ms start 90p step 2p ingress 10mbit:500mbit \
		window 10ms cease "$time"
	run 1gbit:60ms
	is "cease $time: state and counters" \
		"$(counters state allowance ramps ramps_done ticks ticks_late ramp_ns)" \
		"idle 0 1 1 $n 0 $((n * MS))"
	matches "cease $time: what tc says of the time" \
		"$(tc -n "$src" -s qdisc show dev out0)" " ramp_time ${n}ms "
	open_after "cease $time" $((n * MS + EARLY))
done <<-'END'
	1ms 1
	7500us 8
	8ms 8
	8001us 9
END

# The time that a ramp has taken so far.
ramp rate 1gbit tick 100ms start 1p step 1p cease full limit 10000
send x400 >/dev/null
before=$(counter ramp_ns)
sleep 0.02
within "a ramp that runs: ns that it took in 20 ms" \
	$(($(counter ramp_ns) - before)) $((20 * MS)) $((21 * MS))
is "a ramp that runs: it is not done" "$(counters ramps ramps_done)" "1 0"

# What waits climbs on, wherever the end was, and beyond the rate: a tick of 82.6.
for time in 1ms 8001us 30ms 1s; do
	ramp rate 1gbit tick 1ms start 2p step 2p cease "$time"
	run 1gbit:60ms
	is "cease $time: 2, 4, 6 ... 100, whatever waits" "$(ticks 50)" \
		"$(model up 2 2 50)"
	is "cease $time: state and counters" \
		"$(counters state allowance ramps ramps_done ticks_late drops)" \
		"idle 0 1 1 0 0"
done

# Pause and hold are part of it.
ramp rate 1gbit tick 1ms start 2p step 2p pause 2500us hold 4ms cease 10ms
run 1gbit:60ms
is "cease 10ms, pause 2500us hold 4ms" "$(ticks 20)" "$(model up 2 2 20 3 4)"
ramp rate 1gbit tick 1ms start 2p step 2p pause 20ms cease 10ms
run 1gbit:60ms
is "cease 10ms, pause 20ms: from start on" \
	"$(ticks 20)" "$(for ((n = 0; n < 10; n++)); do echo 0; done | paste -sd' ') $(model up 2 2 10)"

# Down, from an open gate: below a tbf that lets 8.26 packets pass per tick.
ramp_below 100mbit 1514 rate 100mbit tick 1ms detect queue queue 40:80 \
	window 20ms start 2p step 2p down-step 2p floor 1p cease 4900us
run 110mbit:110ms
is "cease 4900us, down: 8, 6, 4, 2, 1, then up again by steps" \
	"$(ticks 8)" "9 $(model down 8 2 1 4) 3 5 7"
is "cease 4900us, down: state and counters" \
	"$(counters state allowance ramps ramps_done ramps_turned)" "idle 0 1 1 0"

# A turn does not begin anew.
ramp rate 1gbit tick 1ms window 8ms start 10p step 10p down-step 20p floor 3p \
	cease 9ms
run 1gbit:6ms,0:100ms
before=$(capture frames |
	awk -v at="$(($(surge_time 1 ramp) - EARLY))" '$1 < at' | wc -l)
is "cease 9ms, up, then down: 10 ... 70, 50, 30, 40, and the rest" \
	"$(ticks 11)" \
	"$(model up 10 10 7) 50 30 40 $(($(jq .sent "$NET_WORK/sent") - before - 400))"
is "cease 9ms, up, then down: state and counters" \
	"$(counters state ramps ramps_turned ramps_done ticks ramp_ns)" \
	"idle 1 1 1 11 $((11 * MS))"

# ---- cease auto: a ramp that would allow a packet per 10 ms for a minute. The
# window is one second, and an eighth of it is as exact as levels are known.
SLOW='rate 100mbit tick 10ms start 1p step 1p hold 60s window 1s cease auto limit 100000'

TRACE_EVENTS='ramp_surge ramp_tick'

# ended NAME MS - how long after the first frame the ramp ended. If somebody waited then,
# the ticks that followed allowed more.
ended()
{
	local first at climbs

	first=$(capture frame 0 | sed -n '1s/.* //p')
	at=$(($(surge_time 1 ramp) + $(counter ramp_ns)))
	climbs=$(ticks_seen |
		awk 'NR == 1 { first = $4 } $4 > first { print $1; exit }')
	[ -z "$climbs" ] || at=$((climbs - 20 * MS))
	within "$1: ms until the ramp ends, after $2" $(((at - first) / MS)) \
		$(($2 - 125)) $(($2 + 125 + 20))
	is "$1: state and counters" \
		"$(counters state allowance ramps ramps_done)" "idle 0 1 1"
}

# goes_on NAME MS - it did not end, or not before its backlog was gone.
goes_on()
{
	is "$1: the ramp goes on" "$(counters state ramps ramps_done)" \
		"ramp-up 1 0"
}

# below_10mbit PARAMETER... - the tbf is faster than the ramp, which has nothing to
# do with its end.
below_10mbit()
{
	# shellcheck disable=SC2086 # parameters are words
	ramp_below 10mbit 1514 $SLOW "$@" 2>/dev/null
}

for queue in 5:25 +20; do
	# The surge is the last movement: 100 packets per second arrive and leave.
	below_10mbit detect queue queue $queue
	run x26,100pps:4s
	ended "auto, queue $queue, at rest from the begin" 1000

	# By more than 20 packets per window for two seconds.
	below_10mbit detect queue queue $queue
	run x26,2000pps:2s,100pps:3s
	ended "auto, queue $queue, rising for 2 s" 3000
	below_10mbit detect queue queue $queue
	send x26,130pps:4s >/dev/null
	goes_on "auto, queue $queue, by 30 packets per window"
	below_10mbit detect queue queue $queue
	run x26,112pps:4s
	ended "auto, queue $queue, by 12 packets per window" 1000
done

# Of both, the queue: here the arrivals are steady.
both='detect both queue 5:25 ingress 10pps:200pps monitor 1s'
# shellcheck disable=SC2086 # parameters are words
below_10mbit $both
send x26,2000pps:4s >/dev/null
goes_on "auto, both, the queue rises"
# shellcheck disable=SC2086
below_10mbit $both
run x26,2000pps:2s,100pps:3s
ended "auto, both, the queue rises for 2 s" 3000

# Arrivals: here the queue rises. As root, so that nothing waits when the ramp has
# ended, and the end of the arrivals has nothing to shape.
for ingress in 10pps:200pps +190pps; do
	# shellcheck disable=SC2086 # parameters are words
	anew() { ramp $SLOW ingress $ingress 2>/dev/null; }

	anew
	run 2000pps:3s
	ended "auto, ingress $ingress, steady from the begin" 1000
	anew
	run 0-8000pps:2s,8000pps:2s
	ended "auto, ingress $ingress, rising for 2 s" 3000
	anew
	send 0-3000pps:5s >/dev/null
	goes_on "auto, ingress $ingress, rising all the time"
	# The fall turns the ramp round, and the silence is a level, too.
	anew
	run x500,0:4s
	ended "auto, ingress $ingress, then silence" 1125
done

# With nothing waiting for ticks, and nobody who looks at it: what comes later finds
# the gate open, and another surge is another ramp.
for detect in "ingress ingress 10pps:200pps" "ingress ingress +190pps" \
	"queue queue 5:25" "queue queue +20"; do
	for later in x15 x30; do
		# shellcheck disable=SC2086 # parameters are words
		ramp_below 10mbit 1514 $SLOW start 10p step 1p detect $detect \
			2>/dev/null
		run x30,0:5s,$later
		is "auto, detect $detect, 5 s of silence, $later: ramps" \
			"$(counter ramps)" $((${later#x} < 30 ? 1 : 2))
	done
done
# shellcheck disable=SC2086 # parameters are words
{
	ramp $SLOW start 10p step 1p ingress 10pps:200pps 2>/dev/null
	run x30,0:5s,x15
	is "auto, ingress, 5 s of silence, x15: frames that wait" "$(capture frames |
		awk '$2 >= 30 && $1 - $5 > 2000' | wc -l)" 0
	ramp $SLOW start 10p step 1p ingress 10pps:200pps 2>/dev/null
	run x30,0:5s
	ended "auto, ingress, 5 s of silence" 1125
}
ktap_end
