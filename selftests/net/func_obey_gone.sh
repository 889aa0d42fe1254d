#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A ramp that obeys hears codes from the moment that it is made, and the core may find
# then that it does not want it. Some kernels free such a qdisc at once. So whoever is just
# hearing a code has to be done with it before it is gone.

# shellcheck source=selftests/net/lib/obey.sh
. "$(dirname "$0")/lib/obey.sh"

HOLD=/sys/kernel/debug/ramp_hold/ms
MS=500

net_init taskset
[ "$(nproc)" -ge 2 ] || skip_all "a second CPU"
modprobe -q ramp_hold || skip_all "kprobes on x86 (module ramp_hold)"
[ -w $HOLD ] || missing "debugfs"
pair 1500
ip netns exec "$dst" taskset -c 1 python3 "$NET_LIB/obey_gone.py" send in0 &
sender=$!
# There is no debugfs in /sys of a network namespace.
result=$(ip netns exec "$src" taskset -c 0 \
	python3 "$NET_LIB/obey_gone.py" fail out0 /proc/self/fd/3 $MS 3<>$HOLD)
kill $sender
wait $sender 2>/dev/null
note "$result"
is "a ramp that could not be made: all were refused, and one heard a code meanwhile" \
	"$(jq -c '[.held, .made]' <<<"$result")" "[true,0]"
holds "a ramp that could not be made: ms that it waited for who heard a code" \
	"$(jq .longest <<<"$result")" ">=" $((MS * 4 / 5))
is "a ramp that could not be made: nothing listens any more" \
	"$(ip -n "$src" maddress show dev out0 | grep -ciE '01:80:c2:00:00:0e')" 0
modprobe -r ramp_hold
ktap_end
