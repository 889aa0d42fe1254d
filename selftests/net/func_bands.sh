#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Bands: which one a packet goes to, that the first one with packets leaves first,
# what their limits refuse, what passes a shut gate, and what is counted for them.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

# A first packet of 1000 bytes is paid for by tens of ticks of a few bytes.
SHUT='rate 8kbit detect always tick 1s start 8bit step 8bit'
# So many packets such a gate lets pass while a test waits.
FEW=3

to_classes()
{
	printf '0x2%04x\n' "$@" | paste -sd,
}

# goes_to CLASS NAME PRIORITY [OPTION...] - CLASS 0: to none, as it is dropped.
goes_to()
{
	local class=$1 name=$2 priority=$3 before=("${IN_CLASSES[@]}") got="" i
	shift 3

	send x5 -s 100 -p "$priority" "$@" >"$NET_WORK/sent"
	read -ra IN_CLASSES < <(class_counters enqueued)
	for i in "${!IN_CLASSES[@]}"; do
		[ "${IN_CLASSES[i]}" = "${before[i]}" ] ||
			got+=" $((i + 1)):$((IN_CLASSES[i] - before[i]))"
	done
	if [ "$class" = 0 ]; then
		is "$name" "$(jq .sent "$NET_WORK/sent")$got" 5
	else
		is "$name" "$got" " $class:5"
	fi
}

filter()
{
	# shellcheck disable=SC2154 # setup_ns sets it
	tc -n "$src" filter "$@"
}

