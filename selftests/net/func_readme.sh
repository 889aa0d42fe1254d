#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands of README.md, in the order in which they stand there: each succeeds. And
# whoever sets a TOS or a priority is not exempt by that.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

# shellcheck source=selftests/net/lib/docs.sh
. "$(dirname "$0")/lib/docs.sh"

# enqueued CLASS - packets that were put there.
enqueued()
{
	tc -n "$src" -s class show dev eth0 classid "$1" |
		grep -o 'enqueued [0-9]*' | cut -d' ' -f2
}

# trusted - no priority that a TOS gives leads to the exempt band, but the one that
# the output hook sets does.
trusted()
{
	local before

	before=$(enqueued 1:1)
	ip netns exec "$src" ramp-send -i eth0 \
		-p 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 x160 >/dev/null
	is "no priority of a TOS is exempt" $(($(enqueued 1:1) - before)) 0
	ip netns exec "$src" ramp-send -i eth0 -p $((0x10001)) x20 >/dev/null
	is "the priority that the output hook sets is exempt" \
		$(($(enqueued 1:1) - before)) 20
}

# own - what this box sends with CS6 is exempt, and no other packet of it.
own()
{
	local before

	ip -n "$src" address add 192.0.2.1/24 dev eth0
	ip -n "$src" neighbour add 192.0.2.2 dev eth0 lladdr 02:00:00:00:00:02
	before=$(enqueued 1:1)
	# Nobody answers.
	ip netns exec "$src" ping -q -c 2 -i 0.2 -W 1 192.0.2.2 >/dev/null
	is "what this box sends is not exempt" $(($(enqueued 1:1) - before)) 0
	ip netns exec "$src" ping -q -c 3 -i 0.2 -W 1 -Q 0xc0 192.0.2.2 >/dev/null
	is "what this box sends with CS6 is exempt" $(($(enqueued 1:1) - before)) 3
}

net_init ramp-send ping nsenter
docs_tools
docs_box
count=0
while docs_read; do
	count=$((count + 1))
	line=$DOCS_COMMAND
	# Of the CPUs that there are; without a driver nothing can follow a gear.
	run=${line/cpus 0-3/cpus 0-$(($(nproc) - 1))}
	run=${run/cpus 0-0/cpus 0}
	[ -e /sys/devices/system/cpu/cpu0/cpufreq ] || run=${run/ clock cpufreq*/}
	docs_run "$run"
	[[ $line != *exempt* ]] || trusted
	[[ $line != *"ip dscp cs6"* || -n $(docs_wants "$run") ]] || own
done 3< <(cd "$TREE" && python3 selftests/docs/commands.py --box README.md)
holds "README.md has commands" $count ">" 15
rmmod ramp_cpufreq 2>/dev/null
ktap_end
