#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# GSO packets: in bytes they cost what their segments will be on the wire, in packets
# one for each of these; they conform or exceed as a whole. Buckets that earn nothing
# let pass exactly what they were made with.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
# What func_gso.py sends: so many segments, so many bytes on the wire each.
SEGMENTS=40 WIRE=1042 PORT=5001 COUNT=20
# Of a segment of TCP over IPv4 that is as small as guests can make it, with its headers.
SMALL=20 SMALL_WIRE=74 SMALLS=1000
POLICY=drop

# shellcheck disable=SC2317 # called by wait_until
ready()
{
	[ -e "$NET_WORK/ready" ]
}

# burst - 20 packets from the host to the endpoint; prints how many datagrams came.
burst()
{
	local receiver

	rm -f "$NET_WORK"/{ready,enough}
	# shellcheck disable=SC2154 # setup_ns sets it
	ip netns exec "$dst" python3 "$HERE/func_gso.py" receive "$NET_WORK" \
		$PORT >"$NET_WORK/came" &
	receiver=$!
	wait_until 20 ready
	ip netns exec "$src" python3 "$HERE/func_gso.py" send $VM $PORT $COUNT \
		--segments $SEGMENTS >"$NET_WORK/went"
	touch "$NET_WORK/enough"
	wait $receiver
	jq ".\"$PORT\".received" "$NET_WORK/came"
}

# police NETNS DEVICE HOOK WORD... - all UDP.
police()
{
	local ns=$1 device=$2 hook=$3

	shift 3
	tc -n "$ns" filter del dev "$device" "$hook" 2>/dev/null
	wait_until 20 flushed "$ns" || fail "all actions can be flushed"
	tc -n "$ns" filter add dev "$device" "$hook" protocol ip \
		flower ip_proto udp action mpolice bucket 1 "$@" \
		policy $POLICY index 1 2>"$NET_WORK/why" ||
		fail "filter add mpolice $*" "$(cat "$NET_WORK/why")"
}

# counted NETNS - packets and bytes that conformed, and that exceeded.
counted()
{
	tc -n "$1" -j -s actions get action mpolice index 1 | jq -r '
		[.[] | .actions[]?][0] | [.conformed.packets, .conformed.bytes,
		 .exceeded.packets, .exceeded.bytes] | join(" ")'
}

# costs NAME PASS SIZE NETNS - so many pass, of SIZE bytes each.
costs()
{
	local came

	came=$(burst)
	is "$1: datagrams that arrive" "$came" $(($2 * SEGMENTS))
	is "$1: conformed and exceeded" "$(counted "$4")" \
		"$(($2 * SEGMENTS)) $(($2 * $3)) $(((COUNT - $2) * SEGMENTS)) $(((COUNT - $2) * $3))"
}

# guests DEVICE HOOK WORD... - all TCP of virtual machines.
guests()
{
	local device=$1 hook=$2

	shift 2
	tc -n "$src" filter del dev out0 egress 2>/dev/null
	tc -n "$src" filter del dev tap0 ingress 2>/dev/null
	flush
	tc -n "$src" filter add dev "$device" "$hook" protocol ip flower ip_proto tcp \
		action mpolice bucket 1 "$@" policy drop index 1 ||
		fail "filter add mpolice $*"
}

# small NAME - six of the packets with small segments have passed, by their frames.
small()
{
	is "$1: conformed and exceeded" "$(counted "$src")" "$(printf '%d ' \
		$((6 * SMALLS)) $((6 * SMALLS * SMALL_WIRE)) $(((COUNT - 6) * SMALLS)))$((
		(COUNT - 6) * SMALLS * SMALL_WIRE))"
}

mpolice_init ramp-send
endpoint 1500
tc -n "$dst" qdisc add dev in0 clsact
ip -n "$src" addr add 10.0.0.1/24 dev out0
ip -n "$dst" addr add $VM/24 dev in0
ip -n "$src" neigh replace $VM dev out0 \
	lladdr "$(ip -n "$dst" -j link show in0 | jq -r '.[0].address')"

police "$src" out0 egress rate 8bit burst $((11 * SEGMENTS * WIRE))
costs "egress, bytes" 11 $((SEGMENTS * WIRE)) "$src"
is "the standard counter has all segments" "$(act 1 .stats.packets)" $((COUNT * SEGMENTS))

police "$src" out0 egress rate 8bit burst $((11 * SEGMENTS * WIRE - 1000))
costs "egress, a little less" 10 $((SEGMENTS * WIRE)) "$src"

