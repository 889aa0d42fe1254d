# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Debian's stock kernels in QEMU, emulated (TCG), so that it works and behaves
# the same wherever the tests run.
#
# RAMP_VM_LINK is the path of a socket: two machines that name the same one, the first of
# them as listen:PATH, the other as connect:PATH, have a cable between them, from the
# device whose address is 02:00:00:00:00:01 to that which has 02:00:00:00:00:02.

# qemu_package KERNEL - which of Debian's has the emulator.
qemu_package()
{
	case $(kernel_arch "$1") in
	s390x) echo qemu-system-misc ;;
	*) echo qemu-system-x86 ;;
	esac
}

# qemu_payload WORK ICOUNT KERNEL - packs the payload for the machine.
qemu_payload()
{
	local work=$1 icount=$2 kernel=$3 initramfs

	if [ -n "$icount" ]; then
		initramfs=$(initramfs_file "$kernel")
		find "$work/payload" -exec touch -hd @0 {} +
		(cd "$work/payload" && find . -print0 | LC_ALL=C sort -z |
			cpio -0 -o --quiet -H newc --reproducible -R 0:0) \
			>"$work/payload.cpio"
		cat "$initramfs" "$work/payload.cpio" >"$work/initramfs"
	else
		tar -C "$work/payload" --owner=0 --group=0 -cf "$work/payload.tar" .
		truncate -s %1M "$work/payload.tar"
	fi
	truncate -s 64M "$work/out.tar"
}

# qemu_command KERNEL CPUS WORK ICOUNT - sets VM_COMMAND. File descriptor 1 gets
# what the command prints; the kernel's log and the status go to files.
qemu_command()
{
	local kernel=$1 cpus=$2 work=$3 icount=$4 shell=$5 kdir image initrd
	# A kernel that looks whether its timer ticks finds that it does not, and
	# panics, if the host is busy.
	local append='console=ttyS0 quiet panic=-1 mitigations=off nokaslr no_timer_check log_buf_len=4M'
	# What QEMU has translated it finds again by the address: programs that
	# lie elsewhere each time would be translated each time. Audit and AppArmor
	# are work on every system call, and none of ours.
	# An NMI makes a kernel that stands still say where.
	local fast='norandmaps audit=0 apparmor=0 unknown_nmi_panic'
	# Ctrl-C is for the shell, not for the emulator.
	local signal=on
	[ -z "$shell" ] || signal=off
	# Each 200th access to memory is watched for a while. What it prints is in
	# /sys/kernel/debug/kcsan, too.
	local kcsan='kcsan.early_enable=1 kcsan.skip_watch=200 kcsan.udelay_interrupt=80'
	mkfifo "$work/monitor.in" "$work/monitor.out"
	kdir=$(kernel_dir "$kernel")
	if [ "$(kernel_arch "$kernel")" = s390x ]; then
		qemu_s390x "$kernel" "$cpus" "$work" "$shell"
		return
	fi
	[ "$kernel" != x86-debug ] || fast+=" $kcsan"

	# shellcheck disable=SC2054 # the commas are QEMU's
	VM_COMMAND=(qemu-system-x86_64 -M q35 -nodefaults -no-user-config
		-display none -no-reboot -kernel "$kdir/vmlinuz"
		-serial "file:$work/console"
		-chardev "stdio,id=output,signal=$signal"
		-serial chardev:output
		-serial "file:$work/status"
		-chardev "pipe,id=monitor,path=$work/monitor"
		-mon chardev=monitor
		-drive "file=$work/out.tar,format=raw,if=none,id=out"
		-device virtio-blk-pci,drive=out,serial=out)
	if [ -n "$icount" ]; then
		# One instruction is one nanosecond, and nothing else passes time.
		# Disks would: the root is in memory.
		# shellcheck disable=SC2054
		VM_COMMAND+=(-cpu max,-cx16,-rdrand,-rdseed -smp 1 -m "${RAMP_VM_MEM:-1536}"
			-icount shift=0,sleep=off -seed 1
			-rtc base=2026-01-01T00:00:00,clock=vm
			-initrd "$work/initramfs"
			-append "$append ramp.machine=initramfs")
	else
		image=$(image_file "$kernel")
		initrd=$(initrd_file "$kernel")
		[ -z "$initrd" ] || VM_COMMAND+=(-initrd "$initrd")
		# Without cx16: QEMU 7.2 on several threads now and then returns
		# from cmpxchg16b with a pointer in the flags. Without erms and fsrm:
		# emulated, these copy byte by byte. Without la57: each level of page
		# tables is work.
		# shellcheck disable=SC2054
		VM_COMMAND+=(-cpu max,-cx16,-erms,-fsrm,-la57
			-accel tcg,thread=multi -smp "$cpus"
			-m "${RAMP_VM_MEM:-1024}"
			-device nvme,id=nv,serial=root
			-drive "file=$image,format=raw,if=none,id=root,snapshot=on"
			-device nvme-ns,drive=root,bus=nv,nsid=1
			-drive "file=$work/payload.tar,format=raw,if=none,id=payload,readonly=on"
			-device virtio-blk-pci,drive=payload,serial=payload
			-append "$append $fast random.trust_cpu=on root=/dev/nvme0n1 rootwait rootfstype=ext4 ro init=/usr/lib/ramp/boot ramp.machine=qemu")
	fi
	qemu_link pci
}

