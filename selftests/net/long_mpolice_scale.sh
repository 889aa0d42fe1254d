#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 100,000 buckets and 1,000,000 actions are made, looked up, listed and deleted. What
# one takes does not grow with how many there are: it is compared with what it took
# when there were 1,000 actions. To make and to delete one is mostly the allocator's
# work, which depends on all that was allocated before: so that is compared with what
# gact takes at the same time, of which there are always 1,000. For a machine of native
# speed with some memory:
#
#	RAMP_VM_MEM=3072 selftests/vm/run -k uml -- selftests/net/long_mpolice_scale.sh

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

ACTIONS=${1:-1000000} EACH=10 FEW=1000
BUCKETS=$((ACTIONS / EACH))
# Of a search 1,000 times as many would take 1,000 times as long. A tree with 64
# branches has two levels for 1,000 and four for 1,000,000, and is all that may differ
# where the same few are asked for. Those that are anywhere are in no cache as well.
SAME=2 ANY=4

# per_1000 COMMAND... - ns, the least of three runs.
per_1000()
{
	for _ in 1 2 3; do
		scale "$@" | jq .ns_per_1000
	done | sort -n | head -n 1
}

# grows NAME FEW MANY TIMES - ns for 1,000, with few and with many, and how much more
# that may be.
grows()
{
	note "$1: 1,000 take $(($2 / 1000)) us with few, $(($3 / 1000)) us with all"
	within "$1: % of the time with all, of that with few" $(($3 * 100 / $2)) \
		1 $(($4 * 100))
}

# again WHEN - deletes half of the first actions and makes them again, and the same
# of gact, five times. What 1,000 took is in variables with this name in front.
again()
{
	local kind

	for _ in 1 2 3 4 5; do
		for kind in mpolice gact; do
			least ns_per_1000 "$1_$kind"_deleted delete 2 $FEW --step 2 \
				--kind $kind
			least ns_per_1000 "$1_$kind"_made make 2 $FEW --each $EACH --step 2 \
				--kind $kind
		done
	done
}

# grows_beside NAME WHAT - the same as grows, of mpolice beside gact.
grows_beside()
{
	local few=few_mpolice_$2 all=all_mpolice_$2
	local few_gact=few_gact_$2 all_gact=all_gact_$2

	note "$1: 1,000 take $((${!few} / 1000)) us with few, $((${!all} / 1000)) us \
with all; of gact $((${!few_gact} / 1000)) us, $((${!all_gact} / 1000)) us"
	within "$1: % of the time with all, of that with few, beside gact" \
		$((${!all} * ${!few_gact} * 100 / (${!few} * ${!all_gact}))) \
		1 $((SAME * 100))
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
scale make 1 $FEW --each $EACH >/dev/null
get_few=$(per_1000 get 1 $FEW)
bucket_few=$(per_1000 buckets 1 $((FEW / EACH)))
scale make 1 $FEW --kind gact >/dev/null
again few
scale make $((FEW + 1)) "$ACTIONS" --each $EACH >"$NET_WORK/made" ||
	fail "all actions are made"
note "the others: $(cat "$NET_WORK/made")"
note "memory: $((BEFORE - $(available))) MB"
again all
grows_beside "a new action" made
grows_beside "a deletion" deleted
tc -n "$src" actions flush action gact >/dev/null
grows "one of the same actions by index" "$get_few" \
	"$(per_1000 get 1 $FEW)" $SAME
grows "any action by index" "$get_few" "$(per_1000 get 1 "$ACTIONS")" $ANY
grows "one of the same buckets by number" "$bucket_few" \
	"$(per_1000 buckets 1 $((FEW / EACH)))" $SAME
grows "any bucket by number" "$bucket_few" "$(per_1000 buckets 1 $BUCKETS)" $ANY

scale list >"$NET_WORK/list"
note "the list: $(cat "$NET_WORK/list")"
is "each action and each bucket is listed once" \
	"$(jq -c '[.actions, .actions_twice, .buckets, .buckets_twice]' \
		"$NET_WORK/list")" "[$ACTIONS,0,$BUCKETS,0]"
is "the last action is what it was made as" "$(act "$ACTIONS" \
	'[.bucket, .rate, .users, .policy] | map(tostring) | join(" ")')" \
	"$BUCKETS $((1000000 + BUCKETS)) $EACH $(case $((ACTIONS % 3)) in
		0) echo drop ;; 1) echo account ;; 2) echo bypass ;; esac)"

# A packet finds its bucket without a search.
rest egress 1 index "$ACTIONS"
send x100 -s 500 >/dev/null
is "packets find their bucket" "$(act "$ACTIONS" \
	'[.conformed, .over, .bypassed] | map(.packets) | add')" 100
tc -n "$src" filter del dev out0 egress

note "half are deleted: $(scale delete 2 "$ACTIONS" --step 2)"
is "deletion: half of the actions are left" "$(scale list |
	jq -c '[.actions, .actions_twice, .buckets, .buckets_twice]')" \
	"[$((ACTIONS / 2)),0,$BUCKETS,0]"
is "deletion: half of the users of a bucket are left" "$(act 11 .users)" $((EACH / 2))
note "flush: $(scale flush)"
is "flush: nothing is left" "$(scale list |
	jq -c '[.actions, .buckets]')" "[0,0]"
wait_until 60 unloaded
is "flush: the module can go" "$(lsmod | grep -c ^act_mpolice)" 0
wait_until 60 memory_back
within "flush: memory that is not there any more, MB" $((BEFORE - $(available))) \
	-1000 50
ktap_end
