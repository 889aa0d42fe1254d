#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The pick among ports of one class, on every kernel: shares are numbers of frames, and
# do not depend on when these come.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_pick.sh
. "$(dirname "$0")/lib/spread_pick.sh"

spread_init teamnl taskset
hold_or_skip
serve_start
TIMES=5
pick_tests
ktap_end
