#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
#	RAMP_PARTS="days schedule clean input frr failure"	default: these
#	RAMP_PARTS=slice	four hours of it
#
# A recorded day of carbon intensities in six routers with FRR's ospfd, an hour in a
# second: plain OSPF, OSPF with gears, the controller without gears, and with them. The
# same traffic passes each time. Then a schedule, power that becomes clean, intensities that
# cannot be read, a router whose ospfd dies, and a link that fails.

# shellcheck source=selftests/orchestration/lib.sh
. "$(dirname "$0")/lib.sh"

HOUR=1
DAY=$ORCH/build/day.json
HOURS=24
KBIT=4500

# day NAME ARGUMENT... - a day with the controller; sets TRAFFIC, LOG, GEARS_MJ, by which the
# gears' own counters rose meanwhile, and DRAINING, the links that drain when it ends.
day()
{
	local name=$1 rc=0 began
	shift

	LOG=$WORK/$name.log
	rm -f "$WORK/shut.json"
	outside_begin
	traffic_begin $KBIT "$HOURS"
	GEARS_MJ=$(of_gears energy_mj)
	began=$(python3 -c 'import time; print(time.monotonic())')
	"$CARBON/carbon-gears" --network "${NETWORK:-$WORK/network}" --state "$WORK/shut.json" \
		--replay $HOUR --hours "$HOURS" --json "$WORK/$name.json" "$@" 2>"$LOG" || rc=$?
	GEARS_MJ=$(($(of_gears energy_mj) - GEARS_MJ))
	outside_end "$began" "$HOURS"
	traffic_end
	is "$name: the controller ends as it should" "$rc" 0
	[ "$rc" = 0 ] || note "$(tail -n 5 "$LOG")"
	note "$TRAFFIC"
	DRAINING=" $(jq -r '.states | to_entries[] | select(.value == "draining") | .key' \
		"$WORK/$name.json" | paste -sd' ') "
	cp "$LOG" "$WORK/$name.json" /out/
}

# seen_outside NAME WATTS - of a port. By the kernel's counters, and not by what the controller
# says of itself.
seen_outside()
{
	is "$1: links go and come when the log says so, and only then" \
		"$(jq -r '(.shut[] | "shut \(.[1])"), (.back[] | "back \(.[1])")' <<<"$SEEN" | sort |
			paste -sd,)" \
		"$(sed -nE '/the end/d; s/.*info: (shut|back) ([^ ]*).*/\1 \2/p' "$LOG" | sort |
			paste -sd,)"
	satisfies "$1: no router is cut off, at any moment" "$SEEN" \
		'.moments >= 19 * '"$HOURS"' and .cut_off == 0'
	satisfies "$1: what is shut carries no packet by then" "$SEEN" '.carried < 1250'
	satisfies "$1: when a link is shut no other one is fuller than the headroom" "$SEEN" \
		'.full_at_shut <= 0.42'
	satisfies "$1: beyond the headroom a link comes back within four cycles" "$SEEN" \
		'.full_too_long <= 4'
	holds "$1: the Wh of ports are those of links that were seen up, but for so many percent" \
		"$(jq '[.periods[].wh_ports] | add' "$WORK/$1.json" |
			jq --argjson seen "$SEEN" \
			'. / ($seen.up * 2 * '"$2 * $HOURS"') - 1 | fabs * 10000 | round / 100')" '<' 1
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

# of_gears COUNTER - what the gears of all ports have counted so far, by tc.
of_gears()
{
	local name

	for name in "${ROUTERS[@]}"; do
		tc -n "$name" -j -s qdisc show | jq --arg counter "$1" '[.[][$counter] // 0] | add'
	done | jq -s add
}

# adds_up NAME - its report: all hours are there, and are what they are said to be in all.
adds_up()
{
	satisfies "$1: there are as many periods as hours, and in all they are the total" \
		"$(jq -c '{hours: (.periods | length), wh: ([.periods[] | .wh_boxes + .wh_ports] | add),
			g: ([.periods[].g] | add), total}' "$WORK/$1.json")" \
		'.hours == '"$HOURS"' and (.wh / .total.wh - 1 | fabs < 1e-6) and
			(.g / .total.g - 1 | fabs < 1e-6)'
}

