# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of the team mode share. On top of lib.sh:
#
#	$src                          $dst
#	team0 -+- p0 ---- veth ---- q0
#	       +- p1 ---- veth ---- q1
#	       +- ...
#
# or, for ports that have to fill, devices of kind hold (selftests/modules/), which
# take frames when they are told to.

SPREAD_PY=$NET_LIB/spread.py

# spread_init COMMAND... - skips the test where something is missing.
spread_init()
{
	net_init ramp-flows ramp-catch "$@"
	modprobe -q team || missing "module team"
	modinfo team_mode_spread >/dev/null 2>&1 ||
		missing "module team_mode_spread"
	trap spread_cleanup EXIT
}

# shellcheck disable=SC2317 # called by the trap
spread_cleanup()
{
	links_gone
	net_cleanup
}

# links_gone - a frame that waits in a port belongs to a socket, which holds the
# namespace, which holds the port: it would stay for ever.
links_gone()
{
	[ -e "/run/netns/${src:-none}" ] || return 0
	{
		echo "link del team0"
		[ ${#PORTS[@]} = 0 ] || printf 'link del %s\n' "${PORTS[@]}"
	} | ip -n "$src" -force -batch - 2>/dev/null
	PORTS=()
}

# hold_or_skip - for tests that need ports which stop.
hold_or_skip()
{
	modprobe -q spread_hold || missing "module spread_hold"
}

# in_src COMMAND [ARG...]
in_src()
{
	# shellcheck disable=SC2154 # setup_ns sets it
	ip netns exec "$src" "$@"
}

# team MODE - makes team0 anew, in namespaces that have nothing else. The mode has to
# be set before there are ports.
team()
{
	links_gone
	[ -e "/run/netns/${src:-none}" ] || namespaces
	ip -n "$src" link add team0 type team || missing "device team"
	setopt mode "$1" || return
	ip -n "$src" link set team0 up
}

# namespaces - new ones, whatever there was.
namespaces()
{
	local ns file

	serve_stop
	links_gone
	PORTS=()
	setup_ns src dst || missing "network namespaces"
	# shellcheck disable=SC2154 # setup_ns sets them
	for ns in "$src" "$dst"; do
		# Neighbour discovery would be frames that nobody ordered.
		for file in all default; do
			ip netns exec "$ns" sysctl -wq \
				"net.ipv6.conf.$file.disable_ipv6=1" 2>/dev/null
		done
	done
	sysctl -wq net.core.netdev_max_backlog=1000000
}

# serve_start - from now on options are asked for through one process for all.
# teamnl for each of them is slow on an emulated machine.
serve_start()
{
	[ -e "/run/netns/${src:-none}" ] || namespaces
	rm -f "$NET_WORK"/{ask,answer}
	mkfifo "$NET_WORK"/{ask,answer}
	nsenter --net="/run/netns/$src" python3 "$SPREAD_PY" serve team0 \
		<"$NET_WORK/ask" >"$NET_WORK/answer" &
	SERVE_PID=$!
	exec {SERVE_ASK}>"$NET_WORK/ask" {SERVE_ANSWER}<"$NET_WORK/answer"
}

serve_stop()
{
	[ -n "${SERVE_PID-}" ] || return 0
	exec {SERVE_ASK}>&- {SERVE_ANSWER}<&-
	wait "$SERVE_PID" 2>/dev/null
	SERVE_PID=""
}

# ask WORD... - prints the answer.
ask()
{
	local answer

	echo "$*" >&"$SERVE_ASK"
	read -r answer <&"$SERVE_ANSWER"
	echo "$answer"
}

# veth_port N [TXQUEUES] - adds port pN to the team, with its peer qN.
veth_port()
{
	ip link add "p$1" netns "$src" numtxqueues "${2:-1}" type veth \
		peer name "q$1" netns "$dst" numrxqueues "${2:-1}"
	ip -n "$dst" link set "q$1" up
	join "p$1"
}

# veth_ports COUNT [TXQUEUES] - p0 and so on.
veth_ports()
{
	local n

	for ((n = 0; n < $1; n++)); do
		veth_port $n "${2:-1}"
	done
}

# hold_port N [TXQUEUES [bql]] - adds port pN of kind hold.
hold_port()
{
	ip -n "$src" link add "p$1" numtxqueues "${2:-1}" type hold
	[ -z "${3-}" ] || hold "p$1" bql 1
	join "p$1"
}

# join PORT - a port has to be down for that.
join()
{
	ip -n "$src" link set "$1" master team0 || return
	PORTS+=("$1")
}

# hold PORT FILE [VALUE] - reads or writes what a device of kind hold shows.
hold()
{
	local file=/sys/class/net/$1/hold/$2

	if [ $# = 2 ]; then
		in_src cat "$file"
	else
		# shellcheck disable=SC2016 # expands inside
		in_src sh -c 'echo "$1" >"$2"' sh "$3" "$file"
	fi
}

# ---- options

# setopt NAME VALUE [PORT] - as a user would, with teamnl.
setopt()
{
	local answer

	if [ -n "${SERVE_PID-}" ]; then
		answer=$(ask set "$@")
		[ "$answer" = ok ] || echo "set $*: $answer" >&2
		[ "$answer" = ok ]
		return
	fi
	in_src teamnl ${3:+-p "$3"} team0 setoption "$1" "$2"
}

# getopt NAME [PORT]
getopt()
{
	if [ -n "${SERVE_PID-}" ]; then
		ask get "$@"
		return
	fi
	in_src teamnl ${2:+-p "$2"} team0 getoption "$1"
}

# options JQ - of all options, read together: .team.NAME, .ports.PORT.NAME
options()
{
	if [ -n "${SERVE_PID-}" ]; then
		ask json
	else
		in_src python3 "$SPREAD_PY" options team0
	fi | jq -r "$1"
}

# of_ports NAME - the option of p0, p1, ... in one line.
of_ports()
{
	if [ -n "${SERVE_PID-}" ]; then
		ask all "$1"
		return
	fi
	options "[.ports | to_entries | sort_by(.key[1:] | tonumber) |
		.[].value.$1] | map(tostring) | join(\" \")"
}

# set_hash PROGRAM [ARG] - a hash program for loadbalance.
set_hash()
{
	in_src python3 "$SPREAD_PY" set team0 bpf_hash_func \
		"$(python3 "$SPREAD_PY" "$@")"
}

# setopts "NAME VALUE [PORT]"...
setopts()
{
	local words

	for words in "$@"; do
		# shellcheck disable=SC2086 # several words
		setopt $words || fail "set $words"
	done
}

# ---- traffic

# flows [OPTION...] - prints what ramp-flows does.
flows()
{
	# Faster than ip, which also mounts /sys.
	nsenter --net="/run/netns/$src" ramp-flows -i team0 "$@"
}

# catch_start [PORT NUMBER...] - default: all there are.
catch_start()
{
	local ifaces=()

	[ $# -gt 0 ] || set -- "${PORTS[@]#p}"
	ifaces=("${@/#/q}")
	rm -f "$NET_WORK"/{caught,catching}
	# shellcheck disable=SC2154 # setup_ns sets it
	ip netns exec "$dst" ramp-catch "$NET_WORK/caught" "${ifaces[@]}" \
		>"$NET_WORK/catching" &
	CATCH_PID=$!
	wait_until 20 grep -q ready "$NET_WORK/catching" || {
		echo "ramp-catch does not start" >&2
		exit 1
	}
}

# catch_stop - when no qdisc holds packets any more. The receiver must have got
# all that the kernel saw, or its absence proves nothing.
catch_stop()
{
	# Frames on their way through a softirq arrive before it.
	sleep 0.05
	kill -TERM "$CATCH_PID"
	wait "$CATCH_PID" || fail "the receiver keeps up" \
		"$(tail -n 1 "$NET_WORK/catching")"
}

# caught COMMAND [ARG...] - asks lib/spread.py about them.
caught()
{
	local command=$1
	shift

	answer spread "$command" "$NET_WORK/caught" "$@"
}

# settled - waits (at most a minute) until no port holds packets.
settled()
{
	wait_until 60 settled_now
}

# shellcheck disable=SC2317 # called by wait_until
settled_now()
{
	! tc -n "$src" -s qdisc show | grep -qE 'backlog .* [1-9][0-9]*p '
}

# port_qdisc PORT JQ - of the counters of its root qdisc.
port_qdisc()
{
	tc -n "$src" -j -s qdisc show dev "$1" | jq -r "[.[] |
		select(.root)][0] | $2"
}

# waiting PORT - packets in its qdiscs; mq shows the sum of its leaves.
waiting()
{
	if [ -n "${SERVE_PID-}" ]; then
		ask waiting "$1"
		return
	fi
	tc -n "$src" -s qdisc show dev "$1" | awk '
		/^qdisc / { root = / root / }
		/backlog/ && root { print $3 + 0; exit }'
}

# link_stat NS DEV FIELD - of rtnl_link_stats64: tx.packets, rx.packets, ...
link_stat()
{
	ip -n "$1" -j -s link show dev "$2" | jq ".[].stats64.$3"
}

# arrived - frames that the peers of all ports got.
arrived()
{
	ip -n "$dst" -j -s link show | jq '[.[] |
		select(.ifname | startswith("q")) | .stats64.rx.packets] | add'
}

# ---- tracepoints

# traced EVENT COMMAND [ARG...] - prints what it traced while COMMAND ran, without
# what is the same in all lines. Nothing, where there is no such tracepoint.
traced()
{
	local file=$TRACE/events/spread/$1/enable event=$1
	shift

	[ -e "$file" ] || return
	echo >"$TRACE/trace"
	echo 1 >"$TRACE/tracing_on"
	echo 1 >"$file"
	"$@" >/dev/null
	echo 0 >"$file"
	sed -n "s/.*: $event: ifindex=$(index_of team0) //p" "$TRACE/trace"
}

# index_of DEV - its ifindex, as traces have it.
index_of()
{
	in_src cat "/sys/class/net/$1/ifindex"
}
