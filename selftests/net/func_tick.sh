#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# No tick of a ramp lets more leave than it allows, whatever is configured and
# sent, by the tracepoint ramp:ramp_tick. Where time is emulated a receiver's
# capture cannot prove this, but the tracepoint counts what ticks let pass.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
INSTANCE=/sys/kernel/tracing/instances/ramp_func_tick
TICKS=0

# shellcheck disable=SC2317 # called by the trap
instance_end()
{
	[ ! -d "$INSTANCE" ] || rmdir "$INSTANCE"
	net_cleanup
}

# sound NAME RESULT TICKS LEAST - judges what func_tick.py found.
sound()
{
	local name=$1 result=$2 ticks=$3 least=$4

	# A machine that shares its CPUs comes late for most of the ticks.
	[[ ${RAMP_KERNEL-} = uml-time* ]] || least=1
	satisfies "$name: no tick lets more pass than it allows" "$result" \
		".wrong == 0 and .lost == 0 and .ticks >= $least and
		 .over == $ticks" \
		"the qdisc counts $ticks ticks, at least $least are needed"
	TICKS=$((TICKS + $(jq .ticks <<<"$result")))
}

# Sends, waits, and judges the ticks of the present ramp. Further options are
# func_tick.py's.
ticks()
{
	local name=$1 least=$2 size=$3 profile=$4 ticks result
	shift 4

	echo >$INSTANCE/trace
	send "$profile" -s "$size" >/dev/null
	drained
	# Reading the counters brings the ramp up to the present; nothing moves
	# it any more before the trace is read.
	ticks=$(counter ticks)
	result=$(python3 "$HERE/func_tick.py" "$@" "$size" <$INSTANCE/trace)
	sound "$name" "${result:-null}" "$ticks" "$least"
}

# judged NAME OPTION LINE WANTED - the judge itself has to notice.
judged()
{
	local options=()

	[ -z "$2" ] || options=("$2")
	is "$1" "$(printf ' <idle>-0 [000] ..s.. 1.0: ramp_tick: ifindex=2 handle=2: dir=up index=3 %s over=1 late=0 unit=bytes\n' "$3" |
		python3 "$HERE/func_tick.py" "${options[@]}" 500 | jq .wrong)" "$4"
}

net_init ramp-send
[ -d /sys/kernel/tracing/events/ramp/ramp_tick ] || missing "tracing"
trap instance_end EXIT
mkdir -p $INSTANCE
echo 8192 >$INSTANCE/buffer_size_kb
echo 1 >$INSTANCE/events/ramp/ramp_tick/enable
pair 9000

judged "a tick that is full is right" '' 'allowance=2000 paid=0 used=2000' 0
judged "a tick that lets too much pass is wrong" '' \
	'allowance=2000 paid=0 used=2001' 1
judged "what was paid is not there to be used" '' \
	'allowance=2000 paid=500 used=2000' 1
judged "a packet larger than the allowance goes whole" '' \
	'allowance=400 paid=0 used=500' 0
judged "a packet larger than the allowance does not go if all was paid away" '' \
	'allowance=400 paid=400 used=500' 1
judged "a promised packet may come on top" --peeked \
	'allowance=2000 paid=0 used=2500' 0
judged "two promised packets may not come on top" --peeked \
	'allowance=2000 paid=0 used=2501' 1

# mbit N, ms N - as it is to be, or where all takes longer as many times slower.
mbit()
{
	echo $(($1 * 1000 / SLOWER))kbit
}

ms()
{
	echo $(($1 * SLOWER))ms
}

PPS='ingress 10pps:1000pps window 10ms'

# shellcheck disable=SC2046,SC2086 # parameters are words
{
	ramp rate 100mbit $PPS tick 2ms start 2p step 2p
	ticks "packets" 20 300 x420,0:100ms,x420

	ramp rate 100mbit $PPS tick 1ms start 1p step 1p pause 20ms hold 10ms
	ticks "packets after pause and hold" 30 1514 x500

	ramp rate $(mbit 80) tick $(ms 1) start $(mbit 4) step $(mbit 4) \
		window $(ms 8) limit 10000
	ticks "rates" 20 500 \
		$(mbit 160):$(ms 40),0:$(ms 100),$(mbit 160):$(ms 40)

	ramp rate $(mbit 40) tick $(ms 1) start 5% step 5% window $(ms 8) \
		limit 10000
	ticks "packets larger than the first allowances" 15 1514 \
		$(mbit 80):$(ms 60)

	ramp rate 80mbit tick 500us start 1% step 1% window 4ms limit 10000
	ticks "packets of a whole MTU of 9000" 50 9014 160mbit:60ms

	# As many times slower once more.
	ramp rate $((20000 / SLOWER / SLOWER))kbit tick $(ms $SLOWER) start 2% \
		step 2% window $(ms $((8 * SLOWER))) limit 20000
	ticks "small packets" 40 60 \
		$((40000 / SLOWER / SLOWER))kbit:$(ms $((50 * SLOWER)))

	ramp rate $(mbit 100) limit 10000
	ticks "defaults: ticks of 100 us" 4 1000 $(mbit 200):$(ms 20)

	ramp rate $(mbit 50) tick $(ms 1) hold $(ms 50) start 20% step 10% \
		window $(ms 8)
	ticks "hold" 50 700 $(mbit 60):$(ms 80)

	ramp_below $(mbit 30) 1600 rate $(mbit 30) tick $(ms 1) start 5% step 2% \
		down-step 4% floor 3% window $(ms 8) limit 10000
	ticks "below a tbf, up and down" 40 400 $(mbit 40):$(ms 80) --peeked

	ramp_below 20mbit 2000 rate 20mbit $PPS tick 2ms start 1p step 1p
	ticks "below a tbf, packets" 20 1514 x300 --peeked
}

within "ticks that were judged" $TICKS 300 1000000000
ktap_end
