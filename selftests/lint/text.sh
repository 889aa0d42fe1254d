# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Scripts, documents and data. Sourced; the current folder is the tree.

# A script reads others, wherever they are, so all of them are one state.
lint_shellcheck()
{
	local scripts SHELLCHECK_STATE

	needs shellcheck shellcheck || return 0
	mapfile -t scripts < <(tree_scripts sh '(ba|da|k)?sh')
	SHELLCHECK_STATE=$(hash_of "$(sha256sum "${scripts[@]}")" "$(shellcheck --version)")
	by_folder shellcheck_add < <(printf '%s\n' "${scripts[@]}")
}

shellcheck_add()
{
	check "shellcheck $1" once "shellcheck-${1//\//+}" "$SHELLCHECK_STATE" \
		silent shellcheck -x -f gcc "${@:2}"
}

lint_man()
{
	local file

	needs man man-db groff-base mandoc || return 0
	while IFS= read -r file; do
		check "man $file" silent man_run "$file"
		check "man mandoc $file" silent mandoc -Tlint -Wwarning "$file"
	done < <(tree_match '\.[1-9]$')
}

# A page must fit a terminal of 80 columns; what language and preprocessors the
# user prefers is no business of the page.
man_run()
{
	MANROFFSEQ='' MANWIDTH=80 LC_ALL=C.UTF-8 \
		man --warnings -E UTF-8 -l -Tutf8 -Z "$1" >/dev/null
}

lint_yaml()
{
	needs yaml yamllint || return 0
	by_folder yaml_add < <(tree_match '\.ya?ml$')
}

yaml_add()
{
	check "yaml $1" silent yamllint -s -f parsable "${@:2}"
}

lint_ynl()
{
	local file

	linux_tools ynl && needs ynl python3-yaml python3-jsonschema || return 0
	while IFS= read -r file; do
		check "ynl $file" ynl_run "$file"
	done < <(tree_match '^Documentation/netlink/specs/.*\.yaml$')
}

ynl_run()
{
	local protocol

	# Which schema holds, the spec itself says.
	protocol=$(sed -n 's/^protocol: *//p' "$1")
	PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 \
		"$LINUX/tools/net/ynl/pyynl/cli.py" --spec "$1" --validate \
		--schema "$LINUX/Documentation/netlink/${protocol:-genetlink}.yaml"
}

# All pages at once, so that links between them are looked at, and pages that none leads
# to are found.
lint_rst()
{
	needs rst python3-sphinx || return 0
	check "rst Documentation" silent sphinx-build -n -W --keep-going -q \
		-d "$WORK/doctrees" Documentation "$WORK/html"
}

# What codespell takes for a mistake and is none: macros of man pages, a counter of BQL, to
# and fro, a name in the data of the paper.
lint_spelling()
{
	needs spelling codespell || return 0
	check "spelling" silent codespell -q 2 -L te,inflight,fro,lamda "${TREE[@]}"
}

