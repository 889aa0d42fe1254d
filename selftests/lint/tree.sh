# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The files of the tree by kind. Sourced; the current folder is the tree.

TREE=()			# all files, also those that are not committed yet
declare -A SHEBANG	# interpreter of those that name one

# tree_read - fills TREE and SHEBANG.
tree_read()
{
	local file line

	while IFS= read -r -d '' file; do
		# A deleted file is listed until its removal is committed.
		if [ ! -f "$file" ] || [ -L "$file" ]; then
			continue
		fi
		TREE+=("$file")
		line=''
		IFS= read -r -n 80 line <"$file" 2>/dev/null || true
		[[ $line != '#!'* ]] || SHEBANG[$file]=$line
	done < <(tree_list | LC_ALL=C sort -z)
}

tree_list()
{
	if [ -e .git ]; then
		git ls-files -coz --exclude-standard
	else
		# An unpacked archive has nothing but sources.
		find . -type f -printf '%P\0'
	fi
}

# tree_match REGEX - the files whose path matches the extended REGEX.
tree_match()
{
	local file

	for file in "${TREE[@]}"; do
		[[ ! $file =~ $1 ]] || printf '%s\n' "$file"
	done
}

# tree_scripts SUFFIX INTERPRETER - scripts by suffix or by #!; both are
# extended regular expressions.
tree_scripts()
{
	local file re="[/ ]($2)( |\$)"

	for file in "${TREE[@]}"; do
		if [[ $file =~ \.($1)$ ]] || [[ ${SHEBANG[$file]-} =~ $re ]]; then
			printf '%s\n' "$file"
		fi
	done
}

# by_folder FUNCTION < FILES - calls FUNCTION FOLDER FILE... for each folder.
by_folder()
{
	local folder file files
	local -A of=()

	while IFS= read -r file; do
		folder=${file%/*}
		[ "$folder" != "$file" ] || folder=.
		of[$folder]+=$file$'\n'
	done
	while IFS= read -r folder; do
		mapfile -t files < <(printf '%s' "${of[$folder]}")
		"$1" "$folder" "${files[@]}"
	done < <([ ${#of[@]} = 0 ] || printf '%s\n' "${!of[@]}" | LC_ALL=C sort)
}
