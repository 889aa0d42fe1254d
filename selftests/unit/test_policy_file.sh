#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What can be wrong with a policy file (Documentation/examples/policy): the compiler
# names the section, the key and what is accepted.

# shellcheck source=selftests/lib/ktap.sh
. "$(dirname "$0")/../lib/ktap.sh"

COMPILER=$(cd "$(dirname "$0")/../.." && pwd)/Documentation/examples/policy/mpolice-policy
EXAMPLE=${COMPILER%/*}/example.policy
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
export PYTHONDONTWRITEBYTECODE=1

# right NAME FILE - it is accepted, without a word.
right()
{
	is "$1" "$(python3 "$COMPILER" --check "$2" 2>&1; echo $?)" 0
}

# wrong NAME SED REGEX - the example with this edit is refused.
wrong()
{
	local why

	sed "$2" "$EXAMPLE" >"$WORK/policy"
	if cmp -s "$WORK/policy" "$EXAMPLE"; then
		fail "$1" "nothing to edit: $2"
	elif why=$(python3 "$COMPILER" --check "$WORK/policy" 2>&1); then
		fail "$1" "accepted"
	else
		matches "$1" "$why" "$3"
	fi
}

right "the example" "$EXAMPLE"
: >"$WORK/empty"
right "an empty file" "$WORK/empty"
wrong "no default" '/^\[default\]/,/^policy/d' 'default.* is missing'
wrong "an unknown policy" 's/= account/= maybe/' 'class storage.*policy = maybe.*drop, account, bypass'
wrong "an unknown key" 's/^burst/brust/' 'endpoint web.*unknown key "brust"'
wrong "an unknown section" 's/class storage/klass storage/' 'klass storage.*accepted are'
wrong "order 0" 's/order = 10/order = 0/' 'order = 0.*1\.\.62'
wrong "an order twice" 's/order = 10/order = 20/' 'order 20 is that of'
wrong "a match twice" 's/tcp 8009/udp 53/' '"udp 53" is already in'
wrong "a port too large" 's/tcp 8009/tcp 80090/' 'tcp 80090.*1\.\.65535'
wrong "a range upside down" 's/67-68/68-67/' '68-67.*1\.\.65535'
wrong "an unknown protocol" 's/tcp 8009/sctp 8009/' 'sctp.*tcp, udp'
wrong "no port after local" 's/tcp 8009/tcp local/' 'port after "local"'
wrong "a network that is none" 's/tcp 8009/tcp 8009 peer 10.0.0.1\/8/' 'a network, as .*host bits'
wrong "any without a peer" 's/tcp 8009/any/' 'any peer NETWORK'
wrong "two ports in a line" 's/tcp 8009/tcp 8009 4421/' 'tcp 8009 4421.*PORT\[-PORT\]'
wrong "a type of ICMP" 's/^\ticmp$/\ticmp 8/' 'icmp 8.*PROTO'
wrong "ICMP of a peer of the other family" 's/^\ticmp$/& peer 2001:db8::1/' \
	'icmp peer 2001:db8::1.*IPv4'
wrong "ICMPv6 of a peer of the other family" 's/^\ticmpv6$/& peer 10.0.0.1/' \
	'icmpv6 peer 10.0.0.1.*IPv6'
# As when its lines have become comments: it would be everything.
wrong "a class of nothing" 's/^match = arp/match =/; /^\t\(icmp\|udp\|tcp 53\)/d' \
	'class infrastructure.*match.*empty'
wrong "no rate" '0,/^rate/s/^rate.*//' 'either "rate" or "pps"'
wrong "rate and pps" '0,/^rate/s/^rate/pps = 5\n&/' 'either "rate" or "pps"'
wrong "a rate of nothing" 's/rate = 1gbit/rate = 0/' 'rate = 0.*8bit'
wrong "a rate without a unit" 's/rate = 1gbit/rate = 5/' 'rate = 5.*8bit'
wrong "a burst below a packet" 's/burst = 4m/burst = 1k/' 'burst = 1k.*1514'
wrong "a threshold above 100 %" 's/threshold = 50%/threshold = 101%/' '101%.*100%'
wrong "a threshold of all of a burst" 's/threshold = 50%/threshold = 100%/' \
	'class backup.*4194304 .*endpoint web.*less than its burst, 4194304'
wrong "a threshold above one burst of two" 's/threshold = 50%/threshold = 5m/' \
	'class backup.*5242880 .*endpoint web.*less than its burst, 4194304'
wrong "a default's threshold" 's/^\[default\]/&\nthreshold = 8m/' \
	'\[default\].*8388608 .*endpoint web.*less than its burst, 4194304'
sed 's/^policy = account/&\nthreshold = 100%/' "$EXAMPLE" >"$WORK/account"
right "a threshold of all of a burst, above which nothing is dropped" "$WORK/account"
wrong "a key twice" 's/^policy = account/&\n&/' 'already exists'
wrong "an interval of hours" 's/^burst.*/&\ninterval = 90s/' 'interval = 90s.*60000000000'
wrong "bucket 0" 's/bucket = 1/bucket = 0/' 'bucket = 0.*1\.\.67108863'
wrong "a bucket twice" 's/bucket = 2/bucket = 1/' 'bucket 1 is that of'
wrong "a device twice" 's/= tap2/= tap1/' 'tap1 is also that of'
wrong "no device" '0,/^device/s/^device.*//' '"device" is missing'
wrong "addresses that two share" \
	's/^device = tap2/device = tap1\naddress = 10.0.0.7/; s/^device = tap1$/&\naddress = 10.0.0.7 10.0.0.8/' \
	'10\.0\.0\.7/32 on tap1 is also in'
wrong "a list of no devices" '0,/^device.*/s//device =/' 'endpoint web.*device.*empty'
wrong "a list of no addresses" '0,/^device.*/s//&\naddress =/' 'endpoint web.*address.*empty'
wrong "addresses of one within those of another" \
	's/^device = tap2/device = tap1\naddress = 10.1.0.0\/16/; s/^device = tap1$/&\naddress = 10.0.0.0\/8/' \
	'endpoint db.*10\.1\.0\.0/16 on tap1 and 10\.0\.0\.0/8 of \[endpoint web\]'
# The first endpoint counts packets.
packets='s/^rate = 1gbit/pps = 1000/; s/^burst = 4m/burst = 100000/;'
wrong "a debt in bytes of a bucket of packets" "$packets 0,/^pps.*/s//&\\ndebt = 2m/" \
	'endpoint web.*debt = 2m.*0\.\.1099511627776'
wrong "a threshold in bytes, and a bucket of packets" "$packets s/= 50%/= 64k/" \
	'class backup.*endpoint web.* packets'
sed "$packets s/= 50%/= 500/; 0,/^pps.*/s//&\ndebt = 20/" "$EXAMPLE" >"$WORK/packets"
right "a threshold and a debt in packets" "$WORK/packets"
wrong "no section" '1,/^order/s/^\[class infra.*//' 'no section headers'
# defaults of the first endpoint - its burst and its debt.
defaults()
{
	sed "$1" "$EXAMPLE" >"$WORK/policy"
	(cd "${COMPILER%/*}" && python3 -c 'if True:
		import sys
		from policyfile import read
		endpoint = read(sys.argv[1]).endpoints[0]
		print(endpoint.burst, endpoint.debt)' "$WORK/policy")
}
is "a default burst has room for what comes in 10 ms" \
	"$(defaults '/^burst = 4m/d')" "1250000 1250000"
is "a default burst has room for what comes in an interval" \
	"$(defaults 's/^burst = 4m/interval = 100ms/')" "12500000 12500000"
is "a default burst ends where bursts end" \
	"$(defaults 's/^burst = 4m/interval = 60s/; s/^rate = 1gbit/rate = 1tbit/')" \
	"1099511627776 1099511627776"
matches "a file that is not there" "$(python3 "$COMPILER" "$WORK/none" 2>&1)" \
	'No such file'
matches "help" "$(python3 "$COMPILER" --help)" 'usage: .*tc -batch'
echo "1..$KTAP_COUNT"
exit "$KTAP_FAILED"
