#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A ramp as root, and below mq, prio, htb, tbf, hfsc and drr, of which some look at
# a packet before they take it. Each has four bands: a FIFO, and children that lose,
# delay and hold back. What all the ramps count at random moments, and in the end
# what was sent and what arrived, must agree; and a parent holds what its child holds.

# Functions are called by their names, and some lists are words.
# shellcheck disable=SC2317,SC2086

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

SIZE=200
# Four ramps share what comes, so LOW and HIGH are far below it.
RAMPS="bands 4 priomap 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 band-limit 0 30 rate 100mbit
	detect ingress ingress 10pps:$((500 / SLOWER))pps window 100ms tick 5ms
	start 2p step 2p pause 100ms"
SHUT='detect always tick 1s start 8bit step 8bit'

tc_add()
{
	# shellcheck disable=SC2154 # setup_ns sets it
	tc -n "$src" "$1" add dev out0 "${@:2}" || fail "add $*"
}

# below PARENT HANDLE - a ramp with its children.
below()
{
	local parent=$1 handle=$2 number=$3

	# shellcheck disable=SC2086 # parameters are words
	if [ "$parent" = root ]; then
		tc_add qdisc root handle "$handle" ramp $RAMPS
	else
		tc_add qdisc parent "$parent" handle "$handle" ramp $RAMPS
	fi
	HANDLES+=("$handle")
	tc_add qdisc parent "${handle}2" handle "${number}2:" \
		fq_codel limit 20 target 1ms interval 2ms
	tc_add qdisc parent "${handle}3" handle "${number}3:" \
		netem delay 2ms 1ms loss 10%
	tc_add qdisc parent "${handle}4" handle "${number}4:" \
		tbf rate 2mbit burst 2000 limit 5000
}

parent_root()
{
	below root 2: 5
}

# Four queues with a ramp each; streams 0..3 go to the first one, and so on.
parent_mq()
{
	local i

	tc_add qdisc root handle 1: mq
	for i in 1 2 3 4; do
		below "1:$i" "2$i:" "5$i"
	done
	tc_add qdisc clsact
	for ((i = 0; i < STREAMS; i++)); do
		tc_add filter egress prio $((i + 1)) protocol 0x88b6 u32 \
			match u32 $i 0xffffffff at 4 \
			action skbedit queue_mapping $((i / 4))
	done
}

parent_prio()
{
	# Streams 0..3 to the first band, 4..7 to the second.
	tc_add qdisc root handle 1: prio
	tc_add filter parent 1: prio 1 protocol 0x88b6 \
		u32 match u32 0 0xfffffffc at 4 classid 1:1
	tc_add filter parent 1: prio 2 protocol all matchall classid 1:2
	below 1:1 21: 51
	below 1:2 22: 52
}

parent_htb()
{
	tc_add qdisc root handle 1: htb default 2
	tc_add class parent 1: classid 1:9 htb rate 20mbit
	tc_add class parent 1:9 classid 1:1 htb rate 4mbit ceil 20mbit
	tc_add class parent 1:9 classid 1:2 htb rate 2mbit ceil 20mbit
	tc_add filter parent 1: protocol 0x88b6 \
		u32 match u32 0 0xfffffffc at 4 classid 1:1
	below 1:1 21: 51
	below 1:2 22: 52
}

parent_tbf()
{
	tc_add qdisc root handle 1: tbf rate 5mbit burst 2000 limit 1000000
	below 1:1 2: 5
}

parent_hfsc()
{
	tc_add qdisc root handle 1: hfsc default 1
	tc_add class parent 1: classid 1:1 hfsc sc rate 10mbit ul rate 10mbit
	below 1:1 2: 5
}

parent_drr()
{
	tc_add qdisc root handle 1: drr
	tc_add class parent 1: classid 1:1 drr
	tc_add class parent 1: classid 1:2 drr
	tc_add filter parent 1: prio 1 protocol 0x88b6 \
		u32 match u32 0 0xfffffffc at 4 classid 1:1
	tc_add filter parent 1: prio 2 protocol all matchall classid 1:2
	below 1:1 21: 51
	below 1:2 22: 52
}

# change PARAMETER... - of all the ramps.
change()
{
	local handle parent

	for handle in "${HANDLES[@]}"; do
		parent=$(stats ".qdiscs.\"$handle\".parent")
		[ "$parent" = root ] || parent="parent $parent"
		# shellcheck disable=SC2086 # a keyword and a class
		tc -n "$src" qdisc change dev out0 $parent handle "$handle" \
			ramp "$@" 2>/dev/null || fail "change $handle"
	done
}

