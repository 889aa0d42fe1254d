# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What boxes do that slow each other down. func_feedback.sh has it on the clock of
# the machine, time_feedback.sh in virtual time.

# shellcheck source=selftests/net/lib/feedback.sh
. "$(dirname "${BASH_SOURCE[0]}")/feedback.sh"

# The port takes 4 Mbit/s of the sender's 10: 400 frames per second of 1000. Above
# the ladder there is room for a third of a second of that, as an emulated machine
# may be away for as long.
SLOW=4mbit FAST=10mbit LIMIT=1000

# A code for about what the port can take stays, whatever that is.
LADDER=20%:80%,30%:60%,40%:50%,50%:40%,60%:30%,70%:20%,80%:10%

# Percent of what it can take that a slow port has to have had. A machine that is
# away sends nothing meanwhile.
BUSY=97
[[ ${RAMP_KERNEL-} = uml-time* ]] || BUSY=90

# Priority 6 is band 0, all others are band 1.
TWO="bands 2 priomap 1 1 1 1 1 1 0 0 1 1 1 1 1 1 1 1"

# obeying BOX DEV [PARAMETER...] - the port of a sender
obeying()
{
	local box=$1 dev=$2
	shift 2

	# shellcheck disable=SC2086 # a list
	tc -n "$(box "$box")" qdisc replace dev "$dev" root handle 1: \
		ramp detect off rate $FAST limit 100000 $TWO obey "$@"
}

# chain PARAMETER... - left sends to middle, which passes it on to right by a slow
# port. The parameters are those of the slow port's ramp.
chain()
{
	boxes left middle right
	wire left l0 middle m0
	wire middle m1 right r0
	pass_on middle m0 m1
	slow_port middle m1 $SLOW limit $LIMIT "$@"
	obeying left l0
}

# may_send_all BOX DEV - waits until nobody slows a port.
may_send_all()
{
	wait_until 10 may_send_all_now "$@" || note "$1 is still being slowed"
}

# shellcheck disable=SC2317 # called by wait_until
may_send_all_now()
{
	[ "$(of "$1" "$2" peer_rate)" = 100 ]
}

# lost - frames that the slow port had no room for
lost()
{
	of middle m1 drops
}

without()
{
	chain
	load left l0 $FAST:2s -p 6 >/dev/null
	holds "one sender: without codes frames are lost" "$(lost)" ">=" 100
}

# one SECONDS - the sender has more to send than the port can take, all the time.
one()
{
	local begin end

	chain ladder $LADDER feedback m0
	load left l0 "$FAST:$1s" -p 6 >/dev/null &
	sleep 1
	begin=$(arrived right r0)
	sleep "$1"
	end=$(arrived right r0)
	is "one sender: with codes nothing is lost" "$(lost)" 0
	holds "one sender: frames of the slow port, which is never idle" \
		"$((end - begin))" ">=" "$(($1 * 400 * BUSY / 100))"
	wait $!
	empty left l0
	empty middle m1
	is "one sender: all arrive" "$(of left l0 dequeued)" "$(of middle m1 dequeued)"
	may_send_all left l0
	is "one sender: when the load is over, it may send as it likes" \
		"$(of left l0 peer_rate)" 100
	# On two CPUs one frame may overtake another.
	is "one sender: each frame with codes was heard, whole" \
		"$(of left l0 'codes_received + .codes_stale' codes_malformed)" \
		"$(of middle m1 frames_sent) 0"
	holds "one sender: codes were sent" "$(of middle m1 codes_sent)" ">=" 2
}

# The high band of the slow port has little to do, the low band too much: only that
# is slowed. Then both have: one frame speaks of both.
two_bands()
{
	# shellcheck disable=SC2086 # a list
	chain $TWO ladder $LADDER feedback m0 limit 2000 \
		band-limit 0 $LIMIT band-limit 1 $LIMIT
	hear_codes "$(box left)" l0
	load left l0 9mbit:3s -p 0 >/dev/null &
	load left l0 1mbit:3s -p 6 -n 10 >/dev/null
	is "two bands, the low one has too much: the high one is not slowed" \
		"$(band_rate left l0 1)" "100%"
	holds "two bands, the low one has too much: percent that the low one may send" \
		"$(band_rate left l0 2 | tr -d %)" "<=" 60
	is "two bands, the low one has too much: nothing is lost" "$(lost)" 0
	wait $!
	empty left l0
	codes_end
	is "two bands: each frame speaks of both" \
		"$(codes_heard '.what.codes | keys' | sort -u)" '["0","1"]'
	is "two bands: each frame has the high one as it is" \
		"$(codes_heard '.what.codes["0"]' | sort -u)" 10000
}

