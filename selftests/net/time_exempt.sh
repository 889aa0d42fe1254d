#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Exempt bands pass the gate freely, and it does not count them: their packets are
# not later for a ramp than by one packet, the ramp is the same with and without
# them, and what they carry makes no surge and is no level to go on from.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

MS=1000000
EARLY=2000	# ns; timers are exact to less
WIRE=12112	# ns, of a frame at 1 Gbit/s

# lane BAND PROFILE - for send_each: to that band, with its number as the stream.
lane()
{
	echo "$2 -p $((0x20000 + $1 + 1)) -n $1"
}

# run PROFILE PROFILE - of bands 0 and 1.
run()
{
	capture_start
	trace_start
	send_each "$(lane 0 "$1")" "$(lane 1 "$2")"
	drained
	trace_stop
	capture_stop
}

# delays BAND [FIRST LAST] - sequence number and delay of its frames.
delays()
{
	capture frames --stream "$1" | awk -v first="${2:-0}" -v last="${3:-1000000}" '
		$2 >= first && $2 <= last { print $2, $1 - $5 }'
}

# later BAND FIRST LAST - by how much a frame was later than $NET_WORK/without says,
# at most.
later()
{
	delays "$@" | awk '
		NR == FNR { without[$1] = $2; next }
		{ late = $2 - without[$1]; n++; if (late > max) max = late }
		END { print n == length(without) ? max + 0 : n " frames" }' \
		"$NET_WORK/without" -
}

# ticks BAND N
ticks()
{
	capture bins --stream "$1" --tick $MS --ticks "$2" \
		--origin $(($(surge_time 1 ramp) - EARLY))
}

net_init ramp-send tcpdump
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

# A frame per millisecond in one band, beside a surge in the other, which keeps a tbf
# of 1 Gbit/s busy while frames 23 to 78 come.
STEADY=1000pps:130ms SURGE=0:20300us,1100mbit:60ms DURING="23 78"

# shellcheck disable=SC2086 # DURING is two words
# beside NAME RAMP STEADY_BAND NS PARAMETER... - RAMP makes the qdisc. Without a ramp
# and with one, of which the ticks are as if the steady band were not there.
beside()
{
	local name=$1 ramp=$2 band=$3 ns=$4 profiles
	shift 4

	profiles=("$STEADY" "$SURGE")
	[ "$band" = 0 ] || profiles=("$SURGE" "$STEADY")

	$ramp rate 1gbit bands 2 exempt "$band" tick 1ms start 2p step 2p \
		limit 100000 "$@" detect off
	run "${profiles[@]}"
	delays "$band" $DURING >"$NET_WORK/without"
	$ramp rate 1gbit bands 2 exempt "$band" tick 1ms start 2p step 2p \
		limit 100000 "$@"
	run "${profiles[@]}"
	is "$name: a ramp" "$(surges ramp | head -n 1 | cut -d' ' -f2-4)" \
		"up ingress ramp"
	within "$name: ns by which a frame in the exempt band is later at most" \
		"$(later "$band" $DURING)" -$WIRE "$ns"
	is "$name: frames in the exempt band" \
		"$(capture count --stream "$band") $(counter drops)" "130 0"
}

slow()
{
	ramp_below 1gbit 1514 "$@"
}

# As root, where a device takes all at once, nothing is later at all.
beside "root, exempt 0" ramp 0 1000
is "root, exempt 0: the ticks of the other band" "$(ticks 1 30)" \
	"$(model up 2 2 30)"
beside "root, exempt 1" ramp 1 1000
is "root, exempt 1: the ticks of the other band" "$(ticks 0 30)" \
	"$(model up 2 2 30)"
beside "root, exempt 0, pause 20ms hold 5ms" ramp 0 1000 pause 20ms hold 5ms
is "root, exempt 0, pause 20ms hold 5ms: the ticks of the other band" \
	"$(ticks 1 40)" "$(model up 2 2 40 20 5)"
is "root, exempt 0, pause 20ms: frames of the exempt band in the pause" \
	"$(ticks 0 20 | tr ' ' '\n' | grep -cx 1)" 20
# A band behind the other, while nothing else may leave.
beside "root, exempt 1, pause 20ms hold 5ms" ramp 1 1000 pause 20ms hold 5ms

