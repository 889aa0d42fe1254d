#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
#	RAMP_FLOWS=10000
#
# The policy daemon: flows without an entry are reported once, get the policy of their
# class, and lose it when idle; storage is known by port and by the header of its PDUs;
# killed and started again under load it loses nothing that the policy would have kept.
# What one endpoint does takes nothing from another one, on a device of its own or not.

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
STORAGE2=$((128 + 20)) BULK2=$((128 + 30))

echo "KTAP version 1"
[ -s "$BPF" ] || missing "$BPF"
modprobe -q act_mpolice || missing "module act_mpolice"
WORK=$(mktemp -d)
DAEMON_PID=''

# actions_gone - the kernel lets go of the actions of a device that was deleted a little
# later, and until then they cannot be flushed.
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
	ip link del vm1 2>/dev/null
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

# begin [ARG...] - starts the daemon, and returns when it listens.
begin()
{
	local before

	[ $# -gt 0 ] || set -- --flows "$MOST"
	before=$(grep -c ' begins, ' "$WORK/log")
	"$DAEMON" --bpf "$BPF" --idle $IDLE --prom "$WORK/flows.prom" "$@" \
		"$WORK/policy" 2>>"$WORK/log" &
	DAEMON_PID=$!
	for _ in {1..100}; do
		[ "$(grep -c ' begins, ' "$WORK/log")" = "$before" ] || return
		sleep 0.1
	done
}

# end [SIGNAL] - of the daemon
end()
{
	kill "-${1:-TERM}" $DAEMON_PID
	wait $DAEMON_PID 2>/dev/null
}

# entries [HOOK [PREFERENCE [DEVICE]]] - how many filters of flows there are.
entries()
{
	tc -j filter show dev "${3:-vm0}" "${1:-ingress}" pref "${2:-900}" |
		jq '[.[] | select(.options.handle)] | length'
}

# sampled HOOK - packets that were reported.
sampled()
{
	tc -j -s filter show dev vm0 "$1" pref 910 |
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

# pair [N [INDEX]] - an endpoint's device and its other side. Nobody but flows.py sends, and
# what the bridge floods comes to the first one only.
pair()
{
	local n=${1:-0}

	ip link add name "vm$n" ${2:+index "$2"} type veth peer name "eth$n" netns vm
	sysctl -wq "net.ipv6.conf.vm$n.disable_ipv6=1"
	ip link set "vm$n" up arp off
	[ "$n" != 0 ] || ip link set vm0 master br0
	ip -n vm link set "eth$n" up arp off
}

# anew - the device without anything, and full buckets.
anew()
{
	local _

	ip link del vm0
	for _ in {1..50}; do
		! actions_gone || break
		sleep 0.1
	done
	pair
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
	for port in 4420 8009 9996 9999 50001; do
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

# send_by N KIND ARG... - what an endpoint sends.
send_by()
{
	ip netns exec vm "$ORCH/flows.py" "$2" "eth$1" "${@:3}"
}

send()
{
	send_by 0 "$@"
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
	 tcp 8009
	[class bulk]
	order = 30
	policy = drop
	threshold = 10%
	match = udp 6000-6999
	 tcp 50000-59999
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
is "what it counts is in the file for Prometheus, which all may read" \
	"$(awk '!/^#/ { print $2 }' "$WORK/flows.prom" | paste -sd' ') \
$(stat -c %a "$WORK/flows.prom")" "$FLOWS $FLOWS $FLOWS 0 0 644"
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
send tcp 55000 700 10 &
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

# A flow of the default class has what it would have.
given=$(sampled ingress) default=$(counted $DEFAULT stats.packets)
send tcp 9990 20 100
sleep 1
is "a flow of no class has the default policy and no entry, and is reported once" \
	"$(entries) $(entries egress) $(($(counted $DEFAULT stats.packets) - default)) \
$(($(sampled ingress) - given))" "0 0 21 1"

# For longer than a flow without an entry is let alone. One that has a class in the policy of
# the next daemon is reported to it.
given=$(sampled ingress)
send tcp 9991 44 1 40004 &
long=$!
for _ in 1 2 3 4; do
	send udp 40000000 20 1000
	send udp6 40000000 20 1000
	sleep 11
done
wait $long
is "flows of no class that last are reported once" $(($(sampled ingress) - given)) 41
end
sed -i 's/tcp 50000-59999/tcp 9991/' "$WORK/policy"
before=$(entries) given=$(sampled ingress)
begin
send data 9991 10 100 40004
send udp 40000000 20 1000
sleep 1
is "the next daemon is told of them once more, and gives those entries that have a class by now" \
	"$(($(sampled ingress) - given)) $(($(entries) - before))" "21 1"
end
sed -i 's/tcp 9991/tcp 50000-59999/' "$WORK/policy"
begin

# Nearly twice the contract, all of it storage. Each connection has an entry before it has
# a PDU. Two more begin while there is no daemon, one of them storage by its port.
storage=$(counted $STORAGE stats.packets) other=$(counted $DEFAULT stats.packets)
came="$(arrived 9999) $(arrived 4420)"
send nvme 9999 12000 2000 &
nvme=$!
send tcp 4420 12000 2000 &
port=$!
sleep 2.5
end KILL
late=$(counted $DEFAULT stats.packets)
send tcp 8009 1000 500 40002 &
new=$!
send tcp 9996 1000 500 40003
wait $new
is "killed, the bucket in debt: a connection that begins is storage by its port, and all of \
it arrives; of one of no class nothing does" "$(arrived 8009) $(arrived 9996)" "1001 0"
begin
wait $nvme $port
is "storage: all but the SYN of what has another port go to its class, by port and by PDU, \
with the daemon killed" \
	"$(($(counted $STORAGE stats.packets) - storage)) $((late - other))" "25002 1"
is "storage: all that was sent arrives, SYNs too, by the receiver's count" \
	"$came, $(arrived 9999) $(arrived 4420)" "0 0, 12001 12001"
is "storage: nothing is dropped beyond the contract" "$(counted $STORAGE stats.drops)" 0
is "storage: nor in the default policy, since the daemon was killed" \
	$(($(counted $DEFAULT stats.packets) - late - 1001)) 0

end KILL
send tcp 55000 1300 100 40001 &
port=$!
sleep 1.5
bulk=$(counted $BULK stats.packets)
begin
wait $port
within "a flow that began without a daemon has its class ten seconds later" \
	$(($(counted $BULK stats.packets) - bulk)) 300 900
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

storage=$(counted $STORAGE stats.packets)
send data 9998 10 1000 41001
send tcp 9998 10 1000 41002
is "PDUs: a connection stays storage until another one has its ports" \
	$(($(counted $STORAGE stats.packets) - storage)) 10
storage=$(counted $STORAGE stats.packets)
sleep 301
send data 9998 10 1000 41001
is "PDUs: a connection that was silent for five minutes is no storage" \
	$(($(counted $STORAGE stats.packets) - storage)) 0

# What an entry knows a flow by.
bulk=$(counted $BULK stats.packets) before=$(entries ingress 901)
send hops 500 10 100
sleep 1
send hops 500 10 100
is "extension headers of IPv6: a flow has an entry by what comes after them" \
	"$(($(entries ingress 901) - before)) $(($(counted $BULK stats.packets) - bulk))" "10 10"
given=$(sampled ingress)
send tagged 500 10 100
send pieces 600 10 100
is "packets with a VLAN tag, and fragments, are not reported" $(($(sampled ingress) - given)) 0
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
end
is "the daemon is still the same" $? 0

# A daemon of another version finds what the last one has left.
placed()
{
	tc -j filter show dev vm0 ingress | jq -c "[.[] | select(.options and .pref == $1) |
		.options.handle, (.options.actions[] | select(.kind == \"mpolice\").index)]"
}
anew
begin
end
nvme=$(placed 890) miss=$(placed 910)
begin
end
is "classifiers that are the same stay" "$(placed 890) $(placed 910)" "$nvme $miss"
tc filter add dev vm0 ingress protocol all pref 1240 bpf object-file "$BPF" section miss \
	action sample rate 1 group 28016 trunc 128 continue
old=$(placed 1240)
cp "$BPF" "$WORK/flows.bpf"
echo >>"$WORK/flows.bpf"
sed -i 's/order = 20/order = 25/' "$WORK/policy"
begin --bpf "$WORK/flows.bpf"
end
is "other classifiers, and a class that is another action, come in their place" \
	"$(jq -s 'map(length)' -c <<<"$old $(placed 890) $(placed 910) $(placed 1240)") \
$(($(jq '.[1]' <<<"$(placed 890)") - 64))" "[1,2,1,0] 25"
is "other classifiers have another handle" "$([ "$(placed 910)" != "$miss" ]; echo $?)" 0
sed -i 's/order = 25/order = 20/' "$WORK/policy"

# handles HOOK - of the entries there.
handles()
{
	tc -j filter show dev vm0 "$1" pref 900 |
		jq -c '[.[] | select(.options.handle).options.handle] | sort'
}

# Two flows of one CRC, which once was the handle of an entry.
begin
send data 54461 5 100 47311
sleep 1
send data 59382 5 100 16015
sleep 1
is "two flows of one checksum have an entry each" "$(entries) $(entries egress)" "2 2"
end
begin
matches "both are taken over" "$(tail -n 1 "$WORK/log")" "begins, 2 entries are there"
# Each daemon would choose another handle for them.
before=$(handles egress)
tc filter del dev vm0 ingress pref 900
sleep 11
send data 54461 5 100 47311
send data 59382 5 100 16015
sleep 1
is "what is lost in one direction comes back as it was" "$(handles ingress)" "$before"
end

# Nobody leads it. Packets that are storage by PDUs only would be other.
verdicts()
{
	local before

	anew
	begin
	end KILL
	[ "$1" = with ] || {
		tc filter del dev vm0 ingress pref 910
		tc filter del dev vm0 ingress pref 890
	}
	before=$(arrived 4420)
	send udp 0 200 100
	send data 9990 20 100
	send data 4420 20 100
	echo "$(($(arrived 4420) - before)) $(for index in $STORAGE $BULK $DEFAULT; do
		counted "$index" stats.packets
		counted "$index" stats.drops
	done | paste -sd' ')"
}
cp "$WORK/policy" "$WORK/policy.before"
sed -i 's/^rate = .*/rate = 8bit\nburst = 20k/; s/^debt = .*/debt = 10k/' "$WORK/policy"
with=$(verdicts with)
holds "without a daemon: flows would have been reported" "$(sampled ingress)" '>=' 100
is "without a daemon: verdicts are those without what samples" "$with" "$(verdicts without)"
matches "without a daemon: the default policy loses packets, and storage none" "$with" \
	'^20 20 0 0 0 220 [1-9][0-9]*$'
cp "$WORK/policy.before" "$WORK/policy"

# Between both thresholds the default drops, and the class does not.
sed -i 's/^rate = .*/rate = 8bit\nburst = 20k/; s/^\[default\]$/&\nthreshold = 50%/' \
	"$WORK/policy"
anew
begin
end KILL
before="$(arrived 9996) $(arrived 50001)"
send data 9996 30 1000
send data 50001 5 1000
is "killed, below the default's threshold: a connection that begins loses nothing if that of \
its class is lower" \
	"$(($(arrived 9996) - ${before% *})) $(($(arrived 50001) - ${before#* }))" "9 5"
cp "$WORK/policy.before" "$WORK/policy"

# Two endpoints share a device.
anew
cat >>"$WORK/policy" <<-'END'
	address = 10.9.0.2
	[endpoint other]
	device = vm0
	address = 10.9.0.3
	bucket = 2
	rate = 20mbit
	debt = unlimited
	[class tunnel]
	order = 40
	policy = drop
	match = any peer 10.9.0.1
END
begin
for own in 10.9.0.2 10.9.0.3; do
	export RAMP_OWN=$own
	send udp 0 100 1000
	send gre 0 1 100
	sleep 1
	send udp 0 100 1000
	send gre 0 10 100
	"$ORCH/flows.py" back vm0 0 100 1000
	send nvme 9999 $((${own##*.} * 100)) 1000
done
unset RAMP_OWN
is "two endpoints on a device: each flow has an entry" "$(entries) $(entries egress)" "204 204"
is "two endpoints on a device: known flows are charged to the bucket of their address" \
	"$(counted $BULK stats.packets) $(counted $BULK2 stats.packets)" "200 200"
is "two endpoints on a device: so is storage by PDUs" \
	"$(counted $STORAGE stats.packets) $(counted $STORAGE2 stats.packets)" "200 300"
is "a flow of a protocol without a name has an entry that matches" \
	"$(counted $((64 + 40)) stats.packets) $(counted $((128 + 40)) stats.packets)" "10 10"
end
sed -i 's/order = 20/order = 21/' "$WORK/policy"
begin
end
is "two endpoints on a device: storage by PDUs has the action that another order gives it" \
	"$(tc -j filter show dev vm0 ingress chain 890 | jq -c \
		'[.[].options.actions[]?.index] | sort')" "[$((64 + 21)),$((128 + 21))]"
sed -i 's/order = 21/order = 20/' "$WORK/policy"

# One scans ports. The other one's number does not fit into 16 bits.
sed -i '/^address/d; /^\[class tunnel/,$d' "$WORK/policy"
sed -i '/^\[endpoint other/,$ s/^device = vm0/device = vm1/' "$WORK/policy"
anew
pair 1 65536
begin --flows 100
send udp 0 2000 1000
sleep 1
is "one endpoint alone may have all entries" "$(entries) $(entries ingress 900 vm1)" "100 0"
send_by 1 udp 0 30 1000
sleep 1
is "another endpoint has its entries all the same, also on a device of a high number" \
	"$(entries) $(entries ingress 900 vm1) $(entries egress 900 vm1)" "70 30 30"
"$ORCH/flows.py" back vm1 5000 30 1000
send udp 5000 2000 1000
sleep 1
is "the first one cannot take them back" "$(entries) $(entries egress 900 vm1)" "50 50"
sleep $((IDLE * 2))
send udp 40000 20000 2000000
send_by 1 udp 10000 40 1000
sleep 1
is "whoever reports as much as may be leaves reports to others" "$(entries ingress 900 vm1)" 40
end
is "the daemon ends" $? 0

# More flows than the classifier remembers, none of which needs an entry. By then nobody else
# has a share of what may be reported.
anew
begin
sleep 2
send udp 41000000 70000 4000
send udp 30000 10 1000
sleep 1
is "70000 flows, more than are remembered: each is reported, and what comes then has entries" \
	"$(sampled ingress) $(entries)" "70010 10"
holds "70000 flows: memory of the daemon, in kB" "$(memory)" '<' 65536
# More reports than wait for a daemon that does not read.
kill -STOP $DAEMON_PID
send udp 42000000 20000 4000
send udp 31000 10 1000
kill -CONT $DAEMON_PID
sleep 1
holds "reports that are lost: the daemon says so" "$(grep -c 'events were lost' "$WORK/log")" '>' 0
is "reports that are lost: those flows have no entry" "$(entries)" 10
sleep 10
send udp 31000 10 1000
sleep 1
is "reports that are lost: ten seconds later they have" "$(entries)" 20
end
is "reports that are lost: it is still the same daemon, and has counted it" \
	"$? $(awk '$1 == "mpolice_flows_lost_total" { print ($2 > 0) }' "$WORK/flows.prom")" "0 1"
ktap_end
