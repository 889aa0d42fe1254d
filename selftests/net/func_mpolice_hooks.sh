#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# From each filter that runs actions, on both hooks of clsact and as the filter of a
# qdisc, with another chain for what exceeds, and with one action for several filters.
# A bucket that earns nothing lets pass exactly what it was made with.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

# Five frames of 1000 bytes fit in, of twenty.
BUCKET='rate 8bit burst 5000' PASS=5 FRAMES=20

# burst HOOK... - twenty frames through each of them, one after the other: the flows
# are called as the hooks.
burst()
{
	local hook way wait=0 list=()

	for hook; do
		way=to
		[ "$hook" != ingress ] || way=from
		list+=("$hook $way $VM $PEER tcp 4420 1000 0:${wait}ms,x$FRAMES")
		wait=$((wait + 20))
	done
	flows "${list[@]}"
}

# passed NAME HOOK INDEX WANTED - arrived, conformed and exceeded.
passed()
{
	is "$1: arrived, conformed and exceeded" \
		"$(flow "$2" received) $(act "$3" '[.conformed.packets,
		.conformed.bytes, .exceeded.packets, .exceeded.bytes] |
		join(" ")')" \
		"$4 $4 $(($4 * 1000)) $((FRAMES - $4)) $(((FRAMES - $4) * 1000))"
}

# match FILTER HOOK - the words that make it match: the peer's port.
match()
{
	case "$1 $2" in
	matchall*) echo matchall ;;
	flower*ingress) echo flower ip_proto tcp dst_port 4420 ;;
	flower*egress) echo flower ip_proto tcp src_port 4420 ;;
	u32*ingress) echo u32 match ip dport 4420 0xffff ;;
	u32*egress) echo u32 match ip sport 4420 0xffff ;;
	# Loads the port; -1 is a match.
	bpf*ingress) echo bpf bytecode "$(bytecode 36)" ;;
	bpf*egress) echo bpf bytecode "$(bytecode 34)" ;;
	esac
}

# bytecode OFFSET - in the frame.
bytecode()
{
	echo "4,40 0 0 $1,21 0 1 4420,6 0 0 4294967295,6 0 0 0"
}

# filter HOOK FILTER WORD... - bytecode is one word with spaces.
filter()
{
	local hook=$1 words=$2
	shift 2

	case $words in
	"bpf bytecode "*)
		tc -n "$src" filter add dev out0 "$hook" protocol ip \
			bpf bytecode "${words#bpf bytecode }" "$@" ;;
	*)
		# shellcheck disable=SC2086 # words
		tc -n "$src" filter add dev out0 "$hook" protocol ip \
			$words "$@" ;;
	esac || fail "filter add $hook $words $*"
}

# u32 shows the filters of both hooks at each of them.
# shellcheck disable=SC2086 # BUCKET and matches are words
filters()
{
	local kind hook number

	for kind in flower matchall u32 bpf; do
		nothing
		number=0
		for hook in ingress egress; do
			number=$((number + 1))
			filter $hook "$(match $kind $hook)" action mpolice \
				bucket $number $BUCKET policy drop index $number
		done
		burst ingress egress
		number=0
		for hook in ingress egress; do
			number=$((number + 1))
			passed "$kind, $hook" $hook $number $PASS
			is "$kind, $hook: tc shows it at the filter" \
				"$(tc -n "$src" -j -s filter show dev out0 $hook |
				jq -r --argjson number $number '[.. | objects |
					select(.kind? == "mpolice" and
					       .index == $number)][0] |
					[.bucket, .policy, .rate, .burst,
					 .conformed.packets, .index, .bind] |
					map(tostring) | join(" ")')" \
				"$number drop 1 5000 $PASS $number 1"
		done
	done
}

# One action and one bucket for two filters, then another action on the same bucket.
# shellcheck disable=SC2086 # BUCKET is words
shared()
{
	local n

	nothing
	create bucket 1 $BUCKET policy drop index 4
	filter ingress "$(match flower ingress)" action mpolice index 4
	filter egress matchall action mpolice index 4
	is "a shared index: bound twice" "$(act 4 .bind)" 2
	burst ingress egress
	is "a shared index: the second direction finds the bucket empty" \
		"$(flow ingress received) $(flow egress received) $(act 4 \
		'[.conformed.packets, .conformed.bytes, .exceeded.packets,
		  .exceeded.bytes] | join(" ")')" \
		"$PASS 0 $PASS $((PASS * 1000)) $((2 * FRAMES - PASS)) $(((2 * FRAMES - PASS) * 1000))"

	nothing
	create bucket 1 $BUCKET policy drop index 4
	filter ingress "$(match flower ingress)" action mpolice index 4
	filter egress matchall action mpolice bucket 1 policy drop index 5
	flows "f from $VM $PEER tcp 4420 1000 x3" "g to $VM $PEER tcp 80 1000 0:20ms,x$FRAMES"
	is "two indices, two directions, one bucket" \
		"$(flow f received) $(flow g received)" "3 2"
	n=$(tc -n "$src" actions list action mpolice | grep -c 'bucket 1 ')
	is "tc lists both" "$n" 2
	# Bytes count with their Ethernet header, on both sides.
	is "a frame has the same size in both directions" \
		"$(act 4 .conformed.bytes) $(act 5 .conformed.bytes)" "3000 2000"
}

