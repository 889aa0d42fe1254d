#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The clock of CPUs follows the gear: the maximum of their policies, which a test
# driver provides; until the qdisc goes, the CPU, the driver or the module. And who
# may not have it.

# shellcheck source=selftests/net/lib/gear_flood.sh
. "$(dirname "$0")/lib/gear_flood.sh"

CPU=/sys/devices/system/cpu
FULL=(3000000 2000000)		# kHz, what ramp_cpufreq says of CPU 0 and 1

# shellcheck disable=SC2317 # called by the trap
clock_cleanup()
{
	echo 1 >"$CPU/cpu1/online"
	flood_cleanup
	rmmod ramp_cpufreq 2>/dev/null
}

# clocks - the maxima of both
clocks()
{
	local n list=()

	for n in 0 1; do
		list+=("$(cat "$CPU/cpu$n/cpufreq/scaling_max_freq" 2>/dev/null ||
			echo none)")
	done
	echo "${list[*]}"
}

# shellcheck disable=SC2317 # called by wait_until
clocks_are()
{
	[ "$(clocks)" = "$1" ]
}

# clocks_become NAME CPU0 CPU1 - a work item does it.
clocks_become()
{
	wait_until 10 clocks_are "$2 $3"
	is "$1" "$(clocks)" "$2 $3"
}

# clocks_stay NAME CPU0 CPU1 - and no work item does it.
clocks_stay()
{
	sleep 0.3
	is "$1" "$(clocks)" "$2 $3"
}

# refused NAME REGEX COMMAND...
refused()
{
	local name=$1 regex=$2 said
	shift 2

	if said=$("$@" 2>&1); then
		fail "$name" "it was accepted"
	else
		matches "$name" "$said" "$regex"
	fi
}

# cpu_named N - how a refusal names it: 6.1 has no messages with numbers.
cpu_named()
{
	if [ "${RAMP_KERNEL-}" = 6.1 ]; then
		echo "one of these CPUs"
	else
		echo "CPU $1"
	fi
}

# clocked PARAMETER... - gears of 10, 20, 40, 80 mbit, and 5 for nobody
clocked()
{
	geared idle 60s dwell 0 gear-range 4:4 clock cpufreq cpus 0,1 "$@"
}

# A maximum that is the gear's part of the top one's rate, or what was named.
follows()
{
	clocked
	clocks_become "gears: the top one has the whole clock" "${FULL[@]}"
	shift_gear gear-range 3:3
	clocks_become "gears: half of the rate" 1500000 1000000
	shift_gear gear-range 2:2
	clocks_become "gears: a quarter of the rate" 750000 500000
	shift_gear gear-range 1:1
	clocks_become "gears: an eighth of the rate" 375000 250000
	shift_gear gear-range 4:4
	clocks_become "gears: the top one again" "${FULL[@]}"

	shift_gear gear-range 2:2 clock cpufreq:10%,20%,35.5%,60%,90%
	clocks_become "percentages: 35.5 %" 1065000 710000
	shift_gear gear-range 4:4
	clocks_become "percentages: 90 %" 2700000 1800000
	shift_gear idle 50ms
	clocks_become "percentages: the idle gear's" 300000 200000
	shift_gear idle 60s
	send x1 -s $GEAR_SIZE >/dev/null
	clocks_become "percentages: a packet" 2700000 1800000

	shift_gear gear-range 1:1 clock cpufreq cpus 1
	clocks_become "cpus: one less" "${FULL[0]}" 250000
	shift_gear cpus 0
	clocks_become "cpus: the other one" 375000 "${FULL[1]}"
	shift_gear clock none
	clocks_become "clock none" "${FULL[@]}"
	shift_gear clock cpufreq cpus 0,1
	clocks_become "clock cpufreq" 375000 250000
	shift_gear gears none
	clocks_become "gears none" "${FULL[@]}"
	shift_gear gears $GEARS gear-range 1:1
	clocks_become "gears again" 375000 250000
	tc -n "$src" qdisc del dev out0 root
	clocks_become "a qdisc that is deleted gives its CPUs back" "${FULL[@]}"
}

