#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The pick among ports of one class, as in func_spread_pick.sh with four times as many
# frames: what is wrong in a share by less is seen.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_pick.sh
. "$(dirname "$0")/lib/spread_pick.sh"

spread_init teamnl taskset
hold_or_skip
only_virtual_time
serve_start
TIMES=20
pick_tests
ktap_end
