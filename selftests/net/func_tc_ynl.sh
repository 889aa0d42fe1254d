#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The options and counters of the qdisc through the kernel's own YNL tool and our
# specification: they are set and read, and are what tc says.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

YNL=/usr/lib/kselftests/ynl/pyynl
SPEC=$(cd "$(dirname "$0")/../.." && pwd)/Documentation/netlink/specs/ramp-tc.yaml
SCHEMA=/usr/lib/kselftests/netlink/netlink-raw.yaml
ROOT=4294967295

# ynl_start - one process for all requests; it lives in the namespace of out0, and
# ends with its input.
ynl_start()
{
	mkfifo "$NET_WORK/requests" "$NET_WORK/answers"
	PYTHONDONTWRITEBYTECODE=1 ip netns exec "$src" \
		python3 "$NET_LIB/ynl.py" "$YNL" "$SPEC" "$SCHEMA" \
		<"$NET_WORK/requests" >"$NET_WORK/answers" &
	exec 8>"$NET_WORK/requests" 9<"$NET_WORK/answers"
	INDEX=$(ip -n "$src" -j link show out0 | jq .[].ifindex)
	ROOT_OF_OUT0="\"kind\": \"ramp\", \"ifindex\": $INDEX, \"parent\": $ROOT"
}

# ynl WORD... - one request, and its answer.
ynl()
{
	local answer

	tr -d '\n\t' <<<"$*" >&8
	echo >&8
	IFS= read -r answer <&9
	printf '%s\n' "$answer"
	[[ -n $answer && $answer != error:* ]]
}

# modify call|create OPTIONS_JSON
modify()
{
	local answer

	answer=$(ynl "$1" newqdisc \
		"{$ROOT_OF_OUT0, \"options\": $2}") ||
		fail "$1 $2" "$answer"
}

# get JQ - of the ramp on out0, all that is known of it.
get()
{
	ynl dump getqdisc | jq -c "map(select(.kind == \"ramp\" and
		.ifindex == $INDEX))[0] | $1"
}

# says JQ - of the same, what tc says.
says()
{
	tc -n "$src" -j -s qdisc show dev out0 | jq -c ".[0] | $1"
}

# options - all that may be asked for. jq has no numbers of 64 bits.
options()
{
	ynl dump getqdisc | python3 -c '
import json, sys
for qdisc in json.load(sys.stdin):
    if qdisc["kind"] == "ramp" and qdisc["ifindex"] == int(sys.argv[1]):
        print(json.dumps({key: value for key, value in qdisc["options"].items()
                          if key not in ("limit-now", "limit-need", "rate-now",
                                         "gear-top", "freeze-now")}))' "$INDEX"
}

refuse_ynl()
{
	local why

	if why=$(ynl call newqdisc \
		"{$ROOT_OF_OUT0, \"options\": $2}"); then
		fail "$1" "accepted: $2"
	else
		matches "$1" "$why" "$3"
	fi
}

# Created without tc, and tc says what was written.
sets()
{
	modify create '{"limit": 5000, "rate": 1250000000, "detect": "queue",
		"queue": {"unit": "percent", "low": 500, "high": 6000},
		"start": {"unit": "rate", "value": 1000000}, "tick": 1000000,
		"bands": 3, "exempt": 1,
		"band-limits": {"entry": [{"band": 1, "packets": 7}]},
		"ladder": {"at": [2000, 5000], "rate": [8000, 100]},
		"gears": [1000000, 2000000, 30000000000],
		"gear-up": [5000], "gear-down": [100, 200, 300],
		"gear-min": 1, "gear-max": 2, "power": [1, 20, 300]}'
	is "written: tc says it" "$(says '.options |
		[.limit, .rate, .detect, .queue.low, .queue.high, .start.value, .tick,
		 .bands, .exempt, .band_limit[0].packets]')" \
		'[5000,1250000000,"queue",5,60,1000000,1000000,3,[0],7]'
	is "written: tc says the lists as well" \
		"$(says '.options | [.ladder, .gears, .gear_up,
		.gear_down, .gear_range, .power]')" \
		'[[{"at":20,"rate":80},{"at":50,"rate":1}],[1000000,2000000,30000000000],[50],[1,2,3],{"min":1,"max":2},[1,20,300]]'
	modify call '{"gear-min": 2, "gear-max": 2, "dwell": 123}'
	is "written: a change keeps what it does not name" "$(says '.options |
		[.gear_range.min, .dwell, .limit, .gears[2], .tick]')" \
		'[2,123,5000,30000000000,1000000]'
}