# gears_agree NAME - the report has what the gears' own counters have. Of a day an hour of
# which takes HOUR seconds.
gears_agree()
{
	is "$1: tc counts boxes in each period, and that is modelled" \
		"$(jq -c '[.periods[] | [.boxes_by_tc, .modelled]] | unique' "$WORK/$1.json")" \
		'[[true,true]]'
	holds "$1: gears took joules" "$GEARS_MJ" '>' 0
	holds "$1: the Wh of boxes are those of gears' counters, but for so many percent" \
		"$(jq --argjson mj "$GEARS_MJ" --argjson hour $HOUR '[.periods[].wh_boxes] | add /
			($mj / 1000 / $hour) - 1 | fabs * 10000 | round / 100' "$WORK/$1.json")" '<' 2
}

lost_nothing()
{
	satisfies "$1: no packet is lost, and none comes twice" "$TRAFFIC" \
		'.sent > 200 * '"$HOURS"' and .lost_all == 0 and .doubles == 0'
}

# costs_now - what ospfd has at each port, a line each. What is shut has none.
costs_now()
{
	local name device cost

	for name in "${ROUTERS[@]}"; do
		for device in $(ports_of "$name"); do
			cost=$(frr "$name" "show ip ospf interface $device json" |
				jq '.interfaces[].cost // empty')
			[ -z "$cost" ] || echo "$name-${device#to-}:$cost"
		done
	done
}

