#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A flow that never pauses, on a port that is two or more classes above the
# lowest: with spread_escape it moves after max(8 samples, 4 flowlets), at most one
# flow in 8 per sample; without it stays.
#
#	p0 drains as fast as it fills, with a queue of 70 % of what it holds
#	p1 is empty, and comes when the flows are on p0

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=selftests/net/lib/lib.sh
. "$HERE/lib/lib.sh"
# shellcheck source=selftests/net/lib/spread.sh
. "$HERE/lib/spread.sh"

SIZE=200
CAPACITY=100

# stuck FLOWS GAP_US INTERVAL_US FLOWLET_US OPTION... - sends for 1 s, a frame of
# each flow every GAP_US. Sets SHOWN (ns, when p1 came).
stuck()
{
	local flows=$1 gap=$2 rate sender
	rate=$((flows * SIZE * 8 * 1000000 / gap))

	team spread
	veth_ports 2
	tc -n "$src" qdisc add dev p0 root tbf rate ${rate}bit burst 2000 \
		limit $((CAPACITY * SIZE))
	tc -n "$src" qdisc add dev p1 root pfifo limit $CAPACITY
	setopts "spread_capacity $CAPACITY p0" "spread_capacity $CAPACITY p1" \
		"spread_interval $3" "spread_flowlet $4" "enabled false p1" \
		"${@:5}"
	catch_start
	flows -s $SIZE -f "$flows" -e "${gap}us" -n $((1000000 / gap)) \
		>"$NET_WORK/sent" &
	sender=$!
	sleep 0.1
	# 10 of them have tokens.
	flows -s $SIZE -k 1000 -b $((CAPACITY * 7 / 10 + 10)) -e 0ms >/dev/null
	sleep 0.2
	is "$WHAT: the class of p0" "$(getopt spread_class p0)" 2
	setopts "enabled true p1"
	SHOWN=$(date +%s%N)
	[ -z "${MEANWHILE-}" ] || meanwhile
	wait $sender
	settled
	catch_stop
	is "$WHAT: lost" "$(caught check "$(jq .sent "$NET_WORK/sent")" \
		--last 999 | sed 's/.*lost \([0-9]*\) .*/\1/')" 0
}

# meanwhile - without flowlets for a moment, a while after p1 came. What follows is told
# from then on.
meanwhile()
{
	sleep 0.15
	setopts "spread_flowlet 0" "spread_flowlet $MEANWHILE"
	SHOWN=$(date +%s%N)
}

# first_on_p1 - for each flow that moved since SHOWN, when it did (sent, ns later).
first_on_p1()
{
	awk -v from="$SHOWN" '$2 == 1 && $3 < 1000 && $5 >= from && !($3 in seen) {
		seen[$3] = 1
		printf "%d %d\n", $5 - from, $3
	}' "$NET_WORK/caught" | sort -n
}

spread_init teamnl
only_virtual_time
sleep 1		# until timers have a high resolution

# The longer of both decides.
WHAT="one flow, 8 samples of 1 ms"
stuck 1 100 1000 500
within "$WHAT: it moves after (us)" \
	$(($(first_on_p1 | cut -d' ' -f1) / 1000)) 7900 23000
is "$WHAT: escapes are counted" "$(getopt spread_escapes)" 1
is "$WHAT: it stays on the better port" \
	"$(caught moves $((500 * 1000)) 0 --last 999)" "pauses 0 moved 0 early 1"

WHAT="one flow, 4 flowlets of 5 ms"
stuck 1 100 50 5000
within "$WHAT: it moves after (us)" \
	$(($(first_on_p1 | cut -d' ' -f1) / 1000)) 19900 30000

WHAT="one flow, 4 flowlets of 50 ms, that are turned off and on after 3"
MEANWHILE=50000 stuck 1 100 50 50000
within "$WHAT: it moves after (us)" \
	$(($(first_on_p1 | cut -d' ' -f1) / 1000)) 199000 220000

WHAT="one flow, spread_escape false"
stuck 1 100 1000 500 "spread_escape false"
is "$WHAT: it never moves" \
	"$(caught moves $((500 * 1000)) 0 --last 999)" "pauses 0 moved 0 early 0"
is "$WHAT: escapes are counted" "$(getopt spread_escapes)" 0

# Each has two frames in the time of four samples.
WHAT="64 flows" CAPACITY=1000
stuck 64 20000 10000 50000
first_on_p1 >"$NET_WORK/moved"
within "$WHAT: so many moved" "$(wc -l <"$NET_WORK/moved")" 1 64
holds "$WHAT: the earliest after (ms)" \
	"$(awk 'NR == 1 { print $1 / 1e6 }' "$NET_WORK/moved")" ">=" 199
# An eighth of the entries of the table; flows are not spread over them evenly.
within "$WHAT: the most that moved within 10 ms" \
	"$(awk '{ when[NR] = $1 }
		END {
			for (i = 1; i <= NR; i++) {
				for (n = 0; i + n <= NR &&
				     when[i + n] < when[i] + 10e6; n++)
					;
				if (n > most)
					most = n
			}
			print most + 0
		}' "$NET_WORK/moved")" 1 16
ktap_end
