# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2164,SC2153 # check() runs these under set -e; WORK is ours
#
# What netdev's CI asks of a series: patch by patch, and of the tree in the end. Sourced;
# $WORK is a folder, and results are those of selftests/lint/ktap.sh.

# What checkpatch says, and why it stays.
#	FILE_PATH_CHANGES	the first patch of a series has the entry for MAINTAINERS
#	COMPLEX_MACRO, OPEN_ENDED_LINE, PARENTHESIS_ALIGNMENT	of TRACE_EVENT() alone
#	EMBEDDED_FILENAME	helps to find a test
#	REPEATED_WORD	of cases and pages alone: commands have "ingress ingress"
# Shell and Python of the selftests may have 100 columns, as checkpatch has it itself.
CHECKPATCH_IGNORED=FILE_PATH_CHANGES
CHECKPATCH_TEXT=REPEATED_WORD
CHECKPATCH_TRACE=COMPLEX_MACRO,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT

# Folders with code of ours.
OURS=(net/sched/ramp net/sched/mpolice drivers/net/team/spread net/sched/ramp/kunit)

# Debian 12 has no clang that the newest kernel takes.
CLANG_PACKAGES=make,clang,lld,llvm,gcc,libc6-dev,bc,flex,bison,libelf-dev,perl

# Names of compilers, and what make needs for each.
declare -A COMPILER=(
	[gcc]="ARCH=x86_64"
	[clang]="ARCH=x86_64 LLVM=1"
	[i386]="ARCH=i386"
	[s390]="ARCH=s390 CROSS_COMPILE=s390x-linux-gnu-"
)

# checks_run LINUX IPROUTE2 SERIES_FOLDER MODE MADE SERIES... - MADE are all series that
# there are. Those that are not checked are applied, since others stand on them.
checks_run()
{
	local linux=$1 source=$2 folder=$3 mode=$4 made name kernel='' of_tool='' apply
	read -ra made <<<"$5"
	shift 5

	need "check patches" gcc g++ rsync sparse gcc-s390x-linux-gnu bc flex bison \
		libelf-dev libssl-dev yamllint python3-yaml python3-sphinx patch perl
	tree=$WORK/tree
	cp -al "$linux" "$tree"
	[[ " $*" != *" "[0-9]* ]] || kernel=1
	[[ " ${made[*]}" != *" tc-"* ]] || of_tool=1
	if [[ $mode = [aq]* ]] && [ -n "$kernel" ]; then
		say "preparing compilers (2 min)"
		clang_root=$(builder_of trixie builder-clang "$CLANG_PACKAGES")/root
		for name in "${!COMPILER[@]}"; do
			tree_config "$name"
		done
	fi
	if [ -n "$of_tool" ]; then
		say "preparing iproute2"
		tool_prepare "$source"
		tests_tc_prepare "$folder" "${made[@]}"
	fi
	for name in "${made[@]}"; do
		apply=''
		[ "$mode" != final ] && [[ " $* " == *" $name "* ]] || apply=1
		if [ -n "$apply" ]; then
			check_now "$name: applies" series_apply "$name" "$folder/$name"
		elif [[ $name == tc-* ]]; then
			[ "$mode" = tests ] || tool_series "$name" "$folder/$name"
		else
			tree_series "$name" "$folder/$name" "$mode"
		fi
		[ "$mode" = quick ] || [ -z "$of_tool" ] || [ -z "$apply" ] || [[ $name == tc-* ]] ||
			check_now "$name: what fits it of iproute2 applies" tests_tc_follow
	done
	[ "$mode" != final ] || check_now "all: boots, KUnit" tree_kunit
	[ -z "$kernel" ] || [ "$mode" = tests ] || check_now "all: documentation builds" tree_docs
	[[ $mode = [qt]* ]] || tests_end
}

# tree_series SERIES FOLDER MODE - each patch, and the tree with all of them.
tree_series()
{
	local patch

	for patch in "$2"/[0-9]*.patch; do
		case $patch in
		*-cover-letter.patch)
			[ "$3" = tests ] ||
				check_now "$1: cover letter" cover_check "$patch"
			;;
		*)
			patch_check "$1" "$patch" "$3"
			;;
		esac
	done
	[ "$3" = tests ] || series_check "$1"
}

# check_now NAME COMMAND... - as check, but waits for it: the next one needs its tree.
check_now()
{
	check "$@"
	wait
	ktap_show
}

