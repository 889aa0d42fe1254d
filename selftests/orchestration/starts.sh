#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
#	RAMP_STARTS=20		default: 20
#
# The lab of lib.sh, made anew so many times: each time all routers find all others.

# shellcheck source=selftests/orchestration/lib.sh
. "$(dirname "$0")/lib.sh"

lab_init
for ((i = 1; i <= ${RAMP_STARTS:-20}; i++)); do
	began=$(date +%s)
	failed=$KTAP_FAILED
	lab_make
	[ "$KTAP_FAILED" != "$failed" ] ||
		pass "start $i: all routers know each other, and all hosts"
	note "$(($(date +%s) - began)) s"
	lab_stop
done
ktap_end
