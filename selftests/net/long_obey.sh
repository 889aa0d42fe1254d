#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A million frames at random, in hundred rounds.

RAMP_SEEDS=$(seq 100) exec "$(dirname "$0")/func_obey.sh"
