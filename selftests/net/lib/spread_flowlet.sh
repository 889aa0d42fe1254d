# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # setup_ns sets src and dst
#
# Flowlets: a flow stays on its port while it does not pause; a port that goes away
# ends that, one that is full too; a pause lets it move. Which gaps there were is
# judged by when a frame was sent and when it arrived: between these the mode saw it.
# What time_spread_flowlet.sh and func_spread_flowlet.sh share.

FLOWLET=50000000	# ns
TICK=5000		# ns, what the mode and its clock may differ from it
ROOM=10000000

# begin PORTS FLOWLET_US
begin()
{
	local n

	team spread
	veth_ports "$1"
	for ((n = 0; n < $1; n++)); do
		setopts "spread_capacity $ROOM p$n"
	done
	setopts "spread_flowlet $2"
}

# ports_of FLOW - in the order in which it used them.
ports_of()
{
	sort -n -k4 <(awk -v flow="$1" '$3 == flow' "$NET_WORK/caught") |
		cut -d' ' -f2 | uniq | paste -sd' '
}

# bursts FLOWS COUNT - 10 frames each with pauses of 4 flowlets: within one none
# moves, after one half of them.
bursts()
{
	local pauses moved early changes least
	local all=$(($1 * 10 * $2)) most=$(($1 * ($2 - 1)))

	begin 2 $((FLOWLET / 1000))
	catch_start
	flows -f "$1" -b 10 -g 2ms -e 220ms -n "$2" >/dev/null
	catch_stop
	is "bursts: received" "$(caught check $all | sed 's/ reordered.*//')" \
		"received $all lost 0 doubled 0"
	read -r _ pauses _ moved _ early < <(
		caught moves $FLOWLET $TICK --seen)
	least=$((most * 4 / 5))
	# A machine that is away for a flowlet makes a pause within a burst.
	[[ ${RAMP_KERNEL-} = uml-time* ]] || most=$((most * 11 / 10))
	within "bursts: pauses" "$pauses" $least $most
	is "bursts: no flow moves without a pause" "$early" 0
	within "bursts: half of the pauses are moves, in percent" \
		$((moved * 100 / pauses)) 40 60
	# Flows that share an entry of the table move together, and are counted
	# as one; if one pauses while the other does not, as more than one.
	changes=$(caught changes)
	within "bursts: moves are counted" "$(getopt spread_moves)" \
		$((changes * 17 / 20)) $((changes * 23 / 20))
	is "bursts: no escape" "$(getopt spread_escapes)" 0
	within "bursts: frames on p0" "$(caught count 2 | cut -d' ' -f1)" \
		$((all * 2 / 5)) $((all * 3 / 5))
}

# Without flowlets the frames of a flow go to any port.
off()
{
	begin 2 0
	catch_start
	flows -f 10 -b 100 -g 1ms -e 100ms >/dev/null
	catch_stop
	within "spread_flowlet 0: moves without a pause" \
		"$(caught moves 1000000000 0 | sed 's/.*early //')" 350 650
}

# One flow without a pause, whose port is taken away: it moves once, at once, and
# does not come back when the port does.
taken_away()
{
	local sender own other

	begin 3 1000000
	catch_start
	flows -b 3000 -g 1ms -e 3s >"$NET_WORK/sent" &
	sender=$!
	sleep 0.5
	own=$(of_ports spread_tx | awk '{
		for (n = 1; n <= NF; n++) if ($n) printf " p%d", n - 1 }')
	own=${own# }
	is "a port is taken away: before it one flow uses one port" \
		"$(wc -w <<<"$own")" 1
	case $1 in
	disabled) setopts "enabled false $own" ;;
	"in another set") setopts "spread_index priority" \
		"spread_sets 2 $own" ;;
	removed) ip -n "$src" link set "$own" nomaster ;;
	esac
	sleep 0.5
	case $1 in
	disabled) setopts "enabled true $own" ;;
	"in another set") setopts "spread_sets 1 $own" ;;
	removed) ip -n "$src" link set "$own" down
		ip -n "$src" link set "$own" master team0 ;;
	esac
	wait $sender
	catch_stop
	matches "port $1: the flow goes on at one other port" "$(ports_of 0)" \
		"^${own#p} [0-2]\$"
	other=$(ports_of 0)
	holds "port $1: the port that the flow goes on at is another one" \
		"${other#* }" "!=" "${own#p}"
	is "port $1: the move is counted" "$(getopt spread_moves)" 1
	# A frame may be on its way to a port that goes for good.
	holds "port $1: frames lost" "$(caught check 3000 | awk '{ print $4 }')" \
		"<=" $(($([ "$1" = removed ] && echo 1 || echo 0)))
}

