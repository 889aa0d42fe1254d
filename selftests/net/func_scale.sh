#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many ramps of a user in namespaces of its own, beside as many tbf: others do not wait
# longer, neither for a link that goes up or down, however many devices each ramp names,
# nor when all of them go at once; and a ramp of which nothing is configured takes little
# memory. In instructions, selftests/cost/many.sh says the same of the end.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
# As many as there is time for. An emulated machine makes one in some ms.
case ${RAMP_KERNEL-} in
uml) MANY=6000 ;;
*) MANY=500 ;;
esac
ROUNDS=3
# A machine that is busy otherwise may disturb all of a few rounds.
ROUNDS_MOST=8
LINKS_MOST=1.2
TBF="tbf rate 1gbit burst 10000 limit 100000" RAMP="ramp"
NAMES=64	# devices, as many as gears can follow
# Each of these goes down and away, and a ramp hears of half of them.
NAMED_MOST=2
many=""

# devices - in a new namespace, all of them up
devices()
{
	local i

	setup_ns many || missing "network namespaces"
	# shellcheck disable=SC2154 # setup_ns sets it
	ip netns exec "$many" sysctl -wq net.ipv6.conf.default.disable_ipv6=1 \
		2>/dev/null
	for ((i = 1; i <= MANY; i++)); do
		echo "link add d$i type dummy"
		echo "link set d$i up"
	done | ip -n "$many" -batch -
}

# named - ramps whose gears follow the devices that come after their own
named()
{
	seq "$MANY" | awk -v many="$MANY" -v names=$NAMES '{
		line = "qdisc replace dev d" $1 " root ramp detect off limit 1000" \
		       " gears 1gbit,5gbit,10gbit gear-follow links gear-ports "
		for (n = 0; n < names; n++)
			line = line (n ? ",d" : "d") ($1 + n) % many + 1
		print line
	}'
}

# qdiscs WORD... - on all of them, instead of what is there
qdiscs()
{
	if [ "$*" = named ]; then
		named
	else
		seq "$MANY" | sed "s/.*/qdisc replace dev d& root $*/"
	fi | tc -n "$many" -batch - >/dev/null 2>&1
}

# all_are WORD... - of what is shown of each
all_are()
{
	is "$MANY times $*" "$(tc -n "$many" qdisc show | grep -c "$*")" "$MANY"
}

# short FILE - what a tenth of the times are below: others were away longer, as the
# machine had something else to do
short()
{
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 9) / 10)] }'
}

# not_longer NAME NS OTHERS_NS TENTHS - at most so many times what it is with the others
not_longer()
{
	note "$(($2 / 1000)) us, with tbf $(($3 / 1000)) us"
	timed holds "$1, of what it is with tbf" \
		"$(awk "BEGIN { printf \"%.3f\", $2 / $3 }")" "<=" "$4"
}

scale()
{
	PYTHONPATH=$NET_LIB python3 "$HERE/func_scale.py" "$@"
}

# toggled KIND WORD... - somebody else's link goes up and down beside such qdiscs
toggled()
{
	local kind=$1
	shift

	qdiscs "$@"
	[ "$round" -gt 1 ] || all_are "${kind/named/gear-ports}"
	scale links other0 300 >>"$NET_WORK/links.$kind"
}

# links_short - have both kinds been shown to be within their bound? A machine that was slower
# for a while was so for one kind more than for the others: each gets its quiet tenth.
links_short()
{
	awk "BEGIN { most = $LINKS_MOST * $(short "$NET_WORK/links.tbf")
		exit !($(short "$NET_WORK/links.ramp") <= most &&
		       $(short "$NET_WORK/links.named") <= most) }"
}

# An event of a device costs the ramps that are on it or name it, and nobody else's.
links()
{
	local round kind

	devices
	for ((round = 1; round <= ROUNDS_MOST; round++)); do
		# shellcheck disable=SC2086 # several words
		toggled tbf $TBF
		# shellcheck disable=SC2086 # several words
		toggled ramp $RAMP
		toggled named named
		[ $round -lt $ROUNDS ] || ! links_short || break
	done
	for kind in ramp named; do
		not_longer "up and down of a link that is nobody's, $kind" \
			"$(short "$NET_WORK/links.$kind")" \
			"$(short "$NET_WORK/links.tbf")" $LINKS_MOST
	done
}

