# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Ramp's modules for one kernel: built from a copy of the tree, and laid out as
# they are installed, with the tables that modprobe and autoload use.

# modules_dir KERNEL - the path of a folder with usr/lib/modules/RELEASE: for a
# stock kernel updates/ and modules.*, for UML all modules.
modules_dir()
{
	local kernel=$1 base path
	local sources=()

	if kernel_is_uml "$kernel"; then
		base=$(uml_dir "$kernel")
	else
		base=$(kernel_dir "$kernel")
		[ -e "$base/source" ] || builder_dir >/dev/null
	fi
	need "index modules" kmod
	for path in Kbuild include net selftests/modules; do
		[ ! -e "$TOP/$path" ] || sources+=("$path")
	done
	path=$(CACHED_WHAT="the modules for $kernel (10 s)" \
	cached "modules-$kernel" "$(cd "$TOP" && hash_of "${base##*/}" \
			"${sources[@]}" "$VM_DIR/modules.sh")" \
		modules_fill "$kernel" "$base" "${sources[@]}")
	# A build that only warned is good, but nobody should overlook it.
	if grep -qE '[0-9]: warning: |^WARNING: modpost' "$path/build.log"; then
		say "the modules for $kernel were built with warnings:"
		grep -E -A4 '[0-9]: warning: |^WARNING: modpost' \
			"$path/build.log" | sed 's/^/    /' >&2
	fi
	printf '%s\n' "$path"
}

modules_fill()
{
	local dir=$1 kernel=$2 base=$3 build=$1/build release dest
	shift 3

	release=$(cat "$base/release")
	mkdir "$build"
	touch "$dir/build.log"
	[ $# = 0 ] || tar -C "$TOP" --exclude='*.o' --exclude='*.ko' \
		--exclude='.*.cmd' --exclude='*.mod*' -c "$@" | tar -C "$build" -x
	if [ -f "$build/Kbuild" ]; then
		modules_make "$kernel" "$base" "$build" '' | tee -a "$dir/build.log"
	fi
	if [ -f "$build/selftests/modules/Kbuild" ]; then
		modules_make "$kernel" "$base" "$build" selftests/modules |
			tee -a "$dir/build.log"
	fi

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
	cached_remove "$build"
}

# modules_make KERNEL BASE BUILD FOLDER - FOLDER's modules may use the symbols
# of those in the top folder.
modules_make()
{
	local kernel=$1 base=$2 build=$3 folder=$4 release args
	release=$(cat "$base/release")
	args=("-j$(nproc)")
	[ -z "$folder" ] || args+=("KBUILD_EXTRA_SYMBOLS=/build/Module.symvers")

	if [ -e "$base/source" ]; then
		source_make "$base" "$build${folder:+/$folder}" \
			"${args[@]/\/build\/Module/$build/Module}" modules 2>&1
	else
		# The headers of 6.12 have a vmlinux, but no tool that could make
		# BTF from it.
		builder_make "$base/headers" "$build" \
			-C "/headers/usr/src/linux-headers-${release%-cloud-amd64}-common" \
			O="/headers/usr/src/linux-headers-$release" CC=gcc-14 \
			CONFIG_DEBUG_INFO_BTF_MODULES= M="/build${folder:+/$folder}" \
			"${args[@]}" modules 2>&1
	fi
}
