#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Changes of a bucket and of actions while packets pass: no packet is lost by a change
# itself, what was earned stays, all users of a bucket see it, and what is refused
# changes nothing.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

# A token a second: nothing is earned that would matter.
SLOW=8bit

# Each way of changing something, 10 times, while 5,000 packets pass that are a part
# of the rate. All of them arrive.
lossless()
{
	local sender round

	nothing
	create bucket 1 rate 100mbit burst 4m policy drop index 1
	create bucket 2 rate 200mbit burst 4m policy drop index 2
	stream egress 0 index 1
	stream ingress 0 index 2
	capture_start
	send 1000pps:5s -s 500 >"$NET_WORK/sent" &
	sender=$!
	for ((round = 0; round < 10; round++)); do
		modify bucket 1 rate 150mbit burst 2m policy drop index 1
		modify bucket 2 policy drop index 1
		modify bucket 2 rate 90mbit burst 8m policy drop index 2
		modify bucket 2 policy account threshold 1000 index 1
		modify bucket 1 rate 80mbit burst 4m interval 1ms policy drop index 1
		modify bucket 1 rate 100mbit interval 0 debt 1m policy drop index 1
	done
	wait $sender
	capture_stop
	is "60 changes while packets pass: all arrive" \
		"$(capture check "$(jq .sent "$NET_WORK/sent")")" \
		"received $(jq .sent "$NET_WORK/sent") lost 0 doubled 0 reordered 0"
	is "60 changes while packets pass: all are counted" "$(act 1 \
		'[(.conformed.packets + .over.packets), .uncharged.packets,
		  .exceeded.packets] | join(" ")')" "$(jq .sent "$NET_WORK/sent") 0 0"
}

# spend FRAMES - 1000 bytes each.
spend()
{
	send "x$1" -s 1000 >/dev/null
}

# has NAME TOKENS - within what the seconds of the test earn.
has()
{
	within "$1: tokens" "$(act 1 .tokens)" $(($2 - 1000)) $(($2 + 2000))
}

# deleted INDEX - for wait_until.
# shellcheck disable=SC2317 # called by it
deleted()
{
	tc -n "$src" actions delete action mpolice index "$1" 2>/dev/null
}

# What was earned stays, as the same part of the burst.
earned()
{
	nothing
	create bucket 1 rate $SLOW burst 1000000 policy drop index 1
	stream egress 0 index 1
	has "a new bucket is full" 1000000
	spend 600
	has "600 frames of 1000 bytes later" 400000
	modify bucket 1 rate 16bit policy drop index 1
	has "another rate" 400000
	is "another rate: burst stays" "$(act 1 .burst)" 1000000
	is "another rate" "$(act 1 .rate)" 2
	modify bucket 1 rate 16bit burst 2000000 policy drop index 1
	has "twice the burst" 800000
	modify bucket 1 rate 16bit burst 500000 policy drop index 1
	has "a quarter of that burst" 200000
	spend 300
	is "another burst: as many frames pass as tokens remained" \
		"$(act 1 '[.conformed.packets,
		.exceeded.packets] | join(" ")')" "800 100"
	modify bucket 1 rate 16bit policy account index 1
	spend 100
	has "another policy: in debt" -100000
	modify bucket 1 rate 16bit burst 2000000 policy drop index 1
	has "in debt, with another burst: what is owed stays owed" -100000
	# An action goes; the bucket stays, with its tokens, as another has it.
	create bucket 1 policy drop index 5
	tc -n "$src" filter del dev out0 egress
	# The filter lets go of it a little later.
	wait_until 20 deleted 1
	is "another user remains" "$(acts 'map(.index)' | jq -c .)" "[5]"
	within "another user remains, with the debt: tokens" "$(act 5 .tokens)" \
		-101000 -98000
}

# An action moves to another bucket: what it spends from then on is that one's.
moves()
{
	nothing
	create bucket 1 rate $SLOW burst 100000 policy drop index 1
	create bucket 2 rate $SLOW burst 300000 policy drop index 2
	create bucket 1 policy bypass index 3
	stream egress 0 index 1
	spend 200
	is "an action before it moves to another bucket: its counters" \
		"$(act 1 '[.conformed.packets, .exceeded.packets,
		.users] | join(" ")')" "100 100 2"
	modify bucket 2 policy drop index 1
	is "after the move: users of both" "$(act 1 .users) $(act 3 .users)" "2 1"
	spend 500
	is "after the move: the action's counters go on" "$(act 1 '[.conformed.packets,
		.exceeded.packets] | join(" ")')" "400 300"
	within "after the move: the other bucket is empty" "$(act 2 .tokens)" 0 999
	within "after the move: the first bucket has what it had" "$(act 3 .tokens)" \
		0 999
	modify bucket 4 rate $SLOW burst 50000 policy drop index 1
	spend 100
	is "a move to a bucket that it makes: its counters go on" \
		"$(act 1 '[.bucket, .conformed.packets,
		.users] | join(" ")')" "4 450 1"
	# The last user of bucket 1 goes with the move, and the bucket with it.
	modify bucket 4 policy drop index 3
	refuse "a bucket whose last user moved away is gone" "[Bb]ucket|BUCKET|rate" \
		actions add action mpolice bucket 1 policy drop index 9
}

