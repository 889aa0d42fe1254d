#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A module that goes while somebody is told what it has refused: lib/refused.py.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"

net_init modinfo
modinfo act_mpolice >/dev/null 2>&1 || missing "module act_mpolice"
setup_ns src
# shellcheck disable=SC2154 # set by setup_ns
ip -n "$src" link add d0 type dummy
ip netns exec "$src" python3 "$NET_LIB/refused.py" $((10 * SLOWER)) >"$NET_WORK/refused"
rc=$?
relay "$NET_WORK/refused"
is "refused.py ended" "$rc $(grep -c '^1\.\.' "$NET_WORK/refused")" "0 1"
ktap_end