by_priority()
{
	ramp bands 4 rate 1gbit detect off
	read -ra IN_CLASSES < <(class_counters enqueued)
	is "bands 4: there are four classes" ${#IN_CLASSES[@]} 4
	goes_to 2 "priority 0 by prio's map" 0
	goes_to 3 "priority 1 by prio's map" 1
	goes_to 1 "priority 6 by prio's map" 6
	goes_to 2 "priority 16 as 0" 16
	goes_to 4 "priority 2:4 names a class" 0x20004
	goes_to 2 "priority 2:5 names none of four" 0x20005
	goes_to 2 "priority 2:0 names none" 0x20000
	goes_to 2 "priority 9:1 names another qdisc's class" 0x90001

	tc -n "$src" qdisc change dev out0 root ramp \
		priomap 3 2 1 0 3 2 1 0 3 2 1 0 3 2 1 0
	goes_to 4 "priority 0 by a map" 0
	goes_to 1 "priority 7 by a map" 7
	goes_to 4 "priority 9:1 as 0 by that map" 0x90001
	goes_to 2 "priority 2:2 whatever the map" 0x20002
}

# What a filter took away has been sent, though not here.
redirected()
{
	local before

	ip -n "$src" link add sink0 type dummy
	ip -n "$src" link set sink0 up
	before=$(counters drops enqueued)
	filter add dev out0 parent 2: prio 1 protocol all matchall \
		action mirred egress redirect dev sink0
	goes_to 0 "action mirred redirect" 0 -n 7
	is "what a filter redirects goes out of the other device" \
		"$(ip -n "$src" -j -s link show sink0 | jq '.[].stats64.tx.packets')" 5
	is "what a filter redirects is neither dropped nor enqueued" \
		"$(counters drops enqueued)" "$before"
	filter del dev out0 parent 2: prio 1
	ip -n "$src" link del sink0
}

by_filter()
{
	local drops

	ramp bands 4 rate 1gbit detect off
	read -ra IN_CLASSES < <(class_counters enqueued)
	filter add dev out0 parent 2: prio 20 protocol all matchall classid 2:4
	goes_to 4 "matchall" 0
	goes_to 4 "matchall, priority 9:1" 0x90001
	goes_to 1 "a priority that names a class comes before filters" 0x20001
	filter add dev out0 parent 2: prio 10 protocol 0x88b6 \
		u32 match u32 7 0xffffffff at 4 flowid 2:3
	goes_to 3 "u32" 0 -n 7
	goes_to 4 "u32, another stream: the next filter" 0 -n 8
	filter add dev out0 parent 2: prio 5 protocol 0x88b6 \
		flower dst_mac 02:00:00:00:00:05 classid 2:1
	goes_to 1 "flower" 0 -n 7 -d 02:00:00:00:00:05
	filter del dev out0 parent 2: prio 20
	goes_to 2 "no filter matches: the map" 0
	goes_to 2 "no filter matches: priority 9:1 as 0" 0x90003

	drops=$(counter drops)
	filter add dev out0 parent 2: prio 1 protocol all \
		matchall action drop
	goes_to 0 "action drop" 0 -n 7
	is "what a filter drops is in drops" $(($(counter drops) - drops)) 5
	goes_to 4 "action drop is not asked for a class" 0x20004
	filter del dev out0 parent 2: prio 1
	redirected
	filter add dev out0 parent 2: prio 1 protocol all \
		matchall classid 2:4 action ok
	goes_to 4 "action ok" 0
	filter del dev out0 parent 2: prio 1
	filter add dev out0 parent 2: prio 1 protocol all \
		matchall action goto chain 5
	filter add dev out0 parent 2: chain 5 prio 1 protocol all \
		matchall classid 2:3
	goes_to 3 "goto chain" 0
	filter del dev out0 parent 2: chain 5 prio 1
	filter add dev out0 parent 2: chain 5 prio 1 protocol all \
		matchall classid 2:9
	goes_to 2 "a filter that names none of four: the map for 0" 5
	filter del dev out0 parent 2:
	goes_to 3 "filters deleted: the map" 5
	if filter add dev out0 parent 2:1 protocol all matchall classid 2:3 \
	   2>/dev/null; then
		fail "a class takes no filters"
	else
		pass "a class takes no filters"
	fi
}

# Frames for the last band first: while the gate is open, they would leave first.
strict_priority()
{
	local before

	# shellcheck disable=SC2086 # parameters are words
	ramp bands 5 $SHUT
	capture_start
	send x500 -s 1000 -p "$(to_classes 5 4 3 2 1)" >"$NET_WORK/sent"
	before=$(counter dequeued)
	matches "a shut gate holds packets of five bands" \
		"$(class_counters queued)" '^(9.|100)( (9.|100)){4}$'
	tc -n "$src" qdisc change dev out0 root ramp detect off "${OPEN[@]}"
	drained
	capture_stop
	# Streams 4, 3, 2, ... are those of bands 0, 1, 2.
	if [ -n "$ORDERED" ]; then
		matches "bands leave in their order" \
			"$(leaves $((before + FEW)))" '^4 3 2 1 0 $'
	else
		skip "bands leave in their order" "a receiver on one CPU"
	fi
	is "a shut gate: all packets of five bands arrive in the end" \
		"$(capture count)" 500
	for stream in 0 1 2 3 4; do
		matches "a shut gate: stream $stream arrives whole and in order" \
			"$(capture check 100 --stream $stream)" \
			"^received 100 lost 0 doubled 0 reordered ${ORDERED:+0\$}"
	done
	is "a shut gate: classes count packets and bytes" "$(stats '[.classes[] |
		"\(.enqueued) \(.dequeued) \(.packets) \(.bytes)"] | unique[]')" \
		"100 100 100 100000"
}

# leaves AFTER - streams in the order in which they left, runs of one merged,
# without the first AFTER frames.
leaves()
{
	python3 - "$NET_LIB" "$NET_WORK/pcap" "$1" <<-'END'
	import itertools
	import sys
	sys.path.insert(0, sys.argv[1])
	import capture
	got = list(capture.frames(sys.argv[2]))[int(sys.argv[3]):]
	for stream, _ in itertools.groupby(got, lambda frame: frame.stream):
	    print(stream, end=' ')
	END
}

