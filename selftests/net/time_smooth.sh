#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# `detect always`, whatever arrives: no 100 us of what a receiver sees have more than 15 %
# of the rate more than the 100 us before them, wherever these begin, or two frames where
# these are more (`smooth.py bound`), and nothing is lost. Below 1 Gbit/s it is the time of
# ten packets instead.
#
# The device is as fast as memory here: what the gate lets pass arrives at once.
#
# Fails, as tried, when: who is refused sleeps 5 us, not 1.5; packets are not counted whole
# at rates at which 15 % of a tick are a few of them; packets of several sizes have to fit
# as those of one size; a tick that is made longer is a multiple of what it was; a packet
# that a gear holds back has left when the limiter let it pass; what 5 % of a slow rate are
# in 100 us is whole bytes.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

# changes - CHANGES of the parameters to what they are, 2 to 52 us apart.
changes()
{
	awk -v n="$CHANGES" 'BEGIN {
		srand(1)
		for (; n; n--) {
			print "qdisc change dev out0 root ramp detect always"
			fflush()
			system(sprintf("sleep %.6f", (2 + 50 * rand()) / 1000000))
		}
	}'
}

# smooth NAME PROFILE SIZE RATE [OPTION...] - RATE in Mbit/s.
smooth()
{
	local name=$1 profile=$2 size=$3 rate=$4 span=100000 sent changer=
	shift 4

	[ "$rate" -ge 1000 ] || span=$((10 * 1514 * 8000 / rate))
	plain rate "${rate}mbit" "${GEARS[@]}"
	capture_start
	if [ -n "$CHANGES" ]; then
		changes | tc -n "$src" -batch - &
		changer=$!
	fi
	send "$profile" -s "$size" "$@" >"$NET_WORK/sent"
	[ -z "$changer" ] || wait $changer || fail "$name: tc"
	drained || note "still not empty"
	capture_stop
	sent=$(jq .sent "$NET_WORK/sent")
	rises "$rate Mbit/s, $size bytes, $name" "$rate" "$span" "$size" "$NET_WORK/pcap"
	is "$rate Mbit/s, $size bytes, $name: all arrive once and in order" \
		"$(capture check "$sent") $(counters drops)" \
		"received $sent lost 0 doubled 0 reordered 0 0"
}

# slow NAME RATE SIZE [PARAMETER...] - from idle to full, in the time of 800 of the longest
# frames; RATE in kbit/s. Five percent of 100 us are less than a byte. With PARAMETERs from
# when the climb has begun.
slow()
{
	local name="$2 kbit/s, $3 bytes, $1" rate=$2 size=$3 span seen changer="" _
	shift 3

	span=$((10 * 1514 * 8000000 / rate))
	plain rate "${rate}kbit"
	capture_start
	if [ $# -gt 0 ]; then
		(sleep $((6 * span / 1000))e-6 && tc -n "$src" qdisc change dev out0 root ramp "$@") &
		changer=$!
	fi
	send "${rate}kbit:$((80 * span))ns" -s "$size" >"$NET_WORK/sent"
	[ -z "$changer" ] || wait "$changer"
	drained || note "still not empty"
	capture_stop
	read -r seen _ < <(answer smooth judge "${rate}000" "$span" "$NET_WORK/pcap")
	holds "$name: percent of the rate that it rises by" \
		"$seen" "<=" "$(answer smooth bound "${rate}000" "$span" "$size")"
	all_there "$name"
}

# gso RATE SENDERS COUNT SEGMENTS GAP - each sender has COUNT packets of so many datagrams,
# with GAP seconds between them; RATE in Mbit/s.
gso()
{
	local rate=$1 senders=$2 count=$3 segments=$4 gap=$5 pids=() n

	plain rate "${rate}mbit"
	tcpdump_start "$dst" in0 "$NET_WORK/udp" -s 64 udp port 7777
	for ((n = 0; n < senders; n++)); do
		ip netns exec "$src" python3 "$HERE/func_gso.py" send 192.0.2.3 7777 \
			"$count" --segments "$segments" --gap "$gap" \
			>"$NET_WORK/sent$n" &
		pids+=($!)
	done
	wait "${pids[@]}"
	drained || note "still not empty"
	tcpdump_stop
	set -- "$rate Mbit/s, GSO of $segments segments"
	rises "$1" "$rate" 100000 1042 "$NET_WORK/udp"
	is "$1: sent, refused, dropped, bytes lost" \
		"$(jq -rs '[(map(.sent) | add), (map(.refused) | add)] | join(" ")' \
		"$NET_WORK"/sent[0-9]) $(counters drops) $((senders * count * segments *
		1000 - $(answer smooth payload "$NET_WORK/udp")))" \
		"$((senders * count)) 0 0 0"
	rm -f "$NET_WORK"/sent[0-9]
}

# mixture_sends N PROFILE [OPTION...] - for each_sends.
# shellcheck disable=SC2317 # called by each_sends
mixture_sends()
{
	send "${@:2}" -n "$1"
}

