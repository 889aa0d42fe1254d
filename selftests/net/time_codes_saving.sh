#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What it saves that thresholds give way: the same sender, which has more to send than
# a port can take, is slowed in four ways, and the frames with codes that arrive at it
# are counted. As codes make the occupancy, none of that can be read off one run.
# Prints the table of Documentation/networking/ramp-codes.rst.

# shellcheck source=selftests/net/lib/feedback_boxes.sh
. "$(dirname "$0")/lib/feedback_boxes.sh"

# 27 % of what the sender has, between the 30 % and the 20 % of ten steps.
SLOW=2700kbit LIMIT=2000
TEN=5%:90%,15%:80%,25%:70%,35%:60%,45%:50%,55%:40%,65%:30%,75%:20%,85%:10%,95%:0%
ONE=75%:0%
# One packet, as nothing is less: 0.01 % of 1900 are none.
LEAST=0.01%

# Until all has found its level, and then for as long as codes are counted, and a
# second more in which the capture ends.
SETTLE=16 HEARD=20

# way NAME LADDER ADJUST - in $frames those that arrived
way()
{
	local name=$1 begin end load

	chain ladder "$2" adjust "$3" validity 10s feedback m0
	# What it may send it sends as fast as its device can, which is no faster.
	# shellcheck disable=SC2086 # a list
	slow_port left l0 $FAST limit 100000 $TWO obey min 0
	load left l0 "$FAST:$((SETTLE + HEARD + 3))s" -p 6 >/dev/null &
	load=$!
	sleep "$SETTLE"
	hear_codes "$(box left)" l0
	begin=$(arrived right r0)
	sleep "$HEARD"
	end=$(arrived right r0)
	codes_end
	frames=$(codes_heard . | wc -l)
	is "$name: nothing is lost" "$(lost)" 0
	holds "$name: frames of the port, which is never idle" "$((end - begin))" \
		">=" "$((HEARD * 270 * BUSY / 100))"
	wait "$load"
	TABLE+=$(printf '%-34s %-7s %8d %10.1f' "$name" "$3" "$frames" \
		"$(echo "$frames / ($HEARD + 1)" | bc -l)")$'\n'
}

net_init ramp-send tcpdump bc
only_virtual_time
sleep 1
TABLE=''
way "ten steps, adjusted" $TEN 3%
adjusted=$frames
way "ten steps, by one packet" $TEN $LEAST
packet=$frames
way "start and stop, by one packet" $ONE $LEAST
stop=$frames
way "start and stop, adjusted" $ONE 3%
note "$(printf '%-34s %-7s %8s %10s' "the sender is told by" adjust frames "per second")"
while IFS= read -r line; do
	note "$line"
done <<<"${TABLE%$'\n'}"
holds "ten steps: codes, adjusted, are there" "$adjusted" '>=' 4
holds "ten steps by one packet: times the frames of adjusted ones" \
	"$((packet / adjusted))" ">=" 10
holds "start and stop: times the frames of adjusted steps" \
	"$((stop / adjusted))" ">=" 10
ktap_end