# tree_config NAME - an empty configuration with what ours depend on, prepared.
tree_config()
{
	local dir=$WORK/build-$1

	mkdir "$dir"
	cat >"$dir/all.config" <<-END
	CONFIG_NET=y
	CONFIG_INET=y
	CONFIG_SMP=y
	CONFIG_EXPERT=y
	CONFIG_MODULES=y
	CONFIG_NETDEVICES=y
	CONFIG_NET_CORE=y
	CONFIG_NET_TEAM=m
	CONFIG_NET_SCHED=y
	CONFIG_NET_CLS=y
	CONFIG_NET_CLS_ACT=y
	CONFIG_FTRACE=y
	CONFIG_ENABLE_DEFAULT_TRACERS=y
	CONFIG_LOCKDEP_SUPPORT=y
	CONFIG_PROVE_LOCKING=y
	CONFIG_DEBUG_KERNEL=y
	CONFIG_KUNIT=y
	END
	if ! { tree_make "$1" KCONFIG_ALLCONFIG=all.config allnoconfig &&
	       tree_make "$1" -j"$(nproc)" prepare scripts; } >"$dir/log" 2>&1; then
		tail -n 20 "$dir/log" >&2
		say "cannot prepare the build for $1"
		return 1
	fi
}

# tree_make COMPILER ARG... - paths in ARG are below the variables top and work.
tree_make()
{
	local name=$1 words
	shift

	read -ra words <<<"${COMPILER[$name]}"
	if [ "$name" = clang ]; then
		chroot_make "$clang_root" "$tree" "$WORK" -s -C /headers \
			O=/build/build-clang "${words[@]}" "$@"
		return
	fi
	make -s -C "$tree" O="$WORK/build-$name" "${words[@]}" "$@"
}

# objects_of COMPILER - what there is of ours, as objects. What rests until a later patch
# is in no Makefile; tests of 64-bit numbers are for machines that have them.
objects_of()
{
	local folder file name

	cd "$tree"
	for folder in "${OURS[@]}"; do
		[ -e "$folder/Makefile" ] || continue
		[[ $1 != i386 || $folder != */kunit ]] || continue
		for file in "$folder"/*.c; do
			name=${file##*/}
			! grep -qwF "${name%.c}.o" "$folder/Makefile" ||
				printf '%s\n' "${file%.c}.o"
		done
	done
}

