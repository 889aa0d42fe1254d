#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Candidate sets as in func_spread_sets.sh; what changes under traffic does so for
# longer, and at the same moments in each run.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_sets.sh
. "$(dirname "$0")/lib/spread_sets.sh"

spread_init teamnl
only_virtual_time
serve_start
sets_tests 2000
ktap_end