# change_times - how many changes had their clock on both CPUs, and the least, mean and
# greatest time that took, in microseconds
change_times()
{
	awk '
	{
		match($0, / [0-9]+\.[0-9]+: /)
		at = substr($0, RSTART, RLENGTH) * 1e6
	}
	/ ramp_gear: / { began = at; split("", seen) }
	/ cpu_frequency_limits: / && began {
		seen[$NF]
		if (length(seen) < 2)
			next
		took = at - began
		began = 0
		sum += took
		least = n++ && least < took ? least : took
		most = took > most ? took : most
	}
	END { printf "%d %d %d %d\n", n, least, n ? sum / n : 0, most }' "$NET_WORK/trace"
}

# From the decision to the clock, by the tracepoints of both, over as many changes as
# NetFridgeS has measured (section 5.2): there 4 cycles of an FPGA, here a work item, which
# the scheduler starts, and cpufreq.
times()
{
	local n gear half=(0 375000 750000 1500000 3000000) changes=200 took most=$((50000 * SLOWER))

	clocked
	clocks_become "change times: the top gear" "${FULL[@]}"
	TRACE_EVENTS=ramp_gear trace_start
	echo 1 >$TRACE/events/power/cpu_frequency_limits/enable
	for ((n = 0; n < changes; n++)); do
		# Or it is idle for too long.
		((n % 5)) || send x1 -s $GEAR_SIZE >/dev/null
		gear=$((n % 4 + 1))
		shift_gear gear-range $gear:$gear
		wait_until 10 clocks_are "${half[gear]} $((half[gear] * 2 / 3))"
	done
	echo 0 >$TRACE/events/power/cpu_frequency_limits/enable
	trace_stop
	read -r -a took < <(change_times)
	note "change times: least, mean, greatest: ${took[1]}, ${took[2]}, ${took[3]} us;" \
		"the paper's FPGA, least and greatest: 13.32, 126.54 ns"
	is "change times: each change had the clock of both CPUs" "${took[0]}" $changes
	holds "change times: the least one takes time" "${took[1]}" '>' 0
	holds "change times: the mean is not below the least" "${took[2]}" '>=' "${took[1]}"
	holds "change times: the mean is below the greatest" "${took[2]}" '<' "${took[3]}"
	timed holds "change times: the greatest one, us" "${took[3]}" '<' $most
	tc -n "$src" qdisc del dev out0 root
}

# idle_port GEAR CPUS [PARAMETER...] - another qdisc, which begins in that gear
idle_port()
{
	tc -n "$dst" qdisc del dev in0 root 2>/dev/null
	tc -n "$dst" qdisc replace dev in0 root handle 2: ramp detect off rate 1gbit \
		limit 100 gears $GEARS idle 60s dwell 0 gear-range "$1:$1" \
		clock cpufreq cpus "$2" "${@:3}"
}

# Two qdiscs that need something else of the same CPU: it has the higher clock, whoever
# came first, and whatever the other does.
two()
{
	clocked
	clocks_become "two qdiscs, one CPU: a busy one" "${FULL[@]}"
	idle_port 1 0,1 idle 50ms
	clocks_stay "two qdiscs, one CPU: an idle one comes, the busy one's clock stays" \
		"${FULL[@]}"
	shift_gear gear-range 2:2
	clocks_become "two qdiscs, one CPU: the busy one needs less" 750000 500000
	idle_port 3 0
	clocks_become "two qdiscs, one CPU: the other one needs more, of one CPU" \
		1500000 500000
	shift_gear gear-range 1:1
	clocks_become "two qdiscs, one CPU: the other one is now the highest of that" \
		1500000 250000
	idle_port 4 1
	clocks_become "two qdiscs, one CPU: the first one's CPU is another one" \
		375000 "${FULL[1]}"
	shift_gear clock none
	clocks_become "two qdiscs, one CPU: what they shared is still what the other needs" \
		"${FULL[0]}" "${FULL[1]}"
	idle_port 2 1
	clocks_become "two qdiscs, one CPU: each has one alone" "${FULL[0]}" 500000
	shift_gear clock cpufreq
	clocks_become "two qdiscs, one CPU: one that needs less slows none" \
		375000 500000
	tc -n "$dst" qdisc del dev in0 root
	clocks_become "two qdiscs, one CPU: one is gone" 375000 250000
	idle_port 4 0
	clocks_become "two qdiscs, one CPU: one is back" "${FULL[0]}" 250000
	ip -n "$src" link del out0
	clocks_become "two qdiscs, one CPU: the devices are gone" "${FULL[@]}"
	pair $((GEAR_SIZE - 14))
}

