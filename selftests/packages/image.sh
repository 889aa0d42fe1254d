# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A Debian as somebody has it on a disk, and a chroot that builds packages. Sourced by run.

# What a router may have. The cloud flavour needs no initramfs to boot here.
export IMAGE_PACKAGES=systemd-sysv,udev,dbus,ifupdown,network-manager,iproute2,kmod,\
iputils-ping,man-db,bash-completion,libteam-utils,procps,openssl,jq,python3,python3-pyroute2,\
bpftrace,sudo,dkms,linux-image-cloud-amd64,linux-headers-cloud-amd64
# What who follows the texts has, before they say what to install.
export TEXT_PACKAGES=systemd-sysv,udev,dbus,iproute2,kmod,iputils-ping,man-db,\
libteam-utils,procps,jq,python3,sudo,nftables,iperf3,ethtool,python3-yaml,python3-jsonschema,\
python3-pyroute2,bpftrace,linux-image-cloud-amd64
export BUILD_PACKAGES=build-essential,debhelper,dh-dkms,lintian

# build_root SUITE - the path of a chroot with root/.
build_root()
{
	CACHED_WHAT="a $1 chroot to build packages in (500 MB, 90 s)" \
	cached "packages-build-$1" "$(hash_of "$BUILD_PACKAGES" "$(versions "$1" lintian)" 1)" \
		debstrap "$1" "$BUILD_PACKAGES"
}

# versions SUITE PKG... - what the suite has of them today.
versions()
{
	local suite=$1 pkg
	shift

	for pkg; do
		suite_version "$suite" "$pkg"
	done
}

# image SUITE [NAME PACKAGES] - the path of a disk image with that Debian and its kernel.
image()
{
	local name=${2-disk} packages=${3-$IMAGE_PACKAGES}

	CACHED_WHAT="a disk with $1, $name (1.5 GB, 5 min)" \
	cached "packages-$name-$1" "$(hash_of "$packages" \
			"$(versions "$1" linux-image-cloud-amd64 iproute2 dkms)" 2)" \
		image_of_suite "$1" "$packages" | sed 's,$,/root.ext4,'
}

image_of_suite()
{
	local dir=$1 size

	debstrap "$dir" "$2" "$3" \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/info/*'
	as_root rm -rf "$dir"/root/var/cache/apt/* "$dir"/root/var/lib/apt/lists/*
	size=$(as_root du -s --block-size=1M "$dir/root" | cut -f1)
	# Room for another kernel with its headers.
	as_root mke2fs -q -t ext4 -d "$dir/root" "$dir/root.ext4" "$((size + 1500))M"
	as_root chmod 644 "$dir/root.ext4"
	as_root rm -rf "$dir/root"
	first_boot "$dir/root.ext4" "$dir/work"
}

# first_boot IMAGE WORK - what a first boot makes on any disk (its number, that of dbus,
# stamps of timers) is there before anything of ours is.
first_boot()
{
	local disk=$1 work=$2 rc=0

	mkdir "$work"
	cat >"$work/first-boot.service" <<-'END'
	[Service]
	ExecStart=/bin/sh -c 'systemctl is-system-running --wait; uname -r >/dev/ttyS1; \
		systemctl poweroff --no-block'
	END
	inside "$disk" "$work" bash -euc '
		cd /etc/systemd/system
		cp /mnt/first-boot.service .
		mkdir -p multi-user.target.wants
		ln -s ../first-boot.service multi-user.target.wants/'
	machine "$disk" "$work" || rc=$?
	if [ "$rc" != 0 ] || [ ! -s "$work/guest" ]; then
		say "the first boot did not end (exit status $rc), its console:"
		tail -n 30 "$work/console" >&2
		return 1
	fi
	inside "$disk" "$work" bash -euc '
		cd /etc/systemd/system
		rm first-boot.service multi-user.target.wants/first-boot.service
		test -s /etc/machine-id'
	rm -r "$work"
}

# inside ROOT|IMAGE FOLDER COMMAND [ARG...] - in a chroot, or in what an image has, with
# FOLDER at /mnt; without a network, unless NETWORK is set.
inside()
{
	local apart=-mnpf
	[ -z "${NETWORK-}" ] || apart=-mpf

	# All mounts are private and end with the process.
	# shellcheck disable=SC2016 # expands inside
	as_root unshare "$apart" --kill-child bash -euc '
		root=$1 folder=$2
		shift 2
		if [ -f "$root" ]; then
			mkdir -p "$root.mounted"
			mount -o loop "$root" "$root.mounted"
			root=$root.mounted
		fi
		mount -t proc proc "$root/proc"
		mount -t tmpfs tmpfs "$root/tmp"
		mount --bind "$folder" "$root/mnt"
		for node in null zero urandom; do
			[ -e "$root/dev/$node" ] || touch "$root/dev/$node"
			mount --bind "/dev/$node" "$root/dev/$node"
		done
		[ ! -s /etc/resolv.conf ] || cat /etc/resolv.conf >"$root/etc/resolv.conf"
		[ -e "$root/dev/fd" ] || ln -s /proc/self/fd "$root/dev/fd"
		chroot "$root" env -i HOME=/root LC_ALL=C.UTF-8 \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			DEBIAN_FRONTEND=noninteractive "$@"
	' inside "$@"
}

# machine IMAGE WORK [WORD...] - boots it, with its newest kernel, until it goes off. What
# the guest says is in WORK/guest, its kernel's log in WORK/console. WORDs are for its
# command line. MACHINE_CPUS and MACHINE_MEM (Mbyte) may be set.
machine()
{
	local disk=$1 work=$2 vmlinuz
	shift 2

	vmlinuz=$(inside "$disk" "$work" bash -c 'ls /boot/vmlinuz-* | sort -V | tail -n 1')
	inside "$disk" "$work" cp "$vmlinuz" /mnt/vmlinuz
	as_root chmod 644 "$work/vmlinuz"
	: >"$work/guest"
	# The processor, and no_timer_check, are those of selftests/vm/qemu.sh, which says why.
	timeout "${RAMP_VM_TIMEOUT:-900}" qemu-system-x86_64 -M q35 -nodefaults \
		-no-user-config -display none -no-reboot \
		-cpu max,-cx16,-erms,-fsrm,-la57 -accel tcg,thread=multi \
		-smp "${MACHINE_CPUS:-2}" -m "${MACHINE_MEM:-1024}" \
		-kernel "$work/vmlinuz" \
		-serial "file:$work/console" -serial "file:$work/guest" \
		-device nvme,id=nv,serial=root \
		-drive "file=$disk,format=raw,if=none,id=root" \
		-device nvme-ns,drive=root,bus=nv,nsid=1 \
		-netdev user,id=n0,restrict=on -device virtio-net-pci,netdev=n0 \
		-netdev user,id=n1,restrict=on,net=10.0.3.0/24 -device virtio-net-pci,netdev=n1 \
		-append "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check audit=0 apparmor=0 \
net.ifnames=0 root=/dev/nvme0n1 rootwait rootfstype=ext4 rw $*"
}
