# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # setup_ns sets src and dst
#
# Candidate sets: which ports a frame may use, by its priority, mark, VLAN and
# destination; sets that overlap, that change under traffic, that are empty, whose
# flows share entries, and whose ports are all down. What time_spread_sets.sh and func_spread_sets.sh share.

FRAMES=64	# of each run: of four ports none is missed once in 10^7

# begin - four ports, frames go anywhere.
begin()
{
	team spread
	veth_ports 4
	setopts "spread_flowlet 0"
}

# masks MASK... - of p0, p1, ...
masks()
{
	local n=0 mask

	for mask; do
		setopts "spread_sets $((mask)) p$n"
		n=$((n + 1))
	done
}

# some [OPTION...] - sends FRAMES frames, each with a flow of its own.
some()
{
	flows -f $FRAMES "$@" >/dev/null
}

# used FIRST - which ports got frames of the flows FIRST .. FIRST + 63, and how many
# those were together.
used()
{
	awk -v first="$1" -v last=$(($1 + FRAMES - 1)) '
		$3 >= first && $3 <= last { seen[$2]++; all++ }
		END {
			for (port = 0; port < 8; port++)
				if (port in seen)
					text = text "p" port " "
			print text all + 0
		}' "$NET_WORK/caught"
}

# The same sets by each index: 0 has p0; 1 has p1 and p2; 2 has p2 and p3, so they
# overlap; 33 is set 1 again; 3 is empty, and all ports are its.
indices()
{
	local index option n got wanted
	local -A runs=(
		[priority]="-p 0|-p 1|-p 2|-p 33|-p 3"
		[mark]="-m 0|-m 1|-m 2|-m 33|-m 3"
		[vlan]="-v 0x2000|-v 1|-v 2|-v 0x6021|-v 3"
		[dst]="-d 02:00:00:00:00:02|-d 02:00:00:00:00:03|-d 00:10:00:10:00:02|-d 42:00:00:00:00:62|-d 00:00:00:00:00:03"
		[ip]="-a 10.10.1.1|-a 10.10.1.0|-a 10.10.2.0|-a 10.10.0.32|-a 10.10.3.0"
	)

	for index in priority mark vlan dst ip; do
		begin
		masks 1 2 6 4
		setopts "spread_index $index"
		catch_start
		n=0
		while IFS= read -r option; do
			# shellcheck disable=SC2086 # several words
			some -k $((n * FRAMES)) $option
			n=$((n + 1))
		done < <(tr '|' '\n' <<<"${runs[$index]}")
		catch_stop
		got=""
		for ((n = 0; n < 5; n++)); do
			got+="$(used $((n * FRAMES))); "
		done
		wanted="p0 $FRAMES; p1 p2 $FRAMES; p2 p3 $FRAMES; p1 p2 $FRAMES; p0 p1 p2 p3 $FRAMES; "
		is "by $index: the ports of sets 0, 1, 2, 33 and the empty 3" \
			"$got" "$wanted"
		is "by $index: fallbacks are counted" \
			"$(options '[([.ports[].spread_tx |
			tonumber] | add), .team.spread_fallbacks,
			.team.spread_drops_empty, .team.spread_drops_down] |
			join(" ")')" "$((5 * FRAMES)) $FRAMES 0 0"
		is "by $index: each port got what it was handed" \
			"$(of_ports spread_tx)" "$(caught count 4)"
	done
}

# The destination of IPv6, whatever the source. No IPv6 arrives at ramp-catch.
ipv6()
{
	local address got=""

	for address in fdfd::101 fdfd::1 fdfd::2; do
		begin
		masks 1 2 6 4
		setopts "spread_index ip"
		in_src python3 "$SPREAD_PY" ipv6 team0 $address $FRAMES
		got+=$(of_ports spread_tx | awk '{
			for (i = 1; i <= 4; i++)
				if ($i > 0) { printf "p%d ", i - 1; sum += $i }
			print sum "; " }')
	done
	is "by ip: the ports of sets 0, 1 and 2 with IPv6 of many sources" "$got" \
		"p0 $FRAMES; p1 p2 $FRAMES; p2 p3 $FRAMES; "
}

