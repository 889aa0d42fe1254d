# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Reads what commands.py prints. Sourced.

# docs_read - the next command from descriptor 3, as DOCS_FILE, DOCS_LINE and so on.
docs_read()
{
	local field

	for field in FILE LINE COMMAND OUTPUT; do
		IFS= read -r -d '' -u 3 "DOCS_$field" || return
	done
}
