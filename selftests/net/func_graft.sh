#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Children that come and go, bands that are added and removed, the link going down,
# the device and the namespace vanishing: with packets waiting, and under load from
# all CPUs. What must not be lost arrives, in order; what is lost is counted; and
# nothing holds the module afterwards.

# Functions are called by their names, and some lists are words.
# shellcheck disable=SC2317,SC2086

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

SHUT='rate 8kbit detect always tick 1s start 8bit step 8bit'
# What a shut gate lets pass while a test waits.
FEW=3
# Every burst is a surge, and what it brings waits for some tens of ticks.
RAMPS='rate 100mbit detect ingress ingress 10pps:500pps window 50ms tick 5ms
	start 2p step 1p pause 100ms limit 100000'

qdisc()
{
	# shellcheck disable=SC2154 # setup_ns sets it
	tc -n "$src" qdisc "$1" dev out0 "${@:2}"
}

# fill COUNT BAND... - that many for each band, in turn; streams from STREAM on
fill()
{
	local count=$1
	shift

	send "x$((count * $#))" -s 1000 -n "${STREAM:-0}" \
		-p "$(printf '0x2%04x\n' "$@" | paste -sd,)" >/dev/null
}

# refused NAME COMMAND [ARG...] - passes if it fails; prints nothing.
refused()
{
	local name=$1
	shift

	if "$@" >/dev/null 2>"$NET_WORK/why"; then
		fail "$name" "it was accepted"
	else
		pass "$name"
	fi
}

# busy BANDS - tc's message has to be the kernel's
busy()
{
	qdisc change root ramp bands "$1" 2>&1 | grep -o 'holds a child'
}

# ---- with packets waiting

removed_bands()
{
	# shellcheck disable=SC2086 # parameters are words
	ramp bands 6 limit 10000 $SHUT
	capture_start
	fill 50 6 5 4 3 2 1
	qdisc change root ramp bands 2 2>/dev/null
	within "bands removed: their packets wait in the last one" \
		"$(class_counters queued | cut -d' ' -f2)" $((250 - FEW)) 250
	is "bands removed: no packet is lost" \
		"$(counters enqueued drops dropped)" "300 0 0"
	is "bands removed: two classes count all that was accepted" \
		"$(class_counters enqueued | tr ' ' +)=300" \
		"$(class_counters queued | tr ' ' +)=300"
	qdisc change root ramp bands 16
	STREAM=9 fill 1 16
	qdisc change root ramp detect off "${OPEN[@]}"
	drained
	capture_stop
	is "bands removed: all packets arrive" "$(capture count)" 301
	# The first one passed before the gate was shut.
	matches "bands removed: packets arrive in the order of their bands, and within a band" \
		"$(runs_of_streams)" '^0 5 4 3 2 1 0 9 $'
}

# runs_of_streams - streams in the order of arrival; "wrong" if one is reordered
runs_of_streams()
{
	python3 - "$NET_LIB" "$NET_WORK/pcap" <<-'END'
	import itertools
	import sys
	sys.path.insert(0, sys.argv[1])
	import capture
	for stream, run in itertools.groupby(capture.frames(sys.argv[2]),
	                                     lambda frame: frame.stream):
	    run = [frame.seq for frame in run]
	    print(stream if run == sorted(run) else 'wrong', end=' ')
	END
}

busy_bands()
{
	# shellcheck disable=SC2086 # parameters are words
	ramp bands 4 limit 10000 $SHUT
	qdisc add parent 2:4 handle 14: pfifo limit 100
	is "a band with a child is not removed" "$(busy 3)" "holds a child"
	is "a band with a child is still there after a change that was refused" \
		"$(stats '.classes | length')" 4
	qdisc change root ramp bands 16
	is "a band with a child between others is not removed" \
		"$(busy 1)" "holds a child"
	qdisc del parent 2:4
	qdisc change root ramp bands 4
	qdisc add parent 2:2 handle 12: pfifo limit 100
	qdisc change root ramp bands 3
	qdisc change root ramp bands 2
	is "without packets, bands above one with a child go" \
		"$(stats '.classes | length')" 2
	qdisc change root ramp bands 4
	fill 20 4
	is "packets do not go to a band with a child" "$(busy 2)" \
		"holds a child"
	is "packets that were not to go to a band with a child are all still there" \
		"$(counters enqueued drops dropped)" \
		"20 0 0"
	qdisc change root ramp bands 3
	is "packets of removed bands go to a band without a child" \
		"$(class_counters queued | cut -d' ' -f3)" \
		"$(counter queued)"
	refused "a band that is not there takes no child" \
		qdisc add parent 2:4 handle 14: pfifo
	refused "no child that cannot hold packets" \
		qdisc add parent 2:1 handle 15: noqueue
}