# bands KIND - the root qdisc, with two classes 1:1 and 1:2.
bands()
{
	tc -n "$src" qdisc add dev out0 root handle 1: "$@" || fail "qdisc add $*"
}

# shellcheck disable=SC2317 # called by wait_until
no_actions()
{
	[ "$(acts length)" = 0 ]
}

# shellcheck disable=SC2086 # BUCKET is words
as_qdisc_filter()
{
	local name=$1 second

	nothing
	tc -n "$src" filter add dev out0 parent 1: protocol ip prio 1 \
		flower ip_proto tcp src_port 4420 classid 1:2 \
		action mpolice bucket 1 $BUCKET policy drop \
		conform-exceed drop/ok index 1 || fail "$name: filter add"
	burst egress
	passed "a filter of $name" egress 1 $PASS
	second=$(tc -n "$src" -s class show dev out0 |
		awk '$1 == "class" { here = $3 == "1:2" }
		     here && $1 == "Sent" { print $4; exit }')
	is "a filter of $name: what conforms is in its class" "$second" $PASS
	tc -n "$src" qdisc del dev out0 root
	wait_until 20 no_actions
	is "a filter of $name: the action goes with the qdisc" \
		"$(acts length)" 0
}

# What exceeds goes on in another chain, and there to another bucket.
# shellcheck disable=SC2086 # BUCKET is words
chains()
{
	local hook n=0

	nothing
	for hook in ingress egress; do
		n=$((n + 2))
		tc -n "$src" filter add dev out0 $hook chain 7 protocol ip matchall \
			action mpolice bucket $n rate 8bit burst 8000 \
			policy drop index $n || fail "chain 7"
		filter $hook matchall action mpolice bucket $((n - 1)) $BUCKET \
			policy drop conform-exceed goto chain 7/pipe index $((n - 1))
	done
	burst ingress egress
	n=0
	for hook in ingress egress; do
		n=$((n + 2))
		is "goto chain, $hook: the first bucket, then the second" \
			"$(flow $hook received) $(act $((n - 1)) '[.conformed.packets,
			.exceeded.packets] | join(" ")') $(act $n \
			'[.conformed.packets, .exceeded.packets] | join(" ")')" \
			"13 5 15 8 7"
	done
	modify threshold 100 index 1
	modify threshold 100 index 3
	burst ingress egress
	is "goto chain: a change of something else keeps the chain" \
		"$(act 2 .exceeded.packets) $(act 4 .exceeded.packets)" "27 27"
}

# A pipe to further actions; what exceeds may be let through all the same.
# shellcheck disable=SC2086 # BUCKET is words
controls()
{
	local seen

	nothing
	filter ingress matchall \
		action mpolice bucket 1 $BUCKET policy drop index 1 \
		action gact pipe index 77
	filter egress matchall action mpolice bucket 2 $BUCKET policy drop \
		conform-exceed pass/pass index 2
	burst ingress egress
	seen=$(tc -n "$src" -j -s actions get action gact index 77 |
		jq '[.. | objects | .stats? // empty][0].packets')
	is "pipe: the next action sees what conforms" "$seen" $PASS
	is "exceed pass: all arrives, and is counted as it was decided" \
		"$(flow egress received) $(act 2 '[.conformed.packets,
		.exceeded.packets, .stats.drops] | join(" ")')" \
		"$FRAMES $PASS $((FRAMES - PASS)) 0"

	# What conforms may be dropped as well, and is then a drop, too.
	nothing
	filter egress matchall action mpolice bucket 2 $BUCKET policy drop \
		conform-exceed pass/drop index 2
	sleep 1.2
	burst egress
	is "conform drop: the others arrive, and it is counted" \
		"$(flow egress received) $(act 2 '[.conformed.packets,
		.exceeded.packets, .stats.drops, .stats.overlimits] | join(" ")')" \
		"$((FRAMES - PASS)) $PASS $((FRAMES - PASS)) $PASS $((FRAMES - PASS))"
	is "packets are its last use" \
		"$(act 2 '(.last_used // 0) < .installed')" true

	# continue goes on to the next filter.
	nothing
	tc -n "$src" filter add dev out0 ingress prio 1 protocol ip matchall \
		action mpolice bucket 1 $BUCKET policy drop \
		conform-exceed continue/pass index 1 || fail "continue"
	tc -n "$src" filter add dev out0 ingress prio 2 protocol ip matchall \
		action mpolice bucket 2 rate 8bit burst 8000 policy drop index 2
	burst ingress
	is "exceed continue: to the next filter" "$(flow ingress received) $(act 1 \
		.conformed.packets) $(act 2 .conformed.packets)" "13 5 8"
}

