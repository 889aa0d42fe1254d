# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Runs commands that a text tells its reader to run (selftests/docs/commands.py finds
# them), on a box with the devices that texts name. On top of lib.sh.

TREE=$(cd "$NET_LIB/../../.." && pwd)
# shellcheck source=selftests/docs/read.sh
. "$TREE/selftests/docs/read.sh"

DOCS_BUILD=$TREE/selftests/docs/build
DOCS_CLOCKS=/sys/devices/system/cpu/cpu0/cpufreq

# docs_box - a box: eth0 to eth10, of four queues each, with a peer, and tap0 to tap2.
docs_box()
{
	local n

	cleanup_all_ns
	setup_ns src dst || missing "network namespaces"
	# shellcheck disable=SC2154 # setup_ns sets them
	for ((n = 0; n <= 10; n++)); do
		echo "link add eth$n numtxqueues 4 type veth peer name eth$n netns $dst"
	done | ip -n "$src" -batch -
	for ((n = 0; n <= 10; n++)); do
		echo "link set eth$n up"
	done | tee >(ip -n "$dst" -batch -) | ip -n "$src" -batch -
	for ((n = 0; n <= 2; n++)); do
		ip -n "$src" tuntap add tap$n mode tap 2>/dev/null ||
			ip -n "$src" link add tap$n type dummy
		ip -n "$src" link set tap$n up
	done
	# CPUs with a clock, where the machine can have some (docs_wants).
	[ -e "$DOCS_CLOCKS" ] || modprobe -q ramp_cpufreq || return 0
}