# A full port is left within a flowlet; the flow has its new port then.
full()
{
	local own other sender trace moves

	team spread
	hold_port 0
	hold_port 1
	setopts "spread_flowlet 1000000" "spread_interval 0" "spread_escape false"
	for port in p0 p1; do
		tc -n "$src" qdisc add dev $port root pfifo limit 40
		hold $port credit 0
	done
	trace=$(traced spread_move flows -b 60 -e 0ms | cut -d' ' -f2-)
	own=p0 other=p1
	[ "$(waiting p0)" = 40 ] || own=p1 other=p0
	is "full: a flow fills its port, and the rest goes to the other one" \
		"$(waiting $own) $(waiting $other)" "40 20"
	is "full: the tracepoint spread_move says why, and where to" "$trace" \
		"why=leaves set=32 to=$(index_of $other)"
	is "full: the move is counted" "$(getopt spread_moves)" 1
	# The old port has room again, in the midst of a flowlet.
	flows -b 16 -g 60ms -e 0ms >/dev/null &
	sender=$!
	wait_until 5 waiting_is $other 22
	hold $own credit 40
	within "full: frames at the old port after it has room" \
		"$(waiting $other)" 22 34
	wait $sender
	is "full: the flow stays at its new port" \
		"$(waiting $own) $(waiting $other)" "0 36"
	flows -b 100 -e 0ms >/dev/null
	is "full: both are" "$(waiting $own) $(waiting $other)" "40 40"
	moves=$(getopt spread_moves)
	flows -b 100 -e 0ms >/dev/null
	is "both are full: the flow stays where it is" "$(getopt spread_moves)" "$moves"
}

# shellcheck disable=SC2317 # called by wait_until
waiting_is()
{
	[ "$(waiting "$1")" -ge "$2" ]
}

# A flow that never pauses leaves a port that is far fuller than the other. In time
# travel time_spread_escape.sh shows when.
escape()
{
	local own other escape port

	for escape in false true; do
		team spread
		hold_port 0
		hold_port 1
		setopts "spread_flowlet 150000" "spread_interval 1000" \
			"spread_escape $escape"
		for port in p0 p1; do
			tc -n "$src" qdisc add dev $port root pfifo limit 1000
			hold $port credit 0
		done
		# Two classes above from 500 frames on, and 4 flowlets later it
		# may go.
		flows -b 980 -g 2ms -e 0ms >/dev/null
		own=p0 other=p1
		[ "$(waiting p0)" -gt "$(waiting p1)" ] || own=p1 other=p0
		if [ $escape = false ]; then
			is "spread_escape false: the flow stays" \
				"$(waiting $own) $(waiting $other) $(
					getopt spread_escapes)" "980 0 0"
		else
			within "spread_escape: it stayed for 4 flowlets" \
				"$(waiting $own)" 790 979
			is "spread_escape: frames, escapes, moves" \
				"$(($(waiting $own) + $(waiting $other))) $(
					getopt spread_escapes) $(
					getopt spread_moves)" "980 1 0"
		fi
	done
}

# flowlet_tests FLOWS BURSTS - of bursts().
flowlet_tests()
{
	bursts "$@"
	off
	taken_away disabled
	taken_away "in another set"
	taken_away removed
	full
	escape
}
