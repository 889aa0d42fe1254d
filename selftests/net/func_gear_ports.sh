#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Gears that follow links: the ports of a box go down, come up, get other names, go
# away, and the top gear is what those that are up can carry, when the command that
# did it returns.
#
# Fails, as tried, when: a top that falls is not taken over.

# shellcheck source=selftests/net/lib/gears.sh
. "$(dirname "$0")/lib/gears.sh"

# An idle gear, and one for each number of ports.
EIGHT=1gbit,10gbit,20gbit,30gbit,40gbit,50gbit,60gbit,70gbit,80gbit
PORTS=p0,p1,p2,p3,p4,p5,p6,p7

# ports NUMBER... - makes them, and sets them up.
ports()
{
	local n

	for n; do
		ip -n "$src" link add "p$n" type dummy
		ip -n "$src" link set "p$n" up
	done
}

# set_ports UP_OR_DOWN NUMBER...
set_ports()
{
	local way=$1 n
	shift

	for n; do
		ip -n "$src" link set "p$n" "$way"
	done
}

# top_is NAME TOP GEAR
top_is()
{
	is "$1" "$(counters options.gear_top gear)" "$2 $3"
}

# row_is NAME UP ALL ROW
row_is()
{
	is "$1" "$(counters ports_up ports port_row)" "$2 $3 $4"
}

# top_becomes NAME TOP - and the gear
top_becomes()
{
	wait_until 10 counter_is gear "$2"
	top_is "$1" "$2" "$2"
}

# names - of the ports that tc shows, in one line
names()
{
	counter 'options.gear_ports | sort | join(" ")'
}

following()
{
	ports {0..7}
	ramp detect off rate 80gbit gears $EIGHT gear-ports $PORTS \
		gear-follow links dwell 0 idle 60s
	is "links: eight ports are listed" "$(names)" "p0 p1 p2 p3 p4 p5 p6 p7"
	top_is "links: all up" 8 8
	set_ports down 0 1 2 3 4 5
	top_is "links: six of eight down: a quarter" 2 2
	set_ports down 6
	top_is "links: one of eight is up" 1 1
	set_ports down 7
	top_is "links: none is up: not the idle gear" 1 1
	set_ports up 7 6 5
	top_is "links: three of eight are up again" 3 3
	set_ports up 0 1 2 3 4
	top_is "links: all are up again" 8 8
	is "links: each is one move" "$(counter gear_changes)" 14
}

# Links and a range: the smaller top; links win over the range's lowest.
ranges()
{
	ramp detect off rate 80gbit gears $EIGHT gear-ports $PORTS \
		gear-follow links gear-range 3:6 dwell 0 idle 60s
	top_is "a range below the links" 6 6
	is "a range: what counts now" "$(counters gear_min gear_max)" "3 6"
	set_ports down 0 1 2 3
	top_is "links below the range's top" 4 4
	set_ports down 4 5
	top_is "links below the range's lowest: links win" 2 2
	is "links below the range's lowest: it is counted" "$(counter range_drops)" 1
	set_ports down 6
	is "links below the range's lowest: one that falls further is not counted again" \
		"$(counter range_drops)" 1
	set_ports up 0 1 2 3 4 5 6
	top_is "links up again: the range's top" 6 6
	set_ports down 0 1 2 3 4 5
	is "links below the range's lowest once more: it is counted again" \
		"$(counter range_drops)" 2
	set_ports up 0 1 2 3 4 5
	shift_gear gears ${EIGHT/1gbit/2gbit}
	is "links below the range's lowest: other gears keep what was counted" \
		"$(counter range_drops)" 2
}

