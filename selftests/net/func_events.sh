#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The events of ramp qdiscs through the kernel's own YNL library and our
# specification: a scripted run, of which a listener is told in order; one that is
# too slow loses some, and slows nothing.

# shellcheck source=selftests/net/lib/events.sh
. "$(dirname "$0")/lib/events.sh"

# time_of NAME - of the first event of that name
time_of()
{
	events "select(.name == \"$1\") | .time" | head -n 1
}

# A surge, and the ramp that it made; codes up and down; codes of a peer, and that
# they expired.
in_order()
{
	local last

	ramp_below $((80 / SLOWER))mbit 1514 rate $((80 / SLOWER))mbit \
		detect queue queue 10:50 window 1s start 1p step 1p \
		tick $((10 * SLOWER))ms limit 1000 ladder 20%:50% obey
	listen
	# The queue rises past 200, and falls again in 20 ticks. The ramp has 66: that
	# they are over is seen by the last packet.
	send x400,0:${SLOWER}s,x1 >/dev/null
	heard_enough code 2
	heard_enough "done" 1
	frame '{"validity": 300, "codes": [[0, 4000]]}'
	heard_enough peer 2
	listen_end

	is "one listener: what happened, in order" \
		"$(events 'select(.name != "surge" or .act == "ramp") |
			.name' | paste -sd' ')" "surge code code done peer peer"
	is "one listener: the surge" \
		"$(events 'select(.name == "surge" and .act == "ramp") |
		[.direction, .source, .queued] | join(" ")')" "up queue 50"
	is "one listener: how long the ramp took" \
		"$(events 'select(.name == "done") | .duration')" \
		"$(($(time_of "done") - $(time_of surge)))"
	is "one listener: the codes" "$(events 'select(.name == "code") | .codes.entry |
		map("\(.band):\(.rate)") | join(",")' | paste -sd' ')" \
		"0:5000 0:10000"
	is "one listener: the peer's codes" "$(events 'select(.name == "peer") |
		"\(.why) \(.codes.entry[0].rate)"' | paste -sd, )" \
		"applied 4000,expired 10000"
	is "one listener: all events name the qdisc" \
		"$(events '"\(.ifindex) \(.handle) \(.parent)"' | sort -u)" \
		"$(index) $((0x20000)) $((0x30001))"
	is "one listener: times of events rise" \
		"$(events .time)" "$(events .time | sort -n)"
	is "one listener: messages are numbered" "$(events .number)" \
		"$(seq "$(events .number | wc -l)")"
	last=$(events .lost | tail -1)
	is "one listener: no event was lost" "$last $(counter events_lost)" "0 0"
	is "one listener: as many events as the counters say" \
		"$(events .name | grep -c surge) $(events .name | grep -c "done")" \
		"$(counters 'surges_up + .surges_down + .surges_self' ramps_done)"
}

# A band that is exempt, or that there is not, is slowed by nobody.
peers()
{
	ramp rate 1gbit bands 2 exempt 0 obey
	listen
	frame '{"seq": 1, "validity": 10000, "codes": [[0, 4000], [5, 3000]]}'
	frame '{"seq": 2, "validity": 10000, "codes": [[0, 2000], [1, 2000], [5, 2000]]}'
	heard_enough peer 1
	listen_end
	is "codes of a peer for bands 0, 1 and 5, of which only 1 obeys" \
		"$(events 'select(.name == "peer") | .codes.entry |
		map("\(.band):\(.rate)") | join(",")' | paste -sd' ')" "1:2000"
}

# A queue that has risen slowly is taken away.
fall()
{
	ramp_below 800bit 1514 rate 100mbit detect queue queue 5:20 window 100ms bands 1
	# A listener may take seconds to start, in which packets leave.
	listen
	send x6,0:2s,x10,0:2s,x8 >/dev/null
	tc -n "$src" qdisc add dev out0 parent 2:1 pfifo
	heard_enough surge 1
	listen_end
	is "a queue that is taken away" "$(events '
		[.name, .direction, .source, .act, .queued] | map(tostring) |
		join(" ")')" "surge down queue empty 0"
	# It is a surge as that took no longer than a window.
	within "a queue that is taken away: how long it took to fall, ns" \
		"$(events .took)" 0 100000000
}

