#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP through ramp with all its defaults, beside the same without it: bulk, and
# requests with their responses, on links of 1 and of 10 Gbit/s with a round trip of
# 100 us. Bulk is a second of it, with what it takes to climb. A request of several
# packets that comes out of silence is what ramp is there to slow down, and is not here.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
HERE=$(dirname "$0")

LEAST=0.98
PORT=7001

# link RATE QDISC... - out0 sends so fast, and has the qdisc in front.
link()
{
	local rate=$1
	shift

	tc -n "$src" qdisc del dev out0 root 2>/dev/null
	tc -n "$src" qdisc add dev out0 root handle 3: \
		tbf rate "$rate" burst 20k limit 100000000
	tc -n "$src" qdisc add dev out0 parent 3:1 "$@"
}

# bulk MBYTES - bit/s.
# shellcheck disable=SC2317 # called by compare
bulk()
{
	ip netns exec "$src" iperf3 -J -n "${1}M" -c 192.0.2.2 |
		jq .end.sum_received.bits_per_second
}

# rr PORT REQUEST RESPONSE - transactions per second.
# shellcheck disable=SC2317 # called by compare
rr()
{
	ip netns exec "$src" python3 "$HERE/lib/tcp_rr.py" ask 192.0.2.2 "$@" 2000
}

ratio()
{
	awk -v a="${1:-0}" -v b="${2:-0}" 'BEGIN { print b ? a / b : 0 }'
}

# compare NAME RATE COMMAND... - which prints a number, with ramp and with pfifo.
compare()
{
	local name=$1 rate=$2 with without got
	shift 2

	link "$rate" pfifo limit 100000
	without=$("$@")
	link "$rate" ramp rate "$rate"
	with=$("$@")
	note "$name: $with, $without with pfifo"
	got=$(ratio "$with" "$without")
	if awk "BEGIN { exit !($got >= $LEAST && $got < 2) }"; then
		pass "$name: at least $LEAST of what it is with pfifo"
	else
		fail "$name: at least $LEAST of what it is with pfifo" \
			"got:    $got"
	fi
}

net_init iperf3
only_virtual_time
pair 1500
ip -n "$src" addr add 192.0.2.1/24 dev out0
ip -n "$dst" addr add 192.0.2.2/24 dev in0
tc -n "$dst" qdisc add dev in0 root netem delay 100us limit 100000
sleep 1		# until timers have a high resolution

servers=()
ip netns exec "$dst" iperf3 -s >/dev/null 2>&1 &
servers+=($!)
for sizes in "1 1" "100 1448" "1448 100"; do
	# shellcheck disable=SC2086 # two words
	ip netns exec "$dst" python3 "$HERE/lib/tcp_rr.py" serve 0.0.0.0 $PORT $sizes &
	servers+=($!)
	PORT=$((PORT + 1))
done
sleep 1

for rate in 1 10; do
	compare "$rate Gbit/s, bulk" "${rate}gbit" bulk $((rate * 120))
	PORT=7001
	for sizes in "1 1" "100 1448" "1448 100"; do
		# shellcheck disable=SC2086 # two words
		compare "$rate Gbit/s, request and response of ${sizes/ / and } bytes" \
			"${rate}gbit" rr $PORT $sizes
		PORT=$((PORT + 1))
	done
done
kill "${servers[@]}"
ktap_end
