# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of gears share: what a ramp did with its gears, from the tracepoint,
# the statistics and the receiver's capture. Sources lib.sh.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Frames of 1250 bytes are 10000 bits: at 10 mbit one takes 1 ms. The idle gear is
# the slowest. What is sent through them is small enough to leave at once where
# nothing holds it back.
GEAR_SIZE=1250
GEARS=5mbit,10mbit,20mbit,40mbit,80mbit

# geared PARAMETER... - a ramp that does nothing but gears, by the bare rule in
# packets.
geared()
{
	ramp detect off rate 1gbit limit 100 gears $GEARS gear-up 70% \
		gear-down 20% gear-fit off "$@"
}

# shift_gear PARAMETER... - changes it.
shift_gear()
{
	tc -n "$src" qdisc change dev out0 root ramp "$@"
}

# gear_moves - lines with time, from, to, reason and occupancy.
gear_moves()
{
	answer capture gears "$NET_WORK/trace"
}

# gear_story - the same without times, in one line: 1>2:occupancy@70 ...
gear_story()
{
	gear_moves | awk '{ print $2 ">" $3 ":" $4 "@" $5 }' | paste -sd' '
}

# gear_time N - when the Nth (from 1) move was, ns.
gear_time()
{
	gear_moves | sed -n "${1}s/ .*//p"
}

# rests - waits until it is in the idle gear.
rests()
{
	wait_until 20 counter_is gear 0 || note "gear $(counter gear), not 0"
}

# play PROFILE [OPTION...] - sends it, and records moves and frames.
play()
{
	play_begin
	send "$@" -s $GEAR_SIZE >"$NET_WORK/sent"
	play_end
}

play_begin()
{
	TRACE_EVENTS=ramp_gear
	capture_start
	trace_start
}

play_end()
{
	drained || note "still not empty"
	rests
	trace_stop
	capture_stop
}

# all_came NAME - all that was sent was taken, and arrived once and in order.
all_came()
{
	local sent

	sent=$(jq .sent "$NET_WORK/sent")
	is "$1: all arrive once and in order" \
		"$(capture check "$sent") $(jq .refused "$NET_WORK/sent")" \
		"received $sent lost 0 doubled 0 reordered 0 0"
}

# bits RATE - what 10mbit and the like are per second
bits()
{
	awk -v rate="$1" 'BEGIN {
		scale["kbit"] = 1e3; scale["mbit"] = 1e6; scale["gbit"] = 1e9
		unit = rate
		sub(/^[0-9]+/, "", unit)
		printf "%.0f\n", rate * scale[unit] }'
}

# gear_rate GEAR - bits per second, of GEARS
gear_rate()
{
	bits "$(cut -d, -f$(($1 + 1)) <<<"$GEARS")"
}
