# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Kernels that are built from Debian's source package: what is the same for
# User-Mode Linux and for x86.

# source_fill DIR ARCH IMAGE SOURCE CONFIG... - fills DIR. IMAGE is what make makes. ARCH
# is make's, or um-i386.
source_fill()
{
	local dir=$1 arch=$2 image=$3 source=$4 build=$1/build release
	local quiet=(source_run "$2" -s -C "$4" O="$1/build")
	shift 4

	mkdir "$build"
	cat "$@" >"$build/all.config"
	"${quiet[@]}" KCONFIG_ALLCONFIG="$build/all.config" allnoconfig
	source_config_holds "$build/all.config" "$build/.config"
	# Where KCSAN is, it looks at our modules alone.
	"${quiet[@]}" -j"$(nproc)" KCSAN_SANITIZE=n "$image" modules
	release=$("${quiet[@]}" kernelrelease)
	"${quiet[@]}" INSTALL_MOD_PATH="$dir/install" DEPMOD=true modules_install
	printf '%s\n' "$release" >"$dir/release"
	ln -s "$source" "$dir/source"
	mkdir "$dir/modules"
	mv "$dir/install/lib/modules/$release" "$dir/modules/"
	rm -f "$dir/modules/$release"/{build,source}
	rm -r "$dir/install"
	case $arch in
	um*) strip -o "$dir/linux" "$build/linux" ;;
	*) cp "$build/arch/x86/boot/$image" "$dir/vmlinuz" ;;
	esac
	# Modules are built against headers, scripts, tools and symbol lists only.
	rm -f "$build"/{linux,vmlinux,vmlinux.a,vmlinux.o,vmlinux.unstripped}
	find "$build" ! -path "$build/scripts/*" ! -path "$build/tools/*" -type f \
		\( -name '*.o' -o -name '*.a' -o -name '.*.cmd' -o -name '*.ko' \
		   -o -name '*.mod' -o -name '*.mod.c' \) -exec rm -f {} +
}

# source_config_holds WANTED CONFIG - an option whose dependencies are not met
# vanishes without a word, and its tests would then prove nothing.
source_config_holds()
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

# source_run ARCH ARG... - make for it.
source_run()
{
	local arch=$1
	shift

	case $arch in
	um-i386) foreign_run i386 make ARCH=um SUBARCH=i386 "$@" ;;
	*) make ARCH="$arch" "$@" ;;
	esac
}

# source_make DIR MODULES ARG... - make for external modules in MODULES, against
# what source_fill has left in DIR.
source_make()
{
	local dir=$1 modules=$2 arch=x86
	shift 2

	[ ! -e "$dir/linux" ] || arch=um
	! grep -qx CONFIG_X86_32=y "$dir/build/.config" || arch=um-i386
	source_run $arch -C "$dir/source" O="$dir/build" M="$modules" "$@"
}