# Power by ports: they are counted, whatever gear they allow, and those that go are
# none any more.
shares()
{
	ramp detect off rate 80gbit gears $EIGHT gear-ports $PORTS \
		gear-follow occupancy gear-range 8:8 dwell 0 idle 60s \
		power 100 power-ports 28.24%,67.03%,73.87%,81.18%,96.4%,100.09%
	row_is "power by ports: all up" 8 8 5
	set_ports down 0
	row_is "power by ports: 7 of 8 are less than all" 7 8 4
	set_ports down 1 2
	row_is "power by ports: 5 of 8 are 0.6 or more" 5 8 3
	set_ports down 3
	row_is "power by ports: 4 of 8 are less than 0.6" 4 8 2
	set_ports down 4 5
	row_is "power by ports: 2 of 8 are 0.2 or more" 2 8 1
	set_ports down 6 7
	row_is "power by ports: none is up" 0 8 0
	is "power by ports: gears do not follow" "$(counter gear)" 8
	is "power by ports: each row had its time" \
		"$(counter 'port_ns | map(select(. > 0)) | length')" 6
	is "power by ports: it was less than with all up" \
		"$(counters 'saved_pct > 0' 'energy_mj > 0')" "true true"
	shift_gear gear-ports p0,p1
	set_ports up 0
	row_is "power by ports: one of two others" 1 2 2
	shift_gear gear-ports $PORTS
	set_ports up 1 2 3 4 5 6 7
	row_is "power by ports: all up again" 8 8 5
}

# What the gear follows. The default with ports is both, without them occupancy.
follow()
{
	ramp detect off rate 80gbit gears $EIGHT gear-follow occupancy \
		gear-ports $PORTS gear-range 8:8 dwell 0 idle 60s
	set_ports down 0 1 2 3
	top_is "occupancy: links do not matter" 8 8
	shift_gear gear-follow both
	top_is "both: links are the top" 4 4
	set_ports up 0 1 2 3
	top_is "both: up again, the range decides" 8 8
	shift_gear gear-range none
	shift_gear gear-follow links
	top_is "links: the gear that they give" 8 8
	set_ports down 0 1
	top_is "links: at once" 6 6
	shift_gear gear-follow auto gear-range 8:8
	set_ports down 2 3
	top_is "auto with ports: links are the top" 4 4
	shift_gear gear-ports none
	is "gear-ports none: no ports are listed" \
		"$(counter 'options.gear_ports | length')" 0
	top_is "auto without ports: nothing bounds it" 8 8
	set_ports up 0 1 2 3
}

# Ports that get another name stay, those that go are no ports any more, and another
# one with the same name is none either.
moving()
{
	local n

	ramp detect off rate 80gbit gears $EIGHT gear-ports $PORTS \
		gear-follow links dwell 0 idle 60s
	ip -n "$src" link set p0 name other0
	is "a port with another name is listed with that" \
		"$(names)" "other0 p1 p2 p3 p4 p5 p6 p7"
	ip -n "$src" link set other0 down
	top_is "a port with another name counts as before" 7 7
	ip -n "$src" link set other0 up
	ip -n "$src" link set other0 name p0
	top_is "a port with its first name again, and up" 8 8

	# Of six that are left, three are up.
	ip -n "$src" link del p7
	is "a port that is deleted is not listed" "$(names)" "p0 p1 p2 p3 p4 p5 p6"
	top_is "a port that is deleted does not count" 8 8
	ip -n "$src" link set p6 netns "$dst"
	is "a port that moved to another namespace is not listed" \
		"$(names)" "p0 p1 p2 p3 p4 p5"
	ip -n "$dst" link set p6 down
	top_is "a port that moved to another namespace does not count there" 8 8
	set_ports down 0 1 2
	top_is "after one was deleted and one moved: three of six are up" 4 4
	ip -n "$dst" link set p6 netns "$src"
	set_ports up 6
	is "a port that came back from another namespace is not listed" \
		"$(names)" "p0 p1 p2 p3 p4 p5"
	top_is "a port that came back from another namespace does not count" 4 4
	ports 7
	is "a new device with a port's old name is not listed" \
		"$(names)" "p0 p1 p2 p3 p4 p5"
	shift_gear gear-ports $PORTS
	top_is "ports named again: five of eight are up" 5 5
	shift_gear power-ports 10%,20%,30%,40%,50%,60%,70%,80%,100%
	row_is "power by ports: five of eight of nine rows" 5 8 5

	ip -n "$src" link del p7
	ip -n "$src" link set p0 up
	ip -n "$src" link set p1 up
	set_ports down 6
	for n in 0 1 2 3 4 5 6; do
		ip -n "$src" link del "p$n"
	done
	is "all ports are gone: none is listed" \
		"$(counter 'options.gear_ports | length')" 0
	is "all ports are gone: the last gear" "$(counter options.gear_top)" 8
	row_is "power by ports: nothing to count is the last row" 0 0 8
	tc -n "$src" qdisc del dev out0 root
}