# costs_by PERIOD [LINKS] - of the ports of such lines, what the intensity at the other end asked
# for in the PERIODth half-hour, and OSPF's highest for LINKS.
costs_by()
{
	local port row drains=${2:-}

	row=$(jq -c ".data[$1].regions | map({key: (.regionid | tostring),
		value: .intensity.forecast}) | from_entries" "$DAY")
	while read -r port; do
		port=${port%:*}
		if [[ "$drains" == *" $port "* || "$drains" == *" ${port#*-}-${port%-*} "* ]]; then
			echo "$port:65535"
			continue
		fi
		echo "$port:$(jq --arg region "${REGION[${port#*-}]}" \
			'1 + 10 * .[$region] | round' <<<"$row")"
	done
}

# costs_are NAME PERIOD [FILE] - ospfd has the costs of that half-hour, now at both ports of
# each link that is up, or when FILE was written, and nothing drained. An ospfd that is gone has
# none, and six routers are not connected by less than ten ports.
costs_are()
{
	local got wanted

	if [ -n "${3:-}" ]; then
		got=$(<"$3")
		wanted=$(costs_by "$2" <<<"$got")
		holds "$1: at ten ports or more" "$(grep -c . <<<"$got")" '>=' 10
	else
		got=$(costs_now)
		wanted=$(costs_by "$2" "$DRAINING" <<<"$got")
		is "$1: at all ports that are up" "$(grep -c . <<<"$got")" "$(ports_up)"
	fi
	is "$1" "$(paste -sd' ' <<<"$got")" "$(paste -sd' ' <<<"$wanted")"
}

# ways_are NAME - the kernel of each router sends packets for each host where costs that
# ospfd has are least.
ways_are()
{
	local name host costs ways

	costs=$(costs_now | jq -Rn '[inputs | capture("(?<from>.*)-(?<to>.*):(?<cost>.*)")]')
	ways=$(for name in "${ROUTERS[@]}"; do
		for host in "${HOSTS[@]}"; do
			[ "${host#h}" != "${name#r}" ] || continue
			ip -n "$name" -j route show "10.1.10${host#h}.0/30" |
				jq -c --arg router "$name" --arg host "$host" '.[] | [$router, $host,
					([.dev // .nexthops[].dev] | sort | map(ltrimstr("to-")))]'
		done
	done | jq -cs sort)
	is "$1" "$ways" "$("$ORCH/outside.py" ways "$costs" "${HOSTS[@]}")"
}

# ranges - of each port with gears the highest one of its range, "all" where none is left out.
ranges()
{
	local name

	for name in "${ROUTERS[@]}"; do
		tc -n "$name" -j qdisc show | jq -r '.[] | select(.options.gears) | .options |
			if .gear_range and .gear_range.max < (.gears | length) - 1
			then .gear_range.max else "all" end'
	done
}

# watch_ranges - until it is killed, four times in an hour.
watch_ranges()
{
	while sleep "$(bc -l <<<"$HOUR / 4")"; do
		ranges
	done >"$WORK/ranges"
}

# limits NAME PERCENT - ranges of gears were limited while it ran, at so many percent of looks at
# ports or more, and none is at its end.
limits()
{
	local looks

	looks=$(sort "$WORK/ranges" | uniq -c | awk '{ print $2 ": " $1 }' | paste -sd,)
	note "$1: looks at ports, by the highest gear of their range: $looks"
	holds "$1: meanwhile ranges of gears are limited, in percent of looks at ports" \
		"$(awk '$1 != "all" { n++ } END { print int(100 * n / NR) }' "$WORK/ranges")" '>=' "$2"
	is "$1: at the end no range of gears is" "$(ranges | sort | uniq -c | xargs)" "18 all"
}

# sent_by LINK - bytes, both ways.
sent_by()
{
	{
		ip -n "${1%-*}" -s -j link show dev "to-${1#*-}"
		ip -n "${1#*-}" -s -j link show dev "to-${1%-*}"
	} | jq -s '[.[][].stats64.tx.bytes] | add'
}

# fail_one - ends the link that has carried most, as a cut does, in the middle of hour 7, when
# it carries enough for that to be noticed.
fail_one()
{
	local link

	sleep $((7 * HOUR)).5
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

# carriers ROUTER - how many of its links are up.
carriers()
{
	ip -n "$1" -j link show | jq '[.[] | select((.ifname | startswith("to-r")) and
		(.flags | index("LOWER_UP")))] | length'
}

# ports_up - of all routers; two of each link that is up.
ports_up()
{
	local name

	for name in "${ROUTERS[@]}"; do
		carriers "$name"
	done | jq -s add
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
		"$(python3 -c "print(f'{abs($(wh_of plain) / $modelled - 1):.6f}')")" '<' 0.002
	modelled=$(jq --argjson regions "$(printf '%s\n' "${REGION[@]}" | jq -cs .)" \
		--argjson watts "$WATTS" '[.data[].regions[] | select(.regionid |
			IN($regions[])) | .intensity.forecast * ($watts + 3 * 4.5) / 2000] | add' "$DAY")
	holds "plain: gCO2 are those of all boxes and ports by the day's intensities" \
		"$(python3 -c "print(f'{abs($(g_of plain) / $modelled - 1):.6f}')")" '<' 0.002
	seen_outside plain 4.5
	adds_up plain
	lab_stop

	lab_make
	gears_add
	day ospf-gears --intensity "$DAY" --observe
	lost_nothing ospf-gears
	seen_outside ospf-gears 4.51
	adds_up ospf-gears
	gears_agree ospf-gears
	holds "ospf-gears: energy is less than of plain OSPF" "$(wh_of ospf-gears)" '<' "$(wh_of plain)"
	lab_stop

	lab_make
	day controller --intensity "$DAY" --no-gears
	lost_nothing controller
	seen_outside controller 4.5
	adds_up controller
	costs_are "controller: at the end costs are those of the last intensities" $((HOURS * 2 - 1))
	ways_are "controller: at the end packets go where these are least"
	holds "controller: links are shut" "$(said 'info: shut ')" '>=' 3
	holds "controller: links come back when load asks" "$(said 'back .* % full')" '>=' 1
	holds "controller: energy is less than of plain OSPF" "$(wh_of controller)" '<' "$(wh_of plain)"
	lab_stop

	lab_make
	gears_add
	watch_ranges &
	PIDS+=($!)
	day both --intensity "$DAY"
	lost_nothing both
	seen_outside both 4.51
	adds_up both
	gears_agree both
	is "both: nothing is dropped by a qdisc" "$(drops)" 0
	limits both 10
	holds "both: gears were changed meanwhile, by the kernel's counters" \
		"$(of_gears gear_changes)" '>' 100
	holds "both: links are shut" "$(said 'info: shut ')" '>=' 3
	holds "both: energy is less than with gears alone" "$(wh_of both)" '<' "$(wh_of ospf-gears)"
	holds "both: energy is less than without gears" "$(wh_of both)" '<' "$(wh_of controller)"
	holds "both: carbon is less than of plain OSPF" "$(g_of both)" '<' "$(g_of plain)"
	note "a day (modelled: watts x time, of boxes with gears by tc)      Wh    gCO2   against plain"
	for name in plain ospf-gears controller both; do
		note "$(printf '%-50s %9.1f %8.1f   %6.2f %% %6.2f %%' "$name" "$(wh_of $name)" \
			"$(g_of $name)" "$(bc -l <<<"100 * ($(wh_of $name) / $(wh_of plain) - 1)")" \
			"$(bc -l <<<"100 * ($(g_of $name) / $(g_of plain) - 1)")")"
	done
	lab_stop
}

scheduled()
{
	local HOURS=6 name

	lab_make
	gears_add
	# Nearly all goes over two links, which therefore have something to lose.
	for name in r1:r4 r4:r1 r2:r5 r5:r2; do
		frr "${name%:*}" "configure terminal" "interface to-${name#*:}" "ip ospf cost 10"
	done
	sleep 1
	cat >"$WORK/schedule" <<-'END'
		01:00 r1-r4 down
		02:00 r2-r5 down
		04:00 r1-r4 up
		05:00 r2-r5 up
	END
	day schedule --schedule "$WORK/schedule"
	lost_nothing schedule
	seen_outside schedule 4.51
	# shellcheck disable=SC2016 # jq's
	satisfies "schedule: each link goes and comes within an hour and a half of its time" "$SEEN" \
		'[.shut, .back | .[][0]] as $hours | [1, 2, 4, 5] as $due |
		($hours | length) == 4 and
		([range(4)] | all($hours[.] >= $due[.] and $hours[.] < $due[.] + 1.5))'
	satisfies "schedule: both carried packets in the hour before" "$SEEN" \
		'(.before | length) == 2 and all(.before[]; .[1] > 12500)'
	is "schedule: ospfd has the costs from before" \
		"$(costs_now | sed -n '/r1-r4\|r4-r1\|r2-r5\|r5-r2/p' | paste -sd' ')" \
		"r1-r4:10 r2-r5:10 r4-r1:10 r5-r2:10"
	is "schedule: links go and come as it says, and no others" \
		"$(sed -nE 's/.*info: (shut|back) ([^ ]*)( \(the schedule says so\))?$/\1 \2/p' "$LOG" |
			paste -sd,)" \
		"shut r1-r4,shut r2-r5,back r1-r4,back r2-r5"
	lab_stop
}

