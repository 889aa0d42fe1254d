#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Power by the share of ports that are up: ten ports go down one after the other, half
# of them by their own link and half by that of the other end, and what is used and
# saved is, in each of its six rows, what Table 4 of NetFridgeS says.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/gears.sh
. "$HERE/lib/gears.sh"

# Table 4: the pipeline's power by port utilization, percent of one without gears.
# The rows begin at 0, 0.2, 0.4, 0.6, 0.8 and 1.
TABLE=(28.24 67.03 73.87 81.18 96.4 100.09)
# By hand: less than the last row, in percent of it.
SAVED=(71.79 33.03 26.2 18.89 3.69 0)
# By how many of ten are up.
ROW=(0 0 1 1 2 2 3 3 4 4 5)

SHARES=$(printf '%s%%,' "${TABLE[@]}")
SHARES=${SHARES%,}
PORTS=p0,p1,p2,p3,p4,p5,p6,p7,p8,p9

# watts GEAR_PARAMETER... - a pipeline of 100 W, and its ports.
watts()
{
	geared gear-ports $PORTS power 100 power-ports "$SHARES" "$@"
}

ports()
{
	local n

	for n in {0..9}; do
		ip link add "p$n" netns "$src" type veth \
			peer name "q$n" netns "$dst"
		ip -n "$src" link set "p$n" up
		ip -n "$dst" link set "q$n" up
	done
}

# set_port UP_OR_DOWN NUMBER - the odd ones by the other end, and waits until that
# is seen.
set_port()
{
	local want

	want=$(counter "ports_up $([ "$1" = up ] && echo + || echo -) 1")
	if [ $(($2 % 2)) = 1 ]; then
		ip -n "$dst" link set "q$2" "$1"
	else
		ip -n "$src" link set "p$2" "$1"
	fi
	wait_until 5 counter_is ports_up "$want" || note "not $want ports up"
}

reading()
{
	tc -n "$src" -j -s qdisc show dev out0 |
		jq -c '.[] | select(.kind == "ramp")'
}

# used BEFORE AFTER - percent of 100 W in between.
used()
{
	jq -n --argjson a "$1" --argjson b "$2" \
		'($b.energy_mj - $a.energy_mj) * 1e8 /
		 (($b.port_ns | add) - ($a.port_ns | add)) | round / 100'
}

# One qdisc sees them all go, and come back. How long that takes is known.
one_after_the_other()
{
	local up before after began end

	watts
	began=$(reading)
	is "all of ten ports are up" \
		"$(jq -c '[.ports_up, .ports, .port_row]' <<<"$began")" "[10,10,5]"
	for up in {10..0}; do
		before=$(reading)
		sleep 2
		after=$(reading)
		is "power with $up of 10 ports up, percent" \
			"$(used "$before" "$after")" "${TABLE[ROW[up]]}"
		is "time with $up of 10 ports up goes to row ${ROW[up]}" \
			"$(jq -n --argjson a "$before" --argjson b "$after" \
			   '[$a.port_ns, $b.port_ns] | transpose |
			    map(.[1] > .[0]) | index(true), (map(select(.)) | length)' |
			   paste -sd' ')" "${ROW[up]} 1"
		[ "$up" = 0 ] || set_port down $((up - 1))
	done
	for up in {0..9}; do
		set_port up "$up"
	done
	end=$(reading)
	is "all are up again" \
		"$(jq -c '[.ports_up, .ports, .port_row]' <<<"$end")" "[10,10,5]"
	is "energy is time in rows x their share of 100 W" \
		"$(jq .energy_mj <<<"$end")" \
		"$(jq '[.port_ns, .options.power_ports] | transpose |
			map(.[0] * (.[1] * 100 | round)) | add / 1e8 | floor' \
			<<<"$end")"
	note "rows, ns: $(jq -c .port_ns <<<"$end")"
}

# A box that always has so many of them up: what it saves. The command that the
# documentation names.
each_row()
{
	local up one

	for up in {10..0}; do
		watts
		one=$(reading)
		sleep 1
		one=$(used "$one" "$(reading)")
		is "a box with $up of 10 ports up has saved, percent" \
			"$(counter saved_pct)" "${SAVED[ROW[up]]}"
		note "$up of 10 ports up: $one % of 100 W, saved $(counter saved_pct) %"
		[ "$up" = 0 ] || set_port down $((up - 1))
	done
}

# Whatever they carry, and in whatever gear.
not_by_load()
{
	local before after up

	for up in 0 1 2; do
		set_port up "$up"
	done
	watts dwell 1ms gear-follow occupancy
	before=$(reading)
	send x100,20mbit:300ms,0:200ms,60mbit:300ms -s $GEAR_SIZE >/dev/null
	after=$(reading)
	is "the load takes several gears" \
		"$(jq '[.gear_ns[] | select(. > 0)] | length > 3' <<<"$after")" true
	is "3 of 10 ports up under load, percent" "$(used "$before" "$after")" 67.03
	rests
	before=$(reading)
	sleep 1
	is "3 of 10 ports up in the idle gear, percent" \
		"$(used "$before" "$(reading)")" 67.03
}

# What is changed meanwhile.
changes()
{
	local before after

	before=$(reading)
	shift_gear power 200
	after=$(reading)
	is "twice the watts is twice the energy so far, percent" \
		"$(jq -n --argjson a "$before" --argjson b "$after" \
			'$b.energy_mj / $a.energy_mj * 100 | round')" 200
	shift_gear power none
	is "without watts there is no energy" "$(counter energy_mj)" 0
	is "without watts what is saved is known" "$(counter saved_pct)" 33.03
	shift_gear gears 10mbit,20mbit,40mbit
	is "other gears keep the times of ports" \
		"$(counter "port_ns[1] > $(jq '.port_ns[1]' <<<"$before")")" true
	shift_gear power-ports 30%,60%,80%,90%,95%,100%
	is "as many other shares keep them, too" \
		"$(counter "port_ns[1] > $(jq '.port_ns[1]' <<<"$before")")" true
	is "as many other shares tell what else would have been saved" "$(counter saved_pct)" 40
	shift_gear power-ports 20%,80%,100%
	sleep 1
	is "another number of rows begins anew" \
		"$(counters port_row 'port_ns[0] > 1000000000' \
			'port_ns[0] < 1100000000' 'port_ns[1]')" "0 true true 0"
	shift_gear power-ports none power 1,2,4
	is "by gear again" "$(counters 'options.power_ports[0] // "none"' \
		'ports_up // "none"' 'energy_mj > 0')" "none none true"
	shift_gear power-ports 50%,100%
	is "watts by gear go when power is by ports" \
		"$(counters 'options.power[0] // "none"' energy_mj saved_pct)" \
		"none 0 50"
}

net_init ramp-send
only_virtual_time
pair $((GEAR_SIZE - 14))
ports
sleep 1		# until timers have a high resolution
one_after_the_other
each_row
not_by_load
changes
ktap_end
