#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# func_spread_churn.sh, each part for a minute: what `make check-churn` runs.

export RAMP_SPREAD_SECONDS=${RAMP_SPREAD_SECONDS:-60}
exec "$(dirname "$0")/func_spread_churn.sh"
