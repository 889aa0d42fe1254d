#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What an unprivileged user may do in namespaces of its own: all that a ramp can do
# on its own devices, nothing elsewhere; and not take the machine away from others
# with a thousand ramps of the shortest ticks, all of them busy.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
DEVICES=1000 LIMIT=20 FRAME=1500
# The same number inside and outside.
INDEX=77

# as_user COMMAND [ARG...] - as root of new namespaces, and nobody else's.
as_user()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		unshare --user --map-root-user --net "$@"
}

OPERATIONS="ip link add dummy1 index $INDEX type dummy
ip link set dummy1 up
tc qdisc add dev dummy1 root handle 2: ramp
tc qdisc change dev dummy1 root ramp bands 4 rate 10mbit limit 500
tc qdisc change dev dummy1 root ramp detect always tick 50us start 1p step 1p
tc qdisc change dev dummy1 root ramp band-limit 1 50 exempt 0 cease 1s
tc qdisc change dev dummy1 root ramp rail 7 rate 20mbit
tc qdisc change dev dummy1 root ramp rail 8 tick 100us
tc qdisc change dev dummy1 root ramp rail none
tc qdisc replace dev dummy1 root handle 2: ramp priomap 3 2 1 0 3 2 1 0 3 2 1 0 3 2 1 0
tc qdisc add dev dummy1 parent 2:2 handle 12: fq_codel
tc qdisc replace dev dummy1 parent 2:2 handle 22: ramp bands 2
tc qdisc add dev dummy1 parent 22:2 handle 32: pfifo
tc qdisc del dev dummy1 parent 2:2
tc filter add dev dummy1 parent 2: protocol all prio 1 matchall classid 2:4
tc filter add dev dummy1 parent 2: protocol ip prio 2 u32 match u8 6 0xff at 9 flowid 2:1
tc filter add dev dummy1 parent 2: protocol ip prio 3 flower ip_proto udp classid 2:3
tc filter del dev dummy1 parent 2:
tc -s class show dev dummy1
tc -s qdisc show dev dummy1
ip link set dummy1 down
ip link set dummy1 mtu 900 up
tc qdisc del dev dummy1 root
tc qdisc add dev dummy1 root handle 1: prio
tc qdisc add dev dummy1 parent 1:1 handle 2: ramp
tc qdisc replace dev dummy1 root handle 3: ramp rate auto
ip link del dummy1"

# What is outside, with all its counters and parameters.
outside()
{
	# shellcheck disable=SC2154 # setup_ns sets it
	tc -n "$src" -s -j qdisc show
	tc -n "$src" -s class show dev out0
	tc -n "$src" -s class show dev dummy1
	ip -n "$src" link show
}

operations()
{
	local before result command

	ip -n "$src" link add dummy1 index $INDEX type dummy
	ip -n "$src" link set dummy1 up
	tc -n "$src" qdisc add dev dummy1 root handle 2: ramp bands 4 \
		rail 7 rate 1gbit detect off
	ramp bands 3 rate 100mbit
	send x50 -s 100 >/dev/null
	before=$(outside)

	as_user bash -s >"$NET_WORK/results" 2>&1 <<-END
	while read -r command; do
		why=\$(\$command 2>&1 >/dev/null) && why=
		echo "\$command|\$why"
	done <<<"$OPERATIONS"
	END
	while IFS='|' read -r command result; do
		is "$command" "$result" ""
	done <"$NET_WORK/results"
	is "operations of the user: all were tried" "$(wc -l <"$NET_WORK/results")" \
		"$(wc -l <<<"$OPERATIONS")"
	is "operations of the user: nothing has changed outside" "$(outside)" "$before"
	if as_user tc qdisc add dev out0 root ramp 2>/dev/null; then
		fail "no device outside can be named"
	else
		pass "no device outside can be named"
	fi
	ip -n "$src" link del dummy1
}

# Most hold all that a surge brings, for longer than this takes, which is many ticks;
# some limit all the time. It is the queue that is watched: arrivals fall again after
# each round, and would turn the ramps. And as many qdiscs that anybody has had for
# long, which let nothing pass either.
make_many()
{
	local i

	for ((i = 1; i <= DEVICES; i++)); do
		echo "link add dummy$i type dummy"
		echo "link set dummy$i up"
	done >"$NET_WORK/devices"
	for ((i = 1; i <= DEVICES; i++)); do
		if [ $((i % 10)) = 0 ]; then
			echo "qdisc add dev dummy$i root ramp limit $LIMIT" \
				"tick 50us rate 1mbit detect always" \
				"start 160kbit step 160kbit"
		else
			echo "qdisc add dev dummy$i root ramp limit $LIMIT" \
				"tick 50us rate 1gbit detect queue" \
				"queue +1 window 10s pause 10s" \
				"start 160kbit step 160kbit"
		fi
	done >"$NET_WORK/ramp"
	for ((i = 1; i <= DEVICES; i++)); do
		echo "qdisc add dev dummy$i root tbf rate 800bit burst $FRAME" \
			"limit $((LIMIT * FRAME))"
	done >"$NET_WORK/tbf"
}

