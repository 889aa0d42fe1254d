# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the guest's parts of the demo share: a source, a router and a sink, and a
# capture at the sink.

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

demo_begin()
{
	mkdir -p $OUT
	modprobe sch_ramp
	# As the frames' times, which are real time.
	echo mono >$TRACE/trace_clock
	echo >$TRACE/trace
	echo 1 >$TRACE/events/ramp/enable
	python3 -c 'import time
print(time.clock_gettime_ns(time.CLOCK_REALTIME) -
      time.clock_gettime_ns(time.CLOCK_MONOTONIC))' >$OUT/offset
}

# namespaces FRAME_BYTES - the router bridges its ports "in" and "wire".
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
	ip -n router link set wire mtu "$1" up arp off
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

# listen NAME - the sink captures to NAME.pcap.
listen()
{
	ip netns exec sink tcpdump -i in -w "$OUT/$1.pcap" -s 64 -B 16384 \
		-U --immediate-mode --time-stamp-precision=nano ether proto 0x88b6 \
		2>"$OUT/$1.tcpdump" &
	LISTENER=$!
	wait_until sink_listens
}

sink_listens()
{
	ip netns exec sink grep -q . <(ip netns exec sink tail -n +2 /proc/net/packet)
}

# listen_end NAME - NAME.sent says how many there are to come.
listen_end()
{
	wait_until written "$1" || echo "the capture is not complete" >&2
	kill -INT "$LISTENER"
	wait "$LISTENER"
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

# act NAME RATE FRAME_BYTES LOAD QDISC... - a load through one qdisc on a wire of RATE. A
# wire does not save up: its bucket holds one frame, unless WIRE_BURST says otherwise.
act()
{
	local name=$1 rate=$2 frame=$3 load=$4
	shift 4

	ip netns exec router tc qdisc add dev wire root handle 1: \
		tbf rate "$rate" burst "${WIRE_BURST:-$((frame + 6))}" limit 40m
	ip netns exec router tc qdisc add dev wire parent 1:1 handle 10: "$@"

	echo >$TRACE/trace
	listen "$name"
	ip netns exec source ramp-send -i out -s "$frame" -w 20 "$load" >"$OUT/$name.sent"
	wait_until empty
	ip netns exec router tc -j -s qdisc show dev wire >"$OUT/$name.qdisc"
	sed -n '/ramp_/p' $TRACE/trace >"$OUT/$name.trace"
	listen_end "$name"
	ip netns exec router tc qdisc del dev wire root
}
