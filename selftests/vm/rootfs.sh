# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The guest's root: one Debian of the machine's own suite, so that what is built
# on the machine (the patched tc) runs in the guest. UML uses the folder through
# hostfs; QEMU gets it as a disk image, or as an initramfs for --icount.

export ROOTFS_PACKAGES=bash,mount,iproute2,ethtool,iperf3,python3,python3-yaml,python3-scapy,\
python3-pyroute2,python3-jsonschema,jq,libteam-utils,kmod,tcpdump,procps,iputils-ping,\
libmnl0,libcap-ng0,libbpf1,libelf1,bc,socat,strace,xz-utils,nftables

# What tests take from the kernel's own selftests, at /usr/lib/kselftests.
ROOTFS_KSELFTESTS='tools/testing/selftests/tc-testing
tools/testing/selftests/net/lib.sh
tools/testing/selftests/net/lib
tools/testing/selftests/net/forwarding
tools/testing/selftests/kselftest
tools/testing/selftests/kselftest.h
tools/net/ynl/pyynl
Documentation/netlink
tools/testing/selftests/lib.mk'

# rootfs_dir [KERNEL] - the path of a folder with root/.
rootfs_dir()
{
	local here suite kselftests arch
	arch=$(kernel_arch "${1-}")
	if [ "$arch" != amd64 ]; then
		foreign_root "$arch"
		return
	fi
	here=$VM_DIR/guest
	suite=$(own_suite)

	need "make the guest's root" mmdebstrap
	# shellcheck disable=SC2086 # a list
	kselftests=$(linux_source $ROOTFS_KSELFTESTS)
	CACHED_WHAT="the guest's root (Debian $suite, 250 MB, 40 s)" \
	cached rootfs "$(hash_of "$suite" "$ROOTFS_PACKAGES" "${kselftests##*/}" \
			"$here/boot" "$VM_DIR/rootfs.sh")" \
		rootfs_fill "$suite" "$kselftests" "$here/boot"
}

rootfs_fill()
{
	local dir=$1 suite=$2 kselftests=$3 boot=$4 root=$1/root

	debstrap "$dir" "$suite" "$ROOTFS_PACKAGES" \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/info/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*'
	rootfs_finish "$root" "$kselftests" "$boot"
}

# rootfs_finish ROOT KSELFTESTS BOOT - makes a Debian one that a guest boots.
rootfs_finish()
{
	local root=$1 kselftests=$2 boot=$3 path

	as_root mkdir -p "$root/ramp" "$root/out" "$root/usr/lib/ramp" \
		"$root/usr/lib/kselftests" "$root/usr/lib/modules"
	as_root install -m 755 "$boot" "$root/usr/lib/ramp/boot"
	for path in tools/testing/selftests tools/net Documentation; do
		as_root cp -a "$kselftests/$path/." "$root/usr/lib/kselftests/"
	done
	# tdc is to use the tc that comes first in the guest's PATH.
	as_root tee "$root/usr/lib/kselftests/tc-testing/tdc_config_local.py" \
		>/dev/null <<-'END'
	import shutil
	EXTRA_NAMES = {'TC': shutil.which('tc') or '/sbin/tc'}
	END
	echo ramp | as_root tee "$root/etc/hostname" >/dev/null
	as_root rm -rf "$root"/var/cache/* "$root"/var/lib/apt/lists/* \
		"$root"/var/log/*
	# UML may run as an ordinary user, and reads through hostfs.
	as_root chmod -R a+rX "$root"
}

# image_file KERNEL - the path of an ext4 image with that kernel's modules.
image_file()
{
	local kernel=$1 kdir root
	kdir=$(kernel_dir "$kernel")
	root=$(rootfs_dir "$kernel")

	need "make disk images" e2fsprogs kmod
	CACHED_WHAT="the disk image for $kernel (350 MB, 10 s)" \
	cached "image-$kernel" "$(hash_of "${kdir##*/}" "${root##*/}" 1)" \
		image_fill "$kdir" "$root" | sed 's,$,/root.ext4,'
}

