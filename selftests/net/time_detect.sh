#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# When is a change a surge? For every mode and direction: a crossing that takes
# a little less than a window is one, a crossing that takes a little more is none.
#
# Fails, as tried, when: the time of an up (or down) crossing is judged 2 % short
# (or long); the monitoring period lasts 2 ms longer; arrivals are judged only at
# the end of their slot.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

# Packets of 1514 bytes: one per millisecond is this.
BITS=12112

# judge MODE DIRECTION CROSSING EXPECTED [WHERE]
judge()
{
	is "detect $1, $2, crossing $3${5:+, $5}: surges" \
		"$(counter "surges_$2")" "$4"
}

net_init ramp-send
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

# ---- queue: below a tbf that lets one packet pass and the next ones only after
# 1.5 s, the queue is what was sent, less one. LOW is left by the 6th packet
# that waits, HIGH reached by the 20th.
for took in 99 101; do
	ramp_below 8kbit 1514 rate 100mbit detect queue queue 5:20 window 100ms
	send "x6,0:50ms,x10,0:${took}ms,x5" >/dev/null
	judge queue up "${took} % of the window" $((took < 100))
done

# LOW and HIGH are included: 19 waiting are no surge, neither is one that began
# above LOW.
ramp_below 8kbit 1514 rate 100mbit detect queue queue 5:20 window 100ms
send x20 >/dev/null
judge queue up "at once, but HIGH is not reached" 0
send x1 >/dev/null
judge queue up "at once, HIGH is reached" 1
send "x100" >/dev/null
judge queue up "no second one above HIGH" 1

# Falling: 14 packets have to leave between the one that leaves HIGH and the one
# that reaches LOW, so the tbf's rate is the time. The rise takes two windows.
for took in 99 101; do
	ramp_below $((BITS * 14 * 1000 / took))bit 1514 \
		rate 100mbit detect queue queue 5:20 window 100ms
	send 220pps:330ms >/dev/null
	judge queue up "(falls next) more than a window" 0
	drained
	judge queue down "${took} % of the window" $((took < 100))
done

# ---- ingress: the arrival rate rises (falls) in a straight line, so that it
# takes CROSSING from LOW (10 %) to HIGH (80 %). Exact to WINDOW/8, in whatever
# phase of a slot it begins.
for phase in 0 3 6 9 12; do
	for took in 87500 112500; do
		full=$((took * 10 / 7))
		ramp rate 100mbit window 100ms
		send "4mbit:$((200 + phase))ms,0-100mbit:${full}us,100mbit:50ms" \
			>/dev/null
		judge ingress up "$((took / 1000)) % of the window" \
			$((took < 100000)) "begun $phase ms into a slot"
	done
done
for phase in 0 3 6 9 12; do
	for took in 87500 112500; do
		full=$((took * 10 / 7))
		ramp rate 100mbit window 100ms
		send "4mbit:100ms,4mbit-100mbit:400ms,100mbit:$((100 + phase))ms,100mbit-0:${full}us,4mbit:50ms" \
			>/dev/null
		judge ingress down "$((took / 1000)) % of the window" \
			$((took < 100000)) "begun $phase ms into a slot"
	done
done

# A step is seen after no more than 2 x HIGH x WINDOW/8 = 2 x 125000 bytes, in
# whatever phase of a slot it comes. The first SENT frames are those before it.
latency()
{
	local before=$1 phase=$2 sent=$3 at late

	ramp rate 1gbit window 10ms tick 1ms ingress 10%:80%
	capture_start
	trace_start
	send "$before:50ms,$before:${phase}us,1gbit:5ms" >/dev/null
	drained
	trace_stop
	capture_stop
	at=$(surge_time 1 ramp)
	late=$(capture frames | awk -v at="${at:-0}" -v sent="$sent" \
		'$2 >= sent && $1 < at - 1000' | wc -l)
	names_of_trace "detect ingress, step from $before, $phase us into a slot" ramp_surge
	within "detect ingress, step from $before, $phase us into a slot: packets that passed before the ramp" \
		"$late" 1 $((2 * 125000 / 1514))
}

for phase in 0 300 600 900 1200; do
	latency 0 $phase 0
	# The first frame of the step would have been due anyway.
	latency 40mbit $phase $(((50000 + phase) * 40 / BITS + 1))
done

# ---- both, up: arrivals per slot of 12.5 ms have LOW 1 and HIGH 40. The burst
# of 101 is the surge; 400 packets per second, 5 per slot, keep the arrivals from
# falling back to LOW, which would be a surge of its own. The queue leaves LOW
# (150) with the second burst and reaches HIGH (200) with the third.
both()
{
	ramp_below 8kbit 1514 rate 100mbit detect both window 100ms \
		queue 150:200 ingress 80pps:3200pps "$@"
}

for took in 99 101; do
	both monitor 500ms
	send "x101,400pps:30ms,x45,400pps:${took}ms,x10" >/dev/null
	judge both up "${took} % of the window" $((took < 100)) \
		"inside the monitoring period"
done
for monitor in 90 92; do
	both monitor ${monitor}ms
	send "x101,400pps:70ms,x45,400pps:21ms,x40" >/dev/null
	judge both up "21 % of the window" $((monitor > 91)) \
		"91 ms after an ingress surge, monitored for $monitor ms"
done
both monitor 500ms ingress 80pps:100000pps
send "x101,400pps:30ms,x45,400pps:20ms,x40" >/dev/null
judge both up "20 % of the window" 0 "without an ingress surge"

# A surge the other way, here the silence after the burst, ends nothing.
for monitor in 20 100; do
	both monitor ${monitor}ms queue 120:150
	send "x101,0:30ms,x30,0:20ms,x25" >/dev/null
	judge both up "20 % of the window" $((monitor > 50)) 		"50 ms after a short ingress surge, monitored for $monitor ms"
done

# The other way round: the queue is full at once, arrivals are known to have
# surged when their slot has enough. When the queue left LOW counts from before.
both monitor 500ms queue 10:30
send x51 >/dev/null
judge both up "at once" 1 "the queue before the arrivals"

# ---- both, down: 2 to 3 packets per slot, then silence; HIGH is 2, LOW 0.
both_down()
{
	ramp_below $((BITS * 14 * 1000 / $1))bit 1514 \
		rate 100mbit detect both window 100ms \
		queue 5:20 ingress 0pps:160pps "${@:2}"
	send 220pps:330ms >/dev/null
	drained
}

for took in 99 101; do
	both_down $took monitor 500ms
	judge both down "${took} % of the window" $((took < 100)) \
		"inside the monitoring period"
done
both_down 90 monitor 50ms
judge both down "90 % of the window" 0 "after the monitoring period"
both_down 90 monitor 500ms ingress 0pps:100000pps
judge both down "90 % of the window" 0 "without an ingress surge"

# ---- off
ramp_below 8kbit 1514 rate 100mbit detect off
send x200 >/dev/null
judge off up "at once" 0

# What came while bytes were counted is no number of packets.
ramp rate 100mbit detect ingress ingress 10mbit:80mbit window 80ms
send x1 -s 1514 >/dev/null
tc -n "$src" qdisc change dev out0 root ramp ingress 1000pps:5000pps
send x1 -s 1514 >/dev/null
sleep 0.2
is "arrivals in packets, a packet after one that was counted in bytes: no surge" \
	"$(counters surges_up surges_down)" "0 0"
send x200 -s 100 >/dev/null
is "arrivals in packets after bytes: 200 at once are a surge" "$(counter surges_up)" 1
ktap_end
