#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Anybody may ask what the actions of a bucket count, all of them. Who changes one of them
# has RTNL, which the whole machine needs, and must not wait until that is added up.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

ACTIONS=40000

# scale COMMAND... - in the namespace of out0.
scale()
{
	ip netns exec "$src" python3 "$NET_LIB/mpolice_scale.py" "$@"
}

# ns COMMAND... - that one takes
ns()
{
	scale "$@" | jq '.ns_per_1000 / 1000 | floor'
}

mpolice_init ramp-send
endpoint 1500
scale make 1 $ACTIONS --each $ACTIONS >/dev/null || fail "all actions are made"
read_ns=$(ns buckets 1 1 --count 20)
alone_ns=$(ns change 1 $ACTIONS --count 200)
scale buckets 1 1 --count 1000000 >/dev/null 2>&1 &
reader=$!
sleep 1
beside_ns=$(ns change 1 $ACTIONS --count 200)
kill $reader
wait $reader 2>/dev/null
note "us: a reading $((read_ns / 1000)), a change $((alone_ns / 1000)), \
beside a reader $((beside_ns / 1000))"
timed holds "a change, beside a reader of all actions: % of what a reading takes" \
	$((beside_ns * 100 / read_ns)) "<=" 20

rest egress 1 index 7
send x100 -s 500 >/dev/null
is "the counters of a bucket with many actions are those of all" \
	"$(scale buckets 1 1 --count 1 | jq .packets)" 100
tc -n "$src" filter del dev out0 egress
scale flush >/dev/null
ktap_end
