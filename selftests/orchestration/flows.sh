#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
#	RAMP_FLOWS=10000
#
# The policy daemon: flows without an entry are reported once, get the policy of their
# class, and lose it when idle; storage is known by port and by the header of its PDUs;
# killed and started again under load it loses nothing that the policy would have kept.

# shellcheck source=selftests/lib/ktap.sh
. "$(dirname "$0")/../lib/ktap.sh"

ORCH=$(cd "$(dirname "$0")" && pwd)
DAEMON=$ORCH/../../Documentation/examples/policy/mpolice-flows
BPF=$ORCH/build/flows.bpf
FLOWS=${RAMP_FLOWS:-10000}
MOST=$((FLOWS + 1000))
IDLE=20
# What the classifier lets through in a second.
RATE=5000
# Action: bucket * 64 + order.
STORAGE=$((64 + 20)) BULK=$((64 + 30)) DEFAULT=$((64 + 63))

echo "KTAP version 1"
[ -s "$BPF" ] || missing "$BPF"
modprobe -q act_mpolice || missing "module act_mpolice"
WORK=$(mktemp -d)
DAEMON_PID=''

# actions_gone - the kernel lets go of the actions of a device that was deleted a little
# later, and until then they cannot be flushed.
# shellcheck disable=SC2317 # called by finish
actions_gone()
{
	tc actions flush action mpolice 2>/dev/null
	[ "$(tc -j actions list action mpolice | jq '[.[].actions[]?] | length')" = 0 ]
}

# shellcheck disable=SC2317 # called by the trap
finish()
{
	[ -z "$DAEMON_PID" ] || kill "$DAEMON_PID" 2>/dev/null
	wait
	ip link del vm0 2>/dev/null
	ip link del br0 2>/dev/null
	ip netns del vm 2>/dev/null
	ip netns del far 2>/dev/null
	for _ in {1..50}; do
		! actions_gone || break
		sleep 0.1
	done
	rm -rf "$WORK"
}
trap finish EXIT

# begin - starts the daemon, and returns when it listens.
begin()
{
	local before

	before=$(grep -c ' begins, ' "$WORK/log")
	"$DAEMON" --bpf "$BPF" --idle $IDLE --flows "$MOST" "$WORK/policy" 2>>"$WORK/log" &
	DAEMON_PID=$!
	for _ in {1..100}; do
		[ "$(grep -c ' begins, ' "$WORK/log")" = "$before" ] || return
		sleep 0.1
	done
}

# entries [HOOK [PREFERENCE]] - how many filters of flows there are.
entries()
{
	tc -j filter show dev vm0 "${1:-ingress}" pref "${2:-900}" |
		jq '[.[] | select(.options.handle)] | length'
}

# sampled HOOK - packets that were reported.
sampled()
{
	tc -j -s filter show dev vm0 "$1" pref 1240 |
		jq '[.[].options.actions[]? | select(.kind == "sample") | .stats.packets] | add'
}

# counted INDEX KEY - what an action has counted.
counted()
{
	tc -j -s actions list action mpolice |
		jq "[.[].actions[]? | select(.index == $1) | .$2] | add // 0"
}

# journal WORD - the number before it in the last line of counters.
journal()
{
	grep -oE "[0-9]+ $1" "$WORK/log" | tail -n 1 | cut -d' ' -f1
}

# memory - the most that the daemon ever had, in kB.
memory()
{
	awk '$1 == "VmHWM:" { print $2 }' "/proc/$DAEMON_PID/status"
}

# pair - the endpoint's device and its other side. Nobody but flows.py sends.
pair()
{
	ip link add name vm0 type veth peer name eth0 netns vm
	sysctl -wq net.ipv6.conf.vm0.disable_ipv6=1
	ip link set vm0 up arp off master br0
	ip -n vm link set eth0 up arp off
}

