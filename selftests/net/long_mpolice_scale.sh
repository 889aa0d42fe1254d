#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 100,000 buckets and 1,000,000 actions are made, looked up, listed and deleted. What
# that takes of one does not grow with how many there are. For a machine of native
# speed with some memory:
#
#	RAMP_VM_MEM=3072 selftests/vm/run -k uml -- selftests/net/long_mpolice_scale.sh

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

ACTIONS=${1:-1000000} EACH=10
BUCKETS=$((ACTIONS / EACH)) PART=$((ACTIONS / 50))
# How much more the last ones may take than the first ones. A machine with caches and
# neighbours needs some room; what grows with the number would take 1,000 times as long.
SLOWER=4

# scale COMMAND... - in the namespace of out0.
scale()
{
	ip netns exec "$src" python3 "$NET_LIB/mpolice_scale.py" "$@"
}

# per_1000 COMMAND... - ns, the least of three runs.
per_1000()
{
	for _ in 1 2 3; do
		scale "$@" | jq .ns_per_1000
	done | sort -n | head -n 1
}

# grows NAME FEW MANY - ns for 1,000, with few and with many.
grows()
{
	note "$1: 1,000 take $(($2 / 1000)) us with few, $(($3 / 1000)) us with all"
	within "$1: % of the time with all, of that with few" $(($3 * 100 / $2)) \
		1 $((SLOWER * 100))
}

available()
{
	awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo
}

# shellcheck disable=SC2317 # called by wait_until
unloaded()
{
	! [ -d /sys/module/act_mpolice ] || modprobe -r act_mpolice 2>/dev/null
}

# shellcheck disable=SC2317 # called by wait_until
memory_back()
{
	[ $((BEFORE - $(available))) -lt 50 ]
}

mpolice_init ramp-send
endpoint 1500
BEFORE=$(available)
made_first=$(scale make 1 $PART --each $EACH | jq .ns_per_1000)
get_first=$(per_1000 get 1 $PART)
bucket_first=$(per_1000 buckets 1 $((PART / EACH)))
scale make $((PART + 1)) $((ACTIONS - PART)) --each $EACH >"$NET_WORK/made" ||
	fail "actions can be made"
note "the others: $(cat "$NET_WORK/made")"
made_last=$(scale make $((ACTIONS - PART + 1)) "$ACTIONS" --each $EACH |
	jq .ns_per_1000)
get_last=$(per_1000 get 1 "$ACTIONS")
bucket_last=$(per_1000 buckets 1 $BUCKETS)
note "memory: $((BEFORE - $(available))) MB"
grows "a new action" "$made_first" "$made_last"
grows "an action by index" "$get_first" "$get_last"
grows "a bucket by number" "$bucket_first" "$bucket_last"

scale list >"$NET_WORK/list"
note "the list: $(cat "$NET_WORK/list")"
is "each action and each bucket is listed once" \
	"$(jq -c '[.actions, .actions_twice, .buckets, .buckets_twice]' \
		"$NET_WORK/list")" "[$ACTIONS,0,$BUCKETS,0]"
is "the last of them is what it was made as" "$(act "$ACTIONS" \
	'[.bucket, .rate, .users, .policy] | map(tostring) | join(" ")')" \
	"$BUCKETS $((1000000 + BUCKETS)) $EACH $(case $((ACTIONS % 3)) in
		0) echo drop ;; 1) echo account ;; 2) echo bypass ;; esac)"

# A packet finds its bucket without a search.
rest egress 1 index "$ACTIONS"
send x100 -s 500 >/dev/null
is "packets find their bucket" "$(act "$ACTIONS" \
	'[.conformed, .over, .bypassed] | map(.packets) | add')" 100
tc -n "$src" filter del dev out0 egress

# All but the first of each bucket: these stay, with one user.
first=$(scale delete 2 $((PART)) --step 2 | jq .ns_per_1000)
last=$(scale delete $((PART + 2)) "$ACTIONS" --step 2 | jq .ns_per_1000)
grows "a deletion" "$last" "$first"
is "half of them are deleted" "$(scale list |
	jq -c '[.actions, .actions_twice, .buckets, .buckets_twice]')" \
	"[$((ACTIONS / 2)),0,$BUCKETS,0]"
is "users of a bucket" "$(act 11 .users)" $((EACH / 2))
note "flush: $(scale flush)"
is "nothing is left" "$(scale list |
	jq -c '[.actions, .buckets]')" "[0,0]"
wait_until 60 unloaded
is "and the module can go" "$(lsmod | grep -c ^act_mpolice)" 0
wait_until 60 memory_back
within "memory that is not there any more, MB" $((BEFORE - $(available))) \
	-1000 50
ktap_end
