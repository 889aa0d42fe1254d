# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A kernel for x86 with checkers that need several CPUs, which stock kernels do not
# have, and UML cannot: built from Debian's source package, run by QEMU.

# What all UML kernels have, but for what UML alone has.
X86_NOT='^CONFIG_(HOSTFS|STDERR_CONSOLE|SSL|NULL_CHAN)='

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
			"$configs/$1.config" "$X86_NOT" "$(gcc -dumpfullversion)" 1)" \
		x86_fill "$source" "$configs/uml-base.config" "$configs/$1.config" \
		"$X86_NOT"
}

x86_fill()
{
	local dir=$1 source=$2

	grep -vE "$5" "$3" | cat - "$4" >"$dir/config"
	source_fill "$dir" x86 bzImage "$source" "$dir/config"
}