# What the sender is told, what is counted, and what arrives.
limits()
{
	local sent

	# shellcheck disable=SC2086 # parameters are words
	ramp bands 3 limit 300 band-limit 0 50 band-limit 1 200 $SHUT \
		2>/dev/null
	capture_start
	sent=$(send x300 -s 1000 -p "$(to_classes 1)" -n 1)
	within "band-limit 50 refuses" "$(jq .refused <<<"$sent")" \
		$((250 - FEW)) 250
	is "band-limit 50: what it refuses is counted in the qdisc and the class" \
		"$(counter drops) $(stats '.classes."2:1".drops')" \
		"$(jq '"\(.refused) \(.refused)"' -r <<<"$sent")"
	sent=$(send x300 -s 1000 -p "$(to_classes 3)" -n 3)
	within "another band has what limit 300 leaves" \
		"$(jq .sent <<<"$sent")" 250 $((250 + FEW))
	is "limit 300: what it refuses is counted in the class of that band" \
		"$(stats '.classes."2:3".drops')" "$(jq .refused <<<"$sent")"
	is "limit 300: a packet of a band above takes the place of the last one below" \
		"$(send x1 -s 1000 -p "$(to_classes 2)" -n 2 | jq .sent)" 1
	is "limit 300: what was pushed out is counted in the class where it waited" \
		"$(class_counters dropped)" "0 0 1"
	is "limits: the qdisc's drops are those of its classes" "$(counter drops)" \
		"$(stats '[.classes[].drops] | add')"
	is "limits: nothing but what was pushed out is in dropped" \
		"$(counter dropped)" 1

	tc -n "$src" qdisc change dev out0 root ramp limit 400 band-limit 0 auto
	sent=$(send x50 -s 1000 -p "$(to_classes 1)" -n 4)
	is "band-limit auto lets more in" "$(jq .sent <<<"$sent")" 50
	tc -n "$src" qdisc change dev out0 root ramp detect off "${OPEN[@]}"
	drained
	capture_stop
	is "limits: what was accepted and not pushed out arrives" "$(capture count)" \
		$(($(counter enqueued) - 1))
	tc -n "$src" qdisc change dev out0 root ramp band-limit 2 1
	is "limits: packets that left make room" \
		"$(send x100 -s 1000 -p "$(to_classes 3)" -n 5 | jq .sent)" 100
}

# Bytes, whatever they come in.
sizes()
{
	local sent

	# shellcheck disable=SC2086 # parameters are words
	ramp bands 2 limit 100kb band-limit 0 30kb $SHUT 2>/dev/null
	capture_start
	sent=$(send x300 -s 1000 -p "$(to_classes 1)" -n 1)
	within "band-limit 30kb: bytes that wait of those sent in packets of 1000" \
		"$(stats '.classes."2:1".backlog')" $((30720 - 999)) 30720
	is "band-limit 30kb: what is refused is counted" "$(counter drops)" \
		"$(jq .refused <<<"$sent")"
	send x20 -s 60 -p "$(to_classes 1)" -n 2 >/dev/null
	within "band-limit 30kb: packets of 60 bytes fit beside" \
		"$(stats '.classes."2:1".backlog')" $((30720 - 59)) 30720
	send x300 -s 1000 -p "$(to_classes 2)" -n 3 >/dev/null
	within "limit 100kb: bytes that wait in both bands" "$(counter backlog)" \
		$((102400 - 999)) 102400
	tc -n "$src" qdisc change dev out0 root ramp limit 50kb
	is "a smaller limit than what waits refuses what comes" \
		"$(send x5 -s 60 -p "$(to_classes 2)" -n 4 | jq .sent)" 0
	within "a smaller limit than what waits keeps what is there" \
		"$(counter backlog)" \
		$((102400 - 999)) 102400
	tc -n "$src" qdisc change dev out0 root ramp limit 101kb
	is "a larger limit than what waits has room again" \
		"$(send x5 -s 60 -p "$(to_classes 2)" -n 5 | jq .sent)" 5
	tc -n "$src" qdisc change dev out0 root ramp detect off "${OPEN[@]}"
	drained
	capture_stop
	is "sizes: what was accepted arrives" "$(capture count)" "$(counter enqueued)"
	is "packets that left make room for their bytes" \
		"$(send x80 -s 1000 -p "$(to_classes 2)" -n 6 | jq .sent)" 80
}

