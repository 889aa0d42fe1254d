#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a machine: pyroute2 with tools/pyroute2/ takes and shows all options and counters of
# ramp as tc's JSON has them.
#
#	selftests/watch/pyroute2.sh [clocks]
#
# "clocks" is what takes CPUs with a clock, which User-Mode Linux has not, and only that.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/../net/lib/lib.sh"

TREE=$(cd "$(dirname "$0")/../.." && pwd)

# python CODE - in the namespace of out0, with pyroute2 and the plugin; ipr, out0 and
# ramp() are there.
python()
{
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$TREE/tools/pyroute2 ip netns exec "$src" \
		python3 -c "
import json
from pyroute2 import IPRoute
import pyroute2_ramp
ipr = IPRoute()
out0 = ipr.link_lookup(ifname='out0')[0]
def ramp():
    return [q for q in ipr.get_qdiscs(index=out0)
            if q.get_attr('TCA_KIND') in ('ramp', 'ramp_mq')][0]
$1" 2>&1
}

# says JQ - of the ramp on out0, what tc says, in the order of the keys.
says()
{
	tc -n "$src" -j -s qdisc show dev out0 | jq -cS ".[0] | $1"
}

# shown - the options that the plugin shows.
shown()
{
	python 'print(json.dumps(pyroute2_ramp.options_of(ramp())))' | jq -cS .
}

numbers()
{
	is "the attributes are those of the kernel, in their order" "$(PYTHONPATH=$TREE/tools/pyroute2 \
		python3 -B -c 'import pyroute2_ramp
for name, _ in pyroute2_ramp.options.nla_map:
    print(name)')" "$(sed -n '/^\tTCA_RAMP_UNSPEC,/,/^\t__TCA_RAMP_MAX/s/^\t\(__\)\{0,1\}\(TCA_RAMP_[A-Z0-9_]*\),.*/\2/p' \
		"$TREE/include/uapi/linux/ramp.h")"
}

# same NAME OPTION... - tc makes a ramp. pyroute2 shows it as tc does, and, given what it
# shows, makes another one that tc does not tell from the first.
same()
{
	local name=$1 before
	shift

	tc -n "$src" qdisc replace dev out0 root handle 1: ramp "$@" || {
		fail "$name: tc makes it"
		return
	}
	# A gear, and the time that it freezes for, changes once.
	sleep 1
	before=$(says .options)
	is "$name: pyroute2 shows what tc shows" "$(shown)" "$before"
	tc -n "$src" qdisc del dev out0 root
	is "$name: pyroute2 takes what it shows" "$(OPTIONS=$before python "
import os
ipr.tc('add', 'ramp', out0, handle='1:', **json.loads(os.environ['OPTIONS']))")" ""
	sleep 1
	is "$name: tc shows what it showed before" "$(says .options)" "$before"
	tc -n "$src" qdisc del dev out0 root
}

# Each key of tc's JSON is in one of these.
round_trips()
{
	local keys

	same "defaults"
	same "a rate" rate 1gbit
	same "bands" rate 100mbit bands 4 exempt 0 exempt 2 \
		priomap 1 1 1 2 2 2 3 3 3 1 1 1 2 2 3 3 band-limit 1 20p band-limit 3 30kb \
		limit 5000p detect members members 1:bands
	same "levels" rate 100mbit limit 100kb detect both queue 10p:200p ingress 1mbit:90mbit \
		window 2ms monitor 30ms
	same "growing levels" rate 100mbit limit 1000 bands 3 queue +20p members +2 \
		ingress +5%
	same "amounts" rate 1gbit detect ingress tick 200us start 1p step 2p pause 1ms \
		hold 2ms down-step 3p floor 4p adaptive cease 5ms no-split-gso
	same "codes" rate 1gbit bands 3 ladder 20%:80%,50.25%:1% band-ladder 1 10%:20% \
		band-ladder 2 none adjust 4.5% feedback side0,out0 band-feedback 1 side0 \
		band-feedback 2 none validity 2s ethertype 0x88b6 obey min 5.5% \
		from 02:00:00:00:00:01,02:00:00:00:00:fe
	same "a rail" rate 1gbit rail 9 detect ingress cease auto
	same "gears" rate 100mbit limit 5000 gears 1mbit,10mbit,100mbit gear-up 50% \
		gear-down 1%,2%,3.5% gear-fit off gear-range 1:2 freeze auto dwell 20ms \
		idle 200ms power 1,2.5,3
	same "gears by time" rate 100mbit limit 5000 gears 1mbit,10mbit,100mbit \
		gear-up 300us,400us,500us gear-down 20us gear-fit 80% gear-follow both \
		gear-ports side0,out0 power 100 power-ports 30%,60%,100%
	keys=$(sed -n 's/^\t{ \.keyword = "\([a-z-]*\)".*/\1/p' "$TREE/iproute2-patch/q_ramp.c")
	is "no option was left out" "$(for key in $keys; do
		declare -f round_trips clocks | grep -qwe "$key" -e "no-$key" || echo "$key"
	done)" ""
}

