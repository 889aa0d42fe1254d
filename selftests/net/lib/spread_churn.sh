# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # setup_ns sets src and dst
#
# Ports that come, go, lose their carrier, are disabled and re-ordered, all of them full
# or down, qdiscs and options that change, and a team that is deleted, while each CPU
# sends: no frame is lost but on the port that died, none goes to a port that is disabled,
# and every frame is in one counter. What time_spread_churn.sh, func_spread_churn.sh and
# long_spread_churn.sh share.
#
#	RAMP_SPREAD_SECONDS	of each, default 5, or 15 where all takes longer

# Functions are called by their names.
# shellcheck disable=SC2317

LENGTH=${RAMP_SPREAD_SECONDS:-$((SLOWER > 1 ? 15 : 5))}
RATE=2000	# frames per second of each sender
SENDERS=2

# begin - four ports; all that is in the way of a frame counts it.
begin()
{
	team spread
	veth_ports 4
	setopts "spread_flowlet ${FLOWLET:-500}"
}

# load - one sender per CPU, until END.
load()
{
	local n

	PIDS=()
	for ((n = 0; n < SENDERS; n++)); do
		in_src taskset -c $((n % $(nproc))) ramp-flows -i team0 -l \
			-f 100 -k $((n * 100)) -e $((100000 / RATE))ms \
			-n $((LENGTH * RATE / 100)) >"$NET_WORK/sent$n" &
		PIDS+=($!)
	done
	END=$(($(date +%s) + LENGTH))
}

# until_end FUNCTION - again and again, as long as frames come.
until_end()
{
	ROUNDS=0
	while [ "$(date +%s)" -lt "$END" ] || [ $ROUNDS -lt 2 ]; do
		# What begins when nobody sends any more is no round.
		kill -0 "${PIDS[0]}" 2>/dev/null || break
		"$1" $ROUNDS
		ROUNDS=$((ROUNDS + 1))
		# Where work costs no time only this makes it pass.
		sleep 0.01
	done
	touch "$NET_WORK/over"
	wait "${PIDS[@]}"
}

sent()
{
	jq -s "[.[].$1] | add" "$NET_WORK"/sent[0-9]
}

# lost_on PORT - frames that were on their way to it when it died.
lost_on()
{
	echo $(($(link_stat "$src" "$1" tx.dropped) +
		$(link_stat "$src" "$1" tx.carrier_errors) +
		$(link_stat "$dst" "q${1#p}" rx.dropped)))
}

# told_nobody TEAM LOST - some kernels let a CPU hand a frame over to the one that has the
# qdisc, and say that it was sent. What is dropped then is a drop of the qdisc alone. There
# are few of these, and none where there is one CPU.
told_nobody()
{
	local late most=$(($2 / 20))

	late=$(($(tc -n "$src" -s -j qdisc show | jq '[.[].drops // 0] | add') - $1))
	[ "$(nproc)" != 1 ] && [ $late -gt 0 ] || late=0
	echo $((late < most ? late : most))
}

# account NAME PORT PER_1000 - what was sent has arrived, or is in a counter of PORT or
# of the team; or of the team alone if PORT is none. A port that is deleted takes its
# counters along: what left it is what its peer has got.
account()
{
	local all got team other=0 own=0 port lost

	[ "$2" = none ] || own=$(lost_on "$2")
	all=$(sent sent)
	got=$(caught check "$all" | awk '{ print $2 }')
	team=$(link_stat "$src" team0 tx.dropped)
	for port in "${PORTS[@]}"; do
		[ "$port" = "$2" ] || other=$((other + $(lost_on "$port")))
	done
	lost=$((all - got))
	note "$1: $ROUNDS rounds, sent $all, not accepted $(sent failed), lost $lost, drops of the team $team, of $2 $own"
	timed within "$1: rounds" "$ROUNDS" 2 1000000
	is "$1: drops of other ports" "$other" 0
	# A drop that the port's device counts may be the team's as well.
	within "$1: lost, all of which was counted" "$lost" 0 \
		$((team + own + $(told_nobody "$team" "$lost")))
	within "$1: few are lost, in 1000" $((lost * 1000 / all)) 0 "$3"
	is "$1: doubled" "$(caught check "$all" | awk '{ print $6 }')" 0
}

# alive NAME - all ports carry frames again.
alive()
{
	local before after port

	before=$(of_ports spread_tx)
	flows -f 1000 -e 500ms -n 1 >/dev/null
	after=$(of_ports spread_tx)
	is "$1: afterwards all ports carry frames" "$(
		paste <(tr ' ' '\n' <<<"$before") <(tr ' ' '\n' <<<"$after") |
		awk '$2 <= $1 { bad++ } $2 > $1 { sum += $2 - $1 }
			END { print bad + 0, sum }')" "0 1000"
}

