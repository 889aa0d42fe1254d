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
uapi=$1/uapi
folder=$2
list=$here/mutants.txt

# failures INCLUDE FOLDER TEST - builds and runs a program against the headers
# in INCLUDE; prints the names of the tests that fail. One that hangs or crashes
# is one that fails.
failures()
{
	local name rc

	name=$(basename "$3" .c)
	"${CC:-cc}" -w -O1 -I"$here/shim" -I"$1" -I"$uapi" -o "$2/$name" "$3" \
		-lcmocka 2>/dev/null || { echo "$name: build"; return; }
	CMOCKA_MESSAGE_OUTPUT=TAP timeout 60 "$2/$name" \
		>"$2/$name.tap" 2>/dev/null
	rc=$?
	sed -n "s/^not ok [0-9]* - /$name: /p" "$2/$name.tap"
	[ $rc -lt 124 ] || echo "$name: died"
}

# one NUMBER HEADER SED WHAT - prints the result line of one mutant. The first
# program that notices is enough.
one()
{
	local dir=$folder/$1 killers='' first count test

	mkdir -p "$dir/net"
	cp -r "$include/net/ramp" "$dir/net/"
	sed -i -E "$3" "$dir/net/ramp/$2"
	if cmp -s "$include/net/ramp/$2" "$dir/net/ramp/$2"; then
		echo "not ok $1 $2: $4 # the text to break is not there"
		return
	fi
	for test in "$here"/test_*.c; do
		killers=$(failures "$dir" "$dir" "$test" |
			  grep -vxFf "$folder/before" || true)
		[ -z "$killers" ] || break
	done
	if grep -q ': build$' <<<"$killers"; then
		echo "not ok $1 $2: $4 # does not compile"
	elif [ -n "$killers" ]; then
		first=${killers%%$'\n'*}
		count=$(wc -l <<<"$killers")
		echo "ok $1 $2: $4 # noticed by $count of ${first%%: *}, ${first#*: }"
	else
		echo "not ok $1 $2: $4 # no test noticed"
	fi
}

rm -rf "$folder"
mkdir -p "$folder/0/net"
# The laws as they are now, whatever is edited meanwhile.
cp -r "$include/net/ramp" "$folder/0/net/"
include=$folder/0
for test in "$here"/test_*.c; do
	failures "$include" "$folder/0" "$test"
done >"$folder/before"
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
