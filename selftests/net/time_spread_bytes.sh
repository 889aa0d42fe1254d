#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A port whose qdisc has a limit in bytes is as full as its bytes are of these.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_fill.sh
. "$(dirname "$0")/lib/spread_fill.sh"

# bytes - that wait in p0
bytes()
{
	tc -n "$src" -j -s qdisc show dev p0 | jq '.[0].backlog'
}

spread_init teamnl taskset
hold_or_skip
only_virtual_time
sleep 1		# until timers have a high resolution
new
tc -n "$src" qdisc replace dev p0 root bfifo limit 100000
fill p0 10
holds "bytes wait" "$(bytes)" ">" 0
tc -n "$src" qdisc change dev p0 root bfifo limit $((4 * $(bytes)))
is "it is the limit that counts" "$(getopt spread_source p0)" limit
fill p0 20
is "half of the bytes: fullness and class" "$(state p0)" "50 2"
fill p0 30
is "three quarters: fullness and class" "$(state p0)" "75 3"
ktap_end
