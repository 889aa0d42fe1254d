#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The events of gears through the kernel's own YNL library and our specification: a
# listener is told each move of a scripted run, in order; one that is too slow loses
# some, and slows nothing; and what a dump says in the middle of changes is of one
# moment.

# shellcheck source=selftests/net/lib/gears.sh
. "$(dirname "$0")/lib/gears.sh"
# shellcheck source=selftests/net/lib/events.sh
. "$(dirname "$0")/lib/events.sh"

# So slow that a machine that has other things to do sends faster.
GEARS=500kbit,1mbit,2mbit,4mbit,8mbit

# heard_moves - from, to, reason and occupancy of each, as gear_story tells it
heard_moves()
{
	events 'select(.name == "gear") |
		"\(.["gear-from"])>\(.["gear-to"]):\(.["gear-reason"])@\(.queued)"' |
		paste -sd' '
}

# Of each reason: the first packet, thresholds up and down, ranges, ports, the idle
# gear.
in_order()
{
	local told

	ip -n "$src" link add p0 type dummy
	ip -n "$src" link add p1 type dummy
	ip -n "$src" link set p0 up
	ip -n "$src" link set p1 up
	geared gear-up 70% gear-down 20% dwell 0 gear-ports p0,p1
	rests
	TRACE_EVENTS=ramp_gear
	trace_start
	listen
	send x100 -s $GEAR_SIZE >/dev/null
	drained
	rests
	shift_gear gear-range 4:4 gear-up 100% gear-down 0% limit 1000
	send x990 -s $GEAR_SIZE >/dev/null
	shift_gear gear-range 1:2
	shift_gear gear-range 4:4
	ip -n "$src" link set p0 down
	ip -n "$src" link set p0 up
	shift_gear gear-range 4:4
	drained
	rests
	# What it was told last is what happened last.
	wait_until 20 heard_n gear "$(counter gear_changes)" ||
		note "not all moves were heard in 20 s"
	trace_stop
	listen_end

	told=$(gear_story)
	is "one listener: all moves, in order" "$(heard_moves)" "$told"
	matches "one listener: moves by thresholds" "$told" \
		'^0>1:idle@1 1>2:occ[a-z]*@7. 2>3:occ[a-z]*@7. 3>4:occ[a-z]*@7. 4>3:occ[a-z]*@20 3>2:occ[a-z]*@(20|1[0-9]) 2>1:occ[a-z]*@(20|1[0-9]) 1>0:idle@0 '
	matches "one listener: moves by ranges and ports" "$told" \
		' 0>4:idle@1 4>2:range@[0-9]{2,} 2>4:range@[0-9]{2,} 4>3:link@[0-9]{2,} 3>4:[a-z]+@[0-9]{2,} '
	matches "one listener: the move to the idle gear is last" \
		"$told" ' [1-4]>0:idle@0$'
	is "one listener: all moves name the qdisc" \
		"$(events '"\(.ifindex) \(.handle)"' | sort -u)" \
		"$(index) $((0x20000))"
	is "one listener: times of moves rise" \
		"$(events .time)" "$(events .time | sort -n)"
	is "one listener: no move was lost" \
		"$(events .lost | tail -1) $(counter events_lost)" "0 0"
	ip -n "$src" link del p0
	ip -n "$src" link del p1
}

# shifts N - ranges, each of which is a move
shifts()
{
	local n

	for ((n = 0; n < $1; n++)); do
		echo "qdisc change dev out0 root ramp gear-range" \
			"$((n % 2 ? 1 : 4)):$((n % 2 ? 1 : 4))"
	done
}

# A listener that never reads: it is told that it lost some, and all packets arrive.
slow()
{
	local before heard changes

	geared limit 1000 gear-up 100% gear-down 0% dwell 0 gear-range 1:1 idle 60s
	shifts 100 >"$NET_WORK/batch"
	listen 4096
	before=$(capture_arrived)
	changes=$(counter gear_changes)
	send x100,1000pps:100ms -s $GEAR_SIZE >/dev/null &
	tc -n "$src" -batch "$NET_WORK/batch"
	wait $!
	drained
	changes=$(($(counter gear_changes) - changes))
	within "a slow listener: moves" "$changes" 100 110
	is "a slow listener slows nothing" \
		"$(($(capture_arrived) - before)) $(counter dropped)" "200 0"
	listen_end
	matches "a slow listener is told that it lost some moves" \
		"$(grep -c '"lost"' "$NET_WORK/events")" '^[1-9]'
	heard=$(events '.name?' | grep -c gear)
	within "a slow listener: moves that were kept for it" \
		"$heard" 1 $((changes - 1))
}

