#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Bulk in the lowest band fills all the room there is, before a slow port or a shut
# gate: a band above it, and one that is exempt, lose nothing all the same. What gives
# way is counted where it waited, it is no more than it takes, and a packet that is
# promised to a parent, or in a child, stays.
#
# Fails, as tried, when: a packet without room is always refused; the first busy band
# gives way instead of the last; a packet too many goes.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

HIGH=150 BULK=1gbit:40ms STEADY=5000pps:30ms
# A first packet of 1000 bytes is paid for by tens of ticks of a few bytes.
SHUT='rate 8kbit detect always tick 1s start 8bit step 8bit'

# class BAND - the priority that names it
class()
{
	printf '0x2%04x' $(($1 + 1))
}

# of_class BAND KEY - of what sample.py shows
of_class()
{
	stats ".classes.\"2:$(($1 + 1))\".$2"
}

# both BULK_BAND HIGH_BAND - sends both loads, the bulk 5 ms before.
both()
{
	local pid

	capture_start
	send $BULK -s 1514 -p "$(class "$1")" -n "$1" >"$NET_WORK/bulk" &
	pid=$!
	send "0:5ms,$STEADY" -s 1000 -p "$(class "$2")" -n "$2" >"$NET_WORK/high"
	wait $pid
	drained
	capture_stop
}

# keeps NAME HOW BULK_BAND HIGH_BAND PARAMETER... - HOW makes the qdisc.
keeps()
{
	local name=$1 how=$2 bulk=$3 high=$4 pushed refused arrived sent
	shift 4

	$how "$@" 2>/dev/null
	both "$bulk" "$high"
	is "$name: band $high loses nothing to bulk in band $bulk" \
		"$(capture check $HIGH --stream "$high") $(of_class "$high" drops)" \
		"received $HIGH lost 0 doubled 0 reordered 0 0"
	pushed=$(of_class "$bulk" dropped)
	within "$name: packets of bulk that gave way" "$pushed" 1 $((HIGH * 2))
	refused=$(jq .refused "$NET_WORK/bulk") sent=$(jq .sent "$NET_WORK/bulk")
	arrived=$(capture count --stream "$bulk")
	is "$name: what of bulk arrived, was refused, and gave way is all of it" \
		"$(of_class "$bulk" enqueued) $(of_class "$bulk" drops)" \
		"$((arrived + pushed)) $((refused + pushed))"
	is "$name: bulk left in its order" \
		"$(capture check "$sent" --stream "$bulk" | cut -d' ' -f5-)" \
		"doubled 0 reordered 0"
	is "$name: the qdisc counts the same" \
		"$(counters enqueued dequeued dropped queued drops qlen backlog)" \
		"$((sent + HIGH)) $((arrived + HIGH)) $pushed 0 $((refused + pushed)) 0 0"
	is "$name: no parent has anything left" \
		"$(stats '[.qdiscs[] | .qlen, .backlog] | add')" 0
}

# How: below a slower parent, at a gate that only limits, and in a ramp.
# shellcheck disable=SC2317 # called by keeps
below()
{
	ramp_below 100mbit 3028 rate 1gbit detect off "$@"
}

# shellcheck disable=SC2317 # called by keeps
limited()
{
	plain rate 100mbit "$@"
}

# shellcheck disable=SC2317 # called by keeps
ramping()
{
	ramp rate 1gbit tick 1ms start 2p step 2p pause 20ms hold 20ms "$@"
}

# Below two parents, of which one asks the other what is in it.
# shellcheck disable=SC2317 # called by keeps
deep()
{
	tc -n "$src" qdisc replace dev out0 root handle 1: pfifo
	tc -n "$src" qdisc replace dev out0 root handle 3: \
		tbf rate 100mbit burst 3028 limit 100000000
	tc -n "$src" qdisc replace dev out0 parent 3:1 handle 4: drr
	tc -n "$src" class replace dev out0 parent 4: classid 4:1 drr quantum 1514
	tc -n "$src" filter replace dev out0 parent 4: prio 1 protocol all \
		matchall classid 4:1
	tc -n "$src" qdisc replace dev out0 parent 4:1 handle 2: ramp \
		rate 1gbit detect off "$@"
}

# fill BAND FRAMES SIZE - of a shut gate; prints how many were accepted.
fill()
{
	send "x$2" -s "$3" -p "$(class "$1")" -n "$1" | jq .sent
}

# A shut gate: how many go for how many.
exactly()
{
	local gone

	# shellcheck disable=SC2086 # parameters are words
	plain bands 4 exempt 0 limit 64kb $SHUT 2>/dev/null
	fill 3 2000 60 >/dev/null
	is "64kb: that much in frames of 60 bytes waits" "$(of_class 3 backlog)" 65520
	is "64kb: one of 1514 bytes for band 1 comes in" "$(fill 1 1 1514)" 1
	gone=$(of_class 3 dropped)
	is "64kb: as many go for it as it takes" "$gone" 25
	is "64kb: three of 60 for band 2 come in" "$(fill 2 3 60)" 3
	is "64kb: for these what is left does, and three go" \
		"$(of_class 3 dropped) $(counter backlog)" "28 65534"
	is "64kb: none of another band goes" \
		"$(of_class 0 dropped) $(of_class 1 dropped) $(of_class 2 dropped)" \
		"0 0 0"
	is "64kb: one of 60 for band 3 is refused" \
		"$(fill 3 1 60) $(of_class 3 dropped)" "0 28"

	tc -n "$src" qdisc change dev out0 root ramp limit 32kb 2>/dev/null
	is "32kb: another of 1514 comes in" "$(fill 1 1 1514)" 1
	is "32kb: for this as many go as it has bytes" \
		"$(of_class 3 dropped) $(counter backlog)" "54 65488"
	is "32kb: of 1514 for band 2 as many as a band may have" \
		"$(fill 2 100 1514)" 21
}

