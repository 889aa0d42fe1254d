# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # setup_ns sets src and dst
#
# How full a port is, by the counters of its qdiscs, and who gets the next frame:
# devices that stop when told, so that every number is exact, with each qdisc that a
# port may have. Fullness is read for every frame (spread_interval 0). What
# time_spread_fill.sh and func_spread_fill.sh share.

FIRST=0

# put COUNT - as many frames, each of a flow of its own, so that all tx queues have
# some; and of others each time, for those whose queue is full.
put()
{
	[ "$1" = 0 ] || flows -k $((FIRST = (FIRST + 1009) % 3001)) -f "$1" \
		-e 0ms >/dev/null
}

# new [TXQUEUES] - two ports that take nothing.
new()
{
	team spread
	hold_port 0 "${1:-1}"
	hold_port 1 "${1:-1}"
	hold p0 credit 0
	hold p1 credit 0
	setopts "spread_interval 0" "spread_flowlet 0" "spread_index priority"
	MEMBERS="p0 p1"
}

# only PORT... - the others get no frames: they are in another set.
only()
{
	local port sets

	[ "$MEMBERS" != "$*" ] || return 0
	for port in "${PORTS[@]}"; do
		sets=2
		[[ " $* " != *" $port "* ]] || sets=1
		[[ " $MEMBERS " == *" $port "* && $sets = 1 ]] ||
			setopts "spread_sets $sets $port"
	done
	MEMBERS="$*"
}

# fill PORT LEVEL - puts frames into it until so many wait. One tx queue of several
# may be full before all are.
fill()
{
	only "$1"
	for _ in 1 2 3 4 5; do
		put $(($2 - $(waiting "$1")))
		[ "$(waiting "$1")" != "$2" ] || break
	done
}

# state PORT - fullness and class.
state()
{
	echo "$(getopt spread_fullness "$1") $(getopt spread_class "$1")"
}

# classes LEVEL... - which class a fullness is, of the default and of other bounds.
classes()
{
	local level bounds got wanted

	new
	tc -n "$src" qdisc add dev p0 root pfifo limit 200
	setopts "spread_capacity 100 p0"
	got="" wanted=""
	for level; do
		fill p0 "$level"
		for bounds in 25,50,75 50 10,20,30,40,50,60,70; do
			setopts "spread_classes $bounds"
			got+="$level: $(state p0), "
			wanted+="$level: $((level > 100 ? 100 : level)) $(
				tr , '\n' <<<$bounds |
				awk -v n="$level" '$1 <= n' | wc -l), "
		done
	done
	is "fullness and class, of 4, 2 and 8 classes" "$got" "$wanted"
}

# each PORT QUEUES QDISC... - each tx queue of a port gets a qdisc of its own.
each()
{
	local port=$1 queues=$2 n
	shift 2

	tc -n "$src" qdisc replace dev "$port" root handle 1: mq
	for ((n = 1; n <= queues; n++)); do
		tc -n "$src" qdisc replace dev "$port" parent 1:$n "$@" || return
	done
}

# kind NAME LIMIT QUEUES SOURCE QDISC... - LIMIT is what the port holds; each of
# QUEUES has a qdisc.
kind()
{
	local name=$1 limit=$2 queues=$3 source=$4 port level got before
	shift 4

	new "$queues"
	for port in p0 p1; do
		if [ "$queues" = 1 ]; then
			tc -n "$src" qdisc replace dev $port root handle 1: "$@"
		else
			each $port "$queues" "$@"
		fi || fail "$name: add"
		[ "$source" != txqueuelen ] ||
			ip -n "$src" link set $port txqueuelen $((limit / queues))
		[ "$source" != capacity ] || setopts "spread_capacity $limit $port"
	done
	is "$name: source" "$(getopt spread_source p0)" "$source"

	got=""
	for level in $((limit / 4 - 1)) $((limit / 4)) $((limit / 2 - 1)) \
		$((limit / 2)) $((limit * 3 / 4)); do
		fill p0 "$level"
		got+="$(waiting p0): $(state p0), "
	done
	is "$name: waiting, fullness, class" "$got" "$(
		for level in $((limit / 4 - 1)) $((limit / 4)) $((limit / 2 - 1)) \
			$((limit / 2)) $((limit * 3 / 4)); do
			echo -n "$level: $((100 * level / limit)) $((4 * level / limit)), "
		done)"

	# The other one is in a lower class, up to the same, and then one of both.
	only p0 p1
	before=$(waiting p0)
	put $((limit / 4))
	is "$name: the lower class gets all" "$(waiting p0) $(waiting p1)" \
		"$before $((limit / 4))"
	fill p1 $((limit * 3 / 4 - 1))
	only p0 p1
	put 1
	is "$name: the less full port of the higher classes gets the next frame" \
		"$(waiting p0) $(waiting p1)" \
		"$before $((limit * 3 / 4))"
}