# passed_by KEY SECONDS - so long ago, and what a slow machine took in between.
passed_by()
{
	within "seconds since an action was used, $1" "$(act 1 ".$1")" "$2" \
		$(($2 + 2 * SLOWER))
}

# When an action came, when it was first used and when last.
# shellcheck disable=SC2086 # BUCKET is words
times()
{
	nothing
	create bucket 1 $BUCKET policy drop index 1
	filter ingress matchall action mpolice index 1
	sleep 20
	burst ingress
	sleep 15
	burst ingress
	sleep 10
	passed_by installed 45
	passed_by first_used 25
	passed_by last_used 10
	matches "times of an action as text" \
		"$(tc -n "$src" -s actions get action mpolice index 1)" \
		' installed [45][0-9] sec used [12][0-9] sec firstused [23][0-9] sec'
}

# The tracepoint, free when off, tells of each packet that exceeds, and of no other.
# shellcheck disable=SC2086 # BUCKET is words
traced()
{
	local event=$TRACE/events/mpolice/mpolice_exceed

	nothing
	filter ingress matchall action mpolice bucket 3 rate 8bit \
		burst $((PASS * 1000 + 700)) policy drop index 9
	[ -e $event ] || {
		lacks "the tracepoint" "tracing"
		return
	}
	echo >$TRACE/trace
	echo 1 >$event/enable
	burst ingress
	echo 0 >$event/enable
	# Seconds of a slow machine are a token each.
	is "the tracepoint tells of each packet that exceeds" \
		"$(sed -nE 's/.* mpolice_exceed: ifindex=[0-9]+ (.*)=70[0-9]$/\1/p' \
			$TRACE/trace | sort | uniq -c | tr -s ' ')" \
		" $((FRAMES - PASS)) bucket=3 index=9 size=1000 tokens"
}

# Thresholds of 0, 30 % and 60 % of the burst: of three flows that take turns, they
# yield in this order, and each when exactly so much is left.
# shellcheck disable=SC2086 # a list
thresholds()
{
	local hook order result

	nothing
	create bucket 2 rate 8bit burst 100000 policy drop index 1
	create bucket 2 policy drop threshold 30000 index 2
	create bucket 2 policy drop threshold 60000 index 3
	for hook in ingress egress; do
		port $hook 1 1001 index 1
		port $hook 1 1002 index 2
		port $hook 1 1003 index 3
	done
	flows "none from $VM $PEER tcp 1001 1000 300pps:300ms" \
		"some to $VM $PEER tcp 1002 1000 300pps:300ms" \
		"most from $VM $PEER tcp 1003 1000 300pps:300ms"
	result=$(judge model --rate 1 --burst 100000 none=drop some=drop:30000 \
		most=drop:60000)
	is "thresholds of 0, 30 and 60 %: each frame as an exact bucket decides" \
		"$(jq -c '[.[] | .more, .fewer] | max' <<<"$result")" 0
	order=$(awk '!$5 && !seen[$1]++ { print $1 }' "$NET_WORK/log" | paste -sd' ')
	is "thresholds: they yield in this order" "$order" "most some none"
	is "thresholds: what each has had" \
		"$(flow none received) $(flow some received) $(flow most received)" \
		"$(jq -r '[.none, .some, .most | .model] | join(" ")' <<<"$result")"
	is "thresholds: all of the burst" \
		"$(jq '[.[].received] | add' "$NET_WORK/flows")" 100
	accounts "thresholds, 0" 1 none
	accounts "thresholds, 30 %" 2 some
	accounts "thresholds, 60 %" 3 most
}

mpolice_init ramp-send
endpoint 1500
filters
shared
bands prio
as_qdisc_filter prio
bands htb
tc -n "$src" class add dev out0 parent 1: classid 1:2 htb rate 1gbit
as_qdisc_filter htb
chains
controls
times
traced
thresholds
ktap_end