# bad_input - from 2:24 on there is nothing good where the intensities were, each half-hour in
# another way, and from 5:24 on there is again. Drains take so long that some are left for then.
bad_input()
{
	local HOURS=7 NETWORK=$WORK/network-input kind bad="$WORK/bad"
	local kinds=(half none nan region stale gone)
	local -A messages=(
		[half]='not in the form of the API: .*' [none]='no data'
		[nan]="region 11 has nan gCO2/kWh, which is not 0[.][.]5000"
		[region]="no region '11' in the data"
		[stale]='stale: the last period ended at 2026-01-15T01:30Z'
		[gone]='cannot read .*: No such file or directory')

	sed 's/^drain-wait.*/drain-wait = 40min/' "$WORK/network" >"$NETWORK"
	mkdir "$bad"
	head -c 1000 "$DAY" >"$bad/half"
	echo '{"data": []}' >"$bad/none"
	# Where it is asked for: of another region, or of another time, it does not matter.
	jq '(.data[].regions[] | select(.regionid == 11).intensity.forecast) = "?"' "$DAY" |
		sed 's/"?"/NaN/' >"$bad/nan"
	jq 'del(.data[].regions[] | select(.regionid == 11))' "$DAY" >"$bad/region"
	jq '.data |= .[:3]' "$DAY" >"$bad/stale"
	cp "$DAY" "$WORK/read.json"
	cp "$DAY" "$WORK/good"
	lab_make
	{
		sleep $((2 * HOUR)).4
		for kind in "${kinds[@]}"; do
			if [ "$kind" = gone ]; then
				rm "$WORK/read.json"
			else
				mv "$bad/$kind" "$WORK/read.json"
			fi
			sleep .45
			costs_now >"$WORK/costs-$kind"
			sleep .05
		done
		mv "$WORK/good" "$WORK/read.json"
	} &
	PIDS+=($!)
	day input --intensity "$WORK/read.json" --no-gears --keep
	lost_nothing input
	seen_outside input 4.5
	satisfies "input: links go down before it is bad, none while it is, and others after it" \
		"$SEEN" '[.shut[][0]] | any(. < 2.4) and any(. > 5.4) and
			all(. < 2.45 or . > 5.4)'
	for kind in "${kinds[@]}"; do
		is "input, $kind: the message is clear, and comes once" "$(said \
			"warning: ${messages[$kind]}: the last good costs stay, nothing is shut\$")" 1
		costs_are "input, $kind: ospfd has the last good costs, those of 2:00" 4 \
			"$WORK/costs-$kind"
	done
	costs_are "input: at the end costs are those of the last intensities" $((HOURS * 2 - 1))
	lab_stop
}

