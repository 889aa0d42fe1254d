#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The mode's module comes with the first team that has it and goes without a trace
# after the last one, and not before.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"

ROUNDS=10

loaded()
{
	[ -d /sys/module/team_mode_spread ]
}

# shellcheck disable=SC2317 # called by wait_until
unload_now()
{
	! loaded || rmmod team_mode_spread 2>/dev/null
}

# clean NAME - the module can go, and nothing of it stays. A namespace goes in the
# background, and holds it until then.
clean()
{
	wait_until 20 unload_now
	if loaded; then
		fail "$1" "$(lsmod | grep ^team_mode_spread)"
	elif [ -e /sys/kernel/tracing/events/spread ]; then
		fail "$1" "tracepoints stay"
	else
		pass "$1"
	fi
}

# held NAME COUNT - so many references, and it cannot be unloaded.
held()
{
	local rc=0

	rmmod team_mode_spread 2>/dev/null && rc=1
	is "$1: $2 references, and it cannot be unloaded" \
		"$(cat /sys/module/team_mode_spread/refcnt 2>/dev/null) $rc" "$2 0"
}

# both_up - for wait_until.
# shellcheck disable=SC2317 # called by it
both_up()
{
	[ "$(in_src teamnl team0 ports | grep -c ': up')" = 2 ]
}

# busy - sends 2000 frames of 20 flows, a tenth of a second.
busy()
{
	flows -f 20 -e 1ms -n 100 -l >"$NET_WORK/sent"
}

spread_init teamnl
namespaces
clean "not there before"

team spread
held "a team" 1
ip -n "$src" link add team1 type team
in_src teamnl team1 setoption mode spread
held "two teams" 2
ip -n "$src" link del team1
held "one of them is deleted" 1
veth_ports 2
wait_until 20 both_up
busy
held "ports and traffic" 1
is "two teams: frames are counted" \
	"$(options '[.ports[].spread_tx | tonumber] | add')" 2000
ip -n "$src" link set p0 nomaster
ip -n "$src" link set p1 nomaster
setopts "mode random"
clean "another mode"

for ((round = 0, good = 0; round < ROUNDS; round++)); do
	team spread
	veth_ports 2
	busy &
	sender=$!
	# At another moment of the traffic each time.
	sleep 0.0$round
	case $((round % 2)) in
	0) ip -n "$src" link del team0 ;;
	1) cleanup_ns "$src" "$dst" ;;
	esac
	{ wait $sender; } 2>/dev/null	# ended with its namespace
	wait_until 20 unload_now
	loaded || good=$((good + 1))
done
is "loaded, used, deleted under load and unloaded" $good $ROUNDS

# What waits in the qdisc of a port survives the team, and the mode.
team spread
veth_ports 1
tc -n "$src" qdisc add dev p0 root tbf rate 8kbit burst 2000 limit 1000000
busy
ip -n "$src" link del team0
clean "deleted while frames of it wait in a port"

team spread
veth_ports 2
cleanup_ns "$src" "$dst"
clean "the namespace goes"
ktap_end
