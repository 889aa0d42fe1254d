#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Frames with rate codes that arrive at a device whose ramp obeys: which are heard,
# which are not, what each is counted as, and what each band may send at then. What
# must come of a frame is said by a second reading of the description (codes.py).

# shellcheck source=selftests/net/lib/obey.sh
. "$(dirname "$0")/lib/obey.sh"

# A code holds for as long as it may, unless that is what is being tested.
HOLD='"validity": 10000'

# obeying PARAMETER... - a new ramp on out0 that obeys, with 16 bands.
obeying()
{
	ramp rate 1gbit bands 16 detect off obey "$@"
}

# story NAME MIN FRAME... - frames that a new ramp hears.
story()
{
	local name=$1 least=$2
	shift 2

	obeying min "$((least / 100))%"
	printf '%s\n' "$@" >"$NET_WORK/frames"
	frames_of "$NET_WORK/frames"
	as_expected "$name" "$NET_WORK/frames" "$least"
}

# listed - do frames to the group come in at out0?
listed()
{
	ip -n "$src" maddress show dev out0 | grep -ciE '01:80:c2:00:00:0e'
}

one_valid()
{
	obeying
	is "one frame: nothing was heard before" "$(counter peer_rate)" 100
	frame "{$HOLD, \"codes\": [[0, 5000], [3, 2550]]}"
	is "one frame: bands that it names have its rates, others none" \
		"$(peer_rates | cut -d' ' -f1-5)" "50% 100% 100% 25.5% 100%"
	is "one frame: peer_rate is the least of its bands" "$(counter peer_rate)" 25.5
	frame "{$HOLD, \"seq\": 2, \"codes\": [[0, 10000]]}"
	is "a frame says all: a band that it does not name is free" \
		"$(peer_rates | cut -d' ' -f1-4)" "100% 100% 100% 100%"
	frame "{$HOLD, \"seq\": 3, \"codes\": [[0, 2550]]}"
	tc -n "$src" qdisc change dev out0 root ramp window 20ms
	is "a change keeps what was heard" "$(counter peer_rate)" 25.5
	tc -n "$src" qdisc change dev out0 root ramp obey min 40%
	is "another min holds at once" "$(counter peer_rate)" 40
	tc -n "$src" qdisc change dev out0 root ramp no-obey
	is "no-obey forgets what was heard" "$(counter peer_rate)" 100
	is "no-obey, with a code in force, leaves the group" "$(listed)" 0
}

order()
{
	story "frames: one after the other" 1000 \
		"{$HOLD, \"seq\": 1, \"codes\": [[0, 8000]]}" \
		"{$HOLD, \"seq\": 2, \"codes\": [[0, 6000]]}" \
		"{$HOLD, \"seq\": 3, \"codes\": [[0, 4000]]}"
	story "frames: one is lost" 1000 \
		"{$HOLD, \"seq\": 1, \"codes\": [[0, 8000]]}" \
		"{$HOLD, \"seq\": 3, \"codes\": [[0, 4000]]}"
	story "frames: two change places" 1000 \
		"{$HOLD, \"seq\": 1, \"codes\": [[0, 8000]]}" \
		"{$HOLD, \"seq\": 3, \"codes\": [[0, 4000]]}" \
		"{$HOLD, \"seq\": 2, \"codes\": [[0, 6000]]}"
	story "frames: one comes twice" 1000 \
		"{$HOLD, \"seq\": 1, \"codes\": [[0, 8000]]}" \
		"{$HOLD, \"seq\": 1, \"codes\": [[0, 6000]]}"
	story "frames: the number begins anew" 1000 \
		"{$HOLD, \"seq\": 4294967295, \"codes\": [[0, 8000]]}" \
		"{$HOLD, \"seq\": 0, \"codes\": [[0, 6000]]}" \
		"{$HOLD, \"seq\": 4294967295, \"codes\": [[0, 4000]]}"
	story "the sender was restarted, and a frame of before is late" 1000 \
		"{$HOLD, \"epoch\": 7, \"seq\": 900, \"codes\": [[0, 3000], [1, 2000]]}" \
		"{$HOLD, \"epoch\": 9, \"seq\": 1, \"codes\": [[0, 6000]]}" \
		"{$HOLD, \"epoch\": 7, \"seq\": 901, \"codes\": [[0, 1000]]}"
}