# shellcheck disable=SC2317 # called by wait_until
witness_gone()
{
	[ ! -e /sys/class/net/witness0 ]
}

# gone - the namespace goes; prints the longest that somebody else waited for, in ns
gone()
{
	local pid

	ip link add witness0 type veth peer name d0 netns "$many"
	rm -f "$NET_WORK/end" "$NET_WORK/waited"
	scale wait other0 "$NET_WORK/end" \
		>"$NET_WORK/waited" &
	pid=$!
	wait_until 20 grep -qs ready "$NET_WORK/waited"
	ip netns del "$many"
	wait_until 60 witness_gone
	touch "$NET_WORK/end"
	wait $pid
	tail -1 "$NET_WORK/waited"
}

# end_of WORD... - as many such qdiscs, and then the end of their namespace
end_of()
{
	devices
	qdiscs "$@"
	gone >>"$NET_WORK/ends.$1"
}

# least KIND - what else a machine does only ever adds to the time.
least()
{
	sort -n "$NET_WORK/ends.$1" | head -1
}

# as_tbf - what the end of ramps may take. Natively it is the least of tbf. The ends of
# an emulated machine differ by a third from round to round, and nearly all of each is the
# devices', so the least of tbf would be below that of another tbf half of the time. It is
# the middle one of tbf there; instructions are in selftests/cost/many.sh.
as_tbf()
{
	if [ "${RAMP_KERNEL-}" = uml ]; then
		least tbf
	else
		sort -n "$NET_WORK/ends.tbf" |
			awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
	fi
}

# ended - have all kinds been shown to be within their bounds?
ended()
{
	awk "BEGIN { exit !($(least ramp) <= $(as_tbf) &&
			    $(least named) <= $NAMED_MOST * $(least tbf)) }"
}

ends()
{
	local round kind

	ip netns del "$many"
	for ((round = 1; round <= ROUNDS_MOST; round++)); do
		# shellcheck disable=SC2086 # several words
		end_of $RAMP
		# shellcheck disable=SC2086 # several words
		end_of $TBF
		end_of named
		[ $round -lt $ROUNDS ] || ! ended || break
	done
	for kind in ramp tbf named; do
		note "$kind, ns: $(paste -sd' ' "$NET_WORK/ends.$kind")"
	done
	not_longer "RTNL is held when all ramps go" "$(least ramp)" "$(as_tbf)" 1.0
	not_longer "RTNL is held when all go and each names $NAMES of their devices" \
		"$(least named)" "$(least tbf)" $NAMED_MOST
}

slab()
{
	awk '/^Slab:/ { print $2 * 1024 }' /proc/meminfo
}

# of_slab WORD... - prints what each of a thousand qdiscs takes, in bytes.
of_slab()
{
	local before

	before=$(slab)
	qdiscs "$@"
	echo $((($(slab) - before) / MANY))
}

# What is there before is the kernel's own.
memory()
{
	local plain taken MANY=1000

	devices
	# shellcheck disable=SC2086 # several words
	plain=$(of_slab $TBF)
	ip netns del "$many"
	devices
	# shellcheck disable=SC2086 # several words
	taken=$(of_slab $RAMP)
	note "bytes of tbf: $plain"
	within "a ramp with nothing configured: bytes that it takes" \
		"$taken" 1 8192
	ip netns del "$many"
}

net_init modprobe
case ${RAMP_KERNEL-} in
uml-time*) skip_all "work that takes time" ;;
*-debug) skip_all "times and memory of a kernel without checkers" ;;
esac
modprobe -q dummy || missing "module dummy"
modprobe -q sch_tbf
ip link add other0 type dummy
memory
links
ends
ip link del other0
ktap_end
