# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the measurements in the guest share: a device that swallows packets, a
# generator in front of its qdisc, medians, and results as KTAP.
#
#	. "$(dirname "$0")/lib.sh"
#	cost_init
#	...
#	ktap_end

COST_DEV=cost0
COST_TC=(tc)
COST_SIZE=64
PKTGEN=/proc/net/pktgen

# shellcheck source=selftests/lib/ktap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/ktap.sh"

# ---- numbers

# calc EXPRESSION [FORMAT]
calc()
{
	awk "BEGIN { printf \"${2:-%.3f}\", ($1) }"
}

# is_true EXPRESSION
is_true()
{
	awk "BEGIN { exit !($1) }"
}

# median NUMBER... - of an even count the mean of the two in the middle.
median()
{
	printf '%s\n' "$@" | sort -g | awk '
		{ v[NR] = $1 }
		END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# greatest NUMBER...
greatest()
{
	printf '%s\n' "$@" | sort -gr | head -n 1
}

# least NUMBER...
least()
{
	printf '%s\n' "$@" | sort -g | head -n 1
}

# excess NUMBER... - of the median over the least: what else a machine does only
# ever adds to a cost.
excess()
{
	calc "$(median "$@") - $(least "$@")" %.1f
}

# quartiles NUMBER... - between which the middle half lies.
quartiles()
{
	printf '%s\n' "$@" | sort -g | awk '
		{ v[NR] = $1 }
		END { print v[int((NR + 3) / 4)], v[NR - int((NR - 1) / 4)] }'
}

# bounds NUMBER... - between which their median lies, were there many more of them:
# 95 %, from the order of the numbers alone.
bounds()
{
	printf '%s\n' "$@" | sort -g | awk '
		{ v[NR] = $1 }
		END {
			k = int((NR - 1.96 * sqrt(NR)) / 2)
			k = k < 1 ? 1 : k
			print v[k], v[NR + 1 - k]
		}'
}

# ---- contestants

declare -A QDISC RUNS
NAMES=()

# contestant NAME QDISC...
contestant()
{
	NAMES+=("$1")
	QDISC[$1]=${*:2}
}

# compete ROUNDS FUNCTION [PASSES BEST] - measures all contestants in each round, not
# always the same one first: FUNCTION NAME QDISC... prints a number. They are in RUNS.
#
# With PASSES a round has all contestants so many times, one after the other, and
# the number of each is the BEST of its own: least, or greatest. What else a machine
# does only ever adds to a cost.
compete()
{
	local passes=${3:-1} best=${4:-least} turn n name value
	local -A seen

	for ((turn = 0; turn < $1 * passes; turn++)); do
		for ((n = 0; n < ${#NAMES[@]}; n++)); do
			name=${NAMES[(turn + n) % ${#NAMES[@]}]}
			# shellcheck disable=SC2086 # words
			value=$("$2" "$name" ${QDISC[$name]}) || {
				fail "$name can be measured" "$value"
				ktap_end
			}
			seen[$name]+="$value "
		done
		[ $(((turn + 1) % passes)) = 0 ] || continue
		for name in "${NAMES[@]}"; do
			# shellcheck disable=SC2086 # numbers
			RUNS[$name]+="$("$best" ${seen[$name]}) "
			seen[$name]=
		done
	done
}

# warm_up ROUNDS FUNCTION - rounds that do not count: a machine that has just booted
# does other things beside, and its caches of objects are empty.
warm_up()
{
	RUNS=()
	compete "$1" "$2"
	RUNS=()
}

# ratios NAME OF - by round.
ratios()
{
	paste <(tr ' ' '\n' <<<"${RUNS[$1]}") <(tr ' ' '\n' <<<"${RUNS[$2]}") |
		awk 'NF == 2 { printf "%.4f\n", $1 / $2 }'
}

# result --arg NAME TEXT | --argjson NAME NUMBER ... - appends an object to what the
# run hands back.
result()
{
	# shellcheck disable=SC2016 # jq's variable
	jq -nc '$ARGS.named' "$@" >>"$RESULT"
}

# result_begin NAME
result_begin()
{
	RESULT=/out/$1.json
	rm -f "$RESULT"
}

# ---- the device and the generator

# cost_tools COMMAND... - skips the test where something is missing.
cost_tools()
{
	local tool

	echo "KTAP version 1"
	[ "$(id -u)" = 0 ] || missing "root"
	for tool in ip tc awk "$@"; do
		[ -n "$(command -v "$tool")" ] || missing "$tool"
	done
	cost_modules sch_ramp
	# Nobody else is to send anything through what is made from now on.
	sysctl -wq net.ipv6.conf.default.disable_ipv6=1 2>/dev/null
}

# cost_modules MODULE...
cost_modules()
{
	local module

	for module; do
		modprobe -q "$module" || missing "module $module"
	done
}

# cost_at_end FUNCTION - whatever happens.
cost_at_end()
{
	# shellcheck disable=SC2064 # the function of now is meant
	trap "$1" EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# cost_init COMMAND... - the same, and one device without a queue of its own.
cost_init()
{
	cost_tools "$@"
	cost_modules sch_fiforef pktgen
	ip link add "$COST_DEV" type dummy || missing "dummy"
	cost_at_end cost_cleanup
	ip link set "$COST_DEV" up
}

# shellcheck disable=SC2317 # called by the trap
cost_cleanup()
{
	pktgen_setup 0
	ip link del "$COST_DEV"
}

# pktgen FILE COMMAND...
pktgen()
{
	local file=$PKTGEN/$1
	shift

	# What went wrong it only shows to those who read it again.
	echo "$*" >"$file" || {
		echo "pktgen $file: $*: $(sed -n 's/^Result: //p' "$file")" >&2
		return 1
	}
}

# generator CPU DEVICE - the one of that CPU sends to this device, and no other.
generator()
{
	local name=$2@$1

	pktgen "kpktgend_$1" rem_device_all
	pktgen "kpktgend_$1" "add_device $name" || return
	PKTGEN_DEVS[$1]=$name
	pktgen "$name" "xmit_mode queue_xmit"
	pktgen "$name" "pkt_size $COST_SIZE"
	pktgen "$name" "delay 0"
	pktgen "$name" "dst_mac 02:00:00:00:00:01"
	pktgen "$name" "dst 192.0.2.1"
	# Its own reading of the clock is not to be measured.
	pktgen "$name" "flag NO_TIMESTAMP" 2>/dev/null
}

# pktgen_setup THREADS - one generator per CPU, all on $COST_DEV.
pktgen_setup()
{
	local n

	PKTGEN_DEVS=()
	for ((n = 0; n < $(nproc); n++)); do
		pktgen "kpktgend_$n" rem_device_all
	done
	for ((n = 0; n < $1; n++)); do
		generator $n "$COST_DEV"
	done
}

# pktgen_run COUNT - sends COUNT packets with each generator, and prints how many
# ns one took, measured by the generator over the whole run.
pktgen_run()
{
	local name

	for name in "${PKTGEN_DEVS[@]}"; do
		pktgen "$name" "count $1"
	done
	pktgen pgctrl start
	for name in "${PKTGEN_DEVS[@]}"; do
		# Result: OK: USEC(cUSEC+dUSEC) usec, PACKETS (SIZEbyte,FRAGSfrags)
		sed -nE 's/^Result: OK: ([0-9]+)\(.* usec, ([0-9]+) .*/\1 \2/p' \
			"$PKTGEN/$name"
	done | awk -v want="$1" -v runs="${#PKTGEN_DEVS[@]}" '
		$2 != want { exit 1 }
		{ ns += $1 * 1000 / $2; n++ }
		END { if (n != runs) exit 1; printf "%.2f\n", ns / n }'
}

# qdisc WORD... - the root qdisc of the device, made anew; none: no queue at all.
qdisc()
{
	"${COST_TC[@]}" qdisc del dev "$COST_DEV" root 2>/dev/null
	[ "$1" = none ] ||
		"${COST_TC[@]}" qdisc add dev "$COST_DEV" root handle 1: "$@"
}

# counter JQ - of the root qdisc.
counter()
{
	"${COST_TC[@]}" -j -s qdisc show dev "$COST_DEV" root |
		jq -r ".[0] | $1"
}

# load COUNT QDISC... - one run through a new qdisc.
load()
{
	qdisc "${@:2}" && pktgen_run "$1"
}

# settle COUNT - sends until two runs cost nearly the same. A machine that has just
# booted does other things beside, and its caches of objects are empty.
settle()
{
	local before=0 now tries

	for ((tries = 0; tries < 50; tries++)); do
		now=$(load "$1" fiforef) || break
		! is_true "$now < $before * 1.005 && $before < $now * 1.005" ||
			return 0
		before=$now
	done
	fail "the machine comes to rest" "a packet took $before ns, then $now ns"
	ktap_end
}
