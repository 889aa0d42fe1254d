#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Large packets (GSO) in ramps: with split-gso they are segmented while the gate is
# narrow, and only then; without it they go whole, and what they take is charged.
# Nothing is lost or counted twice by it, also where a limit has room for a part,
# and where children segment.

# shellcheck source=selftests/net/lib/obey.sh
. "$(dirname "$0")/lib/obey.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
INSTANCE=/sys/kernel/tracing/instances/ramp_func_gso
# What func_gso.py sends: so many segments, so many bytes on the wire each.
SEGMENTS=40 FRAME=1042
SHUT='rate 8kbit detect always tick 1s start 8bit step 8bit'
# What a shut gate lets pass while a test waits.
FEW=3

# shellcheck disable=SC2317 # called by the trap
instance_end()
{
	[ ! -d "$INSTANCE" ] || rmdir "$INSTANCE"
	net_cleanup
}

gso()
{
	ip netns exec "$1" python3 "$HERE/func_gso.py" "${@:2}"
}

# large COUNT [OPTION...] - to port 5000
large()
{
	# shellcheck disable=SC2154 # setup_ns sets it
	gso "$src" send 10.9.0.2 5000 "$@"
}

# receiver COMMAND [ARG...] - in the background; it says when it listens.
receiver()
{
	rm -f "$NET_WORK"/{ready,enough,received}
	# shellcheck disable=SC2154 # setup_ns sets it
	gso "$dst" "$1" "$NET_WORK" "${@:2}" >"$NET_WORK/received" &
	RECEIVER=$!
	wait_until 20 test -e "$NET_WORK/ready" || note "nobody receives"
}

received()
{
	touch "$NET_WORK/enough"
	wait $RECEIVER
}

# arrived - how many datagrams came, how many twice, and in a wrong order
arrived()
{
	jq -r '."5000" | "\(.received) \(.doubled) \(
		if $ordered == "" then 0 else .reordered end)"' \
		--arg ordered "$ORDERED" "$NET_WORK/received"
}

open_gate()
{
	tc -n "$src" qdisc change dev out0 root ramp detect off "${OPEN[@]}"
	drained
}

split_while_narrow()
{
	# shellcheck disable=SC2086 # parameters are words
	ramp $SHUT limit 10000
	receiver receive 5000
	large 10 >/dev/null
	is "a narrow gate: segmented" "$(counters enqueued split_extra drops)" \
		"10 $((10 * SEGMENTS - 10)) 0"
	within "a narrow gate: the segments wait" "$(counter queued)" \
		$((10 * SEGMENTS - FEW)) $((10 * SEGMENTS))
	open_gate
	large 10 --first 10 >/dev/null
	is "an open gate: not segmented" "$(counters enqueued split_extra)" \
		"20 $((10 * SEGMENTS - 10))"
	is "an open gate: what left is counted in packets, segments and bytes" \
		"$(counters dequeued packets bytes)" \
		"$((10 * SEGMENTS + 10)) $((20 * SEGMENTS)) $((20 * SEGMENTS * FRAME))"
	received
	is "split-gso: as many datagrams arrive, in order" "$(arrived)" \
		"$((20 * SEGMENTS)) 0 0"
}

whole()
{
	# shellcheck disable=SC2086 # parameters are words
	ramp $SHUT limit 10000 no-split-gso
	receiver receive 5000
	large 10 >/dev/null
	is "no-split-gso: whole" "$(counters enqueued split_extra)" "10 0"
	within "no-split-gso: the large packets wait" "$(counter queued)" 8 10
	open_gate
	is "no-split-gso: what left is counted in packets, segments and bytes" \
		"$(counters dequeued packets bytes)" \
		"10 $((10 * SEGMENTS)) $((10 * SEGMENTS * FRAME))"
	received
	is "no-split-gso: all of it arrives, in order" \
		"$(arrived)" "$((10 * SEGMENTS)) 0 0"
}

