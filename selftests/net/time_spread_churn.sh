#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Ports that come and go as in func_spread_churn.sh, where nothing but the mode can
# lose a frame.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_churn.sh
. "$(dirname "$0")/lib/spread_churn.sh"

spread_init teamnl taskset
only_virtual_time
serve_start
churn_tests
ktap_end
