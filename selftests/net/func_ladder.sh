#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Codes that an occupancy makes on its way up and down a ladder: at which occupancy,
# to which level and rate. By the tracepoint, so that no clock matters.
#
# US 7298703, FIG. 4a and 5; where FIG. 4b differs ([0063]), its text.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

TRACE_EVENTS=ramp_code

# below PARAMETER... - a ramp below a tbf that takes 1 frame of 1250 bytes each ms.
below()
{
	ramp_below $((10 / SLOWER))mbit 1250 rate $((10 / SLOWER))mbit \
		detect off "$@"
}

# offer PROFILE [OPTION...] - frames, all of which leave
# shellcheck disable=SC2317 # called by story
offer()
{
	send "$@" -s 1250 >/dev/null
	drained
}

# codes_made - level:rate@occupancy of each code, in order
codes_made()
{
	sed -n 's/.* ramp_code: .*level=\([0-9]*\) rate=\([0-9]*\) queued=\([0-9]*\).*/\1:\2@\3/p' \
		"$NET_WORK/trace" | paste -sd' '
}

# story NAME CODES COMMAND [ARG...] - what COMMAND makes
story()
{
	local name=$1 want=$2
	shift 2

	trace_start
	"$@"
	trace_stop
	is "$name" "$(codes_made)" "$want"
}

# class_has KEY N - of class N, from tc -s
class_has()
{
	tc -n "$src" -s class show dev out0 | awk -v key="$1" -v n=":$2" '
		/^class/ { mine = $2 == "ramp" && substr($3, length($3) - 1) == n }
		mine { for (i = 1; i < NF; i++) if ($i == key) print $(i + 1) }'
}

# FIG. 5: Q(1) = 500, lowered to 485.
one_step()
{
	below limit 1000 ladder 50%:20%
	story "500 rising: code; 485 falling: code" "1:2000@500 0:10000@485" \
		offer x600
	is "500 rising, 485 falling: both codes are counted" "$(counters codes_sent)" 2
	names_of_trace "500 rising, 485 falling" ramp_code
}

# The document's ladder: each threshold is lowered as it is passed, and raised again.
up_and_down()
{
	below limit 100 ladder 20%:80%,50%:40%,80%:10% adjust 10%
	story "up three steps, and down" \
		"1:8000@20 2:4000@50 3:1000@80 2:4000@72 1:8000@45 0:10000@18" \
		offer x95
	story "up three steps, and down, again: nothing has drifted" \
		"1:8000@20 2:4000@50 3:1000@80 2:4000@72 1:8000@45 0:10000@18" \
		offer x95
	is "up three steps, and down, twice: the qdisc counts the codes" \
		"$(counters codes_sent)" 12
	is "up three steps, and down, twice: the class counts the codes" \
		"$(class_has codes_sent 1)" 12
}

# What bands have counted stays when they go.
bands_go()
{
	below limit 200 bands 2 ladder 20%:50%
	offer x90 -p 0x20002
	is "two bands: codes of the second" \
		"$(counter codes_sent) $(class_has codes_sent 2)" "2 2"
	tc -n "$src" qdisc change dev out0 parent 3:1 ramp bands 1
	is "the second band is gone: its codes still count" "$(counter codes_sent)" 2
}

