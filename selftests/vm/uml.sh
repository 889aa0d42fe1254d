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
# RAMP_VM_UML is such a folder, of a kernel that the caller has built.
uml_dir()
{
	local source configs=$VM_DIR/configs time='4 min'

	if [ -n "${RAMP_VM_UML-}" ]; then
		printf '%s\n' "$RAMP_VM_UML"
		return
	fi
	need "build User-Mode Linux" gcc make flex bison bc libc6-dev kmod \
		xz-utils
	source=$(linux_source .)
	[ "$1" != uml-debug ] || time='8 min'
	CACHED_WHAT="the kernel $1 (compiling, about $time on 2 CPUs)" \
	cached "linux-$1" "$(hash_of "${source##*/}" "$configs/uml-base.config" \
			"$configs/$1.config" "$(gcc -dumpfullversion)" 1)" \
		source_fill um linux "$source" "$configs/uml-base.config" \
		"$configs/$1.config"
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
	uml)
		VM_COMMAND+=("ncpus=$cpus")
		;;
	uml-time)
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
