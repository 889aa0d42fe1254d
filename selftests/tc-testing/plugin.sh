#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The machine's own tc with the plugins says and sends what the patched tc does.
# Runs as root in a network namespace of its own (unshare -n). Prints KTAP.

set -uo pipefail

STOCK=${RAMP_TC_STOCK:-/sbin/tc}
export TC_LIB_DIR=${RAMP_TC_PLUGINS:-/usr/local/lib/ramp-tc/lib}

ALL='limit 20000p band-limit 1 200p band-limit 3 300p rate 2500Mbit bands 4
	priomap 3 2 1 0 3 2 1 0 3 2 1 0 3 2 1 0 exempt 0,2 no-split-gso detect both
	queue 20p:400p members +2 ingress 100Kbit:1999Mbit window 1500us monitor 30ms
	tick 250us start 12.34% step 0.5% pause 1ms hold 2ms down-step 3% floor 1.25%
	adaptive cease 7ms ladder 50%:80%,75%:40% band-ladder 2 60%:70% adjust 4%
	feedback plug1,plug0 band-feedback 3 plug1 validity 2s
	ethertype 0x88b6 obey min 20% from 02:00:00:00:00:01,02:00:00:00:00:02'
ALL_MPOLICE='bucket 7 rate 2500Mbit burst 1535Kb interval 1500us debt 65Kb policy account
	threshold 1025b conform-exceed jump 2/continue index 9'

number=0 failed=0

# is NAME GOT WANTED
is()
{
	number=$((number + 1))
	if [ -n "$3" ] && [ "$2" = "$3" ]; then
		echo "ok $number $1"
	else
		failed=1
		printf 'got:    %s\nwanted: %s\n' "$2" "$3" | sed 's/^/# /'
		echo "not ok $number $1"
	fi
}

# The age of an action differs from one call to the next.
ageless()
{
	sed -E 's/[0-9]+ sec/N sec/g; s/("(installed|last_used)":)[0-9]+/\1N/g'
}

# Without the plugins, so that it is what is built in that answers.
patched()
{
	TC_LIB_DIR=/nonexistent tc "$@" 2>&1 | ageless
}

stock()
{
	"$STOCK" "$@" 2>&1 | ageless
}

# same NAME TC-ARG... - both print the same.
same()
{
	local name=$1
	shift

	is "$name" "$(stock "$@")" "$(patched "$@")"
}

# add TC ARG... - a ramp with these parameters.
add()
{
	local tc=$1
	shift

	"$tc" qdisc replace dev plug0 root handle 1: ramp "$@"
}

# add_mpolice TC ARG... - an action mpolice with these.
add_mpolice()
{
	local tc=$1
	shift

	"$tc" actions replace action mpolice "$@"
}

test_ramp()
{
	local wanted

	is 'the stock tc alone does not know ramp' \
		"$(TC_LIB_DIR=/nonexistent "$STOCK" qdisc add dev plug0 root ramp \
			limit 5 2>&1 | grep -o 'Unknown qdisc "ramp"')" \
		'Unknown qdisc "ramp"'
	same 'both print the same help' qdisc add ramp help
	same 'both refuse a value in the same words' \
		qdisc add dev plug0 root ramp exempt 0,99
	same 'both refuse a device in the same words' \
		qdisc add dev plug0 root ramp feedback plug0,plug9

	# shellcheck disable=SC2086 # words
	add patched $ALL
	wanted=$(patched -d qdisc show dev plug0)
	patched qdisc del dev plug0 root
	# shellcheck disable=SC2086 # words
	add stock $ALL
	is 'what the plugin sends is what the patched tc sends' \
		"$(patched -d qdisc show dev plug0)" "$wanted"
	is 'all of it' \
		"$(grep -o 'limit .*' <<<"$wanted" | sed 's/rail none //; s/([^)]*) //; s/ *$//')" \
		"$(tr -s '\n\t' '  ' <<<"$ALL" | sed 's/ *$//')"

	# Whatever became of it above.
	# shellcheck disable=SC2086 # words
	add patched $ALL
	same 'both show what is not a default' qdisc show dev plug0
	same 'both show all parameters' -d qdisc show dev plug0
	same 'both show all parameters in JSON' -j qdisc show dev plug0
	same 'both show the counters' -s qdisc show dev plug0
	same 'both show the counters of classes' -s class show dev plug0
	same 'both refuse classes in the same words' \
		class add dev plug0 parent 1: classid 1:9 ramp
}

test_ramp_mq()
{
	same 'ramp_mq: both print the same help' qdisc add ramp_mq help
	stock qdisc replace dev plug1 root handle 1: ramp_mq rate 1gbit bands 2
	is 'ramp_mq: the plugin sends what it is told' \
		"$(patched qdisc show dev plug1 | grep -c 'rate 1Gbit bands 2')" 2
	same 'ramp_mq: both show the counters' -s qdisc show dev plug1
	same 'ramp_mq: both show the counters of classes' -s class show dev plug1
}

test_mpolice()
{
	local wanted

	is 'the stock tc alone does not know mpolice' \
		"$(TC_LIB_DIR=/nonexistent "$STOCK" actions add action mpolice \
			bucket 7 2>&1 | grep -o 'Bad action type mpolice')" \
		'Bad action type mpolice'
	same 'mpolice: both print the same help' \
		actions add action mpolice help
	same 'mpolice: both refuse a value in the same words' \
		actions add action mpolice bucket 7 pps 10 burst 64k

	# shellcheck disable=SC2086 # words
	add_mpolice patched $ALL_MPOLICE
	wanted=$(patched -d actions ls action mpolice)
	patched actions flush action mpolice
	# shellcheck disable=SC2086 # words
	add_mpolice stock $ALL_MPOLICE
	is 'mpolice: what the plugin sends is what the patched tc sends' \
		"$(patched -d actions ls action mpolice)" "$wanted"
	is 'mpolice: all of it' \
		"$(grep -o 'mpolice bucket 7 .*' <<<"$wanted" | tr -d '\n')" \
		"$(tr '\n\t' '  ' <<<"mpolice $ALL_MPOLICE" |
			sed 's/  */ /g; s, 2/con, 2 / con,; s/index .*//')"

	# shellcheck disable=SC2086 # words
	add_mpolice patched $ALL_MPOLICE
	same 'mpolice: both show what is not a default' actions ls action mpolice
	same 'mpolice: both show all parameters' -d actions ls action mpolice
	same 'mpolice: both show all parameters in JSON' \
		-j actions ls action mpolice
	same 'mpolice: both show the counters' -s actions ls action mpolice
	same 'mpolice: both show the counters in JSON' \
		-j -s actions get action mpolice index 9
	patched actions flush action mpolice
}

echo 'KTAP version 1'
echo '1..26'
# No counter changes between two who show it.
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip link add plug0 type dummy && ip link set plug0 up || exit 1
ip link add plug1 type dummy || exit 1
test_ramp
test_ramp_mq
test_mpolice
exit $failed