several()
{
	story "of several senders the smallest applies" 1000 \
		"{$HOLD, \"mac\": \"02:00:00:00:00:01\", \"codes\": [[0, 8000], [1, 3000]]}" \
		"{$HOLD, \"mac\": \"02:00:00:00:00:02\", \"codes\": [[0, 6000], [1, 5000]]}" \
		"{$HOLD, \"ifindex\": 3, \"codes\": [[2, 7000]]}" \
		"{$HOLD, \"ifindex\": 3, \"parent\": 65537, \"codes\": [[2, 9000]]}"
	story "of several senders one rises" 1000 \
		"{$HOLD, \"mac\": \"02:00:00:00:00:01\", \"codes\": [[0, 2000]]}" \
		"{$HOLD, \"mac\": \"02:00:00:00:00:02\", \"codes\": [[0, 6000]]}" \
		"{$HOLD, \"mac\": \"02:00:00:00:00:01\", \"seq\": 2, \"codes\": [[0, 9000]]}"
	ramp rate 1gbit detect off obey bands 2 exempt 0
	frame "{$HOLD, \"codes\": [[0, 2000], [1, 5000]]}"
	is "a band that is exempt is not slowed" \
		"$(counter peer_rate) $(peer_rates)" "50 100% 50%"
	story "more senders than there is room for" 1000 \
		"$(for ((i = 1; i <= 20; i++)); do
			echo "{$HOLD, \"ifindex\": $i, \"codes\": [[0, $((9000 - 100 * i))]]}"
		done)"
	story "a peer slows no band below min" \
		2500 "{$HOLD, \"codes\": [[0, 0], [1, 2499], [2, 2500]]}"
	story "min 0: a peer may stop a band" 0 "{$HOLD, \"codes\": [[0, 0]]}"
}

malformed()
{
	local good='"codes": [[0, 9000]]' bad

	for bad in '"version": 0' '"version": 2' '"count": 0' '"count": 17' \
		'"count": 255' '"validity": 0' '"validity": 10001' \
		'"reserved": 1' '"codes": [[16, 5000]]' '"codes": [[0, 10001]]' \
		'"codes": [[1, 5000], [1, 5000]]' '"cut": 0' '"cut": 1' \
		'"cut": 19' '"cut": 23' '"count": 16, "cut": 80'; do
		story "malformed ($bad)" 1000 "{$HOLD, $good}" \
			"{$HOLD, \"seq\": 2, \"codes\": [[0, 5000]], $bad}"
		[ "$(counter codes_malformed)" = 1 ] ||
			fail "$bad is malformed" "$(counter codes_malformed)"
	done
}

# at_random FRAMES SEED - in less time than their codes hold
at_random()
{
	obeying
	codes random "$1" "$2" >"$NET_WORK/frames"
	frames_of "$NET_WORK/frames"
	as_expected "$1 frames at random ($2)" "$NET_WORK/frames"
}

# Frames of others than these are not heard, whatever they say.
only_from()
{
	local one=02:00:00:00:00:01 two=02:00:00:00:00:02

	obeying from $one,$two
	codes random 5000 3 >"$NET_WORK/frames"
	frames_of "$NET_WORK/frames"
	as_expected "from: frames at random of four senders, of whom two are named" \
		"$NET_WORK/frames" 1000 $one,$two

	obeying
	frame "{$HOLD, \"mac\": \"$one\", \"codes\": [[0, 6000]]}" \
		"{$HOLD, \"mac\": \"$two\", \"codes\": [[0, 3000]]}"
	is "from any: the least applies" "$(counter peer_rate)" 30
	tc -n "$src" qdisc change dev out0 root ramp obey from $one
	is "from: what others said before is forgotten at once" \
		"$(counters peer_rate codes_expired)" "60 0"
	tc -n "$src" qdisc change dev out0 root ramp obey from $two
	frame "{$HOLD, \"mac\": \"$one\", \"seq\": 2, \"codes\": [[0, 2000]]}" \
		"{$HOLD, \"mac\": \"$two\", \"seq\": 2, \"codes\": [[0, 5000]]}"
	is "from: others are named" "$(counters peer_rate codes_ignored)" "50 1"
	tc -n "$src" qdisc change dev out0 root ramp obey from any
	frame "{$HOLD, \"mac\": \"$one\", \"seq\": 3, \"codes\": [[0, 4000]]}"
	is "from any: all are heard again" "$(counter peer_rate)" 40
}

