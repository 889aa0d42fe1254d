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

# least COMMAND... - the least of three that scale() takes.
least()
{
	for _ in 1 2 3; do
		ns "$@"
	done | sort -n | head -n 1
}

# on_second COMMAND... - it runs on the second CPU until OTHER is ended. Whoever is
# measured is on the first.
on_second()
{
	ip netns exec "$src" taskset -c 1 "$@" >/dev/null 2>&1 &
	OTHER=$!
	sleep 1
}

# ends NAME - OTHER, which must still run.
ends()
{
	if kill $OTHER; then
		pass "$1"
	else
		fail "$1"
	fi
	wait $OTHER 2>/dev/null
}

# change_beside COMMAND... - what a change takes in TOOK while COMMAND runs.
change_beside()
{
	on_second "$@"
	TOOK=$(least change $FIRST $LAST --count 100)
}

# beside WHAT MOST COMMAND... - a change waits for a reader who does that all the time. A
# host that has other things to do makes it longer beside anybody: so it is compared with
# one beside a process that is as busy and reads nothing.
beside()
{
	local what=$1 most=$2 busy
	shift 2

	change_beside python3 -c 'while True: pass'
	busy=$TOOK
	kill $OTHER
	wait $OTHER 2>/dev/null
	change_beside python3 "$NET_LIB/mpolice_scale.py" "$@" --count 1000000
	ends "a change, beside a reader of $what: who goes on"
	note "us: a change beside a reader of $what $((TOOK / 1000)), a busy CPU $((busy / 1000))"
	timed holds "a change waits for a reader of $what: % of what a reading takes" \
		$(((TOOK - busy) * 100 / read_ns)) "<=" "$most"
}

mpolice_init ramp-send
endpoint 1500
# Four buckets of one action, and the fifth has all the others.
FIRST=$((4 * ACTIONS + 1)) LAST=$((5 * ACTIONS))
scale make 1 4 --each 1 >/dev/null || fail "four actions are made"
scale make $FIRST $LAST --each $ACTIONS >/dev/null || fail "all other actions are made"
taskset -pc 0 $$ >/dev/null || fail "there are two CPUs"
on_second python3 -c 'while True: pass'
read_ns=$(least buckets 5 5 --count 20)
kill $OTHER
wait $OTHER 2>/dev/null
note "us: a reading $((read_ns / 1000))"
beside "all actions" 20 buckets 5 5
beside "all buckets" 30 dump

# All of them move to and fro meanwhile, and who rests among them begins anew.
on_second python3 "$NET_LIB/mpolice_scale.py" dump --count 1000000
scale repoint 5 1 --count 100 >/dev/null || fail "actions move to and fro"
ends "actions move to and fro beside a reader, which goes on"
is "actions moved to and fro: all of them, and their buckets" "$(scale list |
	jq '"\(.actions) \(.buckets)"')" "\"$((ACTIONS + 4)) 5\""

rest egress 1 index $((FIRST + 6))
send x100 -s 500 >/dev/null
is "the counters of a bucket with many actions are those of all" \
	"$(scale buckets 5 5 --count 1 | jq .packets)" 100
tc -n "$src" filter del dev out0 egress
scale flush >/dev/null
ktap_end
