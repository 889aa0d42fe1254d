#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ramp_mq: a ramp for each transmit queue. One configuration for all, parts that keep to
# it, queues that come and go under load, and counters that are what was sent.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/mq.sh
. "$NET_LIB/mq.sh"

# A machine that is away for a while drops nothing on that account.
PATIENT=(target 10s interval 100s)
SHUT='rate 8kbit tick 1s start 8bit step 8bit limit 100000'

qdisc()
{
	# shellcheck disable=SC2154 # setup_ns sets it
	tc -n "$src" qdisc "$1" dev out0 "${@:2}"
}

# says WORD... - what tc says of the qdisc command, without its frame.
says()
{
	qdisc "$@" 2>&1 | sed -n 's/^Error: \(.*\)\.$/\1/p'
}

# anew PARAMETER... - another ramp_mq.
anew()
{
	qdisc del root
	qdisc add root handle 1: ramp_mq "$@"
}

handles()
{
	mq_parts '.[].handle'
}

# all_counted NAME BEFORE - what was sent is what all counters say, and has arrived.
all_counted()
{
	is "$1: the ramp_mq counts what was sent" \
		"$(mq_root '"\(.packets) \(.enqueued) \(.dequeued) \(.drops) \(.dropped)"')" \
		"$MQ_SENT $MQ_SENT $MQ_SENT 0 0"
	is "$1: what the ramps of the queues count is the same" \
		"$(mq_parts '[(map(.packets) | add), (map(.enqueued) | add),
			(map(.dequeued) | add)] | map(tostring) | join(" ")')" \
		"$MQ_SENT $MQ_SENT $MQ_SENT"
	is "$1: the bytes of the ramp_mq are those of all its queues" \
		"$(mq_root .bytes)" "$(mq_parts 'map(.bytes) | add')"
	is "$1: classes count it by queue" \
		"$(tc -n "$src" -s class show dev out0 | awk '
			/^class/ { mq = $2 == "ramp_mq" }
			mq && $1 == "Sent" { sum += $4; n += $4 > 0; mq = 0 }
			END { print sum, n }')" \
		"$MQ_SENT $(mq_parts 'map(select(.packets > 0)) | length')"
	is "$1: all that was sent has arrived" \
		$(($(capture_arrived) - $2)) "$MQ_SENT"
}

configuration()
{
	qdisc add root handle 1: ramp_mq || fail "ramp_mq at the root"
	is "plain: each queue has a ramp, in the order of the queues" \
		"$(mq_parts 'map(.parent) | join(" ")')" "1:1 1:2 1:3 1:4"
	is "plain: the classes are the queues, and have the ramps as leaves" \
		"$(tc -n "$src" class show dev out0 | awk '$2 == "ramp_mq" {
			print $3, $6 }' | paste -sd' ')" \
		"$(mq_parts 'map("\(.parent) \(.handle)") | join(" ")')"
	is "plain: all climb to the rate of the device" "$(mq_shown rate)" \
		1250000000
	is "plain: no rail is shown" "$(mq_shown rail)" null
	qdisc change root handle 1: ramp_mq step 7% bands 2 limit 777
	is "change: all queues have it" \
		"$(mq_shown step.value) $(mq_shown bands) $(mq_shown limit)" \
		"7 2 777"
	is "change: what was not named stays" "$(mq_shown start.value)" 5
	qdisc replace root ramp_mq step 9%
	is "replace of the same kind: all queues have it, and what was not named stays" \
		"$(mq_shown step.value) $(mq_shown bands)" "9 2"
}

# Each of its queues is full.
full()
{
	local key

	anew rate 8kbit tick 1s start 8bit step 8bit limit 20 2>/dev/null
	mq_send_each "1 x50" "3 x70"
	for key in drops overlimits backlog qlen queued delayed dropped; do
		is "full: $key is that of all queues" "$(mq_root ".$key")" \
			"$(mq_parts "map(.$key) | add")"
	done
	is "full: a class shows the packets that wait in its queue" \
		"$(tc -n "$src" -s class show dev out0 | awk '
			/^class/ { mq = $2 == "ramp_mq" }
			mq && $1 == "backlog" { print $3 }' | paste -sd' ')" \
		"$(mq_parts 'map("\(.qlen)p") | join(" ")')"
	within "full: what no queue has room for is dropped, of 120" \
		"$(mq_root .drops)" 70 82
}

