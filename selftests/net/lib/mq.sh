# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of ramp_mq share, on top of lib.sh:
#
#	$src                                    $dst
#	out0, ramp_mq 1: -+- 1:1 ramp --+
#	                  +- 1:2 ramp --+-- veth ---- in0
#	                  +- ...        |
#	                  +- 1:N ramp --+
#
# A frame to 02:00:00:00:NN:NN (hexadecimal) goes through transmit queue NNNN, from 1 on.

# mq_pair QUEUES - makes both devices, anew.
mq_pair()
{
	local n

	setup_ns src dst || missing "network namespaces"
	# shellcheck disable=SC2154 # setup_ns sets them
	ip link add name out0 netns "$src" numtxqueues "$1" numrxqueues "$1" \
		type veth peer name in0 netns "$dst" numtxqueues "$1" \
		numrxqueues "$1"
	ip netns exec "$src" sysctl -wq net.ipv6.conf.out0.disable_ipv6=1 2>/dev/null
	ip netns exec "$dst" sysctl -wq net.ipv6.conf.in0.disable_ipv6=1 2>/dev/null
	ip -n "$src" link set out0 mtu 1500 up
	ip -n "$dst" link set in0 mtu 1500 up
	sysctl -wq net.core.netdev_max_backlog=1000000
	[ "$1" -gt 1 ] || return 0
	tc -n "$src" qdisc add dev out0 clsact || missing "clsact"
	for ((n = 1; n <= $1; n++)); do
		tc -n "$src" filter add dev out0 egress protocol all flower \
			dst_mac "$(mq_mac $n)" \
			action skbedit queue_mapping $((n - 1)) ||
			missing "flower and skbedit"
	done
}

mq_mac()
{
	printf '02:00:00:00:%02x:%02x\n' $(($1 >> 8)) $(($1 & 255))
}

# mq_send N PROFILE [OPTION...] - through queue N.
mq_send()
{
	local n=$1 profile=$2
	shift 2

	ip netns exec "$src" ramp-send -i out0 -d "$(mq_mac "$n")" -n "$n" "$@" \
		"$profile"
}

# mq_send_each "N PROFILE [OPTION...]"... - which begin together; MQ_SENT is what they
# sent in all.
mq_send_each()
{
	each_sends mq_send "$@"
	# shellcheck disable=SC2034 # the tests use it
	MQ_SENT=$(cat "$NET_WORK"/sent[0-9]* | jq -s 'map(.sent) | add')
	rm -f "$NET_WORK"/sent[0-9]*
}

# mq_root FILTER - of the ramp_mq.
mq_root()
{
	tc -n "$src" -j -s qdisc show dev out0 |
		jq -r ".[] | select(.kind == \"ramp_mq\") | $1"
}

# mq_parts FILTER - of its ramps: a jq filter over a list, by queue.
mq_parts()
{
	tc -n "$src" -j -s qdisc show dev out0 |
		jq -r "[.[] | select(.kind == \"ramp\")] | sort_by(.handle) | $1"
}

# mq_shown KEY - what all ramps and the ramp_mq show of an option, each value once.
mq_shown()
{
	tc -n "$src" -j qdisc show dev out0 | jq -r "[.[] |
		select(.kind == \"ramp\" or .kind == \"ramp_mq\") | .options.$1] |
		unique | map(tostring) | join(\" \")"
}