# A low band that is to send at all while the high one takes the whole port would
# lose some of it: so it may be stopped.
both_bands()
{
	# shellcheck disable=SC2086 # a list
	chain $TWO ladder "${LADDER%:*}:0%" feedback m0 limit 2000 \
		band-limit 0 $LIMIT band-limit 1 $LIMIT
	obeying left l0 min 0
	hear_codes "$(box left)" l0
	load left l0 $FAST:3s -p 0 >/dev/null &
	load left l0 $FAST:3s -p 6 -n 10 >/dev/null
	is "both bands have too much: nothing is lost" "$(lost)" 0
	wait $!
	empty left l0
	codes_end
	holds "both bands have too much: frames that slow both" \
		"$(codes_heard 'select(.what.codes["0"] < 10000 and
			.what.codes["1"] < 10000)' | wc -l)" ">=" 1
}

# One sender, three receivers with slow ports of their own: it sends as fast as the
# slowest of them can take.
three_receivers()
{
	local n

	boxes left middle right
	wire left l0 middle m0
	obeying left l0
	# One wire from the sender, on which a hub copies to all three.
	tc -n "$(box middle)" qdisc add dev m0 clsact
	for n in 1 2 3; do
		wire middle "m$n" right "r$n"
		slow_port middle "m$n" "$((2 * n))mbit" limit $LIMIT \
			ladder $LADDER feedback m0
	done
	tc -n "$(box middle)" filter add dev m0 ingress protocol 0x88b6 matchall \
		action mirred egress mirror dev m1 pipe \
		action mirred egress mirror dev m2 pipe \
		action mirred egress redirect dev m3
	load left l0 $FAST:3s -p 6 >/dev/null
	is "three receivers: none loses any" \
		"$(for n in 1 2 3; do of middle m$n drops; done | paste -sd' ')" \
		"0 0 0"
	holds "three receivers: frames of the slowest port, which is never idle" \
		"$(arrived right r1)" ">=" "$((3 * 200 * BUSY / 100))"
	empty left l0
	may_send_all left l0
	is "three receivers: the sender is free again" "$(of left l0 peer_rate)" 100
}

# Three senders, one receiver: all are slowed.
three_senders()
{
	local n pids=()

	boxes left middle right
	wire middle m0 right r0
	for n in 1 2 3; do
		wire left "l$n" middle "m$n"
		pass_on middle "m$n" m0
		obeying left "l$n"
	done
	slow_port middle m0 $SLOW limit $LIMIT ladder $LADDER feedback m1,m2,m3
	for n in 1 2 3; do
		load left "l$n" $SLOW:3s -p 6 -n "$n" >/dev/null &
		pids+=($!)
	done
	wait "${pids[@]}"
	is "three senders: nothing is lost" "$(of middle m0 drops)" 0
	holds "three senders: frames of the slow port, which is never idle" \
		"$(arrived right r0)" ">=" "$((3 * 400 * BUSY / 100))"
	for n in 1 2 3; do
		holds "three senders: codes that slowed sender $n" \
			"$(of left "l$n" codes_received)" ">=" 1
		empty left "l$n"
	done
}

# told_only_itself NAME BOX DEV - it was, and did not listen.
told_only_itself()
{
	holds "$1: codes that came back" "$(of "$2" "$3" codes_ignored)" ">=" 1
	is "$1: none of them counts" \
		"$(of "$2" "$3" codes_received codes_malformed peer_rate)" "0 0 100"
}

# A box whose codes come back: by a cable to another of its ports, and by a bridge to the
# port that they left by, and to another one. A sender beside the loop is slowed as ever.
own_codes()
{
	local n

	chain ladder $LADDER feedback m0
	boxes hub
	wire middle x0 middle x1
	for n in 0 1; do
		wire middle y$n hub h$n
	done
	ip -n "$(box hub)" link add br0 type bridge group_fwd_mask 0x4000
	for n in h0 h1; do
		ip -n "$(box hub)" link set $n master br0
	done
	# What leaves by y0 comes back there, too.
	ip -n "$(box hub)" link set br0 up
	bridge -n "$(box hub)" link set dev h0 hairpin on
	for n in x1 y0 y1; do
		obeying middle $n
	done
	tc -n "$(box middle)" qdisc change dev m1 parent 3:1 \
		ramp feedback m0,x0,y0 validity 100ms
	load left l0 $FAST:3s -p 6 >/dev/null
	told_only_itself "own codes, by a cable" middle x1
	told_only_itself "own codes, by a bridge to the same port" middle y0
	told_only_itself "own codes, by a bridge to another port" middle y1
	holds "own codes: the sender is slowed by them" \
		"$(of left l0 codes_received)" ">=" 1
	is "own codes: nothing is lost" "$(lost)" 0
	empty left l0
}

