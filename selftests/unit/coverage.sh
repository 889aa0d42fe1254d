#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Arguments: FOLDER TEST...
#
# Runs the tests in FOLDER, which were built with --coverage, and prints which
# lines of include/net/ramp/ they ran together. Fails below LEAST percent.
set -euo pipefail

LEAST=${LEAST:-95}
folder=$1
shift

cd "$folder"
rm -rf lines
for test; do
	rm -f "$test.gcda"
	# The point is what runs; make check is who judges.
	"./$test" >/dev/null 2>&1 || true
	mkdir -p "lines/$test"
	(cd "lines/$test" && gcov -p -o ../.. "$test.o" >/dev/null)
done

mapfile -t laws < <(find lines -name '*#include#net#ramp#*.h.gcov' | sort)
awk -F: -v least="$LEAST" '
	function report(name, hit, all) {
		printf "%-24s %4d of %4d lines, %5.1f %%\n", name, hit, all,
			100 * hit / all
	}
	FNR == 1 {
		file = FILENAME
		sub(/.*#include#/, "", file)
		sub(/\.gcov$/, "", file)
		gsub(/#/, "/", file)
	}
	{
		count = $1
		line = $2 + 0
		gsub(/[ *]/, "", count)
		if (count == "-" || !line)
			next
		code[file, line] = $0
		files[file] = 1
		if (count !~ /^[#=]+$/)
			ran[file, line] = 1
	}
	END {
		for (key in code) {
			split(key, part, SUBSEP)
			lines[part[1]]++
			all++
			if (key in ran) {
				hits[part[1]]++
				hit++
			} else {
				text = code[key]
				sub(/^[^:]*:[^:]*:/, "", text)
				printf "%s:%d: never ran:%s\n", part[1], part[2], text
			}
		}
		for (file in files)
			report(file, hits[file], lines[file])
		report("total", hit, all)
		exit 100 * hit < least * all
	}' "${laws[@]}"
