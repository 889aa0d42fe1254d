#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Rate codes and the devices that they pass: one that filters what it receives, a
# bridge, one that goes or becomes another, a namespace that goes, a module that is removed.

# shellcheck source=selftests/net/lib/obey.sh
. "$(dirname "$0")/lib/obey.sh"

HOLD='"validity": 10000'

# received DEV - what the ramp on a device of $src has had
received()
{
	tc -n "$src" -j -s qdisc show dev "$1" |
		jq '.[] | select(.kind == "ramp") | .codes_received'
}

# shellcheck disable=SC2317 # called by wait_until
received_is()
{
	[ "$(received "$1")" = "$2" ]
}

# macvlan - a new device on out0 that filters, with a frame of codes sent to it; prints
# what it was given.
macvlan()
{
	ip -n "$src" link add link out0 name mac0 type macvlan mode bridge
	ip -n "$src" link set mac0 up
	tc -n "$src" qdisc add dev mac0 root handle 2: ramp rate 1gbit detect off
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
		"{$HOLD, \"codes\": [[0, 5000]]}"
	sleep 0.3
	ip -n "$src" -j -s link show mac0 | jq '.[].stats64.rx.multicast'
}

# A macvlan is given only multicast that it has asked for, or what has the same hash of
# eight bits as that, which depends on where the device is in memory.
filter()
{
	local n given=1

	for ((n = 0; n < 3 && given; n++)); do
		# It stays, or the next one would be where it was.
		[ $n = 0 ] || ip -n "$src" link set mac0 down name "other$n"
		given=$(macvlan)
	done
	while ((--n)); do
		ip -n "$src" link del "other$n"
	done
	is "a filter of a macvlan lets no codes in" "$given" 0
	tc -n "$src" qdisc change dev mac0 root ramp obey
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
		"{$HOLD, \"codes\": [[0, 5000]]}"
	wait_until 5 received_is mac0 1
	is "obey opens the filter of a macvlan" "$(received mac0)" 1
	ip -n "$src" link del mac0
}

# came - frames that out0 has had
came()
{
	ip -n "$src" -j -s link show out0 | jq '.[].stats64.rx.packets'
}

# shellcheck disable=SC2317 # called by wait_until
came_more()
{
	[ "$(came)" -gt "$1" ]
}

# The group is one of those that no bridge forwards.
bridge()
{
	local before dev

	ip -n "$dst" link add br0 type bridge
	ip -n "$dst" link add name far0 type veth peer name far1
	ip -n "$dst" link set far0 master br0
	ip -n "$dst" link set in0 master br0
	for dev in br0 far0 far1; do
		ip -n "$dst" link set $dev up
	done
	ramp rate 1gbit detect off obey
	before=$(came)
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send far1 \
		"{$HOLD, \"codes\": [[0, 3000]]}"
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send far1 \
		"{$HOLD, \"codes\": [[0, 5000]], \"to\": \"02:00:00:00:00:99\"}"
	wait_until 5 came_more "$before"
	matches "a bridge forwards what is sent to others, but no codes" \
		"$(($(came) - before)) $(counters codes_received codes_malformed)" \
		'^[1-9][0-9]* 0 0$'
	ip -n "$dst" link del far0
	ip -n "$dst" link del br0
}

# telling PARAMETER... - a ramp below a slow tbf on out0, of which the codes go out
# of tell0 and tell2.
telling()
{
	local n

	for n in 0 2; do
		ip -n "$src" link add name tell$n type veth peer name tell$((n + 1))
		ip -n "$src" link set tell$n up
		ip -n "$src" link set tell$((n + 1)) up
	done
	# 800 frames wait for a minute and a half, which is time enough for all that is done here.
	ramp_below 100kbit 1514 rate 100kbit detect off limit 1000 ladder 10%:50% \
		feedback tell0,tell2 validity 50ms "$@"
}

# A device that goes is no longer told, and the others are.
device_goes()
{
	local before

	telling
	send x800 >/dev/null
	is "feedback: two devices are named" "$(tc -n "$src" -j qdisc show dev out0 |
		jq -c '.[] | select(.kind == "ramp").options.feedback')" \
		'["tell0","tell2"]'
	# Old kernels rename only what is down.
	ip -n "$src" link set tell2 down
	ip -n "$src" link set tell2 name renamed
	ip -n "$src" link set renamed up
	is "feedback: a new device with the name of a renamed one is not it" \
		"$(tc -n "$src" -j qdisc show dev out0 |
		jq -c '.[] | select(.kind == "ramp").options.feedback')" \
		'["tell0","renamed"]'
	ip -n "$src" link del tell0
	is "feedback: a device that is deleted is not named" \
		"$(tc -n "$src" -j qdisc show dev out0 |
		jq -c '.[] | select(.kind == "ramp").options.feedback')" '["renamed"]'
	before=$(told)
	wait_until 5 told_more "$before"
	if told_more "$before"; then
		pass "feedback: a deleted device beside it, the other one is told"
	else
		fail "feedback: a deleted device beside it, the other one is told"
	fi
	ip -n "$src" link set renamed netns "$dst"
	is "feedback: a device that moves elsewhere is not named" \
		"$(tc -n "$src" -j qdisc show dev out0 |
		jq -c '.[] | select(.kind == "ramp").options.feedback')" '[]'
	ip -n "$dst" link del renamed
}

# What was told to a device of a band alone is told to those of all when it goes.
own_device_goes()
{
	telling bands 2 feedback tell2 band-feedback 1 tell0
	send x800 >/dev/null
	sleep 0.2
	is "band-feedback: another device is not told of it" "$(told)" 0
	ip -n "$src" link del tell0
	wait_until 5 told_more 0
	holds "band-feedback: the device is deleted, and those of all bands are told" \
		"$(told)" ">" 1
	ip -n "$src" link del tell2
}

