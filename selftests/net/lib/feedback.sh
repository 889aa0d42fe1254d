# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Boxes that slow each other down. Each is a namespace; frames go from a port of one
# to a port of another, and what is to be passed on goes out of a third.
#
#	. "$(dirname "$0")/lib/feedback.sh"
#	net_init ramp-send tcpdump bc
#
# A frame of the load has 1250 bytes: 1 Mbit/s are 100 of them per second.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/hear.sh
. "$NET_LIB/hear.sh"

# boxes NAME... - a namespace for each; $box_NAME is what it is called.
boxes()
{
	local name ns

	for name in "$@"; do
		ns=box_$name
		# setup_ns() wants them to exist.
		[ -n "${!ns-}" ] || declare -g "$ns="
	done
	setup_ns "${@/#/box_}" || missing "network namespaces"
	for name in "$@"; do
		ns=box_$name
		ip netns exec "${!ns}" sysctl -wq \
			net.ipv6.conf.all.disable_ipv6=1 \
			net.ipv6.conf.default.disable_ipv6=1 2>/dev/null
	done
	sysctl -wq net.core.netdev_max_backlog=1000000
}

# box NAME - its namespace
box()
{
	local ns=box_$1

	echo "${!ns}"
}

# wire BOX DEV BOX DEV - a pair of ports.
wire()
{
	ip link add name "$2" netns "$(box "$1")" type veth \
		peer name "$4" netns "$(box "$3")"
	ip -n "$(box "$1")" link set "$2" up
	ip -n "$(box "$3")" link set "$4" up
}

# pass_on BOX FROM TO - frames of the load that come in at FROM leave at TO, by the
# qdisc of TO; those of stream 10 with priority 6.
pass_on()
{
	tc -n "$(box "$1")" qdisc add dev "$2" clsact
	tc -n "$(box "$1")" filter add dev "$2" ingress pref 1 protocol 0x88b6 \
		u32 match u32 10 0xffffffff at 4 \
		action skbedit priority 6 \
		action mirred egress redirect dev "$3"
	tc -n "$(box "$1")" filter add dev "$2" ingress pref 2 protocol 0x88b6 \
		matchall action mirred egress redirect dev "$3"
}

# slow_port BOX DEV RATE PARAMETER... - a port that can take no more than that, with
# a ramp before it.
slow_port()
{
	local box=$1 dev=$2 rate=$3
	shift 3

	tc -n "$(box "$box")" qdisc replace dev "$dev" root handle 3: \
		tbf rate "$rate" burst 2500 limit 100000000
	tc -n "$(box "$box")" qdisc replace dev "$dev" parent 3:1 handle 2: \
		ramp detect off rate "$rate" "$@"
}

# of BOX DEV KEY... - counters of the ramp on a port, in one line.
of()
{
	local box=$1 dev=$2 list
	shift 2

	list=$(printf ', .%s' "$@")
	tc -n "$(box "$box")" -j -s qdisc show dev "$dev" |
		jq -r ".[] | select(.kind == \"ramp\") | [${list#,}] | join(\" \")"
}

# load BOX DEV PROFILE [OPTION...] - frames with priorities of their own.
load()
{
	local box=$1 dev=$2 profile=$3
	shift 3

	ip netns exec "$(box "$box")" ramp-send -i "$dev" -s 1250 "$@" "$profile"
}

# arrived BOX DEV - frames that came in
arrived()
{
	ip -n "$(box "$1")" -j -s link show "$2" | jq '.[].stats64.rx.packets'
}

# codes_heard FILTER - a jq filter over each frame of it
codes_heard()
{
	answer codes read "$NET_WORK/codes" | jq -c "$1"
}

# band_rate BOX DEV N - what class N of a ramp may send at
band_rate()
{
	tc -n "$(box "$1")" -s class show dev "$2" | awk -v n=":$3" '
		/^class/ { mine = $2 == "ramp" && substr($3, length($3) - 1) == n }
		mine { for (i = 1; i < NF; i++)
			if ($i == "peer_rate") { print $(i + 1); found = 1 } }
		END { if (!found) print "100%" }'
}

# empty BOX DEV - waits until nothing waits in the qdiscs of a port.
empty()
{
	wait_until 60 nothing_waits "$(box "$1")" "$2"
}
