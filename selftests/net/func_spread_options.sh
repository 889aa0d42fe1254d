#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The options of the team mode: libteam's own teamnl loads the mode and reads back
# what it has set; what is refused changes nothing, and spread_error says why.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"

DEFAULTS='spread_interval=50 spread_classes=25,50,75 spread_index=none
	spread_empty=all spread_flowlet=500 spread_escape=true spread_error='
PORT_DEFAULTS='spread_sets=4294967295 spread_weight=1 spread_capacity=0'

# all_of NAMES [PORT] - their values, as DEFAULTS has them.
all_of()
{
	local word names=()

	for word in $1; do
		names+=("${word%%=*}=$(getopt "${word%%=*}" "${2-}")")
	done
	echo "${names[*]}"
}

# accepted NAME VALUE [PORT]
accepted()
{
	if setopt "$@"; then
		is "$*: reads back" "$(getopt "$1" "${3-}")" "$2"
	else
		fail "$*: is accepted" "$(getopt spread_error)"
	fi
}

# refused ERROR NAME VALUE [PORT]
refused()
{
	local error=$1 before rc=0
	shift

	# Also what is set to the value that it has is accepted, and no error.
	setopt spread_escape true
	before=$(getopt spread_error)$(getopt "$1" "${3-}")
	setopt "$@" 2>/dev/null || rc=1
	is "$1 '$2' ${3-}: refused, unchanged, and why" \
		"$rc $(getopt "$1" "${3-}") $(getopt spread_error)" \
		"1 $before $error"
}

# read_only NAME [PORT]
read_only()
{
	local before rc=0

	before=$(getopt spread_error)
	setopt "$1" 1 ${2:+"$2"} 2>/dev/null || rc=1
	is "$1 is read only, and leaves spread_error alone" \
		"$rc $(getopt spread_error)" "1 $before"
}

classes()
{
	accepted spread_classes 50
	accepted spread_classes 1
	accepted spread_classes 100
	accepted spread_classes 1,2,3,4,5,6,100
	accepted spread_classes 12,25,37,50,62,75,87
	refused "spread_classes: 1..7 bounds" spread_classes ""
	refused "spread_classes: 1..7 bounds" spread_classes 1,2,3,4,5,6,7,8
	refused "spread_classes: bounds 1..100" spread_classes 0,50
	refused "spread_classes: bounds 1..100" spread_classes 50,101
	refused "spread_classes: bounds 1..100" spread_classes 4294967321
	refused "spread_classes: not ascending" spread_classes 50,25
	refused "spread_classes: not ascending" spread_classes 25,50,50
	refused "spread_classes: N,N,..." spread_classes half
	refused "spread_classes: N,N,..." spread_classes 25,,50
	refused "spread_classes: N,N,..." spread_classes 25,50,
	refused "spread_classes: N,N,..." spread_classes "25, 50"
	refused "spread_classes: N,N,..." spread_classes +25
	refused "spread_classes: N,N,..." spread_classes 25%
}

numbers()
{
	accepted spread_interval 0
	is "an accepted setting empties spread_error" "$(getopt spread_error)" ""
	accepted spread_interval 1000000
	refused "spread_interval: 0..1000000" spread_interval 1000001
	# One more is not a number to a teamnl with 32 bits.
	refused "spread_interval: 0..1000000" spread_interval 4294967294
	accepted spread_flowlet 0
	accepted spread_flowlet 1000000
	refused "spread_flowlet: 0..1000000" spread_flowlet 1000001
	accepted spread_escape false
	accepted spread_escape true

	accepted spread_sets 1 p0
	accepted spread_sets 0 p0
	accepted spread_sets 2147483648 p0
	accepted spread_weight 1000 p0
	refused "spread_weight: 1..1000" spread_weight 0 p0
	refused "spread_weight: 1..1000" spread_weight 1001 p0
	accepted spread_capacity 10000000 p0
	refused "spread_capacity: 0..10000000" spread_capacity 10000001 p0
}

words()
{
	local value

	for value in none priority mark vlan dst ip; do
		accepted spread_index $value
	done
	refused "none|priority|mark|vlan|dst|ip" spread_index src
	refused "none|priority|mark|vlan|dst|ip" spread_index ""
	refused "none|priority|mark|vlan|dst|ip" spread_index priorit
	refused "none|priority|mark|vlan|dst|ip" spread_index ipv6
	accepted spread_empty drop
	accepted spread_empty all
	refused "spread_empty: all|drop" spread_empty none
	refused "spread_empty: all|drop" spread_empty ""
}

# addresses - how many different ones the team and its ports have
addresses()
{
	ip -n "$src" -j link show | jq '[.[] | select(.ifname |
		test("^(team0|p[01])$")).address] | unique | length'
}

# A command as root of a new user namespace, and nobody else's.
AS_USER=(setpriv --reuid=65534 --regid=65534 --clear-groups
	unshare --user --map-root-user)

# not_permitted NAME COMMAND... - it fails for want of a right, and not for another reason.
not_permitted()
{
	local said rc

	said=$("${@:2}" 2>&1)
	rc=$?
	is "$1: refused" "$((!!rc)) $(grep -ci 'not permitted' <<<"$said")" "1 1" || note "$said"
}

# answered FILE - what was said there, and its status.
# shellcheck disable=SC2317 # called by not_permitted
answered()
{
	cat "$1"
	return "$(sed -n 's/^made, //p' "$1")"
}

