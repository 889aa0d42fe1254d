#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How much more leaves in one stretch of time than in the one before it.

    smooth.py judge RATE NS[@AFTER] FILE...
                                        the greatest rise, percent of RATE; when, ns,
                                        not before AFTER; from the first frame on
    smooth.py bound RATE NS SIZE        what it may be: 15 % of RATE; or two frames of
                                        SIZE bytes, where these are more
    smooth.py payload FILE              bytes that the UDP datagrams carried
    smooth.py profile KIND RATE SEED    arguments for ramp-send: onoff, pulses or random

RATE is in bit/s. FILEs are pcaps, which are looked at together. Stretches of NS begin
anywhere: all that can be the worst one are looked at, not only those of a grid.
"""

import math
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from capture import records  # noqa: E402


def rise(seen, span, after=0):
    """Returns the greatest difference of bytes between two adjacent spans, and when
    the second one ended, if not before @after."""
    inf = float('inf')
    first = second = third = 0
    older = middle = newer = 0
    worst, when = 0, 0
    count = len(seen)
    while third < count:
        enters = seen[first][0] if first < count else inf
        crosses = seen[second][0] + span if second < count else inf
        leaves = seen[third][0] + 2 * span
        if leaves <= min(enters, crosses):
            older += seen[third][1]
            third += 1
            at = leaves
        elif enters <= crosses:
            newer += seen[first][1]
            first += 1
            at = enters
        else:
            middle += seen[second][1]
            second += 1
            at = crosses
        if at >= after and newer - 2 * middle + older > worst:
            worst, when = newer - 2 * middle + older, at
    return worst, when


def bound(rate, span, size):
    """Returns percent of @rate, rounded up as what judge() prints may be.

    Where the rate passes N frames per span there is a span that has N - 1 and is followed
    by one that has N + 1, unless all have N: no order in which whole frames of one size
    leave does better than two, and climbs.
    """
    return max(15, math.ceil(2 * size * 8e12 / rate / span) / 10)


def profile(kind, rate, seed):
    """At most 60 pieces: bursts of 50 us to 5 ms, of one to nine full-sized frames, or loads
    that change at random."""
    rng = random.Random(seed)
    pieces = []
    while len(pieces) < 60:
        if kind == 'onoff':
            pieces.append(f'{rate}bit:{int(50 * 100 ** rng.random())}us')
            pieces.append(f'0:{int(50 * 100 ** rng.random())}us')
        elif kind == 'pulses':
            frame = 1514 * 8e9 / rate
            pieces.append(f'{rate}bit:{int(frame * rng.uniform(1, 9))}ns')
            pieces.append(f'0:{int(frame * rng.uniform(1, 20))}ns')
        else:
            share = rng.random() * (1 if rng.random() < 0.7 else 0.05)
            pieces.append(f'{int(rate * share) + 1000000}bit:'
                          f'{int(20 * 50 ** rng.random())}us')
    return ','.join(pieces)


def main():
    args = sys.argv[1:]
    if len(args) >= 4 and args[0] == 'judge':
        seen = sorted((time, length) for name in args[3:]
                      for time, length, _ in records(name))
        rate = int(args[1])
        span, after = (int(word) for word in (args[2] + '@0').split('@')[:2])
        worst, when = rise(seen, span, after + seen[0][0] if seen else 0)
        print(f'{800e9 * worst / rate / span:.1f}',
              when - seen[0][0] if seen else 0)
    elif len(args) == 4 and args[0] == 'bound':
        print(bound(*(int(word) for word in args[1:])))
    elif len(args) == 2 and args[0] == 'payload':
        print(sum(length - 42 for _, length, _ in records(args[1])))
    elif len(args) == 4 and args[0] == 'profile':
        print(profile(args[1], int(args[2]), int(args[3])))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == '__main__':
    sys.exit(main())