# mixture RATE SHARE MS - full load from idle, SHARE percent of its bytes in short frames;
# RATE in Mbit/s. Where whole packets are counted, two sizes may have what they differ more.
mixture()
{
	local rate=$1 share=$2 ms=$3 name span=100000 short long
	local differ=$((1514 - 60))

	name="$rate Mbit/s, $share % in short frames"
	[ "$rate" -ge 1000 ] || span=$((10 * 1514 * 8000 / rate))
	plain rate "${rate}mbit"
	capture_start
	short="$((rate * share * 10))kbit:${ms}ms -s 60"
	long="$((rate * (100 - share) * 10))kbit:${ms}ms -s 1514"
	each_sends mixture_sends "1 $short" "2 $long"
	drained || note "still not empty"
	capture_stop
	rises "$name" "$rate" "$span" $((1514 + differ / 2)) "$NET_WORK/pcap"
	is "$name: refused, dropped, missing" \
		"$(jq -rs 'map(.refused) | add' "$NET_WORK"/sent[12]) $(counters drops) $((
		$(jq -s 'map(.sent) | add' "$NET_WORK"/sent[12]) - $(capture count)))" \
		"0 0 0"
	rm -f "$NET_WORK"/sent[12]
}

# taken_over - the limiter is turned on while 9 Gbit/s pass, after a long time with less: it
# goes on from there.
taken_over()
{
	local changer

	plain rate 10gbit detect off
	capture_start
	{
		sleep 0.11
		tc -n "$src" qdisc change dev out0 root ramp detect always
	} &
	changer=$!
	send 1gbit:100ms,9gbit:20ms >"$NET_WORK/sent"
	wait $changer
	drained || note "still not empty"
	capture_stop
	# While tc runs the sender does not, and makes up for it.
	holds "the limiter is turned on at 90 %: the longest wait in us" \
		"$(capture frames | awk '$1 - $5 > most { most = $1 - $5 }
			END { print most / 1000 }')" "<=" 20
	is "the limiter is turned on at 90 %: nothing is lost" "$(counters drops)" 0
}

net_init ramp-send tcpdump
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution
CHANGES=""
GEARS=()

for rate in 100 1000 10000; do
	for size in 60 1514; do
		# So many bytes that a ramp has come to its end.
		ms=$((rate < 1000 ? 120 : rate > 1000 && size < 500 ? 5 : 12))
		smooth "idle to full" "${rate}mbit:${ms}ms" $size $rate
		[ $size != 60 ] || continue
		smooth "12 % to full" \
			"$((rate * 12 / 100))mbit:$((ms / 3))ms,${rate}mbit:${ms}ms" \
			$size $rate
		smooth "idle to 75 %" "$((rate * 3 / 4))mbit:${ms}ms" $size $rate
		smooth "bursts" "$(answer smooth profile onoff \
			${rate}000000 1)" $size $rate
		smooth "random loads" "$(answer smooth profile random \
			${rate}000000 1)" $size $rate
	done
done
# No tick of 100 us has room for ten of the longest frames here, nor is the time of ten
# a multiple of it.
for rate in 820 950; do
	for size in 800 1514; do
		for seed in 2 3; do
			smooth "pulses $seed" "$(answer smooth profile pulses \
				${rate}000000 $seed)" $size $rate
		done
	done
done
# Just less than a link of 1 Gbit/s: a tick has room for eight here.
for seed in 2 3; do
	smooth "pulses $seed" "$(answer smooth profile pulses 990000000 $seed)" 1150 990
done
for size in 60 1514; do
	slow "idle to full" 128 $size
	slow "idle to full" 1000 $size
done
# The limiter goes on until nothing waits.
slow "idle to full, and no limiter" 128 1514 detect off
slow "idle to full, and a detector" 1000 1514 detect queue queue 1000:2000
# 15 % are a few packets here.
for rate in 1500 2000 2200 3000 4000; do
	smooth "random loads" "$(answer smooth profile random ${rate}000000 1)" 1514 $rate
done
smooth "random loads" "$(answer smooth profile random 1500000000 2)" 1000 1500
smooth "idle to full" 2500mbit:12ms 1514 2500
# Four frames are just too many here.
smooth "idle to full" 3200mbit:12ms 1514 3200
smooth "idle to full" 100gbit:3ms 1514 100000
CHANGES=300 smooth "bursts, and changes all the time" \
	"0:1ms,$(python3 "$NET_LIB/smooth.py" profile onoff 10000000000 1)" 1514 10000
# What the limiter lets pass may have to wait for these.
GEARS=(gears "83mbit,111mbit,166mbit,500mbit,1gbit" dwell 10ms idle 1ms freeze 10us)
for seed in 1 2 3; do
	smooth "random loads, and gears" "$(answer smooth profile random 1000000000 $seed)" 1000 1000
done
GEARS=()

# Ticks are long, as such frames are, and these are not.
ip -n "$dst" link set in0 mtu 9000
ip -n "$src" link set out0 mtu 9000
smooth "idle to full, an MTU of 9000" 1gbit:15ms 60 1000
smooth "12 % to full, an MTU of 9000" 120mbit:5ms,1gbit:15ms 100 1000
smooth "idle to full, an MTU of 9000" 1500mbit:12ms 60 1500
ip -n "$src" link set out0 mtu 1500
ip -n "$dst" link set in0 mtu 1500

ip -n "$src" address add 192.0.2.1/24 dev out0
# Nobody there answers.
ip -n "$src" neighbour add 192.0.2.3 dev out0 lladdr "$(ip -n "$dst" -j link show \
	in0 | jq -r '.[].address')"
gso 10000 1 80 40 0
gso 100000 1 800 40 0
# They find the gate open, as each has a part of the rate only.
gso 10000 8 60 8 0.0001
for share in 10 50; do
	mixture 100 $share 500
	mixture 1000 $share 50
	mixture 2000 $share 25
done
taken_over
ktap_end