# exercise NAME FUNCTION PORT PER_1000 - FUNCTION is put on while frames come.
exercise()
{
	begin
	${PREPARE:-true}
	setopts "spread_interval ${INTERVAL:-50}"
	STRAY=0 MEANWHILE=0
	catch_start
	load
	until_end "$2"
	wait_until 10 all_up
	# A slow one sleeps until its next frame may leave, whatever its rate is by then.
	wait_until 10 all_empty
	catch_stop
	account "$1" "$3" "$4"
	alive "$1"
}

all_up()
{
	[ "$(in_src teamnl team0 ports | grep -c ': up')" = 4 ]
}

# Nothing waits in the qdisc of a port.
all_empty()
{
	tc -n "$src" -s -j qdisc show | jq -e 'all(.[]; (.qlen // 0) == 0)'
}

# ---- what is put on

removed()
{
	ip -n "$src" link set p1 nomaster
	sleep 0.02
	ip -n "$src" link set p1 down
	ip -n "$src" link set p1 master team0
	sleep 0.05
}

flapped()
{
	ip -n "$dst" link set q1 down
	sleep 0.05
	ip -n "$dst" link set q1 up
	sleep 0.05
}

# Disabling the first one moves the index of all others. Those that are disabled are
# in a table that no sample replaces soon, and, with flowlets, have flows that never
# pause: neither is a reason to send there.
reordered()
{
	setopt spread_flowlet $(($1 % 2 * 1000000))
	setopt enabled false p0
	setopt enabled false p2
	stray 1 3
	setopt enabled true p0
	setopt enabled true p2
}

# stray N... - adds up in STRAY what the Nth ports (from 1) are handed in 20 ms, with
# more frames than that on others. What was on its way to them is gone after a grace
# period, for which a device that goes has to wait.
stray()
{
	local before after list

	list=$(tr ' ' , <<<"$*")
	ip -n "$src" link add gone type dummy || fail "a dummy device"
	ip -n "$src" link del gone
	before=$(of_ports spread_tx)
	sleep 0.02
	after=$(of_ports spread_tx)
	STRAY=$((STRAY + $(tx_sum "$list" "$after") - $(tx_sum "$list" "$before")))
	MEANWHILE=$((MEANWHILE + $(tx_sum 1-4 "$after") - $(tx_sum 1-4 "$before")))
}

# tx_sum LIST NUMBERS
tx_sum()
{
	cut -d' ' -f"$1" <<<"$2" | awk '{ for (n = 1; n <= NF; n++) sum += $n; print sum }'
}

# Every qdisc that is replaced is read by samples meanwhile. A frame that finds none
# is lost.
replaced()
{
	local kinds=(pfifo fq_codel pfifo_fast "ramp detect off" noqueue)

	# shellcheck disable=SC2086 # several words
	tc -n "$src" qdisc replace dev p1 root ${kinds[$(($1 % 5))]}
}

