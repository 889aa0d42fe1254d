#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a machine: the specifications work in the kernel's ynl from where they are installed,
# by name, and the kernel's own tc.yaml, with what tools/ynl/ puts into it, is valid, and
# lists, makes and changes ramps.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/../net/lib/lib.sh"

TREE=$(cd "$(dirname "$0")/../.." && pwd)
KERNEL=/usr/lib/kselftests
PLACE=/usr/share/ynl
ROOT=4294967295

# ynl ARG... - the kernel's tool, in the namespace of out0.
ynl()
{
	PYTHONDONTWRITEBYTECODE=1 ip netns exec "$src" \
		python3 $KERNEL/ynl/pyynl/cli.py --output-json "$@" 2>&1
}

# says JQ - of the qdisc on out0, what tc says.
says()
{
	tc -n "$src" -j -s qdisc show dev out0 | jq -c ".[0] | $1"
}

# get INDEX - one qdisc. The kernel answers who asks for one only if it asks for an echo as
# well, for which the command has no option, but the library has.
get()
{
	PYTHONDONTWRITEBYTECODE=1 ip netns exec "$src" python3 -c '
import json, sys
sys.path.append(sys.argv[1])
from lib import YnlFamily
NLM_F_ECHO = 8
family = YnlFamily(sys.argv[2], "")
print(json.dumps(family.do("getqdisc", {"ifindex": int(sys.argv[3]), "parent": 0xffffffff},
                           [NLM_F_ECHO])))' $KERNEL/ynl/pyynl $PLACE/specs/tc.yaml "$1" 2>&1
}

