#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Codes that a ramp_mq with a ladder sends, in virtual time: to those who send to a device it
# is one port, however many queues it has. Nobody knows which queue a sender's packets take, so
# the fullest one says how fast to send, and what changes in the others needs no frame.
# From a capture of what arrives.

# shellcheck source=selftests/net/lib/obey.sh
. "$(dirname "$0")/lib/obey.sh"
# shellcheck source=selftests/net/lib/mq.sh
. "$NET_LIB/mq.sh"

# More than a box that obeys has places for.
QUEUES=20
PARAMS="rate 10mbit detect off limit 100 ladder 20%:50%,60%:20% feedback tell0 validity 300ms
	obey min 0%"

# shellcheck disable=SC2317 # called by wait_until
stopped()
{
	[ "$(mq_root .codes_received)" = 1 ]
}

# telling - a new ramp_mq, whose packets a peer holds back for ten seconds.
telling()
{
	tell_link
	# shellcheck disable=SC2086 # words
	tc -n "$src" qdisc add dev out0 root handle 1: ramp_mq $PARAMS
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
		'{"validity": 10000, "codes": [[0, 0]]}'
	wait_until 10 stopped || note "nothing was heard"
	hear_codes "$src" tell1
}

# rates - that frames said, those that say the same as the one before left out
rates()
{
	jq -r '.what.codes["0"]' "$NET_WORK/told" | uniq | paste -sd' '
}

# told_again - how many frames ask for less than the whole, and for what the one before did
told_again()
{
	jq -r '.what.codes["0"]' "$NET_WORK/told" |
		awk '$1 < 10000 && $1 == last { n++ } { last = $1 } END { print n + 0 }'
}

# kinds FILTER - how many different ones all frames have
kinds()
{
	jq -c "$1" "$NET_WORK/told" | sort -u | wc -l
}

# fill N PACKETS - of queue N
fill()
{
	mq_send "$1" "x$2" -s 1250 >/dev/null
	sleep 0.05
}

# fill_all PACKETS - of each queue
fill_all()
{
	local n

	for ((n = 1; n <= QUEUES; n++)); do
		fill "$n" "$1"
	done
}

one_port()
{
	local frames

	telling
	fill 1 30
	fill 2 30
	fill 3 70
	fill 4 10
	is "one port: each queue shows its own level" \
		"$(tc -n "$src" -s class show dev out0 | awk '{
			for (i = 1; i < NF; i++) if ($i == "level" && $(i + 1) > 0)
				print $(i + 1) }' | sort -n | paste -sd' ')" "1 1 2"
	tc -n "$src" qdisc change dev out0 root ramp_mq no-obey
	sleep 1
	frames=$(mq_root .frames_sent)
	told_end
	is "one port: the fullest queue says how fast to send" "$(rates)" \
		"5000 2000 5000 10000"
	is "one port: it is one sender" \
		"$(kinds '[.what.ifindex, .what.parent, .what.epoch]')" 1
	is "one port: frames are of the root of the device" \
		"$(jq .what.parent "$NET_WORK/told" | sort -u)" $((0xffffffff))
	is "one port: all frames are counted once" \
		"$(wc -l <"$NET_WORK/told") $(jq .what.seq "$NET_WORK/told" | paste -sd' ')" \
		"$frames $(seq "$frames" | paste -sd' ')"
	is "one port: each queue shows the frames of the device" \
		"$(mq_parts 'map(.frames_sent) | unique | @json')" "[$frames]"
	is "one port: what queues decided is summed up" "$(mq_root .codes_sent)" 8
	is "one port: codes that were told again before they expired" \
		"$(mq_root .codes_refreshed) $(mq_parts 'map(.codes_refreshed) |
			unique | @json')" "$(told_again) [$(told_again)]"
	tc -n "$src" qdisc del dev out0 root
}

all_queues()
{
	telling
	fill_all 30
	sleep 0.5
	is "all queues: frames that no code or no refresh is due for" \
		"$(mq_root '.frames_sent - .codes_refreshed')" 1
	is "all queues: each has a code of its own" "$(mq_root .codes_sent)" $QUEUES
	tc -n "$src" qdisc change dev out0 root ramp_mq no-obey
	told_end
	is "all queues: rates" "$(rates)" "5000 10000"
	tc -n "$src" qdisc del dev out0 root
}

# Other steps and another device at once: no frame has what some queues ask for by steps
# that others do not have any more.
at_once()
{
	telling
	fill_all 30
	ip -n "$src" link add name other0 type veth peer name other1
	tc -n "$src" qdisc change dev out0 root ramp_mq ladder 90%:20% \
		feedback tell0,other0
	sleep 0.1
	told_end
	is "another device, and steps that no queue reaches: rates of each epoch" \
		"$(jq -rs 'group_by(.what.epoch) | sort_by(.[0].time) |
			map(map(.what.codes["0"]) | unique | join(",")) | join(" ")' \
			"$NET_WORK/told")" "5000 10000"
	ip -n "$src" link del other0
	tc -n "$src" qdisc del dev out0 root
}

# A queue that goes out of use asks for nothing any more.
queue_goes()
{
	telling
	fill 1 30
	fill $QUEUES 70
	ip netns exec "$src" ethtool -L out0 tx $((QUEUES - 1)) ||
		note "ethtool"
	sleep 0.1
	tc -n "$src" qdisc change dev out0 root ramp_mq ladder 10%:40%
	sleep 0.1
	ip netns exec "$src" ethtool -L out0 tx $QUEUES || note "ethtool"
	told_end
	is "a queue that goes, others that stay, other steps: rates" "$(rates)" \
		"5000 2000 5000 4000"
	tc -n "$src" qdisc del dev out0 root
}

# Whoever hears of a ramp_mq that goes hears that it asks for nothing.
goes()
{
	telling
	fill 7 30
	tc -n "$src" qdisc change dev out0 root ramp_mq validity 10s
	sleep 0.1
	tc -n "$src" qdisc del dev out0 root
	told_end
	is "the last word of a ramp_mq" "$(rates)" "5000 10000"
}

net_init ramp-send tcpdump ethtool
only_virtual_time
mq_pair $QUEUES
one_port
all_queues
at_once
queue_goes
goes
ktap_end
