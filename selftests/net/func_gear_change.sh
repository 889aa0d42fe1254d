#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets through gears that change at random: none is lost, doubled or reordered
# within its band, on two CPUs. make check-gears runs a hundred times as many.

# shellcheck source=selftests/net/lib/gear_flood.sh
. "$(dirname "$0")/lib/gear_flood.sh"

flood_init
# With all checkers on, most of the time is theirs.
if [ "$SLOWER" -lt 5 ]; then
	flood_changes "${RAMP_FRAMES:-1000000}" 30
else
	flood_changes "${RAMP_FRAMES:-40000}" 6
fi
flood_shifts 3 20
ktap_end