# The queues take handles that are free, from 8001: on, and that of the ramp_mq is not.
numbers()
{
	qdisc del root
	qdisc add root handle 8002: ramp_mq rate 1gbit
	is "no queue has the handle of the ramp_mq" \
		"$(mq_parts 'map(.handle) | map(select(. == "8002:")) | length')" 0
	is "each queue has a handle of its own" \
		"$(mq_parts 'map(.handle) | unique | length')" 4
}

refusals()
{
	local third texts="can't reconfigure ramp_mq sub-qdiscs"

	third=$(mq_parts '.[2].handle')
	is "a part is not changed by its handle" \
		"$(says change handle "$third" parent 1:3 ramp step 3%)" "$texts"
	is "a part is not changed by its parent" \
		"$(says change parent 1:3 ramp step 3%)" "$texts"
	is "a part is not replaced by another kind" \
		"$(says replace parent 1:3 handle 33: pfifo)" "$texts"
	is "a part is not replaced by a ramp" \
		"$(says replace parent 1:3 handle 33: ramp)" "$texts"
	is "a part is not deleted" "$(says del parent 1:3)" "$texts"
	is "all parts are as they were" \
		"$(mq_parts 'map(.handle) | .[2]') $(mq_shown step.value)" "$third 9"
	matches "no rail with a number" "$(says change root ramp_mq rail 7)" \
		'^rail: none'
	is "rail none is no news" "$(says change root ramp_mq rail none)" ""
	qdisc add parent "${third}2" handle 52: fq_codel
	matches "a change that one queue refuses is refused" \
		"$(says change root ramp_mq step 11% bands 1)" 'holds a child'
	is "a change that one queue refuses is in force on none" \
		"$(mq_shown step.value) $(mq_shown bands)" "9 2"
	qdisc del parent "${third}2"
	qdisc add parent "${third}1" handle 51: fq_codel
	matches "a child may be in the way of packets of other bands, of which there are none" \
		"$(says change root ramp_mq step 11% bands 1)" 'holds a child'
	is "a child in the way: no queue is changed" \
		"$(mq_shown step.value) $(mq_shown bands)" "9 2"
	qdisc del parent "${third}1"
	qdisc change root ramp_mq bands 1 limit auto
	is "without the child, it is in force on all" "$(mq_shown bands)" 1
	matches "not below another qdisc" \
		"$(qdisc replace root handle 2: mq
		says add parent 2:1 handle 21: ramp_mq)" \
		'^ramp_mq: only at the root'
}

# With a class of the ramp_mq as priority, whichever queue it takes.
classes()
{
	local n before

	anew bands 3 exempt 0
	for n in $(handles); do
		qdisc add parent "${n}2" fq_codel "${PATIENT[@]}"
	done
	before=$(capture_arrived)
	mq_send_each "1 x10 -p 0x10001,0x10002,0x10003" "3 x30 -p 0x10002" \
		"4 x20 -p 0x10003"
	drained
	is "a priority that names a class is a band of the queue that the packet takes" \
		"$(tc -n "$src" -s class show dev out0 | awk '
			/^class/ { ramp = $2 == "ramp"; band = $3
				sub(/.*:/, "", band) }
			ramp { for (i = 1; i < NF; i++)
				if ($i == "dequeued") sum[band] += $(i + 1) }
			END { print sum[1], sum[2], sum[3] }')" "4 33 23"
	is "a child of a band of each queue has the packets of that queue" \
		"$(tc -n "$src" -j -s qdisc show dev out0 | jq -r '[.[] |
			select(.kind == "fq_codel") | .packets] | sort |
			map(tostring) | join(" ")')" "0 0 3 30"
	all_counted "bands" "$before"
}