# A limit in bytes that the longest packet is beyond takes its segments. Each packet would be
# refused otherwise, for ever, as 64 datagrams of 1,000 bytes are more than 64 KiB.
beyond()
{
	local name

	for name in "limit 64kb" "limit 1mb bands 2 band-limit 0 64kb exempt 0 \
		priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"; do
		# shellcheck disable=SC2086 # parameters are words
		ramp detect off rate 10gbit $name
		receiver receive 5000
		large 10 --segments 64 --gap 0.05 >/dev/null
		received
		within "a GSO packet longer than ${name%% exempt*}: datagrams that arrive" \
			"$(arrived | cut -d' ' -f1)" 600 640
		is "a GSO packet longer than ${name%% exempt*}: packets that came" \
			"$(counter enqueued)" 10
	done
}

# below JQ - of the ramp below tbf
below()
{
	tc -n "$src" -j -s qdisc show dev out0 |
		jq -r ".[] | select(.kind == \"ramp\") | $1"
}

# Half of what a limit in bytes holds is so many packets of full size: 800 KB are more.
parts()
{
	local name words before

	for name in "detect queue" "a ladder"; do
		words="detect queue window 1s"
		[ "$name" = "detect queue" ] ||
			words="detect off ladder 20%:50% feedback out0"
		tc -n "$src" qdisc replace dev out0 root handle 1: \
			tbf rate 800kbit burst 70000 limit 10m
		# shellcheck disable=SC2086 # parameters are words
		tc -n "$src" qdisc replace dev out0 parent 1:1 handle 10: ramp rate 1gbit $words
		receiver receive 5000
		large 20 >/dev/null
		if [ "$name" = "detect queue" ]; then
			is "$name: a queue of GSO packets is a surge" \
				"$(below .surges_up)" 1
		else
			is "$name: a queue of GSO packets climbs it" "$(tc -n "$src" -s class \
				show dev out0 parent 10: | grep -o 'level [0-9]*')" "level 1"
		fi
		is "$name: a GSO packet that comes is cut" "$(below .split_extra)" \
			$((20 * SEGMENTS - 20))
		received
		tc -n "$src" qdisc del dev out0 root
	done
}

# The ramp of a queue segments them, and the ramp_mq says so.
queues()
{
	# shellcheck disable=SC2086 # parameters are words
	tc -n "$src" qdisc replace dev out0 root handle 5: ramp_mq $SHUT limit 10000
	receiver receive 5000
	large 10 >/dev/null
	is "a ramp_mq: what its ramps made of large packets" \
		"$(tc -n "$src" -j -s qdisc show dev out0 | jq -r '.[] |
			select(.kind == "ramp_mq") | "\(.enqueued) \(.split_extra)"')" \
		"10 $((10 * SEGMENTS - 10))"
	received
	tc -n "$src" qdisc del dev out0 root
}

# What a peer slows is paced, and so is what a gear lets out: neither in lumps of 64 KB.
slowed()
{
	local name

	receiver receive 5000
	for name in "obey" "gears 5mbit,100mbit"; do
		# shellcheck disable=SC2086 # parameters are words
		ramp detect off rate 1gbit limit 10000 $name
		[ "$name" != obey ] ||
			frame '{"validity": 10000, "codes": [[0, 5000]]}'
		large 10 >/dev/null
		is "$name: segmented" "$(counters enqueued split_extra)" \
			"10 $((10 * SEGMENTS - 10))"
		# shellcheck disable=SC2086
		ramp detect off rate 1gbit limit 10000 no-split-gso $name
		[ "$name" != obey ] ||
			frame '{"validity": 10000, "codes": [[0, 5000]]}'
		large 10 >/dev/null
		is "$name, no-split-gso: whole" "$(counters enqueued split_extra)" "10 0"
	done
	received
}

