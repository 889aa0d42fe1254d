#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a machine: tools/exporter/ramp-exporter says what tc and the netlink families say,
# in base units. What it wrote goes to /out, where promtool, node_exporter and the
# dashboard are held against it (selftests/watch/run).

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/../net/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$(dirname "$0")/../net/lib/spread.sh"

EXPORTER=$(cd "$(dirname "$0")/../.." && pwd)/tools/exporter/ramp-exporter

# export_to FILE [OPTION...]
export_to()
{
	local file=$1
	shift

	PYTHONDONTWRITEBYTECODE=1 ip netns exec "$src" python3 "$EXPORTER" --output "$file" "$@"
}

# sample NAME [LABEL...] - its value in $NET_WORK/ramp.prom, of the row that has all these
# labels.
sample()
{
	local name=$1 rows label
	shift

	rows=$(grep "^${name}[{ ]" "$NET_WORK/ramp.prom")
	for label; do
		rows=$(grep -F "$label" <<<"$rows")
	done
	awk '{ print $NF }' <<<"$rows"
}

# says JQ - of the ramp on out0, what tc says.
says()
{
	tc -n "$src" -j -s qdisc show dev out0 |
		jq -r ".[] | select(.kind == \"ramp\") | $1"
}

# box - a ramp with gears and a ladder, a rail, a bucket in debt, a team.
box()
{
	team spread
	veth_ports 2
	ip link add name out0 netns "$src" type veth peer name in0 netns "$dst"
	ip -n "$src" link set out0 up
	ip -n "$dst" link set in0 up
	tc -n "$src" qdisc replace dev out0 root handle 1: ramp rate 100mbit limit 200 \
		detect both queue 5%:50% gears 10mbit,50mbit,100mbit power 1,2,3 \
		dwell 1ms ladder 10%:50% feedback p0
	ip -n "$src" link add 'odd"one' type dummy
	tc -n "$src" qdisc replace dev 'odd"one' root handle 7: ramp rail 9 rate 1gbit
	ip -n "$src" link add odd2 type dummy
	tc -n "$src" qdisc replace dev odd2 root handle 8: ramp rail 9
	ip link add name mq0 numtxqueues 2 netns "$src" type veth peer name mq1 netns "$dst"
	ip -n "$src" link set mq0 up
	ip -n "$dst" link set mq1 up
	tc -n "$src" qdisc replace dev mq0 root handle 2: ramp_mq rate 100mbit limit 200
	tc -n "$src" qdisc add dev out0 clsact
	tc -n "$src" filter add dev out0 egress matchall action mpolice bucket 7 \
		rate 8kbit burst 2k debt 4k policy account index 71
	ip netns exec "$src" ramp-send -i out0 -s 1000 x150 >/dev/null
	ip netns exec "$src" ramp-send -i mq0 -s 1000 x150 >/dev/null
	ip netns exec "$src" ramp-send -i team0 -s 500 x40 >/dev/null
	sleep 2
}

values()
{
	local name key

	while read -r name key; do
		is "$name is what tc says" "$(sample "$name" 'device="out0"')" "$(says "$key")"
	done <<-'END'
	ramp_enqueued_packets_total .enqueued
	ramp_dequeued_packets_total .dequeued
	ramp_ticks_total .ticks
	ramp_ticks_late_total .ticks_late
	ramp_ramps_total .ramps
	ramp_codes_sent_total .codes_sent
	ramp_gear .gear
	ramp_gear_changes_total .gear_changes
	ramp_sent_bytes_total .bytes
	END
	is "surges are what tc says" "$(sample ramp_surges_total 'device="out0"' 'direction="up"')" \
		"$(says .surges_up)"
	holds "there were surges" "$(says .surges_up)" ">" 0
	holds "there were codes" "$(says .codes_sent)" ">" 0
	is "rates are bytes per second" \
		"$(sample ramp_rate_bytes_per_second 'device="out0"')" 12500000
	is "one state is 1" "$(grep '^ramp_state{device="out0"' "$NET_WORK/ramp.prom" |
		grep -c ' 1$')" 1
	is "energy is joules" "$(awk -v e="$(sample ramp_energy_joules_total 'device="out0"')" \
		-v mj="$(says .energy_mj)" 'BEGIN { d = mj - e * 1000
			print (mj > 0 && d >= 0 && d < 500 ? "yes" : e " " mj) }')" yes
	is "times in gears are seconds" "$(awk -v t="$(grep '^ramp_gear_seconds_total' \
		"$NET_WORK/ramp.prom" | awk '{ s += $2 } END { print s }')" \
		'BEGIN { print (t > 1.9 && t < 60 ? "yes" : t) }')" yes
	is "peers say 100 %" "$(sample ramp_peer_rate_ratio 'device="out0"')" 1
	is "a rail has its members" "$(sample ramp_rail_members 'rail="9"')" 2
	is "one state of a rail is 1" "$(grep '^ramp_rail_state{rail="9"' \
		"$NET_WORK/ramp.prom" | grep -c ' 1$')" 1
	is "a name is escaped" "$(grep -c '^ramp_gear_min\|^ramp_enqueued_packets_total{device="odd\\"one"' \
		"$NET_WORK/ramp.prom")" 2
	is "uncharged packets are counted" \
		"$(sample mpolice_packets_total 'bucket="7"' 'result="uncharged"')" \
		"$(tc -n "$src" -j -s actions ls action mpolice |
			jq '.[].actions[]?.uncharged.packets')"
	holds "there are uncharged packets" \
		"$(sample mpolice_packets_total 'bucket="7"' 'result="uncharged"')" ">" 0
	is "a bucket is in debt" "$(sample mpolice_tokens_bytes | grep -c ^-)" 1
	is "each port has a fullness" \
		"$(grep -c '^spread_fullness_ratio{team="team0",port="p[01]"} [01]' \
			"$NET_WORK/ramp.prom")" 2
	is "fullness is what teamnl says, as a ratio" \
		"$(sample spread_fullness_ratio 'port="p0"' | awk '{ print $1 * 100 }')" \
		"$(getopt spread_fullness p0)"
	is "frames of both ports" "$(grep '^spread_port_frames_total' "$NET_WORK/ramp.prom" |
		awk '{ sum += $2 } END { print sum }')" 40
	is "all sources were read" "$(grep '^ramp_exporter_success' "$NET_WORK/ramp.prom" |
		grep -c ' 1$')" 4
}

