#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets through gears that change at random: none is lost, doubled or reordered
# within its band, on two CPUs. make check-gears runs a hundred times as many.

# shellcheck source=selftests/net/lib/gear_flood.sh
. "$(dirname "$0")/lib/gear_flood.sh"

flood_init
# With all checkers on, most of the time is theirs.
flood_changes "${RAMP_FRAMES:-$((SLOWER < 5 ? 1000000 / SLOWER : 40000))}" $((30 / SLOWER))
flood_shifts 3 20
ktap_end
