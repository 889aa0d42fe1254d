# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of rails share, on top of lib.sh:
#
#	$src                                   $dst
#	out0, mq -+- 11: ramp --+
#	          +- 12: ramp --+-- veth ---- in0
#	          +- 13: ramp --+
#	          +- 14: ramp --+
#	out1 ------- 15: ramp ----- veth ---- in1
#
# A frame to 02:00:00:00:00:0N goes through transmit queue N of out0.

# shellcheck disable=SC2034 # the tests use it
MEMBERS="11 12 13 14 15"

# rail_pair MTU - makes both devices, anew.
rail_pair()
{
	local n

	setup_ns src dst || missing "network namespaces"
	for n in 0 1; do
		# shellcheck disable=SC2154 # setup_ns sets them
		ip link add name "out$n" netns "$src" numtxqueues 4 \
			numrxqueues 4 type veth peer name "in$n" netns "$dst" \
			numtxqueues 4 numrxqueues 4
	done
	for n in 0 1; do
		ip netns exec "$src" sysctl -wq "net.ipv6.conf.out$n.disable_ipv6=1" \
			2>/dev/null
		ip netns exec "$dst" sysctl -wq "net.ipv6.conf.in$n.disable_ipv6=1" \
			2>/dev/null
		ip -n "$src" link set "out$n" mtu "$1" up
		ip -n "$dst" link set "in$n" mtu "$1" up
	done
	sysctl -wq net.core.netdev_max_backlog=1000000
	tc -n "$src" qdisc add dev out0 clsact || missing "clsact"
	for n in 1 2 3 4; do
		tc -n "$src" filter add dev out0 egress protocol all flower \
			dst_mac "02:00:00:00:00:0$n" \
			action skbedit queue_mapping $((n - 1)) ||
			missing "flower and skbedit"
	done
}

# A rail takes no percentages, so who wants to see surges names their thresholds.
RAIL_SURGE=(detect ingress window 10ms)

# rail_members PARAMETER... - five new members of rail 7, which waits for surges; the
# parameters are said to the first one.
rail_members()
{
	local n

	tc -n "$src" qdisc del dev out0 root 2>/dev/null
	tc -n "$src" qdisc del dev out1 root 2>/dev/null
	tc -n "$src" qdisc add dev out0 root handle 1: mq || return
	tc -n "$src" qdisc add dev out0 parent 1:1 handle 11: ramp rail 7 \
		"${RAIL_SURGE[@]}" "$@" || return
	for n in 2 3 4; do
		tc -n "$src" qdisc add dev out0 parent "1:$n" handle "1$n:" \
			ramp rail 7 || return
	done
	tc -n "$src" qdisc add dev out1 root handle 15: ramp rail 7
}

# rail_below PARAMETER... - as rail_members, each below a tbf of its own, so that a queue
# forms.
rail_below()
{
	local n

	tc -n "$src" qdisc del dev out0 root 2>/dev/null
	tc -n "$src" qdisc del dev out1 root 2>/dev/null
	tc -n "$src" qdisc add dev out0 root handle 1: mq
	set -- "${RAIL_SURGE[@]}" "$@"
	for n in 1 2 3 4; do
		tc -n "$src" qdisc add dev out0 parent "1:$n" handle "2$n:" \
			tbf rate 50mbit burst 1600 limit 100000000
		tc -n "$src" qdisc add dev out0 parent "2$n:1" handle "1$n:" \
			ramp rail 7 "$@"
		set --
	done
	tc -n "$src" qdisc add dev out1 root handle 25: \
		tbf rate 50mbit burst 1600 limit 100000000
	tc -n "$src" qdisc add dev out1 parent 25:1 handle 15: ramp rail 7
}

# rail_send N PROFILE [OPTION...] - through member 1N.
rail_send()
{
	local n=$1 profile=$2 device=out0
	shift 2

	[ "$n" != 5 ] || device=out1
	ip netns exec "$src" ramp-send -i "$device" -d "02:00:00:00:00:0$n" \
		-n "$n" "$@" "$profile"
}

# rail_send_each "N PROFILE [OPTION...]"... - which begin together.
rail_send_each()
{
	each_sends rail_send "$@"
}

# rail_stats FILTER - of all members: a jq filter over a list of qdiscs.
rail_stats()
{
	{
		tc -n "$src" -j -s qdisc show dev out0
		tc -n "$src" -j -s qdisc show dev out1
	} | jq -sr "add | map(select(.kind == \"ramp\")) | sort_by(.handle) | $1"
}

rail_drained()
{
	wait_until 60 nothing_waits "$src" out0 out1
}

# rail_capture_start, rail_capture_stop - to $NET_WORK/pcap0 and pcap1.
rail_capture_start()
{
	local n

	RAIL_CAPTURES=() RAIL_BEFORE=$(rail_arrived)
	for n in 0 1; do
		tcpdump_start "$dst" "in$n" "$NET_WORK/pcap$n" -s 64 ether proto 0x88b6
		RAIL_CAPTURES+=("$TCPDUMP")
	done
}

# Frames that arrived at both ends.
rail_arrived()
{
	ip -n "$dst" -j -s link show |
		jq '[.[] | select(.ifname | startswith("in")) |
			.stats64.rx.packets] | add'
}

# shellcheck disable=SC2317 # called by wait_until
rail_captured()
{
	[ "$(rail_frames count)" -ge $(($(rail_arrived) - RAIL_BEFORE)) ]
}

rail_capture_stop()
{
	wait_until 20 rail_captured || note "the capture is not complete"
	kill -INT "${RAIL_CAPTURES[@]}"
	wait "${RAIL_CAPTURES[@]}"
}

# rail_frames COMMAND [ARG...] - asks lib/rail.py about the last capture.
rail_frames()
{
	local command=$1
	shift

	answer rail "$command" "$@" "$NET_WORK/pcap0" "$NET_WORK/pcap1"
}

# rail_counts NAME SENT - every member counts what became of what it got, all
# together have sent SENT frames, and none was lost.
rail_counts()
{
	is "$1: each member has handed over all that it accepted" \
		"$(rail_stats 'map(select(.enqueued + .split_extra !=
			.dequeued + .dropped + .queued or .drops != 0 or
			.dropped != 0) |
			[.handle, .enqueued, .dequeued, .dropped, .drops,
			.queued] | map(tostring) | join(" ")) |
			join("; ")')" ""
	is "$1: what was sent is what members handed over" \
		"$(rail_stats 'map(.dequeued) | add')" "$2"
}
