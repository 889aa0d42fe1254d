#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Anybody may ask what the actions of a bucket count, all of them. Who changes one of them
# has RTNL, which the whole machine needs, and must not wait until that is added up.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

ACTIONS=40000
NEVER=1000000000000

# ns COMMAND... - that one takes
ns()
{
	scale "$@" | jq '.ns_per_1000 / 1000 | floor'
}

# on_second COMMAND... - it runs on the second CPU until OTHER is ended, and makes the file
# $READY first. What is measured runs on the first.
on_second()
{
	rm -f "$READY"
	ip netns exec "$src" taskset -c 1 "$@" >/dev/null 2>&1 &
	OTHER=$!
	wait_until 60 test -e "$READY" || note "not ready: $*"
}

# busy - takes the second CPU, and reads nothing.
busy()
{
	on_second python3 -c "open('$READY', 'w').close()
while True: pass"
}

# reads COMMAND... - there, again and again.
reads()
{
	on_second python3 "$NET_LIB/mpolice_scale.py" "$@" --count 1000000 --ready "$READY"
}

# ended - OTHER; fails if it had ended before.
ended()
{
	local rc=0

	kill $OTHER || rc=1
	wait $OTHER 2>/dev/null
	return $rc
}

# lesser A B - if B was measured.
lesser()
{
	[[ $2 =~ ^[0-9]+$ ]] || { echo "$1"; return; }
	echo $(($1 < $2 ? $1 : $2))
}

# beside WHAT MOST COMMAND... - a change waits for a reader who does that all the time. A
# host that has other things to do makes it longer beside anybody: so it is compared with
# one beside a process that is as busy and reads nothing, the least of each, in turn: three
# times, and more often where the host did not let any of them alone. Who waits for whole
# readings waits in each of them.
beside()
{
	local what=$1 most=$2 alone=$NEVER reading=$NEVER took=$NEVER n part
	shift 2

	for n in {1..9}; do
		busy
		reading=$(lesser "$reading" "$(ns buckets 5 5 --count 10)")
		alone=$(lesser "$alone" "$(ns change $FIRST $LAST --count 100)")
		ended
		reads "$@"
		took=$(lesser "$took" "$(ns change $FIRST $LAST --count 100)")
		ended || fail "a change, beside a reader of $what: it goes on"
		part=$(((took - alone) * 100 / reading))
		[ "$n" -lt 3 ] || [ "$part" -gt "$most" ] || break
	done
	note "us: a reading $((reading / 1000)), a change beside a busy CPU $((alone / 1000))"
	note "us: a change beside a reader of $what $((took / 1000)), the least of $n"
	timed holds "a change waits for a reader of $what: % of what a reading takes" \
		"$part" "<=" "$most"
}

mpolice_init ramp-send taskset
[ "$(nproc)" -ge 2 ] || skip_all "a second CPU"
READY=$NET_WORK/ready
endpoint 1500
# Four buckets of one action, and the fifth has all the others.
FIRST=$((4 * ACTIONS + 1)) LAST=$((5 * ACTIONS))
scale make 1 4 --each 1 >/dev/null || fail "four actions are made"
scale make $FIRST $LAST --each $ACTIONS >/dev/null || fail "all other actions are made"
taskset -pc 0 $$ >/dev/null
beside "all actions" 20 buckets 5 5
beside "all buckets" 30 dump

# All of them move to and fro meanwhile, and who rests among them begins anew.
reads dump
scale repoint 5 1 --count 100 >/dev/null || fail "actions move to and fro"
if ended; then
	pass "actions move to and fro beside a reader, which goes on"
else
	fail "actions move to and fro beside a reader, which goes on"
fi
is "actions moved to and fro: all of them, and their buckets" "$(scale list |
	jq '"\(.actions) \(.buckets)"')" "\"$((ACTIONS + 4)) 5\""

rest egress 1 index $((FIRST + 6))
send x100 -s 500 >/dev/null
is "the counters of a bucket with many actions are those of all" \
	"$(scale buckets 5 5 --count 1 | jq .packets)" 100
tc -n "$src" filter del dev out0 egress
scale flush >/dev/null
ktap_end
