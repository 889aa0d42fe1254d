#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The netlink family mpolice through the kernel's own YNL tool and our specification:
# buckets are listed, changed, and all actions of one re-pointed to another, while
# packets pass.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

YNL=/usr/lib/kselftests/ynl/pyynl
SPEC=$(cd "$(dirname "$0")/../.." && pwd)/Documentation/netlink/specs/mpolice.yaml
SCHEMA=/usr/lib/kselftests/netlink/genetlink-legacy.yaml

# ynl_start - one process for all requests; it lives in the namespace of out0, and
# ends with its input.
ynl_start()
{
	mkfifo "$NET_WORK/requests" "$NET_WORK/answers"
	PYTHONDONTWRITEBYTECODE=1 ip netns exec "$src" \
		python3 "$NET_LIB/ynl.py" "$YNL" "$SPEC" "$SCHEMA" \
		<"$NET_WORK/requests" >"$NET_WORK/answers" &
	exec 8>"$NET_WORK/requests" 9<"$NET_WORK/answers"
}

# ynl WORD... - one request, and its answer.
ynl()
{
	local answer

	echo "$*" >&8
	IFS= read -r answer <&9
	printf '%s\n' "$answer"
	[[ -n $answer && $answer != error:* ]]
}

# get ID JQ
get()
{
	ynl call bucket-get "{\"id\": $1}" | jq -r "$2"
}

dump()
{
	ynl dump bucket-get | jq -r "$1"
}

# cli NETNS WORD... - as a user would call it.
cli()
{
	local ns=$1

	shift
	PYTHONDONTWRITEBYTECODE=1 ip netns exec "$ns" python3 "$YNL/cli.py" \
		--spec "$SPEC" --schema "$SCHEMA" --output-json "$@"
}

# set_bucket OPERATION JSON
set_bucket()
{
	local answer

	answer=$(ynl call "$1" "$2") || fail "$1 $2" "$answer"
}

# refuse_ynl NAME REGEX OPERATION JSON
refuse_ynl()
{
	local why

	if why=$(ynl call "$3" "$4"); then
		fail "$1" "accepted: $3 $4"
	else
		matches "$1" "$why" "$2"
	fi
}

# possible_cpus - how many there may ever be
possible_cpus()
{
	tr , '\n' </sys/devices/system/cpu/possible | awk -F- '
		{ n += (NF > 1 ? $2 : $1) - $1 + 1 }
		END { print n }'
}

# The statistics of a bucket are the sum over its actions.
reads()
{
	nothing
	is "no actions: no buckets" "$(dump length)" 0
	create bucket 5 rate 8bit burst 20000 policy drop index 1
	create bucket 5 policy account index 2
	create bucket 9 pps 100 pkt-burst 50 interval 10ms debt 30 \
		policy drop index 3
	create bucket 4294967295 rate 1gbit debt unlimited policy bypass index 4
	stream egress 0 index 1
	stream egress 1 index 2
	stream egress 2 index 4
	send x30 -s 1000 >/dev/null
	send x5 -s 1000 -n 1 >/dev/null
	send x7 -s 500 -n 2 >/dev/null
	is "all buckets are listed once" "$(dump 'map(.id) | sort | join(" ")')" \
		"5 9 4294967295"
	is "a bucket with a rate" "$(get 5 '[.rate, .pps, .burst, .interval,
		.users] | map(tostring) | join(" ")')" "1 null 20000 0 2"
	is "a bucket with pps" "$(get 9 '[.rate, .pps, .burst, .interval, .debt,
		.users, .tokens] | map(tostring) | join(" ")')" \
		"null 100 50 10000000 30 1 50"
	is "a debt without end" "$(ynl call bucket-get '{"id": 4294967295}' |
		grep -o '"debt": [0-9]*')" '"debt": 18446744073709551615'
	within "tokens are signed" "$(get 5 .tokens)" -5000 -4900
	is "a bucket's statistics are the sum over its actions" "$(get 5 '.stats |
		[."conformed-packets", ."conformed-bytes", ."exceeded-packets",
		 ."exceeded-bytes", ."over-packets", ."over-bytes",
		 ."uncharged-packets", ."bypassed-packets"] | join(" ")')" \
		"20 20000 10 10000 5 5000 0 0"
	is "a bucket's statistics: what bypasses" "$(get 4294967295 '.stats |
		[."bypassed-packets", ."bypassed-bytes", ."conformed-packets"] |
		join(" ")')" "7 3500 0"
	is "buckets in a list are as one by one" \
		"$(dump '.[] | select(.id == 9) | tojson')" "$(get 9 tojson)"
	is "tc says the same of a bucket" \
		"$(act 1 '[.rate, .burst, .debt, .users, .stranded] |
		join(" ")')" "$(get 5 '[.rate, .burst, .debt, .users, .stranded] |
		join(" ")')"
	is "the tool of the command line lists the same buckets" \
		"$(cli "$src" --dump bucket-get | jq -c 'map(.id) | sort')" \
		"$(dump 'map(.id) | sort | tojson')"
	is "another namespace has no buckets" \
		"$(cli "$dst" --dump bucket-get | jq -c .)" "[]"
	refuse_ynl "get: a bucket that does not exist" \
		"No such|not exist|ENOENT|\[Errno 2\]|rror: " \
		bucket-get '{"id": 6}'
	refuse_ynl "get: bucket 0" "[Bb]ucket|BUCKET|range|id" bucket-get '{"id": 0}'
}

