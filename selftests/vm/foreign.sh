# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Machines of other architectures than the host's: what builds for them, and their root.
# All of it is Debian 12, whatever the host has, and of the release alone.
#
# i386: the host runs its programs, so a chroot has compilers and all. s390x: compilers
# that the host runs make its programs, and only QEMU runs them.

export FOREIGN_SUITE=bookworm

# foreign_builder ARCH - the path of a folder with root/, where it is built for ARCH.
foreign_builder()
{
	local packages=make,gcc,libc6-dev,flex,bison,bc,kmod,libelf-dev,python3 arch=$1

	if [ "$arch" = s390x ]; then
		packages=make,gcc-s390x-linux-gnu,libc6-dev-s390x-cross,libelf1,libssl3
		arch=amd64
	fi
	need "make a build chroot, and mount in it" mmdebstrap mount
	CACHED_WHAT="a chroot to build for $1 in (500 MB, 60 s)" \
	cached "builder-$1" "$(hash_of "$packages" 1)" \
		foreign_debstrap "$arch" "$packages"
}

foreign_debstrap()
{
	local dir=$1 arch=$2 packages=$3 line
	line=$(deb_line "$FOREIGN_SUITE")

	as_root unshare -m mmdebstrap --quiet --mode=root --variant=apt \
		--architectures="$arch" --include="$packages" --skip=check/qemu \
		--aptopt='Acquire::Languages "none"' \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		"$FOREIGN_SUITE" "$dir/root" "$line"
	as_root chmod 755 "$dir/root"
}

# foreign_run ARCH COMMAND [ARG...] - runs it where it is built for ARCH; the tree and the
# cache are where they are outside.
foreign_run()
{
	local root apart=()
	root=$(foreign_builder "$1")/root
	[ "$1" != i386 ] || apart=(linux32)
	shift

	# All mounts are private and end with the process.
	# shellcheck disable=SC2016 # expands inside
	as_root unshare -mpf --kill-child bash -euc '
		root=$1
		mount -t proc proc "$root/proc"
		for folder in "$2" "$3"; do
			mkdir -p "$root$folder"
			mount --bind "$folder" "$root$folder"
		done
		shift 3
		exec "$@"
	' run "$root" "$TOP" "$RAMP_CACHE" "${apart[@]}" \
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C chroot "$root" "$@"
}

# foreign_root ARCH - the path of a folder with root/, as rootfs_dir has it.
foreign_root()
{
	local kselftests
	# shellcheck disable=SC2086 # a list
	kselftests=$(linux_source $ROOTFS_KSELFTESTS)

	need "make the guest's root" mmdebstrap
	CACHED_WHAT="the root of a guest with $1 (250 MB, 60 s)" \
	cached "rootfs-$1" "$(hash_of "$FOREIGN_PACKAGES" "${kselftests##*/}" \
			"$VM_DIR/guest/boot" "$VM_DIR/foreign.sh")" \
		foreign_root_fill "$1" "$kselftests" "$VM_DIR/guest/boot"
}

# What the tests take that run there.
export FOREIGN_PACKAGES=bash,mount,iproute2,ethtool,python3-minimal,python3,jq,\
libteam-utils,kmod,procps,iputils-ping,tcpdump,bc,perl-base,python3-pyroute2,python3-yaml,\
python3-jsonschema

# What belongs to every Debian.
export FOREIGN_ESSENTIAL=base-files,base-passwd,bash,bsdutils,coreutils,dash,debianutils,\
diffutils,findutils,grep,gzip,hostname,mawk,ncurses-base,ncurses-bin,sed,tar,util-linux

foreign_root_fill()
{
	local dir=$1 arch=$2 kselftests=$3 boot=$4 root=$1/root

	if [ "$arch" = i386 ]; then
		foreign_debstrap "$dir" "$arch" "$FOREIGN_PACKAGES"
	else
		foreign_extract "$dir" "$arch" "$FOREIGN_ESSENTIAL,$FOREIGN_PACKAGES"
	fi
	as_root rm -rf "$root"/usr/share/{doc,man,info,locale} "$root"/var/lib/apt \
		"$root"/var/cache/apt
	rootfs_finish "$root" "$kselftests" "$boot"
}

# foreign_extract DIR ARCH PKG,PKG... - packages with what they need, unpacked only: their
# scripts are programs that the host cannot run.
foreign_extract()
{
	local dir=$1 arch=$2 packages=${3//,/ } root=$1/root conf deb name
	conf=$(suite_apt "$FOREIGN_SUITE:$arch")

	mkdir -p "$dir/debs/partial" "$root"/usr/{bin,sbin,lib}
	for name in bin sbin lib; do
		ln -s "usr/$name" "$root/$name"
	done
	# shellcheck disable=SC2086 # words
	apt-get -c "$conf" -o "Dir::Cache::archives=$dir/debs" -yq --download-only \
		--no-install-recommends install $packages
	for deb in "$dir"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x --keep-directory-symlink -C "$root"
	done
	rm -r "$dir/debs"
	# What the scripts would have done, as far as it is missed.
	ln -s mawk "$root/usr/bin/awk"
	cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
	cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
}

# foreign_tools ARCH - the path of a folder with tc's plugins (lib/) and the tools of the
# network tests for it.
foreign_tools()
{
	local builder
	builder=$(foreign_builder "$1")

	CACHED_WHAT="tc's plugins and the tests' tools for $1 (5 s)" \
	cached "foreign-tools-$1" "$(cd "$TOP" && hash_of "${builder##*/}" \
			iproute2-patch/*.[ch] iproute2-patch/Makefile \
			iproute2-patch/tc_api.def include/uapi selftests/net/tools \
			"$(declare -f foreign_tools_fill)")" \
		foreign_tools_fill "$1"
}

foreign_tools_fill()
{
	local dir=$1 arch=$2 cc=gcc file name
	[ "$arch" != s390x ] || cc=s390x-linux-gnu-gcc

	foreign_run "$arch" make -s -C "$TOP/iproute2-patch" O="$dir/lib" CC=$cc \
		CFLAGS='-O2 -g0' WERROR=1
	for file in "$TOP"/selftests/net/tools/*.c; do
		name=${file##*/}
		foreign_run "$arch" $cc -O2 -g0 -Wall -Wextra -Werror \
			-Wstrict-prototypes -Wmissing-prototypes \
			-o "$dir/ramp-${name%.c}" "$file"
	done
}
