#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# When frames with codes are sent, in virtual time: at once, again before they expire
# as long as a band asks for less than the whole, and three times when none does any
# more. From a capture of what arrives.

# shellcheck source=selftests/net/lib/obey.sh
. "$(dirname "$0")/lib/obey.sh"

MS=1000000

# telling PARAMETER... - a ramp on out0 whose codes leave by tell0. Nothing leaves by
# out0, as a peer has stopped it for ten seconds.
telling()
{
	tell_link
	ramp rate 10mbit detect off limit 100 bands 2 \
		priomap 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 ladder 20%:50%,60%:20% \
		feedback tell0 obey min 0% "$@"
	frame '{"validity": 10000, "codes": [[0, 0], [1, 0]]}'
	hear_codes "$src" tell1
}

# told FILTER - jq over each frame, in one line
told()
{
	jq -r "$1" "$NET_WORK/told" | paste -sd' '
}

# gaps - ms from one frame to the next, rounded
gaps()
{
	jq -r .time "$NET_WORK/told" | awk -v ms=$MS '
		NR > 1 { printf("%s%d", (NR > 2 ? " " : ""), ($1 - last) / ms + 0.5) }
		{ last = $1 }'
}

release()
{
	tc -n "$src" qdisc change dev out0 root ramp no-obey
}

# times N WORD - that word so often
times()
{
	local n

	for ((n = 0; n < $1; n++)); do
		printf '%s ' "$2"
	done
}

refresh()
{
	local n

	telling validity 300ms
	send x30 -s 1250 >/dev/null
	sleep 1.05
	n=$(counter codes_refreshed)
	matches "refresh: frames with codes" "$n" '^1[01]$'
	release
	told_end
	is "refresh: at once, each third of the validity, and three times at the end" \
		"$(gaps | sed 's/^\(\(100 \)*\)[0-9]* 100 100$/\1and 100 100/')" \
		"$(times "$n" 100)and 100 100"
	is "refresh: rates of the band that waits" "$(told '.what.codes["0"]')" \
		"5000 $(times "$n" 5000)10000 10000 10000"
	is "refresh: rates of the other band" \
		"$(told '.what.codes["1"]' | tr ' ' '\n' | sort -u)" \
		10000
	is "refresh: numbers of frames" \
		"$(told .what.seq)" "$(seq $((n + 4)) | paste -sd' ')"
	is "refresh: one epoch" "$(jq .what.epoch "$NET_WORK/told" | sort -u | wc -l)" 1
	is "refresh: validity of frames" \
		"$(jq .what.validity "$NET_WORK/told" | sort -u)" 300
	is "refresh: all frames are counted" \
		"$(counters codes_sent codes_refreshed frames_sent frames_lost)" \
		"2 $n $((n + 4)) 0"
}

# Other rates and another validity are sent at once, in one frame, and what is the same
# as before is not; another set of bands is another epoch, and a band that has no ladder
# any more is not spoken of.
changes()
{
	telling validity 10s
	send x30 -s 1250 >/dev/null
	send x70 -s 1250 -p 6 >/dev/null
	sleep 0.5
	tc -n "$src" qdisc change dev out0 root ramp ladder 20%:40%,60%:10%
	sleep 0.1
	tc -n "$src" qdisc change dev out0 root ramp ladder 20%:40%,60%:10%
	sleep 0.1
	tc -n "$src" qdisc change dev out0 root ramp validity 1s
	sleep 0.1
	tc -n "$src" qdisc change dev out0 root ramp band-ladder 0 none
	sleep 0.1
	tc -n "$src" qdisc change dev out0 root ramp ladder none \
		band-ladder 1 none
	told_end
	is "changes: what frames say" "$(told '[.what.validity, .what.codes["0"] // "-",
		.what.codes["1"]] | join(":")')" \
		"10000:5000:10000 10000:5000:5000 10000:5000:2000 10000:4000:1000 1000:4000:1000 1000:-:1000"
	is "changes: frames of two epochs" \
		"$(jq .what.epoch "$NET_WORK/told" | uniq -c |
		awk '{ print $1 }' | paste -sd' ')" "5 1"
	is "changes: all frames are counted" "$(counter frames_sent)" 6
}

# Whoever hears of a qdisc that goes hears that it asks for nothing.
goes()
{
	telling validity 10s
	send x30 -s 1250 >/dev/null
	sleep 0.1
	tc -n "$src" qdisc del dev out0 root
	told_end
	is "the last word of a qdisc" "$(told '.what.codes["0"]')" "5000 10000"
}

# takes N - frames that hold0 takes from now on
takes()
{
	ip netns exec "$src" sh -c "echo $1 >/sys/class/net/hold0/hold/credit"
}

# A device whose driver takes nothing now gets one frame as soon as it does: what has
# been news meanwhile is in it.
busy()
{
	modprobe -q spread_hold || {
		lacks "a device that is busy" "module spread_hold"
		return
	}
	ip -n "$src" link add hold0 type hold
	ip -n "$src" link set hold0 up
	takes 0
	telling validity 10s feedback hold0
	send x30 -s 1250 >/dev/null
	tc -n "$src" qdisc change dev out0 root ramp ladder 20%:40%,60%:10%
	sleep 1
	is "a device that is busy: nothing is sent, nothing is lost" \
		"$(counters codes_sent frames_sent frames_lost)" "2 0 0"
	takes 2
	sleep 0.1
	is "a device that is busy no more: one frame is sent" \
		"$(counters frames_sent frames_lost)" "1 0"
	is "a device that is busy no more: the frame says what is so now" \
		"$(ip -n "$src" -j -s link show hold0 | jq '.[].stats64.tx.packets')" 1
	told_end
	ip -n "$src" link del hold0
}

net_init ramp-send tcpdump
only_virtual_time
sleep 1
pair 1500
refresh
changes
goes
busy
ktap_end