# What a graft throws away is in drops, and was accepted, so it is in dropped.
grafts()
{
	# shellcheck disable=SC2086 # parameters are words
	ramp bands 4 limit 10000 $SHUT
	fill 50 1 2 3 4
	qdisc add parent 2:3 handle 13: pfifo limit 100
	is "a graft discards what the FIFO has" \
		"$(counters drops dropped qlen queued)" "50 50 149 149"
	fill 30 3
	qdisc replace parent 2:3 handle 23: netem delay 1ms limit 100
	is "a graft discards what the child before has" \
		"$(counters drops dropped qlen queued)" "80 80 149 149"
	fill 30 3
	qdisc del parent 2:3
	is "the deletion of a child discards what it has" \
		"$(counters drops dropped qlen queued)" \
		"110 110 149 149"
	fill 10 3
	is "a band whose child was deleted has a FIFO again" \
		"$(class_counters queued | cut -d' ' -f3)" 10
	is "grafts: classes hold what the qdisc holds" "$(counters qlen backlog)" \
		"$(stats '[.classes[].qlen, .classes[].backlog] |
		"\(.[:4] | add) \(.[4:] | add)"')"

	qdisc add parent 2:4 handle 14: pfifo limit 100
	fill 20 4
	qdisc replace root handle 2: ramp band-limit 0 70
	is "replace of the same kind keeps packets, children and parameters" \
		"$(counters queued options.bands) $(stats '.qdiscs."14:".qlen')" \
		"129 4 20"
	is "replace of the same kind: the class of a child still counts its packets" \
		"$(class_counters queued | cut -d' ' -f4)" 20
	qdisc change root ramp detect off "${OPEN[@]}"
	drained
	is "grafts: enqueued = dequeued + dropped" "$(counter \
		'enqueued - .dequeued - .dropped')" 0
}

both_hold()
{
	stats '.qdiscs | "\(."3:".qlen) \(."2:".queued)"'
}

# What a parent was shown is gone before it takes it.
promises()
{
	local i kept

	for i in child fifo bands reset; do
		ramp_below 8kbit 1600 bands 4 rate 1gbit limit 1000 detect off
		[ $i != child ] ||
			qdisc add parent 2:3 handle 13: pfifo limit 100
		fill 20 3
		fill 5 4
		case $i in
		child) qdisc del parent 2:3 ;;
		fifo) qdisc add parent 2:3 handle 13: pfifo limit 100 ;;
		bands) qdisc change parent 3:1 handle 2: ramp bands 2 ;;
		reset)
			ip -n "$src" link set out0 down
			ip -n "$src" link set out0 up
			;;
		esac
		kept=$(both_hold)
		# A packet may leave between the two of a dump.
		[ "${kept% *}" = "${kept#* }" ] || kept=$(both_hold)
		qdisc change root handle 3: tbf rate 100mbit burst 1600 \
			limit 100000000
		fill 1 1 2
		drained
		is "a promise that is gone ($i): parent and ramp hold the same" \
			"$kept" "${kept#* } ${kept#* }"
		is "a promise that is gone ($i): other packets leave" \
			"$(counter queued) $(counter \
			'enqueued - .dequeued - .dropped')" "0 0"
	done
}

# still - until nothing has arrived for a second
still()
{
	local had=-1

	while [ "$had" != "$(capture_arrived)" ]; do
		had=$(capture_arrived)
		sleep $SLOWER
	done
}

# A device that gets another txqueuelen is away for a moment. Where it keeps its packets
# meanwhile (7.2), they leave afterwards, though nobody sends or looks any more.
away()
{
	local n stuck=0

	plain rate 20mbit limit 1000
	for n in {1..6}; do
		send x100 -s 1000 >/dev/null
		ip -n "$src" link set out0 txqueuelen $((1000 + n))
		still
		[ "$(counter queued)" = 0 ] || stuck=$((stuck + 1))
	done
	is "another txqueuelen while packets wait: none is left behind" $stuck 0
	is "another txqueuelen: enqueued = dequeued + dropped" "$(counter \
		'enqueued - .dequeued - .dropped')" 0
}

# heard WORD... - for wait_until: tc monitor has told of such a qdisc.
# shellcheck disable=SC2317 # called by wait_until
heard()
{
	grep -aq "^qdisc $*" "$NET_WORK/monitor"
}

# told NAME PARAMETER... - one ramp takes the place of another: a listener hears of it
told()
{
	local name=$1 handle
	shift

	for handle in 8 9; do
		qdisc replace root handle $handle: ramp "$@"
	done
	wait_until 10 heard "ramp 9: dev out0 root"
	is "$name takes the place of another: a listener hears of both" \
		"$(grep -aoE '^(deleted )?qdisc ramp [89]: dev out0' \
			"$NET_WORK/monitor" | paste -sd,)" \
		"qdisc ramp 8: dev out0,deleted qdisc ramp 8: dev out0,qdisc ramp 9: dev out0"
}

