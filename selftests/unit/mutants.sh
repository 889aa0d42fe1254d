#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Arguments: INCLUDE FOLDER
#
# Breaks the laws in copies in FOLDER, one way at a time (mutants.txt), and checks
# that for each some test fails that does not fail without it. KTAP.
set -uo pipefail

here=$(dirname "$(readlink -f "$0")")
include=$1
folder=$2
list=$here/mutants.txt

# failures INCLUDE FOLDER - builds and runs all tests against the headers in
# INCLUDE; prints the names of those that fail. One that hangs or crashes is
# one that fails.
failures()
{
	local test name rc

	for test in "$here"/test_*.c; do
		name=$(basename "$test" .c)
		"${CC:-cc}" -w -O1 -I"$here/shim" -I"$1" -o "$2/$name" "$test" \
			-lcmocka 2>/dev/null || { echo "$name: build"; continue; }
		CMOCKA_MESSAGE_OUTPUT=TAP timeout 20 "$2/$name" \
			>"$2/$name.tap" 2>/dev/null
		rc=$?
		sed -n "s/^not ok [0-9]* - /$name: /p" "$2/$name.tap"
		[ $rc -lt 124 ] || echo "$name: died"
	done
}

# one NUMBER HEADER SED WHAT - prints the result line of one mutant.
one()
{
	local dir=$folder/$1 killers first count

	mkdir -p "$dir/net"
	cp -r "$include/net/ramp" "$dir/net/"
	sed -i -E "$3" "$dir/net/ramp/$2"
	if cmp -s "$include/net/ramp/$2" "$dir/net/ramp/$2"; then
		echo "not ok $1 $2: $4 # the text to break is not there"
		return
	fi
	killers=$(failures "$dir" "$dir" | grep -vxFf "$folder/before" || true)
	if grep -q ': build$' <<<"$killers"; then
		echo "not ok $1 $2: $4 # does not compile"
	elif [ -n "$killers" ]; then
		first=${killers%%$'\n'*}
		count=$(wc -l <<<"$killers")
		echo "ok $1 $2: $4 # noticed by $count, ${first#*: }"
	else
		echo "not ok $1 $2: $4 # no test noticed"
	fi
}

rm -rf "$folder"
mkdir -p "$folder/0/net"
# The laws as they are now, whatever is edited meanwhile.
cp -r "$include/net/ramp" "$folder/0/net/"
include=$folder/0
failures "$include" "$folder/0" >"$folder/before"
if grep -q ': build$' "$folder/before"; then
	echo 'Bail out! the tests do not build'
	exit 1
fi
# grep -f with an empty file would match nothing, a line that cannot be does too
echo '(none)' >>"$folder/before"

n=0
while IFS='|' read -r header expr what; do
	case $header in ''|'#'*) continue ;; esac
	n=$((n + 1))
	one "$n" "$header" "$expr" "$what" >"$folder/$n.result" </dev/null &
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n
	done
done <"$list"
wait

echo 'KTAP version 1'
echo "1..$n"
for ((i = 1; i <= n; i++)); do
	cat "$folder/$i.result"
done
failed=$(cat "$folder"/*.result | grep -c '^not ok')
echo "# $((n - failed)) passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$n" -gt 0 ]
