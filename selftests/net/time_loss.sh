#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# With the defaults a step from idle to the full rate loses nothing, whatever the
# rate; and a limit that is too small is accepted with a warning that says what
# would be enough.
#
# Fails, as tried, when: limit auto is half of what a ramp holds back; limit_need
# is one tick's step short.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

# step RATE MS [PARAMETER...] - sends at the full rate for so long.
step()
{
	local rate=$1 ms=$2
	shift 2

	ramp rate "$rate" "$@" 2>"$NET_WORK/warning"
	capture_start
	send "$rate:${ms}ms" >"$NET_WORK/sent"
	drained
	capture_stop
}

net_init ramp-send tcpdump
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

for rate in 1gbit 10gbit 100gbit; do
	step $rate 100
	sent=$(jq .sent "$NET_WORK/sent")
	within "$rate: frames in 100 ms" "$sent" \
		$((${rate%gbit} * 8256)) $((${rate%gbit} * 8257 + 1))
	is "$rate: refused, dropped, one ramp" \
		"$(jq .refused "$NET_WORK/sent") $(counters drops dropped ramps ramps_done)" \
		"0 0 0 1 1"
	# 20 to the full rate, and as many until nothing waits.
	within "$rate: ticks of the ramp" "$(counter ticks)" 39 43
	all_there "$rate"
done

# warning LIMIT MODEL PARAMETER... - MODEL is "UNIT RATE TICK_NS START STEP MTU
# [PAUSE HOLD]", from which the model finds how much a ramp holds back: NEED.
warning()
{
	local limit=$1 text
	# shellcheck disable=SC2086 # several words
	NEED=$(model need $2)
	shift 2

	tc -n "$src" qdisc replace dev out0 root handle 1: pfifo
	text=$(tc -n "$src" qdisc replace dev out0 root handle 2: ramp \
		"${ON_SURGE[@]}" limit "$limit" "$@" 2>&1) || text="refused: $text"
	is "$*: limit_need" "$(counter options.limit_need)" "$NEED"
	if [ "$limit" -lt "$NEED" ]; then
		matches "$*: limit $limit draws a warning that says limit_need" \
			"$text" "limit: .*[^0-9]${NEED}[^0-9]"
	else
		is "$*: limit $limit draws no warning" "$text" ""
	fi
}

# enough PARAMETER... - the full rate of 1 Gbit/s arrives at once, at a ramp with
# the limit that the last warning() found, and with less.
enough()
{
	step 1gbit 60 "$@" limit "$NEED"
	is "$*: with a limit of limit_need: refused" \
		"$(jq .refused "$NET_WORK/sent")" 0
	step 1gbit 60 "$@" limit $((NEED * 4 / 5))
	within "$*: with a limit of four fifths of limit_need: refused" \
		"$(jq .refused "$NET_WORK/sent")" 1 10000
}

defaults="bytes 125000000 100000 625 625 1514"
warning 10 "$defaults" rate 1gbit
warning "$NEED" "$defaults" rate 1gbit
warning $((NEED - 1)) "$defaults" rate 1gbit
enough tick 100us

packets="packets 125000000 1000000 2 2 1514"
warning 100 "$packets" rate 1gbit tick 1ms start 2p step 2p
warning "$NEED" "$packets" rate 1gbit tick 1ms start 2p step 2p
enough tick 1ms start 2p step 2p

# The steepest surge leaves a quarter of a step.
warning 100 "packets 125000000 1000000 4 2 1514" \
	rate 1gbit tick 1ms start 4p step 8p adaptive
enough tick 1ms start 4p step 8p adaptive

warning 5 "bytes 1250000000 100000 12500 3750 1514" \
	rate 10gbit start 1gbit step 300mbit
warning 5 "packets 125000000 1000000 2 2 1514 3 4" rate 1gbit tick 1ms \
	start 2p step 2p pause 2500us hold 4ms
ktap_end
