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
	need "make a build chroot, and mount in it" mmdebstrap mount
	CACHED_WHAT="a trixie chroot to build modules in (400 MB, 30 s)" \
	cached builder "$(hash_of "$BUILDER_PACKAGES" 1)" \
		debstrap trixie "$BUILDER_PACKAGES"
}

# debstrap DIR SUITE PKG,PKG... [MMDEBSTRAP OPTION...] - a Debian in DIR, for use
# with cached.
debstrap()
{
	local dir=$1 suite=$2 packages=$3 lines
	shift 3

	mapfile -t lines < <(deb_lines "$suite")
	# mmdebstrap wants to make the folder itself. Its mounts are to end with
	# it, also if it is killed.
	as_root unshare -m mmdebstrap --quiet --mode=root --variant=apt \
		--include="$packages" --aptopt='Acquire::Languages "none"' \
		"$@" "$suite" "$dir/root" "${lines[@]}"
	as_root chmod 755 "$dir/root"
}

# builder_make HEADERS BUILD ARG... - runs make in the builder, with HEADERS at
# /headers and BUILD at /build.
builder_make()
{
	local headers=$1 build=$2 root
	root=$(builder_dir)/root
	shift 2

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
