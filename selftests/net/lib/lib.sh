# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the network tests share: two namespaces with a veth pair between them
# (out0 with the ramp under test, in0 with a receiver), counters, a capture, the
# surge tracepoint, and results as KTAP. On top of the kernel's own net/lib.sh.
#
#	. "$(dirname "$0")/lib/lib.sh"
#	net_init ramp-send tcpdump
#	...
#	ktap_end
#
# Works in virtual time: nothing here polls without sleeping.

NET_LIB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
NET_KSELFTEST=${RAMP_KSELFTEST:-/usr/lib/kselftests}/net/lib.sh

# shellcheck source=selftests/lib/ktap.sh
. "$NET_LIB/../../lib/ktap.sh"

# setup_ns() wants them to exist.
src="" dst=""

# With all its checks a kernel sends some thousand frames per second, and so does one of
# another architecture, or any that is emulated by a busy host. What is to be more than
# something takes has to be that many times slower there. Only virtual time is exact.
# shellcheck disable=SC2034 # the tests use it
case ${RAMP_KERNEL-} in
uml-time*) SLOWER=1 ;;
*-debug | x86-rt | *-s390x | 6.1-i386) SLOWER=5 ;;
*) SLOWER=4 ;;
esac

# ---- set-up

# net_init COMMAND... - skips the test where something is missing, and sees to
# it that nothing is left behind.
net_init()
{
	local tool

	echo "KTAP version 1"
	[ "$(id -u)" = 0 ] || missing "root"
	for tool in ip tc jq python3 "$@"; do
		[ -n "$(command -v "$tool")" ] || missing "$tool"
	done
	[ -r "$NET_KSELFTEST" ] || missing "the kernel's net/lib.sh"
	# shellcheck source=/dev/null
	. "$NET_KSELFTEST"
	modprobe -q sch_ramp || missing "module sch_ramp"
	NET_WORK=$(mktemp -d)
	# Pipes: one that nobody writes to, and those of answer(), which may be asked
	# from subshells: TURN holds a line while it is nobody's turn.
	exec {SILENCE}<> <(:) {QUESTIONS}<> <(:) {ANSWERS}<> <(:) {TURN}<> <(:)
	echo >&"$TURN"
	trap net_cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# shellcheck disable=SC2317 # called by the trap
net_cleanup()
{
	trace_stop
	cleanup_all_ns
	if [ -n "${RAMP_NET_KEEP-}" ]; then
		cp -r "$NET_WORK" /out/
	fi
	rm -rf "$NET_WORK"
}

# only_virtual_time - for tests of which every number depends on exact timers.
only_virtual_time()
{
	grep -q time-travel= /proc/cmdline || skip_all "virtual time (uml-time)"
}

# pair MTU - makes $src with out0 and $dst with in0, anew.
pair()
{
	local ns file

	setup_ns src dst || missing "network namespaces"
	# shellcheck disable=SC2154 # setup_ns sets them
	for ns in "$src" "$dst"; do
		# Neighbour discovery would be frames that nobody ordered.
		for file in all default; do
			ip netns exec "$ns" sysctl -wq \
				"net.ipv6.conf.$file.disable_ipv6=1" 2>/dev/null
		done
	done
	# What a tick lets pass arrives at once.
	sysctl -wq net.core.netdev_max_backlog=1000000
	ip link add name out0 netns "$src" type veth peer name in0 netns "$dst"
	ip -n "$src" link set out0 mtu "$1" up
	ip -n "$dst" link set in0 mtu "$1" up
}

# What detects, unless a test names something else: a rise of the arrivals from
# nearly idle to nearly full. The default only limits, and detects nothing.
ON_SURGE=(detect ingress ingress 10%:80% window 10ms)

# plain PARAMETER... - a new root ramp on out0 with all the defaults.
plain()
{
	tc -n "$src" qdisc replace dev out0 root handle 1: pfifo
	tc -n "$src" qdisc replace dev out0 root handle 2: ramp "$@"
}

# ramp PARAMETER... - a new root ramp on out0 that waits for surges.
ramp()
{
	plain "${ON_SURGE[@]}" "$@"
}

# ramp_below RATE BURST PARAMETER... - the same below a tbf on out0. The first
# packet of BURST bytes goes at once.
ramp_below()
{
	local rate=$1 burst=$2
	shift 2

	tc -n "$src" qdisc replace dev out0 root handle 1: pfifo
	tc -n "$src" qdisc replace dev out0 root handle 3: \
		tbf rate "$rate" burst "$burst" limit 100000000
	tc -n "$src" qdisc replace dev out0 parent 3:1 handle 2: ramp \
		"${ON_SURGE[@]}" "$@"
}

# What a change has to say, besides `detect off`, for all that a gate of a byte per
# second has held back to leave at once: it leaves by the steps that are in force.
# shellcheck disable=SC2034 # the tests use it
OPEN=(tick 50us rate 10gbit start 10gbit step 10gbit down-step 10gbit floor 10gbit)

# counter KEY - of the ramp on out0: drops, surges_up, ... or a jq expression.
counter()
{
	tc -n "$src" -j -s qdisc show dev out0 |
		jq -r ".[] | select(.kind == \"ramp\") | .$1"
}

# counters KEY... - the values of one moment, in one line.
counters()
{
	local list

	list=$(printf ', .%s' "$@")
	tc -n "$src" -j -s qdisc show dev out0 |
		jq -r ".[] | select(.kind == \"ramp\") | [${list#,}] | join(\" \")"
}

# counter_is KEY VALUE - for wait_until.
counter_is()
{
	[ "$(counter "$1")" = "$2" ]
}

# class_counters KEY - of all classes of the ramp on out0 (enqueued, dequeued,
# dropped, queued or split_extra), in one line.
class_counters()
{
	tc -n "$src" -s class show dev out0 | awk -v key="$1" '
		/^class/ { ramp = $2 == "ramp" }
		ramp { for (i = 1; i < NF; i++) if ($i == key) print $(i + 1) }' |
		paste -sd' '
}

# stats FILTER - a jq filter over what lib/sample.py shows of out0: .qdiscs by
# handle, .classes of ramps by class.
stats()
{
	answer_in "$src" sample show out0 | jq -r "$1"
}

# watch LEAST COMMAND [ARG...] - reads the counters of all ramps on out0 at random
# moments, while COMMAND 0, COMMAND 1, ... put load on them: until each ramp has
# been seen LEAST times with packets waiting, and having moved some. How many that
# takes is a matter of the machine; at least 2, and none begins after five minutes.
watch()
{
	local least=$1 pid round end=$((SECONDS + 300))
	shift

	rm -f "$NET_WORK"/{enough,seen}
	ip netns exec "$src" python3 "$NET_LIB/sample.py" watch out0 \
		"$NET_WORK" "$least" >"$NET_WORK/watched" &
	pid=$!
	for ((round = 0; SECONDS < end; round++)); do
		"$@" $round
		[ $round = 0 ] || [ ! -e "$NET_WORK/seen" ] || break
	done
	touch "$NET_WORK/enough"
	wait $pid || note "the sampler failed"
}

# watched NAME - did all that watch() read agree?
watched()
{
	if [ -e "$NET_WORK/seen" ]; then
		satisfies "$1: the counters agree in all samples" \
			"$(cat "$NET_WORK/watched")" '.bad == 0'
	else
		fail "$1: the counters agree in all samples" \
			"too few samples: $(cat "$NET_WORK/watched")"
	fi
}

# wait_until SECONDS COMMAND [ARG...] - the kernel's busywait() would not let virtual
# time pass, and its slowwait() starts three processes each time, which is most of what
# a test costs.
wait_until()
{
	local end=$((${EPOCHREALTIME/./} + $1 * SLOWER * 1000000)) _

	shift
	until "$@" >/dev/null; do
		[ "${EPOCHREALTIME/./}" -le $end ] || return
		read -r -t 0.1 -u "$SILENCE" _
	done
	return 0
}

# answer MODULE ARG... - what lib/MODULE.py prints, and its status, from a process that
# begins with the first question (lib/resident.py).
answer()
{
	answer_in '' "$@"
}

# answer_in NETNS MODULE ARG... - the same in a network namespace.
answer_in()
{
	local IFS=$'\x1f' status lines _

	read -r -u "$TURN" _
	# Neither $! nor wait may know of it. It ends when nobody can write to it any more.
	[ -e "$NET_WORK/answered" ] ||
		(python3 "$NET_LIB/resident.py" "$NET_WORK/answered" \
			<"/dev/fd/$QUESTIONS" >&"$ANSWERS" {QUESTIONS}>&- &)
	printf '%s\n' "$*" >&"$QUESTIONS"
	read -r -t 300 -u "$ANSWERS" status || status=125
	mapfile lines <"$NET_WORK/answered"
	echo >&"$TURN"
	printf '%s' "${lines[@]}"
	return "$status"
}

# ---- traffic

# send PROFILE [OPTION...] - prints what ramp-send does.
send()
{
	local profile=$1
	shift

	ip netns exec "$src" ramp-send -i out0 "$@" "$profile"
}

# one_receiver - a veth's packets wait on the CPU that sent them, and two CPUs may
# have some: only one is to receive, or their order is lost. Fails where that is
# not to be had.
one_receiver()
{
	local file=/sys/class/net/in0/queues/rx-0/rps_cpus

	[ "$(nproc)" -gt 1 ] || return 0
	# shellcheck disable=SC2154 # setup_ns sets it
	ip netns exec "$dst" sh -c "echo 1 >$file" 2>/dev/null
}

# send_each "PROFILE [OPTION...]"... - that many senders, which begin together, to
# a millisecond.
send_each()
{
	local words pids=()

	for words in "$@"; do
		# shellcheck disable=SC2086 # several words
		send $words -w 5 >/dev/null &
		pids+=($!)
	done
	wait "${pids[@]}"
}

# each_sends SEND "N PROFILE [OPTION...]"... - SEND of each, which begin together. What
# stream N sent is in $NET_WORK/sentN.
each_sends()
{
	local send=$1 words pids=()
	shift

	for words in "$@"; do
		# shellcheck disable=SC2086 # several words
		"$send" $words -w 5 >"$NET_WORK/sent${words%% *}" &
		pids+=($!)
	done
	wait "${pids[@]}"
}

# drained - waits (at most a minute) until nothing waits any more in out0's qdiscs.
drained()
{
	wait_until 60 nothing_waits "$src" out0
}

# nothing_waits NETNS DEV... - for wait_until. Each poll is one process, and no JSON: tc
# shows some qdiscs in one of their own.
nothing_waits()
{
	local dev shown

	for dev in "${@:2}"; do
		shown=$(tc -n "$1" -s qdisc show dev "$dev") || return
		[[ -n $shown && ! $shown =~ backlog\ [^\ ]+\ [1-9][0-9]*p ]] || return
	done
}

# ---- capture, to $NET_WORK/pcap

# tcpdump_start NS DEV FILE ARG... - TCPDUMP is the process, which listens from now on.
tcpdump_start()
{
	rm -f "$3" "$NET_WORK/tcpdump"
	ip netns exec "$1" tcpdump -i "$2" -w "$3" -B 65536 -U -Z root \
		--time-stamp-precision=nano "${@:4}" 2>"$NET_WORK/tcpdump" &
	TCPDUMP=$!
	wait_until 20 grep -q 'listening on' "$NET_WORK/tcpdump" || {
		cat "$NET_WORK/tcpdump" >&2
		exit 1
	}
}

# tcpdump_stop [SECONDS] - it looks every second.
tcpdump_stop()
{
	sleep "${1:-1}"
	kill -INT "$TCPDUMP"
	wait "$TCPDUMP"
}

capture_start()
{
	CAPTURE_BEFORE=$(capture_arrived)
	tcpdump_start "$dst" in0 "$NET_WORK/pcap" -s 64 ether proto 0x88b6
}

# Frames that arrived at in0, whether captured or not.
capture_arrived()
{
	ip -n "$dst" -j -s link show in0 | jq '.[].stats64.rx.packets'
}

# shellcheck disable=SC2317 # called by wait_until
capture_complete()
{
	[ "$(capture count)" -ge $(($(capture_arrived) - CAPTURE_BEFORE)) ]
}

# capture_stop - to be called when nothing waits in the qdisc any more; all that
# arrived is in the file then. tcpdump itself would wait up to a second.
capture_stop()
{
	wait_until 60 capture_complete || note "the capture is not complete"
	tcpdump_stop 0
}

# capture COMMAND [ARG...] - asks lib/capture.py about the last capture.
capture()
{
	local command=$1
	shift

	answer capture "$command" "$NET_WORK/pcap" "$@"
}

# all_there NAME - of what send() said in $NET_WORK/sent nothing was lost on the way,
# and nothing overtook.
all_there()
{
	local sent

	sent=$(jq .sent "$NET_WORK/sent")
	is "$1: all arrive once and in order" "$(capture check "$sent")" \
		"received $sent lost 0 doubled 0 reordered 0"
}

# rises NAME RATE SPAN SIZE FILE... - at RATE Mbit/s no SPAN ns of what these captures have
# together is more above the SPAN ns before them than frames of SIZE bytes allow.
rises()
{
	local name=$1 rate=${2}000000 span=$3 size=$4 seen when
	shift 4

	read -r seen when < <(answer smooth judge "$rate" "$span" "$@")
	note "$name: the greatest rise is after $when ns"
	holds "$name: percent of the rate that it rises by" "$seen" "<=" \
		"$(answer smooth bound "$rate" "$span" "$size")"
}

model()
{
	answer model "$@"
}

# ---- tracepoint, to $NET_WORK/trace

TRACE=/sys/kernel/tracing TRACE_EVENTS=ramp_surge

# trace_start - records TRACE_EVENTS, with the clock that captures have.
trace_start()
{
	local event

	[ -d $TRACE/events/ramp/ramp_surge ] || missing "tracing"
	echo 0 >$TRACE/tracing_on
	echo tai >$TRACE/trace_clock
	echo >$TRACE/trace
	for event in $TRACE_EVENTS; do
		echo 1 >"$TRACE/events/ramp/$event/enable"
	done
	echo 1 >$TRACE/tracing_on
}

trace_stop()
{
	[ -e $TRACE/events/ramp/enable ] || return 0
	echo 0 >$TRACE/events/ramp/enable
	cat $TRACE/trace >"$NET_WORK/trace"
}

# names_of_trace NAME EVENT - all of them name out0 and the ramp there.
names_of_trace()
{
	is "$1: the tracepoint $2 names the device and the qdisc" "$(sed -nE \
		"s/.* $2: ifindex=([0-9]+) handle=([0-9a-f]+): .*/\1 \2/p" \
		"$NET_WORK/trace" | sort -u)" \
		"$(ip -n "$src" -j link show out0 | jq '.[].ifindex') 2"
}

# ticks_seen - lines with time, direction, index, allowance, paid, used and over,
# if TRACE_EVENTS had ramp_tick.
ticks_seen()
{
	answer capture ticks "$NET_WORK/trace"
}

# surges [ACT,...] - lines with time, direction, source, act, took and queue.
surges()
{
	answer capture surges "$NET_WORK/trace" ${1:+--act "$1"}
}

# surge_time N [ACT,...] - when the Nth (from 1) surge was, ns.
surge_time()
{
	surges "${2-}" | sed -n "${1}s/ .*//p"
}