# The same through a bridge, which takes the outer tag out of the frame, and leaves the
# network header at the inner one.
tagged()
{
	local tags device got=""

	ip -n "$src" link add br0 type bridge || {
		lacks "by ip: frames with VLAN tags" "bridge"
		return
	}
	ip -n "$src" link del br0
	for tags in "" 8100 88a8,8100 88a8,88a8,8100; do
		begin
		masks 1 2 6 4
		setopts "spread_index ip"
		ip -n "$src" link add br0 type bridge
		ip -n "$src" link add outer type veth peer name inner
		for device in inner team0; do
			ip -n "$src" link set "$device" master br0
		done
		for device in inner outer br0; do
			ip -n "$src" link set "$device" up
		done
		in_src python3 "$SPREAD_PY" ipv6 outer fdfd::1 $FRAMES $tags
		got+=$(of_ports spread_tx)"; "
		ip -n "$src" link del outer
		ip -n "$src" link del br0
	done
	is "by ip: the ports of set 1 with none, one, two and three VLAN tags" \
		"$(sed -E 's/0 [1-9][0-9]* [1-9][0-9]* 0/p1 p2/g' <<<"$got")" \
		"p1 p2; p1 p2; p1 p2; p1 p2; "
}

# A tag that is beside the frame, as a VLAN device leaves it.
vlan_device()
{
	begin
	masks 1 2 6 4
	setopts "spread_index vlan"
	modprobe -q 8021q
	if ! ip -n "$src" link add link team0 team0.34 type vlan id 34; then
		lacks "by vlan: a VLAN device" "8021q"
		return
	fi
	ip -n "$src" link set team0.34 up
	catch_start
	in_src ramp-flows -i team0.34 -f $FRAMES >/dev/null
	some -k $FRAMES
	catch_stop
	is "by vlan: a VLAN device with id 34 is set 2, untagged 0" \
		"$(used 0); $(used $FRAMES)" "p2 p3 $FRAMES; p0 $FRAMES"
}

# With index none nobody looks at masks.
none()
{
	begin
	masks 0 0 0 0
	catch_start
	some -p 7
	catch_stop
	is "index none: masks do not matter" "$(used 0)" "p0 p1 p2 p3 $FRAMES"
	is "index none: no frame is a fallback" "$(getopt spread_fallbacks)" 0
}

# counts - fallbacks and both kinds of drops
counts()
{
	options '.team | [.spread_fallbacks, .spread_drops_empty,
		.spread_drops_down] | join(" ")'
}

# Sets without a port, and sets whose ports are all down.
empty()
{
	begin
	setopts "spread_index priority"
	masks 1 2 2 4
	catch_start
	some -k 0 -p 3
	setopts "spread_empty drop"
	some -k 64 -p 3
	is "empty set: fallbacks and drops with spread_empty all, then drop" \
		"$(counts)" "$FRAMES $FRAMES 0"
	is "empty set: what is dropped is the team's drop" \
		"$(link_stat "$src" team0 tx.dropped)" $FRAMES

	# p1 and p2 are set 1. One of them down: the other one.
	setopts "spread_empty all" "enabled false p1"
	some -k 128 -p 1
	setopts "enabled false p2"
	some -k 192 -p 1
	is "all ports of a set down: dropped, also with spread_empty all" \
		"$(counts)" "$FRAMES $FRAMES $FRAMES"
	setopts "enabled true p1"
	ip -n "$dst" link set q1 down
	wait_until 10 link_is_down p1
	some -k 256 -p 1
	is "all ports of a set without carrier: dropped as if they were down" \
		"$(counts)" "$FRAMES $FRAMES $((2 * FRAMES))"
	ip -n "$dst" link set q1 up
	wait_until 10 link_is_up p1
	some -k 320 -p 1

	# All ports of the team are down.
	for port in p0 p1 p3; do
		setopts "enabled false $port"
	done
	some -k 384 -p 3
	for port in p0 p1 p2 p3; do
		setopts "enabled true $port"
	done
	some -k 448 -p 1
	catch_stop
	is "empty set, spread_empty all" "$(used 0)" "p0 p1 p2 p3 $FRAMES"
	is "empty set, spread_empty drop" "$(used 64)" 0
	is "one port of the set is disabled: the other one has all" \
		"$(used 128)" "p2 $FRAMES"
	is "all ports of the set are disabled: none has any" "$(used 192)" 0
	is "all ports of the set are disabled or without carrier: none has any" \
		"$(used 256)" 0
	is "the carrier of a port of the set is back: it has all" \
		"$(used 320)" "p1 $FRAMES"
	is "all ports of the team are disabled: none has any" "$(used 384)" 0
	is "all ports of the set are back: they have all" "$(used 448)" "p1 p2 $FRAMES"
}

# shellcheck disable=SC2317 # called by wait_until
link_is_down()
{
	ip -n "$src" -j link show dev "$1" | jq -e \
		'.[0].flags | index("LOWER_UP") | not' >/dev/null &&
		! port_linkup "$1"
}

# shellcheck disable=SC2317 # called by wait_until
link_is_up()
{
	port_linkup "$1"
}

# shellcheck disable=SC2317 # called by link_is_up
port_linkup()
{
	in_src teamnl team0 ports | grep -qE " $1: up"
}