# install_specs - as the kernel's tools do it, and ours.
install_specs()
{
	mkdir -p $PLACE/specs 2>/dev/null || {
		mount -t tmpfs none /usr/share && mkdir -p $PLACE/specs
	} || return
	cp $KERNEL/netlink/*.yaml $PLACE/
	cp $KERNEL/netlink/specs/*.yaml $PLACE/specs/
	cp "$TREE"/Documentation/netlink/specs/*.yaml $PLACE/specs/
}

families()
{
	tc -n "$src" qdisc replace dev out0 root handle 1: ramp rail 9 rate 1gbit
	tc -n "$src" actions add action mpolice bucket 7 rate 8mbit policy drop
	is "ynl --family ramp lists rails" \
		"$(ynl --family ramp --dump rail-get | jq -c '.[].rail')" 9
	is "ynl --family mpolice lists buckets" \
		"$(ynl --family mpolice --dump bucket-get | jq -c '.[] | [.id, .rate]')" \
		'[7,1000000]'
	is "ynl --family ramp-tc lists qdiscs" \
		"$(ynl --family ramp-tc --dump getqdisc |
			jq -c '.[] | select(.kind == "ramp").options.rail')" 9
	tc -n "$src" actions flush action mpolice
	tc -n "$src" qdisc del dev out0 root
}

# merged - puts ramp into the kernel's tc.yaml.
merged()
{
	local spec=$PLACE/specs/tc.yaml

	tc -n "$src" qdisc replace dev out0 root handle 1: ramp rate 1gbit
	matches "the kernel's tc.yaml alone ends at a ramp" \
		"$(ynl --family tc --dump getqdisc)" "No message format for 'ramp'"
	"$TREE/tools/ynl/tc-with-ramp" $KERNEL/netlink/specs/tc.yaml >$spec ||
		fail "ramp goes into the kernel's tc.yaml"
	is "with ramp in it, it is valid" "$(ynl --validate --spec $spec \
		--schema $PLACE/netlink-raw.yaml && echo valid)" valid
	is "with ramp in it, all else is as it was" "$(python3 -c '
import sys, yaml

def entries(node):
    return {(kind, one["name"]) for kind in ("definitions", "attribute-sets", "sub-messages")
            for one in node[kind]} | {("operations", one["name"])
                                      for one in node["operations"]["list"]}

old, new = (entries(yaml.safe_load(open(name))) for name in sys.argv[1:])
print(sorted(old - new), {name for _, name in new - old if "ramp" not in name})
' $KERNEL/netlink/specs/tc.yaml $spec)" "[] set()"
	matches "what is no tc.yaml is refused" "$("$TREE/tools/ynl/tc-with-ramp" \
		"$TREE/Documentation/netlink/specs/ramp.yaml" 2>&1 || echo refused)" \
		'^tc-with-ramp: .*refused'
	tc -n "$src" qdisc del dev out0 root
}

requests()
{
	local index
	index=$(ip -n "$src" -j link show out0 | jq '.[0].ifindex')

	is "it makes a ramp" "$(ynl --family tc --do newqdisc --create --excl --json '{
		"kind": "ramp", "ifindex": '"$index"', "parent": '$ROOT', "handle": 65536,
		"options": {"rate": 125000000, "tick": 200000, "detect": "both", "bands": 2,
			"exempt": 1, "start": {"unit": "percent", "value": 700}}}')" null
	is "tc shows what it made" "$(says '[.kind, .handle, (.options |
		.rate, .tick, .detect, .bands, .exempt, .start.value)]')" \
		'["ramp","1:",125000000,200000,"both",2,[0],7]'
	matches "it makes no second one" "$(ynl --family tc --do newqdisc --create --excl \
		--json '{"kind": "ramp", "ifindex": '"$index"', "parent": '$ROOT'}')" \
		'File exists'
	ynl --family tc --do newqdisc --json '{"kind": "ramp", "parent": '$ROOT',
		"ifindex": '"$index"', "options": {"tick": 300000}}' >/dev/null
	is "it changes a ramp" "$(says '.options | [.tick, .rate]')" '[300000,125000000]'
	matches "what the kernel refuses is told" "$(ynl --family tc --do newqdisc \
		--json '{"kind": "ramp", "parent": '$ROOT', "ifindex": '"$index"',
			"options": {"tick": 1}}')" 'tick: '
	send x20 -s 1000 >/dev/null
	drained
	is "it gets one ramp: options are those of tc" "$(get "$index" |
		jq -c '.options | [.rate, .tick, .detect, .bands, .exempt]')" \
		'[125000000,300000,"both",2,1]'
	is "it gets one ramp: counters are those of tc" "$(get "$index" |
		jq -c '.stats2.app | [.enqueued, .dequeued, .state]')" \
		"$(says '[.enqueued, .dequeued, .state]')"
	holds "there was something to count" "$(says .dequeued)" ">" 0
	tc -n "$src" qdisc add dev lo root fq_codel
	is "it lists all kinds" "$(ynl --family tc --dump getqdisc | jq -c 'map(.kind) |
		map(select(. == "ramp" or . == "fq_codel")) | sort')" '["fq_codel","ramp"]'
	is "it lists options of each kind" "$(ynl --family tc --dump getqdisc |
		jq -c '[(.[] | select(.kind == "fq_codel").options | has("limit")),
			(.[] | select(.kind == "ramp").options.rate)]')" '[true,125000000]'
	is "it lists classes of ramp, with their counters" "$(ynl --family tc --dump gettclass \
		--json '{"ifindex": '"$index"'}' |
		jq -c 'map([.handle % 65536, (.stats2.app, .xstats | .exempt, .enqueued)])')" \
		'[[1,1,0,1,0],[2,0,20,0,20]]'
	ip -n "$src" link add many0 numtxqueues 2 type dummy
	ip -n "$src" link set many0 up
	tc -n "$src" qdisc add dev many0 root ramp_mq rate 1gbit
	is "it lists ramp_mq and its queues" "$(ynl --family tc --dump getqdisc | jq -c "
		map(select(.ifindex == $(ip -n "$src" -j link show many0 | jq '.[0].ifindex')) |
			[.kind, .options.rate]) | sort")" \
		'[["ramp",125000000],["ramp",125000000],["ramp_mq",125000000]]'
	ip -n "$src" link del many0
	is "it deletes a ramp" "$(ynl --family tc --do delqdisc --json '{
		"ifindex": '"$index"', "parent": '$ROOT'}')$(says .kind)" 'null"noqueue"'
}

net_init ramp-send
python3 -c 'import yaml, jsonschema' 2>/dev/null || missing "yaml and jsonschema of Python"
[ -r $KERNEL/ynl/pyynl/cli.py ] || missing "the kernel's YNL tool"
pair 1500
install_specs || missing "a place for specifications"
families
merged
requests
ktap_end
