#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tools/exporter/ramp-exporter on what tc said of two members of a rail, of a ramp_mq with two
# queues, and of a ramp by itself (cut to a few counters): a sum over rows counts nothing twice.
# And on what a kernel could say of rails, buckets and teams (exporter_stub.py).

# shellcheck source=selftests/lib/ktap.sh
. "$(dirname "$0")/../lib/ktap.sh"

EXPORTER=$(cd "$(dirname "$0")/../.." && pwd)/tools/exporter/ramp-exporter
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
export PYTHONDONTWRITEBYTECODE=1

# ramp KIND DEVICE HANDLE PLACE RAIL ENQUEUED SURGES TICKS FRAMES
ramp()
{
	printf '{"kind":"%s","dev":"%s","handle":"%s",%s,' "$1" "$2" "$3" "$4"
	printf '"options":{"rate":125000000,"limit":1000,"rail":%s},' "$5"
	printf '"state":"idle","enqueued":%s,"surges_up":%s,"surges_down":1,' "$6" "$7"
	printf '"surges_self":0,"ticks":%s,"ticks_late":2,"frames_sent":%s}\n' "$8" "$9"
}

{
	ramp ramp eth1 1: '"root":true' 9 10 3 300 4
	ramp ramp eth2 2: '"root":true' 9 20 3 300 5
	ramp ramp_mq eth3 3: '"root":true' 0 300 7 700 60
	ramp ramp eth3 8001: '"parent":"3:1"' 0 100 7 700 60
	ramp ramp eth3 8002: '"parent":"3:2"' 0 200 7 700 60
	ramp ramp eth4 4: '"root":true' 0 1000 11 1100 700
	# Of a device whose handle another one has, too.
	ramp ramp eth5 8003: '"parent":"3:1"' 0 2000 13 1300 800
} | sed '1s/^/[/; $!s/$/,/; $s/$/]/' >"$WORK/json"
printf '#!/bin/sh\ncat %s/json\n' "$WORK" >"$WORK/tc"
chmod 755 "$WORK/tc"

"$EXPORTER" --tc "$WORK/tc" >"$WORK/prom" 2>"$WORK/said"

# sum METRIC [TEXT]
sum()
{
	grep "^$1{.*${2-}" "$WORK/prom" | awk '{ sum += $NF } END { print sum }'
}

# labels METRIC
labels()
{
	grep "^$1{" "$WORK/prom" | sed 's/[^{]*{\(.*\)} .*/\1/' | tr '\n' ' '
}

is "tc was read" "$(grep -c 'ramp_exporter_success{source="tc"} 1' "$WORK/prom")" 1
is "packets are those of each qdisc" "$(sum ramp_enqueued_packets_total)" 3330
is "surges of a rail and of a ramp_mq are counted once" \
	"$(sum ramp_surges_total direction=\"up\")" 34
is "ticks of a rail and of a ramp_mq are counted once" "$(sum ramp_ticks_total)" 3400
is "frames with codes of a ramp_mq are counted once, of a rail for each member" \
	"$(sum ramp_code_frames_sent_total)" 1569
is "rates of a rail and of a ramp_mq are there once" \
	"$(sum ramp_rate_bytes_per_second)" 500000000
is "a rail has a label, a ramp_mq its own place" "$(labels ramp_ticks_total)" \
	'rail="9" device="eth3",handle="3:",parent="root" device="eth4",handle="4:",parent="root" device="eth5",handle="8003:",parent="3:1" '
is "each ramp has a state" "$(sum ramp_state)" 6
matches "the help says so" "$(grep '^# HELP ramp_ticks_total' "$WORK/prom")" \
	'One row for a rail'

# digits ENQUEUED PEER_RATE RAMP_NS - what is said of a ramp that has counted that.
digits()
{
	ramp ramp eth6 6: '"root":true' 0 "$1" 0 0 0 |
		sed 's/.*/[&]/; s/}]$/,"peer_rate":'"$2"',"ramp_ns":'"$3"'}]/' >"$WORK/json"
	"$EXPORTER" --tc "$WORK/tc" 2>/dev/null |
		sed -n 's/^ramp_\(enqueued_packets\|peer_rate\|ramp_seconds\).* //p' | tr '\n' ' '
}

