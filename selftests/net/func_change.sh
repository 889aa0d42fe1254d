#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# change of any parameter, and replace by the same kind, while packets wait and
# more arrive: the receiver gets all of them, once, in order. The parameters are
# those that tc knows, so a new one that this test does not change is a failure.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

# map BAND - for all priorities. Later packets have to go to bands behind, or
# they would overtake.
map()
{
	printf "$1 %.0s" {0..15}
}

# What each keyword is changed to, one after the other: words, or what lies
# between semicolons. What lets the packets go comes last.
declare -A VALUES=(
	[limit]='2000 auto 100'
	[band-limit]='1 2000;0 50;1 auto;1 100'
	[rate]='50mbit 1gbit auto'
	[bands]='3 2 16 1 4'
	[priomap]="$(map 1);$(map 2);$(map 3)"
	[exempt]='0 0,2,3 none 1'
	[split-gso]=';'
	[no-split-gso]=';'
	[detect]='queue members both ingress always off'
	[queue]='10:100 1%:20% +50 +10%'
	[members]='1:2 1:bands 0:4 +2'
	[ingress]='20pps:2000pps 1mbit:10mbit 5%:50% +1000pps +5mbit +50%'
	[window]='1ms 1s'
	[monitor]='1ms 60s'
	[tick]='900ms 20ms 50us'
	[start]='5p 1p'
	[step]='3p 1p'
	[pause]='5s 9s 0'
	[hold]='10s 0'
	[down-step]='2p 4p'
	[floor]='2p 1p'
	[adaptive]=';'
	[no-adaptive]=';'
	[cease]='auto 3600s full 1s'
	# With all others at once there is too little room for one.
	[rail]='none 7 8 none'
	[gears]='1mbit,50mbit;10mbit,100mbit,1gbit;8kbit,16kbit;none'
	[gear-up]='50% gears 5mbit,50mbit;40%,60%;1ms,2ms;200us gears none'
	[gear-down]='10% gears 5mbit,50mbit;0%,5%;10us;50us gears none'
	[gear-fit]='50% gears 5mbit,50mbit;off;90% gears none'
	[gear-range]='1:1 gears 5mbit,50mbit,90mbit;2:2;1:2;none gears none'
	[gear-follow]='occupancy gears 5mbit,50mbit;links;both;auto gears none'
	[gear-ports]='out0 gears 5mbit,50mbit;none gears none'
	[freeze]='1ms gears 5mbit,50mbit;auto;0 gears none'
	[dwell]='1ms gears 5mbit,50mbit;60s;10ms gears none'
	[idle]='1ms gears 5mbit,50mbit;60s;100ms gears none'
	[power]='1,2 gears 5mbit,50mbit;0.5,100;none gears none'
	[power-ports]='50%,100% gear-ports out0 power 1 gears 5mbit,50mbit;10%,20%,30%;none gear-ports none gears none'
	[clock]='none gears 5mbit,50mbit;none gears none'
	[cpus]='0 gears 5mbit,50mbit;none gears none'
	[ladder]='20%:80%,50%:40% 10%:50% none'
	[band-ladder]='1 10%:60%,40%:20%;2 none;1 auto'
	[adjust]='10% 3%'
	[feedback]='out0 none'
	[band-feedback]='1 out0;1 none'
	[validity]='50ms 1s'
	[ethertype]='0x88b7 0x88b5'
	[obey]='min 20% from 02:00:00:00:00:01;min 0 from any;'
	[no-obey]=';'
)

# A burst begins a ramp that holds it back for longer than the test takes, with
# slow ticks, should the load end and the ramp turn round. The window is long, so
# that the burst is one for a machine that is kept waiting, too.
HELD='rate 100mbit bands 4 ingress 10pps:200pps window 1s tick 1s start 1p step 1p
	pause 10s'
LOAD='x1200,1000pps:600ms'
LEAST=1000

# By the number that the packets of one test carry.
STREAM=0 NAME=() SENT=() REFUSED=() WHY=()

# What only goes with another parameter is not one.
keywords()
{
	tc qdisc add ramp help 2>&1 | sed '/^where/,$d; s/ \[ min PCT \] \[ from [^]]*\]//' |
		grep -oE '[[|] [a-z-]+' | sed 's/. //'
}

# shellcheck disable=SC2317 # called by wait_until
queued_enough()
{
	[ "$(counter queued)" -ge "$LEAST" ]
}

