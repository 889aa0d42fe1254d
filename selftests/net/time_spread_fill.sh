#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fullness and classes as in func_spread_fill.sh, with more qdiscs and at more levels.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/lib/spread.sh"
# shellcheck source=selftests/net/lib/spread_fill.sh
. "$(dirname "$0")/lib/spread_fill.sh"

spread_init teamnl taskset
hold_or_skip
only_virtual_time
serve_start
classes 0 9 10 24 25 49 50 69 70 74 75 99 100 101
fill_tests
kind "codel" 40 1 limit codel limit 40
kind "fq" 40 1 limit fq limit 40
full "fq" 40
kind "mq of fq" 400 4 limit fq limit 100
paced
no_length
kind "netem" 40 1 limit netem limit 40
kind "ramp with bands" 40 1 limit ramp limit 40 bands 3 detect off
kind "pfifo, by spread_capacity" 40 1 capacity pfifo limit 100
full "pfifo, by spread_capacity" 40
kind "mq of pfifo, by spread_capacity" 160 4 capacity pfifo limit 100
ktap_end