# full - of what kind() has left: a full port gets none while the other has room;
# if all are full frames still go out.
full()
{
	local name=$1 limit=$2 rest before

	fill p0 "$limit"
	is "$name: full" "$(state p0) $(waiting p0)" "100 3 $limit"
	only p0 p1
	rest=$((limit - $(waiting p1) - 1))
	put $rest
	is "$name: full, the other has room" "$(waiting p0) $(waiting p1)" \
		"$limit $((limit - 1))"
	put 1
	is "$name: both are full" "$(waiting p0) $(waiting p1)" "$limit $limit"
	before=$(options '[.ports[].spread_tx | tonumber] | add')
	put 5
	is "$name: both are full, and frames are still handed to a port" \
		"$(options '[([.ports[].spread_tx | tonumber] | add),
			.team.spread_drops_down, .team.spread_drops_empty] |
			join(" ")')" "$((before + 5)) 0 0"
}

# A step reads eight ports. The ninth, which would be the next, has left.
left()
{
	local n index

	team spread
	for n in {0..8}; do
		hold_port "$n"
	done
	setopts "spread_interval 0" "spread_flowlet 0"
	is "a step reads eight of nine ports" \
		"$(traced spread_sample flows -f 1 -e 0ms | wc -l)" 8
	index=$(index_of p8)
	ip -n "$src" link set p8 nomaster
	is "a port that left is not read" "$(traced spread_sample flows -f 1 -e 0ms |
		grep -c "port=$index ")" 0
}

# A ramp that is changed holds more, so that it is less full.
changed()
{
	new
	tc -n "$src" qdisc add dev p0 root handle 1: ramp limit 40 detect off
	fill p0 20
	is "a ramp with limit 40: 20 packets" "$(state p0)" "50 2"
	tc -n "$src" qdisc change dev p0 root handle 1: ramp limit 80
	only p0 p1
	put 1
	is "a ramp that is changed to limit 80: 20 packets" \
		"$(waiting p0) $(state p0)" "20 25 1"
}

# Packets that fq keeps until their time do not wait for the port, and what it drops of a
# flow that has too many is no sign of being full. Any user may have such sockets.
paced()
{
	local port before

	new
	for port in p0 p1; do
		hold $port credit -1
		tc -n "$src" qdisc replace dev $port root fq
	done
	only p0
	in_src python3 "$SPREAD_PY" paced team0 40 30 5000
	is "fq: paced packets are in it" "$(waiting p0)" 1200
	is "fq: a port whose packets are all paced is empty" "$(state p0)" "0 0"
	only p0 p1
	before=$(getopt spread_tx p0)
	# It got all frames before, so the other one is ahead first.
	put 300
	within "fq: frames for a port whose packets are all paced" \
		$(($(getopt spread_tx p0) - before)) 80 200

	only p1
	in_src python3 "$SPREAD_PY" paced team0 1 150 5000
	put 1
	holds "fq: a flow that has too many packets loses some" \
		"$(port_qdisc p1 .drops)" ">" 0
	is "fq: what a flow lost says nothing of what the port holds" \
		"$(getopt spread_source p1) $(state p1)" "txqueuelen 0 0"
	hold p1 credit 0
	# By its hash one of the next flows may be the one that is full.
	tc -n "$src" qdisc change dev p1 root fq flow_limit 1000
	put 100
	is "fq: a port that takes nothing has all that is in its fq" \
		"$(waiting p1) $(state p1)" "200 20 0"

	new 4
	hold p0 credit -1
	each p0 4 fq || fail "mq of fq: add"
	only p0
	in_src python3 "$SPREAD_PY" paced team0 40 30 5000
	is "mq of fq: a port whose packets are all paced" \
		"$(waiting p0) $(state p0)" "1200 0 0"
}

# A qdisc without a limit, in front of a device that does not say how much it may hold.
no_length()
{
	new
	tc -n "$src" qdisc replace dev p0 root prio
	ip -n "$src" link set p0 txqueuelen 0
	only p0
	put 100
	is "prio, txqueuelen 0: it holds 1000 packets" "$(waiting p0) $(state p0)" "100 10 0"
}

# Counted against capacity, ports that are over it are all full; then the one that
# has least over counts.
least_bad()
{
	local port

	new
	for port in p0 p1; do
		tc -n "$src" qdisc add dev $port root pfifo limit 200
		setopts "spread_capacity 40 $port"
	done
	fill p0 60
	fill p1 40
	is "all full: fullness" "$(of_ports spread_fullness)" "100 100"
	only p0 p1
	put 10
	is "all full: the least full gets the next frame" \
		"$(waiting p0) $(waiting p1)" \
		"60 50"
	hold p0 credit 21
	is "all full: one drains, and has room" "$(waiting p0) $(state p0)" "39 97 3"
	put 1
	is "all full: the one that drained gets the next frame" \
		"$(waiting p0) $(waiting p1)" "40 50"
}

