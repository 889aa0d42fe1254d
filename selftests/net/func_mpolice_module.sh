#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module comes with the first action and goes without a trace, whatever took the
# actions away: a deletion, a flush, a filter, the device, or the namespace.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

ROUNDS=10

loaded()
{
	[ -d /sys/module/act_mpolice ]
}

references()
{
	cat /sys/module/act_mpolice/refcnt 2>/dev/null || echo 0
}

# shellcheck disable=SC2317 # called by wait_until
unload_now()
{
	! loaded || modprobe -r act_mpolice 2>/dev/null
}

# clean NAME - the module can go, and nothing of it stays. A namespace goes in the
# background, and until then its actions hold the module.
clean()
{
	local why=()

	wait_until 20 unload_now
	! loaded || why+=("still in use: $(lsmod | grep ^act_mpolice)")
	[ ! -e /sys/kernel/tracing/events/mpolice ] || why+=("tracepoints stay")
	if [ ${#why[@]} = 0 ]; then
		pass "$1"
	else
		fail "$1" "${why[@]}"
	fi
}

# refused WORD... - the kernel says no, and holds nothing for it.
refused()
{
	local before why=()

	before=$(references)
	if tc -n "$src" actions add action mpolice "$@" 2>/dev/null; then
		why+=("it was accepted")
	fi
	[ "$(references)" = "$before" ] || why+=("$(references) references")
	if [ ${#why[@]} = 0 ]; then
		pass "refused without a reference: $*"
	else
		fail "refused without a reference: $*" "${why[@]}"
	fi
}

# many N - that many actions on half as many buckets.
many()
{
	local i

	for ((i = 1; i <= $1; i++)); do
		if [ $((i % 2)) = 1 ]; then
			echo "actions add action mpolice bucket $i rate 1gbit" \
				"policy drop index $i"
		else
			echo "actions add action mpolice bucket $((i - 1))" \
				"policy account index $i"
		fi
	done | tc -n "$src" -batch - || fail "$1 actions"
}

users_filters()
{
	rest ingress 1 index 1
	rest egress 1 index 2
}

mpolice_init ramp-send genl
modprobe -r act_mpolice
endpoint 1500
clean "unloaded: the module is not there"

create bucket 1 rate 1gbit policy drop index 1
if loaded; then
	pass "tc actions add loads the module"
else
	fail "tc actions add loads the module" "$(lsmod)"
fi
if modprobe -r act_mpolice 2>/dev/null; then
	fail "the module in use cannot be unloaded"
else
	pass "the module in use cannot be unloaded"
fi
tc -n "$src" actions delete action mpolice index 1
clean "unloaded: the action is deleted"

ip netns exec "$src" genl ctrl get name mpolice >/dev/null
if loaded; then
	pass "who asks for the netlink family loads the module"
else
	fail "who asks for the netlink family loads the module" "$(lsmod)"
fi
clean "unloaded: nobody has used the netlink family"

refused bucket 1 policy drop
refused bucket 1 rate 1gbit burst 100 policy drop
refused bucket 1 rate 1gbit interval 61s policy drop
refused bucket 1 rate 1gbit
refused bucket 1 rate 1gbit policy drop conform-exceed goto chain 5/pipe
refused index 55
is "refused actions: no action is there" "$(acts length)" 0
clean "unloaded: actions were refused"

for ((round = 0, good = 0; round < ROUNDS; round++)); do
	create bucket 1 rate 1mbit burst 5000 policy drop index 1
	rest egress 1 index 1
	send x20 -s 1000 >/dev/null
	tc -n "$src" filter del dev out0 egress
	flush
	wait_until 20 unload_now
	loaded || good=$((good + 1))
done
is "rounds of load, use and unload" $good $ROUNDS

many 200
tc -n "$src" actions flush action mpolice >/dev/null
clean "unloaded: 200 actions are flushed"

rest egress 1 bucket 1 rate 1mbit policy drop
send x5 -s 1000 >/dev/null
tc -n "$src" filter del dev out0 egress
clean "unloaded: an action goes with its only filter"

many 200
users_filters
send x200 -s 1000 >/dev/null
ip -n "$src" link del out0
is "an action of its own outlives the device" "$(acts length)" 200
flush
clean "unloaded: the device goes, then the actions"

endpoint 1500
many 200
users_filters
send 2000pps:1s -s 500 >/dev/null &
sender=$!
sleep 0.3
cleanup_all_ns
wait $sender 2>/dev/null
clean "unloaded: the namespace goes with actions and filters, while packets pass"
ktap_end
