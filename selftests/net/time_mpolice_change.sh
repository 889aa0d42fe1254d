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

mpolice_init ramp-send
only_virtual_time
endpoint 1500
sleep 1		# until timers have a high resolution
changes 125000 300
changes 1250000 777
changes 12500000 800
ktap_end
