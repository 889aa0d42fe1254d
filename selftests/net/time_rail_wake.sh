#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Who waits on a rail is woken when there is something for it, and hardly ever in vain:
# as many packets leave as qdiscs are run, however many members wait. One that is woken
# and does not come does not keep others waiting.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

MANY=250
EACH=8
src="" all=()
# A run of a qdisc ends with the call that gives no packet.
EMPTY=$TRACE/events/qdisc/qdisc_dequeue

# shellcheck disable=SC2317 # called by the trap
wake_end()
{
	echo 0 >"$EMPTY/enable"
	echo 0 >"$EMPTY/filter"
	net_cleanup
}

# members PARAMETER... - new ones, each on a device of its own
members()
{
	local n

	for ((n = 1; n <= MANY; n++)); do
		echo "qdisc replace dev d$n root pfifo"
		echo "qdisc replace dev d$n root handle 1: ramp rail 7 limit 100 $*"
		set --
	done | tc -n "$src" -batch - 2>"$NET_WORK/members" ||
		fail "$MANY members" "$(tail -n 1 "$NET_WORK/members")"
}

# dequeued DEVICE HANDLE
dequeued()
{
	tc -n "$src" -j -s qdisc show dev "$1" |
		jq ".[] | select(.handle == \"$2\") | .dequeued"
}

# sum JQ - over all members
sum()
{
	tc -n "$src" -j -s qdisc show |
		jq "[.[] | select(.kind == \"ramp\") | $1] | add"
}

# shellcheck disable=SC2317 # called by wait_until
drained()
{
	[ "$(sum .queued)" = 0 ]
}

# send "DEVICE COUNT [PRIORITY]"... - one after the other, which takes no virtual time
send()
{
	ip netns exec "$src" python3 - "$@" <<-'END' || fail "$1 and others send"
	import socket
	import sys

	frame = bytes.fromhex("020000000001" "020000000002" "88b6") + bytes(986)
	sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
	# It is not to wait for what waits in the qdiscs.
	sender.setsockopt(socket.SOL_SOCKET, 32, 1 << 28)	# SO_SNDBUFFORCE
	for words in sys.argv[1:]:
	    device, count, *priority = words.split()
	    sender.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY,
	                      int(priority[0], 16) if priority else 0)
	    for _ in range(int(count)):
	        sender.sendto(frame, (device, 0x88B6))
	END
}

# woken_for NAME PARAMETER... - how often they are woken for what waits
woken_for()
{
	local name=$1 before left runs
	shift

	members "$@"
	send "${all[@]}"
	before=$(sum .dequeued)
	echo >"$TRACE/trace"
	echo 1 >"$EMPTY/enable"
	wait_until 60 drained || note "still not empty"
	echo 0 >"$EMPTY/enable"
	left=$(($(sum .dequeued) - before))
	runs=$(sed -nE 's,.*entries-written: [0-9]+/([0-9]+).*,\1,p' "$TRACE/trace")
	is "$name: all that was sent has left" "$(sum .dequeued)" $((MANY * EACH))
	holds "$name: nearly all of it waited" "$left" ">=" $((MANY * EACH * 9 / 10))
	holds "$name: runs of $MANY members for a packet" \
		"$(awk "BEGIN { printf \"%.3f\", $runs / $left }")" "<" 1.5
}

# absent - a member that is woken and does not come, as another class of its parent sends
absent()
{
	local seen

	tc -n "$src" qdisc del dev d1 root
	tc -n "$src" qdisc add dev d1 root handle 1: htb default 10
	tc -n "$src" class add dev d1 parent 1: classid 1:1 htb rate 1mbit burst 1600
	tc -n "$src" class add dev d1 parent 1:1 classid 1:10 htb rate 8bit \
		ceil 1mbit prio 1 burst 1 cburst 1600
	tc -n "$src" class add dev d1 parent 1:1 classid 1:20 htb rate 1mbit \
		prio 0 burst 1600
	tc -n "$src" qdisc add dev d1 parent 1:10 handle 10: ramp rail 8 rate 1gbit \
		detect ingress ingress 10mbit:50mbit window 8ms tick 10ms start 2p \
		step 1p hold 5s limit 1000 2>/dev/null || fail "rail 8"
	tc -n "$src" qdisc replace dev d2 root handle 1: ramp rail 8 limit 1000 ||
		fail "rail 8"
	send "d2 300" "d1 20 10010"
	sleep 0.055
	# 240 ms of the parent
	send "d1 30 10020"
	seen=$(dequeued d1 10:)\ $(dequeued d2 1:)
	sleep 0.1
	note "so far $seen, 100 ms later $(dequeued d1 10:) $(dequeued d2 1:)"
	is "the parent does not ask the one that is woken" \
		"$(($(dequeued d1 10:) - ${seen% *}))" 0
	within "the other one has what the ticks of 100 ms allow" \
		"$(($(dequeued d2 1:) - ${seen#* }))" 18 22
}

net_init python3
only_virtual_time
[ -d "$EMPTY" ] || missing "tracepoint qdisc_dequeue"
setup_ns src || missing "network namespaces"
trap wake_end EXIT
ip netns exec "$src" sysctl -wq net.ipv6.conf.default.disable_ipv6=1 2>/dev/null
for ((n = 1; n <= MANY; n++)); do
	echo "link add d$n type dummy"
	echo "link set d$n up"
done | ip -n "$src" -batch -
for ((n = 1; n <= MANY; n++)); do
	all+=("d$n $EACH")
done
echo 'skbaddr == 0' >"$EMPTY/filter"
echo 1 >"$TRACE/tracing_on"
sleep 1		# until timers have a high resolution

SURGE="rate 1gbit detect ingress ingress 100mbit:500mbit window 8ms"
# shellcheck disable=SC2086 # parameters are words
{
	woken_for "a ramp" $SURGE tick 1ms start 2p step 1p pause 2s
	woken_for "a ramp in bytes" $SURGE tick 1ms start 20mbit step 5mbit pause 2s
}
woken_for "detect always" rate 20mbit detect always tick 4ms start 1mbit \
	step 500kbit
absent
ktap_end
