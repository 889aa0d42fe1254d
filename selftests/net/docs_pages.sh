#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands of all pages and man pages, in the order in which they stand there: each
# succeeds, and prints what the page says. Each page has a new box. Those of figures.rst
# need virtual time, others CPUs and modules that it has not; install.rst has tests of its
# own, with what it installs.
#
#	selftests/net/docs_pages.sh [FILE...]

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/docs.sh
. "$(dirname "$0")/lib/docs.sh"

# left_over - what a page made outside of the box.
left_over()
{
	local ns

	for ns in a b; do
		ip netns delete $ns 2>/dev/null
	done
	echo 0 >/sys/kernel/tracing/events/enable
}

# box_state - what an Undo has to bring back: links that are up or down, and of whom, root
# qdiscs and classifiers, actions, and nft's rules. Handles of the kernel's own differ.
box_state()
{
	ip -n "$src" -j link show | jq -r '.[] |
		"\(.ifname) \(if .flags | index("UP") then "up" else "down" end) \(.master)"'
	tc -n "$src" -j qdisc show | jq -r '.[] | "\(.dev) \(.kind) \(.parent // "root")"'
	tc -n "$src" actions list action mpolice 2>/dev/null | grep -o 'mpolice bucket.*'
	# It is there only where a page has used it.
	! command -v nft >/dev/null || ip netns exec "$src" nft list ruleset 2>/dev/null
}

# page FILE - runs the commands of a page. Sets count.
page()
{
	local before

	count=0
	before=$(box_state)
	python3 selftests/docs/commands.py --box "$1" >"$NET_WORK/commands" ||
		fail "$1: its commands are found"
	while docs_read; do
		count=$((count + 1))
		docs_run "$DOCS_COMMAND"
	done 3<"$NET_WORK/commands"
	! grep -qxE '(#+ )?Undo' "$1" ||
		is "${1##*/}: Undo brings back what was there" "$(box_state)" "$before"
}

# planted - in a page with three commands, one that fails and one that prints something
# else than the page says are noticed.
planted()
{
	local said

	printf '%s\n' '::' '' '    # tc qdisc replace dev eth0 root ramp tick 1us' \
		'    # echo one' '    two' '    # echo 1 2 3' '    1...3' \
		>"$NET_WORK/planted.rst"
	said=$(page "$NET_WORK/planted.rst")
	is "wrong commands and wrong outputs of a page are noticed" \
		"$(cut -d' ' -f1-2 <<<"$said" | grep -c '^not ok')" 2
}

# planted_undo - one that leaves a link down, a qdisc or an action is noticed, and a right
# one passes.
planted_undo()
{
	local said

	while read -r undo; do
		docs_box
		printf '%s\n' Undo '====' '::' '' "    # $undo" >"$NET_WORK/planted.rst"
		said=$(page "$NET_WORK/planted.rst")
		is "noticed behind an Undo: $undo" "$(grep -c '^not ok' <<<"$said")" 1
	done <<-'END'
	ip link set eth1 down
	tc qdisc replace dev eth1 root ramp
	tc actions add action mpolice bucket 7 rate 1gbit policy drop index 72
	END
	tc actions flush action mpolice 2>/dev/null
	docs_box
	printf '%s\n' Undo '====' '::' '' '    # tc qdisc replace dev eth1 root ramp' \
		'    # tc qdisc del dev eth1 root' >"$NET_WORK/planted.rst"
	is "a right Undo passes" "$(page "$NET_WORK/planted.rst" | grep -c '^not ok')" 0
}

net_init nsenter
docs_tools
cd "$TREE" || exit
[ $# -gt 0 ] || {
	mapfile -t files < <(find README.md Documentation iproute2-patch/man \
		-name '*.rst' -o -name '*.md' -o -name '*.8' |
		grep -vE '^Documentation/(figures|install)\.rst$' | LC_ALL=C sort)
	set -- "${files[@]}"
}
sum=0
docs_box
planted
planted_undo
for file; do
	docs_box
	page "$file"
	left_over
	sum=$((sum + count))
done
[ $# -lt 10 ] || holds "texts have commands" $sum ">" 200
rmmod ramp_cpufreq 2>/dev/null
ktap_end
