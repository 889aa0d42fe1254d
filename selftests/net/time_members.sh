#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# When is a change of the number of bands that have packets waiting a surge?
# Inside the window it is one, outside it is none, up and down; only bands that
# the gate counts matter, and how many packets wait in them does not.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

BITS=12112		# of a frame
SLOW=80bit		# the tbf needs 151 s for one of them

# band N PROFILE - for send_each: to a band, by the priority that names its class
# of qdisc 2:.
band()
{
	echo "$2 -p $((0x20000 + $1 + 1))"
}

# below PARAMETER... - below a tbf that has just let a packet pass. The next one
# in band 3 is shown to it, and counts as waiting; members say when they left LOW.
below()
{
	ramp_below $SLOW 1514 rate 100mbit detect members window 1s "$@"
	send x1 >/dev/null
}

# judge WHAT DIRECTION EXPECTED
judge()
{
	is "$1, $2: surges" "$(counter "surges_$2")" "$3"
}

net_init ramp-send
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution

# Up: band 3 waits from the begin; the second band leaves LOW after 50 ms, the
# fourth reaches HIGH.
for took in 980 1020; do
	below bands 4 members 1:4
	send_each "$(band 3 x1)" "$(band 2 0:50ms,x1)" "$(band 1 0:300ms,x1)" \
		"$(band 0 0:$((50 + took))ms,x1)"
	judge "members 1:4, crossing $took ms of 1 s" up $((took < 1000))
	is "members 1:4, crossing $took ms of 1 s: ramps" \
		"$(counter ramps)" $((took < 1000))
done

# The default: 1 to all that are counted.
below bands 4
send_each "$(band 3 x1)" "$(band 2 x1)" "$(band 1 0:300ms,x100)"
judge "members 1:bands, 3 bands, one with 100 packets" up 0
send_each "$(band 0 x1)"
judge "members 1:bands, the 4th band" up 1
below bands 5 exempt 0
send_each "$(band 4 x1)" "$(band 3 x1)" "$(band 2 x1)" "$(band 0 x9)"
judge "members 1:bands, exempt 0, 3 bands and the exempt one" up 0
send_each "$(band 1 x1)"
judge "members 1:bands, exempt 0, the 4th that is counted" up 1

# LOW is included: two bands are low, and leave it with the third.
for low in 1 2; do
	below bands 4 members $low:4
	send_each "$(band 3 x1)" "$(band 2 x1)" "$(band 1 0:1100ms,x1)" \
		"$(band 0 0:1400ms,x1)"
	judge "members $low:4, 2 bands, later 2 more at once" up $((low == 2))
done

# From nothing: the packet that goes at once is not waiting afterwards.
below bands 4 members 0:3
send_each "$(band 3 x1)" "$(band 2 0:400ms,x1)" "$(band 1 0:980ms,x1)"
judge "members 0:3, crossing 980 ms of 1 s" up 1
below bands 4 members 0:3
send_each "$(band 3 x1)" "$(band 2 0:400ms,x1)" "$(band 1 0:1020ms,x1)"
judge "members 0:3, crossing 1020 ms of 1 s" up 0
# More packets in the bands that have some are no news, nor bands that stay.
send_each "$(band 3 x50)" "$(band 2 x50)" "$(band 1 x50)"
judge "members 0:3, 150 packets more in the same bands" up 0

# fill N3 N2 N1 N0 - so many packets in each band, so slowly that it is no surge.
fill()
{
	send_each "$(band 3 "x$1")" "$(band 2 "0:10ms,x$2")" \
		"$(band 1 "0:20ms,x$3")" "$(band 0 "0:1200ms,x$4")"
}

# drain_at BITS_PER_SECOND - the tbf becomes so fast, and looks when one more packet
# comes, for which the one of band 3 that it was shown goes.
drain_at()
{
	local queued

	queued=$(counter queued)
	tc -n "$src" qdisc change dev out0 root handle 3: \
		tbf rate "$1bit" burst 1514 limit 100000000
	send x1 -p $((0x20004)) >/dev/null
	sleep $((queued * BITS / $1 + 1))
	drained
}

# Down: band 0 runs empty, which leaves HIGH, then band 1, then band 2, which
# reaches LOW. From the first to the last are 6 and 8 packets.
for took in 980 1020; do
	below bands 4 members 1:4
	fill 30 8 6 10
	is "members 1:4, rise of 1.2 s: surges" "$(counters surges_up queued)" "0 54"
	drain_at $((BITS * 14 * 1000 / took))
	judge "members 1:4, falling, crossing $took ms of 1 s" down $((took < 1000))
	is "members 1:4, falling, crossing $took ms of 1 s: ramps" \
		"$(counters ramps ramps_turned)" "$((took < 1000)) 0"
done

# An exempt band that runs empty between them is no member.
below bands 5 members 1:4 exempt 4
fill 30 8 6 10
send_each "$(band 4 x30)"
drain_at $((BITS * 14 * 1000 / 980))
judge "members 1:4, exempt 4, falling, crossing 980 ms of 1 s" down 1

# The last band runs empty with its last packet: nothing is left to be shaped.
for took in 980 1020; do
	below bands 4 members 0:3
	fill 8 6 0 10
	drain_at $((BITS * 14 * 1000 / took))
	is "members 0:3, falling to nothing, crossing $took ms of 1 s: surges_down down_empty ramps" \
		"$(counters surges_down down_empty ramps)" \
		"$((took < 1000)) $((took < 1000)) 0"
done

# What a ramp has held back runs empty, which is no surge.
below bands 4 tick 10ms start 1p step 1p
send_each "$(band 3 x9)" "$(band 2 x9)" "$(band 1 x9)" "$(band 0 x9)"
drain_at 100000000
is "members 1:bands, the ramp's own backlog: surges_up surges_down surges_self ramps ramps_turned" \
	"$(counters surges_up surges_down surges_self ramps ramps_turned)" "1 0 1 1 0"
ktap_end
