#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Rails where CPUs really work side by side: five members step together by the
# tracepoint ramp:ramp_tick, and come and go under load, with nothing lost.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/rail.sh
. "$NET_LIB/rail.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
# RAMP_CMD_RAIL_GET
RAIL_GET=5
INSTANCE=/sys/kernel/tracing/instances/ramp_func_rail
YNL=/usr/lib/kselftests/ynl/pyynl
SPEC=$(cd "$HERE/../.." && pwd)/Documentation/netlink/specs/ramp.yaml
SCHEMA=/usr/lib/kselftests/netlink/genetlink-legacy.yaml
INGRESS="rate 40mbit ingress 2mbit:10mbit window 16ms"

# shellcheck disable=SC2317 # called by the trap
instance_end()
{
	[ ! -d "$INSTANCE" ] || rmdir "$INSTANCE"
	net_cleanup
}

# shown KEY - what all members show, each value once.
shown()
{
	rail_stats "map(.options.$1) | unique | map(tostring) | join(\" \")"
}

# change N PARAMETER... - of member 1N.
change()
{
	local n=$1
	shift

	if [ "$n" = 5 ]; then
		tc -n "$src" qdisc change dev out1 root handle 15: ramp "$@"
	else
		tc -n "$src" qdisc change dev out0 parent "1:$n" handle "1$n:" \
			ramp "$@"
	fi
}

# members PARAMETER... - five new ones, each with room for all that is sent.
members()
{
	local n

	rail_members "$@" || fail "rail 7 $*"
	for n in 1 2 3 4 5; do
		change $n limit 20000
	done
}

# softirqs - how often qdiscs were run by what is not a packet, on all CPUs.
softirqs()
{
	awk '$1 == "NET_TX:" { for (n = 2; n <= NF; n++) sum += $n }
		END { print sum + 0 }' /proc/softirqs
}

# ynl REQUEST JQ - one request to the family "ramp", and its answer.
ynl()
{
	PYTHONDONTWRITEBYTECODE=1 ip netns exec "$src" \
		python3 "$NET_LIB/ynl.py" "$YNL" "$SPEC" "$SCHEMA" \
		<<<"$1" | jq -r "$2"
}

# senders PROFILE [OPTION...] - one through each member; their results are in SENT.
senders()
{
	local n
	local words=()

	for n in 1 2 3 4 5; do
		words+=("$n $*")
	done
	rail_send_each "${words[@]}"
	SENT=$(cat "$NET_WORK"/sent[1-5] | jq -s 'map(.sent) | add')
	rm -f "$NET_WORK"/sent[1-5]
}

# arrived NAME BEFORE - all that was SENT since then has come out.
arrived()
{
	is "$1: all that was sent has arrived" "$(($(rail_arrived) - $2))" "$SENT"
}

# listed COMMAND... - whether a list of all rails says that it is of no single moment, as
# COMMAND ran meanwhile, and how many are on it
listed()
{
	ip netns exec "$src" python3 "$NET_LIB/dump_changes.py" ramp $RAIL_GET \
		ip netns exec "$src" tc "$@"
}

# A list of many rails, of which one comes, goes, or gets another member before it is read.
lists()
{
	local dev n rails=63

	for dev in l0 l1 l2 l3; do
		ip -n "$src" link add $dev numtxqueues 256 type dummy
		ip -n "$src" link set $dev up
		echo "qdisc add dev $dev root handle 1: mq"
		for ((n = 1; n < 256; n++)); do
			printf 'qdisc add dev %s parent 1:%x handle %x: ramp rail %d rate 1gbit\n' \
				$dev $n $((n + 1)) $((100 + n % rails))
		done
	done | tc -n "$src" -batch - || fail "members of $rails rails"
	is "a list of rails, nothing happens" "$(listed -Version)" "whole $rails"
	is "a list of rails, a member has another limit" \
		"$(listed qdisc change dev l0 parent 1:1 ramp limit 999)" "whole $rails"
	matches "a list of rails, one comes" \
		"$(listed qdisc change dev l0 parent 1:1 ramp rail 99)" "^interrupted "
	matches "a list of rails, one goes" \
		"$(listed qdisc change dev l0 parent 1:1 ramp rail 101)" "^interrupted "
	matches "a list of rails, a member goes" \
		"$(listed qdisc del dev l1 parent 1:2)" "^interrupted "
	for dev in l0 l1 l2 l3; do
		ip -n "$src" link del $dev
	done
}

# rail_states - by tc, by netlink, and by tc again.
rail_states()
{
	{
		rail_stats '.[0].state'
		ynl 'call rail-get {"rail": 7}' .state
		rail_stats '.[0].state'
	} | paste -sd' '
}

# shellcheck disable=SC2317 # called by wait_until
rail_ramps()
{
	[ "$(rail_stats '.[0].ramps')" -gt 0 ]
}

