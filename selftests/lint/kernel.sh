# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the kernel's own scripts say of our sources. Sourced.

# linux_tools NAME - sets LINUX to a tree with these scripts and what they read,
# or skips the lint NAME.
linux_tools()
{
	# checkpatch looks into include for names that are Like_This on purpose.
	# In the tree, where some of the folders exist as well, the cache would
	# take their content for the key.
	LINUX=$(cd / && linux_source scripts/checkpatch.pl scripts/spelling.txt \
		scripts/const_structs.checkpatch tools/docs/kernel-doc \
		tools/lib/python include/net tools/net/ynl/pyynl \
		tools/testing/selftests/tc-testing/tc-tests \
		Documentation/netlink/{genetlink,genetlink-c,genetlink-legacy,netlink-raw}.yaml) || {
		skipped "$1" "no linux-source package"
		return 1
	}
}

lint_checkpatch()
{
	linux_tools checkpatch && needs checkpatch perl || return 0
	by_folder checkpatch_add < <(tree_match \
		'^(net|include|selftests|iproute2-patch)/.*\.[ch]$')
}

checkpatch_add()
{
	local ignore width=100

	# What goes to netdev has its 80 columns.
	case $1 in
	net* | include* | selftests/unit*) width=80 ;;
	esac
	mapfile -t ignore < <(checkpatch_ignored "$1")
	check "checkpatch $1" checkpatch_run --max-line-length=$width \
		"${ignore[@]/#/--ignore=}" -f "${@:2}"
}

# checkpatch_ignored FOLDER - what checkpatch cannot know, one type per line.
checkpatch_ignored()
{
	case $1 in
	include/trace/*)
		# TRACE_EVENT() is laid out like a table, in all of the kernel.
		echo OPEN_ENDED_LINE
		echo PARENTHESIS_ALIGNMENT
		# __print_symbolic() takes a list without parentheses.
		echo COMPLEX_MACRO
		;;
	include/compat)
		# A stand-in takes the arguments of what it stands for.
		echo MACRO_ARG_UNUSED
		;;
	iproute2-patch*)
		# It takes SPRINT_BUF(), a declaration, for a statement.
		echo LINE_SPACING
		# Names of the C library; user space has no __weak.
		echo CAMELCASE
		echo PREFER_DEFINED_ATTRIBUTE_MACRO
		# tc's own macros take arguments more than once, for an iterator.
		echo MACRO_ARG_REUSE
		# What tc_api.def lists are declarations, and no values.
		echo COMPLEX_MACRO
		;;
	selftests/*)
		# Names of the C library and of test libraries.
		echo CAMELCASE
		# User space has neither __packed nor strscpy().
		echo PREFER_DEFINED_ATTRIBUTE_MACRO
		echo STRCPY
		;;
	esac
	case $1 in
	selftests/lib)
		# As in iproute2-patch.
		echo COMPLEX_MACRO
		;;
	selftests/unit/shim/*)
		# The shim defines the very macros that it advises to use, and
		# the types of the kernel.
		echo MINMAX
		echo NEW_TYPEDEFS
		;;
	esac
}

checkpatch_run()
{
	local dir top

	# It writes into the current folder, and judges by paths that begin with
	# net/ and include/.
	dir=$(mktemp -d "$WORK/checkpatch.XXXXXX")
	for top in net include selftests iproute2-patch; do
		[ ! -e "$top" ] || ln -s "$TOP/$top" "$dir/"
	done
	cd "$dir" || return
	silent env -u GIT_DIR perl "$LINUX/scripts/checkpatch.pl" --no-tree \
		--root="$LINUX" --strict --terse --show-types --no-summary \
		"$@"
}

lint_kernel-doc()
{
	linux_tools kernel-doc && needs kernel-doc python3 || return 0
	by_folder kernel_doc_add < <(tree_match '^(net|include)/.*\.[ch]$')
}

kernel_doc_add()
{
	check "kernel-doc $1" kernel_doc_run "${@:2}"
}

kernel_doc_run()
{
	# Some things it says twice.
	PYTHONDONTWRITEBYTECODE=1 python3 "$LINUX/tools/docs/kernel-doc" \
		-none -Wall -Werror "$@" 2>&1 | awk '!seen[$0]++'
}
