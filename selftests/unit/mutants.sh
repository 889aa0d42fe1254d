#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Arguments: INCLUDE FOLDER [SLICE/SLICES]
#
# Breaks the laws in copies in FOLDER, one way at a time (mutants.txt), and checks
# that for each some test fails that does not fail without it. Of all ways, or of one
# slice of them. KTAP.
set -uo pipefail

here=$(dirname "$(readlink -f "$0")")
include=$1
uapi=$1/uapi
folder=$2
slice=${3:-1/1}
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
	CMOCKA_MESSAGE_OUTPUT=TAP timeout 300 "$2/$name" \
		>"$2/$name.tap" 2>/dev/null
	rc=$?
	sed -n "s/^not ok [0-9]* - /$name: /p" "$2/$name.tap"
	[ $rc -lt 124 ] || echo "$name: died"
}

# before TEST - what fails without a mutant, as grep wants it. Each program is
# asked once, when a mutant needs to know.
before()
{
	local name=$folder/0/${1##*/}

	(
		flock 9
		[ -e "$name.before" ] || {
			failures "$include" "$folder/0" "$1"
			# An empty file would match nothing.
			echo '(none)'
		} >"$name.before"
	) 9>"$name.lock"
	cat "$name.before"
}

# tests HEADER - the programs, those first that are called after it.
tests()
{
	local first=test_${1%.h}

	printf '%s\n' "$here/$first"*.c "$here"/test_*.c |
		awk '!seen[$0]++' | grep -v '\*'
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
	for test in $(tests "$2"); do
		killers=$(failures "$dir" "$dir" "$test")
		[ -z "$killers" ] ||
			killers=$(grep -vxFf <(before "$test") <<<"$killers")
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
	rm -rf "$dir"
}

rm -rf "$folder"
mkdir -p "$folder/0/net"
# The laws as they are now, whatever is edited meanwhile.
cp -r "$include/net/ramp" "$folder/0/net/"
include=$folder/0

n=0 first=0 last=0
all=$(grep -cvE '^(#|$)' "$list")
while IFS='|' read -r header expr what; do
	case $header in ''|'#'*) continue ;; esac
	n=$((n + 1))
	[ $(((n - 1) * ${slice#*/} / all)) = $((${slice%/*} - 1)) ] || continue
	[ $first != 0 ] || first=$n
	last=$n
	one "$n" "$header" "$expr" "$what" >"$folder/$n.result" </dev/null &
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n
	done
done <"$list"
wait
if [ $last = 0 ]; then
	echo "no slice $slice" >&2
	exit 2
fi

echo 'KTAP version 1'
echo "1..$((last - first + 1))"
for ((i = first; i <= last; i++)); do
	cat "$folder/$i.result"
done
failed=$(cat "$folder"/*.result | grep -c '^not ok')
echo "# $((last - first + 1 - failed)) passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
