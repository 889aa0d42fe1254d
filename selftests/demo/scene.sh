#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's part of the demo: a source, a router and a sink. The router's port
# to the sink is a wire of 100 Mbit/s, which a tbf plays, with the qdisc under
# test behind it. Records what the sink receives, and what the qdiscs say.

set -euo pipefail

# shellcheck source=selftests/demo/setting.sh
. "$(dirname "${BASH_SOURCE[0]}")/setting.sh"

OUT=/out/demo
TRACE=/sys/kernel/tracing

# wait_until COMMAND... - for what happens in its own time.
wait_until()
{
	local i

	for ((i = 0; i < 1000; i++)); do
		! "$@" || return 0
		sleep 0.01
	done
	echo "nothing came of: $*" >&2
	return 1
}

namespaces()
{
	local ns

	for ns in source router sink; do
		ip netns add $ns
		# Only the packets of the demo are to be seen.
		ip netns exec $ns sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
			net.ipv6.conf.default.disable_ipv6=1
	done
	ip link add out netns source type veth peer name in netns router
	ip link add wire netns router type veth peer name in netns sink
	# What the source sends are bare Ethernet frames: the router bridges.
	ip -n router link add bridge type bridge
	ip -n router link set in master bridge
	ip -n router link set wire master bridge
	ip -n source link set out up arp off
	ip -n router link set in up arp off
	# A wire does not save up: tbf's bucket holds one frame.
	ip -n router link set wire mtu "$DEMO_FRAME" up arp off
	ip -n router link set bridge up arp off
	ip -n sink link set in up arp off
	wait_until forwarding in
	wait_until forwarding wire
}

forwarding()
{
	ip netns exec router bridge -j link show dev "$1" |
		jq -e '.[0].state == "forwarding"' >/dev/null
}

sink_listens()
{
	ip netns exec sink grep -q . <(ip netns exec sink tail -n +2 /proc/net/packet)
}

# All that was sent has been written: records have 16 bytes and 64 of the frame.
written()
{
	[ "$(stat -c %s "$OUT/$1.pcap")" -ge $((24 + 80 * $(jq .sent "$OUT/$1.sent"))) ]
}

empty()
{
	ip netns exec router tc -j -s qdisc show dev wire |
		jq -e 'all(.[]; .qlen == 0) and
		       all(.[] | select(.kind == "ramp"); .state == "idle")' >/dev/null
}

# act NAME QDISC... - the same load through one qdisc.
act()
{
	local name=$1 listener
	shift

	ip netns exec router tc qdisc add dev wire root handle 1: \
		tbf rate "$DEMO_RATE" burst $((DEMO_FRAME + 6)) limit 4m
	# The kernel's own choice is pfifo_fast; systemd, and so Debian, sets
	# fq_codel. In both a lone flow passes as through a FIFO.
	ip netns exec router tc qdisc add dev wire parent 1:1 handle 10: "$@"

	echo >$TRACE/trace
	ip netns exec sink tcpdump -i in -w "$OUT/$name.pcap" -s 64 -B 16384 \
		-U --immediate-mode --time-stamp-precision=nano ether proto 0x88b6 \
		2>"$OUT/$name.tcpdump" &
	listener=$!
	wait_until sink_listens
	ip netns exec source ramp-send -i out -s "$DEMO_FRAME" -w 20 \
		"$DEMO_LOAD" >"$OUT/$name.sent"
	wait_until empty
	ip netns exec router tc -j -s qdisc show dev wire >"$OUT/$name.qdisc"
	sed -n '/ramp_/p' $TRACE/trace >"$OUT/$name.trace"
	wait_until written "$name" || echo "the capture is not complete" >&2
	kill -INT $listener
	wait $listener
	ip netns exec router tc qdisc del dev wire root
}

mkdir -p $OUT
modprobe sch_ramp
# As the frames' times, which are real time.
echo mono >$TRACE/trace_clock
echo 1 >$TRACE/events/ramp/enable
python3 -c 'import time
print(time.clock_gettime_ns(time.CLOCK_REALTIME) -
      time.clock_gettime_ns(time.CLOCK_MONOTONIC))' >$OUT/offset
namespaces
echo "the load goes through fq_codel, the default" >&2
act default fq_codel
echo "the load goes through ramp" >&2
# shellcheck disable=SC2086 # parameters are words
act ramp ramp $DEMO_RAMP
