#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Candidate sets on every kernel.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_sets.sh
. "$(dirname "$0")/lib/spread_sets.sh"

spread_init teamnl
serve_start
sets_tests 500
ktap_end
