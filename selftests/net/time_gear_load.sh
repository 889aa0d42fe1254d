#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A constant load between two gears, at many loads: the defaults keep the delay that a
# gear adds near gear-up, and the gear that was found.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/gears.sh
. "$HERE/lib/gears.sh"

RATES=50mbit,100mbit,200mbit,400mbit
UP=200000		# ns, the default
LAST=150000000		# ns, so long a load lasts
SETTLED=50000000	# ns, after which nothing may change

# delay - mean of the frames, ns
delay()
{
	capture frames | awk '{ sum += $1 - $5; n++ } END { printf "%.0f\n", sum / n }'
}

# late_moves - gear changes between SETTLED and the end of the load
late_moves()
{
	local first

	first=$(gear_time 1)
	gear_moves | awk -v first="$first" -v from=$SETTLED -v to=$LAST '
		$1 - first > from && $1 - first < to { n++ } END { print n + 0 }'
}

# steady MBIT - of what came per 10 ms once it has settled: the least and the most, in
# percent of the load
steady()
{
	capture frames | awk -v load="$1" -v size=$GEAR_SIZE -v from=$SETTLED \
		-v to=$LAST '
		NR == 1 { first = $1 }
		$1 - first > from && $1 - first < to { n[int(($1 - first) / 1e7)]++ }
		END {
			for (slot = from / 1e7; slot < to / 1e7 - 1; slot++) {
				part = n[slot] * size * 8 / (load * 1e4) * 100
				if (!seen++ || part < least) least = part
				if (part > most) most = part
			}
			state = "from " least " to " most
			if (least >= 95 && most <= 105) state = "steady"
			print state
		}'
}

# loaded MBIT - one of them
loaded()
{
	play "$1mbit:150ms"
	within "$1 mbit: mean delay, ns" "$(delay)" 0 $((UP * 3 / 2 - 1))
	is "$1 mbit: flaps, late changes, rate" \
		"$(counter flaps) $(late_moves) $(steady "$1")" "0 0 steady"
	all_came "$1 mbit"
}

net_init ramp-send tcpdump
only_virtual_time
pair $((GEAR_SIZE - 14))
sleep 1		# until timers have a high resolution
for ((load = 105; load < 400; load += 15)); do
	ramp detect off rate 1gbit gears $RATES
	rests
	loaded $load
done
is "the gears were of the defaults" "$(counters options.gear_up_time[0] \
	options.gear_down_time[0] options.gear_fit)" "200000 50000 90"

# What has come is counted, not what could leave, in whatever unit the thresholds are.
for unit in "2ms gear-down 1ms" "90% gear-down 80%"; do
	# shellcheck disable=SC2086 # parameters are words
	ramp_below 50mbit 1514 detect off rate 1gbit limit 1000000 idle 60s dwell 10ms \
		gears 10mbit,100mbit,1gbit gear-up $unit
	capture_start
	send 500mbit:25ms -s $GEAR_SIZE >"$NET_WORK/sent"
	is "gear-up $unit, five times the lower gear comes: the gear is kept" \
		"$(counters gear gear_changes)" "2 0"
	drained
	capture_stop
done

# That it is gear-fit which keeps the gear: the bare rule does not.
ramp detect off rate 1gbit gears $RATES gear-fit off
rests
play 150mbit:150ms
within "the bare rule flaps" "$(counter flaps)" 3 1000000
all_came "the bare rule"
ktap_end
