#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `adaptive`: the steeper the surge, the smaller the step: step times the part of
# the window that the crossing took, at least a quarter of it, and at least one
# unit. From the receiver's capture.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

MS=1000000
EARLY=2000	# ns; timers are exact to less

# ticks FIRST LAST TICK_NS [NTH] - packets in these ticks of the ramp (or of the
# NTH event).
ticks()
{
	capture bins --origin $(($(surge_time "${4:-1}" ramp,turn) - EARLY)) \
		--tick "$3" --ticks $(($2 + 1)) | cut -d' ' -f$(($1 + 1))-
}

# allowed START STEP FIRST LAST - what these ticks allow.
allowed()
{
	model up $(($1 + $3 * $2)) "$2" $(($4 - $3 + 1))
}

net_init ramp-send tcpdump
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

# queue_ramp PROFILE PARAMETER... - a surge below a tbf that holds all but the
# first packet; then the tbf becomes fast, within the first tick.
queue_ramp()
{
	local profile=$1
	shift

	ramp_below 80bit 1514 rate 1gbit detect queue queue 5:20 window 1s \
		tick 20ms start 10p limit 100000 "$@" 2>/dev/null
	capture_start
	trace_start
	send "$profile,x6000" >/dev/null
	tc -n "$src" qdisc change dev out0 root handle 3: \
		tbf rate 100gbit burst 100000000 limit 100000000
	send x1 >/dev/null
	drained
	trace_stop
	capture_stop
}

# 5 wait; the 6th leaves LOW, the 20th reaches HIGH after CROSSING.
while read -r took adaptive step wanted; do
	queue_ramp "x6,0:50ms,x10,0:${took}ms,x5" step "${step}p" "$adaptive"
	is "queue, $adaptive, crossing $took ms of 1 s, step ${step}p: by ${wanted}p" \
		"$(ticks 1 15 20000000)" "$(allowed 10 "$wanted" 1 15)"
done <<-'END'
	125 no-adaptive 20 20
	125 adaptive 20 5
	0 adaptive 20 5
	240 adaptive 20 5
	510 adaptive 20 10
	760 adaptive 20 15
	960 adaptive 20 19
	125 adaptive 2 1
	510 adaptive 1 1
END

# With +DELTA the time is known to a slot of an eighth of the window.
queue_ramp "x6,0:50ms,x1,0:560ms,x19" step 20p adaptive queue +20
is "queue +20, adaptive, crossing 560 ms of 1 s, which is slot 4: step 20p by 10p" \
	"$(surges ramp | cut -d' ' -f5) $(ticks 1 15 20000000)" \
	"500000000 $(allowed 10 10 1 15)"

# Bytes: 100000 per tick of 20 ms more.
queue_ramp "x6,0:50ms,x10,0:500ms,x5" adaptive start 40mbit step 40mbit
took=$(surges ramp | cut -d' ' -f5)
within "queue, adaptive, bytes: ns of a crossing of 500 ms" "$took" \
	499990000 500010000
# shellcheck disable=SC2046 # a list
is "queue, adaptive, crossing 1/2 of the window, step of 100000 bytes: by 50000" \
	"$(ticks 1 15 20000000)" \
	"$(model sizes 1514 $(allowed 100000 50000 0 15) | cut -d' ' -f2-)"

# ---- ingress: both crossings are exact to an eighth of the window. Root, so all ticks
# are seen; 8256 packets of a tick at the full rate are more than any allows.
ingress_ramp()
{
	local took=$1 full=$(($1 * 10000 / 7))
	shift

	ramp rate 1gbit window 100ms tick 10ms start 10p step 80p \
		limit 100000 "$@" 2>/dev/null
	capture_start
	trace_start
	send "50mbit:205ms,0-1gbit:${full}us,1gbit:100ms" >/dev/null
	drained
	trace_stop
	capture_stop
}

for took in 25 50 80; do
	ingress_ramp $took adaptive
	got=$(surges ramp | cut -d' ' -f5)
	within "ingress, adaptive: ns of a crossing of $took ms" "${got:-none}" \
		$((took * MS - 18750000)) $((took * MS + 18750000))
	part=$((got > 25 * MS ? got : 25 * MS))
	step=$((80 * part / (100 * MS)))
	is "ingress, adaptive, crossing $took ms of 100 ms, step 80p: the part of it" \
		"$(ticks 0 8 10000000)" "$(allowed 10 "$step" 0 8)"
done

# The other way round, from an open gate: 8.26 packets leave per tick, and 39 of
# them are the crossing, 0.51 of the window. A parent that looks at a packet
# before it takes it makes it late by at most a tick.
ramp_below 100mbit 1514 rate 100mbit tick 1ms detect queue queue 40:80 \
	window 9200us start 2p step 2p down-step 4p floor 1p adaptive
capture_start
trace_start
send 110mbit:110ms >"$NET_WORK/sent"
drained
trace_stop
capture_stop
is "down, adaptive, crossing 0.51 of the window, down-step 4p: by 2p" \
	"$(ticks 0 20 $MS)" "9 $(model down 8 2 1 20)"

# A turn has the step that its own surge leaves it: the rise is at once, the fall
# takes most of the window.
ramp rate 1gbit tick 1ms window 16ms start 10p step 4p down-step 20p floor 1p \
	ingress 10%:80% adaptive limit 100000
capture_start
trace_start
send "1gbit:10ms,1gbit-0:16ms,0:200ms" >/dev/null
drained
trace_stop
capture_stop
at=$(surge_time 1 ramp)
read -r turned took <<<"$(surges turn | cut -d' ' -f1,5)"
n=$(((turned - at) / MS))
step=$((20 * took / (16 * MS)))
within "turn, adaptive: the fall's down-step of 20p becomes" "$step" 8 16
is "turn, adaptive: up by 1p, then down by what the fall's own crossing leaves" \
	"$(ticks 0 $((n + 9)) $MS)" \
	"$(model up 10 1 $((n + 1))) $(model down $((10 + n)) "$step" 1 9)"
ktap_end
