#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A million configurations at random, half of them by an unprivileged user.
#
#	selftests/net/long_fuzz_netlink.sh [ARG...]
#
# With ARG, what fuzz.py takes: only that, by root or with --user by a user. So a
# round that failed is done again.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/fuzz.sh
. "$(dirname "$0")/lib/fuzz.sh"

COUNT=${RAMP_FUZZ_COUNT:-1000000}
SEED=${RAMP_SEED:-1}

fuzz_init
case " $* " in
'  ')
	fuzz root --count $((COUNT / 2)) --round 5000 --seed "$SEED"
	fuzz user --count $((COUNT / 2)) --round 5000 --seed $((SEED + 1000000))
	;;
*' --user '*) fuzz user "$@" ;;
*) fuzz root "$@" ;;
esac
ktap_end
