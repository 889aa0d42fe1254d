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

# beside WHAT MOST COMMAND... - a change while somebody else does that all the time. A host
# that is away only makes it longer, so the least of three is what it takes.
beside()
{
	local what=$1 most=$2 reader took_ns

	shift 2
	scale "$@" --count 1000000 >/dev/null 2>&1 &
	reader=$!
	sleep 1
	took_ns=$(for _ in 1 2 3; do
		ns change $FIRST $LAST --count 100
	done | sort -n | head -n 1)
	kill $reader || fail "the reader of $what goes on"
	wait $reader 2>/dev/null
	note "us: a change beside a reader of $what $((took_ns / 1000))"
	timed holds "a change, beside a reader of $what: % of what a reading takes" \
		$((took_ns * 100 / read_ns)) "<=" "$most"
}

mpolice_init ramp-send
endpoint 1500
# Four buckets of one action, and the fifth has all the others.
FIRST=$((4 * ACTIONS + 1)) LAST=$((5 * ACTIONS))
scale make 1 4 --each 1 >/dev/null || fail "four actions are made"
scale make $FIRST $LAST --each $ACTIONS >/dev/null || fail "all other actions are made"
read_ns=$(ns buckets 5 5 --count 20)
alone_ns=$(ns change $FIRST $LAST --count 200)
note "us: a reading $((read_ns / 1000)), a change $((alone_ns / 1000))"
beside "all actions" 20 buckets 5 5
beside "all buckets" 30 dump

# All of them move to and fro meanwhile, and who rests among them begins anew.
scale dump --count 1000000 >/dev/null 2>&1 &
reader=$!
scale repoint 5 1 --count 100 >/dev/null || fail "actions move to and fro"
if kill $reader; then
	pass "actions move to and fro beside a reader, which goes on"
else
	fail "actions move to and fro beside a reader, which goes on"
fi
wait $reader 2>/dev/null
is "actions moved to and fro: all of them, and their buckets" "$(scale list |
	jq '"\(.actions) \(.buckets)"')" "\"$((ACTIONS + 4)) 5\""

rest egress 1 index $((FIRST + 6))
send x100 -s 500 >/dev/null
is "the counters of a bucket with many actions are those of all" \
	"$(scale buckets 5 5 --count 1 | jq .packets)" 100
tc -n "$src" filter del dev out0 egress
scale flush >/dev/null
ktap_end
