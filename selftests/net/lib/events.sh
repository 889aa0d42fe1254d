# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of events share: a listener through the kernel's own YNL library and
# our specification, and a way to make many events before anybody hears one. Sources
# obey.sh.

# shellcheck source=selftests/net/lib/obey.sh
. "$(dirname "${BASH_SOURCE[0]}")/obey.sh"

YNL=/usr/lib/kselftests/ynl/pyynl
SPEC=$(cd "$NET_LIB/../../.." && pwd)/Documentation/netlink/specs/ramp.yaml
SCHEMA=/usr/lib/kselftests/netlink/genetlink-legacy.yaml

# events_init - skips the test where YNL is missing.
events_init()
{
	[ -d "$YNL" ] || missing "the kernel's YNL tool"
	[ -r "$SCHEMA" ] || missing "the schema of genetlink-legacy"
}

# listen [ROOM] - a listener in the namespace of out0
listen()
{
	rm -f "$NET_WORK/end"
	mkfifo "$NET_WORK/end"
	PYTHONDONTWRITEBYTECODE=1 ip netns exec "$src" \
		python3 "$NET_LIB/events_ynl.py" "$YNL" "$SPEC" "$SCHEMA" "$@" \
		<"$NET_WORK/end" >"$NET_WORK/events" &
	LISTENER=$!
	exec 8>"$NET_WORK/end"
	wait_until 60 grep -q ready "$NET_WORK/events" ||
		note "the listener did not begin"
}

# heard_enough NAME N - waits until N events of a name have come.
heard_enough()
{
	wait_until 60 heard_n "$@" || note "not $2 of $1: $(events .name | paste -sd' ')"
}

# shellcheck disable=SC2317 # called by wait_until
heard_n()
{
	[ "$(grep -c "\"name\": \"$1\"" "$NET_WORK/events")" -ge "$2" ]
}

listen_end()
{
	exec 8>&-
	wait "$LISTENER"
}

# events FILTER - jq over each event
events()
{
	grep -v ^ready "$NET_WORK/events" | jq -r "$1"
}

index()
{
	ip -n "$src" -j link show out0 | jq .[].ifindex
}

# copy_64 - what comes in at out0 goes back 64 times
copy_64()
{
	local pref actions=() n

	for ((n = 0; n < 31; n++)); do
		actions+=(action mirred egress mirror dev out0 pipe)
	done
	tc -n "$src" qdisc add dev out0 clsact
	for pref in 1 2; do
		tc -n "$src" filter add dev out0 ingress pref $pref \
			protocol 0x88b6 matchall "${actions[@]}" \
			action mirred egress mirror dev out0 continue
	done
}
