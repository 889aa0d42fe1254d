#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Arrivals in packets per second: a large packet counts as many as there will be of it
# on the wire.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

# large COUNT - packets of 40 segments, at once, to an address that nobody has
large()
{
	ip netns exec "$src" python3 "$HERE/func_gso.py" send 10.9.0.3 5000 "$1" \
		>/dev/null
}

net_init python3
only_virtual_time
pair 1500
ip -n "$src" addr add 10.9.0.1/24 dev out0
ip -n "$src" neigh add 10.9.0.3 dev out0 nud permanent \
	lladdr "$(ip -n "$dst" -j link show in0 | jq -r '.[].address')"
sleep 1		# until timers have a high resolution

# HIGH is 50 packets in an eighth of the window.
ramp rate 1gbit window 10ms ingress 1000pps:40000pps
large 1
is "40 packets in one are no surge" "$(counters enqueued surges_up)" "1 0"
sleep 0.1
large 2
is "80 packets in two are one" "$(counters enqueued surges_up)" "3 1"
ktap_end
