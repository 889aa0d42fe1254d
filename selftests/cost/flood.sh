#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What it costs a port to be flooded with codes: frames that are all that they should be,
# each of another sender, whose codes hold for a millisecond, so that places get free as
# often as can be. One instruction is one virtual nanosecond (selftests/vm/run --icount).
#
# What counts is the way from the sender's end of the wire on: all that a frame takes, less
# what one takes that goes no further than that. Beside it stands what the frames cost that
# tc drops as they come in, and those that nobody wants.

# shellcheck source=selftests/cost/lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=${RAMP_COST_ROUNDS:-5}
COUNT=8000
LIMIT=1.10	# of dropping the frames in tc
REPEAT=1	# percent, the median of the rounds above the best one

# Of the wire; the generator sends at the first one.
COST_DEV=wire0
PORT=wire1
GROUP=01:80:c2:00:00:0e

declare -A COST

# What pktgen sends becomes a code of 50 % for band 0 (linux/ramp_code.h).
CODE="munge offset -2 u16 set 0x88b5 munge offset 0 u32 set 0x01010001
	munge offset 4 u32 set 7 munge offset 8 u32 set 3 munge offset 12 u32 set 0xffffffff
	munge offset 16 u32 set 1 munge offset 20 u32 set 0x00001388"

# shellcheck disable=SC2317 # called by compete
# sender ACTION... - what becomes of frames at the begin of the wire
sender()
{
	tc qdisc del dev "$COST_DEV" clsact 2>/dev/null
	tc qdisc add dev "$COST_DEV" clsact || return
	# shellcheck disable=SC2086 # a list
	tc filter add dev "$COST_DEV" egress matchall action pedit $CODE pipe "$@"
}

# shellcheck disable=SC2317 # called by compete
# heard - frames that the ramp has had
heard()
{
	tc -j -s qdisc show dev "$PORT" root | jq '.[0] | .codes_received + .codes_stale +
		.codes_malformed + .codes_ignored'
}

# measured NAME WORD... - what the port does: nothing, drop, or what tc takes for a ramp.
# shellcheck disable=SC2317 # called by compete
measured()
{
	local name=$1 seen
	shift

	tc qdisc del dev "$PORT" clsact 2>/dev/null
	tc qdisc del dev "$PORT" root 2>/dev/null
	sender action pass || return
	case $1 in
	stay) sender action trap || return ;;
	nothing) ;;
	drop)
		tc qdisc add dev "$PORT" clsact &&
			tc filter add dev "$PORT" ingress protocol 0x88b5 matchall \
				action drop || return
		;;
	*)
		tc qdisc add dev "$PORT" root "$@" || return
		;;
	esac
	# What there was before is freed meanwhile.
	sleep 0.2
	pktgen_run "$COUNT" || return
	[ "$1" = ramp ] || return 0
	seen=$(heard)
	[ "$seen" = "$COUNT" ] || {
		echo "heard: $seen"
		return 1
	}
}

# shellcheck disable=SC2317 # called by the trap
flood_cleanup()
{
	pktgen_setup 0
	ip link del "$COST_DEV"
}

[ "${RAMP_MACHINE-}" = initramfs ] ||
	skip_all "a clock that counts instructions (--icount)"
cost_tools jq
cost_modules pktgen act_pedit act_gact cls_matchall sch_ingress
ip link add "$COST_DEV" type veth peer name "$PORT" || missing "veth"
cost_at_end flood_cleanup
ip link set "$PORT" up
ip link set "$COST_DEV" up
sysctl -wq net.core.netdev_max_backlog=1000000
pktgen_setup 1
pktgen "${PKTGEN_DEVS[0]}" "dst_mac $GROUP"
pktgen "${PKTGEN_DEVS[0]}" "src_mac 02:00:00:00:00:01"
pktgen "${PKTGEN_DEVS[0]}" "src_mac_count 1000000"
pktgen "${PKTGEN_DEVS[0]}" "flag MACSRC_RND"

contestant stay stay
contestant drop drop
contestant nothing nothing
contestant obey ramp rate 1gbit detect off obey
contestant obey-from ramp rate 1gbit detect off obey from 06:00:00:00:00:01
sixteen=$(printf ',06:00:00:00:00:%02x' {0..15})
contestant obey-from-16 ramp rate 1gbit detect off obey from "${sixteen#,}"

warm_up 1 measured
compete "$ROUNDS" measured

worst=0
result_begin "cost-flood-$RAMP_KERNEL"
for name in "${NAMES[@]}"; do
	# shellcheck disable=SC2086 # numbers
	COST[$name]=$(median ${RUNS[$name]}) excess=$(excess ${RUNS[$name]})
	part=$(calc "100 * $excess / ${COST[$name]}")
	worst=$(calc "($part > $worst) ? $part : $worst")
done
note "instructions per frame from the wire on, medians of $ROUNDS"
for name in drop nothing obey obey-from obey-from-16; do
	own=$(calc "${COST[$name]} - ${COST[stay]}" %.1f)
	note "$(printf '%-14s %9.1f %9.2f' "$name" "$own" \
		"$(calc "$own / (${COST[drop]} - ${COST[stay]})")")"
	result --arg name "$name" --argjson instructions "$own"
done
holds "the rounds of a contestant agree, percent" "$worst" "<=" $REPEAT
for name in obey obey-from obey-from-16; do
	holds "a flood of codes, $name: of what dropping it in tc costs" \
		"$(calc "(${COST[$name]} - ${COST[stay]}) / (${COST[drop]} - ${COST[stay]})")" \
		"<=" $LIMIT
done
ktap_end