# clean - from 3:00 on power is cleaner than what is worth a link.
clean()
{
	local HOURS=5 NETWORK=$WORK/network-clean

	sed 's/^cycle/drain-above = 100\n&/' "$WORK/network" >"$NETWORK"
	jq '.data |= [.[] | .regions[].intensity.forecast =
		if .from[11:16] < "03:00" then 300 else 50 end]' "$DAY" >"$WORK/intensity-clean"
	lab_make
	day clean --intensity "$WORK/intensity-clean" --no-gears
	lost_nothing clean
	seen_outside clean 4.5
	satisfies "clean: links are shut before 3:00, and none after it" "$SEEN" \
		'(.shut | length) >= 2 and all(.shut[]; .[0] < 3.05)'
	# shellcheck disable=SC2016 # jq's
	satisfies "clean: all of them are back by 3:30" "$SEEN" \
		'(.shut | map(.[1])) - (.back | map(select(.[0] < 3.5) | .[1])) == []'
	holds "clean: as power asks for it" "$(said 'back .*\(50 gCO2/kWh\)')" '>=' 2
	lab_stop
}

# costs_of ROUTER... - what their ospfd has, by port.
costs_of()
{
	local name

	for name; do
		frr "$name" "show ip ospf interface json" | jq -c --arg name "$name" \
			'.interfaces | map_values(.cost // empty | select(. < 65535)) |
			[$name, .]'
	done
}

