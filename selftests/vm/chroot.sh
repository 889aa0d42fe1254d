# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The builder: a small Debian in which modules for all stock kernels are built.
# 7.2's own build tools need a newer libc than bookworm has, and one compiler for
# the three kernels is simpler than three.

export BUILDER_PACKAGES=make,gcc-14,libelf1t64,zlib1g,libssl3t64,libzstd1

# builder_dir - the path of the builder.
builder_dir()
{
	builder_of trixie builder "$BUILDER_PACKAGES"
}

# suite_builder SUITE COMPILER - the path of one with the tools of another suite.
suite_builder()
{
	if [ "$*" = 'trixie gcc-14' ]; then
		builder_dir
	else
		builder_of "$1" "builder-$1" "make,$2,libelf-dev"
	fi
}

builder_of()
{
	need "make a build chroot, and mount in it" mmdebstrap mount
	CACHED_WHAT="a $1 chroot to build modules in (400 MB, 30 s)" \
	cached "$2" "$(hash_of "$3" 1)" debstrap "$1" "$3"
}

# debstrap DIR SUITE PKG,PKG... [MMDEBSTRAP OPTION...] - a Debian in DIR, for use
# with cached.
debstrap()
{
	local dir=$1 suite=$2 packages=$3 lines valid
	shift 3

	mapfile -t lines < <(deb_lines "$suite")
	# A mirror may be a snapshot of some day: as the machine's apt takes it.
	valid=$(apt-config dump --format '%v' Acquire::Check-Valid-Until)
	# mmdebstrap wants to make the folder itself. Its mounts are to end with
	# it, also if it is killed.
	as_root unshare -m mmdebstrap --quiet --mode=root --variant=apt \
		--include="$packages" --aptopt='Acquire::Languages "none"' \
		--aptopt="Acquire::Check-Valid-Until \"${valid:-true}\"" \
		"$@" "$suite" "$dir/root" "${lines[@]}"
	as_root chmod 755 "$dir/root"
}

# builder_make HEADERS BUILD ARG... - runs make in the builder, with HEADERS at
# /headers and BUILD at /build.
builder_make()
{
	local root
	root=$(builder_dir)/root

	chroot_make "$root" "$@"
}

# chroot_make ROOT HEADERS BUILD ARG... - the same in any chroot.
chroot_make()
{
	local root=$1 headers=$2 build=$3
	shift 3

	as_root mkdir -p "$root/headers" "$root/build"
	# objtool needs /proc. All mounts are private and end with the process.
	# shellcheck disable=SC2016 # expands inside
	as_root unshare -mpf --kill-child bash -euc '
		root=$1 headers=$2 build=$3
		shift 3
		mount -t proc proc "$root/proc"
		mount --bind -o ro "$headers" "$root/headers"
		mount --bind "$build" "$root/build"
		exec chroot "$root" make "$@"
	' make "$root" "$headers" "$build" "$@"
}
