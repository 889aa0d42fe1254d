# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Kernels for x86 with checkers that need several CPUs, or with PREEMPT_RT: stock kernels
# have no checkers, and UML neither. Built from Debian's source package, run by QEMU.

# What all UML kernels have, but for what UML alone has.
export X86_NOT='^CONFIG_(HOSTFS|STDERR_CONSOLE|SSL|NULL_CHAN)='

# x86_dir NAME - the path of a folder with release, vmlinuz and modules/ as
# kernel_dir has them, and what modules are built against.
x86_dir()
{
	local source configs=$VM_DIR/configs

	need "build a kernel" gcc make flex bison bc libc6-dev libelf-dev kmod \
		xz-utils
	source=$(linux_source .)
	CACHED_WHAT="the kernel $1 (compiling, about 15 min on 2 CPUs)" \
	cached "linux-$1" "$(hash_of "${source##*/}" "$configs/uml-base.config" \
			"$configs/x86-base.config" "$configs/$1.config" "$X86_NOT" \
			"$(gcc -dumpfullversion)" 2)" \
		x86_fill "$source" "$configs/uml-base.config" \
		"$configs/x86-base.config" "$configs/$1.config"
}

x86_fill()
{
	local dir=$1 source=$2 base=$3
	shift 3

	grep -vE "$X86_NOT" "$base" | cat - "$@" >"$dir/config"
	source_fill "$dir" x86 bzImage "$source" "$dir/config"
}