# Two and a half large packets have room.
limit()
{
	local sent refused enqueued extra drops

	# shellcheck disable=SC2086 # parameters are words
	ramp $SHUT limit 100 2>/dev/null
	receiver receive 5000
	read -r sent refused < <(large 10 | jq -r '"\(.sent) \(.refused)"')
	read -r enqueued extra drops < <(counters enqueued split_extra drops)
	is "a limit inside a large packet: it was sent, if a part was accepted" \
		"$sent $refused $enqueued" "3 7 3"
	within "a limit inside a large packet: as many segments as have room" \
		$((enqueued + extra)) 100 $((100 + FEW))
	is "a limit inside a large packet: its other segments are dropped" \
		$((enqueued + extra + drops)) $((10 * SEGMENTS))
	open_gate
	received
	is "a limit inside a large packet: what was accepted arrives" \
		"$(jq .[].received \
		"$NET_WORK/received")" $((enqueued + extra))
	is "a limit inside a large packet: enqueued + split_extra = dequeued" \
		"$(counter dequeued)" \
		$((enqueued + extra))
}

# htb does not segment; it must know how many its child has, packets and bytes.
below_htb()
{
	tc -n "$src" qdisc replace dev out0 root handle 1: pfifo
	tc -n "$src" qdisc replace dev out0 root handle 3: htb default 1
	tc -n "$src" class add dev out0 parent 3: classid 3:1 htb rate 1gbit \
		quantum 10000
	# shellcheck disable=SC2086 # parameters are words
	tc -n "$src" qdisc add dev out0 parent 3:1 handle 2: ramp $SHUT \
		limit 10000 bands 2
	tc -n "$src" qdisc add dev out0 parent 2:2 handle 4: tbf rate 1mbit \
		burst 2000 limit 1000000
	receiver receive 5000
	large 5 --priority 0x20001 >/dev/null
	large 5 --priority 0x20002 >/dev/null
	is "below htb: segmented" "$(stats '.qdiscs."2:" |
		"\(.enqueued) \(.split_extra)"')" "10 $((10 * SEGMENTS - 10))"
	matches "below htb: a parent has as many packets and bytes as the ramp" \
		"$(stats '[.qdiscs."3:", .qdiscs."2:" | "\(.qlen) \(.backlog)"] |
		join(" ")')" '^([0-9]{3} [0-9]+) \1$'
	is "below htb: a class has as many packets and bytes as its child" \
		"$(stats '.classes."2:2" | "\(.qlen) \(.backlog)"')" \
		"$(stats '.qdiscs."4:" | "\(.qlen) \(.backlog)"')"
	tc -n "$src" qdisc change dev out0 parent 2:2 handle 4: tbf \
		rate 100mbit burst 2000 limit 1000000
	tc -n "$src" qdisc change dev out0 parent 3:1 handle 2: ramp detect off "${OPEN[@]}"
	drained
	is "below htb: nothing stays" "$(stats '[.qdiscs[] | .qlen, .backlog] | add')" 0
	received
	is "below htb: all of it arrives" "$(jq .[].received "$NET_WORK/received")" \
		$((10 * SEGMENTS))
}