exempt_passes()
{
	# shellcheck disable=SC2086 # parameters are words
	ramp bands 4 exempt 1,3 $SHUT
	send x100 -s 1000 -p "$(to_classes 1 3)" >/dev/null
	within "a shut gate: packets of other bands wait" \
		"$(counter queued)" $((100 - FEW)) 100
	send x200 -s 1000 -p "$(to_classes 4 2)" >/dev/null
	matches "a shut gate: exempt bands pass it" "$(class_counters dequeued)" \
		'^[0-3] 100 [0-3] 100$'
	within "a shut gate: packets of other bands still wait after that" \
		"$(counter queued)" $((100 - FEW)) 100
	tc -n "$src" qdisc change dev out0 root ramp exempt none
	send x100 -s 1000 -p "$(to_classes 4 2)" >/dev/null
	matches "exempt none: packets of bands that were exempt wait, too" \
		"$(class_counters queued)" \
		' (4[7-9]|50) [0-9]+ (4[7-9]|50)$'
	tc -n "$src" qdisc change dev out0 root ramp exempt 3
	wait_until 60 last_class_is_empty
	matches "exempt again: packets of these bands leave, without the others" \
		"$(class_counters dequeued)" '^[0-3] 10[0-3] [0-3] 150$'
}

# shellcheck disable=SC2317 # called by wait_until
last_class_is_empty()
{
	[[ $(class_counters queued) == *" 0" ]]
}

# A surge in exempt bands is none; the same packets in other bands are one.
exempt_is_not_counted()
{
	local up

	# Slow, so that what waits waits below the parent, not for the gate.
	ramp_below 20kbit 2000 bands 4 rate 1gbit limit 1000 exempt 0,2 window 10s \
		detect queue queue 20:50
	send x100 -s 1000 -p "$(to_classes 1 3)" >/dev/null
	within "exempt packets wait below a parent" "$(counter queued)" 80 100
	is "exempt packets below a parent are no surge of the queue" \
		"$(counters surges_up ramps)" "0 0"
	send x100 -s 1000 -p "$(to_classes 2 4)" >/dev/null
	is "the same packets in other bands are a surge of the queue" \
		"$(counters surges_up ramps)" "1 1"

	ramp_below 20kbit 2000 bands 4 rate 1gbit exempt 0,1 window 10s \
		detect members members 0:2
	send x40 -s 1000 -p "$(to_classes 1 2 3)" >/dev/null
	is "two exempt bands and another are no surge of members" \
		"$(counters surges_up ramps)" "0 0"
	send x10 -s 1000 -p "$(to_classes 4)" >/dev/null
	is "two bands that are not exempt are a surge of members" \
		"$(counters surges_up ramps)" "1 1"

	ramp bands 4 rate 1gbit exempt 0,2 window 1s detect ingress \
		ingress 10pps:2000pps
	# A first frame, which a detector may need to find its feet.
	send x1,0:300ms,x1000 -s 1000 -p "$(to_classes 1 3)" >/dev/null
	up=$(counter surges_up)
	is "exempt packets are no surge of arrivals" "$up" 0
	send x1,0:300ms,x1000 -s 1000 -p "$(to_classes 2 4)" >/dev/null
	within "the same packets in other bands are a surge of arrivals" \
		"$(counter surges_up)" 1 2
}

net_init ramp-send tcpdump
pair 1500
ORDERED=1
one_receiver || ORDERED=""
by_priority
by_filter
strict_priority
limits
sizes
exempt_passes
exempt_is_not_counted
ktap_end
