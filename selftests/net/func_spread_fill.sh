#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fullness and classes on every kernel, by the counters of the qdiscs themselves: no
# number here is a matter of time.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_fill.sh
. "$(dirname "$0")/lib/spread_fill.sh"

spread_init teamnl taskset
hold_or_skip
serve_start
classes 0 9 10 24 25 49 50 74 75 100
fill_tests
ktap_end
