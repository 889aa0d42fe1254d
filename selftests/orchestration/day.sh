#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
#	RAMP_PARTS="days schedule input failure"	default: these; slice is four hours of it
#
# A recorded day of carbon intensities in six routers with FRR's ospfd, an hour in a
# second: plain OSPF, OSPF with gears, the controller without gears, and with them. The
# same traffic passes each time. Then a schedule, intensities that cannot be read, and a
# link that fails.

# shellcheck source=selftests/orchestration/lib.sh
. "$(dirname "$0")/lib.sh"

HOUR=1
DAY=$ORCH/build/day.json
HOURS=24
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
	traffic_end
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
		'.sent > 200 * '"$HOURS"' and .lost_all == 0 and .doubles == 0'
}

# costs_are NAME PERIOD - ospfd has at each port what the intensity at its other end asked
# for in the PERIODth half-hour. What is shut has none.
costs_are()
{
	local name device row wanted=() got=() cost

	row=$(jq -c ".data[$2].regions | map({key: (.regionid | tostring),
		value: .intensity.forecast}) | from_entries" "$DAY")
	for name in "${ROUTERS[@]}"; do
		for device in $(ports_of "$name"); do
			cost=$(frr "$name" "show ip ospf interface $device json" |
				jq '.interfaces[].cost // empty')
			[ -n "$cost" ] || continue
			got+=("$name-${device#to-}:$cost")
			wanted+=("$name-${device#to-}:$(jq --arg region "${REGION[${device#to-}]}" \
				'1 + 10 * .[$region] | round' <<<"$row")")
		done
	done
	is "$1" "${got[*]}" "${wanted[*]}"
}

# sent_by LINK - bytes, both ways.
sent_by()
{
	{
		ip -n "${1%-*}" -s -j link show dev "to-${1#*-}"
		ip -n "${1#*-}" -s -j link show dev "to-${1%-*}"
	} | jq -s '[.[][].stats64.tx.bytes] | add'
}

# fail_one - ends the link that has carried most, as a cut does, in the middle of hour 3.
fail_one()
{
	local link

	sleep $((3 * HOUR)).5
	link=$(for link in "${LINKS[@]}"; do
		jq -e --arg link "$link" '.[$link].shut' "$WORK/shut.json" >/dev/null ||
			echo "$(sent_by "$link") $link"
	done | sort -n | tail -n 1 | cut -d' ' -f2)
	jq 'map(select(.shut)) | length' "$WORK/shut.json" >"$WORK/shut-before"
	ip -n "${link%-*}" link set "to-${link#*-}" down
	echo "$link" >"$WORK/cut"
}

# top_of ROUTER - the highest gear that its links ask for.
top_of()
{
	tc -n "$1" -j qdisc show | jq -c '[.[] | select(.kind == "ramp") | .options.gear_top] | unique'
}

# four_days - the same day four times, and what each of them takes.
four_days()
{
	local name modelled

	lab_make
	day plain --intensity "$DAY" --observe --no-gears
	lost_nothing plain
	modelled=$(python3 -c "print(24 * (6 * $WATTS + 9 * 2 * 4.5))")
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
	costs_are "controller: at the end costs are those of the last intensities" $((HOURS * 2 - 1))
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
}

scheduled()
{
	local HOURS=6

	lab_make
	gears_add
	cat >"$WORK/schedule" <<-'END'
		01:00 r1-r4 down
		02:00 r2-r5 down
		04:00 r1-r4 up
		05:00 r2-r5 up
	END
	day schedule --schedule "$WORK/schedule"
	lost_nothing schedule
	is "schedule: links go and come as it says, and no others" \
		"$(sed -nE 's/.*info: (shut|back) ([^ ]*)( \(the schedule says so\))?$/\1 \2/p' "$LOG" |
			paste -sd,)" \
		"shut r1-r4,shut r2-r5,back r1-r4,back r2-r5"
	lab_stop
}

# bad_input - in hour 2 there is half a file where the intensities were.
bad_input()
{
	local HOURS=4

	cp "$DAY" "$WORK/read.json"
	lab_make
	{
		sleep $((2 * HOUR)).4
		head -c 1000 "$DAY" >"$WORK/half"
		mv "$WORK/half" "$WORK/read.json"
	} &
	PIDS+=($!)
	day input --intensity "$WORK/read.json" --no-gears --keep
	lost_nothing input
	is "input: the message is clear" "$(said \
		'warning: not in the form of the API.*: the last good costs stay, nothing is shut')" 1
	holds "input: links are shut before" "$(said 'info: shut ')" '>=' 1
	is "input: after the message nothing is drained or shut" \
		"$(sed -n '/the last good costs stay/,$p' "$LOG" | grep -cE 'info: (drain|shut) ')" 0
	costs_are "input: the last good costs stay, those of 2:00" 4
	lab_stop
}

failing()
{
	local HOURS=6 cut

	lab_make
	gears_add
	fail_one &
	PIDS+=($!)
	day failure --intensity "$DAY" --keep
	cut=$(<"$WORK/cut")
	is "failure: the controller says which link failed" \
		"$(said "warning: $cut has failed: not by us")" 1
	holds "failure: links are shut before" "$(<"$WORK/shut-before")" '>=' 1
	is "failure: what was shut comes back, and nothing is shut while it lasts" \
		"$(said "back .*$cut has failed") $(sed -n '/has failed: not by us/,$p' "$LOG" |
			grep -cE 'info: (drain|shut) ')" "$(<"$WORK/shut-before") 0"
	satisfies "failure: packets are lost in its hour only" "$TRAFFIC" \
		'.lost | keys - ["3"] == []'
	is "failure: gears follow the two of three ports that are up" "$(top_of "${cut%-*}")" "[3]"
	ip -n "${cut%-*}" link set "to-${cut#*-}" up
	sleep 0.1
	is "failure: and the third one, when it is back" "$(top_of "${cut%-*}")" "[5]"
	lab_stop
}

# slice - hours of the same day, with the controller and gears.
slice()
{
	local HOURS=4

	lab_make
	gears_add
	day slice --intensity "$DAY" --keep
	lost_nothing slice
	is "slice: nothing is dropped by a qdisc" "$(drops)" 0
	holds "slice: links are shut" "$(said 'info: shut ')" '>=' 1
	costs_are "slice: at the end costs are those of the last intensities" $((HOURS * 2 - 1))
	holds "slice: gears follow the links that are up" \
		"$(for name in "${ROUTERS[@]}"; do top_of "$name"; done | grep -vcFx '[5]')" '>=' 1
	holds "slice: energy is less than of plain OSPF" "$(wh_of slice)" '<' \
		"$((HOURS * (6 * WATTS + 9 * 9)))"
	lab_stop
}

lab_init
[ -s "$DAY" ] || missing "$DAY"
network_file >"$WORK/network"
export HOUR

# wanted PART - all of them, unless some are named.
wanted()
{
	[[ " ${RAMP_PARTS:-days schedule input failure} " == *" $1 "* ]]
}

! wanted days || four_days
! wanted schedule || scheduled
! wanted input || bad_input
! wanted failure || failing
! wanted slice || slice
ktap_end