clocks()
{
	[ -e /sys/devices/system/cpu/cpu0/cpufreq ] || modprobe ramp_cpufreq ||
		missing "CPUs with a clock"
	same "clocks" rate 100mbit limit 5000 gears 1mbit,10mbit,100mbit \
		clock cpufreq:50%,75.5%,100% cpus 0
}

# What nobody but tc's own caller asks for.
requests()
{
	local before

	is "a ramp is added" "$(python "
ipr.tc('add', 'ramp', out0, handle='1:', limit=5000, rate=125000000,
       start={'unit': 'percent', 'value': 10}, exempt=[0], bands=2)")" ""
	is "tc shows what was added" "$(says '.options |
		[.limit, .limit_auto, .rate, .start, .exempt, .bands]')" \
		'[5000,false,125000000,{"unit":"percent","value":10},[0],2]'
	is "it is changed" "$(python "
ipr.tc('change', 'ramp', out0, handle='1:', limit='auto', tick=300000)")" ""
	is "tc shows what was changed, and the rest as it was" "$(says '.options |
		[.limit_auto, .tick, .rate, .bands]')" '[true,300000,125000000,2]'
	before=$(says .options)
	matches "an unknown option is refused" "$(python "
ipr.tc('change', 'ramp', out0, handle='1:', tock=5)")" 'ValueError: ramp has no option "tock"'
	matches "an unknown word is refused" "$(python "
ipr.tc('change', 'ramp', out0, handle='1:', detect='sometimes')")" \
		"ValueError: detect: 'sometimes' is no such value"
	matches "a device that is not there is refused" "$(python "
ipr.tc('change', 'ramp', out0, handle='1:', feedback=['nowhere'])")" \
		"ValueError: feedback: \['nowhere'\] is no such value"
	matches "what the kernel refuses is told" "$(python "
ipr.tc('change', 'ramp', out0, handle='1:', tick=1)")" 'NetlinkError.*(34|22),'
	is "what was refused has changed nothing" "$(says .options)" "$before"
	is "it is deleted" "$(python "
ipr.tc('del', index=out0, parent=0xffffffff)")$(says .kind)" '"noqueue"'
}

# outside CODE - the same as python, but ipr alone talks to that namespace.
outside()
{
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$TREE/tools/pyroute2 python3 -c "
from pyroute2 import NetNS
import pyroute2_ramp
ipr = NetNS('$src')
out0 = ipr.link_lookup(ifname='out0')[0]
def devices():
    ramp = [q for q in ipr.get_qdiscs(index=out0) if q.get_attr('TCA_KIND') == 'ramp'][0]
    shown = pyroute2_ramp.options_of(ramp)
    return {key: shown[key] for key in ('feedback', 'band_feedback', 'gear_ports')}
try:
    $1
finally:
    ipr.close()" 2>&1
}

