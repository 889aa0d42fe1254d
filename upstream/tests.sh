# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2164,SC2153,SC2154
# (check() runs these under set -e; WORK and tree are set by others)
#
# The cases of tdc and the selftests that there are so far, patch by patch: in User-Mode Linux
# in virtual time, with everything of ours built in, by a tc that has those series for
# iproute2 whose headers the kernel has. Sourced after tool.sh.
#
# One build folder goes through all patches, so each builds what it changes. Kernels of the
# same code are the same file, whenever they were built (BUILD_SAME): what passed in one does
# not run again in the next.

BUILD_SAME=(KBUILD_BUILD_TIMESTAMP=2026-01-01 KBUILD_BUILD_VERSION=1 KBUILD_BUILD_USER=ramp
	KBUILD_BUILD_HOST=ramp)

# tests_cases - files with cases of ours.
tests_cases()
{
	find "$tree/tools/testing/selftests/tc-testing/tc-tests" \
		'(' -name 'ramp*.json' -o -name 'mpolice*.json' ')'
}

# tests_kinds - which tests are there?
tests_kinds()
{
	[ -z "$(tests_cases)" ] || echo tdc
	[ ! -d "$tree/tools/testing/selftests/net/ramp" ] || echo selftests
}

# tests_check NAME - all that there are; without any, only the kernel.
tests_check()
{
	local kind kinds

	mapfile -t kinds < <(tests_kinds)
	rm -f "$WORK"/tests.ready.*
	check_now "$1: a kernel with everything built in" tests_kernel
	[ ${#kinds[@]} -gt 0 ] || return 0
	check_now "$1: a tc for its headers" tests_tc
	[ -e "$WORK/uml/linux" ] && [ -e "$WORK/tc/tc" ] || return 0
	check_now "$1: what the tests take" tests_payload "${kinds[@]}"
	for kind in "${kinds[@]}"; do
		if cmp -s "$WORK/tests.ready.$kind" "$WORK/tests.passed.$kind"; then
			check_now "$1: $kind (passed before, in the same kernel by the same tc)" true
		elif [ -e "$WORK/tests.ready.$kind" ]; then
			check_now "$1: $kind" tests_pass "$kind"
		fi
	done
}

# tests_end - of the tree that has all series.
tests_end()
{
	tests_check all
	[ ! -e "$WORK/tests.pending" ] ||
		check_now "all: no series for iproute2 is left" silent cat "$WORK/tests.pending"
}

# tests_pass KIND - notes in what they passed.
tests_pass()
{
	rm -f "$WORK/tests.passed.$1"
	"tests_$1"
	mv "$WORK/tests.ready.$1" "$WORK/tests.passed.$1"
}

# tests_make ARG... - make of the kernel.
tests_make()
{
	make -s -C "$tree" ARCH=um O="$WORK/uml/build" "${BUILD_SAME[@]}" "$@"
}

# tests_kernel - a folder as uml_dir() has it, but for what modules are built against.
tests_kernel()
{
	local dir=$WORK/uml build=$WORK/uml/build option

	rm -f "$dir/linux"
	mkdir -p "$build"
	sed 's/^\(CONFIG_NET_TEAM\w*=\)m/\1y/' "$VM_DIR/configs/uml-base.config" \
		"$VM_DIR/configs/uml-time.config" >"$WORK/uml.config"
	for option in NET_SCH_RAMP NET_ACT_MPOLICE NET_TEAM_MODE_SPREAD; do
		! grep -qx "config $option" "$tree"/{net/sched,drivers/net/team}/Kconfig ||
			echo "CONFIG_$option=y" >>"$WORK/uml.config"
	done
	if ! cmp -s "$WORK/uml.config" "$build/all.config"; then
		cp "$WORK/uml.config" "$build/all.config"
		tests_make KCONFIG_ALLCONFIG="$build/all.config" allnoconfig
		source_config_holds "$build/all.config" "$build/.config"
	fi
	tests_make -j"$(nproc)" linux modules
	rm -rf "$dir/modules"
	tests_make INSTALL_MOD_PATH="$dir/install" DEPMOD=true modules_install
	tests_make kernelrelease >"$dir/release"
	mv "$dir/install/lib/modules" "$dir/modules"
	rm -f "$dir/modules"/*/{build,source}
	strip -o "$dir/linux" "$build/linux"
}

# tests_payload KIND... - modules and tests, laid out for selftests/vm/run; and for each kind
# a file by which its tests, the kernel and tc are known.
tests_payload()
{
	local usr=$WORK/payload/usr release kind file

	rm -rf "$WORK/payload"
	release=$(cat "$WORK/uml/release")
	mkdir -p "$usr/lib/modules"
	cp -r "$WORK/uml/modules/$release" "$usr/lib/modules/"
	ln -s usr/lib "$WORK/payload/lib"
	depmod -b "$WORK/payload" "$release"
	rm "$WORK/payload/lib"
	tests_cases | while read -r file; do
		install -Dm644 "$file" "$usr/lib/upstream/tdc/${file##*/tc-tests/}"
	done
	[ ! -d "$tree/tools/testing/selftests/net/ramp" ] ||
		make -s -C "$tree/tools/testing/selftests" TARGETS=net/ramp install \
			O="$WORK/kselftest" INSTALL_PATH="$usr/lib/upstream/selftests"
	cd "$WORK"
	for kind; do
		find uml/linux tc/tc "payload/usr/lib/upstream/$kind" -type f \
			-exec sha256sum {} + | sort >tests.new
		mv tests.new "tests.ready.$kind"
	done
}

# tests_run COMMAND - in a machine with that kernel.
tests_run()
{
	RAMP_VM_UML=$WORK/uml RAMP_VM_MODULES=$WORK/payload RAMP_VM_TIMEOUT=3000 \
	RAMP_VM_TC=$WORK/tc RAMP_TDC_CASES=/usr/lib/upstream/tdc \
		"$TOP/selftests/vm/run" -k uml-time -- "$1"
}

tests_tdc()
{
	tests_run selftests/tc-testing/run
}

tests_selftests()
{
	tests_run 'cd /usr/lib/upstream/selftests && ./run_kselftest.sh' |
		tee "$WORK/selftests.log"
	! grep -q '^not ok' "$WORK/selftests.log" && grep -q '^ok' "$WORK/selftests.log"
}

# tests_tc_prepare SERIES_FOLDER MADE... - iproute2 without ours, and what is to come into it.
tests_tc_prepare()
{
	local folder=$1 name
	shift

	cp -r "$tool" "$WORK/tests-tool"
	for name; do
		[[ $name != tc-* ]] || printf '%s\n' "$folder/$name"
	done >"$WORK/tests.pending"
}

# tests_tc_follow - the next series, if the headers that it ends with are the tree's. A later
# tc speaks with an earlier kernel, too; but with it the cases of tdc would see what was not
# there yet.
tests_tc_follow()
{
	local folder patch header ahead=$WORK/tests-ahead

	while read -r folder && [ -n "$folder" ]; do
		rm -rf "$ahead"
		cp -r "$WORK/tests-tool" "$ahead"
		tool=$ahead tests_tc_add "$folder"
		while read -r header; do
			cmp -s "$tree/$header" "$ahead/$header" || return 0
		done < <(sed -n 's|^+++ b/\(include/uapi/.*\)|\1|p' "$folder"/*.patch | sort -u)
		tool=$WORK/tests-tool tests_tc_add "$folder"
		sed -i 1d "$WORK/tests.pending"
	done < <(cat "$WORK/tests.pending")
}

# tests_tc_add FOLDER - a series, into $tool.
tests_tc_add()
{
	local patch

	for patch in "$1"/[0-9]*.patch; do
		[[ $patch == *-cover-letter.patch ]] || tool_apply "$patch"
	done
}

# tests_tc - laid out for selftests/vm/run.
tests_tc()
{
	local tool=$WORK/tests-tool

	rm -f "$WORK/tc/tc"
	tests_tc_follow
	tool_builds
	tool_help
	mkdir -p "$WORK/tc/lib"
	strip -o "$WORK/tc/tc" "$tool/tc/tc"
}