# Somebody on the link makes up senders.
flood()
{
	local peer=02:00:00:00:00:01
	local valid="{$HOLD, \"mac\": \"$peer\", \"codes\": [[1, 7000]]}"
	local next="{$HOLD, \"mac\": \"$peer\", \"seq\": 2, \"codes\": [[1, 5000]]}"

	codes flood 5000 1 >"$NET_WORK/flood"

	obeying
	{ echo "$valid" && cat "$NET_WORK/flood" && echo "$next"; } >"$NET_WORK/frames"
	frames_of "$NET_WORK/frames"
	as_expected "a flood: who was heard before it is heard after it" \
		"$NET_WORK/frames"

	obeying
	{ cat "$NET_WORK/flood" && echo "$valid"; } >"$NET_WORK/frames"
	frames_of "$NET_WORK/frames"
	as_expected "a flood: who comes after it finds no place" "$NET_WORK/frames"
	tc -n "$src" qdisc change dev out0 root ramp obey from $peer
	frame "$next"
	is "a flood: who is named has a place at once" \
		"$(peer_rates | cut -d' ' -f1-2)" "100% 50%"

	obeying from $peer
	frames_of "$NET_WORK/frames"
	as_expected "a flood: with from only who is named is heard" \
		"$NET_WORK/frames" 1000 $peer
}

# A code holds for as long as its frame says.
expiry()
{
	obeying
	frame '{"validity": 3000, "codes": [[0, 5000]]}' \
		'{"validity": 10000, "mac": "02:00:00:00:00:01", "codes": [[0, 8000]]}'
	is "codes that have not expired hold" "$(counter peer_rate)" 50
	wait_until 20 counter_is codes_expired 1
	is "codes that expired: the other sender's hold" \
		"$(counters peer_rate codes_expired)" "80 1"
	frame '{"validity": 10000, "seq": 1, "epoch": 5, "codes": [[0, 3000]]}'
	is "codes of a sender that is heard again hold" "$(counter peer_rate)" 30

	obeying
	frame '{"validity": 10000, "codes": [[0, 5000]]}' \
		'{"validity": 500, "seq": 2, "codes": [[0, 5000]]}'
	wait_until 5 counter_is codes_expired 1
	is "a code that holds for less long than the one before it" \
		"$(counters peer_rate codes_expired)" "100 1"
}

elsewhere()
{
	ip link add name out1 netns "$src" type veth peer name in1 netns "$dst"
	ip -n "$src" link set out1 up
	ip -n "$dst" link set in1 up
	obeying
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in1 \
		"{$HOLD, \"codes\": [[0, 2000]]}"
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
		"{$HOLD, \"ethertype\": 34999, \"codes\": [[0, 2000]]}"
	# A valid code, 20 % for band 0, in VLAN 5.
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
		"{\"ethertype\": 33024, \"raw\": \"0005 88b5 01 01 2710 00000007 00000003 00010000 00000001 00 00 07d0\"}"
	frame "{$HOLD, \"codes\": [[1, 9000]]}"
	is "what comes in elsewhere, in a VLAN, or is of another type, is not heard" \
		"$(counters codes_received codes_malformed peer_rate)" "1 0 90"
	ip -n "$src" link del out1

	ramp rate 1gbit obey ethertype 0x88b7
	frame "{$HOLD, \"ethertype\": 34999, \"codes\": [[0, 2000]]}"
	is "codes with another ethertype, which obey names, are heard" \
		"$(counters codes_received peer_rate)" "1 20"
	tc -n "$src" qdisc change dev out0 root ramp ethertype 0x88b8
	frame "{$HOLD, \"seq\": 2, \"ethertype\": 35000, \"codes\": [[0, 3000]]}"
	is "codes with the ethertype of a change are heard" \
		"$(counters codes_received peer_rate)" "2 30"

	obeying
	frame "{$HOLD, \"to\": \"ff:ff:ff:ff:ff:ff\", \"codes\": [[0, 2000]]}"
	is "a frame to another address is none for it" \
		"$(counters codes_received codes_malformed peer_rate)" "0 1 100"
	frame "{$HOLD, \"mac\": \"03:00:00:00:00:01\", \"codes\": [[0, 2000]]}" \
		"{$HOLD, \"mac\": \"00:00:00:00:00:00\", \"codes\": [[0, 2000]]}"
	is "a frame from an address that no sender has is none for it" \
		"$(counters codes_received codes_malformed peer_rate)" "0 3 100"
}