replacements()
{
	local pid kind

	for kind in "a ramp" "a ramp with gears"; do
		qdisc replace root handle 7: pfifo
		tc -n "$src" monitor >"$NET_WORK/monitor" &
		pid=$!
		until heard "bfifo 6:"; do
			qdisc replace root handle 6: bfifo
			sleep 0.1
			qdisc replace root handle 7: pfifo
		done
		: >"$NET_WORK/monitor"
		if [ "$kind" = "a ramp" ]; then
			told "$kind"
		else
			told "$kind" detect off gears 1gbit,2gbit,5gbit,10gbit \
				power 1,2,3,4
		fi
		kill $pid
		wait $pid 2>/dev/null
	done
}

# ---- under load

# senders ROUND - one on each CPU, in the background; of 8 streams each.
senders()
{
	local cpu cpus priorities

	cpus=$(nproc)
	SENDERS=()
	for cpu in 0 1; do
		priorities=$(seq -s, $((cpu * 8)) $((cpu * 8 + 7)))
		taskset -c $((cpu % cpus)) ip netns exec "$src" ramp-send -l \
			-i out0 -s 200 -p "$priorities" \
			-n $(($1 * 16 + cpu * 8)) \
			x400,4000pps:100ms,x400,0:60ms,x800,0:60ms,x800,4000pps:100ms \
				>>"$NET_WORK/sent.$cpu" &
		SENDERS+=($!)
	done
}

# batch COMMAND - makes the kernel do what COMMAND prints for tc, again and again,
# until nobody sends any more.
batch()
{
	while kill -0 "${SENDERS[@]}" 2>/dev/null; do
		"$@" >"$NET_WORK/batch"
		tc -n "$src" -force -batch "$NET_WORK/batch" 2>&1
		# Virtual time stands still while others work.
		sleep 0.003
	done | sort | uniq -c >"$NET_WORK/tc"
	wait "${SENDERS[@]}"
}

# bands N - with a map by which each of 16 streams follows its band
bands()
{
	local i map=()

	for i in {0..15}; do
		map+=($((i < $1 ? i : $1 - 1)))
	done
	echo "bands $1 priomap ${map[*]}"
}

# shellcheck disable=SC2317 # called by load_bands
some_bands()
{
	local number

	for number in 16 3 9 1 12 2; do
		echo "qdisc change dev out0 root ramp $(bands $number)"
	done
	echo "qdisc replace dev out0 root handle 2: ramp"
}

# shellcheck disable=SC2317 # called by watch
load_bands()
{
	senders "$1"
	batch some_bands
}

# shellcheck disable=SC2317 # called by load_children
some_children()
{
	local slow='tbf rate 5mbit burst 2000 limit 100000' band

	# The last one has packets when the next batch comes, however slow all is.
	for band in 1 5 a; do
		cat <<-END
		qdisc replace dev out0 parent 2:$band handle 1$band: pfifo limit 1000
		qdisc replace dev out0 parent 2:$band handle 2$band: $slow
		qdisc del dev out0 parent 2:$band
		qdisc replace dev out0 parent 2:$band handle 3$band: netem delay 500ms limit 1000
		END
	done
}

# shellcheck disable=SC2317 # called by watch
load_children()
{
	senders "$1"
	batch some_children
}

# shellcheck disable=SC2317 # called by watch
load_link()
{
	senders "$1"
	while kill -0 "${SENDERS[@]}" 2>/dev/null; do
		sleep 0.05
		ip -n "$src" link set out0 down
		# shellcheck disable=SC2046 # parameters are words
		qdisc change root ramp $(bands 12)
		ip -n "$src" link set out0 up
		sleep 0.02
		# shellcheck disable=SC2046 # parameters are words
		qdisc change root ramp $(bands 16)
	done
	wait "${SENDERS[@]}"
}

# under_load NAME LOAD - sets ENQUEUED, DEQUEUED, DROPPED, DROPS, OFFERED, GOT
under_load()
{
	local name=$1 load=$2

	# shellcheck disable=SC2086 # parameters are words
	ramp bands 16 priomap {0..15} $RAMPS
	rm -f "$NET_WORK"/sent.[01]
	capture_start
	watch 20 "$load"
	qdisc change root ramp detect off "${OPEN[@]}"
	drained
	capture_stop
	watched "$name"
	read -r ENQUEUED DEQUEUED DROPPED DROPS < <(
		counters enqueued dequeued dropped drops)
	OFFERED=$(jq -s 'map(.sent + .refused) | add' "$NET_WORK"/sent.[01])
	GOT=$(capture count)
	note "$name: offered $OFFERED, enqueued $ENQUEUED, dequeued" \
		"$DEQUEUED, dropped $DROPPED, drops $DROPS, received $GOT"
	is "$name: enqueued = dequeued + dropped" "$ENQUEUED" \
		$((DEQUEUED + DROPPED))
	is "$name: what left is what arrived" "$GOT" "$DEQUEUED"
	is "$name: nothing stays" "$(stats '[.qdiscs[], .classes[] | .qlen,
		.backlog, .queued // 0] | add')" 0
}

