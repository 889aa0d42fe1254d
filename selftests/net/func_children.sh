#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Children of all sorts, one per band, while ramps hold packets back: children that
# refuse, that drop what they have, hold back themselves, reorder and duplicate.
#	enqueued + split_extra = dequeued + dropped + queued
# at random moments, of the qdisc and of each class; in the end they must agree with
# what was sent and what arrived.

# Functions are called by their names, and some lists are words.
# shellcheck disable=SC2317,SC2086

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
SIZE=200
# A burst waits for longer than it takes to send it, so that limits are met. A sender that
# is kept from it for a slot makes it two.
RAMPS="rate 100mbit detect ingress ingress 10pps:$((1000 / SLOWER))pps
	window $((100 * SLOWER))ms tick $((5 * SLOWER))ms start 4p step 4p pause $((200 * SLOWER))ms"
SHUT='detect always tick 1s start 8bit step 8bit'

# child MINOR KIND HANDLE PARAMETER... - KIND is how func_children.py calls it.
child()
{
	local minor=$1 kind=$2 handle=$3
	shift 3

	KINDS[minor - 1]=$kind
	[ "$kind" != fifo ] || return 0
	# shellcheck disable=SC2154 # setup_ns sets it
	tc -n "$src" qdisc add dev out0 \
		parent "2:$(printf %x "$minor")" handle "$handle" "$@" ||
		fail "add $kind"
}

