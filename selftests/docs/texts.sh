# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Which texts have commands, and what those compile for the machines that run the others.
# Sourced, on top of prepare.sh and read.sh.

DOCS_BUILD=selftests/docs/build

# docs_texts - all of them, but for install.rst: that has tests of its own.
docs_texts()
{
	git ls-files -co --exclude-standard '*.rst' '*.md' '*.8' |
		grep -vxF Documentation/install.rst
}

# docs_box_texts - those of which a box runs the commands. Those of figures.rst want virtual
# time, and those below selftests/ machines.
docs_box_texts()
{
	docs_texts | grep -v -e '^selftests/' -e '/figures\.rst$'
}

# docs_compile COMMAND - runs it in a copy of the folder of its page; the machine gets what it
# makes.
docs_compile()
{
	local work rc=0

	need "compile what the pages do" clang libbpf-dev linux-libc-dev || return
	work=$(mktemp -d)
	cp "${DOCS_FILE%/*}"/*.c "$work/"
	(cd "$work" && bash -euc "$1") || rc=$?
	mkdir -p "$DOCS_BUILD"
	find "$work" -type f ! -name '*.c' -exec mv -t "$DOCS_BUILD" {} + || rc=$?
	rm -r "$work"
	return $rc
}

# docs_compile_all - what any page compiles.
docs_compile_all()
{
	rm -rf "$DOCS_BUILD"
	while docs_read; do
		[[ $DOCS_COMMAND != clang* ]] || docs_compile "$DOCS_COMMAND"
	done 3< <(docs_texts | xargs -d '\n' python3 -B selftests/docs/commands.py --tree)
}