traffic()
{
	local n before

	anew
	for n in $(handles); do
		qdisc add parent "${n}1" fq_codel limit 100000 memory_limit 256mb \
			"${PATIENT[@]}"
	done
	before=$(capture_arrived)
	mq_send_each "1 200mbit:10ms" "2 100mbit:10ms" "4 x100" "3 200mbit:10ms"
	drained
	is "fq_codel below each queue: it has sent what the queue has" \
		"$(tc -n "$src" -j -s qdisc show dev out0 | jq '[.[] |
			select(.kind == "fq_codel") | .packets] | add')" "$MQ_SENT"
	all_counted "fq_codel below each queue" "$before"
}

# What waits in queues that go is dropped, as with mq, and is all that is.
channels()
{
	local before pid lost

	if ! ip netns exec "$src" ethtool -L out0 tx 2 2>/dev/null; then
		lacks "queues that come and go" "ethtool -L of veth"
		return
	fi
	ip netns exec "$src" ethtool -L out0 tx 4
	anew rate 1gbit limit 100000
	rm -f "$NET_WORK/enough" "$NET_WORK/wrong"
	channels_change &
	pid=$!
	before=$(capture_arrived)
	mq_send_each "1 400mbit:100ms" "2 400mbit:100ms" "3 400mbit:100ms" \
		"4 400mbit:100ms"
	touch "$NET_WORK/enough"
	wait $pid
	drained
	note "$(cat "$NET_WORK/changed") changes of the number of queues"
	ip netns exec "$src" ethtool -L out0 tx 4
	lost=$(mq_root .dropped)
	note "$lost of $MQ_SENT waited in a queue that went"
	is "queues come and go under load: what did not arrive was dropped, and counted" \
		$(($(capture_arrived) - before + lost)) "$MQ_SENT"
	is "queues come and go under load: the ramp_mq counts all" \
		"$(mq_root '"\(.enqueued) \(.dequeued + .dropped) \(.drops)"')" \
		"$MQ_SENT $MQ_SENT 0"
	is "queues come and go under load: those in use were shown, no others" \
		"$(cat "$NET_WORK/wrong" 2>/dev/null)" ""
	is "queues come and go under load: all are on one rail in the end" \
		"$(mq_parts 'map("\(.ramps) \(.ticks)") | unique | length')" 1

	ip netns exec "$src" ethtool -L out0 tx 1
	qdisc change root ramp_mq step 13%
	ip netns exec "$src" ethtool -L out0 tx 4
	is "a queue that comes into use has what was changed meanwhile" \
		"$(mq_shown step.value) $(mq_parts length)" "13 4"
	before=$(capture_arrived)
	mq_send_each "4 x100" "3 x100"
	drained
	is "a queue that came into use sends" $(($(capture_arrived) - before)) 200
}

# shellcheck disable=SC2317 # called in the background
channels_change()
{
	local n=0 count

	while [ ! -e "$NET_WORK/enough" ]; do
		n=$((n + 1))
		count=$((n * 7 % 4 + 1))
		ip netns exec "$src" ethtool -L out0 tx $count
		[ "$(mq_parts length)" = $count ] ||
			echo "$count: $(mq_parts length)" >>"$NET_WORK/wrong"
		echo $n >"$NET_WORK/changed"
		# Or virtual time would stand still.
		sleep 0.007
	done
}

# The link goes down in between, and what waits then is dropped.
replacements()
{
	local before n

	qdisc del root
	qdisc add root handle 1: mq
	before=$(capture_arrived)
	for n in 1 2 3; do
		qdisc replace root handle 2: ramp_mq
		mq_send_each "1 x100" "2 x100" "3 x100" "4 x100"
		drained
		qdisc replace root handle 1: mq
		mq_send_each "1 x100" "2 x100" "3 x100" "4 x100"
		drained
	done
	is "replaced by mq, and mq by it: all that was sent has arrived" \
		$(($(capture_arrived) - before)) 2400
	is "replaced by mq: no ramp is left" "$(mq_parts length)" 0
	# shellcheck disable=SC2086 # parameters are words
	qdisc replace root handle 2: ramp_mq $SHUT
	mq_send_each "1 x50" "2 x50" "3 x50" "4 x50"
	qdisc replace root handle 3: ramp_mq
	is "replaced by another ramp_mq, with packets waiting: it begins anew" \
		"$(mq_root '"\(.handle) \(.enqueued) \(.qlen)"')" "3: 0 0"
	is "replaced by another ramp_mq: no two ramps have the same handle" \
		"$(mq_parts 'map(.handle) | unique | length')" 4
	qdisc del root
	is "deleted: no ramp is left" "$(mq_parts length)" 0
}

