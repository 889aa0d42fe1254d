# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of rate codes share: frames of lib/codes.py arrive at out0, whose
# ramp obeys, and come from in0.
#
#	. "$(dirname "$0")/lib/obey.sh"
#	net_init tcpdump

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=selftests/net/lib/hear.sh
. "$NET_LIB/hear.sh"

MS=1000000

# Counters of frames, in the order of codes.py.
HEARD="codes_received codes_stale codes_malformed codes_ignored"

# codes COMMAND [ARG...] - lib/codes.py
codes()
{
	python3 "$NET_LIB/codes.py" "$@"
}

# frame FRAME... - sends frames from in0, which the ramp on out0 has dealt with
# when this returns. All are sent on one CPU: what is sent on another may overtake.
frame()
{
	local before after

	before=$(heard)
	ip netns exec "$dst" taskset -c 0 \
		python3 "$NET_LIB/codes.py" send in0 "$@"
	after=$((before + $#))
	wait_until 10 heard_are $after || note "heard $(heard), not $after"
}

# frames_of FILE - the same with the frames of a file, a line each.
frames_of()
{
	local before after

	before=$(heard)
	ip netns exec "$dst" taskset -c 0 \
		python3 "$NET_LIB/codes.py" send in0 <"$1"
	after=$((before + $(wc -l <"$1")))
	wait_until 60 heard_are $after || note "heard $(heard), not $after"
}

# heard - frames that the ramp on out0 has had, whatever became of them.
heard()
{
	# shellcheck disable=SC2086 # a list
	counters $HEARD | tr ' ' + | bc
}

# shellcheck disable=SC2317 # called by wait_until
heard_are()
{
	[ "$(heard)" -ge "$1" ]
}

# peer_rates - percent, what each band may send at.
peer_rates()
{
	tc -n "$src" -s class show dev out0 | awk '
		/^class/ { ramp = $2 == "ramp"; if (ramp) rates[++n] = "100%" }
		ramp { for (i = 1; i < NF; i++)
			if ($i == "peer_rate") rates[n] = $(i + 1) }
		END { for (i = 1; i <= n; i++)
			printf "%s%s", rates[i], i < n ? " " : "\n" }'
}

# as_expected NAME FILE [MIN [MAC,...]] - the counters, and what each band may send at,
# are those that the frames in a file make of a receiver that has heard none before.
# Rates that codes.py has are hundredths of a percent.
as_expected()
{
	local want list

	want=$(codes expect "${3:-1000}" "${@:4}" <"$2")
	# shellcheck disable=SC2086 # a list
	list=$(printf ', .%s' $HEARD)
	# shellcheck disable=SC2086 # a list
	is "$1: counters" "$(counters $HEARD)" \
		"$(jq -r "[${list#,}] | join(\" \")" <<<"$want")"
	is "$1: rates" "$(peer_rates | tr -d %)" \
		"$(jq -r '[.rates[] / 100] | join(" ")' <<<"$want")"
}

# tell_link - tell0, which frames with codes leave by, and tell1, where they arrive
tell_link()
{
	ip -n "$src" link add name tell0 type veth peer name tell1
	ip -n "$src" link set tell0 up
	ip -n "$src" link set tell1 up
}

# told_end - what was captured at tell1, in $NET_WORK/told
told_end()
{
	sleep 1
	codes_end
	codes read "$NET_WORK/codes" >"$NET_WORK/told"
	ip -n "$src" link del tell0
}

# bins N [STREAM] - frames in each 100 ms from the first one on.
bins()
{
	capture bins --origin "$(capture frames | sed -n '1s/ .*//p')" \
		--tick $((100 * MS)) --ticks "$1" ${2:+--stream "$2"}
}

# paced NAME EACH BINS... - that many in each bin, added up from the first one on,
# but for one on either side of a boundary, and one that the bucket held.
paced()
{
	local name=$1 each=$2 bin sum=0 n=0
	shift 2

	for bin; do
		n=$((n + 1))
		sum=$((sum + bin))
		if [ $sum -lt $((n * each - 1)) ] || [ $sum -gt $((n * each + 2)) ]; then
			fail "$name" "$sum in $n of: $*"
			return
		fi
	done
	pass "$name"
	note "$*"
}
