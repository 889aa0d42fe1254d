#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP through a router, with a ramp on the router's egress that has nothing to
# do, and without.
#
#	client c0 ---- r0 router r1 ---- s0 server
#
# "Without" is what such a device has by default, no queue at all, and also pfifo:
# the difference of ramp to the former is the price of having a qdisc, to the
# latter that of this one. The plain line at 10 Gbit/s segments what comes as GSO packets of
# up to 64 kbyte, which is another price; no-split-gso does not pay it.
#
# At native speed (selftests/vm/run -k uml) all of it runs on one CPU, so that the
# scheduler does not decide who wins, but a run still spreads by a tenth and more
# when others use the machine. The limit is broken when the median is below it, and
# not by chance: the bounds within which the true one lies (95 %) are, too. Where
# instructions are the clock (--icount, 7.2) runs agree within a percent, and the
# median alone counts.

# shellcheck source=selftests/cost/lib.sh
. "$(dirname "$0")/lib.sh"

LEAST=0.98
PLAIN=0.38	# of none, at least: TCP in GSO packets that are segmented
COST_DEV=r1
COST_TC=(tc -n cost-r)

declare -A RATIO MOST

# shellcheck disable=SC2317 # called by the trap
tcp_cleanup()
{
	local ns

	[ -z "${SERVER-}" ] || kill "$SERVER" 2>/dev/null
	for ns in cost-c cost-r cost-s; do
		ip netns del "$ns" 2>/dev/null
	done
}

# link NS DEV ADDRESS NS DEV ADDRESS
link()
{
	ip link add "$2" netns "$1" type veth peer name "$5" netns "$4" || return
	ip -n "$1" addr add "$3/24" dev "$2"
	ip -n "$4" addr add "$6/24" dev "$5"
	ip -n "$1" link set "$2" up
	ip -n "$4" link set "$5" up
}

tcp_setup()
{
	local ns

	for ns in cost-c cost-r cost-s; do
		ip netns add "$ns" || return
		ip -n "$ns" link set lo up
	done
	link cost-c c0 192.0.2.2 cost-r r0 192.0.2.1 || return
	link cost-r r1 198.51.100.1 cost-s s0 198.51.100.2 || return
	ip -n cost-c route add default via 192.0.2.1
	ip -n cost-s route add default via 198.51.100.1
	ip netns exec cost-r sysctl -wq net.ipv4.ip_forward=1
	ip netns exec cost-s iperf3 -s >/dev/null 2>&1 &
	SERVER=$!
	for ns in {1..50}; do
		! ip netns exec cost-c iperf3 -c 198.51.100.2 -n 1M >/dev/null 2>&1 ||
			return 0
		sleep 0.1
	done
	return 1
}

# measured NAME QDISC... - bit/s.
# shellcheck disable=SC2317 # called by compete
measured()
{
	local seen

	qdisc "${@:2}" || return
	ip netns exec cost-c iperf3 -J "${AMOUNT[@]}" -c 198.51.100.2 |
		jq -e .end.sum_received.bits_per_second || return
	[ "$1" = ramp ] || return 0
	seen=$(counter '[.ramps, .drops, (.packets > 100)] | join(" ")')
	[ "$seen" = "0 0 true" ] || {
		echo "disturbed: $seen"
		return 1
	}
}

case ${RAMP_KERNEL-},${RAMP_MACHINE-} in
uml,*) exact='' ROUNDS=${RAMP_COST_ROUNDS:-21} AMOUNT=(-t 1 -A '0,0') ;;
*,initramfs) exact=1 ROUNDS=${RAMP_COST_ROUNDS:-7} AMOUNT=(-n 24M) ;;
*) skip_all "native speed (uml), or a clock that counts instructions" ;;
esac
cost_tools jq iperf3
modprobe -q sch_fiforef || missing "module sch_fiforef"
trap tcp_cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
tcp_setup || missing "iperf3 through namespaces"

contestant ramp ramp rate 40gbit detect both
contestant plain ramp rate 10gbit
contestant whole ramp rate 10gbit no-split-gso
contestant none none
contestant pfifo pfifo

# Not counted: routes and neighbours are found.
measured fiforef fiforef >/dev/null || missing "iperf3 through namespaces"
compete "$ROUNDS" measured
pass "no ramp ran, and nothing was dropped"

result_begin "cost-tcp-$RAMP_KERNEL"
note "TCP through a router, medians of $ROUNDS runs (iperf3 ${AMOUNT[*]})"
note "$(printf '%-10s %10s   %s' qdisc Mbit/s 'ramp to it: median, its bounds (95 %)')"
for name in "${NAMES[@]}"; do
	mapfile -t all < <(ratios ramp "$name")
	RATIO[$name]=$(median "${all[@]}")
	read -r low high < <(bounds "${all[@]}")
	MOST[$name]=$high
	# shellcheck disable=SC2086 # numbers
	bits=$(median ${RUNS[$name]})
	note "$(printf '%-10s %10.0f   %.3f  %.3f .. %.3f' "$name" \
		"$(calc "$bits / 1e6")" "${RATIO[$name]}" "$low" "$high")"
	result --arg name "$name" --argjson bits "$bits" --argjson low "$low" \
		--argjson high "$high" --argjson ratio "${RATIO[$name]}"
done

# Work counts here, not the rate, to which what is slower than that is not limited.
if [ -n "$exact" ]; then
	for name in plain whole; do
		mapfile -t all < <(ratios $name none)
		RATIO[$name]=$(median "${all[@]}")
	done
	holds "the plain line to none" "${RATIO[plain]}" ">=" $PLAIN
	holds "the plain line with no-split-gso to none" "${RATIO[whole]}" ">=" 0.9
fi
for name in none pfifo; do
	if [ -n "$exact" ]; then
		holds "ramp to $name" "${RATIO[$name]}" ">=" $LEAST
	else
		holds "ramp to $name, upper bound of the median" \
			"${MOST[$name]}" ">=" $LEAST
	fi
done
ktap_end
