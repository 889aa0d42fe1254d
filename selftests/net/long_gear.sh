#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A hundred million packets through gears that change at random, and a minute of a
# controller that shifts ranges 100 times a second: none is lost, doubled or
# reordered within its band.

# shellcheck source=selftests/net/lib/gear_flood.sh
. "$(dirname "$0")/lib/gear_flood.sh"

flood_init
began=$SECONDS
flood_changes "${RAMP_FRAMES:-100000000}" 70
note "$((SECONDS - began)) s"
flood_shifts "${RAMP_SECONDS:-60}" 100
ktap_end
