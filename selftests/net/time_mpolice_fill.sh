#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How tokens come, in virtual time: continuously, after idle spells from a
# millisecond to a day, in lumps as the metering circuit of the document brings them
# (FIG. 10), and as packets. Never more than rate x (window + interval) + burst.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

RATE=1000000 SIZE=1000
MS=1000000

# bucket WORD... - anew, with one action for all that the endpoint sends.
bucket()
{
	nothing
	create bucket 1 "$@" policy drop index 1
	rest ingress 1 index 1
}

# all PROFILE - what the endpoint sends.
all()
{
	flows "all from $VM $PEER udp 80 $SIZE $1"
}

# never_over NAME OPTION... - there are no parts of a token, so an excess is one if it is
# more than a token.
never_over()
{
	local name=$1 result

	shift
	result=$(judge windows "$@")
	satisfies "$name: in no window too much" "$result" \
		'.frames > 0 and .excess <= 1'
}

# Whatever the spell, what has been earned is there, and no more than the burst. Where it
# would be whole frames, each would depend on a nanosecond.
spells()
{
	local burst=50000 spell profile=x200 result

	for spell in 1500us 3400us 4600us 10500us 25400us 49500us 51600us 100ms \
		1s 10s 600s 3000s 100us 40500us 86400s 2400us; do
		profile+=",0:$spell,x200"
	done
	bucket rate $((RATE * 8))bit burst $burst
	all $profile
	result=$(judge model --rate $RATE --burst $burst all=drop)
	# Each spell fills it, and a full one may lose what a CPU withdraws.
	note "idle spells: $result, stranded $(act 1 .stranded)"
	if jq -e --argjson fewer $((16 * $(act 1 .stranded) / SIZE + 1)) \
		'.all.more <= 1 and .all.fewer <= $fewer' <<<"$result" >/dev/null; then
		pass "idle spells: as an exact bucket decides"
	else
		fail "idle spells: as an exact bucket decides" "$result"
	fi
	never_over "idle spells" --rate $RATE --burst $burst
	accounts "idle spells" 1 all
}

# 1 MB/s with an interval of 0.1 s: lumps of 100,000 bytes. The burst has room for what
# a CPU has withdrawn when one comes, or that would be lost.
lumps()
{
	local result list

	bucket rate $((RATE * 8))bit burst 120000 interval 100ms
	all 2000pps:2s
	result=$(judge lumps --gap $((10 * MS)))
	# What the bucket held in the beginning meets the first lump.
	list=$(jq -c '[.[2:-1][][1]] | unique' <<<"$result")
	is "interval 0.1 s: bytes of each lump" "$list" "[100000]"
	within "interval 0.1 s: lumps in 2 s" "$(jq length <<<"$result")" 19 21
	# A lump begins with the next frame, of which there is one each 0.5 ms.
	list=$(jq -c '[.[2:][][0]] | [.[1:], .[:-1]] | transpose |
		map(.[0] - .[1] - 100000000) |
		map(if . < 0 then -. else . end) | max' <<<"$result")
	within "interval 0.1 s: ns that the time between lumps is off" "$list" \
		0 500100
	never_over "interval 0.1 s" --rate $RATE --burst 120000 \
		--interval $((100 * MS))

	# A lump is what comes of the rate, however slow, and the rest is not lost.
	bucket rate 8040bit burst 10000 interval 1s
	all x20,0:100ms,10pps:30s
	never_over "1005 bytes a second" --rate 1005 --burst 10000 \
		--interval $((1000 * MS))
	within "1005 bytes a second: bytes in 30 s" \
		$(($(flow all received) * SIZE)) \
		$((10000 + 29 * 1005 - SIZE)) $((10000 + 31 * 1005))

	# Idle for long: a burst, not all the lumps that were not used.
	bucket rate $((RATE * 8))bit burst 250000 interval 100ms
	all x400,0:1s,x400,0:150ms,x400,0:3600s,x400
	never_over "lumps after idle spells" --rate $RATE --burst 250000 \
		--interval $((100 * MS))
	is "lumps after idle spells: frames of each burst" \
		"$(judge lumps --gap $((50 * MS)) | jq -c 'map(.[1] / 1000)' |
			sed 's/,[12]00,/,LUMPS,/')" "[250,250,LUMPS,250]"
}

# The same with packets for tokens, whatever their size.
packets()
{
	bucket pps 1000 pkt-burst 100
	flows "small from $VM $PEER udp 80 100 1500pps:3s" \
		"large from $VM $PEER udp 80 1400 500pps:3s"
	never_over "packets" --rate 1000 --burst 100 --pps
	within "packets: in 3 s" \
		$(($(flow small received) + $(flow large received))) 3090 3100
	accounts "packets" 1 small large
}

# Flows with thresholds of 0, 30 % and 60 % of the burst: what the bucket yields goes
# to the first, then to the second; the third has what is left.
# classes NAME PPS "A B C" - of each so many frames a second, and in the last 3 s they
# have so many.
classes()
{
	local name=$1 pps=$2 wanted=$3 hook got

	nothing
	create bucket 2 rate $((RATE * 8))bit burst 100000 policy drop index 1
	create bucket 2 policy drop threshold 30000 index 2
	create bucket 2 policy drop threshold 60000 index 3
	for hook in ingress egress; do
		port $hook 1 1001 index 1
		port $hook 1 1002 index 2
		port $hook 1 1003 index 3
	done
	flows "a from $VM $PEER tcp 1001 $SIZE ${pps}pps:4s" \
		"b to $VM $PEER tcp 1002 $SIZE ${pps}pps:4s" \
		"c from $VM $PEER tcp 1003 $SIZE ${pps}pps:4s"
	got=$(judge served --from $((1000 * MS)) |
		jq -r '[.a, .b, .c | (.received + 30) / 60 | floor] | join(" ")')
	is "$name: a, b and c in 60 frames, of 3 s" "$got" "$wanted"
	got=$(judge model --rate $RATE --burst 100000 a=drop b=drop:30000 \
		c=drop:60000)
	note "$name: $got"
	within "$name: frames more than an exact bucket lets through" \
		"$(jq 'map(.more) | max' <<<"$got")" 0 1
	# In the beginning, when it is full.
	within "$name: frames fewer" "$(jq 'map(.fewer) | max' <<<"$got")" 0 \
		$(($(act 1 .stranded) / SIZE + 1))
}

mpolice_init ramp-send
only_virtual_time
endpoint 1500
sleep 1		# until timers have a high resolution
spells
lumps
packets
classes "0.9 of the rate" 300 "15 15 15"
classes "1.2 of the rate" 400 "20 20 10"
classes "1.8 of the rate" 600 "30 20 0"
classes "3 times the rate" 1000 "50 0 0"
ktap_end