# priorities - of all bands
priorities()
{
	printf '0x2%04x\n' $(seq ${#KINDS[@]}) | paste -sd,
}

# load ROUND - a burst, some of a rate, and silence; to all bands in turn.
load()
{
	local bands=${#KINDS[@]}

	send x$((40 * bands)),$((100 * bands))pps:200ms,0:500ms -s $SIZE \
		-p "$(priorities)" -n $(($1 * bands)) >>"$NET_WORK/sent" &
	sleep 0.4
	unplug
	wait $!
}

# shellcheck disable=SC2317 # called by wait_until
levels_agree()
{
	stats . >"$NET_WORK/held"
	python3 "$HERE/func_children.py" held "$NET_WORK/held" \
		>"$NET_WORK/why"
	[ ! -s "$NET_WORK/why" ]
}

# round NAME - puts load on what child() has made, and judges. Packets that leave
# between two messages of a reading are no contradiction: one of some readings
# must agree.
round()
{
	local name=$1

	capture_start
	: >"$NET_WORK/sent"
	watch 20 load
	watched "$name"
	within "$name: ramps" "$(stats '.qdiscs."2:".ramps')" 1 1000

	drained
	# shellcheck disable=SC2086 # parameters are words
	tc -n "$src" qdisc change dev out0 root ramp $SHUT 2>/dev/null
	capture_stop
	stats . >"$NET_WORK/stats"
	python3 "$HERE/func_children.py" judge $UNORDERED "$NET_LIB" $SIZE \
		"$NET_WORK/stats" "$NET_WORK/pcap" "$NET_WORK/sent" \
		"${KINDS[@]}" >"$NET_WORK/judged" ||
		echo "the judge failed" >>"$NET_WORK/judged"
	grep '^#' "$NET_WORK/judged"
	is "$name: sent, counted and received" \
		"$(grep -v '^#' "$NET_WORK/judged")" ""

	send x$((20 * ${#KINDS[@]})) -s $SIZE -p "$(priorities)" >/dev/null
	if wait_until 5 levels_agree; then
		pass "$name: qdisc, classes and children hold the same"
	else
		fail "$name: qdisc, classes and children hold the same" \
			"$(cat "$NET_WORK/why")"
	fi
	tc -n "$src" qdisc change dev out0 root ramp detect off "${OPEN[@]}"
	drained
	is "$name: nothing stays" "$(stats '[.qdiscs[], .classes[] |
		.qlen, .backlog] | add')" 0
}

# A plug that lets go of what it holds, and of all that comes.
unplug()
{
	[[ " ${KINDS[*]} " != *" plug "* ]] ||
		tc -n "$src" qdisc change dev out0 handle "$PLUG" plug \
			release_indefinite
}

begin()
{
	KINDS=()
	# shellcheck disable=SC2086 # parameters are words
	ramp "$@" $RAMPS
}

leaves()
{
	begin bands 16 band-limit 0 20
	child 1 fifo 0:
	child 2 pfifo 12: pfifo limit 20
	child 3 fq_codel 13: fq_codel limit 20
	child 4 delay 14: netem delay 3ms 2ms
	child 5 loss 15: netem loss 20%
	child 6 reorder 16: netem delay 5ms reorder 30%
	child 7 tbf 17: tbf rate 1mbit burst 2000 limit 4000
	child 8 sfq 18: sfq limit 20
	child 9 cake 19: cake bandwidth 10mbit memlimit 10000
	child 10 red 1a: red limit 20000 min 1000 max 3000 avpkt 200 burst 10 \
		bandwidth 2mbit probability 0.5
	child 11 codel 1b: codel limit 100 target 50us interval 100us
	child 12 fq 1c: fq flow_limit 20
	child 13 pfifo_fast 1d: pfifo_fast
	child 14 plug 1e: plug limit 100000
	child 15 fq_codel 1f: fq_codel limit 1000 target 50us interval 100us
	child 16 pfifo 20: bfifo limit 4000
	PLUG=1e:
	round "leaves"
}

# Children that have classes, and netem's copies, which come in at the root.
classful()
{
	begin bands 8
	child 1 prio 31: prio
	tc -n "$src" qdisc add dev out0 parent 31:1 handle 41: tbf \
		rate 1mbit burst 2000 limit 100000
	child 2 htb 32: htb default 1
	tc -n "$src" class add dev out0 parent 32: classid 32:1 htb rate 2mbit
	child 3 drr 33: drr
	tc -n "$src" class add dev out0 parent 33: classid 33:1 drr
	tc -n "$src" filter add dev out0 parent 33: protocol all matchall \
		classid 33:1
	child 4 hfsc 34: hfsc default 1
	tc -n "$src" class add dev out0 parent 34: classid 34:1 hfsc \
		sc rate 5mbit
	child 5 ets 35: ets bands 3 strict 1
	child 6 ramp 36: ramp bands 2 limit 20 rate 100mbit detect ingress \
		ingress 10pps:50pps window 100ms tick 5ms start 1p step 1p \
		pause 50ms 2>/dev/null
	child 7 duplicate 37: netem duplicate 30%
	child 8 fq_codel 38: fq_codel limit 20
	round "classful"
}

# Packets in children have limits of their own, but are packets that wait.
counted()
{
	# shellcheck disable=SC2086 # parameters are words
	ramp bands 3 limit 60 rate 8kbit exempt 2 $SHUT 2>/dev/null
	tc -n "$src" qdisc add dev out0 parent 2:2 handle 12: pfifo limit 500
	send x200 -s 1000 -p 0x20002 >/dev/null
	within "packets in a child are not bound by limit" \
		"$(counter queued)" 197 200
	send x100 -s 1000 -p 0x20001 >/dev/null
	within "packets in a child take nothing of limit" "$(counter drops)" 37 40

	# Below a slow parent exempt packets wait, too.
	ramp_below 20kbit 2000 bands 3 limit 60 exempt 2 detect off
	send x100 -s 1000 -p 0x20003 >/dev/null
	within "exempt packets are bound by limit" "$(counter drops)" 35 40
	tc -n "$src" qdisc add dev out0 parent 2:3 handle 13: pfifo limit 500
	send x100 -s 1000 -p 0x20003 >/dev/null
	send x60 -s 1000 -p 0x20001 >/dev/null
	within "exempt packets in a child are not bound by limit" \
		"$(class_counters queued | cut -d' ' -f1)" 57 60

	ramp_below 20kbit 2000 bands 3 rate 1gbit limit 1000 window 10s \
		detect queue queue 20:50
	tc -n "$src" qdisc add dev out0 parent 2:2 handle 12: pfifo limit 500
	send x100 -s 1000 -p 0x20002 >/dev/null
	is "packets in a child make a surge of the queue" \
		"$(counters surges_up surges_self)" "1 0"
	tc -n "$src" qdisc del dev out0 parent 2:2
	is "packets lost by a child are a fall of the queue" \
		"$(counters surges_up surges_self queued)" "1 1 0"
}

net_init ramp-send tcpdump
pair 1500
UNORDERED=""
one_receiver || UNORDERED=--unordered
leaves
classful
counted
ktap_end
