# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Six routers with FRR's ospfd, each in a network namespace, and three hosts:
#
#	     h1                    A ring with three chords: each router has three
#	     |                     links, two of which may go.
#	    r1 --- r2
#	   /  \   /  \
#	  r6---\-/---r3 -- h3      r1-r4, r2-r5, r3-r6 cross in the middle
#	   \   / \   /
#	    r5 --- r4
#	    |
#	    h5

ORCH=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CARBON=$ORCH/../../Documentation/examples/carbon
# shellcheck source=selftests/lib/ktap.sh
. "$ORCH/../lib/ktap.sh"

FRR=/usr/lib/frr
ROUTERS=(r1 r2 r3 r4 r5 r6)
LINKS=(r1-r2 r2-r3 r3-r4 r4-r5 r5-r6 r6-r1 r1-r4 r2-r5 r3-r6)
HOSTS=(h1 h3 h5)
# Of the UK: clean and dirty ones side by side.
declare -A REGION=([r1]=3 [r2]=7 [r3]=5 [r4]=11 [r5]=1 [r6]=4)
GEARS=3mbit,6mbit,10mbit,14mbit,18mbit,20mbit
RATE=20mbit
WATTS=100
PORT=7000

lab_init()
{
	local tool

	echo "KTAP version 1"
	for tool in ip tc jq python3 vtysh "$FRR/ospfd" "$FRR/zebra"; do
		[ -n "$(command -v "$tool")" ] || missing "$tool"
	done
	modprobe -q sch_ramp || missing "module sch_ramp"
	WORK=$(mktemp -d)
	PIDS=()
	trap lab_end EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

lab_end()
{
	local name

	lab_stop
	for name in "${HOSTS[@]}" "${ROUTERS[@]}"; do
		ip netns del "$name" 2>/dev/null
	done
	rm -rf "$WORK"
}

# lab_stop - ends what runs in the background.
lab_stop()
{
	local file

	[ ${#PIDS[@]} = 0 ] || {
		kill "${PIDS[@]}" 2>/dev/null
		wait "${PIDS[@]}" 2>/dev/null
	}
	PIDS=()
	for file in /run/frr/r?/*.pid; do
		[ ! -e "$file" ] || kill "$(<"$file")" 2>/dev/null
	done
	# Daemons of FRR take routes back.
	sleep 1
	rm -rf /run/frr/r?
}

# between A B NET - a link with a device at each end, named by the other.
between()
{
	ip link add name "to-$2" netns "$1" type veth peer name "to-$1" netns "$2"
	ip -n "$1" addr add "10.1.$3.1/30" dev "to-$2"
	ip -n "$2" addr add "10.1.$3.2/30" dev "to-$1"
	ip -n "$1" link set "to-$2" up
	ip -n "$2" link set "to-$1" up
}

# ports_of ROUTER - its devices to other routers.
ports_of()
{
	ip -n "$1" -j link show | jq -r '.[].ifname | select(startswith("to-r"))'
}

# lab_make - namespaces, links and OSPF, anew, with all links up.
lab_make()
{
	local name link n=0

	for name in "${HOSTS[@]}" "${ROUTERS[@]}"; do
		ip netns del "$name" 2>/dev/null
		ip netns add "$name"
		ip -n "$name" link set lo up
		ip netns exec "$name" sysctl -wq net.ipv4.ip_forward=1
	done
	for link in "${LINKS[@]}"; do
		between "${link%-*}" "${link#*-}" $((++n))
	done
	for name in "${HOSTS[@]}"; do
		between "r${name#h}" "$name" "10${name#h}"
		ip -n "$name" route add default via "10.1.10${name#h}.1"
	done
	for name in "${ROUTERS[@]}"; do
		router_configure "$name"
		router_daemon "$name" zebra
	done
	for name in "${ROUTERS[@]}"; do
		zebra_settle "$name"
		router_daemon "$name" ospfd
	done
	lab_settle
}

# zebra_settle ROUTER - waits until zebra has read the addresses of all ports. An ospfd that
# comes before may be told of an address before its device: such a port has OSPF's network
# type "Null" for ever, and its network is announced to nobody.
zebra_settle()
{
	local known='no answer' wanted
	wanted=$(ip -n "$1" -4 -o addr show | awk '/ to-/ { n++ } END { print n + 0 }')

	for _ in {1..50}; do
		# None is an answer, one of a zebra that is not there yet is not.
		known=$(vtysh -N "$1" -d zebra -c "show interface brief" | awk '
			/^to-[a-z0-9]+ +up .* 10\.1\./ { n++ }
			END { print n + 0 }') || known='no answer'
		[ "$wanted" = 0 ] || [ "$known" != "$wanted" ] || return 0
		sleep 0.1
	done
	fail "lab: zebra of $1 knows the addresses of its ports" "$known of $wanted"
}

# lab_settle - waits until all neighbours know each other, and all routers the way to all
# hosts. Some of the first messages meet nobody, and are sent again after three seconds.
lab_settle()
{
	for _ in {1..40}; do
		sleep 1
		! settled || return 0
	done
	fail "lab: all routers know each other, and all hosts" "$UNSETTLED"
}

settled()
{
	local name ways others

	for name in "${ROUTERS[@]}"; do
		others=${#HOSTS[@]}
		[[ " ${HOSTS[*]} " != *" h${name#r} "* ]] || others=$((others - 1))
		ways=$(ip -n "$name" route show proto ospf | grep -cE '^10\.1\.10[0-9]\.')
		UNSETTLED="$name has ways to $ways of $others hosts"
		[ "$ways" = "$others" ] || return
	done
	for name in "${ROUTERS[@]}"; do
		UNSETTLED="$name does not know all neighbours"
		frr "$name" "show ip ospf interface json" |
			jq -e '[.interfaces[].nbrAdjacentCount // 0] | add == 3' >/dev/null || return
	done
}

# address HOST
address()
{
	echo "10.1.10${1#h}.2"
}

# router_configure ROUTER - the file of both daemons.
router_configure()
{
	local name=$1 dir=/etc/frr/$1 port

	mkdir -p "$dir" "/run/frr/$name"
	: >"$dir/vtysh.conf"
	{
		for port in $(ip -n "$name" -j link show | jq -r '.[].ifname'); do
			printf 'interface %s\n ip ospf area 0\n' "$port"
			case $port in
			to-r*)
				# Hellos five times a second, as an hour takes one.
				printf ' %s\n' 'ip ospf network point-to-point' \
					'ip ospf dead-interval minimal hello-multiplier 5' \
					'ip ospf retransmit-interval 3' 'ip ospf cost 100'
				;;
			*) printf ' ip ospf passive\n' ;;
			esac
		done
		printf 'router ospf\n ospf router-id 10.0.0.%s\n' "${name#r}"
		# In an hour of a second a path must not take long.
		printf ' timers throttle spf 0 10 50\n timers throttle lsa all 0\n'
		printf ' timers lsa min-arrival 0\n'
	} >"$dir/frr.conf"
	chown -R frr:frr "$dir" /run/frr
}

# router_daemon ROUTER DAEMON
router_daemon()
{
	ip netns exec "$1" "$FRR/$2" -d -N "$1" -f "/etc/frr/$1/frr.conf" \
		-A 127.0.0.1 >>"$WORK/frr.log" 2>&1
}

# frr ROUTER COMMAND... - asks it.
frr()
{
	local name=$1
	shift

	vtysh -N "$name" "${@/#/-c}"
}

# power_list - W of a port's share of a box, gear by gear: that of the fewest ports
# which its clock carries.
power_list()
{
	python3 -c '
import sys
sys.path.insert(0, sys.argv[1])
from powermodel import PIPELINE, TABLE_4
factors = [TABLE_4[0][1]] + [row[1] for row in TABLE_4[:4]] + [TABLE_4[5][1]]
share = float(sys.argv[2]) / int(sys.argv[3])
print(",".join(f"{share * (1 - PIPELINE + PIPELINE * factor):.3f}" for factor in factors))
' "$CARBON" "$WATTS" "$1"
}

# gears_add - a ramp with gears at each port of each router.
gears_add()
{
	local name port ports list

	for name in "${ROUTERS[@]}"; do
		mapfile -t ports < <(ports_of "$name")
		list=$(IFS=,; echo "${ports[*]}")
		for port in "${ports[@]}"; do
			# shellcheck disable=SC2046 # words
			tc -n "$name" qdisc replace dev "$port" root handle 1: ramp \
				detect off limit 2000 gear-up 10ms gear-down 2ms \
				dwell 20ms idle 250ms freeze auto gear-follow both \
				gears $GEARS gear-ports "$list" \
				power "$(power_list ${#ports[@]})"
		done
	done
}

# network_file - what the controller is told. Times are of the day: of an hour that takes
# a second, 5 min are 83 ms. Costs change each half-hour, and no range of gears is limited before
# two cycles after that.
network_file()
{
	local name link

	cat <<-'END'
	[controller]
	cycle = 5min
	drain-wait = 20min
	settle = 40min
	min-up = 1h
	stale = 30min
	headroom = 40%
	# Hellos.
	idle = 0.5%
	cost-scale = 10
	END
	for name in "${ROUTERS[@]}"; do
		printf '[router %s]\nregion = %s\nrun = ip netns exec %s\n' "$name" \
			"${REGION[$name]}" "$name"
		printf 'vtysh = vtysh -N %s\nwatts = %s\n' "$name" "$WATTS"
	done
	for link in "${LINKS[@]}"; do
		printf '[link %s]\nends = %s:to-%s %s:to-%s\nrate = %s\n' "$link" \
			"${link%-*}" "${link#*-}" "${link#*-}" "${link%-*}" "$RATE"
	done
}

# traffic_begin KBIT HOURS - between all hosts; HOUR is how long an hour takes.
traffic_begin()
{
	local name other others

	SENDERS=() RECEIVERS=()
	rm -f "$WORK"/came-* "$WORK"/sent-*
	for name in "${HOSTS[@]}"; do
		ip netns exec "$name" "$ORCH/traffic.py" receive $PORT "$WORK/came-$name" &
		RECEIVERS+=($!)
	done
	sleep 0.2
	for name in "${HOSTS[@]}"; do
		others=()
		for other in "${HOSTS[@]}"; do
			[ "$other" = "$name" ] || others+=("$(address "$other")")
		done
		ip netns exec "$name" "$ORCH/traffic.py" send $PORT "$1" "$HOUR" "$2" \
			"${others[@]}" >"$WORK/sent-$name" &
		SENDERS+=($!)
	done
	PIDS+=("${SENDERS[@]}" "${RECEIVERS[@]}")
}

# traffic_end - waits for senders, then for what still waits in queues; sets TRAFFIC to
# how many were sent, lost by hour, and came twice, as JSON.
traffic_end()
{
	wait "${SENDERS[@]}"
	sleep 3
	kill "${RECEIVERS[@]}"
	wait "${RECEIVERS[@]}"
	# shellcheck disable=SC2034 # for the test
	TRAFFIC=$(jq -s --slurpfile came <(cat "$WORK"/came-*) '
		def sums: to_entries | group_by(.key) |
			map({key: .[0].key, value: (map(.value) | add)}) | from_entries;
		[.[] | .sent[] | to_entries[] | {hour: .key, count: .value}] |
		group_by(.hour) | map({key: (.[0].hour | tostring),
			value: (map(.count) | add)}) | from_entries as $sent |
		[$came[].came[] | to_entries[]] | group_by(.key) |
		map({key: .[0].key, value: (map(.value) | add)}) | from_entries as $got |
		{sent: ($sent | add), doubles: ($came | map(.doubles) | add),
		 lost: ($sent | with_entries(.value -= ($got[.key] // 0)) |
			with_entries(select(.value != 0)))}' "$WORK"/sent-* |
		jq -c '. + {lost_all: ([.lost[]] | add // 0)}')
}

# outside_begin - from now on all links are looked at.
outside_begin()
{
	local name

	OUTSIDE=()
	rm -f "$WORK"/outside-*
	for name in "${ROUTERS[@]}"; do
		ip netns exec "$name" "$ORCH/outside.py" record "$WORK/outside-$name" &
		OUTSIDE+=($!)
	done
	PIDS+=("${OUTSIDE[@]}")
}

# outside_end BEGAN HOURS - sets SEEN to what was seen from that moment on, as JSON. Loads are
# measured in cycles that are not those of the controller: 2 % of a link more than the headroom
# is none.
outside_end()
{
	local settings

	kill "${OUTSIDE[@]}"
	wait "${OUTSIDE[@]}"
	settings=$(jq -cn '{links: $ARGS.positional, rate: 20000000, headroom: 0.42,
		cycle: ($hour / 12), hour: $hour, hours: $hours, began: $began}' \
		--argjson hour "$HOUR" --argjson hours "$2" --argjson began "$1" --args "${LINKS[@]}")
	# shellcheck disable=SC2034 # for the test
	SEEN=$("$ORCH/outside.py" judge "$settings" "$WORK"/outside-*)
}

# drops - of all qdiscs of routers.
drops()
{
	local name

	for name in "${ROUTERS[@]}"; do
		tc -n "$name" -j -s qdisc show | jq '[.[].drops] | add'
	done | jq -s add
}
