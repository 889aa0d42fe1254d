#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP over ports of unequal delay, in virtual time: what is sent again is the doing of
# the mode, not of a machine that is late.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_tcp.sh
. "$(dirname "$0")/lib/spread_tcp.sh"

spread_init teamnl ethtool ping taskset timeout
only_virtual_time
sleep 1		# until timers have a high resolution
# All flows may be at one port: their bursts then take 48 ms to leave it.
# shellcheck disable=SC2034 # for lib/spread_tcp.sh
RATE=40 TOKENS=3028 LENGTH=10 FLOWLET=60 PAUSE=100
marked 2 0
dropped 1
ktap_end
