#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A change of a bucket in virtual time: it has as many tokens after it as before, and
# so many bytes pass. What a CPU has taken of the bucket, and not spent, is among them.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

# changes RATE FRAMES - bytes/s; frames of 1000 bytes, out of 1,000,000
changes()
{
	local rate=$1 name="$1 bytes/s" spent=$(($2 * 1000))
	local before passed ms=$(($1 / 1000))

	nothing
	create bucket 1 rate "${rate}bps" burst 1000000 policy drop index 1
	stream egress 0 index 1
	send "x$2" -s 1000 >/dev/null
	# Until what the CPU has taken is no longer in use.
	sleep 0.03
	before=$(act 1 .tokens)
	within "$name: what was not spent, and what came in 30 ms" "$before" \
		$((1000000 - spent + 30 * ms)) $((1000000 - spent + 35 * ms))
	modify bucket 1 debt 5000 policy drop index 1
	within "$name: a change leaves it" "$(act 1 .tokens)" \
		"$before" $((before + ms))
	passed=$(act 1 .conformed.packets)
	send x1000 -s 1000 >/dev/null
	within "$name: so many packets pass" \
		"$(($(act 1 .conformed.packets) - passed))" \
		$((before / 1000)) $(((before + 2 * ms) / 1000 + 1))
}

# A debt that grew under a rate that was too low by mistake. Another rate does not
# forgive it: it may have been made for the other one. Less debt does.
forgiven()
{
	local passed owed

	nothing
	create bucket 1 rate 1000bps burst 20000 debt unlimited policy account index 1
	create bucket 1 policy drop index 2
	stream egress 0 index 1
	stream egress 1 index 2
	send x500 -s 1000 >/dev/null
	owed=$(act 1 .tokens)
	within "wrong rate: what 500 packets leave as debt" "$owed" -480000 -479000

	modify bucket 1 rate 1250000bps index 1
	within "the right rate: the debt is still there" "$(act 1 .tokens)" \
		"$owed" $((owed + 5000))
	send x20 -s 1000 -n 1 >/dev/null
	is "the right rate: others wait until the debt is paid" \
		"$(act 2 .conformed.packets)" 0

	modify bucket 1 debt 3000 index 1
	within "debt 3000: no more than that is owed" "$(act 1 .tokens)" -3000 0
	modify bucket 1 debt 0 index 1
	within "debt 0: nothing is owed" "$(act 1 .tokens)" 0 5000
	modify bucket 1 debt unlimited policy account index 1
	within "unlimited again: nothing is owed" "$(act 1 .tokens)" 0 10000
	sleep 0.02
	passed=$(act 2 .conformed.packets)
	send x30 -s 1000 -n 1 >/dev/null
	within "others have the burst at once" \
		"$(($(act 2 .conformed.packets) - passed))" 19 21
}

mpolice_init ramp-send
only_virtual_time
endpoint 1500
sleep 1		# until timers have a high resolution
changes 125000 300
changes 1250000 777
forgiven
changes 12500000 800
ktap_end