# The segments of large packets take the place of others, of all there are at last.
pushed_out()
{
	local limit

	for limit in 200 $SEGMENTS; do
		tc -n "$src" qdisc replace dev out0 root handle 1: pfifo
		tc -n "$src" qdisc replace dev out0 root handle 3: htb default 1
		tc -n "$src" class add dev out0 parent 3: classid 3:1 htb \
			rate 1gbit quantum 10000
		# shellcheck disable=SC2086 # parameters are words
		tc -n "$src" qdisc add dev out0 parent 3:1 handle 2: ramp $SHUT \
			limit $limit bands 2 2>/dev/null
		receiver receive 5000
		large 10 --priority 0x20002 >/dev/null
		large $((limit / 100 + 1)) --priority 0x20001 >/dev/null
		is "limit $limit: no segment of the band above is lost" \
			"$(stats '.classes."2:1" |
				"\(.enqueued + .split_extra) \(.drops)"')" \
			"$(((limit / 100 + 1) * SEGMENTS)) 0"
		within "limit $limit: segments of the band below gave way" \
			"$(stats '.classes."2:2".dropped')" \
			$(((limit / 100 + 1) * SEGMENTS - FEW)) \
			$(((limit / 100 + 1) * SEGMENTS))
		is "limit $limit: a parent has as many packets and bytes" \
			"$(stats '.qdiscs."3:" | "\(.qlen) \(.backlog)"')" \
			"$(stats '.qdiscs."2:" | "\(.qlen) \(.backlog)"')"
		tc -n "$src" qdisc change dev out0 parent 3:1 handle 2: \
			ramp detect off "${OPEN[@]}" 2>/dev/null
		drained
		received
		is "limit $limit: all else arrives" \
			"$(jq .[].received "$NET_WORK/received")" \
			"$(stats '.qdiscs."2:" |
				.enqueued + .split_extra - .dropped')"
		is "limit $limit: nothing stays" \
			"$(stats '[.qdiscs[] | .qlen, .backlog] | add')" 0
	done
}

# What is charged, by the tracepoint: LARGEST is the largest packet there may be.
ticks()
{
	local name=$1 largest=$2 result
	shift 2

	ramp rate 100mbit detect ingress ingress 1mbit:20mbit window 50ms \
		limit 10000 "$@"
	echo >$INSTANCE/trace
	large 1 >/dev/null
	sleep 0.3
	large 20 >/dev/null
	drained
	result=$(python3 "$HERE/func_tick.py" "$largest" <$INSTANCE/trace)
	satisfies "$name" "$result" \
		'.wrong == 0 and .lost == 0 and .full + .large > 0'
}

charged()
{
	[ -d /sys/kernel/tracing/events/ramp/ramp_tick ] || {
		lacks "ticks, by the tracepoint" "tracing"
		return
	}
	mkdir -p $INSTANCE
	echo 1 >$INSTANCE/events/ramp/ramp_tick/enable
	ticks "split-gso: no tick lets more bytes pass than whole segments" $FRAME \
		tick 2ms start 5% step 5% pause 10ms
	is "split-gso: large packets were segmented" "$(counter 'split_extra > 0')" true
	ticks "split-gso: no tick lets more packets pass than it allows" $FRAME \
		tick 2ms start 2p step 2p pause 10ms
	ticks "no-split-gso: a large packet passes only where a tick has some room" 65536 \
		tick 2ms start 5% step 5% pause 10ms no-split-gso
	is "no-split-gso: no large packet was segmented" "$(counter split_extra)" 0
}

# shellcheck disable=SC2317 # called by watch
load()
{
	local round=$1 band pids=()

	for band in 1 2 3 4 5; do
		gso "$src" send 10.9.0.2 $((5000 + band)) 60 \
			--first $((round * 60)) --gap 0.005 \
			--priority $((0x20000 + band)) >/dev/null &
		pids+=($!)
	done
	# Segmented or not is decided anew for each packet.
	for _ in 1 2 3 4 5; do
		tc -n "$src" qdisc change dev out0 root ramp no-split-gso
		sleep 0.1
		tc -n "$src" qdisc change dev out0 root ramp split-gso
		sleep 0.05
	done
	wait "${pids[@]}"
	sleep 0.2
}

