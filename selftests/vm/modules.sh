# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Ramp's modules for one kernel: built from a copy of the tree, and laid out as
# they are installed, with the tables that modprobe and autoload use.

# modules_dir KERNEL - the path of a folder with usr/lib/modules/RELEASE: for a
# stock kernel updates/ and modules.*, for UML all modules. RAMP_VM_MODULES is
# such a folder, of modules that the caller has built. RAMP_VM_MAKE are more words for make.
modules_dir()
{
	local kernel=$1 base path sources

	if [ -n "${RAMP_VM_MODULES-}" ]; then
		printf '%s\n' "$RAMP_VM_MODULES"
		return
	fi
	base=$(modules_base "$kernel")
	need "index modules" kmod
	mapfile -t sources < <(modules_sources)
	path=$(CACHED_WHAT="the modules for $kernel (10 s)" \
	cached "modules-$kernel" "$(cd "$TOP" && hash_of "${base##*/}" \
			"${sources[@]}" "$VM_DIR/modules.sh" ${RAMP_VM_MAKE:+"$RAMP_VM_MAKE"})" \
		modules_fill "$kernel" "$base" "${sources[@]}")
	# A build that only warned is good, but nobody should overlook it.
	if grep -qE '[0-9]: warning: |^WARNING: modpost' "$path/build.log"; then
		say "the modules for $kernel were built with warnings:"
		grep -E -A4 '[0-9]: warning: |^WARNING: modpost' \
			"$path/build.log" | sed 's/^/    /' >&2
	fi
	printf '%s\n' "$path"
}

# modules_base KERNEL - the path of what its modules are built against.
modules_base()
{
	local base

	if kernel_is_uml "$1"; then
		uml_dir "$1"
	else
		base=$(kernel_dir "$1")
		if kernel_is_foreign "$1"; then
			foreign_builder "$(kernel_arch "$1")" >/dev/null
		elif [ ! -e "$base/source" ]; then
			builder_dir >/dev/null
		fi
		printf '%s\n' "$base"
	fi
}

# What modules are made from, of $TOP.
modules_sources()
{
	local path

	for path in Kbuild include net selftests/modules; do
		[ ! -e "$TOP/$path" ] || printf '%s\n' "$path"
	done
}

modules_fill()
{
	local dir=$1 kernel=$2 base=$3 build=$1/build
	shift 3

	modules_copy "$build" "$@"
	modules_build "$kernel" "$base" "$build" | tee "$dir/build.log"
	modules_lay_out "$kernel" "$base" "$build" "$dir"
	cached_remove "$build"
}

# modules_copy BUILD SOURCE...
modules_copy()
{
	local build=$1
	shift

	mkdir "$build"
	[ $# = 0 ] || tar -C "$TOP" --exclude='*.o' --exclude='*.ko' \
		--exclude='.*.cmd' --exclude='*.mod*' -c "$@" | tar -C "$build" -x
}

# modules_build KERNEL BASE BUILD - builds anew what has changed in BUILD.
modules_build()
{
	local kernel=$1 base=$2 build=$3

	if [ -f "$build/Kbuild" ]; then
		modules_make "$kernel" "$base" "$build" '' || return
	fi
	if [ -f "$build/selftests/modules/Kbuild" ]; then
		modules_make "$kernel" "$base" "$build" selftests/modules
	fi
}

# modules_lay_out KERNEL BASE BUILD DIR
modules_lay_out()
{
	local kernel=$1 base=$2 build=$3 dir=$4 release dest

	release=$(cat "$base/release")
	mkdir -p "$dir/all/usr/lib/modules"
	ln -s usr/lib "$dir/all/lib"
	cp -al "$base/modules/$release" "$dir/all/usr/lib/modules/"
	dest=$dir/all/usr/lib/modules/$release
	mkdir "$dest/updates"
	find "$build" -name '*.ko' -exec cp -t "$dest/updates" {} +
	# depmod writes new files, so the kernel's own folder stays as it is.
	depmod -b "$dir/all" "$release"
	if kernel_is_uml "$kernel"; then
		mv "$dir/all/usr" "$dir/usr"
	else
		mkdir -p "$dir/usr/lib/modules/$release"
		mv "$dest/updates" "$dest"/modules.* "$dir/usr/lib/modules/$release/"
	fi
	rm -r "$dir/all"
}

# modules_make KERNEL BASE BUILD FOLDER - FOLDER's modules may use the symbols
# of those in the top folder.
modules_make()
{
	local kernel=$1 base=$2 build=$3 folder=$4 release common arch args cross
	release=$(cat "$base/release")
	case $release in
	*-rt-amd64) common=${release%-rt-amd64}-common-rt ;;
	*-686-pae) common=${release%-686-pae}-common ;;
	*-cloud-amd64) common=${release%-cloud-amd64}-common ;;
	*) common=${release%-s390x}-common ;;
	esac
	args=("-j$(nproc)")
	# shellcheck disable=SC2206 # words
	args+=(${RAMP_VM_MAKE-})
	[ -z "$folder" ] || args+=("KBUILD_EXTRA_SYMBOLS=/build/Module.symvers")

	if kernel_is_foreign "$kernel" && [ ! -e "$base/source" ]; then
		arch=$(kernel_arch "$kernel")
		cross=(CC=gcc)
		[ "$arch" != s390x ] || cross=(ARCH=s390 CC=s390x-linux-gnu-gcc
			CROSS_COMPILE=s390x-linux-gnu-)
		foreign_run "$arch" make -C "$base/headers/usr/src/linux-headers-$common" \
			O="$base/headers/usr/src/linux-headers-$release" \
			"${cross[@]}" \
			CONFIG_DEBUG_INFO_BTF_MODULES= M="$build${folder:+/$folder}" \
			"${args[@]/\/build\/Module/$build/Module}" modules 2>&1
	elif [ -e "$base/source" ]; then
		source_make "$base" "$build${folder:+/$folder}" \
			"${args[@]/\/build\/Module/$build/Module}" modules 2>&1
	else
		# The headers of 6.12 have a vmlinux, but no tool that could make
		# BTF from it. Debug information takes half of the time, and nobody but
		# selftests/install, which sees how it is stripped, looks at it.
		[ "$kernel" = 6.1 ] || args=(KCFLAGS=-g0 "${args[@]}")
		builder_make "$base/headers" "$build" \
			-C "/headers/usr/src/linux-headers-$common" \
			O="/headers/usr/src/linux-headers-$release" CC=gcc-14 \
			CONFIG_DEBUG_INFO_BTF_MODULES= M="/build${folder:+/$folder}" \
			"${args[@]}" modules 2>&1
	fi
}
