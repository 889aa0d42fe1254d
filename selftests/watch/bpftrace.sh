#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a machine with bpftrace and BTF: what the scripts of tools/bpftrace/ say is what was
# sent, and what the counters say.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/../net/lib/lib.sh"

SCRIPTS=$(cd "$(dirname "$0")/../.." && pwd)/tools/bpftrace

# traces SCRIPT - while the commands of stdin run, which begin when all probes are there.
traces()
{
	{
		# shellcheck disable=SC2016 # expands when it runs
		echo 'set -e; left() { ! tc -n '"$src"' -s qdisc show dev out0 |
			grep -q "backlog [^ ]* [1-9][0-9]*p"; }'
		cat
		echo 'until left; do sleep 0.2; done; sleep 1'
	} >"$NET_WORK/traffic"
	if ! timeout -k 10 240 bpftrace -c "/bin/bash $NET_WORK/traffic" "$SCRIPTS/$1.bt" \
			>"$NET_WORK/log" 2>&1; then
		fail "$1 ends without an error"
	fi
	note "$(cat "$NET_WORK/log")"
}

# sum REGEX - of the numbers in these rows.
sum()
{
	sed -nE "s/$1/\\1/p" "$NET_WORK/log" | awk '{ sum += $1 } END { print sum + 0 }'
}

# Two floods, with a pause in which all leaves. A sender that is held up makes more of them.
# A queue that stopped shrinking (stall) turns a ramp round, and is none of the surges that
# are counted.
surges()
{
	local index
	index=$(ip -n "$src" -j link show out0 | jq '.[0].ifindex')

	ramp rate 50mbit limit 1000 tick 10ms
	traces ramp-surges <<-END
		for i in 1 2; do
			ip netns exec $src ramp-send -i out0 -s 1000 x400 >/dev/null
			until left; do sleep 0.2; done
			sleep 1
		done
	END
	holds "surges: each flood is one" "$(counter surges_up)" ">=" 2
	is "surges: a line for each upward one that is counted, with device and handle" \
		"$(grep -cE "^[0-9]+ +$index +2: up +ingress +(ramp|turn|running) " \
			"$NET_WORK/log")" "$(counter surges_up)"
	is "surges: a line for each downward one that is counted" \
		"$(grep -cE "^[0-9]+ +$index +2: down +" "$NET_WORK/log")" \
		"$(($(counter surges_down) + $(counter surges_self)))"
	is "surges: the sums are those of the lines" "$(sum '^@surges\[.*\]: ([0-9]+)$')" \
		"$(grep -cE '^[0-9]+ +[0-9]+ +2: (up|down) ' "$NET_WORK/log")"
}

# 300 frames of 1000 bytes at 10 Mbit/s: the last of them waits for a quarter of a second
# at the least, as a frame takes 0.8 ms.
delays()
{
	plain rate 10mbit limit 1000 tick 10ms
	traces ramp-delays <<-END
		ip netns exec $src ramp-send -i out0 -s 1000 x300 >/dev/null
	END
	is "delays: all were taken, and all left" "$(counters enqueued dequeued)" "300 300"
	is "delays: a histogram for the device" "$(grep -c '^@delay_us\[out0\]' "$NET_WORK/log")" 1
	is "delays: each packet that waited is in it" \
		"$(sum '^[[(].*[])] +([0-9]+) \|.*')" 300
	holds "delays: the last ones waited as long as the rate says" \
		"$(grep -cE '^\[(128|256|512)K,|^\[[0-9]+M,' "$NET_WORK/log")" ">" 0
	is "delays: none waited for ten seconds" \
		"$(grep -cE '^\[(8|16|32|64)M,' "$NET_WORK/log")" 0
}

# spent GEAR - ms that the counters have of it.
spent()
{
	counter "gear_ns[$1]" | awk '{ printf "%d\n", $1 / 1000000 }'
}

gears()
{
	local before changes gear off past=()

	plain rate 100mbit limit 1000 gears 1mbit,10mbit,100mbit dwell 10ms idle 200ms
	sleep 2
	before=$(counter gear_changes)
	for gear in 1 2; do
		past[gear]=$(spent $gear)
	done
	traces ramp-gears <<-END
		ip netns exec $src ramp-send -i out0 -s 1000 x300 >/dev/null
		until left; do sleep 0.2; done
		sleep 2
	END
	changes=$(($(counter gear_changes) - before))
	is "gears: it is idle before and after" "$(counter gear)" 0
	holds "gears: they were changed" "$changes" ">" 1
	is "gears: a line for each change that is counted" "$(grep -cE \
		'^[0-9]+ +[0-9]+ +2: +[0-2] +[0-2] (occupancy|range|link|idle)$' \
		"$NET_WORK/log")" "$changes"
	is "gears: a line goes on where the one before ended" "$(awk '
		$3 == "2:" { if (seen && $4 != last) print; last = $5; seen = 1 }' \
		"$NET_WORK/log")" ""
	is "gears: reasons are counted as changes are" "$(sum '^@changes\[.*\]: ([0-9]+)$')" \
		"$changes"
	# Whole milliseconds are added up, and the trace is a moment later than the change.
	for gear in 1 2; do
		off=$(($(sum "^@gear_ms\\[[0-9]+, 2, $gear\\]: ([0-9]+)\$") -
			$(spent $gear) + past[gear]))
		holds "gears: the time in gear $gear is that of the counters, to 20 ms" \
			"${off#-}" "<=" 20
	done
}

net_init ramp-send bpftrace
[ -e /sys/kernel/btf/vmlinux ] || missing "BTF"
mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug ||
	missing "debugfs"
pair 1500
surges
delays
gears
ktap_end
