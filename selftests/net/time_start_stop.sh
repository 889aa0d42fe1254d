#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A ladder of start and stop: from 80 % of the room on senders are to send nothing, and
# when that is over all they can. The port that it is of is slower than the rate of the
# senders, and theirs is a device as fast as memory: nothing may be lost, neither by
# senders that hold what they are offered, nor by the port. Counted at the receiver, in
# virtual time.
#
# Fails, as tried, when a band is free at once after a return to 100 %.

# shellcheck source=selftests/net/lib/feedback_boxes.sh
. "$(dirname "$0")/lib/feedback_boxes.sh"

# sent FILE... - frames that were sent, by what ramp-send said
sent()
{
	jq -s 'map(.sent) | add' "$@"
}

# start_stop NAME PERCENT:PERCENT LIMIT SENDERS [PARAMETER...] - each sender has three
# times what the port can take, for two seconds. The parameters are those of the ramps
# of the senders.
start_stop()
{
	local name=$1 ladder=$2 limit=$3 senders=$4 n pids=() feedback
	shift 4

	boxes left middle right
	wire middle m0 right r0
	for ((n = 1; n <= senders; n++)); do
		wire left "l$n" middle "m$n"
		pass_on middle "m$n" m0
		tc -n "$(box left)" qdisc replace dev "l$n" root handle 1: \
			ramp rate $FAST limit 100000 obey min 0 "$@"
		feedback+=${feedback:+,}m$n
	done
	slow_port middle m0 $SLOW limit "$limit" ladder "$ladder" feedback "$feedback"

	for ((n = 1; n <= senders; n++)); do
		load left "l$n" 12mbit:2s -n "$n" >"$NET_WORK/sent$n" &
		pids+=($!)
	done
	wait "${pids[@]}"
	for ((n = 1; n <= senders; n++)); do
		empty left "l$n"
	done
	empty middle m0

	is "$name: the port drops" "$(lost_at m0)" 0
	for ((n = 1; n <= senders; n++)); do
		is "$name: sender $n drops" "$(of left "l$n" drops)" 0
	done
	is "$name: the receiver has all" "$(arrived right r0)" \
		"$(sent "$NET_WORK"/sent[0-9])"
	rm -f "$NET_WORK"/sent[0-9]
	holds "$name: codes that were sent" "$(of middle m0 codes_sent)" ">=" 4
}

# lost_at DEV
lost_at()
{
	of middle "$1" drops
}

net_init ramp-send tcpdump bc
only_virtual_time
sleep 1
# Above the threshold there is room for what comes until a code is heard.
start_stop "80:0" 80%:0% 100 1
start_stop "50:20" 50%:20% 100 1
start_stop "50:50, then 80:0" 50%:50%,80%:0% 100 1
start_stop "80:0, detect off" 80%:0% 100 1 detect off
start_stop "50:50, then 80:0, detect off" 50%:50%,80%:0% 100 1 detect off
start_stop "80:0, three senders" 80%:0% 200 3
start_stop "80:0, three senders, detect off" 80%:0% 200 3 detect off
ktap_end
