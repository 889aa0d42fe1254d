#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module comes with the first qdisc and goes without a trace, whatever the
# qdisc was doing: holding packets, running a ramp, losing its device or its
# namespace, or not coming into being at all.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

ROUNDS=20
# A burst of packets is a surge, and nothing leaves for a while. Its end is one,
# too, and ends the pause: ticks are slow.
HOLD='rate 100mbit detect ingress ingress 10pps:1000pps window 100ms tick 1s start 1p step 1p
	pause 10s'

loaded()
{
	[ -d /sys/module/sch_ramp ]
}

# shellcheck disable=SC2317 # called by wait_until
unload_now()
{
	! loaded || rmmod sch_ramp 2>/dev/null
}

# A namespace goes in the background, and until then its qdiscs hold the module.
unload()
{
	wait_until 20 unload_now
	! loaded
}

# clean NAME - the module can go, and nothing of it stays.
clean()
{
	local why=()

	unload || why+=("still in use: $(lsmod | grep ^sch_ramp)")
	[ ! -e /sys/kernel/tracing/events/ramp ] || why+=("tracepoints stay")
	if tc -n "$src" qdisc show 2>/dev/null | grep ' ramp '; then
		why+=("a qdisc stays")
	fi
	if [ ${#why[@]} = 0 ]; then
		pass "$1"
	else
		fail "$1" "${why[@]}"
	fi
}

add()
{
	tc -n "$src" qdisc add dev out0 root handle 2: ramp "$@"
}

# Adds a ramp that holds packets, and says so.
add_held()
{
	# shellcheck disable=SC2086 # parameters are words
	add $HOLD
	send x500 -s 100 >/dev/null
	within "$1: packets wait" "$(counter queued)" 400 500
}

# refused PARAMETER... - the kernel says no, and holds nothing for it.
refused()
{
	local why=()

	add "$@" 2>/dev/null && why+=("it was accepted")
	! loaded || [ "$(cat /sys/module/sch_ramp/refcnt)" = 0 ] ||
		why+=("$(cat /sys/module/sch_ramp/refcnt) references")
	if [ ${#why[@]} = 0 ]; then
		pass "refused without a reference: $*"
	else
		fail "refused without a reference: $*" "${why[@]}"
		tc -n "$src" qdisc del dev out0 root 2>/dev/null
	fi
}

net_init ramp-send
pair 1500
clean "unloaded: the module is not there"

add
if loaded; then
	pass "tc qdisc add loads the module"
else
	fail "tc qdisc add loads the module" "$(lsmod)"
fi
is "one reference per qdisc" "$(cat /sys/module/sch_ramp/refcnt)" 1
if rmmod sch_ramp 2>/dev/null; then
	fail "the module in use cannot be unloaded"
else
	pass "the module in use cannot be unloaded"
fi
tc -n "$src" qdisc del dev out0 root
clean "unloaded: after its qdisc was deleted"

refused tick 1us
refused window 1us
refused limit 2000000
refused rate 100mbit start 200mbit
refused start 2p step 5%
refused ingress 80%:10%
refused pause 1h
is "a refused qdisc is not there" "$(counter kind)" ""
clean "unloaded: after qdiscs were refused"

modprobe sch_ramp
for ((round = 0, good = 0; round < ROUNDS; round++)); do
	# shellcheck disable=SC2086 # parameters are words
	add $HOLD tick 1ms pause $((round % 3))ms
	send "x50,5000pps:10ms" -s 100 >/dev/null
	# Now and then in the middle of a ramp.
	[ $((round % 2)) = 0 ] || drained
	tc -n "$src" qdisc del dev out0 root
	unload && good=$((good + 1))
done
is "rounds of load, use and unload" $good $ROUNDS

add_held "before the qdisc goes"
tc -n "$src" qdisc del dev out0 root
clean "unloaded: after a qdisc with packets waiting was deleted"

# shellcheck disable=SC2086 # parameters are words
add $HOLD tick 1ms pause 2ms
send 5000pps:300ms,0:20ms,5000pps:200ms -s 100 >"$NET_WORK/sent" \
	2>"$NET_WORK/refused" &
sender=$!
for ((round = 0; round < 10; round++)); do
	ip -n "$src" link set out0 down
	ip -n "$src" link set out0 up
done
# It may have found the link down and given up, which is its right.
wait $sender
send x300 -s 100 >/dev/null
read -r enqueued dequeued dropped queued < <(
	counters enqueued dequeued dropped queued)
is "link down and up under traffic: enqueued = dequeued + dropped + queued" \
	"$enqueued" $((dequeued + dropped + queued))
drained
within "link down and up under traffic: packets leave again" \
	"$(counter dequeued)" 300 100000
tc -n "$src" qdisc del dev out0 root
clean "unloaded: after the link went down and up"

add_held "before the device goes"
ip -n "$src" link del out0
clean "unloaded: after the device went with packets waiting"

pair 1500
add_held "before the namespace goes"
cleanup_all_ns
clean "unloaded: after the namespace went with packets waiting"

pair 1500
# shellcheck disable=SC2086 # parameters are words
ramp_below 1mbit 2000 $HOLD
send x200 -s 1000 >/dev/null
within "below tbf: packets wait" "$(counter queued)" 1 200
tc -n "$src" qdisc del dev out0 root
clean "unloaded: after a qdisc below a tbf with packets waiting was deleted"
ktap_end
