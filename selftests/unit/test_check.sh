#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What selftests/check does when time runs out: of what it says that it did not run, and of
# what failed until then. In a tree of its own, whose lanes do nothing else.

# shellcheck source=selftests/lib/ktap.sh
. "$(dirname "$0")/../lib/ktap.sh"

TOP=$(cd "$(dirname "$0")/../.." && pwd)
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

mkdir -p "$WORK/selftests"
cp -r "$TOP"/selftests/{check,lib} "$WORK/selftests/"

# lane NAME TEXT - one of the lanes that are a script of their own.
lane()
{
	printf '#!/bin/bash\n%s\n' "$2" >"$WORK/selftests/$1"
	chmod +x "$WORK/selftests/$1"
}

# check LANE... - the last line, and in $WORK/log all of it. What LEFT and
# SPARE_LEFT say is the time that it has, in seconds.
check()
{
	local limits=() now

	now=$(date +%s)
	[ -z "${SPARE_LEFT-}" ] || limits+=("RAMP_CHECK_UNTIL=$((now + SPARE_LEFT))")
	[ -z "${LEFT-}" ] || limits+=("RAMP_CHECK_END=$((now + LEFT))")
	env -u RAMP_CHECK_UNTIL -u RAMP_CHECK_END RAMP_CACHE="$WORK/cache" "${limits[@]}" \
		timeout 60 "$WORK/selftests/check" "$@" >"$WORK/log" 2>&1
	tail -n 1 "$WORK/log"
}

GOOD='echo 1..2; echo ok 1 - one; echo ok 2 - two'
# shellcheck disable=SC2016 # expanded by the lane
HANGS='echo 1..2; echo "${RESULT:-ok} 1 - one"; echo $$ >pid; sleep 50; echo ok 2 - two'

lane install "$GOOD"
lane headers "$GOOD"
is "with time all lanes run" "$(check install headers)" "4 passed, 0 failed, 0 skipped"
is "the same within limits" "$(LEFT=50 SPARE_LEFT=50 check install headers)" \
	"4 passed, 0 failed, 0 skipped"
is "what may be left out is" "$(LEFT=50 SPARE_LEFT=0 check install headers)" \
	"2 passed, 0 failed, 1 skipped"
is "and is named" "$(grep -c 'headers # SKIP no time' "$WORK/log")" 1
is "without time no lane begins" "$(LEFT=0 check install headers)" \
	"0 passed, 0 failed, 2 skipped"

lane install "$HANGS"
began=$SECONDS
is "what a stopped lane had shown counts, and the rest is a skip" \
	"$(LEFT=3 check install headers)" "3 passed, 0 failed, 1 skipped"
is "it is named" "$(grep -c 'install # SKIP no time' "$WORK/log")" 1
within "it is stopped" $((SECONDS - began)) 3 30
pid=$(<"$WORK/pid")
is "no process of it is left" "$(timeout 10 bash -c \
	"while grep -qs . /proc/$pid/cmdline; do sleep 0.1; done" && echo gone)" gone
is "what failed before is a failure" "$(RESULT='not ok' LEFT=3 check install)" \
	"0 passed, 1 failed, 1 skipped"
lane install "echo 1..2; echo ok 1 - one; sleep 1
	touch -d '1 hour ago' out/check/install.log; sleep 50"
is "what stands still has failed" "$(LEFT=3 check install)" "1 passed, 1 failed, 0 skipped"
lane install "echo 1..2; echo ok 1 - one; exit 1"
is "what ends badly in time has failed" "$(LEFT=50 check install)" \
	"1 passed, 1 failed, 0 skipped"

ktap_end
