# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# User-Mode Linux, built from Debian's source package.

# uml_dir NAME - the path of a folder with
#	linux		the kernel, an ordinary program
#	release		what `uname -r` says
#	modules/	its own modules
#	build/		what modules are built against
#	source		where its source lies
# RAMP_VM_UML is such a folder, of a kernel that the caller has built. uml-time-6.1 is
# uml-time with the source of Debian's 6.1.
uml_dir()
{
	local source configs=$VM_DIR/configs time='4 min' series=()

	if [ -n "${RAMP_VM_UML-}" ]; then
		printf '%s\n' "$RAMP_VM_UML"
		return
	fi
	need "build User-Mode Linux" gcc make flex bison bc libc6-dev kmod \
		xz-utils
	[[ $1 != uml-time-* ]] || series=(-k "${1#uml-time-}")
	source=$(linux_source "${series[@]}" .)
	[ "$1" != uml-debug ] || time='8 min'
	if [ "$1" = uml-i386 ]; then
		uml_i386_dir "$source"
		return
	fi
	CACHED_WHAT="the kernel $1 (compiling, about $time on 2 CPUs)" \
	cached "linux-$1" "$(hash_of "${source##*/}" "$configs/uml-base.config" \
			"$configs/${1%-6.*}.config" "$(gcc -dumpfullversion)" 1)" \
		source_fill um linux "$source" "$configs/uml-base.config" \
		"$configs/${1%-6.*}.config"
}

# Of the options of the others, those that need 64 bits are left out.
uml_i386_dir()
{
	local source=$1 builder configs=$VM_DIR/configs
	builder=$(foreign_builder i386)

	CACHED_WHAT="the kernel uml-i386 (compiling, about 4 min on 2 CPUs)" \
	cached linux-uml-i386 "$(hash_of "${source##*/}" "${builder##*/}" \
			"$configs/uml-base.config" "$configs/uml-i386.config" \
			"$(declare -f uml_i386_fill)")" \
		uml_i386_fill "$source" "$configs/uml-base.config" \
		"$configs/uml-i386.config"
}

uml_i386_fill()
{
	local dir=$1 source=$2

	grep -v '^CONFIG_64BIT=' "$3" | cat - "$4" >"$dir/config"
	source_fill "$dir" um-i386 linux "$source" "$dir/config"
}

# uml_command KERNEL CPUS WORK - sets VM_COMMAND. File descriptor 1 gets what the
# command prints, 3 the kernel's log.
uml_command()
{
	local kernel=$1 cpus=$2 work=$3 shell=$4 uml root input=null
	[ -z "$shell" ] || input=fd:0
	uml=$(uml_dir "$kernel")
	root=$(rootfs_dir "$kernel")

	# shellcheck disable=SC2054 # the commas are the kernel's
	VM_COMMAND=("$uml/linux" "mem=${RAMP_VM_MEM:-1024}M"
		rootfstype=hostfs "rootflags=$root/root" ro
		init=/usr/lib/ramp/boot ramp.machine=uml
		"ramp.payload=$work/payload" "ramp.out=$work/out"
		"uml_dir=$work/uml" umid=vm
		con=null "con0=$input,fd:1" ssl=null ssl0=null,fd:3 console=ttyS0
		log_buf_len=4M seccomp=on)
	case $kernel in
	uml | uml-i386)
		VM_COMMAND+=("ncpus=$cpus")
		;;
	uml-time*)
		VM_COMMAND+=(time-travel=inf-cpu
			time-travel-start=1700000000000000000)
		;;
	uml-debug)
		# Caches with checks have no per-CPU arrays of free objects, in which
		# stale pointers hide leaks from kmemleak.
		VM_COMMAND+=(slab_debug=F)
		;;
	esac
}
