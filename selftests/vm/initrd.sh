# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The first root of a kernel that has its disk and ext4 as modules: it loads these, and
# goes on with the root on the disk.

# initrd_needs KERNEL - what the root lies on.
initrd_needs()
{
	case $(kernel_arch "$1") in
	s390x) echo 'virtio_blk ext4' ;;
	*) echo 'nvme ext4' ;;
	esac
}

# initrd_file KERNEL - the path of that first root; nothing for a kernel without need.
initrd_file()
{
	local kdir release suite busybox needs
	kdir=$(kernel_dir "$1")
	release=$(cat "$kdir/release")
	! grep -q '/ext4\.ko$' "$kdir/modules/$release/modules.builtin" || return 0
	suite=$(own_suite)
	! kernel_is_foreign "$1" || suite=$FOREIGN_SUITE:$(kernel_arch "$1")
	busybox=$(suite_version "$suite" busybox-static)
	needs=$(initrd_needs "$1")

	need "make an initramfs" cpio kmod xz-utils
	CACHED_WHAT="the first root of $1 (2 s)" \
	cached "initrd-$1" "$(hash_of "${kdir##*/}" "$busybox" "$needs" \
			"$VM_DIR/guest/first" "$VM_DIR/initrd.sh")" \
		initrd_fill "$kdir" "$release" "$suite" "$needs" | sed 's,$,/initrd.cpio,'
}

initrd_fill()
{
	local dir=$1 kdir=$2 release=$3 suite=$4 needs=$5 all=$1/all root=$1/root

	suite_unpack "$dir/deb" "$suite" busybox-static
	mkdir -p "$root"/{bin,dev,proc,sys,new,modules} "$all/lib/modules"
	cp "$dir/deb/bin/busybox" "$root/bin/"
	install -m 755 "$VM_DIR/guest/first" "$root/init"
	cp -al "$kdir/modules/$release" "$all/lib/modules/"
	depmod -b "$all" "$release"
	# In the order in which they have to be loaded.
	# shellcheck disable=SC2086 # words
	initrd_modules "$all" "$release" $needs | while read -r path; do
		initrd_copy "$path" "$root/modules"
	done
	(cd "$root" && find . -print0 | LC_ALL=C sort -z |
		cpio -0 -o --quiet -H newc -R 0:0) >"$dir/initrd.cpio"
	rm -r "$all" "$root" "$dir/deb"
}

# initrd_modules ALL RELEASE NAME... - the files of these and of what they need.
initrd_modules()
{
	local all=$1 release=$2 name
	shift 2

	for name; do
		modprobe -d "$all" -S "$release" --show-depends "$name"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# initrd_copy FILE FOLDER - adds a module to those in FOLDER, whose names tell their order.
initrd_copy()
{
	local name=${1##*/} number

	number=$(find "$2" -type f | wc -l)
	case $name in
	*.xz) xz -dc "$1" >"$(printf '%s/%02d-%s' "$2" "$number" "${name%.xz}")" ;;
	*) cp "$1" "$(printf '%s/%02d-%s' "$2" "$number" "$name")" ;;
	esac
}
