#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# rate auto is the speed of the link and follows it, percentages with it; where
# the speed is not known, detection is dormant, and says so.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

# need_of DEV - what a ramp holds back, in packets of the MTU: of larger ones it is
# fewer.
need_of()
{
	on "$1" .options.limit_need
}

# band_limit DEV - of its first band, in packets
band_limit()
{
	tc -n "$src" -s class show dev "$1" | grep -o ' limit [0-9]*' |
		head -n 1 | cut -d' ' -f3
}

# shellcheck disable=SC2317 # called by wait_until
band_limit_changed()
{
	[ "$(band_limit "$1")" != "$2" ]
}

# shellcheck disable=SC2317 # called by wait_until
limit_is()
{
	[ "$(on lower0 .options.limit)" = "$1" ]
}

# shellcheck disable=SC2317 # called by wait_until
need_changed()
{
	[ "$(need_of "$1")" != "$2" ]
}

# shellcheck disable=SC2317 # called by wait_until
team_rate_is()
{
	[ "$(on team0 .options.rate)" = "$1" ]
}

# team_rates - of all its ramps, each once
team_rates()
{
	tc -n "$src" -j qdisc show dev team0 | jq -r '[.[] | select(.kind == "ramp") |
		.options.rate] | unique | map(tostring) | join(" ")'
}

# shellcheck disable=SC2317 # called by wait_until
team_rates_are()
{
	[ "$(team_rates)" = "$1" ]
}

tap_surge()
{
	# The first packet is for a detector that was just switched on.
	ip netns exec "$src" ramp-send -i tap0 -s 100 x1,0:50ms,x50 >/dev/null
}

net_init ramp-send ethtool teamnl
pair 1500

ramp
is "a veth has 10 Gbit/s" \
	"$(on out0 '"\(.options.rate) \(.options.rate_auto) \(.state)"')" \
	"1250000000 true idle"
ramp rate 1gbit
is "a rate that was given stays" \
	"$(on out0 '"\(.options.rate) \(.options.rate_auto)"')" "125000000 false"

modprobe -q dummy
ip -n "$src" link add dummy9 up type dummy
tc -n "$src" qdisc add dev dummy9 root ramp
is "a dummy has no speed, and the ramp is dormant" \
	"$(on dummy9 '"\(.options | has("rate")) \(.options.rate_auto) \(.state)"')" \
	"false true dormant"
matches "tc prints that a ramp is dormant" "$(tc -n "$src" -d qdisc show dev dummy9)" \
	'rate auto \(unknown\)'
tc -n "$src" qdisc change dev dummy9 root ramp rate 100mbit
is "a dormant ramp: an explicit rate wakes it" "$(on dummy9 .state)" idle
tc -n "$src" qdisc change dev dummy9 root ramp rate auto
is "a dormant ramp: rate auto puts it to sleep again" "$(on dummy9 .state)" dormant
tc -n "$src" qdisc change dev dummy9 root ramp start 2p step 2p \
	detect ingress ingress 10pps:1000pps
is "a dummy has no speed: without percentages no rate is needed" \
	"$(on dummy9 .state)" idle

tap_open
tap_speed 0
tc -n "$src" qdisc add dev tap0 root ramp detect ingress ingress 10pps:1000pps window 10ms \
	tick 1ms start 10% step 1% hold 60s
is "a tap without a speed: dormant" "$(on tap0 .state)" dormant
tap_surge
is "dormant, no surge is seen" "$(on tap0 '"\(.surges_up) \(.ramps)"')" "0 0"

tap_speed 1000
tap_changes 125000000
is "a tap whose speed becomes known: idle" \
	"$(on tap0 '"\(.options.rate) \(.state)"')" "125000000 idle"
need=$(on tap0 .options.limit_need)
tap_surge
is "a tap whose speed becomes known: start is 10 % of 1 Gbit/s for 1 ms" \
	"$(on tap0 '"\(.state) \(.allowance) \(.allowance_unit)"')" \
	"ramp-up 12500 bytes"

tap_speed 100
tap_changes 12500000
is "a tap whose speed falls to a tenth: rate" "$(on tap0 .options.rate)" 12500000
# The present tick keeps what it had.
sleep 0.01
is "a tap whose speed falls to a tenth: the running ramp's percentages" \
	"$(on tap0 '"\(.state) \(.allowance)"')" "ramp-up 1250"
within "a tap whose speed falls to a tenth: limit_need" \
	"$(on tap0 .options.limit_need)" \
	$((need * 9 / 100)) $((need * 11 / 100))

tap_speed 10000
ip -n "$src" link set tap0 down
ip -n "$src" link set tap0 up
wait_until 20 rate_is 1250000000
is "rate auto is read again when the link comes up" "$(on tap0 .options.rate)" \
	1250000000
tap_speed 2500
ip -n "$src" link set tap0 carrier off
ip -n "$src" link set tap0 carrier on
wait_until 20 rate_is 312500000
is "rate auto is read again when the carrier comes up" \
	"$(on tap0 .options.rate)" 312500000
# Many drivers know no speed without a carrier. The limiter stays, as it is needed as soon as
# there is one again.
tap_speed 0
ip -n "$src" link set tap0 carrier off
sleep $SLOWER
is "a speed that is unknown without a carrier: the last one stays" \
	"$(on tap0 '"\(.options.rate) \(.state)"')" "312500000 idle"
tc -n "$src" qdisc change dev tap0 root ramp window 20ms
is "a speed that is unknown without a carrier: the last one stays after a change" \
	"$(on tap0 '"\(.options.rate) \(.state)"')" "312500000 idle"
tap_speed 2500
ip -n "$src" link set tap0 carrier on
sleep $SLOWER
is "a carrier that is back: the rate is what it was" \
	"$(on tap0 '"\(.options.rate) \(.state)"')" "312500000 idle"

