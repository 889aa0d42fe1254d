# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# User-Mode Linux: builds the kernels from Debian's source package and runs them.

# uml_dir NAME - the path of a folder with
#	linux		the kernel, an ordinary program
#	release		what `uname -r` says
#	modules/	its own modules
#	build/		what modules are built against
#	source		where its source lies
uml_dir()
{
	local source configs=$VM_DIR/configs time='4 min'

	need "build User-Mode Linux" gcc make flex bison bc libc6-dev kmod \
		xz-utils
	source=$(linux_source .)
	[ "$1" != uml-debug ] || time='8 min'
	CACHED_WHAT="the kernel $1 (compiling, about $time on 2 CPUs)" \
	cached "linux-$1" "$(hash_of "${source##*/}" "$configs/uml-base.config" \
			"$configs/$1.config" "$(gcc -dumpfullversion)" 1)" \
		uml_fill "$source" "$configs/uml-base.config" "$configs/$1.config"
}

uml_fill()
{
	local dir=$1 source=$2 build=$1/build release
	shift 2

	mkdir "$build"
	cat "$@" >"$build/all.config"
	make -s -C "$source" O="$build" ARCH=um \
		KCONFIG_ALLCONFIG="$build/all.config" allnoconfig
	uml_config_holds "$build/all.config" "$build/.config"
	make -s -C "$source" O="$build" ARCH=um -j"$(nproc)" linux modules
	release=$(make -s -C "$source" O="$build" ARCH=um kernelrelease)
	make -s -C "$source" O="$build" ARCH=um \
		INSTALL_MOD_PATH="$dir/install" DEPMOD=true modules_install
	printf '%s\n' "$release" >"$dir/release"
	ln -s "$source" "$dir/source"
	mkdir "$dir/modules"
	mv "$dir/install/lib/modules/$release" "$dir/modules/"
	rm -f "$dir/modules/$release"/{build,source}
	rm -r "$dir/install"
	strip -o "$dir/linux" "$build/linux"
	# Modules are built against headers, scripts and symbol lists only.
	rm -f "$build"/{linux,vmlinux,vmlinux.a,vmlinux.o,vmlinux.unstripped}
	find "$build" ! -path "$build/scripts/*" -type f \
		\( -name '*.o' -o -name '*.a' -o -name '.*.cmd' -o -name '*.ko' \
		   -o -name '*.mod' -o -name '*.mod.c' \) -exec rm -f {} +
}

# uml_config_holds WANTED CONFIG - an option whose dependencies are not met
# vanishes without a word, and its tests would then prove nothing.
uml_config_holds()
{
	local line name rc=0

	while read -r line; do
		case $line in
		CONFIG_*)
			grep -qxF -- "$line" "$2" || {
				echo "not in the configuration: $line"
				rc=1
			}
			;;
		'# CONFIG_'*' is not set')
			name=${line#\# }
			! grep -q "^${name%% *}=" "$2" || {
				echo "in the configuration, but must not be: ${name%% *}"
				rc=1
			}
			;;
		esac
	done <"$1"
	return $rc
}

# uml_make NAME BUILD ARG... - runs make for external modules in BUILD.
uml_make()
{
	local uml build=$2
	uml=$(uml_dir "$1")
	shift 2

	make -C "$uml/source" O="$uml/build" ARCH=um M="$build" "$@"
}

# uml_command KERNEL CPUS WORK - sets VM_COMMAND. File descriptor 1 gets what the
# command prints, 3 the kernel's log.
uml_command()
{
	local kernel=$1 cpus=$2 work=$3 uml root
	uml=$(uml_dir "$kernel")
	root=$(rootfs_dir)

	# shellcheck disable=SC2054 # the commas are the kernel's
	VM_COMMAND=("$uml/linux" "mem=${RAMP_VM_MEM:-1024}M"
		rootfstype=hostfs "rootflags=$root/root" ro
		init=/usr/lib/ramp/boot ramp.machine=uml
		"ramp.payload=$work/payload" "ramp.out=$work/out"
		"uml_dir=$work/uml" umid=vm
		con=null con0=null,fd:1 ssl=null ssl0=null,fd:3 console=ttyS0
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