# objects_build COMPILER - fails at the first warning, too. As an external module, so that
# also those are built that no option names yet.
objects_build()
{
	local ext=$WORK/ext-$1 top=$tree work=$WORK objects folder file

	[ "$1" != clang ] || top=/headers work=/build
	mapfile -t objects < <(objects_of "$1")
	[ ${#objects[@]} -gt 0 ] || return 0
	# Objects lie beside the sources, so each compiler has links of its own.
	cd "$tree"
	for folder in "${OURS[@]}"; do
		[ -d "$folder" ] || continue
		mkdir -p "$ext/$folder"
		for file in "$folder"/*.[ch]; do
			[ ! -e "$file" ] || ln -sfn "$top/$file" "$ext/$file"
		done
	done
	printf 'obj-m := %s\nccflags-y := -Werror\n' "${objects[*]}" >"$ext/Kbuild"
	tree_make "$1" -j"$(nproc)" M="$work/ext-$1" W=1 "${objects[@]}"
}

# patch_check SERIES PATCH MODE
patch_check()
{
	local series=$1 patch=$2 mode=$3 name compiler
	name="$series/$(basename "$patch" .patch)"

	check_now "$name: applies" patch_apply "$patch"
	if [ "$mode" != tests ]; then
		check "$name: checkpatch" patch_style "$patch"
		check "$name: size" patch_size "$patch"
		for compiler in "${!COMPILER[@]}"; do
			check "$name: builds ($compiler, W=1)" objects_build "$compiler"
		done
		wait
		ktap_show
	fi
	[ "$mode" != quick ] || return 0
	[ "$mode" = tests ] || ! patch_has_code "$patch" ||
		check_now "$name: boots, KUnit" tree_kunit
	! patch_has_more_than_pages "$patch" || [ -z "$(tests_kinds)" ] ||
		tests_check "$name"
}

# series_apply SERIES FOLDER
series_apply()
{
	local patch apply=patch_apply

	[[ $1 != tc-* ]] || apply=tool_apply
	for patch in "$2"/[0-9]*.patch; do
		[[ $patch == *-cover-letter.patch ]] || $apply "$patch"
	done
}

patch_apply()
{
	cd "$tree"
	silent patch -s -p1 -F0 --no-backup-if-mismatch -i "$1"
}

patch_style()
{
	local ignore=$CHECKPATCH_IGNORED columns=80

	! grep -q '^+++ b/include/trace/' "$1" || ignore+=,$CHECKPATCH_TRACE
	patch_has_code "$1" || ignore+=,$CHECKPATCH_TEXT columns=100
	cd "$tree"
	silent scripts/checkpatch.pl --strict --max-line-length=$columns --terse \
		--no-summary --show-types --ignore="$ignore" "$1"
}

# patch_has_code PATCH - is there anything for a compiler in it, but a test's own tool?
patch_has_code()
{
	grep '^+++ b/.*\.[ch]$' "$1" | grep -qv '^+++ b/tools/testing/'
}

patch_has_more_than_pages()
{
	grep '^+++ b/' "$1" | grep -qv '^+++ b/\(Documentation/\|MAINTAINERS$\)'
}

# Tests and generated cases may be longer. One law or one file is not torn apart.
patch_size()
{
	local lines

	lines=$(awk '/^\+\+\+ b/ { count = !/(kunit|selftests|Documentation|uapi|man)\// }
		/^\+/ && count { n++ } END { print n + 0 }' "$1")
	echo "$lines lines of code"
	[ "$lines" -le 660 ]
}

# tree_kunit - the tests in a kernel of their own, with what else there is built in.
tree_kunit()
{
	local config=$WORK/kunitconfig option

	[ -e "$tree/net/sched/ramp/kunit/.kunitconfig" ] || return 0
	cp "$tree/net/sched/ramp/kunit/.kunitconfig" "$config"
	for option in NET_SCH_RAMP NET_ACT_MPOLICE NET_TEAM_MODE_SPREAD; do
		! grep -qsx "config $option" "$tree"/{net/sched,drivers/net/team}/Kconfig ||
			echo "CONFIG_$option=y" >>"$config"
	done
	printf 'CONFIG_%s=y\n' NET_CLS NET_CLS_ACT NETDEVICES NET_CORE NET_TEAM \
		>>"$config"
	cd "$tree"
	timeout 3600 tools/testing/kunit/kunit.py run --build_dir="$WORK/kunit" \
		--kunitconfig="$config" --jobs="$(nproc)" --raw_output=kunit \
		>"$WORK/kunit.log" 2>&1 || {
		tail -n 40 "$WORK/kunit.log"
		return 1
	}
	! grep '^ *not ok\|BUG:\|WARNING:' "$WORK/kunit.log" &&
		grep -q '^ *ok .*\(slope\|edge\|bucket\|spread\|trail\|earn\|fullness\)' \
			"$WORK/kunit.log"
}

cover_check()
{
	# What git leaves for the author.
	! grep -n '\*\*\*' "$1"
	grep -q '^Subject: .*PATCH.* 0*0/' "$1"
}

# series_check SERIES - of the tree with all its patches.
series_check()
{
	check "$1: kernel-doc" tree_kernel_doc
	check "$1: sparse" tree_sparse
	check "$1: coccinelle" tree_coccinelle
	check "$1: specifications (yamllint, ynl)" tree_specs
	check "$1: uapi headers alone, as C90 and C++" tree_uapi
	check "$1: ids of tdc" tree_tdc_ids
	check "$1: nothing for older kernels" tree_no_compat
	wait
	ktap_show
}

# ours_files GLOB... - files of ours in the tree.
ours_files()
{
	local folder

	cd "$tree"
	for folder in "${OURS[@]}" include/net/ramp; do
		[ ! -d "$folder" ] || find "$folder" -name '*.[ch]'
	done
	find include/uapi/linux include/trace/events \
		'(' -name 'ramp*.h' -o -name '*mpolice.h' -o -name spread.h ')'
}

tree_kernel_doc()
{
	local files

	mapfile -t files < <(ours_files)
	cd "$tree"
	silent tools/docs/kernel-doc -none -Wall "${files[@]}"
}

tree_sparse()
{
	local objects

	mapfile -t objects < <(objects_of sparse | grep -v /kunit/)
	[ ${#objects[@]} -gt 0 ] || return 0
	cd "$WORK/ext-gcc"
	rm -f "${objects[@]}"
	cd "$tree"
	# Of our files alone: the kernel's own headers are not clean.
	tree_make gcc -j"$(nproc)" M="$WORK/ext-gcc" C=2 "${objects[@]}" \
		>"$WORK/sparse.log" 2>&1 || {
		tail -n 20 "$WORK/sparse.log"
		return 1
	}
	! grep -E "($(IFS='|'; echo "${OURS[*]}")|include/net/ramp).*: (warning|error)" \
		"$WORK/sparse.log"
}

# Those of the kernel's semantic patches that CI runs for a folder, each once: to start
# takes them longer than to read what is ours.
tree_coccinelle()
{
	local scripts copy=$WORK/coccinelle

	mapfile -t scripts < <(cd "$tree" && grep -lx 'virtual report' \
		scripts/coccinelle/{api,free,iterators,locks,misc,null}/*.cocci)
	[ ${#scripts[@]} -gt 0 ]
	rm -rf "$copy"
	mkdir "$copy"
	(cd "$tree" && ours_files | sort -u | xargs cp --parents -t "$copy")
	cd "$copy"
	printf "$tree/%s\n" "${scripts[@]}" |
		xargs -P "$(nproc)" -I{} timeout 300 spatch --very-quiet -D report \
			--no-includes --include-headers --cocci-file {} --dir . \
		>"$WORK/coccinelle.log" 2>"$WORK/coccinelle.err" || {
		cat "$WORK/coccinelle.err"
		return 1
	}
	cat "$WORK/coccinelle.log"
	[ ! -s "$WORK/coccinelle.log" ]
}

tree_specs()
{
	local spec

	cd "$tree"
	for spec in Documentation/netlink/specs/{ramp,mpolice,tc}.yaml; do
		[ -e "$spec" ] || continue
		yamllint -s -c Documentation/netlink/specs/.yamllint "$spec" 2>/dev/null ||
			yamllint -d '{extends: default, rules: {line-length: {max: 100}, document-start: disable, brackets: disable}}' "$spec"
		python3 -B "$TOP/upstream/spec_check.py" tools/net/ynl/pyynl "$spec"
		# Of tc.yaml this takes minutes.
		[[ $spec == */tc.yaml ]] || tools/net/ynl/pyynl/ynl_gen_c.py \
			--mode uapi --spec "$spec" --header -o /dev/null
	done
}

