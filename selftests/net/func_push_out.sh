#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Push-out under load: senders on several CPUs overflow a ramp of FIFOs, of which one
# is exempt, while its limit, in packets and in bytes, and its bands change. What it
# counts at random moments, and in the end what was sent and what arrived, must agree;
# and its parents have nothing left.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

RAMP='bands 4 exempt 1 rate 100mbit detect ingress ingress 10pps:500pps window 100ms
	tick 5ms start 2p step 2p pause 50ms limit 100'

tc_change()
{
	tc -n "$src" qdisc change dev out0 parent "$PARENT" handle 2: ramp "$@" \
		2>/dev/null
}

# load ROUND - all bands at once.
# shellcheck disable=SC2317 # called by watch
load()
{
	local band pids=()

	for band in 0 1 2 3; do
		send "x100,0:20ms,500pps-4000pps:300ms,x200,0:100ms,x50" \
			-s $((100 + 400 * band)) -p $((0x20001 + band)) -n "$band" \
			>"$NET_WORK/sent.$band.$1" &
		pids+=($!)
	done
	tc_change limit 50
	sleep 0.2
	tc_change limit 40kb
	sleep 0.2
	tc_change limit 100 exempt 0
	wait "${pids[@]}"
	tc_change exempt 1
}

# below NAME PARENT - the parents are there.
below()
{
	local sent refused arrived before pushed drops
	PARENT=$2

	# shellcheck disable=SC2086 # parameters are words
	tc -n "$src" qdisc add dev out0 parent "$PARENT" handle 2: ramp $RAMP \
		2>/dev/null
	before=$(capture_arrived)
	rm -f "$NET_WORK"/sent.*
	watch 50 load
	watched "$1"
	tc_change detect off "${OPEN[@]}"
	drained
	wait_until 20 all_arrived "$before" || note "some are on their way"
	sent=$(jq -s 'map(.sent) | add' "$NET_WORK"/sent.*)
	refused=$(jq -s 'map(.refused) | add' "$NET_WORK"/sent.*)
	arrived=$(($(capture_arrived) - before))
	read -r pushed drops < <(counters dropped drops)
	note "$1: sent $sent, refused $refused, pushed out $pushed, arrived $arrived"
	within "$1: some gave way" "$pushed" 1 10000000
	is "$1: what was accepted arrived or gave way" $((arrived + pushed)) "$sent"
	is "$1: what was refused and what gave way are in drops" \
		"$drops" $((refused + pushed))
	is "$1: classes say the same" "$(class_counters dropped |
		awk '{ print $1 + $2 + $3 + $4 }')" "$pushed"
	is "$1: some for the last band were refused, too" \
		"$(stats '.classes."2:4" | .drops > .dropped')" true
	is "$1: nothing is left" "$(stats '[.qdiscs[] | .qlen, .backlog] | add')" 0
	tc -n "$src" qdisc del dev out0 root
}

# shellcheck disable=SC2317 # called by wait_until
all_arrived()
{
	[ $(($(capture_arrived) - $1)) -ge "$(counter dequeued)" ]
}

net_init ramp-send
pair 1500

below root root
tc -n "$src" qdisc add dev out0 root handle 1: prio bands 2 \
	priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
below "prio" 1:1
tc -n "$src" qdisc add dev out0 root handle 3: \
	tbf rate 20mbit burst 3028 limit 100000000
tc -n "$src" qdisc add dev out0 parent 3:1 handle 1: drr
tc -n "$src" class add dev out0 parent 1: classid 1:1 drr quantum 1514
tc -n "$src" filter add dev out0 parent 1: prio 1 protocol all \
	matchall classid 1:1
below "tbf, drr" 1:1
ktap_end