# The team driver lets only the machine's administrator set options, also those of a team
# that a user has made. That one's namespace takes it along when it ends.
user()
{
	local before holder words

	if ! "${AS_USER[@]}" --net true 2>/dev/null; then
		skip "options from a user namespace" "unprivileged user namespaces"
		return
	fi
	before=$(all_of "$DEFAULTS")$(all_of "$PORT_DEFAULTS" p0)
	for words in "spread_interval 7" "spread_index ip" "mode random"; do
		# shellcheck disable=SC2086 # several words
		not_permitted "a user namespace sets $words" \
			in_src "${AS_USER[@]}" teamnl team0 setoption $words
	done
	not_permitted "a user namespace sets an option of a port" \
		in_src "${AS_USER[@]}" teamnl -p p0 team0 setoption spread_sets 3
	is "a user namespace has changed nothing" \
		"$(all_of "$DEFAULTS")$(all_of "$PORT_DEFAULTS" p0)" "$before"

	"${AS_USER[@]}" --net bash -c 'ip link add team0 type team || exit
		teamnl team0 setoption mode spread; echo "made, $?"; sleep 1000' \
		>"$NET_WORK/user" 2>&1 &
	holder=$!
	wait_until 20 grep -q made "$NET_WORK/user" || fail "a user makes a team"
	not_permitted "a user sets the mode of a team of its own" answered "$NET_WORK/user"
	# shellcheck disable=SC2016 # expands inside
	nsenter --net="/proc/$holder/ns/net" bash -e -c '
		teamnl team0 setoption mode spread
		ip link add p0 type veth peer name q0
		ip link set p0 master team0
		ip link set team0 up; ip link set p0 up; ip link set q0 up
		teamnl team0 setoption spread_index ip
		teamnl -p p0 team0 setoption spread_sets 3
		[ "$(teamnl team0 getoption spread_index)" = ip ]'
	is "a user's own team: the administrator sets the mode and options" $? 0
	kill $holder
	wait $holder 2>/dev/null
	wait_until 20 teams_are 1
	is "a user's own team goes with its namespace" $? 0
}

# teams_are COUNT - that use the mode
# shellcheck disable=SC2317 # called by wait_until
teams_are()
{
	[ "$(cat /sys/module/team_mode_spread/refcnt)" = "$1" ]
}

spread_init teamnl setpriv unshare
wait_until 5 modprobe -r team_mode_spread 2>/dev/null
is "the mode is not loaded" "$(lsmod | grep -c ^team_mode_spread)" 0
team spread
is "teamnl loads and sets it" \
	"$(lsmod | grep -c ^team_mode_spread) $(getopt mode)" "1 spread"
is "defaults" "$(all_of "$DEFAULTS")" "${DEFAULTS//$'\n\t'/ }"
veth_ports 2
is "ports have the team's address" "$(addresses)" 1
ip -n "$src" link set team0 address 02:00:00:00:00:77
is "ports follow the team's address" "$(addresses)" 1
is "defaults of a port" "$(all_of "$PORT_DEFAULTS" p0)" "$PORT_DEFAULTS"

user
classes
numbers
words
for name in spread_interval_effective spread_samples spread_moves \
	spread_escapes spread_fallbacks spread_drops_empty spread_drops_down \
	spread_error; do
	read_only $name
done
for name in spread_fullness spread_class spread_source spread_tx; do
	read_only $name p0
done
is "what is of one port is not of the other" \
	"$(all_of "$PORT_DEFAULTS" p1)" "$PORT_DEFAULTS"

# The bound is 32 queues, and 8 ports, per step.
setopts "spread_interval 50"
is "effective interval of 2 queues" "$(getopt spread_interval_effective)" 50
veth_port 2 32
veth_port 3 32
is "effective interval of 66 queues" "$(getopt spread_interval_effective)" 150
setopts "spread_interval 0"
is "effective interval, every frame" "$(getopt spread_interval_effective)" 0

# A port that left and came back is a new one, its settings do not wait for it.
setopts "spread_sets 5 p1" "spread_weight 7 p1" "spread_capacity 9 p1"
ip -n "$src" link set p1 nomaster
ip -n "$src" link set p1 down
ip -n "$src" link set p1 master team0
is "a port that came back has the defaults" \
	"$(all_of "$PORT_DEFAULTS" p1)" "$PORT_DEFAULTS"

for port in p0 p1 p2 p3; do
	ip -n "$src" link set $port nomaster
done
ip -n "$src" link set team0 down
setopts "mode random"
if getopt spread_interval >/dev/null 2>&1; then
	fail "another mode has none of these options"
else
	pass "another mode has none of these options"
fi
setopts "mode spread"
is "the mode is set again: defaults" "$(all_of "$DEFAULTS")" "${DEFAULTS//$'\n\t'/ }"

# No more ports than there is room for.
modprobe -q dummy
for ((n = 0; n < 257; n++)); do
	echo "link add d$n type dummy"
	echo "link set d$n master team0"
done >"$NET_WORK/batch"
ip -n "$src" -force -batch "$NET_WORK/batch" >/dev/null 2>&1
is "256 ports, and no more" "$(ip -n "$src" -j link show master team0 |
	jq length)" 256
is "effective interval of 256 ports" "$(getopt spread_interval_effective)" 1600
ktap_end