# frr_dies - ospfd of a router without hosts does, after the costs of 3:00 were set, and its
# neighbours miss it an hour later. It begins again shortly before 5:00.
frr_dies()
{
	local HOURS=8 gone=r4 others=(r1 r2 r3 r5 r6)

	lab_make
	{
		sleep $((3 * HOUR)).4
		costs_of "${others[@]}" >"$WORK/costs-before"
		kill -KILL "$(<"/run/frr/$gone/ospfd.pid")"
		sleep 1.6
		costs_of "${others[@]}" >"$WORK/costs-after"
		router_daemon $gone ospfd
	} &
	PIDS+=($!)
	day frr --intensity "$DAY" --no-gears --keep
	holds "frr: the message names the router" \
		"$(said "warning: $gone: .*: costs stay, nothing is shut")" '>=' 1
	is "frr: until it answers again nothing is drained or shut" \
		"$(sed -n "/warning: $gone: /,/$gone: well again/p" "$LOG" |
			grep -cE 'info: (drain|shut) ')" 0
	satisfies "frr: links go down before it dies, and none until it begins again" "$SEEN" \
		'[.shut[][0]] | any(. < 3.4) and all(. < 3.45 or . > 5)'
	# Of what drained or was shut, which comes back, there is no cost before.
	is "frr: costs of all other routers stay" "$(jq -cs --slurpfile after "$WORK/costs-after" '
		[range(length) as $i | .[$i][1] as $before | $after[$i][1] as $now |
		$before | keys[] | select($now[.] and $before[.] != $now[.])]' "$WORK/costs-before")" '[]'
	satisfies "frr: packets are lost only until its neighbours miss it" "$TRAFFIC" \
		'.lost | keys - ["3", "4"] == []'
	holds "frr: it answers again" "$(said "info: $gone: well again")" '>=' 1
	costs_are "frr: at the end costs are those of the last intensities, there too" \
		$((HOURS * 2 - 1))
	satisfies "frr: that is so at each port of $gone that is up" \
		"[$(costs_now | grep -c "^$gone-"), $(carriers $gone)]" '.[0] == .[1] and .[0] > 0'
	holds "frr: then links are shut again" \
		"$(sed -n "/$gone: well again/,\$p" "$LOG" | grep -c 'info: shut ')" '>=' 1
	lab_stop
}

failing()
{
	local HOURS=10 cut

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
	# shellcheck disable=SC2016 # jq's
	satisfies "failure: only that link goes down then, and what was shut before comes back" \
		"$(jq -c --arg cut "$cut" '. + {$cut}' <<<"$SEEN")" \
		'.cut as $cut | [.shut[] | select(.[1] == $cut)][-1][0] as $at |
		[.shut[] | select(.[0] >= $at) | .[1]] == [$cut] and
		[.shut[] | select(.[0] < $at) | .[1]] -
			[.back[] | select(.[0] < $at + 1) | .[1]] == []'
	satisfies "failure: packets are lost, in its hour only" "$TRAFFIC" '.lost | keys == ["7"]'
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
	watch_ranges &
	PIDS+=($!)
	day slice --intensity "$DAY" --keep
	lost_nothing slice
	seen_outside slice 4.51
	adds_up slice
	gears_agree slice
	limits slice 10
	is "slice: nothing is dropped by a qdisc" "$(drops)" 0
	holds "slice: links are shut" "$(said 'info: shut ')" '>=' 1
	costs_are "slice: at the end costs are those of the last intensities" $((HOURS * 2 - 1))
	ways_are "slice: at the end packets go where these are least"
	# By rates and ports: 6, 10 and 20 of 20 Mbit/s for one, two and three of three.
	is "slice: gears follow the links that are up, in each router" \
		"$(for name in "${ROUTERS[@]}"; do top_of "$name"; done | paste -sd' ')" \
		"$(for name in "${ROUTERS[@]}"; do carriers "$name"; done |
			sed 's/^1$/[2]/; s/^2$/[3]/; s/^3$/[5]/' | paste -sd' ')"
	holds "slice: gears were changed meanwhile, by the kernel's counters" "$(of_gears gear_changes)" \
		'>' 20
	holds "slice: energy is less than of plain OSPF" "$(wh_of slice)" '<' \
		"$((HOURS * (6 * WATTS + 9 * 9)))"
	lab_stop
}

lab_init
[ -s "$DAY" ] || missing "$DAY"
note "intensities: $(jq -er .source "$DAY")"
network_file >"$WORK/network"
export HOUR

# wanted PART - all of them, unless some are named.
wanted()
{
	[[ " ${RAMP_PARTS:-days schedule clean input frr failure} " == *" $1 "* ]]
}

! wanted days || four_days
! wanted schedule || scheduled
! wanted clean || clean
! wanted input || bad_input
! wanted frr || frr_dies
! wanted failure || failing
! wanted slice || slice
ktap_end