# What is shown at rest between two steps.
shown()
{
	below limit 100 ladder 20%:80%,50%:40% adjust 10%
	# So that nothing leaves.
	tc -n "$src" qdisc change dev out0 parent 3:1 ramp obey min 0
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
		'{"validity": 10000, "codes": [[0, 0]]}'
	wait_until 10 counter_is peer_rate 0
	send x30 -s 1250 >/dev/null
	is "30 of 100 wait: what is shown" \
		"$(class_has level 1) $(class_has code 1) $(class_has next_up 1) $(class_has next_down 1)" \
		"1 80% 50p 18p"
	story "other thresholds: 30 are more than 10 and 25" "2:2000@30" \
		tc -n "$src" qdisc change dev out0 parent 3:1 ramp \
			ladder 10%:60%,25%:20%
	story "the same thresholds again are no news" "" \
		tc -n "$src" qdisc change dev out0 parent 3:1 ramp \
			ladder 10%:60%,25%:20%
	story "another rate of the present level" "2:3000@30" \
		tc -n "$src" qdisc change dev out0 parent 3:1 ramp \
			ladder 10%:60%,25%:30%
	story "a larger limit, of which 30 are 3 %" "0:10000@30" \
		tc -n "$src" qdisc change dev out0 parent 3:1 ramp limit 1000
	story "the first limit again: one code for two steps" "2:3000@30" \
		tc -n "$src" qdisc change dev out0 parent 3:1 ramp limit 100
	story "all that waits is discarded: one code for two steps" "0:10000@0" \
		tc -n "$src" qdisc add dev out0 parent 2:1 handle 5: pfifo limit 100
	story "no ladder any more" "" \
		tc -n "$src" qdisc change dev out0 parent 3:1 ramp ladder none
	is "without a ladder a class shows no code" "$(class_has code 1)" ""
}

# A band with a ladder of its own, and one without.
bands()
{
	below limit 100 bands 3 priomap 2 2 2 2 2 2 0 1 2 2 2 2 2 2 2 2 \
		ladder 50%:50% band-limit 0 10 band-limit 1 20 adjust 20% \
		band-ladder 1 25%:70%,75%:30% band-ladder 2 none
	# Of 9 frames of band 0, 8 or 9 wait.
	story "a ladder counts in percent of its band's limit" "1:5000@5 0:10000@4" \
		offer x9 -p 6
	story "a band's own ladder" "1:7000@5 2:3000@15 1:7000@12 0:10000@4" \
		offer x18 -p 7
	story "a band without a ladder makes no code" "" offer x90 -p 0
	is "codes are counted per band" \
		"$(for n in 1 2 3; do class_has codes_sent $n; done | paste -sd' ')" \
		"2 4"
}

# A child's packets are its band's occupancy.
child()
{
	below limit 100 ladder 20%:50% adjust 20%
	tc -n "$src" qdisc add dev out0 parent 2:1 handle 5: pfifo limit 100
	story "a child's packets count" "1:5000@20 0:10000@16" offer x50
}

# What gives way to a band above it climbs down as what leaves does, and what comes in
# for it climbs up.
pushed_out()
{
	below limit 100 bands 2 ladder 50%:20%
	# So that nothing leaves.
	tc -n "$src" qdisc change dev out0 parent 3:1 ramp obey min 0
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
		'{"validity": 10000, "codes": [[0, 0], [1, 0]]}'
	wait_until 10 counter_is peer_rate 0
	send x100 -s 1250 -p 0x20002 >/dev/null
	is "a band that is full: its code" "$(class_has code 2)" "20%"
	send x80 -s 1250 -p 0x20001 >/dev/null
	is "80 packets of the other band have its place: codes of both" \
		"$(class_has code 1) $(class_has code 2) $(class_has queued 1)" "20% 100% 80"
}

# A device that goes down discards what waits, and nobody has to send for that to be told.
goes_down()
{
	below limit 100 ladder 20%:50%
	# So that nothing leaves.
	tc -n "$src" qdisc change dev out0 parent 3:1 ramp obey min 0
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
		'{"validity": 10000, "codes": [[0, 0]]}'
	wait_until 10 counter_is peer_rate 0
	send x30 -s 1250 >/dev/null
	is "30 of 100 wait: the code" "$(class_has code 1)" "50%"
	story "the device goes down: what waits is discarded" "0:10000@0" \
		ip -n "$src" link set out0 down
	ip -n "$src" link set out0 up
}

net_init ramp-send
pair 1500
one_step
up_and_down
bands_go
shown
bands
child
pushed_out
goes_down
ktap_end
