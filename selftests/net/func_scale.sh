#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many ramps of a user in namespaces of its own, beside as many tbf: others do not wait
# longer, neither for a link that goes up or down, nor when all of them go at once; and a
# ramp of which nothing is configured takes little memory.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
# As many as there is time for. An emulated machine makes one in some ms.
case ${RAMP_KERNEL-} in
uml) MANY=6000 ;;
*) MANY=500 ;;
esac
ROUNDS=3
TBF="tbf rate 1gbit burst 10000 limit 100000" RAMP="ramp"
many=""

# devices - in a new namespace, all of them up
devices()
{
	local i

	setup_ns many || missing "network namespaces"
	# shellcheck disable=SC2154 # setup_ns sets it
	ip netns exec "$many" sysctl -wq net.ipv6.conf.default.disable_ipv6=1 \
		2>/dev/null
	for ((i = 1; i <= MANY; i++)); do
		echo "link add d$i type dummy"
		echo "link set d$i up"
	done | ip -n "$many" -batch -
}

# qdiscs WORD... - on all of them, instead of what is there
qdiscs()
{
	local i

	for ((i = 1; i <= MANY; i++)); do
		echo "qdisc replace dev d$i root $*"
	done | tc -n "$many" -batch - >/dev/null 2>&1
	is "$MANY times $1" "$(tc -n "$many" qdisc show | grep -c "^qdisc $1 ")" "$MANY"
}

# short FILE - what a tenth of the times are below: others were away longer, as the
# machine had something else to do
short()
{
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 9) / 10)] }'
}

# not_longer NAME NS OTHERS_NS TENTHS SLACK_NS - at most so many times what it is with
# the others
not_longer()
{
	holds "$1: ns, of what it is with tbf" "$2" "<=" $(($3 * $4 / 10 + $5))
}

scale()
{
	PYTHONPATH=$NET_LIB python3 "$HERE/func_scale.py" "$@"
}

# An event of a device costs the ramps of that device, and nobody else's.
links()
{
	local round

	devices
	for ((round = 1; round < ROUNDS; round++)); do
		# shellcheck disable=SC2086 # several words
		qdiscs $TBF
		scale links other0 50 >>"$NET_WORK/links.tbf"
		# shellcheck disable=SC2086 # several words
		qdiscs $RAMP
		scale links other0 50 >>"$NET_WORK/links.ramp"
	done
	not_longer "up and down of a link that is nobody's" \
		"$(short "$NET_WORK/links.ramp")" \
		"$(short "$NET_WORK/links.tbf")" 12 0
}

# shellcheck disable=SC2317 # called by wait_until
witness_gone()
{
	[ ! -e /sys/class/net/witness0 ]
}

# gone - the namespace goes; prints the longest that somebody else waited for, in ns
gone()
{
	local pid

	ip link add witness0 type veth peer name d0 netns "$many"
	rm -f "$NET_WORK/end" "$NET_WORK/waited"
	scale wait other0 "$NET_WORK/end" \
		>"$NET_WORK/waited" &
	pid=$!
	wait_until 20 grep -q ready "$NET_WORK/waited"
	ip netns del "$many"
	wait_until 60 witness_gone
	touch "$NET_WORK/end"
	wait $pid
	tail -1 "$NET_WORK/waited"
}

# The ramps that are there go first.
ends()
{
	local round

	for ((round = 0; round < ROUNDS; round++)); do
		[ $round = 0 ] || {
			devices
			# shellcheck disable=SC2086 # several words
			qdiscs $RAMP
		}
		gone >>"$NET_WORK/ends.ramp"
		devices
		# shellcheck disable=SC2086 # several words
		qdiscs $TBF
		gone >>"$NET_WORK/ends.tbf"
	done
	note "with ramps $(paste -sd' ' "$NET_WORK/ends.ramp")," \
		"with tbf $(paste -sd' ' "$NET_WORK/ends.tbf") ns"
	not_longer "RTNL is held when all of them go" \
		"$(short "$NET_WORK/ends.ramp")" \
		"$(short "$NET_WORK/ends.tbf")" 13 20000000
}

slab()
{
	awk '/^Slab:/ { print $2 * 1024 }' /proc/meminfo
}

# of_slab WORD... - prints what each of a thousand qdiscs takes, in bytes.
of_slab()
{
	local before

	before=$(slab)
	qdiscs "$@" >/dev/null
	echo $((($(slab) - before) / MANY))
}

# What is there before is the kernel's own.
memory()
{
	local plain taken MANY=1000

	devices
	# shellcheck disable=SC2086 # several words
	plain=$(of_slab $TBF)
	ip netns del "$many"
	devices
	# shellcheck disable=SC2086 # several words
	taken=$(of_slab $RAMP)
	within "a ramp with nothing configured: bytes that it takes" "$taken" 1 8192
	note "a tbf takes $plain bytes"
	ip netns del "$many"
}

net_init modprobe
case ${RAMP_KERNEL-} in
uml-time) skip_all "work that takes time" ;;
*-debug) skip_all "times and memory of a kernel without checkers" ;;
esac
modprobe -q dummy || missing "module dummy"
modprobe -q sch_tbf
ip link add other0 type dummy
memory
links
ends
ip link del other0
ktap_end
