# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A ramp that always has something to send, while its gears change: out0 is a device
# that swallows each frame and knows whether it came once, and in order. Sources
# gears.sh.

# shellcheck source=selftests/net/lib/gears.sh
. "$(dirname "${BASH_SOURCE[0]}")/gears.sh"

FLOOD_SIZE=512 FLOOD_BANDS=3 FLOOD_PRIORITIES=2,0,1
SINK=/sys/kernel/debug/ramp_sink

# shellcheck disable=SC2317 # called by the trap
flood_cleanup()
{
	[ -z "${SHIFTER-}" ] || kill -TERM "$SHIFTER" 2>/dev/null
	[ -z "${FLOOD-}" ] || kill -TERM "$FLOOD" 2>/dev/null
	wait
	net_cleanup
}

flood_init()
{
	net_init ramp-flood
	modprobe -q ramp_sink || missing "module ramp_sink"
	[ -w $SINK/expect ] || missing "debugfs"
	trap flood_cleanup EXIT
	setup_ns src || missing "network namespaces"
	ip netns exec "$src" sysctl -wq net.ipv6.conf.default.disable_ipv6=1
	ip -n "$src" link add out0 type ramp_sink
	ip -n "$src" link set out0 up
}

# flood [OPTION...] - of the priorities that go to different bands
flood()
{
	exec ip netns exec "$src" ramp-flood -i out0 -s $FLOOD_SIZE -b 2097152 \
		-p $FLOOD_PRIORITIES "$@"
}

# expect FRAMES - of each band, at most
expect()
{
	echo "$FLOOD_BANDS $1" >$SINK/expect
}

# fastest - bits per second that this machine can send, at least
fastest()
{
	local sent

	# Where work takes no time, there is no such thing.
	[[ ${RAMP_KERNEL-} != uml-time* ]] || {
		echo 4000000000
		return
	}
	ramp detect off bands $FLOOD_BANDS priomap "${MAP[@]}" limit 20000
	expect 1
	sent=$(flood -c 20000)
	jq ".sent * $FLOOD_SIZE * 8 * 1000000000 / .ns | floor" <<<"$sent"
}

# Priorities 2, 0 and 1 go to bands 0, 1 and 2.
MAP=(1 2 0 2 2 2 2 2 2 2 2 2 2 2 2 2)

# flood_ramp - four gears, of which the top one is a little less than the machine
# can do, so that all of them have packets waiting. Sockets hold 2400 to 4800, which
# is on both sides of the thresholds, and the queue takes what a freeze brings.
flood_ramp()
{
	local fast

	fast=$(fastest)
	FLOOD_RATES=($((fast / 20)) $((fast * 3 / 10)) $((fast * 9 / 20))
		$((fast * 12 / 20)) $((fast * 3 / 4)))
	note "gears of ${FLOOD_RATES[*]} bit/s"
	ramp detect off bands $FLOOD_BANDS priomap "${MAP[@]}" limit 60000 \
		gears "$(printf '%sbit\n' "${FLOOD_RATES[@]}" | paste -sd,)" \
		gear-up 6% gear-down 5% gear-fit off dwell 1ms idle 100ms freeze 0
}

# shifter MODE [ARG...] - a controller begins; SHIFTER is its number.
shifter()
{
	mkfifo "$NET_WORK/shifts"
	tc -n "$src" -batch - <"$NET_WORK/shifts" >"$NET_WORK/shift.tc" 2>&1 &
	SHIFT_TC=$!
	python3 "$NET_LIB/gear_shift.py" "$1" out0 "${@:2}" \
		>"$NET_WORK/shifts" 2>"$NET_WORK/shift.json" &
	SHIFTER=$!
}

# shifter_end - all that it ordered was done
shifter_end()
{
	local rc

	kill -TERM "$SHIFTER"
	wait "$SHIFTER"
	SHIFTER=
	wait "$SHIFT_TC"
	rc=$?
	rm "$NET_WORK/shifts"
	is "the controller was obeyed" "$rc $(cat "$NET_WORK/shift.tc")" "0 "
	shift_gear gear-range none freeze 0
}

# seen_as_sent SENT - the sender's report against what the device saw of each band,
# and the counters against both.
seen_as_sent()
{
	local sent=$1 n total dropped

	drained || note "still not empty"
	total=$(jq .sent <<<"$sent")
	dropped=$(jq .refused <<<"$sent")
	is "the flood: none was dropped" "$dropped" 0
	for ((n = 0; n < FLOOD_BANDS; n++)); do
		is "the flood, band $n: received, doubled, reordered" \
			"$(awk -v n=$n '$1 == n { print $2, $3, $4 }' $SINK/seen)" \
			"$(jq ".streams[$n].sent" <<<"$sent") 0 0"
	done
	is "the flood: nothing else came" "$(awk '/others/ { print $2 }' $SINK/seen)" 0
	is "the flood: enqueued, dequeued, dropped, queued, drops" \
		"$(counters enqueued dequeued dropped queued drops)" \
		"$total $total 0 0 0"
}

# at_full_rate SENT PERCENT - what left is at least that part of what the gears let
# pass while it was sent
at_full_rate()
{
	local allowed carried part

	allowed=$(counter "gear_ns | [.[0:5], [${FLOOD_RATES[*]/%/,} 0][0:5]] |
		[transpose[] | .[0] * .[1] / 8e9] | add")
	carried=$(jq ".sent * $FLOOD_SIZE" <<<"$1")
	part=$(awk -v a="$carried" -v b="$allowed" 'BEGIN { printf "%d", a / b * 100 }')
	timed within "the flood: percent of what the gears let pass" "$part" "$2" 100
}

# flood_changes FRAMES PERCENT - that many in all, through changes at random.
flood_changes()
{
	local each=$((($1 + FLOOD_BANDS - 1) / FLOOD_BANDS)) sent

	flood_ramp
	expect "$each"
	shifter random
	sent=$(flood -c "$each")
	shifter_end
	at_full_rate "$sent" "$2"
	note "$(jq -r '"\(.sent) frames in \(.ns / 1e9 | round) s"' <<<"$sent")," \
		"$(jq .shifts "$NET_WORK/shift.json") ranges," \
		"$(counter gear_changes) changes, $(counter freezes) freezes"
	timed within "the flood: gear changes" "$(counter gear_changes)" \
		"$(jq .shifts "$NET_WORK/shift.json" | awk '{ print int($1 / 4) }')" \
		1000000000
	is "the flood: all gears were used" \
		"$(counter 'gear_ns[1:] | map(select(. > 0)) | length')" 4
	seen_as_sent "$sent"
}

# flood_shifts SECONDS HZ - a controller that shifts ranges so often.
flood_shifts()
{
	local seconds=$1 hz=$2 sent

	flood_ramp
	expect 200000000
	shifter steady "$hz"
	flood >"$NET_WORK/flood.json" &
	FLOOD=$!
	sleep "$seconds"
	kill -TERM "$FLOOD"
	wait "$FLOOD"
	FLOOD=
	shifter_end
	sent=$(cat "$NET_WORK/flood.json")
	note "$(jq -r '"\(.sent) frames in \(.ns / 1e9 | round) s"' <<<"$sent")," \
		"$(counter gear_changes) changes"
	timed within "the flood, ranges shift: ranges per second" \
		"$(jq '.shifts * 1000000000 / .ns | round' "$NET_WORK/shift.json")" \
		$((hz * 95 / 100)) $((hz + 1))
	timed within "the flood, ranges shift: gear changes" \
		"$(counter gear_changes)" $((seconds * hz / 4)) 1000000000
	seen_as_sent "$sent"
}
