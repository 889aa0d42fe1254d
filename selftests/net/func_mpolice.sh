#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An endpoint with storage (ports 4420 and 8009) and other traffic, in both
# directions, on one bucket, by counters and by what arrives. Nothing here depends on
# the machine being in time: a sender that falls behind finds the tokens that came
# meanwhile, as long as they fit in the burst.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

# Bytes per second, and 400 ms of them: no sender stops for longer.
RATE=500000 BURST=200000 SIZE=1000
S=1000000000

# policies THRESHOLD BUCKET_WORD... - storage is action 1, others are action 2, what
# bypasses is action 3, for both directions.
policies()
{
	local threshold=$1 hook

	shift
	nothing
	create bucket 7 rate $((RATE * 8))bit burst $BURST "$@" \
		policy account index 1
	create bucket 7 policy drop threshold "$threshold" index 2
	create bucket 7 policy bypass index 3
	for hook in ingress egress; do
		port $hook 1 4420 index 1
		port $hook 1 8009 index 1
		port $hook 1 22 index 3
		rest $hook 9 index 2
	done
}

# never_over NAME LIMIT_BYTES - what the bucket was charged for, in all windows. There are
# no parts of a token.
never_over()
{
	local result

	result=$(grep -v ^ssh "$NET_WORK/log" >"$NET_WORK/charged" &&
		answer mpolice_judge windows "$NET_WORK/charged" \
			--rate $RATE --burst "$2")
	satisfies "$1: in no window too much" "$result" \
		'.frames > 0 and .excess <= 1'
}

counted()
{
	is "$1: storage passes whole" \
		"$(flow nvme received) $(flow discovery received)" \
		"$(flow nvme sent) $(flow discovery sent)"
	accounts "$1, storage" 1 nvme discovery
	accounts "$1, others" 2 others-from others-to
	is "$1: what exceeded is in drops and overlimits" \
		"$(act 2 '.stats | [.drops, .overlimits] | join(" ")')" \
		"$(act 2 '[.exceeded.packets, .exceeded.packets] | join(" ")')"
	is "$1: the standard counter has all packets" "$(act 2 .stats.packets)" \
		$(($(flow others-from sent) + $(flow others-to sent)))
	is "$1: the actions that share the bucket" "$(act 1 .users)" 3
}

# Twice the rate, half of it storage's, and what bypasses beside it. In the end the
# bucket is as empty as others can make it.
shared()
{
	local lasted all

	policies 0
	flows "nvme from $VM $PEER tcp 4420 $SIZE 150pps:5s" \
		"discovery to $VM $PEER tcp 8009 $SIZE 100pps:5s" \
		"others-from from $VM $PEER tcp 80 $SIZE 400pps:5s" \
		"others-to to $VM $PEER tcp 80 $SIZE 350pps:5s" \
		"ssh from $VM $PEER tcp 22 $SIZE 500pps:5s"
	counted "twice the rate"
	is "twice the rate: what bypasses passes whole" \
		"$(flow ssh received) $(act 3 .bypassed.packets) $(act 3 .bypassed.bytes)" \
		"$(flow ssh sent) $(flow ssh sent) $(flow ssh sent_bytes)"
	is "twice the rate: what bypasses is nothing else" "$(act 3 '[.conformed, .over,
		.uncharged, .exceeded] | map(.packets) | add')" 0
	matches "twice the rate: what bypasses, as text" \
		"$(tc -n "$src" -s actions get action mpolice index 3)" \
		" bypassed $(flow ssh sent)p $(flow ssh sent_bytes)b"
	never_over "twice the rate" $((BURST + BURST))

	# All that was earned from the first to the last frame is spent, but
	# for the last frames.
	lasted=$(judge windows --rate $RATE --burst $BURST | jq .lasted)
	all=$(jq '[.nvme, .discovery, ."others-from", ."others-to" |
		.received_bytes] | add' "$NET_WORK/flows")
	within "twice the rate: bytes that passed, of the rate and the burst within 2 %" \
		"$all" $(((RATE * (lasted / 1000000) / 1000 + BURST) * 98 / 100)) \
		$(((RATE * (lasted / 1000000) / 1000 + BURST) * 102 / 100))
}

