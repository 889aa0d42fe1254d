#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An occupancy that wobbles around a threshold for ten seconds: one code, where a
# threshold that gives way by no more than a packet makes many.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

# by_one, by_four - a queue of about 50, which gains as much as it loses. The port's
# bucket has room for more than a frame, so that it makes up for a late timer: otherwise
# the queue would grow by some frames in ten seconds.
# shellcheck disable=SC2317 # called by wobble
by_one()
{
	send x51,1000pps:10s -s 1250
}

# shellcheck disable=SC2317 # called by wobble
by_four()
{
	send x54 -s 1250
	send_each "250pps:10s -s 1250"{,,,}
}

# wobble NAME COMMAND BURST ADJUST - counts in $sent the codes of ten seconds; those of
# the way down at the end are not among them.
wobble()
{
	ramp_below 10mbit "$3" rate 10mbit detect off limit 100 \
		ladder 50%:40% adjust "$4"
	"$2" >"$NET_WORK/sent" &
	sleep 9.9
	sent=$(counters codes_sent)
	wait $!
	drained
}

# both NAME COMMAND BURST
both()
{
	wobble "$@" 10%
	is "$1: one code" "$sent" 1
	wobble "$@" 0.01%
	holds "$1: codes when the threshold gives way by one packet" "$sent" '>=' 10
}

net_init ramp-send
only_virtual_time
pair 1500
sleep 1
both "by one frame" by_one 3750
both "by four frames" by_four 2500
ktap_end