# A port that goes, with the qdisc's own device among the ports.
own()
{
	ip -n "$src" link add p0 type dummy
	ip -n "$src" link set p0 up
	tc -n "$src" qdisc add dev p0 root handle 2: ramp detect off rate 80gbit \
		gears $EIGHT gear-ports p0,out0
	ip -n "$src" link set p0 netns "$dst"
	is "a device that follows itself can be moved" \
		"$(ip -n "$dst" -j link show p0 | jq -r '.[].ifname')" p0
	ip -n "$dst" link del p0
	is "a device that follows itself can be deleted" \
		"$(ip -n "$dst" link show p0 2>&1 | grep -c 'does not exist')" 1
}

# team_is GBIT VERB PORT... - the team gets or loses ports, and its link comes back.
team_is()
{
	local gbit=$1 port
	shift

	for port in "${@:2}"; do
		# shellcheck disable=SC2086 # one word or two
		ip -n "$src" link set "$port" $1
	done
	wait_until 10 speed_is t0 "${gbit}000" || note "t0: $(speed t0) Mbit/s"
	ip -n "$src" link set t0 down
	ip -n "$src" link set t0 up
	top_becomes "10 and $gbit Gbit/s: both up" 8
}

# set_far UP_OR_DOWN - the other ends of the team's ports.
set_far()
{
	local n

	for n in 1 2 3; do
		ip -n "$src" link set "w$n" "$1"
	done
}

# Weighed by speed: a veth has 10 Gbit/s, a team of three has 30. What has no speed
# counts as the mean of the others.
weighed()
{
	local n

	ip -n "$src" link add p0 type veth peer name q0
	ip -n "$src" link set q0 up
	ip -n "$src" link set p0 up
	ip -n "$src" link add t0 type team 2>/dev/null || {
		lacks "ports of different speeds" "the team driver"
		return
	}
	ip netns exec "$src" teamnl t0 setoption mode roundrobin
	for n in 1 2 3; do
		ip -n "$src" link add "v$n" type veth peer name "w$n"
		ip -n "$src" link set "w$n" up
		ip -n "$src" link set "v$n" master t0
	done
	ip -n "$src" link set t0 up
	wait_until 10 speed_is t0 30000 || note "t0: $(speed t0) Mbit/s"
	ramp detect off rate 80gbit gears $EIGHT gear-ports p0,t0 \
		gear-follow links dwell 0 idle 60s
	top_is "10 and 30 Gbit/s: both up" 8 8
	# Ports are asked for their speed by somebody who may sleep, a little later.
	set_ports down 0
	top_becomes "10 and 30 Gbit/s: 30 of 40 up" 6
	set_ports up 0
	top_becomes "10 and 30 Gbit/s: both again" 8
	ip -n "$src" link set t0 down
	top_becomes "10 and 30 Gbit/s: 10 of 40 up" 2
	ip -n "$src" link set t0 up
	top_becomes "10 and 30 Gbit/s: both again, once more" 8
	# Without a carrier it has no speed, nor has it one for who names it then.
	set_far down
	top_becomes "10 and 30 Gbit/s: 10 of 40 up, as a carrier goes" 2
	shift_gear gear-ports t0,p0
	sleep 0.5
	top_is "10 and 30 Gbit/s: named again while a carrier is gone" 2 2
	set_far up
	top_becomes "10 and 30 Gbit/s: the carrier is back" 8
	team_is 10 nomaster v2 v3
	set_ports down 0
	top_becomes "10 and 10 Gbit/s, as a link came back with less: 10 of 20 up" 4
	set_ports up 0
	team_is 30 "master t0" v2 v3
	ports 5
	shift_gear gear-ports p0,t0,p5
	top_becomes "10 and 30 Gbit/s and one of unknown speed: all up" 8
	set_ports down 5
	top_becomes "10 and 30 Gbit/s and one of unknown speed: it counts as 20 of 60" 6
	shift_gear power-ports 50%,70%,90%,100%
	row_is "power by ports: two of three, whatever their speed" 2 3 2
	# The other end goes down: that comes as a carrier, which may take a while.
	ip -n "$src" link set q0 down
	top_becomes "10 and 30 Gbit/s and one of unknown speed: a carrier goes, 30 of 60" \
		4
	row_is "power by ports: a carrier that goes is a port that is down" 1 3 1
}