# beyond NAME THRESHOLD DEBT_TEXT - storage alone is twice the rate for 3 s, which is
# more than burst and debt. Others begin when the debt has been reached.
beyond()
{
	local name=$1 threshold=$2 text=$3 first refused tokens owed

	policies "$threshold" debt "$text"
	flows "nvme from $VM $PEER tcp 4420 $SIZE 600pps:3s" \
		"discovery to $VM $PEER tcp 8009 $SIZE 400pps:3s" \
		"others-from from $VM $PEER tcp 80 $SIZE 0:2s,200pps:4s" \
		"others-to to $VM $PEER tcp 80 $SIZE 0:2s,100pps:1s"
	counted "$name"
	# Others find less than nothing, as long as storage does not pause for
	# what it owes.
	is "$name: others get nothing while storage has more than the rate" \
		"$(judge served --from $((2 * S)) --to $((3 * S)) |
			jq '."others-from".received + ."others-to".received')" 0
	if [ "$text" = unlimited ]; then
		is "$name: all of storage is charged" "$(act 1 .uncharged.packets)" 0
		owed=$(($(flow nvme sent_bytes) + $(flow discovery sent_bytes) -
			3 * RATE - BURST))
	else
		within "$name: frames of storage beyond the debt are not charged" \
			"$(act 1 .uncharged.packets)" 1 3000
		owed=$text
	fi
	within "$name: storage is over its share" "$(act 1 .over.packets)" 1 3000
	# No sooner than a frame's time before that is earned; no later is for
	# virtual time to show, in which senders are in time.
	first=$(judge first others-from --after $((3 * S)))
	note "$name: owed $owed, $first"
	within "$name: ms from the end of storage until others pass again" \
		$((($(jq '.at // 0' <<<"$first") - 3 * S) / 1000000)) \
		$(((owed + threshold - 20 * SIZE) / (RATE / 1000))) \
		$(((owed + threshold + SIZE) / (RATE / 1000) + 500))
	refused=$(jq .refused <<<"$first")
	within "$name: frames of others until then" "$refused" 1 1000
	tokens=$(act 1 .tokens)
	within "$name: tokens in the end" "$tokens" -$BURST $BURST
}

# A packet that reaches the debt is charged in part: these bytes are over, and no packet is.
in_part()
{
	nothing
	create bucket 7 rate 8bit burst 2500 debt 0 policy account index 1
	stream egress 0 index 1
	send x3 -s 1000 >/dev/null
	is "charged in part: conformed, over, uncharged" "$(act 1 '[.conformed, .over,
		.uncharged] | map([.packets, .bytes]) | tojson')" \
		"[[2,2000],[0,500],[1,500]]"
	matches "charged in part: as text" \
		"$(tc -n "$src" -s actions get action mpolice index 1)" " over 0p 500b"
}

# A command for a filter names a bucket, or makes one, and changes none: other filters are
# policed by it, and it stays as it is should the command fail afterwards.
filter_changes_no_bucket()
{
	local verb

	nothing
	create bucket 7 rate 1mbit burst 100000 policy drop index 1
	stream egress 0 bucket 7 policy drop
	for verb in change replace; do
		matches "filter $verb does not change a bucket" \
			"$(tc -n "$src" filter $verb dev out0 egress prio 1 \
				protocol 0x88b6 handle 800::800 u32 \
				match u32 0 0xffffffff at 4 action mpolice \
				bucket 7 rate 100mbit policy drop 2>&1)" \
			'rate: .*use actions change'
		is "filter $verb: the bucket is as it was" "$(act 1 '[.rate, .burst] | tojson')" \
			"[125000,100000]"
	done
	modify index 1 rate 2mbit
	is "actions change does" "$(act 1 .rate)" 250000
}

mpolice_init ramp-send
endpoint 1500
shared
in_part
filter_changes_no_bucket
beyond "beyond the rate" 0 200000
beyond "beyond the rate, with a threshold" 100000 150000
beyond "debt unlimited" 0 unlimited
ktap_end
