# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of the action mpolice share, on top of lib.sh: an endpoint behind
# out0 (its other end is in0), both hooks of out0, and what tc says of actions.
#
#	. "$(dirname "$0")/lib/mpolice.sh"
#	mpolice_init ramp-send tcpdump
#	endpoint
#	...
#	ktap_end

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Of the endpoint, and of its peers.
# shellcheck disable=SC2034 # the tests use them
VM=10.0.0.2 PEER=10.0.9.1

# mpolice_init COMMAND...
mpolice_init()
{
	net_init "$@"
	modprobe -q act_mpolice || missing "module act_mpolice"
}

# endpoint [MTU] - a new one, with no policy.
endpoint()
{
	pair "${1:-1500}"
	# shellcheck disable=SC2154 # setup_ns sets it
	tc -n "$src" qdisc add dev out0 clsact || missing "clsact"
}

# flush - no actions any more. Filters that were deleted let go of theirs a little later.
flush()
{
	wait_until 20 flushed "$src" || fail "all actions can be flushed"
}

# nothing - no filters in any chain, and no actions.
nothing()
{
	tc -n "$src" qdisc del dev out0 clsact
	tc -n "$src" qdisc add dev out0 clsact
	flush
}

# flushed NETNS - for wait_until.
# shellcheck disable=SC2317 # called by it
flushed()
{
	tc -n "$1" actions flush action mpolice >/dev/null 2>&1
	tc -n "$1" -j actions list action mpolice |
		jq -e 'all(.[]; .actions == null)' >/dev/null
}

# create WORD... - a new action. That a burst is small is what tests want.
create()
{
	tc -n "$src" actions add action mpolice "$@" 2>"$NET_WORK/why" ||
		fail "actions add action mpolice $*" "$(cat "$NET_WORK/why")"
}

# modify WORD... - changes one.
modify()
{
	tc -n "$src" actions change action mpolice "$@" 2>"$NET_WORK/why" ||
		fail "actions change action mpolice $*" "$(cat "$NET_WORK/why")"
}

# scale COMMAND... - lib/mpolice_scale.py, in the namespace of out0.
scale()
{
	ip netns exec "$src" python3 "$NET_LIB/mpolice_scale.py" "$@"
}

# scaled COMMAND... - the same, for what it does.
scaled()
{
	local said

	said=$(scale "$@" 2>&1) || fail "mpolice_scale.py $*" "$said"
}

# least FIELD NAME COMMAND... - keeps in a variable the least FIELD that it has printed.
least()
{
	local field=$1 ns
	local -n kept=$2

	shift 2
	ns=$(scale "$@" | jq ".$field // 0 | floor")
	# An empty one would be the least.
	[ "${ns:-0}" -gt 0 ] || fail "mpolice_scale.py $*: $field" "$ns"
	kept=$((${kept:-ns} < ns ? kept : ns))
}

# refuse NAME REGEX COMMAND WORD... - tc must fail, and say so.
refuse()
{
	local name=$1 regex=$2 why

	shift 2
	if why=$(tc -n "$src" "$@" 2>&1); then
		fail "$name" "accepted: tc $*"
	else
		matches "$name" "$why" "$regex"
	fi
}

# port HOOK PRIO PORT WORD... - an action for TCP to and from this port of the peers.
port()
{
	local hook=$1 prio=$2 port=$3 key=dst_port

	shift 3
	[ "$hook" = ingress ] || key=src_port
	tc -n "$src" filter add dev out0 "$hook" prio "$prio" protocol ip \
		flower ip_proto tcp "$key" "$port" action mpolice "$@" ||
		fail "filter add $hook port $port action mpolice $*"
}

# rest HOOK PRIO WORD... - an action for all that no other filter took.
rest()
{
	local hook=$1 prio=$2

	shift 2
	tc -n "$src" filter add dev out0 "$hook" prio "$prio" protocol all \
		matchall action mpolice "$@" ||
		fail "filter add $hook matchall action mpolice $*"
}

# stream HOOK STREAM WORD... - an action for one stream of ramp-send.
stream()
{
	local hook=$1 number=$2

	shift 2
	tc -n "$src" filter add dev out0 "$hook" prio $((number + 1)) \
		protocol 0x88b6 u32 match u32 "$number" 0xffffffff at 4 \
		action mpolice "$@" ||
		fail "filter add $hook stream $number action mpolice $*"
}

# act INDEX JQ - of one action, with its statistics.
act()
{
	tc -n "$src" -j -s actions get action mpolice index "$1" |
		jq -r "[.[] | .actions[]?][0] | $2"
}

# acts JQ - of the array of all actions.
acts()
{
	tc -n "$src" -j -s actions list action mpolice |
		jq -r "[.[] | .actions[]?] | $1"
}

# flows FLOW... - sends them (lib/mpolice_flows.py), and keeps what became of them.
flows()
{
	# shellcheck disable=SC2154 # setup_ns sets it
	python3 "$NET_LIB/mpolice_flows.py" "$src:out0" "$dst:in0" \
		--log "$NET_WORK/log" "$@" >"$NET_WORK/flows" ||
		fail "flows $*"
}

# flow NAME KEY - of the last flows: sent, sent_bytes, received, received_bytes.
flow()
{
	jq -r ".\"$1\".$2" "$NET_WORK/flows"
}

# judge COMMAND [OPTION...] - about the last flows (lib/mpolice_judge.py).
judge()
{
	local command=$1

	shift
	answer mpolice_judge "$command" "$NET_WORK/log" "$@"
}

# over_captured [OPTION...] - the same about all windows of the last capture.
over_captured()
{
	answer mpolice_judge windows "$NET_WORK/pcap" "$@"
}

# accounts NAME INDEX FLOW... - the counters of an action against what was sent in
# these flows and what of it arrived.
accounts()
{
	local name=$1 index=$2 list

	shift 2
	list=$(printf ', ."%s"' "$@")
	is "$name: packets and bytes that passed" "$(act "$index" '
		[.conformed, .over, .uncharged, .bypassed] |
		[(map(.packets) | add), (map(.bytes) | add)] | join(" ")')" \
		"$(jq -r "[${list#,}] | [(map(.received) | add),
		 (map(.received_bytes) | add)] | join(\" \")" "$NET_WORK/flows")"
	is "$name: packets and bytes that exceeded" "$(act "$index" \
		'.exceeded | [.packets, .bytes] | join(" ")')" \
		"$(jq -r "[${list#,}] | [(map(.sent - .received) | add),
		 (map(.sent_bytes - .received_bytes) | add)] | join(\" \")" \
		"$NET_WORK/flows")"
}
