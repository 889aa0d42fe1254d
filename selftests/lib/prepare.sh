# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What every script of the selftests sources: progress, missing packages, a
# cache by content, and Debian packages of other suites, without touching
# /etc/apt. Starts from a machine that has no more than bash, apt and make.
#
#	. "$TOP/selftests/lib/prepare.sh"
#
# Callers run under `set -euo pipefail`. Works as root, or as a user with sudo.
# Everything lies in $RAMP_CACHE, which may be deleted at any time.

# Without it a failure inside $(...) goes unnoticed.
shopt -s inherit_errexit

export RAMP_CACHE="${RAMP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ramp}"

# shellcheck source=selftests/lib/mirror.sh
. "$(dirname "${BASH_SOURCE[0]}")/mirror.sh"

# say TEXT... - progress, on stderr.
say()
{
	printf 'ramp: %s\n' "$*" >&2
}

# as_root COMMAND [ARG...] - directly, or through sudo.
as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

# hash_of FILE|FOLDER|STRING... - 16 hex digits that change with the content
# (of folders: with the names in them too) of the arguments.
hash_of()
{
	local arg

	for arg; do
		if [ -d "$arg" ]; then
			(cd "$arg" && find . -type f -print0 | LC_ALL=C sort -z |
				xargs -0r sha256sum)
		elif [ -f "$arg" ]; then
			sha256sum <"$arg"
		else
			printf 'string %s\n' "$arg"
		fi
	done | sha256sum | cut -c1-16
}

# packages_missing PKG... - prints those that are not installed.
packages_missing()
{
	local installed

	installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" \
		2>/dev/null | sed -n 's/ installed$//p') || true
	printf '%s\n' "$@" | grep -vxF -- "${installed:-/}" || true
}

# need WHY PKG... - installs the Debian packages that are missing. WHY completes
# "to ...", for example need "build the tests" gcc make.
need()
{
	local why=$1 log lock missing
	shift

	[ -n "$(packages_missing "$@")" ] || return 0
	mkdir -p "$RAMP_CACHE"
	log=$RAMP_CACHE/packages.log
	exec {lock}>"$RAMP_CACHE/.lock-packages"
	flock "$lock"
	# Another run may have installed them while this one waited.
	mapfile -t missing < <(packages_missing "$@")
	if [ ${#missing[@]} -gt 0 ]; then
		say "installing ${missing[*]} to $why"
		# Stale lists are the usual reason for a failure; lists of third
		# parties that do not update are none of our business.
		packages_install "${missing[@]}" >>"$log" 2>&1 || {
			as_root apt-get -q update >>"$log" 2>&1 || true
			packages_install "${missing[@]}" >>"$log" 2>&1
		} || {
			tail -n 20 "$log" >&2
			say "cannot install ${missing[*]} (log: $log)"
			exec {lock}>&-
			return 1
		}
	fi
	exec {lock}>&-
}

packages_install()
{
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -yq \
		-o DPkg::Lock::Timeout=300 install --no-install-recommends \
		"$@" </dev/null
}

# cached NAME KEY FUNCTION [ARG...] - prints the path $RAMP_CACHE/NAME-KEY. If it
# is missing: calls FUNCTION DIR ARG... to fill DIR, which becomes that path if
# the function succeeds. CACHED_WHAT, if set, says what is prepared and how long
# it takes.
#
# FUNCTION runs under `set -euo pipefail` in a new bash (in a function that is
# called from a condition bash would ignore `set -e`), which has all functions
# and the exported variables of the caller. Its output goes to a log.
cached()
{
	local path=$RAMP_CACHE/$1-$2

	if [ -d "$path" ]; then
		# The age since the last use decides what is pruned.
		touch -c "$path" 2>/dev/null || true
		printf '%s\n' "$path"
		return 0
	fi
	(cached_prepare "$@") >&2 || return
	printf '%s\n' "$path"
}

cached_prepare()
{
	local name=$1 path=$RAMP_CACHE/$1-$2 fn=$3 lock job dir log start next=15 rc=0
	shift 3

	mkdir -p "$RAMP_CACHE"
	exec {lock}>"$RAMP_CACHE/.lock-$name"
	if ! flock -n "$lock"; then
		say "waiting for another run that prepares $name"
		flock "$lock"
	fi
	[ ! -d "$path" ] || return 0

	dir=$RAMP_CACHE/.new-$name.$BASHPID
	log=$RAMP_CACHE/$name.log
	say "preparing ${CACHED_WHAT:-$name}"
	cached_remove "$dir"
	mkdir -p "$dir"
	start=$SECONDS

	# A process group of its own, so that an interrupt can end all of it.
	set -m
	env -u CACHED_WHAT bash -euo pipefail -O inherit_errexit -c \
		"$(declare -f)"$'\n''"$@"' cached "$fn" "$dir" "$@" \
		</dev/null >"$log" 2>&1 {lock}>&- &
	job=$!
	set +m
	# shellcheck disable=SC2064 # the values of now are meant
	trap "cached_stop $job '$dir'; exit 130" INT TERM HUP

	while kill -0 "$job" 2>/dev/null; do
		sleep 0.2
		if [ $((SECONDS - start)) -ge "$next" ]; then
			say "  $name: $((SECONDS - start)) s ..."
			next=$((SECONDS - start + 15))
		fi
	done
	wait "$job" || rc=$?
	trap - INT TERM HUP
	if [ "$rc" != 0 ]; then
		tail -n 25 "$log" | sed 's/^/    /'
		say "preparing $name failed (log: $log)"
		cached_remove "$dir"
		return 1
	fi
	mv -T "$dir" "$path"
	touch "$path"
	say "  $name: ready after $((SECONDS - start)) s"
	cached_prune "$name"
}

# Ends the process group of a preparation and removes its folder.
cached_stop()
{
	local i

	as_root kill -TERM -- "-$1" 2>/dev/null || true
	for ((i = 0; i < 30; i++)); do
		kill -0 -- "-$1" 2>/dev/null || break
		sleep 0.1
	done
	as_root kill -KILL -- "-$1" 2>/dev/null || true
	cached_remove "$2"
}

# A folder may hold files of root (a chroot), and never a mount that matters.
cached_remove()
{
	[ -e "$1" ] || return 0
	rm -rf --one-file-system "$1" 2>/dev/null ||
		as_root rm -rf --one-file-system "$1"
}

# Keeps the newest two of a name, and what was in use within the last two hours.
cached_prune()
{
	local old

	find "$RAMP_CACHE" -maxdepth 1 -regextype posix-extended -type d \
		-regex ".*/$1-[0-9a-f]{16}" -printf '%T@ %A@ %p\n' |
	sort -rn | tail -n +3 | while read -r _ _ old; do
		if [ -n "$(find "$old" -maxdepth 0 -mmin +120)" ]; then
			say "  removing ${old##*/}, which is no longer used"
			cached_remove "$old"
		fi
	done
}
