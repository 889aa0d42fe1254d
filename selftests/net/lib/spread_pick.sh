# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # setup_ns sets src and dst
#
# The pick among ports of one class: each port's frames are its weight's share, by a
# chi-square test at 1 %, and whatever counts frames counts the same. What
# time_spread_pick.sh and func_spread_pick.sh share.

# Of a port without a queue only what was sent to it counts: here it is never much.
ROOM=10000000

# weights WEIGHT... - a port for each; 2000 * TIMES frames, each a flow of its own.
weights()
{
	local n=0 weight port sum=0 chi limit all=$((2000 * TIMES))

	team spread
	for weight; do
		veth_port $n
		setopts "spread_weight $weight p$n"
		setopts "spread_capacity $ROOM p$n"
		n=$((n + 1))
	done
	setopts "spread_flowlet $FLOWLET"
	catch_start
	# A flow comes back after a second, and may use another port then.
	flows -f 2000 -e 1s -n "$TIMES" >"$NET_WORK/sent"
	catch_stop

	is "$NAME: sent and received" "$(jq .sent "$NET_WORK/sent") $(
		caught check $all | sed 's/ reordered.*//')" \
		"$all received $all lost 0 doubled 0"
	is "$NAME: spread_tx is what each port's peer received" \
		"$(of_ports spread_tx)" "$(caught count $#)"
	for port in "${PORTS[@]}"; do
		sum=$((sum + $(link_stat "$src" "$port" tx.packets)))
	done
	is "$NAME: spread_tx is what the ports have sent" $sum $all
	read -r chi limit < <(caught chi "$@")
	note "$NAME: frames of the ports: $(caught count $#)"
	holds "$NAME: chi-square, at 1 %" "$chi" "<" "$limit"
}

# A weight that is set counts from the next frame on, though no port is in another class.
set_while_used()
{
	local n before

	team spread
	veth_ports 2
	for n in 0 1; do
		setopts "spread_capacity $ROOM p$n"
	done
	setopts "spread_flowlet 0"
	one_cpu flows -f 1000 -e 0ms
	before=$(getopt spread_tx p1)
	setopts "spread_weight 1000 p0"
	one_cpu flows -f 2000 -e 0ms
	within "a weight that is set while frames are sent: 2000 more, of the light port" \
		$(($(getopt spread_tx p1) - before)) 0 100
}

# both_cpus - frames of 2 CPUs at once, 1600 * TIMES of each.
both_cpus()
{
	local n pids=() all=$((3200 * TIMES))

	team spread
	veth_ports 4
	for n in 0 1 2 3; do
		setopts "spread_capacity $ROOM p$n"
	done
	setopts "spread_flowlet 0"
	catch_start
	for n in 0 1; do
		in_src taskset -c $((n % $(nproc))) ramp-flows -i team0 \
			-f 1000 -k $((n * 1000)) -e 400ms \
			-n $((8 * TIMES / 5)) >"$NET_WORK/sent$n" &
		pids+=($!)
	done
	wait "${pids[@]}"
	catch_stop
	is "2 CPUs: received" "$(caught check $all | sed 's/ reordered.*//')" \
		"received $all lost 0 doubled 0"
	is "2 CPUs: spread_tx" "$(of_ports spread_tx)" "$(caught count 4)"
	for n in 0 1 2 3; do
		within "2 CPUs: equal shares, p$n" \
			"$(caught count 4 | cut -d' ' -f$((n + 1)))" $((all * 49 / 200)) \
			$((all * 51 / 200))
	done
}

# A port that was away is owed next to nothing of what it missed. Accounts are of a CPU,
# and hold more the heavier a port is.
away()
{
	local n

	team spread
	veth_ports 2
	for n in 0 1; do
		setopts "spread_capacity $ROOM p$n" "spread_weight 1000 p$n"
	done
	setopts "spread_flowlet 0" "enabled false p1"
	one_cpu flows -f 1000 -b 4 -e 0ms
	is "a port that is away gets nothing" "$(of_ports spread_tx)" "4000 0"
	setopts "enabled true p1"
	# Until a sample is due, which sees it.
	sleep 0.01
	one_cpu flows -f 1000 -b 2 -e 0ms
	within "a port that comes back gets half of 2000" "$(getopt spread_tx p1)" \
		900 1120
}

# one_cpu COMMAND...
one_cpu()
{
	(taskset -p -c 0 "$BASHPID" && "$@") >/dev/null
}

# A weight counts in its class only: a port of a lower one comes first.
class_first()
{
	local port

	team spread
	hold_port 0
	hold_port 1
	setopts "spread_weight 1000 p0" "spread_flowlet 0" "spread_interval 0" \
		"spread_index priority" "spread_sets 2 p1"
	for port in p0 p1; do
		tc -n "$src" qdisc add dev $port root pfifo limit 40
		hold $port credit 0
	done
	flows -f 10 -e 0ms >/dev/null
	setopts "spread_sets 3 p1"
	flows -f 9 -e 0ms >/dev/null
	is "weight 1000 in class 1, weight 1 in class 0: the latter gets all" \
		"$(waiting p0) $(waiting p1)" "10 9"
	setopts "spread_classes 50"
	flows -f 1 -e 0ms >/dev/null
	is "other classes, both ports are in class 0: weight 1000 gets the next frame" \
		"$(waiting p0) $(waiting p1)" "11 9"
}

# pick_tests - with TIMES frames of each flow, a multiple of 5.
pick_tests()
{
	NAME="weights 1 1" FLOWLET=0
	weights 1 1
	NAME="weights 1 2 3 4" FLOWLET=0
	weights 1 2 3 4
	NAME="weights 100 40, flowlets" FLOWLET=500
	weights 100 40
	NAME="weights 1000 1" FLOWLET=0
	weights 1000 1
	set_while_used
	both_cpus
	away
	class_first
}
