#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The speed of the link changes, or is not known any more, while packets are held back:
# nobody asked for a change, and still none leaves in a jump, or is lost, or stays. The
# limiter also follows another MTU. From what a tap hands to its reader, in virtual time.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"
# shellcheck source=selftests/net/lib/tap.sh
. "$HERE/lib/tap.sh"

# link NAME FROM TO RATE MS - with the full rate of FROM Mbit/s the link
# becomes one of TO Mbit/s, after 1.5 ms. No 100 us rise by more than RATE allows for, and
# all has left after MS ms.
link()
{
	local name=$1 from=$2 to=$3 rate=$4 ms=$5 sent

	tap_speed "$from"
	tc -n "$src" qdisc del dev tap0 root 2>/dev/null
	tc -n "$src" qdisc add dev tap0 root ramp
	tcpdump_start "$src" tap0 "$NET_WORK/pcap" -s 64 ether proto 0x88b6
	ip netns exec "$src" ramp-send -i tap0 "${from}mbit:5ms" >"$NET_WORK/sent" &
	sleep 0.0015
	holds "$name: packets are held back" "$(on tap0 .qlen)" ">" 20
	tap_speed "$to"
	tap_changes "$([ "$to" = 0 ] && echo null || echo $((to * 125000)))"
	holds "$name: packets are still held back" "$(on tap0 .qlen)" ">" 20
	wait $!
	wait_until 60 tap_drained || note "still not empty"
	tcpdump_stop 2
	sent=$(jq .sent "$NET_WORK/sent")
	rises "$name" "$rate" 100000 1514 "$NET_WORK/pcap"
	within "$name: ms until the last packet has left" \
		"$(python3 "$NET_LIB/rail.py" lasted "$NET_WORK/pcap")" 1 "$ms"
	is "$name: all leave once and in order" "$(capture check "$sent")" \
		"received $sent lost 0 doubled 0 reordered 0"
}

# full_load NAME MIN MAX SIZE - 500 ms of 10 Mbit/s take MIN to MAX ms to leave.
full_load()
{
	local sent

	tcpdump_start "$src" tap0 "$NET_WORK/pcap" -s 64 ether proto 0x88b6
	ip netns exec "$src" ramp-send -i tap0 10mbit:500ms -s "$4" >"$NET_WORK/sent"
	wait_until 60 tap_drained || note "still not empty"
	tcpdump_stop 2
	sent=$(jq .sent "$NET_WORK/sent")
	within "$1: ms until the last packet has left" \
		"$(python3 "$NET_LIB/rail.py" lasted "$NET_WORK/pcap")" "$2" "$3"
	is "$1: all leave once and in order" "$(capture check "$sent")" \
		"received $sent lost 0 doubled 0 reordered 0"
}

# another_mtu - eight frames of 9000 bytes take 58 ms at 10 Mbit/s, and a rise from idle some
# 30 times as long. The link carries shorter ones now.
another_mtu()
{
	ip -n "$src" link set tap0 mtu 9000
	tc -n "$src" qdisc del dev tap0 root 2>/dev/null
	tc -n "$src" qdisc add dev tap0 root ramp rate 10mbit limit 1000p
	ip -n "$src" link set tap0 mtu 1500
	full_load "another MTU" 500 1000 1514
}

# rail_of_mtus - a rail has the tick of its longest packets, whoever is changed last.
rail_of_mtus()
{
	local order dev

	ip -n "$src" link add short0 type dummy
	ip -n "$src" link set short0 up
	ip -n "$src" link set tap0 mtu 9000
	for order in "short0 tap0" "tap0 short0"; do
		for dev in $order; do
			tc -n "$src" qdisc replace dev "$dev" root ramp rail 1 rate 10mbit \
				limit 1000p
		done
		tc -n "$src" qdisc change dev "$dev" root ramp window 2ms
		full_load "a rail of two MTUs, $dev last" 1500 1900 9014
		for dev in $order; do
			tc -n "$src" qdisc del dev "$dev" root
		done
	done
	ip -n "$src" link del short0
	ip -n "$src" link set tap0 mtu 1500
}

# shellcheck disable=SC2317 # called by wait_until
tap_drained()
{
	[ "$(on tap0 .qlen)" = 0 ]
}

net_init ramp-send tcpdump ethtool
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution
tap_open

link "10 Gbit/s become 1" 10000 1000 10000 40
link "1 Gbit/s becomes 10" 1000 10000 10000 7
link "1 Gbit/s becomes 2.5" 1000 2500 2500 8
link "10 Gbit/s become unknown" 10000 0 10000 9
another_mtu
rail_of_mtus
tap_close
ktap_end