image_fill()
{
	local dir=$1 kdir=$2 root=$3 size

	image_tree "$dir/tree" "$kdir" "$root"
	size=$(as_root du -s --block-size=1M "$dir/tree" | cut -f1)
	# The guest writes to it during a run (into a snapshot): leave room.
	as_root mke2fs -q -t ext4 -O ^has_journal -d "$dir/tree" \
		"$dir/root.ext4" "$((size * 5 / 4 + 400))M"
	as_root chmod 644 "$dir/root.ext4"
	as_root rm -rf "$dir/tree"
}

# image_tree DIR KERNEL_DIR ROOTFS_DIR - hard links of both in one tree.
image_tree()
{
	local dir=$1 kdir=$2 root=$3 release
	release=$(cat "$kdir/release")

	as_root cp -al "$root/root" "$dir"
	as_root cp -al "$kdir/modules/$release" "$dir/usr/lib/modules/"
	as_root depmod -b "$dir" "$release"
}

# initramfs_file KERNEL - the path of an uncompressed initramfs for --icount:
# the root without what only tests with disks need, as every byte costs guest
# instructions.
initramfs_file()
{
	local kernel=$1 kdir root
	kdir=$(kernel_dir "$kernel")
	root=$(rootfs_dir)

	need "make an initramfs" cpio kmod
	CACHED_WHAT="the initramfs for $kernel (15 s)" \
	cached "initramfs-$kernel" "$(hash_of "${kdir##*/}" "${root##*/}" 4)" \
		initramfs_fill "$kdir" "$root" | sed 's,$,/initramfs.cpio,'
}

initramfs_fill()
{
	local dir=$1 kdir=$2 root=$3 release mod t=$1/tree
	release=$(cat "$kdir/release")

	image_tree "$t" "$kdir" "$root"
	mod=$t/usr/lib/modules/$release/kernel
	as_root find "$mod" -mindepth 1 -maxdepth 1 ! -name net ! -name drivers \
		! -name lib ! -name crypto -exec rm -rf {} +
	as_root find "$mod/drivers" -mindepth 1 -maxdepth 1 ! -name net \
		! -name block ! -name virtio -exec rm -rf {} +
	as_root find "$mod/drivers/net" -mindepth 1 -maxdepth 1 \
		\( -name ethernet -o -name wireless -o -name hyperv -o \
		   -name usb -o -name wwan \) -exec rm -rf {} +
	as_root find "$mod/net" -mindepth 1 -maxdepth 1 \
		! -name sched ! -name core ! -name ipv4 ! -name ipv6 \
		! -name 802 ! -name 8021q ! -name llc ! -name bridge \
		! -name packet ! -name psample -exec rm -rf {} +
	as_root rm -rf "$t"/usr/lib/python3/dist-packages/{scapy,pyroute2,pr2modules} \
		"$t"/usr/share/{perl,perl5,zoneinfo,i18n,iso-codes} \
		"$t"/usr/lib/x86_64-linux-gnu/{perl,perl-base,gconv} \
		"$t"/usr/lib/locale "$t/usr/lib/kselftests" "$t/usr/share/locale"
	as_root find "$t" -name __pycache__ -prune -exec rm -rf {} +
	as_root depmod -b "$t" "$release"
	as_root ln -s usr/lib/ramp/boot "$t/init"
	# Sorted and without inode numbers, so that equal content boots equally.
	# shellcheck disable=SC2016 # expands inside
	as_root bash -euo pipefail -c 'cd "$1" && find . -print0 | LC_ALL=C sort -z |
		cpio -0 -o --quiet -H newc --reproducible >"$2"' \
		cpio "$t" "$dir/initramfs.cpio"
	as_root rm -rf "$t"
}