# docs_tools - what a reader has by another name, or does not need here.
docs_tools()
{
	mkdir -p "$NET_WORK/bin"
	command -v sudo >/dev/null ||
		printf '#!/bin/sh\nexec "$@"\n' >"$NET_WORK/bin/sudo"
	# shellcheck disable=SC2016 # its own arguments
	printf '#!/bin/sh\nexec env PYTHONDONTWRITEBYTECODE=1 python3 %s "$@"\n' \
		"${NET_KSELFTEST%/net/lib.sh}/ynl/pyynl/cli.py" >"$NET_WORK/bin/ynl"
	command -v ramp-exporter >/dev/null ||
		cp "$TREE/tools/exporter/ramp-exporter" "$NET_WORK/bin/"
	docs_routers
	docs_specs
	chmod 755 "$NET_WORK/bin"/*
	# Commands leave files where they are run.
	cp -r "$TREE"/{Documentation,iproute2-patch,tools} "$NET_WORK/"
	[ ! -e "$DOCS_BUILD/flows.bpf" ] ||
		cp "$DOCS_BUILD/flows.bpf" "$NET_WORK/Documentation/examples/policy/"
	cp "${NET_KSELFTEST%/net/lib.sh}/netlink/specs/tc.yaml" "$NET_WORK/"
}

# docs_specs - those of netlink, where `make install` puts them.
docs_specs()
{
	local place=/usr/share/ynl/specs

	[ ! -e $place/ramp.yaml ] || return 0
	# Of a root that nobody writes, what is there stays where it is.
	mkdir -p $place 2>/dev/null || {
		mkdir -p /run/ramp-share && mount --bind /usr/share /run/ramp-share &&
			mount -t tmpfs none /usr/share && ln -s /run/ramp-share/* /usr/share/ &&
			mkdir -p $place
	} || missing "a place for specifications"
	cp "$TREE"/Documentation/netlink/specs/*.yaml $place/
}

# docs_routers - three in a triangle, which answer as FRR does: those of example.network. Like
# the real one, their ssh has a shell take words apart again.
docs_routers()
{
	jq -n '{up: true, cost: 10, adjacent: 1, bytes: 0} as $port |
		{devices: {eth1: $port, eth2: $port}} as $box |
		{glasgow: $box, leeds: $box, london: $box}' >"$NET_WORK/routers"
	# shellcheck disable=SC2016 # its own arguments
	printf '#!/bin/sh\nrouter=${1#root@}\nshift\nexec sh -c "python3 %s %s $router $*"\n' \
		"$TREE/selftests/orchestration/fakebox.py" "$NET_WORK/routers" \
		>"$NET_WORK/bin/ssh"
}

# docs_wants COMMAND - what it needs and this machine lacks. Prints it.
docs_wants()
{
	local tool

	for tool in nft teamnl iperf3 ynl bpftrace; do
		[[ " $1" != *[[:space:]]"$tool "* ]] ||
			PATH=$NET_WORK/bin:$PATH command -v $tool >/dev/null ||
			echo $tool
	done
	[[ " $1" != *[[:space:]]"systemctl "* || -d /run/systemd/system ]] || echo systemd
	[[ $1 != *"clock cpufreq"* || -e $DOCS_CLOCKS ]] || echo "CPUs with a clock"
	[[ $1 != *"flows.bpf "* || -e $DOCS_BUILD/flows.bpf ]] ||
		echo "flows.bpf, which selftests/docs/run compiles"
	[[ $1 != *team0* ]] || modinfo team >/dev/null 2>&1 || echo "module team"
	[[ " $1" != *" nft "* ]] || modinfo nf_tables >/dev/null 2>&1 ||
		echo "module nf_tables"
}

# docs_limit COMMAND - words for timeout. Those that run until they are told to end are told,
# and say then that all is well.
docs_limit()
{
	case $1 in
	*--once* | *--dry-run*) echo -k 5 60 ;;
	*carbon-gears* | *mpolice-flows*) echo --preserve-status -k 5 20 ;;
	*) echo -k 5 60 ;;
	esac
}

# docs_exec FILE COMMAND - as a reader of FILE would, and with no more time than one has.
# Like `ip netns exec`, but with the /sys that there is.
docs_exec()
{
	local dir=$NET_WORK limit
	read -ra limit < <(docs_limit "$2")

	[[ $1 != Documentation/examples/* ]] || dir=$NET_WORK/${1%/*}
	(cd "$dir" && PATH=$NET_WORK/bin:$PATH timeout "${limit[@]}" \
		nsenter --net="/run/netns/$src" bash -eu -o pipefail -c "$2" </dev/null)
}

# is_like GOT WANTED - "..." in WANTED stands for anything.
is_like()
{
	local pattern

	pattern=$(sed 's/[][*?\\]/\\&/g; s/\.\.\./*/g' <<<"$2")
	# shellcheck disable=SC2053 # a pattern
	[[ $1 == $pattern ]]
}

# docs_run COMMAND - what was read, or what takes its place. Sets DOCS_SAID.
docs_run()
{
	local name=${DOCS_COMMAND//\\$'\n'/} lacks where=$DOCS_FILE:$DOCS_LINE rc=0

	while [[ $name =~ ^(.*[^[:space:]])[[:space:]][[:space:]]+(.*)$ ]]; do
		name="${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
	done
	name="${DOCS_FILE##*/}: ${name//$'\n'/ }"
	DOCS_SAID=''
	lacks=$(docs_wants "$1")
	if [ -n "$lacks" ]; then
		skip "$name" "${lacks%%$'\n'*}"
		return
	fi
	DOCS_SAID=$(docs_exec "$DOCS_FILE" "$1" 2>&1) || rc=$?
	if [ "$rc" != 0 ]; then
		fail "$name" "$where: it ends with $rc:" "$DOCS_SAID"
	elif [ -n "$DOCS_OUTPUT" ] && ! is_like "$DOCS_SAID" "$DOCS_OUTPUT"; then
		fail "$name" "$where: it prints:" "$DOCS_SAID" "and not:" "$DOCS_OUTPUT"
	else
		pass "$name"
	fi
	[[ $DOCS_SAID != *[Ww]arning* ]] || note "$DOCS_SAID"
}