# qemu_s390x KERNEL CPUS WORK SHELL - it has one console; what the command prints and the
# status have serial ports of virtio. Such a port is closed when its input ends.
qemu_s390x()
{
	local kernel=$1 cpus=$2 work=$3 output=file,path=/dev/stdout kdir image initrd
	[ -z "$4" ] || output=stdio,signal=off
	kdir=$(kernel_dir "$kernel")
	image=$(image_file "$kernel")
	initrd=$(initrd_file "$kernel")

	# shellcheck disable=SC2054 # the commas are QEMU's
	VM_COMMAND=(qemu-system-s390x -M s390-ccw-virtio -nodefaults -no-user-config
		-display none -no-reboot -cpu max -accel tcg,thread=multi
		-smp "$cpus" -m "${RAMP_VM_MEM:-1024}"
		-kernel "$kdir/vmlinuz" -initrd "$initrd"
		-chardev "file,id=console,path=$work/console"
		-device sclpconsole,chardev=console
		-device virtio-serial-ccw
		-chardev "$output,id=output"
		-device virtserialport,chardev=output,nr=1
		-chardev "file,id=status,path=$work/status"
		-chardev "pipe,id=monitor,path=$work/monitor"
		-mon chardev=monitor
		-device virtserialport,chardev=status,nr=2
		-drive "file=$image,format=raw,if=none,id=root,snapshot=on"
		-device virtio-blk-ccw,drive=root,serial=root
		-drive "file=$work/payload.tar,format=raw,if=none,id=payload,readonly=on"
		-device virtio-blk-ccw,drive=payload,serial=payload
		-drive "file=$work/out.tar,format=raw,if=none,id=out"
		-device virtio-blk-ccw,drive=out,serial=out
		-append "console=ttysclp0 quiet panic=-1 mitigations=off nokaslr norandmaps audit=0 apparmor=0 log_buf_len=4M root=serial:root init=/usr/lib/ramp/boot ramp.machine=qemu")
	qemu_link ccw
}

# qemu_why WORK - asks a machine that stands still where it is: an NMI makes the kernel
# panic, with what its CPUs did. Prints what the emulator says of them. Fails if the kernel
# said nothing, as then no CPU ran.
qemu_why()
{
	local work=$1 size

	size=$(stat -c %s "$work/console")
	timeout 5 bash -c "printf 'info cpus\ninfo registers -a\nnmi\n' >'$work/monitor.in'" ||
		return
	timeout 20 cat "$work/monitor.out" | grep -aE '^(\* |  )?CPU ?#|^[RE]IP=' | tr -d '\r'
	[ "$(stat -c %s "$work/console")" -gt "$size" ]
}

# qemu_link BUS - the device of the cable, if there is one.
qemu_link()
{
	local path=${RAMP_VM_LINK-} server=off mac=02:00:00:00:00:02

	[ -n "$path" ] || return 0
	case $RAMP_VM_LINK in
	listen:*) server=on mac=02:00:00:00:00:01 ;;
	esac
	VM_COMMAND+=(-netdev "stream,id=link,server=$server,addr.type=unix,addr.path=${path#*:}"
		-device "virtio-net-$1,netdev=link,mac=$mac")
}
