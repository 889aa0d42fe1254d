#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An endpoint with storage (ports 4420 and 8009) and other traffic, in both
# directions, on one bucket: in virtual time, frame by frame against a bucket in
# exact numbers. Storage passes whole, others get what is left; what storage has
# overdrawn others wait for; what bypasses changes nothing.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

# bytes per second, bytes
RATE=1000000 BURST=100000 SIZE=1000
S=1000000000 MS=1000000

# Others: all but storage.
OTHERS_FROM="others-from from $VM $PEER tcp 80 $SIZE"
OTHERS_TO="others-to to $VM $PEER tcp 80 $SIZE"

# policies THRESHOLD BUCKET_WORD... - storage is action 1, others are action 2, a
# flow that bypasses is action 3, for both directions.
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

# out_of_reach - bytes of tokens that a CPU can have withdrawn in vain.
out_of_reach()
{
	act 2 .stranded
}

# like_model NAME THRESHOLD DEBT - no frame of others passes without tokens for it, but
# for what a nanosecond may do, and none is dropped if there are more than may be out of
# reach. Others in both directions ask at the same time, so which gets the tokens for one
# frame hangs on a nanosecond, and with it all that follows.
like_model()
{
	local result

	result=$(judge replay --rate $RATE --burst $BURST ${3:+--debt "$3"} \
		nvme=account discovery=account ssh=bypass \
		others-from=drop:"$2" others-to=drop:"$2" 2>&1)
	note "$1: $result, of $(out_of_reach)"
	if jq -e --argjson reach "$(out_of_reach)" '
		all(.[]; .short != null and .short <= 1 and
			 .spare != null and .spare <= $reach)' \
		<<<"$result" >/dev/null; then
		pass "$1: every frame as an exact bucket decides"
	else
		fail "$1: every frame as an exact bucket decides"
	fi
}

# others FROM TO - frames of others that were let through, in all.
others()
{
	judge served --from "$1" --to "$2" |
		jq '[."others-from", ."others-to" | .received // 0] | add'
}

whole()
{
	is "$1: storage passes whole" \
		"$(flow nvme received) $(flow discovery received)" \
		"$(flow nvme sent) $(flow discovery sent)"
}

counted()
{
	accounts "$1, storage" 1 nvme discovery
	accounts "$1, others" 2 others-from others-to
}

# Twice the rate, half of it storage's: others get the other half of the rate.
shared()
{
	local n

	policies 0
	flows "nvme from $VM $PEER tcp 4420 $SIZE 300pps:4s" \
		"discovery to $VM $PEER tcp 8009 $SIZE 200pps:4s" \
		"$OTHERS_FROM 800pps:4s" "$OTHERS_TO 700pps:4s"
	whole "twice the rate"
	n=$(others $S $((4 * S)))
	within "twice the rate: frames of others in 3 s, half the rate within 2 % of it" \
		"$n" $((1500 - 60)) $((1500 + 60))
	like_model "twice the rate" 0 $BURST
	counted "twice the rate"
	WITHOUT_BYPASS=$(others 0 $((4 * S)))
}

# As before, and five times the rate that bypasses.
bypass()
{
	local frames

	policies 0
	flows "nvme from $VM $PEER tcp 4420 $SIZE 300pps:4s" \
		"discovery to $VM $PEER tcp 8009 $SIZE 200pps:4s" \
		"$OTHERS_FROM 800pps:4s" "$OTHERS_TO 700pps:4s" \
		"ssh from $VM $PEER tcp 22 $SIZE 5000pps:4s"
	whole "bypass"
	is "bypass: it passes whole" "$(flow ssh received)" "$(flow ssh sent)"
	frames=$(($(out_of_reach) / SIZE + 1))
	within "bypass: others get what they get without it, frames" \
		"$(others 0 $((4 * S)))" $((WITHOUT_BYPASS - frames)) \
		$((WITHOUT_BYPASS + frames))
	like_model "bypass" 0 $BURST
	is "bypass: counted as such" "$(act 3 \
		'[.bypassed.packets, .conformed.packets, .over.packets,
		  .uncharged.packets, .exceeded.packets] | join(" ")')" \
		"$(flow ssh sent) 0 0 0 0"
	counted "bypass"
}

# overdrawn NAME THRESHOLD DEBT BUCKET_WORD... - storage alone is half as much again
# as the rate, for 2 s. DEBT: what is then owed, in bytes; without one, all that
# passed and was not earned.
overdrawn()
{
	local name=$1 threshold=$2 debt=$3 reach=0 first after least most

	shift 3
	policies "$threshold" "$@"
	flows "nvme from $VM $PEER tcp 4420 $SIZE 900pps:2s" \
		"discovery to $VM $PEER tcp 8009 $SIZE 600pps:2s" \
		"$OTHERS_FROM 500pps:5s" "$OTHERS_TO 250pps:5s"
	whole "$name"
	is "$name: others get nothing" "$(others $((300 * MS)) $((2 * S)))" 0
	# What is out of reach comes on top of a debt that nothing bounds.
	[ -n "$debt" ] || {
		reach=$(out_of_reach)
		debt=$((3 * RATE + $(others 0 $((2 * S))) * SIZE - 2 * RATE - BURST))
	}
	first=$(judge first others-from --after $((2 * S)) | jq .at)
	after=$(((${first:-0} - 2 * S) / 1000))
	# The last frame of storage leaves up to a frame less owed, and one of
	# others comes every 2 ms.
	least=$(((debt + threshold) * 1000000 / RATE))
	most=$(((debt + threshold + SIZE + reach) * 1000000 / RATE))
	within "$name: us until others pass again, (debt + threshold + size) / rate" \
		"$after" $((least - 2000)) $((most + 2000))
	counted "$name"
}

# What a network card does: ten times what was contracted arrives.
tenant()
{
	local size=60000 rate=1000000000 burst=10000000 n

	# shellcheck disable=SC2154 # setup_ns sets them
	ip -n "$src" link set out0 mtu 65000
	ip -n "$dst" link set in0 mtu 65000
	nothing
	create bucket 9 rate ${rate}bps burst $burst policy drop index 9
	rest ingress 1 index 9
	flows "tenant from $VM $PEER tcp 80 $size 166667pps:200ms"
	n=$(($(flow tenant received) * size))
	within "1 GB/s contracted, 10 GB/s offered: bytes in 200 ms" "$n" \
		$((rate / 5 + burst - rate / 50)) $((rate / 5 + burst + size))
	accounts "1 GB/s contracted, 10 GB/s offered" 9 tenant
}

mpolice_init ramp-send
only_virtual_time
endpoint 1500
sleep 1		# until timers have a high resolution
shared
bypass
overdrawn "storage beyond the rate" 0 $BURST
like_model "storage beyond the rate" 0 $BURST
overdrawn "with a threshold" 50000 $BURST
like_model "with a threshold" 50000 $BURST
overdrawn "a small debt" 0 20000 debt 20000
like_model "a small debt" 0 20000
overdrawn "debt unlimited" 0 "" debt unlimited
like_model "debt unlimited" 0 ""
tenant
ktap_end
