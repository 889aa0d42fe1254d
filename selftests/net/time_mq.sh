#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ramp_mq with nothing else said, on a device of 10 Gbit/s with 2, 4 and 16 queues, each
# with a sender of its own that sends at random: no 100 us of what the receiver sees have
# more than 15 % of the rate of the device, or two frames, more than the 100 us before
# them, wherever these begin, and nothing is lost. So at 40 Gbit/s, where more packets
# leave without the lock of the rail. And of 64 queues, as a fast card has them, those that
# send reach the rate, though the others may ask, too.
#
# Fails, as tried, when: what leaves without the lock is not charged; who is refused sleeps the
# longer the more queues there are.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/mq.sh
. "$NET_LIB/mq.sh"

RATE=10000	# Mbit/s, which is what the device says
ASKED=''	# another one
SPAN=100000	# ns

# smooth NAME SIZE PROFILE... - the Nth goes through queue N.
smooth()
{
	local name=$1 size=$2 n=0 words=()
	shift 2

	for profile; do
		n=$((n + 1))
		words+=("$n $profile -s $size")
	done
	tc -n "$src" qdisc replace dev out0 root handle 1: pfifo
	tc -n "$src" qdisc replace dev out0 root handle 2: ramp_mq \
		${ASKED:+rate $ASKED}
	capture_start
	mq_send_each "${words[@]}"
	drained || note "still not empty"
	capture_stop
	rises "$# queues, $size bytes, $name" $RATE $SPAN "$size" "$NET_WORK/pcap"
	is "$# queues, $size bytes, $name: all arrive, once and in order in each queue" \
		"$(python3 "$NET_LIB/rail.py" check "$NET_WORK/pcap") $(capture count)" \
		"$# streams, 0 wrong $MQ_SENT"
	is "$# queues, $size bytes, $name: nothing is dropped, and packets had to wait" \
		"$(mq_root '"\(.drops) \(.dropped) \(.delayed > 0)"')" "0 0 true"
}

# each QUEUES KIND SHARE - profiles of that kind, each of SHARE percent of the rate at most.
each()
{
	local n

	for ((n = 1; n <= $1; n++)); do
		python3 "$NET_LIB/smooth.py" profile "$2" \
			$((RATE * 10000 * $3)) $((n + 100 * $1))
	done
}

net_init ramp-send tcpdump
only_virtual_time
for queues in 2 4 16; do
	mq_pair $queues
	sleep 1		# until timers have a high resolution
	mapfile -t profiles < <(each $queues random $((200 / queues)))
	smooth "random loads" 1514 "${profiles[@]}"
	mapfile -t profiles < <(each $queues onoff $((200 / queues)))
	smooth "bursts" 1514 "${profiles[@]}"
	mapfile -t profiles < <(for ((n = 0; n < queues; n++)); do
		echo "$((RATE * 1000 / queues))kbit:6ms"
	done)
	smooth "idle to full at once" 1514 "${profiles[@]}"
done

# reaches QUEUES SENDERS - the full rate from idle through some of the queues. A climb takes
# 3.3 ms and makes up for what it held back then.
reaches()
{
	local queues=$1 senders=$2 profiles=()

	mq_pair "$queues"
	sleep 1
	mapfile -t profiles < <(for ((n = 0; n < senders; n++)); do
		echo "$((RATE * 1000 / senders))kbit:8ms"
	done)
	smooth "full rate on a device with $queues" 1514 "${profiles[@]}"
	# shellcheck disable=SC2046 # a list
	holds "$senders queues of $queues: bytes from 4 to 8 ms, percent of the rate" \
		"$(printf '%s\n' $(capture bins --bytes --tick 4000000 --ticks 2 --origin \
			"$(python3 "$NET_LIB/capture.py" frames "$NET_WORK/pcap" |
				sed -n '1s/ .*//p')") |
			awk -v rate=$RATE 'NR == 2 { printf "%.1f", $1 / rate / 5 }')" \
		">=" 100
}

