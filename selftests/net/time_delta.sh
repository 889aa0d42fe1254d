#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# With +DELTA a surge is a change by so much within a window, wherever it begins:
# one that takes a little less is one, one that takes more is none. Known to an
# eighth of the window.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

BITS=12112		# of a frame
SLOW=80bit		# the tbf needs 151 s for one of them

# band N PROFILE - for send_each: to a band, by the priority that names its class
# of qdisc 2:.
band()
{
	echo "$2 -p $((0x20000 + $1 + 1))"
}

# below PARAMETER... - below a tbf that has just let a packet pass.
below()
{
	ramp_below $SLOW 1514 rate 100mbit window 1s "$@"
	send x1 >/dev/null
}

# drain_at BITS_PER_SECOND [PRIORITY] - the tbf becomes so fast, and looks when one
# more packet comes.
drain_at()
{
	local queued

	queued=$(counter queued)
	tc -n "$src" qdisc change dev out0 root handle 3: \
		tbf rate "$1bit" burst 1514 limit 100000000
	send x1 ${2:+-p "$2"} >/dev/null
	sleep $((queued * BITS / $1 + 1))
	drained
}

# judge WHAT DIRECTION EXPECTED
judge()
{
	is "$1, $2: surges" "$(counter "surges_$2")" "$3"
}

# judge_any WHAT DIRECTION 0|1 - none, or any number.
judge_any()
{
	within "$1, $2: surges" "$(counter "surges_$2")" "$3" $(($3 * 1000))
}

net_init ramp-send
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

# ---- queue, up: what waits rises to LEVEL so slowly that it is no surge; then
# by 1 packet, and by 19 more after CROSSING. One that came PHASE before begins a
# slot; otherwise the slots begin with the rise.
queue_up()
{
	local level=$1 took=$2 phase=$3 before=''

	[ "$phase" = 0 ] || before="x1,0:${phase}ms,"
	below detect queue queue +20 limit 10000
	[ "$level" = 0 ] || send "15pps:$((level * 100))ms" -c "$level" >/dev/null
	sleep 2
	send "${before}x1,0:${took}ms,x19" >/dev/null
	judge "queue +20 from $level, crossing $took ms of 1 s, begun $phase ms into a slot" \
		up $((took < 1000))
}

for level in 0 100 300; do
	for took in 870 1010; do
		queue_up $level $took 0
	done
done
for phase in 30 60 90 120; do
	for took in 870 1010; do
		queue_up 100 $took $phase
	done
done

# DELTA is included, and each further one is an event more; the ramp that runs
# already goes on.
below detect queue queue +20 limit 10000
send x19 >/dev/null
judge "queue +20, 19 at once" up 0
send x1 >/dev/null
judge "queue +20, and one more" up 1
send x41 >/dev/null
judge "queue +20, and 41 more at once" up 3
is "queue +20, 3 surges: one ramp" "$(counters ramps ramps_turned)" "1 0"
below detect queue queue +2% limit 1000
send x19 >/dev/null
judge "queue +2% of 1000, 19 at once" up 0
send x1 >/dev/null
judge "queue +2% of 1000, and one more" up 1

# ---- queue, down: from rest, by 21 packets, of which the first goes at once. It
# goes on until nothing waits, in whatever phase of a slot.
for level in 21 100 300; do
	for took in 870 1010; do
		below detect queue queue +21 limit 10000
		send "15pps:$((level * 100))ms" -c "$level" >/dev/null
		sleep 2
		is "queue +21, slowly to $level: queued, surges up" \
			"$(counters queued surges_up)" "$level 0"
		drain_at $((BITS * 20 * 1000 / took))
		judge "queue +21 from $level to 0, each $took ms of 1 s" \
			down $((took < 1000 ? level / 21 : 0))
	done
done

# What a ramp has held back goes away, which is no surge; arrivals that go on are.
ramp_below 900mbit 100000 rate 1gbit tick 1ms detect queue queue +50 window 20ms \
	start 2p step 2p
send 950mbit:30ms,400mbit:60ms >/dev/null
drained
is "queue +50, the ramp's own backlog: surges_down ramps ramps_turned" \
	"$(counters surges_down ramps ramps_turned)" "0 1 0"
