#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 100,000 actions on one bucket are deleted, changed and moved under load. For a machine
# with two CPUs:
#
#	selftests/vm/run -k 7.2 -- selftests/net/long_mpolice_churn.sh [ACTIONS]

exec "$(dirname "$0")/func_mpolice_churn.sh" "${1:-100000}"