# streams_in_order NAME - of all streams and rounds; none is doubled.
streams_in_order()
{
	[ -n "$ORDERED" ] || {
		skip "$1: each stream arrives once, in order" \
			"a receiver on one CPU"
		return
	}
	is "$1: each stream arrives once, in order" "$(python3 - "$NET_LIB" \
		"$NET_WORK/pcap" <<-'END'
	import sys
	sys.path.insert(0, sys.argv[1])
	import capture
	streams = {}
	for frame in capture.frames(sys.argv[2]):
	    streams.setdefault(frame.stream, []).append(frame)
	for number, frames in sorted(streams.items()):
	    verdict = capture.check(frames)
	    if verdict.doubled or verdict.reordered:
	        print(number, verdict)
	END
	)" ""
}

churn()
{
	# Where one CPU queues for another, it may refuse to (7.2).
	[ ! -w /proc/sys/net/core/qdisc_max_burst ] ||
		sysctl -wq net.core.qdisc_max_burst=1000000

	under_load "bands" load_bands
	is "bands: none is lost" "$ENQUEUED $DROPPED $DROPS" "$OFFERED 0 0"
	is "bands: no change was refused" "$(cat "$NET_WORK/tc")" ""
	streams_in_order "bands"

	under_load "children" load_children
	within "children: grafts discard some" "$DROPPED" 1 1000000
	is "children: what is lost was refused or discarded" \
		$((OFFERED - ENQUEUED + DROPPED)) "$DROPS"
	is "children: no graft was refused" "$(cat "$NET_WORK/tc")" ""
	streams_in_order "children"

	under_load "link down and up" load_link
	within "link down and up: it discards some packets" "$DROPPED" 1 1000000
	within "link down and up: packets leave when it is up" "$GOT" 1 1000000
	streams_in_order "link"
}

# ---- vanishing

# A kernel of the series for netdev has it built in: nothing can hold that.
built_in()
{
	grep -qs '/sch_ramp\.ko$' "/lib/modules/$(uname -r)/modules.builtin"
}

# shellcheck disable=SC2317 # called by wait_until
unused()
{
	[ "$(cat /sys/module/sch_ramp/refcnt)" = 0 ]
}

# gone NAME - nothing holds the module. A namespace goes in the background.
gone()
{
	if built_in; then
		skip "$1: nothing holds the module" "a kernel that has it as a module"
	elif wait_until 20 unused; then
		pass "$1: nothing holds the module"
	else
		fail "$1: nothing holds the module" \
			"$(cat /sys/module/sch_ramp/refcnt) references"
	fi
}

# A tree with a ramp at each level, all of it loaded.
tree()
{
	pair 1500
	# shellcheck disable=SC2086 # parameters are words
	{
		ramp_below 20mbit 2000 bands 16 priomap {0..15} $RAMPS
		qdisc add parent 2:1 handle 11: fq_codel limit 50
		qdisc add parent 2:2 handle 12: netem delay 5ms
		qdisc add parent 2:3 handle 13: ramp bands 2 $RAMPS
		qdisc add parent 13:2 handle 23: tbf rate 1mbit burst 2000 \
			limit 20000
	}
	rm -f "$NET_WORK"/sent.[01]
	senders 0 2>/dev/null
	wait_until 20 much_waits || note "nothing waits"
}

# shellcheck disable=SC2317 # called by wait_until
much_waits()
{
	[ "$(stats '.qdiscs."2:".queued')" -ge 100 ]
}

vanish()
{
	tree
	qdisc del root
	wait "${SENDERS[@]}"
	gone "qdisc deleted under load"

	tree
	ip -n "$src" link del out0
	wait "${SENDERS[@]}"
	gone "device deleted under load"

	tree
	cleanup_all_ns
	wait "${SENDERS[@]}"
	gone "namespace deleted under load"
	! built_in || return 0
	rmmod sch_ramp
	is "the module can be unloaded after all of them" $? 0
}

net_init ramp-send tcpdump taskset
pair 1500
ORDERED=1
one_receiver || ORDERED=""
removed_bands
busy_bands
grafts
promises
away
replacements
churn
vanish 2>/dev/null
ktap_end
