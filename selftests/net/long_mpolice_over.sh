#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two CPUs draw from one bucket for a minute; every window of what a receiver captured
# is checked. For a machine of native speed:
#
#	selftests/vm/run -k uml -- selftests/net/long_mpolice_over.sh [SECONDS]

exec "$(dirname "$0")/func_mpolice_over.sh" "${1:-60}" 15