# Devices of a namespace that Python is not in.
elsewhere()
{
	local devices='.options | [.feedback, .band_feedback, .gear_ports]'
	local far='[["far0"],[{"band":1,"dev":"far0"}],["far0","side0"]]'
	local side

	side=$(ip netns exec "$src" cat /sys/class/net/side0/ifindex)
	ip -n "$src" link add name far0 index 4242 type dummy
	tc -n "$src" qdisc replace dev out0 root handle 1: ramp rate 100mbit limit 5000 bands 2 \
		ladder 20%:80% feedback side0 band-feedback 1 side0 gears 1mbit,10mbit,100mbit \
		gear-follow both gear-ports side0,out0
	is "devices of another namespace are taken by their indices" "$(outside "
    ipr.tc('change', 'ramp', out0, handle='1:', feedback=[4242],
           band_feedback=[{'band': 1, 'dev': 4242}], gear_ports=[4242, $side])
")$(says "$devices")" "$far"
	matches "their names are not known here" "$(outside "
    ipr.tc('change', 'ramp', out0, handle='1:', feedback=['far0'])")" \
		"ValueError: feedback: \['far0'\] is no such value"
	is "what has no name here is shown as tc does" "$(outside "
    print(devices()['feedback'], devices()['band_feedback'], devices()['gear_ports'][0])")" \
		"['if4242'] [{'band': 1, 'dev': 'if4242'}] if4242"
	is "and what is shown is taken" "$(outside "
    shown = devices()
    ipr.tc('change', 'ramp', out0, handle='1:', feedback=[$side],
           band_feedback=[{'band': 1, 'dev': $side}])
    del shown['gear_ports']
    ipr.tc('change', 'ramp', out0, handle='1:', **shown)")$(says "$devices")" "$far"
	ip -n "$src" link del far0
	tc -n "$src" qdisc del dev out0 root
}

# With gears and codes, and packets that wait.
counted()
{
	tc -n "$src" qdisc replace dev out0 root handle 1: ramp rate 10mbit limit 200 \
		ladder 10%:50% feedback side0 gears 1mbit,5mbit,10mbit gear-up 50% \
		gear-down 5% power 1,2,3
	send x300 -s 1000 >/dev/null
	sleep 0.05
	# Nothing is due while they are compared.
	ip -n "$dst" link set in0 down
	sleep 1
	is "pyroute2 shows the counters that tc shows" "$(python '
print(json.dumps(pyroute2_ramp.counters_of(ramp())))' | jq -cS 'del(.gear_ns, .energy_mj, .saved_pct)')" \
		"$(says 'del(.kind, .handle, .root, .refcnt, .options, .bytes, .packets,
			.drops, .overlimits, .requeues, .backlog, .qlen, .gear_ns,
			.energy_mj, .saved_pct)')"
	holds "there was something to count" "$(says '[.enqueued, .delayed, .codes_sent,
		.gear_changes] | min')" ">" 0
	is "times in gears and energy grow, and some is saved" "$(python '
import time
then = pyroute2_ramp.counters_of(ramp())
time.sleep(0.2)
now = pyroute2_ramp.counters_of(ramp())
print(len(now["gear_ns"]), 0.2e9 <= sum(now["gear_ns"]) - sum(then["gear_ns"]) < 20e9,
      now["energy_mj"] > then["energy_mj"] > 0, 0 < now["saved_pct"] < 100)')" \
		"3 True True True"
	ip -n "$dst" link set in0 up
	tc -n "$src" qdisc del dev out0 root
}

queues()
{
	ip -n "$src" link add many0 numtxqueues 2 type dummy
	ip -n "$src" link set many0 up
	is "pyroute2 adds ramp_mq, to all queues" "$(python "
many0 = ipr.link_lookup(ifname='many0')[0]
ipr.tc('add', 'ramp_mq', many0, handle='1:', rate=125000000, tick=200000)
")$(tc -n "$src" -j qdisc show dev many0 |
		jq -c 'map(select(.kind == "ramp").options | [.rate, .tick])')" \
		'[[125000000,200000],[125000000,200000]]'
	ip -n "$src" link del many0
}

net_init ramp-send
python3 -c 'import pyroute2' 2>/dev/null || missing "Python's pyroute2"
pair 1500
if [ "${1-}" = clocks ]; then
	clocks
	ktap_end
fi
ip -n "$src" link add side0 type dummy
ip -n "$src" link set side0 up
numbers
round_trips
requests
elsewhere
counted
queues
ktap_end