# mq FILTER - of the ramp_mq, what tc says.
mq()
{
	tc -n "$src" -j -s qdisc show dev mq0 |
		jq -r ".[] | select(.kind == \"ramp_mq\") | $1"
}

# shared - what a rail, or all queues of a device, count is there once.
shared()
{
	local name key

	holds "a ramp_mq had ticks" "$(mq .ticks)" ">" 0
	while read -r name key; do
		is "$name of a ramp_mq is there once" "$(sample "$name" 'device="mq0"')" \
			"$(mq "$key")"
		is "$name of a rail is there once" \
			"$(grep -c "^$name{.*rail=\"9\"" "$NET_WORK/ramp.prom")" 1
		is "$name of a rail is not one of its members'" \
			"$(grep -c "^$name{device=\"odd" "$NET_WORK/ramp.prom")" 0
	done <<-'END'
	ramp_ticks_total .ticks
	ramp_ticks_late_total .ticks_late
	ramp_ramps_total .ramps
	ramp_rate_bytes_per_second .options.rate
	END
	is "packets of a ramp_mq are those of its queues" \
		"$(sample ramp_enqueued_packets_total 'device="mq0"' |
			awk '{ sum += $1 } END { print NR, sum }')" "2 $(mq .enqueued)"
	is "frames with codes of a ramp_mq are there once" \
		"$(sample ramp_code_frames_sent_total 'device="mq0"')" "$(mq .frames_sent)"
}

# files - what is read is whole, and a part that cannot be read is missing alone.
files()
{
	local before why

	is "the file is for all to read" "$(stat -c %a "$NET_WORK/ramp.prom")" 644
	is "nothing else is left" "$(find "$NET_WORK" -name '.ramp-*' | wc -l)" 0
	export_to "$NET_WORK/labels.prom" --label netns=blue
	is "each row has the label" "$(grep -vc '^#\|netns="blue"' "$NET_WORK/labels.prom")" 0
	if why=$(export_to "$NET_WORK/none/ramp.prom" 2>&1); then
		fail "a folder that is not there" "written"
	else
		matches "a folder that is not there" "$why" 'No such file'
	fi
	before=$(grep -c ^mpolice "$NET_WORK/ramp.prom")
	why=$(export_to "$NET_WORK/half.prom" --tc /bin/false 2>&1) &&
		fail "a tc that fails" "status 0"
	matches "a tc that fails" "$why" 'tc: /bin/false'
	is "a tc that fails: its rows are missing, and it is said" \
		"$(grep -c '^ramp_enqueued' "$NET_WORK/half.prom") $(grep \
			'^ramp_exporter_success{source="tc"}' "$NET_WORK/half.prom")" \
		'0 ramp_exporter_success{source="tc"} 0'
	is "a tc that fails: the others are there" \
		"$(grep -c ^mpolice "$NET_WORK/half.prom")" "$before"
}

spread_init ramp-send teamnl
namespaces
box
export_to "$NET_WORK/ramp.prom" || fail "it succeeds"
values
shared
files
mkdir -p /out && cp "$NET_WORK/ramp.prom" /out/
ktap_end
