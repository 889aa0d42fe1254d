#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Codes that a ramp_mq obeys: each frame is heard once, however many queues there are, and
# all queues together send at the share of rate that it says, whichever of them have
# something to send. From the receiver's capture in virtual time; 100 % are 1000 frames
# per second.

# shellcheck source=selftests/net/lib/obey.sh
. "$(dirname "$0")/lib/obey.sh"
# shellcheck source=selftests/net/lib/mq.sh
. "$NET_LIB/mq.sh"

QUEUES=4

# shellcheck disable=SC2317 # called by wait_until
mq_heard()
{
	[ "$(mq_root .codes_received)" -ge "$SEQ" ]
}

# code SHARE [MS] - hundredths of a percent, for 10 s or so long
code()
{
	SEQ=$((SEQ + 1))
	ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
		"{\"seq\": $SEQ, \"validity\": ${2:-10000}, \"codes\": [[0, $1]]}"
	wait_until 10 mq_heard || note "heard $(mq_root .codes_received), not $SEQ"
}

# offer QUEUE... - these send at the full rate for a second; all arrives in the end.
offer()
{
	local words=() n

	for n; do
		words+=("$n 10mbit:1s -s 1250")
	done
	capture_start
	mq_send_each "${words[@]}"
	drained || note "still not empty"
	capture_stop
}

# share_of QUEUE - frames of it in the first second
share_of()
{
	bins 10 "$1" | awk '{ for (i = 1; i <= NF; i++) sum += $i } END { print sum + 0 }'
}

net_init ramp-send tcpdump
only_virtual_time
mq_pair $QUEUES
SEQ=0
tc -n "$src" qdisc replace dev out0 root handle 1: ramp_mq rate 10mbit detect off \
	limit 10000 obey
code 4000
is "the ramp_mq and each queue show the rate" \
	"$(mq_root .peer_rate) $(mq_parts 'map(.peer_rate) | unique | @json')" "40 [40]"
# shellcheck disable=SC2046 # numbers
{
	offer 1
	paced "one queue has what the code allows" 40 $(bins 10)
	offer 1 2 3 4
	paced "all queues together have what the code allows" 40 $(bins 10)
	for ((n = 1; n <= QUEUES; n++)); do
		within "queue $n has its part of that, frames in a second" \
			"$(share_of $n)" 85 115
	done
	# One has a lot of small packets.
	code 4000
	capture_start
	mq_send_each "1 10mbit:1s -s 1250" "2 2mbit:1s -s 64" "3 10mbit:1s -s 1250"
	drained || note "still not empty"
	capture_stop
	for n in 1 3; do
		holds "small packets in queue 2 leave queue $n its turns: frames in a second" \
			"$(share_of $n)" ">=" 100
	done
	code 1000
	offer 2 3
	paced "two queues have what a lower code allows" 10 $(bins 10)
}
is "each frame is counted once" "$(mq_root .codes_received)" "$SEQ"
is "each queue shows what was heard" "$(mq_parts 'map(.codes_received) | unique | @json')" \
	"[$SEQ]"

# It expires for all of them.
code 1000
code 1000 200
sleep 1
offer 1 2 3 4
holds "who is not heard any more slows nobody: frames in the first second" \
	"$(bins 10 | awk '{ for (i = 1; i <= NF; i++) sum += $i } END { print sum + 0 }')" \
	">=" 900

# Whatever becomes of a frame, it does so once, and the ramp_mq shows it as each queue does.
others=$((SEQ + 1))
tc -n "$src" qdisc change dev out0 root ramp_mq obey from 02:00:00:00:00:01
ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 \
	'{"mac": "02:00:00:00:00:02", "codes": [[0, 1000]]}' \
	'{"mac": "02:00:00:00:00:02", "seq": 2, "codes": [[0, 1000]]}' \
	'{"mac": "02:00:00:00:00:01", "version": 2, "codes": [[0, 1000]]}' \
	'{"mac": "02:00:00:00:00:01", "seq": 9, "validity": 10000, "codes": [[0, 5000]]}' \
	'{"mac": "02:00:00:00:00:01", "seq": 8, "codes": [[0, 1000]]}' \
	'{"mac": "02:00:00:00:00:01", "seq": 8, "codes": [[0, 1000]]}' \
	'{"mac": "02:00:00:00:00:01", "seq": 8, "codes": [[0, 1000]]}'
sleep 1
kinds='[.codes_received, .codes_ignored, .codes_malformed, .codes_stale]'
is "frames that are heard, ignored, malformed and stale" \
	"$(mq_root "$kinds | @json")" "[$others,2,1,3]"
is "each queue shows the same of frames" "$(mq_parts "map($kinds) | unique | @json")" \
	"[[$others,2,1,3]]"
holds "codes that expired are counted" "$(mq_root .codes_expired)" ">=" 1
is "each queue shows the same of codes that expired" \
	"$(mq_parts 'map(.codes_expired) | unique | @json')" "[$(mq_root .codes_expired)]"
tc -n "$src" qdisc change dev out0 root ramp_mq no-obey
is "no-obey: the device has left the group" \
	"$(ip -n "$src" maddress show dev out0 | grep -ciE '01:80:c2:00:00:0e')" 0
ktap_end
