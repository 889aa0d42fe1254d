#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Flowlets on every kernel: those of 50 ms, long enough for a machine that is not in
# time.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_flowlet.sh
. "$(dirname "$0")/lib/spread_flowlet.sh"

spread_init teamnl
hold_or_skip
serve_start
flowlet_tests 20 21
ktap_end
