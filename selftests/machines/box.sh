#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One of two boxes with a cable between them, whose CPUs have their bytes in a different
# order: each tells the other one to slow down, and obeys. The frames that each hears are,
# byte for byte, the one that Documentation/networking/ramp-codes.rst has.
#
# Runs in a machine that was started with RAMP_VM_LINK (selftests/machines/run).

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/../net/lib/lib.sh"

DOC=$(cd "$(dirname "$0")/../.." && pwd)/Documentation/networking/ramp-codes.rst
# For a machine that has to do the work of another one, and then waits for it.
PATIENCE=${RAMP_LINK_PATIENCE:-600}

# replace OFFSET LENGTH BYTES - the documented frame with other bytes there
replace()
{
	FRAME=${FRAME:0:$(($1 * 2))}$3${FRAME:$((($1 + $2) * 2))}
}

# documented ADDRESS FRAME - the documented frame of a sender with that address, and with
# what is random, or the sender's own, as in that frame.
documented()
{
	FRAME=$(sed -n 's/^\t0x00[0-9a-f]0: *//p' "$DOC" | tr -d ' \n')
	replace 6 6 "${1//:/}"
	replace 16 2 2710
	replace 18 4 "${2:36:8}"
	replace 22 4 "${2:44:8}"
	replace 26 4 00030001
	replace 30 4 "${2:60:8}"
	printf '%s\n' "$FRAME"
}

# obeys - whether the ramp on the cable sends at the rate that the other box asks for.
# shellcheck disable=SC2317 # called by wait_until
obeys()
{
	tc -n "$src" -s class show dev cable | grep -q 'peer_rate 25%'
}

cable()
{
	local path

	for path in /sys/class/net/*; do
		case $(<"$path/address") in
		02:00:00:00:00:01) device=${path##*/} other=2 ;;
		02:00:00:00:00:02) device=${path##*/} other=1 ;;
		esac
	done
	[ -n "${device-}" ] || missing "a cable to another machine (RAMP_VM_LINK)"
}

modprobe -q virtio_net
net_init ramp-send
cable
pair 1500
ip link set "$device" netns "$src"
ip -n "$src" link set "$device" name cable
ip -n "$src" link set cable up
tc -n "$src" qdisc replace dev cable root handle 7: ramp rate 1gbit detect off bands 2 \
	obey min 1%

ip netns exec "$src" python3 -B "$(dirname "$0")/box.py" cable "$NET_WORK" "$PATIENCE" &
talker=$!
wait_until "$PATIENCE" test -e "$NET_WORK/met"
is "the boxes meet" $? 0

# So slow that it waits for minutes: the other box may take that long.
ramp_below 4kbit 1514 rate 100kbit detect off limit 100 bands 2 \
	priomap 1 1 1 1 1 1 0 0 1 1 1 1 1 1 1 1 ladder 20%:25% feedback cable validity 10s
send x90 -p 6 >/dev/null
wait_until "$PATIENCE" test -e "$NET_WORK/other"
heard=$(cat "$NET_WORK/other")
is "what the other box says is the documented frame" "$heard" \
	"$(documented 02:00:00:00:00:0"$other" "$heard")"
wait_until "$PATIENCE" obeys
is "this box obeys the other one" $? 0
: >"$NET_WORK/done"
wait $talker
is "the other box is done, too" $? 0
ktap_end
