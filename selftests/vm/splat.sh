# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Finds in a kernel log what must not happen, whatever the command said.

# A call trace alone is none: fault injection prints them by design.
SPLAT_PATTERN='WARNING: |BUG[: ]|Oops|kernel BUG at|Kernel panic|general protection fault|'\
'Unable to handle kernel|KASAN: |KFENCE: |UBSAN: |KMSAN: |ODEBUG: |DEBUG_LOCKS_WARN|'\
'INFO: (rcu|task .* blocked|possible|trying to register|suspicious|lockdep)|rcu: INFO: |'\
'unregister_netdevice: waiting for|refcount_t: |ref_tracker: |leaked reference|'\
'kmemleak: .*new suspected|watchdog: .*lockup|segfault at .* in (tc|ip|teamnl)\['

# What a kernel says that is no fault, each with its reason.
# Whole messages only, so that nothing else hides behind them.
SPLAT_KNOWN=
# The tracker of references did without one when its allocation was made to fail.
SPLAT_KNOWN+='^ref_tracker: memory allocation failure, unreliable refcount tracker\.$'

# splat_find LOG - prints the first splats with what follows them; fails if there
# are none.
splat_find()
{
	local found

	found=$(sed 's/^\(<[0-9]*>\)\{0,1\}\[[^]]*\] *//' "$1" |
		{ if [ -n "$SPLAT_KNOWN" ]; then grep -vE -- "$SPLAT_KNOWN"; else cat; fi; } |
		grep -E -A 40 -- "$SPLAT_PATTERN" | awk 'NR <= 120') || return 1
	printf '%s\n' "$found"
}

# splat_of_emulator LOG - whether what killed the machine was a breakpoint that memory
# does not hold. While one CPU writes code, another one of QEMU 7.2 now and then
# goes on with a translation of what was there before, and a kernel that patches
# itself (static keys, as when the TSC is found to be late) dies of it. It is none
# if the byte before the one that the log marks is a breakpoint (cc).
splat_of_emulator()
{
	grep -q 'Oops: int3' "$1" &&
		grep -m1 -o 'Code: .*' "$1" | grep -qE ' [0-9a-f]{2} <' &&
		! grep -m1 -o 'Code: .*' "$1" | grep -q ' cc <'
}
