#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Devices that a ramp names, to send codes out of and to follow with its gears, and
# others that have the same number in another network namespace: what happens to one
# is nothing to those who name the other, whether it goes up, down, away, or moves.

# shellcheck source=selftests/net/lib/gears.sh
. "$(dirname "$0")/lib/gears.sh"

INDEX=77
GEARS=1gbit,5gbit,10gbit

# naming NS - a ramp on own0, which names named0 and the device with that number
naming()
{
	ip -n "$1" link add own0 type dummy
	ip -n "$1" link add named0 type dummy
	ip -n "$1" link add number0 index $INDEX type dummy
	ip -n "$1" link set own0 up
	ip -n "$1" link set named0 up
	ip -n "$1" link set number0 up
	tc -n "$1" qdisc add dev own0 root handle 2: ramp detect off rate 10gbit \
		limit 1000 ladder 10%:50% feedback named0,number0 \
		bands 2 band-feedback 1 number0 \
		gears $GEARS gear-ports named0,number0 gear-follow links \
		dwell 0 idle 60s
}

# named NS - which devices a ramp names, and its top gear
named()
{
	tc -n "$1" -j -s qdisc show dev own0 | jq -r '.[] |
		select(.kind == "ramp").options |
		"\(.feedback | sort | join(",")) \(.gear_ports | sort |
		   join(",")) \(.gear_top)"'
}

both()
{
	is "$1" "$(named "$src") | $(named "$dst")" "$2 | $3"
}

same_number()
{
	local all=named0,number0

	naming "$src"
	naming "$dst"
	both "one ifindex in two namespaces: both have it" "$all $all 2" "$all $all 2"
	ip -n "$dst" link set number0 down
	both "one ifindex in two namespaces: one goes down" "$all $all 2" "$all $all 1"
	ip -n "$src" link set number0 down
	ip -n "$dst" link set number0 up
	both "one ifindex in two namespaces: the other one goes down, the first one up" \
		"$all $all 1" "$all $all 2"
	ip -n "$src" link set number0 up
	ip -n "$src" link del number0
	both "one ifindex in two namespaces: one is deleted" \
		"named0 named0 2" "$all $all 2"
	ip -n "$src" link add number0 index $INDEX type dummy
	both "one ifindex in two namespaces: a new device has the number of the deleted one" \
		"named0 named0 2" "$all $all 2"
	ip -n "$src" link set number0 up
	ip -n "$src" link set number0 down
	both "one ifindex in two namespaces: the new device is nobody's" \
		"named0 named0 2" "$all $all 2"
	ip -n "$src" link del number0
}

# Where the number is free it stays what it was.
moves()
{
	local all=named0,number0

	ip -n "$dst" link set number0 netns "$src"
	both "a device that moves to where its number is free" "named0 named0 2" \
		"named0 named0 2"
	ip -n "$src" link set number0 up
	ip -n "$src" link set number0 down
	both "a device that moved: it is nobody's there" \
		"named0 named0 2" "named0 named0 2"
	tc -n "$src" qdisc change dev own0 root ramp feedback named0,number0 \
		gear-ports named0,number0
	both "a device that moved: it is named there" "$all $all 1" "named0 named0 2"
	ip -n "$src" link set number0 up
	both "a device that moved: it goes up where it is named" \
		"$all $all 2" "named0 named0 2"
	ip -n "$src" link set number0 netns "$dst"
	both "a device that moved goes back" "named0 named0 2" "named0 named0 2"
	ip -n "$dst" link del number0
}

# A change that names others, and one that is refused.
renamed()
{
	ip -n "$dst" link add other0 type dummy
	ip -n "$dst" link set other0 up
	tc -n "$dst" qdisc change dev own0 root ramp feedback other0 \
		gear-ports named0,other0
	tc -n "$dst" qdisc change dev own0 root ramp feedback named0 \
		gear-ports named0 gears 10gbit,1gbit 2>/dev/null &&
		fail "gears that fall are refused"
	is "a change that names others" "$(named "$dst")" "other0 named0,other0 2"
	ip -n "$dst" link set named0 down
	is "a change that names others: one of them goes down" \
		"$(named "$dst")" "other0 named0,other0 1"
	tc -n "$dst" qdisc change dev own0 root ramp gear-ports other0
	ip -n "$dst" link del named0
	is "a device that is not named any more goes" \
		"$(named "$dst")" "other0 other0 2"
	ip -n "$dst" link del other0
	is "a device that is named goes" "$(named "$dst")" "  2"
}

# Own device and devices that it names, all in one go.
ends()
{
	tc -n "$src" qdisc change dev own0 root ramp feedback own0,named0 \
		gear-ports own0,named0
	is "a ramp that names its own device" \
		"$(named "$src")" "named0,own0 named0,own0 2"
	ip -n "$src" link set own0 down
	is "a ramp that names its own device, which goes down" \
		"$(named "$src")" "named0,own0 named0,own0 1"
	ip -n "$src" link set own0 netns "$dst" name moved0
	is "a ramp that names its own device, which moves: no ramp is left" \
		"$(tc -n "$dst" qdisc show dev moved0 | grep -c ramp)" 0
	ip -n "$src" link set named0 down
	ip -n "$src" link del named0
	ip -n "$dst" link del moved0
	ip -n "$dst" link del own0
}

net_init modprobe
modprobe -q dummy
pair 1500
same_number
moves
renamed
ends
ktap_end
