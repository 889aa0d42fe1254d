#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Everything comes, changes and goes at once, under load: lib/churn.py.
#
#	$src                          $dst
#	out0 (ramp, mpolice) ---------- in0
#	team0 -+- p0 .. p3 ------------ q0 .. q3
#	x0, x1: for codes and gears
#
#	RAMP_CHURN_ROUNDS	default 10000
#	RAMP_CHURN_SEED		default 1
#	RAMP_CHURN_UNLOAD	0: modules stay

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"

OURS='^(team_mode_spread|act_mpolice|sch_ramp) '

# shellcheck disable=SC2317 # called by wait_until
gone()
{
	rmmod team_mode_spread act_mpolice sch_ramp 2>/dev/null
	! lsmod | grep -qE "$OURS"
}

spread_init teamnl taskset unshare
modinfo act_mpolice >/dev/null 2>&1 || missing "module act_mpolice"
namespaces
ip link add name out0 netns "$src" type veth peer name in0 netns "$dst"
ip -n "$src" link set out0 up
ip -n "$dst" link set in0 up
for n in 0 1 2 3; do
	ip link add "p$n" netns "$src" type veth peer name "q$n" netns "$dst"
	ip -n "$dst" link set "q$n" up
done
ip -n "$src" link add x0 type dummy

PYTHONPATH=$NET_LIB/../../tc-testing SLOWER=$SLOWER in_src \
	python3 -B "$NET_LIB/churn.py" run "${RAMP_CHURN_ROUNDS:-10000}" \
	"${RAMP_CHURN_SEED:-1}" "$dst" >"$NET_WORK/churn"
rc=$?
relay "$NET_WORK/churn"
is "the rounds ended" "$rc $(grep -c '^1\.\.' "$NET_WORK/churn")" "0 1"

PORTS=(p0 p1 p2 p3 out0)
links_gone
cleanup_ns "$src" "$dst"
wait_until 20 gone
is "all modules can be removed" "$(lsmod | grep -E "$OURS")" ""
ktap_end
