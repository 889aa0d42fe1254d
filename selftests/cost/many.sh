#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What others wait for while many ramps go at once, which all do under RTNL: the qdiscs
# of a device with many tx queues, in instructions for each of them (--icount), beside
# tbf; and a device that many ramps name. How many there are must not matter to each of
# them, however they are configured.

# shellcheck source=selftests/cost/lib.sh
. "$(dirname "$0")/lib.sh"

SCALE=$(cd "$(dirname "$0")/../net" && pwd)/func_scale.py
ROUNDS=2
FEW=64 MANY=256
NAMES_MORE=8	# times as many name a device: what one of them costs is little beside its end
GROWTH=1.2	# of what each costs
END=1.1		# of what a tbf costs, which is two qdiscs
NAME=1		# likewise
SENDS="ramp detect off rate 10gbit limit 1000 ladder 10%:50%"

declare -A FEW_COST

# shellcheck disable=SC2317 # called by the trap
many_cleanup()
{
	ip link del many0 2>/dev/null
	ip link del named0 2>/dev/null
}

# measured NAME QDISC... - with so many of them
# shellcheck disable=SC2317 # called by compete
measured()
{
	local ns what=(qdisc many0) count=$COUNT

	if [ "$1" = named ]; then
		what=(delete named0)
		count=$((COUNT * NAMES_MORE))
	fi
	ip link add named0 type dummy || return
	ip link add many0 numtxqueues "$count" type dummy || return
	ip link set many0 up
	tc qdisc replace dev many0 root handle 1: mq || return
	seq "$count" | awk -v qdisc="${*:2}" \
		'{ printf "qdisc replace dev many0 parent 1:%x %s\n", $1, qdisc }' |
		tc -batch - 2>&1 || return
	# What is freed later is not to be counted, nor what was made before.
	sleep 0.2
	ns=$(PYTHONPATH=${SCALE%/*}/lib python3 "$SCALE" "${what[@]}") || return
	many_cleanup
	sleep 0.2
	calc "$ns / $count" %.0f
}

# each COUNT - sets COST, for each of so many
each()
{
	local name

	COUNT=$1
	RUNS=()
	compete $ROUNDS measured
	for name in "${NAMES[@]}"; do
		# shellcheck disable=SC2086 # numbers
		COST[$name]=$(least ${RUNS[$name]})
	done
}

[ "${RAMP_MACHINE-}" = initramfs ] ||
	skip_all "a clock that counts instructions (--icount)"
cost_tools python3
cost_modules dummy sch_tbf
cost_at_end many_cleanup

declare -A COST
contestant tbf tbf rate 1gbit burst 10000 limit 100000
contestant ramp ramp rate 1gbit
contestant off ramp detect off rate 1gbit
contestant both ramp detect both rate 1gbit
contestant bands ramp detect off rate 1gbit bands 16
contestant ladder "$SENDS" feedback named0
contestant named "$SENDS" feedback named0
contestant gears ramp detect off gears 1gbit,5gbit,10gbit gear-ports named0 \
	gear-follow links
contestant obey ramp detect off rate 10gbit obey
contestant rail ramp detect off rate 1gbit rail 1

# more NAME - for each one more; what there is of it once does not count
more()
{
	calc "(${COST[$1]} * $MANY - ${FEW_COST[$1]} * $FEW) / ($MANY - $FEW)" %.0f
}

each $FEW
for name in "${NAMES[@]}"; do
	FEW_COST[$name]=${COST[$name]}
done
each $MANY
note "instructions for each qdisc that goes, or that names a device that goes (named," \
	"$NAMES_MORE times as many)"
for name in "${NAMES[@]}"; do
	note "$(printf '%-8s of %d %6d, of %d %6d, of one more %6d' "$name" \
		$FEW "${FEW_COST[$name]}" $MANY "${COST[$name]}" "$(more "$name")")"
done
for name in ramp off; do
	holds "the end of a ramp ($name), to that of a tbf" \
		"$(calc "${COST[$name]} / ${COST[tbf]}")" "<=" $END
done
holds "the end of a device, for each ramp that names it, to that of a tbf" \
	"$(calc "$(more named) / $(more tbf)")" "<=" $NAME
for name in "${NAMES[@]}"; do
	# A device is most of its own end.
	[ "$name" != named ] || continue
	holds "$name: each of $MANY, to each of $FEW" \
		"$(calc "${COST[$name]} / ${FEW_COST[$name]}")" "<=" $GROWTH
done
ktap_end