net_init ramp-send
rail_pair 1500
lists
rail_pair 1500

# shellcheck disable=SC2086 # parameters are words
{
	rail_members $INGRESS tick 2ms start 2p step 2p || fail "five members"
	is "parameters: every member shows the rail's" \
		"$(for key in rail rate tick window start.value step.value \
			detect; do shown "$key"; done | paste -sd' ')" \
		"7 5000000 2000000 16000000 2 2 ingress"
	change 3 tick 4ms step 3p limit 777
	is "parameters: what one member is told is told to all" \
		"$(shown tick) $(shown step.value)" "4000000 3"
	is "parameters: a limit is each member's own" "$(shown limit)" "692 777"
	change 5 rail 9 tick 1ms
	is "parameters: a rail that is new begins as the member was" \
		"$(shown rail) $(shown tick) $(shown step.value)" \
		"7 9 1000000 4000000 3"
	change 5 rail 7
	is "parameters: who joins takes what the rail has" \
		"$(shown rail) $(shown tick)" "7 4000000"
	change 5 rail none
	change 5 rail 7 tick 5ms
	is "parameters: who joins and says something, says it to all" \
		"$(shown rail) $(shown tick)" "7 5000000"
}

if [ -d $YNL ]; then
	members='[.members.entry[] | "\(.ifindex) \(.handle) \(.parent)"] | sort'
	change 5 rail 9
	is "ynl: who is on a rail, as tc shows it" \
		"$(ynl 'call rail-get {"rail": 7}' "$members | join(\", \")")" \
		"$(tc -n "$src" -j qdisc show dev out0 | jq -r --argjson index \
			"$(ip -n "$src" -j link show out0 | jq '.[].ifindex')" '
			[.[] | select(.kind == "ramp") |
			 (.handle | sub(":"; "") | tonumber) as $n |
			 "\($index) \(($n / 10 | floor) * 1048576 +
			  ($n % 10) * 65536) \(65536 + ($n % 10))"] |
			sort | join(", ")')"
	is "ynl: all rails, and how many are on them" \
		"$(ynl 'dump rail-get' 'map("\(.rail) \(.members.entry |
			length) \(.state)") | sort | join(", ")')" "7 4 0, 9 1 0"
	matches "ynl: a rail that is not there" \
		"$(PYTHONDONTWRITEBYTECODE=1 ip netns exec "$src" \
			python3 "$NET_LIB/ynl.py" "$YNL" "$SPEC" \
			"$SCHEMA" <<<'call rail-get {"rail": 8}')" \
		'error: .*rail: does not exist'
	change 5 rail 7

	# On a slow host the sender may be away for a window: the rail ramps down then, as it
	# does when the sender is done. A host may be so slow that both have been asked too late.
	# shellcheck disable=SC2086 # parameters are words
	for seconds in 6 12 24 48; do
		members $INGRESS tick 1s start 1p step 1p cease full
		rail_send 1 "40mbit:${seconds}s" -s 1400 >/dev/null &
		sender=$!
		wait_until 10 rail_ramps
		states=$(rail_states)
		wait $sender
		[ "$states" != "ramp-up 2 ramp-up" ] || break
	done
	is "ynl: the state of a rail that ramps up, as tc shows it" \
		"$states" "ramp-up 2 ramp-up"
	sleep 0.1
	is "ynl: the state of a rail that ramps down, as tc shows it" \
		"$(rail_states)" "ramp-down 3 ramp-down"
	# shellcheck disable=SC2086 # parameters are words
	members $INGRESS tick 100ms start 500p step 1p cease 500ms
	rail_send 1 x400 -s 600 >/dev/null
	# Nobody else looks: where nothing waits there is no timer.
	sleep 1
	is "ynl: the state of a rail whose ramp is over" \
		"$(ynl 'call rail-get {"rail": 7}' .state)" 0
else
	lacks "rails by netlink" "ynl"
fi

if [ -d /sys/kernel/tracing/events/ramp/ramp_tick ]; then
	trap instance_end EXIT
	mkdir -p $INSTANCE
	echo 16384 >$INSTANCE/buffer_size_kb
	echo 1 >$INSTANCE/events/ramp/ramp_tick/enable

	# Sixteen surges in ten seconds. A floor that is not the first allowance keeps a
	# slow machine from draining its backlog for long; one that sees few of them as
	# such gets more.
	enough='.ticks >= 20'
	for unit in "start 2p step 2p floor 8p" \
		"start 2mbit step 2mbit floor 16mbit"; do
		# shellcheck disable=SC2086
		members $INGRESS tick 2ms $unit
		before=$(rail_arrived)
		echo >$INSTANCE/trace
		profile=4mbit:400ms,0:225ms,4mbit:400ms,0:225ms
		profile=$profile,$profile
		sent=0
		for _ in {1..10}; do
			senders $profile,$profile -s 600
			rail_drained || note "still not empty"
			sent=$((sent + SENT))
			ticks=$(rail_stats 'map(.ticks) | unique | join(" ")')
			result=$(python3 "$HERE/func_tick.py" 600 \
				<$INSTANCE/trace)
			! jq -e "$enough" <<<"$result" >/dev/null || break
		done
		SENT=$sent
		satisfies "$unit: no tick lets more leave than it allows" \
			"$result" "$enough and .wrong == 0 and .lost == 0 and
			.full >= 1 and .over == ${ticks:-0}" \
			"the rail counts $ticks ticks"
		rail_counts "$unit" "$SENT"
		arrived "$unit" "$before"
	done
else
	lacks "ticks of a rail" "tracing"
fi

# Packets wait in the last tick of the ramp. Afterwards nobody does. A sender that a slow
# machine lets begin when the ramp is over has none that waited.
delayed=all
[ "$SLOWER" = 1 ] || delayed=any
# shellcheck disable=SC2086 # parameters are words
members $INGRESS tick 10ms start 1p step 1p cease 100ms
before=$(rail_arrived)
senders x400 -s 600
rail_drained || note "still not empty"
arrived "a ramp that ends while packets wait" "$before"
is "a ramp that ends while packets wait: members ramped, are done, and packets waited" \
	"$(rail_stats "[all(.ramps > 0), all(.ramps == .ramps_done),
	$delayed(.delayed > 0)] | join(\" \")")" "true true true"
runs=$(softirqs)
sleep 1
within "a ramp that ended: no timer goes on" $(($(softirqs) - runs)) 0 100

# Members move between two rails and none, while ramps run on both.
# shellcheck disable=SC2086,SC2317 # called in the background
churn()
{
	local n=0

	while [ ! -e "$NET_WORK/enough" ]; do
		n=$((n + 1))
		change 2 rail 8 $INGRESS tick 1ms start 1p step 1p floor 8p
		change 4 rail none
		change 5 rail 8
		change 1 tick $((n % 3 + 1))ms
		change 4 rail 7
		change 2 rail 7
		change 5 rail 7 step $((n % 2 + 1))p
		echo $n >"$NET_WORK/churned"
		# Or virtual time would stand still.
		sleep 0.01
	done
}

# shellcheck disable=SC2086
members $INGRESS tick 2ms start 2p step 1p floor 8p
before=$(rail_arrived)
rm -f "$NET_WORK/enough"
churn &
churner=$!
senders 4mbit:300ms,0:100ms,4mbit:300ms,0:100ms,4mbit:300ms,0:100ms,4mbit:300ms -s 600
touch "$NET_WORK/enough"
wait $churner
rail_drained || note "still not empty"
note "$(cat "$NET_WORK/churned") rounds of joining and leaving"
rail_counts "joining and leaving under load" "$SENT"
arrived "joining and leaving under load" "$before"
is "joining and leaving under load: in the end all are on one rail" "$(shown rail)" 7

# Peers speak to the members, not to the rail: a frame that comes to one device
# slows all those on it.
# shellcheck disable=SC2086
members $INGRESS tick 2ms start 2p step 2p floor 8p
for n in 1 2 3 4 5; do
	change $n obey min 0
done
ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
	'{"validity": 10000, "codes": [[0, 500]]}'
before=$(rail_arrived)
senders 4mbit:100ms -s 600
rail_drained || note "still not empty"
is "members that obey: who heard of it" \
	"$(rail_stats 'map(.codes_received) | map(tostring) | join(" ")')" \
	"1 1 1 1 0"
rail_counts "members that obey" "$SENT"
arrived "members that obey" "$before"

# A device goes while its member has packets and a ramp runs.
# shellcheck disable=SC2086
members $INGRESS tick 20ms start 1p step 1p
rail_send_each "5 x400" "1 x400" "2 100mbit:50ms"
ip -n "$src" link del out1
wait_until 60 nothing_waits "$src" out0
is "a device goes in the middle of a ramp: the others send all they have" \
	"$(tc -n "$src" -j -s qdisc show dev out0 | jq -r '
		[.[] | select(.kind == "ramp") | .queued, .dropped] | add')" 0
tc -n "$src" qdisc del dev out0 root
tc -n "$src" qdisc add dev out0 root handle 1: mq
matches "a rail goes with its last member, parameters and all" \
	"$(tc -n "$src" qdisc add dev out0 parent 1:1 ramp rail 7 2>&1)" \
	'rail: rate'

# A network namespace goes while its rail is in use.
rail_pair 1500
# shellcheck disable=SC2086
members $INGRESS tick 20ms start 1p step 1p
rail_send_each "5 x400" "1 x400" "3 x400"
cleanup_all_ns
wait_until 20 modprobe -r sch_ramp
is "a network namespace goes with its rail: nothing is left" \
	"$(grep -c '^sch_ramp ' /proc/modules)" 0
ktap_end