speed()
{
	ip netns exec "$src" cat "/sys/class/net/$1/speed" 2>&1
}

# shellcheck disable=SC2317 # called by wait_until
speed_is()
{
	[ "$(speed "$1")" = "$2" ]
}

# geared PARAMETER... - out0, in its highest gear
geared()
{
	tc -n "$src" qdisc replace dev out0 root handle 1: pfifo
	tc -n "$src" qdisc replace dev out0 root handle 2: ramp detect off \
		gears 1gbit,5gbit,10gbit "$@"
}

# Where nothing comes, and nobody looks, the idle gear is taken all the same.
quiet()
{
	geared idle 100ms
	sleep $((2 * SLOWER))
	within "a new ramp without traffic: ns in its highest gear" \
		"$(counter 'gear_ns[2]')" 100000000 $((SLOWER * 1000000000))
}

# rests_down NAME NETNS DEVICE - that one goes down, and out0's gear becomes the idle one
# after a second, though nobody asks for it.
rests_down()
{
	geared idle 1s
	ip -n "$2" link set "$3" down
	is "$1: the gear is kept for a while" "$(counter gear)" 2
	sleep $((3 * SLOWER))
	is "$1: the idle gear in the end" "$(counter gear)" 0
	within "$1: ns in the highest gear" "$(counter 'gear_ns[2]')" 1000000000 \
		$((SLOWER * 2000000000))
	ip -n "$2" link set "$3" up
	wait_until 10 carrier out0
}

# shellcheck disable=SC2317 # called by wait_until
carrier()
{
	ip -n "$src" -j link show "$1" | jq -e '.[0].operstate == "UP"' >/dev/null
}

unplugged()
{
	local before

	# shellcheck disable=SC2154 # setup_ns sets it
	rests_down "a port without a link" "$dst" in0
	rests_down "a port that is down" "$src" out0

	ip -n "$src" link set out0 down
	geared idle 1s
	sleep $((3 * SLOWER))
	is "a ramp that comes to a port that is down: the idle gear in the end" \
		"$(counter gear)" 0
	within "a ramp that comes to a port that is down: ns in the highest gear" \
		"$(counter 'gear_ns[2]')" 1000000000 $((SLOWER * 2000000000))
	tc -n "$src" qdisc change dev out0 root handle 2: ramp gears 1gbit,5gbit,8gbit
	is "gears that come to a port that is down: the highest one" "$(counter gear)" 2
	sleep $((3 * SLOWER))
	is "gears that come to a port that is down: the idle gear in the end" \
		"$(counter gear)" 0
	ip -n "$src" link set out0 up
	wait_until 10 carrier out0

	# What waits when a port goes down is discarded, and is no reason to wait for it.
	tc -n "$src" qdisc replace dev out0 root handle 1: pfifo
	tc -n "$src" qdisc replace dev out0 root handle 2: ramp detect off limit 1000 \
		gears 8kbit,16kbit idle 1s
	ip netns exec "$src" ramp-send -i out0 x50 >/dev/null
	within "a port that goes down with packets: packets that wait" "$(counter queued)" 1 50
	ip -n "$src" link set out0 down
	before=$(counter 'gear_ns[1]')
	sleep $((3 * SLOWER))
	is "a port that goes down with packets: the idle gear in the end" "$(counter gear)" 0
	within "a port that goes down with packets: ns in the highest gear from then on" \
		"$(($(counter 'gear_ns[1]') - before))" 500000000 $((SLOWER * 2000000000))

	# Nothing looks at a ramp that is gone.
	geared idle 100ms
	tc -n "$src" qdisc del dev out0 root
	sleep 0.3
	ip -n "$src" link set out0 up
	wait_until 10 carrier out0
}

net_init teamnl
modprobe -q dummy
pair 1500
quiet
unplugged
following
ranges
shares
follow
moving
own
weighed
ktap_end