lint_links()
{
	local files

	needs links python3 || return 0
	mapfile -t files < <(tree_match '\.(md|rst)$|\.[1-9]$|^MAINTAINERS$')
	[ ${#files[@]} = 0 ] ||
		check "links" silent python3 selftests/lint/links.py "${files[@]}"
}

# A number in somebody's list of them tells a reader nothing.
lint_sources()
{
	check "sources by title" sources_run
}

sources_run()
{
	! grep -InEi '\bdocuments? 0[0-9]{2}\b' "${TREE[@]}"
}

lint_python()
{
	local files

	needs python pyflakes3 pycodestyle || return 0
	mapfile -t files < <(tree_scripts py 'python3?')
	[ ${#files[@]} -gt 0 ] || return 0
	check "python pyflakes" silent pyflakes3 "${files[@]}"
	check "python pycodestyle" silent \
		pycodestyle --max-line-length=100 "${files[@]}"
}

lint_json()
{
	local files

	needs json jq || return 0
	by_folder json_add < <(tree_match '\.json$')
	mapfile -t files < <(tree_match '(^|/)tc-testing?/.*\.json$|(^|/)tdc/.*\.json$')
	[ ${#files[@]} = 0 ] && return
	check "json ids" json_ids "${files[@]}"
	linux_tools "json ids of the kernel" || return 0
	check "json ids of the kernel" json_ids_kernel "${files[@]}"
}

json_add()
{
	check "json $1" jq empty "${@:2}"
}

# A case without an id, or with that of another one, would never run.
json_ids()
{
	silent jq -rs '
		[.[] | if type == "array" then . else .cases // [] end | .[]] |
		(.[] | select((.id // "") | test("^[0-9a-f]{4}$") | not) |
			"no id of 4 hex digits: \(.id) \(.name)"),
		(group_by(.id)[] | select(length > 1) |
			"id \(.[0].id) is used \(length) times: \([.[].name] | join("; "))")
	' "$@"
}

# The cases are to stand beside those of the kernel.
json_ids_kernel()
{
	local theirs="$LINUX/tools/testing/selftests/tc-testing/tc-tests"

	[ -d "$theirs" ]
	silent comm -12 <(ids_of "$@" | sort -u) <(ids_of -r "$theirs" | sort -u)
}

ids_of()
{
	grep -hoE '"id": *"[0-9a-f]{4}"' "$@" | tr -d ' '
}

lint_spdx()
{
	local files

	mapfile -t files < <(spdx_files)
	check "spdx" spdx_run "${files[@]}"
}

spdx_files()
{
	local file

	for file in "${TREE[@]}"; do
		if [[ $file =~ \.([chS]|sh|py|ya?ml|rst)$ ]] ||
		   [[ ${file##*/} =~ ^(Makefile|Kbuild|Kconfig)(\..*)?$ ]] ||
		   [ -n "${SHEBANG[$file]-}" ]; then
			printf '%s\n' "$file"
		fi
	done
}

spdx_run()
{
	local file rc=0

	for file; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: (*[A-Z]' || {
			echo "$file: no SPDX-License-Identifier in its first 3 lines"
			rc=1
		}
	done
	return $rc
}

lint_words()
{
	check "words of a build machine" words_run
}

words_run()
{
	# No slash before the folder: "$dir/root/etc" is not the machine's.
	local re="(^|[[:space:]=:(,<>\`[{])[\"']?/(work|root|home)/" rc=0
	local hosts=()

	! grep -InE -- "$re" "${TREE[@]}" || {
		echo "paths of somebody's machine"
		rc=1
	}
	mapfile -t hosts < <(mirror_hosts)
	[ ${#hosts[@]} = 0 ] ||
	! grep -InwF "${hosts[@]/#/-e}" -- "${TREE[@]}" || {
		echo "hosts of the machine's package mirrors"
		rc=1
	}
	return $rc
}

# A name without a dot (localhost) is nobody's mirror.
mirror_hosts()
{
	# shellcheck disable=SC2016 # apt's variable
	apt-get indextargets --format '$(REPO_URI)' 2>/dev/null |
		sed -nE 's|^[a-z+]+://([^/@]*@)?([^/:]+\.[^/:]+).*|\2|p' | sort -u
}

lint_whitespace()
{
	check "whitespace" whitespace_run
}

whitespace_run()
{
	local file rc=0

	! grep -InE '[[:blank:]]+$' "${TREE[@]}" || rc=1
	for file in "${TREE[@]}"; do
		# grep -I finds no line in a binary file.
		if grep -Iq '' "$file" && [ -n "$(tail -c 1 "$file")" ]; then
			echo "$file: no newline at its end"
			rc=1
		fi
	done
	return $rc
}

# A result's name makes sense alone, and is the same in each run: what was measured
# stands below it (selftests/lib/ktap.sh).
lint_names()
{
	check "names of results" names_run
}

names_run()
{
	local checks='is|within|holds|satisfies|matches' files helpers begin twice rc=0

	mapfile -t files < <(tree_match '^selftests/net/.*\.sh$')
	[ ${#files[@]} -gt 0 ] || return 0
	# What takes a NAME says so above it.
	helpers=$(sed -nE 's/^# ([a-z_]+) NAME( .*)?$/\1/p' "${files[@]}" | paste -sd'|')
	begin="(^|[[:space:]])($checks|pass|fail|skip|lacks|${helpers:-is}) +\""
	! grep -nE "${begin}([^\"]*: )?(and|but|nor|which) " "${files[@]}" || {
		echo "names that say nothing alone"
		rc=1
	}
	! grep -nE "${begin}[^\"]*(\\$\(|\`)" "${files[@]}" || {
		echo "names with something measured in them"
		rc=1
	}
	twice=$(grep -oHE "(^|[[:space:]])($checks) +\"[^\"\$]*\"" "${files[@]}" |
		sed 's/:[^"]*/: /' | sort | uniq -d)
	[ -z "$twice" ] || {
		printf '%s\n' "$twice" "names that a test has twice"
		rc=1
	}
	return $rc
}

# The fuzzers know all attributes, and so does what syzkaller is told. What is said of a
# parameter anywhere is what its row says (struct ramp_attr).
lint_attributes()
{
	needs attributes python3 || return 0
	check "attributes in the fuzzers' tables" silent \
		python3 selftests/fuzz/netlink/names.py
	check "bounds that are not those of the kernel's rows" silent \
		python3 -B selftests/fuzz/netlink/rows.py
	check "attributes by feature" silent \
		python3 -B selftests/features/features.py --check
}

# What goes into a kernel tree is made of these sources by edits that have to fit.
lint_stage()
{
	needs stage python3 || return 0
	[ ! -e upstream/test_stage ] ||
		check "stages of a kernel tree" silent upstream/test_stage
}

# A row that breaks nothing asks nothing of the tests.
lint_mutants()
{
	needs mutants python3 || return 0
	check "mutants that break something" silent python3 selftests/lint/mutants.py
}

# What a request is answered with has to fit into the caller's buffer: see
# net/sched/extack_keep.h. No text is split over lines, says checkpatch.
lint_answers()
{
	local files

	mapfile -t files < <(tree_match '^(net|include/compat)/.*\.[ch]$')
	[ ${#files[@]} = 0 ] ||
		check "answers that are too long" answers_run \
			"${files[@]}"
}

answers_run()
{
	! grep -nE '"[^"]{80,}"' "$@"
}
