#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# enqueued = dequeued + dropped + queued, read at random moments while packets come in
# bursts, overflow the limit, wait in a pause, or are thrown away with the link. In the
# end what the sender sent and what the receiver got must agree with the counters, too.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

SENT=0 REFUSED=0

# load PROFILE - sends and adds up.
# shellcheck disable=SC2317 # called by watch
load()
{
	local sent refused

	read -r sent refused < <(send "$1" -s 200 |
		jq -r '"\(.sent) \(.refused)"')
	SENT=$((SENT + sent)) REFUSED=$((REFUSED + refused))
}

# shellcheck disable=SC2317 # called by watch
tc_change()
{
	tc -n "$src" qdisc change dev out0 root ramp "$@" 2>/dev/null
}

# quiet - no ramp runs, so that the next burst is a surge.
# shellcheck disable=SC2317 # called by watch
quiet()
{
	tc_change detect off "${OPEN[@]}"
	drained
	tc_change detect ingress rate 100mbit tick ${SLOWER}ms start 1p step 1p \
		down-step 1p floor 1p
}

# Packets that wait go with the link: a reset, which has to count them.
# shellcheck disable=SC2317 # called by watch
flush()
{
	quiet
	# Slow ticks, since the end of a burst is a surge, too, and no pause.
	tc_change tick 1s pause 10s
	# The first packet ends what a detector that was just switched on may
	# need to find its feet.
	load x1,0:50ms,x200
	ip -n "$src" link set out0 down
	ip -n "$src" link set out0 up
	tc_change tick "${SLOWER}ms" pause $((5 * SLOWER))ms
}

# shellcheck disable=SC2317 # called by watch
surges()
{
	quiet
	load x500,2000pps:100ms,0:100ms,x400,500pps-5000pps:200ms
	load x100,0:50ms,x300,0:100ms,1000pps:200ms,x100,0:50ms,x200
	flush
}

net_init ramp-send tcpdump
pair 1500
# A limit smaller than what a ramp holds back is what is wanted here.
ramp limit 300 rate 100mbit ingress "10pps:$((1000 / SLOWER))pps" window 100ms \
	tick ${SLOWER}ms start 1p step 1p pause $((5 * SLOWER))ms \
	hold $((5 * SLOWER))ms 2>/dev/null
capture_start

watch 300 surges
quiet
capture_stop

watched "surges, a full limit, pauses and resets"
read -r enqueued dequeued dropped queued qlen drops ramps < <(
	counters enqueued dequeued dropped queued qlen drops ramps)
note "sent $SENT, refused $REFUSED, enqueued $enqueued, dequeued $dequeued," \
	"dropped $dropped, drops $drops, ramps $ramps"
within "the load made ramps" "$ramps" 2 1000000
is "counters: all that was sent is in enqueued" "$enqueued" $SENT
is "counters: all that was refused is in drops" "$drops" $REFUSED
within "the load: some packets were refused" $REFUSED 1 10000000
within "the load: some packets went with the link" "$dropped" 1 10000000
is "counters: nothing waits in the end" "$queued $qlen" "0 0"
received=$(capture count)
is "counters: all that was handed over was received" "$received" "$dequeued"
is "counters: all that was not received is in dropped" $((SENT - received)) "$dropped"
is "counters: enqueued = dequeued + dropped + queued" "$enqueued" \
	$((dequeued + dropped + queued))
ktap_end