# receiver - what the policy keeps comes to another namespace, over a bridge, and is counted
# there by its port.
receiver()
{
	local port

	ip link add name br0 type bridge stp_state 0 mcast_snooping 0
	sysctl -wq net.ipv6.conf.br0.disable_ipv6=1
	ip link add name out0 type veth peer name eth0 netns far
	sysctl -wq net.ipv6.conf.out0.disable_ipv6=1
	ip link set out0 up master br0
	ip -n far link set eth0 up arp off
	ip link set br0 up arp off
	tc -n far qdisc add dev eth0 clsact
	for port in 4420 9999; do
		tc -n far filter add dev eth0 ingress pref $port protocol ip flower \
			ip_proto tcp dst_port $port action pass
	done
}

# arrived PORT - packets for it that came there.
arrived()
{
	tc -n far -j -s filter show dev eth0 ingress pref "$1" |
		jq '[.[].options.actions[]?.stats.packets] | add'
}

send()
{
	ip netns exec vm "$ORCH/flows.py" "$1" eth0 "${@:2}"
}

ip netns add vm
ip netns exec vm sysctl -wq net.ipv6.conf.all.disable_ipv6=1
ip netns add far
ip netns exec far sysctl -wq net.ipv6.conf.all.disable_ipv6=1
receiver
pair
: >"$WORK/log"
cat >"$WORK/policy" <<-'END'
	[class storage]
	order = 20
	policy = account
	match = tcp 4420
	[class bulk]
	order = 30
	policy = drop
	threshold = 10%
	match = udp 6000-6999
	[default]
	policy = drop
	[endpoint vm]
	device = vm0
	bucket = 1
	rate = 20mbit
	debt = unlimited
END

timeout 5 "$DAEMON" --bpf "$BPF" --dry-run "$WORK/policy" >"$WORK/dry" 2>&1
is "dry run: ends with 0" $? 0
matches "dry run: says what it would set up" "$(<"$WORK/dry")" 'section miss action sample'
is "dry run: nothing is set up" "$(tc qdisc show dev vm0 clsact)" ""
timeout 5 "$DAEMON" --bpf "$BPF" "$WORK/none" 2>/dev/null
is "no policy file: exit status 2" $? 2
timeout 5 "$DAEMON" --bpf "$WORK/none" "$WORK/policy" 2>/dev/null
is "no classifiers: exit status 2" $? 2
timeout 5 "$DAEMON" --bpf "$WORK/policy" "$WORK/policy" 2>"$WORK/said"
is "classifiers that are none: exit status 2" $? 2
matches "classifiers that are none: the message names the file" "$(<"$WORK/said")" \
	"$WORK/policy: no program"
tc actions add action mpolice bucket 1 rate 1mbit burst 10k \
	policy drop index $STORAGE
timeout 5 "$DAEMON" --bpf "$BPF" "$WORK/policy" 2>"$WORK/said"
is "somebody else's action in the way: exit status 1" $? 1
matches "somebody else's action in the way: the message says so" "$(<"$WORK/said")" \
	"index $STORAGE was made by somebody else"
is "somebody else's action in the way: nothing is set up" "$(tc qdisc show dev vm0 clsact)" ""
tc actions flush action mpolice

# Both directions of each flow come before it has an entry.
begin
"$ORCH/flows.py" back vm0 0 "$FLOWS" 2000 &
back=$!
send udp 0 "$FLOWS" 2000
wait $back
sleep 2
is "each of $FLOWS flows has an entry" "$(entries) $(entries egress)" "$FLOWS $FLOWS"
is "each of $FLOWS flows was given to the daemon once, by the kernel's counters" \
	$(($(sampled ingress) + $(sampled egress))) "$FLOWS"
kill -TERM $DAEMON_PID
kill -INT $DAEMON_PID
wait $DAEMON_PID
is "told to end, twice: exit status 0" $? 0
is "each of $FLOWS flows was reported once" "$(journal reported)" "$FLOWS"
is "entries stay when the daemon ends" "$(entries)" "$FLOWS"

begin
matches "the next one takes the entries over" "$(tail -n 1 "$WORK/log")" \
	"begins, $FLOWS entries are there"
before=$(counted $BULK stats.packets)
"$ORCH/flows.py" back vm0 0 "$FLOWS" 2000 &
back=$!
send udp 0 "$FLOWS" 2000
wait $back
sleep 1
is "packets of known flows go to the action of their class, both ways" \
	$(($(counted $BULK stats.packets) - before)) $((2 * FLOWS))
