#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a tick does not use is lost: after a gap in the arrivals the tick that is
# due carries its own allowance and nothing of those that passed.
#
# Fails, as tried, when: what a tick did not use is added to the next.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

MS=1000000

net_init ramp-send tcpdump
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

# The third packet is the event: HIGH is 3 packets per slot. The next burst comes
# GAP ticks and a half later, with nothing waiting meanwhile; the slots of 125 ms
# are long enough not to notice.
gap()
{
	ramp rate 1gbit tick 1ms window 1s start 2p step 2p ingress 0pps:24pps
	capture_start
	trace_start
	send "$1,x400" >/dev/null
	drained
	trace_stop
	capture_stop
	# The first two went before the event, in the same instant.
	capture bins --origin $(($(surge_time 1 ramp) - 2000)) --tick $MS \
		--ticks "$2" --seq 2
}

is "a gap of 1 tick" "$(gap x3,0:1500us 12)" \
	"1 $(model up 4 2 11)"
is "a gap of 5 ticks" "$(gap x3,0:5500us 14)" \
	"1 0 0 0 0 $(model up 12 2 9)"
is "a gap of 15 ticks" "$(gap x3,0:15500us 20)" \
	"1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 $(model up 32 2 5)"
is "two gaps" "$(gap x3,0:3500us,x2,0:4ms 14)" \
	"1 0 0 2 0 0 0 $(model up 16 2 7)"
is "a gap is nobody's late timer" "$(counters ramps ticks_late)" "1 0"

# The same when packets wait and nobody takes them: a slow parent, which becomes
# fast after 20 ticks. What it left in the ticks before is not made up for.
ramp_below 2mbit 1514 rate 1gbit tick 1ms window 1s start 2p step 2p \
	ingress 0pps:24pps
capture_start
trace_start
send x1500 >/dev/null
sleep 0.0205
tc -n "$src" qdisc change dev out0 root handle 3: \
	tbf rate 10gbit burst 1000000 limit 100000000
drained
trace_stop
capture_stop
capture bins --origin $(($(surge_time 1 ramp) - 2000)) --tick $MS --ticks 32 \
	--seq 2 >"$NET_WORK/bins"
is "a parent that was slow: no tick carries more than its own" \
	"$(awk '{ for (i = 1; i <= NF; i++) if ($i > 2 * i + (i == 1)) n++ } END { print n + 0 }' \
		"$NET_WORK/bins")" 0
is "a parent that was slow: the ticks after it became fast" \
	"$(cut -d' ' -f27-32 "$NET_WORK/bins")" "$(model up 54 2 6)"
ktap_end
