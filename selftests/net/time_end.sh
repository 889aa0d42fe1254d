#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# However a ramp is over, what it held back does not leave in one jump: no tick has more
# than the one before it and a step, the last one and those that follow included, out of
# a device that is as fast as memory. From the receiver's capture, in virtual time.
#
# Fails, as tried, when: a ramp that ends in its pause goes on above start; the slew
# limiter takes over in a tick whose packets have left, and lets as many more leave.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"
# shellcheck source=selftests/net/lib/rail.sh
. "$HERE/lib/rail.sh"

MS=1000000
SEND_TO=out0
EARLY=2000	# ns; timers are exact to less

# most NAME STEP TICK... - of the packets of ticks: how many more one has than the one
# before.
most()
{
	local name=$1 step=$2 seen
	shift 2

	seen=$(printf '%s\n' "$@" | awk 'NR > 1 && $1 - last > most { most = $1 - last }
		{ last = $1; sum += $1 } END { print (sum > 100 ? most + 0 : 10000) }')
	set -- "$name" "$step"
	holds "$1: packets that a tick has more than the one before" "$seen" "<=" "$2"
}

# there NAME - nothing was lost, or overtook.
there()
{
	all_there "$1"
	is "$1: the gate is open in the end" "$(counters state queued)" "${OPEN_STATE-idle} 0"
}

# later MS PARAMETER... - a change so long after now.
later()
{
	local ms=$1
	shift

	(
		sleep "0.0$ms"
		tc -n "$src" qdisc change dev out0 root ramp "$@"
	) &
	LATER=$!
}

# ends NAME PROFILE CHANGE PARAMETER... - a ramp with ticks of a ms, 4, 8, 12 ... packets.
ends()
{
	local name=$1 profile=$2 change=$3
	shift 3

	ramp rate 1gbit tick 1ms start 4p step 4p down-step 4p floor 4p limit 100000 "$@"
	capture_start
	trace_start
	LATER=
	# shellcheck disable=SC2086 # several words
	[ -z "$change" ] || later $change
	ip netns exec "$src" ramp-send -i "$SEND_TO" "$profile" >"$NET_WORK/sent"
	[ -z "$LATER" ] || wait "$LATER"
	drained || note "still not empty"
	trace_stop
	capture_stop
	# shellcheck disable=SC2046 # a list
	most "$name" "${MOST-5}" $(capture bins --origin $(($(surge_time 1 ramp) - EARLY)) \
		--tick $MS --ticks 150)
	[ -z "${WITHIN-}" ] || within "$name: ms until the last packet has left" \
		"$(answer rail lasted "$NET_WORK/pcap")" 1 "$WITHIN"
	there "$name"
}

# takes_over NAME MS - the slew limiter, in the first tick of a ramp: that has no more than
# it had, and the two packets that the limiter lets out of silence where the ramp has sent
# none yet. From then on the bound is the limiter's, 15 % of the rate.
takes_over()
{
	MOST=12 ends "$1" 1gbit:60ms "$2 detect always"
	holds "$1: packets of the tick in which the limiter takes over" \
		"$(capture bins --origin $(($(surge_time 1 ramp) - EARLY)) \
			--tick $MS --ticks 1)" "<=" 6
}

# let_go NAME PARAMETER... - the slew limiter has climbed for a ms, and is turned off.
let_go()
{
	local name=$1 rate=$2 span=100 length=5 at=02
	shift 2

	[ "$rate" -ge 1000 ] || span=$((10 * 1514 * 8 / rate)) length=50 at=11
	plain rate "${rate}mbit" limit 100000
	capture_start
	later $at "$@"
	send "0:1ms,${rate}mbit:${length}ms" >"$NET_WORK/sent"
	wait "$LATER"
	drained || note "still not empty"
	capture_stop
	rises "$name" "$rate" "${span}000" 1514 "$NET_WORK/pcap"
	there "$name"
}

# on_again RATE - the slew limiter is turned off and on again while packets wait, and limits
# what comes when all of these have left.
on_again()
{
	local name="$1 Mbit/s, detect always, off and on again"

	plain rate "${1}mbit" limit 100000
	capture_start
	(
		sleep 0.002
		printf 'qdisc change dev out0 root ramp detect %s\n' off always |
			tc -n "$src" -batch -
	) &
	send "0:1ms,${1}mbit:5ms,0:20ms,${1}mbit:5ms" >"$NET_WORK/sent"
	wait $!
	drained || note "still not empty"
	capture_stop
	rises "$name" "$1" 100000 1514 "$NET_WORK/pcap"
	there "$name"
}

# packets_off MS - a limiter that counts packets is turned off while some wait, and half of
# the rate comes all the time.
packets_off()
{
	local name="start and step in packets, detect always, then off (0.0$1 s)"

	plain rate 1gbit start 2p step 2p limit 100000
	capture_start
	later "$1" detect off
	send "0:1ms,1gbit:2ms,500mbit:40ms" >"$NET_WORK/sent"
	wait "$LATER"
	drained || note "still not empty"
	capture_stop
	within "$name: ms until the last packet has left" \
		"$(answer rail lasted "$NET_WORK/pcap")" 38 45
	there "$name"
}

# packets_to_percent - short packets were counted, and are bytes from now on.
packets_to_percent()
{
	local name="start and step in packets, then in percent"

	plain rate 1gbit start 2p step 2p limit 100000
	capture_start
	later 04 start 5% step 5%
	send "0:1ms,1gbit:6ms" -s 60 >"$NET_WORK/sent"
	wait "$LATER"
	drained || note "still not empty"
	capture_stop
	rises "$name" 1000 100000 60 "$NET_WORK/pcap"
	there "$name"
}

# without_speed - out0 is a device whose speed nobody knows, with in0 behind it.
without_speed()
{
	pair 1500
	ip -n "$src" link set out0 down
	ip -n "$src" link set out0 name veth0
	ip -n "$src" link set veth0 up
	ip -n "$src" link add out0 mtu 1500 type ifb || missing "ifb"
	ip -n "$src" link set out0 up
	tc -n "$src" qdisc add dev veth0 clsact
	tc -n "$src" filter add dev veth0 egress protocol all flower \
		action mirred egress redirect dev out0 || missing "flower and mirred"
	SEND_TO=veth0
}

# joins NAME STEP "OTHERS" PARAMETER... - a ramp of its own, which has held packets back
# for 30 ms, joins a rail that was told the parameters; OTHERS is what its members send.
joins()
{
	local name=$1 step=$2 others=$3 changer streams
	shift 3

	rail_members rate 1gbit tick 1ms start 4p step 4p limit 100000 "$@"
	tc -n "$src" qdisc del dev out1 root
	tc -n "$src" qdisc add dev out1 root handle 15: ramp "${ON_SURGE[@]}" \
		rate 1gbit tick 1ms start 4p step 4p limit 100000
	rail_capture_start
	trace_start
	(
		sleep 0.03
		tc -n "$src" qdisc change dev out1 root ramp rail 7
	) &
	changer=$!
	set -- "5 1gbit:60ms"
	[ -z "$others" ] || set -- "$@" "1 $others" "2 0:10us,$others" "3 0:20us,$others"
	streams=$#
	rail_send_each "$@"
	wait $changer
	rail_drained || note "still not empty"
	trace_stop
	rail_capture_stop
	is "$name: it has joined" "$(rail_stats 'map(.options.rail) | unique | join(" ")')" 7
	# shellcheck disable=SC2046 # a list
	most "$name" "$step" $(rail_frames bins --origin $(($(surge_time 1 ramp) - EARLY)) \
		--tick $MS --ticks 150)
	is "$name: all arrive once and in order" "$(rail_frames check)" \
		"$streams streams, 0 wrong"
}

# on_a_rail NAME "DEV PARENT PARAMETER..." - a change of the rail after 30 ms, with five
# members that send a fifth of its rate each.
on_a_rail()
{
	local name=$1 change=$2 changer

	rail_members rate 1gbit ingress 100mbit:500mbit tick 1ms start 4p step 4p limit 100000
	rail_capture_start
	trace_start
	(
		sleep 0.03
		# shellcheck disable=SC2086 # several words
		[ -z "$change" ] || tc -n "$src" qdisc change $change
	) &
	changer=$!
	rail_send_each "1 200mbit:60ms" "2 0:10us,200mbit:60ms" "3 0:20us,200mbit:60ms" \
		"4 0:30us,200mbit:60ms" "5 0:40us,200mbit:60ms"
	wait $changer
	rail_drained || note "still not empty"
	trace_stop
	rail_capture_stop
	# shellcheck disable=SC2046 # a list
	most "$name" "$3" $(rail_frames bins --origin $(($(surge_time 1 ramp) - EARLY)) \
		--tick $MS --ticks 150)
	is "$name: all arrive once and in order" "$(rail_frames check)" "5 streams, 0 wrong"
}

# leaves NAME - a member leaves a rail that always limits, when it has held packets back for
# 2 ms. From then on it has a limiter of its own, beside that of the others.
leaves()
{
	local name=$1 changer file RAIL_SURGE=()

	rail_members rate 10gbit
	rail_capture_start
	(
		sleep 0.002
		tc -n "$src" qdisc change dev out1 root ramp rail none
	) &
	changer=$!
	rail_send_each "1 2500mbit:5ms" "2 2500mbit:5ms" "5 5gbit:5ms"
	wait $changer
	rail_drained || note "still not empty"
	rail_capture_stop
	is "$name: the others are on the rail" "$(rail_stats \
		'map(.options.rail | tostring) | join(" ")')" "7 7 7 7 0"
	for file in 0 1; do
		rises "$name, device $file" 10000 100000 1514 "$NET_WORK/pcap$file"
	done
	within "$name: ms until the last packet has left" "$(rail_frames lasted)" 1 9
	is "$name: all arrive once and in order" "$(rail_frames check)" "3 streams, 0 wrong"
}

net_init ramp-send tcpdump
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

ends "cease full" 1gbit:120ms ""
ends "cease 7ms" 1gbit:60ms "" cease 7ms
ends "cease auto" 1gbit:60ms "" cease auto window 10ms
MOST=6 ends "cease 9ms, down" 1gbit:6ms,0:100ms "" window 8ms start 5p step 5p down-step 5p cease 9ms
ends "detect off" 1gbit:60ms "02 detect off"
ends "detect off, in a pause" 1gbit:60ms "02 detect off" pause 50ms
ends "detect off, down" 1gbit:10ms,0:100ms "02 detect off" window 8ms
ends "another detector" 1gbit:60ms "02 detect queue"
takes_over "detect always, at the begin of a tick" 02
takes_over "detect always, in the middle of a tick" 0205
for rate in 100 1000 10000; do
	let_go "$rate Mbit/s, detect always, then off" $rate detect off
	let_go "$rate Mbit/s, detect always, then queue" $rate detect queue \
		queue 1000:90000
done
on_again 1000
for at in 017 02 023 025 027; do
	packets_off $at
done
packets_to_percent

# Percentages of nothing are nothing: what climbs, climbs as it did.
without_speed
OPEN_STATE=dormant WITHIN=70 ends "the rate goes" 1gbit:60ms "02 rate auto" \
	start 5% step 5% down-step 5% floor 5%
OPEN_STATE=dormant WITHIN=70 ends "the rate goes, in a pause" 1gbit:60ms "02 rate auto" pause 50ms
OPEN_STATE=dormant WITHIN=30 ends "the rate goes, down" 1gbit:10ms,0:100ms "02 rate auto" window 8ms
ends "the rate goes, nothing needs it" 1gbit:60ms "02 rate auto" \
	ingress 10mbit:800mbit

rail_pair 1500
on_a_rail "a rail" "" 5
on_a_rail "a rail, detect off" "dev out1 root ramp detect off" 5
# Its own ramp begins at the begin, beside that of the others.
on_a_rail "a member leaves" "dev out1 root ramp rail none" 10
leaves "a member leaves a rail that always limits"
joins "a member joins, nobody sends" 5 ""
# Its frames and theirs are counted together, and theirs come when they like.
joins "a member joins, others send" 8 20mbit:60ms ingress 100mbit:500mbit
joins "a member joins, others have a ramp" 10 200mbit:60ms ingress 100mbit:500mbit
joins "a member joins a rail that always limits" 10 100mbit:60ms detect always
ktap_end
