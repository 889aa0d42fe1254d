#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's part of the latency plot: on a wire of each rate the same load through each
# qdisc. Records what the sink receives.

set -euo pipefail

# shellcheck source=selftests/demo/setting.sh
. "$(dirname "${BASH_SOURCE[0]}")/setting.sh"
# shellcheck source=selftests/demo/guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"

# A timer is late by less than a microsecond, in which 10 Gbit/s carry most of a frame.
WIRE_BURST=$((4 * LATENCY_FRAME))

demo_begin
namespaces 1500
for rate in $LATENCY_RATES; do
	for qdisc in $LATENCY_QDISCS; do
		parameters=()
		case $qdisc in
		pfifo) parameters=(limit 10000) ;;
		# The wire is a shaper here, whose speed the link does not tell.
		ramp) parameters=(rate "$rate") ;;
		esac
		act "$qdisc-$rate" "$rate" "$LATENCY_FRAME" "$(latency_load "$rate")" \
			"$qdisc" "${parameters[@]}"
	done
done