tree_uapi()
{
	local header headers ours

	cd "$tree"
	headers=$WORK/uapi
	ours=$WORK/uapi-ours
	rm -rf "$headers" "$ours"
	tree_make gcc headers_install INSTALL_HDR_PATH="$headers" >/dev/null
	for header in include/uapi/linux/{ramp*,mpolice,tc_act/tc_mpolice}.h; do
		[ -e "$header" ] || continue
		header=${header#include/uapi/}
		# Those that the kernel has are not all C90.
		mkdir -p "$ours/${header%/*}"
		mv "$headers/include/$header" "$ours/$header"
		printf '#include <%s>\nint unused;\n' "$header" >"$WORK/header.c"
		gcc -std=c90 -Wall -Werror -pedantic -fsyntax-only -I"$ours" \
			-isystem "$headers/include" "$WORK/header.c"
		printf '#include <%s>\n' "$header" >"$WORK/header.cc"
		g++ -Wall -Werror -fsyntax-only -I"$ours" \
			-isystem "$headers/include" "$WORK/header.cc"
	done
}

# Each id is there once, the kernel's own among them.
tree_tdc_ids()
{
	cd "$tree/tools/testing/selftests/tc-testing/tc-tests"
	grep -rhoE '"id": *"[0-9a-f]{4}"' . | tr -d ' ' | sort | uniq -d >"$WORK/ids"
	cat "$WORK/ids"
	[ ! -s "$WORK/ids" ]
}

tree_no_compat()
{
	local files

	mapfile -t files < <(ours_files)
	cd "$tree"
	! grep -n 'RAMP_HAVE\|compat/\|LINUX_VERSION_CODE\|CONFIG_NET_SCH_RAMP_' "${files[@]}"
}

# Of the folder that has our pages, against what it says without them.
tree_docs()
{
	cd "$tree"
	make -s htmldocs SPHINXDIRS=networking O="$WORK/docs" >"$WORK/docs.log" 2>&1 || {
		tail -n 20 "$WORK/docs.log"
		return 1
	}
	! grep -E 'networking/(ramp|mpolice|spread)[a-z-]*\.rst.*(WARNING|ERROR)' \
		"$WORK/docs.log"
}
