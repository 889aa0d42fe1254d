#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Some thousand configurations at random, by root and by an unprivileged user, with
# packets and time between them: a slice of long_fuzz_netlink.sh. In virtual time
# it is always the same one, and the work costs no time.

# shellcheck source=selftests/net/lib/lib.sh
. "$(dirname "$0")/lib/lib.sh"
# shellcheck source=selftests/net/lib/fuzz.sh
. "$(dirname "$0")/lib/fuzz.sh"

fuzz_init
only_virtual_time
fuzz root --count 6000 --round 2000 --seed 1
fuzz user --count 3000 --round 1500 --seed 101
ktap_end