# As the user: prints "qdiscs N", "filled", "waiting N most N", and a JSON object.
# shellcheck disable=SC2016 # expands inside
FILL='
	cd "$1" || exit
	sysctl -wq net.ipv6.conf.default.disable_ipv6=1
	ip -batch devices && tc -batch "$3" 2>/dev/null
	echo "qdiscs $(tc qdisc show | grep -c " $3 ")"
	python3 fill.py fill "$2" 3 | while read -r line; do
		echo "$line"
		[ "$line" != filled ] || tc -s qdisc show | awk "
			/backlog/ {
				n = \$3 + 0; sum += n
				if (n > most) most = n
			}
			END { print \"waiting\", sum + 0, \"most\", most + 0 }"
	done
'

# shellcheck disable=SC2317 # called by wait_until
filled()
{
	grep -q filled "$NET_WORK/filled"
}

# bounded NAME BUSY IDLE - milliseconds, of a machine that may be slow in itself
bounded()
{
	timed within "$1" "$2" 0 $((10 * $3 + 500))
}

available()
{
	awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo
}

# Nothing is given back any more.
# shellcheck disable=SC2317 # called by wait_until
at_rest()
{
	local before

	before=$(available)
	sleep 2
	[ "$(available)" -le $((before + 1)) ]
}

# crowd QDISC - many of them, full; sets IDLE, BUSY, what was FELT by others, the MB
# they TOOK, and how many packets are WAITING, and at MOST in one.
crowd()
{
	local user before

	before=$(available)
	IDLE=$(python3 "$HERE/func_userns.py" feel 1)
	as_user bash -c "$FILL" fill "$NET_WORK" $DEVICES "$1" >"$NET_WORK/filled" &
	user=$!
	wait_until 120 filled || note "no queue was filled"
	BUSY=$(python3 "$HERE/func_userns.py" feel 2)
	wait $user
	note "$1: idle $IDLE, busy $BUSY, before $before MB," \
		"$(paste -sd' ' "$NET_WORK/filled")"
	TOOK=$((before - $(jq .available <<<"$BUSY")))
	read -r WAITING MOST < <(sed -n 's/^waiting \(.*\) most /\1 /p' \
		"$NET_WORK/filled")
}

# shellcheck disable=SC2317 # called by wait_until
all_gone()
{
	[ "$(cat /sys/module/sch_ramp/refcnt)" = "$1" ]
}

many()
{
	local refs most=$((DEVICES * (4 * LIMIT + 80) / 1024))

	[[ ${RAMP_KERNEL-} != uml-time* ]] || {
		skip "busy ramps" "work that takes time"
		return
	}
	make_many
	cp "$HERE/func_userns.py" "$NET_WORK/fill.py"
	chmod -R a+rX "$NET_WORK"
	refs=$(cat /sys/module/sch_ramp/refcnt)
	# Checkers add their part to all that is allocated.
	[ "$SLOWER" -lt 5 ] || {
		crowd tbf
		most=$((TOOK * 5 / 4))
		wait_until 12 at_rest || note "tbf is not gone yet"
	}
	crowd ramp
	is "busy ramps: all are there" \
		"$(sed -n 's/^qdiscs //p' "$NET_WORK/filled")" $DEVICES
	timed within "busy ramps: most of their queues are full" "$WAITING" \
		$((DEVICES * LIMIT / 2)) $((DEVICES * LIMIT))
	is "busy ramps: none holds more than its limit" "$MOST" $LIMIT
	bounded "busy ramps: ms that a timer of others is late by" "$(jq .late <<<"$BUSY")" \
		"$(jq .late <<<"$IDLE")"
	bounded "busy ramps: ms that a command of others takes" "$(jq .slow <<<"$BUSY")" \
		"$(jq .slow <<<"$IDLE")"
	# 4 KB for a frame, 80 KB for a device; or what tbf takes, and a quarter.
	within "busy ramps: memory that is not there any more, MB" "$TOOK" 0 $most
	wait_until 60 all_gone "$refs"
	is "busy ramps: all of them go with the namespace" \
		"$(cat /sys/module/sch_ramp/refcnt)" "$refs"
}

net_init ramp-send setpriv unshare
as_user true 2>/dev/null || missing "unprivileged user namespaces"
pair 1500
operations
many
ktap_end
