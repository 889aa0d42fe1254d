#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Flows under policy drop never get more than rate x (window + interval) + burst, in
# any window of what a receiver captured: from one CPU and from two at once, in bytes
# and in packets, after idle spells, in lumps. Nor do they get less than the rate.
#
#	func_mpolice_over.sh [SECONDS [KPPS]]	how long two CPUs draw, and how many
#						thousand packets/s each; default 5 4

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

LENGTH=${1:-5} KPPS=${2:-4}
SIZE=200

# bucket WORD... - anew, with two actions: what CPU 0 sends is stream 0, and so on.
bucket()
{
	nothing
	create bucket 3 "$@" policy drop index 1
	create bucket 3 policy drop index 2
	stream egress 0 index 1
	stream egress 1 index 2
}

# draw PROFILE... - each sent by a CPU of its own.
draw()
{
	local cpu=0 profile pids=()

	rm -f "$NET_WORK"/sent-*
	capture_start
	for profile; do
		ip netns exec "$src" taskset -c $((cpu % $(nproc))) \
			ramp-send -i out0 -s $SIZE -n $cpu -w 100 -a \
			"$profile" >"$NET_WORK/sent-$cpu" &
		pids+=($!)
		cpu=$((cpu + 1))
	done
	wait "${pids[@]}"
	capture_stop
}

# seen NAME RATE BURST INTERVAL_NS LEAST_PERCENT [--pps] - LEAST_PERCENT: of what the
# law allows for the time in which frames were sent, that must have passed. There are
# no parts of a token, so an excess is one if it is more than a token. An emulated
# machine is away at times, and nobody asks for tokens then: where that percentage
# matters the bucket takes what comes within 200 ms. With all its checks it is away for
# longer, as the senders say themselves.
seen()
{
	local name=$1 rate=$2 burst=$3 interval=$4 least=$5 result amount away

	shift 5
	away=0
	[ "$SLOWER" = 1 ] || away=$(jq -s 'map(.away_ns) | min' "$NET_WORK"/sent-*)
	result=$(over_captured --rate "$rate" --burst "$burst" \
		--interval "$interval" "$@")
	note "$name: $result, away for $away ns"
	satisfies "$name: in no window too much" "$result" \
		'.frames > 0 and .excess <= 1'
	amount=$(jq .amount <<<"$result")
	timed within "$name: passed in all, at least $least % of what may" "$amount" \
		"$(jq --argjson rate "$rate" --argjson burst "$burst" \
			--argjson least "$least" --argjson away "$away" \
			'((.asked - $away) * $rate / 1e9 + $burst) *
				$least / 100 | floor' <<<"$result")" \
		1000000000000

	is "$name: conformed is what arrived" \
		"$(acts '[.[].conformed | [.packets, .bytes]] |
			transpose | map(add) | join(" ")')" \
		"$(jq -r ".frames | [., . * $SIZE] | join(\" \")" <<<"$result")"
	is "$name: conformed and exceeded are what was sent" \
		"$(acts '[.[] | .conformed.packets + .exceeded.packets] | add')" \
		"$(jq -s 'map(.sent + .refused) | add' "$NET_WORK"/sent-*)"
}

mpolice_init ramp-send tcpdump taskset
endpoint 1500
if [ "$LENGTH" = 5 ]; then
	bytes=$((500000 / SLOWER)) packets=$((500 / SLOWER))
	bucket rate ${bytes}bps burst $((bytes / 5))
	draw $((bytes / 100))pps:3s
	seen "one CPU" $bytes $((bytes / 5)) 0 95

	# Bursts of five times the burst, after spells.
	bucket rate 4mbit burst 20000
	draw x500,0:1ms,x500,0:10ms,x500,0:50ms,x500,0:200ms,x500,0:1s,x500
	seen "idle spells" 500000 20000 0 0
	within "idle spells: frames" "$(capture count)" \
		$((100 + 100 * 2)) 1000000

	bucket pps $packets pkt-burst $((packets / 5))
	draw $((packets * 4))pps:2s
	seen "packets" $packets $((packets / 5)) 0 95 --pps

	bucket rate ${bytes}bps burst $((bytes / 5)) interval 50ms
	draw $((bytes / 100))pps:2s
	seen "lumps of 50 ms" $bytes $((bytes / 5)) 50000000 90
fi
if [ "$(nproc)" -gt 1 ]; then
	# The less there is the more they compete for it.
	pps=$((KPPS * 1000 / SLOWER)) bytes=$((KPPS * 125000 / SLOWER))
	bucket rate ${bytes}bps burst $((bytes / 5))
	draw "${pps}pps:${LENGTH}s" "${pps}pps:${LENGTH}s"
	seen "two CPUs" $bytes $((bytes / 5)) 0 95
	timed within "two CPUs: each gets some" \
		"$(acts '[.[].conformed.packets] | min')" 1 1000000000

	# And the more there is, the more each may hold back for itself.
	bucket rate 8mbit burst 200000
	draw "x500,0:50ms,4000pps:1s,0:300ms,x1000" \
		"0:30ms,x1000,0:200ms,3000pps:1s,0:100ms,x1000"
	seen "two CPUs, idle spells" 1000000 200000 0 0

	packets=$((1000 / SLOWER))
	bucket pps $packets pkt-burst $((packets / 5))
	draw $((packets * 3))pps:2s $((packets * 3))pps:2s
	seen "two CPUs, packets" $packets $((packets / 5)) 0 95 --pps

	bytes=$((500000 / SLOWER))
	bucket rate ${bytes}bps burst $((bytes / 5)) interval 50ms
	draw $((bytes / 125))pps:2s $((bytes / 125))pps:2s
	seen "two CPUs, lumps of 50 ms" $bytes $((bytes / 5)) 50000000 90
else
	skip "two CPUs" "a second CPU"
fi
ktap_end