changed()
{
	local words=(
		"spread_interval 0" "spread_classes 10,20,30,40,50,60,70"
		"spread_index ip" "spread_flowlet 0" "spread_weight 9 p1"
		"spread_capacity 7 p2" "spread_index none" "spread_interval 10"
		"spread_classes 50" "spread_escape false" "spread_flowlet 100"
		"spread_sets 4294967295 p3" "spread_capacity 0 p2"
		"spread_interval 1000" "spread_escape true" "spread_weight 1 p1"
	)

	# shellcheck disable=SC2086 # several words
	setopt ${words[$(($1 % ${#words[@]}))]}
}

# The only port of a set leaves it and comes back: its frames may use all ports meanwhile,
# as long as some table still says that there is one, too.
emptied()
{
	local n

	setopts "spread_sets 1 p0" "spread_sets 2 p1" "spread_sets 2 p2" "spread_sets 2 p3" \
		"spread_index priority"
	for ((n = 0; n < 20; n++)); do
		setopts "spread_sets 2 p0"
		setopts "spread_sets 1 p0"
	done
	setopts "spread_index none"
}

# No port is left that a frame could take: the team driver drops it, and counts that.
disabled()
{
	local port

	for port in "${PORTS[@]}"; do
		setopt enabled false "$port"
	done
	sleep 0.02
	for port in "${PORTS[@]}"; do
		setopt enabled true "$port"
	done
	sleep 0.05
}

# No port that is in use is up: the mode itself drops. One that is up but not in use keeps
# the team's carrier, without which no frame would come so far.
downed()
{
	local port word

	for word in false true; do
		setopt enabled $word p0
		for port in p1 p2 p3; do
			setopt user_linkup $word "$port"
		done
		sleep 0.02
	done
	sleep 0.03
}

user_links()
{
	local port

	for port in p1 p2 p3; do
		setopts "user_linkup true $port" "user_linkup_enabled true $port"
	done
}

# What is slow is full within milliseconds, and is emptied as fast as can be. Its qdisc
# stays, with what waits in it.
filled()
{
	local rate port

	for rate in 80kbit 10gbit; do
		for port in "${PORTS[@]}"; do
			tc -n "$src" qdisc change dev "$port" root tbf rate $rate \
				burst 2000 limit 2000
		done
		sleep 0.2
	done
}

slow_ports()
{
	local port

	for port in "${PORTS[@]}"; do
		tc -n "$src" qdisc add dev "$port" root tbf rate 10gbit \
			burst 2000 limit 2000
	done
}

# of_team NAME - one of its counters
of_team()
{
	link_stat "$src" team0 "$1"
}

# sent_since LINE - has somebody who began later sent frames?
sent_since()
{
	tail -n "+$(($1 + 1))" "$NET_WORK/senders" | jq -se 'any(.[]; .sent > 0)'
}

# The team is deleted and made anew; whoever sends to it meanwhile is refused.
deleted()
{
	local before

	ip -n "$src" link del team0
	ip -n "$src" link add team0 type team
	setopt mode spread
	setopts "spread_flowlet ${FLOWLET:-500}"
	for port in p0 p1 p2 p3; do
		ip -n "$src" link set "$port" down
		ip -n "$src" link set "$port" master team0
	done
	ip -n "$src" link set team0 up
	# Those who had begun with the other team say so, too.
	before=$(($(wc -l <"$NET_WORK/senders") + SENDERS))
	wait_until 60 sent_since $before || note "nobody sends"
}

# deleting NAME FLOWS - a sender's socket ends with its device: many come one after the
# other.
deleting()
{
	local n got=0 all=0

	begin
	catch_start
	END=$(($(date +%s) + LENGTH))
	rm -f "$NET_WORK"/sent[0-9] "$NET_WORK/over"
	: >"$NET_WORK/senders"
	for ((n = 0; n < SENDERS; n++)); do
		while [ ! -e "$NET_WORK/over" ]; do
			in_src taskset -c $((n % $(nproc))) ramp-flows \
				-i team0 -l -f "$2" -k $((n * 100)) -e 50ms \
				-n 4 2>/dev/null
			sleep 0.01
		done >>"$NET_WORK/senders" &
		PIDS[n]=$!
	done
	until_end deleted
	catch_stop
	all=$(jq -s '[.[].sent] | add' "$NET_WORK/senders")
	got=$(wc -l <"$NET_WORK/caught")
	note "$1: $ROUNDS rounds, $(wc -l <"$NET_WORK/senders") senders, sent $all, received $got"
	timed within "$1: rounds" "$ROUNDS" 2 1000000
	# Of a frame that is inside when the team goes nobody can say more.
	within "$1: received of those sent, in 1000" \
		$((all ? got * 1000 / all : 0)) 900 1000
	alive "$1"
}

unload_now()
{
	[ ! -d /sys/module/team_mode_spread ] || rmmod team_mode_spread 2>/dev/null
}

churn_tests()
{
	# A link that goes down is known a moment later.
	exercise "removed and added" removed p1 20
	LENGTH=$(((LENGTH + 2) / 3)) RATE=10000 \
		exercise "removed and added, at all that can be sent" removed p1 50
	exercise "carrier lost" flapped p1 100
	exercise "all disabled" disabled none 900
	holds "all disabled: frames that the team dropped" "$(of_team tx.dropped)" \
		">=" 10
	PREPARE=user_links exercise "all down" downed none 900
	is "all down: frames that the mode dropped are all that the team dropped" \
		"$(getopt spread_drops_down)" "$(of_team tx.dropped)"
	holds "all down: frames that the mode dropped" "$(of_team tx.dropped)" ">=" 10
	PREPARE=slow_ports exercise "all full" filled none 900
	holds "all full: frames that the team dropped" "$(of_team tx.dropped)" ">=" 10
	FLOWLET=0 INTERVAL=1000000 \
		exercise "disabled and re-ordered" reordered p0 0
	timed holds "disabled and re-ordered: frames, while two ports are disabled" \
		"$MEANWHILE" ">" 100
	is "disabled and re-ordered: of these on a disabled port" "$STRAY" 0
	# Each that goes takes along what waits in it: on a slow machine more.
	if [[ ${RAMP_KERNEL-} = uml-time* ]]; then
		exercise "qdiscs replaced" replaced p1 10
	else
		exercise "qdiscs replaced" replaced p1 20
	fi
	exercise "settings changed" changed p1 0
	FLOWLET=0 INTERVAL=0 RATE=5000 exercise "a set is empty at times" emptied none 0
	is "a set is empty at times: frames that found no port" \
		"$(getopt spread_drops_down)" 0
	deleting "deleted" 100
	# Each flow has a port that it would stay at for a second.
	FLOWLET=1000000 deleting "deleted with 32 flows that stay" 16

	ip -n "$src" link del team0
	serve_stop
	cleanup_ns "$src" "$dst"
	wait_until 20 unload_now
	is "the module can be removed" \
		"$(lsmod | grep ^team_mode_spread; ip netns list)" ""
}