# changes NAME VERB PARAMETERS... - each PARAMETERS (one word of the shell) is
# given to tc qdisc VERB in turn, with enough packets waiting. What the receiver
# got is judged in the end.
changes()
{
	local verb=$2 sender dropped
	STREAM=$((STREAM + 1))
	NAME[STREAM]=$1
	shift 2

	# shellcheck disable=SC2086 # parameters are words
	ramp $HELD
	send "$LOAD" -s 100 -n $STREAM >"$NET_WORK/sent" &
	sender=$!
	wait_until 20 queued_enough ||
		complain "$(counter queued) wait, and not $LEAST"
	# One tc for all of them: they come faster than anything can leave.
	printf "qdisc $verb dev out0 root ramp %s\n" "$@" >"$NET_WORK/batch"
	tc -n "$src" -force -batch "$NET_WORK/batch" >"$NET_WORK/tc" 2>&1 ||
		complain "$(grep -v '^Warning: limit' "$NET_WORK/tc")"
	wait $sender
	kept=$(counter 'options | "\(.pause) \(.start.value) \(.tick)"')
	tc -n "$src" qdisc change dev out0 root ramp detect off "${OPEN[@]}"
	drained
	SENT[STREAM]=$(jq .sent "$NET_WORK/sent")
	REFUSED[STREAM]=$(jq .refused "$NET_WORK/sent")
	dropped=$(counter dropped)
	[ "$dropped" = 0 ] || complain "$dropped dropped"
}

complain()
{
	WHY[STREAM]+=$1$'\n'
}

# received - what arrived, by stream: "STREAM received N lost N ..."
received()
{
	python3 - "$NET_LIB" "$NET_WORK/pcap" "$@" <<-'END'
	import sys
	sys.path.insert(0, sys.argv[1])
	import capture
	streams = {}
	for frame in capture.frames(sys.argv[2]):
	    streams.setdefault(frame.stream, []).append(frame)
	for number, sent in enumerate(sys.argv[3:], 1):
	    verdict = capture.check(streams.get(number, []), int(sent))
	    print(number, *(f'{name} {value}'
	                    for name, value in verdict._asdict().items()))
	END
}

# judge STREAM WHAT_ARRIVED
judge()
{
	STREAM=$1
	# Missing is what was refused at a smaller limit, and nothing else.
	[[ $2 == *" lost ${REFUSED[STREAM]} doubled 0 reordered 0" ]] ||
		complain "$2, refused ${REFUSED[STREAM]}"

	if [ -z "${WHY[STREAM]-}" ]; then
		pass "${NAME[STREAM]}"
		note "${SENT[STREAM]} packets"
	else
		fail "${NAME[STREAM]}" "${WHY[STREAM]}"
	fi
}

net_init ramp-send tcpdump
pair 1500
# Without NAPI a veth's packets wait on the CPU that sent them, and two CPUs may
# have some: only one is to receive.
one_cpu=/sys/class/net/in0/queues/rx-0/rps_cpus
# shellcheck disable=SC2154 # setup_ns sets it
ip netns exec "$dst" sh -c "[ ! -w $one_cpu ] || echo 1 >$one_cpu"
capture_start

mapfile -t all < <(keywords)
within "tc names its parameters" ${#all[@]} 10 100
together=''
for keyword in "${all[@]}"; do
	values=${VALUES[$keyword]-}
	if [ -z "$values" ]; then
		fail "change $keyword" "this test does not know what to change it to"
		continue
	fi
	[[ $values == *';'* ]] || values=${values// /;}
	mapfile -t words < <(tr ';' '\n' <<<"$values" | sed "s/^/$keyword /")
	changes "change $keyword" change "${words[@]}"
	together+=" ${words[0]}"
done

changes "change of all parameters at once" change "$together"
changes "change from packets to rates, percent and back" change \
	'start 1mbit step 2mbit' 'start 10% step 5%' 'start 2p step 1p'
changes "change without any parameter" change ''
changes "replace by the same kind" replace '' 'pause 9s' 'start 3p hold 1s'
capture_stop
refused=0 total=()
for ((i = 1; i <= STREAM; i++)); do
	total+=($((SENT[i] + REFUSED[i])))
	refused=$((refused + REFUSED[i]))
done
while read -r number verdict; do
	judge "$number" " $verdict"
done < <(received "${total[@]}")
is "replace keeps what it does not name" "$kept" "9000000000 3 1000000000"
# Elsewhere the load may be over before the limit is changed.
[[ ${RAMP_KERNEL-} != uml-time* ]] ||
	is "a smaller limit refused some packets" $((refused > 0)) 1
ktap_end
