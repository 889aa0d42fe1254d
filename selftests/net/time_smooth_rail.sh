#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# time_smooth for a rail: four transmit queues and a second device, with nothing said
# but the rate, which a rail has to be told. What both receivers see
# together rises by no more than what one qdisc lets pass, and nothing is lost.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"
# shellcheck source=selftests/net/lib/rail.sh
. "$HERE/lib/rail.sh"

SPAN=100000
# shellcheck disable=SC2034 # what rail_members adds to the parameters
RAIL_SURGE=()

# smooth NAME RATE SIZE "N PROFILE [OPTION...]"... - RATE in Mbit/s.
smooth()
{
	local name=$1 rate=$2 size=$3 sent words=()
	local short=${3%-*} long=${3#*-}
	shift 3

	rail_members rate "${rate}mbit" || fail "$name: rail of $rate Mbit/s"
	rail_capture_start
	for words in "$@"; do
		[ "$short" != "$long" ] || words+=" -s $size"
		set -- "${@:2}" "$words"
	done
	rail_send_each "$@"
	rail_drained || note "still not empty"
	rail_capture_stop
	is "$rate Mbit/s, $size bytes, $name: refused" \
		"$(cat "$NET_WORK"/sent[1-5] | jq -s 'map(.refused) | add')" 0
	sent=$(cat "$NET_WORK"/sent[1-5] | jq -s 'map(.sent) | add')
	rm -f "$NET_WORK"/sent[1-5]
	# Where whole packets are counted, two sizes may have what they differ more.
	rises "$rate Mbit/s, $size bytes, $name" "$rate" $SPAN $((long + (long - short) / 2)) \
		"$NET_WORK/pcap0" "$NET_WORK/pcap1"
	is "$rate Mbit/s, $size bytes, $name: all arrive once and in order" \
		"$(rail_frames check)" "$# streams, 0 wrong"
	rail_counts "$rate Mbit/s, $size bytes, $name" "$sent"
}

net_init ramp-send tcpdump
only_virtual_time
rail_pair 1500
sleep 1		# until timers have a high resolution

for size in 60 1514; do
	ms=$((size < 500 ? 4 : 12))
	smooth "four queues, each a quarter" 10000 $size "1 2500mbit:${ms}ms" \
		"2 2500mbit:${ms}ms" "3 2500mbit:${ms}ms" "4 2500mbit:${ms}ms"
	smooth "one of five has all" 10000 $size "3 10gbit:${ms}ms"
	smooth "two devices, one after the other" 10000 $size "1 5gbit:${ms}ms" \
		"5 0:2ms,5gbit:${ms}ms"
done
smooth "bursts of two" 10000 1514 \
	"1 $(answer smooth profile onoff 5000000000 1)" \
	"5 $(answer smooth profile onoff 5000000000 2)"
for rate in 1000 2000; do
	smooth "one queue of four has a tenth, in short frames" $rate 60-1514 \
		"1 $((rate / 10))mbit:25ms -s 60" "2 $((rate * 3 / 10))mbit:25ms -s 1514" \
		"3 $((rate * 3 / 10))mbit:25ms -s 1514" "5 $((rate * 3 / 10))mbit:25ms -s 1514"
done
smooth "four queues, each a quarter" 1000 1514 "1 250mbit:12ms" "2 250mbit:12ms" \
	"3 250mbit:12ms" "4 250mbit:12ms"
ktap_end
