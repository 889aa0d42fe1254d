#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's part of the demo: a source, a router and a sink. The router's port
# to the sink is a wire of 1 Gbit/s, which a tbf plays, with the qdisc under
# test behind it. Records what the sink receives, and what the qdiscs say.

set -euo pipefail

# shellcheck source=selftests/demo/setting.sh
. "$(dirname "${BASH_SOURCE[0]}")/setting.sh"
# shellcheck source=selftests/demo/guest.sh
. "$(dirname "${BASH_SOURCE[0]}")/guest.sh"

empty()
{
	ip netns exec router tc -j -s qdisc show dev wire |
		jq -e 'all(.[]; .qlen == 0) and
		       all(.[] | select(.kind == "ramp"); .state == "idle")' >/dev/null
}

# act NAME QDISC... - the same load through one qdisc.
act()
{
	local name=$1
	shift

	ip netns exec router tc qdisc add dev wire root handle 1: \
		tbf rate "$DEMO_RATE" burst $((DEMO_FRAME + 6)) limit 4m
	# The kernel's own choice is pfifo_fast; systemd, and so Debian, sets
	# fq_codel. In both a lone flow passes as through a FIFO.
	ip netns exec router tc qdisc add dev wire parent 1:1 handle 10: "$@"

	echo >$TRACE/trace
	listen "$name"
	ip netns exec source ramp-send -i out -s "$DEMO_FRAME" -w 20 \
		"$DEMO_LOAD" >"$OUT/$name.sent"
	wait_until empty
	ip netns exec router tc -j -s qdisc show dev wire >"$OUT/$name.qdisc"
	sed -n '/ramp_/p' $TRACE/trace >"$OUT/$name.trace"
	listen_end "$name"
	ip netns exec router tc qdisc del dev wire root
}

demo_begin
namespaces "$DEMO_FRAME"
echo "the load goes through fq_codel, the default" >&2
act default fq_codel
echo "the load goes through ramp" >&2
# shellcheck disable=SC2086 # parameters are words
act ramp ramp $DEMO_RAMP