# Faster changes than work items: the last one counts.
many()
{
	local n

	clocked
	for ((n = 0; n < 200; n++)); do
		echo "qdisc change dev out0 root ramp gear-range" \
			"$((n % 4 + 1)):$((n % 4 + 1))"
	done >"$NET_WORK/changes"
	tc -n "$src" -batch "$NET_WORK/changes"
	shift_gear gear-range 2:2
	clocks_become "200 changes: the clock of the last one" 750000 500000
	tc -n "$src" qdisc del dev out0 root
	clocks_become "200 changes: all CPUs are given back" "${FULL[@]}"
}

# A CPU that goes and comes back; a qdisc that goes while it is away.
hotplug()
{
	[ -w $CPU/cpu1/online ] || {
		lacks "CPU hotplug" "CPU hotplug"
		return
	}
	clocked gear-range 1:1
	clocks_become "CPU hotplug: before" 375000 250000
	echo 0 >$CPU/cpu1/online
	clocks_become "CPU hotplug: one is gone" 375000 none
	shift_gear gear-range 2:2
	clocks_become "CPU hotplug: the one that is left follows" 750000 none
	echo 1 >$CPU/cpu1/online
	clocks_become "CPU hotplug: it is back, and follows" 750000 500000
	shift_gear gear-range 3:3
	clocks_become "CPU hotplug: it is back, and goes on following" 1500000 1000000

	echo 0 >$CPU/cpu1/online
	tc -n "$src" qdisc del dev out0 root
	clocks_become "CPU hotplug: the qdisc goes meanwhile" "${FULL[0]}" none
	echo 1 >$CPU/cpu1/online
	clocks_stay "CPU hotplug: it is back, and nobody's" "${FULL[@]}"

	echo 0 >$CPU/cpu1/online
	refused "CPU hotplug: a qdisc that comes meanwhile is refused" \
		"cpus: $(cpu_named 1) has no cpufreq policy" \
		tc -n "$src" qdisc replace dev out0 root handle 2: ramp \
		detect off rate 1gbit limit 100 gears $GEARS gear-range 1:1 \
		clock cpufreq cpus 0,1
	echo 1 >$CPU/cpu1/online
	clocks_stay "CPU hotplug: it is back, and nobody's after a refusal" "${FULL[@]}"
}

# The driver goes, with all policies, and comes back.
driver()
{
	clocked gear-range 1:1
	clocks_become "the driver goes: before" 375000 250000
	rmmod ramp_cpufreq
	is "the driver goes: no clocks" "$(clocks)" "none none"
	shift_gear gear-range 2:2
	is "the driver goes: gears change without it" "$(counter gear)" 2
	modprobe ramp_cpufreq
	clocks_become "the driver goes: it is back, and gears drive the clock" \
		750000 500000
	rmmod ramp_cpufreq
	tc -n "$src" qdisc del dev out0 root
	modprobe ramp_cpufreq
	clocks_stay "the driver comes back after the qdisc went" "${FULL[@]}"
}

# A controller shifts ranges 100 times a second, while a CPU and the driver come and go.
churn()
{
	local n

	clocked
	shifter steady 100
	for ((n = 0; n < 10; n++)); do
		[ ! -w $CPU/cpu1/online ] || echo 0 >$CPU/cpu1/online
		sleep 0.1
		rmmod ramp_cpufreq
		sleep 0.1
		[ ! -w $CPU/cpu1/online ] || echo 1 >$CPU/cpu1/online
		modprobe ramp_cpufreq
		sleep 0.1
	done
	shifter_end
	note "$(jq .shifts "$NET_WORK/shift.json") ranges"
	# Or it has been idle for too long.
	send x1 -s $GEAR_SIZE >/dev/null
	shift_gear gear-range 2:2
	clocks_become "CPU and driver come and go under changes: the clock follows" \
		750000 500000
	tc -n "$src" qdisc del dev out0 root
	clocks_become "CPU and driver come and go under changes: given back" "${FULL[@]}"
}