reaches 64 4
reaches 256 32

# The queues share a ramp, and the ramp_mq shows it as each of them does.
surge()
{
	local name keys='[.state, .allowance, .allowance_unit, .surges_up, .surges_down,
		.ramps, .ramps_done, .ramps_turned, .ticks, .ticks_late'

	mq_pair 2
	sleep 1
	tc -n "$src" qdisc add dev out0 root handle 1: ramp_mq rate 40mbit limit 10000 \
		detect ingress ingress 2mbit:10mbit window 16ms tick 20ms start 2p step 2p
	mq_send_each "1 20mbit:300ms -s 600" "2 20mbit:300ms -s 600" &
	sleep 0.1
	is "a surge of two queues: the ramp_mq shows a ramp" \
		"$(mq_root '"\(.state) \(.surges_up) \(.ramps) \(.ramps_done)"')" \
		"ramp-up 1 1 0"
	shown_by_all "a surge of two queues" "$keys]"
	wait $!
	drained || note "still not empty"
	sleep 2
	matches "a surge of two queues: the ramp is done" \
		"$(mq_root '"\(.state) \(.surges_up) \(.ramps) \(.ramps_done)"')" \
		'^(idle|monitoring) 1 1 1$'
	shown_by_all "two queues when the ramp is done" "$keys, .ramp_ns]"
	holds "two queues when the ramp is done: how long it took" \
		"$(mq_root .ramp_ns)" ">" 0
}

# shown_by_all NAME KEYS
shown_by_all()
{
	is "$1: what the ramp_mq shows is what each queue shows" \
		"$(mq_root "$2 | tostring")" \
		"$(mq_parts "map($2 | tostring) | unique | join(\" \")")"
}

# A peer keeps what is sent in the first queue, so that it is a level that rises and falls.
# Fast: it is a surge, and its end is that of the ramp. Slowly: it is none, and when all
# is discarded nothing waits that a ramp could let out.
level()
{
	local keys='[.surges_up, .surges_down, .surges_self, .down_empty, .ramps]' part

	mq_pair 2
	sleep 1
	tc -n "$src" qdisc add dev out0 root handle 1: ramp_mq rate 100mbit limit 10000 \
		detect queue queue 10:300 window 100ms tick 1ms start 8p step 8p obey min 0%
	held_back
	mq_send 1 x400 >/dev/null
	tc -n "$src" qdisc change dev out0 root ramp_mq no-obey
	drained || note "still not empty"
	sleep 1
	is "a ramp_mq shows a fall of its own making" "$(mq_root "$keys | tostring")" \
		"[1,0,1,0,1]"
	shown_by_all "a fall of its own making" "$keys"

	tc -n "$src" qdisc change dev out0 root ramp_mq obey min 0%
	held_back
	mq_send 1 "x5,0:1s,x200,0:1s,x200" >/dev/null
	part=$(mq_parts '.[0].handle')
	tc -n "$src" qdisc add dev out0 parent "${part}1" pfifo
	is "a ramp_mq shows a fall to nothing" "$(mq_root "$keys | tostring")" "[1,1,1,1,1]"
	shown_by_all "a fall to nothing" "$keys"
}

held_back()
{
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
		'{"validity": 10000, "codes": [[0, 0]]}'
	wait_until 10 stopped || note "nothing was heard"
}

# shellcheck disable=SC2317 # called by wait_until
stopped()
{
	[ "$(mq_root .peer_rate)" = 0 ]
}

surge
level
RATE=40000 ASKED=40gbit
for queues in 2 8; do
	mq_pair $queues
	sleep 1
	mapfile -t profiles < <(each $queues random $((200 / queues)))
	smooth "random loads at 40 Gbit/s" 600 "${profiles[@]}"
	smooth "random loads at 40 Gbit/s" 1514 "${profiles[@]}"
done
ktap_end
