#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A device that frames with codes go out of is busy, and goes: the frame that was due
# for it is nobody's, and other devices hear what they would have heard.

# shellcheck source=selftests/net/lib/obey.sh
. "$(dirname "$0")/lib/obey.sh"

# sent DEV - frames that it took
sent()
{
	ip -n "$src" -j -s link show "$1" | jq '.[].stats64.tx.packets'
}

net_init ramp-send bc
only_virtual_time
sleep 1
pair 1500
modprobe -q spread_hold || {
	lacks "a device that is busy" "module spread_hold"
	ktap_end
}
for dev in hold0 hold1; do
	ip -n "$src" link add $dev type hold
	ip -n "$src" link set $dev up
done
ip netns exec "$src" sh -c "echo 0 >/sys/class/net/hold0/hold/credit"
# A peer has stopped it, so that all waits.
ramp rate 10mbit detect off limit 100 ladder 20%:50%,60%:20% \
	feedback hold0,hold1 obey min 0% validity 10s
frame '{"validity": 10000, "codes": [[0, 0]]}'
send x30 -s 1250 >/dev/null
sleep 0.1
is "one device has the code, one is busy" "$(sent hold0) $(sent hold1)" "0 1"
ip -n "$src" link del hold0
sleep 1
is "the busy device went: the other one was told once" \
	"$(sent hold1) $(counters frames_sent frames_lost | paste -sd' ')" "1 1 0"
sleep 3
is "the other device is told again when it is time" "$(sent hold1)" 2
ip -n "$src" link del hold1
ktap_end