# The qdisc's module goes at once, whatever work there was.
module()
{
	local n

	clocked gear-range 1:1
	clocks_become "the module goes: before" 375000 250000
	shift_gear gear-range 4:4
	shift_gear gear-range 1:1
	tc -n "$src" qdisc del dev out0 root
	for ((n = 0; n < 50; n++)); do
		! rmmod sch_ramp 2>/dev/null || break
		sleep 0.1
	done
	is "the module goes: it is gone" "$([ -d /sys/module/sch_ramp ]; echo $?)" 1
	clocks_stay "the module goes: CPUs are given back" "${FULL[@]}"
	modprobe sch_ramp
	clocked gear-range 1:1
	clocks_become "the module goes: it is back, and drives the clock" 375000 250000
	tc -n "$src" qdisc del dev out0 root
	clocks_become "the module goes: a deleted qdisc holds nothing" "${FULL[@]}"
}

# CAP_SYS_ADMIN in the first user namespace, and CPUs that there are.
allowed()
{
	local no_admin=(setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin)
	local words='qdisc replace dev out0 root handle 2: ramp detect off rate 1gbit'

	words+=" limit 100 gears $GEARS gear-range 1:1"
	# shellcheck disable=SC2086 # words
	{
		tc -n "$src" qdisc replace dev out0 root handle 1: pfifo
		refused "without CAP_SYS_ADMIN a clock is refused" 'clock: .*CAP_SYS_ADMIN' \
			ip netns exec "$src" "${no_admin[@]}" \
			tc $words clock cpufreq cpus 0
		is "without CAP_SYS_ADMIN gears without a clock are accepted" \
			"$(ip netns exec "$src" "${no_admin[@]}" tc $words 2>&1)" ""
		refused "without CAP_SYS_ADMIN a clock is refused in a change" \
			'clock: .*CAP_SYS_ADMIN' \
			ip netns exec "$src" "${no_admin[@]}" \
			tc qdisc change dev out0 root ramp clock cpufreq cpus 0
		is "without CAP_SYS_ADMIN nothing of a refused change is applied" \
			"$(clocks) $(counter options.clock)" \
			"${FULL[*]} none"
		refused "another user namespace: a clock is refused" 'clock: .*CAP_SYS_ADMIN' \
			unshare --user --map-root-user --net sh -c \
			"ip link add out0 type dummy
			tc $words clock cpufreq cpus 0"
		is "another user namespace: gears without a clock are accepted" \
			"$(unshare --user --map-root-user --net sh -c \
				"ip link add out0 type dummy; tc $words" 2>&1)" ""

		# Who had it set may be changed by others, but not so.
		clocked gear-range 2:2
		clocks_become "a clock that root has set" 750000 500000
		is "a clock that root has set: others may change the gear" \
			"$(ip netns exec "$src" "${no_admin[@]}" tc qdisc change \
				dev out0 root ramp gear-range 1:1 2>&1)" ""
		clocks_become "a clock that root has set: it follows" 375000 250000
		refused "a clock that root has set: others may not change its CPUs" \
			'CAP_SYS_ADMIN' \
			ip netns exec "$src" "${no_admin[@]}" \
			tc qdisc change dev out0 root ramp cpus 1
		is "a clock that root has set: it is as before the refusal" \
			"$(clocks)" "375000 250000"
		tc -n "$src" qdisc del dev out0 root

		refused "a CPU that does not exist is refused" \
			"cpus: $(cpu_named 63) does not exist" \
			tc -n "$src" $words clock cpufreq cpus 63
	}
	clocks_stay "a refused qdisc holds no CPU" "${FULL[@]}"
}

net_init ramp-send setpriv unshare
[ ! -e $CPU/cpu0/cpufreq ] || skip_all "CPUs without a frequency of their own"
if ! modprobe -q ramp_cpufreq; then
	[[ ${RAMP_KERNEL-} != uml* ]] || skip_all "CPUs with a clock (not uml)"
	missing "module ramp_cpufreq"
fi
trap clock_cleanup EXIT
[ "$(nproc)" = 2 ] || skip_all "two CPUs"
is "the test driver's policies" "$(clocks)" "${FULL[*]}"
pair $((GEAR_SIZE - 14))
follows
times
two
many
hotplug
driver
churn
module
allowed
ktap_end
