# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Frames with codes as they arrive at a device, in $NET_WORK/codes.

# hear_codes NS DEV - captures those that come in from now on.
hear_codes()
{
	rm -f "$NET_WORK"/{codes,tcpdump}
	ip netns exec "$1" tcpdump -i "$2" -Q in -U -Z root \
		-w "$NET_WORK/codes" --time-stamp-precision=nano \
		ether proto 0x88b5 2>"$NET_WORK/tcpdump" &
	CODES_PID=$!
	wait_until 20 grep -q 'listening on' "$NET_WORK/tcpdump" ||
		note "no capture of codes"
}

# codes_end - the end of that capture
codes_end()
{
	# tcpdump has what came in a second ago.
	sleep 1
	kill -INT "$CODES_PID"
	wait "$CODES_PID"
}
