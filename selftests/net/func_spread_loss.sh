#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What each mode of the team driver loses on ports of unequal speed, on every kernel.
# A tenth of the rates of time_spread_loss.sh, as each frame takes an emulated machine
# long; and ports hold enough for one that is away for some ten ms, and then sends all
# that it should have sent; so may they.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_loss.sh
. "$(dirname "$0")/lib/spread_loss.sh"

RATE=$((100 / SLOWER))
BURST=50
HOLDS=200

spread_init teamnl
others $HOLDS $((5 * SLOWER))

WHAT="spread"
uneven spread $HOLDS
setopts "spread_capacity $HOLDS p0" "spread_capacity $HOLDS p1"
offer 130 $((5 * SLOWER))
judge
is "$WHAT: lost" "$LOST" 0
all_lose 20

equal 20 $((20 * SLOWER)) $HOLDS
equal 190 $((5 * SLOWER)) $HOLDS
ktap_end
