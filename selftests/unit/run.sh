#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the cmocka programs named, prints one TAP stream and a summary. A program
# that stops before its end is a failure of its own.
set -uo pipefail

export CMOCKA_MESSAGE_OUTPUT=TAP

for test; do
	name=${test##*/} name=${name%.sh}
	printf '# start %s\n' "$name"
	timeout 120 "$test" 2>&1
	printf '# end %s %s\n' "$name" $?
done | awk '
	/^# start / { name = $3; plan = seen = bad = 0; next }
	/^1\.\.[0-9]+$/ { plan = substr($0, 4); next }
	/^(not )?ok [0-9]+/ {
		seen++
		total++
		text = $0
		sub(/^(not )?ok [0-9]+( - )?/, "", text)
		word = /^not/ ? "not ok" : "ok"
		if (/^not/) { failed++; bad++ }
		else if (/# *[Ss][Kk][Ii][Pp]/) skipped++
		else passed++
		printf "%s %d - %s: %s\n", word, total, name, text
		next
	}
	/^# end / {
		if ($4 != bad || seen < plan || !plan) {
			failed++
			printf "not ok %d - %s: ended with %d after %d of %d tests\n",
				++total, name, $4, seen, plan
		}
		next
	}
	/^# (not )?ok - / { next }
	{ print /^#/ ? $0 : "# " $0 }
	END {
		printf "1..%d\n", total
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
		exit failed || !passed
	}'