# Burst and debt that nobody has named follow the rate.
follows()
{
	nothing
	create bucket 1 rate 100mbit interval 100ms policy drop index 1
	is "a default burst has room for what comes in an interval" \
		"$(act 1 .burst)" 1250000
	modify bucket 1 rate 200mbit index 1
	is "twice the rate: burst and debt that nobody named" \
		"$(act 1 .burst) $(act 1 .debt)" "2500000 2500000"
	modify bucket 1 burst 2500000 index 1
	modify bucket 1 rate 400mbit index 1
	is "a burst was named as it was, and twice the rate: it stays" \
		"$(act 1 .burst) $(act 1 .debt)" "2500000 2500000"
	modify bucket 1 debt 2500000 index 1
	modify bucket 1 burst 5000000 index 1
	is "a debt was named as it was, and twice the burst: it stays" \
		"$(act 1 .burst) $(act 1 .debt)" "5000000 2500000"
	modify bucket 1 debt 1000000 index 1
	is "another debt alone" "$(act 1 .burst) $(act 1 .debt)" "5000000 1000000"
}

# When a packet was last there. What is less than a tick ago is not shown.
used()
{
	local since='(.installed // 0) - (.last_used // 0)'

	nothing
	create bucket 1 rate 100mbit burst 4m policy drop index 1
	stream egress 0 index 1
	sleep 3
	is "3 s without a packet: when the action was last used" \
		"$(act 1 "$since")" 0
	spend 1
	within "the first packet after 3 s: when the action was last used" \
		"$(act 1 "$since")" 2 4
}

# warns NAME - of a threshold, the last time that tc was called.
warns()
{
	matches "$1: a warning" "$(<"$NET_WORK/why")" "^Warning: threshold: "
}

# An action whose threshold is as much as the bucket holds gets nothing, ever.
starves()
{
	nothing
	create bucket 1 rate 1gbit policy drop index 1
	create bucket 1 policy drop threshold 400k index 2
	is "a threshold below the burst: no warning" "$(<"$NET_WORK/why")" ""
	modify bucket 1 rate 100mbit index 1
	warns "a rate whose default burst is below the threshold of another action"
	modify bucket 1 rate 1gbit index 1
	is "the old rate again: no warning" "$(<"$NET_WORK/why")" ""
	modify bucket 1 burst 400k index 1
	warns "a burst that is the threshold of another action"
	modify bucket 1 burst 300k threshold 200k index 2
	is "less burst and less of a threshold at once: no warning" \
		"$(<"$NET_WORK/why")" ""
	create bucket 2 rate 10mbit policy drop index 3
	modify bucket 2 index 2
	warns "a move to a bucket whose burst is below the threshold"
	modify policy account index 2
	is "an action that always passes: no warning" "$(<"$NET_WORK/why")" ""
	modify bucket 2 rate 20mbit index 3
	is "a bucket with an action that always passes: no warning" \
		"$(<"$NET_WORK/why")" ""
	modify policy drop index 2
	warns "another policy, with a threshold above the burst"
	modify bucket 2 rate 10mbit index 3
	warns "a bucket whose other action still has that threshold"
	tc -n "$src" actions delete action mpolice index 2
	modify bucket 2 rate 20mbit index 3
	is "that action is deleted: no warning" "$(<"$NET_WORK/why")" ""
}

# One bucket, and the rate is everybody's.
shared_rate()
{
	local before

	nothing
	create bucket 6 rate 1mbit burst 100000 policy drop index 1
	create bucket 6 policy account index 2
	create bucket 6 rate 1mbit policy bypass index 3
	before=$(acts 'map(del(.. | .installed?, .last_used?, .tokens?))')
	refuse "an action that gives the bucket another rate" "rate|RATE" \
		actions add action mpolice bucket 6 rate 2mbit policy drop index 4
	refuse "an action that gives the bucket packets per second" "rate|RATE|pps|PPS" \
		actions add action mpolice bucket 6 pps 100 policy drop index 4
	refuse "an index with another bucket, to bind to" "index|bucket|exists|differ" \
		filter add dev out0 egress matchall action mpolice bucket 7 \
		rate 1mbit policy drop index 1
	is "a shared rate: what was refused changed nothing" \
		"$(acts 'map(del(.. | .installed?, .last_used?, .tokens?))')" "$before"
	modify bucket 6 rate 2mbit policy account index 2
	is "a shared rate: a change is that of all actions" \
		"$(acts 'map(.rate) | join(" ")')" \
		"250000 250000 250000"
	is "a shared rate: all actions count three users" \
		"$(acts 'map(.users) | join(" ")')" "3 3 3"
	tc -n "$src" actions delete action mpolice index 1
	tc -n "$src" actions delete action mpolice index 2
	is "a shared rate: users, when two are deleted" "$(act 3 .users)" 1
	tc -n "$src" actions delete action mpolice index 3
	refuse "the last action takes the bucket along" "[Bb]ucket|BUCKET|rate" \
		actions add action mpolice bucket 6 policy drop index 4
	create bucket 6 rate 3mbit policy drop index 4
	is "a bucket whose last action went: its number is free for another" \
		"$(act 4 .rate)" 375000
}

