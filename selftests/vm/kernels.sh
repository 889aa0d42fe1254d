# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Which kernels there are; and Debian's stock ones: which package a name stands
# for, its image with its modules, and its headers.
#
# The cloud flavour boots fastest; the flavour rt has PREEMPT_RT. Packages are chosen by
# the pattern of their name, so a point release is picked up by itself, and a newer series
# is not.

export KERNELS_ALL='6.1 6.12 7.2 6.1-rt 6.12-rt 6.1-i386 6.12-s390x x86-debug x86-rt uml uml-time uml-time-6.1 uml-time-6.12 uml-debug uml-i386'
export KERNELS_UML='uml uml-time uml-time-6.1 uml-time-6.12 uml-debug uml-i386'

# kernel_known NAME
kernel_known()
{
	case " $KERNELS_ALL " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# kernel_is_uml NAME
kernel_is_uml()
{
	case " $KERNELS_UML " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# kernel_arch NAME - Debian's name of its architecture.
kernel_arch()
{
	case $1 in
	*-i386) echo i386 ;;
	*-s390x) echo s390x ;;
	*) echo amd64 ;;
	esac
}

# kernel_is_foreign NAME - whether it is of another architecture (foreign.sh).
kernel_is_foreign()
{
	[ "$(kernel_arch "$1")" != amd64 ]
}

# kernel_suite NAME - the suite that carries it.
kernel_suite()
{
	case $1 in
	6.1) echo bookworm ;;
	6.12) echo bookworm-backports ;;
	7.2) echo trixie-backports ;;
	6.1-rt) echo bookworm ;;
	6.12-rt) echo trixie ;;
	6.1-i386) echo bookworm:i386 ;;
	6.12-s390x) echo bookworm-backports:s390x ;;
	*) return 1 ;;
	esac
}

# kernel_release NAME - what `uname -r` will say.
kernel_release()
{
	local flavour=cloud-amd64 re=${1%-*}
	re=${re//./\\.}

	case $1 in
	*-rt) flavour=rt-amd64 ;;
	*-i386) flavour=686-pae ;;
	*-s390x) flavour=s390x ;;
	esac

	# The image of new headers comes when it is signed, hours later.
	suite_newest "$(kernel_suite "$1")" \
		"linux-headers-${re}[.][0-9][0-9.+~a-z]*(-[0-9]+)?-$flavour" \
		s/^linux-headers-/linux-image-/ | sed 's/^linux-headers-//'
}

# kernel_dir NAME - the path of a folder with
#	release			what `uname -r` says
#	vmlinuz
#	modules/		/usr/lib/modules of the image
#	headers/usr/{src,lib}	headers and kbuild packages, side by side; of one that
#				is built here, see source_fill
kernel_dir()
{
	local suite release version

	case $1 in
	x86-*) x86_dir "$1"; return ;;
	esac
	suite=$(kernel_suite "$1")
	release=$(kernel_release "$1")
	version=$(suite_version "$suite" "linux-image-$release")

	CACHED_WHAT="Debian's kernel $release ($version, 50 MB, 10 s)" \
	cached "kernel-$1" "$(hash_of "$release" "$version" 2)" \
		kernel_fill "$suite" "$release"
}

kernel_fill()
{
	local dir=$1 suite=$2 release=$3 names pkgs modules

	# Newer images are empty and depend on packages with the kernel and its
	# modules.
	names=$(suite_depends "$suite" "linux-image-$release" \
		"linux-(base|(binary|modules|base)-${release//+/[+]})")
	mapfile -t pkgs < <(grep -vx linux-base <<<"$names")
	suite_unpack "$dir/image" "$suite" "linux-image-$release" "${pkgs[@]}"
	names=$(suite_depends "$suite" "linux-headers-$release" \
		'linux-headers-.*-common(-rt)?|linux-kbuild-.*')
	mapfile -t pkgs < <(grep -v '^linux-kbuild' <<<"$names")
	suite_unpack "$dir/headers" "$suite" "linux-headers-$release" "${pkgs[@]}"
	# Programs, for the architecture that it is built on (foreign.sh).
	mapfile -t pkgs < <(grep '^linux-kbuild' <<<"$names")
	suite_unpack "$dir/headers" "${suite%:s390x}" "${pkgs[@]}"
	printf '%s\n' "$release" >"$dir/release"
	find "$dir/image" -name 'vmlinuz*' -type f -exec mv {} "$dir/vmlinuz" \;
	[ -s "$dir/vmlinuz" ]
	# Older packages say /lib, newer ones /usr/lib.
	for modules in "$dir"/image{/usr,}/lib/modules/"$release"; do
		[ ! -d "$modules" ] || break
	done
	mkdir "$dir/modules"
	rm -f "$modules/build" "$modules/source"
	mv "$modules" "$dir/modules/"
	rm -r "$dir/image"
}
