#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What exceeds goes to another chain, until a change says that it passes: of the packets
# that come meanwhile on another CPU none is lost.

# shellcheck source=selftests/net/lib/mpolice.sh
. "$(dirname "$0")/lib/mpolice.sh"

ROUNDS=2000

# changes - a filter whose packets go to chain 7, and a change of its action, again and
# again. Only a filter can name a chain.
changes()
{
	local n

	for ((n = 1; n <= ROUNDS; n++)); do
		echo "filter replace dev out0 egress protocol all prio 1 handle 1 flower" \
			"action mpolice bucket 1 policy drop" \
			"conform-exceed goto chain 7/pipe index $n"
		echo "actions change action mpolice conform-exceed pipe/pipe index $n"
	done
}

# sends - for as long as it has to. What there was, lost at once or not, is in $NET_WORK/sent.
sends()
{
	local sent=0

	while [ ! -e "$NET_WORK/enough" ]; do
		sent=$((sent + $(send x10000 -s 100 | jq '.sent + .refused')))
	done
	echo $sent >"$NET_WORK/sent"
}

mpolice_init ramp-send taskset
[ "$(nproc)" -ge 2 ] || skip_all "a second CPU"
endpoint 1500
create bucket 1 rate 8bit burst 2000 policy drop index 9999
tc -n "$src" filter add dev out0 egress chain 7 protocol all matchall action pass ||
	fail "chain 7"
before=$(capture_arrived)
sends &
sender=$!
taskset -pc 0 $$ >/dev/null || fail "the CPU of changes"
taskset -pc 1 $sender >/dev/null || fail "the CPU of packets"
is "$ROUNDS changes of what exceeding packets do" \
	"$(changes | tc -n "$src" -batch - 2>&1)" ""
touch "$NET_WORK/enough"
wait $sender
note "$(<"$NET_WORK/sent") packets"
is "changes from goto chain while packets pass on another CPU: all arrive" \
	$(($(capture_arrived) - before)) "$(<"$NET_WORK/sent")"
within "changes from goto chain: packets that went to the chain" \
	"$(tc -n "$src" -j -s filter show dev out0 egress chain 7 |
		jq '[.[].options.actions[]?.stats.packets] | add')" 100 1000000000
nothing
ktap_end
