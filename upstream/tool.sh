# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2164,SC2153,SC2154
# (check() runs these under set -e; WORK and tree are set by others)
#
# The series for iproute2, patch by patch. Sourced after checks.sh.

# What iproute2 has in its own Makefile, and a warning is an error.
TOOL_FLAGS=(-O2 -D_GNU_SOURCE -Wall -Wstrict-prototypes -Wmissing-prototypes -Wmissing-declarations
	-Wold-style-definition -Wformat=2 -Werror -Iinclude -Iinclude/uapi -Itc -c)

# tool_prepare SOURCE - iproute2 as it is without ours, built in $WORK/tool.
tool_prepare()
{
	need "build iproute2" gcc libc6-dev make bison flex pkg-config libbpf-dev \
		libbsd-dev libcap-dev libelf-dev libmnl-dev libselinux1-dev \
		libxtables-dev zlib1g-dev mandoc patch perl
	tool=$WORK/tool
	cp -r "$1" "$tool"
	rm -rf "$tool/.pc"
	(
		cd "$tool"
		./configure --include_dir="$PWD/include" \
			--libdir="/usr/lib/$(gcc -print-multiarch)"
		tool_make
	) >"$WORK/tool.log" 2>&1 || {
		tail -n 20 "$WORK/tool.log" >&2
		say "cannot build iproute2"
		return 1
	}
}

tool_make()
{
	cd "$tool"
	make -j"$(nproc)" SUBDIRS='lib tc' KERNEL_INCLUDE="$tool/include" \
		NETNS_RUN_DIR=/run/netns
}

# tool_series SERIES FOLDER - each patch, and what tc says in the end.
tool_series()
{
	local patch name

	for patch in "$2"/[0-9]*.patch; do
		name="$1/$(basename "$patch" .patch)"
		if [[ $patch == *-cover-letter.patch ]]; then
			check_now "$1: cover letter" cover_check "$patch"
			continue
		fi
		check_now "$name: applies" tool_apply "$patch"
		check "$name: checkpatch" tool_style "$patch"
		check "$name: size" patch_size "$patch"
		check_now "$name: builds" tool_builds
	done
	check "$1: pages" tool_pages
	check_now "$1: help" tool_help
}

tool_apply()
{
	cd "$tool"
	silent patch -s -p1 -F0 --no-backup-if-mismatch -i "$1"
}

# iproute2 has no list of files for maintainers, and a page that is none of the kernel's.
tool_style()
{
	cd "$tree"
	silent scripts/checkpatch.pl --strict --no-tree --terse --no-summary --show-types \
		--ignore=FILE_PATH_CHANGES,REPEATED_WORD "$1"
}

# Ours alone, since what comes later is not in the Makefile yet; and all that is in it.
tool_builds()
{
	local file

	cd "$tool"
	for file in tc/q_ramp*.c tc/m_mpolice*.c; do
		[ ! -e "$file" ] || gcc "${TOOL_FLAGS[@]}" -o /dev/null "$file"
	done
	tool_make >"$WORK/tool-patch.log" 2>&1 || {
		tail -n 20 "$WORK/tool-patch.log"
		return 1
	}
	! grep -E '(q_ramp|m_mpolice|ramp_parse).*warning' "$WORK/tool-patch.log"
}

tool_pages()
{
	local page

	cd "$tool/man/man8"
	for page in tc-ramp.8 tc-mpolice.8; do
		[ ! -e "$page" ] || silent mandoc -Tlint -Wwarning "$page"
	done
	# A page names only pages that are there.
	! grep -ho '^\.BR tc-\(ramp\|mpolice\)[a-z-]* (8)' ./*.8 | sort -u |
		sed 's/^.BR \(.*\) (8)/\1.8/' | grep -vxF "$(ls)"
}

# Each kind that there is now says how it is called, which is an error to tc.
tool_help()
{
	local kind words usage

	cd "$tool/tc"
	for kind in 'q_ramp qdisc add dev lo root ramp' 'm_mpolice actions add action mpolice'; do
		read -ra words <<<"$kind"
		[ -e "${words[0]}.o" ] || continue
		usage=$(! ./tc "${words[@]:1}" help 2>&1)
		grep '^Usage: .*\(ramp\|mpolice\)' <<<"$usage" || {
			printf '%s\n' "$usage"
			return 1
		}
	done
}
