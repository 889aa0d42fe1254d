# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the benches in the guest share: rows of results, as Documentation/bench.rst
# describes them.

# shellcheck source=selftests/cost/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../cost/lib.sh"

# bench_begin NAME - the rows that follow go to a file of that name.
bench_begin()
{
	result_begin "bench-$1"
}

# row PART NAME X CPUS UNIT VALUE... - a row with the median of the values, and
# what their middle half lies between. X is how many there are of what NAME says,
# or a dash.
row()
{
	local part=$1 name=$2 x=$3 cpus=$4 unit=$5 low high
	shift 5

	read -r low high < <(quartiles "$@")
	[ "$x" != - ] || x=null
	result --arg part "$part" --arg name "$name" --argjson x "$x" \
		--argjson cpus "$cpus" --arg unit "$unit" \
		--argjson value "$(median "$@")" \
		--argjson low "$low" --argjson high "$high" \
		--argjson rounds $#
}

# row_ratio PART NAME TO CPUS VALUE... - the same of ratios, by round.
row_ratio()
{
	local part=$1 name=$2 to=$3 cpus=$4 low high
	shift 4

	read -r low high < <(quartiles "$@")
	result --arg part "$part" --arg name "$name" --arg to "$to" \
		--argjson x null --argjson cpus "$cpus" --arg unit ratio \
		--argjson value "$(median "$@")" \
		--argjson low "$low" --argjson high "$high" \
		--argjson rounds $#
}