within "queue +50, the ramp's own backlog: surges_self" \
	"$(counter surges_self)" 1 100

# ---- members: bands that waited long before, in the order of their priorities,
# the lowest first; then three more.
members_up()
{
	local level=$1 took=$2 i streams=()

	below bands 8 detect members members +3
	for ((i = 0; i < level; i++)); do
		streams+=("$(band $((7 - i)) "0:$((i * 600))ms,x1")")
	done
	[ "$level" = 0 ] || send_each "${streams[@]}"
	sleep 2
	send_each "$(band $((7 - level)) x1)" "$(band $((6 - level)) 0:400ms,x1)" \
		"$(band $((5 - level)) "0:${took}ms,x1")"
	judge "members +3 from $level to $((level + 3)), crossing $took ms of 1 s" \
		up $((took < 1000))
}

for level in 0 3 5; do
	for took in 870 1010; do
		members_up $level $took
	done
done

# Down: the bands with the highest priorities run empty. From the end of the
# first to that of the third are 6 and 8 packets; the others have enough to last.
# Of the last band, the tbf was shown a packet, which goes before.
members_down()
{
	local level=$1 took=$2 i n streams=()

	below bands 8 detect members members +3
	for ((i = 0; i < level; i++)); do
		case $((level - i)) in
		2) n=6 ;;
		3) n=8 ;;
		*) n=30 ;;
		esac
		streams+=("$(band $((7 - i)) "0:$((i * 600))ms,x$n")")
	done
	send_each "${streams[@]}"
	sleep 2
	is "members +3, slowly to $level: surges up" "$(counter surges_up)" 0
	drain_at $((BITS * 14 * 1000 / took)) $((0x20008))
	judge "members +3 from $level to $((level - 3)), crossing $took ms of 1 s" \
		down $((took < 1000))
}

for level in 3 6 8; do
	for took in 870 1010; do
		members_down $level $took
	done
done
is "members +3, down from 8: ramps" "$(counter ramps)" 0

# ---- ingress: arrivals at LEVEL, to which they rose slowly, rise (fall) in a
# straight line by 45 mbit/s, so steep that 30 of them take CROSSING. The sums of
# slots are not quite straight, as there are whole packets.
ingress_up()
{
	local level=$1 took=$2 phase=$3

	ramp rate 100mbit window 100ms ingress "$4"
	send "0-${level}mbit:400ms,${level}mbit:$((200 + phase))ms,${level}mbit-$((level + 45))mbit:$((took * 1500))us,$((level + 45))mbit:20ms" \
		-s 200 >/dev/null
	judge_any "ingress $4 from ${level}mbit, crossing $took ms of 100 ms, begun $phase ms into a slot" \
		up $((took < 100))
}

ingress_down()
{
	local level=$1 took=$2 phase=$3

	ramp rate 100mbit window 100ms ingress "$4"
	send "0-$((level + 45))mbit:600ms,$((level + 45))mbit:$((200 + phase))ms,$((level + 45))mbit-${level}mbit:$((took * 1500))us,${level}mbit:20ms" \
		-s 200 >/dev/null
	judge_any "ingress $4 to ${level}mbit, crossing $took ms of 100 ms, begun $phase ms into a slot" \
		down $((took < 100))
}

for took in 87 104; do
	for level in 0 25 50; do
		ingress_up $level $took 0 +30%
	done
	for phase in 3 6 9 12; do
		ingress_up 25 $took $phase +30%
	done
	ingress_up 25 $took 5 +30mbit
	ingress_up 25 $took 5 +18750pps
	for level in 0 12 25; do
		ingress_down $level $took 0 +30%
	done
	for phase in 3 6 9 12; do
		ingress_down 12 $took $phase +30%
	done
	ingress_down 12 $took 5 +30mbit
	ingress_down 12 $took 5 +18750pps
done

# A step is seen in the slot that it comes in, and no smaller one is a surge.
for step in 28 32; do
	ramp rate 100mbit window 100ms ingress +30%
	send "0-50mbit:400ms,50mbit:203ms,$((50 + step))mbit:50ms" -s 200 >/dev/null
	judge_any "ingress +30% from 50mbit, a step of ${step}mbit" up $((step > 30))
done
ktap_end