# A loan is at most 1 MiB, and each CPU may have one in use and one that was lost.
strands()
{
	nothing
	create bucket 5 rate 100gbit burst 1g policy drop index 1
	create bucket 6 rate 8bit burst 1g policy drop index 2
	is "what CPUs may hold of a large bucket, and of a slow one" \
		"$(get 5 .stranded) $(get 6 .stranded)" \
		"$(($(possible_cpus) * 2 * 1048576)) 0"
}

# What is not named stays.
sets()
{
	local before

	nothing
	create bucket 5 rate 8bit burst 100000 policy drop index 1
	create bucket 5 policy drop threshold 1000 index 2
	stream egress 0 index 1
	send x60 -s 1000 >/dev/null
	set_bucket bucket-set '{"id": 5, "rate": 3}'
	is "set: another rate, for all actions of a bucket" \
		"$(acts 'map([.rate, .burst, .interval]) | tojson')" \
		"[[3,100000,0],[3,100000,0]]"
	within "set: what was earned stays" "$(get 5 .tokens)" 40000 41000
	set_bucket bucket-set '{"id": 5, "burst": 50000, "debt": 7000}'
	is "set: half the burst, and a debt" "$(get 5 '[.rate, .burst, .debt] |
		join(" ")')" "3 50000 7000"
	within "set: what was earned stays, as a part of the burst" \
		"$(get 5 .tokens)" 20000 20500
	before=$(dump 'map(del(.tokens)) | tojson')
	refuse_ynl "set: both rate and pps" "pps|PPS" bucket-set \
		'{"id": 5, "rate": 5, "pps": 5}'
	refuse_ynl "set: a burst below 1514" "1514" bucket-set \
		'{"id": 5, "rate": 9, "burst": 1513}'
	refuse_ynl "set: a rate above 2^40" "1099511627776|range|RATE|rate" \
		bucket-set '{"id": 5, "rate": 1099511627777}'
	refuse_ynl "set: a bucket that does not exist" \
		"[Bb]ucket|BUCKET|ENOENT|No such" bucket-set \
		'{"id": 6, "rate": 5}'
	is "set: what was refused changed nothing" \
		"$(dump 'map(del(.tokens)) | tojson')" "$before"
}

# All actions of a bucket move in one step; no packet is lost on the way.
repoints()
{
	local sender

	nothing
	create bucket 5 rate 100mbit burst 2m policy drop index 1
	create bucket 5 policy account index 2
	create bucket 5 policy drop index 3
	create bucket 6 rate 200mbit burst 2m policy drop index 4
	stream egress 0 index 1
	stream egress 1 index 2
	send 1000pps:3s -s 500 -p 0,0 >"$NET_WORK/sent" &
	sender=$!
	sleep 0.5
	set_bucket bucket-repoint '{"id": 5, "target": 6}'
	is "repoint: all actions draw from the target" \
		"$(acts 'map(.bucket) | join(" ")')" \
		"6 6 6 6"
	is "repoint: the target has all users, the other one is gone" \
		"$(dump 'map([.id, .users, .rate]) | tojson')" "[[6,4,25000000]]"
	wait $sender
	is "repoint: what passed meanwhile is counted, and none of it exceeded" \
		"$(get 6 '.stats | [."conformed-packets" + ."over-packets",
		."exceeded-packets"] | join(" ")')" \
		"$(jq .sent "$NET_WORK/sent") 0"
	create bucket 5 rate 8bit policy drop index 5
	is "repoint: the number of the other one is free again" \
		"$(get 5 '[.rate, .users] | join(" ")')" "1 1"

	refuse_ynl "repoint to a bucket that does not exist" "[Tt]arget|TARGET|[Bb]ucket|BUCKET" \
		bucket-repoint '{"id": 6, "target": 7}'
	refuse_ynl "repoint from a bucket that does not exist" "[Bb]ucket|BUCKET" \
		bucket-repoint '{"id": 7, "target": 6}'
	is "repoint: what was refused changed nothing" \
		"$(acts 'map(.bucket) | join(" ")')" \
		"6 6 6 6 5"
}

# warned NAME OPERATION JSON - it is done, with a warning.
warned()
{
	matches "$1: a warning of its threshold" "$(cli "$src" --do "$2" --json "$3" 2>&1)" \
		"[Ww]arning.*threshold: "
}

starves()
{
	nothing
	create bucket 5 rate 1gbit policy drop index 1
	create bucket 5 policy drop threshold 400k index 2
	create bucket 6 rate 100mbit policy drop index 3
	warned "set: a rate that starves an action" bucket-set '{"id": 5, "rate": 12500000}'
	set_bucket bucket-set '{"id": 5, "rate": 125000000}'
	warned "repoint: a bucket that starves an action" bucket-repoint \
		'{"id": 5, "target": 6}'
}

# More than one message of a dump.
many()
{
	local i

	nothing
	for ((i = 1; i <= 2000; i++)); do
		echo "actions add action mpolice bucket $((i * 7)) rate ${i}kbit" \
			"policy drop index $i"
	done | tc -n "$src" -batch - || fail "2000 actions"
	ynl dump bucket-get >"$NET_WORK/dump"
	is "2000 buckets are listed once each" "$(jq 'map(.id) | unique | length' \
		"$NET_WORK/dump") $(jq length "$NET_WORK/dump")" "2000 2000"
	is "2000 buckets are listed with their rates" \
		"$(jq 'all(.[]; .rate == .id / 7 * 125)' "$NET_WORK/dump")" true
}

mpolice_init ramp-send
[ -r "$YNL/cli.py" ] || missing "the kernel's YNL tool"
python3 -c 'import yaml, jsonschema' 2>/dev/null ||
	missing "yaml and jsonschema of Python"
endpoint 1500
ynl_start
reads
strands
sets
repoints
starves
many
ktap_end