# burst PROFILE - one stream for each band of the first ramp, of the second, ...
burst()
{
	local priorities

	priorities=$(for ((i = 0; i < STREAMS; i++)); do echo $((i % 4)); done |
		paste -sd,)
	send "$1" -s $SIZE -p "$priorities"
}

# shellcheck disable=SC2317 # called by watch
load()
{
	# A slow machine sends slowly: so many to each band that fq_codel has no room.
	burst x$((40 * STREAMS)),1600pps:200ms,0:400ms,x$((80 * STREAMS)),0:400ms \
		>>"$NET_WORK/sent"
}

# What parents hold that have no packets of their own: as much as their children.
# shellcheck disable=SC2016 # jq's variables
LEVELS='.qdiscs as $q |
	def below($h): [$q[] | select(.parent | startswith($h))];
	[$q | to_entries[] | .key as $h | .value |
	 select(below($h) != []) | select(.kind != "ramp") |
	 select(.qlen != ([below($h)[].qlen] | add) or
		.backlog != ([below($h)[].backlog] | add)) |
	 "\($h) \(.kind) has \(.qlen) packets, \(.backlog) bytes, below it are \(
		[below($h)[].qlen] | add), \([below($h)[].backlog] | add)"],
	[$q | to_entries[] | .value | select(.kind == "ramp" and
	 .qlen != .queued) | "qlen \(.qlen), but queued \(.queued)"] | .[]'

# shellcheck disable=SC2317 # called by wait_until
levels_agree()
{
	stats "$LEVELS" >"$NET_WORK/why"
	[ ! -s "$NET_WORK/why" ]
}

# shellcheck disable=SC2317 # called by wait_until
much_waits()
{
	[ "$(stats '[.qdiscs[] | select(.kind == "ramp") | .queued] | add')" -ge 50 ]
}

# totals - "ENQUEUED DEQUEUED DROPPED SPLIT DROPS RAMPS", of all ramps.
totals()
{
	stats '[.qdiscs[] | select(.kind == "ramp")] |
		[map(.enqueued), map(.dequeued), map(.dropped),
		 map(.split_extra), map(.drops), map(.ramps)] |
		map(add) | join(" ")'
}

below_parent()
{
	local name=$1 sent refused enqueued dequeued dropped split drops ramps
	HANDLES=()

	tc -n "$src" qdisc del dev out0 root 2>/dev/null
	tc -n "$src" qdisc del dev out0 clsact 2>/dev/null
	STREAMS=8
	[ "$name" != mq ] || STREAMS=16
	"parent_$name"

	capture_start
	: >"$NET_WORK/sent"
	watch 10 load
	watched "$name"
	change detect off "${OPEN[@]}"
	drained
	capture_stop

	read -r sent refused < <(jq -rs 'map(.sent), map(.refused) | add' \
		"$NET_WORK/sent" | paste -sd' ')
	read -r enqueued dequeued dropped split drops ramps < <(totals)
	note "$name: sent $sent, refused $refused, enqueued $enqueued," \
		"dequeued $dequeued, dropped $dropped, drops $drops, ramps $ramps"
	within "$name: every ramp ramps" "$(stats \
		'[.qdiscs[] | select(.kind == "ramp") | .ramps] | min')" 1 1000
	is "$name: what left is what arrived" "$(capture count)" "$dequeued"
	is "$name: enqueued + split_extra = dequeued + dropped" \
		$((enqueued + split)) $((dequeued + dropped))
	within "$name: children lose, too" "$dropped" 1 100000
	within "$name: netem's loss and what was refused are no packets of ours" \
		$((sent + refused - enqueued)) $((refused + 1)) "$drops"
	is "$name: nothing stays" \
		"$(stats '[.qdiscs[] | .qlen, .backlog] | add')" 0

	# shellcheck disable=SC2086 # parameters are words
	change $SHUT
	burst x640 >/dev/null
	if much_waits && wait_until 5 levels_agree; then
		pass "$name: the parent holds what its children hold"
	else
		fail "$name: the parent holds what its children hold" \
			"$(cat "$NET_WORK/why")"
	fi
	tc -n "$src" qdisc del dev out0 root
}

net_init ramp-send tcpdump
pair 1500
for parent in root mq prio htb tbf hfsc drr; do
	if [ $parent = mq ]; then
		# The pair that pair() makes has one queue.
		ip -n "$src" link del out0
		# shellcheck disable=SC2154 # setup_ns sets it
		ip link add name out0 netns "$src" numtxqueues 4 numrxqueues 4 \
			type veth peer name in0 netns "$dst" numtxqueues 4 \
			numrxqueues 4
		ip -n "$src" link set out0 mtu 1500 up
		ip -n "$dst" link set in0 mtu 1500 up
	fi
	below_parent $parent
done
ktap_end