police "$src" out0 egress rate 8bit burst $((SEGMENTS * WIRE - 1000))
matches "a burst that no GSO packet fits in: a warning" \
	"$(cat "$NET_WORK/why")" "burst: .*GSO.*128k"
costs "egress, a burst that no GSO packet fits in" 0 $((SEGMENTS * WIRE)) "$src"

# A packet a second would be one more after 20 s.
police "$src" out0 egress pps 1 pkt-burst $((5 * SEGMENTS))
costs "egress, packets" 5 $((SEGMENTS * WIRE)) "$src"
police "$src" out0 egress pps 1 pkt-burst $((5 * SEGMENTS - 20))
costs "egress, fewer packets" 4 $((SEGMENTS * WIRE)) "$src"

# By default one of the longest fits, as QUIC sends them, and two do in packets: what
# never conforms would never come.
SEGMENTS=64
police "$src" out0 egress rate 8bit
is "a default burst: no warning" "$(<"$NET_WORK/why")" ""
costs "egress, a default burst, of the longest packets" 1 $((SEGMENTS * WIRE)) "$src"
police "$src" out0 egress pps 1
costs "egress, a default burst of packets, of the longest ones" 2 $((SEGMENTS * WIRE)) "$src"
SEGMENTS=40

# With account all pass: five conform, as much as debt is over, and of the packet that
# reaches it a part. A second earns a segment.
POLICY=account
police "$src" out0 egress pps 1 pkt-burst $((5 * SEGMENTS + 10)) debt $((5 * SEGMENTS + 5))
is "egress, packets, account: datagrams that arrive" "$(burst)" $((COUNT * SEGMENTS))
read -r conformed over uncharged < <(act 1 '[.conformed.packets, .over.packets,
	.uncharged.packets] | join(" ")')
is "egress, packets, account: segments that conformed, and others" \
	"$conformed $((over + uncharged))" "$((5 * SEGMENTS)) $(((COUNT - 5) * SEGMENTS))"
within "egress, packets, account: segments that are over" "$over" \
	$((5 * SEGMENTS + 15)) $((5 * SEGMENTS + 15 + 5))
POLICY=drop

# Of a packet that comes from a virtual machine nobody has counted the segments.
guests out0 egress pps 1 pkt-burst $((5 * SEGMENTS))
tc -n "$src" qdisc replace dev out0 root ramp rate 10gbit
ip netns exec "$src" python3 "$HERE/func_gso.py" guest out0 $COUNT $SEGMENTS
is "packets of a virtual machine: segments that conformed, and that exceeded" \
	"$(act 1 '[.conformed.packets, .exceeded.packets] | tojson')" \
	"[$((5 * SEGMENTS)),$(((COUNT - 5) * SEGMENTS))]"
drained
is "packets of a virtual machine: ramp counts segments" \
	"$(tc -n "$src" -j -s qdisc show dev out0 root | jq '.[0].packets')" $((5 * SEGMENTS))
tc -n "$src" qdisc del dev out0 root
tc -n "$src" filter del dev out0 egress

# What small segments are on the wire is mostly headers, whichever way they go.
guests out0 egress rate 8bit burst $((6 * SMALLS * SMALL_WIRE))
ip netns exec "$src" python3 "$HERE/func_gso.py" guest out0 $COUNT $SMALLS --size $SMALL
small "a guest's small segments on egress"

modprobe -q tun
ip -n "$src" tuntap add dev tap0 mode tap vnet_hdr 2>"$NET_WORK/why" ||
	missing "tun"
tc -n "$src" qdisc add dev tap0 clsact
ip -n "$src" link set tap0 up
guests tap0 ingress rate 8bit burst $((6 * SMALLS * SMALL_WIRE))
ip netns exec "$src" python3 "$HERE/func_gso.py" guest tap0 $COUNT $SMALLS --size $SMALL --tap
small "a guest's small segments on ingress"

# Its packets that cannot be segmented are one each.
guests tap0 ingress pps 1 pkt-burst 5
ip netns exec "$src" python3 "$HERE/func_gso.py" guest tap0 $COUNT $SEGMENTS --tap --offset 0
is "a guest's malformed packets: those that conformed, and that exceeded" \
	"$(act 1 '[.conformed.packets, .exceeded.packets] | tojson')" "[5,$((COUNT - 5))]"
ip -n "$src" link del tap0

police "$dst" in0 ingress rate 8bit burst $((6 * SEGMENTS * WIRE))
costs "ingress, bytes" 6 $((SEGMENTS * WIRE)) "$dst"
police "$dst" in0 ingress pps 1 pkt-burst $((5 * SEGMENTS + 19))
costs "ingress, packets" 5 $((SEGMENTS * WIRE)) "$dst"
ktap_end