send udp6 0 100 2000
sleep 1
is "flows of IPv6 have entries" "$(entries ingress 901) $(entries egress 901)" "100 100"

# More than are let through in a second, and more than it keeps. Those that were too many
# are reported when they come again. One flow stays in use.
send tcp 5001 700 10 &
used=$!
sleep $((IDLE / 2))
before=$(journal reported) given=$(sampled ingress)
send udp 100000 20000 2000000
sleep 6
holds "flows at once: no more entries than --flows" "$(entries)" '<=' "$MOST"
holds "flows at once: most of the room is used" "$(entries)" '>' $((MOST - 200))
is "flows at once: no more than $RATE are reported in a second" \
	"$(($(journal reported) - before)) $(($(sampled ingress) - given))" "$RATE $RATE"
for _ in 1 2 3; do
	send udp 100000 20000 2000000
	sleep 1
done
sleep 6
is "flows at once: others are reported when they come again" \
	$(($(journal reported) - before)) 20000
holds "flows at once: memory of the daemon, in kB" "$(memory)" '<' 65536
sleep $((IDLE * 2))
is "idle: entries are gone, but for that of a flow that is used" \
	"$(entries) $(entries egress) $(entries ingress 901)" "1 1 0"
wait $used
sleep $((IDLE * 2))
is "idle: then this one, too" "$(entries) $(entries egress)" "0 0"

# Nearly twice the contract, all of it storage. Each connection has an entry before it has
# a PDU, and a new one begins while there is no daemon.
storage=$(counted $STORAGE stats.packets) other=$(counted $DEFAULT stats.packets)
came="$(arrived 9999) $(arrived 4420)"
send nvme 9999 12000 2000 &
nvme=$!
send tcp 4420 12000 2000 &
port=$!
sleep 2.5
kill -KILL $DAEMON_PID
wait $DAEMON_PID 2>/dev/null
late=$(counted $DEFAULT stats.packets)
sleep 1
begin
wait $nvme $port
is "storage: all but the SYNs go to its class, by port and by PDU, with the daemon killed" \
	"$(($(counted $STORAGE stats.packets) - storage)) $((late - other))" "24000 2"
is "storage: all that was sent arrives, SYNs too, by the receiver's count" \
	"$came, $(arrived 9999) $(arrived 4420)" "0 0, 12001 12001"
is "storage: nothing is dropped beyond the contract" "$(counted $STORAGE stats.drops)" 0
is "storage: nor in the default policy, since the daemon was killed" \
	$(($(counted $DEFAULT stats.packets) - late)) 0

kill -KILL $DAEMON_PID
wait $DAEMON_PID 2>/dev/null
send tcp 4420 1300 100 40001 &
port=$!
sleep 1.5
storage=$(counted $STORAGE stats.packets)
begin
wait $port
within "a flow that began without a daemon has its class ten seconds later" \
	$(($(counted $STORAGE stats.packets) - storage)) 300 900
note "$(tc -j -s actions list action mpolice | jq -c '[.[].actions[]? | {index, stats}]')"
note "$(tail -n 3 "$WORK/log")"

# Each kind of PDU makes a connection storage, from its first frame on, and nothing else does.
storage=$(counted $STORAGE stats.packets)
send pdus 9998 10 1000
is "PDUs: all of 11 connections are storage, one for each header" \
	$(($(counted $STORAGE stats.packets) - storage)) 110
storage=$(counted $STORAGE stats.packets)
send others 9997 10 1000
is "PDUs: none of 16 connections is, which begin otherwise" \
	$(($(counted $STORAGE stats.packets) - storage)) 0

# A machine that starts anew, and others that do not.
ip link del vm0
sleep 6
matches "a device that goes is named" "$(tail -n 2 "$WORK/log")" 'there is no device vm0'
pair
sleep 6
send udp 0 10 2000
sleep 1
is "a device that comes back is set up, and its flows have entries" \
	"$(entries) $(entries egress)" "10 10"
kill -TERM $DAEMON_PID
wait $DAEMON_PID
is "the daemon is still the same" $? 0
ktap_end
