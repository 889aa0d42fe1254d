#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the defaults cost a burst on an idle link of 10 Gbit/s: the time from its first
# packet to its last one, as the receiver sees them. The table in
# Documentation/networking/ramp.rst is from here, and is compared.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

PAGE=$HERE/../../Documentation/networking/ramp.rst

# documented PACKETS - us, as the page has it.
documented()
{
	sed -nE "s/^$1 packets .* ([0-9]+) us\$/\1/p" "$PAGE"
}

# burst PACKETS
burst()
{
	local us said

	plain rate 10gbit
	sleep 0.1
	capture_start
	send "x$1" -s 1514 >/dev/null
	drained || note "still not empty"
	capture_stop
	us=$(PYTHONPATH=$NET_LIB python3 -c '
import sys
from capture import records
times = [record[0] for record in records(sys.argv[1])]
print(round((times[-1] - times[0]) / 1000))' "$NET_WORK/pcap")
	said=$(documented "$1")
	within "a burst of $1 packets on an idle link: us, as the page says, within 2 %" \
		"$us" $((said * 98 / 100)) $((said * 102 / 100 + 1))
}

# What an idle limiter allows is what a new one does, whatever has left before.
allowance()
{
	local new

	plain rate 10gbit
	new=$(counter allowance)
	holds "a new limiter shows what it allows" "$new" ">" 0
	send 10gbit:10ms -s 1514 >/dev/null
	drained || note "still not empty"
	sleep 0.1
	is "an idle limiter shows the same again" "$(counters state allowance)" "idle $new"
}

net_init ramp-send tcpdump
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution
for packets in 4 10 44 692; do
	burst $packets
done
allowance
ktap_end