# other_goes BANDS_DEV BAND_DEV PEER - of two devices that are told of different bands one
# goes, of whose band there is nothing to tell. The other goes on to hear, or its code would
# expire.
other_goes()
{
	local before TOLD=$3

	telling bands 2 feedback "$1" band-feedback 1 "$2"
	send x800 >/dev/null
	wait_until 5 told_more 0
	ip -n "$src" link del "$1"
	before=$(told)
	wait_until 5 told_more $((before + 3))
	holds "band-feedback: $1 is deleted, and $2 is told again and again" \
		"$(told)" ">" $((before + 3))
	ip -n "$src" link del "$2"
}

# told - frames that have come to TOLD
TOLD=tell3
told()
{
	ip -n "$src" -j -s link show "$TOLD" | jq '.[].stats64.rx.packets'
}

# shellcheck disable=SC2317 # called by wait_until
told_more()
{
	[ "$(told)" -gt $(($1 + 1)) ]
}

# A VLAN hands its frames to the qdisc of the port below it, as what goes first.
above()
{
	local TOLD=tell1

	telling
	ip -n "$src" link add link tell0 name tell0.5 type vlan id 5
	ip -n "$src" link set tell0.5 up
	tc -n "$src" qdisc replace dev tell0 root handle 5: prio
	tc -n "$src" qdisc change dev out0 parent 3:1 ramp feedback tell0.5
	send x800 >/dev/null
	wait_until 5 told_more 3
	matches "feedback out of a VLAN: frames in each band of the port below it" \
		"$(tc -n "$src" -s class show dev tell0 |
			awk '/^ Sent/ { printf "%s ", $4 }')" '^[1-9][0-9]* 0 0 $'
	ip -n "$src" link del tell0
	ip -n "$src" link del tell2
}

# A device whose driver takes nothing now is told later.
down_and_up()
{
	telling
	ip -n "$src" link set tell0 down
	send x800 >/dev/null
	wait_until 5 some_lost
	if some_lost; then
		pass "frames to a device that is down are counted"
	else
		fail "frames to a device that is down are counted"
	fi
	ip -n "$src" link del tell0
	ip -n "$src" link del tell2
}

# shellcheck disable=SC2317 # called by wait_until
some_lost()
{
	[ "$(counter frames_lost)" -gt 0 ]
}

# of_type DEV - takes the type of a device.
of_type()
{
	ip -n "$src" link set "$1" master team0 2>/dev/null
	ip -n "$src" link set "$1" nomaster 2>/dev/null
	ip -n "$src" -j link show team0 | jq -r '.[].link_type'
}

# in_group - do frames with codes come in at team0?
in_group()
{
	ip -n "$src" maddress show dev team0 | grep -ciE '01:80:c2:00:00:0e'
}

# A team is what its first port is, and has no addresses any more when that is something
# else than it was.
other_type()
{
	ip -n "$src" link add team0 type team 2>/dev/null ||
		{ lacks "obey: a device of another type" "device team"; return; }
	modprobe -q tun
	ip -n "$src" tuntap add none0 mode tun 2>/dev/null ||
		{ lacks "obey: a device of another type" "device tun"; return; }
	ip -n "$src" link add ether0 type dummy
	tc -n "$src" qdisc add dev team0 root ramp rate 1gbit obey
	is "obey: a team joins the group" "$(in_group)" 1
	is "obey: a team of another type has left the group" \
		"$(of_type none0) $(in_group)" "none 0"
	is "obey: a team that is Ethernet again joins it again" \
		"$(of_type ether0) $(in_group)" "ether 1"

	of_type none0 >/dev/null
	tc -n "$src" qdisc change dev team0 root ramp no-obey
	of_type ether0 >/dev/null
	is "no-obey: a team that is Ethernet again does not join" "$(in_group)" 0
	ip -n "$src" maddress add 01:80:c2:00:00:0e dev team0
	tc -n "$src" qdisc change dev team0 root ramp obey
	of_type none0 >/dev/null
	of_type ether0 >/dev/null
	ip -n "$src" maddress add 01:80:c2:00:00:0e dev team0
	tc -n "$src" qdisc del dev team0 root
	is "obey: what others have joined since then stays" "$(in_group)" 1
	ip -n "$src" link del team0
}

# All of it goes at once while codes are made and heard.
all_goes()
{
	local n pid

	for n in 1 2 3; do
		pair 1500
		telling obey
		send 20mbit:3s >/dev/null 2>&1 &
		pid=$!
		for ((i = 0; i < 200; i++)); do
			echo "{$HOLD, \"seq\": $i, \"codes\": [[0, 5000]]}"
		done >"$NET_WORK/frames"
		ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
			<"$NET_WORK/frames" 2>/dev/null
		case $n in
		1)
			ip netns del "$src"
			;;
		2)
			ip -n "$src" link del out0
			;;
		3)
			tc -n "$src" qdisc del dev out0 root
			wait_until 5 modprobe -rq sch_ramp
			modprobe sch_ramp || fail "the module can be loaded again"
			;;
		esac
		kill $pid 2>/dev/null
		wait $pid 2>/dev/null
	done
	pass "namespace, device and module go under load"
}

net_init ramp-send bc
pair 1500
filter
bridge
pair 1500
device_goes
pair 1500
own_device_goes
pair 1500
other_goes tell0 tell2 tell3
pair 1500
other_goes tell2 tell0 tell1
pair 1500
down_and_up
above
other_type
all_goes
ktap_end
