#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A watchdog that comes late grants the present tick only. A module keeps softirqs
# off for several ticks while a ramp holds packets back: the ticks that passed are
# counted, and the next one allows what it would have allowed in any case.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
INSTANCE=/sys/kernel/tracing/instances/ramp_func_late
HOLD=/sys/kernel/debug/ramp_late/hold

# shellcheck disable=SC2317 # called by the trap
instance_end()
{
	[ ! -d "$INSTANCE" ] || rmdir "$INSTANCE"
	net_cleanup
}

# judged - the ticks since the last burst: func_late.py's arguments.
judged()
{
	python3 "$HERE/func_late.py" "$@" <$INSTANCE/trace
}

# late NAME HOLDS SIZE COUNT START STEP FULL - sends COUNT packets of SIZE bytes at
# once, more than the present ramp lets pass before it is over, and keeps softirqs
# off HOLDS times for 90 ms, with ticks of 20 ms.
late()
{
	local name=$1 holds=$2 size=$3 count=$4 n seen held wanted result
	shift 4

	echo >$INSTANCE/trace
	send "x$count" -s "$size" >/dev/null
	for ((n = 0; n < holds; n++)); do
		sleep 0.06
		echo hold >$INSTANCE/trace_marker
		echo 90 >$HOLD
	done
	drained
	seen=$(counter ticks_late)
	result=$(judged "$@" "$size")
	[ -n "$result" ] || result=null

	is "$name: no tick allows or lets pass more than its own" \
		"$(jq -r '"\(.ticks > 5) \(.wrong) \(.examples)"' <<<"$result")" \
		"true 0 []"
	is "$name: ticks_late is what the tracepoint saw pass" "$seen" \
		"$(jq .late <<<"$result")"
	if [ "$holds" = 0 ]; then
		wanted=0
		# A machine that shares its CPUs is late without our help.
		[[ ${RAMP_KERNEL-} = uml-time* ]] || wanted=1000
		within "$name: late ticks" "$seen" 0 $wanted
		return
	fi
	# A slow machine may come to the last ones when the ramp is over.
	held=$(jq .held <<<"$result")
	wanted=$holds
	[ "$SLOWER" = 1 ] || wanted=1
	within "$name: holds during the ramp" "$held" "$wanted" "$holds"
	# They begin up to a tick before the end of one, so 3 or 4 others pass.
	wanted=$((4 * holds))
	[[ ${RAMP_KERNEL-} = uml-time* ]] || wanted=1000
	within "$name: late ticks" "$seen" $((3 * held)) $wanted
	within "$name: the longest gap" "$(jq .longest <<<"$result")" 3 $wanted
	within "$name: packets leave in the tick after a gap" \
		"$(jq .resumed <<<"$result")" 1 1000
}

net_init ramp-send taskset
[ -d /sys/kernel/tracing/events/ramp/ramp_tick ] || missing "tracing"
modprobe -q ramp_late || missing "module ramp_late"
[ -w $HOLD ] || missing "debugfs"
trap instance_end EXIT
mkdir -p $INSTANCE
echo 1 >$INSTANCE/events/ramp/ramp_tick/enable
# The watchdog runs where the queue was last asked, so all is to happen there.
taskset -pc 0 $$ >/dev/null
pair 9000

is "a hold that lasts too long is refused" \
	"$( (echo 1001 >$HOLD) 2>&1 | grep -o 'out of range')" "out of range"

# A slot of a second: that the burst is over is seen when the ramp nearly is, too.
# 8 mbit are 20000 bytes per tick, so a ramp takes a second and more.
SURGE='ingress 10pps:100pps window 8s tick 20ms rate 8mbit limit 10000'

# shellcheck disable=SC2086 # parameters are words
{
	ramp $SURGE start 1p step 1p
	late "packets, in time" 0 300 3000 1 1 0

	ramp $SURGE start 1p step 1p
	late "packets" 1 300 3000 1 1 0

	ramp $SURGE start 3p step 1p
	late "packets, late again and again" 3 300 3000 3 1 0

	# A packet is more than the first ticks allow, and the next ones pay.
	ramp $SURGE start 2% step 2%
	late "rates" 1 1514 500 400 400 20000
}
ktap_end
