# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Results of a test as KTAP, for tests that run in a machine (selftests/vm/).
#
#	echo "KTAP version 1"
#	is "two and two" $((2 + 2)) 4
#	ktap_end

KTAP_COUNT=0 KTAP_FAILED=0

# pass NAME
pass()
{
	echo "ok $((++KTAP_COUNT)) - $1"
}

# fail NAME [WHY...] - with RAMP_FAIL_FAST the last result.
fail()
{
	echo "not ok $((++KTAP_COUNT)) - $1"
	shift
	[ $# = 0 ] || printf '%s\n' "$@" | sed 's/^/# /'
	[ -z "${KTAP_TIMED-}" ] || echo "# a check of time"
	KTAP_FAILED=$((KTAP_FAILED + 1))
	[ -z "${RAMP_FAIL_FAST-}" ] || ktap_end
}

# timed CHECK... - a check that fails where the machine was away for a while: what fails
# may be tried again (selftests/check), unless time is virtual.
timed()
{
	local KTAP_TIMED=1

	[[ ${RAMP_KERNEL-} != uml-time* ]] || KTAP_TIMED=''
	"$@"
}

# skip NAME WHAT_IS_MISSING
skip()
{
	echo "ok $((++KTAP_COUNT)) - $1 # SKIP $2"
}

# is NAME GOT WANTED
is()
{
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "got:    $2" "wanted: $3"
	fi
}

# within NAME GOT MIN MAX - integers. What was measured stands below the name, which
# so is the same in each run.
within()
{
	if [[ $2 =~ ^-?[0-9]+$ ]] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		pass "$1"
		note "$2, wanted: $3 .. $4"
	else
		fail "$1" "got:    $2" "wanted: $3 .. $4"
	fi
}

# holds NAME GOT OPERATOR LIMIT - numbers, with fractions or without. What could
# not be measured holds nothing.
holds()
{
	local number='^-?[0-9]+(\.[0-9]+)?$'

	if [[ $2 =~ $number ]] &&
	   awk -v a="$2" -v b="$4" "BEGIN { exit !(a $3 b) }"; then
		pass "$1"
		note "$2 $3 $4"
	else
		fail "$1" "got:    $2" "wanted: $3 $4"
	fi
}

# satisfies NAME JSON FILTER [WHY...] - jq's FILTER is true of it.
satisfies()
{
	if jq -e "$3" <<<"$2" >/dev/null; then
		pass "$1"
		note "$(jq -c . <<<"$2")"
	else
		fail "$1" "$2" "${@:4}"
	fi
}

# matches NAME GOT REGEX
matches()
{
	if [[ $2 =~ $3 ]]; then
		pass "$1"
	else
		fail "$1" "got:    $2" "wanted: $3"
	fi
}

note()
{
	printf '# %s\n' "$@"
}

# skip_all WHAT_IS_MISSING - the whole test cannot run here.
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 4
}

# lacks NAME WHAT - it cannot be tested without WHAT. What every machine of
# selftests/vm/ has is not missing there, but broken, and that is no skip.
lacks()
{
	if [ -n "${RAMP_MACHINE-}" ]; then
		fail "$1" "there has to be: $2"
	else
		skip "$1" "$2"
	fi
}

# missing WHAT - the same of the whole test.
missing()
{
	[ -n "${RAMP_MACHINE-}" ] || skip_all "$1"
	fail "there is: $1"
	ktap_end
}

# ktap_end - the plan, and the exit status.
ktap_end()
{
	echo "1..$KTAP_COUNT"
	[ "$KTAP_FAILED" = 0 ]
	exit
}

# relay FILE - results of a program become some of this test.
relay()
{
	local line

	while IFS= read -r line; do
		case $line in
		"ok "*) pass "${line#ok * }" ;;
		"not ok "*) fail "${line#not ok * }" ;;
		"# "*) note "${line#\# }" ;;
		esac
	done <"$1"
}
