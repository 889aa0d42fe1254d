# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Configurations at random, by root and by an unprivileged user: runs
# fuzz/netlink/fuzz.py. After lib.sh:
#
#	fuzz_init
#	fuzz root --count 1000
#	fuzz user --count 1000

FUZZ=$(cd "$NET_LIB/../../fuzz/netlink" && pwd)/fuzz.py

fuzz_init()
{
	net_init setpriv unshare teamnl
	# A user cannot have them loaded.
	modprobe -a act_mpolice team team_mode_spread cls_matchall veth dummy \
		2>/dev/null
	# Each of a million refusals is not worth a line.
	dmesg -n 4
}

# as_user COMMAND [ARG...] - as root of a new user namespace, and nobody else's.
as_user()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		unshare --user --map-root-user --net "$@"
}

# fuzz root|user ARG... - its results become some of this test.
fuzz()
{
	local who=$1 log=$NET_WORK/fuzz line results=0 run=()

	shift
	if [ "$who" = user ]; then
		as_user true 2>/dev/null || {
			lacks "configurations by an unprivileged user" \
				"unprivileged user namespaces"
			return
		}
		run=(as_user)
		set -- --user "$@"
	fi
	"${run[@]}" python3 "$FUZZ" "$@" 2>&1 | tee "$log" |
		grep --line-buffered -v '^\(not \)\?ok '
	while read -r line; do
		case $line in
		'ok '*) pass "${line#ok * - }" ;;
		'not ok '*) fail "${line#not ok * - }" ;;
		*) continue ;;
		esac
		results=$((results + 1))
	done <"$log"
	is "results of $who" $results 2
}