# What the tracepoint says of the sample that a frame takes, before it is sent.
sampled()
{
	local port

	new
	for port in p0 p1; do
		tc -n "$src" qdisc add dev $port root pfifo limit 40
	done
	fill p0 10
	only p0 p1
	is "spread_sample: events of both ports" \
		"$(traced spread_sample put 1 | sort | sed 's/sample=[0-9]* //')" \
		"$(printf 'port=%d waiting=%d capacity=40 class=%d up=1\n' \
			"$(index_of p0)" 10 1 "$(index_of p1)" 0 0 | sort)"
	is "spread_sample: the number of the sample is spread_samples" \
		"$(traced spread_sample put 1 | head -n 1 |
			sed 's/.*sample=\([0-9]*\) .*/\1/')" \
		"$(getopt spread_samples)"
}

# A step reads 32 queues: a port that has more is read by several, none of which is
# forgotten, and the next port goes on where it was.
many_queues()
{
	local port n trace

	new 40
	for port in p0 p1; do
		echo "qdisc replace dev $port root handle 1: mq"
		for ((n = 1; n <= 40; n++)); do
			printf 'qdisc replace dev %s parent 1:%x pfifo limit 100\n' \
				$port $n
		done
	done | tc -n "$src" -batch - || fail "40 queues: add"
	fill p0 1000
	fill p1 200
	only p1
	# 30 steps read 960 queues: 12 times those of both.
	trace=$(traced spread_sample put 30 | sed 's/sample=[0-9]* //')
	for port in p0 p1; do
		within "40 queues: readings of $port" \
			"$(grep -c "port=$(index_of $port) " <<<"$trace")" 11 13
	done
	is "40 queues: what all of them hold" \
		"$(grep "port=$(index_of p0) " <<<"$trace" | sort -u)" \
		"port=$(index_of p0) waiting=1000 capacity=4000 class=1 up=1"
	is "40 queues: fullness" "$(of_ports spread_fullness)" "25 5"
}

# No queue: what the driver has in flight, by BQL.
bql()
{
	local port file

	team spread
	for port in 0 1; do
		hold_port $port 1 bql
		tc -n "$src" qdisc replace dev p$port root noqueue
		for file in limit_min limit_max limit; do
			in_src sh -c "echo 4000 >/sys/class/net/p$port/queues/tx-0/byte_queue_limits/$file"
		done
	done
	setopts "spread_interval 0" "spread_flowlet 0" "spread_index priority"
	MEMBERS="p0 p1"
	# BQL takes a limit from the next completion on.
	only p0
	put 1
	hold p0 inflight 1
	only p1
	put 1
	hold p1 inflight 1
	is "noqueue with BQL: source" "$(of_ports spread_source)" "bql bql"

	# Frames of 200 bytes: 5 % each.
	only p0
	put 4
	is "noqueue with BQL: 4 in flight" "$(hold p0 inflight) $(state p0)" "4 20 0"
	put 1
	is "noqueue with BQL: 5 in flight" "$(hold p0 inflight) $(state p0)" "5 25 1"
	only p0 p1
	put 5
	is "noqueue with BQL: the lower class gets all" \
		"$(hold p0 inflight) $(hold p1 inflight)" "5 5"
	hold p0 inflight 2
	put 2
	is "noqueue with BQL: the one that completed gets the next" \
		"$(hold p0 inflight) $(hold p1 inflight)" "5 5"
}

# Neither queue nor BQL: what was sent since the sample. One CPU sends, and the first
# of these frames takes the only sample.
unseen()
{
	team spread
	veth_ports 2
	setopts "spread_interval 1000000" "spread_flowlet 0" \
		"spread_capacity 40 p0" "spread_capacity 400 p1"
	is "noqueue: source" "$(of_ports spread_source)" "sent sent"
	catch_start
	# p0 is left with 10 frames, p1 with 100, p0 again with 20.
	(taskset -p -c 0 "$BASHPID" && flows -f 160 -e 0ms) >/dev/null
	is "noqueue: the lower class gets all, class by class" \
		"$(of_ports spread_tx)" "20 140"
	is "noqueue: fullness and class" "$(of_ports spread_fullness) $(
		of_ports spread_class)" "50 35 2 1"
	flows -f 16 -e 5ms -n 100 -k 1000 >/dev/null
	catch_stop
	is "noqueue: all arrive" "$(caught check 1760)" \
		"received 1760 lost 0 doubled 0 reordered 0"
}

# fill_tests - what every kernel has to show: the qdiscs that ports have most, and
# those without one.
fill_tests()
{
	kind "pfifo" 40 1 limit pfifo limit 40
	full "pfifo" 40
	kind "fq_codel" 40 1 limit fq_codel limit 40
	kind "ramp" 40 1 limit ramp limit 40 detect off
	full "ramp" 40
	kind "pfifo_fast" 40 1 txqueuelen pfifo_fast
	full "pfifo_fast" 40
	kind "mq of pfifo" 400 4 limit pfifo limit 100
	kind "mq of fq_codel" 400 4 limit fq_codel limit 100
	kind "mq of pfifo_fast" 400 4 txqueuelen pfifo_fast
	kind "mq of ramp" 400 4 limit ramp limit 100 detect off
	changed
	least_bad
	left
	sampled
	many_queues
	bql
	unseen
}
