#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A recorded day of carbon intensities in six routers with FRR's ospfd, an hour in a
# second: plain OSPF, OSPF with gears, the controller without gears, and with them. The
# same traffic passes each time. Then a schedule, and a link that fails.

# shellcheck source=selftests/orchestration/lib.sh
. "$(dirname "$0")/lib.sh"

HOUR=1
DAY=$ORCH/build/day.json
HOURS=${RAMP_HOURS:-24}
KBIT=4500

# day NAME ARGUMENT... - a day with the controller; sets TRAFFIC and LOG.
day()
{
	local name=$1 rc=0
	shift

	LOG=$WORK/$name.log
	rm -f "$WORK/shut.json"
	traffic_begin $KBIT "$HOURS"
	"$CARBON/carbon-gears" --network "$WORK/network" --state "$WORK/shut.json" \
		--replay $HOUR --hours "$HOURS" --json "$WORK/$name.json" "$@" 2>"$LOG" || rc=$?
	TRAFFIC=$(traffic_end)
	is "$name: the controller ends as it should" "$rc" 0
	[ "$rc" = 0 ] || note "$(tail -n 5 "$LOG")"
	note "$TRAFFIC"
}

# said TEXT - how often the log has it.
said()
{
	grep -cE "$1" "$LOG"
}

wh_of()
{
	jq -r .total.wh "$WORK/$1.json"
}

g_of()
{
	jq -r .total.g "$WORK/$1.json"
}

lost_nothing()
{
	satisfies "$1: no packet is lost, and none comes twice" "$TRAFFIC" \
		'.sent > 400 * '"$HOURS"' and .lost_all == 0 and .doubles == 0'
}

# costs_are NAME - of each interface, as ospfd has them: by the intensity at the other end.
costs_are()
{
	local name device row wanted got=''

	row=$(jq -c ".data[$HOURS * 2 - 1].regions | map({key: (.regionid | tostring),
		value: .intensity.forecast}) | from_entries" "$DAY")
	wanted=''
	for name in "${ROUTERS[@]}"; do
		for device in $(ports_of "$name"); do
			wanted+=" $(jq -r --arg region "${REGION[${device#to-}]}" \
				'1 + 10 * .[$region] | round' <<<"$row")"
			got+=" $(frr "$name" "show ip ospf interface $device json" |
				jq -r '.interfaces[].cost')"
		done
	done
	is "$1" "$got" "$wanted"
}

# fail_one - ends a link that is in service, as a cut does, in the middle of hour 3.
fail_one()
{
	local link

	sleep $((3 * HOUR))
	for link in "${LINKS[@]}"; do
		if ! jq -e --arg link "$link" 'index($link)' "$WORK/shut.json" >/dev/null; then
			ip -n "${link%-*}" link set "to-${link#*-}" down
			echo "$link" >"$WORK/cut"
			return
		fi
	done
}

lab_init
[ -s "$DAY" ] || missing "$DAY"
network_file >"$WORK/network"
export HOUR

lab_make
day plain --intensity "$DAY" --observe --no-gears
lost_nothing plain
modelled=$(python3 -c "print(24 * (6 * $WATTS + 9 * 2 * 4.5))")
[ "$HOURS" != 24 ] ||
	holds "plain: Wh are those of all boxes and ports for a day" \
		"$(python3 -c "print(abs($(wh_of plain) / $modelled - 1))")" '<' 0.02
lab_stop

lab_make
gears_add
day ospf-gears --intensity "$DAY" --observe
lost_nothing ospf-gears
holds "ospf-gears: energy is less than of plain OSPF" "$(wh_of ospf-gears)" '<' "$(wh_of plain)"
lab_stop

lab_make
day controller --intensity "$DAY" --no-gears
lost_nothing controller
costs_are "controller: at the end costs are those of the last intensities"
holds "controller: links are shut" "$(said 'info: shut ')" '>=' 3
holds "controller: links come back when load asks" "$(said 'back .* % full')" '>=' 1
holds "controller: energy is less than of plain OSPF" "$(wh_of controller)" '<' "$(wh_of plain)"
lab_stop

lab_make
gears_add
day both --intensity "$DAY"
lost_nothing both
is "both: nothing is dropped by a qdisc" "$(drops)" 0
holds "both: links are shut" "$(said 'info: shut ')" '>=' 3
holds "both: energy is less than with gears alone" "$(wh_of both)" '<' "$(wh_of ospf-gears)"
holds "both: energy is less than without gears" "$(wh_of both)" '<' "$(wh_of controller)"
holds "both: carbon is less than of plain OSPF" "$(g_of both)" '<' "$(g_of plain)"
cp "$WORK"/both.log "$WORK"/*.json /out/ 2>/dev/null

note "a day (Wh of boxes with gears by tc, the rest modelled)        Wh    gCO2   against plain"
for name in plain ospf-gears controller both; do
	note "$(printf '%-50s %9.1f %8.1f   %6.2f %% %6.2f %%' "$name" "$(wh_of $name)" \
		"$(g_of $name)" "$(bc -l <<<"100 * ($(wh_of $name) / $(wh_of plain) - 1)")" \
		"$(bc -l <<<"100 * ($(g_of $name) / $(g_of plain) - 1)")")"
done
lab_stop

lab_make
gears_add
HOURS=6
cat >"$WORK/schedule" <<-'END'
	01:00 r1-r4 down
	02:00 r2-r5 down
	04:00 r1-r4 up
	05:00 r2-r5 up
END
day schedule --schedule "$WORK/schedule"
lost_nothing schedule
is "schedule: links go and come as it says, and no others" \
	"$(sed -nE 's/.*info: (shut|back) ([^ ]*).*/\1 \2/p' "$LOG" | paste -sd,)" \
	"shut r1-r4,shut r2-r5,back r1-r4,back r2-r5"
lab_stop

lab_make
gears_add
fail_one &
PIDS+=($!)
day failure --intensity "$DAY" --keep
cut=$(<"$WORK/cut")
is "failure: the controller says which link failed" \
	"$(said "warning: $cut has failed: not by us")" 1
holds "failure: what was shut comes back" "$(said "back .*$cut has failed")" '>=' 1
satisfies "failure: packets are lost in its hour only" "$TRAFFIC" \
	'.lost | keys - ["3"] == []'
satisfies "failure: gears follow the ports that are up" \
	"$(tc -n "${cut%-*}" -j -s qdisc show dev "$(ports_of "${cut%-*}" | grep -v "to-${cut#*-}" |
		head -n 1)" | jq -c '.[] | select(.kind == "ramp") |
		{ports_up, ports, top: .options.gear_top}')" \
	'.ports_up == 2 and .ports == 3 and .top == 3'
ktap_end