# The same rate with other numbers: how long a packet must wait follows at once.
takes_effect()
{
	local tokens

	nothing
	create bucket 1 rate $SLOW burst 100000 policy drop index 1
	stream egress 0 index 1
	spend 150
	tokens=$(act 1 .tokens)
	within "a bucket before its rate changes is empty" "$tokens" 0 999
	modify bucket 1 rate 800mbit policy drop index 1
	# 100 Mbyte/s fill it within a millisecond.
	sleep 0.1
	is "a faster rate fills an empty bucket from now on" "$(act 1 .tokens)" 100000
	modify bucket 1 rate $SLOW policy drop index 1
	spend 150
	is "a slower rate: as many frames pass as the bucket had" \
		"$(act 1 .conformed.packets)" 200
}

# What a CPU has taken of the bucket beforehand is in what others find after a change,
# and no more of use to that CPU.
taken()
{
	local round before tokens

	nothing
	create bucket 1 rate 100mbit burst 2m policy drop index 1
	stream egress 0 index 1
	for round in 1 2 3; do
		modify bucket 1 rate 100mbit policy drop index 1
		sleep 0.2
		spend 500
		modify bucket 1 rate $SLOW policy drop index 1
		tokens=$(act 1 .tokens)
		before=$(act 1 .conformed.bytes)
		spend 2100
		within "tokens that a CPU took before a change, round $round: bytes that pass without them" \
			$(($(act 1 .conformed.bytes) - before)) \
			$((tokens - 2000)) $((tokens + 1000))
	done
}

# listed COMMAND... - whether a list of all buckets says that it is of no single moment, as
# COMMAND ran meanwhile, and how many are on it
listed()
{
	ip netns exec "$src" python3 "$NET_LIB/dump_changes.py" mpolice 1 \
		ip netns exec "$src" tc "$@"
}

# A list of many buckets, of which one changes, comes or goes before it is read.
lists()
{
	local n many=600

	nothing
	for ((n = 1; n <= many; n++)); do
		echo "actions add action mpolice bucket $n rate 1mbit policy drop index $n"
	done | tc -n "$src" -batch -
	is "a list of buckets, nothing happens" "$(listed -Version)" "whole $many"
	matches "a list of buckets, one has another rate" \
		"$(listed actions change action mpolice bucket 3 rate 2mbit policy drop index 3)" \
		"^interrupted "
	is "a list of buckets, one has the rate that it had" \
		"$(listed actions change action mpolice bucket 3 rate 2mbit policy drop index 3)" \
		"whole $many"
	matches "a list of buckets, one comes" \
		"$(listed actions add action mpolice bucket 9999 rate 2mbit policy drop index 9999)" \
		"^interrupted "
	matches "a list of buckets, one goes" \
		"$(listed actions del action mpolice index 9999)" "^interrupted "
	tc -n "$src" actions flush action mpolice
}

# Who reads what all actions of a bucket count lets others have them meanwhile. One that
# is deleted is gone at once, and is not touched any more.
read_while_deleted()
{
	local n many=1000 reader

	nothing
	for ((n = 1; n <= many; n++)); do
		echo "actions add action mpolice bucket 1 rate 1mbit policy drop index $n"
	done | sed '2,$s/rate 1mbit //' | tc -n "$src" -batch -
	ip netns exec "$src" python3 "$NET_LIB/mpolice_scale.py" buckets 1 1 \
		--count 1000000 >/dev/null 2>&1 &
	reader=$!
	is "actions that are deleted while their bucket is read: each is gone at once" \
		"$(for ((n = 100; n < 600; n++)); do
			echo "actions del action mpolice index $n"
			echo "actions add action mpolice bucket 1 policy drop index $n"
		done | tc -n "$src" -batch - 2>&1)" ""
	for ((n = 100; n < 600; n++)); do
		echo "actions del action mpolice index $n"
		echo "actions del action mpolice index $n"
	done | tc -n "$src" -force -batch - 2>/dev/null
	kill $reader
	wait $reader 2>/dev/null
	is "actions that are deleted twice while their bucket is read: the others are left" \
		"$(tc -n "$src" -j actions list action mpolice |
			jq '[.[] | .actions[]?] | length')" $((many - 500))
	tc -n "$src" actions flush action mpolice
}

mpolice_init ramp-send tcpdump
endpoint 1500
lossless
earned
moves
follows
used
starves
shared_rate
takes_effect
taken
lists
read_while_deleted
ktap_end
