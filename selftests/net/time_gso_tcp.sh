#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP in bulk through the plain line, from a sender that hands over GSO packets of up to 64
# kbyte: the receiver sees no jump, streams arrive as they were sent, no packet that leaves
# while the gate is open is longer than half a step, and what left is counted in segments.
#
# Fails, as tried, when: a GSO packet of any length passes an open gate.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

MSS=1448

# shellcheck disable=SC2154 # setup_ns sets them
network()
{
	ip netns exec "$src" sysctl -wq net.ipv4.tcp_wmem='4096 1000000 64000000'
	ip netns exec "$dst" sysctl -wq net.ipv4.tcp_rmem='4096 1000000 64000000'
	ip -n "$src" addr add 192.0.2.1/24 dev out0
	ip -n "$dst" addr add 192.0.2.2/24 dev in0
	# Bursts: streams begin with many packets, and their acknowledgements take a while.
	ip -n "$src" route replace 192.0.2.0/24 dev out0 initcwnd 400
	ip -n "$dst" route replace 192.0.2.0/24 dev in0 initrwnd 1000
	tc -n "$dst" qdisc add dev in0 root netem delay 100us limit 100000
}

gso()
{
	ip netns exec "$1" python3 "$HERE/func_gso.py" "${@:2}"
}

# streams RATE MBYTES - two, the second when the first is under way; RATE in Mbit/s.
streams()
{
	local rate=$1 mbytes=$2 name="$1 Mbit/s" sent step port receivers=() senders=()

	tcpdump_start "$dst" in0 "$NET_WORK/tcp" -Q in -s 128
	plain rate "${rate}mbit"
	for port in 5000 5001; do
		mkdir -p "$NET_WORK/$port"
		rm -f "$NET_WORK/$port/ready"
		gso "$dst" tcp-receive "$NET_WORK/$port" $port >"$NET_WORK/$port/received" &
		receivers+=($!)
		wait_until 20 test -e "$NET_WORK/$port/ready"
	done
	for port in 5000 5001; do
		gso "$src" tcp-send 192.0.2.2 $port $((mbytes << 20)) \
			>"$NET_WORK/$port/sent" &
		senders+=($!)
		sleep 0.0013
	done
	wait "${senders[@]}" "${receivers[@]}"
	drained || note "still not empty"
	tcpdump_stop
	sent=$(cat "$NET_WORK"/500[01]/sent)
	is "$name: both streams arrive as they were sent" \
		"$(cat "$NET_WORK"/500[01]/received)" "${sent:-nothing}"
	rises "$name" "$rate" 100000 1514 "$NET_WORK/tcp"
	is "$name: nothing is dropped" "$(counter drops)" 0
	within "$name: GSO packets were segmented" "$(counter split_extra)" 100 10000000
	gso "$dst" frames "$NET_WORK/tcp" $MSS >"$NET_WORK/frames"
	# 5 % of what passes in 100 us.
	step=$((rate * 625 / 1000))
	holds "$name: bytes of the longest packet" "$(jq .longest "$NET_WORK/frames")" "<=" \
		$((step / 2 > 1514 ? step / 2 : 1514))
	is "$name: what left is counted in segments" "$(counters packets bytes)" \
		"$(jq -r '"\(.segments) \(.bytes)"' "$NET_WORK/frames")"
}

net_init tcpdump
only_virtual_time
pair 1500
network
sleep 1		# until timers have a high resolution
streams 10000 16
streams 40000 32
ktap_end
