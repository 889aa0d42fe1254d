#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every allocation on the way of every request fails once: debug_failnth.py, each of
# its parts in a network namespace of its own. What was not given back the machine
# finds when it ends.

HERE=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

net_init unshare
modprobe -aq act_mpolice team_mode_spread || missing "our modules"
for part in ${RAMP_FAILNTH:-ramp mpolice spread}; do
	PYTHONPATH=$NET_LIB:$HERE/../tc-testing unshare -n \
		python3 -B "$HERE/debug_failnth.py" "$part" >"$NET_WORK/out"
	case $? in
	4)
		[ "${RAMP_KERNEL-}" != uml-debug ] || missing "fault injection"
		skip_all "fault injection (uml-debug)"
		;;
	esac
	# Numbers of tests go on from part to part.
	while IFS= read -r line; do
		case $line in
		"ok "*) pass "${line#ok * }" ;;
		"not ok "*) fail "${line#not ok * }" ;;
		"# "*) note "${line#\# }" ;;
		1..*) planned=${line#1..} ;;
		esac
	done <"$NET_WORK/out"
	is "$part: all were tried" \
		"$(grep -cE '^(not )?ok ' "$NET_WORK/out")" "${planned-none}"
	unset planned
done
ktap_end