# changing BURSTS - masks change while frames of two sets come, 20 each 4 ms; no
# frame is lost or leaves its set.
changing()
{
	local sender round all=$((20 * $1))

	begin
	setopts "spread_index priority"
	masks 1 1 2 2
	catch_start
	flows -f 20 -e 4ms -n "$1" -p 0 >"$NET_WORK/sent0" &
	sender=$!
	flows -f 20 -e 4ms -n "$1" -p 1 -k 1000 >"$NET_WORK/sent1" &
	for ((round = 0; round < 10; round++)); do
		# p1 and p2 move from one set to the other, and into both.
		masks 1 $((1 + round % 3)) $((3 - round % 3)) 2
		sleep 0.1
	done
	masks 1 1 2 2
	wait $sender $!
	catch_stop
	is "changed under traffic: frames of set 0" \
		"$(caught check $all --last 999 | sed 's/ reordered.*//')" \
		"received $all lost 0 doubled 0"
	is "changed under traffic: frames of set 1" \
		"$(caught check $all --first 1000 | sed 's/ reordered.*//')" \
		"received $all lost 0 doubled 0"
	is "changed under traffic: p3 has none of set 0, p0 none of set 1" \
		"$(caught count 4 --last 999 | cut -d' ' -f4) $(
			caught count 4 --first 1000 | cut -d' ' -f1)" "0 0"
	within "changed under traffic: p1 had some of set 1" \
		"$(caught count 4 --first 1000 | cut -d' ' -f2)" 1 $((all - 1))
	is "changed under traffic: no set was empty" "$(counts)" "0 0 0"
}

# A port that is down, and is back, is so for all of its sets, also when no sample is due:
# the frame that has no other port finds it out.
back()
{
	local n

	begin
	setopts "spread_index priority" "spread_interval 1000000"
	masks 3 2 0 0
	for n in 0 1; do
		setopts "spread_capacity 10000000 p$n"
	done
	catch_start
	some -p 1
	setopts "enabled false p0"
	some -k 64 -p 0
	some -k 128 -p 1
	setopts "enabled true p0"
	some -k 192 -p 0
	some -k 256 -p 1
	catch_stop
	is "a port of two sets is down: the only one of set 0" "$(used 64)" 0
	is "a port of two sets is down: one of two of set 1" \
		"$(used 0), $(used 128)" "p0 p1 $FRAMES, p1 $FRAMES"
	is "a port of two sets is back: the only one of set 0" "$(used 192)" "p0 $FRAMES"
	is "a port of two sets is back: one of two of set 1" "$(used 256)" "p0 p1 $FRAMES"
}

# A flow that was one of all ports', and is one of a set's, has not moved where it stays
# on its port.
indexed()
{
	begin
	masks 1 0 0 0
	for port in p1 p2 p3; do
		setopts "enabled false $port"
	done
	setopts "spread_flowlet 1000"
	some
	setopts "spread_index priority"
	sleep 0.01
	some
	is "flows of all ports come to a set, at the port that they had: frames, moves" \
		"$(getopt spread_tx p0) $(getopt spread_moves)" "$((2 * FRAMES)) 0"
}

# shared - two sets without a port in common have flows that share entries of the
# table: each flow stays on its port, while it shares, and when the other one has gone
# for longer than a flowlet. Of 800 flows of each set 156 pairs share one, and 15 times
# two flows of set 1 share one of set 0, whose flows come first.
shared()
{
	local sender flows=800 all

	begin
	setopts "spread_index priority" "spread_flowlet 1000000"
	masks 1 1 2 2
	catch_start
	flows -f $flows -e 100ms -n 8 -p 0 >/dev/null &
	sender=$!
	flows -f $flows -e 100ms -n 26 -p 1 -k 1000 -w 200 >/dev/null
	wait $sender
	catch_stop
	all=$((34 * flows))
	is "flows of two sets share entries: arrived" \
		"$(caught check $all)" "received $all lost 0 doubled 0 reordered 0"
	is "flows of two sets share entries: frames at another port" \
		"$(caught changes)" 0
	is "flows of two sets share entries: moves" "$(getopt spread_moves)" 0
	is "flows of two sets share entries: p0 and p1 have set 0, p2 and p3 set 1" \
		"$(caught count 4 --last 999 | cut -d' ' -f3-) $(
			caught count 4 --first 1000 | cut -d' ' -f-2)" "0 0 0 0"
	within "flows of two sets share entries: frames of set 0 on p0" \
		"$(caught count 4 --last 999 | cut -d' ' -f1)" \
		$((8 * flows * 3 / 10)) $((8 * flows * 7 / 10))
}

# sets_tests BURSTS
sets_tests()
{
	indices
	ipv6
	tagged
	vlan_device
	none
	empty
	changing "$1"
	back
	indexed
	shared
}
