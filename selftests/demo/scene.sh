#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's part of the demo: a source, a router and a sink. The router's port
# to the sink is a wire of 1 Gbit/s, which a tbf plays, with the qdisc under
# test behind it. Records what the sink receives, and what the qdiscs say.

set -euo pipefail

# shellcheck source=selftests/demo/setting.sh
. "$(dirname "${BASH_SOURCE[0]}")/setting.sh"
# shellcheck source=selftests/demo/guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"

demo_begin
namespaces "$DEMO_FRAME"
echo "the load goes through fq_codel, the default" >&2
# The kernel's own choice is pfifo_fast; systemd, and so Debian, sets fq_codel. In both a
# lone flow passes as through a FIFO.
act default "$DEMO_RATE" "$DEMO_FRAME" "$DEMO_LOAD" fq_codel
echo "the load goes through ramp" >&2
# shellcheck disable=SC2086 # parameters are words
act ramp "$DEMO_RATE" "$DEMO_FRAME" "$DEMO_LOAD" ramp $DEMO_RAMP