# of_vlan - what the ramp on out0.5 has heard, and may send
of_vlan()
{
	tc -n "$src" -j -s qdisc show dev out0.5 |
		jq -r '.[] | "\(.codes_received) \(.peer_rate)"'
}

# A VLAN has a device of its own, and with that a rate of its own.
vlans()
{
	ip -n "$src" link add link out0 name out0.5 type vlan id 5
	ip -n "$dst" link add link in0 name in0.5 type vlan id 5
	ip -n "$src" link set out0.5 up
	ip -n "$dst" link set in0.5 up
	tc -n "$src" qdisc add dev out0.5 root ramp rate 1gbit detect off obey
	obeying
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0.5 \
		"{$HOLD, \"codes\": [[0, 2000]]}"
	frame "{$HOLD, \"codes\": [[1, 9000]]}"
	is "codes of a VLAN that somebody here is in are not for the port" \
		"$(counters codes_received codes_malformed codes_ignored peer_rate)" \
		"1 0 0 90"
	is "codes of a VLAN are heard by its device" "$(of_vlan)" "1 20"

	# What is above the device of the VLAN has the frame in the end.
	if ip -n "$src" link add up0 type team; then
		ip -n "$src" link set out0.5 down
		ip -n "$src" link set out0.5 master up0
		ip -n "$src" link set up0 up
		obeying
		ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0.5 \
			"{$HOLD, \"codes\": [[0, 2000]]}"
		frame "{$HOLD, \"codes\": [[1, 9000]]}"
		is "codes of a VLAN whose device is in a team are not for the port" \
			"$(counters codes_received codes_malformed codes_ignored peer_rate)" \
			"1 0 0 90"
		ip -n "$src" link set out0 down
		ip -n "$src" link set out0.5 nomaster
		ip -n "$src" link set out0 master up0
		ip -n "$src" link set out0 up
		obeying
		frame "{$HOLD, \"codes\": [[1, 8000]]}"
		is "codes at a port of a team are heard" \
			"$(counters codes_received codes_malformed codes_ignored peer_rate)" \
			"1 0 0 80"
		ip -n "$src" link add up1 type team
		ip -n "$src" link set up0 down
		ip -n "$src" link set up0 master up1
		ip -n "$src" link set up0 up
		ip -n "$src" link set up1 up
		obeying
		frame "{$HOLD, \"codes\": [[1, 7000]]}"
		is "codes at a port of a team that is in a team are heard" \
			"$(counters codes_received codes_malformed codes_ignored peer_rate)" \
			"1 0 0 70"
		ip -n "$src" link del up1
		ip -n "$src" link set out0 nomaster
		ip -n "$src" link set out0 up
		ip -n "$src" link del up0
	else
		lacks "codes of a VLAN whose device is in a team are not for the port" team
	fi
	ip -n "$src" link del out0.5
	ip -n "$dst" link del in0.5
}

off()
{
	ramp rate 1gbit bands 2
	is "without obey the group is not joined" "$(listed)" 0
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
		"{$HOLD, \"codes\": [[0, 2000]]}"
	sleep 0.3
	is "without obey codes change nothing" \
		"$(counters codes_received codes_stale codes_malformed peer_rate)" \
		"0 0 0 100"
	tc -n "$src" qdisc change dev out0 root ramp obey
	is "obey joins the group" "$(listed)" 1
	frame "{$HOLD, \"codes\": [[0, 2000]]}"
	is "obey by a change: codes hold" "$(counter peer_rate)" 20
	tc -n "$src" qdisc del dev out0 root
	is "no-obey leaves the group" "$(listed)" 0
}

net_init bc
pair 1500
one_valid
order
several
malformed
for seed in ${RAMP_SEEDS:-1 2}; do
	at_random 10000 "$seed"
done
only_from
flood
expiry
elsewhere
vlans
off
ktap_end