is "a counter has all its digits" "$(digits 1234567890124455 100 0)" "1234567890124455 1 0 "
is "a counter of 53 bits is exact, and a time of one nanosecond" \
	"$(digits 9007199254740991 57 1)" "9007199254740991 0.57 1e-09 "
is "a counter of 64 bits is exact, and a time of many nanoseconds" \
	"$(digits 9223372036854775808 57.25 1234567890123456)" \
	"9223372036854775808 0.5725 1234567.890123456 "
# JSON has no word for these, Python reads them nevertheless.
is "what is no number has the name that Prometheus knows" \
	"$(digits Infinity NaN -Infinity)" "+Inf NaN -Inf "

# given NAME - the status, and what is said, if a label has that name.
given()
{
	"$EXPORTER" --tc "$WORK/tc" --label "$1=x" 2>&1 >"$WORK/given" | tail -n 1
	echo "${PIPESTATUS[0]}"
}

ramp ramp eth6 6: '"root":true' 9 1 1 1 1 | sed 's/.*/[&]/; s/}]$/,"gear_ns":[1,2]}]/' >"$WORK/json"
STUB=$(dirname "$0")/exporter_stub.py
python3 "$STUB" "$EXPORTER" "$WORK/tc" >"$WORK/all" 2>&1
names=$(sed -n 's/^[a-z_]*{\(.*\)} [^ ]*$/\1/p' "$WORK/all" | grep -o '[a-z_]*="' | tr -d '="' |
	sort -u)
is "everything was read" "$(grep -c '^ramp_exporter_success{.*} 1$' "$WORK/all")" 4
is "the man page names the labels that samples have" "$(sed -n \
	'/ refused$/,/^\.BR team/s/^\.[BR]* (\{0,1\} *\([a-z]*\).*/\1/p' "$EXPORTER.8")" "$names"
for name in $names __name__; do
	matches "a label $name is refused" "$(given "$name")" \
		"\"$name\" is a name that the exporter or Prometheus uses itself"$'\n'2$
done
given netns >/dev/null
is "another one is not" "$(grep -c '^ramp_state{.*netns="x"' "$WORK/given")" 6

# answered ASKED ENDED - which sources were read, and how many rows there are of ramp's rails
# and of mpolice, if that is what the kernel says.
answered()
{
	python3 "$STUB" "$EXPORTER" "$WORK/tc" "$@" >"$WORK/all" 2>"$WORK/said"
	sed -n 's/^ramp_exporter_success{source="\([a-z]*\)"} 1$/\1/p' "$WORK/all" | tr '\n' ' '
	grep -c '^ramp_rail\|^mpolice' "$WORK/all"
}

is "a dump that ends well is whole" "$(answered 0 0)" "tc ramp mpolice team 21"
is "a dump that ends with an error is none" "$(answered 0 ENOMEM)" "tc team 0"
matches "that is said" "$(cat "$WORK/said")" 'mpolice: .*Cannot allocate memory'
is "a dump that does not end is none" "$(answered 0 silence)" "tc team 0"
is "a family that is not there is no error" "$(answered ENOENT 0)" "tc ramp mpolice 0"
is "another error of its look-up is one" "$(answered EPERM 0)" "tc 0"
is "no answer to its look-up is one" "$(answered silence 0)" "tc 0"
matches "this is said, too" "$(cat "$WORK/said")" 'ramp: timed out'

# As a crontab has it, in which tc is not.
"$EXPORTER" --tc no-such-tc >"$WORK/none" 2>/dev/null
is "a tc that is not there is said" \
	"$(grep -c 'ramp_exporter_success{source="tc"} 0' "$WORK/none")" 1
is "tc is found in the folders of system administration" \
	"$(env -i PATH=/usr/bin:/bin "$EXPORTER" 2>&1 |
		grep -c 'ramp_exporter_success{source="tc"} 1')" 1
ktap_end
