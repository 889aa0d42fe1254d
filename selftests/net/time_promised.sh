#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A parent that has been shown a packet takes it half a second later. The bucket that
# it pays from, of a gear or of a band that a peer slows down, is then as full as it
# gets, and no fuller: the next packet has to wait for its own tokens.

# shellcheck source=selftests/net/lib/obey.sh
. "$(dirname "$0")/lib/obey.sh"

# below PARAMETER... - a ramp below a tbf that has tokens for one packet of 1250 bytes.
below()
{
	tc -n "$src" qdisc replace dev out0 root handle 1: pfifo
	tc -n "$src" qdisc replace dev out0 root handle 3: \
		tbf rate 8kbit burst 1600 limit 100000000
	tc -n "$src" qdisc replace dev out0 parent 3:1 handle 2: ramp "$@"
}

# spaced NAME NS - three packets wait, of which the parent is shown the first one, and
# takes as many as it gets half a second later. The bucket holds a packet and what a
# tick brings, so that the next packet comes NS later, less a tick or two.
spaced()
{
	local gaps

	capture_start
	send x4 -s 1250 >/dev/null
	sleep 0.5
	is "$1: one has left, three wait" \
		"$(counters dequeued queued)" "1 3"
	tc -n "$src" qdisc change dev out0 root handle 3: \
		tbf rate 1gbit burst 1000000 limit 100000000
	# It is asked when something comes.
	send x1 -s 1250 -n 1 >/dev/null
	drained
	capture_stop
	mapfile -t gaps < <(capture frames --stream 0 | awk '
		NR > 2 { printf "%d\n", $1 - last }
		{ last = $1 }')
	within "$1: from the promised packet to the next one, ns" "${gaps[0]}" \
		$(($2 - 150000)) $(($2 + 2000))
	within "$1: from that to the last one, ns" "${gaps[1]}" \
		$(($2 - 2000)) $(($2 + 2000))
}

# The band of the promised packet goes, and its packets are in the last one that is left.
gone()
{
	below detect off rate 1gbit bands 4 limit 100
	capture_start
	send x4 -s 1250 -p 0x20004 >/dev/null
	tc -n "$src" qdisc change dev out0 parent 3:1 ramp bands 2
	is "the band of a promised packet goes: what waits" \
		"$(counter queued) $(class_counters queued)" "3 0 3"
	tc -n "$src" qdisc change dev out0 root handle 3: \
		tbf rate 1gbit burst 1000000 limit 100000000
	send x1 -s 1250 -p 0x20001 -n 1 >/dev/null
	drained
	capture_stop
	is "the band of a promised packet goes: all arrive" \
		"$(capture check 4 --stream 0) $(capture count --stream 1)" \
		"received 4 lost 0 doubled 0 reordered 0 1"
}

net_init ramp-send tcpdump bc
only_virtual_time
# A bucket holds one frame.
pair 1236
sleep 1		# until timers have a high resolution

below detect off rate 1gbit limit 100 gears 5mbit,20mbit gear-up 90% gear-down 0% \
	gear-range 1:1
spaced "a gear of 20 mbit" 500000

below detect off rate 10mbit limit 100 obey
frame '{"validity": 10000, "codes": [[0, 5000]]}'
spaced "a band that may send 5 mbit" 2000000
gone
ktap_end
