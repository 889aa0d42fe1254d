#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What waits when a peer that slowed a band does not any more does not leave in one
# jump, out of a device that is faster than the rate: at a return to 100 %, which holds
# a band to its rate as long as the code is valid; when codes expire; when a frame does
# not name the band any more; with `no-obey`. From the receiver's capture, in virtual
# time; the device is as fast as memory.
#
# Fails, as tried, when a band is free at once: by 15 to 43 times the rate.

# shellcheck source=selftests/net/lib/obey.sh
. "$(dirname "$0")/lib/obey.sh"

SPAN=100000	# ns: a tick

# Percent of the rate: as in time_smooth.sh, where the slew limiter limits as well, and
# what it does with a device that is ten times faster than the rate.
ALWAYS=15 STEPS=15

# again FRAME - sends it in 2 ms.
# shellcheck disable=SC2317 # called by what held calls
again()
{
	(
		sleep 0.002
		exec ip netns exec "$dst" python3 "$NET_LIB/codes.py" send in0 "$1"
	) &
	LATER=$!
}

# held RATE LATER PARAMETER... - a peer allows 20 % of RATE Mbit/s; half a ms later the
# rate and a half arrives, for 8 ms. LATER ends it after some.
held()
{
	local rate=$1 later=$2 validity=${VALID-10000}
	shift 2

	plain rate "${rate}mbit" limit 100000 obey "$@"
	frame "{\"validity\": $validity, \"codes\": [[0, 2000]]}"
	capture_start
	LATER=
	send "$((rate * 3 / 2))mbit:8ms" >"$NET_WORK/sent" &
	SENDER=$!
	$later
	wait "$SENDER"
	[ -z "$LATER" ] || wait "$LATER"
	drained || note "still not empty"
	capture_stop
}

# smooth NAME RATE MOST - no 100 us have that much of the rate, in percent, more than the
# 100 us before them; two frames, as they do not come in parts. But for the first ms, in
# which the sender begins: nothing bounds that with `detect off`.
smooth()
{
	local most=$(($3 + 2 * 1514 * 8 / $2))

	read -r seen when < <(answer smooth judge \
		"${2}000000" "$SPAN@1000000" "$NET_WORK/pcap")
	note "$1: the greatest rise is after $when ns"
	holds "$1: percent of the rate that it rises by" "$seen" "<=" $most
	all_there "$1"
}

# at_the_rate NAME RATE - no 100 us have more than the rate, and a packet.
at_the_rate()
{
	local first most

	first=$(capture frames | sed -n '1s/ .*//p')
	most=$(capture bins --origin "$first" --tick $SPAN --bytes |
		tr ' ' '\n' | sort -n | tail -1)
	holds "$1: bytes in 100 us" "$most" "<=" $(($2 * 25 / 2 + 1514 + 2))
}

# returns RATE MOST NAME PARAMETER... - the codes that follow say 100 %.
returns()
{
	local rate=$1 most=$2 name=$3
	shift 3

	held "$rate" whole "$@"
	smooth "$name, a return to 100 %" "$rate" "$most"
	[ "$most" = $ALWAYS ] || at_the_rate "$name, a return to 100 %" "$rate"
	is "$name, a return to 100 %: peer_rate" "$(counter peer_rate)" 100
}

# shellcheck disable=SC2317 # called by held
whole()
{
	again '{"seq": 2, "validity": 10000, "codes": [[0, 10000]]}'
}

# shellcheck disable=SC2317 # called by held
other_band()
{
	again '{"seq": 2, "validity": 10000, "codes": [[7, 10000]]}'
}

# shellcheck disable=SC2317 # called by held
no_obey()
{
	sleep 0.002
	tc -n "$src" qdisc change dev out0 root ramp no-obey
}

# ends RATE MOST NAME PARAMETER... - in all the other ways.
ends()
{
	local rate=$1 most=$2 name=$3
	shift 3

	VALID=4 held "$rate" true "$@"
	smooth "$name, codes expire" "$rate" "$most"
	is "$name, codes expire: counters" "$(counters codes_expired peer_rate)" "1 100"
	held "$rate" other_band "$@"
	smooth "$name, a frame without the band" "$rate" "$most"
	held "$rate" no_obey "$@"
	smooth "$name, no-obey" "$rate" "$most"
}

# Who was held back, and is not any more, is free: what comes after that is not paced.
free()
{
	plain rate 1gbit detect off limit 100000 obey
	frame '{"validity": 30, "codes": [[0, 2000]]}'
	capture_start
	send 1gbit:5ms,0:100ms,x100 >"$NET_WORK/sent"
	drained
	capture_stop
	is "nothing waits any more: frames that have to wait" "$(capture frames |
		awk -v n="$(($(jq .sent "$NET_WORK/sent") - 100))" \
			'$2 >= n && $1 - $5 > 2000' | wc -l)" 0
}

net_init ramp-send tcpdump bc
only_virtual_time
pair 1500
sleep 1		# until timers have a high resolution
for rate in 1000 10000; do
	returns $rate $ALWAYS "$rate Mbit/s" detect always
	returns $rate $STEPS "$rate Mbit/s, detect off" detect off
	ends $rate $ALWAYS "$rate Mbit/s" detect always
	ends $rate $STEPS "$rate Mbit/s, detect off" detect off
done
free
ktap_end
