#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The headroom that a feedback device wants changes while frames with codes are made: a veth
# wants what the bridge of its peer wants, which is that of the bridge's widest port. A frame
# that has room for one, and leaves free another one, ends behind its buffer. The kernel
# that does so dies; a user namespace is all that it takes.

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"

SECONDS_LONG=10

net_init ramp-send taskset
[ "$(nproc)" -ge 2 ] || skip_all "a second CPU"
pair 1500

ip -n "$dst" link add br0 type bridge || skip_all "bridge"
ip -n "$dst" link add low type dummy || skip_all "dummy"
ip -n "$dst" link set in0 master br0
below=low
for n in {1..6}; do
	ip -n "$dst" link add "wide$n" type vxlan id "$n" remote "192.0.2.$n" \
		dev "$below" dstport $((4800 + n)) || skip_all "vxlan"
	below=wide$n
done
ip -n "$src" link add from0 type dummy
ip -n "$src" link set from0 up
# Each packet crosses a step, up or down.
tc -n "$src" qdisc add dev from0 root ramp rate 1gbit detect off limit 100 ladder 1%:50% \
	feedback out0

for ((n = 0; n < 2000; n++)); do
	printf 'link set wide6 master br0\nlink set wide6 nomaster\n'
done >"$NET_WORK/batch"
ip netns exec "$src" taskset -c 0 ramp-send -i from0 "20mbit:${SECONDS_LONG}s" -s 60 \
	>"$NET_WORK/sent" &
sender=$!
rounds=0
while kill -0 $sender 2>/dev/null; do
	timeout 2 taskset -c 1 ip -n "$dst" -batch "$NET_WORK/batch"
	rounds=$((rounds + 1))
done
wait $sender
holds "frames with codes, while the headroom changes" \
	"$(tc -n "$src" -j -s qdisc show dev from0 | jq '.[0].frames_sent')" ">=" 1000
holds "rounds in which it changed" "$rounds" ">=" 2
ktap_end