# A listener that never reads: the kernel tells it that it lost some, and all packets
# arrive as without it.
slow()
{
	local n before

	# So slow that a machine that has other things to do sends faster.
	ramp_below $((20 / SLOWER))mbit 1514 rate $((20 / SLOWER))mbit \
		detect off limit 1000 ladder 20%:50%
	listen 4096
	before=$(capture_arrived)
	for ((n = 0; n < 20; n++)); do
		send x400 >/dev/null
		drained
	done
	is "a slow listener slows nothing" \
		"$(($(capture_arrived) - before)) $(counter codes_sent)" \
		"$((20 * 400)) 40"
	listen_end
	matches "a slow listener is told that it lost some events" \
		"$(grep -c '"lost"' "$NET_WORK/events")" '^[1-9]'
	n=$(events '.name?' | grep -c code)
	within "a slow listener: some of 40 events were kept for it" "$n" 1 39
}

# More codes than the ring holds before anybody else has the CPU: each frame is one
# packet that waits, and then none.
flood()
{
	local heard lost

	ramp rate 1gbit detect off limit 100 ladder 1%:50%
	copy_64
	listen
	ip netns exec "$dst" ramp-send -i in0 x1 >/dev/null
	heard_enough code 2
	wait_until 5 counter_is codes_sent 128
	listen_end
	tc -n "$src" qdisc del dev out0 clsact

	heard=$(events .name | grep -c code)
	lost=$(counter events_lost)
	note "128 codes, $heard heard, $lost lost"
	is "more codes than the ring holds: 64 copies, two codes each" \
		"$(counter codes_sent)" 128
	is "more codes than the ring holds: events that do not fit are counted" \
		"$((lost >= 1 && lost <= 64))" 1
	is "more codes than the ring holds: each event is told once, in order" \
		"$(events .number)" "$(events .number | sort -nu)"
	is "more codes than the ring holds: the last state is told after a loss" \
		"$((heard + lost > 128))" 1
	is "more codes than the ring holds: the last event says what is so now" \
		"$(events '.codes.entry[0].rate' | tail -1)" \
		10000
	is "more codes than the ring holds: the last event says how many were lost" \
		"$(events .lost | tail -1)" "$lost"
}

# The same of the ramps of a ramp_mq, which counts what all of them lost.
flood_queues()
{
	local lost

	tc -n "$src" qdisc replace dev out0 root handle 5: ramp_mq \
		rate 1gbit detect off limit 100 ladder 1%:50%
	copy_64
	listen
	ip netns exec "$dst" ramp-send -i in0 x1 >/dev/null
	wait_until 5 counter_is codes_sent 128
	heard_enough code 2
	listen_end
	tc -n "$src" qdisc del dev out0 clsact

	lost=$(counter events_lost)
	within "a ramp_mq: events of a queue that do not fit" "$lost" 1 64
	is "a ramp_mq counts what its queues lost" \
		"$(tc -n "$src" -j -s qdisc show dev out0 |
			jq '.[] | select(.kind == "ramp_mq").events_lost')" "$lost"
}

# Nobody listens: nothing is made, nothing is lost.
nobody()
{
	ramp_below $((80 / SLOWER))mbit 1514 rate $((80 / SLOWER))mbit \
		detect off limit 1000 ladder 20%:50%
	send x400 >/dev/null
	drained
	is "nobody listens: nothing is lost" \
		"$(counters codes_sent events_lost)" "2 0"
}

net_init ramp-send bc
events_init
pair 1500
in_order
peers
fall
slow
flood
flood_queues
nobody
ktap_end
