#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The day of the demo: few of its changes of gears are flaps, and nothing is lost.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/gears.sh
. "$HERE/lib/gears.sh"
# shellcheck source=selftests/demo/setting.sh
. "$HERE/../demo/setting.sh"

net_init ramp-send tcpdump
only_virtual_time
pair $((DAY_FRAME - 14))
sleep 1		# until timers have a high resolution
# shellcheck disable=SC2086 # parameters are words
ramp $DAY_RAMP
rests
play "$(day_profile)"
note "$(counter gear_changes) changes, $(counter flaps) flaps"
within "a day: gear changes" "$(counter gear_changes)" 10 200
within "a day: flaps, percent of the changes" \
	"$(($(counter flaps) * 100 / $(counter gear_changes)))" 0 9
is "a day: each gear was used" "$(counter 'gear_ns | map(select(. > 0)) | length')" 6
all_came "a day"
ktap_end
