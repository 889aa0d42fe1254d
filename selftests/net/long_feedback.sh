#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two boxes that slow each other down for a minute, with all the load that they can
# make.

# shellcheck source=selftests/net/lib/feedback_boxes.sh
. "$(dirname "$0")/lib/feedback_boxes.sh"

net_init ramp-send tcpdump bc
mutual "${RAMP_SECONDS:-60}"
ktap_end
