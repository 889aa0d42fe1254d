#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A ramp must not make itself the reason of the next one: an overload that lasts
# is one ramp, and the backlog that a ramp has held back drains unjudged.
#
# Fails, as tried, when: the draining is judged like any other fall.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

net_init ramp-send
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

# A minute of 15 Mbit/s on a link of 10 Mbit/s: the queue rises by 413 packets per
# second until it is full, and stays there.
for mode in queue ingress both; do
	ramp_below 10mbit 3028 rate 10mbit tick 10ms detect $mode window 100ms \
		monitor 200ms queue 5:30 start 1p step 1p
	send 15mbit:60s >"$NET_WORK/sent"
	is "detect $mode: 60 s of overload are one ramp" \
		"$(counters surges_up surges_down surges_self ramps ramps_turned ramps_done)" \
		"1 0 0 1 0 1"
	within "detect $mode: 60 s of overload: packets refused" \
		"$(jq .refused "$NET_WORK/sent")" 20000 26000
	drained
	note "detect $mode, after it ended: $(counters surges_up surges_down \
		surges_self down_empty ramps ramps_turned ramps_done)"
done

# As root qdisc, at the full rate and above it: the device takes all.
for rate in 10mbit 12mbit; do
	ramp rate 10mbit tick 10ms window 100ms
	send $rate:60s >/dev/null
	is "root, 60 s of $rate are one ramp" \
		"$(counters surges_up surges_down ramps ramps_turned ramps_done drops)" \
		"1 0 1 0 1 0"
done

# What a ramp of 40 ms has held back leaves at 1 Gbit/s in no time.
for mode in queue both; do
	ramp_below 900mbit 100000 rate 1gbit tick 1ms detect $mode \
		monitor 100ms window 20ms start 2p step 2p queue 5:50 ingress 10%:60%
	send 950mbit:30ms,400mbit:60ms >/dev/null
	drained
	is "detect $mode: its own backlog drains, which is no surge" \
		"$(counters surges_up surges_down surges_self ramps ramps_turned)" \
		"1 0 1 1 0"
done
ktap_end