# Children that segment on their own, drop, and take large packets as they are.
children()
{
	local band

	ramp bands 5 rate 100mbit detect ingress ingress 1mbit:10mbit \
		window 100ms tick 10ms start 4p step 1p pause 50ms limit 20000
	tc -n "$src" qdisc add dev out0 parent 2:2 handle 12: fq_codel limit 60
	tc -n "$src" qdisc add dev out0 parent 2:3 handle 13: tbf rate 20mbit \
		burst 2000 limit 1000000
	tc -n "$src" qdisc add dev out0 parent 2:4 handle 14: cake \
		bandwidth 20mbit memlimit 200000
	tc -n "$src" qdisc add dev out0 parent 2:5 handle 15: pfifo limit 100
	receiver receive 5001 5002 5003 5004 5005
	watch 20 load
	watched "children"
	open_gate
	received
	stats . >"$NET_WORK/stats"
	note "$(jq -c '.classes[] | [.enqueued, .split_extra, .dequeued,
		.dropped, .drops, .packets]' "$NET_WORK/stats")"
	note "$(jq -c . "$NET_WORK/received")"
	for band in 1 2 3 4 5; do
		is "children: band $band: as many datagrams arrive as segments left" \
			"$(jq ".\"500$band\".received" "$NET_WORK/received")" \
			"$(jq ".classes.\"2:$band\".packets" "$NET_WORK/stats")"
		within "children: band $band: large packets were segmented" "$(jq \
			".classes.\"2:$band\".split_extra" "$NET_WORK/stats")" \
			1 1000000
	done
	is "children: bytes are those of the segments" \
		"$(jq '.qdiscs."2:" | .bytes - .packets * '$FRAME \
		"$NET_WORK/stats")" 0
	# Each round is a new flow, and bands 2 and 4 queue by flow.
	is "children: no datagram arrives twice" "$(jq '[.[].doubled] | add' \
		"$NET_WORK/received")" 0
	if [ -n "$ORDERED" ]; then
		is "children: bands with a FIFO keep the order" \
			"$(jq '[."5001", ."5003", ."5005" |
			.reordered] | add' "$NET_WORK/received")" 0
	else
		skip "children: bands with a FIFO keep the order" "a receiver on one CPU"
	fi
	within "children: they lost some packets" "$(jq '.qdiscs."2:".dropped' \
		"$NET_WORK/stats")" 1 100000
	is "children: nothing stays" "$(stats '[.qdiscs[], .classes[] | .qlen,
		.backlog, .queued // 0] | add')" 0
}

tcp()
{
	local sender digest

	ramp rate 1gbit detect ingress ingress 10mbit:100mbit window 20ms \
		tick 1ms start 1% step 1% pause 5ms limit 10000
	receiver tcp-receive 5000
	gso "$src" tcp-send 10.9.0.2 5000 $((24 << 20)) >"$NET_WORK/sent" &
	sender=$!
	for _ in 1 2 3 4; do
		tc -n "$src" qdisc change dev out0 root ramp no-split-gso
		sleep 0.05
		tc -n "$src" qdisc change dev out0 root ramp split-gso
		sleep 0.05
	done
	wait $sender
	received
	digest=$(cat "$NET_WORK/sent")
	is "TCP: what was sent arrives" "$(cat "$NET_WORK/received")" \
		"${digest:-nothing}"
	drained
	is "TCP: enqueued + split_extra = dequeued" "$(counter \
		'enqueued + .split_extra - .dequeued - .dropped')" 0
	within "TCP: large packets were segmented" "$(counter split_extra)" \
		1 10000000
}

net_init ramp-send bc
trap instance_end EXIT
pair 1500
ORDERED=1
one_receiver || ORDERED=""
ip -n "$src" addr add 10.9.0.1/24 dev out0
ip -n "$dst" addr add 10.9.0.2/24 dev in0
ip -n "$src" neigh add 10.9.0.2 dev out0 nud permanent \
	lladdr "$(ip -n "$dst" -j link show in0 | jq -r .[].address)"
ip -n "$dst" neigh add 10.9.0.1 dev in0 nud permanent \
	lladdr "$(ip -n "$src" -j link show out0 | jq -r .[].address)"
split_while_narrow
whole
queues
slowed
beyond
parts
limit
below_htb
pushed_out
charged
children
tcp
ktap_end
