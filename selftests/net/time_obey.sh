#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How fast bands send that a peer slows down, from the receiver's capture in virtual
# time: at the share of rate that its last valid code says, and as before when that
# has expired. 100 % are 1000 frames per second.

# shellcheck source=selftests/net/lib/obey.sh
. "$(dirname "$0")/lib/obey.sh"

HOLD='"validity": 10000'

# obeying PARAMETER... - a new ramp on out0, of 10 Mbit/s.
obeying()
{
	ramp rate 10mbit detect off limit 10000 obey "$@"
}

# offer PROFILE [OPTION...] - frames of 1250 bytes, all of which arrive in the end.
offer()
{
	capture_start
	send "$@" -s 1250 >"$NET_WORK/sent"
	drained || note "still not empty"
	capture_stop
}

# Whatever has not been used while nothing was sent is no reason to send faster
# later: a packet and a tick are all that may go at once.
one_rate()
{
	obeying
	frame "{$HOLD, \"codes\": [[0, 5000]]}"
	sleep 2
	offer 20mbit:500ms
	# shellcheck disable=SC2046 # a list
	paced "50 %: 50 frames in each 100 ms, of 200 that come" 50 $(bins 19)
	all_there "50 %"
	is "50 %: frames that a code held back are not in delayed" \
		"$(counter delayed)" 0
	# The first of them found what had not been used.
	within "50 %: frames that a code held back, of 1000" \
		"$(class_counters peer_delayed)" 990 999
	within "50 %: frames over the limit, each when it waits" \
		"$(counter overlimits)" 990 2000
}

changes()
{
	obeying
	frame "{$HOLD, \"codes\": [[0, 5000]]}"
	(
		sleep 0.5
		exec ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
			"{$HOLD, \"seq\": 2, \"codes\": [[0, 2000]]}"
	) &
	offer 20mbit:500ms
	wait $!
	# The code is sent half a second after the first frame, or a little less.
	# shellcheck disable=SC2046
	paced "50 %, then 20 %: the first 400 ms" 50 $(bins 4)
	# shellcheck disable=SC2046
	paced "50 %, then 20 %: from 600 ms on" 20 $(bins 14 | cut -d' ' -f7-)
	all_there "50 %, then 20 %"
}

# What waits when a code expires leaves as fast as ever. The bucket is empty when the
# code comes, so the first frame waits, and the last 100 ms are not whole.
expires()
{
	obeying
	frame '{"validity": 450, "codes": [[0, 1000]]}'
	offer 10mbit:1s
	# shellcheck disable=SC2046
	paced "10 % until it expires: the first 300 ms" 10 $(bins 3)
	# shellcheck disable=SC2046
	paced "codes expire: all that comes afterwards" 100 $(bins 9 | cut -d' ' -f6-)
	is "codes expire: what had waited left at once" \
		"$(counters codes_expired queued)" "1 0"
	all_there "10 % until it expires"
}

# A device may be faster than that.
whole()
{
	obeying
	frame "{$HOLD, \"codes\": [[0, 10000]]}"
	offer 20mbit:500ms
	# shellcheck disable=SC2046
	paced "100 %, the first that a peer says: 100 frames in each 100 ms" 100 $(bins 9)
	all_there "100 %"
}

# A band that is stopped does not stop those below it.
stopped()
{
	obeying min 0% bands 2 priomap 1 1 1 1 1 1 0 0 1 1 1 1 1 1 1 1
	frame '{"validity": 1000, "codes": [[0, 0], [1, 5000]]}'
	offer 10mbit:500ms -p 6,0
	is "a stopped band sends nothing" "$(bins 5 0 | tr ' ' + | bc)" 0
	# shellcheck disable=SC2046
	paced "while the lower band sends" 50 $(bins 5 1)
	is "a stopped band sends all of it when it may again" \
		"$(capture count --stream 0)" 250
}

# A step of 2 packets per tick: from 20 to 100 % in 4 ticks, and from then on all of it.
back_up()
{
	obeying tick 10ms start 2p step 2p
	frame "{$HOLD, \"codes\": [[0, 2000]]}"
	(
		sleep 0.5
		exec ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
			"{$HOLD, \"seq\": 2, \"codes\": [[0, 10000]]}"
	) &
	offer 20mbit:500ms
	wait $!
	within "steps of 2 packets, back to 100 %: frames from 700 to 1100 ms" \
		"$(bins 11 | cut -d' ' -f8-11 | tr ' ' + | bc)" 396 404
	all_there "steps of 2 packets"
}

# Both apply: the ramp, and what the peer allows, which is 3 frames in each tick. A
# bucket that was not used holds a frame and a tick more.
with_a_ramp()
{
	ramp rate 10mbit tick 10ms detect ingress ingress 10%:50% window 80ms \
		start 1p step 1p limit 10000 obey
	frame "{$HOLD, \"codes\": [[0, 3000]]}"
	trace_start
	sleep 1
	offer 20mbit:300ms
	trace_stop
	matches "a ramp, up to what the peer allows: the first 10 ticks" \
		"$(capture bins --origin $(($(surge_time 1 ramp) - 2000)) \
			--tick $((10 * MS)) --ticks 10)" '^1 2 3 [345] [345] ([234] ?){5}$'
	all_there "a ramp, and a peer"
}

net_init ramp-send tcpdump bc
only_virtual_time
pair 1500
sleep 1
one_rate
whole
changes
expires
stopped
back_up
with_a_ramp
ktap_end
