# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Checks that run side by side, and their results in order, as KTAP.
# Sourced; $WORK is a folder for the results.

KTAP_COUNT=0 KTAP_SHOWN=0 KTAP_PASSED=0 KTAP_FAILED=0 KTAP_SKIPPED=0
KTAP_NAMES=()

# ktap_begin NAME - makes the folder WORK for what follows. When the script ends, so does
# what it started, and the folder goes. What has ended already is no fault.
ktap_begin()
{
	WORK=$(mktemp -d "${TMPDIR:-/tmp}/ramp-$1.XXXXXX")
	export WORK
	trap ktap_cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	echo "KTAP version 1"
}

# shellcheck disable=SC2317 # called by the trap
ktap_cleanup()
{
	local jobs

	mapfile -t jobs < <(jobs -p)
	[ ${#jobs[@]} = 0 ] || kill "${jobs[@]}" 2>/dev/null || true
	wait
	rm -rf "$WORK"
}

# check NAME COMMAND [ARG...] - passes if COMMAND returns 0. It runs under
# `set -e`, and its output is shown if it fails.
check()
{
	local name=$1 id=$((++KTAP_COUNT)) jobs
	shift

	KTAP_NAMES[id]=$name
	mapfile -t jobs < <(jobs -rp)
	[ ${#jobs[@]} -lt "$(nproc)" ] || wait -n || true
	# A trap, because in `(...) || ...` bash would ignore `set -e`. It runs
	# when the locals are gone.
	(
		KTAP_FILE=$WORK/$id.rc
		trap 'echo "$?" >"$KTAP_FILE.new"; mv "$KTAP_FILE.new" "$KTAP_FILE"' EXIT
		set -e
		"$@"
	) </dev/null >"$WORK/$id.log" 2>&1 &
	ktap_show
}

# skipped NAME WHAT_IS_MISSING
skipped()
{
	local id=$((++KTAP_COUNT))

	KTAP_NAMES[id]=$1
	printf '%s\n' "$2" >"$WORK/$id.log"
	echo skip >"$WORK/$id.rc"
	ktap_show
}

# Shows what is ready and whose predecessors have all been shown.
ktap_show()
{
	local id rc

	while id=$((KTAP_SHOWN + 1)) && [ -e "$WORK/$id.rc" ]; do
		rc=$(cat "$WORK/$id.rc")
		KTAP_SHOWN=$id
		case $rc in
		0)
			KTAP_PASSED=$((KTAP_PASSED + 1))
			echo "ok $id - ${KTAP_NAMES[id]}"
			;;
		skip)
			KTAP_SKIPPED=$((KTAP_SKIPPED + 1))
			echo "ok $id - ${KTAP_NAMES[id]} # SKIP $(cat "$WORK/$id.log")"
			;;
		*)
			KTAP_FAILED=$((KTAP_FAILED + 1))
			echo "not ok $id - ${KTAP_NAMES[id]}"
			sed 's/^/# /' "$WORK/$id.log"
			;;
		esac
	done
}

# ktap_end - waits for all checks; fails if one of them did.
ktap_end()
{
	wait
	ktap_show
	echo "1..$KTAP_COUNT"
	echo "$KTAP_PASSED passed, $KTAP_FAILED failed, $KTAP_SKIPPED skipped"
	[ "$KTAP_FAILED" = 0 ]
}

# silent COMMAND [ARG...] - fails if it prints anything, too.
silent()
{
	local out rc=0

	out=$("$@" 2>&1) || rc=$?
	[ -z "$out" ] || printf '%s\n' "$out"
	[ "$rc" = 0 ] && [ -z "$out" ]
}

# once NAME HASH COMMAND [ARG...] - under `set -e`: not again if it was good with this hash.
# RAMP_ANEW=1 runs it again.
once()
{
	local mark=$RAMP_CACHE/.lint-$1

	if [ -n "${RAMP_ANEW-}" ] || [ "$(cat "$mark" 2>/dev/null)" != "$2" ]; then
		"${@:3}"
		mkdir -p "$RAMP_CACHE"
		echo "$2" >"$mark"
	fi
}
