#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The frame that Documentation/networking/ramp-codes.rst has byte for byte: a real one,
# captured by tcpdump, is the same, but for the numbers that are random or the machine's.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

DOC=$(cd "$(dirname "$0")/../.." && pwd)/Documentation/networking/ramp-codes.rst

# bytes - a dump of tcpdump -xx as one word
bytes()
{
	sed -n 's/^\t*0x00[0-9a-f]0: *//p' | tr -d ' \n'
}

# documented OFFSET LENGTH BYTES - the documented frame with other bytes there
FRAME=$(grep -P '^\t0x00' "$DOC" | bytes)
replace()
{
	FRAME=${FRAME:0:$(($1 * 2))}$3${FRAME:$((($1 + $2) * 2))}
}

net_init ramp-send tcpdump
pair 1500
is "the document has a whole frame" "${#FRAME}" 120

ip -n "$src" link add name tell0 address 02:00:00:00:00:0a type veth peer name tell1
ip -n "$src" link set tell0 up
ip -n "$src" link set tell1 up
ip netns exec "$src" tcpdump -i tell1 -U -Z root -c 1 -w "$NET_WORK/frame" \
	'ether proto 0x88b5 and ether[36:2] != 10000' 2>"$NET_WORK/tcpdump" &
wait_until 20 grep -q 'listening on' "$NET_WORK/tcpdump"
# On a slow machine a second passes before enough waits, and the code of 100 % is repeated.
ramp_below 1mbit 1514 rate 1mbit detect off limit 100 bands 2 \
	priomap 1 1 1 1 1 1 0 0 1 1 1 1 1 1 1 1 ladder 20%:25% feedback tell0
send x30 -p 6 >/dev/null
wait $!

got=$(tcpdump -r "$NET_WORK/frame" -xx 2>/dev/null | bytes)
# Of random numbers only that they are there; the port is below a tbf here.
replace 18 4 "${got:36:8}"
replace 22 4 "$(printf %08x "$(ip -n "$src" -j link show out0 | jq .[].ifindex)")"
replace 26 4 00030001
replace 30 4 "${got:60:8}"
is "a real frame is the documented one" "$got" "$FRAME"
within "the number of a real frame" $((16#${got:60:8})) 1 60
matches "the epoch of a real frame is a number" "${got:36:8}" '^[0-9a-f]{8}$'
ktap_end
