#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The completion of tc on a command line, as bash would do it: what is proposed for
# ramp and mpolice, and that the rest is iproute2's, as before. The keywords are those
# that the usage texts have.

# shellcheck source=selftests/lib/ktap.sh
. "$(dirname "$0")/../lib/ktap.sh"

TOP=$(cd "$(dirname "$0")/../.." && pwd)
LOADER=/usr/share/bash-completion/bash_completion
IPROUTE2=/usr/share/bash-completion/completions/tc

# Of a machine that has actions.
# shellcheck disable=SC2317 # called by the completion
tc()
{
	case $* in
	'actions list action mpolice')
		printf 'action order 0: mpolice bucket 7 rate 1Gbit policy drop \n\t index %d ref 1 bind 0\n' 71 72
		;;
	esac
}

# load - what a shell does at its start. It stops for want of a variable that is set.
load()
{
	set +u
	export BASH_COMPLETION_COMPAT_DIR=$TOP/completion
	# shellcheck source=/dev/null
	. "$LOADER"
}

# proposed LINE - what is proposed at its end, sorted.
proposed()
{
	local spec

	COMP_LINE=$1
	COMP_POINT=${#COMP_LINE}
	read -ra COMP_WORDS <<<"${1//:/ : }"
	[[ $1 != *' ' ]] || COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMP_TYPE=9 COMP_KEY=9
	COMPREPLY=()
	spec=$(complete -p tc)
	[[ $spec =~ -F\ ([^ ]+) ]]
	"${BASH_REMATCH[1]}" tc "${COMP_WORDS[COMP_CWORD]}" \
		"${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
	printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | paste -sd' ' | sed 's/^ *//'
}

# proposes LINE WORDS
proposes()
{
	is "completes '$1'" "$(proposed "$1")" "$2"
}

# keywords FILE - the rows of its table.
keywords()
{
	sed -n 's/.*\.keyword = "\([^"]*\)".*/\1/p' "$TOP/iproute2-patch/$1" |
		LC_ALL=C sort | paste -sd' '
}

for file in "$LOADER" "$IPROUTE2"; do
	[ -r "$file" ] || {
		skip "completion of tc" "$file"
		echo "1..$KTAP_COUNT"
		exit 0
	}
done
load

proposes 'tc qdisc add dev lo root ra' 'ramp ramp_mq'
proposes 'tc qdisc add dev lo root fq_co' fq_codel
proposes 'tc qdisc add dev lo root fq_codel ta' target
proposes 'tc filter add dev lo ingress ma' matchall
proposes 'tc qdisc add dev lo root ramp det' detect
proposes 'tc qdisc add dev lo root ramp detect ' 'always both ingress members off queue'
proposes 'tc qdisc replace dev lo root handle 1: ramp detect off ti' tick
proposes 'tc qdisc add dev lo root ramp tick 1' '1ms 1s 1us'
proposes 'tc qdisc add dev lo root ramp tick 1ms ti' ''
proposes 'tc qdisc add dev lo root ramp gears 1gbit,2' '1gbit,2gbit 1gbit,2kbit 1gbit,2mbit'
proposes 'tc qdisc add dev lo root ramp rate a' auto
proposes 'tc qdisc add dev lo root ramp band-limit ' \
	'0 1 10 11 12 13 14 15 2 3 4 5 6 7 8 9'
proposes 'tc qdisc add dev lo root ramp band-limit 3 a' auto
proposes 'tc qdisc add dev lo root ramp band-limit 3 7 band-li' band-limit
proposes 'tc qdisc add dev lo root ramp feedback l' lo
proposes 'tc qdisc add dev lo root ramp priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 15 dw' dwell
proposes 'tc qdisc add dev lo root ramp no-s' no-split-gso
proposes 'tc qdisc add dev lo root ramp split-gso no-s' ''
proposes 'tc qdisc add dev lo root ramp obey m' 'members min monitor'
proposes 'tc qdisc add dev lo root ramp obey min 5' '5%'
proposes 'tc qdisc add dev lo root ramp obey f' 'feedback floor freeze from'
proposes 'tc qdisc add dev lo root ramp obey from a' any
proposes 'tc qdisc add dev lo root ramp obey from any mi' min
proposes 'tc qdisc add dev lo root ramp obey min 5% fr' 'freeze from'
proposes 'tc qdisc add dev lo root ramp obey min 5% from any li' limit
proposes 'tc qdisc add dev lo root ramp hel' help
proposes 'tc qdisc add dev ramp ro' root
proposes 'tc qdisc add dev lo root ramp ra' 'rail rate'
proposes 'tc qdisc add dev lo root ramp_mq ra' rate
proposes 'tc actions add action mpo' mpolice
proposes 'tc action add action mpolice po' policy
proposes 'tc actions add action mpolice policy ' 'account bypass drop'
proposes 'tc actions add action mpolice bucket 7 pps 5 bu' ''
proposes 'tc actions add action mpolice index 7' '71 72'
proposes 'tc actions del action mpolice index ' '71 72'
proposes 'tc actions add action mpolice bucket ' 7
proposes 'tc actions add action mpolice conform-exceed drop/pa' 'drop/pass'
proposes 'tc actions add action mpolice conform-exceed goto ' chain
proposes 'tc filter add dev lo ingress matchall action mpolice ind' index
proposes 'tc filter add dev lo ingress matchall action mpolice index 71 ac' action
proposes 'tc filter add dev lo ingress matchall action mpolice index 71 action mi' mirred

# The kernel lets a device be called so.
# shellcheck disable=SC2317 # called by the completion
_tc_ramp_devices()
{
	printf '%s\n' eth0 "\$(echo>$HIT)" 'a*'
}

HIT=$(mktemp -u hit.XXXXXX)
proposes 'tc qdisc add dev lo root ramp feedback ' "\\\$\\(echo\\>$HIT\\) a\\* eth0 none"
proposes 'tc qdisc add dev lo root ramp feedback eth0,\$' "eth0,\\\$\\(echo\\>$HIT\\)"
is "what a device is called is not run" "$(ls "$HIT" 2>/dev/null)" ''
rm -f "$HIT"

# shellcheck disable=SC2154 # the completion has them
is "of ramp all keywords are known, and no others" \
	"$(printf '%s\n' "${!_tc_ramp_takes[@]}" "${_tc_ramp_flags[@]}" | LC_ALL=C sort |
		paste -sd' ')" "$(keywords q_ramp.c)"
# shellcheck disable=SC2154 # the completion has them
is "of mpolice all keywords are known, and no others" \
	"$(printf '%s\n' "${!_tc_mpolice_takes[@]}" | LC_ALL=C sort |
		paste -sd' ')" "$(keywords m_mpolice.c)"
echo "1..$KTAP_COUNT"
exit "$KTAP_FAILED"
