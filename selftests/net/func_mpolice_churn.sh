#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Very many actions on one bucket are deleted, changed and moved while two CPUs send
# packets that draw from it: no packet is lost that the policy would keep, no window has
# more than the bucket gives, and RTNL, which the whole machine needs, is not held for
# longer than by as many actions gact.
#
#	func_mpolice_churn.sh [ACTIONS]

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

ACTIONS=${1:-4000}
SIZE=200
# Those that packets meet; none of the others has any.
FIRST=2000001 SECOND=2000002

# many - all of them on bucket 1, which earns 1,000,001 bytes a second, and two streams
# with actions of their own that draw from it, too.
many()
{
	nothing
	scaled make 1 "$ACTIONS" --each "$ACTIONS"
	create bucket 1 policy drop index $FIRST
	create bucket 1 policy drop index $SECOND
	stream egress 0 index $FIRST
	stream egress 1 index $SECOND
}

# senders PROFILE - on a CPU each, until they are done: PIDS.
senders()
{
	local n

	PIDS=()
	rm -f "$NET_WORK"/sent-*
	capture_start
	for n in 0 1; do
		ip netns exec "$src" taskset -c $((n % $(nproc))) ramp-send -i out0 \
			-s $SIZE -n $n -w 100 -a "$1" >"$NET_WORK/sent-$n" &
		PIDS+=($!)
	done
}

# meanwhile FUNCTION - again and again, until nobody sends any more.
meanwhile()
{
	ROUNDS=0
	while kill -0 "${PIDS[0]}" 2>/dev/null || [ $ROUNDS = 0 ]; do
		"$1"
		ROUNDS=$((ROUNDS + 1))
		# Where work costs no time only this makes it pass.
		sleep 0.5
	done
	wait "${PIDS[@]}"
	capture_stop
	note "$1: $ROUNDS rounds with $ACTIONS actions"
}

# Half of them go and come, some have another policy, or move to another bucket and back.
# shellcheck disable=SC2317 # called by meanwhile
turmoil()
{
	scaled delete 2 "$ACTIONS" --step 2
	scaled make 2 "$ACTIONS" --each "$ACTIONS" --step 2
	scaled change 3 "$ACTIONS" --count 500
	scaled change 3 "$ACTIONS" --count 500 --to 2
	scaled change 3 "$ACTIONS" --count 500 --to 1
}

# As well, the bucket has other rates, those that packets meet have other policies, and all
# at once move to another bucket and back.
# shellcheck disable=SC2317 # called by meanwhile
turmoil_of_all()
{
	turmoil
	scaled change 3 "$ACTIONS" --count 100 --rate 1000000
	scaled change "$FIRST" "$SECOND" --count 100
	scaled repoint 1 2 --count 2
}

# passes - each packet finds enough in the bucket, whatever becomes of others.
passes()
{
	local sent

	many
	# What moves there keeps it.
	create bucket 2 rate 8mbit policy bypass index 3000000
	senders "$((1000 / SLOWER))pps:$((5 * SLOWER))s"
	meanwhile turmoil_of_all
	sent=$(jq -s 'map(.sent) | add' "$NET_WORK"/sent-*)
	is "within the rate: all that was sent arrives" "$(capture count)" "$sent"
	is "within the rate: all that was sent has conformed or need not, none exceeded" \
		"$(counts '.conformed.packets + .bypassed.packets') $(counts \
			'.exceeded.packets + .over.packets')" "$sent 0"
}

# counts JQ - the sum of both actions.
counts()
{
	echo $(($(act $FIRST "$1") + $(act $SECOND "$1")))
}

# More comes than the bucket gives.
bounded()
{
	local rate=$((200000 / SLOWER)) result

	many
	create bucket 2 rate 8mbit policy bypass index 3000000
	modify bucket 1 rate ${rate}bps burst $((rate / 5)) index $FIRST
	senders "$((2 * rate / SIZE))pps:$((5 * SLOWER))s"
	meanwhile turmoil
	result=$(over_captured --rate $rate --burst $((rate / 5)) --interval 0)
	note "$result"
	satisfies "above the rate: in no window too much" "$result" \
		'.frames > 0 and .excess <= 1'
	is "above the rate: what conformed has arrived" "$(counts .conformed.packets)" \
		"$(jq .frames <<<"$result")"
	is "above the rate: conformed and exceeded are what was sent" \
		"$(counts '.conformed.packets + .exceeded.packets')" \
		"$(jq -s 'map(.sent + .refused) | add' "$NET_WORK"/sent-*)"
}

# quickest NAME COMMAND... - keeps the least ns that 1,000 took so far, by one message.
quickest()
{
	least least_per_1000 "$@"
}

# no_longer NAME NS GACT_NS PERCENT - a message has RTNL for nearly all of the time that it takes.
# An action has parameters that are replaced, and counters besides the core's, and gact has
# not; that there are many others may make no difference. To follow one pointer for each of
# 4,000 makes 100 % of gact's time 170 %.
no_longer()
{
	note "$1: 1,000 take $(($2 / 1000)) us, of gact $(($3 / 1000)) us"
	timed holds "$1: % of what as many actions gact take" $(($2 * 100 / $3)) "<=" "$4"
}

# rtnl - each of few takes no longer than one of gact, which does not know of others.
rtnl()
{
	local changed gact_changed rated moved deleted gact_deleted
	local from=$((ACTIONS / 2))

	if [[ ${RAMP_KERNEL-} = uml-time* ]]; then
		skip "RTNL is held no longer than by gact" "work that takes time"
		return
	fi
	many
	create bucket 2 rate 8mbit policy bypass index 3000000
	scaled make 1 "$ACTIONS" --kind gact
	for _ in 1 2 3 4 5 6; do
		quickest changed change $from "$ACTIONS" --count 300
		quickest gact_changed change $from "$ACTIONS" --count 300 --kind gact
		quickest rated change $from "$ACTIONS" --count 300 --rate 1000000
		quickest moved change $from "$ACTIONS" --count 300 --to 2
		scaled change $from "$ACTIONS" --count 300 --to 1
	done
	no_longer "another policy" "$changed" "$gact_changed" 140
	no_longer "another rate of the bucket" "$rated" "$gact_changed" 140
	no_longer "another bucket" "$moved" "$gact_changed" 140
	for _ in 1 2 3; do
		quickest deleted delete 2 $from --step 2
		quickest gact_deleted delete 2 $from --step 2 --kind gact
		scaled make 2 $from --each "$ACTIONS" --step 2
		scaled make 2 $from --step 2 --kind gact
	done
	no_longer "a deletion" "$deleted" "$gact_deleted" 200
	tc -n "$src" actions flush action gact >/dev/null
}

mpolice_init ramp-send tcpdump taskset
endpoint 1500
passes
bounded
rtnl
nothing
ktap_end
