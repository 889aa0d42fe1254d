#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Time in gears adds up, and energy is time times power.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/gears.sh
. "$HERE/lib/gears.sh"

# now - ns, of the clock that residency has
now()
{
	python3 -c 'import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC))'
}

# energy - of what was read: sum of time x power, mJ, rounded down once. Powers in
# mW are those that tc shows.
energy()
{
	jq -r '[[.gear_ns, .power] | transpose[] | .[0] / 1e6 * .[1]] | add / 1e3 |
		floor' <<<"$1"
}

# saved - percent against the last gear's power all the time
saved()
{
	jq -r '(.gear_ns | add) as $all | .power[-1] as $top |
		([[.gear_ns, .power] | transpose[] | .[0] * .[1]] | add) as $used |
		(1 - $used / ($all * $top)) * 10000 | round / 100' <<<"$1"
}

reading()
{
	tc -n "$src" -j -s qdisc show dev out0 |
		jq -c '.[] | select(.kind == "ramp") | .power = .options.power'
}

sums()
{
	local before between after one sum

	before=$(now)
	geared power 10,20,30,45.5,100 dwell 1ms
	between=$(now)
	sleep 1
	for _ in 1 2 3; do
		send x100,20mbit:300ms,0:200ms,60mbit:300ms -s $GEAR_SIZE >/dev/null
		sleep 0.3
	done
	one=$(reading)
	after=$(now)
	sum=$(jq '.gear_ns | add' <<<"$one")
	within "time in all gears, added up, is the time that passed, ns" "$sum" \
		$((after - between - 5000000)) $((after - before))
	is "each gear was used" \
		"$(jq '[.gear_ns[] | select(. > 0)] | length' <<<"$one")" 5
	is "powers are in mW" "$(jq -c .power <<<"$one")" \
		"[10000,20000,30000,45500,100000]"
	is "energy is time x power" "$(jq .energy_mj <<<"$one")" "$(energy "$one")"
	is "saved_pct is what times and powers give" \
		"$(jq .saved_pct <<<"$one")" "$(saved "$one")"

	# Nothing in between: the difference is one gear's.
	rests
	one=$(reading)
	sleep 2
	sum=$(jq --argjson before "$one" '.energy_mj - $before.energy_mj' \
		<<<"$(reading)")
	within "two seconds in the idle gear, mJ" "$sum" 20000 20100
	shift_gear gear-range 4:4
	is "a change keeps times and energy" \
		"$(jq --argjson before "$one" '.energy_mj > $before.energy_mj' \
			<<<"$(reading)")" true
}

# A watt is a joule in each second, wherever the gear is.
text()
{
	local mj

	geared power 1,1,1,1,1
	mj=$(counter energy_mj)
	sleep "$(awk -v mj="$mj" 'BEGIN { print (2005 - mj % 1000) / 1000 }')"
	matches "five mJ more than whole joules, as text" \
		"$(tc -n "$src" -s qdisc show dev out0)" ' energy [0-9]+\.00[5-9]J '
}

# Without figures there is nothing to say.
none()
{
	geared power none
	sleep 0.2
	is "no power: no energy" "$(counters 'energy_mj // 0' 'saved_pct // 0')" \
		"0 0"
}

net_init ramp-send
only_virtual_time
pair $((GEAR_SIZE - 14))
sleep 1		# until timers have a high resolution
sums
text
none
ktap_end
