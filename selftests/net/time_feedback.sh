#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Boxes that slow each other down, in virtual time. long_feedback.sh has a minute of it.

# shellcheck source=selftests/net/lib/feedback_boxes.sh
. "$(dirname "$0")/lib/feedback_boxes.sh"

net_init ramp-send tcpdump bc
only_virtual_time
sleep 1
without
one 10
two_bands
both_bands
three_receivers
three_senders
mutual 10
own_codes
for boxes in 2 3 5; do
	ring $boxes 1
done
ktap_end
