#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Flowlets as in func_spread_flowlet.sh, with more of them.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_flowlet.sh
. "$(dirname "$0")/lib/spread_flowlet.sh"

spread_init teamnl
hold_or_skip
only_virtual_time
serve_start
flowlet_tests 50 31
ktap_end
