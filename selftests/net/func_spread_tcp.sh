#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP over ports of unequal delay on every kernel: flowlets that are longer than a
# machine is late.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_tcp.sh
. "$(dirname "$0")/lib/spread_tcp.sh"

spread_init teamnl ethtool ping taskset timeout
# shellcheck disable=SC2034 # for lib/spread_tcp.sh
RATE=20 TOKENS=60000 LENGTH=10 FLOWLET=150 PAUSE=300
marked 2 2
ktap_end
