#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Arrivals that try to get past a slew limiter, and what became of them.

    time_always.py bursts SEED COUNT MS MOST OFFSET_US [MIN_SIZE MAX_SIZE]
    time_always.py judge packets|bytes START STEP <FRAMES

bursts prints COUNT lines of arguments for ramp-send, each of them MS long: bursts
of 1 to MOST frames with silences from 10 us to 20 ms between them; short and long
ones are equally likely, orders of magnitude apart. All are OFFSET_US after a
multiple of 10 us, which keeps them away from the ends of ticks.

judge reads lines from `capture.py grid`: the tick in which a frame was sent, that in
which it arrived, its length. Prints a JSON object: frames and ticks; how often a
tick carried more than it may after the one before it (rise); how many frames left
in another tick than the description says (odd); the largest number of ticks that
one waited (delay).
"""

import json
import os
import random
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(__file__), 'lib'))
from model import slew  # noqa: E402


def bursts(seed, count, length, most, offset, smallest=1514, largest=1514):
    """Yields the arguments of one ramp-send."""
    rng = random.Random(seed)
    for _ in range(count):
        pieces = [f'0:{offset}us']
        rest = length * 100
        while rest > 1 and len(pieces) < 60:
            gap = min(int(2000 ** rng.random()), rest)
            rest -= gap
            pieces += [f'x{int(most ** rng.random())}', f'0:{gap * 10}us']
        if rest:
            pieces.append(f'0:{rest * 10}us')
        yield f'{",".join(pieces)} -s {rng.randint(smallest, largest)}'


def judge(packets, start, step, lines):
    """Compares with the bound, and with the model."""
    frames = [tuple(map(int, line.split())) for line in lines]
    largest = 1 if packets else max(size for _, _, size in frames)
    carried = Counter()
    for _, left, size in frames:
        carried[left] += 1 if packets else size

    # Less than a frame does not fit, and counts as having left.
    rise = sum(amount > max(start, carried[tick - 1] + largest - 1 + step)
               for tick, amount in carried.items())
    wanted = list(slew(packets, start, step,
                       [(sent, size) for sent, _, size in frames]))
    odd = [(at, want, frame) for at, (want, frame)
           in enumerate(zip(wanted, frames)) if want != frame[1]]
    return {'frames': len(frames),
            'ticks': frames[-1][1] - frames[0][0] + 1,
            'most': max(carried.values()), 'rise': rise, 'odd': len(odd),
            'delay': max(left - sent for sent, left, _ in frames),
            'first': odd[:1]}


def main():
    numbers = [int(arg) for arg in sys.argv[2:] if arg.isdecimal()]
    if sys.argv[1:2] == ['bursts'] and len(numbers) in (5, 7):
        print(*bursts(*numbers), sep='\n')
    elif sys.argv[1:2] == ['judge'] and len(numbers) == 2:
        print(json.dumps(judge(sys.argv[2] == 'packets', *numbers, sys.stdin)))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == '__main__':
    sys.exit(main())
