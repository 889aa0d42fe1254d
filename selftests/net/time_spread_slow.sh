#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A port that slows down in the midst of traffic gets no new flowlet after two
# samples: what waits there ends to grow, while the other port takes all. When it
# has drained it is used again.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$HERE/lib/spread.sh"

# taken PORT - frames that its device has sent.
taken()
{
	link_stat "$src" "$1" tx.packets
}

# slow CAPACITY INTERVAL_US GAP_US [OPTION...] - p1 stops after 500 ms, and goes on after
# 1300 ms. A frame each GAP_US, from 100 flows that pause longer than a flowlet. More
# than a quarter of CAPACITY must not be sent within an interval, nor at once because
# the sender was late: so many are seen to fill the other port.
slow()
{
	local capacity=$1 interval=$2 gap=$3 bound
	local name="interval $2 us, a frame each $3 us${4+, $4}"
	local before after frames=$((2500000 / $3)) sender port t0 t1
	shift 3

	team spread
	hold_port 0
	hold_port 1
	for port in p0 p1; do
		tc -n "$src" qdisc add dev $port root pfifo limit $((2 * capacity))
		setopt spread_capacity "$capacity" $port
	done
	setopts "spread_interval $interval" "$@"

	flows -f 100 -e $((gap * 100))us -n $((frames / 100)) \
		>"$NET_WORK/sent" &
	sender=$!
	sleep 0.5
	hold p1 credit 0
	t1=$(taken p1)
	sleep 0.3
	# To the upper bound of the first class, and what may come until a
	# sample has seen that; and one more.
	bound=$((capacity / 4 + 2 * (interval / gap) + 2))
	before=$(waiting p1)
	within "$name: waiting in the port that stopped" "$before" \
		$((capacity / 4)) $bound
	is "$name: its class, of the other" "$(of_ports spread_class)" "0 1"
	t0=$(taken p0)
	sleep 0.5
	after=$(waiting p1)
	is "$name: nothing more for it in the next 500 ms" "$after" "$before"
	within "$name: all goes to the other" $(($(taken p0) - t0)) \
		$((490000 / gap)) $((510000 / gap))
	hold p1 credit -1
	sleep 0.4
	within "$name: it goes on, and gets a share" \
		$(($(taken p1) - t1 - before)) $((120000 / gap)) \
		$((280000 / gap))
	wait $sender
	is "$name: lost" \
		$(($(jq .sent "$NET_WORK/sent") - $(taken p0) - $(taken p1))) 0
	samples "$name" "$interval" "$gap" "$frames"
}

# samples NAME INTERVAL_US GAP_US FRAMES - the first frame after a sample is due takes
# it; or the next one, if that one came a moment too soon.
samples()
{
	local step=$((($2 + $3 - 1) / $3))

	step=$((step > 1 ? step : 1))
	within "$1: samples" "$(getopt spread_samples)" \
		$(($4 / (step + ($2 > 0)))) $(($4 / step + 1))
}

# seldom INTERVAL_US GAP_US - an interval of many ticks of the kernel's clock, without
# flowlets, so that no frame has read a finer one.
seldom()
{
	team spread
	hold_port 0
	hold_port 1
	setopts "spread_interval $1" "spread_flowlet 0"
	flows -f 1 -e "$2us" -n 500 >"$NET_WORK/sent"
	is "interval $1 us, a frame each $2 us: lost" \
		$(($(jq .sent "$NET_WORK/sent") - $(taken p0) - $(taken p1))) 0
	samples "interval $1 us, a frame each $2 us" "$1" "$2" 500
}

# shorter - an interval that was long, and holds no longer.
shorter()
{
	team spread
	hold_port 0
	hold_port 1
	setopts "spread_flowlet 0" "spread_interval 1000000"
	flows -f 1 -e 2ms >/dev/null
	setopts "spread_interval 1000"
	flows -f 1 -e 2ms -n 250 >/dev/null
	holds "interval 1000 us, after one of a second: samples in 500 ms" \
		"$(getopt spread_samples)" ">=" 200
}

spread_init teamnl
only_virtual_time
hold_or_skip
sleep 1		# until timers have a high resolution

slow 1000 50 20
slow 100 1000 100
slow 100 10000 1000
slow 100 1000 100 "spread_flowlet 0"
slow 100 0 100
seldom 50000 5000
shorter
ktap_end