tap_speed 0
tap_changes null
is "a tap whose speed is lost: dormant" \
	"$(on tap0 '"\(.options | has("rate")) \(.state)"')" "false dormant"
tap_surge
is "a tap whose speed is lost: packets still leave" \
	"$(on tap0 '"\(.queued) \(.dropped)"')" "0 0"

tap_close

# A team is as fast as its ports together, and says nothing when one of them goes or comes.
if modprobe -q team 2>/dev/null && ip -n "$src" link add team0 type team; then
	ip netns exec "$src" teamnl team0 setoption mode roundrobin
	for i in 1 2; do
		ip -n "$src" link add port$i type veth peer name far$i
		ip -n "$src" link set far$i up
		ip -n "$src" link set port$i master team0
		ip -n "$src" link set port$i up
	done
	ip -n "$src" link set team0 up
	tc -n "$src" qdisc add dev team0 root ramp
	wait_until 20 team_rate_is 2500000000
	is "a team of two ports: the rate of both" "$(on team0 .options.rate)" 2500000000
	ip -n "$src" link set far2 down
	wait_until 20 team_rate_is 1250000000
	is "a port of a team has no carrier: the rate of the other one" \
		"$(on team0 .options.rate)" 1250000000
	ip -n "$src" link set far2 up
	wait_until 20 team_rate_is 2500000000
	is "a port of a team has its carrier again: the rate of both" \
		"$(on team0 .options.rate)" 2500000000
	# With a ramp for each queue, all of them.
	tc -n "$src" qdisc replace dev team0 root handle 1: ramp_mq
	ip -n "$src" link set far2 down
	wait_until 20 team_rates_are 1250000000
	is "a port of a team has no carrier: the rate of each queue" "$(team_rates)" 1250000000
	ip -n "$src" link set far2 up
	wait_until 20 team_rates_are 2500000000
	is "a port of a team has its carrier again: the rate of each queue" \
		"$(team_rates)" 2500000000
	tc -n "$src" qdisc replace dev team0 root handle 2: ramp
	ip -n "$src" link set port2 nomaster
	wait_until 20 team_rate_is 1250000000
	is "a port leaves a team: the rate of the other one" \
		"$(on team0 .options.rate)" 1250000000
	ip -n "$src" link del team0
else
	lacks "a team whose ports change" "team"
fi

# An upper device follows the MTU of its lower one, whose lock is held meanwhile:
# asking the upper one for its speed there never ends, with RTNL held.
if ip -n "$src" link add lower0 type dummy &&
   ip -n "$src" link add link lower0 upper0 type macvlan; then
	ip -n "$src" link set lower0 up
	ip -n "$src" link set upper0 up
	tc -n "$src" qdisc add dev upper0 root ramp start 1mbit step 1mbit \
		detect queue
	ip -n "$src" link set lower0 mtu 1400
	is "an upper device whose MTU follows: no deadlock" \
		"$(timeout 20 ip -n "$src" -j link show dev upper0 |
			jq '.[0].mtu')" 1400
	tc -n "$src" qdisc change dev upper0 root ramp rate 1gbit
	need=$(need_of upper0)
	ip -n "$src" link set lower0 mtu 700
	wait_until 20 need_changed upper0 "$need"
	within "an upper device whose MTU follows: limit_need is counted anew" \
		"$(need_of upper0)" $((need + 1)) $((3 * need))

	# Nothing else of this one depends on the MTU, not even a rate.
	tc -n "$src" qdisc replace dev lower0 root ramp detect off limit 1000p \
		bands 2 band-limit 0 30kb
	packets=$(band_limit lower0)
	ip -n "$src" link set lower0 mtu 1400
	wait_until 20 band_limit_changed lower0 "$packets"
	within "another MTU: a band-limit in bytes is counted anew, in packets" \
		"$(band_limit lower0)" 10 $((packets - 1))

	# A ladder that has no room for its steps then goes by less, as nobody asked. Nor
	# is the other one on a rail left with half of a change.
	ladder=(limit 30kb ladder "20%:50%,40%:20%")
	ip -n "$src" link add lower1 type dummy
	ip -n "$src" link set lower1 up
	ip -n "$src" link set lower0 mtu 1500
	tc -n "$src" qdisc replace dev lower0 root ramp rail 1 rate 100mbit "${ladder[@]}"
	tc -n "$src" qdisc add dev lower1 root ramp rail 1 rate 100mbit
	ip -n "$src" link set lower0 mtu 9000
	wait_until 20 limit_is 3
	is "another MTU: a limit in bytes is counted anew, with a ladder" \
		"$(on lower0 .options.limit)" 3
	tc -n "$src" qdisc change dev lower1 root ramp rate 10mbit
	is "another MTU: a rail's change is in force in the one with a ladder" \
		"$(on lower0 .options.rate) $(on lower1 .options.rate)" "1250000 1250000"
	ip -n "$src" link del lower1
	tc -n "$src" qdisc del dev lower0 root
	ip -n "$src" link set lower0 mtu 1400

	# The limiter's tick has ten packets, and a hundredth of a percent of that is
	# less than a byte now.
	tc -n "$src" qdisc replace dev lower0 root ramp detect always rate 1mbit start 0.01% \
		limit 1000p || fail "start 0.01% of 1 Mbit/s"
	ip -n "$src" link set lower0 mtu 1000
	is "another MTU: a start that is less than a byte refuses no change" \
		"$(tc -n "$src" qdisc change dev lower0 root ramp limit 2000p 2>&1)" ""
else
	lacks "an upper device whose MTU follows" "dummy or macvlan"
fi
ktap_end