# The order: lower before higher, and what is exempt last of all.
in_order()
{
	# shellcheck disable=SC2086 # parameters are words
	plain bands 4 exempt 2 limit 40 $SHUT 2>/dev/null
	fill 3 20 1000 >/dev/null
	fill 1 20 1000 >/dev/null
	fill 0 30 1000 >/dev/null
	matches "band 3 gives way before band 1" "$(class_counters dropped)" \
		'^0 ([7-9]|10) 0 (19|20)$'
}

# What a parent was shown stays, and so does what is in a child.
stays()
{
	local limit

	# The first frame is gone, the second one is what tbf waits with.
	ramp_below 8kbit 1514 rate 1gbit detect off bands 2 limit 3 2>/dev/null
	fill 1 10 1000 >/dev/null
	is "limit 3, of which one is promised: two more come in" \
		"$(fill 0 10 1000)" 2
	is "limit 3: the two behind it gave way" \
		"$(of_class 1 dropped) $(of_class 1 queued)" "2 1"

	for limit in 10 10kb; do
		ramp_below 8kbit 1514 rate 1gbit detect off bands 3 \
			limit $limit 2>/dev/null
		tc -n "$src" qdisc add dev out0 parent 2:3 handle 5: pfifo limit 50
		fill 2 60 1000 >/dev/null
		is "limit $limit: ten come in beside what a child has" \
			"$(fill 1 20 1000)" 10
		is "limit $limit: ten more come in" "$(fill 0 20 1000)" 10
		is "limit $limit: none of the child's went" \
			"$(of_class 2 queued) $(of_class 1 queued) $(of_class 1 dropped)" \
			"50 0 10"
	done
}

# What bands that went have left behind is the tail of the last one, and gives way before
# what was in that.
seam()
{
	# The first frame is gone, and tbf waits with the second one.
	ramp_below 8kbit 1514 rate 1gbit detect off bands 4 limit 20 2>/dev/null
	capture_start
	fill 0 2 1000 >/dev/null
	fill 2 9 1000 >/dev/null
	fill 3 10 1000 >/dev/null
	tc -n "$src" qdisc change dev out0 parent 3:1 ramp bands 3 2>/dev/null
	is "bands 4, then 3: the last band has what was in two" \
		"$(of_class 2 queued) $(of_class 2 backlog)" "19 19000"
	is "bands 4, then 3: as many come in as could before" "$(fill 0 11 1000)" 11
	is "bands 4, then 3: the tail of both gave way" \
		"$(of_class 2 dropped) $(of_class 2 queued)" "11 8"
	tc -n "$src" qdisc change dev out0 parent root handle 3: \
		tbf rate 1gbit burst 3028 limit 100000000
	drained
	capture_stop
	is "bands 4, then 3: the head of what was there first leaves, in order" \
		"$(capture check 8 --stream 2) $(capture count --stream 3)" \
		"received 8 lost 0 doubled 0 reordered 0 0"
}

# A band that has no more room of its own has none.
own_limit()
{
	# shellcheck disable=SC2086 # parameters are words
	plain bands 3 limit 100 band-limit 0 10 $SHUT 2>/dev/null
	fill 2 200 1000 >/dev/null
	is "band-limit 0 10: ten come in" "$(fill 0 50 1000)" 10
	is "band-limit 0 10: ten gave way, the others were refused" \
		"$(of_class 2 dropped) $(of_class 0 dropped) $(of_class 0 drops)" \
		"10 0 40"
}

net_init ramp-send tcpdump
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

exactly
in_order
stays
seam
own_limit
# shellcheck disable=SC2086 # a limit is two words
for limit in "limit 200" "limit 64kb" "limit auto"; do
	for how in below limited; do
		keeps "$how, bands 3 $limit" $how 2 0 bands 3 $limit
		keeps "$how, bands 2 exempt 0 $limit" $how 1 0 \
			bands 2 exempt 0 $limit
	done
done
keeps "below, limit 2000" below 2 0 bands 3 limit 2000
keeps "below, a band in the middle" below 2 1 bands 3 limit 200
keeps "below, bands 2 exempt 1" below 0 1 bands 2 exempt 1 limit 200
keeps "limited, bands 2 exempt 1" limited 0 1 bands 2 exempt 1 limit 64kb
keeps "deep" deep 2 0 bands 3 limit 200
keeps "deep, limit 64kb" deep 2 0 bands 3 limit 64kb
# shellcheck disable=SC2086 # a limit is two words
for limit in "limit 200" "limit 400kb"; do
	keeps "ramping, bands 3 $limit" ramping 2 0 bands 3 $limit
	keeps "ramping, bands 2 exempt 0 $limit" ramping 1 0 bands 2 exempt 0 $limit
done
ktap_end