# More than the ring holds before anybody else has the CPU: each packet is a move up
# and, as it leaves, one down.
flood()
{
	local heard lost changes

	ramp detect off rate 1gbit tick 10ms limit 100 gears 1gbit,2gbit,3gbit \
		gear-up 1% gear-down 0% dwell 0 idle 60s gear-range none
	copy_64
	listen
	changes=$(counter gear_changes)
	ip netns exec "$dst" ramp-send -i in0 x1 -s 60 >/dev/null
	wait_until 5 enough_changes $((changes + 120))
	sleep 0.2
	listen_end
	tc -n "$src" qdisc del dev out0 clsact

	changes=$(($(counter gear_changes) - changes))
	heard=$(events .name | grep -c gear)
	lost=$(counter events_lost)
	note "$changes moves, $heard heard, $lost lost," \
		"first $(heard_moves | cut -d' ' -f1-3)"
	within "more moves than the ring holds: moves" "$changes" 100 140
	within "more moves than the ring holds: events that do not fit are counted" \
		"$lost" 1 "$changes"
	is "more moves than the ring holds: heard and lost ones are all" \
		$((heard + lost)) "$changes"
}

# shellcheck disable=SC2317 # called by wait_until
enough_changes()
{
	[ "$(counter gear_changes)" -ge "$1" ]
}

# Dumps while packets come and a controller shifts ranges: the gear lies in the range
# that is shown, its bounds are those of the range, and energy is that of the times.
dumps()
{
	local n shifter

	geared limit 1000 gear-up 3% gear-down 1% dwell 0 idle 20ms \
		power 1,2,4,8,16 gear-range 1:4
	# Each range lasts as long as the others, or dumps would see only one.
	tc -n "$src" -batch - < <(exec python3 "$NET_LIB/gear_shift.py" steady \
		out0 100 2>"$NET_WORK/shift.json") &
	shifter=$!
	send x50,200pps:1s,x50,0:200ms,400pps:3s -s $GEAR_SIZE >/dev/null &
	SENDER=$!
	for ((n = 0; n < 50; n++)); do
		tc -n "$src" -j -s qdisc show dev out0
		# In virtual time all of them would show one moment.
		sleep 0.02
	done | jq -c '.[] | select(.kind == "ramp") |
		.power = .options.power | .gear_range = .options.gear_range' >"$NET_WORK/dumps"
	kill "$shifter"
	wait $SENDER
	drained

	is "dumps beside moves: all 50" "$(wc -l <"$NET_WORK/dumps")" 50
	is "dumps beside moves: whose gear is not in their range" "$(jq -c 'select(
		.gear != 0 and (.gear < .gear_min or .gear > .gear_max)) |
		{gear, gear_min, gear_max}' "$NET_WORK/dumps")" ""
	is "dumps beside moves: whose range is another one than their bounds" \
		"$(jq -c 'select(
		.gear_range.min != .gear_min or .gear_range.max != .gear_max) |
		{gear_range, gear_min, gear_max}' "$NET_WORK/dumps")" ""
	is "dumps beside moves: whose energy is not that of the times" "$(jq -c 'select(
		.energy_mj != ([[.gear_ns, .power] | transpose[] |
			.[0] * .[1]] | add / 1e9 | floor)) |
		{energy_mj, gear_ns}' "$NET_WORK/dumps")" ""
	is "dumps beside moves: times in gears go on" \
		"$(jq '.gear_ns | add' "$NET_WORK/dumps")" \
		"$(jq '.gear_ns | add' "$NET_WORK/dumps" | sort -n)"
	within "dumps beside moves: different gears and ranges" \
		"$(jq -c '[.gear, .gear_min, .gear_max]' "$NET_WORK/dumps" |
			sort -u | wc -l)" 3 100
}

net_init ramp-send bc
events_init
modprobe -q dummy
pair $((GEAR_SIZE - 14))
in_order
slow
flood
dumps
ktap_end