# Each queue is told of it by itself, later.
another_mtu()
{
	local before

	mq_pair 40
	qdisc add root handle 1: ramp_mq
	before=$(mq_shown limit)
	ip -n "$src" link set out0 mtu 700
	wait_until 10 limit_is_new "$before" || note "limits: $(mq_shown limit)"
	matches "another MTU: all of 40 queues have the same limit" \
		"$(mq_shown limit)" '^[0-9]+$'
	is "another MTU: it is another limit" \
		"$(mq_parts "map(select(.options.limit == $before)) | length")" 0
	unused
	mq_pair 4
}

# The level of a rail is shared out among its members. Those that are not in use any more
# have no part of it.
unused()
{
	local level=(detect queue queue 10:60)

	matches "a level that is too little for 40 queues" \
		"$(says change root ramp_mq "${level[@]}")" '^rail: queue: '
	if ! ip netns exec "$src" ethtool -L out0 tx 2 2>/dev/null; then
		lacks "queues that go out of use" "ethtool -L of veth"
		return
	fi
	wait_until 10 accepted "${level[@]}" ||
		note "$(says change root ramp_mq "${level[@]}")"
	is "of 40 queues two are left: it is enough for these" \
		"$(mq_shown queue.low) $(mq_shown detect)" "10 queue"
}

# shellcheck disable=SC2317 # called by wait_until
accepted()
{
	qdisc change root ramp_mq "$@" 2>/dev/null
}

# shellcheck disable=SC2317 # called by wait_until
limit_is_new()
{
	[[ $(mq_shown limit) != *"$1"* ]]
}

# The rail has as many members as one with a number, however many queues there are.
many_queues()
{
	mq_pair 260
	ip netns exec "$src" ethtool -L out0 tx 250
	# shellcheck disable=SC2086 # parameters are words
	qdisc add root handle 1: ramp_mq $SHUT
	ip netns exec "$src" ethtool -L out0 tx 260
	qdisc change root ramp_mq limit 99999 || fail "260 queues are changed"
	mq_send_each "1 x50" "256 x50" "260 x50"
	# Either of the two on the rail may be first.
	is "of 260 queues the 256th is on the rail, and the 260th climbs by itself" \
		"$(mq_parts '"\([.[0, 255].qlen] | add) \(.[259].qlen)"')" "99 49"
	mq_pair 4
}

one_queue()
{
	local before

	mq_pair 1
	qdisc add root handle 1: ramp_mq
	before=$(capture_arrived)
	mq_send_each "1 x100"
	drained
	is "a device with one queue has one ramp" "$(mq_parts length)" 1
	all_counted "a device with one queue" "$before"
}

# With packets waiting, and a ramp that runs.
ends()
{
	mq_pair 4
	# shellcheck disable=SC2086 # parameters are words
	qdisc add root handle 1: ramp_mq $SHUT
	mq_send_each "1 x50" "4 x50"
	ip -n "$src" link del out0
	is "a device goes with packets waiting" \
		"$(ip -n "$src" -j link show | jq 'map(select(.ifname == "out0")) |
			length')" 0
	mq_pair 4
	# shellcheck disable=SC2086 # parameters are words
	qdisc add root handle 1: ramp_mq $SHUT
	mq_send_each "1 x50" "4 x50"
	cleanup_all_ns
	wait_until 20 modprobe -r sch_ramp
	is "a network namespace goes with packets waiting, and then the module" \
		"$(grep -c '^sch_ramp ' /proc/modules)" 0
	mq_pair 2
	qdisc add root ramp_mq
	is "the module comes when it is asked for by that name" \
		"$(mq_parts length)" 2
}

net_init ramp-send ethtool
mq_pair 4
configuration
refusals
full
numbers
classes
traffic
channels
replacements
another_mtu
many_queues
one_queue
ends
ktap_end