# at_random SEED - a profile of rates, each for a fifth of a second, in all three seconds.
at_random()
{
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		for (i = 0; i < 15; i++)
			printf "%s%.1fmbit:200ms", i ? "," : "", 0.1 + 19.9 * rand()
	}'
}

# ring BOXES SEED - each box sends to the next, which passes on what it can take, and each
# port of the ring is slowed by the box behind it and slows the box before it. What box I
# sends goes two boxes far, so each port carries the load of two.
ring()
{
	local n=$1 i before after names pids=() sent=() name="a ring of $1, loads $2"

	names=$(for ((i = 0; i < n; i++)); do echo "b$i"; done)
	# shellcheck disable=SC2086 # a list
	boxes $names far
	for ((i = 0; i < n; i++)); do
		after=$(((i + 1) % n))
		wire b$i "o$i" b$after "i$after"
		wire b$i "f$i" far "r$i"
	done
	for ((i = 0; i < n; i++)); do
		before=$(((i + n - 1) % n))
		# What the box before has sent goes on, what has come so far leaves.
		tc -n "$(box b$i)" qdisc add dev "i$i" clsact
		tc -n "$(box b$i)" filter add dev "i$i" ingress pref 1 \
			protocol 0x88b6 u32 match u32 $((before + 1)) 0xffffffff at 4 \
			action mirred egress redirect dev "o$i"
		tc -n "$(box b$i)" filter add dev "i$i" ingress pref 2 \
			protocol 0x88b6 matchall \
			action mirred egress redirect dev "f$i"
		slow_port b$i "f$i" $SLOW limit $LIMIT ladder $LADDER feedback "i$i"
		# Nobody slows what begins here, so there has to be room for it.
		tc -n "$(box b$i)" qdisc replace dev "o$i" root handle 1: \
			ramp detect off rate $FAST limit 8000 obey \
			ladder $LADDER feedback "i$i"
	done
	for ((i = 0; i < n; i++)); do
		load b$i "o$i" "$(at_random $(($2 * 100 + i)))" -n $((i + 1)) \
			>"$NET_WORK/ring$i" &
		pids+=($!)
	done
	wait "${pids[@]}"
	for ((i = 0; i < n; i++)); do
		empty b$i "o$i"
	done
	for ((i = 0; i < n; i++)); do
		empty b$i "f$i"
		sent+=("$(jq .sent "$NET_WORK/ring$i")")
	done
	is "$name: no port loses any" \
		"$(for ((i = 0; i < n; i++)); do
			of b$i "o$i" drops
			of b$i "f$i" drops
		done | sort -u)" 0
	is "$name: all that was sent has arrived" \
		"$(for ((i = 0; i < n; i++)); do arrived far "r$i"; done | paste -sd+ | bc)" \
		"$(IFS=+ && bc <<<"${sent[*]}")"
	holds "$name: codes that were heard" \
		"$(for ((i = 0; i < n; i++)); do of b$i "o$i" codes_received; done |
			paste -sd+ | bc)" ">=" 1
	for ((i = 0; i < n; i++)); do
		may_send_all b$i "o$i"
	done
	is "$name: all may send as they like in the end" \
		"$(for ((i = 0; i < n; i++)); do of b$i "o$i" peer_rate; done | sort -u)" 100
}

# Two boxes send to each other more than each can pass on, and slow each other down.
# mutual SECONDS
mutual()
{
	local a b first

	boxes left right far
	wire left l0 right r0
	for a in left right; do
		b=${a:0:1}
		wire $a "${b}1" far "f$b"
		pass_on $a "${b}0" "${b}1"
		slow_port $a "${b}1" $SLOW limit $LIMIT ladder $LADDER feedback "${b}0"
		obeying $a "${b}0"
	done
	load left l0 "$FAST:$1s" -p 6 >/dev/null &
	first=$!
	load right r0 "$FAST:$1s" -p 6 -n 1 >/dev/null
	wait $first
	for a in left right; do
		b=${a:0:1}
		is "both slow each other: $a loses nothing" "$(of $a "${b}1" drops)" 0
		holds "both slow each other: frames of the slow port of $b, never idle" \
			"$(arrived far "f$b")" ">=" "$(($1 * 400 * BUSY / 100))"
	done
	empty left l0
	empty right r0
	may_send_all left l0
	may_send_all right r0
	is "both slow each other: both are free again" \
		"$(of left l0 peer_rate) $(of right r0 peer_rate)" "100 100"
}
