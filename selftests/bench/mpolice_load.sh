#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The load of mpolice_profile.py: two CPUs send through an action that does nothing,
# then through one bucket that lets all pass, in turn. Says when each begins and ends.
#
#	mpolice_load.sh ROUNDS PACKETS

# shellcheck source=selftests/cost/lib.sh
. "$(dirname "$0")/../cost/lib.sh"

ROUNDS=$1 COUNT=$2

# phase NAME ACTION...
phase()
{
	tc qdisc del dev "$COST_DEV" clsact 2>/dev/null
	tc qdisc add dev "$COST_DEV" clsact 2>&1 | grep -v '^Warning'
	tc filter add dev "$COST_DEV" egress matchall action "${@:2}" 2>&1 |
		grep -v '^Warning'
	echo "phase $1 $(date +%s.%N)"
	pktgen_run "$COUNT" >/dev/null || fail "$1 is sent through"
	echo "phase - $(date +%s.%N)"
}

cost_init jq
cost_modules act_mpolice act_gact cls_matchall
pktgen_setup 2
pktgen_run 1000000 >/dev/null || missing "pktgen"
cat /proc/kallsyms >/out/kallsyms
for ((round = 0; round < ROUNDS; round++)); do
	phase ok ok
	phase mpolice mpolice bucket 1 rate 100gbit burst 100mb policy drop \
		conform-exceed ok/ok
done
pass "the load"
ktap_end
