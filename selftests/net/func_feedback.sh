#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Boxes that slow each other down, on the clock of the machine.

# shellcheck source=selftests/net/lib/feedback_boxes.sh
. "$(dirname "$0")/lib/feedback_boxes.sh"

net_init ramp-send tcpdump bc
without
one 2
two_bands
both_bands
three_receivers
three_senders
mutual 3
ktap_end