# A parent that was shown a packet of the other band takes it first. The timers of tbf need
# what those of ramp do.
beside "below a tbf, exempt 0" slow 0 $((WIRE + 1000))
beside "below a tbf, exempt 0, pause 20ms hold 5ms" slow 0 $((WIRE + 1000)) \
	pause 20ms hold 5ms

# The slew limiter lets them pass, too.
ramp rate 1gbit bands 2 exempt 0 detect always tick 1ms start 2p step 2p \
	limit 100000
run 20000pps:100ms,x100 x500
is "always, exempt 0: frames of the exempt band that wait" \
	"$(delays 0 | awk '$2 > 2000' | wc -l)" 0
is "always, exempt 0: frames of it, of the other" \
	"$(capture count --stream 0) $(capture count --stream 1)" "2100 500"

# Nor does a gear hold them back, whatever waits in a band before theirs.
ramp rate 1gbit bands 2 exempt 1 detect off limit 100000 gears 50mbit,100mbit \
	gear-range 1:1 idle 60s
run 200mbit:100ms 1000pps:100ms
is "gears, exempt 1: frames of the exempt band that wait" \
	"$(delays 1 | awk '$2 > 2000' | wc -l)" 0
holds "gears, exempt 1: the longest that one of the other waits, us" \
	"$(delays 0 | awk '$2 > most { most = $2 } END { print most / 1000 }')" ">" 50000
is "gears, exempt 1: frames of the exempt band" "$(capture count --stream 1)" 100

# ---- what is exempt makes no surge
no_surge()
{
	local name=$1
	shift

	run "$@"
	is "$name: surges_up surges_down ramps" \
		"$(counters surges_up surges_down ramps)" "0 0 0"
}

ramp rate 1gbit bands 2 exempt 0 limit 100000
no_surge "detect ingress" 1gbit:50ms 10mbit:60ms
ramp rate 1gbit bands 2 exempt 0 ingress +5% limit 100000
no_surge "detect ingress, +5%" 1gbit:50ms 10mbit:60ms
slow rate 1gbit bands 2 exempt 0 detect queue queue 5:20 limit 100000
no_surge "detect queue" x100 0:50ms,x10
slow rate 1gbit bands 2 exempt 0 detect queue queue +15 limit 100000
no_surge "detect queue, +15" x100 0:50ms,x10
slow rate 1gbit bands 3 exempt 0 detect members members 0:2 limit 100000
no_surge "detect members" x100 0:50us,x10

# ---- nor a level: with the gate open, 4.13 packets of each band leave per tick. A
# ramp downwards goes on from those that it counts, after the one that made the
# surge. By when the exempt band's come, the link has room for 4 or 5 in the first tick;
# were they counted, more than 3 would leave in the second one.
ramp_below 100mbit 1514 rate 100mbit bands 2 exempt 0 tick 1ms detect queue \
	queue 40:80 window 20ms start 2p step 2p down-step 1p floor 1p
run 50mbit:350ms 55mbit:240ms
is "down from an open gate: ramps" \
	"$(counters surges_up surges_down ramps ramps_turned)" "0 1 1 0"
matches "down from an open gate: 4 packets per tick, then 3, 2, 1" "$(ticks 1 8)" \
	"^[45] $(model down 4 1 1 7)\$"
# Nor is it one that a band becomes exempt, or is it no more, while it sends.
ramp rate 1gbit bands 2 limit 100000
send 0-900mbit:200ms,900mbit:300ms -p 0x20002 >/dev/null &
sleep 0.25
tc -n "$src" qdisc change dev out0 root ramp exempt 1
sleep 0.05
is "a band that sends becomes exempt: no surge" "$(counters surges_up surges_down)" "0 0"
tc -n "$src" qdisc change dev out0 root ramp exempt none
sleep 0.05
is "a band that sends is exempt no more: no surge" "$(counters surges_up surges_down)" "0 0"
wait $!

# A link that is faster than the rate has sent more than that: twice as much. The ramp goes on
# from the rate, which is two packets per tick.
ramp_below 100mbit 1514 rate 25mbit bands 2 exempt 0 tick 1ms detect queue \
	queue 40:80 window 20ms start 2p step 2p down-step 1p floor 1p
run 50mbit:350ms 55mbit:240ms
is "down from more than the rate: ramps" "$(counters surges_down ramps)" "1 1"
matches "down from more than the rate: one packet per tick after the first" "$(ticks 1 8)" \
	"^[2-5] $(model down 2 1 1 7)\$"
ktap_end