# All that the kernel answers is in the specification, else YNL would stop; and it is
# what the kernel takes.
reads_back()
{
	local before answered

	ip -n "$src" link add port1 type dummy
	ip -n "$src" link add port2 type dummy
	tc -n "$src" qdisc del dev out0 root
	ramp limit 9000 bands 4 exempt 3 band-limit 2 50 priomap 1 2 3 0 1 2 3 0 1 2 3 0 \
		1 2 3 0 rate 1gbit detect both queue 10p:500p ingress 10mbit:900mbit \
		members +2 window 5ms start 1mbit step 2mbit floor 3mbit pause 1ms hold 2ms \
		adaptive cease 7ms no-split-gso ladder 50%:80%,75%:20% band-ladder 1 none \
		band-ladder 2 10%:5% adjust 4% feedback out0 \
		band-feedback 1 out0 validity 500ms ethertype 0x88b6 obey min 20% \
		gears 1mbit,10mbit,100mbit gear-up 60%,61%,62% gear-down 10% \
		gear-range 1:2 gear-follow both gear-ports port1,port2 freeze auto \
		dwell 3ms idle 9ms power 1.5 power-ports 30%,70%,100.09% cpus 0
	is "read: all options are known" "$(get '.options | keys |
		map(select(startswith("UnknownAttr"))) | length')" 0
	is "read: as many options as tc names" \
		"$(get '.options | [.gears, ."gear-up", .power, ."power-ports",
		."clock-cpus", ."gear-follow", .cease, .obey, (."gear-ports".ifindex | length),
		.priomap[2], .members.delta, ."band-ladders".entry[1].ladder.rate]')" \
		'[[125000,1250000,12500000],[6000,6100,6200],[1500],[3000,7000,10009],[0],"both","time",1,2,3,2,[500]]'
	before=$(says .options)
	refuse_ynl "what is only in answers" '{"dwell": 1, "gear-top": 2}' \
		'only in answers'
	answered=$(options)
	modify call "$answered"
	is "read: what the kernel answers, it takes, and nothing changes" \
		"$(says .options)" "$before"
	tc -n "$src" qdisc del dev out0 root
	modify create "$answered"
	is "read: a new qdisc from the answer is the same" "$(says .options)" "$before"
}

counts()
{
	tc -n "$src" qdisc del dev out0 root
	ramp rate 1gbit bands 2 detect off gears 1gbit,2gbit power 1,2 limit 1000
	send x30 -s 1000 >/dev/null
	drained
	is "counters: what tc says" "$(get '.stats2.app |
		[.state, .enqueued, .dequeued, .queued, .gear, .gears,
		 ."gear-changes"]')" \
		"$(says '[.state, .enqueued, .dequeued, .queued, .gear, (.gear_ns | length),
			.gear_changes]')"
	is "counters: of 30 packets" \
		"$(get '.stats2.app | [.enqueued, .dequeued, ."peer-rate"]')" \
		"[30,30,10000]"
	is "counters: times are in their gears" "$(get '.stats2.app."gear-ns" |
		[.gear1 > 0, .gear2, .gear15]')" "[true,0,0]"
	tc -n "$src" qdisc change dev out0 root ramp gear-ports port1,out0 power 3 \
		power-ports 40%,60%,100%
	is "counters: ports are counted, and times are in their rows" \
		"$(get '.stats2.app | [."port-rows", ."port-row", ."ports-up", .ports,
			."port-ns".row1 > 0, ."port-ns".row2]')" "[3,1,1,2,true,0]"
	is "counters: a class is a band" "$(ynl dump gettclass "{\"ifindex\": $INDEX}" |
		jq -r 'map("\(.handle) \(.stats2.app.enqueued) \(.stats2.app.code)") |
			join(" ")')" \
		"$((0x20001)) 0 10000 $((0x20002)) 30 10000"
	is "counters: of classes, what tc says" "$(class_counters enqueued)" "0 30"
}

# What tc calls otherwise, or shows of other sources: the common counters of qdiscs, and
# a saving in percent. Times go on, between one answer and the next.
# shellcheck disable=SC2016 # jq's own
SAME='
def named: with_entries(.key |= gsub("-"; "_"));
($before | named) as $before | ($after | named) as $after |
($tc + ($tc.freeze_ns | with_entries(.key |= "freeze_ns_" + .)) +
 {peer_rate: ($tc.peer_rate * 100), saved: ($tc.saved_pct * 100)}) as $tc |
[$tc | to_entries[] | select(.value | type == "number")] as $numbers |
{
	unknown: [$numbers[].key | select(in($before) | not)] | sort,
	others: [$numbers[] | .key as $key | select($before | has($key)) |
		select(.value < $before[$key] or .value > $after[$key]).key],
	rows: [("gear", "port") as $name | ($name + "_ns") as $ns |
		range($tc[$ns] | length) as $i | ({gear: "gear", port: "row"}[$name] +
			"\($i)") as $row |
		select($tc[$ns][$i] < $before[$ns][$row] or
			$tc[$ns][$i] > $after[$ns][$row]) | "\($name) \($i)"],
	words: [$tc.state == $before.state],
	counted: [$numbers[] | select(.value > 0).key]
}'

# Each number that tc has is the kernel's of that name.
same()
{
	local before said after n

	tc -n "$src" qdisc del dev out0 root
	ramp limit 4000 bands 2 exempt 0 detect ingress rate 40mbit ingress 2mbit:10mbit \
		window 16ms tick 2ms start 2p step 2p gears 10mbit,20mbit,40mbit freeze auto \
		gear-ports port1,port2,out0 power 3 power-ports 30%,70%,100% dwell 0 idle 5ms \
		ladder 1%:50% feedback out0 obey min 0
	for n in 1 2; do
		ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
			"{\"validity\": 200, \"epoch\": $n, \"codes\": [[1, 5000]]}"
		send 30mbit:100ms,0:50ms -s 600 >/dev/null
		drained
		sleep 0.5
	done
	before=$(get .stats2.app)
	said=$(says 'del(.options)')
	after=$(get .stats2.app)
	satisfies "counters: each that tc shows is the kernel's of that name" "$(jq -n \
		--argjson before "$before" --argjson tc "$said" --argjson after "$after" \
		"$SAME")" \
		'.unknown == ["backlog", "bytes", "drops", "overlimits", "packets", "qlen",
			"refcnt", "requeues", "saved_pct"] and .others == [] and .rows == [] and
		.words == [true] and (.counted - .unknown | length) >= 15'
}

refuses()
{
	local before

	before=$(says .options)
	refuse_ynl "gears that fall" '{"gears": [2000000, 1000000]}' 'gears: '
	refuse_ynl "a range of three of two" '{"gear-min": 1, "gear-max": 3}' \
		'gear-range: '
	refuse_ynl "an idle of a nanosecond" '{"idle": 1}' 'idle: 1ms'
	refuse_ynl "of two options none is taken, if one is wrong" \
		'{"dwell": 5, "tick": 1}' 'tick: '
	is "refused: nothing has changed" "$(says .options)" "$before"
}

# As a user would call it, beside qdiscs that are not ours.
tool()
{
	local cli=("$YNL/cli.py" --spec "$SPEC" --schema "$SCHEMA" --output-json)

	tc -n "$src" qdisc add dev port1 root fq_codel
	tc -n "$src" qdisc add dev port2 root handle 9: prio
	is "the tool of the command line lists all kinds" \
		"$(PYTHONDONTWRITEBYTECODE=1 ip netns exec "$src" python3 "${cli[@]}" \
			--dump getqdisc | jq -c 'map(.kind) | map(select(. == "ramp" or
			. == "fq_codel" or . == "prio")) | sort')" \
		'["fq_codel","prio","ramp"]'
	PYTHONDONTWRITEBYTECODE=1 ip netns exec "$src" python3 "${cli[@]}" \
		--do newqdisc --json "{$ROOT_OF_OUT0,
			\"options\": {\"gear-min\": 1, \"gear-max\": 1}}" >/dev/null ||
		fail "the tool of the command line sets a range"
	is "the tool of the command line sets a range" "$(says .options.gear_range)" \
		'{"min":1,"max":1}'
}

# Its options are those of ramp, and so are its counters and those of its classes.
mq()
{
	local of_mq="map(select(.kind == \"ramp_mq\" and .ifindex == $INDEX))"

	tc -n "$src" qdisc del dev out0 root
	ynl create newqdisc "{\"kind\": \"ramp_mq\", \"ifindex\": $INDEX,
		\"parent\": $ROOT, \"options\": {\"rate\": 1250000000, \"bands\": 3}}" \
		>/dev/null || fail "ramp_mq is made"
	send x20 -s 1000 >/dev/null
	drained
	is "ramp_mq: options and counters are those of ramp" \
		"$(ynl dump getqdisc | jq -c "${of_mq}[0] | [.options.rate, .options.bands,
			.stats2.app.enqueued, .stats2.basic.packets]")" "[1250000000,3,20,20]"
	is "ramp_mq: a class is a queue" \
		"$(ynl dump gettclass "{\"ifindex\": $INDEX}" | jq -c "$of_mq |
			map([.handle % 65536, .stats2.app.dequeued])")" "[[1,20]]"
}

net_init ramp-send
[ -r "$YNL/cli.py" ] || missing "the kernel's YNL tool"
[ -r "$SCHEMA" ] || missing "the schema of netlink-raw"
python3 -c 'import yaml, jsonschema' 2>/dev/null ||
	missing "yaml and jsonschema of Python"
pair 1500
ynl_start
sets
reads_back
counts
same
refuses
tool
mq
ktap_end
